// The matrices of short convolutions.
#include <cmath>

#include "algebra/winograd_kernel.h"
#include "catch.h"

namespace winograd_transform_test {

using namespace tenon;

namespace {

std::vector<double> times(const Matrix& m, const std::vector<double>& x) {
  std::vector<double> out;
  for (const std::vector<double>& row : m) {
    out.push_back(0);
    for (size_t i = 0; i < x.size(); ++i) out.back() += row[i] * x[i];
  }
  return out;
}

}  // namespace

TEST_CASE("F(2, 3) and F(4, 3) have the known matrices") {
  const WinogradTransform two = winograd_transform(2, 3), four = winograd_transform(4, 3);
  CHECK(two.data == Matrix{{-1, 0, 1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, -1, 0, 1}});
  CHECK(two.result == Matrix{{1, 1, 1, 0}, {0, 1, -1, 1}});
  CHECK(two.filter == Matrix{{-1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}});
  CHECK(four.data[0] == std::vector<double>{4, 0, -5, 0, 1, 0});
  CHECK(four.data[3] == std::vector<double>{0, -2, -1, 2, 1, 0});
  CHECK(four.result[3] == std::vector<double>{0, 1, -1, 8, -8, 1});
  CHECK(four.filter[1] == std::vector<double>{-1.0 / 6, -1.0 / 6, -1.0 / 6});
}

TEST_CASE("as many multiplications as points give the sums of products") {
  const auto check = [](int outputs, int taps, int stride) {
    const WinogradTransform t = winograd_transform(outputs, taps, stride);
    std::vector<double> x, w, points;
    for (int i = 0; i < t.neighbours(); ++i) x.push_back(i * i - 3 * i + 1);
    for (int i = 0; i < taps; ++i) w.push_back(2 * i - 3);
    const std::vector<double> u = times(t.filter, w), v = times(t.data, x);
    for (size_t i = 0; i < u.size(); ++i) points.push_back(u[i] * v[i]);
    const std::vector<double> y = times(t.result, points);
    for (size_t k = 0; k < y.size(); ++k) {
      double sum = 0;
      for (size_t i = 0; i < w.size(); ++i) sum += x[k * static_cast<size_t>(stride) + i] * w[i];
      INFO(outputs << " " << taps << " " << stride << " " << k);
      CHECK(std::fabs(y[k] - sum) < 1e-9);
    }
  };
  for (int outputs = 1; outputs <= 5; ++outputs) {
    for (int stride = 1; stride <= 3; ++stride)
      for (int taps = stride; taps <= 9; ++taps) check(outputs, taps, stride);
  }
}

TEST_CASE("taps that would need more points than six are divided into equal parts") {
  const auto points = [](int outputs, int taps, int stride) {
    const WinogradTransform t = winograd_transform(outputs, taps, stride);
    CHECK(t.data.front().size() == static_cast<size_t>(t.neighbours()));
    CHECK(t.filter.size() == t.data.size());
    return t.points();
  };
  CHECK(points(2, 5, 1) == 6);
  CHECK(points(4, 3, 1) == 6);
  CHECK(points(4, 6, 1) == 6 + 6);
  CHECK(points(4, 7, 1) == 6 + 5 + 5);
  CHECK(points(2, 7, 1) == 5 + 4);
  CHECK(points(2, 7, 2) == 5 + 4);
  CHECK(points(4, 7, 2) == 5 + 5 + 6);
}

}  // namespace winograd_transform_test
