// The text of syntax trees, and their comparison.
#include "ir/op/syntax.h"

#include <fmt/format.h>

#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

namespace {

/// How tightly an operator binds; the grammar's levels.
int binding(const Syntax& s) {
  if (s.is(SyntaxKind::unary)) return s.text == "not" ? 3 : 7;
  if (s.is(SyntaxKind::integer) && s.integer < 0) return 9;  // the bits of a large literal: printed as unsigned
  if (!s.is(SyntaxKind::binary)) return 9;
  if (s.text == "or") return 1;
  if (s.text == "and") return 2;
  if (s.text == "+" || s.text == "-") return 5;
  if (s.text == "**") return 8;
  if (s.text == "*" || s.text == "/" || s.text == "//" || s.text == "%") return 6;
  return 4;
}

std::string list_text(const std::vector<Syntax>& items, std::string_view separator) {
  std::string out;
  for (const Syntax& item : items) {
    if (!out.empty()) out += separator;
    out += print(item);
  }
  return out;
}

std::string bracketed(const Syntax& s, bool needed) { return needed ? fmt::format("({})", print(s)) : print(s); }

std::string binary_text(const Syntax& s) {
  const int level = binding(s);
  const bool comparison = level == 4;
  const bool power = s.text == "**";
  const Syntax& left = s.children[0];
  const Syntax& right = s.children[1];
  // A chain of comparisons reads as a conjunction, so that a comparison inside a comparison needs parentheses on both
  // sides.
  const bool left_needs = binding(left) < level || ((power || comparison) && binding(left) == level);
  const bool right_needs = power ? binding(right) < 7 : binding(right) <= level;
  const bool tight = level == 6 || power;
  return bracketed(left, left_needs) + (tight ? s.text : " " + s.text + " ") + bracketed(right, right_needs);
}

/// Variables of a reduction or of a condition on an update: k, *q, e in a .. b.
std::string variables_text(const std::vector<Syntax>& variables) {
  return joined(variables, ", ", [](const Syntax& v) {
    return v.children.size() == 2 ? fmt::format("{} in {} .. {}", v.text, print(v.children[0]), print(v.children[1]))
                                  : print(v);
  });
}

std::string reduce_text(const Syntax& s) {
  const std::string condition = s.predicate() == nullptr ? "" : " : " + print(*s.predicate());
  const std::string start =
      s.start() == nullptr ? "" : fmt::format("{} = {}, ", s.start()->text, print(s.start()->children[0]));
  return fmt::format("{}[{}{}]({}{})", s.text, variables_text(s.variables()), condition, start, print(s.reduced()));
}

std::string group_text(const Syntax& s) {
  std::string out;
  for (const Syntax& part : s.children) {
    const bool atom = part.is(SyntaxKind::name) || part.is(SyntaxKind::integer);
    out += (out.empty() ? "(" : " ") + bracketed(part, !atom);
  }
  return out + ")";
}

struct BuiltinRow {
  Builtin function;
  std::string_view name;
  int least, most;
};
constexpr BuiltinRow kBuiltins[] = {
#define BUILTIN(name, least, most, ...) {Builtin::name, #name, least, most},
#include "ir/op/builtin.def"
#undef BUILTIN
};

Builtin builtin_of(std::string_view name, std::size_t arguments) {
  const int n = static_cast<int>(arguments);
  for (const BuiltinRow& row : kBuiltins)
    if (row.name == name) return n >= row.least && (row.most < 0 || n <= row.most) ? row.function : Builtin::none;
  return Builtin::none;
}

}  // namespace

Syntax name_node(std::string name, SourceSpan span) {
  return {SyntaxKind::name, std::move(name), 0, 0, {}, std::move(span)};
}

Syntax number_node(std::int64_t value, SourceSpan span) {
  return {SyntaxKind::integer, "", value, 0, {}, std::move(span)};
}

Syntax binary_node(std::string sign, Syntax a, Syntax b, SourceSpan span) {
  Syntax out{SyntaxKind::binary, std::move(sign), 0, 0, {}, std::move(span)};
  out.children.reserve(2);  // a list in braces would copy both trees
  out.children.push_back(std::move(a)), out.children.push_back(std::move(b));
  return out;
}

Syntax call_node(std::string function, std::vector<Syntax> arguments, SourceSpan span) {
  const Builtin builtin = builtin_of(function, arguments.size());
  return {SyntaxKind::call, std::move(function), 0, 0, std::move(arguments), std::move(span), builtin};
}

std::string print(const Syntax& s) {
  switch (s.kind) {
    case SyntaxKind::integer: return fmt::format("{}", static_cast<std::uint64_t>(s.integer));
    case SyntaxKind::real: return s.text;
    case SyntaxKind::infinity: return "inf";
    case SyntaxKind::boolean: return s.integer != 0 ? "true" : "false";
    case SyntaxKind::name: return s.text;
    case SyntaxKind::unary: {
      const std::string operand = bracketed(s.children[0], binding(s.children[0]) < binding(s));
      return s.text == "not" ? "not " + operand : "-" + operand;
    }
    case SyntaxKind::binary: return binary_text(s);
    case SyntaxKind::subscript: return fmt::format("{}[{}]", s.text, list_text(s.children, ", "));
    case SyntaxKind::pack: return "*" + s.text;
    case SyntaxKind::each: return "*" + bracketed(s.children[0], !s.children[0].is(SyntaxKind::call));
    case SyntaxKind::group: return group_text(s);
    case SyntaxKind::call: return fmt::format("{}({})", s.text, list_text(s.children, ", "));
    case SyntaxKind::keyword: return s.text + "=" + print(s.children[0]);
    case SyntaxKind::reduce: return reduce_text(s);
    case SyntaxKind::list: return "[" + list_text(s.children, ", ") + "]";
  }
  return {};
}

const Syntax* first_within(const Syntax& s, FunctionRef<bool(const Syntax&)> holds) {
  if (holds(s)) return &s;
  for (const Syntax& child : s.children)
    if (const Syntax* found = first_within(child, holds)) return found;
  return nullptr;
}

bool any_within(const Syntax& s, FunctionRef<bool(const Syntax&)> holds) { return first_within(s, holds) != nullptr; }

void each_within(const Syntax& s, FunctionRef<void(const Syntax&)> visit) {
  visit(s);
  for (const Syntax& child : s.children) each_within(child, visit);
}

bool reads(const Syntax& s, const std::string& name) {
  return any_within(s, [&](const Syntax& node) { return node.is(SyntaxKind::subscript) && node.text == name; });
}

Syntax substitute(const Syntax& s, const std::vector<std::string>& names, const std::vector<Syntax>& values) {
  if (s.is(SyntaxKind::name)) {
    const auto at = std::find(names.begin(), names.end(), s.text);
    if (at != names.end()) return values[static_cast<std::size_t>(at - names.begin())];
  }
  Syntax result = s;
  for (Syntax& child : result.children) child = substitute(child, names, values);
  return result;
}

bool same(const Syntax& a, const Syntax& b) {
  return a.kind == b.kind && a.text == b.text && a.integer == b.integer && (a.real == b.real || a.real != a.real) &&
         a.children.size() == b.children.size() &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(),
                    [](const Syntax& x, const Syntax& y) { return same(x, y); });
}

}  // namespace tenon
