// Elementary functions as data: straight-line steps over one float and its bits, the same for scalars and any vector.
//
//   function  := name dtype parameter* step* result+ ulp?     | name dtype parameter* function of <math.h>
//   parameter := name | int name
//   step      := name = expr | name, name… = call | name = rare(condition, call, expr)
//   expr      := number | integer | name | math_op(expr…) | call        (math_op.def)
//   call      := function(expr…)                                         of the same dtype
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/number/dtype.h"
#include "ir/number/scalar_op.h"

namespace tenon {

/// What a value of a math function is: a float of its dtype, an unsigned integer of the same size, or a condition.
enum class MathType : uint8_t { Float, Int, Mask };

enum class MathOp : uint8_t {
#define MATH_OP(e, ...) e,
#include "ir/op/math_op.def"
#undef MATH_OP
};

/// One row of math_op.def.
struct MathOpRow {
  MathOp op;
  std::string_view spelling;
  std::string_view arguments;  ///< a letter each
  char result;
  std::optional<ScalarOp> scalar = std::nullopt;  ///< the row that says the same
  /// Written between its arguments or in front of the only one.
  bool is_operator() const;
};
const std::vector<MathOpRow>& all_math_ops();
const MathOpRow& math_op_row(MathOp);

struct MathExpr;
struct MathNumber {
  double value = 0;
};
struct MathInteger {
  uint64_t bits = 0;
};
struct MathName {
  std::string name;
};
struct MathApply {
  MathOp op = MathOp::Add;
  std::vector<MathExpr> args;
};
/// Another function of the same dtype.
struct MathCall {
  std::string function;
  std::vector<MathExpr> args;
};

struct MathExpr {
  MathType type = MathType::Float;
  std::variant<MathNumber, MathInteger, MathName, MathApply, MathCall> node;
};

struct MathLet {
  std::string name;
  MathExpr value;
};
/// All results of a function that has several.
struct MathUnpack {
  std::vector<std::string> names;
  MathCall call;
  std::vector<MathType> types;
};
/// name = select(when, unlikely, usual), where `unlikely` need not be computed if no lane needs it.
struct MathRare {
  std::string name;
  MathExpr when, unlikely, usual;
};
using MathStep = std::variant<MathLet, MathUnpack, MathRare>;

struct MathParameter {
  std::string name;
  MathType type = MathType::Float;
};

/// The relative and the absolute error bound of a result.
struct MathError {
  double relative = 0, absolute = 0;
};

struct MathFunction {
  std::string name;
  DType dtype = DType::F32;  ///< F32 or F64
  std::string doc;
  std::vector<MathParameter> parameters;
  std::vector<MathStep> steps;
  std::vector<MathExpr> results;
  std::optional<double>
      ulp;  ///< largest error seen over the whole range, with and without FMA; absent for exact ones and for parts
  std::optional<MathError> error;  ///< the bound of an entry that gives up digits, instead of `ulp`
  std::string by_fma;              ///< the entry that takes its place on levels with FMA
  std::string by_lookup;           ///< the same on levels with tables in registers
  std::string c_function;          ///< of <math.h>: the function to call, instead of steps and results
};

/// All functions; the calls of each lead to others of the same library, never back to itself.
struct MathLibrary {
  std::map<std::string, std::map<DType, MathFunction>, std::less<>> functions;
  const MathFunction* find(std::string_view name, DType dtype) const;
};

/// "; error below 1.2 ULP" or similar: the text after the function's name in a comment.
std::string bound_text(const MathFunction&);

/// The text that reads back to the same tree.
std::string to_text(const MathExpr&);
std::string to_text(const MathFunction&);
std::string to_text(const MathLibrary&);

}  // namespace tenon
