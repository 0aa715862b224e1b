// Whether rows follow each other in all tensors that a statement touches.
#include "lower/kernel/one_run.h"

#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// A row of `inner` ends where the next one begins.
bool is_run(const Tensor& t, const std::vector<Expr>& index, const LoopVar& outer, const LoopVar& inner) {
  Expr row, element;
  for (size_t d = 0; d < index.size(); ++d) {
    const bool steps = mentions(index[d], outer.name);
    if (!steps && !mentions(index[d], inner.name)) continue;
    const auto along = affine_in(index[d], steps ? outer.name : inner.name);
    Expr& stride = steps ? row : element;
    if (stride || !along || !is_one(along->coefficient) || mentions(along->rest, inner.name)) return false;
    if (!steps && !is_zero(along->rest)) return false;
    stride = t.strides[d];
  }
  return row && element && same(simplify(row), simplify(element * inner.extent));
}

bool touches(const std::vector<Expr>& index, const LoopVar& outer, const LoopVar& inner) {
  return any_of(index, [&](const Expr& e) { return mentions(e, outer.name) || mentions(e, inner.name); });
}

}  // namespace

bool reads_one_run(const Kernel& k, const LoopVar& outer, const LoopVar& inner, const Expr& value) {
  if (is_variable(value, outer.name) || is_variable(value, inner.name)) return false;
  const auto* r = std::get_if<Read>(&value->node);
  if (r && touches(r->index, outer, inner))
    return !r->fill && k.tensor(r->tensor).role != Role::Temp && is_run(k.tensor(r->tensor), r->index, outer, inner);
  bool all = !std::holds_alternative<Reduce>(value->node);
  each_child(value, [&](const Expr& c) { all = all && reads_one_run(k, outer, inner, c); });
  return all;
}

bool go_over_one_run(const Kernel& k, const LoopVar& outer, const LoopVar& inner, const ElementValue& made) {
  const Tensor& t = k.tensor(made.tensor);
  return t.role == Role::Output && is_run(t, made.index, outer, inner) && reads_one_run(k, outer, inner, made.value);
}

}  // namespace tenon
