"""Blocks from blocks before, bisections, words of bits, states and particles, grids and orders, ranges of sparse rows both ways."""
import math

import numpy as np

from casekit import EXACT, available, rand, softmax, tol, wide

PRIMES = [p for p in range(2, 410) if all(p % q for q in range(2, p))]


def root_bits(p, n):
    """The first 64 bits of the fraction of the n-th root of p, in integers alone."""
    scaled, lo, hi = p << (64 * n), 0, 1 << 72
    while hi - lo > 1:
        mid = (lo + hi)//2
        lo, hi = (mid, hi) if mid**n <= scaled else (lo, mid)
    return lo & (2**64 - 1)


K512 = [root_bits(p, 3) for p in PRIMES[:80]]
H512 = [root_bits(p, 2) for p in PRIMES[:8]]

OPS = [r'''
ops:
  - op: csr_gauss_seidel
    doc: sweeps over the rows of a sparse matrix, each with the values that the rows before have got
    types: {T: [f32, f64], I: index}
    attrs: {sweeps: int = 2}
    in: {Ptr: "I[P]", Col: "I[E]", V: "T[E]", B: "T[N]"}
    require: [sweeps >= 1, P == N + 1]
    index: {s: sweeps, i: N}
    out: {X: "T[N]"}
    body: |
      diag[i] = sum[e in Ptr[i] .. Ptr[i + 1] : Col[e] == i](V[e])
      x[s,i] = (B[i] - sum[e in Ptr[i] .. Ptr[i + 1] : Col[e] < i](V[e]*x[s,clamp(Col[e], 0, i - 1)])
                     - sum[e in Ptr[i] .. Ptr[i + 1] : Col[e] > i](V[e]*padded(x[s - 1,wrap(Col[e], N)], 0)))/diag[i]
      X[i] = x[sweeps - 1,i]
''', r'''
ops:
  - op: rows_to_columns
    doc: a sparse matrix by rows as one by columns
    types: {T: [f32, i64], I: index}
    attrs: {columns: int}
    in: {Ptr: "I[P]", Col: "I[E]", V: "T[E]"}
    require: [columns >= 1, P >= 1]
    let: {C1: columns + 1, C: columns, M: P - 1}
    index: {m: M, c: C, d: C1}
    out: {CPtr: "i64[C1]", Row: "i64[E]", W: "T[E]"}
    body: |
      col[e] = clamp(Col[e], 0, columns - 1)
      count[c] = sum[e](col[e] == c)
      CPtr[d] = sum[c : c < d](count[c])
      row[e] = sum[m : m >= 1](Ptr[m] <= e)
      at[e] = CPtr[col[e]] + sum[f : f < e](col[f] == col[e])
      Row[wrap(at[e], E)] last= row[e]
      W[wrap(at[e], E)] last= V[e]
''', r'''
ops:
  - op: orders_filled
    doc: how much of each order on one side of a book is taken, best price first, and what the taking costs
    types: {T: [f32, f64, i64]}
    in: {Price: "T[B, N]", Size: "T[B, N]", Want: "T[B]"}
    out: {Taken: "T[B, N]", Cost: "T[B]", Left: "T[B]"}
    body: |
      p, at = sort(Price, axis=-1)
      s[b,n] = Size[b,wrap(at[b,n], N)]
      took[b,n] = min(s[b,n], max(Want[b] - sum[k : k < n](took[b,k]), 0))
      Taken[b,wrap(at[b,n], N)] last= took[b,n]
      Cost[b] = sum[n](took[b,n]*p[b,n])
      Left[b] = Want[b] - sum[n](took[b,n])
''', r'''
fn:
  normal(x): 0.5*erfc(-0.7071067811865476*x)
ops:
  - op: implied_volatility
    doc: the volatility at which the formula of Black and Scholes gives a price, by bisection
    types: {T: [f64]}
    attrs: {steps: int = 40}
    in: {Spot: "T[N]", Strike: "T[N]", Years: "T[N]", Price: "T[N]"}
    require: [steps >= 1]
    index: {t: steps}
    out: {V: "T[N]"}
    body: |
      mid[t,n] = 0.5*(padded(lo[t - 1,n], 0.001) + padded(hi[t - 1,n], 4.0))
      d[t,n] = (log(Spot[n]/Strike[n]) + 0.5*sq(mid[t,n])*Years[n])/(mid[t,n]*sqrt(Years[n]))
      value[t,n] = Spot[n]*normal(d[t,n]) - Strike[n]*normal(d[t,n] - mid[t,n]*sqrt(Years[n]))
      lo[t,n] = select(value[t,n] < Price[n], mid[t,n], padded(lo[t - 1,n], 0.001))
      hi[t,n] = select(value[t,n] < Price[n], padded(hi[t - 1,n], 4.0), mid[t,n])
      V[n] = 0.5*(lo[steps - 1,n] + hi[steps - 1,n])
''', r'''
ops:
  - op: predicted_blocks
    doc: a picture from differences to what its blocks before predict; the mode says from the left, from above, or from the mean of both
    in: {Mode: "u8[V, U]", D: "i16[V, U, 4, 4]"}
    let: {H: 4*V, W: 4*U}
    out: {Y: "u8[H, W]"}
    body: |
      mean[v,u] = shr(sum[k](cast(padded(r[v - 1,u,3,k], 128), i32)) + sum[k](cast(padded(r[v,u - 1,k,3], 128), i32)) + 4, 3)
      r[v,u,y,x] = cast(clamp(cast(D[v,u,y,x], i32) + select(Mode[v,u] == 0, cast(padded(r[v,u - 1,y,3], 128), i32),
        select(Mode[v,u] == 1, cast(padded(r[v - 1,u,3,x], 128), i32), mean[v,u])), 0, 255), u8)
      Y[h,w] = r[h//4,w//4,h % 4,w % 4]
    index: {k: 4, h: H, w: W}
''', r'''
ops:
  - op: hough_lines
    doc: votes of marked pixels for lines, by angle and distance
    attrs: {angles: int, step: float = 1.0}
    in: {Mark: "bool[H, W]"}
    require: [angles >= 1, step > 0]
    let: {A: angles, R: H + W + 1}
    index: {a: A, r: R}
    out: {Votes: "i32[A, R]"}
    body: |
      c[a] = cos(3.141592653589793*a/angles)
      s[a] = sin(3.141592653589793*a/angles)
      Votes[a,r] = 0
      Votes[a,clamp(floor((x*c[a] + y*s[a] + W)/step), 0, R - 1)] += 1 where Mark[y,x]
''', r'''
ops:
  - op: particles_moved
    doc: particles that are weighed by what is seen, drawn again by their weights, and moved
    types: {T: [f32, f64]}
    in: {X0: "T[N]", Seen: "T[L]", Move: "T[L, N]", U: "T[L]"}
    require: [N >= 1]
    out: {Mean: "T[L]", From: "i64[L, N]"}
    body: |
      x[t,i] = padded(drawn[t - 1,i], X0[i]) + Move[t,i]
      w[t,i] = 1/(0.25 + sq(Seen[t] - x[t,i]))
      total[t] = sum[i](w[t,i])
      below[t,i] = sum[j : j <= i](w[t,j])
      From[t,i] = min(sum[j](below[t,j]*N < (U[t] + i)*total[t]), N - 1)
      drawn[t,i] = x[t,From[t,i]]
      Mean[t] = sum[i](w[t,i]*x[t,i])/total[t]
''', r'''
ops:
  - op: ghash
    doc: blocks as numbers of a field of 2**128, multiplied by a key one after the other
    in: {Key: "u64[2]", X: "u64[L, 2]"}
    index: {b: 128}
    out: {Y: "u64[2]"}
    body: |
      vh[b] = select(b == 0, Key[0], bit_xor(shr(padded(vh[b - 1], 0), 1), select(bit_and(padded(vl[b - 1], 0), 1) == 1, 0xE100000000000000, 0)))
      vl[b] = select(b == 0, Key[1], bit_or(shr(padded(vl[b - 1], 0), 1), shl(padded(vh[b - 1], 0), 63)))
      ah[t] = bit_xor(X[t,0], padded(zh[t - 1], 0))
      al[t] = bit_xor(X[t,1], padded(zl[t - 1], 0))
      zh[t] = bit_xor[b](select(bit_and(shr(select(b < 64, ah[t], al[t]), 63 - b % 64), 1) == 1, vh[b], 0))
      zl[t] = bit_xor[b](select(bit_and(shr(select(b < 64, ah[t], al[t]), 63 - b % 64), 1) == 1, vl[b], 0))
      Y[i] = select(i == 0, padded(zh[L - 1], 0), padded(zl[L - 1], 0))
''', r'''
fn:
  turned64(x, n): bit_or(shr(x, n), shl(x, 64 - n))
ops:
  - op: sha512_block
    index: {t: 80, r: 80}
    tables:
      K: {type: "u64[80]", values: [''' + ', '.join(map(str, K512)) + r''']}
      H0: {type: "u64[8]", values: [''' + ', '.join(map(str, H512)) + r''']}
    in: {M: "u64[B, 16]"}
    out: {Y: "u64[B, 8]"}
    body: |
      w[n,t] = select(t < 16, padded(M[n,t], 0), padded(w[n,t - 16], 0) + padded(w[n,t - 7], 0) +
        bit_xor(turned64(padded(w[n,t - 15], 0), 1), bit_xor(turned64(padded(w[n,t - 15], 0), 8), shr(padded(w[n,t - 15], 0), 7))) +
        bit_xor(turned64(padded(w[n,t - 2], 0), 19), bit_xor(turned64(padded(w[n,t - 2], 0), 61), shr(padded(w[n,t - 2], 0), 6))))
      e4[n,r] = padded(e[n,r - 4], select(r == 0, H0[7], select(r == 1, H0[6], select(r == 2, H0[5], H0[4]))))
      e3[n,r] = padded(e[n,r - 3], select(r == 0, H0[6], select(r == 1, H0[5], H0[4])))
      e2[n,r] = padded(e[n,r - 2], select(r == 0, H0[5], H0[4]))
      e1[n,r] = padded(e[n,r - 1], H0[4])
      a4[n,r] = padded(a[n,r - 4], select(r == 0, H0[3], select(r == 1, H0[2], select(r == 2, H0[1], H0[0]))))
      a3[n,r] = padded(a[n,r - 3], select(r == 0, H0[2], select(r == 1, H0[1], H0[0])))
      a2[n,r] = padded(a[n,r - 2], select(r == 0, H0[1], H0[0]))
      a1[n,r] = padded(a[n,r - 1], H0[0])
      t1[n,r] = e4[n,r] + bit_xor(turned64(e1[n,r], 14), bit_xor(turned64(e1[n,r], 18), turned64(e1[n,r], 41))) +
        bit_xor(bit_and(e1[n,r], e2[n,r]), bit_and(bit_not(e1[n,r]), e3[n,r])) + K[r] + w[n,r]
      e[n,r] = a4[n,r] + t1[n,r]
      a[n,r] = t1[n,r] + bit_xor(turned64(a1[n,r], 28), bit_xor(turned64(a1[n,r], 34), turned64(a1[n,r], 39))) +
        bit_xor(bit_and(a1[n,r], a2[n,r]), bit_xor(bit_and(a1[n,r], a3[n,r]), bit_and(a2[n,r], a3[n,r])))
      Y[n,j] = H0[j] + select(j < 4, a[n,79 - j % 4], e[n,79 - j % 4])
''', r'''
ops:
  - op: buckets_jumped
    doc: the bucket of each key among so many, few of which move when there is one more
    attrs: {buckets: int = 10, most: int = 60}
    in: {K: "u64[N]"}
    require: [buckets >= 1, most >= 1]
    index: {t: most}
    out: {B: "i64[N]"}
    body: |
      key[t,n] = padded(key[t - 1,n], K[n])*2862933555777941757 + 1
      far[t,n] = (padded(at[t - 1,n], 0) + 1.0)*(2147483648.0/(cast(shr(key[t,n], 33), f64) + 1.0))
      at[t,n] = select(padded(done[t - 1,n], false) or far[t,n] >= buckets, padded(at[t - 1,n], 0), cast(far[t,n], i64))
      done[t,n] = padded(done[t - 1,n], false) or far[t,n] >= buckets
      B[n] = at[most - 1,n]
''', r'''
ops:
  - op: chunk_ends
    doc: where a rolling hash of the bytes before cuts a stream
    attrs: {bits: int = 4, least: int = 3}
    in: {X: "u8[N]"}
    require: [bits >= 1, bits <= 31, least >= 1]
    let: {M: upto(N)}
    out: {End: "i64[M]", Len: "i64[M]"}
    body: |
      gear[n] = shl(padded(gear[n - 1], 0), 1) + cast(X[n], u32)*2654435761
      cut[n] = n + 1 == N or (shr(gear[n], 32 - bits) == 0 and padded(run[n - 1], 0) + 1 >= least)
      run[n] = select(cut[n], 0, padded(run[n - 1], 0) + 1)
      at[n] = sum[k : k < n](cut[k])
      M = sum[n](cut[n])
      End[wrap(at[n], M)] last= n + 1 where cut[n]
      Len[wrap(at[n], M)] last= padded(run[n - 1], 0) + 1 where cut[n]
''', r'''
ops:
  - op: red_then_black
    doc: relaxation of a grid, the fields of one colour after those of the other
    types: {T: [f32, f64]}
    attrs: {sweeps: int = 3, omega: float = 1.25}
    in: {U: "T[H, W]", F: "T[H, W]"}
    require: [sweeps >= 0]
    index: {s: sweeps}
    out: {Y: "T[H, W]"}
    body: |
      red[s,y,x] = select((y + x) % 2 == 0, padded(black[s - 1,y,x], U[y,x]) + omega*(0.25*(
        padded(black[s - 1,y - 1,x], padded(U[y - 1,x], 0)) + padded(black[s - 1,y + 1,x], padded(U[y + 1,x], 0))
        + padded(black[s - 1,y,x - 1], padded(U[y,x - 1], 0)) + padded(black[s - 1,y,x + 1], padded(U[y,x + 1], 0)) - F[y,x])
        - padded(black[s - 1,y,x], U[y,x])), padded(black[s - 1,y,x], U[y,x]))
      black[s,y,x] = select((y + x) % 2 == 1, red[s,y,x] + omega*(0.25*(padded(red[s,y - 1,x], 0) + padded(red[s,y + 1,x], 0)
        + padded(red[s,y,x - 1], 0) + padded(red[s,y,x + 1], 0) - F[y,x]) - red[s,y,x]), red[s,y,x])
      Y[y,x] = padded(black[sweeps - 1,y,x], U[y,x])
''', r'''
ops:
  - op: charge_in_cells
    doc: charges of particles shared among the four nodes around each
    types: {T: [f32, f64]}
    attrs: {height: int, width: int}
    in: {P: "T[N, 2]", Q: "T[N]"}
    require: [height >= 1, width >= 1]
    let: {H: height, W: width}
    index: {h: H, w: W, k: 4}
    out: {Rho: "T[H, W]"}
    body: |
      y[n] = floor(P[n,0])
      x[n] = floor(P[n,1])
      share[n,k] = select(k < 2, 1 - (P[n,0] - y[n]), P[n,0] - y[n])*select(k % 2 == 0, 1 - (P[n,1] - x[n]), P[n,1] - x[n])
      Rho[(clamp(cast(y[n], i64), -9, 999) + k//2) % H,(clamp(cast(x[n], i64), -9, 999) + k % 2) % W] += Q[n]*share[n,k]
''', r'''
ops:
  - op: weno_faces
    doc: values at the faces of a periodic row of cells, from three parabolas that roughness weighs
    types: {T: [f32, f64]}
    in: {X: "T[*P, N]"}
    out: {Y: "T[*P, N]"}
    body: |
      a[*p,n] = X[*p,(n - 2) % N]
      b[*p,n] = X[*p,(n - 1) % N]
      c[*p,n] = X[*p,n]
      d[*p,n] = X[*p,(n + 1) % N]
      e[*p,n] = X[*p,(n + 2) % N]
      r0[*p,n] = 13/12.0*sq(a[*p,n] - 2*b[*p,n] + c[*p,n]) + 0.25*sq(a[*p,n] - 4*b[*p,n] + 3*c[*p,n])
      r1[*p,n] = 13/12.0*sq(b[*p,n] - 2*c[*p,n] + d[*p,n]) + 0.25*sq(b[*p,n] - d[*p,n])
      r2[*p,n] = 13/12.0*sq(c[*p,n] - 2*d[*p,n] + e[*p,n]) + 0.25*sq(3*c[*p,n] - 4*d[*p,n] + e[*p,n])
      w0[*p,n] = 0.1/sq(1e-3 + r0[*p,n])
      w1[*p,n] = 0.6/sq(1e-3 + r1[*p,n])
      w2[*p,n] = 0.3/sq(1e-3 + r2[*p,n])
      Y[*p,n] = (w0[*p,n]*(2*a[*p,n] - 7*b[*p,n] + 11*c[*p,n]) + w1[*p,n]*(5*c[*p,n] - b[*p,n] + 2*d[*p,n])
        + w2[*p,n]*(2*c[*p,n] + 5*d[*p,n] - e[*p,n]))/(6*(w0[*p,n] + w1[*p,n] + w2[*p,n]))
''', r'''
ops:
  - op: forgetting_attention
    doc: causal attention in which a gate of each step fades what was before it
    types: {T: float}
    in: {Q: "T[B, H, L, D]", K: "T[B, H, L, D]", V: "T[B, H, L, E]", F: "T[B, H, L]"}
    out: {Y: "T[B, H, L, E]"}
    body: |
      f[b,h,t] = -log1p(exp(-F[b,h,t]))
      faded[b,h,t] = sum[r : r <= t](f[b,h,r])
      s[b,h,i,j] = select(j <= i, sum[d](Q[b,h,i,d]*K[b,h,j,d])*rsqrt(cast(D, T)) + faded[b,h,i] - faded[b,h,j], -inf)
      p = softmax(s, axis=-1)
      Y[b,h,i,e] = sum[j](p[b,h,i,j]*V[b,h,j,e])
''', r'''
ops:
  - op: packed_key_attention
    doc: one query a head against keys of four bits, whose groups have scales, as far as each row is long
    types: {T: [f32]}
    in: {Q: "T[B, G, R, D]", K: "u8[B, G, L, C]", S: "T[B, G, L, J]", V: "T[B, G, L, E]", Len: "i32[B]"}
    require: [D == 2*C, J >= 1, D % J == 0]
    let: {Z: "max(D//J, 1)"}
    out: {Y: "T[B, G, R, E]"}
    body: |
      k[b,g,l,d] = (cast(bit_and(shr(K[b,g,l,d//2], 4*(d % 2)), 15), T) - 8)*S[b,g,l,min(d//Z, J - 1)]
      s[b,g,r,l] = sum[d](Q[b,g,r,d]*k[b,g,l,d])
      m[b,g,r] = max[l : l < Len[b]](s[b,g,r,l])
      z[b,g,r] = sum[l : l < Len[b]](exp(s[b,g,r,l] - m[b,g,r]))
      Y[b,g,r,e] = select(Len[b] > 0, sum[l : l < Len[b]](exp(s[b,g,r,l] - m[b,g,r])*V[b,g,l,e])/z[b,g,r], 0)
    index: {d: D}
''', r'''
ops:
  - op: prompt_lookup
    doc: where the last tokens stood before, as many of them as possible, and what followed there
    types: {I: index}
    attrs: {most: int = 4, drafts: int = 3}
    in: {X: "I[B, N]"}
    require: [N >= 1, most >= 1, drafts >= 1]
    let: {M: drafts}
    index: {m: M, q: most, r: most, n: N}
    out: {Same: "i64[B]", At: "i64[B]", Draft: "I[B, M]"}
    body: |
      equal[b,n] = select(n + 1 >= N, 0, sum[q](all[r : r <= q](padded(X[b,n - r], -1) == padded(X[b,N - 1 - r], -2))))
      Same[b], At[b] = max_at[n](equal[b,n])
      Draft[b,m] = select(Same[b] > 0, padded(X[b,At[b] + 1 + m], -1), -1)
    tests: [{B: 2, N: 9}]
''', r'''
ops:
  - op: longest_pieces
    doc: the longest word of a list that fits at each place of a text, one after the other
    in: {X: "u8[N]", W: "u8[V, K]", Len: "i32[V]"}
    require: [V >= 1, K >= 1, N >= 1]
    index: {t: N, n: N}
    out: {Piece: "i64[N]", At: "i64[N]"}
    body: |
      fits[n,v] = all[k](k >= Len[v] or padded(X[n + k], 255) == W[v,k]) and Len[v] >= 1 and n + Len[v] <= N
      best[n], which[n] = max_at[v](select(fits[n,v], cast(Len[v], i64), 0))
      At[t] = padded(At[t - 1], 0) + select(t == 0, 0, max(best[clamp(padded(At[t - 1], 0), 0, N - 1)], 1))
      Piece[t] = select(At[t] < N and best[clamp(At[t], 0, N - 1)] > 0, which[clamp(At[t], 0, N - 1)], -1)
''', r'''
ops:
  - op: position_automaton
    doc: the states of an expression without choices about them, as bools, and where it ends
    in: {First: "bool[Q]", Next: "bool[Q, Q]", Last: "bool[Q]", On: "bool[Q, 256]", X: "u8[B, N]"}
    out: {S: "bool[B, N, Q]", Hit: "bool[B, N]"}
    body: |
      S[b,n,q] = On[q,cast(X[b,n], i64)] and (First[q] or any[p](padded(S[b,n - 1,p], false) and Next[p,q]))
      Hit[b,n] = any[q](S[b,n,q] and Last[q])
''', r'''
ops:
  - op: blocks_of_differences
    doc: numbers of as many bits as each block says, added to those before and to the block's base
    in: {W: "u32[V, K]", Bits: "u8[V]", Base: "i64[V]"}
    attrs: {count: int = 8}
    require: [count >= 1, K >= 2, count <= 16*K]
    let: {N: count}
    index: {n: N}
    out: {Y: "i64[V, N]"}
    body: |
      bits[v] = clamp(cast(Bits[v], i64), 1, 31)
      first[v,n] = clamp(n*bits[v]//32, 0, K - 2)
      two[v,n] = bit_or(cast(W[v,first[v,n]], u64), shl(cast(W[v,first[v,n] + 1], u64), 32))
      d[v,n] = cast(bit_and(shr(two[v,n], n*bits[v] - 32*first[v,n]), shl(cast(1, u64), bits[v]) - 1), i64)
      Y[v,n] = Base[v] + sum[k : k <= n](bit_xor(shr(d[v,k], 1), -bit_and(d[v,k], 1)))
''', r'''
ops:
  - op: frechet_distance
    types: {T: [f32, f64]}
    in: {A: "T[B, N, D]", C: "T[B, M, D]"}
    out: {F: "T[B, N, M]", H: "T[B]"}
    body: |
      d[b,i,j] = sqrt(sum[k](sq(A[b,i,k] - C[b,j,k])))
      F[b,i,j] = max(d[b,i,j], select(i == 0 and j == 0, 0, min(padded(F[b,i - 1,j], inf), padded(F[b,i,j - 1], inf), padded(F[b,i - 1,j - 1], inf))))
      near[b,i] = min[j](d[b,i,j])
      back[b,j] = min[i](d[b,i,j])
      H[b] = max(max[i](near[b,i]), max[j](back[b,j]))
''', r'''
ops:
  - op: cut_into_words
    doc: the best cut of a text where each end has scores for lengths, and the lengths of its words from the end
    types: {T: [f32, f64]}
    in: {S: "T[N, K]"}
    require: [K >= 1, N >= 1]
    index: {t: N}
    out: {Best: "T[N]", Len: "i64[N]"}
    body: |
      Best[n], at[n] = max_at[k](S[n,k] + padded(Best[n - 1 - k], select(n - 1 - k == -1, 0, -1000)))
      end[t] = select(t == 0, N - 1, padded(end[t - 1], 0) - padded(Len[t - 1], 0))
      Len[t] = select(end[t] >= 0, at[clamp(end[t], 0, N - 1)] + 1, 0)
''', r'''
ops:
  - op: dominant_vector
    types: {T: [c64, c128]}
    attrs: {steps: int = 6}
    in: {A: "T[B, N, N]"}
    require: [steps >= 1, N >= 1]
    index: {t: steps}
    out: {V: "T[B, N]", R: "real(T)[B]"}
    body: |
      w[t,b,i] = sum[j](A[b,i,j]*padded(v[t - 1,b,j], 1))
      size[t,b] = sqrt(sum[i](sq(real(w[t,b,i])) + sq(imag(w[t,b,i]))))
      v[t,b,i] = w[t,b,i]*complex(1/size[t,b], 0)
      V[b,i] = v[steps - 1,b,i]
      R[b] = size[steps - 1,b]
''', r'''
ops:
  - op: nearest_vote
    doc: the label that most of the nearest points have
    types: {T: [f32, f64], I: index}
    attrs: {k: int = 3, labels: int = 4}
    in: {X: "T[M, D]", P: "T[N, D]", L: "I[N]"}
    require: [k >= 1, k <= N, labels >= 1]
    let: {C: labels, K: k}
    index: {c: C, j: K}
    out: {Y: "i64[M]", Count: "i64[M, C]"}
    body: |
      far[m,n] = -sum[d](sq(X[m,d] - P[n,d]))
      v, at = topk(far, k=k)
      Count[m,wrap(L[wrap(at[m,j], N)], C)] += 1
      Y[m] = argmax[c](Count[m,c])
''', r'''
ops:
  - op: columns_ranked
    doc: each row less the least of those before, in shares along the row and in a memory that fades
    types: {T: [f32, f64]}
    in: {X: "T[K, N]"}
    out: {Y: "T[K, N]", Z: "T[K, N]"}
    body: |
      s[k,n] = X[k,n] - min(0, min[k2 : k2 < k](s[k2,n]))
      g[k,n] = s[k,n] + 0.25*padded(h[k - 1,n], 0.25)
      h[k,n] = 0.5*g[k,n]
      y = transpose(s, perm=[1, 0])
      z = softmax(y, axis=0)
      Y[k,n] = z[n,k]
      Z[k,n] = h[k,n]
''']

HEAD = '''ops:
  - op: wrong
    types: {T: float, I: index}
    in: {X: "T[N, M]", Ix: "I[N]", A: "T[M]"}
    out: {Y: "T[N, M]"}
    body: |
'''
BAD = []


def bad(why, body, head=HEAD):
    BAD.append(dict(why=why, text=head + ''.join(f'      {line}\n' for line in body.split('\n'))))


bad('both ways in two dims', 'Y[n,m] = X[n,m] + padded(«Y[n - 1,m + 1]», 0) + padded(«Y[n + 1,m - 1]», 0)')
bad('a row of a recurrence that is not there yet', 'Y[n,m] = X[n,m] + sum[k](padded(«Y[n,k]», 0))')
bad('an update that reads what it updates', 'Y[n,m] = X[n,m]\nY[wrap(Ix[n], N),m] += «Y[n,m]»')
bad('a group with a statement between', 'a[n] = A[0] + padded(«c[n - 1]», 0)\nb[m] = A[m]\nc[n] = a[n]\nY[n,m] = c[n] + b[m]',
    HEAD.replace('{X', '{A0: "T[4]", X').replace('    body', '    index: {n: N}\n    body'))
bad('a place of a sum', 'Y[n,m], at[n] = «sum[k]»(X[n,k])')
bad('a table with a value too many', 'Y[n,m] = X[n,m]*W[0]', HEAD.replace('    body', '    tables: {W: {type: "T[2]", values: «[1, 2, 3]»}}\n    body'))
bad('a call of an op that is not there', 'Y = «softmaxx»(X, axis=-1)')
bad('a call with an attribute that is not there', 'Y = softmax(X, «axes»=-1)')
bad('a call with one result too few', '«s» = sort(X, axis=-1)\nY[n,m] = s[n,m]')
bad('an update through a variable that is summed', 'Y[k,m] = sum[«k»](X[k,m])')
bad('a cast to a type that is not there', 'Y[n,m] = cast(X[n,m], «f33»)')
bad('an unsigned float', 'Y[n,m] = cast(cast(X[n,m], «unsigned(T)»), T)')
bad('a shift of floats', 'Y[n,m] = «shl(X[n,m], 1)»')
bad('max_at over a range from data that indexes nothing', 'v[n], w[n] = max_at[«e» in 0 .. Ix[n]](A[0])\nY[n,m] = v[n]',
    HEAD)


def cases(rng):
    for key in ('f32', 'f64'):
        for it in (np.int32, np.int64):
            for n, sweeps in [(1, 1), (7, 2), (33, 3), (0, 2)]:
                a = np.where(rng.random((n, n)) < 0.3, rng.uniform(-0.2, 0.2, (n, n)), 0) + np.eye(n) * 2
                rows, cols = np.nonzero(a)
                ptr = np.concatenate([[0], np.cumsum([(rows == i).sum() for i in range(n)])]).astype(it)
                v, b = a[rows, cols].astype(np.float32 if key == 'f32' else np.float64), rand(rng, (n,), key)
                x = np.zeros(n)
                for _ in range(sweeps):
                    for i in range(n):
                        rest = sum(wide(v)[e] * x[cols[e]] for e in range(ptr[i], ptr[i + 1]) if cols[e] != i)
                        x[i] = (wide(b)[i] - rest) / 2 if a[i, i] == 2 else (wide(b)[i] - rest) / np.float64(v[(rows == i) & (cols == i)][0])
                yield dict(op='csr_gauss_seidel', key=key, inputs=[ptr, cols.astype(it), v, b], attrs={'sweeps': sweeps}, want=[x], tol=tol(ulp=8, acc=64, mid=8, mag=4))
    for key, t in (('f32', np.float32), ('i64', np.int64)):
        for it in (np.int32, np.int64):
            for m, c, full in [(1, 1, 1.0), (5, 7, 0.4), (17, 9, 0.3), (3, 4, 0), (0, 3, 1)]:
                a = np.where(rng.random((m, c)) < full, rng.integers(1, 100, (m, c)), 0)
                rows, cols = np.nonzero(a)
                ptr = np.concatenate([[0], np.cumsum([(rows == i).sum() for i in range(m)])]).astype(it)
                order = np.lexsort((rows, cols))
                cptr = np.concatenate([[0], np.cumsum([(cols == j).sum() for j in range(c)])])
                yield dict(op='rows_to_columns', key=key, inputs=[ptr, cols.astype(it), a[rows, cols].astype(t)], attrs={'columns': c},
                           want=[cptr, rows[order], a[rows, cols][order]], dtypes=['i64', 'i64', key], tol=EXACT)
    for key, t in (('f32', np.float32), ('f64', np.float64), ('i64', np.int64)):
        for b, n in [(1, 1), (3, 7), (2, 33), (2, 0)]:
            price, size, want = rng.integers(1, 20, (b, n)), rng.integers(1, 9, (b, n)), rng.integers(1, 60, b)
            took, cost = np.zeros((b, n), np.int64), np.zeros(b, np.int64)
            for i in range(b):
                left = want[i]
                for k in np.argsort(price[i], kind='stable'):
                    took[i, k] = min(left, size[i, k])
                    left -= took[i, k]
                cost[i] = (took[i] * price[i]).sum()
            yield dict(op='orders_filled', key=key, inputs=[price.astype(t), size.astype(t), want.astype(t)], want=[took, cost, want - took.sum(1)], tol=EXACT)
    for n in (1, 17, 0):
        spot, strike, years, vol = (rng.uniform(lo, hi, n) for lo, hi in ((80, 120), (80, 120), (0.25, 2), (0.1, 0.6)))
        d = (np.log(spot / strike) + vol**2 / 2 * years) / (vol * np.sqrt(years))
        cdf = np.vectorize(lambda x: 0.5 * math.erfc(-x / math.sqrt(2)), otypes=[float])
        price = spot * cdf(d) - strike * cdf(d - vol * np.sqrt(years))
        yield dict(op='implied_volatility', key='f64', inputs=[spot, strike, years, price], want=[vol], tol=tol(floor=1e-9))
    for v, u in [(1, 1), (3, 5), (2, 1), (0, 3)]:
        mode, d = rng.integers(0, 3, (v, u)).astype(np.uint8), rng.integers(-60, 60, (v, u, 4, 4)).astype(np.int16)
        y = np.zeros((4 * v, 4 * u), np.int64)
        for i in range(v):
            for j in range(u):
                up = y[4 * i - 1, 4 * j:4 * j + 4] if i else np.full(4, 128)
                left = y[4 * i:4 * i + 4, 4 * j - 1] if j else np.full(4, 128)
                guess = [np.tile(left[:, None], (1, 4)), np.tile(up, (4, 1)), np.full((4, 4), (up.sum() + left.sum() + 4) >> 3)][mode[i, j]]
                y[4 * i:4 * i + 4, 4 * j:4 * j + 4] = np.clip(guess + d[i, j], 0, 255)
        yield dict(op='predicted_blocks', key='u8', inputs=[mode, d], want=[y.astype(np.uint8)], dtypes=['u8'], tol=EXACT)
    for h, w, angles in [(1, 1, 1), (5, 7, 4), (17, 9, 12), (0, 5, 3)]:
        mark = rng.random((h, w)) < 0.4
        votes = np.zeros((angles, h + w + 1), np.int32)
        for a in range(angles):
            for y, x in np.argwhere(mark):
                at = int(math.floor(x * math.cos(math.pi * a / angles) + y * math.sin(math.pi * a / angles) + w))
                votes[a, min(max(at, 0), h + w)] += 1
        yield dict(op='hough_lines', key='bool', inputs=[mark], attrs={'angles': angles}, want=[votes], dtypes=['i32'], tol=EXACT)
    for key, t in (('f32', np.float32), ('f64', np.float64)):
        for l, n in [(1, 1), (5, 8), (9, 16), (0, 4)]:
            x0, seen, move = (rng.integers(-8, 9, s) / 4 for s in ((n,), (l,), (l, n)))
            u, mean, source, x, safe = rng.uniform(0.1, 0.9, l).astype(t), [], [], x0.copy(), True
            for k in range(l):
                x = x + move[k]
                w = 1 / (0.25 + (seen[k] - x)**2)
                edges = np.cumsum(w) * n / w.sum() - float(u[k])
                safe &= bool(np.all(np.abs(edges - np.round(edges)) > 1e-3))
                a = np.minimum((np.cumsum(w)[None] * n < (float(u[k]) + np.arange(n))[:, None] * w.sum()).sum(1), n - 1)
                mean.append((w * x).sum() / w.sum())
                source.append(a)
                x = x[a]
            if safe:
                yield dict(op='particles_moved', key=key, inputs=[x0.astype(t), seen.astype(t), move.astype(t), u], want=[np.array(mean).reshape(l), np.array(source, np.int64).reshape(l, n)],
                           dtypes=[key, 'i64'], tol=[tol(ulp=16, acc=64, mag=8), EXACT])
    for l in (0, 1, 3, 9):
        hk, x = [int.from_bytes(rng.bytes(16), 'big') for _ in range(2)], [int.from_bytes(rng.bytes(16), 'big') for _ in range(l)]
        z = 0
        for block in x:
            a, v, z = z ^ block, hk[0], 0
            for b in range(128):
                z ^= v if a >> (127 - b) & 1 else 0
                v = v >> 1 ^ (0xE1 << 120 if v & 1 else 0)
        halves = lambda n: [n >> 64, n & (2**64 - 1)]
        yield dict(op='ghash', key='u64', inputs=[np.array(halves(hk[0]), np.uint64), np.array([halves(b) for b in x], np.uint64).reshape(l, 2)], want=[np.array(halves(z), np.uint64)], dtypes=['u64'], tol=EXACT)
    import hashlib
    for b in (1, 3):
        texts = [rng.bytes(int(rng.integers(0, 112))) for _ in range(b)]
        blocks = [x + b'\x80' + bytes(119 - len(x)) + (8 * len(x)).to_bytes(8, 'big') for x in texts]
        yield dict(op='sha512_block', key='u64', inputs=[np.array([np.frombuffer(x, '>u8') for x in blocks]).astype(np.uint64)],
                   want=[np.array([np.frombuffer(hashlib.sha512(x).digest(), '>u8') for x in texts]).astype(np.uint64)], dtypes=['u64'], tol=EXACT)
    for n, buckets in [(1, 1), (17, 10), (33, 1000), (0, 3)]:
        keys, want = rng.integers(0, 2**64, n, dtype=np.uint64), []
        for k in keys.tolist():
            b, j = -1, 0
            while j < buckets:
                b, k = j, (k * 2862933555777941757 + 1) % 2**64
                j = int((b + 1) * (2.0**31 / ((k >> 33) + 1)))
            want.append(b)
        yield dict(op='buckets_jumped', key='u64', inputs=[keys], attrs={'buckets': buckets}, want=[np.array(want, np.int64)], dtypes=['i64'], tol=EXACT)
    for n in (0, 1, 17, 200):
        x, ends, g, run = rng.integers(0, 256, n).astype(np.uint8), [], 0, 0
        for i in range(n):
            g = ((g << 1) + int(x[i]) * 2654435761) % 2**32
            run += 1
            if i + 1 == n or (g >> 28 == 0 and run >= 3):
                ends.append((i + 1, run))
                run = 0
        e = np.array(ends, np.int64).reshape(-1, 2)
        yield dict(op='chunk_ends', key='u8', inputs=[x], want=[e[:, 0], e[:, 1]], room=[(n,)]*2, dtypes=['i64', 'i64'], tol=EXACT)
    for key in ('f32', 'f64'):
        for h, w, sweeps in [(1, 1, 1), (5, 7, 3), (16, 17, 2), (3, 1, 0), (0, 4, 2)]:
            u, f = rand(rng, (h, w), key), rand(rng, (h, w), key)
            y, c = wide(u).copy(), np.add.outer(np.arange(h), np.arange(w)) % 2
            for _ in range(sweeps):
                for colour in (0, 1):
                    p = np.pad(y, 1)
                    new = y + 1.25 * (0.25 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - wide(f)) - y)
                    y = np.where(c == colour, new, y)
            yield dict(op='red_then_black', key=key, inputs=[u, f], attrs={'sweeps': sweeps}, want=[y], tol=tol(ulp=8, acc=64, mid=16, mag=8))
        for n, h, w in [(1, 1, 1), (7, 4, 3), (64, 5, 9), (0, 2, 2)]:
            p, q = rand(rng, (n, 2), key, -3, 12), rand(rng, (n,), key)
            rho = np.zeros((h, w))
            for (py, px), c in zip(wide(p), wide(q)):
                y, x = math.floor(py), math.floor(px)
                for dy in (0, 1):
                    for dx in (0, 1):
                        rho[(y + dy) % h, (x + dx) % w] += c * (py - y if dy else 1 - (py - y)) * (px - x if dx else 1 - (px - x))
            yield dict(op='charge_in_cells', key=key, inputs=[p, q], attrs={'height': h, 'width': w}, want=[rho], tol=tol(ulp=8, acc=4 * (n + 4), mid=8, mag=2.0 * (n + 1)))
        for shape in [(1,), (5,), (3, 33), (2, 3, 16), (0,), (2, 2)]:
            x = rand(rng, shape, key)
            a, b, c, d, e = (np.roll(wide(x), k, -1) for k in (2, 1, 0, -1, -2))
            rough = [13 / 12 * (a - 2 * b + c)**2 + (a - 4 * b + 3 * c)**2 / 4, 13 / 12 * (b - 2 * c + d)**2 + (b - d)**2 / 4, 13 / 12 * (c - 2 * d + e)**2 + (3 * c - 4 * d + e)**2 / 4]
            ws = [g / (1e-3 + r)**2 for g, r in zip((0.1, 0.6, 0.3), rough)]
            parts = [(2 * a - 7 * b + 11 * c) / 6, (5 * c - b + 2 * d) / 6, (2 * c + 5 * d - e) / 6]
            y = sum(u * v for u, v in zip(ws, parts)) / sum(ws) if x.size else wide(x)
            yield dict(op='weno_faces', key=key, inputs=[x], want=[y], tol=tol(ulp=64, acc=256, mag=8))
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for b, h, l, d, e in [(1, 1, 1, 1, 1), (2, 3, 17, 8, 5), (1, 2, 33, 4, 16), (1, 1, 0, 3, 2)]:
            q, k, v, f = rand(rng, (b, h, l, d), key), rand(rng, (b, h, l, d), key), rand(rng, (b, h, l, e), key), rand(rng, (b, h, l), key)
            faded = np.cumsum(-np.log1p(np.exp(-wide(f))), -1)
            s = np.einsum('bhid,bhjd->bhij', wide(q), wide(k)) / np.sqrt(d) + faded[..., :, None] - faded[..., None, :]
            s = np.where(np.tril(np.ones((l, l), bool)), s, -np.inf)
            y = np.einsum('bhij,bhje->bhie', softmax(s), wide(v))
            yield dict(op='forgetting_attention', key=key, inputs=[q, k, v, f], want=[y], tol=tol(ulp=8, acc=256, mag=4, mid=4))
    for b, g, r, l, c, j, e in [(1, 1, 1, 1, 1, 1, 1), (2, 2, 3, 17, 8, 2, 5), (3, 1, 4, 33, 16, 4, 16), (1, 2, 1, 0, 2, 1, 3)]:
        q, s, v = rand(rng, (b, g, r, 2 * c), 'f32'), rand(rng, (b, g, l, j), 'f32', 0.05, 0.2), rand(rng, (b, g, l, e), 'f32')
        k, n = rng.integers(0, 256, (b, g, l, c)).astype(np.uint8), rng.integers(0, l + 1, b).astype(np.int32)
        kk = (np.stack([k & 15, k >> 4], -1).reshape(b, g, l, 2 * c).astype(float) - 8) * np.repeat(wide(s), 2 * c // j, -1)
        y = np.zeros((b, g, r, e))
        for i in range(b):
            if n[i]:
                y[i] = np.einsum('grl,gle->gre', softmax(np.einsum('grd,gld->grl', wide(q)[i], kk[i, :, :n[i]])), wide(v)[i, :, :n[i]])
        yield dict(op='packed_key_attention', key='f32', inputs=[q, k, s, v, n], want=[y], tol=tol(ulp=16, acc=512, mag=4))
    for key, t in (('i32', np.int32), ('i64', np.int64)):
        for b, n in [(1, 1), (3, 17), (2, 40), (1, 2)]:
            x = rng.integers(0, 3, (b, n)).astype(t)
            same, at, draft = [], [], []
            for row in x.tolist():
                lengths = [0] * n
                for i in range(n - 1):
                    while lengths[i] < 4 and i - lengths[i] >= 0 and row[i - lengths[i]] == row[n - 1 - lengths[i]]:
                        lengths[i] += 1
                best = max(lengths)
                same.append(best)
                at.append(lengths.index(best))
                draft.append([row[at[-1] + 1 + m] if best and at[-1] + 1 + m < n else -1 for m in range(3)])
            yield dict(op='prompt_lookup', key=key, inputs=[x], want=[np.array(same), np.array(at), np.array(draft, t)], dtypes=['i64', 'i64', key], tol=EXACT)
    for n, v, k in [(1, 1, 1), (17, 5, 3), (40, 9, 4)]:
        x, w, ln = rng.integers(0, 3, n).astype(np.uint8), rng.integers(0, 3, (v, k)).astype(np.uint8), rng.integers(0, k + 1, v).astype(np.int32)
        piece, ats, at = [], [], 0
        for _ in range(n):
            fit = [int(ln[i]) if ln[i] and at + ln[i] <= n and (x[at:at + ln[i]] == w[i, :ln[i]]).all() else 0 for i in range(v)]
            ok = at < n and max(fit) > 0
            ats.append(at)
            piece.append(fit.index(max(fit)) if ok else -1)
            # past the end the place goes on by what the last letter says
            last = min(at, n - 1)
            end = [int(ln[i]) if ln[i] and last + ln[i] <= n and (x[last:last + ln[i]] == w[i, :ln[i]]).all() else 0 for i in range(v)]
            at += max(max(end), 1)
        yield dict(op='longest_pieces', key='u8', inputs=[x, w, ln], want=[np.array(piece), np.array(ats)], dtypes=['i64', 'i64'], tol=EXACT)
    for q, b, n in [(1, 1, 3), (5, 2, 17), (17, 1, 33), (0, 2, 3), (3, 2, 0)]:
        first, nxt, last, on = rng.random(q) < 0.4, rng.random((q, q)) < 0.3, rng.random(q) < 0.3, rng.random((q, 256)) < 0.5
        x = rng.integers(0, 256, (b, n)).astype(np.uint8)
        s = np.zeros((b, n, q), bool)
        for i in range(b):
            for j in range(n):
                s[i, j] = on[:, x[i, j]] & (first | ((s[i, j - 1] @ nxt) if j else False))
        yield dict(op='position_automaton', key='bool', inputs=[first, nxt, last, on, x], want=[s, (s & last).any(-1)], dtypes=['bool', 'bool'], tol=EXACT)
    for v, count in [(1, 1), (3, 8), (5, 33), (0, 4)]:
        k = max(count, 2)
        bits, base = rng.integers(1, 32, v).astype(np.uint8), rng.integers(-1000, 1000, v)
        words, y = np.zeros((v, k), np.uint32), np.zeros((v, count), np.int64)
        for i in range(v):
            steps = rng.integers(-(1 << (int(bits[i]) - 1)), 1 << (int(bits[i]) - 1), count)
            y[i] = base[i] + np.cumsum(steps)
            stream = sum(((int(d) << 1) ^ (int(d) >> 63)) % 2**64 << (j * int(bits[i])) for j, d in enumerate(steps))
            words[i] = [(stream >> (32 * j)) & 0xFFFFFFFF for j in range(k)]
        yield dict(op='blocks_of_differences', key='u32', inputs=[words, bits, base], attrs={'count': count}, want=[y], dtypes=['i64'], tol=EXACT)
    for key in ('f32', 'f64'):
        for b, n, m, d in [(1, 1, 1, 1), (2, 7, 5, 3), (1, 33, 17, 2)]:
            a, c = rand(rng, (b, n, d), key), rand(rng, (b, m, d), key)
            dist = np.sqrt(((wide(a)[:, :, None] - wide(c)[:, None])**2).sum(-1))
            f = np.zeros((b, n, m))
            for i in range(n):
                for j in range(m):
                    before = [f[:, i + y, j + x] for y, x in ((-1, 0), (0, -1), (-1, -1)) if i + y >= 0 and j + x >= 0]
                    f[:, i, j] = np.maximum(dist[:, i, j], np.min(before, 0) if before else 0)
            hd = np.maximum(dist.min(2).max(1), dist.min(1).max(1))
            yield dict(op='frechet_distance', key=key, inputs=[a, c], want=[f, hd], tol=tol(ulp=4 + d))
        for k, n in [(1, 1), (5, 7), (17, 9), (9, 17), (16, 33), (0, 3)]:
            x = rand(rng, (k, n), key)
            s, h, before = np.zeros((k, n)), np.zeros((k, n)), 0.25
            for i in range(k):
                s[i] = wide(x)[i] - np.minimum(0, s[:i].min(0, initial=np.inf))
                before = h[i] = 0.5 * (s[i] + 0.25 * before)
            yield dict(op='columns_ranked', key=key, inputs=[x], want=[softmax(s), h], tol=tol(ulp=8, acc=4 * (k + n), mag=4 * (k + 1)))
        for n, k in [(1, 1), (7, 3), (33, 5), (16, 20)]:
            s = rand(rng, (n, k), key, -4, 0)
            best, at = np.zeros(n), np.zeros(n, np.int64)
            for i in range(n):
                scores = [wide(s)[i, q] + (best[i - 1 - q] if i - 1 - q >= 0 else 0 if i - 1 - q == -1 else -1000) for q in range(k)]
                at[i] = int(np.argmax(scores))
                best[i] = scores[at[i]]
            end, lens = n - 1, []
            for _ in range(n):
                lens.append(int(at[end]) + 1 if end >= 0 else 0)
                end -= lens[-1]
            yield dict(op='cut_into_words', key=key, inputs=[s], want=[best, np.array(lens)], dtypes=[key, 'i64'], tol=[tol(ulp=4, acc=4 * n, mag=1000), EXACT])
    for key in ('c64', 'c128'):
        for b, n, steps in [(1, 1, 1), (2, 5, 3), (1, 17, 6)]:
            a = rand(rng, (b, n, n), key)
            v = np.ones((b, n), complex)
            for _ in range(steps):
                v = np.einsum('bij,bj->bi', wide(a), v)
                size = np.sqrt((np.abs(v)**2).sum(1))
                v = v / size[:, None]
            yield dict(op='dominant_vector', key=key, inputs=[a], attrs={'steps': steps}, want=[v, size], dtypes=[key, {'c64': 'f32', 'c128': 'f64'}[key]], tol=tol(ulp=32, acc=2048, mag=8))
    for key in ('f32', 'f64'):
        for it in (np.int32, np.int64):
            for m, n, d, k in [(1, 1, 1, 1), (5, 17, 3, 3), (3, 33, 2, 7), (0, 4, 2, 2)]:
                x, p = rand(rng, (m, d), key), rand(rng, (n, d), key)
                l = rng.integers(-4, 4, n).astype(it)
                dist = ((wide(x)[:, None] - wide(p)[None])**2).sum(-1)
                count = np.zeros((m, 4), np.int64)
                for i in range(m):
                    for j in np.argsort(dist[i], kind='stable')[:k]:
                        count[i, l[j] % 4] += 1
                yield dict(op='nearest_vote', key=key, inputs=[x, p, l], attrs={'k': k}, want=[count.argmax(1), count], dtypes=['i64', 'i64'], tol=EXACT)
