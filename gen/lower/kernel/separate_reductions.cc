// separate-reductions: Y[p] = sum[k](…)/N becomes Y_sum[p] = sum[k](…); Y[p] = Y_sum[p]/N. A reduction that does not
// depend on an inner variable thereby moves out of its loop, one that reads nothing of a recurrence out of all of it,
// and one that reads what an outer loop has made before out of the inner loops of a recurrence, which leaves these
// vectors.
#include <fmt/format.h>

#include <map>
#include <set>

#include "algebra/linear.h"
#include "ir/kernel/kernel.h"
#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/loop_bounds.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class ReductionSeparator {
 public:
  explicit ReductionSeparator(const Kernel& k) : out_(k), sizes_(size_ranges(k)) { out_.body.clear(); }

  Kernel run(const std::vector<KernelStatement>& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      KernelStatement s = body[i];
      statement_ = &s;
      if (s.joined == 0) begin_group(body, i);
      const auto* root = std::get_if<Reduce>(&s.value->node);
      if (s.where) s.where = take_out(s.where, s.loops, nullptr);
      for (Expr& e : s.index) e = take_out(e, s.loops, s.where);
      s.value = root ? where_needed(inside(s.value, s.loops, s.where), s.loops, s.where)
                     : take_out(s.value, s.loops, s.where);
      out_.body.push_back(std::move(s));
    }
    return std::move(out_);
  }

 private:
  /// The reduction itself with those inside it taken out, which are needed where `guard` and its predicate hold.
  Expr inside(const Expr& e, const std::vector<LoopVar>& scope, const Expr& guard) {
    Reduce r = flattened(std::get<Reduce>(e->node));
    std::vector<LoopVar> deeper = concat(scope, r.vars);
    if (r.start) r.start = take_out(r.start, scope, guard), running_.insert(r.running);
    if (r.where) r.where = take_out(r.where, deeper, guard);
    const Expr within = both(guard, r.where ? outside_folds(r.where) : nullptr);
    return reduce_like(r, r.vars, r.where, take_out(r.value, deeper, within), e->type);
  }

  static Reduce flattened(Reduce r) {
    const bool nests = r.op == Reducer::Sum || r.op == Reducer::Prod || r.op == Reducer::Max || r.op == Reducer::Min;
    while (const auto* inner = nests ? std::get_if<Reduce>(&r.value->node) : nullptr) {
      if (inner->op != r.op || inner->where) break;
      append(r.vars, inner->vars);
      r.value = Expr(inner->value);
    }
    return r;
  }

  /// What the statements make that share loops from `first` on, if they are a recurrence.
  void begin_group(const std::vector<KernelStatement>& body, size_t first) {
    group_begin_ = out_.body.size();
    group_.clear();
    dims_.clear();
    const size_t end = end_of_joined(body, first);
    for (size_t i = first; i < end; ++i) {
      if (is_in_recurrence(body[i])) group_.insert(body[i].target);
      for (size_t d = 0; d < body[i].index.size(); ++d)
        if (const auto* v = std::get_if<VarRef>(&body[i].index[d]->node)) dims_[{body[i].target, v->name}] = d;
    }
  }

  /// Whether the running value of a fold around it is part of an expression.
  bool runs(const Expr& e, const std::string& own) const {
    return any_of(running_, [&](const std::string& running) { return running != own && mentions(e, running); });
  }

  /// What of a condition is known outside of the folds: checks do not rely on the rest. Null if nothing.
  Expr outside_folds(const Expr& condition) const {
    Expr out;
    for (const Expr& c : conjuncts(condition))
      if (!runs(c, "")) out = both(out, c);
    return out;
  }

  Expr take_out(const Expr& e, const std::vector<LoopVar>& scope, const Expr& guard) {
    if (const auto* r = std::get_if<Reduce>(&e->node)) {
      // What depends on the running value of a fold around it is computed where the fold is, with all that is in it.
      const bool outer = std::exchange(in_place_, in_place_ || runs(e, r->running));
      const bool stays = in_place_;
      Expr made = inside(e, scope, guard);
      in_place_ = outer;
      return stays ? where_needed(made, scope, guard) : as_temp(std::move(made), scope, guard);
    }
    if (const auto* s = std::get_if<Select>(&e->node)) {
      const Expr cond = take_out(s->cond, scope, guard);
      const Expr yes = take_out(s->yes, scope, both(guard, outside_folds(cond)));
      const Expr no = take_out(s->no, scope, both(guard, outside_folds(apply(ScalarOp::Not, {cond}))));
      return cond == s->cond && yes == s->yes && no == s->no ? e : select(cond, yes, no);
    }
    const auto* a = std::get_if<Apply>(&e->node);
    if (a && (a->op == ScalarOp::And || a->op == ScalarOp::Or)) {
      const Expr first = take_out(a->args[0], scope, guard);
      const Expr decides = a->op == ScalarOp::And ? first : apply(ScalarOp::Not, {first});
      const Expr second = take_out(a->args[1], scope, both(guard, outside_folds(decides)));
      return first == a->args[0] && second == a->args[1] ? e : apply(a->op, {first, second});
    }
    return map_children(e, [&](const Expr& c) { return take_out(c, scope, guard); });
  }

  /// The reduction with `guard` as a part of its predicate, if what it reads may only be defined where the guard holds.
  Expr where_needed(const Expr& e, const std::vector<LoopVar>& scope, const Expr& guard) const {
    if (!guard) return e;
    const auto& r = std::get<Reduce>(e->node);
    Ranges ranges = sizes_;
    add_loops(ranges, scope);
    add_loops(ranges, r.vars);
    const auto is_defined = [&](const Expr& x) { return !x || defined_by_facts(out_, x, ranges); };
    const bool runs = is_defined(r.value) && is_defined(r.where), starts = is_defined(r.start);
    if (runs && starts) return e;
    Reduce needed = r;
    if (!starts) needed.start = select(guard, r.start, constant_of(0, e->type));
    return reduce_like(needed, r.vars, runs ? r.where : both(guard, r.where), r.value, e->type);
  }

  /// A statement of its own for the reduction, which is needed where `guard` holds; gives the read of its value.
  Expr as_temp(Expr e, const std::vector<LoopVar>& scope, const Expr& guard) {
    e = where_needed(e, scope, guard);
    KernelStatement s;
    const bool inside = reads_group(e);
    const size_t carried = inside ? shared_loops(e) : 0;
    std::vector<Expr> dims;
    for (size_t i = 0; i < scope.size(); ++i) {
      if (i >= carried && !mentions(e, scope[i].name) && !is_presence(scope[i].extent, e)) continue;
      s.loops.push_back(scope[i]);
      if (i >= carried) s.loops.back().direction = Direction::Any;
      s.index.push_back(var_ref(scope[i].name));
      dims.push_back(scope[i].extent);
    }
    for (const KernelStatement& other : out_.body)
      if (same(other.value, e) && other.update == Update::Assign && made_here_.count(other.target) &&
          same(other.index, s.index))
        return read_of(other.target, e->type, s.index);
    s.target = new_temp(std::string(name_of(std::get<Reduce>(e->node).op)), e->type, dims);
    s.value = e;
    s.formula = statement_->formula;
    s.masks_by_zero = statement_->masks_by_zero;
    const Expr read = read_of(s.target, e->type, s.index);
    if (inside) {
      group_.insert(s.target);
      put_into_group(std::move(s), carried);
    } else {
      out_.body.insert(out_.body.begin() + static_cast<std::ptrdiff_t>(group_begin_), std::move(s));
      ++group_begin_;
    }
    return read;
  }

  /// Whether a loop over this extent runs only where something that `e` reads is given.
  bool is_presence(const Expr& extent, const Expr& e) const {
    const auto* size = std::get_if<SizeRef>(&extent->node);
    return size && any_read(e, [&](const Read& r) { return size->name == presence_of(out_.tensor(r.tensor).name); });
  }

  bool reads_group(const Expr& e) const {
    return !group_.empty() && any_read(e, [&](const Read& r) { return group_.count(r.tensor) != 0; });
  }

  /// Before the statements that share more loops than these with the one at hand.
  void put_into_group(KernelStatement s, size_t shared) {
    size_t at = out_.body.size();
    KernelStatement* next = statement_;
    while (next->joined > shared) next = &out_.body[--at];
    s.joined = std::exchange(next->joined, shared);
    out_.body.insert(out_.body.begin() + static_cast<std::ptrdiff_t>(at), std::move(s));
  }

  /// The outermost loops of the recurrence that a reduction has to share. Where all that it reads of the recurrence
  /// comes before along an outer loop, that is complete when the inner loops begin: they need not be shared, nor keep
  /// an order.
  size_t shared_loops(const Expr& e) const {
    const size_t carried = carried_loops();
    for (size_t p = 0; p + 1 < carried; ++p)
      if (statement_->loops[p].direction != Direction::Any && reads_before(e, statement_->loops[p])) return p + 1;
    return carried;
  }

  bool reads_before(const Expr& e, const LoopVar& loop) const {
    return all_reads(
        e, [&](const Read& r) { return group_.count(r.tensor) == 0 || is_before(r, loop, std::get<Reduce>(e->node)); });
  }

  /// Whether an element is one that the loop makes before the iteration at hand: by its index, or by the condition
  /// under which the reduction runs over it.
  bool is_before(const Read& read, const LoopVar& loop, const Reduce& r) const {
    const auto made = dims_.find({read.tensor, loop.name});
    if (made == dims_.end()) return false;
    const bool up = loop.direction == Direction::Up;
    const auto ahead = [&](const Expr& index, int64_t least) {  // by how much the loop's variable is past the index
      const Expr here = var_ref(loop.name);
      const auto far = up ? constant_difference(here, index) : constant_difference(index, here);
      return far && *far >= least;
    };
    const Expr& index = read.index[made->second];
    if (ahead(index, 1)) return true;
    const auto* v = std::get_if<VarRef>(&index->node);
    if (!v || !has_loop(r.vars, v->name) || !r.where) return false;
    return any_of(conjuncts(r.where), [&](const Expr& c) {
      const auto bound = bound_of(c, v->name);
      return bound && bound->from != up && ahead(bound->limit, up ? 0 : 1);
    });
  }

  /// The outermost loops of the statement at hand within which the recurrence goes on: those that it shares, and all
  /// down to its last directed one.
  size_t carried_loops() const {
    size_t n = statement_->joined;
    for (size_t i = 0; i < statement_->loops.size(); ++i)
      if (statement_->loops[i].direction != Direction::Any) n = std::max(n, i + 1);
    return n;
  }

  int new_temp(const std::string& what, DType type, const std::vector<Expr>& dims) {
    const int temp = add_temp(out_, fmt::format("{}_{}", out_.tensor(statement_->target).name, what), type, dims);
    made_here_.insert(temp);
    return temp;
  }

  Kernel out_;
  Ranges sizes_;
  std::set<int> made_here_;
  std::set<std::string> running_;  ///< running values of folds
  bool in_place_ = false;          ///< whether reductions stay where they are
  KernelStatement* statement_ = nullptr;
  std::set<int> group_;                                 ///< what the recurrence at hand makes
  std::map<std::pair<int, std::string>, size_t> dims_;  ///< of these, the dim that each variable of a target walks
  size_t group_begin_ = 0;  ///< where in the new body its statements begin: what does not depend on it goes there
};

}  // namespace

Kernel separate_reductions(const Kernel& k) { return ReductionSeparator(k).run(k.body); }

}  // namespace tenon
