"""Pictures, geometry, sparse rows and updates whose targets are computed."""
import numpy as np
from casekit import EXACT, np_dtype, rand, tol, wide

OPS = [r'''
ops:
  - op: png_unfiltered
    doc: the bytes of rows that PNG filtered, each row with a filter of its own
    attrs: {bpp: int = 3}
    in: {F: "u8[H]", X: "u8[H, W]"}
    require: [bpp >= 1]
    out: {Y: "u8[H, W]"}
    body: |
      a[y,x] = cast(padded(Y[y,x - bpp], 0), i32)
      b[y,x] = cast(padded(Y[y - 1,x], 0), i32)
      c[y,x] = cast(padded(Y[y - 1,x - bpp], 0), i32)
      p[y,x] = a[y,x] + b[y,x] - c[y,x]
      q[y,x] = select(abs(p[y,x] - a[y,x]) <= abs(p[y,x] - b[y,x]) and abs(p[y,x] - a[y,x]) <= abs(p[y,x] - c[y,x]), a[y,x], select(abs(p[y,x] - b[y,x]) <= abs(p[y,x] - c[y,x]), b[y,x], c[y,x]))
      Y[y,x] = X[y,x] + cast(select(F[y] == 1, a[y,x], select(F[y] == 2, b[y,x], select(F[y] == 3, (a[y,x] + b[y,x])//2, select(F[y] == 4, q[y,x], 0)))), u8)
''', r'''
ops:
  - op: serpentine_dither
    doc: errors of one row passed on, the direction of which changes with each row
    types: {T: [f32, f64]}
    in: {X: "T[H, W]"}
    index: {u: W}
    out: {Y: "u8[H, W]"}
    body: |
      v[y,u] = X[y,select(y % 2 == 0, u, W - 1 - u)] + 0.5*padded(e[y,u - 1], 0) + 0.5*padded(e[y - 1,W - 1 - u], 0)
      o[y,u] = select(v[y,u] > 0.5, cast(1, u8), cast(0, u8))
      e[y,u] = v[y,u] - o[y,u]
      Y[y,x] = o[y,select(y % 2 == 0, x, W - 1 - x)]
''', r'''
ops:
  - op: fast_corners
    doc: pixels with nine in a row on a circle that are all brighter or all darker
    attrs: {t: int = 20}
    in: {X: "u8[H, W]"}
    tables:
      Dy: {type: "i64[16]", values: [-3, -3, -2, -1, 0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3]}
      Dx: {type: "i64[16]", values: [0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1]}
    index: {k: 16, j: 9}
    out: {Y: "bool[H, W]"}
    body: |
      d[y,x,k] = cast(padded(X[y + Dy[k],x + Dx[k]], 0), i32) - cast(X[y,x], i32)
      in[y,x] = 3 <= y and y < H - 3 and 3 <= x and x < W - 3
      Y[y,x] = in[y,x] and any[k](all[j](d[y,x,(k + j) % 16] > t) or all[j](d[y,x,(k + j) % 16] < -t))
''', r'''
ops:
  - op: brief_bits
    doc: a descriptor of 64 comparisons at given points, turned by their angles
    types: {T: [f32, f64]}
    in: {X: "T[H, W]", P: "i32[N, 2]", A: "T[N]", Pairs: "i8[64, 4]"}
    require: [H >= 1, W >= 1]
    index: {b: 64, e: 2}
    out: {Y: "u64[N]"}
    body: |
      c[n] = cos(A[n])
      s[n] = sin(A[n])
      y[n,b,e] = P[n,0] + cast(round(s[n]*cast(Pairs[b,2*e + 1], T) + c[n]*cast(Pairs[b,2*e], T)), i32)
      x[n,b,e] = P[n,1] + cast(round(c[n]*cast(Pairs[b,2*e + 1], T) - s[n]*cast(Pairs[b,2*e], T)), i32)
      v[n,b,e] = X[clamp(y[n,b,e], 0, H - 1),clamp(x[n,b,e], 0, W - 1)]
      Y[n] = bit_or[b](select(v[n,b,0] < v[n,b,1], shl(cast(1, u64), b), cast(0, u64)))
''', r'''
ops:
  - op: lanczos_resized
    doc: a row resampled with a kernel as wide as the ratio asks for, its weights normalised
    types: {T: [f32, f64]}
    attrs: {out: int}
    in: {X: "T[M, N]"}
    require: [out >= 1, N >= out]
    let: {O: out, R: "3*ceildiv(N, out)", W: "6*ceildiv(N, out) + 1"}
    index: {o: O, r: W}
    out: {Y: "T[M, O]"}
    body: |
      c[o] = (cast(o, f64) + 0.5)*N/O - 0.5
      k[o,r] = cast(floor(c[o]), i64) + r - R
      z[o,r] = 3.141592653589793*(cast(k[o,r], f64) - c[o])*O/N
      w[o,r] = select(k[o,r] < 0 or k[o,r] >= N or abs(z[o,r]) >= 9.42477796076938, 0, select(abs(z[o,r]) < 1e-9, 1, 3*sin(z[o,r])*sin(z[o,r]/3)/sq(z[o,r])))
      s[o] = sum[r](w[o,r])
      Y[m,o] = cast(sum[r](w[o,r]*cast(padded(X[m,k[o,r]], 0), f64))/s[o], T)
''', r'''
ops:
  - op: total_variation
    doc: steps of Chambolle's algorithm
    types: {T: [f32, f64]}
    attrs: {steps: int = 4, lam: float = 0.5}
    in: {X: "T[H, W]"}
    require: [steps >= 1]
    index: {t: steps}
    out: {Y: "T[H, W]"}
    body: |
      d[t,y,x] = padded(p[t - 1,y,x], 0) - padded(p[t - 1,y,x - 1], 0) + padded(q[t - 1,y,x], 0) - padded(q[t - 1,y - 1,x], 0) - X[y,x]/lam
      g[t,y,x] = select(x == W - 1, 0, padded(d[t,y,x + 1], 0) - d[t,y,x])
      h[t,y,x] = select(y == H - 1, 0, padded(d[t,y + 1,x], 0) - d[t,y,x])
      n[t,y,x] = 1 + 0.125*sqrt(sq(g[t,y,x]) + sq(h[t,y,x]))
      p[t,y,x] = (padded(p[t - 1,y,x], 0) + 0.125*g[t,y,x])/n[t,y,x]
      q[t,y,x] = (padded(q[t - 1,y,x], 0) + 0.125*h[t,y,x])/n[t,y,x]
      Y[y,x] = X[y,x] - lam*(p[steps - 1,y,x] - padded(p[steps - 1,y,x - 1], 0) + q[steps - 1,y,x] - padded(q[steps - 1,y - 1,x], 0))
''', r'''
ops:
  - op: superpixel_step
    doc: for each pixel the nearest of the centres around its cell, and the centres' new means
    types: {T: [f32, f64]}
    attrs: {S: int = 4, weight: float = 0.5}
    in: {X: "T[H, W, C]", M: "T[A, B, D]"}
    require: [S >= 1, D == C + 2, A >= 1, B >= 1]
    index: {i: 3, j: 3, d: D}
    out: {L: "i64[H, W]", N: "T[A, B, D]"}
    body: |
      f[y,x,d] = select(d == 0, cast(y, T), select(d == 1, cast(x, T), padded(X[y,x,d - 2], 0)))
      e[y,x,i,j] = sum[d](select(d < 2, weight, 1)*sq(f[y,x,d] - M[clamp(y//S + i - 1, 0, A - 1),clamp(x//S + j - 1, 0, B - 1),d]))
      g[y,x] = argmin[i](min[j](e[y,x,i,j]))
      k[y,x] = argmin[j](e[y,x,g[y,x],j])
      L[y,x] = clamp(y//S + g[y,x] - 1, 0, A - 1)*B + clamp(x//S + k[y,x] - 1, 0, B - 1)
      s[a,b,d] = 0*M[a,b,d]
      s[wrap(L[y,x]//B, A),L[y,x] % B,d] += f[y,x,d]
      c[a,b] = 0*M[a,b,0]
      c[wrap(L[y,x]//B, A),L[y,x] % B] += cast(1, T)
      N[a,b,d] = select(c[a,b] > 0, s[a,b,d]/max(c[a,b], 1), M[a,b,d])
''', r'''
ops:
  - op: triangles_drawn
    doc: the nearest triangle at each pixel and its depth
    types: {T: [f32, f64]}
    attrs: {height: int, width: int}
    in: {V: "T[N, 3]", F: "i32[K, 3]"}
    require: [height >= 0, width >= 0, N >= 1]
    let: {H: height, W: width}
    index: {y: H, x: W}
    out: {D: "T[H, W]", At: "i32[H, W]"}
    body: |
      p[k,a,i] = V[wrap(F[k,a], N),i]
      r[k] = (p[k,1,0] - p[k,0,0])*(p[k,2,1] - p[k,0,1]) - (p[k,1,1] - p[k,0,1])*(p[k,2,0] - p[k,0,0])
      u[y,x,k] = ((p[k,1,0] - x - 0.5)*(p[k,2,1] - y - 0.5) - (p[k,1,1] - y - 0.5)*(p[k,2,0] - x - 0.5))/r[k]
      v[y,x,k] = ((p[k,2,0] - x - 0.5)*(p[k,0,1] - y - 0.5) - (p[k,2,1] - y - 0.5)*(p[k,0,0] - x - 0.5))/r[k]
      z[y,x,k] = u[y,x,k]*p[k,0,2] + v[y,x,k]*p[k,1,2] + (1 - u[y,x,k] - v[y,x,k])*p[k,2,2]
      in[y,x,k] = r[k] != 0 and u[y,x,k] >= 0 and v[y,x,k] >= 0 and u[y,x,k] + v[y,x,k] <= 1
      D[y,x] = min[k : in[y,x,k]](z[y,x,k])
      At[y,x] = select(any[k](in[y,x,k]), cast(argmin[k](select(in[y,x,k], z[y,x,k], inf)), i32), -1)
''', r'''
ops:
  - op: spheres_traced
    doc: how far rays go until a scene of spheres stops them, by steps as long as the distance
    types: {T: [f32, f64]}
    attrs: {steps: int = 16}
    in: {O: "T[3]", R: "T[N, 3]", C: "T[K, 3]", Rad: "T[K]"}
    require: [steps >= 1, K >= 1]
    index: {s: steps}
    out: {Y: "T[N]"}
    body: |
      p[s,n,i] = O[i] + padded(t[s - 1,n], 0)*R[n,i]
      d[s,n] = min[k](sqrt(sum[i](sq(p[s,n,i] - C[k,i]))) - Rad[k])
      t[s,n] = padded(t[s - 1,n], 0) + d[s,n]
      Y[n] = t[steps - 1,n]
''', r'''
ops:
  - op: inside_polygon
    doc: points inside of a polygon by crossings, and its area
    types: {T: [f32, f64]}
    in: {P: "T[N, 2]", V: "T[K, 2]"}
    require: [K >= 1]
    out: {In: "bool[N]", Area: "T[]"}
    body: |
      x[k] = V[(k + 1) % K,0]
      y[k] = V[(k + 1) % K,1]
      c[n,k] = (V[k,1] > P[n,1]) != (y[k] > P[n,1]) and P[n,0] < (x[k] - V[k,0])*(P[n,1] - V[k,1])/(y[k] - V[k,1]) + V[k,0]
      In[n] = sum[k](c[n,k]) % 2 == 1
      Area[] = 0.5*abs(sum[k](V[k,0]*y[k] - x[k]*V[k,1]))
''', r'''
ops:
  - op: farthest_points
    doc: points each of which is the farthest from those that were chosen before
    types: {T: [f32, f64]}
    attrs: {count: int}
    in: {X: "T[N, D]"}
    require: [N >= 1, count >= 1]
    let: {C: count}
    index: {c: C}
    out: {I: "i64[C]"}
    body: |
      I[c] = argmax[n](padded(d[c - 1,n], select(n == 0, 1, 0)))
      e[c,n] = sum[k](sq(X[n,k] - X[I[c],k]))
      d[c,n] = select(c == 0, e[c,n], min(padded(d[c - 1,n], 0), e[c,n]))
''', r'''
ops:
  - op: ball_query
    doc: the first K points within a radius of each centre, the first of them repeated
    types: {T: [f32, f64]}
    attrs: {k: int, radius: float}
    in: {X: "T[N, D]", C: "T[M, D]"}
    require: [k >= 1, N >= 1]
    let: {K: k}
    index: {q: K}
    out: {I: "i32[M, K]", Count: "i32[M]"}
    body: |
      in[m,n] = sum[i](sq(X[n,i] - C[m,i])) < radius*radius
      at[m,n] = sum[j : j < n](in[m,j])
      Count[m] = min(sum[n](in[m,n]), K)
      f[m] = select(Count[m] > 0, argmax[n](in[m,n]), 0)
      I[m,q] = cast(f[m], i32)
      I[m,clamp(at[m,n], 0, K - 1)] last= n where in[m,n] and at[m,n] < K
''', r'''
ops:
  - op: bezier_points
    doc: points of curves by de Casteljau's algorithm
    types: {T: [f32, f64]}
    in: {P: "T[C, N, D]", U: "T[S]"}
    require: [N >= 1]
    index: {r: N}
    out: {Y: "T[C, S, D]"}
    body: |
      b[c,s,r,i,d] = select(r == 0, P[c,i,d], (1 - U[s])*padded(b[c,s,r - 1,i,d], 0) + U[s]*padded(b[c,s,r - 1,i + 1,d], 0))
      Y[c,s,d] = b[c,s,N - 1,0,d]
''', r'''
ops:
  - op: spline_values
    doc: the values of all B-splines of a degree at given points
    types: {T: [f32, f64]}
    attrs: {degree: int = 3}
    in: {K: "T[M]", X: "T[S]"}
    require: [degree >= 0, M >= degree + 2]
    let: {B: M - degree - 1, Q: degree + 1, I: M - 1}
    index: {p: Q, i: I, n: B}
    out: {Y: "T[S, B]"}
    body: |
      u[s,p,i] = select(padded(K[i + p], 0) > K[i], (X[s] - K[i])/(padded(K[i + p], 1) - K[i]), 0)
      v[s,p,i] = select(padded(K[i + p + 1], 0) > K[i + 1], (padded(K[i + p + 1], 0) - X[s])/(padded(K[i + p + 1], 1) - K[i + 1]), 0)
      b[s,p,i] = select(p == 0, select(K[i] <= X[s] and X[s] < K[i + 1], 1, 0), u[s,p,i]*padded(b[s,p - 1,i], 0) + v[s,p,i]*padded(b[s,p - 1,i + 1], 0))
      Y[s,n] = b[s,degree,n]
''', r'''
ops:
  - op: lasso_sweeps
    doc: coordinate descent with soft thresholds, its residual updated with each coordinate
    types: {T: [f64, f32]}
    attrs: {lam: float = 0.5, sweeps: int = 3}
    in: {A: "T[M, N]", Y: "T[M]"}
    require: [N >= 1, sweeps >= 1]
    let: {S: sweeps*N}
    index: {s: S}
    out: {W: "T[N]"}
    body: |
      j[s] = s % N
      q[s] = sum[m](sq(A[m,j[s]]))
      c[s] = sum[m](A[m,j[s]]*padded(r[s - 1,m], Y[m])) + q[s]*padded(w[s - 1,j[s]], 0)
      b[s] = select(q[s] > 0, sign(c[s])*max(abs(c[s]) - lam, 0)/q[s], 0)
      r[s,m] = padded(r[s - 1,m], Y[m]) - A[m,j[s]]*(b[s] - padded(w[s - 1,j[s]], 0))
      w[s,n] = select(n == j[s], b[s], padded(w[s - 1,n], 0))
      W[n] = w[S - 1,n]
''', r'''
ops:
  - op: ising_sweep
    doc: a half sweep of a checkerboard, spins turned where a table of thresholds says so
    in: {S: "i8[H, W]", R: "f32[H, W]", P: "f32[9]"}
    attrs: {colour: int = 0}
    require: [H >= 1, W >= 1, colour >= 0, colour <= 1]
    out: {Y: "i8[H, W]", E: "i64[]"}
    body: |
      n[y,x] = S[(y + 1) % H,x] + S[(y - 1) % H,x] + S[y,(x + 1) % W] + S[y,(x - 1) % W]
      Y[y,x] = select((y + x) % 2 == colour and R[y,x] < P[clamp(S[y,x]*n[y,x] + 4, 0, 8)], -S[y,x], S[y,x])
      E[] = -sum[y,x](cast(Y[y,x], i64)*(Y[(y + 1) % H,x] + Y[y,(x + 1) % W]))
''', r'''
ops:
  - op: trees_walked
    doc: the sum of the leaves that rows reach in decision trees of a depth
    types: {T: [f32, f64]}
    in: {X: "T[N, F]", Feature: "i32[K, M]", Limit: "T[K, M]", Left: "i32[K, M]", Right: "i32[K, M]", Leaf: "T[K, M]"}
    attrs: {depth: int = 3}
    require: [M >= 1, F >= 1, depth >= 1]
    index: {d: depth}
    out: {Y: "T[N]"}
    body: |
      at[n,k,d] = select(Left[k,wrap(padded(at[n,k,d - 1], 0), M)] < 0, padded(at[n,k,d - 1], 0), select(X[n,wrap(Feature[k,wrap(padded(at[n,k,d - 1], 0), M)], F)] <= Limit[k,wrap(padded(at[n,k,d - 1], 0), M)], Left[k,wrap(padded(at[n,k,d - 1], 0), M)], Right[k,wrap(padded(at[n,k,d - 1], 0), M)]))
      Y[n] = sum[k](Leaf[k,wrap(at[n,k,depth - 1], M)])
''', r'''
ops:
  - op: incomplete_lu
    doc: ILU(0) of a matrix in compressed rows with sorted columns, its values in place of the matrix's
    types: {T: [f64, f32]}
    in: {Ptr: "i32[P]", Col: "i32[E]", V: "T[E]"}
    let: {M: P - 1}
    require: [P >= 1]
    index: {m: M, c: M}
    out: {D: "T[M, M]"}
    body: |
      a[m,c] = 0*cast(m + c, T)
      a[m,wrap(Col[e], M)] += V[e] where e in Ptr[m] .. Ptr[m + 1]
      k[m,c] = 0*(m + c)
      k[m,wrap(Col[e], M)] max= 1 where e in Ptr[m] .. Ptr[m + 1]
      l[m,c] = select(k[m,c] == 0 or c >= m, 0, (a[m,c] - sum[j : j < c and j < m](l[m,j]*u[j,c]))/padded(u[min(c, m - 1),min(c, m - 1)], 1))
      u[m,c] = select(k[m,c] == 0 or c < m, 0, a[m,c] - sum[j : j < m](l[m,j]*u[j,c]))
      D[m,c] = l[m,c] + u[m,c]
''', r'''
ops:
  - op: sell_product
    doc: a sparse product in slices of C rows, each as wide as its longest
    types: {T: [f32, f64]}
    attrs: {C: int = 4}
    in: {Start: "i64[S1]", Col: "i32[E]", V: "T[E]", X: "T[K]"}
    require: [C >= 1, S1 >= 1]
    let: {S: S1 - 1}
    index: {s: S, r: C, e: E}
    out: {Y: "T[(S C)]"}
    body: |
      Y[(s r)] = sum[e in Start[s] .. Start[s + 1] : (e - Start[s]) % C == r](V[e]*padded(X[Col[e]], 0))
''', r'''
ops:
  - op: sparse_rows_added
    doc: A + B of two sparse matrices in compressed rows as a dense one, and the non-zeros a row
    types: {T: [f32, f64], I: index}
    attrs: {columns: int}
    in: {Pa: "I[P]", Ca: "I[E]", Va: "T[E]", Pb: "I[P]", Cb: "I[F]", Vb: "T[F]"}
    require: [P >= 1, columns >= 0]
    let: {M: P - 1, N: columns}
    index: {m: M, n: N}
    out: {Y: "T[M, N]", Count: "i32[M]"}
    body: |
      Y[m,n] = 0
      Y[m,wrap(Ca[e], N)] += Va[e] where e in Pa[m] .. Pa[m + 1]
      Y[m,wrap(Cb[f], N)] += Vb[f] where f in Pb[m] .. Pb[m + 1]
      Count[m] = sum[n](Y[m,n] != 0)
''', r'''
ops:
  - op: cores
    doc: the k-core of a graph given as a matrix, by rounds that drop what has too few neighbours
    attrs: {k: int = 2}
    in: {A: "bool[N, N]"}
    require: [N >= 1]
    index: {t: N}
    out: {Y: "bool[N]"}
    body: |
      deg[t,i] = sum[j](A[i,j] and padded(in[t - 1,j], true))
      in[t,i] = padded(in[t - 1,i], true) and deg[t,i] >= k
      Y[i] = in[N - 1,i]
''', r'''
ops:
  - op: unique_rows_merged
    doc: neighbouring equal rows once, with the sum of their weights
    types: {T: [f32, i32]}
    in: {K: "i32[N, D]", W: "T[N]"}
    let: {M: upto(N)}
    out: {R: "i32[M, D]", S: "T[M]"}
    body: |
      new[n] = n == 0 or any[d](K[n,d] != K[clamp(n - 1, 0, N - 1),d])
      at[n] = sum[j : j <= n](new[j]) - 1
      M = sum[n](new[n])
      R[wrap(at[n], M),d] last= K[n,d]
      S[wrap(at[n], M)] += W[n]
''', r'''
ops:
  - op: radix_pass
    doc: one stable pass of a radix sort by eight bits, with where each key came from
    attrs: {shift: int = 0}
    in: {X: "u32[N]"}
    require: [shift >= 0, shift <= 24]
    out: {Y: "u32[N]", From: "i64[N]"}
    body: |
      d[n] = cast(bit_and(shr(X[n], shift), 255), u8)
      h[b] = sum[n](d[n] == b)
      s[b] = sum[c : c < b](h[c])
      r[n] = sum[k : k < n](d[k] == d[n])
      Y[wrap(s[d[n]] + r[n], N)] last= X[n]
      From[wrap(s[d[n]] + r[n], N)] last= n
    index: {b: 256, c: 256}
''', r'''
ops:
  - op: quantile_normalised
    doc: columns brought to one distribution, the means of their sorted values
    types: {T: [f64, f32]}
    in: {X: "T[N, C]"}
    require: [C >= 1]
    out: {Y: "T[N, C]"}
    body: |
      s, at = sort(X, axis=0)
      m[n] = sum[c](s[n,c])/C
      Y[wrap(at[n,c], N),c] last= m[n]
''', r'''
ops:
  - op: loess_weighted
    doc: a local line through the K nearest points in order, with tricube weights
    types: {T: [f64]}
    attrs: {half: int = 2}
    in: {X: "T[N]", Y: "T[N]"}
    require: [half >= 1]
    let: {W: 2*half + 1}
    index: {k: W}
    out: {Z: "T[N]"}
    body: |
      d[n,k] = abs(padded(X[n + k - half], 1e30) - X[n])
      h[n] = max[k : n + k >= half and n + k - half < N](d[n,k])*1.0001 + 1e-12
      w[n,k] = select(d[n,k] < h[n], pow(1 - pow(d[n,k]/h[n], 3), 3), 0)
      u[n,k] = padded(X[n + k - half], 0) - X[n]
      a[n] = sum[k](w[n,k])
      b[n] = sum[k](w[n,k]*u[n,k])
      c[n] = sum[k](w[n,k]*u[n,k]*u[n,k])
      e[n] = sum[k](w[n,k]*padded(Y[n + k - half], 0))
      f[n] = sum[k](w[n,k]*u[n,k]*padded(Y[n + k - half], 0))
      Z[n] = select(abs(a[n]*c[n] - sq(b[n])) > 1e-12, (c[n]*e[n] - b[n]*f[n])/(a[n]*c[n] - sq(b[n])), e[n]/a[n])
''', r'''
ops:
  - op: grey_levels
    doc: the matrix of grey levels that neighbours have, and its contrast
    attrs: {dy: int = 0, dx: int = 1}
    in: {X: "u8[H, W]"}
    index: {g: 16, k: 16}
    out: {G: "i64[16, 16]", C: "f64[]"}
    body: |
      in[y,x] = 0 <= y + dy and y + dy < H and 0 <= x + dx and x + dx < W
      G[g,k] = 0
      G[X[y,x] % 16,padded(X[y + dy,x + dx], 0) % 16] += 1 where in[y,x]
      C[] = cast(sum[g,k](G[g,k]*sq(g - k)), f64)/max(cast(sum[g,k](G[g,k]), f64), 1)
''']


def cases(rng):
    for h, w, bpp in [(1, 1, 1), (5, 9, 3), (7, 17, 1), (0, 3, 2)]:
        f, y = rng.integers(0, 5, h).astype(np.uint8), rng.integers(0, 256, (h, w)).astype(np.uint8)
        x = np.zeros((h, w), np.uint8)
        for i in range(h):
            for j in range(w):
                a = int(y[i, j - bpp]) if j >= bpp else 0
                b = int(y[i - 1, j]) if i else 0
                c = int(y[i - 1, j - bpp]) if i and j >= bpp else 0
                p = a + b - c
                pa = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
                x[i, j] = (int(y[i, j]) - [0, a, b, (a + b)//2, pa][f[i]]) % 256
        yield dict(op='png_unfiltered', key='u8', inputs=[f, x], attrs={'bpp': bpp}, want=[y], tol=EXACT)
    for key in ('f32', 'f64'):
        t = np_dtype(key)
        for h, w in [(1, 1), (5, 9), (7, 16), (0, 3)]:
            x = (rng.integers(0, 65, (h, w))/64).astype(t)
            b, y = wide(x).copy(), np.zeros((h, w))
            for i in range(h):
                e = 0.
                row = range(w) if i % 2 == 0 else range(w - 1, -1, -1)
                for j in row:
                    v = b[i, j] + .5*e
                    y[i, j] = v > .5
                    e = v - y[i, j]
                    if i + 1 < h:
                        b[i + 1, j] += .5*e
            yield dict(op='serpentine_dither', key=key, inputs=[x], want=[y], dtypes=['u8'], tol=EXACT)
        for h, w, n in [(9, 9, 1), (17, 33, 5)]:
            x, p, a = rand(rng, (h, w), key), rng.integers(0, 9, (n, 2)).astype(np.int32), rand(rng, (n,), key)
            pr = rng.integers(-6, 7, (64, 4)).astype(np.int8)
            y = np.zeros(n, np.uint64)
            for i in range(n):
                c, s = np.cos(wide(a)[i]), np.sin(wide(a)[i])
                for b in range(64):
                    v = []
                    for e in range(2):
                        r = s*pr[b, 2*e + 1] + c*pr[b, 2*e], c*pr[b, 2*e + 1] - s*pr[b, 2*e]
                        v.append(x[np.clip(p[i, 0] + int(np.rint(r[0])), 0, h - 1), np.clip(p[i, 1] + int(np.rint(r[1])), 0, w - 1)])
                    if v[0] < v[1]:
                        y[i] |= np.uint64(1 << b)
            yield dict(op='brief_bits', key=key, inputs=[x, p, a, pr], want=[y], dtypes=['u64'], tol=EXACT)
        for m, n, out in [(1, 1, 1), (2, 17, 5), (3, 33, 33), (1, 40, 7)]:
            x, y = rand(rng, (m, n), key), np.zeros((m, out))
            for o in range(out):
                c = (o + .5)*n/out - .5
                k = np.floor(c) + np.arange(6*-(-n//out) + 1) - 3*-(-n//out)
                z = np.pi*(k - c)*out/n
                w = np.where((k < 0) | (k >= n) | (abs(z) >= 9.42477796076938), 0, np.sinc(z/np.pi)*np.sinc(z/3/np.pi))
                y[:, o] = sum(w[i]*wide(x)[:, int(k[i])] for i in range(len(k)) if 0 <= k[i] < n)/w.sum()
            yield dict(op='lanczos_resized', key=key, inputs=[x], attrs={'out': out}, want=[y], tol=tol(ulp=2, acc=64, mag=4.0, floor=1e-9))
        for h, w in [(1, 1), (5, 9), (9, 17), (0, 2)]:
            x, p, q = rand(rng, (h, w), key), np.zeros((h, w)), np.zeros((h, w))
            div = lambda p, q: p - np.pad(p, ((0, 0), (1, 0)))[:, :-1] + q - np.pad(q, ((1, 0), (0, 0)))[:-1]
            for _ in range(4):
                d = div(p, q) - wide(x)/.5
                g, k = np.zeros((h, w)), np.zeros((h, w))
                g[:, :-1], k[:-1] = np.diff(d, axis=1), np.diff(d, axis=0)
                n = 1 + .125*np.sqrt(g*g + k*k)
                p, q = (p + .125*g)/n, (q + .125*k)/n
            yield dict(op='total_variation', key=key, inputs=[x], want=[wide(x) - .5*div(p, q)], tol=tol(ulp=8, acc=256, mag=8.0))
        for h, w, c, a, b in [(1, 1, 1, 1, 1), (8, 12, 3, 2, 3), (9, 5, 2, 3, 2)]:
            x, m = rng.integers(-9, 9, (h, w, c)).astype(t), rng.integers(-9, 9, (a, b, c + 2)).astype(t)
            l, s, k = np.zeros((h, w), int), np.zeros((a*b, c + 2)), np.zeros(a*b)
            for y in range(h):
                for z in range(w):
                    f = np.array([y, z, *wide(x)[y, z]])
                    best = None
                    for i in range(3):
                        for j in range(3):
                            at = int(np.clip(y//4 + i - 1, 0, a - 1)), int(np.clip(z//4 + j - 1, 0, b - 1))
                            e = ((f - wide(m)[at])**2*np.array([.5, .5] + [1]*c)).sum()
                            if best is None or e < best[0]:
                                best = e, at[0]*b + at[1]
                    l[y, z] = best[1]
                    s[best[1]] += f
                    k[best[1]] += 1
            n = np.where(k[:, None] > 0, s/np.maximum(k, 1)[:, None], wide(m).reshape(a*b, -1)).reshape(m.shape)
            yield dict(op='superpixel_step', key=key, inputs=[x, m], want=[l, n], dtypes=['i64', key], tol=[EXACT, tol(ulp=2, acc=8)])
        for n, k, h, w in [(3, 1, 5, 5), (9, 5, 8, 17), (4, 0, 3, 3)]:
            v = (rng.integers(0, 32, (n, 3))/2 + .25).astype(t)
            f = np.array([rng.permutation(n)[:3] for _ in range(k)], np.int32).reshape(k, 3)
            d, at = np.full((h, w), np.inf), np.full((h, w), -1)
            for i in range(k):
                p = wide(v)[f[i]]
                r = (p[1, 0] - p[0, 0])*(p[2, 1] - p[0, 1]) - (p[1, 1] - p[0, 1])*(p[2, 0] - p[0, 0])
                if r == 0:
                    continue
                y, x = np.mgrid[:h, :w] + .5
                u = ((p[1, 0] - x)*(p[2, 1] - y) - (p[1, 1] - y)*(p[2, 0] - x))/r
                q = ((p[2, 0] - x)*(p[0, 1] - y) - (p[2, 1] - y)*(p[0, 0] - x))/r
                z = u*p[0, 2] + q*p[1, 2] + (1 - u - q)*p[2, 2]
                hit = (u >= 0) & (q >= 0) & (u + q <= 1) & (z < d)
                d[hit], at[hit] = z[hit], i
            yield dict(op='triangles_drawn', key=key, inputs=[v, f], attrs={'height': h, 'width': w}, want=[d, at], dtypes=[key, 'i32'], tol=[tol(ulp=2, acc=64, mag=32.0), EXACT])
        for n, k in [(1, 1), (17, 3), (33, 5)]:
            o, r, c, rad = rand(rng, (3,), key, -1, 1), rand(rng, (n, 3), key), rand(rng, (k, 3), key, 3, 5), rand(rng, (k,), key, .5, 1)
            r = (wide(r)/np.linalg.norm(wide(r), axis=1, keepdims=True)).astype(t)
            d = np.zeros(n)
            for _ in range(4):
                p = wide(o) + d[:, None]*wide(r)
                d = d + (np.linalg.norm(p[:, None] - wide(c), axis=2) - wide(rad)).min(1)
            yield dict(op='spheres_traced', key=key, inputs=[o, r, c, rad], attrs={'steps': 4}, want=[d], tol=tol(ulp=8, acc=512, mag=16.0 + np.abs(d)))
        for n, k in [(1, 3), (17, 5), (9, 1)]:
            p, v = (rng.integers(-8, 8, (n, 2)) + .25).astype(t), rng.integers(-9, 9, (k, 2)).astype(t)
            x, y = np.roll(wide(v), -1, 0).T
            with np.errstate(all='ignore'):
                c = ((wide(v)[:, 1] > p[:, 1:]) != (y > p[:, 1:])) & (p[:, :1] < (x - v[:, 0])*(p[:, 1:] - v[:, 1])/(y - v[:, 1]) + v[:, 0])
            yield dict(op='inside_polygon', key=key, inputs=[p, v], want=[c.sum(1) % 2 == 1, np.float64(.5*abs((v[:, 0]*y - x*v[:, 1]).sum()))], dtypes=['bool', key], tol=[EXACT, tol(ulp=2, acc=64, mag=99.0)])
        for n, d, c in [(1, 1, 1), (17, 3, 5), (33, 2, 7)]:
            x = rng.integers(-9, 9, (n, d)).astype(t)
            at, best = [0], ((wide(x) - wide(x)[0])**2).sum(1)
            for _ in range(c - 1):
                at.append(int(np.argmax(best)))
                best = np.minimum(best, ((wide(x) - wide(x)[at[-1]])**2).sum(1))
            yield dict(op='farthest_points', key=key, inputs=[x], attrs={'count': c}, want=[at], dtypes=['i64'], tol=EXACT)
        for n, m, d, k in [(1, 1, 1, 1), (17, 5, 2, 4), (33, 9, 3, 2)]:
            x, c = rng.integers(-3, 3, (n, d)).astype(t), rng.integers(-3, 3, (m, d)).astype(t)
            y, cnt = np.zeros((m, k), int), np.zeros(m, int)
            for i in range(m):
                at = np.flatnonzero(((wide(x) - wide(c)[i])**2).sum(1) < 2.5**2)[:k]
                cnt[i] = len(at)
                if len(at):
                    y[i] = at[0]
                    y[i, :len(at)] = at
            yield dict(op='ball_query', key=key, inputs=[x, c], attrs={'k': k, 'radius': 2.5}, want=[y, cnt], dtypes=['i32', 'i32'], tol=EXACT)
        for c, n, d, s in [(1, 1, 1, 1), (2, 4, 3, 17), (1, 7, 2, 5)]:
            p, u = rand(rng, (c, n, d), key), rand(rng, (s,), key, 0, 1)
            from math import comb
            w = np.array([[comb(n - 1, i)*x**i*(1 - x)**(n - 1 - i) for i in range(n)] for x in wide(u)])
            yield dict(op='bezier_points', key=key, inputs=[p, u], want=[np.einsum('si,cid->csd', w, wide(p))], tol=tol(ulp=4, acc=64, mag=4.0))
        from scipy.interpolate import BSpline
        for deg, m, s in [(0, 2, 3), (1, 5, 9), (3, 12, 17)]:
            k = np.sort(rng.integers(0, 64, m)).astype(t)
            x = rng.integers(0, 64, s).astype(t)
            def b(p, i, x):
                if p == 0:
                    return float(k[i] <= x < k[i + 1])
                u = (x - k[i])/(k[i + p] - k[i]) if k[i + p] > k[i] else 0
                v = (k[i + p + 1] - x)/(k[i + p + 1] - k[i + 1]) if k[i + p + 1] > k[i + 1] else 0
                return float(u*b(p - 1, i, x) + v*b(p - 1, i + 1, x))
            yield dict(op='spline_values', key=key, inputs=[k, x], attrs={'degree': deg}, want=[np.array([[b(deg, i, z) for i in range(m - deg - 1)] for z in x])], tol=tol(ulp=4, acc=64, mag=1.0))
        for m, n in [(1, 1), (9, 3), (17, 5)]:
            a, y = rand(rng, (m, n), key), rand(rng, (m,), key)
            w, r = np.zeros(n), wide(y).copy()
            for _ in range(3):
                for j in range(n):
                    q = (wide(a)[:, j]**2).sum()
                    c = wide(a)[:, j] @ r + q*w[j]
                    b2 = np.sign(c)*max(abs(c) - .5, 0)/q
                    r -= wide(a)[:, j]*(b2 - w[j])
                    w[j] = b2
            yield dict(op='lasso_sweeps', key=key, inputs=[a, y], want=[w], tol=tol(ulp=8, acc=512*m, mag=4.0))
        for n, f, k, m in [(1, 1, 1, 1), (9, 3, 2, 7), (17, 5, 5, 7)]:
            x, li, le = rand(rng, (n, f), key), rand(rng, (k, m), key), rng.integers(-9, 9, (k, m)).astype(t)
            fe = rng.integers(0, f, (k, m)).astype(np.int32)
            left, right = np.full((k, m), -1, np.int32), np.full((k, m), -1, np.int32)
            for i in range(min(m//2, 3)):
                left[:, i], right[:, i] = 2*i + 1, 2*i + 2
            y = np.zeros(n)
            for i in range(n):
                for j in range(k):
                    at = 0
                    for _ in range(3):
                        if left[j, at] >= 0:
                            at = left[j, at] if x[i, fe[j, at]] <= li[j, at] else right[j, at]
                    y[i] += le[j, at]
            yield dict(op='trees_walked', key=key, inputs=[x, fe, li, left, right, le], want=[y], tol=EXACT)
        for m in (1, 3, 9):
            a = np.where(rng.random((m, m)) < .4, rng.uniform(-.5, .5, (m, m)), 0) + 3*np.eye(m)
            a = a.astype(t)
            p, col, v = csr(a)
            d = wide(a).copy()
            for i in range(m):
                for j in range(i):
                    if d[i, j]:
                        d[i, j] /= d[j, j]
                        for c in range(j + 1, m):
                            if a[i, c]:
                                d[i, c] -= d[i, j]*d[j, c]
            yield dict(op='incomplete_lu', key=key, inputs=[p, col, v], want=[d], tol=tol(ulp=8, acc=64*m, mag=4.0))
        for s, c, k in [(1, 4, 3), (3, 4, 9), (2, 1, 5)]:
            wd = rng.integers(0, 4, s)
            st = np.concatenate([[0], np.cumsum(wd*c)])
            e = st[-1]
            col, v, x = rng.integers(-1, k, e).astype(np.int32), rng.integers(-9, 9, e).astype(t), rng.integers(-9, 9, k).astype(t)
            y = np.zeros(s*c)
            for i in range(s):
                for q in range(st[i], st[i + 1]):
                    if col[q] >= 0:
                        y[i*c + (q - st[i]) % c] += v[q]*wide(x)[col[q]]
            yield dict(op='sell_product', key=key, inputs=[st, col, v, x], attrs={'C': c}, want=[y], tol=EXACT)
        for m, n in [(1, 1), (5, 9), (9, 3)]:
            a, b2 = (np.where(rng.random((m, n)) < .4, rng.integers(1, 9, (m, n)), 0).astype(t) for _ in range(2))
            yield dict(op='sparse_rows_added', key=key, inputs=[*csr(a), *csr(b2)], attrs={'columns': n}, want=[a + b2, (a + b2 != 0).sum(1)], dtypes=[key, 'i32'], tol=EXACT)
        for n, c in [(1, 1), (9, 3), (17, 5), (0, 2)]:
            x = rand(rng, (n, c), key)
            m = np.sort(wide(x), axis=0).mean(1)
            y = np.zeros((n, c))
            for i in range(c):
                y[np.argsort(x[:, i], kind='stable'), i] = m
            yield dict(op='quantile_normalised', key=key, inputs=[x], want=[y], tol=tol(ulp=2, acc=4*c, mag=4.0))
    for h, w in [(1, 1), (7, 9), (17, 16)]:
        x = rng.choice([0, 10, 200], (h, w), p=[.7, .1, .2]).astype(np.uint8)
        dy, dx = [-3, -3, -2, -1, 0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3], [0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1]
        y = np.zeros((h, w), bool)
        for i in range(3, h - 3):
            for j in range(3, w - 3):
                d = np.array([int(x[i + dy[k], j + dx[k]]) - int(x[i, j]) for k in range(16)])
                d = np.concatenate([d, d])
                y[i, j] = any((d[k:k + 9] > 20).all() or (d[k:k + 9] < -20).all() for k in range(16))
        yield dict(op='fast_corners', key='u8', inputs=[x], want=[y], dtypes=['bool'], tol=EXACT)
    for h, w, c in [(1, 1, 0), (4, 6, 1), (16, 32, 0)]:
        s, r = rng.choice([-1, 1], (h, w)).astype(np.int8), rng.random((h, w)).astype(np.float32)
        p = np.exp(-np.arange(-4, 5)/2).astype(np.float32)
        sw = s.astype(int)
        n = np.roll(sw, 1, 0) + np.roll(sw, -1, 0) + np.roll(sw, 1, 1) + np.roll(sw, -1, 1)
        y = np.where((np.add.outer(np.arange(h), np.arange(w)) % 2 == c) & (r < p[sw*n + 4]), -sw, sw)
        yield dict(op='ising_sweep', key='i8', inputs=[s, r, p], attrs={'colour': c}, want=[y, -(y*(np.roll(y, -1, 0) + np.roll(y, -1, 1))).sum()], dtypes=['i8', 'i64'], tol=EXACT)
    for n in (1, 2, 9, 17):
        a = rng.random((n, n)) < .25
        a = a | a.T
        keep = np.ones(n, bool)
        for _ in range(n):
            keep &= (a & keep).sum(1) >= 2
        yield dict(op='cores', key='bool', inputs=[a], want=[keep], tol=EXACT)
    for key in ('f32', 'i32'):
        for n, d in [(0, 2), (1, 1), (9, 2), (33, 1)]:
            k, w = rng.integers(0, 2, (n, d)).astype(np.int32), rng.integers(-9, 9, n).astype(np_dtype(key))
            new = np.array([i == 0 or (k[i] != k[i - 1]).any() for i in range(n)], bool)
            at = np.cumsum(new) - 1
            s = np.zeros(new.sum())
            np.add.at(s, at, w)
            yield dict(op='unique_rows_merged', key=key, inputs=[k, w], room=[(n, d), (n,)], want=[k[new], s], dtypes=['i32', key], tol=EXACT)
    for n, sh in [(0, 0), (1, 0), (17, 8), (300, 24)]:
        x = rng.integers(0, 2**32, n, np.uint32)
        at = np.argsort(x >> np.uint32(sh) & 255, kind='stable')
        yield dict(op='radix_pass', key='u32', inputs=[x], attrs={'shift': sh}, want=[x[at], at], dtypes=['u32', 'i64'], tol=EXACT)
    for h, w in [(1, 1), (5, 9), (17, 16)]:
        x = rng.integers(0, 16, (h, w)).astype(np_dtype('u8'))
        g = np.zeros((16, 16), int)
        np.add.at(g, (x[:, :-1], x[:, 1:]), 1)
        c = (g*(np.add.outer(np.arange(16), -np.arange(16))**2)).sum()/max(g.sum(), 1)
        yield dict(op='grey_levels', key='u8', inputs=[x], want=[g, np.float64(c)], dtypes=['i64', 'f64'], tol=[EXACT, tol(ulp=2)])
    for n in (1, 2, 9, 33):
        x, y = np.sort(rng.uniform(0, 9, n)), rng.uniform(-2, 2, n)
        z = np.zeros(n)
        for i in range(n):
            k = np.arange(max(i - 2, 0), min(i + 3, n))
            d = abs(x[k] - x[i])
            h = d.max()*1.0001 + 1e-12
            w = np.where(d < h, (1 - (d/h)**3)**3, 0)
            u = x[k] - x[i]
            a, b, c, e, f = w.sum(), (w*u).sum(), (w*u*u).sum(), (w*y[k]).sum(), (w*u*y[k]).sum()
            z[i] = (c*e - b*f)/(a*c - b*b) if abs(a*c - b*b) > 1e-12 else e/a
        yield dict(op='loess_weighted', key='f64', inputs=[x, y], want=[z], tol=tol(ulp=64, acc=1e6, mag=16.0))


def csr(a):
    p, c, v = [0], [], []
    for row in a:
        at = np.flatnonzero(row)
        c += list(at)
        v += list(row[at])
        p.append(len(c))
    return np.array(p, np.int32), np.array(c, np.int32), np.array(v, a.dtype)
