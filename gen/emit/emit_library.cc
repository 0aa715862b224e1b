// Prints each nest of a lowered library.
#include <utility>

#include "algebra/nest_survey.h"
#include "emit/emit_levels.h"
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

}  // namespace tenon
