// The names of an optimizer step's inputs and outputs define their meaning: X is the parameter and G its gradient, lr
// the learning rate, step the number of the step; every other input S is a state, whose next value is the output
// S_next. A schedule is an op whose one input is step.
#include "frontend/yaml/add_training.h"

#include <fmt/format.h>

#include <cstring>

#include "ir/graph/graph_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The steps of all parameters, with the states that they keep.
class StepBuilder {
 public:
  StepBuilder(GraphBuilder& builder, RunCounters& counters, const Optimizer& optimizer, NamedOutputs& outputs)
      : builder_(builder),
        counters_(counters),
        optimizer_(optimizer),
        signature_(*builder.semantics().find(optimizer.step.op)),
        outputs_(outputs) {
    if (optimizer.schedule)
      factor_ = builder.add_node(optimizer.schedule->op, {update()}, optimizer.schedule->attrs, 1)[0];
  }

  /// The gradient that the optimizer receives: the mean of the last ones if they are accumulated.
  ValueId accumulated(const TrainedParameter& p, ValueId gradient) {
    if (optimizer_.accumulate == 1) return gradient;
    const TensorType type = builder_.type(gradient);
    const ValueId sum = builder_.add_input(p.name + ".gradient", type.dtype, type.dims);
    const std::vector<ValueId> made =
        builder_.add_node("accumulate_gradient", {gradient, sum, counters_.step()}, every(), 2);
    sums_[p.name] = {sum, made[1]};
    return made[0];
  }

  void parameter(const TrainedParameter& p, ValueId gradient, size_t gradient_output) {
    const auto group = optimizer_.groups.find(p.name);
    const TrainingCall& call = group == optimizer_.groups.end() ? optimizer_.step : group->second;
    const std::vector<TensorType> made = types(call, p.value);
    const std::vector<bool> reads = read_inputs(call, p.value, made);
    std::vector<ValueId> inputs;
    std::vector<std::pair<std::string, ValueId>> kept;
    for (size_t i = 0; i < signature_.inputs.size(); ++i) {
      const std::string& name = signature_.inputs[i].name;
      if (name == "X") inputs.push_back(p.value);
      else if (name == "G") inputs.push_back(gradient);
      else if (name == "lr") inputs.push_back(rate(*call.lr));
      else if (name == "step") inputs.push_back(reads[i] ? update() : builder_.add_numbers(DType::I64, {}, {1}));
      else inputs.push_back(state(p, name, made, reads[i], kept));
    }
    const std::vector<ValueId> next = builder_.add_node(call.op, inputs, call.attrs, made.size());
    const ValueId moved = updated(p.value, next[*next_output(signature_, "X")]);
    keep(p.name, {p.value, p.initial, 0, gradient_output, true}, moved);
    for (const auto& [name, id] : kept)
      keep(p.name + "." + name, {id, nullptr, 0, std::nullopt, false},
           updated(id, next[*next_output(signature_, name)]));
    if (const auto sum = sums_.find(p.name); sum != sums_.end())
      keep(p.name + ".gradient", {sum->second.first, nullptr, 0, std::nullopt, false}, sum->second.second);
    if (optimizer_.average) average(p, moved);
  }

  /// From here on, updates are made only where this bool is true.
  void only_where(ValueId finite) { finite_ = finite; }

  /// The scale of the next step, and the number of updates.
  void scale(ValueId now) {
    const auto count = [&](const char* name) { return builder_.add_input(name, DType::I64, {}); };
    const ValueId age = count(kScaleAgeState);
    const std::vector<ValueId> next = builder_.add_node("loss_scale_step", {now, age, finite_}, {}, 2);
    const auto first = std::make_shared<TensorData>(TensorData{DType::F32, {}, std::vector<uint8_t>(sizeof(float))});
    const auto value = static_cast<float>(*optimizer_.loss_scale);
    std::memcpy(first->bytes.data(), &value, sizeof value);
    keep(kScaleState, {now, first, 0, std::nullopt, false}, at_update(now, next[0]));
    keep(kScaleAgeState, {age, nullptr, 0, std::nullopt, false}, at_update(age, next[1]));
    if (updates_ != kNoValue)
      keep(kUpdatesState, {updates_, nullptr, 0, std::nullopt, false}, updated(updates_, update_));
  }

  void running(const RunningParameter& p) { keep(p.name, {p.value, p.initial, 0, std::nullopt, true}, p.next); }

 private:
  ValueId real(double value) {
    return builder_.add_node("full", {}, {{"shape", std::vector<int64_t>{}}, {"value", value}, {"dtype", DType::F64}},
                             1)[0];
  }

  Attributes every() const { return {{"every", optimizer_.accumulate}}; }

  /// The number of the update, 1 at first.
  ValueId update() {
    if (optimizer_.scale_follows) return update_made();
    if (optimizer_.accumulate == 1) return counters_.step();
    if (update_ == kNoValue) update_ = builder_.add_node("update_number", {counters_.step()}, every(), 1)[0];
    return update_;
  }
  /// The same where some steps make none.
  ValueId update_made() {
    if (updates_ != kNoValue) return update_;
    updates_ = builder_.add_input(kUpdatesState, DType::I64, {});
    return update_ = builder_.add_node("add", {updates_, builder_.add_numbers(DType::I64, {}, {1})}, {}, 1)[0];
  }
  /// `next` where there is an update, else `now`.
  ValueId updated(ValueId now, ValueId next) {
    if (finite_ != kNoValue) next = builder_.add_node("where", {finite_, next, now}, {}, 1)[0];
    return at_update(now, next);
  }
  /// `next` where gradients of enough steps were seen, else `now`.
  ValueId at_update(ValueId now, ValueId next) {
    if (optimizer_.accumulate == 1) return next;
    return builder_.add_node("every_so_many", {next, now, counters_.step()}, every(), 1)[0];
  }

  void average(const TrainedParameter& p, ValueId moved) {
    const std::string name = p.name + kAverageState;
    const TensorType type = builder_.type(p.value);
    const ValueId mean = builder_.add_input(name, type.dtype, type.dims);
    const ValueId next = builder_.add_node("moving_average", {moved, mean}, {{"decay", *optimizer_.average}}, 1)[0];
    keep(name, {mean, p.initial, 0, std::nullopt, true}, updated(mean, next));
  }

  /// The learning rate of a group.
  ValueId rate(double lr) {
    const auto [known, added] = rates_.emplace(lr, kNoValue);
    if (!added) return known->second;
    known->second = real(lr);
    if (factor_ != kNoValue) known->second = builder_.add_node("mul", {known->second, factor_}, {}, 1)[0];
    return known->second;
  }

  /// Types of the results. A state has the type of its next value, which may depend on that of the parameter alone.
  std::vector<TensorType> types(const TrainingCall& call, ValueId parameter) const {
    std::vector<TensorType> known;
    for (int round = 0; round < 3; ++round) {
      const InferredTypes inferred =
          builder_.semantics().infer(call.op, input_types(parameter, known), call.attrs, signature_.outputs.size());
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
      else out.push_back(made[*next_output(signature_, i.name)]);
    }
    return out;
  }

  std::vector<bool> read_inputs(const TrainingCall& call, ValueId parameter,
                                const std::vector<TensorType>& made) const {
    return builder_.semantics().reads(call.op, input_types(parameter, made), call.attrs);
  }

  /// A state that the step does not read with these attributes is dropped; a value of its type takes its place.
  ValueId state(const TrainedParameter& p, const std::string& name, const std::vector<TensorType>& made, bool is_read,
                std::vector<std::pair<std::string, ValueId>>& kept) {
    const TensorType& type = made[*next_output(signature_, name)];
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
  ValueId factor_ = kNoValue, update_ = kNoValue, updates_ = kNoValue, finite_ = kNoValue;
  std::map<double, ValueId> rates_;
  std::map<std::string, std::pair<ValueId, ValueId>> sums_;  // of gradients: now, next
};

Attributes all_axes(const GraphBuilder& builder, ValueId v) {
  std::vector<int64_t> axes;
  while (axes.size() < builder.value(v).dims.size()) axes.push_back(static_cast<int64_t>(axes.size()));
  return {{"axes", axes}};
}

ValueId converted(GraphBuilder& builder, ValueId v, DType to) {
  return builder.value(v).dtype == to ? v : builder.add_node("cast", {v}, {{"dtype", to}}, 1)[0];
}

/// The type in which squares of gradients are summed: their own type if they share one that is wide enough.
DType norm_type(const GraphBuilder& builder, const std::vector<ValueId>& gradients) {
  const DType first = builder.value(gradients.front()).dtype;
  const bool same = all_of(gradients, [&](ValueId g) { return builder.value(g).dtype == first; });
  return same && (first == DType::F32 || first == DType::F64) ? first : DType::F64;
}

/// The gradients that the optimizer sees.
std::vector<ValueId> clipped(GraphBuilder& builder, std::vector<ValueId> gradients, const Optimizer& optimizer) {
  if (const auto limit = optimizer.clip_value)
    for (ValueId& g : gradients) g = builder.add_node("clip", {g}, {{"lo", -*limit}, {"hi", *limit}}, 1)[0];
  if (!optimizer.clip_norm) return gradients;
  const DType wide = norm_type(builder, gradients);
  ValueId sum = kNoValue;
  for (const ValueId g : gradients) {
    const ValueId squares = builder.add_node("sum_sq", {converted(builder, g, wide)}, all_axes(builder, g), 1)[0];
    sum = sum == kNoValue ? squares : builder.add_node("add", {sum, squares}, {}, 1)[0];
  }
  const ValueId factor = builder.add_node("clip_factor", {sum}, {{"limit", *optimizer.clip_norm}}, 1)[0];
  for (ValueId& g : gradients)
    g = builder.add_node("mul", {g, converted(builder, factor, builder.value(g).dtype)}, {}, 1)[0];
  return gradients;
}

/// The gradient of the scaled loss, divided by the scale in a type that represents both operands.
ValueId without_scale(GraphBuilder& builder, ValueId gradient, ValueId scale) {
  const DType type = builder.value(gradient).dtype, wide = type == DType::F64 ? type : DType::F32;
  const ValueId quotient =
      builder.add_node("div", {converted(builder, gradient, wide), converted(builder, scale, wide)}, {}, 1)[0];
  return converted(builder, quotient, type);
}

/// Whether all elements of all gradients are finite.
ValueId all_finite(GraphBuilder& builder, const std::vector<ValueId>& gradients) {
  std::vector<ValueId> sound;
  for (const ValueId g : gradients) {
    if (!sound.empty()) sound.insert(sound.begin(), g);
    else sound.push_back(g);
    sound = builder.add_node("all_finite", sound, {}, 1);
  }
  return sound[0];
}

/// The factor of the loss; kNoValue without one.
ValueId scale_of(GraphBuilder& builder, const Optimizer& optimizer) {
  if (!optimizer.loss_scale) return kNoValue;
  if (optimizer.scale_follows) return builder.add_input(kScaleState, DType::F32, {});
  return builder.add_node(
      "full", {}, {{"shape", std::vector<int64_t>{}}, {"value", *optimizer.loss_scale}, {"dtype", DType::F32}}, 1)[0];
}

/// Gradients of the loss, computed from a scaled one where a scale is given.
std::vector<ValueId> gradients_of(GraphBuilder& builder, ValueId loss, const std::vector<ValueId>& wrt, ValueId scale) {
  if (scale == kNoValue) return builder.add_gradients(loss, wrt);
  const ValueId factor = converted(builder, scale, builder.value(loss).dtype);
  std::vector<ValueId> out = builder.add_gradients(builder.add_node("mul", {loss, factor}, {}, 1)[0], wrt);
  for (ValueId& g : out) g = without_scale(builder, g, scale);
  return out;
}

}  // namespace

void add_training(GraphBuilder& builder, RunCounters& counters, const TrainingStep& step, NamedOutputs& outputs) {
  const auto& [loss, parameters, optimizer] = step;
  const std::vector<TrainedParameter>& trained = parameters.trained;
  const std::vector<ValueId> wrt = mapped(trained, &TrainedParameter::value);
  builder.set_origin("train: loss");
  const ValueId scale = scale_of(builder, optimizer);
  const std::vector<ValueId> gradients = gradients_of(builder, loss, wrt, scale);
  NamedOutputs all = {{"loss", loss}};
  for (size_t i = 0; i < gradients.size(); ++i)
    all.emplace_back(fmt::format("grad({})", trained[i].name), gradients[i]);
  append(all, outputs);
  builder.set_origin("train: optimizer");
  StepBuilder steps(builder, counters, optimizer, all);
  std::vector<ValueId> moved = gradients;
  for (size_t i = 0; i < moved.size(); ++i) moved[i] = steps.accumulated(trained[i], moved[i]);
  if (optimizer.scale_follows) steps.only_where(all_finite(builder, moved));
  moved = clipped(builder, std::move(moved), optimizer);
  for (size_t i = 0; i < gradients.size(); ++i) steps.parameter(trained[i], moved[i], i + 1);
  for (const RunningParameter& p : parameters.running) steps.running(p);
  if (optimizer.scale_follows) steps.scale(scale);
  counters.finish(all);
  outputs = std::move(all);
}

}  // namespace tenon
