"""States, alignments, banded solvers, filters, sparse rows and codes as people write them, against plain NumPy loops."""
import zlib

import numpy as np

from casekit import EXACT, rand, softmax, tol, wide

OPS = r'''
ops:
  - op: both_ways
    types: {T: float, I: index}
    in: {X: "T[B, L, C]", A: "T[C]", Len: "I[B]"}
    out: {Y: "T[B, L, (2 C)]"}
    body: |
      f[b,t,c] = X[b,t,c] + A[c]*padded(f[b,t - 1,c], 0)
      g[b,t,c] = select(t < Len[b], X[b,t,c] + A[c]*padded(g[b,t + 1,c], 0), 0)
      Y[b,t,(r c)] = select(r == 0, f[b,t,c], g[b,t,c])

  - op: diagonal_states
    types: {T: [f32, f64]}
    in:
      X: T[L, C]
      Rate: T[C, S]
      Turn: T[C, S]
      W: complex(T)[C, S]
      H0?: complex(T)[C, S]
    out: {Y: "T[L, C]"}
    body: |
      d[c,s] = exp(complex(-Rate[c,s], Turn[c,s]))
      h[t,c,s] = d[c,s]*padded(h[t - 1,c,s], opt(H0[c,s], 0)) + X[t,c]
      Y[t,c] = 2*real(sum[s](W[c,s]*h[t,c,s]))

  - op: grouped_states
    types: {T: float}
    in: {X: "T[L, (G R), D]", A: "T[(G R)]", Dt: "T[L, (G R)]", Bm: "T[L, G, S]", Cm: "T[L, G, S]"}
    attrs: {G: int}
    require: [G >= 1]
    out: {Y: "T[L, (G R), D]"}
    body: |
      a[t,(g r)] = exp(A[(g r)]*Dt[t,(g r)])
      h[t,(g r),d,s] = a[t,(g r)]*padded(h[t - 1,(g r),d,s], 0) + Dt[t,(g r)]*Bm[t,g,s]*X[t,(g r),d]
      Y[t,(g r),d] = sum[s](Cm[t,g,s]*h[t,(g r),d,s])

  - op: affine_local
    doc: the best local alignment with affine gaps, and where it ends
    types: {I: [u8, i32]}
    attrs: {match: int = 2, mismatch: int = -1, open: int = 3, extend: int = 1}
    in: {A: "I[N]", B: "I[M]"}
    out: {Best: "i32[]", H: "i16[N, M]"}
    body: |
      e[i,j] = max(padded(h[i,j - 1], 0) - open, padded(e[i,j - 1], -1000) - extend)
      f[i,j] = max(padded(h[i - 1,j], 0) - open, padded(f[i - 1,j], -1000) - extend)
      h[i,j] = max(0, padded(h[i - 1,j - 1], 0) + select(A[i] == B[j], match, mismatch), e[i,j], f[i,j])
      H[i,j] = h[i,j]
      Best[] = max(max[i,j](h[i,j]), 0)

  - op: warped_in_band
    types: {T: float}
    attrs: {band: int}
    in: {A: "T[N, D]", B: "T[M, D]"}
    require: [N >= 1, M >= 1, band >= 0]
    out: {Cost: "wide(T)[]"}
    body: |
      d[i,j] = sum[k](abs(A[i,k] - B[j,k]))
      c[i,j] = select(abs(i - j) <= band, cast(d[i,j], wide(T)) + select(i == 0 and j == 0, 0, min(padded(c[i - 1,j], inf), padded(c[i,j - 1], inf), padded(c[i - 1,j - 1], inf))), inf)
      Cost[] = c[N - 1,M - 1]

  - op: lower_band_solve
    types: {T: float}
    in: {L: "T[N, V]", B: "T[N, K]"}
    require: [V >= 1]
    out: {X: "T[N, K]"}
    body: |
      X[i,k] = (B[i,k] - sum[j : i - V < j and j < i](L[i,clamp(j - i + V - 1, 0, V - 1)]*X[j,k]))/L[i,V - 1]

  - op: level_with_gaps
    doc: a local level tracked by a scalar Kalman filter, where some observations are missing
    types: {T: float}
    attrs: {q: float = 0.1, r: float = 0.5}
    in: {Z: "T[L, C]", Seen: "bool[L, C]"}
    out: {X: "T[L, C]", P: "T[L, C]"}
    body: |
      k[t,c] = select(Seen[t,c], (padded(P[t - 1,c], 1) + q)/(padded(P[t - 1,c], 1) + q + r), 0)
      P[t,c] = (1 - k[t,c])*(padded(P[t - 1,c], 1) + q)
      X[t,c] = padded(X[t - 1,c], 0) + k[t,c]*(Z[t,c] - padded(X[t - 1,c], 0))

  - op: sections
    doc: a cascade of second-order sections
    types: {T: [f32, f64]}
    in: {X: "T[R, L]", B: "T[S, 3]", A: "T[S, 2]"}
    require: [S >= 1]
    out: {Y: "T[R, L]"}
    body: |
      u[r,s,t] = select(s == 0, X[r,t], padded(z[r,s - 1,t], 0))
      z[r,s,t] = B[s,0]*u[r,s,t] + B[s,1]*padded(u[r,s,t - 1], 0) + B[s,2]*padded(u[r,s,t - 2], 0) - A[s,0]*padded(z[r,s,t - 1], 0) - A[s,1]*padded(z[r,s,t - 2], 0)
      Y[r,t] = z[r,S - 1,t]

  - op: comb_echo
    types: {T: float}
    attrs: {delay: int, g: float = 0.5}
    in: {X: "T[R, L]"}
    require: [delay >= 1]
    out: {Y: "T[R, L]", Z: "T[R, L]"}
    body: |
      Y[r,t] = X[r,t] + g*padded(Y[r,t - delay], 0)
      Z[r,t] = -g*X[r,t] + padded(X[r,t - delay], 0) + g*padded(Z[r,t - delay], 0)

  - op: csr_to_dense
    types: {T: number, I: index}
    in: {Ptr: "I[P]", Col: "I[E]", V: "T[E]", Like: "bool[K]"}
    let: {M: P - 1}
    require: [P >= 1]
    out: {Y: "T[M, K]", N: "i64[K]"}
    body: |
      Y[m,wrap(Col[e], K)] += V[e] where e in Ptr[m] .. Ptr[m + 1]
      N[wrap(Col[e], K)] += 1 where e in Ptr[m] .. Ptr[m + 1] : Like[wrap(Col[e], K)]

  - op: csr_transposed_product
    types: {T: [f32, f64, i32], I: index}
    attrs: {K: int}
    in: {Ptr: "I[P]", Col: "I[E]", V: "T[E]", X: "T[M, N]"}
    require: [P == M + 1, K >= 0]
    let: {O: K}
    out: {Y: "T[O, N]"}
    body: Y[wrap(Col[e], O),n] += V[e]*X[m,n] where e in Ptr[m] .. Ptr[m + 1]

  - op: block_rows_product
    types: {T: float, I: index}
    in: {Ptr: "I[P]", Col: "I[E]", V: "T[E, R, C]", X: "T[(K C), N]"}
    let: {M: P - 1}
    require: [P >= 1, C >= 1]
    out: {Y: "T[(M R), N]"}
    body: Y[(m r),n] = sum[e in Ptr[m] .. Ptr[m + 1],c](V[e,r,c]*X[C*wrap(Col[e], K) + c,n])

  - op: ragged_fnv
    types: {I: index}
    in: {Ptr: "I[P]", X: "u8[E]"}
    let: {M: P - 1}
    require: [P >= 1]
    out: {H: "u32[M]", Z: "u64[M]"}
    body: |
      H[m] = fold[e in Ptr[m] .. Ptr[m + 1] : X[e] != 0](a = cast(0x811C9DC5, u32), bit_xor(a, cast(X[e], u32))*16777619)
      Z[m] = fold[e in Ptr[m] .. Ptr[m + 1]](a = cast(1, u64), a*0x100000001B3 + cast(X[e], u64))

  - op: crc_by_four
    doc: four bytes at a time, with tables of which each follows from the one before
    index: {b: 8, n: N}
    tables:
      T1:
        type: u32[256]
        of: [k]
        values: fold[b](c = cast(k, u32), select(bit_and(c, 1) == 1, bit_xor(shr(c, 1), 0x82F63B78), shr(c, 1)))
      T4:
        type: u32[4, 256]
        of: [s, k]
        values: select(s == 0, T1[k], bit_xor(shr(padded(T4[s - 1,k], 0), 8), T1[padded(T4[s - 1,k], 0) % 256]))
    in: {X: "u8[M, (N 4)]"}
    out: {Y: "u32[M]"}
    body: |
      w[m,n] = bit_or(bit_or(cast(X[m,4*n], u32), shl(cast(X[m,4*n + 1], u32), 8)), bit_or(shl(cast(X[m,4*n + 2], u32), 16), shl(cast(X[m,4*n + 3], u32), 24)))
      r[m,n] = bit_xor(padded(s[m,n - 1], 0xFFFFFFFF), w[m,n])
      s[m,n] = bit_xor(bit_xor(T4[3,r[m,n] % 256], T4[2,shr(r[m,n], 8) % 256]), bit_xor(T4[1,shr(r[m,n], 16) % 256], T4[0,shr(r[m,n], 24)]))
      Y[m] = bit_not(select(N == 0, cast(0xFFFFFFFF, u32), padded(s[m,N - 1], 0)))

  - op: adler_rows
    in: {X: "u8[*P, N]"}
    out: {Y: "u32[*P]"}
    body: |
      a[*p] = (1 + sum[n](cast(X[*p,n], i64))) % 65521
      b[*p] = (N + sum[n]((N - n)*cast(X[*p,n], i64))) % 65521
      Y[*p] = cast(b[*p]*65536 + a[*p], u32)

  - op: rows_and_columns_kept
    doc: a matrix without its empty rows and columns
    types: {T: real}
    in: {X: "T[N, D]"}
    let: {M: upto(N), K: upto(D)}
    out: {Y: "T[M, K]"}
    body: |
      r[n] = any[d](X[n,d] != 0)
      c[d] = any[n](X[n,d] != 0)
      i[n] = sum[k : k < n](r[k])
      j[d] = sum[l : l < d](c[l])
      M = sum[n](r[n])
      K = sum[d](c[d])
      Y[wrap(i[n], M),wrap(j[d], K)] last= X[n,d] where r[n] and c[d]

  - op: three_bits
    types: {T: float}
    in: {X: "u8[N, (G 3)]", S: "T[N, G]"}
    out: {Y: "T[N, (G 8)]"}
    body: |
      w[n,g] = cast(X[n,3*g], i32) + 256*cast(X[n,3*g + 1], i32) + 65536*cast(X[n,3*g + 2], i32)
      Y[n,(g i)] = (shr(w[n,g], 3*i) % 8 - 4)*S[n,g]

  - op: trits
    types: {T: float}
    tables: {P3: {type: "i32[5]", values: [1, 3, 9, 27, 81]}}
    in: {W: "u8[N, G]", X: "T[M, (G 5)]"}
    out: {Y: "T[M, N]"}
    body: |
      w[n,(g i)] = (W[n,g]//P3[i]) % 3 - 1
      Y[m,n] = sum[g,i](X[m,(g i)]*w[n,(g i)])

  - op: looked_up_by_type
    doc: values of narrow types index tables that have an element for each of their values
    types: {T: float}
    in: {X: "u8[N]", Q: "u32[N]", L: "T[256]"}
    out: {Y: "T[N]", Z: "u8[N]"}
    body: |
      s[n] = X[n]*X[n] + 3
      Z[n] = X[n] + 7
      q[n] = bit_xor(Q[n], 77)*5
      p[] = sum[n](X[n])
      Y[n] = L[s[n]] + L[Z[n]] + L[shr(q[n], 24)] + L[p[]]

  - op: shares_of_parts
    doc: a value with a split dim as the argument of a call
    types: {T: float}
    in: {X: "T[B, W, V]"}
    let: {F: W*V}
    out: {Y: "T[B, F]"}
    body: |
      c[b,(w v)] = 2*X[b,w,v]
      Y = softmax(c, axis=-1)
'''

BAD = [
    dict(why='signed where types of both signs meet', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "i8[N]", Q: "u16[N]", L: "T[65536]"}
    out: {Y: "T[N]"}
    body: |
      s[n] = X[n] + Q[n]
      Y[n] = L[«s[n]»]
'''),
    dict(why='numbers alone are of 64 bits', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "u8[N]", L: "T[256]"}
    out: {Y: "T[N]"}
    body: |
      n[i] = sum[k](X[k] == i)
      s[i] = n[i]*2 + X[i]
      Y[i] = L[«s[i]»]
'''),
    dict(why='wider than its table', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "u32[N]", L: "T[256]"}
    out: {Y: "T[N]"}
    body: |
      s[n] = bit_xor(X[n], 5)
      Y[n] = L[«shr(s[n], 23)»]
'''),
]


def ragged_pointers(rng, m, most):
    return np.concatenate([[0], np.cumsum(rng.integers(0, most + 1, m))])


def states(rng):
    for key in ('f32', 'f64', 'f16', 'bf16'):
        for b, n, c in [(1, 1, 1), (2, 17, 5), (3, 9, 33), (2, 0, 3), (2, 5, 16)]:
            x, a = rand(rng, (b, n, c), key, -1, 1), rand(rng, c, key, -0.5, 0.5)
            length = rng.integers(0, n + 1, b)
            f, g = np.zeros((b, n, c)), np.zeros((b, n + 1, c))
            for t in range(n):
                f[:, t] = wide(x)[:, t] + wide(a)*(f[:, t - 1] if t else 0)
            for t in reversed(range(n)):
                g[:, t] = np.where((t < length)[:, None], wide(x)[:, t] + wide(a)*g[:, t + 1], 0)
            for t in (np.int32, np.int64):
                yield dict(op='both_ways', key=key, inputs=[x, a, length.astype(t)], want=[np.concatenate([f, g[:, :n]], -1)], tol=tol(4, 8, mag=2.0))
    for key in ('f32', 'f64'):
        for n, c, s in [(1, 1, 1), (9, 5, 4), (17, 3, 16), (33, 17, 3), (0, 2, 2)]:
            for first in (False, True):
                x, r, v = rand(rng, (n, c), key), rand(rng, (c, s), key, 0.1, 2), rand(rng, (c, s), key)
                kind = {'f32': 'c64', 'f64': 'c128'}[key]
                w, h0 = rand(rng, (c, s), kind), rand(rng, (c, s), kind)
                d, h = np.exp(-wide(r) + 1j*wide(v)), wide(h0) if first else np.zeros((c, s), complex)
                y = np.zeros((n, c))
                for t in range(n):
                    h = d*h + wide(x)[t][:, None]
                    y[t] = 2*(wide(w)*h).sum(-1).real
                yield dict(op='diagonal_states', key=key, inputs=[x, r, v, w, h0 if first else None], want=[y], tol=tol(8, 40, mag=100.0*s))
    for key in ('f32', 'f64', 'f16', 'bf16'):
        for n, g, r, d, s in [(1, 1, 1, 1, 1), (9, 2, 3, 4, 5), (5, 1, 2, 17, 16), (7, 3, 1, 16, 3), (0, 1, 1, 2, 2)]:
            x, a, dt = rand(rng, (n, g*r, d), key), rand(rng, g*r, key, -1, 0), rand(rng, (n, g*r), key, 0, 0.5)
            bm, cm = rand(rng, (n, g, s), key), rand(rng, (n, g, s), key)
            decay = np.exp(wide(a)*wide(dt))
            h, y = np.zeros((g*r, d, s)), np.zeros((n, g*r, d))
            for t in range(n):
                h = decay[t][:, None, None]*h + (wide(dt)[t][:, None]*wide(x)[t])[:, :, None]*np.repeat(wide(bm)[t], r, 0)[:, None]
                y[t] = (h*np.repeat(wide(cm)[t], r, 0)[:, None]).sum(-1)
            yield dict(op='grouped_states', key=key, attrs={'G': g}, inputs=[x, a, dt, bm, cm], want=[y], tol=tol(8, 40, mag=10.0*s + 10))
    for key in ('f32', 'f64', 'f16', 'bf16'):
        for n, c in [(1, 1), (9, 5), (17, 33), (33, 16), (0, 3)]:
            z, seen = rand(rng, (n, c), key), rng.random((n, c)) < 0.7
            x, p = np.zeros(c), np.ones(c)
            xs, ps = np.zeros((n, c)), np.zeros((n, c))
            for t in range(n):
                k = np.where(seen[t], (p + 0.1)/(p + 0.6), 0)
                x, p = x + k*(wide(z)[t] - x), (1 - k)*(p + 0.1)
                xs[t], ps[t] = x, p
            yield dict(op='level_with_gaps', key=key, inputs=[z, seen], want=[xs, ps], tol=[tol(2, 30, mid=8, mag=4.0), tol(2, 30, mid=8, mag=4.0)])


def alignments(rng):
    for key, t in (('u8', np.uint8), ('i32', np.int32)):
        for n, m in [(1, 1), (5, 7), (17, 33), (40, 16), (0, 3), (3, 0)]:
            for match, miss, first, more in [(2, -1, 3, 1), (1, -3, 5, 2)]:
                a, b = rng.integers(0, 3, n).astype(t), rng.integers(0, 3, m).astype(t)
                h, e, f = (np.zeros((n + 1, m + 1), int) for _ in range(3))
                e[:], f[:] = -1000, -1000
                for i in range(1, n + 1):
                    for j in range(1, m + 1):
                        e[i, j] = max(h[i, j - 1] - first, e[i, j - 1] - more)
                        f[i, j] = max(h[i - 1, j] - first, f[i - 1, j] - more)
                        h[i, j] = max(0, h[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else miss), e[i, j], f[i, j])
                yield dict(op='affine_local', key=key, attrs=dict(match=match, mismatch=miss, open=first, extend=more), inputs=[a, b],
                           want=[np.int32(h.max()), h[1:, 1:].astype(np.int16)], dtypes=['i32', 'i16'], tol=EXACT)
    for key in ('f32', 'f64', 'f16', 'bf16'):
        for n, m, d, w in [(1, 1, 1, 0), (5, 7, 3, 3), (17, 17, 2, 1), (33, 30, 1, 40), (3, 9, 2, 1)]:
            a, b = rand(rng, (n, d), key), rand(rng, (m, d), key)
            dist = np.abs(wide(a)[:, None] - wide(b)[None]).sum(-1)
            c = np.full((n + 1, m + 1), np.inf)
            for i in range(n):
                for j in range(m):
                    if abs(i - j) <= w:
                        c[i + 1, j + 1] = dist[i, j] + (0 if i == j == 0 else min(c[i, j + 1], c[i + 1, j], c[i, j]))
            out = {'f32': 'f64', 'f64': 'f64', 'f16': 'f32', 'bf16': 'f32'}[key]
            f = tol(2, 8, mag=1.0, floor=np.where(np.isfinite(c[n, m]), 4*d*(n + m)*{'f64': 2.0**-50}.get(key, 2.0**-22), 0))
            yield dict(op='warped_in_band', key=key, attrs={'band': w}, inputs=[a, b], want=[c[n, m]], dtypes=[out], tol=f)
    for key in ('f32', 'f64', 'f16', 'bf16'):
        for n, v, k in [(1, 1, 1), (9, 3, 2), (17, 5, 33), (33, 1, 3), (6, 9, 16), (0, 2, 2)]:
            low, b = rand(rng, (n, v), key, -0.25, 0.25), rand(rng, (n, k), key)
            low[:, v - 1] = 2
            x = np.zeros((n, k))
            for i in range(n):
                x[i] = (wide(b)[i] - sum((wide(low)[i, j - i + v - 1]*x[j] for j in range(max(0, i - v + 1), i)), np.zeros(k)))/wide(low)[i, v - 1]
            yield dict(op='lower_band_solve', key=key, inputs=[low, b], want=[x], tol=tol(4, 4*v, mid=4, mag=4.0))


def filters(rng):
    for key in ('f32', 'f64'):
        for r, s, n in [(1, 1, 1), (3, 2, 17), (17, 3, 9), (2, 4, 33), (2, 1, 0)]:
            x, b, a = rand(rng, (r, n), key), rand(rng, (s, 3), key, -1, 1), rand(rng, (s, 2), key, -0.4, 0.4)
            u = wide(x)
            for i in range(s):
                z = np.zeros((r, n + 2))
                p = np.pad(u, ((0, 0), (2, 0)))
                for t in range(n):
                    z[:, t + 2] = wide(b)[i] @ np.stack([p[:, t + 2], p[:, t + 1], p[:, t]]) - wide(a)[i] @ np.stack([z[:, t + 1], z[:, t]])
                u = z[:, 2:]
            yield dict(op='sections', key=key, inputs=[x, b, a], want=[u], tol=tol(4, 60*s, mag=30.0**min(s, 2)))
    for key in ('f32', 'f64', 'f16', 'bf16'):
        for r, n, d in [(1, 1, 1), (3, 17, 1), (5, 33, 7), (17, 40, 33), (2, 9, 30), (2, 0, 4)]:
            x = rand(rng, (r, n), key)
            y, z = np.zeros((r, n)), np.zeros((r, n))
            for t in range(n):
                y[:, t] = wide(x)[:, t] + (0.5*y[:, t - d] if t >= d else 0)
                z[:, t] = -0.5*wide(x)[:, t] + (wide(x)[:, t - d] + 0.5*z[:, t - d] if t >= d else 0)
            yield dict(op='comb_echo', key=key, attrs={'delay': d}, inputs=[x], want=[y, z], tol=[tol(2, 8, mid=4, mag=6.0)]*2)


def sparse(rng):
    for key in ('f32', 'f64', 'i32', 'c64'):
        for m, k, most in [(1, 1, 1), (5, 7, 4), (17, 3, 9), (4, 5, 0), (0, 3, 1), (3, 33, 40)]:
            ptr = ragged_pointers(rng, m, most)
            col, v = rng.integers(-k, k, ptr[-1]), rand(rng, ptr[-1], key)
            like = rng.random(k) < 0.5
            y, c = np.zeros((m, k), wide(v).dtype), np.zeros(k, np.int64)
            for i in range(m):
                for e in range(ptr[i], ptr[i + 1]):
                    y[i, col[e]] += wide(v)[e]
                    c[col[e]] += like[col[e]]
            for t in (np.int32, np.int64):
                yield dict(op='csr_to_dense', key=key, inputs=[ptr.astype(t), col.astype(t), v, like], want=[y, c], dtypes=[key, 'i64'],
                           tol=[EXACT if key == 'i32' else tol(2, most + 2, mag=4.0*most), EXACT])
            if key == 'c64':
                continue
            for n in (1, 17, 33):
                x = rand(rng, (m, n), key)
                z = np.zeros((k, n), wide(v).dtype)
                for i in range(m):
                    for e in range(ptr[i], ptr[i + 1]):
                        z[col[e]] += wide(v)[e]*wide(x)[i]
                yield dict(op='csr_transposed_product', key=key, attrs={'K': k}, inputs=[ptr.astype(t), col.astype(t), v, x], want=[z],
                           tol=EXACT if key == 'i32' else tol(2, len(col) + 2, mag=4.0*len(col)))
    for key in ('f32', 'f64', 'f16', 'bf16'):
        for m, k, r, c, n, most in [(1, 1, 1, 1, 1, 1), (3, 5, 4, 2, 17, 3), (5, 2, 3, 5, 33, 4), (2, 3, 1, 16, 3, 0), (0, 2, 2, 2, 2, 2)]:
            ptr = ragged_pointers(rng, m, most)
            col, v, x = rng.integers(0, k, ptr[-1]), rand(rng, (ptr[-1], r, c), key), rand(rng, (k*c, n), key)
            y = np.zeros((m, r, n))
            for i in range(m):
                for e in range(ptr[i], ptr[i + 1]):
                    y[i] += wide(v)[e] @ wide(x)[col[e]*c:(col[e] + 1)*c]
            yield dict(op='block_rows_product', key=key, inputs=[ptr, col, v, x], want=[y.reshape(m*r, n)], tol=tol(2, c*most + 4, mag=4.0*c*max(most, 1)))
    for m, most in [(1, 1), (5, 7), (17, 20), (0, 3), (4, 0)]:
        ptr = ragged_pointers(rng, m, most)
        x = rng.integers(0, 256, ptr[-1]).astype(np.uint8)
        x[::3] = 0
        h, z = [], []
        for i in range(m):
            a, b = 0x811C9DC5, 1
            for e in x[ptr[i]:ptr[i + 1]].tolist():
                a = (a ^ e)*16777619 % 2**32 if e else a
                b = (b*0x100000001B3 + e) % 2**64
            h.append(a)
            z.append(b)
        for t in ('i32', 'i64'):
            yield dict(op='ragged_fnv', key=t, inputs=[ptr.astype(t.replace('i', 'int')), x], want=[np.array(h, np.uint32), np.array(z, np.uint64)], dtypes=['u32', 'u64'], tol=EXACT)
        if m > 1 and most:
            bad = ptr.copy()
            bad[1] = -1
            yield dict(op='ragged_fnv', key='i64', inputs=[bad, x], error='an end outside', out=[('u32', (m,)), ('u64', (m,))])


def codes(rng):
    table = []
    for k in range(256):
        for _ in range(8):
            k = k >> 1 ^ 0x82F63B78 if k & 1 else k >> 1
        table.append(k)
    for m, n in [(1, 1), (3, 5), (17, 9), (2, 0), (0, 2), (16, 33)]:
        x = rng.integers(0, 256, (m, 4*n)).astype(np.uint8)
        want = []
        for row in x.tolist():
            c = 0xFFFFFFFF
            for v in row:
                c = table[(c ^ v) & 255] ^ c >> 8
            want.append(c ^ 0xFFFFFFFF)
        yield dict(op='crc_by_four', key='u8', inputs=[x], want=[np.array(want, np.uint32)], dtypes=['u32'], tol=EXACT)
    for s in [(1,), (0,), (17,), (3, 33), (2, 3, 40), (2, 6000)]:
        x = rng.integers(0, 256, s).astype(np.uint8)
        want = np.array([zlib.adler32(r.tobytes()) for r in x.reshape(int(np.prod(s[:-1])), s[-1])], np.uint32).reshape(s[:-1])
        yield dict(op='adler_rows', key='u8', inputs=[x], want=[want], dtypes=['u32'], tol=EXACT)
    for key in ('f32', 'f64', 'f16', 'i32', 'u8', 'i64'):
        for n, d, density in [(1, 1, 1.0), (5, 7, 0.1), (17, 9, 0.05), (9, 33, 0.02), (4, 3, 0), (0, 3, 1), (3, 0, 1)]:
            x = rand(rng, (n, d), key, 1, 3)*(rng.random((n, d)) < density)
            x = x.astype(rand(rng, 1, key).dtype)
            want = x[(x != 0).any(1)][:, (x != 0).any(0)]
            yield dict(op='rows_and_columns_kept', key=key, inputs=[x], want=[want], room=[(n, d)], tol=EXACT)
    for key in ('f32', 'f64', 'f16', 'bf16'):
        for n, g in [(1, 1), (3, 5), (17, 2), (2, 33), (0, 1), (3, 0)]:
            x, s = rng.integers(0, 256, (n, 3*g)).astype(np.uint8), rand(rng, (n, g), key)
            w = wide(x.reshape(n, g, 3)) @ np.array([1, 256, 65536])
            y = ((w[:, :, None] >> 3*np.arange(8)) % 8 - 4)*wide(s)[:, :, None]
            yield dict(op='three_bits', key=key, inputs=[x, s], want=[y.reshape(n, 8*g)], tol=tol(1))
        for m, n, g in [(1, 1, 1), (3, 5, 4), (17, 33, 3), (2, 3, 0), (4, 16, 13)]:
            w, x = rng.integers(0, 243, (n, g)).astype(np.uint8), rand(rng, (m, 5*g), key)
            t = (w[:, :, None].astype(int)//3**np.arange(5) % 3 - 1).reshape(n, 5*g)
            yield dict(op='trits', key=key, inputs=[w, x], want=[wide(x) @ t.T], tol=tol(2, 5*g + 2, mag=10.0*g))


def by_types(rng):
    for key in ('f32', 'f64', 'f16'):
        for n in (1, 5, 17, 33, 0):
            x, q = rng.integers(0, 256, n).astype(np.uint8), rng.integers(0, 2**32, n).astype(np.uint32)
            table = rng.integers(-99, 99, 256).astype(rand(rng, 1, key).dtype)
            t = wide(table)
            s, z, p = x*x + np.uint8(3), x + np.uint8(7), int(x.sum()) % 256
            yield dict(op='looked_up_by_type', key=key, inputs=[x, q, table], want=[t[s] + t[z] + t[((q ^ 77)*np.uint32(5)) >> 24] + t[p], z],
                       dtypes=[key, 'u8'], tol=EXACT)
        for b, w, v in [(1, 1, 1), (3, 5, 7), (2, 16, 3), (0, 2, 2), (2, 17, 33)]:
            x = rand(rng, (b, w, v), key)
            yield dict(op='shares_of_parts', key=key, inputs=[x], want=[softmax(2*wide(x).reshape(b, w*v))], tol=tol(8, w*v + 8, mid=4))


def cases(rng):
    yield from by_types(rng)
    yield from states(rng)
    yield from alignments(rng)
    yield from filters(rng)
    yield from sparse(rng)
    yield from codes(rng)
