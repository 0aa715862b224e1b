// What the parts of a Winograd convolution's lowering share: extents, buffers, scopes.
#pragma once

#include <string>
#include <vector>

#include "algebra/winograd_kernel.h"
#include "ir/nest/loop_nest.h"
#include "lower/contraction/contraction_builder.h"

namespace tenon {

/// Extents of the buffers of a strip, in elements. Pixels of a block of channels are adjacent, `lanes` elements
/// each, and so do the points of tiles: [point][tile][channel].
struct WinogradStrip {
  int outputs = 0, points = 0, neighbours = 0, lanes = 1;
  int step = 0;                                 ///< from one tile to the next, in pixels of the source
  int64_t strips = 1, tile_rows = 0;            ///< of the image; tile rows of each strip, the last one filled up
  int64_t tiles = 0;                            ///< of a strip
  int64_t line = 0;                             ///< pixels of a row of tiles, with those around them
  int64_t line_pitch = 0, result_pitch = 0;     ///< pixels of such a row, and of a row of results, in whole vectors
  int64_t channel_pitch = 0, filter_pitch = 0;  ///< from one tile to the next
  int64_t data_plane = 0, product_plane = 0;    ///< from one point to the next
};

/// `cached`: elements of V and W that a strip may have.
WinogradStrip plan_strip(const WinogradParts& w, int lanes, int64_t panel, int64_t cached);

/// A nest under construction: `b` has the buffers and names, `kernel` the three statements.
struct WinogradNest {
  ContractionBuilder& b;
  const Kernel& kernel;
  const WinogradParts& parts;
  WinogradStrip strip;
  ValueScope outer;                    ///< variables of the outer loops, by the names of every statement
  Operand first_row;                   ///< of the tiles of the strip
  LoopKind blocks = LoopKind::Serial;  ///< of the loops over blocks of channels and filters, and over rows in them
};

/// The statement V for a strip.
Block transform_data(WinogradNest& n);
/// The statement Y for a strip, from W.
Block transform_result(WinogradNest& n);

/// A loop that stores zeros to so many elements, a multiple of the lanes, from `offset` on.
Stmt clear_vectors(ContractionBuilder& b, int buffer, const Operand& offset, int64_t elements);
/// The transform's matrix applied by a call; buffers and steps are those of matrix_function.
Stmt apply_matrix(WinogradNest& n, bool to_points, std::vector<BufferArgument> buffers, std::vector<Operand> args);

/// A function (from, to; from_step, from_next, to_step, to_next, count): `count` times, columns of `matrix` many
/// vectors, from_step elements apart, become rows of it many, to_step apart; the next time begins from_next and to_next
/// elements on. What rows or columns have in common is computed once.
InnerFunction matrix_function(const Matrix& matrix, const std::string& name, const std::string& comment,
                              const OperandType& type);

}  // namespace tenon
