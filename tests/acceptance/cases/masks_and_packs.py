"""Masked positions, packs dimension by dimension at every rank, updates of single elements, calls with split dims, indices that types bound."""
import numpy as np
from casekit import EXACT, available, rand, tol, wide
OPS = [r'''
ops:
  - op: one_count
    types: {T: [i32, f32, u8]}
    in: {X: "T[N]", I: "i64[N]"}
    index: {k: 1}
    out: {Y: "T[1]", Z: "T[1]", W: "T[1]", L: "T[1]"}
    body: |
      c[k] = 0
      c[wrap(I[n], 1)] += X[n]
      Y[k] = c[k]
      d[k] = 1
      d[wrap(I[n], 1)] max= X[n]
      Z[k] = d[k]
      e[k] = 1
      e[wrap(I[n], 1)] min= X[n]
      W[k] = e[k]
      f[k] = 7
      f[wrap(I[n], 1)] last= X[n]
      L[k] = f[k]
''', r'''
ops:
  - op: shifted_all
    types: {T: any}
    in: {X: "T[*S]"}
    out: {Y: "T[*S]"}
    body: Y[*s] = padded(X[*(s - 1)], 7)
''', r'''
ops:
  - op: inner_part
    types: {T: [f32, i8]}
    in: {X: "T[*S]"}
    let: {O: S - 1}
    require: [S >= 1]
    out: {Y: "T[*O]"}
    body: Y[*o] = X[*(o + 1)]
''', r'''
ops:
  - op: strided_by
    types: {T: [f32, i8]}
    attrs: {by: "int[*S] = 1"}
    in: {X: "T[*S]"}
    require: [by > 0]
    let: {O: "ceildiv(S, by)"}
    out: {Y: "T[*O]"}
    body: Y[*o] = X[*(o*by)]
''', r'''
ops:
  - op: windows
    types: {T: [f32, i32]}
    attrs: {size: "int[*S] = 1"}
    in: {X: "T[*S]"}
    require: [size > 0, size <= S]
    let: {O: S - size + 1}
    index: {"*k": size}
    out: {Y: "T[*O]"}
    body: Y[*o] = sum[*k](X[*(o + k)])
''', r'''
ops:
  - op: windows_let
    types: {T: [f32, i32]}
    attrs: {size: "int[*S] = 1"}
    in: {X: "T[*S]"}
    require: [size > 0, size <= S]
    let: {K: size, O: S - size + 1}
    index: {"*k": K}
    out: {Y: "T[*O]"}
    body: Y[*o] = max[*k](X[*(o + k)])
''', r'''
ops:
  - op: place_sum
    types: {T: [i32, i64]}
    in: {X: "T[*S]"}
    out: {Y: "T[*S]"}
    body: Y[*s] = X[*(s*1)]*sum[*q](1)
'''.replace('sum[*q](1)','2'), r'''
ops:
  - op: masked_arg
    types: {T: [u8, i8, f32, i32, f16]}
    in: {X: "T[N]"}
    out: {Y: "i64[N]", Z: "i64[N]"}
    body: |
      Y[i] = argmax[k : k >= i](X[k])
      Z[i] = argmin[k : k >= i](X[k])
''', r'''
ops:
  - op: masked_data_arg
    types: {T: [u8, i8, f32, i32, f64]}
    in: {X: "T[M, N]", C: "bool[M, N]"}
    out: {Y: "i64[M]"}
    body: |
      Y[i] = argmax[k : C[i,k]](X[i,k])
''', r'''
ops:
  - op: d2s
    types: {T: [f32, i8]}
    in: {X: "T[N, C, H, W]"}
    out: {Y: "T[N, D, P, Q]"}
    let: {D: C//4, P: H*2, Q: W*2}
    require: [C % 4 == 0]
    body: Y = depth_to_space(X, block=2)
''', r'''
ops:
  - op: conv_relu
    types: {T: [f32]}
    in: {X: "T[N, C, H, W]", F: "T[M, C, R, S]"}
    let: {P: H - R + 1, Q: W - S + 1}
    require: [H >= R, W >= S, R >= 1, S >= 1]
    out: {Y: "T[N, M, P, Q]"}
    body: |
      c = conv2d(X, F)
      Y = relu(c)
''', r'''
ops:
  - op: letters
    types: {T: [f32]}
    in: {L: "T[64]", W: "u32[N]", B: "u8[N]", V: "T[256]"}
    out: {Y: "T[N]", Z: "T[N]"}
    body: |
      Y[n] = L[shr(W[n], 6) % 64]
      Z[n] = V[B[n]]
''', r'''
ops:
  - op: table_u8
    types: {I: [u8], T: [f32]}
    in: {X: "I[N]", V: "T[256]"}
    out: {Z: "T[N]"}
    body: Z[n] = V[X[n]]
''', r'''
ops:
  - op: arg_index
    types: {T: [f32, i32]}
    in: {X: "T[M, N]", V: "T[N]"}
    out: {I: "i64[M]", Y: "T[M]"}
    require: [N >= 1]
    body: |
      I[m] = argmax[n](X[m,n])
      Y[m] = X[m,I[m]] + V[I[m]]
''', r'''
ops:
  - op: clamped_no_extent
    types: {T: [f32]}
    attrs: {R: int = 3}
    in: {X: "T[N]"}
    require: [R > 0, R <= N]
    out: {Y: "T[N]"}
    body: Y[i] = X[clamp(i, 0, R - 1)]
''', r'''
ops:
  - op: every_other
    types: {T: [f32]}
    in: {X: "T[N]"}
    let: {M: "ceildiv(N, 2)"}
    out: {Y: "T[M]"}
    body: Y[m] = X[min(2*m + 1, N - 1)]
''', r'''
ops:
  - op: row_best
    types: {T: [i8, i16, i32, i64, u8, f32]}
    in: {X: "T[M, N]", L: "i64[M]"}
    out: {Y: "T[M]", Z: "T[M]"}
    body: |
      Y[n] = max[k : k < L[n]](X[n,k])
      Z[n] = min[k : k < L[n]](X[n,k])
''', r'''
ops:
  - op: tr_softmax
    types: {T: float}
    in: {X: "T[M, N]"}
    out: {Y: "T[N, M]"}
    body: |
      a = transpose(X, perm=[1, 0])
      b = softmax(a, axis=0)
      Y = transpose(b, perm=[0, 1])
''', r'''
ops:
  - op: tr_gather
    types: {T: float}
    in: {X: "T[M, N]", I: "i64[K]"}
    out: {Y: "T[K, N]"}
    body: |
      a = transpose(X, perm=[1, 0])
      s = softmax(a, axis=0)
      b = transpose(s, perm=[1, 0])
      Y = gather(b, I, axis=0)
''', r'''
ops:
  - op: one_step_of_k_means
    types: {T: [f32, f64]}
    in: {X: "T[N, D]", C: "T[K, D]"}
    require: [K >= 1]
    out: {Y: "T[K, D]", W: "i64[K]"}
    body: |
      count[k] = 0
      count[argmin[k](sum[d](sq(X[n,d] - C[k,d])))] += select(sum[e](X[n,e]) == inf, 1, 1)
      s[k,d] = cast(0, T)
      s[argmin[k](sum[e](sq(X[n,e] - C[k,e]))),d] += X[n,d]
      W[k] = count[k]
      Y[k,d] = s[k,d]/max(count[k], 1)
''']
BAD = []

def cases(rng):
    for key in ('i32','f32','u8'):
        for n in (0, 1, 5, 17):
            x = rand(rng, (n,), key, 0, 5)  # what comes together stays below 256
            z = np.zeros(n, np.int64)
            w = wide(x)
            yield dict(op='one_count', key=key, inputs=[x, z], want=[np.array([w.sum(dtype=np.float64)]), np.array([max(1, w.max(initial=1))]), np.array([min(1, w.min(initial=1))]), np.array([w[-1] if n else 7])], tol=EXACT if key != 'f32' else tol(ulp=8))
    for key in available('f32','i8','bf16','f64'):
        for s in [(), (1,), (17,), (3, 5), (2, 3, 4), (0, 3), (2,1,3,2), (2,2,2,2,2,2,2,2)]:
            x = rand(rng, s, key)
            w = np.full(s, 7, wide(x).dtype)
            if s == (): w = wide(x) if False else np.array(wide(x))
            else:
                w[tuple(slice(1, None) for _ in s)] = wide(x)[tuple(slice(0, -1) for _ in s)]
            yield dict(op='shifted_all', key=key, inputs=[x], want=[w], tol=EXACT)
    for key in ('f32', 'i8'):
        for s in [(), (1,), (17,), (3, 5), (2, 3, 4), (1, 3), (2,2,2,2,2,2,2,2)]:
            x = rand(rng, s, key)
            yield dict(op='inner_part', key=key, inputs=[x], want=[x[tuple(slice(1, None) for _ in s)]], tol=EXACT)
            by = [int(b) for b in rng.integers(1, 4, len(s))]
            yield dict(op='strided_by', key=key, inputs=[x], attrs={'by': by}, want=[x[tuple(slice(None, None, b) for b in by)]], tol=EXACT)
    for key in ('f32', 'i32'):
        for s in [(), (1,), (17,), (3, 5), (4, 3, 4), (2,3,2,2)]:
            x = rand(rng, s, key)
            size = [int(rng.integers(1, min(e, 3) + 1)) for e in s]
            v = np.lib.stride_tricks.sliding_window_view(wide(x), size) if s else wide(x)
            ax = tuple(range(len(s), 2*len(s)))
            yield dict(op='windows', key=key, inputs=[x], attrs={'size': size}, want=[v.sum(ax) if s else v], tol=EXACT if key == 'i32' else tol(ulp=4, acc=40, mag=40.0))
            yield dict(op='windows_let', key=key, inputs=[x], attrs={'size': size}, want=[v.max(ax) if s else v], tol=EXACT)
    for key in ('i32', 'i64'):
        for s in [(), (3,), (2,3)]:
            x = rand(rng, s, key)
            yield dict(op='place_sum', key=key, inputs=[x], want=[2*x], tol=EXACT)
    for key in available('u8','i8','f32','i32','f16'):
        for n in (1, 5, 17, 33):
            for kind in range(3):
                x = rand(rng, (n,), key, 0, 3)
                if kind == 1: x = np.full(n, 0 if key == 'u8' else (-128 if key == 'i8' else -2**31 if key == 'i32' else -np.inf)).astype(x.dtype)
                if kind == 2: x = np.full(n, 255 if key == 'u8' else (127 if key == 'i8' else 2**31-1 if key == 'i32' else np.inf)).astype(x.dtype)
                if kind and n > 1: x[0] = 1
                y = [i + int(np.argmax(x[i:])) for i in range(n)]
                z = [i + int(np.argmin(x[i:])) for i in range(n)]
                yield dict(op='masked_arg', key=key, inputs=[x], want=[np.array(y), np.array(z)], dtypes=['i64','i64'], tol=EXACT)
    for key in available('u8','i8','f32','i32','f64'):
        for m, n in [(1, 1), (3, 17), (5, 33), (0, 3)]:
            for kind in range(2):
                x = rand(rng, (m, n), key, 0, 3)
                if kind == 1: x = np.full((m,n), 0 if key == 'u8' else (-128 if key == 'i8' else -2**31 if key == 'i32' else -np.inf)).astype(x.dtype)
                c = rng.random((m, n)) < 0.4
                if n > 1: c[:, 0] = False
                c[np.arange(m), rng.integers(min(1, n-1), n, m)] = True
                y = [int(np.nonzero(c[i])[0][np.argmax(x[i][c[i]])]) for i in range(m)]
                yield dict(op='masked_data_arg', key=key, inputs=[x, c], want=[np.array(y, np.int64)], dtypes=['i64'], tol=EXACT)
        x = rand(rng, (3, 4), key); c = np.ones((3, 4), bool); c[1] = False
        yield dict(op='masked_data_arg', key=key, inputs=[x, c], error='empty', out=[('i64', (3,))])
    for key in ('f32','i8'):
        for n, c, h, w in [(1, 4, 1, 1), (2, 8, 3, 5), (0, 4, 2, 2)]:
            x = rand(rng, (n,c,h,w), key)
            y = x.reshape(n, c//4, 2, 2, h, w).transpose(0,1,4,2,5,3).reshape(n, c//4, 2*h, 2*w)
            yield dict(op='d2s', key=key, inputs=[x], want=[y], tol=EXACT)
    for n, c, h, w, m, r in [(1, 1, 1, 1, 1, 1), (2, 3, 7, 5, 4, 3)]:
        x = rand(rng, (n,c,h,w), 'f32'); f = rand(rng, (m,c,r,r), 'f32')
        v = np.lib.stride_tricks.sliding_window_view(wide(x), (r, r), (2, 3))
        y = np.einsum('nchwrs,mcrs->nmhw', v, wide(f))
        yield dict(op='conv_relu', key='f32', inputs=[x, f], want=[np.maximum(y, 0)], tol=tol(ulp=4, acc=100, mag=100.0))
    for n in (0, 1, 17):
        l, v = rand(rng, (64,), 'f32'), rand(rng, (256,), 'f32')
        w = rng.integers(0, 2**32, n).astype(np.uint32); b = rng.integers(0, 256, n).astype(np.uint8)
        yield dict(op='letters', key='f32', inputs=[l, w, b, v], want=[l[(w >> 6) % 64], v[b]], tol=EXACT)
        yield dict(op='table_u8', key='u8', inputs=[b, v], want=[v[b]], dtypes=['f32'], tol=EXACT)
    for key in ('f32', 'i32'):
        for m, n in [(1, 1), (3, 17), (0, 3)]:
            x = rand(rng, (m, n), key); v = rand(rng, (n,), key)
            i = np.argmax(x, 1)
            yield dict(op='arg_index', key=key, inputs=[x, v], want=[i, wide(x)[np.arange(m), i] + wide(v)[i]], dtypes=['i64', key], tol=[EXACT, tol(ulp=2) if key == 'f32' else EXACT])
    for n in (3, 17):
        x = rand(rng, (n,), 'f32')
        yield dict(op='clamped_no_extent', key='f32', inputs=[x], want=[x[np.clip(np.arange(n), 0, 2)]], tol=EXACT)
        yield dict(op='every_other', key='f32', inputs=[x], want=[x[np.minimum(2*np.arange((n+1)//2)+1, n-1)]], tol=EXACT)
    for key in ('i8','i16','i32','i64','u8','f32'):
        for m, n in [(1, 1), (3, 17), (5, 33)]:
            x = rand(rng, (m, n), key)
            l = rng.integers(0, n + 1, m).astype(np.int64); l[0] = 0
            t = x.dtype
            lo, hi = (-np.inf, np.inf) if key == 'f32' else (np.iinfo(t).min, np.iinfo(t).max)
            yield dict(op='row_best', key=key, inputs=[x, l], want=[np.array([x[i,:l[i]].max() if l[i] else lo for i in range(m)]).astype(t), np.array([x[i,:l[i]].min() if l[i] else hi for i in range(m)]).astype(t)], tol=EXACT)
    for key in available('f32','f64','f16','bf16'):
        for m, n in [(1,1),(3,17),(16,33)]:
            x = rand(rng, (m, n), key)
            e = np.exp(wide(x).T); s = e/e.sum(0)
            yield dict(op='tr_softmax', key=key, inputs=[x], want=[s], tol=tol(ulp=4, acc=50, mid=3))
            i = rng.integers(0, m, 5)
            yield dict(op='tr_gather', key=key, inputs=[x, i], want=[s.T[i]], tol=tol(ulp=4, acc=50, mid=3))
    for key in ('f32', 'f64'):
        for n, d, k in [(1, 1, 1), (17, 3, 1), (33, 5, 4), (0, 2, 1), (5, 2, 3)]:
            x, c = rand(rng, (n, d), key), rand(rng, (k, d), key)
            to = ((wide(x)[:, None] - wide(c)) ** 2).sum(-1).argmin(1)
            w = np.bincount(to, minlength=k)
            y = np.stack([wide(x)[to == j].sum(0) for j in range(k)]) / np.maximum(w, 1)[:, None]
            yield dict(op='one_step_of_k_means', key=key, inputs=[x, c], want=[y, w], dtypes=[key, 'i64'], tol=[tol(ulp=4, acc=40, mag=2.0), EXACT])
