"""Calls of ops within ops, and names: values of several bodies that have one name, operands that change between two calls, and names of
definitions that are also those of what kernels are made with: strides, operands, blocks of loops, numbers of steps."""
import itertools

import numpy as np

from casekit import EXACT, tol, wide

OPS = r'''
ops:
  - op: bent_product
    types: {T: [f32]}
    in: {X: "T[M, K]", W: "T[K, N]"}
    out: {Y: "T[M, N]"}
    body: |
      h = matmul(X, W)
      u[m,n] = h[m,n]*h[m,n]
      Y[m,n] = exp(-u[m,n]) + h[m,n]
  - op: bent_three_times
    doc: the values of its own are called as those of the op that it calls
    types: {T: [f32]}
    in: {X: "T[M, K]", W: "T[K, K]", V: "T[K, K]"}
    out: {Y: "T[M, K]"}
    body: |
      h = bent_product(X, W)
      u = bent_product(h, V)
      Y = bent_product(u, W)
  - op: convolved_again
    doc: the filters change between two convolutions
    types: {T: [f32]}
    in: {X: "T[B, 2, H, W]", F: "T[4, 2, 3, 3]", At: "i64[L]"}
    require: [H >= 3, W >= 3, B >= 1]
    out: {Y: "T[B, 4, H, W]", Z: "T[B, 4, H, W]"}
    body: |
      f[o,c,r,s] = F[o,c,r,s]
      Y = conv2d(X, f, pads=[1, 1, 1, 1])
      f[wrap(At[l], 4),c,r,s] *= 2
      Z = conv2d(X, f, pads=[1, 1, 1, 1])
  - op: named_like_operands
    doc: values of the body have the names of operands
    types: {T: [f32]}
    in: {X...: "T[K, D...]"}
    let: {N: sum_of(D)}
    out: {Y: "T[K, N]", Z: "T[K, N]"}
    body: |
      X2[k,offset(D) + d] = X[k,d]*2
      X0 = softmax(X2, axis=1)
      X1[k,n] = X0[k,n]*X2[k,n]
      Y[k,n] = X1[k,n] + X0[k,n]
      Z[k,n] = X2[k,n]
  - op: named_like_strides
    doc: extents have the names of strides
    types: {T: [f32]}
    in: {X: "T[X_s0, X_s1]", W: "T[X_s1]"}
    out: {Y: "T[X_s0]"}
    body: Y[i] = sum[j](X[i,j]*W[j])
  - op: named_like_dims
    doc: extents have the names of the dims of a pack
    types: {T: [f32]}
    attrs: {axis: int = 0, by: "int[*S] = 1", by_0: int = 2}
    in: {X: "T[*P, N@axis, *Q]", Z: "T[*S]", W: "T[P_outer, P_base, S_rank, S_0]"}
    out: {Y: "T[*P, N@axis, *Q]", V: "T[*S]", U: "T[P_outer]"}
    body: |
      m[*p,*q] = max[n](X[*p,n,*q])
      Y[*p,n,*q] = X[*p,n,*q] - m[*p,*q]
      V[*s] = padded(Z[*(s - by)], 7)*by_0
      U[i] = sum[j,k,l](W[i,j,k,l])
  - op: named_like_operands_and_steps
    doc: a variable and attributes have the names of what tells which operands there are
    types: {T: [f32]}
    attrs: {X1_given: int = 3, sum_of_D: int = 5}
    in: {X...: "T[K]"}
    let: {N: count(X)}
    out: {Y: "T[N, K]"}
    body: Y[operand(X),at_X1] = X[at_X1]*X1_given + sum_of_D
  - op: named_like_told
    doc: results have the names of what tells an extent
    types: {T: [f32]}
    in: {X: "T[N]"}
    let: {M: upto(N)}
    out: {Y: "T[M]", M_told: "i64[]", M_extent: "T[]"}
    body: |
      M = sum[i](cast(X[i] > 0, i64))
      c[i] = sum[k : k < i](cast(X[k] > 0, i64))
      M_told[] = sum[i](cast(X[i] < 0, i64))
      M_extent[] = max[i](X[i])
      Y[m] = 0
      Y[clamp(c[i], 0, M - 1)] last= X[i] where X[i] > 0
  - op: named_like_blocks
    doc: the variable of the rows has the name of a block of columns
    types: {T: [i8]}
    in: {X: "T[R, N]"}
    require: [N >= 1]
    out: {Y: "i64[R]"}
    body: Y[k_block] = argmax[k](X[k_block,k])
  - op: named_like_rows
    doc: variables have the names of blocks of rows and of their elements
    types: {T: [f32]}
    in: {X: "T[R, N]"}
    out: {Y: "T[R, N]"}
    body: |
      most[i] = max[j](X[i,j])
      total[i] = sum[i_block](exp(X[i,i_block] - most[i]))
      Y[i,i_element] = exp(X[i,i_element] - most[i])/total[i]
  - op: named_like_runs
    doc: variables have the names of loops over runs of elements at a step
    types: {T: [f32]}
    in: {X: "T[B, N]", W: "T[K, C]"}
    require: [K >= 1]
    let: {L: "(N - 1)*2 + K"}
    out: {Y: "T[B, C, L]"}
    body: "Y[run,element,y] = sum[step_0 : (y - step_0) % 2 == 0](padded(X[run,(y - step_0)//2], 0)*W[step_0,element])"
'''


def bent(x, w):
    h = x @ w
    return np.exp(-h*h) + h


def convolved(x, f):
    x = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    h, w = x.shape[2] - 2, x.shape[3] - 2
    return sum(np.einsum('bchw,oc->bohw', x[:, :, r:r + h, s:s + w], f[:, :, r, s]) for r, s in itertools.product(range(3), range(3)))


def cases(rng):
    for m, k in ((1, 1), (5, 7), (17, 33), (50, 70)):
        x, w, v = (rng.uniform(0, 2/k, s).astype('f4') for s in ((m, k), (k, k), (k, k)))
        want = bent(bent(bent(wide(x), wide(w)), wide(v)), wide(w))
        yield dict(op='bent_three_times', key='f32', inputs=[x, w, v], want=[want], tol=tol(ulp=64, acc=64, mag=2.0))
    for k, widths in ((3, (4,)), (2, (3, 5)), (4, (1, 2, 6)), (2, (2, 2, 2, 2))):
        parts = [rng.uniform(-1, 1, (k, n)).astype('f4') for n in widths]
        twice = 2*np.concatenate([wide(x) for x in parts], 1)
        soft = np.exp(twice)/np.exp(twice).sum(1, keepdims=True)
        yield dict(op='named_like_operands', key='f32', inputs=parts + [None]*(8 - len(parts)), want=[soft*twice + soft, twice], tol=tol(ulp=16, acc=16, mag=2.0))
    for b, h, w in ((1, 3, 3), (2, 7, 9), (3, 5, 17)):
        x, f, at = rng.uniform(-1, 1, (b, 2, h, w)).astype('f4'), rng.uniform(-1, 1, (4, 2, 3, 3)).astype('f4'), rng.integers(-4, 4, 3)
        later = wide(f)*2.0**np.bincount(at % 4, minlength=4)[:, None, None, None]
        yield dict(op='convolved_again', key='f32', inputs=[x, f, at], want=[convolved(wide(x), wide(f)), convolved(wide(x), later)], tol=tol(ulp=4, acc=32, mag=18.0))
    yield from named(rng)


def named(rng):
    def f(*shape):
        return rng.integers(-8, 9, shape).astype('f4')
    for m, n in ((1, 1), (5, 7), (40, 33)):
        x, w = f(m, n), f(n)
        yield dict(op='named_like_strides', key='f32', inputs=[x, w], want=[x @ w], tol=EXACT)
    for shape, axis, by in (((2, 3, 5), 1, [1, 0]), ((7,), 0, [0, 2]), ((4, 6), 1, [1, 1])):
        x, z, w = f(*shape), f(4, 5), f(3, 2, 4, 5)
        moved = np.full_like(z, 7)
        moved[by[0]:, by[1]:] = z[:4 - by[0], :5 - by[1]]
        yield dict(op='named_like_dims', key='f32', attrs=dict(axis=axis, by=by, by_0=3), inputs=[x, z, w],
                   want=[x - x.max(axis, keepdims=True), moved*3, w.sum((1, 2, 3))], tol=EXACT)
    for count in (1, 2, 8):
        x = f(count, 5)
        yield dict(op='named_like_operands_and_steps', key='f32', attrs=dict(X1_given=4), inputs=list(x) + [None]*(8 - count), want=[x*4 + 5], tol=EXACT)
    for n in (3, 20, 70):
        x = f(n)
        yield dict(op='named_like_told', key='f32', inputs=[x], want=[x[x > 0], np.array((x < 0).sum()), np.array(x.max())],
                   dtypes=['f32', 'i64', 'f32'], room=[(n,), (), ()], tol=EXACT)
    for r, n in ((5, 9), (3, 1000), (2, 20000)):
        x = rng.integers(-100, 101, (r, n)).astype('i1')
        yield dict(op='named_like_blocks', key='i8', inputs=[x], want=[x.argmax(1)], dtypes=['i64'], tol=EXACT)
    for r, n in ((50, 3), (70, 9), (3, 100)):
        x = rng.uniform(-1, 1, (r, n)).astype('f4')
        e = np.exp(wide(x))
        yield dict(op='named_like_rows', key='f32', inputs=[x], want=[e/e.sum(1, keepdims=True)], tol=tol(ulp=16, acc=16, mag=1.0))
    for b, n, k, c in ((1, 1, 1, 1), (3, 20, 3, 4), (2, 33, 4, 1)):
        x, w, y = f(b, n), f(k, c), np.zeros((b, c, 2*n - 2 + k), 'f4')
        for i in range(k):
            y[:, :, i:i + 2*n - 1:2] += x[:, None]*w[i][:, None]
        yield dict(op='named_like_runs', key='f32', inputs=[x, w], want=[y], tol=EXACT)
