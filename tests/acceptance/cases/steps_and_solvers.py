"""Kernels that people write by hand: sequence models, filters, returns, alignments, factorisations, lattices."""
import numpy as np

from casekit import EXACT, available, np_dtype, rand, tol, wide

OPS = [r'''
ops:
  - op: state_space_block
    types: {T: [f32, f16]}
    in:
      X: T[B, L, C]
      D: T[B, L, C]
      A: T[C, S]
      P: T[B, L, S]
      Q: T[B, L, S]
      Skip: T[C]
      Z: T[B, L, C]
      H0?: T[B, C, S]
    require: [L >= 1]
    out:
      Y: T[B, L, C]
      Hn: T[B, C, S]
    body: |
      d[b,t,c] = log1p(exp(D[b,t,c]))
      h[b,t,c,s] = exp(-d[b,t,c]*exp(A[c,s]))*padded(h[b,t - 1,c,s], opt(H0[b,c,s], 0)) + d[b,t,c]*P[b,t,s]*X[b,t,c]
      y[b,t,c] = sum[s](h[b,t,c,s]*Q[b,t,s]) + Skip[c]*X[b,t,c]
      Y[b,t,c] = y[b,t,c]*Z[b,t,c]/(1 + exp(-Z[b,t,c]))
      Hn[b,c,s] = h[b,L - 1,c,s]
''', r'''
ops:
  - op: online_attention
    doc: one pass over the keys, with the maximum and the sum so far
    types: {T: [f32, f16]}
    in: {Q: "T[M, D]", K: "T[N, D]", V: "T[N, E]"}
    require: [N >= 1]
    out: {Y: "T[M, E]"}
    body: |
      s[i,j] = sum[d](Q[i,d]*K[j,d])
      m[j,i] = max(padded(m[j - 1,i], -inf), s[i,j])
      l[j,i] = padded(l[j - 1,i], 0)*select(j == 0, 0, exp(padded(m[j - 1,i], 0) - m[j,i])) + exp(s[i,j] - m[j,i])
      o[j,i,e] = padded(o[j - 1,i,e], 0)*select(j == 0, 0, exp(padded(m[j - 1,i], 0) - m[j,i])) + exp(s[i,j] - m[j,i])*V[j,e]
      Y[i,e] = o[N - 1,i,e]/l[N - 1,i]
''', r'''
ops:
  - op: slstm
    doc: a cell with exponential gates and a stabiliser
    types: {T: [f32, f16]}
    in: {I: "T[B, L, C]", F: "T[B, L, C]", Z: "T[B, L, C]", O: "T[B, L, C]"}
    out: {H: "T[B, L, C]"}
    body: |
      m[b,t,c] = max(F[b,t,c] + padded(m[b,t - 1,c], 0), I[b,t,c])
      i[b,t,c] = exp(I[b,t,c] - m[b,t,c])
      f[b,t,c] = exp(F[b,t,c] + padded(m[b,t - 1,c], 0) - m[b,t,c])
      c[b,t,c] = f[b,t,c]*padded(c[b,t - 1,c], 0) + i[b,t,c]*tanh(Z[b,t,c])
      n[b,t,c] = f[b,t,c]*padded(n[b,t - 1,c], 0) + i[b,t,c]
      H[b,t,c] = c[b,t,c]/(n[b,t,c]*(1 + exp(-O[b,t,c])))
''', r'''
ops:
  - op: linear_recurrent_unit
    types: {T: [f32, f64]}
    in: {X: "T[L, B, C]", R: "T[L, B, C]", Lam: "T[C]"}
    out: {H: "T[L, B, C]"}
    body: |
      la[t,b,c] = -8*log1p(exp(Lam[c]))/(1 + exp(-R[t,b,c]))
      H[t,b,c] = exp(la[t,b,c])*padded(H[t - 1,b,c], 0) + sqrt(max(1 - exp(2*la[t,b,c]), 0))*X[t,b,c]
''', r'''
ops:
  - op: retention
    types: {T: [f32, f16]}
    in: {Q: "T[B, H, L, K]", K: "T[B, H, L, K]", V: "T[B, H, L, D]", G: "T[H]"}
    out: {Y: "T[B, H, L, D]"}
    body: |
      s[b,h,t,k,d] = G[h]*padded(s[b,h,t - 1,k,d], 0) + K[b,h,t,k]*V[b,h,t,d]
      Y[b,h,t,d] = sum[k](Q[b,h,t,k]*s[b,h,t,k,d])
''', r'''
ops:
  - op: advantages
    doc: generalised advantage estimation with ends of episodes
    types: {T: [f32, f64]}
    attrs: {gamma: float = 0.99, lam: float = 0.95}
    in: {R: "T[B, L]", V: "T[B, L1]", Done: "bool[B, L]"}
    require: [L1 == L + 1]
    out: {A: "T[B, L]", G: "T[B, L]"}
    body: |
      live[b,t] = select(Done[b,t], cast(0, T), 1)
      delta[b,t] = R[b,t] + gamma*V[b,t + 1]*live[b,t] - V[b,t]
      A[b,t] = delta[b,t] + gamma*lam*live[b,t]*padded(A[b,t + 1], 0)
      G[b,t] = A[b,t] + V[b,t]
''', r'''
ops:
  - op: vtrace
    types: {T: [f32, f64]}
    attrs: {gamma: float = 0.9}
    in: {Rho: "T[L, B]", R: "T[L, B]", V: "T[L, B]", Boot: "T[B]"}
    out: {Vs: "T[L, B]"}
    body: |
      d[t,b] = min(Rho[t,b], 1)*(R[t,b] + gamma*padded(V[t + 1,b], Boot[b]) - V[t,b])
      a[t,b] = d[t,b] + gamma*min(Rho[t,b], 1)*padded(a[t + 1,b], 0)
      Vs[t,b] = V[t,b] + a[t,b]
''', r'''
ops:
  - op: sum_since_reset
    types: {T: [f32, f64, i32, i64]}
    attrs: {axis: int = -1}
    in: {X: "T[*P, D@axis, *Q]", R: "bool[*P, D@axis, *Q]"}
    out: {Y: "T[*P, D, *Q]"}
    body: |
      Y[*p,d,*q] = X[*p,d,*q] + select(R[*p,d,*q], 0, padded(Y[*p,d - 1,*q], 0))
''', r'''
ops:
  - op: running_best
    types: {T: real}
    attrs: {axis: int = 0}
    in: {X: "T[*P, D@axis, *Q]"}
    out: {V: "T[*P, D, *Q]", I: "i64[*P, D, *Q]"}
    body: |
      V[*p,d,*q] = max(padded(V[*p,d - 1,*q], X[*p,d,*q]), X[*p,d,*q])
      I[*p,d,*q] = select(d == 0, 0, select(X[*p,d,*q] > padded(V[*p,d - 1,*q], 0), d, padded(I[*p,d - 1,*q], 0)))
''', r'''
ops:
  - op: moving_average_with_gaps
    doc: NaN leaves the average as it is
    types: {T: [f32, f64]}
    attrs: {alpha: float = 0.25}
    in: {X: "T[C, N]"}
    out: {Y: "T[C, N]"}
    body: |
      w[c,n] = (1 - alpha)*padded(w[c,n - 1], 0) + select(isnan(X[c,n]), 0, 1)
      s[c,n] = (1 - alpha)*padded(s[c,n - 1], 0) + select(isnan(X[c,n]), 0, X[c,n])
      Y[c,n] = s[c,n]/w[c,n]
''', r'''
ops:
  - op: filter_by_lists
    doc: SciPy's lfilter with a[0] = 1
    types: {T: [f32, f64]}
    attrs: {b: "float[]", a: "float[]"}
    in: {X: "T[*P, N]"}
    out: {Y: "T[*P, N]"}
    body: |
      u[*p,n] = sum[k](b[k]*padded(X[*p,n - k], 0))
      Y[*p,n] = u[*p,n] - sum[j : j >= 1](a[j]*padded(Y[*p,n - j], 0))
''', r'''
ops:
  - op: forward_backward_filter
    types: {T: [f32, f64]}
    attrs: {alpha: float = 0.3}
    in: {X: "T[C, N]"}
    out: {Y: "T[C, N]"}
    body: |
      f[c,n] = alpha*X[c,n] + (1 - alpha)*padded(f[c,n - 1], X[c,0])
      Y[c,n] = alpha*f[c,n] + (1 - alpha)*padded(Y[c,n + 1], f[c,N - 1])
''', r'''
ops:
  - op: unwrap_phase
    types: {T: [f32, f64]}
    in: {X: "T[*P, N]"}
    out: {Y: "T[*P, N]"}
    body: |
      d[*p,n] = X[*p,n] - padded(X[*p,n - 1], X[*p,n])
      k[*p,n] = round(d[*p,n]/6.283185307179586)
      c[*p,n] = sum[m : m <= n](k[*p,m])
      Y[*p,n] = X[*p,n] - 6.283185307179586*c[*p,n]
''', r'''
ops:
  - op: global_alignment
    doc: scores, and the way back as pairs of positions
    types: {I: [u8, i32]}
    attrs: {gap: int = 2}
    tables: {S: {type: "i32[4, 4]", values: [[2, -1, -1, -1], [-1, 2, -1, -1], [-1, -1, 2, -1], [-1, -1, -1, 2]]}}
    in: {A: "I[N]", B: "I[M]"}
    let: {P: N + 1, Q: M + 1, L: N + M + 1}
    index: {t: L}
    out: {H: "i32[P, Q]", Path: "i64[L, 2]"}
    body: |
      H[i,j] = select(i == 0, -gap*j, select(j == 0, -gap*i, max(padded(H[i - 1,j], 0) - gap, padded(H[i,j - 1], 0) - gap, padded(H[i - 1,j - 1], 0) + S[clamp(padded(A[i - 1], 0), 0, 3),clamp(padded(B[j - 1], 0), 0, 3)])))
      step[i,j] = select(i == 0, select(j == 0, 0, 2), select(j == 0, 1, select(H[i,j] == padded(H[i - 1,j - 1], 0) + S[clamp(padded(A[i - 1], 0), 0, 3),clamp(padded(B[j - 1], 0), 0, 3)], 3, select(H[i,j] == padded(H[i - 1,j], 0) - gap, 1, 2))))
      y[t] = select(t == 0, N, padded(y[t - 1], 0) - bit_and(step[clamp(padded(y[t - 1], 0), 0, N),clamp(padded(x[t - 1], 0), 0, M)], 1))
      x[t] = select(t == 0, M, padded(x[t - 1], 0) - shr(step[clamp(padded(y[t - 1], 0), 0, N),clamp(padded(x[t - 1], 0), 0, M)], 1))
      Path[t,c] = select(c == 0, y[t], x[t])
''', r'''
ops:
  - op: common_length_only
    types: {I: [u8, i32, i64]}
    in: {A: "I[N]", B: "I[M]"}
    require: [N >= 1, M >= 1]
    out: {L: "i32[]"}
    body: |
      d[i,j] = select(A[i] == B[j], padded(d[i - 1,j - 1], 0) + 1, max(padded(d[i - 1,j], 0), padded(d[i,j - 1], 0)))
      L[] = d[N - 1,M - 1]
''', r'''
ops:
  - op: soft_warping
    types: {T: [f32, f64]}
    attrs: {gamma: float = 0.5}
    in: {A: "T[B, N, D]", C: "T[B, M, D]"}
    require: [N >= 1, M >= 1]
    out: {R: "T[B]"}
    body: |
      c[b,i,j] = sum[d](sq(A[b,i,d] - C[b,j,d]))
      lo[b,i,j] = min(padded(r[b,i - 1,j], 1e10), padded(r[b,i,j - 1], 1e10), padded(r[b,i - 1,j - 1], 1e10))
      r[b,i,j] = c[b,i,j] + select(i == 0 and j == 0, 0, lo[b,i,j] - gamma*log(exp((lo[b,i,j] - padded(r[b,i - 1,j], 1e10))/gamma) + exp((lo[b,i,j] - padded(r[b,i,j - 1], 1e10))/gamma) + exp((lo[b,i,j] - padded(r[b,i - 1,j - 1], 1e10))/gamma)))
      R[b] = r[b,N - 1,M - 1]
''', r'''
ops:
  - op: knapsack_value
    types: {T: [f32, f64, i64], I: index}
    attrs: {cap: int = 10}
    in: {W: "I[N]", V: "T[N]"}
    let: {C: cap + 1}
    index: {w: C}
    require: [cap >= 0, N >= 1]
    out: {Best: "T[]"}
    body: |
      d[i,w] = max(padded(d[i - 1,w], 0), select(W[i] <= w, padded(d[i - 1,w - W[i]], 0) + V[i], 0))
      Best[] = d[N - 1,cap]
''', r'''
ops:
  - op: subset_sums
    types: {I: [i32, i64]}
    attrs: {most: int = 20}
    in: {X: "I[N]"}
    let: {M: most + 1}
    require: [most >= 0, N >= 1]
    out: {R: "bool[M]"}
    body: |
      r[i,s] = padded(r[i - 1,s], s == 0) or padded(r[i - 1,s - X[i]], s == X[i])
      R[s] = r[N - 1,s]
''', r'''
ops:
  - op: cholesky_solve
    types: {T: [f32, f64]}
    in: {A: "T[N, N]", B: "T[N, M]"}
    out: {X: "T[N, M]"}
    body: |
      p[j] = sqrt(A[j,j] - sum[k : k < j](sq(u[k,j])))
      u[j,i] = select(i < j, 0, select(i == j, p[j], (A[i,j] - sum[k : k < j](u[k,i]*u[k,j]))/p[j]))
      y[i,m] = (B[i,m] - sum[k : k < i](u[k,i]*y[k,m]))/u[i,i]
      X[i,m] = (y[i,m] - sum[k : k > i](u[i,k]*X[k,m]))/u[i,i]
''', r'''
ops:
  - op: cholesky_by_columns
    types: {T: [f32, f64]}
    in: {A: "T[B, N, N]"}
    out: {L: "T[B, N, N]"}
    body: |
      p[b,j] = sqrt(A[b,j,j] - sum[k : k < j](sq(padded(c[b,k,j], 0))))
      c[b,j,i] = select(i < j, 0, select(i == j, p[b,j], (A[b,i,j] - sum[k : k < j](c[b,k,i]*c[b,k,j]))/p[b,j]))
      L[b,i,j] = c[b,j,i]
''', r'''
ops:
  - op: ldl_factors
    types: {T: [f32, f64]}
    in: {A: "T[N, N]"}
    out: {L: "T[N, N]", D: "T[N]"}
    body: |
      D[j] = A[j,j] - sum[k : k < j](sq(c[k,j])*D[k])
      c[j,i] = select(i < j, 0, select(i == j, 1, (A[i,j] - sum[k : k < j](c[k,i]*c[k,j]*D[k]))/D[j]))
      L[i,j] = c[j,i]
''', r'''
ops:
  - op: lu_by_steps
    doc: the matrix after each step of elimination, of which the last is kept
    types: {T: [f32, f64]}
    in: {A: "T[N, N]"}
    require: [N >= 1]
    out: {F: "T[N, N]"}
    body: |
      f[k,i,j] = select(i <= k, padded(f[k - 1,i,j], A[i,j]), select(j < k, padded(f[k - 1,i,j], A[i,j]), select(j == k, padded(f[k - 1,i,k], A[i,k])/padded(f[k - 1,k,k], A[k,k]), padded(f[k - 1,i,j], A[i,j]) - padded(f[k - 1,i,k], A[i,k])/padded(f[k - 1,k,k], A[k,k])*padded(f[k - 1,k,j], A[k,j]))))
      F[i,j] = f[N - 1,i,j]
''', r'''
ops:
  - op: thomas
    types: {T: [f32, f64]}
    in: {Lo: "T[B, N]", Di: "T[B, N]", Up: "T[B, N]", R: "T[B, N]"}
    out: {X: "T[B, N]"}
    body: |
      den[b,i] = Di[b,i] - Lo[b,i]*padded(c[b,i - 1], 0)
      c[b,i] = Up[b,i]/den[b,i]
      d[b,i] = (R[b,i] - Lo[b,i]*padded(d[b,i - 1], 0))/den[b,i]
      X[b,i] = d[b,i] - c[b,i]*padded(X[b,i + 1], 0)
''', r'''
ops:
  - op: american_put
    types: {T: [f32, f64]}
    attrs: {steps: int = 20, up: float = 1.05, p: float = 0.5, disc: float = 0.99, strike: float = 1.0}
    in: {S: "T[B]"}
    let: {M: steps + 1}
    index: {t: M, j: M}
    require: [steps >= 0, up > 0]
    out: {V: "T[B]"}
    body: |
      pay[b,t,j] = max(strike - S[b]*pow(cast(up, T), cast(2*j - t, T)), 0)
      v[b,t,j] = select(t == steps, pay[b,t,j], max(pay[b,t,j], disc*(p*padded(v[b,t + 1,j + 1], 0) + (1 - p)*padded(v[b,t + 1,j], 0))))
      V[b] = v[b,0,0]
''', r'''
ops:
  - op: drawdown
    types: {T: [f32, f64]}
    in: {P: "T[B, N]"}
    require: [N >= 1]
    out: {Worst: "T[B]", Days: "i64[B]"}
    body: |
      top[b,t] = max(padded(top[b,t - 1], P[b,t]), P[b,t])
      low[b,t] = 1 - P[b,t]/top[b,t]
      n[b,t] = select(P[b,t] < top[b,t], padded(n[b,t - 1], 0) + 1, 0)
      Worst[b] = max[t](low[b,t])
      Days[b] = max[t](cast(n[b,t], i64))
''', r'''
ops:
  - op: hmm_posteriors
    types: {T: [f32, f64]}
    in: {Pi: "T[S]", A: "T[S, S]", E: "T[L, S]"}
    require: [L >= 1]
    out: {G: "T[L, S]", N: "T[S, S]"}
    body: |
      u[t,j] = select(t == 0, Pi[j], sum[i](padded(f[t - 1,i], 0)*A[i,j]))*E[t,j]
      z[t] = sum[j](u[t,j])
      f[t,j] = u[t,j]/z[t]
      w[t,i] = select(t == L - 1, 1, sum[j](A[i,j]*padded(E[t + 1,j], 0)*padded(w[t + 1,j], 0)/padded(z[t + 1], 1)))
      G[t,j] = f[t,j]*w[t,j]
      N[i,j] = sum[t : t >= 1](padded(f[t - 1,i], 0)*A[i,j]*E[t,j]*w[t,j]/z[t])
''', r'''
ops:
  - op: yee_steps
    doc: electric and magnetic field on a line, one after the other
    types: {T: [f32, f64]}
    attrs: {steps: int = 4, c: float = 0.5}
    in: {E0: "T[N]", H0: "T[N]"}
    index: {t: steps}
    require: [steps >= 1]
    out: {E: "T[N]", H: "T[N]"}
    body: |
      h[t,i] = padded(h[t - 1,i], H0[i]) + c*select(i == N - 1, 0, padded(e[t - 1,i + 1], padded(E0[i + 1], 0)) - padded(e[t - 1,i], E0[i]))
      e[t,i] = padded(e[t - 1,i], E0[i]) + c*select(i == 0, 0, h[t,i] - padded(h[t,i - 1], 0))
      E[i] = e[steps - 1,i]
      H[i] = h[steps - 1,i]
''', r'''
ops:
  - op: lattice_gas
    doc: a step of the lattice Boltzmann method in two dims, periodic
    types: {T: [f32, f64]}
    attrs: {steps: int = 2, omega: float = 1.2}
    tables:
      Cx: {type: "i64[9]", values: [0, 1, 0, -1, 0, 1, -1, -1, 1]}
      Cy: {type: "i64[9]", values: [0, 0, 1, 0, -1, 1, 1, -1, -1]}
      W: {type: "T[9]", values: ["4/9", "1/9", "1/9", "1/9", "1/9", "1/36", "1/36", "1/36", "1/36"]}
    in: {F: "T[9, H, V]"}
    index: {t: steps}
    require: [steps >= 1, H >= 1, V >= 1]
    out: {G: "T[9, H, V]"}
    body: |
      s[t,q,y,x] = padded(g[t - 1,q,(y - Cy[q]) % H,(x - Cx[q]) % V], F[q,(y - Cy[q]) % H,(x - Cx[q]) % V])
      r[t,y,x] = sum[q](s[t,q,y,x])
      u[t,y,x] = sum[q](s[t,q,y,x]*Cx[q])/r[t,y,x]
      v[t,y,x] = sum[q](s[t,q,y,x]*Cy[q])/r[t,y,x]
      g[t,q,y,x] = s[t,q,y,x] + omega*(W[q]*r[t,y,x]*(1 + 3*(Cx[q]*u[t,y,x] + Cy[q]*v[t,y,x]) + 4.5*sq(Cx[q]*u[t,y,x] + Cy[q]*v[t,y,x]) - 1.5*(sq(u[t,y,x]) + sq(v[t,y,x]))) - s[t,q,y,x])
      G[q,y,x] = g[steps - 1,q,y,x]
''', r'''
ops:
  - op: gyroscope
    doc: orientation by quaternions from rates of turn
    types: {T: [f32, f64]}
    attrs: {dt: float = 0.01}
    in: {W: "T[B, N, 3]"}
    out: {Q: "T[B, N, 4]"}
    body: |
      a[b,t] = sqrt(sum[k](sq(W[b,t,k])))*dt/2
      k[b,t] = select(a[b,t] == 0, cast(dt/2, T), sin(a[b,t])/a[b,t]*dt/2)
      c[b,t] = cos(a[b,t])
      w[b,t] = padded(w[b,t - 1], 1)*c[b,t] - k[b,t]*(padded(x[b,t - 1], 0)*W[b,t,0] + padded(y[b,t - 1], 0)*W[b,t,1] + padded(z[b,t - 1], 0)*W[b,t,2])
      x[b,t] = padded(x[b,t - 1], 0)*c[b,t] + k[b,t]*(padded(w[b,t - 1], 1)*W[b,t,0] + padded(y[b,t - 1], 0)*W[b,t,2] - padded(z[b,t - 1], 0)*W[b,t,1])
      y[b,t] = padded(y[b,t - 1], 0)*c[b,t] + k[b,t]*(padded(w[b,t - 1], 1)*W[b,t,1] + padded(z[b,t - 1], 0)*W[b,t,0] - padded(x[b,t - 1], 0)*W[b,t,2])
      z[b,t] = padded(z[b,t - 1], 0)*c[b,t] + k[b,t]*(padded(w[b,t - 1], 1)*W[b,t,2] + padded(x[b,t - 1], 0)*W[b,t,1] - padded(y[b,t - 1], 0)*W[b,t,0])
      Q[b,t,0] += w[b,t]
      Q[b,t,1] += x[b,t]
      Q[b,t,2] += y[b,t]
      Q[b,t,3] += z[b,t]
''', r'''
ops:
  - op: roots
    doc: roots of a polynomial by Durand and Kerner, all at once
    types: {C: [c64, c128]}
    attrs: {steps: int = 40}
    in: {A: "C[P]"}
    let: {N: P - 1}
    index: {t: steps, j: N, i: N}
    require: [P >= 2, steps >= 1]
    out: {Z: "C[N]"}
    body: |
      start[i] = pow(cast(complex(0.4, 0.9), C), cast(i, real(C)))
      value[t,i] = fold[k](v = cast(0, C), v*padded(z[t - 1,i], start[i]) + A[k])
      others[t,i] = prod[j : j != i](padded(z[t - 1,i], start[i]) - padded(z[t - 1,j], start[j]))
      z[t,i] = padded(z[t - 1,i], start[i]) - value[t,i]/(A[0]*others[t,i])
      Z[i] = z[steps - 1,i]
''']


def sigmoid(x):
    return 1/(1 + np.exp(-x))


def sequence_cases(rng):
    for key in available('f32', 'f16'):
        for b, l, c, s in [(1, 1, 1, 1), (2, 9, 17, 4), (1, 17, 3, 16), (0, 2, 2, 2)]:
            x, d, z = (rand(rng, (b, l, c), key, -1, 1) for _ in range(3))
            a, skip, h0 = rand(rng, (c, s), key, -1, 0), rand(rng, (c,), key), rand(rng, (b, c, s), key)
            p, q = rand(rng, (b, l, s), key, -1, 1), rand(rng, (b, l, s), key, -1, 1)
            for first in (h0, None):
                h = wide(first) if first is not None else np.zeros((b, c, s))
                y, dt = np.zeros((b, l, c)), np.log1p(np.exp(wide(d)))
                for t in range(l):
                    h = np.exp(-dt[:, t, :, None]*np.exp(wide(a)))*h + (dt*wide(x))[:, t, :, None]*wide(p)[:, t, None]
                    y[:, t] = ((h*wide(q)[:, t, None]).sum(-1) + wide(skip)*wide(x)[:, t])*wide(z)[:, t]*sigmoid(wide(z)[:, t])
                yield dict(op='state_space_block', key=key, inputs=[x, d, a, p, q, skip, z, first], want=[y, h], tol=tol(ulp=4, acc=64*(l + s), mag=8.0))
        for m, n, d, e in [(1, 1, 1, 1), (5, 17, 3, 4), (3, 33, 16, 17), (0, 2, 2, 2)]:
            q, k, v = rand(rng, (m, d), key, -1, 1), rand(rng, (n, d), key, -1, 1), rand(rng, (n, e), key)
            s = wide(q)@wide(k).T
            w = np.exp(s - s.max(1, initial=-np.inf, keepdims=True))
            yield dict(op='online_attention', key=key, inputs=[q, k, v], want=[(w/w.sum(1, keepdims=True))@wide(v)], tol=tol(ulp=4, acc=64*(n + d), mag=4.0))
        for b, l, c in [(1, 1, 1), (2, 9, 17), (3, 17, 5), (2, 0, 3)]:
            i, f, z, o = (rand(rng, (b, l, c), key) for _ in range(4))
            m, cc, n, h = np.zeros((b, c)), np.zeros((b, c)), np.zeros((b, c)), np.zeros((b, l, c))
            for t in range(l):
                m1 = np.maximum(wide(f)[:, t] + m, wide(i)[:, t])
                ii, ff = np.exp(wide(i)[:, t] - m1), np.exp(wide(f)[:, t] + m - m1)
                cc, n, m = ff*cc + ii*np.tanh(wide(z)[:, t]), ff*n + ii, m1
                h[:, t] = cc*sigmoid(wide(o)[:, t])/n
            yield dict(op='slstm', key=key, inputs=[i, f, z, o], want=[h], tol=tol(ulp=4, acc=64*(l + 1), mag=4.0))
        for b, h, l, k, d in [(1, 1, 1, 1, 1), (1, 2, 9, 3, 17), (2, 1, 17, 16, 5), (0, 2, 2, 2, 2)]:
            q, kk, v = rand(rng, (b, h, l, k), key, -1, 1), rand(rng, (b, h, l, k), key, -1, 1), rand(rng, (b, h, l, d), key, -1, 1)
            g = rand(rng, (h,), key, 0, .9)
            s, y = np.zeros((b, h, k, d)), np.zeros((b, h, l, d))
            for t in range(l):
                s = wide(g)[:, None, None]*s + wide(kk)[:, :, t, :, None]*wide(v)[:, :, t, None]
                y[:, :, t] = np.einsum('bhk,bhkd->bhd', wide(q)[:, :, t], s)
            yield dict(op='retention', key=key, inputs=[q, kk, v, g], want=[y], tol=tol(ulp=4, acc=64*(l + k), mag=8.0))
    for key in ('f32', 'f64'):
        for l, b, c in [(1, 1, 1), (9, 2, 17), (17, 3, 5), (0, 2, 3)]:
            x, r, lam = rand(rng, (l, b, c), key), rand(rng, (l, b, c), key), rand(rng, (c,), key, 0, 1)
            h, out = np.zeros((b, c)), np.zeros((l, b, c))
            for t in range(l):
                la = -8*np.log1p(np.exp(wide(lam)))*sigmoid(wide(r)[t])
                h = out[t] = np.exp(la)*h + np.sqrt(1 - np.exp(2*la))*wide(x)[t]
            yield dict(op='linear_recurrent_unit', key=key, inputs=[x, r, lam], want=[out], tol=tol(ulp=4, acc=256*(l + 1), mag=2.0))
        for b, l in [(1, 1), (3, 17), (17, 5), (2, 0)]:
            r, v, done = rand(rng, (b, l), key), rand(rng, (b, l + 1), key), rng.integers(0, 4, (b, l)) == 0
            a, out = np.zeros(b), np.zeros((b, l))
            for t in reversed(range(l)):
                live = ~done[:, t]
                a = out[:, t] = wide(r)[:, t] + .99*wide(v)[:, t + 1]*live - wide(v)[:, t] + .99*.95*live*a
            yield dict(op='advantages', key=key, inputs=[r, v, done], attrs={'gamma': .99, 'lam': .95}, want=[out, out + wide(v)[:, :l]], tol=tol(ulp=4, acc=32*(l + 1), mag=20.0))
            rho, r2, v2, boot = rand(rng, (l, b), key, 0, 2), rand(rng, (l, b), key), rand(rng, (l, b), key), rand(rng, (b,), key)
            a, out = np.zeros(b), np.zeros((l, b))
            for t in reversed(range(l)):
                w = np.minimum(wide(rho)[t], 1)
                a = w*(wide(r2)[t] + .9*(wide(v2)[t + 1] if t + 1 < l else wide(boot)) - wide(v2)[t]) + .9*w*a
                out[t] = wide(v2)[t] + a
            yield dict(op='vtrace', key=key, inputs=[rho, r2, v2, boot], attrs={'gamma': .9}, want=[out], tol=tol(ulp=4, acc=32*(l + 1), mag=20.0))


def filter_cases(rng):
    for key in ('f32', 'f64', 'i32', 'i64'):
        for shape, axis in [((1,), 0), ((17,), -1), ((3, 33), 1), ((5, 3, 17), 1), ((2, 0), 1), ((33, 16), 0), ((4, 17, 3), 1)]:
            x, r = rand(rng, shape, key, -9, 9), rng.integers(0, 4, shape) == 0
            xs, rs = np.moveaxis(wide(x), axis, 0), np.moveaxis(r, axis, 0)
            y = np.zeros_like(xs)
            v, at = np.zeros_like(xs), np.zeros(xs.shape, np.int64)
            for t in range(xs.shape[0]):
                y[t] = xs[t] + (np.where(rs[t], 0, y[t - 1]) if t else 0)
                v[t] = np.maximum(xs[t], v[t - 1]) if t else xs[t]
                at[t] = np.where(xs[t] > v[t - 1], t, at[t - 1]) if t else 0
            yield dict(op='sum_since_reset', key=key, inputs=[x, r], attrs={'axis': axis}, want=[np.moveaxis(y, 0, axis)], tol=EXACT if key[0] == 'i' else tol(ulp=2, acc=2*len(y), mag=9.0*(len(y) + 1)))
            yield dict(op='running_best', key=key, inputs=[x], attrs={'axis': axis}, want=[np.moveaxis(v, 0, axis), np.moveaxis(at, 0, axis)], dtypes=[key, 'i64'], tol=EXACT)
    for key in ('f32', 'f64'):
        for c, n in [(1, 1), (3, 17), (17, 33), (2, 0)]:
            x = rand(rng, (c, n), key)
            x[rng.integers(0, 4, (c, n)) == 0] = np.nan
            if n:
                x[:, 0] = 1
            w = s = np.zeros(c)
            y, f, back, g = np.zeros((c, n)), np.zeros((c, n)), np.zeros((c, n)), np.nan_to_num(wide(x))
            for t in range(n):
                gap = np.isnan(x[:, t])
                w, s = .75*w + ~gap, .75*s + np.where(gap, 0, g[:, t])
                y[:, t] = s/w
            yield dict(op='moving_average_with_gaps', key=key, inputs=[x], attrs={'alpha': .25}, want=[y], tol=tol(ulp=4, acc=64, mag=4.0))
            for t in range(n):
                f[:, t] = .3*g[:, t] + .7*(f[:, t - 1] if t else g[:, 0])
            for t in reversed(range(n)):
                back[:, t] = .3*f[:, t] + .7*(back[:, t + 1] if t + 1 < n else f[:, -1])
            yield dict(op='forward_backward_filter', key=key, inputs=[g.astype(x.dtype)], attrs={'alpha': .3}, want=[back], tol=tol(ulp=4, acc=64, mag=4.0))
        for shape in [(1,), (33,), (3, 17), (2, 0), (2, 3, 16)]:
            x = rand(rng, shape, key, -9, 9)
            yield dict(op='unwrap_phase', key=key, inputs=[x], want=[unwrapped(wide(x))], tol=tol(ulp=4, acc=64, mag=200.0))
            for b, a in (([.2, .3, .1], [1, -.5, .25]), ([1.], [1.]), ([.1, .2, .3, .2, .1], [1, .1, -.2, .05, .01, .02]), ([.5, .5], [1, -.9])):
                import scipy.signal
                want = scipy.signal.lfilter(b, a, wide(x)) if x.size else wide(x)
                yield dict(op='filter_by_lists', key=key, inputs=[x], attrs={'b': [float(v) for v in b], 'a': [float(v) for v in a]}, want=[want], tol=tol(ulp=4, acc=400, mag=60.0))


def unwrapped(x):
    y, k = x.copy(), np.zeros(x.shape[:-1])
    for t in range(1, x.shape[-1]):
        k = k + np.round((x[..., t] - x[..., t - 1])/6.283185307179586)
        y[..., t] = x[..., t] - 6.283185307179586*k
    return y


def table_cases(rng):
    for key in ('u8', 'i32'):
        for n, m in [(0, 0), (1, 1), (5, 3), (17, 16), (0, 4), (33, 17)]:
            a, b = rand(rng, (n,), key, 0, 3), rand(rng, (m,), key, 0, 3)
            h = np.zeros((n + 1, m + 1), np.int64)
            h[:, 0], h[0] = -2*np.arange(n + 1), -2*np.arange(m + 1)
            score = lambda i, j: 2 if a[i - 1] == b[j - 1] else -1
            for i in range(1, n + 1):
                for j in range(1, m + 1):
                    h[i, j] = max(h[i - 1, j] - 2, h[i, j - 1] - 2, h[i - 1, j - 1] + score(i, j))
            path, i, j = [(n, m)], n, m
            for _ in range(n + m):
                if i and j and h[i, j] == h[i - 1, j - 1] + score(i, j):
                    i, j = i - 1, j - 1
                elif i and (not j or h[i, j] == h[i - 1, j] - 2):
                    i -= 1
                elif j:
                    j -= 1
                path.append((i, j))
            yield dict(op='global_alignment', key=key, inputs=[a, b], attrs={'gap': 2}, want=[h, np.array(path)], dtypes=['i32', 'i64'], tol=EXACT)
    for key in ('u8', 'i32', 'i64'):
        for n, m in [(1, 1), (5, 3), (17, 16), (33, 70)]:
            a, b = rand(rng, (n,), key, 0, 3), rand(rng, (m,), key, 0, 3)
            d = np.zeros((n + 1, m + 1), np.int64)
            for i in range(n):
                for j in range(m):
                    d[i + 1, j + 1] = d[i, j] + 1 if a[i] == b[j] else max(d[i, j + 1], d[i + 1, j])
            yield dict(op='common_length_only', key=key, inputs=[a, b], want=[np.array(d[n, m])], dtypes=['i32'], tol=EXACT)
    for key in ('f32', 'f64'):
        for b, n, m, d in [(1, 1, 1, 1), (2, 5, 7, 3), (3, 17, 9, 2), (0, 2, 2, 2)]:
            x, y = rand(rng, (b, n, d), key, -1, 1), rand(rng, (b, m, d), key, -1, 1)
            r = np.full((b, n + 1, m + 1), 1e10)
            r[:, 0, 0] = 0
            for i in range(n):
                for j in range(m):
                    near = np.stack([r[:, i, j + 1], r[:, i + 1, j], r[:, i, j]])
                    lo = near.min(0) if i + j else np.zeros(b)
                    soft = lo - .5*np.log(np.exp((lo - near)/.5).sum(0)) if i + j else 0
                    r[:, i + 1, j + 1] = ((wide(x)[:, i] - wide(y)[:, j])**2).sum(-1) + soft
                    if i + j == 0:
                        r[:, 0, 0] = 1e10
            yield dict(op='soft_warping', key=key, inputs=[x, y], attrs={'gamma': .5}, want=[r[:, n, m]], tol=tol(ulp=8, acc=64*(n + m), mag=40.0))
    for key in ('f32', 'f64', 'i64'):
        for n, cap in [(1, 0), (5, 10), (17, 40)]:
            for it in (np.int32, np.int64):
                w, v = rng.integers(1, 9, n).astype(it), rand(rng, (n,), key, 0, 9)
                d = np.zeros(cap + 1)
                for i in range(n):
                    d = np.array([max(d[c], d[c - w[i]] + float(v[i]) if w[i] <= c else 0) for c in range(cap + 1)])
                yield dict(op='knapsack_value', key=key, inputs=[w, v], attrs={'cap': cap}, want=[np.array(d[cap])], tol=EXACT if key == 'i64' else tol(ulp=2, acc=32, mag=160.0))
    for key, t in (('i32', np.int32), ('i64', np.int64)):
        for n, most in [(1, 0), (4, 20), (9, 33)]:
            x = rng.integers(1, 12, n).astype(t)
            r = {0}
            for v in x:
                r |= {s + int(v) for s in r}
            yield dict(op='subset_sums', key=key, inputs=[x], attrs={'most': most}, want=[np.array([s in r for s in range(most + 1)])], dtypes=['bool'], tol=EXACT)


def matrix_cases(rng):
    for key in ('f32', 'f64'):
        for n, m in [(1, 1), (5, 3), (17, 16), (33, 5), (40, 1)]:
            g = rand(rng, (n, n), key, -1, 1)
            a = (wide(g)@wide(g).T + n*np.eye(n)).astype(g.dtype)
            b = rand(rng, (n, m), key)
            l = np.linalg.cholesky(wide(a))
            bound = tol(ulp=8, acc=64*n, mag=4.0)
            yield dict(op='cholesky_solve', key=key, inputs=[a, b], want=[np.linalg.solve(wide(a), wide(b))], tol=bound)
            yield dict(op='cholesky_by_columns', key=key, inputs=[np.stack([a, 2*a])], want=[np.stack([l, np.sqrt(2)*l])], tol=tol(ulp=8, acc=64*n, mag=2.0*n))
            d = np.diag(l)
            yield dict(op='ldl_factors', key=key, inputs=[a], want=[l/d, d*d], tol=tol(ulp=8, acc=64*n, mag=2.0*n))
            f = wide(a).copy()
            for k in range(n):
                f[k + 1:, k] /= f[k, k]
                f[k + 1:, k + 1:] -= np.outer(f[k + 1:, k], f[k, k + 1:])
            yield dict(op='lu_by_steps', key=key, inputs=[a], want=[f], tol=tol(ulp=8, acc=64*n, mag=2.0*n))
        for b, n in [(1, 1), (3, 17), (17, 33), (2, 0)]:
            lo, up, r = (rand(rng, (b, n), key, -1, 1) for _ in range(3))
            di = rand(rng, (b, n), key, 3, 4)
            x = np.zeros((b, n))
            for i in range(b):
                full = np.diag(wide(di)[i]) + np.diag(wide(lo)[i, 1:], -1) + np.diag(wide(up)[i, :-1], 1) if n else np.zeros((0, 0))
                x[i] = np.linalg.solve(full, wide(r)[i]) if n else 0
            yield dict(op='thomas', key=key, inputs=[lo, di, up, r], want=[x], tol=tol(ulp=8, acc=64, mag=2.0))
        for b in (1, 5, 17, 0):
            for steps in (0, 1, 20):
                s = rand(rng, (b,), key, .5, 1.5)
                pay = lambda t: np.maximum(1 - wide(s)[:, None]*1.05**(2.*np.arange(t + 1) - t), 0)
                v = pay(steps)
                for t in reversed(range(steps)):
                    v = np.maximum(pay(t), .99*(.5*v[:, 1:] + .5*v[:, :-1]))
                yield dict(op='american_put', key=key, inputs=[s], attrs={'steps': steps}, want=[v[:, 0]], tol=tol(ulp=4, acc=200, mag=2.0))
        for b, n in [(1, 1), (3, 17), (17, 33)]:
            p = rand(rng, (b, n), key, 1, 3)
            top = np.maximum.accumulate(wide(p), 1)
            days = np.zeros((b, n), np.int64)
            for t in range(1, n):
                days[:, t] = np.where(wide(p)[:, t] < top[:, t], days[:, t - 1] + 1, 0)
            yield dict(op='drawdown', key=key, inputs=[p], want=[(1 - wide(p)/top).max(1), days.max(1)], dtypes=[key, 'i64'], tol=[tol(ulp=4, acc=4, mag=1.0), EXACT])
        for l, s in [(1, 1), (7, 3), (17, 16), (2, 5)]:
            pi, a, e = rand(rng, (s,), key, .1, 1), rand(rng, (s, s), key, .1, 1), rand(rng, (l, s), key, .1, 1)
            f, z, w, n = np.zeros((l, s)), np.zeros(l), np.ones((l, s)), np.zeros((s, s))
            for t in range(l):
                f[t] = (wide(pi) if t == 0 else f[t - 1]@wide(a))*wide(e)[t]
                z[t] = f[t].sum()
                f[t] /= z[t]
            for t in reversed(range(l - 1)):
                w[t] = wide(a)@(wide(e)[t + 1]*w[t + 1])/z[t + 1]
            for t in range(1, l):
                n += np.outer(f[t - 1], wide(e)[t]*w[t])*wide(a)/z[t]
            yield dict(op='hmm_posteriors', key=key, inputs=[pi, a, e], want=[f*w, n], tol=tol(ulp=4, acc=64*(l + s), mag=4.0))
        for n, steps in [(1, 1), (17, 4), (33, 9), (5, 2)]:
            e, h = rand(rng, (n,), key), rand(rng, (n,), key)
            ee, hh = wide(e).copy(), wide(h).copy()
            for _ in range(steps):
                hh[:-1] += .5*(ee[1:] - ee[:-1])
                ee[1:] += .5*(hh[1:] - hh[:-1])
            yield dict(op='yee_steps', key=key, inputs=[e, h], attrs={'steps': steps, 'c': .5}, want=[ee, hh], tol=tol(ulp=4, acc=64*steps, mag=16.0))
        cx, cy, w = [0, 1, 0, -1, 0, 1, -1, -1, 1], [0, 0, 1, 0, -1, 1, 1, -1, -1], [4/9] + [1/9]*4 + [1/36]*4
        for h, v, steps in [(1, 1, 1), (5, 7, 2), (3, 17, 3)]:
            f = rand(rng, (9, h, v), key, .5, 1)
            g = wide(f)
            for _ in range(steps):
                s = np.stack([np.roll(g[q], (cy[q], cx[q]), (0, 1)) for q in range(9)])
                r = s.sum(0)
                ux, uy = np.tensordot(cx, s, 1)/r, np.tensordot(cy, s, 1)/r
                cu = [cx[q]*ux + cy[q]*uy for q in range(9)]
                g = np.stack([s[q] + 1.2*(w[q]*r*(1 + 3*cu[q] + 4.5*cu[q]**2 - 1.5*(ux*ux + uy*uy)) - s[q]) for q in range(9)])
            yield dict(op='lattice_gas', key=key, inputs=[f], attrs={'steps': steps, 'omega': 1.2}, want=[g], tol=tol(ulp=4, acc=200*steps, mag=4.0))
        for b, n in [(1, 1), (3, 17), (2, 0)]:
            rate = rand(rng, (b, n, 3), key)
            q, out = np.tile([1., 0, 0, 0], (b, 1)), np.zeros((b, n, 4))
            for t in range(n):
                v = wide(rate)[:, t]
                a = np.linalg.norm(v, axis=1)*.01/2
                k = np.where(a == 0, .005, np.sin(a)/np.where(a == 0, 1, a)*.005)[:, None]
                q = np.concatenate([q[:, :1]*np.cos(a)[:, None] - k*(q[:, 1:]*v).sum(1, keepdims=True), q[:, 1:]*np.cos(a)[:, None] + k*(q[:, :1]*v + np.cross(q[:, 1:], v))], 1)
                out[:, t] = q
            yield dict(op='gyroscope', key=key, inputs=[rate], attrs={'dt': .01}, want=[out], tol=tol(ulp=4, acc=64*(n + 1), mag=2.0))
    for key in ('c64', 'c128'):
        for zeros in ([2], [1, -1], [1j, 2, -1.5], [1, 2, 3, -1 + 1j]):
            c = np.poly(zeros).astype(np_dtype(key))
            z = np.power(.4 + .9j, np.arange(len(zeros)))
            for _ in range(40):
                others = np.array([np.prod([z[i] - z[j] for j in range(len(z)) if j != i]) for i in range(len(z))])
                z = z - np.polyval(wide(c), z)/(wide(c)[0]*others)
            yield dict(op='roots', key=key, inputs=[c], attrs={'steps': 40}, want=[z], tol=tol(ulp=16, acc=4000, mag=4.0))


def cases(rng):
    yield from sequence_cases(rng)
    yield from filter_cases(rng)
    yield from table_cases(rng)
    yield from matrix_cases(rng)
