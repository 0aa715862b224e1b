// Transposition: tiles in registers row by row are stored column by column, for outputs whose unit stride is along the
// rows; and operands whose unit stride is across the direction of reading are copied by squares of vectors.
#include <fmt/format.h>

#include <algorithm>

#include "lower/contraction/contraction_builder.h"
#include "lower/generate/generate.h"

namespace tenon {
namespace {

OperandType vector_of(const ContractionBuilder& b) { return {b.c.accumulator, b.lanes(), 0}; }

/// The first half of the vectors interleaved with the second.
std::vector<Operand> interleaved(const ContractionBuilder& b, const std::vector<Operand>& v, const std::string& name,
                                 Block& out) {
  const int lanes = b.lanes();
  std::vector<int> low, high;
  for (int l = 0; l < lanes; ++l) {
    low.push_back(l / 2 + l % 2 * lanes);
    high.push_back(lanes / 2 + l / 2 + l % 2 * lanes);
  }
  std::vector<Operand> next;
  const size_t half = v.size() / 2;
  for (size_t i = 0; i < half; ++i)
    for (const auto* pick : {&low, &high}) {
      const std::string n = name + fmt::format("{}", next.size());
      out.push_back(s_let(n, v_shuffle(v[i], v[i + half], *pick)));
      next.push_back(v_var(n, vector_of(b)));
    }
  return next;
}

/// The function of transpose_tile. Buffers: the rows, the tile.
InnerFunction transpose_function(const ContractionBuilder& b, int height, int vectors) {
  InnerFunction f;
  f.name = fmt::format("transpose_{}x{}_{}_by{}", height, vectors, name_of(b.c.accumulator), b.transposed_rows);
  if (vectors < b.blueprint.tile_vectors) f.name += fmt::format("_of{}", b.blueprint.tile_vectors);
  f.comment = fmt::format("{} rows of {} are stored transposed, {} rows at a time.", height,
                          vectors == 1 ? "one vector" : fmt::format("{} vectors", vectors), b.transposed_rows);
  f.common = true;
  f.buffers.push_back({"rows", b.c.accumulator, Storage::Workspace, -1, nullptr, false});
  f.buffers.push_back({"tile", b.c.accumulator, Storage::Workspace, -1, nullptr, true});
  for (int first = 0; first < height; first += b.transposed_rows)
    for (int j = 0; j < vectors; ++j) {
      std::vector<Operand> rows;
      for (int r = first; r < std::min(first + b.transposed_rows, height); ++r) {
        const std::string name = fmt::format("x{}_{}", r, j);
        f.body.push_back(
            s_let(name, v_load(0, b.c.accumulator, v_int(r * b.panel_columns() + j * b.lanes()), b.lanes())));
        rows.push_back(v_var(name, vector_of(b)));
      }
      const std::vector<Operand> columns =
          transposed_columns(b, std::move(rows), fmt::format("t{}_{}_", first, j), f.body);
      for (size_t i = 0; i < columns.size(); ++i)
        f.body.push_back(s_store(1, v_int(transposed_place(b, first, j, static_cast<int>(i))), columns[i]));
    }
  return f;
}

/// A row of a square whose elements are of type `from`, or words of `numbers` of these.
Operand row_of_square(const ContractionBuilder& b, DType from, int numbers, const Operand& at) {
  const Operand row = v_load(0, from, at, b.lanes() * numbers);
  if (numbers == 1) return v_cast(row, b.c.accumulator);
  const Operand halves = numbers == 2 ? v_cast(row, DType::I16) : row;
  return v_apply_as(ScalarOp::Bits, {halves}, vector_of(b));
}

/// The function of transpose_square. Buffers: both squares; parameters: their steps.
InnerFunction square_function(const ContractionBuilder& b, DType from, int numbers) {
  InnerFunction f;
  f.name = fmt::format("transpose_square_{}", name_of(b.c.accumulator));
  f.comment = fmt::format("The columns of a square of {0} x {0} elements are stored as rows.", b.lanes());
  if (from != b.c.accumulator) f.name += fmt::format("_of_{}", name_of(from));
  if (numbers > 1) {
    f.name += fmt::format("x{}", numbers);
    f.comment = fmt::format("The columns of a square of {0} x {0} words of {1} numbers are stored as rows.", b.lanes(),
                            numbers);
  }
  f.common = true;
  f.buffers.push_back({"from", from, Storage::Workspace, -1, nullptr, false});
  f.buffers.push_back({"to", b.c.accumulator, Storage::Workspace, -1, nullptr, true});
  f.params = {"from_step", "to_step"};
  const auto named = [&](const Operand& v) {
    const std::string name = fmt::format("t{}", f.body.size());
    f.body.push_back(s_let(name, v));
    return v_var(name, v->type);
  };
  std::vector<Operand> rows;
  for (int r = 0; r < b.lanes(); ++r)
    rows.push_back(named(row_of_square(b, from, numbers, v_int(r) * v_var("from_step"))));
  rows = transpose_vectors(std::move(rows), named);
  for (int r = 0; r < b.lanes(); ++r)
    f.body.push_back(s_store(1, v_int(r) * v_var("to_step"), rows[static_cast<size_t>(r)]));
  return f;
}

}  // namespace

std::vector<Operand> transposed_columns(const ContractionBuilder& b, std::vector<Operand> rows, const std::string& name,
                                        Block& out) {
  if (b.lanes() == 1) return rows;
  // Interleaving turns the index of an element (row, column) by one bit, so log2(rows) times makes it (column, row).
  while (static_cast<int>(rows.size()) < b.transposed_rows) rows.push_back(v_const(0, vector_of(b)));
  for (int round = 1; 1 << round <= b.transposed_rows; ++round)
    rows = interleaved(b, rows, name + fmt::format("{}_", round), out);
  return rows;
}

int64_t transposed_place(const ContractionBuilder& b, int row, int j, int i) {
  return int64_t{row} * b.panel_columns() + (int64_t{j} * b.transposed_rows + i) * b.lanes();
}

Stmt transpose_square(ContractionBuilder& b, const SquarePlace& from, const SquarePlace& to, int numbers) {
  SCall call;
  const DType type = b.buffers[static_cast<size_t>(from.first.buffer)].dtype;
  call.function = function_number(b, square_function(b, type, numbers));
  call.buffers = {from.first, to.first};
  call.args = {from.step, to.step};
  return {std::move(call)};
}

Stmt transpose_tile(ContractionBuilder& b, int rows, int tile, int height, int vectors) {
  SCall call;
  call.function = function_number(b, transpose_function(b, height, vectors));
  call.buffers = {{rows, v_int(0)}, {tile, v_int(0)}};
  return {std::move(call)};
}

}  // namespace tenon
