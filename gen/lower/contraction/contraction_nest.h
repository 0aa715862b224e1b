// A contraction's loop nest under construction: what its files share.
#pragma once

#include "lower/contraction/contraction_builder.h"

namespace tenon {

/// Names of lets that the whole nest uses.
struct NestExtents {
  Operand rows, columns, depth;
  Operand row_block;     ///< rows of a block, a multiple of the tile's
  Operand rows_a_block;  ///< the same, as a number where it is one
};

/// Which panels of the right side are copied: none, none because the only tile computes the elements, the last one if
/// it is not whole, all, or as a run-time condition decides.
enum class Packing : uint8_t { None, Computed, Tail, All, Asked };

struct ContractionNest {
  ContractionBuilder& b;
  NestExtents n;
  LeftAccess left = {};
  RightAccess right = {};
  bool staged = false;        ///< the left side is copied
  bool whole_panels = false;  ///< all columns are one block
  Packing packing = Packing::All;
  int packed = -1, tile = -1;  ///< buffers of panels and of a tile's sums
  Operand full = {};           ///< Packing::Asked: whether all panels are copied
  TilePlace place = {};        ///< of the tile that is built
  Operand block_first = {};    ///< row that a copied block of rows starts with
  Operand missing = {};        ///< set: whether a copied block of rows is not there from the columns before
};

/// Whether only run time knows the sizes of the right side.
bool varies(ContractionNest& nest);
/// Whether the left side is copied for several outer iterations.
Operand are_several_copies(ContractionNest& nest);
/// Whether blocks of rows are copied: their depth has no unit step.
Operand copies_rows(ContractionNest& nest);
/// Whether one copied block of rows takes the place of another before the next columns.
Operand replaces_rows(ContractionNest& nest);

// ---- pack_panels.cc
Packing how_to_pack(ContractionNest& nest);
/// Whether panels pay off: the right side is read more than once, and more than a few times where it stays in the
/// second-level cache, or cannot be read in place.
Operand packs(ContractionNest& nest);
/// The most columns packed at a time, from the kernel's sizes alone; all of them where the left side is copied for
/// several outer iterations, or once and each worker takes some of the panels.
Operand block_columns(ContractionNest& nest);
/// The same at run time: as many as stay in the second-level cache until all rows have read them, unless each block
/// of columns would copy the rows again.
Operand columns_at_a_time(ContractionNest& nest);
/// Panels that are made just before the tiles that read them, where all rows are one block, so that no panel is read
/// again later: a few, but not so few blocks of them that workers would wait. 0 elsewhere.
int64_t panels_nearby(ContractionNest& nest);

// ---- panel_parts.cc
/// Whether few rows may read panels of a right side that the caches do not hold in place, by parts of the depth.
bool may_read_parts(ContractionNest& nest);
/// Whether they do.
Operand reads_parts(ContractionNest& nest);
/// All tiles, part by part of the depth for groups of adjacent panels: only a few pages are read at a time, a part of a
/// panel stays in the first-level cache for all rows, and a tile keeps its sums until the last part.
Block tiles_by_parts(ContractionNest& nest);

// ---- sum_tiles.cc
/// Whether sums of products may be added up along the depth, both sides read in place.
bool may_add_along_depth(ContractionNest& nest);
/// Whether they are: both sides are dense there, and few rows or columns would not make up for a copy of the right
/// side.
Operand adds_along_depth(ContractionNest& nest);
/// All tiles, each of the vectors of a few rows and columns: those of a group of columns for some rows after the other.
Block tiles_along_depth(ContractionNest& nest);

// ---- block_tiles.cc
/// The tiles of a block of rows and one panel of columns: of full height, then of the small height for the rows left
/// over. If their number is known, no row is computed unnecessarily, except in transposed tiles, whose small tiles are
/// columns of whole vectors.
Block block_tiles(ContractionNest& nest, const TileExtent& block);

}  // namespace tenon
