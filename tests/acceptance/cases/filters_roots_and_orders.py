"""Signals, linear algebra by counted steps, complex arithmetic, dynamic programs whose order has to be found."""
import numpy as np

from casekit import EXACT, available, np_dtype, rand, tol, wide

OPS = [r'''
ops:
  - op: farrow_delays
    doc: a delay that changes from sample to sample, cubic between four of them
    types: {T: float}
    in: {X: "T[*P, N]", D: "T[N]"}
    tables: {C: {type: "T[4, 4]", values: [[0, 1, 0, 0], ["-1/3", "-1/2", 1, "-1/6"], ["1/2", -1, "1/2", 0], ["-1/6", "1/2", "-1/2", "1/6"]]}}
    out: {Y: "T[*P, N]"}
    body: |
      w[n] = cast(floor(D[n]), i64)
      m[n] = 1 - (D[n] - floor(D[n]))
      c[n,k] = C[0,k] + m[n]*(C[1,k] + m[n]*(C[2,k] + m[n]*C[3,k]))
      Y[*p,n] = sum[k](c[n,k]*padded(X[*p,n - w[n] + k - 2], 0))
''', r'''
ops:
  - op: burg_coefficients
    doc: coefficients of reflection from errors of prediction forwards and backwards
    types: {T: [f32, f64]}
    attrs: {order: int = 4}
    require: [order >= 1, N > order]
    let: {P: order, Q: order + 1}
    index: {m: Q, p: P}
    in: {X: "T[N]"}
    out: {K: "T[P]", A: "T[P]"}
    body: |
      k[m] = select(m == 0, 0, -2*sum[n : n >= m](padded(f[m - 1,n], 0)*padded(b[m - 1,n - 1], 0))/sum[n : n >= m](sq(padded(f[m - 1,n], 0)) + sq(padded(b[m - 1,n - 1], 0))))
      f[m,n] = padded(f[m - 1,n], X[n]) + k[m]*padded(b[m - 1,n - 1], 0)
      b[m,n] = select(m == 0, X[n], padded(b[m - 1,n - 1], 0) + k[m]*padded(f[m - 1,n], 0))
      a[m,p] = padded(a[m - 1,p], 0) + k[m]*select(p == m - 1, 1, padded(a[m - 1,m - 2 - p], 0))
      K[p] = k[p + 1]
      A[p] = a[order,p]
''', r'''
ops:
  - op: pitch_by_differences
    doc: the lag at which a frame differs least from itself, the first dip below a bound (YIN)
    types: {T: [f32, f64]}
    attrs: {lags: int, bound: float = 0.15}
    require: [lags >= 2, lags <= N]
    let: {L: lags}
    index: {l: L, n: N - lags + 1}
    in: {X: "T[F, N]"}
    out: {D: "T[F, L]", Lag: "i64[F]"}
    body: |
      d[f,l] = sum[n](sq(X[f,n] - X[f,n + l]))
      s[f,l] = sum[k : k <= l](d[f,k])
      D[f,l] = select(l == 0 or s[f,l] == 0, 1, d[f,l]*l/s[f,l])
      first[f] = min[l : l >= 1 and D[f,l] < bound and D[f,l] <= padded(D[f,l + 1], inf)](l)
      best[f] = argmin[l](D[f,l])
      Lag[f] = select(first[f] < L, first[f], best[f])
''', r'''
ops:
  - op: constant_modulus
    doc: an equaliser of complex taps that drives its output to the unit circle
    types: {T: complex}
    attrs: {taps: int = 3, rate: float = 0.01}
    require: [taps >= 1]
    index: {k: taps}
    in: {X: "T[C, N]"}
    out: {Y: "T[C, N]", E: "real(T)[C, N]"}
    body: |
      Y[c,n] = sum[k](padded(w[c,n - 1,k], select(k == 0, 1, 0))*padded(X[c,n - k], 0))
      E[c,n] = sq(real(Y[c,n])) + sq(imag(Y[c,n])) - 1
      w[c,n,k] = padded(w[c,n - 1,k], select(k == 0, 1, 0)) - rate*E[c,n]*Y[c,n]*conj(padded(X[c,n - k], 0))
''', r'''
ops:
  - op: all_roots
    doc: all roots of a polynomial at once, by counted steps of Durand and Kerner
    types: {T: complex}
    attrs: {steps: int = 40}
    require: [steps >= 1]
    index: {t: steps}
    in: {C: "T[B, N]"}
    out: {R: "T[B, N]", Left: "real(T)[B, N]"}
    body: |
      was[t,b,i] = padded(r[t - 1,b,i], pow(complex(0.4, 0.9), i))
      q[t,b,i] = prod[j : j != i](was[t,b,i] - was[t,b,j])
      v[t,b,i] = fold[k](a = complex(cast(1, real(T)), cast(0, real(T))), a*was[t,b,i] + C[b,k])
      r[t,b,i] = was[t,b,i] - v[t,b,i]/q[t,b,i]
      R[b,i] = r[steps - 1,b,i]
      Left[b,i] = abs(fold[k](a = complex(cast(1, real(T)), cast(0, real(T))), a*R[b,i] + C[b,k]))
''', r'''
ops:
  - op: crank_nicolson
    doc: steps of a wave function in a potential; each solves a tridiagonal system of complex numbers
    types: {T: complex}
    attrs: {steps: int = 3, dt: float = 0.05}
    require: [steps >= 1, N >= 1]
    index: {t: steps}
    in: {Psi: "T[N]", V: "real(T)[N]"}
    out: {Y: "T[N]", Norm: "real(T)[]"}
    body: |
      h[n] = 2 + V[n]
      a[n] = complex(1, dt*h[n]/2)
      o[n] = complex(0*V[n], dt/2 + 0*V[n])
      was[t,n] = padded(psi[t - 1,n], Psi[n])
      r[t,n] = conj(a[n])*was[t,n] + o[n]*(padded(was[t,n - 1], 0) + padded(was[t,n + 1], 0))
      c[t,n] = -o[n]/(a[n] + o[n]*padded(c[t,n - 1], 0))
      d[t,n] = (r[t,n] + o[n]*padded(d[t,n - 1], 0))/(a[n] + o[n]*padded(c[t,n - 1], 0))
      psi[t,n] = d[t,n] - c[t,n]*padded(psi[t,n + 1], 0)
      Y[n] = psi[steps - 1,n]
      Norm[] = sum[n](sq(abs(Y[n])))
''', r'''
ops:
  - op: minimal_residuals
    doc: counted steps of GMRES without a restart, by rotations
    types: {T: [f32, f64]}
    attrs: {steps: int = 3}
    require: [steps >= 1]
    let: {K: steps, J: steps + 1}
    index: {k: K, i: J, l: K}
    in: {A: "T[N, N]", B: "T[N]"}
    out: {X: "T[N]", Res: "T[K]"}
    body: |
      beta[] = sqrt(sum[n](sq(B[n])))
      v[k,n] = padded(u[k - 1,n], B[n]/beta[])
      w[k,n] = sum[m](A[n,m]*v[k,m])
      h[k,i] = select(i <= k, sum[n](w[k,n]*v[clamp(i, 0, k),n]), 0)
      z[k,n] = w[k,n] - sum[i : i <= k](h[k,i]*padded(v[i,n], 0))
      hn[k] = sqrt(sum[n](sq(z[k,n])))
      u[k,n] = z[k,n]/hn[k]
      g[k,i] = select(i <= k, h[k,i], select(i == k + 1, hn[k], 0))
      X[n] = B[n]
      Res[k] = hn[k]
'''.replace('''      X[n] = B[n]
      Res[k] = hn[k]
''', '''      q[k,l,i] = select(l < k, select(i == l, padded(c[clamp(l, -1, k - 1)], 0)*padded(q[k,l - 1,l], g[k,l]) + padded(s[clamp(l, -1, k - 1)], 0)*padded(q[k,l - 1,l + 1], g[k,l + 1]), select(i == l + 1, padded(c[clamp(l, -1, k - 1)], 0)*padded(q[k,l - 1,l + 1], g[k,l + 1]) - padded(s[clamp(l, -1, k - 1)], 0)*padded(q[k,l - 1,l], g[k,l]), padded(q[k,l - 1,i], g[k,i]))), padded(q[k,l - 1,i], g[k,i]))
      r[k,i] = q[k,K - 1,i]
      rho[k] = sqrt(sq(r[k,k]) + sq(r[k,k + 1]))
      c[k] = r[k,k]/rho[k]
      s[k] = r[k,k + 1]/rho[k]
      t[k,i] = select(i == k, rho[k], select(i == k + 1, 0, r[k,i]))
      f[k] = -s[k]*padded(f[k - 1], beta[])
      e[k] = c[k]*padded(f[k - 1], beta[])
      Res[k] = abs(f[k])
      y[l] = (e[l] - sum[k : k > l](t[k,l]*y[k]))/t[l,l]
      X[n] = sum[k](v[k,n]*y[k])
'''), r'''
ops:
  - op: polar_by_steps
    doc: the orthogonal factor of a matrix, by counted steps of Newton and Schulz (Muon)
    types: {T: float}
    attrs: {steps: int = 5}
    require: [steps >= 0]
    index: {t: steps}
    in: {G: "T[M, N]"}
    out: {X: "T[M, N]"}
    body: |
      n[] = rsqrt(sum[i,j](sq(G[i,j])) + 1e-12)
      w[t,i,j] = padded(x[t - 1,i,j], G[i,j]*n[])
      a[t,i,k] = sum[j](w[t,i,j]*w[t,k,j])
      b[t,i,k] = -4.775*a[t,i,k] + 2.0315*sum[l](a[t,i,l]*a[t,l,k])
      x[t,i,j] = 3.4445*w[t,i,j] + sum[k](b[t,i,k]*w[t,k,j])
      X[i,j] = padded(x[steps - 1,i,j], G[i,j]*n[])
''', r'''
ops:
  - op: solved_modulo
    doc: a system of equations modulo a prime, by elimination with the first pivot that is not zero
    types: {I: index}
    attrs: {p: int = 251}
    require: [p >= 2, p < 30000]
    index: {t: N, j: N + 1, b: 15}
    in: {A: "I[N, N]", B: "I[N]"}
    out: {X: "i64[N]", Rank: "i64[]"}
    body: |
      w[t,i,j] = padded(g[t - 1,i,j], select(j == N, cast(B[i], i64) % p, cast(padded(A[i,j], 0), i64) % p))
      piv[t] = min[i : i >= t and w[t,i,t] != 0](i)
      ok[t] = piv[t] < N
      at[t] = clamp(piv[t], 0, N - 1)
      inv[t] = fold[b](a = cast(1, i64), a*a % p*select(bit_and(shr(p - 2, 14 - b), 1) == 1, w[t,at[t],t], 1) % p)
      row[t,j] = w[t,at[t],j]*inv[t] % p
      g[t,i,j] = select(not ok[t], w[t,i,j], select(i == t, row[t,j], select(i == at[t], (w[t,t,j] + (p - w[t,t,t])*row[t,j]) % p, (w[t,i,j] + (p - w[t,i,t])*row[t,j]) % p)))
      X[i] = padded(g[N - 1,i,N], 0)
      Rank[] = sum[t](select(ok[t], 1, 0))
''', r'''
ops:
  - op: toeplitz_solved
    doc: a symmetric Toeplitz system by growing its solution and a predictor
    types: {T: [f32, f64]}
    in: {R: "T[N]", B: "T[N]"}
    require: [N >= 1]
    index: {m: N, i: N}
    out: {X: "T[N]"}
    body: |
      k[m] = select(m == 0, 0, -(R[m] + sum[i : i < m - 1](padded(R[m - 1 - i], 0)*padded(a[m - 1,i], 0)))/padded(e[m - 1], 1))
      a[m,i] = select(i == m - 1, k[m], padded(a[m - 1,i], 0) + k[m]*padded(a[m - 1,m - 2 - i], 0))
      e[m] = select(m == 0, R[0], padded(e[m - 1], 0)*(1 - k[m]*k[m]))
      q[m] = (B[m] - sum[i : i < m](padded(R[m - i], 0)*padded(x[m - 1,i], 0)))/e[m]
      x[m,i] = padded(x[m - 1,i], 0) + q[m]*select(i == m, 1, padded(a[m,m - 1 - i], 0))
      X[i] = x[N - 1,i]
''', r'''
ops:
  - op: catalan_like
    doc: how many trees there are whose inner nodes carry weights, modulo a number
    attrs: {count: int, modulus: int = 1000003}
    require: [count >= 0, modulus >= 1, modulus < 2000000000]
    let: {N: count}
    index: {n: N}
    in: {W: "i64[N]"}
    out: {C: "i64[N]"}
    body: |
      C[n] = select(n == 0, 1, sum[j : j < n](padded(C[j], 0)*padded(C[n - 1 - j], 0) % modulus) % modulus*(W[n] % modulus)) % modulus
''', r'''
ops:
  - op: wildcard_matched
    doc: whether a text matches a pattern of letters, single and many wildcards
    in: {P: "u8[N]", X: "u8[B, M]"}
    index: {i: N + 1, j: M + 1}
    out: {Y: "bool[B]", Reach: "bool[B, M]"}
    body: |
      c[i] = padded(P[i - 1], 0)
      d[b,i,j] = select(i == 0, j == 0, select(c[i] == 42, padded(d[b,i - 1,j], false) or padded(d[b,i,j - 1], false), padded(d[b,i - 1,j - 1], false) and (c[i] == 63 or c[i] == padded(X[b,j - 1], 0))))
      Y[b] = d[b,N,M]
      Reach[b,k] = any[i](d[b,i,k + 1])
''', r'''
ops:
  - op: sums_over_subsets
    doc: sums over all subsets of a set of bits, and those over all supersets
    types: {T: number}
    attrs: {bits: int}
    require: [bits >= 0, bits < 20]
    let: {S: "shl(1, bits)"}
    index: {b: bits}
    in: {X: "T[S]"}
    out: {Sub: "T[S]", Super: "T[S]"}
    body: |
      f[b,s] = padded(f[b - 1,s], X[s]) + select(bit_and(shr(s, b), 1) == 1, padded(f[b - 1,clamp(s - shl(1, b), 0, S - 1)], X[clamp(s - shl(1, b), 0, S - 1)]), 0)
      g[b,s] = padded(g[b - 1,s], X[s]) + select(bit_and(shr(s, b), 1) == 0, padded(g[b - 1,clamp(s + shl(1, b), 0, S - 1)], X[clamp(s + shl(1, b), 0, S - 1)]), 0)
      Sub[s] = padded(f[bits - 1,s], X[s])
      Super[s] = padded(g[bits - 1,s], X[s])
''', r'''
ops:
  - op: scheduled
    doc: the most worth of intervals that do not meet, ordered by their ends; which are taken
    types: {T: [f32, f64, i32, i64]}
    in: {From: "i64[N]", To: "i64[N]", W: "T[N]"}
    out: {Best: "T[N]", Taken: "bool[N]"}
    body: |
      before[n] = sum[k : k < n](To[k] <= From[n])
      Best[n] = max(padded(Best[n - 1], 0), W[n] + padded(Best[clamp(before[n] - 1, -1, n - 1)], 0))
      take[n] = W[n] + padded(Best[clamp(before[n] - 1, -1, n - 1)], 0) > padded(Best[n - 1], 0)
      next[n] = select(n == N - 1, N - 1, select(padded(Taken[n + 1], false), padded(before[n + 1], 0) - 1, padded(next[n + 1], 0)))
      Taken[n] = take[n] and n <= next[n]
'''.replace('''      next[n] = select(n == N - 1, N - 1, select(padded(Taken[n + 1], false), padded(before[n + 1], 0) - 1, padded(next[n + 1], 0)))
''', '''      next[n] = select(n == N - 1, n, select(padded(Taken[n + 1], false), padded(before[n + 1], 0) - 1, padded(next[n + 1], 0)))
'''), r'''
ops:
  - op: boustrophedon
    doc: the triangle whose rows are summed forwards and backwards by turns, from a column of its own
    types: {T: [i32, i64, f64]}
    index: {k: N}
    in: {A: "T[N]"}
    out: {Z: "T[N]"}
    body: |
      z[n,k] = select(k == 0, A[n], padded(z[n,k - 1], 0) + padded(z[n - 1,n - k], 0))
      Z[n] = z[n,n]
''', r'''
ops:
  - op: partition_function
    doc: the sum over all foldings of a strand, pairs weighted by their kind (McCaskill)
    types: {T: [f32, f64]}
    attrs: {gap: int = 3}
    require: [gap >= 0]
    in: {S: "u8[N]", W: "T[4, 4]"}
    out: {Z: "T[]", P: "T[N]"}
    body: |
      q[i,j] = select(i >= j, 1, padded(q[i + 1,j], 1) + sum[k : i < k and k <= j](select(k - i > gap, W[S[i] % 4,S[k] % 4], 0)*padded(q[i + 1,k - 1], 1)*padded(q[k + 1,j], 1)))
      Z[] = padded(q[0,N - 1], 1)
      P[j] = q[0,j]
''', r'''
ops:
  - op: affine_gotoh
    doc: the best score of an alignment whose gaps cost less to go on, of each of several sequences
    types: {T: [f32, i32]}
    attrs: {open: T = 5, extend: T = 1}
    in: {A: "u8[N]", B: "u8[G, M]", Sub: "T[4, 4]", Len: "i32[G]"}
    index: {i: N + 1, j: M + 1}
    out: {Y: "T[G]", Ends: "T[G, N]"}
    body: |
      s[g,i,j] = select(i > 0 and j > 0, Sub[padded(A[i - 1], 0) % 4,padded(B[g,j - 1], 0) % 4], 0)
      e[g,i,j] = select(j == 0, -9999, max(padded(h[g,i,j - 1], -9999) - open, padded(e[g,i,j - 1], -9999) - extend))
      f[g,i,j] = select(i == 0, -9999, max(padded(h[g,i - 1,j], -9999) - open, padded(f[g,i - 1,j], -9999) - extend))
      h[g,i,j] = select(i == 0 and j == 0, 0, max(select(i > 0 and j > 0, padded(h[g,i - 1,j - 1], 0) + s[g,i,j], -9999), e[g,i,j], f[g,i,j]))
      Y[g] = h[g,N,clamp(Len[g], 0, M)]
      Ends[g,k] = max[j : j <= Len[g]](h[g,k + 1,j])
''']

HEAD = '''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[M, N]", P: "i32[M]"}
    out: {Y: "T[M, N]"}
    body: |
'''
BAD = [
    dict(why='one past the start downwards', text=HEAD + '      Y[i,j] = X[i,j] + «Y[i + 1,j]»\n'),
    dict(why='a fold that starts with a later element', text=HEAD + '      Y[i,j] = fold[k](a = padded(«Y[i,j + 1]», 0) + padded(«Y[i,j - 1]», 0), a + X[i,k])\n'),
    dict(why='a reflection of the own row', text=HEAD + '      Y[i,j] = X[i,j] + padded(«Y[i,N - 1 - j]», 0)\n'),
    dict(why='the condition bounds another variable', text=HEAD + '      Y[i,j] = X[i,j] + sum[k : j < i](padded(«Y[k,j]», 0))\n'),
    dict(why='a clamp that includes the element', text=HEAD + '      Y[i,j] = X[i,j] + padded(«Y[clamp(P[i], -1, i),j]», 0)\n'),
    dict(why='a product of variables', text=HEAD + '      Y[i,j] = X[i,j] + padded(«Y[i*j - 1,j]», 0)\n'),
    dict(why='half is not before at 0', text=HEAD + '      Y[i,j] = X[i,j] + padded(«Y[i//2,j]», 0)\n'),
    dict(why='a bare read past the end under a sum', text=HEAD + '      Y[i,j] = sum[k](X[i,k]*X[i,«k + j»])\n'),
    dict(why='u8 is wider than a table', text=HEAD.replace('P: "i32[M]"', 'P: "u8[M]"').replace('    body', '    tables: {W: {type: "T[200]", of: [k], values: "k"}}\n    body') + '      Y[i,j] = X[i,j]*W[«P[i]»]\n'),
    dict(why='the rest of a signed number by a negative one', text=HEAD + '      Y[i,j] = X[«P[i] % (0 - M)»,j]\n'),
    dict(why='a shift makes it larger', text=HEAD + '      Y[i,j] = X[i,«shl(j, 1)»]\n'),
    dict(why='f32 beside f64', text=HEAD.replace('P: "i32[M]"', 'P: "f64[M]"').replace('{T: float}', '{T: [f32]}') + '      Y[i,j] = «X[i,j] + P[i]»\n'),
    dict(why='truth beside a float', text=HEAD.replace('P: "i32[M]"', 'P: "bool[M]"') + '      Y[i,j] = «X[i,j]*P[i]»\n'),
    dict(why='an index that is real', text=HEAD + '      Y[i,j] = X[i,«j/2»]\n'),
    dict(why='a type from no type', text=HEAD + '      Y[i,j] = cast(X[i,j], «unsigned(T)»)\n'),
    dict(why='a value that is defined twice', text=HEAD + '      a[i] = P[i]\n      «a[i]» = 2*P[i]\n      Y[i,j] = X[i,j] + a[i]\n'),
    dict(why='an update that reads its own value', text=HEAD + '      Y[i,j] = X[i,j]\n      Y[wrap(P[i], M),j] += «Y[i,j]»\n'),
]


def cases(rng):
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for p, n in (((), 1), ((3,), 33), ((2, 2), 17), ((), 0), ((0,), 5)):
            x = rand(rng, (*p, n), key)
            d = (rng.integers(0, 24, n)/4).astype(np_dtype(key))
            y = np.zeros((*p, n))
            for t in range(n):
                w = int(np.floor(wide(d)[t])); fr = wide(d)[t] - w
                u = 1 - fr
                c = [(-u*(u - 1)*(u - 2))/6, (u + 1)*(u - 1)*(u - 2)/2, -(u + 1)*u*(u - 2)/2, (u + 1)*u*(u - 1)/6]
                for k in range(4):
                    i = t - w + k - 2
                    if 0 <= i < n: y[..., t] += c[k]*wide(x)[..., i]
            yield dict(op='farrow_delays', key=key, inputs=[x, d], want=[y], tol=tol(ulp=4, acc=32, mid=8, mag=8.0))
        for m, n in ((1, 1), (5, 9), (8, 8), (4, 0)):
            g = rand(rng, (m, n), key)
            for steps in (0, 1, 5):
                x = wide(g)/np.sqrt((wide(g)**2).sum() + 1e-12)
                for _ in range(steps):
                    a = x @ x.T
                    x = 3.4445*x + (-4.775*a + 2.0315*a @ a) @ x
                yield dict(op='polar_by_steps', key=key, inputs=[g], attrs={'steps': steps}, want=[x], tol=tol(ulp=4, acc=400*(m + n)*(4**steps), mag=1.0))
    for key in ('f32', 'f64'):
        for n, p in ((6, 1), (40, 4), (100, 9)):
            x = rand(rng, (n,), key)
            f, b = wide(x).copy(), wide(x).copy()
            ks, a = [], np.zeros(p)
            for m in range(1, p + 1):
                fb, bb = f[m:], b[m - 1:-1]
                k = -2*(fb @ bb)/(fb @ fb + bb @ bb)
                f2, b2 = f.copy(), np.zeros(n)
                bs = np.concatenate([[0], b[:-1]])
                f2, b2 = f + k*bs, bs + k*f
                a2 = a.copy()
                for i in range(p): a2[i] = a[i] + k*(1 if i == m - 1 else a[m - 2 - i] if 0 <= m - 2 - i < p else 0)
                f, b, a = f2, b2, a2
                ks.append(k)
            yield dict(op='burg_coefficients', key=key, inputs=[x], attrs={'order': p}, want=[np.array(ks), a], dtypes=[key, key], tol=tol(ulp=4, acc=256*n*p, mag=4.0))
        for fr, n, lags in ((1, 3, 2), (3, 64, 20), (2, 33, 33)):
            x = np.sin(np.arange(n)*2*np.pi/np.array([7.3, 9.1, 5.7])[:fr, None] + rng.normal(0, .05, (fr, n))).astype(np_dtype(key))
            m = n - lags + 1
            d = np.array([[((wide(x)[f, :m] - wide(x)[f, l:l + m])**2).sum() for l in range(lags)] for f in range(fr)])
            s = np.cumsum(d, 1)
            dd = np.where((np.arange(lags) == 0) | (s == 0), 1, d*np.arange(lags)/np.where(s == 0, 1, s))
            lag = np.zeros(fr, np.int64)
            for f in range(fr):
                lag[f] = dd[f].argmin()
                for l in range(1, lags):
                    if dd[f, l] < .15 and (l + 1 == lags or dd[f, l] <= dd[f, l + 1]): lag[f] = l; break
            yield dict(op='pitch_by_differences', key=key, inputs=[x], attrs={'lags': lags}, want=[dd, lag], dtypes=[key, 'i64'], tol=[tol(ulp=4, acc=64*n*lags, mag=2.0), EXACT])
        for n, k in ((3, 1), (8, 3), (17, 6)):
            a = rand(rng, (n, n), key, -1, 1); a += (4*np.eye(n)).astype(a.dtype)
            b = rand(rng, (n,), key)
            q, h = [wide(b)/np.linalg.norm(wide(b))], np.zeros((k + 1, k))
            for j in range(k):
                w = wide(a) @ q[j]
                for i in range(j + 1): h[i, j] = w @ q[i]
                w = w - sum(h[i, j]*q[i] for i in range(j + 1))
                h[j + 1, j] = np.linalg.norm(w); q.append(w/h[j + 1, j])
            res = []
            for j in range(1, k + 1):
                rhs = np.zeros(j + 1); rhs[0] = np.linalg.norm(wide(b))
                y, *_ = np.linalg.lstsq(h[:j + 1, :j], rhs, rcond=None)
                res.append(np.linalg.norm(h[:j + 1, :j] @ y - rhs))
            x = np.array(q[:k]).T @ y
            yield dict(op='minimal_residuals', key=key, inputs=[a, b], attrs={'steps': k}, want=[x, np.array(res)], dtypes=[key, key], tol=tol(ulp=8, acc=512*n*k, mag=4.0))
        for n in (1, 2, 7, 33):
            r = rand(rng, (n,), key, -1, 1)/(4*n); r = r.astype(np_dtype(key)); r[0] = 1
            b = rand(rng, (n,), key)
            import scipy.linalg
            yield dict(op='toeplitz_solved', key=key, inputs=[r, b], want=[scipy.linalg.solve_toeplitz(wide(r), wide(b))], tol=tol(ulp=8, acc=64*(n + 1), mag=8.0))
        for n in (0, 1, 5, 17, 40):
            s, w = rng.integers(0, 4, n).astype(np.uint8), rand(rng, (4, 4), key, 0, .5)
            q = np.ones((n + 2, n + 2))
            qq = lambda i, j: q[i, j] if i <= j else 1.0
            for i in reversed(range(n)):
                for j in range(i + 1, n):
                    q[i, j] = qq(i + 1, j) + sum((wide(w)[s[i], s[k]] if k - i > 3 else 0)*qq(i + 1, k - 1)*qq(k + 1, j) for k in range(i + 1, j + 1))
            yield dict(op='partition_function', key=key, inputs=[s, w], want=[np.asarray(qq(0, n - 1) if n else 1.0), np.array([qq(0, j) for j in range(n)])], dtypes=[key, key], tol=tol(ulp=8, acc=64*n))
    for key in ('c64', 'c128'):
        real = {'c64': 'f32', 'c128': 'f64'}[key]
        for c, n, taps in ((1, 1, 1), (2, 40, 3), (17, 9, 5), (1, 0, 2)):
            x = rand(rng, (c, n), key, -1, 1)
            w = np.zeros((c, taps), complex); w[:, 0] = 1
            y, e = np.zeros((c, n), complex), np.zeros((c, n))
            for t in range(n):
                xs = np.array([[wide(x)[i, t - k] if t >= k else 0 for k in range(taps)] for i in range(c)])
                y[:, t] = (w*xs).sum(1); e[:, t] = abs(y[:, t])**2 - 1
                w = w - .01*(e[:, t]*y[:, t])[:, None]*np.conj(xs)
            yield dict(op='constant_modulus', key=key, inputs=[x], attrs={'taps': taps, 'rate': .01}, want=[y, e], dtypes=[key, real], tol=tol(ulp=4, acc=16*(n + taps), mag=4.0))
        for b, n in ((1, 1), (3, 4), (2, 6)):
            roots = np.exp(2j*np.pi*(np.arange(n) + rng.uniform(-.2, .2, (b, n)))/n)*rng.uniform(.7, 1.3, (b, n))
            cf = np.array([np.poly(r)[1:] for r in roots]).astype(np_dtype(key))
            r = np.broadcast_to(np.power(.4 + .9j, np.arange(n)), (b, n)).copy()
            for _ in range(60):
                q = np.array([[np.prod([r[i, k] - r[i, j] for j in range(n) if j != k]) for k in range(n)] for i in range(b)])
                v = np.array([[np.polyval(np.concatenate([[1], wide(cf)[i]]), r[i, k]) for k in range(n)] for i in range(b)])
                r = r - v/q
            # where the steps end each root is right to the precision of the coefficients, but which is first is a matter of the start
            yield dict(op='all_roots', key=key, inputs=[cf], attrs={'steps': 60}, want=[r, np.zeros((b, n))], dtypes=[key, real], tol=tol(ulp=8, acc=256*n, mag=4.0))
        for n in (1, 5, 33):
            psi, v = rand(rng, (n,), key), rand(rng, (n,), real)
            h = np.diag(2 + wide(v)) - np.eye(n, k=1) - np.eye(n, k=-1)
            y = wide(psi)
            for _ in range(3): y = np.linalg.solve(np.eye(n) + .025j*h, (np.eye(n) - .025j*h) @ y)
            yield dict(op='crank_nicolson', key=key, inputs=[psi, v], want=[y, np.asarray((abs(y)**2).sum())], dtypes=[key, real], tol=[tol(ulp=4, acc=256, mag=4.0), tol(ulp=4, acc=64*n)])
    for it in (np.int32, np.int64):
        for n in (1, 4, 9):
            for singular in (False, True):
                a, x = rng.integers(-300, 300, (n, n)), rng.integers(0, 251, n)
                if singular: a[n//2] = a[0]*(n > 1)
                b = a @ x
                w = np.concatenate([a % 251, (b % 251)[:, None]], 1).astype(object)
                rank = 0
                for t in range(n):
                    p = [i for i in range(t, n) if w[i, t] != 0]
                    if not p: continue
                    rank += 1
                    w[[t, p[0]]] = w[[p[0], t]]
                    w[t] = w[t]*pow(int(w[t, t]), -1, 251) % 251
                    for i in range(n):
                        if i != t: w[i] = (w[i] - w[i, t]*w[t]) % 251
                yield dict(op='solved_modulo', key='i32' if it is np.int32 else 'i64', inputs=[a.astype(it), b.astype(it)], want=[w[:, n].astype(np.int64), np.asarray(rank)], dtypes=['i64', 'i64'], tol=EXACT)
    for n in (0, 1, 2, 9, 40):
        w = rng.integers(1, 1000, n)
        c = []
        for i in range(n): c.append(1 if i == 0 else sum(c[j]*c[i - 1 - j] % 1000003 for j in range(i))*int(w[i]) % 1000003)
        yield dict(op='catalan_like', key='i64', inputs=[w], attrs={'count': n}, want=[np.array(c, np.int64)], tol=EXACT)
    import fnmatch
    for pat, words in (('a*b?c', ['abxc', 'axxbyc', 'abc', 'bbbb']), ('*', ['', '', '']), ('', ['', '']), ('??', ['ab', 'xy']), ('a**?*z', ['aqqz', 'azzz', 'aaaa', 'az??'])):
        m = max(map(len, words)); words = [v.ljust(m, 'q')[:m] for v in words]
        x = np.array([list(v.encode()) for v in words], np.uint8).reshape(len(words), m)
        y = np.array([fnmatch.fnmatchcase(v, pat) for v in words])
        reach = np.array([[any(fnmatch.fnmatchcase(v[:k + 1], pat[:i]) for i in range(len(pat) + 1)) for k in range(m)] for v in words]).reshape(len(words), m)
        yield dict(op='wildcard_matched', key='u8', inputs=[np.frombuffer(pat.encode(), np.uint8), x], want=[y, reach], dtypes=['bool', 'bool'], tol=EXACT)
    for key in available('i8', 'u16', 'i32', 'u64', 'f32', 'f64', 'c64', 'f16'):
        for bits in (0, 1, 3, 6):
            s = 1 << bits
            x = np.asarray(rng.integers(0, 3, s)).astype(np_dtype(key))
            f, g = wide(x).copy(), wide(x).copy()
            for b in range(bits):
                for i in range(s):
                    if i >> b & 1: f[i] += f[i ^ 1 << b]
                for i in range(s):
                    if not i >> b & 1: g[i] += g[i | 1 << b]
            yield dict(op='sums_over_subsets', key=key, inputs=[x], attrs={'bits': bits}, want=[f.astype(np_dtype(key)), g.astype(np_dtype(key))], dtypes=[key, key], tol=EXACT)
    for key in ('f32', 'f64', 'i32', 'i64'):
        for n in (0, 1, 9, 40):
            a = rng.integers(0, 50, n); b = a + rng.integers(1, 9, n)
            o = np.argsort(b, kind='stable'); a, b = a[o], b[o]
            w = rng.integers(1, 20, n).astype(np_dtype(key))
            best, take, p = [], [], [int((b[:i] <= a[i]).sum()) for i in range(n)]
            for i in range(n):
                t = int(w[i]) + (best[p[i] - 1] if p[i] else 0)
                o2 = best[i - 1] if i else 0
                take.append(t > o2); best.append(max(t, o2))
            taken, i = np.zeros(n, bool), n - 1
            while i >= 0:
                if take[i]: taken[i] = True; i = p[i] - 1
                else: i -= 1
            yield dict(op='scheduled', key=key, inputs=[a, b, w], want=[np.array(best), taken], dtypes=[key, 'bool'], tol=EXACT)
    for key in ('i32', 'i64', 'f64'):
        for n in (0, 1, 2, 9, 12):
            a = rng.integers(-3, 4, n).astype(np_dtype(key))
            z = np.zeros((n, n + 1))
            for i in range(n):
                z[i, 0] = a[i]
                for k in range(1, i + 1): z[i, k] = z[i, k - 1] + z[i - 1, i - k]
            yield dict(op='boustrophedon', key=key, inputs=[a], want=[np.array([z[i, i] for i in range(n)])], tol=EXACT)
    for key in ('f32', 'i32'):
        for n, g, m in ((1, 1, 1), (7, 3, 9), (17, 2, 33), (0, 2, 3), (3, 1, 0)):
            a, b = rng.integers(0, 4, n).astype(np.uint8), rng.integers(0, 4, (g, m)).astype(np.uint8)
            sub, ln = rng.integers(-4, 6, (4, 4)).astype(np_dtype(key)), rng.integers(0, m + 1, g).astype(np.int32)
            y, ends = np.zeros(g), np.zeros((g, n))
            for q in range(g):
                h = np.full((n + 1, m + 1), -9999.); e, f = h.copy(), h.copy()
                for i in range(n + 1):
                    for j in range(m + 1):
                        if j: e[i, j] = max(h[i, j - 1] - 5, e[i, j - 1] - 1)
                        if i: f[i, j] = max(h[i - 1, j] - 5, f[i - 1, j] - 1)
                        h[i, j] = 0 if i == j == 0 else max(h[i - 1, j - 1] + sub[a[i - 1], b[q, j - 1]] if i and j else -9999, e[i, j], f[i, j])
                y[q] = h[n, ln[q]]; ends[q] = h[1:, :ln[q] + 1].max(1)
            yield dict(op='affine_gotoh', key=key, inputs=[a, b, sub, ln], attrs={'open': 5.0 if key == 'f32' else 5, 'extend': 1.0 if key == 'f32' else 1}, want=[y, ends], dtypes=[key, key], tol=EXACT)
