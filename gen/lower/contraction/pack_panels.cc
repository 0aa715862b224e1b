// Which panels of a contraction's right side are copied, and how many of them at a time.
#include <algorithm>
#include <numeric>

#include "lower/contraction/contraction_nest.h"

namespace tenon {
namespace {

constexpr int64_t kPages = 64;    ///< whose addresses a processor has at hand
constexpr int64_t kFewTiles = 4;  ///< of rows: they read each panel

/// Read by one tile, or by few from so few rows that their pages stay known and the second-level cache serves what
/// the first cannot hold: a copy would be read and written once too. Not if all rows map to the same set of the
/// cache.
bool reads_seldom(ContractionNest& nest, int64_t rows) {
  ContractionBuilder& b = nest.b;
  constexpr int64_t kWay = 4096;
  const auto depth = constant_value(b.extent_of(b.c.depth)), step = constant_value(nest.right.depth_step);
  const bool apart = !step || *step * bytes_of(b.c.accumulator) % kWay != 0;
  return rows <= b.blueprint.tile_rows ||
         (rows <= kFewTiles * b.blueprint.tile_rows && depth && *depth <= kPages && apart);
}

/// Rows at known addresses that do not conflict in the caches, or conflict in few enough sets. Vectors of less than a
/// cache line make tiles that end within lines; their rows have to be in few pages, too.
bool reads_well_in_place(ContractionNest& nest) {
  ContractionBuilder& b = nest.b;
  const auto step = constant_value(nest.right.depth_step), depth = constant_value(b.extent_of(b.c.depth));
  if (!step) return false;
  constexpr int64_t kWay = 4096, kWays = 8,
                    kCoarse = 1024;  // bytes that are in different sets of a cache, and lines that a set holds
  const int64_t bytes = *step * bytes_of(b.c.accumulator);
  const int64_t pages = depth.value_or(1) * std::min(bytes, kPage) / kPage;
  if (b.isa.vector_bits < kLineBits && pages > kPages) return false;
  if (bytes % kCoarse != 0) return true;
  return depth && *depth * std::gcd(bytes, kWay) <= kWay * kWays / 2;
}

/// Of packed columns that stay in the second-level cache, next to rows.
int64_t near_elements(ContractionNest& nest) {
  constexpr int kNearer = 8;
  return nest.b.blueprint.cache_n / kNearer;
}

Operand columns_in(ContractionNest& nest, int64_t elements) {
  ContractionBuilder& b = nest.b;
  const int64_t panel = b.panel_columns();
  return larger(floor_div(v_int(elements / panel), larger(b.extent_of(b.c.depth), v_int(1))), v_int(1)) * v_int(panel);
}

/// Columns that stay in the second-level cache; at least those of the panels that are copied together where few tiles
/// read each: a copy that is read so seldom may be further away.
Operand near_columns(ContractionNest& nest) {
  ContractionBuilder& b = nest.b;
  const Operand near = columns_in(nest, near_elements(nest));
  const Operand wide =
      smaller(columns_in(nest, b.blueprint.cache_n), larger(near, v_int(kPanelsTogether * b.panel_columns())));
  return v_select(v_apply(ScalarOp::Le, {nest.n.rows, v_int(kFewTiles * b.blueprint.tile_rows)}), wide, near);
}

/// Whether a right side of known extents is packed as a whole, though not all of it stays in a cache of its own:
/// workers share the panels and the rows of one block of columns, not those of several, which follow each other.
bool stays_whole(ContractionNest& nest) {
  constexpr int64_t kShared = 4;
  const auto depth = constant_value(nest.b.extent_of(nest.b.c.depth)),
             columns = constant_value(nest.b.extent_of(nest.b.c.columns));
  return !nest.staged && depth && columns &&
         *depth <= kShared * nest.b.blueprint.cache_n / std::max<int64_t>(*columns, 1);
}

/// Whether a panel in place has as many pages as rows, and all panels have more than a processor has at hand: each line
/// of it waits for its address, but runs of several panels do not. For vectors: copying single elements takes longer.
Operand strays(ContractionNest& nest) {
  constexpr int64_t kRows = 1024, kAllPages = 1536;
  const int64_t known = kAllPages * kPage / bytes_of(nest.b.c.accumulator);
  return v_apply(ScalarOp::And, {v_apply(ScalarOp::Gt, {nest.n.depth, v_int(kRows)}),
                                 v_apply(ScalarOp::Gt, {nest.n.depth * nest.n.columns, v_int(known)})});
}

}  // namespace

Packing how_to_pack(ContractionNest& nest) {
  ContractionBuilder& b = nest.b;
  if (nest.right.panel > 0) return Packing::None;
  const bool one_by_one = nest.left.depth_step && nest.left.block_copy < 0 && !b.repeats && !nest.whole_panels &&
                          !b.most_depth && !b.most_columns;
  if (nest.right.buffer < 0 && one_by_one && computes_right(b)) return Packing::Computed;
  if (nest.right.buffer < 0 || b.repeats) return Packing::All;
  const auto rows = b.known_rows(), columns = constant_value(b.extent_of(b.c.columns));
  const bool unit = constant_value(nest.right.column_step) == 1;
  if (unit && ((rows && reads_seldom(nest, *rows)) || reads_well_in_place(nest)))
    return columns && *columns % b.panel_columns() == 0 ? Packing::None : Packing::Tail;
  return unit && rows ? Packing::All : Packing::Asked;
}

Operand packs(ContractionNest& nest) {
  ContractionBuilder& b = nest.b;
  const int64_t tall = b.blueprint.tile_rows, stay = kSecondLevel / bytes_of(b.c.accumulator);
  const Operand rows = nest.n.rows * b.extent_of(b.c.outer_left);
  const Operand often = v_apply(ScalarOp::Or, {v_apply(ScalarOp::Gt, {rows, v_int(kFewTiles * tall)}),
                                               v_apply(ScalarOp::Gt, {nest.n.depth * nest.n.columns, v_int(stay)})});
  const Operand several = v_apply(ScalarOp::And, {v_apply(ScalarOp::Gt, {nest.n.rows, v_int(tall)}), often});
  const bool copies = b.isa.vector_bits > 0 && !may_read_parts(nest);
  const Operand reused = copies ? v_apply(ScalarOp::Or, {several, strays(nest)}) : several;
  if (constant_value(nest.right.column_step) == 1) return reused;
  return v_apply(ScalarOp::Or, {reused, v_apply(ScalarOp::Ne, {nest.right.column_step, v_int(1)})});
}

int64_t panels_nearby(ContractionNest& nest) {
  ContractionBuilder& b = nest.b;
  constexpr int64_t kBlocks = 32, kTogether = 4, kElements = 1 << 16;
  const auto rows = b.known_rows(), height = constant_value(nest.n.rows_a_block),
             depth = constant_value(b.extent_of(b.c.depth)), columns = constant_value(b.extent_of(b.c.columns));
  if (nest.packing != Packing::All || nest.staged || !rows || !height || *rows > *height || !depth || !columns ||
      *depth * b.panel_columns() > kElements || constant_value(b.extent_of(b.c.outer_left)) != 1)
    return 0;
  return std::clamp<int64_t>(*columns / b.panel_columns() / kBlocks, 1, kTogether);
}

Operand block_columns(ContractionNest& nest) {
  ContractionBuilder& b = nest.b;
  const Operand all = b.extent_of(b.c.columns);
  if (nest.staged && (!varies(nest) || b.blueprint.shared)) return all;
  if (nest.whole_panels || nest.right.panel > 0 || nest.packing == Packing::Computed) return all;
  if (const int64_t nearby = panels_nearby(nest); nearby > 0) return v_int(nearby * b.panel_columns());
  if (stays_whole(nest)) return all;
  const bool near = varies(nest) && nest.left.block_copy < 0;
  const Operand block = smaller(all, columns_in(nest, near ? near_elements(nest) : b.blueprint.cache_n));
  return nest.staged ? v_select(are_several_copies(nest), all, block) : block;
}

Operand columns_at_a_time(ContractionNest& nest) {
  if (!varies(nest) || nest.left.block_copy < 0 || nest.right.panel > 0 || nest.whole_panels)
    return block_columns(nest);
  const Operand near = smaller(nest.b.extent_of(nest.b.c.columns), near_columns(nest));
  return v_select(v_apply(ScalarOp::And, {copies_rows(nest), replaces_rows(nest)}), block_columns(nest), near);
}

}  // namespace tenon
