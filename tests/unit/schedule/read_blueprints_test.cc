// Reading blueprints: rows in order, special rows before general ones, errors at their places.
#include "schedule/read_blueprints.h"

#include "catch.h"

namespace read_blueprints_test {

using namespace tenon;

namespace {

Result<Blueprints> read(const std::string& text) {
  return read_blueprints(std::make_shared<const SourceFile>("b.yaml", text));
}

}  // namespace

TEST_CASE("the first blueprint that fits is taken") {
  const auto b = read("blueprints:\n  - {kind: map, isa: neon, dtype: f64, unroll: 2}\n  - {kind: map, unroll: 4}\n");
  REQUIRE(b.ok());
  CHECK(b->find("map", "neon", DType::F64)->unroll == 2);
  CHECK(b->find("map", "neon", DType::F32)->unroll == 4);
  CHECK(b->find("scan", "neon", DType::F32) == nullptr);
}

TEST_CASE("a blueprint with a misspelt key is an error") {
  const auto b = read("blueprints:\n  - {kind: map, unrol: 4}\n");
  REQUIRE(!b.ok());
  CHECK(b.diagnostics().text().find("unrol") != std::string::npos);
}

TEST_CASE("a blueprint's numbers are whole and not negative") {
  CHECK(!read("blueprints:\n  - {kind: map, unroll: -1}\n").ok());
  CHECK(!read("blueprints:\n  - {kind: map, unroll: x}\n").ok());
}

TEST_CASE("what a blueprint says has an effect, or is an error at its place") {
  const auto says = [](const std::string& row, const std::string& place) {
    const auto b = read("blueprints:\n  - {" + row + "}\n");
    REQUIRE(!b.ok());
    INFO(b.diagnostics().text());
    CHECK(b.diagnostics().text().find("b.yaml:" + place + ": error: ") == 0);
  };
  says("kind: transpose, tile_rows: 8", "2:12");
  says("kind: map, tile_rows: 8", "2:17");
  says("kind: map, isa: x86-64-v9", "2:22");
  says("kind: map, dtype: f33", "2:24");
  says("kind: row_chain, row_multiple: 4, cache_m: 64", "2:5");
  says("isa: neon, unroll: 4", "2:5");
  says("kind: stencil, tile_rows: 8, tile_vectors: 2", "2:35");
  says("kind: reduction, accumulators: 4, unroll: 4", "2:40");
  says("kind: stencil, isa: portable, tile_rows: 8, strip_pixels: 64", "2:50");
  says("kind: contraction, isa: x86-64-v3, tile_rows: 6, tile_vectors: 2, known_rows: 8, cache_m: 64, cache_n: 64",
       "2:72");
  says("kind: map, name: mine", "2:17");
  says("kind: map, isa: portable, unroll: 4", "2:22");
  says("kind: map, dtype: f16, unroll: 4", "2:24");
  says("kind: row_chain, dtype: f64, least_rows: 4, row_multiple: 8, cache_m: 64", "2:30");
  says("kind: contraction, dtype: i8, tile_rows: 4, tile_vectors: 2, cache_m: 64, cache_n: 64", "2:32");
  says("kind: contraction_transposed, tile_rows: 6, tile_vectors: 2, cache_m: 64, cache_n: 64", "2:47");
}

TEST_CASE("a blueprint behind others that fit all that it fits is an error") {
  const auto place = [](const std::string& rows) {
    const auto b = read("blueprints:\n" + rows);
    return b.ok() ? std::string() : b.diagnostics().text().substr(0, 10);
  };
  CHECK(place("  - {kind: map, unroll: 2}\n  - {kind: map, isa: neon, unroll: 4}\n") == "b.yaml:3:5");
  CHECK(place("  - {kind: map, dtype: f32}\n  - {kind: map, dtype: f64}\n  - {kind: map}\n") == "b.yaml:4:5");
  CHECK(place("  - {kind: map, dtype: f32}\n  - {kind: map, isa: neon}\n  - {kind: map}\n").empty());
}

TEST_CASE("the shipped blueprints are well-formed") {
  const auto b = read_blueprint_folder(TENON_CHECKOUT "/templates/blueprints");
  if (!b.ok()) FAIL(b.diagnostics().text());
  CHECK(b->find("map", "portable", DType::F32) != nullptr);
}

}  // namespace read_blueprints_test
