// The first part of a Winograd convolution: rows of pixels, transposed so that channels are side by side, then
// transformed.
#include <fmt/format.h>

#include <algorithm>

#include "lower/contraction/winograd_strip.h"

namespace tenon {
namespace {

constexpr int64_t kPlaneGap = 16;  // elements: points of the same tile are not a multiple of 4096 bytes apart

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

/// Strips of at most so many rows of tiles in which one thread, which counts twice, and two have the least to do: the
/// rows that fill up the last strip are computed too, and each strip fetches all weights. `small`: V and W are less
/// than the weights, so that two threads that share the blocks of an only strip exchange little.
int64_t count_strips(const WinogradParts& w, int64_t most_rows, bool small) {
  constexpr int64_t kFetch = 5;  // of the weights, in tiles
  int64_t best = 0, least = 0;
  for (int64_t strips = (w.tiles_y + most_rows - 1) / most_rows; strips <= w.tiles_y; ++strips) {
    const int64_t of_strip = (w.tiles_y + strips - 1) / strips * w.tiles_x + kFetch,
                  shared = strips == 1 && small ? 1 : round_up(strips, 2), cost = (2 * strips + shared) * of_strip;
    if (best == 0 || cost < least) best = strips, least = cost;
  }
  return best;
}

/// Writes the transform of one block of channels.
class DataTransform {
 public:
  explicit DataTransform(WinogradNest& n) : n_(n), b_(n.b), s_(n.strip) {
    const int64_t lanes = s_.lanes;
    rows_ = buffer("rows", (s_.tile_rows * s_.step + s_.neighbours - s_.step) * s_.line_pitch * lanes);
    half_ = buffer("half", s_.points * s_.line_pitch * lanes);
    line_ = lanes > 1 ? buffer("line", lanes * s_.line_pitch) : rows_;
  }

  Block run() {
    const std::string block = b_.fresh("channel_block");
    channel_ = v_var(block) * v_int(s_.lanes);
    Block body;
    if (s_.lanes > 1) body.push_back(clear_vectors(b_, line_, v_int(0), s_.lanes * s_.line_pitch));
    append(body, load_rows());
    append(body, transform());
    return {with_kind(
        n_.blocks, s_for(block, v_int(0), v_int((n_.parts.channels + s_.lanes - 1) / s_.lanes), 1, std::move(body)))};
  }

 private:
  int buffer(const std::string& name, int64_t elements) {
    return b_.add_buffer(name, DType::F32, Storage::Workspace, v_int(elements));
  }
  int64_t extent(size_t dim) const {
    const Tensor& t = n_.kernel.tensor(n_.parts.source->tensor);
    return *constant_value(t.dims[dim]);
  }

  /// The rows that the tiles of the strip read; those outside of the image are zeros.
  Block load_rows() {
    const std::string row = b_.fresh("row_of_strip"), y = b_.fresh("row_of_picture");
    const int64_t count = s_.tile_rows * s_.step + s_.neighbours - s_.step;
    const Operand at = v_var(row) * v_int(s_.line_pitch * s_.lanes);
    const Operand inside = v_apply(ScalarOp::And, {v_apply(ScalarOp::Ge, {v_var(y), v_int(0)}),
                                                   v_apply(ScalarOp::Lt, {v_var(y), v_int(extent(n_.parts.y_dim))})});
    Block body{s_let(y, n_.first_row * v_int(s_.step) + v_var(row) + v_int(n_.parts.y_first))};
    body.push_back(s_if(inside, load_row(v_var(y), at), {clear_vectors(b_, rows_, at, s_.line_pitch * s_.lanes)}));
    return {with_kind(n_.blocks, s_for(row, v_int(0), v_int(count), 1, std::move(body)))};
  }

  /// One row of every channel of the block, then squares of it transposed.
  Block load_row(const Operand& y, const Operand& at) {
    const std::string lane = b_.fresh("channel"), x = b_.fresh("transposed");
    const Operand here = smaller(v_int(s_.lanes), v_int(n_.parts.channels) - channel_);
    const Operand to = s_.lanes > 1 ? v_var(lane) * v_int(s_.line_pitch) : at;
    Block out;
    if (s_.lanes == 1) out.push_back(clear_vectors(b_, rows_, at, s_.line_pitch));
    out.push_back(s_for(lane, v_int(0), n_.parts.channels % s_.lanes == 0 ? v_int(s_.lanes) : here, 1,
                        copy_line(y, channel_ + v_var(lane), to)));
    if (s_.lanes == 1) return out;
    const SquarePlace from{{line_, v_var(x)}, v_int(s_.line_pitch)};
    const SquarePlace square{{rows_, at + v_var(x) * v_int(s_.lanes)}, v_int(s_.lanes)};
    out.push_back(s_for(x, v_int(0), v_int(s_.line_pitch), s_.lanes, {transpose_square(b_, from, square)}));
    return out;
  }

  /// The pixels of a row that are in the image, to where they are in the row with its border.
  Block copy_line(const Operand& y, const Operand& channel, const Operand& to) {
    const int64_t first = std::max<int64_t>(0, n_.parts.x_first),
                  last = std::min(extent(n_.parts.x_dim), n_.parts.x_first + s_.line), lanes = s_.lanes;
    if (last <= first) return {};
    const int64_t count = last - first, whole = count / lanes * lanes;
    const Operand from = source(y, channel) + v_int(first), at = to + v_int(first - n_.parts.x_first);
    const std::string x = b_.fresh("x");
    const int buffer = n_.parts.source->tensor;
    const auto copy = [&](const Operand& i, int64_t width, const Operand& active) {
      return s_store(line_, at + i, v_load(buffer, DType::F32, from + i, static_cast<int>(width), active), active);
    };
    Block out;
    if (whole > 0) out.push_back(s_for(x, v_int(0), v_int(whole), lanes, {copy(v_var(x), lanes, nullptr)}));
    if (whole == count) return out;
    if (whole > 0) out.push_back(copy(v_int(count - lanes), lanes, nullptr));
    else if (b_.isa.masked_memory) out.push_back(copy(v_int(0), lanes, v_int(count)));
    else out.push_back(s_for(x, v_int(0), v_int(count), 1, {copy(v_var(x), 1, nullptr)}));
    return out;
  }

  /// Offset of pixel 0 of row `y` of a channel.
  Operand source(const Operand& y, const Operand& channel) {
    const Read& read = *n_.parts.source;
    ValueScope scope = n_.outer;
    const std::string row = b_.local("picture_row");
    scope.vars[row] = y;
    scope.vars[n_.parts.data->loops.back().name] = channel;
    std::vector<Expr> index = read.index;
    index[n_.parts.y_dim] = var_ref(row);
    index[n_.parts.x_dim] = constant_int(0);
    const auto form = offset_form(read.tensor, index, {}, scope);
    b_.possible = b_.possible && form;
    return form ? form->rest : v_int(0);
  }

  /// Down the columns of each row of tiles, then along its rows.
  Block transform() {
    const std::string row = b_.fresh("row_of_tiles"), i = b_.fresh("point");
    const int64_t lanes = s_.lanes, line = s_.line_pitch * lanes;
    const Operand tiles = v_int(n_.parts.tiles_x);
    Block body{apply_matrix(n_, true, {{rows_, v_var(row) * v_int(s_.step * line)}, {half_, v_int(0)}},
                            {v_int(line), v_int(lanes), v_int(line), v_int(lanes), v_int(s_.line)})};
    const Operand to = v_var(i) * v_int(s_.points * s_.data_plane) +
                       v_var(row) * v_int(n_.parts.tiles_x * s_.channel_pitch) + channel_;
    body.push_back(s_for(
        i, v_int(0), v_int(s_.points), 1,
        {apply_matrix(n_, true, {{half_, v_var(i) * v_int(line)}, {n_.parts.data->target, to}},
                      {v_int(lanes), v_int(s_.step * lanes), v_int(s_.data_plane), v_int(s_.channel_pitch), tiles})}));
    return {with_kind(n_.blocks, s_for(row, v_int(0), v_int(s_.tile_rows), 1, std::move(body)))};
  }

  WinogradNest& n_;
  ContractionBuilder& b_;
  const WinogradStrip& s_;
  Operand channel_;  ///< first of the block
  int line_ = -1, rows_ = -1, half_ = -1;
};

}  // namespace

WinogradStrip plan_strip(const WinogradParts& w, int lanes, int64_t panel, int64_t cached) {
  WinogradStrip s;
  s.outputs = w.outputs, s.points = w.points, s.neighbours = w.neighbours, s.lanes = lanes, s.step = w.step();
  s.channel_pitch = round_up(w.channels, lanes);
  s.filter_pitch = w.filters <= lanes ? lanes : round_up(w.filters, panel);  // one vector takes tiles of its own
  const int64_t row = w.points * w.points * w.tiles_x * (s.channel_pitch + s.filter_pitch);
  const int64_t weights = w.points * w.points * w.channels * w.filters;  // read once a strip
  s.strips =
      count_strips(w, std::clamp<int64_t>(std::max(cached, weights) / row, 1, w.tiles_y), row * w.tiles_y < weights);
  s.tile_rows = (w.tiles_y + s.strips - 1) / s.strips;
  s.tiles = s.tile_rows * w.tiles_x;
  s.line = w.tiles_x * s.step + s.neighbours - s.step;
  s.line_pitch = round_up(s.line, lanes), s.result_pitch = round_up(w.tiles_x * w.outputs, lanes);
  s.data_plane = s.tiles * s.channel_pitch + kPlaneGap, s.product_plane = s.tiles * s.filter_pitch + kPlaneGap;
  return s;
}

Stmt clear_vectors(ContractionBuilder& b, int buffer, const Operand& offset, int64_t elements) {
  const std::string i = b.local("cleared");
  return s_for(i, v_int(0), v_int(elements), b.lanes(),
               {s_store(buffer, offset + v_var(i), v_const(0, {DType::F32, b.lanes(), 0}))});
}

Stmt apply_matrix(WinogradNest& n, bool to_points, std::vector<BufferArgument> buffers, std::vector<Operand> args) {
  const WinogradTransform t = winograd_transform(n.parts.outputs, n.parts.taps(), n.parts.stride);
  SCall call;
  const std::string stride = t.stride == 1 ? "" : fmt::format("_{}", t.stride);
  const std::string name =
      fmt::format("winograd_{}_{}x{}{}_f32", to_points ? "data" : "result", t.outputs, t.taps, stride);
  const std::string comment = to_points
                                  ? fmt::format("{} neighbours become the {} points of a tile of {} outputs.",
                                                t.neighbours(), t.points(), t.outputs)
                                  : fmt::format("{} points become the {} outputs of a tile.", t.points(), t.outputs);
  call.function = function_number(
      n.b, matrix_function(to_points ? t.data : t.result, name, comment, {DType::F32, n.strip.lanes, 0}));
  call.buffers = std::move(buffers);
  call.args = std::move(args);
  return {std::move(call)};
}

Block transform_data(WinogradNest& n) { return DataTransform(n).run(); }

}  // namespace tenon
