// Regions of graphs: what the verifier refuses, how a loop reads as text.
#include "catch.h"
#include "ir/graph/graph.h"

namespace region_test {

using namespace tenon;

namespace {

Value value(const std::string& name, std::vector<SizeExpr> dims) {
  Value v;
  v.name = name;
  v.dims = std::move(dims);
  return v;
}

/// h = tanh(h + x[step]) over five steps; every h is kept in y.
Graph running_tanh() {
  Graph g;
  g.name = "running";
  g.values = {value("x", {5, 3}), value("h0", {3}), value("h", {3}),    value("xt", {3}),
              value("s", {3}),    value("n", {3}),  value("last", {3}), value("y", {5, 3})};
  g.inputs = {0, 1};
  g.outputs = {6, 7};
  Region loop;
  loop.counter = "step";
  loop.trip = 5;
  loop.origin = "here";
  loop.carried = {{1, 2, 5, 6}};
  loop.reads = {{0, 3, false}};
  loop.writes = {{7, 5, true}};
  g.regions = {loop};
  g.nodes = {{"add", "add", {2, 3}, {}, {4}, "", 0}, {"tanh", "tanh", {4}, {}, {5}, "", 0}};
  return g;
}

}  // namespace

TEST_CASE("ir: a loop reads as text, and is sound") {
  const Graph g = running_tanh();
  CHECK(verify(g).empty());
  CHECK(to_text(g) ==
        "graph running {\n"
        "  input x: f32[5, 3]\n"
        "  input h0: f32[3]\n"
        "  loop step < 5 {\n"
        "    carried h: f32[3] = h0\n"
        "    slice xt: f32[3] = x[step]\n"
        "    s: f32[3] = add(h, xt)\n"
        "    n: f32[3] = tanh(s)\n"
        "    next h = n, at the end last: f32[3]\n"
        "    y[-step + 4] = n of y: f32[5, 3]\n"
        "  }\n"
        "  outputs last, y\n"
        "}\n");
  CHECK(all_sizes(g).back().name == "step");
  CHECK(all_sizes(g).back().hi == 4);
}

TEST_CASE("ir: values of a loop stay in it") {
  Graph g = running_tanh();
  g.outputs[0] = 5;
  CHECK(verify(g) == std::vector<std::string>{"the graph's outputs reads n outside of the region that makes it"});
  g = running_tanh();
  g.nodes[1].region = kTopLevel;
  CHECK_FALSE(verify(g).empty());
  g = running_tanh();
  g.values[5].dims = {4};
  CHECK(verify(g)[0] == "region 0 (here): h0 is f32[3], but n is f32[4]");
}

TEST_CASE("ir: the nodes of a loop stand together") {
  Graph g = running_tanh();
  g.values.push_back(value("z", {3}));
  g.nodes.insert(g.nodes.begin() + 1, Node{"other", "neg", {1}, {}, {8}, "", kTopLevel});
  CHECK_FALSE(verify(g).empty());
  g = running_tanh();
  g.nodes.clear();
  CHECK_FALSE(verify(g).empty());
}

TEST_CASE("ir: the second branch makes the results of the first") {
  Graph g;
  g.values = {value("c", {}), value("x", {2}), value("a", {2}), value("b", {2}), value("y", {2})};
  g.values[0].dtype = DType::Bool;
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
  g.nodes = {{"neg", "neg", {1}, {}, {2}, "", 0}, {"exp", "exp", {1}, {}, {3}, "", 1}};
  CHECK(verify(g).empty());
  CHECK(to_text(g).find("  if c {\n    a: f32[2] = neg(x)\n    y: f32[2] = a\n  }\n  if not c {\n") !=
        std::string::npos);
}

}  // namespace region_test
