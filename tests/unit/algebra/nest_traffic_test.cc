// Bytes that nests move: loads and stores times the iterations around them.
#include "algebra/nest_survey.h"
#include "catch.h"

namespace nest_traffic_test {

using namespace tenon;

namespace {

/// Tensors X and Y of f32, a workspace of i8; N is 0..10.
LoopNest nest_of(Block body) {
  auto kernel = std::make_shared<Kernel>();
  Size n;
  n.name = "N";
  n.hi = 10;
  kernel->sizes = {n};
  LoopNest nest;
  nest.kernel = kernel;
  nest.buffers = {{"X", DType::F32, Storage::Tensor, 0, nullptr, false, false},
                  {"Y", DType::F32, Storage::Tensor, 1, nullptr, true, false},
                  {"work", DType::I8, Storage::Workspace, -1, v_int(64), true, false}};
  nest.body = std::move(body);
  return nest;
}

Stmt copy(int to, int from, const Operand& at) { return s_store(to, at, v_load(from, DType::F32, at)); }

}  // namespace

TEST_CASE("traffic: each iteration loads and stores") {
  const Operand i = v_var("i"), j = v_var("j");
  CHECK(bytes_moved(nest_of({s_for("i", v_int(0), v_size("N"), 1, {copy(1, 0, i)})})) ==
        std::vector<double>{40, 40, 0});
  // Half a square: the inner loop as it is in the middle of the outer one.
  CHECK(bytes_moved(nest_of({s_for("i", v_int(0), v_size("N"), 1, {s_for("j", v_int(0), i, 1, {copy(1, 0, j)})})})) ==
        std::vector<double>{200, 200, 0});
  // A value that a loop keeps is loaded once.
  CHECK(bytes_moved(nest_of({s_let("x", v_load(0, DType::F32, v_int(0))),
                             s_for("i", v_int(0), v_int(6), 1, {s_store(1, i, v_var("x", {DType::F32}))})})) ==
        std::vector<double>{4, 24, 0});
}

TEST_CASE("traffic: vectors move all of their lanes") {
  const Operand i = v_var("i");
  CHECK(bytes_moved(nest_of({s_for("i", v_int(0), v_int(60), 8, {s_store(2, i, v_load(2, DType::I8, i, 8))})})) ==
        std::vector<double>{0, 0, 128});
}

TEST_CASE("traffic: one of two branches is half of each, and calls count for the buffers that they are given") {
  const Operand i = v_var("i");
  CHECK(
      bytes_moved(nest_of({s_if(v_size("N"), {copy(1, 0, v_int(0))}, {copy(0, 1, v_int(0)), copy(0, 1, v_int(1))})})) ==
      std::vector<double>{2 + 4, 2 + 4, 0});
  CHECK(bytes_moved(nest_of({s_if(v_size("N"), {copy(1, 0, v_int(0))})})) == std::vector<double>{4, 4, 0});
  LoopNest nest = nest_of({s_for("i", v_int(0), v_int(3), 1, {Stmt{SCall{0, {{1, i}, {0, i}}, {v_int(5)}}}})});
  InnerFunction f;
  f.params = {"n"};
  f.buffers = {nest.buffers[1], nest.buffers[0]};
  f.body = {s_for("k", v_int(0), v_var("n"), 1, {s_store(0, v_var("k"), v_load(1, DType::F32, v_int(0)))}),
            copy(0, 1, v_int(0))};
  nest.functions = {f};
  CHECK(bytes_moved(nest) == std::vector<double>{72, 72, 0});
}

}  // namespace nest_traffic_test
