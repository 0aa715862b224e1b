// Checks: loops that leave with a status where a condition does not hold.

#include "algebra/simplify.h"
#include "lower/generate/generate.h"
#include "lower/kernel/fork_parts.h"
#include "lower/kernel/loop_bounds.h"
#include "lower/kernel/one_run.h"
#include "support/ranges.h"

namespace tenon {

namespace {

/// Two loops over one run of memory become one loop over all of its elements.
void join_runs(const Kernel& k, CheckGroup& g) {
  for (size_t i = 1; i < g.loops.size();) {
    const LoopVar outer = g.loops[i - 1], inner = g.loops[i];
    std::vector<Expr*> inside;
    for (Expr& e : g.fails) inside.push_back(&e);
    for (Expr& e : g.around)
      if (e) inside.push_back(&e);
    if (g.around[i] || !all_of(inside, [&](const Expr* e) { return reads_one_run(k, outer, inner, *e); })) {
      ++i;
      continue;
    }
    for (Expr* e : inside) *e = simplify(substitute(*e, {{outer.name, constant_int(0)}}));
    g.loops[i - 1] = {inner.name, simplify(outer.extent * inner.extent)};
    g.loops.erase(g.loops.begin() + static_cast<std::ptrdiff_t>(i));
    g.around.erase(g.around.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

Block Generator::run_checks() {
  Block body;
  out_ = &body;
  for (CheckGroup& group : group_checks(k_.checks)) {
    join_runs(k_, group);
    const Ranges outside = ranges_;
    add_loops(ranges_, group.loops);
    for (const std::string& what : group.what) body.push_back(s_comment(what));
    ask(group, 0);
    ranges_ = outside;
  }
  return body;
}

namespace {

/// That everything the group asks along this loop is an element that the call repeats, so that one iteration is enough;
/// null where something else depends on the loop.
Expr repeats(const Kernel& k, const CheckGroup& group, size_t depth) {
  const std::string& v = group.loops[depth].name;
  Expr all;
  const std::function<bool(const Expr&)> only_elements = [&](const Expr& e) {
    const auto* r = std::get_if<Read>(&e->node);
    bool good = !is_variable(e, v) && !has_node<Reduce>(e);
    for (size_t d = 0; r && d < r->index.size(); ++d) {
      if (!is_variable(r->index[d], v)) continue;
      const Tensor& t = k.tensor(r->tensor);
      good = good && t.repeats && !size_name(t.strides[d]).empty();
      all = both(all, equals(t.strides[d], 0));
    }
    each_child(e, [&](const Expr& c) { good = good && ((r && is_variable(c, v)) || only_elements(c)); });
    return good;
  };
  const bool inner = any_of(group.around, [&](const Expr& e) { return e && mentions(e, v); }) ||
                     any_of(group.loops, [&](const LoopVar& l) { return mentions(l.extent, v); });
  return !inner && all_of(group.fails, only_elements) ? all : nullptr;
}

/// A bound of the loop at `depth` that every failure of the group needs, and that no loop inside of it decides; it is
/// taken out of the failures.
Expr take_bound(CheckGroup& group, size_t depth, bool from) {
  const std::string& v = group.loops[depth].name;
  for (const Expr& c : conjuncts(group.fails[0])) {
    const auto bound = bound_of(c, v);
    if (!bound || bound->from != from) continue;
    const bool inner = std::any_of(group.loops.begin() + static_cast<std::ptrdiff_t>(depth), group.loops.end(),
                                   [&](const LoopVar& l) { return mentions(bound->limit, l.name); });
    const auto needs = [&](const Expr& fail) {
      const std::vector<Expr> all = conjuncts(fail);
      return all.size() > 1 && any_of(all, [&](const Expr& o) { return same(o, c); });
    };
    if (inner || !all_of(group.fails, needs)) continue;
    for (Expr& fail : group.fails) {
      std::vector<Expr> rest = conjuncts(fail);
      std::erase_if(rest, [&](const Expr& o) { return same(o, c); });
      fail = rest.empty() ? constant_int(1, DType::Bool) : conjunction(rest);
    }
    return bound->limit;
  }
  return nullptr;
}

}  // namespace

/// Fails where all of a condition holds. What it reduces may be defined only where the parts before it hold, so that it
/// is computed there.
void Generator::fail_where(const Expr& condition, CheckStatus status) {
  const std::vector<Expr> parts = conjuncts(condition);
  const auto reduced = find_if(parts, [](const Expr& e) { return has_node<Reduce>(e); });
  if (reduced == parts.begin() || reduced == parts.end()) {
    Operand fails = scalar(condition, 0);
    out_->push_back(s_if(std::move(fails), {Stmt{SFail{status}}}));
    return;
  }
  Operand before = scalar(conjunction({parts.begin(), reduced}), 0);
  Block then = block([&] {
    const Expr rest = conjunction({reduced, parts.end()});
    start_leaf({rest});
    fail_where(rest, status);
  });
  out_->push_back(s_if(std::move(before), std::move(then)));
  start_leaf({});
}

/// Writes loop number `depth` of a group with the checks inside of it.
void Generator::ask_along(CheckGroup group, size_t depth) {
  if (depth + 1 == group.loops.size()) check_runs(group, depth);
  if (group.fails.empty()) return;
  const LoopVar& v = group.loops[depth];
  Expr from = take_bound(group, depth, true), to = take_bound(group, depth, false);
  from = from ? apply(ScalarOp::Max, {from, constant_int(0)}) : constant_int(0);
  to = to ? apply(ScalarOp::Min, {to, v.extent}) : v.extent;
  if (const Expr once = repeats(k_, group, depth)) to = select(once, apply(ScalarOp::Min, {to, constant_int(1)}), to);
  const std::string name = take_name(letter_of(v.name));
  vars_[v.name] = {v_var(name)};
  Block body = block([&] { ask(group, depth + 1); });
  out_->push_back(
      s_for(name, scalar(simplify(from, ranges_), 0), scalar(simplify(to, ranges_), 0), 1, std::move(body)));
}

/// Writes the checks within the first `depth` loops of a group.
void Generator::ask(const CheckGroup& group, size_t depth) {
  SharedExprs shared;  // a subexpression that a condition uses twice is one node, and is named
  if (depth == group.loops.size()) {
    std::vector<Expr> fails;
    start_leaf({});
    for (const Expr& e : group.fails) count_uses(fails.emplace_back(shared.share(e)));
    for (const Expr& e : fails) fail_where(e, group.status);
    return;
  }
  const Expr around = shared.share(group.around[depth]);
  start_leaf({around});
  if (!around) return ask_along(group, depth);
  const Operand runs = scalar(around, 0);
  Block inside = block([&] { ask_along(group, depth); });
  out_->push_back(s_if(runs, std::move(inside)));
}

}  // namespace tenon
