"""Pages of attention, experts, beams, pictures, wavelets and steps of physics as people write them, against plain NumPy loops."""
import numpy as np

from casekit import EXACT, rand, softmax, tol, wide

OPS = r'''
ops:
  - op: paged_window
    doc: one new token a sequence over its pages of keys, of which the last ones and the first few are seen
    types: {T: float, I: index}
    attrs: {window: int, sinks: int = 1}
    in: {Q: "T[B, (G R), D]", K: "T[F, S, G, D]", V: "T[F, S, G, E]", Page: "I[B, P]", Len: "I[B]"}
    require: [S >= 1, F >= 1, P >= 1]
    let: {J: P*S}
    index: {j: J}
    out: {Y: "T[B, (G R), E]"}
    body: |
      s[b,g,r,j] = sum[d](Q[b,(g r),d]*K[wrap(Page[b,j//S], F),j % S,g,d])*rsqrt(cast(D, T))
      m[b,g,r] = max[j : j < Len[b] and (j >= Len[b] - window or j < sinks)](s[b,g,r,j])
      p[b,g,r,j] = exp(s[b,g,r,j] - m[b,g,r])
      z[b,g,r] = sum[j : j < Len[b] and (j >= Len[b] - window or j < sinks)](p[b,g,r,j])
      Y[b,(g r),e] = sum[j : j < Len[b] and (j >= Len[b] - window or j < sinks)](p[b,g,r,j]*V[wrap(Page[b,j//S], F),j % S,g,e])/z[b,g,r]

  - op: rotary_part
    doc: rotary positions of the first `turned` elements of each head, in pairs; the others pass
    types: {T: float, I: index}
    attrs: {turned: int, base: float = 100.0}
    in: {X: "T[*P, L, D]", Pos: "I[L]"}
    require: [turned >= 2, turned <= D, turned % 2 == 0]
    out: {Y: "T[*P, L, D]"}
    body: |
      a[l,d] = cast(Pos[l], f32)*cast(base, f32)**(-cast(2*(d//2), f32)/turned)
      o[d] = select(d < turned, clamp(d + 1 - 2*(d % 2), 0, D - 1), d)
      c[l,d] = select(d < turned, cos(a[l,d]), 1)
      s[l,d] = select(d < turned, select(d % 2 == 0, -1, 1)*sin(a[l,d]), 0)
      Y[*p,l,d] = X[*p,l,d]*cast(c[l,d], T) + X[*p,l,o[d]]*cast(s[l,d], T)

  - op: experts_by_ranges
    doc: tokens in the order of their experts, each through the matrix of its own
    types: {T: float, I: index}
    in: {Ptr: "I[P]", X: "T[N, K]", W: "T[E, K, O]", Bias: "T[E, O]"}
    require: [P == E + 1]
    out: {Y: "T[N, O]"}
    body: Y[n,o] += sum[k](X[n,k]*W[e,k,o]) + Bias[e,o] where n in Ptr[e] .. Ptr[e + 1]

  - op: beams
    doc: a step of beam search; the best of all continuations of a batch
    types: {T: [f32, f64]}
    attrs: {k: int}
    in: {Score: "T[B, W]", L: "T[B, W, V]"}
    require: [k >= 1, k <= W*V, V >= 1]
    let: {F: W*V, C: k}
    out: {S: "T[B, C]", Parent: "i64[B, C]", Token: "i64[B, C]"}
    body: |
      z[b,w] = log(sum[v](exp(L[b,w,v])))
      c[b,(w v)] = Score[b,w] + L[b,w,v] - z[b,w]
      best, at = topk(c, k=k)
      S[b,i] = best[b,i]
      Parent[b,i] = at[b,i]//V
      Token[b,i] = at[b,i] % V

  - op: greedy_boxes
    doc: boxes in order of their score, of which those are kept that overlap no kept one before too much
    types: {T: [f32, f64, f16]}
    attrs: {limit: float = 0.5}
    in: {X: "T[N, 4]"}
    let: {M: upto(N)}
    out: {Kept: "bool[N]", At: "i64[M]"}
    body: |
      a[n] = cast(X[n,2] - X[n,0], f64)*cast(X[n,3] - X[n,1], f64)
      u[i,j] = max(cast(min(X[i,2], X[j,2]), f64) - cast(max(X[i,0], X[j,0]), f64), 0)*max(cast(min(X[i,3], X[j,3]), f64) - cast(max(X[i,1], X[j,1]), f64), 0)
      Kept[i] = all[j : j < i](not Kept[j] or u[i,j] <= limit*(a[i] + a[j] - u[i,j]))
      M = sum[i](Kept[i])
      p[i] = sum[j : j < i](Kept[j])
      At[wrap(p[i], M)] last= i where Kept[i]

  - op: filled_from_marks
    doc: morphological reconstruction by dilation; a number of steps
    types: {T: [f32, u8, i32, f16]}
    attrs: {steps: int}
    in: {Mark: "T[H, W]", X: "T[H, W]"}
    require: [steps >= 1]
    index: {t: steps, r: 3, s: 3}
    out: {Y: "T[H, W]"}
    body: |
      g[t,y,x] = min(X[y,x], max[r,s](padded(g[t - 1,clamp(y + r - 1, 0, H - 1),clamp(x + s - 1, 0, W - 1)], Mark[y,x])))
      Y[y,x] = g[steps - 1,y,x]

  - op: grey_matched
    doc: grey values whose distribution is that of another picture
    in: {X: "u8[H, W]", R: "u8[K, L]"}
    require: [H >= 1, W >= 1, K >= 1, L >= 1]
    index: {v: 256, u: 256}
    out: {Y: "u8[H, W]"}
    body: |
      a[v] = sum[y,x](X[y,x] == v)
      b[v] = sum[k,l](R[k,l] == v)
      ca[v] = sum[u : u <= v](a[u])
      cb[v] = sum[u : u <= v](b[u])
      to[v] = min(sum[u](cb[u]*(H*W) < ca[v]*(K*L)), 255)
      Y[y,x] = cast(to[X[y,x]], u8)

  - op: median_of_windows
    types: {T: [f32, f64, i32, u8]}
    attrs: {half: int = 1}
    in: {X: "T[R, N]"}
    require: [half >= 0, N >= 1]
    let: {K: 2*half + 1}
    index: {k: K}
    out: {Y: "T[R, N]"}
    body: |
      w[r,n,k] = X[r,clamp(n + k - half, 0, N - 1)]
      s, at = sort(w, axis=-1)
      Y[r,n] = s[r,n,half]

  - op: transposed_conv1d
    types: {T: float}
    in: {X: "T[B, (G C), L]", F: "T[(G C), O, K]"}
    require: [stride >= 1, dil >= 1, L >= 1, K >= 1]
    let: {M: (L - 1)*stride + (K - 1)*dil + 1}
    out: {Y: "T[B, (G O), M]"}
    attrs: {stride: int = 1, dil: int = 1, G: int}
    body: Y[b,(g o),t*stride + k*dil] += sum[c](X[b,(g c),t]*F[(g c),o,k])

  - op: chirp_transform
    doc: values of the polynomial with coefficients X at points on a spiral
    types: {T: [f32, f64]}
    attrs: {m: int, turn: float = 0.1}
    in: {X: "complex(T)[R, N]"}
    require: [m >= 1]
    let: {M: m}
    out: {Y: "complex(T)[R, M]"}
    body: |
      w[k] = exp(complex(cast(0, f64), -cast(turn, f64)*k))
      p[k,n] = select(n == 0, 1, padded(p[k,n - 1], 0)*w[k])
      Y[r,k] = sum[n](X[r,n]*cast(p[k,n], complex(T)))

  - op: with_holes
    doc: approximations of the undecimated wavelet transform
    types: {T: float}
    tables: {C: {type: "T[5]", values: ["1/16", "1/4", "3/8", "1/4", "1/16"]}}
    attrs: {levels: int}
    in: {X: "T[R, N]"}
    require: [levels >= 1, levels <= 8, N >= 1]
    let: {V: levels}
    index: {v: V}
    out: {D: "T[V, R, N]", S: "T[R, N]"}
    body: |
      c[v,r,n] = sum[k](C[k]*padded(c[v - 1,r,clamp(n + (k - 2)*shl(1, v), 0, N - 1)], X[r,clamp(n + (k - 2)*shl(1, v), 0, N - 1)]))
      D[v,r,n] = padded(c[v - 1,r,n], X[r,n]) - c[v,r,n]
      S[r,n] = c[V - 1,r,n]

  - op: barrier_call
    doc: an option on a tree that is worth nothing from the barrier on
    types: {T: [f32, f64]}
    attrs: {steps: int, strike: float, barrier: float}
    in: {S0: "T[B]", U: "T[B]", P: "T[B]", Disc: "T[B]"}
    require: [steps >= 1]
    let: {Z: steps + 1}
    index: {t: Z, j: Z}
    out: {Y: "T[B]"}
    body: |
      s[b,t,j] = S0[b]*U[b]**(2*j - t)
      v[b,t,j] = select(s[b,t,j] >= barrier or j > t, 0, select(t == steps, max(s[b,t,j] - strike, 0), Disc[b]*(P[b]*padded(v[b,t + 1,j + 1], 0) + (1 - P[b])*padded(v[b,t + 1,j], 0))))
      Y[b] = v[b,0,0]

  - op: alternating_directions
    doc: implicit heat in two dims, along rows and then along columns in each step
    types: {T: [f32, f64]}
    attrs: {steps: int, a: float = 0.3}
    in: {X: "T[H, W]"}
    require: [steps >= 1, H >= 1, W >= 1]
    index: {t: steps}
    out: {Y: "T[H, W]"}
    body: |
      c[x] = a/(1 + 2*a - a*padded(c[x - 1], 0))
      e[y] = a/(1 + 2*a - a*padded(e[y - 1], 0))
      f[t,y,x] = (padded(q[t - 1,y,x], X[y,x]) + a*padded(f[t,y,x - 1], 0))/(1 + 2*a - a*select(x == 0, 0, c[max(x - 1, 0)]))
      p[t,y,x] = f[t,y,x] + c[x]*padded(p[t,y,x + 1], 0)
      g[t,y,x] = (p[t,y,x] + a*padded(g[t,y - 1,x], 0))/(1 + 2*a - a*select(y == 0, 0, e[max(y - 1, 0)]))
      q[t,y,x] = g[t,y,x] + e[y]*padded(q[t,y + 1,x], 0)
      Y[y,x] = q[steps - 1,y,x]

  - op: shallow_water
    types: {T: [f32, f64]}
    attrs: {steps: int, c: float = 0.1}
    in: {H0: "T[N, M]", U0: "T[N, M]", V0: "T[N, M]"}
    require: [steps >= 1]
    index: {t: steps}
    out: {H: "T[N, M]", U: "T[N, M]", V: "T[N, M]"}
    body: |
      u[t,i,j] = padded(u[t - 1,i,j], U0[i,j]) - c*(padded(h[t - 1,(i + 1) % N,j], H0[(i + 1) % N,j]) - padded(h[t - 1,i,j], H0[i,j]))
      v[t,i,j] = padded(v[t - 1,i,j], V0[i,j]) - c*(padded(h[t - 1,i,(j + 1) % M], H0[i,(j + 1) % M]) - padded(h[t - 1,i,j], H0[i,j]))
      h[t,i,j] = padded(h[t - 1,i,j], H0[i,j]) - c*(u[t,i,j] - u[t,wrap(i - 1, N),j] + v[t,i,j] - v[t,i,wrap(j - 1, M)])
      H[i,j] = h[steps - 1,i,j]
      U[i,j] = u[steps - 1,i,j]
      V[i,j] = v[steps - 1,i,j]

  - op: cell_density
    doc: particles sorted by cells; of each the weight of those nearby, in its own cell and the two next to it
    types: {T: [f32, f64], I: index}
    attrs: {radius: float = 1.0}
    in: {Start: "I[P]", Cell: "I[N]", X: "T[N]"}
    let: {C: P - 1}
    require: [P >= 2]
    out: {Y: "T[N]", Near: "i64[N]"}
    body: |
      lo[n] = clamp(cast(Cell[n], i64) - 1, 0, C - 1)
      hi[n] = clamp(cast(Cell[n], i64) + 1, 0, C - 1)
      Y[n] = sum[e in Start[lo[n]] .. Start[hi[n] + 1]](sq(max(0, 1 - sq((X[e] - X[n])/radius))))
      Near[n] = sum[e in Start[lo[n]] .. Start[hi[n] + 1] : e != n](abs(X[e] - X[n]) < radius)
'''


def tokens(rng):
    for key in ('f32', 'f64', 'f16', 'bf16'):
        for b, g, r, d, e, f, s, p in [(1, 1, 1, 1, 1, 1, 1, 1), (2, 2, 3, 4, 5, 7, 4, 5), (3, 1, 2, 16, 17, 5, 16, 2), (2, 1, 1, 33, 3, 9, 5, 9)]:
            for window, sinks in [(3, 1), (8, 0), (99, 2)]:
                q, k, v = rand(rng, (b, g*r, d), key, -1, 1), rand(rng, (f, s, g, d), key, -1, 1), rand(rng, (f, s, g, e), key)
                page, length = rng.integers(0, f, (b, p)), rng.integers(1, p*s + 1, b)
                y = np.zeros((b, g*r, e))
                for i in range(b):
                    keys, values = (wide(x)[page[i]].reshape(p*s, g, -1) for x in (k, v))
                    j = np.arange(p*s)
                    seen = (j < length[i]) & ((j >= length[i] - window) | (j < sinks))
                    for h in range(g*r):
                        w = softmax(np.where(seen, keys[:, h//r] @ wide(q)[i, h]/np.sqrt(d), -np.inf))
                        y[i, h] = w @ values[:, h//r]
                t = rng.choice([np.int32, np.int64])
                yield dict(op='paged_window', key=key, attrs=dict(window=window, sinks=sinks), inputs=[q, k, v, page.astype(t), length.astype(t)], want=[y],
                           tol=tol(4, d + p*s + 8, mid=4, mag=4.0))
        for shape, turned in [((3, 5, 8), 4), ((1, 1, 2), 2), ((17, 17), 16), ((2, 0, 4), 2), ((2, 3, 2, 33), 10)]:
            n, d = shape[-2:]
            x, pos = rand(rng, shape, key), rng.integers(0, 50, n)
            a = pos[:, None]*100.0**(-np.arange(0, turned, 2)/turned)
            y = wide(x)
            even, odd = y[..., 0:turned:2].copy(), y[..., 1:turned:2].copy()
            y[..., 0:turned:2], y[..., 1:turned:2] = even*np.cos(a) - odd*np.sin(a), odd*np.cos(a) + even*np.sin(a)
            yield dict(op='rotary_part', key=key, attrs={'turned': turned, 'base': 100.0}, inputs=[x, pos], want=[y], tol=tol(4, 60, mid=2, mag=4.0, floor=2e-5))
        for n, e, k, o in [(1, 1, 1, 1), (9, 3, 5, 17), (17, 4, 33, 3), (5, 7, 2, 16), (0, 2, 2, 2), (5, 2, 0, 3)]:
            ptr = np.sort(np.concatenate([[0, n], rng.integers(0, n + 1, e - 1)]))
            x, w, bias = rand(rng, (n, k), key), rand(rng, (e, k, o), key), rand(rng, (e, o), key)
            y = np.zeros((n, o))
            for i in range(e):
                y[ptr[i]:ptr[i + 1]] = wide(x)[ptr[i]:ptr[i + 1]] @ wide(w)[i] + wide(bias)[i]
            yield dict(op='experts_by_ranges', key=key, inputs=[ptr.astype(np.int32), x, w, bias], want=[y], tol=tol(3, k + 4, mid=1, mag=4.0*k + 2))
    for key in ('f32', 'f64'):
        for b, w, v, k in [(1, 1, 1, 1), (2, 3, 7, 4), (3, 4, 33, 17), (0, 2, 3, 2), (2, 5, 16, 80)]:
            score, logits = rand(rng, (b, w), key), rng.permuted(np.arange(b*w*v)).reshape(b, w, v)/7.0
            logits = (logits % 9).astype(score.dtype)
            c = (wide(score)[..., None] + wide(logits) - np.log(np.exp(wide(logits)).sum(-1, keepdims=True))).reshape(b, w*v)
            at = np.argsort(-c, axis=-1, kind='stable')[:, :k]
            if c.size and np.min(np.diff(np.sort(c, -1), axis=-1), initial=1.0) < 1e-5:
                continue
            yield dict(op='beams', key=key, attrs={'k': k}, inputs=[score, logits], want=[np.take_along_axis(c, at, -1), at//v, at % v],
                       dtypes=[key, 'i64', 'i64'], tol=[tol(4, 16, mag=20.0), EXACT, EXACT])


def pictures(rng):
    for key in ('f32', 'f64', 'f16'):
        for n in (1, 5, 17, 40, 0):
            x = rng.integers(0, 10, (n, 4)).astype(rand(rng, 1, key).dtype)
            x[:, 2:] += x[:, :2] + 1
            c, kept = wide(x), np.zeros(n, bool)
            area = (c[:, 2] - c[:, 0])*(c[:, 3] - c[:, 1])
            for i in range(n):
                inner = [max(min(c[i, 2], c[j, 2]) - max(c[i, 0], c[j, 0]), 0)*max(min(c[i, 3], c[j, 3]) - max(c[i, 1], c[j, 1]), 0) for j in range(i)]
                kept[i] = all(not kept[j] or inner[j] <= 0.5*(area[i] + area[j] - inner[j]) for j in range(i))
            yield dict(op='greedy_boxes', key=key, inputs=[x], want=[kept, np.nonzero(kept)[0]], room=[(n,), (n,)], dtypes=['bool', 'i64'], tol=EXACT)
    for key in ('f32', 'u8', 'i32', 'f16'):
        for h, w, steps in [(1, 1, 1), (5, 7, 3), (17, 33, 9), (3, 16, 1), (0, 3, 2)]:
            x, mark = rand(rng, (h, w), key, 0, 9), rand(rng, (h, w), key, 0, 9)
            g = mark
            for _ in range(steps if h else 0):
                p = np.pad(g, 1, mode='edge')
                g = np.minimum(x, np.lib.stride_tricks.sliding_window_view(p, (3, 3)).max((-1, -2)))
            first = np.minimum(x, mark) if h else x
            # The first step looks at no neighbour: before it there is the mark of the element itself.
            g = first
            for _ in range(steps - 1 if h else 0):
                p = np.pad(g, 1, mode='edge')
                g = np.minimum(x, np.lib.stride_tricks.sliding_window_view(p, (3, 3)).max((-1, -2)))
            yield dict(op='filled_from_marks', key=key, attrs={'steps': steps}, inputs=[mark, x], want=[g], tol=EXACT)
    for h, w, k, n in [(1, 1, 1, 1), (5, 7, 9, 3), (17, 33, 40, 31)]:
        x, r = (rng.integers(0, 256, s).astype(np.uint8) for s in ((h, w), (k, n)))
        r = np.maximum(r, 99)
        ca, cb = np.cumsum(np.bincount(x.ravel(), minlength=256)), np.cumsum(np.bincount(r.ravel(), minlength=256))
        to = np.minimum([(cb*(h*w) < c*(k*n)).sum() for c in ca], 255)
        yield dict(op='grey_matched', key='u8', inputs=[x, r], want=[to[x].astype(np.uint8)], tol=EXACT)
    for key in ('f32', 'f64', 'i32', 'u8'):
        for r, n, half in [(1, 1, 0), (3, 17, 1), (2, 33, 4), (5, 3, 7), (0, 3, 1)]:
            x = rand(rng, (r, n), key, -9, 9)
            p = np.pad(x, ((0, 0), (half, half)), mode='edge')
            yield dict(op='median_of_windows', key=key, attrs={'half': half}, inputs=[x],
                       want=[np.sort(np.lib.stride_tricks.sliding_window_view(p, 2*half + 1, 1), -1)[..., half]], tol=EXACT)


def waves(rng):
    for key in ('f32', 'f64', 'f16', 'bf16'):
        for b, g, c, o, n, k, stride, dil in [(1, 1, 1, 1, 1, 1, 1, 1), (2, 2, 3, 2, 7, 3, 2, 1), (1, 1, 4, 17, 9, 5, 3, 2), (3, 2, 1, 1, 33, 2, 1, 5), (0, 1, 1, 1, 3, 2, 1, 1)]:
            x, f = rand(rng, (b, g*c, n), key), rand(rng, (g*c, o, k), key)
            y = np.zeros((b, g*o, (n - 1)*stride + (k - 1)*dil + 1))
            for i, t, j in np.ndindex(g, n, k):
                y[:, i*o:(i + 1)*o, t*stride + j*dil] += wide(x)[:, i*c:(i + 1)*c, t] @ wide(f)[i*c:(i + 1)*c, :, j]
            yield dict(op='transposed_conv1d', key=key, attrs=dict(stride=stride, dil=dil, G=g), inputs=[x, f], want=[y], tol=tol(3, c*k + 4, mid=k, mag=4.0*c*k))
        for r, n, levels in [(1, 1, 1), (3, 17, 2), (2, 40, 4), (17, 5, 3), (0, 3, 1)]:
            x = rand(rng, (r, n), key)
            c, d = wide(x), []
            for v in range(levels):
                at = np.clip(np.arange(n)[:, None] + (np.arange(5) - 2)*2**v, 0, n - 1)
                new = c[:, at] @ np.array([1, 4, 6, 4, 1])/16
                d.append(c - new)
                c = new
            yield dict(op='with_holes', key=key, attrs={'levels': levels}, inputs=[x], want=[np.stack(d), c], tol=[tol(2, 30, mid=levels + 1, mag=4.0)]*2)
    for key, kind in (('f32', 'c64'), ('f64', 'c128')):
        for r, n, m in [(1, 1, 1), (3, 7, 5), (2, 33, 17), (17, 3, 16), (0, 3, 2)]:
            x = rand(rng, (r, n), kind)
            k = np.exp(-0.1j*np.outer(np.arange(n), np.arange(m)))
            yield dict(op='chirp_transform', key=key, attrs={'m': m, 'turn': 0.1}, inputs=[x], want=[wide(x) @ k], dtypes=[kind], tol=tol(4, 4*n + 8, mag=4.0*n))
    for key in ('f32', 'f64'):
        for b, steps in [(1, 1), (5, 7), (17, 20), (33, 3), (0, 2)]:
            s0, u = rand(rng, b, key, 90, 110), rand(rng, b, key, 1.01, 1.05)
            p, disc = rand(rng, b, key, 0.4, 0.6), rand(rng, b, key, 0.98, 1)
            v = None
            for t in reversed(range(steps + 1)):
                s = wide(s0)[:, None]*wide(u)[:, None]**(2*np.arange(t + 1) - t)
                v = np.maximum(s - 100, 0) if v is None else wide(disc)[:, None]*(wide(p)[:, None]*v[:, 1:] + (1 - wide(p)[:, None])*v[:, :-1])
                v = np.where(s >= 130, 0, v)
                near = np.abs(s - 130).min(initial=1)
            yield dict(op='barrier_call', key=key, attrs=dict(steps=steps, strike=100.0, barrier=130.0), inputs=[s0, u, p, disc], want=[v[:, 0]],
                       tol=tol(4, 50*steps, mag=100.0))
        for h, w, steps in [(1, 1, 1), (5, 7, 2), (17, 33, 3), (16, 3, 1)]:
            x = rand(rng, (h, w), key)
            rows, cols = (np.eye(n)*1.6 - 0.3*np.eye(n, k=1) - 0.3*np.eye(n, k=-1) for n in (h, w))
            y = wide(x)
            for _ in range(steps):
                y = np.linalg.solve(rows, np.linalg.solve(cols, y.T).T)
            yield dict(op='alternating_directions', key=key, attrs={'steps': steps}, inputs=[x], want=[y], tol=tol(2, 60*steps, mid=4, mag=4.0))
        for n, m, steps in [(1, 1, 1), (5, 7, 3), (17, 33, 4), (2, 16, 2), (0, 3, 1)]:
            h, u, v = (rand(rng, (n, m), key) for _ in range(3))
            a, b, c = wide(h), wide(u), wide(v)
            for _ in range(steps if n else 0):
                b = b - 0.1*(np.roll(a, -1, 0) - a)
                c = c - 0.1*(np.roll(a, -1, 1) - a)
                a = a - 0.1*(b - np.roll(b, 1, 0) + c - np.roll(c, 1, 1))
            yield dict(op='shallow_water', key=key, attrs={'steps': steps}, inputs=[h, u, v], want=[a, b, c], tol=[tol(2, 20*steps, mag=4.0)]*3)
        for n, c in [(1, 1), (9, 4), (40, 17), (33, 2), (0, 3)]:
            cell = np.sort(rng.integers(0, c, n))
            start = np.searchsorted(cell, np.arange(c + 1))
            x = (cell + rng.random(n)).astype(rand(rng, 1, key).dtype)
            w = wide(x)
            y, near = np.zeros(n), np.zeros(n, np.int64)
            close = False
            for i in range(n):
                for e in range(start[max(cell[i] - 1, 0)], start[min(cell[i] + 1, c - 1) + 1]):
                    d = w[e] - w[i]
                    y[i] += max(0, 1 - d*d)**2
                    near[i] += e != i and abs(d) < 1
                    close |= abs(abs(d) - 1) < 1e-5
            if not close:
                yield dict(op='cell_density', key=key, inputs=[start, cell, x], want=[y, near], dtypes=[key, 'i64'], tol=[tol(2, 30, mag=float(n + 1)*c), EXACT])


def cases(rng):
    yield from tokens(rng)
    yield from pictures(rng)
    yield from waves(rng)
