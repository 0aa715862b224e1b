// Stencils (depthwise convolutions): each filter sees its own pixels, so the vectors run along the pixels of a padded copy.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lower/contraction_builder.h"

namespace tenon {
namespace {

/// A plane of short rows. They lie `pitch` elements apart in the copy, so that each tap is one distance for the whole plane: the vectors
/// run over all of it, and the sums between the rows are left out afterwards.
struct ShortRows {
  int64_t rows = 0, columns = 0, pitch = 0;
  int vectors = 0;   ///< that cover the plane with what lies between its rows
};

/// What a strip is made of. `taps` empty: the offsets of the taps come from a table, or are a step apart.
struct StripShape {
  int height = 0;
  int64_t stride = 1;    ///< of pixels along the line
  int64_t row_step = 0;  ///< elements from one row of the strip to the next, with known taps only
  std::vector<int64_t> taps;
  int64_t weight_step = 0;
  int table = -1;
  DType table_type = DType::I64;
  DType weight_type = DType::F32;  ///< as they are stored; they are widened where they are loaded
  std::optional<ShortRows> plane = std::nullopt;   ///< the strip is all of it
};

/// The function of one strip: rows of one vector. Buffers: the rows (one for all where the taps are known), the weights, the tile, and
/// the offsets of the taps where there is a table.
class StripFunction {
 public:
  StripFunction(ContractionBuilder& b, StripShape shape) : b_(b), shape_(std::move(shape)) {}

  InnerFunction build() {
    f_.name = fmt::format("strip_{}", shape_.height);
    if (shape_.taps.empty()) loop();
    else unrolled();
    return std::move(f_);
  }

 private:
  OperandType type() const { return {b_.c.accumulator, b_.lanes(), 0}; }
  Operand sum(int r) const { return v_var(fmt::format("c{}", r), type()); }
  int add(std::string name, DType d, bool writable) {
    f_.buffers.push_back({std::move(name), d, Storage::Workspace, -1, nullptr, writable});
    return static_cast<int>(f_.buffers.size()) - 1;
  }
  void clear_sums() {
    for (int r = 0; r < shape_.height; ++r) f_.body.push_back(s_var(fmt::format("c{}", r), v_const(0, type())));
  }
  void store_sums(int tile) {
    if (shape_.plane) return store_plane(*shape_.plane, tile);
    for (int r = 0; r < shape_.height; ++r) f_.body.push_back(s_store(tile, v_int(r * b_.lanes()), sum(r)));
  }
  /// Stores the sums of the plane's rows one behind the other: each vector is picked from those that hold its elements.
  void store_plane(const ShortRows& p, int tile) {
    const int lanes = b_.lanes();
    for (int64_t first = 0; first < p.rows * p.columns; first += lanes) {
      const auto place = [&](int lane) {
        const int64_t i = std::min(first + lane, p.rows * p.columns - 1);
        return static_cast<int>(i / p.columns * p.pitch + i % p.columns);
      };
      const int low = place(0) / lanes, high = place(lanes - 1) / lanes;
      Operand picked = sum(low);
      // from two vectors at a time; what the steps before have picked is where it belongs
      for (int v = low; v < std::max(high, low + 1); ++v) {
        std::vector<int> pick(static_cast<size_t>(lanes));
        for (int l = 0; l < lanes; ++l) {
          const int at = place(l) - v * lanes;
          pick[static_cast<size_t>(l)] = at >= lanes ? std::min(at, 2 * lanes - 1) : v == low ? at : l;
        }
        const std::string name = fmt::format("p{}_{}", first / lanes, v - low);
        f_.body.push_back(s_let(name, v_shuffle(picked, sum(std::min(v + 1, high)), pick)));
        picked = v_var(name, type());
      }
      f_.body.push_back(s_store(tile, v_int(first), picked));
    }
  }
  Stmt add_product(int r, const Operand& weight, const Operand& pixels) const {
    const Operand next = is_float(b_.c.accumulator) ? v_apply(ScalarOp::Fma, {weight, pixels, sum(r)}) : sum(r) + weight * pixels;
    return s_assign(fmt::format("c{}", r), next);
  }

  /// A loop over the taps: each row's pixels against one weight.
  void loop() {
    for (int r = 0; r < shape_.height; ++r) add(fmt::format("a{}", r), b_.c.accumulator, false);
    const int weights = add("w", shape_.weight_type, false), tile = add("tile", b_.c.accumulator, true);
    f_.params = {"taps", "weight_step"};
    Block step;
    Operand at = v_var("d");
    if (shape_.table >= 0) {
      const int table = add("offset", shape_.table_type, false);
      step.push_back(s_let("step", v_cast(v_load(table, shape_.table_type, v_var("d")), DType::I64)));
      at = v_var("step");
    } else {
      f_.params.push_back("tap_step");
      at = v_var("d") * v_var("tap_step");
    }
    step.push_back(s_let("x", weight(weights, v_var("d") * v_var("weight_step"))));
    clear_sums();
    for (int r = 0; r < shape_.height; ++r) step.push_back(add_product(r, v_var("x", type()), pixels(r, at, false)));
    f_.body.push_back(s_for("d", v_int(0), v_var("taps"), 1, std::move(step)));
    store_sums(tile);
  }

  /// All taps in line: the weights stay in registers, and pixels that several rows see are loaded once.
  void unrolled() {
    const int rows = add("a", b_.c.accumulator, false), weights = add("w", shape_.weight_type, false), tile = add("tile", b_.c.accumulator, true);
    std::map<int64_t, std::vector<std::pair<int, size_t>>> seen_by;  // offset of pixels: rows and taps that want them
    for (int r = 0; r < shape_.height; ++r)
      for (size_t d = 0; d < shape_.taps.size(); ++d) seen_by[r * shape_.row_step + shape_.taps[d]].push_back({r, d});
    for (size_t d = 0; d < shape_.taps.size(); ++d)
      f_.body.push_back(s_let(fmt::format("w{}", d), weight(weights, v_int(static_cast<int64_t>(d) * shape_.weight_step))));
    clear_sums();
    int loaded = 0;
    for (const auto& [offset, uses] : seen_by) {
      const std::string x = fmt::format("x{}", loaded++);
      f_.body.push_back(s_let(x, pixels(rows, v_int(offset), uses.size() > 1)));
      for (const auto& [r, d] : uses) f_.body.push_back(add_product(r, v_var(fmt::format("w{}", d), type()), v_var(x, type())));
    }
    store_sums(tile);
  }

  Operand weight(int buffer, const Operand& at) const {
    const Operand stored = v_load(buffer, shape_.weight_type, at);
    return v_splat(shape_.weight_type == b_.c.accumulator ? stored : v_cast(stored, b_.c.accumulator), b_.lanes());
  }

  /// A vector of pixels: every one, or every second of two vectors. What is `shared` by several rows is loaded once.
  Operand pixels(int buffer, const Operand& at, bool shared) const {
    const int lanes = b_.lanes();
    if (shape_.stride == 1 && shared && lanes > 1) return v_load_once(buffer, b_.c.accumulator, at, lanes);
    const Operand low = v_load(buffer, b_.c.accumulator, at, lanes);
    if (shape_.stride == 1 || lanes == 1) return low;
    std::vector<int> even;
    for (int l = 0; l < lanes; ++l) even.push_back(2 * l);
    return v_shuffle(low, v_load(buffer, b_.c.accumulator, at + v_int(lanes), lanes), even);
  }

  ContractionBuilder& b_;
  StripShape shape_;
  InnerFunction f_;
};

/// Offset and step of the weights over the taps; clears `possible` where they are no single line.
AffineForm weights_of(ContractionBuilder& b, const Read* read) {
  const auto form = offset_form(read->tensor, read->index, b.c.depth, b.scope);
  b.possible = b.possible && form && collapses(*form, b.c.depth, b.scope);
  return form ? *form : AffineForm{{}, v_int(0)};
}

/// Rows of a strip whose taps all have registers, which leave room for fewer rows.
int unrolled_rows(const ContractionBuilder& b) { return b.blueprint.unroll > 0 ? b.blueprint.unroll : b.blueprint.tile_rows; }

/// Rows of a strip: as many as the blueprint says, or so many that equal strips cover known rows.
int strip_height(ContractionBuilder& b) {
  const int tall = b.unrolls_taps ? unrolled_rows(b) : b.blueprint.tile_rows;
  const auto rows = constant_value(b.extent_of(b.c.rows));
  return b.unrolls_taps && rows && *rows > 0 ? static_cast<int>(even_height(*rows, tall)) : tall;
}

constexpr int kForPixels = 3;   // registers of a strip that hold pixels

/// Whether the output replaces what the epilogue reads: nothing may be computed twice then.
bool in_place(const ContractionBuilder& b) { return b.kernel.tensors[static_cast<size_t>(b.c.statement->target)].shared; }

/// Whether all taps and rows have their registers, and all extents are numbers. The last of such strips may repeat rows of the one above.
bool taps_fit(ContractionBuilder& b) {
  const auto taps = constant_value(b.extent_of(b.c.depth)), rows = b.c.rows.size() == 1 ? constant_value(b.extent(b.c.rows[0])) : std::nullopt;
  if (!rows || !taps || *taps < 1 || *taps + unrolled_rows(b) + kForPixels > b.isa.vector_registers) return false;
  return !in_place(b) || *rows < 1 || *rows % even_height(*rows, unrolled_rows(b)) == 0;
}

/// Whether a copy of the whole plane is larger than the blueprint allows; a strip's rows are copied at a time then.
bool copies_bands(ContractionBuilder& b) {
  const auto pixels = constant_value(b.extent_of(b.c.rows) * b.extent_of(b.c.columns));
  return b.unrolls_taps && b.blueprint.cache_m > 0 && pixels && *pixels > b.blueprint.cache_m;
}

/// The call of the strip at (row, column).
class StripCall {
 public:
  StripCall(ContractionBuilder& b, const LeftAccess& left, const StripShape& shape) : b_(b), left_(left), shape_(shape) {}

  Stmt at(const Operand& row, const Operand& column, BufferArgument weights, const Operand& weight_step, int tile, Block& lets) const {
    SCall call;
    const int pointers = shape_.taps.empty() ? shape_.height : 1;
    for (int i = 0; i < pointers; ++i) call.buffers.push_back({left_.buffer, offset(row, i, column, lets)});
    call.buffers.push_back(std::move(weights));
    call.buffers.push_back({tile, v_int(0)});
    if (left_.depth_table >= 0) call.buffers.push_back({left_.depth_table, v_int(0)});
    if (!shape_.taps.empty()) return {std::move(call)};
    call.args = {b_.extent_of(b_.c.depth), weight_step};
    if (left_.depth_table < 0) call.args.push_back(left_.depth_step);
    return {std::move(call)};
  }

 private:
  Operand offset(const Operand& row, int i, const Operand& column, Block& lets) const {
    ValueScope scope = b_.scope;
    const Operand last = b_.extent_of(b_.c.rows) - v_int(1);
    bind_flat(b_, b_.c.rows, shape_.taps.empty() ? smaller(row + v_int(i), last) : row, scope, lets);
    scope.vars[b_.c.columns[0].name] = column;
    Operand at = left_.base;
    for (const auto& [name, by] : left_.row_coefficients) at = at + scope.vars.at(name) * by;
    return at;
  }

  ContractionBuilder& b_;
  const LeftAccess& left_;
  const StripShape& shape_;
};

/// Whether the last strip of columns begins early enough to be whole, where parts of vectors would be stored by elements.
bool repeats_columns(ContractionBuilder& b) {
  const auto columns = constant_value(b.extent_of(b.c.columns));
  return !b.isa.masked_memory && columns && *columns > b.lanes() && *columns % b.lanes() != 0 && !in_place(b);
}

/// The loops over strips: rows, then columns. With known taps the last strip of rows begins early enough to be whole.
struct StripOperands {
  const LeftAccess& left;
  BufferArgument weights;
  Operand weight_step;
  Block copies;  ///< what is done before the strips of the same rows
};
Block strips(ContractionBuilder& b, const StripShape& shape, const StripOperands& operands) {
  const int tile = b.add_buffer("tile", b.c.accumulator, Storage::Stack, v_int(shape.height * b.lanes()));
  const std::string r = b.local("strip_row"), q = b.local("strip_column"), height = b.local("height"), width = b.local("strip_width"), first = b.local("first_row");
  const Operand rows = b.extent_of(b.c.rows), columns = b.extent_of(b.c.columns);
  const bool whole = !shape.taps.empty();
  const Operand row = whole ? v_var(first) : v_var(r), tall = whole ? v_int(shape.height) : v_var(height);
  Operand column = v_var(q), wide = v_var(width);
  Block strip;
  if (repeats_columns(b)) {
    column = v_var(b.local("first_column")), wide = v_int(b.lanes());
    strip.push_back(s_let(b.local("first_column"), smaller(v_var(q), columns - v_int(b.lanes()))));
  } else {
    strip.push_back(s_let(width, smaller(v_int(b.lanes()), columns - v_var(q))));
  }
  strip.push_back(StripCall(b, operands.left, shape).at(row, column, operands.weights, operands.weight_step, tile, strip));
  for (Stmt& s : epilogue(b, {row, tall, column, wide, tile})) strip.push_back(std::move(s));
  Block out;
  if (whole) out.push_back(s_let(first, smaller(v_var(r), rows - v_int(shape.height))));
  else out.push_back(s_let(height, smaller(v_int(shape.height), rows - v_var(r))));
  out.insert(out.end(), operands.copies.begin(), operands.copies.end());
  out.push_back(s_for(q, v_int(0), columns, b.lanes(), std::move(strip)));
  return {s_for(r, v_int(0), rows, shape.height, std::move(out), LoopKind::Parallel)};
}

/// The plane, where vectors over all of it are clearly fewer than vectors along its rows and have their registers.
std::optional<ShortRows> short_rows(ContractionBuilder& b, const LeftAccess& left, int64_t stride) {
  if (left.taps.empty() || stride != 1 || b.band_first || b.lanes() == 1 || b.c.rows.size() != 1) return std::nullopt;
  const auto rows = constant_value(b.extent_of(b.c.rows)), columns = constant_value(b.extent_of(b.c.columns));
  const auto pitch = constant_value(left.row_coefficients.at(b.c.rows[0].name));
  if (!rows || !columns || !pitch || *rows < 1 || *pitch < *columns) return std::nullopt;
  const int64_t lanes = b.lanes(), vectors = ((*rows - 1) * *pitch + *columns + lanes - 1) / lanes;
  const int64_t along_rows = *rows * ((*columns + lanes - 1) / lanes);
  if (vectors * 4 > along_rows * 3 || vectors + static_cast<int64_t>(left.taps.size()) + kForPixels > b.isa.vector_registers) return std::nullopt;
  if (!flat_outside(b.kernel, b.c, {b.c.rows[0], b.c.columns[0]})) return std::nullopt;
  return ShortRows{*rows, *columns, *pitch, static_cast<int>(vectors)};
}

/// The whole plane in one call, then the epilogue over its rows as one.
Block whole_plane(ContractionBuilder& b, const StripShape& shape, const StripOperands& operands) {
  const ShortRows& p = *shape.plane;
  const int64_t pixels = p.rows * p.columns;
  const int tile = b.add_buffer("tile", b.c.accumulator, Storage::Stack, ceil_div(v_int(pixels), b.lanes()) * v_int(b.lanes()));
  Block out;
  out.push_back(StripCall(b, operands.left, shape).at(v_int(0), v_int(0), operands.weights, operands.weight_step, tile, out));
  b.c.columns.insert(b.c.columns.begin(), b.c.rows[0]);
  b.c.rows.clear();
  for (Stmt& s : epilogue(b, {v_int(0), v_int(1), v_int(0), v_int(pixels), tile})) out.push_back(std::move(s));
  return out;
}

}  // namespace

Block stencil_body(ContractionBuilder& b) {
  const Read* weights = plain_read(b.c.right);
  const DType weight_type = weights ? b.kernel.tensors[static_cast<size_t>(weights->tensor)].dtype : b.c.accumulator;
  const bool widens = is_int(weight_type) && is_int(b.c.accumulator) && bytes_of(weight_type) < bytes_of(b.c.accumulator);
  b.possible = weights && plain_read(b.c.left) && (weight_type == b.c.accumulator || widens);
  if (!b.possible) return {};
  Block body, staging;
  b.unrolls_taps = taps_fit(b);
  if (copies_bands(b)) {
    b.band_first = v_var(b.local("first_row"));
    b.band_rows = strip_height(b);
  }
  const LeftAccess left = stage_pixels(b, body, staging);
  const AffineForm w = weights_of(b, weights);
  const auto stride = left.buffer < 0 ? std::nullopt : constant_value(left.row_coefficients.at(b.c.columns[0].name));
  b.possible = b.possible && stride && (*stride == 1 || *stride == 2) && (!b.band_first || !left.taps.empty());
  if (!b.possible) return {};
  const Operand weight_step = b.c.depth.empty() ? v_int(0) : w.coefficient(b.c.depth.back().name);
  StripShape shape{strip_height(b), *stride, 0, {}, 0, left.depth_table, left.table_type, weight_type};
  if (!left.taps.empty()) {
    const auto row_step = constant_value(left.row_coefficients.at(b.c.rows[0].name)), by = constant_value(weight_step);
    b.possible = row_step && by;
    if (!b.possible) return {};
    shape.row_step = *row_step;
    shape.weight_step = *by;
    shape.taps = left.taps;
  }
  shape.plane = short_rows(b, left, *stride);
  if (shape.plane) {
    shape.height = shape.plane->vectors;
    shape.row_step = b.lanes();
  }
  b.functions.push_back(StripFunction(b, shape).build());
  Block inner, copies;
  (b.band_first ? copies : inner) = std::move(staging);
  const StripOperands operands{left, {weights->tensor, w.rest}, weight_step, std::move(copies)};
  for (Stmt& s : shape.plane ? whole_plane(b, shape, operands) : strips(b, shape, operands)) inner.push_back(std::move(s));
  for (Stmt& s : loops_over(b, b.c.outer_right, loops_over(b, b.c.outer_left, std::move(inner), LoopKind::Parallel), LoopKind::Parallel)) body.push_back(std::move(s));
  return body;
}

}  // namespace tenon
