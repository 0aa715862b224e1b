// Rewrites kernels of a plan as Winograd convolutions and transforms their weights, in f64, rounded once.
#include <fmt/format.h>

#include <cstring>

#include "algebra/winograd_kernel.h"
#include "schedule/plan_passes.h"
#include "schedule/winograd_choice.h"
#include "support/parallel.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int64_t kPanel = 16;  // columns of a panel: a cache line of each depth index

/// Where a weight is: per loop that changes it, the extent and the step.
struct WeightAxis {
  int64_t extent = 1, step = 0;
};

struct WeightLayout {
  int64_t first = 0;
  std::vector<WeightAxis> outer;
  WeightAxis r, s, channel, filter;
};

std::optional<WeightLayout> layout_of(const Kernel& kernel, const Contraction& c, const TiledConvolution& conv) {
  ValueScope scope;
  scope.kernel = &kernel;
  const auto form = offset_form(conv.weights->tensor, conv.weights->index, concat(c.statement->loops, c.depth), scope);
  if (!form || !constant_value(form->rest)) return std::nullopt;
  WeightLayout out;
  out.first = *constant_value(form->rest);
  bool known = true;
  const auto axis = [&](const LoopVar& v) {
    const auto extent = constant_value(v.extent), step = constant_value(form->coefficient(v.name));
    known = known && extent && step;
    return WeightAxis{extent.value_or(1), step.value_or(0)};
  };
  for (const LoopVar& v : conv.outer)
    if (mentions(c.right, v.name)) out.outer.push_back(axis(v));
  out.r = axis(conv.r), out.s = axis(conv.s), out.channel = axis(conv.channel), out.filter = axis(conv.filter);
  return known ? std::optional(out) : std::nullopt;
}

/// filter · w · filterᵀ of the taps of one channel and filter.
class WeightTransform {
 public:
  WeightTransform(const TensorData& data, const WeightLayout& w, const WinogradTransform& t)
      : data_(data), w_(w), t_(t), points_(static_cast<size_t>(t.points())), taps_(static_cast<size_t>(t.taps)) {}

  /// points × points numbers for the taps that begin at `at`; they stay until the next call.
  const std::vector<double>& of(int64_t at) {
    rows_.assign(points_ * taps_, 0), out_.assign(points_ * points_, 0);
    for (size_t s = 0; s < taps_; ++s)
      for (size_t r = 0; r < taps_; ++r) {
        const double x =
            real_element(data_, at + static_cast<int64_t>(r) * w_.r.step + static_cast<int64_t>(s) * w_.s.step);
        for (size_t i = 0; i < points_; ++i) rows_[i * taps_ + s] += t_.filter[i][r] * x;
      }
    for (size_t i = 0; i < points_; ++i)
      for (size_t j = 0; j < points_; ++j)
        for (size_t s = 0; s < taps_; ++s) out_[i * points_ + j] += rows_[i * taps_ + s] * t_.filter[j][s];
    return out_;
  }

 private:
  const TensorData& data_;
  const WeightLayout& w_;
  const WinogradTransform& t_;
  size_t points_, taps_;
  std::vector<double> rows_, out_;
};

/// All weights, [outer · points²][filter / kPanel][channel][filter % kPanel].
TensorData transformed_weights(const TensorData& data, const WeightLayout& w, const WinogradTransform& t) {
  int64_t outer = 1;
  for (const WeightAxis& a : w.outer) outer *= a.extent;
  const int64_t planes = int64_t{t.points()} * t.points(), panels = (w.filter.extent + kPanel - 1) / kPanel;
  TensorData out;
  out.dims = {outer * planes, panels, w.channel.extent, kPanel};
  out.bytes.resize(static_cast<size_t>(outer * planes * panels * w.channel.extent * kPanel) * sizeof(float));
  for_each_index(static_cast<size_t>(outer * panels), [&](size_t i) {
    WeightTransform transform(data, w, t);
    const int64_t o = static_cast<int64_t>(i) / panels, panel = static_cast<int64_t>(i) % panels;
    int64_t first = w.first, rest = o;
    for (size_t a = w.outer.size(); a-- > 0; rest /= w.outer[a].extent)
      first += rest % w.outer[a].extent * w.outer[a].step;
    for (int64_t f = panel * kPanel; f < std::min(w.filter.extent, (panel + 1) * kPanel); ++f)
      for (int64_t c = 0; c < w.channel.extent; ++c) {
        const std::vector<double>& u = transform.of(first + f * w.filter.step + c * w.channel.step);
        for (int64_t p = 0; p < planes; ++p) {
          const auto value = static_cast<float>(u[static_cast<size_t>(p)]);
          const int64_t row = ((o * planes + p) * panels + panel) * w.channel.extent + c;
          std::memcpy(&out.bytes[static_cast<size_t>(row * kPanel + f % kPanel) * sizeof value], &value, sizeof value);
        }
      }
  });
  return out;
}

class WinogradRewriter {
 public:
  explicit WinogradRewriter(ExecutionPlan& plan) : plan_(plan) {
    for (const PlanBuffer& b : plan.buffers)
      if (b.data) all_weights_ += b.bytes;
  }

  void run(PlanStep& step, const Isa& isa) {
    if (!step.kernel.reassociate || is_opaque(step.kernel)) return;
    const auto c = find_contraction(step.kernel);
    const auto conv = c ? tiled_convolution(step.kernel, *c) : std::nullopt;
    const auto layout = conv ? layout_of(step.kernel, *c, *conv) : std::nullopt;
    const auto outputs = layout ? winograd_outputs(*conv, isa, all_weights_) : std::nullopt;
    if (!outputs) return;
    const auto weights = static_cast<size_t>(conv->weights->tensor);
    const PlanBuffer from = plan_.buffer(step.buffers[weights]);
    if (!from.data || reads_outside(step.kernel, conv->weights->tensor)) return;
    const WinogradTransform t = winograd_transform(*outputs, conv->taps, conv->stride);
    PlanBuffer u = from;
    u.data = std::make_shared<const TensorData>(transformed_weights(*from.data, *layout, t));
    u.dims.assign(u.data->dims.begin(), u.data->dims.end());
    u.bytes = static_cast<int64_t>(u.data->bytes.size());
    Kernel k = winograd_kernel(step.kernel, *c, *conv, t, kPanel);
    use_weights(k.tensors[weights], u);
    step.kernel = std::move(k);
    place_weights(step, weights, std::move(u));
    for (size_t i = step.buffers.size(); i < step.kernel.tensors.size(); ++i) {
      const Tensor& table = step.kernel.tensors[i];
      const std::string name = fmt::format("{}_{}", table.name, plan_.buffers.size());
      step.buffers.push_back(table.data ? table_buffer(plan_, table, name) : -1);
    }
    step.algorithm = algorithm_of(t);
  }

 private:
  static std::string algorithm_of(const WinogradTransform& t) {
    const int m = t.outputs, points = t.points() * t.points();
    return fmt::format(
        "Winograd, tiles of {0} x {0}: {1} multiplications a channel and filter, not {2}; errors up to {3:g} of the "
        "largest "
        "result",
        m, points, m * m * t.taps * t.taps, winograd_error(m, t.taps, t.stride));
  }

  /// Whether the tensor is read outside of the sum.
  static bool reads_outside(const Kernel& kernel, int tensor) {
    bool found = false;
    for (const KernelStatement& s : kernel.body)
      walk(s.value, [&](const Expr& e) {
        const auto* r = std::get_if<Read>(&e->node);
        found = found || (r && r->tensor == tensor);
        return !std::holds_alternative<Reduce>(e->node);
      });
    return found;
  }

  static void use_weights(Tensor& t, const PlanBuffer& u) {
    t.dims.clear();
    t.data = nullptr;
    for (const int64_t n : u.data->dims) t.dims.push_back(constant_int(n));
    t.strides = contiguous_strides(t.dims);
  }

  /// The transformed weights replace the old ones, unless something else reads those.
  void place_weights(PlanStep& step, size_t tensor, PlanBuffer u) {
    const int from = step.buffers[tensor];
    step.buffers[tensor] = -1;
    const bool used = contains(plan_.outputs, from) ||
                      any_of(plan_.steps, [&](const PlanStep& s) { return contains(s.buffers, from); });
    if (!used) {
      step.buffers[tensor] = from;
      plan_.buffer(from) = std::move(u);
      return;
    }
    u.name += fmt::format("_transformed{}", plan_.buffers.size());
    step.buffers[tensor] = plan_.add(std::move(u));
  }

  ExecutionPlan& plan_;
  int64_t all_weights_ = 0;  ///< bytes, before any transform
};

}  // namespace

void use_winograd(ExecutionPlan& plan, const std::vector<const Isa*>& levels) {
  const Isa* widest = nullptr;
  for (const Isa* isa : levels)
    if (isa->vector_bits > 0 && (!widest || isa->vector_bits > widest->vector_bits)) widest = isa;
  if (!widest) return;
  WinogradRewriter rewriter(plan);
  for (PlanStep& step : plan.steps) rewriter.run(step, *widest);
}

}  // namespace tenon
