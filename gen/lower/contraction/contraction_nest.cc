// Blocks a contraction for the caches: panels of the right side, blocks of rows, register tiles, epilogue.
#include <numeric>

#include "algebra/nest_survey.h"
#include "lower/contraction/contraction_builder.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Names of lets that the whole nest uses.
struct Extents {
  Operand rows, columns, depth;
  Operand row_block;     ///< rows of a block, a multiple of the tile's
  Operand rows_a_block;  ///< the same, as a number where it is one
};

constexpr int64_t kPages = 64;  ///< whose addresses a processor has at hand

class NestBuilder {
 public:
  NestBuilder(ContractionBuilder& b, const Extents& n) : b_(b), n_(n) {}

  Block build() {
    Block before, staging;
    open(before, staging);
    append(before, loops_over(b_, b_.c.outer_right, column_blocks(std::move(staging)), LoopKind::Parallel));
    return before;
  }

  /// The same without outer loops, all columns in one block: `once` is what the rows have no part in.
  ContractionParts build_parts() {
    ContractionParts out;
    whole_panels_ = true;
    open(out.once, out.each);
    if (packing_ == Packing::Tail) append(out.once, pack_last(b_, packed_, v_int(0), n_.columns));
    else if (packing_ == Packing::All) append(out.once, pack_right(b_, packed_, v_int(0), n_.columns, nullptr));
    append(out.each, row_blocks(v_int(0), b_.most_columns ? b_.most_columns : n_.columns));
    return out;
  }

 private:
  /// How the sides are read, and the buffers between them.
  void open(Block& before, Block& staging) {
    left_ = access_left(b_, before, staging);
    right_ = access_right(b_);
    staged_ = !staging.empty();
    if (staged_ && !whole_panels_ && varies() && constant_value(are_several_copies()) != 0) join_rows(before);
    packing_ = how_to_pack();
    if (reads_in_place() && writes_along_rows(b_)) n_.row_block = n_.rows_a_block = v_int(b_.blueprint.tile_rows);
    if (left_.run == 1) plan_requests(b_, right_, reads_in_place(), n_.rows_a_block);
    if (whole_panels_ && packing_ == Packing::Asked) packing_ = Packing::All;
    if (packing_ != Packing::None && packing_ != Packing::Computed) {
      const Operand columns = packing_ == Packing::Tail ? v_int(b_.panel_columns()) : round_up(block_columns());
      packed_ = b_.add_buffer("packed", b_.c.accumulator, Storage::Workspace, columns * b_.extent_of(b_.c.depth));
    }
    const int tall = b_.blueprint.tile_rows,
              stored =
                  b_.c.transposed ? (tall + b_.transposed_rows - 1) / b_.transposed_rows * b_.transposed_rows : tall;
    tile_ = b_.add_buffer("tile", b_.c.accumulator, Storage::Stack, v_int(stored * b_.panel_columns()));
    if (turns_afterwards(b_, tall, b_.blueprint.tile_vectors))
      place_.tile_rows = b_.add_buffer("tile_rows", b_.c.accumulator, Storage::Stack, v_int(tall * b_.panel_columns()));
  }
  bool reads_in_place() const { return packing_ == Packing::Tail || (packing_ == Packing::None && right_.panel == 0); }
  /// Makes all rows of a copy that stays in the second-level cache one block where several such copies, one after the
  /// other, read panels that do not stay there.
  void join_rows(Block& before) {
    const auto rows = b_.known_rows(), height = constant_value(n_.rows_a_block);
    if (rows && height && *rows <= *height) return;
    const int64_t stay = kSecondLevel / bytes_of(b_.c.accumulator);
    const Operand far = v_apply(ScalarOp::Gt, {n_.depth * n_.columns, v_int(stay)});
    const Operand copy = b_.buffers[static_cast<size_t>(left_.buffer)].elements;
    const Operand fits = v_apply(ScalarOp::Le, {copy, v_int(b_.blueprint.cache_m)});
    const Operand joined = v_apply(ScalarOp::And, {v_apply(ScalarOp::And, {are_several_copies(), far}), fits});
    const std::string name = b_.local("rows_together");
    before.push_back(s_let(name, v_select(joined, larger(n_.rows, v_int(1)), n_.row_block)));
    n_.row_block = n_.rows_a_block = v_var(name);
  }
  Operand round_up(const Operand& columns) { return ceil_div(columns, b_.panel_columns()) * v_int(b_.panel_columns()); }
  /// The most columns packed at a time, from the kernel's sizes alone; all of them where the left side is copied for
  /// several outer iterations, or once and each worker takes some of the panels.
  Operand block_columns() {
    const Operand all = b_.extent_of(b_.c.columns);
    if (staged_ && (!varies() || b_.blueprint.shared)) return all;
    if (whole_panels_ || right_.panel > 0 || packing_ == Packing::Computed) return all;
    if (const int64_t nearby = panels_nearby(); nearby > 0) return v_int(nearby * b_.panel_columns());
    const bool near = varies() && left_.block_copy < 0;
    const Operand block = smaller(all, columns_in(near ? near_elements() : b_.blueprint.cache_n));
    return staged_ ? v_select(are_several_copies(), all, block) : block;
  }
  Operand columns_in(int64_t elements) {
    const int64_t panel = b_.panel_columns();
    return larger(floor_div(v_int(elements / panel), larger(b_.extent_of(b_.c.depth), v_int(1))), v_int(1)) *
           v_int(panel);
  }
  /// The same at run time: as many as stay in the second-level cache until all rows have read them, unless each block
  /// of columns would copy the rows again.
  Operand columns_at_a_time() {
    if (!varies() || left_.block_copy < 0 || right_.panel > 0 || whole_panels_) return block_columns();
    const Operand near = smaller(b_.extent_of(b_.c.columns), columns_in(near_elements()));
    return v_select(v_apply(ScalarOp::And, {copies_rows(), replaces_rows()}), block_columns(), near);
  }
  /// Of packed columns that stay in the second-level cache, next to rows.
  int64_t near_elements() const {
    constexpr int kNearer = 8;
    return b_.blueprint.cache_n / kNearer;
  }
  /// Whether only run time knows the sizes of the right side.
  bool varies() { return !constant_value(b_.extent_of(b_.c.columns)) || !constant_value(b_.extent_of(b_.c.depth)); }
  /// Whether the left side is copied for several outer iterations.
  Operand are_several_copies() { return v_apply(ScalarOp::Gt, {b_.extent_of(b_.c.outer_left), v_int(1)}); }
  /// Whether one copied block of rows takes the place of another before the next columns.
  Operand replaces_rows() {
    const Operand blocks = v_apply(ScalarOp::Gt, {n_.rows, n_.row_block}), copies = are_several_copies();
    return constant_value(copies) == 0 ? blocks : v_apply(ScalarOp::Or, {blocks, copies});
  }

  /// The copy of the left side: where there are several blocks of columns, the first of them makes it for all.
  Block staged_once(Block staging, const Operand& column_block) {
    if (!varies() || b_.blueprint.shared) return staging;
    Block out, copies;
    for (Stmt& s : staging) (std::holds_alternative<SLet>(s.node) ? out : copies).push_back(std::move(s));
    if (!copies.empty()) out.push_back(s_if(v_apply(ScalarOp::Eq, {column_block, v_int(0)}), std::move(copies)));
    return out;
  }

  /// Panels that are made just before the tiles that read them, where all rows are one block, so that no panel is read
  /// again later: a few, but not so few blocks of them that workers would wait. 0 elsewhere.
  int64_t panels_nearby() {
    constexpr int64_t kBlocks = 32, kTogether = 4, kElements = 1 << 16;
    const auto rows = b_.known_rows(), height = constant_value(n_.rows_a_block),
               depth = constant_value(b_.extent_of(b_.c.depth)), columns = constant_value(b_.extent_of(b_.c.columns));
    if (packing_ != Packing::All || staged_ || !rows || !height || *rows > *height || !depth || !columns ||
        *depth * b_.panel_columns() > kElements || constant_value(b_.extent_of(b_.c.outer_left)) != 1)
      return 0;
    return std::clamp<int64_t>(*columns / b_.panel_columns() / kBlocks, 1, kTogether);
  }

  /// Which panels of the right side are copied: none, none because the only tile computes the elements, the last one if
  /// it is not whole, all, or as a run-time condition decides.
  enum class Packing : uint8_t { None, Computed, Tail, All, Asked };

  Packing how_to_pack() {
    if (right_.panel > 0) return Packing::None;
    const bool one_by_one =
        left_.depth_step && left_.block_copy < 0 && !b_.repeats && !whole_panels_ && !b_.most_depth && !b_.most_columns;
    if (right_.buffer < 0 && one_by_one && computes_right(b_)) return Packing::Computed;
    if (right_.buffer < 0 || b_.repeats) return Packing::All;
    const auto rows = b_.known_rows(), columns = constant_value(b_.extent_of(b_.c.columns));
    const bool unit = constant_value(right_.column_step) == 1;
    if (unit && ((rows && reads_seldom(*rows)) || reads_well_in_place()))
      return columns && *columns % b_.panel_columns() == 0 ? Packing::None : Packing::Tail;
    return unit && rows ? Packing::All : Packing::Asked;
  }

  /// Whether panels pay off: the right side is read more than once, and more than a few times where it stays in the
  /// second-level cache, or cannot be read in place.
  Operand packs() {
    constexpr int kFew = 4;
    const int64_t tall = b_.blueprint.tile_rows, stay = kSecondLevel / bytes_of(b_.c.accumulator);
    const Operand rows = n_.rows * b_.extent_of(b_.c.outer_left);
    const Operand often = v_apply(ScalarOp::Or, {v_apply(ScalarOp::Gt, {rows, v_int(kFew * tall)}),
                                                 v_apply(ScalarOp::Gt, {n_.depth * n_.columns, v_int(stay)})});
    const Operand reused = v_apply(ScalarOp::And, {v_apply(ScalarOp::Gt, {n_.rows, v_int(tall)}), often});
    if (constant_value(right_.column_step) == 1) return reused;
    return v_apply(ScalarOp::Or, {reused, v_apply(ScalarOp::Ne, {right_.column_step, v_int(1)})});
  }

  /// Read by one tile, or by few from so few rows that their pages stay known and the second-level cache serves what
  /// the first cannot hold: a copy would be read and written once too. Not if all rows map to the same set of the
  /// cache.
  bool reads_seldom(int64_t rows) {
    constexpr int64_t kFew = 4, kWay = 4096;
    const auto depth = constant_value(b_.extent_of(b_.c.depth)), step = constant_value(right_.depth_step);
    const bool apart = !step || *step * bytes_of(b_.c.accumulator) % kWay != 0;
    return rows <= b_.blueprint.tile_rows ||
           (rows <= kFew * b_.blueprint.tile_rows && depth && *depth <= kPages && apart);
  }

  /// Rows at known addresses that do not conflict in the caches, or conflict in few enough sets. Vectors of less than a
  /// cache line make tiles that end within lines; their rows have to be in few pages, too.
  bool reads_well_in_place() {
    const auto step = constant_value(right_.depth_step), depth = constant_value(b_.extent_of(b_.c.depth));
    if (!step) return false;
    constexpr int64_t kWay = 4096, kWays = 8,
                      kCoarse = 1024;  // bytes that are in different sets of a cache, and lines that a set holds
    const int64_t bytes = *step * bytes_of(b_.c.accumulator);
    const int64_t pages = depth.value_or(1) * std::min(bytes, kPage) / kPage;
    if (b_.isa.vector_bits < kLineBits && pages > kPages) return false;
    if (bytes % kCoarse != 0) return true;
    return depth && *depth * std::gcd(bytes, kWay) <= kWay * kWays / 2;
  }

  Block column_blocks(Block staging) {
    const std::string j = b_.local("column_block"), first = b_.local("first_column"), count = b_.local("block_columns"),
                      step = b_.local("columns_packed");
    const auto all = constant_value(b_.extent_of(b_.c.columns)), block = constant_value(block_columns());
    const bool even = panels_nearby() > 0 && all && block && *all % *block == 0;
    const Operand columns = even ? v_int(*block) : v_var(count);
    Block out{s_let(step, columns_at_a_time())};
    if (packing_ == Packing::Asked) {
      full_ = v_var(b_.local("pack_all"), {DType::Bool, 1, 0});
      out.push_back(s_let(b_.local("pack_all"), packs()));
    }
    if (varies() && left_.block_copy >= 0)
      missing_ = v_apply(ScalarOp::Or, {v_apply(ScalarOp::Eq, {v_var(j), v_int(0)}), replaces_rows()});
    Block inner = concat(staged_once(std::move(staging), v_var(j)), row_blocks(v_var(first), columns));
    Block body{s_let(first, v_var(j) * v_var(step))};
    if (!even) body.push_back(s_count(count, smaller(v_var(step), n_.columns - v_var(first))));
    if (packing_ == Packing::Tail) append(body, pack_last(b_, packed_, v_var(first), columns));
    else if (packed_ >= 0) append(body, pack_right(b_, packed_, v_var(first), columns, full_));
    append(body, loops_over(b_, b_.c.outer_left, std::move(inner), LoopKind::Parallel));
    const Operand blocks = floor_div(n_.columns + v_var(step) - v_int(1), larger(v_var(step), v_int(1)));
    out.push_back(with_kind(panels_nearby() > 0 ? LoopKind::Parallel : LoopKind::Serial,
                            s_for(j, v_int(0), blocks, 1, std::move(body))));
    return out;
  }

  Block row_blocks(const Operand& first_column, const Operand& count) {
    const std::string i = b_.local("row_block"), first = b_.local("first_row"), rows = b_.local("block_rows"),
                      p = b_.local("tile_column");
    const int panel = b_.panel_columns();
    const std::string width = b_.local("tile_width"), column = b_.local("column_at");
    place_.right = {packed_, packing_ == Packing::Tail ? v_int(0) : v_var(p) * n_.depth * v_int(panel)};
    place_.right_step = v_int(panel);
    if (right_.panel > 0) {
      place_.right = {right_.buffer, right_.at(v_var(column), n_.depth)};
      place_.right_step = right_.depth_step;
      place_.next_panels = next_panels(v_var(column));
    }
    place_.depth = b_.most_depth ? b_.most_depth : n_.depth;
    if (b_.most_depth) b_.possible = b_.possible && left_.run == 1 && left_.depth_step && b_.c.depth.size() == 1;
    place_.tile = tile_;
    Block block;
    if (left_.block_copy >= 0) {
      left_.copied_pitch = v_var(b_.local("row_pitch"));
      block.push_back(s_let(b_.local("row_pitch"), copied_pitch(b_, n_.depth)));
    }
    block_first_ = v_var(first);
    const auto all_rows = b_.known_rows(), height = constant_value(n_.rows_a_block);
    const bool even = all_rows && height && *all_rows % *height == 0;
    const Operand count_of_rows = even ? n_.rows_a_block : v_var(rows);
    Block body{s_let(column, first_column + v_var(p) * v_int(panel))};
    const auto columns = constant_value(b_.extent_of(b_.c.columns));
    const bool whole = columns && *columns % panel == 0;  // and so is the number of columns in a block
    if (!whole) body.push_back(s_count(width, smaller(count - v_var(p) * v_int(panel), v_int(panel))));
    append(body, depth_parts([&] {
             return tiles(v_var(first), count_of_rows, v_var(column), whole ? v_int(panel) : v_var(width));
           }));
    block.push_back(s_let(first, v_var(i) * n_.row_block));
    if (!even) block.push_back(s_count(rows, smaller(n_.row_block, n_.rows - v_var(first))));
    if (left_.block_copy >= 0) {
      const Operand asked = missing_ ? v_apply(ScalarOp::And, {copies_rows(), missing_}) : copies_rows();
      block.push_back(s_if(asked, copy_row_block(b_, left_, v_var(first), count_of_rows, n_.depth)));
    }
    block.push_back(with_kind(LoopKind::Parallel, s_for(p, v_int(0), ceil_div(count, panel), 1, std::move(body))));
    return {with_kind(LoopKind::Parallel, s_for(i, v_int(0), ceil_div(n_.rows, n_.row_block), 1, std::move(block)))};
  }
  /// All tiles of a block, or those of each part of the depth in turn. A block belongs to one worker, so no other
  /// worker adds to its sums.
  template <class F>
  Block depth_parts(F tiles_of_block) {
    const Operand whole = whole_panels_ ? nullptr : depth_of_a_part(b_, n_.depth);
    const auto known = whole ? constant_value(whole) : std::nullopt;
    if (!whole || (known ? *known < left_.run : left_.run > 1)) return tiles_of_block();
    const std::string at = b_.local("depth_part"), first = b_.local("first_depth"), count = b_.local("part_depth"),
                      size = b_.local("depth_a_part");
    const Operand part = known ? v_int(*known / left_.run * left_.run) : v_var(size);
    Block once;
    if (!known) once = tiles_of_block();
    const TilePlace place = place_;
    place_.first_depth = v_var(first);
    place_.depth = v_var(count);
    b_.first_part = v_apply(ScalarOp::Eq, {v_var(first), v_int(0)});
    Block body{s_let(first, v_var(at) * part), s_count(count, smaller(part, n_.depth - v_var(first)))};
    append(body, tiles_of_block());
    Block parts{s_for(at, v_int(0), ceil_div(n_.depth, part), 1, std::move(body))};
    if (known) return parts;
    place_ = place;
    b_.first_part = nullptr;
    return {s_let(size, whole), s_if(v_apply(ScalarOp::Lt, {part, n_.depth}), std::move(parts), std::move(once))};
  }

  /// Panels after the first of a tile. The last tile of many vectors may have fewer: it takes the last one again.
  std::vector<Operand> next_panels(const Operand& column) {
    std::vector<Operand> out;
    const Operand last = floor_div(n_.columns - v_int(1), v_int(right_.panel)) * v_int(right_.panel);
    for (int i = 1; i < b_.panels_of(b_.blueprint.tile_vectors); ++i) {
      const Operand next = column + v_int(i * right_.panel);
      out.push_back(right_.at(b_.blueprint.tile_vectors > 2 ? smaller(next, last) : next, n_.depth));
    }
    return out;
  }
  Operand copies_rows() const { return v_apply(ScalarOp::Ne, {left_.depth_step, v_int(1)}); }

  /// Tiles of full height, then tiles of the small height for the rows left over. If their number is known, no row is
  /// computed unnecessarily, except in transposed tiles, whose small tiles are columns of whole vectors.
  Block tiles(const Operand& first_row, const Operand& rows, const Operand& column, const Operand& width) {
    const int tall = b_.blueprint.tile_rows;
    const auto known = b_.c.transposed ? std::nullopt : b_.known_rows();
    if (b_.blueprint.leftover_rows == 0 || (known && *known % tall == 0) || small_tiles_wait())
      return even_tiles(tall, first_row, rows, column, width);
    const int low = known ? static_cast<int>(std::min<int64_t>(*known % tall, b_.blueprint.leftover_rows))
                          : b_.blueprint.leftover_rows;
    if (known && *known < tall) return even_tiles(low, first_row, rows, column, width);
    if (known && *known % tall == low && constant_value(n_.rows_a_block).value_or(0) >= *known)
      return exact_tiles(tall, *known, column, width);
    const std::string t = b_.local("tile_row"), whole = b_.local("whole_tiles"), row = b_.local("row"),
                      height = b_.local("height");
    const Operand in_whole = smaller(v_var(t), v_var(whole)), past = v_var(t) - in_whole;
    const Operand is_whole = v_apply(ScalarOp::Lt, {v_var(t), v_var(whole)});
    place_.first_row = v_var(row);
    place_.ahead = requested_line(b_, right_, v_var(t), n_.depth);
    TilePlace clamped = place_;
    clamped.row_end = n_.rows;
    TilePlace complete = place_;
    complete.store = stored_tile(v_var(row), column, width);
    Block body{s_count(row, first_row + in_whole * v_int(tall) + past * v_int(low))};
    Block all = fetch_result(b_, {v_var(row), v_int(tall), column, width, tile_});
    append(all, tile_of(complete, tall, column, width));
    Block some = tile_of(clamped, low, column, width);
    if (b_.c.transposed) {
      append(all, transposed_epilogue(b_, {v_var(row), v_int(tall), column, width, tile_}, tall));
      some.push_back(s_count(height, smaller(v_int(low), first_row + rows - v_var(row))));
      append(some, transposed_epilogue(b_, {v_var(row), v_var(height), column, width, tile_}, low));
      body.push_back(s_if(is_whole, std::move(all), std::move(some)));
    } else if (complete.store) {
      some.push_back(s_count(height, smaller(v_int(low), first_row + rows - v_var(row))));
      append(some, epilogue(b_, {v_var(row), v_var(height), column, width, tile_}));
      body.push_back(s_if(is_whole, std::move(all), std::move(some)));
    } else {
      body.push_back(
          s_count(height, smaller(v_select(is_whole, v_int(tall), v_int(low)), first_row + rows - v_var(row))));
      body.push_back(s_if(is_whole, std::move(all), std::move(some)));
      append(body, epilogue(b_, {v_var(row), v_var(height), column, width, tile_}));
    }
    const Operand left_over = ceil_div(rows - v_var(whole) * v_int(tall), low);
    return {s_let(whole, floor_div(rows, v_int(tall))),
            s_for(t, v_int(0), v_var(whole) + left_over, 1, std::move(body))};
  }

  /// Whether a remainder of rows known only at run time is better computed by one more tile of full height that repeats
  /// the last row: small tiles have too few sums to keep two multipliers busy, so two of them take longer.
  bool small_tiles_wait() const {
    constexpr int kBusy = 8, kFewRows = 6;
    return b_.lanes() > 1 && !b_.c.transposed && !b_.known_rows() && b_.blueprint.tile_rows <= kFewRows &&
           b_.blueprint.leftover_rows * b_.blueprint.tile_vectors < kBusy;
  }

  /// Tile `t` of a block, whose rows all are there.
  Block whole_tile(const Operand& row, const Operand& t, int height, const Operand& column, const Operand& width) {
    place_.first_row = row;
    place_.ahead = requested_line(b_, right_, t, n_.depth);
    TilePlace place = place_;
    place.store = stored_tile(row, column, width);
    const TileExtent extent{row, v_int(height), column, width, tile_};
    Block out = fetch_result(b_, extent);
    append(out, tile_of(place, height, column, width));
    if (!place.store) append(out, b_.c.transposed ? transposed_epilogue(b_, extent, height) : epilogue(b_, extent));
    return out;
  }

  /// Tiles of one height, then one of exactly the rows left over, for all rows in one block.
  Block exact_tiles(int tall, int64_t rows, const Operand& column, const Operand& width) {
    const std::string t = b_.local("tile_row"), row = b_.local("row");
    const int64_t whole = rows / tall;
    Block body{s_let(row, v_var(t) * v_int(tall))};
    append(body, whole_tile(v_var(row), v_var(t), tall, column, width));
    Block out{s_for(t, v_int(0), v_int(whole), 1, std::move(body))};
    append(out, whole_tile(v_int(whole * tall), v_int(whole), static_cast<int>(rows % tall), column, width));
    return out;
  }

  /// Tiles of one height. The last one repeats the last row where rows are missing.
  Block even_tiles(int tall, const Operand& first_row, const Operand& rows, const Operand& column,
                   const Operand& width) {
    const std::string t = b_.local("tile_row"), row = b_.local("row"), height = b_.local("height");
    place_.first_row = v_var(row);
    place_.ahead = requested_line(b_, right_, v_var(t), n_.depth);
    const auto known = b_.known_rows();
    const bool whole = known && *known % tall == 0;
    if (!whole) place_.row_end = n_.rows;
    Block body;
    if (whole) {
      body = whole_tile(v_var(row), v_var(t), tall, column, width);
    } else {
      body.push_back(s_count(height, smaller(v_int(tall), first_row + rows - v_var(row))));
      const TileExtent extent{v_var(row), v_var(height), column, width, tile_};
      append(body, fetch_result(b_, extent));
      append(body, tile_of(place_, tall, column, width));
      append(body, b_.c.transposed ? transposed_epilogue(b_, extent, tall) : epilogue(b_, extent));
    }
    NestSurvey used;  // one row that is read in place has no number
    used.add(body);
    if (used.vars.count(row)) body.insert(body.begin(), s_let(row, first_row + v_var(t) * v_int(tall)));
    return {s_for(t, v_int(0), ceil_div(rows, tall), 1, std::move(body))};
  }

  /// Where tiles of whole rows store their sums themselves: all columns are there, and nothing is done to the sums.
  std::optional<TileStore> stored_tile(const Operand& row, const Operand& column, const Operand& width) const {
    if (b_.first_part || constant_value(width) != b_.panel_columns()) return std::nullopt;
    return stored_sums(b_, row, column);
  }

  /// Whether finding a pointer for each row of a tile takes a noticeable part of its time: words of bytes are summed
  /// fast, more rows than there are registers for are loaded again at each step, and few steps are over soon.
  bool wants_one_pointer(int height) {
    constexpr int kPointers = 8, kFewSteps = 64;
    if (height != b_.blueprint.tile_rows) return false;
    const auto steps = constant_value(b_.extent_of(b_.c.depth));
    return !b_.c.paired.empty() || height > kPointers || (b_.c.transposed && steps && *steps <= kFewSteps);
  }

  /// A tile whose rows are found once, before the columns are set.
  Block tile_of(TilePlace place, int height, const Operand& column, const Operand& width) {
    Block out;
    if (wants_one_pointer(height)) place.rows_from_first = rows_from_first(b_, left_, height);
    if (left_.block_copy >= 0) place.row_step = even_row_step(b_, left_);
    else place.row_starts = row_starts(b_, left_, place, place.rows_from_first.empty() ? height : 1, out);
    append(out, from_right(place, height, column, width));
    return out;
  }

  /// The tile from its panel, or from the tensor where the panel is not packed.
  Block from_right(const TilePlace& place, int height, const Operand& column, const Operand& width) {
    if (packing_ == Packing::Computed) return computed_tile(b_, left_, place, column, height);
    if (packing_ == Packing::All || right_.panel > 0) return any_width(place, height, width);
    TilePlace direct = place;
    direct.right = {right_.buffer, right_.at(column, n_.depth)};
    direct.right_step = right_.depth_step;
    Block in_place = from_left(direct, height, b_.blueprint.tile_vectors);
    if (packing_ == Packing::None) return in_place;
    if (constant_value(width))
      return full_ ? Block{s_if(full_, any_width(place, height, width), std::move(in_place))} : std::move(in_place);
    const Operand partial = v_apply(ScalarOp::Lt, {width, v_int(b_.panel_columns())});
    return {s_if(full_ ? v_apply(ScalarOp::Or, {full_, partial}) : partial, any_width(place, height, width),
                 std::move(in_place))};
  }

  /// A tile of all vectors, or of one where the columns fit into it.
  Block any_width(const TilePlace& place, int height, const Operand& width) {
    const auto columns = constant_value(b_.extent_of(b_.c.columns));
    if (b_.blueprint.tile_vectors == 1 || (columns && *columns <= b_.lanes())) return from_left(place, height, 1);
    if (constant_value(width)) return from_left(place, height, b_.blueprint.tile_vectors);
    return {s_if(v_apply(ScalarOp::Gt, {width, v_int(b_.lanes())}), from_left(place, height, b_.blueprint.tile_vectors),
                 from_left(place, height, 1))};
  }

  Block from_left(const TilePlace& place, int height, int vectors) {
    if (left_.block_copy < 0) return register_tile(b_, left_, place, height, vectors);
    TilePlace copied = place;
    copied.block_first = block_first_;
    return {s_if(copies_rows(), register_tile(b_, left_, copied, height, vectors),
                 register_tile(b_, left_, place, height, vectors))};
  }

  ContractionBuilder& b_;
  Extents n_;
  LeftAccess left_;
  RightAccess right_;
  TilePlace place_;
  Operand full_, block_first_;
  Operand missing_;  ///< set: whether a copied block of rows is not there from the columns before
  bool staged_ = false, whole_panels_ = false;
  Packing packing_ = Packing::All;
  int packed_ = -1, tile_ = -1;
};

}  // namespace

namespace {

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
  NestBuilder nest(b, {v_var(rows), v_var(columns), v_var(depth), v_var(row_block), number});
  Block all = nest.build();
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
  ContractionParts parts =
      NestBuilder(b, {v_var(rows), v_var(columns), v_var(depth), v_var(row_block), number}).build_parts();
  Block once{s_let(columns, b.extent_of(b.c.columns)), s_let(depth, b.extent_of(b.c.depth))};
  append(once, std::move(parts.once));
  Block each{s_let(rows, b.most_rows ? b.most_rows : b.extent_of(b.c.rows)),
             s_let(row_block, rows_cached(b, v_var(depth)))};
  append(each, std::move(parts.each));
  return {std::move(once), std::move(each)};
}

}  // namespace tenon
