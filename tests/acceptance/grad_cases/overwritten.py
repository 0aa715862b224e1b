"""Gradients of definitions that change a value after it was read: in a value, a condition, an index, a check."""
import numpy as np

from casekit import rand

OPS = r'''
ops:
  - op: condition_before_change
    types: {T: float}
    in: {X: "T[N]"}
    out: {Y: "T[N]", Z: "T[N]"}
    body: |
      c[i] = X[i]*2
      Y[i] += X[i]*X[i] where c[i] > 0
      c[i] += -3*X[i]
      Z[i] = sq(c[i])
  - op: count_before_change
    types: {T: float}
    in: {X: "T[N]", At: "i64[N]"}
    out: {Y: "T[N]", Z: "T[N]"}
    body: |
      n[i] = 1
      Y[i] = X[i]*X[i]*n[i]
      n[clamp(At[i], 0, N - 1)] += 1
      Z[i] = X[i]*n[i]
  - op: kept_before_change
    types: {T: float}
    in: {X: "T[N]", At: "i64[N]"}
    out: {Y: "T[N]", Z: "T[N]"}
    body: |
      n[i] = 1
      Y[i] += X[i]*X[i] where n[i] == 1
      n[clamp(At[i], 0, N - 1)] += 1
      Z[i] = X[i]*n[i]
  - op: place_before_change
    types: {T: float}
    in: {X: "T[N]", At: "i64[N]"}
    out: {Y: "T[N]", Z: "T[N]"}
    body: |
      n[i] = 1
      Y[clamp(i - n[i], 0, N - 1)] += X[i]*X[i]
      n[clamp(At[i], 0, N - 1)] += 1
      Z[i] = X[i]*n[i]
  - op: checked_before_change
    types: {T: float}
    in: {X: "T[N]", At: "i64[N]"}
    out: {Y: "T[N]", Z: "T[N]"}
    body: |
      n[i] = At[i]
      Y[i] = X[wrap(n[i], N)]*X[i]
      n[i] += 100
      Z[i] = X[i]*n[i]
  - op: checked_after_change
    types: {T: float}
    in: {X: "T[N]", At: "i64[N]"}
    out: {Y: "T[N]", Z: "T[N]"}
    body: |
      n[i] = At[i] + 100
      Y[i] = X[i]*n[i]
      n[i] += -100
      Z[i] = X[wrap(n[i], N)]*X[i]
  - op: divided_before_change
    types: {T: float}
    in: {X: "T[N]", At: "i64[N]"}
    out: {Y: "T[N]", Z: "T[N]"}
    body: |
      n[i] = 3
      Y[i] = X[i]*(At[i]//n[i])
      n[i] += -3
      Z[i] = X[i]*n[i]
'''


def cases(rng):
    for n in (1, 7, 33):
        x, at = rand(rng, (n,), 'f64', -1, 1), rng.integers(0, n, n)
        yield dict(op='condition_before_change', key='f64', inputs=[x], want=[np.ones(n)] * 2)
        for op in ('count_before_change', 'kept_before_change', 'place_before_change', 'checked_before_change', 'checked_after_change',
                   'divided_before_change'):
            yield dict(op=op, key='f64', inputs=[x, at], want=[np.ones(n)] * 2)
