// Names of variables that nothing in a kernel has yet.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>

#include "ir/kernel/kernel.h"

namespace tenon {

class FreshNames {
 public:
  explicit FreshNames(const Kernel& kernel) {
    const auto note = [&](const Expr& e) {
      each_node<Reduce>(e, [&](const Reduce& r) {
        for (const LoopVar& v : r.vars) used_.insert(v.name);
      });
    };
    for (const Size& s : kernel.sizes) used_.insert(s.name);
    for (const Tensor& t : kernel.tensors) used_.insert(t.name);
    for (const KernelStatement& s : kernel.body) {
      for (const LoopVar& v : s.loops) used_.insert(v.name);
      note(s.value);
    }
  }

  /// `base`, or with a number after it where there is one already.
  std::string operator()(const std::string& base) {
    std::string name = base;
    for (int i = 2; !used_.insert(name).second; ++i) name = fmt::format("{}_{}", base, i);
    return name;
  }

 private:
  std::set<std::string> used_;
};

}  // namespace tenon
