// Split dims as one index and back: (g m) of extents G and M is g*M + m.
#include "library/stored_view.h"

#include <fmt/format.h>

#include "algebra/simplify.h"
#include "support/ranges.h"

namespace tenon {
namespace {

size_t stored_rank(const StoredDims& dims) {
  return dims.empty() ? 0 : static_cast<size_t>(*std::max_element(dims.begin(), dims.end())) + 1;
}

/// Extents or indices of the stored dims, from those of the logical ones.
std::vector<Expr> joined(const std::vector<Expr>& extents, const StoredDims& dims, const std::vector<Expr>* index) {
  std::vector<Expr> out(stored_rank(dims));
  for (size_t k = 0; k < dims.size(); ++k) {
    Expr& e = out[static_cast<size_t>(dims[k])];
    if (index) e = e ? e * extents[k] + (*index)[k] : (*index)[k];
    else e = e ? e * extents[k] : extents[k];
  }
  for (Expr& e : out) e = simplify(e);
  return out;
}

/// Indices of the logical dims, from those of the stored ones.
std::vector<Expr> split(const std::vector<Expr>& extents, const StoredDims& dims, const std::vector<Expr>& stored) {
  std::vector<Expr> out;
  for (size_t k = 0; k < dims.size(); ++k) {
    Expr inner = constant_int(1);  // elements of the stored dim per step of this part
    for (size_t j = k + 1; j < dims.size(); ++j)
      if (dims[j] == dims[k]) inner = inner * extents[j];
    const bool outermost = std::find(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(k), dims[k]) ==
                           dims.begin() + static_cast<std::ptrdiff_t>(k);
    const Expr& at = stored[static_cast<size_t>(dims[k])];
    const Expr from = is_one(inner) ? at : apply(ScalarOp::FloorDiv, {at, simplify(inner)});
    out.push_back(outermost ? from : apply(ScalarOp::Mod, {from, extents[k]}));
  }
  return out;
}

/// Where the parts of entries that are split are one dim each.
template <class IsSplit>
StoredDims joined_entries(const BoundTensor& t, const IsSplit& is_split) {
  StoredDims dims;
  int at = 0;
  for (size_t i = 0; i < t.entries.size(); ++i) {
    for (size_t k = 0; k < t.entries[i].size(); ++k) dims.push_back(is_split(i) ? at : at++);
    if (is_split(i)) ++at;
  }
  return dims;
}

}  // namespace

StoredDims joined_dims(const BoundTensor& t, const TensorDef& def) {
  return joined_entries(t, [&](size_t i) { return i < def.dims.size() && def.dims[i].kind == DimKind::split; });
}

StoredDims joined_dims(const BoundTensor& t, const std::vector<Syntax>& subs) {
  return joined_entries(t, [&](size_t i) { return i < subs.size() && subs[i].is(SyntaxKind::group); });
}

std::vector<Expr> stored_extents(const std::vector<Expr>& extents, const StoredDims& dims) {
  return joined(extents, dims, nullptr);
}

bool is_plain(const StoredDims& dims) {
  for (size_t k = 0; k < dims.size(); ++k)
    if (dims[k] != static_cast<int>(k)) return false;
  return true;
}

BoundTensor stored_view(Kernel& kernel, const BoundTensor& t, const StoredDims& dims) {
  const Tensor& from = kernel.tensor(t.tensor);
  Tensor view{from.name + "_stored", Role::Temp, from.dtype, joined(from.dims, dims, nullptr), {}};
  const std::string name = view.name;
  const auto taken = [&](const Tensor& o) { return o.name == view.name; };
  for (int n = 1; any_of(kernel.tensors, taken); ++n) view.name = fmt::format("{}_{}", name, n);
  view.strides = contiguous_strides(view.dims);
  BoundTensor out;
  out.flexible = t.flexible;
  StoredDims plain;
  for (const Expr& e : view.dims) {
    plain.push_back(static_cast<int>(plain.size()));
    out.entries.push_back({e});
  }
  out.tensor = kernel.add(std::move(view));
  copy_stored(kernel, out, plain, t, dims);
  return out;
}

void copy_stored(Kernel& kernel, const BoundTensor& target, const StoredDims& target_dims, const BoundTensor& from,
                 const StoredDims& from_dims) {
  KernelStatement s;
  s.target = target.tensor;
  const Tensor& to = kernel.tensor(target.tensor);
  const Tensor& source = kernel.tensor(from.tensor);
  for (size_t k = 0; k < to.dims.size(); ++k) {
    s.loops.push_back({fmt::format("v{}", k), to.dims[k]});
    s.index.push_back(var_ref(s.loops.back().name));
  }
  const std::vector<Expr> stored = joined(to.dims, target_dims, &s.index);
  const Expr read = read_of(from.tensor, source.dtype, split(source.dims, from_dims, stored));
  s.value = cast_to(cast_to(read, dtype_row(source.dtype).compute), to.dtype);
  s.formula = to.name + " = " + source.name;
  kernel.body.push_back(std::move(s));
}

}  // namespace tenon
