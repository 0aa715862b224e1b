"""Factorisations by steps, iterations and dynamic programs as people write kernels for them."""
import numpy as np

from casekit import EXACT, available, np_dtype, rand, tol, wide

OPS = r'''
ops:
  - op: lu_pivoted
    doc: an LU factorisation with the largest pivot of each column, and the order of the rows
    types: {T: [f32, f64]}
    in: {A: "T[N, N]"}
    out: {LU: "T[N, N]", P: "i64[N]"}
    require: [N >= 1]
    let: {M: N + 1}
    index: {k: N}
    body: |
      a[k,i,j] = select(k == 0, A[i,j], padded(n[k - 1,i,j], 0))
      o[k,i] = select(k == 0, i, padded(q[k - 1,i], 0))
      w[k] = argmax[i : i >= k](abs(a[k,i,k]))
      s[k,i] = select(i == k, w[k], select(i == w[k], k, i))
      b[k,i,j] = a[k,clamp(s[k,i], 0, N - 1),j]
      q[k,i] = o[k,clamp(s[k,i], 0, N - 1)]
      f[k,i] = select(i > k, b[k,i,k]/b[k,k,k], 0)
      n[k,i,j] = select(i > k, select(j == k, f[k,i], select(j > k, b[k,i,j] - f[k,i]*b[k,k,j], b[k,i,j])), b[k,i,j])
      LU[i,j] = n[N - 1,i,j]
      P[i] = q[N - 1,i]

  - op: householder_r
    doc: the triangle of a QR factorisation, a reflection a column
    types: {T: [f32, f64]}
    in: {A: "T[M, N]"}
    require: [M >= N, N >= 1]
    index: {k: N}
    out: {R: "T[N, N]"}
    body: |
      a[k,i,j] = select(k == 0, A[i,j], padded(r[k - 1,i,j], 0))
      h[k] = sqrt(sum[i : i >= k](sq(a[k,i,k])))
      v[k,i] = select(i < k, 0, a[k,i,k] + select(i == k, copysign(h[k], a[k,i,k]), 0))
      d[k] = sum[i](sq(v[k,i]))
      p[k,j] = sum[i](v[k,i]*a[k,i,j])
      r[k,i,j] = a[k,i,j] - select(d[k] > 0, 2/d[k], 0)*v[k,i]*p[k,j]
      R[l,j] = select(j >= l, r[N - 1,l,j], 0)

  - op: jacobi_poisson
    doc: sweeps of Jacobi's method for a Poisson equation with zero at the border
    types: {T: float}
    attrs: {sweeps: int = 4}
    in: {F: "T[H, W]"}
    require: [sweeps >= 1]
    index: {t: sweeps}
    out: {U: "T[H, W]"}
    body: |
      u[t,y,x] = (F[y,x] + padded(u[t - 1,y - 1,x], 0) + padded(u[t - 1,y + 1,x], 0) + padded(u[t - 1,y,x - 1], 0) + padded(u[t - 1,y,x + 1], 0))/4
      U[y,x] = u[sweeps - 1,y,x]

  - op: inverse_by_gauss
    doc: the inverse of a matrix whose pivots need no search
    types: {T: [f32, f64]}
    in: {A: "T[B, N, N]"}
    require: [N >= 1]
    index: {k: N}
    out: {Y: "T[B, N, N]"}
    body: |
      a[b,k,i,j] = select(k == 0, A[b,i,j], padded(n[b,k - 1,i,j], 0))
      p[b,k] = 1/a[b,k,k,k]
      n[b,k,i,j] = select(i == k, select(j == k, p[b,k], a[b,k,k,j]*p[b,k]), select(j == k, -a[b,k,i,k]*p[b,k], a[b,k,i,j] - a[b,k,i,k]*p[b,k]*a[b,k,k,j]))
      Y[b,i,j] = n[b,N - 1,i,j]

  - op: banded_cholesky
    doc: the factor of a symmetric band, stored by diagonals below the main one
    types: {T: [f32, f64]}
    in: {A: "T[K, N]"}
    require: [K >= 1]
    out: {L: "T[K, N]"}
    body: |
      s[j,d] = A[d,j] - sum[m : m >= 1 and m + d < K](padded(l[j - m,clamp(m + d, 0, K - 1)], 0)*padded(l[j - m,m], 0))
      l[j,d] = select(d == 0, sqrt(s[j,0]), s[j,d]/sqrt(s[j,0]))
      L[d,j] = l[j,d]

  - op: determinant_exact
    doc: Bareiss' elimination in integers, exact while nothing overflows
    in: {A: "i64[N, N]"}
    require: [N >= 1]
    index: {k: N}
    out: {D: "i64[]"}
    body: |
      a[k,i,j] = select(k == 0, A[i,j], padded(n[k - 1,i,j], 0))
      c[k] = select(k == 0, 1, padded(e[k - 1], 1))
      n[k,i,j] = select(i > k and j > k, (a[k,k,k]*a[k,i,j] - a[k,i,k]*a[k,k,j])//c[k], a[k,i,j])
      e[k] = a[k,k,k]
      D[] = e[N - 1]

  - op: matrix_exponential
    doc: by a series of as many terms as asked for
    types: {T: [f32, f64, c64]}
    attrs: {terms: int = 12}
    in: {A: "T[N, N]"}
    require: [terms >= 1]
    index: {t: terms}
    out: {Y: "T[N, N]"}
    body: |
      p[t,i,j] = select(t == 0, select(i == j, 1, 0), sum[l](padded(p[t - 1,i,l], 0)*A[l,j])/max(t, 1))
      Y[i,j] = sum[t](p[t,i,j])

  - op: orthogonalised
    doc: Newton-Schulz steps towards the nearest orthogonal matrix, as the Muon optimiser takes them
    types: {T: float}
    attrs: {steps: int = 5}
    in: {G: "T[M, N]"}
    require: [steps >= 1]
    index: {t: steps}
    out: {Y: "T[M, N]"}
    body: |
      z[] = sum[m,n](sq(G[m,n]))
      x[t,m,n] = select(t == 0, G[m,n]*rsqrt(z[] + 1e-7), padded(y[t - 1,m,n], 0))
      a[t,m,k] = sum[n](x[t,m,n]*x[t,k,n])
      b[t,m,k] = -4.775*a[t,m,k] + 2.0315*sum[j](a[t,m,j]*a[t,j,k])
      y[t,m,n] = 3.4445*x[t,m,n] + sum[k](b[t,m,k]*x[t,k,n])
      Y[m,n] = y[steps - 1,m,n]

  - op: pentadiagonal_solve
    types: {T: [f32, f64]}
    in: {A: "T[N, 5]", D: "T[N]"}
    out: {X: "T[N]"}
    body: |
      e[i] = A[i,1] - A[i,0]*padded(u[i - 2], 0)
      m[i] = A[i,2] - A[i,0]*padded(v[i - 2], 0) - e[i]*padded(u[i - 1], 0)
      u[i] = (A[i,3] - e[i]*padded(v[i - 1], 0))/m[i]
      v[i] = A[i,4]/m[i]
      z[i] = (D[i] - A[i,0]*padded(z[i - 2], 0) - e[i]*padded(z[i - 1], 0))/m[i]
      X[i] = z[i] - u[i]*padded(X[i + 1], 0) - v[i]*padded(X[i + 2], 0)

  - op: lanczos
    doc: the tridiagonal matrix that a symmetric one has on a Krylov space
    types: {T: [f32, f64]}
    attrs: {steps: int = 3}
    in: {A: "T[N, N]", Q0: "T[N]"}
    require: [steps >= 1]
    let: {K: steps}
    index: {k: steps}
    out: {Alpha: "T[K]", Beta: "T[K]"}
    body: |
      q[k,i] = select(k == 0, Q0[i]*rsqrt(sum[j](sq(Q0[j]))), padded(r[k - 1,i], 0)/padded(Beta[k - 1], 1))
      w[k,i] = sum[j](A[i,j]*q[k,j])
      Alpha[k] = sum[j](w[k,j]*q[k,j])
      r[k,i] = w[k,i] - Alpha[k]*q[k,i] - padded(Beta[k - 1], 0)*padded(q[k - 1,i], 0)
      Beta[k] = sqrt(sum[j](sq(r[k,j])))

  - op: adjoint_product
    types: {T: complex}
    attrs: {alpha: T = 1}
    in: {A: "T[M, N]", X: "T[M, K]"}
    out: {Y: "T[N, K]", G: "real(T)[N]"}
    body: |
      Y[n,k] = alpha*sum[m](conj(A[m,n])*X[m,k])
      G[n] = sum[m](real(A[m,n]*conj(A[m,n])))

  - op: local_alignment
    doc: the scores of Smith and Waterman with a gap of constant cost, the best of them and where it ends
    types: {I: index}
    attrs: {match: int = 2, mismatch: int = -1, gap: int = 1}
    in: {A: "I[N]", B: "I[M]"}
    require: [N >= 1, M >= 1]
    out: {D: "i32[N, M]", Best: "i32[]", At: "i64[]"}
    body: |
      D[i,j] = max(0, padded(D[i - 1,j - 1], 0) + select(A[i] == B[j], match, mismatch), padded(D[i - 1,j], 0) - gap, padded(D[i,j - 1], 0) - gap)
      m[i] = max[j](D[i,j])
      k[i] = argmax[j](D[i,j])
      Best[] = max[i](m[i])
      r[] = argmax[i](m[i])
      At[] = r[]*M + k[r[]]

  - op: parsed_spans
    doc: which symbols of a grammar in Chomsky's form derive which span of a text
    in: {First: "bool[N, S]", Rule: "bool[S, S, S]"}
    out: {P: "bool[N, N, S]"}
    body: |
      P[i,j,a] = select(i == j, First[i,a], any[k,b,c : i <= k and k < j](P[i,k,b] and P[clamp(k + 1, 0, N - 1),j,c] and Rule[a,b,c]))

  - op: edit_distance_with_swaps
    types: {I: index}
    in: {A: "I[N]", B: "I[M]"}
    out: {D: "i32[N, M]"}
    body: |
      d[i,j] = min(padded(D[i - 1,j], j + 1) + 1, padded(D[i,j - 1], i + 1) + 1, select(i == 0, j, select(j == 0, i, padded(D[i - 1,j - 1], 0))) + select(A[i] == B[j], 0, 1))
      s[i,j] = i >= 1 and j >= 1 and A[i] == padded(B[j - 1], -1) and padded(A[i - 1], -1) == B[j]
      t[i,j] = select(i == 1, j - 1, select(j == 1, i - 1, padded(D[i - 2,j - 2], 0))) + 1
      D[i,j] = select(s[i,j], min(d[i,j], t[i,j]), d[i,j])

  - op: shares_of_work
    doc: the smallest largest share when a list of tasks is cut into at most K runs
    in: {W: "i64[N]"}
    attrs: {parts: int = 3}
    require: [parts >= 1]
    index: {k: parts}
    out: {Y: "i64[N]"}
    body: |
      p[i] = padded(p[i - 1], 0) + W[i]
      d[k,i] = select(k == 0, p[i], min(padded(d[k - 1,i], 0), min[j : j < i](max(padded(d[k - 1,j], 0), p[i] - p[j]))))
      Y[i] = d[parts - 1,i]

  - op: forward_log_score
    doc: the log of the sum over all paths of a hidden Markov model
    types: {T: [f32, f64]}
    in: {A: "T[S, S]", B: "T[L, S]", P: "T[S]"}
    require: [L >= 1, S >= 1]
    out: {Y: "T[]"}
    body: |
      m[t,j] = select(t == 0, P[j], max[i](padded(d[t - 1,i], 0) + A[i,j]))
      d[t,j] = B[t,j] + select(t == 0, P[j], m[t,j] + log(sum[i](exp(padded(d[t - 1,i], 0) + A[i,j] - m[t,j]))))
      h[] = max[j](d[L - 1,j])
      Y[] = h[] + log(sum[j](exp(d[L - 1,j] - h[])))

  - op: alignment_path
    doc: the steps back from the end of an edit distance - 0 both, 1 the first, 2 the second text, 3 done
    types: {I: index}
    in: {A: "I[N]", B: "I[M]"}
    let: {P: N + 1, Q: M + 1, L: N + M + 1}
    index: {t: L, i: P, j: Q}
    out: {Y: "u8[L]"}
    body: |
      c[i,j] = select(padded(A[i - 1], 0) == padded(B[j - 1], 0), 0, 1)
      d[i,j] = select(i == 0, j, select(j == 0, i, min(padded(d[i - 1,j], 0) + 1, padded(d[i,j - 1], 0) + 1, padded(d[i - 1,j - 1], 0) + c[i,j])))
      y[t] = select(t == 0, N, padded(u[t - 1], 0))
      x[t] = select(t == 0, M, padded(v[t - 1], 0))
      s[t] = select(y[t] == 0 and x[t] == 0, 3, select(y[t] > 0 and x[t] > 0 and d[clamp(y[t], 0, N),clamp(x[t], 0, M)] == padded(d[y[t] - 1,x[t] - 1], -9) + c[clamp(y[t], 0, N),clamp(x[t], 0, M)], 0, select(y[t] > 0 and d[clamp(y[t], 0, N),clamp(x[t], 0, M)] == padded(d[y[t] - 1,x[t]], -9) + 1, 1, 2)))
      u[t] = y[t] - select(s[t] <= 1, 1, 0)
      v[t] = x[t] - select(s[t] == 0 or s[t] == 2, 1, 0)
      Y[t] = cast(s[t], u8)

  - op: bit_parallel_distance
    doc: Myers' edit distance of a short pattern to each prefix of a text, 64 cells a word
    in: {P: "u8[M]", X: "u8[N]"}
    require: [M >= 1, M <= 64]
    out: {D: "i32[N]"}
    body: |
      e[n] = bit_or[m](select(P[m] == X[n], shl(cast(1, u64), cast(m, u64)), cast(0, u64)))
      pv[n] = padded(pp[n - 1], 0xFFFFFFFFFFFFFFFF)
      mv[n] = padded(mm[n - 1], 0)
      xv[n] = bit_or(e[n], mv[n])
      xh[n] = bit_or(bit_xor(bit_and(e[n], pv[n]) + pv[n], pv[n]), e[n])
      ph[n] = bit_or(mv[n], bit_not(bit_or(xh[n], pv[n])))
      mh[n] = bit_and(pv[n], xh[n])
      D[n] = padded(D[n - 1], M) + cast(bit_and(shr(ph[n], cast(M - 1, u64)), 1), i32) - cast(bit_and(shr(mh[n], cast(M - 1, u64)), 1), i32)
      ps[n] = bit_or(shl(ph[n], 1), 1)
      pp[n] = bit_or(shl(mh[n], 1), bit_not(bit_or(xv[n], ps[n])))
      mm[n] = bit_and(ps[n], xv[n])
'''


def factor_cases(rng):
    for key in ('f32', 'f64'):
        for n in (1, 2, 5, 17):
            a = (rng.permutation(n*n).reshape(n, n)/n - n/3).astype(np_dtype(key))
            w, p = wide(a).copy(), np.arange(n)
            for k in range(n):
                s = k + np.argmax(np.abs(w[k:, k]))
                w[[k, s]], p[[k, s]] = w[[s, k]], p[[s, k]]
                w[k + 1:, k] /= w[k, k]
                w[k + 1:, k + 1:] -= np.outer(w[k + 1:, k], w[k, k + 1:])
            yield dict(op='lu_pivoted', key=key, inputs=[a], want=[w, p], dtypes=[key, 'i64'], tol=[tol(ulp=16, acc=256*n*n, mag=4.0*n), EXACT])
            a = rand(rng, (2, n, n), key, -.2, .2) + (2*np.eye(n)).astype(np_dtype(key))
            yield dict(op='inverse_by_gauss', key=key, inputs=[a], want=[np.linalg.inv(wide(a))], tol=tol(ulp=8, acc=64*n, mag=2.0))
            for m in (n, n + 3):
                a = rand(rng, (m, n), key)
                w = wide(a).copy()
                for k in range(n):
                    v = np.zeros(m)
                    v[k:] = w[k:, k]
                    v[k] += np.copysign(np.linalg.norm(v), v[k])
                    w -= 2/(v @ v)*np.outer(v, v @ w)
                yield dict(op='householder_r', key=key, inputs=[a], want=[np.triu(w[:n])], tol=tol(ulp=8, acc=512*m, mag=4.0*m))
        for k, n in [(1, 1), (2, 9), (4, 17), (3, 2), (3, 0)]:
            a = rand(rng, (k, n), key, -.2, .2)
            a[0] = 2
            full = np.zeros((n, n))
            for d in range(min(k, n)):
                i = np.arange(n - d)
                full[i + d, i] = full[i, i + d] = wide(a)[d, :n - d]
            low = np.linalg.cholesky(full)
            # Behind the end of a diagonal the recurrence goes on with what is stored there.
            ext = np.zeros((n, k))
            for j in range(n):
                s = [wide(a)[d, j] - sum(ext[j - m, m + d]*ext[j - m, m] for m in range(1, k - d) if j >= m) for d in range(k)]
                ext[j] = [np.sqrt(s[0])] + [v/np.sqrt(s[0]) for v in s[1:]]
            want = ext.T
            for d in range(min(k, n)):
                assert np.allclose(want[d, :n - d], low[np.arange(n - d) + d, np.arange(n - d)])
            yield dict(op='banded_cholesky', key=key, inputs=[a], want=[want], tol=tol(ulp=8, acc=64, mag=2.0))
        for n in (0, 1, 2, 3, 17, 33):
            a, d = rand(rng, (n, 5), key, -.3, .3), rand(rng, (n,), key)
            a[:, 2] = 2
            full = sum(np.diag(wide(a)[max(-o, 0):n - max(o, 0), o + 2], o) for o in range(-2, 3) if abs(o) < n) if n else np.zeros((0, 0))
            yield dict(op='pentadiagonal_solve', key=key, inputs=[a, d], want=[np.linalg.solve(full, wide(d)) if n else np.zeros(0)], tol=tol(ulp=8, acc=64, mag=2.0))
        for n, k in [(3, 1), (9, 3), (17, 4)]:
            m = rand(rng, (n, n), key)
            m, q0 = (m + m.T)/2, rand(rng, (n,), key)
            q, b, before, al, be = wide(q0)/np.linalg.norm(wide(q0)), 0, np.zeros(n), [], []
            for _ in range(k):
                w = wide(m) @ q
                al.append(w @ q)
                r = w - al[-1]*q - b*before
                before, b = q, np.linalg.norm(r)
                q = r/b
                be.append(b)
            yield dict(op='lanczos', key=key, inputs=[m, q0], attrs={'steps': k}, want=[al, be], tol=tol(ulp=8, acc=256*n, mag=4.0*n))
    for n in (1, 2, 3, 5):
        a = rng.integers(-4, 5, (n, n))
        a = a + 9*np.eye(n, dtype=np.int64)
        yield dict(op='determinant_exact', key='i64', inputs=[a], want=[np.int64(round(np.linalg.det(a)))], tol=EXACT)


def iteration_cases(rng):
    for key in available('f32', 'bf16'):
        for h, w, t in [(1, 1, 1), (5, 17, 4), (9, 3, 7), (0, 3, 2)]:
            f, u = rand(rng, (h, w), key), np.zeros((h, w))
            for _ in range(t):
                p = np.pad(u, 1)
                u = (wide(f) + p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:])/4
            yield dict(op='jacobi_poisson', key=key, inputs=[f], attrs={'sweeps': t}, want=[u], tol=tol(ulp=2, acc=32*t, mag=2.0))
        for m, n, t in [(1, 1, 1), (3, 5, 5), (8, 17, 2)]:
            g = rand(rng, (m, n), key)
            x = wide(g)/np.sqrt((wide(g)**2).sum() + 1e-7)
            for _ in range(t):
                a = x @ x.T
                x = 3.4445*x + (-4.775*a + 2.0315*a @ a) @ x
            yield dict(op='orthogonalised', key=key, inputs=[g], attrs={'steps': t}, want=[x], tol=tol(ulp=2, acc=64*(m + n)*4**t, mag=2.0))
    for key in ('f32', 'f64', 'c64'):
        for n in (1, 3, 9):
            a = rand(rng, (n, n), key, -.3, .3)
            p = y = np.eye(n)
            for t in range(1, 12):
                p = p @ wide(a)/t
                y = y + p
            yield dict(op='matrix_exponential', key=key, inputs=[a], want=[y], tol=tol(ulp=4, acc=64*n, mag=8.0))
    for key, part in (('c64', 'f32'), ('c128', 'f64')):
        for m, n, k in [(1, 1, 1), (5, 3, 17), (17, 33, 4), (0, 2, 3)]:
            a, x = rand(rng, (m, n), key), rand(rng, (m, k), key)
            yield dict(op='adjoint_product', key=key, inputs=[a, x], attrs={'alpha': .5}, want=[.5*wide(a).conj().T @ wide(x), (np.abs(wide(a))**2).sum(0)], dtypes=[key, part], tol=tol(ulp=4, acc=16*(m + 1), mag=8.0*(m + 1)))


def table_cases(rng):
    for key, t in (('i32', np.int32), ('i64', np.int64)):
        for n, m in [(1, 1), (5, 9), (17, 33), (40, 7)]:
            a, b = rng.integers(0, 3, n).astype(t), rng.integers(0, 3, m).astype(t)
            d = np.zeros((n + 1, m + 1), int)
            e = np.add.outer(np.arange(n + 1), np.arange(m + 1))
            for i in range(1, n + 1):
                for j in range(1, m + 1):
                    same = a[i - 1] == b[j - 1]
                    d[i, j] = max(0, d[i - 1, j - 1] + (2 if same else -1), d[i - 1, j] - 1, d[i, j - 1] - 1)
                    e[i, j] = min(e[i - 1, j] + 1, e[i, j - 1] + 1, e[i - 1, j - 1] + (not same))
                    if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                        e[i, j] = min(e[i, j], e[i - 2, j - 2] + 1)
            yield dict(op='local_alignment', key=key, inputs=[a, b], want=[d[1:, 1:], d.max(), np.argmax(d[1:, 1:])], dtypes=['i32', 'i32', 'i64'], tol=EXACT)
            yield dict(op='edit_distance_with_swaps', key=key, inputs=[a, b], want=[e[1:, 1:]], dtypes=['i32'], tol=EXACT)
        for n, m in [(0, 0), (1, 0), (5, 7), (17, 9)]:
            a, b = rng.integers(0, 3, n).astype(t), rng.integers(0, 3, m).astype(t)
            d = np.add.outer(np.arange(n + 1), np.arange(m + 1))
            for i in range(1, n + 1):
                for j in range(1, m + 1):
                    d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
            i, j, y = n, m, []
            for _ in range(n + m + 1):
                if i == 0 and j == 0:
                    y.append(3)
                elif i and j and d[i, j] == d[i - 1, j - 1] + (a[i - 1] != b[j - 1]):
                    y.append(0)
                    i, j = i - 1, j - 1
                elif i and d[i, j] == d[i - 1, j] + 1:
                    y.append(1)
                    i -= 1
                else:
                    y.append(2)
                    j -= 1
            yield dict(op='alignment_path', key=key, inputs=[a, b], want=[y], dtypes=['u8'], tol=EXACT)
    for n, s in [(1, 1), (5, 3), (9, 4)]:
        first, rule = rng.random((n, s)) < .5, rng.random((s, s, s)) < .2
        p = np.zeros((n, n, s), bool)
        for w in range(n):
            for i in range(n - w):
                j = i + w
                if w == 0:
                    p[i, j] = first[i]
                else:
                    for k in range(i, j):
                        p[i, j] |= (rule & p[i, k][None, :, None] & p[k + 1, j][None, None, :]).any((1, 2))
        yield dict(op='parsed_spans', key='bool', inputs=[first, rule], want=[p], tol=EXACT)
    for n, k in [(0, 2), (1, 1), (9, 3), (33, 5)]:
        w = rng.integers(1, 20, n)
        c = np.concatenate([[0], np.cumsum(w)])
        d = c[1:].copy()
        for _ in range(k - 1):
            d = np.array([min([d[i]] + [max(d[j], c[i + 1] - c[j + 1]) for j in range(i)]) for i in range(n)], np.int64)
        yield dict(op='shares_of_work', key='i64', inputs=[w], attrs={'parts': k}, want=[d], tol=EXACT)
    for key in ('f32', 'f64'):
        for l, s in [(1, 1), (9, 3), (17, 5)]:
            a, b, p = rand(rng, (s, s), key), rand(rng, (l, s), key), rand(rng, (s,), key)
            d = wide(p) + wide(b)[0]
            for t in range(1, l):
                d = wide(b)[t] + np.log(np.exp(d[:, None] + wide(a)).sum(0))
            yield dict(op='forward_log_score', key=key, inputs=[a, b, p], want=[np.log(np.exp(d).sum())], tol=tol(ulp=8, acc=64*l, mag=4.0*l))
    for m, n in [(1, 1), (5, 33), (64, 40), (63, 20), (9, 0)]:
        p, x = rng.integers(0, 4, m).astype(np.uint8), rng.integers(0, 4, n).astype(np.uint8)
        col, d = np.arange(m + 1), []
        for c in x:
            new = np.full(m + 1, col[0] + 1)
            for i in range(1, m + 1):
                new[i] = min(col[i] + 1, new[i - 1] + 1, col[i - 1] + (p[i - 1] != c))
            col = new
            d.append(col[m])
        yield dict(op='bit_parallel_distance', key='u8', inputs=[p, x], want=[d], dtypes=['i32'], tol=EXACT)


def cases(rng):
    yield from factor_cases(rng)
    yield from iteration_cases(rng)
    yield from table_cases(rng)
