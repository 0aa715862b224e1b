"""Tensors put together and taken apart along an axis."""
import numpy as np

from casekit import EXACT, available, rand, tol, wide

# The shipped ops under other names, so that these cases hold for them whatever happens to the shipped ones.
OPS = r'''
ops:
  - op: side_by_side
    doc: operands of one shape side by side along a new axis
    types: {T: [any, small]}
    attrs: {axis: int = 0}
    in: {"X...": "T[*P, *Q]"}
    let: {N: "count(X)"}
    out: {Y: "T[*P, N@axis, *Q]"}
    body: Y[*p,operand(X),*q] = X[*p,*q]

  - op: numbered
    doc: operands one behind the other along an axis, and behind them how many they are
    types: {T: real}
    attrs: {axis: int = 0}
    in: {"X...": "T[*P, D@axis..., *Q]"}
    let: {N: "sum_of(D)"}
    out: {Y: "T[*P, N@axis, *Q]", Count: "T[]"}
    body: |
      Y[*p,offset(D) + d,*q] = X[*p,d,*q]
      Count[] = cast(count(X), T)

  - op: above_peaks
    doc: the operands side by side, each less the maximum of its columns and more the mean of its elements
    types: {T: float}
    in: {"X...": "T[M, N]"}
    let: {K: "count(X)"}
    require: [M >= 1, N >= 1]
    out: {Y: "T[M, K, N]"}
    body: Y[m,operand(X),n] = X[m,n] - max[i](X[i,n]) + sum[i,j](X[i,j])/(M*N)

  - op: scaled_exponentials
    doc: for each operand the multiples of the exponentials of its elements
    types: {T: float}
    attrs: {width: int = 3}
    in: {"X...": "T[M]"}
    let: {C: "count(X)", K: width}
    require: [width >= 0]
    out: {Y: "T[C, M, K]"}
    body: Y[operand(X),m,k] = exp(X[m])*k

  - op: scaled_numbers
    doc: for each operand, a number, the multiples of its exponential by the root of 2 more than it
    types: {T: float}
    attrs: {width: int = 3}
    in: {"X...": "T[]"}
    let: {C: "count(X)", K: width}
    require: [width >= 0]
    out: {Y: "T[C, K]"}
    body: Y[operand(X),k] = exp(X[])*k/sqrt(2 + X[])

  - op: taken_apart
    doc: parts of the given sizes, which lie one behind the other along an axis
    types: {T: [any, small]}
    attrs: {axis: int = 0, sizes: "int[]"}
    in: {X: "T[*P, N@axis, *Q]"}
    require: [sum_of(sizes) == N]
    out: {"Y...": "T[*P, sizes@axis..., *Q]"}
    body: Y[*p,i,*q] = X[*p,offset(sizes) + i,*q]

  - op: columns_taken
    doc: chosen columns of X, divided by how many parts there are and moved by the part's number; the columns of a part follow each other in Ix
    types: {T: float, I: index}
    attrs: {columns: "int[]"}
    in: {X: "T[~*S, N]", Z: "T[~*S]", Ix: "I[M]"}
    require: [sum_of(columns) == M]
    out: {"Y...": "T[*S, columns...]"}
    body: Y[*s,i] = (X[*s,wrap(Ix[offset(columns) + i], N)] + Z[*s])/count(Y) + operand(Y)

  - op: halves
    doc: the second part of a tensor before its first
    types: {T: any}
    attrs: {at: int}
    in: {X: "T[N, M]"}
    require: [0 <= at, at <= M]
    out: {Y: "T[N, M]"}
    let: {B: M - at}
    body: |
      a, b = taken_apart(X, axis=1, sizes=[at, B])
      Y = concat(b, a, axis=1)
  - op: halves_copied
    doc: short runs of a row that is made and read for each n
    types: {T: any}
    attrs: {at: int}
    in: {X: "T[N, M]"}
    require: [0 <= at, at <= M]
    out: {Y: "T[N, M]"}
    body: |
      h = halves(X, at=at)
      Y = identity(h)
'''

SHAPES = [(), (1,), (17,), (0,), (3, 5), (4, 0, 2), (2, 3, 5), (2, 1, 3, 2), (1, 2, 3, 1, 2), (2, 1, 1, 2, 1, 3), (1, 2, 1, 2, 1, 2, 2)]


def cases(rng):
    for key in available('f32', 'i8', 'u16', 'f64', 'bool', 'bf16', 'c64', 'c128'):
        for shape in SHAPES:
            for axis in {0, -1, len(shape) // 2, -len(shape) - 1}:
                n = int(rng.integers(1, 9))
                x = [np.asarray(rand(rng, shape, key)) for _ in range(n)]
                yield dict(op='side_by_side', key=key, attrs=dict(axis=axis), inputs=x + [None] * (8 - n), want=[np.stack(x, axis)], tol=EXACT)
        x = [rand(rng, (3, 5), key) for _ in range(2)]
        for axis in (3, -4):
            yield dict(op='side_by_side', key=key, attrs=dict(axis=axis), inputs=x + [None] * 6, error='no such axis', out=[(key, (2, 3, 5))])
        yield dict(op='side_by_side', key=key, inputs=[x[0], x[0][:, 1:]] + [None] * 6, error='shapes differ', out=[(key, (2, 3, 5))])
        yield dict(op='side_by_side', key=key, inputs=[x[0], None, x[1]] + [None] * 5, error='a gap', out=[(key, (2, 3, 5))])
        deep = rand(rng, (1,) * 8, key)
        yield dict(op='side_by_side', key=key, inputs=[deep] + [None] * 7, error='9 dimensions', out=[(key, (1,) * 8)])
    for key in available('f32', 'i32'):
        for extents in [(3,), (1, 4), (2, 0, 5), (1,) * 8]:
            x = [rand(rng, (2, d, 3), key) for d in extents]
            yield dict(op='numbered', key=key, attrs=dict(axis=1), inputs=x + [None] * (8 - len(x)), want=[np.concatenate(x, 1), np.array(len(x))], tol=EXACT)
    for key in available('f32', 'f64'):
        for n, shape in [(1, (3, 5)), (2, (4, 33)), (5, (1, 1)), (8, (7, 2))]:
            x = [rand(rng, shape, key) for _ in range(n)]
            want = np.stack([wide(a) - wide(a).max(0) + wide(a).mean() for a in x], 1)
            yield dict(op='above_peaks', key=key, inputs=x + [None] * (8 - n), want=[want], tol=tol(ulp=4, mid=8, mag=8))
    for key in available('f32', 'f64'):  # absent operands are not read early
        for n, width in [(1, 3), (2, 40), (5, 1), (8, 17)]:
            k = np.arange(width)
            x = [rand(rng, (21,), key) for _ in range(n)]
            want = np.stack([np.exp(wide(a))[:, None] * k for a in x])
            yield dict(op='scaled_exponentials', key=key, attrs=dict(width=width), inputs=x + [None] * (8 - n), want=[want], tol=tol(ulp=4))
            x = [np.asarray(rand(rng, (), key)) for _ in range(n)]
            want = np.stack([np.exp(wide(a)) * k / np.sqrt(2 + wide(a)) for a in x])
            yield dict(op='scaled_numbers', key=key, attrs=dict(width=width), inputs=x + [None] * (8 - n), want=[want], tol=tol(ulp=6))
    for key in available('f32', 'i8', 'u16', 'f64', 'bool', 'bf16', 'c64', 'c128'):
        for shape in [s for s in SHAPES if s]:
            for axis in {0, -1, len(shape) // 2}:
                n, parts = shape[axis], int(rng.integers(1, 9))
                at = np.sort(rng.integers(0, n + 1, parts - 1))
                x = rand(rng, shape, key)
                want = np.split(x, at, axis)
                sizes = [w.shape[axis] for w in want]
                want += [np.take(x, [], axis)] * (8 - parts)
                yield dict(op='taken_apart', key=key, attrs=dict(axis=axis, sizes=sizes), inputs=[x], want=want, tol=EXACT)
        x = rand(rng, (3, 5), key)
        for attrs in (dict(axis=1, sizes=[3, 3]), dict(axis=1, sizes=[6, -1]), dict(axis=2, sizes=[5]), dict(axis=1, sizes=[]), dict(axis=1),
                      dict(axis=1, sizes=[1, 1, 1, 1, 1, 0, 0, 0, 0])):
            yield dict(op='taken_apart', key=key, attrs=attrs, inputs=[x], error='no such parts', out=[(key, (3, 5))] + [(key, (3, 0))] * 7)
    for key in available('f32', 'f64'):
        for kind in available('i32', 'i64'):
            for s, z, columns in [((4,), (4,), [2, 1]), ((3, 1), (5,), [1, 0, 4]), ((1, 5), (3, 1), [3] * 8), ((), (), [7]), ((2, 3), (3,), [0, 0])]:
                x, y, ix = rand(rng, (*s, 6), key), rand(rng, z, key), rng.integers(-6, 6, sum(columns)).astype(kind.replace('i', 'int'))
                whole = (wide(x)[..., ix] + wide(np.asarray(y))[..., None]) / len(columns)
                at = np.cumsum([0] + columns)
                want = [whole[..., at[k]:at[k + 1]] + k for k in range(len(columns))] + [whole[..., :0]] * (8 - len(columns))
                yield dict(op='columns_taken', key=key, attrs=dict(columns=columns), inputs=[x, np.asarray(y), ix], want=want, tol=tol(ulp=4, mid=4, mag=4))
            yield dict(op='columns_taken', key=key, attrs=dict(columns=[1, 1]), inputs=[rand(rng, (2, 1, 6), key), rand(rng, (3, 2), key)[:, :1], np.array([0, 6], kind.replace('i', 'int'))],
                       error='out of range', out=[(key, (2, 3, 1))] * 2 + [(key, (2, 3, 0))] * 6)
    for key in available('f32', 'i8', 'c64'):
        for n, m, at in [(3, 5, 2), (1, 4, 0), (2, 3, 3), (0, 3, 1)]:
            x = rand(rng, (n, m), key)
            for op in ('halves', 'halves_copied'):
                yield dict(op=op, key=key, attrs=dict(at=at), inputs=[x], want=[np.roll(x, -at, 1)], tol=EXACT)
