"""Curves through points, exact sums, texts and times, and codes that are read bit by bit."""
import base64
import datetime
import re
from fractions import Fraction
from urllib.parse import unquote_to_bytes

import numpy as np
from scipy import interpolate, special

from casekit import EXACT, np_dtype, tol, wide

OPS = r'''
ops:
  - op: de_boor
    doc: points of a B-spline curve
    types: {T: [f32, f64]}
    attrs: {degree: int = 3}
    in: {U: "T[M]", C: "T[N, D]", X: "T[Q]"}
    require: [degree >= 0, M == N + degree + 1, N > degree]
    let: {R: degree + 1}
    index: {r: R, j: R}
    out: {Y: "T[Q, D]"}
    body: |
      k[q] = clamp(sum[m](U[m] <= X[q]) - 1, degree, N - 1)
      a[r,q,j] = (X[q] - U[clamp(j + k[q] - degree, 0, M - 1)])/(U[clamp(j + 1 + k[q] - r, 0, M - 1)] - U[clamp(j + k[q] - degree, 0, M - 1)])
      d[r,q,j,c] = select(r == 0, C[k[q] - degree + j,c], select(j < r, 0, (1 - a[r,q,j])*padded(d[r - 1,q,j - 1,c], 0) + a[r,q,j]*padded(d[r - 1,q,j,c], 0)))
      Y[q,c] = d[degree,q,degree,c]

  - op: barycentric
    doc: the polynomial through points, in the barycentric form
    types: {T: [f32, f64]}
    in: {P: "T[N]", V: "T[N]", X: "T[Q]"}
    out: {Y: "T[Q]"}
    body: |
      w[n] = prod[m : m != n](1/(P[n] - P[m]))
      Y[q] = select(any[n](X[q] == P[n]), sum[n : P[n] == X[q]](V[n]), sum[n](w[n]/(X[q] - P[n])*V[n])/sum[n](w[n]/(X[q] - P[n])))

  - op: pchip
    doc: a monotone cubic through points
    types: {T: [f32, f64]}
    in: {P: "T[N]", V: "T[N]", X: "T[Q]"}
    require: [N >= 3]
    let: {S: N - 1}
    index: {i: S}
    out: {Y: "T[Q]"}
    body: |
      h[i] = P[i + 1] - P[i]
      g[i] = (V[i + 1] - V[i])/h[i]
      w1[i] = 2*h[i] + padded(h[i - 1], 0)
      w2[i] = h[i] + 2*padded(h[i - 1], 0)
      inner[i] = select(g[i]*padded(g[i - 1], 0) > 0, (w1[i] + w2[i])/(w1[i]/padded(g[i - 1], 1) + w2[i]/g[i]), 0)
      l[] = ((2*h[0] + h[1])*g[0] - h[0]*g[1])/(h[0] + h[1])
      r[] = ((2*h[N - 2] + h[N - 3])*g[N - 2] - h[N - 2]*g[N - 3])/(h[N - 2] + h[N - 3])
      first[] = select(l[]*g[0] <= 0, 0, select(g[0]*g[1] < 0 and abs(l[]) > 3*abs(g[0]), 3*g[0], l[]))
      last[] = select(r[]*g[N - 2] <= 0, 0, select(g[N - 2]*g[N - 3] < 0 and abs(r[]) > 3*abs(g[N - 2]), 3*g[N - 2], r[]))
      d[n] = select(n == 0, first[], select(n == N - 1, last[], inner[min(n, N - 2)]))
      k[q] = clamp(sum[n](P[n] <= X[q]) - 1, 0, N - 2)
      t[q] = (X[q] - P[k[q]])/h[k[q]]
      Y[q] = V[k[q]] + h[k[q]]*t[q]*(d[k[q]] + t[q]*(3*g[k[q]] - 2*d[k[q]] - d[k[q] + 1] + t[q]*(d[k[q]] + d[k[q] + 1] - 2*g[k[q]])))

  - op: romberg
    doc: integrals of samples by extrapolation
    types: {T: [f32, f64]}
    attrs: {levels: int = 3}
    in: {F: "T[B, N]"}
    require: [levels >= 0, levels <= 12, "N == shl(1, levels) + 1"]
    let: {R: levels + 1}
    index: {i: R, j: R}
    out: {Y: "T[B]"}
    body: |
      s[b,i] = shl(1, levels - i)*sum[n : n % shl(1, levels - i) == 0](F[b,n]*select(n == 0 or n == N - 1, 0.5, 1))
      r[b,i,j] = select(j == 0, s[b,i], padded(r[b,i,j - 1], 0) + (padded(r[b,i,j - 1], 0) - padded(r[b,i - 1,j - 1], 0))/(4.0**j - 1))
      Y[b] = r[b,levels,levels]

  - op: legendre_values
    types: {T: float}
    attrs: {count: int}
    in: {X: "T[*S]"}
    let: {L: count}
    require: [count >= 1]
    out: {P: "T[L, *S]"}
    body: P[l,*s] = select(l == 0, 1, select(l == 1, X[*s], ((2*l - 1)*X[*s]*padded(P[l - 1,*s], 0) - (l - 1)*padded(P[l - 2,*s], 0))/max(l, 1)))

  - op: bessel_miller
    doc: Bessel functions of integer order, downwards
    types: {T: [f64]}
    attrs: {orders: int = 6}
    in: {X: "T[Q]"}
    let: {N: orders, M: orders + 40}
    require: [orders >= 1]
    index: {m: M}
    out: {J: "T[N, Q]"}
    body: |
      b[m,q] = select(m == M - 1, 1e-300, 2*(m + 1)/X[q]*padded(b[m + 1,q], 0) - padded(b[m + 2,q], 0))
      z[q] = b[0,q] + 2*sum[m : m > 0 and m % 2 == 0](b[m,q])
      J[n,q] = b[n,q]/z[q]

  - op: block_thomas
    doc: block tridiagonal systems of 2 x 2 blocks
    types: {T: [f32, f64]}
    in: {A: "T[L, 2, 2]", B: "T[L, 2, 2]", C: "T[L, 2, 2]", D: "T[L, 2]"}
    out: {X: "T[L, 2]"}
    body: |
      m[t,i,j] = B[t,i,j] - sum[k](A[t,i,k]*padded(g[t - 1,k,j], 0))
      det[t] = m[t,0,0]*m[t,1,1] - m[t,0,1]*m[t,1,0]
      n[t,i,j] = select(i == j, 1, -1)*m[t,select(i == j, 1 - i, i),select(i == j, 1 - i, j)]/det[t]
      g[t,i,j] = sum[k](n[t,i,k]*C[t,k,j])
      f[t,i] = sum[k](n[t,i,k]*(D[t,k] - sum[l](A[t,k,l]*padded(f[t - 1,l], 0))))
      X[t,i] = f[t,i] - sum[k](g[t,i,k]*padded(X[t + 1,k], 0))

  - op: local_level_smoother
    doc: Kalman filter and Rauch-Tung-Striebel smoother of a random walk, missing values are NaN
    types: {T: [f32, f64]}
    attrs: {q: float = 0.1, r: float = 1}
    in: {X: "T[L, C]"}
    out: {M: "T[L, C]", V: "T[L, C]"}
    body: |
      pp[t,c] = padded(p[t - 1,c], 10) + q
      k[t,c] = select(isnan(X[t,c]), 0, pp[t,c]/(pp[t,c] + r))
      m[t,c] = padded(m[t - 1,c], 0) + select(isnan(X[t,c]), 0, k[t,c]*(X[t,c] - padded(m[t - 1,c], 0)))
      p[t,c] = (1 - k[t,c])*pp[t,c]
      G[t,c] = p[t,c]/(p[t,c] + q)
      M[t,c] = select(t == L - 1, m[t,c], m[t,c] + G[t,c]*(padded(M[t + 1,c], 0) - m[t,c]))
      V[t,c] = select(t == L - 1, p[t,c], p[t,c] + sq(G[t,c])*(padded(V[t + 1,c], 0) - p[t,c] - q))

  - op: halfband_decimate
    types: {T: float}
    attrs: {taps: "float[]"}
    in: {X: "T[C, N]"}
    let: {M: N//2}
    out: {Y: "T[C, M]"}
    body: Y[c,m] = 0.5*X[c,2*m] + sum[k](taps[k]*(padded(X[c,2*m - 2*k - 1], 0) + padded(X[c,2*m + 2*k + 1], 0)))

  - op: schur_reflections
    doc: reflection coefficients of autocorrelations by the recursion of Schur
    types: {T: [f32, f64]}
    in: {R: "T[N]"}
    require: [N >= 2]
    let: {P: N - 1}
    index: {p: P, i: N}
    out: {K: "T[P]"}
    body: |
      a[p,i] = select(p == 0, padded(R[i + 1], 0), padded(a[p - 1,i + 1], 0) + padded(K[p - 1], 0)*padded(b[p - 1,i + 1], 0))
      b[p,i] = select(p == 0, R[i], padded(b[p - 1,i], 0) + padded(K[p - 1], 0)*padded(a[p - 1,i], 0))
      K[p] = -a[p,0]/b[p,0]

  - op: lifting97
    doc: one level of the wavelet of JPEG 2000, even and odd parts
    types: {T: [f32, f64]}
    in: {X: "T[R, N]"}
    require: [N >= 2, N % 2 == 0]
    let: {M: N//2}
    out: {S: "T[R, M]", D: "T[R, M]"}
    body: |
      d1[r,m] = X[r,2*m + 1] - 1.586134342*(X[r,2*m] + X[r,min(2*m + 2, N - 2)])
      s1[r,m] = X[r,2*m] - 0.05298011854*(d1[r,max(m - 1, 0)] + d1[r,m])
      d2[r,m] = d1[r,m] + 0.8829110762*(s1[r,m] + s1[r,min(m + 1, M - 1)])
      s2[r,m] = s1[r,m] + 0.4435068522*(d2[r,max(m - 1, 0)] + d2[r,m])
      S[r,m] = 1.149604398*s2[r,m]
      D[r,m] = d2[r,m]/1.149604398

  - op: quantile_by_markers
    doc: a quantile of a stream in five numbers, by P2; Q0 has the first five elements in order
    types: {T: [f32, f64]}
    attrs: {p: float = 0.5}
    in: {Q0: "T[5]", X: "T[L]"}
    index: {i: 5}
    out: {Y: "T[L]"}
    body: |
      k[t] = sum[i : i > 0 and i < 4](padded(q[t - 1,i], Q0[i]) <= X[t])
      n1[t,i] = padded(n[t - 1,i], i) + select(i > k[t], 1, 0)
      q1[t,i] = select(i == 0, min(padded(q[t - 1,i], Q0[i]), X[t]), select(i == 4, max(padded(q[t - 1,i], Q0[i]), X[t]), padded(q[t - 1,i], Q0[i])))
      want[t,i] = (t + 5)*select(i == 0, 0, select(i == 1, p/2, select(i == 2, p, select(i == 3, (1 + p)/2, 1))))
      e[t,i] = want[t,i] - n1[t,i]
      up[t,i] = select(i == 0 or i == 4, 0, select(e[t,i] >= 1 and padded(n1[t,i + 1], 0) - n1[t,i] > 1, 1, select(e[t,i] <= -1 and padded(n[t,i - 1], 0) - n1[t,i] < -1, -1, 0)))
      u[t,i] = q1[t,i] + up[t,i]/cast(padded(n1[t,i + 1], 0) - padded(n[t,i - 1], 0), T)*((n1[t,i] - padded(n[t,i - 1], 0) + up[t,i])*(padded(q1[t,i + 1], 0) - q1[t,i])/(padded(n1[t,i + 1], 0) - n1[t,i]) + (padded(n1[t,i + 1], 0) - n1[t,i] - up[t,i])*(q1[t,i] - padded(q[t,i - 1], 0))/(n1[t,i] - padded(n[t,i - 1], 0)))
      l[t,i] = q1[t,i] + select(up[t,i] == 1, (padded(q1[t,i + 1], 0) - q1[t,i])/(padded(n1[t,i + 1], 0) - n1[t,i]), -(padded(q[t,i - 1], 0) - q1[t,i])/(padded(n[t,i - 1], 0) - n1[t,i]))
      q[t,i] = select(up[t,i] == 0, q1[t,i], select(padded(q[t,i - 1], 0) < u[t,i] and u[t,i] < padded(q1[t,i + 1], 0), u[t,i], l[t,i]))
      n[t,i] = n1[t,i] + up[t,i]
      Y[t] = q[t,2]

  - op: double_double_dot
    doc: a dot product with the roundings of every step added up
    types: {T: [f32, f64]}
    in: {A: "T[M, N]", B: "T[M, N]"}
    out: {Y: "T[M]", E: "T[M]"}
    require: [N >= 1]
    body: |
      p[m,n] = A[m,n]*B[m,n]
      pe[m,n] = fma(A[m,n], B[m,n], -p[m,n])
      s[m,n] = padded(s[m,n - 1], 0) + p[m,n]
      z[m,n] = s[m,n] - padded(s[m,n - 1], 0)
      e[m,n] = padded(e[m,n - 1], 0) + ((padded(s[m,n - 1], 0) - (s[m,n] - z[m,n])) + (p[m,n] - z[m,n])) + pe[m,n]
      Y[m] = s[m,N - 1] + e[m,N - 1]
      E[m] = e[m,N - 1]

  - op: rsqrt_by_bits
    in: {X: "f32[*S]"}
    out: {Y: "f32[*S]"}
    body: |
      y[*s] = bits(0x5f3759df - shr(bits(X[*s], u32), 1), f32)
      Y[*s] = y[*s]*(1.5 - 0.5*X[*s]*y[*s]*y[*s])

  - op: half_to_float
    in: {H: "u16[*S]"}
    out: {Y: "f32[*S]"}
    body: |
      h[*s] = cast(H[*s], u32)
      m[*s] = shl(bit_and(h[*s], 0x7fff), 13)
      scaled[*s] = bits(bits(m[*s], f32)*5.192296858534828e33, u32)
      Y[*s] = bits(bit_or(select(m[*s] > 0x0f800000, bit_or(m[*s], 0x7fc00000), select(m[*s] == 0x0f800000, 0x7f800000, scaled[*s])), shl(bit_and(h[*s], 0x8000), 16)), f32)

  - op: float_to_e4m3
    doc: codes of f8e4m3fn by integer arithmetic, rounded half to even, saturating
    in: {X: "f32[*S]"}
    out: {Y: "u8[*S]"}
    body: |
      b[*s] = bits(abs(X[*s]), u32)
      normal[*s] = shr(b[*s] + 0x7ffff + bit_and(shr(b[*s], 20), 1), 20) - 120*8
      small[*s] = bits(abs(X[*s]) + 16384, u32) - 0x46800000
      code[*s] = select(isnan(X[*s]), 0x7f, select(b[*s] >= 0x43e80000, 0x7e, select(b[*s] < 0x3c800000, small[*s], min(normal[*s], 0x7e))))
      Y[*s] = cast(bit_or(code[*s], shr(bit_and(bits(X[*s], u32), cast(0x80000000, u32)), 24)), u8)

  - op: ulp_distance
    in: {A: "f32[*S]", B: "f32[*S]"}
    out: {Y: "i64[*S]"}
    body: |
      a[*s] = cast(bits(A[*s], i32), i64)
      b[*s] = cast(bits(B[*s], i32), i64)
      Y[*s] = select(isnan(A[*s]) or isnan(B[*s]), -1, abs(select(a[*s] < 0, -0x80000000 - a[*s], a[*s]) - select(b[*s] < 0, -0x80000000 - b[*s], b[*s])))

  - op: days_from_civil
    types: {I: [i32, i64]}
    in: {Y: "I[*S]", M: "I[*S]", D: "I[*S]"}
    out: {Days: "I[*S]", Week: "I[*S]", Back: "I[3, *S]"}
    index: {k: 3}
    body: |
      y[*s] = Y[*s] - select(M[*s] <= 2, 1, 0)
      era[*s] = y[*s]//400
      doe[*s] = y[*s] % 400*365 + y[*s] % 400//4 - y[*s] % 400//100 + (153*((M[*s] + 9) % 12) + 2)//5 + D[*s] - 1
      Days[*s] = era[*s]*146097 + doe[*s] - 719468
      Week[*s] = (Days[*s] + 4) % 7
      z[*s] = (Days[*s] + 719468) % 146097
      yoe[*s] = (z[*s] - z[*s]//1460 + z[*s]//36524 - z[*s]//146096)//365
      doy[*s] = z[*s] - (365*yoe[*s] + yoe[*s]//4 - yoe[*s]//100)
      mp[*s] = (5*doy[*s] + 2)//153
      Back[k,*s] = select(k == 0, yoe[*s] + (Days[*s] + 719468)//146097*400 + select(mp[*s] >= 10, 1, 0), select(k == 1, (mp[*s] + 2) % 12 + 1, doy[*s] - (153*mp[*s] + 2)//5 + 1))

  - op: parsed_numbers
    doc: the integers of a text, separated by anything
    in: {X: "u8[N]"}
    let: {M: upto(N)}
    out: {V: "i64[M]"}
    body: |
      digit[n] = X[n] >= 48 and X[n] <= 57
      v[n] = select(digit[n], padded(v[n - 1], 0)*10 + cast(X[n], i64) - 48, 0)
      minus[n] = select(digit[n], padded(minus[n - 1], 0), select(X[n] == 45, 1, 0))
      end[n] = select(digit[n], select(padded(digit[n + 1], 0) == 1, 0, 1), 0)
      at[n] = sum[k : k < n](end[k])
      M = sum[n](end[n])
      V[wrap(at[n], M)] last= select(minus[n] == 1, -v[n], v[n]) where end[n] == 1

  - op: digits_of
    doc: integers as texts of 20 bytes, to the right
    tables: {P: {type: "u64[20]", of: [k], values: "select(k == 0, 1, padded(P[k - 1], 0)*10)"}}
    in: {X: "i64[N]"}
    let: {W: 20}
    out: {Y: "u8[N, W]"}
    body: |
      a[n] = select(X[n] < 0, cast(0, u64) - cast(X[n], u64), cast(X[n], u64))
      long[n] = max(sum[k : k > 0](a[n] >= P[k]) + 1, 1)
      Y[n,w] = cast(select(19 - w < long[n], cast(a[n]//P[19 - w] % 10, i64) + 48, select(19 - w == long[n] and X[n] < 0, 45, 32)), u8)

  - op: jaro
    doc: the similarity of two words by letters that match nearby
    in: {A: "u8[N]", B: "u8[M]"}
    require: [N >= 1, M >= 1]
    out: {Y: "f64[]"}
    body: |
      w[] = max(max(N, M)//2 - 1, 0)
      pick[i] = min[j : j >= i - w[] and j <= i + w[] and A[i] == B[j] and padded(used[i - 1,j], 0) == 0](j)
      used[i,j] = padded(used[i - 1,j], 0) + select(pick[i] == j, 1, 0)
      hit[i] = pick[i] < M
      m[] = sum[i](hit[i])
      ra[i] = sum[k : k < i](hit[k])
      rb[j] = sum[l : l < j](used[N - 1,l])
      swapped[] = sum[i](sum[j](select(hit[i] and used[N - 1,j] == 1 and ra[i] == rb[j] and A[i] != B[j], 1, 0)))
      Y[] = select(m[] == 0, 0, (cast(m[], f64)/N + cast(m[], f64)/M + (m[] - cast(swapped[], f64)/2)/m[])/3)

  - op: z_function
    types: {T: [u8, i32]}
    in: {X: "T[N]"}
    out: {Z: "i64[N]"}
    body: |
      Z[i] = min(N - i, min[k : k < N - i and padded(X[i + k], 0) != X[k]](k))

  - op: border_lengths
    doc: for each prefix the longest proper border, as Knuth, Morris and Pratt do
    in: {X: "u8[N]"}
    out: {F: "i64[N]"}
    index: {s: N}
    body: |
      j[i] = fold[s](a = padded(F[i - 1], 0), select(a > 0 and X[i] != padded(X[a], 0), padded(F[clamp(a - 1, -1, i - 1)], 0), a))
      F[i] = select(i == 0, 0, j[i] + select(X[i] == padded(X[j[i]], 0), 1, 0))

  - op: suffix_ranks
    doc: the ranks of all suffixes by doubling, and the common lengths of neighbours
    attrs: {rounds: int}
    in: {X: "u8[N]"}
    let: {R: rounds + 1}
    require: [rounds >= 0, rounds < 20]
    index: {r: R}
    out: {Rank: "i64[N]", Order: "i64[N]", Lcp: "i64[N]"}
    body: |
      k[r,i] = select(r == 0, cast(X[i], i64), sum[j](padded(k[r - 1,j], 0) < padded(k[r - 1,i], 0) or (padded(k[r - 1,j], 0) == padded(k[r - 1,i], 0) and padded(k[r - 1,j + shl(1, r - 1)], -1) < padded(k[r - 1,i + shl(1, r - 1)], -1))))
      Rank[i] = k[rounds,i]
      o[n] = sum[i : k[rounds,i] == n](i)
      Order[n] = o[n]
      before[i] = select(Rank[i] > 0, padded(o[Rank[i] - 1], 0), 0)
      l[i] = select(Rank[i] == 0, 0, min(min(N - i, N - before[i]), min[j : j >= padded(l[i - 1], 0) - 1 and i + j < N and before[i] + j < N and padded(X[i + j], 0) != padded(X[before[i] + j], 0)](j)))
      Lcp[n] = padded(l[o[n]], 0)

  - op: utf8_decoded
    doc: code points of a text, 0xfffd for what is not UTF-8 at its first byte
    in: {X: "u8[N]"}
    let: {M: upto(N)}
    index: {k: 4}
    out: {Y: "u32[M]"}
    body: |
      size[n] = select(X[n] < 0x80, 1, select(X[n] < 0xc0, 0, select(X[n] < 0xe0, 2, select(X[n] < 0xf0, 3, 4))))
      start[n] = size[n] > 0
      at[n] = sum[j : j < n](start[j])
      M = sum[n](start[n])
      c[n] = fold[k : k < size[n]](a = cast(0, u32), select(k == 0, bit_and(cast(X[n], u32), select(size[n] == 1, 0x7f, shr(0x3f, size[n] - 1))), bit_or(shl(a, 6), bit_and(cast(padded(X[n + k], 0), u32), 0x3f))))
      ok[n] = all[k : k > 0 and k < size[n]](shr(padded(X[n + k], 0), 6) == 2)
      Y[wrap(at[n], M)] last= select(ok[n], c[n], 0xfffd) where start[n]

  - op: utf8_encoded
    in: {X: "u32[N]"}
    let: {M: upto(4*N)}
    index: {k: 4}
    out: {Y: "u8[M]"}
    body: |
      size[n] = 1 + (X[n] >= 0x80) + (X[n] >= 0x800) + (X[n] >= 0x10000)
      at[n] = sum[j : j < n](size[j])
      M = sum[n](size[n])
      Y[wrap(at[n] + k, M)] last= cast(select(size[n] == 1, X[n], select(k == 0, bit_or(bit_and(shr(0xf00, size[n]), 0xff), shr(X[n], 6*(size[n] - 1))), bit_or(0x80, bit_and(shr(X[n], 6*(size[n] - 1 - k)), 0x3f)))), u8) where k < size[n]

  - op: percent_decoded
    in: {X: "u8[N]"}
    let: {M: upto(N)}
    tables:
      H: {type: "i32[256]", of: [c], values: "select(48 <= c and c <= 57, c - 48, select(65 <= c and c <= 70, c - 55, select(97 <= c and c <= 102, c - 87, -1)))"}
    out: {Y: "u8[M]"}
    body: |
      lit[n] = padded(skip[n - 1], 0) == 0
      escape[n] = lit[n] and X[n] == 37 and H[padded(X[n + 1], 0)] >= 0 and H[padded(X[n + 2], 0)] >= 0
      skip[n] = select(lit[n], select(escape[n], 2, 0), padded(skip[n - 1], 0) - 1)
      at[n] = sum[k : k < n](lit[k])
      M = sum[n](lit[n])
      Y[wrap(at[n], M)] last= cast(select(escape[n], H[padded(X[n + 1], 0)]*16 + H[padded(X[n + 2], 0)], select(X[n] == 43, 32, cast(X[n], i32))), u8) where lit[n]

  - op: base32_letters
    tables: {A: {type: "u8[32]", of: [k], values: "select(k < 26, k + 65, k + 24)"}}
    in: {X: "u8[N]"}
    let: {G: 8*((N + 4)//5)}
    out: {Y: "u8[G]"}
    body: |
      w[g] = bit_or(shl(cast(padded(X[5*g//8], 0), u32), 8), cast(padded(X[5*g//8 + 1], 0), u32))
      Y[g] = select(5*g >= 8*N, 61, A[shr(w[g], 11 - 5*g % 8) % 32])

  - op: hdlc_bits
    doc: the bits between flags without the zeros that were put after five ones
    in: {X: "u8[N]"}
    let: {M: upto(N)}
    out: {Y: "u8[M]"}
    body: |
      ones[n] = select(X[n] == 1, padded(ones[n - 1], 0) + 1, 0)
      keep[n] = padded(ones[n - 1], 0) < 5
      at[n] = sum[k : k < n](keep[k])
      M = sum[n](keep[n])
      Y[wrap(at[n], M)] last= X[n] where keep[n]

  - op: canonical_codes
    doc: Huffman codes from their lengths, and the codes reversed as Deflate stores them
    in: {Len: "u8[N]"}
    index: {b: 16, k: 16}
    out: {Code: "u16[N]", Rev: "u16[N]"}
    body: |
      count[b] = sum[n : cast(Len[n], i64) == b and Len[n] > 0](1)
      first[b] = 2*(padded(first[b - 1], 0) + padded(count[b - 1], 0))
      rank[n] = sum[m : m < n and Len[m] == Len[n]](1)
      c[n] = select(Len[n] == 0, 0, padded(first[Len[n]], 0) + rank[n])
      Code[n] = cast(c[n], u16)
      Rev[n] = cast(sum[k : k < Len[n]](shl(bit_and(shr(c[n], k), 1), Len[n] - 1 - k)), u16)

  - op: elias_gamma
    doc: numbers of a stream of bits, each with as many zeros before it as it has bits after the first
    in: {X: "u8[N]"}
    let: {M: upto(N)}
    out: {Y: "u64[M]"}
    body: |
      zeros[n] = select(padded(left[n - 1], 0) > 0, 0, select(X[n] == 0, padded(zeros[n - 1], 0) + 1, 0))
      left[n] = select(padded(left[n - 1], 0) > 0, padded(left[n - 1], 0) - 1, select(X[n] == 1, padded(zeros[n - 1], 0), 0))
      v[n] = select(padded(left[n - 1], 0) > 0, 2*padded(v[n - 1], 0) + cast(X[n], u64), cast(X[n], u64))
      done[n] = v[n] > 0 and left[n] == 0
      at[n] = sum[k : k < n](done[k])
      M = sum[n](done[n])
      Y[wrap(at[n], M)] last= v[n] where done[n]

  - op: range_decoded
    doc: bits of an adaptive binary range coder, as in LZMA; the last two bits choose the probability
    attrs: {count: int}
    in: {B: "u8[N]"}
    let: {L: count}
    require: [count >= 1]
    index: {c: 4, i: 5}
    out: {Y: "u8[L]"}
    body: |
      start[] = fold[i](a = cast(0, u32), bit_or(shl(a, 8), cast(padded(B[i], 0), u32)))
      ctx[t] = 2*cast(padded(Y[t - 2], 0), i64) + cast(padded(Y[t - 1], 0), i64)
      p[t] = padded(prob[t - 1,ctx[t]], 1024)
      bound[t] = shr(padded(range[t - 1], 0xffffffff), 11)*cast(p[t], u32)
      now[t] = padded(code[t - 1], start[])
      Y[t] = select(now[t] < bound[t], 0, 1)
      r[t] = select(Y[t] == 0, bound[t], padded(range[t - 1], 0xffffffff) - bound[t])
      cc[t] = select(Y[t] == 0, now[t], now[t] - bound[t])
      range[t] = select(r[t] < 0x1000000, shl(r[t], 8), r[t])
      code[t] = select(r[t] < 0x1000000, bit_or(shl(cc[t], 8), cast(padded(B[padded(pos[t - 1], 5)], 0), u32)), cc[t])
      pos[t] = padded(pos[t - 1], 5) + select(r[t] < 0x1000000, 1, 0)
      prob[t,c] = select(c == ctx[t], p[t] + select(Y[t] == 0, shr(2048 - p[t], 5), -shr(p[t], 5)), padded(prob[t - 1,c], 1024))
'''


def ref_deboor(U, C, X, p):
    out = np.zeros((len(X), C.shape[1]))
    for q, x in enumerate(X):
        k = min(max(int((U <= x).sum()) - 1, p), len(C) - 1)
        d = [C[j + k - p].copy() for j in range(p + 1)]
        for r in range(1, p + 1):
            for j in range(p, r - 1, -1):
                a = (x - U[j + k - p])/(U[j + 1 + k - r] - U[j + k - p])
                d[j] = (1 - a)*d[j - 1] + a*d[j]
        out[q] = d[p]
    return out


def p2(Q0, X, p):
    q = list(Q0); n = [0, 1, 2, 3, 4]; out = []
    inc = [0, p/2, p, (1 + p)/2, 1]
    for t, x in enumerate(X):
        k = sum(q[i] <= x for i in (1, 2, 3))
        q[0] = min(q[0], x); q[4] = max(q[4], x)
        for i in range(k + 1, 5): n[i] += 1
        for i in (1, 2, 3):
            e = (t + 5)*inc[i] - n[i]
            if (e >= 1 and n[i + 1] - n[i] > 1) or (e <= -1 and n[i - 1] - n[i] < -1):
                s = 1 if e > 0 else -1
                u = q[i] + s/(n[i + 1] - n[i - 1])*((n[i] - n[i - 1] + s)*(q[i + 1] - q[i])/(n[i + 1] - n[i]) + (n[i + 1] - n[i] - s)*(q[i] - q[i - 1])/(n[i] - n[i - 1]))
                if q[i - 1] < u < q[i + 1]: q[i] = u
                else: q[i] += s*(q[i + s] - q[i])/(n[i + s] - n[i])
                n[i] += s
        out.append(q[2])
    return np.array(out)


def jaro(a, b):
    w = max(max(len(a), len(b))//2 - 1, 0); ub = [False]*len(b); ma = []
    for i, c in enumerate(a):
        for j in range(max(0, i - w), min(len(b), i + w + 1)):
            if not ub[j] and b[j] == c:
                ub[j] = True; ma.append(c); break
    mb = [c for j, c in enumerate(b) if ub[j]]; m = len(ma)
    if m == 0: return 0.0
    return (m/len(a) + m/len(b) + (m - sum(x != y for x, y in zip(ma, mb))/2)/m)/3


def range_encode(bits):
    low, rng, cache, size, out = 0, 0xffffffff, 0, 1, bytearray(); prob = [1024]*4; h = 0
    def shift():
        nonlocal low, cache, size
        if low < 0xff000000 or low > 0xffffffff:
            carry = low >> 32
            while True:
                out.append((cache + carry) & 255); cache = 255; size -= 1
                if size == 0: break
            cache = low >> 24 & 255
        size += 1
        low = (low & 0x00ffffff) << 8
    for b in bits:
        bound = (rng >> 11)*prob[h]
        if b == 0: rng = bound; prob[h] += (2048 - prob[h]) >> 5
        else: low += bound; rng -= bound; prob[h] -= prob[h] >> 5
        h = (h << 1 | int(b)) & 3
        while rng < 1 << 24: rng = rng << 8 & 0xffffffff; shift()
    for _ in range(5): shift()
    return bytes(out)


def e4m3(x):
    vals = np.array([(m/8*2.0**-6 if e == 0 else (1 + m/8)*2.0**(e - 7)) for e in range(16) for m in range(8)][:127])
    out = []
    for v in np.ravel(x):
        s = 0x80 if np.signbit(v) else 0
        if np.isnan(v): out.append(s | 0x7f); continue
        a = abs(float(v))
        if a >= 448: out.append(s | 0x7e); continue
        d = np.abs(vals - a); best = np.flatnonzero(d == d.min()); k = best[0] if len(best) == 1 or best[0] % 2 == 0 else best[1]
        out.append(s | int(k))
    return np.array(out, np.uint8).reshape(np.shape(x))


def cases(rng):
    def case(op, key, inputs, want, dtypes, tolerance=EXACT, room=None, **attrs):
        return dict(op=op, key=key, inputs=inputs, attrs=attrs, want=want, dtypes=dtypes, tol=tolerance, **(dict(room=room) if room else {}))
    for key in ('f32', 'f64'):
        t = np_dtype(key)
        for p, n, d, q in ((3, 7, 2, 33), (0, 3, 1, 5), (1, 17, 3, 16), (2, 5, 1, 0)):
            U = np.concatenate([np.zeros(p), np.linspace(0, 1, n - p + 1), np.ones(p)]).astype(t); C = rng.uniform(-1, 1, (n, d)).astype(t); X = rng.uniform(0, 1, q).astype(t)
            yield case('de_boor', key, [U, C, X], [ref_deboor(wide(U), wide(C), wide(X), p)], [key], tol(ulp=8, acc=60, mag=1), degree=p)
        for n, q in ((1, 3), (5, 17), (8, 33)):
            P = np.cos(np.pi*(np.arange(n) + .5)/n).astype(t); V = rng.uniform(-1, 1, n).astype(t); X = rng.uniform(-1, 1, q).astype(t); X[:min(n, q)] = P[:min(n, q)]
            want = []
            for x in wide(X):
                hit = np.flatnonzero(wide(P) == x)
                want.append(wide(V)[hit[0]] if len(hit) else sum(wide(V)[i]*np.prod([(x - wide(P)[j])/(wide(P)[i] - wide(P)[j]) for j in range(n) if j != i]) for i in range(n)))
            yield case('barycentric', key, [P, V, X], [np.array(want)], [key], tol(ulp=8, acc=400, mag=1))
        for n, q in ((3, 5), (9, 33), (17, 1)):
            P = np.cumsum(rng.uniform(.5, 1.5, n)).astype(t); V = rng.integers(-3, 4, n).astype(t); X = rng.uniform(P[0], P[-1], q).astype(t)
            yield case('pchip', key, [P, V, X], [interpolate.PchipInterpolator(wide(P), wide(V))(wide(X))], [key], tol(ulp=8, acc=300, mag=3))
        for b, k in ((1, 0), (3, 3), (17, 5), (0, 2)):
            F = rng.uniform(-1, 1, (b, 2**k + 1)).astype(t); R = {}
            for i in range(k + 1):
                h = 2**(k - i); y = wide(F)[:, ::h]; R[i, 0] = h*(y.sum(1) - (y[:, 0] + y[:, -1])/2)
                for j in range(1, i + 1): R[i, j] = R[i, j - 1] + (R[i, j - 1] - R[i - 1, j - 1])/(4**j - 1)
            yield case('romberg', key, [F], [R[k, k]], [key], tol(ulp=8, acc=40, mag=2**k), levels=k)
        for l in (1, 2, 17):
            a, b, c = (rng.uniform(-1, 1, (l, 2, 2)).astype(t) for _ in range(3)); b += 5*np.eye(2, dtype=t); d = rng.uniform(-1, 1, (l, 2)).astype(t)
            M = np.zeros((2*l, 2*l))
            for i in range(l):
                M[2*i:2*i + 2, 2*i:2*i + 2] = b[i]
                if i: M[2*i:2*i + 2, 2*i - 2:2*i] = a[i]
                if i < l - 1: M[2*i:2*i + 2, 2*i + 2:2*i + 4] = c[i]
            yield case('block_thomas', key, [a, b, c, d], [np.linalg.solve(M, wide(d).ravel()).reshape(l, 2)], [key], tol(ulp=20, acc=60, mag=1))
        for l, c in ((1, 1), (9, 17), (33, 3)):
            X = rng.normal(0, 1, (l, c)).astype(t); X[rng.random((l, c)) < .2] = np.nan; x = wide(X)
            m = np.zeros((l, c)); p = np.zeros((l, c))
            for i in range(l):
                pp = (p[i - 1] if i else 10) + .1; m0 = m[i - 1] if i else np.zeros(c); nan = np.isnan(x[i])
                k = np.where(nan, 0, pp/(pp + 1)); m[i] = m0 + np.where(nan, 0, k*(x[i] - m0)); p[i] = (1 - k)*pp
            M, V = m.copy(), p.copy()
            for i in range(l - 2, -1, -1):
                G = p[i]/(p[i] + .1); M[i] = m[i] + G*(M[i + 1] - m[i]); V[i] = p[i] + G*G*(V[i + 1] - p[i] - .1)
            yield case('local_level_smoother', key, [X], [M, V], [key]*2, [tol(ulp=30, acc=60, mag=2)]*2, q=.1, r=1.0)
        for n in (2, 5, 17):
            v = rng.uniform(-1, 1, 40); r = np.convolve(v, v[::-1])[39:39 + n].astype(t); R = wide(r)
            a = np.array([1.0]); e = R[0]; want = []
            for p in range(1, n):
                k = -(a @ R[p:0:-1][:p])/e; a = np.append(a, 0) + k*np.append(a, 0)[::-1]; e *= 1 - k*k; want.append(k)
            yield case('schur_reflections', key, [r], [np.array(want)], [key], tol(ulp=60, acc=400, mag=1))
        for r, n in ((1, 2), (3, 16), (2, 34)):
            X = rng.uniform(-1, 1, (r, n)).astype(t); x = wide(X); s, d = x[:, ::2].copy(), x[:, 1::2].copy()
            ext = lambda v: np.concatenate([v[:, 1:], v[:, -1:]], 1); pre = lambda v: np.concatenate([v[:, :1], v[:, :-1]], 1)
            d -= 1.586134342*(s + ext(s)); s -= .05298011854*(pre(d) + d); d += .8829110762*(s + ext(s)); s += .4435068522*(pre(d) + d)
            yield case('lifting97', key, [X], [s*1.149604398, d/1.149604398], [key]*2, [tol(ulp=8, acc=30, mag=3)]*2)
        for l, p in ((1, .5), (40, .5), (33, .9)):
            Q0 = np.sort(rng.integers(0, 64, 5)).astype(t) + np.arange(5, dtype=t)/8; X = (rng.integers(0, 6400, l)/64).astype(t)
            yield case('quantile_by_markers', key, [Q0, X], [p2(wide(Q0), wide(X), p)], [key], tol(ulp=40, acc=200, mag=100), p=p)
        for m, n in ((1, 1), (3, 17), (17, 33)):
            A, B = (rng.uniform(-1, 1, (m, n)).astype(t)*np.asarray(10.0, t)**rng.integers(-3, 4, (m, n)).astype(t) for _ in range(2))
            s, e = np.zeros(m, t), np.zeros(m, t)
            for k in range(n):
                p = A[:, k]*B[:, k]; pe = np.array([float(Fraction(float(x))*Fraction(float(y)) - Fraction(float(z))) for x, y, z in zip(A[:, k], B[:, k], p)]).astype(t)
                s1 = s + p; z = s1 - s; e = (e + ((s - (s1 - z)) + (p - z))) + pe; s = s1
            near = tol(ulp=2, acc=n, mag=np.abs(wide(A)*wide(B)).sum(1))  # without FMA the roundings of the products are lost
            yield case('double_double_dot', key, [A, B], [s + e, e], [key]*2, [near, near])
    for key in ('f32', 'f64', 'f16', 'bf16'):
        t = np_dtype(key)
        if t is None: continue
        for shape, c in (((), 1), ((17,), 5), ((2, 3, 5), 2), ((0, 3), 4)):
            X = rng.uniform(-1, 1, shape); X = np.asarray(X).astype(t)
            yield case('legendre_values', key, [X], [np.stack([special.eval_legendre(l, wide(X)) for l in range(c)])], [key], tol(ulp=8, acc=30, mid=6, mag=1), count=c)
        for c, n, k in ((1, 2, 1), (3, 33, 5), (2, 1, 2), (4, 64, 0)):
            X = rng.uniform(-1, 1, (c, n)).astype(t); taps = [float(v) for v in np.float32(rng.uniform(-.5, .5, k))]; x = np.pad(wide(X), ((0, 0), (20, 20)))
            want = np.array([[.5*x[i, 2*m + 20] + sum(taps[j]*(x[i, 2*m + 19 - 2*j] + x[i, 2*m + 21 + 2*j]) for j in range(k)) for m in range(n//2)] for i in range(c)]).reshape(c, n//2)
            yield case('halfband_decimate', key, [X], [want], [key], tol(ulp=2, acc=20, mag=3), taps=taps)
    for q, o in ((1, 1), (17, 6), (33, 9)):
        X = rng.uniform(.5, 9, q)
        yield case('bessel_miller', 'f64', [X], [np.stack([special.jv(n, X) for n in range(o)])], ['f64'], tol(ulp=100, acc=4000, mag=1), orders=o)
    for shape in ((17,), (3, 5), (), (2, 0)):
        X = np.asarray(rng.uniform(.1, 100, shape)).astype(np.float32)
        y = (np.uint32(0x5f3759df) - (X.view(np.uint32) >> 1).astype(np.uint32)).view(np.float32)
        yield case('rsqrt_by_bits', 'f32', [X], [wide(y)*(1.5 - .5*wide(X)*wide(y)*wide(y))], ['f32'], tol(ulp=4))
        H = np.asarray(rng.integers(0, 65536, shape)).astype(np.uint16) if shape != (17,) else np.array([0, 1, 0x3ff, 0x400, 0x7bff, 0x7c00, 0x7e00, 0xfc00, 0x8000, 0x8001, 0x3c00, 0xbc00, 0x83ff, 0x7c01, 0xffff, 2, 0x3555], np.uint16)
        yield case('half_to_float', 'u16', [H], [H.view(np.float16).astype(np.float32)], ['f32'])
        X = np.asarray(rng.uniform(-2, 2, shape)*2.0**rng.integers(-12, 9, shape)).astype(np.float32) if shape != (17,) else np.array([0, -0.0, np.nan, np.inf, -np.inf, 448, 464, 463.9, 465, 2**-9, 2**-10, 2**-10*1.01, -2**-6, 1.0625, 1.1875, 17, 0.0146484375], np.float32)
        yield case('float_to_e4m3', 'f32', [X], [e4m3(X)], ['u8'])
        A, B = (np.asarray(rng.uniform(-2, 2, shape)).astype(np.float32) for _ in range(2)); o = lambda v: np.where((b := v.view(np.int32).astype(np.int64)) < 0, -2**31 - b, b)
        yield case('ulp_distance', 'f32', [A, B], [np.abs(o(A) - o(B))], ['i64'])
    for key in ('i32', 'i64'):
        for n in (0, 17, 40):
            days = rng.integers(-700000, 2900000, n); ds = [datetime.date.fromordinal(int(d) + 719163) for d in days]
            ymd = np.array([[d.year, d.month, d.day] for d in ds], np.int64).reshape(n, 3).T
            yield case('days_from_civil', key, [*(v.astype(np_dtype(key)).copy() for v in ymd)], [days, (days + 4) % 7, ymd], [key]*3)
    for text in (b'12,-345,6;0', b'', b'-', b'no numbers', b'7', b'a-1-2--33 4', b'00100 99999999999'):
        want = np.array([int(m) for m in re.findall(rb'-?\d+', text)], np.int64)
        yield case('parsed_numbers', 'u8', [np.frombuffer(text, np.uint8).copy()], [want], ['i64'], room=[(len(text),)])
    for n in (0, 5, 33):
        X = (rng.integers(-2**62, 2**62, n) >> rng.integers(0, 62, n)); X[:2] = [0, -2**63][:min(2, n)]
        yield case('digits_of', 'i64', [X], [np.array([list(b'%20d' % int(v)) for v in X], np.uint8).reshape(n, 20)], ['u8'])
    for a, b in ((b'MARTHA', b'MARHTA'), (b'DWAYNE', b'DUANE'), (b'a', b'b'), (b'x', b'x'), (bytes(rng.integers(97, 100, 33).astype(np.uint8)), bytes(rng.integers(97, 100, 20).astype(np.uint8)))):
        yield case('jaro', 'u8', [np.frombuffer(v, np.uint8).copy() for v in (a, b)], [np.array(jaro(a, b))], ['f64'], tol(ulp=4))
    for key in ('u8', 'i32'):
        for n in (0, 1, 16, 33):
            X = rng.integers(0, 2, n).astype(np_dtype(key))
            if n == 16: X[:] = 1
            want = np.array([next((k for k in range(n - i) if X[i + k] != X[k]), n - i) for i in range(n)], np.int64)
            yield case('z_function', key, [X], [want], ['i64'])
    for n in (0, 1, 5, 17, 40):
        X = rng.integers(0, 2, n).astype(np.uint8); F = [0]*n
        for i in range(1, n):
            j = F[i - 1]
            while j and X[i] != X[j]: j = F[j - 1]
            F[i] = j + int(X[i] == X[j])
        yield case('border_lengths', 'u8', [X], [np.array(F, np.int64)], ['i64'])
        x = bytes(X); order = sorted(range(n), key=lambda i: x[i:]); rank = np.zeros(n, np.int64); rank[order] = np.arange(n)
        lcp = [0]*n
        for r in range(1, n):
            a, b = x[order[r - 1]:], x[order[r]:]; lcp[r] = next((k for k in range(min(len(a), len(b))) if a[k] != b[k]), min(len(a), len(b)))
        yield case('suffix_ranks', 'u8', [X], [rank, np.array(order, np.int64), np.array(lcp, np.int64)], ['i64']*3, rounds=max(1, n.bit_length() + 1))
    for text in ('', 'a', 'größe', '漢字 and 😀', 'x'*33):
        b = text.encode(); cp = np.array([ord(c) for c in text], np.uint32)
        yield case('utf8_decoded', 'u8', [np.frombuffer(b, np.uint8).copy()], [cp], ['u32'], room=[(len(b),)])
        yield case('utf8_encoded', 'u32', [cp], [np.frombuffer(b, np.uint8)], ['u8'], room=[(4*len(text),)])
    yield case('utf8_decoded', 'u8', [np.array([0xe2, 0x82, 65], np.uint8)], [np.array([0xfffd, 65], np.uint32)], ['u32'], room=[(3,)])
    for text in (b'', b'a%20b+c', b'%', b'%4', b'%41%zz%4a%%41', b'%2541'*7):
        yield case('percent_decoded', 'u8', [np.frombuffer(text, np.uint8).copy()], [np.frombuffer(unquote_to_bytes(text.replace(b'+', b' ')), np.uint8)], ['u8'], room=[(len(text),)])
    for n in (0, 1, 2, 3, 4, 5, 33):
        X = rng.integers(0, 256, n).astype(np.uint8)
        yield case('base32_letters', 'u8', [X], [np.frombuffer(base64.b32encode(bytes(X)), np.uint8)], ['u8'])
    for n in (0, 7, 100):
        X = (rng.random(n) < .85).astype(np.uint8); ones = 0; bits = []
        for b in X:
            bits.append(b); ones = ones + 1 if b else 0
            if ones == 5: bits.append(0); ones = 0
        yield case('hdlc_bits', 'u8', [np.array(bits, np.uint8)], [X], ['u8'], room=[(len(bits),)])
    for lens in ([3, 3, 3, 3, 3, 2, 4, 4], [1], [0, 0, 1, 2, 2], [15]*3 + [0]*14, []):
        L = np.array(lens, np.uint8); cnt = [0]*17
        for l in lens: cnt[l] += l > 0
        code, nxt = 0, [0]*17
        for b in range(1, 17): code = (code + cnt[b - 1]) << 1; nxt[b] = code
        c, r = [], []
        for l in lens:
            v = nxt[l] if l else 0; nxt[l] += 1 if l else 0
            c.append(v); r.append(int(f'{v:0{l}b}'[::-1], 2) if l else 0)
        yield case('canonical_codes', 'u8', [L], [np.array(c, np.uint16), np.array(r, np.uint16)], ['u16']*2)
    for n in (0, 1, 20):
        v = [int(x) for x in 2**rng.integers(0, 20, n)]; v = [x + int(rng.integers(0, x)) for x in v]
        bits = [int(b) for x in v for b in '0'*(x.bit_length() - 1) + f'{x:b}']
        yield case('elias_gamma', 'u8', [np.array(bits, np.uint8)], [np.array(v, np.uint64)], ['u64'], room=[(len(bits),)])
    for n, p in ((1, .5), (300, .9), (500, .1), (100, .5)):
        bits = (rng.random(n) < p).astype(np.uint8)
        yield case('range_decoded', 'u8', [np.frombuffer(range_encode(bits), np.uint8).copy()], [bits], ['u8'], count=n)
