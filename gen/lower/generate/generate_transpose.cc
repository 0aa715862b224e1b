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

void Generator::transpose(const TreeTranspose& t) {
  start_leaf({});
  const Operand rows = scalar(t.down.extent, 0), columns = scalar(t.across.extent, 0), whole = v_int(-int64_t{t.edge});
  const auto cut = [&](const Operand& n, const std::string& name) {
    const auto c = constant_value(n);
    return c ? v_int(*c / t.edge * t.edge) : named(name + "_tiles", v_apply(ScalarOp::BitAnd, {n, whole}));
  };
  const Operand down_end = cut(rows, letter_of(t.down.name)), across_end = cut(columns, letter_of(t.across.name));
  const std::string d = names_.take(letter_of(t.down.name)), a = names_.take(letter_of(t.across.name));
  Block tile = block([&] { transposed_tile(t, v_var(d), v_var(a)); });
  Block strip{s_for(a, v_int(0), across_end, t.edge, std::move(tile))};
  out_->push_back(s_for(d, v_int(0), down_end, t.edge, std::move(strip)));
  names_.release(d);
  names_.release(a);
  const auto differs = [](const Operand& x, const Operand& y) {
    return !constant_value(x) || constant_value(x) != constant_value(y);
  };
  if (differs(across_end, columns)) transposed_edge(t, {v_int(0), down_end, across_end, columns});
  if (differs(down_end, rows)) transposed_edge(t, {down_end, rows, v_int(0), columns});
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
