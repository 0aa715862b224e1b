// The special cases of windows: values of sizes and attributes, and the kernel for each case.

#include <functional>

#include "algebra/known_values.h"
#include "algebra/linear.h"
#include "algebra/pair_depth.h"
#include "algebra/simplify.h"
#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/variants.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The assumptions of a case: values substituted for sizes and attributes, and the condition that they hold.
class Case {
 public:
  explicit Case(const Kernel& k) : k_(k) {}

  /// `value` is `number`; false where it never is, or is neither a number nor a size or an attribute of its own.
  bool is(const Expr& value, int64_t number) { return is(value, constant_int(number)); }

  bool is(const Expr& value, const Expr& other) {
    if (same(value, other)) return true;
    if (constant_value(value)) return false;
    if (!std::holds_alternative<SizeRef>(value->node) && !std::holds_alternative<AttrRef>(value->node)) return false;
    for (const auto& [known, becomes] : known_)
      if (same(known, value)) return same(becomes, other);
    known_.emplace_back(value, other);
    holds_ = both(holds_, apply(ScalarOp::Eq, {value, other}));
    return true;
  }

  /// Every term of the sum is 0.
  bool is_zero(const Expr& sum) {
    const LinearForm form = linear_form(sum);
    return form.constant == 0 && all_of(form.terms, [&](const auto& t) { return is(t.first, 0); });
  }

  /// `low` < `high`, which is no value for the kernel.
  void is_below(const Expr& low, const Expr& high) { holds_ = both(holds_, apply(ScalarOp::Lt, {low, high})); }

  WindowCase result() const { return {holds_, simplify_kernel(with_known(k_, known_))}; }

 private:
  const Kernel& k_;
  KnownValues known_;
  Expr holds_;
};

/// The indices of `read` that walk one of the rows' variables.
struct SlidingIndex {
  size_t dim;
  LoopVar along;
  AffineIn form;
};

std::vector<SlidingIndex> sliding(const Contraction& c, const Read& read) {
  std::vector<SlidingIndex> out;
  for (size_t d = 0; d < read.index.size(); ++d)
    for (const LoopVar& v : c.rows)
      if (const auto a = affine_in(read.index[d], v.name); a && !same(a->coefficient, constant_int(0)))
        out.push_back({d, v, *a});
  return out;
}

/// Whether weights of one filter are no line, as in a gradient of its input: a stencil walks them as one if no other
/// filter is between.
bool weights_pass_filters(const Kernel& k, const Contraction& c, const std::string& filters) {
  const Read* weights = plain_read(c.right);
  for (size_t d = 0; weights && d < weights->index.size(); ++d)
    if (mentions_size(k.tensor(weights->tensor).strides[d], filters) &&
        any_of(c.depth, [&](const LoopVar& v) { return mentions(weights->index[d], v.name); }))
      return true;
  return false;
}

/// Few filters, for which pixels in a line are `step` apart: vectors go along the pixels, for one filter after the
/// other.
std::optional<WindowCase> few_filters(const Kernel& k, const Contraction& c, const Read& read, int64_t step) {
  Case few(k);
  const auto* filters = c.columns.size() == 1 ? std::get_if<SizeRef>(&c.columns[0].extent->node) : nullptr;
  bool along = false;
  for (const SlidingIndex& s : sliding(c, read)) {
    if (s.along.name != c.rows.back().name) continue;
    if (!few.is(s.form.coefficient, step)) return std::nullopt;
    along = true;
  }
  if (!filters || !along) return std::nullopt;
  WindowCase out = few.result();
  out.what = "few filters: vectors of pixels along a line";
  const int64_t most = weights_pass_filters(k, c, filters->name) ? 1 : kFewFilters;
  out.holds = both(apply(ScalarOp::Le, {c.columns[0].extent, constant_int(most)}), out.holds);
  for (Size& s : out.kernel.sizes)
    if (s.name == filters->name) s.hi = std::min(s.hi, most);
  for (Tensor& t : out.kernel.tensors)
    for (Expr& stride : t.strides)
      if (most == 1) stride = simplify(with_known(stride, {{c.columns[0].extent, constant_int(1)}}));
  const auto found = find_contraction(out.kernel);
  return found && found->is_stencil() ? std::optional(std::move(out)) : std::nullopt;
}

/// Assumes windows of one element, `step` apart, without padding; false where that is never so.
bool has_one_element(const Contraction& c, const std::vector<SlidingIndex>& walks, int64_t step, Case& one) {
  for (const SlidingIndex& s : walks) {
    Expr rest = s.form.rest;
    for (const LoopVar& v : c.depth) {
      if (!mentions(rest, v.name)) continue;
      if (!one.is(v.extent, 1)) return false;
      rest = substitute(rest, {{v.name, constant_int(0)}});
    }
    if (!one.is(s.form.coefficient, step) || !one.is_zero(simplify(rest))) return false;
  }
  return !walks.empty();
}

/// Windows of one element, without padding: a product of matrices.
std::optional<WindowCase> one_element(const Kernel& k, const Contraction& c, const Read& read) {
  Case one(k);
  const std::vector<SlidingIndex> walks = sliding(c, read);
  if (!has_one_element(c, walks, 1, one)) return std::nullopt;
  for (const SlidingIndex& s : walks)
    if (!one.is(s.along.extent, k.tensor(read.tensor).dims[s.dim])) return std::nullopt;
  WindowCase out = one.result();
  out.what = "windows of one element without padding: a product of matrices";
  const auto found = find_contraction(out.kernel);
  return out.holds && found && !found->transposed ? std::optional(std::move(out)) : std::nullopt;
}

/// Replaces `read`, which is in range, by that of a temp that the kernel makes first: its elements side by side.
void copy_first(Kernel& k, const Read& read, const std::vector<SlidingIndex>& walks) {
  const Tensor source = k.tensor(read.tensor);
  KernelStatement copy;
  std::vector<Expr> index = read.index, dims = source.dims;
  for (const SlidingIndex& w : walks) {
    index[w.dim] = var_ref(w.along.name);
    dims[w.dim] = w.along.extent;
  }
  for (size_t d = 0; d < dims.size(); ++d) copy.loops.push_back({std::get<VarRef>(index[d]->node).name, dims[d]});
  copy.target = add_temp(k, "taken", source.dtype, dims);
  copy.index = index;
  copy.value = read_of(read.tensor, source.dtype, read.index);
  const Expr taken = read_of(copy.target, source.dtype, index);
  const Expr whole = read_of(read.tensor, source.dtype, read.index, read.fill);
  const std::function<Expr(const Expr&)> replaced = [&](const Expr& e) -> Expr {
    return same(e, whole) ? taken : map_children(e, replaced);
  };
  k.body[0].value = replaced(k.body[0].value);
  k.body.insert(k.body.begin(), std::move(copy));
}

/// Whether a read goes over all elements of the dimensions that no window slides along, and over nothing else.
bool reads_whole(const Kernel& k, const Contraction& c, const Read& read, const std::vector<SlidingIndex>& walks) {
  std::vector<LoopVar> loops = c.statement->loops;
  loops.insert(loops.end(), c.depth.begin(), c.depth.end());
  for (size_t d = 0; d < read.index.size(); ++d) {
    if (any_of(walks, [&](const SlidingIndex& w) { return w.dim == d; })) continue;
    const Expr& extent = k.tensor(read.tensor).dims[d];
    const auto over = [&](const LoopVar& v) { return is_variable(read.index[d], v.name) && same(v.extent, extent); };
    if (none_of(loops, over)) return false;
  }
  return true;
}

/// The step of windows of one element that a library copies.
constexpr int64_t kCopiedStep = 2;

/// Bytes minus zero points: if these are 0, the products are of the bytes themselves, several of which a level
/// multiplies at once.
std::optional<WindowCase> without_zero_points(const Kernel& k, const Contraction& c) {
  Case zero(k);
  for (const Expr& side : {c.left, c.right}) {
    const auto* less = std::get_if<Apply>(&side->node);
    if (!less || less->op != ScalarOp::Sub) continue;
    const auto* converted = std::get_if<Apply>(&less->args[1]->node);
    if (!zero.is(converted && converted->op == ScalarOp::Cast ? converted->args[0] : less->args[1], 0)) return {};
  }
  WindowCase out = zero.result();
  out.what = "zero points of 0: products of the bytes themselves";
  const auto found = out.holds ? find_contraction(out.kernel) : std::nullopt;
  return found && byte_read(found->left) && byte_read(found->right) ? std::optional(std::move(out)) : std::nullopt;
}

/// The one read of the pixels under windows; null where there is none.
const Read* windows_of(const Contraction& c) {
  const Read* read = c.transposed && !c.is_stencil() ? plain_read(c.left) : nullptr;
  // integers have many types, and convolutions of them are rare
  return read && read->fill && !c.rows.empty() && is_float(c.result) ? read : nullptr;
}

}  // namespace

std::optional<WindowCase> copied_elements(const Kernel& k) {
  const auto c = k.body.size() == 1 ? find_contraction(k) : std::nullopt;
  const Read* read = c ? windows_of(*c) : nullptr;
  if (!read) return std::nullopt;
  Case one(k);
  std::vector<SlidingIndex> walks = sliding(*c, *read);
  if (!has_one_element(*c, walks, kCopiedStep, one)) return std::nullopt;
  for (const SlidingIndex& w : walks)
    one.is_below((w.along.extent - constant_int(1)) * constant_int(kCopiedStep), k.tensor(read->tensor).dims[w.dim]);
  WindowCase out = one.result();
  const auto single = find_contraction(out.kernel);
  const Read* elements = single ? plain_read(single->left) : nullptr;
  if (!elements) return std::nullopt;
  walks = sliding(*single, *elements);
  if (!reads_whole(out.kernel, *single, *elements, walks)) return std::nullopt;
  copy_first(out.kernel, *elements, walks);
  out.what = "windows of one element, 2 apart: a product of matrices, one of them a copy";
  return out;
}

std::vector<WindowCase> window_cases(const Kernel& k, const Contraction& c) {
  std::vector<WindowCase> out;
  if (c.result == DType::I32)
    if (auto zero = without_zero_points(k, c)) out.push_back(std::move(*zero));
  const Read* read = windows_of(c);
  if (!read) return out;
  if (auto one = one_element(k, c, *read)) out.push_back(std::move(*one));
  for (const int64_t step : {1, 2})
    if (auto few = few_filters(k, c, *read, step)) out.push_back(std::move(*few));
  return out;
}

}  // namespace tenon
