// Adding temps to a kernel.
#include "lower/kernel/add_temp.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon {

int add_temp(Kernel& k, const std::string& base, DType type, const std::vector<Expr>& dims) {
  std::string name = base;
  const auto taken = [&] {
    return std::any_of(k.tensors.begin(), k.tensors.end(), [&](const Tensor& t) { return t.name == name; });
  };
  for (int n = 2; taken(); ++n) name = fmt::format("{}{}", base, n);
  k.tensors.push_back({name, Role::Temp, type, dims, contiguous_strides(dims)});
  return static_cast<int>(k.tensors.size()) - 1;
}

}  // namespace tenon
