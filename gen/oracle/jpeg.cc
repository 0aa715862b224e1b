// Reads JPEG files bit by bit, with a map of codes, sums of products as transform, and one pixel after another.
#include "oracle/jpeg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "oracle/jpeg_transform.h"

namespace tenon {
namespace {

struct Damaged {};

void expect(bool sound) {
  if (!sound) throw Damaged{};
}

/// Codes by their length and bits.
using Codes = std::map<std::pair<int, int>, int>;
using Block = JpegBlock;

struct Component {
  int id = 0, h = 0, v = 0, factor_table = 0;
  int64_t width = 0, height = 0, columns = 0, rows = 0, before = 0;
  std::optional<Block> factors;
  std::vector<Block> blocks;
  Codes *first = nullptr, *others = nullptr;
};

/// The place of coefficient k of the file: diagonals, every second one downwards.
size_t place(size_t k) {
  static const std::vector<size_t> order = [] {
    std::vector<size_t> places;
    for (size_t diagonal = 0; diagonal < 15; ++diagonal)
      for (size_t i = 0; i <= diagonal; ++i) {
        const size_t y = diagonal % 2 == 0 ? diagonal - i : i, x = diagonal - y;
        if (x < 8 && y < 8) places.push_back(8 * y + x);
      }
    return places;
  }();
  return order[k];
}

int64_t limited(int64_t v, int64_t least, int64_t most) { return std::clamp(v, least, most); }

class Reader {
 public:
  Reader(const std::vector<uint8_t>& file, int64_t height, int64_t width)
      : file_(file), most_height_(height), most_width_(width) {}

  Picture read() {
    expect(word() == 0xffd8);
    for (int m = marker(); m != 0xd9; m = marker())
      if (m != 1 && (m < 0xd0 || m > 0xd7)) segment(m);
    expect(!components_.empty());
    for (Component& c : components_) {
      expect(c.factors.has_value());
      for (Block& b : c.blocks) jpeg_samples(b, *c.factors);
    }
    return picture();
  }

 private:
  int byte() {
    expect(at_ < file_.size());
    return file_[at_++];
  }
  int word() {
    const int high = byte();
    return 256 * high + byte();
  }

  int marker() {
    for (int before = byte();;) {
      const int here = byte();
      if (before == 255 && here != 0 && here != 255) return here;
      before = here;
    }
  }

  int bit() {
    if (left_ == 0) {
      expect(at_ < file_.size());
      current_ = file_[at_];
      if (current_ == 255) {
        expect(at_ + 1 < file_.size() && file_[at_ + 1] == 0);
        ++at_;
      }
      ++at_;
      left_ = 8;
    }
    return current_ >> --left_ & 1;
  }
  int64_t bits(int n) {
    int64_t v = 0;
    for (int i = 0; i < n; ++i) v = 2 * v + bit();
    return v;
  }
  int64_t number(int n) {
    const int64_t v = bits(n);
    return n > 0 && v < int64_t{1} << (n - 1) ? v - (int64_t{1} << n) + 1 : v;
  }
  int decode(const Codes& codes) {
    int code = 0;
    for (int length = 1; length <= 16; ++length) {
      code = 2 * code + bit();
      if (const auto it = codes.find({length, code}); it != codes.end()) return it->second;
    }
    throw Damaged{};
  }

  void segment(int m) {
    const int length = word();
    expect(length >= 2 && at_ + static_cast<size_t>(length) - 2 <= file_.size());
    const size_t end = at_ + static_cast<size_t>(length) - 2;
    const std::string text(file_.begin() + static_cast<std::ptrdiff_t>(at_),
                           file_.begin() + static_cast<std::ptrdiff_t>(end));
    switch (m) {
      case 0xc0:
      case 0xc1:
      case 0xc2:
        progressive_ = m == 0xc2;
        image(end);
        break;
      case 0xc4:
        while (at_ < end) codes(end);
        break;
      case 0xda: return scan(end);
      case 0xdb:
        while (at_ < end) factors(end);
        break;
      case 0xdd:
        expect(length == 4);
        interval_ = word();
        break;
      case 0xe0: jfif_ = jfif_ || (length >= 16 && text.substr(0, 5) == std::string("JFIF", 5)); break;
      case 0xee:
        if (length >= 14 && text.substr(0, 5) == "Adobe") adobe_ = static_cast<uint8_t>(text[11]);
        break;
      default: expect((m < 0xc3 || m > 0xcf || m == 0xcc) && m != 0xd8 && m != 0xdc);
    }
    at_ = end;
  }

  void factors(size_t end) {
    const int head = byte();
    expect(head / 16 < 2 && head % 16 < 4 && at_ + 64 * (static_cast<size_t>(head) / 16 + 1) <= end);
    Block table{};
    for (size_t k = 0; k < 64; ++k) table[place(k)] = head / 16 ? word() : byte();
    factors_[head % 16] = table;
  }

  void codes(size_t end) {
    const int head = byte();
    expect(head / 16 < 2 && head % 16 < 4 && at_ + 16 <= end);
    std::array<int, 17> counts{};
    for (size_t length = 1; length <= 16; ++length) counts[length] = byte();
    Codes table;
    int code = 0;
    for (int length = 1; length <= 16; ++length, code *= 2) {
      const int count = counts[static_cast<size_t>(length)];
      expect(static_cast<int>(table.size()) + count <= 256 && at_ + static_cast<size_t>(count) <= end &&
             code + count <= 1 << length);
      for (int k = 0; k < count; ++k) table[{length, code++}] = byte();
    }
    codes_[head] = table;
  }

  void image(size_t end) {
    expect(components_.empty() && end - at_ >= 6 && byte() == 8);
    height_ = word();
    width_ = word();
    const int n = byte();
    expect((n == 1 || n == 3) && end - at_ == 3 * static_cast<size_t>(n));
    expect(height_ > 0 && height_ <= most_height_ && width_ > 0 && width_ <= most_width_);
    components_.resize(static_cast<size_t>(n));
    for (Component& c : components_) {
      c.id = byte();
      const int sampling = byte();
      c.h = sampling / 16;
      c.v = sampling % 16;
      c.factor_table = byte();
      expect(c.h >= 1 && c.h <= 4 && c.v >= 1 && c.v <= 4 && c.factor_table < 4);
      h_ = std::max(h_, c.h);
      v_ = std::max(v_, c.v);
    }
    for (Component& c : components_) {
      expect(h_ % c.h == 0 && v_ % c.v == 0);
      c.width = ceil_div(width_ * c.h, h_);
      c.height = ceil_div(height_ * c.v, v_);
      c.columns = ceil_div(width_, 8 * h_) * c.h;
      c.rows = ceil_div(height_, 8 * v_) * c.v;
      c.blocks.resize(static_cast<size_t>(c.columns * c.rows));
    }
  }
  static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

  Codes* codes_at(int head) {
    const auto it = codes_.find(head);
    return it == codes_.end() ? nullptr : &it->second;
  }

  void scan(size_t end) {
    expect(at_ < end);
    const int n = byte();
    expect(n >= 1 && static_cast<size_t>(n) <= components_.size() && end - at_ == static_cast<size_t>(2 * n + 3));
    std::vector<std::pair<int, int>> heads;
    for (int k = 0; k < n; ++k) {
      const int id = byte();
      heads.emplace_back(id, byte());
    }
    range(n);
    std::vector<Component*> chosen;
    for (Component& c : components_) {
      if (chosen.size() == heads.size() || c.id != heads[chosen.size()].first) continue;
      const int tables = heads[chosen.size()].second;
      c.first = codes_at(tables / 16);
      c.others = tables % 16 < 4 ? codes_at(16 + tables % 16) : nullptr;
      expect(tables / 16 < 4 && tables % 16 < 4 && (first_ > 0 || high_ > 0 || c.first) && (last_ == 0 || c.others));
      if (!c.factors) {
        expect(factors_.count(c.factor_table) > 0);
        c.factors = factors_[c.factor_table];
      }
      chosen.push_back(&c);
    }
    expect(chosen.size() == heads.size());
    units(chosen);
  }

  void range(int components) {
    first_ = byte();
    last_ = byte();
    const int bits = byte();
    high_ = bits / 16;
    low_ = bits % 16;
    if (!progressive_) {
      first_ = high_ = low_ = 0;
      last_ = 63;
      return;
    }
    expect(first_ <= last_ && last_ < 64 && low_ <= 13 && (high_ == 0 || high_ == low_ + 1));
    expect(first_ == 0 ? last_ == 0 : components == 1);
  }

  void restart() {
    left_ = 0;
    skip_ = 0;
    for (Component& c : components_) c.before = 0;
  }

  void units(const std::vector<Component*>& chosen) {
    const bool alone = chosen.size() == 1;
    const Component& one = *chosen[0];
    const int64_t columns = alone ? ceil_div(one.width, 8) : one.columns / one.h;
    const int64_t rows = alone ? ceil_div(one.height, 8) : one.rows / one.v;
    restart();
    for (int64_t unit = 0; unit < rows * columns; ++unit) {
      if (interval_ > 0 && unit > 0 && unit % interval_ == 0) {
        expect(marker() == 0xd0 + (unit / interval_ - 1) % 8);
        restart();
      }
      for (Component* c : chosen)
        for (int64_t b = 0; b < (alone ? 1 : c->h * c->v); ++b) {
          const int64_t h = alone ? 1 : c->h, v = alone ? 1 : c->v;
          const int64_t y = unit / columns * v + b / h, x = unit % columns * h + b % h;
          block(*c, c->blocks[static_cast<size_t>(y * c->columns + x)]);
        }
    }
  }

  static void store(int64_t& to, int64_t v) {
    expect(std::abs(v) <= 32767);
    to = v;
  }

  void block(Component& c, Block& b) {
    const int64_t one = int64_t{1} << low_;
    if (high_ > 0 && first_ == 0) {
      if (bit()) store(b[0], b[0] + one);
      return;
    }
    if (first_ == 0) {
      const int n = decode(*c.first);
      expect(n < 16);
      store(c.before, c.before + number(n));
      store(b[0], c.before * one);
    }
    if (last_ > 0) others(c, b, one);
  }

  void refine(int64_t& c, int64_t one) {
    if (bit() && std::abs(c) / one % 2 == 0) store(c, c < 0 ? c - one : c + one);
  }

  /// Coefficients after the first: new ones, between which older ones get one more bit.
  void others(Component& c, Block& b, int64_t one) {
    int k = std::max(first_, 1);
    while (skip_ == 0 && k <= last_) {
      const int code = decode(*c.others), n = code % 16;
      int zeros = code / 16;
      if (n == 0 && zeros < 15) {
        skip_ = progressive_ ? (int64_t{1} << zeros) + bits(zeros) : 1;
        break;
      }
      expect(high_ == 0 || n < 2);
      const int64_t v = high_ > 0 && n == 1 ? 2 * bit() - 1 : high_ > 0 ? 0 : number(n);
      for (; k <= last_; ++k) {
        int64_t& to = b[place(static_cast<size_t>(k))];
        if (high_ > 0 && to != 0) refine(to, one);
        else if (zeros-- == 0) break;
      }
      expect(k <= last_ || n == 0 || high_ > 0);
      if (k <= last_ && n > 0) store(b[place(static_cast<size_t>(k))], v * one);
      ++k;
    }
    for (; high_ > 0 && skip_ > 0 && k <= last_; ++k)
      if (int64_t& to = b[place(static_cast<size_t>(k))]; to != 0) refine(to, one);
    if (skip_ > 0) --skip_;
  }

  /// Sample (y, x) of a component; that of the border outside of it.
  static int64_t sample(const Component& c, int64_t y, int64_t x) {
    y = limited(y, 0, c.height - 1);
    x = limited(x, 0, c.width - 1);
    return c.blocks[static_cast<size_t>(y / 8 * c.columns + x / 8)][static_cast<size_t>(y % 8 * 8 + x % 8)];
  }

  int64_t value(const Component& c, int64_t y, int64_t x) const {
    const int64_t across = h_ / c.h, down = v_ / c.v, row = y / down, column = x / across;
    const int64_t nearby = x % 2 ? column + 1 : column - 1, other = y % 2 ? row + 1 : row - 1;
    const auto mixed = [&](int64_t at) { return 3 * sample(c, row, at) + sample(c, other, at); };
    const bool smooth = across == 2 && c.width > 2;
    if (across == 1 && down == 2) return (mixed(column) + 1 + y % 2) / 4;
    if (smooth && down == 1) return (3 * sample(c, row, column) + sample(c, row, nearby) + 1 + x % 2) / 4;
    if (smooth && down == 2) return (3 * mixed(column) + mixed(limited(nearby, 0, c.width - 1)) + 8 - x % 2) / 16;
    return sample(c, row, column);
  }

  bool has_chroma() const {
    if (components_.size() != 3) return false;
    if (jfif_ || adobe_ > 0) return true;
    return adobe_ < 0 && !(components_[0].id == 'R' && components_[1].id == 'G' && components_[2].id == 'B');
  }

  Picture picture() const {
    Picture p{height_, width_, {}};
    const auto scaled = [](int64_t v) {
      return static_cast<int64_t>(std::floor(static_cast<double>(v + 32768) / 65536));
    };
    for (int64_t y = 0; y < height_; ++y)
      for (int64_t x = 0; x < width_; ++x) {
        std::array<int64_t, 3> v{};
        for (size_t k = 0; k < 3; ++k) v[k] = value(components_[components_.size() == 3 ? k : 0], y, x);
        const int64_t cb = v[1] - 128, cr = v[2] - 128;
        if (has_chroma())
          v = {v[0] + scaled(91881 * cr), v[0] + scaled(-22554 * cb - 46802 * cr), v[0] + scaled(116130 * cb)};
        for (const int64_t each : v) p.rgb.push_back(static_cast<uint8_t>(limited(each, 0, 255)));
      }
    return p;
  }

  const std::vector<uint8_t>& file_;
  size_t at_ = 0;
  int64_t most_height_, most_width_, height_ = 0, width_ = 0, interval_ = 0, skip_ = 0;
  int current_ = 0, left_ = 0, h_ = 0, v_ = 0, first_ = 0, last_ = 0, high_ = 0, low_ = 0, adobe_ = -1;
  bool progressive_ = false, jfif_ = false;
  std::map<int, Block> factors_;
  std::map<int, Codes> codes_;
  std::vector<Component> components_;
};

}  // namespace

std::optional<Picture> read_jpeg(const std::vector<uint8_t>& file, int64_t height, int64_t width) {
  try {
    return Reader(file, height, width).read();
  } catch (const Damaged&) {
    return std::nullopt;
  }
}

void oracle_decode_jpeg(const FrameData& f) {
  std::vector<uint8_t> file;
  for (int64_t i = 0; i < f.size("L"); ++i) file.push_back(static_cast<uint8_t>(f.at("X", i).i));
  const Picture p = read_jpeg(file, f.size("height"), f.size("width")).value_or(Picture{});
  f.set_extent("H", p.height);
  f.set_extent("W", p.width);
  for (int64_t at = 0; at < p.height * p.width; ++at) {
    const auto color = [&](int64_t k) { return int64_t{p.rgb[static_cast<size_t>(3 * at + k)]}; };
    if (f.size("channels") == 1)
      f.put("Y", at, {(19595 * color(0) + 38470 * color(1) + 7471 * color(2) + 32768) / 65536});
    for (int64_t k = 0; f.size("channels") == 3 && k < 3; ++k)
      f.put("Y", 3 * at + k, {color(f.size("bgr") ? 2 - k : k)});
  }
}

}  // namespace tenon
