"""Bits, hashes, codes; sparse rows and segments; ragged rows."""
import base64
import hashlib
import struct

import numpy as np

from casekit import EXACT, available, rand, tol, wide

PRIMES = [p for p in range(2, 312) if all(p % q for q in range(2, p))][:64]


def root_bits(p, n):
    r = int(round(p**(1/n)*2**32))
    while r**n > p << (32*n):
        r -= 1
    while (r + 1)**n <= p << (32*n):
        r += 1
    return r & 0xffffffff


K = ', '.join(hex(root_bits(p, 3)) for p in PRIMES)
H = ', '.join(hex(root_bits(p, 2)) for p in PRIMES[:8])

OPS = [r'''
fn:
  rotr(x, n): bit_or(shr(x, n), shl(x, 32 - n))
ops:
  - op: sha256_block
    types: {U: [u32]}
    tables:
      K: {type: "u32[64]", values: [''' + K + r''']}
      I: {type: "u32[8]", values: [''' + H + r''']}
    in: {X: "U[B, 16]"}
    index: {t: 64, k: 8}
    out: {Y: "U[B, 8]"}
    body: |
      w[b,t] = select(t < 16, X[b,clamp(t, 0, 15)], padded(w[b,t - 16], 0) + bit_xor(bit_xor(rotr(padded(w[b,t - 15], 0), 7), rotr(padded(w[b,t - 15], 0), 18)), shr(padded(w[b,t - 15], 0), 3)) + padded(w[b,t - 7], 0) +
               bit_xor(bit_xor(rotr(padded(w[b,t - 2], 0), 17), rotr(padded(w[b,t - 2], 0), 19)), shr(padded(w[b,t - 2], 0), 10)))
      p[b,t] = padded(s[b,t - 1,7], I[7]) + bit_xor(bit_xor(rotr(padded(s[b,t - 1,4], I[4]), 6), rotr(padded(s[b,t - 1,4], I[4]), 11)), rotr(padded(s[b,t - 1,4], I[4]), 25)) + bit_xor(bit_and(padded(s[b,t - 1,4], I[4]), padded(s[b,t - 1,5], I[5])), bit_and(bit_not(padded(s[b,t - 1,4], I[4])), padded(s[b,t - 1,6], I[6]))) + K[t] + w[b,t]
      q[b,t] = bit_xor(bit_xor(rotr(padded(s[b,t - 1,0], I[0]), 2), rotr(padded(s[b,t - 1,0], I[0]), 13)), rotr(padded(s[b,t - 1,0], I[0]), 22)) + bit_xor(bit_xor(bit_and(padded(s[b,t - 1,0], I[0]), padded(s[b,t - 1,1], I[1])), bit_and(padded(s[b,t - 1,0], I[0]), padded(s[b,t - 1,2], I[2]))), bit_and(padded(s[b,t - 1,1], I[1]), padded(s[b,t - 1,2], I[2])))
      s[b,t,k] = select(k == 0, p[b,t] + q[b,t], padded(s[b,t - 1,k - 1], I[clamp(k - 1, 0, 7)]) + select(k == 4, p[b,t], 0))
      Y[b,k] = s[b,63,k] + I[k]
''', r'''
ops:
  - op: base64_letters
    types: {B: [u8]}
    tables:
      Abc: {type: "u8[64]", of: [k], values: "k + select(k < 26, 65, select(k < 52, 71, select(k < 62, -4, select(k == 62, -19, -16))))"}
    in: {X: "B[R, (N 3)]"}
    index: {j: 4}
    out: {Y: "u8[R, (N 4)]"}
    body: |
      w[r,n] = shl(cast(X[r,(n 0)], u32), 16) + shl(cast(X[r,(n 1)], u32), 8) + cast(X[r,(n 2)], u32)
      Y[r,(n j)] = Abc[shr(w[r,n], 18 - 6*j) % 64]
''', r'''
ops:
  - op: varint_decode
    types: {B: [u8]}
    in: {X: "B[N]"}
    let: {M: upto(N)}
    out: {Y: "u64[M]"}
    body: |
      v[i] = bit_or(shl(cast(bit_and(X[i], 127), u64), 7*pos[i]), select(pos[i] > 0, padded(v[i - 1], 0), 0))
      end[i] = select(X[i] < 128, 1, 0)
      at[i] = sum[j : j < i](end[j])
      M = sum[i](end[i])
      Y[wrap(at[i], M)] last= v[i] where end[i] == 1
''', r'''
ops:
  - op: delta_decode
    types: {I: [i32, i64, u8, u32]}
    attrs: {axis: int = 0}
    in: {X: "I[*P, N@axis, *Q]"}
    out: {Y: "I[*P, N, *Q]"}
    body: Y[*p,n,*q] = X[*p,n,*q] + padded(Y[*p,n - 1,*q], 0)
''', r'''
ops:
  - op: adpcm_decode
    types: {B: [u8]}
    tables:
      Adj: {type: "i32[8]", values: [-1, -1, -1, -1, 2, 4, 6, 8]}
      Step: {type: "i32[89]", of: [k], values: "round(7*1.1**k)"}
    in: {X: "B[C, N]"}
    out: {Y: "i16[C, N]"}
    body: |
      ix[c,n] = clamp(padded(ix[c,n - 1], 0) + Adj[bit_and(padded(X[c,n - 1], 0), 7)]*select(n == 0, 0, 1), 0, 88)
      d[c,n] = Step[clamp(ix[c,n], 0, 88)]*(2*cast(bit_and(X[c,n], 7), i32) + 1)//8
      p[c,n] = clamp(padded(p[c,n - 1], 0) + select(X[c,n] >= 8, -d[c,n], d[c,n]), -32768, 32767)
      Y[c,n] = cast(p[c,n], i16)
''', r'''
ops:
  - op: lfsr
    types: {U: [u16, u32]}
    attrs: {n: int = 16}
    in: {Seed: "U[B]"}
    index: {t: n}
    require: [n >= 0]
    let: {N: n}
    out: {Y: "U[B, N]"}
    body: |
      Y[b,t] = select(bit_and(padded(Y[b,t - 1], Seed[b]), 1) == 1, bit_xor(shr(padded(Y[b,t - 1], Seed[b]), 1), cast(0xB400, U)), shr(padded(Y[b,t - 1], Seed[b]), 1))
''', r'''
ops:
  - op: gcds
    types: {I: [i32, i64, u32]}
    in: {A: "I[*S]", B: "I[*S]"}
    index: {t: 48}
    out: {G: "I[*S]"}
    body: |
      a[t,*s] = select(padded(b[t - 1,*s], B[*s]) == 0, padded(a[t - 1,*s], A[*s]), padded(b[t - 1,*s], B[*s]))
      b[t,*s] = select(padded(b[t - 1,*s], B[*s]) == 0, 0, padded(a[t - 1,*s], A[*s]) % max(padded(b[t - 1,*s], B[*s]), 1))
      G[*s] = a[47,*s]
''', r'''
ops:
  - op: power_mod
    types: {I: [u32]}
    attrs: {m: u64 = 1000003}
    in: {A: "I[*S]", E: "I[*S]"}
    require: [m > 0]
    index: {k: 32}
    out: {Y: "u64[*S]"}
    body: |
      Y[*s] = fold[k](r = cast(1, u64), select(bit_and(shr(E[*s], 31 - k), 1) == 1, r*r % m*cast(A[*s], u64) % m, r*r % m))
''', r'''
ops:
  - op: csc_product
    types: {T: [f32, f64, i32], I: index}
    in: {Ptr: "I[P]", Row: "I[E]", V: "T[E]", X: "T[K]", Like: "T[M]"}
    let: {Kk: P - 1}
    require: [P >= 1, K == P - 1]
    out: {Y: "T[M]"}
    body: |
      Y[m] = Like[m]
      Y[wrap(Row[e], M)] += V[e]*X[k] where e in Ptr[k] .. Ptr[k + 1]
''', r'''
ops:
  - op: sampled_product
    types: {T: [f32, f64], I: index}
    in: {Ptr: "I[P]", Col: "I[E]", A: "T[M, D]", B: "T[K, D]"}
    require: [P == M + 1]
    out: {Y: "T[E]", Z: "T[M]"}
    body: |
      row[e] = 0
      row[e] += m where e in Ptr[m] .. Ptr[m + 1]
      Y[e] = sum[d](A[wrap(row[e], M),d]*B[wrap(Col[e], K),d])
      Z[m] = max[e in Ptr[m] .. Ptr[m + 1]](Y[e])
''', r'''
ops:
  - op: edge_softmax_rows
    types: {T: [f32, f64], I: index}
    in: {Ptr: "I[P]", S: "T[E, H]"}
    let: {M: P - 1}
    index: {r: M}
    require: [P >= 1]
    out: {Y: "T[E, H]"}
    body: |
      m[r,h] = max[e in Ptr[r] .. Ptr[r + 1]](S[e,h])
      z[r,h] = sum[e in Ptr[r] .. Ptr[r + 1]](exp(S[e,h] - m[r,h]))
      Y[e,h] += exp(S[e,h] - m[r,h])/z[r,h] where e in Ptr[r] .. Ptr[r + 1]
''', r'''
ops:
  - op: block_rows
    types: {T: [f32, f64], I: index}
    in: {Ptr: "I[P]", Col: "I[E]", V: "T[E, R, C]", X: "T[(K C), N]"}
    let: {M: P - 1}
    require: [P >= 1]
    out: {Y: "T[(M R), N]"}
    body: |
      Y[(m r),n] = sum[e in Ptr[m] .. Ptr[m + 1], c](V[e,r,c]*X[((wrap(Col[e], K)) c),n])
''', r'''
ops:
  - op: ell_product
    types: {T: [f32, f64, i32], I: index}
    in: {Col: "I[M, W]", V: "T[M, W]", X: "T[K]"}
    out: {Y: "T[M]"}
    require: [K >= 1]
    body: |
      Y[m] = sum[w : Col[m,w] >= 0](V[m,w]*X[clamp(Col[m,w], 0, K - 1)])
''', r'''
ops:
  - op: coo_to_rows
    types: {I: index}
    attrs: {rows: int = 5}
    in: {Row: "I[E]"}
    let: {P: rows + 1}
    require: [rows >= 0]
    out: {Ptr: "I[P]"}
    body: |
      n[r] = 0
      n[wrap(Row[e], rows)] += cast(1, I)
      Ptr[p] = sum[r : r < p](n[r])
    index: {r: rows}
''', r'''
ops:
  - op: ragged_to_padded
    types: {T: any, I: index}
    attrs: {width: int = 4}
    in: {Ptr: "I[P]", V: "T[E]"}
    let: {M: P - 1, W: width}
    require: [P >= 1, width >= 0]
    out: {Y: "T[M, W]", Mask: "bool[M, W]"}
    body: |
      Y[m,w] = select(Ptr[m] + w < Ptr[m + 1], padded(V[Ptr[m] + w], 0), 0)
      Mask[m,w] = Ptr[m] + w < Ptr[m + 1]
''', r'''
ops:
  - op: repeated
    types: {T: any, I: index}
    attrs: {most: int = 64}
    in: {V: "T[N]", C: "I[N]"}
    let: {M: upto(most)}
    require: [most >= 0]
    out: {Y: "T[M]"}
    body: |
      end[i] = sum[j : j <= i](C[j])
      M = max(sum[i](C[i]), 0)
      at[m] = sum[i](select(end[i] <= m, 1, 0))
      Y[m] = V[wrap(at[m], N)]
''', r'''
ops:
  - op: partitioned
    types: {T: real}
    attrs: {pivot: float = 0}
    in: {X: "T[N]"}
    out: {Y: "T[N]", C: "i64[]"}
    body: |
      low[i] = select(X[i] < pivot, 1, 0)
      before[i] = sum[j : j < i](low[j])
      n[] = sum[i](low[i])
      Y[wrap(select(low[i] == 1, before[i], n[] + i - before[i]), N)] last= X[i]
      C[] = n[]
''', r'''
ops:
  - op: unique_counts
    types: {T: [f32, i32, i64]}
    in: {X: "T[N]"}
    let: {M: upto(N)}
    out: {V: "T[M]", C: "i64[M]", Inv: "i64[N]"}
    body: |
      s, o = sort(X, axis=0)
      new[i] = select(i == 0, 1, select(s[i] != s[max(i - 1, 0)], 1, 0))
      at[i] = sum[j : j <= i](new[j]) - 1
      M = sum[i](new[i])
      V[wrap(at[i], M)] last= s[i]
      C[wrap(at[i], M)] += 1
      Inv[wrap(o[i], N)] last= at[i]
''', r'''
ops:
  - op: pagerank
    types: {T: [f64], I: index}
    attrs: {steps: int = 10, d: float = 0.85}
    in: {Ptr: "I[P]", Src: "I[E]", Deg: "T[N]"}
    index: {t: steps}
    require: [steps >= 1, P == N + 1, N >= 1]
    out: {R: "T[N]"}
    body: |
      r[t,v] = (1 - d)/N + d*sum[e in Ptr[v] .. Ptr[v + 1]](padded(r[t - 1,clamp(Src[e], 0, N - 1)], 1/N)/Deg[wrap(Src[e], N)])
      R[v] = r[steps - 1,v]
''', r'''
ops:
  - op: xnor_product
    types: {U: [u32, u64]}
    in: {A: "U[M, K]", B: "U[N, K]"}
    out: {Y: "i32[M, N]"}
    body: Y[m,n] = sum[k](cast(popcount(bit_not(bit_xor(A[m,k], B[n,k]))), i32))
''', r'''
ops:
  - op: utf8_lengths
    types: {B: [u8]}
    in: {X: "B[*P, N]"}
    out: {C: "i64[*P]", Bad: "bool[*P]"}
    body: |
      C[*p] = sum[n](select(bit_and(X[*p,n], 0xC0) != 0x80, 1, 0))
      left[*p,n] = select(bit_and(X[*p,n], 0xC0) == 0x80, padded(left[*p,n - 1], 0) - 1, select(X[*p,n] < 0x80, 0, select(X[*p,n] < 0xE0, 1, select(X[*p,n] < 0xF0, 2, 3))))
      Bad[*p] = any[n](left[*p,n] < 0)
''']
OPS[2] = OPS[2].replace("    body: |\n", "    body: |\n      pos[i] = select(i == 0, 0, select(padded(X[i - 1], 0) >= 128, padded(pos[i - 1], 0) + 1, 0))\n")


def np_t(key):
    return rand(np.random.default_rng(0), (1,), key).dtype


def rows(rng, m, k, density, t):
    mask = rng.random((m, k)) < density
    return np.concatenate([[0], np.cumsum(mask.sum(1))]).astype(t), np.nonzero(mask)[1].astype(t), mask


def cases(rng):
    def sha_rounds(block):
        rot = lambda x, n: ((x >> n) | (x << (32 - n))) & 0xffffffff
        k, h = [root_bits(p, 3) for p in PRIMES], [root_bits(p, 2) for p in PRIMES[:8]]
        w = list(map(int, block))
        for t in range(16, 64):
            a, b = w[t - 15], w[t - 2]
            w.append((w[t - 16] + (rot(a, 7) ^ rot(a, 18) ^ a >> 3) + w[t - 7] + (rot(b, 17) ^ rot(b, 19) ^ b >> 10)) & 0xffffffff)
        s = h[:]
        for t in range(64):
            p = s[7] + (rot(s[4], 6) ^ rot(s[4], 11) ^ rot(s[4], 25)) + (s[4] & s[5] ^ ~s[4] & s[6]) + k[t] + w[t]
            q = (rot(s[0], 2) ^ rot(s[0], 13) ^ rot(s[0], 22)) + (s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2])
            s = [(p + q) & 0xffffffff, s[0], s[1], s[2], (s[3] + p) & 0xffffffff, s[4], s[5], s[6]]
        return [(a + b) & 0xffffffff for a, b in zip(s, h)]
    for b in (0, 1, 3, 17):
        x = rng.integers(0, 2**32, (b, 16), dtype=np.uint64).astype(np.uint32)
        yield dict(op='sha256_block', key='u32', inputs=[x], want=[np.array([sha_rounds(r) for r in x], np.uint32).reshape(b, 8)], tol=EXACT)
    assert struct.pack('>8I', *sha_rounds(struct.unpack('>16I', b'abc\x80' + b'\0'*59 + b'\x18'))) == hashlib.sha256(b'abc').digest()
    for r, n in [(1, 1), (3, 17), (0, 2), (2, 0)]:
        x = rng.integers(0, 256, (r, 3*n)).astype(np.uint8)
        yield dict(op='base64_letters', key='u8', inputs=[x], want=[np.array([list(base64.b64encode(q.tobytes())) for q in x], np.uint8).reshape(r, 4*n)], tol=EXACT)
    for n in (1, 5, 33, 0):
        v = [int(x) for x in rng.integers(0, 2**63, n)] + [0, 1, 127, 128, 300]*(n > 0)
        v = [x >> int(rng.integers(0, 60)) for x in v]
        b = [y for x in v for y in leb(x)]
        yield dict(op='varint_decode', key='u8', inputs=[np.array(b, np.uint8)], want=[np.array(v, np.uint64)], dtypes=['u64'], room=[(len(b),)], tol=EXACT)
    for key in ('i32', 'i64', 'u8', 'u32'):
        for s, axis in [((1,), 0), ((33,), 0), ((5, 17), 1), ((17, 5), 0), ((2, 9, 3), 1), ((0, 3), 0)]:
            x = rand(rng, s, key, -100, 100)
            yield dict(op='delta_decode', key=key, inputs=[x], attrs={'axis': axis}, want=[np.cumsum(x, axis, dtype=x.dtype)], tol=EXACT)
    adj, step = [-1]*4 + [2, 4, 6, 8], [int(np.rint(7*1.1**k)) for k in range(89)]
    for c, n in [(1, 1), (3, 50), (17, 33), (2, 0)]:
        x = rng.integers(0, 16, (c, n)).astype(np.uint8)
        y = np.zeros((c, n), np.int16)
        for i in range(c):
            ix = p = 0
            for t in range(n):
                if t:
                    ix = min(max(ix + adj[x[i, t - 1] & 7], 0), 88)
                d = step[ix]*(2*int(x[i, t] & 7) + 1)//8
                p = min(max(p + (-d if x[i, t] >= 8 else d), -32768), 32767)
                y[i, t] = p
        yield dict(op='adpcm_decode', key='u8', inputs=[x], want=[y], dtypes=['i16'], tol=EXACT)
    for key in ('u16', 'u32'):
        for b, n in [(1, 1), (17, 20), (3, 0), (0, 4)]:
            s = rng.integers(1, 60000, b).astype(np_t(key))
            y, v = np.zeros((b, n), np_t(key)), s.copy()
            for t in range(n):
                v = np.where(v & 1, (v >> 1) ^ np_t(key).type(0xB400), v >> 1).astype(np_t(key)); y[:, t] = v
            yield dict(op='lfsr', key=key, inputs=[s], attrs={'n': n}, want=[y], tol=EXACT)
    for key in ('i32', 'i64', 'u32'):
        for s in [(), (17,), (3, 33), (0,)]:
            a, b = rng.integers(0, 10**9, s).astype(np_t(key)), rng.integers(0, 10**6, s).astype(np_t(key))
            yield dict(op='gcds', key=key, inputs=[np.asarray(a), np.asarray(b)], want=[np.gcd(a, b)], tol=EXACT)
    for s in [(), (17,), (3, 33)]:
        a, e = np.asarray(rng.integers(0, 2**32, s, dtype=np.uint64).astype(np.uint32)), np.asarray(rng.integers(0, 2**32, s, dtype=np.uint64).astype(np.uint32))
        yield dict(op='power_mod', key='u32', inputs=[a, e], want=[np.array([pow(int(x), int(y), 1000003) for x, y in zip(a.flat, e.flat)], np.uint64).reshape(s)], dtypes=['u64'], tol=EXACT)
    for t in (np.int32, np.int64):
        for m, k, d in [(1, 1, 1.0), (7, 5, .4), (17, 33, .2), (0, 3, .5), (3, 4, 0.0)]:
            for key in ('f32', 'f64', 'i32'):
                ptr, row, mask = rows(rng, k, m, d, t)
                v, x, y0 = rand(rng, row.shape, key), rand(rng, (k,), key), rand(rng, (m,), key)
                a = np.zeros((k, m)); a[mask] = wide(v)
                yield dict(op='csc_product', key=key, inputs=[ptr, row, v, x, y0], want=[wide(y0) + a.T@wide(x)], tol=EXACT if key == 'i32' else tol(ulp=2, acc=k + 4, mag=np.abs(wide(y0)) + np.abs(a).T@np.abs(wide(x))))
                ptr, col, mask = rows(rng, m, k, d, t)
                w = int(mask.sum(1).max(initial=0)) + 1
                cols, vals = np.full((m, w), -1, t), np.zeros((m, w), np_t(key))
                v = rand(rng, col.shape, key)
                for i in range(m):
                    q = col[ptr[i]:ptr[i + 1]]; cols[i, :len(q)] = q; vals[i, :len(q)] = v[ptr[i]:ptr[i + 1]]
                a = np.zeros((m, k)); a[mask] = wide(v)
                yield dict(op='ell_product', key=key, inputs=[cols, vals, x], want=[a@wide(x)], tol=EXACT if key == 'i32' else tol(ulp=2, acc=k + 4, mag=np.abs(a)@np.abs(wide(x))))
                if key == 'i32':
                    row = rng.integers(0, m, 29 if m else 0).astype(t)
                    yield dict(op='coo_to_rows', key='i32' if t == np.int32 else 'i64', inputs=[row], attrs={'rows': m}, want=[np.concatenate([[0], np.cumsum(np.bincount(row, minlength=m))]).astype(t)[:m + 1]], tol=EXACT)
                    continue
                if len(col):
                    aa, bb = rand(rng, (m, 9), key), rand(rng, (k, 9), key)
                    full = wide(aa)@wide(bb).T
                    z = np.array([full[i][mask[i]].max(initial=-np.inf) for i in range(m)])
                    yield dict(op='sampled_product', key=key, inputs=[ptr, col, aa, bb], want=[full[mask], z], tol=tol(ulp=2, acc=24, mag=40.0))
                s = rand(rng, (len(col), 3), key)
                y = np.zeros((len(col), 3))
                for i in range(m):
                    e = np.exp(wide(s)[ptr[i]:ptr[i + 1]]); y[ptr[i]:ptr[i + 1]] = e/e.sum(0)
                yield dict(op='edge_softmax_rows', key=key, inputs=[ptr, s], want=[y], tol=tol(ulp=8, acc=k + 8))
                for n in (1, 17):
                    v, x = rand(rng, (len(col), 2, 3), key), rand(rng, (3*k, n), key)
                    a = np.zeros((m, k, 2, 3)); a[mask] = wide(v); a = a.transpose(0, 2, 1, 3).reshape(2*m, 3*k)
                    yield dict(op='block_rows', key=key, inputs=[ptr, col, v, x], want=[a@wide(x)], tol=tol(ulp=2, acc=3*k + 4, mag=np.abs(a)@np.abs(wide(x))))
    for key in ('f32', 'u8', 'bool', 'i64', *available('f16', 'bf16')):
        for m in (0, 1, 5, 17):
            n = rng.integers(0, 6, m); ptr = np.concatenate([[0], np.cumsum(n)])
            v = rand(rng, (int(ptr[-1]),), key)
            y, mask = np.zeros((m, 4), np_t(key)), np.zeros((m, 4), bool)
            for i in range(m):
                q = v[ptr[i]:ptr[i + 1]][:4]; y[i, :len(q)] = q; mask[i, :len(q)] = True
            yield dict(op='ragged_to_padded', key=key, inputs=[ptr.astype(np.int64), v], want=[y, mask], dtypes=[key, 'bool'], tol=EXACT)
            v = rand(rng, (m,), key)
            yield dict(op='repeated', key=key, inputs=[v, n.astype(np.int32)], attrs={'most': 100}, want=[np.repeat(v, n)], room=[(100,)], tol=EXACT)
            if m == 17:
                yield dict(op='repeated', key=key, inputs=[v, n.astype(np.int32)], attrs={'most': 3}, error='more than fit', out=[(key, (3,))])
    for key in ('f32', 'i8', 'u8', 'f64', *available('bf16')):
        for n in (0, 1, 17, 40):
            x = rand(rng, (n,), key)
            yield dict(op='partitioned', key=key, inputs=[x], want=[np.concatenate([x[wide(x) < 0], x[wide(x) >= 0]]), np.int64((wide(x) < 0).sum())], dtypes=[key, 'i64'], tol=EXACT)
    for key in ('f32', 'i32', 'i64'):
        for n in (0, 1, 17, 40):
            x = rng.integers(-4, 5, n).astype(np_t(key))
            v, inv, c = np.unique(x, return_inverse=True, return_counts=True)
            yield dict(op='unique_counts', key=key, inputs=[x], want=[v, c, inv.astype(np.int64)], room=[(n,), (n,), (n,)], dtypes=[key, 'i64', 'i64'], tol=EXACT)
    for n in (1, 5, 17):
        mask = rng.random((n, n)) < .4; mask[np.arange(n), (np.arange(n) + 1) % n] = True
        deg = mask.sum(0).astype(float)
        ptr, col = np.concatenate([[0], np.cumsum(mask.sum(1))]), np.nonzero(mask)[1]
        r = np.full(n, 1/n)
        for _ in range(10):
            r = .15/n + .85*(mask@(r/deg))
        yield dict(op='pagerank', key='f64', inputs=[ptr, col, deg], want=[r], tol=tol(ulp=8, acc=100*n, mag=1.0))
    for key in ('u32', 'u64'):
        for m, n, k in [(1, 1, 1), (5, 7, 3), (17, 16, 9), (2, 3, 0), (0, 2, 2)]:
            a, b = (rng.integers(0, 2**32, s, dtype=np.uint64).astype(np_t(key)) for s in ((m, k), (n, k)))
            bits = np.array([[sum(bin(~(int(x) ^ int(y)) & (2**int(key[1:]) - 1)).count('1') for x, y in zip(p, q)) for q in b] for p in a], np.int32).reshape(m, n)
            yield dict(op='xnor_product', key=key, inputs=[a, b], want=[bits], dtypes=['i32'], tol=EXACT)
    for text in ('abc', 'äöü€', '😀x', ''):
        x = np.frombuffer(text.encode(), np.uint8)
        yield dict(op='utf8_lengths', key='u8', inputs=[x], want=[np.int64(len(text)), np.bool_(False)], dtypes=['i64', 'bool'], tol=EXACT)


def leb(x):
    out = []
    while x >= 128:
        out.append(x & 127 | 128); x >>= 7
    return out + [x]
