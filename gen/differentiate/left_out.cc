// Values that a choice may leave out: their gradient may be 0 where their derivative is infinite.
#include <array>

#include "algebra/simplify.h"
#include "differentiate/gradient_steps.h"
#include "support/ranges.h"

namespace tenon {
namespace {

std::set<int> read_in(const Expr& value, bool in_choices) {
  std::set<int> out;
  walk(value, [&](const Expr& e) {
    const auto* s = std::get_if<Select>(&e->node);
    if (in_choices && s) out.merge(read_in(s->yes, false)), out.merge(read_in(s->no, false));
    const auto* r = std::get_if<Read>(&e->node);
    if (!in_choices && r) out.insert(r->tensor);
    return true;
  });
  return out;
}

/// i, where `index` is min(max(i, 0), extent - 1); null for others.
Expr before_clamp(const Expr& index, const Expr& extent) {
  const auto* least = std::get_if<Apply>(&index->node);
  if (!least || least->op != ScalarOp::Min || !same(simplify(least->args[1] + constant_int(1)), simplify(extent)))
    return nullptr;
  const auto* most = std::get_if<Apply>(&least->args[0]->node);
  return most && most->op == ScalarOp::Max && is_zero(most->args[1]) ? most->args[0] : nullptr;
}

}  // namespace

std::optional<InsideRead> inside_read(const Expr& value, const Expr& where, const std::vector<Tensor>& tensors) {
  const auto* cast = std::get_if<Apply>(&value->node);
  const Expr element = cast && cast->op == ScalarOp::Cast ? cast->args[0] : value;
  const auto* r = std::get_if<Read>(&element->node);
  if (!r || r->fill || !where) return std::nullopt;
  std::vector<Expr> terms = conjuncts(where), index = r->index;
  const size_t all = terms.size();
  for (size_t d = 0; d < index.size(); ++d) {
    const Expr& extent = tensors[static_cast<size_t>(r->tensor)].dims[d];
    const Expr at = before_clamp(index[d], extent);
    if (!at) continue;
    for (const Expr& known : {apply(ScalarOp::Le, {constant_int(0), at}), apply(ScalarOp::Lt, {at, extent})})
      if (std::erase_if(terms, [&](const Expr& t) { return same(t, known); }) == 0) return std::nullopt;
    index[d] = at;
  }
  if (terms.size() == all) return std::nullopt;
  InsideRead out{read_of(r->tensor, element->type, index, constant_float(0, element->type)), nullptr};
  out.value = cast_to(out.value, value->type);
  out.where = conjunction(terms);
  return out;
}

std::set<int> left_out(const std::vector<KernelStatement>& body) {
  std::set<int> out;
  // The operands of a value that may be left out may be left out too.
  for (size_t before = 1; before != out.size();) {
    before = out.size();
    for (const KernelStatement& s : body) out.merge(read_in(s.value, !out.contains(s.target)));
  }
  return out;
}

bool has_poles(const Expr& value) {
  constexpr std::array kPoles = {ScalarOp::Div,  ScalarOp::Sqrt,  ScalarOp::Rsqrt, ScalarOp::Cbrt,   ScalarOp::Pow,
                                 ScalarOp::Log,  ScalarOp::Log2,  ScalarOp::Log10, ScalarOp::Log1p,  ScalarOp::Asin,
                                 ScalarOp::Acos, ScalarOp::Acosh, ScalarOp::Atanh, ScalarOp::Erfinv, ScalarOp::Lgamma};
  return any_node(value, [&](const Expr& e) {
    const auto* a = std::get_if<Apply>(&e->node);
    return a && holds_reals(e->type) && contains(kPoles, a->op) && has_node<Read>(a->args[a->op == ScalarOp::Div]);
  });
}

}  // namespace tenon
