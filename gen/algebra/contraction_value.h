// Expressions of a contraction as operands: scalars, or vectors along one variable.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/nest/loop_nest.h"

namespace tenon {

/// rest + Σ coefficient·variable; `rest` and the coefficients do not depend on the variables asked for.
struct AffineForm {
  std::map<std::string, Operand> coefficients;
  Operand rest;

  /// The coefficient of `var`, 0 where it does not occur.
  Operand coefficient(const std::string& var) const;
};

/// What the names in an expression stand for at one place of the loop nest.
struct ValueScope {
  const Kernel* kernel = nullptr;
  std::map<std::string, Operand> vars;       ///< scalar value of each variable
  std::map<const ExprNode*, Operand> given;  ///< nodes whose value is already there: the accumulator
  std::string vector_var;                    ///< runs over the lanes, or "" for scalars
  int lanes = 1;
  Operand active;              ///< the number of lanes that exist in memory; null: all
  std::set<std::string> unit;  ///< canonical text of steps that are 1 where this scope is used
};

bool mentions_any(const Expr& e, const std::vector<LoopVar>& vars);
/// The same text for values that differ only in the order of sums and products; nothing beyond sizes, attributes and
/// their arithmetic.
std::string canonical(const Operand& v);

/// `index` as a form over `over`; its other variables are looked up in the scope. Nothing where it is not affine.
std::optional<AffineForm> affine_form(const Expr& index, const std::vector<LoopVar>& over, const ValueScope& scope);
/// The offset in elements of a read or a target, as a form over `over`.
std::optional<AffineForm> offset_form(int tensor, const std::vector<Expr>& index, const std::vector<LoopVar>& over,
                                      const ValueScope& scope);
/// The value of `e`: scalar, or with `scope.lanes` lanes where it depends on the vector variable. Nothing where a
/// read's offset is not affine in the vector variable, or a fill or a reduction is inside.
std::optional<Operand> lower_value(const Expr& e, const ValueScope& scope);
/// Steps of the reads in `e` along `var` that are known at run time only.
std::vector<Operand> open_steps(const Expr& e, const std::string& var, const ValueScope& scope);
/// As lower_value, always with `scope.lanes` lanes.
std::optional<Operand> lower_lanes(const Expr& e, const ValueScope& scope);

}  // namespace tenon
