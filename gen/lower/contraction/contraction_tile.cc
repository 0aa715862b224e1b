// The register tiles of a contraction: each size is an inner function, called with the addresses of its rows and of its
// panel.
#include <fmt/format.h>

#include <algorithm>

#include "lower/contraction/contraction_builder.h"
#include "support/ranges.h"

namespace tenon {
namespace {

Operand multiply_add(const Contraction& c, const Operand& x, const Operand& y, const Operand& sum) {
  if (c.word_numbers == 4) return v_apply(c.unsigned_left ? ScalarOp::Dot4Unsigned : ScalarOp::Dot4, {x, y, sum});
  if (!c.paired.empty()) return v_apply(ScalarOp::Dot2, {x, y, sum});
  return is_float(c.accumulator) ? v_apply(ScalarOp::Fma, {x, y, sum}) : sum + x * y;
}

std::string sum_name(int row, int vector) { return fmt::format("c{}_{}", row, vector); }

/// A register tile. `from_first`: where its rows are from the first one, if that is known; `even_rows`: at equal steps
/// that the call says, as it says how many rows there are.
struct TileShape {
  int height = 0, vectors = 0;
  bool transposed = false;
  std::vector<int64_t> from_first;
  bool even_rows = false;
  bool adds_up = false;              ///< from the first depth index that the call says, unless that is 0
  const TileStore* store = nullptr;  ///< set: to the result, whose rows are at a step that the call says
};

/// "one row", "4 rows".
std::string counted(int n, const char* noun) {
  return n == 1 ? fmt::format("one {}", noun) : fmt::format("{} {}s", n, noun);
}

/// Writes the function of one tile size. Buffers: one a row, the right side, the tile, and the table of offsets where
/// there is one.
class TileFunction {
 public:
  TileFunction(ContractionBuilder& b, const LeftAccess& left, TileShape shape)
      : b_(b),
        left_(left),
        height_(shape.height),
        vectors_(shape.vectors),
        transposed_(shape.transposed),
        even_rows_(shape.even_rows),
        adds_up_(shape.adds_up),
        store_(shape.store),
        from_first_(std::move(shape.from_first)) {}

  InnerFunction build() {
    if (from_first_.empty() && !even_rows_)
      for (int r = 0; r < height_; ++r) add_pointer(fmt::format("a{}", r), b_.c.accumulator, false);
    else add_pointer("a", b_.c.accumulator, false);
    right_ = add_pointer("b", b_.right_type, false);
    for (int i = 1; i < b_.panels_of(vectors_); ++i) add_pointer(fmt::format("b_{}", i), b_.right_type, false);
    tile_ = add_pointer("tile", b_.c.accumulator, true);
    if (!left_.depth_step) table_ = add_pointer("offset", left_.table_type, false);
    if (store_ && store_->bias) bias_ = add_pointer("bias", b_.c.accumulator, false);
    f_.name = name();
    const std::string columns = counted(vectors_, b_.lanes() == 1 ? "column" : "vector");
    f_.comment = fmt::format("{} of the left side times {} of the right, summed over the depth.{}",
                             counted(height_, "row"), columns, transposed_ ? " The tile is stored transposed." : "");
    f_.common = true;
    f_.params = {"depth", "right_step"};
    if (takes_left_step()) f_.params.push_back("left_step");
    if (left_.run > 1) f_.params[0] = "runs", f_.params.push_back("run");
    if (even_rows_) find_rows();
    if (store_) f_.params.push_back("tile_step");
    if (b_.steps_a_line > 0) f_.params.push_back("ahead");
    if (adds_up_) f_.params.push_back("first_depth");
    begin_sums();
    f_.body.push_back(left_.run > 1 ? runs() : steps("depth", step(v_var("d"))));
    end_sums();
    if (transposed_)
      for (int j = 0; j < vectors_; ++j) store_transposed(j);
    else
      each([&](int r, int j) {
        const Operand row = store_ ? v_int(r) * v_var("tile_step") : v_int(r * b_.panel_columns());
        f_.body.push_back(s_store(tile_, row + v_int(j * b_.lanes()), store_ ? finished_sum(r, j) : sum(r, j)));
      });
    return std::move(f_);
  }

 private:
  OperandType vector() const { return {b_.c.accumulator, b_.lanes(), 0}; }
  bool takes_left_step() const { return left_.depth_step && constant_value(left_.depth_step) != 1; }

  /// Rows at equal steps; the last one again where the tile has more.
  void find_rows() {
    f_.params.insert(f_.params.end(), {"row_step", "last_row"});
    for (int r = 1; r < height_; ++r)
      f_.body.push_back(s_let(fmt::format("row{}", r), smaller(v_int(r), v_var("last_row")) * v_var("row_step")));
  }

  /// The element of row `r` at a place of the depth.
  Operand left_element(int r, const Operand& at) const {
    const DType acc = b_.c.accumulator;
    if (even_rows_) return v_load(0, acc, r == 0 ? at : v_var(fmt::format("row{}", r)) + at);
    return from_first_.empty() ? v_load(r, acc, at) : v_load(0, acc, at + v_int(from_first_[static_cast<size_t>(r)]));
  }

  bool has_sums() const { return b_.c.word_numbers == 4 && b_.right_type != b_.c.accumulator; }
  std::string offset_name(int j) const { return fmt::format("offset{}", j); }
  Operand offset_of(int j) const { return v_var(offset_name(j), vector()); }

  /// Sums start at the negated contribution of the left side's offset. Panels packed at generation store it in front;
  /// for others it is summed along with the products.
  void begin_sums() {
    const bool moved = b_.c.left_offset != 0;
    for (int j = 0; j < vectors_ && moved; ++j) {
      if (!has_sums()) {
        f_.body.push_back(s_var(offset_name(j), v_const(0, vector())));
        continue;
      }
      const Operand sums = right_words(j, v_int(0));
      f_.body.push_back(s_let(offset_name(j), b_.c.left_offset > 0 ? v_const(0, vector()) - sums : sums));
    }
    each([&](int r, int j) {
      f_.body.push_back(s_var(sum_name(r, j), moved && has_sums() ? offset_of(j) : v_const(0, vector())));
    });
    if (adds_up_) f_.body.push_back(s_if(v_apply(ScalarOp::Gt, {v_var("first_depth"), v_int(0)}), sums_before()));
  }
  Block sums_before() {
    Block out;
    each([&](int r, int j) {
      const Operand at = v_int(r * b_.panel_columns() + j * b_.lanes());
      out.push_back(s_assign(sum_name(r, j), v_load(tile_, b_.c.accumulator, at, b_.lanes())));
    });
    return out;
  }
  void end_sums() {
    if (b_.c.left_offset == 0 || has_sums()) return;
    each([&](int r, int j) { f_.body.push_back(s_assign(sum_name(r, j), sum(r, j) - offset_of(j))); });
  }
  Operand sum(int r, int j) const { return v_var(sum_name(r, j), vector()); }
  Operand finished_sum(int r, int j) const {
    return finished(b_, *store_, sum(r, j), bias_ < 0 ? nullptr : v_load(bias_, b_.c.accumulator, v_int(r)));
  }
  template <class F>
  void each(F f) {
    for (int r = 0; r < height_; ++r)
      for (int j = 0; j < vectors_; ++j) f(r, j);
  }
  /// Everything that determines the function's body.
  std::string name() const {
    std::string s = fmt::format("tile_{}x{}", height_, vectors_);
    if (!transposed_ && vectors_ < b_.blueprint.tile_vectors) s += fmt::format("of{}", b_.blueprint.tile_vectors);
    s += fmt::format("_{}", name_of(b_.c.accumulator));
    if (b_.right_type != b_.c.accumulator) s += fmt::format("_{}", name_of(b_.right_type));
    if (b_.panels_of(vectors_) > 1) s += fmt::format("_panels{}", b_.right_panel);
    if (!b_.c.paired.empty()) s += b_.c.word_numbers == 4 ? "_quads" : "_pairs";
    if (b_.c.left_offset != 0) s += b_.c.left_offset > 0 ? "_raised" : "_lowered";
    if (!left_.depth_step) {
      s += left_.run > 1 ? "_runs" : "_offsets";
      if (left_.table_type != DType::I64) s += "32";
    } else if (constant_value(left_.depth_step) != 1) s += "_steps";
    if (!from_first_.empty()) s += rows_name();
    if (even_rows_) s += "_rows";
    if (store_) s += "_stored" + store_->finish;
    if (adds_up_) s += "_parts";
    if (b_.fetches_right) s += b_.right_is_far ? "_fetched_far" : "_fetched";
    if (b_.steps_a_line > 0) s += fmt::format("_ahead{}", b_.steps_a_line);
    if (transposed_)
      s += height_ == b_.transposed_rows ? "_transposed" : fmt::format("_transposed{}", b_.transposed_rows);
    return s;
  }

  /// "_line2": each row is 2 elements after the one before; "_lines8by1by10": 10 from one line of 8 such to the next.
  std::string rows_name() const {
    const int64_t step = height_ > 1 ? from_first_[1] : 0;
    for (int r = 1; r < height_; ++r)
      if (const int64_t at = from_first_[static_cast<size_t>(r)]; at != r * step)
        return fmt::format("_lines{}by{}by{}", r, step, at);
    return fmt::format("_line{}", step);
  }

  int add_pointer(std::string name, DType d, bool writable) {
    f_.buffers.push_back({std::move(name), d, Storage::Workspace, -1, nullptr, writable});
    return static_cast<int>(f_.buffers.size()) - 1;
  }

  /// Stores vector `j` of every row column by column.
  void store_transposed(int j) {
    std::vector<Operand> v;
    for (int r = 0; r < height_; ++r) v.push_back(sum(r, j));
    v = transposed_columns(b_, std::move(v), fmt::format("t{}_", j), f_.body);
    for (size_t i = 0; i < v.size(); ++i)
      f_.body.push_back(s_store(tile_, v_int(transposed_place(b_, 0, j, static_cast<int>(i))), v[i]));
  }

  /// Vector `j` of words of four bytes at element `at` of the panel.
  Operand right_words(int j, const Operand& at) const {
    const int column = j * b_.lanes(), width = static_cast<int>(b_.right_panel), panel = right_ + column / width;
    return v_apply_as(ScalarOp::Bits, {v_load(panel, b_.right_type, at + v_int(4 * (column % width)), 4 * b_.lanes())},
                      vector());
  }

  /// Vector `j` of the right side at a depth; words that are in memory as pairs of narrower numbers are widened.
  Operand right_vector(int j, const Operand& depth) const {
    if (has_sums()) return right_words(j, (depth + v_int(1)) * v_var("right_step"));
    const int column = j * b_.lanes(),
              width = b_.panels_of(vectors_) > 1 ? static_cast<int>(b_.right_panel) : column + 1;
    const int panel = right_ + column / width;
    const Operand at = depth * v_var("right_step");
    if (b_.right_type == b_.c.accumulator) return v_load(panel, b_.right_type, at + v_int(column % width), b_.lanes());
    const Operand halves = v_load(panel, b_.right_type, at + v_int(2 * (column % width)), 2 * b_.lanes());
    return v_apply_as(ScalarOp::Bits, {v_cast(halves, DType::I16)}, vector());
  }

  /// The line of every panel that is a page after the one at hand, or two where it comes from memory. The second-level
  /// cache then has more requests on their way than the first.
  void fetch_right(const Operand& depth, Block& out) const {
    const auto ahead = static_cast<int>((b_.right_is_far ? 2 : 1) * kPage / bytes_of(b_.right_type));
    for (int i = 0; i < b_.panels_of(vectors_); ++i)
      out.push_back({SPrefetch{right_ + i, depth * v_var("right_step") + v_int(ahead), b_.right_is_far ? 2 : 3}});
  }

  /// The lines of the next panel, which the hardware prefetcher does not expect where panels are read in place: each
  /// row is in another page. A panel that begins within a line has its first part with the one before.
  void fetch_next(const Operand& depth, Block& out) const {
    const int line = kLineBits / 8 / bytes_of(b_.right_type), panel = b_.panel_columns();
    for (int last = std::min(line, panel); last <= panel; last += line)
      out.push_back({SPrefetch{right_, depth * v_var("right_step") + v_int(panel + last - 1), 3}});
  }

  Operand offset_in_table(const std::string& index) const {
    return v_cast(v_load(table_, left_.table_type, v_var(index)), DType::I64);
  }

  /// A loop over depth indices. gcc does not keep a vector of the right side in a register for two or three rows, but
  /// loads it for each of them, unless it is of two iterations.
  Stmt steps(const std::string& count, Block body) const {
    const LoopKind kind = b_.lanes() > 1 && (height_ == 2 || height_ == 3) ? LoopKind::Paired : LoopKind::Serial;
    return with_kind(kind, s_for("d", v_int(0), v_var(count), 1, std::move(body)));
  }

  /// One run of depth indices after the other.
  Stmt runs() {
    Block body{s_let("first", offset_in_table("t")), steps("run", step(v_var("t") * v_var("run") + v_var("d")))};
    return s_for("t", v_int(0), v_var("runs"), 1, std::move(body));
  }

  /// One depth index: the vectors of the right side, then each row's element against all of them.
  Block step(const Operand& depth) {
    Block body;
    Operand at = v_var("d");
    if (left_.run > 1) {
      at = v_var("first") + at;
    } else if (table_ >= 0) {
      body.push_back(s_let("step", offset_in_table("d")));
      at = v_var("step");
    } else if (takes_left_step()) {
      at = v_var("d") * v_var("left_step");
    }
    for (int j = 0; j < vectors_; ++j) {
      const std::string y = fmt::format("b{}", j);
      body.push_back(s_let(y, right_vector(j, depth)));
      if (b_.c.left_offset == 0 || has_sums()) continue;
      const Operand offset = v_const(INT32_C(-2139062144), vector());  // 128 in every byte
      body.push_back(s_assign(offset_name(j), multiply_add(b_.c, offset, v_var(y, vector()), offset_of(j))));
    }
    if (b_.fetches_right) fetch_right(depth, body);
    if (adds_up_) fetch_next(depth, body);
    if (b_.steps_a_line > 0) {
      const Operand line = floor_div(depth, v_int(b_.steps_a_line)) * v_var("right_step");
      body.push_back({SPrefetch{right_, v_var("ahead") + line, 2}});
    }
    for (int r = 0; r < height_; ++r) {
      const std::string x = fmt::format("x{}", r);
      body.push_back(s_let(x, v_splat(left_element(r, at), b_.lanes())));
      for (int j = 0; j < vectors_; ++j)
        body.push_back(s_assign(
            sum_name(r, j), multiply_add(b_.c, v_var(x, vector()), v_var(fmt::format("b{}", j), vector()), sum(r, j))));
    }
    return body;
  }

  ContractionBuilder& b_;
  const LeftAccess& left_;
  int height_, vectors_;
  bool transposed_, even_rows_, adds_up_;
  const TileStore* store_;
  std::vector<int64_t> from_first_;
  InnerFunction f_;
  int right_ = -1, tile_ = -1, table_ = -1, bias_ = -1;
};

/// Whether the sums of so many rows have registers, next to the right side's vectors and an element of the left.
bool fits_registers(const ContractionBuilder& b, int rows, int vectors) {
  return b.lanes() == 1 || rows * vectors + vectors + 1 <= b.isa.vector_registers;
}

/// Offset of row `r` of the tile in the left side's buffer.
Operand row_base(ContractionBuilder& b, const LeftAccess& left, const TilePlace& place, int r, Block& out) {
  const Operand at = place.first_row + v_int(r);
  const Operand row = place.row_end ? smaller(at, place.row_end - v_int(1)) : at;
  if (place.block_first) return (row - place.block_first) * left.copied_pitch;
  return row_offset(b, left, row, out);
}

}  // namespace

std::vector<Operand> row_starts(ContractionBuilder& b, const LeftAccess& left, const TilePlace& place, int height,
                                Block& out) {
  std::vector<Operand> starts;
  for (int r = 0; r < height; ++r) starts.push_back(row_base(b, left, place, r, out));
  return starts;
}

std::vector<int64_t> rows_from_first(ContractionBuilder& b, const LeftAccess& left, int height) {
  if (!b.possible || b.c.rows.empty() || left.block_copy >= 0) return {};
  const bool flat = collapses({left.row_coefficients, left.base}, b.c.rows, b.scope);
  const auto all = b.known_rows(), line = constant_value(b.extent(b.c.rows.back())),
             step = constant_value(left.row_coefficients.at(b.c.rows.back().name));
  if (!all || *all == 0 || *all % height != 0 || !line || !step) return {};
  std::optional<int64_t> next = *step * *line;
  if (!flat &&
      *line % height != 0) {  // several lines: two dimensions of rows, so that each line is after the one before
    if (height % *line != 0 || b.c.rows.size() != 2) return {};
    next = constant_value(left.row_coefficients.at(b.c.rows.front().name));
  }
  if (!next) return {};
  std::vector<int64_t> out;
  for (int r = 0; r < height; ++r) out.push_back(r / *line * *next + r % *line * *step);
  return out;
}

int function_number(ContractionBuilder& b, InnerFunction f) {
  const auto known = find_if(b.functions, [&](const InnerFunction& g) { return g.name == f.name; });
  if (known != b.functions.end()) return static_cast<int>(known - b.functions.begin());
  b.functions.push_back(std::move(f));
  return static_cast<int>(b.functions.size()) - 1;
}

namespace {

/// Rows first..first+rows-1 of a tile, by one call.
struct TilePart {
  int first = 0, rows = 0, tile = 0;
  bool transposed = false;
};
/// The last row that there is, counted from the first of the part.
Operand last_row(const TilePlace& place, const TilePart& part) {
  if (!place.row_end) return v_int(part.rows - 1);
  const Operand last = place.row_end - v_int(1) - (place.first_row + v_int(part.first));
  return part.first == 0 ? last : larger(last, v_int(0));
}

Block tile_part(ContractionBuilder& b, const LeftAccess& left, const TilePlace& place, int vectors,
                const TilePart& part) {
  Block out;
  SCall call;
  const bool even_rows = place.row_step && part.rows > 1;
  std::vector<int64_t> from_first;
  if (!place.rows_from_first.empty()) {
    const auto first = place.rows_from_first.begin() + part.first;
    for (auto at = first; at != first + part.rows; ++at) from_first.push_back(*at - *first);
  }
  call.function = function_number(b, TileFunction(b, left,
                                                  {part.rows, vectors, part.transposed, from_first, even_rows,
                                                   place.adds_up, place.store ? &*place.store : nullptr})
                                         .build());
  std::vector<Operand> starts;
  if (!from_first.empty()) {
    starts = {place.row_starts.at(0) + v_int(place.rows_from_first[static_cast<size_t>(part.first)])};
  } else if (!place.row_starts.empty()) {
    starts.assign(place.row_starts.begin() + part.first, place.row_starts.begin() + part.first + part.rows);
  } else {
    TilePlace at = place;
    at.first_row = place.first_row + v_int(part.first);
    if (part.first == 0 && (even_rows || part.rows == 1)) at.row_end = nullptr;  // a tile has at least one row
    starts = row_starts(b, left, at, even_rows ? 1 : part.rows, out);
  }
  const bool by_table = !left.depth_step;
  if (place.first_depth && !by_table)
    for (Operand& start : starts) start = start + place.first_depth * (place.block_first ? v_int(1) : left.depth_step);
  for (const Operand& start : starts)
    call.buffers.push_back({place.block_first ? left.block_copy : left.buffer, start});
  BufferArgument right = place.right;
  if (place.first_depth) right.offset = right.offset + place.first_depth * place.right_step;
  call.buffers.push_back(right);
  for (int i = 1; i < b.panels_of(vectors); ++i)
    call.buffers.push_back({place.right.buffer, place.next_panels.at(static_cast<size_t>(i - 1))});
  if (place.store) call.buffers.push_back({place.store->buffer, place.store->first});
  else
    call.buffers.push_back(
        {part.tile, (place.sums_at ? place.sums_at : v_int(0)) + v_int(part.first * b.panel_columns())});
  if (by_table)
    call.buffers.push_back(
        {left.depth_table, place.first_depth ? floor_div(place.first_depth, v_int(left.run)) : v_int(0)});
  if (place.store && place.store->bias) call.buffers.push_back(place.store->biases);
  call.args = {left.run > 1 ? floor_div(place.depth, v_int(left.run)) : place.depth, place.right_step};
  if (left.run > 1) call.args.push_back(v_int(left.run));
  if (left.depth_step && constant_value(left.depth_step) != 1)
    call.args.push_back(place.block_first ? v_int(1) : left.depth_step);
  if (even_rows) {
    call.args.push_back(place.block_first ? left.copied_pitch : place.row_step);
    call.args.push_back(last_row(place, part));
  }
  if (place.store) call.args.push_back(place.store->step);
  if (b.steps_a_line > 0) call.args.push_back(place.ahead);
  if (place.adds_up) call.args.push_back(place.first_depth);
  out.push_back({std::move(call)});
  return out;
}

}  // namespace

bool turns_afterwards(const ContractionBuilder& b, int height, int vectors) {
  return b.c.transposed && (height > b.transposed_rows || !fits_registers(b, height, vectors));
}

Block register_tile(ContractionBuilder& b, const LeftAccess& left, const TilePlace& place, int height, int vectors) {
  if (!turns_afterwards(b, height, vectors))
    return tile_part(b, left, place, vectors, {0, height, place.tile, b.c.transposed});
  Block out;
  int rows = height;
  while (rows > 1 && (height % rows != 0 || !fits_registers(b, rows, vectors))) --rows;
  for (int first = 0; first < height; first += rows)
    append(out, tile_part(b, left, place, vectors, {first, rows, place.tile_rows, false}));
  out.push_back(transpose_tile(b, place.tile_rows, place.tile, height, vectors));
  return out;
}

}  // namespace tenon
