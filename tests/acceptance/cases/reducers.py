"""Reductions by bits, in order, with their place; ranges from data; updates under a condition; limits of types; complex functions; arguments that are computed."""
import numpy as np

from casekit import EXACT, available, rand, tol, wide

OPS = [r'''
ops:
  - op: combined_bits
    types: {I: [u8, i16, u32, i64]}
    in: {X: "I[N]", K: "i32[N]", S: "I[]"}
    out: {A: "I[3]", B: "I[3]", C: "I[3]"}
    body: |
      A[wrap(K[n], 3)] bit_xor= X[n]
      B[wrap(K[n], 3)] bit_or= X[n] where X[n] > S[]
      C[wrap(K[n], 3)] bit_and= X[n]
''', r'''
ops:
  - op: horner
    types: {T: [f32, f64, i32]}
    in: {C: "T[P, N]", X: "T[M]"}
    out: {Y: "T[P, M]", Z: "T[P, M]"}
    body: |
      Y[p,m] = fold[k](a = cast(0, T), a*X[m] + C[p,k])
      Z[p,m] = fold[k : C[p,k] > 0](a = 1, max(a, C[p,k]) + 1)
''', r'''
ops:
  - op: ragged
    types: {T: [f32, i8, i32], I: index}
    in: {Ptr: "I[P]", V: "T[E]"}
    let: {M: P - 1}
    require: [P >= 1]
    out: {S: "T[M]", A: "T[M]", H: "i64[M]", B: "T[E]"}
    body: |
      S[m] = sum[e in Ptr[m] .. Ptr[m + 1] : V[e] > 0](V[e])
      A[m] = max[e in Ptr[m] .. Ptr[m + 1]](V[e])
      H[m] = fold[e in Ptr[m] .. Ptr[m + 1]](a = cast(7, i64), a*31 + cast(V[e], i64))
      B[e] = V[e]*0
      B[e] += cast(m, T)*0 + 1 where e in Ptr[m] .. Ptr[m + 1]
''', r'''
ops:
  - op: several_ranges
    types: {T: [f32, f64, i32]}
    in: {P: "i64[M]", Q: "i64[M]", V: "T[E]"}
    out: {A: "T[M]", B: "T[M]", C: "T[M]", D: "T[M]"}
    body: |
      A[m] = sum[e in 0 .. P[m]](V[e])
      B[m] = sum[e in P[m] .. Q[m]](V[e])
      C[m] = sum[e](V[e])
      D[m] = max[e : e >= P[m] and e <= Q[m]](V[e])
''', r'''
ops:
  - op: least_and_place
    types: {T: [f32, u8, i64]}
    in: {X: "T[M, N]", C: "bool[N]"}
    out: {V: "T[M]", I: "i64[M]"}
    body: |
      V[m], I[m] = min_at[n : C[n]](X[m,n])
''', r'''
ops:
  - op: limits
    types: {T: [i8, u8, i16, u32, f32, f64, f16, bf16]}
    in: {X: "T[N]"}
    out: {L: "T[N]", H: "T[N]"}
    body: |
      L[n] = lowest(T)
      H[n] = highest(T)
''', r'''
ops:
  - op: complex_functions
    types: {T: complex}
    in: {X: "T[N]", W: "T[N]"}
    out: {A: "T[N]", B: "T[N]", C: "T[N]", D: "T[N]", E: "T[N]", F: "T[N]"}
    body: |
      A[n] = exp(X[n])
      B[n] = log(X[n])
      C[n] = sqrt(X[n])
      D[n] = sin(X[n])
      E[n] = cos(X[n])
      F[n] = pow(X[n], W[n])
''', r'''
ops:
  - op: computed_arguments
    types: {T: [f32, f64]}
    attrs: {by: float = 2}
    in: {X: "T[M, N]", Z: "T[M, N]"}
    out: {Y: "T[M, N]"}
    body: |
      a = softmax(by*X + max(Z, 0), axis=-1)
      Y = relu(a - 0.25)
''', r'''
ops:
  - op: chosen_taps
    types: {T: [f32, f64]}
    attrs: {taps: "float[4]", at: "int[2] = 1"}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = sum[k](taps[k]*padded(X[n - k], 0)) + cast(sum[j](at[j]), T)
''', r'''
ops:
  - op: middle_of_blocks
    types: {T: any}
    in: {X: "T[(H 4), W]"}
    out: {Y: "T[H, W]", Z: "T[H, W]"}
    body: |
      Y[h,w] = X[4*h + 2,w]
      Z[h,w] = X[(h 3),w]
''']

BAD = [
    dict(why='max_at alone', text='''ops:
  - op: wrong
    types: {T: real}
    in: {X: "T[N]"}
    out: {Y: "T[]"}
    body: Y[] = «max_at[n](X[n])»
'''),
    dict(why='a variable of two sizes', text='''ops:
  - op: wrong
    types: {T: real}
    in: {X: "T[N]", Z: "T[M]"}
    out: {Y: "T[N]"}
    body: Y[i] = X[i] + Z[«i»]
'''),
    dict(why='a list that is shorter', text='''ops:
  - op: wrong
    types: {T: real}
    attrs: {taps: "float[4]"}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[i] = X[i]*taps[«i»]
'''),
]


def cases(rng):
    for key in ('u8', 'i16', 'u32', 'i64'):
        for n in (0, 1, 17, 100):
            x, k, s = rand(rng, (n,), key, 0, 100), rng.integers(-3, 3, n).astype(np.int32), rand(rng, (), key, 40, 60)
            a, b, c = np.zeros(3, x.dtype), np.zeros(3, x.dtype), np.full(3, -1).astype(x.dtype)
            for v, i in zip(x, k):
                a[i] ^= v
                b[i] |= v if v > s else 0
                c[i] &= v
            yield dict(op='combined_bits', key=key, inputs=[x, k, np.asarray(s)], want=[a, b, c], tol=EXACT)
    for key in ('f32', 'f64', 'i32'):
        for p, n, m in [(1, 1, 1), (3, 7, 17), (2, 0, 33), (0, 3, 2)]:
            c, x = rand(rng, (p, n), key, -1, 1), rand(rng, (m,), key, -1, 1)
            y, z = np.zeros((p, m)), np.ones((p, m))
            for k in range(n):
                y = y * wide(x) + wide(c)[:, k:k + 1]
                z = np.where(c[:, k:k + 1] > 0, np.maximum(z, wide(c)[:, k:k + 1]) + 1, z)
            yield dict(op='horner', key=key, inputs=[c, x], want=[y, z], tol=EXACT if key == 'i32' else tol(ulp=4, acc=40, mag=10.0))
    for key in ('f32', 'i8', 'i32'):
        for m, e in [(1, 1), (5, 40), (33, 70), (3, 0), (0, 4)]:
            for t in (np.int32, np.int64):
                v = rand(rng, (e,), key)
                ptr = np.sort(rng.integers(0, e + 1, m + 1)).astype(t)
                if m == 5:
                    ptr[2], ptr[3] = 20, 11  # an end before its beginning
                rows = [np.arange(ptr[i], ptr[i + 1]) for i in range(m)]
                w = wide(v)
                s = np.array([w[r][w[r] > 0].sum() for r in rows])
                low = -np.inf if key == 'f32' else np.iinfo(v.dtype).min
                a = np.array([w[r].max() if len(r) else low for r in rows])
                h = []
                for r in rows:
                    q = 7
                    for i in r:
                        q = q * 31 + int(np.trunc(w[i]))
                    h.append((q + 2**63) % 2**64 - 2**63)
                b = np.zeros(e)
                for r in rows:
                    b[r] += 1
                yield dict(op='ragged', key=key, inputs=[ptr, v], want=[s.astype(v.dtype), a.astype(v.dtype), np.array(h, np.int64).reshape(m), b.astype(v.dtype)],
                           dtypes=[key, key, 'i64', key], tol=[tol(ulp=4, acc=80, mag=80.0) if key == 'f32' else EXACT, tol() if key == 'f32' else EXACT, EXACT, tol() if key == 'f32' else EXACT])
        yield dict(op='ragged', key=key, inputs=[np.array([0, 9], np.int64), rand(rng, (4,), key)], error='an end outside', out=[(key, (1,)), (key, (1,)), ('i64', (1,)), (key, (4,))])
    for key in ('f32', 'f64', 'i32'):
        for m, e in [(1, 1), (5, 40), (33, 70), (3, 0), (0, 4)]:
            v = rand(rng, (e,), key)
            p, q = (rng.integers(0, e + 1, m).astype(np.int64) for _ in range(2))
            w = wide(v)
            low = np.iinfo(np.int32).min if key == 'i32' else -np.inf
            rows = [[w[:p[i]].sum(), w[p[i]:q[i]].sum(), w.sum(), w[p[i]:q[i] + 1].max(initial=low)] for i in range(m)]
            want = np.array(rows).reshape(m, 4).T
            yield dict(op='several_ranges', key=key, inputs=[p, q, v], want=[r.astype(v.dtype) if key == 'i32' else r for r in want],
                       tol=EXACT if key == 'i32' else tol(ulp=4, acc=150, mag=100.0))
    for key in ('f32', 'u8', 'i64'):
        for m, n in [(1, 1), (3, 17), (0, 3), (5, 33)]:
            x, c = rand(rng, (m, n), key), rng.random(n) < 0.5
            c[-1] = True
            at = np.nonzero(c)[0]
            i = at[np.argmin(x[:, c], 1)] if m else np.zeros(0, np.int64)
            yield dict(op='least_and_place', key=key, inputs=[x, c], want=[x[np.arange(m), i], i], dtypes=[key, 'i64'], tol=EXACT)
        yield dict(op='least_and_place', key=key, inputs=[rand(rng, (2, 3), key), np.zeros(3, bool)], error='nothing kept', out=[(key, (2,)), ('i64', (2,))])
    for key, low, high in (('i8', -128, 127), ('u8', 0, 255), ('i16', -2**15, 2**15 - 1), ('u32', 0, 2**32 - 1), ('f32', -np.finfo('f4').max, np.finfo('f4').max),
                           ('f64', -np.finfo('f8').max, np.finfo('f8').max), ('f16', -65504, 65504)):
        x = rand(rng, (5,), key)
        yield dict(op='limits', key=key, inputs=[x], want=[np.full(5, low).astype(x.dtype), np.full(5, high).astype(x.dtype)], tol=EXACT)
    for key in ('c64', 'c128'):
        for n in (1, 17, 33, 0):
            x, w = rand(rng, (n,), key), rand(rng, (n,), key)
            z, v = wide(x), wide(w)
            p = np.exp(v * np.log(z)) if n else z
            yield dict(op='complex_functions', key=key, inputs=[x, w], want=[np.exp(z), np.log(z), np.sqrt(z), np.sin(z), np.cos(z), p],
                       tol=tol(ulp=8, mid=20, mag=60.0))
    for key in ('f32', 'f64'):
        for m, n in [(1, 1), (3, 17), (5, 33), (2, 0)]:
            x, z = rand(rng, (m, n), key), rand(rng, (m, n), key)
            e = np.exp(3 * wide(x) + np.maximum(wide(z), 0))
            yield dict(op='computed_arguments', key=key, inputs=[x, z], attrs={'by': 3.0}, want=[np.maximum(e / e.sum(1, keepdims=True) - 0.25, 0)], tol=tol(ulp=4, acc=60, mid=4, mag=1.0))
        for n in (1, 3, 17, 0):
            x = rand(rng, (n,), key)
            taps = [0.5, 0.25, -1.0, 2.0]
            y = np.convolve(wide(x), taps)[:n] + 7 if n else np.zeros(0)
            yield dict(op='chosen_taps', key=key, inputs=[x], attrs={'taps': taps, 'at': [3, 4]}, want=[y], tol=tol(ulp=2, acc=10, mag=12.0))
    for key in available('f32', 'i8', 'c64'):
        for h, w in [(1, 1), (3, 17), (5, 0), (0, 3)]:
            x = rand(rng, (4 * h, w), key)
            yield dict(op='middle_of_blocks', key=key, inputs=[x], want=[x[2::4], x[3::4]], tol=EXACT)
