// Finds loops whose results are rarely needed: they are skipped if no lane needs them.
#include <map>
#include <optional>
#include <set>

#include "lower/tree/tree_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// A condition, and whether it holds or fails where a value is used.
struct Guard {
  Expr condition;
  bool holds;
};
using Guards = std::vector<Guard>;

/// What a loop computes: accumulators, and temps that get their values.
struct Results {
  std::set<std::string> accumulators;
  std::set<int> temps;

  bool in(const Expr& e) const {
    return e && any_node(e, [&](const Expr& n) {
             const auto* v = std::get_if<VarRef>(&n->node);
             const auto* r = std::get_if<Read>(&n->node);
             return (v && accumulators.count(v->name) != 0) || (r && temps.count(r->tensor) != 0);
           });
  }
  bool in(const TreeNode& n) const {
    if (const auto* l = std::get_if<TreeLoop>(&n.node))
      return in(l->begin) || in(l->end) || any_of(l->body, [&](const TreeNode& x) { return in(x); });
    if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) return in(a->value) || in(a->where);
    if (const auto* b = std::get_if<TreeBegin>(&n.node)) return in(b->start);
    const auto* t = std::get_if<TreeTranspose>(&n.node);
    const auto* d = t ? &t->copy : std::get_if<TreeDefine>(&n.node);
    return d && (in(d->value) || in(d->where) || any_of(d->index, [&](const Expr& e) { return in(e); }));
  }
};

class LoopSkipper {
 public:
  explicit LoopSkipper(const Kernel& k, const LoopTree& tree) : k_(k) {
    each_value(tree.body, [&](const Expr& e) { each_read(e, [&](const Read& r) { ++reads_[r.tensor]; }); });
  }

  void visit(Tree& t) {
    for (size_t i = 0; i < t.size(); ++i) {
      auto* l = std::get_if<TreeLoop>(&t[i].node);
      if (!l) continue;
      if (const Expr needed = condition(t, i)) l->needed = needed;
      else visit(l->body);
    }
  }

 private:
  /// The condition under which something reads what the loop t[i] accumulates; null if that is not known before it.
  /// Every use is in the arm that the condition takes, and nothing between the loop and the use changes what it reads:
  /// the result of a skipped loop, the initial value of its accumulators, is never chosen.
  Expr condition(const Tree& t, size_t i) const {
    Results results;
    for (const TreeNode& n : std::get<TreeLoop>(t[i].node).body) {
      const auto* a = std::get_if<TreeAccumulate>(&n.node);
      if (!a) return nullptr;
      results.accumulators.insert(accumulator_name(a->accumulator));
    }
    std::optional<Guards> common;
    std::map<int, int> reads;
    for (size_t j = i + 1; j < t.size(); ++j) {
      if (!results.in(t[j])) continue;
      const auto* d = std::get_if<TreeDefine>(&t[j].node);
      if (!d || results.in(d->where) || any_of(d->index, [&](const Expr& e) { return results.in(e); })) return nullptr;
      each_read(d->value, [&](const Read& r) { ++reads[r.tensor]; });
      const bool moves = std::holds_alternative<VarRef>(d->value->node) && k_.tensor(d->tensor).role == Role::Temp;
      if (moves && d->update == Update::Assign) results.temps.insert(d->tensor);
      else collect(d->value, results, {}, common);
    }
    // a temp that is read elsewhere too may be needed there
    if (any_of(results.temps, [&](int temp) { return reads_.at(temp) != reads[temp]; })) return nullptr;
    for (size_t g = common ? common->size() : 0; g-- > 0;)
      if (known_before((*common)[g].condition, t, i))
        return (*common)[g].holds ? (*common)[g].condition : apply(ScalarOp::Not, {(*common)[g].condition});
    return nullptr;
  }

  /// Keeps the guards that every use of a result has.
  static void collect(const Expr& e, const Results& results, const Guards& around, std::optional<Guards>& common) {
    const auto* s = std::get_if<Select>(&e->node);
    const auto* v = std::get_if<VarRef>(&e->node);
    const auto* r = std::get_if<Read>(&e->node);
    if ((v && results.accumulators.count(v->name) != 0) || (r && results.temps.count(r->tensor) != 0)) {
      if (!common) common = around;
      std::erase_if(*common, [&](const Guard& g) {
        return none_of(around, [&](const Guard& o) { return o.holds == g.holds && same(o.condition, g.condition); });
      });
    }
    if (!s) return each_child(e, [&](const Expr& c) { collect(c, results, around, common); });
    Guards yes = around, no = around;
    yes.push_back({s->cond, true});
    no.push_back({s->cond, false});
    collect(s->cond, results, around, common);
    collect(s->yes, results, yes, common);
    collect(s->no, results, no, common);
  }

  /// Whether the condition is made of inputs, of accumulators that have ended and of temps that are final before t[i].
  bool known_before(const Expr& condition, const Tree& t, size_t i) const {
    const std::span<const TreeNode> before(t.data(), i), after(t.data() + i, t.size() - i);
    const auto defined = [&](const TreeNode& n, const Read& r) {
      const auto* d = std::get_if<TreeDefine>(&n.node);
      return d && d->tensor == r.tensor && d->update == Update::Assign && !d->where &&
             std::equal(d->index.begin(), d->index.end(), r.index.begin(), r.index.end(),
                        [](const Expr& a, const Expr& b) { return same(a, b); });
    };
    const auto unknown = [&](const Expr& n) {
      const auto* v = std::get_if<VarRef>(&n->node);
      const auto* r = std::get_if<Read>(&n->node);
      if (r && k_.tensor(r->tensor).role == Role::Temp)
        return none_of(before, [&](const TreeNode& x) { return defined(x, *r); }) ||
               any_of(after, [&](const TreeNode& x) { return writes(x, r->tensor); });
      if (r) return r->fill != nullptr || k_.tensor(r->tensor).role == Role::Output;
      if (std::holds_alternative<Reduce>(n->node)) return true;
      return v && is_accumulator(v->name) && none_of(before, [&](const TreeNode& x) {
               const auto* e = std::get_if<TreeEnd>(&x.node);
               return e && accumulator_name(e->accumulator) == v->name;
             });
    };
    // a condition on arguments alone holds for the whole call: a test per row does not pay off
    const bool by_data = any_node(condition, [&](const Expr& n) {
      const auto* r = std::get_if<Read>(&n->node);
      return r && k_.tensor(r->tensor).role == Role::Temp;
    });
    return by_data && !any_node(condition, unknown);
  }

  static bool writes(const TreeNode& n, int tensor) {
    const auto* d = std::get_if<TreeDefine>(&n.node);
    const auto* l = std::get_if<TreeLoop>(&n.node);
    return (d && d->tensor == tensor) || (l && any_of(l->body, [&](const TreeNode& x) { return writes(x, tensor); }));
  }

  const Kernel& k_;
  std::map<int, int> reads_;  ///< of each tensor, in the whole tree
};

}  // namespace

void skip_loops(const Kernel& k, LoopTree& tree) { LoopSkipper(k, tree).visit(tree.body); }

}  // namespace tenon
