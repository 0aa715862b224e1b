// Holes of the runtime and notes of the header for calls that have workers.
#include "harness/library/library_shares.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/library/library_header.h"
#include "harness/library_names.h"
#include "support/joined.h"
#include "support/text_template.h"

namespace tenon {
namespace {

constexpr const char* kTypedOn = " NAME_on is NAME with a context; NAME_on_workspace tells what it needs.";

constexpr const char* kShare = "const tn_share share = {f->context, touched(f), 0};\n";

std::string pool_path(const std::string& which) { return fmt::format("runtime/model_threads{}.in", which); }

}  // namespace

std::vector<std::string> share_template_names() {
  std::vector<std::string> out;
  for (const char* name : {"context.h", "calls_on.h", "calls_on.c", "share_types.h", "share.c"})
    out.push_back(fmt::format("runtime/library_{}.in", name));
  for (const char* which : {".h", "_pthread.c", "_openmp.c"}) out.push_back(pool_path(which));
  return out;
}

std::vector<HoleValue> share_holes(const std::string& part, const LibraryOptions& options) {
  const bool wanted = options.threads;
  const auto text = [&](const char* value) { return std::string(wanted ? value : ""); };
  const auto file = [&](const char* name) {
    return wanted ? fill_template(options, fmt::format("runtime/library_{}.in", name), {}) : std::string();
  };
  if (part == "header") return {{"context", file("context.h")}, {"typed_on", text(kTypedOn)}};
  if (part == "calls") return {{"calls_on", file("calls_on.h")}};
  if (part == "registry") return {{"calls_on", file("calls_on.c")}};
  if (part == "internal")
    return {{"share_types", file("share_types.h")},
            {"share_parameter", text(", const tn_share *share")},
            {"workers_parameter", text(", int64_t workers")},
            {"context", text("const tn_context *context;                /* whose workers share loops, or NULL */\n")}};
  if (part != "run") return {};
  return {{"workers_argument", text(", tn_rt_workers(f->context)")},
          {"share_functions", file("share.c")},
          {"share", text(kShare)},
          {"share_argument", text(", &share")}};
}

std::string share_note(const LibraryOp& op, const LibraryTexts& texts) {
  std::vector<std::string> alone;
  bool any = false;
  for (const LibraryKernel& k : op.kernels) {
    const bool shares = std::any_of(texts.levels.begin(), texts.levels.end(), [&](const LevelTexts& l) {
      const auto at = l.kernels.find(k.kernel.name);
      return at != l.kernels.end() && at->second.shares;
    });
    any = any || shares;
    if (!shares && std::find(alone.begin(), alone.end(), k.kernel.name) == alone.end()) alone.push_back(k.kernel.name);
  }
  if (alone.empty()) return "workers share the calls of NAME_on";
  if (!any) return "one worker runs all of NAME_on";
  return "workers share the calls of NAME_on but for " + joined(alone, ", ");
}

void add_pools(OutputTree& out, const std::string& provenance, const LibraryOptions& options) {
  if (!options.threads || options.freestanding) return;
  const auto add = [&](const std::string& name, const std::string& which) {
    const std::string path = pool_path(which);
    out.add(name, provenance + TextTemplate(path, options.templates.at(path))
                                   .fill({{"name", options.prefix}, {"upper", upper_case(options.prefix)}}));
  };
  add(fmt::format("include/{}_threads.h", options.prefix), ".h");
  add(fmt::format("runtime/{}_threads.c", options.prefix), "_pthread.c");
  add(fmt::format("runtime/{}_threads_openmp.c", options.prefix), "_openmp.c");
}

}  // namespace tenon
