"""What a statement reads beside its value: in the target, in the condition, at the start of a fold, under `index`; the
extents that optional inputs share."""
import itertools

import numpy as np

from casekit import EXACT, rand, tol, wide

OPS = r'''
ops:
  - op: kept_at_own_number
    doc: each element is kept at the place that it names itself
    types: {T: any}
    in: {X: "T[N]"}
    out: {Y: "T[4]"}
    body: Y[clamp(X[n], 0, 3)] last= X[n]
  - op: below_others
    types: {T: [int, uint]}
    in: {X: "T[N]", Z: "T[N]"}
    out: {Y: "T[]", P: "T[3]"}
    body: |
      Y[] += X[n] where X[n] < Z[n]
      P[n % 3] *= X[n] where X[n] > Z[n]
  - op: counted_from_first
    types: {T: [int, uint]}
    in: {X: "T[N]"}
    index: {k: N}
    require: [N >= 1]
    out: {Y: "i64[]"}
    body: Y[] = fold[k](a = cast(X[0], i64), a + k)
  - op: placed_by_total
    doc: the line begins where a sum of data says
    types: {T: [f32, i32]}
    in: {S: "i64[K]", V: "T[M]", X: "T[N]"}
    require: [N >= 1]
    out: {Y: "T[N]", Z: "T[M]"}
    body: |
      Y[clamp(sum[k](S[k]) + m, 0, N - 1)] += V[m] where m + sum[k](S[k]) > 0
      Z[m] = X[clamp(m - sum[k](S[k]), 0, N - 1)]
  - op: line_by_total
    types: {T: [f32, i32, i64]}
    in: {S: "i64[K]", V: "T[M]"}
    let: {N: 6}
    out: {Y: "T[N]"}
    body: Y[clamp(sum[k](S[k]) + m, 0, N - 1)] += V[m]
  - op: line_from_data
    types: {T: [f32, i32, i64]}
    in: {S: "i64[K]", X: "T[N]"}
    require: [N >= 1, K >= 1]
    out: {Y: "T[N]"}
    body: Y[n] = X[clamp(n + S[0], 0, N - 1)]
  - op: steps_from_data
    types: {T: [f32, i32, i64]}
    in: {S: "i64[K]", X: "T[N]"}
    require: [N >= 1, K >= 1]
    out: {Y: "T[N]"}
    body: Y[clamp(n*S[0], 0, N - 1)] max= X[n]
  - op: chosen_of_four
    types: {T: [f32, u8], I: [i32, i64, u8]}
    in:
      X: T[4]
      Z: T[M]
      A?: I[M]
    out: {Y: "T[M]"}
    body: Y[m] = X[opt(A[m], 6) % 4] + Z[m]
  - op: sums_by_shared_extent
    doc: any of the inputs tells K, and the shape of the pack
    types: {T: [f32, i32]}
    in:
      X: T[M]
      A?: T[K]
      B?: T[K]
      C?: T[*S, K]
      D?: T[*S]
    let: {L: 2*K + 1}
    out: {Y: "T[M]", Z: "i64[L]", N: "i64[]"}
    body: |
      Y[m] = X[m] + sum[k](opt(A[k], 2)*opt(B[k], 3))
      Z[l] = l
      N[] = sum[*s](select(opt(D[*s], 1) > 100, 0, 1))
'''

OPERANDS = r'''
ops:
  - op: weighted_by_number
    types: {T: [f32, i32]}
    in: {X...: "T[N]"}
    index: {k: count(X)}
    out: {Y: "T[N]"}
    body: |
      s[operand(X),n] = X[n]
      Y[n] = sum[k](s[k,n]*(k + 1))
  - op: weighted_by_place
    types: {T: [f32, i32]}
    in: {X...: "T[D..., Q]"}
    index: {k: sum_of(D)}
    out: {Y: "T[Q]"}
    body: |
      s[offset(D) + d,q] = X[d,q]
      Y[q] = sum[k](s[k,q]*(k + 1))
'''
OPS = [OPS, OPERANDS]


def over_values(rng):
    for key, n in itertools.product(('i8', 'i32', 'u16', 'i64', 'f16', 'f32', 'f64'), (1, 5, 33)):
        x = rand(rng, (n,), key, -2, 6)
        want = np.zeros(4, x.dtype)
        for v in x:
            want[int(np.clip(np.trunc(float(v)), 0, 3))] = v
        yield dict(op='kept_at_own_number', key=key, inputs=[x], want=[want], tol=EXACT)


def over_signs(rng):
    for key, n in itertools.product(('u8', 'i8', 'u32', 'i32', 'u64', 'i64'), (1, 7, 40)):
        dtype = rand(rng, (1,), key).dtype
        ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 1, 2, np.iinfo(dtype).max // 2 + 1], dtype)
        x, z = rng.choice(ends, n), rng.choice(ends, n)
        parts = np.ones(3, dtype)
        for k in range(3):
            parts[k] = np.prod(x[k::3][x[k::3] > z[k::3]], dtype=dtype)
        yield dict(op='below_others', key=key, inputs=[x, z], want=[x[x < z].sum(dtype=dtype), parts], tol=EXACT)
        want = (int(x[0]) + n * (n - 1) // 2 + 2**63) % 2**64 - 2**63
        yield dict(op='counted_from_first', key=key, inputs=[x], want=[np.array(want)], dtypes=['i64'], tol=EXACT)


def over_totals(rng):
    for key, n, k, m in itertools.product(('f32', 'i32'), (1, 6, 20), (0, 3), (0, 1, 7, 33)):
        s, v, x = rng.integers(-3, 6, k), rand(rng, (m,), key), rand(rng, (n,), key)
        at = np.clip(s.sum() + np.arange(m), 0, n - 1)
        kept = np.arange(m) + s.sum() > 0
        rule = [tol(ulp=4, acc=64, mag=64.0), EXACT] if key == 'f32' else EXACT
        want = [np.bincount(at[kept], wide(v)[kept], n), x[np.clip(np.arange(m) - s.sum(), 0, n - 1)]]
        yield dict(op='placed_by_total', key=key, inputs=[s, v, x], want=want, dtypes=[key] * 2, tol=rule)
        if n == 6:
            yield dict(op='line_by_total', key=key, inputs=[s, v], want=[np.bincount(at, wide(v), n)], tol=tol(ulp=4, acc=64, mag=64.0) if key == 'f32' else EXACT)


def over_lines(rng):
    for key, n, s in itertools.product(('f32', 'i32', 'i64'), (1, 6, 33), (-40, -2, 0, 1, 5, 40)):
        x, s = rand(rng, (n,), key), np.array([s, 7])
        yield dict(op='line_from_data', key=key, inputs=[s, x], want=[x[np.clip(np.arange(n) + s[0], 0, n - 1)]], tol=EXACT)
        want = np.full(n, -np.inf if key == 'f32' else np.iinfo(x.dtype).min, x.dtype)
        np.maximum.at(want, np.clip(np.arange(n) * s[0], 0, n - 1), x)
        yield dict(op='steps_from_data', key=key, inputs=[s, x], want=[want], tol=EXACT)


def over_chosen(rng):
    for key, index, m in itertools.product(('f32', 'u8'), ('i32', 'i64', 'u8', None), (0, 1, 9)):
        x, z = rand(rng, (4,), key), rand(rng, (m,), key)
        a = None if index is None else rand(rng, (m,), index, -9, 200)
        at = np.full(m, 2) if a is None else wide(a) % 4
        yield dict(op='chosen_of_four', key=key, inputs=[x, z, a], want=[x[at] + z], tol=EXACT)


def over_absent(rng):
    for key, given, shape in itertools.product(('f32', 'i32'), range(16), ((), (3,), (2, 1))):
        def r(bit, *dims):
            return rand(rng, dims, key) if given & bit else None
        x, a, b, c, d = rand(rng, (5,), key), r(1, 7), r(2, 7), r(4, *shape, 7), r(8, *shape)
        k = 7 if given & 7 else 0
        product = np.broadcast_to((2 if a is None else wide(a)) * (3 if b is None else wide(b)), (k,))
        elements = int(np.prod(shape)) if given & 12 else 1
        want = [wide(x) + product.sum(), np.arange(2 * k + 1), np.array(elements)]
        rule = tol(ulp=4, acc=64, mag=400.0) if key == 'f32' else EXACT
        yield dict(op='sums_by_shared_extent', key=key, inputs=[x, a, b, c, d], want=want, dtypes=[key, 'i64', 'i64'], tol=[rule, EXACT, EXACT])


def over_operands(rng):
    for key, count in itertools.product(('f32', 'i32'), (1, 2, 3, 8)):
        x = [rand(rng, (9,), key) for _ in range(count)]
        rule = tol(ulp=4, acc=64, mag=64.0) if key == 'f32' else EXACT
        yield dict(op='weighted_by_number', key=key, inputs=x + [None] * (8 - count), want=[sum(wide(v) * (k + 1) for k, v in enumerate(x))], tol=rule)
        x = [rand(rng, (k * 3 % 5, 4), key) for k in range(count)]
        rows = np.concatenate([wide(v) for v in x])
        yield dict(op='weighted_by_place', key=key, inputs=x + [None] * (8 - count), want=[(rows * np.arange(1, len(rows) + 1)[:, None]).sum(0)], tol=rule)


def cases(rng):
    yield from over_values(rng)
    yield from over_signs(rng)
    yield from over_totals(rng)
    yield from over_lines(rng)
    yield from over_chosen(rng)
    yield from over_absent(rng)
    yield from over_operands(rng)
