"""Gradients of definitions of unlike kinds: windows that run backwards, masks, updates under conditions, ranges from
data, sorts and composites in bodies, tables, split dims, two float types, packs in any order."""
import numpy as np

from casekit import rand

OPS = r'''
ops:
  - op: backward_windows
    types: {T: float}
    attrs: {step: int = 2, apart: int = 1}
    in: {X: "T[*P, N]", W: "T[K]"}
    require: [step > 0, apart > 0, K >= 1, N > (K - 1)*apart]
    let: {O: (N - 1 - (K - 1)*apart)//step + 1}
    out: {Y: "T[*P, O]"}
    body: Y[*p,o] = sum[k](W[k]*X[*p, N - 1 - o*step - k*apart])

  - op: masked_pool
    types: {T: float}
    in: {X: "T[N, H, D]", Mask: "bool[N, H]", W: "T[D]"}
    out: {Y: "T[N, D]", P: "T[N]", C: "i64[N]"}
    body: |
      c[n] = sum[h](select(Mask[n,h], 1, 0))
      Y[n,d] = sum[h : Mask[n,h]](X[n,h,d]*W[d])/max(c[n], 1)
      P[n] = prod[h,d : Mask[n,h]](X[n,h,d]) + max[h,d : Mask[n,h]](X[n,h,d])
      C[n] = c[n]

  - op: pair_energy
    types: {T: float}
    attrs: {cut: float = 1.5}
    in: {R: "T[N, 3]", Q: "T[N]"}
    out: {E: "T[]", F: "T[N]"}
    body: |
      d[i,j] = sqrt(sum[k](sq(R[i,k] - R[j,k])) + 0.01)
      F[i] = sum[j : j != i and d[i,j] < cut](Q[i]*Q[j]/d[i,j])
      E[] = sum[i,j : i < j](Q[i]*Q[j]*exp(-d[i,j])) + 0.5*sum[i](F[i])

  - op: best_path
    types: {T: float}
    in: {A: "T[K, K]", B: "T[L, K]", W: "T[K]"}
    require: [L >= 1, K >= 1]
    out: {D: "T[L, K]", Y: "T[]"}
    body: |
      D[t,j] = B[t,j] + max[i](padded(D[t - 1,i], 0)*W[i] + A[i,j])
      Y[] = max[j](D[L - 1,j])

  - op: ragged_stats
    types: {T: float, I: index}
    in: {Ptr: "I[P]", V: "T[E]", W: "T[E]"}
    let: {M: P - 1}
    require: [P >= 1]
    out: {A: "T[M]", B: "T[M]", C: "T[M]"}
    body: |
      hi[m] = max[e in Ptr[m] .. Ptr[m + 1]](V[e])
      z[m] = sum[e in Ptr[m] .. Ptr[m + 1]](exp(V[e] - hi[m]))
      A[m] = sum[e in Ptr[m] .. Ptr[m + 1]](exp(V[e] - hi[m])*W[e])/max(z[m], 1)
      B[m] = prod[e in Ptr[m] .. Ptr[m + 1]](W[e])
      C[m] = fold[e in Ptr[m] .. Ptr[m + 1]](a = cast(1, T), a*0.5 + sin(V[e])*W[e])

  - op: best_few
    types: {T: [f32, f64]}
    in: {X: "T[M, N]", W: "T[N]"}
    require: [N >= 3]
    out: {Y: "T[M]", Z: "T[M, N]"}
    body: |
      v, at = topk(2*X, k=3, axis=-1)
      s, p = sort(X, axis=0)
      Y[m] = sum[j](v[m,j]*v[m,j]*W[clamp(at[m,j], 0, N - 1)])
      Z[m,n] = s[m,n]*W[n]

  - op: cosine_table
    types: {T: float}
    tables:
      Co: {type: "T[8, 8]", of: [k, n], values: "cospi((2*n + 1)*k/16)"}
      Zig: {type: "i64[8]", values: [0, 2, 4, 6, 7, 5, 3, 1]}
    in: {X: "T[*P, 8]", Q: "T[8]"}
    out: {Y: "T[*P, 8]", Z: "T[*P, 8]"}
    body: |
      c[*p,k] = sum[n](X[*p,n]*Co[k,n])
      Y[*p,k] = c[*p,Zig[k]]*Q[k]
      Z[*p,k] = 0
      Z[*p,Zig[j]] += c[*p,j]*c[*p,j]

  - op: block_of_layers
    types: {T: float}
    in: {X: "T[N, D]", W: "T[D, E]", G: "T[E]", B: "T[E]"}
    require: [E >= 1]
    out: {Y: "T[N, E]"}
    body: |
      h = matmul(X, W)
      a = gelu(h)
      u = layernorm(a, G, B, axis=-1)
      p = softmax(u + a, axis=0)
      Y[n,e] = p[n,e]*h[n,e] + u[n,e]

  - op: shuffled_groups
    types: {T: float}
    attrs: {groups: int}
    in: {X: "T[N, (groups Cg), H, V]", F: "T[(groups O), Cg, 3]"}
    require: [groups > 0, O % 4 == 0]
    let: {Q: O//4, HR: H*2, VR: V*2}
    out: {Y: "T[N, groups, Q, HR, VR]"}
    body: |
      z[n,g,o,y,x] = sum[c,k](padded(X[n,(g c),y,x + k - 1], 0)*F[(g o),c,k])
      Y[n,g,q,y,x] = padded(z[n,g,4*q + 2*(y % 2) + x % 2,y//2,x//2], 0)

  - op: guarded_updates
    types: {T: float, I: index}
    in: {X: "T[N]", Ix: "I[N]", B: "T[K]", Ok: "bool[N]"}
    out: {P: "T[K]", L: "T[K]", H: "T[K]"}
    body: |
      P[k] = B[k]
      P[wrap(Ix[n], K)] *= X[n] where Ok[n]
      L[k] = 2*B[k]
      L[wrap(Ix[n], K)] min= X[n]*X[n] where X[n] > 0
      H[k] = L[k]*B[k]
      H[wrap(Ix[n], K)] last= P[wrap(Ix[n], K)]*X[n] where not Ok[n]

  - op: two_types
    types: {T: float, U: float}
    in: {X: "T[M, K]", W: "U[K, N]", S: "U[N]"}
    out: {Y: "T[M, N]", A: "U[M]"}
    body: |
      h[m,n] = sum[k](cast(X[m,k], U)*W[k,n])
      Y[m,n] = cast(h[m,n]*S[n], T)
      A[m] = cast(sum[n](cast(h[m,n], f64)*cast(S[n], f64)), U)

  - op: odd_reads
    types: {T: float, I: index}
    attrs: {shift: int = 3, taps: "float[]", edge: "enum(mirrored, around) = mirrored"}
    in: {X: "T[N]", Ix: "I[M]"}
    require: [N >= 1, M >= 1]
    out: {Y: "T[M]", Z: "T[N]"}
    body: |
      Y[m] = X[clamp(Ix[m], 0, N - 1)]*X[wrap(-1 - Ix[m]*0, N)] + X[reflect(Ix[m] + shift, N)]
      Z[n] = sum[k](taps[k]*select(edge == mirrored, X[mirror(n + k - shift, N)], X[(n + k - shift) % N]))*X[N - 1 - n]

  - op: turned
    types: {T: float}
    attrs: {by: "int[*S] = 1"}
    in: {X: "T[*S]", W: "T[~*S]"}
    require: [by >= 0]
    out: {Y: "T[*S]", V: "T[]"}
    body: |
      Y[*s] = X[*((s + by) % S)]*W[*s]*(1 + lin(*s))
      V[] = sum[*s](X[*s]*X[*(S - 1 - s)]*W[*s])

  - op: running_logs
    types: {T: float}
    attrs: {axis: int = -1, reverse: bool = false}
    in: {X: "T[*P, D@axis, *Q]", W: "T[D]"}
    out: {Y: "T[*P, D, *Q]", V: "T[*P, *Q]", I: "i64[*P, *Q]"}
    body: |
      m[*p,*q] = max[k](X[*p,k,*q])
      s[*p,i,*q] = sum[k : select(reverse, k >= i, k <= i)](exp(X[*p,k,*q] - m[*p,*q])*W[k])
      Y[*p,i,*q] = log(abs(s[*p,i,*q]) + 0.01) + m[*p,*q]
      V[*p,*q], I[*p,*q] = min_at[k](X[*p,k,*q]*W[k])

  - op: cell_with_ranges
    doc: a sparse recurrence over the columns before each row, with a joined gate
    types: {T: float, I: index}
    in: {Ptr: "I[P]", Col: "I[E]", V: "T[E]", X: "T[M, D]"}
    let: {Z: P - 1}
    require: [P >= 1, M == P - 1]
    out: {Y: "T[M, D]"}
    body: |
      g[m,d] = tanh(X[m,d] + sum[e in Ptr[m] .. Ptr[m + 1] : Col[e] < m](V[e]*Y[clamp(Col[e], 0, M - 1),d]))
      Y[m,d] = g[m,d]*X[m,d] + 0.5*padded(Y[m - 1,D - 1 - d], 0)

  - op: orthonormal_columns
    doc: Gram and Schmidt, a product with each column so far under the condition that there is one
    types: {T: float}
    in: {A: "T[M, N]"}
    out: {Q: "T[M, N]", R: "T[N, N]"}
    body: |
      v[k,i] = A[i,k] - sum[j : j < k](q[j,i]*sum[l](q[j,l]*A[l,k]))
      n[k] = sqrt(sum[i](sq(v[k,i])))
      q[k,i] = v[k,i]/n[k]
      Q[i,k] = q[k,i]
      R[j,k] = select(j > k, 0, sum[i](q[j,i]*A[i,k]))

  - op: delta_rule
    doc: a memory of keys and values that unlearns what it predicts
    types: {T: float}
    in: {Q: "T[L, D]", K: "T[L, D]", V: "T[L, E]", S: "T[L]"}
    out: {Y: "T[L, E]"}
    body: |
      r[t,e] = sum[d](padded(m[t - 1,d,e], 0)*K[t,d])
      m[t,d,e] = padded(m[t - 1,d,e], 0) + S[t]*K[t,d]*(V[t,e] - r[t,e])
      Y[t,e] = sum[d](Q[t,d]*m[t,d,e])

  - op: chosen_and_far
    doc: indices that are anywhere where a condition does not hold
    types: {T: float, I: index}
    in: {C: "bool[M]", A: "T[M, K]", B: "T[L, K]", X: "T[N]", At: "I[M, L]"}
    out: {V: "T[M]", S: "T[M, K]", R: "T[M]", U: "T[K]"}
    require: [L >= 1]
    body: |
      V[i] = select(C[i], max[k](A[i,k] + sum[l](X[wrap(At[i,l], N)]*B[l,k])), 0)
      S[i,k] = select(not C[i], A[i,k], A[i,k]*X[wrap(At[i,0], N)] + sin(X[wrap(At[i,0], N)]))
      R[i] = select(C[i], max[l](X[wrap(At[i,l], N)]), 0) + fold[l2 : C[i]](a = cast(1, T), 0.5*a + X[wrap(At[i,l2], N)])
      U[k] = 0
      U[k] += sum[l](B[l,k]*X[wrap(At[i,l], N)]) where C[i]

  - op: folded_where_chosen
    doc: folds of integers whose places and divisors are anywhere where the condition around them does not hold
    types: {T: float, I: index}
    in: {C: "bool[M]", X: "T[N]", W: "T[N]", At: "I[M]", By: "I[M]"}
    out: {Y: "T[N]", V: "T[M]"}
    require: [N >= 1, M >= 1]
    body: |
      y[n] = padded(y[n - 1], 1) - sum[i : C[i]](cast(fold[l](a = cast(4*X[n], i32), select(W[l] <= 0, clamp(2*a + cast(4*W[wrap(At[i], N)], i32), -9, 9), a)), T)*X[n])
      Y[n] = y[n]*W[n]
      V[i] = X[0]*cast(select(C[i], sum[k : k < M](At[k]//By[i]) + fold[k2 : k2 < M](b = 7//By[i], b + At[k2] % By[i]), 0), T)
    index: {l: N, k: M, k2: M}
'''
OPS = ['ops:\n  - op: ' + text for text in OPS.split('  - op: ')[1:]]  # a library each


def case(op, key, inputs, *shapes, dtypes=None, **attrs):
    # What the ops compute is not looked at here: gradients are compared with their differences.
    more = {'dtypes': dtypes} if dtypes else {}
    return dict(op=op, key=key, inputs=inputs, attrs=attrs, want=[np.zeros(s) for s in shapes], **more)


def cases(rng):
    for key in ('f64', 'f32'):
        def r(*shape, lo=-2, hi=2):
            return rand(rng, shape, key, lo, hi)

        def below(n, *shape):
            return rng.integers(0, n, shape).astype(np.int64)

        def flags(*shape):
            return rng.integers(0, 2, shape).astype(bool)

        def c(op, inputs, *shapes, **more):
            return case(op, key, inputs, *shapes, **more)

        for s, a, n in ((1, 1, 7), (2, 3, 13), (3, 1, 8)):
            yield c('backward_windows', [r(2, 3, n), r(3)], (2, 3, (n - 1 - 2 * a) // s + 1), step=s, apart=a)
        yield c('masked_pool', [r(3, 4, 2), flags(3, 4) | np.eye(3, 4, dtype=bool), r(2)], (3, 2), (3,), (3,), dtypes=[key, key, 'i64'])
        yield c('pair_energy', [r(6, 3, lo=-1, hi=1), r(6)], (), (6,))
        yield c('best_path', [r(3, 3), r(5, 3), r(3)], (5, 3), ())
        yield c('ragged_stats', [np.array([0, 3, 3, 8, 9], np.int64), r(9), r(9)], (4,), (4,), (4,))
        yield c('best_few', [r(4, 7), r(7)], (4,), (4, 7))
        yield c('cosine_table', [r(2, 3, 8), r(8)], (2, 3, 8), (2, 3, 8))
        yield c('cosine_table', [r(8), r(8)], (8,), (8,))
        yield c('block_of_layers', [r(4, 3), r(3, 5), r(5), r(5)], (4, 5))
        yield c('shuffled_groups', [r(2, 6, 2, 3), r(16, 3, 3)], (2, 2, 2, 4, 6), groups=2)
        yield c('guarded_updates', [r(8, lo=0.5), below(4, 8), r(4), flags(8)], (4,), (4,), (4,))
        yield c('guarded_updates', [r(8), below(4, 8), r(4), flags(8)], (4,), (4,), (4,))
        yield c('two_types', [r(3, 4), r(4, 5), r(5)], (3, 5), (3,))
        for edge in (0, 1):
            yield c('odd_reads', [r(6), below(6, 4)], (4,), (6,), taps=[0.5, -1.0, 0.25], edge=edge)
        yield c('turned', [r(2, 3, 4), r(3, 1)], (2, 3, 4), (), by=[1, 0, 3])
        yield c('turned', [r(5), r(5)], (5,), (), by=[2])
        for axis, reverse in ((-1, False), (0, True), (1, False)):
            shape = (2, 3, 4)
            rest = tuple(n for d, n in enumerate(shape) if d != axis % 3)
            yield c('running_logs', [r(*shape), r(shape[axis])], shape, rest, rest, dtypes=[key, key, 'i64'], axis=axis, reverse=reverse)
        yield c('cell_with_ranges', [np.array([0, 1, 2, 4, 7], np.int64), np.array([0, 0, 0, 1, 2, 0, 1], np.int64), r(7), r(4, 3)], (4, 3))
        yield c('orthonormal_columns', [r(5, 3) + 4*np.eye(5, 3, dtype=r(1).dtype)], (5, 3), (3, 3))
        yield c('delta_rule', [r(5, 3, lo=-1, hi=1), r(5, 3, lo=-1, hi=1), r(5, 2), r(5, lo=0, hi=1)], (5, 2))
        for m, k, n, l in ((5, 3, 4, 6), (3, 2, 1, 1), (7, 5, 2, 3)):
            chosen = flags(m) & (np.arange(m) > 0)
            at = np.where(chosen[:, None], below(2*n, m, l) - n, 2**30)
            yield c('chosen_and_far', [chosen, r(m, k), r(l, k), r(n), at], (m,), (m, k), (m,), (k,))
            by = np.where(chosen, below(4, m) + 1, 0)
            yield c('folded_where_chosen', [chosen, r(n), r(n), np.where(chosen, at[:, 0], 2**40), by], (n,), (m,))
