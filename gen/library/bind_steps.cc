// The steps of bind_shapes: which types fit, which lets are extents, conditions that run time decides.
#include "library/bind_steps.h"

#include <fmt/format.h>

#include <utility>

#include "algebra/simplify.h"
#include "ir/kernel/expr.h"
#include "ir/op/type_function.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The one dtype of `variable` for which the derived type is `made`; nothing if there is none, or several.
std::optional<DType> only_origin(const TypeVar& variable, const TypeVar& derived, DType made) {
  std::optional<DType> found;
  for (const DType d : dtypes_of(variable)) {
    if (derived_dtype(derived.name, d) != made) continue;
    if (found) return std::nullopt;
    found = d;
  }
  return found;
}

/// wide(T) from T, or T from wide(T) where only one type leads there.
std::optional<std::string> bind_derived(const OpDef& def, Binding& binding) {
  for (const TypeVar& v : def.types) {
    const auto made = binding.types.find(v.name);
    const std::string inside(variable_of_type(v.name));
    if (!v.derived || made == binding.types.end() || binding.types.contains(inside)) continue;
    if (const auto origin = only_origin(*def.type(inside), v, made->second)) binding.types[inside] = *origin;
  }
  for (const TypeVar& v : def.types) {
    const auto inside = binding.types.find(std::string(variable_of_type(v.name)));
    const auto made = v.derived && inside != binding.types.end() ? derived_dtype(v.name, inside->second) : std::nullopt;
    if (!made) continue;
    const auto [at, fresh] = binding.types.emplace(v.name, *made);
    if (at->second != *made)
      return fmt::format("{} is {} where {} is {}", v.name, name_of(at->second), inside->first,
                         name_of(inside->second));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> bind_types(const OpDef& def, const std::vector<std::optional<DType>>& given,
                                      Binding& binding) {
  for (size_t i = 0; i < def.inputs.size() && i < given.size(); ++i) {
    if (!given[i]) continue;
    const TensorDef& t = def.inputs[i];
    if (const auto fixed = def.type(t.dtype) ? std::nullopt : dtype_from_name(t.dtype)) {
      if (*fixed != *given[i]) return fmt::format("{} is {}, {} is needed", t.name, name_of(*given[i]), t.dtype);
      continue;
    }
    const auto [it, fresh] = binding.types.emplace(t.dtype, *given[i]);
    if (it->second != *given[i])
      return fmt::format("{} is {} where {} is {}", t.name, name_of(*given[i]), t.dtype, name_of(it->second));
  }
  if (const auto why = bind_derived(def, binding)) return why;
  for (const TypeVar& v : def.types) {
    const auto t = binding.types.find(v.name);
    if (t == binding.types.end()) continue;
    bool fits = false;
    for (const Word& c : v.classes) fits = fits || in_type_class(t->second, c.text) || c.text == name_of(t->second);
    if (!fits) return fmt::format("{} is {}, which the op does not take", v.name, name_of(t->second));
  }
  return std::nullopt;
}

bool is_extent(const OpDef& def, const std::string& let) {
  const auto names = [&](const Dim& d) {
    return d.name == let || any_of(d.parts, [&](const Dim& p) { return p.name == let; });
  };
  const auto has = [&](const TensorDef& t) { return any_of(t.dims, names); };
  return any_of(def.inputs, has) || any_of(def.outputs, has) ||
         any_of(def.index, [&](const IndexRange& r) { return r.extent.is_name(let); });
}

void require_sizes(Kernel& kernel, const Expr& holds, std::string what, CheckStatus status) {
  const Expr condition = simplify(holds);
  if (constant_value(condition).value_or(0) != 0) return;
  const auto* equal = std::get_if<Apply>(&condition->node);
  const bool symmetric = equal && equal->op == ScalarOp::Eq;
  const Expr swapped = symmetric ? apply(ScalarOp::Eq, {equal->args[1], equal->args[0]}) : condition;
  const auto is_same = [&](const Expr& other) { return same(other, condition) || same(other, swapped); };
  if (any_of(kernel.facts, [&](const Expr& f) { return is_same(simplify(f)); })) return;
  if (any_of(kernel.checks, [&](const Check& c) { return c.loops.empty() && is_same(c.holds); })) return;
  kernel.checks.push_back({{}, condition, status, std::move(what)});
}

namespace {

bool is_comparison(const Expr& e) {
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a || a->args.size() != 2 || !is_int(a->args[0]->type)) return false;
  constexpr ScalarOp all[] = {ScalarOp::Eq, ScalarOp::Ne, ScalarOp::Le, ScalarOp::Lt, ScalarOp::Ge, ScalarOp::Gt};
  return contains(all, a->op);
}

/// 0 where the condition is as `wanted`, above 0 elsewhere; null where integers do not say it.
Expr breach_of(const Expr& condition, bool wanted) {
  if (const auto v = constant_value(condition)) return constant_int((*v != 0) == wanted ? 0 : 1);
  const auto* a = std::get_if<Apply>(&condition->node);
  if (a && a->op == ScalarOp::Not) return breach_of(a->args[0], !wanted);
  if (a && (a->op == ScalarOp::And || a->op == ScalarOp::Or)) {
    const Expr x = breach_of(a->args[0], wanted), y = breach_of(a->args[1], wanted);
    return x && y ? apply((a->op == ScalarOp::And) == wanted ? ScalarOp::Max : ScalarOp::Min, {x, y}) : nullptr;
  }
  if (!is_comparison(condition)) return nullptr;
  const Expr x = cast_to(a->args[0], DType::I64), y = cast_to(a->args[1], DType::I64), one = constant_int(1),
             none = constant_int(0);
  const auto above = [&](const Expr& e) { return apply(ScalarOp::Max, {e, none}); };
  const Expr apart = apply(ScalarOp::Max, {x - y, y - x});
  switch (a->op) {
    case ScalarOp::Eq: return wanted ? apart : above(one - apart);
    case ScalarOp::Ne: return wanted ? above(one - apart) : apart;
    case ScalarOp::Le: return wanted ? above(x - y) : above(y - x + one);
    case ScalarOp::Gt: return wanted ? above(y - x + one) : above(x - y);
    case ScalarOp::Ge: return wanted ? above(y - x) : above(x - y + one);
    default: return wanted ? above(x - y + one) : above(y - x);
  }
}

}  // namespace

bool take_as_true(const Expr& condition, ShapeBinder& shapes) {
  const auto* two = std::get_if<Apply>(&condition->node);
  const ScalarOp op = two ? two->op : ScalarOp::Cast;
  if (op == ScalarOp::And) return take_as_true(two->args[0], shapes) && take_as_true(two->args[1], shapes);
  if (is_comparison(condition) && op != ScalarOp::Ne) {
    const Expr &a = two->args[0], &b = two->args[1];
    const auto at_most = [&](const Expr& less, const Expr& more) {
      shapes.take_as_equal(apply(ScalarOp::Max, {less, more}), more);
    };
    const auto next = [](const Expr& e) { return e + cast_to(constant_int(1), e->type); };
    if (op == ScalarOp::Eq) shapes.take_as_equal(a, b);
    else if (op == ScalarOp::Le || op == ScalarOp::Ge) at_most(op == ScalarOp::Le ? a : b, op == ScalarOp::Le ? b : a);
    else at_most(next(op == ScalarOp::Lt ? a : b), op == ScalarOp::Lt ? b : a);
    return true;
  }
  const Expr breach = breach_of(condition, true);
  if (breach) shapes.take_as_equal(breach, constant_int(0));
  return breach != nullptr;
}

}  // namespace tenon
