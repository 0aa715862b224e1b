// Float models in ONNX made ready for integers: which values get steps, what older opsets become, and the nodes around
// integers.
#include "frontend/quantize/quantize_onnx.h"

#include <algorithm>

#include "catch.h"
#include "command/quantization_error.h"
#include "proto_bytes.h"

namespace quantize_onnx_test {

using namespace tenon;
using namespace tenon_test::onnx;

namespace {

using Names = std::vector<std::string>;

Result<QuantizableModel> read(const std::string& bytes, const Names& kept = {}) {
  return QuantizableModel::read({"net.onnx", {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}}, kept);
}

int times(const std::string& bytes, const std::string& word) {
  int n = 0;
  for (size_t at = bytes.find(word); at != std::string::npos; at = bytes.find(word, at + 1)) ++n;
  return n;
}

RealRanges ranges(const QuantizableModel& m) {
  RealRanges out;
  for (const std::string& v : m.values()) out[v] = {-1, 3};
  return out;
}

/// A convolution with normalisation and rectifier, a pool, a product.
std::string small_network(int64_t opset) {
  const std::vector<float> w(2 * 9, 0.5F), ones = {1, 1}, g(3 * 8, 0.25F);
  return model(
      {{node("Conv", {"x", "w"}, {"c"}, {}, "conv"), node("BatchNormalization", {"c", "s", "b", "m", "v"}, {"n"}),
        node("Relu", {"n"}, {"r"}), node("MaxPool", {"r"}, {"p"}, {ints_attr("kernel_shape", {2, 2})}),
        node("Flatten", {"p"}, {"f"}), node("Dropout", {"f"}, {"d", "mask"}),
        node("Gemm", {"d", "g"}, {"y"}, {int_attr("transB", 1)}, "gemm"), node("Softmax", {"y"}, {"z"})},
       {value("x", {1, 1, 5, 5})},
       {value("z", {1, 3})},
       {floats_tensor("w", {2, 1, 3, 3}, w), floats_tensor("s", {2}, ones), floats_tensor("b", {2}, ones),
        floats_tensor("m", {2}, ones), floats_tensor("v", {2}, ones), floats_tensor("g", {3, 8}, g)}},
      opset);
}

}  // namespace

TEST_CASE("quantize: values from the input of the first product to the last one get steps") {
  const auto m = read(small_network(9));
  INFO(m.diagnostics().text());
  REQUIRE(m);
  // Flatten and what was Dropout hand on the steps of the pool's input; the result of the last product stays in floats,
  // because Softmax reads floats.
  CHECK(m->values() == Names{"x", "r", "p", "f", "d"});
  const auto with = m->with_values();
  REQUIRE(with);
  CHECK(times(*with, "BatchNormalization") == 0);
  CHECK(times(*with, "Dropout") == 0);
  const auto made = m->quantized(ranges(*m));
  REQUIRE(made);
  CHECK((made->quantized == 2 && made->left == 0));
  CHECK(times(made->bytes, "DequantizeLinear") == 5 + 2 + 1);  // values, weights, the bias that was a normalisation
  CHECK(times(made->bytes, "QuantizeLinear") == 5);
  CHECK(times(made->bytes, "Flatten") == 2);  // that of the network, and that of Softmax before opset 13
}

TEST_CASE("quantize: nodes that are kept stay in floats, unknown ones are told") {
  const auto m = read(small_network(13), {"gemm", "nothing"});
  REQUIRE(m);
  CHECK(m->unknown() == Names{"nothing"});
  const auto made = m->quantized(ranges(*m));
  REQUIRE(made);
  CHECK((made->quantized == 1 && made->left == 1));
  CHECK(read(small_network(13), {"conv", "y"})->values().empty());
}

TEST_CASE("quantize: sums and joined parts in integers, activations before they are rounded") {
  const std::vector<float> w(4, 0.5F);
  const auto m =
      read(model({{node("Conv", {"x", "w"}, {"a"}), node("Conv", {"x", "w"}, {"b"}), node("Add", {"a", "b"}, {"s"}),
                   node("Relu", {"s"}, {"r"}), node("Concat", {"r", "a"}, {"j"}, {int_attr("axis", 1)}),
                   node("Conv", {"j", "k"}, {"y"})},
                  {value("x", {1, 2, 3, 3})},
                  {value("y", {1, 1, 3, 3})},
                  {floats_tensor("w", {2, 2, 1, 1}, w), floats_tensor("k", {1, 4, 1, 1}, w)}},
                 13));
  REQUIRE(m);
  CHECK(m->values() == Names{"x", "a", "b", "r", "j"});
}

TEST_CASE("quantize: weights behind nodes that move constants") {
  const std::vector<int64_t> shape = {4, 2};
  const auto m = read(model({{node("Reshape", {"w", "shape"}, {"v"}), node("Transpose", {"v"}, {"t"}),
                              node("Transpose", {"t"}, {"u"}), node("MatMul", {"x", "u"}, {"y"})},
                             {value("x", {1, 4})},
                             {value("y", {1, 2})},
                             {floats_tensor("w", {2, 4}, std::vector<float>(8, 1)), ints_tensor("shape", shape)}},
                            13));
  REQUIRE(m);
  CHECK(m->values() == Names{"x"});
}

TEST_CASE("quantize: older opsets than 7 are refused, and masks that are read") {
  using Catch::Matchers::Contains;
  CHECK_THAT(read(small_network(6)).diagnostics().text(), Contains("this one has 6") && Contains("[E0803]"));
  const auto masked = model(
      {{node("Dropout", {"x"}, {"y", "mask"})}, {value("x", {2})}, {value("y", {2}), value("mask", {2}, 9)}, {}}, 10);
  CHECK_THAT(read(masked).diagnostics().text(), Contains("its mask is read"));
}

TEST_CASE("quantize: histograms have ranges, of all elements or most of them") {
  ValueHistogram h;
  CHECK(h.range().high == 0);
  TensorData t{DType::F32, {1000}, std::vector<uint8_t>(4000)};
  for (int k = 0; k < 1000; ++k) {
    const float x = k == 999 ? 1000.0F : k == 998 ? NAN : static_cast<float>(k) / 1000;
    std::copy_n(reinterpret_cast<const uint8_t*>(&x), 4, &t.bytes[static_cast<size_t>(k) * 4]);
  }
  h.add(t);
  CHECK((h.range().low == 0 && h.range().high == 1000));
  CHECK(h.range_of(99).high < 1.5);
  CHECK(h.range_of(100).high == 1000);
}

TEST_CASE("quantize: rows are along the last axis of more than one element") {
  const std::vector<float> v = {1, 3, 2, 9, 8, 7};
  TensorData t{DType::F32, {2, 3, 1}, std::vector<uint8_t>(24)};
  std::copy_n(reinterpret_cast<const uint8_t*>(v.data()), 24, t.bytes.data());
  CHECK(largest_places(t) == std::vector<int64_t>{1, 0});
  QuantizationError e;
  e.add(t, t);
  CHECK(e.text() == "largest error 0, mean error 0, 0 % of the range; 2 of 2 rows have the same largest element");
}

}  // namespace quantize_onnx_test
