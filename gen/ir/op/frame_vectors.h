// Holes of frames that depend on the instruction-set level: its vectors of a type.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/op/frame.h"

namespace tenon {

/// In front of functions that use vectors: the level's target attribute.
inline constexpr std::string_view kTargetHole = "target";

/// `@i64_vector@`: the type of a value, `@i64_memory@`: the one that memory is accessed through, at any address;
/// `@i64_lanes@`: how many elements it has, 1 on levels without vectors; `@i64_min@`, `@i64_max@`: expressions over
/// vectors a and b, as are `@i64_zip_low@` and `@i64_zip_high@`: the elements of their lower or upper halves in turns.
enum class VectorHoleKind : uint8_t { vector, memory, lanes, min, max, zip_low, zip_high };
struct VectorHole {
  DType dtype;
  VectorHoleKind kind;
};
std::optional<VectorHole> vector_hole(std::string_view hole);

/// Whether the text has vectors, so that it differs between levels.
bool has_vectors(const Frame&);

}  // namespace tenon
