// Lists folders of data, reads their files and remembers them in the run.
#include "pipeline/read_data.h"

#include <memory>
#include <utility>

#include "frontend/frontends.h"
#include "ir/plan/graph_limits.h"
#include "opdef/read/definition_text.h"
#include "opdef/read/read_math.h"
#include "opdef/read_ops.h"
#include "schedule/read_blueprints.h"
#include "semantics/apply_rewrites.h"
#include "semantics/library_semantics.h"
#include "support/print_to.h"
#include "support/ranges.h"
#include "support/read_source.h"

namespace tenon {
namespace {

namespace fs = std::filesystem;

/// The texts of these files. Errors go to `diagnostics`.
std::vector<SourceFileRef> read_sources(Run& run, const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  constexpr std::string_view einsum = "einsum:";
  std::vector<SourceFileRef> out;
  for (const std::string& p : paths) {
    if (p.starts_with(einsum)) {
      const DefinitionText made = einsum_definition(std::string_view(p).substr(einsum.size()));
      if (made.error.empty()) out.push_back(std::make_shared<const SourceFile>(p, made.text));
      else diagnostics.error_at(Code::E0301, p, made.error, {"an einsum is written einsum:ij,jk->ik"});
      continue;
    }
    if (p.ends_with(".onnx")) {
      diagnostics.error_at(Code::E0201, p, "this file is a model, not definitions of ops",
                           {"`tenon model` and `tenon run` read models; definitions are YAML"});
      continue;
    }
    const auto source = read_source(p);
    diagnostics.append(source.diagnostics());
    if (!source) continue;
    run.depends_on(p);
    out.push_back(*source);
  }
  return out;
}

std::vector<SourceFileRef> read_files(Run& run, const std::vector<std::string>& paths) {
  Diagnostics diagnostics;
  std::vector<SourceFileRef> files = read_sources(run, paths, diagnostics);
  if (run.report(diagnostics)) throw Stop{exit_bad_input};
  return files;
}

/// The op of an einsum string joins the definitions when a graph asks for it.
MadeOp add_einsum(OpLibrary& defs, const std::string& subscripts) {
  const DefinitionText made = einsum_definition(subscripts);
  if (!made.error.empty()) return {"", made.error};
  if (defs.op(made.name)) return {made.name, ""};
  auto read = read_ops({}, {std::make_shared<const SourceFile>("einsum:" + subscripts, made.text)});
  if (!read.ok()) return {"", read.diagnostics().sorted().front().message};
  defs.ops.emplace(made.name, *read.value().op(made.name));
  return {made.name, ""};
}

bool only_about_sizes(const Diagnostics& diagnostics) {
  const auto all = diagnostics.sorted();
  return all_of(all, [](const Diagnostic& d) { return d.where.starts_with("--size"); });
}

}  // namespace

std::vector<std::string> files_ending(const fs::path& folder, std::string_view ending) {
  std::vector<std::string> files;
  std::error_code unreadable;  // it is then a folder without files
  for (const auto& e : fs::directory_iterator(folder, unreadable))
    if (e.is_regular_file(unreadable) && e.path().filename().string().ends_with(ending))
      files.push_back(e.path().string());
  sort(files);
  return files;
}

OpLibrary read_definitions(Run& run, const std::vector<std::string>& user_files, const SourceFileRef& more,
                           Wanted wanted) {
  const auto shipped = read_files(run, files_ending(run.dirs().opdefs, ".yaml"));
  const auto frames = read_files(run, files_ending(run.dirs().templates / "c", ".c.in"));
  auto user = read_files(run, user_files);
  if (more) user.push_back(more);
  return run.open(wanted == Wanted::all ? read_ops(shipped, user, frames) : read_ops_as_needed(shipped, user, frames));
}

MathLibrary read_math_library(Run& run, const MathChoice& choice) {
  const fs::path opdefs = run.dirs().opdefs;
  std::vector<std::string> instead;
  if (!choice.fast.empty()) instead.push_back((opdefs / "math_variants" / "fast.yaml").string());
  if (choice.libm) instead.push_back((opdefs / "math_variants" / "libm.yaml").string());
  const auto entries = read_files(run, files_ending(opdefs / "math", ".yaml"));
  return run.open(read_math(entries, read_files(run, instead)));
}

ScalarFunctions read_scalar_functions(Run& run) {
  std::vector<std::string> texts;
  for (const SourceFileRef& file : read_files(run, files_ending(run.dirs().templates / "scalar", ".c.in")))
    texts.push_back(file->text());
  return ScalarFunctions(texts);
}

RuleSet read_rewrite_rules(Run& run, const OpLibrary& defs) {
  return run.open(read_rewrites(defs, read_files(run, files_ending(run.dirs().opdefs / "rewrites", ".yaml"))));
}

Blueprints read_schedules(Run& run, const std::optional<std::string>& own, const std::vector<std::string>& kernels) {
  const fs::path folder = run.dirs().templates / "blueprints";
  Blueprints schedules = run.open(read_blueprint_folder(folder));
  for (const std::string& path : files_ending(folder, ".yaml")) run.depends_on(path);
  if (!own) return schedules;
  return run.open(read_own_blueprints(read_files(run, {*own})[0], schedules, kernels));
}

TimedTests read_bench_tests(Run& run, const std::optional<std::string>& own, const OpLibrary& defs) {
  TimedTests out;
  for (const SourceFileRef& file :
       read_files(run, own ? std::vector{*own} : files_ending(run.dirs().opdefs / "bench", ".yaml")))
    append(out, run.open(read_timed_tests(file, defs)));
  return out;
}

std::map<std::string, std::string> read_frames(Run& run, const std::vector<std::string>& names) {
  std::vector<std::string> paths;
  for (const std::string& name : names) paths.push_back((run.dirs().templates / name).string());
  const auto files = read_files(run, paths);
  std::map<std::string, std::string> out;
  for (size_t i = 0; i < names.size(); ++i) out[names[i]] = files[i]->text();
  return out;
}

std::optional<NpyType> type_of_array(const std::string& file) {
  std::error_code gone;
  return fs::is_regular_file(file, gone) ? npy_type(file) : std::nullopt;
}

ModelSource read_model_source(Run& run, const ModelOptions& options, GraphMode mode, OpLibrary defs) {
  FrontendInput input;
  input.path = options.graph;
  input.mode = mode;
  input.program = options.name;
  if (options.gradients) input.kept = options.gradients->wrt;
  run.depends_on(input.path);
  if (options.train_with) run.depends_on(input.train_with = *options.train_with);
  input.onnx_rows = read_files(run, files_ending(run.dirs().opdefs / "onnx", ".yaml"));
  for (const SizeBound& s : options.sizes) input.sizes[s.name] = {s.low, s.high};
  for (const std::string& file : options.given.value_or(std::vector<std::string>())) {
    const auto type = type_of_array(file);
    input.given.push_back(type ? std::optional(type->dims) : std::nullopt);
  }
  OpSemantics semantics = folding_semantics(defs);
  semantics.einsum = [&defs](const std::string& subscripts) { return add_einsum(defs, subscripts); };
  auto read = read_model(input, semantics);
  const int status = only_about_sizes(read.diagnostics()) ? exit_bad_command_line : exit_bad_input;
  Graph graph = run.open(std::move(read), status);
  for (const std::string& file : graph.files) run.depends_on(file);
  if (const std::string fault = beyond_limits(graph); !fault.empty()) {
    print_to(stderr, "{}: error: {}\n", input.path, fault);
    throw Stop{exit_bad_input};
  }
  return {std::move(graph), std::move(defs)};
}

}  // namespace tenon
