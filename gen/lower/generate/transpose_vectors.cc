// Round `bit` exchanges the lanes whose number has the bit between rows whose number has it.
#include "lower/generate/transpose_vectors.h"

#include <functional>

namespace tenon {

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
