// Limits of errors: a rounding for each term of the longest reduction, in the coarsest type that a result goes through.
#include <algorithm>

#include "command/try_case.h"

namespace tenon {
namespace {

class Limits {
 public:
  explicit Limits(const Kernel& k) : coarse_(k.tensors.size()) { see(k); }

  double of(size_t tensor, DType dtype) const {
    const DType d = real_of(dtype);
    if (is_integral(d)) return 0;
    const double store = d == DType::F16 ? 0x1p-10 : d == DType::BF16 ? 0x1p-7 : 0;
    const bool fine = d == DType::F64 && !coarse_[tensor];
    return store + (fine ? 0x1p-52 : 0x1p-23) * (16 + terms_);
  }

 private:
  void see(const Kernel& k) {
    for (const Kernel& part : k.parts) see(part);
    for (const KernelStatement& s : k.body) {
      double elements = 1;  // a recurrence accumulates over all of its elements
      for (const LoopVar& v : s.loops)
        if (v.direction != Direction::Any) elements *= extent_of(v);
      terms_ = std::max(terms_, elements);
      bool coarse = coarse_[static_cast<size_t>(s.target)];
      walk(s.value, [&](const Expr& e) {
        if (const auto* r = std::get_if<Reduce>(&e->node)) {
          double n = elements;
          for (const LoopVar& v : r->vars) n *= extent_of(v);
          terms_ = std::max(terms_, n);
        }
        const auto* r = std::get_if<Read>(&e->node);
        const bool computes = std::holds_alternative<Apply>(e->node) || std::holds_alternative<Reduce>(e->node);
        const DType d = real_of(e->type);
        coarse =
            coarse || (r && coarse_[static_cast<size_t>(r->tensor)]) || (computes && is_float(d) && d != DType::F64);
        return true;
      });
      coarse_[static_cast<size_t>(s.target)] = coarse;
    }
  }

  static double extent_of(const LoopVar& v) { return static_cast<double>(constant_value(v.extent).value_or(1)); }

  std::vector<bool> coarse_;  ///< of each tensor: whether something in it is rounded to f32 or less
  double terms_ = 1;          ///< how many elements the longest reduction combines
};

}  // namespace

std::vector<double> error_limits(const Kernel& k) {
  const Limits limits(k);
  std::vector<double> out;
  for (size_t i = 0; i < k.tensors.size(); ++i)
    if (k.tensors[i].role == Role::Output && k.tensors[i].extent.empty())
      out.push_back(limits.of(i, k.tensors[i].dtype));
  return out;
}

}  // namespace tenon
