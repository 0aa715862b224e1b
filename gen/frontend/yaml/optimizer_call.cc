// Reads calls of optimizers and schedules.
#include <fmt/format.h>

#include <set>

#include "frontend/recipe/recipe_value.h"
#include "frontend/recipe/run_recipe.h"
#include "frontend/yaml/add_training.h"
#include "support/diagnostics.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// What a call names: an op with this suffix.
struct CallKind {
  const char* what;
  const char* suffix;
  std::string (*missing)(const OpSignature&);  // what the op lacks to be one; empty if it is one
};

bool has_input(const OpSignature& s, const std::string& name) {
  return any_of(s.inputs, [&](const InputSignature& i) { return i.name == name; });
}

/// What the op lacks to be an optimizer's step; empty if it is one.
std::string missing_in(const OpSignature& s) {
  for (const char* name : {"X", "G"})
    if (!has_input(s, name)) return fmt::format("the input {}", name);
  for (const InputSignature& i : s.inputs)
    if ((is_state(i.name) || i.name == "X") && !next_output(s, i.name))
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
    throw RecipeError(call.offset, fmt::format("there is no {} '{}': {}", kind.what, call.text,
                                               did_you_mean(call.text, known, "there are " + joined(known, ", "))));
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
  const double number = real ? *real : static_cast<double>(whole->value);
  if (!(number >= 0)) throw RecipeError(offset, fmt::format("lr is 0 or more, not {}", number));
  return number;
}

struct NamedArgument {
  const std::string& name;
  const RecipeValue& value;
  size_t offset = 0;
};

void set_attribute(const std::string& optimizer, const OpSignature& s, const NamedArgument& given, Attributes& attrs) {
  const auto& [name, value, offset] = given;
  std::vector<std::string> known;
  if (has_input(s, "lr")) known.emplace_back("lr");
  for (const AttrSignature& a : s.attrs) {
    known.push_back(a.name);
    if (a.name != name) continue;
    std::string error;
    if (!to_attribute(value, a, attrs[name], error)) throw RecipeError(offset, fmt::format("{}: {}", optimizer, error));
    return;
  }
  throw RecipeError(offset, fmt::format("{} has no attribute '{}': {}", optimizer, name,
                                        did_you_mean(name, known, "it has " + joined(known, ", "))));
}

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
    else set_attribute(call.text, s, {name, value, a.offset}, out.attrs);
  }
  if (has_input(s, "lr") && !out.lr)
    throw RecipeError(call.offset, fmt::format("{} needs a learning rate, as in {}(lr=0.01)", call.text, call.text));
  for (const AttrSignature& a : s.attrs)
    if (a.required && !out.attrs.count(a.name))
      throw RecipeError(call.offset, fmt::format("{} needs its attribute {}", call.text, a.name));
  return out;
}

}  // namespace

bool is_state(const std::string& input) { return input != "X" && input != "G" && input != "lr" && input != "step"; }

TrainingCall read_optimizer(const std::string& call, const OpSemantics& semantics) {
  return read_call(kOptimizer, call, semantics);
}
void change_attribute(TrainingCall& call, const std::string& name, const std::string& text,
                      const OpSemantics& semantics) {
  const OpSignature& s = *semantics.find(call.op);
  GraphBuilder builder(semantics, "group");
  const RecipeFunctions none;
  RecipeContext context{builder, none};
  RecipeScope scope;
  const RecipeValue value = evaluate_recipe(context, parse_recipe_expr(text), scope);
  if (name == "lr" && has_input(s, "lr")) call.lr = as_number(value, 0);
  else set_attribute(optimizer_name(call), s, {name, value}, call.attrs);
}
std::string optimizer_name(const TrainingCall& call) {
  return call.op.substr(0, call.op.size() - std::string(kOptimizer.suffix).size());
}
TrainingCall read_schedule(const std::string& call, const OpSemantics& semantics) {
  return read_call(kSchedule, call, semantics);
}

}  // namespace tenon
