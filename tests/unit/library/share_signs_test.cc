// share_signs: which kernels of unsigned types are those of the signed ones, and which are their own.
#include "catch.h"
#include "library/expand_library.h"
#include "library/expand_symbolic.h"
#include "opdef/read_ops.h"

namespace share_signs_test {

using namespace tenon;

namespace {

const char* const kOps = R"yaml(
ops:
  - {op: add,      types: {T: number}, in: {A: "T[*S]", B: "T[*S]"}, out: {Y: "T[*S]"}, body: "Y[*s] = A[*s] + B[*s]"}
  - {op: affine,   types: {T: number}, attrs: {by: T = 2}, in: {X: "T[*S]"}, out: {Y: "T[*S]"}, body: "Y[*s] = X[*s]*by - 1"}
  - {op: sum,      types: {T: number}, in: {X: "T[N]"}, out: {Y: "T[]"}, body: "Y[] = sum[n](X[n])"}
  - {op: equal,    types: {T: number}, in: {A: "T[*S]", B: "T[*S]"}, out: {Y: "bool[*S]"}, body: "Y[*s] = A[*s] == B[*s]"}
  - {op: truncate, types: {T: [int, uint]}, in: {X: "i32[*S]"}, out: {Y: "T[*S]"}, body: "Y[*s] = cast(X[*s], T)"}
  - {op: less,     types: {T: real},   in: {A: "T[*S]", B: "T[*S]"}, out: {Y: "bool[*S]"}, body: "Y[*s] = A[*s] < B[*s]"}
  - {op: maximum, types: {T: real},   in: {X: "T[N]"}, out: {Y: "T[]"}, body: "Y[] = max[n](X[n])"}
  - {op: halves,   types: {T: [int, uint]}, in: {X: "T[*S]"}, out: {Y: "T[*S]"}, body: "Y[*s] = shr(X[*s], 1)"}
  - {op: widen,    types: {T: [int, uint]}, in: {X: "T[*S]"}, out: {Y: "f64[*S]"}, body: "Y[*s] = cast(X[*s], f64)"}
  - {op: marked,   types: {T: [int, uint]}, in: {X: "T[N]", Z: "T[N]"}, out: {Y: "T[]"}, body: "Y[] += X[i] where X[i] < Z[i]"}
  - op: started
    types: {T: [int, uint]}
    in: {X: "T[N]"}
    require: [N >= 1]
    index: {k: N}
    out: {Y: "i64[]"}
    body: "Y[] = fold[k](a = cast(X[0], i64), a + k)"
  - {op: found,    types: {T: [int, uint]}, in: {X: "T[N]", Z: "T[N]"}, out: {Y: "T[]"}, body: "Y[] += X[i] where X[i] == Z[i]"}
  - {op: saturate, types: {T: [int, uint]}, in: {X: "f32[*S]"}, out: {Y: "T[*S]"}, body: "Y[*s] = cast(X[*s], T)"}
)yaml";

}  // namespace

TEST_CASE("share_signs: where only bits count, unsigned types have the signed type's kernel") {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", kOps)});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  const auto kernel_of = [&](const std::string& op, std::vector<DType> dtypes, DType d) {
    const auto library = expand_library(*defs, {{op}, std::move(dtypes)});
    REQUIRE(library);
    for (const LibraryKernel& k : library->ops[0].kernels)
      if (k.call_types.at("T") == d) {
        CHECK(k.name == op + "_" + std::string(name_of(d)));
        return k.kernel.name;
      }
    return std::string();
  };
  const std::vector<DType> both = {DType::I8, DType::U8, DType::I64, DType::U64};
  for (const std::string op : {"add", "affine", "sum", "equal", "truncate", "found"}) {
    INFO(op);
    CHECK(kernel_of(op, both, DType::U8) == op + "_i8");
    CHECK(kernel_of(op, both, DType::U64) == op + "_i64");
    CHECK(kernel_of(op, {DType::U8}, DType::U8) == op + "_u8");
  }
  for (const std::string op : {"less", "maximum", "halves", "widen", "marked", "started", "saturate"}) {
    INFO(op);
    CHECK(kernel_of(op, both, DType::U8) == op + "_u8");
    CHECK(kernel_of(op, both, DType::U64) == op + "_u64");
  }
}

}  // namespace share_signs_test
