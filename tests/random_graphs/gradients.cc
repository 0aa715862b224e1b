// Differences of a random graph along directions, and the graph that computes the same by gradients.
#include "random_graphs/gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "oracle/number.h"
#include "random_graphs/evaluate.h"

namespace tenon_test {
namespace {

constexpr double kStep = 0x1p-9;
constexpr size_t kMostOperands = 4;
constexpr int kDirections = 3;  ///< one over all elements, the others along one of them

double real_number(const TensorData& t, int64_t i) { return static_cast<double>(load_number(t, i).f); }

void store_real(TensorData& t, int64_t i, double x) {
  Number n;
  n.f = x;
  store_number(t, i, n);
}

TensorData zeros(std::vector<int64_t> dims) {
  TensorData t{DType::F64, std::move(dims), {}};
  t.bytes.resize(static_cast<size_t>(element_count(t.dims)) * sizeof(double));
  return t;
}

TensorData drawn(std::vector<int64_t> dims, std::mt19937_64& rng) {
  TensorData t = zeros(std::move(dims));
  for (int64_t i = 0; i < element_count(t.dims); ++i)
    store_real(t, i, 2 * static_cast<double>(rng() >> 11) * 0x1p-53 - 1);
  return t;
}

/// Weighted outputs of a graph, added up.
class WeightedSum {
 public:
  WeightedSum(const OpLibrary& defs, const RandomGraph& graph, std::mt19937_64& rng) : defs_(defs), graph_(graph) {
    for (const int v : graph.outputs)
      if (data(v).dtype == DType::F64 && !data(v).bytes.empty()) weights_.emplace_back(v, drawn(data(v).dims, rng));
  }

  const std::vector<std::pair<int, TensorData>>& weights() const { return weights_; }

  /// NaN where the oracle has no values.
  double moved(int operand, const TensorData& direction, double by) const {
    std::vector<TensorData> values;
    for (const RandomValue& v : graph_.values) values.push_back(v.data);
    TensorData& x = values[static_cast<size_t>(operand)];
    for (int64_t i = 0; i < element_count(x.dims); ++i)
      store_real(x, i, real_number(x, i) + by * real_number(direction, i));
    for (const RandomNode& n : graph_.nodes) {
      std::vector<const TensorData*> inputs;
      for (const int v : n.inputs) inputs.push_back(v < 0 ? nullptr : &values[static_cast<size_t>(v)]);
      auto result = evaluate(defs_, n.op, inputs, n.attrs);
      if (!result) return std::numeric_limits<double>::quiet_NaN();
      for (size_t k = 0; k < n.outputs.size(); ++k)
        values[static_cast<size_t>(n.outputs[k])] = std::move(result->outputs[k]);
    }
    double sum = 0;
    for (const auto& [v, weight] : weights_)
      for (int64_t i = 0; i < element_count(weight.dims); ++i)
        sum += real_number(weight, i) * real_number(values[static_cast<size_t>(v)], i);
    return sum;
  }

 private:
  const TensorData& data(int v) const { return graph_.values[static_cast<size_t>(v)].data; }

  const OpLibrary& defs_;
  const RandomGraph& graph_;
  std::vector<std::pair<int, TensorData>> weights_;
};

struct Slope {
  double value = 0, limit = 0;
};

/// Central differences of three steps, extrapolated twice: that both agree says how far they may be off.
Slope slope(const WeightedSum& sum, int operand, const TensorData& direction) {
  const double here = sum.moved(operand, direction, 0);
  std::array<double, 3> central{}, bend{};
  double size = std::fabs(here);
  for (size_t k = 0; k < 3; ++k) {
    const double h = kStep / static_cast<double>(1 << k);
    const double up = sum.moved(operand, direction, h), down = sum.moved(operand, direction, -h);
    central[k] = (up - down) / (2 * h);
    bend[k] = std::fabs((up - here) / h - (here - down) / h);
    size = std::max({size, std::fabs(up), std::fabs(down)});
  }
  const double coarse = (4 * central[1] - central[0]) / 3, fine = (4 * central[2] - central[1]) / 3;
  const double scale = std::max({1.0, std::fabs(fine), size});
  const double doubt = std::fabs(fine - coarse) + 64 * 0x1p-52 * (size + 1) / kStep;
  // Smooth: differences of one side approach each other as fast as the step gets small. At a kink they stay.
  const bool kinked = bend[2] > 0.75 * bend[1] && bend[2] > 1e-7 * scale;
  if (!std::isfinite(doubt) || kinked || doubt > 1e-3 * scale) return {0, std::numeric_limits<double>::quiet_NaN()};
  return {fine, 16 * doubt + 1e-7 * scale};
}

/// Adds nodes to a graph.
class GraphWriter {
 public:
  explicit GraphWriter(RandomGraph& g) : g_(g) {}

  int value(From from, TensorData data) {
    const char* kind = from == From::Node ? "v" : from == From::Input ? "x" : "c";
    g_.values.push_back({fmt::format("{}{}g", kind, g_.values.size()), from, std::move(data)});
    return static_cast<int>(g_.values.size() - 1);
  }
  int node(const std::string& op, std::vector<int> inputs, std::vector<int64_t> dims) {
    const int out = value(From::Node, zeros(std::move(dims)));
    g_.nodes.push_back({op, std::move(inputs), {}, {out}});
    return out;
  }
  int product(int a, int b) { return node("mul", {a, b}, dims(a)); }
  int sum(int v) { return node("sum", {v}, {}); }
  std::vector<int64_t> dims(int v) const { return g_.values[static_cast<size_t>(v)].data.dims; }

  void gradient(int of, const std::vector<int>& operands, std::vector<int>& made) {
    RandomNode n{"grad", {of}, {}, {}};
    for (const int x : operands) {
      n.inputs.push_back(x);
      n.outputs.push_back(value(From::Node, zeros(dims(x))));
    }
    made = n.outputs;
    g_.nodes.push_back(std::move(n));
  }

 private:
  RandomGraph& g_;
};

std::vector<int> operands_of(const RandomGraph& g, std::mt19937_64& rng) {
  std::vector<int> out;
  for (size_t v = 0; v < g.values.size(); ++v)
    if (g.values[v].from != From::Node && g.values[v].data.dtype == DType::F64 && !g.values[v].data.bytes.empty())
      out.push_back(static_cast<int>(v));
  std::shuffle(out.begin(), out.end(), rng);
  if (out.size() > kMostOperands) out.resize(kMostOperands);
  return out;
}

TensorData direction(const std::vector<int64_t>& dims, bool everywhere, std::mt19937_64& rng) {
  if (everywhere) return drawn(dims, rng);
  TensorData one = zeros(dims);
  store_real(one, static_cast<int64_t>(rng() % static_cast<uint64_t>(element_count(dims))), 1);
  return one;
}

}  // namespace

std::optional<KnownRun> with_gradients(const OpLibrary& defs, const RandomGraph& graph, std::mt19937_64& rng) {
  const WeightedSum sum(defs, graph, rng);
  const std::vector<int> operands = operands_of(graph, rng);
  if (sum.weights().empty() || operands.empty()) return std::nullopt;
  KnownRun known{graph, {}, Answer::Values};
  RandomGraph& g = known.graph;
  GraphWriter write(g);
  g.outputs.clear();
  int total = -1;
  for (const auto& [v, weight] : sum.weights()) {
    const int part = write.sum(write.product(v, write.value(From::Parameter, weight)));
    total = total < 0 ? part : write.node("add", {total, part}, {});
  }
  std::vector<int> gradients;
  write.gradient(total, operands, gradients);
  for (size_t k = 0; k < operands.size(); ++k)
    for (int d = 0; d < kDirections; ++d) {
      const TensorData along = direction(write.dims(operands[k]), d == 0, rng);
      const Slope wanted = slope(sum, operands[k], along);
      const int made = write.sum(write.product(gradients[k], write.value(From::Input, along)));
      store_real(g.values[static_cast<size_t>(made)].data, 0, wanted.value);
      g.outputs.push_back(made);
      known.limits.push_back({wanted.limit});
    }
  return known;
}

}  // namespace tenon_test
