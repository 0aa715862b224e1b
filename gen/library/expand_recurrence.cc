// Types and loops of recurrences.
#include "library/expand_recurrence.h"

namespace tenon {
namespace {

/// The value of a statement, built on the side; nothing where it has errors.
std::optional<Typed> type_of_value(const Statement& s, const RecurrenceScope& in) {
  Kernel kernel = in.kernel;
  Scope scope = in.scope;
  Diagnostics unheard;
  ExprBuilder builder(in.library, scope, kernel, unheard);
  builder.begin(in.facts_of(s));
  const Typed v = builder.value(s.value);
  return unheard.has_errors() ? std::nullopt : std::optional(v);
}

/// True where the type of the value is another one than that of its temp, which has it then.
bool infer_type(const Statement& s, const RecurrenceScope& in) {
  BoundTensor& target = in.scope.tensors.at(s.targets[0].text);
  Tensor& t = in.kernel.tensors[static_cast<size_t>(target.tensor)];
  const DType before = t.dtype;
  std::optional<Typed> v = type_of_value(s, in);
  if (!v) {  // a number is not allowed where a condition is expected
    t.dtype = DType::Bool;
    target.flexible = false;
    v = type_of_value(s, in);
  }
  if (!v) return t.dtype = before, false;
  const bool changed = before != v->e->type || target.flexible != v->flexible;
  t.dtype = v->e->type;
  target.flexible = v->flexible;
  return changed;
}

}  // namespace

void infer_types(const std::vector<const Statement*>& statements, const RecurrenceScope& in) {
  bool changed = true;
  for (size_t round = 0; changed && round < statements.size() + 2; ++round) {
    changed = false;
    for (const Statement* s : statements) changed |= infer_type(*s, in);
  }
}

void run_in_order(const Statement& s, const Scope& scope, ExprBuilder& expr, KernelStatement& out) {
  std::vector<LoopVar> loops;
  for (size_t k = 0; k < s.order->variables.size(); ++k) {
    const auto& [name, direction] = s.order->variables[k];
    Syntax variable;
    variable.kind = scope.ranges.count(name) ? SyntaxKind::name : SyntaxKind::pack;
    variable.text = name;
    for (const LoopVar& v : expr.loop_vars(variable)) loops.push_back({v.name, v.extent, direction});
    if (k + 1 == s.order->joined) out.joined = loops.size();
  }
  out.loops = std::move(loops);
}

bool asks_for(const Check& check, int tensor) {
  bool found = false;
  walk(check.holds, [&](const Expr& e) {
    const auto* r = std::get_if<Read>(&e->node);
    found = found || (r && r->tensor == tensor);
    return !found;
  });
  return found;
}

}  // namespace tenon
