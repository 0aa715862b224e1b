// Numbers that tests of ops state.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/op/op_def.h"
#include "oracle/number.h"
#include "support/ranges.h"

namespace tenon {

/// What a test gives this name; null if nothing.
template <class T>
const T* bound_to(const std::vector<std::pair<Word, T>>& list, std::string_view name) {
  const auto* entry = find_pointer(list, [&](const auto& e) { return e.first.text == name; });
  return entry ? &entry->second : nullptr;
}

/// A literal of the notation: a number, a boolean as 0 or 1, an infinity or NaN, with signs.
Number literal_number(const Syntax& literal);

/// The elements of nested lists, row by row, and the extents that the first of each level has.
struct Nested {
  explicit Nested(const Syntax& list) { add(list, 0); }

  std::vector<int64_t> dims;
  std::vector<Number> values;

 private:
  void add(const Syntax& s, size_t depth) {
    if (!s.is(SyntaxKind::list)) return values.push_back(literal_number(s));
    if (dims.size() <= depth) dims.push_back(static_cast<int64_t>(s.children.size()));
    for (const Syntax& c : s.children) add(c, depth + 1);
  }
};

}  // namespace tenon
