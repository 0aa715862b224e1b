// Every shipped rewrite rule on random tensors: the graph of its pattern computes the same before and after, by the
// oracle.
#include <algorithm>
#include <cmath>
#include <random>

#include "catch.h"
#include "frontend/yaml/read_graph_yaml.h"
#include "oracle/run_graph.h"
#include "semantics/library_semantics.h"
#include "semantics/node_kernels.h"
#include "shipped_library.h"

namespace rewrites_test {

using namespace tenon;

namespace {

const OpLibrary& shipped() { return tenon_test::shipped_ops(); }

/// The shipped rules, but that attention and weights are rewritten at any size.
const RuleSet& rules() {
  static const RuleSet set = [] {
    RuleSet all = tenon_test::shipped_rules();
    REQUIRE(all.functions.count("is_much") == 1);
    REQUIRE(all.functions.count("is_much_weight") == 1);
    for (const char* name : {"is_much", "is_much_weight"}) all.functions[name].body = parse_recipe("true");
    return all;
  }();
  return set;
}

/// The pattern of a rule, with constants where it asks for them. `steps`: how far whole results may lie apart.
struct Instance {
  std::string rule, inputs, parameters, main;
  int steps = 0;
};

const std::string kImage = "  x: f32[2, 4, 6, 5]\n", kPlane = "  x: f32[6, 5]\n",
                  kHeads = "  q: f32[2, 3, 4, 5]\n  k: f32[2, 3, 5, 6]\n  v: f32[2, 3, 6, 7]\n";

std::string constant(const std::string& name, const std::string& type,
                     const std::string& from = "rand(lo=0.5, hi=1.5)") {
  return "  " + name + ": {type: \"" + type + "\", from: \"" + from + "\"}\n";
}
std::string statistics(int channels) {
  std::string all;
  for (const char* name : {"g", "h", "m", "v"}) all += constant(name, "f32[" + std::to_string(channels) + "]");
  return all;
}
/// 8-bit weights and their steps.
std::string weights(const std::string& type) { return constant("wf", type, "rand(lo=-120, hi=120)"); }

std::vector<Instance> convolutions() {
  std::vector<Instance> out;
  const std::string dims[] = {"5", "5, 6", "3, 5, 4"}, taps[] = {"3", "3, 2", "2, 3, 2"};
  for (int n = 1; n <= 3; ++n) {
    const std::string d = std::to_string(n) + "d", x = "  x: f32[2, 4, " + dims[n - 1] + "]\n",
                      w = constant("w", "f32[6, 2, " + taps[n - 1] + "]", "randn()"), b = constant("b", "f32[6]");
    const std::string ones = std::string(n == 1 ? "[6, 1]" : n == 2 ? "[6, 1, 1]" : "[6, 1, 1, 1]");
    const std::string conv = "  y = conv" + d + "(x, w, b, groups=2)\n";
    out.push_back(
        {"batch_norm_into_conv" + d, x, w + b + statistics(6), conv + "  z = batch_norm(y, g, h, m, v, eps=0.001)\n"});
    out.push_back({"factor_into_conv" + d, x, w + b + constant("s", "f32" + ones), conv + "  z = mul(y, s)\n"});
    out.push_back({"summand_into_conv" + d, x, w + constant("s", "f32" + ones),
                   "  y = conv" + d + "(x, w, groups=2)\n  z = add(s, y)\n"});
    const std::string wt = constant("w", "f32[4, 3, " + taps[n - 1] + "]", "randn()"),
                      transposed = "  y = conv_transpose" + d + "(x, w, b, groups=2)\n";
    out.push_back({"batch_norm_into_conv_transpose" + d, x, wt + b + statistics(6),
                   transposed + "  z = batch_norm(y, g, h, m, v)\n"});
    out.push_back(
        {"factor_into_conv_transpose" + d, x, wt + b + constant("s", "f32" + ones), transposed + "  z = mul(s, y)\n"});
    out.push_back(
        {"summand_into_conv_transpose" + d, x, wt + b + constant("s", "f32" + ones), transposed + "  z = add(y, s)\n"});
  }
  return out;
}

/// Kernels, strides and pads whose phases begin at one pixel or at two, with and without taps to spare.
std::vector<Instance> phases() {
  std::vector<Instance> out;
  const std::string b = constant("b", "f32[3]");
  const auto one = [&](int taps, const std::string& attributes) {
    out.push_back({"phases_of_conv_transpose1d", "  x: f32[2, 4, 5]\n",
                   constant("w", "f32[4, 3, " + std::to_string(taps) + "]", "randn()") + b,
                   "  y = conv_transpose1d(x, w, b, " + attributes + ")\n  z = neg(y)\n"});
  };
  one(2, "stride=2");
  one(3, "stride=2, pads=[1, 1], output_pads=1");
  one(3, "stride=2, pads=[1, 1]");
  one(4, "stride=2, pads=[1, 1]");
  one(5, "stride=3, pads=[2, 1], output_pads=2");
  one(5, "stride=4, pads=[3, 0]");
  one(7, "stride=2, pads=[3, 3], output_pads=1");
  out.push_back({"phases_of_conv_transpose2d", kImage, constant("w", "f32[4, 3, 3, 4]", "randn()") + b,
                 "  z = neg(conv_transpose2d(x, w, b, stride=[2, 3], pads=[1, 0, 0, 2], output_pads=[1, 0]))\n"});
  out.push_back({"phases_of_conv_transpose2d", kImage, constant("w", "f32[4, 3, 3, 2]", "randn()"),
                 "  z = neg(conv_transpose2d(x, w, pads=[1, 0, 2, 1]))\n"});
  out.push_back({"phases_of_conv_transpose2d", kImage, constant("w", "f32[4, 3, 2, 2]", "randn()"),
                 "  z = neg(conv_transpose2d(x, w, stride=[2, 2]))\n"});
  out.push_back({"phases_of_conv_transpose1d", "  x: f32[2, 4, 5]\n",
                 constant("w", "f32[4, 3, 4]", "randn()") + constant("b", "f32[6]"),
                 "  z = neg(conv_transpose1d(x, w, b, stride=2, pads=[1, 1], groups=2))\n"});
  out.push_back({"phases_of_conv_transpose2d", kImage,
                 constant("w", "f32[4, 1, 4, 3]", "randn()") + constant("b", "f32[4]"),
                 "  z = neg(conv_transpose2d(x, w, b, stride=[2, 2], pads=[1, 1, 1, 1], groups=4))\n"});
  out.push_back({"phases_of_conv_transpose3d", "  x: f32[1, 4, 3, 4, 2]\n",
                 constant("w", "f32[4, 2, 2, 3, 2]", "randn()"),
                 "  z = neg(conv_transpose3d(x, w, stride=[2, 2, 1], pads=[0, 1, 0, 0, 1, 0]))\n"});
  return out;
}

/// Gradients of strided convolutions with respect to their image, by kernels that run time gives.
std::vector<Instance> phases_of_gradients() {
  std::vector<Instance> out;
  const auto one = [&](const std::string& rule, const std::string& op, const std::string& x, const std::string& w,
                       const std::string& attributes) {
    out.push_back({rule, "  x: f32[" + x + "]\n  w: f32[" + w + "]\n", "",
                   "  y = " + op + "(x, w, " + attributes + ")\n  s = sum(sq(y))\n  z = grad(s, x)\n"});
  };
  one("phases_of_conv1d_grad", "conv1d", "2, 4, 80", "3, 4, 3", "stride=2, pads=[1, 1]");
  one("phases_of_conv1d_grad", "conv1d", "2, 4, 101", "6, 2, 4", "stride=3, pads=[2, 0], groups=2");
  one("phases_of_conv2d_grad", "conv2d", "2, 3, 14, 13", "4, 3, 3, 3", "stride=[2, 2], pads=[1, 1, 1, 1]");
  one("phases_of_conv2d_grad", "conv2d", "1, 4, 15, 14", "4, 2, 7, 2", "stride=[2, 1], pads=[3, 0, 2, 1], groups=2");
  one("phases_of_conv2d_grad", "conv2d", "1, 2, 17, 22", "3, 2, 1, 3", "stride=[2, 3], pads=[0, 1, 0, 1]");
  one("phases_of_conv1d_grad", "conv1d", "1, 17, 101", "3, 17, 5", "stride=3, pads=[1, 2]");
  one("phases_of_conv2d_grad", "conv2d", "1, 16, 11, 16", "2, 16, 3, 3", "stride=[2, 2], pads=[1, 0, 1, 2]");
  one("phases_of_conv3d_grad", "conv3d", "1, 2, 7, 9, 8", "3, 2, 3, 3, 2", "stride=[2, 2, 1], pads=[1, 1, 0, 1, 1, 1]");
  one("pixels_of_conv1d_grad", "conv1d", "2, 4, 9", "6, 2, 1", "stride=3, groups=2");
  one("pixels_of_conv2d_grad", "conv2d", "2, 3, 8, 7", "4, 3, 1, 1", "stride=[2, 2]");
  one("pixels_of_conv2d_grad", "conv2d", "2, 3, 8, 7", "4, 3, 1, 1", "stride=[3, 1], dilation=[2, 2]");
  out.push_back({"phases_of_conv_transpose2d", "  x: f32[1, 4, 6, 7]\n  w: f32[4, 3, 3, 3]\n", "",
                 "  z = neg(conv_transpose2d(x, w, stride=[2, 2], pads=[1, 1, 1, 1], output_pads=[1, 1]))\n"});
  out.push_back({"phases_of_conv_transpose2d", "  x: f32[1, 2, 6, 7]\n  w: f32[2, 18, 3, 5]\n  b: f32[18]\n", "",
                 "  z = neg(conv_transpose2d(x, w, b, stride=[2, 2], pads=[0, 1, 1, 2]))\n"});
  return out;
}

std::vector<Instance> products() {
  const std::string w = constant("w", "f32[5, 7]", "randn()"), wt = constant("w", "f32[7, 5]", "randn()"),
                    b = constant("b", "f32[1, 7]");
  return {{"batch_norm_into_gemm", kPlane, w + b + statistics(7),
           "  y = gemm(x, w, b, alpha=0.5, beta=2)\n  z = batch_norm(y, g, h, m, v)\n"},
          {"batch_norm_into_gemm", kPlane, wt + statistics(7),
           "  y = gemm(x, w, transB=true)\n  z = batch_norm(y, g, h, m, v)\n"},
          {"batch_norm_by_constants", kPlane, statistics(5), "  z = batch_norm(x, g, h, m, v)\n"},
          {"batch_norm_by_constants", kImage, statistics(4), "  z = relu(batch_norm(x, g, h, m, v, eps=0.01))\n"},
          {"factor_into_gemm", kPlane, w + b + constant("s", "f32[7]"), "  z = mul(gemm(x, w, b), s)\n"},
          {"summand_into_gemm", kPlane, w + constant("s", "f32[7]"), "  z = add(gemm(x, w), s)\n"}};
}

std::vector<Instance> movement() {
  std::vector<Instance> out = {
      {"identity_away", kPlane, "", "  y = identity(x)\n  z = exp(y)\n"},
      {"dropout_away", kPlane, "", "  z = exp(dropout(x, ratio=0.25))\n"},
      {"cast_away", kPlane, "", "  z = exp(cast(x, dtype=f32))\n"},
      {"cast_pair", "  x: f16[3, 4]\n", "", "  z = exp(cast(cast(x, dtype=f32), dtype=f64))\n"},
      {"reshape_away", kPlane, "", "  z = exp(reshape(x, shape=[6, 5]))\n"},
      {"reshape_pair", kPlane, "", "  z = exp(reshape(reshape(x, shape=[30]), shape=[3, 10]))\n"},
      {"expand_away", kPlane, "", "  z = exp(expand(x, shape=[6, 5]))\n"},
      {"transpose_away", kPlane, "", "  z = exp(transpose(x, perm=[0, 1]))\n"},
      {"transpose_pair", kImage, "",
       "  z = sum(transpose(transpose(x, perm=[1, 2, 0, 3]), perm=[3, 0, 1, 2]), axes=[0])\n"},
      {"times_one", kPlane, constant("s", "f32[1]", "full(value=1)"), "  z = exp(mul(x, s))\n"},
      {"over_one", kPlane, constant("s", "f32[1]", "full(value=1)"), "  z = exp(div(x, s))\n"}};
  out.push_back({"rows_of_one_product_matmul", "  x: f32[3, 4, 2, 5]\n  w: f32[5, 6]\n", "", "  z = matmul(x, w)\n"});
  out.push_back({"rows_of_one_product_matmul_i32", "  x: u8[3, 4, 2, 5]\n  w: i8[5, 6]\n", "",
                 "  z = matmul_i32(x, w, a_zero=3)\n"});
  for (const char* f : {"relu", "neg", "abs", "exp", "sqrt", "tanh", "sigmoid", "silu", "gelu", "erf"})
    out.push_back({std::string("transpose_sinks_") + f, kPlane, "",
                   std::string("  z = ") + f + "(transpose(abs(x), perm=[1, 0]))\n"});
  for (const char* f : {"add", "sub", "mul", "div", "maximum", "minimum"})
    out.push_back({std::string("transpose_sinks_past_") + f, kPlane + "  y: f32[1, 5]\n", "",
                   std::string("  z = ") + f + "(transpose(x, perm=[1, 0]), transpose(y, perm=[1, 0]))\n"});
  return out;
}

std::vector<Instance> spellings() {
  const std::string g = constant("g", "f32[5]"), b = constant("b", "f32[5]"),
                    square = "  r = mean(sq(x), axes=[1], keepdims=true)\n";
  return {
      {"square_of_power", kPlane, "", "  z = pow(x, 2.0)\n"},
      {"square_of_product", kPlane, "", "  z = mul(x, x)\n"},
      {"rsqrt_of_reciprocal", kPlane, "", "  z = reciprocal(sqrt(exp(x)))\n"},
      {"silu_of_sigmoid", kPlane, "", "  z = mul(sigmoid(x), x)\n"},
      {"hard_swish_of_hard_sigmoid", kPlane, "", "  z = mul(x, hard_sigmoid(x, alpha=0.16666667, beta=0.5))\n"},
      {"hard_swish_of_clip", kPlane, "", "  z = div(mul(x, clip(add(x, 3.0), lo=0, hi=6)), 6.0)\n"},
      {"gelu_half_last", kPlane, "", "  z = mul(mul(x, add(erf(div(x, 1.41421356)), 1.0)), 0.5)\n"},
      {"gelu_half_first", kPlane, "", "  z = mul(mul(x, 0.5), add(erf(div(x, 1.41421356)), 1.0))\n"},
      {"gelu_by_product", kPlane, "", "  z = mul(mul(x, 0.5), add(erf(mul(x, 0.70710678)), 1.0))\n"},
      {"gelu_half_inside", kPlane, "", "  z = mul(x, mul(add(erf(div(x, 1.41421356)), 1.0), 0.5))\n"},
      {"gelu_of_tanh", kPlane, "",
       "  t = tanh(mul(add(x, mul(pow(x, 3.0), 0.044715)), 0.797884561))\n  z = mul(mul(x, 0.5), add(t, 1.0))\n"},
      {"softmax_of_exponentials", kPlane, "",
       "  e = exp(sub(x, max(x, axes=[1], keepdims=true)))\n  z = div(e, sum(e, axes=[1], keepdims=true))\n"},
      {"layernorm_of_rms_norm", kPlane, g, "  z = rms_norm(sub(x, mean(x, axes=[1], keepdims=true)), g, eps=0.001)\n"},
      {"summand_into_layernorm", kPlane, g + b, "  z = add(layernorm(x, g), b)\n"},
      {"rms_norm_of_quotient", kPlane, g, square + "  z = mul(div(x, sqrt(add(r, 0.00001))), g)\n"},
      {"rms_norm_of_rsqrt", kPlane, g, square + "  z = mul(mul(x, rsqrt(add(r, 0.00001))), g)\n"}};
}

std::vector<Instance> attentions() {
  const std::string mask = kHeads + "  m: f32[2, 1, 1, 6]\n", end = "  z = matmul(softmax(s, axis=3), v)\n";
  return {{"attention_of_scores", kHeads, "", "  s = matmul(q, k)\n" + end},
          {"attention_of_masked_scores", mask, "", "  s = add(matmul(q, k), m)\n" + end},
          {"attention_of_products", kHeads, "", "  s = mul(matmul(q, k), 0.3)\n" + end},
          {"attention_of_quotients", kHeads, "", "  s = div(matmul(q, k), 8.0)\n" + end},
          {"attention_of_masked_products", mask, "", "  s = add(mul(matmul(q, k), 0.3), m)\n" + end},
          {"attention_of_masked_quotients", mask, "", "  s = add(m, div(matmul(q, k), 2.0))\n" + end}};
}

std::vector<Instance> quantised() {
  const std::string x = "  x: i8[2, 4, 6, 5]\n", line = "  x: i8[2, 4, 11]\n",
                    sx = constant("sx", "f32[]", "full(value=0.031)"), z = constant("zf", "f32[]", "full(value=-3)");
  const std::string sw = constant("sw", "f32[6, 1, 1, 1]", "rand(lo=0.001, hi=0.003)"),
                    sw1 = constant("sw", "f32[6, 1, 1]", "rand(lo=0.001, hi=0.003)"),
                    b = constant("bf", "f32[6]", "rand(lo=-900, hi=900)");
  const std::string operands =
      "  z = cast(zf, dtype=i8)\n  f = cast(wf, dtype=i8)\n  d = dequantize(x, sx, z)\n  w = dequantize(f, sw)\n";
  const std::string pool = "  z = cast(zf, dtype=i8)\n  d = dequantize(x, sx, z)\n";
  std::vector<Instance> out = {
      {"dequantize_quantize_away", x, sx + z, pool + "  y = bit_not(quantize(d, sx, z, dtype=i8))\n"},
      {"dequantize_sinks_past_concat", x + "  u: i8[2, 2, 6, 5]\n", sx + z,
       pool + "  y = concat(d, dequantize(u, sx, z), axis=1)\n"},
      {"dequantize_sinks_past_relu", x, sx + z, pool + "  y = relu(d)\n"},
      {"matmul_of_whole_numbers", "  x: i8[2, 6, 5]\n",
       sx + z + constant("sw", "f32[1, 7]", "rand(lo=0.001, hi=0.003)") + weights("f32[5, 7]"),
       "  z = cast(zf, dtype=i8)\n  f = cast(wf, dtype=i8)\n  y = matmul(dequantize(x, sx, z), dequantize(f, sw))\n"},
      {"relu_into_quantize", kImage, sx + z, "  z = cast(zf, dtype=i8)\n  y = quantize(relu(x), sx, z, dtype=i8)\n"},
      {"clip_into_quantize", kImage, sx + z,
       "  z = cast(zf, dtype=i8)\n  y = quantize(clip(x, lo=-0.25, hi=0.5), sx, z, dtype=i8)\n"},
      {"conv2d_of_whole_numbers", x, sx + z + sw + b + weights("f32[6, 2, 3, 2]"),
       operands + "  q = cast(bf, dtype=i32)\n  c = dequantize(q, mul(reshape(sw, shape=[6]), sx))\n  y = conv2d(d, w, "
                  "c, groups=2, pads=[1, 0, 1, 1])\n"},
      {"conv2d_of_whole_numbers_and_real_bias", x, sx + z + sw + b + weights("f32[6, 2, 3, 2]"),
       operands + "  y = conv2d(d, w, bf, groups=2, pads=[1, 0, 1, 1], stride=[2, 1])\n"},
      {"conv1d_of_whole_numbers", line, sx + z + sw1 + b + weights("f32[6, 2, 3]"),
       operands + "  q = cast(bf, dtype=i32)\n  c = dequantize(q, mul(reshape(sw, shape=[6]), sx))\n  y = conv1d(d, w, "
                  "c, groups=2, pads=[1, 2], dilation=2)\n"},
      {"conv1d_of_whole_numbers_and_real_bias", line, sx + z + sw1 + b + weights("f32[6, 2, 3]"),
       operands + "  y = conv1d(d, w, bf, groups=2, pads=[2, 1], stride=2)\n"},
      {"gemm_of_whole_numbers", "  x: u8[6, 5]\n",
       sx + z + constant("sw", "f32[7, 1]", "rand(lo=0.001, hi=0.003)") + weights("f32[7, 5]") +
           constant("c", "f32[7]"),
       "  z = cast(neg(zf), dtype=u8)\n  f = cast(wf, dtype=i8)\n  y = gemm(dequantize(x, sx, z), dequantize(f, sw), "
       "reshape(c, shape=[1, 7]), transB=true)\n"},
      {"requantize_of_sums", "  x: i32[6, 5]\n", sx + z,
       "  z = cast(zf, dtype=i8)\n  y = quantize(dequantize(x, sx), div(sx, 0.0001), z, dtype=i8)\n", 1}};
  for (const auto& [f, rest] : std::vector<std::pair<std::string, std::string>>{
           {"transpose", ", perm=[1, 2, 0, 3]"},
           {"reshape", ", shape=[8, 30]"},
           {"slice", ", begin=[0, 1, 0, 0], step=[1, 1, 1, 1], size=[2, 2, 3, 5]"},
           {"expand", ", shape=[3, 2, 4, 6, 5]"},
           {"maxpool2d", ", kernel=[2, 2], pads=[1, 0, 0, 1]"},
           {"global_maxpool", ""}})
    out.push_back({"dequantize_sinks_" + f, x, sx + z, pool + "  y = " + f + "(d" + rest + ")\n"});
  return out;
}

/// More weights than readers make real at once. Few rows and many, weights of 8 and 4 bits, in either order, with zero
/// points or without.
std::vector<Instance> narrow_weights() {
  const std::string few = "  x: f32[3, 64]\n", many = "  x: f32[9, 64]\n", sequence = "  x: f32[2, 3, 64]\n",
                    s = constant("s", "f32[1, 96]"), w = weights("f32[64, 96]"), wt = weights("f32[96, 64]"),
                    st = constant("s", "f32[96, 1]"), blocks = weights("f32[2, 32, 96]"),
                    rows = weights("f32[96, 2, 32]"), sb = constant("s", "f32[2, 1, 96]"),
                    sr = constant("s", "f32[96, 2, 1]"), zb = constant("zf", "f32[2, 1, 96]", "rand(lo=0, hi=15)"),
                    c = constant("c", "f32[1, 96]");
  const auto f = [](const char* type) { return std::string("  f = cast(wf, dtype=") + type + ")\n"; };
  const std::string two = "reshape(dequantize(f, s), shape=[64, 96])", zeros = "  z = cast(zf, dtype=u4)\n";
  return {{"gemm_of_narrow_weights", few, s + w, f("i8") + "  y = gemm(x, dequantize(f, s))\n"},
          {"gemm_of_narrow_weights", many, st + wt + c, f("i4") + "  y = gemm(x, dequantize(f, s), c, transB=true)\n"},
          {"gemm_of_narrow_blocks", few, sb + blocks, f("i4") + "  y = gemm(x, " + two + ")\n"},
          {"gemm_of_narrow_blocks", few, sb + zb + blocks,
           f("u4") + zeros + "  y = gemm(x, reshape(dequantize(f, s, z), shape=[64, 96]))\n"},
          {"gemm_of_narrow_blocks", many, sr + rows,
           f("i8") + "  y = gemm(x, reshape(dequantize(f, s), shape=[96, 64]), transB=true)\n"},
          {"matmul_of_narrow_weights", sequence, s + w, f("i8") + "  y = matmul(x, dequantize(f, s))\n"},
          {"matmul_of_narrow_blocks", sequence, sb + zb + blocks,
           f("u4") + zeros + "  y = matmul(x, reshape(dequantize(f, s, z), shape=[64, 96]))\n"},
          {"transpose_of_dequantized_weights", "  x: f32[64, 96]\n", st + wt,
           f("i8") + "  z = add(x, transpose(dequantize(f, s), perm=[1, 0]))\n"},
          {"transpose_of_dequantized_blocks", "  x: f32[64, 96]\n", sr + rows,
           f("i8") + "  z = add(x, transpose(reshape(dequantize(f, s), shape=[96, 64]), perm=[1, 0]))\n"}};
}

const std::vector<Instance>& instances() {
  static const std::vector<Instance> all = [] {
    std::vector<Instance> out;
    for (const auto& part : {convolutions(), phases(), phases_of_gradients(), products(), movement(), spellings(),
                             attentions(), quantised(), narrow_weights()})
      out.insert(out.end(), part.begin(), part.end());
    return out;
  }();
  return all;
}

Graph graph_of(const Instance& i) {
  const size_t at = i.main.rfind("\n  ");
  const std::string last = at == std::string::npos ? i.main.substr(2, 1) : i.main.substr(at + 3, 1);
  const std::string text = "graph: g\ninputs:\n" + i.inputs +
                           (i.parameters.empty() ? "" : "parameters:\n" + i.parameters) + "main: |\n" + i.main +
                           "outputs: [" + last + "]\n";
  const OpSemantics semantics = folding_semantics(shipped());
  const auto graph = read_graph_yaml(std::make_shared<const SourceFile>("g.yaml", text), semantics, {});
  if (!graph.ok()) FAIL(i.rule + "\n" + text + graph.diagnostics().text());
  const auto whole = backward_graph(shipped(), *graph);
  if (!whole.ok()) FAIL(i.rule + "\n" + text + whole.diagnostics().text());
  return *whole;
}

TensorData random_tensor(const Value& v, std::mt19937& random) {
  TensorData t{v.dtype, {}, {}};
  for (const SizeExpr& d : v.dims) t.dims.push_back(d.value);
  const int64_t n = element_count(t.dims);
  for (int64_t i = 0; i < n; ++i) {
    if (v.dtype == DType::F32 || v.dtype == DType::I32) {
      const float f = std::uniform_real_distribution<float>(-2, 2)(random);
      const int32_t whole = static_cast<int32_t>(f * 5000);
      const auto* b =
          v.dtype == DType::F32 ? reinterpret_cast<const uint8_t*>(&f) : reinterpret_cast<const uint8_t*>(&whole);
      t.bytes.insert(t.bytes.end(), b, b + 4);
    } else if (v.dtype == DType::F16) {
      const auto half = static_cast<uint16_t>(0x3800 + random() % 0x800);  // 0.5 to 2
      t.bytes.push_back(static_cast<uint8_t>(half & 255)), t.bytes.push_back(static_cast<uint8_t>(half >> 8));
    } else {
      REQUIRE(bytes_of(v.dtype) == 1);
      t.bytes.push_back(static_cast<uint8_t>(random()));
    }
  }
  return t;
}

/// The first output, by the oracle, one operator after the other.
TensorData run(const Graph& g, const std::vector<TensorData>& inputs) {
  const auto kernels = node_kernels(shipped(), g, "g.yaml");
  if (!kernels.ok()) FAIL(kernels.diagnostics().text());
  const GraphRun done = run_graph(g, *kernels, {}, inputs);
  INFO(done.origin);
  REQUIRE(done.status == OracleStatus::Done);
  return done.outputs[0];
}

}  // namespace

TEST_CASE("rewrites: every rule has an instance") {
  for (const Rule& r : rules().rules) {
    INFO(r.name);
    CHECK(std::any_of(instances().begin(), instances().end(), [&](const Instance& i) { return i.rule == r.name; }));
    CHECK_FALSE(r.doc.empty());
  }
}

TEST_CASE("rewrites: a rule keeps what its pattern computes") {
  std::mt19937 random(7);
  for (const Instance& i : instances()) {
    INFO(i.rule);
    RuleSet alone = rules();
    std::erase_if(alone.rules, [&](const Rule& r) { return r.name != i.rule; });
    REQUIRE(alone.rules.size() == 1);
    const Graph before = graph_of(i);
    const RewriteOutcome after = apply_rewrites(shipped(), alone, before);
    INFO(to_text(before) << to_text(after.graph));
    CHECK(after.applied.count(i.rule) == 1);
    for (const std::string& r : after.refused) FAIL_CHECK(r);
    CHECK(after.unsettled.empty());
    for (const std::string& f : verify(after.graph)) FAIL_CHECK(f);
    std::vector<TensorData> inputs;
    for (const ValueId v : before.inputs)
      inputs.push_back(random_tensor(before.values[static_cast<size_t>(v)], random));
    const TensorData a = run(before, inputs), b = run(after.graph, inputs);
    REQUIRE(a.dtype == b.dtype);
    REQUIRE(a.dims == b.dims);
    double maximum = 0, apart = 0;
    for (int64_t k = 0; k < element_count(a.dims); ++k) {
      maximum = std::max(maximum, std::fabs(real_element(a, k)));
      apart = std::max(apart, std::fabs(real_element(a, k) - real_element(b, k)));
    }
    // Each operator of either graph rounds once, and an error grows by the few factors of size 8 at most that these
    // tensors hold.
    const double bound =
        is_float(a.dtype)
            ? 8.0 * 0x1p-24 * static_cast<double>(before.nodes.size() + after.graph.nodes.size()) * maximum
            : i.steps;
    CHECK(apart <= bound);
  }
}

TEST_CASE("rewrites: all rules together come to an end and keep what is computed") {
  for (const Instance& i : instances()) {
    INFO(i.rule);
    const Graph before = graph_of(i);
    const RewriteOutcome after = apply_rewrites(shipped(), rules(), before);
    INFO(to_text(before) << to_text(after.graph));
    CHECK(after.unsettled.empty());
    for (const std::string& r : after.refused) FAIL_CHECK(r);
    for (const std::string& f : verify(after.graph)) FAIL_CHECK(f);
    const RewriteOutcome again = apply_rewrites(shipped(), rules(), after.graph);
    CHECK(to_text(again.graph) == to_text(after.graph));
  }
}

TEST_CASE("rewrites: phases of many filters are convolutions by their own taps") {
  const Graph before = graph_of({"phases_of_conv2d_grad", "  x: f32[1, 16, 12, 12]\n  w: f32[2, 16, 3, 3]\n", "",
                                 "  y = conv2d(x, w, stride=[2, 2], pads=[1, 1, 1, 1])\n  z = grad(sum(sq(y)), x)\n"});
  const Graph after = apply_rewrites(shipped(), rules(), before).graph;
  int64_t taps = 0;
  for (const Node& n : after.nodes) {
    if (n.op != "conv2d" || n.inputs[0] == before.inputs[0]) continue;
    const Value& kernel = after.values[static_cast<size_t>(n.inputs[1])];
    taps += kernel.dims[2].value * kernel.dims[3].value;
  }
  CHECK(taps == 9);
}

TEST_CASE("rewrites: one row is multiplied by weights block by block, more rows by tiles") {
  const auto product_of = [](int rows, const std::string& type) {
    const Instance i = {"gemm_of_narrow_weights", "  x: f32[" + std::to_string(rows) + ", 64]\n",
                        constant("s", "f32[1, 96]") + weights("f32[64, 96]"),
                        "  f = cast(wf, dtype=" + type + ")\n  y = gemm(x, dequantize(f, s))\n"};
    const Graph graph = apply_rewrites(shipped(), rules(), graph_of(i)).graph;
    const auto at =
        std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& n) { return n.op.starts_with("matmul_"); });
    return at == graph.nodes.end() ? "" : at->op;
  };
  CHECK(product_of(1, "i4") == "matmul_nibbles");
  CHECK(product_of(2, "i4") == "matmul_nibble_panels");
  CHECK(product_of(1, "i8") == "matmul_bytes");
  CHECK(product_of(2, "i8") == "matmul_byte_panels");
}

}  // namespace rewrites_test
