// library_files on a few definitions with kernels written by hand: the output compiles under every warning and answers
// as the contract says.
#include "harness/library/library_output.h"

#include <fmt/format.h>

#include <cstdlib>
#include <functional>

#include "catch.h"
#include "harness/library_names.h"
#include "library/expand_library.h"
#include "opdef/read_ops.h"
#include "scratch_dir.h"
#include "support/check.h"

namespace library_output_test {

using namespace tenon;

namespace {

const char* const kOps = R"yaml(
families:
  - family: unary
    in:   {X: "T[*S]"}
    out:  {Y: "T[*S]"}
    body: Y[*s] = $e
    ops:
      relu: {types: {T: real}, e: "max(X[*s], 0)"}
      clip: {types: {T: real}, e: "min(max(X[*s], lo), hi)", attrs: {lo: T = -inf, hi: T = inf}}
  - family: binary
    in:   {A: "T[~*S]", B: "T[~*S]"}
    out:  {Y: "T[*S]"}
    body: Y[*s] = $e
    ops:
      add: {types: {T: number}, e: "A[*s] + B[*s]"}
ops:
  - op: gemm
    doc: Y = alpha*A'*B' + beta*C
    types: {T: number}
    attrs:
      transA: bool = false
      transB: bool = false
      alpha:  T = 1
      beta:   T = 1
    in:
      A: T[M, K]
      B: T[K, N]
      C?: T[~M, ~N]
    storage:
      A: {if: transA, as: [K, M]}
      B: {if: transB, as: [N, K]}
    out:
      Y: T[M, N]
    body: |
      Y[m,n] = alpha*sum[k](A[m,k]*B[k,n]) + beta*opt(C[m,n], 0)
  - op: softmax
    types: {T: float}
    attrs: {axis: int = -1}
    in:
      X: T[*P, D@axis, *Q]
    out:
      Y: T[*P, D, *Q]
    body: |
      m[*p,*q]   = max[k](X[*p,k,*q])
      e[*p,d,*q] = exp(X[*p,d,*q] - stop(m[*p,*q]))
      z[*p,*q]   = sum[k](e[*p,k,*q])
      Y[*p,d,*q] = e[*p,d,*q]/z[*p,*q]
  - op: layernorm
    types: {T: float}
    attrs: {axis: int = -1, eps: float = 1e-5}
    in:
      X: T[*P, *Q@axis]
      G: T[*Q]
      B?: T[*Q]
    let: {Nq: "size(Q)"}
    out:
      Y: T[*P, *Q]
    body: |
      mean[*p] = sum[*q](X[*p,*q])/Nq
      var[*p]  = sum[*q](sq(X[*p,*q] - mean[*p]))/Nq
      rstd[*p] = rsqrt(var[*p] + eps)
      Y[*p,*q] = (X[*p,*q] - mean[*p])*rstd[*p]*G[*q] + opt(B[*q], 0)
  - op: conv2d
    types: {T: number}
    attrs:
      stride:   int[2] = 1
      pads:     int[4] = 0
      dilation: int[2] = 1
      groups:   int = 1
    in:
      X: T[N, (groups Cg), H, W]
      F: T[(groups Mg), Cg, R, S]
      B?: T[(groups Mg)]
    let:
      Ho: (H + pads[0] + pads[2] - dilation[0]*(R - 1) - 1)//stride[0] + 1
      Wo: (W + pads[1] + pads[3] - dilation[1]*(S - 1) - 1)//stride[1] + 1
    out:
      Y: T[N, (groups Mg), Ho, Wo]
    body: |
      Y[n,(g m),y,x] = sum[c,r,s](padded(X[n, (g c), y*stride[0] + r*dilation[0] - pads[0], x*stride[1] + s*dilation[1] - pads[1]], 0) * F[(g m),c,r,s]) + opt(B[(g m)], 0)
  - op: gather
    types: {T: any, I: index}
    attrs: {axis: int = 0}
    in:
      X: T[*P, D@axis, *Q]
      Ix: I[*J]
    out:
      Y: T[*P, *J, *Q]
    body: |
      Y[*p,*j,*q] = X[*p, wrap(Ix[*j], D), *q]
  - op: arange
    types: {T: real}
    attrs: {start: T = 0, stop: T, step: T = 1}
    let: {N: "max(0, ceildiv(stop - start, step))"}
    out:
      Y: T[N]
    body: |
      Y[i] = start + i*step
  - op: fill
    types: {T: float}
    attrs: {shape: "int[]", value: T = 0}
    let: {S: "shape"}
    out:
      Y: T[*S]
    body: |
      Y[*s] = value
  - op: attention
    kind: composite
    types: {T: float}
    attrs: {causal: bool = false, scale: float = 0}
    in:
      Q: T[B, (Hk G), L, D]
      K: T[B, Hk, S, D]
      V: T[B, Hk, S, E]
      A?: T[~B, ~Hk, ~G, ~L, ~S]
    let: {sc: "select(scale == 0, D**-0.5, scale)"}
    out:
      Y: T[B, (Hk G), L, E]
    body: |
      s[b,h,g,i,j] = select(causal and j > i + S - L, -inf, sc*sum[d](Q[b,(h g),i,d]*K[b,h,j,d]) + opt(A[b,h,g,i,j], 0))
      p = softmax(s, axis=-1)
      Y[b,(h g),i,e] = sum[j](p[b,h,g,i,j]*V[b,h,j,e])
  - op: depth_to_space
    types: {T: any}
    attrs: {block: int}
    in:
      X: T[N, (C block block), H, W]
    out:
      Y: T[N, C, (H block), (W block)]
    body: |
      Y[n,c,(h a),(w b)] = X[n,(c a b),h,w]
  - op: sum_axes
    types: {T: number}
    attrs: {axes: "int[]"}
    in:
      X: T[*P, *R@axes]
    out:
      Y: T[*P]
    body: |
      Y[*p] = sum[*r](X[*p,*r])
)yaml";

/// Bodies over the names of the kernel's sizes, attributes and tensors.
const std::map<std::string, std::string> kBodies = {
    {"relu_f32", "for (int64_t i = 0; i < S; ++i) Y[i * Y_s] = X[i * X_s0] > 0 ? X[i * X_s0] : 0.0f;"},
    {"gemm_f32",
     "for (int64_t m = 0; m < M; ++m) for (int64_t n = 0; n < N; ++n) { float s = 0; for (int64_t k = 0; k < K; ++k) s "
     "+= A[m * A_s0 + k * A_s1] * B[k * B_s0 + n * B_s1];"
     " Y[m * N + n] = (float)alpha * s + (float)beta * C[m * C_s0 + n * C_s1]; }"},
    {"gemm_f32_noC",
     "for (int64_t m = 0; m < M; ++m) for (int64_t n = 0; n < N; ++n) { float s = 0; for (int64_t k = 0; k < K; ++k) s "
     "+= A[m * A_s0 + k * A_s1] * B[k * B_s0 + n * B_s1];"
     " Y[m * N + n] = (float)alpha * s; }"},
    {"add_f32", "for (int64_t i = 0; i < S; ++i) Y[i] = A[i * A_s0] + B[i * B_s0];"},
    {"sum_axes_f32",
     "for (int64_t p = 0; p < P; ++p) { float s = 0; for (int64_t r = 0; r < R; ++r) s += X[p * R + r]; Y[p] = s; }"},
    {"arange_f32", "for (int64_t i = 0; i < (int64_t)N; ++i) Y[i] = (float)(start + (double)i * step);"},
    {"gather_u32_i64",
     "for (int64_t j = 0; j < J; ++j) if (Ix[j] < -D || Ix[j] >= D) return TN_E_RANGE;\n"
     "for (int64_t p = 0; p < P; ++p) for (int64_t j = 0; j < J; ++j) for (int64_t q = 0; q < Q; ++q) Y[(p * J + j) * "
     "Q + q] = X[(p * D + (Ix[j] < 0 ? Ix[j] + D : Ix[j])) * Q + q];"},
};

KernelText text_of(const Kernel& k) {
  KernelText t;
  t.run = "tn_" + k.name + "_portable";
  t.workspace = t.run + "_workspace";
  const auto body = kBodies.find(k.name);
  std::string s = fmt::format(
      "static int {}(const int64_t *size, const tn_scalar *attr, const void *const *in, void *const *out, void "
      "*workspace)\n{{\n    (void)size, (void)attr, (void)in, (void)out, (void)workspace;\n",
      t.run);
  if (body != kBodies.end()) {
    for (size_t i = 0; i < k.sizes.size(); ++i)
      s += fmt::format("    const int64_t {0} = size[{1}]; (void){0};\n", k.sizes[i].name, i);
    for (size_t i = 0; i < k.attrs.size(); ++i)
      s += fmt::format("    const double {0} = attr[{1}].f; (void){0};\n", k.attrs[i].name, i);
    if (k.name == "relu_f32") s += "    const int64_t Y_s = 1;\n";
    int in = 0, out = 0;
    for (const Tensor& x : k.tensors) {
      if (x.role == Role::Input)
        s += fmt::format("    const {} *{} = in[{}];\n", dtype_row(x.dtype).c_type, x.name, in++);
      if (x.role == Role::Output) s += fmt::format("    {} *{} = out[{}];\n", dtype_row(x.dtype).c_type, x.name, out++);
    }
    s += "    " + body->second + "\n    return 0;\n}\n";
  } else {
    s += "    return TN_E_RANGE;\n}\n";
  }
  s += fmt::format(
      "static int64_t {}(const int64_t *size, const tn_scalar *attr)\n{{\n    (void)size, (void)attr;\n    return "
      "0;\n}}\n",
      t.workspace);
  t.code = s;
  t.blueprint = "by hand";
  return t;
}

Isa portable() {
  Isa isa;
  isa.name = isa.suffix = "portable";
  return isa;
}

std::map<std::string, std::string> templates() {
  std::map<std::string, std::string> out;
  for (const std::string& name : library_template_names()) {
    const auto text = read_whole_file(std::string(TENON_CHECKOUT) + "/templates/" + name);
    REQUIRE(text);
    out[name] = *text;
  }
  return out;
}

Result<OutputTree> files_or_errors(
    const std::string& ops, LibraryOptions options,
    const std::function<void(LevelTexts&)>& change = [](LevelTexts&) {}) {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", ops)});
  REQUIRE(defs.ok());
  LibrarySelection selection;
  for (const auto& [name, def] : defs->ops) selection.ops.push_back(name);
  const auto library = expand_library(*defs, selection);
  REQUIRE(library.ok());
  const Isa isa = portable();
  LevelTexts level{&isa, "", "", {}};
  for (const LibraryOp& op : library->ops)
    for (const LibraryKernel& k : op.kernels) {
      KernelText text = text_of(k.kernel);
      text.code = with_prefix(std::move(text.code), options.prefix);  // kernels come with their prefix
      level.kernels[k.kernel.name] = std::move(text);
    }
  change(level);
  options.templates = templates();
  options.version = "0.1.0";
  return library_files(*library, *defs, LibraryTexts{{level}}, options);
}

OutputTree make(
    const std::string& ops, LibraryOptions options,
    const std::function<void(LevelTexts&)>& change = [](LevelTexts&) {}) {
  return files_or_errors(ops, std::move(options), change).value();
}

}  // namespace

TEST_CASE("library files: every warning is clean, as files and as one", "[harness][slow]") {
  for (const bool amalgamate : {false, true}) {
    LibraryOptions options;
    options.amalgamate = amalgamate;
    options.registry = !amalgamate;
    options.prefix = amalgamate ? "zz" : "tn";
    const OutputTree tree = make(kOps, options);
    tenon_test::ScratchDir scratch;
    const std::string dir = std::getenv("KEEP_LIBRARY")
                                ? std::getenv("KEEP_LIBRARY") + std::string(amalgamate ? "_one" : "")
                                : scratch.path().string();
    REQUIRE(!tree.write(dir).error);
    const std::string strict =
        "-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wdouble-promotion -Wmissing-prototypes -Werror";
    for (const char* cc : {"gcc", "clang"}) {
      if (std::system(fmt::format("command -v {} >/dev/null", cc).c_str()) != 0) continue;
      CHECK(std::system(
                fmt::format(
                    "cd {} && for f in $(cat sources.txt); do {} {} -O0 -Iinclude -c $f -o /dev/null || exit 1; done",
                    dir, cc, strict)
                    .c_str()) == 0);
    }
    CHECK(std::system(fmt::format("cd {} && g++ -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "
                                  "-fsyntax-only -x c++ include/{}.h",
                                  dir, options.prefix)
                          .c_str()) == 0);
  }
}

TEST_CASE("library files: what the functions of a formula stand for is said beside it", "[harness]") {
  const OutputTree tree = make(R"yaml(
fn:
  steps(n, by): (n - by)//by
  inner(n): steps(n, 2) + 1
  unread(x): x + 1
ops:
  - op: thinned
    types: {T: float}
    in: {X: "T[N]"}
    let: {M: inner(N)}
    out: {Y: "T[M]"}
    body: Y[m] = X[2*m]
)yaml",
                               LibraryOptions());
  const std::string text = tree.files().at("src/tn_op_thinned.c");
  CHECK(text.find("   with inner(n) = steps(n, 2) + 1\n   with steps(n, by) = (n - by)//by\n*/") != std::string::npos);
  CHECK(text.find("unread") == std::string::npos);
}

TEST_CASE("library files: a kernel that has the function of another brings nothing that it calls", "[harness]") {
  const OutputTree tree =
      make(R"yaml(
ops:
  - {op: twice, types: {T: [f32, f64]}, in: {X: "T[*S]"}, out: {Y: "T[*S]"}, body: "Y[*s] = 2*X[*s]"}
)yaml",
           LibraryOptions(), [](LevelTexts& level) {
             for (auto& [name, kernel] : level.kernels)
               kernel.functions = {{kernel.run + "_part", "static void " + kernel.run + "_part();"}};
             level.kernels.at("twice_f64").shared = true;
           });
  const std::string text = tree.files().at("src/tn_op_twice_portable.c");
  INFO(text);
  CHECK(text.find("tn_twice_f32_portable_part();") != std::string::npos);
  CHECK(text.find("tn_twice_f64_portable_part();") == std::string::npos);
}

TEST_CASE("library files: a size that nothing reads has no variable", "[harness]") {
  const OutputTree tree = make(R"yaml(
ops:
  - op: doubled
    types: {T: float}
    in: {X: "T[*S]", W: "T[N]"}
    let: {Z: size(S), H: 2*N + 1}
    out: {Y: "T[*S]"}
    body: Y[*s] = 2*X[*s]
)yaml",
                               LibraryOptions());
  const std::string text = tree.files().at("src/tn_op_doubled.c");
  INFO(text);
  CHECK(text.find("(void)tn_rt_product(f, S);") != std::string::npos);
  CHECK(text.find("(void)tn_rt_add(f, tn_rt_mul(f, 2, N), 1);") != std::string::npos);
  CHECK(text.find(" Z = 0") == std::string::npos);
}

TEST_CASE("library files: two ops that need one name", "[harness]") {
  const auto refusal = [](const std::string& second, const std::string& type) {
    const std::string body = "in: {X: \"" + type + "[N]\"}, out: {Y: \"" + type + "[N]\"}, body: \"Y[n] = 2*X[n]\"}\n",
                      types = type == "T" ? "types: {T: float}, " : "";
    const auto files = files_or_errors(
        "ops:\n  - {op: f, in: {X: \"f32[N]\"}, out: {Y: \"f32[N]\"}, body: \"Y[n] = X[n]\"}\n"
        "  - {op: f_" +
            second + ", " + types + body,
        {});
    return files.ok() ? "" : files.diagnostics().sorted().front().message;
  };
  CHECK(refusal("shape", "f32") == "'f' and 'f_shape' both need the C name 'tn_f_shape'");
  CHECK(refusal("workspace", "f32") == "'f' and 'f_workspace' both need the C name 'tn_f_workspace'");
  CHECK(refusal("portable", "T") == "'f' and 'f_portable' both need the file 'f_portable.c'");
  CHECK(refusal("shape", "T") == "");
  CHECK(refusal("shapes", "f32") == "");
}

}  // namespace library_output_test
