// Plans which lines of the next columns each tile asks for, so that they arrive while the tiles before them compute.
#include "lower/contraction/contraction_builder.h"

namespace tenon {

void plan_requests(ContractionBuilder& b, const RightAccess& right, bool in_place, const Operand& rows_a_block) {
  const auto rows = b.known_rows(), height = constant_value(rows_a_block),
             depth = constant_value(b.extent_of(b.c.depth)), columns = constant_value(b.extent_of(b.c.columns));
  const int64_t bytes = bytes_of(b.c.accumulator), panel = b.panel_columns(), lines = panel * bytes * 8 / kLineBits;
  if (!rows || !height || !depth || !columns || lines == 0 || (in_place && *columns <= panel)) return;
  const bool far =
      in_place ? *depth * *columns * bytes > kSecondLevel : right.panel > 0 && b.right_is_far && right.halves == 1;
  if (!far || *depth * panel * bytes > kSecondLevel / 4) return;
  const int64_t tall = b.blueprint.tile_rows, tiles = (std::min(*rows, *height) + tall - 1) / tall;
  int64_t steps = std::min(tiles / lines, *depth);
  while ((steps & (steps - 1)) != 0) steps &= steps - 1;
  if (steps == 0 || tiles == 1) return;
  b.steps_a_line = static_cast<int>(steps);
  b.requests = lines * steps;
  b.fetches_right = false;
}

/// As many lines as the tiles before it asked for come first: panel by panel or, in place, line by line of each row.
Operand requested_line(const ContractionBuilder& b, const RightAccess& right, const Operand& tile,
                       const Operand& depth) {
  if (b.steps_a_line == 0) return nullptr;
  const Operand steps = v_int(b.steps_a_line), at = smaller(tile, v_int(b.requests - 1)),
                panel = v_int(b.panel_columns()), part = floor_div(depth, steps) * right.depth_step;
  if (right.panel > 0) return panel * depth + at * part;
  const int64_t line = b.panel_columns() * b.steps_a_line / b.requests;  // elements
  return panel + floor_div(at, steps) * v_int(line) + v_apply(ScalarOp::Mod, {at, steps}) * part;
}

}  // namespace tenon
