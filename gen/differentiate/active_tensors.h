// Which tensors of a kernel have gradients.
#pragma once

#include <set>
#include <vector>

#include "ir/kernel/kernel.h"

namespace tenon {

/// The type in which gradients of values of this type are computed.
inline DType compute_of(DType d) { return dtype_row(d).compute; }
inline bool has_derivative(DType d) { return is_float(compute_of(d)) || is_complex(d); }

/// Those that depend on tensors whose gradients are asked for.
class ActiveTensors {
 public:
  explicit ActiveTensors(const Kernel& kernel) : k_(kernel) {}

  void find(const std::vector<int>& wrt) {
    active_ = {wrt.begin(), wrt.end()};
    // A joined statement may depend on a later one.
    for (size_t before = 0; before < active_.size();) {
      before = active_.size();
      for (const KernelStatement& s : k_.body)
        if (depends(s.value)) active_.insert(s.target);
    }
  }

  bool has(int tensor) const { return active_.contains(tensor) && has_derivative(k_.tensor(tensor).dtype); }

  bool depends(const Expr& e) const {
    return any_read(e, [&](const Read& r) { return has(r.tensor); });
  }

 private:
  const Kernel& k_;
  std::set<int> active_;
};

}  // namespace tenon
