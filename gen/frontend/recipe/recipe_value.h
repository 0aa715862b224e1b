// The value of a name in a recipe: nothing, a host value (number, string, list), a dtype or a tensor of the graph.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
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
  int64_t extent = 1;    // of each part; the last one has the rest
  bool dropped = false;  // parts of extent 1 are without the axis
  bool operator==(const OpenParts&) const = default;
};

struct RecipeValue;
using RecipeList = std::vector<RecipeValue>;

/// A list that copies of a value share: recipes pass on lists of a million elements.
struct SharedList {
  std::shared_ptr<const RecipeList> list;
  bool operator==(const SharedList& other) const;
};

/// monostate is `none`: an absent optional input, output or attribute. Integers are SizeExpr, constant or not.
struct RecipeValue {
  std::variant<std::monostate, bool, SizeExpr, double, std::string, DType, TensorRef, OpenParts, SharedList> v;

  RecipeValue() = default;
  template <class T>
  RecipeValue(T value) : v(std::move(value)) {}  // NOLINT: every alternative is a value
  RecipeValue(RecipeList list);                  // NOLINT: as those above

  template <class T>
  const T* get() const {
    if constexpr (std::is_same_v<T, RecipeList>) {
      const auto* shared = std::get_if<SharedList>(&v);
      return shared ? shared->list.get() : nullptr;
    } else {
      return std::get_if<T>(&v);
    }
  }
  bool is_none() const { return std::holds_alternative<std::monostate>(v); }
  bool operator==(const RecipeValue&) const = default;
};

inline bool SharedList::operator==(const SharedList& other) const { return list == other.list || *list == *other.list; }
inline RecipeValue::RecipeValue(RecipeList list) : v(SharedList{std::make_shared<const RecipeList>(std::move(list))}) {}

/// "a tensor", "a list", … for messages.
std::string kind_of(const RecipeValue& value);
/// The value as a recipe would write it.
std::string to_text(const RecipeValue& value);

/// The value as an attribute of this signature; false for none, with a sentence in `error` where it does not fit.
bool to_attribute(const RecipeValue& value, const AttrSignature& signature, AttrValue& result, std::string& error);

/// A list of integers; false if it is none.
bool to_sizes(const RecipeValue& value, std::vector<SizeExpr>& result);

}  // namespace tenon
