// Notes in the header about calls with workers, and thread pools for them.
#include <fmt/format.h>

#include "harness/library/library_header.h"
#include "support/c_names.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {
namespace {

std::string pool_path(const std::string& which) { return fmt::format("runtime/model_threads{}.in", which); }

}  // namespace

std::vector<std::string> pool_template_names() { return {pool_path(".h"), pool_path(".c"), pool_path("_openmp.c")}; }

std::string share_note(const LibraryOp& op, const LibraryTexts& texts) {
  std::vector<std::string> alone;
  bool any = false;
  for (const LibraryKernel& k : op.kernels) {
    const bool shares = any_of(texts.levels, [&](const LevelTexts& l) {
      const auto at = l.kernels.find(k.kernel.name);
      return at != l.kernels.end() && at->second.shares;
    });
    any = any || shares;
    if (!shares && !contains(alone, k.kernel.name)) alone.push_back(k.kernel.name);
  }
  if (alone.empty()) return "workers share the calls of NAME_on";
  if (!any) return "one worker runs all of NAME_on";
  return "workers share the calls of NAME_on but for " + joined(alone, ", ");
}

void add_pools(OutputTree& out, const std::string& provenance, const LibraryOptions& options) {
  if (!has_pool(options)) return;
  const auto add = [&](const std::string& name, const std::string& which) {
    out.add(name, provenance + fill_template(options, pool_path(which),
                                             {{"name", options.prefix}, {"upper", upper_case(options.prefix)}}));
  };
  add(fmt::format("include/{}_threads.h", options.prefix), ".h");
  add(fmt::format("runtime/{}_threads.c", options.prefix), ".c");
  add(fmt::format("runtime/{}_threads_openmp.c", options.prefix), "_openmp.c");
}

}  // namespace tenon
