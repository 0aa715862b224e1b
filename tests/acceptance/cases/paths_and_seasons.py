"""Paths read back from their ends, states that need each other, windows of any rank, and ranges of variables that lets and attributes give."""
import numpy as np
from casekit import EXACT, available, rand, tol, wide, softmax
from tenon_ffi import np_dtype

OPS = [r'''
ops:
  - op: best_path
    doc: Viterbi with the path read back from its end
    types: {T: [f32, f64, i32]}
    in: {E: "T[L, S]", A: "T[S, S]"}
    require: [L >= 1, S >= 1]
    out: {P: "i64[L]", Score: "T[]"}
    body: |
      d[t,s], b[t,s] = max_at[q](select(t == 0, 0, padded(d[t - 1,q], 0) + A[q,s]) + E[t,s])
      e[] = argmax[s](d[L - 1,s])
      P[t] = select(t == L - 1, e[], padded(b[t + 1,clamp(padded(P[t + 1], 0), 0, S - 1)], 0))
      Score[] = max[s](d[L - 1,s])
''', r'''
ops:
  - op: longest_paths
    doc: longest paths in a graph whose edges come from earlier nodes, in compressed rows
    types: {T: [f32, f64, i32, i64], I: index}
    in: {Ptr: "I[P]", Src: "I[E]", W: "T[E]"}
    require: [P >= 1]
    let: {M: P - 1}
    out: {D: "T[M]", From: "i64[M]"}
    body: |
      D[m] = max(max[e in Ptr[m] .. Ptr[m + 1] : Src[e] < m](D[clamp(Src[e], 0, M - 1)] + W[e]), 0)
      From[m] = sum[e in Ptr[m] .. Ptr[m + 1] : Src[e] < m](D[clamp(Src[e], 0, M - 1)] + W[e] == D[m])
''', r'''
ops:
  - op: holt_winters
    doc: level, trend and season, one after the other
    types: {T: [f32, f64]}
    attrs: {period: int = 4, a: float = 0.5, b: float = 0.25, c_: float = 0.125}
    require: [period >= 1]
    in: {X: "T[N, C]"}
    out: {Y: "T[N, C]"}
    body: |
      l[n,c] = a*(X[n,c] - padded(s[n - period,c], 0)) + (1 - a)*(padded(l[n - 1,c], X[0,c]) + padded(t[n - 1,c], 0))
      t[n,c] = b*(l[n,c] - padded(l[n - 1,c], X[0,c])) + (1 - b)*padded(t[n - 1,c], 0)
      s[n,c] = c_*(X[n,c] - l[n,c]) + (1 - c_)*padded(s[n - period,c], 0)
      Y[n,c] = l[n,c] + t[n,c] + padded(s[n - period + 1,c], 0)
''', r'''
ops:
  - op: backward_probabilities
    types: {T: float}
    in: {E: "T[B, L, S]", A: "T[S, S]"}
    out: {Y: "T[B, L, S]"}
    body: |
      be[b,t,s] = select(t == L - 1, 1, sum[q](A[s,q]*padded(E[b,t + 1,q], 0)*padded(n[b,t + 1,q], 1)))
      z[b,t] = sum[s](be[b,t,s])
      n[b,t,s] = be[b,t,s]/z[b,t]
      Y[b,t,s] = n[b,t,s]
''', r'''
ops:
  - op: window_ranks
    doc: the rank of each element in its window, any number of dims
    types: {T: [u8, i32, f32, f16]}
    attrs: {size: "int[*S] = 3", stride: "int[*S] = 1"}
    in: {X: "T[*S]"}
    let: {K: size, O: "ceildiv(S, stride)"}
    require: [size >= 1, stride >= 1]
    index: {"*k": K}
    out: {Y: "i64[*O]", M: "T[*O]"}
    body: |
      c[*o] = X[*min(o*stride, S - 1)]
      Y[*o] = sum[*k](padded(X[*(o*stride + k - size//2)], c[*o]) < c[*o])
      M[*o] = max[*k](padded(X[*(o*stride + k - size//2)], c[*o]))
''', r'''
ops:
  - op: expert_shares
    doc: the k largest of each row, their softmax, and how much each expert gets
    types: {T: float}
    attrs: {k: int = 2}
    in: {X: "T[N, E]"}
    require: [k >= 1, k <= E]
    out: {W: "T[N, k]", I: "i64[N, k]", Load: "i64[E]", Place: "i64[N, k]"}
    body: |
      v, I = topk(X, k=k)
      W = softmax(v, axis=-1)
      Load[wrap(I[n,j], E)] += 1
      Place[n,j] = sum[m,l : m < n and I[m,l] == I[n,j]](1)
''', r'''
ops:
  - op: complex_fold
    doc: two numbers as one complex accumulator, and two counters in one integer
    types: {T: [f32, f64]}
    in: {X: "T[M, N]"}
    out: {Mean: "T[M]", Var: "T[M]", Runs: "u32[M]"}
    body: |
      z[m] = fold[n](a = complex(0*X[m,0], 0*X[m,0]), a + complex((X[m,n] - real(a))/(n + 1), (X[m,n] - real(a))*(X[m,n] - real(a) - (X[m,n] - real(a))/(n + 1))))
      Mean[m] = real(z[m])
      Var[m] = imag(z[m])/max(N, 1)
      r[m] = fold[n](a = cast(0, u64), select(X[m,n] > 0, bit_or(shl(max(shr(a, 32), bit_and(a, 0xFFFFFFFF) + 1), 32), bit_and(a, 0xFFFFFFFF) + 1), shl(shr(a, 32), 32)))
      Runs[m] = cast(shr(r[m], 32), u32)
    require: [N >= 1]
''', r'''
ops:
  - op: periodic_bias
    types: {T: [f32, i32]}
    attrs: {period: int = 3}
    in: {X: "T[N]"}
    let: {O: N - 2}
    index: {o: O, k: period}
    out: {Y: "T[N]"}
    body: |
      t[o] = 2*o
      u[k] = k*k
      Y[n] = X[n] + t[n % O] + u[n % period]
''']

def cases(rng):
    for key in ('f32', 'f64', 'i32'):
        for l, s in ((1, 1), (5, 3), (17, 16), (9, 33)):
            e, a = rand(rng, (l, s), 'i32', -50, 50).astype(np_dtype(key)), rand(rng, (s, s), 'i32', -50, 50).astype(np_dtype(key))
            d, bs = wide(e)[0].astype(np.float64), []
            for t in range(1, l):
                q = d[:, None] + wide(a); bs.append(q.argmax(0)); d = q.max(0) + wide(e)[t]
            p = [int(d.argmax())]
            for b in bs[::-1]: p.append(int(b[p[-1]]))
            yield dict(op='best_path', key=key, inputs=[e, a], want=[np.array(p[::-1]), np.asarray(d.max())], dtypes=['i64', key], tol=EXACT)
    for key in ('f32', 'i64'):
        for it in ('i32', 'i64'):
            for m, e in ((0, 0), (1, 2), (17, 40), (33, 0)):
                ptr = np.sort(rng.integers(0, e + 1, m + 1)).astype(np_dtype(it)); src = rng.integers(-1, max(m, 1), e).astype(np_dtype(it)); w = rand(rng, (e,), 'i32', -5, 9).astype(np_dtype(key))
                d, f = np.zeros(m), np.zeros(m, np.int64)
                for i in range(m):
                    c = [d[max(src[j], 0)] + w[j] for j in range(ptr[i], ptr[i+1]) if src[j] < i]
                    d[i] = max(c + [0]); f[i] = sum(d[max(src[j], 0)] + w[j] == d[i] for j in range(ptr[i], ptr[i+1]) if src[j] < i)
                yield dict(op='longest_paths', key=key, inputs=[ptr, src, w], want=[d, f], dtypes=[key, 'i64'], tol=EXACT)
    for key in ('f32', 'f64'):
        for n, c in ((1, 1), (20, 3), (33, 17)):
            for p in (1, 4, 7):
                x = rand(rng, (n, c), key); X = wide(x); L, T, S, Y = np.zeros((n, c)), np.zeros((n, c)), np.zeros((n, c)), np.zeros((n, c))
                for i in range(n):
                    l1 = L[i-1] if i else X[0]; t1 = T[i-1] if i else 0; s1 = S[i-p] if i >= p else 0
                    L[i] = .5*(X[i]-s1)+.5*(l1+t1); T[i] = .25*(L[i]-l1)+.75*t1; S[i] = .125*(X[i]-L[i])+.875*s1
                    Y[i] = L[i]+T[i]+(S[i-p+1] if i-p+1 >= 0 else 0)
                yield dict(op='holt_winters', key=key, inputs=[x], attrs={'period': p}, want=[Y], tol=tol(ulp=4, acc=40*n, mag=4.0))
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for b, l, s in ((1, 1, 1), (2, 5, 3), (3, 9, 17), (2, 0, 3)):
            e, a = rand(rng, (b, l, s), key, .1, 1), rand(rng, (s, s), key, .1, 1)
            y = np.zeros((b, l, s)); n = np.ones((b, s))
            for t in range(l)[::-1]:
                be = np.ones((b, s)) if t == l-1 else (wide(e)[:, t+1]*n) @ wide(a).T
                n = be/be.sum(-1, keepdims=True); y[:, t] = n
            yield dict(op='backward_probabilities', key=key, inputs=[e, a], want=[y], tol=tol(ulp=4, acc=40*(l+s), mag=1.0))
    for key in available('u8', 'i32', 'f32', 'f16'):
        for shape in ((), (1,), (17,), (5, 7), (0, 3), (3, 4, 5)):
            for size, stride in ((3, 1), (2, 2), (5, 3)):
                x = rand(rng, shape, key, 0, 9); r = len(shape); os = tuple(-(-d//stride) for d in shape)
                y, m = np.zeros(os, np.int64), np.zeros(os)
                for o in np.ndindex(os):
                    c = wide(x)[tuple(i*stride for i in o)]; vals = []
                    for k in np.ndindex((size,)*r):
                        at = tuple(i*stride+q-size//2 for i, q in zip(o, k))
                        vals.append(wide(x)[at] if all(0 <= a < d for a, d in zip(at, shape)) else c)
                    y[o] = sum(v < c for v in vals); m[o] = max(vals)
                yield dict(op='window_ranks', key=key, inputs=[x], attrs={'size': [size]*r, 'stride': [stride]*r}, want=[y, m], dtypes=['i64', key], tol=EXACT)
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for n, e, k in ((1, 1, 1), (5, 4, 2), (17, 8, 3), (0, 3, 2), (9, 33, 5)):
            x = np.stack([rng.permutation(e) for _ in range(n)]).astype(np.float32).astype(np_dtype(key)) if n else np.zeros((0, e), np_dtype(key))
            i = np.argsort(-wide(x), kind='stable')[:, :k]; v = np.take_along_axis(wide(x), i, 1); load = np.bincount(i.ravel(), minlength=e)
            pl = np.array([[(i[:a] == i[a, b]).sum() for b in range(k)] for a in range(n)], np.int64).reshape(n, k)
            yield dict(op='expert_shares', key=key, inputs=[x], attrs={'k': k}, want=[softmax(v), i, load, pl], dtypes=[key, 'i64', 'i64', 'i64'], tol=[tol(ulp=4, acc=20, mag=1.0), EXACT, EXACT, EXACT])
    for key in ('f32', 'f64'):
        for m, n in ((1, 1), (3, 17), (5, 33), (0, 3)):
            x = rand(rng, (m, n), key); runs = []
            for row in x:
                b = c = 0
                for v in row: c = c+1 if v > 0 else 0; b = max(b, c)
                runs.append(b)
            yield dict(op='complex_fold', key=key, inputs=[x], want=[wide(x).mean(1), wide(x).var(1), np.array(runs, np.uint32)], dtypes=[key, key, 'u32'], tol=[tol(ulp=4, acc=20*n, mag=4.0), tol(ulp=4, acc=40*n, mag=8.0), EXACT])
    for key in ('f32', 'i32'):
        for n in (3, 5, 17, 33):
            for p in (1, 3, 40):
                x, at = rand(rng, (n,), key, -9, 9), np.arange(n)
                yield dict(op='periodic_bias', key=key, inputs=[x], attrs={'period': p}, want=[wide(x) + 2*(at % (n - 2)) + (at % p)**2], tol=tol(ulp=1, acc=2, mag=2000.0) if key == 'f32' else EXACT)
        for n, p in ((1, 3), (2, 3), (5, -1), (5, 0)):
            yield dict(op='periodic_bias', key=key, inputs=[rand(rng, (n,), key)], attrs={'period': p}, error='range', out=[(key, (n,))])
