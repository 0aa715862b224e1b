"""Running reductions, sliding boxes and guarded borders: each in one pass or nearly so, against plain NumPy loops."""
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
''', r'''
ops:
  - op: boxes
    types: {T: [f32, f64, f16, bf16, i32, i8, u8]}
    attrs: {w: int}
    in: {X: "T[B, N]"}
    require: [w >= 1, w <= N]
    let: {O: N - w + 1}
    index: {r: w}
    out: {S: "T[B, O]", M: "T[B, O]", L: "T[B, O]"}
    body: |
      S[b,i] = sum[r](X[b,i + r])
      M[b,i] = max[r](X[b,i + r])
      L[b,i] = min[r](X[b,i + r])
  - op: boxes_down
    doc: along columns
    types: {T: [f32, i32, u8]}
    attrs: {w: int}
    in: {X: "T[N, M]"}
    require: [w >= 1, w <= N]
    let: {O: N - w + 1}
    index: {r: w}
    out: {S: "T[O, M]", L: "T[O, M]"}
    body: |
      S[i,j] = sum[r](X[i + r,j])
      L[i,j] = max[r](X[i + r,j])
  - op: squares
    types: {T: [f32, f64, i32, u8]}
    attrs: {w: int, v: int}
    in: {X: "T[H, W]"}
    require: [w >= 1, w <= H, v >= 1, v <= W]
    let: {O: H - w + 1, P: W - v + 1}
    index: {r: w, s: v}
    out: {S: "T[O, P]", M: "T[O, P]"}
    body: |
      S[i,j] = sum[r,s](X[i + r,j + s])
      M[i,j] = max[r,s](X[i + r,j + s])
  - op: around
    doc: windows that reach over the ends, and may be larger than all there is
    types: {T: [f32, f64, i32, i8]}
    attrs: {w: int}
    in: {X: "T[B, N]"}
    require: [w >= 0]
    out: {S: "T[B, N]", M: "T[B, N]", C: "T[B, N]", Q: "T[B, N]"}
    body: |
      S[b,i] = sum[k : i - w <= k and k <= i + w](X[b,k])
      M[b,i] = max[k : k >= i - w and k < i](X[b,k])
      C[b,i] = sum[k : i - 40 < k and k < i + 3](X[b,k])
      Q[b,i] = sum[k : i + 2 <= k and k <= i + w](X[b,k]*X[b,k])
  - op: fixed_boxes
    types: {T: [f32, i32, u8]}
    in: {X: "T[N, M]"}
    require: [N >= 41, M >= 9]
    let: {O: N - 40, P: M - 8}
    index: {r: 41, s: 9, t: 37}
    out: {Y: "T[O, P]", Z: "T[N, M]"}
    body: |
      Y[i,j] = sum[r,s](X[i + r,j + s])
      Z[p,q] = max[t](padded(X[p,q + t - 18], lowest(T)))
  - op: marks
    types: {T: [bool]}
    attrs: {w: int}
    in: {X: "T[N]"}
    require: [w >= 1]
    index: {r: w}
    out: {A: "T[N]", E: "T[N]"}
    body: |
      A[i] = any[r](padded(X[i + r], false))
      E[i] = all[r](padded(X[i - r], true))
  - op: codes
    types: {T: [i32, u8, i64]}
    attrs: {w: int}
    in: {X: "T[N]"}
    require: [w >= 1, w <= N]
    let: {O: N - w + 1}
    index: {r: w}
    out: {A: "T[O]", B: "T[O]", C: "T[O]"}
    body: |
      A[i] = bit_xor[r](X[i + r])
      B[i] = bit_or[r](X[i + r])
      C[i] = prod[r](X[i + r])
  - op: cubes
    types: {T: [f32, i32]}
    attrs: {w: int}
    in: {X: "T[A, B, C]"}
    require: [w >= 1, w <= A, w <= B, w <= C]
    let: {O: A - w + 1, P: B - w + 1, Q: C - w + 1}
    index: {r: w, s: w, t: w}
    out: {Y: "T[O, P, Q]"}
    body: |
      Y[i,j,k] = min[r,s,t](X[i + r,j + s,k + t])
''', r'''
ops:
  - op: led_back
    types: {T: [f32, f64, i32, u8]}
    attrs: {p: int}
    in: {X: "T[N]", F: "T[R]"}
    require: [N >= 1, R >= 1]
    out: {M: "T[N]", R1: "T[N]", C: "T[N]", W: "T[N]", P: "T[N]", N1: "T[N]"}
    body: |
      M[i] = sum[k](F[k]*X[mirror(i + k - p, N)])
      R1[i] = sum[k](F[k]*X[reflect(i - k + p, N)])
      C[i] = sum[k](F[k]*X[clamp(i + k - p, 0, N - 1)])
      W[i] = sum[k](F[k]*X[(i + k - p) % N])
      P[i] = sum[k](F[k]*padded(X[i + k - p], 3))
      N1[i] = sum[k](F[k]*X[mirror(p - i - k, N)])
  - op: led_back_2
    types: {T: [f32, i32]}
    in: {X: "T[H, W]", F: "T[3, 3]"}
    require: [H >= 1, W >= 1]
    out: {Y: "T[H, W]", Z: "T[H, W]", G: "T[H, W]"}
    body: |
      Y[i,j] = sum[r,s](F[r,s]*X[mirror(i + r - 1, H),reflect(j + s - 1, W)])
      Z[i,j] = max[r,s](X[clamp(i + r - 1, 0, H - 1),(j + s - 1) % W])
      G[i,j] = X[i,clamp(j + 1, 0, W - 1)] - X[i,clamp(j - 1, 0, W - 1)]
  - op: led_back_step
    types: {T: [f32, i32]}
    in: {X: "T[N]"}
    require: [N >= 1]
    out: {Y: "T[N]", Z: "T[N]"}
    body: |
      Y[i] = X[mirror(2*i - 3, N)] + X[clamp(3*i - N, 0, N - 1)]
      Z[i] = X[wrap(max(i - 2, 0 - N), N)] + X[min(i + 2, N - 1)]
''']


def mirror(i, n):
    m = i % (2*n)
    return m if m < n else 2*n - 1 - m


def reflect(i, n):
    p = max(2*n - 2, 1)
    m = i % p
    return m if m < n else p - m


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


def windows(x, w):
    return np.lib.stride_tricks.sliding_window_view(x, w, axis=0)


def boxes(rng):
    for key in ('f32', 'f64', 'f16', 'bf16', 'i32', 'i8', 'u8'):
        for b, n, w in [(1, 1, 1), (2, 9, 3), (3, 40, 31), (3, 40, 32), (2, 130, 33), (1, 300, 101), (4, 64, 64), (0, 5, 2), (2, 200, 8), (1, 77, 67)]:
            x = rand(rng, (b, n), key)
            v = np.lib.stride_tricks.sliding_window_view(wide(x), w, axis=1)
            t = tol(2, w, mag=np.abs(v).sum(-1)) if key in ('f32', 'f64', 'f16', 'bf16') else EXACT
            yield dict(op='boxes', key=key, attrs={'w': w}, inputs=[x],
                       want=[fit(v.sum(-1), key), fit(v.max(-1), key), fit(v.min(-1), key)], tol=[t, EXACT, EXACT])
    for key in ('f32', 'i32', 'u8'):
        for n, m, w in [(1, 1, 1), (9, 5, 3), (90, 33, 32), (70, 9, 70), (120, 17, 41), (5, 0, 2)]:
            x = rand(rng, (n, m), key)
            v = np.lib.stride_tricks.sliding_window_view(wide(x), w, axis=0)
            t = tol(2, w, mag=np.abs(v).sum(-1)) if key == 'f32' else EXACT
            yield dict(op='boxes_down', key=key, attrs={'w': w}, inputs=[x],
                       want=[fit(v.sum(-1), key), fit(v.max(-1, initial=-9), key)], tol=[t, EXACT])
    for key in ('f32', 'f64', 'i32', 'u8'):
        for h, w, r, s in [(1, 1, 1, 1), (9, 12, 3, 4), (40, 50, 33, 5), (37, 70, 4, 40), (80, 90, 35, 36), (6, 6, 6, 6), (12, 19, 8, 9)]:
            x = rand(rng, (h, w), key)
            v = np.lib.stride_tricks.sliding_window_view(wide(x), (r, s))
            t = tol(2, r*s, mag=np.abs(v).sum((-1, -2))) if key[0] == 'f' else EXACT
            yield dict(op='squares', key=key, attrs={'w': r, 'v': s}, inputs=[x],
                       want=[fit(v.sum((-1, -2)), key), fit(v.max((-1, -2)), key)], tol=[t, EXACT])
    for key in ('f32', 'f64', 'i32', 'i8'):
        low = -np.inf if key[0] == 'f' else np.iinfo({'i32': np.int32, 'i8': np.int8}[key]).min
        for b, n, w in [(1, 1, 0), (2, 9, 3), (3, 40, 31), (3, 100, 32), (2, 30, 99), (1, 300, 51), (0, 5, 2), (2, 0, 4), (1, 5, 10**12), (1, 77, 67)]:
            x = rand(rng, (b, n), key)
            c = wide(x)
            s, m, f, q, mag = (np.zeros((b, n), c.dtype) for _ in range(5))
            mag = mag.astype(np.float64)
            m = np.full((b, n), low, dtype=np.float64 if key[0] == 'f' else np.int64)
            for i in range(n):
                s[:, i] = c[:, max(0, i - w):i + w + 1].sum(1)
                if i and w:
                    m[:, i] = c[:, max(0, i - w):i].max(1)
                f[:, i] = c[:, max(0, i - 39):i + 3].sum(1)
                q[:, i] = (c[:, i + 2:i + w + 1]**2).sum(1)
            t = tol(2, 2*n + 2, mag=np.full(1, 9.0*n + 1)) if key[0] == 'f' else EXACT
            yield dict(op='around', key=key, attrs={'w': w}, inputs=[x], want=[fit(v, key) for v in (s, m, f, q)], tol=[t, EXACT, t, t])
    for key in ('f32', 'i32', 'u8'):
        for n, m in [(41, 9), (60, 40), (100, 17)]:
            x = rand(rng, (n, m), key)
            v = np.lib.stride_tricks.sliding_window_view(wide(x), (41, 9))
            low = float(np.finfo(np.float32).min) if key == 'f32' else np.iinfo(x.dtype).min
            z = np.array([[max([low, *wide(x)[i, max(0, j - 18):j + 19]]) for j in range(m)] for i in range(n)])
            t = tol(2, 400, mag=np.abs(v).sum((-1, -2))) if key == 'f32' else EXACT
            yield dict(op='fixed_boxes', key=key, inputs=[x], want=[fit(v.sum((-1, -2)), key), fit(z, key)], tol=[t, EXACT])
    for n, w in [(0, 3), (1, 1), (20, 3), (100, 40), (30, 90)]:
        x = rng.random(n) < (0.05 if w > 9 else 0.4)
        a = np.array([x[i:i + w].any() for i in range(n)], bool)
        y = rng.random(n) < 2
        y[:1] = False
        for z in (x, y):
            a = np.array([z[i:i + w].any() for i in range(n)], bool)
            e = np.array([z[max(0, i - w + 1):i + 1].all() for i in range(n)], bool)
            yield dict(op='marks', key='bool', attrs={'w': w}, inputs=[z], want=[a, e], tol=EXACT)
    for key in ('i32', 'u8', 'i64'):
        for n, w in [(1, 1), (20, 3), (100, 40), (90, 90), (64, 8)]:
            x = rand(rng, n, key, -99, 99)
            v = windows(x, w)
            with np.errstate(over='ignore'):
                p = np.array([np.multiply.reduce(r, dtype=x.dtype) for r in v])
            yield dict(op='codes', key=key, attrs={'w': w}, inputs=[x],
                       want=[np.bitwise_xor.reduce(v, axis=-1), np.bitwise_or.reduce(v, axis=-1), p], tol=EXACT)
    for key in ('f32', 'i32'):
        for a, b, c, w in [(1, 1, 1, 1), (5, 6, 7, 3), (36, 35, 40, 33)]:
            x = rand(rng, (a, b, c), key)
            v = np.lib.stride_tricks.sliding_window_view(x, (w, w, w))
            yield dict(op='cubes', key=key, attrs={'w': w}, inputs=[x], want=[v.min((-1, -2, -3))], tol=EXACT)


def borders(rng):
    for key in ('f32', 'f64', 'i32', 'u8'):
        for n, r, p in [(1, 1, 0), (1, 5, 2), (2, 3, 1), (3, 7, 9), (20, 5, 2), (100, 3, 1), (33, 9, -4), (40, 50, 20), (70, 5, 300)]:
            x, f = rand(rng, n, key), rand(rng, r, key)
            c, g = wide(x), wide(f)
            at = [lambda i, k: mirror(i + k - p, n), lambda i, k: reflect(i - k + p, n),
                  lambda i, k: min(max(i + k - p, 0), n - 1), lambda i, k: (i + k - p) % n, None, lambda i, k: mirror(p - i - k, n)]
            want = []
            for a in at:
                y = np.zeros(n, c.dtype)
                for i in range(n):
                    for k in range(r):
                        y[i] += g[k]*(c[a(i, k)] if a else c[i + k - p] if 0 <= i + k - p < n else 3)
                want.append(fit(y, key))
            t = tol(2, 2*r, mag=np.full(1, 9.0*r)) if key[0] == 'f' else EXACT
            yield dict(op='led_back', key=key, attrs={'p': p}, inputs=[x, f], want=want, tol=t)
    for key in ('f32', 'i32'):
        for h, w in [(1, 1), (2, 2), (5, 1), (1, 7), (9, 33), (20, 70)]:
            x, f = rand(rng, (h, w), key), rand(rng, (3, 3), key)
            c, g = wide(x), wide(f)
            y, z = np.zeros((h, w), c.dtype), np.zeros((h, w), c.dtype)
            for i in range(h):
                for j in range(w):
                    near = [(r, s) for r in range(3) for s in range(3)]
                    y[i, j] = sum(g[r, s]*c[mirror(i + r - 1, h), reflect(j + s - 1, w)] for r, s in near)
                    z[i, j] = max(c[min(max(i + r - 1, 0), h - 1), (j + s - 1) % w] for r, s in near)
            d = c[:, np.minimum(np.arange(w) + 1, w - 1)] - c[:, np.maximum(np.arange(w) - 1, 0)]
            t = tol(2, 18, mag=np.full(1, 81.0)) if key == 'f32' else EXACT
            yield dict(op='led_back_2', key=key, inputs=[x, f], want=[fit(v, key) for v in (y, z, d)], tol=[t, EXACT, t])
        for n in (1, 2, 3, 20, 57):
            x = rand(rng, n, key)
            i = np.arange(n)
            y = x[[mirror(2*v - 3, n) for v in i]] + x[np.clip(3*i - n, 0, n - 1)]
            z = x[np.maximum(i - 2, -n)] + x[np.minimum(i + 2, n - 1)]
            yield dict(op='led_back_step', key=key, inputs=[x], want=[y, z], tol=EXACT)


def cases(rng):
    yield from running(rng)
    yield from boxes(rng)
    yield from borders(rng)
