// Frames: C functions with typed holes, for ops that index notation cannot say.
//
//   frame     := {'// ' comment | '//= ' (parameter | 'value' statement)} C text
//   parameter := ('in' | 'out')['?'] name ':' type | 'extent'['?'] name+ | 'size' name+ ['=' integer] | 'real' name+
//   ['=' number]
//              | 'pack' name | 'work' name ':' element '[' elements ']'
//   type      := class | dtype | the name of a tensor above          element := dtype | 'key' '(' name ')'
// A `value` statement expresses an output by the other outputs; gradients are derived from it. Parameters have the
// names of the definition that uses the frame. The C function takes the pointers in their order, then the numbers in
// theirs. Pointers: tensors, work, the extents that the function writes, the extents of a pack. Numbers: `size` an
// int64_t (the product of a pack, the position of an enum's word, 0 or 1 of a bool), `real` a double, and the number of
// dims of a pack.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/number/dtype.h"
#include "ir/op/syntax.h"
#include "support/source_span.h"

namespace tenon {

enum class FrameParameterKind : uint8_t { input, output, extent, size, real, pack, work };

/// One argument of a frame's function.
struct FrameParameter {
  FrameParameterKind kind = FrameParameterKind::input;
  std::string name;
  bool optional = false;  ///< may be missing in the definition: NULL, or the default
  std::string type;  ///< tensors: a class, a dtype, or a tensor above; work: a dtype, or the tensor whose keys it holds
  bool keys = false;            ///< work: unsigned integers as wide as the elements of `type`
  std::optional<double> value;  ///< size, real: the default
  Syntax elements;              ///< work: how many, over the sizes above
  SourceSpan span;

  bool is_tensor() const { return kind == FrameParameterKind::input || kind == FrameParameterKind::output; }
  bool is_pointer() const { return kind != FrameParameterKind::size && kind != FrameParameterKind::real; }
};

/// A C template of templates/c. Holes: @name@, and for each tensor x the rows of frame_holes(), such as @x_type@.
struct Frame {
  std::string name;  ///< of the file, without .c.in
  std::vector<FrameParameter> parameters;
  std::string text;
  SourceSpan span;

  const FrameParameter* parameter(std::string_view name) const;
};

/// The holes that describe a tensor's element type.
struct FrameHole {
  std::string_view suffix;
  bool numeric;  ///< depends on more than the size of an element
  std::string (*text)(DType);
};

/// type: of an element in C; key: the unsigned type as wide, bits: its width; sign: the sign bit, or 0; infinity: the
/// bits of infinity, or 0.
const std::vector<FrameHole>& frame_holes();
/// The hole of a tensor: its name in lower case, and the row's suffix.
std::string frame_hole_name(const std::string& tensor, const FrameHole& hole);
/// The unsigned integer as wide as an element, which holds its sort key. None for 128 bits.
std::optional<DType> key_dtype(DType dtype);

/// In front of functions that use vectors: the level's target attribute.
inline constexpr std::string_view kTargetHole = "target";

/// `@i64_vector@`: the type of a value, `@i64_memory@`: the one that memory is accessed through, at any address;
/// `@i64_lanes@`: how many elements it has, 1 on levels without vectors; `@i64_min@`, `@i64_max@`: expressions over
/// vectors a and b, as are `@i64_zip_low@` and `@i64_zip_high@`, the elements of their lower or upper halves in turns,
/// and `@i64_even@` and `@i64_odd@`, every second element of both; `@i64_any_less@`: whether any element of a is less
/// than that of b.
enum class VectorHoleKind : uint8_t { vector, memory, lanes, min, max, zip_low, zip_high, even, odd, any_less };
struct VectorHole {
  DType dtype;
  VectorHoleKind kind;
};
std::optional<VectorHole> vector_hole(std::string_view hole);

/// Whether the text has vectors, so that it differs between levels.
bool has_vectors(const Frame&);

}  // namespace tenon
