// Where temps live: in scalars where every read sees the value just written, else in the workspace with the dimensions
// that matter.
#pragma once

#include <set>
#include <string>

#include "lower/tree/loop_tree.h"

namespace tenon {

/// Storage of one tensor in a loop tree.
struct TempPlace {
  bool stored = true;         ///< false: every read is forwarded from the value itself
  bool forwarded = false;     ///< some read is
  std::vector<Expr> dims;     ///< extents kept; 1 for a dimension that a common loop walks
  std::vector<Expr> strides;  ///< 0 for those
  /// Per dimension, if not empty: more than 1 where an element is kept at its index modulo that power of two.
  std::vector<int64_t> turns = {};
};

/// One entry a tensor of the kernel; tensors that are no temps keep their own strides.
std::vector<TempPlace> place_temps(const Kernel&, const LoopTree&);

/// Facts about temporaries that do not depend on which loops become vector loops: these are chosen one by one, and
/// analysing the whole tree for each would dominate the cost.
struct TempUses {
  std::vector<TempPlace> places;                    ///< of temps without strides, and all extents
  std::vector<std::vector<std::string>> walked_by;  ///< per temp and dimension: the one loop that walks it, or ""
  std::set<std::string> vectors;                    ///< the variables of vector loops
  bool carried = false;                             ///< some temp is kept for a recurrence: ask place_temps(tree)

  bool walked(const std::string& loop) const;
};
TempUses uses_of_temps(const Kernel&, const LoopTree&);
std::vector<TempPlace> place_temps(const TempUses&, const std::set<std::string>& vectors);

/// Values that were just written, by tensor and index, in nested scopes. T is what a value is for the user.
template <class T>
class Forwarding {
 public:
  void enter() { scopes_.emplace_back(); }
  void leave() { scopes_.pop_back(); }
  void write(int tensor, const std::vector<Expr>& index, T value) {
    scopes_.back()[tensor] = {index, std::move(value)};
  }
  /// Nothing is known of the tensor any more, here and in the blocks around.
  void forget(int tensor) {
    for (auto& scope : scopes_) scope.erase(tensor);
  }
  /// The value of tensor[index]; null when it may be another element.
  const T* find(int tensor, const std::vector<Expr>& index) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto it = scope->find(tensor);
      if (it == scope->end()) continue;
      if (it->second.index.size() != index.size()) return nullptr;
      for (size_t d = 0; d < index.size(); ++d)
        if (!same(it->second.index[d], index[d])) return nullptr;
      return &it->second.value;
    }
    return nullptr;
  }

 private:
  struct Entry {
    std::vector<Expr> index;
    T value;
  };
  std::vector<std::map<int, Entry>> scopes_{1};
};

/// A loop around the definition of a temp.
struct SurroundingLoop {
  LoopVar var;
  bool carried = false;
  bool vector = false;
};

/// Every access to a temp, and the position of its one definition.
struct TempAccesses {
  std::vector<const std::vector<Expr>*> indices;  ///< in the tree, which outlives this
  const std::vector<Expr>* definition = nullptr;  ///< null where there are several, at different indices
  std::vector<SurroundingLoop> around;            ///< the definition, outermost first
  bool in_place = false;                          ///< the definition takes the place of that of the step before
};

/// Per dim: so many elements are kept, each at its index modulo that number; 0: all are.
std::vector<int64_t> kept_elements(size_t rank, const TempAccesses& accesses);

}  // namespace tenon
