// Integer expressions as linear forms, and proofs about them from the ranges of variables and sizes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/kernel/expr.h"
#include "ir/number/interval.h"

namespace tenon {

/// constant + Σ coefficient·atom; an atom is any expression that is not itself a sum or a multiple.
struct LinearForm {
  int64_t constant = 0;
  std::vector<std::pair<Expr, int64_t>> terms;
};

/// The form of an i64 expression.
LinearForm linear_form(const Expr& e);
LinearForm operator-(const LinearForm& a, const LinearForm& b);
/// Back to an expression: positive terms first.
Expr to_expr(const LinearForm& form);

/// a - b where that is a number, whatever the values of variables and sizes.
std::optional<int64_t> constant_difference(const Expr& a, const Expr& b);

/// Known facts: variables run from 0 below their extent, sizes are between their ends, and so do the elements of a
/// kernel's tensors, by their numbers. Missing entries may have any value.
struct Ranges {
  std::map<std::string, Expr> extents;
  std::map<std::string, Expr> size_most;  ///< an upper end that depends on other sizes
  std::map<std::string, int64_t> size_lo;
  std::map<std::string, int64_t> size_hi;
  std::map<int, Interval> elements;
};

void add_loops(Ranges& ranges, const std::vector<LoopVar>& loops);
/// What conditions of the form `size > n`, `size >= n` and `size == n` say of the least values of sizes.
void add_least_sizes(Ranges& ranges, const std::vector<Expr>& facts);
/// What is known inside of the loops, in addition to `ranges`.
Ranges ranges_of(const std::vector<LoopVar>& loops, Ranges ranges = {});

/// True when the value is at least 0 for all that the ranges allow. False says nothing.
bool proves_not_negative(LinearForm form, const Ranges& ranges);
/// a <= b, a < b for all values?
bool proves_le(const Expr& a, const Expr& b, const Ranges& ranges);
bool proves_lt(const Expr& a, const Expr& b, const Ranges& ranges);

/// e = coefficient·var + rest, neither of which mentions `var`; nothing when e is not affine in it.
struct AffineIn {
  Expr coefficient;
  Expr rest;
};
std::optional<AffineIn> affine_in(const Expr& e, const std::string& var);

}  // namespace tenon
