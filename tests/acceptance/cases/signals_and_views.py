"""Filters, transforms, modulators and pictures as people write kernels for them."""
import numpy as np

from casekit import EXACT, available, np_dtype, rand, tol, wide

OPS = r'''
ops:
  - op: decimated
    doc: a low pass and every m-th sample of it
    types: {T: float}
    attrs: {m: int = 2}
    in: {X: "T[*P, N]", F: "T[K]"}
    require: [m >= 1]
    let: {O: "ceildiv(N, m)"}
    out: {Y: "T[*P, O]"}
    body: Y[*p,o] = sum[k](F[k]*padded(X[*p,o*m - k], 0))

  - op: resampled_linear
    doc: up by l and down by m, straight lines between the samples
    types: {T: [f32, f64]}
    attrs: {l: int = 3, m: int = 2}
    in: {X: "T[N]"}
    require: [l >= 1, m >= 1, N >= 1]
    let: {O: (N - 1)*l//m + 1}
    out: {Y: "T[O]"}
    body: |
      f[o] = cast(o*m % l, T)/l
      Y[o] = (1 - f[o])*X[clamp(o*m//l, 0, N - 1)] + f[o]*X[clamp(o*m//l + 1, 0, N - 1)]

  - op: filter_of_any_order
    types: {T: [f32, f64]}
    attrs: {b: "float[]", a: "float[]"}
    in: {X: "T[C, N]"}
    out: {Y: "T[C, N]"}
    body: |
      u[c,n] = sum[k](b[k]*padded(X[c,n - k], 0))
      Y[c,n] = u[c,n] - sum[j](a[j]*padded(Y[c,n - 1 - j], 0))

  - op: wavelet_analysis
    doc: one level of Daubechies' filters of four taps, on a ring
    types: {T: [f32, f64]}
    tables:
      H: {type: "T[4]", values: ["(1 + sqrt(3))/(4*sqrt(2))", "(3 + sqrt(3))/(4*sqrt(2))", "(3 - sqrt(3))/(4*sqrt(2))", "(1 - sqrt(3))/(4*sqrt(2))"]}
      G: {type: "T[4]", of: [k], values: "select(k % 2 == 0, 1, -1)*H[3 - k]"}
    in: {X: "T[*P, (N 2)]"}
    out: {A: "T[*P, N]", D: "T[*P, N]"}
    body: |
      A[*p,n] = sum[k](H[k]*X[*p,(2*n + k) % (2*N)])
      D[*p,n] = sum[k](G[k]*X[*p,(2*n + k) % (2*N)])

  - op: wavelet_synthesis
    types: {T: [f32, f64]}
    tables:
      H: {type: "T[4]", values: ["(1 + sqrt(3))/(4*sqrt(2))", "(3 + sqrt(3))/(4*sqrt(2))", "(3 - sqrt(3))/(4*sqrt(2))", "(1 - sqrt(3))/(4*sqrt(2))"]}
      G: {type: "T[4]", of: [k], values: "select(k % 2 == 0, 1, -1)*H[3 - k]"}
    in: {A: "T[*P, N]", D: "T[*P, N]"}
    index: {k: 4}
    let: {M: 2*N}
    out: {Y: "T[*P, M]"}
    body: |
      Y[*p,(2*n + k) % M] += H[k]*A[*p,n] + G[k]*D[*p,n]

  - op: median_window
    types: {T: real}
    attrs: {width: int = 3}
    in: {X: "T[*P, N]"}
    require: [width >= 1, N >= 1]
    index: {k: width}
    out: {Y: "T[*P, N]"}
    body: |
      w[*p,n,k] = X[*p,reflect(n + k - width//2, N)]
      s, at = sort(w, axis=-1)
      Y[*p,n] = s[*p,n,(width - 1)//2]

  - op: envelope
    doc: the magnitude of the analytic signal, by transforms of any length
    types: {T: [f32, f64]}
    in: {X: "T[M, N]"}
    index: {k: N}
    out: {Y: "T[M, N]"}
    body: |
      f[m,k] = sum[n](X[m,n]*complex(cos(6.283185307179586*(k*n % N)/N), -sin(6.283185307179586*(k*n % N)/N)))
      h[k] = select(k == 0 or 2*k == N, 1, select(2*k < N, 2, 0))
      z[m,n] = sum[k](f[m,k]*h[k]*complex(cos(6.283185307179586*(k*n % N)/N), sin(6.283185307179586*(k*n % N)/N)))
      Y[m,n] = real(abs(z[m,n]))/N

  - op: delta_sigma
    doc: a modulator of second order, one bit a sample
    types: {T: [f32, f64]}
    in: {X: "T[B, N]"}
    out: {Y: "i8[B, N]"}
    body: |
      u[b,n] = padded(u[b,n - 1], 0) + X[b,n] - padded(q[b,n - 1], 0)
      v[b,n] = padded(v[b,n - 1], 0) + u[b,n] - padded(q[b,n - 1], 0)
      q[b,n] = select(v[b,n] >= 0, 1, -1)
      Y[b,n] = cast(q[b,n], i8)

  - op: sliding_spectrum
    doc: the spectrum of the last N samples, updated sample by sample
    types: {T: [f32, f64]}
    attrs: {bins: int}
    in: {X: "T[L]"}
    let: {N: bins}
    require: [bins >= 1]
    index: {k: bins}
    out: {P: "T[L, N]"}
    body: |
      s[t,k] = (padded(s[t - 1,k], 0) + X[t] - padded(X[t - N], 0))*complex(cos(cast(6.283185307179586*k/N, T)), sin(cast(6.283185307179586*k/N, T)))
      P[t,k] = sq(real(s[t,k])) + sq(imag(s[t,k]))

  - op: lattice_filter
    doc: a ladder of reflections, whose backward waves are a sample late
    types: {T: [f32, f64]}
    in: {X: "T[N]", R: "T[K]"}
    require: [K >= 1]
    out: {F: "T[N]", B: "T[N]"}
    body: |
      f[n,k] = padded(f[n,k - 1], X[n]) + R[k]*select(k == 0, padded(X[n - 1], 0), padded(b[n - 1,k - 1], 0))
      b[n,k] = select(k == 0, padded(X[n - 1], 0), padded(b[n - 1,k - 1], 0)) + R[k]*padded(f[n,k - 1], X[n])
      F[n] = f[n,K - 1]
      B[n] = b[n,K - 1]

  - op: integrator_comb
    doc: a decimator of integer integrators and combs that may wrap
    types: {T: [i32, i64]}
    attrs: {r: int = 4}
    in: {X: "T[N]"}
    require: [r >= 1]
    let: {O: N//r}
    out: {Y: "T[O]"}
    body: |
      a[n] = padded(a[n - 1], 0) + X[n]
      b[n] = padded(b[n - 1], 0) + a[n]
      c[o] = b[o*r + r - 1] - padded(b[o*r - 1], 0)
      Y[o] = c[o] - padded(c[o - 1], 0)

  - op: biquad_q15
    doc: a section in 16-bit integers, rounded and saturated
    attrs: {b: "int[3]", a: "int[2]"}
    in: {X: "i16[C, N]"}
    out: {Y: "i16[C, N]"}
    body: |
      u[c,n] = b[0]*cast(X[c,n], i64) + b[1]*cast(padded(X[c,n - 1], 0), i64) + b[2]*cast(padded(X[c,n - 2], 0), i64)
      w[c,n] = u[c,n] - a[0]*cast(padded(Y[c,n - 1], 0), i64) - a[1]*cast(padded(Y[c,n - 2], 0), i64)
      Y[c,n] = cast(clamp(shr(w[c,n] + 8192, 14), -32768, 32767), i16)

  - op: local_peaks
    doc: where a signal is higher than both neighbours and a limit
    types: {T: real}
    attrs: {limit: T = 0}
    in: {X: "T[N]"}
    let: {M: upto(N)}
    out: {I: "i64[M]", V: "T[M]"}
    body: |
      p[n] = X[n] > padded(X[n - 1], lowest(T)) and X[n] >= padded(X[n + 1], lowest(T)) and X[n] > limit
      at[n] = sum[k : k < n](p[k])
      M = sum[n](p[n])
      I[wrap(at[n], M)] last= n where p[n]
      V[wrap(at[n], M)] last= X[n] where p[n]

  - op: phase_vocoder
    doc: frames stretched in time, phases kept consistent
    types: {T: [c64, c128]}
    in: {X: "T[F, K]", H: "real(T)[K]"}
    require: [F >= 1]
    out: {Y: "T[F, K]"}
    body: |
      a[f,k] = arg(X[f,k])
      d[f,k] = a[f,k] - padded(a[f - 1,k], 0) - H[k]
      w[f,k] = d[f,k] - 6.283185307179586*floor(d[f,k]/6.283185307179586 + 0.5)
      p[f,k] = padded(p[f - 1,k], 0) + H[k] + w[f,k]
      Y[f,k] = abs(X[f,k])*complex(cos(p[f,k]), sin(p[f,k]))

  - op: qam16_slicer
    doc: the nearest of 16 points, as a Gray code of four bits, and the mean squared error
    types: {T: [c64, c128]}
    in: {X: "T[N]", H: "T[N]"}
    attrs: {noise: float = 0.01}
    tables: {G: {type: "u8[4]", values: [0, 1, 3, 2]}}
    out: {Y: "u8[N]", E: "real(T)[]"}
    body: |
      z[n] = X[n]*conj(H[n])/(real(H[n]*conj(H[n])) + noise)
      i[n] = clamp(floor(real(z[n])/2) + 2, 0, 3)
      q[n] = clamp(floor(imag(z[n])/2) + 2, 0, 3)
      Y[n] = bit_or(shl(G[clamp(cast(i[n], i32), 0, 3)], 2), G[clamp(cast(q[n], i32), 0, 3)])
      E[] = sum[n](sq(real(z[n]) - (2*i[n] - 3)) + sq(imag(z[n]) - (2*q[n] - 3)))/max(N, 1)

  - op: pyramid_down
    doc: a binomial of five taps in each direction, every other pixel
    types: {T: float}
    tables: {W: {type: "T[5]", values: ["1/16", "4/16", "6/16", "4/16", "1/16"]}}
    in: {X: "T[H, V, C]"}
    let: {P: "ceildiv(H, 2)", Q: "ceildiv(V, 2)"}
    out: {Y: "T[P, Q, C]"}
    body: Y[y,x,c] = sum[r,s](W[r]*W[s]*X[clamp(2*y + r - 2, 0, H - 1),clamp(2*x + s - 2, 0, V - 1),c])

  - op: boxes_kept
    doc: greedy suppression of boxes that overlap one with a higher score; boxes come in the order of their scores
    types: {T: [f32, f64]}
    attrs: {limit: float = 0.5}
    in: {B: "T[N, 4]"}
    out: {Keep: "bool[N]"}
    body: |
      a[n] = (B[n,2] - B[n,0])*(B[n,3] - B[n,1])
      w[n,m] = max(min(B[n,2], B[m,2]) - max(B[n,0], B[m,0]), 0)*max(min(B[n,3], B[m,3]) - max(B[n,1], B[m,1]), 0)
      o[n,m] = w[n,m] > limit*(a[n] + a[m] - w[n,m])
      Keep[n] = not any[m : m < n](Keep[m] and o[n,m])

  - op: distances_squared
    doc: to the nearest pixel that is set, exactly, first along columns and then along rows
    in: {X: "bool[H, W]"}
    out: {D: "i32[H, W]"}
    body: |
      g[y,x] = min[r](select(X[r,x], cast(sq(y - r), i32), 1000000))
      D[y,x] = min[c](g[y,c] + cast(sq(x - c), i32))

  - op: census
    doc: which of the eight neighbours are darker, a bit each
    types: {T: real}
    tables:
      Dy: {type: "i32[8]", values: [-1, -1, -1, 0, 0, 1, 1, 1]}
      Dx: {type: "i32[8]", values: [-1, 0, 1, -1, 1, -1, 0, 1]}
    in: {X: "T[H, W]"}
    out: {Y: "u8[H, W]"}
    body: Y[y,x] = bit_or[k](shl(cast(X[clamp(y + Dy[k], 0, H - 1),clamp(x + Dx[k], 0, W - 1)] < X[y,x], u8), cast(k, u8)))

  - op: disparity
    doc: how far to the left a window of the left picture is found in the right one
    types: {T: [f32, u8]}
    attrs: {range: int = 4, radius: int = 1}
    let: {R: range, S: 2*radius + 1}
    require: [range >= 1, radius >= 0]
    in: {A: "T[H, W]", B: "T[H, W]"}
    index: {d: R, r: S, s: S}
    out: {Y: "i32[H, W]"}
    body: |
      c[y,x,d] = abs(cast(A[y,x], f32) - cast(padded(B[y,x - d], 0), f32))
      w[y,x,d] = sum[r,s](c[clamp(y + r - radius, 0, H - 1),clamp(x + s - radius, 0, W - 1),d])
      Y[y,x] = cast(argmin[d](w[y,x,d]), i32)

  - op: flow_lucas_kanade
    types: {T: [f32, f64]}
    in: {A: "T[H, W]", B: "T[H, W]"}
    index: {r: 5, s: 5}
    out: {U: "T[H, W]", V: "T[H, W]"}
    body: |
      x[i,j] = (A[i,clamp(j + 1, 0, W - 1)] - A[i,clamp(j - 1, 0, W - 1)])/2
      y[i,j] = (A[clamp(i + 1, 0, H - 1),j] - A[clamp(i - 1, 0, H - 1),j])/2
      t[i,j] = B[i,j] - A[i,j]
      xx[i,j] = sum[r,s](sq(padded(x[i + r - 2,j + s - 2], 0)))
      yy[i,j] = sum[r,s](sq(padded(y[i + r - 2,j + s - 2], 0)))
      xy[i,j] = sum[r,s](padded(x[i + r - 2,j + s - 2], 0)*padded(y[i + r - 2,j + s - 2], 0))
      xt[i,j] = sum[r,s](padded(x[i + r - 2,j + s - 2], 0)*padded(t[i + r - 2,j + s - 2], 0))
      yt[i,j] = sum[r,s](padded(y[i + r - 2,j + s - 2], 0)*padded(t[i + r - 2,j + s - 2], 0))
      d[i,j] = xx[i,j]*yy[i,j] - sq(xy[i,j]) + 0.01
      U[i,j] = (xy[i,j]*yt[i,j] - yy[i,j]*xt[i,j])/d[i,j]
      V[i,j] = (xy[i,j]*xt[i,j] - xx[i,j]*yt[i,j])/d[i,j]

  - op: perspective
    doc: a picture seen through a homography, bilinear, black outside
    types: {T: [f32, f64]}
    attrs: {rows: int, columns: int}
    in: {X: "T[H, W]", M: "T[3, 3]"}
    require: [rows >= 0, columns >= 0]
    let: {P: rows, Q: columns}
    out: {Y: "T[P, Q]"}
    body: |
      w[p,q] = M[2,0]*q + M[2,1]*p + M[2,2]
      u[p,q] = (M[0,0]*q + M[0,1]*p + M[0,2])/w[p,q]
      v[p,q] = (M[1,0]*q + M[1,1]*p + M[1,2])/w[p,q]
      i[p,q] = cast(floor(v[p,q]), i32)
      j[p,q] = cast(floor(u[p,q]), i32)
      a[p,q] = v[p,q] - floor(v[p,q])
      b[p,q] = u[p,q] - floor(u[p,q])
      Y[p,q] = (1 - a[p,q])*((1 - b[p,q])*padded(X[i[p,q],j[p,q]], 0) + b[p,q]*padded(X[i[p,q],j[p,q] + 1], 0)) + a[p,q]*((1 - b[p,q])*padded(X[i[p,q] + 1,j[p,q]], 0) + b[p,q]*padded(X[i[p,q] + 1,j[p,q] + 1], 0))

  - op: gradients_by_angle
    doc: histograms of gradient directions in cells of pixels
    types: {T: [f32, f64]}
    attrs: {cell: int = 4}
    in: {X: "T[H, W]"}
    require: [cell >= 1]
    let: {P: "ceildiv(H, cell)", Q: "ceildiv(W, cell)"}
    out: {Y: "T[P, Q, 9]"}
    body: |
      a[y,x] = padded(X[y,x + 1], 0) - padded(X[y,x - 1], 0)
      b[y,x] = padded(X[y + 1,x], 0) - padded(X[y - 1,x], 0)
      t[y,x] = atan2(b[y,x], a[y,x])*(9/3.141592653589793)
      k[y,x] = cast(floor(t[y,x]), i64) % 9
      Y[y//cell,x//cell,k[y,x]] += sqrt(sq(a[y,x]) + sq(b[y,x]))

  - op: rgb565
    doc: three bytes of colour in sixteen bits, and back
    in: {X: "u8[*P, 3]"}
    out: {Y: "u16[*P]", Z: "u8[*P, 3]"}
    index: {c: 3}
    body: |
      Y[*p] = bit_or(bit_or(shl(shr(cast(X[*p,0], u16), 3), 11), shl(shr(cast(X[*p,1], u16), 2), 5)), shr(cast(X[*p,2], u16), 3))
      v[*p,c] = shr(Y[*p], select(c == 0, 11, select(c == 1, 5, 0)))
      Z[*p,c] = select(c == 1, bit_or(shl(bit_and(v[*p,c], 63), 2), shr(bit_and(v[*p,c], 63), 4)), bit_or(shl(bit_and(v[*p,c], 31), 3), shr(bit_and(v[*p,c], 31), 2)))
'''


def windows(x, r, k, pad):
    """The k by k neighbours of each element from r to the left and above, of a picture padded by `pad`."""
    p = np.pad(x, ((r, k - 1 - r),)*2, **pad)
    return np.stack([p[i:i + x.shape[0], j:j + x.shape[1]] for i in range(k) for j in range(k)], -1)


def filter_cases(rng):
    for key in available('f32', 'bf16'):
        for shape, k, m in [((1,), 1, 1), ((17,), 3, 2), ((3, 33), 5, 4), ((2, 0), 2, 2), ((2, 3, 16), 1, 3)]:
            x, f = rand(rng, shape, key), rand(rng, (k,), key)
            full = np.apply_along_axis(lambda r: np.convolve(r, wide(f))[:shape[-1]], -1, wide(x)) if x.size else wide(x)
            yield dict(op='decimated', key=key, inputs=[x, f], attrs={'m': m}, want=[full[..., ::m]], tol=tol(ulp=2, acc=4*k, mag=4.0*k))
        for h, w, c in [(1, 1, 1), (5, 7, 3), (17, 34, 1), (2, 0, 1)]:
            x, b = rand(rng, (h, w, c), key), np.array([1, 4, 6, 4, 1])/16
            y = np.zeros((-(-h//2), -(-w//2), c))
            if x.size:
                p = np.pad(wide(x), ((2, 2), (2, 2), (0, 0)), 'edge')
                y = sum(b[r]*b[s]*p[r:r + h:2, s:s + w:2] for r in range(5) for s in range(5))
            yield dict(op='pyramid_down', key=key, inputs=[x], want=[y], tol=tol(ulp=2, acc=32, mag=2.0))
    for key in ('f32',):
        for n, l, m in [(1, 1, 1), (17, 3, 2), (33, 1, 4), (5, 7, 3)]:
            x = rand(rng, (n,), key)
            at = np.arange((n - 1)*l//m + 1)*m/l
            yield dict(op='resampled_linear', key=key, inputs=[x], attrs={'l': l, 'm': m}, want=[np.interp(at, np.arange(n), wide(x))], tol=tol(ulp=2, acc=8, mag=2.0))
        for c, n, b, a in [(1, 1, [1.], [.5]), (3, 33, [.2, .3, .1], [-.5, .25, -.1]), (2, 17, [1.], []), (1, 20, [], [.5]), (2, 0, [1.], [.5])]:
            x = rand(rng, (c, n), key)
            y = np.zeros((c, n))
            for t in range(n):
                y[:, t] = sum((q*wide(x)[:, t - k] for k, q in enumerate(b) if t >= k), 0) - sum((q*y[:, t - 1 - k] for k, q in enumerate(a) if t > k), 0)
            yield dict(op='filter_of_any_order', key=key, inputs=[x], attrs={'b': b, 'a': a}, want=[y], tol=tol(ulp=2, acc=16*(n + 1), mag=4.0))
        r3 = np.sqrt(3)
        h = np.array([1 + r3, 3 + r3, 3 - r3, 1 - r3])/(4*np.sqrt(2))
        g = h[::-1]*[1, -1, 1, -1]
        for shape in [(2,), (34,), (3, 16), (2, 0)]:
            x, n = rand(rng, shape, key), shape[-1]//2
            at = (2*np.arange(n)[:, None] + np.arange(4)) % max(2*n, 1)
            want = [wide(x)[..., at] @ h, wide(x)[..., at] @ g]
            yield dict(op='wavelet_analysis', key=key, inputs=[x], want=want, tol=tol(ulp=2, acc=8, mag=8.0))
            if n > 1:
                a, d = (w.astype(np_dtype(key)) for w in want)
                yield dict(op='wavelet_synthesis', key=key, inputs=[a, d], want=[wide(x)], tol=tol(ulp=4, acc=32, mag=8.0))
        for m, n in [(1, 1), (2, 17), (3, 16)]:
            x = rand(rng, (m, n), key)
            f = np.fft.fft(wide(x))
            k = np.arange(n)
            z = np.fft.ifft(f*np.where((k == 0) | (2*k == n), 1, np.where(2*k < n, 2, 0)))
            yield dict(op='envelope', key=key, inputs=[x], want=[np.abs(z)], tol=tol(ulp=4, acc=64, mag=4.0*n))
        for b, n in [(1, 1), (3, 33), (2, 0)]:
            x, y = (rng.integers(-64, 65, (b, n))/128).astype(np_dtype(key)), np.zeros((b, n), np.int8)
            u, v, q = np.zeros(b), np.zeros(b), np.zeros(b)
            for t in range(n):
                u = u + wide(x)[:, t] - q
                v = v + u - q
                q = np.where(v >= 0, 1, -1)
                y[:, t] = q
            yield dict(op='delta_sigma', key=key, inputs=[x], want=[y], dtypes=['i8'], tol=EXACT)
        for l, n in [(1, 1), (33, 8), (20, 5)]:
            x = rand(rng, (l,), key)
            p = np.array([np.abs(np.fft.fft(np.pad(wide(x), (n, 0))[t + 1:t + n + 1]))**2 for t in range(l)])
            yield dict(op='sliding_spectrum', key=key, inputs=[x], attrs={'bins': n}, want=[p], tol=tol(ulp=4, acc=64*(l + n), mag=8.0*n*n))
        for n, k in [(1, 1), (33, 4), (17, 1), (0, 3)]:
            x, r = rand(rng, (n,), key), rand(rng, (k,), key, -.5, .5)
            f, b, before = np.zeros(n), np.zeros(n), np.zeros(k + 1)
            for t in range(n):
                now, wave = np.zeros(k + 1), wide(x)[t]
                now[0] = wave
                for i in range(k):
                    now[i + 1] = before[i] + wide(r)[i]*wave
                    wave = wave + wide(r)[i]*before[i]
                f[t], b[t], before = wave, now[k], now
            yield dict(op='lattice_filter', key=key, inputs=[x, r], want=[f, b], tol=tol(ulp=2, acc=32*(k + 1), mag=8.0))
    for key in ('f32', 'u8', 'i32'):
        for shape, w in [((1,), 1), ((17,), 3), ((3, 33), 5), ((2, 5), 4)]:
            x = rand(rng, shape, key, 0, 50)
            p = np.pad(x, [(0, 0)]*(x.ndim - 1) + [(w//2, w - 1 - w//2)], 'reflect') if w > 1 else x
            want = np.sort(np.lib.stride_tricks.sliding_window_view(p, w, -1), -1)[..., (w - 1)//2]
            yield dict(op='median_window', key=key, inputs=[x], attrs={'width': w}, want=[want], tol=EXACT)
        for n in (0, 1, 17, 60):
            x = rand(rng, (n,), key, 0, 9)
            q = np.pad(x.astype(float), 1, constant_values=-1e300)
            i = np.nonzero((q[1:-1] > q[:-2]) & (q[1:-1] >= q[2:]) & (q[1:-1] > 2))[0]
            yield dict(op='local_peaks', key=key, inputs=[x], attrs={'limit': 2.0 if key == 'f32' else 2}, want=[i, x[i]], room=[(n,), (n,)], dtypes=['i64', key], tol=EXACT)


def narrow_and_complex_cases(rng):
    for key, t in (('i32', np.int32), ('i64', np.int64)):
        for n, r in [(1, 1), (33, 4), (100, 7), (0, 3)]:
            x = rng.integers(-2**31, 2**31, n).astype(t)
            with np.errstate(over='ignore'):
                b = np.cumsum(np.cumsum(x, dtype=t), dtype=t)[r - 1::r][:n//r]
                c = np.diff(b, prepend=t(0))
                want = np.diff(c, prepend=t(0))
            yield dict(op='integrator_comb', key=key, inputs=[x], attrs={'r': r}, want=[want], tol=EXACT)
    for c, n in [(1, 1), (3, 33), (2, 0)]:
        x, y = rand(rng, (c, n), 'i16', -32768, 32767), np.zeros((c, n + 2), np.int64)
        b, a, p = [4000, 8000, 4000], [-20000, 9000], np.pad(wide(x), ((0, 0), (2, 0)))
        for t in range(n):
            w = sum(b[k]*p[:, t + 2 - k] for k in range(3)) - a[0]*y[:, t + 1] - a[1]*y[:, t]
            y[:, t + 2] = np.clip(w + 8192 >> 14, -32768, 32767)
        yield dict(op='biquad_q15', key='i16', inputs=[x], attrs={'b': b, 'a': a}, want=[y[:, 2:]], tol=EXACT)
    for key, part in (('c64', 'f32'),):
        for f, k in [(1, 1), (5, 17), (17, 3)]:
            x, h = rand(rng, (f, k), key), rand(rng, (k,), part, 0, 3)
            a = np.angle(wide(x))
            d = np.diff(a, axis=0, prepend=0) - wide(h)
            p = np.cumsum(wide(h) + d - 2*np.pi*np.floor(d/(2*np.pi) + .5), 0)
            yield dict(op='phase_vocoder', key=key, inputs=[x, h], want=[np.abs(wide(x))*np.exp(1j*p)], tol=tol(ulp=4, acc=64*(f + 1), mag=16.0))
        for n in (1, 17, 100):
            s, h = rng.integers(0, 4, (2, n))*2 - 3, rand(rng, (n,), key, .5, 2)
            x = ((s[0] + 1j*s[1] + rng.uniform(-.5, .5, n) + 1j*rng.uniform(-.5, .5, n))*wide(h)).astype(np_dtype(key))
            z = wide(x)*np.conj(wide(h))/(np.abs(wide(h))**2 + .01)
            i, q = (np.clip(np.floor(v/2) + 2, 0, 3).astype(int) for v in (z.real, z.imag))
            gray = np.array([0, 1, 3, 2])
            e = ((z.real - 2*i + 3)**2 + (z.imag - 2*q + 3)**2).sum()/n
            yield dict(op='qam16_slicer', key=key, inputs=[x, h], want=[gray[i]*4 + gray[q], e], dtypes=['u8', part], tol=[EXACT, tol(ulp=4, acc=16*n, mag=8.0)])


def view_cases(rng):
    for key in ('f32',):
        for n in (0, 1, 9, 40):
            c, s = rng.integers(0, 32, (n, 2)), rng.integers(1, 17, (n, 2))
            b = np.concatenate([c, c + s], 1).astype(np_dtype(key))
            keep = np.zeros(n, bool)
            for i in range(n):
                lo, hi = np.maximum(b[i, :2], b[:i, :2]), np.minimum(b[i, 2:], b[:i, 2:])
                w = np.prod(np.maximum(hi - lo, 0), 1)
                keep[i] = not (keep[:i] & (w > .5*(s[i].prod() + s[:i].prod(1) - w))).any()
            yield dict(op='boxes_kept', key=key, inputs=[b], want=[keep], dtypes=['bool'], tol=EXACT)
        for h, w in [(1, 1), (7, 9), (16, 17)]:
            a, b = rand(rng, (h, w), key, 0, 1), rand(rng, (h, w), key, 0, 1)
            p = np.pad(wide(a), 1, 'edge')
            x, y, t = (p[1:-1, 2:] - p[1:-1, :-2])/2, (p[2:, 1:-1] - p[:-2, 1:-1])/2, wide(b) - wide(a)
            xx, yy, xy, xt, yt = (windows(v, 2, 5, {}).sum(-1) for v in (x*x, y*y, x*y, x*t, y*t))
            d = xx*yy - xy*xy + .01
            yield dict(op='flow_lucas_kanade', key=key, inputs=[a, b], want=[(xy*yt - yy*xt)/d, (xy*xt - xx*yt)/d], tol=tol(ulp=4, acc=2000, mag=30.0))
            m = np.array([[.9, .1, .3], [-.1, 1.1, .2], [.01, .005, 1]]).astype(np_dtype(key))
            q, r = np.meshgrid(np.arange(7), np.arange(5))
            u, v, s = np.einsum('ij,jpq->ipq', wide(m), np.stack([q, r, np.ones((5, 7))]))
            u, v = u/s, v/s
            i, j = np.floor(v).astype(int), np.floor(u).astype(int)
            px = np.pad(wide(a), 20)
            at = lambda di, dj: px[np.clip(i + di + 20, 0, h + 39), np.clip(j + dj + 20, 0, w + 39)]
            e, f = v - i, u - j
            want = (1 - e)*((1 - f)*at(0, 0) + f*at(0, 1)) + e*((1 - f)*at(1, 0) + f*at(1, 1))
            yield dict(op='perspective', key=key, inputs=[a, m], attrs={'rows': 5, 'columns': 7}, want=[want], tol=tol(ulp=4, acc=256, mag=4.0))
        for h, w, c in [(1, 1, 1), (9, 14, 4), (17, 33, 8), (0, 3, 2)]:
            x = rng.integers(0, 50, (h, w)).astype(np_dtype(key))
            p = np.pad(wide(x), 1)
            a, b = p[1:-1, 2:] - p[1:-1, :-2], p[2:, 1:-1] - p[:-2, 1:-1]
            k = np.floor(np.arctan2(b, a).astype(np_dtype(key))*np.asarray(9/np.pi, np_dtype(key))).astype(int) % 9
            y = np.zeros((-(-h//c), -(-w//c), 9))
            i, j = np.mgrid[:h, :w]
            np.add.at(y, (i//c, j//c, k), np.hypot(a, b))
            yield dict(op='gradients_by_angle', key=key, inputs=[x], attrs={'cell': c}, want=[y], tol=tol(ulp=4, acc=8*c*c, mag=100.0))
    for h, w in [(1, 1), (7, 9), (5, 17), (2, 0)]:
        x = rng.random((h, w)) < .1
        y, c = np.mgrid[:h, :w]
        ys, xs = np.nonzero(x)
        d = ((y[..., None] - ys)**2 + (c[..., None] - xs)**2).min(-1) if len(ys) else np.full((h, w), 1000000)
        if len(ys) or not x.size:
            yield dict(op='distances_squared', key='bool', inputs=[x], want=[d], dtypes=['i32'], tol=EXACT)
    for key in ('f32', 'u8', 'i32'):
        for h, w in [(1, 1), (7, 9), (17, 33)]:
            x = rand(rng, (h, w), key, 0, 9)
            n = windows(x, 1, 3, {'mode': 'edge'})[..., [0, 1, 2, 3, 5, 6, 7, 8]] < x[..., None]
            yield dict(op='census', key=key, inputs=[x], want=[(n << np.arange(8)).sum(-1)], dtypes=['u8'], tol=EXACT)
    for key in ('f32', 'u8'):
        for h, w, d, r in [(1, 1, 1, 0), (7, 9, 4, 1), (9, 17, 5, 2)]:
            a, b = rand(rng, (h, w), key, 0, 255).round(), rand(rng, (h, w), key, 0, 255).round()
            c = [windows(np.abs(wide(a) - np.pad(wide(b), ((0, 0), (k, 0)))[:, :w]), r, 2*r + 1, {'mode': 'edge'}).sum(-1) for k in range(d)]
            yield dict(op='disparity', key=key, inputs=[a, b], attrs={'range': d, 'radius': r}, want=[np.argmin(c, 0)], dtypes=['i32'], tol=EXACT)
    for shape in [(), (17,), (3, 5)]:
        x = rng.integers(0, 256, (*shape, 3)).astype(np.uint8)
        r, g, b = (wide(x)[..., k] >> s for k, s in enumerate((3, 2, 3)))
        yield dict(op='rgb565', key='u8', inputs=[x], want=[r << 11 | g << 5 | b, np.stack([r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2], -1)], dtypes=['u16', 'u8'], tol=EXACT)


def cases(rng):
    yield from filter_cases(rng)
    yield from narrow_and_complex_cases(rng)
    yield from view_cases(rng)
