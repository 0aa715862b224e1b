// What the oracle says of random graphs, and how far from it the arithmetic may lead.
#pragma once

#include <optional>
#include <random>

#include "ir/op/op_def.h"
#include "oracle/run_kernel.h"
#include "random_graphs/random_graph.h"

namespace tenon_test {

/// Results of one call.
struct Evaluation {
  std::vector<TensorData> outputs;
  bool exact = true;   ///< nothing is rounded: elements are moved, compared, converted, or integers
  bool whole = false;  ///< its integers are real ones made whole: next to a jump lie their neighbours, where an
                       ///< index may be any other
};

/// Evaluates one operator by its definition; nothing where it does not fit its operands or their data.
std::optional<Evaluation> evaluate(const OpLibrary& defs, const std::string& op,
                                   const std::vector<const TensorData*>& inputs, const Attributes& attrs,
                                   const Rounding& rounded = {});

/// Per output of the graph, per element (complex: two of each): the maximum difference that roundings explain, or NaN
/// where they decide between different answers, as next to a comparison or between two indices. It is measured: the
/// graph is evaluated several times with operands and results of every operator that rounds, and what it computes on
/// the way, moved by a few units in the last place: once all of the latter up and once all down, because what decides
/// on one side of a jump often decides for many elements, then at random. Nothing where one of these leaves an
/// operator's range.
std::optional<std::vector<std::vector<double>>> tolerances(const OpLibrary& defs, const RandomGraph& graph,
                                                           std::mt19937_64& rng);

/// Elements as real numbers, two for a complex one.
std::vector<long double> real_elements(const TensorData& t);

/// A graph at another size: its values, or its inputs alone where an operator does not take extents that this size
/// gives it.
struct SizedGraph {
  RandomGraph graph;
  bool refused = false;
};
/// The graph with the open extent of its inputs brought to `size`, their elements repeated or left out, and what the
/// oracle makes of them; nothing where it does not say.
std::optional<SizedGraph> at_size(const OpLibrary& defs, const RandomGraph& graph, int64_t size);

}  // namespace tenon_test
