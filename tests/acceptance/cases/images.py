"""Images as other libraries treat them: filters, morphology, sampling, colours, tables of bytes."""
import colorsys

import numpy as np

from casekit import EXACT, available, rand, tol, wide

OPS = r'''
fn:
  hat(t): max(1 - abs(t), 0)

ops:
  - op: unfold
    doc: columns of a dilated window (torch.nn.functional.unfold)
    types: {T: any}
    attrs: {kernel: "int[2]", dilation: "int[2] = 1", padding: "int[2] = 0", stride: "int[2] = 1", fill: T = 0}
    in: {X: "T[N, C, H, W]"}
    require: [stride > 0, dilation > 0, kernel > 0, padding >= 0]
    let:
      Ho: (H + 2*padding[0] - dilation[0]*(kernel[0] - 1) - 1)//stride[0] + 1
      Wo: (W + 2*padding[1] - dilation[1]*(kernel[1] - 1) - 1)//stride[1] + 1
      R: kernel[0]
      S: kernel[1]
    index: {r: "kernel[0]", s: "kernel[1]", y: Ho, x: Wo}
    out: {Y: "T[N, (C R S), (Ho Wo)]"}
    body: |
      Y[n,(c r s),(y x)] = padded(X[n,c,y*stride[0] + r*dilation[0] - padding[0],x*stride[1] + s*dilation[1] - padding[1]], fill)

  - op: box_filter
    doc: mean over a window that is mirrored at the border (cv2.boxFilter, BORDER_REFLECT)
    types: {T: [float, uint]}
    attrs: {radius: int = 1, normalise: bool = true}
    in: {X: "T[H, W]"}
    require: [radius >= 0]
    index: {i: 2*radius + 1, j: 2*radius + 1}
    let: {side: 2*radius + 1}
    out: {Y: "f64[H, W]"}
    body: |
      s[y,x] = sum[i,j](cast(X[mirror(y + i - radius, H), mirror(x + j - radius, W)], f64))
      Y[y,x] = select(normalise, s[y,x]/(side*side), s[y,x])

  - op: sobel
    doc: gradient magnitude, border reflected without the edge
    types: {T: float}
    in: {X: "T[N, H, W]"}
    index: {i: 3, j: 3}
    out: {M: "T[N, H, W]", D: "T[N, H, W]"}
    body: |
      gx[n,y,x] = sum[i,j]((j - 1)*(2 - abs(i - 1))*X[n, reflect(y + i - 1, H), reflect(x + j - 1, W)])
      gy[n,y,x] = sum[i,j]((i - 1)*(2 - abs(j - 1))*X[n, reflect(y + i - 1, H), reflect(x + j - 1, W)])
      M[n,y,x] = sqrt(sq(gx[n,y,x]) + sq(gy[n,y,x]))
      D[n,y,x] = atan2(gy[n,y,x], gx[n,y,x])

  - op: bilateral
    doc: bilateral filter with clamped border
    types: {T: float}
    attrs: {radius: int = 2, sigma_color: float = 0.5, sigma_space: float = 1.5}
    in: {X: "T[H, W]"}
    require: [radius >= 0, sigma_color > 0, sigma_space > 0]
    index: {i: "2*radius + 1", j: "2*radius + 1"}
    out: {Y: "T[H, W]"}
    body: |
      w[y,x,i,j] = exp(-(sq(i - radius) + sq(j - radius))/(2*sigma_space*sigma_space)
                       - sq(X[clamp(y + i - radius, 0, H - 1), clamp(x + j - radius, 0, W - 1)] - X[y,x])/(2*sigma_color*sigma_color))
      Y[y,x] = sum[i,j](w[y,x,i,j]*X[clamp(y + i - radius, 0, H - 1), clamp(x + j - radius, 0, W - 1)])/sum[i,j](w[y,x,i,j])

  - op: morph_gradient
    doc: dilation minus erosion with a structuring element
    types: {T: real}
    in: {X: "T[H, W]", E: "bool[R, S]"}
    out: {Y: "T[H, W]"}
    body: |
      hi[y,x] = max[r,s : E[r,s]](padded(X[y + r - R//2, x + s - S//2], -inf))
      lo[y,x] = min[r,s : E[r,s]](padded(X[y + r - R//2, x + s - S//2], inf))
      Y[y,x] = hi[y,x] - lo[y,x]

  - op: integral_image
    types: {T: [float, i32, i64]}
    in: {X: "T[*B, H, W]"}
    out: {Y: "T[*B, H, W]"}
    body: |
      r[*b,y,x] = sum[k : k <= x](X[*b,y,k])
      Y[*b,y,x] = sum[i : i <= y](r[*b,i,x])

  - op: lp_pool
    types: {T: float}
    attrs: {p: float = 2, k: int = 2}
    in: {X: "T[N, C, H, W]"}
    require: [k >= 1, H >= k, W >= k]
    let: {Ho: "(H - k)//k + 1", Wo: "(W - k)//k + 1"}
    index: {i: k, j: k}
    out: {Y: "T[N, C, Ho, Wo]"}
    body: |
      Y[n,c,y,x] = sum[i,j](abs(X[n,c,y*k + i,x*k + j])**p)**(1/p)

  - op: max_unpool
    doc: values back to where their maxima were
    types: {T: real, I: index}
    attrs: {Ho: int, Wo: int}
    in: {X: "T[N, C, H, W]", Ix: "I[N, C, H, W]"}
    require: [Ho >= 0, Wo >= 0]
    let: {A: "Ho*Wo"}
    out: {Y: "T[N, C, A]"}
    body: |
      Y[n,c,wrap(Ix[n,c,h,w], A)] last= X[n,c,h,w]

  - op: adaptive_mean
    types: {T: float}
    attrs: {size: int}
    in: {X: "T[N, C, L]"}
    require: [size >= 1]
    index: {o: size}
    out: {Y: "T[N, C, size]"}
    body: |
      Y[n,c,o] = sum[l : l >= o*L//size and l < ceildiv((o + 1)*L, size)](X[n,c,l])/(ceildiv((o + 1)*L, size) - o*L//size)

  - op: grid_sample
    doc: bilinear sampling at normalised coordinates, zeros outside, corners aligned or not
    types: {T: float}
    attrs: {align: bool = false}
    in: {X: "T[N, C, H, W]", G: "T[N, Ho, Wo, 2]"}
    index: {a: 2, b: 2}
    out: {Y: "T[N, C, Ho, Wo]"}
    body: |
      fx[n,i,j] = select(align, (G[n,i,j,0] + 1)/2*(W - 1), ((G[n,i,j,0] + 1)*W - 1)/2)
      fy[n,i,j] = select(align, (G[n,i,j,1] + 1)/2*(H - 1), ((G[n,i,j,1] + 1)*H - 1)/2)
      Y[n,c,i,j] = sum[a,b](hat(fy[n,i,j] - floor(fy[n,i,j]) - a)*hat(fx[n,i,j] - floor(fx[n,i,j]) - b)*padded(X[n,c,cast(floor(fy[n,i,j]), i64)
          + a,cast(floor(fx[n,i,j]), i64) + b], 0))

  - op: warp_affine
    doc: nearest neighbour under an inverse affine map
    types: {T: [u8, f32, f64]}
    attrs: {size: "int[2]", border: T = 0}
    in: {X: "T[H, W, C]", M: "f64[2, 3]"}
    require: [size >= 0]
    index: {y: "size[0]", x: "size[1]"}
    let: {Ho: "size[0]", Wo: "size[1]"}
    out: {Y: "T[Ho, Wo, C]"}
    body: |
      u[y,x] = cast(round(M[0,0]*x + M[0,1]*y + M[0,2]), i64)
      v[y,x] = cast(round(M[1,0]*x + M[1,1]*y + M[1,2]), i64)
      Y[y,x,c] = padded(X[v[y,x],u[y,x],c], border)

  - op: rgb_to_hsv
    types: {T: float}
    in: {X: "T[*S, 3]"}
    out: {Y: "T[*S, 3]"}
    index: {k: 3}
    body: |
      hi[*s] = max[k](X[*s,k])
      d[*s]  = hi[*s] - min[k](X[*s,k])
      h[*s]  = select(d[*s] == 0, 0, select(hi[*s] == X[*s,0], (X[*s,1] - X[*s,2])/d[*s] + select(X[*s,1] < X[*s,2], 6, 0),
          select(hi[*s] == X[*s,1], (X[*s,2] - X[*s,0])/d[*s] + 2, (X[*s,0] - X[*s,1])/d[*s] + 4)))/6
      Y[*s,k] = select(k == 0, h[*s], select(k == 1, select(hi[*s] == 0, 0, d[*s]/hi[*s]), hi[*s]))

  - op: gray_u8
    doc: fixed-point luma of 8-bit pixels
    in: {X: "u8[H, W, 3]"}
    out: {Y: "u8[H, W]"}
    body: |
      t[h,w] = cast(X[h,w,0], i32)*4899 + cast(X[h,w,1], i32)*9617 + cast(X[h,w,2], i32)*1868
      Y[h,w] = cast(shr(t[h,w] + 8192, 14), u8)

  - op: lut
    doc: a table of 256 entries applied to bytes
    types: {T: any}
    in: {X: "u8[*S]", L: "T[256]"}
    out: {Y: "T[*S]"}
    body: |
      Y[*s] = L[X[*s]]

  - op: histogram
    types: {T: float}
    attrs: {bins: int, lo: T, hi: T}
    in: {X: "T[*S]"}
    require: [bins >= 1, hi > lo]
    index: {b: bins}
    out: {Y: "i64[bins]"}
    body: |
      Y[b] = 0
      Y[clamp(cast(floor((X[*s] - lo)*bins/(hi - lo)), i64), 0, bins - 1)] += select(X[*s] >= lo and X[*s] <= hi, 1, 0)
'''

F = ('f32', 'f64', 'f16', 'bf16')


def fill_pad(x, p, fill):
    return np.pad(x, [(0, 0)] * (x.ndim - len(p)) + list(p), constant_values=fill)


def unfold(x, k, d, p, s, fill):
    x = fill_pad(x, [(p[0], p[0]), (p[1], p[1])], fill)
    ho = (x.shape[2] - d[0] * (k[0] - 1) - 1) // s[0] + 1
    wo = (x.shape[3] - d[1] * (k[1] - 1) - 1) // s[1] + 1
    y = np.zeros((*x.shape[:2], *k, ho, wo), x.dtype)
    for r in range(k[0]):
        for c in range(k[1]):
            y[:, :, r, c] = x[:, :, r * d[0]:r * d[0] + (ho - 1) * s[0] + 1:s[0], c * d[1]:c * d[1] + (wo - 1) * s[1] + 1:s[1]]
    return y.reshape(x.shape[0], x.shape[1] * k[0] * k[1], ho * wo)


def taps(x, radius, mode):
    """Every shift of an image within the radius, borders filled as NumPy's pad does it."""
    p = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(radius, radius)] * 2, mode=mode)
    h, w = x.shape[-2:]
    return [[p[..., i:i + h, j:j + w] for j in range(2 * radius + 1)] for i in range(2 * radius + 1)]


def taps_mirror(x, r):
    def at(i, n):
        i %= 2 * n
        return i if i < n else 2 * n - 1 - i
    h, w = x.shape
    return [[x[np.ix_([at(y + i, h) for y in range(h)], [at(c + j, w) for c in range(w)])] for j in range(-r, r + 1)] for i in range(-r, r + 1)]


def cases(rng):
    for key in (*available(*F), 'i32', 'u8', 'bool'):
        for s, k, d, p, st in [((1, 1, 5, 5), [3, 3], [1, 1], [1, 1], [1, 1]), ((2, 3, 9, 17), [2, 3], [2, 1], [0, 2], [1, 3]),
                               ((1, 2, 4, 33), [1, 5], [1, 3], [2, 0], [2, 2]), ((0, 3, 4, 4), [2, 2], [1, 1], [0, 0], [2, 2])]:
            x, fill = rand(rng, s, key, 0, 3), 1.0 if key in F else 1
            yield dict(op='unfold', key=key, inputs=[x], attrs=dict(kernel=k, dilation=d, padding=p, stride=st, fill=fill),
                       want=[unfold(x, k, d, p, st, fill)], tol=EXACT)
    for key in ('f32', 'f64', 'u8', 'u16', 'u64'):
        for h, w, r in [(1, 1, 1), (5, 17, 1), (3, 33, 2), (7, 4, 0), (2, 3, 4)]:
            x = rand(rng, (h, w), key, 0, 200)
            t = [v for row in taps_mirror(wide(x), r) for v in row]
            yield dict(op='box_filter', key=key, inputs=[x], attrs={'radius': r}, want=[sum(t) / (2 * r + 1)**2], dtypes=['f64'],
                       tol=tol(ulp=8, acc=30, mag=200.0))
            yield dict(op='box_filter', key=key, inputs=[x], attrs={'radius': r, 'normalise': False}, want=[sum(t)], dtypes=['f64'],
                       tol=tol(ulp=8, acc=(2 * r + 1)**2, mag=200.0 * (2 * r + 1)**2))
    for key in available('f32', 'f64'):
        for s in [(1, 3, 5), (2, 17, 9), (1, 2, 2), (3, 5, 33)]:
            x = rand(rng, s, key)
            t = taps(wide(x), 1, 'reflect')
            gx = sum((j - 1) * (2 - abs(i - 1)) * t[i][j] for i in range(3) for j in range(3))
            gy = sum((i - 1) * (2 - abs(j - 1)) * t[i][j] for i in range(3) for j in range(3))
            m = np.hypot(gx, gy)
            # The angle at the cut of atan2, and that of no gradient, hang on the last bit: they are not compared.
            hard = (abs(gy) < 1e-4) | (m < 1e-4)
            yield dict(op='sobel', key=key, inputs=[x], want=[m, np.arctan2(gy, gx)],
                       tol=[tol(ulp=8, acc=20, mag=8.0), tol(ulp=8, acc=60, mag=8 / np.maximum(m, 1e-4) + 4, floor=np.where(hard, 7.0, 0.0))])
        for s, r in [((1, 1), 2), ((9, 17), 2), ((4, 5), 1), ((3, 33), 0)]:
            x = rand(rng, s, key, 0, 1)
            t = taps(wide(x), r, 'edge')
            w = [[np.exp(-((i - r)**2 + (j - r)**2) / (2 * 1.5**2) - (t[i][j] - wide(x))**2 / (2 * 0.25)) for j in range(2 * r + 1)]
                for i in range(2 * r + 1)]
            num = sum(w[i][j] * t[i][j] for i in range(2 * r + 1) for j in range(2 * r + 1))
            yield dict(op='bilateral', key=key, inputs=[x], attrs={'radius': r}, want=[num / sum(map(sum, w))], tol=tol(ulp=8, acc=60, mag=1.0))
    for key in ('f32', 'f64'):
        for h, w, e in [(5, 17, np.ones((3, 3), bool)), (4, 9, np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)), (1, 1, np.ones((1, 2), bool))]:
            x = rand(rng, (h, w), key, -50, 50)
            r, s = e.shape
            big, out_hi, out_lo = wide(x), np.full((h, w), -np.inf), np.full((h, w), np.inf)
            for i in range(r):
                for j in range(s):
                    if not e[i, j]:
                        continue
                    for y in range(h):
                        for c in range(w):
                            a, b = y + i - r // 2, c + j - s // 2
                            if 0 <= a < h and 0 <= b < w:
                                out_hi[y, c], out_lo[y, c] = max(out_hi[y, c], big[a, b]), min(out_lo[y, c], big[a, b])
            yield dict(op='morph_gradient', key=key, inputs=[x, e], want=[out_hi - out_lo], tol=tol(ulp=1))
    for key in ('f32', 'f64', 'i32', 'i64'):
        for s in [(1, 1), (5, 17), (2, 16, 3), (0, 4), (2, 2, 3, 33)]:
            x = rand(rng, s, key, -9, 9)
            g = abs(wide(x)).cumsum(-1).cumsum(-2)
            yield dict(op='integral_image', key=key, inputs=[x], want=[wide(x).cumsum(-1).cumsum(-2)],
                       tol=EXACT if key[0] == 'i' else tol(ulp=2, acc=s[-1] + s[-2] + 2, mag=g))
    for key in available('f32', 'f64'):
        for s, p, k in [((1, 1, 2, 2), 2.0, 2), ((2, 3, 7, 17), 3.0, 2), ((1, 2, 9, 9), 1.0, 3), ((1, 4, 5, 16), 2.5, 1)]:
            x = rand(rng, s, key)
            h, w = s[2] // k, s[3] // k
            v = abs(wide(x)[:, :, :h * k, :w * k]).reshape(*s[:2], h, k, w, k)
            yield dict(op='lp_pool', key=key, inputs=[x], attrs={'p': p, 'k': k}, want=[(v**p).sum((3, 5))**(1 / p)], tol=tol(ulp=16, acc=32))
    for key in ('f32', 'i8', 'u16'):
        for it in ('i32', 'i64'):
            for s, ho, wo in [((1, 1, 2, 2), 4, 4), ((2, 3, 3, 5), 6, 11), ((1, 2, 0, 3), 2, 3)]:
                x = rand(rng, s, key, 1, 50)
                kind = np.int32 if it == 'i32' else np.int64
                planes = [rng.permutation(ho * wo)[:s[2] * s[3]] for _ in range(s[0] * s[1])]
                ix = np.stack(planes).reshape(s).astype(kind)
                y = np.zeros((*s[:2], ho * wo))
                y.reshape(s[0], s[1], -1)[np.arange(s[0])[:, None, None], np.arange(s[1])[None, :, None],
                    ix.reshape(*s[:2], -1)] = wide(x).reshape(*s[:2], -1)
                yield dict(op='max_unpool', key=key, inputs=[x, ix], attrs={'Ho': ho, 'Wo': wo}, want=[y], tol=EXACT)
            yield dict(op='max_unpool', key=key, inputs=[rand(rng, (1, 1, 1, 2), key), np.array([[[[0, 99]]]], 'int32' if it == 'i32' else 'int64')],
                       attrs={'Ho': 3, 'Wo': 3},
                       out=[(key, (1, 1, 9))], error='a place outside')
    for key in available(*F):
        for s, o in [((1, 1, 1), 3), ((2, 3, 17), 5), ((1, 5, 33), 33), ((2, 2, 7), 1), ((1, 2, 5), 16)]:
            x = rand(rng, s, key)
            n = s[2]
            y = np.stack([wide(x)[..., i * n // o:-((-(i + 1) * n) // o)].mean(-1) for i in range(o)], -1)
            yield dict(op='adaptive_mean', key=key, inputs=[x], attrs={'size': o}, want=[y], tol=tol(ulp=2, acc=40, mag=2.0))
    for key in available('f32', 'f64'):
        for n, c, h, w, ho, wo in [(1, 1, 1, 1, 2, 2), (2, 3, 5, 7, 4, 9), (1, 2, 16, 3, 3, 17)]:
            x, g = rand(rng, (n, c, h, w), key), rand(rng, (n, ho, wo, 2), key, -1.3, 1.3)
            for align in (False, True):
                y = np.zeros((n, c, ho, wo))
                gx, gy = wide(g)[..., 0], wide(g)[..., 1]
                fx = (gx + 1) / 2 * (w - 1) if align else ((gx + 1) * w - 1) / 2
                fy = (gy + 1) / 2 * (h - 1) if align else ((gy + 1) * h - 1) / 2
                for i in range(2):
                    for j in range(2):
                        yy, xx = np.floor(fy).astype(int) + i, np.floor(fx).astype(int) + j
                        wt = (1 - abs(fy - np.floor(fy) - i)) * (1 - abs(fx - np.floor(fx) - j))
                        ok = (yy >= 0) & (yy < h) & (xx >= 0) & (xx < w)
                        for b in range(n):
                            y[b] += np.where(ok[b], wt[b] * wide(x)[b][:, np.clip(yy[b], 0, h - 1), np.clip(xx[b], 0, w - 1)], 0)
                yield dict(op='grid_sample', key=key, inputs=[x, g], attrs={'align': align}, want=[y], tol=tol(ulp=8, acc=60, mag=40.0))
    for key in ('u8', 'f32', 'f64'):
        for h, w, c, size in [(5, 7, 3, [4, 9]), (1, 1, 1, [3, 3]), (16, 17, 4, [17, 16]), (3, 3, 2, [0, 4])]:
            x = rand(rng, (h, w, c), key, 0, 200)
            m = np.array([[0.83, 0.31, -1.07], [-0.29, 1.13, 0.61]])
            gy, gx = np.mgrid[:size[0], :size[1]]
            u, v = np.rint(m[0, 0] * gx + m[0, 1] * gy + m[0, 2]).astype(int), np.rint(m[1, 0] * gx + m[1, 1] * gy + m[1, 2]).astype(int)
            ok = (u >= 0) & (u < w) & (v >= 0) & (v < h)
            y = np.where(ok[..., None], x[np.clip(v, 0, h - 1), np.clip(u, 0, w - 1)], np.array(7, x.dtype))
            yield dict(op='warp_affine', key=key, inputs=[x, m], attrs={'size': size, 'border': 7 if key == 'u8' else 7.0}, want=[y], tol=EXACT)
    for key in available('f32', 'f64'):
        for s in [(1, 3), (17, 3), (2, 5, 3), (3,)]:
            x = rand(rng, s, key, 0, 1)
            w = wide(x)
            y = np.array([colorsys.rgb_to_hsv(*p) for p in w.reshape(-1, 3)]).reshape(s)
            yield dict(op='rgb_to_hsv', key=key, inputs=[x], want=[y], tol=tol(ulp=8, acc=400, mag=1.0))
    for h, w in [(1, 1), (3, 17), (16, 33), (0, 5)]:
        x = rand(rng, (h, w, 3), 'u8', 0, 255)
        v = wide(x)
        yield dict(op='gray_u8', key='u8', inputs=[x], want=[(v[..., 0] * 4899 + v[..., 1] * 9617 + v[..., 2] * 1868 + 8192) >> 14], tol=EXACT)
    for key in (*available('f32', 'f16'), 'u8', 'i64', 'bool', 'c64'):
        for s in [(1,), (17,), (3, 33), (0, 2), ()]:
            x, table = rand(rng, s, 'u8', 0, 255), rand(rng, (256,), key, -9, 9)
            yield dict(op='lut', key=key, inputs=[x, table], want=[table[x]], tol=EXACT)
    for key in available('f32', 'f64'):
        for s, bins in [((17,), 5), ((3, 33), 16), ((0,), 3), ((2, 2, 5), 1)]:
            x = rand(rng, s, key, -2, 2)
            yield dict(op='histogram', key=key, inputs=[x], attrs={'bins': bins, 'lo': -1.0, 'hi': 1.0}, dtypes=['i64'], tol=EXACT,
                       want=[np.bincount(np.clip(np.floor((x[(x >= -1) & (x <= 1)] - x.dtype.type(-1)) * x.dtype.type(bins)
                           / x.dtype.type(2)).astype(int), 0, bins - 1).ravel(), minlength=bins)])
