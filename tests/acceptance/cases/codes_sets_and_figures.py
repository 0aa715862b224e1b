"""Codes, generators, statistics, sparse rows, graphs and compactions as people write kernels for them."""
import numpy as np

from casekit import EXACT, np_dtype, rand, tol, wide

OPS = r'''
ops:
  - op: fletcher16
    in: {X: "u8[M, N]"}
    out: {Y: "u16[M]"}
    body: |
      a[m,n] = (padded(a[m,n - 1], 0) + cast(X[m,n], u32)) % 255
      b[m,n] = (padded(b[m,n - 1], 0) + a[m,n]) % 255
      Y[m] = select(N == 0, 0, cast(bit_or(shl(padded(b[m,N - 1], 0), 8), padded(a[m,N - 1], 0)), u16))

  - op: hamming_codes
    doc: four bits in seven that survive one error, and what a receiver makes of them with errors put in
    in: {X: "u8[N]", E: "u8[N]"}
    tables:
      G: {type: "u8[4]", values: [7, 3, 5, 6]}
    out: {C: "u8[N]", Y: "u8[N]"}
    body: |
      p[n,j] = bit_xor[k](bit_and(shr(X[n], cast(k, u8)), 1)*bit_and(shr(G[k], cast(j, u8)), 1))
      C[n] = bit_or(bit_and(X[n], 15), bit_or[j](shl(p[n,j], cast(j + 4, u8))))
      r[n] = bit_xor(C[n], E[n])
      s[n] = bit_xor[k](select(bit_and(shr(r[n], cast(k, u8)), 1) == 1, G[k], 0))
      t[n] = bit_xor(s[n], bit_and(shr(r[n], 4), 7))
      Y[n] = bit_xor(bit_and(r[n], 15), bit_or[k](select(t[n] == G[k], shl(cast(1, u8), cast(k, u8)), 0)))
    index: {j: 3}

  - op: gray_decoded
    types: {T: uint}
    in: {X: "T[*S]"}
    index: {b: 64}
    out: {Y: "T[*S]"}
    body: Y[*s] = cast(bit_xor[b](shr(cast(X[*s], u64), cast(b, u64))), T)

  - op: hilbert_index
    doc: the position of a point on Hilbert's curve
    attrs: {order: int = 4}
    in: {X: "u32[N]", Y: "u32[N]"}
    require: [order >= 1, order <= 16]
    index: {t: order}
    out: {D: "u64[N]"}
    body: |
      x[n,t] = padded(xn[n,t - 1], X[n])
      y[n,t] = padded(yn[n,t - 1], Y[n])
      s[n,t] = cast(order - 1 - t, u32)
      rx[n,t] = bit_and(shr(x[n,t], s[n,t]), 1)
      ry[n,t] = bit_and(shr(y[n,t], s[n,t]), 1)
      m[n,t] = shl(cast(1, u32), s[n,t]) - 1
      fx[n,t] = select(ry[n,t] == 0 and rx[n,t] == 1, m[n,t] - bit_and(x[n,t], m[n,t]), bit_and(x[n,t], m[n,t]))
      fy[n,t] = select(ry[n,t] == 0 and rx[n,t] == 1, m[n,t] - bit_and(y[n,t], m[n,t]), bit_and(y[n,t], m[n,t]))
      xn[n,t] = select(ry[n,t] == 0, fy[n,t], fx[n,t])
      yn[n,t] = select(ry[n,t] == 0, fx[n,t], fy[n,t])
      d[n,t] = 4*padded(d[n,t - 1], 0) + cast(bit_xor(3*rx[n,t], ry[n,t]), u64)
      D[n] = d[n,order - 1]

  - op: bits_transposed
    doc: 8 by 8 bits turned, a byte a row
    in: {X: "u8[*P, 8]"}
    index: {j: 8}
    out: {Y: "u8[*P, 8]"}
    body: Y[*p,j] = sum[i](shl(bit_and(shr(X[*p,i], cast(j, u8)), 1), cast(i, u8)))

  - op: pcg_numbers
    doc: a permuted congruential generator, a stream a row
    attrs: {count: int}
    in: {Seed: "u64[M]", Stream: "u64[M]"}
    let: {N: count}
    require: [count >= 0]
    index: {n: count}
    out: {Y: "u32[M, N]"}
    body: |
      s[m,n] = padded(s[m,n - 1], Seed[m])*6364136223846793005 + bit_or(shl(Stream[m], 1), 1)
      x[m,n] = cast(shr(bit_xor(shr(s[m,n], 18), s[m,n]), 27), u32)
      r[m,n] = cast(shr(s[m,n], 59), u32)
      Y[m,n] = bit_or(shr(x[m,n], r[m,n]), shl(x[m,n], (32 - r[m,n]) % 32))

  - op: hex_digits
    tables: {D: {type: "u8[16]", values: [48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 97, 98, 99, 100, 101, 102]}}
    in: {X: "u8[N]"}
    index: {h: 2}
    out: {Y: "u8[(N 2)]"}
    body: Y[(n h)] = D[bit_and(shr(X[n], 4*cast(1 - h, u8)), 15)]

  - op: varints
    doc: numbers in as many groups of seven bits as they need
    in: {X: "u32[N]"}
    let: {M: upto(5*N)}
    index: {k: 5}
    out: {Y: "u8[M]"}
    body: |
      c[n] = 1 + sum[k : k >= 1](cast(shr(X[n], 7*cast(k, u32)) > 0, i64))
      at[n] = sum[j : j < n](c[j])
      M = sum[n](c[n])
      Y[wrap(at[n] + k, M)] += cast(bit_or(bit_and(shr(X[n], 7*cast(k, u32)), 127), select(k + 1 < c[n], 128, 0)), u8) where k < c[n]

  - op: xtea_blocks
    in: {X: "u32[N, 2]", Key: "u32[4]"}
    index: {t: 32, h: 2}
    out: {Y: "u32[N, 2]"}
    body: |
      s[t] = cast(t, u32)*0x9E3779B9
      a[n,t] = padded(c[n,t - 1], X[n,0])
      b[n,t] = padded(d[n,t - 1], X[n,1])
      c[n,t] = a[n,t] + bit_xor(bit_xor(shl(b[n,t], 4), shr(b[n,t], 5)) + b[n,t], s[t] + Key[bit_and(s[t], 3)])
      d[n,t] = b[n,t] + bit_xor(bit_xor(shl(c[n,t], 4), shr(c[n,t], 5)) + c[n,t], s[t] + 0x9E3779B9 + Key[bit_and(shr(s[t] + 0x9E3779B9, 11), 3)])
      Y[n,h] = select(h == 0, c[n,31], d[n,31])

  - op: bloom_filter
    doc: a filter of bits, and which of other keys it may hold
    attrs: {words: int = 16}
    in: {K: "u64[N]", Q: "u64[M]"}
    require: [words >= 1]
    let: {W: words}
    index: {h: 3}
    out: {F: "u64[W]", Hit: "bool[M]"}
    body: |
      a[n,h] = shr((K[n] + cast(h, u64))*0x9E3779B97F4A7C15, 20)
      F[cast(a[n,h]//64 % cast(W, u64), i64)] bit_or= shl(cast(1, u64), a[n,h] % 64)
      b[m,h] = shr((Q[m] + cast(h, u64))*0x9E3779B97F4A7C15, 20)
      Hit[m] = all[h](bit_and(shr(F[cast(b[m,h]//64 % cast(W, u64), i64)], b[m,h] % 64), 1) == 1)

  - op: convolutional_code
    doc: two parity bits for each bit, over the last three
    in: {X: "bool[M, N]"}
    index: {k: 3, g: 2}
    tables: {G: {type: "u8[2, 3]", values: [[1, 1, 1], [1, 0, 1]]}}
    out: {Y: "bool[M, (N 2)]"}
    body: Y[m,(n g)] = bit_xor[k](bit_and(cast(padded(X[m,n - k], false), u8), G[g,k])) == 1

  - op: syndromes
    doc: of Reed-Solomon codes, in the field of 256 elements by tables of powers and logarithms
    attrs: {count: int = 4}
    in: {X: "u8[M, N]"}
    require: [count >= 1]
    let: {S: count}
    index: {s: count}
    tables:
      Pow: {type: "u8[255]", of: [k], values: "select(k == 0, 1, bit_xor(shl(padded(Pow[k - 1], 0), 1), select(padded(Pow[k - 1], 0) >= 128, 29, 0)))"}
      Log: {type: "u8[256]", of: [v], values: "sum[k](select(Pow[k] == v, k, 0))"}
    out: {Y: "u8[M, S]"}
    body: |
      Y[m,s] = bit_xor[n](select(X[m,n] == 0, cast(0, u8), Pow[(cast(Log[X[m,n]], i64) + s*(N - 1 - n)) % 255]))

  - op: weighted_quantile
    types: {T: [f32, f64]}
    attrs: {q: float = 0.5}
    in: {X: "T[M, N]", W: "T[M, N]"}
    require: [N >= 1]
    out: {Y: "T[M]"}
    body: |
      s, at = sort(X, axis=-1)
      c[m,n] = padded(c[m,n - 1], 0) + W[m,wrap(at[m,n], N)]
      k[m] = sum[n](cast(c[m,n] < q*c[m,N - 1], i64))
      Y[m] = s[m,clamp(k[m], 0, N - 1)]

  - op: trend_tests
    doc: Mann and Kendall's count of rises less falls, and its variance without ties
    types: {T: real}
    in: {X: "T[N]"}
    out: {S: "i64[]", V: "f64[]"}
    body: |
      S[] = sum[i,j : i < j](cast(X[j] > X[i], i64) - cast(X[j] < X[i], i64))
      V[] = cast(N, f64)*(N - 1)*(2*N + 5)/18

  - op: rank_correlation
    types: {T: real}
    in: {X: "T[N]", Y: "T[N]"}
    require: [N >= 2]
    out: {R: "f64[]"}
    body: |
      a[i] = cast(sum[j](X[j] < X[i]), f64) + cast(sum[j](X[j] == X[i]), f64)/2
      b[i] = cast(sum[j](Y[j] < Y[i]), f64) + cast(sum[j](Y[j] == Y[i]), f64)/2
      ma[] = sum[i](a[i])/N
      mb[] = sum[i](b[i])/N
      R[] = sum[i]((a[i] - ma[])*(b[i] - mb[]))/sqrt(sum[i](sq(a[i] - ma[]))*sum[i](sq(b[i] - mb[])))

  - op: kernel_density
    types: {T: float}
    attrs: {width: float = 0.5}
    in: {X: "T[N, D]", Q: "T[M, D]"}
    require: [width > 0, N >= 1]
    out: {Y: "T[M]"}
    body: Y[m] = sum[n](exp(-0.5*sum[d](sq((Q[m,d] - X[n,d])/width))))/N

  - op: two_sample_distance
    doc: the largest difference of two empirical distributions
    types: {T: real}
    in: {X: "T[N]", Y: "T[M]"}
    require: [N >= 1, M >= 1]
    out: {D: "f64[]"}
    body: |
      a[i] = abs(cast(sum[j](X[j] <= X[i]), f64)/N - cast(sum[l](Y[l] <= X[i]), f64)/M)
      b[k] = abs(cast(sum[j](X[j] <= Y[k]), f64)/N - cast(sum[l](Y[l] <= Y[k]), f64)/M)
      D[] = max(max[i](a[i]), max[k](b[k]))

  - op: cusum
    doc: sums that notice a rise or a fall of the mean, and the first alarm
    types: {T: [f32, f64]}
    attrs: {mean: float = 0, slack: float = 0.5, limit: float = 4}
    in: {X: "T[N]"}
    out: {U: "T[N]", L: "T[N]", At: "i64[]"}
    body: |
      U[n] = max(0, padded(U[n - 1], 0) + X[n] - mean - slack)
      L[n] = max(0, padded(L[n - 1], 0) - X[n] + mean - slack)
      At[] = min[n](select(U[n] > limit or L[n] > limit, n, N))

  - op: seasonal_smoothing
    doc: level, trend and season after Holt and Winters
    types: {T: [f32, f64]}
    attrs: {period: int = 4, a: float = 0.5, b: float = 0.25, g: float = 0.125}
    in: {X: "T[N]"}
    require: [period >= 1]
    out: {F: "T[N]"}
    body: |
      l[n] = a*(X[n] - padded(s[n - period], 0)) + (1 - a)*(padded(l[n - 1], 0) + padded(t[n - 1], 0))
      t[n] = b*(l[n] - padded(l[n - 1], 0)) + (1 - b)*padded(t[n - 1], 0)
      s[n] = g*(X[n] - l[n]) + (1 - g)*padded(s[n - period], 0)
      F[n] = padded(l[n - 1], 0) + padded(t[n - 1], 0) + padded(s[n - period], 0)

  - op: median_deviation
    types: {T: [f32, f64, i32]}
    in: {X: "T[M, N]"}
    require: [N >= 1]
    out: {Med: "T[M]", Dev: "T[M]"}
    body: |
      s, at = sort(X, axis=-1)
      Med[m] = s[m,(N - 1)//2]
      d[m,n] = abs(X[m,n] - Med[m])
      e, bt = sort(d, axis=-1)
      Dev[m] = e[m,(N - 1)//2]

  - op: isotonic
    doc: the non-decreasing sequence nearest to a series, by the min-max formula
    types: {T: [f64]}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: |
      p[i] = padded(p[i - 1], 0) + X[i]
      a[j,k] = select(k >= j, (p[k] - padded(p[j - 1], 0))/max(k - j + 1, 1), inf)
      h[j,i] = min[k : k >= i](select(k >= j, a[j,k], inf))
      Y[i] = max[j : j <= i](h[j,i])
    index: {j: N, k: N}

  - op: transposed_rows
    doc: the transpose of a sparse matrix in compressed rows times a vector
    types: {T: [f32, f64], I: index}
    attrs: {columns: int}
    in: {Ptr: "I[P]", Col: "I[E]", V: "T[E]", X: "T[M]"}
    require: [P == M + 1, columns >= 0]
    let: {K: columns}
    out: {Y: "T[K]"}
    body: Y[wrap(Col[e], K)] += V[e]*X[m] where e in Ptr[m] .. Ptr[m + 1]

  - op: diagonals_product
    doc: a matrix stored by diagonals at the offsets that the call gives, times a vector
    types: {T: [f32, f64, i32]}
    attrs: {at: "int[]"}
    in: {A: "T[D, N]", X: "T[N]"}
    require: [count(at) == D]
    out: {Y: "T[N]"}
    body: Y[n] = sum[d](A[d,n]*padded(X[n + at[d]], 0))

  - op: ragged_best
    doc: the largest of each ragged row and where it stands; every row has elements
    types: {T: [f32, i32, u8], I: index}
    in: {Ptr: "I[P]", X: "T[E]"}
    let: {M: P - 1}
    require: [P >= 1]
    out: {V: "T[M]", At: "i64[M]", Mean: "f64[M]"}
    body: |
      V[m], At[m] = max_at[e in Ptr[m] .. Ptr[m + 1]](X[e])
      Mean[m] = sum[e in Ptr[m] .. Ptr[m + 1]](cast(X[e], f64))/cast(Ptr[m + 1] - Ptr[m], f64)

  - op: triangles
    doc: how many triangles each edge of a graph in compressed rows is in
    types: {I: index}
    in: {Ptr: "I[P]", Col: "I[E]"}
    let: {M: P - 1}
    require: [P >= 2]
    index: {m: M}
    out: {Y: "i64[E]"}
    body: |
      row[e] = 0
      row[e] += m where e in Ptr[m] .. Ptr[m + 1]
      Y[e] = sum[f in Ptr[wrap(row[e], P - 1)] .. Ptr[wrap(row[e], P - 1) + 1], g in Ptr[wrap(Col[e], P - 1)] .. Ptr[wrap(Col[e], P - 1) + 1]](cast(Col[f] == Col[g], i64))

  - op: levels_of_search
    doc: breadth-first search, the distance of each node from the first
    types: {I: index}
    attrs: {steps: int = 5}
    in: {Ptr: "I[P]", Col: "I[E]"}
    let: {N: P - 1}
    require: [P >= 2, steps >= 1]
    index: {t: steps, v: N}
    out: {D: "i32[N]"}
    body: |
      d[t,v] = select(t == 0, select(v == 0, 0, 1000), min(padded(d[t - 1,v], 1000), 1 + min(1000, min[e in Ptr[v] .. Ptr[v + 1]](padded(d[t - 1,wrap(Col[e], N)], 1000)))))
      D[v] = d[steps - 1,v]

  - op: normalised_graph
    doc: a layer of a graph network, edges scaled by the degrees of their ends
    types: {T: float, I: index}
    in: {Ptr: "I[P]", Col: "I[E]", X: "T[N, C]"}
    require: [P == N + 1]
    out: {Y: "T[N, C]"}
    body: |
      g[n] = rsqrt(cast(Ptr[n + 1] - Ptr[n] + 1, T))
      Y[n,c] = sq(g[n])*X[n,c] + g[n]*sum[e in Ptr[n] .. Ptr[n + 1]](g[wrap(Col[e], N)]*X[wrap(Col[e], N),c])

  - op: intersected
    doc: what two sorted lists without repetitions have in common, and where it stands in both
    types: {T: [i32, i64, f32]}
    in: {A: "T[N]", B: "T[M]"}
    let: {K: "upto(min(N, M))"}
    out: {Y: "T[K]", Ia: "i64[K]", Ib: "i64[K]"}
    body: |
      f[n] = any[m](A[n] == B[m])
      w[n] = sum[m](B[m] < A[n])
      at[n] = sum[j : j < n](f[j])
      K = sum[n](f[n])
      Y[wrap(at[n], K)] last= A[n] where f[n]
      Ia[wrap(at[n], K)] last= n where f[n]
      Ib[wrap(at[n], K)] last= w[n] where f[n]

  - op: merged
    doc: two sorted lists as one; of equal elements those of the first come first
    types: {T: real}
    in: {A: "T[N]", B: "T[M]"}
    let: {L: N + M}
    out: {Y: "T[L]"}
    body: |
      Y[wrap(n + sum[m](B[m] < A[n]), L)] last= A[n]
      Y[wrap(m + sum[n](A[n] <= B[m]), L)] last= B[m]

  - op: words_found
    doc: where the words of a text begin and how long they are
    in: {X: "u8[N]"}
    let: {M: upto(N)}
    out: {At: "i64[M]", Len: "i32[M]"}
    body: |
      w[n] = X[n] > 32
      b[n] = w[n] and not padded(w[n - 1], false)
      k[n] = sum[j : j <= n](b[j]) - 1
      M = sum[n](b[n])
      At[wrap(k[n], M)] last= n where b[n]
      Len[wrap(k[n], M)] += 1 where w[n]

  - op: volatility
    doc: conditional variances of a GARCH model and the log likelihood
    types: {T: [f32, f64]}
    attrs: {w: float = 0.1, a: float = 0.1, b: float = 0.8}
    in: {R: "T[M, N]"}
    require: [N >= 1]
    out: {V: "T[M, N]", L: "T[M]"}
    body: |
      V[m,n] = w + a*sq(padded(R[m,n - 1], 0)) + b*padded(V[m,n - 1], 1)
      L[m] = -0.5*sum[n](log(V[m,n]) + sq(R[m,n])/V[m,n])
'''


def code_cases(rng):
    for m, n in [(1, 1), (3, 33), (2, 0)]:
        x = rng.integers(0, 256, (m, n)).astype(np.uint8)
        a = np.cumsum(wide(x), 1) % 255
        b = np.cumsum(a, 1) % 255
        yield dict(op='fletcher16', key='u8', inputs=[x], want=[b[:, -1]*256 + a[:, -1] if n else np.zeros(m)], dtypes=['u16'], tol=EXACT)
        bits = rng.random((m, n)) < .5
        p = np.pad(bits, ((0, 0), (2, 0)))
        a, b, c = p[:, 2:], p[:, 1:-1], p[:, :-2]
        yield dict(op='convolutional_code', key='bool', inputs=[bits], want=[np.stack([a ^ b ^ c, a ^ c], -1).reshape(m, 2*n)], tol=EXACT)
        pw = [1]
        for _ in range(254):
            pw.append(pw[-1] << 1 ^ (0x11d if pw[-1] >= 128 else 0))
        lg = {v: k for k, v in enumerate(pw)}
        y = np.zeros((m, 4), np.uint8)
        for i in range(m):
            for s in range(4):
                for k in range(n):
                    if x[i, k]:
                        y[i, s] ^= pw[(lg[int(x[i, k])] + s*(n - 1 - k)) % 255]
        yield dict(op='syndromes', key='u8', inputs=[x], want=[y], tol=EXACT)
    for n in (1, 17, 64, 0):
        x, e = rng.integers(0, 16, n), rng.integers(-1, 7, n)
        err = np.where(e < 0, 0, 1 << np.maximum(e, 0))
        g = [7, 3, 5, 6]
        p = np.bitwise_xor.reduce([(x >> k & 1)*g[k] for k in range(4)])
        yield dict(op='hamming_codes', key='u8', inputs=[x.astype(np.uint8), err.astype(np.uint8)], want=[x | p << 4, x], dtypes=['u8', 'u8'], tol=EXACT)
        x = rng.integers(0, 256, n).astype(np.uint8)
        yield dict(op='hex_digits', key='u8', inputs=[x], want=[np.frombuffer(x.tobytes().hex().encode(), np.uint8)], tol=EXACT)
        x = (rng.integers(0, 1 << 32, n, dtype=np.uint64) >> rng.integers(0, 32, n).astype(np.uint64)).astype(np.uint32)
        out = []
        for v in map(int, x):
            while v >= 128:
                out.append(v & 127 | 128)
                v >>= 7
            out.append(v)
        yield dict(op='varints', key='u32', inputs=[x], want=[np.array(out, np.uint8)], room=[(5*n,)], dtypes=['u8'], tol=EXACT)
        x = rng.integers(0, 1 << 32, (n, 2), dtype=np.uint64).astype(np.uint32)
        key, mask = [int(v) for v in rng.integers(0, 1 << 32, 4, dtype=np.uint64)], 0xffffffff
        out = []
        for a, b in x.tolist():
            s = 0
            for _ in range(32):
                a = a + (((b << 4 & mask ^ b >> 5) + b & mask) ^ (s + key[s & 3] & mask)) & mask
                s = s + 0x9E3779B9 & mask
                b = b + (((a << 4 & mask ^ a >> 5) + a & mask) ^ (s + key[s >> 11 & 3] & mask)) & mask
            out.append((a, b))
        yield dict(op='xtea_blocks', key='u32', inputs=[x, np.array(key, np.uint32)], want=[np.array(out, np.uint32).reshape(n, 2)], tol=EXACT)
        x, y = rng.integers(0, 16, (2, n)).astype(np.uint32)
        out = []
        for px, py in zip(x.tolist(), y.tolist()):
            d, s = 0, 8
            while s:
                rx, ry = int(px & s > 0), int(py & s > 0)
                d += s*s*(3*rx ^ ry)
                px, py = px & s - 1, py & s - 1
                if ry == 0:
                    if rx:
                        px, py = s - 1 - px, s - 1 - py
                    px, py = py, px
                s //= 2
            out.append(d)
        yield dict(op='hilbert_index', key='u32', inputs=[x, y], attrs={'order': 4}, want=[np.array(out, np.uint64)], dtypes=['u64'], tol=EXACT)
        k, q = rng.integers(0, 1 << 40, n, dtype=np.uint64), rng.integers(0, 1 << 40, 9, dtype=np.uint64)
        q[:min(n, 4)] = k[:4]
        bit = lambda v: [((int(v) + h)*0x9E3779B97F4A7C15 & (1 << 64) - 1) >> 20 for h in range(3)]
        f = np.zeros(16, np.uint64)
        for v in k:
            for b in bit(v):
                f[b//64 % 16] |= np.uint64(1 << b % 64)
        hit = [all(int(f[b//64 % 16]) >> b % 64 & 1 for b in bit(v)) for v in q]
        yield dict(op='bloom_filter', key='u64', inputs=[k, q], attrs={'words': 16}, want=[f, hit], dtypes=['u64', 'bool'], tol=EXACT)
    for key in ('u8', 'u16', 'u32', 'u64'):
        for shape in [(), (17,), (3, 5), (0,)]:
            x = rand(rng, shape, key, 0, 2**min(62, np_dtype(key).itemsize*8) - 1)
            yield dict(op='gray_decoded', key=key, inputs=[x ^ x >> np.asarray(1, np_dtype(key))], want=[x], tol=EXACT)
    for shape in [(), (5,), (2, 3), (0,)]:
        x = rng.integers(0, 256, (*shape, 8)).astype(np.uint8)
        bits = np.unpackbits(x[..., None], -1, bitorder='little')
        yield dict(op='bits_transposed', key='u8', inputs=[x], want=[np.packbits(np.swapaxes(bits, -1, -2), -1, bitorder='little')[..., 0]], tol=EXACT)
    for m, n in [(1, 1), (3, 17), (2, 0), (0, 3)]:
        seed, inc = rng.integers(0, 1 << 63, (2, m), dtype=np.uint64)
        y, mask = np.zeros((m, n), np.uint32), (1 << 64) - 1
        for i in range(m):
            s = int(seed[i])
            for k in range(n):
                s = s*6364136223846793005 + (int(inc[i]) << 1 | 1) & mask
                x, r = (s >> 18 ^ s) >> 27 & 0xffffffff, s >> 59
                y[i, k] = (x >> r | x << (-r % 32)) & 0xffffffff
        yield dict(op='pcg_numbers', key='u64', inputs=[seed, inc], attrs={'count': n}, want=[y], dtypes=['u32'], tol=EXACT)


def figure_cases(rng):
    for key in ('f32',):
        for m, n in [(1, 1), (3, 17), (2, 40)]:
            x, w = rand(rng, (m, n), key), rng.integers(1, 9, (m, n)).astype(np_dtype(key))
            y = np.zeros(m)
            for i in range(m):
                o = np.argsort(x[i], kind='stable')
                c = np.cumsum(w[i][o])
                y[i] = x[i][o][min((c < .3*c[-1]).sum(), n - 1)]
            yield dict(op='weighted_quantile', key=key, inputs=[x, w], attrs={'q': .3}, want=[y], tol=EXACT)
            r = rand(rng, (m, n), key)
            v, s = np.zeros((m, n)), np.ones(m)
            for t in range(n):
                s = v[:, t] = .1 + .1*(wide(r)[:, t - 1]**2 if t else 0) + .8*s
            yield dict(op='volatility', key=key, inputs=[r], want=[v, -.5*(np.log(v) + wide(r)**2/v).sum(1)], tol=tol(ulp=4, acc=32*(n + 1), mag=8.0))
        for n in (0, 1, 17, 33):
            x = rand(rng, (n,), key)
            u, l, a, b = np.zeros(n), np.zeros(n), 0., 0.
            for t in range(n):
                a = u[t] = max(0, a + wide(x)[t] - .1)
                b = l[t] = max(0, b - wide(x)[t] - .1)
            over = np.nonzero((u > 1.5) | (l > 1.5))[0]
            if n:
                yield dict(op='cusum', key=key, inputs=[x], attrs={'slack': .1, 'limit': 1.5}, want=[u, l, over[0] if len(over) else n], dtypes=[key, key, 'i64'], tol=[tol(ulp=4, acc=8*n, mag=8.0)]*2 + [EXACT])
            for p in (1, 4):
                f, lv, tr, s = np.zeros(n), 0., 0., np.zeros(n + p)
                for t in range(n):
                    f[t] = lv + tr + s[t]
                    new = .5*(wide(x)[t] - s[t]) + .5*(lv + tr)
                    tr = .25*(new - lv) + .75*tr
                    lv = new
                    s[t + p] = .125*(wide(x)[t] - lv) + .875*s[t]
                yield dict(op='seasonal_smoothing', key=key, inputs=[x], attrs={'period': p}, want=[f], tol=tol(ulp=4, acc=64*(n + 1), mag=4.0))
    for key in ('f32', 'f64', 'i32'):
        for m, n in [(1, 1), (3, 17), (2, 8)]:
            x = rand(rng, (m, n), key, -9, 9)
            med = np.sort(wide(x), 1)[:, (n - 1)//2]
            dev = np.sort(np.abs(x - med.astype(x.dtype)[:, None]), 1)[:, (n - 1)//2]
            yield dict(op='median_deviation', key=key, inputs=[x], want=[med, dev], tol=EXACT)
    for key in ('f32', 'i32', 'u8', 'f64'):
        for n in (2, 3, 17, 33):
            x, y = rand(rng, (n,), key, 0, 9), rand(rng, (n,), key, 0, 9)
            s = np.sign(wide(x)[None] - wide(x)[:, None])
            yield dict(op='trend_tests', key=key, inputs=[x], want=[np.triu(s, 1).sum(), n*(n - 1)*(2*n + 5)/18], dtypes=['i64', 'f64'], tol=[EXACT, tol()])
            rank = lambda v: (v[None] < v[:, None]).sum(1) + (v[None] == v[:, None]).sum(1)/2
            if len(set(x)) > 1 and len(set(y)) > 1:
                yield dict(op='rank_correlation', key=key, inputs=[x, y], want=[np.corrcoef(rank(x), rank(y))[0, 1]], dtypes=['f64'], tol=tol(ulp=4, acc=64, mag=2.0))
            z = rand(rng, (n + 3,), key, 0, 9)
            at = np.concatenate([x, z])
            d = np.abs((x[None] <= at[:, None]).mean(1) - (z[None] <= at[:, None]).mean(1)).max()
            yield dict(op='two_sample_distance', key=key, inputs=[x, z], want=[d], dtypes=['f64'], tol=tol(ulp=4, acc=4, mag=1.0))
            a, b = np.sort(rand(rng, (n,), key, 0, 9)), np.sort(rand(rng, (n//2,), key, 0, 9))
            yield dict(op='merged', key=key, inputs=[a, b], want=[np.sort(np.concatenate([a, b]))], tol=EXACT)
    for key in ('f32', 'f16'):
        for n, m, d in [(1, 1, 1), (17, 5, 3), (33, 9, 2), (5, 0, 2)]:
            x, q = rand(rng, (n, d), key), rand(rng, (m, d), key)
            y = np.exp(-.5*(((wide(q)[:, None] - wide(x)[None])/.5)**2).sum(-1)).mean(1)
            yield dict(op='kernel_density', key=key, inputs=[x, q], want=[y], tol=tol(ulp=4, acc=64*d, mag=2.0))
    for n in (0, 1, 9, 20):
        x = rand(rng, (n,), 'f64')
        p = np.concatenate([[0], np.cumsum(x)])
        y = [max(min((p[k + 1] - p[j])/(k - j + 1) for k in range(i, n)) for j in range(i + 1)) for i in range(n)]
        yield dict(op='isotonic', key='f64', inputs=[x], want=[y], tol=tol(ulp=4, acc=64, mag=4.0))


def set_cases(rng):
    def graph(n, most, t, least=0):
        ptr = np.concatenate([[0], np.cumsum(rng.integers(least, most + 1, n))])
        return ptr.astype(t), rng.integers(0, max(n, 1), ptr[-1]).astype(t)
    for t in (np.int32, np.int64):
        for n in (1, 5, 17):
            ptr, col = graph(n, 5, t)
            rows = np.repeat(np.arange(n), np.diff(ptr))
            for key in ('f32',):
                v, x = rand(rng, col.shape, key), rand(rng, (n,), key)
                y = np.zeros(n + 2)
                np.add.at(y, col, wide(v)*wide(x)[rows])
                yield dict(op='transposed_rows', key=key, inputs=[ptr, col, v, x], attrs={'columns': n + 2}, want=[y], tol=tol(ulp=2, acc=16*n, mag=16.0))
            if col.size:
                sets = [list(col[ptr[i]:ptr[i + 1]]) for i in range(n)]
                y = [sum(sets[c].count(f) for f in sets[r]) for r, c in zip(rows, col)]
                yield dict(op='triangles', key='i32' if t is np.int32 else 'i64', inputs=[ptr, col], want=[y], dtypes=['i64'], tol=EXACT)
            d = np.full(n, 1000)
            d[0] = 0
            for _ in range(4):
                e = d.copy()
                np.minimum.at(e, rows, 1 + np.minimum(d[col], 1000))
                d = e
            yield dict(op='levels_of_search', key='i32' if t is np.int32 else 'i64', inputs=[ptr, col], attrs={'steps': 5}, want=[d], dtypes=['i32'], tol=EXACT)
            for key in ('f32', 'f16'):
                x, g = rand(rng, (n, 3), key), 1/np.sqrt(np.diff(ptr) + 1)
                if key == 'f32':
                    y = (g*g)[:, None]*wide(x)
                    np.add.at(y, rows, g[rows, None]*g[col, None]*wide(x)[col])
                    yield dict(op='normalised_graph', key=key, inputs=[ptr, col, x], want=[y], tol=tol(ulp=4, acc=64*n, mag=4.0))
            ptr, _ = graph(n, 5, t, 1)
            for key in ('f32', 'i32', 'u8'):
                x = rand(rng, (int(ptr[-1]),), key, 0, 9)
                part = [x[ptr[i]:ptr[i + 1]] for i in range(n)]
                yield dict(op='ragged_best', key=key, inputs=[ptr, x], want=[[p.max() for p in part], [p.argmax() + ptr[i] for i, p in enumerate(part)], [wide(p).mean() for p in part]], dtypes=[key, 'i64', 'f64'], tol=[EXACT, EXACT, tol(ulp=4, acc=8)])
    for key in ('f32', 'f64', 'i32'):
        for n, at in [(1, [0]), (17, [-3, 0, 1, 16]), (33, [-40, 5]), (0, [1])]:
            a, x = rand(rng, (len(at), n), key), rand(rng, (n,), key)
            y = [sum(wide(a)[d, i]*wide(x)[i + o] for d, o in enumerate(at) if 0 <= i + o < n) for i in range(n)]
            yield dict(op='diagonals_product', key=key, inputs=[a, x], attrs={'at': at}, want=[np.array(y)], tol=EXACT if key == 'i32' else tol(ulp=2, acc=16, mag=16.0))
    for key in ('i32', 'i64', 'f32'):
        for n, m in [(0, 3), (1, 1), (17, 33), (9, 2)]:
            a, b = (np.sort(rng.choice(40, k, replace=False)).astype(np_dtype(key)) for k in (n, m))
            y, i, j = np.intersect1d(a, b, return_indices=True)
            yield dict(op='intersected', key=key, inputs=[a, b], want=[y, i, j], room=[(min(n, m),)]*3, dtypes=[key, 'i64', 'i64'], tol=EXACT)
    for text in (b'', b' ', b'a', b'  two words ', b'and a third, somewhat longer line'):
        x, at, n = np.frombuffer(text, np.uint8).copy(), [], []
        for k, c in enumerate(text):
            if c > 32:
                if k == 0 or text[k - 1] <= 32:
                    at.append(k)
                    n.append(0)
                n[-1] += 1
        yield dict(op='words_found', key='u8', inputs=[x], want=[np.array(at, np.int64), np.array(n, np.int32)], room=[(len(text),)]*2, dtypes=['i64', 'i32'], tol=EXACT)


def cases(rng):
    yield from code_cases(rng)
    yield from figure_cases(rng)
    yield from set_cases(rng)
