"""Likelihoods on trees and along sequences, a cipher whose tables come from one another, a format of compression."""
import numpy as np

from casekit import EXACT, np_dtype, tol, wide

OPS = r'''
ops:
  - op: aes_encrypt
    doc: blocks of AES-128; the tables are made from powers of 3
    tables:
      P: {type: "u8[256]", of: [k], values: "select(k == 0, 1, bit_xor(padded(P[k - 1], 0), bit_xor(shl(padded(P[k - 1], 0), 1), select(padded(P[k - 1], 0) >= 128, 0x1b, 0))))"}
      L: {type: "u8[256]", of: [x], values: "max[n : n < 255 and P[n] == x](n)"}
      V: {type: "u8[256]", of: [x], values: "select(x == 0, 0, P[(255 - L[x]) % 255])"}
      S:
        type: u8[256]
        of: [x]
        values: |
          bit_xor(0x63, bit_and(255, bit_xor(V[x], bit_xor(bit_xor(shl(V[x], 1), shr(V[x], 7)), bit_xor(bit_xor(shl(V[x], 2), shr(V[x], 6)), bit_xor(bit_xor(shl(V[x], 3), shr(V[x], 5)), bit_xor(shl(V[x], 4), shr(V[x], 4))))))))
      Rc: {type: "u8[11]", values: [0, 1, 2, 4, 8, 16, 32, 64, 128, 0x1b, 0x36]}
    index: {n: 256, w: 44, j: 4, r: 11}
    in: {X: "u8[B, 16]", Key: "u8[16]"}
    out: {Y: "u8[B, 16]"}
    body: |
      k[w,j] = select(w < 4, Key[min(4*w + j, 15)], bit_xor(padded(k[w - 4,j], 0), select(w % 4 == 0, bit_xor(S[padded(k[w - 1,(j + 1) % 4], 0)], select(j == 0, Rc[w//4], 0)), padded(k[w - 1,j], 0))))
      u[r,b,i] = S[padded(t[r - 1,b,5*i % 16], 0)]
      d[r,b,i] = bit_xor(shl(u[r,b,i], 1), select(u[r,b,i] >= 128, 0x1b, 0))
      m[r,b,i] = bit_xor(bit_xor(d[r,b,i], bit_xor(d[r,b,i//4*4 + (i + 1) % 4], u[r,b,i//4*4 + (i + 1) % 4])), bit_xor(u[r,b,i//4*4 + (i + 2) % 4], u[r,b,i//4*4 + (i + 3) % 4]))
      t[r,b,i] = bit_xor(k[4*r + i//4,i % 4], select(r == 0, X[b,i], select(r == 10, u[r,b,i], m[r,b,i])))
      Y[b,i] = t[10,b,i]

  - op: felsenstein
    doc: the likelihood of columns of an alignment on a tree whose children come before their parents
    types: {T: [f32, f64], I: index}
    in: {Left: "I[N]", Right: "I[N]", Pl: "T[N, 4, 4]", Pr: "T[N, 4, 4]", Leaf: "u8[N, C]", Pi: "T[4]"}
    require: [N >= 1]
    out: {Like: "T[C]"}
    body: |
      l[n,c,a] = select(Left[n] < 0, select(Leaf[n,c] == a or Leaf[n,c] > 3, 1, 0), sum[b](Pl[n,a,b]*padded(l[clamp(min(Left[n], n - 1), -1, N),c,b], 0))*sum[d](Pr[n,a,d]*padded(l[clamp(min(Right[n], n - 1), -1, N),c,d], 0)))
      Like[c] = sum[a](Pi[a]*l[N - 1,c,a])

  - op: baum_welch
    doc: expected transitions and emissions of a hidden Markov model, scaled
    types: {T: [f32, f64], I: index}
    in: {A: "T[S, S]", E: "T[S, V]", P: "T[S]", O: "I[L]"}
    require: [L >= 1]
    out: {Xi: "T[S, S]", Em: "T[S, V]", LogLik: "T[]"}
    body: |
      e[t,s] = E[s,wrap(O[t], V)]
      u[t,s] = e[t,s]*select(t == 0, P[s], sum[r](padded(f[t - 1,r], 0)*A[r,s]))
      c[t] = 1/sum[s](u[t,s])
      f[t,s] = u[t,s]*c[t]
      b[t,s] = select(t == L - 1, 1, sum[r](A[s,r]*padded(e[t + 1,r], 0)*padded(b[t + 1,r], 0)))*c[t]
      Xi[r,s] = sum[t : t < L - 1](f[t,r]*A[r,s]*padded(e[t + 1,s], 0)*padded(b[t + 1,s], 0))
      g[t,s] = f[t,s]*b[t,s]/c[t]
      Em[s,v] = sum[t : O[t] == v](g[t,s])
      LogLik[] = -sum[t](log(c[t]))

  - op: pair_hmm
    doc: the likelihood that a read comes from a haplotype, as in variant callers
    types: {T: [f32, f64]}
    attrs: {open: float = 0.01, extend: float = 0.1}
    in: {R: "u8[N]", Q: "T[N]", H: "u8[M]"}
    let: {P: N + 1, W: M + 1}
    index: {i: P, j: W}
    require: [N >= 1, M >= 1]
    out: {Like: "T[]"}
    body: |
      prior[i,j] = select(padded(R[i - 1], 0) == padded(H[j - 1], 0), 1 - padded(Q[i - 1], 0), padded(Q[i - 1], 0)/3)
      m[i,j] = select(i == 0 or j == 0, 0, prior[i,j]*((1 - 2*open)*padded(m[i - 1,j - 1], 0) + (1 - extend)*(padded(x[i - 1,j - 1], 0) + padded(y[i - 1,j - 1], 0))))
      x[i,j] = select(i == 0, 0, open*padded(m[i - 1,j], 0) + extend*padded(x[i - 1,j], 0))
      y[i,j] = select(i == 0, 1/cast(M, T), select(j == 0, 0, open*padded(m[i,j - 1], 0) + extend*padded(y[i,j - 1], 0)))
      Like[] = sum[j : j >= 1](m[N,j] + x[N,j])

  - op: lz4_decode
    doc: a block of LZ4; each step copies literals or a match by its place in the output
    attrs: {size: int}
    in: {B: "u8[N]"}
    let: {S: size}
    require: [size >= 1, N >= 1]
    out: {Y: "u8[S]"}
    body: |
      more[n] = cast(B[n], i64) + select(B[n] == 255, padded(more[n + 1], 0), 0)
      after[n] = select(B[n] == 255, padded(after[n + 1], N), n + 1)
      new[p] = padded(lit[p - 1], 0) == 0 and padded(rest[p - 1], 0) == 0
      at[p] = padded(next[p - 1], 0)
      tok[p] = cast(padded(B[at[p]], 0), i64)
      n1[p] = select(new[p], tok[p]//16 + select(tok[p]//16 == 15, padded(more[at[p] + 1], 0), 0), padded(lit[p - 1], 0))
      from[p] = select(new[p], select(tok[p]//16 == 15, padded(after[at[p] + 1], N), at[p] + 1), padded(from[p - 1], 0) + 1)
      o[p] = from[p] + n1[p]
      off[p] = select(new[p], cast(padded(B[o[p]], 0), i64) + 256*cast(padded(B[o[p] + 1], 0), i64), padded(off[p - 1], 0))
      n2[p] = select(new[p], tok[p] % 16 + 4 + select(tok[p] % 16 == 15, padded(more[o[p] + 2], 0), 0), padded(rest[p - 1], 0))
      next[p] = select(new[p], select(tok[p] % 16 == 15, padded(after[o[p] + 2], N), o[p] + 2), at[p])
      Y[p] = select(n1[p] > 0, padded(B[from[p]], 0), padded(Y[p - max(off[p], 1)], 0))
      lit[p] = max(n1[p] - 1, 0)
      rest[p] = select(n1[p] > 0, n2[p], n2[p] - 1)
'''


def baum(A, E, P, O):
    L, S = len(O), len(P); V = E.shape[1]
    al = np.zeros((L, S)); be = np.ones((L, S)); c = np.zeros(L)
    for t in range(L):
        u = E[:, O[t]]*(P if t == 0 else al[t - 1] @ A)
        c[t] = 1/u.sum(); al[t] = u*c[t]
    be[L - 1] = c[L - 1]
    for t in range(L - 2, -1, -1):
        be[t] = (A @ (E[:, O[t + 1]]*be[t + 1]))*c[t]
    Xi = np.zeros((S, S))
    for t in range(L - 1):
        Xi += al[t][:, None]*A*(E[:, O[t + 1]]*be[t + 1])[None]
    g = al*be/c[:, None]
    Em = np.zeros((S, V))
    for t in range(L):
        Em[:, O[t]] += g[t]
    return Xi, Em, np.array(-np.log(c).sum())


def aes(X, key):
    def xt(a): return ((a << 1) ^ 0x1b) & 255 if a & 128 else a << 1
    def mul(a, b):
        r = 0
        while b:
            if b & 1: r ^= a
            a = xt(a); b >>= 1
        return r
    sb = []
    for x in range(256):
        v = next((y for y in range(256) if mul(x, y) == 1), 0)
        r = v
        for k in range(1, 5): r ^= ((v << k) | (v >> 8 - k)) & 255
        sb.append(r ^ 0x63)
    w = [list(key[4*i:4*i + 4]) for i in range(4)]; rc = 1
    for i in range(4, 44):
        t = list(w[i - 1])
        if i % 4 == 0:
            t = [sb[v] for v in t[1:] + t[:1]]; t[0] ^= rc; rc = xt(rc)
        w.append([a ^ b for a, b in zip(w[i - 4], t)])
    out = []
    for blk in X:
        s = [int(b) ^ w[i//4][i % 4] for i, b in enumerate(blk)]
        for r in range(1, 11):
            s = [sb[s[(i + 4*(i % 4)) % 16]] for i in range(16)]
            if r < 10:
                s = [mul(s[i], 2) ^ mul(s[i//4*4 + (i + 1) % 4], 3) ^ s[i//4*4 + (i + 2) % 4] ^ s[i//4*4 + (i + 3) % 4] for i in range(16)]
            s = [v ^ w[4*r + i//4][i % 4] for i, v in enumerate(s)]
        out.append(s)
    return np.array(out, np.uint8).reshape(len(X), 16)


FIPS = aes(np.array([[int('00112233445566778899aabbccddeeff'[2*i:2*i + 2], 16) for i in range(16)]]), list(range(16)))
assert bytes(FIPS[0]).hex() == '69c4e0d86a7b0430d8cdb78070b4c55a'


def lz4_encode(data):
    out = bytearray(); i = 0; lits = bytearray()
    def emit(lits, off=None, ml=0):
        L = len(lits); tok = min(L, 15) << 4 | (min(ml - 4, 15) if off else 0); out.append(tok)
        if L >= 15:
            r = L - 15
            while r >= 255: out.append(255); r -= 255
            out.append(r)
        out.extend(lits)
        if off:
            out.extend([off & 255, off >> 8])
            if ml - 4 >= 15:
                r = ml - 19
                while r >= 255: out.append(255); r -= 255
                out.append(r)
    while i < len(data):
        best, bo = 0, 0
        for o in range(1, min(i, 300) + 1):
            k = 0
            while i + k < len(data) and data[i + k] == data[i + k - o]: k += 1
            if k > best: best, bo = k, o
        if best >= 4:
            emit(lits, bo, best); lits = bytearray(); i += best
        else:
            lits.append(data[i]); i += 1
    if lits: emit(lits)
    return bytes(out)


def cases(rng):
    for key in ('f32', 'f64'):
        for S, V, L in ((3, 5, 17), (1, 1, 1), (16, 4, 33)):
            A, E, P = (rng.uniform(.1, 1, s).astype(np_dtype(key)) for s in ((S, S), (S, V), (S,)))
            A /= A.sum(1, keepdims=True); E /= E.sum(1, keepdims=True); P /= P.sum()
            for it in ('i32', 'i64'):
                O = rng.integers(0, V, L).astype(np_dtype(it))
                yield dict(op='baum_welch', key=key, inputs=[A, E, P, O], attrs={}, want=list(baum(wide(A), wide(E), wide(P), O)), dtypes=[key]*3, tol=tol(ulp=300, acc=300))
        for n, m in ((5, 9), (1, 1), (17, 33), (16, 16)):
            R = rng.integers(0, 4, n).astype(np.uint8); H = rng.integers(0, 4, m).astype(np.uint8); H[:min(n, m)] = R[:min(n, m)]
            Q = rng.uniform(.01, .1, n).astype(np_dtype(key)); q = wide(Q); o, e = .01, .1
            M = np.zeros((n + 1, m + 1)); X = M.copy(); Y = M.copy(); Y[0] = 1/m
            for i in range(1, n + 1):
                for j in range(m + 1):
                    if j:
                        pr = 1 - q[i - 1] if R[i - 1] == H[j - 1] else q[i - 1]/3
                        M[i, j] = pr*((1 - 2*o)*M[i - 1, j - 1] + (1 - e)*(X[i - 1, j - 1] + Y[i - 1, j - 1]))
                        Y[i, j] = o*M[i, j - 1] + e*Y[i, j - 1]
                    X[i, j] = o*M[i - 1, j] + e*X[i - 1, j]
            yield dict(op='pair_hmm', key=key, inputs=[R, Q, H], attrs={}, want=[np.array((M + X)[n, 1:].sum())], dtypes=[key], tol=tol(ulp=500, acc=500))
        for leaves, c in ((4, 17), (1, 3), (9, 33), (3, 0)):
            n = 2*leaves - 1
            for it in ('i32', 'i64'):
                L = np.full(n, -1); Rr = np.full(n, -1); pool = list(range(leaves)); k = leaves
                while len(pool) > 1:
                    a = pool.pop(rng.integers(0, len(pool))); b = pool.pop(rng.integers(0, len(pool))); L[k], Rr[k] = a, b; pool.append(k); k += 1
                Pl = rng.dirichlet(np.ones(4), (n, 4)).astype(np_dtype(key)); Pr = rng.dirichlet(np.ones(4), (n, 4)).astype(np_dtype(key))
                leaf = rng.integers(0, 5, (n, c)).astype(np.uint8); pi = rng.dirichlet(np.ones(4)).astype(np_dtype(key))
                l = np.zeros((n, c, 4))
                for v in range(n):
                    if L[v] < 0: l[v] = (leaf[v][:, None] == np.arange(4)) | (leaf[v] > 3)[:, None]
                    else: l[v] = (l[L[v]] @ wide(Pl)[v].T)*(l[Rr[v]] @ wide(Pr)[v].T)
                yield dict(op='felsenstein', key=key, inputs=[L.astype(np_dtype(it)), Rr.astype(np_dtype(it)), Pl, Pr, leaf, pi], attrs={}, want=[l[-1] @ wide(pi)], dtypes=[key], tol=tol(ulp=100, acc=100))
    for data in (b'a', b'abcabcabcabcabcabcabc', bytes(rng.integers(0, 256, 700).astype(np.uint8)), b'xy'*900 + bytes(rng.integers(0, 4, 200).astype(np.uint8)), bytes(rng.integers(0, 2, 300).astype(np.uint8))):
        yield dict(op='lz4_decode', key='u8', inputs=[np.frombuffer(lz4_encode(data), np.uint8).copy()], attrs=dict(size=len(data)), want=[np.frombuffer(data, np.uint8)], dtypes=['u8'], tol=EXACT)
    for B in (1, 0, 33):
        X = rng.integers(0, 256, (B, 16)).astype(np.uint8); k = rng.integers(0, 256, 16).astype(np.uint8)
        yield dict(op='aes_encrypt', key='u8', inputs=[X, k], attrs={}, want=[aes(X, [int(v) for v in k])], dtypes=['u8'], tol=EXACT)
