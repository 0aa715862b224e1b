// Chooses the form of an op, and follows the states of the calls.
#include "frontend/recipe/training_forms.h"

#include <fmt/format.h>

#include "ir/graph/graph_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

size_t input_at(const OpSignature& s, const std::string& name) {
  const auto at = find_if(s.inputs, [&](const InputSignature& i) { return i.name == name; });
  return static_cast<size_t>(at - s.inputs.begin());
}
bool has_state(const OpSignature& s) {
  return any_of(s.inputs, [&](const InputSignature& i) { return next_output(s, i.name).has_value(); });
}

/// The argument for an input; null where it is not given.
template <class Call>
auto* argument(const OpSignature& s, Call& call, const std::string& input) {
  const size_t at = input_at(s, input);
  if (at < call.args.size()) return &call.args[at];
  for (auto& k : call.keywords)
    if (k.name == input) return &k.value;
  return static_cast<decltype(&call.args[0])>(nullptr);
}

/// Attributes of the op's other forms have no meaning in this one.
void drop_attributes_of_others(const OpSemantics& semantics, const std::string& base, const OpSignature& chosen,
                               RecipeCall& call) {
  const OpSignature* forms[] = {semantics.find(base), semantics.find(base + "_training"),
                                semantics.find(base + "_inference")};
  std::erase_if(call.keywords, [&](const RecipeKeyword& k) {
    return !chosen.attr(k.name) && input_at(chosen, k.name) == chosen.inputs.size() &&
           any_of(forms, [&](const OpSignature* s) { return s && s->attr(k.name); });
  });
}

}  // namespace

std::string next_of(const std::string& name) { return name + "_next"; }

std::optional<size_t> next_output(const OpSignature& s, const std::string& input) {
  const auto at = std::find(s.outputs.begin(), s.outputs.end(), next_of(input));
  return at == s.outputs.end() ? std::nullopt : std::optional(static_cast<size_t>(at - s.outputs.begin()));
}

ValueId RunCounters::step() {
  if (step_ != kNoValue) return step_;
  counter_ = builder_.add_input(kStepState, DType::I64, {});
  return step_ = builder_.add_node("add", {counter_, builder_.add_numbers(DType::I64, {}, {1})}, {}, 1)[0];
}
ValueId RunCounters::seed() {
  if (seed_ == kNoValue) seed_ = builder_.add_input(kSeedState, DType::I64, {});
  return seed_;
}
void RunCounters::finish(NamedOutputs& outputs) {
  const auto keep = [&](const std::string& name, ValueId input, ValueId next) {
    if (input == kNoValue) return;
    builder_.add_state({input, nullptr, outputs.size(), std::nullopt});
    outputs.emplace_back(next_of(name), next);
  };
  keep(kStepState, counter_, step_);
  keep(kSeedState, seed_, seed_);
}

bool TrainingForms::is_running(const RecipeValue& v) const {
  const TensorRef* t = v.get<TensorRef>();
  return t && latest_.count(t->id) > 0;
}

bool TrainingForms::reads_running(const OpSignature& s, const RecipeCall& call) const {
  return any_of(s.inputs, [&](const InputSignature& i) {
    const RecipeValue* v = argument(s, call, i.name);
    return v && next_output(s, i.name) && is_running(*v);
  });
}

std::string TrainingForms::form_of(const RecipeContext& context, const RecipeCall& call) const {
  const OpSemantics& semantics = context.builder.semantics();
  const OpSignature* base = semantics.find(call.op);
  if (!base || (call.wanted > 1 && call.wanted > base->outputs.size())) return call.op;
  const std::string training = call.op + "_training", inference = call.op + "_inference";
  if (mode_ == GraphMode::step) {
    const OpSignature* s = semantics.find(training);
    if (s && (!has_state(*s) || reads_running(*s, call))) return training;
    if (s) return call.op;
  }
  return semantics.find(inference) ? inference : call.op;
}

void TrainingForms::give_counters(const OpSignature& s, RecipeCall& call) {
  const auto give = [&](const char* name, ValueId (RunCounters::*value)()) {
    const size_t at = input_at(s, name);
    const TensorRef made{(counters_.*value)()};
    if (at <= call.args.size()) call.args.insert(call.args.begin() + static_cast<std::ptrdiff_t>(at), made);
    else call.keywords.push_back({name, made, call.offset});
  };
  // By place, in the order of the inputs.
  for (const InputSignature& i : s.inputs) {
    if (i.name == "run_seed") give("run_seed", &RunCounters::seed);
    if (i.name == "step") give("step", &RunCounters::step);
  }
  const bool seeded = any_of(call.keywords, [](const RecipeKeyword& k) { return k.name == "seed"; });
  if (s.attr("seed") && !seeded) call.keywords.push_back({"seed", SizeExpr(++seeds_), call.offset});
}

/// Reads the running parameters as earlier calls left them, and keeps those of this call.
RecipeValue TrainingForms::call_with_states(RecipeContext& context, const OpSignature& s, RecipeCall call) {
  std::vector<std::pair<ValueId, size_t>> replaced;  // parameter, result
  for (const InputSignature& i : s.inputs) {
    RecipeValue* given = argument(s, call, i.name);
    if (!given || !next_output(s, i.name) || !is_running(*given)) continue;
    const ValueId parameter = given->get<TensorRef>()->id;
    replaced.emplace_back(parameter, *next_output(s, i.name));
    *given = TensorRef{latest_[parameter]};
  }
  const size_t wanted = call.wanted;
  if (!replaced.empty()) call.wanted = std::max(wanted, s.outputs.size());
  const RecipeValue made = call_named_op(context, call);
  const RecipeList* all = made.get<RecipeList>();
  for (const auto& [parameter, result] : replaced) {
    const ValueId next = all->at(result).get<TensorRef>()->id;
    if (context.builder.is_inside(next))
      throw RecipeError(call.offset, fmt::format("{} replaces the running parameter '{}' in a loop or a branch, where "
                                                 "the step does not see it: call it outside",
                                                 call.op, context.builder.value(parameter).original));
    latest_[parameter] = next;
  }
  if (replaced.empty() || wanted == call.wanted) return made;
  return wanted == 1 ? all->front() : RecipeValue(RecipeList(all->begin(), all->begin() + static_cast<long>(wanted)));
}

RecipeValue TrainingForms::call(RecipeContext& context, const RecipeCall& asked) {
  RecipeCall call = asked;
  call.op = form_of(context, asked);
  const OpSemantics& semantics = context.builder.semantics();
  const OpSignature* s = semantics.find(call.op);
  if (!s) return call_named_op(context, asked);
  if (call.op != asked.op || semantics.find(asked.op + "_training"))
    drop_attributes_of_others(semantics, asked.op, *s, call);
  if (mode_ != GraphMode::step) return call_named_op(context, call);
  if (call.op != asked.op) give_counters(*s, call);
  return call_with_states(context, *s, std::move(call));
}

}  // namespace tenon
