// Tensors of a kernel whose elements are known when the code is generated.
#include <fmt/format.h>

#include <algorithm>

#include "library/table_data.h"

namespace tenon {

std::string unused_tensor_name(const Kernel& kernel, const std::string& name) {
  std::string out = name;
  const auto taken = [&](const Tensor& t) { return t.name == out; };
  for (int i = 1; std::any_of(kernel.tensors.begin(), kernel.tensors.end(), taken); ++i)
    out = fmt::format("{}_{}", name, i);
  return out;
}

int constant_tensor(Kernel& kernel, const std::string& name, const std::shared_ptr<const TensorData>& data) {
  for (size_t t = 0; t < kernel.tensors.size(); ++t)
    if (kernel.tensors[t].data && *kernel.tensors[t].data == *data) return static_cast<int>(t);
  Tensor made{unused_tensor_name(kernel, name), Role::Constant, data->dtype, {}, {}};
  for (const int64_t n : data->dims) made.dims.push_back(constant_int(n));
  made.strides = contiguous_strides(made.dims);
  made.data = data;
  kernel.tensors.push_back(std::move(made));
  return static_cast<int>(kernel.tensors.size()) - 1;
}

}  // namespace tenon
