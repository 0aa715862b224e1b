// The Graph: operators of the library over tensors, whatever file it was read from.
//
//   graph  := 'graph' name '{' { size | value | node | region } 'outputs' name, … { state } '}'
//   region := loop or branch '{' { line of the region | node | region } '}'
//   size   := 'size' name '=' lo '..' hi
//   value  := ('input' | 'constant' | 'parameter') name ':' dtype '[' extent, … ']'
//   state  := 'state' input '=' output [', gradient' output]
//   node   := name ':' dtype '[' extent, … ']', … '=' op '(' [name | '_'], …, attribute '=' value, … ')'   '#' origin
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "ir/graph/region.h"
#include "ir/graph/size_expr.h"
#include "ir/number/dtype.h"
#include "ir/number/tensor_data.h"

namespace tenon {

/// A tensor of the graph. A value is a graph input, a constant (`constant` is set), an output of exactly one node, or
/// made by a region (by two where these are the branches of one condition).
struct Value {
  std::string name;      // a C identifier, unique in the graph
  std::string original;  // the name that the file has
  DType dtype = DType::F32;
  std::vector<SizeExpr> dims;
  std::shared_ptr<const TensorData> constant;  // shared and immutable: every rewrite copies graphs
  bool trainable = false;  // a parameter that training updates (`grad: true`); keeps its initial contents in `constant`
};

/// The value of an attribute. Integers and extents are SizeExpr only if they depend on run-time sizes, so a reader that
/// supports only fixed shapes needs only the plain alternatives.
using AttrValue = std::variant<bool, int64_t, double, std::string, DType, SizeExpr, std::vector<int64_t>,
                               std::vector<double>, std::vector<SizeExpr>, std::vector<std::string>>;
using Attributes = std::map<std::string, AttrValue>;

struct GradientOf;

/// One operator. Its attributes also name the run-time sizes that stand for extents which it writes. `inputs` are in
/// the definition's order; optional ones at the end may be left out, others are kNoValue.
struct Node {
  std::string name;  // a C identifier, unique among the nodes
  std::string op;    // name of the definition
  std::vector<ValueId> inputs;
  Attributes attrs;
  std::vector<ValueId> outputs;
  std::string origin;           // its name in diagnostics: "node 12 'conv3' (Conv)" or "net.yaml:14:7"
  RegionId region = kTopLevel;  // the innermost one that it is in
  std::shared_ptr<const GradientOf> gradient = nullptr;  // the computation if it is not an op of the library
};

/// The gradient of an operator with respect to one of its inputs. The node that computes it has the gradients of the
/// outputs `cotangents` as inputs, then the inputs of `of`: kNoValue for what it does not read.
struct GradientOf {
  struct Input {
    DType dtype = DType::F32;
    std::vector<SizeExpr> dims;
  };
  Node of;                                   // without inputs and outputs
  std::vector<std::optional<Input>> inputs;  // of `of`; nothing for absent ones
  std::vector<size_t> cotangents;            // positions among its outputs
  size_t wrt = 0;                            // position among its inputs
};

/// The op of a node that asks for gradients: of its first input, with respect to each of the others. The stage
/// `backward` puts operators in its place.
inline constexpr const char* kGradientOp = "grad";

/// A run-time size and the range that memory is planned for.
struct GraphSize {
  std::string name;
  int64_t lo = 0;
  int64_t hi = 0;
  bool written = false;  // depends on data: an operator writes it, the caller does not give it
  bool operator==(const GraphSize&) const = default;
};

/// Memory that the program keeps from one call to the next: an input, and an output of the same type, of fixed extents,
/// that replaces it at the end of the call.
struct StatePair {
  ValueId input = kNoValue;
  ValueId next = kNoValue;
  std::shared_ptr<const TensorData> initial;  // before the first call; null: zeros
  ValueId gradient = kNoValue;                // the output with the gradient, where the state is a trained parameter
  bool parameter = false;                     // part of the trained network, not of the optimizer
};

/// A whole model. Nodes are in an order in which every value is made before it is read. The nodes of a region, inner
/// regions included, are adjacent, and there is at least one; a region reads and makes its values at their position.
struct Graph {
  std::string name;
  std::string doc;
  std::vector<GraphSize> sizes;     // in order of appearance
  std::vector<EqualExtents> equal;  // at every call, as soon as both are known; each once, in either order of the sides
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<StatePair> state;  // an input or output is in one pair at most
  std::vector<Region> regions;
  std::vector<std::string> files;  // paths of the files that hold constants, besides the one that holds the graph

  const Value& value(ValueId id) const { return values[static_cast<size_t>(id)]; }
  Value& value(ValueId id) { return values[static_cast<size_t>(id)]; }
  const Region& region(RegionId id) const { return regions[static_cast<size_t>(id)]; }
  Region& region(RegionId id) { return regions[static_cast<size_t>(id)]; }
};

/// The run-time sizes, then the counters of all loops with the ranges that they have: what extents and attributes may
/// name.
std::vector<GraphSize> all_sizes(const Graph& graph);

/// Removes the sizes of these names, and the equalities that mention them.
void drop_sizes(Graph& graph, const std::set<std::string>& names);

/// Adds the pair unless it is already present.
void add_equal(std::vector<EqualExtents>& all, const EqualExtents& two);

/// The graph's text form, one line a size, input, constant and node.
std::string to_text(const Graph& graph);
/// Dtype and extents of a value: "f32[N, 64]".
std::string type_text(const Value& v);
/// An attribute's value as it is in the text form.
std::string to_text(const AttrValue& value);
/// Errors in the graph, one a line; empty for a valid one. Checks ids, order, names, single definition
/// of each value, that sizes are declared, that constants have as many bytes as their extents say, and that values of a
/// region are read in it alone.
std::vector<std::string> verify(const Graph& graph);

}  // namespace tenon
