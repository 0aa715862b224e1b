"""Gradients of definitions that call others, choose by data or reduce several times: cells, sparse attention, quantiles, gates
of the best few, products with zeros, optional inputs under conditions."""
import numpy as np

from casekit import rand

OPS = r'''
ops:
  - op: gru_like
    types: {T: float}
    in: {X: "T[B, L, D]", U: "T[D, D]", V: "T[D, D]"}
    out: {H: "T[B, L, D]"}
    body: |
      z[t,b,d] = 1/(1 + exp(-X[b,t,d] - sum[k](U[k,d]*padded(h[t - 1,b,k], 0))))
      n[t,b,d] = tanh(X[b,t,d] + z[t,b,d]*sum[k](V[k,d]*padded(h[t - 1,b,k], 0)))
      h[t,b,d] = (1 - z[t,b,d])*n[t,b,d] + z[t,b,d]*padded(h[t - 1,b,d], 0)
      H[b,t,d] = h[t,b,d]

  - op: prod_zero
    types: {T: float}
    in: {X: "T[M, N]", W: "T[N]"}
    out: {P: "T[M]", Q: "T[N]", R: "T[]"}
    body: |
      P[m] = prod[n](X[m,n]*W[n])
      Q[n] = prod[m](X[m,n]) + sum[m](X[m,n])
      R[] = prod[m,n : n <= m](X[m,n] + W[n])

  - op: argmax_read
    types: {T: float}
    in: {X: "T[M, N]", W: "T[M, N]"}
    require: [N >= 1]
    out: {Y: "T[M]", Z: "T[M]"}
    body: |
      k[m] = argmax[n](X[m,n])
      Y[m] = X[m,k[m]]*W[m,k[m]] + W[m,N - 1 - k[m]]
      b[m], c[m] = max_at[n](X[m,n]*W[m,n])
      Z[m] = b[m]*W[m,clamp(c[m] + 1, 0, N - 1)]

  - op: sorted_quantile
    types: {T: [f32, f64]}
    attrs: {q: float = 0.3}
    in: {X: "T[M, N]"}
    require: [N >= 2, q >= 0, q <= 1]
    out: {Y: "T[M]", Tr: "T[M]"}
    body: |
      s, at = sort(X*X, axis=-1)
      f[m] = q*(N - 1)
      i[m] = clamp(cast(floor(f[m]), i64), 0, N - 2)
      Y[m] = s[m,i[m]] + (f[m] - floor(f[m]))*(s[m,i[m] + 1] - s[m,i[m]])
      Tr[m] = sum[n : n >= 1 and n < N - 1](s[m,n])*X[m,clamp(at[m,0], 0, N - 1)]

  - op: topk_gate
    types: {T: [f32, f64]}
    attrs: {k: int = 2}
    in: {X: "T[B, E]", W: "T[E, D]"}
    require: [k >= 1, k <= E]
    let: {K: k}
    out: {Y: "T[B, D]"}
    body: |
      v, at = topk(X, k=k, axis=-1)
      p = softmax(v, axis=-1)
      Y[b,d] = sum[j](p[b,j]*W[clamp(at[b,j], 0, E - 1),d])

  - op: opt_affine
    types: {T: float}
    in:
      X: "T[B, C, *S]"
      G?: "T[C]"
      H?: "T[B, C]"
      M?: "bool[B]"
    out: {Y: "T[B, C, *S]"}
    body: |
      a[b,c] = max[*s](X[b,c,*s])
      Y[b,c,*s] = select(opt(M[b], true), X[b,c,*s]*opt(G[c], 1) + opt(H[b,c], 0)*a[b,c], opt(H[b,c], 2)*sq(X[b,c,*s]))

  - op: comp_chain
    types: {T: float}
    in: {X: "T[N, D]", W: "T[D, E]", B: "T[E]"}
    require: [N >= 1, D >= 1, E >= 1]
    out: {Y: "T[N, E]", L: "T[N]"}
    body: |
      h = gemm(X, W, B)
      s = log_softmax(3*h, axis=-1)
      c = cumsum(s, axis=0)
      m = max(c, axes=[1], keepdims=false)
      Y[n,e] = c[n,e]*sigmoid(h[n,e])
      L[n] = m[n]*m[n]

  - op: axis_deviation
    doc: the median of distances to the median along an axis that the call chooses
    types: {T: [f32, f64]}
    attrs: {axis: int = -1}
    in: {X: "T[*P, D@axis, *Q]"}
    require: [D >= 1]
    out: {Y: "T[*P, *Q]"}
    body: |
      s, at = sort(X, axis=axis)
      d[*p,i,*q] = abs(X[*p,i,*q] - s[*p,(D - 1)//2,*q])
      t, bt = sort(d, axis=axis)
      Y[*p,*q] = t[*p,(D - 1)//2,*q]*s[*p,D - 1,*q]

  - op: csr_softmax
    types: {T: float, I: index}
    in: {Ptr: "I[P]", Col: "I[E]", Q: "T[M, D]", K: "T[N, D]", V: "T[N, D]"}
    let: {R: P - 1}
    require: [P >= 1, M == P - 1, N >= 1]
    out: {Y: "T[M, D]"}
    body: |
      s[e] = 0
      s[e] += sum[d](Q[m,d]*K[clamp(Col[e], 0, N - 1),d]) where e in Ptr[m] .. Ptr[m + 1]
      hi[m] = max[e in Ptr[m] .. Ptr[m + 1]](s[e])
      z[m] = sum[e in Ptr[m] .. Ptr[m + 1]](exp(s[e] - hi[m]))
      Y[m,d] = sum[e in Ptr[m] .. Ptr[m + 1]](exp(s[e] - hi[m])*V[clamp(Col[e], 0, N - 1),d])/max(z[m], 0.001)
'''
OPS = ['ops:\n  - op: ' + text for text in OPS.split('  - op: ')[1:]]  # a library each


def case(op, key, inputs, *shapes, **attrs):
    # What the ops compute is not looked at here: gradients are compared with their differences.
    return dict(op=op, key=key, inputs=inputs, attrs=attrs, want=[np.zeros(s) for s in shapes])


def zeroed(array, *places):
    for at in places:
        array[at] = 0
    return array


def cases(rng):
    for key in ('f64', 'f32'):
        def r(*shape, lo=-2, hi=2):
            return rand(rng, shape, key, lo, hi)

        def below(n, *shape):
            return rng.integers(0, n, shape).astype(np.int64)

        def c(op, inputs, *shapes, **attrs):
            return case(op, key, inputs, *shapes, **attrs)

        yield c('gru_like', [r(2, 5, 3), r(3, 3), r(3, 3)], (2, 5, 3))
        yield c('prod_zero', [r(4, 5), r(5)], (4,), (5,), ())
        yield c('prod_zero', [zeroed(r(4, 5), (0, 1), (1, 2), (1, 3)), r(5)], (4,), (5,), ())
        yield c('argmax_read', [r(4, 6), r(4, 6)], (4,), (4,))
        yield c('sorted_quantile', [r(3, 8)], (3,), (3,), q=0.3)
        yield c('topk_gate', [r(4, 6), r(6, 3)], (4, 3), k=2)
        yield c('opt_affine', [r(2, 3, 4), r(3), r(2, 3), np.array([True, False])], (2, 3, 4))
        yield c('opt_affine', [r(2, 3, 2, 2), None, r(2, 3), None], (2, 3, 2, 2))
        yield c('opt_affine', [r(2, 3), r(3), None, np.array([False, True])], (2, 3))
        yield c('comp_chain', [r(4, 3), r(3, 5), r(5)], (4, 5), (4,))
        yield c('axis_deviation', [r(3, 6)], (3,))
        yield c('axis_deviation', [r(2, 4, 3)], (2, 3), axis=1)
        yield c('csr_softmax', [np.array([0, 2, 2, 5, 7], np.int64), below(5, 7), r(4, 3), r(5, 3), r(5, 3)], (4, 3))
