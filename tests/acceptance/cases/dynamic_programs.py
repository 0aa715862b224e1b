"""Dynamic programs that people write: alignments with gaps, paths that are traced back, parses, shortest ways, seams."""
import numpy as np

from casekit import EXACT, available, rand, tol, wide

OPS = [r'''
ops:
  - op: affine_alignment
    types: {T: [f32, f64, i32]}
    attrs: {open: "T = 3", more: "T = 1"}
    in: {S: "T[N, M]"}
    out: {H: "T[N, M]", Best: "T[]"}
    body: |
      e[i,j] = max(padded(h[i,j - 1], 0) - open, padded(e[i,j - 1], -1000) - more)
      f[i,j] = max(padded(h[i - 1,j], 0) - open, padded(f[i - 1,j], -1000) - more)
      h[i,j] = max(0, padded(h[i - 1,j - 1], 0) + S[i,j], e[i,j], f[i,j])
      H[i,j] = h[i,j]
      Best[] = max[i,j](h[i,j])
''', r'''
ops:
  - op: viterbi_path
    types: {T: [f32, f64]}
    in: {A: "T[S, S]", E: "T[L, S]"}
    require: [S >= 1]
    out: {Path: "i64[L]", Score: "T[L, S]"}
    body: |
      v[t,j], from[t,j] = max_at[i](padded(d[t - 1,i], 0) + A[i,j])
      d[t,j] = E[t,j] + select(t == 0, 0, v[t,j])
      Score[t,j] = d[t,j]
      last[t] = argmax[j](d[t,j])
      Path[t] = select(t == L - 1, last[t], padded(from[t + 1,clamp(padded(Path[t + 1], 0), 0, S - 1)], 0))
''', r'''
ops:
  - op: banded_warping
    types: {T: [f32, f64]}
    attrs: {band: int = 3}
    in: {A: "T[N]", B: "T[M]"}
    out: {D: "T[N, M]"}
    body: |
      D[i,j] = select(abs(i - j) > band, inf, sq(A[i] - B[j]) + select(i == 0 and j == 0, 0, min(padded(D[i - 1,j], inf), padded(D[i,j - 1], inf), padded(D[i - 1,j - 1], inf))))
''', r'''
ops:
  - op: floyd_warshall
    types: {T: [f32, f64, i32]}
    in: {W: "T[N, N]"}
    out: {D: "T[N, N]"}
    require: [N >= 1]
    body: |
      d[k,i,j] = min(padded(d[k - 1,i,j], W[i,j]), padded(d[k - 1,i,k], W[i,k]) + padded(d[k - 1,k,j], W[k,j]))
      D[i,j] = d[N - 1,i,j]
''', r'''
ops:
  - op: longest_rise
    types: {T: real}
    in: {X: "T[N]"}
    out: {L: "i64[N]"}
    body: |
      L[i] = 1 + max(0, max[j : j < i](select(X[j] < X[i], L[j], 0)))
''', r'''
ops:
  - op: rise_lengths
    types: {T: real}
    in: {X: "T[N]"}
    out: {L: "i64[N]"}
    body: |
      L[i] = 1 + max(0, max[j : j < i and X[j] < X[i]](L[j]))
''', r'''
ops:
  - op: coin_ways
    types: {I: [i64]}
    attrs: {coins: "int[]"}
    in: {Z: "I[N]"}
    require: [coins >= 1]
    out: {W: "i64[K, N]"}
    let: {K: count(coins)}
    body: |
      W[k,a] = padded(W[k - 1,a], select(a == 0, 1, 0)) + padded(W[k,a - coins[k]], 0) + 0*Z[a]
''', r'''
ops:
  - op: rod_cutting
    types: {T: [f32, f64, i64]}
    in: {P: "T[N]"}
    let: {M: N + 1}
    out: {R: "T[M]"}
    body: |
      R[n] = max(0, max[j : j < n](R[j] + padded(P[n - j - 1], 0)))
''', r'''
ops:
  - op: palindrome_length
    types: {I: [u8, i32, i64]}
    in: {X: "I[N]"}
    out: {L: "i64[N, N]"}
    body: |
      L[i,j] = select(i > j, 0, select(i == j, 1, select(X[i] == X[j], padded(L[i + 1,j - 1], 0) + 2, max(padded(L[i + 1,j], 0), padded(L[i,j - 1], 0)))))
''', r'''
ops:
  - op: rna_pairs
    types: {I: [u8, i32]}
    in: {X: "I[N]"}
    out: {P: "i32[N, N]"}
    body: |
      P[i,j] = select(j <= i, 0, max(padded(P[i + 1,j], 0), padded(P[i + 1,j - 1], 0) + select(X[i] + X[j] == 3, 1, 0), max[k : i <= k and k < j](P[i,k] + padded(P[k + 1,j], 0))))
''', r'''
ops:
  - op: ctc_alpha
    types: {T: [f32, f64], I: index}
    in: {P: "T[L, V]", Y: "I[U]"}
    let: {S: 2*U + 1}
    require: [V >= 1]
    out: {A: "T[L, S]"}
    body: |
      lab[s] = select(s % 2 == 0, 0, padded(Y[s//2], 0))
      skip[s] = select(s % 2 == 1 and lab[s] != padded(lab[s - 2], -1), 1, 0)
      A[t,s] = P[t,clamp(lab[s], 0, V - 1)]*select(t == 0, select(s <= 1, 1, 0), padded(A[t - 1,s], 0) + padded(A[t - 1,s - 1], 0) + select(skip[s] == 1, padded(A[t - 1,s - 2], 0), 0))
''', r'''
ops:
  - op: transducer_alpha
    types: {T: [f32, f64]}
    in: {Blank: "T[L, U]", Label: "T[L, U]"}
    out: {A: "T[L, U]"}
    body: |
      A[t,u] = select(t == 0 and u == 0, 1, padded(A[t - 1,u], 0)*padded(Blank[t - 1,u], 0) + padded(A[t,u - 1], 0)*padded(Label[t,u - 1], 0))
''', r'''
ops:
  - op: crf_log_norm
    types: {T: [f32, f64]}
    in: {E: "T[B, L, S]", A: "T[S, S]", Len: "i64[B]"}
    require: [L >= 1, S >= 1]
    out: {Z: "T[B]"}
    body: |
      m[b,t,j] = max[i](padded(a[b,t - 1,i], 0) + A[i,j])
      a[b,t,j] = E[b,t,j] + select(t == 0, 0, m[b,t,j] + log(sum[i](exp(padded(a[b,t - 1,i], 0) + A[i,j] - m[b,t,j]))))
      top[b] = max[j](a[b,clamp(Len[b] - 1, 0, L - 1),j])
      Z[b] = top[b] + log(sum[j](exp(a[b,clamp(Len[b] - 1, 0, L - 1),j] - top[b])))
''', r'''
ops:
  - op: seam
    types: {T: [f32, f64, i32]}
    in: {E: "T[H, W]"}
    require: [H >= 1, W >= 1]
    out: {C: "i64[H]", M: "T[H, W]"}
    body: |
      M[y,x] = E[y,x] + select(y == 0, 0, min(padded(M[y - 1,x - 1], 100000), padded(M[y - 1,x], 0), padded(M[y - 1,x + 1], 100000)))
      low[y] = argmin[x](M[y,x])
      C[y] = select(y == H - 1, low[y], clamp(padded(C[y + 1], 0) - 1, 0, W - 1)
           + argmin[k](select(clamp(padded(C[y + 1], 0) - 1, 0, W - 1) + k < min(padded(C[y + 1], 0) + 2, W), M[y,clamp(clamp(padded(C[y + 1], 0) - 1, 0, W - 1) + k, 0, W - 1)], 1000000)))
    index: {k: 3}
''', r'''
ops:
  - op: stock_states
    types: {T: [f32, f64, i64]}
    attrs: {fee: "T = 1"}
    in: {P: "T[N]"}
    out: {Cash: "T[N]", Hold: "T[N]"}
    body: |
      Cash[t] = max(padded(Cash[t - 1], 0), padded(Hold[t - 1], -1000000) + P[t] - fee)
      Hold[t] = max(padded(Hold[t - 1], -P[t]), padded(Cash[t - 1], 0) - P[t])
''', r'''
ops:
  - op: optimal_tree
    types: {T: [f32, f64, i64]}
    in: {W: "T[N]"}
    let: {M: N + 1}
    out: {C: "T[M, M]"}
    body: |
      s[i,j] = sum[k : i <= k and k < j](W[k])
      C[i,j] = select(j <= i, 0, padded(s[i,j], 0) + min[m : i <= m and m < j](C[i,m] + padded(C[m + 1,j], 0)))
''', r'''
ops:
  - op: distance_transform
    types: {T: [f32, f64, i32]}
    in: {X: "bool[H, W]"}
    out: {D: "T[H, W]"}
    body: |
      a[y,x] = select(X[y,x], 0, min(padded(a[y - 1,x], cast(9999, T)) + 1, padded(a[y,x - 1], 9999) + 1))
      D[y,x] = min(a[y,x], padded(D[y + 1,x], 9999) + 1, padded(D[y,x + 1], 9999) + 1)
''', r'''
ops:
  - op: labels_by_steps
    types: {B: [bool]}
    attrs: {steps: int = 40}
    in: {X: "B[H, W]"}
    index: {t: steps}
    require: [steps >= 1]
    out: {L: "i32[H, W]"}
    body: |
      l[t,y,x] = select(X[y,x], select(t == 0, y*W + x + 1, max(padded(l[t - 1,y,x], 0), padded(l[t - 1,y - 1,x], 0), padded(l[t - 1,y + 1,x], 0), padded(l[t - 1,y,x - 1], 0), padded(l[t - 1,y,x + 1], 0))), 0)
      L[y,x] = l[steps - 1,y,x]
''', r'''
ops:
  - op: largest_square
    types: {B: [bool]}
    in: {X: "B[H, W]"}
    out: {S: "i32[H, W]", A: "i64[]"}
    body: |
      S[y,x] = select(X[y,x], min(padded(S[y - 1,x], 0), padded(S[y,x - 1], 0), padded(S[y - 1,x - 1], 0)) + 1, 0)
      A[] = sq(max(0, max[y,x](cast(S[y,x], i64))))
''', r'''
ops:
  - op: bellman_ford
    types: {T: [f32, f64, i32], I: index}
    attrs: {steps: int = 3, from: int = 0}
    in: {Ptr: "I[P]", Src: "I[E]", W: "T[E]"}
    let: {N: P - 1}
    require: [steps >= 1, P >= 1]
    index: {t: steps}
    out: {D: "T[N]"}
    body: |
      d[t,v] = min(padded(d[t - 1,v], select(v == from, 0, 10000)), min[e in Ptr[v] .. Ptr[v + 1]](select(t == 0, select(Src[e] == from, 0, 10000), padded(d[t - 1,clamp(Src[e], 0, N - 1)], 0)) + W[e]))
      D[v] = d[steps - 1,v]
''', r'''
ops:
  - op: links_followed
    types: {I: index}
    attrs: {steps: int = 5}
    in: {Next: "I[N]"}
    let: {L: steps}
    index: {t: L}
    require: [steps >= 0]
    out: {Y: "I[L]", Left: "I[L]"}
    body: |
      Y[t] = Next[wrap(padded(Y[t - 1], 0), N)]
      Left[t] = 100//(padded(Left[t - 1], 8) - 3)
''']


def np_t(key):
    return rand(np.random.default_rng(0), (1,), key).dtype


def cases(rng):
    for t, key in ((np.int32, 'i32'), (np.int64, 'i64')):
        for n, steps in [(1, 1), (17, 5), (33, 40), (3, 0)]:
            links = rng.integers(-n, n, n).astype(t)
            y, left, at, d = np.zeros(steps, t), np.zeros(steps, t), 0, 8
            for i in range(steps):
                at, d = links[at], 100//(d - 3)
                y[i], left[i] = at, d
            yield dict(op='links_followed', key=key, inputs=[links], attrs={'steps': steps}, want=[y, left], tol=EXACT)
        for links in ([3, 0, 1], [1, 2, -4], []):
            yield dict(op='links_followed', key=key, inputs=[np.array(links, t)], error='a link that leaves the table', out=[(key, (5,)), (key, (5,))])
    for key in ('f32', 'f64', 'i32'):
        for n, m in [(1, 1), (7, 33), (17, 5), (0, 3), (3, 0)]:
            s = rng.integers(-3, 5, (n, m)).astype(np_t(key))
            h, e, f = np.zeros((n + 1, m + 1)), np.full((n + 1, m + 1), -1000.), np.full((n + 1, m + 1), -1000.)
            for i in range(1, n + 1):
                for j in range(1, m + 1):
                    e[i, j] = max(h[i, j - 1] - 3, e[i, j - 1] - 1)
                    f[i, j] = max(h[i - 1, j] - 3, f[i - 1, j] - 1)
                    h[i, j] = max(0, h[i - 1, j - 1] + s[i - 1, j - 1], e[i, j], f[i, j])
            if n * m:
                yield dict(op='affine_alignment', key=key, inputs=[s], want=[h[1:, 1:].astype(np_t(key)), h[1:, 1:].max().astype(np_t(key))], tol=EXACT)
    for key in ('f32', 'f64'):
        for l, s in [(1, 1), (9, 3), (33, 17), (0, 3)]:
            a, e = rng.integers(-50, 50, (s, s)).astype(np_t(key)), rng.integers(-50, 50, (l, s)).astype(np_t(key))
            d, back = np.zeros((l, s)), np.zeros((l, s), int)
            for t in range(l):
                all_ = (d[t - 1][:, None] + a) if t else np.zeros((s, s)) + a
                back[t] = all_.argmax(0)
                d[t] = e[t] + (all_.max(0) if t else 0)
            path = np.zeros(l, np.int64)
            for t in reversed(range(l)):
                path[t] = d[t].argmax() if t == l - 1 else back[t + 1, path[t + 1]]
            yield dict(op='viterbi_path', key=key, inputs=[a, e], want=[path, d], dtypes=['i64', key], tol=EXACT)
        for n, m in [(1, 1), (9, 11), (17, 16), (0, 2)]:
            a, b = rand(rng, (n,), key), rand(rng, (m,), key)
            for band in (0, 3, 100):
                d = np.full((n, m), np.inf)
                for i in range(n):
                    for j in range(m):
                        if abs(i - j) <= band:
                            p = 0 if i + j == 0 else min(d[i - 1, j] if i else np.inf, d[i, j - 1] if j else np.inf, d[i - 1, j - 1] if i and j else np.inf)
                            d[i, j] = (wide(a)[i] - wide(b)[j])**2 + p
                yield dict(op='banded_warping', key=key, inputs=[a, b], attrs={'band': band}, want=[d], tol=tol(ulp=4, acc=n + m + 4, mag=16.0 * (n + m + 1)))
    for key in ('f32', 'f64', 'i32'):
        for n in (1, 5, 17, 33):
            w = rng.integers(1, 100, (n, n)).astype(np_t(key))
            d = w.copy()
            for k in range(n):
                d = np.minimum(d, d[:, k:k + 1] + d[k:k + 1])
            yield dict(op='floyd_warshall', key=key, inputs=[w], want=[d], tol=EXACT)
    for key in ('f32', 'i8', 'u8', 'i64', *available('f16', 'bf16')):
        for n in (1, 17, 40, 0):
            x = rand(rng, (n,), key, -20, 20)
            want = np.zeros(n, np.int64)
            for i in range(n):
                want[i] = 1 + max([want[j] for j in range(i) if wide(x)[j] < wide(x)[i]], default=0)
            yield dict(op='longest_rise', key=key, inputs=[x], want=[want], dtypes=['i64'], tol=EXACT)
            yield dict(op='rise_lengths', key=key, inputs=[x], want=[want], dtypes=['i64'], tol=EXACT)
    for n in (1, 5, 33, 0):
        for coins in ([1], [1, 2, 5], [3, 7], [2, 3, 5, 10, 40]):
            w = np.zeros((len(coins), n), np.int64)
            for k, c in enumerate(coins):
                for a in range(n):
                    w[k, a] = (w[k - 1, a] if k else int(a == 0)) + (w[k, a - c] if a >= c else 0)
            yield dict(op='coin_ways', key='i64', inputs=[np.zeros(n, np.int64)], attrs={'coins': coins}, want=[w], dtypes=['i64'], tol=EXACT)
    for key in ('f32', 'f64', 'i64'):
        for n in (0, 1, 9, 33):
            p = rng.integers(0, 20, n).astype(np_t(key))
            r = np.zeros(n + 1)
            for k in range(1, n + 1):
                r[k] = max(0, max(r[j] + p[k - j - 1] for j in range(k)))
            yield dict(op='rod_cutting', key=key, inputs=[p], want=[r.astype(np_t(key))], tol=EXACT)
    for key in ('u8', 'i32', 'i64'):
        for n in (0, 1, 2, 17, 33):
            x = rng.integers(0, 4, n).astype(np_t(key))
            l, p = np.zeros((n + 1, n + 1), int), np.zeros((n + 1, n + 1), int)
            for i in reversed(range(n)):
                for j in range(i, n):
                    l[i, j] = 1 if i == j else (l[i + 1, j - 1] if j else 0) + 2 if x[i] == x[j] else max(l[i + 1, j], l[i, j - 1])
                    if j > i:
                        p[i, j] = max(p[i + 1, j], p[i + 1, j - 1] + (int(x[i]) + int(x[j]) == 3), max(p[i, k] + p[k + 1, j] for k in range(i, j)))
            yield dict(op='palindrome_length', key=key, inputs=[x], want=[l[:n, :n]], dtypes=['i64'], tol=EXACT)
            if key != 'i64':
                yield dict(op='rna_pairs', key=key, inputs=[x], want=[p[:n, :n].astype(np.int32)], dtypes=['i32'], tol=EXACT)
    for key in ('f32', 'f64'):
        for l, v, u in [(1, 1, 0), (9, 5, 3), (17, 4, 16), (0, 2, 3), (5, 3, 1)]:
            for t in (np.int32, np.int64):
                p, y = rand(rng, (l, v), key, 0, 1), rng.integers(0, v, u).astype(t)
                s = 2*u + 1
                lab = np.zeros(s, int)
                lab[1::2] = y
                a = np.zeros((l, s))
                for i in range(l):
                    for j in range(s):
                        q = float(j <= 1) if i == 0 else a[i - 1, j] + (a[i - 1, j - 1] if j else 0) + (a[i - 1, j - 2] if j % 2 and lab[j] != (lab[j - 2] if j > 1 else -1) and j > 1 else 0)
                        a[i, j] = wide(p)[i, lab[j]]*q
                yield dict(op='ctc_alpha', key=key, inputs=[p, y], want=[a], tol=tol(ulp=4, acc=8*l + 8))
        for l, u in [(1, 1), (9, 17), (16, 3), (0, 4)]:
            bl, la = rand(rng, (l, u), key, 0, 1), rand(rng, (l, u), key, 0, 1)
            a = np.zeros((l, u))
            for i in range(l):
                for j in range(u):
                    a[i, j] = 1 if i == j == 0 else (a[i - 1, j]*wide(bl)[i - 1, j] if i else 0) + (a[i, j - 1]*wide(la)[i, j - 1] if j else 0)
            yield dict(op='transducer_alpha', key=key, inputs=[bl, la], want=[a], tol=tol(ulp=4, acc=8*(l + u) + 8))
        for b, l, s in [(1, 1, 1), (3, 7, 5), (2, 16, 17), (0, 3, 2)]:
            e, tr = rand(rng, (b, l, s), key), rand(rng, (s, s), key)
            n = rng.integers(1, l + 1, b)
            z = np.zeros(b)
            for k in range(b):
                a = wide(e)[k, 0]
                for t in range(1, n[k]):
                    a = wide(e)[k, t] + np.log(np.exp(a[:, None] + wide(tr)).sum(0))
                z[k] = np.log(np.exp(a).sum())
            yield dict(op='crf_log_norm', key=key, inputs=[e, tr, n], want=[z], tol=tol(ulp=8, acc=16*l + 8*s, mag=4.0*l))
    for key in ('f32', 'f64', 'i32'):
        for h, w in [(1, 1), (5, 7), (17, 33), (9, 1), (4, 2)]:
            e = rng.integers(0, 50, (h, w)).astype(np_t(key))
            m = e.astype(float)
            for y in range(1, h):
                for x in range(w):
                    m[y, x] += min(m[y - 1, max(x - 1, 0):x + 2])
            c = np.zeros(h, np.int64)
            c[-1] = m[-1].argmin()
            for y in reversed(range(h - 1)):
                lo = max(c[y + 1] - 1, 0)
                c[y] = lo + m[y, lo:c[y + 1] + 2].argmin()
            yield dict(op='seam', key=key, inputs=[e], want=[c, m.astype(np_t(key))], dtypes=['i64', key], tol=EXACT)
        for n in (0, 1, 17):
            p = rng.integers(1, 30, n)
            cash, hold = np.zeros(n), np.zeros(n)
            for t in range(n):
                cash[t] = max(cash[t - 1] if t else 0, (hold[t - 1] if t else -1e6) + p[t] - 1)
                hold[t] = max(hold[t - 1] if t else -p[t], (cash[t - 1] if t else 0) - p[t])
            k = 'i64' if key == 'i32' else key
            yield dict(op='stock_states', key=k, inputs=[p.astype(np_t(k))], want=[cash.astype(np_t(k)), hold.astype(np_t(k))], tol=EXACT)
            c = np.zeros((n + 1, n + 1))
            for i in reversed(range(n + 1)):
                for j in range(i + 1, n + 1):
                    c[i, j] = p[i:j].sum() + min(c[i, q] + c[q + 1, j] for q in range(i, j))
            yield dict(op='optimal_tree', key=k, inputs=[p.astype(np_t(k))], want=[c.astype(np_t(k))], tol=EXACT)
        for h, w in [(1, 1), (5, 7), (17, 33), (1, 9), (0, 4)]:
            x = rng.random((h, w)) < 0.1
            d = np.full((h, w), 9999.)
            for y, q in np.argwhere(x):
                d = np.minimum(d, np.abs(np.arange(h) - y)[:, None] + np.abs(np.arange(w) - q)[None])
            if x.any():
                yield dict(op='distance_transform', key=key, inputs=[x], want=[d.astype(np_t(key))], tol=EXACT)
        from scipy.sparse.csgraph import bellman_ford
        for n in (1, 5, 17):
            w = np.where(rng.random((n, n)) < 0.3, rng.integers(1, 9, (n, n)), 0)
            for t in (np.int32, np.int64):
                ptr, src = np.concatenate([[0], np.cumsum((w.T != 0).sum(1))]), np.nonzero(w.T)[1]
                d = np.full(n, 10000.); d[0] = 0
                for _ in range(n):
                    d = np.minimum(d, np.where(w != 0, d[:, None] + w, 10000.).min(0))
                yield dict(op='bellman_ford', key=key, inputs=[ptr.astype(t), src.astype(t), w.T[w.T != 0].astype(np_t(key))], attrs={'steps': n + 1}, want=[np.minimum(d, 10000).astype(np_t(key))], tol=EXACT)
    for h, w in [(1, 1), (5, 7), (9, 17), (0, 3)]:
        from scipy.ndimage import label
        x = rng.random((h, w)) < 0.6
        lab, count = label(x)
        want = np.zeros((h, w), np.int32)
        num = np.arange(h*w).reshape(h, w) + 1
        for k in range(1, count + 1):
            want[lab == k] = num[lab == k].max()
        yield dict(op='labels_by_steps', key='bool', inputs=[x], attrs={'steps': 120}, want=[want], dtypes=['i32'], tol=EXACT)
        s = np.zeros((h + 1, w + 1), np.int32)
        for y in range(h):
            for q in range(w):
                s[y + 1, q + 1] = min(s[y, q + 1], s[y + 1, q], s[y, q]) + 1 if x[y, q] else 0
        yield dict(op='largest_square', key='bool', inputs=[x], want=[s[1:, 1:], np.int64(s.max())**2], dtypes=['i32', 'i64'], tol=EXACT)
