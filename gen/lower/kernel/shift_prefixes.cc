// shift-prefixes: sum[k : k < i + c](x[k]) asks for prefixes that are not those of its own loop, such as the N + 1 sums
// over fewer than i elements of N. The running sum becomes a temp over k, and the statement reads it at its place.

#include "algebra/fresh_names.h"
#include "algebra/normal_fills.h"
#include "algebra/simplify.h"
#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/loop_bounds.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The range that a statement reduces: all k < limit or, if `from`, all k >= limit, of `extent` elements.
struct Prefix {
  bool from = false;
  Expr limit;
  Expr extent;
};

class PrefixShifter {
 public:
  explicit PrefixShifter(const Kernel& k) : out_(k), sizes_(size_ranges(k)), fresh_(k) { out_.body.clear(); }

  Kernel run(const std::vector<KernelStatement>& body) {
    for (KernelStatement s : body) {
      if (const auto p = prefix_of(s)) take_out(s, *p);
      out_.body.push_back(std::move(s));
    }
    return std::move(out_);
  }

 private:
  std::optional<Prefix> prefix_of(const KernelStatement& s) const {
    const auto* r = std::get_if<Reduce>(&s.value->node);
    if (!r || !r->where || r->vars.size() != 1 || s.update != Update::Assign || is_in_recurrence(s))
      return std::nullopt;
    if (r->op == Reducer::Fold || recognise_scan(s, sizes_)) return std::nullopt;
    const auto bound = linear_bound(r->where, r->vars[0].name);
    // A value that is computed for all elements must be defined for all.
    if (!bound || !always_defined(out_, s, *r)) return std::nullopt;
    const LinearForm limit = linear_form(bound->limit);
    Expr least = bound->limit, most = bound->limit;
    bool saves = false;
    for (const auto& [atom, factor] : limit.terms) {
      const auto* v = std::get_if<VarRef>(&atom->node);
      if (!v && !std::holds_alternative<SizeRef>(atom->node)) return std::nullopt;
      if (!v) continue;
      const auto loop = find_if(s.loops, [&](const LoopVar& l) { return l.name == v->name; });
      if (loop == s.loops.end() || mentions(r->value, v->name)) return std::nullopt;
      saves = saves || constant_value(loop->extent).value_or(2) > 1;
      const Expr last = loop->extent - constant_int(1);
      most = substitute(most, {{v->name, factor > 0 ? last : constant_int(0)}});
      least = substitute(least, {{v->name, factor > 0 ? constant_int(0) : last}});
    }
    const Expr &n = r->vars[0].extent, none = constant_int(0);
    if (!saves || (bound->from && !proves_le(least, none, sizes_))) return std::nullopt;
    if (bound->from || proves_below(out_, n - constant_int(1), most, sizes_))
      return Prefix{bound->from, bound->limit, n};
    const Expr used = apply(ScalarOp::Min, {n, apply(ScalarOp::Max, {most, none})});
    return Prefix{false, bound->limit, simplify(used, sizes_)};
  }

  void take_out(KernelStatement& s, const Prefix& p) {
    const auto& r = std::get<Reduce>(s.value->node);
    const std::string target = out_.tensors[static_cast<size_t>(s.target)].name;
    KernelStatement running;
    std::vector<Expr> dims, place;
    for (const LoopVar& l : s.loops) {
      if (!mentions(r.value, l.name)) continue;
      running.loops.push_back(l);
      running.index.push_back(var_ref(l.name));
      dims.push_back(l.extent);
    }
    place = running.index;
    const LoopVar last{fresh_(r.vars[0].name), p.extent}, each{r.vars[0].name, p.extent};
    running.loops.push_back(last);
    running.index.push_back(var_ref(last.name));
    dims.push_back(p.extent);
    running.target = add_temp(out_, target + "_running", s.value->type, dims);
    const Expr where = apply(p.from ? ScalarOp::Ge : ScalarOp::Le, {var_ref(each.name), var_ref(last.name)});
    running.value = reduce(r.op, {each}, where, r.value, s.value->type);
    running.formula = s.formula;
    place.push_back(place_of(s, p));
    const bool position = is_positional(r.op);
    const Expr none = position ? constant_int(0) : identity_of(r.op, s.value->type);
    s.value = read_of(running.target, s.value->type, std::move(place), none);
    out_.body.push_back(std::move(running));
  }

  /// The position of the running value that the statement reads; outside the tensor if it reads none.
  Expr place_of(const KernelStatement& s, const Prefix& p) const {
    Ranges ranges = sizes_;
    add_loops(ranges, s.loops);
    const Expr last = p.extent - constant_int(1);
    const Expr at = simplify(p.from ? p.limit : p.limit - constant_int(1), ranges);
    if (p.from) return proves_le(constant_int(0), at, ranges) ? at : apply(ScalarOp::Max, {at, constant_int(0)});
    return proves_below(out_, at, p.extent, ranges) ? at : apply(ScalarOp::Min, {at, simplify(last, sizes_)});
  }

  Kernel out_;
  Ranges sizes_;
  FreshNames fresh_;
};

}  // namespace

Kernel shift_prefixes(const Kernel& k) { return PrefixShifter(k).run(k.body); }

}  // namespace tenon
