// Contributions as sums, by solving the index map.
#include "differentiate/gather_form.h"

#include "algebra/simplify.h"
#include "support/ranges.h"

namespace tenon {
namespace {

Expr divided(const Expr& a, const Expr& b) { return is_one(b) ? a : apply(ScalarOp::FloorDiv, {a, b}); }
/// a - b, without a double sign if b is a negative number.
Expr minus(const Expr& a, const Expr& b) {
  const auto n = constant_value(b);
  return n && *n < 0 && *n > INT64_MIN ? a + constant_int(-*n) : a - b;
}
Expr equals(const Expr& a, const Expr& b) { return apply(ScalarOp::Eq, {a, b}); }
/// A gradient of 0.
bool is_none(const Expr& e) { return as_constant(e) && as_constant(e)->f == 0; }

class IndexSolver {
 public:
  IndexSolver(const Contribution& c, const GatherTarget& target, const GatherFacts& known, FreshNames& names)
      : known_(known), names_(names), value_(c.value), where_(c.where), index_(c.index) {
    open(c, target);
  }

  std::optional<Expr> run() {
    while (!index_.empty()) {
      if (bare() || digits() || affine() || quotient()) continue;
      if (!check_rest()) return std::nullopt;
    }
    return sum();
  }

 private:
  /// Variables of the contribution get names of their own: the loops of the gradient have theirs.
  void open(const Contribution& c, const GatherTarget& target) {
    std::map<std::string, Expr> renamed;
    for (const LoopVar& v : c.vars) {
      open_.push_back({names_(v.name), v.extent});
      renamed[v.name] = var_ref(open_.back().name);
    }
    for (LoopVar& v : open_) v.extent = substitute(v.extent, renamed);
    replace(renamed);
    ranges_ = ranges_of(open_, ranges_of(target.loops, known_.ranges));
    for (size_t d = 0; d < target.loops.size(); ++d) {
      Expr at = var_ref(target.loops[d].name);
      ends_.push_back(target.loops[d].name);
      if (target.repeats[d]) {
        open_.push_back({names_("r"), target.repeats[d]});
        ranges_.extents[open_.back().name] = target.repeats[d];
        repeated_.push_back(open_.back().name);
        at = at + var_ref(open_.back().name);
      }
      wanted_.push_back(at);
      below_.push_back(target.dims[d]);
    }
  }

  void replace(const std::map<std::string, Expr>& to) {
    value_ = substitute(value_, to);
    if (where_) where_ = substitute(where_, to);
    if (in_range_) in_range_ = substitute(in_range_, to);
    for (Expr& e : index_) e = simplify(substitute(e, to), ranges_);
    for (LoopVar& v : open_) v.extent = substitute(v.extent, to);
  }

  void require(const Expr& condition) {
    const Expr c = simplify(condition, ranges_);
    if (const auto v = constant_value(c); v && *v) return;
    in_range_ = both(in_range_, c);
  }

  LoopVar* variable(const std::string& name) {
    const auto v = find_if(open_, [&](const LoopVar& l) { return l.name == name; });
    const bool repeats = contains(repeated_, name);
    return v == open_.end() || repeats ? nullptr : &*v;
  }

  void forget(size_t d) {
    index_.erase(index_.begin() + static_cast<ptrdiff_t>(d));
    wanted_.erase(wanted_.begin() + static_cast<ptrdiff_t>(d));
    below_.erase(below_.begin() + static_cast<ptrdiff_t>(d));
  }

  /// A value that is 0 with what it reads at a solved variable is that of a padded read: a sum over all of the
  /// variables that are left, as the sum of the op itself is.
  bool pad_instead(const std::string& name, const Expr& at, const Expr& extent) {
    const Expr padded = padded_factor(value_, name, extent);
    if (!padded || (where_ && mentions(where_, name)) || (in_range_ && mentions(in_range_, name))) return false;
    for (const Expr& e : index_)
      if (mentions(e, name)) return false;
    value_ = padded;
    replace({{name, at}});
    return true;
  }

  /// `e` with the one read at `name` padded by 0; null where there are others, or where it is no factor of `e`.
  Expr padded_factor(const Expr& e, const std::string& name, const Expr& extent) const {
    if (const auto* r = std::get_if<Read>(&e->node)) return padded_read(e, *r, name, extent);
    const auto* a = std::get_if<Apply>(&e->node);
    if (!a || (a->op != ScalarOp::Mul && a->op != ScalarOp::Neg && a->op != ScalarOp::Cast)) return nullptr;
    Few<Expr> args = a->args;
    Expr* with = nullptr;
    for (Expr& x : args) {
      if (!mentions(x, name)) continue;
      if (with) return nullptr;
      with = &x;
    }
    if (!with || !(*with = padded_factor(*with, name, extent))) return nullptr;
    return a->op == ScalarOp::Cast ? cast_to(args[0], e->type) : apply(a->op, args);
  }

  Expr padded_read(const Expr& e, const Read& r, const std::string& name, const Expr& extent) const {
    const Expr zero = constant_float(0, e->type);
    if (r.fill && !same(r.fill, zero)) return nullptr;
    const std::vector<Expr>& dims = (*known_.tensors)[static_cast<size_t>(r.tensor)].dims;
    size_t places = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      const auto* v = std::get_if<VarRef>(&r.index[d]->node);
      if (v && v->name == name && same(dims[d], extent)) ++places;
      else if (mentions(r.index[d], name)) return nullptr;
    }
    return places == 1 ? read_of(r.tensor, e->type, r.index, zero) : nullptr;
  }

  /// Substitutes e for the variable v; `upto`: a known upper bound of e, or null.
  void solve(const std::string& name, const Expr& e, const Expr& upto) {
    const Expr extent = variable(name)->extent;
    std::erase_if(open_, [&](const LoopVar& v) { return v.name == name; });
    const Expr at = simplify(e, ranges_);
    if (!upto && pad_instead(name, at, extent)) return;
    replace({{name, at}});
    if (upto && same(upto, extent)) return;
    if (!upto) require(apply(ScalarOp::Ge, {at, constant_int(0)}));
    require(apply(ScalarOp::Lt, {at, extent}));
  }

  bool bare() {
    for (size_t d = 0; d < index_.size(); ++d) {
      const auto* v = std::get_if<VarRef>(&index_[d]->node);
      if (!v || !variable(v->name)) continue;
      const std::string name = v->name;
      const Expr at = wanted_[d], below = below_[d];
      forget(d);
      solve(name, at, below);
      return true;
    }
    return false;
  }

  /// v*c + w where w runs from 0 below c: digits of the index.
  bool digits() {
    for (size_t d = 0; d < index_.size(); ++d)
      for (const LoopVar& high : open_)
        for (const LoopVar& low : open_) {
          if (high.name == low.name || !variable(high.name) || !variable(low.name)) continue;
          const auto h = affine_in(index_[d], high.name);
          if (!h || is_zero(simplify(h->coefficient)) || !same(simplify(h->rest), var_ref(low.name))) continue;
          if (!same(simplify(h->coefficient), low.extent)) continue;
          const Expr at = wanted_[d], radix = low.extent, blocks = high.extent;
          const bool whole = below_[d] && same(simplify(blocks * radix), simplify(below_[d]));
          const std::string outer = high.name, inner = low.name;
          forget(d);
          solve(inner, apply(ScalarOp::Mod, {at, radix}), radix);
          solve(outer, divided(at, radix), whole ? blocks : nullptr);
          return true;
        }
    return false;
  }

  struct Candidate {
    size_t dim = 0;
    std::string name;
    Expr coefficient, rest;
    int cost = 0;
  };

  /// The order in which an index is solved for variables: coefficient 1 before others; variables outside reductions,
  /// which mostly have larger extents, before reduction variables.
  bool affine() {
    std::optional<Candidate> best;
    for (size_t d = 0; d < index_.size(); ++d)
      for (size_t k = 0; k < open_.size(); ++k) {
        if (!variable(open_[k].name)) continue;
        const auto a = affine_in(index_[d], open_[k].name);
        if (!a) continue;
        const Expr c = simplify(a->coefficient, ranges_);
        if (is_zero(c) || !known_apart_from_zero(c)) continue;
        const auto unit = constant_value(c);
        const int cost = static_cast<int>(2 * k) + (unit == 1 || unit == -1 ? 0 : 1);
        if (!best || cost < best->cost) best = Candidate{d, open_[k].name, c, a->rest, cost};
      }
    if (!best) return false;
    const Expr wanted = wanted_[best->dim], distance = minus(wanted, best->rest);
    forget(best->dim);
    if (is_one(best->coefficient)) return solve(best->name, distance, nullptr), true;
    if (constant_value(best->coefficient) == -1) return solve(best->name, best->rest - wanted, nullptr), true;
    const Expr remainder = apply(ScalarOp::Mod, {distance, best->coefficient});
    const Expr at = apply(ScalarOp::FloorDiv, {distance, best->coefficient});
    require(equals(remainder, constant_int(0)));
    solve(best->name, at, nullptr);
    return true;
  }

  /// A step of 0 would read one element for all values of the variable.
  bool known_apart_from_zero(const Expr& c) const {
    if (is_inside(c)) return false;
    if (const auto v = constant_value(c)) return *v != 0;
    if (has_node<Read>(c)) return false;
    if (proves_lt(constant_int(0), c, ranges_)) return true;
    return any_of(known_.facts, [&](const Expr& f) {
      const auto* a = std::get_if<Apply>(&f->node);
      if (!a || a->args.size() != 2) return false;
      const auto lo = constant_value(a->args[1]), hi = constant_value(a->args[0]);
      if (same(a->args[0], c) && lo)
        return (a->op == ScalarOp::Gt && *lo >= 0) || (a->op == ScalarOp::Ge && *lo > 0) ||
               (a->op == ScalarOp::Ne && *lo == 0);
      if (same(a->args[1], c) && hi) return (a->op == ScalarOp::Lt && *hi >= 0) || (a->op == ScalarOp::Le && *hi > 0);
      return false;
    });
  }

  /// v // m: all v of a block; v % m: one v of each block.
  bool quotient() {
    for (size_t d = 0; d < index_.size(); ++d) {
      const auto* a = std::get_if<Apply>(&index_[d]->node);
      if (!a || (a->op != ScalarOp::FloorDiv && a->op != ScalarOp::Mod)) continue;
      const auto* v = std::get_if<VarRef>(&a->args[0]->node);
      if (!v || !variable(v->name) || !positive(a->args[1])) continue;
      const std::string name = v->name;
      const Expr m = a->args[1], at = wanted_[d], extent = variable(name)->extent;
      const bool is_quotient = a->op == ScalarOp::FloorDiv;
      const Expr blocks = divided(extent + m - constant_int(1), m);
      const LoopVar t{names_(name), is_quotient ? m : simplify(blocks, ranges_)};
      forget(d);
      open_.push_back(t);
      ranges_.extents[t.name] = t.extent;
      if (!is_quotient) require(apply(ScalarOp::Lt, {at, m}));
      solve(name, is_quotient ? at * m + var_ref(t.name) : var_ref(t.name) * m + at, constant_int(-1));
      return true;
    }
    return false;
  }

  bool positive(const Expr& m) const {
    return !is_inside(m) &&
           (proves_lt(constant_int(0), m, ranges_) || (constant_value(m).value_or(1) > 0 && known_apart_from_zero(m)));
  }

  /// Dims whose index is now known become conditions; false if one still depends on a variable.
  bool check_rest() {
    for (const Expr& e : index_)
      for (const LoopVar& v : open_)
        if (!known_.searches && variable(v.name) && mentions(e, v.name)) return false;
    for (size_t d = 0; d < index_.size(); ++d) where_ = both(where_, simplify(equals(index_[d], wanted_[d]), ranges_));
    index_.clear();
    return true;
  }

  bool is_inside(const Expr& e) const {
    return any_of(open_, [&](const LoopVar& v) { return mentions(e, v.name); });
  }

  /// Conditions that do not change over the sum enclose it.
  void split(const Expr& condition, Expr& around, Expr& within) const {
    for (const Expr& c : conjuncts(condition)) {
      Expr& to = is_inside(c) ? within : around;
      to = both(to, c);
    }
  }

  Expr sum() {
    Expr around, within;
    if (const Expr all = both(in_range_, where_)) split(all, around, within);
    const Expr terms = without_choice(value_, around);
    const Expr e = open_.empty() ? terms : summed(terms, within);
    return around ? select(around, e, constant_float(0, e->type)) : e;
  }

  /// The value without a choice of 0 that is the same for all terms of the sum.
  Expr without_choice(const Expr& e, Expr& around) const {
    const auto* s = std::get_if<Select>(&e->node);
    if (!s || open_.empty() || is_inside(s->cond) || (!is_none(s->yes) && !is_none(s->no))) return e;
    around = both(around, is_none(s->no) ? s->cond : simplify(apply(ScalarOp::Not, {s->cond}), ranges_));
    return without_choice(is_none(s->no) ? s->yes : s->no, around);
  }

  using Factors = std::vector<std::pair<ScalarOp, Expr>>;

  /// The sum of the terms that are chosen. Factors that do not change over it multiply the sum, unless a condition may
  /// leave out all terms: 0 times infinity would be NaN.
  Expr summed(const Expr& terms, const Expr& within) const {
    if (within && mentions_end(terms, within))
      if (Expr e = running_sum(terms, within)) return e;
    Factors factors;
    const Expr changing = within ? terms : without_factors(terms, factors);
    Expr e = reduce(Reducer::Sum, open_, within, changing, terms->type);
    for (const auto& [op, factor] : factors) e = factor ? apply(op, {e, factor}) : apply(op, {e});
    return e;
  }

  /// Whether an expression depends on an element that the condition compares with, such as the first of a suffix.
  bool mentions_end(const Expr& e, const Expr& within) const {
    return any_of(ends_, [&](const std::string& v) { return mentions(within, v) && mentions(e, v); });
  }

  /// A sum over a suffix whose terms depend on its first element only by choices and factors: these enclose a sum of
  /// what all suffixes have in common, which one pass computes. Null elsewhere.
  Expr running_sum(const Expr& terms, const Expr& within) const {
    if (is_none(terms)) return terms;
    if (const auto* s = std::get_if<Select>(&terms->node); s && !is_inside(s->cond)) {
      const Expr yes = running_sum(s->yes, within), no = yes ? running_sum(s->no, within) : nullptr;
      return no ? select(s->cond, yes, no) : nullptr;
    }
    Factors factors;
    const Expr common = without_end(terms, within, factors);
    if (mentions_end(common, within)) return nullptr;
    const Expr sum = reduce(Reducer::Sum, open_, within, common, terms->type);
    Expr e = sum;
    for (const auto& [op, factor] : factors) e = apply(op, {e, factor});
    return factors.empty() ? e : select(apply(ScalarOp::Eq, {sum, constant_float(0, sum->type)}), sum, e);
  }

  /// Terms without factors and divisors that depend on the first element of a suffix.
  Expr without_end(const Expr& e, const Expr& within, Factors& factors) const {
    if (!mentions_end(e, within)) return e;
    const auto below = [&](const Expr& x) { return without_end(x, within, factors); };
    const auto factor = [&](ScalarOp op, const Expr& x, const Expr& rest) {
      factors.emplace_back(op, x);
      return below(rest);
    };
    const auto* s = std::get_if<Select>(&e->node);
    if (s && is_none(s->no)) return select(s->cond, below(s->yes), s->no);
    if (s && is_none(s->yes)) return select(s->cond, s->yes, below(s->no));
    const auto* a = std::get_if<Apply>(&e->node);
    if (!a || is_complex(e->type)) return e;
    if (a->op == ScalarOp::Neg) return apply(a->op, {below(a->args[0])});
    if (a->op != ScalarOp::Mul && a->op != ScalarOp::Div) return e;
    const Expr &left = a->args[0], &right = a->args[1];
    if (!is_inside(right)) return factor(a->op, right, left);
    if (a->op == ScalarOp::Div) return apply(a->op, {below(left), right});
    if (!is_inside(left)) return factor(a->op, left, right);
    if (const Apply* d = as_apply(right, ScalarOp::Div); d && !is_inside(d->args[1]))
      return factor(ScalarOp::Div, d->args[1], apply(ScalarOp::Mul, {left, d->args[0]}));
    const Expr before = below(left);
    return apply(a->op, {before, below(right)});
  }

  /// What is left of a product of the chain rule. Its right operands are derivatives, of which the definition may have
  /// scaled what would overflow: they are not taken apart.
  Expr without_factors(const Expr& e, Factors& factors) const {
    const auto* a = std::get_if<Apply>(&e->node);
    const bool is_product = a && (a->op == ScalarOp::Mul || a->op == ScalarOp::Div);
    if (!a || !is_inside(e) || (!is_product && a->op != ScalarOp::Neg)) return e;
    if (is_product && !is_inside(a->args[0])) {
      if (a->op == ScalarOp::Div) return e;
      factors.emplace_back(a->op, a->args[0]);
      return a->args[1];
    }
    const Expr left = without_factors(a->args[0], factors);
    const Expr right = is_product ? a->args[1] : nullptr;
    if (right && is_inside(right)) return apply(a->op, {left, right});
    factors.emplace_back(a->op, right);
    return left;
  }

  const GatherFacts& known_;
  FreshNames& names_;
  Expr value_, where_;
  Expr in_range_;  ///< of the variables that were solved for: is in front of what reads at them
  std::vector<Expr> index_, wanted_, below_;
  std::vector<LoopVar> open_;
  std::vector<std::string> repeated_, ends_;
  Ranges ranges_;
};

}  // namespace

std::optional<Expr> gather_form(const Contribution& c, const GatherTarget& target, const GatherFacts& known,
                                FreshNames& names) {
  if (auto e = renumbered_form(c, target)) return e;
  return IndexSolver(c, target, known, names).run();
}

}  // namespace tenon
