"""Values that are conditions: compared and reduced."""
import numpy as np

from casekit import EXACT, np_dtype, rand

OPS = [r'''
ops:
  - op: conditions_compared
    in: {A: "bool[*S]", B: "bool[*S]"}
    out: {Y: "bool[6, *S]"}
    index: {k: 6}
    body: |
      Y[k,*s] = select(k == 0, A[*s] < B[*s], select(k == 1, A[*s] <= B[*s], select(k == 2, A[*s] > B[*s], select(k == 3, A[*s] >= B[*s], select(k == 4, A[*s] == B[*s], A[*s] != B[*s])))))
  - op: conditions_in_order
    in: {A: "bool[*S]", B: "bool[*S]"}
    out: {L: "bool[*S]", M: "bool[*S]", G: "bool[*S]", H: "bool[*S]"}
    body: |
      L[*s] = A[*s] < B[*s]
      M[*s] = A[*s] <= B[*s]
      G[*s] = A[*s] > B[*s]
      H[*s] = A[*s] >= B[*s]
  - op: least_conditions
    types: {T: [f32, i8, f64]}
    in: {X: "T[M, N]"}
    out: {A: "bool[M]", C: "bool[N]", E: "i64[M]"}
    body: |
      A[m] = min[n](X[m,n] > 0)
      C[n] = min[m](X[m,n] > 0)
      E[m] = min[n : n < m](X[m,n] > 0) + 0
  - op: greatest_conditions
    types: {T: [f32, i8, f64]}
    in: {X: "T[M, N]"}
    out: {A: "bool[M]", C: "bool[N]", E: "i64[M]", U: "bool[2]"}
    index: {k: 2}
    body: |
      A[m] = max[n](X[m,n] > 3)
      C[n] = max[m](X[m,n] > 3)
      E[m] = max[n : n < m](X[m,n] > 3) + 0
      U[k] = false
      U[(m + n) % 2] max= X[m,n] > 3
  - op: with_hysteresis
    types: {T: [f32, i16]}
    in: {X: "T[B, L]"}
    out: {Y: "T[B, L]", Changes: "i64[B]"}
    body: |
      on[b,t] = select(X[b,t] > 2, true, select(X[b,t] < 1, false, padded(on[b,t - 1], false)))
      Y[b,t] = select(on[b,t], X[b,t], 0)
      Changes[b] = sum[t : on[b,t] != padded(on[b,t - 1], false)](1)
''']


def cases(rng):
    for shape in ((), (0,), (1,), (17,), (70,), (3, 33), (2, 0, 5)):
        a, b = rand(rng, shape, 'bool'), rand(rng, shape, 'bool')
        order = [~a & b, ~a | b, a & ~b, a | ~b]
        yield dict(op='conditions_in_order', key='bool', inputs=[a, b], want=[np.asarray(o) for o in order], tol=EXACT)
        yield dict(op='conditions_compared', key='bool', inputs=[a, b], want=[np.stack([*order, a == b, a != b])], tol=EXACT)
    for key in ('f32', 'i8', 'f64'):
        for m, n in ((1, 1), (3, 70), (17, 3), (40, 33), (3, 0), (0, 3)):
            x = rand(rng, (m, n), 'i8', 0, 4).astype(np_dtype(key))
            x[::2] += 1
            x[:, 1::3] += 1
            before = [bool((x[i, :i] > 0).all()) for i in range(m)]
            yield dict(op='least_conditions', key=key, inputs=[x],
                       want=[(x > 0).all(1), (x > 0).all(0), np.array(before, np.int64)],
                       dtypes=['bool']*2 + ['i64'], tol=EXACT)
            before = [bool((x[i, :i] > 3).any()) for i in range(m)]
            turn = np.add.outer(np.arange(m), np.arange(n)) % 2
            in_turns = np.array([bool(((x > 3) & (turn == k)).any()) for k in (0, 1)])
            yield dict(op='greatest_conditions', key=key, inputs=[x],
                       want=[(x > 3).any(1), (x > 3).any(0), np.array(before, np.int64), in_turns],
                       dtypes=['bool']*2 + ['i64', 'bool'], tol=EXACT)
    for key in ('f32', 'i16'):
        for b, n in ((1, 1), (3, 40), (17, 9), (2, 0), (0, 4)):
            x, on = rand(rng, (b, n), 'i8', 0, 4).astype(np_dtype(key)), np.zeros((b, n + 1), bool)
            for t in range(n):
                on[:, t + 1] = (x[:, t] > 2) | (on[:, t] & (x[:, t] >= 1))
            yield dict(op='with_hysteresis', key=key, inputs=[x], want=[np.where(on[:, 1:], x, 0), (on[:, 1:] != on[:, :-1]).sum(1)],
                       dtypes=[key, 'i64'], tol=EXACT)
