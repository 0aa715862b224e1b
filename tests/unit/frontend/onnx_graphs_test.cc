// Models through the shipped rows and definitions: numbers that stated extents tell, graphs that attributes hold.
#include "catch.h"
#include "frame_files.h"
#include "frontend/onnx/read_onnx.h"
#include "onnx_table_files.h"
#include "opdef/read_ops.h"
#include "proto_bytes.h"
#include "semantics/library_semantics.h"

namespace onnx_graphs_test {

using namespace tenon;
using namespace tenon_test::onnx;
using tenon_test::Proto;
namespace fs = std::filesystem;

namespace {

const OpLibrary& library() {
  static const OpLibrary all = [] {
    std::vector<SourceFileRef> files;
    for (const auto& e : fs::directory_iterator(fs::path(TENON_CHECKOUT) / "opdefs"))
      if (e.path().extension() == ".yaml") files.push_back(*read_source(e.path().string()));
    return *read_ops(files, {}, tenon_test::frame_files(TENON_CHECKOUT));
  }();
  return all;
}

Result<tenon::Graph> read(const std::string& bytes, const SizeRanges& sizes = {}) {
  static const OnnxTable table = *read_onnx_table(tenon_test::onnx_table_files(fs::path(TENON_CHECKOUT) / "opdefs"));
  const OpSemantics semantics = folding_semantics(library());
  return read_onnx({"net.onnx", {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}}, table, semantics,
                   sizes);
}

// The first elements of a tensor that is twice as long, both told by `s`; the file states the result, or leaves it
// open.
std::string told_by_an_input(bool stated) {
  const tenon_test::onnx::Graph g{{node("Mul", {"s", "two"}, {"t"}), node("ConstantOfShape", {"t"}, {"c"}),
                                   node("Slice", {"c", "zero", "s"}, {"y"})},
                                  {value("s", {2}, 7)},
                                  {stated ? value("y", {3, 4}) : Proto().bytes(1, "y")},
                                  {ints_tensor("two", {2}), ints_tensor("zero", {0, 0})}};
  return model(g, 13);
}

// FlexAttention with a graph that squares what it is given.
std::string squaring(const std::string& attribute) {
  Proto body, g;
  body.message(1, node("Mul", {"p", "p"}, {"q"}))
      .bytes(2, "squares")
      .message(11, value("p", {1, 1, 2, 2}))
      .message(12, untyped("q"));
  Proto n = node("FlexAttention", {"x", "x", "x"}, {"y"}, {Proto().bytes(1, attribute).message(6, body).number(20, 5)});
  n.bytes(7, "ai.onnx.preview");
  g.message(1, n).bytes(2, "g").message(11, value("x", {1, 1, 2, 4})).message(12, untyped("y"));
  return Proto()
      .number(1, 8)
      .message(7, g)
      .message(8, Proto().number(2, 22))
      .message(8, Proto().bytes(1, "ai.onnx.preview").number(2, 1))
      .text();
}

// So many rows of 40 numbers times six columns of 4 bits, in blocks of 32.
std::string times_4_bits(int64_t rows) {
  Proto n = node("MatMulNBits", {"x", "w", "s"}, {"y"},
                 {int_attr("K", 40), int_attr("N", 6), int_attr("bits", 4), int_attr("block_size", 32)});
  n.bytes(7, "com.microsoft");
  return model({{n}, {value("x", {rows, 40}), value("w", {6, 2, 16}, 2), value("s", {12})}, {untyped("y")}, {}}, 13);
}

}  // namespace

TEST_CASE("frontend: weights of 4 bits are dequantised by blocks, which rewrites multiply by as they are") {
  const auto graph = read(times_4_bits(1));
  REQUIRE(graph.ok());
  CHECK(to_text(*graph).find(": u4[6, 2, 32] = cast(") != std::string::npos);
  CHECK(to_text(*graph).find(": f32[6, 2, 32] = dequantize(") != std::string::npos);
}

TEST_CASE("frontend: an input whose numbers the stated extents tell is known, and checked") {
  const auto graph = read(told_by_an_input(true));
  INFO(graph.diagnostics().text());
  REQUIRE(graph.ok());
  CHECK(graph->sizes.empty());
  CHECK(graph->inputs.size() == 1);
  CHECK(graph->values[static_cast<size_t>(graph->outputs[0])].dims == std::vector<SizeExpr>{3, 4});
  CHECK(to_text(*graph).find("= equal(") != std::string::npos);
  const auto open = read(told_by_an_input(false));
  REQUIRE_FALSE(open.ok());
  CHECK(open.diagnostics().sorted().front().where == "net.onnx: node 1 (ConstantOfShape)");
}

// Rows of x [N, 2] from `starts` to `ends`, which the nodes compute from n, the number of rows.
std::vector<int64_t> rows_kept(const std::vector<Proto>& nodes, const std::string& starts, const std::string& ends) {
  tenon_test::onnx::Graph g{{node("Shape", {"x"}, {"s"}), node("Slice", {"s", "zero", "one"}, {"n"})},
                            {value("x", {-1, 2})},
                            {untyped("y")},
                            {ints_tensor("zero", {0}), ints_tensor("one", {1}), ints_tensor("two", {2}),
                             ints_tensor("three", {3}), ints_tensor("all", {9999})}};
  g.nodes.insert(g.nodes.end(), nodes.begin(), nodes.end());
  g.nodes.push_back(node("Slice", {"x", starts, ends, "zero"}, {"y"}));
  const auto graph = read(model(g, 13), {{"N", {1, 8}}});
  INFO(graph.diagnostics().text());
  REQUIRE(graph.ok());
  std::vector<int64_t> counts;
  for (int64_t n : {1, 2, 3, 8})
    counts.push_back(*evaluate(graph->values[static_cast<size_t>(graph->outputs[0])].dims[0], {{"N", n}}));
  return counts;
}

TEST_CASE("frontend: bounds of slices that are extents below 0 count from the end") {
  using Counts = std::vector<int64_t>;
  CHECK(rows_kept({node("Neg", {"n"}, {"m"})}, "m", "all") == Counts{1, 2, 3, 8});
  CHECK(rows_kept({node("Sub", {"n", "three"}, {"m"})}, "zero", "m") == Counts{0, 1, 0, 5});
  CHECK(rows_kept({node("Sub", {"n", "three"}, {"m"}), node("Div", {"m", "two"}, {"h"})}, "zero", "h") ==
        Counts{0, 0, 0, 2});
}

TEST_CASE("frontend: an operator calls the graph that its attribute holds") {
  const auto before = read(squaring("score_mod")), after = read(squaring("prob_mod"));
  INFO(before.diagnostics().text() << after.diagnostics().text());
  REQUIRE(before.ok());
  REQUIRE(after.ok());
  const std::string scores = to_text(*before), probabilities = to_text(*after);
  REQUIRE(scores.find("= mul(") != std::string::npos);
  REQUIRE(probabilities.find("= mul(") != std::string::npos);
  CHECK(scores.find("= mul(") < scores.find("= softmax("));
  CHECK(probabilities.find("= mul(") > probabilities.find("= softmax("));
}

TEST_CASE("frontend: an open size next to a number is that number, and the program refuses all others") {
  const auto sum = [](int64_t hi) {
    const tenon_test::onnx::Graph g{{node("Add", {"x", "w"}, {"y"})},
                                    {value("x", {-1, 2})},
                                    {untyped("y")},
                                    {floats_tensor("w", {5, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})}};
    return read(model(g, 13), {{"N", {1, hi}}});
  };
  const auto graph = sum(8);
  INFO(graph.diagnostics().text());
  REQUIRE(graph.ok());
  REQUIRE(graph->sizes.size() == 1);
  CHECK(graph->sizes[0].lo == 5);
  CHECK(graph->sizes[0].hi == 5);
  const auto refused = sum(4);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.diagnostics().sorted().front().message.find(
            "and within the ranges of the sizes they are never equal") != std::string::npos);
}

TEST_CASE("frontend: a shape with as many elements as only some sizes give is compared at every call") {
  const auto reshaped = [](int64_t lo) {
    const tenon_test::onnx::Graph g{
        {node("Reshape", {"x", "to"}, {"y"})}, {value("x", {-1, 2})}, {untyped("y")}, {ints_tensor("to", {6})}};
    return read(model(g, 13), {{"N", {lo, 8}}});
  };
  const auto graph = reshaped(1);
  INFO(graph.diagnostics().text());
  REQUIRE(graph.ok());
  REQUIRE(graph->equal.size() == 1);
  CHECK(to_text(graph->equal[0].a) + " " + to_text(graph->equal[0].b) == "6 2*N");
  CHECK_FALSE(reshaped(4).ok());
}

TEST_CASE("frontend: an extent that some sizes make negative is compared with 0 at every call") {
  const auto windows = [](int64_t lo, int64_t hi) {
    const tenon_test::onnx::Graph g{{node("AveragePool", {"x"}, {"y"}, {ints_attr("kernel_shape", {5})})},
                                    {value("x", {1, 2, -1})},
                                    {untyped("y")},
                                    {}};
    return read(model(g, 13), {{"N", {lo, hi}}});
  };
  const auto graph = windows(1, 8);
  INFO(graph.diagnostics().text());
  REQUIRE(graph.ok());
  REQUIRE(graph->equal.size() == 1);
  CHECK(to_text(graph->equal[0].a) + " " + to_text(graph->equal[0].b) == "max(N - 4, 0) N - 4");
  CHECK(windows(4, 8)->equal.empty());
  CHECK_FALSE(windows(1, 3).ok());
}

TEST_CASE("frontend: two open sizes that meet are equal at every call, or one of them is 1") {
  const auto sum = [](int64_t from, int64_t lo, int64_t hi) {
    const tenon_test::onnx::Graph g{
        {node("Add", {"x", "w"}, {"h"}), node("Add", {"w", "x"}, {"k"}), node("Add", {"h", "k"}, {"y"})},
        {value("x", {-1, 2}), value("w", {-2, 2})},
        {untyped("y")},
        {}};
    return read(model(g, 13), {{"N", {from, 8}}, {"M", {lo, hi}}});
  };
  const auto graph = sum(1, 1, 9);
  INFO(graph.diagnostics().text());
  REQUIRE(graph.ok());
  CHECK(to_text(graph->values[static_cast<size_t>(graph->outputs[0])].dims[0]) == "max(M, N)");
  const auto takes = [](const tenon::Graph& g, int64_t n, int64_t m) {
    const SizeValues sizes{{"N", n}, {"M", m}};
    return std::all_of(g.equal.begin(), g.equal.end(),
                       [&](const EqualExtents& e) { return evaluate(e.a, sizes) == evaluate(e.b, sizes); });
  };
  CHECK(takes(*graph, 4, 4));
  CHECK(takes(*graph, 1, 4));
  CHECK(takes(*graph, 4, 1));
  CHECK_FALSE(takes(*graph, 3, 2));
  const auto greater = sum(1, 9, 12);
  REQUIRE(greater.ok());
  CHECK(to_text(greater->values[static_cast<size_t>(greater->outputs[0])].dims[0]) == "M");
  CHECK(takes(*greater, 1, 10));
  CHECK_FALSE(takes(*greater, 8, 10));
  const auto equal = sum(2, 2, 9);
  REQUIRE(equal.ok());
  CHECK_FALSE(takes(*equal, 3, 2));
  CHECK_FALSE(sum(2, 9, 12).ok());
}

TEST_CASE("frontend: a recipe that cannot be carried out is shown with its line and column") {
  const char* const rows = "rows:\n  - onnx: Twice\n    in: X\n    do: |\n      a = X\n      a + missing\n";
  const auto table = read_onnx_table({std::make_shared<SourceFile>("rows.yaml", rows)});
  REQUIRE(table.ok());
  const std::string bytes =
      model(tenon_test::onnx::Graph{{node("Twice", {"x"}, {"y"})}, {value("x", {2})}, {value("y", {2})}, {}}, 13);
  const auto graph = read_onnx({"net.onnx", {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}}, *table,
                               library_semantics(library()), {});
  REQUIRE_FALSE(graph.ok());
  INFO(graph.diagnostics().text());
  CHECK(graph.diagnostics().text().find("nothing has the name 'missing'") != std::string::npos);
  CHECK(graph.diagnostics().text().find("the row that maps it: rows.yaml:6:11") != std::string::npos);
}

namespace {

Proto strings_attr(const std::string& name, const std::vector<std::string>& v) {
  Proto a;
  a.bytes(1, name);
  for (const std::string& s : v) a.bytes(9, s);
  return a.number(20, 8);
}

// y = x*(w*w), with the gradient of y with respect to w at `at`.
std::string with_gradient(const std::string& at) {
  Proto gradient =
      node("Gradient", {at, "x"}, {"dw"}, {strings_attr("xs", {"w"}), strings_attr("zs", {"x"}), text_attr("y", "y")});
  gradient.bytes(7, "ai.onnx.preview.training");
  Proto g;
  g.message(1, node("Mul", {"w", "w"}, {"q"})).message(1, node("Mul", {"x", "q"}, {"y"})).message(1, gradient);
  g.bytes(2, "g").message(5, floats_tensor("w", {2}, {3, 4})).message(11, value("x", {2}));
  g.message(12, value("y", {2})).message(12, value("dw", {2}));
  return Proto()
      .number(1, 8)
      .message(7, g)
      .message(8, Proto().number(2, 12))
      .message(8, Proto().bytes(1, "ai.onnx.preview.training").number(2, 1))
      .text();
}

}  // namespace

TEST_CASE("frontend: Gradient asks for the gradient of a value, also with respect to a weight") {
  const auto graph = read(with_gradient("w"));
  INFO(graph.diagnostics().text());
  REQUIRE(graph.ok());
  REQUIRE(verify(*graph) == std::vector<std::string>{});
  std::vector<std::string> ops;
  for (const Node& n : graph->nodes) ops.push_back(n.op);
  CHECK(ops == std::vector<std::string>{"mul", "mul", "sum", "grad"});  // w*w is not computed beforehand
  const auto elsewhere = read(with_gradient("q"));
  REQUIRE_FALSE(elsewhere.ok());
  CHECK(elsewhere.diagnostics().sorted().front().message ==
        "input 0 is another tensor than 'w': gradients are those at the graph's own values");
}

}  // namespace onnx_graphs_test
