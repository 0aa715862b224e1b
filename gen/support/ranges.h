// Algorithms over whole ranges, by their names in <algorithm>, which this includes for all others.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon {

template <class Range, class T>
bool contains(const Range& range, const T& value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

template <class Range, class Predicate>
bool any_of(const Range& range, Predicate holds) {
  return std::any_of(std::begin(range), std::end(range), holds);
}
template <class Range, class Predicate>
bool all_of(const Range& range, Predicate holds) {
  return std::all_of(std::begin(range), std::end(range), holds);
}
template <class Range, class Predicate>
bool none_of(const Range& range, Predicate holds) {
  return std::none_of(std::begin(range), std::end(range), holds);
}

template <class Range, class T>
auto count_of(const Range& range, const T& value) {
  return std::count(std::begin(range), std::end(range), value);
}
template <class Range, class Predicate>
auto count_if(const Range& range, Predicate holds) {
  return std::count_if(std::begin(range), std::end(range), holds);
}

template <class Range, class Predicate>
auto find_if(Range&& range, Predicate holds) {
  return std::find_if(std::begin(range), std::end(range), holds);
}
/// The first element for which `holds`; null if there is none.
template <class Range, class Predicate>
auto* find_pointer(Range&& range, Predicate holds) {
  const auto at = std::find_if(std::begin(range), std::end(range), holds);
  return at == std::end(range) ? nullptr : &*at;
}

/// The value of a key of a map; null if it has none.
template <class Map, class Key>
auto* find_value(Map& map, const Key& key) {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : &at->second;
}

/// A copy of it; nothing if there is none.
template <class Map, class Key>
std::optional<typename Map::mapped_type> lookup(const Map& map, const Key& key) {
  const auto at = map.find(key);
  return at == map.end() ? std::nullopt : std::optional(at->second);
}
/// A copy of it; `otherwise` if there is none.
template <class Map, class Key>
typename Map::mapped_type value_or(const Map& map, const Key& key, typename Map::mapped_type otherwise) {
  const auto at = map.find(key);
  return at == map.end() ? std::move(otherwise) : at->second;
}

/// Adds the elements of a range to a vector; those of a range that ends here are moved.
template <class T, class Range>
void append(std::vector<T>& to, Range&& range) {
  if constexpr (std::is_lvalue_reference_v<Range>) to.insert(to.end(), std::begin(range), std::end(range));
  else to.insert(to.end(), std::make_move_iterator(std::begin(range)), std::make_move_iterator(std::end(range)));
}
/// The elements of a vector, then those of a range.
template <class T, class Range>
std::vector<T> concat(std::vector<T> first, Range&& rest) {
  append(first, std::forward<Range>(rest));
  return first;
}

template <class Range, class... Less>
void sort(Range& range, Less... less) {
  std::sort(std::begin(range), std::end(range), less...);
}
template <class Range, class... Less>
void stable_sort(Range& range, Less... less) {
  std::stable_sort(std::begin(range), std::end(range), less...);
}

/// The results of a function, or a member, of each element.
template <class Range, class Function>
auto mapped(const Range& range, Function function) {
  std::vector<std::decay_t<std::invoke_result_t<Function, decltype(*std::begin(range))>>> out;
  for (const auto& element : range) out.push_back(std::invoke(function, element));
  return out;
}

}  // namespace tenon
