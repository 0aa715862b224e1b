"""Ragged rows within ragged rows, caches in pages, samplers, types that follow, operands in any number."""
import numpy as np
from casekit import EXACT, available, np_dtype, rand, softmax, tol, wide

OPS = [r'''
ops:
  - op: documents_scored
    doc: rows of rows - the best word of each sentence, added up over the sentences of a document
    types: {T: [f32, f64, i32], I: index}
    in: {Doc: "I[P]", Sent: "I[Q]", V: "T[E]"}
    require: [P >= 1, Q >= 1]
    let: {D: P - 1, S: Q - 1}
    index: {s: S, d: D}
    out: {Y: "T[D]", Longest: "i64[D]", Empty: "i32[D]"}
    body: |
      b[s] = max[e in Sent[s] .. Sent[s + 1]](V[e])
      n[s] = cast(Sent[s + 1], i64) - cast(Sent[s], i64)
      Y[d] = sum[s in Doc[d] .. Doc[d + 1] : n[s] > 0](b[s])
      Longest[d] = max[s in Doc[d] .. Doc[d + 1]](n[s])
      Empty[d] = cast(sum[s in Doc[d] .. Doc[d + 1]](n[s] <= 0), i32)
''', r'''
ops:
  - op: prefix_and_own_pages
    doc: attention over pages that all sequences share and pages of their own, bytes with a scale a page
    types: {T: [f32, f16]}
    in: {Q: "T[B, (G R), D]", K: "i8[P, S, G, D]", V: "i8[P, S, G, D]", Ks: "f32[P, G]", Vs: "f32[P, G]", Shared: "i32[C]", Own: "i32[B, M]", Len: "i32[B]"}
    attrs: {scale: float = 0.25}
    let: {W: C + M, L: W*S}
    index: {w: W, j: L}
    require: [P >= 1, S >= 1, C + M >= 1]
    out: {Y: "T[B, (G R), D]"}
    body: |
      page[b,w] = clamp(select(w < C, padded(Shared[w], 0), padded(Own[b,w - C], 0)), 0, P - 1)
      s[b,g,r,j] = scale*cast(Ks[page[b,j//S],g], f32)*sum[d](cast(Q[b,(g r),d], f32)*cast(K[page[b,j//S],j % S,g,d], f32))
      m[b,g,r] = max[j : j < Len[b]](s[b,g,r,j])
      e[b,g,r,j] = exp(s[b,g,r,j] - m[b,g,r])
      z[b,g,r] = sum[j : j < Len[b]](e[b,g,r,j])
      Y[b,(g r),d] = cast(sum[j : j < Len[b]](e[b,g,r,j]*Vs[page[b,j//S],g]*cast(V[page[b,j//S],j % S,g,d], f32))/max(z[b,g,r], 1e-30), T)
''', r'''
ops:
  - op: tail_free
    doc: the tokens before the curvature of the sorted distribution has been used up
    types: {T: [f32, f64]}
    attrs: {z: float = 0.9}
    in: {X: "T[B, V]"}
    require: [V >= 3]
    let: {D: V - 2}
    out: {Keep: "bool[B, V]", N: "i64[B]"}
    body: |
      p = softmax(X, axis=-1)
      s, at = sort(p, axis=-1, descending=true)
      c[b,d] = abs(s[b,d] - 2*s[b,d + 1] + s[b,d + 2])
      t[b] = sum[d](c[b,d])
      a[b,d] = sum[e : e <= d](c[b,e])
      N[b] = max(1, sum[d](a[b,d] < z*t[b]) + 1)
      Keep[b,wrap(at[b,v], V)] last= v < N[b]
    index: {d: D, v: V, e: D}
''', r'''
ops:
  - op: top_n_sigma
    doc: logits within some deviations of the largest; the others are the lowest number of their type
    types: {T: float}
    attrs: {n: float = 1.0}
    in: {X: "T[*P, V]"}
    require: [V >= 1]
    out: {Y: "T[*P, V]", Kept: "i64[*P]"}
    body: |
      m[*p] = max[v](X[*p,v])
      u[*p] = sum[v](X[*p,v])/V
      s[*p] = sqrt(sum[v](sq(X[*p,v] - u[*p]))/V)
      k[*p,v] = X[*p,v] >= m[*p] - n*s[*p]
      Y[*p,v] = select(k[*p,v], X[*p,v], lowest(T))
      Kept[*p] = sum[v](k[*p,v])
''', r'''
ops:
  - op: vision_rope
    doc: half of the pairs turn by the row of a patch, half by its column
    types: {T: float}
    attrs: {base: float = 10000.0, width: int = 4, D: int}
    require: [width >= 1, D >= 1]
    in: {X: "T[*P, L, (2 H 2 D)]"}
    index: {h: 2, c: 2}
    out: {Y: "T[*P, L, (2 H 2 D)]"}
    body: |
      w[h,d,l] = cast(select(h == 0, l//width, l % width), f32)*exp(-log(cast(base, f32))*cast(d, f32)/D)
      Y[*p,l,(h u c d)] = cast(X[*p,l,(h u c d)]*cast(cos(w[h,d,l]), T) + select(c == 0, -1, 1)*X[*p,l,(h u (1 - c) d)]*cast(sin(w[h,d,l]), T), T)
''', r'''
ops:
  - op: bias_lists
    doc: a list of tokens and biases for each row of a batch; banned ones last
    types: {T: [f32, f16, bf16], I: index}
    in:
      X: T[B, V]
      Ptr: I[P]
      Tok: I[E]
      Bias: T[E]
      Banned?: bool[V]
    require: [P == B + 1]
    out: {Y: "T[B, V]"}
    body: |
      Y[b,v] = select(opt(Banned[v], false), lowest(T), X[b,v])
      Y[b,wrap(Tok[e], V)] += Bias[e] where e in Ptr[b] .. Ptr[b + 1] : Bias[e] != 0
''', r'''
ops:
  - op: medusa_accepted
    doc: of several drafted paths the one of which most tokens are likely enough, the first of the best
    types: {T: [f32, f64]}
    attrs: {eps: float = 0.3, delta: float = 0.09}
    in: {X: "T[C, K, V]", Tok: "i32[C, K]"}
    require: [C >= 1, V >= 1]
    out: {Best: "i64[]", N: "i64[]", Row: "i32[K]"}
    body: |
      p = softmax(X, axis=-1)
      h[c,k] = -sum[v](p[c,k,v]*log(max(p[c,k,v], 1e-9)))
      ok[c,k] = p[c,k,clamp(Tok[c,k], 0, V - 1)] > min(eps, delta*exp(-h[c,k]))
      run[c,k] = ok[c,k] and padded(run[c,k - 1], true)
      n[c] = sum[k](run[c,k])
      N[], Best[] = max_at[c](n[c])
      Row[k] = select(k < N[], Tok[clamp(Best[], 0, C - 1),k], -1)
''', r'''
ops:
  - op: widened_moments
    doc: sums and sums of squares in the wide type of integers, for each group of channels
    types: {T: [i8, u8, i16, u16, i32]}
    in: {X: "T[B, (G C), *Q]", Ref: "bool[G]"}
    out: {S: "wide(T)[B, G]", Q2: "wide(wide(T))[B, G]", Range: "unsigned(T)[B, G]"}
    body: |
      S[b,g] = sum[c,*q](cast(X[b,(g c),*q], wide(T)))
      Q2[b,g] = sum[c,*q](sq(cast(X[b,(g c),*q], wide(wide(T)))))
      Range[b,g] = select(Ref[g], bits(max[c,*q](X[b,(g c),*q]), unsigned(T)) - bits(min[c,*q](X[b,(g c),*q]), unsigned(T)), 0)
''', r'''
ops:
  - op: complex_recurrence
    doc: a filter of complex numbers for floats of four widths, its input real
    types: {T: float}
    in: {X: "T[N, C]", A: "complex(T)[C]"}
    out: {Y: "complex(T)[N, C]", P: "compute(T)[N]"}
    body: |
      Y[n,c] = A[c]*padded(Y[n - 1,c], 0) + cast(X[n,c], compute(T))
      P[n] = sum[c](sq(real(Y[n,c])) + sq(imag(Y[n,c])))
''', r'''
ops:
  - op: sets_merged
    doc: the union of two sorted rows without repetitions, and where the common ones are
    types: {T: [i32, u8, f32]}
    in: {A: "T[N]", B: "T[M]"}
    let: {S: N + M, K: upto(S), C: upto(N)}
    out: {U: "T[K]", Common: "i64[C]"}
    body: |
      fa[n] = n == 0 or A[n] != A[max(n - 1, 0)]
      fb[m] = (m == 0 or B[m] != B[max(m - 1, 0)]) and not any[n](A[n] == B[m])
      ra[n] = sum[i : i < n](fa[i]) + sum[m](fb[m] and B[m] < A[n])
      rb[m] = sum[j : j < m](fb[j]) + sum[n](fa[n] and A[n] < B[m])
      in[n] = fa[n] and any[m](A[n] == B[m])
      at[n] = sum[i : i < n](in[i])
      K = sum[n](fa[n]) + sum[m](fb[m])
      C = sum[n](in[n])
      U[wrap(ra[n], K)] last= A[n] where fa[n]
      U[wrap(rb[m], K)] last= B[m] where fb[m]
      Common[wrap(at[n], C)] last= n where in[n]
    index: {i: N, j: M}
''', r'''
ops:
  - op: jagged_transposed
    doc: lists of rows turned into lists of columns, and how long each is
    types: {T: any, I: [i32]}
    attrs: {columns: int = 5}
    require: [columns >= 0, P >= 1]
    in: {Ptr: "I[P]", Col: "I[E]", V: "T[E]"}
    let: {M: P - 1, Q: columns + 1}
    out: {Out: "I[Q]", Row: "I[E]", W: "T[E]"}
    body: |
      n[c] = cast(0, i64)
      n[wrap(Col[e], columns)] += 1
      Out[q] = cast(sum[c : c < q](n[c]), I)
      row[e] = cast(sum[m](Ptr[m + 1] <= e), i64)
      before[e] = sum[f : f < e](Col[f] == Col[e])
      at[e] = sum[c : c < Col[e]](n[c]) + before[e]
      Row[wrap(at[e], E)] last= cast(row[e], I)
      W[wrap(at[e], E)] last= V[e]
    index: {m: M, c: columns, q: Q, f: E}
''']


def cases(rng):
    idx = lambda v, k: np.array(v, np.int32 if k == 'i32' else np.int64)
    for key in ('f32', 'f64', 'i32'):
        for it in ('i32', 'i64'):
            for doc, sent in [([0], [0]), ([0, 0], [0]), ([0, 2, 3], [0, 3, 3, 7]), ([0, 4, 4, 5, 9], [0, 1, 1, 17, 20, 33, 33, 34, 50, 51])]:
                v = rand(rng, (max(sent),), key, -9, 9) if key == 'i32' else np.round(rand(rng, (max(sent),), key, -9, 9))
                y, lo, em = [], [], []
                low = np.iinfo(np.int64).min
                for a, b in zip(doc, doc[1:]):
                    rows = [(sent[s], sent[s + 1]) for s in range(a, b)]
                    y.append(sum(v[i:j].max() for i, j in rows if j > i))
                    lo.append(max([j - i for i, j in rows], default=low))
                    em.append(sum(j <= i for i, j in rows))
                yield dict(op='documents_scored', key=key, inputs=[idx(doc, it), idx(sent, it), v], want=[np.array(y, np_dtype(key)), np.array(lo, np.int64), np.array(em, np.int32)], dtypes=[key, 'i64', 'i32'], tol=EXACT)
    for key in ('f32', 'f16'):
        for b, g, r, d, s, c, m in [(1, 1, 1, 1, 1, 1, 0), (2, 2, 3, 5, 4, 2, 3), (3, 1, 2, 17, 3, 0, 4)]:
            p = 7
            q, k, v = rand(rng, (b, g*r, d), key), rand(rng, (p, s, g, d), 'i8', -100, 100), rand(rng, (p, s, g, d), 'i8', -100, 100)
            ks, vs = rand(rng, (p, g), 'f32', .005, .01), rand(rng, (p, g), 'f32', .005, .01)
            sh, own = rng.integers(0, p, c).astype(np.int32), rng.integers(0, p, (b, m)).astype(np.int32)
            ln = rng.integers(1, (c + m)*s + 1, b).astype(np.int32)
            y = np.zeros((b, g*r, d))
            for x in range(b):
                pages = list(sh) + list(own[x])
                for h in range(g*r):
                    kk = np.concatenate([wide(k)[w, :, h//r]*wide(ks)[w, h//r] for w in pages])[:ln[x]]
                    vv = np.concatenate([wide(v)[w, :, h//r]*wide(vs)[w, h//r] for w in pages])[:ln[x]]
                    y[x, h] = softmax(.25*kk @ wide(q)[x, h]) @ vv
            yield dict(op='prefix_and_own_pages', key=key, inputs=[q, k, v, ks, vs, sh, own, ln], want=[y], tol=tol(ulp=4, acc=32*(d + 30), mag=2.))
    for key in ('f32', 'f64'):
        for b, v in [(1, 3), (2, 17), (3, 40), (0, 5)]:
            x = rng.permuted(np.tile(np.linspace(-4, 4, v), (b, 1)), axis=1).astype(np_dtype(key)) if b else np.zeros((0, v), np_dtype(key))
            keep, n = np.zeros((b, v), bool), np.zeros(b, np.int64)
            for i in range(b):
                p = softmax(wide(x)[i])
                o = np.argsort(-p, kind='stable')
                s = p[o]
                c = np.abs(s[:-2] - 2*s[1:-1] + s[2:])
                n[i] = max(1, (np.cumsum(c) < .9*c.sum()).sum() + 1)
                keep[i, o[:n[i]]] = True
            yield dict(op='tail_free', key=key, inputs=[x], want=[keep, n], dtypes=['bool', 'i64'], tol=EXACT)
        for c, k, v in [(1, 1, 1), (3, 4, 5), (2, 0, 3), (5, 3, 17)]:
            x, tok = rand(rng, (c, k, v), key, -6, 6), rng.integers(0, v, (c, k)).astype(np.int32)
            p = softmax(wide(x))
            h = -(p*np.log(np.maximum(p, 1e-9))).sum(-1)
            ok = np.take_along_axis(p, tok[..., None].astype(int), -1)[..., 0] > np.minimum(.3, .09*np.exp(-h))
            n = np.cumprod(ok, axis=1).sum(1).astype(np.int64)
            best = int(np.argmax(n))
            yield dict(op='medusa_accepted', key=key, inputs=[x, tok], want=[np.array(best), np.array(n[best]), np.where(np.arange(k) < n[best], tok[best], -1).astype(np.int32)], dtypes=['i64', 'i64', 'i32'], tol=EXACT)
    for key in available('f32', 'f64', 'f16', 'bf16'):
        low = {'f16': -65504., 'bf16': -3.3895313892515355e38, 'f32': float(np.finfo(np.float32).min), 'f64': np.finfo(np.float64).min}[key]
        for shape in [(1,), (17,), (3, 5), (2, 3, 33), (0, 4)]:
            x = (rng.integers(-20, 20, shape)/4).astype(np_dtype(key))
            w = wide(x)
            cut = w.max(-1, keepdims=True) - 1.01*w.std(-1, keepdims=True) if x.size else np.zeros(shape[:-1] + (1,))
            k = w >= cut
            yield dict(op='top_n_sigma', key=key, inputs=[x], attrs={'n': 1.01}, want=[np.where(k, w, low).astype(np_dtype(key)), k.sum(-1)], dtypes=[key, 'i64'], tol=EXACT)
        for lead, l, h, d in [((), 1, 1, 1), ((2,), 9, 2, 3), ((1, 3), 17, 1, 5)]:
            x = rand(rng, lead + (l, 4*h*d), key)
            xx = wide(x).reshape(lead + (l, 2, h, 2, d))
            at = np.arange(l)
            w = np.stack([at//4, at % 4], 1)[:, :, None]*10000.**(-np.arange(d)/d)
            co, si = np.cos(w)[:, :, None], np.sin(w)[:, :, None]
            y = np.stack([xx[..., 0, :]*co - xx[..., 1, :]*si, xx[..., 1, :]*co + xx[..., 0, :]*si], -2).reshape(x.shape)
            yield dict(op='vision_rope', key=key, inputs=[x], attrs={'D': d}, want=[y], tol=tol(ulp=4, mid=6, mag=4., floor=2e-6))
        c = {'f64': 'c128'}.get(key, 'c64')
        for n, m in [(1, 1), (9, 3), (17, 16), (0, 3), (5, 33)]:
            x, a = rand(rng, (n, m), key), (rand(rng, (m,), c, -.6, .6))
            y, s = np.zeros((n, m), complex), np.zeros(m, complex)
            for i in range(n):
                s = wide(a)*s + wide(x)[i]
                y[i] = s
            yield dict(op='complex_recurrence', key=key, inputs=[x, a], want=[y, (np.abs(y)**2).sum(1)], dtypes=[c, 'f64' if key == 'f64' else 'f32'], tol=[tol(ulp=4, acc=100, mag=16.), tol(ulp=4, acc=200, mag=128.*m)])
    for key in available('f32', 'f16', 'bf16'):
        for it in ('i32', 'i64'):
            for b, v, ptr in [(1, 5, [0, 0]), (2, 17, [0, 5, 9]), (3, 3, [0, 4, 4, 7])]:
                x, e = rand(rng, (b, v), key), max(ptr)
                tok, bias = idx(rng.integers(-v, v, e), it), (rng.integers(-2, 3, e)/2).astype(np_dtype(key))
                for ban in (None, rng.random(v) < .3):
                    t = np_dtype(key)
                    low = {'f16': -65504., 'bf16': -3.3895313892515355e38, 'f32': float(np.finfo(np.float32).min)}[key]
                    y = x.copy()
                    if ban is not None:
                        y[:, ban] = low
                    for r in range(b):
                        for q in range(ptr[r], ptr[r + 1]):
                            y[r, tok[q]] = (np.float32(y[r, tok[q]]) + np.float32(bias[q])).astype(t)
                    m = np.abs(wide(y)) + e
                    yield dict(op='bias_lists', key=key, inputs=[x, idx(ptr, it), tok, bias, ban], want=[y], tol=tol(ulp=2, acc=2, mid=1, mag=np.where(np.abs(wide(y)) > 1e3, 0, m)))
    for key, wd, ww, un in (('i8', 'i16', 'i32', 'u8'), ('u8', 'u16', 'u32', 'u8'), ('i16', 'i32', 'i64', 'u16'), ('u16', 'u32', 'u64', 'u16'), ('i32', 'i64', 'i64', 'u32')):
        t, info = np_dtype(key), np.iinfo(np_dtype(key))
        for b, g, c, q in [(1, 1, 1, ()), (2, 3, 5, (4,)), (1, 2, 1, (3, 7))]:
            x = rng.integers(info.min, info.max, (b, g*c) + q, endpoint=True).astype(t)
            ref = rng.random(g) < .7
            r = x.reshape(b, g, -1)
            with np.errstate(all='ignore'):
                s = r.astype(np_dtype(wd)).sum(-1, dtype=np_dtype(wd))
                q2 = (r.astype(np_dtype(ww))**2).sum(-1, dtype=np_dtype(ww))
                u = np_dtype(un)
                rg = np.where(ref, r.max(-1).view(u) - r.min(-1).view(u), 0).astype(u)
            yield dict(op='widened_moments', key=key, inputs=[x, ref], want=[s, q2, rg], dtypes=[wd, ww, un], tol=EXACT)
    for key in ('i32', 'u8', 'f32'):
        for n, m in [(0, 0), (1, 0), (0, 3), (5, 9), (17, 33)]:
            a, b = np.sort(rng.integers(0, 20, n)).astype(np_dtype(key)), np.sort(rng.integers(0, 20, m)).astype(np_dtype(key))
            first = np.array([i for i in range(n) if (i == 0 or a[i] != a[i - 1]) and a[i] in b], np.int64)
            yield dict(op='sets_merged', key=key, inputs=[a, b], want=[np.union1d(a, b).astype(np_dtype(key)), first], dtypes=[key, 'i64'], room=[(n + m,), (n,)], tol=EXACT)
    for key in available('f32', 'u8', 'c64', 'bool', 'bf16', 'i64'):
        for ptr in ([0], [0, 0, 0], [0, 3, 4, 9], [0, 17, 17, 33]):
            e = ptr[-1]
            col, v = rng.integers(0, 5, e).astype(np.int32), rand(rng, (e,), key)
            row = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
            o = np.argsort(col, kind='stable')
            out = np.concatenate([[0], np.cumsum(np.bincount(col, minlength=5))]).astype(np.int32)
            yield dict(op='jagged_transposed', key=key, inputs=[np.array(ptr, np.int32), col, v], want=[out, row[o].astype(np.int32), v[o]], dtypes=['i32', 'i32', key], tol=EXACT)
