// The tile of all rows of a contraction whose right side is computed on the fly, without panels.
#include <fmt/format.h>

#include "lower/contraction/contraction_builder.h"

namespace tenon {

void fit_computed_tile(ContractionBuilder& b, Blueprint& out) {
  constexpr int kBusy = 12, kMostVectors = 4;
  out.tile_rows = static_cast<int>(*constant_value(b.extent_of(b.c.rows)));
  const int64_t columns = *constant_value(b.extent_of(b.c.columns));
  const auto fits = [&](int vectors) {
    return vectors <= kMostVectors && columns % (int64_t{vectors} * b.lanes()) == 0 &&
           out.tile_rows * vectors + vectors + 2 <= b.isa.vector_registers;
  };
  while (out.tile_rows * out.tile_vectors < kBusy && fits(2 * out.tile_vectors)) out.tile_vectors *= 2;
}

Block computed_tile(ContractionBuilder& b, const LeftAccess& left, const TilePlace& place, const Operand& column,
                    int height) {
  const DType acc = b.c.accumulator;
  const OperandType vector{acc, b.lanes(), 0};
  const int vectors = b.blueprint.tile_vectors;
  const auto sum = [&](int r, int j) { return b.local(fmt::format("c{}_{}", r, j)); };
  const auto bias = [&](int r) {
    return place.store->bias ? v_load(place.store->biases.buffer, acc, place.store->biases.offset + v_int(r)) : nullptr;
  };
  ValueScope scope = b.scope;
  for (const LoopVar& v : b.c.depth) scope.vars[v.name] = v_var(v.name);
  scope.vector_var = b.c.columns.back().name, scope.lanes = b.lanes();
  Block out, step, stores;
  for (int j = 0; j < vectors; ++j) {
    bind_collapsed(b.c.columns, column + v_int(j * b.lanes()), scope);
    const auto value = lower_lanes(b.c.right, scope);
    b.possible = b.possible && value;
    if (!value) return {};
    step.push_back(s_let(b.local(fmt::format("b{}", j)), v_cast(*value, acc)));
  }
  const Operand at = flat_index(b, b.c.depth, scope) * left.depth_step;
  for (int r = 0; r < height; ++r) {
    const std::string x = b.local(fmt::format("x{}", r));
    const Operand start = place.row_starts.at(static_cast<size_t>(r));
    step.push_back(s_let(x, v_splat(v_load(left.buffer, acc, start + at), b.lanes())));
    for (int j = 0; j < vectors; ++j) {
      const Operand y = v_var(b.local(fmt::format("b{}", j)), vector), so_far = v_var(sum(r, j), vector);
      out.push_back(s_var(sum(r, j), v_const(0, vector)));
      step.push_back(s_assign(sum(r, j), is_float(acc) ? v_apply(ScalarOp::Fma, {v_var(x, vector), y, so_far})
                                                       : so_far + v_var(x, vector) * y));
      const Operand to = place.store ? place.store->first + v_int(r) * place.store->step : v_int(r * b.panel_columns());
      stores.push_back(s_store(place.store ? place.store->buffer : place.tile, to + v_int(j * b.lanes()),
                               place.store ? finished(b, *place.store, so_far, bias(r)) : so_far));
    }
  }
  append(out, loops_over(b, b.c.depth, std::move(step)));
  append(out, std::move(stores));
  return out;
}

}  // namespace tenon
