// Values named before a loop: indices that its reads look up, indices of its stores, values shared by its iterations.
#include "algebra/simplify.h"
#include "lower/generate/generate.h"
#include "lower/kernel/kernel_ranges.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Whether parts of the expression are evaluated only if others say so.
bool is_lazy(const Expr& e) {
  const auto* a = std::get_if<Apply>(&e->node);
  const auto* r = std::get_if<Read>(&e->node);
  return std::holds_alternative<Select>(e->node) || std::holds_alternative<Reduce>(e->node) ||
         (a && (a->op == ScalarOp::And || a->op == ScalarOp::Or)) || (r && r->fill);
}

/// Calls `f` for the expression, and if that is false for the parts that are evaluated whenever it is.
void each_evaluated(const Expr& e, FunctionRef<bool(const Expr&)> f) {
  if (!f(e) && !is_lazy(e)) each_child(e, [&](const Expr& c) { each_evaluated(c, f); });
}

/// The same for each index of the reads that are evaluated whenever `e` is, if memory is read there.
void each_index(const Expr& e, const std::vector<TempPlace>& places, FunctionRef<bool(const Expr&)> f) {
  if (is_lazy(e)) return;
  const auto* r = std::get_if<Read>(&e->node);
  if (!r) return each_child(e, [&](const Expr& c) { each_index(c, places, f); });
  for (size_t d = 0; d < r->index.size(); ++d)
    if (!is_zero(places[static_cast<size_t>(r->tensor)].strides[d])) each_evaluated(r->index[d], f);
}

/// Loops inside each other, each of which has as many iterations whatever those around it are at.
struct Nest {
  std::vector<const TreeLoop*> loops;
  std::vector<const Tree*> leaves;  ///< what is in the innermost: in each of its pieces where it is split
};

/// The loops of which each is all of the body of the one before, from `l` on.
Nest perfect_nest(const TreeLoop& l) {
  Nest nest{{&l}, {&l.body}};
  while (nest.leaves.size() == 1 && !nest.leaves[0]->empty()) {
    const Tree& body = *nest.leaves[0];
    const auto* first = std::get_if<TreeLoop>(&body[0].node);
    const auto piece = [&](const TreeNode& n) {
      const auto* other = std::get_if<TreeLoop>(&n.node);
      return other && other->var.name == first->var.name;
    };
    if (!first || !all_of(body, piece)) break;
    const bool whole = body.size() > 1 || nest.loops.back()->periods || (!first->begin && !first->end);
    const bool fixed = none_of(nest.loops, [&](auto* o) { return mentions(first->var.extent, o->var.name); });
    if (!whole || !fixed) break;
    nest.loops.push_back(first);
    nest.leaves.clear();
    for (const TreeNode& n : body) nest.leaves.push_back(&std::get<TreeLoop>(n.node).body);
  }
  return nest;
}

/// Whether an accumulator that the expression mentions changes here.
bool accumulates(const Tree& body, const Expr& e) {
  return any_of(body, [&](const TreeNode& n) {
    const auto* a = std::get_if<TreeAccumulate>(&n.node);
    return a && mentions(e, accumulator_name(a->accumulator));
  });
}

}  // namespace

/// Whether an index, or an index in it, is looked up or divided, from inputs and variables of the loops around `nest`
/// alone.
bool Generator::is_lookup_outside(const Expr& e, const std::vector<const TreeLoop*>& nest) const {
  if (e->type != DType::I64) return false;
  const auto outside = [&](const std::string& var) {
    return vars_.contains(var) && none_of(nest, [&](auto* l) { return l->var.name == var; });
  };
  bool looks = false, known = true;
  walk(e, [&](const Expr& n) {
    const auto* v = std::get_if<VarRef>(&n->node);
    const auto* a = std::get_if<Apply>(&n->node);
    const auto* r = std::get_if<Read>(&n->node);
    const Role role = r ? k_.tensor(r->tensor).role : Role::Input;
    known = known && (role == Role::Input || role == Role::Constant) && (!v || outside(v->name)) &&
            !std::holds_alternative<Reduce>(n->node);
    looks = looks || r || (a && (a->op == ScalarOp::FloorDiv || a->op == ScalarOp::Mod) && !constant_value(a->args[1]));
    return known;
  });
  return looks && known;
}

/// Computes the indices of a loop's reads before it, including those of a loop that is its whole body, if the loops
/// have an iteration.
void Generator::name_lookups_outside(const TreeLoop& l) {
  std::vector<Expr> looked_up;
  const Nest nest = perfect_nest(l);
  const bool given = none_of(nest.loops, [&](auto* loop) { return is_presence(k_, loop->var.extent); });
  const auto look = [&](const Expr& e) {
    if (outside_.count(e) != 0) return true;
    if (!is_lookup_outside(e, nest.loops) || varies(e)) return false;
    if (any_of(nest.leaves, [&](const Tree* leaf) { return accumulates(*leaf, e); })) return false;
    if (given && always_defined(k_, e, ranges_)) outside_.emplace(e, position(e));
    else if (!contains(looked_up, e)) looked_up.push_back(e);
    return true;
  };
  Expr runs = apply(ScalarOp::Lt, {l.begin ? l.begin : constant_int(0), l.end ? l.end : l.var.extent});
  for (size_t i = 1; i < nest.loops.size(); ++i) {
    const TreeLoop& inner = *nest.loops[i];
    for (const Expr& e : {inner.var.extent, inner.begin, inner.end})
      if (e) each_evaluated(e, look);
    if (!inner.periods) runs = apply(ScalarOp::And, {runs, apply(ScalarOp::Lt, {constant_int(0), inner.var.extent})});
  }
  for (const Tree* leaf : nest.leaves)
    for (const TreeNode& n : *leaf) {
      const auto* d = std::get_if<TreeDefine>(&n.node);
      const auto* a = std::get_if<TreeAccumulate>(&n.node);
      if (a && !a->where) each_index(a->value, places_, look);
      if (d && !d->where) each_index(d->value, places_, look);
    }
  if (looked_up.empty() || l.parallel) return;
  runs = simplify(runs, ranges_);
  if (constant_value(runs) == 0) return;
  if (constant_value(runs) == 1) {
    for (const Expr& e : looked_up) outside_.emplace(e, position(e));
    return;
  }
  const Operand some = scalar(runs, 0);
  std::vector<std::string> names;
  for (size_t i = 0; i < looked_up.size(); ++i) {
    names.push_back(take_name("place"));
    out_->push_back({SVar{names.back(), v_int(0)}});
  }
  Block then = block([&] {
    for (size_t i = 0; i < names.size(); ++i) {
      Operand place = position(looked_up[i]);
      out_->push_back(s_assign(names[i], std::move(place)));
    }
  });
  out_->push_back(s_if(some, std::move(then)));
  for (size_t i = 0; i < names.size(); ++i) outside_.emplace(looked_up[i], v_var(names[i]));
}

/// Computes the index of a loop's stores before it, if it is the same in all iterations and safe even without any.
void Generator::name_positions_outside(const TreeLoop& l) {
  if (is_presence(k_, l.var.extent)) return;
  for (const TreeNode& n : l.body) {
    const auto* d = std::get_if<TreeDefine>(&n.node);
    if (!d || !places_[static_cast<size_t>(d->tensor)].stored) continue;
    for (const Expr& e : d->index) {
      bool reads = false, inputs = true;
      each_read(e, [&](const Read& r) {
        const Role role = k_.tensor(r.tensor).role;
        reads = true;
        inputs = inputs && (role == Role::Input || role == Role::Constant);
      });
      if (!reads || !inputs || mentions(e, l.var.name) || accumulates(l.body, e) || outside_.count(e) != 0) continue;
      if (always_defined(k_, e, ranges_)) outside_.emplace(e, position(e));
    }
  }
}

/// Computes loop invariants before the loop, because compilers leave roots and quotients inside. Nothing that the loop
/// writes is read early, nor an element that may not exist. Plain reads are left to compilers, which move them out of
/// scalar loops.
void Generator::name_values_outside(const TreeLoop& l) {
  if (is_presence(k_, l.var.extent)) return;
  std::set<int> written;
  std::set<std::string> changing{l.var.name};
  for (const TreeNode& n : l.body) {
    const auto* d = std::get_if<TreeDefine>(&n.node);
    const auto* a = std::get_if<TreeAccumulate>(&n.node);
    if (!d && !a) return;
    if (d) written.insert(d->tensor);
    else changing.insert(accumulator_name(a->accumulator));
  }
  const auto look = [&](const Expr& e) {
    if (outside_.count(e) != 0) return true;
    if (l.shape.lanes == 1 && std::holds_alternative<Read>(e->node)) return false;
    if (!is_common(e, changing, written) || !always_defined(k_, e, ranges_)) return false;
    start_leaf({e});
    outside_.emplace(e, named(base_name(e, k_), scalar(e, 0)));
    return true;
  };
  for (const TreeNode& n : l.body) {
    const auto* d = std::get_if<TreeDefine>(&n.node);
    if (d && !d->where) each_evaluated(d->value, look);
    else if (!d && !std::get<TreeAccumulate>(n.node).where)
      each_evaluated(std::get<TreeAccumulate>(n.node).value, look);
  }
}

/// Computes before a loop over the interior whether its padded reads are inside along the other dims, where that is the
/// same in all iterations: compilers leave the comparisons inside.
void Generator::name_conditions_outside(const TreeLoop& l) {
  for (const TreeNode& n : l.body) {
    const auto* d = std::get_if<TreeDefine>(&n.node);
    if (!d || d->where) continue;
    walk(d->value, [&](const Expr& e) {
      const auto* r = std::get_if<Read>(&e->node);
      const Expr cond = r && r->fill ? inside(*r) : nullptr;
      if (!cond || constant_value(cond) || mentions(cond, l.var.name) || has_node<Read>(cond)) return true;
      if (accumulates(l.body, cond) || !always_defined(k_, cond, ranges_)) return true;
      start_leaf({cond});
      inside_[e.get()] = named("inside", scalar(cond, 0));
      return true;
    });
  }
}

/// Whether a value is read or computed, and from neither these variables nor these tensors.
bool Generator::is_common(const Expr& e, const std::set<std::string>& changing, const std::set<int>& written) const {
  bool common = std::holds_alternative<Read>(e->node) || (std::holds_alternative<Apply>(e->node) && !is_int(e->type));
  walk(e, [&](const Expr& n) {
    const auto* v = std::get_if<VarRef>(&n->node);
    const auto* r = std::get_if<Read>(&n->node);
    common = common && !std::holds_alternative<Reduce>(n->node) &&
             (!v || (!changing.contains(v->name) && vars_.contains(v->name))) && (!r || !written.contains(r->tensor));
    return common;
  });
  return common;
}

}  // namespace tenon
