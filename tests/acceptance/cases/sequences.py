"""Bands, moving windows, shifts per row, segments, counts and blocks: what people write for tables, signals and tokens."""
import numpy as np

from casekit import EXACT, available, rand, tol, wide

OPS = r'''
fn:
  ramp(x, lo, hi): min(max((x - lo)/(hi - lo), 0), 1)
  middle(a, b, c): max(min(a, b), min(max(a, b), c))

families:
  - family: difference_scheme
    types: {T: float}
    attrs: {h: float = 1, edge: "enum(zero, insulated, periodic) = zero"}
    in: {X: "T[*P, N]"}
    out: {Y: "T[*P, N]"}
    body: |
      left[*p,i]  = select(edge == periodic, X[*p,(i - 1)%N], select(edge == insulated, X[*p,clamp(i - 1, 0, N - 1)], padded(X[*p,i - 1], 0)))
      right[*p,i] = select(edge == periodic, X[*p,(i + 1)%N], select(edge == insulated, X[*p,clamp(i + 1, 0, N - 1)], padded(X[*p,i + 1], 0)))
      Y[*p,i] = $e
    ops:
      central:  {e: "(right[*p,i] - left[*p,i])/(2*h)", doc: first derivative}
      laplace1: {e: "(right[*p,i] - 2*X[*p,i] + left[*p,i])/sq(h)", doc: second derivative}
      upwind:   {e: "select(c > 0, X[*p,i] - left[*p,i], right[*p,i] - X[*p,i])*c/h", attrs: {c: float = 1}}

ops:
  - op: banded_matvec
    doc: a matrix of which only the diagonals from -below to K - below - 1 are stored, times vectors
    types: {T: number}
    attrs: {below: int}
    in: {A: "T[N, K]", X: "T[*P, N]"}
    require: [below >= 0, below < K]
    out: {Y: "T[*P, N]"}
    body: Y[*p,i] = sum[k](A[i,k]*padded(X[*p,i + k - below], 0))

  - op: rolling_variance
    doc: mean and variance over the last W values
    types: {T: float}
    attrs: {W: int}
    in: {X: "T[*P, N]"}
    require: [W > 0, W <= N]
    let: {M: N - W + 1}
    index: {w: W}
    out: {Mean: "T[*P, M]", Var: "T[*P, M]"}
    body: |
      Mean[*p,i] = sum[w](X[*p,i + w])/W
      Var[*p,i]  = sum[w](sq(X[*p,i + w] - Mean[*p,i]))/W

  - op: running_max_of_segment
    doc: the maximum value so far among those with the same label
    types: {T: real, I: index}
    in: {X: "T[B, N]", S: "I[B, N]"}
    out: {Y: "T[B, N]"}
    body: "Y[b,i] = max[j : j <= i and S[b,j] == S[b,i]](X[b,j])"

  - op: shift_rows
    doc: each row turned by its own number of places
    types: {T: any, I: index}
    in: {X: "T[B, N]", K: "I[B]"}
    require: [N > 0]
    out: {Y: "T[B, N]"}
    body: Y[b,i] = X[b,(i - K[b])%N]

  - op: blockwise_round_trip
    doc: blocks of a row quantised to a signed number of bits and back, with the scales
    types: {T: float}
    attrs: {block: int, bits: int = 8}
    in: {X: "T[M, (G block)]"}
    require: [block > 0, bits >= 2, bits <= 16]
    let: {top: "2**(bits - 1) - 1"}
    out: {Y: "T[M, (G block)]", Scale: "T[M, G]"}
    body: |
      Scale[m,g] = max[b](abs(X[m,(g b)]))/top
      Y[m,(g b)] = select(Scale[m,g] > 0, clamp(round(X[m,(g b)]/Scale[m,g]), -top, top)*Scale[m,g], 0)

  - op: rotate_positions
    doc: pairs of halves of a head turned by an angle that grows with a position from a tensor
    types: {T: float, I: index}
    attrs: {base: float = 10000}
    in: {X: "T[B, H, S, (2 D)]", Pos: "I[B, S]"}
    out: {Y: "T[B, H, S, (2 D)]"}
    body: |
      angle[b,s,d] = cast(Pos[b,s], f64)*cast(base, f64)**(-cast(d, f64)/D)
      c[b,s,d] = cast(cos(angle[b,s,d]), T)
      n[b,s,d] = cast(sin(angle[b,s,d]), T)
      Y[b,h,s,(r d)] = select(r == 0, X[b,h,s,(0 d)]*c[b,s,d] - X[b,h,s,(1 d)]*n[b,s,d], X[b,h,s,(1 d)]*c[b,s,d] + X[b,h,s,(0 d)]*n[b,s,d])

  - op: relative_bucket
    doc: distances of positions as numbers of buckets, single steps near and powers of two far
    attrs: {queries: int, keys: int, exact: int = 4, buckets: int = 10}
    require: [queries >= 0, keys >= 0, exact > 0, buckets > exact]
    index: {q: queries, k: keys}
    let: {Q: queries, K: keys}
    out: {Y: "i32[Q, K]"}
    body: |
      d[q,k] = max(q - k, 0)
      Y[q,k] = select(d[q,k] < exact, d[q,k], min(exact + 63 - clz(cast(max(d[q,k]//exact, 1), i64)), buckets - 1))

  - op: clip_to_norm
    doc: all elements scaled down together until their norm is at most limit; the norm before
    types: {T: float}
    attrs: {limit: float = 1}
    in: {X: "T[*S]"}
    out: {Y: "T[*S]", Norm: "T[]"}
    body: |
      Norm[] = sqrt(sum[*s](sq(X[*s])))
      Y[*s] = X[*s]*min(1, limit/max(Norm[], 1e-12))

  - op: weighted_bins
    doc: weights added up per bin; what is outside goes to the first or last one
    types: {T: real, I: index}
    attrs: {bins: int}
    in: {Ix: "I[N]", "W?": "T[N]", Like: "T[]"}
    require: [bins > 0]
    let: {K: bins}
    index: {k: K}
    out: {Y: "T[K]"}
    body: |
      Y[k] = 0*Like[]
      Y[clamp(Ix[n], 0, K - 1)] += opt(W[n], 1)

  - op: moving_average_exp
    doc: each value weighted by how long ago it was
    types: {T: float}
    attrs: {alpha: float = 0.5}
    in: {X: "T[*P, N]"}
    require: [alpha > 0, alpha <= 1]
    out: {Y: "T[*P, N]"}
    body: "Y[*p,i] = sum[j : j <= i](X[*p,j]*select(j == 0, 1, alpha)*(1 - alpha)**(i - j))"

  - op: median3
    doc: the middle one of each value and its neighbours, the border mirrored
    types: {T: real}
    in: {X: "T[*P, N]"}
    out: {Y: "T[*P, N]"}
    body: Y[*p,i] = middle(X[*p,mirror(i - 1, N)], X[*p,i], X[*p,mirror(i + 1, N)])

  - op: nearest_centre
    doc: the nearest of the centres, and the square of its distance
    types: {T: float}
    in: {X: "T[N, D]", C: "T[K, D]"}
    require: [K > 0]
    out: {I: "i64[N]", E: "T[N]"}
    body: |
      e[n,k] = sum[d](sq(X[n,d] - C[k,d]))
      I[n] = argmin[k](e[n,k])
      E[n] = min[k](e[n,k])

  - op: confusion
    doc: how often each class was taken for each
    types: {I: index}
    attrs: {classes: int}
    in: {Truth: "I[N]", Said: "I[N]"}
    require: [classes > 0]
    let: {K: classes}
    index: {a: K, b: K}
    out: {Y: "i64[K, K]"}
    body: |
      Y[a,b] = 0
      Y[wrap(Truth[n], K), wrap(Said[n], K)] += 1

  - op: accuracy
    types: {T: float, I: index}
    in: {X: "T[N, C]", L: "I[N]"}
    require: [C > 0, N > 0]
    out: {Y: "f64[]"}
    body: |
      best[n] = argmax[c](X[n,c])
      Y[] = cast(sum[n](cast(best[n] == L[n], i64)), f64)/N

  - op: mean_of_length
    doc: the mean of as many rows as a length says
    types: {T: float, I: index}
    in: {X: "T[B, S, D]", L: "I[B]"}
    out: {Y: "T[B, D]"}
    body: "Y[b,d] = sum[s : s < L[b]](X[b,s,d])/cast(max(min(L[b], S), 1), T)"

  - op: autocorrelation
    types: {T: number}
    attrs: {lags: int}
    in: {X: "T[*P, N]"}
    require: [lags > 0]
    let: {K: lags}
    index: {k: K}
    out: {Y: "T[*P, K]"}
    body: "Y[*p,k] = sum[i : i + k < N](X[*p,i]*padded(X[*p,i + k], 0))"

  - op: mul_q15
    doc: fixed-point product of 15 fractional bits, rounded and saturated
    in: {A: "i16[~*S]", B: "i16[~*S]"}
    out: {Y: "i16[*S]"}
    body: |
      p[*s] = (cast(A[*s], i32)*cast(B[*s], i32) + 0x4000)//0x8000
      Y[*s] = cast(min(max(p[*s], -32768), 32767), i16)

  - op: turn
    doc: complex numbers turned by an angle
    in: {X: "c64[*S]", A: "f32[~*S]"}
    out: {Y: "c64[*S]"}
    body: Y[*s] = X[*s]*complex(cos(A[*s]), sin(A[*s]))

  - op: shuffle_channels
    types: {T: any}
    attrs: {groups: int}
    in: {X: "T[N, (groups C), *S]"}
    require: [groups > 0]
    out: {Y: "T[N, (C groups), *S]"}
    body: Y[n,(c g),*s] = X[n,(g c),*s]

  - op: temporal_shift
    doc: some channels a step back in time, some a step forward, the rest as they are
    types: {T: number}
    attrs: {fold: int}
    in: {X: "T[N, L, C, *S]"}
    require: [fold >= 0]
    out: {Y: "T[N, L, C, *S]"}
    body: Y[n,l,c,*s] = select(c < fold, padded(X[n,l + 1,c,*s], 0), select(c < 2*fold, padded(X[n,l - 1,c,*s], 0), X[n,l,c,*s]))

  - op: smooth_labels_loss
    doc: cross entropy against labels that keep a share for all classes; rows with the ignored label give 0
    types: {T: float, I: index}
    attrs: {share: float = 0.1, ignore: int = -100}
    in: {X: "T[N, C]", L: "I[N]"}
    out: {Y: "T[N]"}
    body: |
      top[n]  = max[c](X[n,c])
      norm[n] = top[n] + log(sum[c](exp(X[n,c] - top[n])))
      kept[n] = norm[n] - X[n,clamp(L[n], 0, C - 1)]
      even[n] = norm[n] - sum[c](X[n,c])/C
      Y[n] = select(L[n] == ignore, 0, (1 - share)*kept[n] + share*even[n])

  - op: edges_by_two_levels
    doc: what is above the low level and has something above the high one next to it, or is it
    types: {T: real}
    attrs: {low: T, high: T}
    in: {X: "T[*P, H, W]"}
    index: {r: 3, s: 3}
    out: {Y: "bool[*P, H, W]"}
    body: |
      strong[*p,y,x] = X[*p,y,x] >= high
      Y[*p,y,x] = X[*p,y,x] >= low and any[r,s](padded(strong[*p,y + r - 1,x + s - 1], false))

  - op: ramp_window
    types: {T: float}
    attrs: {lo: float, hi: float}
    in: {X: "T[*S]"}
    require: [hi > lo]
    out: {Y: "T[*S]"}
    body: Y[*s] = ramp(X[*s], lo, hi)

  - op: packed_upper
    doc: the upper triangle of a symmetric matrix, row by row, unpacked
    types: {T: number}
    attrs: {n: int}
    in: {P: "T[M]"}
    require: [n >= 0, M == n*(n + 1)//2]
    let: {N: n}
    index: {i: N, j: N}
    out: {Y: "T[N, N]"}
    body: |
      a[i,j] = min(i, j)
      b[i,j] = max(i, j)
      Y[i,j] = P[clamp(a[i,j]*N - a[i,j]*(a[i,j] - 1)//2 + b[i,j] - a[i,j], 0, M - 1)]

  - op: spectral_centroid
    types: {T: float}
    in: {X: "T[*P, N]", F: "T[N]"}
    out: {Y: "T[*P]"}
    body: |
      w[*p] = sum[i](abs(X[*p,i]))
      Y[*p] = sum[i](abs(X[*p,i])*F[i])/max(w[*p], 1e-6)
'''


F = ('f32', 'f64', 'f16', 'bf16')


def ints(rng, shape, kind, lo, hi):
    return rng.integers(lo, hi, shape).astype({'i32': np.int32, 'i64': np.int64}[kind])


def near(mag=None, acc=60, mid=6, floor=0.0):
    """Sums of some dozens of products, an intermediate or two."""
    return tol(ulp=4, acc=acc, mid=mid, mag=mag, floor=floor)


def schemes(rng):
    for key in available(*F):
        for s in [(1,), (17,), (3, 33), (2, 0)]:
            x = rand(rng, s, key)
            w = wide(x)
            n = s[-1]
            for edge, how in ((0, 'constant'), (1, 'edge'), (2, 'wrap')):
                if n == 0:
                    p = np.zeros((*s[:-1], 2))
                else:
                    p = np.pad(w, [(0, 0)] * (w.ndim - 1) + [(1, 1)], mode=how)
                left, right = p[..., :n], p[..., 2:2 + n]
                yield dict(op='central', key=key, inputs=[x], attrs={'edge': edge, 'h': 0.5}, want=[right - left], tol=near(4.0))
                yield dict(op='laplace1', key=key, inputs=[x], attrs={'edge': edge, 'h': 0.5}, want=[(right - 2 * w + left) * 4], tol=near(32.0))
                yield dict(op='upwind', key=key, inputs=[x], attrs={'edge': edge, 'c': -0.5}, want=[(right - w) * -0.5], tol=near(4.0))


def tables(rng):
    for key in (*available(*F), 'i32', 'c64'):
        for n, k, below, p in [(1, 1, 0, ()), (17, 3, 1, ()), (33, 5, 4, (2,)), (16, 4, 0, (3, 1)), (0, 2, 1, ())]:
            a, x = rand(rng, (n, k), key), rand(rng, (*p, n), key)
            m = np.zeros((n, n), np.result_type(wide(a)))
            for i in range(n):
                for d in range(k):
                    if 0 <= i + d - below < n:
                        m[i, i + d - below] = wide(a)[i, d]
            yield dict(op='banded_matvec', key=key, inputs=[a, x], attrs={'below': below}, want=[wide(x) @ m.T],
                       tol=EXACT if key == 'i32' else near(np.abs(wide(x)) @ np.abs(m).T))
    for key in available(*F):
        for s, w in [((17,), 4), ((2, 33), 33), ((3, 16), 1), ((0, 5), 2)]:
            x = rand(rng, s, key)
            v = np.lib.stride_tricks.sliding_window_view(wide(x), w, -1)
            mean = v.mean(-1)
            yield dict(op='rolling_variance', key=key, inputs=[x], attrs={'W': w}, want=[mean, v.var(-1)], tol=[near(2.0), near(8.0, mid=16)])
        for m, g, b in [(1, 1, 1), (3, 5, 7), (2, 2, 16), (0, 3, 4)]:
            # Away from the middle between two steps, where rounding of the scale would decide.
            steps = rng.integers(-6, 6, (m, g, b), endpoint=True) + rng.uniform(-0.3, 0.3, (m, g, b))
            steps[..., 0] = 7
            x = (steps * rng.uniform(0.1, 0.3, (m, g, 1))).reshape(m, g * b).astype(rand(rng, (1,), key).dtype)
            x[:1, :b] = 0
            scale = np.abs(wide(x)).reshape(m, g, b).max(-1, initial=0) / 7
            yield dict(op='blockwise_round_trip', key=key, inputs=[x], attrs={'block': b, 'bits': 4},
                       want=[np.round(np.divide(wide(x).reshape(m, g, b), scale[..., None], where=scale[..., None] > 0, out=np.zeros((m, g, b)))
                             ).clip(-7, 7).reshape(m, g*b) * np.repeat(scale, b, -1), scale],
                       tol=[near(2.0), near()])
        for s in [(), (17,), (3, 5, 7), (0, 2)]:
            x = rand(rng, s, key)
            norm = np.sqrt((wide(x) ** 2).sum())
            yield dict(op='clip_to_norm', key=key, inputs=[x], attrs={'limit': 1.5}, want=[wide(x) * min(1, 1.5 / max(norm, 1e-12)), norm], tol=[near(), near()])
        for s in [(1,), (33,), (3, 17), (2, 0)]:
            x = rand(rng, s, key)
            y, last = np.zeros(s), None
            for i in range(s[-1]):
                last = wide(x)[..., i] if last is None else 0.25 * wide(x)[..., i] + 0.75 * last
                y[..., i] = last
            yield dict(op='moving_average_exp', key=key, inputs=[x], attrs={'alpha': 0.25}, want=[y], tol=near(2.0, mid=20))
            yield dict(op='ramp_window', key=key, inputs=[x], attrs={'lo': -0.5, 'hi': 1.0}, want=[np.clip((wide(x) + 0.5) / 1.5, 0, 1)], tol=near(1.0))
            f = rand(rng, s[-1:], key)
            yield dict(op='spectral_centroid', key=key, inputs=[x, f], want=[(np.abs(wide(x)) * wide(f)).sum(-1) / np.abs(wide(x)).sum(-1).clip(1e-6)],
                       tol=near(2.0, acc=120))


def labelled(rng):
    for key in available(*F):
        for kind in ('i32', 'i64'):
            for b, n in [(1, 1), (3, 17), (2, 0), (2, 33)]:
                x, s = rand(rng, (b, n), key), ints(rng, (b, n), kind, 0, 3)
                y = np.array([[max(x[r, j] for j in range(i + 1) if s[r, j] == s[r, i]) for i in range(n)] for r in range(b)], x.dtype).reshape(b, n)
                yield dict(op='running_max_of_segment', key=key, inputs=[x, s], want=[y], tol=EXACT)
            for b, h, s, d in [(1, 1, 1, 1), (2, 3, 5, 8), (1, 2, 17, 3)]:
                x, p = rand(rng, (b, h, s, 2 * d), key), ints(rng, (b, s), kind, 0, 100)
                a = p[..., None] * 10000.0 ** (-np.arange(d) / d)
                c, n = np.cos(a)[:, None], np.sin(a)[:, None]
                u, v = wide(x)[..., :d], wide(x)[..., d:]
                yield dict(op='rotate_positions', key=key, inputs=[x, p], want=[np.concatenate([u * c - v * n, v * c + u * n], -1)], tol=near(4.0, mid=4))
            for n, c in [(1, 1), (17, 5), (33, 3)]:
                x, l = rand(rng, (n, c), key), ints(rng, (n,), kind, 0, c)
                yield dict(op='accuracy', key=key, inputs=[x, l], want=[(x.argmax(-1) == l).mean()], dtypes=['f64'], tol=tol())
                l = l.copy()
                l[::4] = -100
                w = wide(x)
                norm = np.log(np.exp(w).sum(-1))
                one = norm - w[np.arange(n), l.clip(0)]
                yield dict(op='smooth_labels_loss', key=key, inputs=[x, l], want=[np.where(l == -100, 0, 0.9 * one + 0.1 * (norm - w.mean(-1)))], tol=near(4.0))
            for b, s, d in [(1, 1, 1), (3, 17, 5), (2, 4, 16), (2, 0, 3)]:
                x, l = rand(rng, (b, s, d), key), ints(rng, (b,), kind, 0, s + 2)
                y = np.stack([wide(x)[r, :max(l[r], 0)].sum(0) / max(min(l[r], s), 1) for r in range(b)])
                yield dict(op='mean_of_length', key=key, inputs=[x, l], want=[y], tol=near(2.0))
        for n, d, k in [(1, 1, 1), (17, 3, 5), (33, 16, 4), (0, 2, 3)] if key in ('f32', 'f64') else []:
            x, c = rand(rng, (n, d), key, -9, 9), rand(rng, (k, d), key, -9, 9)
            e = ((wide(x)[:, None] - wide(c)) ** 2).sum(-1)
            yield dict(op='nearest_centre', key=key, inputs=[x, c], want=[e.argmin(-1), e.min(-1)], dtypes=['i64', key],
                       tol=[EXACT, near(acc=200, mid=8)])
    for key in (*available(*F), 'i32', 'u8'):
        for kind in ('i32', 'i64'):
            for n, k in [(0, 3), (1, 1), (33, 5)]:
                ix, w = ints(rng, (n,), kind, -2, k + 2), rand(rng, (n,), key)
                y = np.zeros(k)
                z = np.zeros(k)
                np.add.at(y, ix.clip(0, k - 1), wide(w))
                np.add.at(z, ix.clip(0, k - 1), 1)
                like = rand(rng, (), key)
                rule = EXACT if key in ('i32', 'u8') else near(20.0, mid=n)
                yield dict(op='weighted_bins', key=key, inputs=[ix, w, like], attrs={'bins': k}, want=[y], tol=rule)
                yield dict(op='weighted_bins', key=key, inputs=[ix, None, like], attrs={'bins': k}, want=[z], tol=rule)
    for kind in ('i32', 'i64'):
        for n, k in [(0, 2), (1, 1), (33, 5)]:
            a, b = ints(rng, (n,), kind, -k, k), ints(rng, (n,), kind, 0, k)
            y = np.zeros((k, k), np.int64)
            np.add.at(y, (a % k, b), 1)
            yield dict(op='confusion', key=kind, inputs=[a, b], attrs={'classes': k}, want=[y], dtypes=['i64'], tol=EXACT)
        yield dict(op='confusion', key=kind, inputs=[ints(rng, (3,), kind, 5, 6), ints(rng, (3,), kind, 0, 5)], attrs={'classes': 5}, error='range', out=[('i64', (5, 5))])


def moved(rng):
    for key in (*available('f32', 'f16', 'bf16'), 'i8', 'u32', 'i64', 'bool', 'c64'):
        for kind in ('i32', 'i64'):
            for b, n in [(1, 1), (3, 17), (0, 5), (2, 33)]:
                x, k = rand(rng, (b, n), key), ints(rng, (b,), kind, -70, 70)
                yield dict(op='shift_rows', key=key, inputs=[x, k], want=[np.stack([np.roll(x[r], k[r]) for r in range(b)]) if b else x], tol=EXACT)
        for n, g, c, s in [(1, 1, 1, ()), (2, 3, 5, (7,)), (1, 2, 2, (3, 5)), (2, 4, 1, (0,))]:
            x = rand(rng, (n, g * c, *s), key)
            yield dict(op='shuffle_channels', key=key, inputs=[x], attrs={'groups': g}, want=[x.reshape(n, g, c, *s).swapaxes(1, 2).reshape(x.shape)], tol=EXACT)
    for key in (*available(*F), 'i16', 'c128'):
        for n, l, c, s, f in [(1, 1, 1, (), 0), (2, 5, 7, (3,), 2), (1, 3, 4, (2, 5), 3)]:
            x = rand(rng, (n, l, c, *s), key)
            y = x.copy()
            y[:, :, :2 * f] = 0
            y[:, :-1, :f] = x[:, 1:, :f]
            y[:, 1:, f:2 * f] = x[:, :-1, f:2 * f]
            yield dict(op='temporal_shift', key=key, inputs=[x], attrs={'fold': f}, want=[y], tol=EXACT)
        for s, lags in [((1,), 1), ((17,), 5), ((3, 33), 40), ((2, 0), 2)]:
            x = rand(rng, s, key)
            w = wide(x)
            y = np.stack([(w[..., :max(s[-1] - k, 0)] * w[..., k:]).sum(-1) if k < s[-1] else w[..., :0].sum(-1) for k in range(lags)], -1)
            yield dict(op='autocorrelation', key=key, inputs=[x], attrs={'lags': lags}, want=[y], tol=EXACT if key == 'i16' else near(8.0 * s[-1], acc=8))
        for n in (0, 1, 5, 16):
            p = rand(rng, (n * (n + 1) // 2,), key)
            y = np.zeros((n, n), p.dtype)
            y[np.triu_indices(n)] = p
            y.T[np.triu_indices(n)] = p
            yield dict(op='packed_upper', key=key, inputs=[p], attrs={'n': n}, want=[y], tol=EXACT)
    for key in (*available(*F), 'i8', 'u16'):
        for s in [(1,), (2,), (17,), (3, 33), (2, 0)]:
            x = rand(rng, s, key, -50, 50)
            p = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(1, 1)], mode='edge') if s[-1] else x
            y = np.sort(np.stack([p[..., :-2], p[..., 1:-1], p[..., 2:]]), 0)[1] if s[-1] else x
            yield dict(op='median3', key=key, inputs=[x], want=[y], tol=EXACT)
        for p, h, w in [((), 1, 1), ((2,), 7, 17), ((), 16, 5), ((0,), 3, 3)]:
            x = rand(rng, (*p, h, w), key, 0, 40)
            q = np.pad(x >= 36, [(0, 0)] * len(p) + [(1, 1), (1, 1)])
            near_strong = np.any([q[..., i:i + h, j:j + w] for i in range(3) for j in range(3)], 0)
            high, low = (36.0, 12.0) if key in F else (36, 12)
            yield dict(op='edges_by_two_levels', key=key, inputs=[x], attrs={'low': low, 'high': high}, want=[(x >= 12) & near_strong], dtypes=['bool'], tol=EXACT)


def fixed_types(rng):
    for q, k in [(1, 1), (17, 33), (40, 70), (0, 3)]:
        d = np.maximum(np.arange(q)[:, None] - np.arange(k), 0)
        far = 4 + np.floor(np.log2(np.maximum(d // 4, 1))).astype(int)
        yield dict(op='relative_bucket', key='i32', inputs=[], attrs={'queries': q, 'keys': k}, want=[np.where(d < 4, d, np.minimum(far, 9))], dtypes=['i32'], tol=EXACT)
    for s in [(), (33,), (3, 17)]:
        a, b = rng.integers(-32768, 32768, s).astype(np.int16), rng.integers(-32768, 32768, s).astype(np.int16)
        if s:
            a.flat[0] = b.flat[0] = -32768
        y = np.clip((a.astype(np.int64) * b + 0x4000) >> 15, -32768, 32767)
        yield dict(op='mul_q15', key='i16', inputs=[a, b], want=[y], tol=EXACT)
        x, t = np.asarray(rand(rng, s, 'c64')), np.asarray(rand(rng, s[-1:], 'f32', -6, 6))
        yield dict(op='turn', key='c64', inputs=[x, t], want=[wide(x) * np.exp(1j * wide(t))], tol=near(4.0))


def cases(rng):
    for part in (schemes, tables, labelled, moved, fixed_types):
        yield from part(rng)
