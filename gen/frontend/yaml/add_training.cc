// What inputs and outputs of an optimizer's step mean is said by their names: X is the parameter and G its gradient, lr
// the learning rate, step the number of the step; every other input S is a state, whose next value is the output
// S_next. A schedule is an op whose one input is step.
#include "frontend/yaml/add_training.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/recipe/recipe_value.h"
#include "frontend/recipe/run_recipe.h"
#include "support/diagnostics.h"
#include "support/joined.h"

namespace tenon {
namespace {

/// What a call names: an op with this suffix.
struct CallKind {
  const char* what;
  const char* suffix;
  std::string (*missing)(const OpSignature&);  // what the op lacks for being one; empty for one that is
};

bool has_input(const OpSignature& s, const std::string& name) {
  return std::any_of(s.inputs.begin(), s.inputs.end(), [&](const InputSignature& i) { return i.name == name; });
}
std::optional<size_t> output(const OpSignature& s, const std::string& name) {
  const auto at = std::find(s.outputs.begin(), s.outputs.end(), name);
  return at == s.outputs.end() ? std::nullopt : std::optional(static_cast<size_t>(at - s.outputs.begin()));
}
bool is_state(const std::string& input) { return input != "X" && input != "G" && input != "lr" && input != "step"; }

/// What the op lacks for being the step of an optimizer; empty for one that is.
std::string missing_in(const OpSignature& s) {
  for (const char* name : {"X", "G"})
    if (!has_input(s, name)) return fmt::format("the input {}", name);
  for (const InputSignature& i : s.inputs)
    if ((is_state(i.name) || i.name == "X") && !output(s, next_of(i.name)))
      return fmt::format("the output {}", next_of(i.name));
  return "";
}

std::string missing_in_schedule(const OpSignature& s) {
  return s.inputs.size() == 1 && s.inputs[0].name == "step" ? "" : "the one input step";
}

constexpr CallKind kOptimizer = {"optimizer", "_step", missing_in};
constexpr CallKind kSchedule = {"schedule", "_schedule", missing_in_schedule};

std::vector<std::string> known_ops(const CallKind& kind, const OpSemantics& semantics) {
  std::vector<std::string> out;
  for (const std::string& op : semantics.names())
    if (op.ends_with(kind.suffix) && kind.missing(*semantics.find(op)).empty())
      out.push_back(op.substr(0, op.size() - std::string(kind.suffix).size()));
  return out;
}

const OpSignature& called(const CallKind& kind, const RecipeExpr& call, const OpSemantics& semantics) {
  const std::string op = call.text + kind.suffix;
  const OpSignature* s = semantics.find(op);
  if (!s) {
    const std::vector<std::string> known = known_ops(kind, semantics);
    const std::string near = nearest_name(call.text, known);
    throw RecipeError(call.offset, fmt::format("there is no {} '{}': {}", kind.what, call.text,
                                               near.empty() ? fmt::format("there are {}", joined(known, ", "))
                                                            : fmt::format("did you mean '{}'?", near)));
  }
  const std::string missing = kind.missing(*s);
  if (!missing.empty())
    throw RecipeError(call.offset, fmt::format("{} is not what a training step calls as {} '{}': it lacks {}", op,
                                               kind.what, call.text, missing));
  return *s;
}

double as_number(const RecipeValue& v, size_t offset) {
  const double* real = v.get<double>();
  const SizeExpr* whole = v.get<SizeExpr>();
  if (!real && !(whole && whole->is_constant()))
    throw RecipeError(offset, fmt::format("lr takes a number, not {}", to_text(v)));
  return real ? *real : static_cast<double>(whole->value);
}

void set_attribute(const std::string& optimizer, const OpSignature& s, const std::string& name, const RecipeValue& v,
                   size_t offset, Attributes& attrs) {
  std::vector<std::string> known;
  if (has_input(s, "lr")) known.emplace_back("lr");
  for (const AttrSignature& a : s.attrs) {
    known.push_back(a.name);
    if (a.name != name) continue;
    std::string error;
    if (!to_attribute(v, a, attrs[name], error)) throw RecipeError(offset, fmt::format("{}: {}", optimizer, error));
    return;
  }
  const std::string near = nearest_name(name, known);
  throw RecipeError(offset, fmt::format("{} has no attribute '{}': {}", optimizer, name,
                                        near.empty() ? fmt::format("it has {}", joined(known, ", "))
                                                     : fmt::format("did you mean '{}'?", near)));
}

/// The steps of all parameters, with the states that they keep.
class Steps {
 public:
  Steps(GraphBuilder& builder, RunCounters& counters, const Optimizer& optimizer, NamedOutputs& outputs)
      : builder_(builder),
        counters_(counters),
        optimizer_(optimizer),
        signature_(*builder.semantics().find(optimizer.step.op)),
        outputs_(outputs) {
    if (!optimizer.step.lr) return;
    lr_ = real(*optimizer.step.lr);
    if (!optimizer.schedule) return;
    const ValueId factor =
        builder.add_node(optimizer.schedule->op, {counters_.step()}, optimizer.schedule->attrs, 1)[0];
    lr_ = builder.add_node("mul", {lr_, factor}, {}, 1)[0];
  }

  void parameter(const TrainedParameter& p, ValueId gradient, size_t gradient_output) {
    const std::vector<TensorType> made = types(p.value);
    const std::vector<bool> reads = read_inputs(p.value, made);
    std::vector<ValueId> inputs;
    std::vector<std::pair<std::string, ValueId>> kept;
    for (size_t i = 0; i < signature_.inputs.size(); ++i) {
      const std::string& name = signature_.inputs[i].name;
      if (name == "X") inputs.push_back(p.value);
      else if (name == "G") inputs.push_back(gradient);
      else if (name == "lr") inputs.push_back(lr_);
      else if (name == "step")
        inputs.push_back(reads[i] ? counters_.step() : builder_.add_numbers(DType::I64, {}, {1}));
      else inputs.push_back(state(p, name, made, reads[i], kept));
    }
    const std::vector<ValueId> next = builder_.add_node(optimizer_.step.op, inputs, optimizer_.step.attrs, made.size());
    keep(p.name, {p.value, p.initial, 0, gradient_output, true}, next[*output(signature_, "X_next")]);
    for (const auto& [name, id] : kept)
      keep(p.name + "." + name, {id, nullptr, 0, std::nullopt, false}, next[*output(signature_, next_of(name))]);
  }

  void running(const RunningParameter& p) { keep(p.name, {p.value, p.initial, 0, std::nullopt, true}, p.next); }

 private:
  ValueId real(double value) {
    return builder_.add_node("full", {}, {{"shape", std::vector<int64_t>{}}, {"value", value}, {"dtype", DType::F64}},
                             1)[0];
  }

  /// Types of the results. A state has the type of its next value, which may depend on that of the parameter alone.
  std::vector<TensorType> types(ValueId parameter) const {
    std::vector<TensorType> known;
    for (int round = 0; round < 3; ++round) {
      const InferredTypes inferred = builder_.semantics().infer(optimizer_.step.op, input_types(parameter, known),
                                                                optimizer_.step.attrs, signature_.outputs.size());
      if (!inferred.error.empty()) throw GraphError(optimizer_.step.op + ": " + inferred.error);
      if (inferred.outputs == known) return known;
      known = inferred.outputs;
    }
    throw GraphError(fmt::format("{}: a state has another type than its next value", optimizer_.step.op));
  }

  std::vector<std::optional<TensorType>> input_types(ValueId parameter, const std::vector<TensorType>& made) const {
    std::vector<std::optional<TensorType>> out;
    for (const InputSignature& i : signature_.inputs) {
      if (i.name == "lr") out.push_back(TensorType{DType::F64, {}});
      else if (i.name == "step") out.push_back(TensorType{DType::I64, {}});
      else if (made.empty() || !is_state(i.name)) out.push_back(builder_.type(parameter));
      else out.push_back(made[*output(signature_, next_of(i.name))]);
    }
    return out;
  }

  std::vector<bool> read_inputs(ValueId parameter, const std::vector<TensorType>& made) const {
    return builder_.semantics().reads(optimizer_.step.op, input_types(parameter, made), optimizer_.step.attrs);
  }

  /// A state that the step does not read with these attributes is none; something of its type is in its place.
  ValueId state(const TrainedParameter& p, const std::string& name, const std::vector<TensorType>& made, bool is_read,
                std::vector<std::pair<std::string, ValueId>>& kept) {
    const TensorType& type = made[*output(signature_, next_of(name))];
    if (!is_read && type == builder_.type(p.value)) return p.value;
    kept.emplace_back(name, builder_.add_input(p.name + "." + name, type.dtype, type.dims));
    return kept.back().second;
  }

  void keep(const std::string& name, GraphBuilder::State state, ValueId next) {
    state.next = outputs_.size();
    builder_.add_state(std::move(state));
    outputs_.emplace_back(next_of(name), next);
  }

  GraphBuilder& builder_;
  RunCounters& counters_;
  const Optimizer& optimizer_;
  const OpSignature& signature_;
  NamedOutputs& outputs_;
  ValueId lr_ = kNoValue;
};

}  // namespace

namespace {

TrainingCall read_call(const CallKind& kind, const std::string& text, const OpSemantics& semantics) {
  const RecipeExpr call = parse_recipe_expr(text);
  if (call.kind != RecipeExpr::Kind::call)
    throw RecipeError(call.offset, "a call is expected here, such as sgd(lr=0.1, momentum=0.9) or cosine(steps=1000)");
  const OpSignature& s = called(kind, call, semantics);
  GraphBuilder builder(semantics, kind.what);
  const RecipeFunctions none;
  RecipeContext context{builder, none};
  RecipeScope scope;
  TrainingCall out{call.text + kind.suffix, {}, std::nullopt};
  std::set<std::string> given;
  for (const RecipeExpr& a : call.args) {
    const bool named = a.kind == RecipeExpr::Kind::keyword;
    if (!named && (&a != &call.args.front() || !has_input(s, "lr")))
      throw RecipeError(a.offset, "attributes are given by name, as in sgd(lr=0.1, momentum=0.9)");
    const std::string name = named ? a.text : "lr";
    if (!given.insert(name).second) throw RecipeError(a.offset, fmt::format("'{}' is given twice", name));
    const RecipeValue value = evaluate_recipe(context, named ? a.args[0] : a, scope);
    if (name == "lr" && has_input(s, "lr")) out.lr = as_number(value, a.offset);
    else set_attribute(call.text, s, name, value, a.offset, out.attrs);
  }
  if (has_input(s, "lr") && !out.lr)
    throw RecipeError(call.offset, fmt::format("{} needs a learning rate, as in {}(lr=0.01)", call.text, call.text));
  for (const AttrSignature& a : s.attrs)
    if (a.required && !out.attrs.count(a.name))
      throw RecipeError(call.offset, fmt::format("{} needs its attribute {}", call.text, a.name));
  return out;
}

Attributes all_axes(const GraphBuilder& builder, ValueId v) {
  std::vector<int64_t> axes;
  while (axes.size() < builder.value(v).dims.size()) axes.push_back(static_cast<int64_t>(axes.size()));
  return {{"axes", axes}};
}

/// The gradients that the optimizer sees.
std::vector<ValueId> clipped(GraphBuilder& builder, std::vector<ValueId> gradients, const Optimizer& optimizer) {
  if (const auto limit = optimizer.clip_value)
    for (ValueId& g : gradients) g = builder.add_node("clip", {g}, {{"lo", -*limit}, {"hi", *limit}}, 1)[0];
  if (!optimizer.clip_norm) return gradients;
  ValueId sum = kNoValue;
  for (const ValueId g : gradients) {
    const ValueId squares = builder.add_node("sum_sq", {g}, all_axes(builder, g), 1)[0];
    sum = sum == kNoValue ? squares : builder.add_node("add", {sum, squares}, {}, 1)[0];
  }
  const ValueId factor = builder.add_node("clip_factor", {sum}, {{"limit", *optimizer.clip_norm}}, 1)[0];
  for (ValueId& g : gradients) g = builder.add_node("mul", {g, factor}, {}, 1)[0];
  return gradients;
}

}  // namespace

TrainingCall read_optimizer(const std::string& call, const OpSemantics& semantics) {
  return read_call(kOptimizer, call, semantics);
}
TrainingCall read_schedule(const std::string& call, const OpSemantics& semantics) {
  return read_call(kSchedule, call, semantics);
}

void add_training(GraphBuilder& builder, RunCounters& counters, ValueId loss, const StepParameters& parameters,
                  const Optimizer& optimizer, NamedOutputs& outputs) {
  const std::vector<TrainedParameter>& trained = parameters.trained;
  std::vector<ValueId> wrt;
  for (const TrainedParameter& p : trained) wrt.push_back(p.value);
  builder.set_origin("train: loss");
  const std::vector<ValueId> gradients = builder.add_gradients(loss, wrt);
  NamedOutputs all = {{"loss", loss}};
  for (size_t i = 0; i < gradients.size(); ++i)
    all.emplace_back(fmt::format("grad({})", trained[i].name), gradients[i]);
  all.insert(all.end(), outputs.begin(), outputs.end());
  builder.set_origin("train: optimizer");
  Steps steps(builder, counters, optimizer, all);
  const std::vector<ValueId> moved = clipped(builder, gradients, optimizer);
  for (size_t i = 0; i < gradients.size(); ++i) steps.parameter(trained[i], moved[i], i + 1);
  for (const RunningParameter& p : parameters.running) steps.running(p);
  counters.finish(all);
  outputs = std::move(all);
}

}  // namespace tenon
