// Text form and verifier of execution plans.
#include "ir/plan/execution_plan.h"

#include <fmt/format.h>

#include "support/ranges.h"

namespace tenon {
namespace {

std::string_view name_of(BufferKind k) {
  constexpr std::string_view names[] = {"input", "output", "constant", "arena", "slice", "view", "state"};
  return names[static_cast<size_t>(k)];
}

std::string region_text(const ExecutionPlan& plan, size_t id) {
  const PlanRegion& r = plan.regions[id];
  const auto name = [&](int b) { return plan.buffer(b).name; };
  std::string out = fmt::format("  region {}{}: ", id, r.parent == kTopLevel ? "" : fmt::format(" in {}", r.parent));
  std::string equal;
  for (const EqualExtents& e : r.equal) equal += fmt::format("; equal {}, {}", to_text(e.a), to_text(e.b));
  if (r.kind == Region::Kind::branch)
    return out + fmt::format("if {}{}{}\n", r.holds ? "" : "not ", name(r.condition), equal);
  out += fmt::format("loop {} < {}", r.counter, to_text(r.trip));
  if (r.count >= 0) out += " and " + name(r.count);
  if (r.starts >= 0) out += " if " + name(r.starts);
  if (r.continues >= 0) out += " while " + name(r.continues);
  for (const PlanCopy& c : r.before) out += fmt::format("; first {} = {}", name(c.to), name(c.from));
  for (const PlanCopy& c : r.after) out += fmt::format("; then {} = {}", name(c.to), name(c.from));
  return out + equal + "\n";
}

/// Follows the plan and notes which buffers have been written.
class PlanVerifier {
 public:
  explicit PlanVerifier(const ExecutionPlan& plan) : plan_(plan), written_(plan.buffers.size(), false) {
    for (size_t i = 0; i < plan.buffers.size(); ++i) written_[i] = is_written_before(plan.buffers[i].kind);
  }

  std::vector<std::string> run() {
    for (const PlanStep& s : plan_.steps) {
      move_to(s.region);
      step(s);
    }
    move_to(kTopLevel);
    for (const PlanState& s : plan_.state) read(s.next, "the state " + name(s.held));
    for (const int o : plan_.outputs)
      if (!written_[static_cast<size_t>(o)]) errors_.push_back(name(o) + " is never written");
    return errors_;
  }

 private:
  static bool is_written_before(BufferKind k) {
    return k == BufferKind::Input || k == BufferKind::Constant || k == BufferKind::State;
  }
  std::string name(int b) const { return plan_.buffer(b).name; }
  void read(int b, const std::string& where) {
    if (b >= 0 && !written_[static_cast<size_t>(root_of(plan_, b))])
      errors_.push_back(fmt::format("{} reads {} before it is written", where, name(b)));
  }
  void write(int b) { written_[static_cast<size_t>(root_of(plan_, b))] = true; }

  void move_to(RegionId to) {
    const RegionChange change = region_change(plan_.regions, at_, to);
    for (const RegionId id : change.left) {
      const PlanRegion& r = plan_.region(id);
      read(r.continues, r.origin);
      for (const PlanCopy& c : r.after) read(c.from, r.origin), write(c.to);
    }
    for (const RegionId id : change.entered) {
      const PlanRegion& r = plan_.region(id);
      for (const int b : {r.count, r.starts, r.condition}) read(b, r.origin);
      for (const PlanCopy& c : r.before) read(c.from, r.origin), write(c.to);
    }
    at_ = to;
  }

  void step(const PlanStep& s) {
    if (s.buffers.size() != s.kernel.tensors.size())
      errors_.push_back(
          fmt::format("{}: {} buffers for {} tensors", s.kernel.name, s.buffers.size(), s.kernel.tensors.size()));
    for (size_t t = 0; t < s.buffers.size() && t < s.kernel.tensors.size(); ++t) {
      const int b = s.buffers[t];
      const Role role = s.kernel.tensors[t].role;
      const bool there = b < static_cast<int>(plan_.buffers.size()) &&
                         (b < 0) == (role == Role::Temp || !s.kernel.tensors[t].extent.empty());
      if (!there) errors_.push_back(fmt::format("{}: {} has no buffer", s.kernel.name, s.kernel.tensors[t].name));
      else if (role == Role::Input || role == Role::Constant) read(b, s.kernel.name);
    }
    for (size_t t = 0; t < s.buffers.size(); ++t)
      if (s.buffers[t] >= 0 && s.kernel.tensors[t].role == Role::Output) write(s.buffers[t]);
    for (const std::string& e : verify(s.kernel)) errors_.push_back(s.kernel.name + ": " + e);
  }

  const ExecutionPlan& plan_;
  std::vector<bool> written_;
  RegionId at_ = kTopLevel;
  std::vector<std::string> errors_;
};

}  // namespace

BufferPlace place_of(const ExecutionPlan& plan, int buffer) {
  BufferPlace place{buffer, 0};
  for (const PlanBuffer* b = &plan.buffer(buffer); b->kind == BufferKind::View; b = &plan.buffer(place.root)) {
    place.offset += b->base_offset;
    place.root = b->base;
  }
  return place;
}

int root_of(const ExecutionPlan& plan, int buffer) {
  while (true) {
    const PlanBuffer& b = plan.buffer(buffer);
    if (b.kind == BufferKind::View) buffer = b.base;
    else if (b.kind == BufferKind::Slice) buffer = b.whole;
    else return buffer;
  }
}

bool is_in_place(const ExecutionPlan& plan, const PlanState& state) {
  return place_of(plan, state.next).root == state.held;
}

std::string arena_place_text(const ExecutionPlan& plan, int memory, int64_t offset) {
  return plan.memories.empty() ? fmt::format("{}", offset)
                               : fmt::format("{} + {}", plan.memories[static_cast<size_t>(memory)].name, offset);
}

std::optional<size_t> last_writer(const ExecutionPlan& plan, const EqualExtents& extents) {
  std::vector<std::string> names = concat(names_in(extents.a), names_in(extents.b));
  std::optional<size_t> last;
  for (const GraphSize& size : plan.sizes) {
    if (!size.written || !contains(names, size.name)) continue;
    const auto writes = [&](const PlanStep& s) {
      return any_of(s.kernel.tensors, [&](const Tensor& t) { return t.extent == size.name; });
    };
    const auto step = find_if(plan.steps, writes);
    if (step == plan.steps.end()) return std::nullopt;
    last = std::max(last.value_or(0), static_cast<size_t>(step - plan.steps.begin()));
  }
  return last;
}

std::string to_text(const ExecutionPlan& plan) {
  std::string out = fmt::format("plan {}\n", plan.name);
  for (const GraphSize& s : plan.sizes) out += fmt::format("  size {} = {}..{}\n", s.name, s.lo, s.hi);
  for (const EqualExtents& e : plan.equal) out += fmt::format("  equal {}, {}\n", to_text(e.a), to_text(e.b));
  for (const PlanBuffer& b : plan.buffers) {
    out += fmt::format("  {} {}: {}[{}] {} bytes", name_of(b.kind), b.name, tenon::name_of(b.dtype), to_text(b.dims),
                       b.bytes);
    if (b.kind == BufferKind::Arena) out += " at " + arena_place_text(plan, b.memory, b.offset);
    if (b.kind == BufferKind::State) out += fmt::format(" at {}", b.offset);
    if (b.kind == BufferKind::Slice)
      out +=
          fmt::format(" of {} in region {}{}", plan.buffer(b.whole).name, b.region, b.reversed ? " from the end" : "");
    if (b.kind == BufferKind::View) out += fmt::format(" in {} from {}", plan.buffer(b.base).name, b.base_offset);
    out += "\n";
  }
  for (size_t r = 0; r < plan.regions.size(); ++r) out += region_text(plan, r);
  for (const PlanStep& s : plan.steps) {
    out += fmt::format("  step {}{}(", s.region == kTopLevel ? "" : fmt::format("in region {}: ", s.region),
                       s.kernel.name);
    for (size_t i = 0, n = 0; i < s.buffers.size(); ++i)
      if (s.buffers[i] >= 0) out += fmt::format("{}{}", n++ ? ", " : "", plan.buffer(s.buffers[i]).name);
    out += s.scratch ? fmt::format(") scratch {} at {}", s.scratch,
                                   arena_place_text(plan, s.scratch_memory, s.scratch_offset))
                     : ")";
    out += s.twin >= 0 ? fmt::format(" by {}\n", plan.steps[static_cast<size_t>(s.twin)].kernel.name) : "\n";
  }
  for (const PlanState& s : plan.state)
    out += fmt::format("  state {} = {}{}\n", plan.buffer(s.held).name, plan.buffer(s.next).name,
                       is_in_place(plan, s) ? " in place" : "");
  for (const MemoryRegion& m : plan.memories)
    out += fmt::format("  memory {} {} bytes{}\n", m.name, m.bytes, m.budget ? fmt::format(" of {}", *m.budget) : "");
  out += fmt::format("  arena {} bytes\n", plan.arena_bytes);
  for (const PlanStep& s : plan.steps) out += to_text(s.kernel);
  return out;
}

std::vector<std::string> verify(const ExecutionPlan& plan) { return PlanVerifier(plan).run(); }

}  // namespace tenon
