// Copies of whole tensors: which statements are one, what the function is called and given, and that libraries call it.
#include "lower/kernel/whole_copy.h"

#include "catch.h"
#include "isa/all_isas.h"
#include "lower/lower_kernel.h"

namespace whole_copy_test {

using namespace tenon;

namespace {

const Expr P = size_ref("P"), Q = size_ref("Q");
Expr v(const std::string& name) { return var_ref(name); }

/// Y[p, q] = X[p, q], X with these steps, of P rows
Kernel copy(std::vector<Expr> steps, const Expr& rows = P) {
  Kernel k;
  k.name = "copy_f32";
  k.sizes = {{"P"}, {"Q"}, {"X_s0"}, {"X_s1"}};
  k.tensors = {{"X", Role::Input, DType::F32, {rows, Q}, std::move(steps)},
               {"Y", Role::Output, DType::F32, {rows, Q}, contiguous_strides({rows, Q})}};
  k.body = {
      {1, {v("p"), v("q")}, Update::Assign, read_of(0, DType::F32, {v("p"), v("q")}), {{"p", rows}, {"q", Q}}, ""}};
  return k;
}

std::vector<std::string> texts(const std::vector<Operand>& values) {
  std::vector<std::string> out;
  for (const Operand& o : values) out.push_back(to_text(o));
  return out;
}

}  // namespace

TEST_CASE("whole_copy: named by its dimensions and type, given extents and steps") {
  const auto strided = whole_copy(copy({size_ref("X_s0"), size_ref("X_s1")}));
  REQUIRE(strided);
  CHECK(strided->kernel.name == "copy_2d_f32");
  const std::vector<std::string> given = {"P", "X_s0", "Q", "X_s1"}, product = {"mul(P, Q)"};
  CHECK(texts(strided->sizes) == given);
  const auto flat = whole_copy(copy(contiguous_strides({P, Q})));
  REQUIRE(flat);
  CHECK(flat->kernel.name == "copy_1d_f32");
  CHECK(texts(flat->sizes) == product);
}

TEST_CASE("whole_copy: not where more is done, or where less is open") {
  Kernel transposed = copy(contiguous_strides({P, Q}));
  transposed.body[0].value = read_of(0, DType::F32, {v("q"), v("p")});
  CHECK_FALSE(whole_copy(transposed));
  Kernel padded = copy(contiguous_strides({P, Q}));
  padded.body[0].value = read_of(0, DType::F32, {v("p"), v("q")}, constant_float(0, DType::F32));
  CHECK_FALSE(whole_copy(padded));
  Kernel fixed = copy({constant_int(4), constant_int(1)}, constant_int(3));
  fixed.tensors[0].dims[1] = fixed.tensors[1].dims[1] = constant_int(4);
  fixed.body[0].loops[1].extent = constant_int(4);
  CHECK_FALSE(whole_copy(fixed));
}

TEST_CASE("lower_levels: the copy before an update is a function, lower_kernel has it in the body") {
  Kernel k = copy({size_ref("X_s0"), size_ref("X_s1")});
  k.tensors.push_back({"U", Role::Input, DType::F32, {Q}, {constant_int(1)}});
  k.body.push_back({1, {constant_int(0), v("q")}, Update::Add, read_of(2, DType::F32, {v("q")}), {{"q", Q}}, ""});
  const Isa& isa = *isa_from_name("x86-64-v3");
  const auto levels = lower_levels(k, Blueprints{}, {&isa});
  REQUIRE(levels[0]);
  CHECK(verify(*levels[0]) == std::vector<std::string>{});
  REQUIRE(levels[0]->functions.size() == 1);
  CHECK(levels[0]->functions[0].name == "copy_2d_f32");
  CHECK(to_text(*levels[0]).find("call f0(b0+0, b1+0, P, X_s0, Q, X_s1)") != std::string::npos);
  for (const InnerFunction& f : lower_kernel(k, Blueprints{}, isa).functions) CHECK(f.name == "transpose_tile_8_f32");
}

}  // namespace whole_copy_test
