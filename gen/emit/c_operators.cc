// The table of C's operators, and arithmetic that wraps.
#include "emit/c_operators.h"

namespace tenon::emit {
namespace {

/// A sum, difference or product of values of that type: its leftmost operand says so.
bool is_computed_as(const std::string& type, const CBinary& e) {
  if (e.op != "+" && e.op != "-" && e.op != "*") return false;
  if (const auto* cast = std::get_if<CCast>(&e.left->node)) return cast->type == type;
  const auto* left = std::get_if<CBinary>(&e.left->node);
  return left && is_computed_as(type, *left);
}

}  // namespace

std::string_view c_operator(ScalarOp op) {
  switch (op) {
    case ScalarOp::Add: return "+";
    case ScalarOp::Sub: return "-";
    case ScalarOp::Mul: return "*";
    case ScalarOp::Div: return "/";
    case ScalarOp::Lt: return "<";
    case ScalarOp::Le: return "<=";
    case ScalarOp::Gt: return ">";
    case ScalarOp::Ge: return ">=";
    case ScalarOp::Eq: return "==";
    case ScalarOp::Ne: return "!=";
    case ScalarOp::And: return "&&";
    case ScalarOp::Or: return "||";
    case ScalarOp::BitAnd: return "&";
    case ScalarOp::BitOr: return "|";
    case ScalarOp::BitXor: return "^";
    default: return "";
  }
}

bool not_nan_constant(const Operand& v) {
  const auto* c = std::get_if<VConst>(&v->node);
  return c && c->f == c->f;
}

CExpr wrapped(const std::string& type, const std::string& unsigned_type, std::string_view op, const CExpr& a,
              const CExpr& b) {
  const auto computed = [&](const CExpr& e) {
    const auto* back = std::get_if<CCast>(&e->node);
    const auto* sum = back && back->type == type ? std::get_if<CBinary>(&back->operand->node) : nullptr;
    return sum && is_computed_as(unsigned_type, *sum) ? back->operand : c_cast(unsigned_type, e);
  };
  return c_cast(type, c_binary(computed(a), op, computed(b)));
}

}  // namespace tenon::emit
