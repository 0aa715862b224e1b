// Axes of ONNX operators: negative ones count from the end once, and those outside of the tensor are refused.
#include "catch.h"
#include "frame_files.h"
#include "frontend/onnx/read_onnx.h"
#include "onnx_table_files.h"
#include "proto_bytes.h"
#include "semantics/library_semantics.h"
#include "shipped_library.h"

namespace onnx_axes_test {

using namespace tenon;
using namespace tenon_test::onnx;
using tenon_test::Proto;
namespace fs = std::filesystem;

namespace {

/// What is said of a node that reads x: f32[1, 1, 1] and then `more`; nothing if it is read.
std::string said_of(const Proto& n, const std::vector<Proto>& more, int64_t opset) {
  static const OnnxTable table = *read_onnx_table(tenon_test::onnx_table_files(fs::path(TENON_CHECKOUT) / "opdefs"));
  static const OpSemantics semantics = folding_semantics(tenon_test::shipped_ops());
  const std::string bytes = model(tenon_test::onnx::Graph{{n}, {value("x", {1, 1, 1})}, {untyped("y")}, more}, opset);
  const auto graph =
      read_onnx({"net.onnx", {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}}, table, semantics, {});
  return graph.ok() ? "" : graph.diagnostics().text();
}

struct Form {
  std::string op;
  int64_t opset = 18;
  std::vector<std::string> inputs = {"x"};  ///< "a" are the axes
  std::string attribute = "axis";           ///< none where the axes are an input
  bool list = false;
  int64_t added = 0;  ///< dims that the result has more
};

std::string said_of(const Form& f, const std::vector<int64_t>& axes) {
  std::vector<Proto> attrs;
  if (f.list) attrs.push_back(ints_attr(f.attribute, axes));
  else if (!f.attribute.empty()) attrs.push_back(int_attr(f.attribute, axes[0]));
  const std::vector<int64_t> zeros(axes.size(), 0), ones(axes.size(), 1), two(2 * axes.size(), 0);
  const Proto scalar_axis = tensor("c", 7, {}, std::string(reinterpret_cast<const char*>(axes.data()), sizeof axes[0]));
  return said_of(node(f.op, f.inputs, {"y"}, attrs),
                 {ints_tensor("a", axes), ints_tensor("from", zeros), ints_tensor("to", ones), ints_tensor("pads", two),
                  ints_tensor("at", {0}), tensor("places", 7, {1, 1, 1}, std::string(8, '\0')), scalar_axis,
                  floats_tensor("none", {0}, {}), floats_tensor("by", {1}, {2}), floats_tensor("one", {}, {1}),
                  floats_tensor("update", {1, 1, 1}, {1}), floats_tensor("scales", {2}, {1, 1})},
                 f.opset);
}

const std::vector<Form> forms = {
    {"Softmax"},
    {"Softmax", 11},
    {"LogSoftmax", 11},
    {"Hardmax", 11},
    {"Flatten"},
    {"ArgMax"},
    {"ArgMin", 11},
    {"LpNormalization"},
    {"Concat", 18, {"x", "x"}},
    {"Concat", 3, {"x", "x"}},
    {"Gather", 18, {"x", "at"}},
    {"GatherElements", 18, {"x", "places"}},
    {"ScatterElements", 18, {"x", "places", "update"}},
    {"SplitToSequence", 18, {"x"}},
    {"CumSum", 18, {"x", "c"}, ""},
    {"LayerNormalization", 18, {"x", "one"}},
    {"Squeeze", 18, {"x", "a"}, ""},
    {"Squeeze", 11, {"x"}, "axes", true},
    {"Unsqueeze", 18, {"x", "a"}, "", false, 1},
    {"Unsqueeze", 11, {"x"}, "axes", true, 1},
    {"ReduceSum", 18, {"x", "a"}, ""},
    {"ReduceSum", 11, {"x"}, "axes", true},
    {"ReduceMax", 18, {"x", "a"}, ""},
    {"ReduceL2", 11, {"x"}, "axes", true},
    {"ReduceLogSumExp", 18, {"x", "a"}, ""},
    {"Slice", 18, {"x", "from", "to", "a"}, ""},
    {"Pad", 18, {"x", "pads", "one", "a"}, ""},
    {"Resize", 18, {"x", "none", "by"}, "axes", true},
    {"CenterCropPad", 18, {"x", "to"}, "axes", true},
    {"MeanVarianceNormalization", 18, {"x"}, "axes", true},
    {"QuantizeLinear", 18, {"x", "scales"}},
};

}  // namespace

TEST_CASE("frontend: axes outside of a tensor are refused by number") {
  for (const Form& f : forms) {
    const int64_t dims = 3 + f.added, end = f.op == "Flatten" ? dims + 1 : dims;
    for (int64_t axis : {end, dims + 4, -dims - 1, -2 * dims}) {
      const std::string said = said_of(f, {axis});
      INFO(f.op << "-" << f.opset << ", axis " << axis << ": " << said);
      const bool named =
          said.find(std::to_string(axis) + " is outside of a tensor with " + std::to_string(dims)) != std::string::npos;
      CHECK(named);
    }
  }
}

TEST_CASE("frontend: axes within a tensor are read from both ends") {
  for (const Form& f : forms) {
    if (f.op == "QuantizeLinear" || f.op == "SplitToSequence") continue;  // has two scales; makes no tensor
    const int64_t dims = 3 + f.added;
    for (int64_t axis = -dims; axis < dims; ++axis) {
      INFO(f.op << "-" << f.opset << ", axis " << axis);
      CHECK(said_of(f, {axis}) == "");
    }
  }
  CHECK(said_of({"Flatten"}, {3}) == "");
}

TEST_CASE("frontend: an axis named twice is refused where its values differ") {
  const std::vector<Form> twice = {{"Unsqueeze", 18, {"x", "a"}, "", false, 2},
                                   {"Slice", 18, {"x", "from", "to", "a"}, ""},
                                   {"Pad", 18, {"x", "pads", "one", "a"}, ""}};
  for (const Form& f : twice) {
    const std::string said = said_of(f, {1, 1 - 3 - f.added});
    INFO(f.op << ": " << said);
    CHECK(said.find("axis 1 is named twice") != std::string::npos);
  }
}

}  // namespace onnx_axes_test
