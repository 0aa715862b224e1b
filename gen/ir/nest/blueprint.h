// Blueprints: how a kind of kernel is scheduled on an ISA level, as rows that a person can read, edit and commit.
//
//   blueprint := kernel pattern, kind, isa pattern, dtype pattern, parameters
//   pattern   := name | '*'           the first row that fits is taken, so special rows are before general ones
//   a kernel pattern may end in '*': conv2d* fits conv2d_relu_3
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/nest/isa.h"
#include "ir/number/dtype.h"

namespace tenon {

constexpr int kLargestParameter = 1 << 20;

/// One row. Which parameters a kind has, and which of them it needs, says gen/schedule/read_blueprints.cc; the others
/// keep these values.
struct Blueprint {
  std::string name;  ///< for the kernel's banner, such as "contraction/x86-64-v4"
  std::string kind;  ///< contraction, contraction_transposed, contraction_transposed_narrow, filter_lines, stencil,
                     ///< winograd, row_chain, map, reduction
  std::string kernel = "*";  ///< a kernel's name, or how the names of kernels begin
  std::string isa = "*";     ///< a name of all_isas
  std::string dtype = "*";  ///< contractions: what they sum in; maps and reductions: f64 where the widest elements have
                            ///< 8 bytes, else f32
  int tile_rows = 0;        ///< register tile: rows of the output
  int tile_vectors = 1;     ///< register tile: vectors across
  int leftover_rows = 0;    ///< register tile: rows of the one for rows left over
  int known_rows = 0;       ///< register tile: most rows where the number of rows is known; 0: tile_rows
  int cache_m = 0;          ///< cache tile: elements of the left operand, or of what is between two products
  int cache_n = 0;          ///< cache tile: elements of the packed right operand
  int rows_in_registers = 0;  ///< rows of a stencil's strips whose taps are all in registers; 0: as many as of others
  int strip_pixels = 0;       ///< larger planes of a stencil are copied a strip at a time; 0: as a whole
  int least_rows = 0;         ///< fewer rows of a chain are not worth panels
  int row_multiple = 0;       ///< what the rows in a chain's blocks are multiples of
  int accumulators = 0;       ///< independent vector accumulators of a reduction
  int unroll = 0;             ///< vectors in an iteration of a map
  int prefetch_bytes = 0;  ///< how far a reduction prefetches, or a map that calls functions or is next to other loops
  bool shared = false;     ///< in a library: workers share the loops

  bool operator==(const Blueprint&) const = default;
};

/// All rows in order of the files, and inside a file in order of the text.
struct Blueprints {
  std::vector<Blueprint> rows;

  /// The first row that fits; null if there is none.
  const Blueprint* find(std::string_view kind, std::string_view isa, DType dtype) const;
  /// The same for a level: where no row names it, that of the level that it extends.
  const Blueprint* find(std::string_view kind, const Isa& isa, DType dtype) const;
  /// The rows that fit a kernel.
  Blueprints of_kernel(std::string_view name) const;
};

/// Whether a pattern of names fits a name.
bool fits_kernel(std::string_view pattern, std::string_view name);

}  // namespace tenon
