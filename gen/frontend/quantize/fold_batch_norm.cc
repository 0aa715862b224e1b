// Multiplies weights by what the normalisation multiplies their results by.
#include <cmath>

#include "frontend/quantize/quantize_passes.h"

namespace tenon {

using namespace tenon_onnx;

namespace {

/// y = factor*x + shift, a channel.
struct Affine {
  std::vector<double> factor, shift;
};

std::optional<Affine> affine_of(const OnnxGraph& graph, const NodeProto& norm) {
  if (norm.input_size() != 5 || int_attribute(norm, "training_mode", 0) != 0) return std::nullopt;
  const auto scale = graph.floats(norm.input(1)), bias = graph.floats(norm.input(2)),
             mean = graph.floats(norm.input(3)), variance = graph.floats(norm.input(4));
  if (!scale || !bias || !mean || !variance) return std::nullopt;
  const double eps = float_attribute(norm, "epsilon", 1e-5f);
  Affine out;
  for (size_t c = 0; c < scale->size(); ++c) {
    const double f = (*scale)[c] / std::sqrt((*variance)[c] + eps);
    out.factor.push_back(f);
    out.shift.push_back((*bias)[c] - (*mean)[c] * f);
  }
  return out;
}

/// The dimension of the weights that counts the channels of the result; nothing where the node has none.
std::optional<size_t> channel_axis(const NodeProto& n) {
  if (n.op_type() == "Conv") return 0;
  const bool plain = n.op_type() == "Gemm" && float_attribute(n, "alpha", 1) == 1 &&
                     float_attribute(n, "beta", 1) == 1 && int_attribute(n, "transA", 0) == 0;
  return plain ? std::optional<size_t>(int_attribute(n, "transB", 0) != 0 ? 0 : 1) : std::nullopt;
}

/// Folds the normalisation that follows the node into its weights; false if that is not possible.
bool fold(OnnxGraph& graph, NodeProto& n, const Affine& affine) {
  const auto axis = channel_axis(n);
  auto weights = graph.floats(n.input(1));
  if (!axis || !weights) return false;
  const std::vector<int64_t> dims = graph.dims_of(n.input(1));
  const size_t channels = affine.factor.size();
  if (dims.size() < 2 || static_cast<size_t>(dims[*axis]) != channels) return false;
  const bool has_bias = n.input_size() > 2 && !n.input(2).empty();
  const auto bias = has_bias ? graph.floats(n.input(2)) : std::vector<float>(channels);
  if (!bias || bias->size() != channels) return false;
  size_t inner = 1;
  for (size_t d = *axis + 1; d < dims.size(); ++d) inner *= static_cast<size_t>(dims[d]);
  for (size_t i = 0; i < weights->size(); ++i)
    (*weights)[i] = static_cast<float>((*weights)[i] * affine.factor[i / inner % channels]);
  std::vector<float> folded(channels);
  for (size_t c = 0; c < channels; ++c) folded[c] = static_cast<float>((*bias)[c] * affine.factor[c] + affine.shift[c]);
  const std::string name = n.output(0);
  n.set_input(1, graph.add_floats(name + "_weights", dims, *weights));
  const std::string b = graph.add_floats(name + "_bias", {static_cast<int64_t>(channels)}, folded);
  if (n.input_size() > 2) n.set_input(2, b);
  else n.add_input(b);
  return true;
}

}  // namespace

void fold_batch_norm(OnnxGraph& graph) {
  std::set<const NodeProto*> gone;
  for (NodeProto& n : *graph.proto().mutable_node()) {
    if (n.output_size() != 1 || n.input_size() < 2) continue;
    NodeProto* norm = graph.only_reader(n.output(0));
    if (norm == nullptr || norm->op_type() != "BatchNormalization" || norm->output_size() != 1) continue;
    const auto affine = affine_of(graph, *norm);
    if (!affine || norm->input(0) != n.output(0) || !fold(graph, n, *affine)) continue;
    n.set_output(0, norm->output(0));
    gone.insert(norm);
  }
  graph.drop_unused(gone);
}

}  // namespace tenon
