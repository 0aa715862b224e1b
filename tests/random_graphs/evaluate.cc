// Random graphs by the oracle, and by the oracle next to moved operands.
#include "random_graphs/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "library/bind_node.h"
#include "oracle/number.h"
#include "semantics/fold_node.h"

namespace tenon_test {
namespace {

constexpr int kMovedRuns = 8;

bool rounds(ScalarOp op) {
  switch (op) {
    case ScalarOp::Neg:
    case ScalarOp::Abs:
    case ScalarOp::Sign:
    case ScalarOp::Min:
    case ScalarOp::Max:
    case ScalarOp::Floor:
    case ScalarOp::Ceil:
    case ScalarOp::Round:
    case ScalarOp::Trunc:
    case ScalarOp::Copysign:
    case ScalarOp::Real:
    case ScalarOp::Imag:
    case ScalarOp::Conj:
    case ScalarOp::Complex:
    case ScalarOp::Cast:
    case ScalarOp::Bits:
    case ScalarOp::U01: return false;
    default: return true;
  }
}

bool is_exact(const Kernel& k) {
  bool exact = true;
  for (const KernelStatement& s : k.body) {
    const DType target = k.tensors[static_cast<size_t>(s.target)].dtype;
    if ((s.update == Update::Add || s.update == Update::Mul) && !is_int(target)) exact = false;
    walk(s.value, [&](const Expr& e) {
      const bool real = is_float(e->type) || is_complex(e->type);
      if (const auto* a = std::get_if<Apply>(&e->node);
          a && real && (rounds(a->op) || (a->op == ScalarOp::Abs && is_complex(a->args[0]->type))))
        exact = false;
      if (const auto* r = std::get_if<Reduce>(&e->node); r && real && (r->op == Reducer::Sum || r->op == Reducer::Prod))
        exact = false;
      return true;
    });
  }
  return exact;
}

/// Whether every integer that the kernel gives is a real one, converted.
bool makes_whole(const Kernel& k) {
  return !k.call && std::all_of(k.body.begin(), k.body.end(), [&](const KernelStatement& s) {
    const auto* a = std::get_if<Apply>(&s.value->node);
    const Tensor& target = k.tensors[static_cast<size_t>(s.target)];
    return target.role != Role::Output || !is_int(target.dtype) ||
           (a && a->op == ScalarOp::Cast && is_float(a->args[0]->type));
  });
}

/// Attributes drawn at random ask for results that fill the memory.
constexpr int64_t kMostEvaluated = 1 << 20;

bool has_rounding(DType d) { return is_float(d) || is_complex(d); }

double unit(DType d) {
  const DType r = real_of(d);
  return r == DType::F64 ? 0x1p-52 : r == DType::F16 ? 0x1p-11 : r == DType::BF16 ? 0x1p-8 : 0x1p-23;
}

/// Where the results of operations are moved within an operator.
enum class Direction : uint8_t { Up, Down, Either };

/// Whether a number of the type is this one. What is not is rounded, as an integer beyond 2^24 is by f32.
bool holds(DType d, long double x) {
  return real_of(d) == DType::F64 ? static_cast<long double>(static_cast<double>(x)) == x
                                  : static_cast<long double>(static_cast<float>(x)) == x;
}

long double least_normal(DType d) {
  return real_of(d) == DType::F64 ? static_cast<long double>(std::numeric_limits<double>::min())
                                  : static_cast<long double>(std::numeric_limits<float>::min());
}

/// What an operator computes on the way, moved by that many units in the last place wherever the type cannot hold it.
/// An entry of the math library may miss even what the type holds.
Rounding moving(double units, Direction direction, std::mt19937_64& rng) {
  return [units, direction, &rng](ScalarOp op, const Number& result, DType stored) {
    const DType type = is_small(stored) || has_rounding(stored) ? dtype_row(stored).compute : stored;
    if (!has_rounding(type) || (!rounds(op) && op != ScalarOp::Cast && op != ScalarOp::Abs)) return result;
    const bool entry = scalar_op_row(op).has('M');
    const bool whole =
        is_complex(type) && op != ScalarOp::Add && op != ScalarOp::Sub;  // each part is made of all parts
    const long double size = std::hypot(result.f, result.im);
    const auto moved = [&](long double part) {
      if (!std::isfinite(part) || (!entry && !whole && holds(type, part))) return part;
      const bool up = direction == Direction::Either ? (rng() & 1) != 0 : direction == Direction::Up;
      return part + (up ? 1 : -1) * units * unit(type) *
                        std::max(whole ? size : std::fabs(part), part == 0 ? 0 : least_normal(type));
    };
    return Number{result.i, moved(result.f), is_complex(type) ? moved(result.im) : result.im};
  };
}

/// Every element moved up or down by that many units in the last place.
void move_elements(TensorData& t, double units, std::mt19937_64& rng) {
  if (!has_rounding(t.dtype)) return;
  for (int64_t i = 0; i < element_count(t.dims); ++i) {
    Number n = load_number(t, i);
    n.f *= 1 + (rng() & 1 ? 1 : -1) * units * unit(t.dtype);
    n.im *= 1 + (rng() & 1 ? 1 : -1) * units * unit(t.dtype);
    store_number(t, i, n);
  }
}

/// All values of a graph.
struct MovedValues {
  std::vector<TensorData> data;
  std::vector<bool> comparable;  ///< differences of its elements say how far they may be off
};

/// The graph with moved operands; nothing where that leaves an operator's range.
std::optional<MovedValues> moved_values(const OpLibrary& defs, const RandomGraph& g, double units, Direction direction,
                                        std::mt19937_64& rng) {
  const Rounding rounded = moving(units / 2, direction, rng);
  MovedValues moved_graph;
  std::vector<TensorData>& values = moved_graph.data;
  for (const RandomValue& v : g.values) {
    values.push_back(v.data);
    moved_graph.comparable.push_back(has_rounding(v.data.dtype));
  }
  for (const RandomNode& n : g.nodes) {
    std::vector<const TensorData*> inputs;
    for (const int v : n.inputs) inputs.push_back(v < 0 ? nullptr : &values[static_cast<size_t>(v)]);
    auto result = evaluate(defs, n.op, inputs, n.attrs);
    if (result && !result->exact) {
      std::vector<TensorData> moved(n.inputs.size());
      for (size_t k = 0; k < n.inputs.size(); ++k) {
        if (n.inputs[k] < 0) continue;
        moved[k] = values[static_cast<size_t>(n.inputs[k])];
        move_elements(moved[k], units, rng);
        inputs[k] = &moved[k];
      }
      result = evaluate(defs, n.op, inputs, n.attrs, rounded);
      if (result)
        for (TensorData& t : result->outputs) move_elements(t, 2 * units, rng);
    }
    if (!result) return std::nullopt;
    for (size_t k = 0; k < n.outputs.size(); ++k) {
      const auto v = static_cast<size_t>(n.outputs[k]);
      values[v] = std::move(result->outputs[k]);
      if (is_int(values[v].dtype)) moved_graph.comparable[v] = result->whole;
    }
  }
  return moved_graph;
}

}  // namespace

std::vector<long double> real_elements(const TensorData& t) {
  std::vector<long double> out;
  for (int64_t i = 0; i < element_count(t.dims); ++i) {
    const Number n = load_number(t, i);
    const DType compute = is_small(t.dtype) ? dtype_row(t.dtype).compute : t.dtype;
    const bool real = is_float(compute) || is_complex(compute);
    out.push_back(real                    ? n.f
                  : compute == DType::U64 ? static_cast<long double>(static_cast<uint64_t>(n.i))
                                          : static_cast<long double>(n.i));
    if (is_complex(t.dtype)) out.push_back(n.im);
  }
  return out;
}

std::optional<Evaluation> evaluate(const OpLibrary& defs, const std::string& op,
                                   const std::vector<const TensorData*>& inputs, const Attributes& attrs,
                                   const Rounding& rounded) {
  auto [given, call] = ConstantOperands(inputs);
  call.rounded = rounded;
  Diagnostics diagnostics;
  const auto node = expand_node({defs, *defs.op(op), given, attrs}, {}, diagnostics);
  if (!node || !node->extents.empty()) return std::nullopt;
  for (const auto& dims : node->output_dims) {
    int64_t elements = 1;
    for (const Expr& e : dims) {
      const auto extent = to_size(e);
      if (!extent || !extent->is_constant() || extent->value < 0 ||
          __builtin_mul_overflow(elements, extent->value, &elements) || elements > kMostEvaluated)
        return std::nullopt;
    }
  }
  if (run_kernel(node->kernel, call) != OracleStatus::Done) return std::nullopt;
  return Evaluation{results_of(*node, call), is_exact(node->kernel), makes_whole(node->kernel)};
}

namespace {

/// Whether the definition takes no operands of these types, whatever their elements are.
bool refuses(const OpLibrary& defs, const std::string& op, const std::vector<const TensorData*>& inputs,
             const Attributes& attrs) {
  const auto [given, call] = ConstantOperands(inputs);
  Diagnostics diagnostics;
  return !expand_node({defs, *defs.op(op), given, attrs}, {}, diagnostics);
}

/// Whether an element moved by far more than roundings add up to: it is next to a jump, as of a remainder.
bool some_jump(const std::vector<double>& differences, const std::vector<long double>& wanted, DType type) {
  constexpr double kMany = 0x1p12;
  if (!has_rounding(type)) return false;
  long double maximum = 0;
  for (const long double w : wanted)
    if (std::isfinite(w)) maximum = std::max(maximum, std::fabs(w));
  return std::any_of(differences.begin(), differences.end(),
                     [&](double d) { return d > kMany * unit(type) * static_cast<double>(maximum); });
}

/// The mean of the numbers without the maximum quarter: elements that jump say nothing of the others.
double usual_difference(const std::vector<double>& differences) {
  std::vector<double> known;
  for (const double d : differences)
    if (!std::isnan(d)) known.push_back(d);
  if (known.empty()) return 0;
  std::sort(known.begin(), known.end());
  known.resize((3 * known.size() + 3) / 4);
  return std::accumulate(known.begin(), known.end(), 0.0) / static_cast<double>(known.size());
}

}  // namespace

std::optional<SizedGraph> at_size(const OpLibrary& defs, const RandomGraph& g, int64_t size) {
  SizedGraph sized{g};
  RandomGraph& out = sized.graph;
  out.size = size;
  for (const int v : values_from(g, From::Input)) {
    TensorData& t = out.values[static_cast<size_t>(v)].data;
    const std::vector<uint8_t> old = t.bytes;
    std::replace(t.dims.begin(), t.dims.end(), g.open, size);
    const size_t one = static_cast<size_t>(bytes_of(t.dtype));
    t.bytes.resize(static_cast<size_t>(element_count(t.dims)) * one);
    if (old.empty() && !t.bytes.empty()) return std::nullopt;
    for (size_t i = 0; i < t.bytes.size(); ++i) t.bytes[i] = old[i % old.size()];
  }
  for (const RandomNode& n : g.nodes) {
    std::vector<const TensorData*> inputs;
    for (const int v : n.inputs) inputs.push_back(v < 0 ? nullptr : &out.values[static_cast<size_t>(v)].data);
    auto result = evaluate(defs, n.op, inputs, n.attrs);
    if (!result && !refuses(defs, n.op, inputs, n.attrs)) return std::nullopt;
    sized.refused = !result;
    if (sized.refused) return sized;
    for (size_t k = 0; k < n.outputs.size(); ++k)
      out.values[static_cast<size_t>(n.outputs[k])].data = std::move(result->outputs[k]);
  }
  return sized;
}

std::optional<std::vector<std::vector<double>>> tolerances(const OpLibrary& defs, const RandomGraph& g,
                                                           std::mt19937_64& rng) {
  std::vector<std::vector<double>> out;
  std::vector<std::vector<long double>> wanted;
  for (const int v : g.outputs) {
    wanted.push_back(real_elements(g.values[static_cast<size_t>(v)].data));
    out.emplace_back(wanted.back().size(), 0.0);
  }
  int runs = kMovedRuns;
  for (int run = 0; run < runs; ++run) {
    const Direction direction = run % 4 == 0 ? Direction::Up : run % 4 == 1 ? Direction::Down : Direction::Either;
    const auto values = moved_values(defs, g, run < kMovedRuns / 2 ? 2 : 8, direction, rng);
    if (!values) return std::nullopt;
    for (size_t k = 0; k < g.outputs.size(); ++k) {
      const auto v = static_cast<size_t>(g.outputs[k]);
      const std::vector<long double> moved = real_elements(values->data[v]);
      for (size_t i = 0; i < moved.size(); ++i) {
        const long double d = moved[i] == wanted[k][i] || (std::isnan(moved[i]) && std::isnan(wanted[k][i]))
                                  ? 0
                                  : std::fabs(moved[i] - wanted[k][i]);
        const bool jumps = std::isnan(d) || std::isinf(d) || (d > 0 && !values->comparable[v]);
        out[k][i] = jumps                   ? std::numeric_limits<double>::quiet_NaN()
                    : std::isnan(out[k][i]) ? out[k][i]
                                            : std::max(out[k][i], static_cast<double>(d));
      }
      // where elements jump, one that stayed on its side in a few runs may be next to the jump too
      if (run + 1 == kMovedRuns && some_jump(out[k], wanted[k], values->data[v].dtype)) runs = 4 * kMovedRuns;
    }
  }
  for (std::vector<double>& differences : out) {
    const double usual = usual_difference(differences);  // for elements whose moves cancelled out
    for (double& d : differences) d = 4 * d + usual;
  }
  return out;
}

}  // namespace tenon_test
