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

  bool has(char flag) const { return flags.find(flag) != std::string_view::npos; }
};

std::span<const ScalarOpRow> all_scalar_ops();
const ScalarOpRow& scalar_op_row(ScalarOp);
/// < <= > >= == !=
bool is_comparison(ScalarOp);
/// The comparison that holds where this one does not, but for NaN; nothing for other operations.
std::optional<ScalarOp> opposite(ScalarOp);
std::optional<ScalarOp> scalar_op_from_name(std::string_view);
/// Whether an operation has this name, and the flag.
bool has_flag(std::string_view name, char flag);

}  // namespace tenon
