// Finds the copy, and names it by what it does.
#include "lower/kernel/whole_copy.h"

#include <fmt/format.h>

#include "algebra/contraction_value.h"
#include "lower/nest/rename_nest.h"
#include "support/ranges.h"

namespace tenon {
namespace {

bool are_variables(const std::vector<Expr>& index, const std::vector<LoopVar>& loops) {
  return std::equal(index.begin(), index.end(), loops.begin(), loops.end(),
                    [](const Expr& e, const LoopVar& l) { return is_variable(e, l.name); });
}

/// One dimension if source and target have the same layout.
void flatten(std::vector<Expr>& dims, std::vector<Expr>& steps) {
  if (!same(steps, contiguous_strides(dims))) return;
  Expr all = dims[0];
  for (size_t d = 1; d < dims.size(); ++d) all = all * dims[d];
  dims = {all};
  steps = {constant_int(1)};
}

}  // namespace

std::optional<WholeCopy> whole_copy(const Kernel& part) {
  if (part.body.size() != 1 || part.call) return std::nullopt;
  const KernelStatement& s = part.body[0];
  const auto* read = std::get_if<Read>(&s.value->node);
  if (s.update != Update::Assign || !read || read->fill || s.loops.empty() || !are_variables(s.index, s.loops) ||
      !are_variables(read->index, s.loops))
    return std::nullopt;
  const Tensor &x = part.tensors[static_cast<size_t>(read->tensor)], &y = part.tensors[static_cast<size_t>(s.target)];
  if (x.shared || y.shared || x.dtype != y.dtype || !same(x.dims, y.dims) ||
      !same(y.strides, contiguous_strides(y.dims)))
    return std::nullopt;
  std::vector<Expr> dims = y.dims, steps = x.strides;
  if (all_of(dims, [](const Expr& e) { return constant_value(e).has_value(); })) return std::nullopt;
  flatten(dims, steps);

  WholeCopy out{{}, {}, read->tensor, s.target};
  ValueScope scope;
  scope.kernel = &part;
  const auto size = [&](const char* letter, size_t d, const Expr& value, int64_t lo) -> Expr {
    if (constant_value(value)) return value;
    const auto operand = lower_value(value, scope);
    if (!operand) return nullptr;
    out.kernel.sizes.push_back({fmt::format("{}{}", letter, d), lo, INT64_MAX});
    out.sizes.push_back(*operand);
    return size_ref(out.kernel.sizes.back().name);
  };
  Tensor from{"X", Role::Input, x.dtype, {}, {}}, to{"Y", Role::Output, x.dtype, {}, {}};
  KernelStatement copy;
  for (size_t d = 0; d < dims.size(); ++d) {
    from.dims.push_back(size("n", d, dims[d], 0));
    from.strides.push_back(size("s", d, steps[d], INT64_MIN));
    if (!from.dims.back() || !from.strides.back()) return std::nullopt;
    copy.loops.push_back({fmt::format("i{}", d), from.dims.back()});
    copy.index.push_back(var_ref(copy.loops.back().name));
  }
  to.dims = from.dims;
  to.strides = contiguous_strides(to.dims);
  copy.target = 1;
  copy.value = read_of(0, from.dtype, copy.index);
  out.kernel.name = fmt::format("copy_{}d_{}", dims.size(), name_of(from.dtype));
  out.kernel.tensors = {std::move(from), std::move(to)};
  out.kernel.body = {std::move(copy)};
  return out;
}

InnerFunction copy_function(const WholeCopy& copy, const std::vector<Buffer>& buffers, const Block& body) {
  InnerFunction out;
  out.name = copy.kernel.name;
  out.comment = "Copies X, which may be strided, to Y, which is contiguous.";
  out.common = true;
  NestRenaming by;
  for (const Buffer& b : buffers) {  // pointers of the function, of no kernel's tensors
    by.buffers.push_back(static_cast<int>(out.buffers.size()));
    out.buffers.push_back({b.name, b.dtype, Storage::Workspace, -1, nullptr, b.writable});
  }
  for (const Size& s : copy.kernel.sizes) {
    out.params.push_back(s.name);
    by.sizes[s.name] = v_var(s.name);
  }
  out.body = renamed(body, by);
  return out;
}

Stmt copy_call(const WholeCopy& copy, int function) {
  return {SCall{function, {{copy.from, v_int(0)}, {copy.to, v_int(0)}}, copy.sizes}};
}

}  // namespace tenon
