// Whether the strips of a stencil read the image itself, and the loops over them.
#include <algorithm>
#include <utility>

#include "lower/contraction/stencil_strip.h"

namespace tenon {
namespace {

/// Rows of a strip that reads the image itself, next to whose sums all taps have their registers; 0 if they have none.
int height_in_place(ContractionBuilder& b) {
  constexpr int64_t kFewest = 4;
  const int64_t most = b.blueprint.rows_in_registers > 0 ? b.blueprint.rows_in_registers : b.blueprint.tile_rows;
  const auto taps = constant_value(b.extent_of(b.c.depth)),
             rows = b.c.rows.size() == 1 ? constant_value(b.extent_of(b.c.rows)) : std::nullopt;
  if (!taps || !rows || *taps < 1 || *rows < 1) return 0;
  const int64_t tall = std::min(b.isa.vector_registers - *taps - kForPixels, most);
  if (tall < std::min({kFewest, most, *rows})) return 0;
  const int64_t height = even_height(*rows, tall);
  return in_place(b) && *rows % height != 0 ? 0 : static_cast<int>(height);
}

/// Whether strips in place take less time than a copy. With steps of 1 a copy pays where taps leave registers for so
/// few rows that strips repeat many; for planes of short rows, it costs several cycles a row and a tap, but its vectors
/// are full.
bool beats_copy(ContractionBuilder& b, const StencilImage& image, int height) {
  constexpr int64_t kTap = 5, kRow = 7, kFunction = 16;
  if (image.column_step > 1) return true;
  const auto taps = static_cast<int64_t>(image.taps.size()), rows = *constant_value(b.extent_of(b.c.rows));
  const int64_t columns = *constant_value(b.extent_of(b.c.columns)), strips = (rows + height - 1) / height,
                vectors = strips * height * ((columns + b.lanes() - 1) / b.lanes());
  const auto plane = try_planes(b, 1);
  if (!plane) return strips * height * 8 <= rows * 9;
  const int64_t full = (plane->pixels() + b.lanes() - 1) / b.lanes(), after = epilogue_operations(b, kFunction);
  return (vectors + 2 * strips) * taps * 7 / 5 + vectors * after <
         (plane->vectors + kTap) * taps + kRow * rows + full * after;
}

}  // namespace

Block strips_of_image(ContractionBuilder& b, const Read& weights) {
  const auto columns = constant_value(b.extent_of(b.c.columns));
  const int height = height_in_place(b);
  if (height == 0 || !b.isa.masked_memory || b.lanes() == 1 || !columns || b.c.word_numbers == 4) return {};
  if (in_place(b) && *columns > b.lanes() && *columns % b.lanes() != 0) return {};
  const AffineForm w = weights_of(b, &weights);
  const auto step = constant_value(b.c.depth.empty() ? v_int(0) : w.coefficient(b.c.depth.back().name));
  const auto image = b.possible && step ? find_image(b) : std::nullopt;
  if (!std::exchange(b.possible, true) || !image || !beats_copy(b, *image, height)) return {};
  const std::string r = b.local("strip_row"), first = b.local("first_row");
  const Operand rows = b.extent_of(b.c.rows);
  const StencilWeights tap_weights{{weights.tensor, w.rest}, *step};
  const bool keeps = short_epilogue(b), even = *constant_value(rows) % height == 0;
  Block body{s_let(first, smaller(v_var(r), rows - v_int(height)))};
  append(body, strip_in_place(b, *image, tap_weights, {height, v_var(first), keeps}));
  if (!std::exchange(b.possible, true)) return {};
  // the last of uneven strips repeats rows of the one before it, which another worker must not have
  Block strips{
      with_kind(even ? LoopKind::Parallel : LoopKind::Serial, s_for(r, v_int(0), rows, height, std::move(body)))};
  return loops_over(b, b.c.outer_right, loops_over(b, b.c.outer_left, std::move(strips), LoopKind::Parallel),
                    LoopKind::Parallel);
}

}  // namespace tenon
