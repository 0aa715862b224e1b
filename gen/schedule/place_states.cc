// Which states are written in place.
#include <functional>
#include <optional>

#include "algebra/contraction.h"
#include "ir/kernel/statement_parts.h"
#include "schedule/fused_kernel.h"
#include "schedule/index_map.h"
#include "schedule/plan_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// One state and the step that makes its new contents.
struct Replacement {
  PlanState* state = nullptr;
  size_t step = 0;
  size_t target = 0;  ///< the step's tensor that becomes the new contents
};

class StatePlacer {
 public:
  explicit StatePlacer(ExecutionPlan& plan) : plan_(plan) {}

  void run() {
    for (PlanState& s : plan_.state)
      if (const auto r = replacement(s); r && !is_needed_after(*r)) place(*r);
    for (PlanStep& s : plan_.steps)
      if (any_of(s.kernel.tensors, [](const Tensor& t) { return t.shared; }))
        s.kernel = with_flat_elements(std::move(s.kernel));
  }

 private:
  const PlanBuffer& buffer(int b) const { return plan_.buffer(b); }
  bool is_of(int b, int root) const { return b >= 0 && root_of(plan_, b) == root; }

  /// The only step that writes the new contents, which have memory of their own so far and are outside of all loops.
  std::optional<Replacement> replacement(PlanState& s) const {
    if (buffer(s.next).kind != BufferKind::Arena || buffer(s.next).region != kTopLevel) return std::nullopt;
    std::optional<Replacement> out;
    for (size_t i = 0; i < plan_.steps.size(); ++i)
      for (size_t t = 0; t < plan_.steps[i].buffers.size(); ++t) {
        if (!is_of(plan_.steps[i].buffers[t], s.next) || plan_.steps[i].kernel.tensors[t].role != Role::Output)
          continue;
        if (out || plan_.steps[i].buffers[t] != s.next || plan_.steps[i].region != kTopLevel) return std::nullopt;
        out = Replacement{&s, i, t};
      }
    return in_regions(s.next) || in_regions(s.held) ? std::nullopt : out;
  }

  /// Whether a loop or branch copies the buffer or decides by it.
  bool in_regions(int root) const {
    return any_of(plan_.regions, [&](const PlanRegion& r) {
      for (const int b : {r.count, r.starts, r.continues, r.condition})
        if (is_of(b, root)) return true;
      const auto copies = [&](const PlanCopy& c) { return is_of(c.to, root) || is_of(c.from, root); };
      return any_of(r.before, copies) || any_of(r.after, copies);
    });
  }

  /// Whether a later step, an output or another state needs the old contents.
  bool is_needed_after(const Replacement& r) const {
    const int held = r.state->held;
    for (size_t i = r.step + 1; i < plan_.steps.size(); ++i)
      for (const int b : plan_.steps[i].buffers)
        if (is_of(b, held)) return true;
    const auto named = [&](int b) { return is_of(b, held); };
    return any_of(plan_.outputs, named) || any_of(plan_.state, [&](const PlanState& s) { return named(s.next); });
  }

  void place(const Replacement& r) {
    PlanStep& step = plan_.steps[r.step];
    std::vector<size_t> old;  // the step's tensors in the memory of the old contents
    for (size_t t = 0; t < step.buffers.size(); ++t)
      if (is_of(step.buffers[t], r.state->held)) old.push_back(t);
    if (old.size() > 1) return;
    if (old.size() == 1) {
      if (!is_replaced_by_element(step.kernel, old[0], r.target) || place_of(plan_, step.buffers[old[0]]).offset != 0 ||
          buffer(step.buffers[old[0]]).bytes != bytes_of(r))
        return;
      step.kernel.tensors[old[0]].shared = step.kernel.tensors[r.target].shared = true;
    }
    PlanBuffer& next = plan_.buffer(r.state->next);
    next.kind = BufferKind::View;
    next.base = r.state->held;
    next.base_offset = 0;
  }

  int64_t bytes_of(const Replacement& r) const { return buffer(r.state->next).bytes; }

  /// Whether no statement reads an element of `old` after it is replaced. Temps preserve read values: lowering computes
  /// none that reads a shared tensor at another element.
  static bool is_replaced_by_element(const Kernel& k, size_t old, size_t target) {
    if (k.call || has_recurrence(k) || k.tensors[target].dims.empty()) return false;
    const auto writes = [&](const KernelStatement& s) { return static_cast<size_t>(s.target) == target; };
    const auto writer = find_if(k.body, writes);
    if (count_if(k.body, writes) != 1 || !goes_by_element(*writer)) return false;
    for (auto s = k.body.begin(); s != k.body.end(); ++s)
      if (reads(*s, old) && (s > writer || !goes_by_element(*s) || !reads_its_element(k, *s, old))) return false;
    return none_of(k.body, [](const KernelStatement& s) { return has_node<Reduce>(s.value); }) || find_contraction(k);
  }

  /// Whether the loops are over the elements of the target, in their order.
  static bool goes_by_element(const KernelStatement& s) {
    if (s.update != Update::Assign || s.index.size() != s.loops.size()) return false;
    for (size_t d = 0; d < s.index.size(); ++d) {
      const auto* v = std::get_if<VarRef>(&s.index[d]->node);
      if (!(v && v->name == s.loops[d].name) && !(is_one(s.loops[d].extent) && is_zero(s.index[d]))) return false;
    }
    return true;
  }

  static bool reads(const KernelStatement& s, size_t tensor) { return reads_tensor(s, static_cast<int>(tensor)); }

  /// Whether the statement reads no element of the tensor but the one that it writes.
  static bool reads_its_element(const Kernel& k, const KernelStatement& s, size_t tensor) {
    const Ranges ranges = ranges_of(s.loops);
    const Tensor& out = k.tensor(s.target);
    bool right = true;
    const std::function<void(const Expr&, bool)> look = [&](const Expr& e, bool reduced) {
      const auto* r = std::get_if<Read>(&e->node);
      if (r && static_cast<size_t>(r->tensor) == tensor)
        right = right && !reduced && !r->fill && same_element(k.tensors[tensor], r->index, out, s.index, ranges);
      each_child(e, [&](const Expr& c) { look(c, reduced || std::holds_alternative<Reduce>(e->node)); });
    };
    look(s.value, false);
    return right;
  }

  ExecutionPlan& plan_;
};

}  // namespace

void place_states(ExecutionPlan& plan) { StatePlacer(plan).run(); }

}  // namespace tenon
