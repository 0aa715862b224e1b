// library_semantics: what definitions say about types, as the frontends ask for it.
#include "library_semantics.h"

#include "catch.h"
#include "opdef/read_ops.h"

using namespace tenon;

namespace {

constexpr const char* kDefinitions = R"yaml(
ops:
  - op: gemm
    types: {T: number}
    attrs: {transB: bool = false, alpha: T = 1}
    in:
      A: T[M, K]
      B: T[K, N]
      C?: T[~M, ~N]
    storage:
      B: {if: transB, as: [N, K]}
    out: {Y: "T[M, N]"}
    body: "Y[m,n] = alpha*sum[k](A[m,k]*B[k,n]) + opt(C[m,n], 0)"
  - op: maxpool1d
    types: {T: real}
    attrs: {kernel: int, stride: int = 1}
    in: {X: "T[N, C, L]"}
    let: {Lo: "(L - kernel)//stride + 1"}
    require: [stride > 0, kernel > 0]
    index: {r: kernel}
    out: {Y: "T[N, C, Lo]"}
    body: "Y[n,c,x] = max[r](padded(X[n, c, x*stride + r], -inf))"
  - op: full
    types: {T: any}
    attrs: {shape: "int[]", value: T = 0}
    let: {S: shape}
    out: {Y: "T[*S]"}
    body: "Y[*s] = value"
)yaml";

OpLibrary definitions() {
  Result<OpLibrary> library = read_ops({std::make_shared<SourceFile>("defs.yaml", kDefinitions)}, {});
  INFO(library.diagnostics().text());
  REQUIRE(library.ok());
  return *library;
}

TensorType f32(std::vector<SizeExpr> dims) { return {DType::F32, std::move(dims)}; }

}  // namespace

TEST_CASE("frontend: definitions answer for shapes with run-time sizes") {
  const OpLibrary library = definitions();
  const OpSemantics s = library_semantics(library);
  const SizeExpr n = size_name("N");
  const InferredTypes gemm = s.infer("gemm", {f32({n, 64}), f32({10, 64})}, {{"transB", true}}, 1);
  CHECK(gemm.error == "");
  CHECK(gemm.outputs == std::vector<TensorType>{f32({n, 10})});
  const InferredTypes pool = s.infer("maxpool1d", {f32({n, 3, 9})}, {{"kernel", int64_t{3}}, {"stride", int64_t{2}}}, 1);
  CHECK(pool.error == "");
  CHECK(pool.outputs == std::vector<TensorType>{f32({n, 3, 4})});
  const InferredTypes full = s.infer("full", {}, {{"shape", std::vector<SizeExpr>{n, 2}}, {"dtype", DType::I64}}, 1);
  CHECK(full.error == "");
  CHECK(full.outputs == std::vector<TensorType>{{DType::I64, {n, 2}}});
}

TEST_CASE("frontend: definitions say what does not fit") {
  const OpLibrary library = definitions();
  const OpSemantics s = library_semantics(library);
  CHECK(s.infer("gemm", {f32({2, 64}), f32({63, 10})}, {}, 1).error != "");
  CHECK(s.infer("gemm", {f32({2, 64})}, {}, 1).error == "input B is missing");
  CHECK(s.infer("gemm", {f32({2, 64}), {{DType::F64, {64, 10}}}}, {}, 1).error != "");
}

TEST_CASE("frontend: signatures are those of the definitions") {
  const OpLibrary library = definitions();
  const OpSemantics s = library_semantics(library);
  REQUIRE(s.find("full") != nullptr);
  CHECK(s.find("full")->attrs.back().name == "dtype");
  CHECK(s.find("gemm")->inputs[2].optional);
  CHECK(s.find("maxpool1d")->attrs[0].required);
  CHECK(s.find("nothing") == nullptr);
}
