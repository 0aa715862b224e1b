// Stencils (depthwise convolutions): each filter sees its own pixels, so the vectors run along the pixels of a padded copy.
#include <fmt/format.h>

#include "lower/contraction_builder.h"

namespace tenon {
namespace {

/// The function of one strip: `height` rows of one vector. Buffers: one a row, the weights, the tile, the offsets of the taps.
class StripFunction {
 public:
  StripFunction(ContractionBuilder& b, int table, DType table_type, int64_t stride) : b_(b), table_type_(table_type), stride_(stride), has_table_(table >= 0) {}

  InnerFunction build() {
    const int height = b_.blueprint.tile_rows;
    for (int r = 0; r < height; ++r) add(fmt::format("a{}", r), b_.c.accumulator, false);
    const int weights = add("w", b_.c.accumulator, false), tile = add("tile", b_.c.accumulator, true);
    f_.name = fmt::format("strip_{}", height);
    f_.params = {"taps", "weight_step"};
    Block step;
    Operand at = v_var("d");
    if (has_table_) {
      step.push_back(s_let("step", v_cast(v_load(add("offset", table_type_, false), table_type_, v_var("d")), DType::I64)));
      at = v_var("step");
    } else {
      f_.params.push_back("tap_step");
      at = v_var("d") * v_var("tap_step");
    }
    step.push_back(s_let("x", v_splat(v_load(weights, b_.c.accumulator, v_var("d") * v_var("weight_step")), b_.lanes())));
    for (int r = 0; r < height; ++r) {
      const std::string sum = fmt::format("c{}", r);
      f_.body.push_back(s_var(sum, v_const(0, type())));
      step.push_back(s_assign(sum, multiply_add(v_var("x", type()), pixels(r, at), v_var(sum, type()))));
    }
    f_.body.push_back(s_for("d", v_int(0), v_var("taps"), 1, std::move(step)));
    for (int r = 0; r < height; ++r) f_.body.push_back(s_store(tile, v_int(r * b_.lanes()), v_var(fmt::format("c{}", r), type())));
    return std::move(f_);
  }

 private:
  OperandType type() const { return {b_.c.accumulator, b_.lanes(), 0}; }
  int add(std::string name, DType d, bool writable) {
    f_.buffers.push_back({std::move(name), d, Storage::Workspace, -1, nullptr, writable});
    return static_cast<int>(f_.buffers.size()) - 1;
  }
  Operand multiply_add(const Operand& x, const Operand& y, const Operand& sum) const {
    return is_float(b_.c.accumulator) ? v_apply(ScalarOp::Fma, {x, y, sum}) : sum + x * y;
  }
  /// A vector of pixels of row `r`: every one, or every second of two vectors.
  Operand pixels(int r, const Operand& at) const {
    const int lanes = b_.lanes();
    const Operand low = v_load(r, b_.c.accumulator, at, lanes);
    if (stride_ == 1 || lanes == 1) return low;
    std::vector<int> even;
    for (int l = 0; l < lanes; ++l) even.push_back(2 * l);
    return v_shuffle(low, v_load(r, b_.c.accumulator, at + v_int(lanes), lanes), even);
  }

  ContractionBuilder& b_;
  DType table_type_;
  int64_t stride_;
  bool has_table_;
  InnerFunction f_;
};

/// Offset and step of the weights over the taps; clears `possible` where they are no single line of the accumulator's type.
AffineForm weights_of(ContractionBuilder& b, const Read* read) {
  const auto form = offset_form(read->tensor, read->index, b.c.depth, b.scope);
  b.possible = b.possible && form && collapses(*form, b.c.depth, b.scope);
  return form ? *form : AffineForm{{}, v_int(0)};
}

}  // namespace

Block stencil_body(ContractionBuilder& b) {
  const Read* weights = plain_read(b.c.right);
  b.possible = weights && plain_read(b.c.left) && b.kernel.tensors[static_cast<size_t>(weights->tensor)].dtype == b.c.accumulator;
  if (!b.possible) return {};
  Block body, staging;
  const LeftAccess left = stage_pixels(b, body, staging);
  const AffineForm w = weights_of(b, weights);
  const auto stride = left.buffer < 0 ? std::nullopt : constant_value(left.row_coefficients.at(b.c.columns[0].name));
  b.possible = b.possible && stride && (*stride == 1 || *stride == 2);
  if (!b.possible) return {};
  const int tile = b.add_buffer("tile", b.c.accumulator, Storage::Stack, v_int(b.blueprint.tile_rows * b.lanes()));
  b.functions.push_back(StripFunction(b, left.depth_table, left.table_type, *stride).build());
  const std::string r = b.local("strip_row"), q = b.local("strip_column"), height = b.local("height"), width = b.local("strip_width");
  const Operand rows = b.extent_of(b.c.rows), columns = b.extent_of(b.c.columns);
  Block strip{s_let(width, smaller(v_int(b.lanes()), columns - v_var(q)))};
  SCall call;
  for (int i = 0; i < b.blueprint.tile_rows; ++i) {
    ValueScope scope = b.scope;
    bind_flat(b, b.c.rows, smaller(v_var(r) + v_int(i), rows - v_int(1)), scope, strip);
    scope.vars[b.c.columns[0].name] = v_var(q);
    Operand at = left.base;
    for (const auto& [name, by] : left.row_coefficients) at = at + scope.vars.at(name) * by;
    call.buffers.push_back({left.buffer, at});
  }
  call.buffers.push_back({weights->tensor, w.rest});
  call.buffers.push_back({tile, v_int(0)});
  if (left.depth_table >= 0) call.buffers.push_back({left.depth_table, v_int(0)});
  call.args = {b.extent_of(b.c.depth), b.c.depth.empty() ? v_int(0) : w.coefficient(b.c.depth.back().name)};
  if (left.depth_table < 0) call.args.push_back(left.depth_step);
  strip.push_back({std::move(call)});
  for (Stmt& s : epilogue(b, {v_var(r), v_var(height), v_var(q), v_var(width), tile})) strip.push_back(std::move(s));
  Block strips{s_let(height, smaller(v_int(b.blueprint.tile_rows), rows - v_var(r))), s_for(q, v_int(0), columns, b.lanes(), std::move(strip))};
  Block inner = std::move(staging);
  inner.push_back(s_for(r, v_int(0), rows, b.blueprint.tile_rows, std::move(strips), LoopKind::Parallel));
  for (Stmt& s : loops_over(b, b.c.outer_right, loops_over(b, b.c.outer_left, std::move(inner), LoopKind::Parallel), LoopKind::Parallel)) body.push_back(std::move(s));
  return body;
}

}  // namespace tenon
