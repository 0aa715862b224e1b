// Gradients of shipped definitions, index maps and recurrences.
#include "differentiate/gradient_ops.h"
#include "library/expand_library.h"
#include "unit/differentiate/differences.h"

namespace gradient_test {
namespace {

std::vector<Case> shipped_cases() {
  return {{"gelu", {{3, 4}}},
          {"mish", {{7}}},
          {"elu", {{9}}, {{"alpha", 0.5}}},
          {"pow", {{3, 4}, {4}}, {}, {}, 0.5, 2},
          {"mul", {{2, 3, 4}, {3, 1}}},
          {"div", {{3, 1}, {2, 1, 5}}, {}, {}, 0.5, 2},
          {"maximum", {{3, 4}, {3, 4}}},
          {"gemm", {{3, 5}, {5, 4}, {1, 4}}, {{"alpha", 0.5}, {"beta", 2.0}}},
          {"gemm", {{5, 3}, {4, 5}}, {{"transA", true}, {"transB", true}}},
          {"matmul", {{2, 1, 3, 4}, {3, 4, 2}}},
          {"conv2d",
           {{2, 4, 7, 6}, {6, 2, 3, 2}, {6}},
           {{"stride", Ints{2, 1}}, {"pads", Ints{1, 0, 2, 1}}, {"groups", int64_t{2}}}},
          {"conv2d",
           {{1, 2, 5, 5}, {3, 2, 2, 2}},
           {{"stride", Ints{3, 3}}, {"pads", Ints{3, 3, 3, 3}}, {"dilation", Ints{2, 1}}}},
          {"maxpool2d", {{1, 2, 6, 5}}, {{"kernel", Ints{3, 2}}, {"stride", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}}},
          {"maxpool2d", {{1, 2, 6, 8}}, {{"kernel", Ints{3, 2}}, {"stride", Ints{3, 2}}}},
          {"avgpool2d", {{1, 2, 6, 5}}, {{"kernel", Ints{3, 2}}, {"stride", Ints{2, 1}}}},
          {"softmax", {{2, 5, 3}}, {{"axis", int64_t{1}}}},
          {"log_softmax", {{4, 5}}},
          {"layernorm", {{3, 7}, {7}, {7}}},
          {"sum", {{2, 3, 4}}, {{"axes", Ints{0, 2}}}},
          {"prod", {{2, 4}}, {{"axes", Ints{1}}}},
          {"prod", {{3, 5, 2}}, {{"axes", Ints{0, 1}}}},
          {"max", {{3, 5}}, {{"axes", Ints{1}}}},
          {"logsumexp", {{3, 5}}, {{"axes", Ints{1}}}},
          {"cumsum", {{3, 5}}, {{"axis", int64_t{1}}, {"reverse", true}}},
          {"cumprod", {{3, 4, 2}}, {{"axis", int64_t{1}}}},
          {"cumprod", {{5, 3}}, {{"axis", int64_t{0}}, {"reverse", true}, {"exclusive", true}}},
          {"gather", {{4, 3}, {5}}, {{"axis", int64_t{0}}}, {{1, -1, 1, 0, 2}}},
          {"grid_sample2d_linear", {{1, 2, 1, 1}, {1, 3, 2, 2}}, {{"align_corners", true}}},
          {"max_unpool", {{5}, {5}}, {{"elements", int64_t{7}}}, {{0, 3, 3, 6, 1}}},
          {"transpose", {{2, 3, 4}}, {{"perm", Ints{2, 0, 1}}}},
          {"slice", {{6, 5}}, {{"begin", Ints{4, 1}}, {"step", Ints{-2, 1}}, {"size", Ints{2, 3}}}},
          {"slice_axis", {{7, 2}, {}, {}, {}}, {{"axis", int64_t{0}}, {"size", int64_t{3}}}, {{6}, {0}, {-2}}},
          {"maxpool3d_with_indices", {{1, 1, 4, 3, 3}}, {{"kernel", Ints{2, 2, 2}}}},
          {"dft", {{2, 9, 1}}, {{"axis", int64_t{1}}, {"onesided", true}}},
          {"dft", {{5, 3, 2}}, {{"axis", int64_t{0}}, {"inverse", true}, {"length", int64_t{8}}}},
          {"inverse", {{2, 3, 3}}},
          {"concat", {{2, 3}, {2, 2}}, {{"axis", int64_t{1}}}}};
}

}  // namespace

TEST_CASE("gradients: shipped definitions agree with their differences") {
  const OpLibrary& defs = tenon_test::shipped_ops();
  check_differences(defs, shipped_cases());
}

namespace {

const char* const kIndexMaps = R"(
ops:
  - op: diagonal
    types: {T: float}
    in: {X: "T[N, N]"}
    out: {Y: "T[N]"}
    body: Y[i] = X[i,i]
  - op: quotients
    types: {T: float}
    in: {X: "T[N]"}
    let: {M: "3*N"}
    out: {Y: "T[M]"}
    index: {j: M}
    body: Y[j] = sq(X[j // 3])
  - op: halves
    types: {T: float}
    in: {X: "T[N]"}
    let: {M: "2*N"}
    out: {Y: "T[M]"}
    index: {j: M}
    body: Y[j] = exp(X[j % N])
  - op: clamped
    types: {T: float}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[i] = X[clamp(i - 2, 0, N - 1)] * X[i]
  - op: mirrored
    types: {T: float}
    require: [N > 2]
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[i] = X[reflect(i - 2, N)]
  - op: scattered
    types: {T: float, I: index}
    in: {X: "T[N]", P: "I[N]"}
    out: {Y: "T[N]"}
    body: Y[wrap(P[i], N)] += sq(X[i])
  - op: written_last
    types: {T: float, I: index}
    in: {X: "T[N]", U: "T[M]", P: "I[M]"}
    out: {Y: "T[N]"}
    body: |
      Y[n] = sq(X[n])
      Y[wrap(P[m], N)] last= sin(U[m])*U[m]
      Y[0] += U[M - 1]
    require: [N >= 1, M >= 1]
  - op: written_where
    types: {T: float}
    in: {X: "T[M]"}
    let: {N: M//2 + 1}
    out: {Y: "T[N]"}
    body: Y[wrap(m, N)] last= sq(X[m]) where X[m] > 0
  - op: zero_in_long_product
    types: {T: float}
    in: {X: "T[N, M]"}
    out: {Y: "T[N]"}
    body: |
      Y[i] = prod[j : j != 3](X[i,j]*cast(abs(j - i), T))
  - op: zeros_in_product
    types: {T: float}
    in: {X: "T[N, M]"}
    out: {Y: "T[N]"}
    body: Y[i] = prod[j](X[i,j] * (j % 2))
  - op: guarded_log
    types: {T: float}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[i] = select(X[i] > 0, log(X[i]), 0)
  - op: guarded_difference
    types: {T: float}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[i] = select(X[i] > 0, 2 - sqrt(X[i]), X[i])
  - op: guarded_parts
    types: {T: float}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[i] = select(X[i] > 0, real(conj(complex(sqrt(X[i]), X[i]))), X[i])
  - op: guarded_twice
    types: {T: float}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: |
      s[i] = sqrt(X[i])
      Y[i] = select(X[i] > 0, s[i], X[i]) + select(X[i] > 1, X[i] - s[i], 0)
  - op: guarded_steps
    types: {T: float}
    require: [M >= 1]
    in: {X: "T[N, M]"}
    out: {Y: "T[N]"}
    body: |
      d[i] = sum[j](X[i,j]*(j % 2 - i % 2))
      q[i] = 1/(padded(y[i - 1], 0)*0 + d[i]*(i // 2))
      y[i] = select(i > 1, atan(q[i])*padded(y[i - 1], 1), sq(X[i,0]))
      Y[i] = y[i]
  - op: stopped
    types: {T: float}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[i] = X[i] * stop(X[i])
  - op: spikes
    types: {T: float}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[i] = 3*above(X[i], 2)
scalar:
  above: {args: [A, B], as: 'select(A > B, 1.0, 0.0)',
                  d : [ 1 / (1 + sq(A - B)), 0 ]
}
)";

OpLibrary index_maps() { return library_of(kIndexMaps); }

}  // namespace

TEST_CASE("gradients: index maps that are solved, and those that are scattered") {
  const OpLibrary defs = index_maps();
  const std::vector<Case> cases = {{"diagonal", {{4, 4}}},
                                   {"quotients", {{4}}},
                                   {"halves", {{5}}},
                                   {"clamped", {{6}}},
                                   {"mirrored", {{6}}},
                                   {"zeros_in_product", {{3, 4}}},
                                   {"zeros_in_product", {{3, 11}}},
                                   {"zero_in_long_product", {{5, 9}}},
                                   {"guarded_log", {{8}}},
                                   {"guarded_difference", {{8}}},
                                   {"guarded_parts", {{8}}},
                                   {"guarded_twice", {{8}}},
                                   {"guarded_steps", {{5, 4}}},
                                   {"scattered", {{4}, {4}}, {}, {{1, -1, 1, 0}}},
                                   {"written_last", {{5}, {4}, {4}}, {}, {{1, -1, 1, 3}}},
                                   {"written_where", {{9}}}};
  check_differences(defs, cases);
}

namespace {

const char* const kRecurrences = R"(
ops:
  - op: gated
    types: {T: float}
    in: {X: "T[B, L, C]", Z: "T[B, L, C]", H0: "T[B, C]"}
    out: {H: "T[B, L, C]"}
    body: H[b,t,c] = (1 - Z[b,t,c])*padded(H[b,t - 1,c], H0[b,c]) + Z[b,t,c]*X[b,t,c]
  - op: lower_solve
    types: {T: float}
    in: {L: "T[N, N]", B: "T[N, M]"}
    out: {X: "T[N, M]"}
    body: |
      X[i,k] = (B[i,k] - sum[j : j < i](L[i,j]*X[j,k]))/(3 + sq(L[i,i]))
  - op: newton_root
    types: {T: float}
    attrs: {steps: int = 5}
    in: {X: "T[*S]"}
    index: {t: steps}
    require: [steps >= 1]
    out: {Y: "T[*S]"}
    body: |
      r[t,*s] = select(t == 0, 0.5*(X[*s] + 1), 0.5*(padded(r[t - 1,*s], 1) + X[*s]/padded(r[t - 1,*s], 1)))
      Y[*s] = r[steps - 1,*s]
  - op: best_path
    types: {T: float}
    in: {A: "T[S, S]", E: "T[L, S]"}
    out: {D: "T[L, S]"}
    body: D[t,j] = E[t,j] + select(t == 0, 0, max[i](padded(D[t - 1,i], 0) + A[i,j]))
  - op: diffused
    types: {T: float}
    in: {X: "T[H, W]"}
    out: {Y: "T[H, W]"}
    body: |
      v[y,x] = X[y,x] + 0.4*padded(e[y,x - 1], 0) + 0.3*sin(padded(e[y - 1,x], 0)) + 0.2*padded(e[y - 1,x + 1], 0)
      e[y,x] = sq(v[y,x])/(1 + sq(X[y,x]))
      Y[y,x] = v[y,x]*e[y,x]
  - op: two_rates
    doc: statements that share the outer loop alone, and a result that is read at data
    types: {T: float, I: index}
    in: {X: "T[L, C]", P: "I[C]"}
    out: {Y: "T[C]"}
    body: |
      s[t] = tanh(sum[c](padded(h[t - 1,c], 0.5)*X[t,c]))
      h[t,c] = s[t]*X[t,c] + 0.5*padded(h[t - 1,c], 0)
      Y[c] = padded(h[L - 1,wrap(P[c], C)], 0)
  - op: horner
    types: {T: float}
    in: {X: "T[B]", C: "T[B, K]"}
    out: {Y: "T[B]"}
    body: |
      Y[b] = sin(fold[k : k != 1](a = 1 + X[b], a*X[b] + C[b,k]))
)";

}  // namespace

TEST_CASE("gradients: recurrences run the other way") {
  const OpLibrary defs = library_of(kRecurrences);
  const std::vector<Case> cases = {{"gated", {{2, 5, 3}, {2, 5, 3}, {2, 3}}},
                                   {"gated", {{2, 0, 3}, {2, 0, 3}, {2, 3}}},
                                   {"lower_solve", {{5, 5}, {5, 3}}},
                                   {"newton_root", {{6}}, {{"steps", int64_t{4}}}, {}, 0.5, 3},
                                   {"newton_root", {{2, 3}}, {{"steps", int64_t{1}}}, {}, 0.5, 3},
                                   {"best_path", {{4, 4}, {6, 4}}},
                                   {"diffused", {{4, 5}}, {}, {}, -1, 1},
                                   {"two_rates", {{5, 3}, {3}}, {}, {{2, 0, 2}}},
                                   {"horner", {{4}, {4, 5}}, {}, {}, -1, 1}};
  check_differences(defs, cases);
}

TEST_CASE("gradients: roots of what is flat at 0 have the gradient 0 there") {
  const OpLibrary defs = library_of(R"(
ops:
  - op: norm
    types: {T: float}
    in: {X: "T[N, D]"}
    out: {Y: "T[N]"}
    body: Y[n] = sqrt(sum[d](sq(X[n,d])))
  - op: distances
    types: {T: float}
    in: {A: "T[N, D]", B: "T[M, D]", W: "T[D]"}
    out: {Y: "T[N, M]"}
    body: Y[n,m] = sum[d](W[d]*(A[n,d] - B[m,d])*(A[n,d] - B[m,d]))**0.5
  - op: p_norm
    types: {T: float}
    attrs: {p: float = 3}
    in: {X: "T[N, D]"}
    out: {Y: "T[N]"}
    body: Y[n] = sum[d](abs(X[n,d])**p)**(1/p)
  - op: running
    types: {T: float}
    in: {X: "T[N, D]"}
    out: {Y: "T[N, D]", Z: "T[N]"}
    body: |
      v[n,d] = 0.9*padded(v[n,d - 1], 0) + 0.1*sq(X[n,d])
      Y[n,d] = cbrt(max(v[n,d], 0))
      Z[n] = sqrt(fold[d](s = 0, s + sq(X[n,d])) + max[d](abs(X[n,d])))
)");
  const auto at_zero = [](const char* op, std::vector<std::vector<int64_t>> shapes) {
    return Case{op, std::move(shapes), {}, {}, 0, 0};
  };
  check_differences(
      defs, {at_zero("norm", {{2, 3}}), at_zero("distances", {{2, 3}, {2, 3}, {3}}), at_zero("p_norm", {{2, 3}}),
             at_zero("running", {{2, 3}}), at_zero("hypot", {{2}, {2}}), at_zero("atan2", {{2}, {2}}),
             Case{"std", {{3, 1}}, {{"axes", Ints{1}}}}, Case{"mean_variance_norm", {{3, 1}}, {{"axes", Ints{1}}}},
             Case{"norm", {{2, 3}}}, Case{"p_norm", {{2, 3}}}});
}

TEST_CASE("gradients: nothing is differentiated within stop()") {
  const OpLibrary defs = index_maps();
  Diagnostics diagnostics;
  const GivenTensor x{true, DType::F64, {constant_int(3)}};
  const auto call = expand_node({defs, *defs.op("stopped"), {x}}, {}, diagnostics, true);
  REQUIRE(call);
  const GradientKernel made = node_gradient(call->kernel, "X", {"Y"}, DerivativeTable(defs));
  REQUIRE(made.kernel);
  CHECK(to_text(*made.kernel).find("dX[i_2] = (dY[i_2] * X[i_2])") != std::string::npos);
}

TEST_CASE("gradients: a function of a definition file has the derivative that its row states") {
  const OpLibrary defs = index_maps();
  Diagnostics diagnostics;
  const auto call =
      expand_node({defs, *defs.op("spikes"), {{true, DType::F64, {constant_int(3)}}}}, {}, diagnostics, true);
  REQUIRE(call);
  const GradientKernel made = node_gradient(call->kernel, "X", {"Y"}, DerivativeTable(defs));
  REQUIRE(made.kernel);
  CHECK(to_text(*made.kernel).find("dX[i_2] = ((dY[i_2] * 3) / (1 + sq((X[i_2] - 2))))") != std::string::npos);
}

TEST_CASE("gradients: windows that are inside of the image ask for nothing") {
  const OpLibrary& defs = tenon_test::shipped_ops();
  const auto asks = [&](int64_t height) {
    Diagnostics diagnostics;
    const GivenTensor x{true, DType::F32, {constant_int(1), constant_int(2), constant_int(height), constant_int(6)}};
    const Attributes attrs = {
        {"kernel", Ints{3, 2}}, {"stride", Ints{2, 2}}, {"pads", Ints{0, 0, height % 2 ? 0 : 1, 0}}};
    const auto call = expand_node({defs, *defs.op("maxpool2d"), {x}, attrs}, {}, diagnostics, true);
    REQUIRE(call);
    const GradientKernel made = node_gradient(call->kernel, "X", {"Y"}, DerivativeTable(defs));
    REQUIRE(made.kernel);
    const KernelStatement& scatter = made.kernel->body.back();
    CHECK(to_text(scatter.value, tensor_names(*made.kernel)).find("select") == std::string::npos);
    return scatter.where != nullptr;
  };
  CHECK_FALSE(asks(9));
  CHECK(asks(8));  // the last row of windows is half outside
}

TEST_CASE("gradients: elements of windows side by side ask whether they are the largest") {
  const OpLibrary& defs = tenon_test::shipped_ops();
  const auto updates = [&](int64_t height) {
    Diagnostics diagnostics;
    const GivenTensor x{true, DType::F32, {constant_int(1), constant_int(2), constant_int(height), constant_int(6)}};
    const Attributes attrs = {{"kernel", Ints{3, 2}}, {"stride", Ints{3, 2}}};
    const auto call = expand_node({defs, *defs.op("maxpool2d"), {x}, attrs}, {}, diagnostics, true);
    REQUIRE(call);
    const GradientKernel made = node_gradient(call->kernel, "X", {"Y"}, DerivativeTable(defs));
    REQUIRE(made.kernel);
    return made.kernel->body.back().update == Update::Add;
  };
  CHECK_FALSE(updates(9));
  CHECK(updates(10));  // the last row is in no window
}

namespace {

/// Kernels of the gradient of an op in f32, in a library.
std::vector<Kernel> gradient_kernels(const std::string& op) {
  const OpLibrary& defs = tenon_test::shipped_ops();
  const GradientOps made = gradient_ops(expand_for_gradients(defs, {{op}, {DType::F32}}), defs);
  return mapped(made.library.ops[0].kernels, [](const LibraryKernel& k) { return k.kernel; });
}

/// What the statement computes that makes the tensor.
std::string value_of(const Kernel& kernel, const std::string& tensor) {
  for (const KernelStatement& s : kernel.body)
    if (kernel.tensor(s.target).name == tensor) return to_text(s.value, tensor_names(kernel));
  return "";
}

}  // namespace

TEST_CASE("gradients: factors that do not change over a sum multiply it") {
  const std::vector<Kernel> made_of = gradient_kernels("batch_norm");
  REQUIRE(mapped(made_of, &Kernel::name) ==
          std::vector<std::string>{"batch_norm_grad_f32_dX", "batch_norm_grad_f32_dB_dM", "batch_norm_grad_f32_dG_dV"});
  CHECK(value_of(made_of[1], "r") == "sum[n_2 < N, s_2 < S](dY[n_2, c_2, s_2])");
  CHECK(value_of(made_of[1], "dM") == "neg((r[c_4] * (G[c_4] / sqrt((V[c_4] + eps)))))");
  CHECK(value_of(made_of[2], "r") == "sum[n_2 < N, s_2 < S]((dY[n_2, c_2, s_2] * (X[n_2, c_2, s_2] - M[c_2])))");
  CHECK(value_of(made_of[2], "dG") == "(r[c_2] / sqrt((V[c_2] + eps)))");
  // what the definition divides by stays where it is: squares may overflow without it
  const OpLibrary& defs = tenon_test::shipped_ops();
  const GradientOps made = gradient_ops(expand_for_gradients(defs, {{"l2_normalize"}, {DType::F32}}), defs);
  const std::string text = to_text(made.library.ops[0].kernels[0].kernel);
  INFO(text);
  CHECK(text.find("sum[d_2 < D]((dY[p_2, d_2, q_2] * ((X[p_2, d_2, q_2] / s[p_2, q_2]) / select(") !=
        std::string::npos);
}

TEST_CASE("gradients: terms of a suffix leave what depends on its first element outside of the sum") {
  const std::vector<Kernel> made = gradient_kernels("cumprod");
  REQUIRE(made.size() == 1);
  const Expr& value = made[0].body.back().value;
  INFO(to_text(made[0]));
  int sums = 0;
  walk(value, [&](const Expr& e) {
    const auto* r = std::get_if<Reduce>(&e->node);
    if (!r) return true;
    ++sums;
    CHECK(mentions(r->where, "k_2"));
    CHECK_FALSE(mentions(r->value, "k_2"));  // of all sums, one pass makes each
    return false;
  });
  CHECK(sums > 0);
  CHECK(std::holds_alternative<Select>(value->node));  // elements that are 0 divide nothing
}

TEST_CASE("gradients: those that share half of their sums are one kernel, unless a call may repeat an operand") {
  const auto names = [](const std::string& op) { return mapped(gradient_kernels(op), &Kernel::name); };
  using Names = std::vector<std::string>;
  CHECK(names("attention") ==
        Names{"attention_grad_f32_dQ_dK_dV", "attention_grad_f32_dA", "attention_grad_f32_noA_dQ_dK_dV"});
  CHECK(names("matmul") == Names{"matmul_grad_f32_dA", "matmul_grad_f32_dB"});
  CHECK(names("layernorm") ==
        Names{"layernorm_grad_f32_dX_dG", "layernorm_grad_f32_dB", "layernorm_grad_f32_noB_dX_dG"});
}

TEST_CASE("gradients: why an op has none") {
  const OpLibrary& defs = tenon_test::shipped_ops();
  CHECK(no_gradient(*defs.op("argmax")) == "its definition says 'grad: none'");
  CHECK(no_gradient(*defs.op("logical_not")) == "it has no floating output");
  CHECK(no_gradient(*defs.op("relu")).empty());
  CHECK(no_gradient(*defs.op("dequantize")).empty());  // of its scales
}

}  // namespace gradient_test
