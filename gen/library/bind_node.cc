// Binds nodes of graphs to definitions.
#include "library/bind_node.h"

#include <fmt/format.h>

#include <cmath>

#include "ir/op/type_function.h"
#include "support/ranges.h"

namespace tenon {
namespace {

Typed whole(int64_t v) { return {constant_int(v), true}; }
Typed real(double v) { return {constant_float(v, DType::F64), true}; }

// Values of a node's attribute as the definition's expressions see them: words of an enumeration by their position.
struct AttrBinding {
  const AttrDef& def;
  std::string error;

  std::vector<Typed> operator()(bool v) { return {{constant_int(v, DType::Bool), true}}; }
  std::vector<Typed> operator()(int64_t v) { return {whole(v)}; }
  std::vector<Typed> operator()(double v) { return {real(v)}; }
  std::vector<Typed> operator()(const SizeExpr& v) { return {{to_expr(v), true}}; }
  std::vector<Typed> operator()(DType) { return refuse("a dtype"); }
  std::vector<Typed> operator()(const std::string& v) {
    const auto it = std::find(def.words.begin(), def.words.end(), v);
    return it == def.words.end() ? refuse("'" + v + "'") : std::vector<Typed>{whole(it - def.words.begin())};
  }
  std::vector<Typed> operator()(const std::vector<std::string>&) { return refuse("a list of words"); }
  template <class T>
  std::vector<Typed> operator()(const std::vector<T>& list) {
    return mapped(list, [&](const T& v) { return (*this)(v)[0]; });
  }
  std::vector<Typed> refuse(const std::string& what) {
    error = fmt::format("the attribute '{}' does not take {}", def.name, what);
    return {};
  }
};

std::optional<SizeExpr> applied(const Apply& a) {
  if (a.args.empty() || a.args.size() > 2) return std::nullopt;
  const std::optional<SizeExpr> x = to_size(a.args[0]);
  if (!x) return std::nullopt;
  if (a.op == ScalarOp::Cast) return x;
  if (a.op == ScalarOp::Neg) return SizeExpr(-1) * *x;
  if (a.op == ScalarOp::Abs) return size_max(*x, SizeExpr(-1) * *x);
  const std::optional<SizeExpr> y = a.args.size() == 2 ? to_size(a.args[1]) : std::nullopt;
  const bool divides = a.op == ScalarOp::FloorDiv || a.op == ScalarOp::Mod;
  return y && !(divides && y->is(0)) ? combined(a.op, *x, *y) : std::nullopt;
}

/// Evaluates real constants and arithmetic between them.
std::optional<double> real_value(const Expr& e) {
  if (const auto* c = std::get_if<Constant>(&e->node)) return is_float(e->type) ? c->f : static_cast<double>(c->i);
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a || a->args.empty() || a->args.size() > 2) return std::nullopt;
  const auto x = real_value(a->args[0]), y = a->args.size() == 2 ? real_value(a->args[1]) : 0.0;
  if (!x || !y) return std::nullopt;
  switch (a->op) {
    case ScalarOp::Cast: return x;
    case ScalarOp::Neg: return -*x;
    case ScalarOp::Ceil: return std::ceil(*x);
    case ScalarOp::Floor: return std::floor(*x);
    case ScalarOp::Add: return *x + *y;
    case ScalarOp::Sub: return *x - *y;
    case ScalarOp::Mul: return *x * *y;
    case ScalarOp::Div: return *x / *y;
    case ScalarOp::Max: return std::max(*x, *y);
    case ScalarOp::Min: return std::min(*x, *y);
    default: return std::nullopt;
  }
}

/// The integer value of an expression over real constants.
std::optional<SizeExpr> whole_size(const Expr& e) {
  const auto v = real_value(e);
  const bool whole = v && std::isfinite(*v) && *v == std::floor(*v) && std::fabs(*v) < 0x1p53;
  return whole ? std::optional(SizeExpr(static_cast<int64_t>(*v))) : std::nullopt;
}

}  // namespace

Expr to_expr(const SizeExpr& s) {
  if (s.is_constant()) return constant_int(s.value);
  if (s.is_name()) return size_ref(s.name);
  Expr e = to_expr(s.args[0]);
  for (size_t i = 1; i < s.args.size(); ++i) {
    const Expr b = to_expr(s.args[i]);
    e = s.op == ScalarOp::Add ? e + b : s.op == ScalarOp::Mul ? e * b : apply(*s.op, {e, b});
  }
  return e;
}

std::optional<SizeExpr> to_size(const Expr& e) {
  if (const std::optional<int64_t> v = constant_value(e)) return SizeExpr(*v);
  if (is_float(e->type)) return whole_size(e);
  if (const auto* s = std::get_if<SizeRef>(&e->node)) return size_name(s->name);
  if (const auto* a = std::get_if<Apply>(&e->node)) return applied(*a);
  if (const auto* s = std::get_if<Select>(&e->node)) {
    const std::optional<int64_t> taken = constant_value(s->cond);
    return taken ? to_size(*taken ? s->yes : s->no) : std::nullopt;
  }
  return std::nullopt;
}

std::string free_type(const OpDef& def) {
  for (const TypeVar& t : def.types) {
    const bool bound =
        any_of(def.inputs, [&](const TensorDef& in) { return variable_of_type(in.dtype) == t.name && !in.optional; });
    if (!bound && !t.derived) return t.name;
  }
  return "";
}

std::optional<BoundCall> bind_node(const NodeCall& node, Diagnostics& diagnostics) {
  const OpDef& def = node.def;
  const Attributes& attrs = node.attrs;
  std::map<std::string, DType> types;
  if (const std::string free = free_type(def); !free.empty() && !def.attr("dtype")) {
    const auto it = attrs.find("dtype");
    const auto named = [&](const TensorDef& t) { return variable_of_type(t.dtype) == free; };
    const bool optional_binds = any_of(def.inputs, named);
    if (it != attrs.end() && std::holds_alternative<DType>(it->second)) types[free] = std::get<DType>(it->second);
    else if (!optional_binds) types[free] = DType::F32;
  }
  std::map<std::string, BoundAttr> bound;
  for (const auto& [name, value] : attrs) {
    const AttrDef* a = def.attr(name);
    if (!a && name == "dtype" && !types.empty()) continue;
    AttrBinding binding{a ? *a : AttrDef{}, ""};
    BoundAttr b{std::visit(binding, value), a && a->count != AttrCount::one};
    const LetDef* let = def.let(name);
    if (!a && !(let && let->written)) binding.error = fmt::format("there is no attribute '{}'", name);
    if (!binding.error.empty()) {
      diagnostics.error(Code::E0425, {}, fmt::format("{}: {}", def.name, binding.error));
      return std::nullopt;
    }
    bound[name] = std::move(b);
  }
  return bind_call({node.library, def, node.inputs, bound, types}, diagnostics);
}

}  // namespace tenon
