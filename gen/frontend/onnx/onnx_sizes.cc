// The extents that an ONNX model leaves open and the bounds that --size gives them.
#include "frontend/onnx/onnx_sizes.h"

#include <fmt/format.h>

namespace tenon {

using namespace tenon_onnx;

bool is_number(const TensorShapeProto::Dimension& dim) { return dim.has_dim_value() && dim.dim_value() >= 0; }

SizeRanges::const_iterator OpenSizes::find(const TensorShapeProto::Dimension& dim, const std::string& input, int axis,
                                           std::string& name) const {
  // Some exporters name all unknown extents "?": each is a separate size, and --size bounds them by their own names or
  // all at once.
  const bool unnamed = dim.dim_param().empty() || dim.dim_param() == "?";
  name = unnamed ? fmt::format("{}_d{}", input, axis) : dim.dim_param();
  const auto range = ranges_.find(name);
  return range == ranges_.end() && unnamed ? ranges_.find("?") : range;
}

bool OpenSizes::take(const TensorShapeProto& shape, const std::string& input, const std::vector<int64_t>& extents) {
  if (shape.dim_size() != std::ssize(extents)) return false;
  std::string name;
  for (int axis = 0; axis < shape.dim_size(); ++axis)
    if (const int64_t e = extents[static_cast<size_t>(axis)]; find(shape.dim(axis), input, axis, name) == ranges_.end())
      if (!is_number(shape.dim(axis))) ranges_.emplace(name, SizeRange{e, e});
  return true;
}

std::optional<SizeExpr> OpenSizes::extent(const TensorShapeProto::Dimension& dim, const std::string& input, int axis,
                                          GraphBuilder& builder, std::string& name) {
  const auto range = find(dim, input, axis, name);
  if (range == ranges_.end()) return std::nullopt;
  used_.insert(range->first);
  if (range->second.lo == range->second.hi) return SizeExpr(range->second.lo);
  const auto [entry, fresh] = names_.emplace(name, "");
  if (fresh) {
    entry->second = c_names_.fresh(name);
    builder.add_size({entry->second, range->second.lo, range->second.hi});
  }
  return size_name(entry->second);
}

std::optional<std::vector<SizeExpr>> OpenSizes::stated(const TensorShapeProto& shape) const {
  std::vector<SizeExpr> dims;
  for (const TensorShapeProto::Dimension& dim : shape.dim()) {
    const auto range = ranges_.find(dim.dim_param());
    const auto open = names_.find(dim.dim_param());
    if (is_number(dim)) dims.emplace_back(dim.dim_value());
    else if (open != names_.end()) dims.push_back(size_name(open->second));
    else if (dim.dim_param() != "?" && range != ranges_.end() && range->second.lo == range->second.hi)
      dims.emplace_back(range->second.lo);
    else return std::nullopt;
  }
  return dims;
}

std::map<std::string, SizeExpr> OpenSizes::known() const {
  std::map<std::string, SizeExpr> sizes;
  for (const auto& [name, c_name] : names_) sizes.emplace(name, size_name(c_name));
  for (const std::string& name : used_)
    if (const SizeRange range = ranges_.at(name); range.lo == range.hi) sizes.emplace(name, SizeExpr(range.lo));
  return sizes;
}

std::vector<std::string> OpenSizes::unused() const {
  std::vector<std::string> names;
  for (const auto& [name, range] : ranges_)
    if (!used_.count(name)) names.push_back(name);
  return names;
}

}  // namespace tenon
