"""Losses, gates, biases of attention, normalisations, embeddings and segments as training libraries have them."""
import numpy as np
from scipy import special

from casekit import EXACT, available, rand, tol, wide

OPS = r'''
fn:
  softplus1(x): max(x, 0) + log1p(exp(-abs(x)))

families:
  - family: pointwise_loss
    types: {T: float}
    in: {P: "T[*S]", Q: "T[*S]"}
    out: {Y: "T[*S]"}
    body: |
      d[*s] = P[*s] - Q[*s]
      Y[*s] = $e
    ops:
      huber:    {e: "select(abs(d[*s]) <= delta, 0.5*sq(d[*s]), delta*(abs(d[*s]) - 0.5*delta))", attrs: {delta: T = 1}}
      log_cosh: {e: "abs(d[*s]) + log1p(exp(-2*abs(d[*s]))) - 0.6931471805599453"}
      pinball:  {e: "max(tau*d[*s], (tau - 1)*d[*s])", attrs: {tau: float = 0.5}}
      charbonnier: {e: "sqrt(sq(d[*s]) + eps*eps)", attrs: {eps: float = 1e-3}}

ops:
  - op: focal_loss
    doc: sigmoid focal loss with a mean over valid elements
    types: {T: float}
    attrs: {alpha: float = 0.25, gamma: float = 2}
    in: {X: "T[N, C]", Z: "T[N, C]"}
    out: {L: "T[]"}
    body: |
      ce[n,c] = select(Z[n,c] > 0.5, softplus1(-X[n,c]), softplus1(X[n,c]))
      pt[n,c] = exp(-ce[n,c])
      w[n,c] = select(Z[n,c] > 0.5, alpha, 1 - alpha)
      L[] = sum[n,c](w[n,c]*(1 - pt[n,c])**gamma*ce[n,c])/(N*C)

  - op: cross_entropy
    doc: with label smoothing, class weights and an ignored label
    types: {T: float, I: index}
    attrs: {ignore: int = -100, smoothing: float = 0}
    in:
      X: T[N, C]
      t: I[N]
      W?: T[C]
    out: {L: "T[]"}
    body: |
      m[n] = max[c](X[n,c])
      lse[n] = m[n] + log(sum[c](exp(X[n,c] - m[n])))
      w[n] = select(t[n] == ignore, 0, opt(W[wrap(select(t[n] == ignore, 0, t[n]), C)], 1))
      nll[n] = lse[n] - X[n,wrap(select(t[n] == ignore, 0, t[n]), C)]
      flat[n] = select(t[n] == ignore, 0, sum[c]((lse[n] - X[n,c])*opt(W[c], 1))/C)
      L[] = ((1 - smoothing)*sum[n](w[n]*nll[n]) + smoothing*sum[n](flat[n]))/sum[n](w[n])

  - op: triplet
    types: {T: float}
    attrs: {margin: float = 1}
    in: {A: "T[N, D]", P: "T[N, D]", Q: "T[N, D]"}
    out: {Y: "T[N]"}
    body: |
      Y[n] = max(0, margin + sqrt(sum[d](sq(A[n,d] - P[n,d]))) - sqrt(sum[d](sq(A[n,d] - Q[n,d]))))

  - op: dice
    types: {T: float}
    attrs: {eps: float = 1}
    in: {P: "T[N, *S]", Z: "T[N, *S]"}
    out: {Y: "T[N]"}
    body: |
      Y[n] = 1 - (2*sum[*s](P[n,*s]*Z[n,*s]) + eps)/(sum[*s](P[n,*s]) + sum[*s](Z[n,*s]) + eps)

  - op: kl_div
    types: {T: float}
    in: {P: "T[N, C]", Q: "T[N, C]"}
    out: {Y: "T[N]"}
    body: |
      Y[n] = sum[c : P[n,c] > 0](P[n,c]*(log(P[n,c]) - log(Q[n,c])))

  - op: top2_gate
    doc: the two best experts of each token, with their renormalised weights
    types: {T: float}
    in: {X: "T[N, E]"}
    require: [E >= 2]
    out: {I: "i64[N, 2]", W: "T[N, 2]"}
    index: {k: 2}
    body: |
      a[n] = argmax[e](X[n,e])
      b[n] = argmax[e](select(e == a[n], -inf, X[n,e]))
      va[n] = max[e](X[n,e])
      vb[n] = max[e : e != a[n]](X[n,e])
      r[n] = exp(vb[n] - va[n])
      I[n,k] = select(k == 0, a[n], b[n])
      W[n,k] = select(k == 0, 1/(1 + r[n]), r[n]/(1 + r[n]))

  - op: group_softmax
    doc: softmax within groups of channels
    types: {T: float}
    attrs: {groups: int}
    in: {X: "T[N, (groups C), *S]"}
    out: {Y: "T[N, (groups C), *S]"}
    body: |
      m[n,g,*s] = max[c](X[n,(g c),*s])
      z[n,g,*s] = sum[c](exp(X[n,(g c),*s] - m[n,g,*s]))
      Y[n,(g c),*s] = exp(X[n,(g c),*s] - m[n,g,*s])/z[n,g,*s]

  - op: group_norm
    types: {T: float}
    attrs: {groups: int, eps: float = 1e-5}
    in:
      X: T[N, (groups C), *S]
      G?: T[(groups C)]
      B?: T[(groups C)]
    out: {Y: "T[N, (groups C), *S]"}
    body: |
      m[n,g] = sum[c,*s](X[n,(g c),*s])/(C*size(S))
      v[n,g] = sum[c,*s](sq(X[n,(g c),*s] - m[n,g]))/(C*size(S))
      Y[n,(g c),*s] = (X[n,(g c),*s] - m[n,g])*rsqrt(v[n,g] + eps)*opt(G[(g c)], 1) + opt(B[(g c)], 0)

  - op: alibi
    doc: linear attention bias for a power-of-two number of heads
    types: {T: float}
    attrs: {causal: bool = true}
    in: {S: "T[B, H, L, K]"}
    out: {Y: "T[B, H, L, K]"}
    body: |
      slope[h] = exp2(-8*(h + 1.0)/H)
      Y[b,h,i,j] = select(causal and j > i + K - L, -inf, S[b,h,i,j] - cast(slope[h], T)*abs(i + K - L - j))

  - op: rope_interleaved
    types: {T: float}
    attrs: {base: float = 10000, offset: int = 0}
    in: {X: "T[B, H, L, (D 2)]"}
    out: {Y: "T[B, H, L, (D 2)]"}
    index: {k: 2}
    body: |
      w[l,d] = (l + offset)*base**(-1.0*d/D)
      Y[b,h,l,(d k)] = X[b,h,l,(d k)]*cast(cos(w[l,d]), T) + select(k == 0, -1, 1)*X[b,h,l,(d (1 - k))]*cast(sin(w[l,d]), T)

  - op: sinusoidal
    types: {T: float}
    attrs: {length: int}
    in: {E: "T[D]"}
    require: [length >= 0]
    index: {l: length}
    out: {Y: "T[length, D]"}
    body: |
      a[l,d] = l*10000**(-2.0*(d//2)/D)
      Y[l,d] = E[d] + cast(select(d % 2 == 0, sin(a[l,d]), cos(a[l,d])), T)

  - op: relative_shift
    doc: Transformer-XL's shift of relative positions
    types: {T: any}
    in: {X: "T[*B, L, R]"}
    require: [R == 2*L - 1]
    out: {Y: "T[*B, L, L]"}
    index: {j: L}
    body: |
      Y[*b,i,j] = X[*b,i,j - i + L - 1]

  - op: linear_attention
    doc: causal linear attention with elu + 1 features, by prefix sums
    types: {T: float}
    in: {Q: "T[B, L, D]", K: "T[B, L, D]", V: "T[B, L, E]"}
    out: {Y: "T[B, L, E]"}
    body: |
      q[b,i,d] = select(Q[b,i,d] > 0, Q[b,i,d] + 1, exp(Q[b,i,d]))
      k[b,i,d] = select(K[b,i,d] > 0, K[b,i,d] + 1, exp(K[b,i,d]))
      kv[b,i,d,e] = sum[j : j <= i](k[b,j,d]*V[b,j,e])
      z[b,i,d] = sum[j : j <= i](k[b,j,d])
      Y[b,i,e] = sum[d](q[b,i,d]*kv[b,i,d,e])/sum[d](q[b,i,d]*z[b,i,d])

  - op: swiglu
    doc: one projection holds gate and value
    types: {T: float}
    in: {X: "T[*P, (2 F)]"}
    out: {Y: "T[*P, F]"}
    body: |
      Y[*p,f] = X[*p,(0 f)]/(1 + exp(-X[*p,(0 f)]))*X[*p,(1 f)]

  - op: weight_norm
    types: {T: float}
    attrs: {axis: int = 0}
    in: {V: "T[*P, D@axis, *Q]", g: "T[D]"}
    out: {Y: "T[*P, D, *Q]"}
    body: |
      n[d] = sum[*p,*q](sq(V[*p,d,*q]))
      Y[*p,d,*q] = V[*p,d,*q]*g[d]*rsqrt(n[d])

  - op: embedding_bag
    doc: sums, means or maxima over bags that `offsets` begins
    types: {T: float, I: index}
    attrs: {mode: "enum(sum, mean, max) = sum"}
    in: {W: "T[V, D]", Ix: "I[N]", O: "I[B]"}
    out: {Y: "T[B, D]"}
    body: |
      last[b] = cast(select(b == B - 1, N, O[clamp(b + 1, 0, B - 1)]), i64)
      n[b] = last[b] - O[b]
      s[b,d] = sum[i : i >= O[b] and i < last[b]](W[wrap(Ix[i], V),d])
      h[b,d] = max[i : i >= O[b] and i < last[b]](W[wrap(Ix[i], V),d])
      Y[b,d] = select(mode == max, select(n[b] <= 0, 0, h[b,d]), select(mode == mean, s[b,d]/max(n[b], 1), s[b,d]))

  - op: segment_sum
    types: {T: number, I: index}
    attrs: {segments: int}
    in: {X: "T[N, *S]", G: "I[N]"}
    require: [segments >= 0]
    out: {Y: "T[segments, *S]"}
    body: |
      Y[wrap(G[n], segments),*s] += X[n,*s]

  - op: segment_mean_max
    types: {T: float, I: index}
    attrs: {segments: int}
    in: {X: "T[N, D]", G: "I[N]"}
    require: [segments >= 1]
    index: {g: segments}
    out: {M: "T[segments, D]", H: "T[segments, D]"}
    body: |
      s[g,d] = cast(0, T)
      s[wrap(G[n], segments),d] += X[n,d]
      c[g] = 0
      c[wrap(G[n], segments)] += 1
      M[g,d] = s[g,d]/max(c[g], 1)
      H[wrap(G[n], segments),d] max= X[n,d]

  - op: perceiver
    doc: attention pooling, by the shipped softmax
    kind: composite
    types: {T: float}
    in: {X: "T[B, N, D]", w: "T[D]"}
    out: {Y: "T[B, D]"}
    body: |
      s[b,n] = sum[d](X[b,n,d]*w[d])
      p = softmax(s, axis=1)
      Y[b,d] = sum[n](p[b,n]*X[b,n,d])

  - op: dropout_seeded
    doc: dropout by a counter-based generator, the same on every level
    types: {T: float}
    attrs: {p: float = 0.5, seed: u64}
    in: {X: "T[*S]"}
    require: [p >= 0, p < 1]
    out: {Y: "T[*S]", M: "bool[*S]"}
    body: |
      M[*s] = u01(philox(seed, lin(*s)//4, lin(*s) % 4)) >= p
      Y[*s] = select(M[*s], X[*s]/(1 - p), 0)
'''

F = ('f32', 'f64', 'f16', 'bf16')


def ints(rng, shape, kind, lo, hi):
    return rng.integers(lo, hi, shape).astype({'i32': np.int32, 'i64': np.int64}[kind])


def cases(rng):
    for key in available(*F):
        for s in [(), (1,), (17,), (3, 33), (2, 0)]:
            p, q = rand(rng, s, key), rand(rng, s, key)
            d = wide(p) - wide(q)
            a = abs(d)
            for op, attrs, want in [('huber', {'delta': 0.75}, np.where(a <= 0.75, 0.5 * d * d, 0.75 * (a - 0.375))), ('log_cosh', {},
                a + np.log1p(np.exp(-2 * a)) - np.log(2)),
                                    ('pinball', {'tau': 0.25}, np.maximum(0.25 * d, -0.75 * d)), ('charbonnier', {}, np.sqrt(d * d + 1e-6))]:
                yield dict(op=op, key=key, inputs=[p, q], attrs=attrs, want=[want], tol=tol(ulp=4, acc=8, mag=6.0))
        for n, c in [(1, 1), (5, 17), (16, 3)]:
            x, z = rand(rng, (n, c), key, -4, 4), rand(rng, (n, c), 'bool').astype(rand(rng, (1,), key).dtype)
            w, t = wide(x), wide(z)
            ce = np.where(t > 0.5, np.logaddexp(0, -w), np.logaddexp(0, w))
            want = (np.where(t > 0.5, 0.25, 0.75) * (1 - np.exp(-ce))**2 * ce).mean()
            yield dict(op='focal_loss', key=key, inputs=[x, z], want=[want], tol=tol(ulp=4, acc=60))
            for kind in ('i32', 'i64'):
                for smoothing, wt in ((0.0, None), (0.1, rand(rng, (c,), key, 0.5, 2))):
                    t = ints(rng, (n,), kind, 0, c)
                    t[n // 2:n // 2 + (n > 1)] = -100
                    ok = t != -100
                    lse = special.logsumexp(w, axis=1)
                    cw = np.ones(c) if wt is None else wide(wt)
                    tt = np.where(ok, t, 0)
                    wn = np.where(ok, cw[tt], 0)
                    nll = lse - w[np.arange(n), tt]
                    flat = np.where(ok, ((lse[:, None] - w) * cw).sum(1) / c, 0)
                    yield dict(op='cross_entropy', key=key, inputs=[x, t, wt], attrs={'smoothing': smoothing},
                               want=[((1 - smoothing) * (wn * nll).sum() + smoothing * flat.sum()) / wn.sum()], tol=tol(ulp=4, acc=60, mag=12.0))
        yield dict(op='cross_entropy', key=key, inputs=[rand(rng, (2, 3), key), np.array([0, 3]), None], out=[(key, ())], error='a label outside')
        for n, d in [(1, 1), (5, 17), (3, 0)]:
            a, p, q = (rand(rng, (n, d), key) for _ in range(3))
            want = np.maximum(0, 1 + np.sqrt(((wide(a) - wide(p))**2).sum(1)) - np.sqrt(((wide(a) - wide(q))**2).sum(1)))
            yield dict(op='triplet', key=key, inputs=[a, p, q], want=[want], tol=tol(ulp=4, acc=d + 8, mid=2, mag=20.0))
        for s in [(1, 3), (3, 5, 17), (2,)]:
            p, z = rand(rng, s, key, 0, 1), rand(rng, s, key, 0, 1)
            ax = tuple(range(1, len(s)))
            want = 1 - (2 * (wide(p) * wide(z)).sum(ax) + 1) / (wide(p).sum(ax) + wide(z).sum(ax) + 1)
            yield dict(op='dice', key=key, inputs=[p, z], want=[want], tol=tol(ulp=4, acc=120, mid=4, mag=1.0))
        for n, c in [(1, 1), (5, 17)]:
            p, q = rand(rng, (n, c), key, 0, 1), rand(rng, (n, c), key, 0.1, 1)
            p[0, 0] = 0
            yield dict(op='kl_div', key=key, inputs=[p, q], want=[special.xlogy(wide(p), wide(p)).sum(1) - (wide(p) * np.log(wide(q))).sum(1)],
                       tol=tol(ulp=4, acc=80, mag=float(c)))
        for n, e in [(1, 2), (17, 8), (3, 33), (0, 5)]:
            x = rand(rng, (n, e), key, -6, 6)
            order = np.argsort(-wide(x), 1, kind='stable')[:, :2]
            v = np.take_along_axis(wide(x), order, 1)
            r = np.exp(v[:, 1] - v[:, 0])
            yield dict(op='top2_gate', key=key, inputs=[x], want=[order, np.stack([1 / (1 + r), r / (1 + r)], 1)], dtypes=['i64', key],
                       tol=[EXACT, tol(ulp=4, acc=16)])
        for n, g, c, s in [(1, 1, 1, ()), (2, 3, 5, (4,)), (1, 2, 17, (3, 3)), (3, 4, 2, (33,))]:
            x = rand(rng, (n, g * c, *s), key)
            v = wide(x).reshape(n, g, c, *s)
            yield dict(op='group_softmax', key=key, inputs=[x], attrs={'groups': g}, want=[special.softmax(v, 2).reshape(x.shape)],
                       tol=tol(ulp=4, acc=40))
            gain, bias = rand(rng, (g * c,), key), rand(rng, (g * c,), key)
            z = v.reshape(n, g, -1)
            z = (z - z.mean(-1, keepdims=True)) / np.sqrt(z.var(-1, keepdims=True) + 1e-5)
            z = z.reshape(x.shape)
            sh = (1, -1) + (1,) * len(s)
            for gg, bb in ((None, None), (gain, bias)):
                want = z * (1 if gg is None else wide(gg).reshape(sh)) + (0 if bb is None else wide(bb).reshape(sh))
                yield dict(op='group_norm', key=key, inputs=[x, gg, bb], attrs={'groups': g}, want=[want], tol=tol(ulp=4, acc=4000, mid=2, mag=8.0))
        yield dict(op='group_softmax', key=key, inputs=[rand(rng, (1, 5), key)], attrs={'groups': 2},
                   out=[(key, (1, 5))], error='groups do not divide')
        for b, h, n, k in [(1, 8, 3, 5), (2, 2, 17, 17), (1, 1, 1, 1)]:
            x = rand(rng, (b, h, n, k), key)
            i, j = np.arange(n)[:, None], np.arange(k)
            slope = 2.0**(-8 * (np.arange(h) + 1) / h)
            for causal in (False, True):
                want = wide(x) - slope[:, None, None] * abs(i + k - n - j)
                want = np.where(j > i + k - n, -np.inf, want) if causal else want
                yield dict(op='alibi', key=key, inputs=[x], attrs={'causal': causal}, want=[want], tol=tol(ulp=4, acc=8, mid=1, mag=20.0))
        for b, h, n, d in [(1, 1, 1, 1), (2, 3, 17, 4), (1, 2, 5, 33)]:
            x = rand(rng, (b, h, n, 2 * d), key)
            v = wide(x)[..., ::2] + 1j * wide(x)[..., 1::2]
            w = (np.arange(n)[:, None] + 3) * 10000.0**(-np.arange(d) / d)
            v = v * np.exp(1j * w)
            yield dict(op='rope_interleaved', key=key, inputs=[x], attrs={'offset': 3}, want=[np.stack([v.real, v.imag], -1).reshape(x.shape)],
                       tol=tol(ulp=2, acc=100, mid=1, mag=4.0))
        for n, d in [(1, 1), (17, 6), (0, 3), (5, 33)]:
            e = rand(rng, (d,), key)
            a = np.arange(n)[:, None] * 10000.0**(-2.0 * (np.arange(d) // 2) / d)
            yield dict(op='sinusoidal', key=key, inputs=[e], attrs={'length': n},
                       want=[wide(e) + np.where(np.arange(d) % 2 == 0, np.sin(a), np.cos(a))], tol=tol(ulp=2, acc=60, mid=1, mag=3.0))
        for s in [(1, 1), (5, 9), (2, 3, 17, 33)]:
            x = rand(rng, s, key)
            n = s[-2]
            yield dict(op='relative_shift', key=key, inputs=[x], want=[x[..., np.arange(n)[:, None], np.arange(n) - np.arange(n)[:, None] + n - 1]],
                       tol=EXACT)
        for b, n, d, e in [(1, 1, 1, 1), (2, 17, 4, 5), (1, 5, 16, 3)]:
            q, k, v = rand(rng, (b, n, d), key), rand(rng, (b, n, d), key), rand(rng, (b, n, e), key)
            phi = lambda x: np.where(wide(x) > 0, wide(x) + 1, np.exp(wide(x)))
            kv = np.cumsum(phi(k)[..., None] * wide(v)[:, :, None], 1)
            want = np.einsum('bid,bide->bie', phi(q), kv) / np.einsum('bid,bid->bi', phi(q), np.cumsum(phi(k), 1))[..., None]
            yield dict(op='linear_attention', key=key, inputs=[q, k, v], want=[want], tol=tol(ulp=4, acc=400, mid=8, mag=8.0))
        for s in [(2,), (17, 6), (2, 3, 34), (0, 4)]:
            x = rand(rng, s, key)
            f = s[-1] // 2
            g = wide(x)[..., :f]
            yield dict(op='swiglu', key=key, inputs=[x], want=[g / (1 + np.exp(-g)) * wide(x)[..., f:]], tol=tol(ulp=4, acc=8))
        for s, axis in [((1,), 0), ((5, 17), 0), ((5, 17), 1), ((2, 3, 5), 1)]:
            v, g = rand(rng, s, key), rand(rng, (s[axis],), key)
            n = np.sqrt((wide(v)**2).sum(tuple(i for i in range(len(s)) if i != axis % len(s)), keepdims=True))
            sh = [1] * len(s)
            sh[axis] = -1
            yield dict(op='weight_norm', key=key, inputs=[v, g], attrs={'axis': axis}, want=[wide(v) * wide(g).reshape(sh) / n],
                       tol=tol(ulp=4, acc=40, mid=2))
        for kind in ('i32', 'i64'):
            for vocabulary, d, n, offsets in [(5, 3, 7, [0, 2, 2, 5]), (1, 1, 1, [0]), (33, 17, 16, [0, 16]), (4, 2, 0, [0])]:
                w, ix = rand(rng, (vocabulary, d), key), ints(rng, (n,), kind, 0, vocabulary)
                o = np.array(offsets, ix.dtype)
                ends = [*offsets[1:], n]
                rows = [wide(w)[ix[a:b]] for a, b in zip(offsets, ends)]
                for mode, f in ((0, lambda r: r.sum(0)), (1, lambda r: r.sum(0) / max(len(r), 1)), (2,
                    lambda r: r.max(0) if len(r) else np.zeros(d))):
                    yield dict(op='embedding_bag', key=key, inputs=[w, ix, o], attrs={'mode': mode}, want=[np.stack([f(r) for r in rows])],
                               tol=tol(ulp=2, acc=20, mid=1, mag=20.0))
            for n, s, m in [(17, (), 5), (5, (3,), 9), (0, (2,), 3), (33, (2, 5), 1)]:
                x, g = rand(rng, (n, *s), key), ints(rng, (n,), kind, 0, m)
                y = np.zeros((m, *s))
                np.add.at(y, g, wide(x))
                yield dict(op='segment_sum', key=key, inputs=[x, g], attrs={'segments': m}, want=[y], tol=tol(ulp=1, mid=n + 1, mag=40.0))
                if len(s) == 1:
                    h, c = np.full((m, *s), -np.inf), np.zeros(m)
                    np.maximum.at(h, g, wide(x))
                    np.add.at(c, g, 1)
                    yield dict(op='segment_mean_max', key=key, inputs=[x, g], attrs={'segments': m}, want=[y / np.maximum(c, 1)[:, None], h],
                               tol=[tol(ulp=2, mid=n + 2, mag=20.0), EXACT])
            yield dict(op='segment_sum', key=key, inputs=[rand(rng, (2,), key), np.array([0, 2], 'int32')], attrs={'segments': 2},
                       out=[(key, (2,))], error='a segment outside')
        for b, n, d in [(1, 1, 1), (2, 17, 5), (3, 5, 33)]:
            x, w = rand(rng, (b, n, d), key), rand(rng, (d,), key)
            p = special.softmax(wide(x) @ wide(w), 1)
            yield dict(op='perceiver', key=key, inputs=[x, w], want=[np.einsum('bn,bnd->bd', p, wide(x))],
                       tol=tol(ulp=4, acc=400, mid=2.0 * d, mag=4.0))
        for s in [(17,), (64, 33)]:
            x = rand(rng, s, key, 1, 2)
            yield dict(op='dropout_seeded', key=key, inputs=[x], attrs={'p': 0.0, 'seed': 7}, want=[x, np.ones(s, bool)], dtypes=[key, 'bool'],
                       tol=[EXACT, EXACT])
        yield dict(op='dropout_seeded', key=key, inputs=[rand(rng, (3,), key)], attrs={'p': 1.0, 'seed': 7},
                   out=[(key, (3,)), ('bool', (3,))], error='p < 1')
