// A small library of ops for the tests of the frontends: signatures, result types, and values of a few movement ops. It
// says what the definitions say, so that the frontends are tested without the stages that read definitions.
#pragma once

#include <algorithm>
#include <map>

#include "frontend/graph/op_semantics.h"

namespace tenon_test {

using namespace tenon;

namespace small_library {

using Kind = AttrSignature::Kind;
using Inputs = std::vector<std::optional<TensorType>>;

inline AttrSignature attr(std::string name, Kind kind, bool list = false) {
  return {std::move(name), kind, list, false, {}};
}
inline AttrSignature needed(AttrSignature a) { return a.required = true, a; }

inline std::map<std::string, OpSignature> signatures() {
  const InputSignature x{"X"}, w{"W"}, opt_b{"B", true}, opt_c{"C", true}, many{"X", false, true};
  std::map<std::string, OpSignature> s;
  for (const char* op : {"relu", "exp", "erf", "gelu", "sigmoid", "tanh", "neg", "identity", "sqrt"})
    s[op] = {{x}, {"Y"}, {}};
  for (const char* op : {"add", "sub", "mul", "div", "maximum", "minimum"}) s[op] = {{{"A"}, {"B"}}, {"Y"}, {}};
  s["gemm"] = {{{"A"}, {"B"}, opt_c},
               {"Y"},
               {attr("transA", Kind::boolean), attr("transB", Kind::boolean), attr("alpha", Kind::element),
                attr("beta", Kind::element)}};
  s["matmul"] = {{{"A"}, {"B"}}, {"Y"}, {}};
  s["conv2d"] = {{x, {"F"}, opt_b},
                 {"Y"},
                 {attr("stride", Kind::integer, true), attr("pads", Kind::integer, true),
                  attr("dilation", Kind::integer, true), attr("groups", Kind::integer)}};
  const std::vector<AttrSignature> window = {needed(attr("kernel", Kind::integer, true)),
                                             attr("stride", Kind::integer, true), attr("pads", Kind::integer, true),
                                             attr("dilation", Kind::integer, true), attr("ceil", Kind::boolean)};
  s["maxpool2d"] = s["avgpool2d"] = {{x}, {"Y"}, window};
  s["avgpool2d"].attrs.push_back(attr("count_include_pad", Kind::boolean));
  s["softmax"] = s["log_softmax"] = {{x}, {"Y"}, {attr("axis", Kind::integer)}};
  s["layernorm"] = {{x, {"G"}, opt_b}, {"Y"}, {attr("axis", Kind::integer), attr("eps", Kind::real)}};
  s["batch_norm"] = {{x, {"scale"}, {"B"}, {"mean"}, {"var"}}, {"Y"}, {attr("eps", Kind::real)}};
  s["batch_norm_training"] = s["batch_norm"];
  s["batch_norm_training"].outputs.insert(s["batch_norm_training"].outputs.end(), {"mean_next", "var_next"});
  s["batch_norm_training"].attrs.push_back(attr("momentum", Kind::real));
  s["sum"] = s["mean"] = {{x}, {"Y"}, {needed(attr("axes", Kind::integer, true)), attr("keepdims", Kind::boolean)}};
  s["global_avgpool"] = {{x}, {"Y"}, {}};
  s["transpose"] = {{x}, {"Y"}, {needed(attr("perm", Kind::integer, true))}};
  s["reshape"] = {{x}, {"Y"}, {needed(attr("shape", Kind::integer, true))}};
  s["concat"] = {{many}, {"Y"}, {attr("axis", Kind::integer)}};
  s["slice"] = {
      {x},
      {"Y"},
      {attr("begin", Kind::integer, true), attr("step", Kind::integer, true), attr("size", Kind::integer, true)}};
  s["gather"] = {{x, {"I"}}, {"Y"}, {attr("axis", Kind::integer)}};
  s["clip"] = {{x}, {"Y"}, {attr("lo", Kind::element), attr("hi", Kind::element)}};
  s["full"] = {
      {}, {"Y"}, {attr("shape", Kind::integer, true), attr("value", Kind::element), attr("dtype", Kind::dtype)}};
  s["halves"] = {{x}, {"L", "R"}, {}};
  return s;
}

inline std::vector<SizeExpr> sizes_of(const Attributes& attrs, const std::string& name,
                                      std::vector<SizeExpr> otherwise) {
  const auto it = attrs.find(name);
  if (it == attrs.end()) return otherwise;
  std::vector<SizeExpr> out;
  if (const auto* v = std::get_if<std::vector<SizeExpr>>(&it->second)) out = *v;
  if (const auto* plain = std::get_if<std::vector<int64_t>>(&it->second)) out.assign(plain->begin(), plain->end());
  return out.size() == otherwise.size() || otherwise.empty() ? out : otherwise;  // files may say anything
}

inline int64_t number(const Attributes& attrs, const std::string& name, int64_t otherwise) {
  const auto it = attrs.find(name);
  const auto* v = it == attrs.end() ? nullptr : std::get_if<int64_t>(&it->second);
  return v ? *v : otherwise;
}

inline bool flag(const Attributes& attrs, const std::string& name) {
  const auto it = attrs.find(name);
  const auto* v = it == attrs.end() ? nullptr : std::get_if<bool>(&it->second);
  return v && *v;
}

inline DType dtype_of(const Attributes& attrs) {
  const auto it = attrs.find("dtype");
  const auto* v = it == attrs.end() ? nullptr : std::get_if<DType>(&it->second);
  return v ? *v : DType::F32;
}

inline InferredTypes broadcast(const TensorType& a, const TensorType& b) {
  if (a.dtype != b.dtype) return {{}, "the dtypes differ"};
  TensorType y{a.dtype, std::vector<SizeExpr>(std::max(a.dims.size(), b.dims.size()))};
  for (size_t i = 0; i < y.dims.size(); ++i) {
    const SizeExpr p = i < a.dims.size() ? a.dims[a.dims.size() - 1 - i] : 1,
                   q = i < b.dims.size() ? b.dims[b.dims.size() - 1 - i] : 1;
    if (!p.is(1) && !q.is(1) && !(p == q))
      return {{}, "the extents " + to_text(p) + " and " + to_text(q) + " do not go together"};
    y.dims[y.dims.size() - 1 - i] = p.is(1) ? q : p;
  }
  return {{y}, ""};
}

inline InferredTypes window(const TensorType& x, const SizeExpr& channels, const std::vector<SizeExpr>& kernel,
                            const Attributes& a) {
  if (x.dims.size() != 4 || kernel.size() != 2) return {{}, "X has rank " + std::to_string(x.dims.size()) + ", not 4"};
  const auto stride = sizes_of(a, "stride", {1, 1}), pads = sizes_of(a, "pads", {0, 0, 0, 0}),
             dilation = sizes_of(a, "dilation", {1, 1});
  TensorType y{x.dtype, {x.dims[0], channels}};
  for (size_t i = 0; i < 2; ++i) {
    if (stride[i].is(0)) return {{}, "the stride is 0"};
    SizeExpr room = x.dims[2 + i] + pads[i] + pads[2 + i] - dilation[i] * (kernel[i] - 1) - 1;
    if (flag(a, "ceil")) room = room + stride[i] - 1;
    y.dims.push_back(floor_div(room, stride[i]) + 1);
  }
  return {{y}, ""};
}

inline InferredTypes gemm(const Inputs& in, const Attributes& a) {
  const auto& p = in[0]->dims;
  const auto& q = in[1]->dims;
  if (p.size() != 2 || q.size() != 2) return {{}, "A and B are matrices"};
  const bool ta = flag(a, "transA"), tb = flag(a, "transB");
  if (!(p[ta ? 0 : 1] == q[tb ? 1 : 0]))
    return {{}, "K is " + to_text(p[ta ? 0 : 1]) + " in A and " + to_text(q[tb ? 1 : 0]) + " in B"};
  return {{{in[0]->dtype, {p[ta ? 1 : 0], q[tb ? 0 : 1]}}}, ""};
}

inline InferredTypes without_axes(TensorType x, const Attributes& a) {
  TensorType y{x.dtype, {}};
  const auto axes = sizes_of(a, "axes", {});
  for (size_t i = 0; i < x.dims.size(); ++i) {
    if (std::find(axes.begin(), axes.end(), SizeExpr(static_cast<int64_t>(i))) == axes.end())
      y.dims.push_back(x.dims[i]);
    else if (flag(a, "keepdims")) y.dims.push_back(1);
  }
  return {{y}, ""};
}

inline InferredTypes moved(const std::string& op, const Inputs& in, const Attributes& a) {
  TensorType y = *in[0];
  if (op == "reshape") {
    y.dims = sizes_of(a, "shape", {});
    if (!(product(y.dims) == product(in[0]->dims))) return {{}, "the shapes have different numbers of elements"};
  } else if (op == "transpose") {
    const auto perm = sizes_of(a, "perm", {});
    if (perm.size() != y.dims.size()) return {{}, "perm has another length than X has dimensions"};
    for (size_t i = 0; i < perm.size(); ++i)
      y.dims[i] = in[0]->dims.at(static_cast<size_t>(perm[i].value) % perm.size());
  } else if (op == "slice") {
    y.dims = sizes_of(a, "size", {});
  } else if (op == "concat") {
    const size_t axis = static_cast<size_t>(number(a, "axis", 0));
    if (axis >= y.dims.size()) return {{}, "there is no such axis"};
    for (size_t k = 1; k < in.size(); ++k) {
      if (in[k]->dims.size() != y.dims.size()) return {{}, "the ranks differ"};
      y.dims[axis] = y.dims[axis] + in[k]->dims[axis];
    }
  } else {
    if (in[1]->dtype != DType::I64 && in[1]->dtype != DType::I32) return {{}, "the indices are not integers"};
    const size_t axis = static_cast<size_t>(number(a, "axis", 0));
    if (axis >= y.dims.size()) return {{}, "there is no such axis"};
    y.dims.erase(y.dims.begin() + static_cast<ptrdiff_t>(axis));
    y.dims.insert(y.dims.begin() + static_cast<ptrdiff_t>(axis), in[1]->dims.begin(), in[1]->dims.end());
  }
  return {{y}, ""};
}

inline InferredTypes infer(const std::string& op, const Inputs& in, const Attributes& a, size_t) {
  if (op == "full") return {{{dtype_of(a), sizes_of(a, "shape", {})}}, ""};
  if (op == "halves") {
    TensorType half = *in[0];
    if (half.dims.empty()) return {{}, "X has rank 0"};
    half.dims[0] = floor_div(half.dims[0], 2);
    return {{half, half}, ""};
  }
  if (op == "gemm") return gemm(in, a);
  if (op == "matmul") {
    TensorType y = *in[0];
    if (y.dims.empty() || in[1]->dims.empty()) return {{}, "A and B have at least rank 2"};
    y.dims.back() = in[1]->dims.back();
    return {{y}, ""};
  }
  if (op == "conv2d") {
    const auto& f = in[1]->dims;
    return f.size() == 4 ? window(*in[0], f[0], {f[2], f[3]}, a)
                         : InferredTypes{{}, "F has rank " + std::to_string(f.size()) + ", not 4"};
  }
  if (op == "maxpool2d" || op == "avgpool2d")
    return window(*in[0], in[0]->dims.size() > 1 ? in[0]->dims[1] : 1, sizes_of(a, "kernel", {}), a);
  if (op == "sum" || op == "mean") return without_axes(*in[0], a);
  if (op == "reshape" || op == "transpose" || op == "slice" || op == "concat" || op == "gather")
    return moved(op, in, a);
  if (in.size() == 2 && in[0] && in[1] && op != "layernorm") return broadcast(*in[0], *in[1]);
  return {{*in[0]}, ""};
}

inline ComputedTensors evaluate(const std::string& op, const std::vector<const TensorData*>& in, const Attributes& a,
                                size_t) {
  if (op == "full") {
    const auto shape = sizes_of(a, "shape", {});
    TensorData y{dtype_of(a), {}, {}};
    for (const SizeExpr& d : shape) y.dims.push_back(d.value);
    if (element_count(y.dims) < 0 || element_count(y.dims) > 1 << 20) return {{}, "the tensor is too large"};
    y.bytes.resize(static_cast<size_t>(element_count(y.dims) * bytes_of(y.dtype)));
    return {{y}, ""};
  }
  TensorData y = *in[0];
  const size_t width = static_cast<size_t>(bytes_of(y.dtype));
  if (op == "reshape") {
    y.dims.clear();
    for (const SizeExpr& d : sizes_of(a, "shape", {})) y.dims.push_back(d.value);
    return {{y}, ""};
  }
  if (op == "concat") {
    for (size_t k = 1; k < in.size(); ++k) y.bytes.insert(y.bytes.end(), in[k]->bytes.begin(), in[k]->bytes.end());
    y.dims = {static_cast<int64_t>(y.bytes.size() / width)};
    return {{y}, ""};
  }
  if ((op == "gather" && in[0]->dims.size() == 1) || (op == "slice" && in[0]->dims.size() == 1)) {
    std::vector<int64_t> from;
    if (op == "gather")
      for (int64_t i = 0; i < element_count(in[1]->dims); ++i) from.push_back(int_element(*in[1], i));
    else {
      const int64_t size = sizes_of(a, "size", {0})[0].value, begin = sizes_of(a, "begin", {0})[0].value;
      if (begin < 0 || begin > in[0]->dims[0] || size > in[0]->dims[0]) return {{}, "the slice is outside of X"};
      for (int64_t i = 0; i < size; ++i) from.push_back(begin + i);
    }
    y.dims = op == "gather" ? in[1]->dims : std::vector<int64_t>{static_cast<int64_t>(from.size())};
    y.bytes.clear();
    for (int64_t i : from) {
      if (i < 0) i += in[0]->dims[0];
      if (i < 0 || i >= in[0]->dims[0]) return {{}, "index " + std::to_string(i) + " is outside of X"};
      y.bytes.insert(y.bytes.end(), in[0]->bytes.begin() + i * static_cast<int64_t>(width),
                     in[0]->bytes.begin() + (i + 1) * static_cast<int64_t>(width));
    }
    return {{y}, ""};
  }
  return {};
}

}  // namespace small_library

/// The library. Its signatures live as long as the program.
inline OpSemantics small_semantics() {
  static const std::map<std::string, OpSignature> signatures = small_library::signatures();
  OpSemantics s;
  s.find = [](const std::string& op) -> const OpSignature* {
    const auto it = signatures.find(op);
    return it == signatures.end() ? nullptr : &it->second;
  };
  s.infer = small_library::infer;
  s.evaluate = small_library::evaluate;
  s.names = [] {
    std::vector<std::string> names;
    for (const auto& [name, signature] : signatures) names.push_back(name);
    return names;
  };
  return s;
}

}  // namespace tenon_test
