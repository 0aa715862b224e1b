// Names that definitions share with what kernels are made with: strides, dims of packs, what tells extents, loops.
#include "catch.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "lower/lower_kernel.h"
#include "opdef/read_ops.h"
#include "shipped_library.h"

namespace own_names_test {

using namespace tenon;

namespace {

const char* const kOps = R"yaml(
ops:
  - op: strides
    in: {X: "f32[X_s0, X_s1]", W: "f32[X_s1]"}
    out: {Y: "f32[X_s0]"}
    body: Y[i] = sum[j](X[i,j]*W[j])
  - op: dims
    attrs: {by: "int[*S] = 1", by_0: int = 2}
    in: {X: "f32[*S]", W: "f32[S_0, S_rank, S_1]"}
    out: {Y: "f32[*S]", U: "f32[S_0]"}
    body: |
      Y[*s] = padded(X[*(s - by)], 7)*by_0
      U[i] = sum[j,k](W[i,j,k])
  - op: told
    in: {X: "f32[N]"}
    let: {M: upto(N)}
    out: {Y: "f32[M]", M_told: "i64[]"}
    body: |
      M = sum[i](cast(X[i] > 0, i64))
      M_told[] = sum[i](cast(X[i] < 0, i64))
      Y[m] = X[m]
  - op: blocks
    in: {X: "i8[R, N]"}
    require: [N >= 1]
    out: {Y: "i64[R]"}
    body: Y[k_block] = argmax[k](X[k_block,k])
  - op: rows
    in: {X: "f32[R, N]"}
    out: {Y: "f32[R, N]"}
    body: |
      most[i] = max[j](X[i,j])
      total[i] = sum[i_block](exp(X[i,i_block] - most[i]))
      Y[i,i_element] = exp(X[i,i_element] - most[i])/total[i]
  - op: runs
    in: {X: "f32[B, N]", W: "f32[K, C]"}
    require: [K >= 1]
    let: {L: "(N - 1)*2 + K"}
    out: {Y: "f32[B, C, L]"}
    body: |
      Y[run,element,y] = sum[step_0 : (y - step_0) % 2 == 0](padded(X[run,(y - step_0)//2], 0)*W[step_0,element])
)yaml";

}  // namespace

TEST_CASE("names: extents, variables and results may be called like what a kernel is made with") {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("names.yaml", kOps)});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  std::vector<const Isa*> levels;
  for (const Isa& isa : all_isas()) levels.push_back(&isa);
  for (const char* op : {"strides", "dims", "told", "blocks", "rows", "runs"}) {
    INFO(op);
    const auto library = expand_library(*defs, {{op}, {}});
    INFO(library.diagnostics().text());
    REQUIRE(library);
    for (const LibraryKernel& k : library->ops[0].kernels) {
      CHECK(verify(k.kernel).empty());
      for (const auto& nest : lower_levels(k.kernel, tenon_test::shipped_blueprints(), levels))
        if (nest) CHECK(verify(*nest).empty());
    }
  }
}

TEST_CASE("names: a stride is no extent of its name") {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("names.yaml", kOps)});
  REQUIRE(defs);
  const auto library = expand_library(*defs, {{"strides"}, {}});
  REQUIRE(library);
  const Kernel& k = library->ops[0].kernels[0].kernel;
  const Tensor& x = k.tensor(0);
  REQUIRE(x.strides.size() == 2);
  CHECK(to_text(x.dims[0], tensor_names(k)) == "X_s0");
  CHECK(to_text(x.strides[0], tensor_names(k)) == "X_s0_");
}

}  // namespace own_names_test
