// share_kernels: which kernels have one function, and what is said of it.

#include "catch.h"
#include "harness/library/library_output.h"
#include "library/expand_library.h"
#include "opdef/read_ops.h"

namespace share_kernels_test {

using namespace tenon;

namespace {

const char* const kOps = R"yaml(
families:
  - family: total
    types: {T: [f32]}
    in: {X: "T[N]"}
    let: {Z: $z}
    out: {Y: "T[]"}
    body: Y[] = sum[n](X[n])/Z
    ops:
      total_mean: {z: N}
      total_sum: {z: 1}
ops:
  - {op: total_alone, types: {T: [f32]}, in: {X: "T[N]"}, let: {Z: 1}, out: {Y: "T[]"}, body: "Y[] = sum[n](X[n])/Z"}
)yaml";

/// The function of a kernel; its name is so long that lines break elsewhere.
KernelText text_of(const std::string& name, const std::string& body) {
  KernelText t;
  t.run = "tn_" + name;
  t.workspace = t.run + "_workspace";
  t.comment = name + "\nof a test";
  t.code = "static int " + t.run + "(void) {\n" + body + "}\n\nstatic int64_t " + t.workspace + "(void) {\n}\n";
  return t;
}

}  // namespace

TEST_CASE("share_kernels: kernels of a family that differ in names and blanks have one function") {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", kOps)});
  REQUIRE(defs);
  const auto library = expand_library(*defs, {{"total_alone", "total_mean", "total_sum"}, {}});
  REQUIRE(library);
  Isa isa;
  isa.name = isa.suffix = "portable";
  LevelTexts level{&isa, "", "", {}};
  for (const LibraryOp& op : library->ops) {
    const std::string name = op.kernels.at(0).kernel.name;
    level.kernels[name] = text_of(name, name == "total_sum_f32" ? "  return\n      0;\n" : "  return 0;\n");
  }
  const LibraryTexts shared = share_kernels(*library, LibraryTexts{{level}});
  const auto& kernels = shared.levels[0].kernels;
  const KernelText& first = kernels.at("total_mean_f32");
  CHECK_FALSE(first.shared);
  CHECK(first.comment == "total_mean_f32\nof a test\nserves 2 kernels, of which this is the first");
  CHECK(kernels.at("total_sum_f32").shared);
  CHECK(kernels.at("total_sum_f32").run == first.run);
  CHECK(kernels.at("total_sum_f32").workspace == first.workspace);
  CHECK_FALSE(kernels.at("total_alone_f32").shared);  // is in a file of its own
}

}  // namespace share_kernels_test
