// Facts about kernels and whole-kernel rewriting.
#include "lower/kernel/kernel_ranges.h"

#include <algorithm>

#include "algebra/simplify.h"
#include "lower/kernel/kernel_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Ends beyond this are no bounds: sums of them could overflow.
constexpr int64_t kProvable = int64_t{1} << 40;

/// Whether an index is at least 0, also where that is so by its clamp.
bool is_at_least_0(const Expr& e, const Ranges& ranges) {
  if (proves_not_negative(linear_form(e), ranges)) return true;
  const auto* a = std::get_if<Apply>(&e->node);
  const auto side = [&](const Expr& x) { return is_at_least_0(x, ranges); };
  if (a && a->op == ScalarOp::Max) return any_of(a->args, side);
  return a && a->op == ScalarOp::Min && all_of(a->args, side);
}

bool is_below(const Expr& e, const Expr& end, const Ranges& ranges) {
  if (proves_lt(e, end, ranges)) return true;
  const auto* a = std::get_if<Apply>(&e->node);
  const auto side = [&](const Expr& x) { return is_below(x, end, ranges); };
  if (a && a->op == ScalarOp::Min) return any_of(a->args, side);
  return a && a->op == ScalarOp::Max && all_of(a->args, side);
}

/// Loops of one iteration: the variable is 0.
std::map<std::string, Expr> unit_loops(std::vector<LoopVar>& loops) {
  std::map<std::string, Expr> zeros;
  std::vector<LoopVar> kept;
  for (LoopVar& v : loops) v.extent = cast_to(v.extent, DType::I64);
  for (const LoopVar& v : loops)
    if (is_one(v.extent)) zeros.emplace(v.name, constant_int(0));
    else kept.push_back(v);
  loops = std::move(kept);
  return zeros;
}

Expr without_unit_reductions(const Expr& e) {
  const Expr r = map_children(e, [](const Expr& c) { return without_unit_reductions(c); });
  const auto* n = std::get_if<Reduce>(&r->node);
  if (!n) return r;
  std::vector<LoopVar> vars = n->vars;
  const std::map<std::string, Expr> zeros = unit_loops(vars);
  if (zeros.empty() && !vars.empty()) return r;
  const Expr value = substitute(n->value, zeros), where = n->where ? substitute(n->where, zeros) : nullptr;
  const bool argument = is_positional(n->op);
  if (argument && n->vars.size() > 1) return r;
  if (n->op == Reducer::Fold && vars.empty()) {
    const Expr once = substitute(value, {{n->running, n->start}});
    return where ? select(substitute(where, {{n->running, n->start}}), once, n->start) : once;
  }
  if (!vars.empty() || where)
    return vars.empty() ? select(where, argument ? constant_int(0, r->type) : value, identity_of(n->op, r->type))
                        : reduce_like(*n, vars, where, value, r->type);
  return argument ? constant_int(0, r->type) : value;
}

}  // namespace

Ranges size_ranges(const Kernel& k) {
  Ranges r;
  for (const Size& s : k.sizes) {
    if (s.lo > -kProvable) r.size_lo.emplace(s.name, s.lo);
    if (s.hi < kProvable) r.size_hi.emplace(s.name, s.hi);
  }
  for (const Expr& f : k.facts) {
    const auto* a = std::get_if<Apply>(&f->node);
    const auto* s = a ? std::get_if<SizeRef>(&a->args[0]->node) : nullptr;
    if (s && a->op == ScalarOp::Lt) r.size_most.emplace(s->name, a->args[1] - constant_int(1));
    if (s && a->op == ScalarOp::Le) r.size_most.emplace(s->name, a->args[1]);
  }
  return r;
}

namespace {

/// Whether the index of dimension `d` is inside, alone or together with dimensions before it whose rows follow each
/// other and whose index is 0: where loops over them are merged, the index of the last goes over all of their elements.
bool is_inside(const Tensor& t, const std::vector<Expr>& index, size_t d,
               FunctionRef<bool(const Expr& extent, const Expr& index)> inside) {
  Expr extent = t.dims[d];
  if (inside(extent, index[d])) return true;
  for (size_t row = d; row > 0 && row < t.strides.size() && is_zero(index[row - 1]); --row) {
    if (!same(simplify(t.strides[row - 1]), simplify(t.strides[row] * t.dims[row]))) return false;
    extent = simplify(t.dims[row - 1] * extent);
    if (inside(extent, index[d])) return true;
  }
  return false;
}

/// Whether all reads are inside of their tensors according to `inside`, of a tensor's extent and an index, and no
/// integer division that `divides` asks about can fail.
bool is_defined(const Kernel& k, const Expr& e, FunctionRef<void(const std::vector<LoopVar>&)> enter,
                FunctionRef<bool(const Expr& extent, const Expr& index)> inside,
                FunctionRef<bool(const Expr&)> divides) {
  return !any_node(e, [&](const Expr& n) {
    if (const auto* r = std::get_if<Reduce>(&n->node)) enter(r->vars);
    if (const auto* r = std::get_if<Read>(&n->node)) {
      for (size_t d = 0; d < r->index.size() && !r->fill; ++d)
        if (!is_inside(k.tensor(r->tensor), r->index, d, inside)) return true;
      return false;
    }
    const auto* a = std::get_if<Apply>(&n->node);
    if (!a || !is_int(n->type) || (a->op != ScalarOp::FloorDiv && a->op != ScalarOp::Mod) || !divides(n)) return false;
    const Apply* most = as_apply(a->args[1], ScalarOp::Max);
    return constant_value(most ? most->args[1] : a->args[1]).value_or(0) <= 0;
  });
}

}  // namespace

bool always_defined(const Kernel& k, const Expr& e, const Ranges& ranges) {
  Ranges inner = ranges;
  const auto inside = [&](const Expr& extent, const Expr& index) {
    return proves_not_negative(linear_form(index), inner) && proves_lt(index, extent, inner);
  };
  return is_defined(
      k, e, [&](const std::vector<LoopVar>& vars) { add_loops(inner, vars); }, inside,
      [](const Expr&) { return true; });
}

bool defined_by_facts(const Kernel& k, const Expr& e, Ranges ranges, FunctionRef<bool(const Expr&)> asked) {
  add_least_sizes(ranges, k.facts);
  const auto inside = [&](const Expr& extent, const Expr& index) {
    return !asked(index) || (is_at_least_0(index, ranges) && is_below(index, extent, ranges));
  };
  return is_defined(
      k, e, [&](const std::vector<LoopVar>& vars) { add_loops(ranges, vars); }, inside, asked);
}

bool defined_by_facts(const Kernel& k, const Expr& e, const Ranges& ranges) {
  return defined_by_facts(k, e, ranges, [](const Expr&) { return true; });
}

bool always_defined(const Kernel& k, const KernelStatement& s, const Reduce& r) {
  return always_defined(k, r.value, ranges_of(r.vars, ranges_of(s.loops, size_ranges(k))));
}

bool is_costly(const Expr& node) {
  const auto* a = std::get_if<Apply>(&node->node);
  if (!a) return false;
  if (scalar_op_row(a->op).has('M') || a->op == ScalarOp::Philox) return true;
  return a->op == ScalarOp::Div || a->op == ScalarOp::Sqrt || a->op == ScalarOp::FloorDiv || a->op == ScalarOp::Mod;
}

namespace {

/// Groups whose shared loops have no direction left, because those that had one ran once, are statements like others.
void part_groups(std::vector<KernelStatement>& body) {
  const auto directed = [](const KernelStatement& s) {
    return std::any_of(s.loops.begin(), s.loops.begin() + static_cast<std::ptrdiff_t>(s.joined),
                       [](const LoopVar& v) { return v.direction != Direction::Any; });
  };
  for (size_t first = 0, end = 0; first < body.size(); first = end) {
    end = end_of_joined(body, first);
    const auto from = body.begin() + static_cast<std::ptrdiff_t>(first);
    const auto to = body.begin() + static_cast<std::ptrdiff_t>(end);
    if (std::any_of(from, to, directed)) continue;
    std::for_each(from, to, [](KernelStatement& s) { s.joined = 0; });
  }
}

}  // namespace

Kernel simplify_kernel(const Kernel& k) {
  const Ranges sizes = size_ranges(k);
  Kernel out =
      map_exprs(k, [&](const Expr& e) { return std::holds_alternative<Constant>(e->node) ? e : simplify(e, sizes); });
  Ranges apart = sizes;
  apart.size_most.clear();  // a fact must not prove itself
  out.facts = mapped(k.facts, [&](const Expr& e) { return simplify(e, apart); });
  SharedExprs shared;
  for (KernelStatement& s : out.body) {
    const auto shared_end = s.loops.begin() + static_cast<std::ptrdiff_t>(s.joined);
    s.joined -= static_cast<size_t>(std::count_if(
        s.loops.begin(), shared_end, [](const LoopVar& v) { return is_one(cast_to(v.extent, DType::I64)); }));
    const std::map<std::string, Expr> zeros = unit_loops(s.loops);
    Ranges ranges = sizes;
    add_loops(ranges, s.loops);
    map_exprs(s, [&](const Expr& e) {
      return shared.share(simplify(without_unit_reductions(zeros.empty() ? e : substitute(e, zeros)), ranges));
    });
    if (s.where) narrow_update(out, s);
  }
  part_groups(out.body);
  simplify_checks(out);
  return out;
}

Kernel simplify_again(const Kernel& k) {
  Kernel out = simplify_kernel(k);
  size_t before = 0;
  do {
    std::vector<bool> read(out.tensors.size());
    map_exprs(out, [&](const Expr& e) {
      each_read(e, [&](const Read& r) { read[static_cast<size_t>(r.tensor)] = true; });
      return e;
    });
    before = out.body.size();
    for (size_t i = before; i-- > 0;) {
      const int target = out.body[i].target;
      if (out.tensor(target).role == Role::Temp && !read[static_cast<size_t>(target)]) erase_statement(out.body, i);
    }
  } while (out.body.size() < before);
  return out;
}

void simplify_checks(Kernel& k) {
  const Ranges sizes = size_ranges(k);
  for (Check& c : k.checks) {
    Ranges ranges = sizes;
    add_loops(ranges, c.loops);
    c.holds = simplify(c.holds, ranges);
  }
}

}  // namespace tenon
