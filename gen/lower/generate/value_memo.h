// The operands of expressions generated so far, in nested blocks: values computed in a block are unknown after it.
#pragma once

#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/kernel/expr.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

/// Values of one expression for the iterations at hand: a single scalar that holds for all of them, or one operand a
/// part.
using Bundle = std::vector<Operand>;

/// By node and part of the iterations. It owns the nodes, so that the address of a temporary expression is not reused
/// by another one.
class ValueMemo {
 public:
  static constexpr int kAllParts = -1;  ///< in place of a part: the value of all of them

  void enter() { scopes_.push_back({{}, true}); }
  void leave() { scopes_.pop_back(); }
  /// Forgets all values, to the end of the current block.
  void clear() { scopes_.back() = {{}, false}; }

  /// Null if there is none. Valid until the next change.
  const Bundle* find(const Expr& e, int part) const {
    for (auto scope = scopes_.rbegin();; ++scope) {
      if (const auto at = scope->values.find({e.get(), part}); at != scope->values.end()) return &at->second.value;
      if (!scope->sees_outer) return nullptr;
    }
  }
  void put(const Expr& e, int part, Bundle value) { scopes_.back().values[{e.get(), part}] = {e, std::move(value)}; }

 private:
  using Key = std::pair<const ExprNode*, int>;
  struct HashKey {
    size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.first) + static_cast<size_t>(key.second);
    }
  };
  struct Entry {
    Expr owner;
    Bundle value;
  };
  struct Scope {
    std::unordered_map<Key, Entry, HashKey> values;
    bool sees_outer = false;
  };

  std::vector<Scope> scopes_{1};
};

}  // namespace tenon
