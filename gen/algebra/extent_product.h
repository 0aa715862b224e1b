// Extents and strides as a constant times factors known only at run time: divisibility that holds for all sizes.
#pragma once

#include <optional>
#include <vector>

#include "ir/kernel/expr.h"

namespace tenon {

/// number × the product of the factors, none of which is a constant, a product, or a multiple of a number.
struct ExtentProduct {
  int64_t number = 1;
  std::vector<Expr> factors;

  bool is_constant() const { return factors.empty(); }
  bool is_one() const { return is_constant() && number == 1; }
};

/// The form of an extent; nothing where its number is not positive or leaves 62 bits.
std::optional<ExtentProduct> extent_product(const Expr& extent);
/// a·b; nothing where the number leaves 62 bits.
std::optional<ExtentProduct> times(const ExtentProduct& a, const ExtentProduct& b);
/// a/b where b divides a for all values of the factors; nothing elsewhere.
std::optional<ExtentProduct> quotient(const ExtentProduct& a, const ExtentProduct& b);
/// Back to an expression.
Expr to_expr(const ExtentProduct& p);

}  // namespace tenon
