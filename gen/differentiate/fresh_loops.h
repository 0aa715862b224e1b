// Loops of the gradient of a recurrence.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "algebra/fresh_names.h"

namespace tenon {

/// The loops in any order, as a sum over their variables takes them.
inline std::vector<LoopVar> undirected(std::vector<LoopVar> loops) {
  for (LoopVar& v : loops) v.direction = Direction::Any;
  return loops;
}

/// Names for the loops of joined statements: what they share, their gradients share.
class FreshLoops {
 public:
  explicit FreshLoops(FreshNames& names) : names_(names) {}

  /// The same loops in the other direction.
  std::vector<LoopVar> reversed(std::vector<LoopVar> loops) {
    for (LoopVar& v : loops) {
      v.name = of(v.name);
      if (v.direction != Direction::Any) v.direction = v.direction == Direction::Up ? Direction::Down : Direction::Up;
    }
    return loops;
  }
  /// By the dims of the statement's result; fewer where the index of a dim is no variable.
  std::vector<LoopVar> of_dims(const KernelStatement& s) {
    std::vector<LoopVar> out;
    for (const Expr& e : s.index)
      for (const LoopVar& v : s.loops)
        if (const auto* r = std::get_if<VarRef>(&e->node); r && r->name == v.name)
          out.push_back({of(v.name), v.extent});
    return out;
  }

 private:
  std::string of(const std::string& name) {
    const auto known = to_.find(name);
    return known == to_.end() ? to_[name] = names_(name) : known->second;
  }

  FreshNames& names_;
  std::map<std::string, std::string> to_;
};

}  // namespace tenon
