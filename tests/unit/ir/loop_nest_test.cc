// Text form and verifier of loop nests.
#include "ir/nest/loop_nest.h"

#include "catch.h"
#include "isa/all_isas.h"
#include "unit/emit/sample_nests.h"

namespace loop_nest_test {

using namespace tenon;
using namespace tenon_test;

namespace {
LoopNest copy_nest() {
  return map_nest(*isa_from_name("portable"),
                  {"copy_f32", {DType::F32}, DType::F32, [](const Few<Operand>& v) { return v[0]; }}, 1);
}
}  // namespace

TEST_CASE("a nest's text has its buffers and statements") {
  CHECK(to_text(copy_nest()) ==
        "nest copy_f32_portable on portable by sample\n"
        "  b0 A: tensor f32\n"
        "  b1 Y: tensor f32 writable\n"
        "  parallel for i = 0 .. N step 1\n"
        "    b1[i] = load:f32(b0, i)\n");
  CHECK(verify(copy_nest()).empty());
}

TEST_CASE("the verifier names what is malformed") {
  LoopNest nest = copy_nest();
  const auto first_error = [&](Stmt s) {
    nest.body = {std::move(s)};
    const auto errors = verify(nest);
    return errors.empty() ? std::string() : errors.front();
  };
  const Operand x = v_load(0, DType::F32, v_int(0));
  CHECK(first_error(s_store(1, v_int(0), v_var("x", {DType::F32, 1, 0}))) == "variable x is not declared");
  CHECK(first_error(s_store(0, v_int(0), x)) == "store to A, which is not writable");
  CHECK(first_error(s_store(7, v_int(0), x)) == "store of buffer 7, which is not there");
  CHECK(first_error(s_store(1, v_size("M"), x)) == "unknown size M");
  CHECK(first_error(s_assign("y", x)) == "assignment to y, which is not declared");
  CHECK(first_error(s_store(1, v_int(0), v_load(0, DType::F64, v_int(0)))) ==
        "load of A as f64, but its elements are f32");
}

TEST_CASE("v_apply folds integers as the C computes them, the lowest over -1 too") {
  const auto folded = [](ScalarOp op, int64_t a, int64_t b) {
    return constant_value(v_apply(op, {v_int(a), v_int(b)}));
  };
  CHECK(folded(ScalarOp::FloorDiv, INT64_MIN, -1) == INT64_MIN);
  CHECK(folded(ScalarOp::Mod, INT64_MIN, -1) == 0);
  CHECK(folded(ScalarOp::FloorDiv, -7, 2) == -4);
  CHECK(folded(ScalarOp::Add, INT64_MAX, 1) == INT64_MIN);
  CHECK_FALSE(folded(ScalarOp::FloorDiv, 1, 0));
}

TEST_CASE("a ramp that all lanes move alike is a ramp from another base") {
  const Operand x = v_var("x"), s = v_size("S"), ramp = v_ramp(x, 4);
  CHECK(to_text(ramp + v_splat(s, 4)) == to_text(v_ramp(x + s, 4)));
  CHECK(to_text(v_splat(s, 4) + ramp) == to_text(v_ramp(s + x, 4)));
  CHECK(to_text(v_apply(ScalarOp::Sub, {ramp, v_splat(s, 4)})) == to_text(v_ramp(v_apply(ScalarOp::Sub, {x, s}), 4)));
  for (const Operand& v :
       {v_apply(ScalarOp::Sub, {v_splat(s, 4), ramp}), v_apply(ScalarOp::Mul, {ramp, v_splat(s, 4)})})
    CHECK(std::holds_alternative<VApply>(v->node));
}

}  // namespace loop_nest_test
