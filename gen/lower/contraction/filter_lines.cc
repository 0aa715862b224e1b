// Convolutions of few channels: register tiles of filters times vectors of pixels along a line. Their sums are short,
// and turning a tile of pixels times vectors of filters would take longer than its sums.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "lower/contraction/contraction_staging.h"
#include "lower/nest/even_lanes.h"

namespace tenon {
namespace {

/// The function of one tile: `filters` of one panel times the vectors of the blueprint.
class LineTile {
 public:
  LineTile(const ContractionBuilder& b, const LeftAccess& pixels, int filters, int64_t stride)
      : b_(b),
        pixels_(pixels),
        filters_(filters),
        stride_(stride),
        even_(even_lanes(b.isa, b.c.accumulator, b.lanes() - 1)) {}

  InnerFunction build() {
    add("a", b_.c.accumulator, false);
    const int weights = add("w", b_.c.accumulator, false), tile = add("tile", b_.c.accumulator, true);
    if (!pixels_.depth_step) table_ = add("offset", pixels_.table_type, false);
    f_.name =
        fmt::format("filters_{}x{}_{}{}{}", filters_, vectors(), name_of(b_.c.accumulator), stride_ == 2 ? "_by2" : "",
                    table_ < 0                         ? "_steps"
                    : pixels_.table_type == DType::I64 ? "_offsets"
                                                       : "_offsets32");
    f_.comment =
        fmt::format("{} filters times {} vectors of pixels along a line, summed over the depth.", filters_, vectors());
    f_.common = true;
    f_.params = {"depth", "weight_step"};
    if (table_ < 0) f_.params.push_back("pixel_step");
    each([&](int f, int j) { f_.body.push_back(s_var(sum_name(f, j), v_const(0, type()))); });
    f_.body.push_back(s_for("d", v_int(0), v_var("depth"), 1, step(weights)));
    each([&](int f, int j) {
      const Operand sum = v_var(sum_name(f, j), type());
      f_.body.push_back(s_store(tile, v_int(f * b_.panel_columns() + j * b_.lanes()), in_order(sum)));
    });
    return std::move(f_);
  }

 private:
  int vectors() const { return b_.blueprint.tile_vectors; }
  OperandType type() const { return {b_.c.accumulator, b_.lanes(), 0}; }
  static std::string sum_name(int filter, int vector) { return fmt::format("c{}_{}", filter, vector); }
  int add(std::string name, DType d, bool writable) {
    f_.buffers.push_back({std::move(name), d, Storage::Workspace, -1, nullptr, writable});
    return static_cast<int>(f_.buffers.size()) - 1;
  }
  template <class F>
  void each(F f) const {
    for (int r = 0; r < filters_; ++r)
      for (int j = 0; j < vectors(); ++j) f(r, j);
  }

  /// Vector `j` of pixels, every one or every second. No element after the last pixel is read.
  Operand pixels(int j, const Operand& at) const {
    const int lanes = b_.lanes();
    const Operand first = at + v_int(stride_ * j * lanes), low = v_load(0, b_.c.accumulator, first, lanes);
    if (stride_ == 1) return low;
    return v_shuffle(low, v_load(0, b_.c.accumulator, first + v_int(lanes - 1), lanes), even_.pick);
  }

  Operand in_order(const Operand& sum) const {
    return stride_ == 1 || even_.order.empty() ? sum : v_shuffle(sum, sum, even_.order);
  }

  Block step(int weights) const {
    Block out;
    Operand at = v_var("d") * (table_ < 0 ? v_var("pixel_step") : v_int(1));
    if (table_ >= 0) {
      out.push_back(s_let("step", v_cast(v_load(table_, pixels_.table_type, at), DType::I64)));
      at = v_var("step");
    }
    for (int j = 0; j < vectors(); ++j) out.push_back(s_let(fmt::format("x{}", j), pixels(j, at)));
    for (int f = 0; f < filters_; ++f) {
      const std::string w = fmt::format("w{}", f);
      const Operand number = v_load(weights, b_.c.accumulator, v_var("d") * v_var("weight_step") + v_int(f));
      out.push_back(s_let(w, v_splat(number, b_.lanes())));
      for (int j = 0; j < vectors(); ++j)
        out.push_back(
            s_assign(sum_name(f, j), v_apply(ScalarOp::Fma, {v_var(w, type()), v_var(fmt::format("x{}", j), type()),
                                                             v_var(sum_name(f, j), type())})));
    }
    return out;
  }

  const ContractionBuilder& b_;
  const LeftAccess& pixels_;
  int filters_;
  int64_t stride_;
  EvenLanes even_;
  InnerFunction f_;
  int table_ = -1;
};

/// The loops over lines, filters and pixels. The builder's rows are the variables of a line, its columns the pixels.
class FilterLines {
 public:
  FilterLines(ContractionBuilder& b, const RightAccess& panels, const LoopVar& filter, int64_t filters)
      : b_(b),
        panels_(panels),
        filter_(filter),
        filters_(filters),
        pixels_(*constant_value(b.extent_of(b.c.columns))),
        depth_(*constant_value(b.extent_of(b.c.depth))) {}

  Block build() {
    Block before, staging;
    const auto lines = constant_value(b_.extent_of(b_.c.rows));
    const bool bands = copies() && b_.c.rows.size() == 1 && lines;
    if (bands) {
      b_.band_first = v_var(b_.local("first_line"));
      b_.band_rows = static_cast<int>(even_height(*lines, lines_a_band()));
    }
    left_ = access_pixels(b_, before, staging);
    const auto stride = b_.possible ? constant_value(left_.row_coefficients.at(b_.c.columns[0].name)) : std::nullopt;
    b_.possible = b_.possible && (stride == 1 || stride == 2);
    if (!b_.possible) return {};
    stride_ = *stride;
    tile_ = b_.add_buffer("tile", b_.c.accumulator, Storage::Stack, v_int(b_.blueprint.tile_rows * b_.panel_columns()));
    const std::vector<LoopVar> lines_of_plane = b_.c.rows;
    for (const LoopVar& v : lines_of_plane) b_.scope.vars[v.name] = v_var(v.name);
    b_.c.rows = {filter_};
    Block plane = bands ? band(lines_of_plane[0], *lines, std::move(staging))
                        : concat(std::move(staging),
                                 loops_over(b_, lines_of_plane, all_filters([](Block tiles) { return tiles; }),
                                            LoopKind::Parallel));
    append(before,
           loops_over(b_, b_.c.outer_right, loops_over(b_, b_.c.outer_left, std::move(plane), LoopKind::Parallel),
                      LoopKind::Parallel));
    return before;
  }

 private:
  using AroundTiles = std::function<Block(Block)>;  ///< the loop over lines that a copy serves

  bool copies() const { return plain_read(b_.c.left)->fill != nullptr; }

  /// Lines of the result that are computed from one copy: what they read stays in the first-level cache.
  int64_t lines_a_band() {
    constexpr int64_t kBytes = 1 << 14, kFewest = 2, kMost = 8;
    const Read& read = *plain_read(b_.c.left);
    // up to two lines of the image, of twice as many pixels, for each channel and line of the result
    int64_t line = 4 * pixels_ * bytes_of(b_.c.accumulator);
    for (const LoopVar& v : b_.c.depth)
      if (walks_one_dimension(read, v.name)) line *= *constant_value(b_.extent(v));
    return std::clamp(kBytes / std::max<int64_t>(line, 1), kFewest, kMost);
  }

  /// A copy of what some lines read, then these lines.
  Block band(const LoopVar& line, int64_t lines, Block staging) {
    const Operand first = v_var(b_.local("first_line"));
    const Operand end =
        lines % b_.band_rows == 0 ? first + v_int(b_.band_rows) : smaller(first + v_int(b_.band_rows), v_int(lines));
    append(staging, all_filters([&](Block tiles) { return Block{s_for(line.name, first, end, 1, std::move(tiles))}; }));
    return {with_kind(LoopKind::Parallel,
                      s_for(b_.local("first_line"), v_int(0), v_int(lines), b_.band_rows, std::move(staging)))};
  }

  /// Whole panels of filters, then the last one, each by tiles of about the same height.
  Block all_filters(const AroundTiles& around) {
    const int64_t whole = filters_ / panels_.panel, rest = filters_ % panels_.panel;
    const std::string first = b_.local("first_filter");
    Block out;
    if (whole > 1) {
      out.push_back(s_for(first, v_int(0), v_int(whole * panels_.panel), panels_.panel,
                          panel(v_var(first), panels_.panel, around)));
    } else if (whole == 1) {
      append(out, panel(v_int(0), panels_.panel, around));
    }
    if (rest > 0) append(out, panel(v_int(whole * panels_.panel), rest, around));
    return out;
  }

  Block panel(const Operand& first, int64_t filters, const AroundTiles& around) {
    const int64_t tall = b_.blueprint.tile_rows, tiles = (filters + tall - 1) / tall;
    Block out;
    for (int64_t t = 0, at = 0; t < tiles; ++t) {
      const int64_t height = filters / tiles + (t < filters % tiles ? 1 : 0);
      append(out, around(pixels(first, at, static_cast<int>(height))));
      at += height;
    }
    return out;
  }

  /// All pixels of a line; the last tile begins early enough to be whole.
  Block pixels(const Operand& panel, int64_t in_panel, int height) {
    const std::string q = b_.local("line_column"), first = b_.local("first_column");
    const int64_t wide = b_.panel_columns();
    const bool even = pixels_ % wide == 0;
    const Operand column = even ? v_var(q) : v_var(first);
    Block body;
    if (!even) body.push_back(s_let(first, smaller(v_var(q), v_int(pixels_ - wide))));
    Operand at = left_.base;
    b_.scope.vars[b_.c.columns[0].name] = column;
    for (const auto& [name, by] : left_.row_coefficients) at = at + b_.scope.vars.at(name) * by;
    SCall call;
    call.function = function_number(b_, LineTile(b_, left_, height, stride_).build());
    const Operand weights = panels_.base + panel * v_int(depth_) + v_int(in_panel);
    call.buffers = {{left_.buffer, at}, {panels_.buffer, weights}, {tile_, v_int(0)}};
    if (!left_.depth_step) call.buffers.push_back({left_.depth_table, v_int(0)});
    call.args = {v_int(depth_), panels_.depth_step};
    if (left_.depth_step) call.args.push_back(left_.depth_step);
    body.push_back({std::move(call)});
    append(body, epilogue(b_, {panel + v_int(in_panel), v_int(height), column, v_int(wide), tile_}));
    return {s_for(q, v_int(0), v_int(pixels_), wide, std::move(body))};
  }

  ContractionBuilder& b_;
  const RightAccess& panels_;
  LoopVar filter_;
  int64_t filters_, pixels_, depth_, stride_ = 1;
  LeftAccess left_;
  int tile_ = -1;
};

}  // namespace

Block filter_lines_body(ContractionBuilder& b) {
  const Read* read = plain_read(b.c.left);
  b.possible = false;
  if (!b.c.transposed || !read || !b.c.paired.empty() || b.lanes() < 2 || !is_float(b.c.accumulator) ||
      b.kernel.tensor(read->tensor).dtype != b.c.accumulator || b.c.rows.size() < 2 || b.c.columns.size() != 1)
    return {};
  if (channel_variable(b.kernel, b.c)) return {};
  const RightAccess panels = access_right(b);
  const LoopVar filter = b.c.columns[0];
  const auto filters = constant_value(b.extent_of(b.c.columns)), depth = constant_value(b.extent_of(b.c.depth)),
             pixels = constant_value(b.extent(b.c.rows.back())), all = constant_value(b.extent_of(b.c.rows));
  const int64_t wide = b.panel_columns();
  // longer sums take less time by tiles of pixels, which pick no pixels from two vectors at each step
  constexpr int64_t kLongest = 56;
  if (panels.panel == 0 || depth.value_or(kLongest + 1) > kLongest || b.right_type != b.c.accumulator || !filters ||
      *filters < 1 || !pixels || !all || *all < 1 || *pixels < wide || (in_place(b) && *pixels % wide != 0))
    return {};
  b.c.columns = {b.c.rows.back()};
  b.c.rows.pop_back();
  b.c.transposed = false;
  b.pixels_along_columns = true;
  b.possible = true;
  return FilterLines(b, panels, filter, *filters).build();
}

}  // namespace tenon
