// Chooses the reader by the file's extension.
#include "frontend/frontends.h"

#include "frontend/tensors/tensor_files.h"
#include "frontend/yaml/read_graph_yaml.h"
#include "frontend/yaml/train_onnx.h"
#include "support/ranges.h"
#include "support/read_source.h"
#include "support/yaml_document.h"

namespace tenon {
namespace {

Result<Graph> onnx_model(const FrontendInput& input, const OpSemantics& semantics) {
  const Result<OnnxTable> table = read_onnx_table(input.onnx_rows);
  if (!table.ok()) return table.diagnostics();
  const Result<std::vector<uint8_t>> bytes = read_bytes(input.path, input.path);
  if (!bytes.ok()) return bytes.diagnostics();
  OnnxSource source{input.path, *bytes, input.kept, input.program, input.given};
  if (input.train_with.empty() || input.mode == GraphMode::network)
    return read_onnx(source, *table, semantics, input.sizes);
  const Result<SourceFileRef> file = read_source(input.train_with);
  if (!file.ok()) return file.diagnostics();
  SizeRanges sizes = input.sizes;
  const auto training = read_onnx_training(*file, semantics, input.mode, sizes);
  if (!training.ok()) return training.diagnostics();
  source.mode = input.mode;
  source.extension = training->get();
  return read_onnx(source, *table, semantics, sizes);
}

Result<Graph> yaml_graph(const FrontendInput& input, const OpSemantics& semantics) {
  const Result<SourceFileRef> file = read_source(input.path);
  if (!file.ok()) return file.diagnostics();
  return read_graph_yaml(*file, semantics, {input.sizes, input.mode, !input.kept.empty(), input.program});
}

struct FrontendRow {
  const char* extension;
  Result<Graph> (*read)(const FrontendInput&, const OpSemantics&);
};
constexpr FrontendRow kFrontends[] = {{".onnx", onnx_model}, {".yaml", yaml_graph}, {".yml", yaml_graph}};

}  // namespace

bool has_frontend(const std::string& path) {
  return any_of(kFrontends, [&](const FrontendRow& row) { return path.ends_with(row.extension); });
}

bool holds_model(const std::string& path) {
  if (!has_frontend(path) || path.ends_with(".onnx")) return has_frontend(path);
  const Result<SourceFileRef> file = read_source(path);
  if (!file.ok()) return false;
  const Result<std::vector<YamlNode>> documents = read_yaml(*file);
  return documents.ok() && !documents->empty() && documents->front().is_map() && documents->front().find("graph");
}

Result<Graph> read_model(const FrontendInput& input, const OpSemantics& semantics) {
  for (const FrontendRow& row : kFrontends)
    if (input.path.ends_with(row.extension)) return row.read(input, semantics);
  Diagnostics d;
  d.error_at(Code::E0108, input.path.empty() ? "''" : input.path, "models are files that end in .onnx, .yaml or .yml",
             {"export the model to ONNX, or write a graph in YAML: docs/graphs.md shows one"});
  return d;
}

}  // namespace tenon
