// The stages of `tenon model`, in order.
#include "pipeline/model.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "emit/kernel_to_c.h"
#include "emit/math_body.h"
#include "emit/print_c99.h"
#include "emit/share_functions.h"
#include "emit/workspace_bound.h"
#include "frontend/frontends.h"
#include "harness/model/model_output.h"
#include "harness/model/model_program.h"
#include "ir/kernel/kernel_cost.h"
#include "library_semantics.h"
#include "lower/lower_kernel.h"
#include "lower/nest/parallel_phases.h"
#include "opdef/read/einsum.h"
#include "opdef/read_ops.h"
#include "pipeline/data_files.h"
#include "pipeline/fold.h"
#include "pipeline/graph_limits.h"
#include "pipeline/library.h"
#include "pipeline/plan.h"
#include "pipeline/rewrite.h"
#include "pipeline/selftest.h"
#include "schedule/explain_plan.h"
#include "schedule/plan_memory.h"
#include "support/print_to.h"
#include "support/quoted.h"
#include "support/temporary_folder.h"

namespace tenon {
namespace {

/// The op of an einsum string joins the definitions when a graph asks for it.
MadeOp add_einsum(OpLibrary& defs, const std::string& subscripts) {
  const EinsumText made = einsum_definition(subscripts);
  if (!made.error.empty()) return {"", made.error};
  if (defs.op(made.name)) return {made.name, ""};
  auto read = read_ops({}, {std::make_shared<const SourceFile>("einsum:" + subscripts, made.text)});
  if (!read.ok()) return {"", read.diagnostics().sorted().front().message};
  defs.ops.emplace(made.name, *read.value().op(made.name));
  return {made.name, ""};
}

/// Stage graph. `status` is set where nothing but the command line is wrong.
std::optional<Graph> read_graph(Session& session, OpLibrary& defs, const ModelOptions& options, int& status) {
  FrontendInput input;
  input.path = options.graph;
  session.depends_on(options.graph);
  auto rows = read_files(session, files_ending(session.dirs().opdefs / "onnx", ".yaml"));
  if (!rows) return std::nullopt;
  input.onnx_rows = std::move(*rows);
  for (const SizeBound& s : options.sizes) input.sizes[s.name] = {s.low, s.high};
  OpSemantics semantics =
      library_semantics(defs, [&defs](const std::string& op, const std::vector<const TensorData*>& inputs,
                                      const Attributes& attrs, size_t) { return fold_node(defs, op, inputs, attrs); });
  semantics.einsum = [&defs](const std::string& subscripts) { return add_einsum(defs, subscripts); };
  auto graph = read_model(input, semantics);
  if (session.report(graph.diagnostics())) {
    const auto all = graph.diagnostics().sorted();
    if (std::all_of(all.begin(), all.end(), [](const Diagnostic& d) { return d.where.starts_with("--size"); }))
      status = exit_bad_command_line;
    return std::nullopt;
  }
  for (const std::string& file : graph->files) session.depends_on(file);
  session.after("graph", verify(*graph), [&] { return to_text(*graph); });
  return std::move(graph).value();
}

/// Stage rewrite.
std::optional<Graph> rewritten(Session& session, const OpLibrary& defs, Graph graph) {
  const auto files = read_files(session, files_ending(session.dirs().opdefs / "rewrites", ".yaml"));
  if (!files) return std::nullopt;
  const auto rules = read_rewrites(defs, *files);
  if (session.report(rules.diagnostics())) return std::nullopt;
  RewriteOutcome done = apply_rewrites(defs, *rules, std::move(graph));
  session.after("rewrite", verify(done.graph), [&] { return to_text(done.graph); });
  if (session.control().verbose) {
    for (const auto& [rule, times] : done.applied)
      print_to(stderr, "{:>10}  {} {}\n", times, times == 1 ? "time" : "times", rule);
    for (const std::string& r : done.refused) print_to(stderr, "note: a rule could not be carried out: {}\n", r);
  }
  if (!done.unsettled.empty())
    print_to(stderr, "tenon: warning: rewriting came to no end; the rule '{}' still applied when it was stopped\n",
             done.unsettled);
  return std::move(done.graph);
}

/// Microseconds that a kernel takes, roughly; nothing where its sizes are open.
std::optional<double> expected_us(const Kernel& kernel) {
  const auto cost = cost_of(kernel);
  return cost ? std::optional(cost->flops / 2e4 + cost->bytes / 1e4) : std::nullopt;
}

/// The functions of a level.
struct LevelFunctions {
  std::vector<CFunction> kernels;
  std::string counts;  ///< those that say how many iterations there are
};

/// The parts of a step that workers share; none where it is too short to wake them.
std::vector<PhaseText> phase_code(const LoopNest& nest, const Isa& isa, EmitOptions options, EmitNeeds& needs,
                                  PlanStep& step, LevelFunctions& functions) {
  constexpr double worth_us = 10, grain_us = 2;
  const auto us = expected_us(step.kernel);
  if (us && *us < worth_us) return {};
  std::vector<PhaseText> out;
  for (const Phase& phase : parallel_phases(nest)) {
    options.split_parallel = phase.parallel;
    CFunction f = emit_kernel(phase.nest, isa, options, needs);
    const ModelParameters p = model_parameters(phase.nest, options);
    PhaseText text{f.name,           p.sizes, p.workspace, p.worker_memory, {}, phase.parallel,
                   phase.iterations, {},      {},          phase.grain};
    functions.kernels.push_back(std::move(f));
    if (phase.parallel && phase.iterations && us && *phase.iterations > 0)
      text.grain = std::clamp<int64_t>(static_cast<int64_t>(grain_us * static_cast<double>(*phase.iterations) / *us), 1,
                                       std::max<int64_t>(1, *phase.iterations / 2));
    if (phase.parallel && !phase.iterations) {
      const CFunction count = emit_iterations_function(phase.count, isa, options, needs);
      text.count_function = count.name;
      text.count_sizes = model_parameters(phase.count, options).sizes;
      functions.counts += print_c99(count) + "\n";
    }
    step.scratch = std::max(step.scratch, greatest_workspace_bytes(phase.nest).value_or(0));
    step.worker_scratch = std::max(step.worker_scratch, greatest_worker_bytes(phase.nest).value_or(0));
    out.push_back(std::move(text));
  }
  return out;
}

/// Kernels' functions that are the same but for numbers become one; the steps call that. The text of all of them.
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

/// Stages lower and emit of one level; the greatest scratch of each step is kept in the plan.
ModelLevel level_code(Session& session, ExecutionPlan& plan, const Isa& isa, const Blueprints& rows,
                      const EmitOptions& options, bool shares, std::string& nests) {
  ModelLevel out{&isa, level_begin(isa, options), level_end(isa, options), {}, {}};
  EmitNeeds needs;
  LevelFunctions functions;
  std::vector<std::string> faults;
  for (PlanStep& step : plan.steps) {
    if (step.twin >= 0) {
      step.scratch = plan.steps[static_cast<size_t>(step.twin)].scratch;
      step.worker_scratch = plan.steps[static_cast<size_t>(step.twin)].worker_scratch;
      if (faults.empty()) out.steps.push_back(out.steps[static_cast<size_t>(step.twin)]);
      continue;
    }
    const LoopNest nest = lower_kernel(step.kernel, rows, isa);
    for (const std::string& f : verify(nest)) faults.push_back(nest.name + ": " + f);
    if (session.wants_dump("lower")) nests += to_text(nest);
    if (!faults.empty()) continue;
    const ModelParameters p = model_parameters(nest, options);
    StepText text{function_name(nest, options), p.tensors, p.sizes, p.workspace, {}, {}, nest.blueprint};
    const auto scratch = greatest_workspace_bytes(nest);
    if (!scratch) faults.push_back(nest.name + ": its workspace has no bound");
    // the counters of loops are no fields of a call, so that what lies in a region stays with one worker
    if (shares && step.region == kTopLevel) text.phases = phase_code(nest, isa, options, needs, step, functions);
    if (text.phases.empty()) {
      step.scratch = std::max(step.scratch, scratch.value_or(0));
      functions.kernels.push_back(emit_kernel(nest, isa, options, needs));
    }
    out.steps.push_back(std::move(text));
  }
  CFile pieces{needed_items(needs)};
  out.functions = print_c99(pieces) + "\n" + shared_text(std::move(functions), out.steps);
  session.after("lower", faults, [&] { return std::exchange(nests, {}); });
  return out;
}

/// Workers that the arena has room for: what the flag says, one where only plain C is written.
int worker_count(const ModelOptions& options, const std::vector<const Isa*>& levels) {
  constexpr int usual = 8;
  const bool plain = std::all_of(levels.begin(), levels.end(), [](const Isa* i) { return i->vector_bits == 0; });
  return options.max_threads.value_or(plain ? 1 : usual);
}

/// What is wrong with a node, with the node's place: alone, or beside that in its definition.
Diagnostics placed(const PlanFailure& failure, const std::string& path) {
  const std::string place =
      failure.origin.starts_with(path) ? failure.origin : fmt::format("{}: {}", path, failure.origin);
  Diagnostics out;
  for (Diagnostic d : failure.diagnostics.sorted()) {
    if (d.span.known()) d.notes.push_back("in " + place);
    else d.where = place;
    out.add(std::move(d));
  }
  return out;
}

/// A plan with its kernels' C at every level, and the room that workers get.
struct PlannedModel {
  Graph graph;  ///< as it was read
  ExecutionPlan plan;
  std::vector<ModelLevel> code;
  int workers = 1;
};

/// " x f32[3] y i64[N]": what the program is called with.
std::string inputs_text(const Graph& graph) {
  std::string out;
  for (const ValueId v : graph.inputs) {
    const Value& value = graph.values[static_cast<size_t>(v)];
    std::string dims;
    for (const SizeExpr& d : value.dims) dims += (dims.empty() ? "" : ", ") + to_text(d);
    out += fmt::format(" {} {}[{}]", value.original, name_of(value.dtype), dims);
  }
  return out;
}

/// The stages from graph to the place of every buffer. On failure a message is on stderr and `status` is the exit
/// status.
std::optional<PlannedModel> planned_model(Session& session, OpLibrary& defs, const MathLibrary& math,
                                          const ModelOptions& options, int& status) {
  status = exit_bad_command_line;
  const auto levels = chosen_levels(options.isas);
  if (!levels) return std::nullopt;
  status = exit_bad_input;
  auto read = read_graph(session, defs, options, status);
  if (!read) return std::nullopt;
  if (options.given && *options.given != read->inputs.size()) {
    print_to(stderr, "tenon: error: {} has {} input{}, and {} file{} given:{}\n", options.graph, read->inputs.size(),
             read->inputs.size() == 1 ? "" : "s", *options.given, *options.given == 1 ? " is" : "s are",
             inputs_text(*read));
    status = exit_bad_command_line;
    return std::nullopt;
  }
  if (const std::string fault = beyond_limits(*read); !fault.empty()) {
    print_to(stderr, "{}: error: {}\n", options.graph, fault);
    return std::nullopt;
  }
  const auto graph = rewritten(session, defs, *read);
  if (!graph) return std::nullopt;
  PlanFailure failure;
  auto planned = plan_graph(defs, *graph, {options.fuse, options.fuse}, failure);
  if (!planned) {
    session.report(placed(failure, options.graph));
    return std::nullopt;
  }
  PlannedModel m{std::move(*read), std::move(*planned), {}, worker_count(options, *levels)};
  const auto rows = read_schedules(session);
  if (!rows) return std::nullopt;
  session.after("schedule", verify(m.plan), [&] { return to_text(m.plan); });
  EmitOptions emit;
  emit.prefix = options.name;
  emit.style = FunctionStyle::Model;
  emit.math = [&](ScalarOp op, OperandType type, const Isa& isa) { return math_body(math, op, type, isa); };
  std::string nests;
  for (const Isa* isa : *levels) m.code.push_back(level_code(session, m.plan, *isa, *rows, emit, m.workers > 1, nests));
  for (PlanStep& s : m.plan.steps) s.scratch += m.workers * s.worker_scratch;
  plan_memory(m.plan);
  session.after("memory", verify(m.plan), [&] { return to_text(m.plan); });
  session.after("emit", {}, [&] {
    std::string all;
    for (const ModelLevel& l : m.code) all += l.functions;
    return all;
  });
  return m;
}

/// Empty, or which part of the program no input of this model needs.
std::string program_fault(const ExecutionPlan& plan, const ModelOptions& options) {
  const auto any = [&](bool (*takes)(const PlanBuffer&)) {
    return std::any_of(plan.inputs.begin(), plan.inputs.end(),
                       [&](int i) { return takes(plan.buffers[static_cast<size_t>(i)]); });
  };
  if (options.images && !any(takes_picture))
    return "--images: no input of this model can be a picture: f32, f64, u8 or i8 of [H, W], [C, H, W] or [H, W, C], C "
           "1 or 3";
  if (options.sounds && !any(takes_sound))
    return "--sounds: no input of this model can be a sound: f32, f64 or i16, one axis that is not 1";
  return {};
}

}  // namespace

int produce_model(Session& session, OpLibrary& defs, const MathLibrary& math, const ModelOptions& options) {
  int status = exit_done;
  const auto model = planned_model(session, defs, math, options, status);
  if (!model) return status;
  if (const std::string fault = program_fault(model->plan, options); !fault.empty()) {
    print_to(stderr, "tenon: error: {}\n", fault);
    return exit_bad_command_line;
  }
  const auto templates = read_frames(session, model_template_names());
  if (!templates) return exit_bad_input;
  std::optional<Selftest> selftest;
  if (std::string fault;
      options.selftest && !(selftest = make_selftest(defs, model->graph, options.selftest_limit, fault))) {
    print_to(stderr, "tenon: error: {}: --selftest: {}\n", options.graph, fault);
    return exit_bad_input;
  }
  OutputTree tree;
  write_model(model->plan, model->code,
              {options.name, options.main_program, options.images, options.sounds, model->workers, options.weights,
               *templates, selftest ? &*selftest : nullptr},
              tree);
  session.after("files", {}, [&] { return sizes_of(tree); });
  return session.deliver(tree, options.output_dir, options.temporary);
}

namespace {

/// The kernels of that name: what they compute, then how they are scheduled at each level.
int explain_one(const PlannedModel& model, const std::string& name) {
  std::vector<std::string> names;
  bool found = false;
  for (size_t s = 0; s < model.plan.steps.size(); ++s) {
    const PlanStep& step = model.plan.steps[s];
    names.push_back(step.kernel.name);
    if (step.kernel.name != name) continue;
    found = true;
    print_to(stdout, "step {}: {}\n{}", s, step.origin, to_text(step.kernel));
    for (const std::string& note : step.notes) print_to(stdout, "  fused: {}\n", note);
    for (const ModelLevel& level : model.code)
      print_to(stdout, "  at {}: blueprint {}\n", level.isa->name, level.steps[s].blueprint);
  }
  if (found) return exit_done;
  const std::string near = nearest_name(name, names);
  print_to(stderr, "tenon: error: the graph has no kernel '{}'{}; `tenon explain GRAPH` lists them\n", name,
           near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  return exit_bad_command_line;
}

}  // namespace

int explain_model(Session& session, OpLibrary& defs, const MathLibrary& math, const ModelOptions& options,
                  const ModelExplanation& what) {
  int status = exit_done;
  const auto model = planned_model(session, defs, math, options, status);
  if (!model) return status;
  if (!what.kernel.empty()) return explain_one(*model, what.kernel);
  if (what.memory) print_to(stdout, "{}", memory_table(model->plan));
  if (what.svg) return session.deliver_file(memory_picture(model->plan), *what.svg);
  std::vector<std::string> blueprints;
  for (const StepText& s : model->code.back().steps) blueprints.push_back(s.blueprint);
  if (!what.memory) print_to(stdout, "{}", explain_kernels(model->plan, blueprints));
  return exit_done;
}

namespace {

/// Compiles the program; false after an error, of which the compiler not always says something.
bool compiled(const std::string& folder, const std::string& compiler) {
  const std::string line = fmt::format("{} -O2 -std=c99 -Iinclude -o net $(cat sources.txt)", compiler);
  if (std::system(fmt::format("cd {} && {}", shell_word(folder), line).c_str()) == 0) return true;
  print_to(stderr, "tenon: error: `{}` failed\n", line);
  return false;
}

/// Runs it: its own status says whether an input or the command line was wrong.
int program_status(const std::string& program, const RunOptions& options) {
  std::string command = shell_word(program);
  for (const std::string& in : options.inputs) command += " " + shell_word(in);
  for (const std::string& out : options.outputs) command += " -o " + shell_word(out);
  for (const std::string& word : options.of_program) command += " " + shell_word(word);
  std::fflush(stdout);
  const int ended = std::system(command.c_str());
  const int status = WIFEXITED(ended) ? WEXITSTATUS(ended) : exit_run_failed;
  return status <= exit_bad_command_line ? status : exit_run_failed;
}

}  // namespace

int run_model(Session& session, OpLibrary& defs, const MathLibrary& math, const RunOptions& options) {
  const TemporaryFolder folder("tenon_run");
  if (folder.path().empty()) {
    print_to(stderr, "tenon: error: {}\n", folder.why());
    return exit_bad_input;
  }
  ModelOptions model;
  model.graph = options.graph;
  model.definitions = options.definitions;
  model.sizes = options.sizes;
  model.isas = options.isas;
  model.main_program = true;
  model.images = options.images;
  model.sounds = options.sounds;
  model.given = options.inputs.size();
  model.output_dir = folder.path();
  model.temporary = true;
  int status = produce_model(session, defs, math, model);
  if (status == exit_done && !session.only_looks()) {
    const std::string program = folder.path() + "/net";
    status = compiled(folder.path(), options.compiler) ? program_status(program, options) : exit_run_failed;
  }
  return status;
}

}  // namespace tenon
