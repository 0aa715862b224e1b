// Which statements in front of a parallel loop are a phase of their own, and which each worker carries out for itself.

#include "algebra/separate_iterations.h"
#include "catch.h"
#include "lower/nest/nest_passes.h"

namespace tenon::parallel_phases_test {
namespace {

constexpr int kIn = 0, kOut = 1, kCopy = 2, kTable = 3, kWeights = 4;

Operand load(int buffer, const Operand& at) { return v_load(buffer, DType::F32, at); }

/// A loop that stores 0 to so many elements.
Stmt cleared(int buffer, int64_t elements) {
  return s_for("c", v_int(0), v_int(elements), 1, {s_store(buffer, v_var("c"), v_const(0, {DType::F32, 1, 0}))});
}

LoopNest nest_of(Block body);

/// Y[i] = copy[1] + table[0], where each iteration stores copy[1] = A[i].
LoopNest nest_with(Block before) {
  const Operand i = v_var("i");
  before.push_back(
      with_kind(LoopKind::Parallel, s_for("i", v_int(0), v_int(8), 1,
                                          {s_store(kCopy, v_int(1), load(kIn, i)),
                                           s_store(kOut, i, load(kCopy, v_int(1)) + load(kTable, v_int(0)))})));
  return nest_of(std::move(before));
}

/// for n < count: what is made first, then Y[i] = copy[1] for i < turns.
LoopNest repeated(Block made, int64_t turns, const Operand& count) {
  made.push_back(with_kind(LoopKind::Parallel,
                           s_for("i", v_int(0), v_int(turns), 1, {s_store(kOut, v_var("i"), load(kCopy, v_int(1)))})));
  return nest_of({with_kind(LoopKind::Parallel, s_for("n", v_int(0), count, 1, std::move(made)))});
}

LoopNest batch_of(Block made, int64_t turns) { return repeated(std::move(made), turns, v_size("N")); }

/// A loop that stores elements of a tensor to the copy.
Stmt copied(int from) {
  return s_for("c", v_int(0), v_int(3), 1, {s_store(kCopy, v_var("c"), load(from, v_var("c")))});
}

LoopNest nest_of(Block body) {
  Kernel k;
  k.sizes = {{"N", 0, 9}};
  k.name = "k";
  k.tensors = {Tensor{"A", Role::Input, DType::F32, {constant_int(8)}, {constant_int(1)}},
               Tensor{"Y", Role::Output, DType::F32, {constant_int(8)}, {constant_int(1)}},
               Tensor{"W", Role::Input, DType::F32, {constant_int(8)}, {constant_int(1)}}};
  LoopNest nest;
  nest.name = "k_portable";
  nest.isa = "portable";
  nest.kernel = std::make_shared<const Kernel>(std::move(k));
  nest.buffers = {{"A", DType::F32, Storage::Tensor, 0, nullptr, false},
                  {"Y", DType::F32, Storage::Tensor, 1, nullptr, true},
                  {"copy", DType::F32, Storage::Workspace, -1, v_int(3), true},
                  {"table", DType::F32, Storage::Workspace, -1, v_int(2), true},
                  {"W", DType::F32, Storage::Tensor, 2, nullptr, false}};
  nest.body = std::move(body);
  REQUIRE(verify(nest).empty());
  return nest;
}

}  // namespace

TEST_CASE("what a let reads is read once, before the workers begin") {
  const Operand i = v_var("i"), scale = v_var("scale", {DType::F32, 1, 0});
  const auto scaled = [&](const Operand& end) {
    return with_kind(LoopKind::Parallel, s_for("i", v_int(0), end, 1, {s_store(kOut, i, load(kIn, i) * scale)}));
  };
  const Stmt let = s_let("scale", load(kIn, v_int(0)));
  const auto phases = parallel_phases(nest_of({let, scaled(v_int(8))}));
  REQUIRE(phases.size() == 2);
  CHECK(!phases[0].parallel);
  CHECK(phases[1].parallel);
  // The second phase, of which several workers carry out parts, looks at a copy: the result may be in place of A.
  CHECK(to_text(phases[0].nest).find("b5[0] = load:f32(b0, 0)") != std::string::npos);
  CHECK(to_text(phases[1].nest).find("let scale: f32 = load:f32(b5, 0)") != std::string::npos);
  // A loop that ends at what is read has no number of iterations before it runs.
  const Stmt count = s_let("count", v_cast(load(kIn, v_int(1)), DType::I64));
  CHECK(parallel_phases(nest_of({let, count, scaled(v_var("count"))})).empty());
}

TEST_CASE("what a let reads is there for the statements of the phase that reads it") {
  const Operand scale = v_var("scale", {DType::F32, 1, 0});
  const auto phases = parallel_phases(
      nest_of({s_let("scale", load(kIn, v_int(0))), s_store(kTable, v_int(0), scale),
               with_kind(LoopKind::Parallel, s_for("i", v_int(0), v_int(8), 1, {s_store(kOut, v_var("i"), scale)}))}));
  REQUIRE(phases.size() == 2);
  const std::string text = to_text(phases[0].nest);
  CHECK(text.find("b5[0] = ") < text.find("let scale"));
  CHECK(text.find("let scale") < text.find("= scale"));
}

TEST_CASE("a let named as the end that the caller says is read only where the body needs it") {
  for (const bool needed : {false, true}) {
    const Operand end = v_var("end", {DType::F32, 1, 0});
    Stmt store = s_store(kOut, v_var("i"), needed ? end : load(kIn, v_var("i")));
    const LoopNest nest =
        nest_of({s_let("end", load(kIn, v_int(0))),
                 with_kind(LoopKind::Parallel, s_for("i", v_int(0), v_size("N"), 1, {std::move(store)})),
                 s_store(kOut, v_int(0), end)});
    const std::vector<Phase> phases = parallel_phases(nest);
    REQUIRE(phases.size() == 3);
    CHECK(phases[1].nest.body.size() == (needed ? 2 : 1));
  }
}

TEST_CASE("what iterations store to as well is prepared by each worker") {
  const auto phases =
      parallel_phases(nest_with({cleared(kCopy, 3), s_store(kCopy, v_int(2), v_const(0, {DType::F32, 1, 0}))}));
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

TEST_CASE("what is between a worker's preparation and its loop does not make it everybody's") {
  Block before{cleared(kCopy, 3),
               with_kind(LoopKind::Parallel,
                         s_for("p", v_int(0), v_int(2), 1, {s_store(kTable, v_var("p"), load(kIn, v_var("p")))}))};
  const auto phases = parallel_phases(nest_with(std::move(before)));
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].parallel);
  CHECK(phases[0].nest.body.size() == 1);
  CHECK(phases[1].nest.buffers[kCopy].per_worker);
  CHECK(phases[1].nest.body.size() == 2);
}

TEST_CASE("an output is nobody's own: it is cleared once") {
  const auto phases = parallel_phases(nest_with({cleared(kOut, 8), cleared(kCopy, 3)}));
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].nest.body.size() == 1);
  CHECK(phases[1].nest.body.size() == 2);
}

TEST_CASE("a batch that only run time knows is shared with what is inside of it") {
  const auto phases = parallel_phases(batch_of({}, 64));
  REQUIRE(phases.size() == 1);
  CHECK_FALSE(phases[0].iterations.has_value());
  CHECK(to_text(phases[0].count).find("mul(N, 64)") != std::string::npos);
}

TEST_CASE("what an image needs is made once by each worker, for all the parts of it that it takes") {
  const auto phases = parallel_phases(batch_of({s_let("first", v_var("n") * v_int(2)), cleared(kCopy, 3)}, 64));
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].nest.buffers[kCopy].per_worker);
  CHECK(phases[0].grain == 2);
  const std::string text = to_text(phases[0].nest);
  CHECK(to_text(phases[0].count).find("mul(N, 16)") != std::string::npos);
  CHECK(text.find("unit_made") < text.find("for unit"));
  CHECK(text.find("if ne(unit_made, n)") != std::string::npos);
}

TEST_CASE("few blocks are shared by parts, for which a worker copies again what another has copied") {
  const auto phases = parallel_phases(repeated({copied(kIn)}, 4, v_int(3)));
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].iterations == 12);
  CHECK(phases[0].grain == 1);
  CHECK(to_text(phases[0].nest).find("if ne(unit_made, n)") != std::string::npos);
  // a worker takes two of many parts at once, as it makes the copy for each time
  const auto many = parallel_phases(repeated({copied(kIn)}, 15, v_int(4)));
  REQUIRE(many.size() == 1);
  CHECK(many[0].iterations == 60);
  CHECK(many[0].grain == 2);
  // sums of products are made once, and many blocks are even shares
  for (const LoopNest& whole :
       {repeated({copied(kIn), copied(kWeights)}, 4, v_int(3)), repeated({copied(kIn)}, 4, v_int(16))}) {
    const auto kept = parallel_phases(whole);
    REQUIRE(kept.size() == 1);
    CHECK(to_text(kept[0].nest).find("unit_made") == std::string::npos);
  }
}

TEST_CASE("what an image leaves in the output is not made twice") {
  const auto phases = parallel_phases(batch_of({cleared(kOut, 3)}, 64));
  REQUIRE(phases.size() == 1);
  CHECK(to_text(phases[0].nest).find("unit") == std::string::npos);
}

TEST_CASE("what others read too is not made by several workers") {
  Block image{cleared(kTable, 2),
              with_kind(LoopKind::Parallel,
                        s_for("i", v_int(0), v_int(64), 1, {s_store(kOut, v_var("i"), load(kTable, v_int(1)))}))};
  const auto phases =
      parallel_phases(nest_of({with_kind(LoopKind::Parallel, s_for("n", v_int(0), v_size("N"), 1, std::move(image))),
                               s_store(kOut, v_int(0), load(kTable, v_int(0)))}));
  REQUIRE(phases.size() == 2);
  CHECK(to_text(phases[0].nest).find("unit") == std::string::npos);
}

TEST_CASE("a buffer that a statement makes from others is shared, and so its loop may not be") {
  const auto phases =
      parallel_phases(nest_with({cleared(kTable, 2), s_store(kCopy, v_int(0), load(kTable, v_int(1)))}));
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].nest.body.size() == 2);
  CHECK_FALSE(phases[1].nest.buffers[kCopy].per_worker);
  const auto faults = find_shared_writes(phases[1].nest, phases[1].count.body);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].starts_with("copy: "));
}

TEST_CASE("a loop that may fail, itself or in a function that it calls, is not shared") {
  const Operand i = v_var("i");
  InnerFunction f;
  f.name = "check";
  f.buffers = {{"x", DType::F32, Storage::Workspace, -1, nullptr, false}};
  const Stmt fail =
      s_if(v_apply(ScalarOp::Lt, {load(0, v_int(0)), v_const(0, {DType::F32, 1, 0})}), {{SFail{CheckStatus::Range}}});
  for (const bool fails : {false, true})
    for (const bool called : {false, true}) {
      INFO(fails << called);
      Block checks;
      f.body = fails ? Block{fail} : Block{};
      if (called) checks.push_back({SCall{0, {{kIn, i}}, {}}});
      else checks = f.body;
      checks.push_back(s_store(kOut, i, load(kIn, i)));
      LoopNest nest = nest_of({});
      nest.functions = {f};
      nest.body = {with_kind(LoopKind::Parallel, s_for("i", v_int(0), v_int(8), 1, std::move(checks)))};
      REQUIRE(verify(nest).empty());
      CHECK(parallel_phases(nest).empty() == fails);
    }
}

}  // namespace tenon::parallel_phases_test
