"""Bodies that a call chooses by its strides and extents: permuted copies, runs along the last axis, reversed runs, kept axes, broadcast operands."""
import itertools

import numpy as np
from casekit import EXACT, rand, tol, wide
OPS = [r'''
ops:
  - op: reordered
    types: {T: any}
    attrs: {perm: "int[*S]"}
    in: {X: "T[*S]"}
    let: {O: "permute(S, perm)"}
    out: {Y: "T[*O]"}
    body: Y[*permute(s, perm)] = X[*s]
''', r'''
ops:
  - op: joined
    types: {T: any}
    attrs: {axis: int = 0}
    in: {"X...": "T[*P, D@axis..., *Q]"}
    let: {N: "sum_of(D)"}
    out: {Y: "T[*P, N@axis, *Q]"}
    body: Y[*p,offset(D) + i,*q] = X[*p,i,*q]
''', r'''
ops:
  - op: mirrored
    types: {T: any}
    attrs: {axis: int = -1}
    in: {X: "T[*P, D@axis, *Q]"}
    out: {Y: "T[*P, D, *Q]"}
    body: Y[*p,i,*q] = X[*p,D - 1 - i,*q]
''', r'''
ops:
  - op: picked
    types: {T: any, I: index}
    attrs: {axis: int = 0}
    in: {X: "T[*P, D@axis, *Q]", Ix: "I[*J]"}
    out: {Y: "T[*P, *J, *Q]"}
    body: Y[*p,*j,*q] = X[*p, wrap(Ix[*j], D), *q]
''', r'''
ops:
  - op: kept
    types: {T: real}
    attrs: {axes: "int[]", keepdims: bool = false}
    in: {X: "T[*P, *R@axes, *Q]"}
    let: {K: "keep(R, keepdims)"}
    out: {Y: "T[*P, *K@axes, *Q]", Z: "T[*P, *K@axes, *Q]"}
    body: |
      Y[*p,*k,*q] = max[*r](X[*p,*r,*q])
      Z[*p,*k,*q] = sum[*r](X[*p,*r,*q])
''', r'''
ops:
  - op: less_than
    types: {T: real}
    in: {A: "T[~*S]", B: "T[~*S]"}
    out: {Y: "T[*S]"}
    body: Y[*s] = A[*s] - B[*s]
''']
BAD = []
EVERY = ('u8', 'i16', 'f32', 'f64', 'c64', 'c128', 'bool', 'f16')
LENGTHS = (0, 1, 2, 15, 16, 17, 49, 64, 65, 130)


def permuted(rng):
    for key in EVERY:
        for shape in ((16, 16), (17, 33), (1, 40), (3, 16, 18), (2, 3, 16, 17), (2, 1, 5, 1, 33), (0, 3), (5, 0, 2)):
            for perm in itertools.islice(itertools.permutations(range(len(shape))), 0, 24, 1 if len(shape) < 4 else 5):
                x = rand(rng, shape, key, 0, 1 if key == 'bool' else 90)
                yield dict(op='reordered', key=key, inputs=[x], attrs={'perm': list(perm)}, want=[x.transpose(perm)], tol=EXACT)


def along_axes(rng):
    for key in EVERY:
        for n in LENGTHS:
            for shape, axis in (((n,), 0), ((3, n), 1), ((n, 3), 0), ((2, n, 17), 1), ((2, 3, n), 2)):
                x = rand(rng, shape, key, 0, 1 if key == 'bool' else 90)
                yield dict(op='mirrored', key=key, inputs=[x], attrs={'axis': axis}, want=[np.flip(x, axis)], tol=EXACT)
                other = list(shape)
                other[axis] = 19
                y = rand(rng, tuple(other), key, 0, 1 if key == 'bool' else 90)
                yield dict(op='joined', key=key, inputs=[x, y, x] + [None]*5, attrs={'axis': axis},
                           want=[np.concatenate([x, y, x], axis)], tol=EXACT)
                at = rng.integers(-19, 19, 21)
                yield dict(op='picked', key=key, inputs=[y, at], attrs={'axis': axis}, want=[np.take(y, at, axis)], tol=EXACT)


def kept(rng):
    for key in ('f32', 'f64', 'f16', 'i32', 'i8'):
        for n in LENGTHS[1:]:
            for shape, axes in (((n,), [0]), ((3, n), [1]), ((n, 3), [0]), ((2, n, 17), [1]), ((2, 7, 7), [1, 2]), ((n, 2), [0, 1])):
                for keep in (False, True):
                    x = rand(rng, shape, key, -1, 1)
                    total = wide(x).sum(axis=tuple(axes), keepdims=keep)
                    if key[0] == 'i':
                        total = total.astype(x.dtype)
                    size = np.abs(wide(x)).sum(axis=tuple(axes), keepdims=keep)
                    yield dict(op='kept', key=key, inputs=[x], attrs={'axes': axes, 'keepdims': keep},
                               want=[x.max(axis=tuple(axes), keepdims=keep), total],
                               tol=[EXACT, EXACT if key[0] == 'i' else tol(2, acc=len(x.reshape(-1)), mag=size)])


def stretched(rng):
    for key in ('f32', 'f64', 'i32', 'u8', 'f16'):
        for n in LENGTHS:
            for a, b in (((3, n), (3, 1)), ((3, 1), (3, n)), ((3, n), ()), ((), (3, n)), ((2, 5, n), (5, 1)), ((3, n), (n,))):
                x, y = rand(rng, a, key, 20, 90), rand(rng, b, key, 0, 20)
                yield dict(op='less_than', key=key, inputs=[x, y], attrs={}, want=[np.asarray(wide(x) - wide(y))],
                           tol=EXACT if key[0] in 'iu' else tol(1))


def cases(rng):
    yield from permuted(rng)
    yield from along_axes(rng)
    yield from kept(rng)
    yield from stretched(rng)
