"""Layers of language models: routing with capacity, acceptance by residuals, differences of attention, states with data-dependent decay."""
import numpy as np

from casekit import EXACT, available, np_dtype, rand, softmax, tol, wide

OPS = [r'''
ops:
  - op: rwkv6_mix
    doc: a matrix of state a head whose channels decay by the data, with a bonus for the present token
    types: {T: float}
    in: {R: "T[B, L, H, K]", Key: "T[B, L, H, K]", V: "T[B, L, H, D]", W: "T[B, L, H, K]", U: "T[H, K]"}
    out: {Y: "T[B, L, H, D]", S: "T[B, H, K, D]"}
    body: |
      w[b,t,h,k] = exp(-exp(W[b,t,h,k]))
      s[b,t,h,k,d] = w[b,t,h,k]*padded(s[b,t - 1,h,k,d], 0) + Key[b,t,h,k]*V[b,t,h,d]
      Y[b,t,h,d] = sum[k](R[b,t,h,k]*(padded(s[b,t - 1,h,k,d], 0) + U[h,k]*Key[b,t,h,k]*V[b,t,h,d]))
      S[b,h,k,d] = padded(s[b,L - 1,h,k,d], 0)
''', r'''
ops:
  - op: mamba2_heads
    doc: one decay a head and step, states shared by groups of heads, a skip by head; a reset where a sequence begins
    types: {T: float}
    attrs: {groups: int = 1}
    require: [groups >= 1]
    let: {J: groups}
    in: {X: "T[L, (J Q), P]", Dt: "T[L, (J Q)]", A: "T[(J Q)]", Bm: "T[L, J, N]", C: "T[L, J, N]", D: "T[(J Q)]", New: "bool[L]"}
    out: {Y: "T[L, (J Q), P]"}
    body: |
      dt[l,j,q] = log1p(exp(Dt[l,(j q)]))
      a[l,j,q] = select(New[l], 0, exp(-dt[l,j,q]*exp(A[(j q)])))
      h[l,j,q,p,n] = a[l,j,q]*padded(h[l - 1,j,q,p,n], 0) + dt[l,j,q]*Bm[l,j,n]*X[l,(j q),p]
      Y[l,(j q),p] = sum[n](C[l,j,n]*h[l,j,q,p,n]) + D[(j q)]*X[l,(j q),p]
''', r'''
ops:
  - op: routed_with_capacity
    doc: two experts a token; a token beyond the capacity of an expert goes past it
    types: {T: float}
    attrs: {capacity: int = 4}
    require: [capacity >= 1, E >= 2, D >= 1]
    let: {K: capacity}
    index: {c: K, j: 2}
    in: {X: "T[N, D]", G: "T[N, E]", W: "T[E, D, D]"}
    out: {Y: "T[N, D]", Slot: "i64[N, 2]", Load: "i64[E]"}
    body: |
      p = softmax(G, axis=-1)
      v, at = topk(p, k=2)
      e[n,j] = clamp(at[n,j], 0, E - 1)
      Slot[n,j] = sum[m,i : m < n](select(e[m,i] == e[n,j], 1, 0)) + sum[i : i < j](select(e[n,i] == e[n,j], 1, 0))
      Load[wrap(e[n,j], E)] += 1
      x[f,c,d] = 0*W[f,d,0]
      x[wrap(e[n,j], E),wrap(Slot[n,j], K),d] += X[n,d] where Slot[n,j] < capacity
      y[f,c,o] = sum[d](x[f,c,d]*W[f,d,o])
      Y[n,o] = sum[j](v[n,j]*padded(y[e[n,j],Slot[n,j],o], 0))/(v[n,0] + v[n,1])
''', r'''
ops:
  - op: draft_verified
    doc: how many drafted tokens a model accepts, and the token after them, of what the draft lacked
    types: {T: [f32, f64]}
    in: {P: "T[B, G, V]", Q: "T[B, L, V]", Tok: "i64[B, L]", U: "T[B, G]"}
    require: [G >= 1, G == L + 1, V >= 1]
    out: {N: "i64[B]", Next: "i64[B]", R: "T[B, V]"}
    body: |
      ok[b,l] = U[b,l]*Q[b,l,wrap(Tok[b,l], V)] <= P[b,l,wrap(Tok[b,l], V)]
      N[b] = sum[l](all[k : k <= l](ok[b,k]))
      at[b] = clamp(N[b], 0, G - 1)
      d[b,v] = max(P[b,at[b],v] - padded(Q[b,at[b],v], 0), 0)
      s[b] = sum[v](d[b,v])
      R[b,v] = select(s[b] > 0, d[b,v]/s[b], P[b,at[b],v])
      c[b,v] = sum[w : w <= v](R[b,w])
      Next[b] = min(sum[v](select(c[b,v] <= U[b,at[b]], 1, 0)), V - 1)
''', r'''
ops:
  - op: attention_differences
    doc: the difference of two attentions of halved heads, each output normed by its root mean square
    types: {T: float}
    attrs: {eps: float = 1e-5}
    in: {Q: "T[B, H, M, (2 D)]", Key: "T[B, H, N, (2 D)]", V: "T[B, H, N, E]", Lambda: "T[H]"}
    index: {c: 2}
    out: {Y: "T[B, H, M, E]"}
    body: |
      s[b,h,m,c,n] = sum[d](Q[b,h,m,(c d)]*Key[b,h,n,(c d)])*rsqrt(D)
      p[b,h,m,c,n] = select(n <= m + N - M, s[b,h,m,c,n], -inf)
      w = softmax(p, axis=-1)
      o[b,h,m,e] = sum[n]((w[b,h,m,0,n] - Lambda[h]*w[b,h,m,1,n])*V[b,h,n,e])
      r[b,h,m] = rsqrt(sum[e](sq(o[b,h,m,e]))/E + eps)
      Y[b,h,m,e] = o[b,h,m,e]*r[b,h,m]
    require: [N >= M]
''', r'''
ops:
  - op: alibi_with_sinks
    doc: attention over a window and the first few keys; the slope of a head is a power of two, between those of a power of two of heads where there are more
    types: {T: float}
    attrs: {window: int = 4, sinks: int = 1}
    require: [window >= 1, sinks >= 0, H >= 1]
    let: {P: "shl(1, 63 - clz(H))"}
    in: {Q: "T[H, N, D]", Key: "T[H, N, D]", V: "T[H, N, D]"}
    out: {Y: "T[H, N, D]"}
    body: |
      slope[h] = exp2(-8*select(h < P, cast(h + 1, f32), cast(2*(h - P) + 1, f32)/2)/cast(P, f32))
      s[h,i,j] = sum[d](Q[h,i,d]*Key[h,j,d])*rsqrt(D) - cast(slope[h], T)*(i - j)
      k[h,i,j] = select(j <= i and (i - j < window or j < sinks), s[h,i,j], -inf)
      m[h,i] = max[j](k[h,i,j])
      w[h,i,j] = exp(k[h,i,j] - m[h,i])
      Y[h,i,d] = sum[j](w[h,i,j]*V[h,j,d])/sum[j](w[h,i,j])
''', r'''
ops:
  - op: rope_scaled
    doc: rotary positions whose slow frequencies are stretched and whose fast ones stay, a ramp between (as in YaRN)
    types: {T: float}
    attrs: {base: float = 10000.0, factor: float = 4.0, low: float = 1.0, high: float = 8.0, old: int = 64}
    in: {X: "T[B, L, H, (D 2)]", Pos: "i64[B, L]"}
    out: {Y: "T[B, L, H, (D 2)]"}
    index: {e: 2}
    body: |
      f[d] = cast(pow(cast(base, f64), -cast(d, f64)/cast(D, f64)), f64)
      turns[d] = cast(old, f64)*f[d]/6.283185307179586
      ramp[d] = clamp((turns[d] - cast(low, f64))/(cast(high, f64) - cast(low, f64)), 0, 1)
      g[d] = f[d]*(ramp[d] + (1 - ramp[d])/cast(factor, f64))
      a[b,l,d] = cast(Pos[b,l], f64)*g[d]
      c[b,l,d] = cast(cos(a[b,l,d]), T)
      s[b,l,d] = cast(sin(a[b,l,d]), T)
      Y[b,l,h,(d e)] = X[b,l,h,(d e)]*c[b,l,d] + select(e == 0, -X[b,l,h,(d 1)], X[b,l,h,(d 0)])*s[b,l,d]
''', r'''
ops:
  - op: tokens_merged
    doc: odd tokens that are most like an even one are averaged into it
    types: {T: [f32, f64]}
    attrs: {merge: int}
    require: [merge >= 0, merge <= N, N >= 1]
    in: {X: "T[(N 2), D]"}
    let: {R: 2*N - merge}
    out: {Y: "T[R, D]", To: "i64[N]"}
    body: |
      n[i,c] = rsqrt(sum[d](sq(X[(i c),d])))
      s[i,j] = sum[d](X[(i 1),d]*X[(j 0),d])*n[i,1]*n[j,0]
      b[i], To[i] = max_at[j](s[i,j])
      rank[i] = sum[j](select(b[j] > b[i] or (b[j] == b[i] and j < i), 1, 0))
      out[i] = rank[i] < merge
      t[i,d] = 0*X[(i 0),d]
      c[i] = 0
      t[wrap(To[i], N),d] += X[(i 1),d] where out[i]
      c[wrap(To[i], N)] += 1 where out[i]
      stay[i] = sum[j : j < i](select(out[j], 0, 1))
      Y[r,d] = select(r < N, (X[2*clamp(r, 0, N - 1),d] + t[clamp(r, 0, N - 1),d])/(1 + cast(c[clamp(r, 0, N - 1)], T)), max[i : not out[i] and stay[i] == r - N](X[(i 1),d]))
''', r'''
ops:
  - op: low_rank_rows
    doc: a product whose every row has an adapter of its own of low rank, or none
    types: {T: float, I: index}
    attrs: {scale: float = 2.0}
    in: {X: "T[*P, K]", W: "T[K, N]", A: "T[G, K, R]", Bm: "T[G, R, N]", Id: "I[*P]"}
    out: {Y: "T[*P, N]"}
    body: |
      h[*p,r] = sum[k](X[*p,k]*padded(A[Id[*p],k,r], 0))
      Y[*p,n] = sum[k](X[*p,k]*W[k,n]) + scale*sum[r](h[*p,r]*padded(Bm[Id[*p],r,n], 0))
''', r'''
ops:
  - op: sinkhorn_routes
    doc: scores to shares whose rows and columns sum to one, by turns, in logarithms
    types: {T: [f32, f64]}
    attrs: {steps: int = 4}
    require: [steps >= 1]
    index: {t: steps}
    in: {X: "T[M, N]"}
    out: {Y: "T[M, N]"}
    body: |
      a[t,m] = max[n](X[m,n] - padded(v[t - 1,n], 0))
      u[t,m] = a[t,m] + log(sum[n](exp(X[m,n] - padded(v[t - 1,n], 0) - a[t,m])))
      b[t,n] = max[m](X[m,n] - u[t,m])
      v[t,n] = b[t,n] + log(sum[m](exp(X[m,n] - u[t,m] - b[t,n])))
      Y[m,n] = exp(X[m,n] - u[steps - 1,m] - v[steps - 1,n])
''', r'''
ops:
  - op: mlstm
    doc: a matrix of memory with exponential gates, kept in range by a running maximum
    types: {T: [f32, f64]}
    in: {Q: "T[L, D]", Key: "T[L, D]", V: "T[L, E]", Ig: "T[L]", Fg: "T[L]"}
    out: {Y: "T[L, E]"}
    body: |
      f[t] = -log1p(exp(-Fg[t]))
      m[t] = max(f[t] + padded(m[t - 1], 0), Ig[t])
      x[t] = exp(f[t] + padded(m[t - 1], 0) - m[t])
      i[t] = exp(Ig[t] - m[t])
      c[t,e,d] = x[t]*padded(c[t - 1,e,d], 0) + i[t]*V[t,e]*Key[t,d]*rsqrt(D)
      n[t,d] = x[t]*padded(n[t - 1,d], 0) + i[t]*Key[t,d]*rsqrt(D)
      z[t] = max(abs(sum[d](n[t,d]*Q[t,d])), exp(-m[t]))
      Y[t,e] = sum[d](c[t,e,d]*Q[t,d])/z[t]
''', r'''
ops:
  - op: linear_map_trained
    doc: a linear map that each token trains a step before it reads it
    types: {T: [f32, f64]}
    attrs: {rate: float = 0.1}
    in: {Key: "T[B, L, D]", V: "T[B, L, E]", Q: "T[B, L, D]", W0: "T[D, E]"}
    out: {Y: "T[B, L, E]", Loss: "T[B, L]"}
    body: |
      e[b,t,j] = sum[i](Key[b,t,i]*padded(w[b,t - 1,i,j], W0[i,j])) - V[b,t,j]
      w[b,t,i,j] = padded(w[b,t - 1,i,j], W0[i,j]) - rate*Key[b,t,i]*e[b,t,j]
      Y[b,t,j] = sum[i](Q[b,t,i]*w[b,t,i,j])
      Loss[b,t] = sum[j](sq(e[b,t,j]))/2
''', r'''
ops:
  - op: keys_in_nibbles
    doc: scores with keys of four bits in groups along the channels, each with a scale and a zero
    types: {T: float}
    in: {Q: "T[H, (G 2 C)]", Kq: "u8[N, H, (G C)]", Scale: "T[N, H, G]", Zero: "u8[N, H, G]"}
    out: {S: "T[H, N]", Best: "i64[H]"}
    body: |
      S[h,n] = sum[g](Scale[n,h,g]*sum[c](Q[h,(g 0 c)]*(cast(bit_and(Kq[n,h,(g c)], 15), T) - cast(Zero[n,h,g], T)) + Q[h,(g 1 c)]*(cast(shr(Kq[n,h,(g c)], 4), T) - cast(Zero[n,h,g], T))))
      Best[h] = argmax[n](S[h,n])
    require: []
''', r'''
ops:
  - op: depth_routed
    doc: a layer for the tokens that score highest; the others pass by, in order
    types: {T: [f32, f64]}
    attrs: {keep: int = 2}
    require: [keep >= 0, keep <= L]
    let: {K: keep}
    index: {k: K}
    in: {X: "T[B, L, D]", R: "T[D]", W: "T[D, D]"}
    out: {Y: "T[B, L, D]"}
    body: |
      r[b,l] = sum[d](X[b,l,d]*R[d])
      v, at = topk(r, k=keep)
      t[b,k,o] = sum[d](X[b,clamp(at[b,k], 0, L - 1),d]*W[d,o])
      Y[b,l,d] = X[b,l,d]
      Y[b,wrap(at[b,k], L),d] += v[b,k]*max(t[b,k,d], 0)
''']


def round_to(x, key):
    return np.asarray(x).astype(np_dtype(key)).astype(np.float64)


def cases(rng):
    sig = lambda v: 1/(1 + np.exp(-v))
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for b, l, h, k, d in ((1, 1, 1, 1, 1), (2, 9, 3, 5, 7), (1, 20, 2, 16, 17), (2, 0, 1, 3, 2)):
            r, kk, v, w, u = (rand(rng, s, key, -1, 1) for s in ((b, l, h, k), (b, l, h, k), (b, l, h, d), (b, l, h, k), (h, k)))
            s, y, mag = np.zeros((b, h, k, d)), np.zeros((b, l, h, d)), np.zeros((b, l, h, d))
            for t in range(l):
                kv = wide(kk)[:, t, :, :, None]*wide(v)[:, t, :, None, :]
                y[:, t] = np.einsum('bhk,bhkd->bhd', wide(r)[:, t], s + wide(u)[:, :, None]*kv)
                s = np.exp(-np.exp(wide(w)[:, t]))[..., None]*s + kv
            yield dict(op='rwkv6_mix', key=key, inputs=[r, kk, v, w, u], want=[y, s], dtypes=[key, key], tol=tol(ulp=4, acc=16*(l + k), mag=4.0*max(k, 1)))
        for l, j, q, p, n in ((1, 1, 1, 1, 1), (7, 2, 3, 5, 4), (20, 1, 2, 17, 16), (0, 1, 2, 3, 4)):
            x, dt, a, bm, c, dd = (rand(rng, s, key, -1, 1) for s in ((l, j*q, p), (l, j*q), (j*q,), (l, j, n), (l, j, n), (j*q,)))
            new = rng.integers(0, 4, l) == 0
            st, y = np.zeros((j*q, p, n)), np.zeros((l, j*q, p))
            for t in range(l):
                sp = np.log1p(np.exp(wide(dt)[t]))
                dec = np.where(new[t], 0, np.exp(-sp*np.exp(wide(a))))
                st = dec[:, None, None]*st + sp[:, None, None]*np.repeat(wide(bm)[t], q, 0)[:, None, :]*wide(x)[t][:, :, None]
                y[t] = (st*np.repeat(wide(c)[t], q, 0)[:, None]).sum(-1) + wide(dd)[:, None]*wide(x)[t]
            yield dict(op='mamba2_heads', key=key, inputs=[x, dt, a, bm, c, dd, new], attrs={'groups': j}, want=[y], tol=tol(ulp=4, acc=32*(l + n), mag=4.0*n))
        for b, h, m, n, d, e in ((1, 1, 1, 1, 1, 1), (2, 3, 5, 7, 4, 6), (1, 2, 17, 17, 8, 16), (1, 1, 0, 3, 2, 2)):
            q, k, v, lam = (rand(rng, s, key, -1, 1) for s in ((b, h, m, 2*d), (b, h, n, 2*d), (b, h, n, e), (h,)))
            s = np.einsum('bhmcd,bhncd->bhmcn', wide(q).reshape(b, h, m, 2, d), wide(k).reshape(b, h, n, 2, d))/np.sqrt(d)
            s = np.where(np.arange(n) <= np.arange(m)[:, None, None] + n - m, s, -np.inf)
            w = softmax(s)
            o = np.einsum('bhmn,bhne->bhme', w[:, :, :, 0] - wide(lam)[:, None, None]*w[:, :, :, 1], wide(v))
            y = o/np.sqrt((o*o).mean(-1, keepdims=True) + 1e-5)
            amp = np.broadcast_to(1/np.sqrt((o*o).mean(-1, keepdims=True) + 1e-5), y.shape)
            yield dict(op='attention_differences', key=key, inputs=[q, k, v, lam], want=[y], tol=tol(ulp=4, acc=64*(n + d), mid=16 if key in ('f16', 'bf16') else 0, mag=amp))
        for h, n, d, win, sinks in ((1, 1, 1, 1, 0), (3, 9, 4, 4, 1), (6, 20, 8, 5, 2), (8, 17, 3, 99, 0), (2, 0, 3, 2, 1)):
            q, k, v = (rand(rng, (h, n, d), key, -1, 1) for _ in range(3))
            p = 1 << (h.bit_length() - 1)
            sl = np.array([2.0**(-8*(i + 1)/p) if i < p else 2.0**(-4*(2*(i - p) + 1)/p) for i in range(h)])
            i, j = np.arange(n)[:, None], np.arange(n)
            s = np.einsum('hid,hjd->hij', wide(q), wide(k))/np.sqrt(d) - sl[:, None, None]*(i - j)
            s = np.where((j <= i) & ((i - j < win) | (j < sinks)), s, -np.inf)
            yield dict(op='alibi_with_sinks', key=key, inputs=[q, k, v], attrs={'window': win, 'sinks': sinks}, want=[softmax(s) @ wide(v)], tol=tol(ulp=4, acc=64*(n + d) if key != 'f64' else 1e9, mag=1.0, mid=0))
        for b, l, h, d in ((1, 1, 1, 1), (2, 5, 3, 8), (1, 17, 2, 16)):
            x, pos = rand(rng, (b, l, h, 2*d), key), rng.integers(0, 200, (b, l))
            f = 10000.0**(-np.arange(d)/d)
            ramp = np.clip((64*f/(2*np.pi) - 1)/7, 0, 1)
            a = pos[..., None]*(f*(ramp + (1 - ramp)/4))
            c, s = round_to(np.cos(a), key)[:, :, None], round_to(np.sin(a), key)[:, :, None]
            xx = wide(x).reshape(b, l, h, d, 2)
            y = np.stack([xx[..., 0]*c - xx[..., 1]*s, xx[..., 1]*c + xx[..., 0]*s], -1).reshape(b, l, h, 2*d)
            yield dict(op='rope_scaled', key=key, inputs=[x, pos], want=[y], tol=tol(ulp=4, mid=4, mag=4.0))
        for p, k, n, g, r in (((), 3, 4, 2, 1), ((5,), 17, 16, 3, 2), ((2, 3), 8, 9, 1, 4), ((0,), 2, 3, 1, 1), ((2, 1, 4), 5, 3, 2, 2)):
            x, w, a, bb = (rand(rng, s, key, -1, 1) for s in ((*p, k), (k, n), (g, k, r), (g, r, n)))
            for it in (np.int32, np.int64):
                ids = np.asarray(rng.integers(-1, g, p)).astype(it)
                ok = (ids >= 0)[..., None]
                hh = np.einsum('...k,...kr->...r', wide(x), wide(a)[np.maximum(ids, 0)])*ok
                y = wide(x) @ wide(w) + 2*np.einsum('...r,...rn->...n', hh, wide(bb)[np.maximum(ids, 0)])*ok
                yield dict(op='low_rank_rows', key=key, inputs=[x, w, a, bb, ids], want=[y], tol=tol(ulp=4, acc=8*(k + r), mag=1.0 + 3.0*k*r))
        for h, g, c, n in ((1, 1, 1, 1), (2, 3, 4, 5), (3, 2, 16, 17)):
            q, sc = rand(rng, (h, g*2*c), key), rand(rng, (n, h, g), key, 0.1, 1)
            kq, z = rng.integers(0, 256, (n, h, g*c)).astype(np.uint8), rng.integers(0, 16, (n, h, g)).astype(np.uint8)
            kk = kq.reshape(n, h, g, 1, c).astype(np.int64)
            kk = np.concatenate([kk & 15, kk >> 4], 3) - z[..., None, None].astype(np.int64)
            s = np.einsum('hgcd,nhgcd,nhg->hn', wide(q).reshape(h, g, 2, c), kk.astype(float), wide(sc))
            if n > 1: s[:] = s
            yield dict(op='keys_in_nibbles', key=key, inputs=[q, kq, sc, z], want=[s, s.argmax(1)], dtypes=[key, 'i64'], tol=[tol(ulp=4, acc=16*g*c, mag=40.0*g*c), EXACT])
        for n, d, e, cap in ((1, 3, 2, 1), (9, 5, 4, 3), (20, 4, 3, 4), (0, 2, 2, 1)):
            x, g, w = rand(rng, (n, d), key, -1, 1), rand(rng, (n, e), key, -3, 3), rand(rng, (e, d, d), key, -1, 1)
            # scores far apart, so that their order is certain
            g = np.argsort(rng.random((n, e)), -1).astype(np_dtype(key))
            p = softmax(wide(g))
            at = np.argsort(-wide(g), -1, kind='stable')[:, :2]
            v, count = np.take_along_axis(p, at, 1), np.zeros(e, int)
            slot, y = np.zeros((n, 2), np.int64), np.zeros((n, d))
            for i in range(n):
                for j in range(2):
                    slot[i, j] = count[at[i, j]]; count[at[i, j]] += 1
                    if slot[i, j] < cap: y[i] += v[i, j]*(wide(x)[i] @ wide(w)[at[i, j]])
                y[i] /= v[i].sum()
            yield dict(op='routed_with_capacity', key=key, inputs=[x, g, w], attrs={'capacity': cap}, want=[y, slot, np.bincount(at.ravel(), minlength=e)], dtypes=[key, 'i64', 'i64'],
                       tol=[tol(ulp=4, acc=16*d, mid=4 if key in ('f16', 'bf16') else 0, mag=1.0*d), EXACT, EXACT])
    for key in ('f32', 'f64'):
        for b, l, v in ((1, 1, 3), (3, 4, 7), (2, 7, 33), (2, 0, 5), (0, 2, 3)):
            n = lambda s: rng.integers(1, 9, s).astype(float)
            p, q = n((b, l + 1, v)), n((b, l, v))
            p, q = (p/64).astype(np_dtype(key)), (q/64).astype(np_dtype(key))
            tok = rng.integers(0, v, (b, l))
            u = (rng.integers(0, 8, (b, l + 1))/8).astype(np_dtype(key))
            nn, nxt, rr = np.zeros(b, np.int64), np.zeros(b, np.int64), np.zeros((b, v))
            for i in range(b):
                k = 0
                while k < l and u[i, k]*q[i, k, tok[i, k]] <= p[i, k, tok[i, k]]: k += 1
                dd = np.maximum(wide(p)[i, k] - (wide(q)[i, k] if k < l else 0), 0)
                rr[i] = dd/dd.sum() if dd.sum() > 0 else wide(p)[i, k]
                c = np.cumsum(rr[i].astype(np_dtype(key)), dtype=np_dtype(key))
                if np.abs(c.astype(float) - float(u[i, k])).min() < 1e-6: u[i, k] += 1/1024
                k2 = 0
                while k2 < l and u[i, k2]*q[i, k2, tok[i, k2]] <= p[i, k2, tok[i, k2]]: k2 += 1
                if k2 != k: u[i, k] -= 1/1024
                nn[i], nxt[i] = k, min((c <= u[i, k]).sum(), v - 1)
            yield dict(op='draft_verified', key=key, inputs=[p, q, tok, u], want=[nn, nxt, rr], dtypes=['i64', 'i64', key], tol=[EXACT, EXACT, tol(ulp=4, acc=v, mag=1.0)])
        for n, d, m in ((1, 3, 1), (5, 4, 2), (9, 17, 9), (4, 3, 0)):
            x = rand(rng, (2*n, d), key)
            xx = wide(x).reshape(n, 2, d)
            nr = xx/np.linalg.norm(xx, axis=-1, keepdims=True)
            s = nr[:, 1] @ nr[:, 0].T
            to, best = s.argmax(1), s.max(1)
            order = np.argsort(-best, kind='stable')
            out = np.zeros(n, bool); out[order[:m]] = True
            t, c = xx[:, 0].copy(), np.ones(n)
            for i in range(n):
                if out[i]: t[to[i]] += xx[i, 1]; c[to[i]] += 1
            y = np.concatenate([t/c[:, None], xx[~out, 1]])
            yield dict(op='tokens_merged', key=key, inputs=[x], attrs={'merge': m}, want=[y, to], dtypes=[key, 'i64'], tol=[tol(ulp=4, acc=8*n, mag=2.0*n), EXACT])
        for m, n in ((1, 1), (3, 5), (17, 16), (0, 3)):
            x = rand(rng, (m, n), key)
            for steps in (1, 3, 8):
                v = np.zeros(n)
                lse = lambda a, ax: np.log(np.exp(a).sum(ax))
                for _ in range(steps):
                    u = lse(wide(x) - v, 1)
                    v = lse(wide(x) - u[:, None], 0) if m else np.full(n, -np.inf)
                yield dict(op='sinkhorn_routes', key=key, inputs=[x], attrs={'steps': steps}, want=[np.exp(wide(x) - u[:, None] - v)], tol=tol(ulp=4, acc=32*steps*(m + n), mag=1.0))
        for l, d, e in ((1, 1, 1), (9, 5, 7), (33, 16, 8), (0, 2, 3)):
            q, k, v, ig, fg = (rand(rng, s, key) for s in ((l, d), (l, d), (l, e), (l,), (l,)))
            c, nn, y, m = np.zeros((e, d)), np.zeros(d), np.zeros((l, e)), 0.0
            z = np.ones(l)
            for t in range(l):
                f = -np.log1p(np.exp(-wide(fg)[t])); m2 = max(f + m, wide(ig)[t])
                xf, i = np.exp(f + m - m2), np.exp(wide(ig)[t] - m2); m = m2
                kk = wide(k)[t]/np.sqrt(d)
                c, nn = xf*c + i*np.outer(wide(v)[t], kk), xf*nn + i*kk
                z[t] = max(abs(nn @ wide(q)[t]), np.exp(-m))
                y[t] = c @ wide(q)[t]/z[t]
            mag = np.broadcast_to((np.abs(y).max(1, initial=0)[:, None] + 8*d*l)/np.minimum(z, 1)[:, None], y.shape) if l else None
            yield dict(op='mlstm', key=key, inputs=[q, k, v, ig, fg], want=[y], tol=tol(ulp=4, acc=32*(l + d), mag=mag))
        for b, l, d, e in ((1, 1, 1, 1), (2, 9, 5, 7), (1, 33, 16, 17), (2, 0, 3, 2)):
            k, v, q, w0 = rand(rng, (b, l, d), key, -.5, .5), rand(rng, (b, l, e), key), rand(rng, (b, l, d), key), rand(rng, (d, e), key)
            y, loss = np.zeros((b, l, e)), np.zeros((b, l))
            for i in range(b):
                w = wide(w0).copy()
                for t in range(l):
                    err = wide(k)[i, t] @ w - wide(v)[i, t]
                    w = w - 0.1*np.outer(wide(k)[i, t], err)
                    y[i, t], loss[i, t] = wide(q)[i, t] @ w, (err*err).sum()/2
            yield dict(op='linear_map_trained', key=key, inputs=[k, v, q, w0], want=[y, loss], dtypes=[key, key], tol=tol(ulp=4, acc=32*(l + d), mag=8.0*d*e))
        for b, l, d, keep in ((1, 1, 1, 1), (2, 9, 5, 3), (3, 17, 16, 17), (1, 4, 3, 0)):
            x, r, w = rand(rng, (b, l, d), key), rand(rng, (d,), key), rand(rng, (d, d), key)
            sc = wide(x) @ wide(r)
            y = wide(x).copy()
            for i in range(b):
                for l0 in np.argsort(-sc[i], kind='stable')[:keep]:
                    y[i, l0] += sc[i, l0]*np.maximum(wide(x)[i, l0] @ wide(w), 0)
            yield dict(op='depth_routed', key=key, inputs=[x, r, w], attrs={'keep': keep}, want=[y], tol=tol(ulp=4, acc=32*d, mag=16.0*d*d))
