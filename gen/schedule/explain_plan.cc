// Text and diagrams of a plan.
#include "schedule/explain_plan.h"

#include <fmt/format.h>

#include <set>

#include "ir/kernel/kernel_cost.h"
#include "schedule/pack_blocks.h"
#include "support/file_form.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// "arena", or the memory of it.
std::string arena_name(const ExecutionPlan& plan, int memory) {
  return plan.memories.empty() ? "arena" : "arena " + plan.memories[static_cast<size_t>(memory)].name;
}

/// Where a buffer is, for the table.
std::string whereabouts(const ExecutionPlan& plan, int b) {
  const PlanBuffer& buffer = plan.buffer(b);
  switch (buffer.kind) {
    case BufferKind::Input: return "input";
    case BufferKind::Output: return "output";
    case BufferKind::Constant: return "weights";
    case BufferKind::Arena: return arena_name(plan, buffer.memory);
    case BufferKind::Slice: return "part of " + plan.buffer(buffer.whole).name;
    case BufferKind::State: return "state";
    case BufferKind::View: return "in " + plan.buffer(buffer.base).name;
  }
  return {};
}

std::string workspace_name(const ExecutionPlan& plan, size_t step) {
  const int memory = plan.steps[step].scratch_memory;
  return plan.memories.empty() ? "workspace" : "workspace " + plan.memories[static_cast<size_t>(memory)].name;
}

int64_t most_of(const std::vector<int64_t>& bytes) {
  return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

std::string offset_text(const ExecutionPlan& plan, int b) {
  const PlanBuffer& buffer = plan.buffer(b);
  if (buffer.kind == BufferKind::Arena || buffer.kind == BufferKind::State) return fmt::format("{}", buffer.offset);
  if (buffer.kind != BufferKind::View) return "";
  const BufferPlace place = place_of(plan, b);
  const PlanBuffer& root = plan.buffer(place.root);
  return root.kind == BufferKind::Arena ? fmt::format("{}", root.offset + place.offset)
                                        : fmt::format("+{}", place.offset);
}

/// Draws boxes in a frame of fixed size.
class Picture {
 public:
  explicit Picture(const ExecutionPlan& plan) : plan_(plan) {
    across_ = (kWidth - kLeft) / static_cast<double>(std::max<size_t>(1, plan.steps.size()));
    up_ = kHeight / static_cast<double>(std::max<int64_t>(1, plan.arena_bytes));
  }

  std::string run() {
    const std::vector<Lifetime> life = lifetimes(plan_);
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      const PlanBuffer& b = plan_.buffers[i];
      if (b.kind == BufferKind::Arena && life[i].last >= life[i].first)
        box(life[i], begin_of(b.memory) + b.offset, b.bytes, b.name, fmt::format("hsl({} 55% 70%)", i * 47 % 360));
    }
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const int at = static_cast<int>(s);
      if (plan_.steps[s].scratch > 0)
        box({at, at}, begin_of(plan_.steps[s].scratch_memory) + plan_.steps[s].scratch_offset, plan_.steps[s].scratch,
            "scratch of " + plan_.steps[s].kernel.name, "#ccc");
    }
    for (size_t m = 0; m < plan_.memories.size(); ++m) border(static_cast<int>(m));
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
        "font-size=\"9\">\n{10}\n"
        "<rect x=\"{2}\" y=\"10\" width=\"{3}\" height=\"{4}\" fill=\"none\" stroke=\"#888\"/>\n"
        "<text x=\"2\" y=\"18\">{5}</text><text x=\"2\" y=\"{6}\">0</text>\n{7}"
        "<text x=\"{2}\" y=\"{1}\" dy=\"-4\">{8}: {9} steps, arena {5} bytes</text>\n</svg>\n",
        kWidth + 10, kHeight + 30, kLeft, kWidth - kLeft, kHeight, plan_.arena_bytes, kHeight + 10, boxes_,
        xml_text(plan_.name), plan_.steps.size(), kSvgMark);
  }

 private:
  static constexpr int kWidth = 1000, kHeight = 500, kLeft = 60;

  void box(const Lifetime& life, int64_t offset, int64_t bytes, const std::string& name, const std::string& fill) {
    const double x = kLeft + across_ * life.first, w = across_ * (life.last - life.first + 1);
    const double h = up_ * static_cast<double>(bytes), y = 10 + kHeight - up_ * static_cast<double>(offset) - h;
    boxes_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" stroke=\"#333\" "
        "stroke-width=\"0.5\">"
        "<title>{}: {} bytes at {}, steps {} to {}</title></rect>\n",
        x, y, w, h, fill, xml_text(name), bytes, offset, life.first, life.last);
    if (h >= 10 && w >= 6.0 * static_cast<double>(name.size()))
      boxes_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 2, y + h / 2 + 3, xml_text(name));
  }

  /// Bytes below a memory: the regions of an arena are drawn one above the other.
  int64_t begin_of(int memory) const {
    int64_t out = 0;
    for (int m = 0; m < memory; ++m) out += plan_.memories[static_cast<size_t>(m)].bytes;
    return out;
  }

  /// The line at which a memory begins, with its name.
  void border(int memory) {
    const double y = 10 + kHeight - up_ * static_cast<double>(begin_of(memory));
    boxes_ += fmt::format(
        "<path d=\"M{0} {1:.1f}H{2}\" stroke=\"#333\" stroke-dasharray=\"6 3\"/><text x=\"2\" "
        "y=\"{3:.1f}\">{4}</text>\n",
        kLeft, y, kWidth, y - 4, xml_text(plan_.memories[static_cast<size_t>(memory)].name));
  }

  const ExecutionPlan& plan_;
  double across_ = 1, up_ = 1;
  std::string boxes_;
};

}  // namespace

std::string explain_kernels(const ExecutionPlan& plan, const std::vector<LoweredAs>& lowered) {
  std::string out = fmt::format("{}: {} kernels\n", plan.name, plan.steps.size());
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const PlanStep& step = plan.steps[s];
    out += fmt::format("{:>4} {}\n     operators: {}\n", s, step.kernel.name, step.origin);
    out += fmt::format("     blueprint: {}\n", lowered[s].blueprint);
    for (const std::string& why : lowered[s].one_thread) out += fmt::format("     one thread: {}\n", why);
    if (!step.algorithm.empty()) out += fmt::format("     algorithm: {}\n", step.algorithm);
    if (const auto cost = cost_of(step.kernel))
      out += fmt::format("     work: {:.0f} operations, {:.0f} bytes of operands\n", cost->flops, cost->bytes);
    if (step.scratch > 0) out += fmt::format("     workspace: {} bytes\n", step.scratch);
    if (step.twin >= 0) out += fmt::format("     the function is that of step {}\n", step.twin);
    for (const std::string& n : step.notes) out += fmt::format("     fused: {}\n", n);
  }
  return out;
}

std::string memory_table(const ExecutionPlan& plan) {
  const std::vector<Lifetime> life = lifetimes(plan);
  size_t widest = 6, place = 5;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    widest = std::max(widest, plan.buffers[i].name.size());
    place = std::max(place, whereabouts(plan, static_cast<int>(i)).size());
  }
  for (size_t s = 0; s < plan.steps.size(); ++s)
    if (!plan.memories.empty() && plan.steps[s].scratch > 0) place = std::max(place, workspace_name(plan, s).size());
  std::string out = fmt::format("{:<{}} {:<{}} {:>12} {:>12} {:>6} {:>6}\n", "buffer", widest, "where", place, "bytes",
                                "offset", "first", "last");
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlanBuffer& b = plan.buffers[i];
    if (b.kind == BufferKind::Constant || life[i].last < life[i].first) continue;
    out +=
        fmt::format("{:<{}} {:<{}} {:>12} {:>12} {:>6} {:>6}\n", b.name, widest, whereabouts(plan, static_cast<int>(i)),
                    place, b.bytes, offset_text(plan, static_cast<int>(i)), life[i].first, life[i].last);
  }
  for (size_t s = 0; s < plan.steps.size(); ++s)
    if (plan.steps[s].scratch > 0)
      out += fmt::format("{:<{}} {:<{}} {:>12} {:>12} {:>6} {:>6}\n", fmt::format("step {}", s), widest,
                         workspace_name(plan, s), place, plan.steps[s].scratch, plan.steps[s].scratch_offset, s, s);
  for (size_t m = 0; m < plan.memories.size(); ++m) {
    const MemoryRegion& region = plan.memories[m];
    out += fmt::format("arena {} {} bytes{}; {} bytes live at once at most\n", region.name, region.bytes,
                       region.budget ? fmt::format(" of {}", *region.budget) : "", most_of(live_bytes(plan, m)));
  }
  const int64_t most = most_of(live_bytes(plan));
  return out + fmt::format("arena {} bytes; {} bytes live at once at most\n", plan.arena_bytes, most);
}

std::string kept_text(const Graph& graph, const ExecutionPlan& plan) {
  std::set<std::string> gradients;
  for (const Node& n : graph.nodes)
    if (n.gradient) gradients.insert(n.op);
  const auto of_gradient = [&](const PlanStep& s) {
    return any_of(s.kernel.fused, [&](const std::string& op) { return gradients.contains(op); });
  };
  const auto first = find_if(plan.steps, of_gradient);
  if (first == plan.steps.end()) return "";
  const auto at = static_cast<int>(first - plan.steps.begin());
  const std::vector<Lifetime> life = lifetimes(plan);
  int64_t bytes = 0;
  size_t buffers = 0;
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].kind == BufferKind::Arena && life[i].first < at && life[i].last >= at)
      bytes += plan.buffers[i].bytes, ++buffers;
  return fmt::format("kept for the gradients, which begin with step {}: {} bytes in {} buffer{}\n", at, bytes, buffers,
                     buffers == 1 ? "" : "s");
}

std::string memory_picture(const ExecutionPlan& plan) { return Picture(plan).run(); }

}  // namespace tenon
