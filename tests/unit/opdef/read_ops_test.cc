// read_ops: the worked examples are read whole, print and read back the same, and user definitions win.
#include "opdef/read_ops.h"

#include "catch.h"
#include "shipped_library.h"
#include "unit/opdef/read_text.h"

namespace read_ops_test {

using namespace tenon;
using tenon_test::read_text;
using tenon_test::source;

namespace {
const std::string kExamples = std::string(TENON_TESTS_DIR) + "/unit/opdef/examples.yaml";
}

TEST_CASE("read_ops: the worked examples are accepted") {
  const auto library = read_text(tenon_test::file_text(kExamples));
  INFO(library.diagnostics().text());
  REQUIRE(library);
  CHECK(library->ops.size() == 25);
  CHECK(library->fns.size() == 4);
  CHECK(library->scalars.size() == 11);
  const OpDef* conv = library->op("conv2d");
  REQUIRE(conv != nullptr);
  CHECK(conv->inputs[2].optional);
  CHECK(conv->inputs[0].dims[1].kind == DimKind::split);
  CHECK(conv->attr("pads")->length == 4);
  CHECK(library->op("randn")->let("S")->pack);
  CHECK(library->op("relu")->family == "unary");
  CHECK(print(library->op("relu")->body[0]) == "Y[*s] = max(X[*s], 0)");
}

TEST_CASE("read_ops: printing and reading back changes nothing") {
  const auto library = read_text(tenon_test::file_text(kExamples));
  REQUIRE(library);
  const std::string text = print(*library);
  const auto again = read_text(text);
  INFO(text << again.diagnostics().text());
  REQUIRE(again);
  CHECK(print(*again) == text);
  for (const auto& [name, op] : library->ops) CHECK(same(op, again->ops.at(name)));
}

TEST_CASE("read_ops: a doc with control characters is printed so that it can be read") {
  const auto library = read_text(
      "ops:\n  - op: f\n    doc: \"tab\\t bell\\a quote\\\" é\"\n    in: {X: \"f32[N]\"}\n    out: {Y: \"f32[N]\"}\n"
      "    body: Y[i] = X[i]\n");
  REQUIRE(library);
  const auto again = read_text(print(*library));
  INFO(print(*library) << again.diagnostics().text());
  REQUIRE(again);
  CHECK(library->op("f")->doc == "tab\t bell\a quote\" é");
  CHECK(again->op("f")->doc == library->op("f")->doc);
}

TEST_CASE("read_ops: the user's definition replaces the shipped one") {
  const auto shipped =
      source("ops:\n  - op: f\n    in: {X: \"f32[N]\"}\n    out: {Y: \"f32[N]\"}\n    body: Y[i] = X[i]\n");
  const auto user = source(
      "ops:\n  - op: f\n    in: {X: \"f64[N]\"}\n    out: {Y: \"f64[N]\"}\n    body: Y[i] = X[i]\n", "user.yaml");
  const auto library = read_ops({shipped}, {user});
  REQUIRE(library);
  CHECK(library->op("f")->inputs[0].dtype == "f64");
  CHECK_FALSE(library->op("f")->shipped);
}

TEST_CASE("read_ops: several YAML documents and byte order marks") {
  const auto library = read_text(
      "\xEF\xBB\xBF"
      "fn:\n  \"one(x)\": x\n---\nfn:\n  \"two(x)\": one(x)*2\n");
  INFO(library.diagnostics().text());
  REQUIRE(library);
  CHECK(library->fns.size() == 2);
}

TEST_CASE("read_ops: a shipped op that calls what the user replaced is left out with a warning") {
  const auto shipped = source(
      "ops:\n  - op: scale\n    attrs: {by: float = 2}\n    in: {X: \"f32[N]\"}\n    out: {Y: \"f32[N]\"}\n    body: "
      "Y[i] = X[i]\n"
      "  - op: twice\n    in: {X: \"f32[N]\"}\n    out: {Y: \"f32[N]\"}\n    body: Y = scale(X, by=2)\n"
      "  - op: four_times\n    in: {X: \"f32[N]\"}\n    out: {Y: \"f32[N]\"}\n    body: Y = twice(X)\n");
  const auto user = source(
      "ops:\n  - op: scale\n    in: {X: \"f32[N]\"}\n    out: {Y: \"f32[N]\"}\n    body: Y[i] = 3*X[i]\n", "user.yaml");
  const auto library = read_ops({shipped}, {user});
  INFO(library.diagnostics().text());
  REQUIRE(library);
  CHECK(library->ops.size() == 1);
  CHECK(library.diagnostics().size() == 2);
  CHECK(library.diagnostics().text().find("warning: the shipped op 'twice' is left out") != std::string::npos);
}

namespace {

const char* const kShipped =
    "ops:\n"
    "  - op: half\n    in: {X: \"f32[N]\"}\n    out: {Y: \"f32[N]\"}\n    body: Y[i] = X[i]/2\n"
    "  - op: quarter\n    in: {X: \"f32[N]\"}\n    out: {Y: \"f32[N]\"}\n    body: Y = half(X)\n"
    "  - op: wrong\n    in: {X: \"f32[N]\"}\n    out: {Y: \"f32[N]\"}\n    body: Y[i] = X[i + 1]\n";

}  // namespace

TEST_CASE("read_ops_as_needed: a shipped op is read when it is asked for, and faults of others do not matter") {
  const auto library = read_ops_as_needed({source(kShipped)}, {});
  INFO(library.diagnostics().text());
  REQUIRE(library);
  CHECK(library->ops.empty());
  CHECK(library->names() == std::vector<std::string>{"half", "quarter", "wrong"});
  CHECK(library->op("quarter")->shipped);
  CHECK(library->op("quarter") == library->op("quarter"));
  CHECK(library->op("third") == nullptr);
  CHECK(library->declared("wrong")->inputs.size() == 1);
  try {
    library->op("wrong");
    FAIL("it reads behind the end");
  } catch (const BrokenDefinition& broken) {
    CHECK(broken.diagnostics.text().find("[E05") != std::string::npos);
  }
}

TEST_CASE("read_ops_as_needed: the definitions are those of read_ops") {
  const auto files = tenon_test::yaml_files("opdefs");
  const auto frames = tenon_test::frame_files(TENON_CHECKOUT);
  const auto now = read_ops(files, {}, frames), later = read_ops_as_needed(files, {}, frames);
  REQUIRE(now);
  REQUIRE(later);
  CHECK(print(*now) == print(*later));
  for (const std::string& name : now->names()) {
    CHECK(now->op(name)->shipped == later->op(name)->shipped);
    CHECK(now->op(name)->family == later->op(name)->family);
  }
}

TEST_CASE("read_ops_as_needed: definitions of the user are checked beside shipped ones that wait") {
  const auto user = [](const std::string& ops) {
    return read_ops_as_needed({source(kShipped)}, {source("ops:\n" + ops, "user.yaml")});
  };
  const std::string head = "    in: {X: \"f32[N]\"}\n    out: {Y: \"f32[N]\"}\n    body: ";
  const auto calls = user("  - op: eighth\n" + head + "Y = quarter(X)\n");
  REQUIRE(calls);
  CHECK(calls->ops.size() == 1);
  CHECK(user("  - op: eighth\n" + head + "Y = hlf(X)\n").diagnostics().text().find("half") != std::string::npos);
  // One that replaces a shipped op has the others checked at once.
  CHECK_FALSE(read_ops({source(kShipped)}, {}).ok());
  const auto replaced = user("  - op: half\n" + head + "Y[i] = X[i]/2\n");
  REQUIRE(replaced);
  CHECK(replaced->deferred.empty());
  CHECK(replaced.diagnostics().text().find("warning: the shipped op 'wrong' is left out") != std::string::npos);
}

TEST_CASE("read_ops: an op without outputs is refused") {
  const auto library =
      read_text("ops:\n  - op: f\n    types: {T: any}\n    in: {X: \"T[N]\"}\n    out:\n    body: y[i] = X[i]\n");
  REQUIRE_FALSE(library);
  CHECK(library.diagnostics().text().find("op 'f' has no output [E0203]") != std::string::npos);
}

TEST_CASE("read_ops: attributes of a dtype are numbers of it; `dtype` itself is not a type of an attribute") {
  const auto f = [](const std::string& attr) {
    return read_text("ops:\n  - op: f\n    attrs: {a: " + attr +
                     "}\n    in: {X: \"i32[N]\"}\n    out: {Y: \"i32[N]\"}\n    body: Y[i] = X[i]*a\n")
        .ok();
  };
  CHECK(f("i32"));
  CHECK(f("i16 = -3"));
  CHECK_FALSE(f("i16 = 0.5"));
  CHECK_FALSE(f("dtype"));
}

TEST_CASE("read_ops: a key with nothing under it is said where it stands") {
  const auto error_of = [](const std::string& text) {
    const std::string all = read_text(text).diagnostics().text();
    const auto begin = all.find(':') + 1;
    return all.substr(begin, all.find('\n') - begin);
  };
  CHECK(error_of("ops:\n") == "1:1: error: ops takes a list, not nothing [E0202]");
  CHECK(error_of("fn:\nops: []\n") == "1:1: error: fn takes a map, not nothing [E0202]");
  CHECK(error_of("scalar: {a: }\n") == "1:10: error: a scalar row takes a map, not nothing [E0202]");
  CHECK(error_of("ops: [null]\n") == "1:7: error: an op takes a map, not nothing [E0202]");
  CHECK(error_of("families:\n  - family: f\n    ops:\n    in: {X: \"f32[N]\"}\n") ==
        "3:5: error: ops of a family takes a map, not nothing [E0202]");
  CHECK(error_of("families:\n  - family: f\n    ops: {a: }\n") ==
        "3:11: error: a member takes a map, not nothing [E0202]");
}

}  // namespace read_ops_test
