// Few rows or columns of two sides that are dense along the depth: tiles of sums along it, both sides read in place.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lower/contraction/contraction_nest.h"
#include "lower/contraction/lower_contraction.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int kSumRows = 4, kLowSumRows = 2;  ///< of a tile, and of one for the rows left over
constexpr int kMostSumColumns = 6;
constexpr char kSumTiles[] = "sums_";
/// Of a product: more rows make up for a copy of the right side, and shorter sums take as long to fold as to add up.
constexpr int kFewSumRows = 20, kLeastSumDepth = 128;
constexpr int64_t kSumBlock = 4096;

/// Columns of a tile: its sums have registers, next to a vector of each column and one of a row.
int sum_columns(const ContractionBuilder& b) {
  const int others = b.isa.fma ? 1 : 2;
  return std::clamp((b.isa.vector_registers - others) / (kSumRows + 1), 1, kMostSumColumns);
}

/// Columns of a group of tiles: whole vectors of results.
int grouped_columns(const ContractionBuilder& b) {
  const int least = std::lcm(sum_columns(b), b.lanes());
  return (b.panel_columns() + least - 1) / least * least;
}

/// Writes the function of a tile: a vector of each column, then each row's against all of them. Rows and columns that
/// are not there are the last ones again.
class SumTileFunction {
 public:
  SumTileFunction(const ContractionBuilder& b, int height)
      : type_(b.c.accumulator),
        lanes_(b.lanes()),
        height_(height),
        columns_(sum_columns(b)),
        pitch_(grouped_columns(b)) {}

  InnerFunction build() {
    for (const char* side : {"a", "b"}) f_.buffers.push_back({side, type_, Storage::Workspace, -1, nullptr, false});
    f_.buffers.push_back({"tile", type_, Storage::Workspace, -1, nullptr, true});
    f_.name = fmt::format("{}{}x{}of{}_{}", kSumTiles, height_, columns_, pitch_, name_of(type_));
    f_.comment = fmt::format("{} rows of the left side times {} columns of the right, both dense along the depth.",
                             height_, columns_);
    f_.common = true;
    f_.params = {"depth", "row_step", "last_row", "column_step", "last_column"};
    find("row", height_);
    find("column", columns_);
    // The sums of a block of the depth are added to those before it: one after the other, they would lose too much.
    const Operand begin = v_var("begin"), depth = v_var("depth"), end = v_var("end");
    Block block{s_let("end", smaller(begin + v_int(kSumBlock), depth)),
                s_let("whole", begin + v_apply(ScalarOp::BitAnd, {end - begin, v_int(-lanes_)}))};
    each([&](int r, int j) { block.push_back(s_var(sum_name(r, j), v_const(0, vector()))); });
    block.push_back(s_for("d", begin, v_var("whole"), lanes_, step(v_var("d"), nullptr)));
    Block rest{s_let("active", end - v_var("whole"))};
    append(rest, step(v_var("whole"), v_var("active")));
    block.push_back(s_if(v_apply(ScalarOp::Gt, {end, v_var("whole")}), std::move(rest)));
    Block first, later;
    each([&](int r, int j) {
      const Operand at = v_int(r * pitch_ + j);
      first.push_back(s_store(2, at, v_fold(Reducer::Sum, sum(r, j))));
      later.push_back(s_store(2, at, v_apply(ScalarOp::Add, {v_load(2, type_, at), v_fold(Reducer::Sum, sum(r, j))})));
    });
    block.push_back(s_if(v_apply(ScalarOp::Eq, {begin, v_int(0)}), std::move(first), std::move(later)));
    f_.body.push_back(s_for("begin", v_int(0), larger(depth, v_int(1)), kSumBlock, std::move(block)));
    return std::move(f_);
  }

 private:
  OperandType vector() const { return {type_, lanes_, 0}; }
  static std::string sum_name(int r, int j) { return fmt::format("c{}_{}", r, j); }
  Operand sum(int r, int j) const { return v_var(sum_name(r, j), vector()); }

  template <class F>
  void each(F f) const {
    for (int r = 0; r < height_; ++r)
      for (int j = 0; j < columns_; ++j) f(r, j);
  }

  /// Where rows, or columns, after the first begin.
  void find(const std::string& what, int count) {
    for (int i = 1; i < count; ++i)
      f_.body.push_back(
          s_let(fmt::format("{}{}", what, i), smaller(v_int(i), v_var("last_" + what)) * v_var(what + "_step")));
  }

  Operand load(int side, int i, const Operand& depth, const Operand& active) const {
    const char* what = side == 0 ? "row" : "column";
    return v_load(side, type_, i == 0 ? depth : v_var(fmt::format("{}{}", what, i)) + depth, lanes_, active);
  }

  /// A vector of depth indices, or as many as are left.
  Block step(const Operand& depth, const Operand& active) const {
    Block out;
    for (int j = 0; j < columns_; ++j) out.push_back(s_let(fmt::format("y{}", j), load(1, j, depth, active)));
    for (int r = 0; r < height_; ++r) {
      const std::string x = fmt::format("x{}", r);
      out.push_back(s_let(x, load(0, r, depth, active)));
      for (int j = 0; j < columns_; ++j) {
        const Operand y = v_var(fmt::format("y{}", j), vector());
        out.push_back(s_assign(sum_name(r, j), v_apply(ScalarOp::Fma, {v_var(x, vector()), y, sum(r, j)})));
      }
    }
    return out;
  }

  DType type_;
  int lanes_, height_, columns_, pitch_;
  InnerFunction f_;
};

/// A tile of rows, and the columns of a group.
struct SumGroup {
  Operand row, height;
  Operand column, width;
  int tile;
};

/// Calls the function of a tile of so many rows for the columns of the group from `at` on.
Block sum_tile(ContractionNest& nest, const SumGroup& group, int height, const Operand& at) {
  ContractionBuilder& b = nest.b;
  SCall call;
  Block out;
  const Operand row = row_offset(b, nest.left, group.row, out),
                column = nest.right.base + (group.column + at) * nest.right.column_step;
  call.function = function_number(b, SumTileFunction(b, height).build());
  call.buffers = {{nest.left.buffer, row}, {nest.right.buffer, column}, {group.tile, at}};
  call.args = {nest.n.depth, even_row_step(b, nest.left), group.height - v_int(1), nest.right.column_step,
               group.width - v_int(1) - at};
  out.push_back({std::move(call)});
  return out;
}

Operand is_dense(const Operand& step) { return v_apply(ScalarOp::Eq, {step, v_int(1)}); }

}  // namespace

bool may_add_along_depth(ContractionNest& nest) {
  const ContractionBuilder& b = nest.b;
  const Contraction& c = b.c;
  if (b.lanes() < 2 || !is_float(c.accumulator) || !varies(nest) || nest.staged || !c.paired.empty() || c.transposed ||
      c.left_offset != 0 || b.most_depth || c.depth.size() != 1 || c.columns.size() != 1)
    return false;
  const Operand &left = nest.left.depth_step, &right = nest.right.depth_step;
  return left && right && nest.right.buffer >= 0 && nest.right.panel == 0 && even_row_step(b, nest.left) &&
         constant_value(left).value_or(1) == 1 && constant_value(right).value_or(1) == 1;
}

Operand adds_along_depth(ContractionNest& nest) {
  const auto at_most = [](const Operand& n, int64_t most) { return v_apply(ScalarOp::Le, {n, v_int(most)}); };
  const Operand few = v_apply(
      ScalarOp::And, {at_most(nest.n.rows, kFewSumRows), v_apply(ScalarOp::Ge, {nest.n.depth, v_int(kLeastSumDepth)})});
  Operand out = v_apply(
      ScalarOp::Or, {few, v_apply(ScalarOp::Or, {at_most(nest.n.rows, kSumRows), at_most(nest.n.columns, kSumRows)})});
  for (const Operand& step : {nest.left.depth_step, nest.right.depth_step})
    if (!constant_value(step)) out = v_apply(ScalarOp::And, {is_dense(step), out});
  return out;
}

Block tiles_along_depth(ContractionNest& nest) {
  ContractionBuilder& b = nest.b;
  const std::string g = b.local("sum_group"), t = b.local("row_tile"), row = b.local("row"), height = b.local("height"),
                    column = b.local("column_at"), width = b.local("tile_width"), at = b.local("tile_column");
  const int pitch = grouped_columns(b);
  const int tile = b.add_buffer("sum_tile", b.c.accumulator, Storage::Stack, v_int(int64_t{kSumRows} * pitch));
  const SumGroup group{v_var(row), v_var(height), v_var(column), v_var(width), tile};
  const Operand is_low = v_apply(ScalarOp::Le, {group.height, v_int(kLowSumRows)});
  Block call{s_if(is_low, sum_tile(nest, group, kLowSumRows, v_var(at)), sum_tile(nest, group, kSumRows, v_var(at)))};
  Block of_rows{s_let(row, v_var(t) * v_int(kSumRows)),
                s_count(height, smaller(v_int(kSumRows), nest.n.rows - v_var(row))),
                s_for(at, v_int(0), group.width, sum_columns(b), std::move(call))};
  append(of_rows, epilogue_of_any_width(b, {group.row, group.height, group.column, group.width, tile, pitch}));
  const auto parallel = [](const std::string& var, const Operand& count, Block body) {
    return with_kind(LoopKind::Parallel, s_for(var, v_int(0), count, 1, std::move(body)));
  };
  Block of_group{s_let(column, v_var(g) * v_int(pitch)),
                 s_count(width, smaller(v_int(pitch), nest.n.columns - v_var(column))),
                 parallel(t, ceil_div(nest.n.rows, kSumRows), std::move(of_rows))};
  return loops_over(b, b.c.outer_left, {parallel(g, ceil_div(nest.n.columns, pitch), std::move(of_group))},
                    LoopKind::Parallel);
}

bool adds_along_depth(const LoopNest& nest) {
  return any_of(nest.functions, [](const InnerFunction& f) { return f.name.starts_with(kSumTiles); });
}

}  // namespace tenon
