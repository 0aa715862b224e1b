// Lowering of kernels whose places in memory are read or computed at run time.
#include "unit/lower/hand_made.h"

namespace read_places_test {

using namespace tenon;
using namespace tenon_test;

namespace {

/// Y[p, q] = X[p, q] with run-time strides of X; Y[I[j], q] += U[j, q], where I counts from the end if it is negative
Kernel add_rows() {
  const Expr P = size_ref("P"), Q = size_ref("Q"), J = size_ref("J"), row = read_of(1, DType::I64, {v("j")});
  Kernel k;
  k.name = "add_rows_f32";
  k.sizes = {{"P"}, {"Q"}, {"J"}, {"X_s0"}, {"X_s1"}};
  k.tensors = {{"X", Role::Input, DType::F32, {P, Q}, {size_ref("X_s0"), size_ref("X_s1")}},
               tensor("I", Role::Input, {J}),
               tensor("U", Role::Input, {J, Q}),
               tensor("Y", Role::Output, {P, Q})};
  k.tensors[1].dtype = DType::I64;
  k.body = {{3, {v("p"), v("q")}, Update::Assign, at(0, {v("p"), v("q")}), {{"p", P}, {"q", Q}}, ""},
            {3,
             {select(apply(ScalarOp::Lt, {row, constant_int(0)}), row + P, row), v("q")},
             Update::Add,
             at(2, {v("j"), v("q")}),
             {{"j", J}, {"q", Q}},
             ""}};
  return k;
}

/// Y[j] = padded X[floor of P[j]]
Kernel sampled() {
  const Expr N = size_ref("N"), J = size_ref("J");
  Kernel k;
  k.name = "sampled_f32";
  k.sizes = {{"N"}, {"J"}};
  k.tensors = {tensor("X", Role::Input, {N}), tensor("P", Role::Input, {J}), tensor("Y", Role::Output, {J})};
  const Expr place = cast_to(apply(ScalarOp::Floor, {at(1, {v("j")})}), DType::I64);
  k.body = {
      {2, {v("j")}, Update::Assign, read_of(0, DType::F32, {place}, constant_float(0, DType::F32)), {{"j", J}}, ""}};
  return k;
}

}  // namespace

TEST_CASE("an update in place has forks of its own, each of which looks its place up once") {
  const LoopNest nest = lowered(add_rows(), "x86-64-v3");
  REQUIRE(nest.body.size() == 2);
  CHECK(std::get_if<SIf>(&nest.body[0].node) != nullptr);
  CHECK(std::get_if<SIf>(&nest.body[1].node) != nullptr);  // is the last extent 1?
  const std::string text = to_text(nest);
  CHECK(count(text, ": place = ") == 2);
  CHECK(count(text, "load:i64(b1") == 2);
}

TEST_CASE("an index of a narrow type is read once, too") {
  Kernel k = add_rows();
  k.tensors[1].dtype = DType::I32;
  const Expr row = cast_to(read_of(1, DType::I32, {v("j")}), DType::I64);
  k.body[1].index[0] = select(apply(ScalarOp::Lt, {row, constant_int(0)}), row + size_ref("P"), row);
  Check inside;
  inside.loops = {{"j", size_ref("J")}};
  inside.holds =
      apply(ScalarOp::And, {apply(ScalarOp::Ge, {row, constant_int(0)}), apply(ScalarOp::Lt, {row, size_ref("P")})});
  k.checks = {inside};
  CHECK(count(to_text(lowered(k, "x86-64-v3")), "load:i32(b1") == 2);  // by both forks
}

TEST_CASE("a place that is computed in floats is computed once") {
  for (const char* isa : {"portable", "x86-64-v3"}) CHECK(count(to_text(lowered(sampled(), isa)), "floor") == 1);
}

}  // namespace read_places_test
