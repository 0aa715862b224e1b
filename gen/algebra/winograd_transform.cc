// Toom-Cook by evaluation and interpolation: products of polynomials at points, transposed.
#include <cstddef>

#include "algebra/winograd_kernel.h"
#include "support/check.h"

namespace tenon {
namespace {

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

Matrix identity(int size) {
  Matrix out(static_cast<size_t>(size), std::vector<double>(static_cast<size_t>(size), 0));
  for (size_t i = 0; i < out.size(); ++i) out[i][i] = 1;
  return out;
}

WinogradTransform unit_transform(int outputs, int taps) {
  WinogradTransform t{outputs, taps, 1, {}, {}, {}};
  if (taps == 1) {
    t.data = t.result = identity(outputs);
    t.filter.assign(static_cast<size_t>(outputs), {1});
    return t;
  }
  const int count = outputs + taps - 1;
  TENON_CHECK(outputs > 0 && taps > 0 && count <= WinogradTransform::kMostPoints, "F({}, {}) has no table", outputs,
              taps);
  const std::vector<double> points = finite_points(count - 1);
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

/// Taps of a convolution of stride 1 in the fewest equal parts that have few enough points each.
std::vector<int> parts_of(int outputs, int taps) {
  const int most = WinogradTransform::kMostPoints + 1 - outputs, count = (taps + most - 1) / most;
  std::vector<int> out;
  for (int i = 0; i < count; ++i) out.push_back(taps / count + (i < taps % count ? 1 : 0));
  return out;
}

/// The rows of `part` whose columns are `step` apart in rows of `columns`, from `first` on.
void add_rows(Matrix& to, const Matrix& part, size_t columns, size_t first, size_t step) {
  for (const std::vector<double>& row : part) {
    std::vector<double>& out = to.emplace_back(columns, 0);
    for (size_t i = 0; i < row.size(); ++i) out[first + i * step] = row[i];
  }
}

}  // namespace

WinogradTransform winograd_transform(int outputs, int taps, int stride) {
  TENON_CHECK(taps >= stride, "a stride of {} skips inputs of {} taps", stride, taps);
  WinogradTransform t{outputs, taps, stride, {}, {}, Matrix(static_cast<size_t>(outputs))};
  const auto step = static_cast<size_t>(stride);
  for (int remainder = 0; remainder < stride; ++remainder) {
    auto first = static_cast<size_t>(remainder);
    for (const int n : parts_of(outputs, (taps - remainder + stride - 1) / stride)) {
      const WinogradTransform part = unit_transform(outputs, n);
      add_rows(t.data, part.data, static_cast<size_t>(t.neighbours()), first, step);
      add_rows(t.filter, part.filter, static_cast<size_t>(taps), first, step);
      for (size_t k = 0; k < t.result.size(); ++k)
        t.result[k].insert(t.result[k].end(), part.result[k].begin(), part.result[k].end());
      first += static_cast<size_t>(n) * step;
    }
  }
  return t;
}

}  // namespace tenon
