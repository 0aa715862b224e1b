// Parts of making a graph of gradients.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "differentiate/backward_graph.h"
#include "ir/graph/graph.h"

namespace tenon {

/// Per value: whether it is floating and depends on one of `from` through floating values, by nodes before `end`.
std::vector<bool> active_values(const Graph& graph, const std::vector<ValueId>& from, size_t end);

/// Thrown where an operator's gradient cannot be made.
struct NoGradient {
  std::string where, why;
};

/// A region and the nodes that it has.
struct RegionPart {
  RegionId region = kTopLevel;
  std::vector<Node> nodes;
};
/// The region within `outside` that ends before `end`; `end` is set to its beginning.
RegionPart take_part(const Graph& graph, const std::vector<Node>& nodes, size_t& end, RegionId outside);

/// How a gradient is computed in an iteration of the loop of gradients `loop`.
struct IterationGradient {
  RegionId loop = kTopLevel;
  std::vector<bool> inside;  ///< per operand: made in the forward loop
  const GradientOutline& outline;
};
/// The node of the gradient, without inputs and outputs, that reads the rows of all iterations where `part` reads those
/// of one: the sum of what `part` makes in all of them. Nothing where it would be another value.
std::optional<Node> of_all_iterations(const Graph& graph, const Node& part, const IterationGradient& one,
                                      const OutlineGradient& outline);

/// Whether only iterations that run read what a loop makes for all of them.
bool is_partial(const Graph& graph, ValueId v);

/// Refuses what would be written twice where a branch is copied, and numbers of iterations of loops whose copies count
/// by other names. Throws NoGradient.
void refuse_in_branch(const Graph& graph, const Node& node, RegionId branch);

/// Whether an attribute has the size in it.
bool names_size(const AttrValue& attribute, const std::string& name);

/// The node with `from_end` in place of the loop's number of the iteration, in a gradient also in the operator that it
/// is of. Throws NoGradient for loops that data end.
void count_back(Node& node, const Region& loop, const SizeExpr& from_end);

/// Throws NoGradient where an operand or a result has an extent with the loop's counter in it: gradients have the
/// extents of their values, and a value of all iterations has one shape.
void refuse_extents_of(const Graph& graph, const Node& node, const std::string& counter);

/// A new rank-0 i64 value of a region.
using FreshNumber = std::function<ValueId(const std::string& name, RegionId home)>;

/// What counts the iterations of a loop: a value outside of it, and nodes in front of the loop and inside of it.
struct IterationCount {
  ValueId iterations = kNoValue;
  std::vector<Node> in_front;
  Node inside;
};

/// Whether only data know how many iterations of the loop run. Where it writes results that have an element for each
/// possible iteration, all of them run, or the call is refused.
bool is_cut_short(const Region& loop);

/// Makes such a loop carry the number of its iterations. `place_count` puts the nodes where they belong.
IterationCount count_iterations(Graph& graph, RegionId loop, const FreshNumber& fresh);
void place_count(Graph& graph, RegionId loop, const IterationCount& count);

/// Where the copy's values and names come from.
struct RegionCopySource {
  std::function<ValueId(ValueId of, RegionId home)> fresh;  ///< a value like another one
  std::function<ValueId(ValueId)> outside;                  ///< what stands for a value that the region only reads
  std::function<std::string(const Node&)> node_name;
  std::function<std::string(const std::string&)> counter_name;
};

struct RegionCopy {
  RegionId region = kTopLevel;
  std::vector<Node> nodes;
  std::map<ValueId, ValueId> values;  ///< made inside → its copy
};

/// Copies the nodes, which are those of the region and of regions in it, and these regions, to be a part of `parent`.
/// The copy has no results.
RegionCopy copy_region(Graph& graph, const std::vector<Node>& nodes, RegionId region, RegionId parent,
                       const RegionCopySource& source);

}  // namespace tenon
