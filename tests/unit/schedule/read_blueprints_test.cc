// Reading blueprints: rows in order, special rows before general ones, errors at their places.
#include "schedule/read_blueprints.h"

#include "catch.h"

using namespace tenon;

namespace {

Result<Blueprints> read(const std::string& text) { return read_blueprints(std::make_shared<const SourceFile>("b.yaml", text)); }

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
  says("kind: row_chain, unroll: 4, cache_m: 64", "2:5");
  says("isa: neon, unroll: 4", "2:5");
}

TEST_CASE("the shipped blueprints are well-formed") {
  const auto b = read_blueprint_folder(TENON_CHECKOUT "/templates/blueprints");
  if (!b.ok()) FAIL(b.diagnostics().text());
  CHECK(b->find("map", "portable", DType::F32) != nullptr);
}
