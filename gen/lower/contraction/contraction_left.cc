// The left side of a contraction: read in place where it can be, else copied once per outer iteration into a padded,
// converted block.
#include "lower/contraction/contraction_staging.h"

namespace tenon {
namespace {

/// The offset of each depth index, outermost variable first; nothing where one is not a number.
std::vector<int64_t> known_offsets(ContractionBuilder& b, const AffineForm& form) {
  std::vector<int64_t> out = {0};
  for (const LoopVar& v : b.c.depth) {
    const auto extent = constant_value(b.extent(v)), by = constant_value(form.coefficient(v.name));
    if (!extent || !by) return {};
    std::vector<int64_t> next;
    for (const int64_t at : out)
      for (int64_t i = 0; i < *extent; ++i) next.push_back(at + i * *by);
    out = std::move(next);
  }
  return out;
}

/// Depth indices of a run: those of the last variable, where they are side by side and enough for a loop of their own.
/// Strips of stencils read an offset for each tap.
int64_t run_of(ContractionBuilder& b, const AffineForm& form) {
  constexpr int64_t kLong = 16;
  const LoopVar& last = b.c.depth.back();
  const int64_t extent = constant_value(b.extent(last)).value_or(0);
  return b.c.paired.empty() && !b.pixels_along_columns && extent >= kLong &&
                 constant_value(form.coefficient(last.name)) == 1
             ? extent
             : 1;
}

/// Offsets of the depth indices: one step where they form a line, else a table that is filled once.
void step_depth(ContractionBuilder& b, const AffineForm& form, LeftAccess& access, Block& before) {
  if (b.unrolls_taps) access.taps = known_offsets(b, form);
  if (!access.taps.empty()) return;
  if (collapses(form, b.c.depth, b.scope)) {
    access.depth_step = b.c.depth.empty() ? v_int(0) : form.coefficient(b.c.depth.back().name);
    return;
  }
  if (constant_value(b.extent_of(b.c.depth)) && b.kernel.sizes.empty()) access.table_type = DType::I32;
  std::vector<LoopVar> vars = b.c.depth;
  access.run = run_of(b, form);
  if (access.run > 1) vars.pop_back();
  access.depth_table = b.add_buffer("depth_offset", access.table_type, Storage::Workspace, b.extent_of(vars));
  ValueScope scope = b.scope;
  Operand offset = v_int(0);
  for (const LoopVar& v : vars) {
    scope.vars[v.name] = v_var(v.name);
    offset = offset + v_var(v.name) * form.coefficient(v.name);
  }
  const std::string step = b.local("depth_step");
  Block fill{s_let(step, offset),
             s_store(access.depth_table, flat_index(b, vars, scope), v_cast(v_var(step), access.table_type))};
  append(before, loops_over(b, vars, std::move(fill)));
}

LeftAccess from_form(ContractionBuilder& b, int buffer, const AffineForm& form, Block& before) {
  LeftAccess access;
  access.buffer = buffer;
  access.base = form.rest;
  for (const LoopVar& v : pixel_vars(b)) access.row_coefficients[v.name] = form.coefficient(v.name);
  step_depth(b, form, access, before);
  return access;
}

/// Whether a dimension of the copy is one of the tensor's, walked by one variable alone.
bool is_plain_dim(const StagedDim& d) {
  return !d.guarded && d.scale == 1 && d.form.coefficients.size() == 1 && constant_value(d.form.rest) == 0 &&
         constant_value(d.form.coefficients.begin()->second) == 1;
}

/// Fills the copy of a matrix with adjacent rows by squares of vectors, the rest element by element; `otherwise` if run
/// time decides whether rows are adjacent, and they are not.
Block matrix_copy(const Staging& s, Block otherwise) {
  ContractionBuilder& b = s.b;
  if (s.dims.size() != 2 || s.read.fill || !b.c.paired.empty() || b.staged_as || b.lanes() < 2 ||
      !is_plain_dim(s.dims[0]) || !is_plain_dim(s.dims[1]) || b.c.rows.size() != 1 || b.band_first ||
      s.dims[0].form.coefficients.begin()->first != b.c.rows[0].name)
    return otherwise;
  const Operand unit = s.stride_of(s.dims[0].dim), step = s.stride_of(s.dims[1].dim), pitch = s.dims[0].stride;
  if (constant_value(unit).value_or(1) != 1 || constant_value(s.dims[1].stride) != 1) return otherwise;
  const std::string r = b.local("copied_row"), d = b.local("copied_depth");
  Operand base = v_int(0);
  for (size_t i = 0; i < s.fixed.size(); ++i)
    if (s.fixed[i]) base = base + s.fixed[i] * s.stride_of(i);
  const auto whole = [&](const Operand& n) { return floor_div(n, v_int(b.lanes())) * v_int(b.lanes()); };
  const Operand rows = s.dims[0].extent, depth = s.dims[1].extent, squares = whole(depth);
  const Operand from = base + v_var(r) + v_var(d) * step, to = v_var(r) * pitch + v_var(d);
  Stmt square = transpose_square(b, {{s.read.tensor, from}, step}, {{s.buffer, to}, pitch});
  const auto elements = [&](const Operand& first_row, const Operand& last_row, const Operand& first) {
    Block one{s_store(s.buffer, to, v_cast(v_load(s.read.tensor, s.tensor().dtype, from), b.staged_type()))};
    return s_for(d, first, depth, 1, {s_for(r, first_row, last_row, 1, std::move(one))});
  };
  Block all{with_kind(LoopKind::Parallel, s_for(r, v_int(0), whole(rows), b.lanes(),
                                                {s_for(d, v_int(0), squares, b.lanes(), {std::move(square)})})),
            elements(v_int(0), whole(rows), squares), elements(whole(rows), rows, v_int(0))};
  const Operand adjoin = all_unit({unit});
  if (!adjoin) return all;
  return {s_if(adjoin, std::move(all), std::move(otherwise))};
}

/// A copy of the read's neighbourhood: guards and conversions are done here, so that tiles read without them.
LeftAccess stage_read(ContractionBuilder& b, const Read& read, Block& before, Block& staging) {
  Staging s{b, read, -1, {}, {}, nullptr};
  if (!plan_staging(s)) {
    b.possible = false;
    return {};
  }
  if (b.c.low_halves && !s.pair_step) b.possible = false;
  const Operand fill = read.fill ? b.scalar(read.fill, b.scope) : v_int(0);
  const auto number = is_int(b.c.accumulator) ? constant_value(fill) : std::nullopt;
  s.fill = number ? v_int(*number, b.staged_type()) : v_cast(fill, b.staged_type());
  AffineForm form{{}, v_int(0)};
  for (const StagedDim& d : s.dims) {
    for (const auto& [name, by] : d.form.coefficients) {
      auto [it, fresh] = form.coefficients.try_emplace(name, v_int(0));
      it->second = it->second + by * d.stride;
    }
    if (!walks_planes(b, d))
      form.rest = form.rest + (d.form.rest - d.lo) * d.stride;  // planes are counted from the first copied
  }
  append(staging, matrix_copy(s, stage_copy(s, before)));
  if (b.staged_as || b.c.windows) append(staging, window_words(s));
  return from_form(b, s.buffer, form, before);
}

/// Any expression: evaluated element by element into a dense rows × depth block.
LeftAccess stage_value(ContractionBuilder& b, Block& before, Block& staging) {
  const Operand depth = b.extent_of(b.c.depth);
  const int buffer = b.add_buffer("staged", b.c.accumulator, Storage::Workspace, b.extent_of(b.c.rows) * depth);
  ValueScope scope = b.scope;
  const std::vector<LoopVar> vars = staged_vars(b);
  for (const LoopVar& v : vars) scope.vars[v.name] = v_var(v.name);
  Block store{s_store(buffer, flat_index(b, vars, scope), v_cast(b.scalar(b.c.left, scope), b.c.accumulator))};
  staging = loops_over(b, vars, std::move(store));
  AffineForm form{{}, v_int(0)};
  Operand stride = v_int(1);
  for (size_t i = vars.size(); i-- > 0;) {
    form.coefficients[vars[i].name] = stride;
    stride = stride * b.extent(vars[i]);
  }
  return from_form(b, buffer, form, before);
}

}  // namespace

LeftAccess stage_pixels(ContractionBuilder& b, Block& before, Block& staging) {
  return stage_read(b, *plain_read(b.c.left), before, staging);
}

LeftAccess access_pixels(ContractionBuilder& b, Block& before, Block& staging) {
  const Read& read = *plain_read(b.c.left);
  const auto form = offset_form(read.tensor, read.index, staged_vars(b), b.scope);
  return read.fill || !form ? stage_read(b, read, before, staging) : from_form(b, read.tensor, *form, before);
}

LeftAccess access_left(ContractionBuilder& b, Block& before, Block& staging) {
  const Read* read = plain_read(b.c.left);
  if (!read) return stage_value(b, before, staging);
  const Tensor& t = b.kernel.tensor(read->tensor);
  const auto form = offset_form(read->tensor, read->index, staged_vars(b), b.scope);
  if (!read->fill && t.dtype == b.c.accumulator && form && !b.c.low_halves && !channel_dim(b, *read)) {
    LeftAccess access = from_form(b, read->tensor, *form, before);
    if (access.depth_step && constant_value(access.depth_step) != 1) {
      const Operand depth = b.extent_of(b.c.depth), rows = smaller(b.extent_of(b.c.rows), most_rows_a_block(b, depth));
      access.block_copy =
          b.add_buffer("rows_copied", b.c.accumulator, Storage::Workspace, rows * copied_pitch(b, depth));
    }
    return access;
  }
  return stage_read(b, *read, before, staging);
}

Operand row_offset(ContractionBuilder& b, const LeftAccess& left, const Operand& row, Block& out) {
  ValueScope scope = b.scope;
  if (collapses({left.row_coefficients, left.base}, b.c.rows, b.scope)) bind_collapsed(b.c.rows, row, scope);
  else bind_flat(b, b.c.rows, row, scope, out);
  Operand at = left.base;
  for (const auto& [name, by] : left.row_coefficients) at = at + scope.vars.at(name) * by;
  return at;
}

Operand even_row_step(const ContractionBuilder& b, const LeftAccess& left) {
  const bool flat = !b.c.rows.empty() && collapses({left.row_coefficients, left.base}, b.c.rows, b.scope);
  return flat ? left.row_coefficients.at(b.c.rows.back().name) : nullptr;
}

Operand copied_pitch(const ContractionBuilder& b, const Operand& depth) {
  constexpr int kLine = 64;
  return b.isa.vector_bits > 0 ? depth + v_int(kLine / bytes_of(b.c.accumulator)) : depth;
}

namespace {

/// The offsets for copying a row block: in the left side and in the copy.
struct RowCopy {
  ContractionBuilder& b;
  const LeftAccess& left;
  Operand first, depth;

  /// Element `d` of row `row` of the block; what the row is made of is added to `out`.
  Operand from(const Operand& row, const Operand& d, Block& out) const {
    return row_offset(b, left, first + row, out) + d * left.depth_step;
  }
  Operand to(const Operand& row, const Operand& d) const { return row * left.copied_pitch + d; }
};

/// How many of `count` rows are copied by squares, all or none: none unless they fill one and one row is after the
/// other, so that vectors of rows can be transposed into rows of the copy.
Operand rows_transposed(ContractionBuilder& b, const LeftAccess& left, const Operand& count) {
  if (b.lanes() < 2 || b.c.rows.empty() || !collapses({left.row_coefficients, left.base}, b.c.rows, b.scope))
    return v_int(0);
  const Operand step = left.row_coefficients.at(b.c.rows.back().name);
  const auto known = constant_value(step);
  if (known.value_or(1) != 1) return v_int(0);
  const auto rows = constant_value(count);
  if (rows && known) return *rows < b.lanes() ? v_int(0) : count;
  Operand fill = v_apply(ScalarOp::Ge, {count, v_int(b.lanes())});
  if (!known) fill = v_apply(ScalarOp::And, {fill, all_unit({step})});
  return v_select(fill, count, v_int(0));
}

/// Rows 0..whole-1 by squares of vectors, as far as the depth fills them, and the rest of their elements one by one.
/// The last square takes rows again that the one before copied.
Block copy_squares(const RowCopy& copy, const Operand& whole) {
  ContractionBuilder& b = copy.b;
  const std::string r = b.local("copied_row"), d = b.local("copied_depth"), late = b.local("depth_rest"),
                    square = b.local("square_row");
  const auto rows = constant_value(whole);
  const bool even = rows && *rows % b.lanes() == 0;
  const Operand row = even ? v_var(r) : v_var(square);
  const Operand step = copy.left.depth_step, start = copy.left.base + copy.first + v_var(r);
  const SquarePlace from{{copy.left.buffer, copy.left.base + copy.first + row + v_var(d) * step}, step};
  const SquarePlace to{{copy.left.block_copy, copy.to(row, v_var(d))}, copy.left.copied_pitch};
  const Operand filled = floor_div(copy.depth, v_int(b.lanes())) * v_int(b.lanes());
  Block squares{s_for(d, v_int(0), filled, b.lanes(), {transpose_square(b, from, to)})};
  if (!even) squares.insert(squares.begin(), s_let(square, smaller(v_var(r), whole - v_int(b.lanes()))));
  Block out{s_for(r, v_int(0), whole, b.lanes(), std::move(squares))};
  const auto depth = constant_value(copy.depth);
  if (depth && *depth % b.lanes() == 0) return out;
  const Operand value = v_load(copy.left.buffer, b.c.accumulator, start + v_var(late) * step);
  Block one{s_store(copy.left.block_copy, copy.to(v_var(r), v_var(late)), value)};
  out.push_back(s_for(late, filled, copy.depth, 1, {s_for(r, v_int(0), whole, 1, std::move(one))}));
  return out;
}

}  // namespace

Block copy_row_block(ContractionBuilder& b, const LeftAccess& left, const Operand& first, const Operand& count,
                     const Operand& depth) {
  const std::string r = b.local("copied_row"), d = b.local("copied_depth"), strip = b.local("strip"),
                    transposed = b.local("rows_transposed");
  const int64_t height = b.blueprint.tile_rows;
  const RowCopy copy{b, left, first, depth};
  Block out;
  Operand begin = v_int(0);
  if (const Operand whole = rows_transposed(b, left, count); constant_value(whole) != 0) {
    out.push_back(s_let(transposed, whole));
    begin = v_var(transposed);
    append(out, copy_squares(copy, begin));
  }
  const Operand row = begin + v_var(strip) * v_int(height) + v_var(r);
  Block one;
  const Operand value = v_load(left.buffer, b.c.accumulator, copy.from(row, v_var(d), one));
  one.push_back(s_store(left.block_copy, copy.to(row, v_var(d)), value));
  // a strip of rows at a time: the lines that one depth index touches serve all of its rows
  Block rows{
      s_for(r, v_int(0), smaller(v_int(height), count - begin - v_var(strip) * v_int(height)), 1, std::move(one))};
  Block strips{s_for(d, v_int(0), depth, 1, std::move(rows))};
  out.push_back(s_for(strip, v_int(0), ceil_div(count - begin, height), 1, std::move(strips)));
  return out;
}

}  // namespace tenon
