// The left side of a contraction: read in place where it can be, else copied once per outer iteration into a padded, converted block.
#include "lower/contraction_builder.h"
#include "support/check.h"

namespace tenon {
namespace {

std::vector<LoopVar> pixel_vars(const ContractionBuilder& b) {
  std::vector<LoopVar> vars = b.c.rows;
  if (b.pixels_along_columns) vars.insert(vars.end(), b.c.columns.begin(), b.c.columns.end());
  return vars;
}

std::vector<LoopVar> inner_vars(const ContractionBuilder& b) {
  std::vector<LoopVar> vars = pixel_vars(b);
  vars.insert(vars.end(), b.c.depth.begin(), b.c.depth.end());
  return vars;
}

/// One dimension of the copy: index lo+i of the tensor's dimension `dim`.
struct StagedDim {
  size_t dim = 0;
  AffineForm form;
  Operand lo, extent, stride;
  bool guarded = false;
  int64_t scale = 1;  ///< 2: one index of the copy stands for two of the tensor
};

struct Staging {
  ContractionBuilder& b;
  const Read& read;
  int buffer = -1;
  std::vector<StagedDim> dims;
  std::vector<Operand> fixed;  ///< index of dimensions that are not copied; null for those that are
  Operand fill;
  Operand pair_step = nullptr;    ///< words: elements from the low half to the high half
  Operand pair_inside = nullptr;  ///< words: whether there is a high half; null: always
  bool filled_before = false;  ///< what lies outside the tensor is in the copy already

  const Tensor& tensor() const { return b.kernel.tensors[static_cast<size_t>(read.tensor)]; }
  Operand stride_of(size_t d) const { return b.scalar(tensor().strides[d], b.scope); }
  Operand dim_of(size_t d) const { return b.scalar(tensor().dims[d], b.scope); }
};

/// Whether an index is a loop that ends within the tensor: padding behind the last element makes a loop longer than its dimension.
bool ends_inside(const ContractionBuilder& b, const Expr& index, const Expr& dim) {
  const auto* var = std::get_if<VarRef>(&index->node);
  if (!var) return false;
  for (const auto* vars : {&b.c.outer_left, &b.c.outer_right, &b.c.rows, &b.c.columns, &b.c.depth})
    for (const LoopVar& v : *vars) {
      if (v.name != var->name) continue;
      const auto extent = constant_value(v.extent), most = constant_value(dim);
      return extent && most ? *extent <= *most : same(v.extent, dim);
    }
  return false;
}

/// Smallest index and number of indices that a form takes over its variables.
void bound(Staging& s, StagedDim& d) {
  ContractionBuilder& b = s.b;
  d.lo = d.form.rest;
  d.extent = v_int(1);
  for (const LoopVar& v : inner_vars(b)) {
    const Operand by = d.form.coefficient(v.name);
    if (constant_value(by) == 0) continue;
    const bool band = b.band_first && v.name == b.c.rows[0].name;
    const Operand last = band ? v_int(b.band_rows - 1) : b.extent(v) - v_int(1);
    if (band) d.lo = d.lo + by * b.band_first;
    const auto known = constant_value(by);
    const Operand up = known ? v_int(*known > 0 ? *known : 0) : larger(by, v_int(0));
    const Operand down = known ? v_int(*known < 0 ? -*known : 0) : larger(v_int(0) - by, v_int(0));
    d.extent = d.extent + (up + down) * last;
    if (constant_value(down) != 0) d.lo = d.lo - down * last;
  }
  const bool one_step = !b.band_first && d.form.coefficients.size() == 1 && constant_value(d.form.coefficients.begin()->second) == 1;
  if (one_step) d.extent = b.extent([&] {
    for (const LoopVar& v : inner_vars(b))
      if (constant_value(d.form.coefficient(v.name)) != 0) return v;
    TENON_UNREACHABLE("a staged dimension without variables");
  }());
  else d.extent = larger(d.extent, v_int(0));
  d.guarded = !one_step || constant_value(d.form.rest) != 0 || (s.read.fill && !ends_inside(b, s.read.index[d.dim], s.tensor().dims[d.dim]));
}

/// An index that the copy does not walk: a loop over the whole dimension, or a constant inside it.
bool stays_inside(const Staging& s, size_t d) {
  if (ends_inside(s.b, s.read.index[d], s.tensor().dims[d])) return true;
  const auto at = constant_value(s.read.index[d]), dim = constant_value(s.tensor().dims[d]);
  return at && dim && *at >= 0 && *at < *dim;
}

bool plan_dims(Staging& s) {
  for (size_t d = 0; d < s.read.index.size(); ++d) {
    const auto form = affine_form(s.read.index[d], inner_vars(s.b), s.b.scope);
    if (!form) return false;
    StagedDim dim{d, *form, nullptr, nullptr, nullptr, false};
    if (dim.form.coefficients.empty()) {
      if (s.read.fill && !stays_inside(s, d)) return false;
      s.fixed.push_back(dim.form.rest);
      continue;
    }
    if (s.b.c.low_halves && mentions(s.read.index[d], s.b.c.paired)) {
      dim.scale = 2;
      dim.form.coefficients = {{s.b.c.paired, v_int(1)}};
      s.pair_step = s.stride_of(d);
    }
    bound(s, dim);
    s.fixed.push_back(nullptr);
    s.dims.push_back(std::move(dim));
  }
  Operand stride = v_int(1);
  for (size_t i = s.dims.size(); i-- > 0;) {
    s.dims[i].stride = stride;
    stride = stride * s.dims[i].extent;
  }
  // a stencil's vectors run past the last pixel of a line, in the end past the copy
  const Operand slack = v_int(s.b.pixels_along_columns ? 2 * s.b.lanes() : 0);
  s.buffer = s.b.add_buffer("staged", s.b.c.accumulator, Storage::Workspace, stride + slack);
  return !s.dims.empty();
}

Operand splat_for(const Operand& v, int lanes) { return v_splat(v, lanes); }

/// A word of two numbers of 16 bits.
Operand word_of(const Operand& low, const Operand& high) {
  const OperandType t{DType::I32, low->type.lanes, 0};
  const Operand bits = v_apply(ScalarOp::BitAnd, {v_cast(low, DType::I32), v_constant({0xffff, 0}, t)});
  return v_apply(ScalarOp::BitOr, {bits, v_apply(ScalarOp::Shl, {v_cast(high, DType::I32), v_constant({16, 0}, t)})});
}

/// What stands outside of the tensor, as an element of the copy.
Operand fill_value(const Staging& s, int lanes) {
  if (!s.pair_step) return splat_for(s.fill, lanes);
  const Operand high = s.pair_inside ? v_select(s.pair_inside, s.fill, v_const(0, {DType::I32, 1, 0})) : s.fill;
  return splat_for(word_of(s.fill, high), lanes);
}

/// Loop that stores value(i, lanes, active) to the copy at `to`+i for i in begin..end-1: whole vectors, then what is left, as a part of
/// a vector or by single elements.
template <class Value>
void copy_span(Staging& s, const Operand& to, const Operand& begin, const Operand& end, Value value, Block& out) {
  const int lanes = s.b.lanes();
  const std::string i = s.b.fresh("i");
  const auto first = constant_value(begin), last = constant_value(end);
  if (first && last && *first >= *last) return;
  Operand from = begin;
  if (lanes > 1) {
    from = begin + floor_div(larger(end - begin, v_int(0)), v_int(lanes)) * v_int(lanes);
    if (!constant_value(from)) {
      out.push_back(s_let(s.b.fresh("rest"), from));
      from = v_var(std::get<SLet>(out.back().node).name);
    }
    Block one{s_store(s.buffer, to + v_var(i), value(v_var(i), lanes, nullptr))};
    if (!first || constant_value(from) != first) out.push_back(s_for(i, begin, from, lanes, std::move(one)));
  }
  if (last && constant_value(from) == last) return;
  if (lanes > 1 && s.b.isa.masked_memory) {
    const Operand active = end - from;
    Block part{s_store(s.buffer, to + from, value(from, lanes, active), active)};
    if (last && constant_value(from)) out.push_back(std::move(part[0]));
    else out.push_back(s_if(v_apply(ScalarOp::Gt, {active, v_int(0)}), std::move(part)));
    return;
  }
  const std::string j = s.b.fresh("i");
  Block one{s_store(s.buffer, to + v_var(j), value(v_var(j), 1, nullptr))};
  out.push_back(s_for(j, from, end, 1, std::move(one)));
}

/// The part of dimension `d` of the copy that lies inside the tensor.
struct Inside {
  Operand first, last;
};
Inside inside_of(const Staging& s, const StagedDim& d) {
  const Operand first = smaller(larger(v_int(0) - d.lo, v_int(0)), d.extent);
  return {first, larger(smaller(s.dim_of(d.dim) - d.lo, d.extent), first)};
}

/// A value with a name, unless it is a constant.
Operand named(Staging& s, const std::string& word, const Operand& v, Block& out) {
  if (constant_value(v)) return v;
  out.push_back(s_let(s.b.fresh(word), v));
  return v_var(std::get<SLet>(out.back().node).name);
}

/// Copies one line along the last dimension: `from` and `to` are the offsets of its index 0 in the tensor and in the copy.
Block copy_line(Staging& s, const Operand& from, const Operand& to) {
  Block out;
  const StagedDim& d = s.dims.back();
  const Operand step = s.stride_of(d.dim) * v_int(d.scale);
  const DType storage = s.tensor().dtype, acc = s.b.c.accumulator;
  auto load = [&](const Operand& at, int lanes, const Operand& active) {
    if (constant_value(step) == 1) return v_load(s.read.tensor, storage, at, lanes, active);
    return lanes == 1 ? v_load(s.read.tensor, storage, at) : v_gather(s.read.tensor, storage, at, step, lanes, active);
  };
  auto element = [&](const Operand& i, int lanes, const Operand& active) {
    const Operand at = from + (d.lo + i) * step;
    if (!s.pair_step) return v_cast(load(at, lanes, active), acc);
    const Operand other = load(at + (s.pair_inside ? v_select(s.pair_inside, s.pair_step, v_int(0)) : s.pair_step), lanes, active);
    const Operand high = v_cast(other, DType::I32);
    if (!s.pair_inside) return word_of(load(at, lanes, active), high);
    const Operand kept = v_splat(v_select(s.pair_inside, v_const(-1, {DType::I32, 1, 0}), v_const(0, {DType::I32, 1, 0})), lanes);
    return word_of(load(at, lanes, active), v_apply(ScalarOp::BitAnd, {high, kept}));
  };
  if (!d.guarded) {
    copy_span(s, to, v_int(0), d.extent, element, out);
    return out;
  }
  auto filled = [&](const Operand&, int lanes, const Operand&) { return fill_value(s, lanes); };
  const Inside in = inside_of(s, d);
  const Operand first = named(s, "first", in.first, out), last = named(s, "last", larger(in.last, first), out);
  if (!s.filled_before) copy_span(s, to, v_int(0), first, filled, out);
  copy_span(s, to, first, last, element, out);
  if (!s.filled_before) copy_span(s, to, last, d.extent, filled, out);
  return out;
}

/// The loops around copy_line; a line that lies outside the tensor in an outer dimension is filled.
Block copy_all(Staging& s) {
  Operand from = v_int(0), to = v_int(0), inside;
  std::vector<std::string> names;
  for (size_t d = 0; d < s.fixed.size(); ++d)
    if (s.fixed[d]) from = from + s.fixed[d] * s.stride_of(d);
  for (size_t i = 0; i + 1 < s.dims.size(); ++i) {
    const StagedDim& d = s.dims[i];
    names.push_back(s.b.fresh("at"));
    const Operand at = d.lo + v_var(names.back());
    from = from + at * s.stride_of(d.dim) * v_int(d.scale);
    if (d.scale == 2 && s.b.c.pair_last)
      s.pair_inside = v_apply(ScalarOp::Le, {at * v_int(2) + v_int(1), s.b.scalar(s.b.c.pair_last, s.b.scope)});
    to = to + v_var(names.back()) * d.stride;
    if (!d.guarded || s.filled_before) continue;
    const Operand ok = v_apply(ScalarOp::And, {v_apply(ScalarOp::Ge, {at, v_int(0)}), v_apply(ScalarOp::Lt, {at, s.dim_of(d.dim)})});
    inside = inside ? v_apply(ScalarOp::And, {inside, ok}) : ok;
  }
  Block body = copy_line(s, from, to);
  if (inside) {
    Block outside;
    const auto filled = [&](const Operand&, int lanes, const Operand&) { return fill_value(s, lanes); };
    copy_span(s, to, v_int(0), s.dims.back().extent, filled, outside);
    Block choice{s_if(inside, std::move(body), std::move(outside))};
    body = std::move(choice);
  }
  for (size_t i = names.size(); i-- > 0;) {
    const StagedDim& d = s.dims[i];
    const Inside in = d.guarded && s.filled_before ? inside_of(s, d) : Inside{v_int(0), d.extent};
    Block loop{s_for(names[i], in.first, in.last, 1, std::move(body), i == 0 ? LoopKind::Parallel : LoopKind::Serial)};
    body = std::move(loop);
  }
  return body;
}

bool is_known(const Operand& v) { return constant_value(v).has_value(); }

/// Whether the copy is small beside what is made of it, as the outer iterations are several, and its border is known: all of it is
/// filled first then, in whole vectors, instead of the two ends of every line.
bool fills_first(const Staging& s) {
  const bool known = is_known(s.fill) || std::holds_alternative<VConst>(s.fill->node);
  bool several = false;
  for (const auto* vars : {&s.b.c.outer_left, &s.b.c.outer_right})
    for (const LoopVar& v : *vars) several = several || constant_value(s.b.extent(v)) != 1;
  return known && !s.pair_step && several && std::all_of(s.dims.begin(), s.dims.end(), [&](const StagedDim& d) {
           return !d.guarded || (is_known(d.lo) && is_known(d.extent) && is_known(s.dim_of(d.dim)));
         });
}

/// Fills the whole copy.
void fill_copy(Staging& s, Block& before) {
  Operand all = v_int(1);
  for (const StagedDim& d : s.dims) all = all * d.extent;
  copy_span(s, v_int(0), v_int(0), all, [&](const Operand&, int lanes, const Operand&) { return v_splat(s.fill, lanes); }, before);
}

/// The offset of each depth index, outermost variable first; nothing where one is no number.
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

/// Offsets of the depth indices: one step where they form a line, else a table that is filled once.
void step_depth(ContractionBuilder& b, const AffineForm& form, LeftAccess& access, Block& before) {
  if (b.unrolls_taps) access.taps = known_offsets(b, form);
  if (!access.taps.empty()) return;
  if (collapses(form, b.c.depth, b.scope)) {
    access.depth_step = b.c.depth.empty() ? v_int(0) : form.coefficient(b.c.depth.back().name);
    return;
  }
  if (constant_value(b.extent_of(b.c.depth)) && b.kernel.sizes.empty()) access.table_type = DType::I32;
  access.depth_table = b.add_buffer("depth_offset", access.table_type, Storage::Workspace, b.extent_of(b.c.depth));
  ValueScope scope = b.scope;
  Operand offset = v_int(0);
  for (const LoopVar& v : b.c.depth) {
    scope.vars[v.name] = v_var(v.name);
    offset = offset + v_var(v.name) * form.coefficient(v.name);
  }
  Block fill{s_store(access.depth_table, flat_index(b, b.c.depth, scope), v_cast(offset, access.table_type))};
  for (Stmt& s : loops_over(b, b.c.depth, std::move(fill))) before.push_back(std::move(s));
}

LeftAccess from_form(ContractionBuilder& b, int buffer, const AffineForm& form, Block& before) {
  LeftAccess access;
  access.buffer = buffer;
  access.base = form.rest;
  for (const LoopVar& v : pixel_vars(b)) access.row_coefficients[v.name] = form.coefficient(v.name);
  step_depth(b, form, access, before);
  return access;
}

/// A copy of the read's neighbourhood: guards and conversions happen here, the tiles read without either.
LeftAccess stage_read(ContractionBuilder& b, const Read& read, Block& before, Block& staging) {
  Staging s{b, read, -1, {}, {}, nullptr};
  if (!plan_dims(s)) {
    b.possible = false;
    return {};
  }
  if (b.c.low_halves && !s.pair_step) b.possible = false;
  s.fill = v_cast(read.fill ? b.scalar(read.fill, b.scope) : v_int(0), b.c.accumulator);
  AffineForm form{{}, v_int(0)};
  for (const StagedDim& d : s.dims) {
    for (const auto& [name, by] : d.form.coefficients) {
      auto [it, fresh] = form.coefficients.try_emplace(name, v_int(0));
      it->second = it->second + by * d.stride;
    }
    form.rest = form.rest + (d.form.rest - d.lo) * d.stride;
  }
  s.filled_before = fills_first(s);
  if (s.filled_before) fill_copy(s, staging);
  for (Stmt& line : copy_all(s)) staging.push_back(std::move(line));
  return from_form(b, s.buffer, form, before);
}

/// Any expression: evaluated element by element into a dense rows × depth block.
LeftAccess stage_value(ContractionBuilder& b, Block& before, Block& staging) {
  const Operand depth = b.extent_of(b.c.depth);
  const int buffer = b.add_buffer("staged", b.c.accumulator, Storage::Workspace, b.extent_of(b.c.rows) * depth);
  ValueScope scope = b.scope;
  const std::vector<LoopVar> vars = inner_vars(b);
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

LeftAccess stage_pixels(ContractionBuilder& b, Block& before, Block& staging) { return stage_read(b, *plain_read(b.c.left), before, staging); }

LeftAccess access_left(ContractionBuilder& b, Block& before, Block& staging) {
  const Read* read = plain_read(b.c.left);
  if (!read) return stage_value(b, before, staging);
  const Tensor& t = b.kernel.tensors[static_cast<size_t>(read->tensor)];
  const auto form = offset_form(read->tensor, read->index, inner_vars(b), b.scope);
  if (!read->fill && t.dtype == b.c.accumulator && form && !b.c.low_halves) {
    LeftAccess access = from_form(b, read->tensor, *form, before);
    if (access.depth_step && constant_value(access.depth_step) != 1) {
      const Operand depth = b.extent_of(b.c.depth), rows = smaller(b.extent_of(b.c.rows), rows_cached(b, depth));
      access.block_copy = b.add_buffer("rows_copied", b.c.accumulator, Storage::Workspace, rows * depth);
    }
    return access;
  }
  return stage_read(b, *read, before, staging);
}

Block copy_row_block(ContractionBuilder& b, const LeftAccess& left, const Operand& first, const Operand& count, const Operand& depth) {
  const std::string r = b.local("copied_row"), d = b.local("copied_depth"), strip = b.local("strip"), base = b.local("copied_from");
  const int64_t height = b.blueprint.tile_rows;
  const Operand row = v_var(strip) * v_int(height) + v_var(r);
  ValueScope scope = b.scope;
  Block one;
  bind_flat(b, b.c.rows, first + row, scope, one);
  Operand from = left.base;
  for (const auto& [name, by] : left.row_coefficients) from = from + scope.vars.at(name) * by;
  const Operand value = v_load(left.buffer, b.c.accumulator, from + v_var(d) * left.depth_step);
  one.push_back(s_store(left.block_copy, row * depth + v_var(d), value));
  // a strip of rows at a time: the lines that one depth index touches serve all of its rows
  Block rows{s_for(r, v_int(0), smaller(v_int(height), count - v_var(strip) * v_int(height)), 1, std::move(one))};
  Block strips{s_for(d, v_int(0), depth, 1, std::move(rows))};
  return {s_for(strip, v_int(0), ceil_div(count, height), 1, std::move(strips))};
}

}  // namespace tenon
