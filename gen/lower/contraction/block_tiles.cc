// The register tiles of a block of rows and one panel of columns.
#include <algorithm>

#include "algebra/nest_survey.h"
#include "lower/contraction/contraction_nest.h"
#include "support/ranges.h"

namespace tenon {
namespace {

Block from_left(ContractionNest& nest, const TilePlace& place, int height, int vectors) {
  ContractionBuilder& b = nest.b;
  if (nest.left.block_copy < 0) return register_tile(b, nest.left, place, height, vectors);
  TilePlace copied = place;
  copied.block_first = nest.block_first;
  return {s_if(copies_rows(nest), register_tile(b, nest.left, copied, height, vectors),
               register_tile(b, nest.left, place, height, vectors))};
}

/// A tile of all vectors, or of one where the columns fit into it.
Block any_width(ContractionNest& nest, const TilePlace& place, int height, const Operand& width) {
  ContractionBuilder& b = nest.b;
  const auto columns = constant_value(b.extent_of(b.c.columns));
  if (b.blueprint.tile_vectors == 1 || (columns && *columns <= b.lanes())) return from_left(nest, place, height, 1);
  if (constant_value(width)) return from_left(nest, place, height, b.blueprint.tile_vectors);
  return {s_if(v_apply(ScalarOp::Gt, {width, v_int(b.lanes())}),
               from_left(nest, place, height, b.blueprint.tile_vectors), from_left(nest, place, height, 1))};
}

/// The tile from its panel, or from the tensor where the panel is not packed.
Block from_right(ContractionNest& nest, const TilePlace& place, int height, const Operand& column,
                 const Operand& width) {
  ContractionBuilder& b = nest.b;
  if (nest.packing == Packing::Computed) return computed_tile(b, nest.left, place, column, height);
  if (nest.packing == Packing::All || nest.right.panel > 0) return any_width(nest, place, height, width);
  TilePlace direct = place;
  direct.right = {nest.right.buffer, nest.right.at(column, nest.n.depth)};
  direct.right_step = nest.right.depth_step;
  Block in_place = from_left(nest, direct, height, b.blueprint.tile_vectors);
  if (nest.packing == Packing::None) return in_place;
  if (constant_value(width))
    return nest.full ? Block{s_if(nest.full, any_width(nest, place, height, width), std::move(in_place))}
                     : std::move(in_place);
  const Operand partial = v_apply(ScalarOp::Lt, {width, v_int(b.panel_columns())});
  return {s_if(nest.full ? v_apply(ScalarOp::Or, {nest.full, partial}) : partial, any_width(nest, place, height, width),
               std::move(in_place))};
}

/// Whether finding a pointer for each row of a tile takes a noticeable part of its time: words of bytes are summed
/// fast, more rows than there are registers for are loaded again at each step, and few steps are over soon.
bool wants_one_pointer(ContractionNest& nest, int height) {
  ContractionBuilder& b = nest.b;
  constexpr int kPointers = 8, kFewSteps = 64;
  if (height != b.blueprint.tile_rows) return false;
  const auto steps = constant_value(b.extent_of(b.c.depth));
  return !b.c.paired.empty() || height > kPointers || (b.c.transposed && steps && *steps <= kFewSteps);
}

/// A tile whose rows are found once, before the columns are set.
Block tile_of(ContractionNest& nest, TilePlace place, int height, const Operand& column, const Operand& width) {
  ContractionBuilder& b = nest.b;
  Block out;
  if (wants_one_pointer(nest, height)) place.rows_from_first = rows_from_first(b, nest.left, height);
  if (nest.left.block_copy >= 0) place.row_step = even_row_step(b, nest.left);
  else place.row_starts = row_starts(b, nest.left, place, place.rows_from_first.empty() ? height : 1, out);
  append(out, from_right(nest, place, height, column, width));
  return out;
}

/// Where tiles of whole rows store their sums themselves: all columns are there, and nothing is done to the sums.
std::optional<TileStore> stored_tile(ContractionNest& nest, const TileExtent& tile) {
  ContractionBuilder& b = nest.b;
  if (b.first_part || constant_value(tile.columns) != b.panel_columns()) return std::nullopt;
  return stored_sums(b, tile.first_row, tile.first_column);
}

Block finish_tile(ContractionNest& nest, const TileExtent& tile, int height) {
  ContractionBuilder& b = nest.b;
  return b.c.transposed ? transposed_epilogue(b, tile, height) : epilogue(b, tile);
}

/// Sets the place of tile `t` of a block.
void place_tile(ContractionNest& nest, const Operand& row, const Operand& t) {
  nest.place.first_row = row;
  nest.place.ahead = requested_line(nest.b, nest.right, t, nest.n.depth);
}

/// Tile `t` of a block, whose rows all are there.
Block whole_tile(ContractionNest& nest, const TileExtent& tile, const Operand& t, int height) {
  place_tile(nest, tile.first_row, t);
  TilePlace place = nest.place;
  place.store = stored_tile(nest, tile);
  Block out = fetch_result(nest.b, tile);
  append(out, tile_of(nest, place, height, tile.first_column, tile.columns));
  if (!place.store) append(out, finish_tile(nest, tile, height));
  return out;
}

/// Tiles of one height, then one of exactly the rows left over, for all rows in one block.
Block exact_tiles(ContractionNest& nest, const TileExtent& block, int tall, int64_t rows) {
  const std::string t = nest.b.local("tile_row"), row = nest.b.local("row");
  const int64_t whole = rows / tall;
  const int low = static_cast<int>(rows % tall);
  const auto tile_at = [&](const Operand& first, int height) {
    return TileExtent{first, v_int(height), block.first_column, block.columns, nest.tile};
  };
  Block body{s_let(row, v_var(t) * v_int(tall))};
  append(body, whole_tile(nest, tile_at(v_var(row), tall), v_var(t), tall));
  Block out{s_for(t, v_int(0), v_int(whole), 1, std::move(body))};
  append(out, whole_tile(nest, tile_at(v_int(whole * tall), low), v_int(whole), low));
  return out;
}

/// Tiles of one height. The last one repeats the last row where rows are missing.
Block even_tiles(ContractionNest& nest, const TileExtent& block, int tall) {
  ContractionBuilder& b = nest.b;
  const std::string t = b.local("tile_row"), row = b.local("row"), height = b.local("height");
  place_tile(nest, v_var(row), v_var(t));
  const auto known = b.known_rows();
  const bool whole = known && *known % tall == 0;
  if (!whole) nest.place.row_end = nest.n.rows;
  const TileExtent tile{v_var(row), whole ? v_int(tall) : v_var(height), block.first_column, block.columns, nest.tile};
  Block body;
  if (whole) {
    body = whole_tile(nest, tile, v_var(t), tall);
  } else {
    body.push_back(s_count(height, smaller(v_int(tall), block.first_row + block.rows - v_var(row))));
    append(body, fetch_result(b, tile));
    append(body, tile_of(nest, nest.place, tall, tile.first_column, tile.columns));
    append(body, finish_tile(nest, tile, tall));
  }
  NestSurvey used;  // one row that is read in place has no number
  used.add(body);
  if (used.vars.count(row)) body.insert(body.begin(), s_let(row, block.first_row + v_var(t) * v_int(tall)));
  return {s_for(t, v_int(0), ceil_div(block.rows, tall), 1, std::move(body))};
}

/// Tiles of full height, then of `low` rows. The last one repeats the last row where rows are missing.
Block mixed_tiles(ContractionNest& nest, const TileExtent& block, int tall, int low) {
  ContractionBuilder& b = nest.b;
  const std::string t = b.local("tile_row"), whole = b.local("whole_tiles"), row = b.local("row"),
                    height = b.local("height");
  const Operand in_whole = smaller(v_var(t), v_var(whole)), past = v_var(t) - in_whole;
  const Operand is_whole = v_apply(ScalarOp::Lt, {v_var(t), v_var(whole)});
  const Operand& column = block.first_column;
  const TileExtent tall_tile{v_var(row), v_int(tall), column, block.columns, nest.tile},
      partial{v_var(row), v_var(height), column, block.columns, nest.tile};
  const auto rows_of = [&](const Operand& most) {
    return s_count(height, smaller(most, block.first_row + block.rows - v_var(row)));
  };
  place_tile(nest, v_var(row), v_var(t));
  TilePlace clamped = nest.place;
  clamped.row_end = nest.n.rows;
  TilePlace complete = nest.place;
  complete.store = stored_tile(nest, tall_tile);
  Block all = fetch_result(b, tall_tile);
  append(all, tile_of(nest, complete, tall, column, block.columns));
  Block some = tile_of(nest, clamped, low, column, block.columns);
  Block body{s_count(row, block.first_row + in_whole * v_int(tall) + past * v_int(low))};
  if (b.c.transposed || complete.store) {
    if (!complete.store) append(all, finish_tile(nest, tall_tile, tall));
    some.push_back(rows_of(v_int(low)));
    append(some, finish_tile(nest, partial, low));
    body.push_back(s_if(is_whole, std::move(all), std::move(some)));
  } else {
    body.push_back(rows_of(v_select(is_whole, v_int(tall), v_int(low))));
    body.push_back(s_if(is_whole, std::move(all), std::move(some)));
    append(body, epilogue(b, partial));
  }
  const Operand left_over = ceil_div(block.rows - v_var(whole) * v_int(tall), low);
  return {s_let(whole, floor_div(block.rows, v_int(tall))),
          s_for(t, v_int(0), v_var(whole) + left_over, 1, std::move(body))};
}

/// Whether a remainder of rows known only at run time is better computed by one more tile of full height that repeats
/// the last row: small tiles have too few sums to keep two multipliers busy, so two of them take longer.
bool small_tiles_wait(ContractionNest& nest) {
  ContractionBuilder& b = nest.b;
  constexpr int kBusy = 8, kFewRows = 6;
  return b.lanes() > 1 && !b.c.transposed && !b.known_rows() && b.blueprint.tile_rows <= kFewRows &&
         b.blueprint.leftover_rows * b.blueprint.tile_vectors < kBusy;
}

}  // namespace

Block block_tiles(ContractionNest& nest, const TileExtent& block) {
  ContractionBuilder& b = nest.b;
  const int tall = b.blueprint.tile_rows, most_low = b.blueprint.leftover_rows;
  const auto known = b.c.transposed ? std::nullopt : b.known_rows();
  if (most_low == 0 || (known && *known % tall == 0) || small_tiles_wait(nest)) return even_tiles(nest, block, tall);
  const int low = known ? static_cast<int>(std::min<int64_t>(*known % tall, most_low)) : most_low;
  if (known && *known < tall) return even_tiles(nest, block, low);
  const bool one_block = known && constant_value(nest.n.rows_a_block).value_or(0) >= *known;
  if (one_block && *known % tall == low) return exact_tiles(nest, block, tall, *known);
  return mixed_tiles(nest, block, tall, low);
}

}  // namespace tenon
