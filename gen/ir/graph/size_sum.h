// Extents as sums of products: what size_expr.cc computes with.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph/size_expr.h"

namespace tenon::size_sum {

/// A product of atoms (names, quotients, remainders, minima, maxima) in the order of their spelling.
using Atoms = std::vector<SizeExpr>;
struct Term {
  std::string key;
  Atoms atoms;
  int64_t coefficient = 0;
};
/// Terms with non-zero coefficients in the order of their keys; the constant's key is empty and comes last.
using Sum = std::vector<Term>;

/// Saturation keeps an absurdly large extent absurdly large; allocation then refuses it.
int64_t saturating_add(int64_t a, int64_t b);
int64_t saturating_mul(int64_t a, int64_t b);

SizeExpr node(ScalarOp op, std::vector<SizeExpr> args);
Sum to_sum(const SizeExpr& e);
SizeExpr from_term(const Term& term);
SizeExpr from_sum(Sum sum);
Sum times(const Sum& a, const Sum& b);

struct Division {
  Sum quotient;  // terms that the divisor divides, divided
  Sum rest;      // the others, as they are
};

/// floor((d*q + r)/d) = q + floor(r/d): extracts the terms that `divisor` (one term) divides exactly.
Division split_by(const Sum& sum, const Term& divisor);

/// floor((x*r)/(x*d)) = floor(r/d): removes the factors that the divisor and all terms of the dividend have.
void cancel(Sum& sum, Term& divisor);

/// The largest term that divides all terms of both sums.
Term common_term(const Sum& a, const Sum& b);

/// `sum` divided by a term that divides all of its terms.
Sum divided(Sum sum, const Term& by);

/// The exact quotient `rest` / `divisor`, by long division; empty if there is a remainder.
std::optional<Sum> exact_quotient(Sum rest, const Sum& divisor);

/// floor((s + floor(x/d))/c) = floor((s*d + x)/(c*d)), and ((s + x mod (k*d)) mod d) = (s + x) mod d: the dividend and
/// the divisor without the quotient or remainder in `sum`; none if there is not exactly one.
struct Flattened {
  SizeExpr dividend, divisor;
};
std::optional<Flattened> flattened(ScalarOp op, const Sum& sum, int64_t divisor);

}  // namespace tenon::size_sum
