// The real models of ../shared/testdata through the shipped table: what they become, as far as nodes and shapes go.
#include <cstdio>
#include <filesystem>

#include "catch.h"
#include "frontend/onnx/read_onnx.h"
#include "frontend/tensors/tensor_files.h"
#include "onnx_table_files.h"
#include "small_library.h"

namespace read_onnx_models_test {

using namespace tenon;
namespace fs = std::filesystem;

namespace {

OnnxTable shipped_table() {
  Result<OnnxTable> table = read_onnx_table(tenon_test::onnx_table_files(fs::path(TENON_CHECKOUT) / "opdefs"));
  INFO(table.diagnostics().text());
  REQUIRE(table.ok());
  return *table;
}

struct ModelRow {
  const char* name;
  SizeRanges sizes;
  size_t nodes;        // of the graph that is read
  const char* output;  // extents
};

}  // namespace

TEST_CASE("frontend: the shipped table is well-formed") { CHECK(shipped_table().rows.size() > 100); }

TEST_CASE("frontend: real models are read with their shapes") {
  const fs::path models = fs::path(TENON_CHECKOUT) / "../shared/testdata/models";
  if (!fs::exists(models)) {
    std::puts("SKIP real ONNX models: ../shared/testdata is not here");
    return;
  }
  const OnnxTable table = shipped_table();
  const SizeRange one{1, 1}, open{1, 8};
  const ModelRow row = GENERATE_COPY(values<ModelRow>({{"mnist_8", {}, 11, "1, 10"},
                                                       {"cnn_mnist_pytorch", {}, 12, "1, 10"},
                                                       {"iris_mlp", {{"batch_size", open}}, 5, "batch_size, 3"},
                                                       {"tfl_helloworld", {{"N", open}}, 8, "N, 1"},
                                                       {"atmega_mnist", {}, 5, "1, 10"},
                                                       {"lesson14_mlp", {{"N", open}}, 13, "N, 10"},
                                                       {"mlperf_ad_autoencoder_f32", {}, 28, "1, 640"},
                                                       {"mlperf_ic_resnet8_f32", {}, 31, "1, 10"},
                                                       {"cifar_cnn_winml", {{"batch_size", one}}, 11, "1, 10"}}));
  const std::string path = (models / row.name / "model.onnx").string();
  const auto bytes = read_bytes(path, path);
  REQUIRE(bytes.ok());
  const OpSemantics semantics = tenon_test::small_semantics();
  const Result<Graph> graph = read_onnx({path, *bytes}, table, semantics, row.sizes);
  INFO(row.name);
  INFO(graph.diagnostics().text());
  REQUIRE(graph.ok());
  INFO(to_text(*graph));
  CHECK(verify(*graph) == std::vector<std::string>{});
  CHECK(graph->nodes.size() == row.nodes);
  std::string extents;
  for (const SizeExpr& d : graph->values[static_cast<size_t>(graph->outputs[0])].dims)
    extents += (extents.empty() ? "" : ", ") + to_text(d);
  CHECK(extents == row.output);
}

}  // namespace read_onnx_models_test
