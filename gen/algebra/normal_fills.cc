// Proves from loop extents that indices are inside their tensors, and finds conditions that state it.
#include "algebra/normal_fills.h"

#include <optional>

#include "algebra/contraction_value.h"
#include "algebra/linear.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The minimum and maximum value of an index.
struct Span {
  int64_t low = 0, high = 0;
};

std::optional<Span> span_of(const Expr& index, const std::vector<LoopVar>& vars, const ValueScope& scope) {
  const auto form = affine_form(index, vars, scope);
  const auto rest = form ? constant_value(form->rest) : std::nullopt;
  if (!rest) return std::nullopt;
  Span s{*rest, *rest};
  for (const LoopVar& v : vars) {
    const auto by = constant_value(form->coefficient(v.name)), extent = constant_value(v.extent);
    if (!by || (*by != 0 && !extent)) return std::nullopt;
    if (*by != 0) (*by > 0 ? s.high : s.low) += *by * (*extent - 1);
  }
  return s;
}

/// The unproved conditions of one index of a read.
struct OpenEnds {
  bool low = true, high = true;
};

std::vector<OpenEnds> open_ends(const Kernel& kernel, const Read& r, const std::vector<LoopVar>& vars) {
  ValueScope scope;
  scope.kernel = &kernel;
  const Ranges ranges = ranges_of(vars);
  const Tensor& t = kernel.tensor(r.tensor);
  std::vector<OpenEnds> out(r.index.size());
  for (size_t d = 0; d < r.index.size(); ++d) {
    const auto span = span_of(r.index[d], vars, scope);
    const auto dim = constant_value(t.dims[d]);
    if (span && dim) out[d] = {span->low < 0, span->high >= *dim};
    else
      out[d] = {!proves_le(constant_int(0), r.index[d], ranges), !proves_below(kernel, r.index[d], t.dims[d], ranges)};
  }
  return out;
}

/// The ends that `condition` closes; false where it says anything else.
bool close_ends(const Expr& condition, const Read& r, const Tensor& t, std::vector<OpenEnds>& ends) {
  const auto* a = std::get_if<Apply>(&condition->node);
  if (!a || a->args.size() != 2) return false;
  if (a->op == ScalarOp::And) return close_ends(a->args[0], r, t, ends) && close_ends(a->args[1], r, t, ends);
  if ((a->op != ScalarOp::Ge && a->op != ScalarOp::Lt) || a->args[0]->type != DType::I64) return false;
  bool found = false;
  for (size_t d = 0; d < r.index.size(); ++d) {
    const Expr end = a->op == ScalarOp::Ge ? constant_int(0) : t.dims[d];
    if (constant_difference(a->args[0], r.index[d]) != 0 || constant_difference(a->args[1], end) != 0) continue;
    (a->op == ScalarOp::Ge ? ends[d].low : ends[d].high) = false;
    found = true;
  }
  return found;
}

bool all_closed(const std::vector<OpenEnds>& ends) {
  return none_of(ends, [](const OpenEnds& e) { return e.low || e.high; });
}

/// The read with a fill that a select is equivalent to; null if there is none.
Expr filled_read(const Kernel& kernel, const Expr& e, const std::vector<LoopVar>& vars) {
  const auto* choice = std::get_if<Select>(&e->node);
  const auto* r = choice ? std::get_if<Read>(&choice->yes->node) : nullptr;
  if (!r || r->fill || !as_constant(choice->no)) return nullptr;
  std::vector<OpenEnds> ends = open_ends(kernel, *r, vars);
  if (!close_ends(choice->cond, *r, kernel.tensor(r->tensor), ends) || !all_closed(ends)) return nullptr;
  return read_of(r->tensor, e->type, r->index, choice->no);
}

}  // namespace

Expr normal_fills(const Kernel& kernel, const Expr& e, const std::vector<LoopVar>& vars) {
  if (const Expr read = filled_read(kernel, e, vars)) return read;
  const auto* r = std::get_if<Read>(&e->node);
  if (r && r->fill && all_closed(open_ends(kernel, *r, vars))) return read_of(r->tensor, e->type, r->index);
  return map_children(e, [&](const Expr& c) { return normal_fills(kernel, c, vars); });
}

bool proves_below(const Kernel& kernel, const Expr& index, const Expr& extent, const Ranges& ranges) {
  if (proves_lt(index, extent, ranges)) return true;
  return any_of(kernel.facts, [&](const Expr& fact) {
    const auto* a = std::get_if<Apply>(&fact->node);
    if (!a || a->op != ScalarOp::Eq || a->args[0]->type != DType::I64) return false;
    const Expr nothing = a->args[0] - a->args[1];
    return proves_lt(index, extent + nothing, ranges) || proves_lt(index, extent - nothing, ranges);
  });
}

Expr inside(const std::vector<Expr>& index, const std::vector<Expr>& dims) {
  Expr all = constant_int(1, DType::Bool);
  for (size_t d = 0; d < index.size(); ++d) {
    const Expr low = apply(ScalarOp::Ge, {index[d], constant_int(0)}), high = apply(ScalarOp::Lt, {index[d], dims[d]});
    all = apply(ScalarOp::And, {all, apply(ScalarOp::And, {low, high})});
  }
  return all;
}

bool has_fill(const Expr& e) {
  return any_read(e, [](const Read& r) { return r.fill != nullptr; });
}

}  // namespace tenon
