// Copies what a contraction's left side reads around its rows, line by line.
#include "lower/contraction/contraction_staging.h"

#include "algebra/simplify.h"
#include "support/ranges.h"

namespace tenon {

Operand word_of(const Operand& low, const Operand& high) {
  const OperandType t{DType::I32, low->type.lanes, 0};
  const Operand bits = v_apply(ScalarOp::BitAnd, {v_cast(low, DType::I32), v_constant({0xffff, 0}, t)});
  return v_apply(ScalarOp::BitOr, {bits, v_apply(ScalarOp::Shl, {v_cast(high, DType::I32), v_constant({16, 0}, t)})});
}

namespace {

/// The fill value outside the tensor, as an element of the copy.
Operand fill_value(const Staging& s, int lanes) {
  if (!s.pair_step) return v_splat(s.fill, lanes);
  if (s.b.c.word_numbers == 4) return v_splat(splat_quad(s, s.fill), lanes);
  const Operand high = s.pair_inside ? v_select(s.pair_inside, s.fill, v_const(0, {DType::I32, 1, 0})) : s.fill;
  return v_splat(word_of(s.fill, high), lanes);
}

/// Elements `to`+begin … `to`+end-1 of the copy.
struct CopySpan {
  Operand to, begin, end;
};

/// Loop that stores value(i, lanes, active) at `to`+i for i in begin..end-1: whole vectors, then the remainder, as a
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

/// Whether numbers say that all indices of the dimension are in the tensor.
bool is_known_inside(const Staging& s, const StagedDim& d) {
  const auto lo = constant_value(d.lo), extent = constant_value(d.extent), dim = constant_value(s.dim_of(d.dim));
  return lo && extent && dim && *lo >= 0 && *lo + *extent <= *dim;
}

/// The unit of a copy: the last dimension, or the last two where each index of the outer is a whole line of the
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

/// Elements of the last dimension where all of it is copied and it is in the tensor as in the copy, one line after
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
  if (constant_value(line.step) == 2 && lanes > 1 && !active)  // of two vectors that share an element
    return v_shuffle(v_load(s.read.tensor, storage, at, lanes),
                     v_load(s.read.tensor, storage, at + v_int(lanes - 1), lanes), even_elements(lanes, lanes - 1));
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

/// The word after `pairs` whole ones: of a line's last numbers.
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

/// Copies one line with a known step: `from` and `to` are the offsets of its index 0 in the tensor and in the copy.
Block copy_stepped(Staging& s, const Line& line, const Operand& from, const Operand& to) {
  Block out;
  auto element = [&](const Operand& i, int lanes, const Operand& active) {
    const Operand at = from + (line.lo + i) * line.step;
    if (s.pair_step) return load_words(s, line, at, lanes, active);
    const DType storage = s.tensor().dtype;
    const bool plain = lanes > 1 && !active && constant_value(line.extent) && constant_value(line.step) == 1 &&
                       storage == s.b.staged_type();
    // loads that must not be merged: compilers would call memcpy for each line, which takes longer than copying most
    // lines of models
    return plain ? v_load_once(s.read.tensor, storage, at, lanes)
                 : v_cast(load_line(s, line, at, lanes, active), s.b.staged_type());
  };
  if (line.pairs) {
    const Operand pairs = named(s, "pairs", line.pairs, out);
    copy_span(s, {to, v_int(0), pairs}, element, out);
    append(out, copy_single(s, line, pairs, from, to));
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

/// Copies one line. If the step is known only at run time, vectors are assembled element by element; most calls have
/// step 1.
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

/// Lines of fewer elements than a vector has lanes, where parts of vectors would be stored by elements. Each is copied
/// as a vector with the fill after the line: the excess overwrites the beginning of the next line, which is copied
/// later. The last lines are copied by single elements, because a vector would reach past the tensor or the copy.
struct ShortLines {
  int64_t first = 0, count = 0;  ///< of the elements that are in the tensor
  int64_t end = 0;               ///< index after the last line that is copied as a vector
};
std::optional<ShortLines> short_lines(const Staging& s, const Line& line) {
  const int lanes = s.b.lanes();
  const bool plain = lanes > 1 && !s.b.isa.masked_memory && !s.pair_step && !s.b.staged_as && line.dims == 1;
  if (!plain || s.dims.size() < 2 || constant_value(line.step) != 1 || (line.guarded && !s.filled_before))
    return std::nullopt;
  const StagedDim& above = s.dims[s.dims.size() - 2];
  const Inside in = line.guarded ? line.inside : Inside{v_int(0), line.extent}, rows = inside_line(s, above);
  const auto first = constant_value(in.first), last = constant_value(in.last), row = constant_value(rows.first),
             end = constant_value(rows.last), step = constant_value(s.stride_of(above.dim) * v_int(above.scale)),
             pitch = constant_value(above.stride);
  if (!first || !last || !row || !end || !step || !pitch || *step < 1 || *last - *first < 2 || *last - *first >= lanes)
    return std::nullopt;
  const int64_t count = *last - *first, least = std::min(*step, *pitch), late = (lanes - count + least - 1) / least;
  return *end - late > *row ? std::optional(ShortLines{*first, count, *end - late}) : std::nullopt;
}

Stmt copy_short(const Staging& s, const Line& line, const ShortLines& lines, const Operand& from, const Operand& to) {
  const int lanes = s.b.lanes();
  const Operand first = v_int(lines.first);
  std::vector<int> pick;
  for (int l = 0; l < lanes; ++l) pick.push_back(l < lines.count ? l : lanes + l);
  const Operand value = v_cast(load_line(s, line, from + line.lo + first, lanes, nullptr), s.b.staged_type());
  return s_store(s.buffer, to + first, v_shuffle(value, v_splat(s.fill, lanes), std::move(pick)));
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
    if (!d.guarded || s.filled_before || is_known_inside(s, d)) continue;
    const Operand ok =
        v_apply(ScalarOp::And, {v_apply(ScalarOp::Ge, {at, v_int(0)}), v_apply(ScalarOp::Lt, {at, s.dim_of(d.dim)})});
    inside = inside ? v_apply(ScalarOp::And, {inside, ok}) : ok;
  }
  const std::optional<ShortLines> lines = inside ? std::nullopt : short_lines(s, line);
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
    Inside in = d.guarded && s.filled_before ? inside_of(s, d) : Inside{v_int(0), d.extent};
    const bool spills = lines && i + 1 == names.size();
    Block loop;
    if (spills) {
      loop.push_back(s_for(names[i], in.first, v_int(lines->end), 1, {copy_short(s, line, *lines, from, to)}));
      in.first = v_int(lines->end);
    }
    const LoopKind kind = i == 0 && !spills ? LoopKind::Parallel : LoopKind::Serial;
    loop.push_back(with_kind(kind, s_for(names[i], in.first, in.last, 1, std::move(body))));
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
  return known && !s.pair_step && several && all_of(s.dims, [&](const StagedDim& d) {
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

/// Zeros after the copy: what is left in the workspace of a call may be denormals, whose products take many times as
/// long as others.
Block clear_slack(const Staging& s) {
  const int lanes = s.b.lanes();
  Block out;
  if (lanes == 1 || is_known(s.elements) || !is_float(s.b.staged_type())) return out;
  for (int64_t i = 0; i < s.slack; i += lanes)
    out.push_back(s_store(s.buffer, s.elements + v_int(i), v_const(0, {s.b.staged_type(), lanes, 0})));
  return out;
}

}  // namespace

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

Block stage_copy(Staging& s, Block& before) {
  if (s.channels_last && s.b.lanes() > 1) return copy_channels(s);
  s.filled_before = fills_first(s);
  if (s.filled_before) fill_copy(s, before);
  Block all = copy_all(s);
  append(all, clear_slack(s));
  return all;
}

}  // namespace tenon
