"""Places that are remainders: of a size and of a derived one, which may be 0 where something is still to be read."""
import numpy as np

from casekit import EXACT, rand, tol

OPS = r'''
ops:
  - op: turned
    types: {T: real}
    in: {A: "T[M]", B: "T[N]"}
    out: {Y: "T[N]"}
    body: |
      Y[n] = A[(n + 5) % M] + B[n]

  - op: turned_pairs
    types: {T: real}
    in: {A: "T[M]", B: "T[N]"}
    let: {O: M//2}
    index: {o: O}
    out: {Y: "T[N]"}
    body: |
      pair[o] = A[2*o] + A[2*o + 1]
      Y[n] = pair[(2*n + 1) % O] + B[n]

  - op: in_turns
    types: {T: number}
    in: {A: "T[2, M]", B: "T[4, N]"}
    let: {O: 2*M - 1}
    require: [M >= 1, 4*N >= 3, O <= 4*N - 3]
    out: {Y: "T[O]"}
    body: |
      Y[o] = A[o % 2, o // 2] + B[o % 4, o // 4]
'''


def cases(rng):
    # elements of two and of four runs in turns, which do not divide the extent
    for key in ('f32', 'f64', 'u8', 'c64'):
        for m, n in [(1, 1), (3, 2), (8, 5), (17, 9), (40, 21), (65, 33)]:
            a, b, o = rand(rng, (2, m), key, 0, 99), rand(rng, (4, n), key, 0, 99), np.arange(2*m - 1)
            yield dict(op='in_turns', key=key, inputs=[a, b], want=[a[o % 2, o // 2] + b[o % 4, o // 4]], tol=EXACT)
    for key in ('f32', 'i32'):
        for m, n in [(0, 0), (0, 3), (1, 0), (1, 3), (2, 17), (9, 33), (33, 5)]:
            a, b, i = rand(rng, (m,), key, -9, 9), rand(rng, (n,), key, -9, 9), np.arange(n)
            pair = a[:m//2*2:2] + a[1::2]
            for op, of, at in [('turned', a, i + 5), ('turned_pairs', pair, 2*i + 1)]:
                if n and not len(of):
                    yield dict(op=op, key=key, inputs=[a, b], out=[(key, (n,))], error='a remainder of 0')
                else:
                    yield dict(op=op, key=key, inputs=[a, b], want=[of[at % max(len(of), 1)] + b if n else b], tol=EXACT if key == 'i32' else tol(acc=2, mag=27))
