"""Results of calls whose dims are read by parts: heads of a projection, gates of a cell, pairs of channels."""
import numpy as np

from casekit import EXACT, available, rand, softmax, tol, wide

OPS = [r'''
ops:
  - op: neighbours_turned
    doc: neighbours in a transposed result, whose shape follows from the permutation
    types: {T: float}
    in: {X: "T[A, B, C]"}
    require: [A >= 1]
    out: {Y: "T[C, A, B]", Z: "T[C, A, B]"}
    body: |
      t = transpose(X, perm=[2, 0, 1])
      Y[c,a,b] = max(t[c,clamp(a - 1, 0, A - 1),b], padded(t[c + 1,a,b], 0))
      Z[c,a,b] = max[i : i <= a](t[c,i,b])

  - op: heads_of_product
    doc: attention over heads that one product makes, for keys and values too
    types: {T: float}
    attrs: {heads: int = 2}
    in: {X: "T[B, S, C]", W: "T[C, N]", D: "T[E]"}
    require: [heads >= 1, "N == 3*heads*E"]
    let: {H: heads}
    index: {h: H, d: E}
    out: {Y: "T[B, S, (H E)]"}
    body: |
      q = matmul(X, W)
      z[b,h,i,j] = sum[d](q[b,i,(0 h d)]*q[b,j,(1 h d)]*D[d])
      p = softmax(z, axis=-1)
      Y[b,i,(h d)] = sum[j](p[b,h,i,j]*q[b,j,(2 h d)])
''', r'''
ops:
  - op: gates_of_product
    doc: a cell of which one product makes all gates
    types: {T: float}
    in: {X: "T[B, K]", W: "T[K, (3 H)]", S: "T[B, H]"}
    out: {Y: "T[B, H]"}
    body: |
      g = gemm(X, W)
      z[b,h] = 1/(1 + exp(-g[b,(0 h)]))
      Y[b,h] = (1 - z[b,h])*S[b,h] + z[b,h]*tanh(g[b,(1 h)])*g[b,(2 h)]
''', r'''
ops:
  - op: pairs_of_channels
    doc: the larger of two channels after a convolution, and where the pairs begin
    types: {T: float}
    in: {X: "T[N, C, H, W]", F: "T[(2 G), C, R, S]"}
    require: [R >= 1, S >= 1, R <= H, S <= W]
    let: {P: H - R + 1, Q: W - S + 1}
    out: {Y: "T[N, G, P, Q]"}
    body: |
      c = conv2d(X, F)
      Y[n,g,y,x] = max[k](c[n,(k g),y,x])
''', r'''
ops:
  - op: gated_by_parts
    types: {T: float}
    in: {X: "T[*P, (3 D)]"}
    out: {Y: "T[*P, D]"}
    body: |
      t = tanh(X)
      Y[*p,d] = t[*p,(0 d)]*t[*p,(1 d)] + t[*p,(2 d)]
''', r'''
ops:
  - op: sums_of_patches
    types: {T: float}
    in: {X: "T[N, C, (H 2), (W 2)]"}
    out: {Y: "T[N, C, H, W]"}
    body: |
      r = relu(X)
      Y[n,c,h,w] = sum[i,j](r[n,c,(h i),(w j)])
''', r'''
ops:
  - op: peaks_of_groups
    types: {T: float}
    attrs: {groups: int = 2}
    in: {X: "T[M, (G N)]"}
    let: {G: groups}
    require: [groups >= 1]
    out: {Y: "T[M, G]"}
    body: |
      s = softmax(X, axis=-1)
      c = cumsum(s, axis=-1)
      Y[m,g] = max[n](c[m,(g n)])
''', r'''
ops:
  - op: joined_side_by_side
    types: {T: float}
    in: {A: "T[M, N]", B: "T[M, N]"}
    out: {Y: "T[M, N]"}
    body: |
      j = concat(A, B, axis=1)
      Y[m,n] = j[m,(0 n)]*j[m,(1 n)]
''', r'''
ops:
  - op: pooled_at_once
    doc: results that keep dims of 1, read there
    types: {T: [f32, f64]}
    in: {X: "T[N, C, H, W]"}
    out: {Y: "T[N, C]", Z: "T[N]"}
    body: |
      t = relu(X)
      g = global_avgpool(t)
      m = mean(X, axes=[-2, -1], keepdims=true)
      a = max(X, axes=[1, 2, 3])
      Y[n,c] = g[n,c,0,0] - m[n,c,0,0]
      Z[n] = 2*a[n]
''']

BAD = [
    dict(why='two parts without a range', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[B, K]", W: "T[K, N]"}
    out: {Y: "T[B]"}
    body: |
      g = matmul(X, W)
      Y[b] = sum[«h»,«d»](g[b,«(h d)»])
'''),
    dict(why='a part that is computed', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[B, K]", W: "T[K, N]", S: "T[B, H]"}
    out: {Y: "T[B, H]"}
    body: |
      g = matmul(X, W)
      Y[b,h] = g[b,(«(b + 1)» h)]
'''),
    dict(why='three parts of a dim of two', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[B, (2 H)]"}
    out: {Y: "T[B, H]"}
    body: |
      g = relu(X)
      Y[b,h] = g[b,«(0 1 h)»]
'''),
    dict(why='a part past the last', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[B, (2 H)]"}
    out: {Y: "T[B, H]"}
    body: |
      g = relu(X)
      Y[b,h] = g[b,(«2» h)]
'''),
]


def cases(rng):
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for a, b, c in [(1, 1, 1), (3, 5, 7), (17, 2, 33), (4, 0, 3), (2, 3, 0)]:
            x = rand(rng, (a, b, c), key)
            t = wide(x).transpose(2, 0, 1)
            y = np.maximum(t[:, np.maximum(np.arange(a) - 1, 0)], np.concatenate([t[1:], 0*t[:1]]))
            yield dict(op='neighbours_turned', key=key, inputs=[x], want=[y, np.maximum.accumulate(t, 1)], tol=EXACT)
        for b, s, c, h, e in [(1, 1, 1, 1, 1), (2, 5, 3, 2, 4), (1, 17, 4, 3, 5), (0, 2, 3, 2, 2)]:
            x, w, d = rand(rng, (b, s, c), key, -1, 1), rand(rng, (c, 3*h*e), key, -1, 1), rand(rng, (e,), key, -1, 1)
            q = (wide(x) @ wide(w)).reshape(b, s, 3, h, e)
            z = np.einsum('bihd,bjhd,d->bhij', q[:, :, 0], q[:, :, 1], wide(d))
            y = np.einsum('bhij,bjhd->bihd', softmax(z), q[:, :, 2]).reshape(b, s, h*e)
            size = float(c*c*e)
            yield dict(op='heads_of_product', key=key, inputs=[x, w, d], attrs={'heads': h}, want=[y], tol=tol(ulp=4, acc=32*size, mid=8*size, mag=float(c)))
        x, w, d = rand(rng, (1, 2, 3), key), rand(rng, (3, 13), key), rand(rng, (2,), key)
        yield dict(op='heads_of_product', key=key, inputs=[x, w, d], attrs={'heads': 2}, error='no such heads', out=[(key, (1, 2, 4))])
        for b, k, h in [(1, 1, 1), (3, 5, 17), (2, 33, 4), (0, 3, 2), (2, 0, 3)]:
            x, w, s = rand(rng, (b, k), key, -1, 1), rand(rng, (k, 3*h), key, -1, 1), rand(rng, (b, h), key)
            g = (wide(x) @ wide(w)).reshape(b, 3, h)
            z = 1/(1 + np.exp(-g[:, 0]))
            yield dict(op='gates_of_product', key=key, inputs=[x, w, s], want=[(1 - z)*wide(s) + z*np.tanh(g[:, 1])*g[:, 2]],
                       tol=tol(ulp=8, acc=16*k + 16, mid=4, mag=float(k*k + 2)))
        for n, c, g, h, w, r in [(1, 1, 1, 1, 1, 1), (2, 3, 2, 5, 6, 3), (1, 2, 17, 4, 4, 2)]:
            x, f = rand(rng, (n, c, h, w), key, -1, 1), rand(rng, (2*g, c, r, r), key, -1, 1)
            view = np.lib.stride_tricks.sliding_window_view(wide(x), (r, r), (2, 3))
            y = np.einsum('ncyxij,fcij->nfyx', view, wide(f)).reshape(n, 2, g, h - r + 1, w - r + 1).max(1)
            yield dict(op='pairs_of_channels', key=key, inputs=[x, f], want=[y], tol=tol(ulp=2, acc=4*c*r*r, mid=2, mag=float(c*r*r)))
        for shape in [(3,), (5, 6), (2, 3, 51), (1, 2, 1, 2, 2, 9), (2, 0)]:
            x = rand(rng, shape, key)
            t = np.tanh(wide(x)).reshape(*shape[:-1], 3, shape[-1]//3)
            yield dict(op='gated_by_parts', key=key, inputs=[x], want=[t[..., 0, :]*t[..., 1, :] + t[..., 2, :]], tol=tol(ulp=4, acc=8, mid=4, mag=2.0))
        for n, c, h, w in [(1, 1, 1, 1), (2, 3, 2, 9), (1, 0, 3, 2)]:
            x = rand(rng, (n, c, 2*h, 2*w), key)
            yield dict(op='sums_of_patches', key=key, inputs=[x], want=[np.maximum(wide(x), 0).reshape(n, c, h, 2, w, 2).sum((3, 5))], tol=tol(ulp=2, acc=8, mag=8.0))
        for m, g, n in [(1, 1, 1), (3, 2, 17), (5, 4, 3)]:
            x = rand(rng, (m, g*n), key)
            c = np.cumsum(softmax(wide(x)), 1).reshape(m, g, n)
            yield dict(op='peaks_of_groups', key=key, inputs=[x], attrs={'groups': g}, want=[c.max(2)], tol=tol(ulp=4, acc=8*g*n, mid=g*n, mag=1.0))
        for m, n in [(1, 1), (3, 17), (0, 4), (5, 0)]:
            a, b = rand(rng, (m, n), key), rand(rng, (m, n), key)
            yield dict(op='joined_side_by_side', key=key, inputs=[a, b], want=[wide(a)*wide(b)], tol=tol(ulp=1))
    for key in ('f32', 'f64'):
        for n, c, h, w in [(1, 1, 1, 1), (2, 3, 5, 7), (0, 2, 3, 3), (3, 17, 2, 9)]:
            x = rand(rng, (n, c, h, w), key)
            yield dict(op='pooled_at_once', key=key, inputs=[x], tol=tol(ulp=2, acc=4*h*w + 8, mag=4.0),
                       want=[(np.maximum(wide(x), 0) - wide(x)).mean((2, 3)), 2*wide(x).max((1, 2, 3))])
