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
    for (const Size& s : kernel.sizes) used_.insert(s.name);
    for (const Attr& a : kernel.attrs) used_.insert(a.name);
    for (const Tensor& t : kernel.tensors) used_.insert(t.name);
    for (const KernelStatement& s : kernel.body) {
      note(s.loops);
      for (const Expr& e : s.index) note(e);
      note(s.value);
      note(s.where);
    }
    for (const Check& c : kernel.checks) {
      note(c.loops);
      note(c.holds);
    }
  }

  /// `base`, or with a number after it where there is one already.
  std::string operator()(const std::string& base) {
    const std::string name = unused(base);
    used_.insert(name);
    return name;
  }
  /// The same, of which the next call knows nothing: for what has one name wherever it is.
  std::string unused(const std::string& base) const {
    std::string name = base;
    for (int i = 2; used_.contains(name); ++i) name = fmt::format("{}_{}", base, i);
    return name;
  }

 private:
  void note(const std::vector<LoopVar>& vars) {
    for (const LoopVar& v : vars) used_.insert(v.name);
  }
  void note(const Expr& e) {
    if (e) each_node<Reduce>(e, [&](const Reduce& r) { note(r.vars); });
  }

  std::set<std::string> used_;
};

}  // namespace tenon
