// The last step of reading a graph: everything gets a unique C identifier.
#pragma once

#include <map>
#include <set>
#include <string>

#include "ir/graph/graph.h"

namespace tenon {

/// Identifiers of one scope.
class CNames {
 public:
  void take(const std::string& name) { taken_.insert(name); }
  /// `original` made an identifier of C that is not a keyword and not taken yet.
  std::string fresh(const std::string& original);

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> last_;  ///< the number that was last added to a name: thousands of nodes may share one
};

/// The graph with names made from `Value::original` (inputs and outputs first, so that they keep theirs) and from node
/// origins.
Graph name_graph(Graph graph);

}  // namespace tenon
