"""Windows over signals: convolutions, frames, transforms, wavelets, running extrema."""
import numpy as np

from casekit import EXACT, available, rand, tol, wide

OPS = r'''
ops:
  - op: causal_depthwise
    doc: causal depthwise conv1d with optional bias and silu (state space models)
    types: {T: float}
    attrs: {silu: bool = false}
    in:
      X: T[B, C, L]
      W: T[C, K]
      b?: T[C]
    out: {Y: "T[B, C, L]"}
    body: |
      a[n,c,t] = opt(b[c], 0) + sum[k](padded(X[n,c,t - (K - 1) + k], 0)*W[c,k])
      Y[n,c,t] = select(silu, a[n,c,t]/(1 + exp(-a[n,c,t])), a[n,c,t])

  - op: sliding_max
    doc: maximum of the last `width` values along an axis
    types: {T: real}
    attrs: {axis: int = -1, width: int = 3}
    in: {X: "T[*P, D@axis, *Q]"}
    require: [width >= 1]
    out: {Y: "T[*P, D, *Q]"}
    body: |
      Y[*p,d,*q] = max[k : k <= d and k > d - width](X[*p,k,*q])

  - op: lrn_channels
    doc: local response norm across channels
    types: {T: float}
    attrs: {size: int = 5, alpha: float = 1e-4, beta: float = 0.75, k: float = 1}
    in: {X: "T[N, C, *S]"}
    require: [size >= 1]
    out: {Y: "T[N, C, *S]"}
    body: |
      q[n,c,*s] = sum[d : d >= c - (size - 1)//2 and d <= c + size//2](sq(X[n,d,*s]))
      Y[n,c,*s] = X[n,c,*s]*(k + alpha/size*q[n,c,*s])**(-beta)

  - op: circular_convolution
    types: {T: number}
    in: {A: "T[*B, N]", F: "T[K]"}
    out: {Y: "T[*B, N]"}
    body: |
      Y[*b,i] = sum[k](A[*b,(i - k) % N]*F[k])

  - op: convolve_full
    doc: numpy.convolve(mode='full')
    types: {T: number}
    in: {A: "T[M]", B: "T[N]"}
    let: {L: "select(min(M, N) == 0, 0, M + N - 1)"}
    index: {i: L}
    out: {Y: "T[L]"}
    body: |
      Y[i] = sum[k](B[k]*padded(A[i - k], 0))

  - op: haar
    doc: one level of the orthonormal Haar transform
    types: {T: float}
    in: {X: "T[*P, (H 2)]"}
    out: {Y: "T[*P, (2 H)]"}
    index: {s: 2}
    body: |
      Y[*p,(s h)] = 0.7071067811865476*(X[*p,(h 0)] + select(s == 0, 1, -1)*X[*p,(h 1)])

  - op: lifting53
    doc: one level of the reversible 5/3 wavelet, low and high bands
    types: {T: [i16, i32]}
    in: {X: "T[B, N]"}
    require: [N >= 2]
    let: {L: "(N + 1)//2", R: "N//2"}
    out: {A: "T[B, L]", D: "T[B, R]"}
    body: |
      D[b,i] = X[b,2*i + 1] - (X[b,2*i] + X[b,clamp(2*i + 2, 0, (N - 1)//2*2)])//2
      A[b,k] = X[b,2*k] + (D[b,clamp(k - 1, 0, R - 1)] + D[b,clamp(k, 0, R - 1)] + 2)//4

  - op: frames
    doc: windowed frames (librosa.util.frame with a window)
    types: {T: float}
    attrs: {hop: int}
    in: {X: "T[*B, L]", W: "T[F]"}
    require: [hop > 0]
    let: {N: "max(0, (L - F)//hop + 1)"}
    out: {Y: "T[*B, N, F]"}
    body: |
      Y[*b,n,f] = padded(X[*b,n*hop + f], 0)*W[f]

  - op: overlap_add
    types: {T: float}
    attrs: {hop: int}
    in: {X: "T[N, F]"}
    require: [hop > 0, N > 0, F > 0]
    let: {L: "(N - 1)*hop + F"}
    index: {l: L}
    out: {Y: "T[L]"}
    body: |
      Y[l] = 0
      Y[n*hop + f] += X[n,f]

  - op: dft
    doc: one-sided discrete Fourier transform by the definition
    types: {T: float}
    in: {X: "T[*B, N]"}
    let: {F: "N//2 + 1"}
    index: {f: F}
    out: {Re: "T[*B, F]", Im: "T[*B, F]"}
    body: |
      Re[*b,f] = sum[n](X[*b,n]*cospi(2*((f*n) % N)/N))
      Im[*b,f] = -sum[n](X[*b,n]*sinpi(2*((f*n) % N)/N))
'''

F = ('f32', 'f64', 'f16', 'bf16')


def fill_pad(x, p, fill):
    return np.pad(x, [(0, 0)] * (x.ndim - len(p)) + list(p), constant_values=fill)


def cases(rng):
    for key in available(*F):
        for b, c, n, k in [(1, 1, 1, 4), (2, 3, 17, 4), (1, 16, 33, 1), (2, 5, 3, 7), (1, 2, 0, 3)]:
            x, w, bias = rand(rng, (b, c, n), key), rand(rng, (c, k), key), rand(rng, (c,), key)
            for silu, bb in ((False, None), (True, bias)):
                p = fill_pad(wide(x), [(k - 1, 0)], 0)
                a = sum(p[:, :, i:i + n] * wide(w)[:, i, None] for i in range(k)) + (0 if bb is None else wide(bb)[:, None])
                g = sum(abs(p[:, :, i:i + n] * wide(w)[:, i, None]) for i in range(k)) + 2
                yield dict(op='causal_depthwise', key=key, inputs=[x, w, bb], attrs={'silu': silu}, want=[a / (1 + np.exp(-a)) if silu else a],
                           tol=tol(ulp=4, acc=k + 8, mag=g))
    for key in (*available(*F), 'i8', 'u32', 'i64'):
        for s, axis, w in [((17,), -1, 3), ((3, 33), 1, 1), ((16, 5), 0, 40), ((2, 7, 3), 1, 2), ((0, 4), 1, 3), ((4, 0), 1, 3)]:
            x = rand(rng, s, key, -9, 9)
            f = np.moveaxis(wide(x), axis, 0)
            y = np.stack([f[max(0, i - w + 1):i + 1].max(0) for i in range(len(f))]) if len(f) else f
            yield dict(op='sliding_max', key=key, inputs=[x], attrs={'axis': axis, 'width': w}, want=[np.moveaxis(y, 0, axis)], tol=EXACT)
    for key in available(*F):
        for s, size in [((1, 1, 3), 5), ((2, 7, 17), 5), ((1, 16, 2, 3), 4), ((2, 5), 1)]:
            x = rand(rng, s, key)
            sq = wide(x)**2
            c = s[1]
            q = np.stack([sq[:, max(0, i - (size - 1) // 2):i + size // 2 + 1].sum(1) for i in range(c)], 1)
            yield dict(op='lrn_channels', key=key, inputs=[x], attrs={'size': size, 'alpha': 0.5}, want=[wide(x) * (1 + 0.5 / size * q)**-0.75],
                       tol=tol(ulp=8, acc=24, mid=2))
    for key in (*available('f32', 'f64', 'f16'), 'i32', 'i8', 'c64'):
        for s, k in [((1,), 3), ((17,), 5), ((2, 33), 33), ((3, 4), 9), ((2, 5), 0)]:
            a, f = rand(rng, s, key), rand(rng, (k,), key)
            n = s[-1]
            y = sum((np.roll(wide(a), i, -1) * wide(f)[i] for i in range(k)), np.zeros(s))
            g = sum((np.roll(np.abs(wide(a)), i, -1) * np.abs(wide(f))[i] for i in range(k)), np.zeros(s))
            yield dict(op='circular_convolution', key=key, inputs=[a, f], want=[y], tol=EXACT if key[0] == 'i' else tol(ulp=2, acc=2 * k + 2, mag=g))
        for m, n in [(1, 1), (17, 3), (3, 17), (33, 33), (0, 3), (4, 0), (0, 0)]:
            a, b = rand(rng, (m,), key), rand(rng, (n,), key)
            y = np.convolve(wide(a), wide(b)) if m and n else np.zeros(0)
            g = np.convolve(np.abs(wide(a)), np.abs(wide(b))) if m and n else np.zeros(0)
            yield dict(op='convolve_full', key=key, inputs=[a, b], want=[y], tol=EXACT if key[0] == 'i' else tol(ulp=2, acc=2 * min(m, n) + 2, mag=g))
    for key in available(*F):
        for s in [(2,), (34,), (3, 16), (2, 0), (2, 3, 6)]:
            x = rand(rng, s, key)
            e, o = wide(x)[..., ::2], wide(x)[..., 1::2]
            yield dict(op='haar', key=key, inputs=[x], want=[np.concatenate([e + o, e - o], -1) * 0.7071067811865476],
                       tol=tol(ulp=2, acc=4, mag=np.concatenate([abs(e) + abs(o)] * 2, -1)))
        yield dict(op='haar', key=key, inputs=[rand(rng, (3, 5), key)], out=[(key, (3, 4))], error='an odd extent has no halves')
    for key in ('i16', 'i32'):
        for s in [(1, 2), (2, 17), (3, 16), (1, 3), (0, 5)]:
            x = rand(rng, s, key, -1000, 1000)
            w, n = wide(x), s[1]
            ev, od = w[:, ::2], w[:, 1::2]
            nxt = np.concatenate([ev[:, 1:], ev[:, -1:]], 1)[:, :od.shape[1]]
            d = od - (ev[:, :od.shape[1]] + nxt) // 2
            left = np.concatenate([d[:, :1], d], 1)[:, :ev.shape[1]]
            right = np.concatenate([d, d[:, -1:]], 1)[:, :ev.shape[1]]
            yield dict(op='lifting53', key=key, inputs=[x], want=[ev + (left + right + 2) // 4, d], tol=[EXACT, EXACT])
        yield dict(op='lifting53', key=key, inputs=[rand(rng, (2, 1), key)], out=[(key, (2, 1)), (key, (2, 0))], error='N >= 2')
    for key in available('f32', 'f64', 'f16'):
        for s, f, hop in [((17,), 5, 3), ((2, 33), 16, 8), ((3,), 5, 1), ((2, 2, 16), 1, 7), ((4,), 4, 9)]:
            x, w = rand(rng, s, key), rand(rng, (f,), key)
            n = max(0, (s[-1] - f) // hop + 1)
            y = np.stack([wide(x)[..., i * hop:i * hop + f] * wide(w) for i in range(n)], -2) if n else np.zeros((*s[:-1], 0, f))
            yield dict(op='frames', key=key, inputs=[x, w], attrs={'hop': hop}, want=[y], tol=tol(ulp=1))
        for n, f, hop in [(1, 5, 2), (7, 8, 4), (5, 3, 3), (4, 2, 5), (9, 17, 1)]:
            x = rand(rng, (n, f), key)
            y, g = np.zeros((n - 1) * hop + f), np.zeros((n - 1) * hop + f)
            for i in range(n):
                y[i * hop:i * hop + f] += wide(x)[i]
                g[i * hop:i * hop + f] += abs(wide(x)[i])
            yield dict(op='overlap_add', key=key, inputs=[x], attrs={'hop': hop}, want=[y], tol=tol(ulp=1, mid=2 * n, mag=g))
    for key in available('f32', 'f64'):
        for s in [(1,), (16,), (2, 17), (3, 5)]:
            x = rand(rng, s, key)
            y = np.fft.rfft(wide(x))
            yield dict(op='dft', key=key, inputs=[x], want=[y.real, y.imag],
                       tol=[tol(ulp=2, acc=2 * s[-1] + 8, mag=abs(wide(x)).sum(-1)[..., None] * np.ones(y.shape))] * 2)
