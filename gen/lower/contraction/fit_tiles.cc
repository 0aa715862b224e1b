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

/// A tile that leaves no rows over, for known rows of which the blueprint's would: of fewer rows and one vector more
/// with as many sums where columns are many, or of fewer rows that still are enough sums to keep the multipliers busy,
/// where a rest would be much of all rows. `packed`: the columns are in panels already.
void fit_rows(ContractionBuilder& b, bool packed, Blueprint& out) {
  constexpr int kPanels = 8, kBusy = 8, kTiles = 10;
  const int vectors = out.tile_vectors + 1, sums = out.tile_rows * out.tile_vectors, tall = sums / vectors;
  const auto rows = constant_value(b.extent_of(b.c.rows)), columns = constant_value(b.extent_of(b.c.columns));
  if (!rows || !columns || *rows < 1 || *rows % out.tile_rows == 0) return;
  if (!packed && tall * vectors == sums && *rows % tall == 0 && *columns >= kPanels * vectors * b.lanes()) {
    out.tile_rows = tall, out.tile_vectors = vectors;
    return;
  }
  for (int height = out.tile_rows - 1; height * out.tile_vectors >= kBusy && *rows <= kTiles * out.tile_rows; --height)
    if (*rows % height == 0) {
      out.tile_rows = height;
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
  else if (blueprint.kind == "contraction" && c.paired.empty()) fit_rows(b, access_right(b).panel > 0, out);
  if (!c.transposed || !isa.masked_memory) return out;
  const auto rows = constant_value(b.extent_of(c.rows));
  if (rows && *rows > 0) out.tile_rows = static_cast<int>(even_height(*rows, blueprint.tile_rows));
  return out;
}

}  // namespace tenon
