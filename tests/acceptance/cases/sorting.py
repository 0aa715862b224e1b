"""Sorting and selecting, operands joined and dimensions permuted at run time: cases for ../shared/accept/ops.py."""
import numpy as np

from casekit import EXACT, available, rand

OPS = r'''
ops:
  - op: in_order
    types: {T: [real, bool]}
    attrs: {axis: int = -1, descending: bool = false}
    in: {X: "T[*P, D@axis, *Q]"}
    out: {Y: "T[*P, D, *Q]", I: "i64[*P, D, *Q]"}
    impl: templates/c/sort.c.in
  - op: best
    types: {T: [real, bool]}
    attrs: {k: int = 1, axis: int = -1, largest: bool = true}
    in: {X: "T[*P, D@axis, *Q]"}
    require: [k >= 0, k <= D]
    out: {Y: "T[*P, k, *Q]", I: "i64[*P, k, *Q]"}
    impl: templates/c/sort.c.in
  - op: places
    types: {T: [real, bool]}
    attrs: {right: bool = false}
    in: {A: "T[N]", V: "T[*S]"}
    out: {Y: "i64[*S]"}
    impl: templates/c/searchsorted.c.in
  - op: joined_operands
    types: {T: any}
    attrs: {axis: int = 0}
    in: {"X...": "T[*P, D@axis..., *Q]"}
    let: {N: "sum_of(D)"}
    out: {Y: "T[*P, N@axis, *Q]"}
    body: |
      Y[*p,offset(D) + i,*q] = X[*p,i,*q]
  - op: permuted_dims
    types: {T: any}
    attrs: {perm: "int[*S]"}
    in: {X: "T[*S]"}
    let: {O: "permute(S, perm)"}
    out: {Y: "T[*O]"}
    body: Y[*permute(s, perm)] = X[*s]
  - op: indexed_by_order
    types: {T: [i8, i32, i64]}
    in: {X: "T[N]", V: "f32[9]"}
    out: {Y: "f32[N]"}
    body: |
      k[i] = X[i] + 1
      s, at = sort(k, axis=-1)
      Y[i] = V[s[i] % 9]
'''

SHAPES = [((17,), 0), ((3, 33), -1), ((33, 3), 0), ((2, 15, 3), 1), ((4, 1), 1), ((0, 5), 1), ((5, 0), 0), ((2, 64, 2), 1),
          ((2, 700), 1), ((701, 2), 0)]  # long rows are sorted byte by byte


def awkward(rng, shape, key):
    """Many equal values; NaN, infinities and both zeros among floats."""
    x = rand(rng, shape, key, -3, 3)
    if key in ('f16', 'bf16', 'f32', 'f64'):
        x = np.round(x.astype(np.float64))
        m = rng.random(shape)
        x[m < 0.1] = np.nan
        x[(m > 0.1) & (m < 0.15)] = np.inf
        x[(m > 0.15) & (m < 0.25)] = -0.0
        x = x.astype(rand(rng, (1,), key).dtype)
    return x


def any_bits(rng, shape, key):
    """Elements whose bits are all random: every byte of a key takes part in the order."""
    if key == 'bool':
        return rand(rng, shape, key)
    dtype = rand(rng, (1,), key).dtype
    return rng.integers(0, 256, (*shape, dtype.itemsize), np.uint8).view(dtype)[..., 0].copy()


def ordered_lines(key):
    """Rows already in order, reversed, rising and falling, all equal, and in pieces of equal upper words."""
    for n in (1, 2, 5, 95, 96, 97, 257, 1500):
        line = np.sort(np.arange(n) * 3 % 113)
        yield from (line, line[::-1], np.concatenate([line[::2], line[1::2][::-1]]), np.full(n, 5), line % 2)
        if key in ('i64', 'u64', 'f64'):
            yield np.arange(n)[::-1] % 100 + 2**40 * (np.arange(n) // 200)
            yield np.arange(n)[::-1] + 2**50


def falling(x, axis):
    """Stable order from the maximum down, NaN first."""
    n = x.shape[axis]
    return n - 1 - np.flip(np.argsort(np.flip(x, axis), axis=axis, kind='stable'), axis)


def cases(rng):
    for key in available('f32', 'f64', 'i64', 'i16', 'u8'):
        for line in ordered_lines(key):
            x = line.astype(rand(rng, (1,), key).dtype)
            for descending in (False, True):
                at = falling(x, 0) if descending else np.argsort(x, kind='stable')
                yield dict(op='in_order', key=key, inputs=[x], attrs={'axis': 0, 'descending': descending},
                           want=[x[at], at], dtypes=[key, 'i64'], tol=EXACT)
    for key in available('f32', 'f64', 'f16', 'i8', 'u64', 'bool'):
        for shape, axis, made in [(s, a, awkward) for s, a in SHAPES] + [((3, 61), 1, any_bits), ((2, 700), 1, any_bits)]:
            x = made(rng, shape, key)
            for descending in (False, True):
                at = falling(x, axis) if descending else np.argsort(x, axis=axis, kind='stable')
                yield dict(op='in_order', key=key, inputs=[x], attrs={'axis': axis, 'descending': descending},
                           want=[np.take_along_axis(x, at, axis), at], dtypes=[key, 'i64'], tol=EXACT)
            n = x.shape[axis]
            for k in sorted({0, min(3, n), min(40, n), n}):
                for largest in (True, False):
                    at = falling(x, axis) if largest else np.argsort(x, axis=axis, kind='stable')
                    at = np.take(at, range(k), axis)
                    yield dict(op='best', key=key, inputs=[x], attrs={'k': k, 'axis': axis, 'largest': largest},
                               want=[np.take_along_axis(x, at, axis), at], dtypes=[key, 'i64'], tol=EXACT)
        yield dict(op='best', key=key, inputs=[awkward(rng, (2, 64, 2), key)], attrs={'k': 65, 'axis': 1}, error='k > D',
                   out=[(key, (2, 65, 2)), ('i64', (2, 65, 2))])
        a, v = np.sort(awkward(rng, (37,), key)), awkward(rng, (5, 7), key)
        for right in (False, True):
            yield dict(op='places', key=key, inputs=[a, v], attrs={'right': right},
                       want=[np.searchsorted(a, v, 'right' if right else 'left').astype(np.int64)], dtypes=['i64'], tol=EXACT)
    for key in ('i8', 'i32', 'i64'):
        for n in (1, 33, 0):
            x, v = rand(rng, (n,), key, -100, 100), rand(rng, (9,), 'f32')
            yield dict(op='indexed_by_order', key=key, inputs=[x, v], want=[v[np.sort(x + 1) % 9]], dtypes=['f32'], tol=EXACT)
    for key in available('f32', 'i8', 'c128', 'f16'):
        for count in (1, 2, 3, 8):
            for axis, base in ((0, (3, 5)), (1, (2, 4, 3)), (-1, (7,))):
                parts = []
                for k in range(count):
                    shape = list(base)
                    shape[axis] = (k * 3) % 5
                    parts.append(rand(rng, tuple(shape), key))
                yield dict(op='joined_operands', key=key, inputs=parts + [None] * (8 - count), attrs={'axis': axis},
                           want=[np.concatenate(parts, axis)], tol=EXACT)
        for shape, perm in (((5,), [0]), ((3, 17), [1, 0]), ((2, 3, 5), [2, 0, 1]), ((2, 3, 5), [0, 2, 1]), ((2, 1, 3, 17), [3, 1, 0, 2]), ((3, 0, 2), [2, 0, 1])):
            x = rand(rng, shape, key)
            yield dict(op='permuted_dims', key=key, inputs=[x], attrs={'perm': perm}, want=[np.transpose(x, perm)], tol=EXACT)
        yield dict(op='permuted_dims', key=key, inputs=[rand(rng, (2, 3), key)], attrs={'perm': [0, 0]}, error='a dimension twice', out=[(key, (2, 2))])
