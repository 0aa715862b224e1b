// Calls within expressions: the notation's own functions with their rules, scalar functions by their number of
// arguments.
#include <fmt/format.h>

#include <array>
#include <set>
#include <string_view>

#include "ir/number/scalar_op.h"
#include "ir/op/type_function.h"
#include "opdef/check/check_op.h"
#include "opdef/check/expression_checker.h"
#include "opdef/notation/call_table.h"
#include "opdef/notation/notation_parser.h"
#include "opdef/read/yaml_shape.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

void ExpressionChecker::check_arguments(const Syntax& s, const ExpressionPlace& place) {
  for (const Syntax& argument : s.children) check(argument, place);
}

void ExpressionChecker::check_call(const Syntax& s, const ExpressionPlace& place) {
  const auto pack = pack_function(s.text);
  const auto arity = pack && place.packs ? pack : expression_function(s.text, scope_.library());
  if (!arity) {
    const bool op = scope_.library().op(s.text) != nullptr;
    const bool tensor = scope_.op().input(s.text) || scope_.op().output(s.text);
    const std::string note =
        tensor              ? fmt::format("a tensor is read with brackets, {}[…]", s.text)
        : s.text == "where" ? "a choice of numbers is written select(condition, a, b)"
        : scope_.op().type(s.text) || dtype_from_name(s.text) ? fmt::format("write cast(x, {})", s.text)
        : is_type_class(s.text)                               ? "write cast(x, T) with a type variable or a dtype"
        : !dtype_called(s.text).empty()                       ? fmt::format("write cast(x, {})", dtype_called(s.text))
        : is_reducer(s.text) ? fmt::format("over index variables it is written {}[k](…)", s.text)
        : op   ? fmt::format("'{}' is an op: call it in a statement of its own, p = {}(…)", s.text, s.text)
        : pack ? "it gives a pack: use it under `let`, or as an index *f(…)"
               : did_you_mean(s.text, callable_names(scope_.library()), "define it under `fn`");
    diagnostics_.error(op ? Code::E0316 : Code::E0402, s.span, fmt::format("'{}' is not a function of numbers", s.text),
                       {note});
    return;
  }
  const int n = static_cast<int>(s.children.size());
  if (n < arity->least || (arity->most >= 0 && n > arity->most)) {
    diagnostics_.error(Code::E0403, s.span,
                       fmt::format("'{}' does not take {} argument{}", s.text, n, n == 1 ? "" : "s"),
                       {fmt::format("write {}", arity->form)});
    return;
  }
  if (!place.data) {
    if (const std::string name = not_of_sizes(s, scope_.library()); !name.empty()) {
      diagnostics_.error(Code::E0437, s.span, fmt::format("'{}' is not a function of sizes", name),
                         {fmt::format("let, require and index have: {}", size_function_names())});
      return;
    }
  }
  if (!check_special_call(s, place)) check_arguments(s, place);
}

bool ExpressionChecker::check_special_call(const Syntax& s, const ExpressionPlace& place) {
  switch (s.function) {
    case Builtin::opt:
    case Builtin::padded: return check_guard(s, place), true;
    case Builtin::select:
      check_condition(s.children[0], place);
      check(s.children[1], place);
      check(s.children[2], place);
      return true;
    case Builtin::cast:
    case Builtin::bits:
      if (names_type(s.children[0])) {
        diagnostics_.error(Code::E0403, s.span, fmt::format("'{}' takes the number first, then the type", s.text),
                           {fmt::format("write {}({}, {})", s.text, print(s.children[1]), print(s.children[0]))});
        return true;
      }
      check(s.children[0], place);
      check_type(s.children[1]);
      return true;
    case Builtin::lowest:
    case Builtin::highest:
    case Builtin::epsilon: return check_type(s.children[0]), true;
    case Builtin::lin:
    case Builtin::size:
    case Builtin::rank:
    case Builtin::dim:
    case Builtin::sum_of:
    case Builtin::offset:
    case Builtin::operand:
    case Builtin::count: return check_pack_arguments(s), true;
    default: return false;
  }
}

/// The same expression with each read guarded by itself.
Syntax ExpressionChecker::guarded_reads(const Syntax& s, const Syntax& value) const {
  if (s.is(SyntaxKind::subscript) && scope_.value(s.text) != nullptr) return call_node("padded", {s, value}, s.span);
  Syntax all = s;
  if (s.calls(Builtin::padded, Builtin::opt)) return all;
  for (Syntax& child : all.children) child = guarded_reads(child, value);
  return all;
}

/// padded(f(X[i - 1]), v): only a read can be guarded, not a value computed from reads.
void ExpressionChecker::check_padded_expression(const Syntax& guard, const ExpressionPlace& place) {
  const Syntax& inside = guard.children[0];
  const Syntax fixed = guarded_reads(inside, guard.children[1]);
  diagnostics_.error(
      Code::E0422, inside.span, "padded is for a read of a tensor",
      {same(fixed, inside) ? "write padded(X[i - 1], 0)" : fmt::format("guard each read by itself: {}", print(fixed))});
  check(fixed, place);
}

/// opt(read of an optional, v) and padded(read, v).
void ExpressionChecker::check_guard(const Syntax& s, ExpressionPlace place) {
  const Syntax& read = s.children[0];
  const bool opt = s.calls(Builtin::opt);
  const Syntax* inner = &read;  // opt(padded(B[i], 0), v) and padded(opt(…)) nest
  if (inner->calls(Builtin::padded, Builtin::opt)) inner = &inner->children[0];
  const BodyValue* value = inner->is(SyntaxKind::subscript) ? scope_.value(inner->text) : nullptr;
  if (opt && (value == nullptr || value->input == nullptr || !value->input->optional)) {
    diagnostics_.error(Code::E0421, read.span, "opt is for a read of an optional input",
                       {"declare the input as `B?`, or leave opt out"});
  } else if (!opt && value == nullptr) {
    return check_padded_expression(s, place);
  }
  ExpressionPlace below = place;
  check(s.children[1], below);
  below.optional = opt || place.optional;
  below.guarded = !opt || place.guarded;
  if (read.is(SyntaxKind::call) && inner != &read) {
    check(read.children[1], place);
    below.optional = below.optional || read.calls(Builtin::opt);
    below.guarded = below.guarded || read.calls(Builtin::padded);
    check(*inner, below);
  } else {
    check(read, below);
  }
}

bool ExpressionChecker::names_type(const Syntax& s) const {
  return s.is(SyntaxKind::name) && (op_.type(s.text) != nullptr || dtype_from_name(s.text));
}

void ExpressionChecker::check_type(const Syntax& type) {
  if (names_type(type)) return;
  if (type.is(SyntaxKind::call) && is_type_function(type.text) && type.children.size() == 1)
    return check_derived_type(type);
  std::vector<std::string> known = mapped(op_.types, &TypeVar::name);
  for (const DTypeRow& row : all_dtypes()) known.emplace_back(row.name);
  diagnostics_.error(Code::E0207, type.span, fmt::format("'{}' is not a type", print(type)),
                     {meant_note(print(type), known)});
}

/// wide(T): every dtype that T ranges over has one.
void ExpressionChecker::check_derived_type(const Syntax& type) {
  const Syntax* inside = &type;
  while (inside->is(SyntaxKind::call) && is_type_function(inside->text) && inside->children.size() == 1)
    inside = &inside->children[0];
  const std::size_t before = diagnostics_.size();
  check_type(*inside);
  if (diagnostics_.size() != before) return;
  const TypeVar* variable = op_.type(inside->text);
  const std::vector<DType> from =
      variable != nullptr ? dtypes_of(*variable) : std::vector<DType>{*dtype_from_name(inside->text)};
  for (const DType d : from) {
    if (derived_dtype(print(type), d)) continue;
    diagnostics_.error(Code::E0207, type.span,
                       fmt::format("there is no type {} where {} is {}", print(type), inside->text, name_of(d)),
                       {"complex is for floats and complex types, real for numbers, unsigned and signed for integers, "
                        "wide for numbers"});
    return;
  }
}

void ExpressionChecker::check_pack_variable(const Syntax& s) {
  const IndexVariable* v = scope_.variable(s.text);
  if (v == nullptr) return unknown_name(s);
  if (bound.count(s.text) == 0) {
    diagnostics_.error(Code::E0412, s.span,
                       fmt::format("the index variables '*{}' are neither on the left side nor reduced here", s.text),
                       {"add them to the left side, or reduce them"});
  }
}

/// Of several words: a word, or an attribute of this op with the same words.
void ExpressionChecker::check_attr_value(const Syntax& value, const AttrDef& attr, const ExpressionPlace& place) {
  const bool words = attr.kind == AttrKind::enumeration;
  if (!words) check(value, place);
  if (!words && !without_sign(value).is(SyntaxKind::real)) return;
  const AttrDef* own = value.is(SyntaxKind::name) ? op_.attr(value.text) : nullptr;
  if (value_fits(attr, value) || (own != nullptr && own->words == attr.words)) return;
  const std::string what = words ? "a word" : "a value", note = "its type is " + attr.type;
  diagnostics_.error(Code::E0425, value.span,
                     fmt::format("'{}' is not {} of the attribute '{}'", print(value), what, attr.name),
                     {!words ? note
                             : fmt::format("its words are {}; an attribute with the same words may be passed on",
                                           joined(attr.words, ", "))});
}

/// lin(*s); size(P), size(*p), size(N); sum_of(D), offset(D), operand(X), count(X).
void ExpressionChecker::check_pack_arguments(const Syntax& s) {
  for (const Syntax& argument : s.children) {
    const bool pack = argument.is(SyntaxKind::pack);
    const bool name = pack || argument.is(SyntaxKind::name);
    if (const AttrDef* list = s.calls(Builtin::count) && name ? op_.attr(argument.text) : nullptr;
        list != nullptr && list->count != AttrCount::one)
      continue;
    if (s.calls(Builtin::operand, Builtin::count)) {
      const TensorDef* tensor = !name                      ? nullptr
                                : op_.input(argument.text) ? op_.input(argument.text)
                                                           : op_.output(argument.text);
      if (tensor == nullptr || !tensor->variadic)
        diagnostics_.error(Code::E0434, argument.span,
                           s.calls(Builtin::count)
                               ? "'count' takes the name of a list attribute, or of a variadic input or output"
                               : "'operand' takes the name of a variadic input or output",
                           {fmt::format("write {}(X) with an input `X...`", s.text)});
    } else if (s.calls(Builtin::lin)) {
      if (pack && s.children.size() == 1) check_pack_variable(argument);
      else
        diagnostics_.error(Code::E0431, argument.span, "'lin' takes one pack of index variables",
                           {"write lin(*s); of other indices compute it: i*size(S) + lin(*s)"});
    } else if (!name || !(scope_.is_given(argument.text) || scope_.variable(argument.text) != nullptr)) {
      if (name) unknown_name(argument);
      else
        diagnostics_.error(Code::E0431, argument.span, fmt::format("'{}' takes the name of a pack or size", s.text),
                           {fmt::format("write {}(P)", s.text)});
    }
  }
}

namespace {

/// The numeric functions of the notation itself; all other functions of sizes are checked separately, where their
/// errors are reported.
constexpr std::array<std::string_view, 3> kNumeric = {"clamp", "select", "ceildiv"};
constexpr std::array<std::string_view, 11> kOfShapes = {"size",    "rank",     "upto",    "sum_of", "offset", "count",
                                                        "element", "elements", "operand", "padded", "opt"};

class Search {
 public:
  explicit Search(const OpLibrary& library) : library_(library) {}

  std::string in(const Syntax& s) {
    if (s.is(SyntaxKind::call)) {
      if (std::string found = call(s.text); !found.empty()) return found;
    }
    for (const Syntax& child : s.children)
      if (std::string found = in(child); !found.empty()) return found;
    return "";
  }

  std::string call(const std::string& name) {
    if (contains(kNumeric, name) || has_flag(name, 'S') || contains(kOfShapes, name) || pack_function(name) ||
        !seen_.insert(name).second)
      return "";
    if (const auto f = library_.fns.find(name); f != library_.fns.end()) return in(f->second.value);
    if (const auto r = library_.scalars.find(name); r != library_.scalars.end() && r->second.as)
      return in(*r->second.as);
    return name;
  }

 private:
  const OpLibrary& library_;
  std::set<std::string> seen_;
};

}  // namespace

std::string not_of_sizes(const Syntax& call, const OpLibrary& library) { return Search(library).call(call.text); }

std::string size_function_names() {
  std::string names = joined(kNumeric, " ");
  for (const ScalarOpRow& row : all_scalar_ops())
    if (row.has('S')) names += " " + std::string(row.name);
  return names;
}

}  // namespace tenon
