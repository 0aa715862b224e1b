// Which statements in front of a parallel loop are a phase of their own, and which each worker carries out for itself.
#include "lower/parallel_phases.h"

#include "catch.h"

namespace tenon {
namespace {

constexpr int kIn = 0, kOut = 1, kCopy = 2, kTable = 3;

Operand load(int buffer, const Operand& at) { return v_load(buffer, DType::F32, at); }

/// A loop that stores 0 to so many elements.
Stmt cleared(int buffer, int64_t elements) { return s_for("c", v_int(0), v_int(elements), 1, {s_store(buffer, v_var("c"), v_const(0, {DType::F32, 1, 0}))}); }

/// Y[i] = copy[1] + table[0], where each iteration stores copy[1] = A[i].
LoopNest nest_with(Block before) {
  Kernel k;
  k.name = "k";
  k.tensors = {Tensor{"A", Role::Input, DType::F32, {constant_int(8)}, {constant_int(1)}}, Tensor{"Y", Role::Output, DType::F32, {constant_int(8)}, {constant_int(1)}}};
  LoopNest nest;
  nest.name = "k_portable";
  nest.isa = "portable";
  nest.kernel = std::make_shared<const Kernel>(std::move(k));
  nest.buffers = {{"A", DType::F32, Storage::Tensor, 0, nullptr, false}, {"Y", DType::F32, Storage::Tensor, 1, nullptr, true},
                  {"copy", DType::F32, Storage::Workspace, -1, v_int(3), true}, {"table", DType::F32, Storage::Workspace, -1, v_int(2), true}};
  nest.body = std::move(before);
  const Operand i = v_var("i");
  nest.body.push_back(s_for("i", v_int(0), v_int(8), 1, {s_store(kCopy, v_int(1), load(kIn, i)), s_store(kOut, i, load(kCopy, v_int(1)) + load(kTable, v_int(0)))},
                            LoopKind::Parallel));
  REQUIRE(verify(nest).empty());
  return nest;
}

}  // namespace

TEST_CASE("what iterations store to as well is prepared by each worker") {
  const auto phases = parallel_phases(nest_with({cleared(kCopy, 3), s_store(kCopy, v_int(2), v_const(0, {DType::F32, 1, 0}))}));
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].parallel);
  CHECK(phases[0].nest.buffers[kCopy].per_worker);
  CHECK(phases[0].nest.body.size() == 3);
  CHECK(phases[0].iterations == 8);
}

TEST_CASE("what iterations only read is made once, for all workers") {
  const auto phases = parallel_phases(nest_with({cleared(kTable, 2), cleared(kCopy, 3)}));
  REQUIRE(phases.size() == 2);
  CHECK_FALSE(phases[0].parallel);
  CHECK(phases[0].nest.body.size() == 1);
  CHECK_FALSE(phases[1].nest.buffers[kTable].per_worker);
  CHECK(phases[1].nest.buffers[kCopy].per_worker);
  CHECK(phases[1].nest.body.size() == 2);
}

TEST_CASE("an output is nobody's own: it is cleared once") {
  const auto phases = parallel_phases(nest_with({cleared(kOut, 8), cleared(kCopy, 3)}));
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].nest.body.size() == 1);
  CHECK(phases[1].nest.body.size() == 2);
}

TEST_CASE("a buffer that a statement makes from others stays what all workers share") {
  const auto phases = parallel_phases(nest_with({cleared(kTable, 2), s_store(kCopy, v_int(0), load(kTable, v_int(1)))}));
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].nest.body.size() == 2);
  CHECK_FALSE(phases[1].nest.buffers[kCopy].per_worker);
}

}  // namespace tenon
