// Transposed tiles: vectors come in along the source's dense loop, are transposed in registers by rounds of two-input
// shuffles, and go out along the target's.
#include <fmt/format.h>

#include <array>
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

/// In a function of its own, the addresses of the rows have registers, and compilers load each row once.
void Generator::call_transposed_tile(const TreeTranspose& t) {
  const auto& read = std::get<Read>(t.copy.value->node);
  const int source = buffer_of_[static_cast<size_t>(read.tensor)],
            target = buffer_of_[static_cast<size_t>(t.copy.tensor)];
  InnerFunction f = tile_function(buffers_[static_cast<size_t>(source)].dtype,
                                  buffers_[static_cast<size_t>(target)].dtype, {t.copy.value->type, t.edge, 0});
  const auto known = find_if(functions_, [&](const InnerFunction& g) { return g.name == f.name; });
  SCall call;
  call.function = static_cast<int>(known - functions_.begin());
  if (known == functions_.end()) functions_.push_back(std::move(f));
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
  transposed_tiles(t, {v_int(0), scalar(t.down.extent, 0), v_int(0), scalar(t.across.extent, 0)});
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
