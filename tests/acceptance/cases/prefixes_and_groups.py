"""Folds over prefixes and suffixes, and groups that need sums which are taken out of them."""
import numpy as np

from casekit import EXACT, rand

OPS = [r'''
ops:
  - op: folded_so_far
    types: {T: [i32, i64, f32, f64]}
    in: {A: "T[N, M]", S: "T[N]"}
    index: {i: N}
    out: {Y: "T[N, M]", Z: "T[N, M]"}
    body: |
      Y[i,j] = fold[q : q < i](h = S[i], (3*h + A[q,j]) % 5)
      Z[i,j] = fold[q : q >= i](h = cast(1, T), (2*h + A[q,j]) % 7)
''', r'''
ops:
  - op: gated_by_sums
    types: {T: [i32, i64, f32, f64], I: index}
    in: {A: "T[N, M]", V: "T[E]", Ptr: "I[P]", W: "T[N]"}
    require: [P == N + 1]
    index: {i: N, j: M, k: N, l: M}
    out: {Y: "T[N, M]"}
    body: |
      a[i,j] = padded(b[i,j - 1], -1) + W[i]
      b[i,j] = clamp(select(sum[k : max(-9, max[l : l < j](W[i])) <= -3](A[k,j]) <= -1, a[i,j], sum[e in Ptr[i] .. Ptr[i + 1]](V[e])), -9, 9)
      Y[i,j] = a[i,j]
''']


def cases(rng):
    for key in ('i32', 'i64', 'f32', 'f64'):
        t = rand(rng, (1,), key).dtype
        for n, m in [(1, 1), (5, 7), (17, 33), (9, 1), (3, 0), (0, 4)]:
            x, s = rng.integers(-4, 5, (n, m)).astype(t), rng.integers(0, 5, n).astype(t)
            y, z = np.zeros((n, m)), np.zeros((n, m))
            for i in range(n):
                y[i], z[i] = s[i], 1
                for q in range(n):
                    if q < i:
                        y[i] = (3*y[i] + x[q]) % 5
                    else:
                        z[i] = (2*z[i] + x[q]) % 7
            yield dict(op='folded_so_far', key=key, inputs=[x, s], want=[y, z], tol=EXACT)
            v, w = rng.integers(-4, 5, 3*n).astype(t), rng.integers(-9, 9, n).astype(t)
            ptr = np.sort(rng.integers(0, 3*n + 1, n + 1))
            y = np.zeros((n, m))
            for i in range(n):
                b = -1
                for j in range(m):
                    y[i, j] = b + w[i]
                    gate = x[:, j].sum() if max(-9, w[i] if j else -9) <= -3 else 0
                    b = min(max(y[i, j] if gate <= -1 else v[ptr[i]:ptr[i + 1]].sum(), -9), 9)
            yield dict(op='gated_by_sums', key=key, inputs=[x, v, ptr.astype(np.int32), w], want=[y], tol=EXACT)
