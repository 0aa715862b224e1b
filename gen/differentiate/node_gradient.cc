// The gradient of an operator of a graph.
#include "differentiate/node_gradient.h"

#include <fmt/format.h>

#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

int position(const Kernel& k, const std::string& name, Role role) {
  const auto at = find_if(k.tensors, [&](const Tensor& t) { return t.role == role && t.name == name; });
  TENON_CHECK(at != k.tensors.end(), "{} has no {}", k.name, name);
  return static_cast<int>(at - k.tensors.begin());
}

void add_cotangent(Kernel& k, const std::string& output, const std::string& name, GradientRequest& request) {
  const int y = position(k, output, Role::Output);
  Tensor t = k.tensor(y);
  t.name = name;
  t.role = Role::Input;
  request.cotangents.emplace_back(y, static_cast<int>(k.tensors.size()));
  k.tensors.push_back(std::move(t));
}

}  // namespace

std::string gradient_of(const Kernel& forward, const std::string& name) {
  std::set<std::string> taken;
  for (const Tensor& t : forward.tensors) taken.insert(t.name);
  const std::string plain = "d" + name;
  std::string out = plain;
  for (int n = 2; taken.contains(out); ++n) out = fmt::format("{}_{}", plain, n);
  return out;
}

GradientKernel node_gradient(const Kernel& forward, const std::string& wrt, const std::set<std::string>& cotangents,
                             const DerivativeTable& rows, bool keeps_marks) {
  Kernel k = forward;
  k.name += "_grad_d" + wrt;
  k.op = k.name;
  GradientRequest request;
  request.keeps_marks = keeps_marks;
  for (const std::string& output : cotangents) add_cotangent(k, output, gradient_of(forward, output), request);
  WantedGradient wanted{position(k, wrt, Role::Input), static_cast<int>(k.tensors.size()), {}};
  Tensor result = k.tensor(wanted.wrt);
  result.name = gradient_of(forward, wrt);
  result.role = Role::Output;
  wanted.repeats.assign(result.dims.size(), nullptr);
  for (size_t d = 0; d < result.dims.size(); ++d)
    if (is_zero(result.strides[d]) && !is_one(result.dims[d])) {
      wanted.repeats[d] = result.dims[d];
      result.dims[d] = constant_int(1);
    }
  request.wanted.push_back(std::move(wanted));
  k.tensors.push_back(std::move(result));
  return gradient_kernel(k, request, rows);
}

}  // namespace tenon
