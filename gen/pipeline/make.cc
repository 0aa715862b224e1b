// The arguments of the stages, from the flags.
#include "pipeline/make.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "algebra/winograd_kernel.h"
#include "command/select.h"
#include "emit/emit_levels.h"
#include "emit/math_body.h"
#include "harness/model/model_output.h"
#include "harness/model/model_program.h"
#include "ir/graph/graph_passes.h"
#include "lower/lower_plan.h"
#include "lower/pass_text.h"
#include "schedule/plan_graph.h"
#include "schedule/plan_memory.h"
#include "semantics/apply_rewrites.h"
#include "semantics/make_selftest.h"
#include "semantics/node_kernels.h"
#include "support/check.h"
#include "support/diagnostics.h"
#include "support/joined.h"
#include "support/print_to.h"
#include "support/ranges.h"
#include "support/version.h"

namespace tenon {
namespace {

/// The prefix of every C name.
std::string program_name(const ModelOptions& o) { return o.training ? o.name + "_train" : o.name; }

MathSource math_source(const MathLibrary& math) {
  return [&math](ScalarOp op, OperandType type, const Isa& isa) { return math_body(math, op, type, isa); };
}

/// " x f32[3] y i64[N]": the arguments of the program.
std::string inputs_text(const Graph& graph) {
  std::string out;
  for (const ValueId v : graph.inputs) out += fmt::format(" {} {}", graph.value(v).original, type_text(graph.value(v)));
  return out;
}

/// The answers that the self-test expects, where there is to be one.
std::optional<Selftest> selftest_of(const PlacedModel& model, const ModelOptions& o) {
  if (!o.selftest) return std::nullopt;
  if (model.plan.outputs.empty())
    stop_run(exit_bad_input,
             fmt::format("{}: --selftest: every output is a state, so that none can be checked", o.graph));
  std::string fault;
  auto selftest = make_selftest(model.source.defs, first_call(model.source.graph), o.selftest_limit, fault);
  if (!selftest) stop_run(exit_bad_input, fmt::format("{}: --selftest: {}", o.graph, fault));
  return selftest;
}

/// Stops at a name that is none of these, or that comes twice.
void refuse_wrong_names(const std::vector<std::string>& given, const std::vector<std::string>& names, const char* flag,
                        const std::string& graph) {
  for (size_t k = 0; k < given.size(); ++k) {
    if (!contains(names, given[k]))
      stop_run(exit_bad_command_line, fmt::format("{} {}=…: {} has no input or target of that name; it has {}", flag,
                                                  given[k], graph, joined(names, ", ")));
    if (count_of(given, given[k]) > 1)
      stop_run(exit_bad_command_line, fmt::format("{} {}=…: this input has two files", flag, given[k]));
  }
}

/// Each input and target of a training graph has a file, and no file is for anything else.
void refuse_wrong_data(const Graph& graph, const TrainingData& data, const std::string& file) {
  std::vector<std::string> names;
  for (const ValueId v : graph.inputs)
    if (none_of(graph.state, [&](const StatePair& s) { return s.input == v; }))
      names.push_back(graph.value(v).original);
  for (const auto& [flag, given] : {std::pair{"--data", &data.learned}, std::pair{"--validate", &data.validated}}) {
    refuse_wrong_names(*given, names, flag, file);
    for (const std::string& n : names)
      if ((given == &data.learned || !given->empty()) && !contains(*given, n))
        stop_run(exit_bad_command_line, fmt::format("{} {}=FILE is missing: {} has the inputs and targets {}", flag, n,
                                                    file, joined(names, ", ")));
  }
}

/// The open size that an extent of an input is; nullptr where it is a number.
const GraphSize* open_size(const Graph& graph, const SizeExpr& extent) {
  const auto at = find_if(graph.sizes, [&](const GraphSize& s) { return s.name == extent.name; });
  return at == graph.sizes.end() ? nullptr : &*at;
}

/// "f32[N=1..64, 3]": what an input takes.
std::string taken_text(const Graph& graph, const Value& v) {
  const auto text = [&](const SizeExpr& e) {
    const GraphSize* s = open_size(graph, e);
    return s ? fmt::format("{}={}..{}", s->name, s->lo, s->hi) : to_text(e);
  };
  return fmt::format("{}[{}]", name_of(v.dtype), joined(v.dims, ", ", text));
}

/// Whether an extent may be `n`, whatever the sizes are elsewhere.
bool may_be(const Graph& graph, const SizeExpr& extent, int64_t n) {
  const GraphSize* s = open_size(graph, extent);
  return s ? n >= s->lo && n <= s->hi : extent.is(n);
}

/// Stops at an array of another type than its input, before it takes time to compile the program that would refuse it.
void refuse_wrong_arrays(const Graph& graph, const std::vector<std::string>& files) {
  for (size_t k = 0; k < files.size(); ++k) {
    const Value& v = graph.value(graph.inputs[k]);
    const auto type = type_of_array(files[k]);
    if (!type) continue;
    if (type->dtype != (is_small(v.dtype) ? DType::U8 : v.dtype))
      stop_run(exit_bad_input, fmt::format("{}: its dtype is {}; input '{}' takes {}", files[k], name_of(type->dtype),
                                           v.original, taken_text(graph, v)));
    bool fits = type->dims.size() == v.dims.size();
    for (size_t d = 0; fits && d < v.dims.size(); ++d) fits = may_be(graph, v.dims[d], type->dims[d]);
    if (!fits)
      stop_run(exit_bad_input, fmt::format("{}: its shape is {}; input '{}' takes {}", files[k], shape_text(type->dims),
                                           v.original, taken_text(graph, v)));
  }
}

}  // namespace

void refuse_wrong_inputs(const Graph& graph, const ModelOptions& o) {
  if (o.training && graph.state.empty())
    stop_run(exit_bad_input, fmt::format("{}: no parameter of this graph is trained; a graph in YAML with a section "
                                         "`train` is, and a model in ONNX with --train-with FILE: docs/training.md",
                                         o.graph));
  if (o.data) refuse_wrong_data(graph, *o.data, o.graph);
  if (o.asked > graph.outputs.size())
    stop_run(exit_bad_command_line, fmt::format("{} has {} output{}, and -o is given {} times", o.graph,
                                                graph.outputs.size(), graph.outputs.size() == 1 ? "" : "s", o.asked));
  const size_t wanted = graph.inputs.size();
  if (!o.given) return;
  if (o.given->size() == wanted) return refuse_wrong_arrays(graph, *o.given);
  stop_run(exit_bad_command_line,
           fmt::format("{} has {} input{}, and {} file{} given:{}", o.graph, wanted, wanted == 1 ? "" : "s",
                       o.given->size(), o.given->size() == 1 ? " is" : "s are", inputs_text(graph)));
}

LibraryOptions library_options(Run& run, const LibOptions& o) {
  LibraryOptions out;
  out.prefix = o.prefix;
  out.registry = o.registry;
  out.amalgamate = o.amalgamate;
  out.ranks = o.selection.ranks;
  out.templates = read_frames(run, library_template_names());
  out.threads = o.threads;
  out.freestanding = o.freestanding;
  out.libm = o.math.libm;
  out.version = kVersion;
  return out;
}

EmitOptions library_style(const LibOptions& o, const Definitions& defs) {
  EmitOptions out;
  out.prefix = o.prefix;
  out.string_header = false;
  out.math_header = o.math.libm;
  out.shares_loops = o.threads;
  out.math = math_source(defs.math);
  out.scalars = &defs.scalars;
  return out;
}

EmitOptions model_style(const ModelOptions& o, const Definitions& defs) {
  EmitOptions out;
  out.prefix = program_name(o);
  out.string_header = false;
  out.math_header = o.math.libm;
  out.style = FunctionStyle::Model;
  out.math = math_source(defs.math);
  out.scalars = &defs.scalars;
  return out;
}

PlanOptions plan_options(const ModelOptions& o, const std::vector<const Isa*>& levels) {
  const bool quads = any_of(levels, [](const Isa* i) { return !i->base.empty(); });
  const bool vectors = any_of(levels, [](const Isa* i) { return i->vector_bits > 0; });
  return {o.fuse, o.fuse, quads, o.winograd ? levels : std::vector<const Isa*>{}, vectors};
}

/// Portable C alone is for firmware, where the code for workers counts and nobody starts any. A program has --threads.
int worker_count(const ModelOptions& o, const std::vector<const Isa*>& levels) {
  constexpr int usual = 8;
  const bool plain = all_of(levels, [](const Isa* i) { return i->vector_bits == 0; });
  return o.max_threads.value_or(plain && !o.main_program ? 1 : usual);
}

void refuse_idle_winograd(const Graph& graph, const std::vector<NodeKernel>& kernels, const ModelOptions& o) {
  PlanOptions options;
  options.fuse = options.views = o.fuse;
  options.winograd = chosen_levels(o.isas);
  const ExecutionPlan plan = plan_graph(graph, kernels, options);
  if (none_of(plan.steps, [](const PlanStep& s) { return find_winograd(s.kernel).has_value(); }))
    stop_run(
        exit_bad_command_line,
        fmt::format("--no-winograd changes nothing: no convolution of {} is computed that way at the levels chosen; "
                    "leave it out",
                    o.graph));
}

Recomputed choose_recomputed(Graph graph, std::vector<NodeKernel> kernels, const ModelOptions& o) {
  if (o.recompute && first_gradient(graph) == graph.nodes.size())
    stop_run(exit_bad_command_line, fmt::format("--recompute is about what gradients read, and {} computes none{}; "
                                                "leave it out",
                                                o.graph, o.training ? "" : " without --train or --grad-of"));
  return recompute(std::move(graph), std::move(kernels), o.recompute.value_or(Recompute::never),
                   plan_options(o, chosen_levels(o.isas)));
}

std::vector<std::string> kernel_names(const ExecutionPlan& plan) {
  return mapped(plan.steps, [&](const PlanStep& s) { return s.kernel.name; });
}

std::vector<std::string> kernel_names(const Library& library) {
  std::vector<std::string> names;
  for (const LibraryOp& op : library.ops)
    for (const LibraryKernel& k : op.kernels) names.push_back(k.kernel.name);
  return names;
}

Blueprints schedules_of(Run& run, const ModelOptions& o, const ExecutionPlan& plan) {
  return o.blueprints ? *o.blueprints : read_schedules(run, o.schedules, kernel_names(plan));
}

void note_idle_fast_math(Run& run, const MathLibrary& math, const std::vector<const Kernel*>& kernels,
                         const MathChoice& choice) {
  if (choice.fast.empty() || run.control().quiet) return;
  const auto gains = [&](const Kernel* k) {
    const auto used = functions_used(math, *k);
    return any_of(used, [](const MathFunction* f) { return f->error.has_value(); });
  };
  if (none_of(kernels, gains))
    print_to(stderr, "tenon: note: --fast-math changes nothing here: no kernel calls a function that it replaces\n");
}

Graph rewrite_model(Run& run, const ModelSource& model, const Graph& graph) {
  RewriteOutcome done = apply_rewrites(model.defs, read_rewrite_rules(run, model.defs), graph);
  if (run.control().verbose) {
    for (const auto& [rule, times] : done.applied)
      print_to(stderr, "{:>10}  {} {}\n", times, times == 1 ? "time" : "times", rule);
    for (const std::string& r : done.refused) print_to(stderr, "note: a rule could not be carried out: {}\n", r);
  }
  if (!done.unsettled.empty())
    print_to(stderr, "tenon: warning: rewriting came to no end; the rule '{}' still applied when it was stopped\n",
             done.unsettled);
  return std::move(done.graph);
}

Graph with_states(Graph graph, const ModelOptions& o) {
  for (const NamedValue& s : o.states)
    if (const std::string fault = keep_state(graph, s.name, s.value); !fault.empty())
      stop_run(exit_bad_command_line, fmt::format("--state {}={}: {}", s.name, s.value, fault));
  return graph;
}

Graph with_gradients(Graph graph, const ModelOptions& o) {
  if (!o.gradients) return graph;
  if (o.gradients->of.empty() || o.gradients->wrt.empty())
    stop_run(exit_bad_command_line, "--grad-of VALUE says of what, and --wrt A,B with respect to what: give both");
  if (const std::string fault = ask_gradient(graph, *o.gradients); !fault.empty())
    stop_run(exit_bad_command_line, fmt::format("--grad-of {}: {}", o.gradients->of, fault));
  return graph;
}

Graph cut_graph(const Graph& graph, const std::string& value) {
  if (auto cut = graph_until(graph, value)) return std::move(*cut);
  const std::vector<std::string> names = values_to_see(graph);
  constexpr size_t shown = 8;
  const std::span first(names.data(), std::min(names.size(), shown));
  stop_run(exit_bad_command_line,
           fmt::format("--until: the graph has no value '{}'{}", value,
                       or_did_you_mean(value, names,
                                       "; it has " + joined(first, ", ") + (names.size() > shown ? ", ..." : ""))));
}

ExecutionPlan place_memory(const ExecutionPlan& plan, const LoweredPlan& lowered, int workers, const ModelOptions& o) {
  ExecutionPlan placed = plan_memory(plan, lowered.workspaces, workers);
  if (!o.arena.empty()) {
    const std::string fault = divide_memory(placed, o.arena, arena_traffic(placed, lowered.levels.back()));
    if (!fault.empty())
      stop_run(exit_bad_input,
               fmt::format("{}: --arena: {}; `tenon explain --memory` lists all values", o.graph, fault));
  }
  const std::vector<std::string> faults = memory_faults(placed, workers);
  TENON_CHECK(faults.empty(), "the memory of {} is planned wrongly: {}", o.graph, joined(faults, "; "));
  return placed;
}

void refuse_wrong_program(const ExecutionPlan& plan, const ModelOptions& o) {
  const auto any = [&](bool (*takes)(const PlanBuffer&)) {
    return std::any_of(plan.inputs.begin(), plan.inputs.end(), [&](int i) {
      PlanBuffer one = plan.buffer(i);
      if (o.training && !one.dims.empty()) one.dims.erase(one.dims.begin());  // the first axis counts the examples
      return takes(one);
    });
  };
  if (o.images && !any(takes_picture))
    stop_run(
        exit_bad_command_line,
        "--images: no input of this model can be a picture: f32, f64, u8 or i8 of [H, W], [C, H, W] or [H, W, C], C "
        "1 or 3");
  if (o.sounds && !any(takes_sound))
    stop_run(exit_bad_command_line,
             "--sounds: no input of this model can be a sound: f32, f64 or i16, one axis that is not 1");
  if (!o.training || !o.main_program) return;
  if (const std::string fault = training_fault(plan); !fault.empty())
    stop_run(exit_bad_input, fmt::format("{}: {}", o.graph, fault));
}

std::optional<ForwardModel> forward_model(Run& run, const Definitions& defs, const PlacedModel& model,
                                          const ModelOptions& o) {
  if (!o.training || !o.main_program) return std::nullopt;
  const auto levels = chosen_levels(o.isas);
  ModelSource source = read_model_source(run, o, GraphMode::validation, defs.ops);
  source.graph = run.open(backward_graph(source.defs, std::move(source.graph)));
  const Graph graph = rewrite_model(run, source, source.graph);
  const ExecutionPlan plan =
      plan_graph(graph, run.open(node_kernels(source.defs, graph, o.graph)), plan_options(o, levels));
  const LoweredPlan lowered = lower_plan(plan, schedules_of(run, o, plan), levels, model.workers);
  ForwardModel out;
  out.name = o.name + "_eval";
  out.plan = place_memory(plan, lowered, model.workers, o);
  EmitOptions style = model_style(o, defs);
  style.prefix = out.name;
  out.levels = emit_model(out.plan, lowered, style);
  return out;
}

OutputTree model_files(Run& run, const PlacedModel& model, const std::vector<ModelLevel>& texts,
                       const std::optional<ForwardModel>& forward, const ModelOptions& o) {
  const auto templates = read_frames(run, model_template_names());
  const std::optional<Selftest> selftest = selftest_of(model, o);
  OutputTree tree;
  write_model(model.plan, texts,
              {program_name(o), o.main_program, o.images, o.sounds, model.workers, o.weights, o.byte_order, templates,
               o.freestanding, std::filesystem::path(o.graph).filename().string(), selftest ? &*selftest : nullptr,
               o.training, forward ? &*forward : nullptr, o.mpi, o.math.libm},
              tree);
  return tree;
}

void show_passes(Run& run, const std::vector<const Kernel*>& kernels, const Blueprints& schedules,
                 const std::vector<const Isa*>& levels) {
  for (const std::string_view pass : lowering_passes())
    run.pass(fmt::format("lower/{}", pass), [&] {
      std::string text;
      for (const Isa* isa : levels)
        for (const Kernel* k : kernels) text += text_after_pass(pass, *k, schedules.of_kernel(k->name), *isa);
      return text;
    });
}

void refuse_unknown_stages(const Options& options) {
  const auto* dump = std::get_if<DumpOptions>(&options.command);
  std::vector<std::string> words = options.control.dump_after;
  if (words == std::vector<std::string>{"all"}) words.clear();
  if (dump) words.insert(words.begin(), dump->stage);
  for (const std::string& word : words) {
    if (is_stage(word)) continue;
    std::vector<std::string> known;
    for (const StageName& s : all_stages()) known.emplace_back(s.name);
    for (const std::string_view pass : lowering_passes()) known.push_back(fmt::format("lower/{}", pass));
    stop_run(exit_bad_command_line, fmt::format("there is no stage '{}'{}; `tenon list stages` prints them", word,
                                                or_did_you_mean(word, known)));
  }
}

}  // namespace tenon
