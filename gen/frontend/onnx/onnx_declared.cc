// Types that an ONNX file declares for values, compared with the types that follow from its nodes.
#include "frontend/onnx/onnx_declared.h"

#include <fmt/format.h>

#include "frontend/onnx/onnx_tensor.h"
#include "ir/graph/size_bounds.h"
#include "support/ranges.h"

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

bool may_have_type(const TypeProto::Tensor& t, DType dtype) {
  return t.elem_type() == 0 || onnx_dtype(t.elem_type()) == dtype;
}

bool may_have_shape(const TypeProto::Tensor& t, const TensorType& value, const std::vector<GraphSize>& sizes) {
  if (!t.has_shape()) return true;
  const auto& dims = t.shape().dim();
  if (dims.empty()) return true;  // also what exporters write that do not know the rank
  if (!all_of(dims, [](const auto& d) { return d.has_dim_value() && d.dim_value() >= 0; })) return true;
  if (static_cast<size_t>(dims.size()) != value.dims.size()) return false;
  for (int i = 0; i < dims.size(); ++i) {
    const Interval range = bounds_of(value.dims[static_cast<size_t>(i)], sizes);
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

std::optional<Contradiction> contradiction(const DeclaredTypes& declared, const std::string& name,
                                           const TensorType& value, const std::vector<GraphSize>& sizes) {
  std::optional<Contradiction> found;
  const auto [begin, end] = declared.equal_range(name);
  for (auto it = begin; it != end; ++it) {
    const TypeProto::Tensor& t = it->second->tensor_type();
    const bool type = may_have_type(t, value.dtype);
    if (type && may_have_shape(t, value, sizes)) continue;
    if (!found || !type)
      found = Contradiction{
          fmt::format("the file declares '{}' as {}, but it is {}", name, declared_text(t), to_text(value)), type};
    if (!type) break;
  }
  return found;
}

void StaleDeclarations::add(const std::string& where, const std::string& value, const std::string& text) {
  if (contains(values_, value)) return;
  if (values_.empty()) {
    where_ = where;
    text_ = text;
  }
  values_.push_back(value);
}

void StaleDeclarations::report(const std::string& file, Diagnostics& diagnostics) const {
  constexpr size_t kNamed = 8;
  if (values_.empty()) return;
  std::vector<std::string> notes;
  if (values_.size() > 1) {
    std::string others;
    for (size_t i = 1; i < std::min(values_.size(), kNamed); ++i)
      others += fmt::format("{}'{}'", i == 1 ? "" : ", ", values_[i]);
    if (values_.size() > kNamed) others += fmt::format(" and {} more", values_.size() - kNamed);
    notes.push_back("so are the shapes that the file declares for " + others);
  }
  notes.emplace_back(kRenewDeclarations);
  diagnostics.warning_at(Code::E0810, file + ": " + where_, text_ + "; the shape that the operators imply is used",
                         std::move(notes));
}

}  // namespace tenon
