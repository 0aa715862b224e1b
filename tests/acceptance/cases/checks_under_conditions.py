"""What is read, and checked, only where a condition holds: elsewhere indices, ends of ranges and divisors are anywhere. And folds
whose accumulator is in an index that a loop around them splits."""
import numpy as np

from casekit import EXACT, np_dtype, rand, tol, wide

OPS = r'''
ops:
  - op: excused_inside
    doc: reductions within reductions, and those of an update, where a condition around them holds
    types: {T: [f32, f64, i32], I: index}
    in: {C: "bool[M]", A: "T[M, K]", B: "T[L, K]", X: "T[N]", At: "I[M, L]", Lo: "i64[M]", Hi: "i64[M]", D: "I[M]"}
    out: {V: "T[M]", S: "T[M]", R: "T[M]", Q: "i64[M]", W: "T[M]", U: "T[K]", P: "bool[M]"}
    body: |
      V[i] = select(C[i], max[k](A[i,k] + sum[l](X[wrap(At[i,l], N)]*B[l,k])), 0)
      S[i] = max[k : C[i]](A[i,k] - max[l](B[l,k]*sum[q](B[q,k]*X[wrap(At[i,q], N)])))
      R[i] = select(not C[i], 0, min[k](A[i,k]*sum[e in Lo[i] .. Hi[i]](X[e])))
      Q[i] = select(C[i], sum[k](cast(A[i,k], i64)*max[l](l//D[i])), -1)
      W[i] = select(C[i], fold[k](a = cast(1, T), a*2 + sum[l : X[wrap(At[i,l], N)] > 0](B[l,k])), 0)
      P[i] = C[i] and max[l](X[wrap(At[i,l], N)]) > 0
      U[k] = 0
      U[k] += sum[l](B[l,k]*max[i2](A[i2,k])*X[wrap(At[i,l], N)]) where C[i]

  - op: excused_in_a_fold
    doc: sums in the steps of a fold that a condition chooses, or one on the accumulator
    types: {T: [f32, f64, i32], I: index}
    in: {C: "bool[K]", B: "T[M, L]", X: "T[N]", At: "I[K, L]"}
    require: [L >= 1]
    out: {Y: "T[M]", Z: "T[M]", V: "T[M]", S: "T[K]"}
    body: |
      Y[i] = fold[k](a = B[i,0], select(C[k], a - sum[l](X[wrap(At[k,l], N)]*B[i,l]), a))
      Z[i] = fold[k : C[k]](a = B[i,0], a - select(a > 0, sum[l](X[wrap(At[k,l], N)]*B[i,l]), 1))
      V[i] = fold[k](a = B[i,0], select(C[k], max[l](select(B[i,l] > a, X[wrap(At[k,l], N)], 0)), a - 1))
      S[k] = select(C[k], fold[l](a = X[wrap(At[k,0], N)] + max[q](X[wrap(At[k,q], N)]), 3 - a), 0)

  - op: masked_rows
    doc: rows that data name, where a mask keeps an element of them; in lanes
    types: {T: [f32, f64, i32, i8, f16]}
    in: {Kept: "bool[M, K]", X: "T[N, K]", At: "i64[M]"}
    out: {V: "T[M]"}
    body: |
      V[i] = max[k : Kept[i,k]](X[wrap(At[i], N),k])

  - op: masked_sums
    types: {T: [f32, f64, i32]}
    in: {Kept: "bool[M, K]", X: "T[N, K]", At: "i64[M]"}
    out: {Z: "T[M]"}
    body: |
      Z[i] = sum[k : Kept[i,k]](X[wrap(At[i], N),k])

  - op: either_of_two
    types: {T: [f32, f64, i32]}
    in: {C: "bool[M]", A: "T[M, K]", X: "T[N, K]", At: "i64[M]"}
    out: {W: "T[M, K]"}
    body: |
      W[i,k] = select(C[i] and X[wrap(At[i], N),k] > 0, A[i,k], 2)

  - op: neither_of_two
    types: {T: [f32, f64, i32]}
    in: {C: "bool[M]", A: "T[M, K]", X: "T[N, K]", At: "i64[M]"}
    out: {W: "T[M, K]"}
    body: |
      W[i,k] = select(not C[i] or X[wrap(At[i], N),k] > 0, A[i,k], 2)

  - op: asked_where_checked
    doc: a check that is needed where a reduction of what another one excuses holds
    types: {T: [f32, f64, i32]}
    in: {C: "bool[M]", X: "T[N, K]", At: "i64[M]", Z: "T[L]", To: "i64[M]"}
    require: [K >= 1]
    out: {Y: "T[M]", V: "T[M]"}
    body: |
      Y[i] = select(C[i] and max[k](X[wrap(At[i], N),k]) > 0, Z[wrap(To[i], L)], -1)
      V[i] = select(C[i], select(fold[k](a = 0, max(a, X[wrap(At[i], N),k])) > 0, Z[wrap(To[i], L)], 1), 2)

  - op: folds_on_a_ring
    doc: an accumulator plus the variable around the fold, modulo a size
    types: {T: [f32, f64, i32]}
    in: {A: "T[N, M]", B: "T[N]"}
    require: [N >= 1, M >= 1]
    index: {k: N}
    out: {Y: "i64[N]", Z: "i64[N]"}
    body: |
      Y[i] = fold[k](w = 1, cast(A[clamp(k + 1, 0, N - 1),0] + B[(w + i) % N], i64) % 7 - w)
      Z[i] = fold[k](w = 1, cast(padded(B[w - 1 + i], 2) + A[clamp(w + i, 0, N - 1),min(k, M - 1)], i64) % 7 - w)
'''


def ring(a, b):
    n, m = a.shape
    y, z = [], []
    for i in range(n):
        w = v = 1
        for k in range(n):
            w = int(a[min(k + 1, n - 1), 0] + b[(w + i) % n]) % 7 - w
            at = v - 1 + i
            v = int((b[at] if 0 <= at < n else 2) + a[min(max(v + i, 0), n - 1), min(k, m - 1)]) % 7 - v
        y.append(w)
        z.append(v)
    return [np.array(y, np.int64), np.array(z, np.int64)]


def excused(rng, key, m, k, l, n):
    c = rng.integers(0, 2, m).astype(bool)
    a, b, x = (rand(rng, s, 'i32', -3, 3).astype(np_dtype(key)) for s in ((m, k), (l, k), (n,)))
    kind = np.int64 if m % 2 else np.int32
    at = np.where(c[:, None], rng.integers(-n, n, (m, l)), 2**30)
    lo = rng.integers(0, n + 1, m)
    hi = np.where(c, np.minimum(lo + rng.integers(0, 4, m), n), 2**40)
    lo = np.where(c, lo, -2**40)
    d = np.where(c, rng.integers(1, 4, m), 0)
    A, B, X = wide(a), wide(b), wide(x)
    g = np.where(c[:, None], X[np.where(c[:, None], at, 0)], 0)
    least = -np.inf if key[0] == 'f' else -2**31
    v = np.where(c, (A + g@B).max(1), 0)
    s = np.where(c, (A - (B[None]*(g@B)[:, None]).max(1)).max(1), least)
    r = [(A[i]*X[lo[i]:hi[i]].sum()).min() if c[i] else 0 for i in range(m)]
    q = [int(A[i].sum())*((l - 1)//int(d[i])) if c[i] else -1 for i in range(m)]
    w = np.zeros(m)
    for i in np.flatnonzero(c):
        total = 1
        for j in range(k):
            total = total*2 + int(B[g[i] > 0, j].sum())
        w[i] = total if key[0] == 'f' else (total + 2**31) % 2**32 - 2**31
    u = np.zeros(k) + sum((B*A.max(0)*g[i][:, None]).sum(0) for i in np.flatnonzero(c))
    return dict(op='excused_inside', key=key, inputs=[c, a, b, x, at.astype(kind), lo, hi, d.astype(kind)],
                want=[v, s, np.array(r), np.array(q), w, u, c & (g.max(1) > 0)], dtypes=[key, key, key, 'i64', key, key, 'bool'],
                tol=[EXACT]*4 + [tol(64) if key[0] == 'f' else EXACT] + [EXACT]*2)


def excused_fold(rng, key, m, k, l, n):
    c = rng.integers(0, 2, k).astype(bool)
    at = np.where(c[:, None], rng.integers(-n, n, (k, l)), 2**30)
    x, b = rand(rng, (n,), 'i32', -3, 3).astype(np_dtype(key)), rand(rng, (m, l), 'i32', -1, 1).astype(np_dtype(key))
    X, B = wide(x), wide(b)
    g = np.where(c[:, None], X[np.where(c[:, None], at, 0)], 0)
    y, z, v = B[:, 0] - (B@g.T).sum(1), B[:, 0].copy(), B[:, 0].copy()
    for i in range(m):
        for j in range(k):
            z[i] -= 0 if not c[j] else B[i]@g[j] if z[i] > 0 else 1
            v[i] = np.where(B[i] > v[i], g[j], 0).max() if c[j] else v[i] - 1
    s = np.where(c, g[:, 0] + g.max(1), 0) if l % 2 == 0 else np.where(c, 3 - (g[:, 0] + g.max(1)), 0)
    return dict(op='excused_in_a_fold', key=key, inputs=[c, b, x, at.astype(np.int64 if m % 2 else np.int32)], want=[y, z, v, s], tol=EXACT)


def cases(rng):
    for key in ('f32', 'f64', 'i32'):
        for m, k, l, n in ((5, 3, 4, 6), (17, 9, 5, 3), (33, 1, 1, 1), (4, 16, 17, 2), (3, 33, 2, 7)):
            yield excused(rng, key, m, k, l, n)
            yield excused_fold(rng, key, m, k, l, n)
            a, b = rand(rng, (m, k), 'i32', -4, 4).astype(np_dtype(key)), rand(rng, (m,), 'i32', -4, 4).astype(np_dtype(key))
            yield dict(op='folds_on_a_ring', key=key, inputs=[a, b], want=ring(wide(a), wide(b)), dtypes=['i64', 'i64'], tol=EXACT)
    for key in ('f32', 'f64', 'i32', 'i8', 'f16'):
        for m, k, n in ((5, 3, 6), (17, 100, 3), (9, 33, 1), (4, 16, 2), (3, 47, 7)):
            ok = rng.integers(0, 2, m) == 1
            mask = (rng.integers(0, 3, (m, k)) == 1) & ok[:, None]
            at = np.where(ok, rng.integers(-n, n, m), 2**40)
            x, a = rand(rng, (n, k), 'i32', -3, 3).astype(np_dtype(key)), rand(rng, (m, k), 'i32', -3, 3).astype(np_dtype(key))
            g = np.where(ok[:, None], wide(x)[np.where(ok, at, 0)], 0)
            least = -np.inf if key[0] == 'f' else np.iinfo(np_dtype(key)).min
            yield dict(op='masked_rows', key=key, inputs=[mask, x, at], want=[np.where(mask, g, least).max(1)], tol=EXACT)
            if key in ('f32', 'f64', 'i32'):
                yield dict(op='masked_sums', key=key, inputs=[mask, x, at], want=[np.where(mask, g, 0).sum(1)], tol=EXACT)
                both = ok[:, None] & (g > 0)
                yield dict(op='either_of_two', key=key, inputs=[ok, a, x, at], want=[np.where(both, wide(a), 2)], tol=EXACT)
                yield dict(op='neither_of_two', key=key, inputs=[ok, a, x, at], want=[np.where(~ok[:, None] | (g > 0), wide(a), 2)], tol=EXACT)
            if key in ('f32', 'f64', 'i32'):
                asked = ok & (np.where(ok[:, None], g, 0).max(1) > 0)
                z, to = rand(rng, (5,), 'i32', -3, 3).astype(np_dtype(key)), np.where(asked, rng.integers(-5, 5, m), -2**40)
                got = wide(z)[np.where(asked, to, 0)]
                yield dict(op='asked_where_checked', key=key, inputs=[ok, x, at, z, to], tol=EXACT,
                           want=[np.where(asked, got, -1), np.where(ok, np.where(asked, got, 1), 2)])
                if asked.any():
                    far = np.where(asked, 5, to)
                    yield dict(op='asked_where_checked', key=key, inputs=[ok, x, at, z, far], error='range', out=[(key, (m,))]*2)
