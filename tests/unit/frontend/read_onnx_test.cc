// read_onnx on models made by hand: how nodes, opsets, attributes, initializers and open sizes are understood, and what
// is refused.
#include "frontend/onnx/read_onnx.h"

#include <fstream>

#include "catch.h"
#include "onnx_table_files.h"
#include "proto_bytes.h"
#include "scratch_dir.h"
#include "small_library.h"

namespace read_onnx_test {

using namespace tenon;
using namespace tenon_test::onnx;
using tenon_test::Proto;

namespace {

const OnnxTable& table() {
  static const OnnxTable t =
      *read_onnx_table(tenon_test::onnx_table_files(std::filesystem::path(TENON_CHECKOUT) / "opdefs"));
  return t;
}

Result<tenon::Graph> read(const std::string& bytes, const SizeRanges& sizes = {}, const std::string& path = "net.onnx",
                          const tenon::InputExtents& given = {}) {
  const OpSemantics semantics = tenon_test::small_semantics();
  tenon::OnnxSource source{path, {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}};
  source.given = given;
  return read_onnx(source, table(), semantics, sizes);
}

// Lines of the nodes in the text form, without origins.
std::string nodes_of(const Result<tenon::Graph>& graph) {
  if (!graph.ok()) return graph.diagnostics().text();
  std::string text = to_text(*graph), result;
  for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = text.substr(at, end - at);
    const size_t origin = line.find("  # ");
    if (origin != std::string::npos) result += line.substr(2, origin - 2) + "\n";
  }
  return result;
}

std::string error_of(const Result<tenon::Graph>& graph) {
  if (graph.ok()) return "";
  const Diagnostic d = graph.diagnostics().sorted().front();
  return d.where + ": " + d.message;
}

tenon_test::onnx::Graph unary(const Proto& n, const std::vector<int64_t>& dims = {2, 3}) {
  return {{n}, {value("x", dims)}, {untyped("y")}, {}};
}

}  // namespace

TEST_CASE("frontend: an operator becomes its definition") {
  CHECK(nodes_of(read(model(unary(node("Relu", {"x"}, {"y"})), 13))) == "y: f32[2, 3] = relu(x)\n");
}

TEST_CASE("frontend: what was an attribute and became an input means the same") {
  auto g = unary(node("Unsqueeze", {"x"}, {"y"}, {ints_attr("axes", {0, -1})}));
  CHECK(nodes_of(read(model(g, 11))) == "y: f32[1, 2, 3, 1] = reshape(x, shape=[1, 2, 3, 1])\n");
  g = unary(node("Unsqueeze", {"x", "axes"}, {"y"}));
  g.initializers = {ints_tensor("axes", {0, -1})};
  CHECK(nodes_of(read(model(g, 13))) == "y: f32[1, 2, 3, 1] = reshape(x, shape=[1, 2, 3, 1])\n");
  g = unary(node("ReduceSum", {"x", "axes"}, {"y"}, {int_attr("keepdims", 0)}));
  g.initializers = {ints_tensor("axes", {1})};
  CHECK(nodes_of(read(model(g, 20))) == "y: f32[2] = sum(x, axes=[1], keepdims=false)\n");
  g = unary(node("Clip", {"x", "", "hi"}, {"y"}));
  g.initializers = {floats_tensor("hi", {}, {6})};
  CHECK(nodes_of(read(model(g, 13))) == "y: f32[2, 3] = clip(x, hi=6.0)\n");
}

TEST_CASE("frontend: Softmax before opset 13 goes over all dimensions from its axis on") {
  const auto g = unary(node("Softmax", {"x"}, {"y"}, {int_attr("axis", 1)}), {2, 3, 4});
  CHECK(nodes_of(read(model(g, 11))) ==
        "t: f32[2, 12] = reshape(x, shape=[2, 12])\nt_2: f32[2, 12] = softmax(t, axis=-1)\n"
        "y: f32[2, 3, 4] = reshape(t_2, shape=[2, 3, 4])\n");
  CHECK(nodes_of(read(model(g, 13))) == "y: f32[2, 3, 4] = softmax(x, axis=1)\n");
}

TEST_CASE("frontend: auto_pad is worked out from the shapes") {
  auto g = unary(
      node("MaxPool", {"x"}, {"y"},
           {text_attr("auto_pad", "SAME_UPPER"), ints_attr("kernel_shape", {3, 2}), ints_attr("strides", {2, 2})}),
      {1, 1, 8, 7});
  CHECK(nodes_of(read(model(g, 12))).find("pads=[0, 0, 1, 1]") != std::string::npos);
  g = unary(
      node("MaxPool", {"x"}, {"y"},
           {text_attr("auto_pad", "SAME_LOWER"), ints_attr("kernel_shape", {3, 2}), ints_attr("strides", {2, 2})}),
      {1, 1, 8, 7});
  CHECK(nodes_of(read(model(g, 12))).find("pads=[1, 1, 0, 0]") != std::string::npos);
}

TEST_CASE("frontend: a chain of Shape, Gather and Concat becomes a shape") {
  tenon_test::onnx::Graph g{
      {node("Shape", {"x"}, {"s"}), node("Gather", {"s", "zero"}, {"n"}),
       node("Concat", {"n", "rest"}, {"t"}, {int_attr("axis", 0)}), node("Reshape", {"x", "t"}, {"y"})},
      {value("x", {-1, 3, 4})},
      {untyped("y")},
      {ints_tensor("zero", {0}), ints_tensor("rest", {-1})}};
  CHECK(nodes_of(read(model(g, 13), {{"N", {1, 8}}})) == "y: f32[N, 12] = reshape(x, shape=[N, 12])\n");
  CHECK(nodes_of(read(model(g, 13), {{"N", {5, 5}}})) == "y: f32[5, 12] = reshape(x, shape=[5, 12])\n");
}

TEST_CASE("frontend: Split becomes slices, one an output") {
  auto g = unary(node("Split", {"x"}, {"a", "b"}, {int_attr("axis", -1)}));
  g.outputs = {untyped("a"), untyped("b")};
  CHECK(nodes_of(read(model(g, 13))) ==
        "a: f32[2, 2] = slice(x, begin=[0, 0], size=[2, 2], step=[1, 1])\n"
        "b: f32[2, 1] = slice(x, begin=[0, 2], size=[2, 1], step=[1, 1])\n");
}

TEST_CASE("frontend: an output that is an input, a constant or another output is a copy") {
  auto g = unary(node("Relu", {"x"}, {"y"}));
  g.nodes.push_back(node("Identity", {"y"}, {"z"}));
  g.outputs = {untyped("y"), untyped("z"), untyped("x"), untyped("c")};
  g.initializers = {floats_tensor("c", {1}, {1})};
  const auto graph = read(model(g, 13));
  REQUIRE(graph.ok());
  CHECK(graph->outputs.size() == 4);
  CHECK(graph->nodes.size() == 4);
  CHECK(verify(*graph) == std::vector<std::string>{});
}

TEST_CASE("frontend: nodes in error are named with what to change") {
  CHECK(error_of(read("\x08\x07 no model")) == "net.onnx: this is not an ONNX model, or it is damaged");
  CHECK(error_of(read("")) == "net.onnx: the file is empty");
  CHECK(error_of(read(model(unary(node("Relu", {"x"}, {"y"})), 29))) ==
        "net.onnx: opset 29 cannot be read, only 1 to 28");
  CHECK(error_of(read(model(unary(node("Frobnicate", {"x"}, {"y"}, {}, "n1")), 13))) ==
        "net.onnx: node 0 'n1' (Frobnicate): the operator Frobnicate is not supported");
  CHECK(error_of(read(model(unary(node("Relu", {"w"}, {"y"})), 13))) ==
        "net.onnx: node 0 (Relu): its input 'w' is made by no node, or by one that needs this one");
  auto twice = unary(node("Relu", {"x"}, {"y"}));
  twice.inputs.push_back(twice.inputs[0]);
  CHECK(error_of(read(model(twice, 13))) == "net.onnx: input 'x': the name 'x' is defined twice");
  CHECK(error_of(read(model(unary(node("Softmax", {"x"}, {"y"}, {int_attr("axes", 1)})), 13))) ==
        "net.onnx: node 0 (Softmax): the attribute 'axes' has no meaning in opset 13, or is not supported");
  CHECK(error_of(read(model(unary(node("Relu", {"x"}, {"y"}), {-1, 3}), 13))) ==
        "net.onnx: input 'x': extent 0 is the open size 'N'");
  CHECK(error_of(read(model(unary(node("Relu", {"x"}, {"y"})), 13), {{"M", {1, 2}}})) ==
        "--size M: net.onnx has no such open size");
  auto g = unary(node("Gemm", {"x", "w"}, {"y"}));
  g.initializers = {floats_tensor("w", {4, 1}, {1, 2, 3, 4})};
  CHECK(error_of(read(model(g, 13))) ==
        "net.onnx: node 0 (Gemm): gemm: K is 3 in A and 4 in B (inputs: f32[2, 3], f32[4, 1])");
  g = unary(node("Tile", {"x", "s", "s"}, {"y"}));
  g.inputs.push_back(value("s", {1}, 7));
  CHECK(error_of(read(model(g, 5))) ==
        "net.onnx: node 0 (Tile): 's' has to be a constant here, but is computed at run time");
}

TEST_CASE("frontend: one error does not hide the others, nor does it repeat itself") {
  auto g = unary(node("Foo", {"x"}, {"a"}));
  g.nodes.push_back(node("Relu", {"a"}, {"b"}));
  g.nodes.push_back(node("Bar", {"x"}, {"c"}));
  g.nodes.push_back(node("Add", {"b", "c"}, {"y"}));
  const auto graph = read(model(g, 13));
  REQUIRE_FALSE(graph.ok());
  CHECK(graph.diagnostics().size() == 2);
}

TEST_CASE("frontend: external data is in the model's folder") {
  tenon_test::ScratchDir scratch;
  std::ofstream(scratch / "w.bin", std::ios::binary) << std::string("....\0\0\x80\x3f\0\0\0\x40", 12);
  const auto with = [&](const std::string& location) {
    auto g = unary(node("Relu", {"w"}, {"y"}));
    Proto t;
    t.number(1, 2).number(2, 1).bytes(8, "w").message(13, Proto().bytes(1, "location").bytes(2, location));
    t.message(13, Proto().bytes(1, "offset").bytes(2, "4"))
        .message(13, Proto().bytes(1, "length").bytes(2, "8"))
        .number(14, 1);
    g.initializers = {t};
    g.outputs = {untyped("w")};
    return read(model(g, 13), {}, (scratch / "net.onnx").string());
  };
  const auto good = with("w.bin");
  INFO(good.diagnostics().text());
  REQUIRE(good.ok());
  for (const Value& v : good->values)
    if (v.constant) CHECK(real_element(*v.constant, 1) == 2);
  for (const char* bad : {"../w.bin", "/etc/hostname", "a/../../w.bin", ""})
    CHECK(error_of(with(bad)).find("is outside of the model's folder") != std::string::npos);
  CHECK(error_of(with("v.bin")).find("there is no file") != std::string::npos);
}

TEST_CASE("frontend: every cut of a model is refused or read, never more") {
  auto g = unary(node("Gemm", {"x", "w"}, {"y"}));
  g.initializers = {floats_tensor("w", {3, 1}, {1, 2, 3})};
  const std::string bytes = model(g, 13);
  for (size_t cut = 0; cut < bytes.size(); ++cut) CHECK_FALSE(read(bytes.substr(0, cut)).ok());
}

TEST_CASE("frontend: a function of the model is unfolded with the call's attributes") {
  // twice(x) = softmax(relu(x), axis=@axis)
  Proto axis = Proto().bytes(1, "axis").number(20, 2).bytes(21, "axis");
  Proto function = Proto().bytes(1, "twice").bytes(4, "a").bytes(5, "b").bytes(6, "axis");
  function.message(7, node("Relu", {"a"}, {"h"}))
      .message(7, node("Softmax", {"h"}, {"b"}, {axis}))
      .message(9, Proto().number(2, 13))
      .bytes(10, "own");
  Proto call = node("twice", {"x"}, {"y"}, {int_attr("axis", 0)}).bytes(7, "own");
  const std::string bytes =
      model(unary(call), 13) + Proto().message(8, Proto().bytes(1, "own").number(2, 1)).message(25, function).text();
  CHECK(nodes_of(read(bytes)) == "h: f32[2, 3] = relu(x)\ny: f32[2, 3] = softmax(h, axis=0)\n");
  function.message(7, Proto(node("twice", {"a"}, {"c"})).bytes(7, "own"));
  CHECK_FALSE(read(model(unary(call), 13) +
                   Proto().message(8, Proto().bytes(1, "own").number(2, 1)).message(25, function).text())
                  .ok());
}

TEST_CASE("frontend: If on a known condition is one of its branches") {
  const auto branch = [](const std::string& name, const std::string& op) {
    return Proto()
        .bytes(1, name)
        .message(6, Proto().message(1, node(op, {"x"}, {"r"})).bytes(2, name).message(12, untyped("r")))
        .number(20, 5);
  };
  auto g = unary(node("If", {"c"}, {"y"}, {branch("then_branch", "Relu"), branch("else_branch", "Exp")}));
  g.initializers = {tensor("c", 9, {}, std::string(1, '\1'))};
  CHECK(nodes_of(read(model(g, 13))) == "y: f32[2, 3] = relu(x)\n");
  g.initializers = {};
  g.inputs.push_back(value("c", {}, 9));
  CHECK(nodes_of(read(model(g, 13))) == "  r: f32[2, 3] = relu(x)\n  r_2: f32[2, 3] = exp(x)\n");
  CHECK(to_text(*read(model(g, 13))).find("  if c {\n    r: f32[2, 3] = relu(x)") != std::string::npos);
}

TEST_CASE("frontend: nodes may be in any order, but not in a circle") {
  auto g = unary(node("Relu", {"b"}, {"y"}));
  g.nodes.push_back(node("Exp", {"a"}, {"b"}));
  g.nodes.push_back(node("Sqrt", {"x"}, {"a"}));
  CHECK(nodes_of(read(model(g, 13))) == "a: f32[2, 3] = sqrt(x)\nb: f32[2, 3] = exp(a)\ny: f32[2, 3] = relu(b)\n");
  g.nodes[2] = node("Sqrt", {"y"}, {"a"});
  CHECK(error_of(read(model(g, 13))) ==
        "net.onnx: node 0 (Relu): its input 'b' is made by no node, or by one that needs this one");
}

TEST_CASE("frontend: an output that a definition lacks is an error only where it is read") {
  auto g = unary(node("Relu", {"x"}, {"y", "mask"}));
  CHECK(read(model(g, 11)).ok());
  g.outputs.push_back(untyped("mask"));
  CHECK(error_of(read(model(g, 11))) == "net.onnx: output 'mask': it is an output of a node that is not supported");
}

TEST_CASE("frontend: extents that the exporter calls ? or not at all are sizes of their own") {
  const auto sized = [](const SizeRanges& sizes) {
    const Result<tenon::Graph> g = read(model(unary(node("Relu", {"x"}, {"y"}), {-3, 3, -4}), 13), sizes);
    return g.ok() ? to_text(g.value().values[static_cast<size_t>(g.value().inputs[0])].dims[0]) + " " +
                        to_text(g.value().values[static_cast<size_t>(g.value().inputs[0])].dims[2])
                  : error_of(g);
  };
  CHECK(sized({}) == "net.onnx: input 'x': extent 0 is the open size 'x_d0'");
  CHECK(sized({{"?", {1, 4}}}) == "x_d0 x_d2");
  CHECK(sized({{"x_d0", {1, 4}}, {"x_d2", {5, 5}}}) == "x_d0 5");
  CHECK(sized({{"x_d0", {1, 4}}, {"?", {2, 8}}}) == "x_d0 x_d2");
}

TEST_CASE("frontend: open extents without bounds are those of the arrays that the program gets") {
  const auto sized = [](const std::vector<int64_t>& given, const SizeRanges& sizes = {}) {
    const auto g = read(model(unary(node("Relu", {"x"}, {"y"}), {-3, 3, -3}), 13), sizes, "net.onnx", {given});
    return g.ok() ? to_text(g->values[static_cast<size_t>(g->inputs[0])].dims) : error_of(g);
  };
  CHECK(sized({2, 3, 4}) == "2, 3, 4");
  CHECK(sized({2, 5, 4}) == "2, 3, 4");
  CHECK(sized({2, 3, 4}, {{"x_d0", {1, 4}}}) == "x_d0, 3, 4");
  CHECK(sized({2, 3, 4}, {{"?", {8, 8}}}) == "8, 3, 8");
  CHECK(sized({2, 3}) == "net.onnx: input 'x': it has 3 dimensions, and the array for it has 2: (2, 3)");
  CHECK(sized({}) == "net.onnx: input 'x': it has 3 dimensions, and the array for it has 0: ()");
}

namespace {

// The first warning that comes with a graph; an error is said as such.
std::string warning_of(const Result<tenon::Graph>& graph) {
  if (!graph.ok()) return "error: " + error_of(graph);
  const std::vector<Diagnostic> all = graph.diagnostics().sorted();
  return all.empty() ? "" : all.front().where + ": " + all.front().message;
}

}  // namespace

TEST_CASE("frontend: of a shape that the file declares and one that the operators imply the latter is used") {
  const Proto relu = node("Relu", {"x"}, {"y"}, {}, "act");
  const auto declared = [&](const Proto& y, const std::vector<int64_t>& x = {2, 3}) {
    return warning_of(read(model({{relu}, {value("x", x)}, {y}, {}}, 13), {{"N", {1, 4}}}, "net.onnx"));
  };
  const auto fixed = [&](const Proto& y) {
    return warning_of(read(model({{relu}, {value("x", {2, 3})}, {y}, {}}, 13)));
  };
  const auto stale = [](const std::string& one, const std::string& other) {
    return "net.onnx: node 0 'act' (Relu): the file declares 'y' as " + one + ", but it is " + other +
           "; the shape that the operators imply is used";
  };
  CHECK(fixed(value("y", {2, 3})).empty());
  CHECK(fixed(value("y", {-1, 3})).empty());
  CHECK(fixed(value("y", {-1, 768})).empty());
  CHECK(fixed(value("y", {-1, 3, 1})).empty());
  CHECK(fixed(untyped("y")).empty());
  CHECK(fixed(value("y", {})).empty());  // a scalar: the exporter did not know the rank
  CHECK(fixed(value("y", {2, 4})) == stale("f32[2, 4]", "f32[2, 3]"));
  CHECK(fixed(value("y", {6})) == stale("f32[6]", "f32[2, 3]"));
  CHECK(declared(value("y", {4, 3}), {-1, 3}).empty());
  CHECK(declared(value("y", {5, 3}), {-1, 3}) == stale("f32[5, 3]", "f32[N, 3]"));
  tenon_test::onnx::Graph weights{{node("Add", {"x", "w"}, {"y"})},
                                  {value("x", {2}), value("w", {3})},
                                  {value("y", {7})},
                                  {floats_tensor("w", {2}, {1, 2})}};
  const auto both = read(model(weights, 13));
  CHECK(warning_of(both) ==
        "net.onnx: initializer 'w': the file declares 'w' as f32[3], but it is f32[2]; the shape that the operators "
        "imply is used");
  CHECK(both.diagnostics().size() == 1);
  CHECK(both.diagnostics().sorted()[0].notes[0] == "so are the shapes that the file declares for 'y'");
}

TEST_CASE("frontend: an element type that the file declares and that does not follow from the nodes is refused") {
  const Proto relu = node("Relu", {"x"}, {"y"}, {}, "act");
  CHECK(error_of(read(model({{relu}, {value("x", {2, 3})}, {value("y", {2, 3}, 7)}, {}}, 13))) ==
        "net.onnx: node 0 'act' (Relu): the file declares 'y' as i64[2, 3], but it is f32[2, 3]");
}

TEST_CASE("frontend: a node that gives nothing is left out, whatever it is") {
  auto g = unary(node("Relu", {"x"}, {"y"}));
  g.nodes.push_back(node("Print", {"y", "unknown"}, {}));
  g.nodes.push_back(node("Check", {"y"}, {"", ""}));
  CHECK(nodes_of(read(model(g, 13))) == "y: f32[2, 3] = relu(x)\n");
}

TEST_CASE("frontend: an operator of a domain that is not imported has the first version that the table knows") {
  Proto gelu = node("QuickGelu", {"x"}, {"y"});
  gelu.bytes(7, "com.microsoft");
  CHECK(warning_of(read(model(unary(gelu), 13))) ==
        "net.onnx: node 0 (QuickGelu): the model imports no opset of the domain 'com.microsoft'; QuickGelu is taken as "
        "of version 1");
  Proto unknown = node("Scaler", {"x"}, {"y"});
  unknown.bytes(7, "my.domain");
  CHECK(error_of(read(model(unary(unknown), 13))) ==
        "net.onnx: node 0 (Scaler): the model imports no opset of the domain 'my.domain'");
}

namespace {

// A sparse initializer 'w' of these extents and one dense input 'x' that it is added to.
std::string sparse_model(const std::vector<int64_t>& dims, const std::vector<int64_t>& indices,
                         const std::vector<int64_t>& index_dims) {
  Proto sparse, ends, graph;
  const auto count = index_dims.empty() ? 0 : index_dims[0];
  sparse.message(1, floats_tensor("w", {count}, std::vector<float>(static_cast<size_t>(count), 5)));
  std::string raw;
  for (const int64_t i : indices)
    for (int k = 0; k < 8; ++k) raw += static_cast<char>(static_cast<uint64_t>(i) >> (8 * k));
  sparse.message(2, tensor("i", 7, index_dims, raw));
  for (const int64_t d : dims) sparse.number(3, d);
  graph.message(1, node("Add", {"x", "w"}, {"y"})).bytes(2, "g");
  graph.message(11, value("x", dims)).message(12, untyped("y")).message(15, sparse);
  return Proto().number(1, 8).message(7, graph).message(8, Proto().number(2, 17)).text();
}

// The elements of the only constant.
std::vector<float> constant_of(const Result<tenon::Graph>& graph) {
  std::vector<float> elements;
  for (const Value& v : graph->values)
    if (v.constant)
      for (int64_t i = 0; i < element_count(v.constant->dims); ++i)
        elements.push_back(static_cast<float>(real_element(*v.constant, i)));
  return elements;
}

}  // namespace

TEST_CASE("frontend: a sparse initializer is a dense constant") {
  CHECK(constant_of(read(sparse_model({2, 3}, {1, 5}, {2}))) == std::vector<float>{0, 5, 0, 0, 0, 5});
  CHECK(constant_of(read(sparse_model({2, 3}, {0, 2, 1, 0}, {2, 2}))) == std::vector<float>{0, 0, 5, 5, 0, 0});
  CHECK(constant_of(read(sparse_model({2, 3}, {}, {0}))) == std::vector<float>(6, 0));
}

TEST_CASE("frontend: a sparse initializer that makes no sense is refused") {
  const std::string at = "net.onnx: sparse initializer 'w': ";
  CHECK(error_of(read(sparse_model({2, 3}, {6}, {1}))) == at + "index 0 of a sparse tensor is outside of its extents");
  CHECK(error_of(read(sparse_model({2, 3}, {0, 1, 1, 3}, {2, 2}))) ==
        at + "index 1 of a sparse tensor is outside of its extents");
  CHECK(error_of(read(sparse_model({2, 3}, {0, 1}, {1, 1, 2}))) ==
        at + "the indices of 1 sparse values are i64[1] or i64[1, 2], and the values have one dimension");
  CHECK(error_of(read(sparse_model({int64_t{1} << 40, int64_t{1} << 40}, {0}, {1}))) ==
        at + "the extents of a sparse tensor are negative or too large");
}

TEST_CASE("frontend: an empty raw field next to typed elements says nothing") {
  auto g = unary(node("Add", {"x", "w"}, {"y"}), {2});
  Proto w;
  w.number(1, 2).number(2, 1).bytes(8, "w").bytes(9, "").real(4, 1).real(4, 2);
  g.initializers = {w};
  CHECK(constant_of(read(model(g, 13))) == std::vector<float>{1, 2});
}

}  // namespace read_onnx_test
