// The rows of scalar_op.def as a table.
#include "ir/number/scalar_op.h"

namespace tenon {
namespace {
constexpr ScalarOpRow kScalarOpRows[] = {
#define SCALAR_OP(e, name, arity, result, flags) {ScalarOp::e, name, arity, ResultRule::result, flags},
#include "ir/number/scalar_op.def"
#undef SCALAR_OP
};
}  // namespace

std::span<const ScalarOpRow> all_scalar_ops() { return kScalarOpRows; }
const ScalarOpRow& scalar_op_row(ScalarOp op) { return kScalarOpRows[static_cast<size_t>(op)]; }

std::optional<ScalarOp> scalar_op_from_name(std::string_view name) {
  for (const ScalarOpRow& r : kScalarOpRows)
    if (r.name == name) return r.op;
  return std::nullopt;
}

std::optional<ScalarOp> opposite(ScalarOp op) {
  switch (op) {
    case ScalarOp::Lt: return ScalarOp::Ge;
    case ScalarOp::Le: return ScalarOp::Gt;
    case ScalarOp::Gt: return ScalarOp::Le;
    case ScalarOp::Ge: return ScalarOp::Lt;
    case ScalarOp::Eq: return ScalarOp::Ne;
    case ScalarOp::Ne: return ScalarOp::Eq;
    default: return std::nullopt;
  }
}

bool is_comparison(ScalarOp op) {
  switch (op) {
    case ScalarOp::Lt:
    case ScalarOp::Le:
    case ScalarOp::Gt:
    case ScalarOp::Ge:
    case ScalarOp::Eq:
    case ScalarOp::Ne: return true;
    default: return false;
  }
}

bool has_flag(std::string_view name, char flag) {
  const auto op = scalar_op_from_name(name);
  return op && scalar_op_row(*op).has(flag);
}

}  // namespace tenon
