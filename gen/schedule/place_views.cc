// Views: copies that need no memory of their own, and results in place.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "algebra/contraction.h"
#include "algebra/simplify.h"
#include "ir/kernel/statement_parts.h"
#include "schedule/index_map.h"
#include "schedule/plan_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

std::optional<int64_t> elements_of(const Tensor& t) {
  int64_t n = 1;
  for (const Expr& d : t.dims) {
    const auto c = constant_value(d);
    if (!c) return std::nullopt;
    n *= *c;
  }
  return n;
}

/// Offset in elements of `index` in `t`, for the variables of loops of more than one turn.
LinearForm offset_of(const Tensor& t, const std::vector<Expr>& index, const KernelStatement& s) {
  std::map<std::string, Expr> still;
  Ranges ranges;
  for (const LoopVar& v : s.loops) {
    ranges.extents[v.name] = v.extent;
    if (is_one(v.extent)) still[v.name] = constant_int(0);
  }
  Expr sum = constant_int(0);
  for (size_t d = 0; d < index.size(); ++d) sum = sum + index[d] * t.strides[d];
  return linear_form(simplify(substitute(sum, still), ranges));
}

/// A statement that copies a run of elements to a run of elements: where in the target element 0 of the source lands.
struct RunCopy {
  int from = 0, to = 0;  ///< tensors of the kernel
  int64_t shift = 0;     ///< offset in the target less the offset in the source, in elements
  bool all_from = false, all_to = false;
};

std::optional<RunCopy> run_copy(const Kernel& k, const KernelStatement& s) {
  const auto* r = std::get_if<Read>(&s.value->node);
  if (!r || r->fill || s.update != Update::Assign || is_in_recurrence(s)) return std::nullopt;
  const Tensor &from = k.tensor(r->tensor), &to = k.tensor(s.target);
  if (from.dtype != to.dtype || to.role != Role::Output || !is_dense(from) || !is_dense(to)) return std::nullopt;
  int64_t turns = 1;
  for (const LoopVar& v : s.loops) {
    const auto n = constant_value(v.extent);
    if (!n) return std::nullopt;
    turns *= *n;
  }
  const LinearForm there = offset_of(to, s.index, s), shift = there - offset_of(from, r->index, s);
  if (!shift.terms.empty()) return std::nullopt;
  return RunCopy{r->tensor, s.target, shift.constant, elements_of(from) == turns, elements_of(to) == turns};
}

class ViewPlacer {
 public:
  explicit ViewPlacer(ExecutionPlan& plan) : plan_(plan) {}

  void run() {
    count_writers();
    find_movable();
    for (size_t s = 0; s < plan_.steps.size(); ++s) copies(s);
    std::erase_if(plan_.steps, [](const PlanStep& s) { return s.kernel.body.empty() && !is_opaque(s.kernel); });
    find_lives();
    for (size_t s = 0; s < plan_.steps.size(); ++s) in_place(static_cast<int>(s));
  }

 private:
  PlanBuffer& buffer(int b) { return plan_.buffer(b); }

  /// Buffers of loops and branches are not moved: copies and slices refer to their offsets.
  void find_movable() {
    movable_.assign(plan_.buffers.size(), true);
    const auto keep = [&](int b) {
      if (b >= 0) movable_[static_cast<size_t>(b)] = movable_[static_cast<size_t>(root_of(plan_, b))] = false;
    };
    for (size_t b = 0; b < plan_.buffers.size(); ++b)
      if (plan_.buffers[b].kind == BufferKind::Slice || plan_.buffers[b].region != kTopLevel) keep(static_cast<int>(b));
    for (const PlanStep& s : plan_.steps)
      if (s.region != kTopLevel)
        for (const int b : s.buffers) keep(b);
    for (const PlanRegion& r : plan_.regions) {
      for (const int b : {r.count, r.starts, r.continues, r.condition}) keep(b);
      for (const auto* copies : {&r.before, &r.after})
        for (const PlanCopy& c : *copies) keep(c.to), keep(c.from);
    }
    for (const PlanState& s : plan_.state) keep(s.next);  // place_states decides
  }

  bool movable(int b) const { return movable_[static_cast<size_t>(b)]; }

  void count_writers() {
    writers_.assign(plan_.buffers.size(), 0);
    for (const PlanStep& s : plan_.steps)
      for (size_t t = 0; t < s.buffers.size(); ++t)
        if (s.buffers[t] >= 0 && s.kernel.tensors[t].role == Role::Output)
          ++writers_[static_cast<size_t>(s.buffers[t])];
  }

  void make_view(int b, int base, int64_t offset) {
    buffer(b).kind = BufferKind::View;
    buffer(b).base = base;
    buffer(b).base_offset = offset;
  }

  void copies(size_t s) {
    PlanStep& step = plan_.steps[s];
    if (!step.kernel.checks.empty()) return;
    whole_roots(s);
    for (size_t i = step.kernel.body.size(); i-- > 0;) {
      const auto copy = run_copy(step.kernel, step.kernel.body[i]);
      if (!copy) continue;
      const int from = step.buffers[static_cast<size_t>(copy->from)], to = step.buffers[static_cast<size_t>(copy->to)];
      if (from < 0 || to < 0 || !movable(from) || !movable(to) || !stays_as_it_is(s, *copy, from) ||
          !joins(step, *copy, from, to))
        continue;
      step.kernel.body.erase(step.kernel.body.begin() + static_cast<std::ptrdiff_t>(i));
      drop_unused(step, copy->from);
    }
  }

  /// A copy of a view of another buffer.
  struct PartCopy {
    int from = 0, tensor = 0;
    size_t statement = 0;
  };
  /// Buffers of which a step copies every part, adjacent in the order of the parts, become views themselves: a
  /// concatenation that begins with all that another one joins.
  void whole_roots(size_t s) {
    PlanStep& step = plan_.steps[s];
    std::map<std::tuple<int, int, int64_t>, std::vector<PartCopy>>
        parts;  // by the buffer, the target and the buffer's position in it
    for (size_t i = 0; i < step.kernel.body.size(); ++i) {
      const auto copy = run_copy(step.kernel, step.kernel.body[i]);
      if (!copy || !copy->all_from) continue;
      const int from = step.buffers[static_cast<size_t>(copy->from)], to = step.buffers[static_cast<size_t>(copy->to)];
      if (from < 0 || to < 0 || buffer(from).kind != BufferKind::View || !movable(from) || !movable(to) ||
          !stays_as_it_is(s, *copy, from))
        continue;
      const BufferPlace place = place_of(plan_, from);
      parts[{place.root, to, copy->shift * bytes_of(buffer(from).dtype) - place.offset}].push_back(
          {from, copy->from, i});
    }
    std::vector<PartCopy> gone;
    for (const auto& [key, copies] : parts) {
      const auto& [root, to, offset] = key;
      if (buffer(root).kind != BufferKind::Arena || !movable(root) || place_of(plan_, to).root == root ||
          !cover(copies, root))
        continue;
      make_view(root, to, offset);
      append(gone, copies);
    }
    sort(gone, [](const PartCopy& a, const PartCopy& b) { return a.statement > b.statement; });
    for (const PartCopy& c : gone)
      step.kernel.body.erase(step.kernel.body.begin() + static_cast<std::ptrdiff_t>(c.statement));
    sort(gone, [](const PartCopy& a, const PartCopy& b) { return a.tensor > b.tensor; });
    for (const PartCopy& c : gone) drop_unused(step, c.tensor);
  }

  /// Whether the parts are all of the buffer, each byte once.
  bool cover(const std::vector<PartCopy>& parts, int root) const {
    std::map<int64_t, int64_t> ends;  // by where they begin
    for (const PartCopy& p : parts) {
      const int64_t begin = place_of(plan_, p.from).offset;
      if (!ends.emplace(begin, begin + plan_.buffer(p.from).bytes).second) return false;
    }
    int64_t covered = 0;
    for (const auto& [begin, end] : ends) {
      if (begin != covered) return false;
      covered = end;
    }
    return covered == plan_.buffer(root).bytes;
  }

  /// Whether nobody reads the source after what the step does to the copy: a scatter changes the copy.
  bool stays_as_it_is(size_t at, const RunCopy& copy, int from) const {
    const Kernel& k = plan_.steps[at].kernel;
    const auto changes = [&](const KernelStatement& s) { return s.target == copy.to && s.update != Update::Assign; };
    const auto first = find_if(k.body, changes);
    if (first == k.body.end()) return true;
    const int root = place_of(plan_, from).root;
    const auto lies_there = [&](int tensor) {
      const int b = tensor == copy.to ? -1 : plan_.steps[at].buffers[static_cast<size_t>(tensor)];
      return b >= 0 && place_of(plan_, b).root == root;  // the source, or the same value as another operand
    };
    const auto reads = [&](const Expr& e) { return any_read(e, [&](const Read& r) { return lies_there(r.tensor); }); };
    if (std::any_of(first, k.body.end(), [&](const KernelStatement& s) { return any_expression(s, reads); }))
      return false;
    for (size_t later = at + 1; later < plan_.steps.size(); ++later)
      for (const int b : plan_.steps[later].buffers)
        if (b >= 0 && place_of(plan_, b).root == root) return false;
    return true;
  }

  /// Makes one buffer of the copy a view of the other; false where neither can be.
  bool joins(const PlanStep& step, const RunCopy& copy, int from, int to) {
    const int64_t bytes = copy.shift * bytes_of(buffer(from).dtype);
    if (step.kernel.body.size() == 1 && copy.all_to && buffer(to).kind == BufferKind::Arena)
      return make_view(to, from, -bytes), true;
    if (!copy.all_from || buffer(from).kind != BufferKind::Arena || writers_[static_cast<size_t>(from)] != 1)
      return false;
    if (place_of(plan_, to).root == from) return false;
    return make_view(from, to, bytes), true;
  }

  /// Takes a tensor that nothing reads out of the kernel.
  static void drop_unused(PlanStep& step, int tensor) {
    Kernel& k = step.kernel;
    if (any_of(k.body, [&](const KernelStatement& s) { return s.target == tensor || reads_tensor(s, tensor); }) ||
        any_of(k.checks, [&](const Check& c) { return reads_tensor(c.holds, tensor); }))
      return;
    drop_tensor(k, tensor);
    step.buffers.erase(step.buffers.begin() + tensor);
  }

  void find_lives() {
    last_.assign(plan_.buffers.size(), -1);
    for (size_t s = 0; s < plan_.steps.size(); ++s)
      for (const int b : plan_.steps[s].buffers)
        if (b >= 0) last_[static_cast<size_t>(place_of(plan_, b).root)] = static_cast<int>(s);
  }

  void in_place(int s) {
    PlanStep& step = plan_.steps[static_cast<size_t>(s)];
    const Kernel& k = step.kernel;
    if (k.body.size() != 1 || k.body[0].update != Update::Assign || is_in_recurrence(k.body[0])) return;
    const size_t out = static_cast<size_t>(k.body[0].target);
    const int to = step.buffers[out];
    if (to < 0 || !movable(to) || writers_[static_cast<size_t>(to)] != 1) return;
    for (size_t t = 0; t < k.tensors.size(); ++t) {
      const int from = step.buffers[t];
      if (k.tensors[t].role != Role::Input || from < 0 || !movable(from) || !may_hold(s, from, to) ||
          !read_in_step(k, t))
        continue;
      if (!only_tensor_of_root(step, t)) continue;
      const int root = place_of(plan_, from).root;
      if (buffer(to).kind == BufferKind::Arena) {
        make_view(to, from, 0);
        last_[static_cast<size_t>(root)] = last_[static_cast<size_t>(to)];
      } else {
        make_view(root, to, 0);
      }
      step.kernel.tensors[t].shared = step.kernel.tensors[out].shared = true;
      return;
    }
  }

  /// Nothing needs `from` after step `s`, and it is as large as `to`, which has no memory yet or is what the model
  /// gives out.
  bool may_hold(int s, int from, int to) {
    const BufferPlace place = place_of(plan_, from);
    const PlanBuffer &root = buffer(place.root), &target = buffer(to);
    if (root.kind != BufferKind::Arena || last_[static_cast<size_t>(place.root)] != s) return false;
    if (buffer(from).bytes != target.bytes || bytes_of(buffer(from).dtype) != bytes_of(target.dtype) ||
        buffer(from).dims.size() == 0)
      return false;
    if (target.kind == BufferKind::Arena) return true;
    return target.kind == BufferKind::Output && place.offset == 0 && root.bytes == target.bytes &&
           place_of(plan_, to).root == to;
  }

  bool only_tensor_of_root(const PlanStep& step, size_t tensor) {
    const int root = place_of(plan_, step.buffers[tensor]).root;
    for (size_t t = 0; t < step.buffers.size(); ++t)
      if (t != tensor && step.buffers[t] >= 0 && place_of(plan_, step.buffers[t]).root == root) return false;
    return true;
  }

  /// Every read of the tensor is of the element that the statement writes, and none is inside of a reduction but a
  /// contraction's.
  static bool read_in_step(const Kernel& k, size_t tensor) {
    const KernelStatement& s = k.body[0];
    const Tensor &in = k.tensors[tensor], &out = k.tensor(s.target);
    const Ranges ranges = ranges_of(s.loops);
    bool in_step = true, reduces = false;
    const std::function<void(const Expr&, bool)> look = [&](const Expr& e, bool reduced) {
      const bool inner = std::holds_alternative<Reduce>(e->node);
      reduces = reduces || inner;
      const auto* r = std::get_if<Read>(&e->node);
      if (r && static_cast<size_t>(r->tensor) == tensor)
        in_step = in_step && !reduced && !r->fill && same_element(in, r->index, out, s.index, ranges);
      each_child(e, [&](const Expr& c) { look(c, reduced || inner); });
    };
    look(s.value, false);
    return in_step && (!reduces || find_contraction(k));
  }

  ExecutionPlan& plan_;
  std::vector<int> writers_;
  std::vector<bool> movable_;
  std::vector<int> last_;
};

}  // namespace

void place_views(ExecutionPlan& plan) { ViewPlacer(plan).run(); }

}  // namespace tenon
