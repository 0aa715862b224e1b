"""Ciphers and long numbers, walks and unions on graphs, shapes, meshes and movements."""
import hashlib

import numpy as np

from casekit import EXACT, np_dtype, tol, wide

OPS = r'''
ops:
  - op: blake2s_block
    doc: the compression function of BLAKE2s
    tables:
      Iv: {type: "u32[8]", values: [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]}
      Sigma:
        type: u8[10, 16]
        values: [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3], [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4], [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8], [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13], [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9], [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11], [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10], [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5], [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0]]
    index: {r: 10, h: 2, j: 4, i: 8}
    in: {H: "u32[B, 8]", M: "u32[B, 16]", Count: "u32[B]", Last: "bool[B]"}
    out: {Y: "u32[B, 8]"}
    body: |
      a0[b,r,h,j] = padded(a2[b,r,h - 1,j], padded(a2[b,r - 1,1,j], H[b,j]))
      b0[b,r,h,j] = padded(b2[b,r,h - 1,(j + 1) % 4], padded(b2[b,r - 1,1,(j + 3) % 4], H[b,j + 4]))
      c0[b,r,h,j] = padded(c2[b,r,h - 1,(j + 2) % 4], padded(c2[b,r - 1,1,(j + 2) % 4], Iv[j]))
      d0[b,r,h,j] = padded(d2[b,r,h - 1,(j + 3) % 4], padded(d2[b,r - 1,1,(j + 1) % 4], bit_xor(Iv[j + 4], select(j == 0, Count[b], select(j == 2 and Last[b], 0xffffffff, 0)))))
      a1[b,r,h,j] = a0[b,r,h,j] + b0[b,r,h,j] + M[b,Sigma[r,8*h + 2*j]]
      x1[b,r,h,j] = bit_xor(d0[b,r,h,j], a1[b,r,h,j])
      d1[b,r,h,j] = bit_or(shr(x1[b,r,h,j], 16), shl(x1[b,r,h,j], 16))
      c1[b,r,h,j] = c0[b,r,h,j] + d1[b,r,h,j]
      y1[b,r,h,j] = bit_xor(b0[b,r,h,j], c1[b,r,h,j])
      b1[b,r,h,j] = bit_or(shr(y1[b,r,h,j], 12), shl(y1[b,r,h,j], 20))
      a2[b,r,h,j] = a1[b,r,h,j] + b1[b,r,h,j] + M[b,Sigma[r,8*h + 2*j + 1]]
      x2[b,r,h,j] = bit_xor(d1[b,r,h,j], a2[b,r,h,j])
      d2[b,r,h,j] = bit_or(shr(x2[b,r,h,j], 8), shl(x2[b,r,h,j], 24))
      c2[b,r,h,j] = c1[b,r,h,j] + d2[b,r,h,j]
      y2[b,r,h,j] = bit_xor(b1[b,r,h,j], c2[b,r,h,j])
      b2[b,r,h,j] = bit_or(shr(y2[b,r,h,j], 7), shl(y2[b,r,h,j], 25))
      Y[b,i] = bit_xor(H[b,i], select(i < 4, bit_xor(a2[b,9,1,i % 4], c2[b,9,1,(i + 2) % 4]), bit_xor(b2[b,9,1,(i + 3) % 4], d2[b,9,1,(i + 1) % 4])))

  - op: rc5_encrypted
    doc: RC5 with 32 bit words; rotations by data
    in: {X: "u32[B, 2]", S: "u32[K]"}
    require: [K >= 2, K % 2 == 0]
    let: {R: K//2}
    index: {r: R, w: 2}
    out: {Y: "u32[B, 2]"}
    body: |
      xa[r,b] = bit_xor(padded(a[r - 1,b], 0), padded(c[r - 1,b], 0))
      na[r,b] = bit_and(padded(c[r - 1,b], 0), 31)
      a[r,b] = select(r == 0, X[b,0], bit_or(shl(xa[r,b], na[r,b]), shr(xa[r,b], 32 - na[r,b]))) + S[2*r]
      xc[r,b] = bit_xor(padded(c[r - 1,b], 0), a[r,b])
      nc[r,b] = bit_and(a[r,b], 31)
      c[r,b] = select(r == 0, X[b,1], bit_or(shl(xc[r,b], nc[r,b]), shr(xc[r,b], 32 - nc[r,b]))) + S[2*r + 1]
      Y[b,w] = select(w == 0, a[R - 1,b], c[R - 1,b])

  - op: ascon_permuted
    doc: the permutation of Ascon on five words
    tables: {N1: {type: "i64[5]", values: [19, 61, 1, 10, 7]}, N2: {type: "i64[5]", values: [28, 39, 6, 17, 41]}}
    attrs: {rounds: int = 12}
    in: {X: "u64[B, 5]"}
    require: [rounds >= 1, rounds <= 12]
    index: {r: rounds}
    out: {Y: "u64[B, 5]"}
    body: |
      x[b,r,i] = bit_xor(padded(z[b,r - 1,i], X[b,i]), select(i == 2, 0xf0 - (r + 12 - rounds)*15, 0))
      u[b,r,i] = select(i % 2 == 0, bit_xor(x[b,r,i], x[b,r,(i + 4) % 5]), x[b,r,i])
      v[b,r,i] = bit_xor(u[b,r,i], bit_and(bit_not(u[b,r,(i + 1) % 5]), u[b,r,(i + 2) % 5]))
      w[b,r,i] = select(i == 2, bit_not(v[b,r,2]), select(i == 4, v[b,r,4], bit_xor(v[b,r,i], v[b,r,(i + 4) % 5])))
      s[b,r,i] = select(i == 3, bit_xor(v[b,r,3], v[b,r,2]), w[b,r,i])
      z[b,r,i] = bit_xor(s[b,r,i], bit_xor(bit_or(shr(s[b,r,i], N1[i]), shl(s[b,r,i], 64 - N1[i])), bit_or(shr(s[b,r,i], N2[i]), shl(s[b,r,i], 64 - N2[i]))))
      Y[b,i] = z[b,rounds - 1,i]

  - op: montgomery_product
    doc: A*B*2**-32 modulo an odd number below 2**31
    in: {A: "u32[*S]", B: "u32[*S]", M: "u32[]"}
    out: {Y: "u32[*S]"}
    index: {i: 5}
    body: |
      inv[] = fold[i](v = M[], v*(2 - M[]*v))
      t[*s] = cast(A[*s], u64)*cast(B[*s], u64)
      q[*s] = cast(t[*s], u32)*inv[]
      u[*s] = shr(t[*s], 32) + cast(M[], u64) - shr(cast(q[*s], u64)*cast(M[], u64), 32)
      Y[*s] = cast(select(u[*s] >= cast(M[], u64), u[*s] - cast(M[], u64), u[*s]), u32)

  - op: long_product
    doc: the product of two numbers of 32 bit limbs, the least first
    in: {A: "u32[N]", B: "u32[M]"}
    let: {L: N + M}
    index: {l: L}
    out: {Y: "u32[L]"}
    body: |
      lo[l] = sum[n : n <= l and n > l - M](bit_and(cast(A[n], u64)*cast(B[clamp(l - n, 0, M - 1)], u64), 0xffffffff))
      hi[l] = sum[n : n <= l and n > l - M](shr(cast(A[n], u64)*cast(B[clamp(l - n, 0, M - 1)], u64), 32))
      t[l] = lo[l] + padded(hi[l - 1], 0) + padded(carry[l - 1], 0)
      carry[l] = shr(t[l], 32)
      Y[l] = cast(t[l], u32)
    require: [N >= 1, M >= 1]

  - op: integer_root
    types: {T: [u32, u64]}
    in: {X: "T[*S]"}
    out: {Y: "T[*S]"}
    index: {b: 32}
    body: |
      Y[*s] = fold[b](r = cast(0, T), select(cast(r + shl(cast(1, T), 31 - b), f64) < 4294967296.0 and (r + shl(cast(1, T), 31 - b)) <= X[*s]//max(r + shl(cast(1, T), 31 - b), 1), r + shl(cast(1, T), 31 - b), r))

  - op: bezout
    doc: the greatest common divisor and the factors that give it
    types: {T: [i32, i64]}
    in: {A: "T[N]", B: "T[N]"}
    index: {t: 92}
    out: {G: "T[N]", U: "T[N]", V: "T[N]"}
    body: |
      q[t,n] = select(padded(r1[t - 1,n], B[n]) == 0, 0, padded(r0[t - 1,n], A[n])//select(padded(r1[t - 1,n], B[n]) == 0, 1, padded(r1[t - 1,n], B[n])))
      stop[t,n] = padded(r1[t - 1,n], B[n]) == 0
      r0[t,n] = select(stop[t,n], padded(r0[t - 1,n], A[n]), padded(r1[t - 1,n], B[n]))
      s0[t,n] = select(stop[t,n], padded(s0[t - 1,n], 1), padded(s1[t - 1,n], 0))
      t0[t,n] = select(stop[t,n], padded(t0[t - 1,n], 0), padded(t1[t - 1,n], 1))
      r1[t,n] = select(stop[t,n], 0, padded(r0[t - 1,n], A[n]) - q[t,n]*padded(r1[t - 1,n], B[n]))
      s1[t,n] = select(stop[t,n], padded(s1[t - 1,n], 0), padded(s0[t - 1,n], 1) - q[t,n]*padded(s1[t - 1,n], 0))
      t1[t,n] = select(stop[t,n], padded(t1[t - 1,n], 1), padded(t0[t - 1,n], 0) - q[t,n]*padded(t1[t - 1,n], 1))
      G[n] = r0[91,n]
      U[n] = s0[91,n]
      V[n] = t0[91,n]

  - op: random_walks
    doc: walks along the edges of a graph; each step is drawn by the number of walk and step
    attrs: {steps: int, seed: int = 0}
    types: {I: index}
    in: {Ptr: "I[P]", Col: "I[E]", Start: "I[W]"}
    let: {V: P - 1, L: steps + 1}
    require: [P >= 2, steps >= 0, E >= 1]
    out: {Y: "i64[L, W]"}
    body: |
      now[t,w] = padded(Y[t - 1,w], 0)
      lo[t,w] = cast(Ptr[clamp(now[t,w], 0, V - 1)], i64)
      deg[t,w] = cast(Ptr[clamp(now[t,w], 0, V - 1) + 1], i64) - lo[t,w]
      pick[t,w] = lo[t,w] + cast(bit_and(philox(seed, t, w), 0xffff), i64) % max(deg[t,w], 1)
      Y[t,w] = select(t == 0, cast(Start[w], i64), select(deg[t,w] == 0, now[t,w], cast(Col[clamp(pick[t,w], 0, E - 1)], i64)))

  - op: united
    doc: the smallest node of each component, by union and find over the edges one after the other
    types: {I: index}
    attrs: {nodes: int}
    in: {A: "I[E]", B: "I[E]"}
    let: {N: nodes}
    require: [nodes >= 1, E >= 1]
    index: {n: N, k: N}
    out: {Root: "i64[N]"}
    body: |
      ra[e] = fold[k](x = clamp(cast(A[e], i64), 0, N - 1), padded(p[e - 1,x], x))
      rb[e] = fold[k](x = clamp(cast(B[e], i64), 0, N - 1), padded(p[e - 1,x], x))
      p[e,n] = select(n == max(ra[e], rb[e]), min(ra[e], rb[e]), padded(p[e - 1,n], n))
      Root[n] = fold[k](x = n, p[E - 1,clamp(x, 0, N - 1)])

  - op: topological
    doc: nodes in an order in which edges point forward, the first free node first
    in: {Adj: "u8[N, N]"}
    out: {Order: "i64[N]"}
    body: |
      before[n] = sum[m](cast(Adj[m,n], i64))
      d[t,n] = padded(d[t - 1,n], before[n]) - cast(padded(Adj[padded(Order[t - 1], N),n], 0), i64)
      Order[t] = min(N, min[n : d[t,n] == 0 and padded(gone[t - 1,n], 0) == 0](n))
      gone[t,n] = padded(gone[t - 1,n], 0) + select(n == Order[t], 1, 0)

  - op: stable_pairs
    doc: Gale and Shapley, a proposal a step; Pref has lists of women, Rank the place of each man with each woman
    types: {I: index}
    in: {Pref: "I[N, N]", Rank: "I[N, N]"}
    require: [N >= 1]
    let: {S: N*N}
    index: {s: S, w: N, m: N}
    out: {Wife: "i64[N]"}
    body: |
      free[s,m] = select(any[w](padded(man[s - 1,w], -1) == m), 0, 1)
      who[s] = min[m : free[s,m] == 1](m)
      did[s] = who[s] < N
      she[s] = select(did[s], cast(padded(Pref[who[s],padded(next[s - 1,who[s]], 0)], 0), i64), -1)
      had[s] = padded(man[s - 1,she[s]], -1)
      wins[s] = did[s] and (had[s] < 0 or padded(Rank[she[s],who[s]], 0) < padded(Rank[she[s],had[s]], 0))
      man[s,w] = select(w == she[s] and wins[s], who[s], padded(man[s - 1,w], -1))
      next[s,m] = padded(next[s - 1,m], 0) + select(m == who[s], 1, 0)
      Wife[m] = min[w : man[S - 1,w] == m](w)

  - op: first_fit
    doc: the bin of each item, the first with room
    types: {T: [f32, f64, i32]}
    attrs: {space: T}
    in: {W: "T[N]"}
    index: {b: N}
    out: {Bin: "i64[N]", Fill: "T[N]"}
    require: [N >= 1]
    body: |
      Bin[n] = min[b : padded(f[n - 1,b], 0) + W[n] <= space](b)
      f[n,b] = padded(f[n - 1,b], 0) + select(b == Bin[n], W[n], 0)
      Fill[b] = f[N - 1,b]

  - op: weighted_intervals
    doc: the largest weight of intervals that do not overlap; sorted by their ends
    types: {T: [f32, f64, i32]}
    in: {B: "T[N]", E: "T[N]", W: "T[N]"}
    let: {P: N + 1}
    index: {p: P}
    out: {Best: "T[P]"}
    body: |
      before[n] = sum[k : k < n](E[k] <= B[n])
      Best[p] = select(p == 0, 0, max(padded(Best[p - 1], 0), padded(W[p - 1], 0) + padded(Best[min(padded(before[p - 1], 0), p - 1)], 0)))

  - op: next_permutation
    types: {T: [u8, i32]}
    in: {X: "T[B, N]"}
    out: {Y: "T[B, N]", Found: "bool[B]"}
    require: [N >= 1]
    body: |
      k[b] = max[n : n < N - 1 and X[b,n] < X[b,min(n + 1, N - 1)]](n)
      Found[b] = k[b] >= 0
      v[b] = X[b,clamp(k[b], 0, N - 1)]
      l[b] = max[n : n > k[b] and X[b,n] > v[b]](n)
      s[b,n] = select(k[b] < 0 or n > k[b], select(k[b] >= 0 and n == l[b], v[b], X[b,n]), select(n == k[b], X[b,clamp(l[b], 0, N - 1)], X[b,n]))
      Y[b,n] = select(k[b] < 0 or n > k[b], s[b,clamp(N - n + max(k[b], -1), 0, N - 1)], s[b,n])

  - op: unranked_choice
    doc: the choice of k of n numbers that has a given place in lexicographic order
    attrs: {n: int, k: int}
    in: {Rank: "i64[B]"}
    let: {N: n, K: k, M: n + 1}
    require: [k >= 1, k <= n, n <= 60]
    index: {i: M, j: M, c: K, x: N}
    out: {Y: "i64[B, K]"}
    body: |
      choose[i,j] = select(j == 0, 1, padded(choose[i - 1,j - 1], 0) + padded(choose[i - 1,j], 0))
      need[b,x] = K - padded(taken[b,x - 1], 0)
      ways[b,x] = padded(choose[N - 1 - x,need[b,x] - 1], 0)
      rest[b,x] = padded(after[b,x - 1], Rank[b])
      in[b,x] = select(need[b,x] > 0 and rest[b,x] < ways[b,x], 1, 0)
      after[b,x] = rest[b,x] - select(in[b,x] == 1, 0, ways[b,x])
      taken[b,x] = padded(taken[b,x - 1], 0) + in[b,x]
      Y[b,c] = min[x : taken[b,x] == c + 1](x)

  - op: hull_chain
    doc: the lower hull of points sorted by x; each point keeps the one before it on the hull
    types: {T: [f32, f64, i32]}
    in: {X: "T[N]", Y: "T[N]"}
    require: [N >= 1]
    out: {Prev: "i64[N]", On: "bool[N]"}
    index: {s: N}
    body: |
      Prev[n] = fold[s](j = n - 1, select(j > 0 and padded(Prev[clamp(j, -1, n - 1)], -1) >= 0 and (X[clamp(j, 0, N - 1)] - X[clamp(padded(Prev[clamp(j, -1, n - 1)], 0), 0, N - 1)])*(Y[n] - Y[clamp(j, 0, N - 1)]) - (Y[clamp(j, 0, N - 1)] - Y[clamp(padded(Prev[clamp(j, -1, n - 1)], 0), 0, N - 1)])*(X[n] - X[clamp(j, 0, N - 1)]) <= 0, padded(Prev[clamp(j, -1, n - 1)], 0), j))
      On[n] = n == N - 1 or any[m : m > n](On[m] and Prev[m] == n)

  - op: clipped_polygon
    doc: the part of a polygon on the left of a line, a corner after the other
    types: {T: [f32, f64]}
    in: {P: "T[N, 2]", L: "T[3]"}
    let: {M: upto(2*N)}
    index: {k: 2}
    out: {Y: "T[M, 2]"}
    body: |
      d[n] = L[0]*P[n,0] + L[1]*P[n,1] + L[2]
      n1[n] = select(n == N - 1, 0, n + 1)
      e[n] = d[n1[n] % N]
      keep[n] = select(d[n] >= 0, 1, 0)
      cut[n] = select((d[n] >= 0) != (e[n] >= 0), 1, 0)
      at[n] = sum[m : m < n](keep[m] + cut[m])
      M = sum[n](keep[n] + cut[n])
      Y[wrap(at[n], M),k] last= P[n,k] where keep[n] == 1
      Y[wrap(at[n] + keep[n], M),k] last= P[n,k] + d[n]/(d[n] - e[n])*(P[n1[n] % N,k] - P[n,k]) where cut[n] == 1

  - op: ray_triangles
    doc: the first triangle that each ray hits, by Moeller and Trumbore
    types: {T: [f32, f64]}
    in: {O: "T[R, 3]", D: "T[R, 3]", V: "T[N, 3, 3]"}
    require: [N >= 1]
    out: {Dist: "T[R]", Which: "i64[R]"}
    body: |
      e1[n,i] = V[n,1,i] - V[n,0,i]
      e2[n,i] = V[n,2,i] - V[n,0,i]
      p[r,n,i] = D[r,(i + 1) % 3]*e2[n,(i + 2) % 3] - D[r,(i + 2) % 3]*e2[n,(i + 1) % 3]
      det[r,n] = sum[i](e1[n,i]*p[r,n,i])
      s[r,n,i] = O[r,i] - V[n,0,i]
      q[r,n,i] = s[r,n,(i + 1) % 3]*e1[n,(i + 2) % 3] - s[r,n,(i + 2) % 3]*e1[n,(i + 1) % 3]
      u[r,n] = sum[i](s[r,n,i]*p[r,n,i])/det[r,n]
      v[r,n] = sum[i](D[r,i]*q[r,n,i])/det[r,n]
      t[r,n] = sum[i](e2[n,i]*q[r,n,i])/det[r,n]
      hit[r,n] = select(u[r,n] >= 0 and v[r,n] >= 0 and u[r,n] + v[r,n] <= 1 and t[r,n] > 0, t[r,n], inf)
      Dist[r], best[r] = min_at[n](hit[r,n])
      Which[r] = select(Dist[r] < inf, best[r], -1)

  - op: slerp
    types: {T: [f32, f64]}
    in: {A: "T[N, 4]", B: "T[N, 4]", W: "T[N]"}
    out: {Y: "T[N, 4]"}
    body: |
      c[n] = sum[k](A[n,k]*B[n,k])
      s[n] = select(c[n] < 0, -1, 1)
      a[n] = acos(min(abs(c[n]), 1))
      near[n] = abs(c[n]) > 0.9995
      p[n] = select(near[n], 1 - W[n], sin((1 - W[n])*a[n])/sin(select(near[n], 1, a[n])))
      q[n] = s[n]*select(near[n], W[n], sin(W[n]*a[n])/sin(select(near[n], 1, a[n])))
      v[n,k] = p[n]*A[n,k] + q[n]*B[n,k]
      Y[n,k] = v[n,k]*rsqrt(sum[j](sq(v[n,j])))

  - op: gray_scott
    doc: reaction and diffusion of two substances on a torus
    types: {T: [f32, f64]}
    attrs: {steps: int = 4, f: float = 0.035, k: float = 0.065}
    in: {U0: "T[H, W]", V0: "T[H, W]"}
    require: [steps >= 1]
    index: {t: steps}
    out: {U: "T[H, W]", V: "T[H, W]"}
    body: |
      u[t,y,x] = padded(u1[t - 1,y,x], U0[y,x])
      v[t,y,x] = padded(v1[t - 1,y,x], V0[y,x])
      lu[t,y,x] = u[t,(y + 1) % H,x] + u[t,(y - 1) % H,x] + u[t,y,(x + 1) % W] + u[t,y,(x - 1) % W] - 4*u[t,y,x]
      lv[t,y,x] = v[t,(y + 1) % H,x] + v[t,(y - 1) % H,x] + v[t,y,(x + 1) % W] + v[t,y,(x - 1) % W] - 4*v[t,y,x]
      u1[t,y,x] = u[t,y,x] + 0.16*lu[t,y,x] - u[t,y,x]*sq(v[t,y,x]) + f*(1 - u[t,y,x])
      v1[t,y,x] = v[t,y,x] + 0.08*lv[t,y,x] + u[t,y,x]*sq(v[t,y,x]) - (f + k)*v[t,y,x]
      U[y,x] = u1[steps - 1,y,x]
      V[y,x] = v1[steps - 1,y,x]

  - op: advected
    doc: transport with a limiter (minmod) on a ring
    types: {T: [f32, f64]}
    attrs: {c: float = 0.5, steps: int = 3}
    in: {Q0: "T[N]"}
    require: [steps >= 1, N >= 1]
    index: {t: steps}
    out: {Q: "T[N]"}
    body: |
      q[t,n] = padded(q1[t - 1,n], Q0[n])
      l[t,n] = q[t,n] - q[t,(n - 1) % N]
      r[t,n] = q[t,(n + 1) % N] - q[t,n]
      m[t,n] = select(l[t,n]*r[t,n] <= 0, 0, select(abs(l[t,n]) < abs(r[t,n]), l[t,n], r[t,n]))
      flux[t,n] = q[t,n] + 0.5*(1 - c)*m[t,n]
      q1[t,n] = q[t,n] - c*(flux[t,n] - flux[t,(n - 1) % N])
      Q[n] = q1[steps - 1,n]

  - op: v_cycle
    doc: one cycle of two grids for u'' = f with zeros at both ends, weighted Jacobi
    types: {T: [f32, f64]}
    attrs: {sweeps: int = 2}
    in: {U: "T[N]", F: "T[N]"}
    let: {M: N//2}
    require: [N >= 3, N % 2 == 1, sweeps >= 1]
    index: {s: sweeps, m: M}
    out: {Y: "T[N]"}
    body: |
      a[s,n] = padded(a[s - 1,n], U[n])/3 + 2.0/3.0*0.5*(padded(a[s - 1,n - 1], padded(U[n - 1], 0)) + padded(a[s - 1,n + 1], padded(U[n + 1], 0)) - F[n])
      res[n] = F[n] - (padded(a[sweeps - 1,n - 1], 0) - 2*a[sweeps - 1,n] + padded(a[sweeps - 1,n + 1], 0))
      rc[m] = res[2*m] + 2*res[2*m + 1] + res[2*m + 2]
      g[m] = 1/(-2 - padded(g[m - 1], 0))
      h[m] = (rc[m] - padded(h[m - 1], 0))*g[m]
      e[m] = h[m] - g[m]*padded(e[m + 1], 0)
      Y[n] = a[sweeps - 1,n] + select(n % 2 == 1, padded(e[n//2], 0), 0.5*(padded(e[n//2 - 1], 0) + padded(e[n//2], 0)))

  - op: sph_density
    doc: densities of particles by a cubic kernel
    types: {T: [f32, f64]}
    attrs: {h: float = 0.5}
    in: {X: "T[N, D]", M: "T[N]"}
    out: {R: "T[N]"}
    body: |
      q[i,j] = sqrt(sum[d](sq(X[i,d] - X[j,d])))/h
      R[i] = sum[j](M[j]*select(q[i,j] < 1, 1 - 1.5*sq(q[i,j]) + 0.75*q[i,j]**3, select(q[i,j] < 2, 0.25*(2 - q[i,j])**3, 0)))

  - op: cloth_step
    doc: springs between neighbours on a grid, Verlet steps
    types: {T: [f32, f64]}
    attrs: {steps: int = 3, k: float = 0.2}
    in: {P: "T[H, W, 3]"}
    require: [steps >= 1]
    index: {t: steps}
    tables: {Dy: {type: "i64[4]", values: [0, 0, -1, 1]}, Dx: {type: "i64[4]", values: [-1, 1, 0, 0]}}
    out: {Y: "T[H, W, 3]"}
    body: |
      in[y,x,n] = 0 <= y + Dy[n] and y + Dy[n] < H and 0 <= x + Dx[n] and x + Dx[n] < W
      now[t,y,x,c] = padded(new[t - 1,y,x,c], P[y,x,c])
      old[t,y,x,c] = padded(new[t - 2,y,x,c], P[y,x,c])
      len[t,y,x,n] = sqrt(sum[c](sq(padded(now[t,y + Dy[n],x + Dx[n],c], 0) - now[t,y,x,c])))
      f[t,y,x,c] = sum[n : in[y,x,n]]((len[t,y,x,n] - 1)/max(len[t,y,x,n], 1e-6)*(padded(now[t,y + Dy[n],x + Dx[n],c], 0) - now[t,y,x,c]))
      new[t,y,x,c] = select(y == 0, P[y,x,c], 2*now[t,y,x,c] - old[t,y,x,c] + k*f[t,y,x,c] - select(c == 1, 0.01, 0))
      Y[y,x,c] = new[steps - 1,y,x,c]

  - op: rk4_steps
    doc: the classical Runge-Kutta steps of the equation of Van der Pol, by its table
    types: {T: [f32, f64]}
    attrs: {steps: int = 5, h: float = 0.1, mu: float = 1}
    tables: {A: {type: "f32[4]", values: [0, 0.5, 0.5, 1]}, W: {type: "f32[4]", values: [1, 2, 2, 1]}}
    in: {X: "T[B, 2]"}
    require: [steps >= 1]
    index: {t: steps, s: 4, i: 2}
    out: {Y: "T[B, 2]"}
    body: |
      x[t,b,i] = padded(z[t - 1,b,i], X[b,i])
      y[t,s,b,i] = x[t,b,i] + h*cast(A[s], T)*padded(k[t,s - 1,b,i], 0)
      k[t,s,b,i] = select(i == 0, y[t,s,b,1], mu*(1 - sq(y[t,s,b,0]))*y[t,s,b,1] - y[t,s,b,0])
      z[t,b,i] = x[t,b,i] + h/6*sum[s](cast(W[s], T)*k[t,s,b,i])
      Y[b,i] = z[steps - 1,b,i]

  - op: undistorted
    doc: points of a lens without its distortion, by a fixed point
    types: {T: [f32, f64]}
    attrs: {k: "float[2]", steps: int = 8}
    in: {P: "T[N, 2]"}
    require: [steps >= 1]
    index: {t: steps}
    out: {Y: "T[N, 2]"}
    body: |
      r[t,n] = sum[i](sq(padded(y[t - 1,n,i], P[n,i])))
      y[t,n,i] = P[n,i]/(1 + k[0]*r[t,n] + k[1]*sq(r[t,n]))
      Y[n,i] = y[steps - 1,n,i]

  - op: bell_triangle
    attrs: {count: int}
    let: {N: count}
    require: [count >= 1, count <= 25]
    in: {X: "i64[]"}
    index: {n: N, k: N}
    out: {B: "i64[N]"}
    body: |
      t[n,k] = select(k > n, 0, select(k == 0, select(n == 0, 1, padded(t[n - 1,n - 1], 0)), padded(t[n,k - 1], 0) + padded(t[n - 1,k - 1], 0)))
      B[n] = X[]*t[n,0]

  - op: survivors
    doc: who is left of n in a ring, every k-th leaving
    types: {I: index}
    in: {N: "I[B]", K: "I[B]"}
    attrs: {most: int = 50}
    require: [most >= 1]
    index: {m: most}
    out: {Y: "I[B]"}
    body: Y[b] = fold[m](p = cast(0, I), select(m >= 1 and m < N[b], (p + K[b]) % (m + 1), p))
'''


BAD = [
    {'why': 'a divisor that is an accumulator', 'text': """ops:
  - op: wrong
    in: {X: "f32[N]"}
    out: {Y: "i64[]"}
    body: |
      Y[] = fold[n](r = 7, cast(X[n], i64)//«r»)
"""},
    {'why': 'an accumulator that is wrapped', 'text': """ops:
  - op: wrong
    in: {X: "f32[N]"}
    out: {Y: "i64[]"}
    body: |
      Y[] = fold[n](r = 7, cast(X[«wrap(r, N)»] + X[n], i64))
"""},
    {'why': 'an accumulator that is an index without a guard', 'text': """ops:
  - op: wrong
    in: {X: "i64[N]"}
    index: {k: 3}
    out: {Y: "i64[N]"}
    body: |
      Y[n] = fold[k](r = n, X[«r»])
"""},
    {'why': 'an accumulator with the name of a variable', 'text': """ops:
  - op: wrong
    in: {X: "i64[N]"}
    out: {Y: "i64[N]"}
    body: |
      Y[n] = fold[k](«n» = 7, n + X[k])
"""},
]


def rotl(x, n): return ((x << n) | (x >> (32 - n))) & 0xffffffff if n else x


def blake2s(h, m, count, last):
    """One block, through hashlib where the state is the first one; here the plain algorithm."""
    IV = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
    import yaml
    sigma = yaml.safe_load(OPS)['ops'][0]['tables']['Sigma']['values']
    v = list(h) + IV; v[12] ^= count; v[14] ^= 0xffffffff if last else 0
    def g(a, b, c, d, x, y):
        v[a] = (v[a] + v[b] + x) & 0xffffffff; v[d] = rotl(v[d] ^ v[a], 16); v[c] = (v[c] + v[d]) & 0xffffffff; v[b] = rotl(v[b] ^ v[c], 20)
        v[a] = (v[a] + v[b] + y) & 0xffffffff; v[d] = rotl(v[d] ^ v[a], 24); v[c] = (v[c] + v[d]) & 0xffffffff; v[b] = rotl(v[b] ^ v[c], 25)
    for s in sigma:
        for i in range(4): g(i, 4 + i, 8 + i, 12 + i, m[s[2*i]], m[s[2*i + 1]])
        for i in range(4): g(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[s[8 + 2*i]], m[s[9 + 2*i]])
    return [a ^ b ^ c for a, b, c in zip(h, v[:8], v[8:])]


def ascon(s, rounds):
    M = (1 << 64) - 1
    ror = lambda x, n: ((x >> n) | (x << (64 - n))) & M
    x = list(s)
    for r in range(12 - rounds, 12):
        x[2] ^= 0xf0 - r*0x10 + r
        x[0] ^= x[4]; x[4] ^= x[3]; x[2] ^= x[1]
        t = [(~x[i] & M) & x[(i + 1) % 5] for i in range(5)]
        for i in range(5): x[i] ^= t[(i + 1) % 5]
        x[1] ^= x[0]; x[0] ^= x[4]; x[3] ^= x[2]; x[2] ^= M
        for i, (a, b) in enumerate(((19, 28), (61, 39), (1, 6), (10, 17), (7, 41))): x[i] ^= ror(x[i], a) ^ ror(x[i], b)
    return x


def cases(rng):
    def case(op, key, inputs, want, dtypes, tolerance=EXACT, room=None, **attrs):
        return dict(op=op, key=key, inputs=inputs, attrs=attrs, want=want, dtypes=dtypes, tol=tolerance, **(dict(room=room) if room else {}))
    u32 = lambda *s: rng.integers(0, 2**32, s, dtype=np.uint64).astype(np.uint32)
    for b in (1, 3, 17, 0):
        H, M, C, L = u32(b, 8), u32(b, 16), u32(b), rng.random(b) < .5
        if b == 1:
            H[0] = [0x6A09E667 ^ 0x01010020, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]; M[0] = [0x636261] + [0]*15; C[0] = 3; L[0] = True
            assert np.array(blake2s([int(v) for v in H[0]], [int(v) for v in M[0]], 3, True), np.uint32).tobytes() == hashlib.blake2s(b'abc').digest()
        yield case('blake2s_block', 'u32', [H, M, C, L], [np.array([blake2s([int(v) for v in h], [int(v) for v in m], int(c), bool(l)) for h, m, c, l in zip(H, M, C, L)], np.uint32).reshape(b, 8)], ['u32'])
        for k in (2, 26):
            X, S = u32(b, 2), u32(k); out = []
            for x in X:
                a, c = (int(x[0]) + int(S[0])) & 0xffffffff, (int(x[1]) + int(S[1])) & 0xffffffff
                for r in range(1, k//2):
                    a = (rotl(a ^ c, c & 31) + int(S[2*r])) & 0xffffffff; c = (rotl(c ^ a, a & 31) + int(S[2*r + 1])) & 0xffffffff
                out.append([a, c])
            yield case('rc5_encrypted', 'u32', [X, S], [np.array(out, np.uint32).reshape(b, 2)], ['u32'])
        for r in (12, 6, 1):
            X = rng.integers(0, 2**64, (b, 5), dtype=np.uint64)
            yield case('ascon_permuted', 'u64', [X], [np.array([ascon([int(v) for v in x], r) for x in X], np.uint64).reshape(b, 5)], ['u64'], rounds=r)
    for shape in ((), (17,), (3, 5), (0, 2)):
        M = int(rng.integers(2**29, 2**30))*2 + 1; A, B = (np.asarray(rng.integers(0, M, shape)).astype(np.uint32) for _ in range(2)); r = pow(2**32, -1, M)
        yield case('montgomery_product', 'u32', [A, B, np.array(M, np.uint32)], [np.array([int(a)*int(b)*r % M for a, b in zip(A.ravel(), B.ravel())], np.uint32).reshape(shape)], ['u32'])
        for key, top in (('u32', 2**32), ('u64', 2**64)):
            X = np.asarray(rng.integers(0, top, shape, dtype=np.uint64)).astype(np_dtype(key))
            if shape == (17,): X[:8] = [0, 1, 3, 4, top - 1, 65535**2, 65536**2 % top, 65536**2 - 1]
            import math
            yield case('integer_root', key, [X], [np.array([math.isqrt(int(x)) for x in X.ravel()], np_dtype(key)).reshape(shape)], [key])
    for n, m in ((1, 1), (3, 5), (17, 16), (2, 33)):
        A, B = u32(n), u32(m)
        if n == 3: A[:], B[:] = 2**32 - 1, 2**32 - 1
        p = sum(int(a) << 32*i for i, a in enumerate(A))*sum(int(b) << 32*i for i, b in enumerate(B))
        yield case('long_product', 'u32', [A, B], [np.array([p >> 32*i & 0xffffffff for i in range(n + m)], np.uint32)], ['u32'])
    for key in ('i32', 'i64'):
        for n in (0, 5, 33):
            A, B = (rng.integers(0, 2**30, n) >> rng.integers(0, 30, n) for _ in range(2)); want = []
            for a, b in zip(A, B):
                r, s, t, r1, s1, t1 = int(a), 1, 0, int(b), 0, 1
                while r1: q = r//r1; r, r1, s, s1, t, t1 = r1, r - q*r1, s1, s - q*s1, t1, t - q*t1
                want.append((r, s, t))
            want = np.array(want, np.int64).reshape(n, 3)
            yield case('bezout', key, [A.astype(np_dtype(key)), B.astype(np_dtype(key))], [*want.T], [key]*3)
    for key in ('i32', 'i64'):
        t = np_dtype(key)
        for v, w, steps in ((1, 3, 4), (9, 17, 5), (5, 1, 0)):
            deg = np.ones(v, int) if v < 9 else np.array([1, 0, 1, 1, 0, 1, 1, 1, 1]); P = np.concatenate([[0], np.cumsum(deg)]); Col = rng.integers(0, v, P[-1]); S = rng.integers(0, v, w)
            Y = [S]
            for _ in range(steps): now = Y[-1]; Y.append(np.where(deg[now] == 0, now, Col[np.minimum(P[now], len(Col) - 1)]))
            yield case('random_walks', key, [P.astype(t), Col.astype(t), S.astype(t)], [np.array(Y)], ['i64'], steps=steps, seed=7)
        for n, e in ((1, 1), (9, 5), (17, 12)):
            A, B = rng.integers(0, n, e), rng.integers(0, n, e); p = list(range(n))
            def find(x):
                while p[x] != x: x = p[x]
                return x
            for a, b in zip(A, B): a, b = find(a), find(b); p[max(a, b)] = min(a, b)
            yield case('united', key, [A.astype(t), B.astype(t)], [np.array([find(x) for x in range(n)])], ['i64'], nodes=n)
        for n in (1, 3, 9):
            Pref = np.array([rng.permutation(n) for _ in range(n)]); Rank = np.array([rng.permutation(n) for _ in range(n)]); wife, man, nxt = [-1]*n, [-1]*n, [0]*n
            while -1 in wife:
                m = wife.index(-1); w = Pref[m][nxt[m]]; nxt[m] += 1
                if man[w] < 0 or Rank[w][m] < Rank[w][man[w]]:
                    if man[w] >= 0: wife[man[w]] = -1
                    man[w], wife[m] = m, w
            yield case('stable_pairs', key, [Pref.astype(t), Rank.astype(t)], [np.array(wife)], ['i64'])
        for b in (0, 5, 33):
            N, K = rng.integers(1, 50, b), rng.integers(1, 9, b); Y = []
            for n, k in zip(N, K):
                ring, i = list(range(n)), 0
                while len(ring) > 1: i = (i + int(k) - 1) % len(ring); ring.pop(i)
                Y.append(ring[0])
            yield case('survivors', key, [N.astype(t), K.astype(t)], [np.array(Y, np.int64)], [key], most=50)
    for n in (0, 1, 5, 17):
        A = np.triu(rng.random((n, n)) < .3, 1).astype(np.uint8); p = rng.permutation(n); A = A[p][:, p]
        if n == 5: A[0, 1] = A[1, 0] = 1
        d = A.sum(0).astype(int); gone = set(); order = []
        for _ in range(n):
            v = next((i for i in range(n) if d[i] == 0 and i not in gone), n); order.append(v)
            if v < n: gone.add(v); d -= A[v]
        yield case('topological', 'u8', [A], [np.array(order, np.int64)], ['i64'])
    for key in ('f32', 'f64', 'i32'):
        t = np_dtype(key)
        for n in (1, 9, 33):
            W = rng.integers(1, 8, n).astype(t); f = [0]*n; bins = []
            for w in W: b = next(i for i in range(n) if f[i] + w <= 10); f[b] += w; bins.append(b)
            yield case('first_fit', key, [W], [np.array(bins), np.array(f)], ['i64', key], space=10 if key == 'i32' else 10.0)
        for n in (0, 1, 17):
            B = rng.integers(0, 50, n); E = B + rng.integers(1, 20, n); o = np.argsort(E, kind='stable'); B, E = B[o], E[o]; W = rng.integers(1, 9, n); best = [0]
            for i in range(n): best.append(max(best[-1], W[i] + best[sum(E[:i] <= B[i])]))
            yield case('weighted_intervals', key, [B.astype(t), E.astype(t), W.astype(t)], [np.array(best)], [key])
        for n in (1, 2, 9, 33):
            X = np.sort(rng.integers(-50, 50, n)) + np.arange(n); Y = rng.integers(-20, 20, n); prev, st, on = [], [], []
            for i in range(n):
                j = i - 1
                while j > 0 and prev[j] >= 0 and (int(X[j]) - int(X[prev[j]]))*(int(Y[i]) - int(Y[j])) - (int(Y[j]) - int(Y[prev[j]]))*(int(X[i]) - int(X[j])) <= 0: j = prev[j]
                prev.append(j)
            i = n - 1
            while i >= 0: on.append(i); i = prev[i]
            yield case('hull_chain', key, [X.astype(t), Y.astype(t)], [np.array(prev), np.isin(np.arange(n), on)], ['i64', 'bool'])
    for key in ('u8', 'i32'):
        for b, n in ((1, 1), (17, 4), (3, 9)):
            X = rng.integers(0, 4, (b, n)).astype(np_dtype(key)); X[:1] = -np.sort(-X[:1].astype(int)); Y, F = X.copy(), np.zeros(b, bool)
            for r in range(b):
                x = list(X[r]); k = next((i for i in range(n - 2, -1, -1) if x[i] < x[i + 1]), -1); F[r] = k >= 0
                if k >= 0:
                    l = next(i for i in range(n - 1, k, -1) if x[i] > x[k]); x[k], x[l] = x[l], x[k]
                Y[r] = x[:k + 1] + x[k + 1:][::-1]
            yield case('next_permutation', key, [X], [Y, F], [key, 'bool'])
    import itertools
    for n, k in ((1, 1), (5, 3), (9, 2), (7, 7)):
        rows = list(itertools.combinations(range(n), k)); R = np.arange(len(rows))
        yield case('unranked_choice', 'i64', [R], [np.array(rows, np.int64)], ['i64'], n=n, k=k)
    for n in (1, 2, 12, 25):
        B, row = [], [1]
        for _ in range(n):
            B.append(row[0]); nxt = [row[-1]]
            for v in row: nxt.append(nxt[-1] + v)
            row = nxt
        yield case('bell_triangle', 'i64', [np.array(3)], [np.array([3*b % 2**64 for b in B], np.uint64).astype(np.int64)], ['i64'], count=n)
    for key in ('f32', 'f64'):
        t = np_dtype(key)
        for n in (3, 8, 33, 0):
            a = np.sort(rng.uniform(0, 2*np.pi, n)); P = np.stack([np.cos(a), np.sin(a)], 1).astype(t); L = np.array([.5, .75, .125], t); out = []
            d = wide(P) @ wide(L)[:2] + wide(L)[2]
            for i in range(n):
                j = (i + 1) % n
                if d[i] >= 0: out.append(wide(P)[i])
                if (d[i] >= 0) != (d[j] >= 0): out.append(wide(P)[i] + d[i]/(d[i] - d[j])*(wide(P)[j] - wide(P)[i]))
            yield case('clipped_polygon', key, [P, L], [np.array(out).reshape(-1, 2)], [key], tol(ulp=4, acc=40, mag=1), room=[(2*n, 2)])
        for r, n in ((1, 1), (17, 5), (33, 2), (0, 3)):
            O, D, V = rng.uniform(-1, 1, (r, 3)).astype(t), rng.normal(0, 1, (r, 3)).astype(t), rng.uniform(-3, 3, (n, 3, 3)).astype(t); o, d, v = wide(O), wide(D), wide(V)
            best, which = np.full(r, np.inf), np.full(r, -1)
            for i in range(r):
                for j in range(n):
                    m = np.stack([v[j, 1] - v[j, 0], v[j, 2] - v[j, 0], -d[i]], 1); uvt = np.linalg.solve(m, o[i] - v[j, 0])
                    if uvt[0] >= 0 and uvt[1] >= 0 and uvt[0] + uvt[1] <= 1 and uvt[2] > 0 and uvt[2] < best[i]: best[i], which[i] = uvt[2], j
            yield case('ray_triangles', key, [O, D, V], [best, which], [key, 'i64'], [tol(ulp=200, acc=200), EXACT])
        for n in (1, 17, 0):
            A, B = (rng.normal(0, 1, (n, 4)) for _ in range(2)); A /= np.linalg.norm(A, axis=1, keepdims=True); B /= np.linalg.norm(B, axis=1, keepdims=True)
            if n > 1: B[1] = -A[1]; B[2] = A[2]
            A, B, W = A.astype(t), B.astype(t), rng.uniform(0, 1, n).astype(t); a, b, w = wide(A), wide(B), wide(W)[:, None]
            c = (a*b).sum(1, keepdims=True); s = np.where(c < 0, -1, 1); th = np.arccos(np.minimum(abs(c), 1)); near = abs(c) > .9995; sn = np.where(near, 1, np.sin(np.where(near, 1, th)))
            v = np.where(near, 1 - w, np.sin((1 - w)*th)/sn)*a + s*np.where(near, w, np.sin(w*th)/sn)*b
            yield case('slerp', key, [A, B, W], [v/np.linalg.norm(v, axis=1, keepdims=True)], [key], tol(ulp=8, acc=80, mag=1))
        for h, w, steps in ((1, 1, 1), (5, 17, 4), (16, 33, 2)):
            U, V = rng.uniform(0, 1, (h, w)).astype(t), rng.uniform(0, 1, (h, w)).astype(t); u, v = wide(U), wide(V); lap = lambda z: np.roll(z, 1, 0) + np.roll(z, -1, 0) + np.roll(z, 1, 1) + np.roll(z, -1, 1) - 4*z
            for _ in range(steps): u, v = u + .16*lap(u) - u*v*v + .035*(1 - u), v + .08*lap(v) + u*v*v - .1*v
            yield case('gray_scott', key, [U, V], [u, v], [key]*2, [tol(ulp=8, acc=60, mag=3)]*2, steps=steps, f=.035, k=.065)
        for n, steps in ((1, 1), (17, 3), (33, 6)):
            Q = rng.integers(0, 9, n).astype(t); q = wide(Q)
            for _ in range(steps):
                l, r = q - np.roll(q, 1), np.roll(q, -1) - q; m = np.where(l*r <= 0, 0, np.where(abs(l) < abs(r), l, r)); f = q + .25*m; q = q - .5*(f - np.roll(f, 1))
            yield case('advected', key, [Q], [q], [key], tol(ulp=8, acc=60, mag=20), c=.5, steps=steps)
        for n, sw in ((3, 1), (17, 2), (33, 5)):
            U, F = rng.uniform(-1, 1, n).astype(t), rng.uniform(-1, 1, n).astype(t); u, f = wide(U), wide(F)
            for _ in range(sw): p = np.pad(u, 1); u = u/3 + (p[:-2] + p[2:] - f)/3
            p = np.pad(u, 1); res = f - (p[:-2] - 2*u + p[2:]); m = n//2; rc = np.array([res[2*i] + 2*res[2*i + 1] + res[2*i + 2] for i in range(m)])
            e = np.linalg.solve(np.diag([-2.0]*m) + np.diag([1.0]*(m - 1), 1) + np.diag([1.0]*(m - 1), -1), rc); y = u.copy()
            y[1::2] += e; y[::2] += .5*(np.concatenate([[0], e]) + np.concatenate([e, [0]]))
            yield case('v_cycle', key, [U, F], [y], [key], tol(ulp=20, acc=600, mag=20), sweeps=sw)
        for n, d in ((1, 2), (17, 3), (33, 1), (0, 2)):
            X, M = rng.uniform(0, 1, (n, d)).astype(t), rng.uniform(.5, 1, n).astype(t); q = np.sqrt(((wide(X)[:, None] - wide(X))**2).sum(-1))/.5
            yield case('sph_density', key, [X, M], [(wide(M)*np.where(q < 1, 1 - 1.5*q*q + .75*q**3, np.where(q < 2, .25*(2 - q)**3, 0))).sum(1)], [key], tol(ulp=8, acc=80, mag=n or 1), h=.5)
        for h, w, steps in ((1, 1, 1), (5, 7, 3), (3, 17, 4)):
            P = np.zeros((h, w, 3)); P[..., 0] = np.arange(w); P[..., 1] = -np.arange(h)[:, None]; P += rng.uniform(-.1, .1, P.shape); P = P.astype(t); p = wide(P); now, old = p.copy(), p.copy()
            for _ in range(steps):
                f = np.zeros_like(now)
                for y in range(h):
                    for x in range(w):
                        for dy, dx in ((0, -1), (0, 1), (-1, 0), (1, 0)):
                            if 0 <= y + dy < h and 0 <= x + dx < w:
                                v = now[y + dy, x + dx] - now[y, x]; l = np.sqrt((v*v).sum()); f[y, x] += (l - 1)/max(l, 1e-6)*v
                new = 2*now - old + .2*f; new[..., 1] -= .01; new[0] = p[0]; now, old = new, now
            yield case('cloth_step', key, [P], [now], [key], tol(ulp=8, acc=200, mag=20), steps=steps, k=.2)
        for b, steps in ((1, 1), (17, 5), (3, 9)):
            X = rng.uniform(-1, 1, (b, 2)).astype(t); x = wide(X); f = lambda z: np.stack([z[:, 1], (1 - z[:, 0]**2)*z[:, 1] - z[:, 0]], 1)
            for _ in range(steps): k1 = f(x); k2 = f(x + .05*k1); k3 = f(x + .05*k2); k4 = f(x + .1*k3); x = x + .1/6*(k1 + 2*k2 + 2*k3 + k4)
            yield case('rk4_steps', key, [X], [x], [key], tol(ulp=8, acc=200, mag=2), steps=steps, h=.1, mu=1.0)
        for n in (1, 17, 0):
            P = rng.uniform(-.5, .5, (n, 2)).astype(t); y = wide(P)
            for _ in range(8): r = (y*y).sum(1, keepdims=True); y = wide(P)/(1 + .25*r - .125*r*r)
            yield case('undistorted', key, [P], [y], [key], tol(ulp=20, acc=20), k=[.25, -.125], steps=8)
