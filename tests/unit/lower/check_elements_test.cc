// Checks of indices in rows: vectors at levels that have them, and the same verdict wherever the bad one is.
#include <fmt/format.h>

#include "catch.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "lower/lower_kernel.h"
#include "nest/run_nest.h"
#include "opdef/read_ops.h"
#include "support/ranges.h"

namespace check_elements_test {

using namespace tenon;

namespace {

Kernel taking(const std::string& index_type) {
  const std::string op = "ops:\n  - op: f\n    types: {T: [f32]}\n    in: {X: \"T[D]\", Ix: \"" + index_type +
                         "[J]\"}\n    out: {Y: \"T[J]\"}\n    body: |\n      Y[j] = X[wrap(Ix[j], D)]\n";
  const auto defs = read_ops({}, {std::make_shared<const SourceFile>("take.yaml", op)}, {});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  const auto library = expand_library(*defs, {{"f"}, {DType::F32}});
  REQUIRE(library);
  return library->ops[0].kernels[0].kernel;
}

TensorData zeros(DType type, int64_t elements) {
  TensorData out{type, {elements}, {}};
  out.bytes.resize(static_cast<size_t>(elements * bytes_of(type)));
  return out;
}

/// How the call ends for `count` indices, one of which is `odd` and the others 0; X has `memory` of its elements.
OracleStatus run(const LoopNest& nest, int64_t count, std::pair<int64_t, int64_t> odd, int64_t extent, int64_t memory) {
  OracleCall call;
  call.sizes = {{"D", extent}, {"J", count}};
  for (const Tensor& t : nest.kernel->tensors) {
    const bool indices = t.name == "Ix";
    call.tensors.push_back(t.role == Role::Input ? zeros(t.dtype, indices ? count : memory) : TensorData{});
    if (indices && odd.first < count) store_number(call.tensors.back(), odd.first, Number{odd.second});
  }
  const NestRun out = run_nest(nest, call);
  CHECK(out.fault == "");
  return out.status;
}

}  // namespace

TEST_CASE("check elements: one index in a row that is outside ends the call at every level") {
  for (const std::string type : {"i32", "i64"}) {
    const Kernel kernel = taking(type);
    for (const Isa& isa : all_isas()) {
      if (!isa.base.empty()) continue;
      const LoopNest nest = library_nest(kernel, Blueprints{}, isa);
      INFO(to_text(nest));
      CHECK(nest.functions.empty() == (isa.vector_bits == 0));
      const int64_t extent = 9;
      for (const int64_t count : {1, 3, 8, 37, 64, 143})
        for (const int64_t at : {int64_t{0}, count / 2, count - 1}) {
          INFO(fmt::format("{} of {}", at, count));
          for (const int64_t good : {extent - 1, -extent})
            CHECK(run(nest, count, {at, good}, extent, extent) == OracleStatus::Done);
          for (const int64_t bad : {extent, -extent - 1, int64_t{INT32_MAX}, int64_t{INT32_MIN}})
            CHECK(run(nest, count, {at, bad}, extent, extent) == OracleStatus::Range);
        }
      CHECK(run(nest, 0, {0, 0}, extent, extent) == OracleStatus::Done);
      CHECK(run(nest, 70, {0, 0}, 0, 0) == OracleStatus::Range);
    }
  }
}

TEST_CASE("check elements: extents beyond the type of the indices are no limit") {
  for (const Isa& isa : all_isas())
    if (isa.base.empty())
      CHECK(run(library_nest(taking("i32"), Blueprints{}, isa), 70, {70, 0}, (int64_t{1} << 32) + 5, 1) ==
            OracleStatus::Done);
}

}  // namespace check_elements_test
