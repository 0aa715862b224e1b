// `tenon explain`: a diagnostic code, an op or kernel of the library, or a model's kernels and memory.
#include <fmt/format.h>

#include <map>
#include <set>

#include "algebra/known_values.h"
#include "algebra/nest_survey.h"
#include "command/commands.h"
#include "command/fix_kernels.h"
#include "command/select.h"
#include "command/written_files.h"
#include "differentiate/gradient_ops.h"
#include "emit/math_body.h"
#include "frontend/frontends.h"
#include "lower/lower_kernel.h"
#include "lower/lower_library.h"
#include "pipeline/make.h"
#include "schedule/explain_plan.h"
#include "support/parallel.h"
#include "support/print_to.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The op or kernel whose name is nearest.
std::string nearest_subject(const std::string& name, const Library& library) {
  std::vector<std::string> names;
  for (const LibraryOp& op : library.ops) {
    names.push_back(op.def->name);
    for (const LibraryKernel& k : op.kernels) names.push_back(k.name);
  }
  return nearest_name(name, names);
}

/// The kernel of that name; of an op, its kernel of f32 or the first one. Null if there is none.
const LibraryKernel* find_kernel(const Library& library, const std::string& name) {
  for (const LibraryOp& op : library.ops) {
    for (const LibraryKernel& k : op.kernels)
      if (k.name == name || (op.def->name == name && k.name == name + "_f32")) return &k;
    if (op.def->name == name && !op.kernels.empty()) return &op.kernels[0];
  }
  return nullptr;
}

/// Equal loops are described once.
void print_loops(const LoopNest& nest) {
  std::vector<std::pair<std::string, int>> lines;
  for (const InnerLoop& l : inner_loops(nest)) {
    const std::string line = l.lanes > 1 ? fmt::format("{} lanes", l.lanes)
                             : l.rest    ? std::string("scalar: what loops over vectors leave")
                                         : fmt::format("scalar: {}", l.why);
    const auto known = find_if(lines, [&](const auto& k) { return k.first == line; });
    if (known == lines.end()) lines.emplace_back(line, 1);
    else ++known->second;
  }
  for (const auto& [line, count] : lines)
    print_to(stdout, "    {} inner {} of {}\n", count, count == 1 ? "loop" : "loops", line);
}

/// Kernels that have vectors at the level, and yet an innermost loop that goes through memory element by element.
int explain_scalar_loops(const Library& library, const std::vector<const Isa*>& levels, const Blueprints& schedules) {
  struct Row {
    const Kernel* kernel;
    std::string text;
  };
  std::vector<Row> rows;
  std::set<std::string> known;
  for (const LibraryOp& op : library.ops)
    for (const LibraryKernel& k : op.kernels)
      if (known.insert(k.kernel.name).second) rows.push_back({&k.kernel, {}});
  for_each_index(rows.size(), [&](size_t i) {
    for (const Isa* isa : levels) {
      if (isa->vector_bits == 0 || !gains(*rows[i].kernel, *isa)) continue;
      std::set<std::string> reasons;
      for (const InnerLoop& l : inner_loops(library_nest(*rows[i].kernel, schedules, *isa)))
        if (l.lanes == 1 && l.contiguous && !l.rest) reasons.insert(l.why);
      for (const std::string& why : reasons)
        rows[i].text += fmt::format("{} at {}: {}\n", rows[i].kernel->name, isa->name, why);
    }
  });
  for (const Row& r : rows) print_to(stdout, "{}", r.text);
  return exit_done;
}

/// The elementary functions that a kernel calls, with their bounds.
void print_functions(const MathLibrary& math, const Kernel& kernel) {
  for (const MathFunction* f : functions_used(math, kernel))
    print_to(stdout, "  {} of {}: {}\n", f->name, name_of(f->dtype), bound_text(*f));
}

/// How a kernel is scheduled at each level.
void print_levels(const Kernel& kernel, const std::vector<const Isa*>& levels, const Blueprints& schedules) {
  for (const Isa* isa : levels) {
    if (isa != levels[0] && !gains(kernel, *isa)) {
      print_to(stdout, "  at {}: the body of the level below\n", isa->name);
      continue;
    }
    const LoopNest nest = library_nest(kernel, schedules, *isa);
    print_to(stdout, "  at {}: blueprint {}\n", isa->name, nest.blueprint);
    print_loops(nest);
    for (const std::string& note : nest.notes) print_to(stdout, "    {}\n", note);
  }
}

void explain_kernel(const LibraryKernel& k, const MathLibrary& math, const std::vector<const Isa*>& levels,
                    const Blueprints& schedules) {
  print_to(stdout, "{}", to_text(k.kernel));
  print_functions(math, k.kernel);
  print_levels(k.kernel, levels, schedules);
  for (const FixedValues& values : k.fixed) {
    print_to(stdout, "  fixed {}: where {}\n", values.text, to_text(equal_to(values.asked)));
    print_levels(fixed_kernel(k, values), levels, schedules);
  }
}

/// The text in lines of at most `width` characters, if it has blanks to break them at.
std::vector<std::string> in_lines(std::string text, size_t width) {
  std::vector<std::string> lines;
  while (text.size() > width) {
    const size_t blank = text.rfind(' ', width);
    if (blank == std::string::npos || text.find_last_not_of(' ', blank) == std::string::npos) break;
    lines.push_back(text.substr(0, blank));
    text = "    " + text.substr(blank + 1);
  }
  lines.push_back(text);
  return lines;
}

std::vector<std::string> formulas(const Kernel& kernel, size_t width) {
  std::vector<std::string> lines;
  for_each_statement(kernel, [&](const KernelStatement& s) { append(lines, in_lines(s.formula, width)); });
  return lines;
}

/// The statements of an op on the left, those of its gradient on the right.
void print_side_by_side(const Kernel& forward, const Kernel& backward) {
  constexpr size_t column = 58;
  std::vector<std::string> left = formulas(forward, column), right = formulas(backward, column);
  left.insert(left.begin(), {forward.name, std::string(forward.name.size(), '-')});
  right.insert(right.begin(), {backward.name, std::string(backward.name.size(), '-')});
  left.resize(std::max(left.size(), right.size()));
  for (size_t i = 0; i < left.size(); ++i)
    print_to(stdout, "{}\n", i < right.size() ? fmt::format("{:<{}}  {}", left[i], column, right[i]) : left[i]);
}

Library with_gradient(Run& run, const OpLibrary& defs, const ExplainOptions& o, const std::string& op) {
  LibOptions both;
  both.definitions = o.inputs;
  both.selection = o.selection;
  both.selection.ops = {op, gradient_name(op)};
  return kernels_and_gradients(run, defs, both);
}

/// The gradient's kernels, of the type that the name says, of f32 or of the first one. False: none.
bool explain_gradient(const std::string& subject, const std::string& op, const Library& library,
                      FunctionRef<void(const LibraryKernel&)> explain) {
  const LibraryKernel* usual = find_kernel(library, op);
  std::map<std::map<std::string, DType>, const Kernel*> forward;
  std::set<std::vector<int>> shown;
  for (const LibraryOp& o : library.ops) {  // the gradient comes after the op
    const std::string f32 = o.def->name + "_f32";
    const auto first = find_if(o.kernels, [&](const LibraryKernel& k) { return k.name.starts_with(f32); });
    for (const LibraryKernel& k : o.kernels) {
      if (!o.is_gradient()) forward.emplace(k.types, &k.kernel);
      const bool is_usual = k.types == (first == o.kernels.end() ? o.kernels.begin() : first)->types;
      const bool is_named = subject == gradient_name(op) ? is_usual : k.name.starts_with(subject);
      if (!o.is_gradient() || !is_named || !shown.insert(k.computes).second) continue;
      print_side_by_side(*value_or(forward, k.types, &usual->kernel), k.kernel);
      explain(k);
    }
  }
  return !shown.empty();
}

/// A step at a level; that of its twin where it has one.
const LoweredStep& step_at(const PlacedModel& model, const LoweredLevel& level, size_t step) {
  const int twin = model.plan.steps[step].twin;
  return level.steps[twin >= 0 ? static_cast<size_t>(twin) : step];
}

/// Every step at the highest level chosen.
std::vector<LoweredAs> lowered_steps(const PlacedModel& model) {
  std::vector<LoweredAs> out;
  for (size_t i = 0; i < model.plan.steps.size(); ++i) {
    const LoweredStep& step = step_at(model, model.lowered.levels.back(), i);
    out.push_back({step.nest.blueprint, step.one_thread});
  }
  return out;
}

/// The kernels of that name: what they compute, then how they are scheduled at each level.
int explain_one(const PlacedModel& model, const MathLibrary& math, const std::string& name) {
  std::vector<std::string> names;
  bool found = false;
  for (size_t s = 0; s < model.plan.steps.size(); ++s) {
    const PlanStep& step = model.plan.steps[s];
    names.push_back(step.kernel.name);
    if (step.kernel.name != name) continue;
    found = true;
    print_to(stdout, "step {}: {}\n{}", s, step.origin, to_text(step.kernel));
    for (const std::string& note : step.notes) print_to(stdout, "  fused: {}\n", note);
    if (!step.algorithm.empty()) print_to(stdout, "  algorithm: {}\n", step.algorithm);
    print_functions(math, step.kernel);
    for (const LoweredLevel& level : model.lowered.levels) {
      const LoweredStep& lowered = step_at(model, level, s);
      print_to(stdout, "  at {}: blueprint {}\n", level.isa->name, lowered.nest.blueprint);
      for (const std::string& why : lowered.one_thread) print_to(stdout, "    one thread: {}\n", why);
    }
  }
  if (found) return exit_done;
  stop_run(exit_bad_command_line, fmt::format("the graph has no kernel '{}'{}; `tenon explain GRAPH` lists them", name,
                                              or_did_you_mean(name, names)));
}

/// All kernels of a graph or that of one name, or its memory as a table and as a diagram.
int explain_model(Run& run, const ExplainOptions& o, const std::string& graph, const std::string& kernel) {
  ModelOptions options;
  static_cast<GraphForm&>(options) = o;
  options.graph = graph;
  options.isas = o.selection.isas;
  options.schedules = o.schedules;
  const auto files = kernel.empty() ? o.inputs : std::vector<std::string>{};
  const Definitions defs = all_definitions(run, files, nullptr, o.math);
  const PlacedModel model = place_model(run, defs, options);
  if (o.svg) refuse_overwriting(run, {{"--svg", *o.svg, FileForm::svg}}, run.files_read());
  if (!kernel.empty()) return explain_one(model, defs.math, kernel);
  if (o.memory) print_to(stdout, "{}{}", memory_table(model.plan), kept_text(model.graph, model.plan));
  if (o.memory && o.recompute)
    print_to(stdout, "computed again: {} operators, so that values of {} bytes are not kept; {:.1f} % more work\n",
             model.again.nodes, model.again.bytes, 100 * model.again.work);
  if (o.svg) return run.deliver_file(memory_picture(model.plan), *o.svg);
  if (!o.memory) print_to(stdout, "{}", explain_kernels(model.plan, lowered_steps(model)));
  return exit_done;
}

}  // namespace

int run_command(Run& run, const ExplainOptions& o) {
  if (o.svg) refuse_overwriting(run, {{"--svg", *o.svg, FileForm::svg}}, {o.subject});
  else run.writes_nothing("tenon explain");
  if (const CodeInfo* code = find_code(o.subject)) {
    if (!o.inputs.empty())
      stop_run(exit_bad_command_line,
               fmt::format("{} is a diagnostic code, which is in no file: leave out {}", code->id, o.inputs[0]));
    print_to(stdout, "{} {}: {}\n{}\n", code->id, code->slug, code->meaning, code->explanation);
    return exit_done;
  }
  if (has_frontend(o.subject)) return explain_model(run, o, o.subject, "");
  if (o.inputs.size() == 1 && holds_model(o.inputs[0])) {
    if (!o.fix.empty()) stop_run(exit_bad_command_line, "--fix is about kernels of the library");
    return explain_model(run, o, o.inputs[0], o.subject);
  }
  if (o.training || o.recompute || !o.sizes.empty())
    stop_run(exit_bad_command_line, "--train, --recompute and --size are about a graph: name one");
  const auto levels = chosen_levels(o.selection.isas);
  const OpLibrary defs = read_definitions(run, o.inputs);
  const bool all = o.subject == "scalar-loops";
  const std::string op = differentiated_op(defs, o.subject);
  Library library =
      op.empty() ? chosen_kernels(run, defs, o.selection, all && !o.inputs.empty()) : with_gradient(run, defs, o, op);
  fix_kernels(run, defs, o.fix, library);
  const Blueprints schedules = read_schedules(run, o.schedules, kernel_names(library));
  if (all) return explain_scalar_loops(library, levels, schedules);
  const MathLibrary math = read_math_library(run, o.math);
  const auto explain = [&](const LibraryKernel& k) { explain_kernel(k, math, levels, schedules); };
  const LibraryKernel* kernel = op.empty() ? find_kernel(library, o.subject) : nullptr;
  if (kernel) explain(*kernel);
  if (kernel || (!op.empty() && explain_gradient(o.subject, op, library, explain))) return exit_done;
  const std::string near = nearest_subject(o.subject, library);
  stop_run(
      exit_bad_command_line,
      fmt::format(
          "'{}' is neither a diagnostic code nor a graph nor an op or kernel of the library, such as softmax_f32{}",
          o.subject, near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

}  // namespace tenon
