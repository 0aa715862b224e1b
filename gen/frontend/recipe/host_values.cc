// Host functions of numbers, lists, texts and dtypes.
#include <cmath>
#include <limits>
#include <set>

#include "frontend/recipe/host_call.h"
#include "ir/number/small_number.h"
#include "support/ranges.h"

namespace tenon {
namespace {

RecipeValue len(const HostCall& c) { return SizeExpr(static_cast<int64_t>(c.list(0).size())); }

RecipeValue range(const HostCall& c) {
  const int64_t from = c.args.size() > 1 ? c.integer(c.args[0]) : 0, to = c.integer(c.args[c.args.size() > 1 ? 1 : 0]);
  if (to - from > kMaxList) c.fail("this range is too long");
  RecipeList list;
  for (int64_t i = from; i < to; ++i) list.push_back(SizeExpr(i));
  return list;
}

RecipeValue extreme(const HostCall& c, bool maximum) {
  const RecipeList list = c.args.size() == 1 ? c.list(0) : c.args;
  if (list.empty()) c.fail("the list is empty");
  const std::vector<GraphSize> sizes = c.context.builder.sizes();
  RecipeValue best = list[0];
  for (const RecipeValue& v : list) {
    if (best.get<double>() || v.get<double>())
      best = maximum ? std::max(c.real(best), c.real(v)) : std::min(c.real(best), c.real(v));
    else best = maximum ? greater(c.whole(best), c.whole(v), sizes) : lesser(c.whole(best), c.whole(v), sizes);
  }
  return best;
}

RecipeValue minimum(const HostCall& c) { return extreme(c, false); }
RecipeValue maximum(const HostCall& c) { return extreme(c, true); }

RecipeValue product_of(const HostCall& c) {
  SizeExpr p = 1;
  for (const RecipeValue& v : c.list(0)) p = p * c.whole(v);
  return p;
}

RecipeValue sum_of(const HostCall& c) {
  SizeExpr s = 0;
  for (const RecipeValue& v : c.list(0)) s = s + c.whole(v);
  return s;
}

RecipeValue ceil_div(const HostCall& c) {
  const SizeExpr a = c.whole(c.args[0]), b = c.whole(c.args[1]);
  if (b.is(0)) c.fail("division by 0");
  return floor_div(a + b - SizeExpr(1), b);
}

/// Whether one of a list of conditions is `wanted`.
bool has_condition(const HostCall& c, bool wanted) {
  return any_of(c.list(0), [&](const RecipeValue& v) {
    const bool* b = v.get<bool>();
    if (!b) c.fail("a list of conditions is expected here");
    return *b == wanted;
  });
}

RecipeValue every(const HostCall& c) { return !has_condition(c, false); }
RecipeValue some(const HostCall& c) { return has_condition(c, true); }

RecipeValue reversed(const HostCall& c) {
  RecipeList list = c.list(0);
  std::reverse(list.begin(), list.end());
  return list;
}

RecipeValue sorted(const HostCall& c) {
  std::vector<int64_t> numbers = mapped(c.list(0), [&](const RecipeValue& v) { return c.integer(v); });
  sort(numbers);
  RecipeList list;
  for (int64_t n : numbers) list.push_back(SizeExpr(n));
  return list;
}

RecipeValue is_constant(const HostCall& c) {
  const SizeExpr* n = c.args[0].get<SizeExpr>();
  return !n || n->is_constant();
}

/// The fraction with the least denominator, 1000 at most, that is `real` to the precision of f32.
std::optional<std::pair<int64_t, int64_t>> fraction(double real) {
  for (int64_t q = 1; q <= 1000; ++q)
    if (const double p = std::round(real * static_cast<double>(q));
        std::fabs(p - real * static_cast<double>(q)) <= std::fabs(p) * 0x1p-23 && p < 0x1p31)
      return std::pair(static_cast<int64_t>(p), q);
  return std::nullopt;
}

/// The integer part of an extent times a factor, rounded to f32 first, as in ONNX's shape inference.
RecipeValue floor_of_product(const HostCall& c) {
  const SizeExpr n = *c.args[0].get<SizeExpr>();
  const double factor = c.real(c.args[1]);
  if (n.is_constant()) {
    const double d = std::floor(static_cast<double>(static_cast<float>(n.value) * static_cast<float>(factor)));
    if (!(std::fabs(d) < 9e18)) c.fail("this number has no whole part that 64 bits hold");
    return SizeExpr(static_cast<int64_t>(d));
  }
  const auto f = factor > 0 ? fraction(factor) : std::nullopt;
  if (!f)
    c.fail(fmt::format(
        "{} times {} depends on run-time sizes, and {} is not a fraction of small numbers; fix them with --size",
        to_text(n), factor, factor));
  return floor_div(n * SizeExpr(f->first), SizeExpr(f->second));
}

RecipeValue floor_of(const HostCall& c) {
  if (c.args.size() == 2 && c.args[0].get<SizeExpr>()) return floor_of_product(c);
  if (c.args.size() == 2) c.fail("an extent is expected before the number");
  if (const SizeExpr* n = c.args[0].get<SizeExpr>()) return *n;
  const double d = std::floor(c.real(c.args[0]));
  if (!(std::fabs(d) < 9e18)) c.fail("this number has no whole part that 64 bits hold");
  return SizeExpr(static_cast<int64_t>(d));
}

RecipeValue square_root(const HostCall& c) { return std::sqrt(c.real(c.args[0])); }
RecipeValue real_of_value(const HostCall& c) { return c.real(c.args[0]); }

// The maximum (sign 1) or least (sign -1) number of a small type that is finite.
RecipeValue extreme_of_small(DType d, int sign) {
  double best = 0;
  for (int code = 0; code < 256; ++code)
    if (const double v = small_value(d, static_cast<uint8_t>(code)); std::isfinite(v) && sign * v > sign * best)
      best = v;
  if (is_int(dtype_row(d).compute)) return SizeExpr(static_cast<int64_t>(best));
  return best;
}

const DType* dtype_of(const HostCall& c) {
  const DType* d = c.args[0].get<DType>();
  if (!d) c.fail("a dtype is expected here");
  return d;
}

RecipeValue dtype_lowest(const HostCall& c) {
  const DType* d = dtype_of(c);
  if (is_small(*d)) return extreme_of_small(*d, -1);
  if (is_float(*d)) return -std::numeric_limits<double>::infinity();
  return SizeExpr(is_signed_int(*d) ? std::numeric_limits<int64_t>::min() >> (64 - dtype_row(*d).bits) : 0);
}

RecipeValue dtype_highest(const HostCall& c) {
  const DType* d = dtype_of(c);
  if (is_small(*d)) return extreme_of_small(*d, 1);
  if (is_float(*d)) return std::numeric_limits<double>::infinity();
  if (*d == DType::U64) return SizeExpr(-1);
  const int bits = dtype_row(*d).bits - (is_signed_int(*d) ? 1 : 0);
  return SizeExpr(static_cast<int64_t>((uint64_t{1} << bits) - 1));
}

RecipeValue is_float_dtype(const HostCall& c) { return c.args[0].get<DType>() && is_float(*c.args[0].get<DType>()); }
RecipeValue is_int_dtype(const HostCall& c) { return c.args[0].get<DType>() && is_int(*c.args[0].get<DType>()); }

// One list of the elements of many.
RecipeValue joined_lists(const HostCall& c) {
  RecipeList all;
  for (const RecipeValue& v : c.list(0)) {
    const RecipeList* part = v.get<RecipeList>();
    if (!part) c.fail("a list of lists is expected here");
    append(all, *part);
  }
  return all;
}

// The broadcast of two extents if only run time determines which of them is 1; otherwise none.
RecipeValue met(const HostCall& c) {
  const auto joint = c.context.builder.joint_extent(c.whole(c.args[0]), c.whole(c.args[1]));
  return joint ? RecipeValue(*joint) : RecipeValue();
}

RecipeValue warn(const HostCall& c) {
  if (c.context.warn) c.context.warn(c.text(0));
  return true;
}

RecipeValue require(const HostCall& c) {
  const bool* holds = c.args[0].get<bool>();
  if (!holds) c.fail("a condition is expected here");
  if (!*holds) c.fail(c.text(1));
  return true;
}

int64_t axis_within(const HostCall& c, const RecipeValue& axis, int64_t dims) {
  const int64_t a = c.integer(axis), n = std::max<int64_t>(dims, 1);  // numbers without dims are often given axis 0
  if (a < -n || a >= n) c.fail(fmt::format("axis {} is outside of a tensor with {} dimensions", a, dims));
  return a < 0 ? a + n : a;
}

// An axis counted from the start; negative ones count from the end of `n` dims.
RecipeValue axis_of(const HostCall& c) { return SizeExpr(axis_within(c, c.args[0], c.integer(c.args[1]))); }

// The same for a list of axes, which are all different.
RecipeValue axes_of(const HostCall& c) {
  RecipeList axes;
  std::set<int64_t> seen;
  for (const RecipeValue& axis : c.list(0)) {
    const int64_t a = axis_within(c, axis, c.integer(c.args[1]));
    if (!seen.insert(a).second) c.fail(fmt::format("axis {} is named twice", a));
    axes.push_back(SizeExpr(a));
  }
  return axes;
}

// Requires two extents to be equal; extents known only at run time are compared there.
RecipeValue require_equal(const HostCall& c) {
  if (c.context.builder.require_equal(c.whole(c.args[0]), c.whole(c.args[1])) == GraphBuilder::Equality::never)
    c.fail(c.text(2));
  return true;
}

constexpr HostRow kValueFunctions[] = {
    {"len", 1, 1, len},
    {"range", 1, 2, range},
    {"least", 1, kMany, minimum},
    {"most", 1, kMany, maximum},
    {"product", 1, 1, product_of},
    {"total", 1, 1, sum_of},
    {"ceil_div", 2, 2, ceil_div},
    {"every", 1, 1, every},
    {"some", 1, 1, some},
    {"reversed", 1, 1, reversed},
    {"sorted", 1, 1, sorted},
    {"whole", 1, 2, floor_of},
    {"real", 1, 1, real_of_value},
    {"root", 1, 1, square_root},
    {"fixed", 1, 1, is_constant},
    {"lowest", 1, 1, dtype_lowest},
    {"highest", 1, 1, dtype_highest},
    {"is_float", 1, 1, is_float_dtype},
    {"is_int", 1, 1, is_int_dtype},
    {"require", 2, 2, require},
    {"warn", 1, 1, warn},
    {"joined", 1, 1, joined_lists},
    {"met", 2, 2, met},
    {"axis_of", 2, 2, axis_of},
    {"axes_of", 2, 2, axes_of},
    {"require_equal", 3, 3, require_equal},
};

}  // namespace

std::span<const HostRow> value_functions() { return kValueFunctions; }

}  // namespace tenon
