"""Integers, bits, and quantised arithmetic."""
import numpy as np

from casekit import EXACT, available, np_dtype, rand, tol, wide

OPS = r'''
fn:
  sat8(x): min(max(x, -128), 127)
  satu8(x): min(max(x, 0), 255)

ops:
  - op: low_bit_copies
    doc: numbers as the small types would store them
    types: {T: [f16, bf16, f32, f64]}
    in: {X: "T[N]"}
    out: {A: "T[N]", B: "T[N]", C: "T[N]", D: "i32[N]", E: "i32[N]", F: "T[N]"}
    body: |
      A[n] = cast(cast(X[n], f8e4m3fn), T)
      B[n] = cast(cast(X[n], f8e5m2), T)
      C[n] = cast(cast(X[n], f4e2m1), T)
      D[n] = cast(cast(X[n], i4), i32)
      E[n] = cast(cast(X[n], u4), i32) + cast(cast(n, i2), i32)
      F[n] = X[n] - cast(cast(X[n], f8e4m3fn), T)

  - op: sat_add8
    in: {A: "i8[~*S]", B: "i8[~*S]"}
    out: {Y: "i8[*S]"}
    body: Y[*s] = cast(sat8(cast(A[*s], i32) + cast(B[*s], i32)), i8)

  - op: sat_sub_u
    types: {T: uint}
    in: {A: "T[*S]", B: "T[*S]"}
    out: {Y: "T[*S]"}
    body: Y[*s] = select(A[*s] > B[*s], A[*s] - B[*s], 0)

  - op: sat_add
    doc: signed addition that saturates, by signs
    in: {A: "i32[*S]", B: "i32[*S]"}
    out: {Y: "i32[*S]"}
    body: |
      s[*s] = A[*s] + B[*s]
      o[*s] = bit_and(bit_xor(A[*s], s[*s]), bit_xor(B[*s], s[*s])) < 0
      Y[*s] = select(o[*s], select(A[*s] < 0, -2147483648, 2147483647), s[*s])

  - op: halving_add
    types: {T: [u8, u16, u32, u64]}
    in: {A: "T[*S]", B: "T[*S]"}
    out: {Y: "T[*S]"}
    body: Y[*s] = bit_and(A[*s], B[*s]) + shr(bit_xor(A[*s], B[*s]), 1)

  - op: unpack_nibbles
    doc: two signed 4-bit values a byte, low one first
    in: {X: "u8[*P, N]"}
    out: {Y: "i8[*P, (N 2)]"}
    index: {k: 2}
    body: |
      u[*p,n,k] = cast(bit_and(shr(X[*p,n], 4*k), 15), i8)
      Y[*p,(n k)] = u[*p,n,k] - select(u[*p,n,k] >= 8, 16, 0)

  - op: pack_bits
    doc: numpy.packbits, big end first
    in: {X: "bool[*P, (N 8)]"}
    out: {Y: "u8[*P, N]"}
    body: Y[*p,n] = sum[k](shl(cast(X[*p,(n k)], u8), 7 - k))

  - op: unpack_bits
    in: {X: "u8[*P, N]"}
    out: {Y: "bool[*P, (N 8)]"}
    index: {k: 8}
    body: Y[*p,(n k)] = bit_and(shr(X[*p,n], 7 - k), 1) != 0

  - op: hamming
    doc: distances of binary codes
    types: {T: uint}
    in: {A: "T[M, K]", B: "T[N, K]"}
    out: {Y: "i64[M, N]"}
    body: Y[m,n] = sum[k](cast(popcount(bit_xor(A[m,k], B[n,k])), i64))

  - op: gray_code
    types: {T: uint}
    in: {X: "T[*S]"}
    out: {Y: "T[*S]"}
    body: Y[*s] = bit_xor(X[*s], shr(X[*s], 1))

  - op: rotate_left
    types: {T: [u32, u64]}
    attrs: {by: int = 1, width: int = 32}
    in: {X: "T[*S]"}
    require: [by >= 1, by < width]
    out: {Y: "T[*S]"}
    body: Y[*s] = bit_or(shl(X[*s], by), shr(X[*s], width - by))

  - op: bit_reverse8
    in: {X: "u8[*S]"}
    out: {Y: "u8[*S]"}
    index: {k: 8}
    body: Y[*s] = sum[k](shl(bit_and(shr(X[*s], k), 1), 7 - k))

  - op: bit_length
    types: {T: [u8, u16, u32, u64]}
    attrs: {width: int}
    in: {X: "T[*S]"}
    out: {Y: "i32[*S]"}
    body: Y[*s] = width - cast(clz(X[*s]), i32)

  - op: xorshift32
    in: {X: "u32[*S]"}
    out: {Y: "u32[*S]"}
    body: |
      a[*s] = bit_xor(X[*s], shl(X[*s], 13))
      b[*s] = bit_xor(a[*s], shr(a[*s], 17))
      Y[*s] = bit_xor(b[*s], shl(b[*s], 5))

  - op: murmur_mix
    in: {X: "u32[*S]"}
    out: {Y: "u32[*S]"}
    body: |
      a[*s] = bit_xor(X[*s], shr(X[*s], 16))*0x85ebca6b
      b[*s] = bit_xor(a[*s], shr(a[*s], 13))*0xc2b2ae35
      Y[*s] = bit_xor(b[*s], shr(b[*s], 16))

  - op: float_parts
    doc: exponent and sign of f32 by its bits
    in: {X: "f32[*S]"}
    out: {E: "i32[*S]", S: "bool[*S]"}
    body: |
      E[*s] = cast(bit_and(shr(bits(X[*s], u32), 23), 255), i32) - 127
      S[*s] = shr(bits(X[*s], u32), 31) == 1

  - op: next_half
    doc: the next element of 16 bits away from 0, an order of all of them, and elements of given bits
    types: {T: [f16, bf16]}
    in: {X: "T[*S]", U: "u16[*S]"}
    out: {Y: "T[*S]", K: "u16[*S]", Z: "T[*S]", D: "i32[*S]"}
    body: |
      b[*s] = bits(X[*s], i16)
      Y[*s] = bits(b[*s] + 1, T)
      K[*s] = select(b[*s] < 0, bit_not(bits(X[*s], u16)), bit_or(bits(X[*s], u16), 0x8000))
      Z[*s] = bits(U[*s], T)
      D[*s] = cast(bits(cast(3*X[*s], T), i16), i32) - cast(b[*s], i32)

  - op: quantize_channels
    types: {T: float}
    attrs: {axis: int = 1}
    in: {X: "T[*P, D@axis, *Q]", S: "T[D]", Z: "i8[D]"}
    out: {Y: "i8[*P, D, *Q]"}
    body: Y[*p,d,*q] = cast(min(max(round(X[*p,d,*q]/S[d]) + cast(Z[d], T), -128), 127), i8)

  - op: dynamic_quantize
    doc: asymmetric 8-bit quantisation by the range of the data
    in: {X: "f32[*S]"}
    out: {Y: "u8[*S]", S: "f32[]", Z: "u8[]"}
    body: |
      hi[] = max(max[*s](X[*s]), 0)
      lo[] = min(min[*s](X[*s]), 0)
      S[] = (hi[] - lo[])/255
      Z[] = cast(round(satu8(-lo[]/S[])), u8)
      Y[*s] = cast(satu8(round(X[*s]/S[]) + cast(Z[], f32)), u8)

  - op: requantize
    doc: 32-bit sums to 8 bits by a fixed-point multiplier and a rounding shift (gemmlowp)
    attrs: {multiplier: i32, shift: int, zero: int = 0}
    in: {X: "i32[*S]"}
    require: [shift >= 0, shift < 31]
    out: {Y: "i8[*S]"}
    body: |
      p[*s] = shr(cast(X[*s], i64)*multiplier + shl(cast(1, i64), 30), 31)
      r[*s] = shr(p[*s] + shr(shl(cast(1, i64), shift), 1), shift)
      Y[*s] = cast(min(max(r[*s] + zero, -128), 127), i8)

  - op: qmatmul
    doc: 8-bit product with zero points, per-column scales, saturated
    in:
      A: u8[M, K]
      B: i8[K, N]
      za: u8[]
      s: f32[N]
      bias?: i32[N]
    out: {Y: "i8[M, N]"}
    body: |
      c[m,n] = sum[k]((cast(A[m,k], i32) - cast(za[], i32))*cast(B[k,n], i32)) + opt(bias[n], 0)
      Y[m,n] = cast(sat8(round(cast(c[m,n], f32)*s[n])), i8)

  - op: floor_pair
    types: {T: [int, uint]}
    in: {A: "T[*S]", B: "T[*S]"}
    out: {Q: "T[*S]", R: "T[*S]"}
    body: |
      Q[*s] = A[*s]//B[*s]
      R[*s] = A[*s] % B[*s]

  - op: morton2
    doc: interleaved bits of two 16-bit coordinates
    in: {X: "u16[*S]", Y: "u16[*S]"}
    out: {Z: "u32[*S]"}
    index: {k: 16}
    body: |
      Z[*s] = sum[k](bit_or(shl(cast(bit_and(shr(X[*s], k), 1), u32), 2*k), shl(cast(bit_and(shr(Y[*s], k), 1), u32), 2*k + 1)))

  - op: parity
    types: {T: uint}
    in: {X: "T[*P, N]"}
    out: {Y: "bool[*P]"}
    body: Y[*p] = sum[n](cast(popcount(X[*p,n]), i64)) % 2 == 1

  - op: majority
    doc: more than half of a row are true
    in: {X: "bool[*P, N]"}
    out: {Y: "bool[*P]", A: "bool[*P]", O: "bool[*P]"}
    body: |
      Y[*p] = 2*sum[n](cast(X[*p,n], i64)) > N
      A[*p] = all[n](X[*p,n])
      O[*p] = any[n](X[*p,n])

  - op: isclose
    types: {T: float}
    attrs: {rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = false}
    in: {A: "T[~*S]", B: "T[~*S]"}
    out: {Y: "bool[*S]"}
    body: |
      near[*s] = isfinite(A[*s]) and isfinite(B[*s]) and abs(A[*s] - B[*s]) <= atol + rtol*abs(B[*s])
      Y[*s] = A[*s] == B[*s] or near[*s] or (equal_nan and isnan(A[*s]) and isnan(B[*s]))

  - op: to_int_saturating
    types: {T: float}
    in: {X: "T[*S]"}
    out: {A: "i8[*S]", B: "u16[*S]", C: "i32[*S]", D: "i64[*S]", E: "u64[*S]"}
    body: |
      A[*s] = cast(X[*s], i8)
      B[*s] = cast(X[*s], u16)
      C[*s] = cast(X[*s], i32)
      D[*s] = cast(X[*s], i64)
      E[*s] = cast(X[*s], u64)
'''

SHAPES = [(), (1,), (17,), (3, 33), (2, 0)]


def bits_of(key):
    return int(key[1:])


def wide_ints(rng, shape, key):
    """Integers over the full range of a type, its ends among them."""
    info = np.iinfo(rand(rng, (1,), key).dtype)
    x = rng.integers(info.min, info.max, shape, endpoint=True, dtype=info.dtype)
    flat = x.reshape(-1)
    for k, v in enumerate([info.min, info.max, 0, 1][:flat.size]):
        flat[k] = v
    return x


def floor_div(a, b):
    return wrap_to([int(p) // int(q) for p, q in zip(a.reshape(-1), b.reshape(-1))], a)


def floor_mod(a, b):
    return wrap_to([int(p) % int(q) for p, q in zip(a.reshape(-1), b.reshape(-1))], a)


def wrap_to(values, like):
    """Integers of any size as elements of a type, modulo its range."""
    n = 8 * like.itemsize
    u = np.array([v % 2**n for v in values], dtype=f'u{like.itemsize}')
    return u.view(like.dtype).reshape(like.shape)


def saturate(x, t):
    info = np.iinfo(t)

    def one(v):
        v = float(v)
        return 0 if v != v else info.max if v >= float(info.max) else info.min if v <= float(info.min) else int(v)
    return np.array([one(v) for v in np.asarray(x).reshape(-1)], dtype=t).reshape(np.shape(x))


def cases(rng):
    for key in available('f16', 'bf16', 'f32', 'f64'):
        x = np.array([1.0625, 1.1875, 9, 17, -3]*7).astype(np_dtype(key))
        a, b, c, d = [1, 1.25, 9, 16, -3], [1, 1.25, 8, 16, -3], [1, 1, 6, 6, -3], [1, 1, -7, 1, -3]
        e = np.tile([1, 1, 9, 1, 13], 7) + np.array([0, 1, -2, -1])[np.arange(35) % 4]
        yield dict(op='low_bit_copies', key=key, inputs=[x], want=[*(np.tile(v, 7) for v in (a, b, c, d)), e, wide(x) - np.tile(a, 7)],
                   dtypes=[key, key, key, 'i32', 'i32', key], tol=EXACT)
    for sa, sb in [((17,), (17,)), ((3, 1), (33,)), ((), (5,)), ((0, 2), (1, 2))]:
        a, b = wide_ints(rng, sa, 'i8'), wide_ints(rng, sb, 'i8')
        yield dict(op='sat_add8', key='i8', inputs=[a, b], want=[np.clip(wide(a) + wide(b), -128, 127)], tol=EXACT)
    for s in SHAPES:
        for key in ('u8', 'u16', 'u32', 'u64'):
            a, b = wide_ints(rng, s, key), wide_ints(rng, s, key)[..., ::-1].copy() if s else wide_ints(rng, s, key)
            yield dict(op='sat_sub_u', key=key, inputs=[a, b], want=[np.where(a > b, a - b, 0)], tol=EXACT)
            yield dict(op='halving_add', key=key, inputs=[a, b],
                       want=[((a.astype(object) + b.astype(object)) // 2).astype(a.dtype) if s else np.array((int(a) + int(b)) // 2, a.dtype)],
                           tol=EXACT)
            yield dict(op='gray_code', key=key, inputs=[a], want=[a ^ (a >> a.dtype.type(1))], tol=EXACT)
            width = bits_of(key)
            yield dict(op='bit_length', key=key, inputs=[a], attrs={'width': width},
                       want=[np.vectorize(lambda v: int(v).bit_length(), otypes=[np.int32])(a)], dtypes=['i32'], tol=EXACT)
            if width >= 32:
                for by in (1, 13, width - 1):
                    yield dict(op='rotate_left', key=key, inputs=[a], attrs={'by': by, 'width': width},
                               want=[(a << a.dtype.type(by)) | (a >> a.dtype.type(width - by))], tol=EXACT)
            if s:
                yield dict(op='parity', key=key, inputs=[a],
                           want=[np.vectorize(lambda v: bin(int(v)).count('1'), otypes=[np.int64])(a).sum(-1) % 2 == 1], dtypes=['bool'], tol=EXACT)
        a, b = wide_ints(rng, s, 'i32'), wide_ints(rng, s, 'i32')
        b = b[..., ::-1].copy() if s else b
        yield dict(op='sat_add', key='i32', inputs=[a, b], want=[np.clip(wide(a) + wide(b), -2**31, 2**31 - 1)], tol=EXACT)
        x = wide_ints(rng, s, 'u8')
        yield dict(op='bit_reverse8', key='u8', inputs=[x], want=[np.vectorize(lambda v: int(f'{v:08b}'[::-1], 2), otypes=[np.uint8])(x)], tol=EXACT)
        u = wide_ints(rng, s, 'u32').astype(np.uint64)
        m = np.uint64(2**32 - 1)
        v = u ^ (u << np.uint64(13) & m)
        v = v ^ (v >> np.uint64(17))
        v = v ^ (v << np.uint64(5) & m)
        yield dict(op='xorshift32', key='u32', inputs=[u.astype(np.uint32)], want=[v.astype(np.uint32)], tol=EXACT)
        v = (u ^ (u >> np.uint64(16))) * np.uint64(0x85ebca6b) & m
        v = (v ^ (v >> np.uint64(13))) * np.uint64(0xc2b2ae35) & m
        yield dict(op='murmur_mix', key='u32', inputs=[u.astype(np.uint32)], want=[(v ^ (v >> np.uint64(16))).astype(np.uint32)], tol=EXACT)
        p, q = wide_ints(rng, s, 'u16'), wide_ints(rng, s, 'u16')
        spread = np.vectorize(lambda v: sum((int(v) >> k & 1) << 2 * k for k in range(16)), otypes=[np.uint32])
        yield dict(op='morton2', key='u16', inputs=[p, q], want=[spread(p) | spread(q) << np.uint32(1)], dtypes=['u32'], tol=EXACT)
        f = rand(rng, s, 'f32', -1e3, 1e3)
        bits = f.view(np.uint32) if s else np.asarray(f).view(np.uint32)
        yield dict(op='float_parts', key='f32', inputs=[f],
                   want=[(bits >> np.uint32(23) & np.uint32(255)).astype(np.int32) - 127, bits >> np.uint32(31) == 1], dtypes=['i32', 'bool'],
                       tol=EXACT)
        for key in available('f16', 'bf16'):
            x, u = rand(rng, s, key, -100, 100), rand(rng, s, 'u16', 0, 65535)
            b = np.asarray(x).view(np.int16)
            tripled = np.asarray(np.float32(3)*np.asarray(x).astype(np.float32)).astype(x.dtype).view(np.int16)
            yield dict(op='next_half', key=key, inputs=[x, u], dtypes=[key, 'u16', key, 'i32'], tol=EXACT,
                       want=[(b + np.int16(1)).view(x.dtype), np.where(b < 0, ~b, b | np.int16(-0x8000)).view(np.uint16),
                             np.asarray(u).view(x.dtype), tripled.astype(np.int32) - b])
        for mult, shift in [(1518500250, 3), (2**31 - 1, 0), (1073741824, 7)]:
            x = wide_ints(rng, s, 'i32')
            pr = (x.astype(np.int64) * mult + 2**30) >> 31
            r = (pr + ((1 << shift) >> 1)) >> shift
            yield dict(op='requantize', key='i32', inputs=[x], attrs={'multiplier': mult, 'shift': shift, 'zero': -5},
                       want=[np.clip(r - 5, -128, 127)], dtypes=['i8'], tol=EXACT)
        for key in ('i8', 'i16', 'i32', 'i64', 'u8', 'u32', 'u64'):
            a, b = wide_ints(rng, s, key), wide_ints(rng, s, key)
            b = np.where(b == 0, 7, b).astype(b.dtype)
            if key[0] == 'i' and s and a.size:
                b.reshape(-1)[0] = -1                             # the lowest number over -1 wraps
            yield dict(op='floor_pair', key=key, inputs=[a, b], want=[floor_div(a, b), floor_mod(a, b)], tol=EXACT)
        for key in available('f32', 'f64', 'f16', 'bf16'):
            a = rand(rng, s, key)
            b = a.copy()
            if s and a.size:
                b.reshape(-1)[::3] = np.nan
                a.reshape(-1)[::6] = np.nan
                b.reshape(-1)[1::5] = np.inf
            for en in (False, True):
                yield dict(op='isclose', key=key, inputs=[a, b], attrs={'equal_nan': en}, want=[np.isclose(wide(a), wide(b), 1e-5, 1e-8, en)],
                           dtypes=['bool'], tol=EXACT)
            x = rand(rng, s, key, -300, 300)
            if s and x.size:
                special_values = [np.nan, np.inf, -np.inf, 1e4, -1e4, 60000.0, -0.5, 0.5]
                n = min(x.size, len(special_values))
                x.reshape(-1)[:n] = np.array(special_values[:n]).astype(x.dtype)
            if key in ('f32', 'f64') and s and x.size > 10:
                x.reshape(-1)[8:11] = [3e19, -3e19, 1e10]
            yield dict(op='to_int_saturating', key=key, inputs=[x],
                       want=[saturate(x, t) for t in (np.int8, np.uint16, np.int32, np.int64, np.uint64)],
                       dtypes=['i8', 'u16', 'i32', 'i64', 'u64'], tol=EXACT)
        if s:
            x = rand(rng, s, 'bool')
            n = s[-1]
            yield dict(op='majority', key='bool', inputs=[x], want=[2 * x.sum(-1) > n, x.all(-1), x.any(-1)], tol=EXACT)
    yield dict(op='floor_pair', key='i32', inputs=[np.array([1], 'int32'), np.array([0], 'int32')],
               out=[('i32', (1,)), ('i32', (1,))], error='division by zero')
    for s in [(1,), (17,), (3, 5), (0,), (2, 0)]:
        x = wide_ints(rng, s, 'u8')
        nib = np.stack([x & 15, x >> 4], -1).reshape(*s[:-1], -1).astype(np.int64)
        yield dict(op='unpack_nibbles', key='u8', inputs=[x], want=[np.where(nib >= 8, nib - 16, nib)], dtypes=['i8'], tol=EXACT)
        b = np.unpackbits(x, axis=-1).astype(bool)
        yield dict(op='unpack_bits', key='u8', inputs=[x], want=[b], dtypes=['bool'], tol=EXACT)
        yield dict(op='pack_bits', key='bool', inputs=[b], want=[x], dtypes=['u8'], tol=EXACT)
    yield dict(op='pack_bits', key='bool', inputs=[np.zeros((2, 9), bool)], out=[('u8', (2, 1))], error='no multiple of 8')
    for key in ('u8', 'u32', 'u64'):
        for m, n, k in [(1, 1, 1), (5, 17, 3), (3, 4, 33), (2, 3, 0)]:
            a, b = wide_ints(rng, (m, k), key), wide_ints(rng, (n, k), key)
            pop = np.vectorize(lambda v: bin(int(v)).count('1'), otypes=[np.int64])
            yield dict(op='hamming', key=key, inputs=[a, b], want=[pop(a[:, None] ^ b[None]).sum(-1)], dtypes=['i64'], tol=EXACT)
    for key in available('f32', 'f64'):
        for s, axis in [((3, 5), 1), ((17, 2, 3), 0), ((2, 33), -1)]:
            x, sc, z = rand(rng, s, key, -40, 40), rand(rng, (s[axis],), key, 0.1, 0.5), wide_ints(rng, (s[axis],), 'i8')
            sh = [1] * len(s)
            sh[axis] = -1
            y = np.rint(x / sc.reshape(sh)) + z.reshape(sh).astype(x.dtype)
            yield dict(op='quantize_channels', key=key, inputs=[x, sc, z], attrs={'axis': axis}, want=[np.clip(y, -128, 127)], dtypes=['i8'],
                       tol=EXACT)
    for s in [(1,), (17,), (3, 33), (2, 3, 5)]:
        x = rand(rng, s, 'f32', -3, 5)
        hi, lo = np.maximum(x.max(), np.float32(0)), np.minimum(x.min(), np.float32(0))
        sc = (hi - lo) / np.float32(255)
        z = np.rint(np.clip(-lo / sc, 0, 255))
        yield dict(op='dynamic_quantize', key='f32', inputs=[x], want=[np.clip(np.rint(x / sc) + z, 0, 255), sc, z], dtypes=['u8', 'f32', 'u8'],
                   tol=[EXACT, EXACT, EXACT])
    for m, k, n in [(1, 1, 1), (5, 17, 33), (16, 64, 16), (3, 0, 2), (7, 33, 5)]:
        a, b, za = wide_ints(rng, (m, k), 'u8'), wide_ints(rng, (k, n), 'i8'), np.array(119, np.uint8)
        sc, bias = rand(rng, (n,), 'f32', 0.0005, 0.002), rand(rng, (n,), 'i32', -1000, 1000)
        for bb in (None, bias):
            c = (wide(a) - 119) @ wide(b) + (0 if bb is None else wide(bb))
            y = np.clip(np.rint(c.astype(np.float32) * sc), -128, 127)
            yield dict(op='qmatmul', key='u8', inputs=[a, b, za, sc, bb], want=[y], dtypes=['i8'], tol=EXACT)
