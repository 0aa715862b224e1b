// Extents of tensors: integer constants and quasi-affine expressions over named run-time sizes.
//
//   size := integer | name | size + size | size - size | size * size | size // size | size % size | min(size, size) |
//   max(size, size)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/number/scalar_op.h"

namespace tenon {

/// An extent. Built through the functions below, which fold constants and bring sums into one order, so that
/// equal spellings of a linear extent compare equal.
struct SizeExpr {
  std::optional<ScalarOp> op;  // Add, Mul, FloorDiv, Mod, Min or Max of `args`; nothing for a constant and a name
  int64_t value = 0;           // constant
  std::string name;            // name
  std::vector<SizeExpr> args;  // two or more for Add and Mul, two for the others
  SizeExpr() = default;
  SizeExpr(int64_t v) : value(v) {}  // NOLINT: an integer is an extent
  bool operator==(const SizeExpr&) const = default;
  bool is_constant() const { return !op && name.empty(); }
  bool is_name() const { return !name.empty(); }
  bool is(int64_t v) const { return is_constant() && value == v; }
};

/// Values of the named sizes.
using SizeValues = std::map<std::string, int64_t>;

SizeExpr size_name(std::string name);
SizeExpr operator+(const SizeExpr& a, const SizeExpr& b);
SizeExpr operator-(const SizeExpr& a, const SizeExpr& b);
SizeExpr operator*(const SizeExpr& a, const SizeExpr& b);
/// Division rounding toward minus infinity; the divisor must not be the constant 0.
SizeExpr floor_div(const SizeExpr& a, const SizeExpr& b);
/// Remainder with the sign of the divisor; the divisor must not be the constant 0.
SizeExpr floor_mod(const SizeExpr& a, const SizeExpr& b);
SizeExpr size_min(const SizeExpr& a, const SizeExpr& b);
SizeExpr size_max(const SizeExpr& a, const SizeExpr& b);
/// Applies an operation to a and b; nothing for operations that extents do not have.
std::optional<SizeExpr> combined(ScalarOp operation, const SizeExpr& a, const SizeExpr& b);

/// The lower bound of `size` under which `most`, the maximum of both, equals `size`.
std::optional<SizeExpr> at_least(const SizeExpr& most, const SizeExpr& size);
/// The value under `sizes`; nothing where a name is missing, a divisor is 0 or 64 bits do not hold it.
std::optional<int64_t> evaluate(const SizeExpr& size, const SizeValues& sizes);
/// The same extent with the sizes in `sizes` replaced by their values.
SizeExpr substitute(const SizeExpr& size, const SizeValues& sizes);
/// The same extent with another one instead of the size `name`.
SizeExpr with_size(const SizeExpr& size, const std::string& name, const SizeExpr& by);
/// Product of all extents, 1 of none.
SizeExpr product(const std::vector<SizeExpr>& dims);
/// The spelling of the grammar above, without needless parentheses.
std::string to_text(const SizeExpr& size);
/// The extents of a shape: "N, 3".
std::string to_text(const std::vector<SizeExpr>& dims);
/// The names in `size`, each once, in order of appearance.
std::vector<std::string> names_in(const SizeExpr& size);

}  // namespace tenon
