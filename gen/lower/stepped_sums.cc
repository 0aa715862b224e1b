// Sums over windows with run-time steps, as in gradients of windows: only terms whose index is a multiple of the step
// are counted.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "algebra/contraction.h"
#include "algebra/fresh_names.h"
#include "algebra/known_values.h"
#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/variants.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// index % by == 0: the element number index//by, of which there are `extent`.
struct Step {
  Expr index, by;
  Expr number = nullptr;  ///< index//by
  Expr extent = nullptr;
  bool from_zero = false;  ///< no other number counts below the extent
  std::string var = {};    ///< takes the place of the number
  Expr place = nullptr;    ///< the element of the result that a number and the other variables belong to
  Expr room = nullptr;     ///< how many there are
};

bool holds_variable(const Expr& e) { return has_node<VarRef>(e); }

/// Whether the kernel says so.
bool is_said_positive(const Kernel& k, const Expr& by) {
  if (const auto number = constant_value(by)) return *number > 0;
  const Expr zero = constant_int(0), one = constant_int(1);
  const Expr said[] = {apply(ScalarOp::Gt, {by, zero}), apply(ScalarOp::Lt, {zero, by}), apply(ScalarOp::Ge, {by, one}),
                       apply(ScalarOp::Le, {one, by})};
  return any_of(k.facts, [&](const Expr& f) { return any_of(said, [&](const Expr& s) { return same(f, s); }); });
}

/// The steps of a condition that states nothing else; none otherwise. Bounds of the quotients follow from it or from
/// the reads.
std::vector<Step> steps_in(const Kernel& k, const Expr& where) {
  const std::vector<Expr> terms = conjuncts(where);
  std::vector<Step> out;
  for (const Expr& term : terms) {
    const Apply* equal = as_apply(term, ScalarOp::Eq);
    const Apply* rest = equal && is_zero(equal->args[1]) ? as_apply(equal->args[0], ScalarOp::Mod) : nullptr;
    if (rest && is_leaf(rest->args[1]) && is_said_positive(k, rest->args[1]))
      out.push_back({rest->args[0], rest->args[1], apply(ScalarOp::FloorDiv, {rest->args[0], rest->args[1]})});
  }
  for (const Expr& term : terms) {
    if (as_apply(term, ScalarOp::Eq)) continue;
    const Apply* below = as_apply(term, ScalarOp::Lt);
    const Apply* from = as_apply(term, ScalarOp::Ge);
    const Apply* bound = below ? below : from;
    const auto step = !bound ? out.end() : find_if(out, [&](const Step& s) { return same(s.number, bound->args[0]); });
    const bool plain = step != out.end() && (below ? !holds_variable(below->args[1]) : is_zero(from->args[1]));
    if (!plain) return {};
    if (below) step->extent = below->args[1];
    else step->from_zero = true;
  }
  const auto tests = std::count_if(terms.begin(), terms.end(), [](const Expr& t) { return as_apply(t, ScalarOp::Eq); });
  return static_cast<size_t>(tests) == out.size() ? out : std::vector<Step>();
}

bool has_number(const Expr& e, const std::vector<Step>& steps) {
  return any_node(e, [&](const Expr& n) { return any_of(steps, [&](const Step& s) { return same(s.number, n); }); });
}

/// The factor of a product that contains all quotients: it decides which terms count.
Expr factor_with(const Expr& value, const std::vector<Step>& steps) {
  if (const Apply* product = as_apply(value, ScalarOp::Mul)) {
    const bool left = has_number(product->args[0], steps), right = has_number(product->args[1], steps);
    if (left != right) return factor_with(product->args[left ? 0 : 1], steps);
  }
  if (const Apply* widened = as_apply(value, ScalarOp::Cast); widened && is_float(widened->args[0]->type))
    return factor_with(widened->args[0], steps);
  return value;
}

/// The extent of each number: where no condition bounds it, of the dimension outside of which the factor is 0. False
/// where a number below 0 may count, as that of a clamped index.
bool know_extents(const Kernel& k, const Expr& factor, std::vector<Step>& steps) {
  const auto* r = std::get_if<Read>(&factor->node);
  const Constant* fill = r && r->fill ? as_constant(r->fill) : nullptr;
  if (fill && fill->f == 0 && is_float(r->fill->type))
    for (size_t d = 0; d < r->index.size(); ++d)
      for (Step& s : steps) {
        if (!same(r->index[d], s.number)) continue;
        s.from_zero = true;
        if (!s.extent) s.extent = k.tensor(r->tensor).dims[d];
      }
  return all_of(steps, [](const Step& s) { return s.extent && s.from_zero; });
}

/// The sum that a statement is, maybe rounded; or null.
const Reduce* sum_of(const KernelStatement& s) {
  const Apply* rounded = as_apply(s.value, ScalarOp::Cast);
  return std::get_if<Reduce>(&(rounded ? rounded->args[0] : s.value)->node);
}

/// The statement as updates: t, the sum over all variables that the places do not depend on, for each number and tap,
/// is added to the elements that it belongs to. Where the step along the line is a number, these are in as many runs
/// of elements at this step, so that vectors add to adjacent ones.
class Scattering {
 public:
  Scattering(const Kernel& k, std::vector<Step> steps)
      : out_(k), fresh_(k), sum_(k.body.back()), steps_(std::move(steps)) {}

  /// Nothing where the places do not follow from the numbers.
  std::optional<Kernel> run() {
    const Reduce r = *sum_of(sum_);
    if (!know_extents(out_, factor_with(r.value, steps_), steps_) || !find_places()) return std::nullopt;
    Expr term = r.value;
    for (const Step& s : steps_) term = with_expr(term, s.number, var_ref(s.var));
    const bool reads_there = any_of(places_, [&](const auto& place) { return mentions(term, place.first); });
    term = substitute(term, places_);
    std::vector<LoopVar> within;
    for (const LoopVar& v : r.vars) (is_tap(v) ? taps_ : within).push_back(v);
    if (any_of(r.vars, [](const LoopVar& v) { return holds_variable(v.extent); })) return std::nullopt;
    out_.body.pop_back();
    const bool once = all_of(taps_, [&](const LoopVar& v) { return mentions(term, v.name); });
    if (!within.empty()) term = reduce_like(r, within, nullptr, term, term->type);
    const bool directly = within.empty() && (once || std::holds_alternative<Read>(term->node));
    // A result without elements has no place that could be read.
    Expr inside;
    for (const Step& s : steps_) inside = both(inside, inside_of(s));
    if (reads_there && !directly) term = select(inside, term, constant_of(0, term->type));
    update(directly ? term : stored(term));
    return std::move(out_);
  }

 private:
  /// The element of a number and its taps, along the one loop of the result that the index walks by ones.
  bool find_places() {
    for (size_t i = 0; i < steps_.size(); ++i) {
      Step& s = steps_[i];
      s.var = fresh_(fmt::format("step_{}", i));
      const LoopVar* found = nullptr;
      for (const LoopVar& l : sum_.loops) {
        if (!mentions(s.index, l.name)) continue;
        if (found || places_.count(l.name) || holds_variable(l.extent)) return false;
        found = &l;
      }
      const auto along = found ? affine_in(s.index, found->name) : std::nullopt;
      if (!along || !is_one(simplify(along->coefficient))) return false;
      s.place = simplify(var_ref(s.var) * s.by - along->rest);
      const Expr last = found->extent - constant_int(1), from = apply(ScalarOp::Max, {s.place, constant_int(0)});
      places_[found->name] = apply(ScalarOp::Min, {from, last});
      s.room = found->extent;
    }
    return true;
  }

  static Expr inside_of(const Step& s) {
    return both(apply(ScalarOp::Le, {constant_int(0), s.place}), apply(ScalarOp::Lt, {s.place, s.room}));
  }

  bool is_tap(const LoopVar& v) const {
    return any_of(steps_, [&](const Step& s) { return mentions(s.index, v.name); });
  }

  /// A temp for what is added: one element for each of what it depends on. Nothing is added twice without one.
  Expr stored(const Expr& term) {
    std::vector<LoopVar> loops = sum_.loops;
    append(loops, taps_);
    std::erase_if(loops, [&](const LoopVar& v) { return !mentions(term, v.name); });
    for (const Step& s : steps_) loops.push_back({s.var, s.extent});
    return assigned("terms", term, loops, var_refs(loops));
  }

  /// The read at `at` of a new temp of which a statement assigns the value to each element.
  Expr assigned(const std::string& name, const Expr& value, const std::vector<LoopVar>& loops,
                const std::vector<Expr>& at) {
    KernelStatement s;
    s.target = add_temp(out_, name, value->type, mapped(loops, &LoopVar::extent));
    s.index = var_refs(loops);
    s.value = value;
    s.loops = loops;
    out_.body.push_back(s);
    return read_of(s.target, value->type, at);
  }

  /// The last loop of the result, if its places are at a step that is a number above 1.
  const Step* along_line() const {
    const auto s = find_if(steps_, [&](const Step& t) { return mentions(t.index, sum_.loops.back().name); });
    return s != steps_.end() && constant_value(s->by).value_or(1) > 1 ? &*s : nullptr;
  }

  void update(const Expr& term) {
    const Step* line = along_line();
    std::vector<LoopVar> loops = sum_.loops;
    std::vector<Expr> at = var_refs(loops);
    if (line) {
      const Expr extent = loops.back().extent, x = at.back();
      loops.back() = {fresh_("run"), line->by};
      loops.push_back({fresh_("element"), apply(ScalarOp::FloorDiv, {extent + line->by - constant_int(1), line->by})});
      at.back() = apply(ScalarOp::Mod, {x, line->by});
      at.push_back(apply(ScalarOp::FloorDiv, {x, line->by}));
    }
    const Expr sums = assigned("sums", constant_of(0, term->type), loops, at);
    KernelStatement add;
    add.target = std::get<Read>(sums->node).tensor;
    add.update = Update::Add;
    add.value = term;
    for (const LoopVar& l : sum_.loops) {
      const auto place = places_.find(l.name);
      if (place == places_.end()) add.index.push_back(var_ref(l.name)), add.loops.push_back(l);
      else if (line && l.name == sum_.loops.back().name) place_in_run(*line, loops.back().extent, add);
      else add.index.push_back(place->second);
    }
    for (const Step& s : steps_) {
      if (&s != line) add.where = both(add.where, inside_of(s));
      for (const LoopVar& v : taps_)
        if (mentions(s.index, v.name) && !has_loop(add.loops, v.name)) add.loops.push_back(v);
      add.loops.push_back({s.var, s.extent});
    }
    out_.body.push_back(std::move(add));
    KernelStatement result = sum_;
    result.value = cast_to(sums, sum_.value->type);
    out_.body.push_back(std::move(result));
  }

  /// The run of a place and its element there. A run may have one element after the last of the result.
  void place_in_run(const Step& line, const Expr& extent, KernelStatement& add) const {
    const Expr first = simplify(line.place - var_ref(line.var) * line.by), zero = constant_int(0);
    const Expr element = var_ref(line.var) + apply(ScalarOp::FloorDiv, {first, line.by});
    add.index.push_back(apply(ScalarOp::Mod, {first, line.by}));
    add.index.push_back(apply(ScalarOp::Min, {apply(ScalarOp::Max, {element, zero}), extent - constant_int(1)}));
    add.where = both(apply(ScalarOp::Le, {zero, element}), apply(ScalarOp::Lt, {element, extent}));
  }

  Kernel out_;
  FreshNames fresh_;
  const KernelStatement sum_;
  std::vector<Step> steps_;
  std::vector<LoopVar> taps_;           ///< variables of the sum that the places depend on
  std::map<std::string, Expr> places_;  ///< what takes the place of the loops of the result, within their extents
};

std::optional<Kernel> scattered(const Kernel& k) {
  if (k.body.empty() || k.call || !k.found.empty() || has_recurrence(k) || !k.reassociate) return std::nullopt;
  const KernelStatement& last = k.body.back();
  const Reduce* r = sum_of(last);
  if (!r || r->op != Reducer::Sum || !r->where || last.update != Update::Assign) return std::nullopt;
  for (size_t i = 0; i + 1 < k.body.size(); ++i)
    if (k.body[i].update != Update::Assign || k.tensor(k.body[i].target).role != Role::Temp) return std::nullopt;
  std::vector<Step> steps = steps_in(k, r->where);
  return steps.empty() ? std::nullopt : Scattering(k, std::move(steps)).run();
}

/// The sizes that are extents of variables of the sum which no place depends on: a sum of one product where they are 1.
KnownValues single_products(const Reduce& r) {
  KnownValues out;
  for (const LoopVar& v : r.vars)
    if (!mentions(r.where, v.name) && std::holds_alternative<SizeRef>(v.extent->node))
      out.emplace_back(v.extent, constant_int(1));
  return out;
}

}  // namespace

SteppedSums stepped_sums(const Kernel& k) {
  SteppedSums out{scattered(k), {}};
  if (!out.otherwise) return out;
  const Reduce& r = *sum_of(k.body.back());
  const KnownValues ones = single_products(r);
  const auto add = [&](const KnownValues& known, std::string_view what) {
    if (auto sums = known.empty() ? std::nullopt : scattered(simplify_kernel(with_known(k, known))))
      out.cases.push_back({equal_to(known), *std::move(sums), what});
  };
  KnownValues steps, runs;
  for (const Step& s : steps_in(k, r.where)) {
    if (none_of(steps, [&](const auto& known) { return same(known.first, s.by); }))
      steps.emplace_back(s.by, constant_int(1));
    if (mentions(s.index, k.body.back().loops.back().name)) runs.emplace_back(s.by, constant_int(2));
  }
  add(runs, "steps of 2 along the line: added to their places in two runs");
  add(ones, "sums of one product: added to their places");
  if (!ones.empty() && !runs.empty())
    add(concat(ones, runs), "sums of one product, steps of 2 along the line: added to their places in two runs");
  Kernel next = simplify_kernel(with_known(k, steps));
  if (find_contraction(next)) out.cases.push_back({equal_to(steps), std::move(next), "steps of 1: sums over windows"});
  return out;
}

}  // namespace tenon
