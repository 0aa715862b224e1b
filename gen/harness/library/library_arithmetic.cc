// Sizes, conditions and defaults of a definition → C expressions.
#include "harness/library/library_arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "harness/library_names.h"
#include "support/check.h"

namespace tenon {
namespace {

using Type = ArithmeticType;

std::string as_integer(const ArithmeticText& t) {
  return t.type == Type::Real ? fmt::format("tn_rt_to_int(f, {})", t.text) : t.text;
}

std::string as_real(const ArithmeticText& t) {
  if (t.type == Type::Real) return t.text;
  const bool digits =
      !t.text.empty() && std::all_of(t.text.begin(), t.text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits ? t.text + ".0" : fmt::format("(double)({})", t.text);
}

std::string as_condition(const ArithmeticText& t) {
  return t.type == Type::Condition ? t.text : fmt::format("({} != 0)", t.text);
}

std::string real_literal(double x) {
  std::string text = fmt::format("{:.17g}", x);
  if (const std::string shortest = fmt::format("{}", x); shortest.size() < text.size()) text = shortest;
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

const AttrDef* attr_with_word(const OpDef& def, const std::string& word) {
  for (const AttrDef& a : def.attrs)
    if (std::find(a.words.begin(), a.words.end(), word) != a.words.end()) return &a;
  return nullptr;
}

std::optional<ArithmeticText> word_of(const AttrDef* a, const Syntax& s) {
  if (a == nullptr || s.kind != SyntaxKind::name) return std::nullopt;
  const auto w = std::find(a->words.begin(), a->words.end(), s.text);
  if (w == a->words.end()) return std::nullopt;
  return ArithmeticText{fmt::format("{}", w - a->words.begin()), Type::Integer};
}

/// One element of an attribute; `suffix` picks it from a list.
ArithmeticText element_of(const AttrDef& a, const std::string& suffix, const ArithmeticScope& scope) {
  const std::string field = fmt::format("a->{}{}", c_identifier(a.name), suffix);
  if (a.kind == AttrKind::boolean) return {fmt::format("({} != 0)", field), Type::Condition};
  if (a.kind == AttrKind::real) return {field, Type::Real};
  if (a.kind == AttrKind::type_variable)
    return scope.float_types.count(a.type) ? ArithmeticText{field + ".f[0]", Type::Real}
                                           : ArithmeticText{field + ".i", Type::Integer};
  if (a.kind == AttrKind::dtype) {
    const auto d = dtype_from_name(a.type);
    TENON_CHECK(d, "attribute {} has the unknown type {}", a.name, a.type);
    if (is_complex(*d)) return {field + ".f[0]", Type::Real};
    return {field, is_float(*d) ? Type::Real : Type::Integer};
  }
  return {field, Type::Integer};
}

ArithmeticText name(const Syntax& s, const ArithmeticScope& scope) {
  const OpDef& def = *scope.def;
  if (const auto p = scope.params.find(s.text); p != scope.params.end()) return p->second;
  if (scope.packs.count(s.text)) {
    TENON_CHECK(!scope.element.empty(), "{}: the pack {} stands where one size is needed", def.name, s.text);
    return {fmt::format("{}->dim[{}]", c_identifier(s.text), scope.element), Type::Integer};
  }
  if (const AttrDef* a = def.attr(s.text)) {
    if (a->count == AttrCount::one) return element_of(*a, "", scope);
    TENON_CHECK(!scope.element.empty(), "{}: the list {} stands where one number is needed", def.name, s.text);
    if (a->count == AttrCount::per_dim)
      return {fmt::format("{}.dim[{}]", c_identifier(a->name), scope.element), Type::Integer};
    if (a->count == AttrCount::any)
      return {fmt::format("tn_rt_int_at(f, &a->{}, {})", c_identifier(a->name), scope.element), Type::Integer};
    return element_of(*a, fmt::format("[{}]", scope.element), scope);
  }
  if (const LetDef* l = def.let(s.text))
    return {c_identifier(s.text), scope.real_lets.count(l->name) ? Type::Real : Type::Integer};
  if (const AttrDef* a = attr_with_word(def, s.text)) return *word_of(a, s);
  return {c_identifier(s.text), Type::Integer};
}

ArithmeticText subscript(const Syntax& s, const ArithmeticScope& scope) {
  TENON_CHECK(s.children.size() == 1, "{}: {} has no single index", scope.def->name, print(s));
  const std::string index = integer_text(s.children[0], scope);
  if (scope.packs.count(s.text))
    return {fmt::format("tn_rt_at(f, {}, {})", c_identifier(s.text), index), Type::Integer};
  const AttrDef* a = scope.def->attr(s.text);
  TENON_CHECK(a != nullptr, "{}: {} is not a list", scope.def->name, s.text);
  if (a->count == AttrCount::any)
    return {fmt::format("tn_rt_int_at(f, &a->{}, {})", c_identifier(a->name), index), Type::Integer};
  if (a->count == AttrCount::per_dim)
    return {fmt::format("tn_rt_at(f, &{}, {})", c_identifier(a->name), index), Type::Integer};
  TENON_CHECK(s.children[0].kind == SyntaxKind::integer && s.children[0].integer < a->length, "{}: {} is out of bounds",
              scope.def->name, print(s));
  return element_of(*a, fmt::format("[{}]", index), scope);
}

ArithmeticText comparison(const Syntax& s, const ArithmeticScope& scope) {
  const auto side = [&](const Syntax& mine, const Syntax& other) {
    const AttrDef* a = other.kind == SyntaxKind::name ? scope.def->attr(other.text) : nullptr;
    if (const auto w = word_of(a, mine)) return *w;
    return arithmetic(mine, scope);
  };
  const ArithmeticText x = side(s.children[0], s.children[1]), y = side(s.children[1], s.children[0]);
  const bool real = x.type == Type::Real || y.type == Type::Real;
  return {fmt::format("({} {} {})", real ? as_real(x) : as_integer(x), s.text, real ? as_real(y) : as_integer(y)),
          Type::Condition};
}

bool is_negative_literal(const Syntax& s) {
  return s.kind == SyntaxKind::unary && s.text == "-" &&
         (s.children[0].kind == SyntaxKind::integer || s.children[0].kind == SyntaxKind::real);
}

ArithmeticText real_binary(const std::string& op, const std::string& x, const std::string& y) {
  if (op == "//") return {fmt::format("tn_rt_floor({} / {})", x, y), Type::Real};
  if (op == "%") return {fmt::format("({} - tn_rt_floor({} / {}) * {})", x, x, y, y), Type::Real};
  if (op == "**") return {fmt::format("tn_rt_pow({}, {})", x, y), Type::Real};
  return {fmt::format("({} {} {})", x, op, y), Type::Real};
}

ArithmeticText binary(const Syntax& s, const ArithmeticScope& scope) {
  static constexpr std::array kComparisons = {"==", "!=", "<", "<=", ">", ">="};
  if (s.text == "and" || s.text == "or")
    return {fmt::format("({} {} {})", condition_text(s.children[0], scope), s.text == "and" ? "&&" : "||",
                        condition_text(s.children[1], scope)),
            Type::Condition};
  if (std::find(kComparisons.begin(), kComparisons.end(), s.text) != kComparisons.end()) return comparison(s, scope);
  const ArithmeticText x = arithmetic(s.children[0], scope), y = arithmetic(s.children[1], scope);
  const bool real = x.type == Type::Real || y.type == Type::Real || s.text == "/" ||
                    (s.text == "**" && is_negative_literal(s.children[1]));
  if (real) return real_binary(s.text, as_real(x), as_real(y));
  static const std::map<std::string, std::string> kFunctions = {{"+", "add"},       {"-", "sub"}, {"*", "mul"},
                                                                {"//", "floordiv"}, {"%", "mod"}, {"**", "power"}};
  const auto function = kFunctions.find(s.text);
  TENON_CHECK(function != kFunctions.end(), "{}: operator {}", scope.def->name, s.text);
  return {fmt::format("tn_rt_{}(f, {}, {})", function->second, x.text, y.text), Type::Integer};
}

ArithmeticText choice(const Syntax& s, const ArithmeticScope& scope) {
  const ArithmeticText yes = arithmetic(s.children[1], scope), no = arithmetic(s.children[2], scope);
  const bool real = yes.type == Type::Real || no.type == Type::Real;
  return {fmt::format("({} ? {} : {})", condition_text(s.children[0], scope), real ? as_real(yes) : as_integer(yes),
                      real ? as_real(no) : as_integer(no)),
          real ? Type::Real : Type::Integer};
}

std::optional<ArithmeticText> about_packs(const Syntax& s, const ArithmeticScope& scope) {
  if (s.text == "given") {
    const auto& inputs = scope.def->inputs;
    const auto t =
        std::find_if(inputs.begin(), inputs.end(), [&](const TensorDef& i) { return i.name == s.children[0].text; });
    TENON_CHECK(t != inputs.end(), "{}: given({})", scope.def->name, s.children[0].text);
    return ArithmeticText{fmt::format("(f->operand[{}].is_given != 0)", t - inputs.begin()), Type::Condition};
  }
  if (s.text == "element") {
    const std::string list = c_identifier(s.children[0].text);
    return ArithmeticText{
        fmt::format("({1} < a->{0}.count ? tn_rt_int_at(f, &a->{0}, {1}) : 0)", list, s.children[1].integer),
        Type::Integer};
  }
  if (s.text == "elements")
    return ArithmeticText{fmt::format("a->{}.count", c_identifier(s.children[0].text)), Type::Integer};
  if (s.text != "size" && s.text != "rank" && s.text != "count") return std::nullopt;
  const Syntax& of = s.children[0];
  if (const AttrDef* a = s.text == "count" ? scope.def->attr(of.text) : nullptr; a != nullptr) {
    if (a->count == AttrCount::fixed) return ArithmeticText{fmt::format("{}", a->length), Type::Integer};
    if (a->count == AttrCount::per_dim)
      return ArithmeticText{fmt::format("{}->rank", c_identifier(a->pack)), Type::Integer};
  }
  if (scope.packs.count(of.text))
    return ArithmeticText{s.text == "size" ? fmt::format("tn_rt_product(f, {})", c_identifier(of.text))
                                           : fmt::format("{}->rank", c_identifier(of.text)),
                          Type::Integer};
  if (const AttrDef* a = scope.def->attr(of.text); a != nullptr && a->count == AttrCount::any)
    return ArithmeticText{fmt::format("a->{}.count", c_identifier(a->name)), Type::Integer};
  return arithmetic(of, scope);
}

/// Functions of the bits of an integer.
std::optional<ArithmeticText> of_bits(const std::string& name, const std::vector<ArithmeticText>& args) {
  static const std::map<std::string, std::string> kSigns = {{"bit_and", "&"}, {"bit_or", "|"}, {"bit_xor", "^"}};
  if (const auto sign = kSigns.find(name); sign != kSigns.end())
    return ArithmeticText{fmt::format("({} {} {})", as_integer(args[0]), sign->second, as_integer(args[1])),
                          Type::Integer};
  if (name == "bit_not") return ArithmeticText{fmt::format("~{}", as_integer(args[0])), Type::Integer};
  if (name == "popcount" || name == "clz")
    return ArithmeticText{fmt::format("tn_rt_{}({})", name, as_integer(args[0])), Type::Integer};
  if (name == "shl" || name == "shr")
    return ArithmeticText{fmt::format("tn_rt_{}(f, {}, {})", name, as_integer(args[0]), as_integer(args[1])),
                          Type::Integer};
  return std::nullopt;
}

/// Functions that are another one's, or arithmetic.
std::optional<ArithmeticText> of_sign(const std::string& name, const std::vector<ArithmeticText>& args, bool real) {
  const auto two = [&](std::string_view f, const std::string& a, const std::string& b) {
    return fmt::format("tn_rt_{}{}({}, {})", real ? "f" : "", f, a, b);
  };
  const auto text = [&](size_t i) { return real ? as_real(args[i]) : as_integer(args[i]); };
  const Type type = real ? Type::Real : Type::Integer;
  if (name == "neg") return ArithmeticText{real ? "-" + text(0) : fmt::format("tn_rt_sub(f, 0, {})", text(0)), type};
  if (name == "sign") return ArithmeticText{fmt::format("tn_rt_{}sign({})", real ? "f" : "", text(0)), type};
  if (name == "clamp") return ArithmeticText{two("min", two("max", text(0), text(1)), text(2)), type};
  return std::nullopt;
}

ArithmeticText call(const Syntax& s, const ArithmeticScope& scope) {
  if (const auto p = about_packs(s, scope)) return *p;
  if (s.text == "select") return choice(s, scope);
  if (s.text == "upto") return arithmetic(s.children[0], scope);
  if (const auto fn = scope.defs->fns.find(s.text); fn != scope.defs->fns.end()) {
    ArithmeticScope inner = scope;
    TENON_CHECK(fn->second.params.size() == s.children.size(), "{}: {}", scope.def->name, print(s));
    for (size_t i = 0; i < s.children.size(); ++i)
      inner.params[fn->second.params[i]] = arithmetic(s.children[i], scope);
    return arithmetic(fn->second.value, inner);
  }
  if (const auto row = scope.defs->scalars.find(s.text); row != scope.defs->scalars.end() && row->second.as) {
    ArithmeticScope inner = scope;
    for (size_t i = 0; i < s.children.size(); ++i) inner.params[row->second.args[i]] = arithmetic(s.children[i], scope);
    return arithmetic(*row->second.as, inner);
  }
  std::vector<ArithmeticText> args;
  for (const Syntax& c : s.children) args.push_back(arithmetic(c, scope));
  const bool real = std::any_of(args.begin(), args.end(), [](const ArithmeticText& t) { return t.type == Type::Real; });
  if (const auto t = of_bits(s.text, args)) return *t;
  if (const auto t = of_sign(s.text, args, real)) return *t;
  if (s.text == "min" || s.text == "max")
    return real ? ArithmeticText{fmt::format("tn_rt_f{}({}, {})", s.text, as_real(args[0]), as_real(args[1])),
                                 Type::Real}
                : ArithmeticText{fmt::format("tn_rt_{}({}, {})", s.text, args[0].text, args[1].text), Type::Integer};
  if (s.text == "abs")
    return real ? ArithmeticText{fmt::format("tn_rt_fabs({})", args[0].text), Type::Real}
                : ArithmeticText{fmt::format("tn_rt_abs({})", args[0].text), Type::Integer};
  if (s.text == "ceildiv")
    return real ? ArithmeticText{fmt::format("tn_rt_ceil({} / {})", as_real(args[0]), as_real(args[1])), Type::Real}
                : ArithmeticText{fmt::format("tn_rt_ceildiv(f, {}, {})", args[0].text, args[1].text), Type::Integer};
  if ((s.text == "floor" || s.text == "ceil" || s.text == "round" || s.text == "trunc") && !real) return args[0];
  if (s.text == "sq")
    return real ? real_binary("*", args[0].text, args[0].text)
                : ArithmeticText{fmt::format("tn_rt_mul(f, {0}, {0})", args[0].text), Type::Integer};
  if (s.text == "rsqrt") return {fmt::format("(1.0 / tn_rt_sqrt({}))", as_real(args[0])), Type::Real};
  if (s.text == "pow") return {fmt::format("tn_rt_pow({}, {})", as_real(args[0]), as_real(args[1])), Type::Real};
  if (s.text == "exp2") return {fmt::format("tn_rt_pow(2.0, {})", as_real(args[0])), Type::Real};
  static constexpr std::array kReal = {"floor", "ceil", "round", "trunc", "sqrt",
                                       "cbrt",  "exp",  "log",   "log2",  "log10"};
  TENON_CHECK(std::find(kReal.begin(), kReal.end(), s.text) != kReal.end(), "{}: {} is not a function of sizes",
              scope.def->name, s.text);
  return {fmt::format("tn_rt_{}({})", s.text, as_real(args[0])), Type::Real};
}

ArithmeticText unary(const Syntax& s, const ArithmeticScope& scope) {
  if (s.text == "not") return {fmt::format("!{}", condition_text(s.children[0], scope)), Type::Condition};
  const ArithmeticText x = arithmetic(s.children[0], scope);
  if (x.type == Type::Real || s.children[0].kind == SyntaxKind::integer) return {"-" + x.text, x.type};
  return {fmt::format("tn_rt_sub(f, 0, {})", x.text), Type::Integer};
}

}  // namespace

ArithmeticText arithmetic(const Syntax& s, const ArithmeticScope& scope) {
  switch (s.kind) {
    case SyntaxKind::integer:
      return {
          s.integer > INT32_MAX || s.integer < 0 ? fmt::format("INT64_C({})", s.integer) : fmt::format("{}", s.integer),
          Type::Integer};
    case SyntaxKind::real: return {real_literal(s.real), Type::Real};
    case SyntaxKind::infinity: return {"tn_rt_inf()", Type::Real};
    case SyntaxKind::boolean: return {s.integer != 0 ? "1" : "0", Type::Condition};
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

std::string integer_text(const Syntax& s, const ArithmeticScope& scope) { return as_integer(arithmetic(s, scope)); }
std::string real_text(const Syntax& s, const ArithmeticScope& scope) { return as_real(arithmetic(s, scope)); }
std::string condition_text(const Syntax& s, const ArithmeticScope& scope) { return as_condition(arithmetic(s, scope)); }

std::string bare_condition(const Syntax& s, const ArithmeticScope& scope) {
  std::string text = condition_text(s, scope);
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 && i + 1 < text.size()) return text;
  }
  return text.size() > 2 && text[0] == '(' ? text.substr(1, text.size() - 2) : text;
}

std::set<std::string> names_in(const Syntax& s) {
  std::set<std::string> out;
  if (s.kind == SyntaxKind::name || s.kind == SyntaxKind::pack || s.kind == SyntaxKind::subscript) out.insert(s.text);
  for (const Syntax& c : s.children) out.merge(names_in(c));
  return out;
}

bool names_lists(const Syntax& s, const ArithmeticScope& scope) {
  if (s.kind == SyntaxKind::call && (s.text == "size" || s.text == "count")) return false;
  if (s.kind == SyntaxKind::name) {
    const AttrDef* a = scope.def->attr(s.text);
    return scope.packs.count(s.text) != 0 || (a != nullptr && a->count != AttrCount::one);
  }
  return std::any_of(s.children.begin(), s.children.end(), [&](const Syntax& c) { return names_lists(c, scope); });
}

}  // namespace tenon
