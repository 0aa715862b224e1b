// StrongId<Tag>: an index into one kind of table that does not convert to an index of another.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace tenon {

/// A position in the table that `Tag` names; -1 is "none". Usage: `struct ValueTag; using ValueId =
/// StrongId<ValueTag>;`
template <class Tag>
struct StrongId {
  int32_t value = -1;

  constexpr StrongId() = default;
  constexpr explicit StrongId(int32_t position) : value(position) {}
  constexpr explicit StrongId(size_t position) : value(static_cast<int32_t>(position)) {}

  constexpr bool valid() const { return value >= 0; }
  constexpr size_t index() const { return static_cast<size_t>(value); }
  friend constexpr auto operator<=>(StrongId, StrongId) = default;
};

}  // namespace tenon

template <class Tag>
struct std::hash<tenon::StrongId<Tag>> {
  size_t operator()(tenon::StrongId<Tag> id) const noexcept { return std::hash<int32_t>{}(id.value); }
};
