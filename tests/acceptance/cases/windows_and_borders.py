"""Running reductions, each in one pass, against plain NumPy loops."""
import numpy as np

from casekit import EXACT, rand, tol

OPS = [r'''
ops:
  - op: best_so_far
    types: {T: [f32, f64, f16, i32, u8, i8]}
    in: {X: "T[B, N]"}
    out: {A: "i64[B, N]", Z: "i64[B, N]", V: "T[B, N]", P: "i64[B, N]", Q: "i64[B, N]"}
    body: |
      A[b,i] = argmax[k : k <= i](X[b,k])
      Z[b,i] = argmin[k : k >= i](X[b,k])
      V[b,i], P[b,i] = max_at[k : i <= k](X[b,k])
      Q[b,i] = argmin[k : k <= i](X[b,k])
  - op: best_above
    doc: along columns
    types: {T: [f32, i32, u8]}
    in: {X: "T[N, M]"}
    out: {A: "i64[N, M]", Z: "i64[N, M]"}
    body: |
      A[i,j] = argmin[k : k <= i](X[k,j])
      Z[i,j] = argmax[k : k >= i](X[k,j])
  - op: sums_before
    doc: cumulative sums with the empty one in front, and their picture
    types: {T: [f32, f64, i32, u8]}
    in: {X: "T[H, W]"}
    let: {O: H + 1, P: W + 1}
    out: {Y: "T[O, P]", C: "T[H, P]", D: "T[H, P]"}
    body: |
      Y[y,x] = sum[i,j : i < y and j < x](X[i,j])
      C[h,x] = sum[j : j < x](X[h,j])
      D[h,x] = max[j : j >= x](X[h,j])
  - op: lagging
    types: {T: [f32, i32, i8]}
    attrs: {lag: int = 3}
    in: {X: "T[N]"}
    out: {Y: "T[N]", Z: "T[N]", S: "T[N]"}
    body: |
      Y[i] = max[k : k <= i - lag](X[k])
      Z[i] = sum[k : k < 2*i](X[k])
      S[i] = min[k : k >= i + 2](X[k])
''']


def wide(x):
    return x.astype(np.float64) if x.dtype.kind not in 'iub' else x.astype(np.int64)


def first(x, best):
    """NumPy's argmax and argmin take the first NaN and the first of equals, too."""
    return getattr(np, best)(x, axis=0)


def values(rng, shape, key):
    x = rand(rng, shape, key, -3, 3)
    if key in ('f32', 'f64', 'f16') and x.size > 5 and rng.random() < 0.5:
        x.flat[rng.integers(x.size)] = np.nan
        x.flat[rng.integers(x.size)] = np.inf
        x.flat[rng.integers(x.size)] = -np.inf
    return x


def running(rng):
    for key in ('f32', 'f64', 'f16', 'i32', 'u8', 'i8'):
        for b, n in [(1, 1), (3, 17), (5, 40), (4, 1), (0, 3), (2, 0), (9, 33)]:
            x = values(rng, (b, n), key)
            at = [np.zeros((b, n), np.int64) for _ in range(4)]
            top = x.copy()
            for c in range(b):
                for i in range(n):
                    at[0][c, i] = first(x[c, :i + 1], 'argmax')
                    at[1][c, i] = i + first(x[c, i:], 'argmin')
                    at[2][c, i] = i + first(x[c, i:], 'argmax')
                    at[3][c, i] = first(x[c, :i + 1], 'argmin')
                    top[c, i] = x[c, at[2][c, i]]
            yield dict(op='best_so_far', key=key, inputs=[x], want=[at[0], at[1], top, at[2], at[3]],
                       dtypes=['i64', 'i64', key, 'i64', 'i64'], tol=EXACT)
    for key in ('f32', 'i32', 'u8'):
        for n, m in [(1, 1), (17, 3), (40, 65), (0, 3), (2, 0), (9, 33)]:
            x = values(rng, (n, m), key)
            a, z = np.zeros((n, m), np.int64), np.zeros((n, m), np.int64)
            for i in range(n):
                if m:
                    a[i], z[i] = first(x[:i + 1], 'argmin'), i + first(x[i:], 'argmax')
            yield dict(op='best_above', key=key, inputs=[x], want=[a, z], dtypes=['i64', 'i64'], tol=EXACT)
    for key in ('f32', 'f64', 'i32', 'u8'):
        for h, w in [(1, 1), (7, 33), (20, 5), (0, 3), (3, 0), (0, 0), (33, 64)]:
            x = rand(rng, (h, w), key)
            y = np.zeros((h + 1, w + 1), wide(x).dtype)
            y[1:, 1:] = wide(x).cumsum(0).cumsum(1)
            c = np.concatenate([np.zeros((h, 1), y.dtype), wide(x).cumsum(1)], 1)
            low = -np.inf if key[0] == 'f' else np.iinfo(x.dtype).min
            d = np.concatenate([np.maximum.accumulate(wide(x)[:, ::-1], 1)[:, ::-1], np.full((h, 1), low)], 1)
            t = tol(2, h*w + 2, mag=np.full(1, 2.0*h*w + 1)) if key[0] == 'f' else EXACT
            yield dict(op='sums_before', key=key, inputs=[x], want=[fit(y, key), fit(c, key), fit(d, key)], tol=t)
    for key in ('f32', 'i32', 'i8'):
        low, high = (-np.inf, np.inf) if key == 'f32' else (np.iinfo(key.replace('i', 'int')).min, np.iinfo(key.replace('i', 'int')).max)
        for n, lag in [(0, 1), (1, 0), (9, 3), (50, 60), (50, -2), (33, -100), (70, 1)]:
            x = rand(rng, n, key)
            y = [max([low, *x[:max(0, i - lag + 1)]]) for i in range(n)]
            z = [wide(x)[:2*i].sum() for i in range(n)]
            s = [min([high, *x[i + 2:]]) for i in range(n)]
            t = tol(2, 2*n, mag=np.full(1, 4.0*n)) if key == 'f32' else EXACT
            yield dict(op='lagging', key=key, attrs={'lag': lag}, inputs=[x],
                       want=[np.array(v) if key == 'f32' else fit(np.array(v, np.int64).reshape(n), key) for v in (y, z, s)], tol=t)


def fit(v, key):
    """Integers wrap."""
    kinds = {'i8': np.int8, 'u8': np.uint8, 'i32': np.int32, 'i64': np.int64}
    return np.asarray(v).astype(np.int64).astype(kinds[key]) if key in kinds else np.asarray(v)


def cases(rng):
    yield from running(rng)
