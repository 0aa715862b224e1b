// Interval arithmetic, and monotonicity in each size for the maximum value.
#include "ir/graph/size_bounds.h"

#include <map>

#include "support/ranges.h"

namespace tenon {
namespace {

/// Larger ends are treated as unknown.
Interval known(int64_t lo, int64_t hi) { return combined(ScalarOp::Add, {lo, hi}, {0, 0}); }

/// The number k and the divisor d of a term k*d*(e//d).
struct WholePart {
  int64_t times = 0, divisor = 0;
  SizeExpr of;
};
std::optional<WholePart> whole_part(const SizeExpr& term) {
  if (term.op != ScalarOp::Mul || term.args.size() != 2 || !term.args[0].is_constant() ||
      term.args[1].op != ScalarOp::FloorDiv)
    return std::nullopt;
  const SizeExpr& divisor = term.args[1].args[1];
  if (!divisor.is_constant() || divisor.value < 1 || term.args[0].value % divisor.value != 0) return std::nullopt;
  return WholePart{term.args[0].value / divisor.value, divisor.value, term.args[1].args[0]};
}

/// Bounds of a sum, treating k*d*(e//d) as k*e minus k times a remainder: 2*((n + 1)//2) - n is 0 or 1.
Interval with_remainder(const SizeExpr& sum, Interval all, const std::vector<GraphSize>& sizes) {
  for (size_t i = 0; i < sum.args.size(); ++i) {
    const std::optional<WholePart> part = whole_part(sum.args[i]);
    if (!part) continue;
    SizeExpr rest = SizeExpr(part->times) * part->of;
    for (size_t k = 0; k < sum.args.size(); ++k)
      if (k != i) rest = rest + sum.args[k];
    const Interval remainder = combined(ScalarOp::Mul, {part->times, part->times}, {0, part->divisor - 1});
    const Interval b = combined(ScalarOp::Sub, bounds_of(rest, sizes), remainder);
    return {std::max(all.lo, b.lo), std::min(all.hi, b.hi)};
  }
  return all;
}

}  // namespace

Interval bounds_of(const SizeExpr& size, const std::vector<GraphSize>& sizes) {
  if (size.is_constant()) return known(size.value, size.value);
  if (size.is_name()) {
    const GraphSize* open = find_pointer(sizes, [&](const GraphSize& s) { return s.name == size.name; });
    return open ? known(open->lo, open->hi) : kAnyInteger;
  }
  Interval all = bounds_of(size.args[0], sizes);
  for (size_t i = 1; i < size.args.size(); ++i) all = combined(*size.op, all, bounds_of(size.args[i], sizes));
  return size.op == ScalarOp::Add ? with_remainder(size, all, sizes) : all;
}

namespace {

enum Way : int { kGrows = 1, kShrinks = 2, kEither = 3 };

int reversed(int way) { return way == kGrows ? kShrinks : way == kShrinks ? kGrows : kEither; }

/// The direction in which an extent changes with the sizes that it names.
class Ways {
 public:
  Ways(const SizeExpr& size, const std::vector<GraphSize>& sizes) : sizes_(sizes) { note(size, kGrows); }
  const std::map<std::string, int>& of_names() const { return ways_; }

 private:
  void note(const SizeExpr& e, int way) {
    if (e.is_name()) ways_[e.name] |= way;
    if (!e.op) return;
    switch (*e.op) {
      case ScalarOp::Add:
      case ScalarOp::Min:
      case ScalarOp::Max:
        for (const SizeExpr& a : e.args) note(a, way);
        return;
      case ScalarOp::Mul: return note_product(e, way);
      case ScalarOp::FloorDiv: return note_quotient(e, way);
      default: note(e.args[0], kEither), note(e.args[1], kEither);
    }
  }
  void note_product(const SizeExpr& e, int way) {
    int factors = 0;
    bool negative = false;
    for (const SizeExpr& a : e.args) {
      if (a.is_constant()) way = a.value < 0 ? reversed(way) : way;
      else ++factors, negative = negative || bounds_of(a, sizes_).lo < 0;
    }
    for (const SizeExpr& a : e.args) note(a, factors > 1 && negative ? kEither : way);
  }
  void note_quotient(const SizeExpr& e, int way) {
    const SizeExpr &of = e.args[0], &by = e.args[1];
    if (by.is_constant()) return note(of, by.value < 0 ? reversed(way) : way);
    const bool positive = bounds_of(of, sizes_).lo >= 0 && bounds_of(by, sizes_).lo >= 1;
    note(of, positive ? way : kEither);
    note(by, positive ? reversed(way) : kEither);
  }

  const std::vector<GraphSize>& sizes_;
  std::map<std::string, int> ways_;
};

constexpr int64_t kFewValues = 4096;

/// The maximum over all values of the sizes from `next` on; empty if the expression has no value for one of them.
std::optional<int64_t> maximum_of_all(const SizeExpr& size, const std::vector<GraphSize>& open, size_t next,
                                      SizeValues& values) {
  if (next == open.size()) return evaluate(size, values);
  std::optional<int64_t> maximum;
  for (int64_t v = open[next].lo; v <= open[next].hi; ++v) {
    values[open[next].name] = v;
    const std::optional<int64_t> one = maximum_of_all(size, open, next + 1, values);
    if (!one) return std::nullopt;
    maximum = std::max(maximum.value_or(*one), *one);
  }
  return maximum;
}

}  // namespace

std::optional<int64_t> maximum_value(const SizeExpr& size, const std::vector<GraphSize>& sizes) {
  const Ways ways(size, sizes);
  SizeValues values;
  std::vector<GraphSize> open;
  int64_t combinations = 1;
  for (const auto& [name, way] : ways.of_names()) {
    const auto s = find_if(sizes, [&, n = name](const GraphSize& g) { return g.name == n; });
    if (s == sizes.end()) return std::nullopt;
    if (way != kEither) {
      values[name] = way == kGrows ? s->hi : s->lo;
      continue;
    }
    open.push_back(*s);
    combinations =
        s->hi - s->lo < kFewValues ? std::min(combinations * (s->hi - s->lo + 1), kFewValues + 1) : kFewValues + 1;
  }
  if (combinations <= kFewValues) return maximum_of_all(size, open, 0, values);
  const int64_t most = bounds_of(size, sizes).hi;
  return most < kFarInteger ? std::optional(most) : std::nullopt;
}

SizeExpr lesser(const SizeExpr& a, const SizeExpr& b, const std::vector<GraphSize>& sizes) {
  const Interval d = bounds_of(a - b, sizes);
  return d.hi <= 0 ? a : d.lo >= 0 ? b : size_min(a, b);
}

SizeExpr greater(const SizeExpr& a, const SizeExpr& b, const std::vector<GraphSize>& sizes) {
  const Interval d = bounds_of(a - b, sizes);
  return d.lo >= 0 ? a : d.hi <= 0 ? b : size_max(a, b);
}

SizeExpr decided(const SizeExpr& size, const std::vector<GraphSize>& sizes) {
  if (size.args.empty()) return size;
  SizeExpr all = decided(size.args[0], sizes);
  for (size_t i = 1; i < size.args.size(); ++i) {
    const SizeExpr b = decided(size.args[i], sizes);
    all = size.op == ScalarOp::Min   ? lesser(all, b, sizes)
          : size.op == ScalarOp::Max ? greater(all, b, sizes)
                                     : *combined(*size.op, all, b);
  }
  return all;
}

}  // namespace tenon
