// Stencils (depthwise convolutions): each filter sees its own pixels, so the vectors run along the pixels of a padded
// copy.
#include <algorithm>
#include <utility>

#include "lower/contraction/stencil_strip.h"

namespace tenon {

bool is_line(const ContractionBuilder& b) { return b.c.rows.size() == (b.planes > 1 ? 1u : 0u); }

AffineForm weights_of(ContractionBuilder& b, const Read* read) {
  const auto form = offset_form(read->tensor, read->index, b.c.depth, b.scope);
  b.possible = b.possible && form && collapses(*form, b.c.depth, b.scope);
  return form ? *form : AffineForm{{}, v_int(0)};
}

int64_t epilogue_operations(const ContractionBuilder& b, int64_t function) {
  int64_t operations = 0;
  walk(b.c.statement->value, [&](const Expr& e) {
    const auto* apply = std::get_if<Apply>(&e->node);
    if (apply) operations += scalar_op_row(apply->op).has('M') ? function : 1;
    return !std::holds_alternative<Reduce>(e->node);
  });
  return operations;
}

bool short_epilogue(const ContractionBuilder& b) {
  constexpr int64_t kOperations = 6;
  return epilogue_operations(b, 1) <= kOperations;
}

namespace {

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
  if (b.isa.masked_memory || b.lanes() == 1 || b.band_first || b.c.rows.size() != 1) return 0;
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
  Stmt call = StripCall(b, operands, shape).at(v_var(first), v_int(0), to, strip);
  strip.push_back(sliding_or(b, shape, {operands.left, v_int(shape.height), operands.weight_step}, std::move(call)));
  Block out{s_for(r, v_int(0), rows, shape.height, std::move(strip))};
  b.c.columns.insert(b.c.columns.begin(), b.c.rows.back());
  b.c.rows.clear();
  append(out, epilogue(b, {v_int(0), v_int(1), v_int(0), pixels, tile, *constant_value(pixels)}));
  return out;
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
