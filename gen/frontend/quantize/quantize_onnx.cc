// Inserts QuantizeLinear and DequantizeLinear around values, and replaces weights by integers.
#include "frontend/quantize/quantize_onnx.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "frontend/onnx/onnx_parse.h"
#include "frontend/quantize/quantize_passes.h"

namespace tenon {

using namespace tenon_onnx;

struct QuantizableModel::State {
  std::string path;
  std::filesystem::path folder;
  ModelProto model;
  QuantizedChoice choice;
  std::vector<std::string> unknown;
};

namespace {

constexpr int kFloat = 1;  // TensorProto.FLOAT
constexpr double kSteps = 255, kLowest = -128, kHighest = 127, kMostOfBias = 1 << 30;

/// value = scale*(integer - zero), in f32 as the operators read it.
struct Steps {
  float scale = 1;
  int8_t zero = 0;
};

/// 0 is representable: it is used for padding and by rectifiers.
Steps steps_of(RealRange r) {
  const double low = std::min(r.low, 0.0), high = std::max(r.high, 0.0);
  Steps s;
  if (high - low < 1e-30) return s;
  s.scale = static_cast<float>((high - low) / kSteps);
  s.zero = static_cast<int8_t>(std::clamp(std::nearbyint(kLowest - low / s.scale), kLowest, kHighest));
  return s;
}

/// Integer weights, a scale a channel.
struct Weights {
  std::vector<int8_t> elements;
  std::vector<float> scales;
};

class Quantizer {
 public:
  Quantizer(OnnxGraph& graph, const QuantizedChoice& choice, const RealRanges& ranges)
      : graph_(graph), choice_(choice) {
    std::map<std::string, RealRange> joined;
    for (const std::string& v : choice.values) {
      const RealRange& r = ranges.at(v);
      RealRange& all = joined.emplace(choice.group.at(v), r).first->second;
      all = {std::min(all.low, r.low), std::max(all.high, r.high)};
    }
    for (const auto& [root, range] : joined) add_steps(root, steps_of(range));
  }

  void run() {
    std::vector<NodeProto> out;
    for (const ValueInfoProto& i : graph_.proto().input()) round(i.name(), out);
    for (int k = 0; k < graph_.proto().node_size(); ++k) {
      NodeProto n = graph_.proto().node(k);
      if (n.output_size() != 0 && choice_.weighted.count(n.output(0)) != 0) weigh(n, out);
      for (std::string& i : *n.mutable_input())
        if (const auto at = rounded_.find(i); at != rounded_.end()) i = at->second;
      const std::vector<std::string> made(n.output().begin(), n.output().end());
      out.push_back(std::move(n));
      for (const std::string& v : made) round(v, out);
    }
    graph_.proto().clear_node();
    for (NodeProto& n : out) *graph_.proto().add_node() = std::move(n);
    graph_.drop_unused({});
  }

 private:
  struct Named {
    Steps steps;
    std::string scale, zero;
  };

  void add_steps(const std::string& root, const Steps& s) {
    const std::string scale = graph_.add_floats(root + "_scale", {}, {s.scale});
    TensorData zero{DType::I8, {}, {static_cast<uint8_t>(s.zero)}};
    steps_[root] = {s, scale, graph_.add(root + "_zero", std::move(zero))};
  }

  const Named& steps(const std::string& value) const { return steps_.at(choice_.group.at(value)); }

  /// The value in steps, which all its readers take from here on.
  void round(const std::string& value, std::vector<NodeProto>& out) {
    const auto at = choice_.group.find(value);
    if (at == choice_.group.end() || rounded_.count(value) != 0) return;
    const Named& s = steps(value);
    const std::string integers = graph_.fresh_name(value + "_integers"), back = graph_.fresh_name(value + "_rounded");
    out.push_back(make_node("QuantizeLinear", {value, s.scale, s.zero}, integers));
    out.push_back(make_node("DequantizeLinear", {integers, s.scale, s.zero}, back));
    rounded_[value] = back;
  }

  /// The largest magnitude of a channel is 127; a step is not so small that the bias has no place in 32 bits.
  Weights weights_of(const std::vector<float>& w, size_t channels, size_t inner,
                     const std::vector<float>& least) const {
    Weights out{std::vector<int8_t>(w.size()), std::vector<float>(channels)};
    for (size_t i = 0; i < w.size(); ++i) {
      float& s = out.scales[i / inner % channels];
      s = std::max(s, std::abs(w[i]) / static_cast<float>(kHighest));
    }
    for (size_t c = 0; c < channels; ++c) {
      out.scales[c] = std::max(out.scales[c], least[c]);
      if (out.scales[c] < 1e-30F) out.scales[c] = 1;
    }
    for (size_t i = 0; i < w.size(); ++i)
      out.elements[i] = static_cast<int8_t>(
          std::clamp(std::nearbyint(w[i] / double{out.scales[i / inner % channels]}), -kHighest, kHighest));
    return out;
  }

  void weigh(NodeProto& n, std::vector<NodeProto>& out) {
    const int axis = weight_axis(graph_, n);
    const std::vector<int64_t> dims = graph_.dims_of(n.input(1));
    const size_t channels = static_cast<size_t>(dims[static_cast<size_t>(axis)]);
    size_t inner = 1;
    for (size_t d = static_cast<size_t>(axis) + 1; d < dims.size(); ++d) inner *= static_cast<size_t>(dims[d]);
    const float of_input = steps(n.input(0)).steps.scale;
    const auto bias = bias_of(n, channels);
    std::vector<float> least(channels);
    for (size_t c = 0; bias && c < channels; ++c)
      least[c] = static_cast<float>(std::abs((*bias)[c]) / (of_input * kMostOfBias));
    const Weights w = weights_of(*graph_.floats(n.input(1)), channels, inner, least);
    TensorData data{DType::I8, dims, {}};
    data.bytes.resize(w.elements.size());
    std::memcpy(data.bytes.data(), w.elements.data(), data.bytes.size());
    n.set_input(1, dequantized(n.output(0) + "_weights", std::move(data), w.scales, axis, out));
    if (bias) n.set_input(2, whole_bias(n, *bias, of_input, w.scales, out));
  }

  /// A constant bias of a number a channel; nothing for others, which stay floats.
  std::optional<std::vector<float>> bias_of(const NodeProto& n, size_t channels) const {
    if (n.input_size() < 3 || n.input(2).empty() || float_attribute(n, "beta", 1) != 1) return std::nullopt;
    auto bias = graph_.floats(n.input(2));
    return bias && bias->size() == channels && graph_.dims_of(n.input(2)).size() == 1 ? bias : std::nullopt;
  }

  std::string dequantized(const std::string& wish, TensorData data, const std::vector<float>& scales, int axis,
                          std::vector<NodeProto>& out) {
    const std::string integers = graph_.add(wish + "_integers", std::move(data));
    const std::string scale = graph_.add_floats(wish + "_scale", {static_cast<int64_t>(scales.size())}, scales);
    std::string name = graph_.fresh_name(wish + "_rounded");
    out.push_back(make_node("DequantizeLinear", {integers, scale}, name));
    set_int(out.back(), "axis", axis);
    return name;
  }

  /// In steps of the products.
  std::string whole_bias(const NodeProto& n, const std::vector<float>& bias, float of_input,
                         const std::vector<float>& scales, std::vector<NodeProto>& out) {
    std::vector<float> steps(bias.size());
    TensorData data{DType::I32, {static_cast<int64_t>(bias.size())}, std::vector<uint8_t>(bias.size() * 4)};
    for (size_t c = 0; c < bias.size(); ++c) {
      steps[c] = of_input * scales[c];
      const auto whole = static_cast<int32_t>(
          std::clamp(std::nearbyint(bias[c] / double{steps[c]}), -2.0 * kMostOfBias, 2.0 * kMostOfBias - 1));
      std::memcpy(&data.bytes[c * 4], &whole, 4);
    }
    return dequantized(n.output(0) + "_bias", std::move(data), steps, 0, out);
  }

  OnnxGraph& graph_;
  const QuantizedChoice& choice_;
  std::map<std::string, Named> steps_;
  std::map<std::string, std::string> rounded_;
};

}  // namespace

QuantizableModel::QuantizableModel(std::unique_ptr<State> state) : state_(std::move(state)) {}
QuantizableModel::QuantizableModel(QuantizableModel&&) noexcept = default;
QuantizableModel& QuantizableModel::operator=(QuantizableModel&&) noexcept = default;
QuantizableModel::~QuantizableModel() = default;

Result<QuantizableModel> QuantizableModel::read(const OnnxSource& source, const std::vector<std::string>& kept) {
  auto state = std::make_unique<State>();
  state->path = source.path;
  state->folder = std::filesystem::path(source.path).parent_path();
  Diagnostics diagnostics;
  if (!parse_onnx_model(source, state->model, diagnostics)) return diagnostics;
  OnnxGraph graph(*state->model.mutable_graph(), state->folder, source.path, diagnostics);
  upgrade_opset(state->model, graph, source.path, diagnostics);
  if (diagnostics.has_errors()) return diagnostics;
  fold_batch_norm(graph);
  std::set<std::string> left(kept.begin(), kept.end());
  state->choice = choose_quantized(graph, left);
  state->unknown = {left.begin(), left.end()};
  return QuantizableModel(std::move(state));
}

const std::vector<std::string>& QuantizableModel::unknown() const { return state_->unknown; }
const std::vector<std::string>& QuantizableModel::values() const { return state_->choice.values; }

Result<std::string> QuantizableModel::with_values() const {
  ModelProto model = state_->model;
  GraphProto& graph = *model.mutable_graph();
  std::set<std::string> there;
  for (const ValueInfoProto& v : graph.input()) there.insert(v.name());
  for (const ValueInfoProto& v : graph.output()) there.insert(v.name());
  for (const std::string& v : values()) {
    if (!there.insert(v).second) continue;
    ValueInfoProto& output = *graph.add_output();
    output.set_name(v);
    output.mutable_type()->mutable_tensor_type()->set_elem_type(kFloat);
  }
  return onnx_model_bytes(model, state_->path);
}

Result<QuantizedModel> QuantizableModel::quantized(const RealRanges& ranges) const {
  ModelProto model = state_->model;
  Diagnostics diagnostics;
  OnnxGraph graph(*model.mutable_graph(), state_->folder, state_->path, diagnostics);
  Quantizer(graph, state_->choice, ranges).run();
  auto bytes = onnx_model_bytes(model, state_->path);
  if (!bytes.ok()) return bytes.diagnostics();
  return QuantizedModel{std::move(bytes).value(), static_cast<int>(state_->choice.weighted.size()),
                        state_->choice.left};
}

}  // namespace tenon
