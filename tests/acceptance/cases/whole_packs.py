"""What is combined over a whole pack, in any rank and any view; operands and optional inputs that are not there."""
import itertools

import numpy as np

from casekit import EXACT, packs, rand, tol, wide

OPS = r'''
ops:
  - op: share_of_squares
    types: {T: [f32, f64]}
    in: {X: "T[*S]"}
    out: {Y: "T[*S]"}
    body: |
      z[*s] = sq(X[*s])
      Y[*s] = z[*s]/sum[*t](z[*t])
  - op: count_of_kind
    doc: how often each level is there, at every element
    types: {T: [u8, i32]}
    in: {X: "T[*S]"}
    index: {k: 16}
    out: {Y: "i32[*S]"}
    body: |
      c[k] = 0
      c[clamp(X[*s], 0, 15)] += 1
      Y[*s] = c[clamp(X[*s], 0, 15)]
  - op: sums_of_marked
    types: {T: [f32, i32]}
    in: {X: "T[~*S]", K: "bool[*S]"}
    out: {Y: "T[2]", Z: "T[*S]"}
    body: |
      Y[wrap(K[*s], 2)] += X[*s]
      Z[*s] = X[*s]
  - op: best_of_windows
    types: {T: [f32, i8]}
    in: {X: "T[~*S, N]", I: "i32[*S]"}
    index: {r: 3}
    out: {Y: "T[N]"}
    body: |
      Y[wrap(n + r - 1, N)] max= X[*s,n] where n + r >= 1 and n + r <= N and I[*s] > r
  - op: marked_by_size
    types: {T: [f32, i32]}
    in: {X: "T[*S]"}
    out: {Y: "T[*S]", Z: "T[*S]", R: "T[*S]"}
    body: |
      Y[*s] = X[*s]
      Y[*s] += 1 where X[*s] > size(S)
      Z[*s] = X[*s]
      Z[*s] *= 2 where lin(*s) % 3 == 0
      R[*s] = X[*s]
      R[*s] += 1 where rank(S) == 3
  - op: marked_by_sum
    types: {T: [i32, i64]}
    in: {X: "T[*S]"}
    out: {Y: "T[*S]"}
    body: |
      Y[*s] = X[*s]
      Y[*s] += 1 where X[*s] > sum[*t](X[*t])
'''
OPERANDS = r'''
ops:
  - op: counted_operands
    doc: operands that only a condition or a target names
    types: {T: [i32, u8]}
    in: {X...: "T[D...]"}
    let: {M: count(X)}
    out: {N: "i32[M]", B: "i64[M, 4]", S: "T[M]", H: "T[M]"}
    body: |
      N[operand(X)] += 1 where X[d] > 1
      B[operand(X),X[d] % 4] += 1
      S[operand(X)] += X[d] where d >= 1 and X[clamp(d - 1, 0, D - 1)] != X[d]
      H[operand(X)] max= X[d] where d in 0 .. D//2
  - op: sums_of_operands
    doc: an operand that is not there has no element along operand(X)
    types: {T: [i32, u8]}
    in: {X...: "T[D...]"}
    let: {M: count(X), E: sum_of(D)}
    out: {S: "T[M]", J: "T[E]"}
    body: |
      J[offset(D) + d] = X[d]
      S[operand(X)] = sum[d : d % 2 == 0](X[d])
  - op: checked_operands
    doc: what is checked of operands that are not there
    types: {T: [i32, u8]}
    attrs: {bins: int}
    require: [bins >= 1]
    in: {X...: "T[N]"}
    let: {M: count(X), K: bins}
    out: {B: "i64[M, K]", R: "T[M, N]"}
    body: |
      B[operand(X),wrap(X[n], K)] += 1
      R[operand(X),n] = 7//X[n]
'''
ABSENT = r'''
ops:
  - op: repeated_or_masked
    doc: the extents of an input that is not there are those that the others repeat to
    types: {T: [f32, i32]}
    in:
      X: T[~*S]
      W?: T[~*S]
      M?: bool[*S]
    out: {Y: "T[*S]", N: "i64[]"}
    body: |
      Y[*s] = X[*s]*opt(W[*s], 2)
      N[] = sum[*s](opt(M[*s], true))
  - op: row_or_masked
    types: {T: [f32, i32]}
    in:
      X: T[~N]
      M?: bool[N]
    let: {K: 2*N}
    out: {Y: "T[N]", Z: "T[K]"}
    body: |
      Y[n] = select(opt(M[n], true), X[n], 0)
      Z[k] = k
'''
OPS = [OPS, OPERANDS, ABSENT]


def lowest(dtype):
    return -np.inf if dtype.kind == 'f' else np.iinfo(dtype).min


def windows(x, i):
    n, rows = x.shape[-1], np.broadcast_to(x, i.shape + x.shape[-1:]).reshape(i.size, x.shape[-1])
    y = np.full(n, lowest(x.dtype), rows.dtype)
    for row, most in zip(rows, i.reshape(-1)):
        for at, r in itertools.product(range(n), range(3)):
            if 1 <= at + r <= n and most > r:
                y[at + r - 1] = max(y[at + r - 1], row[at])
    return y


REPEATS = [((), ()), ((3,), (2, 3)), ((2, 1), (2, 3)), ((2, 3), (2, 3)), ((1, 3), (2, 3)), ((2, 1, 4), (2, 3, 4)), ((0,), (0,))]


def over_packs(rng):
    shapes = packs(0, 1, 2, 3, 4, 5) + [(2, 3, 4, 2, 3)]
    for key, shape in itertools.product(('f32', 'f64'), shapes):
        x = rand(rng, shape, key)
        squares = wide(x) ** 2
        yield dict(op='share_of_squares', key=key, inputs=[x], want=[squares / squares.sum()], tol=tol(ulp=8, acc=8 * max(x.size, 1)))
    for key, shape in itertools.product(('u8', 'i32'), shapes):
        x = rand(rng, shape, key, 0, 20)
        level = np.clip(wide(x), 0, 15)
        yield dict(op='count_of_kind', key=key, inputs=[x], want=[np.bincount(level.reshape(-1), minlength=16)[level]], dtypes=['i32'], tol=EXACT)
    for key, shape in itertools.product(('f32', 'i32'), shapes):
        x = rand(rng, shape, key, 0, 50)
        third = np.arange(x.size).reshape(shape) % 3 == 0
        want = [wide(x) + (x > x.size), wide(x) * np.where(third, 2, 1), wide(x) + (x.ndim == 3)]
        yield dict(op='marked_by_size', key=key, inputs=[x], want=want, dtypes=[key] * 3, tol=tol(ulp=2) if key == 'f32' else EXACT)
    for key, shape in itertools.product(('i32', 'i64'), shapes):
        x = rand(rng, shape, key, -20, 20)
        yield dict(op='marked_by_sum', key=key, inputs=[x], want=[wide(x) + (x > x.sum())], tol=EXACT)


def over_repeats(rng):
    for key, (some, all_) in itertools.product(('f32', 'i32'), REPEATS):
        x, marked = rand(rng, some, key), rand(rng, all_, 'bool')
        z = np.broadcast_to(wide(x), all_)
        rule = tol(ulp=4, acc=64, mag=64.0) if key == 'f32' else EXACT
        yield dict(op='sums_of_marked', key=key, inputs=[x, marked], want=[np.array([z[~marked].sum(), z[marked].sum()]), z], dtypes=[key] * 2, tol=rule)
    for key, (some, all_), n in itertools.product(('f32', 'i8'), REPEATS, (1, 5, 33)):
        x, most = rand(rng, some + (n,), key, -9, 9), rng.integers(0, 4, all_).astype(np.int32)
        yield dict(op='best_of_windows', key=key, inputs=[x, most], want=[windows(x, most)], tol=EXACT)


def over_operands(rng):
    for key, sizes in itertools.product(('i32', 'u8'), ([0], [1], [5, 3], [0, 7, 0], [33, 1, 2, 17], [2] * 8)):
        x = [rand(rng, (d,), key, -9, 9) for d in sizes]
        want = [np.array([(v > 1).sum() for v in x]), np.array([np.bincount(v % 4, minlength=4) for v in x]),
                np.array([v[1:][v[1:] != v[:-1]].sum(dtype=v.dtype) for v in x]),
                np.array([v[:len(v) // 2].max(initial=np.iinfo(v.dtype).min) for v in x])]
        yield dict(op='counted_operands', key=key, inputs=x + [None] * (8 - len(x)), want=want, dtypes=['i32', 'i64', key, key], tol=EXACT)
        want = [np.array([v[::2].sum(dtype=v.dtype) for v in x]), np.concatenate(x)]
        yield dict(op='sums_of_operands', key=key, inputs=x + [None] * (8 - len(x)), want=want, dtypes=[key] * 2, tol=EXACT)
    for key, (n, count) in itertools.product(('i32', 'u8'), ((0, 1), (1, 1), (17, 3), (5, 8))):
        x = [rand(rng, (n,), key, 1, 4) for _ in range(count)]
        want = [np.array([np.bincount(v, minlength=5) for v in x]), np.array([7 // v for v in x])]
        yield dict(op='checked_operands', key=key, inputs=x + [None] * (8 - count), attrs={'bins': 5}, want=want, dtypes=['i64', key], tol=EXACT)


def over_absent(rng):
    for key, (some, all_), given in itertools.product(('f32', 'i32'), REPEATS, range(4)):
        x = rand(rng, some, key)
        w, marked = rand(rng, all_, key) if given & 1 else None, rand(rng, all_, 'bool') if given & 2 else None
        shape = some if given == 0 else all_
        want = [np.broadcast_to(wide(x) * (2 if w is None else wide(w)), shape), np.array(np.prod(shape, dtype=int) if marked is None else marked.sum())]
        yield dict(op='repeated_or_masked', key=key, inputs=[x, w, marked], want=want, dtypes=[key, 'i64'], tol=[tol() if key == 'f32' else EXACT, EXACT])
    for key, (some, n) in itertools.product(('f32', 'i32'), ((1, 1), (5, 5), (1, 5), (33, 33), (0, 0))):
        x, marked = rand(rng, (some,), key), rand(rng, (n,), 'bool')
        yield dict(op='row_or_masked', key=key, inputs=[x, marked], want=[np.where(marked, x, 0), np.arange(2 * n)], dtypes=[key] * 2, tol=EXACT)
        yield dict(op='row_or_masked', key=key, inputs=[x, None], want=[x, np.arange(2 * some)], dtypes=[key] * 2, tol=EXACT)


def cases(rng):
    yield from over_packs(rng)
    yield from over_repeats(rng)
    yield from over_operands(rng)
    yield from over_absent(rng)
