// Stencils (depthwise convolutions): each filter sees its own pixels, so the vectors run along the pixels of a padded
// copy.
#include <algorithm>
#include <utility>

#include "lower/contraction/stencil_strip.h"

namespace tenon {
namespace {

/// Offset and step of the weights over the taps; clears `possible` where they are no single line.
AffineForm weights_of(ContractionBuilder& b, const Read* read) {
  const auto form = offset_form(read->tensor, read->index, b.c.depth, b.scope);
  b.possible = b.possible && form && collapses(*form, b.c.depth, b.scope);
  return form ? *form : AffineForm{{}, v_int(0)};
}

constexpr int kForPixels = 3;  // registers of a strip that hold pixels

/// Whether the pixels of a plane are one line: a convolution along one dimension.
bool is_line(const ContractionBuilder& b) { return b.c.rows.size() == (b.planes > 1 ? 1u : 0u); }

/// Rows of a strip whose taps are all kept in registers, which leaves registers for fewer rows: with many taps only if
/// vectors along the lines are whole.
int unrolled_rows(ContractionBuilder& b) {
  constexpr int64_t kFewest = 4;
  const int64_t most = b.blueprint.rows_in_registers > 0 ? b.blueprint.rows_in_registers : b.blueprint.tile_rows;
  const auto taps = constant_value(b.extent_of(b.c.depth)), columns = constant_value(b.extent_of(b.c.columns));
  const bool few = taps && columns && *columns >= b.lanes() && !is_line(b);
  return static_cast<int>(few ? std::clamp(b.isa.vector_registers - *taps - kForPixels, std::min(kFewest, most), most)
                              : most);
}

/// Rows of a strip: as many as the blueprint says, or a number such that equal strips cover known rows.
int strip_height(ContractionBuilder& b) {
  if (is_line(b)) return 1;
  const int tall = b.unrolls_taps ? unrolled_rows(b) : b.blueprint.tile_rows;
  const auto rows = constant_value(b.extent_of(b.c.rows));
  return rows && *rows > 0 ? static_cast<int>(even_height(*rows, tall)) : tall;
}

/// Whether the output overwrites a tensor that the epilogue reads: then nothing may be computed twice.
bool in_place(const ContractionBuilder& b) { return b.kernel.tensor(b.c.statement->target).shared; }

/// Whether all taps and rows have their registers, and all extents are numbers. The last of such strips may repeat rows
/// of the one above. A line, whose strips are vectors along it, counts as one row.
bool taps_fit(ContractionBuilder& b) {
  const auto taps = constant_value(b.extent_of(b.c.depth)),
             rows = b.c.rows.size() <= 1 ? constant_value(b.extent_of(b.c.rows)) : std::nullopt;
  if (!rows || !taps || *taps < 1 || *taps + unrolled_rows(b) + kForPixels > b.isa.vector_registers) return false;
  return !in_place(b) || *rows < 1 || *rows % even_height(*rows, unrolled_rows(b)) == 0;
}

/// Whether a copy of the whole plane is larger than the blueprint allows; a strip's rows are copied at a time then.
bool copies_bands(ContractionBuilder& b) {
  const auto pixels = constant_value(b.extent_of(b.c.rows) * b.extent_of(b.c.columns));
  return b.unrolls_taps && !b.c.rows.empty() && b.blueprint.strip_pixels > 0 && pixels &&
         *pixels > b.blueprint.strip_pixels;
}

/// What all strips read.
struct StripOperands {
  const LeftAccess& left;
  BufferArgument weights;
  Operand weight_step;
  Block copies;  ///< statements before the strips of the same rows
};

/// The call of the strip at (row, column).
class StripCall {
 public:
  StripCall(ContractionBuilder& b, const StripOperands& operands, const StripShape& shape)
      : b_(b), operands_(operands), left_(operands.left), shape_(shape) {}

  Stmt at(const Operand& row, const Operand& column, BufferArgument tile, Block& lets) const {
    SCall call;
    const int pointers = shape_.taps.empty() && !shape_.plane ? shape_.height : 1;
    for (int i = 0; i < pointers; ++i) call.buffers.push_back({left_.buffer, offset(row, i, column, lets)});
    call.buffers.push_back(operands_.weights);
    call.buffers.push_back(std::move(tile));
    if (left_.depth_table >= 0) call.buffers.push_back({left_.depth_table, v_int(0)});
    if (!shape_.taps.empty()) return {std::move(call)};
    call.args = {b_.extent_of(b_.c.depth), operands_.weight_step};
    if (left_.depth_table < 0) call.args.push_back(left_.depth_step);
    return {std::move(call)};
  }

  /// Where the pixels of row `row`+i begin.
  Operand offset(const Operand& row, int i, const Operand& column, Block& lets) const {
    ValueScope scope = b_.scope;
    const Operand last = b_.extent_of(b_.c.rows) - v_int(1);
    if (shape_.plane) bind_collapsed(b_.c.rows, row, scope);
    else bind_flat(b_, b_.c.rows, shape_.taps.empty() ? smaller(row + v_int(i), last) : row, scope, lets);
    scope.vars[b_.c.columns[0].name] = column;
    Operand at = left_.base;
    for (const auto& [name, by] : left_.row_coefficients) at = at + scope.vars.at(name) * by;
    return at;
  }

 private:
  ContractionBuilder& b_;
  const StripOperands& operands_;
  const LeftAccess& left_;
  const StripShape& shape_;
};

/// Whether the last strip of columns begins early enough to be whole, where parts of vectors would be stored by
/// elements.
bool repeats_columns(ContractionBuilder& b) {
  const auto columns = constant_value(b.extent_of(b.c.columns));
  return !b.isa.masked_memory && columns && *columns > b.lanes() && *columns % b.lanes() != 0 && !in_place(b);
}

/// The loops over strips: rows, then columns. With known taps the last strip of rows begins early enough to be whole.
Block strips(ContractionBuilder& b, const StripShape& shape, const StripOperands& operands) {
  const int tile = b.add_buffer("tile", b.c.accumulator, Storage::Stack, v_int(shape.height * b.lanes()));
  const std::string r = b.local("strip_row"), q = b.local("strip_column"), height = b.local("height"),
                    width = b.local("strip_width"), first = b.local("first_row");
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
  Stmt call = StripCall(b, operands, shape).at(row, column, {tile, v_int(0)}, strip);
  strip.push_back(sliding_or(b, shape, {operands.left, tall, operands.weight_step}, std::move(call)));
  for (Stmt& s : epilogue(b, {row, tall, column, wide, tile})) strip.push_back(std::move(s));
  Block out;
  if (whole) out.push_back(s_let(first, smaller(v_var(r), rows - v_int(shape.height))));
  else out.push_back(s_let(height, smaller(v_int(shape.height), rows - v_var(r))));
  append(out, operands.copies);
  out.push_back(s_for(q, v_int(0), columns, b.lanes(), std::move(strip)));
  return {with_kind(LoopKind::Parallel, s_for(r, v_int(0), rows, shape.height, std::move(out)))};
}

/// Operations of the statement's expression around the sums, of which elementary functions count as `function`.
int64_t epilogue_operations(const ContractionBuilder& b, int64_t function) {
  int64_t operations = 0;
  walk(b.c.statement->value, [&](const Expr& e) {
    const auto* apply = std::get_if<Apply>(&e->node);
    if (apply) operations += scalar_op_row(apply->op).has('M') ? function : 1;
    return !std::holds_alternative<Reduce>(e->node);
  });
  return operations;
}

/// Whether they are few enough to be repeated for each row of a strip.
bool short_epilogue(const ContractionBuilder& b) {
  constexpr int64_t kOperations = 6;
  return epilogue_operations(b, 1) <= kOperations;
}

/// The loops over strips whose sums stay in registers until they are stored: all extents are known, and whole vectors
/// or parts of them are stored. Empty where that is not possible.
Block strips_in_registers(ContractionBuilder& b, const StripShape& shape, const StripOperands& operands) {
  const auto columns = constant_value(b.extent_of(b.c.columns));
  const int lanes = b.lanes();
  const bool cut = columns && *columns % lanes != 0, repeats = cut && *columns > lanes && !in_place(b);
  if (shape.taps.empty() || b.c.rows.size() != 1 || !columns || lanes == 1 || !short_epilogue(b)) return {};
  if (cut && !repeats && !b.isa.masked_memory) return {};
  const std::string r = b.local("strip_row"), q = b.local("strip_column"), first = b.local("first_row");
  const Operand rows = b.extent_of(b.c.rows);
  Operand column = v_var(q), active;
  Block strip;
  if (repeats) {
    column = v_var(b.local("first_column"));
    strip.push_back(s_let(b.local("first_column"), smaller(v_var(q), v_int(*columns - lanes))));
  } else if (cut) {
    active = v_var(b.local("active"));
    strip.push_back(s_let(b.local("active"), smaller(v_int(lanes), v_int(*columns) - v_var(q))));
  }
  const Operand at = StripCall(b, operands, shape).offset(v_var(first), 0, column, strip);
  const std::vector<Operand> sums = strip_sums(b, shape, {{operands.left.buffer, at}, operands.weights}, strip);
  append(strip, epilogue_of_sums(b, v_var(first), column, sums, active));
  if (!std::exchange(b.possible, true)) return {};
  Block out{s_let(first, smaller(v_var(r), rows - v_int(shape.height)))};
  append(out, operands.copies);
  out.push_back(s_for(q, v_int(0), v_int(*columns), lanes, std::move(strip)));
  return {with_kind(LoopKind::Parallel, s_for(r, v_int(0), rows, shape.height, std::move(out)))};
}

/// Elements from one row of a plane to the next in a tile that has all of it, where parts of vectors would be stored by
/// elements and the rows are shorter than a vector; or 0. Each row is written as a whole vector, whose end the next row
/// writes again.
int64_t dense_pitch(ContractionBuilder& b, const StripShape& shape) {
  constexpr int64_t kPixels = 4096;
  if (b.isa.masked_memory || b.lanes() == 1 || shape.taps.empty() || b.band_first || b.c.rows.size() != 1) return 0;
  const auto rows = constant_value(b.extent(b.c.rows[0])), columns = constant_value(b.extent_of(b.c.columns));
  if (!rows || !columns || *columns >= b.lanes() || *rows * *columns > kPixels || *rows < shape.height) return 0;
  return flat_outside(b.kernel, b.c, {b.c.rows[0], b.c.columns[0]}) ? *columns : 0;
}

/// All strips of a plane into one tile, then the epilogue over its pixels as one row.
Block dense_plane(ContractionBuilder& b, const StripShape& shape, const StripOperands& operands) {
  const Operand rows = b.extent(b.c.rows[0]), pixels = rows * v_int(shape.row_pitch);
  const int tile = b.add_buffer("tile", b.c.accumulator, Storage::Stack, pixels + v_int(b.lanes()));
  const std::string r = b.local("strip_row"), first = b.local("first_row");
  Block strip{s_let(first, smaller(v_var(r), rows - v_int(shape.height)))};
  const BufferArgument to{tile, v_var(first) * v_int(shape.row_pitch)};
  strip.push_back(StripCall(b, operands, shape).at(v_var(first), v_int(0), to, strip));
  Block out{s_for(r, v_int(0), rows, shape.height, std::move(strip))};
  b.c.columns.insert(b.c.columns.begin(), b.c.rows.back());
  b.c.rows.clear();
  append(out, epilogue(b, {v_int(0), v_int(1), v_int(0), pixels, tile, *constant_value(pixels)}));
  return out;
}

/// Stride of the pixels along a line, where strips can take them.
std::optional<int64_t> pixel_stride(const ContractionBuilder& b, const LeftAccess& left) {
  const auto stride = left.buffer < 0 ? std::nullopt : constant_value(left.row_coefficients.at(b.c.columns[0].name));
  return stride && (*stride == 1 || *stride == 2) ? stride : std::nullopt;
}

/// Elements from one plane to the next, where several make a strip.
bool place_planes(ContractionBuilder& b, const LeftAccess& left, ShortRows& p) {
  if (b.planes == 1) return true;
  const LoopVar& plane = b.c.rows[0];
  const Read& weights = *plain_read(b.c.right);
  std::vector<LoopVar> vars = b.c.depth;
  vars.push_back(plane);
  const auto form = offset_form(weights.tensor, weights.index, vars, b.scope);
  const auto weight_step = form ? constant_value(form->coefficient(plane.name)) : std::nullopt,
             step = constant_value(left.row_coefficients.at(plane.name));
  p.planes = b.planes;
  p.plane_step = step.value_or(0);
  p.weight_step = weight_step.value_or(0);
  return step && weight_step;
}

/// Vectors of a plane for which there are registers, next to its taps where these have theirs.
int64_t most_vectors(const ContractionBuilder& b, const LeftAccess& left) {
  const auto taps = static_cast<int64_t>(left.taps.size());
  return taps == 0 ? b.blueprint.tile_rows : b.isa.vector_registers - taps - kForPixels;
}

/// The line as a plane of one row; equal parts of it where it has more vectors than there are registers for.
std::optional<ShortRows> line_as_plane(ContractionBuilder& b, const LeftAccess& left) {
  const auto columns = constant_value(b.extent_of(b.c.columns));
  const int64_t lanes = b.lanes(), most = std::min<int64_t>(most_vectors(b, left), b.blueprint.tile_rows),
                all = columns ? (*columns + lanes - 1) / lanes : most;
  if (most < 1 || all < 1) return std::nullopt;
  const int64_t vectors = even_height(all, most), pixels = columns && all == vectors ? *columns : vectors * lanes;
  ShortRows out{1, pixels, pixels, static_cast<int>(vectors)};
  const bool fits = b.planes == 1 || all == vectors;
  return fits && place_planes(b, left, out) ? std::optional(out) : std::nullopt;
}

/// The plane, where vectors over all of it are clearly fewer than vectors along its rows and have their registers.
std::optional<ShortRows> short_rows(ContractionBuilder& b, const LeftAccess& left) {
  const auto stride = pixel_stride(b, left);
  if (!stride || b.lanes() == 1 || (b.band_first && b.planes == 1)) return std::nullopt;
  if (is_line(b)) return line_as_plane(b, left);
  if (b.c.rows.size() != (b.planes > 1 ? 2u : 1u)) return std::nullopt;
  const LoopVar& along = b.c.rows.back();
  const auto rows = constant_value(b.extent(along)), columns = constant_value(b.extent_of(b.c.columns));
  const auto row_step = constant_value(left.row_coefficients.at(along.name));
  if (!rows || !columns || !row_step || *rows < 1 || *row_step % *stride != 0 || *row_step / *stride < *columns)
    return std::nullopt;
  const int64_t lanes = b.lanes(), pitch = *row_step / *stride,
                vectors = ((*rows - 1) * pitch + *columns + lanes - 1) / lanes;
  const int64_t along_rows = *rows * ((*columns + lanes - 1) / lanes);
  if (vectors * 4 > along_rows * 3 || vectors > most_vectors(b, left) ||
      !flat_outside(b.kernel, b.c, {along, b.c.columns[0]}))
    return std::nullopt;
  ShortRows out{*rows, *columns, pitch, static_cast<int>(vectors)};
  return place_planes(b, left, out) ? std::optional(out) : std::nullopt;
}

/// The innermost loop that steps from plane to plane, in its list; the list's end if there is none.
struct PlaneLoop {
  std::vector<LoopVar>& loops;
  std::vector<LoopVar>::iterator at;
};
PlaneLoop plane_loop(ContractionBuilder& b) {
  const auto steps = [&](const LoopVar& v) { return constant_value(b.extent(v)) != 1; };
  const auto last = [&](std::vector<LoopVar>& loops) {
    const auto found = std::find_if(loops.rbegin(), loops.rend(), steps);
    return found == loops.rend() ? loops.end() : std::prev(found.base());
  };
  if (const auto left = last(b.c.outer_left); left != b.c.outer_left.end()) return {b.c.outer_left, left};
  return {b.c.outer_right, last(b.c.outer_right)};
}

/// Makes so many planes the outermost rows of a strip, copied at a time.
void take_planes(ContractionBuilder& b, int planes) {
  const PlaneLoop loop = plane_loop(b);
  b.planes = b.band_rows = planes;
  b.band_first = v_var(b.local("first_plane"));
  b.scope.vars.erase(loop.at->name);
  b.c.rows.insert(b.c.rows.begin(), *loop.at);
  loop.loops.erase(loop.at);
}

/// What short_rows is with so many planes, tried on a copy of the builder.
std::optional<ShortRows> tried(ContractionBuilder b, int planes) {
  if (planes > 1) take_planes(b, planes);
  Block before, staging;
  const LeftAccess left = stage_pixels(b, before, staging);
  return b.possible ? short_rows(b, left) : std::nullopt;
}

/// The number of planes of short rows in one strip: a divisor of all planes, with registers for the sums.
int planes_a_strip(ContractionBuilder& b) {
  const auto plane = tried(b, 1);
  const PlaneLoop loop = plane_loop(b);
  const auto all = plane && loop.at != loop.loops.end() ? constant_value(b.extent(*loop.at)) : std::nullopt;
  if (!all || *all < 1) return 1;
  // of planes, at least as many sums as a strip has rows, where those and a weight each have registers
  const int rows = b.blueprint.tile_rows + (is_line(b) ? 0 : plane->vectors - 1);
  int planes = std::max(1, rows / plane->vectors);
  while (planes > 1 && (*all % planes != 0 || planes * (plane->vectors + 1) > b.isa.vector_registers)) --planes;
  return planes > 1 && tried(b, planes) ? planes : 1;
}

/// All planes of a strip in one call, then the epilogue over the rows of each as one.
Block whole_planes(ContractionBuilder& b, const StripShape& shape, const StripOperands& operands) {
  const ShortRows& p = *shape.plane;
  const int64_t pitch = tile_pitch(b, p);
  const int tile = b.add_buffer("tile", b.c.accumulator, Storage::Stack, v_int(p.planes * pitch));
  Block out;
  out.push_back(StripCall(b, operands, shape).at(v_int(0), v_int(0), {tile, v_int(0)}, out));
  if (!is_line(b)) {
    b.c.columns.insert(b.c.columns.begin(), b.c.rows.back());
    b.c.rows.pop_back();
  }
  const Operand first = p.planes > 1 ? b.band_first : v_int(0);
  for (Stmt& s : epilogue(b, {first, v_int(p.planes), v_int(0), v_int(p.pixels()), tile, pitch}))
    out.push_back(std::move(s));
  return out;
}

/// Strips along a line of more pixels than one has. The last begins early enough to be whole where it may repeat some.
Block line_strips(ContractionBuilder& b, const StripShape& shape, const StripOperands& operands) {
  const int64_t pixels = shape.plane->pixels();
  const Operand columns = b.extent_of(b.c.columns);
  const int tile = b.add_buffer("tile", b.c.accumulator, Storage::Stack, v_int(pixels));
  const std::string q = b.local("strip_column"), width = b.local("strip_width"), first = b.local("first_column");
  const bool whole = constant_value(columns) && !in_place(b);
  const Operand column = whole ? v_var(first) : v_var(q), wide = whole ? v_int(pixels) : v_var(width);
  Block strip{whole ? s_let(first, smaller(v_var(q), columns - v_int(pixels)))
                    : s_let(width, smaller(v_int(pixels), columns - v_var(q)))};
  strip.push_back(StripCall(b, operands, shape).at(v_int(0), column, {tile, v_int(0)}, strip));
  append(strip, epilogue(b, {v_int(0), v_int(1), column, wide, tile, pixels}));
  return {with_kind(LoopKind::Parallel, s_for(q, v_int(0), columns, pixels, std::move(strip)))};
}

/// The layout of the strips, of the pixels and of the weights.
std::optional<StripShape> shape_of(ContractionBuilder& b, const LeftAccess& left, DType weight_type,
                                   const Operand& weight_step) {
  const auto stride = pixel_stride(b, left), by = constant_value(weight_step);
  const bool bands = b.band_first && b.planes == 1, unrolled = !left.taps.empty();
  const auto row_step =
      stride && !b.c.rows.empty() ? constant_value(left.row_coefficients.at(b.c.rows.back().name)) : std::nullopt;
  if (!stride || (bands && !unrolled) || (unrolled && (!by || (!row_step && !is_line(b))))) return std::nullopt;
  StripShape shape{strip_height(b), *stride,          row_step.value_or(0), left.taps,
                   by.value_or(0),  left.depth_table, left.table_type,      weight_type};
  shape.plane = short_rows(b, left);
  if (!shape.plane) {
    shape.row_pitch = dense_pitch(b, shape);
    return shape;
  }
  shape.height = shape.plane->planes * shape.plane->vectors;
  shape.row_step = *stride * b.lanes();
  return shape;
}

/// One strip after the other; several planes make one.
Block all_strips(ContractionBuilder& b, const StripShape& shape, const StripOperands& operands, Block staging) {
  Block kept = shape.plane || shape.row_pitch > 0 ? Block{} : strips_in_registers(b, shape, operands);
  if (!kept.empty()) {
    append(staging, std::move(kept));
    return staging;
  }
  b.functions.push_back(strip_function(b, shape));
  if (!shape.plane) {
    append(staging, shape.row_pitch > 0 ? dense_plane(b, shape, operands) : strips(b, shape, operands));
    return staging;
  }
  if (is_line(b) && constant_value(b.extent_of(b.c.columns)) != shape.plane->pixels()) {
    append(staging, line_strips(b, shape, operands));
    return staging;
  }
  const Operand all = b.planes > 1 ? b.extent(b.c.rows[0]) : nullptr;
  append(staging, whole_planes(b, shape, operands));
  if (!all) return staging;
  return {with_kind(LoopKind::Parallel, s_for(b.local("first_plane"), v_int(0), all, b.planes, std::move(staging)))};
}

/// Lets words of four bytes be the pixels, where the level multiplies them and taps are side by side.
void take_words(ContractionBuilder& b) {
  const Read *left = byte_read(b.c.left), *right = byte_read(b.c.right);
  const auto type = [&](const Read* r) { return b.kernel.tensor(r->tensor).dtype; };
  const bool unsigned_left = b.isa.row("dot4_unsigned", b.c.accumulator, b.lanes()) != nullptr;
  if (!unsigned_left && !b.isa.row("dot4", b.c.accumulator, b.lanes())) return;
  if (!b.unrolls_taps || !left || !right || b.c.accumulator != DType::I32 || type(right) != DType::I8) return;
  ContractionBuilder trial = b;
  Block before, staging;
  const std::vector<int64_t> taps = stage_pixels(trial, before, staging).taps;
  if (!trial.possible || tap_groups(taps, 4).size() == taps.size()) return;
  b.staged_as = type(left);
  b.c.word_numbers = 4;
  take_left_bytes(b.c, type(left), unsigned_left ? LeftBytes::Unsigned : LeftBytes::Signed);
}

/// Rows of a strip that reads the image itself, next to whose sums all taps have their registers; 0 if they have none.
int height_in_place(ContractionBuilder& b) {
  constexpr int64_t kFewest = 4;
  const int64_t most = b.blueprint.rows_in_registers > 0 ? b.blueprint.rows_in_registers : b.blueprint.tile_rows;
  const auto taps = constant_value(b.extent_of(b.c.depth)),
             rows = b.c.rows.size() == 1 ? constant_value(b.extent_of(b.c.rows)) : std::nullopt;
  if (!taps || !rows || *taps < 1 || *rows < 1) return 0;
  const int64_t tall = std::min(b.isa.vector_registers - *taps - kForPixels, most);
  if (tall < std::min({kFewest, most, *rows})) return 0;
  const int64_t height = even_height(*rows, tall);
  return in_place(b) && *rows % height != 0 ? 0 : static_cast<int>(height);
}

/// Whether strips in place take less time than a copy. With steps of 1 a copy pays where taps leave registers for so
/// few rows that strips repeat many; for planes of short rows, it costs several cycles a row and a tap, but its vectors
/// are full.
bool beats_copy(ContractionBuilder& b, const StencilImage& image, int height) {
  constexpr int64_t kTap = 5, kRow = 7, kFunction = 16;
  if (image.column_step > 1) return true;
  const auto taps = static_cast<int64_t>(image.taps.size()), rows = *constant_value(b.extent_of(b.c.rows));
  const int64_t columns = *constant_value(b.extent_of(b.c.columns)), strips = (rows + height - 1) / height,
                vectors = strips * height * ((columns + b.lanes() - 1) / b.lanes());
  const auto plane = tried(b, 1);
  if (!plane) return strips * height * 8 <= rows * 9;
  const int64_t full = (plane->pixels() + b.lanes() - 1) / b.lanes(), after = epilogue_operations(b, kFunction);
  return (vectors + 2 * strips) * taps * 7 / 5 + vectors * after <
         (plane->vectors + kTap) * taps + kRow * rows + full * after;
}

/// The loops over strips that read the image itself. Empty where the image needs a copy, or where that is faster.
Block strips_of_image(ContractionBuilder& b, const Read& weights) {
  const auto columns = constant_value(b.extent_of(b.c.columns));
  const int height = height_in_place(b);
  if (height == 0 || !b.isa.masked_memory || b.lanes() == 1 || !columns || b.c.word_numbers == 4) return {};
  if (in_place(b) && *columns > b.lanes() && *columns % b.lanes() != 0) return {};
  const AffineForm w = weights_of(b, &weights);
  const auto step = constant_value(b.c.depth.empty() ? v_int(0) : w.coefficient(b.c.depth.back().name));
  const auto image = b.possible && step ? find_image(b) : std::nullopt;
  if (!std::exchange(b.possible, true) || !image || !beats_copy(b, *image, height)) return {};
  const std::string r = b.local("strip_row"), first = b.local("first_row");
  const Operand rows = b.extent_of(b.c.rows);
  const StencilWeights tap_weights{{weights.tensor, w.rest}, *step};
  const bool keeps = short_epilogue(b), even = *constant_value(rows) % height == 0;
  Block body{s_let(first, smaller(v_var(r), rows - v_int(height)))};
  append(body, strip_in_place(b, *image, tap_weights, {height, v_var(first), keeps}));
  if (!std::exchange(b.possible, true)) return {};
  // the last of uneven strips repeats rows of the one before it, which another worker must not have
  Block strips{
      with_kind(even ? LoopKind::Parallel : LoopKind::Serial, s_for(r, v_int(0), rows, height, std::move(body)))};
  return loops_over(b, b.c.outer_right, loops_over(b, b.c.outer_left, std::move(strips), LoopKind::Parallel),
                    LoopKind::Parallel);
}

}  // namespace

Block stencil_body(ContractionBuilder& b) {
  const Read* weights = plain_read(b.c.right);
  const DType weight_type = weights ? b.kernel.tensor(weights->tensor).dtype : b.c.accumulator;
  const bool widens =
      is_int(weight_type) && is_int(b.c.accumulator) && bytes_of(weight_type) < bytes_of(b.c.accumulator);
  b.possible = weights && plain_read(b.c.left) && (weight_type == b.c.accumulator || widens);
  if (!b.possible) return {};
  b.unrolls_taps = taps_fit(b);
  take_words(b);
  if (!widens)
    if (Block all = strips_of_image(b, *weights); !all.empty()) return all;
  if (copies_bands(b)) {
    b.band_first = v_var(b.local("first_row"));
    b.band_rows = strip_height(b);
  } else if (const int planes = planes_a_strip(b); planes > 1) {
    take_planes(b, planes);
  }
  Block body, staging;
  const LeftAccess left = stage_pixels(b, body, staging);
  if (b.planes > 1) b.scope.vars[b.c.rows[0].name] = b.band_first;
  const AffineForm w = weights_of(b, weights);
  const Operand weight_step = b.c.depth.empty() ? v_int(0) : w.coefficient(b.c.depth.back().name);
  const auto shape = b.possible ? shape_of(b, left, weight_type, weight_step) : std::nullopt;
  b.possible = shape.has_value();
  if (!b.possible) return {};
  const bool bands = b.band_first && b.planes == 1;
  StripOperands operands{left, {weights->tensor, w.rest}, weight_step, {}};
  if (bands) operands.copies = std::exchange(staging, {});
  // filters of the same pixels share their copy
  std::vector<LoopVar> apart, filters;
  for (const LoopVar& v : b.c.outer_right) (b.planes > 1 || mentions(b.c.left, v.name) ? apart : filters).push_back(v);
  Block inner;
  if (!filters.empty()) inner = std::exchange(staging, {});
  append(inner, loops_over(b, filters, all_strips(b, *shape, operands, std::move(staging)), LoopKind::Parallel));
  append(body,
         loops_over(b, apart, loops_over(b, b.c.outer_left, std::move(inner), LoopKind::Parallel), LoopKind::Parallel));
  return body;
}

}  // namespace tenon
