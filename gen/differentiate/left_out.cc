// Values that a choice may leave out: their gradient may be 0 where their derivative is infinite.
#include <array>

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

}  // namespace

std::set<int> left_out(const std::vector<KernelStatement>& body) {
  std::set<int> out;
  // What a value that may be left out is made of may be left out too.
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
