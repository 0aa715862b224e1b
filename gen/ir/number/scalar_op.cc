// The rows of scalar_op.def as a table.
#include "ir/number/scalar_op.h"

namespace tenon {
namespace {
constexpr ScalarOpRow kScalarOpRows[] = {
#define SCALAR_OP(e, name, arity, result, ...) {ScalarOp::e, name, arity, ResultRule::result, __VA_ARGS__},
#include "ir/number/scalar_op.def"
#undef SCALAR_OP
};

int64_t wrapped(uint64_t bits) { return static_cast<int64_t>(bits); }
}  // namespace

std::span<const ScalarOpRow> all_scalar_ops() { return kScalarOpRows; }
const ScalarOpRow& scalar_op_row(ScalarOp op) { return kScalarOpRows[static_cast<size_t>(op)]; }

std::optional<ScalarOp> scalar_op_from_name(std::string_view name) {
  for (const ScalarOpRow& r : kScalarOpRows)
    if (r.name == name) return r.op;
  return std::nullopt;
}

std::optional<ScalarOp> scalar_op_from_sign(std::string_view sign) {
  for (const ScalarOpRow& r : kScalarOpRows)
    if (r.sign == sign && !sign.empty()) return r.op;
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

bool is_comparison(ScalarOp op) { return scalar_op_row(op).has('Q'); }

std::optional<int64_t> compute(ScalarOp op, int64_t a, int64_t b) {
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (op) {
    case ScalarOp::Add: return wrapped(ua + ub);
    case ScalarOp::Sub: return wrapped(ua - ub);
    case ScalarOp::Mul: return wrapped(ua * ub);
    case ScalarOp::Min: return a < b ? a : b;
    case ScalarOp::Max: return a > b ? a : b;
    case ScalarOp::FloorDiv:
      if (b == 0) return std::nullopt;
      if (b == -1) return wrapped(0 - ua);
      return a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
    case ScalarOp::Mod: {
      if (b == 0) return std::nullopt;
      if (b == -1) return 0;
      const int64_t m = a % b;
      return m != 0 && ((m < 0) != (b < 0)) ? m + b : m;
    }
    default: return std::nullopt;
  }
}

bool has_flag(std::string_view name, char flag) {
  const auto op = scalar_op_from_name(name);
  return op && scalar_op_row(*op).has(flag);
}

}  // namespace tenon
