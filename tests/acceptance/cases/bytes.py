"""Sums of products of bytes: levels multiply four at once, and every level has the same integers."""
import numpy as np

from casekit import EXACT, rand

OPS = r'''
ops:
  - op: byte_product
    types: {T: [i8, u8], U: [i8, u8]}
    in: {A: "T[M, K]", B: "U[K, N]"}
    out: {Y: "i32[M, N]"}
    body: |
      Y[m,n] = sum[k](cast(A[m,k], i32)*cast(B[k,n], i32))

  - op: byte_product_turned
    types: {T: [i8, u8], U: [i8, u8]}
    in: {A: "T[M, K]", B: "U[N, K]"}
    out: {Y: "i32[N, M]"}
    body: |
      Y[n,m] = sum[k](cast(A[m,k], i32)*cast(B[n,k], i32))

  - op: byte_convolution
    types: {T: [i8, u8]}
    attrs: {stride: int = 1, pad: int = 0, fill: T = 0}
    in: {X: "T[C, H, W]", F: "i8[M, C, R, S]"}
    require: ["stride > 0", "pad >= 0"]
    let:
      Ho: (H + 2*pad - R)//stride + 1
      Wo: (W + 2*pad - S)//stride + 1
    out: {Y: "i32[M, Ho, Wo]"}
    body: |
      Y[m,y,x] = sum[c,r,s](cast(padded(X[c, y*stride + r - pad, x*stride + s - pad], fill), i32)*cast(F[m,c,r,s], i32))

  - op: byte_wrap
    doc: the same in bytes, which wrap
    types: {T: [i8]}
    in: {A: "T[M, K]", B: "T[K, N]"}
    out: {Y: "T[M, N]"}
    body: |
      Y[m,n] = sum[k](A[m,k]*B[k,n])

  - op: byte_widths
    doc: a byte that is made unsigned on its way
    types: {T: [i8]}
    in: {A: "T[M, K]", B: "T[K, N]"}
    out: {Y: "i32[M, N]"}
    body: |
      Y[m,n] = sum[k](cast(cast(A[m,k], u8), i32)*cast(B[k,n], i32))
'''


def extreme(rng, shape, dtype):
    """Numbers of the whole range, its ends often."""
    lo, hi = (0, 255) if dtype == 'u8' else (-128, 127)
    x = rand(rng, shape, dtype, lo, hi)
    ends = rng.integers(0, 4, shape)
    return np.where(ends == 0, lo, np.where(ends == 1, hi, x)).astype(x.dtype)


def int64(x):
    return x.astype(np.int64)


def convolved(x, f, stride, pad, fill):
    x = np.pad(int64(x), ((0, 0), (pad, pad), (pad, pad)), constant_values=fill)
    r, s = f.shape[2:]
    ho, wo = (x.shape[1] - r) // stride + 1, (x.shape[2] - s) // stride + 1
    out = np.zeros((f.shape[0], ho, wo), np.int64)
    for i in range(r):
        for j in range(s):
            window = x[:, i:i + (ho - 1) * stride + 1:stride, j:j + (wo - 1) * stride + 1:stride]
            out += np.einsum('chw,mc->mhw', window, int64(f[:, :, i, j]))
    return out


def cases(rng):
    for m, k, n in [(1, 1, 1), (3, 4, 5), (8, 64, 32), (5, 7, 33), (17, 66, 70), (1, 129, 40), (31, 3, 16), (4, 0, 5), (9, 40, 1)]:
        for t in ('i8', 'u8'):
            for u in ('i8', 'u8'):
                a, b = extreme(rng, (m, k), t), extreme(rng, (k, n), u)
                want = int64(a) @ int64(b)
                yield dict(op='byte_product', key=t, inputs=[a, b], want=[want], dtypes=['i32'], tol=EXACT)
                yield dict(op='byte_product_turned', key=t, inputs=[a, np.ascontiguousarray(b.T)], want=[want.T], dtypes=['i32'], tol=EXACT)
        a, b = extreme(rng, (m, k), 'i8'), extreme(rng, (k, n), 'i8')
        yield dict(op='byte_wrap', key='i8', inputs=[a, b], want=[(int64(a) @ int64(b)).astype(np.int8)], tol=EXACT)
        yield dict(op='byte_widths', key='i8', inputs=[a, b], want=[int64(a.astype(np.uint8)) @ int64(b)], dtypes=['i32'], tol=EXACT)
    for c, h, w, m, r, stride, pad in [(4, 9, 9, 16, 3, 1, 1), (3, 12, 10, 8, 3, 2, 1), (7, 6, 17, 33, 1, 1, 0), (16, 8, 8, 5, 3, 1, 1), (1, 20, 11, 6, 4, 1, 2),
                                       (6, 5, 5, 20, 5, 1, 0)]:
        for t in ('i8', 'u8'):
            for fill in (0, 7, 127) + ((-128, -1) if t == 'i8' else (255,)):
                x, f = extreme(rng, (c, h, w), t), extreme(rng, (m, c, r, r), 'i8')
                yield dict(op='byte_convolution', key=t, inputs=[x, f], attrs=dict(stride=stride, pad=pad, fill=fill),
                           want=[convolved(x, f, stride, pad, fill)], dtypes=['i32'], tol=EXACT)
