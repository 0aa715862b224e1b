// A call of a host function of a recipe, and the tables of these functions.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>

#include "frontend/graph/size_arithmetic.h"
#include "frontend/recipe/recipe_call.h"

namespace tenon {

struct HostCall {
  RecipeContext& context;
  const RecipeList& args;
  size_t offset;
  const HostArguments& given;

  [[noreturn]] void fail(const std::string& message) const { throw RecipeError(offset, message); }

  ValueId tensor(size_t i) const {
    const TensorRef* t = args[i].get<TensorRef>();
    if (!t) fail("a tensor is expected here, not " + kind_of(args[i]));
    return t->id;
  }
  const Value& value(size_t i) const { return context.builder.value(tensor(i)); }
  const RecipeList& list(size_t i) const {
    const RecipeList* l = args[i].get<RecipeList>();
    if (!l) fail("a list is expected here, not " + kind_of(args[i]));
    return *l;
  }
  SizeExpr whole(const RecipeValue& v) const {
    if (const SizeExpr* n = v.get<SizeExpr>()) return *n;
    if (const bool* b = v.get<bool>()) return int64_t{*b};
    fail("an integer is expected here, not " + to_text(v));
  }
  int64_t integer(const RecipeValue& v) const {
    const SizeExpr n = whole(v);
    if (!n.is_constant()) fail(fmt::format("{} has to be known before run time", to_text(n)));
    return n.value;
  }
  double real(const RecipeValue& v) const {
    if (const double* d = v.get<double>()) return *d;
    return static_cast<double>(integer(v));
  }
  std::string text(size_t i) const {
    const std::string* s = args[i].get<std::string>();
    if (!s) fail("text is expected here, not " + kind_of(args[i]));
    return *s;
  }
};

/// Of host functions: takes tensors, and so wins over an op of the same name; takes keywords.
enum HostFlags : uint8_t { kTensors = 1, kKeywords = 2 };

struct HostRow {
  const char* name;
  size_t least, most;  ///< arguments
  RecipeValue (*function)(const HostCall&);
  int flags = 0;  ///< HostFlags
};
constexpr size_t kMany = 1000;
/// A list longer than this is a mistake in a recipe, or an attack.
constexpr int64_t kMaxList = 1 << 20;

/// Functions of numbers, lists, texts and dtypes.
std::span<const HostRow> value_functions();
/// Functions that read or make tensors.
std::span<const HostRow> tensor_functions();

}  // namespace tenon
