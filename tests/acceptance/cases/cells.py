"""Recurrences over products with matrices: cells of recurrent networks in the layouts that people use, and solvers."""
import numpy as np

from casekit import rand, tol, wide

OPS = """
ops:
  - op: elman
    types: {T: float}
    in: {X: "T[L, B, D]", W: "T[D, H]", R: "T[H, H]", H0: "T[B, H]"}
    out: {Y: "T[L, B, H]"}
    body: Y[t,b,h] = tanh(sum[d](X[t,b,d]*W[d,h]) + sum[k](padded(Y[t - 1,b,k], H0[b,k])*R[k,h]))

  - op: gru_batch_first
    doc: weights as PyTorch stores them, one row an output
    types: {T: [f32, f64]}
    in: {X: "T[B, L, D]", W: "T[(3 H), D]", R: "T[(3 H), H]", V: "T[(3 H)]", U: "T[(3 H)]"}
    out: {Y: "T[B, L, H]"}
    body: |
      r[b,t,h] = 1/(1 + exp(-(sum[d](X[b,t,d]*W[(0 h),d]) + V[(0 h)] + sum[k](padded(Y[b,t - 1,k], 0)*R[(0 h),k]) + U[(0 h)])))
      z[b,t,h] = 1/(1 + exp(-(sum[d](X[b,t,d]*W[(1 h),d]) + V[(1 h)] + sum[k](padded(Y[b,t - 1,k], 0)*R[(1 h),k]) + U[(1 h)])))
      n[b,t,h] = tanh(sum[d](X[b,t,d]*W[(2 h),d]) + V[(2 h)] + r[b,t,h]*(sum[k](padded(Y[b,t - 1,k], 0)*R[(2 h),k]) + U[(2 h)]))
      Y[b,t,h] = (1 - z[b,t,h])*n[b,t,h] + z[b,t,h]*padded(Y[b,t - 1,h], 0)

  - op: lstm_states
    doc: the cell is an intermediate; hidden states are the output
    types: {T: [f32, f64]}
    in: {X: "T[L, B, D]", W: "T[D, 4, H]", R: "T[H, 4, H]", C0: "T[B, H]"}
    out: {Y: "T[L, B, H]", C: "T[B, H]"}
    require: [L >= 1]
    body: |
      g[t,b,q,h] = sum[d](X[t,b,d]*W[d,q,h]) + sum[k](padded(Y[t - 1,b,k], 0)*R[k,q,h])
      c[t,b,h] = 1/(1 + exp(-g[t,b,1,h]))*padded(c[t - 1,b,h], C0[b,h]) + 1/(1 + exp(-g[t,b,0,h]))*tanh(g[t,b,2,h])
      Y[t,b,h] = tanh(c[t,b,h])/(1 + exp(-g[t,b,3,h]))
      C[b,h] = c[L - 1,b,h]

  - op: backwards_in_time
    doc: runs from the last step to the first, two steps back
    types: {T: [f32, f64]}
    in: {X: "T[L, B, D]", W: "T[D, H]", R: "T[H, H]", S: "T[H, H]"}
    out: {Z: "T[L, B]"}
    body: |
      h[t,b,j] = sum[d](X[t,b,d]*W[d,j]) + sum[k](padded(h[t + 1,b,k], 0.5)*R[k,j]) - sum[k](padded(h[t + 2,b,k], 0)*S[j,k])
      Z[t,b] = max[j](h[t,b,j])

  - op: projected_gate
    doc: only what comes before the recurrence is a product
    types: {T: [f32, f64]}
    in: {X: "T[B, L, D]", W: "T[D, H]"}
    out: {Y: "T[B, L, H]"}
    body: |
      a[b,t,h] = sum[d](X[b,t,d]*W[d,h])
      Y[b,t,h] = 1/(1 + exp(-a[b,t,h]))*padded(Y[b,t - 1,h], 0) + a[b,t,h]

  - op: stacked_cells
    doc: the second layer reads the first within a step
    types: {T: [f32]}
    in: {X: "T[L, B, H]", R: "T[H, H]", S: "T[H, H]", Q: "T[H, H]"}
    out: {Y: "T[L, B, H]"}
    body: |
      u[t,b,h] = tanh(X[t,b,h] + sum[k](padded(u[t - 1,b,k], 0)*R[k,h]))
      Y[t,b,h] = tanh(sum[k](u[t,b,k]*Q[k,h]) + sum[k](padded(Y[t - 1,b,k], 0)*S[k,h]))

  - op: kalman_means
    doc: a linear system that is watched, batches last
    types: {T: [f32, f64]}
    in: {A: "T[N, N]", K: "T[N, M]", C: "T[M, N]", Z: "T[L, M, B]"}
    out: {X: "T[L, N, B]"}
    body: |
      p[t,i,b] = sum[j](A[i,j]*padded(X[t - 1,j,b], 1))
      e[t,m,b] = Z[t,m,b] - sum[j](C[m,j]*p[t,j,b])
      X[t,i,b] = p[t,i,b] + sum[m](K[i,m]*e[t,m,b])

  - op: lower_solve_many
    types: {T: [f32, f64]}
    in: {L: "T[G, N, N]", B: "T[G, N, M]"}
    out: {X: "T[G, N, M]"}
    body: |
      X[g,i,k] = (B[g,i,k] - sum[j : j < i](L[g,i,j]*X[g,j,k]))/L[g,i,i]

  - op: upper_solve_scaled
    types: {T: [f32, f64]}
    in: {U: "T[N, N]", B: "T[N, M]", S: "T[M]"}
    out: {X: "T[N, M]"}
    body: |
      X[i,k] = S[k]*(B[i,k] - sum[j : j > i](U[i,j]*X[j,k]))/U[i,i]

  - op: unit_lower_inverse
    doc: columns of the inverse of a lower triangle with ones on its diagonal
    types: {T: [f32, f64]}
    in: {L: "T[N, N]"}
    out: {X: "T[N, N]"}
    body: |
      X[i,k] = select(i == k, 1, 0) - sum[j : j < i](L[i,j]*X[j,k])
"""


def sigmoid(x):
    return 1/(1 + np.exp(-x))


def elman(x, w, r, h0):
    y, h = [], h0
    for xt in x:
        h = np.tanh(xt @ w + h @ r)
        y.append(h)
    return np.array(y).reshape(x.shape[0], *h0.shape)


def gru(x, w, r, v, u):
    hid = r.shape[1]
    h, y = np.zeros((x.shape[0], hid)), np.zeros((x.shape[0], x.shape[1], hid))
    for t in range(x.shape[1]):
        a, b = x[:, t] @ w.T + v, h @ r.T + u
        rr, z = sigmoid(a[:, :hid] + b[:, :hid]), sigmoid(a[:, hid:2*hid] + b[:, hid:2*hid])
        n = np.tanh(a[:, 2*hid:] + rr*b[:, 2*hid:])
        h = (1 - z)*n + z*h
        y[:, t] = h
    return y


def lstm(x, w, r, c):
    h, y = np.zeros_like(c), []
    for xt in x:
        g = np.einsum('bd,dqh->bqh', xt, w) + np.einsum('bk,kqh->bqh', h, r)
        c = sigmoid(g[:, 1])*c + sigmoid(g[:, 0])*np.tanh(g[:, 2])
        h = np.tanh(c)*sigmoid(g[:, 3])
        y.append(h)
    return np.array(y), c


def backwards(x, w, r, s):
    steps, shape = x.shape[0], (x.shape[1], r.shape[0])
    one, two, out = np.full(shape, 0.5), np.zeros(shape), []
    for t in reversed(range(steps)):
        h = x[t] @ w + one @ r - two @ s.T
        one, two = h, one if t < steps - 1 else np.zeros(shape)
        out.append(h.max(axis=1))
    return np.array(out[::-1]).reshape(steps, shape[0])


def gate(x, w):
    a = x @ w
    y, h = np.zeros_like(a), np.zeros((a.shape[0], a.shape[2]))
    for t in range(a.shape[1]):
        h = sigmoid(a[:, t])*h + a[:, t]
        y[:, t] = h
    return y


def stacked(x, r, s, q):
    u = v = np.zeros(x.shape[1:])
    out = []
    for xt in x:
        u = np.tanh(xt + u @ r)
        v = np.tanh(u @ q + v @ s)
        out.append(v)
    return np.array(out).reshape(x.shape)


def kalman(a, k, c, z):
    x, out = np.ones((a.shape[0], z.shape[2])), []
    for zt in z:
        p = a @ x
        x = p + k @ (zt - c @ p)
        out.append(x)
    return np.array(out).reshape(z.shape[0], *x.shape)


def cells(rng):
    for steps, b, d, h in [(1, 1, 1, 1), (5, 1, 3, 17), (3, 7, 5, 33), (4, 2, 16, 8), (6, 9, 1, 20), (0, 3, 2, 4), (2, 13, 40, 16)]:
        yield steps, b, d, h, lambda *s, key='f32', scale=1.0: (rand(rng, s, key)*np.asarray(scale/max(1, s[0])**0.5)).astype(
            rand(rng, (1,), key).dtype)


def triangles(rng, key):
    for n, m in [(1, 1), (3, 17), (16, 16), (19, 70), (33, 5), (8, 131), (40, 1)]:
        low = np.tril(rand(rng, (n, n), key)*np.asarray(0.2)).astype(rand(rng, (1,), key).dtype)
        low[np.arange(n), np.arange(n)] = 1.5
        yield n, m, low


def cases(rng):
    loose = tol(8, acc=256, mag=1.0)
    for steps, b, d, h, some in cells(rng):
        for key in ('f32', 'f64'):
            x, w, r = some(steps, b, d, key=key), some(d, h, key=key), some(h, h, key=key)
            s, q, h0 = some(h, h, key=key), some(h, h, key=key), some(b, h, key=key)
            yield dict(op='elman', key=key, inputs=[x, w, r, h0], want=[elman(*map(wide, (x, w, r, h0)))], tol=loose)
            if steps:
                g = [some(steps, b, d, key=key), some(d, 4, h, key=key), some(h, 4, h, key=key), some(b, h, key=key)]
                yield dict(op='lstm_states', key=key, inputs=g, want=list(lstm(*map(wide, g))), tol=loose)
            p = [some(b, steps, d, key=key), some(3*h, d, key=key), some(3*h, h, key=key), some(3*h, key=key), some(3*h, key=key)]
            yield dict(op='gru_batch_first', key=key, inputs=p, want=[gru(*map(wide, p))], tol=loose)
            down = [x, w, (0.5*r).astype(r.dtype), (0.25*s).astype(s.dtype)]
            yield dict(op='backwards_in_time', key=key, inputs=down, want=[backwards(*map(wide, down))], tol=tol(16, acc=1024, mag=4.0))
            f = [some(b, steps, d, key=key), w]
            yield dict(op='projected_gate', key=key, inputs=f, want=[gate(*map(wide, f))], tol=tol(16, acc=512, mag=4.0))
            z = [(0.5*r).astype(r.dtype), some(h, d, key=key), some(d, h, key=key), some(steps, d, b, key=key)]
            want = kalman(*map(wide, z))
            yield dict(op='kalman_means', key=key, inputs=z, want=[want],
                       tol=tol(16, acc=1024, mag=1 + float(np.abs(want).max(initial=0))*4))
        x, r, s, q = some(steps, b, h), some(h, h), some(h, h), some(h, h)
        yield dict(op='stacked_cells', key='f32', inputs=[x, r, s, q], want=[stacked(*map(wide, (x, r, s, q)))], tol=loose)
        for key in ('f16', 'bf16'):
            g = [some(steps, b, d, key=key), some(d, h, key=key), some(h, h, key=key), some(b, h, key=key)]
            if all(v is not None for v in g):
                yield dict(op='elman', key=key, inputs=g, want=[elman(*map(wide, g))], tol=tol(16, mid=32, mag=1.0))
    for key in ('f32', 'f64'):
        for n, m, low in triangles(rng, key):
            b, s = rand(rng, (2, n, m), key), rand(rng, (m,), key, 1, 2)
            both, upper = np.stack([low, low]), np.ascontiguousarray(low.T)
            many = tol(16, acc=256, mag=16.0)
            yield dict(op='lower_solve_many', key=key, inputs=[both, b], want=[np.linalg.solve(wide(both), wide(b))], tol=many)
            x = np.zeros((n, m))
            for i in reversed(range(n)):
                x[i] = wide(s)*(wide(b[0, i]) - wide(upper[i, i + 1:]) @ x[i + 1:])/wide(upper[i, i])
            yield dict(op='upper_solve_scaled', key=key, inputs=[upper, b[0], s], want=[x],
                       tol=tol(16, acc=1024, mag=4*(1 + float(np.abs(x).max()))))
            unit = wide(low).copy()
            unit[np.arange(n), np.arange(n)] = 1
            yield dict(op='unit_lower_inverse', key=key, inputs=[low], want=[np.linalg.inv(unit)], tol=many)
