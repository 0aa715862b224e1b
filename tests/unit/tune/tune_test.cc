// The search for schedules: what is tried, what wins, and the file that it becomes.
#include "tune/tune.h"

#include <algorithm>

#include "catch.h"
#include "frontend/tensors/tensor_files.h"
#include "isa/all_isas.h"
#include "schedule/read_blueprints.h"
#include "shipped_library.h"

namespace tune_test {

using namespace tenon;

namespace {

SourceFileRef file(const std::string& text) { return std::make_shared<const SourceFile>("b.yaml", text); }

std::string row(const std::string& kernel, int rows) {
  return "  - {kernel: \"" + kernel +
         "\", kind: contraction, isa: x86-64-v3, dtype: \"*\", tile_rows: " + std::to_string(rows) +
         ", tile_vectors: 2, cache_m: 51200, cache_n: 524288}\n";
}

}  // namespace

TEST_CASE("tune: candidates of every shipped blueprint are rows that the reader takes") {
  for (const Blueprint& b : tenon_test::shipped_blueprints().rows) {
    const Isa& isa = *isa_from_name(b.isa == "*" ? "x86-64-v4" : b.isa);
    if (isa.vector_bits == 0) continue;
    const std::vector<Blueprint> all = candidates_of(b, isa);
    CHECK(all.size() >= 3);
    for (const Blueprint& c : all) {
      const std::string text = print_blueprints({{c}}, {""});
      INFO(text);
      const auto read = read_blueprints(file(text));
      REQUIRE(read.ok());
      CHECK(print_blueprints(read.value(), {""}) == text);
      if (c.kind == "contraction") CHECK(c.tile_rows * c.tile_vectors < isa.vector_registers);
    }
  }
}

TEST_CASE("tune: a win is beyond noise") {
  CHECK_FALSE(find_win({{10, 10, 10, 10}, {9.9, 9.9, 9.9, 9.9}}));  // 1 %
  CHECK_FALSE(find_win({{10, 10, 10, 10}, {9, 9, 11, 11}}));        // in two rounds of four
  const auto win = find_win({{10, 10, 10, 30}, {9, 9, 9, 9}, {8, 8, 8, 40}});
  REQUIRE(win);
  CHECK(win->program == 2);  // one slow round of four
  CHECK(win->gain == 10.0 / 8);
  CHECK(find_win({{10, 10, 10, 30}, {9, 9, 9, 9}, {8, 8, 12, 40}})->program == 1);
}

TEST_CASE("tune: profiles add up by kernel") {
  KernelTimes times;
  const std::string text =
      R"({"model": "net", "runs": 3, "kernels": [{"kernel": "a", "us": 1.5}, {"kernel": "b", "us": 2}, {"kernel": "a", "us": 1}]})";
  REQUIRE(add_profile(text, times));
  REQUIRE(add_profile(text, times));
  CHECK(times == KernelTimes{{"a", {2.5, 2.5}}, {"b", {2, 2}}});
  CHECK_FALSE(add_profile("{\"kernels\": [{\"kernel\": \"a\"}]}", times));
  CHECK_FALSE(add_profile("no profile", times));
}

TEST_CASE("tune: rows for kernels by name") {
  const Blueprints& shipped = tenon_test::shipped_blueprints();
  const auto own = read_own_blueprints(file("blueprints:\n" + row("gemm_f32", 4) + row("conv*", 12)), shipped,
                                       {"gemm_f32", "conv2d_relu", "softmax"});
  REQUIRE(own.ok());
  const auto rows_of = [&](const char* kernel) {
    return own.value().of_kernel(kernel).find("contraction", "x86-64-v3", DType::F32)->tile_rows;
  };
  CHECK(rows_of("gemm_f32") == 4);
  CHECK(rows_of("conv2d_relu") == 12);
  CHECK(rows_of("softmax") == shipped.find("contraction", "x86-64-v3", DType::F32)->tile_rows);
  const auto unknown = read_own_blueprints(file("blueprints:\n" + row("gem_f32", 4)), shipped, {"gemm_f32"});
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.diagnostics().text().find("did you mean 'gemm_f32'?") != std::string::npos);
  CHECK_FALSE(read_own_blueprints(file("blueprints:\n" + row("a", 4) + row("a", 6)), shipped, {"a"}).ok());
}

TEST_CASE("tune: .npy files are read as they were written") {
  for (const DType d :
       {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I8, DType::U16, DType::I64, DType::Bool, DType::C64}) {
    TensorData t{d, {2, 3}, {}};
    for (int k = 0; k < 6 * bytes_of(d); ++k) t.bytes.push_back(d == DType::Bool ? k % 2 : static_cast<uint8_t>(k));
    const std::string bytes = npy_bytes(t);
    const auto read = read_npy({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "t.npy");
    INFO(name_of(d));
    REQUIRE(read.ok());
    CHECK(read.value() == t);
  }
}

}  // namespace tune_test
