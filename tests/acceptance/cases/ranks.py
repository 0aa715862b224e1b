"""Bodies that ask for the number of a dimension, or how many there are: in a library only a call tells."""
import numpy as np

from casekit import EXACT, available, rand, tol

OPS = r'''
ops:
  - op: pick
    doc: elements or slices of X at tuples of indices into its dimensions `dims`
    types: {T: any, I: index}
    attrs: {dims: "int[]"}
    in: {X: "T[*P@dims, *Q]", Ix: "I[*J, K]"}
    require: ["rank(P) == K"]
    out: {Y: "T[*J, *Q]"}
    body: Y[*j,*q] = X[*(wrap(padded(Ix[*j,dim(P)], 0), P)),*q]

  - op: per_rank
    doc: X divided by how many dimensions it has
    types: {T: float}
    in: {X: "T[*P]"}
    out: {Y: "T[*P]"}
    body: Y[*p] = X[*p]/rank(P)
'''


def cases(rng):
    for key in available('f32', 'i8', 'f64'):
        for shape, n, many in [((4, 5), 2, (3,)), ((4, 5, 6), 2, (2, 3)), ((7,), 1, (5,)), ((3, 4, 2, 5), 3, (6,)), ((3, 4), 1, ())]:
            x = rand(rng, shape, key)
            ix = np.stack([rng.integers(-shape[d], shape[d], many) for d in range(n)], axis=-1).astype(np.int64)
            yield dict(op='pick', key=key, attrs=dict(dims=list(range(n))), inputs=[x, ix], want=[x[tuple(ix[..., d] for d in range(n))]], tol=EXACT)
    for key in available('f32', 'f64'):
        for shape in [(5,), (2, 3), (2, 3, 4), (1, 2, 1, 3, 2, 2)]:
            x = rand(rng, shape, key)
            yield dict(op='per_rank', key=key, inputs=[x], want=[x / x.dtype.type(len(shape))], tol=tol(ulp=1))
