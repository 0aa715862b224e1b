// Lays out constant right sides of contractions as panels, and rewrites the reads.
#include <fmt/format.h>

#include <cstring>

#include "algebra/pair_depth.h"
#include "schedule/plan_passes.h"
#include "support/parallel.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// A variable of the packed read: its extent and its step in the original data.
struct PackedAxis {
  LoopVar var;
  int64_t extent = 0, step = 0;
  int64_t numbers = 0;  ///< > 0: the number of elements per word, fewer in the last one
  int word = 1;         ///< numbers of a word
};

constexpr int64_t kLine = 64;  // bytes of a cache line: each depth index of a panel is one

struct Packing {
  int tensor = -1;
  std::vector<PackedAxis> outer, depth;
  PackedAxis column;
  int64_t first = 0;  ///< offset of element 0 in the original data
  int64_t width = 0;
  std::string paired;             ///< the depth variable whose neighbours make words; or none
  std::vector<PackedAxis> quads;  ///< not empty: the depth by words of four bytes, which follow those of two

  int64_t depth_extent() const {
    int64_t n = 1;
    for (const PackedAxis& a : depth) n *= a.extent;
    return n;
  }
  int64_t panels() const { return (column.extent + width - 1) / width; }
};

/// Whether the sum, of which the statement may have several copies, reads the tensor once, and nothing else does.
bool reads_once(const Contraction& c, int tensor) {
  const auto reads = [&](const Expr& in, bool also_in_sums) {
    int n = 0;
    walk(in, [&](const Expr& e) {
      const auto* r = std::get_if<Read>(&e->node);
      n += r && r->tensor == tensor ? 1 : 0;
      return also_in_sums || !std::holds_alternative<Reduce>(e->node);
    });
    return n;
  };
  return reads(std::get<Reduce>(c.sum->node).value, true) == 1 && reads(c.statement->value, false) == 0;
}

std::optional<PackedAxis> axis_of(const LoopVar& v, const AffineForm& form) {
  const auto extent = constant_value(v.extent), step = constant_value(form.coefficient(v.name));
  if (!extent || !step || *extent < 1) return std::nullopt;
  return PackedAxis{v, *extent, *step};
}

/// The axis in words of `word` elements.
PackedAxis by_words(PackedAxis axis, int word) {
  axis.numbers = axis.extent;
  axis.extent = (axis.extent + word - 1) / word;
  axis.step *= word;
  axis.word = word;
  return axis;
}

/// The depth by words of four bytes of the left side; empty if there are none.
std::vector<PackedAxis> quads_of(const Kernel& kernel, const Contraction& c, const std::vector<PackedAxis>& depth) {
  const Read* left = plain_read(c.left);
  const auto chosen = left ? quad_variable(kernel, c, *left) : std::nullopt;
  if (!chosen) return {};
  std::vector<PackedAxis> out = depth;
  out[*chosen] = by_words(out[*chosen], 4);
  return out;
}

/// How the right side of `c` would be packed; nothing where it is not a constant or its extents are open.
std::optional<Packing> plan_packing(const Kernel& kernel, const Contraction& c, bool quads) {
  Packing p;
  const Read* read = plain_read(c.right);
  if (!read || c.columns.size() != 1) return std::nullopt;
  p.tensor = read->tensor;
  const Tensor& t = kernel.tensor(p.tensor);
  const auto pairs = t.dtype == c.accumulator ? std::nullopt : pair_depth(kernel, c);
  if (t.role != Role::Constant || (t.dtype != c.accumulator && !pairs) || !reads_once(c, p.tensor)) return std::nullopt;
  if (pairs) p.paired = pairs->paired;
  ValueScope scope;
  scope.kernel = &kernel;
  const auto form = offset_form(p.tensor, read->index, concat(c.statement->loops, c.depth), scope);
  if (!form || !constant_value(form->rest)) return std::nullopt;
  p.first = *constant_value(form->rest);
  const auto add = [&](const LoopVar& v, std::vector<PackedAxis>& to) {
    const auto axis = axis_of(v, *form);
    if (axis && (axis->step != 0 || &to != &p.outer))
      to.push_back(*axis);  // every product of a batch takes the same panels
    return axis.has_value();
  };
  for (const LoopVar& v : c.outer_right)
    if (!add(v, p.outer)) return std::nullopt;
  for (const LoopVar& v : c.depth)
    if (!add(v, p.depth)) return std::nullopt;
  if (quads && pairs && t.dtype == DType::I8) p.quads = quads_of(kernel, c, p.depth);
  for (PackedAxis& a : p.depth)
    if (a.var.name == p.paired) a = by_words(a, 2);
  const auto column = axis_of(c.columns[0], *form);
  if (!column) return std::nullopt;
  p.column = *column;
  p.width = kLine / (bytes_of(t.dtype) * (pairs ? 2 : 1));
  return p;
}

int64_t product(const std::vector<int64_t>& extents) {
  int64_t n = 1;
  for (const int64_t e : extents) n *= e;
  return n;
}

int64_t product_of(const std::vector<PackedAxis>& axes) {
  int64_t n = 1;
  for (const PackedAxis& a : axes) n *= a.extent;
  return n;
}

/// Offset in the original data of element `flat` of the row-major space of `axes`.
int64_t offset_at(const std::vector<PackedAxis>& axes, int64_t flat) {
  int64_t at = 0;
  for (size_t i = axes.size(); i-- > 0;) {
    at += flat % axes[i].extent * axes[i].step;
    flat /= axes[i].extent;
  }
  return at;
}

/// From the first number of word `flat` of the depth to number `k` of it; nothing where it has none.
std::optional<int64_t> number_of_word(const std::vector<PackedAxis>& depth, int64_t flat, int k) {
  for (size_t i = depth.size(); i-- > 0; flat /= depth[i].extent) {
    const PackedAxis& a = depth[i];
    if (a.numbers > 0)
      return flat % a.extent * a.word + k < a.numbers ? std::optional(a.step / a.word * k) : std::nullopt;
  }
  return k == 0 ? std::optional<int64_t>(0) : std::nullopt;
}

constexpr int64_t kNone = INT64_MIN;  // instead of an offset: a zero

/// The depth of a panel: words of several elements, and the offset of each element from that of the first row.
struct DepthRows {
  int word = 1;
  std::vector<int64_t> offsets;  ///< kNone after the end of a word
};
DepthRows depth_rows(const std::vector<PackedAxis>& depth, int word) {
  DepthRows out{word, {}};
  for (int64_t d = 0; d < product_of(depth); ++d)
    for (int k = 0; k < word; ++k) {
      const auto number = number_of_word(depth, d, k);
      out.offsets.push_back(number ? offset_at(depth, d) + *number : kNone);
    }
  return out;
}

/// Writes one panel.
class PanelWriter {
 public:
  PanelWriter(const Packing& p, int64_t outer, const TensorData& from, unsigned char* to)
      : p_(p), first_(p.first + offset_at(p.outer, outer)), from_(from), to_(to) {}

  /// Columns first..first+count-1 for every index of the depth, words adjacent.
  void rows(const DepthRows& depth, int64_t first, int64_t count) {
    const auto word = static_cast<size_t>(depth.word);
    for (size_t d = 0; d < depth.offsets.size(); d += word)
      for (int64_t n = first; n < first + count; ++n)
        for (size_t k = 0; k < word; ++k) put(place(depth.offsets[d + k], n));
  }
  /// A row of 128 times the sum of each column's numbers, in 32 bits that wrap.
  void sums(const DepthRows& depth, int64_t first, int64_t count) {
    for (int64_t n = first; n < first + count; ++n) {
      uint32_t sum = 0;
      for (const int64_t offset : depth.offsets)
        if (const int64_t at = place(offset, n); at >= 0)
          sum += static_cast<uint32_t>(static_cast<int8_t>(from_.bytes[static_cast<size_t>(at)]));
      for (int k = 0; k < 4; ++k) *to_++ = static_cast<unsigned char>(sum * 128 >> (8 * k));
    }
  }

 private:
  int64_t place(int64_t offset, int64_t n) const {
    return offset != kNone && n < p_.column.extent ? first_ + offset + n * p_.column.step : -1;
  }
  void put(int64_t at) {
    const auto size = static_cast<size_t>(bytes_of(from_.dtype));
    if (at >= 0) std::memcpy(to_, &from_.bytes[static_cast<size_t>(at) * size], size);
    to_ += size;
  }

  const Packing& p_;
  int64_t first_;
  const TensorData& from_;
  unsigned char* to_;
};

TensorData packed_data(const Packing& p, const TensorData& from) {
  TensorData out;
  out.dtype = from.dtype;
  const BytePanel rows{p.depth_extent(), product_of(p.quads)};
  const int64_t outer = product_of(p.outer), depth = p.quads.empty() ? p.depth_extent() : rows.rows();
  out.dims = {outer, p.panels(), depth, p.width};
  const int word = p.paired.empty() ? 1 : 2;
  if (word > 1) out.dims.push_back(word);
  out.bytes.resize(static_cast<size_t>(product(out.dims) * bytes_of(from.dtype)));
  const auto panels = static_cast<size_t>(outer * p.panels());
  const DepthRows words = depth_rows(p.depth, word), quads = depth_rows(p.quads, 4);
  for_each_index(panels, [&](size_t i) {
    const int64_t o = static_cast<int64_t>(i) / p.panels(), panel = static_cast<int64_t>(i) % p.panels();
    PanelWriter writer(p, o, from, out.bytes.data() + i * (out.bytes.size() / panels));
    writer.rows(words, panel * p.width, p.width);
    for (int half = 0; half < 2 && !p.quads.empty(); ++half) {
      const int64_t first = panel * p.width + half * BytePanel::kHalf;
      writer.sums(quads, first, BytePanel::kHalf);
      writer.rows(quads, first, BytePanel::kHalf);
    }
  });
  return out;
}

Expr flat_of(const std::vector<PackedAxis>& axes) {
  Expr flat = constant_int(0);
  for (const PackedAxis& a : axes) {
    const Expr v = var_ref(a.var.name);
    flat = (is_zero(flat) ? flat : flat * constant_int(a.extent)) +
           (a.numbers > 0 ? apply(ScalarOp::FloorDiv, {v, constant_int(2)}) : v);
  }
  return flat;
}

/// `e` with `fresh` in the place of each read of the tensor.
Expr with_read(const Expr& e, int tensor, const Expr& fresh) {
  if (const auto* r = std::get_if<Read>(&e->node); r && r->tensor == tensor) return fresh;
  return map_children(e, [&](const Expr& c) { return with_read(c, tensor, fresh); });
}

void rewrite(Kernel& kernel, const Packing& p, const TensorData& data) {
  Tensor& t = kernel.tensor(p.tensor);
  t.dims.clear();
  t.data = nullptr;  // those of the buffer are in another order from now on
  for (const int64_t n : data.dims) t.dims.push_back(constant_int(n));
  t.strides = contiguous_strides(t.dims);
  const Expr n = var_ref(p.column.var.name), width = constant_int(p.width);
  std::vector<Expr> index = {flat_of(p.outer), apply(ScalarOp::FloorDiv, {n, width}), flat_of(p.depth),
                             apply(ScalarOp::Mod, {n, width})};
  if (!p.paired.empty()) index.push_back(apply(ScalarOp::Mod, {var_ref(p.paired), constant_int(2)}));
  const Expr read = read_of(p.tensor, t.dtype, std::move(index));
  kernel.body[0].value = with_read(kernel.body[0].value, p.tensor, read);
}

/// `e` with the variables of its sums in another order.
Expr with_sums_over(const Expr& e, const std::vector<LoopVar>& vars) {
  if (const auto* r = std::get_if<Reduce>(&e->node)) return reduce_like(*r, vars, r->where, r->value, e->type);
  return map_children(e, [&](const Expr& c) { return with_sums_over(c, vars); });
}

/// Sums a convolution over its channels last, so that those of a pixel, adjacent in a copy, are read in order.
void sum_channels_last(Kernel& kernel) {
  const auto c = kernel.reassociate ? find_contraction(kernel) : std::nullopt;
  const auto channel = c ? channel_variable(kernel, *c) : std::nullopt;
  if (!channel || *channel + 1 == c->depth.size() || !plan_packing(kernel, *c, false)) return;
  std::vector<LoopVar> vars = std::get<Reduce>(c->sum->node).vars;
  std::stable_partition(vars.begin(), vars.end(), [&](const LoopVar& v) { return v.name != c->depth[*channel].name; });
  kernel.body[0].value = with_sums_over(kernel.body[0].value, vars);
}

bool used(const ExecutionPlan& plan, int buffer) {
  return any_of(plan.steps, [&](const PlanStep& s) { return contains(s.buffers, buffer); }) ||
         contains(plan.outputs, buffer);
}

}  // namespace

void prepack_weights(ExecutionPlan& plan, bool quads) {
  for (PlanStep& step : plan.steps) {
    sum_channels_last(step.kernel);
    const auto c = find_contraction(step.kernel);
    const auto p = c ? plan_packing(step.kernel, *c, quads) : std::nullopt;
    if (!p) continue;
    const int from = step.buffers[static_cast<size_t>(p->tensor)];
    PlanBuffer buffer = plan.buffer(from);
    if (!buffer.data) continue;
    auto data = std::make_shared<const TensorData>(packed_data(*p, *buffer.data));
    rewrite(step.kernel, *p, *data);
    buffer.dims.assign(data->dims.begin(), data->dims.end());
    buffer.bytes = static_cast<int64_t>(data->bytes.size());
    buffer.data = std::move(data);
    step.buffers[static_cast<size_t>(p->tensor)] = -1;
    if (used(plan, from)) {
      buffer.name += fmt::format("_packed{}", plan.buffers.size());
      step.buffers[static_cast<size_t>(p->tensor)] = static_cast<int>(plan.buffers.size());
      plan.buffers.push_back(std::move(buffer));
    } else {
      step.buffers[static_cast<size_t>(p->tensor)] = from;
      plan.buffer(from) = std::move(buffer);
    }
  }
}

}  // namespace tenon
