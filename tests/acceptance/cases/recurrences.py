"""Values that are computed from earlier elements of themselves: filters, solvers, dynamic programs, cells, in every order of the variables."""
import numpy as np

from casekit import EXACT, available, rand, tol, wide

OPS = [r'''
ops:
  - op: biquad
    types: {T: [f32, f64]}
    attrs: {b: "float[3]", a: "float[2]", axis: int = -1}
    in: {X: "T[*P, L@axis, *Q]"}
    out: {Y: "T[*P, L, *Q]"}
    body: |
      Y[*p,t,*q] = b[0]*X[*p,t,*q] + b[1]*padded(X[*p,t - 1,*q], 0) + b[2]*padded(X[*p,t - 2,*q], 0) - a[0]*padded(Y[*p,t - 1,*q], 0) - a[1]*padded(Y[*p,t - 2,*q], 0)
''', r'''
ops:
  - op: upper_solve
    types: {T: [f32, f64]}
    in: {U: "T[N, N]", B: "T[N, M]"}
    out: {X: "T[N, M]"}
    body: |
      X[i,k] = (B[i,k] - sum[j : j > i](U[i,j]*X[j,k]))/U[i,i]
''', r'''
ops:
  - op: cholesky
    types: {T: [f32, f64]}
    in: {A: "T[N, N]"}
    out: {L: "T[N, N]"}
    body: |
      d[j] = sqrt(A[j,j] - sum[k : k < j](sq(L[k,j])))
      L[j,i] = select(i == j, d[j], select(i > j, (A[j,i] - sum[k : k < j](L[k,j]*L[k,i]))/d[j], 0))
''', r'''
ops:
  - op: gru
    types: {T: float}
    in: {X: "T[L, B, D]", W: "T[D, 3, H]", R: "T[H, 3, H]", H0: "T[B, H]"}
    out: {Y: "T[L, B, H]"}
    body: |
      z[t,b,h] = 1/(1 + exp(-(sum[d](X[t,b,d]*W[d,0,h]) + sum[k](padded(Y[t - 1,b,k], H0[b,k])*R[k,0,h]))))
      r[t,b,h] = 1/(1 + exp(-(sum[d](X[t,b,d]*W[d,1,h]) + sum[k](padded(Y[t - 1,b,k], H0[b,k])*R[k,1,h]))))
      n[t,b,h] = tanh(sum[d](X[t,b,d]*W[d,2,h]) + sum[k](r[t,b,k]*padded(Y[t - 1,b,k], H0[b,k])*R[k,2,h]))
      Y[t,b,h] = (1 - z[t,b,h])*n[t,b,h] + z[t,b,h]*padded(Y[t - 1,b,h], H0[b,h])
''', r'''
ops:
  - op: viterbi
    types: {T: [f32, f64, i32]}
    in: {A: "T[S, S]", E: "T[L, S]"}
    require: [S >= 1]
    out: {V: "T[L, S]", P: "i64[L, S]", B: "i64[L]"}
    body: |
      W[t,j], P[t,j] = max_at[i](padded(V[t - 1,i], 0) + A[i,j])
      V[t,j] = E[t,j] + select(t == 0, 0, W[t,j])
      B[t] = select(t == L - 1, argmax[i](V[L - 1,i]), padded(P[t + 1,clamp(padded(B[t + 1], 0), 0, S - 1)], 0))
''', r'''
ops:
  - op: selective_scan
    types: {T: [f32, f64]}
    in: {X: "T[B, L, C]", D: "T[B, L, C]", A: "T[C, N]", U: "T[B, L, N]", V: "T[B, L, N]"}
    out: {Y: "T[B, L, C]"}
    body: |
      h[b,t,c,n] = exp(D[b,t,c]*A[c,n])*padded(h[b,t - 1,c,n], 0) + D[b,t,c]*U[b,t,n]*X[b,t,c]
      Y[b,t,c] = sum[n](h[b,t,c,n]*V[b,t,n])
''', r'''
ops:
  - op: chain_order
    doc: the cheapest order of a chain of products
    types: {I: [i32, i64, f64]}
    in: {P: "I[Q]"}
    let: {N: Q - 1}
    require: [Q >= 1]
    index: {i: N, j: N, k: N}
    out: {C: "I[N, N]"}
    body: |
      C[i,j] = select(i >= j, 0, min[k : i <= k and k < j](C[i,k] + padded(C[k + 1,j], 0) + P[i]*padded(P[k + 1], 0)*padded(P[j + 1], 0)))
''', r'''
ops:
  - op: common_length
    types: {I: [i32, u8]}
    in: {A: "I[N]", B: "I[M]"}
    out: {D: "i32[N, M]"}
    body: |
      D[i,j] = select(A[i] == B[j], padded(D[i - 1,j - 1], 0) + 1, max(padded(D[i - 1,j], 0), padded(D[i,j - 1], 0)))
''', r'''
ops:
  - op: knapsack
    types: {I: [i32, i64]}
    in: {Weight: "I[N]", Value: "I[N]"}
    attrs: {room: int = 10}
    index: {w: room + 1}
    require: [room >= 0]
    out: {Best: "I[N]"}
    body: |
      d[i,w] = max(padded(d[i - 1,w], 0), select(Weight[i] <= w, padded(d[i - 1,w - Weight[i]], 0) + Value[i], 0))
      Best[i] = d[i,room]
''', r'''
ops:
  - op: tridiagonal
    doc: Thomas' algorithm; A below, B on and C above the diagonal
    types: {T: [f32, f64]}
    in: {A: "T[N]", B: "T[N]", C: "T[N]", D: "T[N, M]"}
    out: {X: "T[N, M]"}
    body: |
      c[i] = C[i]/(B[i] - A[i]*padded(c[i - 1], 0))
      d[i,m] = (D[i,m] - A[i]*padded(d[i - 1,m], 0))/(B[i] - A[i]*padded(c[i - 1], 0))
      X[i,m] = d[i,m] - c[i]*padded(X[i + 1,m], 0)
''', r'''
ops:
  - op: sideways
    doc: one sweep in place, from neighbours that are new and others that are old
    types: {T: [f32, f64, i32]}
    in: {X: "T[K, N]"}
    out: {Y: "T[K, N]"}
    body: Y[t,j] = X[t,j] + 2*padded(Y[t,j - 1], 0) - padded(Y[t - 1,j + 1], 0) + padded(Y[t - 1,j], 3)
''', r'''
ops:
  - op: turned_order
    doc: the second variable has to run outside
    types: {T: [f32, i32]}
    in: {X: "T[K, N]"}
    out: {Y: "T[K, N]"}
    body: Y[i,j] = X[i,j] + padded(Y[i - 1,j - 1], 1) - padded(Y[i + 1,j - 1], 2)
''', r'''
ops:
  - op: rows_of_maxima
    doc: a group in which one of two statements runs along its rows
    types: {T: [f32, f64, f16]}
    in: {X: "T[K, N]"}
    require: [N >= 1]
    out: {Y: "T[K, N]"}
    body: |
      m[t] = max[j](padded(Y[t - 1,j], 0))
      Y[t,j] = X[t,j] - 0.5*m[t] + 0.25*padded(Y[t,j + 1], 0)
''', r'''
ops:
  - op: renewals
    types: {T: [f32, f64, i64]}
    in: {F: "T[N]", X: "T[N]"}
    out: {U: "T[N]", S: "T[N]"}
    body: |
      U[n] = X[n] + sum[k : k <= n - 2](padded(F[n - k], 0)*U[k])
      S[n] = 1 + sum[k : k < n](S[k])
''', r'''
ops:
  - op: automaton
    types: {I: [u8, i32]}
    in: {Next: "I[S, 4]", X: "u8[N]"}
    require: [S >= 1]
    out: {Q: "I[N]", Seen: "bool[N]"}
    body: |
      Q[n] = Next[clamp(padded(Q[n - 1], 0), 0, S - 1),X[n] % 4]
      Seen[n] = X[n] == 3 or padded(Seen[n - 1], false)
''', r'''
ops:
  - op: rotations
    types: {T: complex}
    in: {X: "T[N, M]", W: "T[M]"}
    out: {Y: "T[N, M]"}
    body: Y[n,m] = X[n,m] + W[m]*padded(Y[n - 1,m], 0)
''', r'''
ops:
  - op: smoothed_and_shared
    kind: composite
    types: {T: [f32, f64]}
    attrs: {keep: float = 0.5}
    in: {X: "T[M, N]"}
    out: {Y: "T[M, N]"}
    body: |
      s[m,n] = keep*padded(s[m,n - 1], 0) + X[m,n]
      p = softmax(s, axis=-1)
      Y[m,n] = p[m,n] + padded(Y[m - 1,n], 0)
''', r'''
ops:
  - op: clamped_lags
    doc: a guard may bring an index to an element that is not computed yet, which is 0
    types: {T: [f32, f64, i32]}
    in: {X: "T[K, N]"}
    out: {Y: "T[K, N]", Z: "T[K, N]"}
    body: |
      Y[t,n] = X[t,n] + 2*Y[clamp(t - 2, 0, K - 1),n]
      Z[t,n] = X[t,n] - Z[clamp(t + 1, 0, K - 1),n]
''', r'''
ops:
  - op: neighbours_around
    types: {T: [f32, f64, i32]}
    in: {X: "T[K, N]"}
    out: {Y: "T[K, N]"}
    body: |
      v[y,x] = X[y,x] + e[mirror(y - 1, K),clamp(x + 1, 0, N - 1)] - e[y,wrap(x - 1, N)]
      e[y,x] = v[y,x] + 1
      Y[y,x] = v[y,x]
''']

HEAD = '''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[M, N]"}
    out: {Y: "T[M, N]"}
    body: |
'''
BAD = [
    dict(why='a diagonal that both orders break', text=HEAD + '      Y[i,j] = X[i,j] + padded(«Y[i - 1,j + 1]», 0) + padded(«Y[i + 1,j - 1]», 0)\n'),
    dict(why='the same row, all of it', text=HEAD + '      Y[i,j] = X[i,j] + sum[k](«Y[i,k]»)\n'),
    dict(why='another statement between', text=HEAD + '      a[i,j] = X[i,j] + padded(«Y[i - 1,j]», 0)\n      b[i,j] = X[i,j]\n      Y[i,j] = a[i,j]\n'),
    dict(why='no variable in common', text=HEAD + '      a[i,j] = X[i,j] + padded(«b[j - 1,i]», 0)\n      b[j,i] = a[i,j]\n      Y[i,j] = a[i,j]\n'),
    dict(why='a condition of a choice is not a fact', text=HEAD + '      Y[i,j] = X[i,j] + sum[k](select(k < i, «Y[k,j]», 0))\n'),
    dict(why='the place is data', text=HEAD.replace('"T[M, N]"}\n    out', '"T[M, N]", P: "i32[M]"}\n    out') + '      Y[i,j] = X[i,j] + «Y[wrap(P[i], M),j]»\n'),
    dict(why='later in the group', text=HEAD + '      a[i,j] = X[i,j] + padded(«Y[i - 1,j + 1]», 0) + padded(«Y[i,j + 1]», 0)\n      Y[i,j] = a[i,j] + padded(«a[i,j - 1]», 0)\n'),
]


def rounded(x, key):
    return np.asarray(x).astype(rand(np.random.default_rng(0), (1,), key).dtype).astype(np.float64)


def biquad(x, b, a):
    y = np.zeros(x.shape)
    at = lambda v, t: v[t] if t >= 0 else 0
    for t in range(x.shape[0]):
        y[t] = b[0] * x[t] + b[1] * at(x, t - 1) + b[2] * at(x, t - 2) - a[0] * at(y, t - 1) - a[1] * at(y, t - 2)
    return y


def gru(x, w, r, h):
    y, sig = [], lambda v: 1 / (1 + np.exp(-v))
    for t in range(x.shape[0]):
        z = sig(x[t] @ w[:, 0] + h @ r[:, 0])
        q = sig(x[t] @ w[:, 1] + h @ r[:, 1])
        n = np.tanh(x[t] @ w[:, 2] + (q * h) @ r[:, 2])
        h = (1 - z) * n + z * h
        y.append(h)
    return np.array(y).reshape(x.shape[0], *h.shape)


def cases(rng):
    for key in ('f32', 'f64'):
        for shape, axis in [((1,), 0), ((33,), -1), ((5, 17), 1), ((17, 5), 0), ((2, 9, 3), 1), ((0, 4), 1), ((3, 0), 1), ((9, 40), 1)]:
            x, b, a = rand(rng, shape, key), [0.25, 0.5, 0.25], [-0.5, 0.25]
            y = np.moveaxis(biquad(np.moveaxis(wide(x), axis, 0), b, a), 0, axis)
            yield dict(op='biquad', key=key, inputs=[x], attrs={'b': b, 'a': a, 'axis': axis}, want=[y], tol=tol(ulp=4, acc=60, mag=8.0))
        for n, m in [(1, 1), (5, 3), (17, 33), (0, 4), (4, 0)]:
            u, b = rand(rng, (n, n), key, -0.2, 0.2), rand(rng, (n, m), key)
            u = u + (2 * np.eye(n)).astype(u.dtype)
            x = np.zeros((n, m))
            for i in reversed(range(n)):
                x[i] = (wide(b)[i] - wide(u)[i, i + 1:] @ x[i + 1:]) / wide(u)[i, i]
            yield dict(op='upper_solve', key=key, inputs=[u, b], want=[x], tol=tol(ulp=8, acc=16 * (n + 1), mag=4.0))
            g = rand(rng, (n, n), key, -0.3, 0.3)
            s = (wide(g) @ wide(g).T + 2 * np.eye(n)).astype(g.dtype)
            yield dict(op='cholesky', key=key, inputs=[s], want=[np.linalg.cholesky(wide(s)).T if n else np.zeros((0, 0))], tol=tol(ulp=8, acc=40 * (n + 1), mag=4.0))
        for b, l, c, n in [(1, 1, 1, 1), (2, 7, 5, 16), (1, 9, 3, 4), (2, 0, 3, 2), (0, 2, 2, 2)]:
            x, d, u, v = rand(rng, (b, l, c), key), rand(rng, (b, l, c), key, 0, 1), rand(rng, (b, l, n), key), rand(rng, (b, l, n), key)
            a = rand(rng, (c, n), key, -1, 0)
            h, y = np.zeros((b, c, n)), np.zeros((b, l, c))
            for t in range(l):
                h = np.exp(wide(d)[:, t, :, None] * wide(a)) * h + (wide(d)[:, t] * wide(x)[:, t])[..., None] * wide(u)[:, t, None]
                y[:, t] = (h * wide(v)[:, t, None]).sum(-1)
            yield dict(op='selective_scan', key=key, inputs=[x, d, a, u, v], want=[y], tol=tol(ulp=4, acc=80 * (l + n), mag=8.0))
        for n, m in [(1, 1), (5, 3), (17, 33), (0, 2), (3, 0)]:
            a, b, c, d = rand(rng, (n,), key, -1, 1), rand(rng, (n,), key, 3, 4), rand(rng, (n,), key, -1, 1), rand(rng, (n, m), key)
            full = np.diag(wide(b)) + np.diag(wide(a)[1:], -1) + np.diag(wide(c)[:-1], 1) if n else np.zeros((0, 0))
            yield dict(op='tridiagonal', key=key, inputs=[a, b, c, d], want=[np.linalg.solve(full, wide(d)) if n else np.zeros((0, m))], tol=tol(ulp=8, acc=60, mag=4.0))
        for m, n in [(1, 1), (3, 17), (5, 33), (0, 4), (3, 0)]:
            x = rand(rng, (m, n), key)
            s = np.zeros((m, n))
            for j in range(n):
                s[:, j] = 0.5 * (s[:, j - 1] if j else 0) + wide(x)[:, j]
            e = np.exp(s - s.max(1, keepdims=True, initial=-np.inf))
            yield dict(op='smoothed_and_shared', key=key, inputs=[x], want=[np.cumsum(e / e.sum(1, keepdims=True), 0)], tol=tol(ulp=8, acc=40 + n, mag=4.0))
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for l, b, d, h in [(1, 1, 1, 1), (5, 2, 3, 17), (4, 3, 5, 8), (0, 2, 2, 2), (3, 0, 2, 2), (3, 1, 0, 4)]:
            x, w, r, h0 = rand(rng, (l, b, d), key), rand(rng, (d, 3, h), key, -0.5, 0.5), rand(rng, (h, 3, h), key, -0.3, 0.3), rand(rng, (b, h), key, -1, 1)
            yield dict(op='gru', key=key, inputs=[x, w, r, h0], want=[gru(wide(x), wide(w), wide(r), wide(h0))], tol=tol(ulp=4, acc=60 * (d + h), mid=4 * l, mag=2.0))
    for key in ('f32', 'f64', 'i32'):
        for l, s in [(1, 1), (7, 3), (20, 17), (5, 16), (0, 3)]:
            a, e = rand(rng, (s, s), key, -50, 50), rand(rng, (l, s), key, -50, 50)
            v, p, w = np.zeros((l, s)), np.zeros((l, s), np.int64), np.zeros(l, np.int64)
            for t in range(l):
                m = (v[t - 1] if t else np.zeros(s))[:, None] + wide(a)
                if key == 'f32':
                    m = m.astype(np.float32).astype(np.float64)
                p[t] = m.argmax(0)
                v[t] = wide(e)[t] + (m.max(0) if t else 0)
                if key == 'f32':
                    v[t] = v[t].astype(np.float32)
            for t in reversed(range(l)):
                w[t] = v[-1].argmax() if t == l - 1 else p[t + 1, w[t + 1]]
            yield dict(op='viterbi', key=key, inputs=[a, e], want=[v, p, w], dtypes=[key, 'i64', 'i64'], tol=EXACT)
    for key in ('i32', 'i64', 'f64'):
        for n in (0, 1, 2, 5, 12):
            p = rand(rng, (n + 1,), key, 1, 9)
            if key == 'f64':
                p = np.round(p)
            c = np.zeros((n, n))
            for i in reversed(range(n)):
                for j in range(i + 1, n):
                    c[i, j] = min(c[i, k] + c[k + 1, j] + wide(p)[i] * wide(p)[k + 1] * wide(p)[j + 1] for k in range(i, j))
            yield dict(op='chain_order', key=key, inputs=[p], want=[c], tol=EXACT)
    for key in ('i32', 'u8'):
        for n, m in [(0, 0), (0, 3), (1, 1), (5, 7), (33, 17)]:
            a, b = rand(rng, (n,), key, 0, 3), rand(rng, (m,), key, 0, 3)
            d = np.zeros((n + 1, m + 1), np.int32)
            for i in range(n):
                for j in range(m):
                    d[i + 1, j + 1] = d[i, j] + 1 if a[i] == b[j] else max(d[i, j + 1], d[i + 1, j])
            yield dict(op='common_length', key=key, inputs=[a, b], want=[d[1:, 1:]], dtypes=['i32'], tol=EXACT)
        for n in (0, 1, 17, 100):
            table, x = rand(rng, (7, 4), key, 0, 6), rng.integers(0, 256, n).astype(np.uint8)
            q, state, seen = [], 0, np.maximum.accumulate(x == 3)
            for v in x:
                state = int(table[state, v % 4])
                q.append(state)
            yield dict(op='automaton', key=key, inputs=[table, x], want=[np.array(q, table.dtype).reshape(n), seen], dtypes=[key, 'bool'], tol=EXACT)
    for t in ('i32', 'i64'):
        for n, room in [(0, 3), (1, 0), (5, 10), (9, 40)]:
            w, v = rand(rng, (n,), t, 0, 9), rand(rng, (n,), t, 0, 50)
            d, best = np.zeros(room + 1, np.int64), []
            for i in range(n):
                d = np.array([max(d[c], d[c - w[i]] + v[i] if w[i] <= c else 0) for c in range(room + 1)])
                best.append(d[room])
            yield dict(op='knapsack', key=t, inputs=[w, v], attrs={'room': room}, want=[np.array(best, np.int64)], tol=EXACT)
    for key in ('f32', 'f64', 'i32'):
        for k, n in [(1, 1), (4, 7), (3, 33), (0, 3), (3, 0)]:
            x = rand(rng, (k, n), key, -4, 4)
            x = x if key == 'i32' else np.round(x)
            y = np.zeros((k + 1, n + 2))
            y[0] = 0
            for i in range(k):
                for j in range(n):
                    y[i + 1, j + 1] = wide(x)[i, j] + 2 * y[i + 1, j] * (j > 0) - (y[i, j + 2] if i and j + 1 < n else 0) + (y[i, j + 1] if i else 3)
            small = np.abs(y).max(initial=0) < 2**24
            if small or key == 'f64':
                yield dict(op='sideways', key=key, inputs=[x], want=[y[1:, 1:-1]], tol=EXACT if small else tol(ulp=1))
    for key in ('f32', 'f64', 'i32'):
        for k, n in [(1, 1), (4, 7), (7, 17), (0, 3), (3, 0)]:
            x = rand(rng, (k, n), key, -4, 4)
            x = x if key == 'i32' else np.round(x)
            y, z, e = np.zeros((k, n)), np.zeros((k, n)), np.zeros((k, n))
            for t in range(k):
                y[t] = wide(x)[t] + 2 * y[max(t - 2, 0)]
                z[k - 1 - t] = wide(x)[k - 1 - t] - z[min(k - t, k - 1)]
            yield dict(op='clamped_lags', key=key, inputs=[x], want=[y, z], tol=EXACT)
            for t in range(k):
                for j in range(n):
                    e[t, j] = wide(x)[t, j] + e[max(t - 1, 0), min(j + 1, n - 1)] - e[t, j - 1] + 1
            yield dict(op='neighbours_around', key=key, inputs=[x], want=[e - 1], tol=EXACT)
    for key in ('f32', 'i32'):
        for k, n in [(1, 1), (4, 7), (33, 5), (0, 3), (3, 0)]:
            x = rand(rng, (k, n), key, -4, 4)
            x = x if key == 'i32' else np.round(x)
            y = np.zeros((k, n))
            for j in range(n):
                for i in range(k):
                    y[i, j] = wide(x)[i, j] + (y[i - 1, j - 1] if i and j else 1) - (y[i + 1, j - 1] if i + 1 < k and j else 2)
            yield dict(op='turned_order', key=key, inputs=[x], want=[y], tol=EXACT)
    for key in available('f32', 'f64', 'f16'):
        for k, n in [(1, 1), (4, 7), (3, 33), (0, 3)]:
            x, y = rand(rng, (k, n), key), np.zeros((k, n))
            for t in range(k):
                m = y[t - 1].max() if t else 0
                for j in reversed(range(n)):
                    y[t, j] = rounded(wide(x)[t, j] - 0.5 * m + 0.25 * (y[t, j + 1] if j + 1 < n else 0), key)
            yield dict(op='rows_of_maxima', key=key, inputs=[x], want=[y], tol=tol(ulp=4, acc=20, mid=8, mag=4.0))
    for key in ('f32', 'f64', 'i64'):
        for n in (0, 1, 2, 17):
            f, x = rand(rng, (n,), key, -1, 1), rand(rng, (n,), key, -1, 1)
            u, s = np.zeros(n), np.zeros(n)
            for i in range(n):
                u[i] = wide(x)[i] + sum(wide(f)[i - k] * u[k] for k in range(i - 1))
                s[i] = 1 + s[:i].sum()
            yield dict(op='renewals', key=key, inputs=[f, x], want=[u, s], tol=EXACT if key == 'i64' else [tol(ulp=4, acc=100 * (n + 1), mag=max(4.0, np.abs(u).max(initial=0))), EXACT])
    for key in available('c64', 'c128'):
        for n, m in [(1, 1), (7, 5), (17, 33), (0, 2), (2, 0)]:
            x, w = rand(rng, (n, m), key, -1, 1), rand(rng, (m,), key, -0.6, 0.6)
            y, state = np.zeros((n, m), complex), np.zeros(m, complex)
            for i in range(n):
                state = wide(x)[i] + wide(w) * state
                y[i] = state
            yield dict(op='rotations', key=key, inputs=[x, w], want=[y], tol=tol(ulp=4, acc=40, mag=8.0))
