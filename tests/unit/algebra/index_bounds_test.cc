// Polynomials and IndexBounds: what is proved, what is not, and that nothing false is proved on small numbers.
#include "algebra/index_bounds.h"

#include "catch.h"
#include "opdef/notation/parse_body.h"

namespace index_bounds_test {

using namespace tenon;

namespace {

Syntax parse(const std::string& text) {
  PlacedText placed{text, {}, std::make_shared<const SourceFile>("t", text)};
  for (std::size_t i = 0; i <= text.size(); ++i) placed.offsets.push_back(static_cast<std::uint32_t>(i));
  Diagnostics diagnostics;
  Syntax s;
  INFO(text);
  REQUIRE(parse_expression(placed, s, diagnostics));
  return s;
}

/// i over N, j over M, sizes N M H R, attributes s t without facts but those given.
IndexBounds bounds(const std::vector<std::string>& facts = {}, const std::map<std::string, std::string>& lets = {}) {
  BoundsContext context;
  context.extents = {{"i", parse("N")}, {"j", parse("M")}};
  context.sizes = {"N", "M", "H", "R"};
  context.booleans = {"flag"};
  context.lists = {{"pads", 2}};
  for (const std::string& fact : facts) context.requires_.push_back(parse(fact));
  for (const auto& [name, text] : lets) context.lets[name] = parse(text);
  return IndexBounds(context);
}

}  // namespace

TEST_CASE("polynomial: arithmetic and text") {
  const Polynomial n = Polynomial::quantity("N"), one = Polynomial::constant(1);
  CHECK(print((n + one) * (n - one)) == "N*N - 1");
  CHECK(print(replace(n * n + one, "N", one + one)) == "5");
  CHECK((n - n).is_constant());
  Polynomial big = Polynomial::constant(std::int64_t{1} << 40);
  CHECK((big * big).overflowed);
}

TEST_CASE("bounds: variables, affine sums and floor division") {
  IndexBounds b = bounds({"s > 0"});
  CHECK(b.nonnegative(parse("i")));
  CHECK(b.below(parse("i"), parse("N")));
  CHECK(b.below(parse("i*M + j"), parse("N*M")));
  CHECK_FALSE(b.below(parse("i*M + j + 1"), parse("N*M")));
  CHECK(b.below(parse("(i*M + j)//M"), parse("N")));
  CHECK(b.below(parse("i//s"), parse("N")));
  CHECK_FALSE(b.nonnegative(parse("i//t")));
  CHECK(b.below(parse("(i + t)%H"), parse("H")));
  CHECK_FALSE(b.below(parse("i"), parse("N - 1")));
}

TEST_CASE("bounds: attributes by require, flags, lists") {
  IndexBounds b = bounds({"t >= 0 and t < H", "pads >= 0", "s >= 2"});
  CHECK(b.below(parse("t"), parse("H")));
  CHECK(b.nonnegative(parse("pads[1] - flag + 1")));
  CHECK(b.nonnegative(parse("i*s - i")));
  CHECK_FALSE(b.nonnegative(parse("pads[1] - flag")));
  CHECK(b.nonnegative(parse("max(t - 3, 0)")));
  CHECK(b.below(parse("min(t + 5, H - 1)"), parse("H")));
  CHECK(b.below(parse("select(t > 3, t - 3, t)"), parse("H")));
}

TEST_CASE("bounds: lets are their definitions") {
  IndexBounds b = bounds({"s > 0"}, {{"O", "(H - R)//s + 1"}, {"P", "max(H, R)"}});
  CHECK(b.at_most(parse("(O - 1)*s + R"), parse("H")));
  CHECK_FALSE(b.at_most(parse("O*s + R"), parse("H")));
  CHECK(b.at_most(parse("R"), parse("P")));
  CHECK(b.equal(parse("O"), parse("1 + (H - R)//s")));
}

TEST_CASE("bounds: what is proved holds on small numbers") {
  const std::vector<std::string> forms = {"i",
                                          "N - 1 - i",
                                          "i//2",
                                          "i%3",
                                          "i - i//2",
                                          "2*i",
                                          "i*i",
                                          "i - 1",
                                          "(i + 1)//2",
                                          "(i*2 + 1)%N",
                                          "min(i, 2)",
                                          "max(i, 2)",
                                          "abs(i - 2)",
                                          "clamp(i, 0, N - 1)",
                                          "select(i > 1, i - 1, i)",
                                          "(i - 1)//2",
                                          "-(-i//2)",
                                          "ceildiv(i, 2)",
                                          "(N - i)//2"};
  const auto value = [](const std::string& form, std::int64_t i, std::int64_t n) -> std::int64_t {
    const auto fdiv = [](std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); };
    const std::map<std::string, std::int64_t> values = {{"i", i},
                                                        {"N - 1 - i", n - 1 - i},
                                                        {"i//2", i / 2},
                                                        {"i%3", i % 3},
                                                        {"i - i//2", i - i / 2},
                                                        {"2*i", 2 * i},
                                                        {"i*i", i * i},
                                                        {"i - 1", i - 1},
                                                        {"(i + 1)//2", (i + 1) / 2},
                                                        {"(i*2 + 1)%N", (i * 2 + 1) % n},
                                                        {"min(i, 2)", std::min<std::int64_t>(i, 2)},
                                                        {"max(i, 2)", std::max<std::int64_t>(i, 2)},
                                                        {"abs(i - 2)", std::abs(i - 2)},
                                                        {"clamp(i, 0, N - 1)", i},
                                                        {"select(i > 1, i - 1, i)", i > 1 ? i - 1 : i},
                                                        {"(i - 1)//2", fdiv(i - 1, 2)},
                                                        {"-(-i//2)", -fdiv(-i, 2)},
                                                        {"ceildiv(i, 2)", (i + 1) / 2},
                                                        {"(N - i)//2", (n - i) / 2}};
    return values.at(form);
  };
  IndexBounds b = bounds();
  int proved = 0;
  for (const std::string& form : forms) {
    const bool low = b.nonnegative(parse(form)), high = b.below(parse(form), parse("N"));
    proved += low + high;
    for (std::int64_t n = 1; n < 9; ++n) {
      for (std::int64_t i = 0; i < n; ++i) {
        INFO(form << " i=" << i << " N=" << n);
        if (low) CHECK(value(form, i, n) >= 0);
        if (high) CHECK(value(form, i, n) < n);
      }
    }
  }
  CHECK(proved >= 20);
}

TEST_CASE("index bounds: sums of what is not negative") {
  IndexBounds b = bounds({"s >= 0"});
  CHECK(b.nonnegative(parse("sum[j](j < i)")));
  CHECK(b.nonnegative(parse("M - sum[j : j < i](j == s)")));
  CHECK(b.nonnegative(parse("M - sum[j : j < i](select(j == s, 1, 0))")));
  CHECK(b.nonnegative(parse("min(sum[j](s*j), 3)")));
  CHECK(b.nonnegative(parse("sum[i,j](select(j == s, 2, 1))")));
  CHECK_FALSE(b.nonnegative(parse("M - 1 - sum[j](j < i)")));
  CHECK_FALSE(b.nonnegative(parse("M - sum[j](s)")));
  CHECK_FALSE(b.nonnegative(parse("M - sum[i,j](j < i)")));
  CHECK_FALSE(b.nonnegative(parse("sum[j](t)")));
  CHECK_FALSE(b.nonnegative(parse("sum[j](s - 1)")));
  CHECK_FALSE(b.nonnegative(parse("prod[j](j - 1)")));
}

}  // namespace index_bounds_test
