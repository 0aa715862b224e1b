// Text form and verifier of execution plans.
#include "ir/execution_plan.h"

#include <fmt/format.h>

namespace tenon {
namespace {

std::string_view name_of(BufferKind k) {
  constexpr std::string_view names[] = {"input", "output", "constant", "arena"};
  return names[static_cast<size_t>(k)];
}

std::string list(const std::vector<SizeExpr>& dims) {
  std::string out;
  for (const SizeExpr& d : dims) out += (out.empty() ? "" : ", ") + to_text(d);
  return out;
}

}  // namespace

std::string to_text(const ExecutionPlan& plan) {
  std::string out = fmt::format("plan {}\n", plan.name);
  for (const GraphSize& s : plan.sizes) out += fmt::format("  size {} = {}..{}\n", s.name, s.lo, s.hi);
  for (const PlanBuffer& b : plan.buffers) {
    out += fmt::format("  {} {}: {}[{}] {} bytes", name_of(b.kind), b.name, tenon::name_of(b.dtype), list(b.dims), b.bytes);
    out += b.kind == BufferKind::Arena ? fmt::format(" at {}\n", b.offset) : "\n";
  }
  for (const PlanStep& s : plan.steps) {
    out += fmt::format("  step {}(", s.kernel.name);
    for (size_t i = 0, n = 0; i < s.buffers.size(); ++i)
      if (s.buffers[i] >= 0) out += fmt::format("{}{}", n++ ? ", " : "", plan.buffers[static_cast<size_t>(s.buffers[i])].name);
    out += s.scratch ? fmt::format(") scratch {} at {}\n", s.scratch, s.scratch_offset) : ")\n";
  }
  out += fmt::format("  arena {} bytes\n", plan.arena_bytes);
  for (const PlanStep& s : plan.steps) out += to_text(s.kernel);
  return out;
}

std::vector<std::string> verify(const ExecutionPlan& plan) {
  std::vector<std::string> errors;
  std::vector<bool> written(plan.buffers.size(), false);
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    written[i] = plan.buffers[i].kind == BufferKind::Input || plan.buffers[i].kind == BufferKind::Constant;
  for (const PlanStep& s : plan.steps) {
    if (s.buffers.size() != s.kernel.tensors.size()) errors.push_back(fmt::format("{}: {} buffers for {} tensors", s.kernel.name, s.buffers.size(), s.kernel.tensors.size()));
    for (size_t t = 0; t < s.buffers.size() && t < s.kernel.tensors.size(); ++t) {
      const int b = s.buffers[t];
      const Role role = s.kernel.tensors[t].role;
      if (b >= static_cast<int>(plan.buffers.size()) || (b < 0) != (role == Role::Temp)) errors.push_back(fmt::format("{}: {} has no buffer", s.kernel.name, s.kernel.tensors[t].name));
      if (b >= 0 && (role == Role::Input || role == Role::Constant) && !written[static_cast<size_t>(b)])
        errors.push_back(fmt::format("{} reads {} before it is written", s.kernel.name, plan.buffers[static_cast<size_t>(b)].name));
    }
    for (size_t t = 0; t < s.buffers.size(); ++t)
      if (s.buffers[t] >= 0 && s.kernel.tensors[t].role == Role::Output) written[static_cast<size_t>(s.buffers[t])] = true;
    for (const std::string& e : verify(s.kernel)) errors.push_back(s.kernel.name + ": " + e);
  }
  for (const int o : plan.outputs)
    if (!written[static_cast<size_t>(o)]) errors.push_back(plan.buffers[static_cast<size_t>(o)].name + " is never written");
  return errors;
}

}  // namespace tenon
