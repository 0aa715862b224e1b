"""Block and stream ciphers, hashes, packed numbers and codes of texts."""
import numpy as np
from casekit import EXACT, rand

OPS = [r'''
fn:
  rol32(x, k): bit_or(shl(x, k), shr(x, 32 - k))
  ror32(x, k): bit_or(shr(x, k), shl(x, 32 - k))
ops:
  - op: speck_blocks
    doc: Speck 64/128, its key schedule and 27 rounds
    in: {X: "u32[M, 2]", K: "u32[4]"}
    index: {i: 27, r: 27}
    out: {Y: "u32[M, 2]"}
    body: |
      k[i] = select(i == 0, K[0], bit_xor(rol32(padded(k[i - 1], 0), 3), padded(l[i - 1], 0)))
      l[i] = bit_xor(k[i] + ror32(select(i < 3, K[clamp(i + 1, 0, 3)], padded(l[i - 3], 0)), 8), cast(i, u32))
      a[m,r] = bit_xor(ror32(padded(a[m,r - 1], X[m,1]), 8) + padded(b[m,r - 1], X[m,0]), k[r])
      b[m,r] = bit_xor(rol32(padded(b[m,r - 1], X[m,0]), 3), a[m,r])
      Y[m,c] = select(c == 0, b[m,26], a[m,26])
''', r'''
ops:
  - op: salsa_words
    doc: the Salsa20 core; each step changes one word of each column or of each row
    tables: {R: {type: "u32[4]", values: [7, 9, 13, 18]}}
    in: {X: "u32[M, 16]"}
    index: {t: 80}
    out: {Y: "u32[M, 16]"}
    body: |
      u[m,t,i] = padded(s[m,t - 1,i], X[m,i])
      v[m,t,i] = u[m,t,select(t//4 % 2 == 0, 4*((i//4 + 3) % 4) + i % 4, 4*(i//4) + (i + 3) % 4)] + u[m,t,select(t//4 % 2 == 0, 4*((i//4 + 2) % 4) + i % 4, 4*(i//4) + (i + 2) % 4)]
      s[m,t,i] = bit_xor(padded(s[m,t - 1,i], X[m,i]), select(((i//4 - i % 4)*(1 - 2*(t//4 % 2)) - t % 4 - 1) % 4 == 0, bit_or(shl(v[m,t,i], R[t % 4]), shr(v[m,t,i], 32 - R[t % 4])), 0))
      Y[m,i] = X[m,i] + s[m,79,i]
''', r'''
ops:
  - op: enigma
    doc: three rotors that step as the machine's do, and a reflector
    in: {X: "u8[M, N]", W: "i32[3, 26]", V: "i32[3, 26]", U: "i32[26]", Notch: "i32[3]", P: "i32[M, 3]"}
    out: {Y: "u8[M, N]"}
    body: |
      q[m,n,j] = padded(p[m,n - 1,j], P[m,j])
      p[m,n,j] = (q[m,n,j] + select(j == 2 or (j == 1 and (q[m,n,2] == Notch[2] or q[m,n,1] == Notch[1])) or (j == 0 and q[m,n,1] == Notch[1]), 1, 0)) % 26
      a[m,n] = fold[j](c = cast(X[m,n], i32) - 65, (W[2 - j,(c + p[m,n,2 - j]) % 26] - p[m,n,2 - j]) % 26)
      b[m,n] = fold[j](c = U[a[m,n] % 26], (V[j,(c + p[m,n,j]) % 26] - p[m,n,j]) % 26)
      Y[m,n] = cast(b[m,n] + 65, u8)
''', r'''
fn:
  major(a, b, c): bit_or(bit_or(bit_and(a, b), bit_and(a, c)), bit_and(b, c))
  odd(x): bit_and(popcount(x), 1)
ops:
  - op: a51_stream
    doc: three registers; each is clocked where its middle bit agrees with the majority
    attrs: {n: int = 10, frame: int = 0}
    require: [n >= 0]
    in: {Key: "u8[M, 8]"}
    index: {t: n + 186, o: n}
    out: {Y: "bool[M, n]"}
    body: |
      in[t,m] = cast(select(t < 64, bit_and(shr(cast(Key[m,(t//8) % 8], i64), t % 8), 1), select(t < 86, bit_and(shr(frame, t - 64), 1), 0)), u32)
      j[t,m] = major(bit_and(shr(padded(x[t - 1,m], 0), 8), 1), bit_and(shr(padded(y[t - 1,m], 0), 10), 1), bit_and(shr(padded(z[t - 1,m], 0), 10), 1))
      x[t,m] = select(t < 86 or bit_and(shr(padded(x[t - 1,m], 0), 8), 1) == j[t,m], bit_and(bit_xor(bit_or(shl(padded(x[t - 1,m], 0), 1), odd(bit_and(padded(x[t - 1,m], 0), 0x072000))), in[t,m]), 0x7ffff), padded(x[t - 1,m], 0))
      y[t,m] = select(t < 86 or bit_and(shr(padded(y[t - 1,m], 0), 10), 1) == j[t,m], bit_and(bit_xor(bit_or(shl(padded(y[t - 1,m], 0), 1), odd(bit_and(padded(y[t - 1,m], 0), 0x300000))), in[t,m]), 0x3fffff), padded(y[t - 1,m], 0))
      z[t,m] = select(t < 86 or bit_and(shr(padded(z[t - 1,m], 0), 10), 1) == j[t,m], bit_and(bit_xor(bit_or(shl(padded(z[t - 1,m], 0), 1), odd(bit_and(padded(z[t - 1,m], 0), 0x700080))), in[t,m]), 0x7fffff), padded(z[t - 1,m], 0))
      Y[m,o] = bit_xor(bit_xor(shr(x[o + 186,m], 18), shr(y[o + 186,m], 21)), shr(z[o + 186,m], 22)) == 1
''', r'''
ops:
  - op: trivium_stream
    doc: 288 bits that shift in three registers
    attrs: {n: int = 10, warm: int = 1152}
    require: [n >= 0, warm >= 0]
    in: {Key: "bool[80]", Iv: "bool[80]"}
    index: {t: n + warm, i: 288}
    out: {Y: "bool[n]"}
    body: |
      f[i] = select(i < 80, Key[clamp(i, 0, 79)], select(93 <= i < 173, Iv[clamp(i - 93, 0, 79)], i >= 285))
      p[t,i] = padded(s[t - 1,i], f[i])
      u[t] = p[t,65] != p[t,92]
      v[t] = p[t,161] != p[t,176]
      w[t] = p[t,242] != p[t,287]
      s[t,i] = select(i == 0, (w[t] != (p[t,285] and p[t,286])) != p[t,68], select(i == 93, (u[t] != (p[t,90] and p[t,91])) != p[t,170], select(i == 177, (v[t] != (p[t,174] and p[t,175])) != p[t,263], p[t,clamp(i - 1, 0, 287)])))
      Y[o] = (u[o + warm] != v[o + warm]) != w[o + warm]
''', r'''
ops:
  - op: threefish_blocks
    doc: Threefish-256 - 72 rounds of two additions, with a key every four of them
    tables: {R: {type: "u64[8, 2]", values: [[14, 16], [52, 57], [23, 40], [5, 37], [25, 33], [46, 12], [58, 22], [32, 32]]}}
    in: {X: "u64[M, 4]", K: "u64[4]", T: "u64[2]"}
    index: {d: 72, e: 19, i: 4, q: 5}
    out: {Y: "u64[M, 4]"}
    body: |
      k[q] = select(q < 4, K[clamp(q, 0, 3)], bit_xor[i](K[i]) )
      x[q] = bit_xor(k[q], select(q == 4, 0x1BD11BDAA9FC1A22, 0))
      t[i] = select(i == 0, T[0], select(i == 1, T[1], bit_xor(T[0], T[1])))
      s[e,i] = x[(e + i) % 5] + select(i == 1, t[e % 3], select(i == 2, t[(e + 1) % 3], select(i == 3, cast(e, u64), 0)))
      a[m,d,i] = padded(c[m,d - 1,i], X[m,i]) + select(d % 4 == 0, s[d//4,i], 0)
      b[m,d,i] = select(i % 2 == 0, a[m,d,i] + a[m,d,i//2*2 + 1], bit_xor(bit_or(shl(a[m,d,i], R[d % 8,i//2]), shr(a[m,d,i], 64 - R[d % 8,i//2])), a[m,d,i//2*2] + a[m,d,i]))
      c[m,d,i] = b[m,d,select(i == 1, 3, select(i == 3, 1, i))]
      Y[m,i] = c[m,71,i] + s[18,i]
''', r'''
ops:
  - op: simple8b_decoded
    doc: words of 64 bits whose upper four say how many numbers of how many bits are in them
    types: {I: [i64, i32]}
    tables:
      Count: {type: "i64[16]", values: [240, 120, 60, 30, 20, 15, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1]}
      Bits: {type: "u64[16]", values: [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 60]}
    in: {X: "u64[N]", First: "I[]"}
    let: {B: 240*N, M: upto(B)}
    out: {Y: "I[M]", At: "i64[N]"}
    body: |
      c[n] = Count[shr(X[n], 60) % 16]
      At[n] = sum[k : k < n](c[k])
      M = sum[n](c[n])
      of[i] = sum[k](At[k] <= i) - 1
      w[i] = Bits[shr(X[clamp(of[i], 0, N - 1)], 60) % 16]
      Y[i] = First[] + cast(bit_and(shr(X[clamp(of[i], 0, N - 1)], w[i]*cast(i - At[clamp(of[i], 0, N - 1)], u64)), shl(cast(1, u64), w[i]) - 1), I)
    expand: {dtypes: [i64, i32]}
''', r'''
ops:
  - op: ascii85_bytes
    doc: groups of five letters, each a number of four bytes
    in: {X: "u8[(G 5)]"}
    let: {N: 4*G}
    out: {Y: "u8[N]"}
    body: |
      w[g] = fold[j](a = cast(0, u32), a*85 + cast(X[(g j)], u32) - 33)
      Y[n] = cast(shr(w[n//4], cast(24 - 8*(n % 4), u32)) % 256, u8)
''', r'''
ops:
  - op: frames_of_reference
    doc: blocks of numbers above their least, each block with as many bits as it needs
    attrs: {block: int = 8}
    require: [block >= 1]
    in: {X: "u64[W]", Base: "i64[B]", Width: "u8[B]"}
    let: {N: B*block}
    index: {b: B}
    out: {Y: "i64[N]"}
    body: |
      o[b] = sum[c : c < b](cast(Width[c], i64)*block)
      p[n] = o[n//block] + n % block*cast(Width[n//block], i64)
      lo[n] = shr(padded(X[p[n]//64], 0), cast(p[n] % 64, u64))
      hi[n] = shl(padded(X[p[n]//64 + 1], 0), cast(64 - p[n] % 64, u64))
      Y[n] = Base[n//block] + bits(bit_and(bit_or(lo[n], hi[n]), shl(cast(1, u64), cast(Width[n//block], u64)) - 1), i64)
''', r'''
fn:
  mixed(h): bit_xor(h + shl(h, 10), shr(h + shl(h, 10), 6))
  ended(h): h + shl(h, 15)
  broken(h): bit_xor(h + shl(h, 3), shr(h + shl(h, 3), 11))
ops:
  - op: jenkins_ragged
    doc: one-at-a-time hashes of ragged strings
    types: {I: index}
    in: {X: "u8[N]", Ptr: "I[P]"}
    require: [P >= 1]
    let: {M: P - 1}
    out: {Y: "u32[M]", Z: "u8[M]"}
    body: |
      h[m] = fold[e in Ptr[m] .. Ptr[m + 1]](a = cast(0, u32), mixed(a + X[e]))
      Y[m] = ended(broken(h[m]))
      Z[m] = fold[e in Ptr[m] .. Ptr[m + 1]](a = cast(0, u8), P8[bit_xor(a, X[e])])
    tables:
      P8: {type: "u8[256]", of: [k], values: "(k*167 + 13) % 256"}
''', r'''
fn:
  lo32(x): bit_and(x, 0xffffffff)
  hi32(x): shr(x, 32)
  carry(a, b): hi32(lo32(a)*lo32(b)) + lo32(hi32(a)*lo32(b)) + lo32(lo32(a)*hi32(b))
  mulhi(a, b): hi32(a)*hi32(b) + hi32(hi32(a)*lo32(b)) + hi32(lo32(a)*hi32(b)) + hi32(carry(a, b))
  mum(a, b): bit_xor(a*b, mulhi(a, b))
ops:
  - op: folded_multiplied
    doc: a hash by products of 128 bits, whose halves are joined
    in: {X: "u64[M, (N 2)]", Seed: "u64[M]"}
    out: {Y: "u64[M]"}
    body: |
      Y[m] = fold[n](h = Seed[m], mum(bit_xor(h, X[m,(n 0)]), bit_xor(X[m,(n 1)], 0xa0761d6478bd642f)))
''', r'''
ops:
  - op: verhoeff
    doc: the check digit over the dihedral group of the pentagon
    tables:
      D: {type: "u8[10, 10]", of: [a, b], values: "select(a < 5, select(b < 5, (a + b) % 5, 5 + (a + b) % 5), select(b < 5, 5 + (a - b) % 5, (a - b) % 5))"}
      One: {type: "u8[10]", values: [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]}
      P: {type: "u8[8, 10]", of: [k, d], values: "select(k == 0, d, One[padded(P[k - 1, d], 0) % 10])"}
    in: {X: "u8[M, N]"}
    out: {Ok: "bool[M]"}
    body: |
      Ok[m] = fold[n](c = cast(0, u8), D[c % 10,P[n % 8,X[m,N - 1 - n] % 10]]) == 0
    index: {n: N}
''', r'''
ops:
  - op: canonical_kmers
    doc: how often each piece of a strand occurs, counted with the one of the opposite strand
    attrs: {k: int = 3}
    require: [k >= 1, k <= 8]
    in: {X: "u8[N]", Ok: "bool[N]"}
    let: {B: "shl(1, 2*k)", O: "max(N - k + 1, 0)"}
    index: {o: O, j: k}
    out: {Y: "i32[B]"}
    body: |
      f[o] = fold[j](a = cast(0, i64), 4*a + cast(X[o + j] % 4, i64))
      r[o] = fold[j](a = cast(0, i64), 4*a + 3 - cast(X[o + k - 1 - j] % 4, i64))
      Y[wrap(min(f[o], r[o]), B)] += 1 where all[j](Ok[o + j])
''', r'''
ops:
  - op: slip_frames
    doc: frames of a serial line, ended by 192, in which 219 escapes
    in: {X: "u8[N]"}
    let: {M: upto(N), F: upto(N)}
    out: {Y: "u8[M]", Len: "i64[F]"}
    body: |
      esc[n] = X[n] == 219 and not padded(esc[n - 1], false)
      was[n] = padded(esc[n - 1], false)
      end[n] = X[n] == 192 and not was[n]
      real[n] = not esc[n] and not end[n]
      at[n] = sum[i : i < n](real[i])
      of[n] = sum[i : i < n](end[i])
      M = sum[n](real[n])
      F = sum[n](end[n])
      Y[wrap(at[n], M)] last= select(was[n], select(X[n] == 220, 192, select(X[n] == 221, 219, X[n])), X[n]) where real[n]
      Len[wrap(of[n], F)] += 1 where real[n] and of[n] < F
''', r'''
ops:
  - op: fibonacci_decoded
    doc: numbers as sums of Fibonacci numbers, each ended by two ones
    types: {I: [i64]}
    in: {X: "bool[N]"}
    let: {M: upto(N)}
    tables: {F: {type: "i64[80]", of: [k], values: "select(k < 2, k + 1, padded(F[k - 1], 0) + padded(F[k - 2], 0))"}}
    out: {Y: "I[M]"}
    body: |
      p[n] = select(padded(e[n - 1], true), 0, padded(p[n - 1], -1) + 1)
      e[n] = X[n] and p[n] > 0 and padded(X[n - 1], false)
      at[n] = sum[i : i < n](e[i])
      M = sum[n](e[n])
      Y[wrap(at[n], M)] += F[clamp(p[n], 0, 79)] where X[n] and not e[n] and at[n] < M
''']


def rol(x, k, w=32):
    return ((x << k) | (x >> (w - k))) & ((1 << w) - 1)


def speck(x, key):
    k, l = [key[0]], list(key[1:])
    for i in range(26):
        l.append((k[i] + rol(l[i], 24)) % 2**32 ^ i)
        k.append(rol(k[i], 3) ^ l[i + 3])
    y, x = x
    for r in range(27):
        x = (rol(x, 24) + y) % 2**32 ^ k[r]
        y = rol(y, 3) ^ x
    return [y, x]


def salsa(x):
    s = list(x)
    def quarter(a, b, c, d):
        s[b] ^= rol((s[a] + s[d]) % 2**32, 7)
        s[c] ^= rol((s[b] + s[a]) % 2**32, 9)
        s[d] ^= rol((s[c] + s[b]) % 2**32, 13)
        s[a] ^= rol((s[d] + s[c]) % 2**32, 18)
    for _ in range(10):
        for c in range(4):
            quarter(*[(5*c + 4*k) % 16 for k in range(4)])
        for r in range(4):
            quarter(*[4*r + (r + k) % 4 for k in range(4)])
    return [(a + b) % 2**32 for a, b in zip(s, x)]


def enigma(x, w, v, u, notch, p):
    p, out = list(p), []
    for c in x:
        step = [p[1] == notch[1], p[2] == notch[2] or p[1] == notch[1], True]
        p = [(a + b) % 26 for a, b in zip(p, step)]
        c = int(c) - 65
        for j in (2, 1, 0):
            c = (w[j][(c + p[j]) % 26] - p[j]) % 26
        c = u[c]
        for j in (0, 1, 2):
            c = (v[j][(c + p[j]) % 26] - p[j]) % 26
        out.append(c + 65)
    return out


def a51(key, frame, n):
    r = [0, 0, 0]
    taps, mid, mask, top = [0x072000, 0x300000, 0x700080], [8, 10, 10], [0x7ffff, 0x3fffff, 0x7fffff], [18, 21, 22]
    def clock(i, b):
        r[i] = (r[i] << 1 | bin(r[i] & taps[i]).count('1') & 1) & mask[i] ^ b
    out = []
    for t in range(186 + n):
        if t < 86:
            b = int(key[t//8]) >> t % 8 & 1 if t < 64 else frame >> (t - 64) & 1
            for i in range(3):
                clock(i, b)
        else:
            m = [r[i] >> mid[i] & 1 for i in range(3)]
            maj = sum(m) >= 2
            for i in range(3):
                if m[i] == maj:
                    clock(i, 0)
        if t >= 186:
            out.append((r[0] >> 18 ^ r[1] >> 21 ^ r[2] >> 22) & 1)
    return out


def trivium(key, iv, n, warm):
    s = [0]*288
    s[:80], s[93:173], s[285:] = list(map(int, key)), list(map(int, iv)), [1, 1, 1]
    out = []
    for t in range(n + warm):
        a, b, c = s[65] ^ s[92], s[161] ^ s[176], s[242] ^ s[287]
        if t >= warm:
            out.append(a ^ b ^ c)
        a, b, c = a ^ s[90] & s[91] ^ s[170], b ^ s[174] & s[175] ^ s[263], c ^ s[285] & s[286] ^ s[68]
        s = [c] + s[:92] + [a] + s[93:176] + [b] + s[177:287]
    return out


def threefish(x, key, tweak):
    rot = [[14, 16], [52, 57], [23, 40], [5, 37], [25, 33], [46, 12], [58, 22], [32, 32]]
    k = list(key) + [0x1BD11BDAA9FC1A22 ^ key[0] ^ key[1] ^ key[2] ^ key[3]]
    t = list(tweak) + [tweak[0] ^ tweak[1]]
    sub = lambda e: [k[e % 5], k[(e + 1) % 5] + t[e % 3], k[(e + 2) % 5] + t[(e + 1) % 3], k[(e + 3) % 5] + e]
    v = list(x)
    for d in range(72):
        if d % 4 == 0:
            v = [(a + b) % 2**64 for a, b in zip(v, sub(d//4))]
        w = []
        for j in range(2):
            a = (v[2*j] + v[2*j + 1]) % 2**64
            w += [a, rol(v[2*j + 1], rot[d % 8][j], 64) ^ a]
        v = [w[0], w[3], w[2], w[1]]
    return [(a + b) % 2**64 for a, b in zip(v, sub(18))]


def cases(rng):
    words = lambda *s: rng.integers(0, 2**32, s, dtype=np.uint32)
    longs = lambda *s: rng.integers(0, 2**64, s, dtype=np.uint64)
    u = lambda y, t, *s: np.array(y, t).reshape(s)
    for m in (0, 1, 3, 17):
        x, k = words(m, 2), words(4)
        yield dict(op='speck_blocks', key='u32', inputs=[x, k], want=[u([speck(r, k.tolist()) for r in x.tolist()], np.uint32, m, 2)], tol=EXACT)
        x = words(m, 16)
        yield dict(op='salsa_words', key='u32', inputs=[x], want=[u([salsa(r) for r in x.tolist()], np.uint32, m, 16)], tol=EXACT)
        x, k, t = longs(m, 4), longs(4), longs(2)
        yield dict(op='threefish_blocks', key='u64', inputs=[x, k, t], want=[u([threefish(r, k.tolist(), t.tolist()) for r in x.tolist()], np.uint64, m, 4)], tol=EXACT)
        key = rng.integers(0, 256, (m, 8)).astype(np.uint8)
        for n, frame in [(0, 1), (17, 0x134), (33, 0)]:
            yield dict(op='a51_stream', key='u8', inputs=[key], attrs={'n': n, 'frame': frame}, want=[u([a51(r, frame, n) for r in key], bool, m, n)], dtypes=['bool'], tol=EXACT)
        for n in (0, 1, 9, 60):
            w = np.array([rng.permutation(26) for _ in range(3)], np.int32)
            v = np.argsort(w, axis=1).astype(np.int32)
            pairs = rng.permutation(26)
            ref = np.zeros(26, np.int32)
            ref[pairs[:13]], ref[pairs[13:]] = pairs[13:], pairs[:13]
            x, notch, p = rng.integers(65, 91, (m, n)).astype(np.uint8), rng.integers(0, 26, 3).astype(np.int32), rng.integers(0, 26, (m, 3)).astype(np.int32)
            yield dict(op='enigma', key='u8', inputs=[x, w, v, ref, notch, p], want=[u([enigma(a, w, v, ref, notch, b) for a, b in zip(x, p)], np.uint8, m, n)], tol=EXACT)
            x, s = longs(m, 2*n), longs(m)
            y = []
            for row, h in zip(x.tolist(), s.tolist()):
                for i in range(n):
                    full = (h ^ row[2*i])*(row[2*i + 1] ^ 0xa0761d6478bd642f)
                    h = full % 2**64 ^ full >> 64
                y.append(h)
            yield dict(op='folded_multiplied', key='u64', inputs=[x, s], want=[u(y, np.uint64, m)], tol=EXACT)
            x = rng.integers(0, 10, (m, n)).astype(np.uint8)
            mul = lambda a, b: (((a + b) % 5 if b < 5 else 5 + (a + b) % 5) if a < 5 else (5 + (a - b) % 5 if b < 5 else (a - b) % 5))
            one = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]
            ok = []
            for row in x:
                c = 0
                for i, d in enumerate(row[::-1].tolist()):
                    for _ in range(i % 8):
                        d = one[d]
                    c = mul(c, d)
                ok.append(c == 0)
            yield dict(op='verhoeff', key='u8', inputs=[x], want=[u(ok, bool, m)], dtypes=['bool'], tol=EXACT)
    for n, warm in [(0, 0), (1, 0), (9, 1152), (100, 5)]:
        key, iv = rand(rng, (80,), 'bool'), rand(rng, (80,), 'bool')
        yield dict(op='trivium_stream', key='bool', inputs=[key, iv], attrs={'n': n, 'warm': warm}, want=[u(trivium(key, iv, n, warm), bool, n)], tol=EXACT)
    count, width = [240, 120, 60, 30, 20, 15, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1], [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 60]
    for key, t in (('i64', np.int64), ('i32', np.int32)):
        for sel in ([], [15], [0], [3, 14, 7], [1, 2, 9, 15, 4]):
            x = [(s << 60) | int(longs(1)[0]) >> 4 for s in sel]
            y, at = [], []
            for s, w in zip(sel, x):
                at.append(len(y))
                y += [w >> i*width[s] & (1 << width[s]) - 1 for i in range(count[s])]
            y = (np.array(y, np.int64) - 7).astype(t)
            yield dict(op='simple8b_decoded', key=key, inputs=[np.array(x, np.uint64), np.array(-7, t)], want=[y, np.array(at, np.int64)], dtypes=[key, 'i64'],
                       room=[(240*len(sel),), (len(sel),)], tol=EXACT)
    for g in (0, 1, 3, 17):
        b = rng.integers(0, 256, 4*g).astype(np.uint8)
        x = []
        for i in range(g):
            w = int.from_bytes(b[4*i:4*i + 4].tobytes(), 'big')
            x += [33 + w//85**(4 - j) % 85 for j in range(5)]
        yield dict(op='ascii85_bytes', key='u8', inputs=[np.array(x, np.uint8)], want=[b], tol=EXACT)
    for b, block in [(0, 8), (1, 1), (3, 8), (5, 7), (9, 16)]:
        width = rng.choice([0, 1, 5, 13, 33, 63, 64], b).astype(np.uint8)
        base, bits, y, at = rng.integers(-99, 99, b), 0, [], 0
        for i in range(b):
            for _ in range(block):
                w = int(longs(1)[0]) >> 64 - int(width[i]) if width[i] else 0
                bits |= w << at
                at += int(width[i])
                y.append((w + int(base[i]) + 2**63) % 2**64 - 2**63)
        x = np.array([bits >> 64*i & 2**64 - 1 for i in range(-(-at//64))], np.uint64)
        yield dict(op='frames_of_reference', key='u64', inputs=[x, base, width], attrs={'block': block}, want=[np.array(y, np.int64)], dtypes=['i64'], tol=EXACT)
    for key in ('i32', 'i64'):
        for ptr in ([0], [0, 0], [0, 3, 3, 17, 33], [2, 5, 1]):
            x = rng.integers(0, 256, max(ptr)).astype(np.uint8)
            y, z = [], []
            for a, b in zip(ptr, ptr[1:]):
                h = p = 0
                for c in x[a:b].tolist():
                    h = (h + c) % 2**32
                    h = (h + (h << 10)) % 2**32
                    h ^= h >> 6
                    p = ((p ^ c)*167 + 13) % 256
                h = (h + (h << 3)) % 2**32
                h ^= h >> 11
                y.append((h + (h << 15)) % 2**32)
                z.append(p)
            yield dict(op='jenkins_ragged', key=key, inputs=[x, np.array(ptr, key.replace('i', 'int'))], want=[np.array(y, np.uint32), np.array(z, np.uint8)], dtypes=['u32', 'u8'], tol=EXACT)
    for n, k in [(0, 1), (5, 3), (2, 3), (33, 1), (60, 2), (40, 4)]:
        x, ok = rng.integers(0, 4, n).astype(np.uint8), rng.random(n) < .9
        y = np.zeros(4**k, np.int32)
        for o in range(n - k + 1):
            f = r = 0
            for j in range(k):
                f, r = 4*f + int(x[o + j]), 4*r + 3 - int(x[o + k - 1 - j])
            y[min(f, r)] += ok[o:o + k].all()
        yield dict(op='canonical_kmers', key='u8', inputs=[x, ok], attrs={'k': k}, want=[y], dtypes=['i32'], tol=EXACT)
    for n in (0, 1, 9, 60):
        x = rng.choice([192, 219, 220, 221, 1, 2], n).astype(np.uint8)
        y, lens, run, esc = [], [], 0, False
        for c in x.tolist():
            if c == 219 and not esc:
                esc = True
            elif c == 192 and not esc:
                lens.append(run)
                run = 0
            else:
                y.append({220: 192, 221: 219}.get(c, c) if esc else c)
                esc = False
                run += 1
        yield dict(op='slip_frames', key='u8', inputs=[x], want=[np.array(y, np.uint8), np.array(lens, np.int64)], dtypes=['u8', 'i64'], room=[(n,), (n,)], tol=EXACT)
        f = [1, 2]
        while len(f) < 80:
            f.append(f[-1] + f[-2])
        bits, y = [], rng.integers(1, 3 if n < 5 else 10**6, n)
        for v in y.tolist():
            code, k = [], max(i for i in range(79) if f[i] <= v)
            for i in range(k, -1, -1):
                code.append(f[i] <= v)
                v -= f[i]*code[-1]
            bits += code[::-1] + [True]
        b = np.array(bits, bool)
        yield dict(op='fibonacci_decoded', key='i64', inputs=[b], want=[y], dtypes=['i64'], room=[(len(b),)], tol=EXACT)


BAD = [
    dict(why='a round key that is read before it exists', text='''ops:
  - op: wrong
    in: {X: "u32[M, 2]", K: "u32[4]"}
    index: {i: 27}
    out: {Y: "u32[M, 2]"}
    body: |
      k[i] = select(i == 0, K[0], padded(k[i - 1], 0) + «padded(l[i + 2], 0)»)
      l[i] = k[i] + padded(l[i - 3], 0)
      Y[m,c] = X[m,c] + k[26]
'''),
    dict(why='a row of a table of eight by a count without a bound', text='''ops:
  - op: wrong
    tables: {P: {type: "u8[8, 10]", of: [k, d], values: k + d}}
    in: {X: "u8[M, N]"}
    out: {Y: "u8[M]"}
    body: |
      Y[m] = fold[n](c = cast(0, u8), c + «P[n,X[m,n] % 10]»)
'''),
    dict(why='an extent of data that an input has', text='''ops:
  - op: wrong
    in: {X: "u8[N]", Z: «"u8[M]"»}
    let: {M: upto(N)}
    out: {Y: "u8[M]"}
    body: |
      M = sum[n](X[n] > 3)
      Y[m] = Z[m]
'''),
]
