// Products of sizes that only run time knows pack a few columns at a time: what one block of columns copies of the left
// side, the next ones find.
#include <fmt/format.h>

#include "catch.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "lower/lower_kernel.h"
#include "nest/run_nest.h"
#include "opdef/read_ops.h"
#include "shipped_library.h"

namespace library_panels_test {

using namespace tenon;

namespace {

constexpr const char* kOps = R"(ops:
  - op: product
    in: {A: "f32[M, K]", B: "f32[K, N]"}
    out: {Y: "f32[M, N]"}
    body: Y[m,n] = sum[k](A[m,k]*B[k,n])
  - op: pointwise
    in: {X: "f32[C, H, W]", F: "f32[O, C]"}
    out: {Y: "f32[O, H, W]"}
    body: Y[o,y,x] = sum[c](F[o,c]*X[c,y,x])
  - op: filtered
    in: {X: "f32[P, C, W]", F: "f32[O, C, R]"}
    out: {Y: "f32[P, O, W]"}
    body: Y[p,o,x] = sum[c,r](padded(X[p,c,x + r - 1], 0)*F[o,c,r])
)";

using Sizes = std::map<std::string, int64_t>;

LibraryKernel kernel_of(const std::string& op) {
  const auto defs = read_ops({}, {std::make_shared<const SourceFile>("products.yaml", kOps)}, {});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  const auto library = expand_library(*defs, {{op}, {DType::F32}});
  REQUIRE(library);
  return library->ops[0].kernels[0];
}

LoopNest nest_of(const LibraryKernel& k, const Blueprints& blueprints, std::string_view level) {
  return *lower_levels(k.kernel, blueprints, {isa_from_name(level)})[0];
}

/// The shipped schedules with caches of one panel and one tile of rows.
Blueprints small_caches() {
  Blueprints out = tenon_test::shipped_blueprints();
  for (Blueprint& b : out.rows) b.cache_m = b.cache_n = 8;
  return out;
}

/// A call with whole numbers, whose sums are exact. Matrices in `transposed` are stored column by column.
OracleCall call_of(const LibraryKernel& k, const Sizes& sizes, const std::string& transposed) {
  OracleCall call;
  call.sizes = sizes;
  for (const Tensor& t : k.kernel.tensors) {
    TensorData data;
    if (t.role == Role::Input) {
      data.dtype = t.dtype;
      int64_t elements = 1;
      for (const Expr& e : t.dims) data.dims.push_back(evaluate_size(e, call)), elements *= data.dims.back();
      data.bytes.resize(static_cast<size_t>(elements * bytes_of(t.dtype)));
      for (int64_t i = 0; i < elements; ++i) store_number(data, i, {0, static_cast<long double>(i * i % 13 - 5)});
    }
    call.tensors.push_back(std::move(data));
  }
  for (size_t i = 0; i < k.kernel.sizes.size(); ++i)
    if (const auto* stride = std::get_if<FromStride>(&k.size_sources[i])) {
      const std::vector<int64_t>& dims = call.tensors[static_cast<size_t>(stride->tensor)].dims;
      const bool turned = transposed.find(k.kernel.tensor(stride->tensor).name) != std::string::npos;
      call.sizes[k.kernel.sizes[i].name] = turned ? (stride->dim == 0 ? 1 : dims[0]) : stride->dim == 0 ? dims[1] : 1;
    }
  return call;
}

/// Compares nests with the oracle.
void compare(const LibraryKernel& k, const Sizes& sizes, const std::string& transposed = "",
             const std::vector<std::string_view>& levels = {"portable", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
  const OracleCall given = call_of(k, sizes, transposed);
  OracleCall want = given;
  REQUIRE(run_kernel(k.kernel, want) == OracleStatus::Done);
  for (const std::string_view level : levels) {
    OracleCall got = given;
    INFO(level << " " << transposed);
    const NestRun run = run_nest(nest_of(k, small_caches(), level), got);
    CHECK(run.fault == "");
    CHECK(run.status == OracleStatus::Done);
    CHECK(got.tensors.back().bytes == want.tensors.back().bytes);
  }
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("library panels: rows that blocks of columns share are copied once or with each of them") {
  const LibraryKernel k = kernel_of("product");
  for (const int64_t rows : {4, 37})
    for (const char* transposed : {"", "A", "B", "A B"}) compare(k, {{"M", rows}, {"K", 35}, {"N", 75}}, transposed);
  const std::string nest = to_text(nest_of(k, tenon_test::shipped_blueprints(), "x86-64-v4"));
  INFO(nest);
  CHECK(contains(nest, "max(floordiv(4096, max(K, 1)), 1)"));               // of cache_n / 8 elements, 32 columns
  CHECK(contains(nest, "or(eq(column_block, 0), gt(rows, rows_cached))"));  // rows of one block stay
}

TEST_CASE("library panels: few rows read a right side that no cache holds by parts of the depth, in place") {
  const LibraryKernel k = kernel_of("product");
  compare(k, {{"M", 5}, {"K", 261}, {"N", 1013}}, "", {"x86-64-v3"});
  compare(k, {{"M", 3}, {"K", 259}, {"N", 1022}}, "A", {"x86-64-v4"});
  for (const std::string_view level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    const std::string nest = to_text(nest_of(k, tenon_test::shipped_blueprints(), level));
    INFO(nest);
    CHECK(contains(nest, "part_sums"));
    CHECK(contains(nest, "gt(mul(depth, columns), 262144)"));
  }
  CHECK_FALSE(contains(to_text(nest_of(k, tenon_test::shipped_blueprints(), "portable")), "part_sums"));
}

TEST_CASE("library panels: few filters read pixels that no cache holds by parts of the depth, in place") {
  const LibraryKernel k = kernel_of("pointwise");
  for (const int64_t filters : {1, 5}) compare(k, {{"O", filters}, {"C", 131}, {"H", 47}, {"W", 43}});
  CHECK(contains(to_text(nest_of(k, tenon_test::shipped_blueprints(), "x86-64-v3")), "part_sums"));
}

TEST_CASE("library panels: few rows or columns of sides that are dense along the depth are summed along it") {
  const LibraryKernel k = kernel_of("product");
  for (const int64_t depth : {128, 133})
    for (const int64_t rows : {2, 5, 11, 20}) compare(k, {{"M", rows}, {"K", depth}, {"N", 53}}, "B");
  for (const int64_t columns : {2, 4}) compare(k, {{"M", 30}, {"K", 19}, {"N", columns}}, "B");
  for (const std::string_view level : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "neon"}) {
    const std::string nest = to_text(nest_of(k, tenon_test::shipped_blueprints(), level));
    INFO(nest);
    CHECK(contains(nest, "sums_4x"));
    CHECK_FALSE(contains(nest, "one of the rows after another"));
  }
  CHECK_FALSE(contains(to_text(nest_of(k, tenon_test::shipped_blueprints(), "portable")), "sums_4x"));
}

TEST_CASE("library panels: few rows read a right side in place that stays in the cache") {
  const std::string nest = to_text(nest_of(kernel_of("product"), tenon_test::shipped_blueprints(), "x86-64-v4"));
  INFO(nest);
  CHECK(contains(nest, "gt(rows, 32)"));
}

TEST_CASE("library panels: a single picture is copied once for all filters") {
  const LibraryKernel k = kernel_of("filtered");
  for (const int64_t pictures : {1, 3}) compare(k, {{"P", pictures}, {"C", 12}, {"W", 11}, {"O", 70}, {"R", 3}});
  const std::string nest = to_text(nest_of(k, tenon_test::shipped_blueprints(), "x86-64-v4"));
  INFO(nest);
  CHECK(contains(nest, "if eq(column_block, 0)"));
  Blueprints shared = tenon_test::shipped_blueprints();
  for (Blueprint& b : shared.rows) b.shared = true;
  CHECK_FALSE(contains(to_text(nest_of(k, shared, "x86-64-v4")), "eq(column_block, 0)"));  // workers take panels
}

}  // namespace library_panels_test
