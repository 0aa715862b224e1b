// Elementwise kernels as one loop: what is flattened, and what stays as it is.

#include "catch.h"
#include "schedule/fused_kernel.h"

namespace flatten_elements_test {

using namespace tenon;

namespace {

Tensor tensor(const std::string& name, Role role, std::vector<Expr> dims) {
  Tensor t{name, role, DType::F32, std::move(dims), {}};
  t.strides = contiguous_strides(t.dims);
  return t;
}

Expr element(int tensor, std::vector<Expr> index) { return read_of(tensor, DType::F32, std::move(index)); }

/// Y[i, j] = X[i, j] + R[] over 16 x 9 elements.
Kernel sum() {
  const Expr i = var_ref("i"), j = var_ref("j");
  const std::vector<Expr> dims = {constant_int(16), constant_int(9)};
  Kernel k;
  k.name = "sum";
  k.tensors = {tensor("X", Role::Input, dims), tensor("R", Role::Input, {}), tensor("Y", Role::Output, dims)};
  KernelStatement s;
  s.target = 2;
  s.index = {i, j};
  s.loops = {{"i", dims[0]}, {"j", dims[1]}};
  s.value = element(0, {i, j}) + element(1, {});
  k.body = {s};
  return k;
}

}  // namespace

TEST_CASE("schedule: an elementwise kernel becomes one loop") {
  const Kernel k = with_flat_elements(sum());
  CHECK(verify(k).empty());
  REQUIRE(k.body[0].loops.size() == 1);
  CHECK(constant_value(k.body[0].loops[0].extent) == 144);
  CHECK(k.tensors[0].dims.size() == 1);
  CHECK(k.tensors[1].dims.empty());
}

TEST_CASE("schedule: a kernel that reads elsewhere, or another shape, keeps its axes") {
  Kernel k = sum();
  k.body[0].value = element(0, {var_ref("i"), constant_int(8) - var_ref("j")});
  CHECK(with_flat_elements(k).body[0].loops.size() == 2);
  k = sum();
  k.tensors[0] = tensor("X", Role::Input, {constant_int(16), constant_int(10)});
  CHECK(with_flat_elements(k).body[0].loops.size() == 2);
  k = sum();
  k.tensors[0].strides = {constant_int(1), constant_int(16)};
  CHECK(with_flat_elements(k).body[0].loops.size() == 2);
  k = sum();
  k.tensors[0].dims[0] = k.tensors[2].dims[0] = k.body[0].loops[0].extent = size_ref("N");
  k.sizes = {{"N"}};
  CHECK(with_flat_elements(k).body[0].loops.size() == 2);
}

}  // namespace flatten_elements_test
