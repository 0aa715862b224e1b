// Runs the passes of lowering up to one of them and prints what there is then.
#include "lower/pass_text.h"

#include <fmt/format.h>

#include "algebra/contraction.h"
#include "lower/kernel_cases.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr std::string_view kLoops = "loops";

/// The passes up to and with this one.
LoweringPasses passes_until(std::string_view name) {
  LoweringPasses all, out;
  const auto number = [&](const auto& passes) {
    const auto found = find_if(passes, [&](const auto& p) { return p.name == name; });
    return found == passes.end() ? 0 : static_cast<size_t>(found - passes.begin()) + 1;
  };
  const size_t over_kernels = number(all.kernel), over_loops = number(all.tree);
  TENON_CHECK(over_kernels || over_loops || name == kLoops, "no pass {}", name);
  out.kernel = over_kernels ? all.kernel.first(over_kernels) : all.kernel;
  out.loops = !over_kernels;
  out.tree = all.tree.first(over_loops);
  return out;
}

std::string with_indent(const std::string& text, int depth) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out += std::string(static_cast<size_t>(2 * depth), ' ') + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

std::string text_of(const PlannedCase& planned, bool loops, int depth) {
  const KernelCase& one = *planned.of;
  std::string text;
  for (size_t i = 0; i < planned.parts.size(); ++i)
    text += with_indent(fmt::format("part {}:", i), depth) + text_of(planned.parts[i], loops, depth + 1);
  if (!planned.parts.empty()) return text;
  if (!one.holds)
    return with_indent(loops ? to_text(planned.tree, tensor_names(one.kernel)) : to_text(one.kernel), depth);
  return with_indent(fmt::format("where {}:", to_text(one.holds)), depth) + text_of(*planned.then, loops, depth + 1) +
         with_indent("elsewhere:", depth) + text_of(*planned.otherwise, loops, depth + 1);
}

}  // namespace

const std::vector<std::string_view>& lowering_passes() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const KernelPass& p : kernel_passes()) all.push_back(p.name);
    all.push_back(kLoops);
    for (const TreePass& p : tree_passes()) all.push_back(p.name);
    return all;
  }();
  return names;
}

std::string text_after_pass(std::string_view pass, const Kernel& kernel, const Blueprints& blueprints, const Isa& isa) {
  std::string text = fmt::format("{} at {}:\n", kernel.name, isa.name);
  if (!kernel.parts.empty()) {
    for (const Kernel& part : kernel.parts) text += with_indent(text_after_pass(pass, part, blueprints, isa), 1);
    return text;
  }
  if (kernel.call) return text + "  a C template, which no pass changes\n";
  if (find_contraction(kernel)) text += "  # a sum of products: these loops are only for sizes that no tile is for\n";
  const LoweringPasses passes = passes_until(pass);
  const KernelCase prepared = prepare(kernel, isa, Sharing::none, passes);
  return text + text_of(plan(prepared, isa, blueprints, passes.tree), passes.loops, 1);
}

}  // namespace tenon
