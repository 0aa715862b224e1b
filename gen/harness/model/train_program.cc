// The sources of a program that trains.
#include "harness/model/train_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/library_names.h"
#include "harness/model/model_arena.h"
#include "harness/model/model_state.h"
#include "harness/model/train_processes.h"
#include "ir/graph/training_graphs.h"
#include "support/quoted.h"
#include "support/text_template.h"
#include "support/version.h"

namespace tenon {
namespace {

/// The run-time size that is the batch, where it is open.
const GraphSize* open_batch(const ExecutionPlan& plan) {
  const SizeExpr& first = buffer(plan, plan.inputs.front()).dims.front();
  for (const GraphSize& s : plan.sizes)
    if (first.kind == SizeExpr::Kind::name && s.name == first.name) return &s;
  return nullptr;
}

class TrainingWriter {
 public:
  TrainingWriter(const ExecutionPlan& step, const ModelFrame& frame)
      : step_(step),
        forward_(frame.forward->plan),
        frame_(frame),
        name_(frame.name),
        upper_(upper_case(frame.name)),
        eval_(frame.forward->name),
        arena_(step, frame.name),
        eval_arena_(frame.forward->plan, frame.forward->name),
        answers_(find_answers()) {
    for (const PlanState& s : step.state) {
      if (s.gradient >= 0) trained_.push_back(&s);
      if (s.parameter) parameters_.push_back(&s);
    }
  }

  std::vector<ModelFile> files() const {
    std::vector<ModelFile> out;
    const auto add = [&](const std::string& path, const std::string& suffix, std::vector<HoleValue> holes) {
      const TextTemplate frame(path, frame_.templates.at(path));
      const std::vector<std::string> names = frame.hole_names();
      holes.push_back({"name", name_});
      if (std::find(names.begin(), names.end(), "upper") != names.end()) holes.push_back({"upper", upper_});
      out.push_back({fmt::format("{}_{}", name_, suffix), frame.fill(holes), path.ends_with(".c.in")});
    };
    add("c/model_program.h.in", "program.h", {{"readers", ""}});
    add("c/model_npy.c.in", "npy.c", {{"other_files", other_files(frame_)}});
    add("c/train_program.h.in", "training.h", data_holes());
    add("c/train_options.c.in", "options.c",
        {{"eval", eval_}, {"program", name_}, {"version", std::string(kVersion)}, {"most_examples", most_examples()}});
    add("c/train_curve.c.in", "curve.c", {});
    add("c/train_npz.c.in", "npz.c", {});
    add("c/train_data.c.in", "data.c", {});
    add("c/train_examples.c.in", "examples.c", {});
    add("c/train_main.c.in", "main.c", main_holes());
    return out;
  }

 private:
  /// Where the right answers are: the input of labels, and the output of a score for each class.
  struct Answers {
    size_t labels = 0;
    int scores = -1;  ///< -1: this is no classifier
    int64_t classes = 0;
  };

  Answers find_answers() const {
    Answers found;
    if (forward_.outputs.size() < 2) return found;
    const PlanBuffer& scores = buffer(forward_, forward_.outputs[1]);
    const auto is_labels = [&](int i) {
      const PlanBuffer& b = buffer(step_, i);
      return b.dims.size() == 1 && !is_float(b.dtype) && dtype_row(b.dtype).cls != DTypeClass::Bool;
    };
    if (std::count_if(step_.inputs.begin(), step_.inputs.end(), is_labels) != 1 || scores.dims.size() != 2 ||
        !scores.dims[1].is_constant() || scores.dims[1].value < 2 ||
        (scores.dtype != DType::F32 && scores.dtype != DType::F64))
      return found;
    found.labels =
        static_cast<size_t>(std::find_if(step_.inputs.begin(), step_.inputs.end(), is_labels) - step_.inputs.begin());
    found.scores = forward_.outputs[1];
    found.classes = scores.dims[1].value;
    return found;
  }

  std::vector<HoleValue> data_holes() const {
    const GraphSize* batch = open_batch(step_);
    const int64_t fixed = buffer(step_, step_.inputs.front()).dims.front().value;
    return {{"processes", frame_.mpi ? "int processes; /* that share each batch */" : ""},
            {"n_data", fmt::format("{}", step_.inputs.size())},
            {"lowest_batch", fmt::format("{}", batch ? std::max<int64_t>(batch->lo, 1) : fixed)},
            {"highest_batch", fmt::format("{}", batch ? batch->hi : fixed)}};
  }

  /// A batch has no more.
  std::string most_examples() const {
    return fmt::format("{}_HIGHEST_BATCH{}", upper_, frame_.mpi ? " * args->processes" : "");
  }

  std::vector<HoleValue> process_holes() const {
    const TextTemplate parts("c/train_parts.c.in", frame_.templates.at("c/train_parts.c.in"));
    const std::vector<HoleValue> holes = {{"name", name_},
                                          {"upper", upper_},
                                          {"run", entry_of(frame_)},
                                          {"bind_step", bind_step()},
                                          {"of_arena", arena_.of("r->arena")}};
    const TrainingTexts texts = {name_, set_seed(), parts.fill(holes)};
    return frame_.mpi ? holes_of_processes(texts) : holes_of_one_process(texts);
  }

  std::vector<HoleValue> main_holes() const {
    std::vector<HoleValue> out = own_holes();
    for (HoleValue& h : process_holes()) out.push_back(std::move(h));
    return out;
  }

  std::vector<HoleValue> own_holes() const {
    const PlanBuffer& loss = buffer(step_, step_.outputs.front());
    return {{"eval", eval_},
            {"program", name_},
            {"run", entry_of(frame_)},
            {"arena_arrays", arena_arrays({arena_, eval_arena_})},
            {"memory_fields", memory_fields()},
            {"of_arena", arena_.of("r->arena")},
            {"of_eval_arena", eval_arena_.of("r->eval_arena")},
            {"arena_total", arena_.total()},
            {"arena_rooms", arena_rooms()},
            {"no_memory",
             arena_.divided() ? "r->state == NULL" : "r->state == NULL || r->arena == NULL || r->eval_arena == NULL"},
            {"align_arenas", align_arenas()},
            {"n_states", fmt::format("{}", step_.state.size())},
            {"n_gradients", fmt::format("{}", trained_.size())},
            {"n_parameters", fmt::format("{}", parameters_.size())},
            {"has_accuracy", answers_.scores >= 0 ? "1" : "0"},
            {"data", data_rows()},
            {"states", state_rows()},
            {"offsets", offsets()},
            {"trained", places(trained_)},
            {"parameters", places(parameters_)},
            {"loss_type", loss.dtype == DType::F64 ? "double" : "float"},
            {"digits", loss.dtype == DType::F64 ? "17" : "9"},
            {"predictions", network_outputs() > 0 ? fmt::format("void *network[{}];", network_outputs()) : ""},
            {"output_buffers", output_buffers()},
            {"accuracy", accuracy()},
            {"count_right", answers_.scores >= 0 ? "right += right_answers(r, count);" : ""},
            {"bind_step", bind_step()},
            {"bind_eval", bind_eval()},
            {"threads_include", shares() ? fmt::format("#include \"{}_threads.h\"", name_) : ""},
            {"start_threads", start_threads()},
            {"stop_threads", shares() ? fmt::format("{}_stop_threads(&r->context);", name_) : ""}};
  }

  bool shares() const { return frame_.workers > 1; }

  std::string memory_fields() const {
    if (!arena_.divided()) return "unsigned char *state, *arena, *eval_arena;";
    return "unsigned char *state;\n" + arena_.field("arena") + eval_arena_.field("eval_arena");
  }

  /// Step and validation take turns in the arrays of memory regions.
  std::string arena_rooms() const {
    const std::vector<ModelArena> both = {arena_, eval_arena_};
    if (arena_.divided()) return set_arena(both, "r->arena") + set_arena(both, "r->eval_arena");
    return fmt::format(
        "r->arena = {0}_allocate({1}_ARENA_BYTES + 64);\nr->eval_arena = {0}_allocate({2}_ARENA_BYTES + 64);\n", name_,
        upper_, upper_case(eval_));
  }

  std::string align_arenas() const {
    if (arena_.divided()) return {};
    return "r->arena += (64 - (uintptr_t)r->arena % 64) % 64;\n"
           "r->eval_arena += (64 - (uintptr_t)r->eval_arena % 64) % 64;\n";
  }

  std::string start_threads() const {
    if (!shares()) return {};
    return fmt::format(
        "if (r->args->threads > 1 && {0}_start_threads(&r->context, (int)r->args->threads) != 0) {{\n"
        "  return {0}_fail(\"--threads\", \"the threads cannot be started\");\n}}",
        name_);
  }

  static std::string row(const PlanBuffer& b, bool examples) {
    std::string dims;
    for (size_t d = 0; d < b.dims.size(); ++d)
      dims += fmt::format("{}{}", d ? ", " : "", d == 0 && examples ? -1 : b.dims[d].value);
    return fmt::format("{{\"{}\", \"{}\", {}, {}, {{{}}}, {}}},\n",
                       c_string_inside(b.original.empty() ? b.name : b.original), name_of(b.dtype), bytes_of(b.dtype),
                       b.dims.size(), dims.empty() ? "0" : dims, b.bytes);
  }

  std::string data_rows() const {
    std::string out;
    for (const int i : step_.inputs) out += row(buffer(step_, i), true);
    return out;
  }

  std::string state_rows() const {
    std::string out;
    for (const PlanState& s : step_.state) out += row(buffer(step_, s.held), false);
    return out;
  }

  std::string offset_name(const PlanState& s) const {
    return fmt::format("{}_STATE_OFFSET_{}", upper_, buffer(step_, s.held).name);
  }

  std::string offsets() const {
    std::string out;
    for (const PlanState& s : step_.state) out += offset_name(s) + ", ";
    return out;
  }

  std::string places(const std::vector<const PlanState*>& states) const {
    std::string out;
    for (const PlanState* s : states) out += fmt::format("{}, ", s - step_.state.data());
    return out;
  }

  /// Random numbers of the step follow from the seed, which is a state of those steps that have any. Processes draw
  /// different ones.
  std::string set_seed() const {
    for (const PlanState& s : step_.state)
      if (buffer(step_, s.held).original == kSeedState)
        return fmt::format("const int64_t seed = r->args->seed{};\nmemcpy(r->state + {}, &seed, sizeof seed);",
                           frame_.mpi ? " + (INT64_C(1) << 40) * r->group.rank" : "", offset_name(s));
    return {};
  }

  std::string scores_type() const { return std::string(dtype_row(buffer(forward_, answers_.scores).dtype).c_type); }

  /// Outputs of the network, after the loss.
  size_t network_outputs() const { return forward_.outputs.size() - 1; }

  std::string output_buffers() const {
    std::string out;
    for (size_t k = 0; k < network_outputs(); ++k)
      out += fmt::format(
          "r->network[{0}] = {1}_allocate({2});\nif (r->network[{0}] == NULL) {{\n"
          "  return {1}_fail(\"train\", \"not enough memory\");\n}}\n",
          k, name_, buffer(forward_, forward_.outputs[k + 1]).bytes);
    return out;
  }

  /// A function that counts examples whose highest score is that of their label.
  std::string accuracy() const {
    if (answers_.scores < 0) return {};
    return fmt::format(
        "/* How many of the batch have the highest score at their label, the first of equal ones. */\n"
        "static long long right_answers(const run *r, long long count) {{\n"
        "  const {1} *const labels = (const {1} *)r->validation[{2}].batch.data;\n  long long right = 0;\n"
        "  for (long long k = 0; k < count; ++k) {{\n"
        "    const {0} *const scores = (const {0} *)r->network[0] + k * {3};\n    long long best = 0;\n"
        "    for (long long c = 1; c < {3}; ++c) {{\n      if (scores[c] > scores[best]) {{\n"
        "        best = c;\n      }}\n    }}\n    right += best == (long long)labels[k];\n  }}\n"
        "  return right;\n}}\n",
        scores_type(), dtype_row(buffer(step_, step_.inputs[answers_.labels]).dtype).c_type, answers_.labels,
        answers_.classes);
  }

  std::string bind_step() const {
    std::string out;
    for (size_t i = 0; i < step_.inputs.size(); ++i)
      out += fmt::format("r->in.{} = r->data[{}].batch.data;\n", buffer(step_, step_.inputs[i]).name, i);
    if (const GraphSize* batch = open_batch(step_)) out += fmt::format("r->in.{} = count;\n", batch->name);
    out += fmt::format("r->out.{} = r->loss;\n", buffer(step_, step_.outputs.front()).name);
    for (size_t k = 0; k < trained_.size(); ++k)
      out += fmt::format("r->out.{} = r->gradients[{}];\n", buffer(step_, trained_[k]->gradient).name, k);
    return out;
  }

  /// A state of this name, as a pointer; empty if there is none.
  std::string held(const std::string& name) const {
    for (const PlanState& s : step_.state)
      if (buffer(step_, s.held).original == name) return fmt::format("(const void *)(r->state + {})", offset_name(s));
    return {};
  }

  /// Where the forward network reads: the batch, or the state of the step, the mean of a parameter before its last
  /// value.
  std::string eval_source(const PlanBuffer& b) const {
    for (size_t i = 0; i < step_.inputs.size(); ++i)
      if (buffer(step_, step_.inputs[i]).original == b.original) return fmt::format("r->validation[{}].batch.data", i);
    const std::string mean = held(b.original + kAverageState), last = held(b.original);
    return !mean.empty() ? mean : !last.empty() ? last : "NULL";
  }

  std::string bind_eval() const {
    std::string out;
    for (const int i : forward_.inputs)
      out += fmt::format("r->eval_in.{} = {};\n", buffer(forward_, i).name, eval_source(buffer(forward_, i)));
    for (const GraphSize& s : forward_.sizes)
      if (!s.written) out += fmt::format("r->eval_in.{} = count;\n", s.name);
    out += fmt::format("r->eval_out.{} = r->eval_loss;\n", buffer(forward_, forward_.outputs.front()).name);
    for (size_t k = 0; k < network_outputs(); ++k)
      out += fmt::format("r->eval_out.{} = r->network[{}];\n", buffer(forward_, forward_.outputs[k + 1]).name, k);
    return out;
  }

  const ExecutionPlan& step_;
  const ExecutionPlan& forward_;
  const ModelFrame& frame_;
  std::string name_, upper_, eval_;
  ModelArena arena_, eval_arena_;
  Answers answers_;
  std::vector<const PlanState*> trained_, parameters_;
};

}  // namespace

std::string training_fault(const ExecutionPlan& step) {
  const PlanBuffer& loss = buffer(step, step.outputs.front());
  if (loss.dtype != DType::F32 && loss.dtype != DType::F64)
    return fmt::format("the loss is {}; the program logs one that is f32 or f64: cast it", name_of(loss.dtype));
  if (step.inputs.empty()) return "the graph has neither inputs nor targets, so there is no data to train with";
  for (const int i : step.inputs) {
    const PlanBuffer& b = buffer(step, i);
    const std::string& name = b.original.empty() ? b.name : b.original;
    if (b.dims.empty())
      return fmt::format("input '{}' has no axes; the first axis of each input and target counts the examples", name);
    const SizeExpr& first = buffer(step, step.inputs.front()).dims.front();
    if (b.dims.front() != first || (!first.is_constant() && first.kind != SizeExpr::Kind::name))
      return fmt::format(
          "the first axis of input '{}' is {}, and that of another one {}; it counts the examples and is "
          "the same in all inputs and targets",
          name, to_text(b.dims.front()), to_text(first));
    for (size_t d = 1; d < b.dims.size(); ++d)
      if (!b.dims[d].is_constant())
        return fmt::format("input '{}' has the open extent {}; give `--size {}=…`", name, to_text(b.dims[d]),
                           names_in(b.dims[d]).front());
  }
  return {};
}

std::vector<ModelFile> training_files(const ExecutionPlan& step, const ModelFrame& frame) {
  return TrainingWriter(step, frame).files();
}

std::vector<std::string> training_template_names() {
  return {"c/train_program.h.in", "c/train_options.c.in",  "c/train_curve.c.in", "c/train_npz.c.in",
          "c/train_data.c.in",    "c/train_examples.c.in", "c/train_main.c.in",  "c/train_parts.c.in"};
}

}  // namespace tenon
