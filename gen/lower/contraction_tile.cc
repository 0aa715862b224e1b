// The register tile of a contraction, and the panels of the right side that it reads.
#include <fmt/format.h>

#include "lower/contraction_builder.h"

namespace tenon {
namespace {

Operand multiply_add(DType d, const Operand& x, const Operand& y, const Operand& sum) {
  return is_float(d) ? v_apply(ScalarOp::Fma, {x, y, sum}) : sum + x * y;
}

/// Panels by whole vectors: the right side has unit stride along the columns.
Block pack_vectors(ContractionBuilder& b, int packed, const Operand& column, const Operand& panel) {
  ValueScope scope = b.scope;
  for (const LoopVar& v : b.c.depth) scope.vars[v.name] = v_var(v.name);
  Block body;
  for (int j = 0; j < b.blueprint.tile_vectors; ++j) {
    bind_collapsed(b.c.columns, column + v_int(j * b.lanes()), scope);
    scope.vector_var = b.c.columns.back().name;
    scope.lanes = b.lanes();
    const auto value = lower_lanes(b.c.right, scope);
    b.possible = b.possible && value.has_value();
    if (!value) return {};
    const Operand to = panel + flat_index(b, b.c.depth, scope) * v_int(b.panel_columns()) + v_int(j * b.lanes());
    body.push_back(s_store(packed, to, v_cast(*value, b.c.accumulator)));
  }
  return loops_over(b, b.c.depth, std::move(body));
}

/// Panels element by element, the columns past `count` filled with 0.
Block pack_elements(ContractionBuilder& b, int packed, const Operand& column, const Operand& panel, const Operand& count) {
  const std::string at = b.fresh("lane");
  ValueScope scope = b.scope;
  for (const LoopVar& v : b.c.depth) scope.vars[v.name] = v_var(v.name);
  bind_collapsed(b.c.columns, column + v_var(at), scope);
  const Operand to = panel + flat_index(b, b.c.depth, scope) * v_int(b.panel_columns()) + v_var(at);
  Block copy{s_store(packed, to, v_cast(b.scalar(b.c.right, scope), b.c.accumulator))};
  Block clear{s_store(packed, to, v_const(0, {b.c.accumulator, 1, 0}))};
  return {s_for(at, v_int(0), count, 1, loops_over(b, b.c.depth, std::move(copy))),
          s_for(at, count, v_int(b.panel_columns()), 1, loops_over(b, b.c.depth, std::move(clear)))};
}

bool unit_columns(ContractionBuilder& b) {
  if (b.lanes() == 1) return false;
  bool unit = true;
  ValueScope scope = b.scope;
  for (const LoopVar& v : b.c.depth) scope.vars[v.name] = v_var(v.name);
  for (const LoopVar& v : b.c.columns) scope.vars[v.name] = v_var(v.name);
  walk(b.c.right, [&](const Expr& e) {
    if (const auto* r = std::get_if<Read>(&e->node)) {
      const auto form = offset_form(r->tensor, r->index, b.c.columns, scope);
      const auto step = form ? constant_value(form->coefficient(b.c.columns.back().name)) : std::nullopt;
      unit = unit && step && (*step == 0 || *step == 1);
    }
    return true;
  });
  return unit;
}

std::string sum_name(ContractionBuilder& b, int row, int vector) { return b.local(fmt::format("c{}_{}", row, vector)); }

/// Offset of each row of the tile in the left side's buffer, as lets.
std::vector<Operand> row_bases(ContractionBuilder& b, const LeftAccess& left, const TilePlace& place, int height, Block& out) {
  std::vector<Operand> bases;
  for (int r = 0; r < height; ++r) {
    ValueScope scope = b.scope;
    const Operand row = place.first_row + v_int(r);
    bind_flat(b, b.c.rows, place.row_end ? smaller(row, place.row_end - v_int(1)) : row, scope, out);
    Operand base = left.base;
    for (const auto& [name, by] : left.row_coefficients) base = base + scope.vars.at(name) * by;
    const std::string name = b.local(fmt::format("a{}", r));
    out.push_back(s_let(name, base));
    bases.push_back(v_var(name));
  }
  return bases;
}

}  // namespace

Block pack_right(ContractionBuilder& b, int packed, const Operand& first, const Operand& count) {
  const std::string p = b.fresh("panel"), column = b.fresh("column"), width = b.fresh("width");
  const int64_t columns = b.panel_columns();
  const Operand start = v_var(p) * b.extent_of(b.c.depth) * v_int(columns);
  Block body{s_let(column, first + v_var(p) * v_int(columns)), s_let(width, smaller(count - v_var(p) * v_int(columns), v_int(columns)))};
  Block slow = pack_elements(b, packed, v_var(column), start, v_var(width));
  if (unit_columns(b))
    body.push_back(s_if(v_apply(ScalarOp::Eq, {v_var(width), v_int(columns)}), pack_vectors(b, packed, v_var(column), start), std::move(slow)));
  else
    for (Stmt& s : slow) body.push_back(std::move(s));
  return {s_for(p, v_int(0), ceil_div(count, columns), 1, std::move(body))};
}

Block register_tile(ContractionBuilder& b, const LeftAccess& left, const TilePlace& place, int height, int vectors) {
  Block out;
  const DType acc = b.c.accumulator;
  const OperandType vector = vector_type(acc, b.lanes());
  const std::vector<Operand> bases = row_bases(b, left, place, height, out);
  for (int r = 0; r < height; ++r)
    for (int j = 0; j < vectors; ++j) out.push_back(s_var(sum_name(b, r, j), v_const(0, vector)));
  const std::string d = b.local("d"), step_name = b.local("step");
  Block step;
  Operand offset = left.depth_step ? v_var(d) * left.depth_step : nullptr;
  if (!offset) {
    step.push_back(s_let(step_name, v_load(left.depth_table, DType::I64, v_var(d))));
    offset = v_var(step_name);
  }
  const Operand panel = place.panel + v_var(d) * v_int(b.panel_columns());
  for (int j = 0; j < vectors; ++j) step.push_back(s_let(b.local(fmt::format("b{}", j)), v_load(place.packed, acc, panel + v_int(j * b.lanes()), b.lanes())));
  for (int r = 0; r < height; ++r) {
    const std::string x = b.local(fmt::format("x{}", r));
    step.push_back(s_let(x, v_splat(v_load(left.buffer, acc, bases[static_cast<size_t>(r)] + offset), b.lanes())));
    for (int j = 0; j < vectors; ++j)
      step.push_back(s_assign(sum_name(b, r, j), multiply_add(acc, v_var(x, vector), v_var(b.local(fmt::format("b{}", j)), vector), v_var(sum_name(b, r, j), vector))));
  }
  out.push_back(s_for(d, v_int(0), place.depth, 1, std::move(step)));
  for (int r = 0; r < height; ++r)
    for (int j = 0; j < vectors; ++j) out.push_back(s_store(place.tile, v_int(r * b.panel_columns() + j * b.lanes()), v_var(sum_name(b, r, j), vector)));
  return out;
}

}  // namespace tenon
