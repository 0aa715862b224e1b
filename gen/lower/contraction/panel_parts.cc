// Few rows times a right side that the caches do not hold: its panels are read in place, by parts of the depth.
#include <algorithm>

#include "lower/contraction/contraction_nest.h"

namespace tenon {
namespace {

constexpr int64_t kPartDepth = 128;  ///< lines of a panel that stay in the first-level cache, next to those of another
constexpr int64_t kMostTiles = 12;   ///< of rows: more of them make up for a copy of the panel

/// Whether a call has few rows and a large right side.
Operand is_few_and_far(ContractionBuilder& b) {
  const Operand depth = b.extent_of(b.c.depth), columns = b.extent_of(b.c.columns);
  const int64_t stay = kSecondLevel / bytes_of(b.c.accumulator);
  constexpr int64_t kLowTiles = 2, kShort = 32, kSteps = 16;  // the last for each row: storing sums takes little then
  const Operand rows = b.extent_of(b.c.rows) * b.extent_of(b.c.outer_left);
  const auto is_few = [&](int64_t tiles, const Operand& least) {
    const Operand fit = v_apply(ScalarOp::Le, {rows, v_int(tiles * b.blueprint.tile_rows)});
    return v_apply(ScalarOp::And, {fit, v_apply(ScalarOp::Ge, {depth, least})});
  };
  const Operand few =
      v_apply(ScalarOp::Or, {is_few(kLowTiles, v_int(kShort)), is_few(kMostTiles, rows * v_int(kSteps))});
  const Operand far = v_apply(ScalarOp::Gt, {depth * columns, v_int(stay)});
  const Operand wide = v_apply(ScalarOp::Gt, {columns, v_int(b.panel_columns())});
  return v_apply(ScalarOp::And, {v_apply(ScalarOp::And, {few, wide}), far});
}

/// Panels of a group: their rows are read in runs of several lines of the cache.
int64_t panels_of_a_group(const ContractionBuilder& b) {
  constexpr int64_t kRun = 2048;  // bytes
  return std::max<int64_t>(1, kRun / (b.panel_columns() * bytes_of(b.c.accumulator)));
}

/// The sums of all tiles of a group. Those of a panel that lacks columns are at the end of its rows, and are read by
/// whole vectors: one more after the last row.
int add_sums(ContractionNest& nest) {
  ContractionBuilder& b = nest.b;
  const Operand panels = ceil_div(b.extent_of(b.c.columns), b.panel_columns()),
                tiles = ceil_div(b.extent_of(b.c.rows), b.blueprint.tile_rows),
                kept = smaller(panels, v_int(panels_of_a_group(b))) * smaller(tiles, v_int(kMostTiles));
  const Operand elements = kept * v_int(int64_t{b.blueprint.tile_rows} * b.panel_columns()) + v_int(b.lanes());
  return b.add_buffer("part_sums", b.c.accumulator, Storage::Workspace,
                      v_select(is_few_and_far(b), elements, v_int(0)));
}

/// A part of the depth, and a panel of a group.
struct PanelPart {
  Operand first, depth;
  Operand panel;  ///< counted from the first of the group
};

/// Rows of tiles whose sums just keep two multipliers busy; 0 where all tiles are as low.
int low_rows(const ContractionBuilder& b) {
  constexpr int kBusy = 8;
  const int low = kBusy / b.blueprint.tile_vectors;
  return low < b.blueprint.tile_rows ? low : 0;
}

/// Whether low tiles, one or two, are enough for all rows where as many high ones have more than needed.
Operand takes_low_tiles(ContractionNest& nest) {
  const int low = low_rows(nest.b), tall = nest.b.blueprint.tile_rows;
  const auto at_most = [&](int rows) { return v_apply(ScalarOp::Le, {nest.n.rows, v_int(rows)}); };
  if (2 * low <= tall) return at_most(low);
  const Operand two = v_apply(ScalarOp::And, {v_apply(ScalarOp::Gt, {nest.n.rows, v_int(tall)}), at_most(2 * low)});
  return v_apply(ScalarOp::Or, {at_most(low), two});
}

/// The place of a tile of rows for one part of a panel. A panel that lacks columns begins with some of the one before.
TilePlace part_place(ContractionNest& nest, const PanelPart& part, const Operand& row, const Operand& column) {
  ContractionBuilder& b = nest.b;
  TilePlace place;
  place.first_row = row;
  place.row_end = nest.n.rows;
  place.first_depth = part.first;
  place.depth = part.depth;
  place.adds_up = true;
  place.tile = nest.tile;
  if (nest.left.block_copy >= 0) place.row_step = even_row_step(b, nest.left);
  const Operand first = smaller(column, nest.n.columns - v_int(b.panel_columns()));
  place.right = {nest.right.buffer, nest.right.at(first, nest.n.depth)};
  place.right_step = nest.right.depth_step;
  return place;
}

/// All tiles of rows for one part of one panel; where it is the last part, they are finished.
Block part_tiles(ContractionNest& nest, const PanelPart& part, const Operand& column, const Operand& width) {
  ContractionBuilder& b = nest.b;
  const std::string t = b.local("row_tile"), row = b.local("row"), height = b.local("height"), at = b.local("sums_at");
  const int tall = b.blueprint.tile_rows, low = low_rows(b), vectors = b.blueprint.tile_vectors;
  const Operand panel_columns = v_int(b.panel_columns()), most = low > 0 ? v_var(b.local("tile_rows")) : v_int(tall),
                tiles = v_var(b.local("row_tiles"));
  TilePlace place = part_place(nest, part, v_var(row), column);
  place.sums_at = v_var(at);
  Block call = register_tile(b, nest.left, place, tall, vectors);
  if (low > 0) {
    const Operand is_tall = v_apply(ScalarOp::Eq, {most, v_int(tall)});
    call = {s_if(is_tall, std::move(call), register_tile(b, nest.left, place, low, vectors))};
  }
  const Operand last = v_apply(ScalarOp::Ge, {part.first + part.depth, nest.n.depth});
  const TileExtent tile{v_var(row), v_var(height), column, width, nest.tile, 0, v_var(at) + panel_columns - width};
  const Operand sums = (part.panel * tiles + v_var(t)) * v_int(tall) * panel_columns;
  Block end{s_count(height, smaller(most, nest.n.rows - v_var(row)))};
  append(end, epilogue_of_any_width(b, tile));
  Block body{s_let(row, v_var(t) * most), s_let(at, sums)};
  append(body, std::move(call));
  body.push_back(s_if(last, std::move(end)));
  return {s_for(t, v_int(0), tiles, 1, std::move(body))};
}

}  // namespace

bool may_read_parts(ContractionNest& nest) {
  ContractionBuilder& b = nest.b;
  const auto columns = constant_value(b.extent_of(b.c.columns));
  if (columns && *columns <= b.panel_columns()) return false;
  return b.lanes() > 1 && is_float(b.c.accumulator) && varies(nest) && nest.packing == Packing::Asked &&
         b.c.depth.size() == 1 && b.c.paired.empty() && !b.c.transposed && b.c.left_offset == 0 && !b.most_depth &&
         nest.left.depth_step;
}

Operand reads_parts(ContractionNest& nest) {
  if (constant_value(nest.right.column_step) == 1) return is_few_and_far(nest.b);
  return v_apply(ScalarOp::And, {is_few_and_far(nest.b), v_apply(ScalarOp::Eq, {nest.right.column_step, v_int(1)})});
}

Block tiles_by_parts(ContractionNest& nest) {
  ContractionBuilder& b = nest.b;
  const std::string group = b.local("near_panels"), first = b.local("first_panel"), panels = b.local("panels_here"),
                    p = b.local("near_panel"), part = b.local("depth_part"), begin = b.local("first_depth"),
                    depth = b.local("part_depth"), column = b.local("column_at"), width = b.local("tile_width");
  nest.tile = add_sums(nest);
  const Operand columns = nest.n.columns, all = ceil_div(columns, b.panel_columns()),
                most = v_int(panels_of_a_group(b));
  Block of_panel{s_let(column, (v_var(first) + v_var(p)) * v_int(b.panel_columns())),
                 s_count(width, smaller(columns - v_var(column), v_int(b.panel_columns())))};
  append(of_panel, part_tiles(nest, {v_var(begin), v_var(depth), v_var(p)}, v_var(column), v_var(width)));
  Block of_part{s_let(begin, v_var(part) * v_int(kPartDepth)),
                s_count(depth, smaller(v_int(kPartDepth), nest.n.depth - v_var(begin))),
                s_for(p, v_int(0), v_var(panels), 1, std::move(of_panel))};
  Block of_group{s_let(first, v_var(group) * most), s_count(panels, smaller(most, all - v_var(first))),
                 s_for(part, v_int(0), ceil_div(nest.n.depth, kPartDepth), 1, std::move(of_part))};
  Block groups{with_kind(LoopKind::Parallel, s_for(group, v_int(0), ceil_div(all, most), 1, std::move(of_group)))};
  const int tall = b.blueprint.tile_rows, low = low_rows(b);
  Block out{s_let(b.local("row_tiles"), ceil_div(nest.n.rows, tall))};
  if (low > 0) out.push_back(s_let(b.local("tile_rows"), v_select(takes_low_tiles(nest), v_int(low), v_int(tall))));
  append(out, loops_over(b, b.c.outer_left, std::move(groups), LoopKind::Parallel));
  return out;
}

}  // namespace tenon
