// The search space: a table of values for each kind of kernel.
#include "support/ranges.h"
#include "tune/tune.h"

namespace tenon {
namespace {

/// A register tile: rows and vectors.
struct Tile {
  int rows, vectors;
};

/// The tile with its operands is in registers, and uses a third of them at least.
bool fits(const Tile& t, const Isa& isa) {
  const int sums = t.rows * t.vectors;
  return sums + t.vectors + 1 <= isa.vector_registers && 3 * sums >= isa.vector_registers;
}

std::vector<Tile> tiles(const std::vector<int>& rows, const std::vector<int>& vectors, const Isa& isa) {
  std::vector<Tile> out;
  for (const int v : vectors)
    for (const int r : rows)
      if (fits({r, v}, isa)) out.push_back({r, v});
  return out;
}

class Search {
 public:
  explicit Search(const Blueprint& base) : base_(base) {}

  void value(int Blueprint::*field, const std::vector<int>& values) {
    for (const int v : values) {
      Blueprint b = base_;
      b.*field = v;
      add(b);
    }
  }

  void scale(int Blueprint::*field) { value(field, {base_.*field / 2, std::min(base_.*field * 2, kLargestParameter)}); }

  void tile(const std::vector<Tile>& all) {
    for (const Tile& t : all) {
      Blueprint b = base_;
      b.tile_rows = t.rows;
      b.tile_vectors = t.vectors;
      b.leftover_rows = std::min(b.leftover_rows, t.rows / 2);
      b.known_rows = 0;
      add(b);
    }
  }

  std::vector<Blueprint> found() && { return std::move(found_); }

 private:
  void add(const Blueprint& b) {
    const auto same = [&](const Blueprint& other) { return other == b; };
    if (!same(base_) && none_of(found_, same)) found_.push_back(b);
  }

  const Blueprint& base_;
  std::vector<Blueprint> found_;
};

}  // namespace

std::vector<Blueprint> candidates_of(const Blueprint& base, const Isa& isa) {
  Search search(base);
  if (base.kind == "contraction") {
    search.tile(tiles({12, 6, 14, 4, 8, 24}, {2, 3, 1, 4}, isa));
    search.value(&Blueprint::leftover_rows, {1, 2, base.tile_rows / 2});
    search.scale(&Blueprint::cache_m);
    search.scale(&Blueprint::cache_n);
  } else if (base.kind == "contraction_transposed" || base.kind == "contraction_transposed_narrow") {
    search.tile(
        tiles({4, 8, 12, 16, 24}, base.kind == "contraction_transposed" ? std::vector{2, 1, 3} : std::vector{1}, isa));
    search.scale(&Blueprint::cache_m);
    search.scale(&Blueprint::cache_n);
  } else if (base.kind == "winograd") {
    search.tile(tiles({12, 6, 14, 4, 8, 24}, {2, 1, 3}, isa));
    search.scale(&Blueprint::cache_m);
  } else if (base.kind == "filter_lines") {
    search.tile(tiles({6, 4, 5, 8, 12}, {2, 3, 1}, isa));
  } else if (base.kind == "stencil") {
    search.value(&Blueprint::tile_rows, {16, 12, 4, 6, 8, 2});
    search.value(&Blueprint::rows_in_registers, {0, 2, 4, 8});
    search.value(&Blueprint::strip_pixels, {0, 3072, 6144, 12288});
  } else if (base.kind == "row_chain") {
    search.value(&Blueprint::row_multiple, {4, 8, 16});
    search.scale(&Blueprint::cache_m);
  } else if (base.kind == "map") {
    search.value(&Blueprint::unroll, {1, 2, 4, 8});
    search.value(&Blueprint::prefetch_bytes, {0, 1024, 2048, 4096});
  } else if (base.kind == "reduction") {
    search.value(&Blueprint::accumulators, {1, 2, 4, 8});
  }
  return std::move(search).found();
}

}  // namespace tenon
