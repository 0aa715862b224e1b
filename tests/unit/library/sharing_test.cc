// Which calls of an op share a kernel: those without an optional input that numbers are in for, and types of one size
// whose bits are only moved.
#include <algorithm>
#include <map>
#include <set>

#include "catch.h"
#include "library/expand_library.h"
#include "library/expand_symbolic.h"
#include "opdef/read_ops.h"

namespace sharing_test {

using namespace tenon;

namespace {

const char* const kOps = R"yaml(
ops:
  - op: shifted
    types: {T: float}
    in:
      X: "T[N]"
      By?: "f64[2]"
      Ends?: "i64[2]"
      Scale?: "T[]"
      Row?: "T[N]"
    out: {Y: "T[N]"}
    body: |
      a[] = opt(By[0], 0) + opt(By[1], 1)
      Y[n] = X[n]*opt(Scale[], 0) + cast(a[], T) + opt(Row[n], 0) + cast(opt(Ends[0], 3) + opt(Ends[0], 4), T)
  - op: weighted
    types: {T: float, U: [i8, u8]}
    in:
      X: "T[*S]"
      N: "U[*S]"
      W?: "T[~*S]"
      Z?: "U[~*S]"
      C?: "T[~*S]"
      D?: "T[*S]"
      E?: "T[~*S]"
    out: {Y: "T[*S]"}
    body: |
      a[*s] = X[*s]*opt(W[*s], 1) + opt(C[*s], 0) + opt(D[*s], 1) + cast(N[*s] - opt(Z[*s], 0), T)
      Y[*s] = a[*s] + opt(W[*s], 1) + opt(E[*s], 1) + opt(E[*s], 0)
  - op: grouped
    types: {T: number}
    attrs: {groups: int = 1}
    in:
      X: "T[N, (groups C), H]"
      B?: "T[(groups C)]"
      D?: "T[(groups C)]"
    out: {Y: "T[N, (groups C), H]"}
    body: "Y[n,(g c),h] = X[n,(g c),h] + opt(B[(g c)], 0) + opt(D[(g c)], 1)"
  - op: halved
    types: {T: float}
    in:
      X: "T[N]"
      Scale?: "T[]"
    out: {Y: "T[N]"}
    body: "Y[n] = X[n]*opt(Scale[], 2)"
  - op: mixed
    types: {T: float}
    attrs: {beta: float = 1}
    in:
      X: "T[N]"
      C?: "T[N]"
      D?: "T[N]"
    out: {Y: "T[N]"}
    body: "Y[n] = X[n] + select(beta == 0, 0, beta*opt(C[n], 0)) + opt(C[n], 0) + opt(D[n], 1)*select(n > 1, 0, beta)"
  - {op: upper,   types: {T: any}, in: {X: "T[N, N]"}, out: {Y: "T[N, N]"}, body: "Y[i,j] = select(j >= i, X[i,j], cast(0, T))"}
  - {op: shift,   types: {T: any}, in: {X: "T[N]"}, out: {Y: "T[N]"}, body: "Y[i] = padded(X[i - 1], 0)"}
  - {op: ones,    types: {T: any}, in: {X: "T[N, N]"}, out: {Y: "T[N, N]"}, body: "Y[i,j] = select(j >= i, X[i,j], cast(1, T))"}
)yaml";

Result<OpLibrary> ops() { return read_ops({}, {std::make_shared<SourceFile>("ops.yaml", kOps)}); }

}  // namespace

TEST_CASE("stand_in: numbers for reads at constant places, where all reads agree") {
  const auto defs = ops();
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  const OpDef& op = *defs->op("shifted");
  const std::vector<int64_t> by = {0, 1};
  CHECK(stand_in(op, *op.input("By")) == by);
  CHECK(stand_in(op, *op.input("Scale")) == std::vector<int64_t>{0});
  CHECK(stand_in(op, *op.input("Row")).empty());   // its shape depends on the call
  CHECK(stand_in(op, *op.input("Ends")).empty());  // 3 and 4
  CHECK(stand_in(op, *op.input("X")).empty());
  const OpDef& halved = *defs->op("halved");
  CHECK(stand_in(halved, *halved.input("Scale")).empty());  // 2 is another pattern of bits in each type
}

TEST_CASE("expand_library: a sum has no terms that are nothing without an input") {
  const auto defs = ops();
  REQUIRE(defs);
  const auto library = expand_library(*defs, {{"mixed"}, {DType::F32}});
  REQUIRE(library);
  std::map<std::string, std::string> values;
  for (const LibraryKernel& k : library->ops[0].kernels)
    values[k.kernel.name] = to_text(k.kernel.body[0].value, tensor_names(k.kernel));
  CHECK(values.at("mixed_f32_noC") == "(X[n] + (D[n] * select((n > 1), 0, beta)))");
  CHECK(values.at("mixed_f32_noC_noD") == "(X[n] + (1 * select((n > 1), 0, beta)))");
  CHECK(values.at("mixed_f32").find("C[n]") != std::string::npos);
}

TEST_CASE("stand_in: one number where all dimensions may be repeated and results keep their bits") {
  const auto defs = ops();
  REQUIRE(defs);
  const OpDef& op = *defs->op("weighted");
  CHECK(stand_in(op, *op.input("W")) == std::vector<int64_t>{1});
  CHECK(stand_in(op, *op.input("Z")) == std::vector<int64_t>{0});
  CHECK(stand_in(op, *op.input("C")).empty());  // -0.0 + 0 is 0.0
  CHECK(stand_in(op, *op.input("D")).empty());  // kernels do not read it through strides
  CHECK(stand_in(op, *op.input("E")).empty());  // two defaults
}

TEST_CASE("stand_in: zero for a term a channel, whose stride kernels then take from the call") {
  const auto defs = ops();
  REQUIRE(defs);
  const OpDef& op = *defs->op("grouped");
  CHECK(stand_in(op, *op.input("B")) == std::vector<int64_t>{0});
  CHECK(stand_in(op, *op.input("D")).empty());  // 1 is no number of all types
  const auto library = expand_library(*defs, {{"grouped"}, {DType::F32}});
  REQUIRE(library);
  std::set<std::string> names;
  for (const LibraryKernel& k : library->ops[0].kernels) {
    names.insert(k.kernel.name);
    const auto b =
        std::find_if(k.kernel.tensors.begin(), k.kernel.tensors.end(), [](const Tensor& t) { return t.name == "B"; });
    REQUIRE(b != k.kernel.tensors.end());
    CHECK(to_text(b->strides[0]) == "(C * B_s1)");
    CHECK(to_text(b->strides[1]) == "B_s1");
  }
  CHECK(names == std::set<std::string>{"grouped_f32", "grouped_f32_noD"});
}

TEST_CASE("expand_library: calls without an input that has stand-ins take the kernel that reads it") {
  const auto defs = ops();
  REQUIRE(defs);
  const auto library = expand_library(*defs, {{"shifted"}, {DType::F32}});
  REQUIRE(library);
  std::set<std::string> names;
  for (const LibraryKernel& k : library->ops[0].kernels) names.insert(k.kernel.name);
  CHECK(library->ops[0].kernels.size() == 16);
  const std::set<std::string> own = {"shifted_f32", "shifted_f32_noEnds", "shifted_f32_noRow",
                                     "shifted_f32_noEnds_noRow"};
  CHECK(names == own);
}

TEST_CASE("expand_library: zeros are moved like other bits, other numbers are not") {
  const auto defs = ops();
  REQUIRE(defs);
  const auto kernel_of = [&](const std::string& op, DType d) {
    const auto library = expand_library(*defs, {{op}, {d}});
    REQUIRE(library);
    return library->ops[0].kernels[0].kernel.name;
  };
  CHECK(kernel_of("upper", DType::F32) == "upper_u32");
  CHECK(kernel_of("shift", DType::BF16) == "shift_u16");
  CHECK(kernel_of("ones", DType::F32) == "ones_f32");
}

}  // namespace sharing_test
