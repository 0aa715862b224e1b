// Sorting and selecting, naively.
#include "oracle/sorting.h"

#include <numeric>

#include "oracle/run_frame.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The sorted positions of a row of `extent` elements with stride `step`.
std::vector<int64_t> ordered(const FrameData& f, int64_t first, int64_t step, int64_t extent, bool falling) {
  std::vector<int64_t> order(static_cast<size_t>(extent));
  std::iota(order.begin(), order.end(), 0);
  stable_sort(order, [&](int64_t a, int64_t b) {
    const Number x = f.at("X", first + a * step), y = f.at("X", first + b * step);
    return falling ? f.before("X", y, x) : f.before("X", x, y);
  });
  return order;
}

/// The first `count` of each sorted row.
void rows_in_order(const FrameData& f, int64_t count, bool falling) {
  const int64_t rows = f.size("P"), extent = f.size("D"), columns = f.size("Q");
  for (int64_t p = 0; p < rows; ++p)
    for (int64_t q = 0; q < columns; ++q) {
      const int64_t first = p * extent * columns + q;
      const std::vector<int64_t> order = ordered(f, first, columns, extent, falling);
      for (int64_t d = 0; d < count; ++d) {
        const int64_t to = (p * count + d) * columns + q, from = order[static_cast<size_t>(d)];
        f.put("Y", to, f.at("X", first + from * columns));
        f.put("I", to, {from});
      }
    }
}

bool is_zero(const FrameData& f, int64_t i) {
  const Number v = f.at("X", i);
  return is_float(f.tensor("X").dtype) ? v.f == 0 : v.i == 0;
}

/// -1, 0 or 1 for two slices along the axis.
int compare_slices(const FrameData& f, int64_t a, int64_t b) {
  const int64_t extent = f.size("D"), columns = f.size("Q");
  for (int64_t p = 0; p < f.size("P"); ++p)
    for (int64_t q = 0; q < columns; ++q) {
      const Number x = f.at("X", (p * extent + a) * columns + q), y = f.at("X", (p * extent + b) * columns + q);
      if (f.before("X", x, y)) return -1;
      if (f.before("X", y, x)) return 1;
    }
  return 0;
}

struct Box {
  double low[2], high[2];
};

Box box_of(const FrameData& f, int64_t at) {
  Box box;
  for (int axis = 0; axis < 2; ++axis) {
    const auto first = static_cast<float>(f.at("B", at * 4 + axis).f),
               second = static_cast<float>(f.at("B", at * 4 + axis + 2).f);
    const float half = second / 2, a = f.size("center") ? first - half : first,
                b = f.size("center") ? first + half : second;
    box.low[axis] = std::min(a, b);
    box.high[axis] = std::max(a, b);
  }
  return box;
}

float overlap(const Box& a, const Box& b) {
  float shared[2];
  for (int axis = 0; axis < 2; ++axis)
    shared[axis] = static_cast<float>(std::min(a.high[axis], b.high[axis])) -
                   static_cast<float>(std::max(a.low[axis], b.low[axis]));
  if (!(shared[0] > 0 && shared[1] > 0)) return 0;
  const auto side = [](const Box& x, int axis) {
    return static_cast<float>(x.high[axis]) - static_cast<float>(x.low[axis]);
  };
  const float both = shared[0] * shared[1], whole = side(a, 0) * side(a, 1) + side(b, 0) * side(b, 1) - both;
  return whole > 0 ? both / whole : 0;
}

}  // namespace

void oracle_sort(const FrameData& f) {
  const int64_t extent = f.size("D"), k = f.has("K") ? f.at("K", 0).i : f.size("k");
  const int64_t count = !f.has("K") && k < 0 ? extent : std::clamp<int64_t>(k, 0, extent);
  f.set_extent("M", count);
  rows_in_order(f, count, f.size("descending") != 0 || f.size("largest") != 0);
}

void oracle_nonzero(const FrameData& f) {
  const std::vector<int64_t> extents = f.pack("S");
  const int64_t elements = element_count(extents), rank = f.size("R");
  std::vector<int64_t> found;
  for (int64_t i = 0; i < elements; ++i)
    if (!is_zero(f, i)) found.push_back(i);
  const auto n = static_cast<int64_t>(found.size());
  f.set_extent("N", n);
  for (int64_t k = 0; k < n; ++k) {
    int64_t rest = found[static_cast<size_t>(k)];
    for (int64_t r = rank - 1; r >= 0; --r) {
      f.put("Y", r * n + k, {rest % extents[static_cast<size_t>(r)]});
      rest /= extents[static_cast<size_t>(r)];
    }
  }
}

void oracle_compress(const FrameData& f) {
  std::vector<int64_t> kept;
  for (int64_t d = 0; d < std::min(f.size("D"), f.size("M")); ++d)
    if (f.at("C", d).i) kept.push_back(d);
  f.set_extent("N", static_cast<int64_t>(kept.size()));
  int64_t to = 0;
  for (int64_t p = 0; p < f.size("P"); ++p)
    for (const int64_t d : kept)
      for (int64_t q = 0; q < f.size("Q"); ++q) f.put("Y", to++, f.at("X", (p * f.size("D") + d) * f.size("Q") + q));
}

void oracle_unique(const FrameData& f) {
  const int64_t extent = f.size("D"), columns = f.size("Q");
  std::vector<int64_t> first;
  for (int64_t d = 0; d < extent; ++d)
    if (none_of(first, [&](int64_t o) { return compare_slices(f, o, d) == 0; })) first.push_back(d);
  if (f.size("sorted")) sort(first, [&](int64_t a, int64_t b) { return compare_slices(f, a, b) < 0; });
  const auto n = static_cast<int64_t>(first.size());
  f.set_extent("N", n);
  for (int64_t k = 0; k < n; ++k) {
    const int64_t d = first[static_cast<size_t>(k)];
    int64_t count = 0;
    for (int64_t o = 0; o < extent; ++o) {
      if (compare_slices(f, o, d) != 0) continue;
      f.put("J", o, {k});
      ++count;
    }
    f.put("I", k, {d});
    f.put("C", k, {count});
    for (int64_t p = 0; p < f.size("P"); ++p)
      for (int64_t q = 0; q < columns; ++q)
        f.put("Y", (p * n + k) * columns + q, f.at("X", (p * extent + d) * columns + q));
  }
}

/// By halves, so that an unsorted row gives the same answer as the template's.
void oracle_searchsorted(const FrameData& f) {
  for (int64_t s = 0; s < f.size("S"); ++s) {
    const Number v = f.at("V", s);
    int64_t low = 0, high = f.size("N");
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      const Number a = f.at("A", middle);
      const bool stands_before = f.size("right") ? !f.before("A", v, a) : f.before("A", a, v);
      (stands_before ? low : high) = stands_before ? middle + 1 : middle;
    }
    f.put("Y", s, {low});
  }
}

void oracle_non_max_suppression(const FrameData& f) {
  const int64_t boxes = f.size("M"), classes = f.size("C"), limit = f.has("K") ? f.at("K", 0).i : 0;
  const auto most = static_cast<float>(f.has("I") ? f.at("I", 0).f : 0);
  int64_t rows = 0;
  for (int64_t g = 0; g < f.size("G"); ++g)
    for (int64_t c = 0; c < classes; ++c) {
      const auto score = [&](int64_t m) { return f.at("S", (g * classes + c) * boxes + m).f; };
      std::vector<int64_t> order, taken;
      for (int64_t m = 0; m < boxes; ++m)
        if (f.has("L") ? score(m) > f.at("L", 0).f : score(m) == score(m)) order.push_back(m);
      stable_sort(order, [&](int64_t a, int64_t b) { return score(a) > score(b); });
      for (const int64_t m : order) {
        const Box mine = box_of(f, g * boxes + m);
        const bool alone = all_of(taken, [&](int64_t t) { return overlap(mine, box_of(f, g * boxes + t)) <= most; });
        if (!alone || static_cast<int64_t>(taken.size()) >= limit) continue;
        taken.push_back(m);
        f.put("Y", rows * 3, {g});
        f.put("Y", rows * 3 + 1, {c});
        f.put("Y", rows++ * 3 + 2, {m});
      }
    }
  f.set_extent("N", rows);
}

}  // namespace tenon
