// Transposed tiles: vectors come in along the source's dense loop, are transposed in registers by rounds of two-input
// shuffles, and go out along the target's.
#include <functional>

#include "lower/generate/generate.h"

namespace tenon {

void Generator::transposed_tile(const TreeTranspose& t, const Operand& down, const Operand& across) {
  const auto& read = std::get<Read>(t.copy.value->node);
  const int source = buffer_of_[static_cast<size_t>(read.tensor)],
            target = buffer_of_[static_cast<size_t>(t.copy.tensor)];
  const auto stand_at = [&](const Operand& d, const Operand& a) {
    start_leaf({});
    vars_[t.down.name] = {d};
    vars_[t.across.name] = {a};
  };
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

std::vector<Operand> transpose_vectors(std::vector<Operand> rows, const std::function<Operand(Operand)>& named) {
  const int n = static_cast<int>(rows.size());
  for (int bit = 1; bit < n; bit *= 2) {
    std::vector<Operand> next(rows.size());
    std::vector<int> low, high;
    for (int l = 0; l < n; ++l) {
      low.push_back((l & bit) == 0 ? l : n + l - bit);
      high.push_back((l & bit) == 0 ? l + bit : n + l);
    }
    for (int k = 0; k < n; ++k) {
      if ((k & bit) != 0) continue;
      const auto a = static_cast<size_t>(k), b = static_cast<size_t>(k + bit);
      next[a] = named(v_shuffle(rows[a], rows[b], low));
      next[b] = named(v_shuffle(rows[a], rows[b], high));
    }
    rows = std::move(next);
  }
  return rows;
}

}  // namespace tenon
