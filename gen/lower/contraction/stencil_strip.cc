// Writes the strip of a stencil, as a function or where it is used: rows of one vector, or planes of short rows.
#include "lower/contraction/stencil_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lower/nest/even_lanes.h"

namespace tenon {
namespace {

class Strip {
 public:
  Strip(ContractionBuilder& b, StripShape shape)
      : b_(b), shape_(std::move(shape)), even_(even_lanes(b.isa, b.c.accumulator, b.lanes())) {}

  InnerFunction build() {
    const int planes = shape_.plane ? shape_.plane->planes : 1;
    f_.name = planes > 1 ? fmt::format("planes_{}x{}", planes, shape_.plane->vectors)
                         : fmt::format("strip_{}", shape_.height);
    f_.comment = comment(planes);
    if (shape_.taps.empty()) loop();
    else unrolled();
    return std::move(f_);
  }

  /// The sums over all taps of one column before those of the next, with the pixels of all rows in registers.
  InnerFunction build_sliding() {
    f_.name = fmt::format("strip_{}_sliding", shape_.height);
    f_.comment = fmt::format("The same for {} rows as far apart as the taps: each tap loads one row.", shape_.height);
    add("a", b_.c.accumulator, false);
    const int weights = add("w", shape_.weight_type, false), tile = add("tile", b_.c.accumulator, true),
              table = add("offset", shape_.table_type, false), last = shape_.height - 1;
    f_.params = {"outer", "down", "across", "row_step", "weight_step"};
    const auto at_row = [&](const Operand& row) { return pixels(0, v_var("step") + row * v_var("row_step"), false); };
    const auto x = [](int r) { return fmt::format("x{}", r); };
    const Operand before = v_var("o") * v_var("down"), tap = (before + v_var("r")) * v_var("across") + v_var("s");
    Block each{s_let(x(last), at_row(v_var("r") + v_int(last))),
               s_let("x", weight(weights, tap * v_var("weight_step")))};
    for (int r = 0; r <= last; ++r) each.push_back(add_product(r, v_var("x", type()), v_var(x(r), type())));
    for (int r = 0; r < last; ++r) each.push_back(s_assign(x(r), v_var(x(r + 1), type())));
    const Operand first = v_load(table, shape_.table_type, before * v_var("across") + v_var("s"));
    Block column{s_let("step", v_cast(first, DType::I64))};
    for (int r = 0; r < last; ++r) column.push_back(s_var(x(r), at_row(v_int(r))));
    column.push_back(s_for("r", v_int(0), v_var("down"), 1, std::move(each)));
    Block columns{s_for("s", v_int(0), v_var("across"), 1, std::move(column))};
    clear_sums();
    f_.body.push_back(s_for("o", v_int(0), v_var("outer"), 1, std::move(columns)));
    store_sums(tile);
    return std::move(f_);
  }

  /// A strip in the nest, with known taps: appends its statements and returns its sums.
  std::vector<Operand> build_at(const StripPlace& place, Block& out) {
    in_nest_ = true;
    out.push_back(s_let(b_.local("pixels_at"), place.pixels.offset));
    pixels_at_ = v_var(b_.local("pixels_at"));
    weights_at_ = place.weights.offset;
    begin_sums(place.weights.buffer);
    add_rows({0, shape_.height, 0, 0}, place.pixels.buffer, place.weights.buffer);
    order_sums();
    append(out, std::move(f_.body));
    std::vector<Operand> sums;
    for (int r = 0; r < shape_.height; ++r) sums.push_back(sum(r));
    return sums;
  }

 private:
  std::string comment(int planes) const {
    const std::string rows = planes > 1 ? fmt::format("{} planes", planes) : fmt::format("{} rows", shape_.height);
    const std::string taps = shape_.taps.empty() ? "the taps" : fmt::format("{} taps", shape_.taps.size());
    return fmt::format("The sums over {} for {} of pixels, a pixel a lane.", taps, rows) +
           (shape_.stride == 1 && !row_by_row()
                ? " Volatile: compilers would load pixels again for each row that sees them."
                : "");
  }
  /// Whether the sums of a row are stored before those of the next begin: rows of integers.
  bool row_by_row() const { return !shape_.plane && !has_words() && !is_float(b_.c.accumulator); }
  bool has_words() const { return b_.c.word_numbers == 4; }
  OperandType type() const { return {b_.c.accumulator, b_.lanes(), 0}; }
  /// A name of the function, or one that the nest has not taken.
  std::string name_of(const std::string& word) const { return in_nest_ ? b_.local(word) : word; }
  std::string sum_name(int r) const { return name_of(fmt::format("c{}", r)); }
  Operand sum(int r) const { return v_var(sum_name(r), type()); }
  int add(std::string name, DType d, bool writable) {
    f_.buffers.push_back({std::move(name), d, Storage::Workspace, -1, nullptr, writable});
    return static_cast<int>(f_.buffers.size()) - 1;
  }
  void clear_sums() {
    for (int r = 0; r < shape_.height; ++r) f_.body.push_back(s_var(sum_name(r), v_const(0, type())));
  }
  /// Sums begin at what the offset of the pixels will add, with the other sign.
  void begin_words(int weights) {
    const int planes = shape_.plane ? shape_.plane->planes : 1, count = shape_.height / planes;
    for (int k = 0; k < planes; ++k) {
      Operand first = v_const(0, type());
      if (b_.c.left_offset != 0) {
        Operand sum = v_int(0, b_.c.accumulator);
        for (size_t d = 0; d < shape_.taps.size(); ++d) sum = sum + stored(weights, k, static_cast<int>(d));
        const std::string name = name_of(of_plane(k) + "offset");
        f_.body.push_back(s_let(name, v_splat(sum * v_const(-b_.c.left_offset, sum->type), b_.lanes())));
        first = v_var(name, type());
      }
      for (int r = 0; r < count; ++r) f_.body.push_back(s_var(sum_name(k * count + r), first));
    }
  }
  void begin_sums(int weights) {
    if (has_words()) begin_words(weights);
    else clear_sums();
  }
  /// The weight of a tap of a plane.
  Operand stored(int weights, int plane, int tap) const {
    const int64_t begin = shape_.plane ? plane * shape_.plane->weight_step : 0;
    return v_cast(v_load(weights, shape_.weight_type, weights_at_ + v_int(begin + tap * shape_.weight_step)),
                  b_.c.accumulator);
  }
  /// Puts the sums of every second pixel in the order of the pixels.
  void order_sum(int r) {
    if (shape_.stride == 2 && !even_.order.empty())
      f_.body.push_back(s_assign(sum_name(r), v_shuffle(sum(r), sum(r), even_.order)));
  }
  void order_sums() {
    for (int r = 0; r < shape_.height; ++r) order_sum(r);
  }
  /// The weights of a group as a word of bytes in every lane.
  Operand word_of(int weights, int plane, const TapGroup& g) const {
    const auto number = [&](int64_t v) { return v_const(v, {b_.c.accumulator, 1, 0}); };
    Operand word;
    for (int k = 0; k < g.count; ++k) {
      Operand byte = v_apply(ScalarOp::BitAnd, {stored(weights, plane, g.first + k), number(0xff)});
      if (k > 0) byte = v_apply(ScalarOp::Shl, {byte, number(8 * k)});
      word = word ? v_apply(ScalarOp::BitOr, {word, byte}) : byte;
    }
    return v_splat(word, b_.lanes());
  }
  void store_sums(int tile) {
    order_sums();
    if (shape_.plane) {
      for (int k = 0; k < shape_.plane->planes; ++k) store_plane(*shape_.plane, k, tile);
      return;
    }
    for (int r = 0; r < shape_.height; ++r) store_sum(tile, r);
  }
  void store_sum(int tile, int r) {
    const int64_t pitch = shape_.row_pitch > 0 ? shape_.row_pitch : b_.lanes();
    f_.body.push_back(s_store(tile, v_int(r * pitch), sum(r)));
  }
  /// Stores the sums of a plane's rows one after another: each vector is picked from those that hold its elements.
  void store_plane(const ShortRows& p, int plane, int tile) {
    const int lanes = b_.lanes(), own = plane * p.vectors;
    for (int v = 0; p.rows == 1 && v < p.vectors; ++v)
      f_.body.push_back(s_store(tile, v_int(plane * tile_pitch(b_, p) + v * lanes), sum(own + v)));
    if (p.rows == 1) return;
    for (int64_t first = 0; first < p.pixels(); first += lanes) {
      const auto place = [&](int lane) {
        const int64_t i = std::min(first + lane, p.pixels() - 1);
        return static_cast<int>(i / p.columns * p.pitch + i % p.columns);
      };
      const int low = place(0) / lanes, high = place(lanes - 1) / lanes;
      Operand picked = sum(own + low);
      // from two vectors at a time; what the steps before have picked is where it belongs
      for (int v = low; v < std::max(high, low + 1); ++v) {
        std::vector<int> pick(static_cast<size_t>(lanes));
        for (int l = 0; l < lanes; ++l) {
          const int at = place(l) - v * lanes;
          pick[static_cast<size_t>(l)] = at >= lanes ? std::min(at, 2 * lanes - 1) : v == low ? at : l;
        }
        const std::string name = fmt::format("{}p{}_{}", of_plane(plane), first / lanes, v - low);
        f_.body.push_back(s_let(name, v_shuffle(picked, sum(own + std::min(v + 1, high)), pick)));
        picked = v_var(name, type());
      }
      f_.body.push_back(s_store(tile, v_int(plane * tile_pitch(b_, p) + first), picked));
    }
  }
  Stmt add_product(int r, const Operand& weight, const Operand& pixels) const {
    const ScalarOp dot = b_.c.unsigned_left ? ScalarOp::Dot4Unsigned : ScalarOp::Dot4;
    const Operand next = has_words()                  ? v_apply(dot, {pixels, weight, sum(r)})
                         : is_float(b_.c.accumulator) ? v_apply(ScalarOp::Fma, {weight, pixels, sum(r)})
                                                      : sum(r) + weight * pixels;
    return s_assign(sum_name(r), next);
  }

  /// The prefix of a plane's names if there are several planes.
  std::string of_plane(int plane) const {
    return shape_.plane && shape_.plane->planes > 1 ? fmt::format("n{}_", plane) : "";
  }

  /// A loop over the taps: each row's pixels against one weight.
  void loop() {
    if (shape_.plane) add("a", b_.c.accumulator, false);
    else
      for (int r = 0; r < shape_.height; ++r) add(fmt::format("a{}", r), b_.c.accumulator, false);
    const int weights = add("w", shape_.weight_type, false), tile = add("tile", b_.c.accumulator, true);
    f_.params = {"taps", "weight_step"};
    Block step;
    Operand at = v_var("d");
    if (shape_.table >= 0) {
      const int table = add("offset", shape_.table_type, false);
      step.push_back(s_let("step", v_cast(v_load(table, shape_.table_type, v_var("d")), DType::I64)));
      at = v_var("step");
    } else {
      f_.params.push_back("tap_step");
      at = v_var("d") * v_var("tap_step");
    }
    clear_sums();
    if (shape_.plane) {
      add_planes(*shape_.plane, weights, at, step);
    } else {
      step.push_back(s_let("x", weight(weights, v_var("d") * v_var("weight_step"))));
      for (int r = 0; r < shape_.height; ++r) step.push_back(add_product(r, v_var("x", type()), pixels(r, at, false)));
    }
    f_.body.push_back(s_for("d", v_int(0), v_var("taps"), 1, std::move(step)));
    store_sums(tile);
  }

  /// One tap of all planes, whose pixels are at known distances from the first: each plane's against its weight.
  void add_planes(const ShortRows& p, int weights, const Operand& at, Block& step) {
    const Operand first = v_var("d") * v_var("weight_step");
    for (int k = 0; k < p.planes; ++k) {
      const std::string x = of_plane(k) + "x";
      step.push_back(s_let(x, weight(weights, first + v_int(k * p.weight_step))));
      for (int v = 0; v < p.vectors; ++v)
        step.push_back(add_product(k * p.vectors + v, v_var(x, type()),
                                   pixels(0, at + v_int(k * p.plane_step + v * shape_.row_step), false)));
    }
  }

  /// All taps in line: the weights stay in registers, and pixels that several rows see are loaded once.
  void unrolled() {
    const int rows = add("a", b_.c.accumulator, false), weights = add("w", shape_.weight_type, false),
              tile = add("tile", b_.c.accumulator, true);
    begin_sums(weights);
    if (row_by_row()) return add_and_store(rows, weights, tile);
    if (!shape_.plane) add_rows({0, shape_.height, 0, 0}, rows, weights);
    else
      for (int k = 0; k < shape_.plane->planes; ++k)
        add_rows({k, shape_.plane->vectors, k * shape_.plane->plane_step, k * shape_.plane->weight_step}, rows,
                 weights);
    store_sums(tile);
  }

  /// Sums of integers, a row at a time: compilers put off additions that are no intrinsics until a sum is stored, and
  /// would keep all pixels that the rows share until then.
  void add_and_store(int rows, int weights, int tile) {
    const auto name = [](size_t d) { return fmt::format("w{}", d); };
    const auto taps = shape_.taps.size();
    for (size_t d = 0; d < taps; ++d)
      f_.body.push_back(s_let(name(d), weight(weights, v_int(static_cast<int64_t>(d) * shape_.weight_step))));
    for (int r = 0; r < shape_.height; ++r) {
      for (size_t d = 0; d < taps; ++d)
        f_.body.push_back(
            add_product(r, v_var(name(d), type()), pixels(rows, v_int(r * shape_.row_step + shape_.taps[d]), false)));
      order_sum(r);
      store_sum(tile, r);
    }
  }

  /// Rows of one plane, where its pixels and its weights begin.
  struct PlaneRows {
    int plane, count;
    int64_t pixels_at, weights_at;
  };
  void add_rows(const PlaneRows& p, int rows, int weights) {
    std::map<int64_t, std::vector<std::pair<int, size_t>>> seen_by;  // offset of pixels: rows and taps that want them
    const std::vector<TapGroup> groups = tap_groups(shape_.taps, has_words() ? 4 : 1);
    for (int r = 0; r < p.count; ++r)
      for (size_t d = 0; d < groups.size(); ++d) seen_by[r * shape_.row_step + groups[d].at].push_back({r, d});
    const std::string own = of_plane(p.plane);
    for (size_t d = 0; d < groups.size(); ++d) {
      const Operand at = v_int(p.weights_at + static_cast<int64_t>(d) * shape_.weight_step);
      f_.body.push_back(s_let(name_of(fmt::format("{}w{}", own, d)),
                              has_words() ? word_of(weights, p.plane, groups[d]) : weight(weights, at)));
    }
    int loaded = 0;
    for (const auto& [offset, uses] : seen_by) {
      const std::string x = name_of(fmt::format("{}x{}", own, loaded++));
      f_.body.push_back(s_let(x, pixels(rows, v_int(p.pixels_at + offset), uses.size() > 1)));
      for (const auto& [r, d] : uses)
        f_.body.push_back(
            add_product(p.plane * p.count + r, v_var(name_of(fmt::format("{}w{}", own, d)), type()), v_var(x, type())));
    }
  }

  Operand weight(int buffer, const Operand& at) const {
    const Operand stored = v_load(buffer, shape_.weight_type, weights_at_ + at);
    return v_splat(shape_.weight_type == b_.c.accumulator ? stored : v_cast(stored, b_.c.accumulator), b_.lanes());
  }

  /// A vector of pixels: every one, or every second of two vectors. Vectors that several rows share are loaded once.
  Operand pixels(int buffer, const Operand& offset, bool shared) const {
    const int lanes = b_.lanes();
    const Operand at = pixels_at_ + offset;
    if (shape_.stride == 1 && shared && lanes > 1) return v_load_once(buffer, b_.c.accumulator, at, lanes);
    const Operand low = v_load(buffer, b_.c.accumulator, at, lanes);
    if (shape_.stride == 1 || lanes == 1) return low;
    return v_shuffle(low, v_load(buffer, b_.c.accumulator, at + v_int(lanes), lanes), even_.pick);
  }

  ContractionBuilder& b_;
  StripShape shape_;
  EvenLanes even_;
  InnerFunction f_;
  bool in_nest_ = false;
  Operand pixels_at_ = v_int(0), weights_at_ = v_int(0);  ///< of the strip in its buffers
};

}  // namespace

std::vector<TapGroup> tap_groups(const std::vector<int64_t>& taps, int most) {
  std::vector<TapGroup> out;
  for (size_t d = 0; d < taps.size(); ++d)
    if (!out.empty() && out.back().count < most && taps[d] == out.back().at + out.back().count) ++out.back().count;
    else out.push_back({taps[d], static_cast<int>(d), 1});
  return out;
}

int64_t tile_pitch(const ContractionBuilder& b, const ShortRows& p) {
  return (p.pixels() + b.lanes() - 1) / b.lanes() * b.lanes();
}

InnerFunction strip_function(ContractionBuilder& b, const StripShape& shape) { return Strip(b, shape).build(); }

std::vector<Operand> strip_sums(ContractionBuilder& b, const StripShape& shape, const StripPlace& place, Block& out) {
  return Strip(b, shape).build_at(place, out);
}

Stmt sliding_or(ContractionBuilder& b, const StripShape& shape, const StripRows& rows, Stmt plain) {
  const size_t taps = b.c.depth.size();
  if (!shape.taps.empty() || shape.plane || rows.left.depth_table < 0 || rows.left.run > 1 || taps < 2 ||
      b.c.rows.size() != 1 || b.c.word_numbers == 4 || b.isa.vector_registers < 2 * shape.height + 2)
    return plain;
  const std::vector<LoopVar> outer(b.c.depth.begin(), b.c.depth.end() - 2);
  const Operand down = b.extent(b.c.depth[taps - 2]), across = b.extent(b.c.depth[taps - 1]);
  const Operand row_step = rows.left.row_coefficients.at(b.c.rows[0].name);
  const auto offset = [&](const Operand& tap) {
    return v_cast(v_load(rows.left.depth_table, shape.table_type, tap), DType::I64);
  };
  const std::vector<BufferArgument>& given = std::get<SCall>(plain.node).buffers;  // rows, weights, tile, table
  SCall call;
  call.function = function_number(b, Strip(b, shape).build_sliding());
  call.buffers = {given[0]};
  call.buffers.insert(call.buffers.end(), given.begin() + shape.height, given.end());
  call.args = {b.extent_of(outer), down, across, row_step, rows.weight_step};
  const Operand alike = v_apply(ScalarOp::Eq, {offset(across) - offset(v_int(0)), row_step});
  Block slide{s_if(alike, {{std::move(call)}}, {plain})};
  const Operand all = v_apply(ScalarOp::And, {v_apply(ScalarOp::Eq, {rows.count, v_int(shape.height)}),
                                              v_apply(ScalarOp::Gt, {down, v_int(1)})});
  return s_if(all, std::move(slide), {std::move(plain)});
}

}  // namespace tenon
