// Names of C variables: readable, and never one that is visible already.
#pragma once

#include <string>
#include <unordered_set>

namespace tenon {

/// Names in use, counted by the scopes that hold them.
class NamesInScope {
 public:
  /// `base`, or with the first number after it that makes it new; in use until released.
  std::string take(const std::string& base) {
    std::string name = base;
    for (int n = 2; used_.count(name) != 0; ++n) name = base + std::to_string(n);
    used_.insert(name);
    return name;
  }
  void release(const std::string& name) { used_.erase(name); }

 private:
  std::unordered_set<std::string> used_;
};

}  // namespace tenon
