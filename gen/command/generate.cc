// `tenon lib`, `tenon model`, `tenon dump`: files, or the result of one stage.
#include <fmt/format.h>

#include "command/commands.h"
#include "command/fix_kernels.h"
#include "command/select.h"
#include "frontend/frontends.h"
#include "pipeline/make.h"

namespace tenon {
namespace {

/// Empty, or the flag that has no effect on what the stage is made of.
std::string wrong_flag(const DumpOptions& o, bool model) {
  const auto wrong = [&](const char* flag) {
    return model ? fmt::format("{} is about definitions, and {} is a graph", flag, o.inputs[0])
                 : fmt::format("{} is about a graph: name one", flag);
  };
  const KernelSelection all;
  if (model && o.selection.ops) return wrong("--ops");
  if (model && o.selection.dtypes != all.dtypes) return wrong("--dtypes");
  if (model && o.selection.ranks != all.ranks) return wrong("--ranks");
  if (model && o.gradients) return wrong("--grad");
  if (model && !o.fix.empty()) return wrong("--fix");
  if (!model && o.training) return wrong("--train");
  if (!model && o.recompute) return wrong("--recompute");
  if (!model && !o.arena.empty()) return wrong("--arena");
  return !model && !o.sizes.empty() ? wrong("--size") : "";
}

}  // namespace

int run_command(Run& run, const LibOptions& o) {
  const bool has_user_files = !o.definitions.empty();
  const Wanted wanted = has_user_files || names_ops(o.selection) ? Wanted::named : Wanted::all;
  const Definitions defs = read_all_definitions(run, read_definitions(run, o.definitions, nullptr, wanted),
                                                text_of_chosen(o.selection, has_user_files), o.math);
  Library library = o.gradients ? kernels_and_gradients(run, defs.ops, o)
                                : chosen_kernels(run, defs.ops, o.selection, has_user_files);
  fix_kernels(run, defs.ops, o.fix, library);
  return run.deliver(make_library(run, defs, library, o), o.output_dir);
}

int run_command(Run& run, const ModelOptions& o) {
  return run.deliver(make_model(run, all_definitions(run, o.definitions, nullptr, o.math), o), o.output_dir);
}

int run_command(Run& run, const DumpOptions& o) {
  run.writes_nothing("tenon dump");
  const StageOf made_of = stage_of(o.stage);
  const bool model =
      o.inputs.size() == 1 && (made_of == StageOf::models ? has_frontend(o.inputs[0]) : holds_model(o.inputs[0]));
  if (model ? made_of == StageOf::definitions : made_of == StageOf::models)
    stop_run(exit_bad_command_line,
             "the stage '" + o.stage + "' is made of " +
                 (model ? "definitions, not of a model" : "a model: name one file, ONNX or YAML with the key 'graph'"));
  if (const std::string wrong = wrong_flag(o, model); !wrong.empty()) stop_run(exit_bad_command_line, wrong);
  run.dump_only(o.stage);
  if (model) {
    ModelOptions m;
    static_cast<GraphForm&>(m) = o;
    m.graph = o.inputs[0];
    m.isas = o.selection.isas;
    m.math = o.math;
    return run_command(run, m);
  }
  LibOptions l;
  l.definitions = o.inputs;
  l.selection = o.selection;
  l.math = o.math;
  l.fix = o.fix;
  l.gradients = o.gradients || o.stage == "gradients";
  return run_command(run, l);
}

}  // namespace tenon
