// Blocks a contraction for the caches: panels of the right side, blocks of rows, register tiles, epilogue.
#include "lower/contraction/contraction_nest.h"

#include "algebra/nest_survey.h"
#include "support/ranges.h"

namespace tenon {

bool varies(ContractionNest& nest) {
  ContractionBuilder& b = nest.b;
  return !constant_value(b.extent_of(b.c.columns)) || !constant_value(b.extent_of(b.c.depth));
}

Operand are_several_copies(ContractionNest& nest) {
  return v_apply(ScalarOp::Gt, {nest.b.extent_of(nest.b.c.outer_left), v_int(1)});
}

Operand copies_rows(ContractionNest& nest) { return v_apply(ScalarOp::Ne, {nest.left.depth_step, v_int(1)}); }

Operand replaces_rows(ContractionNest& nest) {
  const Operand blocks = v_apply(ScalarOp::Gt, {nest.n.rows, nest.n.row_block}), copies = are_several_copies(nest);
  return constant_value(copies) == 0 ? blocks : v_apply(ScalarOp::Or, {blocks, copies});
}

namespace {

Operand round_up(ContractionNest& nest, const Operand& columns) {
  return ceil_div(columns, nest.b.panel_columns()) * v_int(nest.b.panel_columns());
}

bool reads_in_place(ContractionNest& nest) {
  return nest.packing == Packing::Tail || (nest.packing == Packing::None && nest.right.panel == 0);
}

/// Makes all rows of a copy that stays in the second-level cache one block where several such copies, one after the
/// other, read panels that do not stay there.
void join_rows(ContractionNest& nest, Block& before) {
  ContractionBuilder& b = nest.b;
  const auto rows = b.known_rows(), height = constant_value(nest.n.rows_a_block);
  if (rows && height && *rows <= *height) return;
  const int64_t stay = kSecondLevel / bytes_of(b.c.accumulator);
  const Operand far = v_apply(ScalarOp::Gt, {nest.n.depth * nest.n.columns, v_int(stay)});
  const Operand copy = b.buffers[static_cast<size_t>(nest.left.buffer)].elements;
  const Operand fits = v_apply(ScalarOp::Le, {copy, v_int(b.blueprint.cache_m)});
  const Operand joined = v_apply(ScalarOp::And, {v_apply(ScalarOp::And, {are_several_copies(nest), far}), fits});
  const std::string name = b.local("rows_together");
  before.push_back(s_let(name, v_select(joined, larger(nest.n.rows, v_int(1)), nest.n.row_block)));
  nest.n.row_block = nest.n.rows_a_block = v_var(name);
}

/// How the sides are read, and the buffers between them.
void open(ContractionNest& nest, Block& before, Block& staging) {
  ContractionBuilder& b = nest.b;
  nest.left = access_left(b, before, staging);
  nest.right = access_right(b);
  nest.staged = !staging.empty();
  if (nest.staged && !nest.whole_panels && varies(nest) && constant_value(are_several_copies(nest)) != 0)
    join_rows(nest, before);
  nest.packing = how_to_pack(nest);
  if (reads_in_place(nest) && writes_along_rows(b))
    nest.n.row_block = nest.n.rows_a_block = v_int(b.blueprint.tile_rows);
  if (nest.left.run == 1) plan_requests(b, nest.right, reads_in_place(nest), nest.n.rows_a_block);
  if (nest.whole_panels && nest.packing == Packing::Asked) nest.packing = Packing::All;
  if (nest.packing != Packing::None && nest.packing != Packing::Computed) {
    const Operand columns =
        nest.packing == Packing::Tail ? v_int(b.panel_columns()) : round_up(nest, block_columns(nest));
    nest.packed = b.add_buffer("packed", b.c.accumulator, Storage::Workspace, columns * b.extent_of(b.c.depth));
  }
  const int tall = b.blueprint.tile_rows,
            stored = b.c.transposed ? (tall + b.transposed_rows - 1) / b.transposed_rows * b.transposed_rows : tall;
  nest.tile = b.add_buffer("tile", b.c.accumulator, Storage::Stack, v_int(stored * b.panel_columns()));
  if (turns_afterwards(b, tall, b.blueprint.tile_vectors))
    nest.place.tile_rows = b.add_buffer("tile_rows", b.c.accumulator, Storage::Stack, v_int(tall * b.panel_columns()));
}

/// Panels after the first of a tile. The last tile of many vectors may have fewer: it takes the last one again.
std::vector<Operand> next_panels(ContractionNest& nest, const Operand& column) {
  ContractionBuilder& b = nest.b;
  std::vector<Operand> out;
  const Operand last = floor_div(nest.n.columns - v_int(1), v_int(nest.right.panel)) * v_int(nest.right.panel);
  for (int i = 1; i < b.panels_of(b.blueprint.tile_vectors); ++i) {
    const Operand next = column + v_int(i * nest.right.panel);
    out.push_back(nest.right.at(b.blueprint.tile_vectors > 2 ? smaller(next, last) : next, nest.n.depth));
  }
  return out;
}

/// All tiles of a block, or those of each part of the depth in turn. A block belongs to one worker, so no other
/// worker adds to its sums.
template <class F>
Block depth_parts(ContractionNest& nest, F tiles_of_block) {
  ContractionBuilder& b = nest.b;
  const Operand whole = nest.whole_panels ? nullptr : depth_of_a_part(b, nest.n.depth);
  const auto known = whole ? constant_value(whole) : std::nullopt;
  if (!whole || (known ? *known < nest.left.run : nest.left.run > 1)) return tiles_of_block();
  const std::string at = b.local("depth_part"), first = b.local("first_depth"), count = b.local("part_depth"),
                    size = b.local("depth_a_part");
  const Operand part = known ? v_int(*known / nest.left.run * nest.left.run) : v_var(size);
  Block once;
  if (!known) once = tiles_of_block();
  const TilePlace place = nest.place;
  nest.place.first_depth = v_var(first);
  nest.place.depth = v_var(count);
  b.first_part = v_apply(ScalarOp::Eq, {v_var(first), v_int(0)});
  Block body{s_let(first, v_var(at) * part), s_count(count, smaller(part, nest.n.depth - v_var(first)))};
  append(body, tiles_of_block());
  Block parts{s_for(at, v_int(0), ceil_div(nest.n.depth, part), 1, std::move(body))};
  if (known) return parts;
  nest.place = place;
  b.first_part = nullptr;
  return {s_let(size, whole), s_if(v_apply(ScalarOp::Lt, {part, nest.n.depth}), std::move(parts), std::move(once))};
}

/// Where the tiles of panel `panel_index`, which begins at `column`, find their right side.
void place_right(ContractionNest& nest, const Operand& panel_index, const Operand& column) {
  const int panel = nest.b.panel_columns();
  nest.place.right = {nest.packed,
                      nest.packing == Packing::Tail ? v_int(0) : panel_index * nest.n.depth * v_int(panel)};
  nest.place.right_step = v_int(panel);
  if (nest.right.panel == 0) return;
  nest.place.right = {nest.right.buffer, nest.right.at(column, nest.n.depth)};
  nest.place.right_step = nest.right.depth_step;
  nest.place.next_panels = next_panels(nest, column);
}

/// A block of rows, copied where its depth has no unit step, and for each panel of `count` columns its tiles.
Block row_blocks(ContractionNest& nest, const Operand& first_column, const Operand& count) {
  ContractionBuilder& b = nest.b;
  const std::string i = b.local("row_block"), first = b.local("first_row"), rows = b.local("block_rows"),
                    p = b.local("tile_column"), width = b.local("tile_width"), column = b.local("column_at");
  const int panel = b.panel_columns();
  place_right(nest, v_var(p), v_var(column));
  nest.place.depth = b.most_depth ? b.most_depth : nest.n.depth;
  if (b.most_depth) b.possible = b.possible && nest.left.run == 1 && nest.left.depth_step && b.c.depth.size() == 1;
  nest.place.tile = nest.tile;
  Block block;
  if (nest.left.block_copy >= 0) {
    nest.left.copied_pitch = v_var(b.local("row_pitch"));
    block.push_back(s_let(b.local("row_pitch"), copied_pitch(b, nest.n.depth)));
  }
  nest.block_first = v_var(first);
  const auto all_rows = b.known_rows(), height = constant_value(nest.n.rows_a_block);
  const bool even = all_rows && height && *all_rows % *height == 0;
  const Operand count_of_rows = even ? nest.n.rows_a_block : v_var(rows);
  const auto columns = constant_value(b.extent_of(b.c.columns));
  const bool whole = columns && *columns % panel == 0;  // and so is the number of columns in a block
  Block body{s_let(column, first_column + v_var(p) * v_int(panel))};
  if (!whole) body.push_back(s_count(width, smaller(count - v_var(p) * v_int(panel), v_int(panel))));
  const TileExtent extent{v_var(first), count_of_rows, v_var(column), whole ? v_int(panel) : v_var(width)};
  append(body, depth_parts(nest, [&] { return block_tiles(nest, extent); }));
  block.push_back(s_let(first, v_var(i) * nest.n.row_block));
  if (!even) block.push_back(s_count(rows, smaller(nest.n.row_block, nest.n.rows - v_var(first))));
  if (nest.left.block_copy >= 0) {
    const Operand asked = nest.missing ? v_apply(ScalarOp::And, {copies_rows(nest), nest.missing}) : copies_rows(nest);
    block.push_back(s_if(asked, copy_row_block(b, nest.left, v_var(first), count_of_rows, nest.n.depth)));
  }
  block.push_back(with_kind(LoopKind::Parallel, s_for(p, v_int(0), ceil_div(count, panel), 1, std::move(body))));
  return {
      with_kind(LoopKind::Parallel, s_for(i, v_int(0), ceil_div(nest.n.rows, nest.n.row_block), 1, std::move(block)))};
}

/// The copy of the left side: where there are several blocks of columns, the first of them makes it for all.
Block staged_once(ContractionNest& nest, Block staging, const Operand& column_block) {
  if (!varies(nest) || nest.b.blueprint.shared) return staging;
  Block out, copies;
  for (Stmt& s : staging) (std::holds_alternative<SLet>(s.node) ? out : copies).push_back(std::move(s));
  if (!copies.empty()) out.push_back(s_if(v_apply(ScalarOp::Eq, {column_block, v_int(0)}), std::move(copies)));
  return out;
}

Block column_blocks(ContractionNest& nest, Block staging) {
  ContractionBuilder& b = nest.b;
  const std::string j = b.local("column_block"), first = b.local("first_column"), count = b.local("block_columns"),
                    step = b.local("columns_packed");
  const auto all = constant_value(b.extent_of(b.c.columns)), block = constant_value(block_columns(nest));
  const bool even = panels_nearby(nest) > 0 && all && block && *all % *block == 0;
  const Operand columns = even ? v_int(*block) : v_var(count);
  Block out{s_let(step, columns_at_a_time(nest))};
  if (nest.packing == Packing::Asked) {
    nest.full = v_var(b.local("pack_all"), {DType::Bool, 1, 0});
    out.push_back(s_let(b.local("pack_all"), packs(nest)));
  }
  if (varies(nest) && nest.left.block_copy >= 0)
    nest.missing = v_apply(ScalarOp::Or, {v_apply(ScalarOp::Eq, {v_var(j), v_int(0)}), replaces_rows(nest)});
  Block inner = concat(staged_once(nest, std::move(staging), v_var(j)), row_blocks(nest, v_var(first), columns));
  Block body{s_let(first, v_var(j) * v_var(step))};
  if (!even) body.push_back(s_count(count, smaller(v_var(step), nest.n.columns - v_var(first))));
  if (nest.packing == Packing::Tail) append(body, pack_last(b, nest.packed, v_var(first), columns));
  else if (nest.packed >= 0) append(body, pack_right(b, nest.packed, v_var(first), columns, nest.full));
  append(body, loops_over(b, b.c.outer_left, std::move(inner), LoopKind::Parallel));
  const Operand blocks = floor_div(nest.n.columns + v_var(step) - v_int(1), larger(v_var(step), v_int(1)));
  out.push_back(with_kind(panels_nearby(nest) > 0 ? LoopKind::Parallel : LoopKind::Serial,
                          s_for(j, v_int(0), blocks, 1, std::move(body))));
  return out;
}

Block all_columns(ContractionNest& nest) {
  Block before, staging;
  open(nest, before, staging);
  const bool parts = staging.empty() && may_read_parts(nest), sums = staging.empty() && may_add_along_depth(nest);
  Block blocks = column_blocks(nest, std::move(staging));
  if (parts) blocks = {s_if(reads_parts(nest), tiles_by_parts(nest), std::move(blocks))};
  if (sums) blocks = {s_if(adds_along_depth(nest), tiles_along_depth(nest), std::move(blocks))};
  append(before, loops_over(nest.b, nest.b.c.outer_right, std::move(blocks), LoopKind::Parallel));
  return before;
}

/// The same without outer loops, all columns in one block: `once` is what the rows have no part in.
ContractionParts parts_of_rows(ContractionNest& nest) {
  ContractionBuilder& b = nest.b;
  ContractionParts out;
  nest.whole_panels = true;
  open(nest, out.once, out.each);
  if (nest.packing == Packing::Tail) append(out.once, pack_last(b, nest.packed, v_int(0), nest.n.columns));
  else if (nest.packing == Packing::All)
    append(out.once, pack_right(b, nest.packed, v_int(0), nest.n.columns, nullptr));
  append(out.each, row_blocks(nest, v_int(0), b.most_columns ? b.most_columns : nest.n.columns));
  return out;
}

/// `rows`, but those of one tile where sums are short and the panels of all columns stay in the cache: tile after tile
/// the result is then written along its rows, else in as many places as it has rows.
Operand rows_in_turn(ContractionBuilder& b, const Operand& columns, const Operand& depth, Operand rows) {
  constexpr int64_t kShort = 32, kMany = 128;
  if (b.c.transposed || constant_value(b.extent_of(b.c.columns))) return rows;
  const Operand fits = v_apply(ScalarOp::Le, {columns * depth, v_int(kSecondLevel / bytes_of(b.c.accumulator))});
  const Operand is_short = v_apply(ScalarOp::Le, {depth, v_int(kShort)});
  const Operand many = v_apply(ScalarOp::Ge, {columns, v_int(kMany)});
  return v_select(v_apply(ScalarOp::And, {v_apply(ScalarOp::And, {is_short, many}), fits}),
                  v_int(b.blueprint.tile_rows), std::move(rows));
}

}  // namespace

Block contraction_body(ContractionBuilder& b) {
  const std::string rows = b.local("rows"), columns = b.local("columns"), depth = b.local("depth"),
                    row_block = b.local("rows_cached");
  Block body{s_let(rows, b.extent_of(b.c.rows)), s_let(columns, b.extent_of(b.c.columns)),
             s_let(depth, b.extent_of(b.c.depth))};
  const auto rows_together = [&](const Operand& all_columns, const Operand& all_depth) {
    return rows_in_turn(b, all_columns, all_depth, rows_a_block(b, all_depth, b.panel_columns()));
  };
  const Operand block = rows_together(v_var(columns), v_var(depth)),
                number = rows_together(b.extent_of(b.c.columns), b.extent_of(b.c.depth));
  ContractionNest nest{b, {v_var(rows), v_var(columns), v_var(depth), v_var(row_block), number}};
  Block all = all_columns(nest);
  NestSurvey used;
  used.add(all);
  if (used.vars.count(row_block)) body.push_back(s_let(row_block, block));
  append(body, std::move(all));
  return body;
}

ContractionParts contraction_parts(ContractionBuilder& b) {
  const std::string rows = b.local("rows"), columns = b.local("columns"), depth = b.local("depth"),
                    row_block = b.local("rows_cached");
  const Operand number = rows_cached(b, b.extent_of(b.c.depth));
  ContractionNest nest{b, {v_var(rows), v_var(columns), v_var(depth), v_var(row_block), number}};
  ContractionParts parts = parts_of_rows(nest);
  Block once{s_let(columns, b.extent_of(b.c.columns)), s_let(depth, b.extent_of(b.c.depth))};
  append(once, std::move(parts.once));
  Block each{s_let(rows, b.most_rows ? b.most_rows : b.extent_of(b.c.rows)),
             s_let(row_block, rows_cached(b, v_var(depth)))};
  append(each, std::move(parts.each));
  return {std::move(once), std::move(each)};
}

}  // namespace tenon
