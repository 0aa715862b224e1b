"""Ops that call another op and pass on their own attributes, packs of any rank and types that only results have."""
import numpy as np

from casekit import EXACT, available, rand, tol, wide
from tenon_ffi import np_dtype

OPS = r'''
ops:
  - op: inner_elements
    types: {T: [f32, i8]}
    in: {X: "T[*S]"}
    let: {O: S - 1}
    require: [S >= 1]
    out: {Y: "T[*O]"}
    body: Y[*o] = X[*(o + 1)]
  - op: inner_elements_called
    types: {T: [f32, i8]}
    in: {X: "T[*S]"}
    let: {O: S - 1}
    require: [S >= 1]
    out: {Y: "T[*O]"}
    body: Y = inner_elements(X)
  - op: windowed_maxima
    types: {T: [f32, i32]}
    attrs: {size: "int[*S] = 1", stride: "int[*S] = 1"}
    in: {X: "T[*S]"}
    require: [size > 0, size <= S, stride >= 1]
    let: {K: size, O: "ceildiv(S - size + 1, stride)"}
    index: {"*k": K}
    out: {Y: "T[*O]"}
    body: Y[*o] = max[*k](X[*(o*stride + k)])
  - op: windowed_maxima_called
    types: {T: [f32, i32]}
    attrs: {size: "int[*S] = 1", stride: "int[*S] = 1"}
    in: {X: "T[*S]"}
    require: [size > 0, size <= S, stride >= 1]
    let: {O: "ceildiv(S - size + 1, stride)"}
    out: {Y: "T[*O]"}
    body: |
      m = windowed_maxima(X, size=size, stride=stride)
      Y[*o] = m[*o] + m[*o]
  - op: sums_of_axes
    types: {T: [f32, i32]}
    attrs: {axes: "int[]", keepdims: bool = false}
    in: {X: "T[*P, *R@axes, *Q]"}
    let: {K: "keep(R, keepdims)"}
    out: {Y: "T[*P, *K@axes, *Q]", Z: "T[*P, *K@axes, *Q]"}
    body: |
      Y[*p,*k,*q] = max[*r](X[*p,*r,*q])
      Z[*p,*k,*q] = sum[*r](X[*p,*r,*q])
  - op: sums_of_axes_called
    types: {T: [f32, i32]}
    attrs: {axes: "int[]", keepdims: bool = false}
    in: {X: "T[*P, *R@axes, *Q]"}
    let: {K: "keep(R, keepdims)"}
    out: {Y: "T[*P, *K@axes, *Q]", Z: "T[*P, *K@axes, *Q]"}
    body: Y, Z = sums_of_axes(X, axes=axes, keepdims=keepdims)
  - op: sums_of_no_axes
    doc: the reductions of what is called go over nothing
    types: {T: [f32, i32]}
    in: {X: "T[N, M]"}
    out: {Y: "T[N, M]", Z: "T[N, M]"}
    body: Y, Z = sums_of_axes(X, axes=[])
  - op: densities
    types: {T: [f32, f64]}
    attrs: {width: float, lo: float, hi: float}
    in: {X: "T[N]"}
    require: [width > 0, hi > lo]
    out: {Y: "T[N]"}
    body: Y[n] = clamp(X[n]/width, lo, hi)
  - op: densities_called
    doc: the condition of one attribute is stated here too, that of the others is left to the op that is called
    types: {T: [f32, f64]}
    attrs: {width: float, lo: float, hi: float}
    in: {X: "T[N]"}
    require: [width > 0]
    out: {Y: "T[N]", Z: "T[N]"}
    body: |
      Y = densities(X, width=width, lo=lo, hi=hi)
      Z = densities(X, width=2*width, lo=0, hi=1)
  - op: counted_from
    types: {T: real}
    attrs: {n: int, start: int = 0}
    in: {}
    let: {N: n}
    require: [n >= 0]
    out: {Y: "T[N]"}
    body: Y[i] = cast(start + i, T)
  - op: counted_called
    doc: the type of what only results have is that of the output
    types: {T: [f32, i64, u8]}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: |
      Y = counted_from(n=N, start=2)
      Y[n] += X[n]
  - op: squares_below
    types: {T: [f32, i32]}
    attrs: {period: int}
    in: {X: "T[N]"}
    index: {k: period}
    out: {Y: "T[N]"}
    body: |
      u[k] = cast(k*k, T)
      Y[n] = X[n] + sum[k](u[k])
  - op: squares_below_called
    types: {T: [f32, i32]}
    attrs: {period: int}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y = squares_below(X, period=period)
'''

SHAPES = ((), (1,), (17,), (5, 7), (3, 4, 5), (1, 2, 1, 3))


def whole(rng, shape, dtype):
    return rand(rng, shape, 'i32', -9, 9).astype(np_dtype(dtype))


def cases(rng):
    for key in ('f32', 'i8'):
        for s in SHAPES:
            x = whole(rng, s, key)
            yield dict(op='inner_elements_called', key=key, inputs=[x], want=[x[tuple(slice(1, None) for _ in s)]], tol=EXACT)
    for key in ('f32', 'i32'):
        for s in SHAPES:
            for size, stride in ((1, 1), (2, 1), (2, 3)):
                if min(s, default=9) < size:
                    continue
                x, r = whole(rng, s, key), len(s)
                view = np.lib.stride_tricks.sliding_window_view(x, (size,)*r)[(slice(None, None, stride),)*r] if r else x
                want = view.max(tuple(range(r, 2*r))) if r else x
                yield dict(op='windowed_maxima_called', key=key, inputs=[x], attrs={'size': [size]*r, 'stride': [stride]*r},
                           want=[want + want], tol=EXACT)
        for s, axes in (((5,), [0]), ((3, 4, 5), [1]), ((3, 4, 5), [0, 2]), ((3, 4, 5), [-1]), ((2, 0, 3), [0]), ((2, 3), [])):
            x = whole(rng, s, key)
            for keep in (False, True):
                a = tuple(axes)
                yield dict(op='sums_of_axes_called', key=key, inputs=[x], attrs={'axes': axes, 'keepdims': keep},
                           want=[x.max(a, keepdims=keep), wide(x).sum(a, keepdims=keep)], tol=EXACT)
        for s in ((1, 1), (3, 33), (0, 5), (40, 7)):
            x = whole(rng, s, key)
            yield dict(op='sums_of_no_axes', key=key, inputs=[x], want=[x, x], tol=EXACT)
        for n, period in ((5, 4), (1, 0), (0, 3), (17, 1)):
            x = whole(rng, (n,), key)
            yield dict(op='squares_below_called', key=key, inputs=[x], attrs={'period': period},
                       want=[wide(x) + sum(k*k for k in range(period))], tol=EXACT)
        yield dict(op='squares_below_called', key=key, inputs=[rand(rng, (5,), key)], attrs={'period': -1}, error='shape', out=[(key, (5,))])
    for key in ('f32', 'f64'):
        for n in (0, 1, 33):
            x = rand(rng, (n,), key)
            t = np_dtype(key)
            for width, lo, hi in ((.5, -1., 1.), (3., 0., .25)):
                yield dict(op='densities_called', key=key, inputs=[x], attrs={'width': width, 'lo': lo, 'hi': hi}, tol=tol(ulp=2),
                           want=[np.clip(wide(x)/wide(np.asarray(width, t)), lo, hi), np.clip(wide(x)/(2*wide(np.asarray(width, t))), 0, 1)])
        for width, lo, hi in ((0., -1., 1.), (-1., -1., 1.), (1., 1., 1.), (1., 2., 1.), (float('nan'), 0., 1.), (1., float('nan'), 1.)):
            yield dict(op='densities_called', key=key, inputs=[rand(rng, (5,), key)], attrs={'width': width, 'lo': lo, 'hi': hi},
                       error='attr', out=[(key, (5,))]*2)
    for key in available('f32', 'i64', 'u8'):
        for n in (0, 1, 17):
            x = rand(rng, (n,), key, 0, 9)
            yield dict(op='counted_called', key=key, inputs=[x], want=[wide(x) + 2 + np.arange(n)], tol=EXACT if key != 'f32' else tol(ulp=1))
