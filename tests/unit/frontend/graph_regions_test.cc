// Regions as they are built: what leaves a loop's body, what nobody needs, what is refused.
#include "catch.h"
#include "frontend/graph/graph_builder.h"
#include "frontend/graph/size_arithmetic.h"
#include "small_library.h"

namespace graph_regions_test {

using namespace tenon;

namespace {

struct Running {
  OpSemantics semantics = tenon_test::small_semantics();
  GraphBuilder builder{semantics, "running"};
  ValueId x = builder.add_input("x", DType::F32, {5, 3}), h0 = builder.add_input("h0", DType::F32, {3});
  RegionId loop = builder.begin_loop(5);
  ValueId h = builder.carry(loop, h0), part = builder.read_slice(loop, x, true);

  ValueId call(const std::string& op, std::vector<ValueId> in) { return builder.add_node(op, std::move(in), {}, 1)[0]; }
};

}  // namespace

TEST_CASE("frontend: what no iteration changes is computed before the loop") {
  Running r;
  const ValueId fixed = r.call("exp", {r.h0}), next = r.call("add", {r.h, fixed});
  const std::vector<ValueId> results = r.builder.end_loop(r.loop, {{next}, {{r.part, false}}, kNoValue});
  const Graph g = r.builder.finish({{"last", results[0]}, {"parts", results[1]}});
  CHECK(verify(g).empty());
  CHECK(g.nodes[0].op == "exp");
  CHECK(g.nodes[0].region == kTopLevel);
  CHECK(g.nodes[1].region == 0);
  CHECK(g.nodes.back().op == "identity");  // a slice that is handed on is copied
}

TEST_CASE("frontend: what nobody needs leaves the loop") {
  Running r;
  const ValueId next = r.call("tanh", {r.h}), other = r.call("exp", {r.part});
  const std::vector<ValueId> results = r.builder.end_loop(r.loop, {{next}, {{other, false}}, kNoValue});
  const Graph g = r.builder.finish({{"last", results[0]}});
  CHECK(verify(g).empty());
  CHECK(g.nodes.size() == 1);
  CHECK(g.regions[0].reads.empty());
  CHECK(g.regions[0].writes.empty());
}

TEST_CASE("frontend: a loop that nobody needs is gone") {
  Running r;
  r.builder.end_loop(r.loop, {{r.call("tanh", {r.h})}, {}, kNoValue});
  const Graph g = r.builder.finish({{"y", r.h0}});
  CHECK(verify(g).empty());
  CHECK(g.regions.empty());
}

TEST_CASE("frontend: values that are exchanged are copied") {
  Running r;
  const ValueId other = r.builder.carry(r.loop, r.call("exp", {r.h0}));
  const std::vector<ValueId> results = r.builder.end_loop(r.loop, {{other, r.h}, {}, kNoValue});
  const Graph g = r.builder.finish({{"a", results[0]}, {"b", results[1]}});
  CHECK(verify(g).empty());
  CHECK(g.nodes.size() == 3);
}

TEST_CASE("frontend: a carried value keeps its type") {
  Running r;
  CHECK_THROWS_WITH(r.builder.end_loop(r.loop, {{r.x}, {}, kNoValue}),
                    "a value that the loop carries is f32[3] before an iteration and f32[5, 3] after it");
}

TEST_CASE("frontend: branches have the same types") {
  const OpSemantics semantics = tenon_test::small_semantics();
  GraphBuilder b(semantics, "either");
  const ValueId c = b.add_input("c", DType::Bool, {}), x = b.add_input("x", DType::F32, {3}),
                y = b.add_input("y", DType::F32, {4});
  const RegionId first = b.begin_branch(c, true);
  const std::vector<ValueId> results = b.end_branch(first, {x}, {});
  const RegionId second = b.begin_branch(c, false);
  CHECK_THROWS_WITH(b.end_branch(second, {y}, results),
                    "result 0 is f32[3] if the condition holds and f32[4] otherwise");
}

namespace {

/// The small library and `chosen`, whose extent depends on data.
OpSemantics choosing_semantics() {
  OpSemantics s = tenon_test::small_semantics();
  s.infer = [infer = s.infer](const std::string& op, const std::vector<std::optional<TensorType>>& inputs,
                              const Attributes& attrs, size_t wanted) {
    if (op != "chosen") return infer(op, inputs, attrs, wanted);
    InferredTypes t{{{DType::F32, {size_name("L")}}}};
    t.extents.push_back({"L", inputs[0]->dims[0]});
    return t;
  };
  return s;
}

struct Choosing {
  OpSemantics semantics = choosing_semantics();
  GraphBuilder b{semantics, "choosing"};
  ValueId c = b.add_input("c", DType::Bool, {}), x = b.add_input("x", DType::F32, {5, 3}),
          y = b.add_input("y", DType::F32, {7});
  ValueId choose(ValueId from) { return b.add_node("chosen", {from}, {}, 1)[0]; }
  ValueId ones(const std::vector<SizeExpr>& dims) {
    return b.add_node("full", {}, {{"shape", dims}, {"value", int64_t{1}}, {"dtype", DType::F32}}, 1)[0];
  }
};

}  // namespace

TEST_CASE("frontend: a size that an operator of a loop writes is known in the loop only") {
  Choosing t;
  const RegionId loop = t.b.begin_loop(5);
  const ValueId part = t.b.read_slice(loop, t.x, false), chosen = t.choose(part);
  const SizeExpr length = t.b.value(chosen).dims[0];
  CHECK(length == size_name("chosen_L"));
  CHECK(t.b.bound_outside(loop, length + SizeExpr(1)) == SizeExpr(4));
  const ValueId one = t.ones({length});  // reads nothing, and still stays in the loop
  CHECK_THROWS_WITH(t.b.end_loop(loop, {{}, {{one, false}}, kNoValue}),
                    "a result is f32[chosen_L], and chosen_L is known inside of the loop only");
  t.b.end_loop(loop,
               {{},
                {{t.b.add_node("sum", {one}, {{"axes", std::vector<int64_t>{0}}, {"keepdims", false}}, 1)[0], false}},
                kNoValue});
}

TEST_CASE("frontend: what writes a size is needed where the size is") {
  Choosing t;
  const SizeExpr length = t.b.value(t.choose(t.y)).dims[0];
  const Graph g = t.b.finish({{"length", t.b.add_numbers(DType::I64, {1}, {length})}});
  CHECK(verify(g).empty());
  CHECK(g.nodes[0].op == "chosen");
}

TEST_CASE("frontend: a region that is given up takes the sizes with it that its operators write") {
  Choosing t;
  const RegionId branch = t.b.begin_branch(t.c, true);
  t.choose(t.y);
  t.b.set_aside(branch);
  const RegionId other = t.b.begin_branch(t.c, false);
  t.choose(t.y);
  CHECK(t.b.sizes().size() == 2);
  t.b.abandon(branch);
  CHECK(other > branch);
  CHECK(t.b.sizes().empty());
  const Graph g = t.b.finish({{"y", t.y}});
  CHECK(verify(g).empty());
  CHECK(g.regions.empty());
}

TEST_CASE("frontend: a branch that is set aside is finished after the other one was read") {
  Choosing t;
  const RegionId first = t.b.begin_branch(t.c, true);
  const ValueId a = t.b.add_node("exp", {t.y}, {}, 1)[0];
  t.b.set_aside(first);
  const RegionId second = t.b.begin_branch(t.c, false);
  const ValueId b = t.b.add_node("tanh", {t.y}, {}, 1)[0];
  t.b.set_aside(second);
  t.b.take_up(first);
  const ValueId more = t.b.add_node("neg", {a}, {}, 1)[0];
  const std::vector<ValueId> results = t.b.end_branch(first, {more}, {});
  t.b.take_up(second);
  t.b.end_branch(second, {b}, results);
  const Graph g = t.b.finish({{"y", results[0]}});
  CHECK(verify(g).empty());
  CHECK(g.nodes.size() == 3);
}

TEST_CASE("frontend: ranges of sizes decide minima") {
  const std::vector<GraphSize> sizes{{"step", 0, 4}, {"n", 1, 64}};
  const SizeExpr step = size_name("step"), n = size_name("n");
  CHECK(lesser(step + SizeExpr(1), 5, sizes) == step + SizeExpr(1));
  CHECK(greater(step, 0, sizes) == step);
  CHECK(lesser(step, n, sizes) == size_min(step, n));
  CHECK(bounds_of(floor_div(n * SizeExpr(3) + SizeExpr(1), 2), sizes).hi == 96);
  const SizeExpr odd = SizeExpr(2) * floor_div(n + SizeExpr(1), 2) - n;  // what padding to an even extent adds
  CHECK(bounds_of(odd, sizes).lo == 0);
  CHECK(bounds_of(odd, sizes).hi == 1);
  CHECK(bounds_of(SizeExpr(7) - odd, sizes).lo == 6);
  CHECK(bounds_of(SizeExpr(4) * floor_div(n, 2) - SizeExpr(2) * n, sizes).lo == -2);
  CHECK(bounds_of(floor_mod(size_name("other"), 7), sizes).hi == 6);
}

}  // namespace graph_regions_test
