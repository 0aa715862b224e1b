"""Short rows, which are computed several at a time: with results that later statements read, of one row or of another, and with dims between
the rows and their elements."""
import numpy as np

from casekit import EXACT, tol, wide

OPS = r'''
ops:
  - op: softmax_and_what_it_took
    types: {T: [f32, f64]}
    in: {X: "T[R, N]"}
    out: {Y: "T[R, N]", M: "T[R]", S: "T[R]"}
    body: |
      M[i] = max[j](X[i,j])
      S[i] = sum[j](exp(X[i,j] - M[i]))
      Y[i,j] = exp(X[i,j] - M[i])/S[i]
  - op: log_sum_and_place
    types: {T: [f32, f64]}
    in: {X: "T[R, N]"}
    require: [N >= 1]
    out: {L: "T[R, 1]", M: "T[R, 1]", A: "i64[R]"}
    body: |
      M[i,o] = max[j](X[i,j])
      A[i] = argmax[j](X[i,j])
      L[i,o] = log(sum[j](exp(X[i,j] - M[i,o]))) + M[i,o]
  - op: softmax_behind_one
    types: {T: [f32, f64]}
    in: {X: "T[R, 1, N]"}
    out: {Y: "T[R, 1, N]"}
    body: |
      S[i] = sum[j](exp(X[i,0,j]))
      Y[i,o,j] = exp(X[i,o,j])/S[i]
  - op: scaled_by_other_rows
    types: {T: [f32, f64]}
    in: {X: "T[R, N]"}
    require: [N <= R]
    out: {Y: "T[R, N]"}
    body: |
      S[i] = sum[j](exp(X[i,j]))
      Y[i,j] = exp(X[i,j])*S[j]
  - op: softmax_from_first
    types: {T: [f32, f64]}
    in: {X: "T[R, N]", W: "T[R, 5]"}
    require: [N >= 1]
    out: {Y: "T[R, N]"}
    body: |
      S[i] = sum[j](exp(X[i,j] - X[i,0]))
      Y[i,j] = exp(X[i,j] - X[i,0])/S[i] + W[i,3]
'''


def cases(rng):
    for key, dtype in (('f32', 'f4'), ('f64', 'f8')):
        t = tol(ulp=64, acc=32, mag=4.0)
        for r, n in ((50, 3), (33, 9), (64, 15), (40, 31), (3, 100), (32, 1)):
            x, w = rng.uniform(-1, 1, (r, n)).astype(dtype), rng.uniform(-1, 1, (r, 5)).astype(dtype)
            v, most = wide(x), wide(x).max(1)
            e = np.exp(v)
            sums, soft = e.sum(1), e/e.sum(1, keepdims=True)
            yield dict(op='softmax_and_what_it_took', key=key, inputs=[x], want=[soft, most, sums/np.exp(most)], tol=t)
            yield dict(op='log_sum_and_place', key=key, inputs=[x], want=[np.log(sums)[:, None], most[:, None], v.argmax(1)],
                       dtypes=[key, key, 'i64'], tol=[t, t, EXACT])
            yield dict(op='softmax_behind_one', key=key, inputs=[x[:, None]], want=[soft[:, None]], tol=t)
            yield dict(op='softmax_from_first', key=key, inputs=[x, w], want=[soft + wide(w)[:, 3:4]], tol=t)
            if n <= r:
                yield dict(op='scaled_by_other_rows', key=key, inputs=[x], want=[e*sums[:n]], tol=tol(ulp=64, acc=64, mag=200.0))
