// read_math: the shipped entries are read whole, every math row of the scalar table has one, and mistakes are told with
// their place.
#include "opdef/read/read_math.h"

#include <filesystem>

#include "catch.h"
#include "ir/number/scalar_op.h"
#include "unit/opdef/read_text.h"

namespace read_math_test {

using namespace tenon;

namespace {

Result<MathLibrary> read(std::string text) { return read_math({tenon_test::source(std::move(text))}); }

std::string errors(const std::string& f32) { return read("math:\n  f:\n    f32: " + f32 + "\n").diagnostics().text(); }

std::vector<SourceFileRef> shipped_files() {
  std::vector<std::string> paths;
  for (const auto& file : std::filesystem::directory_iterator(std::string(TENON_CHECKOUT) + "/opdefs/math"))
    paths.push_back(file.path().string());
  std::sort(paths.begin(), paths.end());
  std::vector<SourceFileRef> files;
  for (const std::string& path : paths) files.push_back(tenon_test::source(tenon_test::file_text(path), path));
  return files;
}

Result<MathLibrary> shipped() { return read_math(shipped_files()); }

}  // namespace

TEST_CASE("read_math: every math row of the scalar table has an entry") {
  const auto library = shipped();
  INFO(library.diagnostics().text());
  REQUIRE(library);
  for (const ScalarOpRow& row : all_scalar_ops()) {
    if (!row.has('M')) continue;
    for (const DType d : {DType::F32, DType::F64}) {
      const MathFunction* f = library->find(row.name, d);
      INFO(row.name << " " << name_of(d));
      REQUIRE(f != nullptr);
      CHECK(f->parameters.size() == static_cast<size_t>(row.arity));
      CHECK(f->results.size() == 1);
    }
  }
}

TEST_CASE("read_math: an entry prints as it was meant") {
  const auto library = read(
      "math:\n  f:\n    float:\n      args: [x, int n]\n      ulp: 1.5\n      steps: |\n        a, b = g(x)  # both\n  "
      "      y = "
      "-a*2.0 + b\n"
      "        z = rare(x > 1e5 and not x == inf, h(x), y)\n      result: select((n & 0xff) >> 3 == 1, z, -inf)\n"
      "  g:\n    float: {args: [x], results: [x*x, 'fma(x, x, 1.0)']}\n  h:\n    float: {args: [x], result: "
      "'float_bits(bits(x) "
      "^ 1)'}\n");
  INFO(library.diagnostics().text());
  REQUIRE(library);
  CHECK(to_text(*library->find("f", DType::F64)) ==
        "f f64(x, int n) within 1.5 ULP\n  a, b = g(x)\n  y = (((-a) * 2.0) + b)\n  z = rare(((x > 100000.0) and (not "
        "(x == "
        "inf))), h(x), y)\n"
        "  -> select((((n & 255) >> 3) == 1), z, (-inf))\n");
}

TEST_CASE("read_math: a file of variants replaces entries, and those that call them see it") {
  const auto base = tenon_test::source(
      "math:\n  f:\n    float: {args: [x], ulp: 1, result: x}\n  g:\n    float: {args: [x], result: f(x)}\n");
  const auto variant = tenon_test::source(
      "math:\n  f:\n    f32: {args: [x], relative: 1e-5, absolute: 2e-38, result: x + x}\n    f64: {args: [x], c: "
      "f}\n");
  const auto library = read_math({base}, {variant});
  INFO(library.diagnostics().text());
  REQUIRE(library);
  CHECK(to_text(*library->find("f", DType::F32)) == "f f32(x) within 1e-05 of the value + 2e-38\n  -> (x + x)\n");
  CHECK(to_text(*library->find("f", DType::F64)) == "f f64(x)\n  -> C f\n");
  CHECK(bound_text(*library->find("f", DType::F32)) == "error below 1e-05 of the value + 2e-38");
  CHECK(library->find("g", DType::F64)->results.size() == 1);
  CHECK(read_math({base, variant}).diagnostics().text().find("defined twice") != std::string::npos);
}

TEST_CASE("read_math: the shipped variants replace shipped entries") {
  const std::string folder = std::string(TENON_CHECKOUT) + "/opdefs/math_variants/";
  for (const char* name : {"fast.yaml", "libm.yaml"}) {
    const auto variant = tenon_test::source(tenon_test::file_text(folder + name), name);
    const auto library = read_math(shipped_files(), {variant});
    INFO(library.diagnostics().text());
    REQUIRE(library);
    for (const ScalarOpRow& row : all_scalar_ops())
      if (row.has('M')) CHECK(library->find(row.name, DType::F32)->parameters.size() == static_cast<size_t>(row.arity));
    CHECK(library->find("exp", DType::F32)->error.has_value() == (std::string(name) == "fast.yaml"));
    CHECK(library->find("exp", DType::F32)->c_function == (std::string(name) == "fast.yaml" ? "" : "expf"));
  }
}

TEST_CASE("read_math: a lookup has a table of two registers, and its entry the arguments of the one it replaces") {
  using Catch::Matchers::Contains;
  std::string table = "0.0";
  for (int i = 1; i < 32; ++i) table += ", " + std::to_string(i) + ".5";
  const auto by = [&](const std::string& entry) {
    return read("math:\n  f:\n    f32: {args: [x], by_lookup: g, result: x}\n  g:\n    f32: " + entry + "\n");
  };
  const auto library = by("{args: [x], result: 'lookup(bits(x) >> 18, " + table + ")'}");
  INFO(library.diagnostics().text());
  REQUIRE(library);
  CHECK(library->find("f", DType::F32)->by_lookup == "g");
  CHECK(to_text(library->find("g", DType::F32)->results[0]).starts_with("lookup((bits(x) >> 18), 0.0, 1.5, 2.5"));
  CHECK_THAT(by("{args: [x], result: 'lookup(bits(x), 1.0, 2.0)'}").diagnostics().text(),
             Contains("a lookup takes an integer and 32 numbers"));
  CHECK_THAT(by("{args: [x], result: 'lookup(x, " + table + ")'}").diagnostics().text(), Contains("takes an integer"));
  CHECK_THAT(by("{args: [x, y], result: x}").diagnostics().text(), Contains("g has other arguments than f"));
}

TEST_CASE("read_math: mistakes are named") {
  using Catch::Matchers::Contains;
  CHECK_THAT(errors("{args: [x], result: x + 1}"),
             Contains("'+' does not take a float, an integer") && Contains("[E0436]"));
  CHECK_THAT(errors("{args: [x], result: y}"), Contains("nothing before defines 'y'"));
  CHECK_THAT(errors("{args: [x], result: g(x)}"), Contains("there is no function 'g' of f32"));
  CHECK_THAT(errors("{args: [x], result: f(x)}"), Contains("'f' calls itself"));
  CHECK_THAT(errors("{args: [x], result: 'fma(x, x)'}"), Contains("'fma' does not take a float, a float"));
  CHECK_THAT(errors("{args: [x], steps: x = 1.0, result: x}"), Contains("'x' has a value already"));
  CHECK_THAT(errors("{args: [x], steps: y = x x, result: x}"), Contains("a step ends with its line"));
  CHECK_THAT(errors("{args: [x], result: (x}"), Contains("')' is expected here"));
  CHECK_THAT(errors("{args: [x], result: bits(x) & 0x100000000}"), Contains("larger than the entry's type"));
  CHECK_THAT(errors("{args: [x], result: x $ x}"), Contains("no character '$'"));
  CHECK_THAT(errors("{args: [x]}"), Contains("a math entry has one `result`"));
  CHECK_THAT(errors("{args: [x], result: x, ulp: small}"), Contains("a bound of the error is a number"));
  CHECK_THAT(errors("{args: [x], result: x, table: 1}"), Contains("[E0201]"));
}

}  // namespace read_math_test
