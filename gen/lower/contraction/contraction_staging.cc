// Finds what a contraction's left side reads around its rows, and copies it line by line.
#include "lower/contraction/contraction_staging.h"

#include <algorithm>

#include "algebra/simplify.h"
#include "support/check.h"

namespace tenon {
namespace {

/// Whether an index is a loop that ends within the tensor: padding behind the last element makes a loop longer than its
/// dimension.
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
  for (const LoopVar& v : staged_vars(b)) {
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
  const bool one_step =
      !b.band_first && d.form.coefficients.size() == 1 && constant_value(d.form.coefficients.begin()->second) == 1;
  if (one_step)
    d.extent = b.extent([&] {
      for (const LoopVar& v : staged_vars(b))
        if (constant_value(d.form.coefficient(v.name)) != 0) return v;
      TENON_UNREACHABLE("a staged dimension without variables");
    }());
  else d.extent = larger(d.extent, v_int(0));
  d.guarded = (!one_step && !walks_planes(b, d)) || constant_value(d.form.rest) != 0 ||
              (s.read.fill && !ends_inside(b, s.read.index[d.dim], s.tensor().dims[d.dim]));
}

/// An index that the copy does not walk: a loop over the whole dimension, or a constant inside it.
bool stays_inside(const Staging& s, size_t d) {
  if (ends_inside(s.b, s.read.index[d], s.tensor().dims[d])) return true;
  const auto at = constant_value(s.read.index[d]), dim = constant_value(s.tensor().dims[d]);
  return at && dim && *at >= 0 && *at < *dim;
}

/// Whether all numbers that words are made of are within dimension `d`; a read without padding has no others.
bool pairs_inside(const Staging& s, size_t d) {
  if (!s.read.fill) return true;
  const Contraction& c = s.b.c;
  const auto dim = constant_value(s.tensor().dims[d]);
  const auto paired =
      std::find_if(c.depth.begin(), c.depth.end(), [&](const LoopVar& v) { return v.name == c.paired; });
  const auto words = constant_value(paired->extent), last = c.pair_last ? constant_value(c.pair_last) : std::nullopt;
  if (c.pair_last)
    return dim && last ? *last < *dim : same(c.pair_last, simplify(s.tensor().dims[d] - constant_int(1)));
  return dim && words && *words * c.word_numbers <= *dim;
}

Operand splat_for(const Operand& v, int lanes) { return v_splat(v, lanes); }

/// A word of two numbers of 16 bits.
Operand word_of(const Operand& low, const Operand& high) {
  const OperandType t{DType::I32, low->type.lanes, 0};
  const Operand bits = v_apply(ScalarOp::BitAnd, {v_cast(low, DType::I32), v_constant({0xffff, 0}, t)});
  return v_apply(ScalarOp::BitOr, {bits, v_apply(ScalarOp::Shl, {v_cast(high, DType::I32), v_constant({16, 0}, t)})});
}

/// A dimension that one variable walks in steps: the copy has what it steps on.
void skip_steps(StagedDim& d) {
  if (d.form.coefficients.size() != 1 || constant_value(d.form.rest) != 0) return;
  Operand& by = d.form.coefficients.begin()->second;
  d.scale = std::max<int64_t>(1, constant_value(by).value_or(1));
  if (d.scale > 1) by = v_int(1);
}

/// What stands outside of the tensor, as an element of the copy.
Operand fill_value(const Staging& s, int lanes) {
  if (!s.pair_step) return splat_for(s.fill, lanes);
  if (s.b.c.word_numbers == 4) return splat_for(splat_quad(s, s.fill), lanes);
  const Operand high = s.pair_inside ? v_select(s.pair_inside, s.fill, v_const(0, {DType::I32, 1, 0})) : s.fill;
  return splat_for(word_of(s.fill, high), lanes);
}

/// Elements `to`+begin … `to`+end-1 of the copy.
struct CopySpan {
  Operand to, begin, end;
};

/// Loop that stores value(i, lanes, active) at `to`+i for i in begin..end-1: whole vectors, then what is left, as a
/// part of a vector, as a whole one that repeats the end of the one before, or by single elements.
template <class Value>
void copy_span(Staging& s, const CopySpan& span, Value value, Block& out) {
  const auto& [to, begin, end] = span;
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
  const bool repeats = lanes > 1 && first && last && *last - *first > lanes;
  if (repeats) {
    const Operand at = v_int(*last - lanes);
    out.push_back(s_store(s.buffer, to + at, value(at, lanes, nullptr)));
    return;
  }
  const std::string j = s.b.fresh("i");
  Block one{s_store(s.buffer, to + v_var(j), value(v_var(j), 1, nullptr))};
  out.push_back(s_for(j, from, end, 1, std::move(one)));
}

Inside inside_of(const Staging& s, const StagedDim& d) {
  const Operand first = smaller(larger(v_int(0) - d.lo, v_int(0)), d.extent);
  return {first, larger(smaller(s.dim_of(d.dim) - d.lo, d.extent), first)};
}

/// What is copied in one go: the last dimension, or the last two where each index of the outer is a whole line of the
/// inner.
struct Line {
  Operand lo, extent, step;
  bool guarded = false;
  Inside inside;
  size_t dims = 1;
  bool walks_pairs = false;  ///< one index after the other is a word of neighbours
  bool dense_pairs = false;  ///< that are at unit stride
  Operand pairs = nullptr;   ///< words that have all their numbers, where the last may have fewer
};

/// Elements of the last dimension where all of it is copied and it is in the tensor as in the copy, one line behind
/// the other; else 0.
int64_t whole_line(const Staging& s) {
  if (s.dims.size() < 2) return 0;
  const StagedDim& d = s.dims.back();
  const StagedDim& above = s.dims[s.dims.size() - 2];
  const auto length = constant_value(d.extent);
  const bool whole = length && !d.guarded && d.scale == 1 && above.scale == 1 && constant_value(d.lo) == 0 &&
                     constant_value(s.dim_of(d.dim)) == length;
  const bool dense =
      whole && constant_value(s.stride_of(d.dim)) == 1 && constant_value(s.stride_of(above.dim)) == length;
  return dense ? *length : 0;
}

Line line_of_dim(const Staging& s, const StagedDim& d) {
  Line line{d.lo, d.extent, s.stride_of(d.dim) * v_int(d.scale), d.guarded, d.guarded ? inside_of(s, d) : Inside{}, 1};
  line.walks_pairs = d.scale > 1 && s.pair_step;
  if (line.walks_pairs && s.b.c.pair_last)
    line.pairs = floor_div(s.b.scalar(simplify(s.b.c.pair_last + constant_int(1)), s.b.scope), v_int(d.scale));
  return line;
}

Line line_of(const Staging& s) {
  const StagedDim& d = s.dims.back();
  const int64_t each = whole_line(s);
  if (each == 0) return line_of_dim(s, d);
  const StagedDim& above = s.dims[s.dims.size() - 2];
  const Inside in = inside_of(s, above);
  return {above.lo * v_int(each),
          above.extent * v_int(each),
          v_int(1),
          above.guarded,
          {in.first * v_int(each), in.last * v_int(each)},
          2};
}

/// A value with a name, unless it is a constant.
Operand named(Staging& s, const std::string& word, const Operand& v, Block& out) {
  if (constant_value(v)) return v;
  out.push_back(s_let(s.b.fresh(word), v));
  return v_var(std::get<SLet>(out.back().node).name);
}

/// Elements of the tensor at `at`, one of the copy each.
Operand load_line(const Staging& s, const Line& line, const Operand& at, int lanes, const Operand& active) {
  const DType storage = s.tensor().dtype;
  if (constant_value(line.step) == 1) return v_load(s.read.tensor, storage, at, lanes, active);
  if (constant_value(line.step) == 2 && lanes > 1 && !active) {  // the even elements of two vectors that share one
    std::vector<int> even;
    for (int l = 0; l < lanes; ++l) even.push_back(l < lanes / 2 ? 2 * l : 2 * l + 1);
    return v_shuffle(v_load(s.read.tensor, storage, at, lanes),
                     v_load(s.read.tensor, storage, at + v_int(lanes - 1), lanes), even);
  }
  return lanes == 1 ? v_load(s.read.tensor, storage, at)
                    : v_gather(storage, lanes, {s.read.tensor, at, line.step, active});
}

/// The words of four bytes that begin at `at`.
Operand load_byte_words(const Staging& s, const Line& line, const Operand& at, int lanes, const Operand& active) {
  if (line.dense_pairs && lanes > 1)
    return dense_quads(s, v_load(s.read.tensor, s.tensor().dtype, at, 4 * lanes, active ? active * v_int(4) : nullptr));
  std::vector<Operand> bytes;
  for (int k = 0; k < 4; ++k) {
    const Operand number = s.last_number ? smaller(v_int(k), s.last_number) : v_int(k);
    bytes.push_back(load_line(s, line, at + number * s.pair_step, lanes, active));
  }
  return load_quads(s, bytes);
}

/// The words whose low halves begin at `at`.
Operand load_words(const Staging& s, const Line& line, const Operand& at, int lanes, const Operand& active) {
  if (s.b.c.word_numbers == 4) return load_byte_words(s, line, at, lanes, active);
  if (line.dense_pairs && lanes > 1) {  // both halves of all words are adjacent
    const Operand halves = v_load(s.read.tensor, s.tensor().dtype, at, 2 * lanes, active ? active * v_int(2) : nullptr);
    return v_apply_as(ScalarOp::Bits, {v_cast(halves, DType::I16)}, {DType::I32, lanes, 0});
  }
  const Operand step = s.pair_inside ? v_select(s.pair_inside, s.pair_step, v_int(0)) : s.pair_step;
  const Operand low = load_line(s, line, at, lanes, active),
                high = v_cast(load_line(s, line, at + step, lanes, active), DType::I32);
  if (!s.pair_inside) return word_of(low, high);
  const Operand kept =
      v_splat(v_select(s.pair_inside, v_const(-1, {DType::I32, 1, 0}), v_const(0, {DType::I32, 1, 0})), lanes);
  return word_of(low, v_apply(ScalarOp::BitAnd, {high, kept}));
}

/// The word behind `pairs` whole ones: of a line's last numbers.
Block copy_single(Staging& s, const Line& line, const Operand& pairs, const Operand& from, const Operand& to) {
  const Operand at = from + (line.lo + pairs) * line.step;
  Block store;
  if (s.b.c.word_numbers == 4) {
    Staging last = s;
    last.last_number = s.b.scalar(s.b.c.pair_last, s.b.scope) - pairs * v_int(4);
    store = {s_store(s.buffer, to + pairs, load_byte_words(last, line, at, 1, nullptr))};
  } else {
    const Operand low = v_load(s.read.tensor, s.tensor().dtype, at);
    store = {s_store(s.buffer, to + pairs, word_of(low, v_const(0, {DType::I32, 1, 0})))};
  }
  return {s_if(v_apply(ScalarOp::Lt, {pairs, line.extent}), std::move(store))};
}

/// Copies one line of a known way to step: `from` and `to` are the offsets of its index 0 in the tensor and in the
/// copy.
Block copy_stepped(Staging& s, const Line& line, const Operand& from, const Operand& to) {
  Block out;
  auto element = [&](const Operand& i, int lanes, const Operand& active) {
    const Operand at = from + (line.lo + i) * line.step;
    return s.pair_step ? load_words(s, line, at, lanes, active)
                       : v_cast(load_line(s, line, at, lanes, active), s.b.staged_type());
  };
  if (line.pairs) {
    const Operand pairs = named(s, "pairs", line.pairs, out);
    copy_span(s, {to, v_int(0), pairs}, element, out);
    for (Stmt& one : copy_single(s, line, pairs, from, to)) out.push_back(std::move(one));
    return out;
  }
  if (!line.guarded) {
    copy_span(s, {to, v_int(0), line.extent}, element, out);
    return out;
  }
  auto filled = [&](const Operand&, int lanes, const Operand&) { return fill_value(s, lanes); };
  const Operand first = named(s, "first", line.inside.first, out),
                last = named(s, "last", larger(line.inside.last, first), out);
  if (!s.filled_before) copy_span(s, {to, v_int(0), first}, filled, out);
  copy_span(s, {to, first, last}, element, out);
  if (!s.filled_before) copy_span(s, {to, last, line.extent}, filled, out);
  return out;
}

/// Copies one line. Vectors of a step that only the call knows are put together element by element; most calls step
/// by 1.
Block copy_line(Staging& s, const Line& line, const Operand& from, const Operand& to) {
  const Operand step = s.pair_step && line.walks_pairs ? s.pair_step : line.step;
  if (s.b.lanes() == 1 || (s.pair_step && !line.walks_pairs)) return copy_stepped(s, line, from, to);
  Line unit = line;
  unit.step = v_int(line.walks_pairs ? s.b.c.word_numbers : 1);
  unit.dense_pairs = line.walks_pairs;
  if (const auto known = constant_value(step)) return copy_stepped(s, *known == 1 ? unit : line, from, to);
  Block dense = copy_stepped(s, unit, from, to);
  return {s_if(v_apply(ScalarOp::Eq, {step, v_int(1)}), std::move(dense), copy_stepped(s, line, from, to))};
}

/// The loops around copy_line; a line that is outside the tensor in an outer dimension is filled.
Block copy_all(Staging& s) {
  const Line line = line_of(s);
  Operand from = v_int(0), to = v_int(0), inside;
  std::vector<std::string> names;
  for (size_t d = 0; d < s.fixed.size(); ++d)
    if (s.fixed[d]) from = from + s.fixed[d] * s.stride_of(d);
  for (size_t i = 0; i + line.dims < s.dims.size(); ++i) {
    const StagedDim& d = s.dims[i];
    names.push_back(s.b.fresh("at"));
    const Operand at = d.lo + v_var(names.back());
    from = from + at * s.stride_of(d.dim) * v_int(d.scale);
    if (d.scale == 4 && s.b.c.pair_last) s.last_number = s.b.scalar(s.b.c.pair_last, s.b.scope) - at * v_int(4);
    if (d.scale == 2 && s.b.c.pair_last)
      s.pair_inside = v_apply(ScalarOp::Le, {at * v_int(2) + v_int(1), s.b.scalar(s.b.c.pair_last, s.b.scope)});
    to = to + v_var(names.back()) * d.stride;
    if (!d.guarded || s.filled_before) continue;
    const Operand ok =
        v_apply(ScalarOp::And, {v_apply(ScalarOp::Ge, {at, v_int(0)}), v_apply(ScalarOp::Lt, {at, s.dim_of(d.dim)})});
    inside = inside ? v_apply(ScalarOp::And, {inside, ok}) : ok;
  }
  Block body = copy_line(s, line, from, to);
  if (inside) {
    Block outside;
    const auto filled = [&](const Operand&, int lanes, const Operand&) { return fill_value(s, lanes); };
    copy_span(s, {to, v_int(0), line.extent}, filled, outside);
    Block choice{s_if(inside, std::move(body), std::move(outside))};
    body = std::move(choice);
  }
  for (size_t i = names.size(); i-- > 0;) {
    const StagedDim& d = s.dims[i];
    const Inside in = d.guarded && s.filled_before ? inside_of(s, d) : Inside{v_int(0), d.extent};
    Block loop{with_kind(i == 0 ? LoopKind::Parallel : LoopKind::Serial,
                         s_for(names[i], in.first, in.last, 1, std::move(body)))};
    body = std::move(loop);
  }
  return body;
}

bool is_known(const Operand& v) { return constant_value(v).has_value(); }

/// Whether the outer iterations are several and the copy's border is known: all of it is filled once then, before the
/// first of them, instead of the two ends of every line each time.
bool fills_first(const Staging& s) {
  const bool known = is_known(s.fill) || std::holds_alternative<VConst>(s.fill->node);
  bool several = s.b.planes > 1;
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
  copy_span(
      s, {v_int(0), v_int(0), all}, [&](const Operand&, int lanes, const Operand&) { return v_splat(s.fill, lanes); },
      before);
}

}  // namespace

bool walks_planes(const ContractionBuilder& b, const StagedDim& d) {
  return b.planes > 1 && d.form.coefficients.size() == 1 && constant_value(d.form.coefficient(b.c.rows[0].name)) == 1;
}

std::vector<LoopVar> pixel_vars(const ContractionBuilder& b) {
  std::vector<LoopVar> vars = b.c.rows;
  if (b.pixels_along_columns) vars.insert(vars.end(), b.c.columns.begin(), b.c.columns.end());
  return vars;
}

std::vector<LoopVar> staged_vars(const ContractionBuilder& b) {
  std::vector<LoopVar> vars = pixel_vars(b);
  vars.insert(vars.end(), b.c.depth.begin(), b.c.depth.end());
  return vars;
}

Block copy_one_line(Staging& s, const StagedDim& d, const Operand& from, const Operand& to) {
  return copy_line(s, line_of_dim(s, d), from, to);
}

Block fill_span(Staging& s, const Operand& to, const Operand& count) {
  Block out;
  copy_span(
      s, {to, v_int(0), count}, [&](const Operand&, int lanes, const Operand&) { return fill_value(s, lanes); }, out);
  return out;
}

Inside inside_line(const Staging& s, const StagedDim& d) {
  return d.guarded ? inside_of(s, d) : Inside{v_int(0), d.extent};
}

bool plan_staging(Staging& s) {
  const auto channels = channel_dim(s.b, s.read);
  for (size_t d = 0; d < s.read.index.size(); ++d) {
    const auto form = affine_form(s.read.index[d], staged_vars(s.b), s.b.scope);
    if (!form) return false;
    StagedDim dim{d, *form, nullptr, nullptr, nullptr, false};
    if (dim.form.coefficients.empty()) {
      if (s.read.fill && !stays_inside(s, d)) return false;
      s.fixed.push_back(dim.form.rest);
      continue;
    }
    if (s.b.c.low_halves && mentions(s.read.index[d], s.b.c.paired)) {
      if (!pairs_inside(s, d)) return false;
      dim.scale = s.b.c.word_numbers;
      dim.form.coefficients = {{s.b.c.paired, v_int(1)}};
      s.pair_step = s.stride_of(d);
    }
    if (channels && !s.read.fill) skip_steps(dim);
    bound(s, dim);
    dim.guarded = dim.guarded && dim.scale == 1;
    if (s.b.c.windows && mentions(s.read.index[d], s.b.c.paired)) {  // the other bytes of the last word
      dim.extent = dim.extent + v_int(3);
      dim.guarded = true;
    }
    s.fixed.push_back(nullptr);
    s.dims.push_back(std::move(dim));
  }
  s.channels_last = channels.has_value();
  if (channels)
    std::stable_partition(s.dims.begin(), s.dims.end(), [&](const StagedDim& d) { return d.dim != *channels; });
  Operand stride = v_int(1);
  for (size_t i = s.dims.size(); i-- > 0;) {
    s.dims[i].stride = stride;
    stride = stride * room_of(s, i);
  }
  // a stencil's vectors run past the last pixel of a line, in the end past the copy
  const Operand slack = v_int(s.b.pixels_along_columns ? 2 * s.b.lanes() : 0);
  s.buffer = s.b.add_buffer("staged", s.b.staged_type(), Storage::Workspace, stride + slack);
  s.elements = stride;
  return !s.dims.empty();
}

Block stage_copy(Staging& s, Block& before) {
  if (s.channels_last && s.b.lanes() > 1) return copy_channels(s);
  s.filled_before = fills_first(s);
  if (s.filled_before) fill_copy(s, before);
  return copy_all(s);
}

}  // namespace tenon
