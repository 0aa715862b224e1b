// What a name in a recipe stands for: nothing, a host value (number, text, list), a dtype or a tensor of the graph.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "frontend/graph/op_semantics.h"

namespace tenon {

/// A tensor of the graph being built.
struct TensorRef {
  ValueId id = kNoValue;
  bool operator==(const TensorRef&) const = default;
};

/// All parts of a tensor along an axis, where the sizes of a call decide how many there are. A list that has this as
/// its only element is the list of these parts.
struct OpenParts {
  ValueId whole = kNoValue;
  size_t axis = 0;
  int64_t extent = 1;    // of each part; the last one has what is left
  bool dropped = false;  // parts of extent 1 are without the axis
  bool operator==(const OpenParts&) const = default;
};

struct RecipeValue;
using RecipeList = std::vector<RecipeValue>;

/// monostate is `none`: an absent optional input, output or attribute. Integers are SizeExpr, constant or not.
struct RecipeValue {
  std::variant<std::monostate, bool, SizeExpr, double, std::string, DType, TensorRef, OpenParts, RecipeList> v;

  RecipeValue() = default;
  template <class T>
  RecipeValue(T value) : v(std::move(value)) {}  // NOLINT: every alternative is a value

  template <class T>
  const T* get() const {
    return std::get_if<T>(&v);
  }
  bool is_none() const { return std::holds_alternative<std::monostate>(v); }
  bool operator==(const RecipeValue&) const = default;
};

/// "a tensor", "a list", … for messages.
std::string kind_of(const RecipeValue& value);
/// The value as a recipe would write it.
std::string to_text(const RecipeValue& value);

/// The value as an attribute of this signature; false for none, with a sentence in `error` where it does not fit.
bool to_attribute(const RecipeValue& value, const AttrSignature& signature, AttrValue& result, std::string& error);

/// A list of integers; false if it is none.
bool to_sizes(const RecipeValue& value, std::vector<SizeExpr>& result);

}  // namespace tenon
