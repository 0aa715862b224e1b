// The strip of a stencil: the sums that stay in registers over all taps, as a function of its own.
#pragma once

#include <optional>
#include <vector>

#include "lower/contraction/contraction_builder.h"

namespace tenon {

/// A plane of short rows. They are `pitch` pixels apart in the copy, so that each tap is one distance for the whole
/// plane: the vectors run over all of it, and the sums between the rows are left out afterwards. A plane that needs few
/// vectors has others next to it, whose sums do not wait for its own.
struct ShortRows {
  int64_t rows = 0, columns = 0, pitch = 0;
  int vectors = 0;  ///< that cover the plane and the gaps between its rows
  int planes = 1;
  int64_t plane_step = 0, weight_step = 0;  ///< elements from one plane to the next: of the copy, of the weights

  int64_t pixels() const { return rows * columns; }
};

/// Taps side by side that one word of bytes holds; one tap where there are no words.
struct TapGroup {
  int64_t at = 0;  ///< offset of the first one's pixels
  int first = 0, count = 1;
};
/// The taps in groups of up to `most` whose pixels are next to each other.
std::vector<TapGroup> tap_groups(const std::vector<int64_t>& taps, int most);

/// The description of a strip. `taps` empty: the offsets of the taps come from a table, or are a step apart.
struct StripShape {
  int height = 0;
  int64_t stride = 1;    ///< of pixels along the line
  int64_t row_step = 0;  ///< elements from one vector of the strip to the next, with known taps or of a plane
  std::vector<int64_t> taps;
  int64_t weight_step = 0;
  int table = -1;
  DType table_type = DType::I64;
  DType weight_type = DType::F32;                 ///< as they are stored; they are widened where they are loaded
  std::optional<ShortRows> plane = std::nullopt;  ///< the strip is all of it
  int64_t row_pitch = 0;  ///< > 0: elements of the tile from one row to the next, fewer than a vector has
};

/// Elements of the tile from one plane to the next.
int64_t tile_pitch(const ContractionBuilder& b, const ShortRows& p);

/// Its function. Buffers: the rows (one for all where they are at known distances), the weights, the tile, and the
/// offsets of the taps where there is a table.
InnerFunction strip_function(ContractionBuilder& b, const StripShape& shape);

/// Where the first pixels and the weights of a strip are.
struct StripPlace {
  BufferArgument pixels, weights;
};
/// The number of rows that exist, passed to a strip's function.
struct StripRows {
  const LeftAccess& left;
  Operand count, weight_step;
};
/// `plain`, the call of a strip's function, or where its rows are as far apart as the taps down the plane one of a
/// function that loads one vector a tap: the value of a row at one tap is that of the row above at the next tap.
Stmt sliding_or(ContractionBuilder& b, const StripShape& shape, const StripRows& rows, Stmt plain);

/// The statements of a strip with known taps in the nest itself, added to `out`; the sums of its rows.
std::vector<Operand> strip_sums(ContractionBuilder& b, const StripShape& shape, const StripPlace& place, Block& out);

// ---- contraction_stencil.cc
constexpr int kForPixels = 3;  ///< registers of a strip that hold pixels
/// Whether the pixels of a plane are one line: a convolution along one dimension.
bool is_line(const ContractionBuilder& b);
/// Offset and step of the weights over the taps; clears `possible` where they are no single line.
AffineForm weights_of(ContractionBuilder& b, const Read* read);
/// Operations of the statement's expression around the sums, of which elementary functions count as `function`.
int64_t epilogue_operations(const ContractionBuilder& b, int64_t function);
/// Whether they are few enough to be repeated for each row of a strip.
bool short_epilogue(const ContractionBuilder& b);

// ---- stencil_planes.cc
/// Stride of the pixels along a line, where strips can take them.
std::optional<int64_t> pixel_stride(const ContractionBuilder& b, const LeftAccess& left);
/// The plane, where vectors over all of it are clearly fewer than vectors along its rows and have their registers.
std::optional<ShortRows> short_rows(ContractionBuilder& b, const LeftAccess& left);
/// The number of planes of short rows in one strip: a divisor of all planes, with registers for the sums.
int planes_a_strip(ContractionBuilder& b);
/// Makes so many planes the outermost rows of a strip, copied at a time.
void take_planes(ContractionBuilder& b, int planes);
/// What short_rows is with so many planes, tried on a copy of the builder.
std::optional<ShortRows> try_planes(ContractionBuilder b, int planes);

// ---- stencil_image.cc
/// The loops over strips that read the image itself. Empty where the image needs a copy, or where that is faster.
Block strips_of_image(ContractionBuilder& b, const Read& weights);

// ---- stencil_in_place.cc
/// Where a tap sees a pixel for row 0 and column 0 of the result: elements from one plane, row and column.
struct PixelTap {
  int64_t plane = 0, down = 0, across = 0;
};
/// The image of a stencil that strips read themselves: extents, strides and taps are numbers, and it is 0 outside.
struct StencilImage {
  int buffer = -1;
  Operand base;  ///< what the outer variables add
  int64_t height = 0, width = 0, pitch = 0;
  int64_t row_step = 1, column_step = 1;  ///< rows and columns of the image from one of the result to the next
  std::vector<PixelTap> taps;
};
std::optional<StencilImage> find_image(ContractionBuilder& b);
struct StencilWeights {
  BufferArgument first;
  int64_t step = 0;
};
struct RowsInPlace {
  int height = 0;
  Operand first;
  bool stores_sums = true;  ///< from their registers; else the epilogue is a loop over a tile
};
/// The statements of a strip of rows over all columns, whose sums stay in registers. Clears `possible` if they cannot
/// be stored.
Block strip_in_place(ContractionBuilder& b, const StencilImage& image, const StencilWeights& weights,
                     const RowsInPlace& rows);

}  // namespace tenon
