// Transposed tiles: vectors come in along the source's dense loop, are transposed in registers by rounds of two-input
// shuffles, and go out along the target's. Two to four planes are put together to pixels, and pixels taken apart.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <functional>

#include "lower/generate/generate.h"

namespace tenon {

namespace {

/// The function of a tile. Buffers: the first elements of both; parameters: how far apart their rows are.
InnerFunction tile_function(DType from, DType to, OperandType row) {
  InnerFunction f;
  f.name = fmt::format("transpose_tile_{}_{}", row.lanes, name_of(row.dtype));
  for (const DType d : {from, to})
    if (d != row.dtype) f.name += fmt::format("_{}", name_of(d));
  f.comment = fmt::format("The columns of {0} x {0} elements are stored as rows.", row.lanes);
  f.common = true;
  f.buffers.push_back({"from", from, Storage::Workspace, -1, nullptr, false});
  f.buffers.push_back({"to", to, Storage::Workspace, -1, nullptr, true});
  f.params = {"from_step", "to_step"};
  const auto named = [&](const Operand& v) {
    const std::string name = fmt::format("t{}", f.body.size());
    f.body.push_back(s_let(name, v));
    return v_var(name, v->type);
  };
  std::vector<Operand> rows;
  for (int r = 0; r < row.lanes; ++r)
    rows.push_back(named(v_load(0, row.dtype, v_int(r) * v_var("from_step"), row.lanes)));
  rows = transpose_vectors(std::move(rows), named);
  for (int r = 0; r < row.lanes; ++r)
    f.body.push_back(s_store(1, v_int(r) * v_var("to_step"), rows[static_cast<size_t>(r)]));
  return f;
}

}  // namespace

/// The number of the function, which is added where there is none of its name.
int Generator::function_of(InnerFunction f) {
  const auto known = find_if(functions_, [&](const InnerFunction& g) { return g.name == f.name; });
  const auto number = static_cast<int>(known - functions_.begin());
  if (known == functions_.end()) functions_.push_back(std::move(f));
  return number;
}

/// In a function of its own, the addresses of the rows have registers, and compilers load each row once.
void Generator::call_transposed_tile(const TreeTranspose& t) {
  const auto& read = std::get<Read>(t.copy.value->node);
  const int source = buffer_of_[static_cast<size_t>(read.tensor)],
            target = buffer_of_[static_cast<size_t>(t.copy.tensor)];
  InnerFunction f = tile_function(buffers_[static_cast<size_t>(source)].dtype,
                                  buffers_[static_cast<size_t>(target)].dtype, {t.copy.value->type, t.edge, 0});
  SCall call;
  call.function = function_of(std::move(f));
  call.buffers = {{source, offset_of(read.tensor, read.index, 0)}, {target, offset_of(t.copy.tensor, t.copy.index, 0)}};
  call.args = {scalar(t.from_step, 0), scalar(t.to_step, 0)};
  out_->push_back({std::move(call)});
}

void Generator::transposed_tile(const TreeTranspose& t, const Operand& down, const Operand& across) {
  const auto& read = std::get<Read>(t.copy.value->node);
  const int source = buffer_of_[static_cast<size_t>(read.tensor)],
            target = buffer_of_[static_cast<size_t>(t.copy.tensor)];
  const auto stand_at = [&](const Operand& d, const Operand& a) {
    start_leaf({});
    vars_[t.down.name] = {d};
    vars_[t.across.name] = {a};
  };
  constexpr int kSmallestCall = 8;
  const bool known = t.from_step && t.to_step && !(constant_value(t.from_step) && constant_value(t.to_step));
  if (may_call_ && known && t.edge >= kSmallestCall) {
    stand_at(down, across);
    return call_transposed_tile(t);
  }
  std::vector<Operand> rows;
  for (int r = 0; r < t.edge; ++r) {
    stand_at(down, across + v_int(r));
    rows.push_back(named("row", v_load(source, t.copy.value->type, offset_of(read.tensor, read.index, 0), t.edge)));
  }
  rows = transpose_vectors(std::move(rows), [this](const Operand& v) { return named("t", v); });
  for (int r = 0; r < t.edge; ++r) {
    stand_at(down + v_int(r), across);
    Operand v = rows[static_cast<size_t>(r)];
    out_->push_back(s_store(target, offset_of(t.copy.tensor, t.copy.index, 0), v));
  }
}

/// Elements one by one, for down in [d0, d1) and across in [a0, a1).
void Generator::transposed_edge(const TreeTranspose& t, const std::array<Operand, 4>& range) {
  const std::string d = names_.take(letter_of(t.down.name)), a = names_.take(letter_of(t.across.name));
  vars_[t.down.name] = {v_var(d)};
  vars_[t.across.name] = {v_var(a)};
  Block inner = block([&] { define(t.copy); });
  Block outer{s_for(a, range[2], range[3], 1, std::move(inner))};
  out_->push_back(s_for(d, range[0], range[1], 1, std::move(outer)));
  names_.release(d);
  names_.release(a);
}

/// Tiles of the same range, then what remains on two sides: by tiles of half the size where a row of such is at least
/// eight bytes.
void Generator::transposed_tiles(const TreeTranspose& t, const std::array<Operand, 4>& range) {
  const auto cut = [&](const Operand& from, const Operand& to, const std::string& name) {
    const auto first = constant_value(from), last = constant_value(to);
    if (first && last) return v_int(*first + (*last - *first) / t.edge * t.edge);
    return named(name + "_tiles", from + v_apply(ScalarOp::BitAnd, {to - from, v_int(-int64_t{t.edge})}));
  };
  const auto [d0, d1, a0, a1] = range;
  const Operand down_end = cut(d0, d1, letter_of(t.down.name)), across_end = cut(a0, a1, letter_of(t.across.name));
  const auto differs = [](const Operand& x, const Operand& y) {
    return !constant_value(x) || constant_value(x) != constant_value(y);
  };
  if (differs(d0, down_end) && differs(a0, across_end)) {
    const std::string d = names_.take(letter_of(t.down.name)), a = names_.take(letter_of(t.across.name));
    Block tile = block([&] { transposed_tile(t, v_var(d), v_var(a)); });
    Block strip{s_for(a, a0, across_end, t.edge, std::move(tile))};
    out_->push_back(s_for(d, d0, down_end, t.edge, std::move(strip)));
    names_.release(d);
    names_.release(a);
  }
  constexpr int kSmallest = 4, kSmallestRow = 8;
  TreeTranspose half = t;
  half.edge /= 2;
  const bool halves = half.edge >= kSmallest && half.edge * bytes_of(t.copy.value->type) >= kSmallestRow;
  const auto rest = [&](const std::array<Operand, 4>& part) {
    if (halves) transposed_tiles(half, part);
    else transposed_edge(t, part);
  };
  if (differs(across_end, a1)) rest({d0, halves ? d1 : down_end, across_end, a1});
  if (differs(down_end, d1)) rest({down_end, d1, a0, halves ? across_end : a1});
}

void Generator::transpose(const TreeTranspose& t) {
  start_leaf({});
  const Operand down = scalar(t.down.extent, 0), across = scalar(t.across.extent, 0);
  if (constant_value(down) && constant_value(across)) return transposed_tiles(t, {v_int(0), down, v_int(0), across});
  overlapping_tiles(t, down, across, true);
}

/// Sizes of a call: tiles as large as both sides allow, of which the last overlap those before them.
void Generator::overlapping_tiles(const TreeTranspose& t, const Operand& down, const Operand& across, bool largest) {
  constexpr int kSmallest = 4, kSmallestRow = 8, kFewTiles = 4;
  Block tiles = tile_loops(t, down, across, true);
  if (largest) {
    Block columns_first = tile_loops(t, down, across, false);
    const Operand few = v_apply(ScalarOp::Lt, {down, v_int(kFewTiles * t.edge)});
    tiles = {s_if(few, std::move(columns_first), std::move(tiles))};
  }
  TreeTranspose half = t;
  half.edge /= 2;
  const bool halves = half.edge >= kSmallest && half.edge * bytes_of(t.copy.value->type) >= kSmallestRow;
  Block narrow = block([&] {
    if (halves) overlapping_tiles(half, down, across, false);
    else few_planes(t, down, across, 2);
  });
  const auto fits = [&](const Operand& extent) { return v_apply(ScalarOp::Ge, {extent, v_int(t.edge)}); };
  out_->push_back(s_if(v_apply(ScalarOp::And, {fits(down), fits(across)}), std::move(tiles), std::move(narrow)));
}

/// All tiles of one size, a row of tiles after the other or a column.
Block Generator::tile_loops(const TreeTranspose& t, const Operand& down, const Operand& across, bool rows_first) {
  const std::string d = names_.take(letter_of(t.down.name)), a = names_.take(letter_of(t.across.name));
  const auto at = [&](const std::string& var, const Operand& extent) {
    return named(var + "_at", v_apply(ScalarOp::Min, {v_var(var), extent - v_int(t.edge)}));
  };
  const auto over = [&](bool rows, FunctionRef<void()> body) {
    return s_for(rows ? d : a, v_int(0), rows ? down : across, t.edge, block(body));
  };
  Block tiles{over(rows_first, [&] {
    const Operand outer = rows_first ? at(d, down) : at(a, across);
    out_->push_back(over(!rows_first, [&] {
      const Operand inner = rows_first ? at(a, across) : at(d, down);
      transposed_tile(t, rows_first ? outer : inner, rows_first ? inner : outer);
    }));
  })};
  names_.release(d);
  names_.release(a);
  return tiles;
}

/// `count` planes of a picture with its pixels next to each other, or the other way around; then with more planes, and
/// at last elements one by one.
void Generator::few_planes(const TreeTranspose& t, const Operand& down, const Operand& across, int count) {
  constexpr int kRegister = 16, kFewestLanes = 4;
  const int lanes = kRegister / bytes_of(t.copy.value->type);
  const auto is = [](const Operand& x, int64_t v) { return v_apply(ScalarOp::Eq, {x, v_int(v)}); };
  if (count >= std::min(t.edge, 5) || lanes < kFewestLanes || !t.from_step || !t.to_step)
    return transposed_edge(t, {v_int(0), down, v_int(0), across});
  const auto planes_or = [&](bool join, Block otherwise) {
    const Operand &few = join ? across : down, &many = join ? down : across;
    Operand holds = v_apply(ScalarOp::And, {is(few, count), is(scalar(join ? t.to_step : t.from_step, 0), count)});
    holds = v_apply(ScalarOp::And, {holds, v_apply(ScalarOp::Ge, {many, v_int(lanes)})});
    const std::string p = names_.take(letter_of(join ? t.down.name : t.across.name));
    Block pixels = block([&] {
      const Operand at = named(p + "_at", v_apply(ScalarOp::Min, {v_var(p), many - v_int(lanes)}));
      join_or_part(t, at, join, {t.copy.value->type, lanes, 0}, count);
    });
    names_.release(p);
    return Block{s_if(holds, {s_for(p, v_int(0), many, lanes, std::move(pixels))}, std::move(otherwise))};
  };
  Block rest = block([&] { few_planes(t, down, across, count + 1); });
  append(*out_, planes_or(true, planes_or(false, std::move(rest))));
}

/// A vector of each plane, and as many of whole pixels.
void Generator::join_or_part(const TreeTranspose& t, const Operand& at, bool join, OperandType vector, int count) {
  const auto& read = std::get<Read>(t.copy.value->node);
  const int source = buffer_of_[static_cast<size_t>(read.tensor)],
            target = buffer_of_[static_cast<size_t>(t.copy.tensor)];
  const auto place = [&](int tensor, const std::vector<Expr>& index, bool planes, int i) {
    start_leaf({});
    vars_[t.down.name] = {join ? at : v_int(planes ? i : 0)};
    vars_[t.across.name] = {join ? v_int(planes ? i : 0) : at};
    return offset_of(tensor, index, 0) + v_int(planes ? 0 : i * vector.lanes);
  };
  std::vector<Operand> vectors;
  for (int i = 0; i < count; ++i)
    vectors.push_back(named("v", v_load(source, vector.dtype, place(read.tensor, read.index, join, i), vector.lanes)));
  const auto name = [this](const Operand& v) { return named("t", v); };
  vectors = join ? join_planes(std::move(vectors), name) : part_pixels(std::move(vectors), name);
  for (int i = 0; i < count; ++i)
    out_->push_back(s_store(target, place(t.copy.tensor, t.copy.index, !join, i), vectors[static_cast<size_t>(i)]));
}

namespace {

/// Lanes of several vectors in one: lane l is lane `from(l)` of the vectors in a row.
Operand lanes_from(const std::vector<Operand>& rows, const std::function<int(int)>& from,
                   const std::function<Operand(Operand)>& named) {
  const int lanes = rows[0]->type.lanes;
  Operand out = rows[0];
  for (int r = 1; r < static_cast<int>(rows.size()); ++r) {
    std::vector<int> pick;
    for (int l = 0; l < lanes; ++l) {
      const int row = from(l) / lanes, lane = from(l) % lanes;
      pick.push_back(row == r ? lanes + lane : r == 1 ? lane : l);
    }
    out = named(v_shuffle(out, rows[static_cast<size_t>(r)], pick));
  }
  return out;
}

/// As many vectors as `rows`: lane l of vector i is lane `from(i, l)` of all of them.
std::vector<Operand> at_once(const std::vector<Operand>& rows, const std::function<int(int, int)>& from,
                             const std::function<Operand(Operand)>& named) {
  std::vector<Operand> out;
  for (int i = 0; i < static_cast<int>(rows.size()); ++i)
    out.push_back(lanes_from(
        rows, [&](int l) { return from(i, l); }, named));
  return out;
}

/// The same by log2(rows) rounds: in each, lane l of vector i is lane `from(i, l)` of the vectors `first(i)` and
/// `first(i) + apart`.
std::vector<Operand> in_rounds(std::vector<Operand> rows, int apart, const std::function<int(int)>& first,
                               const std::function<int(int, int)>& from, const std::function<Operand(Operand)>& named) {
  const int n = static_cast<int>(rows.size());
  for (int round = 1; round < n; round *= 2) {
    std::vector<Operand> next;
    for (int i = 0; i < n; ++i)
      next.push_back(lanes_from(
          {rows[static_cast<size_t>(first(i))], rows[static_cast<size_t>(first(i) + apart)]},
          [&](int l) { return from(i, l); }, named));
    rows = std::move(next);
  }
  return rows;
}

}  // namespace

std::vector<Operand> join_planes(std::vector<Operand> planes, const std::function<Operand(Operand)>& named) {
  const int n = static_cast<int>(planes.size()), lanes = planes[0]->type.lanes;
  if (!std::has_single_bit(static_cast<unsigned>(n)))
    return at_once(
        planes, [&](int i, int l) { return (i * lanes + l) % n * lanes + (i * lanes + l) / n; }, named);
  return in_rounds(
      std::move(planes), n / 2, [](int i) { return i / 2; },
      [&](int i, int l) { return l % 2 * lanes + i % 2 * lanes / 2 + l / 2; }, named);
}

std::vector<Operand> part_pixels(std::vector<Operand> pixels, const std::function<Operand(Operand)>& named) {
  const int n = static_cast<int>(pixels.size());
  if (!std::has_single_bit(static_cast<unsigned>(n)))
    return at_once(
        pixels, [&](int i, int l) { return l * n + i; }, named);
  return in_rounds(
      std::move(pixels), 1, [&](int i) { return i % (n / 2) * 2; }, [&](int i, int l) { return 2 * l + i / (n / 2); },
      named);
}

/// Each round combines two vectors to two. Inside groups of 16 bytes the rounds interleave elements, then pairs and so
/// on (unpack, zip), each seen as an integer of its size; across groups they take the even and the odd groups of both
/// vectors. These are single instructions without a table, unlike other patterns of more than 128 bits.
std::vector<Operand> transpose_vectors(std::vector<Operand> rows, const std::function<Operand(Operand)>& named) {
  const OperandType type = rows[0]->type;
  const int n = static_cast<int>(rows.size()), bytes = bytes_of(type.dtype), group = std::min(n, 16 / bytes);
  const auto as = [](const Operand& v, const OperandType& t) {
    return v->type == t ? v : v_apply_as(ScalarOp::Bits, {v}, t);
  };
  // Two vectors become `lane(half, l)` for both halves; `next` has them where the first and the second belong.
  const auto combined = [&](const OperandType& seen, size_t a, size_t b, const std::function<int(int, int)>& lane) {
    std::array<Operand, 2> out;
    for (int half : {0, 1}) {
      std::vector<int> pick;
      for (int l = 0; l < seen.lanes; ++l) pick.push_back(lane(half, l));
      out[static_cast<size_t>(half)] = named(v_shuffle(as(rows[a], seen), as(rows[b], seen), pick));
    }
    return out;
  };
  // Blocks of `unit` vectors have the same rows, each in another share of the columns.
  for (int unit = 1; unit < group; unit *= 2) {
    const int lanes = n / unit, inside = group / unit;
    const OperandType seen = unit == 1 ? type : OperandType{unsigned_of(8 * unit * bytes), lanes, 0};
    std::vector<Operand> next;
    for (int k = 0; k < n; k += 2 * unit)
      for (int j = k; j < k + unit; ++j)
        for (const Operand& v :
             combined(seen, static_cast<size_t>(j), static_cast<size_t>(j + unit), [=](int half, int l) {
               const int in = l % inside;
               return l - in + (half * inside + in) / 2 + in % 2 * lanes;
             }))
          next.push_back(v);
    rows = std::move(next);
  }
  // Vector k * group + j has rows k * group, k * group + 1 and so on of the columns j, group + j, 2 * group + j …
  for (int step = group; step < n; step *= 2)
    for (int k = 0; k < n; ++k) {
      if ((k & step) != 0) continue;
      const auto a = static_cast<size_t>(k), b = static_cast<size_t>(k + step);
      const OperandType seen = rows[a]->type;
      const int wide = seen.lanes * group / n;
      const auto two = combined(seen, a, b, [=](int half, int l) { return (2 * (l / wide) + half) * wide + l % wide; });
      rows[a] = two[0], rows[b] = two[1];
    }
  for (Operand& v : rows) v = as(v, type);
  return rows;
}

}  // namespace tenon
