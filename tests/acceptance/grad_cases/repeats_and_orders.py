"""Gradients beside checks: rows that a call may repeat next to places from data, C templates of tensors in another order."""
import numpy as np

from casekit import rand

OPS = r'''
ops:
  - op: repeated_gather
    types: {T: float}
    in: {X: "T[~M, N]", I: "i64[M]"}
    out: {Y: "T[M, N]"}
    body: Y[m,n] = X[m,wrap(I[m], N)]*X[m,n]

  - op: repeated_scatter
    types: {T: float}
    in: {X: "T[~M, ~N]", I: "i64[M]", W: "T[N]"}
    out: {Y: "T[4, N]"}
    body: |
      Y[wrap(I[m], 4),n] += X[m,n]*W[n] where I[m] != 2

  - op: repeated_packs
    types: {T: float}
    in: {X: "T[~*S]", W: "T[~*S]", I: "i64[*S]"}
    out: {Y: "T[4]", Z: "T[*S]"}
    body: |
      Y[wrap(I[*s], 4)] += X[*s]*W[*s]
      Z[*s] = X[*s]*I[*s]

  - op: sorted_columns
    types: {T: float}
    attrs: {swapped: bool = false}
    in: {X: "T[M, N]"}
    storage: {X: {if: swapped, as: [N, M]}}
    out: {Y: "T[M, N]"}
    body: |
      s, at = sort(X, axis=0)
      Y[m,n] = s[m,n]*X[m,n]

  - op: sorted_factor
    doc: the matrix of a product is read with strides
    types: {T: float}
    in: {X: "T[N, N]", W: "T[N]"}
    require: [N >= 1]
    out: {Y: "T[N]"}
    body: |
      s, at = sort(X, axis=0)
      Y[i] = sum[j](X[i,j]*W[j]) + s[i,0]
'''


OPS = ['ops:\n  - op: ' + text for text in OPS.split('  - op: ')[1:]]  # a library each


def cases(rng):
    for key in ('f64', 'f32'):
        def r(*shape):
            return rand(rng, shape, key)

        def below(n, *shape):
            return rng.integers(0, n, shape).astype(np.int64)

        def case(op, inputs, *shapes, **attrs):
            return dict(op=op, key=key, inputs=inputs, attrs=attrs, want=[np.zeros(s) for s in shapes], dtypes=[key] * len(shapes))

        for m, n in ((5, 3), (1, 3), (17, 1)):
            for rows in {1, m}:
                yield case('repeated_gather', [r(rows, n), below(n, m)], (m, n))
                for columns in {1, n}:
                    yield case('repeated_scatter', [r(rows, columns), below(4, m), r(n)], (4, n))
        for x, w, s in (((3,), (2, 3), (2, 3)), ((2, 1), (3,), (2, 3)), ((2, 3), (2, 3), (2, 3)), ((1, 3, 1), (2, 1, 4), (2, 3, 4))):
            yield case('repeated_packs', [r(*x), r(*w), below(4, *s)], (4,), s)
        yield case('sorted_columns', [r(5, 3)], (5, 3))
        yield case('sorted_columns', [r(3, 5)], (5, 3), swapped=True)
        yield case('sorted_factor', [r(7, 7), r(7)], (7,))
