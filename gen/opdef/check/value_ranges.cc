// Ranges of values by interval arithmetic. Arithmetic in narrow types wraps: only values known to fit the type are
// used.
#include <limits>
#include <optional>

#include "ir/number/dtype.h"
#include "ir/number/scalar_op.h"
#include "opdef/check/index_values.h"
#include "support/ranges.h"

namespace tenon {

namespace {

using Range = std::optional<Interval>;

class ValueRanges {
 public:
  ValueRanges(const OpDef& op, const BoundsContext& context) : op_(op), context_(context) {}

  /// The range of an expression. Never negative: -1 in an unsigned type is its largest value.
  Range range(const Syntax& s) {
    const auto found = any_range(s);
    return found && found->lo >= 0 && found->hi <= capacity(s) ? found : std::nullopt;
  }

  /// Of a fold whose steps are in a range whatever the step before left; of others the range of the type, which is that
  /// of the start, or of the step if the start is a number. What is known of the start alone does not hold later.
  Range accumulator(const Syntax& fold) {
    const Syntax& start = fold.start()->children[0];
    const auto from = range(start), to = range(fold.reduced());
    if (from && to && to->hi <= capacity(start)) return hull(*from, *to);
    const bool element = start.is(SyntaxKind::subscript);
    if (!element && !start.calls(Builtin::cast)) return std::nullopt;
    const Interval* type = find_value(context_.type_ranges, element ? type_of(start.text) : start.children[1].text);
    return type ? Range(*type) : std::nullopt;
  }

 private:
  Range any_range(const Syntax& s) {
    switch (s.kind) {
      case SyntaxKind::integer: return Interval{s.integer, s.integer};
      case SyntaxKind::boolean: return Interval{0, 1};
      case SyntaxKind::name: return variable(s);
      case SyntaxKind::subscript: return element(s);
      case SyntaxKind::binary: return binary(s);
      case SyntaxKind::call: return call(s);
      case SyntaxKind::reduce: return reduction(s);
      default: return std::nullopt;
    }
  }

  Range reduction(const Syntax& s) {
    if (s.text == "any" || s.text == "all") return Interval{0, 1};
    return s.start() != nullptr ? accumulator(s) : std::nullopt;
  }

  Range variable(const Syntax& s) const {
    const Syntax* extent = find_value(context_.extents, s.text);
    return extent && extent->is(SyntaxKind::integer) ? Range({0, extent->integer - 1}) : std::nullopt;
  }

  Range element(const Syntax& s) const {
    const Interval* known = find_value(context_.ranges, s.text);
    return known ? Range(*known) : std::nullopt;
  }

  Range binary(const Syntax& s) {
    const std::string& sign = s.text;
    if (s.is_condition()) return Interval{0, 1};
    const auto a = range(s.children[0]), b = range(s.children[1]);
    if (sign == "%") {
      if (!b || b->lo < 1 || b->hi > capacity(s.children[0]) || !whole(s.children[0])) return std::nullopt;
      return a && a->hi < b->lo ? a : Range({0, b->hi - 1});
    }
    if (!a || !b || std::max(a->hi, b->hi) > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    const bool known = sign == "+" || sign == "-" || sign == "*" || (sign == "//" && b->lo >= 1);
    return known ? Range(combined(*scalar_op_from_sign(sign), *a, *b)) : std::nullopt;
  }

  Range call(const Syntax& s) {
    const std::size_t n = s.children.size();
    if (s.calls(Builtin::select)) return either(s.children[1], s.children[2]);
    if (s.calls(Builtin::padded, Builtin::opt)) return either(s.children[0], s.children[1]);
    if (s.calls(Builtin::clamp)) return clamped(s);
    if ((s.text == "min" || s.text == "max") && n == 2) return extremum(s);
    if (s.calls(Builtin::cast)) return converted(s);
    if (s.text == "popcount" || s.text == "clz") return Interval{0, 64};
    if (s.text == "bit_and" && n == 2) return masked(s);
    if (s.text == "shr" && n == 2) {
      const auto x = range(s.children[0]), by = range(s.children[1]);
      if (x && by && by->lo >= 0 && by->hi < 8) return Interval{x->lo >> by->hi, x->hi >> by->lo};
    }
    if (const auto body = bounds().inlined(s)) return range(*body);
    return std::nullopt;
  }

  Range either(const Syntax& x, const Syntax& y) {
    const auto a = range(x), b = range(y);
    return a && b ? Range(hull(*a, *b)) : std::nullopt;
  }

  Range clamped(const Syntax& s) {
    const auto low = range(s.children[1]), high = range(s.children[2]);
    if (!low || !high || !whole(s.children[0])) return std::nullopt;
    if (std::max(low->hi, high->hi) > capacity(s.children[0])) return std::nullopt;
    return Interval{low->lo, high->hi};
  }

  Range extremum(const Syntax& s) {
    const auto a = range(s.children[0]), b = range(s.children[1]);
    return a && b ? Range(combined(s.text == "min" ? ScalarOp::Min : ScalarOp::Max, *a, *b)) : std::nullopt;
  }

  /// Values that fit the type are unchanged; others are limited to the range of the type.
  Range converted(const Syntax& s) {
    const auto value = range(s.children[0]);
    const std::string& type = s.children[1].text;
    const Interval* known = find_value(context_.type_ranges, type);
    if (!known) return type == "i64" || type == "u64" ? value : std::nullopt;
    return value && within(*value, *known) ? value : Range(*known);
  }

  Range masked(const Syntax& s) {
    for (const std::size_t mask : {0, 1}) {
      const auto m = range(s.children[mask]);
      const Syntax& x = s.children[1 - mask];
      if (m && m->hi <= capacity(x) && whole(x)) return Interval{0, m->hi};
    }
    return std::nullopt;
  }

  /// A number that the type in which an expression is computed surely holds: that of its widest part of a known type;
  /// of numbers alone that of i64.
  std::int64_t capacity(const Syntax& s) {
    if (s.is(SyntaxKind::integer) || s.is(SyntaxKind::name)) return kFlexible;
    if (s.is(SyntaxKind::subscript)) return type_capacity(type_of(s.text));
    if (s.is(SyntaxKind::reduce) || s.is_condition()) return kLeast;
    if (s.calls(Builtin::cast, Builtin::bits)) return type_capacity(s.children[1].text);
    const auto body = s.is(SyntaxKind::call) ? bounds().inlined(s) : std::nullopt;
    if (body) return capacity(*body);
    const std::size_t first = s.calls(Builtin::select) ? 1 : 0;
    std::int64_t typed = 0;
    for (std::size_t i = first; i < s.children.size(); ++i)
      if (const std::int64_t c = capacity(s.children[i]); c != kFlexible) typed = std::max(typed, c);
    return typed == 0 ? kFlexible : typed;
  }

  bool whole(const Syntax& s) { return bounds().whole(s); }

  IndexBounds& bounds() {
    if (!bounds_) bounds_.emplace(context_);
    return *bounds_;
  }

  std::string type_of(const std::string& value) const {
    if (const TensorDef* input = op_.input(value)) return input->dtype;
    for (const TableDef& t : op_.tables)
      if (t.tensor.name == value) return t.tensor.dtype;
    return "";
  }

  static std::int64_t type_capacity(const std::string& type) {
    const auto dtype = dtype_from_name(type);
    if (!dtype || !is_int(*dtype) || is_small(*dtype)) return kLeast;
    return static_cast<std::int64_t>((std::uint64_t{1} << (dtype_row(*dtype).bits - 1)) - 1);
  }

  static constexpr std::int64_t kLeast = std::numeric_limits<std::int8_t>::max();
  static constexpr std::int64_t kFlexible = std::numeric_limits<std::int64_t>::max();

  const OpDef& op_;
  const BoundsContext& context_;
  std::optional<IndexBounds> bounds_;  ///< made where it is asked: most values have no such range
};

}  // namespace

Range accumulated_range(const OpDef& op, const BoundsContext& context, const Syntax& fold) {
  return ValueRanges(op, context).accumulator(fold);
}

Range stored_range(const OpDef& op, const BoundsContext& context, const Statement& s) {
  const Range range = ValueRanges(op, context).range(s.value);
  const TensorDef* output = op.output(s.targets[0].text);
  if (!range || output == nullptr) return range;
  const Interval* type = find_value(context.type_ranges, output->dtype);
  const bool held = type ? within(*range, *type) : output->dtype == "i64" || output->dtype == "u64";
  return held ? range : std::nullopt;
}

void add_value_ranges(const OpDef& op, BoundsContext& context) {
  for (const Statement& s : op.body) {
    if (s.is_call || s.is_extent || s.update != Update::Assign || s.targets.size() != 1) continue;
    const std::string& name = s.targets[0].text;
    const bool defined = context.definitions.count(name) != 0 && context.recurrent.count(name) == 0;
    if (defined || context.whole_data.count(name) == 0 || !defined_once(op, name)) continue;
    if (const Range range = stored_range(op, context, s)) context.ranges[name] = *range;
  }
}

}  // namespace tenon
