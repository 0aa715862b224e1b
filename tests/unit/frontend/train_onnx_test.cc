// ONNX models that are trained: which weights change, what the step sees, and the weights put back into the file.
#include "frontend/yaml/train_onnx.h"

#include <algorithm>
#include <cstring>

#include "catch.h"
#include "frontend/onnx/onnx_extension.h"
#include "frontend/onnx/onnx_weights.h"
#include "frontend/onnx/read_onnx.h"
#include "frontend/onnx/write_onnx.h"
#include "onnx_table_files.h"
#include "proto_bytes.h"
#include "semantics/library_semantics.h"
#include "shipped_library.h"

namespace train_onnx_test {

using namespace tenon;
using namespace tenon_test::onnx;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

std::span<const uint8_t> span_of(const std::string& bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

// conv, batch norm, a bias that is transposed, a scale of one number; then a dense layer whose weight is reshaped.
std::string network() {
  const std::vector<float> two(2, 1), eight(8, 0.5F);
  const tenon_test::onnx::Graph g{
      {node("Conv", {"x", "c.w"}, {"h0"}),
       node("BatchNormalization", {"h0", "bn.g", "bn.b", "bn.mean", "bn.var"}, {"h1"}),
       node("Transpose", {"bias"}, {"bt"}), node("Add", {"h1", "bt"}, {"h2"}), node("Mul", {"h2", "half"}, {"h3"}),
       node("Flatten", {"h3"}, {"f"}), node("Reshape", {"fc.w", "shape"}, {"fw"}),
       node("MatMul", {"f", "fw"}, {"out:0"})},
      {value("x", {1, 1, 2, 2})},
      {untyped("out:0")},
      {floats_tensor("c.w", {2, 1, 1, 1}, two), floats_tensor("bn.g", {2}, two), floats_tensor("bn.b", {2}, two),
       floats_tensor("bn.mean", {2}, two), floats_tensor("bn.var", {2}, two), floats_tensor("bias", {1, 1, 2, 1}, two),
       floats_tensor("half", {1}, {0.5F}), floats_tensor("fc.w", {1, 8}, eight), ints_tensor("shape", {8, 1})}};
  return model(g, 13);
}

const std::string kTrain = "train:\n  targets: {t: \"f32[1, 1]\"}\n  loss: mse_loss(y, t)\n  optimizer: sgd(lr=0.1)\n";

Result<tenon::Graph> read(const std::string& bytes, const std::string& yaml, GraphMode mode = GraphMode::step) {
  static const OnnxTable table = *read_onnx_table(tenon_test::onnx_table_files(fs::path(TENON_CHECKOUT) / "opdefs"));
  const OpLibrary& ops = tenon_test::shipped_ops();
  const OpSemantics semantics = folding_semantics(ops);
  SizeRanges sizes;
  const auto training = read_onnx_training(std::make_shared<const SourceFile>("t.yaml", yaml), semantics, mode, sizes);
  if (!training.ok()) return training.diagnostics();
  OnnxSource source{"net.onnx", span_of(bytes)};
  source.mode = mode;
  source.extension = training->get();
  return read_onnx(source, table, semantics, sizes);
}

// The states of a step that are parameters.
Names parameters(const Result<tenon::Graph>& graph) {
  INFO(graph.diagnostics().text());
  REQUIRE(graph.ok());
  Names names;
  for (const StatePair& s : graph->state) names.push_back(graph->values[static_cast<size_t>(s.input)].original);
  std::sort(names.begin(), names.end());
  return names;
}

std::string error_of(const std::string& yaml) {
  const auto graph = read(network(), yaml);
  REQUIRE_FALSE(graph.ok());
  const std::string text = graph.diagnostics().text();
  return text.substr(0, text.find('\n'));
}

const std::string kValues = "values: {y: \"out:0\"}\n";

}  // namespace

TEST_CASE("frontend: patterns of names") {
  CHECK(matches_pattern("fc1.weight", "fc?.*"));
  CHECK(matches_pattern("fc1.weight", "*"));
  CHECK(matches_pattern("", "*"));
  CHECK(matches_pattern("abab", "*ab"));
  CHECK_FALSE(matches_pattern("fc1.weight", "fc1"));
  CHECK_FALSE(matches_pattern("fc1", "fc?1"));
}

TEST_CASE("frontend: an ONNX model is trained, all weights or those that are named") {
  CHECK(parameters(read(network(), kValues + kTrain)) == Names{"bias", "bn.b", "bn.g", "c.w", "fc.w"});
  CHECK(parameters(read(network(), kValues + "last: 1\n" + kTrain)) == Names{"fc.w"});
  CHECK(parameters(read(network(), kValues + "parameters: [\"bn.?\"]\n" + kTrain)) == Names{"bn.b", "bn.g"});
  CHECK(parameters(read(network(), kValues + "parameters: [half]\n" + kTrain)) == Names{"half"});
}

TEST_CASE("frontend: statistics of batch norm follow the batches where `running` says so") {
  const auto still = read(network(), kValues + "last: 1\n" + kTrain);
  const auto moving = read(network(), kValues + "last: 1\nrunning: [\"*\"]\n" + kTrain);
  CHECK(parameters(moving) == Names{"bn.mean", "bn.var", "fc.w"});
  CHECK(to_text(*still).find("batch_norm_training(") == std::string::npos);
  CHECK(to_text(*moving).find("batch_norm_training(") != std::string::npos);
  const auto validation = read(network(), kValues + "running: [\"*\"]\n" + kTrain, GraphMode::validation);
  REQUIRE(validation.ok());
  CHECK(to_text(*validation).find("batch_norm_training(") == std::string::npos);
}

TEST_CASE("frontend: an input of a model for one example takes a batch") {
  const std::string batch = "sizes: {N: 1..4}\ninputs: {x: \"f32[N, 1, 2, 2]\"}\n" + kValues +
                            "train:\n  targets: {t: \"f32[N, 1]\"}\n  loss: mse_loss(y, t)\n  optimizer: sgd(lr=0.1)\n";
  const auto graph = read(network(), batch);
  INFO(graph.diagnostics().text());
  REQUIRE(graph.ok());
  REQUIRE(graph->sizes.size() == 1);
  CHECK(graph->sizes[0].hi == 4);
}

TEST_CASE("frontend: what is wrong with how an ONNX model is trained has a place") {
  CHECK(error_of("train: {loss: mean(y)}\n").find("t.yaml:1:8: error: the key 'optimizer' is missing") == 0);
  CHECK(error_of("layers: 1\n" + kTrain).find("t.yaml:1:1: error: unknown key 'layers'") == 0);
  CHECK(error_of("values: {y: \"out:1\"}\n" + kTrain).find("t.yaml:1:13: error: the model has no value 'out:1'") == 0);
  CHECK(error_of(kValues + "last: 3\n" + kTrain) ==
        "t.yaml:2:7: error: `last` is a number of layers; the model has 2 with weights [E0710]");
  CHECK(error_of(kValues + "parameters: [\"fd.*\"]\n" + kTrain) ==
        "t.yaml:2:14: error: nothing called 'fd.*' is trained in this model [E0710]");
  CHECK(error_of(kValues + "sizes: {M: 1..4}\n" + kTrain) ==
        "t.yaml:2:9: error: no input of the model has the open size 'M' [E0705]");
  CHECK(error_of(kValues + "inputs: {z: \"f32[4]\"}\n" + kTrain) ==
        "t.yaml:2:10: error: the model has no input 'z'; it has x [E0710]");
  CHECK(error_of(kValues + "inputs: {x: \"f64[4]\"}\n" + kTrain) ==
        "t.yaml:2:13: error: the input stays f32; `inputs` gives other extents [E0704]");
  CHECK(error_of(kTrain).find("t.yaml:3:18: error:") == 0);
}

TEST_CASE("frontend: trained weights are put back into the model, and nothing else changes") {
  const std::string bytes = network();
  const OnnxSource source{"net.onnx", span_of(bytes)};
  const std::vector<float> old(8, 0.5F);
  TensorData moved{DType::F32, {1, 8}, std::vector<uint8_t>(32)};
  std::memcpy(moved.bytes.data(), old.data(), 32);
  const auto same = onnx_with_weights(source, {{"fc.w", moved}});
  moved.bytes.assign(32, 7);
  const auto other = onnx_with_weights(source, {{"fc.w", moved}});
  REQUIRE(same.ok());
  REQUIRE(other.ok());
  const size_t at = other->find(std::string(32, 7));
  REQUIRE(at != std::string::npos);
  CHECK(std::string(*other).replace(at, 32, *same, at, 32) == *same);
  CHECK(parameters(read(*other, kValues + "last: 1\n" + kTrain)) == Names{"fc.w"});
  moved.dims = {8, 1};
  const auto wrong = onnx_with_weights(source, {{"fc.w", moved}});
  CHECK(wrong.diagnostics().text().find("it is f32[1, 8], and the trained one f32[8, 1]") != std::string::npos);
  CHECK_FALSE(onnx_with_weights(source, {{"fc", moved}}).ok());
}

TEST_CASE("frontend: parameters of a graph are a model whose outputs they are") {
  const auto written = onnx_of_weights("g", {{"W", {DType::F32, {2}, std::vector<uint8_t>(8, 1)}}});
  REQUIRE(written.ok());
  static const OnnxTable table = *read_onnx_table(tenon_test::onnx_table_files(fs::path(TENON_CHECKOUT) / "opdefs"));
  const OpSemantics semantics = library_semantics(tenon_test::shipped_ops());
  const auto graph = read_onnx({"g.onnx", span_of(*written)}, table, semantics, {});
  INFO(graph.diagnostics().text());
  REQUIRE(graph.ok());
  CHECK(graph->values[static_cast<size_t>(graph->outputs[0])].original == "W");
}

}  // namespace train_onnx_test
