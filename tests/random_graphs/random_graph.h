// A graph of random operators whose values are known: what is written as YAML, generated, run and compared.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/number/tensor_data.h"

namespace tenon_test {

using namespace tenon;

/// Where a value comes from; parameters are constants in files next to the graph.
enum class From : uint8_t { Input, Parameter, Node };

struct RandomValue {
  std::string name;
  From from = From::Node;
  TensorData data;  ///< what the oracle says
};

struct RandomNode {
  std::string op;
  std::vector<int> inputs;  ///< values in the definition's order; -1 absent
  Attributes attrs;
  std::vector<int> outputs;
};

/// Nodes are in an order in which every value is made before it is read.
struct RandomGraph {
  std::vector<RandomValue> values;
  std::vector<RandomNode> nodes;
  std::vector<int> outputs;
  int64_t open = 0;  ///< inputs have the size N in the place of this extent; 0: of none
  int64_t size = 0;  ///< N of the values here
};

/// N is one of 1 … this.
int64_t maximum_size(const RandomGraph& graph);

/// The graph in YAML; parameters are read from NAME.npy next to it.
std::string yaml_text(const RandomGraph& graph);

/// Writes graph.yaml and the parameters' files.
void write_graph(const RandomGraph& graph, const std::filesystem::path& folder);

/// The values of one origin, in the order in which the graph declares them.
std::vector<int> values_from(const RandomGraph& graph, From from);

/// The same graph without nodes, inputs and parameters that no output needs.
RandomGraph without_unread(const RandomGraph& graph);

}  // namespace tenon_test
