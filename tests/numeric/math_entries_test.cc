// Math entries keep the error bounds that they state, at the ends of their range too; f64 against long double.
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <numbers>

#include "catch.h"
#include "numeric/evaluate_math.h"
#include "opdef/read/read_math.h"
#include "oracle/special_functions.h"
#include "unit/opdef/read_text.h"

namespace math_entries_test {

using namespace tenon;
using tenon_test::MathEvaluator;

namespace {

SourceFileRef file_at(const std::string& path) { return tenon_test::source(tenon_test::file_text(path), path); }

std::vector<SourceFileRef> shipped_files() {
  std::vector<SourceFileRef> files;
  for (const auto& file : std::filesystem::directory_iterator(std::string(TENON_CHECKOUT) + "/opdefs/math"))
    files.push_back(file_at(file.path().string()));
  return files;
}

const MathLibrary& library() {
  static const MathLibrary read = read_math(shipped_files()).value();
  return read;
}

/// The entries of --fast-math.
const MathLibrary& fast_library() {
  static const MathLibrary read =
      read_math(shipped_files(), {file_at(std::string(TENON_CHECKOUT) + "/opdefs/math_variants/fast.yaml")}).value();
  return read;
}

using Real = long double;
struct Case {
  const char* name;
  std::function<Real(Real)> truth;
  Real low, high;
};

const std::vector<Case>& cases() {
  static const Real pi = std::acos(Real(-1)), all = std::numeric_limits<Real>::infinity();
  static const std::vector<Case> table = {
      {"exp", [](Real x) { return std::exp(x); }, -all, all},
      {"exp_bounded", [](Real x) { return std::exp(x); }, -all, 40},
      {"exp2", [](Real x) { return std::exp2(x); }, -all, all},
      {"expm1", [](Real x) { return std::expm1(x); }, -all, all},
      {"sigmoid", [](Real x) { return 1 / (1 + std::exp(-x)); }, -all, all},
      {"log", [](Real x) { return std::log(x); }, -all, all},
      {"log2", [](Real x) { return std::log2(x); }, -all, all},
      {"log10", [](Real x) { return std::log10(x); }, -all, all},
      {"log1p", [](Real x) { return std::log1p(x); }, -all, all},
      {"tan", [](Real x) { return std::tan(x); }, -1e6L, 1e6L},
      {"sin", [](Real x) { return std::sin(x); }, -1e6L, 1e6L},
      {"cos", [](Real x) { return std::cos(x); }, -1e6L, 1e6L},
      {"asin", [](Real x) { return std::asin(x); }, -all, all},
      {"acos", [](Real x) { return std::acos(x); }, -all, all},
      {"atan", [](Real x) { return std::atan(x); }, -all, all},
      {"sinh", [](Real x) { return std::sinh(x); }, -all, all},
      {"cosh", [](Real x) { return std::cosh(x); }, -all, all},
      {"tanh", [](Real x) { return std::tanh(x); }, -all, all},
      {"asinh", [](Real x) { return std::asinh(x); }, -all, all},
      {"acosh", [](Real x) { return std::acosh(x); }, -all, all},
      {"atanh", [](Real x) { return std::atanh(x); }, -all, all},
      {"erf", [](Real x) { return std::erf(x); }, -all, all},
      {"erfc", [](Real x) { return std::erfc(x); }, -all, all},
      {"normcdf", [](Real x) { return std::erfc(x * -std::sqrt(Real(0.5))) / 2; }, -all, all},
      {"erf_fast", [](Real x) { return std::erf(x); }, -all, all},
      {"cbrt", [](Real x) { return std::cbrt(x); }, -all, all},
      {"sqrt", [](Real x) { return std::sqrt(x); }, -all, all},
      {"rsqrt", [](Real x) { return 1 / std::sqrt(x); }, -all, all},
      {"lgamma", [](Real x) { return std::lgamma(x); }, 0, all},
      {"sinpi", [](Real x) { return std::sin(pi * x); }, -0.5L, 0.5L},
      {"cospi", [](Real x) { return std::sin(pi * (Real(0.5) - x)); }, 0, 1},
  };
  return table;
}

/// Distance in units of the last place of T at `want`; 0 if both are NaN or the same infinity.
template <typename T>
double ulps(T got, Real want) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want) ? 0 : 1e9;
  const Real top = std::numeric_limits<T>::max();
  if (std::isinf(got) || std::fabs(want) > top)
    return std::fabs(want) >= top * (1 - Real(std::numeric_limits<T>::epsilon())) && (got > 0) == (want > 0) &&
                   std::fabs(got) >= top
               ? 0
               : 1e9;
  if (want == 0) return got == 0 && std::signbit(got) == std::signbit(want) ? 0 : 1e9;
  int e = 0;
  std::frexp(want, &e);
  return static_cast<double>(
      std::fabs(got - want) /
      std::ldexp(Real(1), std::max(e, std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits));
}

template <typename T, typename U>
std::vector<T> arguments() {
  std::vector<T> xs = {T(0),
                       -T(0),
                       T(1),
                       T(-1),
                       T(0.5),
                       T(2),
                       T(3),
                       T(-2),
                       std::numeric_limits<T>::denorm_min(),
                       -std::numeric_limits<T>::denorm_min(),
                       std::numeric_limits<T>::min(),
                       std::numeric_limits<T>::max(),
                       std::numeric_limits<T>::lowest(),
                       std::numeric_limits<T>::infinity(),
                       -std::numeric_limits<T>::infinity(),
                       std::numeric_limits<T>::quiet_NaN()};
  uint64_t state = 1;
  const auto next = [&] { return state = state * 6364136223846793005u + 1442695040888963407u; };
  for (int k = 0; k < 700; ++k) {
    const U u = static_cast<U>(next() >> (64 - 8 * sizeof(U)));
    xs.push_back(std::bit_cast<T>(u));
    xs.push_back(T(static_cast<int64_t>(next())) * T(0x1p-59));
    xs.push_back(T(static_cast<int64_t>(next())) * T(0x1p-63));
    xs.push_back(T(1) + T(static_cast<int64_t>(next())) * T(0x1p-64));
  }
  return xs;
}

double bound_of(const std::string& name, DType dtype, bool fused, bool lookups) {
  const MathFunction* f = library().find(name, dtype);
  if (lookups && !f->by_lookup.empty()) f = library().find(f->by_lookup, dtype);
  else if (fused && !f->by_fma.empty()) f = library().find(f->by_fma, dtype);
  return f->ulp.value_or(0.5);
}

template <typename T, typename U>
void keeps_bounds(DType dtype, bool fused, bool lookups = false) {
  const MathEvaluator<T, U> run(library(), dtype, fused, lookups);
  const std::vector<T> xs = arguments<T, U>();
  for (const Case& c : cases()) {
    const double bound = bound_of(c.name, dtype, fused, lookups);
    for (const T x : xs) {
      if (!(x >= c.low && x <= c.high) && !std::isnan(x)) continue;
      const Real want = c.truth(x);
      const T got = run(c.name, {x});
      const double error = ulps(got, want);
      if (error > bound + 0.002)
        FAIL_CHECK(c.name << " of " << name_of(dtype) << (fused ? " with" : " without") << " fma"
                          << (lookups ? ", by tables," : "") << " at " << x << ": " << got << ", error " << error
                          << " ULP, bound " << bound);
    }
  }
}

}  // namespace

TEST_CASE("math entries keep their bounds: f32 with fma") { keeps_bounds<float, uint32_t>(DType::F32, true); }
TEST_CASE("math entries keep their bounds: f32 without fma") { keeps_bounds<float, uint32_t>(DType::F32, false); }
TEST_CASE("math entries keep their bounds: f64 with fma") { keeps_bounds<double, uint64_t>(DType::F64, true); }
TEST_CASE("math entries keep their bounds: f32 by tables") { keeps_bounds<float, uint32_t>(DType::F32, true, true); }
TEST_CASE("math entries keep their bounds: f64 by tables") { keeps_bounds<double, uint64_t>(DType::F64, true, true); }
TEST_CASE("math entries keep their bounds: f64 without fma") { keeps_bounds<double, uint64_t>(DType::F64, false); }

TEST_CASE("math entries: those of --fast-math keep their bounds, and the ends of their range") {
  const std::vector<float> xs = arguments<float, uint32_t>();
  const Real top = std::numeric_limits<float>::max();
  int bounded = 0;
  for (const bool fused : {true, false}) {
    const MathEvaluator<float, uint32_t> run(fast_library(), DType::F32, fused);
    for (const Case& c : cases()) {
      const auto bound = fast_library().find(c.name, DType::F32)->error;
      if (!bound) continue;
      ++bounded;
      for (const float x : xs) {
        if (!(x >= c.low && x <= c.high) && !std::isnan(x)) continue;
        const Real want = c.truth(x), got = run(c.name, {x});
        INFO(c.name << " at " << x << ": " << static_cast<double>(got));
        if (std::isnan(x)) CHECK(std::isnan(got));
        else if (std::fabs(want) > top) CHECK((std::isinf(got) && (got > 0) == (want > 0)));
        else CHECK(std::fabs(got - want) <= bound->relative * std::fabs(want) + bound->absolute);
      }
    }
    CHECK(run("exp", {-INFINITY}) == 0);
    CHECK(run("exp", {0}) == 1);
    CHECK(run("mul_exp", {-3, 0}) == -3);
    CHECK(std::fabs(run("mul_exp", {1e-30f, 100}) / (1e-30 * std::exp(100.0)) - 1) < 2e-5);
    CHECK(std::signbit(run("mul_exp", {-3, -INFINITY})));
  }
  CHECK(bounded == 2 * 7);
}

TEST_CASE("math entries: a number times an exponential, which alone may be a denormal, 0 or infinite") {
  const auto check = [](const auto& run, const char* exponential, auto one, DType dtype) {
    using T = decltype(one);
    const double bound = *library().find("times_exp", dtype)->ulp;
    for (const T a : {T(1), T(-3), T(0), T(-0.0), T(1e-30), T(0x1p60)})
      for (T t = -800; t < 40; t += T(0.8125)) {
        const T e = run(exponential, {t}), got = run("times_exp", {a, t, e});
        INFO(exponential << " " << a << " " << t << " " << got);
        CHECK(got == run("times_exp", {a, t, T(run("exp", {t}))}));
        CHECK(ulps(got, a * std::exp(Real(t))) <= bound);
      }
    const T far = -std::numeric_limits<T>::infinity();
    CHECK(ulps(run("times_exp", {far, far, T(run(exponential, {far}))}), Real(-0.0)) == 0);
    CHECK(std::isnan(run("times_exp", {1, std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::quiet_NaN()})));
  };
  for (const bool fused : {true, false})
    for (const char* exponential : {"exp", "exp_bounded"}) {
      check(MathEvaluator<float, uint32_t>(library(), DType::F32, fused), exponential, 1.0f, DType::F32);
      check(MathEvaluator<double, uint64_t>(library(), DType::F64, fused), exponential, 1.0, DType::F64);
    }
}

TEST_CASE("math entries: exponentials that are 0, as of masked scores, take no longer than others") {
  const auto check = [](const auto& make, auto one, double least) {
    using T = decltype(one);
    for (const auto& [name, scale] : {std::pair("exp", 1.0), std::pair("exp_bounded", 1.0), std::pair("sigmoid", 1.0),
                                      std::pair("exp2", 1.0 / std::numbers::ln2)})
      for (const double x : {least, 1.3 * least, 100 * least, -std::numeric_limits<double>::infinity()}) {
        const auto run = make();
        INFO(name << " " << x * scale);
        CHECK(ulps(run(name, {T(x * scale)}), Real(0)) == 0);
        CHECK_FALSE(run.was_slow());
      }
    const auto run = make();
    run("exp", {T(least * 0.95)});  // a denormal, or not much smaller
    CHECK(run.was_slow());
  };
  for (const bool fused : {true, false}) {
    check([&] { return MathEvaluator<float, uint32_t>(library(), DType::F32, fused); }, 1.0f, -112);
    check([&] { return MathEvaluator<double, uint64_t>(library(), DType::F64, fused); }, 1.0, -756);
  }
}

TEST_CASE("math entries: sin and cos of huge arguments") {
  const MathEvaluator<float, uint32_t> f(library(), DType::F32, false);
  CHECK(f("sin", {0x1.2p100f}) == static_cast<float>(std::sin(0x1.2p100)));
  CHECK(f("cos", {-3.0e38f}) == static_cast<float>(std::cos(static_cast<double>(-3.0e38f))));
  const MathEvaluator<double, uint64_t> d(library(), DType::F64, true);
  CHECK(ulps(d("sin", {0x1.6ac5b262ca1ffp+849}), 1.0L) <= 1);
  CHECK(ulps(d("cos", {0x1.6ac5b262ca1ffp+849}), -0x1.14ae72e6ba22fp-61L) <= 1);
}

TEST_CASE("math entries: sum_error is what a sum loses, exactly") {
  const MathEvaluator<float, uint32_t> run(library(), DType::F32, false);
  const float values[] = {0.1f, -0.1f, 1, 3e7f, -1.7e7f, -2.5e-3f, 0};  // their sums are exact in long double
  for (const float a : values)
    for (const float b : values) {
      INFO(a << " " << b);
      const float sum = a + b;
      CHECK(run("sum_error", {a, b}) == static_cast<float>(Real(a) + Real(b) - Real(sum)));
    }
  CHECK(run("sum_error", {-3.1e38f, 1}) == 1);
  CHECK(run("sum_error", {3.1e38f, 3.1e38f}) == 0);
  CHECK(run("sum_error", {INFINITY, 1}) == 0);
  CHECK(run("sum_error", {NAN, 1}) == 0);
}

TEST_CASE("math entries: powers of numbers near 1 and of any others, with results near the ends of the range") {
  const auto check = [](const auto& run, auto one, DType dtype) {
    using T = decltype(one);
    const double bound = *library().find("pow", dtype)->ulp, most = dtype == DType::F32 ? 127 : 1023;
    for (int k = -4000; k <= 4000; ++k)
      for (const T x : {T(1) + T(k) * T(0x1p-14), T(std::exp2(k * 0.02971))}) {
        const Real log = std::log2(Real(x));
        if (log == 0) continue;
        for (const double part : {1.0, -0.97, 0.31}) {
          const T y = static_cast<T>(part * most / log);
          const double error = ulps(run("pow", {x, y}), std::pow(Real(x), Real(y)));
          INFO(name_of(dtype) << " " << x << " to the power " << y);
          if (error > bound) CHECK(error <= bound);
        }
      }
  };
  for (const auto& [fused, lookups] : {std::pair(false, false), std::pair(true, false), std::pair(true, true)}) {
    check(MathEvaluator<float, uint32_t>(library(), DType::F32, fused, lookups), 1.0f, DType::F32);
    check(MathEvaluator<double, uint64_t>(library(), DType::F64, fused, lookups), 1.0, DType::F64);
  }
}

TEST_CASE("math entries: the powers 2, 3 and 0.5 are products and a root, rounded as such") {
  const auto check = [](const auto& run, auto one) {
    using T = decltype(one);
    const auto is = [&](T x, T y, T want) {
      INFO(x << " to the power of " << y);
      const T got = run("pow", {x, y});
      if (got != want || std::signbit(got) != std::signbit(want)) CHECK(got == want);
    };
    for (int k = -3000; k <= 3000; ++k)
      for (const T x : {T(1) + T(k) * T(0x1.357p-13), T(-std::exp2(k * 0.0571)), T(std::exp2(k * 0.3571))}) {
        is(x, T(2), x * x);
        is(x, T(3), x * x * x);
        if (x > 0) is(x, T(0.5), std::sqrt(x));
      }
    const T infinity = std::numeric_limits<T>::infinity();
    is(-T(0), T(0.5), T(0));
    is(-infinity, T(0.5), infinity);
    is(-infinity, T(3), -infinity);
    CHECK(std::isnan(run("pow", {T(-1), T(0.5)})));
  };
  for (const auto& [fused, lookups] : {std::pair(false, false), std::pair(true, false), std::pair(true, true)}) {
    check(MathEvaluator<float, uint32_t>(library(), DType::F32, fused, lookups), 1.0f);
    check(MathEvaluator<double, uint64_t>(library(), DType::F64, fused, lookups), 1.0);
  }
}

TEST_CASE("math entries: pow, atan2, fmod, nextafter") {
  const bool lookups = GENERATE(false, true);
  const MathEvaluator<double, uint64_t> run(library(), DType::F64, lookups, lookups);
  const double special[] = {0.0,    -0.0,   1,        -1,        2,   -2,   0.5,  -3,     1e300,
                            -1e300, 1e-310, INFINITY, -INFINITY, NAN, 7.25, -1e9, 1.7e308};
  for (const double x : special)
    for (const double y : special) {
      INFO(x << " " << y);
      CHECK(ulps(run("pow", {x, y}), std::pow(Real(x), Real(y))) <= *library().find("pow", DType::F64)->ulp);
      CHECK(ulps(run("atan2", {x, y}), std::atan2(Real(x), Real(y))) <= *library().find("atan2", DType::F64)->ulp);
      CHECK(ulps(run("fmod", {x, y}), std::fmod(Real(x), Real(y))) == 0);
      CHECK(ulps(run("nextafter", {x, y}), Real(std::nextafter(x, y))) == 0);
    }
}

TEST_CASE("the oracle: Philox's known answers") {
  const auto word = [](uint64_t seed, uint64_t counter, int64_t w) {
    return philox_word(seed, counter, w, DType::U32);
  };
  CHECK(word(0, 0, 0) == 0x6627e8d5);
  CHECK(word(0, 0, 1) == 0xe169c58d);
  CHECK(word(0, 0, 2) == 0xbc57ac4c);
  CHECK(word(0, 0, 3) == 0x9b00dbd8);
  CHECK(philox_word(0, 0, 1, DType::U64) == 0xbc57ac4ce169c58d);
}

}  // namespace math_entries_test
