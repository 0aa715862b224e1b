// Kernels of training steps: rows that are merged, runs that take turns, sums over taps of one filter, attention whose
// operands are stored.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "catch.h"
#include "lower/lower_kernel.h"
#include "planned_layer.h"

namespace training_steps_test {

using namespace tenon;
using namespace tenon_test;

namespace {

Layer layer(const std::string& inputs, const std::string& main, const std::string& outputs = "y") {
  return {inputs, "f32[1]", main, outputs};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The last kernel gives the oracle's values at every level; its nests' texts, by level.
std::map<std::string, std::string> checked_nests(const Layer& of) {
  const ExecutionPlan plan = planned(of, {});
  const std::vector<double> want = values(plan);
  std::map<std::string, std::string> out;
  for (const Isa& isa : all_isas()) {
    if (!isa.base.empty()) continue;  // differs in products of bytes alone
    const LoopNest nest = lower_kernel(plan.steps.back().kernel, tenon_test::shipped_blueprints(), isa);
    const std::string text = to_text(nest);
    INFO(of.main << " " << isa.name << "\n" << text);
    CHECK(verify(nest).empty());
    CHECK(error_of(values(plan, &nest), want) < 1e-6);
    out.emplace(isa.name, text);
  }
  return out;
}

}  // namespace

TEST_CASE("a choice between elements of merged rows has vectors") {
  for (const char* main : {"silu(x)", "elu(x)", "where(greater(x, F), x*F, x)", "leaky_relu(x, alpha=0.1)"})
    for (const char* shape : {"x: \"f32[5, 37]\"", "x: \"f32[3, 2, 5, 7]\""}) {
      const auto nests = checked_nests(layer(shape, std::string("y = ") + main + " + F"));
      CHECK(contains(nests.at("x86-64-v4"), "f32x16"));
      CHECK(contains(nests.at("x86-64-v3"), "f32x8"));
    }
}

TEST_CASE("runs of which a loop takes elements in turns are loaded as vectors") {
  // lines of 21, 20 and 40 elements: whole vectors, and the rest
  for (const int64_t width : {7, 10, 20})
    for (const int64_t runs : {2, 4}) {
      const std::string shape =
          fmt::format("x: \"f32[2, {}, 3, {}]\", m: \"f32[2, 3, {}]\"", runs, width, runs * width);
      const std::string turned =
          fmt::format("reshape(transpose(x, perm=[0, 2, 3, 1]), shape=[2, 3, {}])", runs * width);
      const auto alone = checked_nests(layer(shape, "y = " + turned)),
                 chosen = checked_nests(layer(shape, "y = where(greater(m, F), " + turned + ", 0*m)"));
      const std::string part = fmt::format("load:f32x{}(", 16 / runs);
      for (const auto* nests : {&alone, &chosen}) {
        INFO(nests->at("x86-64-v4"));
        CHECK(contains(nests->at("x86-64-v4"), "shuffle"));
        CHECK(contains(nests->at("x86-64-v4"), part));
      }
    }
}

TEST_CASE("sums along lines that another shape splits have vectors") {
  // heads joined before a norm, pixels of blocks of channels
  const std::string joined = "reshape(transpose(x, perm=[0, 2, 1, 3]), shape=[2, 5, 32])";
  const std::string pixels = "reshape(depth_to_space(z, block=2), shape=[2, 32])";
  for (const std::string& rows : {joined, pixels})
    for (const char* f : {"mean({}, axes=[-1])", "rms_norm({}, g)", "softmax({}, axis=-1)", "sum(sq({}), axes=[-1])"}) {
      const std::string main = "y = " + fmt::format(fmt::runtime(f), rows) + "*F";
      const auto nests = checked_nests(layer("x: \"f32[2, 2, 5, 16]\", z: \"f32[2, 4, 2, 4]\", g: \"f32[32]\"", main));
      INFO(main << "\n" << nests.at("x86-64-v3"));
      CHECK(contains(nests.at("x86-64-v3"), "fold_sum("));
      CHECK_FALSE(contains(nests.at("x86-64-v3"), "_sum: f32 ="));
    }
}

TEST_CASE("the gradient of one filter sums over lines of pixels") {
  checked_nests(layer("x: \"f32[2, 3, 5, 18]\", W: \"f32[1, 3, 3, 3]\"",
                      "l = sum(sq(conv2d(x, W, pads=[1, 1, 1, 1])))*F\n  y = grad(sum(l), W)"));
  checked_nests(layer("x: \"f32[2, 4, 6, 33]\", W: \"f32[4, 1, 3, 3]\"",
                      "l = sum(sq(conv2d(x, W, groups=4, stride=[1, 2])))*F\n  y = grad(sum(l), W)"));
}

TEST_CASE("attention does not take in what makes its operands where others read them too") {
  const ExecutionPlan plan =
      planned(layer("x: \"f32[2, 16, 2, 8]\"",
                    "k = transpose(x, perm=[0, 2, 1, 3])\n  y = attention(k, k, k) + F\n  z = k + F", "k, y, z"),
              {});
  const auto attends = [](const PlanStep& s) { return contains(to_text(s.kernel), "attention"); };
  REQUIRE(std::count_if(plan.steps.begin(), plan.steps.end(), attends) == 1);
  const PlanStep& step = *std::find_if(plan.steps.begin(), plan.steps.end(), attends);
  CHECK_FALSE(contains(to_text(step.kernel), "transpose"));
  const LoopNest nest = lower_kernel(step.kernel, tenon_test::shipped_blueprints(), *isa_from_name("x86-64-v4"));
  CHECK(contains(nest.blueprint, "row_chain"));
}

TEST_CASE("a formula of single elements follows the one result of several that it reads") {
  const Layer of = layer("x: \"f32[3, 2, 5, 7]\", g: \"f32[2]\", b: \"f32[2]\", m: \"f32[2]\", v: \"f32[2]\"",
                         "n, p, q = batch_norm_training(x, g, b, m, v)\n  y = relu(n + x) + F", "y, p, q");
  CHECK(planned(of, {}).steps.size() == 1);
  checked_nests(of);
}

}  // namespace training_steps_test
