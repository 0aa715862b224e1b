// The sources of a program that trains.
#include <fmt/format.h>

#include "harness/model/model_code.h"
#include "harness/model/model_program.h"
#include "harness/model/model_state.h"
#include "ir/graph/graph_passes.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The run-time size that is the batch, where it is open.
const GraphSize* open_batch(const ExecutionPlan& plan) {
  const SizeExpr& first = plan.buffer(plan.inputs.front()).dims.front();
  return find_pointer(plan.sizes, [&](const GraphSize& s) { return first.is_name() && s.name == first.name; });
}

class TrainingWriter {
 public:
  TrainingWriter(const ExecutionPlan& step, const ModelFrame& frame)
      : step_(step),
        forward_(frame.forward->plan),
        frame_(frame),
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
      out.push_back({fmt::format("{}_{}", frame_.name, suffix),
                     fill_template(step_, frame_, path, std::move(holes), features()), path.ends_with(".c.in")});
    };
    add("c/model_program.h.in", "program.h", {});
    add("c/model_npy.c.in", "npy.c", file_advice(frame_));
    add("c/train_program.h.in", "training.h", data_holes());
    add("c/train_options.c.in", "options.c",
        {{"eval", eval_}, {"of_all_processes", frame_.mpi ? " * args->processes" : ""}});
    add("c/train_curve.c.in", "curve.c", {});
    add("c/train_npz.c.in", "npz.c", {});
    add("c/train_data.c.in", "data.c", {});
    add("c/train_examples.c.in", "examples.c", {});
    if (frame_.images) {
      add("c/model_image.c.in", "image.c", {});
      add("c/train_pictures.c.in", "pictures.c", {});
    }
    add("c/train_main.c.in", "main.c", main_holes());
    return out;
  }

 private:
  /// The positions for computing accuracy: the input of labels, and the output of a score for each class.
  struct Answers {
    size_t labels = 0;
    int scores = -1;  ///< -1: this is no classifier
    int64_t classes = 0;
  };

  Answers find_answers() const {
    Answers found;
    if (forward_.outputs.size() < 2) return found;
    const PlanBuffer& scores = forward_.buffer(forward_.outputs[1]);
    const auto is_labels = [&](int i) {
      const PlanBuffer& b = step_.buffer(i);
      return b.dims.size() == 1 && !is_float(b.dtype) && dtype_row(b.dtype).cls != DTypeClass::Bool;
    };
    if (count_if(step_.inputs, is_labels) != 1 || scores.dims.size() != 2 || !scores.dims[1].is_constant() ||
        scores.dims[1].value < 2 || (scores.dtype != DType::F32 && scores.dtype != DType::F64))
      return found;
    found.labels = static_cast<size_t>(find_if(step_.inputs, is_labels) - step_.inputs.begin());
    found.scores = forward_.outputs[1];
    found.classes = scores.dims[1].value;
    return found;
  }

  std::vector<HoleValue> data_holes() const {
    const GraphSize* batch = open_batch(step_);
    const int64_t fixed = step_.buffer(step_.inputs.front()).dims.front().value;
    return {{"n_data", fmt::format("{}", step_.inputs.size())},
            {"lowest_batch", fmt::format("{}", batch ? std::max<int64_t>(batch->lo, 1) : fixed)},
            {"highest_batch", fmt::format("{}", batch ? batch->hi : fixed)}};
  }

  /// Values of the step, in addition to those of the frame. With random numbers, parts of a batch differ from the whole
  /// batch.
  std::vector<Feature> features() const {
    const bool draws = seed_state() != nullptr;
    return {{"accuracy", answers_.scores >= 0},
            {"comparison", frame_.mpi && !draws},
            {"own_seeds", frame_.mpi && draws},
            {"one_seed", !frame_.mpi && draws}};
  }

  std::vector<HoleValue> main_holes() const {
    const PlanBuffer& loss = step_.buffer(step_.outputs.front());
    return {{"eval", eval_},
            {"eval_upper", upper_case(eval_)},
            {"arena_arrays", arena_arrays({arena_, eval_arena_})},
            {"arena_fields", arena_.field("arena") + eval_arena_.field("eval_arena")},
            {"of_arena", arena_.of("r->arena")},
            {"of_eval_arena", eval_arena_.of("r->eval_arena")},
            {"of_all_processes", frame_.mpi ? " * r->group.size" : ""},
            {"arena_total", arena_.total()},
            {"set_regions", set_regions()},
            {"seed_offset", seed_state() ? offset_name(*seed_state()) : ""},
            {"n_states", fmt::format("{}", step_.state.size())},
            {"n_gradients", fmt::format("{}", trained_.size())},
            {"n_parameters", fmt::format("{}", parameters_.size())},
            {"has_accuracy", answers_.scores >= 0 ? "1" : "0"},
            {"label_type", c_type(step_.buffer(step_.inputs[answers_.labels]))},
            {"labels", fmt::format("{}", answers_.labels)},
            {"score_type", answers_.scores >= 0 ? c_type(forward_.buffer(answers_.scores)) : ""},
            {"classes", fmt::format("{}", answers_.classes)},
            {"data", data_rows()},
            {"states", state_rows()},
            {"offsets", offsets()},
            {"trained", places(trained_)},
            {"parameters", places(parameters_)},
            {"loss_type", c_type(loss)},
            {"digits", loss.dtype == DType::F64 ? "17" : "9"},
            {"predictions", network_outputs() > 0 ? fmt::format("void *network[{}];", network_outputs()) : ""},
            {"output_buffers", output_buffers()},
            {"bind_step", bind_step()},
            {"bind_eval", bind_eval()}};
  }

  static std::string c_type(const PlanBuffer& b) { return std::string(dtype_row(b.dtype).c_type); }

  /// Step and validation take turns in the arrays of memory regions.
  std::string set_regions() const {
    if (!arena_.divided()) return {};
    const std::vector<ModelArena> both = {arena_, eval_arena_};
    return set_arena(both, "r->arena") + set_arena(both, "r->eval_arena");
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
    for (const int i : step_.inputs) out += row(step_.buffer(i), true);
    return out;
  }

  std::string state_rows() const {
    std::string out;
    for (const PlanState& s : step_.state) out += row(step_.buffer(s.held), false);
    return out;
  }

  std::string offset_name(const PlanState& s) const {
    return state_offset(step_.buffer(s.held), upper_case(frame_.name));
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

  /// The state that random numbers of the step follow from; null if it draws none. Processes draw different ones.
  const PlanState* seed_state() const {
    return find_pointer(step_.state, [&](const PlanState& s) { return step_.buffer(s.held).original == kSeedState; });
  }

  /// Outputs of the network, after the loss.
  size_t network_outputs() const { return forward_.outputs.size() - 1; }

  std::string output_buffers() const {
    std::string out;
    for (size_t k = 0; k < network_outputs(); ++k)
      out += fmt::format(
          "r->network[{0}] = {1}_allocate({2});\nif (r->network[{0}] == NULL) {{\n"
          "  return {1}_fail(\"train\", \"not enough memory\");\n}}\n",
          k, frame_.name, forward_.buffer(forward_.outputs[k + 1]).bytes);
    return out;
  }

  std::string bind_step() const {
    std::string out;
    for (size_t i = 0; i < step_.inputs.size(); ++i)
      out += fmt::format("r->in.{} = r->data[{}].batch.data;\n", step_.buffer(step_.inputs[i]).name, i);
    if (const GraphSize* batch = open_batch(step_)) out += fmt::format("r->in.{} = count;\n", batch->name);
    out += fmt::format("r->out.{} = r->loss;\n", step_.buffer(step_.outputs.front()).name);
    for (size_t k = 0; k < trained_.size(); ++k)
      out += fmt::format("r->out.{} = r->gradients[{}];\n", step_.buffer(trained_[k]->gradient).name, k);
    return out;
  }

  /// A state of this name, as a pointer; empty if there is none.
  std::string held(const std::string& name) const {
    for (const PlanState& s : step_.state)
      if (step_.buffer(s.held).original == name) return fmt::format("(const void *)(r->state + {})", offset_name(s));
    return {};
  }

  /// The sources that the forward network reads: the batch, or the state of the step, preferring a parameter's running
  /// mean to its last value.
  std::string eval_source(const PlanBuffer& b) const {
    for (size_t i = 0; i < step_.inputs.size(); ++i)
      if (step_.buffer(step_.inputs[i]).original == b.original) return fmt::format("r->validation[{}].batch.data", i);
    const std::string mean = held(b.original + kAverageState), last = held(b.original);
    return !mean.empty() ? mean : !last.empty() ? last : "NULL";
  }

  std::string bind_eval() const {
    std::string out;
    for (const int i : forward_.inputs)
      out += fmt::format("r->eval_in.{} = {};\n", forward_.buffer(i).name, eval_source(forward_.buffer(i)));
    for (const GraphSize& s : forward_.sizes)
      if (!s.written) out += fmt::format("r->eval_in.{} = count;\n", s.name);
    out += fmt::format("r->eval_out.{} = r->eval_loss;\n", forward_.buffer(forward_.outputs.front()).name);
    for (size_t k = 0; k < network_outputs(); ++k)
      out += fmt::format("r->eval_out.{} = r->network[{}];\n", forward_.buffer(forward_.outputs[k + 1]).name, k);
    return out;
  }

  const ExecutionPlan& step_;
  const ExecutionPlan& forward_;
  const ModelFrame& frame_;
  std::string eval_;
  ModelArena arena_, eval_arena_;
  Answers answers_;
  std::vector<const PlanState*> trained_, parameters_;
};

}  // namespace

std::string training_fault(const ExecutionPlan& step) {
  const PlanBuffer& loss = step.buffer(step.outputs.front());
  if (loss.dtype != DType::F32 && loss.dtype != DType::F64)
    return fmt::format("the loss is {}; the program logs one that is f32 or f64: cast it", name_of(loss.dtype));
  if (step.inputs.empty()) return "the graph has neither inputs nor targets, so there is no data to train with";
  for (const int i : step.inputs) {
    const PlanBuffer& b = step.buffer(i);
    const std::string& name = b.original.empty() ? b.name : b.original;
    if (b.dims.empty())
      return fmt::format("input '{}' has no axes; the first axis of each input and target counts the examples", name);
    const SizeExpr& first = step.buffer(step.inputs.front()).dims.front();
    if (b.dims.front() != first || (!first.is_constant() && !first.is_name()))
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
          "c/train_data.c.in",    "c/train_examples.c.in", "c/train_main.c.in",  "c/train_pictures.c.in"};
}

}  // namespace tenon
