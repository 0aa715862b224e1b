"""Shifts by any count, integers of mixed signs, types that only an output has, and extents that only a call compares."""
import numpy as np

from casekit import EXACT, np_dtype, rand, tol, wide

OPS = r'''
ops:
  - op: shifted_by
    types: {T: [i8, i16, i32, i64, u8, u16, u32, u64], N: [i8, u8, i32, i64, u64]}
    in: {X: "T[M]", By: "N[M]"}
    out: {L: "T[M]", R: "T[M]"}
    body: |
      L[m] = shl(X[m], By[m])
      R[m] = shr(X[m], By[m])

  - op: shifted_far
    doc: counts that are the width or more, negative, or run over it
    types: {T: [i8, i16, i32, i64, u8, u16, u32, u64]}
    in: {X: "T[M]"}
    index: {k: 9}
    out: {Y: "T[9, M]", Z: "T[9, M]"}
    body: |
      Y[k,m] = bit_xor(shl(X[m], 32*k - 32), shl(X[m], 256))
      Z[k,m] = bit_xor(shr(X[m], 32*k - 32), shr(X[m], -1)) + shr(X[m], 64)

  - op: signs_of_one_width
    in: {A: "i32[N]", B: "u32[N]"}
    out: {S: "i32[N]", D: "i64[N]", L: "bool[N]", M: "i32[N]", Q: "i64[N]"}
    body: |
      S[n] = A[n] + B[n]
      D[n] = A[n] - B[n]
      L[n] = A[n] < B[n]
      M[n] = max(A[n], B[n])
      Q[n] = cast(A[n], i64) - cast(B[n], i64)

  - op: signs_of_two_widths
    in: {A: "i8[N]", B: "u16[N]"}
    out: {S: "u16[N]", L: "bool[N]", W: "bool[N]", T: "i32[N]"}
    body: |
      S[n] = A[n] + B[n]
      L[n] = A[n] < B[n]
      W[n] = cast(A[n], i32) < cast(B[n], i32)
      T[n] = A[n] - B[n]

  - op: differences_of_bytes
    in: {A: "u8[N]", B: "u8[N]"}
    out: {Y: "u8[N]", Z: "i16[N]", Less: "bool[N]", Wide: "bool[N]"}
    body: |
      Y[n] = A[n] - B[n]
      Z[n] = A[n] - B[n]
      Less[n] = A[n] - B[n] < 0
      Wide[n] = cast(A[n], i32) - cast(B[n], i32) < 0

  - op: only_an_output
    types: {T: [f32], U: [f64]}
    in: {X: "T[N]"}
    out: {Y: "U[N]"}
    body: Y[n] = cast(X[n], U)/3

  - op: product_of_what_fits
    types: {T: [f32]}
    in: {X: "T[M, J]", W: "T[K, N]"}
    out: {Y: "T[M, N]"}
    body: Y = gemm(X, W)

  - op: sum_of_what_fits
    types: {T: [f32]}
    in: {X: "T[M]", Y: "T[N]"}
    out: {Z: "T[N]"}
    body: |
      s = add(X, Y)
      Z[n] = 2*s[n]

  - op: twice_beside
    types: {T: [f32]}
    in: {X: "T[M]", Y: "T[N]"}
    out: {Z: "T[N]", W: "T[N]"}
    body: |
      s = concat(X, X, axis=0)
      t[i] = s[i]
      Z[n] = t[n] + Y[n]
      W = concat(X, X, axis=0)

  - op: part_of_twice
    types: {T: [f32]}
    in: {X: "T[M]"}
    out: {Y: "T[M]", S: "T[]"}
    index: {m: M}
    body: |
      s = concat(X, X, axis=0)
      Y[m] = s[m]
      S[] = sum[i](s[i])

  - op: lowest_bit
    doc: the number of the lowest bit, by a sequence of de Bruijn
    tables:
      P: {type: "u8[32]", values: [0, 1, 28, 2, 29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4, 8, 31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6, 11, 5, 10, 9]}
    in: {X: "u32[*S]"}
    out: {Y: "u8[*S]"}
    body: |
      low[*s] = bit_and(X[*s], neg(X[*s]))
      at[*s] = shr(low[*s]*0x077CB531, 27)
      Y[*s] = P[at[*s]]

  - op: wrapped_code
    doc: a guard of an intermediate that may have wrapped
    types: {U: [i32, u16, u64]}
    in: {X: "U[N]", V: "f32[M]"}
    require: [M >= 1]
    out: {Y: "f32[N]"}
    body: |
      code[n] = shl(X[n], 3)
      at[n] = mirror(code[n], M)
      Y[n] = V[at[n]]

  - op: damm_check
    doc: the state of an automaton, which is its table's index
    tables:
      Q:
        type: "i64[10, 10]"
        values: [[0, 3, 1, 7, 5, 9, 8, 6, 4, 2], [7, 0, 9, 2, 1, 5, 4, 8, 6, 3], [4, 2, 0, 6, 8, 7, 1, 3, 5, 9], [1, 7, 5, 0, 9, 8, 3, 4, 2, 6],
                 [6, 1, 2, 3, 0, 4, 5, 9, 7, 8], [3, 6, 7, 4, 2, 0, 9, 5, 8, 1], [5, 8, 6, 9, 7, 2, 0, 1, 3, 4], [8, 9, 4, 5, 3, 6, 2, 0, 1, 7],
                 [9, 4, 3, 8, 6, 1, 7, 2, 0, 5], [2, 5, 8, 1, 4, 3, 6, 7, 9, 0]]
    in: {X: "u8[*S, N]"}
    out: {Y: "i64[*S]"}
    body: Y[*s] = fold[n](a = 0, Q[a,X[*s,n] % 10])
'''

SHIFTED = ('i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64')


def ends(rng, n, dtype):
    info = np.iinfo(np_dtype(dtype))
    x = rng.integers(info.min, info.max, n, dtype=np_dtype(dtype), endpoint=True)
    x[:4] = [info.min, info.max, 0, 1][:n]
    return x


def shift(x, by, left):
    bits, signed = x.dtype.itemsize*8, x.dtype.kind == 'i'
    out = []
    for v, b in zip(x.tolist(), by):
        inside = 0 <= b < bits
        if left:
            r = (v << b) & ((1 << bits) - 1) if inside else 0
            r -= 1 << bits if signed and r >> (bits - 1) else 0
        else:
            r = v >> b if inside else -(signed and v < 0)
        out.append(r)
    return np.array(out, dtype=x.dtype)


def counts(rng, n, dtype, bits):
    some = [0, 1, bits - 1, bits, bits + 1, 255, 256, 256 + 3, 2**32, 2**32 + 1, -1, -256, -2**32, 2**63, 2**64 - 1]
    info = np.iinfo(np_dtype(dtype))
    fit = [s for s in some if info.min <= s <= info.max]
    return np.array([fit[i % len(fit)] for i in range(n)], dtype=np_dtype(dtype))


def as_int(x, dtype):
    bits, signed = int(dtype[1:]), dtype[0] == 'i'
    flat = [((v + (1 << bits - 1)) % (1 << bits)) - (1 << bits - 1) if signed else v % (1 << bits) for v in x]
    return np.array(flat, dtype=np_dtype(dtype))


DAMM = np.array([[int(c) for c in row] for row in '0317598642 7092154863 4206871359 1750983426 6123045978 3674209581 5869720134 8945362017 9438617205 2581436790'.split()])


def places_from_bits(rng):
    for shape in [(), (1,), (0,), (37,), (3, 5)]:
        x = np.asarray(rng.integers(1, 2**32, shape) >> rng.integers(0, 31, shape) << rng.integers(0, 31, shape)).astype(np.uint32)
        x = np.where(x == 0, np.uint32(1 << 31), x)
        want = [(int(v) & -int(v)).bit_length() - 1 for v in x.reshape(-1)]
        yield dict(op='lowest_bit', key='u32', inputs=[x], want=[np.array(want).reshape(shape)], dtypes=['u8'], tol=EXACT)
    for t in ('i32', 'u16', 'u64'):
        for n, m in ((1, 1), (37, 5), (0, 3), (45, 64)):
            x, v = ends(rng, n, t), rand(rng, (m,), 'f32')
            code = np.array([int(c) for c in x << np.array(3, x.dtype)], dtype=object)
            code = [c - 2**64 if c >= 2**63 else c for c in code]
            at = [c % (2*m) if c % (2*m) < m else 2*m - 1 - c % (2*m) for c in code]
            yield dict(op='wrapped_code', key=t, inputs=[x, v], want=[v[np.array(at, np.int64)]], dtypes=['f32'], tol=EXACT)
    for shape in [(0,), (9,), (3, 17), (2, 0), (2, 2, 33)]:
        x, state = rand(rng, shape, 'u8', 0, 255), np.zeros(shape[:-1], np.int64)
        for k in range(shape[-1]):
            state = DAMM[state, x[..., k] % 10]
        yield dict(op='damm_check', key='u8', inputs=[x], want=[state], dtypes=['i64'], tol=EXACT)


def cases(rng):
    yield from places_from_bits(rng)
    for t in SHIFTED:
        for n in ('i8', 'u8', 'i32', 'i64', 'u64'):
            for m in (1, 45):
                x, by = ends(rng, m, t), counts(rng, m, n, np.dtype(np_dtype(t)).itemsize*8)
                yield dict(op='shifted_by', key=t, inputs=[x, by], dtypes=[t, t], tol=EXACT,
                           want=[shift(x, by.tolist(), True), shift(x, by.tolist(), False)])
        x = ends(rng, 37, t)
        left = [shift(x, [32*k - 32]*37, True) for k in range(9)]
        minus = shift(x, [-1]*37, False)
        right = [(shift(x, [32*k - 32]*37, False) ^ minus) + shift(x, [64]*37, False) for k in range(9)]
        yield dict(op='shifted_far', key=t, inputs=[x], want=[np.array(left), np.array(right)], dtypes=[t, t], tol=EXACT)
    for n in (1, 4, 33):
        a, b = ends(rng, n, 'i32'), ends(rng, n, 'u32')[::-1].copy()
        x, y, z = a.tolist(), b.tolist(), as_int(b.tolist(), 'i32').tolist()
        yield dict(op='signs_of_one_width', key='i32', inputs=[a, b], dtypes=['i32', 'i64', 'bool', 'i32', 'i64'], tol=EXACT,
                   want=[as_int([p + q for p, q in zip(x, y)], 'i32'), np.array([p - q for p, q in zip(x, y)], np.int64),
                         a < np.array(z), np.maximum(a, np.array(z, np.int32)),
                         np.array([p - q for p, q in zip(x, y)], np.int64)])
        a, b = ends(rng, n, 'i8'), ends(rng, n, 'u16')[::-1].copy()
        x, y = a.tolist(), b.tolist()
        yield dict(op='signs_of_two_widths', key='i8', inputs=[a, b], dtypes=['u16', 'bool', 'bool', 'i32'], tol=EXACT,
                   want=[as_int([p + q for p, q in zip(x, y)], 'u16'), a < np.array(as_int(y, 'i16')), np.array(x) < np.array(y),
                         np.array([p - q for p, q in zip(x, y)], np.int32)])
        a, b = ends(rng, n, 'u8'), ends(rng, n, 'u8')[::-1].copy()
        x, y = a.astype(np.int32), b.astype(np.int32)
        yield dict(op='differences_of_bytes', key='u8', inputs=[a, b], dtypes=['u8', 'i16', 'bool', 'bool'], tol=EXACT,
                   want=[(x - y).astype(np.uint8), (x - y).astype(np.int16), np.zeros(n, bool), x < y])
        a = rand(rng, (n,), 'f32')
        yield dict(op='only_an_output', key='f32', inputs=[a], dtypes=['f64'], tol=EXACT, want=[a.astype(np.float64)/3])
    for m, j, k, n in ((2, 3, 3, 5), (17, 16, 16, 33), (2, 3, 4, 5), (2, 4, 3, 5), (2, 0, 3, 5)):
        x, w = rand(rng, (m, j), 'f32'), rand(rng, (k, n), 'f32')
        call = dict(op='product_of_what_fits', key='f32', inputs=[x, w])
        if j == k:
            yield dict(call, want=[wide(x)@wide(w)], tol=tol(acc=2*j + 2, mag=np.abs(wide(x))@np.abs(wide(w))))
        else:
            yield dict(call, error='inner extents differ', out=[('f32', (m, n))])
    for m, n in ((1, 1), (5, 5), (33, 33), (4, 5), (6, 5), (1, 5), (5, 1), (0, 3)):
        x, y = rand(rng, (m,), 'f32'), rand(rng, (n,), 'f32')
        call = dict(op='sum_of_what_fits', key='f32', inputs=[x, y])
        if m == n: yield dict(call, want=[2*(wide(x) + wide(y))], tol=tol(acc=2))
        else: yield dict(call, error='extents differ', out=[('f32', (n,))])
    for m, n in ((1, 2), (5, 10), (17, 34), (5, 9), (5, 11), (5, 5), (40, 3), (3, 40)):
        x, y = rand(rng, (m,), 'f32'), rand(rng, (n,), 'f32')
        call = dict(op='twice_beside', key='f32', inputs=[x, y])
        if 2*m == n:
            twice = np.concatenate([x, x])
            yield dict(call, want=[wide(twice) + wide(y), twice], tol=[tol(acc=2), EXACT])
        else:
            yield dict(call, error='extents differ', out=[('f32', (n,)), ('f32', (n,))])
    for m in (1, 7, 33):
        x = rand(rng, (m,), 'f32')
        yield dict(op='part_of_twice', key='f32', inputs=[x], want=[x, 2*wide(x).sum()],
                   tol=[EXACT, tol(acc=4*m, mag=2*np.abs(wide(x)).sum())])


BAD = [
    dict(why='a pack that the left side does not run over', text='''
ops:
  - op: f
    types: {T: float}
    in: {A: "T[*R]", B: "T[*S]"}
    out: {Y: "T[*S]"}
    body: Y[*s] = «A[*s]» + B[*s]
'''),
    dict(why='the same in an intermediate', text='''
ops:
  - op: f
    types: {T: float}
    in: {A: "T[*R]", B: "T[*S]"}
    out: {Y: "T[*S]"}
    body: |
      a[*s] = «A[*s]»
      Y[*s] = a[*s] + B[*s]
'''),
    dict(why='a part of another pack, rank unknown', text='''
ops:
  - op: f
    types: {T: float}
    in: {A: "T[*R, N]", B: "T[*S]"}
    out: {Y: "T[*S]"}
    body: Y[*s] = B[*s]*sum[n](«A[*s,n]»)
'''),
]
