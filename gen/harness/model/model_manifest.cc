// MANIFEST.json of a model.
#include <fmt/format.h>

#include "harness/model/model_files.h"
#include "ir/kernel/kernel_cost.h"
#include "support/joined.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// `texts`, each on a line of its own.
std::string rows(const std::vector<std::string>& texts) {
  return texts.empty() ? "" : "\n    " + joined(texts, ",\n    ");
}

std::string tensor_row(const PlanBuffer& b) {
  const auto extent = [](const SizeExpr& d) { return d.is_constant() ? to_text(d) : json_string(to_text(d)); };
  return fmt::format("{{\"name\": \"{}\", \"original\": {}, \"dtype\": \"{}\", \"shape\": [{}]}}", b.name,
                     json_string(b.original), name_of(b.dtype), joined(b.dims, ", ", extent));
}

std::string tensors(const ExecutionPlan& plan, const std::vector<int>& buffers) {
  const std::vector<std::string> texts = mapped(buffers, [&](const int b) { return tensor_row(plan.buffer(b)); });
  return rows(texts) + (texts.empty() ? "" : "\n  ");
}

std::string sizes(const ExecutionPlan& plan) {
  std::vector<std::string> texts;
  for (const GraphSize& s : plan.sizes)
    texts.push_back(fmt::format("{{\"name\": \"{}\", \"low\": {}, \"high\": {}}}", s.name, s.lo, s.hi));
  return joined(texts, ", ");
}

std::string kernels(const ExecutionPlan& plan) {
  std::vector<std::string> texts;
  for (const PlanStep& s : plan.steps) {
    const auto cost = cost_of(s.kernel);
    texts.push_back(
        fmt::format("{{\"kernel\": \"{}\", \"operators\": {}, \"flops\": {:.0f}, \"bytes\": {:.0f}, \"scratch\": {}}}",
                    s.kernel.name, json_string(s.origin), cost ? cost->flops : 0, cost ? cost->bytes : 0, s.scratch));
  }
  return rows(texts);
}

/// The regions of a divided arena, as a member of the manifest.
std::string memory_regions(const ExecutionPlan& plan) {
  std::vector<std::string> texts;
  for (const MemoryRegion& m : plan.memories)
    texts.push_back(fmt::format("{{\"region\": \"{}\", \"bytes\": {}, \"budget\": {}}}", m.name, m.bytes,
                                m.budget ? fmt::format("{}", *m.budget) : "null"));
  return texts.empty() ? "" : fmt::format("  \"arena\": [{}],\n", joined(texts, ", "));
}

}  // namespace

std::string model_manifest(const ModelCode& code, const std::vector<std::string>& sources) {
  const ExecutionPlan& plan = code.plan;
  const std::vector<std::string> files = mapped(sources, [&](const std::string& s) { return "\"" + s + "\""; });
  return fmt::format(
      "{{\n  \"model\": {},\n  \"inputs\": [{}],\n  \"outputs\": [{}],\n  \"sizes\": [{}],\n  \"arena_bytes\": "
      "{},\n{}  \"weights_bytes\": {},\n  \"kernels\": [{}\n  ],\n  \"sources\": [{}]\n}}\n",
      json_string(plan.name), tensors(plan, plan.inputs), tensors(plan, plan.outputs), sizes(plan), plan.arena_bytes,
      memory_regions(plan), code.weights.bytes, kernels(plan), joined(files, ", "));
}

}  // namespace tenon
