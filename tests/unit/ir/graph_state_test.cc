// States of graphs: how they read as text, and what the verifier refuses.
#include "catch.h"
#include "ir/graph/graph.h"
#include "ir/graph/graph_passes.h"

namespace graph_state_test {

using namespace tenon;

namespace {

Value value(const std::string& name, std::vector<SizeExpr> dims) {
  Value v;
  v.name = v.original = name;
  v.dims = std::move(dims);
  return v;
}

/// y = x + h replaces h; z = tanh(x).
Graph running_sum() {
  Graph g;
  g.name = "running";
  g.values = {value("unread", {2}), value("x", {3}), value("h", {3}), value("y", {3}), value("z", {3})};
  g.values[0].constant = std::make_shared<TensorData>(TensorData{DType::F32, {2}, std::vector<uint8_t>(8)});
  g.inputs = {1, 2};
  g.outputs = {4, 3};
  g.nodes = {{"add", "add", {1, 2}, {}, {3}, ""}, {"tanh", "tanh", {1}, {}, {4}, ""}};
  g.state = {{2, 3, nullptr, 4}};
  return g;
}

bool refused(const Graph& g, const std::string& by) {
  const std::vector<std::string> found = verify(g);
  return found.size() == 1 && found[0] == by;
}

}  // namespace

TEST_CASE("ir: a state reads as text, and is sound") {
  const Graph g = running_sum();
  CHECK(verify(g).empty());
  CHECK(to_text(g).ends_with("  outputs z, y\n  state h = y, gradient z\n}\n"));
}

TEST_CASE("ir: what is left out of a graph renumbers its states") {
  const Graph g = without_unused(running_sum());
  CHECK(verify(g).empty());
  CHECK(to_text(g).ends_with("  state h = y, gradient z\n}\n"));
  const auto cut = graph_until(running_sum(), "z");
  REQUIRE(cut);
  CHECK(cut->state.empty());
  CHECK(verify(*cut).empty());
}

TEST_CASE("ir: a state that is not from an input to an output is refused") {
  Graph g = running_sum();
  g.state[0].input = 4;
  CHECK(refused(g, "a state has z, which is none of the graph's inputs"));
  g = running_sum();
  g.outputs = {4};
  CHECK(refused(g, "a state has y, which is none of the graph's outputs"));
  g = running_sum();
  g.state.push_back({1, 3, nullptr});
  CHECK(refused(g, "two states have y"));
}

TEST_CASE("ir: a state of another type than what replaces it is refused") {
  Graph g = running_sum();
  g.values[2].dtype = DType::F64;
  CHECK(refused(g, "state h is f64[3], but y is f32[3]"));
  g = running_sum();
  g.sizes = {{"N", 1, 4}};
  g.values[2].dims = g.values[3].dims = {size_name("N")};
  CHECK(refused(g, "state h has the extent N"));
  g = running_sum();
  g.state[0].initial = std::make_shared<TensorData>(TensorData{DType::F32, {4}, std::vector<uint8_t>(16)});
  CHECK(refused(g, "state h is f32[3], but its initial contents are not"));
}

}  // namespace graph_state_test
