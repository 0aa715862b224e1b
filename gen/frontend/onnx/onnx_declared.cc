// Types that an ONNX file declares for values, compared with the types that follow from its nodes.
#include "frontend/onnx/onnx_declared.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/graph/size_arithmetic.h"
#include "frontend/onnx/onnx_tensor.h"

namespace tenon {
namespace {

using namespace tenon_onnx;

std::string declared_text(const TypeProto::Tensor& t) {
  const std::optional<DType> dtype = onnx_dtype(t.elem_type());
  const std::string element = dtype                ? std::string(name_of(*dtype))
                              : t.elem_type() == 0 ? "?"
                                                   : onnx_dtype_name(t.elem_type());
  if (!t.has_shape()) return element;
  std::string dims;
  for (const TensorShapeProto::Dimension& d : t.shape().dim())
    dims += (dims.empty() ? "" : ", ") + (d.has_dim_value()       ? fmt::to_string(d.dim_value())
                                          : d.dim_param().empty() ? "?"
                                                                  : d.dim_param());
  return fmt::format("{}[{}]", element, dims);
}

bool may_hold(const TypeProto::Tensor& t, const TensorType& value, const std::vector<GraphSize>& sizes) {
  if (t.elem_type() != 0 && onnx_dtype(t.elem_type()) != value.dtype) return false;
  if (!t.has_shape()) return true;
  const auto& dims = t.shape().dim();
  if (dims.empty()) return true;  // also what exporters write that do not know the rank
  if (!std::all_of(dims.begin(), dims.end(), [](const auto& d) { return d.has_dim_value() && d.dim_value() >= 0; }))
    return true;
  if (static_cast<size_t>(dims.size()) != value.dims.size()) return false;
  for (int i = 0; i < dims.size(); ++i) {
    const SizeBounds range = bounds_of(value.dims[static_cast<size_t>(i)], sizes);
    if (dims.Get(i).dim_value() < range.lo || dims.Get(i).dim_value() > range.hi) return false;
  }
  return true;
}

}  // namespace

void add_declared_types(const GraphProto& graph, DeclaredTypes& declared) {
  for (const auto* list : {&graph.input(), &graph.output(), &graph.value_info()})
    for (const ValueInfoProto& v : *list)
      if (v.type().value_case() == TypeProto::kTensorType) declared.emplace(v.name(), &v.type());
}

std::optional<std::string> contradiction(const DeclaredTypes& declared, const std::string& name,
                                         const TensorType& value, const std::vector<GraphSize>& sizes) {
  const auto [begin, end] = declared.equal_range(name);
  for (auto it = begin; it != end; ++it)
    if (!may_hold(it->second->tensor_type(), value, sizes))
      return fmt::format("the file declares '{}' as {}, but it is {}", name, declared_text(it->second->tensor_type()),
                         to_text(value));
  return std::nullopt;
}

}  // namespace tenon
