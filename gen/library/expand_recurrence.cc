// Types and loops of recurrences.
#include "library/expand_recurrence.h"

#include <map>

#include "algebra/simplify.h"
#include "support/ranges.h"

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

enum class Inferred { Kept, Changed, Failed };

/// Gives a temp the type of its value.
Inferred infer_type(const Statement& s, const RecurrenceScope& in) {
  BoundTensor& target = in.scope.tensors.at(s.targets[0].text);
  Tensor& t = in.kernel.tensor(target.tensor);
  const DType before = t.dtype;
  std::optional<Typed> v = type_of_value(s, in);
  if (!v) {  // a number is not allowed where a condition is expected
    t.dtype = DType::Bool;
    target.flexible = false;
    v = type_of_value(s, in);
  }
  if (!v) return t.dtype = before, Inferred::Failed;
  const bool changed = before != v->e->type || target.flexible != v->flexible;
  t.dtype = v->e->type;
  target.flexible = v->flexible;
  return changed ? Inferred::Changed : Inferred::Kept;
}

/// Repeats until no type changes; false where a value has errors.
bool infer_all(const std::vector<const Statement*>& statements, const RecurrenceScope& in) {
  bool changed = true, failed = false;
  for (size_t round = 0; changed && round < statements.size() + 2; ++round) {
    changed = failed = false;
    for (const Statement* s : statements) {
      const Inferred inferred = infer_type(*s, in);
      changed |= inferred == Inferred::Changed;
      failed |= inferred == Inferred::Failed;
    }
  }
  return !failed;
}

void set_type(const Statement& s, const RecurrenceScope& in, DType type) {
  BoundTensor& target = in.scope.tensors.at(s.targets[0].text);
  target.flexible = type != DType::Bool;
  in.kernel.tensor(target.tensor).dtype = type;
}

/// Calls f for what a value is chosen from: the arms of selections, elements and what stands for them.
void each_choice(const Syntax& s, FunctionRef<void(const Syntax&)> f) {
  if (s.calls(Builtin::select)) {
    each_choice(s.children[1], f);
    each_choice(s.children[2], f);
  } else if (s.calls(Builtin::padded)) {
    each_choice(s.children[0], f);
    each_choice(s.children[1], f);
  } else {
    f(s);
  }
}

/// Whether the value is chosen from conditions and elements alone. With elements that are numbers, its conditions would
/// be numbers too.
bool is_written_as_condition(const Syntax& value) {
  bool conditions = false, others = false;
  each_choice(value, [&](const Syntax& s) {
    if (s.is_condition()) conditions = true;
    else if (!s.is(SyntaxKind::subscript)) others = true;
  });
  return conditions && !others;
}

bool is_guarded(const Expr& index) {
  bool found = false;
  walk(index, [&](const Expr& e) {
    const auto* a = std::get_if<Apply>(&e->node);
    found = found || std::holds_alternative<Select>(e->node) ||
            (a && (a->op == ScalarOp::Min || a->op == ScalarOp::Max || a->op == ScalarOp::Mod));
    return !found && !std::holds_alternative<Read>(e->node);
  });
  return found;
}

/// The guarded reads that a group makes of its own values.
class GroupReads {
 public:
  GroupReads(const Kernel& kernel, size_t first) : kernel_(kernel) {
    for (size_t i = first; i < kernel.body.size(); ++i) members_[kernel.body[i].target] = i;
  }

  /// The value of statement `reader` with conditions around its reads.
  Expr conditioned(size_t reader) {
    reader_ = reader;
    ranges_ = ranges_of(kernel_.body[reader].loops);
    return visit(kernel_.body[reader].value);
  }

 private:
  Expr visit(const Expr& e) {
    if (const auto* r = std::get_if<Reduce>(&e->node)) add_loops(ranges_, r->vars);
    const Expr inner = map_children(e, [&](const Expr& child) { return visit(child); });
    const auto* read = std::get_if<Read>(&inner->node);
    if (!read || members_.count(read->tensor) == 0 || none_of(read->index, is_guarded)) return inner;
    const Expr computed = simplify(is_computed(*read, 0), ranges_);
    return is_one(computed) ? inner : select(computed, inner, constant_of(0, inner->type));
  }

  /// Whether the element precedes the one being computed, in the order of the shared loops from number k on.
  Expr is_computed(const Read& read, size_t k) const {
    const size_t member = members_.at(read.tensor);
    const KernelStatement &by = kernel_.body[reader_], &of = kernel_.body[member];
    if (k == shared_with(member)) return constant_int(member < reader_, DType::Bool);
    const auto is_place = [&](const Expr& i) {
      const auto* v = std::get_if<VarRef>(&i->node);
      return v && v->name == of.loops[k].name;
    };
    const auto place = find_if(of.index, is_place) - of.index.begin();
    const Expr at = read.index.at(static_cast<size_t>(place)), here = var_ref(by.loops[k].name);
    if (same(at, here)) return is_computed(read, k + 1);
    const Expr inner = apply(ScalarOp::And, {apply(ScalarOp::Eq, {at, here}), is_computed(read, k + 1)});
    if (by.loops[k].direction == Direction::Any) return inner;
    const bool down = by.loops[k].direction == Direction::Down;
    return apply(ScalarOp::Or, {apply(ScalarOp::Lt, {down ? here : at, down ? at : here}), inner});
  }

  /// How many loops the reader shares with another statement: with all that are between, too.
  size_t shared_with(size_t member) const {
    size_t n = kernel_.body[reader_].loops.size();
    for (size_t i = std::min(reader_, member) + 1; i <= std::max(reader_, member); ++i)
      n = std::min(n, kernel_.body[i].joined);
    return n;
  }

  const Kernel& kernel_;
  size_t reader_ = 0;
  std::map<int, size_t> members_;  ///< the statements of the group by their targets
  Ranges ranges_;
};

}  // namespace

void read_computed_only(Kernel& kernel, size_t first) {
  GroupReads reads(kernel, first);
  for (size_t i = first; i < kernel.body.size(); ++i) kernel.body[i].value = reads.conditioned(i);
}

void infer_types(const std::vector<const Statement*>& statements, const RecurrenceScope& in) {
  for (const Statement* s : statements)
    if (is_written_as_condition(s->value)) set_type(*s, in, DType::Bool);
  if (infer_all(statements, in)) return;
  // Statements that determine each other's type: one is assumed to be a condition, and the others follow.
  const auto reset = [&] {
    for (const Statement* s : statements) set_type(*s, in, DType::I64);
  };
  for (const Statement* condition : statements) {
    reset();
    set_type(*condition, in, DType::Bool);
    if (infer_all(statements, in)) return;
  }
  reset();
  infer_all(statements, in);
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
  return any_read(check.holds, [&](const Read& r) { return r.tensor == tensor; });
}

}  // namespace tenon
