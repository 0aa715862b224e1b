// What `require` asks of sizes that only run time knows becomes extents that have to be equal, for the same sizes as
// the text says.
#include "catch.h"
#include "ir/graph/size_expr.h"
#include "library/bind_node.h"
#include "opdef/read_ops.h"

namespace run_time_requirements_test {

using namespace tenon;

namespace {

struct Bound {
  OpLibrary library;
  std::optional<BoundCall> call;
  Diagnostics diagnostics;
};

/// An op of the vectors X[N] and Z[M] with this requirement, both sizes open.
Bound bound_with(const std::string& requirement) {
  const std::string ops =
      "ops:\n  - op: asked\n    types: {T: f32}\n    in: {X: \"T[N]\", Z: \"T[M]\"}\n    require: [\"" + requirement +
      "\"]\n    out: {Y: \"T[N]\"}\n    body: \"Y[i] = X[i]\"\n";
  auto read = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", ops)});
  INFO(read.diagnostics().text());
  REQUIRE(read.ok());
  Bound out{std::move(*read), {}, {}};
  std::vector<GivenTensor> given(2);
  for (size_t i = 0; i < 2; ++i) {
    given[i].present = true;
    given[i].dtype = DType::F32;
    given[i].dims = {size_ref(i == 0 ? "n" : "m")};
  }
  out.call = bind_node({out.library, *out.library.op("asked"), given}, out.diagnostics);
  return out;
}

bool holds(const BoundCall& call, int64_t n, int64_t m) {
  for (const auto& [a, b] : call.taken_as_equal) {
    const auto x = to_size(a), y = to_size(b);
    REQUIRE((x && y));
    if (evaluate(*x, {{"n", n}, {"m", m}}) != evaluate(*y, {{"n", n}, {"m", m}})) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("requirements of open sizes hold for the sizes that they say") {
  struct Row {
    const char* text;
    bool (*wanted)(int64_t n, int64_t m);
  };
  const Row rows[] = {
      {"N == M", [](int64_t n, int64_t m) { return n == m; }},
      {"N != M", [](int64_t n, int64_t m) { return n != m; }},
      {"N < M and M < 6", [](int64_t n, int64_t m) { return n < m && m < 6; }},
      {"N % 2 == 1 or M > 3", [](int64_t n, int64_t m) { return n % 2 == 1 || m > 3; }},
      {"not (N <= 4 and M >= 2)", [](int64_t n, int64_t m) { return !(n <= 4 && m >= 2); }},
      {"not (N == 4 or M != 2)", [](int64_t n, int64_t m) { return !(n == 4 || m != 2); }},
      {"not (N < M) or not (N > 2)", [](int64_t n, int64_t m) { return !(n < m) || !(n > 2); }},
      {"abs(N - M) < 3", [](int64_t n, int64_t m) { return (n > m ? n - m : m - n) < 3; }},
      {"(N//2)*2 == N or N == M", [](int64_t n, int64_t m) { return n % 2 == 0 || n == m; }},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    const Bound b = bound_with(row.text);
    INFO(b.diagnostics.text());
    REQUIRE(b.call);
    for (int64_t n = 0; n < 8; ++n)
      for (int64_t m = 0; m < 8; ++m) {
        INFO(n << " " << m);
        CHECK(holds(*b.call, n, m) == row.wanted(n, m));
      }
  }
}

TEST_CASE("a requirement of open sizes that extents do not say is an error") {
  const Bound b = bound_with("sqrt(N) < 2.5");
  CHECK_FALSE(b.call);
  CHECK(b.diagnostics.text().find("requires sqrt(N) < 2.5, which the sizes of a call decide") != std::string::npos);
}

}  // namespace run_time_requirements_test
