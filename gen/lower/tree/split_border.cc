// Finds the interior: each padded index a·x + rest must be in [0, extent), and each guarded one within its limits, for
// the worst values of the inner variables.
#include "lower/tree/split_border.h"

#include <map>
#include <utility>

#include "algebra/simplify.h"
#include "lower/tree/loop_tree.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class InteriorFinder {
 public:
  InteriorFinder(const Kernel& k, const TreeLoop& loop, const Ranges& ranges) : k_(k), loop_(loop), ranges_(ranges) {
    collect(loop.body);
  }

  std::optional<Interior> run() {
    for (const Read& r : reads_)
      for (size_t d = 0; d < r.index.size(); ++d)
        if (mentions(r.index[d], loop_.var.name) && !inside(r, d)) return std::nullopt;
    bound_guards();
    if (!begin_ && !end_) return std::nullopt;
    const Expr &n = loop_.var.extent, zero = constant_int(0);
    const Expr first = begin_ ? begin_ : zero, past = end_ ? end_ : n;
    const Expr begin = simplify(apply(ScalarOp::Min, {apply(ScalarOp::Max, {first, zero}), n}), ranges_);
    const Expr end = simplify(apply(ScalarOp::Max, {apply(ScalarOp::Min, {past, n}), begin}), ranges_);
    return Interior{begin, end, plain_body(), padding(), divides_};
  }

 private:
  void collect(const Tree& tree) {
    for (const TreeNode& n : tree) {
      const auto* l = std::get_if<TreeLoop>(&n.node);
      if (!l) continue;
      inner_.push_back(l->var);
      ranges_.extents[l->var.name] = l->var.extent;
      collect(l->body);
    }
    if (&tree != &loop_.body) return;
    each_value(tree, [&](const Expr& e) {
      each_read(e, [&](const Read& r) {
        if (r.fill) reads_.push_back(r);
      });
      walk(e, [&](const Expr& x) {
        if (is_leaf(x)) return false;
        if (!may_guard(x) || !mentions(x, loop_.var.name)) return true;
        auto g = guarded_index(x, ranges_);
        if (g && number_.emplace(x.get(), guards_.size()).second) guards_.push_back(*std::move(g));
        return true;
      });
    });
  }

  /// Whether the node alone allows that guarded_index finds something: few of those that are asked do.
  static bool may_guard(const Expr& e) {
    if (e->type != DType::I64) return false;
    const auto* a = std::get_if<Apply>(&e->node);
    return a ? a->op == ScalarOp::Mod || a->op == ScalarOp::Min || a->op == ScalarOp::Max
             : std::holds_alternative<Select>(e->node);
  }

  /// The minimum and maximum of `rest` over the inner variables.
  bool ends(const Expr& rest, Expr& least, Expr& maximum) const {
    least = maximum = rest;
    for (const LoopVar& v : inner_) {
      const auto low = affine_in(least, v.name), high = affine_in(maximum, v.name);
      if (!low || !high) return false;
      const Expr last = v.extent - constant_int(1);
      const bool rises = proves_not_negative(linear_form(low->coefficient), ranges_);
      if (!rises && !proves_le(low->coefficient, constant_int(0), ranges_)) return false;
      least = rises ? low->rest : low->rest + low->coefficient * last;
      maximum = rises ? high->rest + high->coefficient * last : high->rest;
    }
    return true;
  }

  bool inside(const Read& r, size_t d) {
    const Expr& extent = k_.tensor(r.tensor).dims[d];
    return bound({r.index[d], constant_int(0), extent - constant_int(1)});
  }

  /// Guards that are bounded are left out; the others stay.
  void bound_guards() {
    for (GuardedIndex& g : guards_) {
      // Only the index of a whole period is inside in most iterations.
      const bool most = !g.repeats || same(simplify(g.high + constant_int(1)), loop_.var.extent);
      if (most && bound(g)) divides_ = divides_ || g.divides, found_ = true;
      else g.index = nullptr;
    }
  }

  /// Whether the value is another one in each step of a fold, so that it bounds no loop around it.
  static bool changes(const Expr& e) {
    return e && any_node(e, [](const Expr& n) {
             const auto* v = std::get_if<VarRef>(&n->node);
             return v && is_accumulator(v->name);
           });
  }

  bool bound(const GuardedIndex& g) {
    if (any_of(std::initializer_list<Expr>{g.index, g.low, g.high}, changes)) return false;
    const auto a = affine_in(g.index, loop_.var.name);
    const auto step = a ? constant_value(simplify(a->coefficient, ranges_)) : std::nullopt;
    const auto fixed = [&](const Expr& limit) {
      return !limit ||
             (!mentions(limit, loop_.var.name) && none_of(inner_, [&](auto& v) { return mentions(limit, v.name); }));
    };
    Expr least, maximum;
    if (!step || *step == 0 || !fixed(g.low) || !fixed(g.high) || !ends(a->rest, least, maximum)) return false;
    const int64_t s = *step > 0 ? *step : -*step;
    // the number of steps that may, or must, be taken until the value reaches the limit
    const Expr up = g.high ? g.high - maximum : nullptr, down = g.low ? g.low - least : nullptr;
    if (*step > 0) return narrow(down, up, s), true;
    return narrow(up ? constant_int(0) - up : nullptr, down ? constant_int(0) - down : nullptr, s), true;
  }

  /// first <= s·variable <= last.
  void narrow(const Expr& first, const Expr& last, int64_t s) {
    const Expr c = constant_int(s);
    if (first) {
      const Expr begin = apply(ScalarOp::FloorDiv, {first + constant_int(s - 1), c});
      begin_ = begin_ ? apply(ScalarOp::Max, {begin_, begin}) : begin;
    }
    if (last) {
      const Expr past = apply(ScalarOp::FloorDiv, {last, c}) + constant_int(1);
      end_ = end_ ? apply(ScalarOp::Min, {end_, past}) : past;
    }
  }

  /// The body with the indices themselves in place of their guards.
  Tree plain_body() const {
    if (!found_) return loop_.body;
    SharedExprs shared;
    return changed_tree(loop_.body, ranges_, [&](const Expr& e, const Ranges&) { return shared.share(plain(e)); });
  }

  /// The body of a copy whose index is outside in all iterations that are not of the interior.
  Tree padding() const {
    const auto* d = loop_.body.size() == 1 ? std::get_if<TreeDefine>(&loop_.body[0].node) : nullptr;
    const auto* r = d && !d->where && guards_.empty() ? std::get_if<Read>(&d->value->node) : nullptr;
    const auto moves = [&](const Expr& e) { return mentions(e, loop_.var.name); };
    if (!r || !r->fill || moves(r->fill) || reads_.size() != 1 || count_if(r->index, moves) != 1) return {};
    TreeDefine fill = *d;
    fill.value = r->fill;
    return {TreeNode{std::move(fill)}};
  }

  Expr plain(const Expr& e) const {
    const auto n = number_.find(e.get());
    if (n != number_.end() && guards_[n->second].index) return plain(guards_[n->second].index);
    return map_children(e, [&](const Expr& c) { return plain(c); });
  }

  const Kernel& k_;
  const TreeLoop& loop_;
  Ranges ranges_;
  std::vector<LoopVar> inner_;
  std::vector<Read> reads_;
  std::vector<GuardedIndex> guards_;          ///< the index is null where the guard stays
  std::map<const ExprNode*, size_t> number_;  ///< nodes of the tree
  Expr begin_, end_;
  bool divides_ = false, found_ = false;
};

}  // namespace

std::optional<Interior> find_interior(const Kernel& k, const TreeLoop& loop, const Ranges& ranges) {
  return InteriorFinder(k, loop, ranges).run();
}

namespace {

/// m where it is below d, else counted from the other end: mirror and reflect, with m = index % period.
std::optional<GuardedIndex> turned_back(const Select& s, const Ranges& ranges) {
  const Apply* below = as_apply(s.cond, ScalarOp::Lt);
  const Apply* mod = as_apply(s.yes, ScalarOp::Mod);
  if (!below || !mod || !same(below->args[0], s.yes)) return std::nullopt;
  const Expr &d = below->args[1], &period = mod->args[1];
  const Apply* most = as_apply(period, ScalarOp::Max);
  const bool reflects = most && constant_value(most->args[1]) == 1 && constant_difference(most->args[0], d + d) == -2;
  if (!reflects && !proves_le(d, period, ranges)) return std::nullopt;
  return GuardedIndex{mod->args[0], constant_int(0), d - constant_int(1), true};
}

/// Counted from the end where it is negative.
std::optional<GuardedIndex> from_the_end(const Select& s) {
  const Apply* negative = as_apply(s.cond, ScalarOp::Lt);
  if (!negative || constant_value(negative->args[1]) != 0 || !same(negative->args[0], s.no)) return std::nullopt;
  return GuardedIndex{s.no, constant_int(0), nullptr};
}

/// min(max(x, low), high), or one of both.
std::optional<GuardedIndex> kept_between(const Expr& e) {
  GuardedIndex out{e, nullptr, nullptr};
  while (const auto* a = std::get_if<Apply>(&out.index->node)) {
    const bool from = a->op == ScalarOp::Max;
    Expr& end = from ? out.low : out.high;
    if ((!from && a->op != ScalarOp::Min) || end) break;
    // The limit is the argument that is not a sum of variables: a number or a size.
    const bool first = constant_value(a->args[0]) || std::holds_alternative<SizeRef>(a->args[0]->node);
    end = a->args[first ? 0 : 1];
    out.index = Expr(a->args[first ? 1 : 0]);
  }
  return out.low || out.high ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<GuardedIndex> guarded_index(const Expr& e, const Ranges& ranges) {
  if (e->type != DType::I64) return std::nullopt;
  if (const auto* s = std::get_if<Select>(&e->node)) {
    if (auto turned = turned_back(*s, ranges)) return turned;
    return from_the_end(*s);
  }
  if (const Apply* mod = as_apply(e, ScalarOp::Mod)) {
    const auto by = constant_value(mod->args[1]);
    const bool shifts = by && *by > 0 && (*by & (*by - 1)) == 0;
    return GuardedIndex{mod->args[0], constant_int(0), mod->args[1] - constant_int(1), !shifts, true};
  }
  return kept_between(e);
}

}  // namespace tenon
