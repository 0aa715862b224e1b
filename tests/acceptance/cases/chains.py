"""Products of the same rows with one matrix after the other, and statements about rows between them."""
import numpy as np

from casekit import available, rand, tol, wide

OPS = r'''
ops:
  - op: two_layers
    doc: two dense layers with a normalisation of rows between them
    types: {T: float}
    in: {X: "T[B, N, D]", W: "T[D, H]", C: "T[H]", U: "T[H, E]"}
    out: {Y: "T[B, N, E]", M: "T[B, N]"}
    body: |
      h[b,n,j] = sum[d](X[b,n,d]*W[d,j]) + C[j]
      M[b,n]   = sum[j](h[b,n,j])/H
      v[b,n]   = sum[j](sq(h[b,n,j] - M[b,n]))/H
      a[b,n,j] = max((h[b,n,j] - M[b,n])*rsqrt(v[b,n] + 0.5), 0)
      Y[b,n,e] = sum[j](a[b,n,j]*U[j,e])

  - op: three_products
    doc: rows times a matrix of each batch, three times, with a sum of each row between
    types: {T: float}
    in: {Q: "T[B, G, L, D]", K: "T[B, S, D]", V: "T[B, S, E]", O: "T[B, E, F]"}
    out: {Y: "T[B, G, L, F]"}
    body: |
      s[b,g,i,j] = max(sum[d](Q[b,g,i,d]*K[b,j,d]), 0)
      n[b,g,i]   = sum[j](s[b,g,i,j])
      y[b,g,i,e] = sum[j](s[b,g,i,j]*V[b,j,e])/(1 + n[b,g,i])
      Y[b,g,i,f] = sum[e](y[b,g,i,e]*O[b,e,f])

  - op: causal_products
    doc: what a condition leaves out of a sum has no part in it, numbers or not
    types: {T: float}
    in: {Q: "T[L, D]", K: "T[L, D]", V: "T[L, E]", M: "u8[L]"}
    out: {Y: "T[L, E]", Z: "T[L, E]"}
    body: |
      s[i,j] = sum[d](Q[i,d]*K[j,d])
      Y[i,e] = sum[j : j <= i](s[i,j]*V[j,e])
      Z[i,e] = sum[j](select(M[j] == 0, 0, s[i,j]*V[j,e]))
'''


def layers(x, w, c, u):
    h = wide(x) @ wide(w) + wide(c)
    m = h.mean(-1, keepdims=True)
    a = np.maximum((h - m) / np.sqrt(((h - m)**2).mean(-1, keepdims=True) + 0.5), 0)
    return [a @ wide(u), m[..., 0]]


def products(q, k, v, o):
    s = np.maximum(np.einsum('bgid,bjd->bgij', wide(q), wide(k)), 0)
    y = np.einsum('bgij,bje->bgie', s, wide(v)) / (1 + s.sum(-1, keepdims=True))
    return [np.einsum('bgie,bef->bgif', y, wide(o))]


def causal(q, k, v, m):
    s, n = wide(q) @ wide(k).T, len(q)
    y = [s[i, :i + 1] @ wide(v)[:i + 1] for i in range(n)]
    return [np.array(y).reshape(wide(v).shape), s[:, m != 0] @ wide(v)[m != 0]]


def cases(rng):
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for b, n, d, h, e in [(1, 1, 1, 1, 1), (2, 3, 5, 7, 9), (1, 17, 33, 40, 3), (3, 64, 16, 100, 32), (2, 5, 0, 4, 3), (0, 9, 2, 4, 3)]:
            x, w, c, u = (rand(rng, s, key) for s in ((b, n, d), (d, h), (h,), (h, e)))
            yield dict(op='two_layers', key=key, inputs=[x, w, c, u], want=layers(x, w, c, u), tol=tol(ulp=4, acc=400 + 4 * d + 4 * h, mid=2.0 * h, mag=8.0))
        for b, g, l, s, d, e, f in [(1, 1, 1, 1, 1, 1, 1), (2, 3, 5, 7, 4, 6, 5), (1, 2, 33, 65, 8, 17, 3), (2, 1, 16, 32, 16, 32, 48), (1, 2, 9, 0, 3, 4, 5)]:
            q, k, v, o = (rand(rng, x, key) for x in ((b, g, l, d), (b, s, d), (b, s, e), (b, e, f)))
            yield dict(op='three_products', key=key, inputs=[q, k, v, o], want=products(q, k, v, o),
                       tol=tol(ulp=4, acc=400 + 4 * d + 4 * s + 4 * e, mid=2.0 * s + 2, mag=8.0))
        for n, d, e in [(1, 1, 1), (7, 5, 3), (33, 16, 17), (100, 8, 40)]:
            q, k, v = (rand(rng, x, key) for x in ((n, d), (n, d), (n, e)))
            m = (np.arange(n) % 3 < 2).astype(np.uint8)
            m[-1] = 0
            with np.errstate(invalid='ignore'):
                v[-1] = np.nan if key in ('f32', 'bf16') else np.inf
                want = causal(q, k, v, m)
            yield dict(op='causal_products', key=key, inputs=[q, k, v, m], want=want, tol=tol(ulp=4, acc=400 + 4 * d + 4 * n, mid=2.0 * n, mag=8.0))
