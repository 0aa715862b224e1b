// Sizes, conditions and defaults of a definition → C expressions.
#include "harness/library/library_arithmetic.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "harness/library/runtime_calls.h"
#include "harness/library_names.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using Type = ArithmeticType;
using Typed = ArithmeticValue;

Typed integer(CExpr e) { return {std::move(e), Type::Integer}; }
Typed real(CExpr e) { return {std::move(e), Type::Real}; }
Typed condition(CExpr e) { return {std::move(e), Type::Condition}; }

CExpr as_integer(const Typed& v) { return v.type == Type::Real ? runtime_call("to_int", {v.value}) : v.value; }

CExpr as_real(const Typed& v) {
  if (v.type == Type::Real) return v.value;
  const auto* n = std::get_if<CNumber>(&v.value->node);
  if (n && n->value >= 0 && n->value <= INT32_MAX) return c_text(fmt::format("{}.0", n->value));
  return c_cast("double", v.value);
}

CExpr as_condition(const Typed& v) { return v.type == Type::Condition ? v.value : c_nonzero(v.value); }

std::string real_literal(double x) {
  std::string text = fmt::format("{:.17g}", x);
  if (const std::string shortest = fmt::format("{}", x); shortest.size() < text.size()) text = shortest;
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

const AttrDef* attr_with_word(const OpDef& def, const std::string& word) {
  return find_pointer(def.attrs, [&](const AttrDef& a) { return contains(a.words, word); });
}

std::optional<Typed> word_of(const AttrDef* a, const Syntax& s) {
  if (a == nullptr || s.kind != SyntaxKind::name) return std::nullopt;
  const auto w = std::find(a->words.begin(), a->words.end(), s.text);
  if (w == a->words.end()) return std::nullopt;
  return integer(c_number(w - a->words.begin()));
}

/// One element of an attribute, of which `field` is the value that the struct holds.
Typed element_of(const AttrDef& a, CExpr field, const ArithmeticScope& scope) {
  if (a.kind == AttrKind::boolean) return condition(c_nonzero(std::move(field)));
  if (a.kind == AttrKind::real) return real(std::move(field));
  const auto first_real = [&] { return real(c_index(c_member(field, "f"), c_number(0))); };
  if (a.kind == AttrKind::type_variable)
    return scope.float_types.count(a.type) ? first_real() : integer(c_member(field, "i"));
  if (a.kind == AttrKind::dtype) {
    const auto d = dtype_from_name(a.type);
    TENON_CHECK(d, "attribute {} has the unknown type {}", a.name, a.type);
    if (is_complex(*d)) return first_real();
    return {field, is_float(*d) ? Type::Real : Type::Integer};
  }
  return integer(std::move(field));
}

Typed element_of_list(const AttrDef& a, CExpr index) {
  return integer(runtime_call("int_at", {address_of(attribute_field(a.name)), std::move(index)}));
}

Typed name(const Syntax& s, const ArithmeticScope& scope) {
  const OpDef& def = *scope.def;
  if (const auto* p = find_value(scope.params, s.text)) return *p;
  if (scope.packs.count(s.text)) {
    TENON_CHECK(scope.element, "{}: the pack {} is used where one size is needed", def.name, s.text);
    return integer(c_index(c_arrow(c_name(s.text), "dim"), scope.element));
  }
  if (const AttrDef* a = def.attr(s.text)) {
    if (a->count == AttrCount::one) return element_of(*a, attribute_field(a->name), scope);
    TENON_CHECK(scope.element, "{}: the list {} is used where one number is needed", def.name, s.text);
    if (a->count == AttrCount::per_dim) return integer(c_index(c_member(c_name(a->name), "dim"), scope.element));
    if (a->count == AttrCount::any) return element_of_list(*a, scope.element);
    return element_of(*a, c_index(attribute_field(a->name), scope.element), scope);
  }
  if (const LetDef* l = def.let(s.text))
    return {c_name(s.text), scope.real_lets.count(l->name) ? Type::Real : Type::Integer};
  if (const AttrDef* a = attr_with_word(def, s.text)) return *word_of(a, s);
  return integer(c_name(s.text));
}

Typed subscript(const Syntax& s, const ArithmeticScope& scope) {
  TENON_CHECK(s.children.size() == 1, "{}: {} has no single index", scope.def->name, print(s));
  CExpr index = integer_value(s.children[0], scope);
  if (scope.packs.count(s.text)) return integer(runtime_call("at", {c_name(s.text), std::move(index)}));
  const AttrDef* a = scope.def->attr(s.text);
  TENON_CHECK(a != nullptr, "{}: {} is not a list", scope.def->name, s.text);
  if (a->count == AttrCount::any) return element_of_list(*a, std::move(index));
  if (a->count == AttrCount::per_dim)
    return integer(runtime_call("at", {address_of(c_name(a->name)), std::move(index)}));
  TENON_CHECK(s.children[0].kind == SyntaxKind::integer && s.children[0].integer < a->length, "{}: {} is out of bounds",
              scope.def->name, print(s));
  return element_of(*a, c_index(attribute_field(a->name), std::move(index)), scope);
}

/// Comparison operators, spelled as in the tree, which stores no copy; "" for others.
std::string_view comparison_operator(const std::string& text) {
  for (const std::string_view op : {"==", "!=", "<", "<=", ">", ">="})
    if (text == op) return op;
  return {};
}

Typed comparison(const Syntax& s, std::string_view op, const ArithmeticScope& scope) {
  const auto side = [&](const Syntax& mine, const Syntax& other) {
    const AttrDef* a = other.kind == SyntaxKind::name ? scope.def->attr(other.text) : nullptr;
    if (const auto w = word_of(a, mine)) return *w;
    return arithmetic(mine, scope);
  };
  const Typed x = side(s.children[0], s.children[1]), y = side(s.children[1], s.children[0]);
  if (x.type == Type::Real || y.type == Type::Real) return condition(c_binary(as_real(x), op, as_real(y)));
  return condition(c_binary(x.value, op, y.value));
}

bool is_negative_literal(const Syntax& s) {
  return s.kind == SyntaxKind::unary && s.text == "-" &&
         (s.children[0].kind == SyntaxKind::integer || s.children[0].kind == SyntaxKind::real);
}

Typed real_binary(const std::string& op, const CExpr& x, const CExpr& y) {
  const auto floored = [&] { return runtime_value("floor", {c_binary(x, "/", y)}); };
  if (op == "//") return real(floored());
  if (op == "%") return real(c_binary(x, "-", c_binary(floored(), "*", y)));
  if (op == "**") return real(runtime_value("pow", {x, y}));
  return real(c_binary(x, op == "+" ? "+" : op == "-" ? "-" : op == "*" ? "*" : "/", y));
}

Typed binary(const Syntax& s, const ArithmeticScope& scope) {
  if (s.text == "and" || s.text == "or")
    return condition(c_binary(condition_value(s.children[0], scope), s.text == "and" ? "&&" : "||",
                              condition_value(s.children[1], scope)));
  if (const std::string_view op = comparison_operator(s.text); !op.empty()) return comparison(s, op, scope);
  const Typed x = arithmetic(s.children[0], scope), y = arithmetic(s.children[1], scope);
  const bool is_real = x.type == Type::Real || y.type == Type::Real || s.text == "/" ||
                       (s.text == "**" && is_negative_literal(s.children[1]));
  if (is_real) return real_binary(s.text, as_real(x), as_real(y));
  static const std::map<std::string, std::string> kFunctions = {{"+", "add"},       {"-", "sub"}, {"*", "mul"},
                                                                {"//", "floordiv"}, {"%", "mod"}, {"**", "power"}};
  const auto function = kFunctions.find(s.text);
  TENON_CHECK(function != kFunctions.end(), "{}: operator {}", scope.def->name, s.text);
  return integer(runtime_call(function->second, {x.value, y.value}));
}

Typed choice(const Syntax& s, const ArithmeticScope& scope) {
  const Typed yes = arithmetic(s.children[1], scope), no = arithmetic(s.children[2], scope);
  const CExpr when = condition_value(s.children[0], scope);
  if (yes.type == Type::Real || no.type == Type::Real) return real(c_conditional(when, as_real(yes), as_real(no)));
  return integer(c_conditional(when, yes.value, no.value));
}

CExpr count_of_list(const std::string& name) { return c_member(attribute_field(name), "count"); }

std::optional<Typed> about_packs(const Syntax& s, const ArithmeticScope& scope) {
  if (s.calls(Builtin::given)) {
    const auto& inputs = scope.def->inputs;
    const auto t = find_if(inputs, [&](const TensorDef& i) { return i.name == s.children[0].text; });
    TENON_CHECK(t != inputs.end(), "{}: given({})", scope.def->name, s.children[0].text);
    return condition(c_nonzero(c_member(c_index(frame_field("operand"), c_number(t - inputs.begin())), "is_given")));
  }
  if (s.calls(Builtin::element)) {
    const std::string& list = s.children[0].text;
    const CExpr at = c_number(s.children[1].integer);
    return integer(c_conditional(c_binary(at, "<", count_of_list(list)),
                                 runtime_call("int_at", {address_of(attribute_field(list)), at}), c_number(0)));
  }
  if (s.calls(Builtin::elements)) return integer(count_of_list(s.children[0].text));
  if (!s.calls(Builtin::size, Builtin::rank, Builtin::count)) return std::nullopt;
  const Syntax& of = s.children[0];
  if (const AttrDef* a = s.calls(Builtin::count) ? scope.def->attr(of.text) : nullptr; a != nullptr) {
    if (a->count == AttrCount::fixed) return integer(c_number(a->length));
    if (a->count == AttrCount::per_dim) return integer(pack_rank(a->pack));
  }
  if (scope.packs.count(of.text))
    return integer(s.calls(Builtin::size) ? runtime_call("product", {c_name(of.text)}) : pack_rank(of.text));
  if (const AttrDef* a = scope.def->attr(of.text); a != nullptr && a->count == AttrCount::any)
    return integer(count_of_list(a->name));
  return arithmetic(of, scope);
}

/// Functions of the bits of an integer.
std::optional<Typed> of_bits(const std::string& name, const std::vector<Typed>& args) {
  static const std::map<std::string, std::string_view> kSigns = {{"bit_and", "&"}, {"bit_or", "|"}, {"bit_xor", "^"}};
  if (const auto sign = kSigns.find(name); sign != kSigns.end())
    return integer(c_binary(as_integer(args[0]), sign->second, as_integer(args[1])));
  if (name == "bit_not") return integer(c_unary("~", as_integer(args[0])));
  if (name == "popcount" || name == "clz") return integer(runtime_value(name, {as_integer(args[0])}));
  if (name == "shl" || name == "shr") return integer(runtime_call(name, {as_integer(args[0]), as_integer(args[1])}));
  return std::nullopt;
}

/// Functions that have one form for reals and one for integers.
std::optional<Typed> of_number(const std::string& name, const std::vector<Typed>& args, bool is_real) {
  const Type type = is_real ? Type::Real : Type::Integer;
  const auto arg = [&](size_t i) { return is_real ? as_real(args[i]) : as_integer(args[i]); };
  const auto function = [&](std::string_view f, std::vector<CExpr> of) {
    return runtime_value(fmt::format("{}{}", is_real ? "f" : "", f), std::move(of));
  };
  if (name == "neg") return Typed{is_real ? c_unary("-", arg(0)) : runtime_call("sub", {c_number(0), arg(0)}), type};
  if (name == "sign" || name == "abs") return Typed{function(name, {arg(0)}), type};
  if (name == "clamp") return Typed{function("min", {function("max", {arg(0), arg(1)}), arg(2)}), type};
  if (name == "min" || name == "max") return Typed{function(name, {arg(0), arg(1)}), type};
  if (name == "ceildiv")
    return Typed{
        is_real ? runtime_value("ceil", {c_binary(arg(0), "/", arg(1))}) : runtime_call("ceildiv", {arg(0), arg(1)}),
        type};
  if (name == "sq") return Typed{is_real ? c_binary(arg(0), "*", arg(0)) : runtime_call("mul", {arg(0), arg(0)}), type};
  const bool rounds = name == "floor" || name == "ceil" || name == "round" || name == "trunc";
  if (rounds && !is_real) return args[0];
  return std::nullopt;
}

/// The value of a function from the definitions, with its arguments substituted.
Typed inlined(const Syntax& s, const std::vector<std::string>& params, const Syntax& value,
              const ArithmeticScope& scope) {
  TENON_CHECK(params.size() == s.children.size(), "{}: {}", scope.def->name, print(s));
  ArithmeticScope inner = scope;
  for (size_t i = 0; i < s.children.size(); ++i) inner.params[params[i]] = arithmetic(s.children[i], scope);
  return arithmetic(value, inner);
}

Typed call(const Syntax& s, const ArithmeticScope& scope) {
  if (const auto p = about_packs(s, scope)) return *p;
  if (s.calls(Builtin::select)) return choice(s, scope);
  if (s.calls(Builtin::upto)) return arithmetic(s.children[0], scope);
  if (const auto fn = scope.defs->fns.find(s.text); fn != scope.defs->fns.end())
    return inlined(s, fn->second.params, fn->second.value, scope);
  if (const auto row = scope.defs->scalars.find(s.text); row != scope.defs->scalars.end() && row->second.as)
    return inlined(s, row->second.args, *row->second.as, scope);
  const std::vector<Typed> args = mapped(s.children, [&](const Syntax& c) { return arithmetic(c, scope); });
  const bool is_real = any_of(args, [](const Typed& v) { return v.type == Type::Real; });
  if (const auto v = of_bits(s.text, args)) return *v;
  if (const auto v = of_number(s.text, args, is_real)) return *v;
  if (s.text == "rsqrt") return real(c_binary(c_text("1.0"), "/", runtime_value("sqrt", {as_real(args[0])})));
  if (s.text == "pow") return real(runtime_value("pow", {as_real(args[0]), as_real(args[1])}));
  if (s.text == "exp2") return real(runtime_value("pow", {c_text("2.0"), as_real(args[0])}));
  static constexpr std::array kReal = {"floor", "ceil", "round", "trunc", "sqrt",
                                       "cbrt",  "exp",  "log",   "log2",  "log10"};
  TENON_CHECK(contains(kReal, s.text), "{}: {} is not a function of sizes", scope.def->name, s.text);
  return real(runtime_value(s.text, {as_real(args[0])}));
}

Typed unary(const Syntax& s, const ArithmeticScope& scope) {
  if (s.text == "not") return condition(c_unary("!", condition_value(s.children[0], scope)));
  const Typed x = arithmetic(s.children[0], scope);
  if (x.type == Type::Real || s.children[0].kind == SyntaxKind::integer) return {c_unary("-", x.value), x.type};
  return integer(runtime_call("sub", {c_number(0), x.value}));
}

}  // namespace

ArithmeticValue arithmetic(const Syntax& s, const ArithmeticScope& scope) {
  switch (s.kind) {
    case SyntaxKind::integer: return integer(c_number(s.integer));
    case SyntaxKind::real: return real(c_text(real_literal(s.real)));
    case SyntaxKind::infinity: return real(runtime_value("inf", {}));
    case SyntaxKind::boolean: return condition(c_number(s.integer != 0 ? 1 : 0));
    case SyntaxKind::name:
    case SyntaxKind::pack: return name(s, scope);
    case SyntaxKind::unary: return unary(s, scope);
    case SyntaxKind::binary: return binary(s, scope);
    case SyntaxKind::subscript: return subscript(s, scope);
    case SyntaxKind::call: return call(s, scope);
    case SyntaxKind::each: return arithmetic(s.children[0], scope);
    case SyntaxKind::group:
    case SyntaxKind::keyword:
    case SyntaxKind::reduce:
    case SyntaxKind::list: break;
  }
  TENON_UNREACHABLE("{}: {} is not a size", scope.def->name, print(s));
}

CExpr integer_value(const Syntax& s, const ArithmeticScope& scope) { return as_integer(arithmetic(s, scope)); }
CExpr real_value(const Syntax& s, const ArithmeticScope& scope) { return as_real(arithmetic(s, scope)); }
CExpr condition_value(const Syntax& s, const ArithmeticScope& scope) { return as_condition(arithmetic(s, scope)); }

std::set<std::string> names_in(const Syntax& s) {
  std::set<std::string> out;
  each_within(s, [&](const Syntax& n) {
    if (n.is(SyntaxKind::name) || n.is(SyntaxKind::pack) || n.is(SyntaxKind::subscript)) out.insert(n.text);
  });
  return out;
}

bool names_lists(const Syntax& s, const ArithmeticScope& scope) {
  if (s.calls(Builtin::size, Builtin::count)) return false;
  if (s.kind == SyntaxKind::name) {
    const AttrDef* a = scope.def->attr(s.text);
    return scope.packs.count(s.text) != 0 || (a != nullptr && a->count != AttrCount::one);
  }
  return any_of(s.children, [&](const Syntax& c) { return names_lists(c, scope); });
}

}  // namespace tenon
