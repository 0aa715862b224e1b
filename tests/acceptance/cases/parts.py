"""Tensors put together and taken apart along an axis."""
import numpy as np

from casekit import EXACT, available, rand

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
