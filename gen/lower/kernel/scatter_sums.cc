// scatter-sums: Y[s,v] = sum[t : O[t] == v](g[t,s]) becomes Y[s,v] = 0; Y[s,O[t]] += g[t,s]. The data say which v each
// t belongs to, so that no v has to ask all of them.
#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// As many places are compared at once: vectors are faster than updates one after the other.
constexpr int64_t kFewPlaces = 16;

std::optional<Update> update_of(Reducer r) {
  switch (r) {
    case Reducer::Sum: return Update::Add;
    case Reducer::Max: return Update::Max;
    case Reducer::Min: return Update::Min;
    default: return std::nullopt;
  }
}

/// The conditions under which a reduction takes an element, also where it takes the identity otherwise; and the
/// element.
struct Chosen {
  std::vector<Expr> conditions;
  Expr value;
};

Chosen chosen(const Reduce& r, DType type) {
  Chosen out{r.where ? conjuncts(r.where) : std::vector<Expr>(), r.value};
  const auto add = [&](const Expr& condition, Expr value) {
    append(out.conditions, conjuncts(condition));
    out.value = std::move(value);
  };
  const auto* s = std::get_if<Select>(&r.value->node);
  const auto* a = std::get_if<Apply>(&r.value->node);
  if (s && same(s->no, identity_of(r.op, type))) add(s->cond, s->yes);
  else if (a && a->op == ScalarOp::Cast && a->args[0]->type == DType::Bool && r.op == Reducer::Sum && !is_stop(r.value))
    add(a->args[0], constant_of(1, type));
  return out;
}

class SumScatterer {
 public:
  explicit SumScatterer(const Kernel& k) : k_(k) {}

  Kernel run() {
    std::vector<KernelStatement> body;
    for (size_t i = 0; i < k_.body.size(); ++i) {
      const bool alone = k_.body[i].joined == 0 && end_of_joined(k_.body, i) == i + 1;
      const auto updates = alone ? scattered(k_.body[i]) : std::nullopt;
      if (updates) {
        KernelStatement start = k_.body[i];
        start.value = identity_of(std::get<Reduce>(start.value->node).op, start.value->type);
        body.push_back(std::move(start));
      }
      body.push_back(updates ? *updates : k_.body[i]);
    }
    k_.body = std::move(body);
    return std::move(k_);
  }

 private:
  std::optional<KernelStatement> scattered(const KernelStatement& s) const {
    const auto* r = std::get_if<Reduce>(&s.value->node);
    const auto update = r ? update_of(r->op) : std::nullopt;
    if (!update || s.update != Update::Assign || s.where || s.masks_by_zero || is_in_recurrence(s) ||
        k_.tensor(s.target).dtype != s.value->type)
      return std::nullopt;
    // One update after the other would add up the rounding errors of floats, which sums in blocks do not.
    if (update == Update::Add && holds_reals(s.value->type)) return std::nullopt;
    // Prefixes and boxes are one pass each.
    if (r->where && moves_along(r->where, s.loops)) return std::nullopt;
    const Chosen all = chosen(*r, s.value->type);
    for (size_t c = 0; c < all.conditions.size(); ++c)
      for (size_t l = 0; l < s.loops.size(); ++l)
        if (const Expr place = place_of(all.conditions[c], s.loops[l])) {
          Chosen rest = all;
          rest.conditions.erase(rest.conditions.begin() + static_cast<std::ptrdiff_t>(c));
          if (auto out = updates(s, *r, rest, l, place); out) {
            out->update = *update;
            return out;
          }
        }
    return std::nullopt;
  }

  /// Whether a condition depends on the place of a loop, other than by what is read there.
  static bool moves_along(const Expr& e, const std::vector<LoopVar>& loops) {
    const auto* a = std::get_if<Apply>(&e->node);
    if (a && a->op == ScalarOp::Eq) return false;
    if (const auto* v = std::get_if<VarRef>(&e->node)) return has_loop(loops, v->name);
    bool found = false;
    if (!std::holds_alternative<Read>(e->node))
      each_child(e, [&](const Expr& c) { found = found || moves_along(c, loops); });
    return found;
  }

  /// What the variable of a loop is compared with, as an index; nothing where the condition is another one.
  static Expr place_of(const Expr& condition, const LoopVar& loop) {
    const auto few = constant_value(loop.extent);
    const auto* a = std::get_if<Apply>(&condition->node);
    if (!a || a->op != ScalarOp::Eq || (few && *few <= kFewPlaces)) return nullptr;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      Expr variable = a->args[side];
      const Expr& other = a->args[1 - side];
      const DType type = variable->type;
      if (const auto* cast = std::get_if<Apply>(&variable->node); cast && cast->op == ScalarOp::Cast)
        variable = cast->args[0];
      if (!is_variable(variable, loop.name) || mentions(other, loop.name) || !is_int(type)) continue;
      // A variable in a narrow type begins again at 0: nothing is equal twice as long as the dim is no longer than
      // that.
      if (type == DType::I64) return other;
      const int bits = dtype_row(type).bits;
      if (bits > 32 || (bits < 32 && !(few && *few <= int64_t{1} << bits))) continue;
      return cast_to(cast_to(cast_to(other, unsigned_of(bits)), DType::U32), DType::I64);
    }
    return nullptr;
  }

  /// The updates of the places that the data name; nothing where something else depends on the variable, or on what is
  /// not to be read for all elements.
  std::optional<KernelStatement> updates(const KernelStatement& s, const Reduce& r, const Chosen& rest, size_t l,
                                         const Expr& place) const {
    const LoopVar& loop = s.loops[l];
    const auto depends = [&](const Expr& e) { return e && mentions(e, loop.name); };
    if (depends(rest.value) || any_of(rest.conditions, depends) ||
        any_of(r.vars, [&](auto& v) { return depends(v.extent); }))
      return std::nullopt;
    KernelStatement out = s;
    out.loops.erase(out.loops.begin() + static_cast<std::ptrdiff_t>(l));
    append(out.loops, r.vars);
    Ranges ranges = size_ranges(k_);
    add_loops(ranges, out.loops);
    const auto defined = [&](const Expr& e) { return always_defined(k_, e, ranges); };
    if (!defined(place) || !all_of(rest.conditions, defined)) return std::nullopt;
    std::vector<Expr> where = rest.conditions;
    where.push_back(apply(ScalarOp::Ge, {place, constant_int(0)}));
    where.push_back(apply(ScalarOp::Lt, {place, loop.extent}));
    out.where = conjunction(where);
    out.value = rest.value;
    for (Expr& e : out.index)
      if (is_variable(e, loop.name)) e = place;
    return any_of(out.index, depends) ? std::nullopt : std::optional(std::move(out));
  }

  Kernel k_;
};

}  // namespace

Kernel scatter_sums(const Kernel& k) { return SumScatterer(k).run(); }

}  // namespace tenon
