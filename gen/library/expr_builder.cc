// Syntax → typed expression: names, arithmetic and reductions.
#include "library/expr_builder.h"

#include <fmt/format.h>

#include <limits>

#include "library/type_rules.h"

namespace tenon {

void ExprBuilder::begin(Statement s) {
  statement_ = std::move(s);
  reducing_.clear();
  path_.clear();
  renamed_.clear();
  running_.clear();
  too_large_ = false;
}

void ExprBuilder::error(Code code, const Syntax& place, std::string message, std::vector<std::string> notes) {
  diagnostics_.error(code, place.span, std::move(message), std::move(notes));
}

Typed ExprBuilder::value(const Syntax& s) {
  switch (s.kind) {
    case SyntaxKind::integer: return {constant_int(s.integer, s.integer < 0 ? DType::U64 : DType::I64), true};
    case SyntaxKind::real: return {constant_float(s.real, DType::F64), true};
    case SyntaxKind::infinity: return {constant_float(std::numeric_limits<double>::infinity(), DType::F64), true};
    case SyntaxKind::boolean: return {constant_int(s.integer, DType::Bool), true};
    case SyntaxKind::name: return name(s);
    case SyntaxKind::unary: return unary(s);
    case SyntaxKind::binary: return binary(s);
    case SyntaxKind::subscript: return subscript(s);
    case SyntaxKind::call: return call(s);
    case SyntaxKind::reduce: return reduction(s);
    case SyntaxKind::keyword: return value(s.children[0]);
    case SyntaxKind::pack:
    case SyntaxKind::each:
    case SyntaxKind::group:
    case SyntaxKind::list: break;
  }
  error(Code::E0435, s, "a list is used where one value is expected");
  return zero();
}

Expr ExprBuilder::index(const Syntax& s) {
  const bool outer = std::exchange(in_index_, true);
  Expr e = convert(value(s), DType::I64);
  in_index_ = outer;
  return e;
}

Expr ExprBuilder::condition(const Syntax& s) {
  Typed t = value(s);
  if (const auto why = as_condition(t)) {
    error(Code::E0436, s, *why, {"write a comparison, such as x != 0"});
    return constant_int(1, DType::Bool);
  }
  return t.e;
}

Typed ExprBuilder::name(const Syntax& s) {
  for (size_t i = params_.size(); i-- > 0;) {
    const auto p = params_[i].find(s.text);
    if (p != params_[i].end()) return p->second;
    break;  // a function sees only its own parameters; all other names are global
  }
  if (element_ >= 0) {
    if (const auto p = scope_.pack_ranges.find(s.text); p != scope_.pack_ranges.end())
      return front_.variables_at_zero ? zero() : each_element(s, static_cast<size_t>(element_));
    if (const auto p = scope_.binding.packs.find(s.text); p != scope_.binding.packs.end()) {
      if (static_cast<size_t>(element_) < p->second.size())
        return front_element(s, {p->second[static_cast<size_t>(element_)], true});
      error(Code::E0432, s, fmt::format("{} has {} elements, dim {} is asked for", s.text, p->second.size(), element_));
      return zero();
    }
    if (const auto a = scope_.binding.attrs.find(s.text); a != scope_.binding.attrs.end() && a->second.list) {
      if (static_cast<size_t>(element_) < a->second.elements.size())
        return front_element(s, a->second.elements[static_cast<size_t>(element_)]);
      error(Code::E0432, s,
            fmt::format("{} has {} elements, dim {} is asked for", s.text, a->second.elements.size(), element_));
      return zero();
    }
  }
  if (const auto a = running_.find(s.text); a != running_.end()) {
    const Typed& v = a->second;
    const bool widens = in_index_ && is_int(v.e->type) && bytes_of(statement_.widest) > bytes_of(v.e->type);
    return widens ? Typed{convert(v, statement_.widest), v.flexible} : v;
  }
  if (const auto r = renamed_.find(s.text); r != renamed_.end()) return {r->second, true};
  if (scope_.ranges.count(s.text)) return {var_ref(s.text), true};
  if (const auto z = scope_.binding.sizes.find(s.text); z != scope_.binding.sizes.end()) return z->second;
  if (const auto a = scope_.binding.attrs.find(s.text); a != scope_.binding.attrs.end()) {
    if (!a->second.list) return a->second.elements[0];
    error(Code::E0435, s, fmt::format("{} is a list", s.text), {"take an element: " + s.text + "[0]"});
    return zero();
  }
  if (scope_.def)
    for (const AttrDef& a : scope_.def->attrs)
      for (size_t i = 0; i < a.words.size(); ++i)
        if (a.words[i] == s.text) return {constant_int(static_cast<int64_t>(i)), true};
  if (const auto p = scope_.pack_ranges.find(s.text); p != scope_.pack_ranges.end() && p->second.size() == 1)
    return {var_ref(s.text), true};
  error(Code::E0401, s, fmt::format("nothing here is called '{}'", s.text));
  return zero();
}

Typed ExprBuilder::unary(const Syntax& s) {
  if (s.text == "not") return {apply(ScalarOp::Not, {condition(s.children[0])}), false};
  Typed t = value(s.children[0]);
  if (const Constant* c = as_constant(t.e); c && t.e->type != DType::Bool) {
    if (is_float(t.e->type)) return {constant_float(-c->f, t.e->type), t.flexible};
    return {constant_int(static_cast<int64_t>(-static_cast<uint64_t>(c->i)), t.e->type), t.flexible};
  }
  if (t.e->type == DType::Bool) t = {convert(t, DType::I64), true};
  return {apply(ScalarOp::Neg, {t.e}), t.flexible};
}

bool ExprBuilder::unifies(const Syntax& s, Typed& a, Typed& b) {
  const auto why = unify(a, b);
  if (why) error(Code::E0601, s, *why, {"convert one of the two with cast(x, T)"});
  return !why;
}

Typed ExprBuilder::unified(ScalarOp op, const Syntax& s, Typed a, Typed b) {
  if (!unifies(s, a, b))
    return scalar_op_row(op).result == ResultRule::Bool ? Typed{constant_int(1, DType::Bool), false} : a;
  if (!has_function(s, op, a.e->type, s.text)) return a;
  return {apply(op, {a.e, b.e}), a.flexible && b.flexible};
}

bool ExprBuilder::has_function(const Syntax& s, ScalarOp op, DType t, std::string_view name) {
  if (is_defined(op, t)) return true;
  error(Code::E0608, s, fmt::format("{} has no {}", name_of(t), name.empty() ? scalar_op_row(op).name : name),
        {is_complex(t) ? "take its real or imag, or its abs" : "cast it to an integer type, or take its bits(x, u32)"});
  return false;
}

Typed ExprBuilder::binary(const Syntax& s) {
  if (s.text == "and" || s.text == "or") {
    const Expr a = condition(s.children[0]);
    path_.push_back(s.text == "and" ? a : apply(ScalarOp::Not, {a}));
    const Expr b = condition(s.children[1]);
    path_.pop_back();
    return {apply(s.text == "and" ? ScalarOp::And : ScalarOp::Or, {a, b}), false};
  }
  const Typed a = value(s.children[0]), b = value(s.children[1]);
  if (const auto op = scalar_op_from_sign(s.text); op && is_comparison(*op)) {
    Typed t = unified(*op, s, a, b);
    t.flexible = false;
    return t;
  }
  if (s.text == "**") return power(s, a, b);
  if (s.text == "/" || s.text == "//" || s.text == "%") return quotient(s, a, b);
  return arithmetic(s, a, b);
}

Typed ExprBuilder::arithmetic(const Syntax& s, Typed a, Typed b) {
  if (!unifies(s, a, b)) return a;
  if (a.e->type == DType::Bool) {
    a.e = convert(a, DType::I64);
    b.e = convert(b, DType::I64);
    a.flexible = b.flexible = true;
  }
  const bool flexible = a.flexible && b.flexible;
  if (s.text == "+" && is_left_out(s.children[0])) return {b.e, flexible};
  if (s.text == "+" && is_left_out(s.children[1])) return {a.e, flexible};
  return {s.text == "+" ? a.e + b.e : s.text == "-" ? a.e - b.e : a.e * b.e, flexible};
}

Typed ExprBuilder::quotient(const Syntax& s, Typed a, Typed b) {
  if (!unifies(s, a, b)) return a;
  const bool flexible = a.flexible && b.flexible;
  const DType t = a.e->type;
  if (s.text == "/") {
    if (is_integral(t)) return {apply(ScalarOp::Div, {convert(a, DType::F64), convert(b, DType::F64)}), true};
    return {apply(ScalarOp::Div, {a.e, b.e}), flexible};
  }
  if (!has_function(s, s.text == "//" ? ScalarOp::FloorDiv : ScalarOp::Mod, t, s.text)) return a;
  if (is_float(t))
    return {
        s.text == "//" ? apply(ScalarOp::Floor, {apply(ScalarOp::Div, {a.e, b.e})}) : apply(ScalarOp::Mod, {a.e, b.e}),
        flexible};
  b.e = divisor(b.e, s.children[1]);
  if (is_one(b.e)) return {s.text == "//" ? a.e : constant_int(0, t), flexible};
  return {apply(s.text == "//" ? ScalarOp::FloorDiv : ScalarOp::Mod, {a.e, b.e}), flexible};
}

Typed ExprBuilder::power(const Syntax& s, Typed a, Typed b) {
  const auto n = constant_value(b.e);
  if (n && b.flexible && *n >= 0 && *n <= 4 && a.e->type != DType::Bool) {
    if (*n == 0) return {constant_of(1, a.e->type), a.flexible};
    Expr e = a.e;
    for (int64_t i = 1; i < *n; ++i) e = e * a.e;
    return {e, a.flexible};
  }
  if (a.flexible && b.flexible && ((n && *n < 0) || is_float(b.e->type))) a.e = convert(a, DType::F64);
  if (const Constant* c = as_constant(b.e); c && b.flexible && is_float(b.e->type) && is_float(a.e->type)) {
    if (c->f == 0.5) return {apply(ScalarOp::Sqrt, {a.e}), a.flexible};
    if (c->f == -0.5)
      return {apply(ScalarOp::Div, {constant_float(1, a.e->type), apply(ScalarOp::Sqrt, {a.e})}), a.flexible};
  }
  if (is_complex(a.e->type) || is_complex(b.e->type)) {
    if (!unifies(s, a, b)) return a;
    return {complex_function(ScalarOp::Pow, {a.e, b.e}), a.flexible && b.flexible};
  }
  return unified(ScalarOp::Pow, s, a, b);
}

std::vector<LoopVar> ExprBuilder::loop_vars(const Syntax& v) {
  if (v.kind == SyntaxKind::pack) {
    const auto r = scope_.pack_ranges.find(v.text);
    std::vector<LoopVar> out;
    if (r == scope_.pack_ranges.end()) {
      error(Code::E0410, v, fmt::format("nothing determines the range of *{}", v.text),
            {"index a dimension with it, or give it a range under `index`"});
      return out;
    }
    for (size_t k = 0; k < r->second.size(); ++k)
      out.push_back({r->second.size() == 1 ? v.text : fmt::format("{}_{}", v.text, k), r->second[k]});
    return out;
  }
  const auto r = scope_.ranges.find(v.text);
  if (r != scope_.ranges.end()) return {{v.text, r->second}};
  if (v.kind == SyntaxKind::name)
    error(Code::E0410, v, fmt::format("nothing determines the range of {}", v.text),
          {"index a dimension with it, or give it a range under `index`"});
  else
    error(Code::E0410, v, "nothing determines the extent of this dim",
          {"dims of intermediates are the ranges of variables: define an output, whose shape is declared"});
  return {{v.text, constant_int(1)}};
}

DType ExprBuilder::widest_integer(const Syntax& s, DType least) const {
  DType widest = least;
  const auto wider = [&](DType d) {
    if (is_int(d) && (bytes_of(d) > bytes_of(widest) || (bytes_of(d) == bytes_of(widest) && is_unsigned_int(d) &&
                                                         !is_signed_int(least) && least == DType::I8)))
      widest = d;
  };
  if (s.kind == SyntaxKind::subscript) {
    const auto t = scope_.tensors.find(s.text);
    if (t != scope_.tensors.end() && t->second.tensor >= 0 && !t->second.flexible)
      wider(kernel_.tensor(t->second.tensor).dtype);
    return widest;
  }
  if (s.kind == SyntaxKind::reduce && (s.text == "argmax" || s.text == "argmin")) return widest;
  if (s.kind == SyntaxKind::reduce) return widest_integer(s.reduced(), least);
  if (s.calls(Builtin::cast, Builtin::bits)) {
    // The operand of a conversion is typed separately; only its result is combined with other operands.
    for (const Syntax& c : s.children)
      if (const auto to = named_type(c)) wider(dtype_row(*to).compute);
    return widest;
  }
  for (const Syntax& c : s.children) wider(widest_integer(c, least));
  return widest;
}

}  // namespace tenon
