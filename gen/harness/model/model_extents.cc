// Extents as C.
#include "harness/model/model_extents.h"

#include "support/check.h"

namespace tenon {
namespace {

CExpr named_extent(const ExecutionPlan& plan, const std::string& name) {
  int64_t index = 0;
  for (const GraphSize& s : plan.sizes) {
    if (s.name == name) return s.written ? c_index(c_text("written"), c_number(index)) : c_arrow(c_text("in"), name);
    index += s.written ? 1 : 0;
  }
  return c_text(name);
}

}  // namespace

CExpr extent_value(const ExecutionPlan& plan, const SizeExpr& e) {
  if (e.is_constant()) return c_number(e.value);
  if (e.is_name()) return named_extent(plan, e.name);
  if (e.op == ScalarOp::Add || e.op == ScalarOp::Mul) {
    CExpr out;
    for (const SizeExpr& a : e.args) {
      const CExpr value = extent_value(plan, a);
      out = out ? c_binary(out, e.op == ScalarOp::Add ? "+" : "*", value) : value;
    }
    return out;
  }
  const CExpr a = extent_value(plan, e.args[0]), b = extent_value(plan, e.args[1]);
  const CExpr quotient = c_call("floor_div", {a, b});
  switch (*e.op) {
    case ScalarOp::FloorDiv: return quotient;
    case ScalarOp::Mod: return c_binary(a, "-", c_binary(quotient, "*", b));
    case ScalarOp::Min: return c_conditional(c_less(a, b), a, b);
    case ScalarOp::Max: return c_conditional(c_less(b, a), a, b);
    default: TENON_UNREACHABLE("an extent of no kind");
  }
}

CExpr extents_differ(const ExecutionPlan& plan, const EqualExtents& e) {
  for (const auto& [most, other] : {std::pair(&e.a, &e.b), std::pair(&e.b, &e.a)})
    if (const auto least = at_least(*most, *other))
      return c_less(extent_value(plan, *other), extent_value(plan, *least));
  return c_binary(extent_value(plan, e.a), "!=", extent_value(plan, e.b));
}

}  // namespace tenon
