"""Calls of ops within ops: values of several bodies that have one name, and operands that change between two calls."""
import itertools

import numpy as np

from casekit import tol, wide

OPS = r'''
ops:
  - op: bent_product
    types: {T: [f32]}
    in: {X: "T[M, K]", W: "T[K, N]"}
    out: {Y: "T[M, N]"}
    body: |
      h = matmul(X, W)
      u[m,n] = h[m,n]*h[m,n]
      Y[m,n] = exp(-u[m,n]) + h[m,n]
  - op: bent_three_times
    doc: the values of its own are called as those of the op that it calls
    types: {T: [f32]}
    in: {X: "T[M, K]", W: "T[K, K]", V: "T[K, K]"}
    out: {Y: "T[M, K]"}
    body: |
      h = bent_product(X, W)
      u = bent_product(h, V)
      Y = bent_product(u, W)
  - op: convolved_again
    doc: the filters change between two convolutions
    types: {T: [f32]}
    in: {X: "T[B, 2, H, W]", F: "T[4, 2, 3, 3]", At: "i64[L]"}
    require: [H >= 3, W >= 3, B >= 1]
    out: {Y: "T[B, 4, H, W]", Z: "T[B, 4, H, W]"}
    body: |
      f[o,c,r,s] = F[o,c,r,s]
      Y = conv2d(X, f, pads=[1, 1, 1, 1])
      f[wrap(At[l], 4),c,r,s] *= 2
      Z = conv2d(X, f, pads=[1, 1, 1, 1])
  - op: named_like_operands
    doc: values of the body have the names of operands
    types: {T: [f32]}
    in: {X...: "T[K, D...]"}
    let: {N: sum_of(D)}
    out: {Y: "T[K, N]", Z: "T[K, N]"}
    body: |
      X2[k,offset(D) + d] = X[k,d]*2
      X0 = softmax(X2, axis=1)
      X1[k,n] = X0[k,n]*X2[k,n]
      Y[k,n] = X1[k,n] + X0[k,n]
      Z[k,n] = X2[k,n]
'''


def bent(x, w):
    h = x @ w
    return np.exp(-h*h) + h


def convolved(x, f):
    x = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    h, w = x.shape[2] - 2, x.shape[3] - 2
    return sum(np.einsum('bchw,oc->bohw', x[:, :, r:r + h, s:s + w], f[:, :, r, s]) for r, s in itertools.product(range(3), range(3)))


def cases(rng):
    for m, k in ((1, 1), (5, 7), (17, 33), (50, 70)):
        x, w, v = (rng.uniform(0, 2/k, s).astype('f4') for s in ((m, k), (k, k), (k, k)))
        want = bent(bent(bent(wide(x), wide(w)), wide(v)), wide(w))
        yield dict(op='bent_three_times', key='f32', inputs=[x, w, v], want=[want], tol=tol(ulp=64, acc=64, mag=2.0))
    for k, widths in ((3, (4,)), (2, (3, 5)), (4, (1, 2, 6)), (2, (2, 2, 2, 2))):
        parts = [rng.uniform(-1, 1, (k, n)).astype('f4') for n in widths]
        twice = 2*np.concatenate([wide(x) for x in parts], 1)
        soft = np.exp(twice)/np.exp(twice).sum(1, keepdims=True)
        yield dict(op='named_like_operands', key='f32', inputs=parts + [None]*(8 - len(parts)), want=[soft*twice + soft, twice], tol=tol(ulp=16, acc=16, mag=2.0))
    for b, h, w in ((1, 3, 3), (2, 7, 9), (3, 5, 17)):
        x, f, at = rng.uniform(-1, 1, (b, 2, h, w)).astype('f4'), rng.uniform(-1, 1, (4, 2, 3, 3)).astype('f4'), rng.integers(-4, 4, 3)
        later = wide(f)*2.0**np.bincount(at % 4, minlength=4)[:, None, None, None]
        yield dict(op='convolved_again', key='f32', inputs=[x, f, at], want=[convolved(wide(x), wide(f)), convolved(wide(x), later)], tol=tol(ulp=4, acc=32, mag=18.0))
