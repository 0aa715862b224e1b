// library_semantics: what definitions say about types, as the frontends ask for it.
#include "semantics/library_semantics.h"

#include <cstring>
#include <limits>

#include "catch.h"
#include "frontend/yaml/read_graph_yaml.h"
#include "opdef/read_ops.h"

namespace library_semantics_test {

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
  - op: expand
    types: {T: any}
    attrs: {shape: "int[]"}
    in: {X: "T[~*O]"}
    let: {O: shape}
    out: {Y: "T[*O]"}
    body: "Y[*o] = X[*o]"
  - op: arange
    types: {T: real}
    attrs: {start: T = 0, stop: T, step: T = 1}
    let: {N: "max(0, ceildiv(select(step > 0, max(stop, start), stop) - start, step))"}
    out: {Y: "T[N]"}
    body: "Y[i] = start + i*step"
  - op: windows
    types: {T: any}
    attrs: {kernel: int}
    in: {X: "T[H, W]"}
    let: {Ho: "H - kernel + 1", Wo: "W - kernel + 1"}
    out: {Y: "T[(Ho Wo)]"}
    body: "Y[(y x)] = X[clamp(y, 0, H - 1),clamp(x, 0, W - 1)]"
  - op: lengths
    types: {T: float}
    attrs: {axis: int = -2}
    in: {X: "T[*P, N@axis, *Q, C]"}
    out: {Y: "T[*P, *Q]"}
    body: "Y[*p,*q] = sum[n,c](sq(X[*p,n,*q,c]))"
  - op: next
    attrs: {edge: "enum(zero, repeated) = zero"}
    in: {X: "f32[N]"}
    out: {Y: "f32[N]"}
    body: "Y[i] = padded(X[i + 1], select(edge == zero, 0, X[i]))"
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
  const InferredTypes pool =
      s.infer("maxpool1d", {f32({n, 3, 9})}, {{"kernel", int64_t{3}}, {"stride", int64_t{2}}}, 1);
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

TEST_CASE("frontend: an input spreads only to the shape that a let says") {
  const OpLibrary library = definitions();
  const OpSemantics s = library_semantics(library);
  const auto expand = [&](std::vector<SizeExpr> dims, std::vector<SizeExpr> shape) {
    return s.infer("expand", {f32(std::move(dims))}, {{"shape", std::move(shape)}}, 1);
  };
  CHECK(expand({4, 1}, {2, 4, 7}).outputs == std::vector<TensorType>{f32({2, 4, 7})});
  CHECK(expand({4, 7}, {2, 7, 2}).error.find("X has an extent of 4 that does not broadcast to 7") != std::string::npos);
  CHECK(expand({2, 3}, {3}).error.find("X has 2 dimensions, 1 at most") != std::string::npos);
}

TEST_CASE("frontend: an axis leaves room for the dims behind it") {
  const OpLibrary library = definitions();
  const OpSemantics s = library_semantics(library);
  const auto lengths = [&](int64_t axis) { return s.infer("lengths", {f32({3, 4, 5})}, {{"axis", axis}}, 1); };
  CHECK(lengths(0).outputs == std::vector<TensorType>{f32({4})});
  CHECK(lengths(1).outputs == std::vector<TensorType>{f32({3})});
  CHECK(lengths(2).error.find("X has 3 dimensions; its shape needs 0 before dimension 2 and 1 after it") !=
        std::string::npos);
}

TEST_CASE("frontend: each part of a dimension of the result exists") {
  const OpLibrary library = definitions();
  const OpSemantics s = library_semantics(library);
  CHECK(s.infer("windows", {f32({3, 3})}, {{"kernel", int64_t{2}}}, 1).outputs == std::vector<TensorType>{f32({4})});
  CHECK(s.infer("windows", {f32({3, 3})}, {{"kernel", int64_t{7}}}, 1)
            .error.find("a part of dimension 0 of Y would have the extent -3") != std::string::npos);
}

TEST_CASE("frontend: extents from numbers of every type") {
  const OpLibrary library = definitions();
  const OpSemantics s = library_semantics(library);
  const auto arange = [&](DType type, double start, double stop, double step) {
    const InferredTypes t =
        s.infer("arange", {}, {{"start", start}, {"stop", stop}, {"step", step}, {"dtype", type}}, 1);
    INFO(t.error);
    REQUIRE(t.outputs.size() == 1);
    return t.outputs[0].dims[0].value;
  };
  for (const DType type : {DType::U8, DType::I32, DType::U64, DType::I64, DType::F32, DType::F64}) {
    CHECK(arange(type, 1, 8, 3) == 3);
    CHECK(arange(type, 3, 1, 1) == 0);
    CHECK(arange(type, 5, 5, 1) == 0);
  }
  CHECK(arange(DType::I32, 8, -3, -2) == 6);
  CHECK(arange(DType::F32, 0.5, 2.25, 0.5) == 4);
  const SizeExpr n = size_name("N");
  const InferredTypes open = s.infer("arange", {}, {{"stop", n}, {"dtype", DType::I64}}, 1);
  CHECK(open.error == "");  // an extent with a name stays one
  CHECK(open.outputs.size() == 1);
}

TEST_CASE("frontend: an extent whose arithmetic leaves 64 bits is refused") {
  const OpLibrary library = definitions();
  const OpSemantics s = library_semantics(library);
  const int64_t most = std::numeric_limits<int64_t>::max();
  const auto arange = [&](int64_t start, int64_t step) {
    return s.infer("arange", {}, {{"start", start}, {"stop", most}, {"step", step}, {"dtype", DType::I64}}, 1);
  };
  CHECK(arange(0, most / 2).outputs == std::vector<TensorType>{{DType::I64, {3}}});
  CHECK(
      arange(-5, most / 2)
          .error.find(
              "N = max(0, ceildiv(select(step > 0, max(stop, start), stop) - start, step)) leaves the range of i64") !=
      std::string::npos);
  CHECK(s.infer("maxpool1d", {f32({1, 1, 9})}, {{"kernel", -most}}, 1)
            .error.find("Lo = (L - kernel)//stride + 1 leaves the range of i64") != std::string::npos);
}

TEST_CASE("frontend: words of an attribute need no quotes") {
  const OpLibrary library = definitions();
  const auto read = [&](const std::string& edge) {
    const std::string text =
        "graph: g\ninputs: {zero: \"f32[4]\"}\nmain: y = next(zero, edge=" + edge + ")\noutputs: [y]\n";
    return read_graph_yaml(std::make_shared<SourceFile>("g.yaml", text), library_semantics(library), {});
  };
  for (const char* word : {"zero", "'zero'", "repeated", "'repeated'"}) {
    const Result<Graph> graph = read(word);
    INFO(graph.diagnostics().text());
    REQUIRE(graph.ok());
    const std::string plain = word[0] == '\'' ? std::string(word + 1, std::strlen(word) - 2) : word;
    CHECK(to_text(*graph).find("next(zero, edge=" + plain + ")") != std::string::npos);
  }
  CHECK(read("other").diagnostics().text().find("nothing has the name 'other'") != std::string::npos);
}

}  // namespace library_semantics_test
