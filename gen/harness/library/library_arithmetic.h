// Sizes, conditions and defaults of a definition → C expressions over the variables of its bind function.
#pragma once

#include <map>
#include <set>
#include <string>

#include "ir/nest/c_ast.h"
#include "ir/op/op_def.h"

namespace tenon {

enum class ArithmeticType : uint8_t { Integer, Real, Condition };

/// A C expression and what it is: int64_t, double, or a condition (int).
struct ArithmeticValue {
  CExpr value;
  ArithmeticType type = ArithmeticType::Integer;
};

/// The C names of the definition's names. Attributes are fields of `a`, packs are `tn_dims *`, sizes are `int64_t`;
/// `reals` has the lets of type double.
struct ArithmeticScope {
  const OpDef* def = nullptr;
  const OpLibrary* defs = nullptr;
  std::set<std::string> packs;
  std::set<std::string> real_lets;
  std::set<std::string> float_types;  ///< type variables whose attributes are read as double
  CExpr element;                      ///< index of the dimension while a pack is computed element by element; else null
  std::map<std::string, ArithmeticValue> params = {};  ///< parameters of an inlined function
};

ArithmeticValue arithmetic(const Syntax& s, const ArithmeticScope& scope);
CExpr integer_value(const Syntax& s, const ArithmeticScope& scope);  ///< a double is truncated
CExpr real_value(const Syntax& s, const ArithmeticScope& scope);
CExpr condition_value(const Syntax& s, const ArithmeticScope& scope);

/// Names that are in `s` as sizes, packs, attributes or lets (not functions).
std::set<std::string> names_in(const Syntax& s);

/// Whether `s` names packs or lists as such, and so applies to each of their elements.
bool names_lists(const Syntax& s, const ArithmeticScope& scope);

}  // namespace tenon
