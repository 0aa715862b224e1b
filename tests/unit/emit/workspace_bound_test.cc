// Maximum sizes of workspaces from the ranges of a kernel's sizes.
#include "ir/nest/workspace_bound.h"

#include "catch.h"

namespace tenon::workspace_bound_test {
namespace {

/// Bytes of a workspace of so many elements of i8 where N is from 2 to 9.
std::optional<int64_t> bytes(const Operand& elements) {
  auto kernel = std::make_shared<Kernel>();
  kernel->sizes = {{"N", 2, 9}};
  LoopNest nest;
  nest.kernel = kernel;
  nest.buffers = {{"w", DType::I8, Storage::Workspace, -1, elements, true}};
  return maximum_workspace_bytes(nest);
}

Operand times64(const Operand& v) { return v_apply(ScalarOp::Mul, {v, v_int(64)}); }

}  // namespace

TEST_CASE("the bound of a workspace is that of the formula of its elements") {
  const Operand n = v_size("N");
  CHECK(bytes(times64(n)) == 9 * 64);
  CHECK(bytes(times64(v_apply(ScalarOp::Sub, {v_int(10), n}))) == 8 * 64);
  CHECK(bytes(times64(v_apply(ScalarOp::Neg, {v_apply(ScalarOp::Sub, {v_int(0), n})}))) == 9 * 64);
  CHECK(bytes(times64(v_apply(ScalarOp::FloorDiv, {n, v_int(2)}))) == 4 * 64);
}

TEST_CASE("quotients round down on both sides of zero") {
  const Operand below =
      v_apply(ScalarOp::FloorDiv, {v_apply(ScalarOp::Sub, {v_size("N"), v_int(10)}), v_int(3)});  // from -3 to -1
  CHECK(bytes(times64(v_apply(ScalarOp::Neg, {below}))) == 3 * 64);
}

TEST_CASE("a size without an end has no bound") { CHECK(!bytes(v_size("M"))); }

TEST_CASE("the bound of iterations follows the lets before the loop") {
  auto kernel = std::make_shared<Kernel>();
  kernel->sizes = {{"N", 2, 9}};
  LoopNest nest;
  nest.kernel = kernel;
  SFor loop;
  loop.end = v_apply(ScalarOp::FloorDiv, {v_apply(ScalarOp::Add, {v_var("rows"), v_int(3)}), v_int(4)});
  nest.body = {s_let("rows", v_apply(ScalarOp::Mul, {v_int(20), v_size("N")})), {loop}};
  CHECK(maximum_iterations(nest) == 45);
  std::get<SFor>(nest.body[1].node).end = v_size("M");
  CHECK(!maximum_iterations(nest));
}

}  // namespace tenon::workspace_bound_test
