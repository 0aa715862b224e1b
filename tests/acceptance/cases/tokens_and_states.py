"""Kernels of language models as people write them: positions, windows, pages, filters of tokens, experts, states."""
import numpy as np

from casekit import EXACT, available, np_dtype, rand, tol, wide

OPS = r'''
ops:
  - op: rope_halves
    doc: rotary positions of the two halves of each head, at positions that the call gives
    types: {T: float, I: index}
    attrs: {base: float = 10000.0}
    in: {X: "T[B, H, L, (2 D)]", Pos: "I[B, L]"}
    out: {Y: "T[B, H, L, (2 D)]"}
    body: |
      w[d] = cast(base, f64)**(-cast(d, f64)/D)
      c[b,l,d] = cast(cos(cast(Pos[b,l], f64)*w[d]), T)
      s[b,l,d] = cast(sin(cast(Pos[b,l], f64)*w[d]), T)
      Y[b,h,l,(r d)] = X[b,h,l,(r d)]*c[b,l,d] + select(r == 0, -1, 1)*X[b,h,l,((1 - r) d)]*s[b,l,d]

  - op: sliding_window_attention
    doc: grouped queries that see the last `window` keys
    types: {T: float}
    attrs: {window: int}
    in: {Q: "T[(G R), L, D]", K: "T[G, L, D]", V: "T[G, L, E]"}
    require: [window >= 1]
    out: {Y: "T[(G R), L, E]"}
    body: |
      s[g,r,i,j] = sum[d](Q[(g r),i,d]*K[g,j,d])*rsqrt(cast(D, T))
      m[g,r,i] = max[j : i - window < j <= i](s[g,r,i,j])
      p[g,r,i,j] = exp(s[g,r,i,j] - m[g,r,i])
      Y[(g r),i,e] = sum[j : i - window < j <= i](p[g,r,i,j]*V[g,j,e])/sum[j : i - window < j <= i](p[g,r,i,j])

  - op: pages_written
    doc: the keys of new tokens put into pages, at a slot that the call gives each; negative ones are left out
    types: {T: [f16, f32, i8], I: index}
    in: {Cache: "T[P, S, D]", New: "T[N, D]", Slot: "I[N]"}
    require: [S >= 1]
    out: {Y: "T[P, S, D]"}
    body: |
      Y[p,s,d] = Cache[p,s,d]
      Y[wrap(Slot[n]//S, P),Slot[n] % S,d] last= New[n,d] where Slot[n] >= 0

  - op: min_p_filter
    doc: logits of tokens whose probability is too small beside that of the best become -inf
    types: {T: float}
    attrs: {p: float = 0.1}
    in: {X: "T[B, V]"}
    out: {Y: "T[B, V]", N: "i32[B]"}
    body: |
      m[b] = max[v](X[b,v])
      k[b,v] = exp(X[b,v] - m[b]) >= p
      Y[b,v] = select(k[b,v], X[b,v], -inf)
      N[b] = sum[v](k[b,v])

  - op: typical_filter
    doc: keeps the tokens whose surprise is nearest to the expected one, until they have the mass p
    types: {T: [f32, f64]}
    attrs: {p: float = 0.9}
    in: {X: "T[B, V]"}
    require: [V >= 1]
    out: {Y: "bool[B, V]"}
    body: |
      m[b] = max[v](X[b,v])
      z[b] = sum[v](exp(X[b,v] - m[b]))
      l[b,v] = X[b,v] - m[b] - log(z[b])
      h[b] = -sum[v](exp(l[b,v])*l[b,v])
      a[b,v] = abs(-l[b,v] - h[b])
      s, at = sort(a, axis=-1)
      before[b,v] = sum[u : u < v](exp(l[b,wrap(at[b,u], V)]))
      Y[b,wrap(at[b,v], V)] last= before[b,v] < p

  - op: residual_norm
    doc: the residual sum and its normalised rows, scaled by one plus a weight
    types: {T: float}
    attrs: {eps: float = 1e-6}
    in: {X: "T[*P, D]", R: "T[*P, D]", G: "T[D]"}
    out: {Y: "T[*P, D]", S: "T[*P, D]"}
    body: |
      S[*p,d] = X[*p,d] + R[*p,d]
      ms[*p] = sum[k](sq(S[*p,k]))/D
      Y[*p,d] = S[*p,d]*rsqrt(ms[*p] + eps)*(1 + G[d])

  - op: expert_slots
    doc: tokens numbered within their expert; what goes beyond the capacity is dropped
    types: {I: index}
    attrs: {experts: int, capacity: int}
    let: {E: experts, C: capacity}
    require: [experts >= 1, capacity >= 1]
    in: {Ix: "I[N, K]"}
    out: {Slot: "i64[N, K]", Token: "i64[E, C]", Load: "i64[E]"}
    body: |
      at[n,k] = sum[m,j : m < n](Ix[m,j] == Ix[n,k]) + sum[j : j < k](Ix[n,j] == Ix[n,k])
      Slot[n,k] = select(at[n,k] < C, at[n,k], -1)
      Token[e,c] = -1
      Token[wrap(Ix[n,k], E),wrap(at[n,k], C)] last= n where at[n,k] < C
      Load[wrap(Ix[n,k], E)] += 1

  - op: decayed_chunk
    doc: a chunk of a state-space layer as a masked product, with decays between positions
    types: {T: float}
    in: {X: "T[L, D]", A: "T[L]", B: "T[L, S]", C: "T[L, S]"}
    out: {Y: "T[L, D]"}
    body: |
      a[i] = sum[j : j <= i](A[j])
      g[i,j] = sum[s](C[i,s]*B[j,s])*exp(a[i] - a[j])
      Y[i,d] = sum[j : j <= i](g[i,j]*X[j,d])

  - op: gated_linear_attention
    types: {T: float}
    in:
      Q: T[H, L, K]
      Key: T[H, L, K]
      V: T[H, L, E]
      G: T[H, L, K]
      S0?: T[H, K, E]
    require: [L >= 1]
    out: {Y: "T[H, L, E]", S: "T[H, K, E]"}
    body: |
      s[h,t,k,e] = G[h,t,k]*padded(s[h,t - 1,k,e], opt(S0[h,k,e], 0)) + Key[h,t,k]*V[h,t,e]
      Y[h,t,e] = sum[k](Q[h,t,k]*s[h,t,k,e])
      S[h,k,e] = s[h,L - 1,k,e]

  - op: token_shift
    doc: each channel mixed with that of the token before
    types: {T: float}
    in: {X: "T[B, L, C]", Mu: "T[C]", Last: "T[B, C]"}
    require: [L >= 1]
    out: {Y: "T[B, L, C]", N: "T[B, C]"}
    body: |
      Y[b,t,c] = X[b,t,c] + (padded(X[b,t - 1,c], Last[b,c]) - X[b,t,c])*Mu[c]
      N[b,c] = X[b,L - 1,c]

  - op: keys_in_bytes
    doc: rows as i8 with a scale each, and what is lost by it
    types: {T: float}
    in: {X: "T[N, D]"}
    require: [D >= 1]
    out: {Q: "i8[N, D]", S: "T[N]", E: "wide(T)[N]"}
    body: |
      S[n] = max(max[d](abs(X[n,d])), 1e-4)/127
      Q[n,d] = cast(round(X[n,d]/S[n]), i8)
      E[n] = max[d](abs(cast(X[n,d], wide(T)) - cast(Q[n,d], wide(T))*cast(S[n], wide(T))))

  - op: repeated_ngrams_barred
    doc: tokens that would repeat the last n tokens get -inf
    types: {T: float, I: index}
    attrs: {n: int = 2}
    in: {X: "T[V]", Tokens: "I[L]"}
    require: [n >= 2]
    index: {k: n - 1}
    out: {Y: "T[V]"}
    body: |
      same[j] = all[k](padded(Tokens[j - n + 1 + k], -1) == padded(Tokens[L - n + 1 + k], -2)) and j >= n - 1
      Y[v] = X[v]
      Y[wrap(Tokens[j], V)] last= -inf where same[j]

  - op: gumbel_choice
    types: {T: [f32, f64]}
    attrs: {seed: u64 = 1, temperature: float = 1.0}
    in: {X: "T[B, V]", U: "T[B, V]"}
    require: [V >= 1]
    out: {I: "i64[B]", L: "T[B]"}
    body: |
      g[b,v] = X[b,v]/temperature - log(-log(U[b,v]))
      I[b] = argmax[v](g[b,v])
      m[b] = max[v](X[b,v])
      L[b] = X[b,I[b]] - m[b] - log(sum[v](exp(X[b,v] - m[b])))

  - op: loss_of_labels
    doc: mean cross entropy over the tokens whose label is not the one to ignore
    types: {T: float, I: index}
    attrs: {ignore: int = -100}
    in: {X: "T[N, V]", Ix: "I[N]"}
    require: [V >= 1]
    out: {Y: "T[]", N: "i64[]"}
    body: |
      m[n] = max[v](X[n,v])
      l[n] = m[n] + log(sum[v](exp(X[n,v] - m[n])))
      Y[] = sum[n : Ix[n] != ignore](l[n] - X[n,clamp(Ix[n], 0, V - 1)])/max(sum[n](Ix[n] != ignore), 1)
      N[] = sum[n](Ix[n] != ignore)

  - op: shared_exponents
    doc: blocks of 32 numbers as one power of two and small floats
    types: {T: [f32, f16]}
    in: {X: "T[M, (B 32)]"}
    out: {E: "i8[M, B]", Y: "T[M, (B 32)]"}
    body: |
      a[m,b] = max[k](abs(cast(X[m,(b k)], f32)))
      e[m,b] = cast(select(a[m,b] > 0, floor(log2(max(a[m,b], 1e-30))), 0), i32)
      E[m,b] = cast(e[m,b], i8)
      q[m,b,k] = round(cast(X[m,(b k)], f32)*exp2(cast(2 - e[m,b], f32)))
      Y[m,(b k)] = cast(clamp(q[m,b,k], -7, 7)*exp2(cast(e[m,b] - 2, f32)), T)
'''


def rounded(x, key):
    return np.asarray(x).astype(np_dtype(key)).astype(np.float64)


def soft(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e/e.sum(-1, keepdims=True)


def attention_cases(rng):
    for key in available('f32', 'bf16'):
        for b, h, l, d in [(1, 1, 1, 1), (2, 3, 5, 8), (1, 2, 17, 3), (1, 1, 0, 4)]:
            x, pos = rand(rng, (b, h, l, 2*d), key), rng.integers(0, 50, (b, l))
            a = pos[..., None]*10000.0**(-np.arange(d)/d)
            c, s = rounded(np.cos(a), key)[:, None], rounded(np.sin(a), key)[:, None]
            u, v = wide(x)[..., :d], wide(x)[..., d:]
            yield dict(op='rope_halves', key=key, inputs=[x, pos], want=[np.concatenate([u*c - v*s, v*c + u*s], -1)], tol=tol(ulp=2, acc=8, mid=1, mag=4.0))
        for g, r, l, d, w in [(1, 1, 1, 1, 1), (2, 3, 17, 8, 4), (1, 2, 33, 5, 100), (2, 1, 0, 4, 2), (1, 1, 9, 16, 1)]:
            q, k, v = rand(rng, (g*r, l, d), key), rand(rng, (g, l, d), key), rand(rng, (g, l, d + 1), key)
            s = np.einsum('hid,hjd->hij', wide(q), wide(k).repeat(r, 0))/np.sqrt(d)
            i, j = np.mgrid[:l, :l]
            s = np.where((j <= i) & (j > i - w), s, -np.inf)
            want = np.einsum('hij,hje->hie', soft(s) if l else s, wide(v).repeat(r, 0))
            yield dict(op='sliding_window_attention', key=key, inputs=[q, k, v], attrs={'window': w}, want=[want], tol=tol(ulp=2, acc=64*(d + 1), mag=4.0))
        for h, l, k, e in [(1, 1, 1, 1), (2, 9, 5, 17), (1, 33, 16, 4)]:
            q, x, g, v, s0 = (rand(rng, s, key, lo, 1) for s, lo in (((h, l, k), -1), ((h, l, k), -1), ((h, l, k), 0), ((h, l, e), -1), ((h, k, e), -1)))
            for start in (s0, None):
                s, y = np.zeros((h, k, e)) if start is None else wide(start), np.zeros((h, l, e))
                for t in range(l):
                    s = wide(g)[:, t, :, None]*s + wide(x)[:, t, :, None]*wide(v)[:, t, None]
                    y[:, t] = np.einsum('hk,hke->he', wide(q)[:, t], s)
                yield dict(op='gated_linear_attention', key=key, inputs=[q, x, v, g, start], want=[y, s], tol=tol(ulp=2, acc=16*(l + k), mag=8.0*(k + 1)))
        for l, d, s in [(1, 1, 1), (17, 5, 8), (33, 16, 3), (0, 3, 2)]:
            x, a, b, c = rand(rng, (l, d), key), rand(rng, (l,), key, -.5, 0), rand(rng, (l, s), key), rand(rng, (l, s), key)
            t = np.cumsum(wide(a))
            m = np.tril(np.exp(np.minimum(t[:, None] - t[None], 0)))*(wide(c) @ wide(b).T)
            yield dict(op='decayed_chunk', key=key, inputs=[x, a, b, c], want=[m @ wide(x)], tol=tol(ulp=2, acc=64*(l + s + 1), mag=8.0*s))
        for b, l, c in [(1, 1, 1), (2, 7, 17), (3, 1, 5)]:
            x, mu, last = rand(rng, (b, l, c), key), rand(rng, (c,), key, 0, 1), rand(rng, (b, c), key)
            before = np.concatenate([wide(last)[:, None], wide(x)[:, :-1]], 1)
            yield dict(op='token_shift', key=key, inputs=[x, mu, last], want=[wide(x) + (before - wide(x))*wide(mu), wide(x)[:, -1]], tol=tol(ulp=2, acc=8, mag=8.0))
        for shape in [(1,), (17,), (3, 33), (2, 3, 16), (0, 4)]:
            x, r, g = rand(rng, shape, key), rand(rng, shape, key), rand(rng, shape[-1:], key)
            s = rounded(wide(x) + wide(r), key)
            y = s/np.sqrt((s*s).mean(-1, keepdims=True) + 1e-6)*(1 + wide(g))
            yield dict(op='residual_norm', key=key, inputs=[x, r, g], want=[y, s], tol=[tol(ulp=4, acc=64, mid=1, mag=8.0), tol(ulp=1)])


def choice_cases(rng):
    for key in available('f32', 'f16'):
        for b, v in [(1, 1), (3, 17), (2, 100)]:
            x = (rng.permutation(b*v*4)[:b*v].reshape(b, v)/4.0 - v).astype(np_dtype(key))
            e = np.exp(wide(x) - wide(x).max(1, keepdims=True))
            keep = e >= .07
            yield dict(op='min_p_filter', key=key, inputs=[x], attrs={'p': .07}, want=[np.where(keep, wide(x), -np.inf), keep.sum(1)], dtypes=[key, 'i32'], tol=EXACT)
        for n, v in [(1, 1), (5, 17), (33, 3), (0, 4)]:
            x, ix = rand(rng, (n, v), key), rng.integers(0, v, n)
            ix[rng.random(n) < .4] = -100
            keep = ix != -100
            lse = np.log(np.exp(wide(x)).sum(1))
            y = (lse - wide(x)[np.arange(n), np.clip(ix, 0, v - 1)])[keep].sum()/max(keep.sum(), 1)
            yield dict(op='loss_of_labels', key=key, inputs=[x, ix], want=[y, keep.sum()], dtypes=[key, 'i64'], tol=[tol(ulp=4, acc=16*(n + 8), mid=2, mag=4.0), EXACT])
        for v, l, n in [(5, 1, 2), (7, 33, 2), (4, 33, 3), (3, 60, 4), (3, 0, 2)]:
            x, t = rand(rng, (v,), key), rng.integers(0, v, l)
            y = wide(x).copy()
            for j in range(n - 1, l):
                if (t[j - n + 1:j] == t[l - n + 1:]).all():
                    y[t[j]] = -np.inf
            yield dict(op='repeated_ngrams_barred', key=key, inputs=[x, t], attrs={'n': n}, want=[y], tol=EXACT)
        for n, d in [(1, 1), (5, 17), (17, 64), (0, 3)]:
            x = rand(rng, (n, d), key)
            s = rounded(np.maximum(np.abs(wide(x)).max(1), 1e-4)/127, key)[:, None]
            acc = np.float64 if key == 'f64' else np.float32
            q = np.round((wide(x).astype(acc)/s.astype(acc)).astype(np_dtype(key)).astype(np.float64)) if key != 'f16' else np.round(wide(x).astype(acc)/s.astype(acc))
            q = np.clip(q, -128, 127)
            e = np.abs(wide(x) - q*s).max(1)
            yield dict(op='keys_in_bytes', key=key, inputs=[x], want=[q, s[:, 0], e], dtypes=['i8', key, {'f16': 'f32', 'f32': 'f64'}.get(key, 'f64')], tol=[EXACT, tol(ulp=1), tol(ulp=4, acc=8, mag=2.0)])
    for key in ('f32',):
        for b, v in [(1, 1), (3, 17), (2, 40)]:
            x = rand(rng, (b, v), key)
            l = wide(x) - np.log(np.exp(wide(x)).sum(1, keepdims=True))
            a = np.abs(-l + (np.exp(l)*l).sum(1, keepdims=True))
            y = np.zeros((b, v), bool)
            for i in range(b):
                order = np.argsort(a[i], kind='stable')
                before = np.concatenate([[0], np.cumsum(np.exp(l[i][order]))[:-1]])
                y[i][order] = before < .7
            yield dict(op='typical_filter', key=key, inputs=[x], attrs={'p': .7}, want=[y], dtypes=['bool'], tol=EXACT)
            u = rng.uniform(.01, .99, (b, v)).astype(np_dtype(key))
            i = np.argmax(wide(x)/.5 - np.log(-np.log(wide(u))), 1)
            yield dict(op='gumbel_choice', key=key, inputs=[x, u], attrs={'temperature': .5}, want=[i, l[np.arange(b), i]], dtypes=['i64', key], tol=[EXACT, tol(ulp=4, acc=8*(v + 4), mag=4.0)])
    for key in ('f16', 'f32', 'i8'):
        for p, s, n, d in [(1, 1, 1, 1), (3, 4, 7, 5), (5, 16, 33, 8), (2, 3, 0, 4)]:
            cache, new = rand(rng, (p, s, d), key), rand(rng, (n, d), key)
            slot = rng.integers(-1, p*s, n)
            y = cache.copy()
            for k in range(n):
                if slot[k] >= 0:
                    y[slot[k]//s, slot[k] % s] = new[k]
            yield dict(op='pages_written', key=key, inputs=[cache, new, slot], want=[y], tol=EXACT)
    for n, k, e, c in [(1, 1, 1, 1), (9, 2, 4, 3), (33, 1, 5, 100), (0, 2, 3, 2)]:
        ix = rng.integers(0, e, (n, k)).astype(np.int32)
        slot, token, load = np.full((n, k), -1), np.full((e, c), -1), np.zeros(e, np.int64)
        for i in range(n):
            for j in range(k):
                t = load[ix[i, j]]
                if t < c:
                    slot[i, j], token[ix[i, j], t] = t, i
                load[ix[i, j]] += 1
        yield dict(op='expert_slots', key='i32', inputs=[ix], attrs={'experts': e, 'capacity': c}, want=[slot, token, load], dtypes=['i64']*3, tol=EXACT)
    for key in ('f32', 'f16'):
        for m, b in [(1, 1), (3, 2), (0, 2)]:
            x = rand(rng, (m, 32*b), key, -3, 3)
            x[:, :8] = 0
            w = wide(x).reshape(m, b, 32)
            a = np.abs(w).max(2)
            e = np.floor(np.log2(np.maximum(a, 1e-30)))
            e[a == 0] = 0
            y = np.clip(np.round(w*2.0**(2 - e[..., None])), -7, 7)*2.0**(e[..., None] - 2)
            yield dict(op='shared_exponents', key=key, inputs=[x], want=[e, y.reshape(m, 32*b)], dtypes=['i8', key], tol=EXACT)


def cases(rng):
    yield from attention_cases(rng)
    yield from choice_cases(rng)
