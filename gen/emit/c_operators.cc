// The table of C's operators.
#include "emit/c_operators.h"

namespace tenon::emit {

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

}  // namespace tenon::emit
