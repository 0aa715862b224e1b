// Names, operators, calls and reductions of expressions.
#include "opdef/check/expression_checker.h"

#include <fmt/format.h>

#include "opdef/check/index_values.h"
#include "opdef/read/yaml_shape.h"
#include "support/ranges.h"

namespace tenon {

void ExpressionChecker::check(const Syntax& s, ExpressionPlace place) {
  ExpressionPlace below = place;
  below.optional = below.guarded = false;
  switch (s.kind) {
    case SyntaxKind::integer:
    case SyntaxKind::real:
    case SyntaxKind::infinity:
    case SyntaxKind::boolean: return;
    case SyntaxKind::name: return check_name(s, place);
    case SyntaxKind::unary:
      if (s.text == "not") return check_condition(s.children[0], below);
      return check(s.children[0], below);
    case SyntaxKind::binary: return check_binary(s, below);
    case SyntaxKind::subscript: return check_subscript(s, place);
    case SyntaxKind::reduce: return check_reduce(s, below);
    case SyntaxKind::call: return check_call(s, below);
    case SyntaxKind::each: below.packs = true; return check(s.children[0], below);
    case SyntaxKind::pack:
      diagnostics_.error(Code::E0315, s.span, "a pack is not allowed here",
                         {"*p is an index, a reduced variable, or an argument of lin and size"});
      return;
    case SyntaxKind::list:
      if (place.packs) {
        for (const Syntax& child : s.children) check(child, below);
        return;
      }
      diagnostics_.error(Code::E0435, s.span, "a list is not allowed here",
                         {"an expression of a body is a single number"});
      return;
    case SyntaxKind::group:
    case SyntaxKind::keyword:
      diagnostics_.error(Code::E0302, s.span, "this is not an expression",
                         {"(a b) is an index of a split dim, name=value an argument of an op"});
  }
}

void ExpressionChecker::unknown_name(const Syntax& s) {
  const std::string_view number = s.text == "pi" ? "3.141592653589793" : s.text == "nan" ? "inf - inf" : "";
  diagnostics_.error(Code::E0401, s.span, fmt::format("nothing is called '{}' here", s.text),
                     {!number.empty()                                    ? fmt::format("write {}", number)
                      : op_.family.empty() || scope_.names().size() < 24 ? meant_note(s.text, scope_.names())
                                                                         : meant_note(s.text, {})});
}

bool ExpressionChecker::check_let(const Syntax& s, const ExpressionPlace& place) {
  const LetDef* let = op_.let(s.text);
  if (let == nullptr) return false;
  if (lets != nullptr && lets->count(s.text) == 0) {
    diagnostics_.error(Code::E0433, s.span, fmt::format("the let '{}' is not computed yet here", s.text),
                       {"lets are computed in order: put it further up"});
  } else if (let->pack && !place.packs) {
    diagnostics_.error(Code::E0435, s.span, fmt::format("'{}' is a list of sizes, not one", s.text),
                       {"use it as a pack: *( … ), or take size(…)"});
  }
  return true;
}

void ExpressionChecker::check_name(const Syntax& s, const ExpressionPlace& place) {
  if (accumulators.count(s.text) != 0) return;
  if (const IndexVariable* v = scope_.variable(s.text)) {
    if (!place.data && !scope_.is_given(s.text)) return unknown_name(s);
    if (v->pack && !place.packs) {
      diagnostics_.error(Code::E0429, s.span, fmt::format("'{}' is a pack of index variables, not one", s.text),
                         {fmt::format("write *{}, lin(*{}), or use it inside *( … )", s.text, s.text)});
    } else if (!place.any_variable && bound.count(s.text) == 0) {
      diagnostics_.error(Code::E0412, s.span,
                         fmt::format("the index variable '{}' is neither on the left side nor reduced here", s.text),
                         {fmt::format("add it to the left side, or reduce it: sum[{}](…)", s.text)});
    }
    return;
  }
  if (const AttrDef* attr = op_.attr(s.text)) {
    if (attr->count != AttrCount::one && !place.packs) {
      diagnostics_.error(Code::E0435, s.span, fmt::format("the attribute '{}' is a list, not one value", s.text),
                         {fmt::format("take an element, {}[0], or use it inside *( … )", s.text)});
    }
    return;
  }
  if (check_let(s, place)) return;
  if (scope_.is_size(s.text)) return;
  if (scope_.is_pack(s.text)) {
    if (!place.packs)
      diagnostics_.error(Code::E0435, s.span, fmt::format("'{}' is a pack of sizes, not one", s.text),
                         {fmt::format("take the number of elements, size({}), or use it inside *( … )", s.text)});
    return;
  }
  if (scope_.value(s.text) != nullptr) {
    diagnostics_.error(Code::E0431, s.span, fmt::format("the tensor '{}' is read without indices", s.text),
                       {fmt::format("write {}[i, …], or {}[] for rank 0", s.text, s.text)});
    return;
  }
  unknown_name(s);
}

/// Comparison of an enum attribute with one of its words.
bool ExpressionChecker::check_enum(const Syntax& s) {
  if (s.text != "==" && s.text != "!=") return false;
  for (const int side : {0, 1}) {
    const Syntax& a = s.children[static_cast<std::size_t>(side)];
    const Syntax& word = s.children[static_cast<std::size_t>(1 - side)];
    const AttrDef* attr = a.is(SyntaxKind::name) ? op_.attr(a.text) : nullptr;
    if (attr == nullptr || attr->kind != AttrKind::enumeration || !word.is(SyntaxKind::name)) continue;
    if (!contains(attr->words, word.text)) {
      diagnostics_.error(Code::E0401, word.span,
                         fmt::format("'{}' is not a word of the attribute '{}'", word.text, attr->name),
                         {meant_note(word.text, attr->words)});
    }
    return true;
  }
  return false;
}

void ExpressionChecker::check_binary(const Syntax& s, const ExpressionPlace& place) {
  if (s.text == "and" || s.text == "or") {
    check_condition(s.children[0], place);
    check_condition(s.children[1], place);
    return;
  }
  if (s.is_comparison() && check_enum(s)) return;
  check(s.children[0], place);
  check(s.children[1], place);
  const bool divides = s.text == "//" || s.text == "%";
  if (divides && s.children[1].is(SyntaxKind::integer) && s.children[1].integer == 0) {
    diagnostics_.error(Code::E0506, s.children[1].span, "this divisor is always 0", {"division by zero has no value"});
  }
}

bool ExpressionChecker::definite_number(const Syntax& s) const {
  if (s.is(SyntaxKind::integer) || s.is(SyntaxKind::real) || s.is(SyntaxKind::infinity)) return true;
  if (s.is(SyntaxKind::binary)) return !s.is_condition();
  if (s.is(SyntaxKind::unary)) return s.text == "-";
  if (!s.is(SyntaxKind::name)) return false;
  const AttrDef* attr = op_.attr(s.text);
  if (attr != nullptr)
    return attr->kind == AttrKind::integer || attr->kind == AttrKind::real || attr->kind == AttrKind::u64 ||
           attr->kind == AttrKind::enumeration;
  return scope_.variable(s.text) != nullptr || scope_.is_size(s.text);
}

void ExpressionChecker::check_condition(const Syntax& s, ExpressionPlace place) {
  if (definite_number(s)) {
    diagnostics_.error(Code::E0436, s.span, "a condition is expected here, not a number",
                       {fmt::format("write a comparison, such as {} != 0", print(s))});
  }
  check(s, place);
}

void ExpressionChecker::check_list_element(const Syntax& s, const AttrDef& attr, const ExpressionPlace& place) {
  if (attr.count == AttrCount::one) {
    diagnostics_.error(Code::E0431, s.span, fmt::format("the attribute '{}' is one value and has no elements", s.text),
                       {fmt::format("write {}, or declare it as {}[2]", s.text, attr.type)});
    return;
  }
  const bool literal = s.children.size() == 1 && s.children[0].is(SyntaxKind::integer);
  const auto length = place.data ? length_of(attr) : std::nullopt;
  if (!literal && s.children.size() == 1 && length) return check_single_sub(s, s.children[0], *length, place);
  if (literal && s.children[0].integer >= 0 && (attr.count != AttrCount::fixed || s.children[0].integer < attr.length))
    return;
  const std::string note = attr.count == AttrCount::fixed
                               ? fmt::format("its elements are {}[0] to {}[{}]", s.text, s.text, attr.length - 1)
                               : fmt::format("write {}[0], {}[1], …", s.text, s.text);
  const SourceSpan place_of = s.children.size() == 1 ? s.children[0].span : s.span;
  diagnostics_.error(Code::E0432, place_of,
                     fmt::format("'{}' is not an element of the attribute '{}'", print(s), s.text), {note});
}

/// What to do about a read of what a later statement defines, or of what the statement itself updates.
std::string ExpressionChecker::order_note(const Syntax& read) const {
  for (const Statement& s : op_.body) {
    const bool defines = s.is_call || s.update == Update::Assign;
    for (const Word& target : s.targets) {
      if (!defines || target.text != read.text || target.span.begin <= read.span.begin) continue;
      return fmt::format("line {} defines it: put this statement after that one", target.span.line());
    }
  }
  return "an update does not read what it updates: compute it in a statement of its own";
}

void ExpressionChecker::check_subscript(const Syntax& s, const ExpressionPlace& place) {
  if (const AttrDef* attr = op_.attr(s.text)) return check_list_element(s, *attr, place);
  const BodyValue* value = scope_.value(s.text);
  if (value == nullptr) {
    std::vector<std::string> known = mapped(op_.inputs, &TensorDef::name);
    for (const TableDef& t : op_.tables) known.push_back(t.tensor.name);
    append(known, defined);
    const bool given = scope_.is_given(s.text);
    diagnostics_.error(given ? Code::E0431 : Code::E0401, s.span,
                       given ? fmt::format("'{}' is not a tensor and has no elements", s.text)
                             : fmt::format("there is no tensor '{}' to read", s.text),
                       {!given && expression_function(s.text, scope_.library())
                            ? fmt::format("a function is called with parentheses, {}(…)", s.text)
                            : meant_note(s.text, known)});
    return;
  }
  if (!place.data) {
    diagnostics_.error(Code::E0437, s.span, fmt::format("the tensor '{}' cannot be read here", s.text),
                       {"let, require and index know sizes and attributes only"});
    return;
  }
  if (value->input == nullptr && defined.count(s.text) == 0) {
    diagnostics_.error(Code::E0409, s.span, fmt::format("'{}' is read before it is defined", s.text), {order_note(s)});
    return;
  }
  if (value->output != nullptr && value->output->variadic) {
    diagnostics_.error(Code::E0434, s.span, fmt::format("the variadic output '{}' cannot be read", s.text),
                       {"compute what is read in a statement of its own"});
    return;
  }
  if (value->input != nullptr && value->input->optional && !place.optional) {
    diagnostics_.error(Code::E0420, s.span, fmt::format("the optional input '{}' may be absent here", s.text),
                       {fmt::format("write opt({}, 0) with what is in for it", print(s))});
  }
  check_subs(s, s.children, *value, place);
}

void ExpressionChecker::check_range(const Syntax& variable, const ExpressionPlace& place) {
  for (const Syntax& end : variable.children) check(end, place);
}

/// The accumulator is known to the reduced expression and to the condition; its start is computed outside.
void ExpressionChecker::check_fold(const Syntax& s, const ExpressionPlace& place) {
  if (s.start() == nullptr) return;
  const std::string& name = s.start()->text;
  const Syntax& start = s.start()->children[0];
  const bool taken = scope_.is_given(name) || scope_.value(name) != nullptr || scope_.variable(name) != nullptr ||
                     accumulators.count(name) != 0;
  if (taken) {
    diagnostics_.error(Code::E0416, s.start()->span,
                       fmt::format("'{}' has a meaning here, and cannot be the accumulator of a fold", name),
                       {"use another name for the accumulator"});
  }
  check(start, place);
  scope_.bounds().accumulator(name, start, accumulated_range(op_, scope_.bounds().context(), s));
}

void ExpressionChecker::check_reduced(const Syntax& s, const ExpressionPlace& place) {
  const bool added = s.start() != nullptr && accumulators.insert(s.start()->text).second;
  if (s.predicate() != nullptr) check_condition(*s.predicate(), place);
  const bool logical = s.text == "any" || s.text == "all";
  if (logical) check_condition(s.reduced(), place);
  else check(s.reduced(), place);
  if (added) accumulators.erase(s.start()->text);
}

void ExpressionChecker::check_reduce(const Syntax& s, const ExpressionPlace& place) {
  if (s.text == "max_at" || s.text == "min_at") {
    diagnostics_.error(
        Code::E0310, s.span, fmt::format("{} gives two values, the element and where it is", s.text),
        {fmt::format("give both a name, V[i], I[i] = {}[k](…), or write {}[k](…)", s.text, s.text.substr(0, 3))});
    return;
  }
  check_fold(s, place);
  for (const Syntax& v : s.variables()) check_range(v, place);
  std::vector<std::string> added;
  for (const Syntax& v : s.variables()) {
    if (scope_.is_given(v.text)) {
      diagnostics_.error(Code::E0416, v.span,
                         fmt::format("'{}' is a size or attribute, and cannot be an index variable", v.text),
                         {"use another name for the variable"});
    } else if (!bound.insert(v.text).second) {
      diagnostics_.error(Code::E0415, v.span, fmt::format("the index variable '{}' is in use here", v.text),
                         {"the left side or an enclosing reduction has it: use another name"});
    } else {
      added.push_back(v.text);
    }
    const IndexVariable* known = scope_.variable(v.text);
    if (known != nullptr && known->pack != v.is(SyntaxKind::pack)) {
      diagnostics_.error(Code::E0429, v.span,
                         fmt::format("'{}' is {} elsewhere", v.text,
                                     known->pack ? "a pack of index variables" : "a single index variable"),
                         {"write *p for a pack everywhere, p for a single variable"});
    }
  }
  check_reduced(s, place);
  for (const std::string& name : added) bound.erase(name);
}

}  // namespace tenon
