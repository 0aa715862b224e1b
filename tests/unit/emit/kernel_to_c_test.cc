// Functions made from loop nests: their heads, names, workspaces and split loops.
#include "emit/kernel_to_c.h"

#include "catch.h"
#include "ir/text/print_c99.h"
#include "isa/all_isas.h"
#include "scalar_functions.h"
#include "unit/emit/sample_nests.h"

namespace kernel_to_c_test {

using namespace tenon;
using namespace tenon_test;

namespace {

MapCase addition() {
  return {"add_f32", {DType::F32, DType::F32}, DType::F32, [](const Few<Operand>& v) { return v[0] + v[1]; }};
}

std::string body_of(const std::string& text) { return text.substr(text.find("*/\n") + 3); }

std::string emitted(const LoopNest& nest, const Isa& isa, EmitOptions options = {}) {
  options.scalars = &shipped_scalar_functions();
  EmitNeeds needs;
  REQUIRE(verify(nest).empty());
  return body_of(print_c99(emit_kernel(nest, isa, options, needs)));
}

}  // namespace

TEST_CASE("a map in portable C") {
  const Isa& portable = *isa_from_name("portable");
  CHECK(
      emitted(map_nest(portable, addition(), 1), portable) ==
      R"(static int tn_add_f32_portable(const int64_t *size, const tn_scalar *attr, const void *const *in, void *const *out,
    void *workspace) {
  (void)attr;
  (void)workspace;
  const int64_t N = size[0];
  const float *restrict A = (const float *)in[0];
  const float *restrict B = (const float *)in[1];
  float *restrict Y = (float *)out[0];
  for (int64_t i = 0; i < N; ++i) {
    Y[i] = A[i] + B[i];
  }
  return 0;
}
)");
}

TEST_CASE("the comment has the definition's text, but what was put together is written from its statements") {
  Kernel k = kernel_over_n("k", {DType::F32}, DType::F32);
  k.body = {{1,
             {var_ref("n")},
             Update::Assign,
             apply(ScalarOp::Max, {read_of(0, DType::F32, {var_ref("n")}), constant_float(0, DType::F32)}),
             {{"n", size_ref("N")}},
             "Y[*s] = max(X[*s], 0)"}};
  CHECK(banner_of(k).what.find("Y[*s] = max(X[*s], 0)\n") == 0);
  k.fused = {"neg", "relu"};
  CHECK(banner_of(k).what.find("Y[n] = max(A[n], 0)\n") == 0);
}

TEST_CASE("a map in vectors with a masked tail") {
  const Isa& v3 = *isa_from_name("x86-64-v3");
  const std::string text = emitted(map_nest(v3, addition(), 8), v3);
  CHECK(text.find("*(tn_f32x8_at *)&Y[i] = *(const tn_f32x8_at *)&A[i] + *(const tn_f32x8_at *)&B[i];") !=
        std::string::npos);
  CHECK(text.find("const int64_t whole = N / 8 * 8;") != std::string::npos);
}

namespace {

/// The functions that a map of so many lanes calls.
std::string functions_of(const char* level, const MapCase& map, int lanes) {
  EmitNeeds needs;
  EmitOptions options;
  options.scalars = &shipped_scalar_functions();
  std::string text;
  const Isa& isa = *isa_from_name(level);
  emit_kernel(map_nest(isa, map, lanes), isa, options, needs);
  for (const CFunction& f : needs.functions()) text += print_c99(f);
  return text;
}

}  // namespace

TEST_CASE("the first elements of a run are copied by two moves that may overlap, where masks have no quick store") {
  const auto text_at = [](const char* level, DType type, int lanes) {
    return functions_of(level, {"copy", {type}, type, [](const Few<Operand>& v) { return v[0]; }}, lanes);
  };
  const std::string bytes = text_at("x86-64-v3", DType::U8, 32), floats = text_at("x86-64-v2", DType::F32, 4);
  INFO(bytes << floats);
  for (const char* part : {"(n >= 16)", "(n >= 8)", "(n >= 4)", "(n >= 2)", "(n >= 1)"})
    CHECK(bytes.find(part) != std::string::npos);
  CHECK(bytes.find("memcpy(p + (n - 16), &last, 16);") != std::string::npos);
  CHECK(floats.find("(n >= 2)") != std::string::npos);
  CHECK(floats.find("(n >= 4)") == std::string::npos);
  CHECK(text_at("x86-64-v4", DType::F32, 16).find("copy_first") == std::string::npos);
}

TEST_CASE("the first lanes of one number are stored twice, without parts for each bit of their count") {
  const MapCase fill{"fill", {DType::F32}, DType::F32, [](const Few<Operand>&) {
                       return v_splat(v_cast(v_size("N"), DType::F32), 8);
                     }};
  const std::string text = functions_of("x86-64-v3", fill, 8);
  INFO(text);
  CHECK(text.find("memcpy(p + (n - 4), &half, 16);") != std::string::npos);
  CHECK(text.find("store_first") == std::string::npos);
}

TEST_CASE("the first lanes are stored in parts where masks have no quick store, by one instruction where they have") {
  const auto text_at = [](const char* level, DType type, int lanes) {
    return functions_of(level, {"twice", {type}, type, [](const Few<Operand>& v) { return v[0] + v[0]; }}, lanes);
  };
  const std::string bytes = text_at("x86-64-v3", DType::U8, 32), floats = text_at("x86-64-v3", DType::F32, 8);
  INFO(bytes << floats);
  for (const char* part : {"(n & 16)", "(n & 8)", "(n & 4)", "(n & 2)", "(n & 1)"})
    CHECK(bytes.find(part) != std::string::npos);
  CHECK(floats.find("maskstore") == std::string::npos);
  CHECK(floats.find("(n & 8)") == std::string::npos);
  CHECK(text_at("x86-64-v4", DType::F32, 16).find("mask_storeu") != std::string::npos);
}

TEST_CASE("one condition for all lanes chooses by a conditional expression, not by a mask") {
  const MapCase chosen{"chosen_f32", {DType::F32}, DType::F32, [](const Few<Operand>& v) {
                         const int lanes = v[0]->type.lanes;
                         const Operand none = v_apply(ScalarOp::Eq, {v_size("N"), v_int(3)});
                         return v_select(v_splat(none, lanes), v_const(0, v[0]->type), v[0] + v[0]);
                       }};
  const Isa& v3 = *isa_from_name("x86-64-v3");
  const std::string text = emitted(map_nest(v3, chosen, 8), v3);
  INFO(text);
  CHECK(text.find("N == 3 ? (tn_f32x8){0} : (tn_f32x8)(*(const tn_f32x8_at *)&A[i] +") != std::string::npos);
  CHECK(text.find("blendv") == std::string::npos);
}

TEST_CASE("conditions of several comparisons stay in mask registers up to the select") {
  const MapCase wins{"wins_f32", {DType::F32, DType::F32}, DType::F32, [](const Few<Operand>& v) {
                       const Operand beats = v_apply(ScalarOp::Not, {v_apply(ScalarOp::Le, {v[0], v[1]})});
                       const Operand number = v_apply(ScalarOp::Eq, {v[1], v[1]});
                       return v_select(v_apply(ScalarOp::And, {beats, number}), v[0], v[1]);
                     }};
  const Isa& v4 = *isa_from_name("x86-64-v4");
  const std::string text = emitted(map_nest(v4, wins, 16), v4);
  INFO(text);
  CHECK(text.find("_mm512_mask_blend_ps(_kand_mask16(_mm512_cmp_ps_mask(") != std::string::npos);
  CHECK(text.find("_CMP_NLE_US)") != std::string::npos);
  CHECK(text.find("movepi32_mask") == std::string::npos);
}

TEST_CASE("bytes of floats are bounded before NaN is known where the level converts under a mask") {
  const MapCase bytes{
      "bytes_f32", {DType::F32}, DType::I8, [](const Few<Operand>& v) { return v_cast(v[0], DType::I8); }};
  const Isa& v4 = *isa_from_name("x86-64-v4");
  EmitNeeds needs;
  emit_kernel(map_nest(v4, bytes, 16), v4, {}, needs);
  std::string pieces;
  for (const CFunction& f : needs.functions()) pieces += print_c99(f);
  CHECK(pieces.find("_mm512_maskz_cvttps_epi32(_mm512_cmp_ps_mask(a, a, _CMP_EQ_OQ), bounded)") != std::string::npos);
}

TEST_CASE("bytes of floats are the low bytes of bounded integers where NaN has none, picked half by half") {
  const MapCase bytes{
      "bytes_f32", {DType::F32}, DType::I8, [](const Few<Operand>& v) { return v_cast(v[0], DType::I8); }};
  const std::string text = functions_of("x86-64-v3", bytes, 8);
  INFO(text);
  CHECK(text.find("(tn_i32x8)_mm256_cvttps_epi32(bounded)") != std::string::npos);
  CHECK(text.find("blendv") == std::string::npos);
  CHECK(text.find("tn_i8x32)a, 0, 4, 8, 12, 0, 4, 8, 12,") != std::string::npos);
  CHECK(text.find("(tn_i32x8)low, (tn_i32x8)low, 0, 4)") != std::string::npos);
}

TEST_CASE("a float that becomes a byte on its way to a wider integer has the byte's number in wide lanes") {
  const MapCase wide{"wide_f32", {DType::F32}, DType::I32, [](const Few<Operand>& v) {
                       return v_cast(v_cast(v[0], DType::I8), DType::I32);
                     }};
  const Isa& v3 = *isa_from_name("x86-64-v3");
  const std::string text = emitted(map_nest(v3, wide, 8), v3);
  INFO(text);
  CHECK(text.find("= tn_f32x8_i8_of_float_lanes_x86_64_v3(") != std::string::npos);
  CHECK(text.find("of_wider") == std::string::npos);
}

TEST_CASE("what wraps step by step is computed in the unsigned type from end to end") {
  const MapCase polynomial{"poly_i32", {DType::I32, DType::I32}, DType::I32, [](const Few<Operand>& v) {
                             return v[0] * v[1] - v[0] * v[0];
                           }};
  const Isa& portable = *isa_from_name("portable");
  CHECK(emitted(map_nest(portable, polynomial, 1), portable)
            .find("Y[i] = (int32_t)((uint32_t)A[i] * (uint32_t)B[i] - (uint32_t)A[i] * (uint32_t)A[i]);") !=
        std::string::npos);
  const Isa& v3 = *isa_from_name("x86-64-v3");
  const std::string vectors = emitted(map_nest(v3, polynomial, 8), v3);
  INFO(vectors);
  CHECK(vectors.find("(tn_i32x8)((tn_u32x8)") != std::string::npos);
  CHECK(vectors.find("(tn_u32x8)(tn_i32x8)") == std::string::npos);
}

TEST_CASE("a model's function takes typed arguments, and a range of its parallel loop") {
  const Isa& portable = *isa_from_name("portable");
  EmitOptions options;
  options.style = FunctionStyle::Model;
  options.split_parallel = true;
  const LoopNest nest = map_nest(portable, addition(), 1);
  const std::string text = emitted(nest, portable, options);
  CHECK(
      text.starts_with("static int tn_add_f32_portable(const float *restrict A, const float *restrict B, float "
                       "*restrict Y, int64_t N,"));
  CHECK(text.find("for (int64_t i = begin; i < end; ++i) {") != std::string::npos);
  CHECK(to_text(parallel_iterations(nest)) == "N");
}

TEST_CASE("sizes of one value are literals, also in what is computed from them") {
  const Isa& portable = *isa_from_name("portable");
  Kernel kernel = kernel_over_n("twice", {DType::F32}, DType::F32);
  kernel.sizes[0].lo = kernel.sizes[0].hi = 70000;
  LoopNest nest = nest_of(portable, std::move(kernel));
  nest.body = {s_store(1, v_size("N") * v_size("N"), v_load(0, DType::F32, v_int(0)))};
  CHECK(emitted(nest, portable).find("Y[INT64_C(4900000000)] = A[0];") != std::string::npos);
}

TEST_CASE("names that C or the function's head take get another spelling") {
  const Isa& portable = *isa_from_name("portable");
  Kernel kernel = kernel_over_n("names", {DType::F32}, DType::F32);
  kernel.tensors[0].name = "in";
  LoopNest nest = nest_of(portable, std::move(kernel));
  nest.body = {s_for("int", v_int(0), v_size("N"), 1,
                     {s_let("size", v_load(0, DType::F32, v_var("int"))),
                      s_store(1, v_var("int"), v_var("size", {DType::F32, 1, 0}))})};
  const std::string text = emitted(nest, portable);
  CHECK(text.find("const float size_ = in_[int_];") != std::string::npos);
}

TEST_CASE("workspace buffers are carved from aligned memory") {
  const Isa& portable = *isa_from_name("portable");
  LoopNest nest = nest_of(portable, kernel_over_n("staged", {DType::F32}, DType::F32));
  nest.buffers.push_back(Buffer{"row", DType::F32, Storage::Workspace, -1, v_size("N"), true});
  nest.buffers.push_back(Buffer{"tile", DType::F64, Storage::Workspace, -1, v_int(3), true});
  nest.body = {s_store(2, v_int(0), v_load(0, DType::F32, v_int(0))),
               s_store(3, v_int(0), v_const(0, {DType::F64, 1, 0})),
               s_store(1, v_int(0), v_load(2, DType::F32, v_int(0)))};
  const std::string text = emitted(nest, portable);
  CHECK(text.find("free_memory = (unsigned char *)workspace + (-(uintptr_t)workspace & 63u);") != std::string::npos);
  CHECK(text.find("free_memory += (N * 4 + 63) / 64 * 64;") != std::string::npos);
  EmitNeeds needs;
  const std::string bytes = print_c99(emit_workspace_function(nest, portable, {}, needs));
  CHECK(bytes.find("return (tn_rt_bytes_times(N, 4) + 63) / 64 * 64 + 64 + 63;") != std::string::npos);
  CHECK(!constant_workspace_bytes(nest, FunctionStyle::Library));
}

TEST_CASE("repetitions of an unrolled loop have their index as a number") {
  const Isa& portable = *isa_from_name("portable");
  LoopNest nest = nest_of(portable, kernel_over_n("unrolled", {DType::F32}, DType::F32));
  nest.body = {with_kind(LoopKind::Unrolled,
                         s_for("r", v_int(0), v_int(2), 1,
                               {s_store(1, v_var("r") * v_int(3), v_load(0, DType::F32, v_var("r") + v_int(1)))}))};
  const std::string text = emitted(nest, portable);
  CHECK(text.find("Y[0] = A[1];\n  Y[3] = A[2];\n") != std::string::npos);
}

TEST_CASE("a compiler is asked to unroll a loop that moves single elements by two, where there are vectors") {
  for (const char* level : {"portable", "x86-64-v3"})
    for (const bool moves : {true, false}) {
      const Isa& isa = *isa_from_name(level);
      LoopNest nest = nest_of(isa, kernel_over_n("moved", {DType::F32}, DType::F32));
      const Operand x = v_load(0, DType::F32, v_var("r")), twice = v_int(2) * v_var("r");
      nest.body = {s_for("r", v_int(0), v_size("N"), 1, {s_store(1, twice, moves ? x : x + x)})};
      INFO(level << moves);
      CHECK((emitted(nest, isa).find("#pragma GCC unroll 2\n") != std::string::npos) == (moves && isa.vector_bits > 0));
    }
}

TEST_CASE("a compiler is asked to unroll a loop that computes little of one element by four, where there are vectors") {
  const Isa &v3 = *isa_from_name("x86-64-v3"), &portable = *isa_from_name("portable");
  const Operand x = v_load(0, DType::F32, v_int(2) * v_var("r")), magnitude = v_apply(ScalarOp::Abs, {x});
  const auto by_four = [&](const Isa& isa, const Operand& value, int64_t begin) {
    LoopNest nest = nest_of(isa, kernel_over_n("little", {DType::F32}, DType::F32));
    nest.body = {s_for("r", v_int(begin), v_size("N"), 1, {s_store(1, v_var("r"), value)})};
    return emitted(nest, isa).find("#pragma GCC unroll 4\n") != std::string::npos;
  };
  CHECK(by_four(v3, magnitude, 0));
  CHECK_FALSE(by_four(portable, magnitude, 0));
  CHECK_FALSE(by_four(v3, magnitude, 1));
  CHECK_FALSE(by_four(v3, x + x + x + x, 0));
}

TEST_CASE("vectors of indices become floats by way of f64, which no level converts one by one") {
  for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "neon"}) {
    const Isa& isa = *isa_from_name(level);
    LoopNest nest = nest_of(isa, kernel_over_n("indices", {DType::F32}, DType::F64));
    const Operand indices = v_cast(v_ramp(v_var("r"), 2), DType::F64);
    nest.body = {s_for("r", v_int(0), v_size("N"), 2, {s_store(1, v_var("r"), indices)})};
    const std::string text = emitted(nest, isa);
    INFO(text);
    CHECK(text.find("(double)r + (tn_f64x2){0, 1}") != std::string::npos);
  }
}

TEST_CASE("a compiler is asked to unroll a paired loop by two") {
  const Isa& portable = *isa_from_name("portable");
  LoopNest nest = nest_of(portable, kernel_over_n("paired", {DType::F32}, DType::F32));
  nest.body = {with_kind(LoopKind::Paired, s_for("r", v_int(0), v_size("N"), 1,
                                                 {s_store(1, v_var("r"), v_load(0, DType::F32, v_var("r")))}))};
  CHECK(emitted(nest, portable).find("  #pragma GCC unroll 2\n  for (int64_t r = 0; r < N; ++r) {\n") !=
        std::string::npos);
}

TEST_CASE("the same nest gives the same text") {
  const Isa& v4 = *isa_from_name("x86-64-v4");
  const LoopNest nest = fold_nest(v4, "sum_f32", DType::F32, Reducer::Sum, ScalarOp::Add);
  CHECK(emitted(nest, v4) == emitted(nest, v4));
}

}  // namespace kernel_to_c_test
