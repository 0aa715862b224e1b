// Which parallel loops may be shared: what is accepted, and what is refused with the buffer and the reason.
#include "algebra/separate_iterations.h"

#include "catch.h"

namespace tenon::separate_iterations_test {
namespace {

constexpr int kIn = 0, kOut = 1, kCopy = 2, kTile = 3;
const Operand i = v_var("i"), r = v_var("r"), n = v_size("N"), rows = v_size("R");

Operand load(int buffer, const Operand& at) { return v_load(buffer, DType::F32, at); }
Operand zeros(int lanes) { return v_const(0, {DType::F32, lanes, 0}); }
Operand quotient(const Operand& a, int64_t b) { return v_apply(ScalarOp::FloorDiv, {a, v_int(b)}); }
Operand least(const Operand& a, const Operand& b) { return v_apply(ScalarOp::Min, {a, b}); }

/// A phase that ends in a loop over i. A and Y may be the same memory where `in_place` is set.
LoopNest phase_of(Block body, const Operand& end = v_int(8), bool in_place = false) {
  Kernel k;
  k.name = "k";
  k.sizes = {{"N", 0, 999}, {"R", 1, 99}};
  k.tensors = {Tensor{"A", Role::Input, DType::F32, {constant_int(999)}, {constant_int(1)}, in_place},
               Tensor{"Y", Role::Output, DType::F32, {constant_int(999)}, {constant_int(1)}, in_place}};
  LoopNest nest;
  nest.name = "k_portable";
  nest.isa = "portable";
  nest.kernel = std::make_shared<const Kernel>(std::move(k));
  nest.buffers = {{"A", DType::F32, Storage::Tensor, 0, nullptr, false},
                  {"Y", DType::F32, Storage::Tensor, 1, nullptr, true},
                  {"copy", DType::F32, Storage::Workspace, -1, v_int(64), true},
                  {"tile", DType::F32, Storage::Stack, -1, v_int(64), true}};
  nest.body = {with_kind(LoopKind::Parallel, s_for("i", v_int(0), end, 1, std::move(body)))};
  REQUIRE(verify(nest).empty());
  return nest;
}

std::string fault(const LoopNest& nest) {
  const auto faults = find_shared_writes(nest, {});
  return faults.empty() ? "" : faults[0];
}

Stmt clears(const Operand& at, int lanes = 1, const Operand& active = nullptr) {
  return s_store(kOut, at, zeros(lanes), active);
}
Stmt over(const char* var, const Operand& end, Block body, int64_t step = 1) {
  return s_for(var, v_int(0), end, step, std::move(body));
}

}  // namespace

TEST_CASE("iterations that write an element each may be shared") { CHECK(fault(phase_of({clears(i)})).empty()); }

TEST_CASE("an element that all iterations write is refused by name") {
  CHECK_THAT(fault(phase_of({clears(v_int(3))})), Catch::Matchers::StartsWith("Y: an iteration writes element 3"));
  CHECK_FALSE(fault(phase_of({clears(quotient(i, 2))})).empty());
}

TEST_CASE("vectors may touch, but not overlap") {
  CHECK(fault(phase_of({clears(i * v_int(8), 8)})).empty());
  CHECK_FALSE(fault(phase_of({clears(i * v_int(7), 8)})).empty());
}

TEST_CASE("a workspace that iterations write is refused unless each worker has its own") {
  const Block body{s_store(kCopy, v_int(1), load(kIn, i)), s_store(kOut, i, load(kCopy, v_int(1)))};
  LoopNest nest = phase_of(body);
  CHECK_THAT(fault(nest), Catch::Matchers::StartsWith("copy: "));
  nest.buffers[kCopy].per_worker = true;
  CHECK(fault(nest).empty());
}

TEST_CASE("an array of the function is its worker's own") {
  CHECK(fault(phase_of({s_store(kTile, v_int(1), load(kIn, i)), s_store(kOut, i, load(kTile, v_int(1)))})).empty());
}

TEST_CASE("what is before the loop each worker does: it may not write what all have") {
  LoopNest nest = phase_of({s_store(kOut, i, load(kCopy, i))});
  nest.body.insert(nest.body.begin(), s_store(kCopy, v_int(0), zeros(1)));
  CHECK_THAT(fault(nest), Catch::Matchers::StartsWith("copy: "));
}

TEST_CASE("in place, an iteration reads the elements that it writes and no others") {
  CHECK(fault(phase_of({s_store(kOut, i, load(kIn, i))}, v_int(8), true)).empty());
  CHECK_THAT(fault(phase_of({s_store(kOut, i, load(kIn, i + v_int(1)))}, v_int(8), true)),
             Catch::Matchers::Contains("may read element"));
  CHECK(fault(phase_of({s_store(kOut, i, load(kIn, i + v_int(1)))})).empty());
}

TEST_CASE("columns are apart as long as no row reaches the next") {
  const auto columns = [&](const Operand& width, int64_t each) {
    return phase_of({over("r", rows, {clears(r * width + i * v_int(each), 4)})});
  };
  CHECK(fault(columns(v_int(32), 4)).empty());
  CHECK_FALSE(fault(columns(v_int(31), 4)).empty());
  CHECK_FALSE(fault(columns(v_int(32), 3)).empty());
}

TEST_CASE("offsets past the middle of a row stay in it") {
  const auto rows_of = [&](int64_t second) {
    return phase_of({over("r", v_int(4), {clears(i * v_int(16) + r), clears(i * v_int(16) + r + v_int(second))})});
  };
  CHECK(fault(rows_of(12)).empty());
  CHECK(fault(rows_of(8)).empty());
  CHECK_FALSE(fault(rows_of(13)).empty());
}

TEST_CASE("steps that do not divide a row end with its last whole number of turns") {
  const auto blocks_of = [&](int64_t columns) {
    return phase_of({over("r", v_int(columns), {clears(i * v_int(32) + r, 16)}, 16)});
  };
  CHECK(fault(blocks_of(14)).empty());
  CHECK(fault(blocks_of(31)).empty());
  CHECK_FALSE(fault(blocks_of(33)).empty());
}

TEST_CASE("the last vector of a row has to end with it") {
  const Operand begin = i * n + r, active = least(v_int(8), n - r);
  CHECK(fault(phase_of({over("r", n, {clears(begin, 8, active)}, 8)}, rows)).empty());
  CHECK_FALSE(fault(phase_of({over("r", n, {clears(begin, 8)}, 8)}, rows)).empty());
  const Operand whole = quotient(n, 8) * v_int(8);
  CHECK(fault(phase_of({over("r", whole, {clears(begin, 8)}, 8)}, rows)).empty());
}

TEST_CASE("vectors that remain in a block of elements end with it") {
  const auto blocks = [&](int64_t length, int64_t too_many) {
    const Operand first = v_var("first"), end = v_var("end"), whole = v_var("whole"), active = v_var("active");
    LoopNest nest =
        phase_of({s_let("first", i * v_int(length)), s_let("end", least(v_int(200), i * v_int(length) + v_int(length))),
                  s_let("whole", first + v_apply(ScalarOp::BitAnd, {end - first, v_int(-16)})),
                  s_for("r", first, whole, 16, {clears(r, 8), clears(r + v_int(8), 8)}),
                  s_for("r", whole, end, 8,
                        {s_let("active", least(v_int(8), end - r + v_int(too_many))), clears(r, 8, active)})},
                 v_int(4));
    return fault(nest);
  };
  CHECK(blocks(64, 0).empty());
  CHECK(blocks(60, 0).empty());
  CHECK_FALSE(blocks(60, 1).empty());
}

TEST_CASE("blocks of rows that are moved back to end inside overlap") {
  const auto blocks = [&](int64_t all) {
    const Operand first = least(i * v_int(4), v_int(all - 4));
    return phase_of({over("r", v_int(4), {clears((first + r) * v_int(10))})}, v_int((all + 3) / 4));
  };
  CHECK(fault(blocks(16)).empty());
  CHECK_FALSE(fault(blocks(15)).empty());
}

TEST_CASE("a loop that two were joined to differs in one of their numbers") {
  const auto joined = [&](int64_t pitch) {
    return phase_of({s_let("above", quotient(i, 5)), s_let("column", v_apply(ScalarOp::Mod, {i, v_int(5)})),
                     clears(v_var("above") * v_int(pitch) + v_var("column"))},
                    n * v_int(5));
  };
  CHECK(fault(joined(5)).empty());
  CHECK_FALSE(fault(joined(4)).empty());
}

TEST_CASE("parts of a loop meet at their ends and do not overlap") {
  const auto parts = [&](int64_t too_many) {
    const Operand begin = quotient(n * i, 16), end = quotient(n * (i + v_int(1)), 16) + v_int(too_many);
    return phase_of({s_for("r", begin, end, 1, {clears(r)})}, v_int(16));
  };
  CHECK(fault(parts(0)).empty());
  CHECK_FALSE(fault(parts(1)).empty());
}

TEST_CASE("an offset that memory holds says nothing, so it is refused") {
  const Operand at = v_apply_as(ScalarOp::Cast, {load(kIn, i)}, {DType::I64, 1, 0});
  CHECK_FALSE(fault(phase_of({clears(at)})).empty());
}

TEST_CASE("a condition bounds what happens below it") {
  const auto guarded = [&](bool guards) {
    Block store{clears(i * v_int(10) + r)};
    return phase_of({over("r", v_int(12), guards ? Block{s_if(v_apply(ScalarOp::Lt, {r, v_int(10)}), store)} : store)});
  };
  CHECK(fault(guarded(true)).empty());
  CHECK_FALSE(fault(guarded(false)).empty());
}

}  // namespace tenon::separate_iterations_test
