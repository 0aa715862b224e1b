"""Definitions that are unusual in what their gradients have to do: mirrored and dilated windows, chains of reductions, places
from data, packs, updates, recurrences in two directions, complex intermediates, sorting, several types."""
import numpy as np

from casekit import rand

OPS = r'''
ops:
  - op: named_like_gradients
    doc: values of the body have the names of gradients
    types: {T: float}
    in: {X: "T[M, K]", W: "T[K, N]"}
    out: {Y: "T[M, N]"}
    body: |
      dX[m,n] = sum[k](X[m,k]*W[k,n])
      dY[m,n] = exp(dX[m,n]/4)
      dW[m] = sum[n](dY[m,n])
      Y[m,n] = dY[m,n]/dW[m] + dX[m,n]

  - op: mirror_conv
    types: {T: float}
    attrs: {stride: int = 1, dil: int = 1, p: int = 1}
    in: {X: "T[N, C, H]", F: "T[O, C, R]"}
    require: [stride > 0, dil > 0, p >= 0, H + 2*p - dil*(R - 1) >= 1, R >= 1]
    let: {L: "(H + 2*p - dil*(R - 1) - 1)//stride + 1"}
    out: {Y: "T[N, O, L]"}
    body: Y[n,o,l] = sum[c,r](F[o,c,r]*X[n,c,mirror(l*stride + r*dil - p, H)])

  - op: reflect_max
    types: {T: float}
    attrs: {stride: int = 2, dil: int = 2}
    in: {X: "T[C, H, W]"}
    require: [stride > 0, dil > 0, H >= 1, W >= 1]
    let: {A: "(H - 1)//stride + 1", B: "(W - 1)//stride + 1"}
    index: {i: 3, j: 3}
    out: {Y: "T[C, A, B]"}
    body: Y[c,a,b] = max[i,j](X[c, reflect(a*stride + (i - 1)*dil, H), reflect(b*stride + (j - 1)*dil, W)])

  - op: chain_norm
    doc: entropy of a softmax of distances to the mean
    types: {T: float}
    in: {X: "T[*B, N]"}
    require: [N >= 1]
    out: {Y: "T[*B]"}
    body: |
      m[*b] = sum[i](X[*b,i])/N
      d[*b,i] = sq(X[*b,i] - m[*b])
      hi[*b] = max[j](d[*b,j])
      z[*b] = sum[i](exp(d[*b,i] - hi[*b]))
      Y[*b] = -sum[i](exp(d[*b,i] - hi[*b])/z[*b]*(d[*b,i] - hi[*b] - log(z[*b])))

  - op: pick_blend
    types: {T: float, I: index}
    in: {X: "T[N, D]", W: "T[K]", Ix: "I[M, K]"}
    require: [K >= 1]
    out: {Y: "T[M, D]"}
    body: Y[m,d] = sum[k](W[k]*sq(X[wrap(Ix[m,k], N), d]))*X[wrap(Ix[m,K - 1], N), d]

  - op: pack_affine
    types: {T: float}
    in:
      X: "T[~*P, D]"
      G?: "T[D]"
      B?: "T[~*P, D]"
    out: {Y: "T[*P, D]"}
    body: Y[*p,d] = X[*p,d]*opt(G[d], 1) + tanh(opt(B[*p,d], 0))*X[*p,d]

  - op: three_way
    types: {T: float}
    in: {A: "T[~*S]", B: "T[~*S]", C: "T[~*S]"}
    out: {Y: "T[*S]", Z: "T[*S]"}
    body: |
      Y[*s] = max(A[*s], B[*s], C[*s])*min(A[*s]*B[*s], C[*s])
      Z[*s] = atan2(A[*s], sq(B[*s]) + 1)*Y[*s]

  - op: fold2
    types: {T: float}
    in: {A: "T[M, K]", X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = fold[m,k](a = X[n], sin(a) + A[m,k]*a)

  - op: lstm_like
    types: {T: float}
    in: {X: "T[L, B, D]", U: "T[D, D]", H0: "T[B, D]", C0: "T[B, D]"}
    out: {H: "T[L, B, D]", C: "T[L, B, D]"}
    body: |
      f[t,b,d] = 1/(1 + exp(-X[t,b,d] - sum[k](U[k,d]*padded(H[t - 1,b,k], H0[b,k]))))
      C[t,b,d] = f[t,b,d]*padded(C[t - 1,b,d], C0[b,d]) + (1 - f[t,b,d])*tanh(X[t,b,d])
      H[t,b,d] = f[t,b,d]*tanh(C[t,b,d])

  - op: soft_edit
    types: {T: float}
    attrs: {gamma: float = 0.5}
    in: {D: "T[N, M]"}
    let: {P: N + 1, Q: M + 1}
    out: {R: "T[P, Q]"}
    body: |
      a[i,j] = exp(-padded(R[i - 1,j - 1], 0)/gamma) + exp(-padded(R[i - 1,j], 0)/gamma) + exp(-padded(R[i,j - 1], 0)/gamma)
      R[i,j] = select(i == 0 or j == 0, 0.1*(i + j), padded(D[i - 1,j - 1], 0) - gamma*log(a[i,j]))

  - op: anti_diagonal
    types: {T: float}
    in: {X: "T[H, W]"}
    out: {Y: "T[H, W]"}
    body: Y[y,x] = X[y,x] + 0.5*padded(Y[y + 1,x - 1], 0)*X[y,x] + 0.25*padded(Y[y + 1,x], 1) + max(padded(Y[y + 2,x + 1], 0), X[y,x])

  - op: spectrum_power
    types: {T: [f32, f64]}
    in: {X: "T[M, N]", W: "T[N]"}
    out: {P: "T[M, N]"}
    body: |
      z[m,k] = sum[n](X[m,n]*W[n]*complex(cos(6.283185307179586*(k*n % N)/N), -sin(6.283185307179586*(k*n % N)/N)))
      q[m,k] = z[m,k]*conj(z[m,k]) + exp(z[m,k]*0.1)
      P[m,k] = abs(q[m,k]) + imag(sqrt(z[m,k] + complex(3, 0)))

  - op: cast_chain
    doc: computed in f64 in between
    types: {T: float}
    in: {X: "T[M, N]", Y: "T[N]"}
    out: {Z: "T[M]", V: "T[N]"}
    body: |
      h[m,n] = cast(X[m,n], f64)*cast(Y[n], f64)
      Z[m] = cast(sum[n](h[m,n]*h[m,n]), T)
      V[n] = cast(sum[m](h[m,n]), T)*Y[n]

  - op: range_sum
    types: {T: float, I: index}
    in: {V: "T[E]", Ptr: "I[P]", X: "T[N]"}
    let: {M: P - 1}
    require: [P >= 1]
    out: {Y: "T[M]"}
    body: |
      s[m] = sum[e in Ptr[m] .. Ptr[m + 1] : V[e] > -1](V[e]*V[e]*X[wrap(e, N)])
      Y[m] = s[m]*max[e in Ptr[m] .. Ptr[m + 1]](V[e])

  - op: scatter_kinds
    types: {T: float, I: index}
    in: {X: "T[N, D]", Ix: "I[N]", B: "T[K, D]"}
    out: {S: "T[K, D]", M: "T[K, D]"}
    body: |
      S[k,d] = B[k,d]
      S[wrap(Ix[i], K),d] += X[i,d]*X[i,d]
      M[k,d] = 0.5*B[k,d]
      M[wrap(Ix[i], K),d] max= X[i,d]*S[wrap(Ix[i], K),d]

  - op: axes_stats
    types: {T: float}
    attrs: {axes: "int[]", keepdims: bool = true}
    in: {X: "T[*P, *R@axes, *Q]"}
    let: {K: "keep(R, keepdims)"}
    out: {Y: "T[*P, *K@axes, *Q]", Z: "T[*P, *R@axes, *Q]"}
    body: |
      m[*p,*q] = sum[*r](X[*p,*r,*q])/size(R)
      v[*p,*q] = sum[*r](sq(X[*p,*r,*q] - m[*p,*q]))/size(R)
      Y[*p,*k,*q] = sqrt(v[*p,*q] + 0.1) + 0*sum[*r](X[*p,*r,*q])
      Z[*p,*r,*q] = (X[*p,*r,*q] - m[*p,*q])*rsqrt(v[*p,*q] + 0.1)

  - op: causal_attention
    types: {T: float}
    in: {Q: "T[B, L, D]", K: "T[B, L, D]", V: "T[B, L, E]", Pos: "T[L]"}
    require: [L >= 1]
    out: {Y: "T[B, L, E]"}
    body: |
      s[b,i,j] = sum[d](Q[b,i,d]*K[b,j,d])*rsqrt(cast(D, T)) + Pos[abs(i - j)]
      m[b,i] = max[j : j <= i](s[b,i,j])
      z[b,i] = sum[j : j <= i](exp(s[b,i,j] - m[b,i]))
      Y[b,i,e] = sum[j : j <= i](exp(s[b,i,j] - m[b,i])*V[b,j,e])/z[b,i]

  - op: top_margin
    types: {T: float}
    in: {X: "T[M, N]"}
    require: [N >= 2]
    out: {Y: "T[M]"}
    body: |
      V[m], I[m] = max_at[k](X[m,k])
      w[m] = max[k : k != I[m]](X[m,k])
      Y[m] = sq(V[m] - w[m])

  - op: sorted_gap
    types: {T: [f32, f64]}
    in: {X: "T[M, N]", W: "T[N]"}
    require: [N >= 2]
    out: {Y: "T[M]"}
    body: |
      s, at = sort(X, axis=-1)
      Y[m] = sum[k](W[k]*sq(s[m,k]))

  - op: composite_softmax
    types: {T: float}
    in: {X: "T[M, N]", Y: "T[M, N]"}
    out: {Z: "T[M, N]"}
    body: |
      p = softmax(2*X + Y, axis=-1)
      q = softmax(p, axis=0)
      Z[m,n] = q[m,n]*X[m,n]

  - op: bilinear_at
    types: {T: float}
    in: {X: "T[C, H, W]", G: "T[K, 2]"}
    require: [H >= 1, W >= 1]
    out: {Y: "T[C, K]"}
    body: |
      u[k] = (G[k,0] + 1)*0.5*(H - 1)
      v[k] = (G[k,1] + 1)*0.5*(W - 1)
      a[k] = clamp(cast(floor(u[k]), i64), 0, H - 1)
      b[k] = clamp(cast(floor(v[k]), i64), 0, W - 1)
      near[c,k] = (1 - (u[k] - a[k]))*(1 - (v[k] - b[k]))*X[c,clamp(a[k], 0, H - 1),clamp(b[k], 0, W - 1)]
      Y[c,k] = near[c,k] + (u[k] - a[k])*(v[k] - b[k])*X[c,clamp(a[k] + 1, 0, H - 1),clamp(b[k] + 1, 0, W - 1)]

  - op: kron
    types: {T: float}
    in: {A: "T[M, N]", B: "T[P, Q]"}
    let: {R: M*P, S: N*Q}
    out: {Y: "T[R, S]"}
    body: Y[r,s] = A[r//P, s//Q]*B[r % P, s % Q]

  - op: totals
    doc: a distance whose exponent the call gives, over axes that stay or do not
    types: {T: float}
    attrs: {axes: "int[]", keepdims: bool = false, e: float = 2}
    in: {X: "T[*P, *R@axes, *Q]"}
    let: {K: "keep(R, keepdims)"}
    out: {Y: "T[*P, *K@axes, *Q]"}
    body: |
      s[*p,*q] = sum[*r](abs(X[*p,*r,*q])**e)
      h[*p,*q] = max[*r](abs(X[*p,*r,*q]))
      Y[*p,*k,*q] = select(e == inf, h[*p,*q], s[*p,*q]**(1/e))
'''
OPS = ['ops:\n  - op: ' + text for text in OPS.split('  - op: ')[1:]]  # a library each


def case(op, key, inputs, *shapes, **attrs):
    # What the ops compute is not looked at here: gradients are compared with their differences.
    return dict(op=op, key=key, inputs=inputs, attrs=attrs, want=[np.zeros(s) for s in shapes])


def cases(rng):
    for key in ('f64', 'f32'):
        def r(*shape, lo=-2, hi=2):
            return rand(rng, shape, key, lo, hi)

        def below(n, *shape):
            return rng.integers(0, n, shape).astype(np.int64)

        def c(op, inputs, *shapes, **attrs):
            return case(op, key, inputs, *shapes, **attrs)

        for s, d, p in ((1, 1, 1), (2, 3, 4), (3, 2, 9), (4, 1, 0)):
            yield c('mirror_conv', [r(2, 3, 11), r(4, 3, 3)], (2, 4, (11 + 2 * p - d * 2 - 1) // s + 1), stride=s, dil=d, p=p)
        for s, d in ((2, 2), (1, 3), (3, 1)):
            yield c('reflect_max', [r(2, 9, 7)], (2, 8 // s + 1, 6 // s + 1), stride=s, dil=d)
        yield c('named_like_gradients', [r(3, 5), r(5, 4)], (3, 4))
        yield c('chain_norm', [r(2, 3, 17)], (2, 3))
        yield c('pick_blend', [r(9, 5), r(3), below(9, 6, 3)], (6, 5))
        yield c('pack_affine', [r(2, 3, 5), r(5), r(2, 1, 5)], (2, 3, 5))
        yield c('pack_affine', [r(2, 3, 5), None, r(3, 5)], (2, 3, 5))
        yield c('pack_affine', [r(1, 5), r(5), None], (1, 5))
        yield c('pack_affine', [r(1, 5), r(5), r(4, 1, 5)], (4, 1, 5))
        yield c('three_way', [r(3, 1, 5), r(4, 1), r(5)], (3, 4, 5), (3, 4, 5))
        yield c('three_way', [np.ones(3, r(1).dtype), np.ones(3, r(1).dtype), r(1)], (3,), (3,))
        yield c('fold2', [r(3, 2, lo=-1, hi=1), r(5)], (5,))
        yield c('lstm_like', [r(6, 2, 4), r(4, 4, lo=-1, hi=1), r(2, 4), r(2, 4)], (6, 2, 4), (6, 2, 4))
        yield c('soft_edit', [r(4, 5)], (5, 6))
        yield c('anti_diagonal', [r(5, 6, lo=-1, hi=1)], (5, 6))
        yield c('spectrum_power', [r(3, 8), r(8)], (3, 8))
        yield c('sorted_gap', [r(3, 9), r(9)], (3,))
        yield c('cast_chain', [r(3, 5), r(5)], (3,), (5,))
        yield c('range_sum', [r(12), np.array([0, 3, 7, 8, 12], np.int64), r(20)], (4,))
        yield c('scatter_kinds', [r(9, 3), below(4, 9), r(4, 3)], (4, 3), (4, 3))
        yield c('axes_stats', [r(2, 3, 4, 5)], (1, 3, 1, 5), (2, 3, 4, 5), axes=[0, 2])
        yield c('axes_stats', [r(2, 3, 4)], (3,), (2, 3, 4), axes=[-1, 0], keepdims=False)
        yield c('causal_attention', [r(2, 6, 4), r(2, 6, 4), r(2, 6, 3), r(6)], (2, 6, 3))
        yield c('top_margin', [r(4, 6)], (4,))
        yield c('composite_softmax', [r(3, 7), r(3, 7)], (3, 7))
        yield c('bilinear_at', [r(2, 5, 6), r(4, 2, lo=-.9, hi=.9)], (2, 4))
        yield c('kron', [r(2, 3), r(3, 2)], (6, 6))
        yield c('totals', [r(2, 3, 4)], (3, 4), axes=[0])
        yield c('totals', [r(2, 3, 4)], (2, 3), axes=[-1], e=3.0)
        yield c('totals', [r(2, 3, 4)], (3,), axes=[2, 0])
        yield c('totals', [r(2, 3, 4)], (1, 3, 1), axes=[0, 2], keepdims=True)
        yield c('totals', [r(1, 1, 2)], (1, 1), axes=[2], e=np.inf)
