// Strips of a stencil that read the image itself: what its border adds is zero, so lanes of pixels outside are not
// loaded, or are shifted in before the first column.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "lower/contraction/contraction_staging.h"
#include "lower/contraction/stencil_strip.h"

namespace tenon {
namespace {

/// The form of one index of the image, where all but its variable part is a number.
struct Walk {
  int64_t step = 0;         ///< from one row or column of the result to the next
  std::vector<int64_t> by;  ///< per depth variable
  int64_t rest = 0;
};

std::optional<Walk> walk_of(ContractionBuilder& b, const AffineForm& form, const LoopVar& along) {
  const auto step = constant_value(form.coefficient(along.name)), rest = constant_value(form.rest);
  if (!step || *step < 1 || !rest) return std::nullopt;
  Walk out{*step, {}, *rest};
  for (const LoopVar& v : b.c.depth) {
    const auto by = constant_value(form.coefficient(v.name));
    if (!by) return std::nullopt;
    out.by.push_back(*by);
  }
  return out;
}

/// The places of all taps, the last depth variable fastest.
bool find_taps(ContractionBuilder& b, const std::vector<int64_t>& plane, const Walk& down, const Walk& across,
               std::vector<PixelTap>& out) {
  out = {{0, down.rest, across.rest}};
  for (size_t d = 0; d < b.c.depth.size(); ++d) {
    const auto extent = constant_value(b.extent(b.c.depth[d]));
    if (!extent) return false;
    std::vector<PixelTap> next;
    for (const PixelTap& t : out)
      for (int64_t i = 0; i < *extent; ++i)
        next.push_back({t.plane + i * plane[d], t.down + i * down.by[d], t.across + i * across.by[d]});
    out = std::move(next);
  }
  return true;
}

}  // namespace

std::optional<StencilImage> find_image(ContractionBuilder& b) {
  const Read& read = *plain_read(b.c.left);
  const Tensor& t = b.kernel.tensor(read.tensor);
  if (t.dtype != b.c.accumulator || !is_float(t.dtype) || (read.fill && !same(read.fill, constant_float(0, t.dtype))))
    return std::nullopt;
  if (b.c.rows.size() != 1 || b.c.columns.size() != 1) return std::nullopt;
  const LoopVar &row = b.c.rows[0], &column = b.c.columns[0];
  StencilImage image;
  image.buffer = read.tensor, image.base = v_int(0);
  std::vector<int64_t> plane(b.c.depth.size(), 0);
  std::optional<Walk> down, across;
  for (size_t d = 0; d < read.index.size(); ++d) {
    const auto form = affine_form(read.index[d], staged_vars(b), b.scope);
    const Operand stride = b.scalar(t.strides[d], b.scope);
    const auto by = constant_value(stride), extent = constant_value(t.dims[d]);
    if (!form || !by || !extent) return std::nullopt;
    const bool in_row = constant_value(form->coefficient(row.name)) != 0,
               in_column = constant_value(form->coefficient(column.name)) != 0;
    if (in_row || in_column) {
      std::optional<Walk>& walk = in_row ? down : across;
      if ((in_row && in_column) || walk || (in_column && *by != 1)) return std::nullopt;
      walk = walk_of(b, *form, in_row ? row : column);
      if (!walk) return std::nullopt;
      (in_row ? image.height : image.width) = *extent;
      if (in_row) image.pitch = *by;
      continue;
    }
    if (read.fill && !stays_inside(b, read.index[d], t.dims[d])) return std::nullopt;
    image.base = image.base + form->rest * stride;
    for (size_t k = 0; k < b.c.depth.size(); ++k) {
      const auto step = constant_value(form->coefficient(b.c.depth[k].name));
      if (!step) return std::nullopt;
      plane[k] += *step * *by;
    }
  }
  if (!down || !across || across->step > 2 || !find_taps(b, plane, *down, *across, image.taps)) return std::nullopt;
  image.row_step = down->step, image.column_step = across->step;
  return image;
}

namespace {

/// Strips of `height` rows: their statements for one strip of rows.
class InPlaceStrips {
 public:
  InPlaceStrips(ContractionBuilder& b, const StencilImage& image, const StencilWeights& weights,
                const RowsInPlace& rows)
      : b_(b),
        image_(image),
        weights_(weights),
        height_(rows.height),
        rows_(*constant_value(b.extent_of(b.c.rows))),
        columns_(*constant_value(b.extent_of(b.c.columns))),
        first_(rows_ == height_ ? v_int(0) : rows.first) {
    if (!rows.stores_sums) tile_ = b.add_buffer("tile", b.c.accumulator, Storage::Stack, v_int(height_ * lanes()));
  }

  /// All columns.
  Block build() {
    Block out;
    find_lines(out);
    for (size_t d = 0; d < image_.taps.size(); ++d) {
      const Operand at = weights_.first.offset + v_int(static_cast<int64_t>(d) * weights_.step);
      out.push_back(
          s_let(b_.local(fmt::format("w{}", d)), v_splat(v_load(weights_.first.buffer, type().dtype, at), lanes())));
    }
    const int64_t last = std::max<int64_t>(0, columns_ - lanes());
    for (int64_t q = 0; q <= last;) {
      int64_t end = q;  // of columns that see no border
      while (end < last && !meets_border(end)) end += lanes();
      if (end >= q + 2 * lanes()) {
        const std::string column = b_.local("strip_column");
        out.push_back(
            s_for(column, v_int(q), v_int(std::min(end, last)), lanes(), vector(v_var(column), std::nullopt)));
        q = std::min(end, last);
      } else {
        append(out, vector(v_int(q), q));
        if (q == last) break;
        q = std::min(q + lanes(), last);
      }
    }
    return out;
  }

 private:
  int lanes() const { return b_.lanes(); }
  OperandType type() const { return {b_.c.accumulator, lanes(), 0}; }

  /// A line of pixels that a strip reads, and whether it may be outside the image: how many of its lanes are there
  /// then.
  struct PixelLine {
    Operand at, there;
    bool outside = false;  ///< always
  };
  using LineKey = std::pair<int64_t, int64_t>;  ///< plane and row, from the first of the strip

  void find_lines(Block& out) {
    for (int r = 0; r < height_; ++r)
      for (size_t d = 0; d < image_.taps.size(); ++d) {
        const PixelTap& t = image_.taps[d];
        const LineKey key{t.plane, r * image_.row_step + t.down};
        users_[key][t.across].push_back({r, d});
        if (lines_.count(key) == 0) lines_[key] = line(key, out);
      }
  }

  PixelLine line(const LineKey& key, Block& out) {
    const int64_t most = (rows_ - height_) * image_.row_step + key.second;
    const bool above = key.second < 0, below = most >= image_.height;
    Operand row = first_ * v_int(image_.row_step);
    row = above ? row - v_int(-key.second) : row + v_int(key.second);
    const auto known = constant_value(row);
    if (known && (*known < 0 || *known >= image_.height)) return {nullptr, nullptr, true};
    PixelLine found;
    if (!known && (above || below)) {
      const Operand low = v_apply(ScalarOp::Ge, {row, v_int(0)}),
                    high = v_apply(ScalarOp::Lt, {row, v_int(image_.height)});
      const Operand inside = above && below ? v_apply(ScalarOp::And, {low, high}) : above ? low : high;
      const std::string n = fmt::format("{}", lines_.size());
      out.push_back(s_count(b_.local("lanes_of_line" + n), v_select(inside, v_int(lanes()), v_int(0))));
      found.there = v_var(b_.local("lanes_of_line" + n));
      if (above) row = larger(row, v_int(0));
      if (below) row = smaller(row, v_int(image_.height - 1));
      out.push_back(s_count(b_.local("line" + n), row));
      row = v_var(b_.local("line" + n));
    }
    found.at = image_.base + v_int(key.first) + row * v_int(image_.pitch);
    return found;
  }

  /// Whether a vector of results from a column on sees pixels outside of the image.
  bool meets_border(int64_t q) const {
    return std::any_of(image_.taps.begin(), image_.taps.end(), [&](const PixelTap& t) {
      const int64_t x = q * image_.column_step + t.across;
      return x < 0 || x + (lanes() - 1) * image_.column_step >= image_.width;
    });
  }

  std::string named(const std::string& word) const {
    return b_.local(part_ == 0 ? word : fmt::format("{}_{}", word, part_));
  }

  /// The results of one vector of columns: `known` if their place is a number.
  Block vector(const Operand& column, std::optional<int64_t> known) {
    column_ = column, known_ = known;
    made_.clear();
    Block out;
    const auto sum = [&](int r) { return named(fmt::format("c{}", r)); };
    for (int r = 0; r < height_; ++r) out.push_back(s_var(sum(r), v_const(0, type())));
    for (const auto& [key, by_column] : users_)
      for (const auto& [across, users] : by_column) {
        const Operand x = pixels(key, across, out);
        for (const auto& [r, d] : users)
          out.push_back(s_assign(sum(r), v_apply(ScalarOp::Fma, {v_var(b_.local(fmt::format("w{}", d)), type()), x,
                                                                 v_var(sum(r), type())})));
      }
    std::vector<Operand> sums;
    for (int r = 0; r < height_; ++r) sums.push_back(v_var(sum(r), type()));
    ++part_;
    if (tile_ < 0) {
      append(out, epilogue_of_sums(b_, first_, column, sums, columns_ < lanes() ? v_int(columns_) : nullptr));
      return out;
    }
    for (int r = 0; r < height_; ++r) out.push_back(s_store(tile_, v_int(r * lanes()), sums[static_cast<size_t>(r)]));
    const Operand wide = v_int(std::min<int64_t>(lanes(), columns_));
    append(out, epilogue(b_, {first_, v_int(height_), column, wide, tile_, lanes()}));
    return out;
  }

  /// The pixels of a line that a tap at `across` sees.
  Operand pixels(const LineKey& key, int64_t across, Block& out) {
    const PixelLine& line = lines_.at(key);
    if (line.outside) return v_const(0, type());
    const std::tuple place{key.first, key.second, across};
    if (const auto made = made_.find(place); made != made_.end()) return made->second;
    const int64_t step = image_.column_step, x = known_ ? *known_ * step + across : 0;
    Operand value;
    if (x < 0) {  // lanes of zeros, then the pixels from the first one on
      const int64_t shift = (-x + step - 1) / step;
      if (shift >= lanes()) return v_const(0, type());
      const Operand inside = pixels(key, across + shift * step, out);
      std::vector<int> pick;
      for (int l = 0; l < lanes(); ++l) pick.push_back(l < shift ? l : static_cast<int>(lanes() + l - shift));
      value = v_shuffle(v_const(0, type()), inside, std::move(pick));
    } else {
      const Operand from = line.at + column_ * v_int(step) + v_int(across);
      const int64_t room = known_ ? image_.width - x : 2 * lanes();
      value = load(line, from, room);
      if (step == 2)
        value = v_shuffle(value, load(line, from + v_int(lanes() - 1), room - (lanes() - 1)),
                          even_elements(lanes(), lanes() - 1));
    }
    const std::string name = named(fmt::format("x{}", made_.size()));
    out.push_back(s_let(name, value));
    return made_[place] = v_var(name, type());
  }

  /// A vector of pixels, of which `room` are in the image. Vectors that several rows share are loaded once.
  Operand load(const PixelLine& line, const Operand& from, int64_t room) const {
    const DType d = b_.c.accumulator;
    if (room <= 0) return v_const(0, type());
    if (!line.there && room >= lanes())
      return image_.column_step == 1 ? v_load_once(image_.buffer, d, from, lanes())
                                     : v_load(image_.buffer, d, from, lanes());
    const Operand active = !line.there ? v_int(room) : room >= lanes() ? line.there : smaller(line.there, v_int(room));
    return v_load(image_.buffer, d, from, lanes(), active);
  }

  ContractionBuilder& b_;
  const StencilImage& image_;
  const StencilWeights& weights_;
  const int height_;
  const int64_t rows_, columns_;
  const Operand first_;
  Operand column_;
  std::optional<int64_t> known_;
  int part_ = 0, tile_ = -1;
  std::map<LineKey, PixelLine> lines_;
  std::map<LineKey, std::map<int64_t, std::vector<std::pair<int, size_t>>>> users_;  ///< per tap's column
  std::map<std::tuple<int64_t, int64_t, int64_t>, Operand> made_;
};

}  // namespace

Block strip_in_place(ContractionBuilder& b, const StencilImage& image, const StencilWeights& weights,
                     const RowsInPlace& rows) {
  return InPlaceStrips(b, image, weights, rows).build();
}

}  // namespace tenon
