"""Sweeps of linear algebra, graphs by rounds, dynamic programs with choices to follow back."""
import numpy as np
from casekit import EXACT, np_dtype, rand, tol, wide

OPS = [r'''
ops:
  - op: householder_tridiagonal
    doc: a symmetric matrix made tridiagonal by reflections, step by step
    types: {T: [f32, f64]}
    in: {A: "T[B, N, N]"}
    require: [N >= 3]
    let: {K: N - 2}
    index: {k: K}
    out: {D: "T[B, N]", E: "T[B, N]"}
    body: |
      p[b,k,i,j] = padded(a[b,k - 1,i,j], A[b,i,j])
      s[b,k] = sqrt(sum[i : i > k](sq(p[b,k,i,k])))
      v[b,k,i] = select(i > k, p[b,k,i,k] + select(i == k + 1, select(p[b,k,k + 1,k] < 0, -s[b,k], s[b,k]), 0), 0)
      h[b,k] = sum[i](sq(v[b,k,i]))
      w[b,k,i] = select(h[b,k] > 0, 2*sum[j](p[b,k,i,j]*v[b,k,j])/max(h[b,k], 1e-30), 0)
      c[b,k] = select(h[b,k] > 0, sum[i](w[b,k,i]*v[b,k,i])/max(h[b,k], 1e-30), 0)
      a[b,k,i,j] = p[b,k,i,j] - v[b,k,i]*(w[b,k,j] - c[b,k]*v[b,k,j]) - (w[b,k,i] - c[b,k]*v[b,k,i])*v[b,k,j]
      D[b,i] = a[b,K - 1,i,i]
      E[b,i] = select(i < N - 1, abs(a[b,K - 1,i,min(i + 1, N - 1)]), 0)
''', r'''
ops:
  - op: jacobi_eigenvalues
    doc: rotations of all pairs in turn, sweep by sweep
    types: {T: [f32, f64]}
    attrs: {sweeps: int = 6}
    in: {A: "T[N, N]"}
    require: [sweeps >= 1, N >= 2]
    let: {S: sweeps*N*N}
    index: {t: S}
    out: {Y: "T[N]"}
    body: |
      q[t] = t//N % N
      r[t] = t % N
      o[t,i,j] = padded(a[t - 1,i,j], A[i,j])
      g[t] = select(q[t] < r[t] and o[t,q[t],r[t]] != 0, 1, 0)
      z[t] = (o[t,r[t],r[t]] - o[t,q[t],q[t]])/(2*select(g[t] == 1, o[t,q[t],r[t]], 1))
      n[t] = select(g[t] == 1, select(z[t] < 0, -1, 1)/(abs(z[t]) + sqrt(sq(z[t]) + 1)), 0)
      c[t] = rsqrt(sq(n[t]) + 1)
      s[t] = n[t]*c[t]
      b[t,i,j] = select(q[t] == r[t], o[t,i,j], select(i == q[t], c[t]*o[t,q[t],j] - s[t]*o[t,r[t],j], select(i == r[t], s[t]*o[t,q[t],j] + c[t]*o[t,r[t],j], o[t,i,j])))
      a[t,i,j] = select(q[t] == r[t], b[t,i,j], select(j == q[t], c[t]*b[t,i,q[t]] - s[t]*b[t,i,r[t]], select(j == r[t], s[t]*b[t,i,q[t]] + c[t]*b[t,i,r[t]], b[t,i,j])))
      d[i] = a[S - 1,i,i]
      y, at = sort(d)
      Y[i] = y[i]
''', r'''
ops:
  - op: kaczmarz
    doc: projections on one row after the other
    types: {T: [f32, f64]}
    attrs: {steps: int = 20}
    in: {A: "T[M, N]", B: "T[M, R]"}
    require: [M >= 1, steps >= 1]
    index: {t: steps}
    out: {X: "T[N, R]"}
    body: |
      e[t,r] = (B[t % M,r] - sum[n](A[t % M,n]*padded(x[t - 1,n,r], 0)))/sum[n](sq(A[t % M,n]))
      x[t,n,r] = padded(x[t - 1,n,r], 0) + e[t,r]*A[t % M,n]
      X[n,r] = x[steps - 1,n,r]
''', r'''
ops:
  - op: cholesky_updated
    doc: the factor of L L' + v v', column by column
    types: {T: [f32, f64]}
    in: {L: "T[N, N]", V: "T[N]"}
    out: {Y: "T[N, N]"}
    body: |
      p[k,i] = padded(v[k - 1,i], V[i])
      r[k] = sqrt(sq(L[k,k]) + sq(p[k,k]))
      y[k,i] = select(i == k, r[k], select(i > k, (L[i,k]*L[k,k] + p[k,k]*p[k,i])/r[k], 0))
      v[k,i] = select(i > k, (r[k]*p[k,i] - p[k,k]*y[k,i])/L[k,k], 0)
      Y[i,k] = y[k,i]
''', r'''
ops:
  - op: vandermonde_solved
    doc: the coefficients of the polynomial through given points, by divided differences
    types: {T: [f64]}
    in: {X: "T[N]", F: "T[N, M]"}
    require: [N >= 1]
    out: {C: "T[N, M]"}
    body: |
      d[k,i,m] = select(k == 0, F[i,m], select(i >= k, (padded(d[k - 1,i,m], 0) - padded(d[k - 1,i - 1,m], 0))/select(i >= k and k > 0, X[i] - X[max(i - k, 0)], 1), padded(d[k - 1,i,m], 0)))
      e[k,i,m] = padded(e[k + 1,i,m], d[N - 1,i,m]) - select(i >= k, X[k]*padded(e[k + 1,min(i + 1, N - 1),m], d[N - 1,min(i + 1, N - 1),m])*select(i < N - 1, 1, 0), 0)
      C[i,m] = e[0,i,m]
    index: {i: N, k: N}
''', r'''
ops:
  - op: rank_of_bits
    doc: the rank of a matrix of bits, its rows in words, and the rows after elimination
    types: {U: [u32, u64, u8]}
    attrs: {width: int = 8}
    in: {X: "U[B, R]"}
    require: [width >= 1, width <= 8]
    index: {k: width, i: R}
    out: {Rank: "i32[B]", Y: "U[B, R]"}
    body: |
      p[b,k,i] = padded(x[b,k - 1,i], X[b,i])
      n[b,k] = padded(n1[b,k - 1], 0)
      at[b,k] = min[i : i >= n[b,k] and bit_and(shr(p[b,k,i], width - 1 - k), 1) == 1](i)
      f[b,k] = select(at[b,k] < R, at[b,k], 0)
      piv[b,k] = select(at[b,k] < R, p[b,k,clamp(f[b,k], 0, R - 1)], 0)
      w[b,k,i] = select(at[b,k] >= R, p[b,k,i], select(i == n[b,k], piv[b,k], select(i == at[b,k], p[b,k,clamp(n[b,k], 0, R - 1)], p[b,k,i])))
      x[b,k,i] = bit_xor(w[b,k,i], select(i != n[b,k] and bit_and(shr(w[b,k,i], width - 1 - k), 1) == 1, piv[b,k], 0))
      n1[b,k] = n[b,k] + select(at[b,k] < R, 1, 0)
      Rank[b] = cast(n1[b,width - 1], i32)
      Y[b,i] = x[b,width - 1,i]
''', r'''
ops:
  - op: core_numbers
    doc: rounds in which the vertex of least degree leaves
    in: {A: "bool[N, N]"}
    index: {t: N, v: N, u: N}
    out: {Core: "i32[N]", Order: "i32[N]"}
    body: |
      d[t,v] = padded(d1[t - 1,v], cast(sum[u](A[v,u]), i32))
      at[t] = argmin[v](d[t,v])
      k[t] = max(padded(k[t - 1], 0), d[t,at[t]])
      d1[t,v] = select(v == at[t] or d[t,v] >= 1000000, 1000000, d[t,v] - select(A[at[t],v], 1, 0))
      Core[at[t]] last= k[t]
      Order[t] = cast(at[t], i32)
''', r'''
ops:
  - op: hubs_and_authorities
    doc: scores of pages by links in both directions, as lists of edges
    types: {T: [f32, f64], I: index}
    attrs: {steps: int = 8}
    in: {From: "I[E]", To: "I[E]"}
    let: {N: 11}
    require: [steps >= 1]
    index: {t: steps, n: 11}
    out: {Hub: "T[11]", Auth: "T[11]"}
    body: |
      a[t,n] = sum[e : To[e] == n](padded(h[t - 1,clamp(From[e], 0, 10)], 1))
      s[t] = sqrt(sum[n](sq(a[t,n])))
      b[t,n] = a[t,n]/max(s[t], 1e-6)
      g[t,n] = sum[e : From[e] == n](b[t,clamp(To[e], 0, 10)])
      z[t] = sqrt(sum[n](sq(g[t,n])))
      h[t,n] = g[t,n]/max(z[t], 1e-6)
      Hub[n] = h[steps - 1,n]
      Auth[n] = b[steps - 1,n]
''', r'''
ops:
  - op: next_hops
    doc: shortest ways between all pairs, and the first step of each
    types: {T: [i32, i64, f64]}
    in: {W: "T[N, N]"}
    out: {D: "T[N, N]", Next: "i64[N, N]"}
    body: |
      p[k,i,j] = padded(d[k - 1,i,j], select(i == j, 0, W[i,j]))
      q[k,i,j] = padded(n[k - 1,i,j], select(W[i,j] < 1000000 or i == j, j, -1))
      l[k,i,j] = p[k,i,k] < 1000000 and p[k,k,j] < 1000000 and p[k,i,k] + p[k,k,j] < p[k,i,j]
      d[k,i,j] = select(l[k,i,j], p[k,i,k] + p[k,k,j], p[k,i,j])
      n[k,i,j] = select(l[k,i,j], q[k,i,k], q[k,i,j])
      D[i,j] = d[N - 1,i,j]
      Next[i,j] = n[N - 1,i,j]
    require: [N >= 1]
    index: {k: N}
''', r'''
ops:
  - op: closure_in_words
    doc: what can be reached, 64 vertices in a word
    in: {A: "u64[(W 64), W]"}
    require: [W >= 1]
    let: {N: 64*W}
    index: {k: N, i: N}
    out: {Y: "u64[(W 64), W]", Count: "i32[(W 64)]"}
    body: |
      p[k,i,w] = padded(r[k - 1,i,w], A[i,w])
      r[k,i,w] = select(bit_and(shr(p[k,i,k//64], k % 64), 1) == 1, bit_or(p[k,i,w], p[k,k,w]), p[k,i,w])
      Y[(v j),w] = r[N - 1,64*v + j,w]
      Count[(v j)] = sum[w](cast(popcount(r[N - 1,64*v + j,w]), i32))
''', r'''
ops:
  - op: kruskal
    doc: edges in order of weight join the sets whose least members differ
    types: {T: [f32, i32, f64]}
    attrs: {n: int}
    require: [n >= 1]
    in: {U: "i32[E]", V: "i32[E]", W: "T[E]"}
    index: {t: E, v: n}
    out: {Total: "T[]", Used: "bool[E]", Label: "i64[n]"}
    body: |
      w, at = sort(W)
      e[t] = clamp(at[t], 0, E - 1)
      p[t,v] = padded(l[t - 1,v], v)
      a[t] = p[t,clamp(U[e[t]], 0, n - 1)]
      b[t] = p[t,clamp(V[e[t]], 0, n - 1)]
      l[t,v] = select(p[t,v] == max(a[t], b[t]), min(a[t], b[t]), p[t,v])
      Used[wrap(at[t], E)] last= a[t] != b[t]
      Total[] = sum[t](select(a[t] != b[t], w[t], 0))
      Label[v] = select(E > 0, padded(l[E - 1,v], v), v)
''', r'''
ops:
  - op: word_wrap
    doc: lines of words so that the squares of the rests are least, where lines begin, and how many
    in: {Len: "i32[N]"}
    attrs: {width: int = 10}
    let: {P: N + 1}
    index: {i: P, j: N}
    out: {Cost: "i64[P]", First: "i64[P]", Lines: "i64[]"}
    body: |
      s[i] = sum[j : j < i](cast(Len[j], i64))
      c[i,j] = s[i] - s[j] + i - j - 1
      Cost[i] = select(i == 0, 0, min[j : j < i](select(c[i,j] > width, 1000000000000, padded(Cost[j], 0) + select(i == N, 0, sq(width - c[i,j])))))
      First[i] = select(i == 0, 0, min[j : j < i and c[i,j] <= width and Cost[j] + select(i == N, 0, sq(width - c[i,j])) == Cost[i]](j))
      m[i] = select(i == 0, 0, padded(m[min(First[i], i - 1)], 0) + 1)
      Lines[] = m[N]
''', r'''
ops:
  - op: bounded_knapsack
    doc: items that may be taken several times each, and how often each is
    types: {I: [i32, i64]}
    attrs: {cap: int = 10}
    in: {W: "I[N]", V: "I[N]", M: "I[N]"}
    let: {C: cap + 1}
    require: [cap >= 0]
    index: {i: N, c: C, k: C}
    out: {Best: "I[]", Take: "I[N]"}
    body: |
      d[i,c] = max[k : k <= M[i] and k*W[i] <= c](k*V[i] + padded(d[i - 1,c - k*W[i]], 0))
      Best[] = max[i](d[i,cap])
      r[i] = select(i == N - 1, cap, padded(r[i + 1], cap) - padded(t[i + 1], 0)*W[min(i + 1, N - 1)])
      t[i] = min[k : k <= M[i] and k*W[i] <= r[i] and k*V[i] + padded(d[i - 1,r[i] - k*W[i]], 0) == d[i,clamp(r[i], 0, cap)]](k)
      Take[i] = cast(t[i], I)
''', r'''
ops:
  - op: inside_scores
    doc: the inside algorithm of a grammar in Chomsky's form, in logarithms
    types: {T: [f32, f64]}
    in: {Lex: "T[S, V]", R: "T[S, S, S]", X: "i32[B, N]"}
    require: [N >= 1, S >= 1]
    out: {Y: "T[B]"}
    body: |
      q[b,l,i,a] = select(l == 0, exp(Lex[a,clamp(X[b,i], 0, V - 1)]), sum[k,c,d : k < l](exp(R[a,c,d])*padded(q[b,k,i,c], 0)*padded(q[b,l - 1 - k,i + k + 1,d], 0)))
      Y[b] = log(q[b,N - 1,0,0])
    index: {l: N, i: N, k: N}
''', r'''
ops:
  - op: tilings
    doc: how many ways dominoes cover a board, column by column over masks
    attrs: {rows: int = 4, columns: int = 4}
    require: [rows >= 1, rows <= 6, columns >= 1]
    let: {S: "shl(1, rows)"}
    index: {c: columns, s: S, u: S, r: rows}
    in: {Mod: "i64[]"}
    out: {Y: "i64[]"}
    body: |
      ok[u,s] = bit_and(u, s) == 0 and fold[r](f = 0, select(bit_and(shr(bit_or(u, s), r), 1) == 1, select(f % 2 == 1, 100, f), f + 1)) % 2 == 0 and fold[r](f = 0, select(bit_and(shr(bit_or(u, s), r), 1) == 1, select(f % 2 == 1, 100, f), f + 1)) < 100
      w[c,s] = sum[u : ok[u,s]](padded(w[c - 1,u], select(u == 0, 1, 0))) % max(Mod[], 1)
      Y[] = w[columns - 1,0]
''', r'''
ops:
  - op: affine_traced
    doc: local alignment with affine gaps - the best score, where it ends and where it began
    attrs: {open: int = 3, extend: int = 1}
    in: {A: "u8[N]", B: "u8[M]"}
    out: {Score: "i64[]", Ends: "i64[2]", Starts: "i64[2]"}
    index: {e: 2}
    require: [N >= 1, M >= 1]
    body: |
      x[i,j] = max(padded(h[i - 1,j], 0) - open, padded(x[i - 1,j], -100000) - extend)
      xs[i,j] = select(padded(h[i - 1,j], 0) - open >= padded(x[i - 1,j], -100000) - extend, padded(hs[i - 1,j], 0), padded(xs[i - 1,j], 0))
      y[i,j] = max(padded(h[i,j - 1], 0) - open, padded(y[i,j - 1], -100000) - extend)
      ys[i,j] = select(padded(h[i,j - 1], 0) - open >= padded(y[i,j - 1], -100000) - extend, padded(hs[i,j - 1], 0), padded(ys[i,j - 1], 0))
      d[i,j] = padded(h[i - 1,j - 1], 0) + select(A[i] == B[j], 2, -1)
      h[i,j] = max(0, d[i,j], x[i,j], y[i,j])
      hs[i,j] = select(h[i,j] == 0, (i + 1)*(M + 1) + j + 1, select(h[i,j] == d[i,j], select(padded(h[i - 1,j - 1], 0) == 0, i*(M + 1) + j, padded(hs[i - 1,j - 1], 0)), select(h[i,j] == x[i,j], xs[i,j], ys[i,j])))
      best[i], at[i] = max_at[j](h[i,j])
      v[], r[] = max_at[i](best[i])
      Score[] = cast(v[], i64)
      Ends[e] = select(e == 0, r[], at[clamp(r[], 0, N - 1)])
      f[] = hs[clamp(r[], 0, N - 1),clamp(at[clamp(r[], 0, N - 1)], 0, M - 1)]
      Starts[e] = select(e == 0, f[]//(M + 1), f[] % (M + 1))
''']


def cases(rng):
    for key in ('f32', 'f64'):
        t_ = np_dtype(key)
        for b, n in [(1, 3), (2, 5), (1, 9), (0, 4), (1, 17)]:
            a = rng.uniform(-1, 1, (b, n, n))
            a = (a + a.transpose(0, 2, 1)).astype(t_)
            d, e = np.zeros((b, n)), np.zeros((b, n))
            for x in range(b):
                m = wide(a)[x].copy()
                for k in range(n - 2):
                    v = np.where(np.arange(n) > k, m[:, k], 0)
                    v[k + 1] += np.linalg.norm(v)*(-1 if m[k + 1, k] < 0 else 1)
                    h = v @ v
                    q = np.eye(n) - (2*np.outer(v, v)/h if h > 0 else 0)
                    m = q @ m @ q
                d[x], e[x, :-1] = np.diag(m), np.abs(np.diag(m, 1))
            yield dict(op='householder_tridiagonal', key=key, inputs=[a], want=[d, e], tol=tol(ulp=4, acc=400*n, mag=float(n)))
        for n in (2, 3, 5, 8):
            a = rng.uniform(-1, 1, (n, n))
            a = (a + a.T).astype(t_)
            yield dict(op='jacobi_eigenvalues', key=key, inputs=[a], want=[np.linalg.eigvalsh(wide(a))], tol=tol(ulp=4, acc=100*n, mag=2.*n))
        for m, n, r, steps in [(1, 1, 1, 1), (5, 3, 2, 20), (3, 7, 17, 40), (4, 4, 0, 3)]:
            a, b = rand(rng, (m, n), key, .5, 2), rand(rng, (m, r), key)
            x = np.zeros((n, r))
            for t in range(steps):
                row = wide(a)[t % m]
                x += np.outer(row, (wide(b)[t % m] - row @ x)/(row @ row))
            yield dict(op='kaczmarz', key=key, inputs=[a, b], attrs={'steps': steps}, want=[x], tol=tol(ulp=4, acc=20*steps*(n + 1), mag=8.))
        for n in (1, 2, 5, 17, 0):
            l = np.tril(rng.uniform(-.5, .5, (n, n))) + np.diag(rng.uniform(1, 2, n))
            l, v = l.astype(t_), rand(rng, (n,), key)
            y = np.linalg.cholesky(wide(l) @ wide(l).T + np.outer(wide(v), wide(v))) if n else np.zeros((0, 0))
            yield dict(op='cholesky_updated', key=key, inputs=[l, v], want=[y], tol=tol(ulp=4, acc=200*(n + 1), mag=4.*(n + 1)))
        for s, v, b, n in [(1, 1, 1, 1), (2, 3, 2, 4), (3, 5, 3, 7), (5, 2, 1, 6), (2, 2, 0, 3)]:
            lex, r, x = rand(rng, (s, v), key, -2, 0), rand(rng, (s, s, s), key, -3, -1), rng.integers(0, v, (b, n)).astype(np.int32)
            y = np.zeros(b)
            for w in range(b):
                q = np.zeros((n, n, s))
                q[0] = np.exp(wide(lex)[:, x[w]].T)
                for l in range(1, n):
                    for i in range(n - l):
                        for k in range(l):
                            q[l, i] += np.einsum('acd,c,d->a', np.exp(wide(r)), q[k, i], q[l - 1 - k, i + k + 1])
                y[w] = np.log(q[n - 1, 0, 0])
            yield dict(op='inside_scores', key=key, inputs=[lex, r, x], want=[y], tol=tol(ulp=8, acc=100*n*s, mag=4. + np.abs(y).max(initial=0)))
    for n, m in [(1, 1), (2, 3), (4, 1), (6, 5)]:
        x = np.sort(rng.uniform(-1, 1, n)) + np.arange(n)
        c = rng.uniform(-1, 1, (n, m))
        f = np.vander(x, increasing=True) @ c
        yield dict(op='vandermonde_solved', key='f64', inputs=[x, f], want=[c], tol=tol(ulp=4, acc=1e5, mag=1.0 + np.abs(f).max()))
    for key in ('u8', 'u32', 'u64'):
        for b, r, width in [(1, 1, 8), (3, 5, 8), (2, 9, 6), (4, 3, 2)]:
            x = rng.integers(0, 2**width, (b, r)).astype(np_dtype(key)) & np_dtype(key).type(rng.integers(0, 2**width))
            rank, y = [], []
            for row in x.tolist():
                n = 0
                for k in range(width):
                    at = next((i for i in range(n, r) if row[i] >> width - 1 - k & 1), None)
                    if at is None:
                        continue
                    row[n], row[at] = row[at], row[n]
                    row = [w ^ row[n] if i != n and w >> width - 1 - k & 1 else w for i, w in enumerate(row)]
                    n += 1
                rank.append(n)
                y.append(row)
            yield dict(op='rank_of_bits', key=key, inputs=[x], attrs={'width': width}, want=[np.array(rank, np.int32), np.array(y, x.dtype)], dtypes=['i32', key], tol=EXACT)
    for n in (1, 2, 7, 17):
        for p in (.2, .6):
            a = rng.random((n, n)) < p
            a = np.triu(a, 1)
            a = a | a.T
            d, core, order, k = a.sum(1), np.zeros(n, np.int32), [], 0
            for _ in range(n):
                v = int(np.argmin(d))
                k = max(k, d[v])
                core[v] = k
                order.append(v)
                d = np.where((np.arange(n) == v) | (d >= 10**6), 10**6, d - a[v])
            yield dict(op='core_numbers', key='bool', inputs=[a], want=[core, np.array(order, np.int32)], dtypes=['i32', 'i32'], tol=EXACT)
    for key in ('i32', 'i64', 'f64'):
        for n in (1, 2, 5, 12):
            w = rng.integers(1, 20, (n, n)).astype(np_dtype(key))
            w[rng.random((n, n)) < .6] = 1000000
            d, nx = w.copy(), np.where(w < 10**6, np.arange(n), -1)
            np.fill_diagonal(d, 0)
            nx[np.arange(n), np.arange(n)] = np.arange(n)
            for k in range(n):
                for i in range(n):
                    for j in range(n):
                        if d[i, k] < 10**6 and d[k, j] < 10**6 and d[i, k] + d[k, j] < d[i, j]:
                            d[i, j], nx[i, j] = d[i, k] + d[k, j], nx[i, k]
            yield dict(op='next_hops', key=key, inputs=[w], want=[d, nx.astype(np.int64)], dtypes=[key, 'i64'], tol=EXACT)
    for w in (1, 2):
        a = np.zeros((64*w, w), np.uint64)
        for _ in range(70*w):
            i, j = rng.integers(0, 64*w, 2)
            a[i, j//64] |= np.uint64(1 << int(j) % 64)
        m = [sum(int(a[i, q]) << 64*q for q in range(w)) for i in range(64*w)]
        for k in range(64*w):
            m = [x | m[k] if x >> k & 1 else x for x in m]
        yield dict(op='closure_in_words', key='u64', inputs=[a], want=[np.array([[x >> 64*q & 2**64 - 1 for q in range(w)] for x in m], np.uint64), np.array([bin(x).count('1') for x in m], np.int32)], dtypes=['u64', 'i32'], tol=EXACT)
    for key in ('f32', 'i32', 'f64'):
        for n, e in [(1, 1), (5, 9), (17, 40), (4, 1)]:
            u, v, w = (rng.integers(0, n, e).astype(np.int32), rng.integers(0, n, e).astype(np.int32), rng.permutation(e).astype(np_dtype(key)))
            l, used, total = list(range(n)), np.zeros(e, bool), 0
            for i in np.argsort(w, kind='stable'):
                a, b = l[u[i]], l[v[i]]
                if a != b:
                    used[i] = True
                    total += w[i]
                    l = [min(a, b) if x == max(a, b) else x for x in l]
            yield dict(op='kruskal', key=key, inputs=[u, v, w], attrs={'n': n}, want=[np.array(total, np_dtype(key)), used, np.array(l, np.int64)], dtypes=[key, 'bool', 'i64'], tol=EXACT)
    for key in ('i32', 'i64'):
        t = np_dtype(key)
        for n, cap in [(1, 0), (1, 5), (4, 17), (7, 40)]:
            w, v, m = rng.integers(1, 6, n).astype(t), rng.integers(0, 9, n).astype(t), rng.integers(0, 4, n).astype(t)
            d = np.zeros((n, cap + 1), int)
            for i in range(n):
                for c in range(cap + 1):
                    d[i, c] = max(k*v[i] + (d[i - 1, c - k*w[i]] if i else 0) for k in range(m[i] + 1) if k*w[i] <= c)
            take, c = [0]*n, cap
            for i in range(n - 1, -1, -1):
                take[i] = next(k for k in range(m[i] + 1) if k*w[i] <= c and k*v[i] + (d[i - 1, c - k*w[i]] if i else 0) == d[i, c])
                c -= take[i]*w[i]
            yield dict(op='bounded_knapsack', key=key, inputs=[w, v, m], attrs={'cap': cap}, want=[np.array(d[:, cap].max(), t), np.array(take, t)], tol=EXACT)
    for rows, cols in [(1, 1), (2, 2), (4, 4), (3, 6), (6, 5), (5, 3)]:
        s = 1 << rows
        def good(u, w):
            if u & w:
                return False
            run, full = 0, u | w
            for r in range(rows):
                if full >> r & 1:
                    if run % 2:
                        return False
                else:
                    run += 1
            return run % 2 == 0
        v = [1] + [0]*(s - 1)
        for c in range(cols):
            v = [sum(v[u] for u in range(s) if good(u, w)) % 1000003 for w in range(s)]
        yield dict(op='tilings', key='i64', inputs=[np.array(1000003)], attrs={'rows': rows, 'columns': cols}, want=[np.array(v[0])], tol=EXACT)
    for n in (0, 1, 5, 17, 40):
        x = rng.integers(1, 9, n).astype(np.int32)
        cost, first, lines = [0]*(n + 1), [0]*(n + 1), [0]*(n + 1)
        for i in range(1, n + 1):
            w = lambda j: int(x[j:i].sum()) + i - j - 1
            each = {j: cost[j] + (0 if i == n else (10 - w(j))**2) for j in range(i) if w(j) <= 10}
            cost[i] = min(each.values())
            first[i] = min(j for j in each if each[j] == cost[i])
            lines[i] = lines[first[i]] + 1
        yield dict(op='word_wrap', key='i32', inputs=[x], want=[np.array(cost), np.array(first), np.array(lines[n])], dtypes=['i64']*3, tol=EXACT)
    for n, m in [(1, 1), (5, 9), (17, 12), (30, 33)]:
        a, b = rng.integers(0, 3, n).astype(np.uint8), rng.integers(0, 3, m).astype(np.uint8)
        low, best = -10**5, (-1,)
        h, x, y = {}, {}, {}
        H = lambda i, j: h.get((i, j), (0, 0))
        for i in range(n):
            for j in range(m):
                def gap(prev, own):
                    one, two = prev[0] - 3, own[0] - 1
                    return (one, prev[1]) if one >= two else (two, own[1])
                x[i, j] = gap(H(i - 1, j), x.get((i - 1, j), (low, 0)))
                y[i, j] = gap(H(i, j - 1), y.get((i, j - 1), (low, 0)))
                p = H(i - 1, j - 1)
                d = (p[0] + (2 if a[i] == b[j] else -1), i*(m + 1) + j if p[0] == 0 else p[1])
                v = max(0, d[0], x[i, j][0], y[i, j][0])
                h[i, j] = (v, (i + 1)*(m + 1) + j + 1 if v == 0 else d[1] if v == d[0] else x[i, j][1] if v == x[i, j][0] else y[i, j][1])
                if v > best[0]:
                    best = (v, i, j, h[i, j][1])
        # of rows with the same best the first, and in it the first place
        yield dict(op='affine_traced', key='u8', inputs=[a, b], want=[np.array(best[0]), np.array(best[1:3]), np.array([best[3]//(m + 1), best[3] % (m + 1)])], dtypes=['i64']*3, tol=EXACT)
    for key in ('f32', 'f64'):
        for itype in (np.int32, np.int64):
            for e in (0, 1, 9, 40):
                f, t = rng.integers(0, 11, e).astype(itype), rng.integers(0, 11, e).astype(itype)
                h = np.ones(11)
                for _ in range(8):
                    a = np.zeros(11)
                    np.add.at(a, t, h[f])
                    a /= max(np.sqrt((a*a).sum()), 1e-6)
                    h = np.zeros(11)
                    np.add.at(h, f, a[t])
                    h /= max(np.sqrt((h*h).sum()), 1e-6)
                yield dict(op='hubs_and_authorities', key=key, inputs=[f, t], want=[h, a], tol=tol(ulp=4, acc=400, mag=1.))
