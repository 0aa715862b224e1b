// What `tenon bench` makes of times: shares of ceilings, the table, JSON and the picture; and the shapes that it times.
#include "bench/measurement.h"
#include "catch.h"
#include "command/bench_case.h"
#include "command/try_case.h"
#include "opdef/read_tests.h"
#include "shipped_library.h"
#include "support/yaml_document.h"

namespace bench_test {

using namespace tenon;

namespace {

const Ceilings kCeilings = {100, 50, {{1024, 200, 100, 80}, {1048576, 20, 10, 8}}};

SourceFileRef file(const std::string& text) { return std::make_shared<const SourceFile>("cases.yaml", text); }

Timing timed(const Load& load, double us, Calls calls = {}) {
  Timing t;
  t.name = "op<_f32>";
  t.what = "8x8";
  t.us = t.median_us = us;
  t.runs = 5;
  t.calls = calls;
  t.load = load;
  t.bound = least_time(load, calls, kCeilings);
  return t;
}

bool roughly(double a, double b) { return a > b * 0.999 && a < b * 1.001; }

std::string error_of(const std::string& text) {
  return read_timed_tests(file(text), tenon_test::shipped_ops()).diagnostics().text();
}

}  // namespace

TEST_CASE("bench: the least time is that of arithmetic or of memory of the size that is used") {
  const LeastTime products = least_time({DType::F32, 1e6, 1000, 1000}, {}, kCeilings);
  CHECK((products.arithmetic && roughly(products.us, 10)));
  CHECK(roughly(least_time({DType::F64, 1e6, 1000, 1000}, {}, kCeilings).us, 20));
  const LeastTime copy = least_time({DType::F32, 10, 1000, 1000}, {}, kCeilings);
  CHECK((!copy.arithmetic && roughly(copy.us, 0.02)));
  CHECK(roughly(least_time({DType::F32, 10, 3000, 1000}, {}, kCeilings).us, 0.03));
  CHECK(roughly(least_time({DType::F32, 10, 2e6, 0}, {}, kCeilings).us, 100));
  CHECK(roughly(least_time({DType::F32, 10, 0, 800}, {}, kCeilings).us, 0.01));
}

TEST_CASE("bench: narrow floats have the ceiling of f32, integers none of arithmetic") {
  CHECK(roughly(least_time({DType::F16, 1e6, 1, 1}, {}, kCeilings).us, 10));
  CHECK(roughly(least_time({DType::C128, 1e6, 1, 1}, {}, kCeilings).us, 20));
  CHECK_FALSE(least_time({DType::I8, 1e9, 1000, 1000}, {}, kCeilings).arithmetic);
}

TEST_CASE("bench: calls at once share the ceilings, and each thread has memory of its own") {
  const Load small = {DType::F32, 10, 1000, 1000};
  CHECK(roughly(least_time(small, {2, 2}, kCeilings).us, 0.04));
  const Timing two = timed(small, 0.08, {2, 2});
  CHECK(roughly(*two.gigabytes(), 50));
  CHECK(roughly(*two.gflops(), 0.25));
  CHECK(roughly(*two.share(), 0.5));
}

TEST_CASE("bench: what has no operations or an open extent has no rate of them") {
  CHECK_FALSE(timed({DType::F32, 0, 1000, 1000}, 1).gflops());
  Timing open;
  open.us = 1;
  CHECK((!open.gflops() && !open.gigabytes() && !open.share()));
  CHECK(table_row(open).find(" - ") != std::string::npos);
}

TEST_CASE("bench: the JSON is JSON, and the picture has a point for each rate") {
  const BenchReport report = {{"a \"fast\" one", "cc", "portable", 1},
                              kCeilings,
                              {timed({DType::F32, 1e6, 1000, 1000}, 20), timed({DType::F32, 0, 1000, 1000}, 1)}};
  const auto json = read_yaml(file(report_json(report)));
  REQUIRE((json.ok() && json->size() == 1));
  const YamlNode& root = (*json)[0];
  CHECK(root.find("machine")->find("processor")->text == "a \"fast\" one");
  REQUIRE(root.find("timings")->items.size() == 2);
  CHECK(root.find("timings")->items[0].find("share")->text == "0.5");
  CHECK(root.find("timings")->items[1].find("gflops")->is_null());
  const std::string svg = roofline_svg(report);
  CHECK(svg.find("op&lt;_f32&gt; 8x8: 50.00 GFLOP/s, 50%") != std::string::npos);
  CHECK(svg.find("<circle") == svg.rfind("<circle"));
  CHECK(svg.find("200 GB/s from 1 KiB") != std::string::npos);
  CHECK(svg.find("20 GB/s from 1 MiB") != std::string::npos);
}

TEST_CASE("bench: a picture without points has its roofs") {
  CHECK(roofline_svg({{"cpu", "cc", "portable", 2}, kCeilings, {}}).find("100.0 GFLOP/s in f32") != std::string::npos);
}

TEST_CASE("bench: shapes that are shipped fit their ops, and each makes a call") {
  for (const SourceFileRef& source : tenon_test::yaml_files("opdefs/bench")) {
    const auto read = read_timed_tests(source, tenon_test::shipped_ops());
    INFO(read.diagnostics().text());
    REQUIRE(read.ok());
    for (const auto& [name, tests] : *read) {
      const OpDef& def = *tenon_test::shipped_ops().op(name);
      for (const TestCase& test : tests) {
        if (test.span.line() % 4 != 0) continue;  // a sample: their tensors are large
        int made = 0;
        for (const DType key : chosen_keys(def, {}, {test})) {
          Diagnostics wrong;
          const auto types = types_of(def, test, key);
          if (types) made += make_timed_case({tenon_test::shipped_ops(), def, *types, test}, wrong).has_value();
          INFO(wrong.text());
          CHECK_FALSE(wrong.has_errors());
        }
        CHECK(made == 1);
      }
    }
  }
}

TEST_CASE("bench: a call to be timed has its work and no answers") {
  const auto read = read_timed_tests(file("bench: {gemm: [{shapes: {A: [8, 4], B: [4, 2]}, absent: [C]}]}\n"),
                                     tenon_test::shipped_ops());
  REQUIRE(read.ok());
  Diagnostics wrong;
  const std::map<std::string, DType> types = {{"T", DType::F32}};
  const OpDef& gemm = *tenon_test::shipped_ops().op("gemm");
  const auto made = make_timed_case({tenon_test::shipped_ops(), gemm, types, read->front().second.front()}, wrong);
  REQUIRE((made && made->work));
  CHECK((made->work->read == 160 && made->work->written == 64 && made->work->operations >= 128));
  CHECK((made->outputs.size() == 1 && made->outputs[0].dims == std::vector<int64_t>{8, 2}));
  CHECK(made->outputs[0].bytes.empty());
}

TEST_CASE("bench: labels have all digits of integers, and one value for a list of equal ones") {
  TryCase c;
  c.inputs = {TensorData{DType::F32, {2, 3}, {}}, std::nullopt, TensorData{DType::F32, {}, {}}};
  c.attrs = {{"shape", false, {1048576}, {}}, {"pads", false, {1, 1}, {}}, {"scale", true, {}, {0.5, 2}}};
  CHECK(case_label(c) == "2x3 scalar shape=1048576 pads=1 scale=[0.5,2]");
}

TEST_CASE("bench: what is wrong with a file of shapes is told at its place") {
  CHECK(error_of("bench: {gem: []}\n").find("cases.yaml:1:9: error: there is no op 'gem'") == 0);
  CHECK(error_of("bench: {gem: []}\n").find("did you mean 'gemm'?") != std::string::npos);
  CHECK(error_of("bench: {relu: [{shapes: {Z: [3]}}]}\n").find("cases.yaml:1:26: error: 'Z'") == 0);
  CHECK(error_of("gemm: []\n").find("cases.yaml:1:1: error: the key `bench` is expected") == 0);
  CHECK(error_of("bench: [gemm]\n").find("cases.yaml:1:8: error: a map of ops") == 0);
  CHECK(error_of("bench: {}\nmore: 1\n").find("cases.yaml:2:1: error: unknown key 'more'") == 0);
  CHECK(error_of("").find("cases.yaml:1:1: error: the key `bench` is expected") == 0);
}

}  // namespace bench_test
