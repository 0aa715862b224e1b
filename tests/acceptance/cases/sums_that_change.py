"""What statements rely on that others change: divisors that are sums, borders of windows without elements, lines of windows that move from
row to row, values of which readers need only a part."""
import itertools

import numpy as np

from casekit import EXACT, rand, tol, wide

OPS = r'''
ops:
  - op: divided_by_changed
    types: {T: [f32, f64]}
    in: {X: "T[M, N]", I: "i64[K]"}
    out: {Y: "T[M, N]", Z: "T[M, N]", S: "T[M]"}
    body: |
      z[m] = sum[n](X[m,n])
      Y[m,n] = X[m,n]/z[m]
      z[wrap(I[k], M)] += 1
      Z[m,n] = X[m,n]/z[m]
      S[m] = sum[n](X[m,n]/z[m])
  - op: weighted_by_changed
    doc: a chain of products with a divisor that changes
    types: {T: [f32]}
    in: {Q: "T[I, D]", K: "T[J, D]", V: "T[J, E]", At: "i64[M]"}
    out: {Y: "T[I, E]"}
    body: |
      s[i,j] = exp(sum[d](Q[i,d]*K[j,d]))
      z[i] = sum[j](s[i,j])
      z[wrap(At[m], I)] *= 2
      p[i,j] = s[i,j]/z[i]
      Y[i,e] = sum[j](p[i,j]*V[j,e])
  - op: window_max_or_nothing
    types: {T: [f32, i32, u8]}
    attrs: {rows: int, columns: int, c: int = 1}
    in: {X: "T[H, W]"}
    require: [rows >= 0, columns >= 0, c > 0]
    index: {r: rows, s: columns}
    let: {O: W//c}
    out: {Y: "T[H, O]"}
    body: Y[y,x] = max[r,s](padded(X[y + r - 1,x*c + s - 1], 5))
  - op: window_min_or_nothing
    types: {T: [f32, i32, u8]}
    attrs: {rows: int, columns: int}
    in: {X: "T[H, W]"}
    require: [rows >= 0, columns >= 0]
    index: {r: rows, s: columns}
    out: {Y: "T[H, W]"}
    body: Y[y,x] = min[r,s](padded(X[y + r - 1,x + s - 1], 5))
  - op: window_that_moves
    types: {T: [f32, i32]}
    in: {X: "T[H, W]"}
    index: {r: 3, s: 3}
    out: {Y: "T[H, W]"}
    body: Y[y,x] = max[r,s](padded(X[y + r - 1,x + s + y - 2], 0))
  - op: window_from_data
    types: {T: [f32, i32]}
    in: {X: "T[H, W]", At: "i64[H]"}
    require: [H >= 1]
    index: {r: 3, s: 3}
    out: {Y: "T[H, W]", Z: "T[H, W]", U: "T[H, W]"}
    body: |
      Y[y,x] = sum[r,s](padded(X[y + r - 1,x + s + At[y]], 0))
      Z[y,x] = max[r,s](padded(X[y + r - 1,x + s + At[0]], 0))
      U[y,x] = min[r,s](padded(X[y + r - 1,x*clamp(At[0], 1, 3) + s - 1], 0))
  - op: box_that_moves
    types: {T: [f32, i32]}
    in: {X: "T[H, W]"}
    index: {r: 3, s: 70}
    out: {Y: "T[H, W]"}
    body: Y[y,x] = max[r,s](padded(X[y + r,x + s + y], 0))
  - op: sums_of_few_rows
    doc: less rows have a length than there are
    types: {T: [f32]}
    in: {X: "T[P, J]", Len: "i64[M]"}
    require: [P >= M]
    out: {Y: "T[M]", Z: "T[M]"}
    body: |
      s[p,j] = exp(X[p,j])
      Y[m] = sum[j : j < Len[m]](s[m,j]*s[m,j])
      Z[m] = max[j : j < Len[m]](s[m,j]*X[m,j])
'''


def over_divisors(rng):
    for key, m, n in itertools.product(('f32', 'f64'), (1, 5, 33), (1, 17, 64)):
        x, i = rand(rng, (m, n), key, 0.5, 2), rng.integers(-m, m, 7)
        before = wide(x).sum(1)
        after = before + np.bincount(i % m, minlength=m)
        want = [wide(x) / before[:, None], wide(x) / after[:, None], before / after]
        yield dict(op='divided_by_changed', key=key, inputs=[x, i], want=want, tol=tol(ulp=8))
    for i, j, d, e in ((7, 3, 4, 5), (70, 33, 40, 50), (1, 64, 8, 16)):
        q, k, v = rand(rng, (i, d), 'f32', -0.3, 0.3), rand(rng, (j, d), 'f32', -0.3, 0.3), rand(rng, (j, e), 'f32')
        at = rng.integers(-i, i, 5)
        s = np.exp(wide(q) @ wide(k).T)
        z = s.sum(1) * 2.0**np.bincount(at % i, minlength=i)
        yield dict(op='weighted_by_changed', key='f32', inputs=[q, k, v, at], want=[s / z[:, None] @ wide(v)], tol=tol(ulp=16, acc=64, mag=2.0))


def windows(x, rows, columns, index, pad):
    """The elements of each window, with the number `pad` outside: index(y, x, r, s) of arrays."""
    h, w = x.shape
    y, at = index(*np.ogrid[:h, :w, :rows, :columns])
    y, at = np.broadcast_arrays(y, at)
    inside = (y >= 0) & (y < h) & (at >= 0) & (at < w)
    if not x.size:
        return np.full(y.shape, pad)
    return np.where(inside, wide(x)[np.clip(y, 0, h - 1), np.clip(at, 0, w - 1)], pad)


def over_windows(rng):
    lowest = {'f32': (-np.inf, np.inf), 'i32': (-2**31, 2**31 - 1), 'u8': (0, 255)}
    for key, rows, columns, c in itertools.product(lowest, (0, 1, 3), (0, 2, 3), (1, 2, 3)):
        x = rand(rng, (7, 19), key, -9, 9)
        all_of = windows(x, rows, columns, lambda y, at, r, s: (y + r - 1, at * c + s - 1), 5)[:, :19 // c]
        low, high = lowest[key]
        sizes = dict(rows=rows, columns=columns)
        yield dict(op='window_max_or_nothing', key=key, inputs=[x], attrs=dict(sizes, c=c), want=[all_of.max((2, 3), initial=low)], tol=EXACT)
        if c == 1:
            yield dict(op='window_min_or_nothing', key=key, inputs=[x], attrs=sizes, want=[all_of.min((2, 3), initial=high)], tol=EXACT)
    for key, (h, w) in itertools.product(('f32', 'i32'), ((0, 5), (1, 1), (7, 9), (16, 33), (5, 109))):
        x = rand(rng, (h, w), key, -9, 9)
        want = windows(x, 3, 3, lambda y, at, r, s: (y + r - 1, at + s + y - 2), 0).max((2, 3), initial=-99)
        yield dict(op='window_that_moves', key=key, inputs=[x], want=[want], tol=EXACT)
        want = windows(x, 3, 70, lambda y, at, r, s: (y + r, at + s + y), 0).max((2, 3), initial=-99)
        yield dict(op='box_that_moves', key=key, inputs=[x], want=[want], tol=EXACT)
        if not h:
            continue
        by = rng.integers(-4, 4, h)
        want = [windows(x, 3, 3, lambda y, at, r, s: (y + r - 1, at + s + by[:, None, None, None]), 0).sum((2, 3)),
                windows(x, 3, 3, lambda y, at, r, s: (y + r - 1, at + s + by[0]), 0).max((2, 3)),
                windows(x, 3, 3, lambda y, at, r, s: (y + r - 1, at * min(max(by[0], 1), 3) + s - 1), 0).min((2, 3))]
        rule = [tol(ulp=4, acc=16, mag=81.0), EXACT, EXACT] if key == 'f32' else EXACT
        yield dict(op='window_from_data', key=key, inputs=[x, by], want=want, tol=rule)


def over_rows(rng):
    for p, m, j in ((1, 0, 5), (9, 7, 8), (64, 3, 33), (5, 5, 1)):
        x, length = rand(rng, (p, j), 'f32'), rng.integers(-1, j + 2, m)
        kept = np.arange(j) < length[:, None]
        s = np.exp(wide(x))[:m]
        want = [np.where(kept, s * s, 0).sum(1), np.where(kept, s * wide(x)[:m], -np.inf).max(1)]
        yield dict(op='sums_of_few_rows', key='f32', inputs=[x, length], want=want, tol=tol(ulp=16))


def cases(rng):
    yield from over_divisors(rng)
    yield from over_windows(rng)
    yield from over_rows(rng)
