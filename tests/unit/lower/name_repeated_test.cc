// Names for positions that a nest writes out more than once.
#include "catch.h"
#include "lower/nest/nest_passes.h"

namespace name_repeated_test {

using namespace tenon;

namespace {

/// for p below P: for q below Q: Y[p*S*T + q] = X[offset]
LoopNest copy_with(const Operand& offset) {
  auto k = std::make_shared<Kernel>();
  k->name = "copy_f32";
  k->sizes = {{"P"}, {"Q"}, {"S"}, {"T"}};
  const std::vector<Expr> dims{size_ref("P"), size_ref("Q")};
  k->tensors = {{"X", Role::Input, DType::F32, dims, contiguous_strides(dims)},
                {"Y", Role::Output, DType::F32, dims, contiguous_strides(dims)}};
  LoopNest nest;
  nest.name = "copy_f32_portable";
  nest.isa = "portable";
  nest.kernel = k;
  nest.buffers = {{"X", DType::F32, Storage::Tensor, 0, nullptr, false},
                  {"Y", DType::F32, Storage::Tensor, 1, nullptr, true}};
  const Operand row = v_var("p") * v_size("S") * v_size("T");
  Block inner{s_store(1, row + v_var("q"), v_load(0, DType::F32, offset))};
  Block outer{s_for("q", v_int(0), v_size("Q"), 1, std::move(inner))};
  nest.body = {s_for("p", v_int(0), v_size("P"), 1, std::move(outer))};
  return nest;
}

const Block& body_of(const Stmt& loop) { return *std::get<SFor>(loop.node).body; }

}  // namespace

TEST_CASE("what two offsets share is in front of the loop that does not change it") {
  const LoopNest nest = name_repeated(copy_with(v_var("p") * v_size("S") * v_size("T") + v_var("q")));
  REQUIRE(verify(nest) == std::vector<std::string>{});
  REQUIRE(nest.body.size() == 1);
  const Block& outer = body_of(nest.body[0]);
  REQUIRE(outer.size() == 2);
  const auto& let = std::get<SLet>(outer[0].node);
  CHECK(to_text(let.value) == to_text(v_var("p") * v_size("S") * v_size("T")));
  const auto& store = std::get<SStore>(body_of(outer[1])[0].node);
  CHECK(to_text(store.offset) == to_text(v_var(let.name) + v_var("q")));
  CHECK(to_text(std::get<VLoad>(store.value->node).offset) == to_text(store.offset));
}

TEST_CASE("sizes alone are joined in front of all loops") {
  const Operand step = v_size("S") * v_size("T") * v_size("Q");
  const LoopNest nest = name_repeated(copy_with(v_var("p") * step + v_var("q") * step));
  REQUIRE(verify(nest) == std::vector<std::string>{});
  REQUIRE(nest.body.size() == 2);
  CHECK(to_text(std::get<SLet>(nest.body[0].node).value) == to_text(step));
}

TEST_CASE("what occurs once, is short or reads memory stays where it is") {
  const Operand p = v_var("p"), S = v_size("S"), T = v_size("T");
  const Operand once = p * S * S + v_var("q"), brief = p * S + p * S + v_var("q");
  const Operand read = v_cast(v_load(0, DType::F32, p * S), DType::I64);
  for (const Operand& offset : {once, brief, read * S * T + read * S * T})
    CHECK(to_text(name_repeated(copy_with(offset))) == to_text(copy_with(offset)));
}

TEST_CASE("what a value asks twice has a name in whatever loop") {
  const Operand w = v_var("q") * v_size("S") - v_size("T");
  const Operand inside =
      v_apply(ScalarOp::And, {v_apply(ScalarOp::Ge, {w, v_int(0)}), v_apply(ScalarOp::Lt, {w, v_size("Q")})});
  LoopNest window = copy_with(v_var("q"));
  SStore store = std::get<SStore>(body_of(body_of(window.body[0])[0])[0].node);
  store.value = v_select(inside, v_load(0, DType::F32, v_var("p") * v_size("Q") + w), store.value);
  window.body = {s_for("p", v_int(0), v_size("P"), 1, {s_for("q", v_int(0), v_size("Q"), 1, {Stmt{store}})})};
  const LoopNest nest = name_repeated(window);
  REQUIRE(verify(nest) == std::vector<std::string>{});
  const Block& inner = body_of(body_of(nest.body[0])[0]);
  REQUIRE(inner.size() == 2);
  const auto& let = std::get<SLet>(inner[0].node);
  CHECK(let.name == "at_q");
  CHECK(let.any);
  CHECK(to_text(let.value) == to_text(w));
  const auto& value = std::get<VSelect>(std::get<SStore>(inner[1].node).value->node);
  CHECK(to_text(value.cond) == to_text(v_apply(ScalarOp::And, {v_apply(ScalarOp::Ge, {v_var("at_q"), v_int(0)}),
                                                               v_apply(ScalarOp::Lt, {v_var("at_q"), v_size("Q")})})));
  CHECK(to_text(std::get<VLoad>(value.yes->node).offset) == to_text(v_var("p") * v_size("Q") + v_var("at_q")));
}

TEST_CASE("a name is behind those that it is made of, also where the rest of it is constants") {
  const Operand part = v_size("S") * v_size("T") * v_size("Q"), whole = part * v_int(2) + v_int(1);
  const LoopNest nest = name_repeated(copy_with(v_var("p") * whole + v_var("q") * whole + part));
  CHECK(verify(nest) == std::vector<std::string>{});
  REQUIRE(nest.body.size() == 3);
  CHECK(to_text(std::get<SLet>(nest.body[0].node).value) == to_text(part));
}

}  // namespace name_repeated_test
