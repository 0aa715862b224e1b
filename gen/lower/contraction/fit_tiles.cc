// Compares the extents of a contraction with the tiles of the schedules.
#include "lower/contraction/contraction_builder.h"

namespace tenon {
namespace {

std::string_view blueprint_kind(const Contraction& c) {
  return c.is_stencil() ? "stencil" : c.transposed ? "contraction_transposed" : "contraction";
}

/// Whether the columns are written to conflicting cache lines after few steps of the depth: a partially written line is
/// evicted before the next tile writes the rest, so tiles of whole lines pay off even with fewer vectors.
bool writes_collide(const ContractionBuilder& b, int64_t columns, const std::optional<int64_t>& depth) {
  constexpr int64_t kLine = 64, kWay = 4096, kWays = 8, kShallow = 48;
  if (!depth || *depth > kShallow || columns <= kWays || b.blueprint.tile_rows * bytes_of(b.c.result) % kLine != 0)
    return false;
  const KernelStatement& s = *b.c.statement;
  ValueScope scope = b.scope;
  for (const LoopVar& v : s.loops) scope.vars[v.name] = v_var(v.name);
  const auto form = offset_form(s.target, s.index, s.loops, scope);
  const auto step = form ? constant_value(form->coefficient(b.c.columns.back().name)) : std::nullopt;
  return step && *step * bytes_of(b.c.result) % kWay == 0;
}

/// The row of a transposed contraction whose columns all are in one vector, or whose writes collide, where its taller
/// tiles waste few rows; or null.
const Blueprint* narrow_blueprint(const Kernel& kernel, const Contraction& c, const Isa& isa,
                                  const Blueprints& blueprints) {
  const Blueprint* narrow =
      c.is_stencil() || !c.transposed ? nullptr : blueprints.find("contraction_transposed_narrow", isa, c.accumulator);
  if (!narrow) return nullptr;
  ContractionBuilder b = start_contraction(kernel, isa, *narrow, c);
  const auto rows = constant_value(b.extent_of(c.rows)), columns = constant_value(b.extent_of(c.columns));
  if (!rows || !columns || (*columns > b.lanes() && !writes_collide(b, *columns, constant_value(b.extent_of(c.depth)))))
    return nullptr;
  const int64_t padded = (*rows + narrow->tile_rows - 1) / narrow->tile_rows * narrow->tile_rows;
  return padded * 10 <= *rows * 11 ? narrow : nullptr;
}

/// Whether the panels of columns are made in the kernel, and all columns are in one vector.
bool packs_one_vector(ContractionBuilder& b) {
  const Read* read = plain_read(b.c.right);
  const auto columns = b.c.is_stencil() ? std::nullopt : constant_value(b.extent_of(b.c.columns));
  return columns && *columns <= b.lanes() && read && b.kernel.tensor(read->tensor).role != Role::Constant;
}

/// The most rows of a tile: known_rows, if there are registers for their sums next to the operands.
int tallest(const Isa& isa, const Blueprint& blueprint) {
  const int fitting = (isa.vector_registers - 1) / blueprint.tile_vectors - 1;
  return std::max(blueprint.tile_rows, std::min(blueprint.known_rows, fitting));
}

/// Rows of transposed tiles that take the least time. Taller ones than the blueprint's pay off for long sums in all
/// vectors; each step of a tile loads and stores besides its sums.
int even_rows(ContractionBuilder& b, int64_t rows, const Blueprint& blueprint) {
  constexpr int64_t kBesides = 5, kDeep = 192;  // the first in halves of a row
  int64_t best = even_height(rows, blueprint.tile_rows);
  const auto depth = constant_value(b.extent_of(b.c.depth)), columns = constant_value(b.extent_of(b.c.columns));
  if (!depth || *depth < kDeep || !columns || *columns <= b.lanes()) return static_cast<int>(best);
  const auto time = [&](int64_t height) { return (rows + height - 1) / height * (2 * height + kBesides); };
  const int most = tallest(b.isa, blueprint);
  for (int64_t height = blueprint.tile_rows + 1; height <= most; ++height)
    if (time(height) < time(best)) best = height;
  return static_cast<int>(best);
}

/// Whether the rows of the left side are read in place, at a distance that puts all of a tile into one set of a cache.
bool rows_collide(const ContractionBuilder& b) {
  constexpr int64_t kWay = 4096;
  const Read* left = plain_read(b.c.left);
  if (!left || b.c.rows.empty()) return false;
  ValueScope scope = b.scope;
  for (const std::vector<LoopVar>* vars : {&b.c.outer_left, &b.c.outer_right, &b.c.rows, &b.c.depth})
    for (const LoopVar& v : *vars) scope.vars[v.name] = v_var(v.name);
  const auto form = offset_form(left->tensor, left->index, b.c.rows, scope);
  const auto step = form ? constant_value(form->coefficient(b.c.rows.back().name)) : std::nullopt;
  return !step || *step * bytes_of(b.kernel.tensor(left->tensor).dtype) % kWay == 0;
}

constexpr int kBusySums = 8;  ///< sums of a tile that keep two multipliers busy

/// What tiles of this height and one of the rows left over take: the multiplications, and what a tile loads besides.
int64_t time_of_tiles(int64_t rows, int64_t height, int64_t vectors) {
  constexpr int64_t kBesides = 5;
  const int64_t rest = rows % height;
  return rows / height * (height * vectors + kBesides) +
         (rest > 0 ? std::max<int64_t>(rest * vectors, kBusySums) + kBesides : 0);
}

}  // namespace

void fit_rows(Blueprint& tile, int64_t rows) {
  const auto time = [&](int height) { return time_of_tiles(rows, height, tile.tile_vectors); };
  int best = tile.tile_rows;
  for (int height = best - 1; height * tile.tile_vectors >= kBusySums; --height)
    if (time(height) < time(best) || (time(height) == time(best) && rows % height == 0)) best = height;
  tile.tile_rows = best;
  tile.leftover_rows = static_cast<int>(rows % best);
}

namespace {

/// A tile of up to known_rows for known rows, or one of fewer rows and one vector more with as many sums where columns
/// are many and not in panels already. Taller tiles are for a right side that is read: one that is computed is so for
/// each tile.
void fit_tile_to_rows(ContractionBuilder& b, const RightAccess& right, Blueprint& out) {
  constexpr int kPanels = 8;
  const auto rows = constant_value(b.extent_of(b.c.rows)), columns = constant_value(b.extent_of(b.c.columns));
  if (rows && right.buffer >= 0 && b.isa.masked_memory && out.known_rows > out.tile_rows && !rows_collide(b))
    out.tile_rows = tallest(b.isa, out);
  const int vectors = out.tile_vectors + 1, sums = out.tile_rows * out.tile_vectors, tall = sums / vectors;
  if (!rows || !columns || *rows < 1 || *rows % out.tile_rows == 0) return;
  if (right.panel == 0 && tall * vectors == sums && *rows % tall == 0 && *columns >= kPanels * vectors * b.lanes()) {
    out.tile_rows = tall, out.tile_vectors = vectors;
    return;
  }
  fit_rows(out, *rows);
}

/// A tile of all rows and more vectors for known rows that are too few: their sums would not keep the multipliers busy,
/// and the panels of more vectors are more streams from the second-level cache. No vector is added that has no columns,
/// and the panels of a tile stay so small that several workers have tiles of large sides. Where a line of memory is two
/// vectors, half as many streams would leave half of the memory's bandwidth idle: the last tile may lack some columns,
/// and panels are as large as leaves many tiles.
void fit_few_rows(ContractionBuilder& b, int64_t panel, Blueprint& out) {
  constexpr int kMostVectors = 8;
  constexpr int64_t kPanelBytes = 1 << 17, kManyTiles = 12;
  const auto rows = constant_value(b.extent_of(b.c.rows)), columns = constant_value(b.extent_of(b.c.columns)),
             depth = constant_value(b.extent_of(b.c.depth));
  if (!rows || !columns || !depth || *rows < 1 || *rows * out.tile_vectors >= kBusySums) return;
  const int sums = b.blueprint.tile_rows * b.blueprint.tile_vectors;
  const bool parts = b.isa.vector_bits < kLineBits;
  const auto fits = [&](int vectors) {
    const int64_t across = int64_t{vectors} * b.lanes(), tiles = (*columns + across - 1) / across,
                  all = (*columns + panel - 1) / panel * panel;
    return *rows * vectors <= sums && across % panel == 0 &&
           (*columns % across == 0 || (parts && tiles * across * 20 <= all * 21)) &&
           (*depth * across * bytes_of(b.c.accumulator) <= kPanelBytes || (parts && tiles >= kManyTiles));
  };
  for (int vectors = kMostVectors; vectors > out.tile_vectors; --vectors)
    if (fits(vectors)) {
      out.tile_rows = static_cast<int>(*rows), out.tile_vectors = vectors;
      return;
    }
}

}  // namespace

const Blueprint* find_blueprint(const Kernel& kernel, const Contraction& c, const Isa& isa,
                                const Blueprints& blueprints) {
  const Blueprint* narrow = narrow_blueprint(kernel, c, isa, blueprints);
  return narrow ? narrow : blueprints.find(blueprint_kind(c), isa, c.accumulator);
}

/// Equal tiles for known rows if parts of vectors can be stored: the last one repeats no rows, or few. One vector wide
/// if the columns fill only one.
Blueprint fit_tiles(const Blueprint& blueprint, const Kernel& kernel, const Contraction& c, const Isa& isa) {
  Blueprint out = blueprint;
  ContractionBuilder b = start_contraction(kernel, isa, blueprint, c);
  if (packs_one_vector(b)) out.tile_vectors = 1;
  else if (blueprint.kind != "stencil" && access_right(b).buffer < 0 && computes_right(b)) fit_computed_tile(b, out);
  else if (blueprint.kind == "contraction" && c.paired.empty()) {
    const RightAccess right = access_right(b);
    fit_tile_to_rows(b, right, out);
    if (right.panel > 0) fit_few_rows(b, right.panel, out);
  }
  if (!c.transposed || !isa.masked_memory) return out;
  const auto rows = constant_value(b.extent_of(c.rows));
  if (rows && *rows > 0) out.tile_rows = even_rows(b, *rows, out);
  return out;
}

}  // namespace tenon
