"""Definitions as people write them for games, codes, hashes, physics, statistics, vision and language models."""
import hashlib

import numpy as np

from casekit import EXACT, np_dtype, rand, tol, wide

OPS = r'''
fn:
  turned(x, n): bit_or(shl(x, n), shr(x, 32 - n))
ops:
  - op: pascal_modulo
    attrs: {p: int = 1000003, rows: int}
    in: {X: "i64[N]"}
    require: [p >= 2, rows >= 1]
    let: {R: rows}
    out: {Y: "i64[R, R]", Z: "i64[N]"}
    body: |
      Y[n,k] = select(k == 0, 1, (padded(Y[n - 1,k - 1], 0) + padded(Y[n - 1,k], 0)) % p)
      Z[i] = Y[R - 1,X[i] % R]

  - op: word_break
    doc: whether the first i letters can be cut into words, each marked by its begin and length
    in: {Word: "bool[N, L]"}
    let: {P: N + 1}
    out: {Can: "bool[P]"}
    body: |
      Can[i] = i == 0 or any[l : l < i](padded(Can[i - 1 - l], false) and padded(Word[i - 1 - l,l], false))

  - op: grundy_numbers
    doc: values of a game of taking away Take[k] stones
    types: {I: index}
    attrs: {most: int}
    in: {Take: "I[K]"}
    require: [most >= 1]
    let: {N: most, Q: K + 1}
    index: {v: Q}
    out: {G: "i32[N]"}
    body: |
      seen[n,v] = any[k : Take[k] >= 1 and Take[k] <= n](padded(G[n - Take[k]], -1) == v)
      G[n] = min[v](select(seen[n,v], Q, v))

  - op: longest_common_run
    types: {I: index}
    in: {A: "I[N]", B: "I[M]"}
    out: {L: "i32[]", At: "i64[]"}
    body: |
      r[i,j] = select(A[i] == B[j], padded(r[i - 1,j - 1], 0) + 1, 0)
      best[i] = max[j](r[i,j])
      L[] = max[i](best[i])
      At[] = sum[i](select(best[i] == L[], 1, 0))

  - op: rational_resampler
    types: {T: [f32, f64]}
    attrs: {up: int, down: int}
    in: {X: "T[N]", H: "T[K]"}
    require: [up >= 1, down >= 1, N >= 1, K >= 1]
    let: {O: ((N - 1)*up + K - 1)//down + 1}
    out: {Y: "T[O]"}
    body: |
      Y[o] = sum[k : (o*down - k) % up == 0](H[k]*padded(X[(o*down - k)//up], 0))

  - op: savitzky_golay
    types: {T: float}
    tables: {C: {type: "f64[7]", values: ["-2/21", "3/21", "6/21", "7/21", "6/21", "3/21", "-2/21"]}}
    in: {X: "T[*P, N]"}
    require: [N >= 1]
    out: {Y: "T[*P, N]"}
    body: |
      Y[*p,n] = sum[k](cast(C[k], T)*X[*p,mirror(n + k - 3, N)])

  - op: zero_crossings
    types: {T: float}
    attrs: {frame: int, hop: int}
    in: {X: "T[N]"}
    require: [frame >= 2, hop >= 1, N >= frame]
    let: {F: (N - frame)//hop + 1}
    index: {k: frame - 1}
    out: {Z: "i32[F]", E: "T[F]"}
    body: |
      Z[f] = sum[k]((X[f*hop + k] >= 0) != (X[f*hop + k + 1] >= 0))
      E[f] = log(sum[k](sq(X[f*hop + k])) + 1)

  - op: normalised_template
    types: {T: [f32, f64]}
    in: {X: "T[N]", W: "T[K]"}
    require: [K >= 1, N >= K]
    let: {O: N - K + 1}
    out: {Y: "T[O]"}
    body: |
      wm[] = sum[k](W[k])/K
      wv[] = sum[k](sq(W[k] - wm[]))
      m[o] = sum[k](X[o + k])/K
      v[o] = sum[k](sq(X[o + k] - m[o]))
      Y[o] = sum[k]((X[o + k] - m[o])*(W[k] - wm[]))/sqrt(max(v[o]*wv[], 1e-12))

  - op: structural_similarity
    types: {T: [f32, f64]}
    in: {A: "T[H, V]", B: "T[H, V]"}
    require: [H >= 7, V >= 7]
    index: {r: 7, s: 7}
    let: {P: H - 6, Q: V - 6}
    out: {Y: "T[P, Q]"}
    body: |
      a[y,x] = sum[r,s](A[y + r,x + s])/49
      b[y,x] = sum[r,s](B[y + r,x + s])/49
      aa[y,x] = sum[r,s](sq(A[y + r,x + s]))/49 - sq(a[y,x])
      bb[y,x] = sum[r,s](sq(B[y + r,x + s]))/49 - sq(b[y,x])
      ab[y,x] = sum[r,s](A[y + r,x + s]*B[y + r,x + s])/49 - a[y,x]*b[y,x]
      Y[y,x] = (2*a[y,x]*b[y,x] + 1e-4)*(2*ab[y,x] + 9e-4)/((sq(a[y,x]) + sq(b[y,x]) + 1e-4)*(aa[y,x] + bb[y,x] + 9e-4))

  - op: anisotropic_diffusion
    types: {T: [f32, f64]}
    attrs: {steps: int = 4, kappa: float = 1.0, rate: float = 0.2}
    in: {X: "T[H, W]"}
    require: [H >= 1, W >= 1, steps >= 1]
    let: {S: steps + 1}
    index: {t: S}
    tables: {DY: {type: "i64[4]", values: [-1, 1, 0, 0]}, DX: {type: "i64[4]", values: [0, 0, -1, 1]}}
    out: {Y: "T[H, W]"}
    body: |
      g[t,y,x] = select(t == 0, X[y,x], padded(g[t - 1,y,x], 0) + rate*sum[d]((padded(g[t - 1,clamp(y + DY[d], 0, H - 1),clamp(x + DX[d], 0, W - 1)], 0) - padded(g[t - 1,y,x], 0))*exp(-sq((padded(g[t - 1,clamp(y + DY[d], 0, H - 1),clamp(x + DX[d], 0, W - 1)], 0) - padded(g[t - 1,y,x], 0))/kappa))))
      Y[y,x] = g[steps,y,x]

  - op: dark_channel
    types: {T: [f32, u8]}
    attrs: {radius: int = 2}
    in: {X: "T[H, W, C]"}
    require: [radius >= 0, H >= 1, W >= 1, C >= 1]
    index: {r: 2*radius + 1, s: 2*radius + 1}
    out: {Y: "T[H, W]"}
    body: |
      Y[y,x] = min[r,s,c](X[clamp(y + r - radius, 0, H - 1),clamp(x + s - radius, 0, W - 1),c])

  - op: integral_histogram
    doc: an integral histogram, counts of each value in all boxes from the corner
    in: {X: "u8[H, W]"}
    attrs: {bins: int = 8}
    require: [bins >= 1, bins <= 256]
    let: {B: bins}
    out: {Y: "i32[B, H, W]"}
    body: |
      Y[b,y,x] = sum[i,j : i <= y and j <= x](cast(X[i,j], i64)*bins//256 == b)

  - op: rows_of_product
    doc: how many elements each row of a product of two sparse matrices has
    types: {I: index}
    in: {PA: "I[P]", CA: "I[E]", PB: "I[Q]", CB: "I[F]"}
    attrs: {columns: int}
    require: [P >= 1, Q >= 1, columns >= 0]
    let: {M: P - 1, K: Q - 1, N: columns}
    index: {n: N, k: K}
    out: {Y: "i64[M]"}
    body: |
      b[k,n] = 0
      b[k,wrap(CB[f], N)] max= 1 where f in PB[k] .. PB[k + 1]
      h[m,n] = max[e in PA[m] .. PA[m + 1]](b[wrap(CA[e], K),n])
      Y[m] = sum[n](max(h[m,n], 0))

  - op: sparse_jacobi
    types: {T: [f32, f64], I: index}
    attrs: {steps: int}
    in: {Ptr: "I[P]", Col: "I[E]", V: "T[E]", D: "T[M]", B: "T[M]"}
    require: [P == M + 1, steps >= 1]
    index: {t: steps}
    out: {X: "T[M]"}
    body: |
      x[t,m] = (B[m] - sum[e in Ptr[m] .. Ptr[m + 1]](V[e]*padded(x[t - 1,wrap(Col[e], M)], 0)))/D[m]
      X[m] = x[steps - 1,m]

  - op: least_label
    types: {I: index}
    attrs: {steps: int}
    in: {Ptr: "I[P]", Col: "I[E]"}
    require: [P >= 1, steps >= 1]
    let: {M: P - 1}
    index: {t: steps}
    out: {L: "i64[M]"}
    body: |
      l[t,m] = min(select(t == 0, m, padded(l[t - 1,m], m)), min[e in Ptr[m] .. Ptr[m + 1]](select(t == 0, wrap(Col[e], M), padded(l[t - 1,wrap(Col[e], M)], M))))
      L[m] = l[steps - 1,m]

  - op: garch_variance
    types: {T: [f32, f64]}
    attrs: {w: float, a: float, b: float}
    in: {R: "T[S, N]"}
    require: [N >= 1]
    out: {V: "T[S, N]", L: "T[S]"}
    body: |
      V[s,n] = w + a*sq(padded(R[s,n - 1], 0)) + b*padded(V[s,n - 1], 1)
      L[s] = -0.5*sum[n](log(V[s,n]) + sq(R[s,n])/V[s,n])

  - op: survival
    doc: the product-limit estimate over times in order
    in: {Died: "i32[N]", At: "i32[N]"}
    out: {S: "f64[N]"}
    body: |
      S[n] = padded(S[n - 1], 1)*select(At[n] > 0, 1 - cast(Died[n], f64)/max(At[n], 1), 1)

  - op: gini
    types: {T: [f32, f64]}
    in: {X: "T[M, N]"}
    require: [N >= 1]
    out: {G: "T[M]"}
    body: |
      s, at = sort(X, axis=-1)
      total[m] = sum[n](s[m,n])
      G[m] = sum[n]((2*n + 1 - N)*s[m,n])/(N*max(total[m], 1e-30))

  - op: durbin_watson
    types: {T: [f32, f64]}
    in: {X: "T[N, K]"}
    require: [N >= 2]
    let: {M: N - 1}
    index: {m: M}
    out: {Y: "T[K]"}
    body: |
      Y[k] = sum[m](sq(X[m + 1,k] - X[m,k]))/sum[n](sq(X[n,k]))

  - op: theil_sen
    types: {T: [f32, f64]}
    in: {X: "T[N]", Y: "T[N]"}
    let: {Q: N*(N - 1)//2}
    require: [N >= 2, Q >= 1]
    index: {i: N, j: N, q: Q}
    out: {S: "T[]"}
    body: |
      p[i,j] = i*(2*N - i - 1)//2 + j - i - 1
      s[q] = 0
      s[wrap(p[i,j], Q)] last= (Y[j] - Y[i])/(X[j] - X[i]) where i < j
      r, at = sort(s, axis=-1)
      o[q] = r[q]
      S[] = 0.5*(o[(Q - 1)//2] + o[Q//2])

  - op: chacha_block
    tables:
      A: {type: "u8[8]", values: [0, 1, 2, 3, 0, 1, 2, 3]}
      B: {type: "u8[8]", values: [4, 5, 6, 7, 5, 6, 7, 4]}
      C: {type: "u8[8]", values: [8, 9, 10, 11, 10, 11, 8, 9]}
      D: {type: "u8[8]", values: [12, 13, 14, 15, 15, 12, 13, 14]}
    in: {X: "u32[N, 16]"}
    index: {t: 80}
    out: {Y: "u32[N, 16]"}
    body: |
      a1[n,t] = padded(s[n,t - 1,A[t % 8]], X[n,A[t % 8]]) + padded(s[n,t - 1,B[t % 8]], X[n,B[t % 8]])
      d1[n,t] = turned(bit_xor(padded(s[n,t - 1,D[t % 8]], X[n,D[t % 8]]), a1[n,t]), 16)
      c1[n,t] = padded(s[n,t - 1,C[t % 8]], X[n,C[t % 8]]) + d1[n,t]
      b1[n,t] = turned(bit_xor(padded(s[n,t - 1,B[t % 8]], X[n,B[t % 8]]), c1[n,t]), 12)
      a2[n,t] = a1[n,t] + b1[n,t]
      d2[n,t] = turned(bit_xor(d1[n,t], a2[n,t]), 8)
      c2[n,t] = c1[n,t] + d2[n,t]
      b2[n,t] = turned(bit_xor(b1[n,t], c2[n,t]), 7)
      s[n,t,w] = select(w == A[t % 8], a2[n,t], select(w == B[t % 8], b2[n,t], select(w == C[t % 8], c2[n,t],
                 select(w == D[t % 8], d2[n,t], padded(s[n,t - 1,w], X[n,w])))))
      Y[n,w] = X[n,w] + s[n,79,w]

  - op: md5_block
    tables:
      K: {type: "u32[64]", of: [i], values: "cast(floor(abs(sin(i + 1))*4294967296.0), u32)"}
      R: {type: "u32[16]", values: [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]}
      I: {type: "u32[4]", values: [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]}
      F: {type: "i64[4]", values: [1, 5, 3, 7]}
      G: {type: "i64[4]", values: [0, 1, 5, 0]}
    in: {M: "u32[N, 16]"}
    index: {t: 64, j: 4}
    out: {Y: "u32[N, 4]"}
    body: |
      b[n,t] = padded(q[n,t - 1], I[1])
      c[n,t] = padded(b[n,t - 1], I[2])
      d[n,t] = padded(c[n,t - 1], I[3])
      a[n,t] = padded(d[n,t - 1], I[0])
      f[n,t] = select(t < 16, bit_or(bit_and(b[n,t], c[n,t]), bit_and(bit_not(b[n,t]), d[n,t])),
               select(t < 32, bit_or(bit_and(d[n,t], b[n,t]), bit_and(bit_not(d[n,t]), c[n,t])),
               select(t < 48, bit_xor(bit_xor(b[n,t], c[n,t]), d[n,t]), bit_xor(c[n,t], bit_or(b[n,t], bit_not(d[n,t]))))))
      q[n,t] = b[n,t] + turned(f[n,t] + a[n,t] + K[t] + M[n,(F[t//16]*t + G[t//16]) % 16], R[4*(t//16) + t % 4])
      Y[n,j] = I[j] + select(j == 0, d[n,63], select(j == 1, q[n,63], select(j == 2, b[n,63], c[n,63])))

  - op: reed_solomon
    doc: check bytes of a systematic code over GF(256)
    index: {b: 8}
    in: {X: "u8[M, N]", Gen: "u8[R]"}
    require: [R >= 1]
    out: {Y: "u8[M, R]"}
    body: |
      f[m,n] = bit_xor(X[m,n], padded(s[m,n - 1,0], 0))
      s[m,n,r] = bit_xor(padded(s[m,n - 1,r + 1], 0), fold[b](p = cast(0, u8), bit_xor(select(p >= 128, bit_xor(shl(p, 1), 0x1d), shl(p, 1)), select(bit_and(shr(Gen[r], 7 - b), 1) == 1, f[m,n], 0))))
      Y[m,r] = padded(s[m,N - 1,r], 0)

  - op: big_sum
    in: {A: "u32[B, L]", C: "u32[B, L]"}
    out: {Y: "u32[B, L]", Carry: "u32[B]"}
    body: |
      s[b,l] = cast(A[b,l], u64) + cast(C[b,l], u64) + shr(padded(s[b,l - 1], 0), 32)
      Y[b,l] = cast(s[b,l], u32)
      Carry[b] = cast(shr(padded(s[b,L - 1], 0), 32), u32)

  - op: lattice_boltzmann
    types: {T: [f32, f64]}
    attrs: {omega: float = 1.0}
    tables:
      EX: {type: "i64[9]", values: [0, 1, 0, -1, 0, 1, -1, -1, 1]}
      EY: {type: "i64[9]", values: [0, 0, 1, 0, -1, 1, 1, -1, -1]}
      W: {type: "T[9]", values: ["4/9", "1/9", "1/9", "1/9", "1/9", "1/36", "1/36", "1/36", "1/36"]}
    in: {F: "T[9, H, V]"}
    out: {G: "T[9, H, V]"}
    body: |
      s[q,y,x] = F[q,(y - EY[q]) % H,(x - EX[q]) % V]
      rho[y,x] = sum[q](s[q,y,x])
      ux[y,x] = sum[q](EX[q]*s[q,y,x])/rho[y,x]
      uy[y,x] = sum[q](EY[q]*s[q,y,x])/rho[y,x]
      G[q,y,x] = s[q,y,x] + omega*(W[q]*rho[y,x]*(1 + 3*(EX[q]*ux[y,x] + EY[q]*uy[y,x]) + 4.5*sq(EX[q]*ux[y,x] + EY[q]*uy[y,x]) - 1.5*(sq(ux[y,x]) + sq(uy[y,x]))) - s[q,y,x])

  - op: burgers_steps
    types: {T: [f32, f64]}
    attrs: {steps: int, k: float}
    in: {U: "T[N]"}
    require: [N >= 1, steps >= 1]
    let: {S: steps + 1}
    index: {t: S}
    out: {Y: "T[N]"}
    body: |
      u[t,x] = select(t == 0, U[x], 0.5*(padded(u[t - 1,(x + 1) % N], 0) + padded(u[t - 1,(x - 1) % N], 0)) - 0.25*k*(sq(padded(u[t - 1,(x + 1) % N], 0)) - sq(padded(u[t - 1,(x - 1) % N], 0))))
      Y[x] = u[steps,x]

  - op: gravity
    types: {T: [f32, f64]}
    attrs: {soft: float = 0.01}
    in: {X: "T[N, 3]", M: "T[N]"}
    out: {A: "T[N, 3]", E: "T[]"}
    index: {j: N}
    body: |
      r2[i,j] = sum[c](sq(X[j,c] - X[i,c])) + soft
      A[i,c] = sum[j](M[j]*(X[j,c] - X[i,c])*rsqrt(r2[i,j])/r2[i,j])
      E[] = -0.5*sum[i,j](M[i]*M[j]*rsqrt(r2[i,j]))

  - op: heat_implicit
    doc: implicit steps of the heat equation, each row a tridiagonal solve
    types: {T: [f32, f64]}
    attrs: {steps: int, r: float}
    in: {U: "T[B, N]"}
    require: [steps >= 1, N >= 1]
    let: {S: steps + 1}
    index: {t: S}
    out: {Y: "T[B, N]"}
    body: |
      cp[x] = -r/(1 + 2*r + r*padded(cp[x - 1], 0))
      dp[t,b,x] = (padded(u[t - 1,b,x], U[b,x]) + r*padded(dp[t,b,x - 1], 0))/(1 + 2*r + r*padded(cp[x - 1], 0))
      u[t,b,x] = dp[t,b,x] - cp[x]*padded(u[t,b,x + 1], 0)
      Y[b,x] = u[steps,b,x]

  - op: sinks_attention
    doc: a causal window of keys and the first few, with soft-capped scores
    types: {T: [f32, f64]}
    attrs: {window: int, sinks: int, cap: float = 30.0}
    in: {Q: "T[H, L, D]", K: "T[H, L, D]", V: "T[H, L, E]"}
    require: [window >= 1, sinks >= 0, L >= 1]
    out: {Y: "T[H, L, E]"}
    body: |
      s[h,i,j] = cap*tanh(sum[d](Q[h,i,d]*K[h,j,d])/cap)
      m[h,i] = max[j : j <= i and (j > i - window or j < sinks)](s[h,i,j])
      z[h,i] = sum[j : j <= i and (j > i - window or j < sinks)](exp(s[h,i,j] - m[h,i]))
      Y[h,i,e] = sum[j : j <= i and (j > i - window or j < sinks)](exp(s[h,i,j] - m[h,i])*V[h,j,e])/z[h,i]

  - op: preference_loss
    types: {T: [f32, f64], I: index}
    attrs: {beta: float = 0.1}
    in: {Win: "T[B, L, V]", Lose: "T[B, L, V]", TW: "I[B, L]", TL: "I[B, L]", NW: "I[B]", NL: "I[B]", RW: "T[B]", RL: "T[B]"}
    require: [V >= 1]
    out: {Y: "T[B]"}
    body: |
      zw[b,l] = log(sum[v](exp(Win[b,l,v])))
      zl[b,l] = log(sum[v](exp(Lose[b,l,v])))
      pw[b] = sum[l : l < NW[b]](Win[b,l,wrap(TW[b,l], V)] - zw[b,l])
      pl[b] = sum[l : l < NL[b]](Lose[b,l,wrap(TL[b,l], V)] - zl[b,l])
      Y[b] = log1p(exp(-beta*(pw[b] - RW[b] - pl[b] + RL[b])))

  - op: speculative_accept
    doc: how many drafted tokens are kept, and the distribution of the next
    types: {T: [f32, f64], I: index}
    in: {P: "T[B, L, V]", Q: "T[B, L, V]", Tok: "I[B, L]", U: "T[B, L]"}
    require: [V >= 1, L >= 1]
    out: {N: "i32[B]", R: "T[B, V]"}
    body: |
      ok[b,l] = U[b,l]*Q[b,l,wrap(Tok[b,l], V)] <= P[b,l,wrap(Tok[b,l], V)]
      n[b] = sum[l](all[k : k <= l](ok[b,k]))
      N[b] = n[b]
      d[b,v] = max(P[b,clamp(n[b], 0, L - 1),v] - Q[b,clamp(n[b], 0, L - 1),v], 0)
      R[b,v] = d[b,v]/max(sum[w](d[b,w]), 1e-20)
'''

U32 = 0xFFFFFFFF


def chacha(x):
    s = x.astype(object).tolist()
    rot = lambda v, n: ((v << n) | (v >> (32 - n))) & U32
    w = list(s)
    def quarter(a, b, c, d):
        w[a] = (w[a] + w[b]) & U32; w[d] = rot(w[d] ^ w[a], 16)
        w[c] = (w[c] + w[d]) & U32; w[b] = rot(w[b] ^ w[c], 12)
        w[a] = (w[a] + w[b]) & U32; w[d] = rot(w[d] ^ w[a], 8)
        w[c] = (w[c] + w[d]) & U32; w[b] = rot(w[b] ^ w[c], 7)
    for _ in range(10):
        for k in range(4): quarter(k, 4 + k, 8 + k, 12 + k)
        for k in range(4): quarter(k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4)
    return [(p + q) & U32 for p, q in zip(s, w)]


def gf_times(a, b):
    p = 0
    for k in range(7, -1, -1):
        p = ((p << 1) ^ (0x1d if p & 128 else 0)) & 255
        if b >> k & 1: p ^= a
    return p


def sparse(rng, rows, cols, most):
    ptr, col = [0], []
    for _ in range(rows):
        k = int(rng.integers(0, min(most, cols) + 1))
        col += sorted(rng.choice(cols, k, replace=False).tolist())
        ptr.append(len(col))
    return ptr, col


def case(op, key, inputs, want, dtypes, tol=EXACT, **attrs):
    return dict(op=op, key=key, inputs=inputs, want=want, dtypes=dtypes, tol=tol, attrs=attrs)


def close(x, acc=60, mag=None):
    x = np.asarray(x, np.float64)
    return tol(ulp=8, acc=acc, mag=np.abs(x).max(initial=1.0) if mag is None else mag)


def integers(rng):
    for n, rows in ((1, 1), (17, 9), (33, 40)):
        x = rng.integers(0, 1000, n)
        c = [[0]*rows for _ in range(rows)]
        for i in range(rows):
            for k in range(i + 1): c[i][k] = 1 if k == 0 else (c[i - 1][k - 1] + c[i - 1][k]) % 1000003
        z = [c[rows - 1][v % rows] for v in x]
        yield case('pascal_modulo', 'i64', [x], [np.array(c), np.array(z)], ['i64', 'i64'], rows=rows)
    for n, l in ((1, 1), (7, 3), (33, 5), (20, 30)):
        w = rng.random((n, l)) < 0.3
        can = [True] + [False]*n
        for i in range(1, n + 1): can[i] = any(can[i - 1 - k] and w[i - 1 - k, k] for k in range(min(l, i)))
        yield case('word_break', 'bool', [w], [np.array(can)], ['bool'])
    for i in ('i32', 'i64'):
        for take, most in (([1, 2, 3], 20), ([2, 5, 7, 0, -3], 33), ([4], 1)):
            g = []
            for n in range(most):
                seen = {g[n - t] for t in take if 1 <= t <= n}
                g.append(next(v for v in range(99) if v not in seen))
            yield case('grundy_numbers', i, [np.array(take, np_dtype(i))], [np.array(g, np.int32)], ['i32'], most=most)
        for n, m in ((1, 1), (17, 33), (5, 40)):
            a, b = rng.integers(0, 3, n).astype(np_dtype(i)), rng.integers(0, 3, m).astype(np_dtype(i))
            r = np.zeros((n + 1, m + 1), int)
            for p in range(n):
                for q in range(m): r[p + 1, q + 1] = r[p, q] + 1 if a[p] == b[q] else 0
            best = r[1:, 1:].max(axis=1)
            yield case('longest_common_run', i, [a, b], [np.int32(best.max()), np.int64((best == best.max()).sum())], ['i32', 'i64'])
        for rows, inner, cols in ((1, 1, 1), (7, 9, 11), (33, 5, 17)):
            (pa, ca), (pb, cb) = sparse(rng, rows, inner, 4), sparse(rng, inner, cols, 4)
            b = np.zeros((inner, cols), bool)
            for k in range(inner): b[k, cb[pb[k]:pb[k + 1]]] = True
            y = [b[ca[pa[m]:pa[m + 1]]].any(axis=0).sum() for m in range(rows)]
            t = np_dtype(i)
            yield case('rows_of_product', i, [np.array(v, t) for v in (pa, ca, pb, cb)], [np.array(y, np.int64)], ['i64'], columns=cols)
        ptr, col = sparse(rng, 23, 23, 2)
        l = np.arange(23)
        for _ in range(5): l = np.array([min([l[m]] + [l[c] for c in col[ptr[m]:ptr[m + 1]]]) for m in range(23)])
        yield case('least_label', i, [np.array(ptr, np_dtype(i)), np.array(col, np_dtype(i))], [l.astype(np.int64)], ['i64'], steps=5)
    for n in (1, 3, 17):
        x = rng.integers(0, 2**32, (n, 16), dtype=np.uint32)
        yield case('chacha_block', 'u32', [x], [np.array([chacha(r) for r in x], np.uint32)], ['u32'])
        texts = [bytes(rng.integers(0, 256, 40, dtype=np.uint8)) for _ in range(n)]
        blocks = [t + b'\x80' + b'\0'*15 + (8*len(t)).to_bytes(8, 'little') for t in texts]
        yield case('md5_block', 'u32', [np.array([np.frombuffer(b, '<u4') for b in blocks])],
                   [np.array([np.frombuffer(hashlib.md5(t).digest(), '<u4') for t in texts])], ['u32'])
        gen = rng.integers(0, 256, 4 + n, dtype=np.uint8)
        data = rng.integers(0, 256, (n, 21), dtype=np.uint8)
        out = []
        for row in data.tolist():
            s = [0]*len(gen)
            for v in row:
                f = v ^ s[0]
                s = [(s[r + 1] if r + 1 < len(gen) else 0) ^ gf_times(f, int(gen[r])) for r in range(len(gen))]
            out.append(s)
        yield case('reed_solomon', 'u8', [data, gen], [np.array(out, np.uint8)], ['u8'])
        a, c = rng.integers(0, 2**32, (n, 5), dtype=np.uint32), rng.integers(0, 2**32, (n, 5), dtype=np.uint32)
        a[0, :], c[0, :] = U32, 0
        c[0, 0] = 1
        number = lambda r: sum(int(v) << 32*k for k, v in enumerate(r))
        s = [number(p) + number(q) for p, q in zip(a, c)]
        yield case('big_sum', 'u32', [a, c], [np.array([[v >> 32*k & U32 for k in range(5)] for v in s], np.uint32),
                   np.array([v >> 160 for v in s], np.uint32)], ['u32', 'u32'])
    for h, w in ((1, 1), (9, 17), (33, 5)):
        x = rng.integers(0, 256, (h, w), dtype=np.uint8)
        y = np.stack([(x.astype(int)*8//256 == b).astype(np.int32).cumsum(0).cumsum(1) for b in range(8)])
        yield case('integral_histogram', 'u8', [x], [y.astype(np.int32)], ['i32'], bins=8)


def reals(rng, t):
    for n, k, up, down in ((17, 5, 3, 2), (1, 1, 1, 1), (33, 16, 2, 5), (40, 9, 1, 3)):
        x, h = rand(rng, (n,), t), rand(rng, (k,), t)
        z = np.zeros((n - 1)*up + 1); z[::up] = x
        y = np.convolve(z, wide(h))[::down]
        yield case('rational_resampler', t, [x, h], [y], [t], close(y), up=up, down=down)
    for n, fr, hop in ((2, 2, 1), (40, 16, 8), (101, 25, 10)):
        x = rand(rng, (n,), t)
        f = (n - fr)//hop + 1
        z = [((x[i*hop:i*hop + fr - 1] >= 0) != (x[i*hop + 1:i*hop + fr] >= 0)).sum() for i in range(f)]
        e = [np.log((wide(x[i*hop:i*hop + fr - 1])**2).sum() + 1) for i in range(f)]
        yield case('zero_crossings', t, [x], [np.array(z, np.int32), np.array(e)], ['i32', t], [EXACT, close(e)], frame=fr, hop=hop)
    for n, k in ((3, 2), (33, 7), (50, 16)):
        x, w = rand(rng, (n,), t), rand(rng, (k,), t)
        y = [np.corrcoef(wide(x[o:o + k]), wide(w))[0, 1] for o in range(n - k + 1)]
        yield case('normalised_template', t, [x, w], [np.array(y)], [t], close(y, 400))
    for h, w in ((7, 7), (9, 17), (20, 33)):
        a, b = rand(rng, (h, w), t, 0, 1), rand(rng, (h, w), t, 0, 1)
        box = lambda z: np.lib.stride_tricks.sliding_window_view(z, (7, 7)).mean((2, 3))
        p, q = wide(a), wide(b)
        ma, mb = box(p), box(q)
        va, vb, vab = box(p*p) - ma**2, box(q*q) - mb**2, box(p*q) - ma*mb
        y = (2*ma*mb + 1e-4)*(2*vab + 9e-4)/((ma**2 + mb**2 + 1e-4)*(va + vb + 9e-4))
        yield case('structural_similarity', t, [a, b], [y], [t], close(y, 4000))
    for h, w in ((1, 1), (5, 17), (16, 9)):
        x = rand(rng, (h, w), t)
        g = wide(x)
        for _ in range(4):
            pad = np.pad(g, 1, mode='edge')
            d = [pad[0:-2, 1:-1] - g, pad[2:, 1:-1] - g, pad[1:-1, 0:-2] - g, pad[1:-1, 2:] - g]
            g = g + 0.2*sum(v*np.exp(-v*v) for v in d)
        yield case('anisotropic_diffusion', t, [x], [g], [t], close(g, 400))
    m = 13
    ptr, col = sparse(rng, m, m, 3)
    v, b, d = rand(rng, (len(col),), t), rand(rng, (m,), t), rand(rng, (m,), t, 4, 5)
    x = np.zeros(m)
    for _ in range(3): x = np.array([(float(b[r]) - sum(float(v[e])*x[col[e]] for e in range(ptr[r], ptr[r + 1])))/float(d[r]) for r in range(m)])
    yield case('sparse_jacobi', t, [np.array(ptr, np.int32), np.array(col, np.int32), v, d, b], [x], [t], close(x), steps=3)
    for s, n in ((1, 1), (3, 17), (9, 40)):
        r = rand(rng, (s, n), t)
        p = wide(r)
        out = np.zeros((s, n))
        for k in range(n): out[:, k] = 0.1 + 0.2*(p[:, k - 1]**2 if k else 0) + 0.7*(out[:, k - 1] if k else 1)
        l = -0.5*(np.log(out) + p*p/out).sum(1)
        yield case('garch_variance', t, [r], [out, l], [t, t], [close(out, 200), close(l, 400)], w=0.1, a=0.2, b=0.7)
        x = rand(rng, (s, n), t, 0, 3)
        o = np.sort(wide(x), axis=1)
        g = ((2*np.arange(n) + 1 - n)*o).sum(1)/(n*np.maximum(o.sum(1), 1e-30))
        yield case('gini', t, [x], [g], [t], close(g, 400))
        x = rand(rng, (n + 1, s), t)
        y = (np.diff(wide(x), axis=0)**2).sum(0)/(wide(x)**2).sum(0)
        yield case('durbin_watson', t, [x], [y], [t], close(y, 400))
    for n in (2, 5, 20):
        x, y = np.arange(n).astype(np_dtype(t)), rand(rng, (n,), t)
        s = sorted((float(y[j]) - float(y[i]))/(j - i) for i in range(n) for j in range(i + 1, n))
        q = len(s)
        w = 0.5*(s[(q - 1)//2] + s[q//2])
        yield case('theil_sen', t, [x, y], [np.float64(w)], [t], close(w, 200))
    f = rand(rng, (9, 6, 11), t, 0.5, 1)
    ex, ey = [0, 1, 0, -1, 0, 1, -1, -1, 1], [0, 0, 1, 0, -1, 1, 1, -1, -1]
    w = [4/9] + [1/9]*4 + [1/36]*4
    s = np.stack([np.roll(wide(f[q]), (ey[q], ex[q]), (0, 1)) for q in range(9)])
    rho = s.sum(0)
    ux, uy = sum(e*v for e, v in zip(ex, s))/rho, sum(e*v for e, v in zip(ey, s))/rho
    g = np.stack([s[q] + 0.8*(w[q]*rho*(1 + 3*(ex[q]*ux + ey[q]*uy) + 4.5*(ex[q]*ux + ey[q]*uy)**2 - 1.5*(ux**2 + uy**2)) - s[q]) for q in range(9)])
    yield case('lattice_boltzmann', t, [f], [g], [t], close(g, 200), omega=0.8)
    for n in (1, 2, 17):
        u = rand(rng, (n,), t)
        y = wide(u)
        for _ in range(5): y = 0.5*(np.roll(y, -1) + np.roll(y, 1)) - 0.25*0.1*(np.roll(y, -1)**2 - np.roll(y, 1)**2)
        yield case('burgers_steps', t, [u], [y], [t], close(y, 200), steps=5, k=0.1)
        x, ms = rand(rng, (n, 3), t), rand(rng, (n,), t, 0.5, 1)
        d = wide(x)[None] - wide(x)[:, None]
        r2 = (d**2).sum(2) + 0.1
        a = (wide(ms)[None, :, None]*d/(r2**1.5)[..., None]).sum(1)
        e = -0.5*(np.outer(wide(ms), wide(ms))/np.sqrt(r2)).sum()
        yield case('gravity', t, [x, ms], [a, np.float64(e)], [t, t], [close(a, 1000), close(e, 1000)], soft=0.1)
        b = rand(rng, (3, n), t)
        mat = np.eye(n)*(1 + 2*0.4) - 0.4*np.eye(n, k=1) - 0.4*np.eye(n, k=-1)
        z = wide(b)
        for _ in range(3): z = np.linalg.solve(mat, z.T).T
        yield case('heat_implicit', t, [b], [z], [t], close(z, 400), steps=2, r=0.4)
    for h, l, win, sink in ((1, 1, 1, 0), (2, 9, 3, 1), (2, 33, 8, 4)):
        q, k, v = rand(rng, (h, l, 5), t), rand(rng, (h, l, 5), t), rand(rng, (h, l, 7), t)
        s = 30*np.tanh(np.einsum('hid,hjd->hij', wide(q), wide(k))/30)
        i, j = np.arange(l)[:, None], np.arange(l)[None]
        s = np.where((j <= i) & ((j > i - win) | (j < sink)), s, -np.inf)
        p = np.exp(s - s.max(2, keepdims=True))
        y = np.einsum('hij,hje->hie', p, wide(v))/p.sum(2, keepdims=True)
        yield case('sinks_attention', t, [q, k, v], [y], [t], close(y, 400), window=win, sinks=sink)
    b, l, n = 3, 6, 17
    win, lose = rand(rng, (b, l, n), t), rand(rng, (b, l, n), t)
    tw, tl = rng.integers(0, n, (b, l)).astype(np.int32), rng.integers(0, n, (b, l)).astype(np.int32)
    nw, nl = np.array([0, 3, 6], np.int32), np.array([6, 1, 2], np.int32)
    rw, rl = rand(rng, (b,), t), rand(rng, (b,), t)
    lp = lambda x, k, m: np.array([sum(wide(x)[r, c, k[r, c]] - np.log(np.exp(wide(x)[r, c]).sum()) for c in range(m[r])) for r in range(b)])
    y = np.log1p(np.exp(-0.1*(lp(win, tw, nw) - rw - lp(lose, tl, nl) + rl)))
    yield case('preference_loss', t, [win, lose, tw, tl, nw, nl, rw, rl], [y], [t], close(y, 1000))
    p, q = rand(rng, (4, 5, 9), t, 0, 1), rand(rng, (4, 5, 9), t, 0, 1)
    tok, u = rng.integers(0, 9, (4, 5)).astype(np.int32), rand(rng, (4, 5), t, 0, 1)
    keep = [[u[r, c]*q[r, c, tok[r, c]] <= p[r, c, tok[r, c]] for c in range(5)] for r in range(4)]
    cnt = np.array([int(np.cumprod(k).sum()) for k in keep])
    d = np.stack([np.maximum(wide(p)[r, min(cnt[r], 4)] - wide(q)[r, min(cnt[r], 4)], 0) for r in range(4)])
    y = d/d.sum(1, keepdims=True)
    yield case('speculative_accept', t, [p, q, tok, u], [cnt.astype(np.int32), y], ['i32', t], [EXACT, close(y)])


def cases(rng):
    yield from integers(rng)
    for t in ('f32', 'f64'): yield from reals(rng, t)
    for t in ('f32', 'f64', 'f16', 'bf16'):
        if np_dtype(t) is None: continue
        for shape in ((1,), (3, 17), (2, 3, 33)):
            x = rand(rng, shape, t)
            c = np.array([-2, 3, 6, 7, 6, 3, -2])/21
            y = np.apply_along_axis(lambda r: np.convolve(np.pad(r, 3, mode='symmetric'), c, 'valid'), -1, wide(x)) if shape[-1] >= 3 else wide(x)*1.0
            yield case('savitzky_golay', t, [x], [y], [t], tol(ulp=4, acc=30, mid=3, mag=2.0))
    for t in ('f32', 'u8'):
        x = rand(rng, (9, 11, 3), t, 0, 255)
        pad = np.pad(x, ((2, 2), (2, 2), (0, 0)), mode='edge')
        y = np.lib.stride_tricks.sliding_window_view(pad, (5, 5), (0, 1)).min((2, 3, 4))
        yield case('dark_channel', t, [x], [y], [t])
    for n in (1, 17):
        died, at = rng.integers(0, 3, n).astype(np.int32), rng.integers(0, 9, n).astype(np.int32)
        y = np.cumprod([1 - dd/max(a, 1) if a > 0 else 1 for dd, a in zip(died.tolist(), at.tolist())])
        yield case('survival', 'i32', [died, at], [y], ['f64'], close(y))
