// Every reduction becomes the whole value of a statement.
#include <set>
#include <utility>

#include "algebra/simplify.h"
#include "differentiate/gradient_steps.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class ReductionNamer {
 public:
  ReductionNamer(Kernel& kernel, FreshNames& names) : kernel_(kernel), names_(names) {}

  bool run(const std::function<bool(const KernelStatement&)>& applies) {
    const std::vector<KernelStatement> given = std::move(kernel_.body);
    kernel_.body.clear();
    for (const KernelStatement& s : given)
      if (is_in_recurrence(s)) by_steps_.insert(s.target);
    for (KernelStatement s : given) {
      if (applies(s)) {
        scope_ = s.loops;
        path_.clear();
        named_.clear();
        recurrent_ = is_in_recurrence(s);
        loops_ = s.loops.size();
        joined_ = s.joined;
        s.value = root(s.value);
        s.joined = joined_;
      }
      kernel_.body.push_back(std::move(s));
    }
    return done_;
  }

 private:
  /// A reduction may be the whole value, also under a conversion.
  Expr root(const Expr& e) {
    if (const auto* r = std::get_if<Reduce>(&e->node)) return inside(e, *r);
    const auto* a = std::get_if<Apply>(&e->node);
    if (a && a->op == ScalarOp::Cast && a->args.size() == 1)
      return apply_as(ScalarOp::Cast, {root(a->args[0])}, e->type);
    return below(e);
  }

  Expr below(const Expr& e) {
    if (std::holds_alternative<Read>(e->node)) {
      const auto& r = std::get<Read>(e->node);
      return r.fill ? read_of(r.tensor, e->type, r.index, below(r.fill)) : e;
    }
    if (const auto* r = std::get_if<Reduce>(&e->node)) return once(e, *r);
    if (const auto* s = std::get_if<Select>(&e->node)) {
      const Expr cond = below(s->cond);
      path_.push_back(cond);
      const Expr yes = below(s->yes);
      path_.back() = apply(ScalarOp::Not, {cond});
      const Expr no = below(s->no);
      path_.pop_back();
      return select(cond, yes, no);
    }
    return map_children(e, [&](const Expr& c) { return below(c); });
  }

  /// One name for a reduction that occurs several times in a statement, as an argument of a function does.
  Expr once(const Expr& e, const Reduce& r) {
    const auto is_known = [&](const Named& n) {
      return n.scope == scope_.size() && same(n.reduction, e) &&
             std::equal(n.path.begin(), n.path.end(), path_.begin(), path_.end(),
                        [](const Expr& a, const Expr& b) { return same(a, b); });
    };
    const auto known = find_if(named_, is_known);
    if (known != named_.end()) return known->name;
    const Expr name = r.op == Reducer::Fold ? last_step(e, r) : named(inside(e, r));
    named_.push_back({e, path_, scope_.size(), name});
    return name;
  }

  /// The reduction with those in its value named.
  Expr inside(const Expr& e, const Reduce& r) {
    if (r.op == Reducer::Fold) return last_step(e, r);
    const size_t outer = scope_.size(), conditions = path_.size();
    append(scope_, r.vars);
    const Expr where = r.where ? below(r.where) : nullptr;
    if (where) path_.push_back(where);
    const Expr value = below(r.value);
    scope_.resize(outer);
    path_.resize(conditions);
    return reduce(r.op, r.vars, where, value, e->type);
  }

  /// The steps of a fold, which are not separate terms, become a recurrence: a[k] = f(a[k - 1]). Steps
  /// over several variables are counted: each variable is a digit of the count. Sums in a step that do not read the
  /// running value are statements in front of it; those that do are joined with it.
  Expr last_step(const Expr& e, const Reduce& r) {
    const Expr start = below(r.start);
    const LoopVar step = r.vars.size() == 1 ? r.vars[0] : LoopVar{names_("step"), steps_of(r)};
    const std::map<std::string, Expr> digits =
        r.vars.size() == 1 ? std::map<std::string, Expr>() : digits_of(r, step.name);
    const size_t outer = scope_.size();
    scope_.push_back(step);
    Expr where = r.where ? without_sums(substitute(r.where, digits), r.running) : nullptr;
    Expr value = where_holds(where, r.running, [&] { return without_sums(substitute(r.value, digits), r.running); });
    scope_.resize(outer);
    const std::vector<Expr> conditions = excuses(e);
    KernelStatement s = step_statement(e, conditions, step);
    const Expr past = element_before(s, e->type, start);
    const std::map<std::string, Expr> running = {{r.running, past}};
    value = substitute(value, running);
    if (where) value = select(substitute(where, running), value, past);
    value = where_all(conditions, value);
    const size_t joined = joined_;
    s.value = joined_sums(value, s);
    std::vector<Expr> last = s.index;
    last.back() = step.extent - constant_int(1);
    const Expr result = read_of(s.target, e->type, last, start);
    add(std::move(s));
    if (!recurrent_) joined_ = joined;
    return result;
  }

  static Expr steps_of(const Reduce& r) {
    Expr steps = constant_int(1);
    for (const LoopVar& v : r.vars) steps = steps * v.extent;
    return simplify(steps);
  }

  /// The values of the variables in step number `step`, the last one fastest.
  static std::map<std::string, Expr> digits_of(const Reduce& r, const std::string& step) {
    std::map<std::string, Expr> out;
    Expr radix = constant_int(1);
    for (size_t v = r.vars.size(); v-- > 0; radix = simplify(radix * r.vars[v].extent)) {
      Expr digit = var_ref(step);
      if (!is_one(radix)) digit = apply(ScalarOp::FloorDiv, {digit, radix});
      if (v > 0) digit = apply(ScalarOp::Mod, {digit, r.vars[v].extent});
      out[r.vars[v].name] = digit;
    }
    return out;
  }

  /// Reductions in a step that do not read the running value get names, with the step's variable.
  Expr without_sums(const Expr& e, const std::string& running) {
    if (std::holds_alternative<Reduce>(e->node) && !mentions(e, running)) return below(e);
    if (const auto* s = std::get_if<Select>(&e->node)) {
      const Expr cond = without_sums(s->cond, running);
      const Expr yes = where_holds(cond, running, [&] { return without_sums(s->yes, running); });
      const Expr other = apply(ScalarOp::Not, {cond});
      return select(cond, yes, where_holds(other, running, [&] { return without_sums(s->no, running); }));
    }
    return map_children(e, [&](const Expr& c) { return without_sums(c, running); });
  }

  /// What `make` gives of an expression that is needed under a condition. Checks do not depend on a running value.
  Expr where_holds(const Expr& condition, const std::string& running, FunctionRef<Expr()> make) {
    const size_t conditions = path_.size();
    if (condition && !mentions(condition, running)) path_.push_back(condition);
    Expr out = make();
    path_.resize(conditions);
    return out;
  }

  /// The statement that makes the steps of fold `e`, which is needed under conditions, without its value.
  KernelStatement step_statement(const Expr& e, const std::vector<Expr>& conditions, const LoopVar& step) {
    KernelStatement s;
    for (const LoopVar& v : scope_) {
      const auto has_it = [&](const Expr& x) { return mentions(x, v.name); };
      if (has_it(e) || any_of(conditions, has_it) || (recurrent_ && s.loops.size() < loops_)) s.loops.push_back(v);
    }
    s.loops.push_back({step.name, step.extent, Direction::Up});
    for (const LoopVar& v : s.loops)
      for (const LoopVar& other : scope_) done_ = done_ && !mentions(v.extent, other.name);
    s.index = var_refs(s.loops);
    s.target = kernel_.add_temp(names_("a"), e->type, mapped(s.loops, &LoopVar::extent));
    return s;
  }

  static Expr element_before(const KernelStatement& s, DType type, const Expr& start) {
    std::vector<Expr> before = s.index;
    before.back() = before.back() - constant_int(1);
    return read_of(s.target, type, before, start);
  }

  /// Reductions that read the running value are made for each step, in front of it.
  Expr joined_sums(const Expr& value, const KernelStatement& s) {
    const std::vector<LoopVar> scope = std::exchange(scope_, s.loops);
    const bool recurrent = std::exchange(recurrent_, true);
    const size_t loops = std::exchange(loops_, s.loops.size());
    const Expr out = root(value);
    scope_ = scope;
    recurrent_ = recurrent;
    loops_ = loops;
    return out;
  }

  void add(KernelStatement s) {
    s.formula = kernel_.tensor(s.target).name + " = " + to_text(s.value, tensor_names(kernel_));
    s.joined = joined_;
    if (recurrent_) joined_ = loops_;
    kernel_.body.push_back(std::move(s));
  }

  Expr named(const Expr& e) {
    const Expr value = where_all(excuses(e), e);
    KernelStatement s;
    for (const LoopVar& v : scope_) {
      // In a recurrence the sum is a step of the element: made next to it, for all of its variables.
      const bool stays = recurrent_ && s.loops.size() < loops_;
      if (!stays && !mentions(value, v.name)) continue;
      for (const LoopVar& other : scope_) done_ = done_ && !mentions(v.extent, other.name);
      s.loops.push_back(v);
    }
    s.index = var_refs(s.loops);
    s.target = kernel_.add_temp(names_("r"), e->type, mapped(s.loops, &LoopVar::extent));
    s.value = value;
    const int target = s.target;
    const std::vector<Expr> index = s.index;
    add(std::move(s));
    return read_of(target, e->type, index);
  }

  /// The conditions around a reduction without which its checks may fail.
  std::vector<Expr> excuses(const Expr& e) { return is_defined_anywhere(e) ? std::vector<Expr>() : path_; }

  static Expr where_all(const std::vector<Expr>& conditions, Expr value) {
    for (size_t i = conditions.size(); i-- > 0;)
      value = select(conditions[i], value, identity_of(Reducer::Sum, value->type));
    return value;
  }

  /// Whether the reduction divides integers by numbers only and reads what is there wherever it is: every index is a
  /// variable that runs over the dim, and within a recurrence nothing is read of which a condition may exclude the
  /// elements that are not computed yet.
  bool is_defined_anywhere(const Expr& e) {
    std::vector<LoopVar> vars = scope_;
    each_node<Reduce>(e, [&](const Reduce& r) { append(vars, r.vars); });
    bool plain = true;
    walk(e, [&](const Expr& n) {
      const auto* a = std::get_if<Apply>(&n->node);
      if (a && is_int(n->type) && (a->op == ScalarOp::FloorDiv || a->op == ScalarOp::Mod))
        plain = plain && constant_value(a->args[1]).value_or(0) > 0;
      const auto* r = std::get_if<Read>(&n->node);
      if (r && recurrent_ && by_steps_.count(r->tensor)) plain = false;
      for (size_t d = 0; r && !r->fill && d < r->index.size(); ++d) {
        const Expr& dim = kernel_.tensor(r->tensor).dims[d];
        const auto* v = std::get_if<VarRef>(&r->index[d]->node);
        plain = plain && v && any_of(vars, [&](const LoopVar& l) { return l.name == v->name && same(l.extent, dim); });
      }
      return plain;
    });
    return plain;
  }

  Kernel& kernel_;
  FreshNames& names_;
  std::vector<LoopVar> scope_;
  std::vector<Expr> path_;
  struct Named {
    Expr reduction;
    std::vector<Expr> path;
    size_t scope = 0;
    Expr name;
  };
  std::vector<Named> named_;  // of the statement
  std::set<int> by_steps_;    // tensors that recurrences make
  bool recurrent_ = false;
  size_t loops_ = 0, joined_ = 0;  // of the statement; with the one before
  bool done_ = true;
};

}  // namespace

bool name_reductions(Kernel& kernel, const std::function<bool(const KernelStatement&)>& applies, FreshNames& names) {
  return ReductionNamer(kernel, names).run(applies);
}

}  // namespace tenon
