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
'''



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


def cases(rng):
    yield from over_values(rng)
    yield from over_signs(rng)
