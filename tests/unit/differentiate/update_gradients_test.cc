// Gradients of updates, folds, C templates and complex intermediates.
#include "unit/differentiate/differences.h"

namespace gradient_test {
namespace {

const char* const kUpdates = R"(
ops:
  - op: largest_of
    types: {T: float, I: index}
    in: {X: "T[N, D]", B: "T[M, D]", P: "I[N]"}
    out: {Y: "T[M, D]"}
    body: |
      Y[k,d] = B[k,d]
      Y[wrap(P[n], M),d] max= sin(2*X[n,d]) where X[n,0] > -1
  - op: smallest_of_all
    types: {T: float, I: index}
    in: {X: "T[N]", P: "I[N]"}
    out: {Y: "T[N]"}
    body: |
      Y[n] = 1
      Y[wrap(P[n], N)] min= X[n]
      Y[wrap(P[n], N)] min= sq(X[n])
  - op: product_of
    types: {T: float, I: index}
    in: {X: "T[N]", B: "T[M]", P: "I[N]"}
    out: {Y: "T[M]"}
    body: |
      Y[m] = B[m]
      Y[wrap(P[n], M)] *= X[n]*(n // 2)
  - op: read_in_between
    types: {T: float, I: index}
    in: {X: "T[N]", P: "I[N]"}
    out: {Y: "T[N]"}
    body: |
      a[n] = exp(X[n])
      t[] = sum[n](a[n])
      a[wrap(P[n], N)] += X[n]*t[]
      a[wrap(P[n], N)] *= 1 + X[n]
      Y[n] = a[n]/t[]
  - op: fold_of_two
    types: {T: float}
    in: {X: "T[B, H, W]", S: "T[B]"}
    out: {Y: "T[B]"}
    body: |
      Y[b] = fold[h, w : h != 1](a = S[b], 0.8*a + 0.1*sin(a) + sq(X[b,h,w]))
  - op: fold_of_three
    types: {T: float}
    in: {X: "T[A, B, C]"}
    out: {Y: "T[]"}
    body: Y[] = fold[i, j, k](a = 0.5, 0.9*a*cos(X[i,j,k]) + X[i,j,k])
  - op: sum_in_fold
    types: {T: float}
    in: {X: "T[L, K]", W: "T[K]"}
    out: {Y: "T[]"}
    body: Y[] = fold[t](a = 0.1, tanh(a + sum[k](X[t,k]*W[k])))
  - op: sum_of_running
    types: {T: float}
    require: [K >= 1]
    in: {X: "T[B, L, K]", W: "T[K]"}
    out: {Y: "T[B]"}
    body: Y[b] = 2*fold[t](a = W[0], sum[k](sin(a*X[b,t,k]) + W[k]))
  - op: fold_in_fold
    types: {T: float}
    in: {X: "T[L, K]"}
    out: {Y: "T[]"}
    body: Y[] = fold[t](a = 0.2, fold[k](b = a, b*0.7 + X[t,k]*a))
  - op: ranks_of_nodes
    doc: a recurrence that reads at data
    types: {T: float, I: index}
    attrs: {steps: int = 3}
    in: {W: "T[E]", B: "T[N]", From: "I[E]"}
    index: {t: steps}
    require: [steps >= 1]
    out: {Y: "T[N]"}
    body: |
      r[t,n] = B[n] + 0.5*sum[e : e % N == n](W[e]*padded(r[t - 1,wrap(From[e], N)], 0.25))
      Y[n] = sq(r[steps - 1,n])
  - op: best_split
    doc: a maximum over where a range is split
    types: {T: float}
    in: {A: "T[N]"}
    out: {D: "T[N, N]"}
    body: |
      D[i,j] = select(i >= j, A[i], min[k : i <= k and k < j](D[i,k] + padded(D[k + 1,j], 0) + sin(A[i]*A[k])*A[j]))
  - op: parts_of_real
    types: {T: float}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = sq(real(X[n])) + imag(X[n]) + 2*conj(X[n])
  - op: fold_in_recurrence
    types: {T: float}
    in: {X: "T[L, K]"}
    out: {H: "T[L]"}
    body: H[t] = fold[k](a = padded(H[t - 1], 0.3), 0.5*a + sq(X[t,k])*a)
)";

const char* const kCalls = R"(
ops:
  - op: sorted_weighted
    types: {T: float}
    in: {X: "T[M, N]", W: "T[N]"}
    out: {Y: "T[M, N]"}
    body: |
      z[m,n] = sin(2*X[m,n])
      s, at = sort(z, axis=-1)
      Y[m,n] = s[m,n]*W[n] + X[m,clamp(at[m,n], 0, N - 1)]
  - op: best_two
    types: {T: float}
    require: [N >= 2]
    in: {X: "T[M, N]"}
    out: {Y: "T[M]"}
    body: |
      v, i = topk(X, k=2)
      Y[m] = v[m,0]*v[m,1]
  - op: spectrum
    types: {T: [f32, f64]}
    in: {X: "T[N]"}
    out: {Y: "T[N]", P: "T[N]"}
    body: |
      f[k] = sum[n](exp(complex(0*X[n], cast(-6.283185307179586*(k*n % N)/N, T)))*X[n])
      Y[k] = sq(real(f[k])) + sq(imag(f[k]))
      P[k] = abs(f[k])
  - op: complex_path
    types: {T: [f32, f64]}
    in: {R: "T[*S]", A: "T[*S]"}
    out: {Y: "T[*S]", Z: "T[*S]"}
    body: |
      z[*s] = complex(R[*s], A[*s])
      w[*s] = exp(z[*s])/(2 + z[*s]*conj(z[*s])) + z[*s]*z[*s]
      Y[*s] = real(w[*s])*imag(w[*s])
      Z[*s] = arg(w[*s])
)";

}  // namespace

TEST_CASE("gradients: updates other than sums, and folds") {
  const OpLibrary defs = library_of(kUpdates);
  const std::vector<Case> cases = {{"largest_of", {{7, 2}, {4, 2}, {7}}, {}, {{1, -1, 1, 0, 3, 1, 0}}},
                                   {"smallest_of_all", {{5}, {5}}, {}, {{1, -1, 1, 0, 1}}},
                                   {"product_of", {{7}, {3}, {7}}, {}, {{1, 2, 1, 0, 2, 1, 0}}},
                                   {"read_in_between", {{5}, {5}}, {}, {{1, -1, 1, 0, 1}}},
                                   {"fold_of_two", {{2, 3, 4}, {2}}, {}, {}, -1, 1},
                                   {"fold_of_three", {{2, 3, 4}}},
                                   {"sum_in_fold", {{4, 3}, {3}}},
                                   {"sum_of_running", {{2, 3, 4}, {4}}, {}, {}, -1, 1},
                                   {"fold_in_fold", {{3, 4}}},
                                   {"ranks_of_nodes", {{6}, {4}, {6}}, {}, {{0, 3, 1, 1, -1, 2}}},
                                   {"best_split", {{4}}},
                                   {"parts_of_real", {{4}}},
                                   {"fold_in_recurrence", {{4, 3}}, {}, {}, -1, 1}};
  check_differences(defs, cases);
}

TEST_CASE("gradients: of C templates through the elements that they choose, and of complex intermediates") {
  const OpLibrary defs = library_of(kCalls);
  const std::vector<Case> cases = {{"sorted_weighted", {{3, 6}, {6}}},
                                   {"best_two", {{3, 6}}},
                                   {"sort", {{2, 5, 3}}, {{"axis", int64_t{1}}, {"descending", true}}},
                                   {"topk", {{2, 5}}, {{"k", int64_t{3}}, {"largest", false}}},
                                   {"spectrum", {{6}}},
                                   {"complex_path", {{3, 4}, {3, 4}}},
                                   {"digamma", {{9}}, {}, {}, 0.1, 6},
                                   {"digamma", {{9}}, {}, {}, -1.9, -1.1}};
  check_differences(defs, cases);
}

}  // namespace gradient_test
