// The scalar vocabulary: the rows of scalar_op.def.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tenon {

enum class ScalarOp : uint8_t {
#define SCALAR_OP(e, ...) e,
#include "ir/number/scalar_op.def"
#undef SCALAR_OP
};

enum class ResultRule : uint8_t { Same, Bool, Real, Explicit };

struct ScalarOpRow {
  ScalarOp op;
  std::string_view name;
  int arity;
  ResultRule result;
  std::string_view flags;
  std::string_view sign = "", c_sign = "";  ///< between two arguments, in the notation and in C; "" where there is none

  bool has(char flag) const { return flags.find(flag) != std::string_view::npos; }
};

std::span<const ScalarOpRow> all_scalar_ops();
const ScalarOpRow& scalar_op_row(ScalarOp);
/// < <= > >= == !=
bool is_comparison(ScalarOp);
/// Whether a comparison holds; nothing for other operations.
template <class T>
std::optional<bool> compare(ScalarOp op, T x, T y) {
  switch (op) {
    case ScalarOp::Lt: return x < y;
    case ScalarOp::Le: return x <= y;
    case ScalarOp::Gt: return x > y;
    case ScalarOp::Ge: return x >= y;
    case ScalarOp::Eq: return x == y;
    case ScalarOp::Ne: return x != y;
    default: return std::nullopt;
  }
}
/// In two's complement, as the C computes it; a division by -1 is a negation, which wraps for the lowest number.
/// Nothing for a division by 0, and for operations other than arithmetic of two integers.
std::optional<int64_t> compute(ScalarOp op, int64_t a, int64_t b);
/// The negated comparison, ignoring NaN; nothing for other operations.
std::optional<ScalarOp> opposite(ScalarOp);
std::optional<ScalarOp> scalar_op_from_name(std::string_view);
std::optional<ScalarOp> scalar_op_from_sign(std::string_view);
/// Whether an operation has this name, and the flag.
bool has_flag(std::string_view name, char flag);

}  // namespace tenon
