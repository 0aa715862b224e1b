// Emits the C of the kernels of libraries and models.
#include "emit/emit_levels.h"

#include <utility>

#include "algebra/nest_survey.h"
#include "emit/share_functions.h"
#include "ir/text/print_c99.h"
#include "support/parallel.h"

namespace tenon {
namespace {

/// One kernel's functions at one level, and what they need above them.
KernelText kernel_text(const LoopNest& nest, const Isa& isa, const EmitOptions& options) {
  EmitNeeds needs;
  KernelText out;
  CFunction run = emit_kernel(nest, isa, options, needs);
  out.run = run.name;
  out.comment = std::exchange(run.comment, {});
  out.code = print_c99(run);
  if (constant_workspace_bytes(nest, options.style) != 0) {
    const CFunction workspace = emit_workspace_function(nest, isa, options, needs);
    out.workspace = workspace.name;
    out.code += "\n" + print_c99(workspace);
  }
  if (options.shares_loops) {
    NestSurvey used;
    used.add(nest.body);
    out.shares = used.parallel;
  }
  out.blueprint = nest.blueprint;
  for (const auto& [name, line] : needs.types()) out.types.push_back({name, line + "\n"});
  for (const CFunction& f : needs.functions()) out.functions.push_back({f.name, print_c99(f)});
  return out;
}

}  // namespace

LibraryTexts emit_library(LoweredLibrary library, const EmitOptions& options) {
  const size_t levels = library.levels.size();
  std::vector<std::vector<KernelText>> texts(library.kernels.size(), std::vector<KernelText>(levels));
  for_each_index(library.kernels.size(), [&](size_t i) {
    LoweredKernel& k = library.kernels[i];
    const KernelBanner banner = banner_of(*k.kernel);
    EmitOptions with_banner = options;
    with_banner.banner = &banner;
    for (size_t level = 0; level < levels; ++level)
      if (k.nests[level]) {
        texts[i][level] = kernel_text(*k.nests[level], *library.levels[level], with_banner);
        k.nests[level]->body.clear();
        k.nests[level]->functions.clear();
      }
  });
  LibraryTexts out;
  for (size_t level = 0; level < levels; ++level) {
    const Isa& isa = *library.levels[level];
    out.levels.push_back({&isa, level_begin(isa, options), level_end(isa, options), {}});
    for (size_t i = 0; i < library.kernels.size(); ++i)
      if (library.kernels[i].nests[level])
        out.levels[level].kernels[library.kernels[i].kernel->name] = std::move(texts[i][level]);
  }
  return out;
}

namespace {

/// The functions of a level.
struct LevelFunctions {
  std::vector<CFunction> kernels;
  std::string counts;  ///< those that return a number of iterations
};

/// The context for emitting the functions of one level.
struct LevelEmitter {
  const Isa& isa;
  const EmitOptions& options;
  EmitNeeds needs;
  LevelFunctions functions;

  PhaseText phase(const Phase& phase) {
    EmitOptions split = options;
    split.split_parallel = phase.parallel;
    CFunction f = emit_kernel(phase.nest, isa, split, needs);
    const ModelParameters p = model_parameters(phase.nest, split);
    PhaseText text{f.name,           p.sizes, p.workspace, p.worker_memory, {}, phase.parallel,
                   phase.iterations, {},      {},          phase.grain};
    functions.kernels.push_back(std::move(f));
    if (phase.parallel && !phase.iterations) {
      const CFunction count = emit_iterations_function(phase.count, isa, split, needs);
      text.count_function = count.name;
      text.count_sizes = model_parameters(phase.count, split).sizes;
      functions.counts += print_c99(count) + "\n";
    }
    return text;
  }

  StepText step(const LoweredStep& step) {
    const ModelParameters p = model_parameters(step.nest, options);
    StepText text{function_name(step.nest, options), p.tensors, p.sizes, p.workspace, {}, {}, step.nest.blueprint};
    for (const Phase& each : step.phases) text.phases.push_back(phase(each));
    if (text.phases.empty()) functions.kernels.push_back(emit_kernel(step.nest, isa, options, needs));
    return text;
  }
};

/// Merges functions that differ only in numbers; the steps call the merged function. Returns the text of all functions.
std::string shared_text(LevelFunctions functions, std::vector<StepText>& steps) {
  const SharedFunctions shared = share_functions(std::move(functions.kernels));
  const auto redirect = [&](auto& text) {
    const auto at = shared.calls.find(text.function);
    if (at == shared.calls.end()) return;
    text.numbers = at->second.numbers;
    text.function = at->second.name;
  };
  for (StepText& s : steps) {
    redirect(s);
    for (PhaseText& p : s.phases) redirect(p);
  }
  std::string out;
  for (const CFunction& f : shared.functions) out += print_c99(f) + "\n";
  return out + functions.counts;
}

}  // namespace

std::vector<ModelLevel> emit_model(const ExecutionPlan& plan, const LoweredPlan& lowered, const EmitOptions& options) {
  std::vector<ModelLevel> out;
  for (const LoweredLevel& level : lowered.levels) {
    const Isa& isa = *level.isa;
    ModelLevel& text = out.emplace_back(ModelLevel{&isa, level_begin(isa, options), level_end(isa, options), {}, {}});
    LevelEmitter emitter{isa, options, {}, {}};
    for (size_t i = 0; i < level.steps.size(); ++i) {
      const int twin = plan.steps[i].twin;
      text.steps.push_back(twin >= 0 ? text.steps[static_cast<size_t>(twin)] : emitter.step(level.steps[i]));
    }
    const CFile items{needed_items(emitter.needs)};
    text.functions = print_c99(items) + "\n" + shared_text(std::move(emitter.functions), text.steps);
  }
  return out;
}

}  // namespace tenon
