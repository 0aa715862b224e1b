// The last part of a Winograd convolution: sums of points become pixels, are transposed so that they are side by side,
// and go through the rest of the statement's expression.
#include "algebra/simplify.h"
#include "lower/contraction/winograd_strip.h"

namespace tenon {
namespace {

/// Writes the transform of one block of filters.
class ResultTransform {
 public:
  explicit ResultTransform(WinogradNest& n) : n_(n), b_(n.b), s_(n.strip) {
    const int64_t lanes = s_.lanes;
    half_ = buffer("result_half", s_.outputs * n.parts.tiles_x * s_.points * lanes);
    pixels_ = buffer("pixels", s_.result_pitch * lanes);
    lines_ = lanes > 1 ? buffer("result_lines", s_.result_pitch * lanes) : pixels_;
  }

  Block run() {
    const std::string block = b_.fresh("filter_block"), row = b_.fresh("row_of_tiles"), y = b_.fresh("row_of_tile"),
                      rows = b_.fresh("rows_of_tile");
    filter_ = v_var(block) * v_int(s_.lanes);
    const Operand first = (n_.first_row + v_var(row)) * v_int(s_.outputs);
    Block body{sum_columns(v_var(row)), s_count(rows, smaller(v_int(s_.outputs), v_int(n_.parts.height) - first)),
               s_for(y, v_int(0), v_var(rows), 1, finish_row(v_var(y), first + v_var(y)))};
    Block loop{with_kind(n_.blocks, s_for(row, v_int(0), v_int(s_.tile_rows), 1, std::move(body)))};
    return {with_kind(n_.blocks,
                      s_for(block, v_int(0), v_int((n_.parts.filters + s_.lanes - 1) / s_.lanes), 1, std::move(loop)))};
  }

 private:
  int buffer(const std::string& name, int64_t elements) {
    return b_.add_buffer(name, DType::F32, Storage::Workspace, v_int(elements));
  }

  /// Points of a row of tiles down the columns: [output row][tile][point].
  Stmt sum_columns(const Operand& row) {
    const std::string j = b_.fresh("point");
    const int64_t lanes = s_.lanes;
    const Operand from = v_var(j) * v_int(s_.product_plane) + row * v_int(n_.parts.tiles_x * s_.filter_pitch) + filter_;
    return s_for(j, v_int(0), v_int(s_.points), 1,
                 {apply_matrix(n_, false, {{n_.parts.product->target, from}, {half_, v_var(j) * v_int(lanes)}},
                               {v_int(s_.points * s_.product_plane), v_int(s_.filter_pitch),
                                v_int(n_.parts.tiles_x * s_.points * lanes), v_int(s_.points * lanes),
                                v_int(n_.parts.tiles_x)})});
  }

  /// Row `y` of a row of tiles, which is `picture_row` of the output.
  Block finish_row(const Operand& y, const Operand& picture_row) {
    const int64_t lanes = s_.lanes;
    const std::string x = b_.fresh("transposed"), lane = b_.fresh("filter");
    Block out{apply_matrix(
        n_, false, {{half_, y * v_int(n_.parts.tiles_x * s_.points * lanes)}, {pixels_, v_int(0)}},
        {v_int(lanes), v_int(s_.points * lanes), v_int(lanes), v_int(s_.outputs * lanes), v_int(n_.parts.tiles_x)})};
    if (lanes > 1) {
      const SquarePlace from{{pixels_, v_var(x) * v_int(lanes)}, v_int(lanes)},
          to{{lines_, v_var(x)}, v_int(s_.result_pitch)};
      out.push_back(s_for(x, v_int(0), v_int(s_.result_pitch), lanes, {transpose_square(b_, from, to)}));
    }
    ValueScope scope = n_.outer;
    scope.vars[n_.parts.y] = picture_row;
    scope.vars[n_.parts.filter] = filter_ + v_var(lane);
    const Operand here =
        n_.parts.filters % lanes == 0 ? v_int(lanes) : smaller(v_int(lanes), v_int(n_.parts.filters) - filter_);
    out.push_back(s_for(lane, v_int(0), here, 1, store_line(scope, v_var(lane) * v_int(s_.result_pitch))));
    return out;
  }

  /// A row of one filter: whole vectors, then the remainder as a part of one or by elements.
  Block store_line(const ValueScope& row, const Operand& from) {
    const int64_t whole = n_.parts.width / s_.lanes * s_.lanes, rest = n_.parts.width - whole;
    const std::string& x = n_.parts.x;
    Block out;
    if (whole > 0) out.push_back(s_for(x, v_int(0), v_int(whole), s_.lanes, store(row, from, s_.lanes, nullptr)));
    if (rest == 0) return out;
    if (b_.isa.masked_memory) {
      out.push_back(s_for(x, v_int(whole), v_int(whole + 1), 1, store(row, from, s_.lanes, v_int(rest))));
      return out;
    }
    out.push_back(s_for(x, v_int(whole), v_int(n_.parts.width), 1, store(row, from, 1, nullptr)));
    return out;
  }

  /// The statement's value for pixels from x on.
  Block store(ValueScope scope, const Operand& from, int lanes, const Operand& active) {
    const KernelStatement& s = *n_.parts.result;
    const Operand x = v_var(n_.parts.x);
    scope.vars[n_.parts.x] = x;
    std::vector<LoopVar> over;
    if (lanes > 1) {
      scope.vector_var = n_.parts.x, scope.lanes = lanes, scope.active = active;
      over.push_back({n_.parts.x, nullptr});
    }
    const std::string sum = b_.local("sum");
    const OperandType type{DType::F32, lanes, 0};
    Block out{s_let(sum, v_load(lines_, DType::F32, from + x, lanes))};
    const Expr shared = SharedExprs().share(s.value);
    walk(shared, [&](const Expr& e) {
      if (!std::holds_alternative<Reduce>(e->node)) return true;
      scope.given[e.get()] = v_var(sum, type);
      return false;
    });
    const auto value = named_lanes(b_, shared, scope, out);
    const auto form = offset_form(s.target, s.index, over, scope);
    const bool unit = form && (over.empty() || constant_value(form->coefficient(n_.parts.x)) == 1);
    b_.possible = b_.possible && value && unit;
    if (!b_.possible) return {};
    out.push_back(s_store(s.target, over.empty() ? form->rest : form->rest + x, *value, active));
    return out;
  }

  WinogradNest& n_;
  ContractionBuilder& b_;
  const WinogradStrip& s_;
  Operand filter_;  ///< first of the block
  int half_ = -1, pixels_ = -1, lines_ = -1;
};

}  // namespace

Block transform_result(WinogradNest& n) { return ResultTransform(n).run(); }

}  // namespace tenon
