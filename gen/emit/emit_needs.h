// What a file must contain besides its kernels: vector types, and small functions that kernels call. Collected while
// kernels are emitted.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/nest/c_ast.h"

namespace tenon {

/// Typedefs come out sorted; functions in an order in which each one is after those that it calls. Both only
/// depend on what has been emitted in which order, so that a file has the same bytes on every run.
class EmitNeeds {
 public:
  bool has(std::string_view name) const { return names_.count(std::string(name)) != 0; }
  bool has_type(const std::string& name) const { return types_.count(name) != 0; }
  /// Remembers a typedef line under its name.
  void add_type(std::string name, std::string line) { types_.emplace(std::move(name), std::move(line)); }
  /// Remembers a function after those that were added before; a second one of the same name is the same one.
  void add_function(CFunction function) {
    if (names_.insert(function.name).second) functions_.push_back(std::move(function));
  }
  /// Everything that another file needs too, for files that are put together.
  void merge(const EmitNeeds& other) {
    types_.insert(other.types_.begin(), other.types_.end());
    for (const CFunction& f : other.functions_) add_function(f);
  }
  /// The typedefs as one text (empty without any), and the functions.
  const std::map<std::string, std::string>& types() const { return types_; }
  const std::vector<CFunction>& functions() const { return functions_; }
  /// Null if there is none.
  const CFunction* function(std::string_view name) const {
    for (const CFunction& f : functions_)
      if (f.name == name) return &f;
    return nullptr;
  }

 private:
  std::map<std::string, std::string> types_;
  std::unordered_set<std::string> names_;
  std::vector<CFunction> functions_;
};

/// Small functions that were made already, by name, each with all that it calls: many kernels need the same ones. Names
/// identify prefix and level, so that one cache may serve kernels that are printed in parallel.
class PieceCache {
 public:
  /// Null if there is none yet.
  std::shared_ptr<const EmitNeeds> find(const std::string& name) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = made_.find(name);
    return at == made_.end() ? nullptr : at->second;
  }
  void put(const std::string& name, std::shared_ptr<const EmitNeeds> piece) {
    const std::lock_guard<std::mutex> lock(mutex_);
    made_.emplace(name, std::move(piece));
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const EmitNeeds>> made_;
};

}  // namespace tenon
