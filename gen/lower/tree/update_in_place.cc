// update-in-place: states that the steps of a recurrence change have one copy instead of two, and loops over them go
// over the changed elements alone. A definition may overwrite the step before if nothing reads that step any more:
// earlier statements of a step may read all of it, the definition itself only the element that it replaces.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algebra/linear.h"
#include "lower/tree/tree_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// One node of a step: loops that contain nothing but each other and the definition.
struct Definition {
  TreeDefine* define = nullptr;
  std::vector<TreeLoop*> loops;
};

Definition definition_in(TreeNode& node) {
  Definition out;
  for (TreeNode* n = &node;;) {
    out.define = std::get_if<TreeDefine>(&n->node);
    auto* l = std::get_if<TreeLoop>(&n->node);
    if (!l) return out;
    if (l->body.size() != 1 || l->carried || l->begin || l->end) return {};
    out.loops.push_back(l);
    n = &l->body[0];
  }
}

/// The steps of a recurrence, and how its definition is indexed by them.
struct Steps {
  const TreeLoop* loop;
  const TreeDefine* define;
  const std::vector<std::string>* around;  ///< variables of the loops around
  size_t dim = 0;
  int64_t direction = 1;

  /// How many steps ago the element was made; -1 if that is not known.
  int64_t ago(const Read& r) const {
    const auto apart = constant_difference(define->index[dim], r.index[dim]);
    return apart ? direction * *apart : -1;
  }

  /// Whether the element was made in the last step.
  bool last(const Read& r) const {
    const Expr end = direction > 0 ? loop->var.extent - constant_int(1) : constant_int(0);
    return constant_difference(end, r.index[dim]) == 0;
  }

  /// Whether an index differs from that of the definition; `anywhere`: an index determined by loops around the steps.
  bool elsewhere(const Read& r, bool anywhere) const {
    for (size_t d = 0; d < r.index.size(); ++d) {
      const bool free = anywhere && none_of(*around, [&](auto& v) { return mentions(define->index[d], v); });
      if (d != dim && !free && !same(r.index[d], define->index[d])) return true;
    }
    return false;
  }
};

/// One action of a step: a definition, or another reader.
struct StepPart {
  size_t node = 0;  ///< in which node of the loop's body
  TreeDefine* define = nullptr;
  std::vector<Read> reads;
};

std::optional<Steps> steps_of(const TreeLoop& l, const TreeDefine& d, const std::vector<std::string>& around) {
  for (size_t i = 0; i < d.index.size(); ++i) {
    const auto at = affine_in(d.index[i], l.var.name);
    if (!at || is_zero(at->coefficient)) continue;
    const auto step = constant_value(at->coefficient);
    if (!step || (*step != 1 && *step != -1)) return std::nullopt;
    return Steps{&l, &d, &around, i, *step};
  }
  return std::nullopt;
}

/// The value of a state after a step: that of the first condition that holds, otherwise what it was.
struct Choices {
  std::vector<Expr> conditions;
  Expr old;            ///< the element before the step
  Expr first;          ///< whether there is no step before; null: there always is
  Expr initial, kept;  ///< the old element where there is none, and where there is
};

class InPlace {
 public:
  InPlace(const Kernel& k, LoopTree& tree) : k_(k), tree_(tree) { count(tree.body); }

  void run(Tree& t) {
    for (TreeNode& n : t) {
      auto* l = std::get_if<TreeLoop>(&n.node);
      if (!l) continue;
      if (l->carried) steps(*l);
      around_.push_back(l->var.name);
      if (!l->carried) run(l->body);
      around_.pop_back();
    }
  }

 private:
  void count(const Tree& t) {
    for (const TreeNode& n : t) {
      if (const auto* d = std::get_if<TreeDefine>(&n.node)) ++definitions_[d->tensor];
      if (const auto* transpose = std::get_if<TreeTranspose>(&n.node)) definitions_[transpose->copy.tensor] += 2;
      if (const auto* l = std::get_if<TreeLoop>(&n.node)) count(l->body);
    }
  }

  void steps(TreeLoop& l) {
    std::vector<StepPart> parts;
    for (size_t i = 0; i < l.body.size(); ++i) collect(l.body[i], i, std::nullopt, parts);
    for (size_t i = 0; i < parts.size(); ++i) {
      TreeDefine* d = parts[i].define;
      const auto s = d && definitions_[d->tensor] == 1 ? steps_of(l, *d, around_) : std::nullopt;
      d = s && replaces(*s, parts, i) ? d : nullptr;
      if (d) d->in_place = true;
    }
    for (size_t i = 0; i < l.body.size(); ++i) {
      const Definition d = definition_in(l.body[i]);
      if (!d.define || !d.define->in_place || d.loops.empty()) continue;
      std::vector<TreeNode> nests = changed_elements(*steps_of(l, *d.define, around_), l.body[i]);
      if (nests.empty()) continue;
      tree_.notes.push_back(fmt::format("steps over {} change single elements", letter_of(l.var.name)));
      l.body.erase(l.body.begin() + static_cast<std::ptrdiff_t>(i));
      l.body.insert(l.body.begin() + static_cast<std::ptrdiff_t>(i), nests.begin(), nests.end());
      i += nests.size() - 1;
    }
  }

  /// What a step does, in order. `plain`: loops are around it, and none of them is itself a recurrence. (A single
  /// element is handed on in a variable.)
  static void collect(TreeNode& n, size_t number, std::optional<bool> plain, std::vector<StepPart>& out) {
    auto* l = std::get_if<TreeLoop>(&n.node);
    out.push_back({number, plain.value_or(false) ? std::get_if<TreeDefine>(&n.node) : nullptr, {}});
    const auto see = [&](const Expr& e) { each_read(e, [&](const Read& r) { out.back().reads.push_back(r); }); };
    if (!l) return each_value({n}, see);
    for (const Expr& bound : {l->begin, l->end})
      if (bound) see(bound);
    for (TreeNode& inside : l->body) collect(inside, number, plain.value_or(true) && !l->carried, out);
  }

  bool replaces(const Steps& s, const std::vector<StepPart>& parts, size_t at) const {
    const TreeDefine& d = *s.define;
    if (k_.tensor(d.tensor).role != Role::Temp || d.update != Update::Assign || d.where) return false;
    bool fits = true, reaches_back = false;
    for (size_t i = 0; i < parts.size(); ++i)
      for (const Read& r : parts[i].reads) {
        if (r.tensor != d.tensor) continue;
        const int64_t ago = s.ago(r);
        const bool anywhere = parts[i].node != parts[at].node;
        fits = fits && ago == (i > at ? 0 : 1) && !s.elsewhere(r, anywhere);
        reaches_back = reaches_back || ago == 1;
      }
    return fits && reaches_back && read_at_end(s, tree_.body);
  }

  /// Whether what is read outside of the steps is what the last of them has made.
  static bool read_at_end(const Steps& s, const Tree& t) {
    bool fits = true;
    const auto see = [&](const Expr& e) {
      if (e) each_read(e, [&](const Read& r) { fits = fits && (r.tensor != s.define->tensor || s.last(r)); });
    };
    for (const TreeNode& n : t) {
      const auto* l = std::get_if<TreeLoop>(&n.node);
      if (!l) each_value({n}, see);
      if (!l || l == s.loop) continue;
      see(l->begin);
      see(l->end);
      fits = fits && read_at_end(s, l->body);
    }
    return fits;
  }

  /// The old element, and what it is where there is no step before.
  static bool is_old(const Steps& s, const Expr& e, Choices& out) {
    const auto own = [&](const Expr& x) {
      const auto* r = std::get_if<Read>(&x->node);
      return r && r->tensor == s.define->tensor ? r : nullptr;
    };
    const auto* choice = std::get_if<Select>(&e->node);
    const Read* r = own(choice ? choice->yes : e);
    if (!r || (choice && r->fill)) return false;
    out.old = e;
    out.kept = read_of(r->tensor, e->type, r->index);
    if (choice) {
      out.first = apply(ScalarOp::Not, {choice->cond});
      out.initial = choice->no;
    } else if (r->fill) {
      const Expr& at = r->index[s.dim];
      out.first =
          s.direction > 0 ? apply(ScalarOp::Lt, {at, constant_int(0)}) : apply(ScalarOp::Ge, {at, s.loop->var.extent});
      out.initial = r->fill;
    }
    return true;
  }

  /// a[j] or j == v, n[j] + select(j == v, x, 0), and n[j] + (j == v), as choices.
  static Expr as_choice(const Steps& s, const Expr& e) {
    const auto* a = std::get_if<Apply>(&e->node);
    const bool sets = a && a->op == ScalarOp::Or, adds = a && a->op == ScalarOp::Add && is_int(e->type);
    for (size_t side = 0; (sets || adds) && side < 2; ++side) {
      Choices unused;
      const Expr &old = a->args[side], &other = a->args[1 - side];
      if (!is_old(s, old, unused)) continue;
      if (sets) return select(other, constant_int(1, DType::Bool), old);
      const auto* choice = std::get_if<Select>(&other->node);
      if (choice && is_zero(choice->no)) return select(choice->cond, apply(ScalarOp::Add, {old, choice->yes}), old);
      const auto* count = std::get_if<Apply>(&other->node);
      if (adds && count && count->op == ScalarOp::Cast && count->args[0]->type == DType::Bool)
        return select(count->args[0], apply(ScalarOp::Add, {old, constant_int(1, e->type)}), old);
    }
    return e;
  }

  static std::optional<Choices> choices_of(const Steps& s) {
    Choices out;
    Expr rest = as_choice(s, s.define->value);
    bool reads_state = false;
    while (!is_old(s, rest, out)) {
      const auto* choice = std::get_if<Select>(&rest->node);
      if (!choice) return std::nullopt;
      out.conditions.push_back(choice->cond);
      reads_state =
          reads_state || reads_tensor(choice->cond, s.define->tensor) || reads_tensor(choice->yes, s.define->tensor);
      rest = choice->no;
    }
    // Two conditions may be those of one element, which is gone over twice then: the second time with the new value.
    if (out.conditions.empty() || (out.conditions.size() > 1 && reads_state)) return std::nullopt;
    return out;
  }

  /// v of `variable == v`, if it does not depend on loops from number `depth` on.
  static Expr value_of(const Expr& condition, const std::vector<TreeLoop*>& loops, size_t depth, const Steps& s) {
    const auto* a = std::get_if<Apply>(&condition->node);
    if (!a || a->op != ScalarOp::Eq) return nullptr;
    const std::string& v = loops[depth]->var.name;
    for (const Expr& side : a->args) {
      const Expr& other = &side == &a->args[0] ? a->args[1] : a->args[0];
      const auto* cast = std::get_if<Apply>(&side->node);
      const bool wide = bytes_of(side->type) >= 4 && is_int(side->type);
      if (!wide || !is_variable(cast && cast->op == ScalarOp::Cast ? cast->args[0] : side, v)) continue;
      const bool inside = std::any_of(loops.begin() + static_cast<std::ptrdiff_t>(depth), loops.end(),
                                      [&](const TreeLoop* l) { return mentions(other, l->var.name); });
      if (!inside && !reads_tensor(other, s.define->tensor)) return cast_to(other, DType::I64);
    }
    return nullptr;
  }

  /// The loops over the elements of which one condition may hold; nothing if these may be all.
  static std::optional<TreeNode> point(const Steps& s, TreeNode node, const Expr& condition, const Choices& c) {
    const Definition d = definition_in(node);
    const Expr zero = constant_int(0), one = constant_int(1);
    bool bounded = false;
    for (size_t depth = 0; depth < d.loops.size(); ++depth) {
      TreeLoop& l = *d.loops[depth];
      for (const Expr& holds : conjuncts(condition)) {
        const Expr at = l.begin ? nullptr : value_of(holds, d.loops, depth, s);
        if (!at) continue;
        const Expr& n = l.var.extent;
        l.begin = apply(ScalarOp::Min, {apply(ScalarOp::Max, {at, zero}), n});
        l.end = apply(ScalarOp::Min, {apply(ScalarOp::Max, {at, constant_int(-1)}), n - one}) + one;
        bounded = true;
      }
    }
    if (!bounded) return std::nullopt;
    if (c.first) {
      TreeLoop& outer = *d.loops[0];
      outer.end = select(c.first, zero, outer.end ? outer.end : outer.var.extent);
    }
    d.define->value = with_expr(as_choice(s, d.define->value), c.old, c.kept);
    return node;
  }

  /// Loops over all elements for the first step, and over those that one of the conditions changes for all others.
  static std::vector<TreeNode> changed_elements(const Steps& s, const TreeNode& node) {
    const auto choices = choices_of(s);
    if (!choices) return {};
    std::vector<TreeNode> out;
    TreeNode all = node;
    const Definition d = definition_in(all);
    const auto varies = [&](const TreeLoop* l) { return choices->first && mentions(choices->first, l->var.name); };
    if (any_of(d.loops, varies)) return {};
    if (choices->first) {
      d.loops[0]->end = select(choices->first, d.loops[0]->var.extent, constant_int(0));
      d.define->value = with_expr(as_choice(s, d.define->value), choices->old, choices->initial);
      out.push_back(std::move(all));
    }
    for (const Expr& condition : choices->conditions) {
      auto one = point(s, node, condition, *choices);
      if (!one) return {};
      out.push_back(*std::move(one));
    }
    return out;
  }

  const Kernel& k_;
  LoopTree& tree_;
  std::map<int, int> definitions_;
  std::vector<std::string> around_;  ///< variables of the loops at hand
};

}  // namespace

void update_in_place(const Kernel& k, LoopTree& tree) { InPlace(k, tree).run(tree.body); }

}  // namespace tenon
