// Toom-Cook by evaluation and interpolation: products of polynomials at points, transposed.
#include "algebra/winograd_transform.h"

#include <cstddef>

#include "support/check.h"

namespace tenon {
namespace {

constexpr int kMostPoints = 6;

/// The finite points: 0, 1, -1, 2, -2.
std::vector<double> finite_points(int count) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back((i + 1) / 2 * (i % 2 == 1 ? 1 : -1));
  return out;
}

double power(double base, int exponent) {
  double p = 1;
  for (int i = 0; i < exponent; ++i) p *= base;
  return p;
}

/// Coefficients of Π (x - p) over all points but number `without`, lowest first, filled up with zeros.
std::vector<double> product_of_others(const std::vector<double>& points, size_t without) {
  std::vector<double> out(points.size() + 1, 0);
  out[0] = 1;
  size_t degree = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    if (i == without) continue;
    for (size_t d = ++degree; d > 0; --d) out[d] = out[d - 1] - points[i] * out[d];
    out[0] *= -points[i];
  }
  return out;
}

}  // namespace

WinogradTransform winograd_transform(int outputs, int taps) {
  WinogradTransform t{outputs, taps, {}, {}, {}};
  TENON_CHECK(outputs > 0 && taps > 0 && t.points() <= kMostPoints, "F({}, {}) has no table", outputs, taps);
  const std::vector<double> points = finite_points(t.points() - 1);
  t.result.assign(static_cast<size_t>(outputs), {});
  for (size_t i = 0; i < points.size(); ++i) {
    double scale = 1;  // of the interpolation: it goes to the filter, which is transformed once
    for (size_t j = 0; j < points.size(); ++j) scale *= i == j ? 1 : points[i] - points[j];
    t.data.push_back(product_of_others(points, i));
    std::vector<double>& filter = t.filter.emplace_back();
    for (int k = 0; k < taps; ++k) filter.push_back(power(points[i], k) / scale);
    for (int k = 0; k < outputs; ++k) t.result[static_cast<size_t>(k)].push_back(power(points[i], k));
  }
  t.data.push_back(product_of_others(points, points.size()));
  t.filter.emplace_back(static_cast<size_t>(taps), 0).back() = 1;
  for (int k = 0; k < outputs; ++k) t.result[static_cast<size_t>(k)].push_back(k + 1 == outputs ? 1 : 0);
  return t;
}

}  // namespace tenon
