"""Reductions under masks, rows put where an index says, counts of labels."""
import numpy as np

from casekit import EXACT, available, rand, tol, wide

OPS = r'''
families:
  - family: masked_reduction
    types: {T: real}
    in: {X: "T[*P, N]", M: "bool[*P, N]"}
    out: {Y: "T[*P]"}
    body: "Y[*p] = $r[k : M[*p,k]](X[*p,k])"
    ops:
      masked_sum: {r: sum}
      masked_max: {r: max}
      masked_min: {r: min}
      masked_prod: {r: prod}

ops:
  - op: put_along_axis
    types: {T: any, I: index}
    attrs: {axis: int = -1}
    in: {X: "T[*P, D@axis, *Q]", Ix: "I[*P, K, *Q]", V: "T[*P, K, *Q]"}
    out: {Y: "T[*P, D, *Q]"}
    body: |
      Y[*p,d,*q] = X[*p,d,*q]
      Y[*p,wrap(Ix[*p,k,*q], D),*q] last= V[*p,k,*q]

  - op: distinct_labels
    doc: how many different labels of few are in a row
    types: {I: index}
    attrs: {labels: int}
    in: {X: "I[B, N]"}
    require: [labels >= 1]
    index: {c: labels}
    out: {Y: "i64[B]"}
    body: |
      seen[b,c] = any[n](X[b,n] == c)
      Y[b] = sum[c](cast(seen[b,c], i64))
'''

F = ('f32', 'f64', 'f16', 'bf16')


def ints(rng, shape, kind, lo, hi):
    return rng.integers(lo, hi, shape).astype({'i32': np.int32, 'i64': np.int64}[kind])


def cases(rng):
    for key in (*available(*F), 'i8', 'u32', 'i64'):
        for s in [(1,), (17,), (3, 33), (2, 0), (0, 3)]:
            x, m = rand(rng, s, key, -3, 3), rand(rng, s, 'bool')
            w = wide(x)
            info = None if key in F else np.iinfo(x.dtype)
            lo, hi = (-np.inf, np.inf) if info is None else (int(info.min), int(info.max))
            rule = tol(ulp=2, acc=40, mag=100.0) if key in F else EXACT
            yield dict(op='masked_sum', key=key, inputs=[x, m], want=[np.where(m, w, 0).sum(-1)], tol=rule)
            yield dict(op='masked_max', key=key, inputs=[x, m], want=[np.where(m, w, lo).max(-1, initial=lo)], tol=EXACT)
            yield dict(op='masked_min', key=key, inputs=[x, m], want=[np.where(m, w, hi).min(-1, initial=hi)], tol=EXACT)
            if key in F:
                pr = np.where(m, w, 1).prod(-1)
                yield dict(op='masked_prod', key=key, inputs=[x, m], want=[pr], tol=tol(ulp=2, acc=80, floor=1e-3 if key == 'f16' else 0.0))
        for kind in ('i32', 'i64'):
            for s, axis, k in [((17,), 0, 5), ((3, 33), -1, 4), ((33, 3), 0, 40), ((2, 5, 3), 1, 1)]:
                x = rand(rng, s, key)
                si = list(s)
                si[axis] = k
                ix, v = ints(rng, si, kind, -s[axis], s[axis]), rand(rng, si, key)
                y = np.moveaxis(x.copy(), axis, -1)
                a, b = np.moveaxis(ix, axis, -1), np.moveaxis(v, axis, -1)
                for place in np.ndindex(*a.shape):
                    y[(*place[:-1], a[place])] = b[place]
                yield dict(op='put_along_axis', key=key, inputs=[x, ix, v], attrs={'axis': axis}, want=[np.moveaxis(y, -1, axis)], tol=EXACT)
    for kind in ('i32', 'i64'):
        for b, n, c in [(1, 1, 1), (3, 17, 5), (2, 0, 3), (0, 4, 2)]:
            x = ints(rng, (b, n), kind, 0, c + 1)
            yield dict(op='distinct_labels', key=kind, inputs=[x], attrs={'labels': c}, want=[[len(set(r[r < c])) for r in x]], dtypes=['i64'],
                       tol=EXACT)
