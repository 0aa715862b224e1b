"""Hashes of 64 bits, permutations of lanes, codes of variable length, formats of bytes and samples."""
import numpy as np

from casekit import EXACT, np_dtype, wide

M64 = (1 << 64) - 1

OPS = [r'''
ops:
  - op: keccak_f
    doc: the permutation of Keccak, 24 rounds on 25 lanes
    tables:
      R: {type: "u64[5, 5]", values: [[0, 36, 3, 41, 18], [1, 44, 10, 45, 2], [62, 6, 43, 15, 61], [28, 55, 25, 21, 56], [27, 20, 39, 8, 14]]}
      L: {type: "u8[169]", of: [n], values: "select(n == 0, 1, bit_xor(shl(padded(L[n - 1], 0), 1), select(padded(L[n - 1], 0) >= 128, 0x71, 0)))"}
    index: {t: 25, r: 24, x: 5, y: 5, j: 7}
    in: {A: "u64[B, 5, 5]"}
    out: {Y: "u64[B, 5, 5]"}
    body: |
      rc[r] = bit_xor[j](shl(cast(L[7*r + j] % 2, u64), shl(1, j) - 1))
      c[b,t,x] = bit_xor[y](padded(a[b,t - 1,x,y], 0))
      d[b,t,x] = bit_xor(c[b,t,(x + 4) % 5], bit_or(shl(c[b,t,(x + 1) % 5], 1), shr(c[b,t,(x + 1) % 5], 63)))
      e[b,t,x,y] = bit_xor(padded(a[b,t - 1,x,y], 0), d[b,t,x])
      f[b,t,x,y] = bit_or(shl(e[b,t,x,y], R[x,y]), shr(e[b,t,x,y], 64 - R[x,y]))
      g[b,t,x,y] = f[b,t,(x + 3*y) % 5,x]
      a[b,t,x,y] = select(t == 0, A[b,x,y], bit_xor(bit_xor(g[b,t,x,y], bit_and(bit_not(g[b,t,(x + 1) % 5,y]), g[b,t,(x + 2) % 5,y])), select(x == 0 and y == 0, rc[clamp(t - 1, 0, 23)], 0)))
      Y[b,x,y] = a[b,24,x,y]
''', r'''
fn:
  rotl64(x, n): bit_or(shl(x, n), shr(x, 64 - n))
ops:
  - op: xxh64_rows
    doc: xxHash of 64 bits, of rows of words
    attrs: {seed: u64 = 0}
    in: {X: "u64[M, N]"}
    tables: {P: {type: "u64[5]", values: [11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261]}}
    index: {l: 4, s: S}
    let: {S: N//4}
    out: {Y: "u64[M]"}
    body: |
      v[m,s,l] = rotl64(padded(v[m,s - 1,l], seed + select(l == 0, P[0] + P[1], select(l == 1, P[1], select(l == 2, 0, 0 - P[0])))) + X[m,4*s + l]*P[1], 31)*P[0]
      w[m,l] = rotl64(padded(v[m,S - 1,l], 0), select(l == 0, 1, select(l == 1, 7, select(l == 2, 12, 18))))
      h[m] = select(S == 0, seed + P[4], fold[l](a = w[m,0] + w[m,1] + w[m,2] + w[m,3], bit_xor(a, rotl64(padded(v[m,S - 1,l], 0)*P[1], 31)*P[0])*P[0] + P[3])) + cast(8*N, u64)
      g[m] = fold[q : q >= 4*S](a = h[m], rotl64(bit_xor(a, rotl64(X[m,q]*P[1], 31)*P[0]), 27)*P[0] + P[3])
      x[m] = bit_xor(g[m], shr(g[m], 33))*P[1]
      y[m] = bit_xor(x[m], shr(x[m], 29))*P[2]
      Y[m] = bit_xor(y[m], shr(y[m], 32))
''', r'''
ops:
  - op: sha1_block
    doc: one block of SHA-1 a row, words of the message big endian
    in: {H0: "u32[B, 5]", M: "u8[B, 64]"}
    index: {i: 80, t: 81, j: 5, q: 4}
    out: {H: "u32[B, 5]"}
    body: |
      x[b,i] = bit_xor(bit_xor(padded(w[b,i - 3], 0), padded(w[b,i - 8], 0)), bit_xor(padded(w[b,i - 14], 0), padded(w[b,i - 16], 0)))
      w[b,i] = select(i < 16, fold[q](a = cast(0, u32), a*256 + cast(M[b,clamp(4*i + q, 0, 63)], u32)), bit_or(shl(x[b,i], 1), shr(x[b,i], 31)))
      p[b,t,j] = padded(s[b,t - 1,j], 0)
      f[b,t] = select(t <= 20, bit_or(bit_and(p[b,t,1], p[b,t,2]), bit_and(bit_not(p[b,t,1]), p[b,t,3])) + 0x5a827999, select(t <= 40, bit_xor(p[b,t,1], bit_xor(p[b,t,2], p[b,t,3])) + 0x6ed9eba1, select(t <= 60, bit_or(bit_and(p[b,t,1], bit_or(p[b,t,2], p[b,t,3])), bit_and(p[b,t,2], p[b,t,3])) + 0x8f1bbcdc, bit_xor(p[b,t,1], bit_xor(p[b,t,2], p[b,t,3])) + 0xca62c1d6)))
      n[b,t] = bit_or(shl(p[b,t,0], 5), shr(p[b,t,0], 27)) + f[b,t] + p[b,t,4] + w[b,clamp(t - 1, 0, 79)]
      s[b,t,j] = select(t == 0, H0[b,j], select(j == 0, n[b,t], select(j == 2, bit_or(shl(p[b,t,1], 30), shr(p[b,t,1], 2)), p[b,t,clamp(j - 1, 0, 4)])))
      H[b,j] = H0[b,j] + s[b,80,j]
''', r'''
ops:
  - op: cobs_decoded
    doc: packets without zeros back to what they were; each code says where the next zero is
    in: {X: "u8[N]"}
    let: {M: upto(N)}
    out: {Y: "u8[M]"}
    body: |
      left[n] = select(padded(left[n - 1], 0) == 0, cast(X[n], i32) - 1, padded(left[n - 1], 0) - 1)
      code[n] = padded(left[n - 1], 0) == 0
      block[n] = select(code[n], X[n], padded(block[n - 1], 255))
      kept[n] = not code[n] or (n > 0 and padded(block[n - 1], 255) != 255)
      at[n] = sum[k : k < n](kept[k])
      M = sum[n](kept[n])
      Y[wrap(at[n], M)] last= select(code[n], 0, X[n]) where kept[n]
''', r'''
ops:
  - op: rice_decoded
    doc: numbers of a Rice code with k bits each, signs folded; bits come one an element
    attrs: {k: int = 2, count: int}
    in: {Bits: "bool[N]"}
    let: {C: count}
    require: [count >= 0, k >= 0, k < 16, N >= 1]
    index: {q: 16}
    out: {Y: "i32[C]"}
    body: |
      ones[n] = select(Bits[n], padded(ones[n + 1], 0) + 1, 0)
      start[c] = select(c == 0, 0, padded(start[c - 1], 0) + padded(len[c - 1], 0))
      u[c] = ones[clamp(start[c], 0, N - 1)]
      len[c] = u[c] + 1 + k
      r[c] = fold[q : q < k](a = cast(0, i32), 2*a + padded(Bits[start[c] + u[c] + 1 + q], 0))
      z[c] = shl(cast(u[c], i32), k) + r[c]
      Y[c] = bit_xor(shr(z[c], 1), 0 - z[c] % 2)
''', r'''
ops:
  - op: flac_restored
    doc: samples from residuals and a linear predictor of integers, as in FLAC
    attrs: {shift: int = 4}
    in: {R: "i32[B, N]", C: "i32[B, P]"}
    require: [shift >= 0, shift < 32]
    out: {Y: "i32[B, N]"}
    body: Y[b,n] = R[b,n] + cast(shr(sum[p](cast(C[b,p], i64)*cast(padded(Y[b,n - 1 - p], 0), i64)), shift), i32)
''', r'''
ops:
  - op: a_law
    doc: samples to bytes of A-law and back
    in: {X: "i16[*S]"}
    out: {C: "u8[*S]", Y: "i16[*S]"}
    body: |
      a[*s] = shr(select(X[*s] < 0, -1 - cast(X[*s], i32), cast(X[*s], i32)), 3)
      g[*s] = select(a[*s] < 32, 0, 27 - clz(max(a[*s], 1)))
      m[*s] = bit_and(shr(a[*s], max(g[*s], 1)), 15)
      C[*s] = cast(bit_xor(bit_or(shl(g[*s], 4), m[*s]) + select(X[*s] >= 0, 128, 0), 0x55), u8)
      d[*s] = bit_xor(cast(C[*s], i32), 0x55)
      t[*s] = bit_and(shr(d[*s], 4), 7)
      v[*s] = select(t[*s] == 0, bit_and(d[*s], 15)*16 + 8, shl(bit_and(d[*s], 15)*16 + 264, max(t[*s] - 1, 0)))
      Y[*s] = cast(select(d[*s] >= 128, v[*s], -v[*s]), i16)
''', r'''
ops:
  - op: base58
    doc: bytes of each row as digits of base 58, the highest first
    in: {X: "u8[B, N]"}
    let: {D: N*138//100 + 1}
    index: {d: D}
    out: {Y: "u8[B, D]", Len: "i64[B]"}
    tables: {A: {type: "u8[58]", of: [k], values: "cast(select(k < 9, 49 + k, select(k < 17, 56 + k, select(k < 22, 57 + k, select(k < 33, 58 + k, select(k < 44, 64 + k, 65 + k))))), u8)"}}
    body: |
      t[b,n,d] = select(d == 0, cast(X[b,n], i32), padded(c[b,n,d - 1], 0)) + 256*padded(v[b,n - 1,d], 0)
      v[b,n,d] = t[b,n,d] % 58
      c[b,n,d] = t[b,n,d]//58
      Y[b,d] = A[clamp(padded(v[b,N - 1,D - 1 - d], 0), 0, 57)]
      Len[b] = max(max[d : padded(v[b,N - 1,d], 0) > 0](d + 1), 0)
''', r'''
ops:
  - op: packbits
    doc: runs and literals of bytes unpacked; a header of -1 to -127 repeats, one of 0 to 127 copies
    in: {X: "i8[N]"}
    attrs: {room: int}
    let: {R: room, M: upto(R)}
    require: [room >= 0]
    out: {Y: "i8[M]"}
    index: {r: R}
    body: |
      skip[n] = select(padded(skip[n - 1], 0) > 0, padded(skip[n - 1], 0) - 1, select(X[n] >= 0, cast(X[n], i64) + 1, select(X[n] == -128, 0, 1)))
      head[n] = padded(skip[n - 1], 0) == 0
      count[n] = select(head[n], 0, select(padded(head[n - 1], false) and padded(X[n - 1], 0) < 0, 1 - cast(padded(X[n - 1], 0), i64), 1))
      at[n] = sum[k : k < n](count[k])
      M = sum[n](count[n])
      s[r] = max[n : at[n] <= r and count[n] > 0](n)
      Y[wrap(r, M)] last= X[clamp(s[r], 0, N - 1)] where r < M
''', r'''
ops:
  - op: lzw_decoded
    doc: LZW codes to letters; each entry of the dictionary is a code before and a letter after
    attrs: {letters: int = 4, room: int}
    in: {X: "i32[N]"}
    let: {R: room, M: upto(R)}
    require: [letters >= 1, room >= 0, N >= 1]
    index: {r: R}
    out: {Y: "i64[M]", First: "i64[N]"}
    body: |
      len[n] = select(X[n] < letters, 1, padded(len[clamp(X[n] - letters, -1, n - 1)], 0) + 1)
      First[n] = select(X[n] < letters, X[n], padded(First[clamp(X[n] - letters, -1, n - 1)], 0))
      at[n] = sum[k : k < n](len[k])
      M = sum[n](len[n])
      of[r] = clamp(max[n : at[n] <= r](n), 0, N - 1)
      up[r] = clamp(X[of[r]] - letters, 0, N - 1)
      v[r] = select(X[of[r]] < letters, X[of[r]], select(r - at[of[r]] == len[up[r]], First[clamp(up[r] + 1, 0, N - 1)], padded(v[clamp(at[up[r]] + r - at[of[r]], -1, r - 1)], 0)))
      Y[wrap(r, M)] last= v[r] where r < M
''', r'''
ops:
  - op: gorilla_decoded
    doc: floats from the bits in which each differs from the one before
    in: {D: "u32[B, N]", E: "u64[B, N]"}
    out: {Y: "f32[B, N]", Z: "f64[B, N]"}
    body: |
      u[b,n] = bit_xor[k : k <= n](D[b,k])
      v[b,n] = bit_xor(padded(v[b,n - 1], 0), E[b,n])
      Y[b,n] = bits(u[b,n], f32)
      Z[b,n] = bits(v[b,n], f64)
''', r'''
ops:
  - op: simhash
    doc: one bit a column of signs, of weighted hashes
    types: {T: float}
    in: {K: "u32[N]", W: "T[N]"}
    index: {b: 32, r: 3}
    out: {Y: "u32[]"}
    body: |
      h[n] = fold[r](a = K[n], bit_xor(a, shr(a, 15))*cast(0x2c1b3c6d, u32) + cast(r, u32))
      v[b] = sum[n](select(bit_and(shr(h[n], b), 1) == 1, W[n], -W[n]))
      Y[] = bit_or[b](select(v[b] > 0, shl(cast(1, u32), b), 0))
''', r'''
ops:
  - op: zeckendorf
    doc: the Fibonacci numbers that each number is the sum of, one bit each
    types: {T: uint}
    tables: {F: {type: "i64[24]", of: [k], values: "select(k < 2, k + 1, padded(F[k - 1], 0) + padded(F[k - 2], 0))"}}
    index: {d: 24}
    in: {X: "T[*S]"}
    out: {Y: "i64[*S]"}
    body: |
      was[*s,d] = padded(left[*s,d + 1], cast(X[*s], i64) % 75025)
      left[*s,d] = was[*s,d] - select(was[*s,d] >= F[d], F[d], 0)
      Y[*s] = sum[d](select(was[*s,d] >= F[d], shl(1, d), 0))
''', r'''
ops:
  - op: nim_products
    doc: products of nimbers below 16, from a table of smaller ones
    types: {T: [u8, i32]}
    tables: {P: {type: "u8[4, 4]", values: [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]]}}
    in: {A: "T[*S]", B: "T[*S]"}
    out: {Y: "u8[*S]"}
    body: |
      h[*s] = P[shr(A[*s], 2) % 4,shr(B[*s], 2) % 4]
      l[*s] = P[A[*s] % 4,B[*s] % 4]
      c[*s] = P[bit_xor(A[*s] % 4, shr(A[*s], 2) % 4),bit_xor(B[*s] % 4, shr(B[*s], 2) % 4)]
      Y[*s] = bit_or(shl(bit_xor(c[*s], l[*s]), 2), bit_xor(l[*s], P[h[*s] % 4,2]))
''', r'''
ops:
  - op: bits_extracted
    doc: the bits of X under a mask, close together, and back (pext and pdep)
    types: {T: uint}
    attrs: {width: int = 8}
    require: [width >= 1, width <= 64]
    index: {b: width}
    in: {X: "T[*S]", M: "T[*S]"}
    out: {Y: "T[*S]", Z: "T[*S]"}
    body: |
      m[*s,b] = bit_and(shr(M[*s], b), 1)
      to[*s,b] = sum[c : c < b](m[*s,c])
      Y[*s] = bit_or[b](select(m[*s,b] == 1, shl(bit_and(shr(X[*s], b), 1), to[*s,b]), 0))
      Z[*s] = bit_or[b](select(m[*s,b] == 1, shl(bit_and(shr(X[*s], to[*s,b]), 1), b), 0))
''']


def keccak(a):
    rot = [[0, 36, 3, 41, 18], [1, 44, 10, 45, 2], [62, 6, 43, 15, 61], [28, 55, 25, 21, 56], [27, 20, 39, 8, 14]]
    rcs = [0x1, 0x8082, 0x800000000000808A, 0x8000000080008000, 0x808B, 0x80000001, 0x8000000080008081, 0x8000000000008009, 0x8A, 0x88, 0x80008009, 0x8000000A,
           0x8000808B, 0x800000000000008B, 0x8000000000008089, 0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x800A, 0x800000008000000A,
           0x8000000080008081, 0x8000000000008080, 0x80000001, 0x8000000080008008]
    rol = lambda v, n: ((v << n) | (v >> (64 - n))) & M64 if n else v
    a = [[int(v) for v in row] for row in a]
    for rc in rcs:
        c = [a[x][0] ^ a[x][1] ^ a[x][2] ^ a[x][3] ^ a[x][4] for x in range(5)]
        d = [c[x - 1] ^ rol(c[(x + 1) % 5], 1) for x in range(5)]
        a = [[a[x][y] ^ d[x] for y in range(5)] for x in range(5)]
        b = [[0]*5 for _ in range(5)]
        for x in range(5):
            for y in range(5):
                b[y][(2*x + 3*y) % 5] = rol(a[x][y], rot[x][y])
        a = [[b[x][y] ^ (~b[(x + 1) % 5][y] & M64 & b[(x + 2) % 5][y]) for y in range(5)] for x in range(5)]
        a[0][0] ^= rc
    return a


def xxh64(words, seed):
    p = [11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261]
    rol = lambda v, n: ((v << n) | (v >> (64 - n))) & M64
    rnd = lambda acc, w: rol((acc + w*p[1]) & M64, 31)*p[0] & M64
    n, i = len(words), 0
    if n >= 4:
        v = [(seed + p[0] + p[1]) & M64, (seed + p[1]) & M64, seed, (seed - p[0]) & M64]
        while i + 4 <= n:
            v = [rnd(v[l], words[i + l]) for l in range(4)]
            i += 4
        h = (rol(v[0], 1) + rol(v[1], 7) + rol(v[2], 12) + rol(v[3], 18)) & M64
        for l in range(4):
            h = ((h ^ rnd(0, v[l]))*p[0] + p[3]) & M64
    else:
        h = (seed + p[4]) & M64
    h = (h + 8*n) & M64
    for w in words[i:]:
        h = (rol(h ^ rnd(0, w), 27)*p[0] + p[3]) & M64
    h = (h ^ h >> 33)*p[1] & M64
    h = (h ^ h >> 29)*p[2] & M64
    return h ^ h >> 32


def sha1(h, m):
    rol = lambda v, n: ((v << n) | (v >> (32 - n))) & 0xffffffff
    w = [int.from_bytes(bytes(m[4*i:4*i + 4]), 'big') for i in range(16)]
    for i in range(16, 80):
        w.append(rol(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1))
    a, b, c, d, e = h
    for t in range(80):
        if t < 20: f, k = (b & c) | (~b & 0xffffffff & d), 0x5a827999
        elif t < 40: f, k = b ^ c ^ d, 0x6ed9eba1
        elif t < 60: f, k = (b & c) | (b & d) | (c & d), 0x8f1bbcdc
        else: f, k = b ^ c ^ d, 0xca62c1d6
        a, b, c, d, e = (rol(a, 5) + f + e + k + w[t]) & 0xffffffff, a, rol(b, 30), c, d
    return [(x + y) & 0xffffffff for x, y in zip(h, (a, b, c, d, e))]


def cobs_encode(data):
    out, block, ended = bytearray(), bytearray(), False
    for b in data:
        ended = False
        if b == 0:
            out.append(len(block) + 1); out += block; block = bytearray()
        else:
            block.append(b)
            if len(block) == 254:
                out.append(255); out += block; block = bytearray(); ended = True
    if not ended:
        out.append(len(block) + 1); out += block
    return bytes(out)


def alaw(x):
    x = int(x)
    v = (x if x >= 0 else -1 - x) >> 3
    seg = v.bit_length() - 5
    c = v >> 1 if v < 32 else seg << 4 | (v >> seg) & 15
    return c ^ (0xD5 if x >= 0 else 0x55)


def alaw_decode(c):
    c ^= 0x55
    t, seg = (c & 15) << 4, (c >> 4) & 7
    t = t + 8 if seg == 0 else (t + 0x108) << (seg - 1)
    return t if c & 0x80 else -t


def nim(a, b):
    if a < 2 or b < 2: return a*b
    h = 1
    while 1 << 2*h <= max(a, b): h *= 2
    ah, al, bh, bl = a >> h, a & (1 << h) - 1, b >> h, b & (1 << h) - 1
    c, l, hh = nim(ah ^ al, bh ^ bl), nim(al, bl), nim(ah, bh)
    return (c ^ l) << h | l ^ nim(hh, 1 << h - 1)


def cases(rng):
    for b in (1, 3, 0):
        a = rng.integers(0, 1 << 64, (b, 5, 5), dtype=np.uint64)
        if b == 3: a[0] = 0
        yield dict(op='keccak_f', key='u64', inputs=[a], want=[np.array([keccak(r) for r in a], np.uint64).reshape(b, 5, 5)], tol=EXACT)
    for m, n in ((1, 0), (3, 1), (2, 4), (5, 7), (1, 16), (2, 19)):
        x = rng.integers(0, 1 << 64, (m, n), dtype=np.uint64)
        for seed in (0, 2654435761, 1 << 63):
            yield dict(op='xxh64_rows', key='u64', inputs=[x], attrs={'seed': seed}, want=[np.array([xxh64([int(v) for v in r], seed) for r in x], np.uint64)], tol=EXACT)
    for b in (1, 4, 17):
        h, m = rng.integers(0, 1 << 32, (b, 5), dtype=np.uint32), rng.integers(0, 256, (b, 64), dtype=np.uint8)
        yield dict(op='sha1_block', key='u32', inputs=[h, m], want=[np.array([sha1([int(v) for v in hh], mm) for hh, mm in zip(h, m)], np.uint32)], tol=EXACT)
    for n, hi in ((0, 4), (1, 2), (5, 2), (40, 3), (300, 256), (254, 1), (255, 1), (600, 1)):
        data = bytes((rng.integers(0, hi, n) + (1 if hi == 1 else 0)).astype(np.uint8))
        code = np.frombuffer(cobs_encode(data), np.uint8)
        yield dict(op='cobs_decoded', key='u8', inputs=[code], want=[np.frombuffer(data, np.uint8)], room=[(len(code),)], tol=EXACT)
    for k, n in ((0, 3), (2, 17), (5, 33), (2, 0), (3, 1)):
        y = rng.integers(-40, 40, n)
        bits = []
        for v in y:
            z = int(2*v if v >= 0 else -2*v - 1)
            bits += [1]*(z >> k) + [0] + [z >> i & 1 for i in reversed(range(k))]
        yield dict(op='rice_decoded', key='bool', inputs=[np.array(bits + [0], bool)], attrs={'k': k, 'count': n}, want=[y.astype(np.int32)], dtypes=['i32'], tol=EXACT)
    for b, n, p in ((1, 1, 1), (2, 40, 3), (3, 17, 8), (1, 0, 2), (2, 5, 0)):
        r, c = rng.integers(-50, 50, (b, n)).astype(np.int32), rng.integers(-9, 10, (b, p)).astype(np.int32)
        y = np.zeros((b, n), np.int32)
        for i in range(b):
            for t in range(n):
                s = sum(int(c[i, j])*int(y[i, t - 1 - j]) for j in range(p) if t - 1 - j >= 0) >> 4
                y[i, t] = (int(r[i, t]) + s + (1 << 31)) % (1 << 32) - (1 << 31)
        yield dict(op='flac_restored', key='i32', inputs=[r, c], attrs={'shift': 4}, want=[y], tol=EXACT)
    for shape in ((), (17,), (5, 33), (0,), (65536,)):
        x = np.arange(-32768, 32768).astype(np.int16) if shape == (65536,) else np.asarray(rng.integers(-32768, 32768, shape)).astype(np.int16)
        c = np.array([alaw(v) for v in x.ravel()], np.uint8).reshape(shape)
        yield dict(op='a_law', key='i16', inputs=[x], want=[c, np.array([alaw_decode(int(v)) for v in c.ravel()], np.int16).reshape(shape)], dtypes=['u8', 'i16'], tol=EXACT)
    alphabet = b'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
    for b, n in ((1, 1), (3, 5), (2, 25), (1, 0), (0, 3)):
        x = rng.integers(0, 256, (b, n)).astype(np.uint8)
        if b == 3: x[0] = 0
        d = n*138//100 + 1
        y, ln = np.zeros((b, d), np.uint8), np.zeros(b, np.int64)
        for i in range(b):
            v, digits = int.from_bytes(bytes(x[i]), 'big'), []
            while v: digits.append(v % 58); v //= 58
            ln[i] = len(digits)
            y[i] = [alphabet[k] for k in reversed(digits + [0]*(d - len(digits)))]
        yield dict(op='base58', key='u8', inputs=[x], want=[y, ln], dtypes=['u8', 'i64'], tol=EXACT)
    for n in (0, 1, 7, 40):
        enc, dec = [], []
        for _ in range(n):
            kind = rng.integers(0, 3)
            if kind == 0: enc.append(-128)
            elif kind == 1:
                r, v = int(rng.integers(1, 20)), int(rng.integers(-128, 128))
                enc += [-r, v]; dec += [v]*(r + 1)
            else:
                v = [int(t) for t in rng.integers(-128, 128, rng.integers(1, 9))]
                enc += [len(v) - 1, *v]; dec += v
        for room in (len(dec), len(dec) + 9):
            yield dict(op='packbits', key='i8', inputs=[np.array(enc, np.int8)], attrs={'room': room}, want=[np.array(dec, np.int8)], room=[(room,)], tol=EXACT)
    for n in (1, 5, 40, 200):
        text = [int(v) for v in rng.integers(0, 4 if n < 200 else 2, n)]
        table, codes, cur = {(k,): k for k in range(4)}, [], ()
        for ch in text:
            if cur + (ch,) in table: cur += (ch,)
            else:
                codes.append(table[cur]); table[cur + (ch,)] = len(table); cur = (ch,)
        codes.append(table[cur])
        inv = {v: k for k, v in table.items()}
        first = np.array([inv[c][0] for c in codes], np.int64)
        yield dict(op='lzw_decoded', key='i32', inputs=[np.array(codes, np.int32)], attrs={'letters': 4, 'room': n + 3}, want=[np.array(text, np.int64), first], room=[(n + 3,), (len(codes),)],
                   dtypes=['i64', 'i64'], tol=EXACT)
    for b, n in ((1, 1), (3, 17), (2, 100), (0, 3), (2, 0)):
        y, z = rng.normal(size=(b, n)).astype(np.float32), rng.normal(size=(b, n))
        d, e = y.view(np.uint32).copy(), z.view(np.uint64).copy()
        d[:, 1:] ^= y.view(np.uint32)[:, :-1]; e[:, 1:] ^= z.view(np.uint64)[:, :-1]
        yield dict(op='gorilla_decoded', key='u32', inputs=[d, e], want=[y, z], dtypes=['f32', 'f64'], tol=EXACT)
    for key in ('f32', 'f64', 'f16', 'bf16'):
        if np_dtype(key) is None: continue
        for n in (0, 1, 17, 100):
            k, w = rng.integers(0, 1 << 32, n, dtype=np.uint32), rng.integers(1, 8, n).astype(np_dtype(key))
            h = k.copy()
            for r in range(3): h = (h ^ h >> np.uint32(15))*np.uint32(0x2c1b3c6d) + np.uint32(r)
            bits = (h[:, None] >> np.arange(32, dtype=np.uint32)) & 1
            v = (np.where(bits == 1, 1, -1)*wide(w)[:, None]).sum(0)
            yield dict(op='simhash', key=key, inputs=[k, w], want=[np.asarray(sum(1 << i for i in range(32) if v[i] > 0), np.uint32)], dtypes=['u32'], tol=EXACT)
    fib = [1, 2]
    while len(fib) < 24: fib.append(fib[-1] + fib[-2])
    for key in ('u8', 'u16', 'u32', 'u64'):
        for shape in ((), (17,), (5, 33), (0,)):
            x = np.asarray(rng.integers(0, min(np.iinfo(np_dtype(key)).max, 75024), shape, endpoint=True)).astype(np_dtype(key))
            y = []
            for v in x.ravel():
                v, code = int(v), 0
                for d in reversed(range(24)):
                    if v >= fib[d]: v -= fib[d]; code |= 1 << d
                y.append(code)
            yield dict(op='zeckendorf', key=key, inputs=[x], want=[np.array(y, np.int64).reshape(shape)], dtypes=['i64'], tol=EXACT)
    for key in ('u8', 'i32'):
        for shape in ((), (33,), (16, 16)):
            a, b = (np.asarray(rng.integers(0, 16, shape)).astype(np_dtype(key)) for _ in range(2))
            if shape == (16, 16): a[:], b[:] = np.arange(16)[:, None], np.arange(16)
            want = np.array([nim(int(p), int(q)) for p, q in zip(a.ravel(), b.ravel())], np.uint8).reshape(shape)
            yield dict(op='nim_products', key=key, inputs=[a, b], want=[want], dtypes=['u8'], tol=EXACT)
    for key in ('u8', 'u16', 'u32', 'u64'):
        width = 8*np.dtype(np_dtype(key)).itemsize
        for shape in ((), (17,), (3, 33)):
            x, m = (np.asarray(rng.integers(0, np.iinfo(np_dtype(key)).max, shape, endpoint=True, dtype=np_dtype(key))) for _ in range(2))
            y, z = [], []
            for v, k in zip(np.ravel(x), np.ravel(m)):
                v, k = int(v), int(k)
                pos = [i for i in range(width) if k >> i & 1]
                y.append(sum((v >> p & 1) << i for i, p in enumerate(pos)))
                z.append(sum((v >> i & 1) << p for i, p in enumerate(pos)))
            yield dict(op='bits_extracted', key=key, inputs=[x, m], attrs={'width': width}, want=[np.array(y, np_dtype(key)).reshape(shape), np.array(z, np_dtype(key)).reshape(shape)],
                       dtypes=[key, key], tol=EXACT)
