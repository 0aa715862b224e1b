// Copies of images for convolutions over many channels: the channels of a pixel are adjacent, so that a tile reads
// them one after the other however far apart its pixels are.

#include "algebra/pair_depth.h"
#include "lower/contraction/contraction_staging.h"

namespace tenon {
namespace {

/// Whether the rows are neighbours in memory and depth steps from one line of them to the next: blocks of them are
/// transposed where they are used.
bool rows_adjoin(ContractionBuilder& b, const Read& read) {
  if (b.c.depth.size() > 1 || b.c.rows.empty()) return false;
  const auto form = offset_form(read.tensor, read.index, staged_vars(b), b.scope);
  const auto step = form ? constant_value(form->coefficient(b.c.rows.back().name)) : std::nullopt;
  return !step || *step == 1;
}

/// Writes the copy, one line of pixels after another.
class ChannelCopy {
 public:
  explicit ChannelCopy(Staging& s)
      : s_(s), b_(s.b), lanes_(s.b.lanes()), pixels_(s.dims[s.dims.size() - 2]), channels_(s.dims.back()) {
    inside_ = inside_line(s, pixels_);
  }

  Block run() {
    Operand from = v_int(0), to = v_int(0), inside;
    for (size_t d = 0; d < s_.fixed.size(); ++d)
      if (s_.fixed[d]) from = from + s_.fixed[d] * s_.stride_of(d);
    const size_t lines = s_.dims.size() - 2;
    std::vector<std::string> names;
    for (size_t i = 0; i < lines; ++i) {
      const StagedDim& d = s_.dims[i];
      names.push_back(b_.fresh("at"));
      const Operand at = d.lo + v_var(names.back());
      from = from + at * s_.stride_of(d.dim) * v_int(d.scale);
      to = to + v_var(names.back()) * d.stride;
      if (d.guarded) inside = both(inside, in_tensor(d, at));
    }
    Block body = line(from, to);
    if (inside) {
      Block choice{s_if(inside, std::move(body), fill_span(s_, to, pixels_.extent * pixels_.stride))};
      body = std::move(choice);
    }
    for (size_t i = lines; i-- > 0;) {
      const LoopKind kind = i == 0 ? LoopKind::Parallel : LoopKind::Serial;
      Block loop{with_kind(kind, s_for(names[i], v_int(0), s_.dims[i].extent, 1, std::move(body)))};
      body = std::move(loop);
    }
    return body;
  }

 private:
  static Operand both(const Operand& a, const Operand& b) { return a ? v_apply(ScalarOp::And, {a, b}) : b; }
  Operand in_tensor(const StagedDim& d, const Operand& at) const {
    return both(v_apply(ScalarOp::Ge, {at, v_int(0)}), v_apply(ScalarOp::Lt, {at, s_.dim_of(d.dim)}));
  }
  Operand channel_at(const Operand& from, const Operand& channel) const {
    return from + (channels_.lo + channel) * s_.stride_of(channels_.dim);
  }
  Operand pixel_at(const Operand& to, const Operand& pixel) const { return to + pixel * pixels_.stride; }

  /// The pixels of a line that are in the tensor, as many channels at a time as a vector has, then those around them.
  Block line(const Operand& from, const Operand& to) {
    const int64_t channels = *constant_value(channels_.extent);
    const auto count = constant_value(inside_.last - inside_.first);
    const bool in_place = count && *count >= lanes_ && !channels_.guarded && pixels_.scale == 1 &&
                          constant_value(s_.stride_of(pixels_.dim)) == 1;
    const int64_t whole = in_place ? channels / lanes_ * lanes_ : 0;
    Block out;
    if (whole > 0) {
      const std::string block = b_.fresh("channel_block");
      out.push_back(s_for(block, v_int(0), v_int(whole), lanes_, squares_in_place(from, to, v_var(block), *count)));
    }
    if (whole < channels) {
      const std::string block = b_.fresh("channel_block");
      out.push_back(s_for(block, v_int(whole), v_int(channels), lanes_, squares_of_lines(from, to, v_var(block))));
    }
    append(out, fill_span(s_, to, inside_.first * pixels_.stride));
    append(out, fill_span(s_, pixel_at(to, inside_.last), (pixels_.extent - inside_.last) * pixels_.stride));
    return out;
  }

  /// Squares of pixels that are side by side in the tensor; the last one repeats some of the one before.
  Block squares_in_place(const Operand& from, const Operand& to, const Operand& block, int64_t count) {
    const Operand step = s_.stride_of(channels_.dim), first = channel_at(from, block) + pixels_.lo + inside_.first;
    const auto square = [&](const Operand& x) {
      return transpose_square(b_, {{s_.read.tensor, first + x}, step},
                              {{s_.buffer, pixel_at(to, inside_.first + x) + block}, pixels_.stride});
    };
    const std::string x = b_.fresh("transposed");
    Block out{s_for(x, v_int(0), v_int(count / lanes_ * lanes_), lanes_, {square(v_var(x))})};
    if (count % lanes_ != 0) out.push_back(square(v_int(count - lanes_)));
    return out;
  }

  /// Lines of pixels copied one after another, then squares of them, the last one reaching beyond the tensor.
  Block squares_of_lines(const Operand& from, const Operand& to, const Operand& block) {
    const Operand room = room_of(s_, s_.dims.size() - 2), pitch = ceil_div(room, lanes_) * v_int(lanes_);
    if (line_ < 0) line_ = b_.add_buffer("channel_lines", b_.staged_type(), Storage::Workspace, v_int(lanes_) * pitch);
    const std::string lane = b_.fresh("channel"), x = b_.fresh("transposed");
    Staging lines = s_;
    lines.buffer = line_;
    StagedDim inner = pixels_;
    inner.lo = pixels_.lo + inside_.first, inner.extent = inside_.last - inside_.first, inner.guarded = false;
    const Operand channel = block + v_var(lane);
    Block copy = copy_one_line(lines, inner, channel_at(from, channel), v_var(lane) * pitch);
    if (channels_.guarded) {
      Block choice{s_if(in_tensor(channels_, channels_.lo + channel), std::move(copy),
                        fill_span(lines, v_var(lane) * pitch, inner.extent))};
      copy = std::move(choice);
    }
    const int64_t channels = *constant_value(channels_.extent);
    const Operand here = channels % lanes_ == 0 ? v_int(lanes_) : smaller(v_int(lanes_), v_int(channels) - block);
    const SquarePlace square{{line_, v_var(x)}, pitch},
        transposed{{s_.buffer, pixel_at(to, inside_.first + v_var(x)) + block}, pixels_.stride};
    return {s_for(lane, v_int(0), here, 1, std::move(copy)),
            s_for(x, v_int(0), inner.extent, lanes_, {transpose_square(b_, square, transposed)})};
  }

  Staging& s_;
  ContractionBuilder& b_;
  int lanes_;
  const StagedDim &pixels_, &channels_;
  Inside inside_;
  int line_ = -1;
};

}  // namespace

std::optional<size_t> channel_dim(ContractionBuilder& b, const Read& read) {
  if (b.c.depth.empty() || b.c.rows.empty() || b.c.low_halves || b.staged_as || !b.c.paired.empty())
    return std::nullopt;
  const LoopVar& v = b.c.depth.back();
  const Tensor& t = b.kernel.tensor(read.tensor);
  const bool many = constant_value(b.extent(v)).value_or(0) >= kFewChannels;
  if (!many || !is_float(b.c.accumulator) || t.dtype != b.c.accumulator || b.pixels_along_columns) return std::nullopt;
  if (!walks_one_dimension(read, v.name) || rows_adjoin(b, read)) return std::nullopt;
  std::optional<size_t> channels;
  size_t others = 0;
  for (size_t d = 0; d < read.index.size(); ++d) {
    if (mentions(read.index[d], v.name)) channels = d;
    else others += mentions_any(read.index[d], staged_vars(b));
  }
  return others > 0 && constant_value(b.scalar(t.strides[*channels], b.scope)) != 1 ? channels : std::nullopt;
}

Operand room_of(const Staging& s, size_t i) {
  const Operand& extent = s.dims[i].extent;
  const int lanes = s.b.lanes();
  if (!s.channels_last || lanes == 1 || i + 2 < s.dims.size()) return extent;
  if (i + 2 == s.dims.size()) {  // the last square of a line may run past its end
    // space is reserved before the loops: if a line begins at a loop variable, for any value of it
    if (!constant_value(s.dims[i].lo)) return extent + v_int(lanes - 1);
    const Inside in = inside_line(s, s.dims[i]);
    return larger(extent, in.first + ceil_div(in.last - in.first, lanes) * v_int(lanes));
  }
  constexpr int64_t kLine = 64, kCoarse = 1024;
  const int64_t bytes = bytes_of(s.b.staged_type()), lines = (*constant_value(extent) * bytes + kLine - 1) / kLine;
  return v_int((lines + (lines * kLine % kCoarse == 0 ? 1 : 0)) * kLine / bytes);
}

Block copy_channels(Staging& s) { return ChannelCopy(s).run(); }

}  // namespace tenon
