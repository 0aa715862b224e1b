// Tables and types that follow from types: what is computed when a kernel is made, and what reads back to the same.
#include "catch.h"
#include "ir/op/type_function.h"
#include "library/expand_library.h"
#include "opdef/read_ops.h"
#include "oracle/number.h"

namespace tables_test {

using namespace tenon;

namespace {

OpLibrary read(const std::string& text) {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", text)});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  return *defs;
}

/// The kernels of `f`, whose definition goes on with this text.
std::vector<Kernel> kernels_of(const std::string& text, DType type) {
  const OpLibrary defs = read("ops:\n  - op: f\n" + text);
  CHECK(same(*defs.op("f"), *read(print(defs)).op("f")));
  const auto library = expand_library(defs, {{"f"}, {type}});
  REQUIRE(library);
  std::vector<Kernel> out;
  for (const LibraryKernel& k : library->ops[0].kernels) {
    CHECK(verify(k.kernel) == std::vector<std::string>{});
    out.push_back(k.kernel);
  }
  return out;
}

const TensorData& table_of(const Kernel& k, const std::string& name) {
  for (const Tensor& t : k.tensors)
    if (t.name == name && t.data) return *t.data;
  FAIL("no table " << name);
  return *k.tensors[0].data;
}

std::vector<double> numbers(const TensorData& t) {
  std::vector<double> out;
  for (int64_t k = 0; k < element_count(t.dims); ++k)
    out.push_back(is_float(t.dtype) ? real_element(t, k) : static_cast<double>(int_element(t, k)));
  return out;
}

}  // namespace

TEST_CASE("type functions: every type that they have, and none where there is none") {
  CHECK(derived_dtype("wide(T)", DType::BF16) == DType::F32);
  CHECK(derived_dtype("wide(T)", DType::U64) == DType::U64);
  CHECK(derived_dtype("compute(T)", DType::BF16) == DType::F32);
  CHECK(derived_dtype("compute(T)", DType::I8) == DType::I8);
  CHECK(derived_dtype("signed(wide(T))", DType::U16) == DType::I32);
  CHECK(derived_dtype("complex(T)", DType::F64) == DType::C128);
  CHECK(derived_dtype("real(T)", DType::C64) == DType::F32);
  CHECK_FALSE(derived_dtype("wide(T)", DType::Bool));
  CHECK(derived_dtype("complex(T)", DType::F16) == DType::C64);
  CHECK_FALSE(derived_dtype("complex(T)", DType::I16));
  CHECK_FALSE(derived_dtype("unsigned(T)", DType::F32));
}

TEST_CASE("tables: lists and formulas in the type of the kernel, rounded to it") {
  const std::string text = R"yaml(
    types: {T: float}
    index: {b: 3}
    tables:
      W: {type: "T[2, 2]", values: [[1, "1/3"], [-2, 0.1]]}
      S: {type: "i16[4]", of: [k], values: "sum[b](k*b) + padded(S[k - 1], 0)"}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = X[n]*W[n % 2,0]*W[0,n % 2] + S[n % 4]
)yaml";
  const Kernel single = kernels_of(text, DType::F32)[0], half = kernels_of(text, DType::F16)[0];
  CHECK(numbers(table_of(single, "S")) == std::vector<double>{0, 3, 9, 18});
  CHECK(numbers(table_of(single, "W")) == std::vector<double>{1, 1.0f / 3, -2, 0.1f});
  CHECK(table_of(half, "W").dtype == DType::F32);  // read as what is computed with
  CHECK(numbers(table_of(half, "W"))[3] == 0.0999755859375);
}

TEST_CASE("tables: an extent may be a let of numbers") {
  const Kernel k = kernels_of(R"yaml(
    types: {T: float}
    let: {K: 2, L: K*3 - 1}
    tables:
      W: {type: "T[K]", values: [1, 2]}
      S: {type: "T[K, L]", of: [k, l], values: "k + l"}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = X[n]*W[n % K] + S[n % K,n % L]
)yaml",
                              DType::F32)[0];
  CHECK(numbers(table_of(k, "W")) == std::vector<double>{1, 2});
  CHECK(numbers(table_of(k, "S")) == std::vector<double>{0, 1, 2, 3, 4, 1, 2, 3, 4, 5});
}

TEST_CASE("tables: lets that need each other, or sizes, are no extents of tables") {
  for (const char* lets : {"{K: L + 1, L: K + 1}", "{K: K}", "{K: N}", "{K: 2 - 3}"}) {
    const std::string text = std::string("ops:\n  - op: f\n    types: {T: float}\n    let: ") + lets +
                             "\n    tables: {W: {type: \"T[K]\", values: [1, 2]}}\n    in: {X: \"T[N]\"}\n"
                             "    out: {Y: \"T[N]\"}\n    body: Y[n] = X[n]\n";
    CHECK_FALSE(read_ops({}, {std::make_shared<SourceFile>("ops.yaml", text)}).ok());
  }
}

TEST_CASE("tables: what no statement reads is no tensor of the kernel") {
  const Kernel k = kernels_of(R"yaml(
    types: {T: float}
    tables: {W: {type: "T[2]", values: [1, 2]}}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = X[n]
)yaml",
                              DType::F32)[0];
  CHECK(k.tensors.size() == 2);
}

TEST_CASE("tables: bodies are not shared by types that have other bits for a number") {
  const std::vector<Kernel> kernels = kernels_of(R"yaml(
    types: {T: [any]}
    tables: {W: {type: "T[2]", values: [1, 0]}}
    in: {X: "T[N]"}
    out: {Y: "T[N, 2]"}
    body: Y[n,k] = W[k]
)yaml",
                                                 DType::F32);
  CHECK(numbers(table_of(kernels[0], "W")) == std::vector<double>{1, 0});
}

TEST_CASE("lists: one that a variable indexes is read in the memory of the call") {
  const Kernel k = kernels_of(R"yaml(
    types: {T: float}
    attrs: {taps: "float[]", w: "T[2]"}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = X[n]*sum[k](taps[k]) + w[n % 2] + w[0]
)yaml",
                              DType::F32)[0];
  REQUIRE(k.tensors.size() == 4);
  CHECK(k.tensors[2].list == "taps");
  CHECK(k.tensors[2].dtype == DType::F64);
  CHECK(k.tensors[3].list == "w");
  CHECK(is_one(k.tensors[3].strides[0]) == false);
  CHECK(k.sizes.front().name == "taps_count");
}

}  // namespace tables_test
