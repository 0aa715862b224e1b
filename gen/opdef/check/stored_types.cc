// The type of an intermediate is the widest type that its statement reads. It is known if all of these are integers of
// known width: values of the same body are assumed to be the narrowest until a statement disproves it.
#include <map>
#include <string_view>

#include "ir/number/scalar_op.h"
#include "opdef/check/index_values.h"
#include "support/ranges.h"

namespace tenon {

namespace {

/// The state of a type: not typed yet, a range of values, or unknown.
struct StoredType {
  bool known = true;
  std::optional<Interval> range;

  bool operator==(const StoredType&) const = default;

  void join(const StoredType& other) {
    known = known && other.known;
    if (!other.range) return;
    range = range ? hull(*range, *other.range) : *other.range;
    // Of both signs: the signed type of the width of the widest.
    if (range->lo < 0) range->lo = std::min(range->lo, -(range->hi / 2) - 1);
  }
  void join_unknown() { known = false; }
};

constexpr std::string_view kOfElements[] = {"sum", "prod", "max", "min", "bit_and", "bit_or", "bit_xor"};

class StoredTypes {
 public:
  StoredTypes(const OpDef& op, const BoundsContext& context) : op_(op), context_(context) {
    for (const Statement& s : op.body) {
      const bool plain = !s.is_call && !s.is_extent && s.update == Update::Assign && s.targets.size() == 1;
      for (const Word& target : s.targets) {
        const auto [at, first] = statements_.emplace(target.text, plain ? &s : nullptr);
        if (!first) at->second = nullptr;  // a value that is updated
      }
    }
    for (const auto& [name, statement] : statements_)
      if (statement != nullptr && op.output(name) == nullptr) types_[name] = {};
  }

  /// Type by type until nothing changes; a value of numbers alone is an i64.
  const std::map<std::string, StoredType>& find() {
    do {
      settle();
    } while (!all_typed());
    return types_;
  }

  /// Of a value that find() gave.
  const Syntax& value(const std::string& name) const { return statements_.at(name)->value; }

 private:
  void settle() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto& [name, type] : types_) {
        StoredType now = type;
        if (statements_[name]->value.is_condition()) now.join_unknown();
        else collect(statements_[name]->value, now);
        changed = changed || !(now == type);
        type = now;
      }
    }
  }

  bool all_typed() {
    bool all = true;
    for (auto& [name, type] : types_) {
      if (!type.known || type.range) continue;
      type.join_unknown();
      all = false;
    }
    return all;
  }

  void collect(const Syntax& s, StoredType& type) const {
    switch (s.kind) {
      case SyntaxKind::integer:
      case SyntaxKind::boolean: return;
      case SyntaxKind::name: return name(s, type);
      case SyntaxKind::subscript: return subscript(s, type);
      case SyntaxKind::call: return call(s, type);
      case SyntaxKind::reduce: return reduction(s, type);
      case SyntaxKind::unary: return children(s, type);
      case SyntaxKind::binary: return s.text == "/" || s.text == "**" ? type.join_unknown() : children(s, type);
      default: return type.join_unknown();
    }
  }

  void children(const Syntax& s, StoredType& type) const {
    for (const Syntax& child : s.children) collect(child, type);
  }

  /// Sizes, variables and integer attributes take the type of the other operand.
  void name(const Syntax& s, StoredType& type) const {
    const AttrDef* attr = op_.attr(s.text);
    const bool flexible = attr != nullptr ? attr->kind == AttrKind::integer : context_.reals.count(s.text) == 0;
    if (!flexible) type.join_unknown();
  }

  void subscript(const Syntax& s, StoredType& type) const {
    if (const Syntax* argument = find_value(context_.same_types, s.text)) return subscript(*argument, type);
    if (const auto own = types_.find(s.text); own != types_.end()) return type.join(own->second);
    if (const TensorDef* t = op_.input(s.text) != nullptr ? op_.input(s.text) : op_.output(s.text))
      return typed(t->dtype, type);
    for (const TableDef& t : op_.tables)
      if (t.tensor.name == s.text) return typed(t.tensor.dtype, type);
    type.join_unknown();
  }

  void typed(const std::string& name, StoredType& type) const {
    const Interval* range = find_value(context_.type_ranges, name);
    if (!range) return type.join_unknown();
    if (name != "bool") type.join({true, *range});
  }

  void call(const Syntax& s, StoredType& type) const {
    if (s.calls(Builtin::cast, Builtin::bits)) return typed(s.children[1].text, type);
    if (s.calls(Builtin::select, Builtin::padded, Builtin::opt) || has_flag(s.text, 'W')) return children(s, type);
    type.join_unknown();
  }

  void reduction(const Syntax& s, StoredType& type) const {
    if (s.text == "any" || s.text == "all") return;
    if (s.text == "fold") return s.start() != nullptr ? start(s.start()->children[0], type) : type.join_unknown();
    if (!contains(kOfElements, s.text) || s.reduced().is_condition()) return type.join_unknown();
    StoredType elements;  // numbers alone make it an i64
    collect(s.reduced(), elements);
    if (!elements.range) elements.join_unknown();
    type.join(elements);
  }

  void start(const Syntax& s, StoredType& type) const {
    if (s.calls(Builtin::cast)) typed(s.children[1].text, type);
    else type.join_unknown();
  }

  const OpDef& op_;
  const BoundsContext& context_;
  std::map<std::string, const Statement*> statements_;  ///< value → what defines it; nullptr of one that is updated
  std::map<std::string, StoredType> types_;             ///< of intermediates that one statement defines
};

/// What an expression of a type with this range is between, which may be a shift by a number.
Interval shifted(Interval type, const Syntax& s) {
  const bool shift = s.is(SyntaxKind::call) && s.text == "shr" && s.children.size() == 2;
  if (!shift || !s.children[1].is(SyntaxKind::integer)) return type;
  const int64_t count = s.children[1].integer;
  return count < 0 || count > 63 ? type : Interval{type.lo >> count, type.hi >> count};
}

}  // namespace

void add_stored_types(const OpDef& op, BoundsContext& context) {
  for (const TensorDef& output : op.outputs) {
    const Interval* range = find_value(context.type_ranges, output.dtype);
    if (range && !output.variadic && context.whole_data.count(output.name) != 0)
      context.ranges.emplace(output.name, *range);
  }
  StoredTypes types(op, context);
  for (const auto& [name, type] : types.find())
    if (type.known && type.range && context.whole_data.count(name) != 0 && context.definitions.count(name) == 0)
      context.ranges.emplace(name, shifted(*type.range, types.value(name)));
}

}  // namespace tenon
