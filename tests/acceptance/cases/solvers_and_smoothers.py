"""Dynamic programs, solvers, filters and codes whose statements need each other in several ways."""
import numpy as np
from casekit import EXACT, np_dtype, rand, tol, wide

OPS = [r'''
ops:
  - op: pattern_found
    doc: whether a text matches a pattern of letters, '.' and '*' as a whole
    in: {P: "u8[M]", X: "u8[N]"}
    let: {A: M + 1, B: N + 1}
    index: {i: A, j: B}
    out: {Y: "bool[]"}
    body: |
      star[i] = i < M and padded(P[i + 1], 0) == 42
      e[i,j] = j < N and i < M and (padded(P[i], 0) == 46 or padded(P[i], 0) == padded(X[j], 1))
      d[i,j] = select(i == M, j == N, select(star[i], padded(d[i + 2,j], false) or e[i,j] and padded(d[i,j + 1], false), e[i,j] and padded(d[i + 1,j + 1], false)))
      Y[] = d[0,0]
''', r'''
ops:
  - op: burst_gain
    doc: the most that bursting all balloons can bring, the last of each span chosen first
    in: {X: "i64[N]"}
    let: {A: N + 2}
    index: {i: A, j: A, k: A}
    out: {Y: "i64[]"}
    body: |
      v[i] = padded(X[i - 1], 1)
      d[i,j] = select(j <= i + 1, 0, max[k : i < k and k < j](d[i,k] + v[i]*v[k]*v[j] + d[k,j]))
      Y[] = d[0,A - 1]
''', r'''
ops:
  - op: interleaves
    doc: whether one text is the other two shuffled into each other
    types: {I: index}
    in: {A: "I[N]", B: "I[M]", C: "I[L]"}
    require: [L == N + M]
    let: {P: N + 1, Q: M + 1}
    index: {i: P, j: Q}
    out: {Y: "bool[]"}
    body: |
      d[i,j] = (i == 0 and j == 0) or (padded(d[i - 1,j], false) and padded(A[i - 1], -1) == padded(C[i + j - 1], -2)) or (padded(d[i,j - 1], false) and padded(B[j - 1], -1) == padded(C[i + j - 1], -2))
      Y[] = d[N,M]
''', r'''
ops:
  - op: egg_drops
    doc: the fewest trials that find the floor, by the table of what so many trials and eggs can tell apart
    attrs: {eggs: int = 2, floors: int = 100}
    require: [eggs >= 1, floors >= 0]
    let: {F: floors + 1, E: eggs + 1}
    index: {t: F, e: E}
    out: {Y: "i64[]"}
    body: |
      d[t,e] = padded(d[t - 1,e - 1], 0) + padded(d[t - 1,e], 0) + select(t == 0 or e == 0, 0, 1)
      c[t,e] = select(e == 0, 0, d[t,e])
      Y[] = sum[t](c[t,eggs] < floors)
''', r'''
ops:
  - op: rectangle_in_histogram
    doc: the largest rectangle below a row of heights, its bounds found by the nearest smaller on each side
    in: {X: "i64[N]"}
    out: {Y: "i64[]"}
    body: |
      l[n] = max[k : k < n and X[k] < X[n]](k + 1)
      r[n] = min[k : k > n and X[k] < X[n]](k)
      Y[] = max(max[n](X[n]*(min(r[n], N) - max(l[n], 0))), 0)
''', r'''
ops:
  - op: assignment_by_masks
    doc: the cheapest way to give each of N workers one of N tasks, over subsets of the tasks
    types: {T: [f32, f64, i32]}
    in: {C: "T[N, N]"}
    require: [N >= 1, N <= 12]
    let: {S: "shl(1, N)"}
    index: {s: S, k: N}
    out: {Y: "T[]"}
    body: |
      d[s] = select(s == 0, 0, min[k : bit_and(shr(s, k), 1) == 1](padded(d[s - shl(1, k)], 0) + C[clamp(popcount(s) - 1, 0, N - 1),k]))
      Y[] = d[S - 1]
''', r'''
ops:
  - op: word_errors
    doc: substitutions, deletions and insertions of the best alignment of two texts
    types: {I: index}
    in: {A: "I[N]", B: "I[M]"}
    let: {P: N + 1, Q: M + 1}
    index: {i: P, j: Q}
    out: {S: "i32[]", D: "i32[]", J: "i32[]"}
    body: |
      c[i,j] = select(padded(A[i - 1], 0) == padded(B[j - 1], 0), 0, 1)
      w[i,j] = select(i == 0, 2, select(j == 0, 1, select(padded(d[i - 1,j - 1], 0) + c[i,j] <= min(padded(d[i - 1,j], 0), padded(d[i,j - 1], 0)) + 1, 0, select(padded(d[i - 1,j], 0) <= padded(d[i,j - 1], 0), 1, 2))))
      d[i,j] = select(i == 0, cast(j, i32), select(j == 0, i, select(w[i,j] == 0, padded(d[i - 1,j - 1], 0) + c[i,j], select(w[i,j] == 1, padded(d[i - 1,j], 0) + 1, padded(d[i,j - 1], 0) + 1))))
      s[i,j] = select(i == 0 or j == 0, 0, select(w[i,j] == 0, padded(s[i - 1,j - 1], 0) + c[i,j], select(w[i,j] == 1, padded(s[i - 1,j], 0), padded(s[i,j - 1], 0))))
      e[i,j] = select(i == 0, 0, select(j == 0, i, select(w[i,j] == 0, padded(e[i - 1,j - 1], 0), select(w[i,j] == 1, padded(e[i - 1,j], 0) + 1, padded(e[i,j - 1], 0)))))
      S[] = s[N,M]
      D[] = e[N,M]
      J[] = d[N,M] - s[N,M] - e[N,M]
''', r'''
ops:
  - op: smoother
    doc: the backward pass of Rauch, Tung and Striebel behind a scalar Kalman filter
    types: {T: [f32, f64]}
    attrs: {a: float = 0.9, q: float = 0.1, r: float = 0.5}
    in: {Y: "T[B, L]"}
    out: {X: "T[B, L]", P: "T[B, L]"}
    body: |
      u[b,t] = a*padded(x[b,t - 1], 0)
      v[b,t] = a*a*padded(p[b,t - 1], 1) + q
      k[b,t] = v[b,t]/(v[b,t] + r)
      x[b,t] = u[b,t] + k[b,t]*(Y[b,t] - u[b,t])
      p[b,t] = (1 - k[b,t])*v[b,t]
      g[b,t] = p[b,t]*a/(a*a*p[b,t] + q)
      X[b,t] = x[b,t] + select(t == L - 1, 0, g[b,t]*(padded(X[b,t + 1], 0) - a*x[b,t]))
      P[b,t] = p[b,t] + select(t == L - 1, 0, sq(g[b,t])*(padded(P[b,t + 1], 0) - a*a*p[b,t] - q))
''', r'''
ops:
  - op: givens_hessenberg
    doc: the triangle of a Hessenberg matrix and the right-hand side turned with it, as in GMRES
    types: {T: [f32, f64]}
    in: {H: "T[M, N]", B: "T[M]"}
    require: [M == N + 1, N >= 1]
    index: {k: N, i: M, j: N}
    out: {X: "T[N]"}
    body: |
      a[k,i,j] = select(k == 0, H[i,j], padded(n[k - 1,i,j], 0))
      b[k,i] = select(k == 0, B[i], padded(e[k - 1,i], 0))
      r[k] = sqrt(sq(a[k,k,k]) + sq(a[k,k + 1,k]))
      c[k] = a[k,k,k]/r[k]
      s[k] = a[k,k + 1,k]/r[k]
      n[k,i,j] = select(i == k, c[k]*a[k,k,j] + s[k]*a[k,k + 1,j], select(i == k + 1, c[k]*a[k,k + 1,j] - s[k]*a[k,k,j], a[k,i,j]))
      e[k,i] = select(i == k, c[k]*b[k,k] + s[k]*b[k,k + 1], select(i == k + 1, c[k]*b[k,k + 1] - s[k]*b[k,k], b[k,i]))
      X[j] = (e[N - 1,j] - sum[l : l > j](n[N - 1,j,l]*X[l]))/n[N - 1,j,j]
''', r'''
ops:
  - op: cyclic_reduction
    doc: a tridiagonal system whose neighbours are eliminated at doubling distances
    types: {T: [f32, f64]}
    attrs: {steps: int = 6}
    in: {A: "T[N]", B: "T[N]", C: "T[N]", D: "T[N]"}
    require: [steps >= 1]
    index: {k: steps, i: N}
    out: {X: "T[N]"}
    body: |
      a[k,i] = select(k == 0, select(i == 0, 0, A[i]), padded(p[k - 1,i], 0))
      b[k,i] = select(k == 0, B[i], padded(q[k - 1,i], 1))
      c[k,i] = select(k == 0, select(i == N - 1, 0, C[i]), padded(r[k - 1,i], 0))
      d[k,i] = select(k == 0, D[i], padded(s[k - 1,i], 0))
      u[k,i] = -a[k,i]/padded(b[k,i - shl(1, k)], 1)
      v[k,i] = -c[k,i]/padded(b[k,i + shl(1, k)], 1)
      p[k,i] = u[k,i]*padded(a[k,i - shl(1, k)], 0)
      q[k,i] = b[k,i] + u[k,i]*padded(c[k,i - shl(1, k)], 0) + v[k,i]*padded(a[k,i + shl(1, k)], 0)
      r[k,i] = v[k,i]*padded(c[k,i + shl(1, k)], 0)
      s[k,i] = d[k,i] + u[k,i]*padded(d[k,i - shl(1, k)], 0) + v[k,i]*padded(d[k,i + shl(1, k)], 0)
      X[i] = s[steps - 1,i]/q[steps - 1,i]
''', r'''
ops:
  - op: rank_one_update
    doc: a Cholesky factor of a matrix to which a vector times itself is added
    types: {T: [f32, f64]}
    in: {L: "T[N, N]", V: "T[N]"}
    require: [N >= 1]
    index: {k: N, i: N}
    out: {Y: "T[N, N]"}
    body: |
      x[k,i] = select(k == 0, V[i], padded(n[k - 1,i], 0))
      r[k] = sqrt(sq(L[k,k]) + sq(x[k,k]))
      c[k] = r[k]/L[k,k]
      s[k] = x[k,k]/L[k,k]
      y[k,i] = select(i < k, 0, select(i == k, r[k], (L[i,k] + s[k]*x[k,i])/c[k]))
      n[k,i] = select(i <= k, x[k,i], c[k]*x[k,i] - s[k]*y[k,i])
      Y[i,k] = y[k,i]
''', r'''
ops:
  - op: one_sided_jacobi
    doc: singular values by turning pairs of columns until they are orthogonal, each sweep in the order of the pairs
    types: {T: [f64]}
    attrs: {sweeps: int = 6}
    in: {A: "T[M, N]"}
    require: [N >= 2, sweeps >= 1]
    let: {Q: N*N, S: sweeps*N*N}
    index: {k: S, j: N, i: M}
    out: {W: "T[N]"}
    body: |
      p[k] = k % Q//N
      q[k] = k % Q % N
      g[k] = sum[i](padded(u[k - 1,i,p[k]], A[i,p[k]])*padded(u[k - 1,i,q[k]], A[i,q[k]]))
      a[k] = sum[i](sq(padded(u[k - 1,i,p[k]], A[i,p[k]])))
      b[k] = sum[i](sq(padded(u[k - 1,i,q[k]], A[i,q[k]])))
      z[k] = (b[k] - a[k])/(2*g[k])
      t[k] = select(p[k] < q[k] and g[k] != 0, copysign(1, z[k])/(abs(z[k]) + sqrt(1 + sq(z[k]))), 0)
      c[k] = rsqrt(1 + sq(t[k]))
      u[k,i,j] = select(j == p[k], c[k]*padded(u[k - 1,i,p[k]], A[i,p[k]]) - c[k]*t[k]*padded(u[k - 1,i,q[k]], A[i,q[k]]), select(j == q[k], c[k]*t[k]*padded(u[k - 1,i,p[k]], A[i,p[k]]) + c[k]*padded(u[k - 1,i,q[k]], A[i,q[k]]), padded(u[k - 1,i,j], A[i,j])))
      W[j] = sqrt(sum[i](sq(u[S - 1,i,j])))
''', r'''
ops:
  - op: sturm_bisection
    doc: eigenvalues of a tridiagonal matrix by bisection with Sturm's sequences
    types: {T: [f64]}
    attrs: {steps: int = 40, low: float = -10, high: float = 10}
    in: {D: "T[N]", E: "T[N]"}
    require: [N >= 1, steps >= 1]
    index: {s: steps, k: N, i: N}
    out: {W: "T[N]"}
    body: |
      lo[s,k] = select(s == 0, cast(low, T), padded(l[s - 1,k], 0))
      hi[s,k] = select(s == 0, cast(high, T), padded(h[s - 1,k], 0))
      x[s,k] = 0.5*(lo[s,k] + hi[s,k])
      r[s,k,i] = D[i] - x[s,k] - select(i == 0, 0, sq(padded(E[i - 1], 0))/padded(r[s,k,i - 1], 1))
      n[s,k] = sum[i](r[s,k,i] < 0)
      l[s,k] = select(n[s,k] > k, lo[s,k], x[s,k])
      h[s,k] = select(n[s,k] > k, x[s,k], hi[s,k])
      W[k] = 0.5*(l[steps - 1,k] + h[steps - 1,k])
    grad: none  # comparisons decide all bits of the result
''', r'''
ops:
  - op: sylvester
    doc: A·X + X·B = C for lower triangular A and upper triangular B
    types: {T: [f32, f64]}
    in: {A: "T[M, M]", B: "T[N, N]", C: "T[M, N]"}
    out: {X: "T[M, N]"}
    body: |
      X[i,j] = (C[i,j] - sum[k : k < i](A[i,k]*X[k,j]) - sum[l : l < j](X[i,l]*B[l,j]))/(A[i,i] + B[j,j])
''', r'''
ops:
  - op: overrelaxed
    doc: sweeps of SOR in natural order for a Poisson equation
    types: {T: [f32, f64]}
    attrs: {sweeps: int = 3, w: float = 1.5}
    in: {F: "T[H, V]"}
    require: [sweeps >= 1]
    index: {t: sweeps}
    out: {U: "T[H, V]"}
    body: |
      u[t,y,x] = (1 - w)*padded(u[t - 1,y,x], 0) + 0.25*w*(F[y,x] + padded(u[t,y - 1,x], 0) + padded(u[t,y,x - 1], 0) + padded(u[t - 1,y + 1,x], 0) + padded(u[t - 1,y,x + 1], 0))
      U[y,x] = u[sweeps - 1,y,x]
''', r'''
ops:
  - op: two_grids
    doc: a step of multigrid in one dim - smooth, restrict, solve coarse by sweeps, correct
    types: {T: [f32, f64]}
    attrs: {sweeps: int = 3}
    in: {F: "T[N]"}
    require: [sweeps >= 1, N >= 3]
    let: {C: (N - 1)//2}
    index: {t: sweeps, c: C}
    out: {U: "T[N]"}
    body: |
      u[t,i] = padded(u[t - 1,i], 0)/3 + (F[i] + padded(u[t - 1,i - 1], 0) + padded(u[t - 1,i + 1], 0))/3
      v[i] = u[sweeps - 1,i]
      r[i] = F[i] - 2*v[i] + padded(v[i - 1], 0) + padded(v[i + 1], 0)
      g[c] = r[2*c] + 2*r[2*c + 1] + r[2*c + 2]
      e[t,c] = padded(e[t - 1,c], 0)/3 + (g[c] + padded(e[t - 1,c - 1], 0) + padded(e[t - 1,c + 1], 0))/3
      U[i] = v[i] + select(i % 2 == 1, padded(e[sweeps - 1,i//2], 0), 0.5*padded(e[sweeps - 1,i//2], 0) + 0.5*padded(e[sweeps - 1,i//2 - 1], 0))
''', r'''
ops:
  - op: recursive_least_squares
    doc: an adaptive filter that keeps the inverse correlation of its input
    types: {T: [f64]}
    attrs: {forget: float = 0.98}
    in: {X: "T[L, K]", D: "T[L]"}
    require: [L >= 1]
    out: {E: "T[L]", W: "T[K]"}
    body: |
      g[t,i] = sum[j](padded(p[t - 1,i,j], select(i == j, 100, 0))*X[t,j])
      z[t] = forget + sum[i](X[t,i]*g[t,i])
      E[t] = D[t] - sum[i](padded(w[t - 1,i], 0)*X[t,i])
      w[t,i] = padded(w[t - 1,i], 0) + g[t,i]*E[t]/z[t]
      p[t,i,j] = (padded(p[t - 1,i,j], select(i == j, 100, 0)) - g[t,i]*g[t,j]/z[t])/forget
      W[i] = w[L - 1,i]
''', r'''
ops:
  - op: moog_ladder
    doc: four poles with a saturating feedback, as many voices as rows
    types: {T: [f32, f64]}
    attrs: {k: float = 2}
    in: {X: "T[V, L]", G: "T[V]"}
    out: {Y: "T[V, L]"}
    body: |
      u[v,t] = tanh(X[v,t] - k*padded(Y[v,t - 1], 0))
      a[v,t] = padded(a[v,t - 1], 0) + G[v]*(u[v,t] - padded(a[v,t - 1], 0))
      b[v,t] = padded(b[v,t - 1], 0) + G[v]*(a[v,t] - padded(b[v,t - 1], 0))
      c[v,t] = padded(c[v,t - 1], 0) + G[v]*(b[v,t] - padded(c[v,t - 1], 0))
      Y[v,t] = padded(Y[v,t - 1], 0) + G[v]*(c[v,t] - padded(Y[v,t - 1], 0))
''', r'''
ops:
  - op: wavetable
    doc: an oscillator that reads a table between its entries, its phase summed from frequencies
    types: {T: [f32, f64]}
    in: {W: "T[N]", F: "T[L]"}
    require: [N >= 1]
    out: {Y: "T[L]"}
    body: |
      p[t] = (padded(p[t - 1], 0) + F[t]) % 1
      k[t] = cast(floor(p[t]*N), i64)
      r[t] = p[t]*N - floor(p[t]*N)
      Y[t] = (1 - r[t])*W[k[t] % N] + r[t]*W[(k[t] + 1) % N]
''', r'''
ops:
  - op: mdct
    doc: blocks of 2M samples that overlap by half, windowed and turned into M numbers
    types: {T: [f32, f64]}
    attrs: {M: int}
    in: {X: "T[N]"}
    require: [M >= 1, N >= 2*M]
    let: {F: N//M - 1, W: 2*M}
    index: {n: W, f: F, k: M}
    out: {Y: "T[F, M]"}
    body: |
      w[n] = sin(3.141592653589793*(cast(n, T) + 0.5)/W)
      c[n,k] = cos(3.141592653589793/M*(n + 0.5 + 0.5*M)*(k + 0.5))
      Y[f,k] = sum[n](X[f*M + n]*w[n]*c[n,k])
''', r'''
ops:
  - op: phase_locked
    doc: a loop that follows the phase of a carrier
    types: {T: [f64]}
    attrs: {kp: float = 0.2, ki: float = 0.02}
    in: {X: "complex(T)[L]"}
    out: {Y: "complex(T)[L]", F: "T[L]"}
    body: |
      Y[t] = X[t]*complex(cos(padded(p[t - 1], 0)), -sin(padded(p[t - 1], 0)))
      e[t] = arg(Y[t])
      F[t] = padded(F[t - 1], 0) + ki*e[t]
      p[t] = padded(p[t - 1], 0) + F[t] + kp*e[t]
''', r'''
ops:
  - op: adsr
    doc: an envelope whose stage follows a gate
    types: {T: [f32, f64]}
    attrs: {attack: float = 0.25, decay: float = 0.125, sustain: float = 0.5, release: float = 0.0625}
    in: {Gate: "bool[V, L]"}
    out: {Y: "T[V, L]"}
    body: |
      s[v,t] = select(not Gate[v,t], 0, select(padded(s[v,t - 1], 0) == 2 or padded(s[v,t - 1], 0) == 1 and padded(Y[v,t - 1], 0) >= 1, 2, 1))
      Y[v,t] = select(s[v,t] == 1, min(padded(Y[v,t - 1], 0) + attack, 1), select(s[v,t] == 2, max(padded(Y[v,t - 1], 0) - decay, sustain), max(padded(Y[v,t - 1], 0) - release, 0)))
''', r'''
ops:
  - op: poly1305_blocks
    doc: the accumulator of Poly1305 in five limbs of 26 bits, block by block
    in: {M: "u64[N, 5]", R: "u64[5]"}
    require: [N >= 1]
    index: {j: 5, i: 5}
    out: {H: "u64[5]"}
    body: |
      a[n,i] = padded(h[n - 1,i], 0) + M[n,i]
      d[n,i] = sum[j](a[n,j]*select(j <= i, R[clamp(i - j, 0, 4)], 5*R[clamp(i - j + 5, 0, 4)]))
      c0[n,i] = d[n,i] + shr(padded(c0[n,i - 1], 0), 26)
      e0[n] = bit_and(c0[n,0], 0x3ffffff) + 5*shr(c0[n,4], 26)
      h[n,i] = select(i == 0, bit_and(e0[n], 0x3ffffff), select(i == 1, bit_and(c0[n,1], 0x3ffffff) + shr(e0[n], 26), bit_and(c0[n,i], 0x3ffffff)))
      H[i] = h[N - 1,i]
''', r'''
ops:
  - op: mersenne_twist
    doc: the next 624 words of MT19937 and what it gives for them
    in: {S: "u32[624]"}
    out: {N: "u32[624]", Y: "u32[624]"}
    body: |
      y[k] = bit_or(bit_and(S[k], 0x80000000), bit_and(select(k == 623, padded(N[k - 623], 0), S[(k + 1) % 624]), 0x7fffffff))
      m[k] = select(k < 227, S[(k + 397) % 624], padded(N[k - 227], 0))
      N[k] = bit_xor(bit_xor(m[k], shr(y[k], 1)), select(bit_and(y[k], 1) == 1, cast(0x9908b0df, u32), cast(0, u32)))
      a[k] = bit_xor(N[k], shr(N[k], 11))
      b[k] = bit_xor(a[k], bit_and(shl(a[k], 7), 0x9d2c5680))
      c[k] = bit_xor(b[k], bit_and(shl(b[k], 15), 0xefc60000))
      Y[k] = bit_xor(c[k], shr(c[k], 18))
''', r'''
ops:
  - op: sobol_points
    doc: points of a sequence whose direction numbers are given, in Gray code order
    in: {V: "u32[D, 32]"}
    attrs: {count: int}
    require: [count >= 0]
    let: {N: count}
    index: {n: N}
    out: {Y: "f64[N, D]"}
    body: |
      x[n,d] = select(n == 0, cast(0, u32), bit_xor(padded(x[n - 1,d], 0), V[d,clamp(popcount(bit_xor(n, n - 1)) - 1, 0, 31)]))
      Y[n,d] = cast(x[n,d], f64)/4294967296
''', r'''
ops:
  - op: decimal_sum
    doc: two numbers in decimal digits, the last digit first, and the carry out
    in: {A: "u8[B, N]", B: "u8[B, N]"}
    out: {S: "u8[B, N]", C: "u8[B]"}
    body: |
      d[b,n] = A[b,n] + B[b,n] + padded(c[b,n - 1], 0)
      c[b,n] = select(d[b,n] > 9, cast(1, u8), cast(0, u8))
      S[b,n] = d[b,n] - 10*c[b,n]
      C[b] = sum[n : n == N - 1](c[b,n])
''']


def cases(rng):
    import functools
    import re
    for p, x in [(b'', b''), (b'a', b'a'), (b'a*', b'aaa'), (b'c*a*b', b'aab'), (b'mis*is*p*.', b'mississippi'), (b'.*', b'xyz'), (b'a.c', b'abc'), (b'a.', b'a')]:
        yield dict(op='pattern_found', key='u8', inputs=[np.frombuffer(p, np.uint8).copy(), np.frombuffer(x, np.uint8).copy()], want=[np.array(re.fullmatch(p, x) is not None)], dtypes=['bool'], tol=EXACT)
    for n in (0, 1, 2, 5, 9):
        x = rng.integers(1, 9, n)
        v = [1, *x.tolist(), 1]

        @functools.lru_cache(None)
        def best(i, j):
            return max((best(i, k) + v[i]*v[k]*v[j] + best(k, j) for k in range(i + 1, j)), default=0)
        yield dict(op='burst_gain', key='i64', inputs=[x], want=[np.int64(best(0, n + 1))], tol=EXACT)
    for key, t in (('i32', np.int32), ('i64', np.int64)):
        for n, m in [(0, 0), (1, 0), (3, 4), (9, 17)]:
            a, b = rng.integers(0, 2, n).astype(t), rng.integers(0, 2, m).astype(t)
            for turn in range(2):
                c, i, j = [], 0, 0
                while i < n or j < m:
                    if j == m or i < n and rng.random() < .5:
                        c.append(a[i]); i += 1
                    else:
                        c.append(b[j]); j += 1
                c = np.array(c, t)
                if turn and n + m:
                    c[-1] = 1 - c[-1]
                d = np.zeros((n + 1, m + 1), bool)
                for i in range(n + 1):
                    for j in range(m + 1):
                        d[i, j] = i + j == 0 or i > 0 and d[i - 1, j] and a[i - 1] == c[i + j - 1] or j > 0 and d[i, j - 1] and b[j - 1] == c[i + j - 1]
                yield dict(op='interleaves', key=key, inputs=[a, b, c], want=[np.array(d[n, m])], dtypes=['bool'], tol=EXACT)
            d = [[(0, 0, 0)]*(m + 1) for _ in range(n + 1)]
            dist = np.add.outer(np.arange(n + 1), np.arange(m + 1))
            a, b = rng.integers(0, 3, n).astype(t), rng.integers(0, 3, m).astype(t)
            for i in range(n + 1):
                for j in range(m + 1):
                    if i == 0 or j == 0:
                        d[i][j] = (0, i, j)
                        continue
                    c = int(a[i - 1] != b[j - 1])
                    if dist[i - 1, j - 1] + c <= min(dist[i - 1, j], dist[i, j - 1]) + 1:
                        s = d[i - 1][j - 1]; d[i][j] = (s[0] + c, s[1], s[2]); dist[i, j] = dist[i - 1, j - 1] + c
                    elif dist[i - 1, j] <= dist[i, j - 1]:
                        s = d[i - 1][j]; d[i][j] = (s[0], s[1] + 1, s[2]); dist[i, j] = dist[i - 1, j] + 1
                    else:
                        s = d[i][j - 1]; d[i][j] = (s[0], s[1], s[2] + 1); dist[i, j] = dist[i, j - 1] + 1
            yield dict(op='word_errors', key=key, inputs=[a, b], want=[np.int64(v) for v in d[n][m]], dtypes=['i32']*3, tol=EXACT)
    for eggs, floors in [(1, 0), (1, 10), (2, 100), (3, 17), (4, 1)]:
        t, d = 0, [0]*(eggs + 1)
        while d[eggs] < floors:
            t += 1
            for e in range(eggs, 0, -1):
                d[e] += d[e - 1] + 1
        yield dict(op='egg_drops', key='i64', inputs=[], attrs={'eggs': eggs, 'floors': floors}, want=[np.int64(t)], dtypes=['i64'], tol=EXACT)
    for n in (0, 1, 2, 9, 33):
        x = rng.integers(0, 9, n)
        y = max((min(x[i:j + 1])*(j - i + 1) for i in range(n) for j in range(i, n)), default=0)
        yield dict(op='rectangle_in_histogram', key='i64', inputs=[x], want=[np.int64(y)], tol=EXACT)
    from scipy.optimize import linear_sum_assignment
    for key in ('f32', 'f64', 'i32'):
        for n in (1, 2, 5, 8):
            c = rng.integers(-9, 9, (n, n)).astype(np_dtype(key))
            i, j = linear_sum_assignment(wide(c))
            yield dict(op='assignment_by_masks', key=key, inputs=[c], want=[wide(c)[i, j].sum()], tol=EXACT)
    for key in ('f32', 'f64'):
        for b, l in [(1, 1), (2, 9), (17, 33), (0, 3), (2, 0)]:
            y = rand(rng, (b, l), key)
            x, p = np.zeros((b, l)), np.zeros((b, l))
            for i in range(b):
                m, v = 0., 1.
                for t in range(l):
                    m, v = .9*m, .81*v + .1
                    k = v/(v + .5)
                    m, v = m + k*(wide(y)[i, t] - m), (1 - k)*v
                    x[i, t], p[i, t] = m, v
            X, P = x.copy(), p.copy()
            for t in range(l - 2, -1, -1):
                g = p[:, t]*.9/(.81*p[:, t] + .1)
                X[:, t] = x[:, t] + g*(X[:, t + 1] - .9*x[:, t])
                P[:, t] = p[:, t] + g*g*(P[:, t + 1] - .81*p[:, t] - .1)
            yield dict(op='smoother', key=key, inputs=[y], want=[X, P], tol=tol(ulp=8, acc=256, mag=4.0))
        for n in (1, 2, 5, 17):
            h, b = np.triu(rand(rng, (n + 1, n), 'f64', -.3, .3), -1), rand(rng, (n + 1,), key)
            h[np.arange(n), np.arange(n)] += 2
            h = h.astype(np_dtype(key))
            yield dict(op='givens_hessenberg', key=key, inputs=[h, b], want=[np.linalg.lstsq(wide(h), wide(b), rcond=None)[0]], tol=tol(ulp=8, acc=256*n, mag=4.0))
        for n in (1, 2, 5, 17, 33, 64):
            a, c, d = rand(rng, (n,), key, -.5, .5), rand(rng, (n,), key, -.5, .5), rand(rng, (n,), key)
            b = np.full(n, 2, np_dtype(key))
            full = np.diag(wide(b)) + np.diag(wide(a)[1:], -1) + np.diag(wide(c)[:-1], 1)
            yield dict(op='cyclic_reduction', key=key, inputs=[a, b, c, d], want=[np.linalg.solve(full, wide(d))], tol=tol(ulp=8, acc=64, mag=2.0))
        for n in (1, 2, 9, 17):
            a, v = rand(rng, (n, n), 'f64', -.3, .3), rand(rng, (n,), key)
            l = (np.tril(a, -1) + 2*np.eye(n)).astype(np_dtype(key))
            yield dict(op='rank_one_update', key=key, inputs=[l, v], want=[np.linalg.cholesky(wide(l) @ wide(l).T + np.outer(wide(v), wide(v)))], tol=tol(ulp=8, acc=256*n, mag=4.0))
        for m, n in [(1, 1), (5, 3), (17, 9), (0, 3)]:
            a, b, c = rand(rng, (m, m), key, -.3, .3), rand(rng, (n, n), key, -.3, .3), rand(rng, (m, n), key)
            a[np.arange(m), np.arange(m)] = 2
            b[np.arange(n), np.arange(n)] = 2
            from scipy.linalg import solve_sylvester
            w = solve_sylvester(np.tril(wide(a)), np.triu(wide(b)), wide(c)) if m else np.zeros((0, n))
            yield dict(op='sylvester', key=key, inputs=[a, b, c], want=[w], tol=tol(ulp=8, acc=64*(m + n), mag=4.0))
        for h, v in [(1, 1), (5, 3), (9, 17), (0, 3)]:
            f, u = rand(rng, (h, v), key), np.zeros((h + 2, v + 2))
            for _ in range(3):
                for y in range(1, h + 1):
                    for x in range(1, v + 1):
                        u[y, x] = -.5*u[y, x] + .375*(wide(f)[y - 1, x - 1] + u[y - 1, x] + u[y, x - 1] + u[y + 1, x] + u[y, x + 1])
            yield dict(op='overrelaxed', key=key, inputs=[f], want=[u[1:-1, 1:-1]], tol=tol(ulp=8, acc=256, mag=8.0))
        for n in (3, 4, 9, 17, 33):
            f = rand(rng, (n,), key)
            A = lambda u: 2*u - np.pad(u, 1)[:-2] - np.pad(u, 1)[2:]

            def sweep(g):
                u = np.zeros(len(g))
                for _ in range(3):
                    p = np.pad(u, 1)
                    u = u/3 + (g + p[:-2] + p[2:])/3
                return u
            v = sweep(wide(f))
            r = wide(f) - A(v)
            c = (n - 1)//2
            e = sweep(np.array([r[2*i] + 2*r[2*i + 1] + r[2*i + 2] for i in range(c)]))
            at = lambda i: e[i] if 0 <= i < c else 0.
            y = [v[i] + (at(i//2) if i % 2 else .5*at(i//2) + .5*at(i//2 - 1)) for i in range(n)]
            yield dict(op='two_grids', key=key, inputs=[f], want=[y], tol=tol(ulp=8, acc=256, mag=8.0))
        for v, l in [(1, 1), (3, 17), (17, 9), (2, 0)]:
            x, g = rand(rng, (v, l), key), rand(rng, (v,), key, .1, .9)
            s, y = np.zeros((4, v)), np.zeros((v, l))
            for t in range(l):
                p = np.tanh(wide(x)[:, t] - 2*s[3])
                for k in range(4):
                    s[k] += wide(g)*(p - s[k])
                    p = s[k]
                y[:, t] = s[3]
            yield dict(op='moog_ladder', key=key, inputs=[x, g], want=[y], tol=tol(ulp=8, acc=256, mag=4.0))
        for n, l in [(1, 1), (8, 17), (5, 33)]:
            w, f = rand(rng, (n,), key), (rng.integers(0, 64, l)/128).astype(np_dtype(key))
            p = np.cumsum(wide(f)) % 1
            k = np.floor(p*n).astype(int)
            r = p*n - k
            yield dict(op='wavetable', key=key, inputs=[w, f], want=[(1 - r)*wide(w)[k % n] + r*wide(w)[(k + 1) % n]], tol=tol(ulp=4, acc=64, mag=4.0))
        for m, n in [(1, 2), (4, 17), (16, 64)]:
            x = rand(rng, (n,), key)
            w = np.sin(np.pi*(np.arange(2*m) + .5)/(2*m))
            c = np.cos(np.pi/m*np.outer(np.arange(2*m) + .5 + .5*m, np.arange(m) + .5))
            y = [(wide(x)[f*m:f*m + 2*m]*w) @ c for f in range(n//m - 1)]
            yield dict(op='mdct', key=key, inputs=[x], attrs={'M': m}, want=[np.reshape(y, (-1, m))], tol=tol(ulp=8, acc=64*m, mag=8.0*m))
        for v, l in [(1, 1), (3, 40), (17, 9), (2, 0)]:
            g = rng.random((v, l)) < .7
            y = np.zeros((v, l))
            for i in range(v):
                s, x = 0, 0.
                for t in range(l):
                    s = 0 if not g[i, t] else 2 if s == 2 or s == 1 and x >= 1 else 1
                    x = min(x + .25, 1) if s == 1 else max(x - .125, .5) if s == 2 else max(x - .0625, 0)
                    y[i, t] = x
            yield dict(op='adsr', key=key, inputs=[g], want=[y], tol=EXACT)
    for m, n in [(3, 2), (5, 4), (9, 5)]:
        a = rand(rng, (m, n), 'f64')
        s = np.linalg.svd(a, compute_uv=False)
        yield dict(op='one_sided_jacobi', key='f64', inputs=[a], attrs={'sweeps': 8}, want=[one_sided(a, 8)], tol=tol(ulp=64, acc=4096, mag=4.0*m))
        assert np.allclose(np.sort(one_sided(a, 8)), np.sort(s))
    for n in (1, 2, 9, 17):
        d, e = rand(rng, (n,), 'f64'), rand(rng, (n,), 'f64')
        w = np.linalg.eigvalsh(np.diag(d) + np.diag(e[:-1], 1) + np.diag(e[:-1], -1)) if n > 1 else d
        yield dict(op='sturm_bisection', key='f64', inputs=[d, e], want=[w], tol=tol(ulp=8, floor=1e-10))
    for l, k in [(1, 1), (17, 3), (33, 5)]:
        x, d = rand(rng, (l, k), 'f64'), rand(rng, (l,), 'f64')
        p, w, es = 100*np.eye(k), np.zeros(k), []
        for t in range(l):
            g = p @ x[t]
            z = .98 + x[t] @ g
            es.append(d[t] - w @ x[t])
            w = w + g*es[-1]/z
            p = (p - np.outer(g, g)/z)/.98
        yield dict(op='recursive_least_squares', key='f64', inputs=[x, d], want=[es, w], tol=tol(ulp=8, acc=1e6, mag=100.0))
    for l in (0, 1, 17, 40):
        x = np.exp(1j*(.1*np.arange(l) + .3)) + .01*rng.normal(size=l)
        p = f = 0.
        ys, fs = [], []
        for t in range(l):
            y = x[t]*complex(np.cos(p), -np.sin(p))
            e = np.angle(y)
            f += .02*e
            p += f + .2*e
            ys.append(y); fs.append(f)
        yield dict(op='phase_locked', key='f64', inputs=[x.astype(np.complex128)], want=[np.array(ys, np.complex128), np.array(fs)], dtypes=['c128', 'f64'], tol=tol(ulp=64, acc=4096, mag=4.0))
    for n in (1, 2, 9):
        m, r = rng.integers(0, 2**26, (n, 5), np.uint64), rng.integers(0, 2**26, 5, np.uint64)
        h = [0]*5
        for b in range(n):
            a = [h[i] + int(m[b, i]) for i in range(5)]
            d = [sum(a[j]*(int(r[i - j]) if j <= i else 5*int(r[i - j + 5])) for j in range(5)) for i in range(5)]
            for i in range(1, 5):
                d[i] += d[i - 1] >> 26
            k = 2**26 - 1
            h = [x & k for x in d]
            h[0] += 5*(d[4] >> 26)
            h[1] += h[0] >> 26
            h[0] &= k
        yield dict(op='poly1305_blocks', key='u64', inputs=[m, r], want=[np.array(h, np.uint64)], tol=EXACT)
    g = np.random.MT19937(7)
    st = g.state['state']['key'].copy()
    g.random_raw(624)
    n = g.state['state']['key']
    y = n ^ n >> np.uint32(11)
    y ^= y << np.uint32(7) & np.uint32(0x9d2c5680)
    y ^= y << np.uint32(15) & np.uint32(0xefc60000)
    yield dict(op='mersenne_twist', key='u32', inputs=[st], want=[n, y ^ y >> np.uint32(18)], tol=EXACT)
    for d, n in [(1, 0), (1, 1), (3, 33)]:
        v = rng.integers(0, 2**32, (d, 32), np.uint32)
        x = np.zeros((n, d), np.uint32)
        for i in range(1, n):
            x[i] = x[i - 1] ^ v[:, ((i & -i).bit_length() - 1)]
        yield dict(op='sobol_points', key='u32', inputs=[v], attrs={'count': n}, want=[x/2**32], dtypes=['f64'], tol=EXACT)
    for b, n in [(1, 1), (3, 9), (17, 33), (2, 0)]:
        a, c = rng.integers(0, 10, (b, n)).astype(np.uint8), rng.integers(0, 10, (b, n)).astype(np.uint8)
        s, o = np.zeros((b, n)), np.zeros(b, np.uint8)
        for t in range(n):
            d = a[:, t] + c[:, t] + o
            o = (d > 9).astype(np.uint8)
            s[:, t] = d - 10*o
        yield dict(op='decimal_sum', key='u8', inputs=[a, c], want=[s, o], tol=EXACT)


def one_sided(a, sweeps):
    u, n = a.copy(), a.shape[1]
    for _ in range(sweeps):
        for p in range(n):
            for q in range(p + 1, n):
                x, y = u[:, p].copy(), u[:, q].copy()
                g = x @ y
                if g == 0:
                    continue
                z = (y @ y - x @ x)/(2*g)
                t = np.copysign(1, z)/(abs(z) + np.sqrt(1 + z*z))
                c = 1/np.sqrt(1 + t*t)
                u[:, p], u[:, q] = c*x - c*t*y, c*t*x + c*y
    return np.linalg.norm(u, axis=0)
