// Extents that the data decide and calls of C templates: the parts that a kernel gets of them, and what the oracle
// makes of these.
#include <cstring>

#include "catch.h"
#include "library/expand_library.h"
#include "opdef/read_ops.h"
#include "oracle/run_kernel.h"
#include "shipped_library.h"

namespace extents_test {

using namespace tenon;

namespace {

/// The definitions of a text, with those that are shipped.
OpLibrary read(const std::string& text) {
  const auto defs = read_ops(tenon_test::yaml_files("opdefs"), {std::make_shared<SourceFile>("ops.yaml", text)},
                             tenon_test::frame_files(TENON_CHECKOUT));
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  return *defs;
}

/// The kernel of `f` for i32, sound.
Kernel kernel_of(const OpLibrary& defs) {
  const auto library = expand_library(defs, {{"f"}, {DType::I32}});
  INFO(library.diagnostics().text());
  REQUIRE(library);
  const Kernel kernel = library->ops[0].kernels[0].kernel;
  CHECK(verify(kernel) == std::vector<std::string>{});
  return kernel;
}

struct Answer {
  OracleStatus status = OracleStatus::Done;
  int64_t extent = -1;
  std::vector<int64_t> values;  ///< of output Y
};

/// What the oracle makes of a row X; `extent` is what the first extent from data is.
Answer run(const Kernel& k, const std::vector<int32_t>& x) {
  OracleCall call;
  for (const Size& s : k.sizes) call.sizes[s.name] = static_cast<int64_t>(x.size());
  call.tensors.resize(k.tensors.size());
  call.tensors[0] = {DType::I32, {static_cast<int64_t>(x.size())}, {}};
  call.tensors[0].bytes.resize(x.size() * sizeof(int32_t));
  if (!x.empty()) std::memcpy(call.tensors[0].bytes.data(), x.data(), call.tensors[0].bytes.size());
  Answer out;
  out.status = run_kernel(k, call);
  if (out.status != OracleStatus::Done) return out;
  for (const Tensor& t : k.tensors)
    if (t.role == Role::Output && !t.extent.empty()) out.extent = call.sizes.at(t.extent);
  const TensorData& y = call.tensors[1];
  for (int64_t i = 0; i < element_count(y.dims); ++i) out.values.push_back(load_number(y, i).i);
  return out;
}

constexpr const char* kKept = R"(
ops:
  - op: f
    types: {T: int}
    in: {X: "T[N]"}
    let: {M: upto(N)}
    out: {Y: "T[M]"}
    body: |
      keep[i] = select(X[i] > 2, 1, 0)
      at[i] = sum[j : j < i](keep[j])
      M = sum[i](keep[i])
      Y[wrap(at[i], M)] last= X[i] where keep[i] == 1
)";

}  // namespace

TEST_CASE("expand_library: an extent from data divides a kernel, and checks come before the first store") {
  const Kernel k = kernel_of(read(kKept));
  REQUIRE(k.parts.size() == 2);
  REQUIRE(k.found.size() == 1);
  CHECK(k.found[0].part == 0);
  CHECK(k.parts[0].checks.empty());
  CHECK(k.parts[1].checks.size() == 2);  // of the extent, and of the targets
  for (size_t t = 0; t < k.tensors.size(); ++t)
    if (k.tensors[t].role == Role::Output) CHECK(k.parts[0].tensors[t].role == Role::Input);
}

TEST_CASE("expand_library: what a check reads of reductions is computed once, before it") {
  // A check that repeats them would take N times as long, and confuse the n of h with that of its own loop.
  const Kernel k = kernel_of(read(R"(
ops:
  - op: f
    types: {T: [i32]}
    in: {X: "T[N]", K: "u8[N]"}
    index: {b: 256, c: 256}
    out: {Y: "T[N]"}
    body: |
      h[b] = sum[n](K[n] == b)
      s[b] = sum[c : c < b](h[c])
      r[n] = sum[k : k < n](K[k] == K[n])
      Y[wrap(s[K[n]] + r[n], N)] last= X[n]
)"));
  REQUIRE(k.parts.size() == 2);
  CHECK(k.parts[0].checks.empty());
  CHECK(k.parts[1].checks.size() == 1);
}

TEST_CASE("run_kernel: a check sees the temps that it reads") {
  const Kernel k = kernel_of(read(R"(
ops:
  - op: f
    types: {T: [i32]}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: |
      s[i] = X[i] - 1
      Y[i] = X[wrap(s[i], N)]
)"));
  REQUIRE(k.parts.empty());
  CHECK(run(k, {3, 1, 2}).values == std::vector<int64_t>{2, 3, 1});
  CHECK(run(k, {3, 4, 2}).status == OracleStatus::Range);  // 3 of 3
}

TEST_CASE("run_kernel: what follows an extent from data sees its value") {
  const Kernel k = kernel_of(read(kKept));
  const Answer some = run(k, {1, 5, 2, 7, 3});
  CHECK(some.extent == 3);
  CHECK(some.values == std::vector<int64_t>{5, 7, 3});
  CHECK(run(k, {1, 2}).extent == 0);
  CHECK(run(k, {}).extent == 0);
}

TEST_CASE("run_kernel: an extent beyond its bound is out of range, and no output is written before it is known") {
  const Kernel k = kernel_of(read(R"(
ops:
  - op: f
    types: {T: int}
    in: {X: "T[N]"}
    let: {M: upto(N)}
    out: {Y: "T[N]", Z: "T[M]"}
    body: |
      Y[i] = 2*X[i]
      M = sum[i](Y[i])
      Z[m] = m
)"));
  CHECK(run(k, {0, 1, 0}).extent == 2);
  CHECK(run(k, {0, 2, 0}).status == OracleStatus::Range);
  CHECK(run(k, {0, -1, 0}).status == OracleStatus::Range);
  for (size_t t = 0; t < k.tensors.size(); ++t)
    if (k.tensors[t].role == Role::Output)
      for (size_t p = 0; p + 1 < k.parts.size(); ++p) CHECK(k.parts[p].tensors[t].role == Role::Input);
}

TEST_CASE("expand_library: a call of a C template is a part of its own, and takes and gives intermediates") {
  const Kernel k = kernel_of(read(R"(
ops:
  - op: f
    types: {T: int}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: |
      a[i] = 3 - X[i]
      s, at = sort(a, axis=0)
      Y[i] = s[i]*10 + at[i]
)"));
  REQUIRE(k.parts.size() == 3);
  CHECK(k.parts[1].call);
  CHECK(run(k, {1, 3, 2}).values == std::vector<int64_t>{1, 12, 20});
}

TEST_CASE("expand_library: a callee's extent from data is that of the output which its result is given to") {
  const Kernel k = kernel_of(read(std::string(kKept).replace(std::string(kKept).find("op: f"), 5, "op: kept") + R"(
  - op: f
    types: {T: int}
    in: {X: "T[N]"}
    let: {K: upto(N)}
    out: {Y: "T[K]"}
    body: |
      Y = kept(X + 1)
)"));
  const Answer some = run(k, {1, 5, 2, 7, 3});
  CHECK(some.extent == 4);
  CHECK(some.values == std::vector<int64_t>{6, 3, 8, 4});
}

TEST_CASE("expand_library: an index that comes of a recurrence is checked behind it, and before the first store") {
  const Kernel k = kernel_of(read(R"(
ops:
  - op: f
    types: {T: int}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: |
      h[t] = padded(h[t - 1], 0) + cast(X[t], i64)
      a[t] = h[t] - 1
      Y[t] = X[wrap(a[t], N)]
)"));
  REQUIRE(k.parts.size() == 2);
  CHECK(k.parts[1].checks.size() == 1);
  CHECK(run(k, {1, 1, 0}).values == std::vector<int64_t>{1, 1, 1});
  CHECK(run(k, {1, 9, 0}).status == OracleStatus::Range);
}

TEST_CASE("expand_library: an extent of this op may be along a callee's, which is compared at run time", "[slow]") {
  const std::string body = R"(
ops:
  - op: f
    types: {T: int}
    in: {X: "T[N]"}
    let: {M: upto(N)}
    out: {Y: "T[M]"}
    body: |
      v, at, back, count = unique(X, axis=0)
      M = max(max[n](back[n]) + 1, 0)MORE
      Y[m] = 2*v[m]
)";
  const auto with = [&](const std::string& more) {
    return kernel_of(read(std::string(body).replace(body.find("MORE"), 4, more)));
  };
  CHECK(run(with(""), {3, 1, 3}).values == std::vector<int64_t>{2, 6});
  CHECK(run(with(" + 1"), {3, 1, 3}).status == OracleStatus::Range);
}

}  // namespace extents_test
