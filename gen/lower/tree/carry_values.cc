// carry-values: splits off the first iterations of a recurrence, and finds the values carried from one iteration to the
// next.
#include "lower/tree/carry_values.h"

#include "algebra/normal_fills.h"
#include "algebra/simplify.h"
#include "lower/tree/loop_tree.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// More iterations than these, or operations in each, are not worth separate code.
constexpr int64_t kMostApart = 4;
constexpr int kMostOperations = 64;

/// How many of the first iterations read before the first element of a dim.
int64_t reads_before(const Kernel& k, const TreeLoop& l) {
  int64_t most = 0;
  const auto see = [&](const Read& r) {
    const std::vector<Expr>& dims = k.tensor(r.tensor).dims;
    for (size_t d = 0; r.fill && d < r.index.size(); ++d) {
      const auto at = affine_in(r.index[d], l.var.name);
      const auto step = at ? constant_value(at->coefficient) : std::nullopt;
      if (!step || (*step != 1 && *step != -1)) continue;
      const auto before = *step > 0 ? constant_difference(constant_int(0), at->rest)
                                    : constant_difference(at->rest + constant_int(1), dims[d]);
      if (before && *before <= kMostApart) most = std::max(most, *before);
    }
  };
  each_value(l.body, [&](const Expr& e) { each_read(e, see); });
  return most;
}

int operations(const Tree& tree) {
  int n = 0;
  each_value(tree, [&](const Expr& e) {
    walk(e, [&](const Expr& x) {
      n += std::holds_alternative<Apply>(x->node) || std::holds_alternative<Select>(x->node);
      return true;
    });
  });
  return n;
}

bool only_carried_loops(const Tree& tree) {
  return all_of(tree, [](const TreeNode& n) {
    const auto* l = std::get_if<TreeLoop>(&n.node);
    return !l || (l->carried && only_carried_loops(l->body));
  });
}

void visit(const Kernel& k, Tree& tree) {
  for (TreeNode& n : tree) {
    auto* l = std::get_if<TreeLoop>(&n.node);
    if (!l) continue;
    const bool whole = l->carried && !l->begin && !l->end && only_carried_loops(l->body);
    if (whole && operations(l->body) <= kMostOperations) l->apart = static_cast<int>(reads_before(k, *l));
    visit(k, l->body);
  }
}

/// Padded reads that are inside, as reads; where that is known of some dims only, as a choice that asks for the others.
Expr without_fills(const Kernel& k, const Expr& e, const Ranges& ranges) {
  const Expr r = map_children(e, [&](const Expr& c) { return without_fills(k, c, ranges); });
  const auto* read = std::get_if<Read>(&r->node);
  if (!read || !read->fill) return r;
  const std::vector<Expr>& dims = k.tensor(read->tensor).dims;
  std::vector<Expr> asked;
  bool known = false;
  for (size_t d = 0; d < dims.size(); ++d) {
    const bool above = proves_not_negative(linear_form(read->index[d]), ranges);
    const bool below = proves_below(k, read->index[d], dims[d], ranges);
    if (!above) asked.push_back(apply(ScalarOp::Ge, {read->index[d], constant_int(0)}));
    if (!below) asked.push_back(apply(ScalarOp::Lt, {read->index[d], dims[d]}));
    known = known || above || below;
  }
  if (!known) return r;
  const Expr inside = read_of(read->tensor, r->type, read->index);
  return asked.empty() ? inside : select(conjunction(asked), inside, read->fill);
}

}  // namespace

void carry_values(const Kernel& k, LoopTree& tree) { visit(k, tree.body); }

Tree first_iterations(const Kernel&, const TreeLoop& l, const Ranges& ranges) {
  Ranges here = ranges;
  here.extents[l.var.name] = constant_int(l.apart);
  std::map<std::string, Expr> values;
  if (l.apart == 1) values.emplace(l.var.name, constant_int(0));
  SharedExprs shared;
  Tree out = changed_tree(l.body, here, [&](const Expr& e, const Ranges& in) {
    return shared.share(simplify(values.empty() ? e : substitute(e, values), in));
  });
  for (TreeNode& n : out)
    if (auto* inner = std::get_if<TreeLoop>(&n.node)) inner->apart = 0;  // few iterations: short code matters more
  return out;
}

std::vector<Expr> index_back(const HandedOn& h, const std::string& var, int64_t back) {
  return mapped(h.made, [&](const Expr& e) {
    return simplify(substitute(e, {{var, var_ref(var) - constant_int(back)}}));
  });
}

namespace {

/// How many iterations ago the element at `index` was made.
std::optional<int64_t> iterations_ago(const HandedOn& h, const std::string& var, const std::vector<Expr>& index) {
  std::optional<int64_t> ago;
  for (size_t d = 0; d < index.size(); ++d) {
    if (!mentions(h.made[d], var)) {
      if (!same(h.made[d], index[d])) return std::nullopt;
      continue;
    }
    const auto made = affine_in(h.made[d], var);
    const int64_t step = made ? constant_value(made->coefficient).value_or(0) : 0;
    const auto apart = constant_difference(h.made[d], index[d]);
    if (ago || (step != 1 && step != -1) || !apart) return std::nullopt;
    ago = step * *apart;
  }
  return ago && *ago > 0 ? ago : std::nullopt;
}

}  // namespace

std::vector<HandedOn> handed_on(const TreeLoop& l, const Tree& body) {
  std::vector<HandedOn> out;
  for (const TreeNode& n : body) {
    const auto* d = std::get_if<TreeDefine>(&n.node);
    if (!d) continue;
    const auto same_tensor = [&](const TreeNode& o) {
      const auto* other = std::get_if<TreeDefine>(&o.node);
      return other && other->tensor == d->tensor;
    };
    HandedOn h{d->tensor, d->index, 0};
    each_value(body, [&](const Expr& e) {
      each_read(e, [&](const Read& r) {
        const auto ago = r.tensor == d->tensor && !r.fill ? iterations_ago(h, l.var.name, r.index) : std::nullopt;
        if (ago && *ago <= l.apart) h.most = std::max(h.most, *ago);
      });
    });
    const bool alone = count_if(body, same_tensor) == 1;
    if (h.most > 0 && alone && d->update == Update::Assign && !d->where) out.push_back(std::move(h));
  }
  return out;
}

namespace {

/// Reorders integer sums and extremes so that the previous iteration's result is the last operand, off the other
/// operands' dependency chain.
class ChainEnds {
 public:
  ChainEnds(std::vector<HandedOn> values, std::string var) : values_(std::move(values)), var_(std::move(var)) {}

  Expr last(const Expr& e) const {
    const Expr r = map_children(e, [&](const Expr& c) { return last(c); });
    const auto* a = std::get_if<Apply>(&r->node);
    if (!a || !any_order(a->op, r->type)) return r;
    std::vector<Expr> early, late;
    collect(r, a->op, early, late);
    if (late.empty() || early.size() < 2) return r;
    Expr out = early[0];
    for (size_t i = 1; i < early.size(); ++i) out = apply(a->op, {out, early[i]});
    for (const Expr& x : late) out = apply(a->op, {out, x});
    return out;
  }

 private:
  static bool any_order(ScalarOp op, DType type) {
    return is_int(type) && (op == ScalarOp::Min || op == ScalarOp::Max || op == ScalarOp::Add);
  }

  void collect(const Expr& e, ScalarOp op, std::vector<Expr>& early, std::vector<Expr>& late) const {
    const auto* a = std::get_if<Apply>(&e->node);
    if (!a || a->op != op) return (waits(e) ? late : early).push_back(e);
    for (const Expr& x : a->args) collect(x, op, early, late);
  }

  bool waits(const Expr& e) const {
    return any_read(e, [&](const Read& r) {
      const auto is_ago = [&](const HandedOn& h) { return h.tensor == r.tensor && iterations_ago(h, var_, r.index); };
      return any_of(values_, is_ago);
    });
  }

  const std::vector<HandedOn> values_;
  const std::string var_;
};

}  // namespace

Tree later_iterations(const Kernel& k, const TreeLoop& l, const Ranges& ranges) {
  const std::string& var = l.var.name;
  const std::string earlier = var + "_before";
  const std::map<std::string, Expr> there{{var, var_ref(earlier) + constant_int(l.apart)}};
  const std::map<std::string, Expr> back{{earlier, var_ref(var) - constant_int(l.apart)}};
  Ranges here = ranges;
  here.extents[var] = l.var.extent;
  SharedExprs shared;
  Tree body = changed_tree(l.body, here, [&](const Expr& e, const Ranges& in) {
    Ranges known = in;
    known.extents.erase(var);
    known.extents[earlier] = l.var.extent - constant_int(l.apart);
    const Expr decided = without_fills(k, simplify(substitute(e, there), known), known);
    return shared.share(simplify(substitute(decided, back), in));
  });
  const ChainEnds ends(handed_on(l, body), var);
  for (TreeNode& n : body)
    if (auto* d = std::get_if<TreeDefine>(&n.node)) d->value = shared.share(ends.last(d->value));
  return body;
}

}  // namespace tenon
