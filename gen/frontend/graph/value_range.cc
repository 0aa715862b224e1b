// Interval arithmetic over the ops that extents are computed with.
#include "frontend/graph/value_range.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace tenon {
namespace {

using Range = std::optional<ValueRange>;
using Ranges = std::vector<Range>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMaximumExact = 0x1p53;  // beyond it a sum of doubles does not bound integers

Range checked(double lo, double hi) {
  if (!(lo <= hi) || (std::fabs(lo) > kMaximumExact && std::fabs(hi) > kMaximumExact)) return std::nullopt;
  return ValueRange{std::fabs(lo) > kMaximumExact ? -kInfinity : lo, std::fabs(hi) > kMaximumExact ? kInfinity : hi};
}

ValueRange whole(const Range& r) { return r.value_or(ValueRange{-kInfinity, kInfinity}); }
const Range& input(const Ranges& in, size_t i) {
  static const Range none;
  return i < in.size() ? in[i] : none;
}

Range same(const Ranges& in, const Attributes&) { return input(in, 0); }
Range lesser_of(const Ranges& in, const Attributes&) {
  const ValueRange a = whole(input(in, 0)), b = whole(input(in, 1));
  return checked(std::min(a.lo, b.lo), std::min(a.hi, b.hi));
}
Range greater_of(const Ranges& in, const Attributes&) {
  const ValueRange a = whole(input(in, 0)), b = whole(input(in, 1));
  return checked(std::max(a.lo, b.lo), std::max(a.hi, b.hi));
}
Range sum_of(const Ranges& in, const Attributes&) {
  const ValueRange a = whole(input(in, 0)), b = whole(input(in, 1));
  return checked(a.lo + b.lo, a.hi + b.hi);
}
Range difference_of(const Ranges& in, const Attributes&) {
  const ValueRange a = whole(input(in, 0)), b = whole(input(in, 1));
  return checked(a.lo - b.hi, a.hi - b.lo);
}
Range product_of(const Ranges& in, const Attributes&) {
  if (!input(in, 0) || !input(in, 1)) return std::nullopt;
  const ValueRange a = *in[0], b = *in[1];
  const std::array<double, 4> corners{a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  const auto [lo, hi] = std::minmax_element(corners.begin(), corners.end());
  return checked(*lo, *hi);
}
/// Division by a value of at least 1 makes nothing larger.
Range quotient_of(const Ranges& in, const Attributes&) {
  if (!input(in, 0) || !input(in, 1) || in[1]->lo < 1) return std::nullopt;
  return checked(std::min(std::floor(in[0]->lo), 0.0), std::max(in[0]->hi, 0.0));
}
Range negated(const Ranges& in, const Attributes&) {
  const ValueRange a = whole(input(in, 0));
  return checked(-a.hi, -a.lo);
}
Range magnitude(const Ranges& in, const Attributes&) {
  const ValueRange a = whole(input(in, 0));
  const double hi = std::max(std::fabs(a.lo), std::fabs(a.hi));
  return checked(a.lo >= 0 ? a.lo : a.hi <= 0 ? -a.hi : 0, hi);
}
Range positive_part(const Ranges& in, const Attributes&) {
  const ValueRange a = whole(input(in, 0));
  return checked(std::max(a.lo, 0.0), std::max(a.hi, 0.0));
}
Range rounded(const Ranges& in, const Attributes&) {
  const ValueRange a = whole(input(in, 0));
  return checked(std::floor(a.lo), std::ceil(a.hi));
}
std::optional<double> number(const Attributes& attrs, const std::string& name) {
  const auto it = attrs.find(name);
  if (it == attrs.end()) return std::nullopt;
  if (const auto* i = std::get_if<int64_t>(&it->second)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&it->second)) return *d;
  return std::nullopt;
}
Range clipped(const Ranges& in, const Attributes& attrs) {
  const ValueRange a = whole(input(in, 0));
  const double lo = number(attrs, "lo").value_or(-kInfinity), hi = number(attrs, "hi").value_or(kInfinity);
  return checked(std::min(std::max(a.lo, lo), hi), std::min(std::max(a.hi, lo), hi));
}
/// The elements of two or more inputs from `first` on.
Range hull_of(const Ranges& in, size_t first) {
  double lo = kInfinity, hi = -kInfinity;
  for (size_t i = first; i < in.size(); ++i) {
    lo = std::min(lo, whole(in[i]).lo);
    hi = std::max(hi, whole(in[i]).hi);
  }
  return in.size() > first ? checked(lo, hi) : std::nullopt;
}
Range of_all(const Ranges& in, const Attributes&) { return hull_of(in, 0); }
Range of_chosen(const Ranges& in, const Attributes&) { return hull_of(in, 1); }

}  // namespace

std::optional<ValueRange> range_of_type(DType dtype) {
  if (dtype == DType::Bool) return ValueRange{0, 1};
  if (!is_int(dtype) || is_small(dtype) || dtype_row(dtype).bits > 16) return std::nullopt;
  const double all = std::ldexp(1.0, dtype_row(dtype).bits);
  return is_signed_int(dtype) ? ValueRange{-all / 2, all / 2 - 1} : ValueRange{0, all - 1};
}

std::optional<ValueRange> range_of_result(const std::string& op, const std::vector<std::optional<ValueRange>>& inputs,
                                          const Attributes& attrs) {
  // clang-format off
  static const std::map<std::string, Range (*)(const Ranges&, const Attributes&)> rules{
      {"reshape", same},        {"transpose", same},      {"slice", same},         {"gather", same},
      {"expand", same},         {"cast", same},           {"reverse", same},       {"compress", same},
      {"max", same},            {"min", same},            {"repeat", same},        {"tile", same},
      {"sort", same},           {"gather_nd", same},      {"gather_elements", same},
      {"minimum", lesser_of},   {"maximum", greater_of},  {"add", sum_of},         {"sub", difference_of},
      {"mul", product_of},      {"floor_div", quotient_of}, {"trunc_div", quotient_of}, {"div", quotient_of},
      {"neg", negated},         {"abs", magnitude},       {"relu", positive_part}, {"floor", rounded},
      {"ceil", rounded},        {"round", rounded},       {"trunc", rounded},      {"clip", clipped},
      {"concat", of_all},       {"where", of_chosen}};
  // clang-format on
  const auto rule = rules.find(op);
  return rule == rules.end() ? std::nullopt : rule->second(inputs, attrs);
}

}  // namespace tenon
