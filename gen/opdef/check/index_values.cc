// Types of inputs, definitions of intermediates and real numbers, for the proofs that indices are in range.
#include "opdef/check/index_values.h"

#include <map>
#include <vector>

#include "ir/number/dtype.h"
#include "opdef/check/check_op.h"
#include "opdef/check/statement_checks.h"
#include "support/ranges.h"

namespace tenon {

namespace {

/// Whether an expression is computed in i64: then its value is the exact integer that proofs assume. Narrower types
/// wrap, and sizes next to them are narrowed; reals are rounded.
class WholeExpressions {
 public:
  WholeExpressions(const OpDef& op, const BoundsContext& context) : op_(op), context_(context) {}

  bool whole(const Syntax& s) const {
    switch (s.kind) {
      case SyntaxKind::integer: return true;
      case SyntaxKind::name: return name(s);
      case SyntaxKind::unary: return s.text == "-" && whole(s.children[0]);
      case SyntaxKind::binary: return binary(s);
      case SyntaxKind::call: return call(s);
      case SyntaxKind::reduce: return reduction(s);
      case SyntaxKind::subscript: return subscript(s);
      default: return false;
    }
  }

 private:
  bool name(const Syntax& s) const {
    if (context_.reals.count(s.text) != 0 || context_.booleans.count(s.text) != 0) return false;
    const AttrDef* attr = op_.attr(s.text);
    return attr == nullptr || attr->kind == AttrKind::integer;
  }

  bool binary(const Syntax& s) const {
    const bool arithmetic = s.text == "+" || s.text == "-" || s.text == "*" || s.text == "//" || s.text == "%";
    return arithmetic && whole(s.children[0]) && whole(s.children[1]);
  }

  bool call(const Syntax& s) const {
    if (s.calls(Builtin::cast)) return s.children[1].is_name("i64");
    const bool choice = s.calls(Builtin::select);
    if (s.text == "bit_and" || s.text == "shr")
      return s.children.size() == 2 && whole(s.children[0]) && whole(s.children[1]);
    if (is_guarded(s)) return guard(s);
    const bool known =
        choice || s.calls(Builtin::ceildiv, Builtin::padded) || s.text == "min" || s.text == "max" || s.text == "abs";
    return known && std::all_of(s.children.begin() + (choice ? 1 : 0), s.children.end(),
                                [&](const Syntax& c) { return whole(c); });
  }

  /// Guards are computed in i64, whatever integer they guard.
  bool guard(const Syntax& s) const {
    return std::all_of(s.children.begin() + 1, s.children.end(), [&](const Syntax& c) { return whole(c); }) &&
           (whole(s.children[0]) || IndexBounds(context_).whole(s.children[0]));
  }

  /// A fold may start in another type; truth values are counted in i64.
  bool reduction(const Syntax& s) const {
    if (s.text == "argmax" || s.text == "argmin") return true;
    if (s.start() != nullptr || s.text == "any" || s.text == "all") return false;
    const TensorDef* input = s.reduced().is(SyntaxKind::subscript) ? op_.input(s.reduced().text) : nullptr;
    const bool truth = s.reduced().is_condition() || (input != nullptr && input->dtype == "bool");
    return whole(s.reduced()) || (s.text == "sum" && truth);
  }

  bool subscript(const Syntax& s) const {
    if (const AttrDef* attr = op_.attr(s.text)) return attr->kind == AttrKind::integer;
    const TensorDef* tensor = op_.input(s.text);
    if (tensor == nullptr) tensor = op_.output(s.text);
    return tensor != nullptr ? tensor->dtype == "i64" : context_.definitions.count(s.text) != 0;
  }

  const OpDef& op_;
  const BoundsContext& context_;
};

bool is_integer_type(const TypeVar& type) {
  return all_of(type.classes, [](const Word& w) {
    const auto dtype = dtype_from_name(w.text);
    return w.text == "int" || w.text == "uint" || w.text == "index" || (dtype && is_int(*dtype));
  });
}

/// The minimum and maximum of an integer type that is narrower than an index; for a small type, the stored values: a
/// cast to it gives a wider range.
std::optional<Interval> range_of(DType dtype) {
  const DType type = dtype_row(dtype).compute;
  const int bits = dtype_row(dtype).key & 0xff;
  if (dtype == DType::Bool) return Interval{0, 1};
  if (!is_int(type) || bits >= 64) return std::nullopt;
  if (is_unsigned_int(type)) return Interval{0, (std::int64_t{1} << bits) - 1};
  return Interval{-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
}

/// A type variable that ranges over named types holds what the widest of them does; a class has a type of 64 bits.
std::optional<Interval> range_of_type(const std::string& type, const OpDef& op) {
  std::vector<std::string> names = {type};
  if (const TypeVar* variable = op.type(type)) {
    names.clear();
    for (const Word& w : variable->classes) names.push_back(w.text);
  }
  std::optional<Interval> all;
  for (const std::string& name : names) {
    const auto dtype = dtype_from_name(name);
    const std::optional<Interval> range = name == "bool" ? Interval{0, 1} : dtype ? range_of(*dtype) : std::nullopt;
    if (!range) return std::nullopt;
    all = all ? hull(*all, *range) : *range;
  }
  return all;
}

void add_range(const TensorDef& input, const OpDef& op, BoundsContext& context) {
  if (const auto range = range_of_type(input.dtype, op)) context.ranges.emplace(input.name, *range);
}

/// The ranges of the types that casts name.
void add_types(const OpDef& op, BoundsContext& context) {
  std::vector<std::string> names = {"bool", "i8", "i16", "i32", "u8", "u16", "u32"};
  for (const TypeVar& t : op.types)
    if (none_of(t.classes, [](const Word& w) {
          const auto dtype = dtype_from_name(w.text);
          return dtype && is_small(*dtype);
        }))
      names.push_back(t.name);
  for (const std::string& name : names)
    if (const auto range = range_of_type(name, op)) context.type_ranges.emplace(name, *range);
}

/// An output preserves the stored value if it is as wide as an index.
bool narrows(const OpDef& op, const std::string& name) {
  const TensorDef* output = op.output(name);
  return output != nullptr && output->dtype != "i64";
}

bool reads_any(const Syntax& s, const std::set<std::string>& names) {
  return any_within(s, [&](const Syntax& n) { return n.is(SyntaxKind::subscript) && names.count(n.text) != 0; });
}

bool has_real(const Syntax& s, const BoundsContext& context) {
  return any_within(s, [&](const Syntax& n) {
    return n.is(SyntaxKind::real) || n.is(SyntaxKind::infinity) || (n.is(SyntaxKind::binary) && n.text == "/") ||
           (n.is(SyntaxKind::name) && context.reals.count(n.text) != 0);
  });
}

/// Intermediates that one statement defines in i64. Those of a recurrence are assumed to be in i64 until a statement
/// that they depend on is not.
void add_definitions(const OpDef& op, BoundsContext& context) {
  std::set<std::string> open;  // values that are not defined yet: what reads them is of a recurrence
  for (const Statement& s : op.body)
    for (const Word& target : s.targets) open.insert(target.text);
  for (const Statement& s : op.body) {
    const std::string& name = s.targets[0].text;
    const bool recurrent = reads_any(s.value, open);
    for (const Word& target : s.targets) open.erase(target.text);
    if (s.is_call || s.update != Update::Assign || s.targets.size() != 1 || narrows(op, name) ||
        !defined_once(op, name))
      continue;
    context.definitions[name] = &s;
    if (recurrent) context.recurrent.insert(name);
  }
  const WholeExpressions expressions(op, context);
  while (std::erase_if(context.definitions, [&](const auto& d) { return !expressions.whole(d.second->value); }) != 0) {
  }
}

/// Values of recurrences that may be read before they are computed, where a guard changes the index: they are 0 then.
std::set<std::string> values_read_early(const OpDef& op) {
  std::set<std::string> found;
  Diagnostics reported_by_others;
  for (const RecurrentGroup& group : recurrent_groups(op, reported_by_others)) {
    std::set<std::string> members;
    for (std::size_t i = group.first; i <= group.last; ++i) members.insert(op.body[i].targets[0].text);
    for (std::size_t i = group.first; i <= group.last; ++i)
      each_within(op.body[i].value, [&](const Syntax& s) {
        const bool member = s.is(SyntaxKind::subscript) && members.count(s.text) != 0;
        if (member && any_of(s.children, is_guarded)) found.insert(s.text);
      });
  }
  return found;
}

/// Outputs of integers, and intermediates whose statements all have integer values or whose type is that of such a
/// value: each is assumed to be one until a statement disproves it.
void add_whole_values(const OpDef& op, BoundsContext& context) {
  std::map<std::string, std::vector<const Syntax*>> open;
  for (const auto& [name, argument] : context.same_types) {
    open[name].push_back(&argument);
    context.whole_data.insert(name);
  }
  for (const Statement& s : op.body) {
    if (s.is_call || s.is_extent || op.input(s.targets[0].text) != nullptr) continue;
    const TensorDef* output = op.output(s.targets[0].text);
    if (output != nullptr && !holds_whole_numbers(*output, op)) continue;
    if (output == nullptr) open[s.targets[0].text].push_back(&s.value);
    context.whole_data.insert(s.targets[0].text);
  }
  for (bool changed = true; changed;) {
    IndexBounds bounds(context);
    const std::size_t before = open.size();
    std::erase_if(open, [&](const auto& value) {
      if (all_of(value.second, [&](const Syntax* s) { return bounds.whole(*s); })) return false;
      context.whole_data.erase(value.first);
      return true;
    });
    changed = open.size() < before;
  }
}

}  // namespace

bool defined_once(const OpDef& op, const std::string& value) {
  return count_if(op.body, [&](const Statement& s) {
           return any_of(s.targets, [&](const Word& w) { return w.text == value; });
         }) == 1;
}

bool holds_whole_numbers(const TensorDef& tensor, const OpDef& op) {
  if (const TypeVar* type = op.type(tensor.dtype)) return is_integer_type(*type);
  const auto dtype = dtype_from_name(tensor.dtype);
  return dtype && is_int(*dtype);
}

void add_index_values(const OpDef& op, BoundsContext& context) {
  for (const AttrDef& a : op.attrs) {
    const bool real = a.kind == AttrKind::real || a.kind == AttrKind::type_variable ||
                      (a.kind == AttrKind::dtype && !is_int(*dtype_from_name(a.type)));
    if (real) context.reals.insert(a.name);
  }
  for (const LetDef& l : op.lets) {
    const bool extent = context.sizes.count(l.name) != 0 ||
                        any_of(op.index, [&](const IndexRange& r) { return r.extent.is_name(l.name); });
    if (has_real(l.value, context) && !extent) context.reals.insert(l.name);
  }
  for (const TypeVar& t : op.types) {
    if (is_integer_type(t)) context.integer_types.insert(t.name);
  }
  add_types(op, context);
  for (const TensorDef& t : op.inputs) {
    add_range(t, op, context);
    if (holds_whole_numbers(t, op)) context.whole_data.insert(t.name);
  }
  for (const TableDef& t : op.tables) {
    add_range(t.tensor, op, context);
    if (holds_whole_numbers(t.tensor, op)) context.whole_data.insert(t.tensor.name);
    if (const auto range = values_of(t); range && holds_whole_numbers(t.tensor, op))
      context.ranges[t.tensor.name] = *range;
  }
  const std::set<std::string> early = values_read_early(op);
  add_whole_values(op, context);  // a guard of such a value is a definition, and definitions make more values whole
  add_definitions(op, context);
  for (const std::string& name : early) context.definitions.erase(name);
  add_whole_values(op, context);
  add_value_ranges(op, context);
  for (const std::string& name : early)
    if (Interval* range = find_value(context.ranges, name)) *range = hull(*range, {0, 0});
  add_stored_types(op, context);
}

}  // namespace tenon
