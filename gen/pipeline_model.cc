// The stages of `tenon model`, in order.
#include "pipeline_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "emit/kernel_to_c.h"
#include "emit/workspace_bound.h"
#include "emit/math_body.h"
#include "emit/print_c99.h"
#include "frontend/frontends.h"
#include "harness/model_output.h"
#include "library/expand_node.h"
#include "library_semantics.h"
#include "lower/lower_kernel.h"
#include "pipeline_fold.h"
#include "pipeline_library.h"
#include "schedule/form_kernels.h"
#include "schedule/plan_memory.h"
#include "schedule/prepack_weights.h"
#include "schedule/read_blueprints.h"
#include "support/read_source.h"

namespace tenon {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> yaml_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& e : fs::directory_iterator(folder))
    if (e.path().extension() == ".yaml") files.push_back(e.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Stage graph.
std::optional<Graph> read_graph(Session& session, const OpLibrary& defs, const ModelOptions& options) {
  FrontendInput input;
  input.path = options.graph;
  session.depends_on(options.graph);
  for (const fs::path& p : yaml_files(session.dirs().opdefs / "onnx")) {
    const auto file = read_source(p.string());
    if (session.report(file.diagnostics())) return std::nullopt;
    session.depends_on(p.string());
    input.onnx_rows.push_back(*file);
  }
  for (const SizeBound& s : options.sizes) input.sizes[s.name] = {s.low, s.high};
  const OpSemantics semantics = library_semantics(defs, [&defs](const std::string& op, const std::vector<const TensorData*>& inputs, const Attributes& attrs, size_t) {
    return fold_node(defs, op, inputs, attrs);
  });
  auto graph = read_model(input, semantics);
  if (session.report(graph.diagnostics())) return std::nullopt;
  session.after("graph", verify(*graph), [&] { return to_text(*graph); });
  return std::move(graph).value();
}

/// The kernel of each operator.
std::optional<std::vector<FusedKernel>> node_kernels(Session& session, const OpLibrary& defs, const Graph& graph) {
  std::vector<FusedKernel> out;
  Diagnostics diagnostics;
  const std::vector<GraphSize> sizes = all_sizes(graph);
  for (const Node& n : graph.nodes) {
    std::vector<GivenTensor> given;
    FusedKernel k;
    for (const ValueId v : n.inputs) {
      GivenTensor g;
      if (v != kNoValue) {
        const Value& value = graph.values[static_cast<size_t>(v)];
        g.present = true;
        g.dtype = value.dtype;
        for (const SizeExpr& d : value.dims) g.dims.push_back(to_expr(d));
        k.values.push_back(v);
      }
      given.push_back(std::move(g));
    }
    auto call = expand_node(defs, *defs.op(n.op), given, n.attrs, sizes, diagnostics);
    if (!call) {
      session.report(diagnostics);
      fmt::print(stderr, "note: in {}\n", n.origin);
      return std::nullopt;
    }
    for (const ValueId v : n.outputs) k.values.push_back(v);
    k.kernel = std::move(call->kernel);
    k.values.resize(k.kernel.tensors.size(), kNoValue);
    k.kernel.fused = {n.op};
    k.origins = {n.origin};
    k.region = n.region;
    out.push_back(std::move(k));
  }
  return out;
}

/// Stages lower and emit of one level; the greatest scratch of each step is kept in the plan.
ModelLevel level_code(Session& session, ExecutionPlan& plan, const Isa& isa, const Blueprints& rows, const EmitOptions& options, std::string& nests) {
  ModelLevel out{&isa, level_begin(isa, options), level_end(isa, options), {}, {}};
  EmitNeeds needs;
  std::string kernels;
  std::vector<std::string> faults;
  for (PlanStep& step : plan.steps) {
    const LoopNest nest = lower_kernel(step.kernel, rows, isa);
    for (const std::string& f : verify(nest)) faults.push_back(nest.name + ": " + f);
    if (session.wants_dump("lower")) nests += to_text(nest);
    if (!faults.empty()) continue;
    const CFunction f = emit_kernel(nest, isa, options, needs);
    const ModelParameters p = model_parameters(nest, options);
    const auto scratch = greatest_workspace_bytes(nest);
    if (!scratch) faults.push_back(nest.name + ": its workspace has no bound");
    step.scratch = std::max(step.scratch, scratch.value_or(0));
    out.steps.push_back({f.name, p.tensors, p.sizes, p.workspace});
    kernels += print_c99(f) + "\n";
  }
  CFile pieces{needed_items(needs)};
  out.functions = print_c99(pieces) + "\n" + kernels;
  session.after("lower", faults, [&] { return nests; });
  return out;
}

std::optional<std::map<std::string, std::string>> model_templates(Session& session) {
  std::map<std::string, std::string> out;
  for (const std::string& name : model_template_names()) {
    const std::string path = (session.dirs().templates / name).string();
    const auto file = read_source(path);
    if (session.report(file.diagnostics())) return std::nullopt;
    session.depends_on(path);
    out[name] = file.value()->text();
  }
  return out;
}

}  // namespace

int produce_model(Session& session, const OpLibrary& defs, const MathLibrary& math, const ModelOptions& options) {
  if (options.selftest || (options.max_threads && *options.max_threads != 1)) {
    std::fputs("tenon: error: models are written for one thread, without --selftest\n", stderr);
    return exit_bad_command_line;
  }
  const auto levels = chosen_levels(options.isas);
  if (!levels) return exit_bad_command_line;
  const auto graph = read_graph(session, defs, options);
  if (!graph) return exit_bad_input;
  auto nodes = node_kernels(session, defs, *graph);
  if (!nodes) return exit_bad_input;
  ExecutionPlan plan = form_kernels(*graph, std::move(*nodes), true);
  prepack_weights(plan);
  auto rows = read_blueprint_folder(session.dirs().templates / "blueprints");
  const auto templates = model_templates(session);
  if (session.report(rows.diagnostics()) || !templates) return exit_bad_input;
  session.after("schedule", verify(plan), [&] { return to_text(plan); });
  EmitOptions emit;
  emit.prefix = options.name;
  emit.style = FunctionStyle::Model;
  emit.math = [&](ScalarOp op, OperandType type, const Isa& isa) { return math_body(math, op, type, isa); };
  std::vector<ModelLevel> code;
  std::string nests;
  for (const Isa* isa : *levels) code.push_back(level_code(session, plan, *isa, *rows, emit, nests));
  plan_memory(plan);
  session.after("emit", {}, [&] {
    std::string all;
    for (const ModelLevel& l : code) all += l.functions;
    return all;
  });
  OutputTree tree;
  write_model(plan, code, {options.name, options.main_program, options.weights, *templates}, tree);
  session.after("files", {}, [&] { return sizes_of(tree); });
  return session.deliver(tree, options.output_dir);
}

namespace {

/// A word of a shell command.
std::string shell_word(const std::string& s) {
  std::string out = "'";
  for (const char c : s) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

int run_model(Session& session, const OpLibrary& defs, const MathLibrary& math, const RunOptions& options) {
  std::string folder = (fs::temp_directory_path() / "tenon_run_XXXXXX").string();
  if (!mkdtemp(folder.data())) {
    std::fputs("tenon: error: no temporary folder can be made\n", stderr);
    return exit_bad_input;
  }
  ModelOptions model;
  model.graph = options.graph;
  model.sizes = options.sizes;
  model.isas = options.isas;
  model.main_program = true;
  model.output_dir = folder;
  int status = produce_model(session, defs, math, model);
  if (status == exit_done) {
    std::string command = fmt::format("cd {0} && {1} -O2 -std=c99 -Iinclude -o net $(cat sources.txt) && cd {2} && {0}/net", shell_word(folder), options.compiler, shell_word(fs::current_path().string()));
    for (const std::string& in : options.inputs) command += " " + shell_word(in);
    for (const std::string& out : options.outputs) command += " -o " + shell_word(out);
    std::fflush(stdout);
    status = std::system(command.c_str()) == 0 ? exit_done : exit_run_failed;
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return status;
}

}  // namespace tenon
