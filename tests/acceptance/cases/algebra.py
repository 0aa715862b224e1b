"""Vectors, matrices, complex numbers and quaternions; scans and ranks."""
import numpy as np

from casekit import EXACT, available, rand, tol, wide

OPS = r'''
ops:
  - op: cross
    types: {T: number}
    attrs: {axis: int = -1}
    in: {A: "T[*P, D@axis, *Q]", B: "T[*P, D@axis, *Q]"}
    require: [D == 3]
    out: {Y: "T[*P, D, *Q]"}
    body: |
      Y[*p,i,*q] = A[*p,(i + 1) % 3,*q]*B[*p,(i + 2) % 3,*q] - A[*p,(i + 2) % 3,*q]*B[*p,(i + 1) % 3,*q]

  - op: quaternion_multiply
    types: {T: real}
    in: {A: "T[~*S, 4]", B: "T[~*S, 4]"}
    out: {Y: "T[*S, 4]"}
    index: {k: 4}
    body: |
      w[*s] = A[*s,0]*B[*s,0] - A[*s,1]*B[*s,1] - A[*s,2]*B[*s,2] - A[*s,3]*B[*s,3]
      x[*s] = A[*s,0]*B[*s,1] + A[*s,1]*B[*s,0] + A[*s,2]*B[*s,3] - A[*s,3]*B[*s,2]
      y[*s] = A[*s,0]*B[*s,2] - A[*s,1]*B[*s,3] + A[*s,2]*B[*s,0] + A[*s,3]*B[*s,1]
      z[*s] = A[*s,0]*B[*s,3] + A[*s,1]*B[*s,2] - A[*s,2]*B[*s,1] + A[*s,3]*B[*s,0]
      Y[*s,k] = select(k == 0, w[*s], select(k == 1, x[*s], select(k == 2, y[*s], z[*s])))

  - op: rotate_points
    doc: points turned by unit quaternions
    types: {T: float}
    in: {Q: "T[B, 4]", P: "T[B, N, 3]"}
    out: {Y: "T[B, N, 3]"}
    index: {i: 3}
    body: |
      u[b,n,i] = Q[b,(i + 1) % 3 + 1]*P[b,n,(i + 2) % 3] - Q[b,(i + 2) % 3 + 1]*P[b,n,(i + 1) % 3]
      v[b,n,i] = Q[b,(i + 1) % 3 + 1]*u[b,n,(i + 2) % 3] - Q[b,(i + 2) % 3 + 1]*u[b,n,(i + 1) % 3]
      Y[b,n,i] = P[b,n,i] + 2*(Q[b,0]*u[b,n,i] + v[b,n,i])

  - op: magnitude
    types: {T: complex}
    in: {X: "T[*S]"}
    out: {Y: "f64[*S]"}
    body: |
      Y[*s] = sqrt(sq(cast(real(X[*s]), f64)) + sq(cast(imag(X[*s]), f64)))

  - op: polar_form
    in: {R: "f32[*S]", Phi: "f32[*S]"}
    out: {Y: "c64[*S]"}
    body: |
      Y[*s] = complex(R[*s]*cos(Phi[*s]), R[*s]*sin(Phi[*s]))

  - op: cross_correlation
    doc: cyclic cross-correlation of complex signals
    types: {T: complex}
    in: {A: "T[B, N]", C: "T[B, N]"}
    index: {l: N}
    out: {Y: "T[B, N]"}
    body: |
      Y[b,l] = sum[n](conj(A[b,n])*C[b,(n + l) % N])

  - op: kron
    types: {T: number}
    in: {A: "T[M, N]", B: "T[P, Q]"}
    out: {Y: "T[(M P), (N Q)]"}
    body: |
      Y[(m p),(n q)] = A[m,n]*B[p,q]

  - op: widened_product
    doc: products of narrow integers, summed in 32 bits
    types: {T: [i8, u8, i16]}
    in: {A: "T[B, M, K]", W: "T[K, N]"}
    out: {Y: "i32[B, M, N]"}
    body: |
      Y[b,m,n] = sum[k](cast(A[b,m,k], i32)*cast(W[k,n], i32))

  - op: widened_gram
    doc: the same with the depth as the outer dimension of the left side, and an odd number of it that is known
    types: {T: [i8, u8, i16]}
    in: {A: "T[7, M]", W: "T[7, N]"}
    index: {k: 7}
    out: {Y: "i32[M, N]"}
    body: |
      Y[m,n] = sum[k](cast(A[k,m], i32)*cast(W[k,n], i32))

  - op: converted_beside
    doc: what a cast converts does not widen the statement, what it names does
    types: {T: [i8, i16]}
    in: {A: "T[M, N]", B: "i32[N]"}
    out: {L: "T[M]", H: "i32[M]"}
    body: |
      L[m] = max[n](A[m,n] - cast(B[n], T))
      H[m] = max[n](A[m,n]*A[m,n] - cast(B[n], i32))

  - op: number_for_absent
    doc: a literal in the place of an absent tensor has its type
    types: {T: [i8, u8, u32]}
    in: {A: "T[N]", "B?": "T[N]"}
    out: {Y: "T[]"}
    require: [N > 0]
    body: Y[] = max[n](opt(B[n], 0) - n) - A[0]

  - op: khatri_rao
    types: {T: number}
    in: {A: "T[M, R]", B: "T[N, R]"}
    out: {Y: "T[(M N), R]"}
    body: |
      Y[(m n),r] = A[m,r]*B[n,r]

  - op: band_part
    doc: central band of matrices (tf.linalg.band_part)
    types: {T: any}
    attrs: {lower: int = -1, upper: int = -1, fill: T = 0}
    in: {X: "T[*B, M, N]"}
    out: {Y: "T[*B, M, N]"}
    body: |
      Y[*b,i,j] = select((lower < 0 or i - j <= lower) and (upper < 0 or j - i <= upper), X[*b,i,j], fill)

  - op: trace
    types: {T: number}
    attrs: {offset: int = 0}
    in: {X: "T[*B, M, N]"}
    out: {Y: "T[*B]"}
    body: |
      Y[*b] = sum[i](padded(X[*b,i,i + offset], 0))

  - op: toeplitz
    types: {T: any}
    in: {C: "T[M]", R: "T[N]"}
    out: {Y: "T[M, N]"}
    index: {i: M, j: N}
    body: |
      Y[i,j] = select(i >= j, C[clamp(i - j, 0, M - 1)], R[clamp(j - i, 0, N - 1)])

  - op: hankel_sum
    types: {T: number}
    in: {X: "T[L]"}
    attrs: {rows: int}
    require: [rows >= 1, rows <= L]
    let: {C: L - rows + 1}
    index: {i: rows, j: C}
    out: {Y: "T[rows, C]"}
    body: |
      Y[i,j] = X[i + j]

  - op: vander
    types: {T: [float, int]}
    attrs: {n: int, increasing: bool = false}
    in: {X: "T[M]"}
    require: [n >= 0]
    index: {j: n, k: n}
    out: {Y: "T[M, n]"}
    body: |
      Y[i,j] = prod[k : k < select(increasing, j, n - 1 - j)](X[i])

  - op: cdist
    doc: pairwise distances with any p, also infinity
    types: {T: float}
    attrs: {p: float = 2}
    in: {A: "T[*B, M, D]", C: "T[*B, N, D]"}
    out: {Y: "T[*B, M, N]"}
    body: |
      d1[*b,i,j] = sum[k](abs(A[*b,i,k] - C[*b,j,k])**p)
      dm[*b,i,j] = max[k](abs(A[*b,i,k] - C[*b,j,k]))
      Y[*b,i,j] = select(p == inf, max(dm[*b,i,j], 0), d1[*b,i,j]**(1/p))

  - op: cosine_similarity
    types: {T: float}
    attrs: {axis: int = -1, eps: float = 1e-8}
    in: {A: "T[*P, D@axis, *Q]", B: "T[*P, D@axis, *Q]"}
    out: {Y: "T[*P, *Q]"}
    body: |
      ab[*p,*q] = sum[k](A[*p,k,*q]*B[*p,k,*q])
      aa[*p,*q] = sum[k](sq(A[*p,k,*q]))
      bb[*p,*q] = sum[k](sq(B[*p,k,*q]))
      Y[*p,*q] = ab[*p,*q]/max(sqrt(aa[*p,*q]*bb[*p,*q]), eps)

  - op: bilinear
    doc: y = x1' W x2 + b (torch.nn.Bilinear)
    types: {T: float}
    in:
      A: T[*B, I]
      C: T[*B, J]
      W: T[O, I, J]
      b?: T[O]
    out: {Y: "T[*B, O]"}
    body: |
      Y[*b,o] = sum[i,j](A[*b,i]*W[o,i,j]*C[*b,j]) + opt(b[o], 0)

  - op: bilinear_pooling
    doc: mean of outer products over positions, signed root, row normalised
    types: {T: float}
    in: {A: "T[N, C, S]", B: "T[N, D, S]"}
    out: {Y: "T[N, (C D)]"}
    body: |
      g[n,c,d] = sum[s](A[n,c,s]*B[n,d,s])/S
      r[n,c,d] = sign(g[n,c,d])*sqrt(abs(g[n,c,d]) + 1e-5)
      z[n] = sum[c,d](sq(r[n,c,d]))
      Y[n,(c d)] = r[n,c,d]*rsqrt(z[n])

  - op: mahalanobis
    types: {T: float}
    in: {X: "T[N, D]", Mu: "T[D]", P: "T[D, D]"}
    out: {Y: "T[N]"}
    body: |
      z[n,i] = X[n,i] - Mu[i]
      Y[n] = sqrt(max(0, sum[i,j](z[n,i]*P[i,j]*z[n,j])))

  - op: gram_centred
    types: {T: float}
    in: {X: "T[B, C, *S]"}
    out: {Y: "T[B, C, C]"}
    index: {d: C}
    body: |
      m[b,c] = sum[*s](X[b,c,*s])/size(S)
      z[b,c,*s] = X[b,c,*s] - m[b,c]
      Y[b,c,d] = sum[*s](z[b,c,*s]*z[b,d,*s])/(size(S) - 1)

  - op: gradient1
    doc: central differences, one-sided at the ends (numpy.gradient)
    types: {T: float}
    attrs: {axis: int = -1, h: T = 1}
    in: {X: "T[*P, D@axis, *Q]"}
    require: [D >= 2]
    out: {Y: "T[*P, D, *Q]"}
    body: |
      Y[*p,d,*q] = (X[*p,min(d + 1, D - 1),*q] - X[*p,max(d - 1, 0),*q])/(h*(min(d + 1, D - 1) - max(d - 1, 0)))

  - op: trapezoid
    types: {T: float}
    in: {Y: "T[*P, N]", X: "T[N]"}
    out: {Z: "T[*P]"}
    body: |
      Z[*p] = sum[i : i < N - 1](0.5*(Y[*p,i] + Y[*p,min(i + 1, N - 1)])*(X[min(i + 1, N - 1)] - X[i]))

  - op: interp
    doc: piecewise linear interpolation on a grid that rises (numpy.interp)
    types: {T: float}
    in: {X: "T[*S]", G: "T[N]", V: "T[N]"}
    require: [N >= 2]
    out: {Y: "T[*S]"}
    body: |
      n[*s] = sum[k](select(G[k] <= X[*s], 1, 0))
      lo[*s] = clamp(cast(n[*s], i64) - 1, 0, N - 2)
      t[*s] = min(max((X[*s] - G[lo[*s]])/(G[lo[*s] + 1] - G[lo[*s]]), 0), 1)
      Y[*s] = V[lo[*s]] + t[*s]*(V[lo[*s] + 1] - V[lo[*s]])

  - op: polyval
    types: {T: [float, int]}
    in: {C: "T[K]", X: "T[*S]"}
    out: {Y: "T[*S]"}
    body: |
      Y[*s] = sum[k](C[k]*prod[j : j < K - 1 - k](X[*s]))
    index: {j: K}

  - op: cummax
    doc: running maximum and where it was, the last of equals (torch.cummax keeps the later)
    types: {T: real}
    attrs: {axis: int = 0}
    in: {X: "T[*P, D@axis, *Q]"}
    out: {Y: "T[*P, D, *Q]", I: "i64[*P, D, *Q]"}
    body: |
      Y[*p,i,*q] = max[k : k <= i](X[*p,k,*q])
      I[*p,i,*q] = argmax[k : k <= i](X[*p,k,*q])

  - op: logcumsumexp
    types: {T: float}
    in: {X: "T[*P, N]"}
    out: {Y: "T[*P, N]"}
    body: |
      m[*p] = max[k](X[*p,k])
      Y[*p,i] = m[*p] + log(sum[k : k <= i](exp(X[*p,k] - m[*p])))

  - op: pairwise_order
    doc: the rank of each value, ties by position
    types: {T: real}
    in: {X: "T[B, N]"}
    index: {j: N}
    out: {R: "i64[B, N]"}
    body: |
      R[b,i] = sum[j](select(X[b,j] < X[b,i] or (X[b,j] == X[b,i] and j < i), 1, 0))
'''

F = ('f32', 'f64', 'f16', 'bf16')


def cases(rng):
    for key in (*available(*F), 'i32', 'i8', 'u16', 'c64'):
        for s, axis in [((3,), 0), ((17, 3), -1), ((3, 33), 0), ((2, 3, 5), 1), ((0, 3), 1)]:
            a, b = rand(rng, s, key), rand(rng, s, key)
            wa, wb = np.moveaxis(wide(a), axis, -1), np.moveaxis(wide(b), axis, -1)
            y = np.moveaxis(np.stack([wa[..., 1] * wb[..., 2] - wa[..., 2] * wb[..., 1], wa[..., 2] * wb[..., 0] - wa[..., 0] * wb[..., 2],
                                      wa[..., 0] * wb[..., 1] - wa[..., 1] * wb[..., 0]], -1), -1, axis)
            if key == 'u16':
                y = (y % 65536).astype(np.uint16)
            yield dict(op='cross', key=key, inputs=[a, b], attrs={'axis': axis}, want=[y],
                       tol=EXACT if key[0] in 'iu' else tol(ulp=2, acc=8, mag=8.0))
    for key in (*available('f32', 'f64'), 'i32'):
        for sa, sb in [((4,), (4,)), ((17, 4), (17, 4)), ((3, 1, 4), (5, 4)), ((1, 4), (33, 4)), ((0, 4), (1, 4))]:
            a, b = rand(rng, sa, key), rand(rng, sb, key)
            (w, x, y, z), (p, q, r, t) = np.moveaxis(wide(a), -1, 0), np.moveaxis(wide(b), -1, 0)
            v = np.stack([w * p - x * q - y * r - z * t, w * q + x * p + y * t - z * r, w * r - x * t + y * p + z * q,
                w * t + x * r - y * q + z * p], -1)
            yield dict(op='quaternion_multiply', key=key, inputs=[a, b], want=[v], tol=EXACT if key == 'i32' else tol(ulp=2, acc=8, mag=16.0))
    for key in available('f32', 'f64'):
        for b, n in [(1, 1), (3, 17), (2, 0)]:
            q, p = rand(rng, (b, 4), key), rand(rng, (b, n, 3), key)
            v = wide(q)[:, None, 1:]
            u = np.cross(np.broadcast_to(v, (b, n, 3)), wide(p))
            yield dict(op='rotate_points', key=key, inputs=[q, p],
                       want=[wide(p) + 2 * (wide(q)[:, None, :1] * u + np.cross(np.broadcast_to(v, (b, n, 3)), u))], tol=tol(ulp=2, acc=16, mag=80.0))
    for key in ('c64', 'c128'):
        for s in [(1,), (17,), (3, 5), (0,)]:
            x = rand(rng, s, key)
            yield dict(op='magnitude', key=key, inputs=[x], want=[abs(wide(x))], dtypes=['f64'], tol=tol(ulp=4))
        for b, n in [(1, 1), (2, 17), (3, 4)]:
            a, c = rand(rng, (b, n), key), rand(rng, (b, n), key)
            y = np.stack([(np.conj(wide(a)) * np.roll(wide(c), -k, 1)).sum(1) for k in range(n)], 1)
            yield dict(op='cross_correlation', key=key, inputs=[a, c], want=[y], tol=tol(ulp=2, acc=4 * n, mag=8.0 * n))
    for s in [(1,), (16,), (3, 17)]:
        r, phi = rand(rng, s, 'f32'), rand(rng, s, 'f32', -7, 7)
        yield dict(op='polar_form', key='f32', inputs=[r, phi], dtypes=['c64'], want=[wide(r) * np.exp(1j * wide(phi))],
                   tol=tol(ulp=4, acc=8, mag=2.0))
    for key in (*available(*F), 'i16', 'u8', 'c64'):
        for (m, n), (p, q) in [((1, 1), (1, 1)), ((2, 3), (5, 7)), ((3, 1), (1, 17)), ((0, 2), (2, 2))]:
            a, b = rand(rng, (m, n), key), rand(rng, (p, q), key)
            t = EXACT if key[0] in 'iu' else tol(ulp=2)
            yield dict(op='kron', key=key, inputs=[a, b], want=[np.kron(wide(a), wide(b)).reshape(m * p, n * q)], tol=t)
            c = rand(rng, (p, n), key)
            yield dict(op='khatri_rao', key=key, inputs=[a, c], want=[(wide(a)[:, None] * wide(c)[None]).reshape(m * p, n)], tol=t)
        for s, off in [((1, 1), 0), ((5, 17), 2), ((17, 5), -3), ((2, 3, 3), 9), ((2, 4, 3), -3)]:
            x = rand(rng, s, key)
            yield dict(op='trace', key=key, inputs=[x], attrs={'offset': off}, want=[np.trace(wide(x), off, -2, -1)],
                       tol=EXACT if key[0] in 'iu' else tol(ulp=2, acc=18, mag=40.0))
    for key in ('i8', 'u8', 'i16'):
        lo, hi = (0, 255) if key == 'u8' else (-100, 100)
        for b, m, k, n in ((1, 3, 1, 2), (2, 9, 7, 33), (1, 17, 67, 5), (1, 8, 64, 32), (0, 2, 3, 4), (1, 2, 0, 3)):
            a, c = rand(rng, (b, m, k), key, lo, hi), rand(rng, (k, n), key, lo, hi)
            yield dict(op='widened_product', key=key, inputs=[a, c], want=[wide(a) @ wide(c)], dtypes=['i32'], tol=EXACT)
            a, c = rand(rng, (7, m), key, lo, hi), rand(rng, (7, n), key, lo, hi)
            yield dict(op='widened_gram', key=key, inputs=[a, c], want=[wide(a).T @ wide(c)], dtypes=['i32'], tol=EXACT)
    for key in ('i8', 'u8', 'u32'):
        for n in (1, 5, 67):
            a, b = rand(rng, (n,), key, 0, 100), rand(rng, (n,), key, 0, 100)
            for given in (None, b):
                start = np.zeros(n, a.dtype) if given is None else b
                want = (start - np.arange(n).astype(a.dtype)).max() - a[0]
                yield dict(op='number_for_absent', key=key, inputs=[a, given], want=[np.array(want)], tol=EXACT)
    for key, bits in (('i8', 8), ('i16', 16)):
        for m, n in ((1, 1), (3, 5), (7, 67)):
            a, b = rand(rng, (m, n), key, -2**(bits - 1), 2**(bits - 1)), rand(rng, (n,), 'i32', -2**(bits + 2), 2**(bits + 2))
            wrapped, square = a - b.astype(a.dtype), a.astype(np.int32)**2 - b
            yield dict(op='converted_beside', key=key, inputs=[a, b], want=[wrapped.max(1), square.max(1)], dtypes=[key, 'i32'], tol=EXACT)
    for key in (*available('f32', 'f16'), 'i64', 'bool', 'c128'):
        for s, lo, hi in [((5, 17), 1, 2), ((17, 5), -1, 0), ((2, 3, 3), 0, -1), ((1, 1), -1, -1), ((0, 3), 1, 1)]:
            x = rand(rng, s, key)
            i, j = np.arange(s[-2])[:, None], np.arange(s[-1])
            fill = 3 if key == 'i64' else 1 if key == 'bool' else 3.0
            yield dict(op='band_part', key=key, inputs=[x], attrs={'lower': lo, 'upper': hi, 'fill': fill},
                       want=[np.where(((lo < 0) | (i - j <= lo)) & ((hi < 0) | (j - i <= hi)), x, np.array(fill).astype(x.dtype))], tol=EXACT)
        for m, n in [(1, 1), (5, 17), (17, 3)]:
            c, r = rand(rng, (m,), key), rand(rng, (n,), key)
            i, j = np.arange(m)[:, None], np.arange(n)
            yield dict(op='toeplitz', key=key, inputs=[c, r], want=[np.where(i >= j, c[np.clip(i - j, 0, m - 1)], r[np.clip(j - i, 0, n - 1)])],
                       tol=EXACT)
    for key in ('f32', 'i32'):
        for n, rows in [(1, 1), (17, 3), (16, 16)]:
            x = rand(rng, (n,), key)
            yield dict(op='hankel_sum', key=key, inputs=[x], attrs={'rows': rows}, want=[x[np.arange(rows)[:, None] + np.arange(n - rows + 1)]],
                       tol=EXACT)
        yield dict(op='hankel_sum', key=key, inputs=[rand(rng, (4,), key)], attrs={'rows': 5}, out=[(key, (5, 0))], error='more rows than values')
        for m, n in [(1, 1), (17, 4), (3, 0), (0, 3)]:
            x = rand(rng, (m,), key)
            for inc in (False, True):
                yield dict(op='vander', key=key, inputs=[x], attrs={'n': n, 'increasing': inc}, want=[np.vander(wide(x), n, inc)],
                           tol=EXACT if key == 'i32' else tol(ulp=8))
    for key in available('f32', 'f64'):
        for b, m, n, d in [((), 1, 1, 1), ((2,), 17, 5, 3), ((), 3, 33, 16), ((), 2, 2, 0)]:
            a, c = rand(rng, (*b, m, d), key), rand(rng, (*b, n, d), key)
            df = abs(wide(a)[..., :, None, :] - wide(c)[..., None, :, :])
            for p in (1.0, 2.0, 3.0, np.inf):
                want = df.max(-1, initial=0) if p == np.inf else (df**p).sum(-1)**(1 / p)
                yield dict(op='cdist', key=key, inputs=[a, c], attrs={'p': p}, want=[want], tol=tol(ulp=16, acc=32))
    for key in available(*F):
        for s, axis in [((17,), 0), ((3, 33), -1), ((33, 3), 0), ((2, 5, 3), 1), ((3, 0), 1)]:
            a, b = rand(rng, s, key), rand(rng, s, key)
            wa, wb = wide(a), wide(b)
            want = (wa * wb).sum(axis) / np.maximum(np.sqrt((wa**2).sum(axis) * (wb**2).sum(axis)), 1e-8)
            yield dict(op='cosine_similarity', key=key, inputs=[a, b], attrs={'axis': axis}, want=[want], tol=tol(ulp=4, acc=60, mid=2, mag=1.0))
        for bt, i, j, o in [((), 1, 1, 1), ((5,), 3, 17, 2), ((2, 3), 4, 4, 5), ((0,), 2, 2, 2)]:
            a, c, w, bias = rand(rng, (*bt, i), key), rand(rng, (*bt, j), key), rand(rng, (o, i, j), key), rand(rng, (o,), key)
            for bb in (None, bias):
                want = np.einsum('...i,oij,...j->...o', wide(a), wide(w), wide(c)) + (0 if bb is None else wide(bb))
                g = np.einsum('...i,oij,...j->...o', abs(wide(a)), abs(wide(w)), abs(wide(c))) + 2
                yield dict(op='bilinear', key=key, inputs=[a, c, w, bb], want=[want], tol=tol(ulp=2, acc=i * j + 8, mag=g))
    for key in available('f32', 'f64'):
        for n, c, d, s in [(1, 1, 1, 1), (2, 3, 5, 17), (3, 4, 4, 8)]:
            a, b = rand(rng, (n, c, s), key), rand(rng, (n, d, s), key)
            g = np.einsum('ncs,nds->ncd', wide(a), wide(b)) / s
            r = np.sign(g) * np.sqrt(abs(g) + 1e-5)
            yield dict(op='bilinear_pooling', key=key, inputs=[a, b], want=[(r / np.sqrt((r**2).sum((1, 2), keepdims=True))).reshape(n, -1)],
                       tol=tol(ulp=16, acc=4000, mag=1.0))
        for n, d in [(1, 1), (5, 17), (33, 3)]:
            x, mu, p = rand(rng, (n, d), key), rand(rng, (d,), key), rand(rng, (d, d), key)
            z = wide(x) - wide(mu)
            q = np.einsum('ni,ij,nj->n', z, wide(p), z)
            g = np.einsum('ni,ij,nj->n', abs(z), abs(wide(p)), abs(z))
            want = np.sqrt(np.maximum(q, 0))
            yield dict(op='mahalanobis', key=key, inputs=[x, mu, p], want=[want], tol=tol(ulp=4, acc=d * d + 8, mag=g / np.maximum(want, 1e-30)))
        for b, c, s in [(1, 1, (3,)), (2, 5, (4, 7)), (1, 16, (33,))]:
            x = rand(rng, (b, c, *s), key)
            z = wide(x).reshape(b, c, -1)
            z = z - z.mean(-1, keepdims=True)
            n = z.shape[-1]
            yield dict(op='gram_centred', key=key, inputs=[x], want=[z @ z.transpose(0, 2, 1) / (n - 1)], tol=tol(ulp=4, acc=n + 8, mag=16.0))
        for s, axis in [((2,), 0), ((17,), -1), ((3, 33), 1), ((33, 3), 0), ((2, 3, 5), 1)]:
            x = rand(rng, s, key)
            yield dict(op='gradient1', key=key, inputs=[x], attrs={'axis': axis, 'h': 0.5}, want=[np.gradient(wide(x), 0.5, axis=axis)],
                       tol=tol(ulp=4, acc=4, mag=8.0))
        for s in [(1,), (17,), (3, 33), (2, 0)]:
            y, x = rand(rng, s, key), np.sort(rand(rng, s[-1:], key))
            yield dict(op='trapezoid', key=key, inputs=[y, x], want=[((wide(y)[..., 1:] + wide(y)[..., :-1]) / 2 * np.diff(wide(x))).sum(-1)],
                       tol=tol(ulp=4, acc=50, mag=8.0))
        for s, n in [((17,), 2), ((3, 33), 9), ((0,), 3)]:
            x, g, v = rand(rng, s, key), np.sort(rand(rng, (n,), key)), rand(rng, (n,), key)
            slope = np.max(abs(np.diff(wide(v)) / np.diff(wide(g))))
            yield dict(op='interp', key=key, inputs=[x, g, v], want=[np.interp(wide(x), wide(g), wide(v))], tol=tol(ulp=8, acc=16, mag=4 + 4 * slope))
        yield dict(op='interp', key=key, inputs=[rand(rng, (3,), key), rand(rng, (1,), key), rand(rng, (1,), key)], out=[(key, (3,))], error='N >= 2')
    for key in ('f32', 'f64', 'i32', 'i64'):
        for k, s in [(1, (5,)), (4, (17,)), (3, (2, 5)), (0, (3,)), (6, ())]:
            c, x = rand(rng, (k,), key), rand(rng, s, key)
            g = np.polyval(abs(wide(c)), abs(wide(x))) if k else 0.0
            yield dict(op='polyval', key=key, inputs=[c, x], want=[np.polyval(wide(c), wide(x)) if k else np.zeros(s)],
                       tol=EXACT if key[0] == 'i' else tol(ulp=2, acc=2 * k + 6, mag=g))
    for key in (*available(*F), 'i32', 'u8'):
        for s, axis in [((17,), 0), ((3, 33), 1), ((33, 3), 0), ((2, 7, 3), 1), ((0, 3), 0)]:
            x = rand(rng, s, key, -4, 4)
            w = np.moveaxis(wide(x), axis, 0)
            y = np.maximum.accumulate(w, 0)
            at = np.stack([w[:i + 1].argmax(0) for i in range(len(w))]) if len(w) else w.astype(np.int64)
            yield dict(op='cummax', key=key, inputs=[x], attrs={'axis': axis}, want=[np.moveaxis(y, 0, axis), np.moveaxis(at, 0, axis)],
                       dtypes=[key, 'i64'], tol=[EXACT, EXACT])
    for key in available('f32', 'f64', 'f16'):
        for s in [(1,), (17,), (3, 33), (2, 0)]:
            x = rand(rng, s, key)
            yield dict(op='logcumsumexp', key=key, inputs=[x], want=[np.logaddexp.accumulate(wide(x), -1) if s[-1] else wide(x)],
                       tol=tol(ulp=2, acc=60, mag=4.0))
    for key in (*available('f32', 'bf16'), 'i8', 'u64'):
        for b, n in [(1, 1), (3, 17), (2, 33), (0, 5), (2, 0)]:
            x = np.round(wide(rand(rng, (b, n), key, -3, 3))).astype(rand(rng, (1,), key).dtype)
            r = np.argsort(np.argsort(wide(x), -1, kind='stable'), -1, kind='stable')
            yield dict(op='pairwise_order', key=key, inputs=[x], want=[r], dtypes=['i64'], tol=EXACT)
