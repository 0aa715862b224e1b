"""States, caches and samplers of language models."""
import numpy as np
from casekit import EXACT, np_dtype, rand, softmax, tol, wide

OPS = [r'''
ops:
  - op: matrix_memory
    doc: the cell of mLSTM - a matrix that gates fill, its scale kept in range by a running maximum
    types: {T: [f32, f64]}
    in: {Q: "T[B, L, D]", K: "T[B, L, D]", V: "T[B, L, E]", I: "T[B, L]", F: "T[B, L]"}
    out: {Y: "T[B, L, E]"}
    body: |
      m[b,t] = max(F[b,t] + padded(m[b,t - 1], 0), I[b,t])
      f[b,t] = exp(F[b,t] + padded(m[b,t - 1], 0) - m[b,t])
      i[b,t] = exp(I[b,t] - m[b,t])
      c[b,t,d,e] = f[b,t]*padded(c[b,t - 1,d,e], 0) + i[b,t]*K[b,t,d]*V[b,t,e]
      n[b,t,d] = f[b,t]*padded(n[b,t - 1,d], 0) + i[b,t]*K[b,t,d]
      z[b,t] = max(abs(sum[d](n[b,t,d]*Q[b,t,d])), exp(-m[b,t]))
      Y[b,t,e] = sum[d](c[b,t,d,e]*Q[b,t,d])/z[b,t]
''', r'''
ops:
  - op: rwkv7_state
    doc: a state that decays by channel, forgets along one direction and learns a pair
    types: {T: [f32, f64]}
    in: {R: "T[L, D]", W: "T[L, D]", K: "T[L, D]", V: "T[L, E]", A: "T[L, D]", B: "T[L, D]", S0: "T[E, D]"}
    require: [L >= 1]
    out: {Y: "T[L, E]", S: "T[E, D]"}
    body: |
      p[t,e] = sum[d](padded(s[t - 1,e,d], S0[e,d])*A[t,d])
      s[t,e,d] = padded(s[t - 1,e,d], S0[e,d])*W[t,d] + p[t,e]*B[t,d] + V[t,e]*K[t,d]
      Y[t,e] = sum[d](s[t,e,d]*R[t,d])
      S[e,d] = s[L - 1,e,d]
''', r'''
ops:
  - op: gated_delta_net
    doc: the delta rule with a decay, several heads
    types: {T: [f32, f64]}
    in: {Q: "T[H, L, D]", K: "T[H, L, D]", V: "T[H, L, E]", A: "T[H, L]", Beta: "T[H, L]"}
    out: {Y: "T[H, L, E]"}
    body: |
      u[h,t,e] = Beta[h,t]*(V[h,t,e] - A[h,t]*sum[d](padded(s[h,t - 1,d,e], 0)*K[h,t,d]))
      s[h,t,d,e] = A[h,t]*padded(s[h,t - 1,d,e], 0) + K[h,t,d]*u[h,t,e]
      Y[h,t,e] = sum[d](s[h,t,d,e]*Q[h,t,d])
''', r'''
ops:
  - op: varlen_attention
    doc: causal attention of sequences that lie one behind the other, their starts given
    types: {T: [f32, f64], I: index}
    in: {Q: "T[N, H, D]", K: "T[N, H, D]", V: "T[N, H, D]", Start: "I[S]", Of: "I[N]"}
    require: [S >= 2]
    out: {Y: "T[N, H, D]"}
    body: |
      b[n] = cast(Start[wrap(Of[n], S)], i64)
      x[n,h,j] = sum[d](Q[n,h,d]*K[j,h,d])*rsqrt(cast(D, T))
      m[n,h] = max[j : b[n] <= j and j <= n](x[n,h,j])
      e[n,h,j] = exp(x[n,h,j] - m[n,h])
      z[n,h] = sum[j : b[n] <= j and j <= n](e[n,h,j])
      Y[n,h,d] = sum[j : b[n] <= j and j <= n](e[n,h,j]*V[j,h,d])/z[n,h]
''', r'''
ops:
  - op: block_sparse_attention
    doc: attention in which a table of blocks says which keys a block of queries sees
    types: {T: [f32, f64]}
    in: {Q: "T[(X S), D]", K: "T[(Z S), D]", V: "T[(Z S), E]", Mask: "bool[X, Z]"}
    require: [Z >= 1, S >= 1]
    out: {Y: "T[(X S), E]"}
    body: |
      s[x,i,z,j] = sum[d](Q[(x i),d]*K[(z j),d])
      m[x,i] = max[z,j : Mask[x,z]](s[x,i,z,j])
      w[x,i] = sum[z,j : Mask[x,z]](exp(s[x,i,z,j] - m[x,i]))
      Y[(x i),e] = select(w[x,i] > 0, sum[z,j : Mask[x,z]](exp(s[x,i,z,j] - m[x,i])*V[(z j),e])/w[x,i], 0)
''', r'''
ops:
  - op: latent_attention
    doc: keys and values that are unpacked from one latent row a token, and a part of the key that all heads share
    types: {T: [f32, f64]}
    in: {Q: "T[H, D]", P: "T[H, R]", C: "T[L, Z]", Kr: "T[L, R]", Wk: "T[H, D, Z]", Wv: "T[H, Z, E]"}
    require: [L >= 1]
    out: {Y: "T[H, E]"}
    body: |
      a[h,z] = sum[d](Q[h,d]*Wk[h,d,z])
      s[h,l] = sum[z](a[h,z]*C[l,z]) + sum[r](P[h,r]*Kr[l,r])
      p = softmax(s, axis=-1)
      o[h,z] = sum[l](p[h,l]*C[l,z])
      Y[h,e] = sum[z](o[h,z]*Wv[h,z,e])
''', r'''
ops:
  - op: ring_cache
    doc: the keys of the last W tokens, written round
    types: {T: any, I: index}
    in: {Cache: "T[W, D]", New: "T[N, D]", Pos: "I[]"}
    require: [W >= 1]
    out: {Y: "T[W, D]"}
    body: |
      Y[w,d] = Cache[w,d]
      Y[(cast(Pos[], i64) + n) % W,d] last= New[n,d]
''', r'''
ops:
  - op: gptq_rows
    doc: int4 weights with zero points a group, their groups in the order that calibration chose
    types: {T: [f32, f16]}
    in: {X: "T[M, K]", W: "u32[P, N]", S: "T[G, N]", Z: "u32[G, O]", Group: "i32[K]"}
    require: [8*P >= K, 8*O >= N]
    out: {Y: "T[M, N]"}
    body: |
      q[k,n] = cast(bit_and(shr(W[k//8,n], cast(4*(k % 8), u32)), 15), i32)
      z[g,n] = cast(bit_and(shr(Z[g,n//8], cast(4*(n % 8), u32)), 15), i32) + 1
      w[k,n] = cast(q[k,n] - z[wrap(Group[k], G),n], T)*S[wrap(Group[k], G),n]
      Y[m,n] = sum[k](X[m,k]*w[k,n])
''', r'''
ops:
  - op: mxfp4_dot
    doc: rows of blocks of 32 four-bit floats with one power of two each
    in: {X: "f32[M, (B 32)]", W: "f4e2m1[N, (B 32)]", E: "f8e8m0[N, B]"}
    out: {Y: "f32[M, N]"}
    body: |
      s[m,n,b] = sum[k](X[m,(b k)]*W[n,(b k)])
      Y[m,n] = sum[b](s[m,n,b]*E[n,b])
''', r'''
ops:
  - op: repeat_penalty_dry
    doc: a penalty that grows with the length of the repetition that a token would continue
    types: {T: [f32, f64]}
    attrs: {multiplier: float = 0.8, base: float = 1.75, allowed: int = 2}
    in: {Logits: "T[V]", Tokens: "i32[N]"}
    require: [N >= 1]
    out: {Y: "T[V]"}
    body: |
      run[i] = fold[q](a = cast(0, i64), select(a == q and i - q >= 0 and Tokens[clamp(i - q, 0, N - 1)] == Tokens[N - 1 - q], a + 1, a))
      best[v] = 0*cast(v, i64)
      best[wrap(Tokens[i + 1], V)] max= run[i] where i + 1 < N
      Y[v] = Logits[v] - select(best[v] >= allowed, multiplier*pow(base, cast(best[v] - allowed, T)), 0)
    index: {q: N, i: N - 1, v: V}
''', r'''
ops:
  - op: mirostat
    doc: tokens whose surprise is not above mu, normalised, and how many they are
    types: {T: [f32, f64]}
    attrs: {mu: float = 3}
    in: {X: "T[B, V]"}
    require: [V >= 1]
    out: {P: "T[B, V]", N: "i32[B]"}
    body: |
      p = softmax(X, axis=-1)
      k[b,v] = -log2(p[b,v]) <= mu or v == argmax[u](X[b,u])
      z[b] = sum[v : k[b,v]](p[b,v])
      P[b,v] = select(k[b,v], p[b,v]/z[b], 0)
      N[b] = sum[v](k[b,v])
''', r'''
ops:
  - op: balance_loss
    doc: the load balancing loss of a router, and its z-loss
    types: {T: [f32, f64]}
    in: {X: "T[N, E]"}
    require: [N >= 1, E >= 1]
    out: {Y: "T[]", Z: "T[]"}
    body: |
      p = softmax(X, axis=-1)
      c[e] = 0*sum[n](X[n,e])
      c[argmax[e](X[n,e])] += cast(1, T)
      Y[] = E*sum[e](c[e]*sum[n](p[n,e]))/(cast(N, T)*N)
      Z[] = sum[n](sq(max[e](X[n,e]) + log(sum[e](exp(X[n,e] - max[f](X[n,f]))))))/N
''', r'''
ops:
  - op: monotonic_alignment
    doc: the best monotonic path between text and sound, and how many frames each letter has
    types: {T: [f32, f64]}
    in: {S: "T[X, Y]"}
    require: [X >= 1, Y >= X]
    out: {At: "i64[Y]", N: "i64[X]"}
    body: |
      q[y,x] = select(x > y, -1e9, S[x,y] + select(y == 0, select(x == 0, 0, -1e9), max(padded(q[y - 1,x], -1e9), padded(q[y - 1,x - 1], -1e9))))
      At[y] = select(y == Y - 1, X - 1, select(padded(At[y + 1], 0) > 0 and padded(q[y,padded(At[y + 1], 0) - 1], -2e9) >= padded(q[y,padded(At[y + 1], 0)], -2e9), padded(At[y + 1], 0) - 1, padded(At[y + 1], 0)))
      N[wrap(At[y], X)] += 1
''', r'''
ops:
  - op: hgrn_blocks
    doc: gated linear recurrences whose gates have a lower bound that grows with the layer
    types: {T: float}
    attrs: {layers: int = 3}
    in: {X: "T[L, C]", F: "T[K, L, C]"}
    require: [K >= 1]
    out: {Y: "T[L, C]"}
    body: |
      g[k,t,c] = k/cast(K, T) + (1 - k/cast(K, T))/(1 + exp(-F[k,t,c]))
      h[k,t,c] = g[k,t,c]*padded(h[k,t - 1,c], 0) + (1 - g[k,t,c])*select(k == 0, X[t,c], padded(h[k - 1,t,c], 0))
      Y[t,c] = h[K - 1,t,c]
''', r'''
ops:
  - op: multimodal_rope
    doc: rotary positions in three sections - time, height and width
    types: {T: [f32, f64]}
    attrs: {sections: "int[3]"}
    in: {X: "T[L, (2 D)]", Pos: "i64[3, L]"}
    require: ['sections[0] + sections[1] + sections[2] == D', sections >= 0]
    index: {h: 2}
    out: {Y: "T[L, (2 D)]"}
    body: |
      s[d] = select(d < sections[0], 0, select(d < sections[0] + sections[1], 1, 2))
      w[l,d] = cast(Pos[clamp(s[d], 0, 2),l], T)*exp(-2*cast(d, T)/D)
      Y[l,(h d)] = X[l,(h d)]*cos(w[l,d]) + select(h == 0, -1, 1)*X[l,((1 - h) d)]*sin(w[l,d])
''', r'''
ops:
  - op: scatter_kv_int8
    doc: a token's keys in bytes with a scale, where the slot says, and the rows that were skipped
    types: {T: [f32, f16]}
    in: {K: "T[N, D]", Slot: "i64[N]", Cache: "i8[P, D]", Scales: "T[P]"}
    out: {C: "i8[P, D]", S: "T[P]", Skipped: "i64[]"}
    body: |
      m[n] = max[d](abs(K[n,d]))
      q[n,d] = cast(clamp(round(K[n,d]*127/max(m[n], 1e-6)), -127, 127), i8)
      C[p,d] = Cache[p,d]
      S[p] = Scales[p]
      C[wrap(Slot[n], P),d] last= q[n,d] where Slot[n] >= 0
      S[wrap(Slot[n], P)] last= m[n]/127 where Slot[n] >= 0
      Skipped[] = sum[n](Slot[n] < 0)
''', r'''
ops:
  - op: tree_verified
    doc: how deep a tree of drafted tokens agrees with the model, and the last node that does
    types: {I: index}
    in: {Parent: "I[N]", Token: "I[N]", Choice: "I[N]"}
    require: [N >= 1]
    out: {Depth: "i64[]", At: "i64[]"}
    body: |
      ok[n] = select(n == 0, 1, select(padded(ok[min(cast(Parent[n], i64), n - 1)], 0) == 1 and Token[n] == Choice[clamp(Parent[n], 0, N - 1)], 1, 0))
      d[n] = select(n == 0, 0, padded(d[min(cast(Parent[n], i64), n - 1)], 0) + 1)
      Depth[], At[] = max_at[n](select(ok[n] == 1, d[n], -1))
''', r'''
ops:
  - op: hyena_long_conv
    doc: a gated convolution as long as the sequence
    types: {T: [f32, f64]}
    in: {U: "T[B, L, C]", G: "T[B, L, C]", F: "T[L, C]", D: "T[C]"}
    out: {Y: "T[B, L, C]"}
    body: |
      Y[b,t,c] = G[b,t,c]*(sum[s : s <= t](padded(F[t - s,c], 0)*U[b,s,c]) + D[c]*U[b,t,c])
''', r'''
ops:
  - op: grpo_loss
    doc: a clipped policy loss over ragged answers, advantages normalised in each group
    types: {T: [f32, f64]}
    attrs: {low: float = 0.2, high: float = 0.28, K: int}
    in: {New: "T[(G K), L]", Old: "T[(G K), L]", Reward: "T[(G K)]", Len: "i32[(G K)]"}
    require: [K >= 1]
    out: {Y: "T[]"}
    body: |
      u[g] = sum[k](Reward[(g k)])/K
      v[g] = sum[k](sq(Reward[(g k)] - u[g]))/K
      a[g,k] = (Reward[(g k)] - u[g])*rsqrt(v[g] + 1e-4)
      r[g,k,t] = exp(New[(g k),t] - Old[(g k),t])
      l[g,k] = sum[t : t < Len[(g k)]](min(r[g,k,t]*a[g,k], clamp(r[g,k,t], 1 - low, 1 + high)*a[g,k]))
      Y[] = -sum[g,k](l[g,k])/max(sum[g,k](Len[(g k)]), 1)
''']


def cases(rng):
    for key in ('f32', 'f64'):
        t_ = np_dtype(key)
        for b, l, d, e in [(1, 1, 1, 1), (2, 9, 5, 3), (1, 17, 16, 33), (0, 3, 2, 2)]:
            q, k, v = rand(rng, (b, l, d), key), rand(rng, (b, l, d), key), rand(rng, (b, l, e), key)
            i, f = rand(rng, (b, l), key), rand(rng, (b, l), key, -2, 0)
            y = np.zeros((b, l, e))
            for x in range(b):
                c, n, m = np.zeros((d, e)), np.zeros(d), 0.
                for t in range(l):
                    new = max(wide(f)[x, t] + m, wide(i)[x, t])
                    fg, ig = np.exp(wide(f)[x, t] + m - new), np.exp(wide(i)[x, t] - new)
                    m = new
                    c = fg*c + ig*np.outer(wide(k)[x, t], wide(v)[x, t])
                    n = fg*n + ig*wide(k)[x, t]
                    y[x, t] = c.T @ wide(q)[x, t]/max(abs(n @ wide(q)[x, t]), np.exp(-m))
            yield dict(op='matrix_memory', key=key, inputs=[q, k, v, i, f], want=[y], tol=tol(ulp=8, acc=64*(d + l), mag=16.0*d))
        for l, d, e in [(1, 1, 1), (9, 5, 3), (17, 16, 17)]:
            r, k, a, bb = (rand(rng, (l, d), key, -.5, .5) for _ in range(4))
            w, v, s0 = rand(rng, (l, d), key, .5, 1), rand(rng, (l, e), key), rand(rng, (e, d), key)
            s, y = wide(s0), np.zeros((l, e))
            for t in range(l):
                s = s*wide(w)[t] + np.outer(s @ wide(a)[t], wide(bb)[t]) + np.outer(wide(v)[t], wide(k)[t])
                y[t] = s @ wide(r)[t]
            yield dict(op='rwkv7_state', key=key, inputs=[r, w, k, v, a, bb, s0], want=[y, s], tol=tol(ulp=8, acc=64*(d + l), mag=16.0*d + np.abs(s).max()))
        for h, l, d, e in [(1, 1, 1, 1), (2, 9, 5, 3), (1, 7, 16, 17)]:
            q, k, v = rand(rng, (h, l, d), key, -.5, .5), rand(rng, (h, l, d), key, -.5, .5), rand(rng, (h, l, e), key)
            a, be = rand(rng, (h, l), key, .5, 1), rand(rng, (h, l), key, 0, 1)
            y = np.zeros((h, l, e))
            for x in range(h):
                s = np.zeros((d, e))
                for t in range(l):
                    s = wide(a)[x, t]*s
                    s = s + np.outer(wide(k)[x, t], wide(be)[x, t]*(wide(v)[x, t] - s.T @ wide(k)[x, t]))
                    y[x, t] = s.T @ wide(q)[x, t]
            yield dict(op='gated_delta_net', key=key, inputs=[q, k, v, a, be], want=[y], tol=tol(ulp=8, acc=64*(d + l), mag=16.0*d))
        for n, h, d, starts in [(1, 1, 1, [0, 1]), (9, 2, 5, [0, 3, 4, 9]), (33, 1, 16, [0, 20, 33])]:
            q, k, v = (rand(rng, (n, h, d), key) for _ in range(3))
            of = np.searchsorted(starts, np.arange(n), 'right') - 1
            y = np.zeros((n, h, d))
            for i in range(n):
                b = starts[of[i]]
                for x in range(h):
                    p = softmax(wide(k)[b:i + 1, x] @ wide(q)[i, x]/np.sqrt(d))
                    y[i, x] = p @ wide(v)[b:i + 1, x]
            yield dict(op='varlen_attention', key=key, inputs=[q, k, v, np.array(starts, np.int32), of.astype(np.int32)], want=[y], tol=tol(ulp=8, acc=16*(d + n), mag=4.0*d))
        for x, z, s, d, e in [(1, 1, 1, 1, 1), (2, 3, 4, 5, 3), (3, 2, 16, 17, 5)]:
            q, k, v = rand(rng, (x*s, d), key), rand(rng, (z*s, d), key), rand(rng, (z*s, e), key)
            mask = rng.random((x, z)) < .6
            mask[0] = False
            y = np.zeros((x*s, e))
            for i in range(x*s):
                keep = np.repeat(mask[i//s], s)
                if keep.any():
                    y[i] = softmax(wide(k)[keep] @ wide(q)[i]) @ wide(v)[keep]
            yield dict(op='block_sparse_attention', key=key, inputs=[q, k, v, mask], want=[y], tol=tol(ulp=8, acc=16*(d + z*s), mag=4.0*d))
        for h, d, r, l, z, e in [(1, 1, 1, 1, 1, 1), (2, 5, 3, 9, 17, 4), (3, 16, 8, 33, 5, 7)]:
            q, p, c, kr = rand(rng, (h, d), key, -.5, .5), rand(rng, (h, r), key, -.5, .5), rand(rng, (l, z), key), rand(rng, (l, r), key)
            wk, wv = rand(rng, (h, d, z), key, -.5, .5), rand(rng, (h, z, e), key)
            s = np.einsum('hd,hdz,lz->hl', wide(q), wide(wk), wide(c)) + wide(p) @ wide(kr).T
            y = np.einsum('hl,lz,hze->he', softmax(s), wide(c), wide(wv))
            yield dict(op='latent_attention', key=key, inputs=[q, p, c, kr, wk, wv], want=[y], tol=tol(ulp=8, acc=64*(d + r + z + l), mag=16.0*z))
        for v, n in [(3, 1), (5, 17), (17, 40)]:
            x, tk = rand(rng, (v,), key), rng.integers(0, 2 if n < 20 else 3, n).astype(np.int32)
            best = np.zeros(v, np.int64)
            for i in range(n - 1):
                a = 0
                while i - a >= 0 and tk[i - a] == tk[n - 1 - a]:
                    a += 1
                best[tk[i + 1]] = max(best[tk[i + 1]], a)
            y = wide(x) - np.where(best >= 2, .8*1.75**(best - 2.), 0)
            yield dict(op='repeat_penalty_dry', key=key, inputs=[x, tk], want=[y], tol=tol(ulp=8, acc=64, mag=np.abs(y) + .8*1.75**best))
        for b, v in [(1, 1), (3, 17), (2, 33), (0, 4)]:
            x = rand(rng, (b, v), key, -4, 4)
            p = softmax(wide(x))
            k = -np.log2(p) <= 3
            for i in range(b):
                k[i, np.argmax(x[i])] = True
            y = np.where(k, p, 0)
            yield dict(op='mirostat', key=key, inputs=[x], want=[y/y.sum(1, keepdims=True), k.sum(1)], dtypes=[key, 'i32'], tol=[tol(ulp=8, acc=64), EXACT])
        for n, e in [(1, 1), (9, 3), (33, 17)]:
            x = rand(rng, (n, e), key)
            p = softmax(wide(x))
            c = np.bincount(np.argmax(x, 1), minlength=e)
            yield dict(op='balance_loss', key=key, inputs=[x], want=[np.float64(e*(c*p.sum(0)).sum()/n/n), np.float64((np.log(np.exp(wide(x)).sum(1))**2).mean())], tol=tol(ulp=8, acc=32*n, mag=4.0))
        for x, y in [(1, 1), (3, 9), (5, 5), (7, 33)]:
            s = rng.integers(-9, 9, (x, y)).astype(t_)
            q = np.full((y, x), -1e9)
            for j in range(y):
                for i in range(min(x, j + 1)):
                    if j == 0:
                        q[j, i] = s[i, j] + (0 if i == 0 else -1e9)
                    else:
                        q[j, i] = s[i, j] + max(q[j - 1, i], q[j - 1, i - 1] if i else -1e9)
                q[j] = q[j].astype(t_)
            at = np.zeros(y, int)
            at[-1] = x - 1
            for j in range(y - 2, -1, -1):
                a = at[j + 1]
                at[j] = a - 1 if a > 0 and q[j, a - 1] >= q[j, a] else a
            yield dict(op='monotonic_alignment', key=key, inputs=[s], want=[at, np.bincount(at, minlength=x)], dtypes=['i64', 'i64'], tol=EXACT)
        for l, d, sec in [(1, 3, [1, 1, 1]), (9, 8, [4, 2, 2]), (5, 17, [0, 17, 0])]:
            x, pos = rand(rng, (l, 2*d), key), rng.integers(0, 9, (3, l))
            s = np.repeat([0, 1, 2], sec)
            w = pos[s].T*np.exp(-2*np.arange(d)/d)
            a, b = wide(x)[:, :d], wide(x)[:, d:]
            y = np.concatenate([a*np.cos(w) - b*np.sin(w), b*np.cos(w) + a*np.sin(w)], 1)
            yield dict(op='multimodal_rope', key=key, inputs=[x, pos], attrs={'sections': sec}, want=[y], tol=tol(ulp=4, acc=64, mag=4.0))
        for b, l, c in [(1, 1, 1), (2, 17, 5), (1, 33, 16), (0, 2, 3)]:
            u, g, f, d = rand(rng, (b, l, c), key), rand(rng, (b, l, c), key), rand(rng, (l, c), key), rand(rng, (c,), key)
            y = np.zeros((b, l, c))
            for t in range(l):
                y[:, t] = sum((wide(f)[t - s]*wide(u)[:, s] for s in range(t + 1)), 0*wide(u)[:, 0])
            yield dict(op='hyena_long_conv', key=key, inputs=[u, g, f, d], want=[wide(g)*(y + wide(d)*wide(u))], tol=tol(ulp=4, acc=16*l, mag=16.0*l))
        for g, k, l in [(1, 1, 1), (2, 3, 9), (3, 4, 17)]:
            n, o, r = rand(rng, (g*k, l), key, -1, 0), rand(rng, (g*k, l), key, -1, 0), rand(rng, (g*k,), key)
            ln = rng.integers(0, l + 3, g*k).astype(np.int32)
            rr = wide(r).reshape(g, k)
            a = ((rr - rr.mean(1, keepdims=True))/np.sqrt(rr.var(1, keepdims=True) + 1e-4)).reshape(-1, 1)
            ra = np.exp(wide(n) - wide(o))
            s = np.minimum(ra*a, np.clip(ra, .8, 1.28)*a)
            s = np.where(np.arange(l) < ln[:, None], s, 0).sum()
            yield dict(op='grpo_loss', key=key, inputs=[n, o, r, ln], attrs={'K': k}, want=[np.float64(-s/max(ln.sum(), 1))], tol=tol(ulp=8, acc=64*g*k*l, mag=4.0))
        for k, l, c in [(1, 1, 1), (3, 9, 5), (2, 17, 33)]:
            x, f = rand(rng, (l, c), key), rand(rng, (k, l, c), key)
            h = wide(x)
            for i in range(k):
                g = i/k + (1 - i/k)/(1 + np.exp(-wide(f)[i]))
                s, new = np.zeros(c), np.zeros((l, c))
                for t in range(l):
                    s = g[t]*s + (1 - g[t])*h[t]
                    new[t] = s
                h = new
            yield dict(op='hgrn_blocks', key=key, inputs=[x, f], want=[h], tol=tol(ulp=8, acc=64, mag=4.0))
    for key in ('f32', 'u8', 'i64'):
        for w, n, d, p in [(1, 1, 1, 0), (5, 3, 4, 3), (4, 9, 17, -2), (3, 0, 2, 7)]:
            c, x = rand(rng, (w, d), key, 0, 9), rand(rng, (n, d), key, 0, 9)
            y = c.copy()
            for i in range(n):
                y[(p + i) % w] = x[i]
            yield dict(op='ring_cache', key=key, inputs=[c, x, np.array(p, np.int64)], want=[y], tol=EXACT)
    for key in ('f32', 'f16'):
        for m, k, n, g in [(1, 8, 8, 1), (3, 16, 24, 2), (5, 37, 11, 3)]:
            p, o = -(-k//8), -(-n//8)
            x, s = rand(rng, (m, k), key, -1, 1), rand(rng, (g, n), key, 0, .5)
            w, z = rng.integers(0, 2**32, (p, n), np.uint32), rng.integers(0, 2**32, (g, o), np.uint32)
            gr = rng.integers(0, g, k).astype(np.int32)
            q = (w[np.arange(k)//8] >> (4*(np.arange(k) % 8))[:, None].astype(np.uint32) & 15).astype(int)
            zz = (z[:, np.arange(n)//8] >> (4*(np.arange(n) % 8)).astype(np.uint32) & 15).astype(int) + 1
            ww = (q - zz[gr])*wide(s)[gr]
            yield dict(op='gptq_rows', key=key, inputs=[x, w, s, z, gr], want=[wide(x) @ ww], tol=tol(ulp=2, acc=16*k, mag=16.0*k))
        for n, p, d in [(1, 1, 1), (5, 9, 17), (9, 4, 16), (0, 3, 2)]:
            k, sl = rand(rng, (n, d), key), rng.integers(-1, p, n)
            c, s = rng.integers(-9, 9, (p, d)).astype(np.int8), rand(rng, (p,), key)
            cc, ss = c.copy(), wide(s).copy()
            for i in range(n):
                if sl[i] >= 0:
                    x = k[i].astype(np.float32)
                    m = np.abs(x).max()
                    cc[sl[i]] = np.clip(np.rint(x*np.float32(127)/np.maximum(m, np.float32(1e-6))), -127, 127)
                    ss[sl[i]] = m/np.float32(127)
            yield dict(op='scatter_kv_int8', key=key, inputs=[k, sl, c, s], want=[cc, ss, (sl < 0).sum()], dtypes=['i8', key, 'i64'], tol=[EXACT, tol(ulp=1), EXACT])
    for key, t in (('i32', np.int32), ('i64', np.int64)):
        for n in (1, 2, 9, 33):
            par = np.array([0] + [rng.integers(0, i) for i in range(1, n)]).astype(t)
            tk, ch = rng.integers(0, 2, n).astype(t), rng.integers(0, 2, n).astype(t)
            ok, dep = [True], [0]
            for i in range(1, n):
                ok.append(ok[par[i]] and tk[i] == ch[par[i]])
                dep.append(dep[par[i]] + 1)
            s = np.where(ok, dep, -1)
            yield dict(op='tree_verified', key=key, inputs=[par, tk, ch], want=[s.max(), np.argmax(s)], dtypes=['i64', 'i64'], tol=EXACT)
