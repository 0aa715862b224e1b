// How much kernels compute, counted by running their nests: what a condition leaves out is not visited, prefixes are
// one pass, and what does not change is computed once.
#include <fmt/format.h>

#include <functional>

#include "catch.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "lower/lower_kernel.h"
#include "nest/run_nest.h"
#include "opdef/read_ops.h"

namespace work_test {

using namespace tenon;

namespace {

using Sizes = std::map<std::string, int64_t>;
using Fill = std::function<int64_t(int64_t)>;

/// The work of the portable nest of an op over f32. Inputs of integers are `fill`, others between 0 and 1.
NestWork work_of(
    const std::string& op, const Sizes& sizes, const Fill& fill = [](int64_t) { return 1; }) {
  const auto file = std::make_shared<const SourceFile>("work.yaml", "ops:\n  - op: f\n" + op);
  const auto defs = read_ops({}, {file}, {});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  const auto library = expand_library(*defs, {{"f"}, {DType::F32}});
  REQUIRE(library);
  const Kernel& kernel = library->ops[0].kernels[0].kernel;
  const LoopNest nest = lower_kernel(kernel, Blueprints{}, *isa_from_name("portable"));
  OracleCall call;
  call.sizes = sizes;
  for (const Tensor& t : kernel.tensors) {
    TensorData data;
    if (t.role == Role::Input && !t.data) {
      data.dtype = t.dtype;
      int64_t elements = 1;
      for (const Expr& e : t.dims) data.dims.push_back(evaluate_size(e, call)), elements *= data.dims.back();
      data.bytes.resize(static_cast<size_t>(elements * bytes_of(t.dtype)));
      for (int64_t i = 0; i < elements; ++i)
        store_number(data, i, is_int(t.dtype) ? Number{fill(i)} : Number{0, static_cast<long double>(i % 7) / 7});
    }
    call.tensors.push_back(std::move(data));
  }
  for (size_t i = 0; i < kernel.sizes.size(); ++i)  // all inputs are dense
    if (const auto* stride = std::get_if<FromStride>(&library->ops[0].kernels[0].size_sources[i])) {
      int64_t inside = 1;
      const std::vector<int64_t>& dims = call.tensors[static_cast<size_t>(stride->tensor)].dims;
      for (size_t d = dims.size(); d-- > static_cast<size_t>(stride->dim) + 1;) inside *= dims[d];
      call.sizes[kernel.sizes[i].name] = inside;
    }
  NestWork work;
  const NestRun run = run_nest(nest, call, &work);
  CHECK(run.fault == "");
  CHECK(run.status == OracleStatus::Done);
  return work;
}

int64_t applied(const NestWork& work, ScalarOp op) {
  const auto found = work.applied.find(op);
  return found == work.applied.end() ? 0 : found->second;
}

}  // namespace

TEST_CASE("work: prefixes and suffixes are one pass") {
  const std::string head = "    types: {T: [f32]}\n    in: {X: \"T[N]\"}\n    out: {Y: \"T[N]\"}\n    body: |\n";
  for (const char* body : {"      Y[i] = sum[k : k <= i](X[k]*X[k])\n", "      Y[i] = sum[k : k < i](X[k])\n",
                           "      Y[i] = max[k : k >= i](X[k])\n", "      Y[i] = prod[k : k > i](X[k])\n"}) {
    INFO(body);
    CHECK(work_of(head + body, {{"N", 100}}).loads == 100);
  }
}

TEST_CASE("work: the place of the best element of a prefix or suffix is one pass") {
  const std::string head = "    types: {T: [f32]}\n    in: {X: \"T[N]\"}\n    out: {Y: \"i64[N]\"}\n    body: |\n";
  for (const char* body : {"      Y[i] = argmax[k : k <= i](X[k])\n", "      Y[i] = argmin[k : i <= k](X[k])\n"}) {
    INFO(body);
    CHECK(work_of(head + body, {{"N", 100}}).loads == 100);
  }
}

TEST_CASE("work: prefixes of other lengths are one pass, and a read each") {
  const std::string in = "    types: {T: [f32]}\n    in: {X: \"T[N]\"}\n";
  CHECK(work_of(in + "    let: {O: N + 1}\n    out: {Y: \"T[O]\"}\n    body: |\n      Y[i] = sum[k : k < i](X[k])\n",
                {{"N", 100}, {"O", 101}})
            .loads == 100 + 100);
  CHECK(work_of(in + "    out: {Y: \"T[N]\"}\n    body: |\n      Y[i] = max[k : k <= i - 3](X[k])\n", {{"N", 100}})
            .loads == 97 + 97);
  const std::string few =
      "    index: {i: 3}\n    out: {Y: \"T[3]\"}\n    body: |\n      Y[i] = sum[k : k <= i + 1](X[k])\n";
  CHECK(work_of(in + few, {{"N", 100}}).loads == 4 + 3);  // and no more of it than is asked for
}

TEST_CASE("work: boxes are reduced along one dim after the other") {
  const std::string op =
      "    types: {T: [f32]}\n    attrs: {w: int}\n    in: {X: \"T[H, W]\"}\n    require: [w >= 1, w <= H, w <= W]\n"
      "    let: {O: H - w + 1, P: W - w + 1}\n    index: {r: w, s: w}\n    out: {Y: \"T[O, P]\"}\n    body: |\n"
      "      Y[i,j] = max[r,s](X[i + r,j + s])\n";
  const int64_t n = 40, w = 9, o = n - w + 1;
  CHECK(work_of(op, {{"H", n}, {"W", n}, {"w", w}, {"O", o}, {"P", o}}).loads == o * n * w + o * o * w);
}

TEST_CASE("work: wide boxes are put together from smaller ones") {
  const std::string head =
      "    attrs: {w: int}\n    in: {X: \"T[N]\"}\n    require: [w >= 1, w <= N]\n    let: {O: N - w + 1}\n"
      "    index: {r: w}\n    out: {Y: \"T[O]\"}\n    body: |\n";
  const int64_t n = 1000, w = 500, o = n - w + 1;
  const Sizes sizes = {{"N", n}, {"w", w}, {"O", o}};
  for (const char* body : {"      Y[i] = sum[r](X[i + r])\n", "      Y[i] = max[r](X[i + r])\n"}) {
    INFO(body);
    CHECK(work_of("    types: {T: [f32]}\n" + head + body, sizes).loads <= n * (4 + 8) + o * (w / 32 + 7 + 3));
  }
}

TEST_CASE("work: boxes that a condition makes are no longer than what there is") {
  const std::string op =
      "    types: {T: [f32]}\n    attrs: {w: int}\n    in: {X: \"T[N]\"}\n    require: [w >= 1]\n    out: {Y: "
      "\"T[N]\"}\n"
      "    body: |\n      Y[i] = max[k : i - w <= k and k <= i](X[k])\n";
  CHECK(work_of(op, {{"N", 500}, {"w", 100}}).passes < 500 * 40);
  CHECK(work_of(op, {{"N", 20}, {"w", 1000000}}).passes < 2000);
}

TEST_CASE("work: indices that are led back inside are computed at the border alone") {
  const std::string op =
      "    types: {T: [f32]}\n    in: {X: \"T[N]\", F: \"T[5]\"}\n    require: [N >= 1]\n    out: {Y: \"T[N]\"}\n    "
      "body: |\n";
  for (const char* body :
       {"      Y[i] = sum[k](F[k]*X[mirror(i + k - 2, N)])\n", "      Y[i] = sum[k](F[k]*X[reflect(i - k + 2, N)])\n",
        "      Y[i] = sum[k](F[k]*X[(i + k - 2) % N])\n"}) {
    INFO(body);
    CHECK(applied(work_of(op + body, {{"N", 1000}}), ScalarOp::Mod) <= 2 * 4 * 5);
  }
}

TEST_CASE("work: sums of boxes from the corner are two passes") {
  const std::string op =
      "    types: {T: [f32]}\n    in: {X: \"T[H, W]\"}\n    out: {Y: \"T[H, W]\"}\n    body: |\n"
      "      Y[y,x] = sum[i,j : i <= y and j <= x](X[i,j])\n";
  CHECK(work_of(op, {{"H", 20}, {"W", 30}}).loads == 2 * 20 * 30);
}

TEST_CASE("work: a sum over two variables is taken along one after the other") {
  const std::string op =
      "    types: {T: [f32]}\n    in: {X: \"T[N, 8, 8]\", C: \"T[8, 8]\"}\n    out: {Y: \"T[N, 8, 8]\"}\n    body: |\n"
      "      Y[n,u,v] = sum[i,j](C[u,i]*X[n,i,j]*C[v,j])\n";
  CHECK(work_of(op, {{"N", 3}}).loads == 3 * 2 * 2 * 8 * 8 * 8);  // two factors, twice, of 8^3 products
}

TEST_CASE("work: lengths from data are bounds of loops, whatever their type") {
  for (const char* type : {"i32", "i64", "u32"}) {
    INFO(type);
    const std::string head = "    types: {T: [f32]}\n    in: {X: \"T[B, N]\", Len: \"" + std::string(type) +
                             "[B]\"}\n    out: {Y: \"T[B]\"}\n    body: |\n";
    const auto few = [](int64_t i) { return i + 2; };
    const Sizes sizes = {{"B", 4}, {"N", 1000}};
    CHECK(applied(work_of(head + "      Y[b] = sum[k : k < Len[b]](exp(X[b,k]))\n", sizes, few), ScalarOp::Exp) ==
          2 + 3 + 4 + 5);
    CHECK(work_of(head + "      Y[b] = max[k : k <= Len[b]](X[b,k])\n", sizes, few).passes < 50);
    CHECK(work_of(head + "      Y[b] = max[k : Len[b] <= k and k < Len[b] + 3](X[b,k])\n", sizes, few).passes < 50);
  }
}

TEST_CASE("work: a value of which a part is read is computed for that part") {
  const std::string op =
      "    types: {T: [f32]}\n    in: {Q: \"T[B, D]\", K: \"T[B, N, D]\", Len: \"i64[B]\"}\n    out: {Y: \"T[B]\"}\n"
      "    body: |\n      s[b,j] = sum[d](Q[b,d]*K[b,j,d])\n";
  const Sizes sizes = {{"B", 4}, {"N", 1000}, {"D", 8}};
  const auto few = [](int64_t i) { return i + 2; };
  const std::string both = "      m[b] = max[j : j < Len[b]](s[b,j])\n";
  CHECK(work_of(op + both + "      Y[b] = sum[j : j < Len[b]](exp(s[b,j] - m[b]))\n", sizes, few).loads < 500);
  CHECK(work_of(op + both + "      Y[b] = sum[i : i < 5](s[b,i]) + m[b]\n", sizes, few).loads > 4 * 1000 * 8);
}

TEST_CASE("work: an index that is looked up does not stay in the loop that does not change it") {
  const std::string op =
      "    types: {T: [f32]}\n    in: {Q: \"T[D]\", K: \"T[P, S, D]\", Page: \"i64[N]\"}\n    require: [S >= 1]\n"
      "    index: {j: N}\n    out: {Y: \"T[N]\"}\n    body: |\n"
      "      Y[j] = sum[d](Q[d]*K[wrap(Page[j//S], P),j % S,d])\n";
  const NestWork work = work_of(op, {{"D", 64}, {"P", 30}, {"S", 4}, {"N", 20}}, [](int64_t i) { return i + 2; });
  CHECK(work.loads <= 20 * (2 * 64 + 4));  // and not 4*64: each page is asked for by the check and by the sum
}

TEST_CASE("work: a function of the same elements in two sums is computed once") {
  const std::string op =
      "    types: {T: [f32]}\n    in: {X: \"T[M, N]\", V: \"T[M, N]\"}\n    out: {Y: \"T[M]\"}\n    body: |\n";
  const Sizes sizes = {{"M", 5}, {"N", 70}};
  const char* bodies[] = {"      Y[m] = sum[n](exp(X[m,n])*V[m,n])/sum[n](exp(X[m,n]))\n",
                          "      Y[m] = sum[n](exp(X[m,n])*V[m,n])/sum[k](exp(X[m,k]))\n",
                          "      Y[m] = sum[n](exp(X[m,n])*V[m,n])/(sum[n](exp(X[m,n])) + max[n](exp(X[m,n])))\n"};
  for (const char* body : bodies) {
    INFO(body);
    const NestWork work = work_of(op + body, sizes);
    CHECK(applied(work, ScalarOp::Exp) == 5 * 70);
    CHECK(work.stores == 5);  // and not kept in memory
  }
}

TEST_CASE("work: packed weights are unpacked once, not for each row") {
  const std::string op =
      "    types: {T: [f32]}\n    in: {X: \"T[M, (K 2)]\", W: \"u8[N, K]\"}\n    out: {Y: \"T[M, N]\"}\n    body: |\n"
      "      w[n,k,j] = cast(cast(bit_and(shr(W[n,k], 4*j), 15), i32) - 8, T)\n"
      "      Y[m,n] = sum[k,j](X[m,(k j)]*w[n,k,j])\n";
  for (const int64_t rows : {2, 40})
    CHECK(applied(work_of(op, {{"M", rows}, {"K", 6}, {"N", 5}}), ScalarOp::Shr) == 5 * 6 * 2);
}

TEST_CASE("work: a search ends at the first element, or at the last from the end on") {
  const std::string head =
      "    types: {T: [f32]}\n    in: {Z: \"T[N]\", X: \"i64[N]\"}\n    out: {Y: \"i64[N]\"}\n    body: |\n";
  // N tests of the bounds of i + k, and a pass or two of the inner loop for each i
  for (const char* body :
       {"      Y[i] = min(N, min[k : padded(X[i + k], 1) == X[k]](k))\n",
        "      Y[i] = max[k : padded(X[k - i], 1) == X[k]](k)\n", "      Y[i] = select(any[k](X[k] + i > 0), 1, 0)\n",
        "      Y[i] = select(all[k](X[k] + i > 100), 1, 0)\n"}) {
    INFO(body);
    CHECK(work_of(head + body, {{"N", 50}}).passes <= 110);
  }
}

TEST_CASE("work: a step that is repeated ends where it changes nothing") {
  const std::string head =
      "    types: {T: [f32]}\n    in: {Z: \"T[N]\", P: \"i64[N]\"}\n    index: {k: N}\n    out: {Root: \"i64[N]\"}\n   "
      " body: |\n";
  const auto parent = [](int64_t i) { return i / 2; };
  // the way from 63 to its root has seven steps
  const std::string roots = head + "      Root[n] = fold[k](x = n, P[clamp(x, 0, N - 1)])\n";
  CHECK(work_of(roots, {{"N", 64}}, parent).passes < 64 * 9);
  // each step is another one, so that all are made
  const std::string mixed = head + "      Root[n] = fold[k](x = n, P[clamp(x - x % 2*k, 0, N - 1)])\n";
  CHECK(work_of(mixed, {{"N", 64}}, parent).passes >= 64 * 64);
}

TEST_CASE("work: a step that counts one element stores one") {
  const std::string head =
      "    types: {T: [f32]}\n    in: {Z: \"T[N]\", At: \"i64[L]\", N0: \"i64[N]\"}\n    require: [L >= 1]\n"
      "    out: {Y: \"i64[N]\"}\n    body: |\n";
  for (const char* step :
       {"padded(g[t - 1,i], N0[i]) + (i == At[t])", "select(i == At[t], 7, padded(g[t - 1,i], N0[i]))"}) {
    INFO(step);
    const std::string body = fmt::format("      g[t,i] = {}\n      Y[i] = g[L - 1,i]\n", step);
    CHECK(work_of(head + body, {{"L", 50}, {"N", 40}}).stores == 40 + 49 + 40);
  }
}

TEST_CASE("work: a function of some of the variables is computed for these alone") {
  const std::string head = "    types: {T: [f32]}\n    in: {X: \"T[M, N]\", A: \"T[M]\", B: \"T[N]\"}\n";
  const auto exps = [&](const std::string& body) {
    return applied(work_of(head + body, {{"M", 20}, {"N", 30}}), ScalarOp::Exp);
  };
  CHECK(exps("    out: {Y: \"T[M, N]\"}\n    body: Y[m,n] = sin(X[m,n])/(1 + exp(A[m]))\n") == 20);
  CHECK(exps("    out: {Y: \"T[M, N]\"}\n    body: Y[m,n] = sin(X[m,n])/(1 + exp(B[n]))\n") == 30);
  CHECK(exps("    out: {Y: \"T[M]\"}\n    body: Y[m] = sum[n](sin(X[m,n])/(1 + exp(A[m])))\n") == 20);
  CHECK(exps("    out: {Y: \"T[M, N]\"}\n    body: Y[m,n] = sin(X[m,n])/(1 + exp(A[m] + B[n]))\n") == 600);
}

}  // namespace work_test
