// Buffers of loops: where carried values and slices lie, and what is copied.
#include "catch.h"
#include "schedule/plan_passes.h"

namespace assign_buffers_test {

using namespace tenon;

namespace {

Value value(const std::string& name, std::vector<SizeExpr> dims) {
  Value v;
  v.name = name;
  v.dims = std::move(dims);
  return v;
}

FusedKernel kernel(const std::string& name, const std::vector<ValueId>& reads, ValueId makes) {
  FusedKernel k;
  k.kernel.fused = {name};
  k.region = 0;
  for (const ValueId v : reads) {
    k.kernel.tensors.push_back({"in", Role::Input, DType::F32, {}, {}});
    k.values.push_back(v);
  }
  k.kernel.tensors.push_back({"out", Role::Output, DType::F32, {}, {}});
  k.values.push_back(makes);
  return k;
}

/// s = h + x[step]; n = tanh(s); n is the next h and is kept in y.
Graph running() {
  Graph g;
  g.values = {value("x", {5, 3}), value("h0", {3}), value("h", {3}),    value("xt", {3}),
              value("s", {3}),    value("n", {3}),  value("last", {3}), value("y", {5, 3})};
  g.inputs = {0, 1};
  g.outputs = {6, 7};
  Region loop;
  loop.counter = "step";
  loop.trip = 5;
  loop.carried = {{1, 2, 5, 6}};
  loop.reads = {{0, 3, false}};
  loop.writes = {{7, 5, true}};
  g.regions = {loop};
  return g;
}

std::string name(const ExecutionPlan& p, int b) { return p.buffers[static_cast<size_t>(b)].name; }

}  // namespace

TEST_CASE("schedule: the next value is written over the old one that nobody needs") {
  const Graph g = running();
  const ExecutionPlan p = assign_buffers(g, g.regions, {kernel("add", {2, 3}, 4), kernel("tanh", {4}, 5)});
  CHECK(name(p, p.steps[0].buffers[0]) == "last");
  CHECK(p.steps[1].buffers[1] == p.steps[0].buffers[0]);
  const PlanBuffer& slice = p.buffers[static_cast<size_t>(p.steps[0].buffers[1])];
  CHECK(slice.kind == BufferKind::Slice);
  CHECK(name(p, slice.whole) == "x");
  REQUIRE(p.regions[0].before.size() == 1);
  CHECK(name(p, p.regions[0].before[0].from) == "h0");
  REQUIRE(p.regions[0].after.size() == 1);
  const PlanBuffer& kept = p.buffers[static_cast<size_t>(p.regions[0].after[0].to)];
  CHECK(kept.reversed);
  CHECK(name(p, kept.whole) == "y");
}

TEST_CASE("schedule: an old value that is still needed is copied over at the end") {
  const Graph g = running();
  const ExecutionPlan p = assign_buffers(g, g.regions, {kernel("add", {2, 3}, 4), kernel("mul", {4, 2}, 5)});
  const int made = p.steps[1].buffers[2];
  CHECK(p.buffers[static_cast<size_t>(made)].kind == BufferKind::Slice);  // in y at once
  REQUIRE(p.regions[0].after.size() == 1);
  CHECK(p.regions[0].after[0].from == made);
  CHECK(name(p, p.regions[0].after[0].to) == "last");
}

TEST_CASE("schedule: both branches write where the outside reads") {
  Graph g;
  g.values = {value("c", {}), value("x", {2}), value("a", {2}), value("b", {2}), value("y", {2})};
  g.inputs = {0, 1};
  g.outputs = {4};
  for (const bool holds : {true, false}) {
    Region r;
    r.kind = Region::Kind::branch;
    r.condition = 0;
    r.holds = holds;
    r.results = {{holds ? 2 : 3, 4}};
    g.regions.push_back(r);
  }
  std::vector<FusedKernel> kernels = {kernel("neg", {1}, 2), kernel("exp", {1}, 3)};
  kernels[1].region = 1;
  const ExecutionPlan p = assign_buffers(g, g.regions, kernels);
  CHECK(p.steps[0].buffers[1] == p.outputs[0]);
  CHECK(p.steps[1].buffers[1] == p.outputs[0]);
  CHECK(name(p, p.regions[0].condition) == "c");
}

}  // namespace assign_buffers_test
