"""What statements rely on that others change: divisors that are sums."""
import itertools

import numpy as np

from casekit import rand, tol, wide

OPS = r'''
ops:
  - op: divided_by_changed
    types: {T: [f32, f64]}
    in: {X: "T[M, N]", I: "i64[K]"}
    out: {Y: "T[M, N]", Z: "T[M, N]", S: "T[M]"}
    body: |
      z[m] = sum[n](X[m,n])
      Y[m,n] = X[m,n]/z[m]
      z[wrap(I[k], M)] += 1
      Z[m,n] = X[m,n]/z[m]
      S[m] = sum[n](X[m,n]/z[m])
  - op: weighted_by_changed
    doc: a chain of products with a divisor that changes
    types: {T: [f32]}
    in: {Q: "T[I, D]", K: "T[J, D]", V: "T[J, E]", At: "i64[M]"}
    out: {Y: "T[I, E]"}
    body: |
      s[i,j] = exp(sum[d](Q[i,d]*K[j,d]))
      z[i] = sum[j](s[i,j])
      z[wrap(At[m], I)] *= 2
      p[i,j] = s[i,j]/z[i]
      Y[i,e] = sum[j](p[i,j]*V[j,e])
'''


def over_divisors(rng):
    for key, m, n in itertools.product(('f32', 'f64'), (1, 5, 33), (1, 17, 64)):
        x, i = rand(rng, (m, n), key, 0.5, 2), rng.integers(-m, m, 7)
        before = wide(x).sum(1)
        after = before + np.bincount(i % m, minlength=m)
        want = [wide(x) / before[:, None], wide(x) / after[:, None], before / after]
        yield dict(op='divided_by_changed', key=key, inputs=[x, i], want=want, tol=tol(ulp=8))
    for i, j, d, e in ((7, 3, 4, 5), (70, 33, 40, 50), (1, 64, 8, 16)):
        q, k, v = rand(rng, (i, d), 'f32', -0.3, 0.3), rand(rng, (j, d), 'f32', -0.3, 0.3), rand(rng, (j, e), 'f32')
        at = rng.integers(-i, i, 5)
        s = np.exp(wide(q) @ wide(k).T)
        z = s.sum(1) * 2.0**np.bincount(at % i, minlength=i)
        yield dict(op='weighted_by_changed', key='f32', inputs=[q, k, v, at], want=[s / z[:, None] @ wide(v)], tol=tol(ulp=16, acc=64, mag=2.0))


def cases(rng):
    yield from over_divisors(rng)
