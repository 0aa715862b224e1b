"""Sizes that some inputs stretch to and others have, sums over nothing, intermediates that are begun with numbers alone."""
import numpy as np

from casekit import EXACT, available, rand, tol, wide

OPS = r'''
ops:
  - op: bmm_any
    types: {T: number}
    in:
      A: T[~*P, M, K]
      B: T[~*P, K, N]
      C?: T[~*P, ~M, ~N]
    out: {Y: "T[*P, M, N]", D: "T[*P]"}
    index: {d: "min(M, N)"}
    body: |
      t[*p,m,n] = sum[k](A[*p,m,k]*B[*p,k,n])
      Y[*p,m,n] = t[*p,m,n] + opt(C[*p,m,n], 0)
      D[*p] = sum[d](t[*p,d,d])

  - op: thin
    types: {T: number}
    in:
      A: T[M, K]
      B: T[K, N]
      C?: T[~M, ~N]
    out: {Y: "T[M, N]"}
    body: Y[m,n] = sum[k](A[m,k]*B[k,n]) + opt(C[m,n], 0)

  - op: rows_of_all
    types: {T: number}
    in:
      A: T[~*P, M, K]
      B: T[~*P, K, N]
      S?: T[N]
    out: {Y: "T[*P, M, N]"}
    body: Y[*p,m,n] = sum[k](A[*p,m,k]*B[*p,k,n]) + opt(S[n], 0)

  - op: paired
    types: {T: float}
    in: {A: "T[~*P, K]", B: "T[E]"}
    let: {E: 2*K}
    out: {Y: "T[*P, E]"}
    body: Y[*p,e] = A[*p,e//2]*B[e]

  - op: summed_beside
    types: {T: number}
    attrs: {count: int = 2}
    in: {X: "T[N, ~*S]", Z: "T[~*S]"}
    let: {M: count}
    require: [count >= 0]
    out: {Y: "T[M, *S]"}
    body: Y[m,*s] = sum[n](X[n,*s]) + Z[*s]

  - op: scaled_sum
    types: {T: number}
    in:
      A: T[~*B, D]
      W?: T[D]
      P: T[~*B]
    out: {Y: "T[*B]"}
    body: Y[*b] = P[*b] + sum[d](A[*b,d]*opt(W[d], 1))

  - op: chosen_along
    doc: rows of elements of several sizes that short lines share
    types: {T: [u8, i32, f64]}
    in: {C: "bool[~*S]", A: "T[~*S]", B: "T[~*S]", D: "i64[~*S]"}
    out: {Y: "T[*S]"}
    body: Y[*s] = select(C[*s], A[*s], B[*s]) + cast(D[*s], T)

  - op: scaled_along
    types: {T: number}
    attrs: {axis: int = -1}
    in: {X: "T[~*P, D@axis, ~*Q]", W: "T[~*P, ~*Q]"}
    out: {Y: "T[*P, D@axis, *Q]"}
    body: Y[*p,d,*q] = X[*p,d,*q]*W[*p,*q]

  - op: weighted_total
    types: {T: float}
    in:
      X: T[*S]
      W?: T[~*S]
      V?: T[~*S]
    let: {Z: size(S)}
    out: {Y: "T[]", Most: "T[]"}
    body: |
      Y[] = sum[*s](opt(W[*s], 1)*X[*s]*opt(V[*s], 1))/max(Z, 1)
      Most[] = max[*s](opt(W[*s], 1)*X[*s])

  - op: factor_of_all_rows
    types: {T: float}
    attrs: {by: T = 0.5}
    in: {X: "T[M, N]"}
    out: {Y: "T[M]", High: "T[M]", Ones: "T[M]"}
    body: |
      f[m] = exp(by)
      one[m] = 1
      Y[m] = sum[n](X[m,n]*f[m])
      High[m] = max[n](X[m,n] - f[m])*f[m]
      Ones[m] = sum[n](X[m,n] + one[m])

  - op: shifted_codes
    types: {T: [f32, f16], U: [i8, u8]}
    in:
      X: U[*S]
      S: T[~*S]
      Z?: U[~*S]
    out: {Y: "T[*S]"}
    body: Y[*s] = cast(cast(X[*s], i32) - cast(opt(Z[*s], 0), i32), T)*S[*s]

  - op: double_centre
    types: {T: float}
    in: {X: "T[*B, M, N]"}
    out: {Y: "T[*B, M, N]", Rows: "T[*B, M]", Cols: "T[*B, N]", All: "T[*B]"}
    body: |
      Rows[*b,m] = sum[j](X[*b,m,j])/max(N, 1)
      Cols[*b,n] = sum[i](X[*b,i,n])/max(M, 1)
      All[*b] = sum[i](Rows[*b,i])/max(M, 1)
      Y[*b,m,n] = X[*b,m,n] - Rows[*b,m] - Cols[*b,n] + All[*b]

  - op: edge_softmax
    types: {T: float, I: index}
    attrs: {nodes: int}
    in: {E: "T[M, H]", To: "I[M]", From: "I[M]", V: "T[N, H, D]"}
    require: [nodes >= 1, nodes == N]
    index: {v: nodes}
    out: {A: "T[M, H]", Y: "T[nodes, H, D]"}
    body: |
      top[v,h] = -inf
      top[wrap(To[e], nodes), h] max= E[e,h]
      w[e,h] = exp(E[e,h] - top[wrap(To[e], nodes),h])
      z[v,h] = 0
      z[wrap(To[e], nodes), h] += w[e,h]
      A[e,h] = w[e,h]/z[wrap(To[e], nodes),h]
      Y[wrap(To[e], nodes),h,d] += A[e,h]*V[wrap(From[e], N),h,d]
'''
F = ('f32', 'f64', 'f16', 'bf16')


def product_and_trace(a, b, c):
    t = np.matmul(a, b)
    return t + (0 if c is None else c), np.trace(t, axis1=-2, axis2=-1)


def products(rng, key):
    for a, b, c in [((3, 4), (4, 5), None), ((2, 3, 4), (4, 5), (1, 5)), ((2, 1, 3, 7), (5, 7, 2), (3, 1)), ((1, 17, 16), (3, 16, 33), (3, 1, 1)),
                    ((2, 0, 3), (3, 2), None), ((2, 3, 0), (0, 2), (3, 2))]:
        x = [None if s is None else rand(rng, s, key) for s in (a, b, c)]
        y = product_and_trace(*map(wide, x))
        m = product_and_trace(*[None if v is None else abs(wide(v)) for v in x])
        rules = EXACT if key[0] in 'iu' else [tol(ulp=1, acc=a[-1] + 20, mid=2, mag=v) for v in m]
        yield dict(op='bmm_any', key=key, inputs=x, want=[v.astype(x[0].dtype) for v in y] if rules is EXACT else y, tol=rules)
    yield dict(op='bmm_any', key=key, inputs=[rand(rng, (1, 4), key), rand(rng, (4, 5), key), rand(rng, (3, 5), key)], out=[(key, (3, 5)), (key, ())],
               error='what is added has more rows than there are')


def shared_right(rng, key):
    """One matrix multiplies the rows of many, which are rows of one where they go on; and neighbours of these cases."""
    for a, b in [((3, 4, 5), (5, 6)), ((2, 3, 7, 33), (1, 33, 17)), ((9, 1, 40), (40, 70)), ((6, 1, 1), (1, 3)), ((2, 1, 5, 8), (3, 8, 4)), ((2, 3, 2, 9), (2, 1, 9, 4)),
                 ((2, 3, 2, 9), (3, 9, 4)), ((4, 9), (3, 9, 5)), ((3, 0, 2), (2, 2)), ((0, 2, 3), (3, 2)), ((3, 2, 0), (0, 2)), ((1, 5, 6), (6, 2)), ((40, 3, 3), (3, 1))]:
        x = [rand(rng, a, key), rand(rng, b, key), rand(rng, b[-1:], key) if len(a) == 3 else None]
        y, mag = (np.matmul(f(wide(x[0])), f(wide(x[1]))) + (0 if x[2] is None else f(wide(x[2]))) for f in (lambda v: v, abs))
        exact = key[0] in 'iu'
        for at in (0, 1):  # as a part of a larger one too: its matrices do not go on
            whole = np.zeros((*a[:-2], a[-2] + at, a[-1]), x[0].dtype)
            whole[..., :a[-2], :] = x[0]
            yield dict(op='rows_of_all', key=key, inputs=[whole[..., :a[-2], :], *x[1:]], want=[y.astype(x[0].dtype) if exact else y],
                       tol=EXACT if exact else tol(ulp=1, acc=a[-1] + 20, mid=2, mag=mag))


def thin(rng, key):
    """Few rows or columns: bodies of their own, by the layout; what is added is a row, a column or dense."""
    for m, k, n in [(1, 37, 70), (1, 300, 131), (3, 70, 20), (70, 37, 1), (300, 5, 1), (1, 1, 1), (4, 130, 9), (9, 130, 4), (1, 0, 70), (0, 3, 1), (1, 64, 260)]:
        for s in (None, (1, n), (m, 1), (m, n)):
            a, b = rand(rng, (m, k), key), rand(rng, (k, n), key)
            c = None if s is None else rand(rng, s, key)
            y = np.matmul(wide(a), wide(b)) + (0 if c is None else wide(c))
            mag = np.matmul(abs(wide(a)), abs(wide(b))) + (0 if c is None else abs(wide(c)))
            exact = key[0] in 'iu'
            yield dict(op='thin', key=key, inputs=[a, b, c], want=[y.astype(a.dtype) if exact else y], tol=EXACT if exact else tol(ulp=1, acc=k + 20, mid=2, mag=mag))


def centred(rng, key):
    for s in [(1, 1), (3, 17), (17, 3), (2, 5, 33), (2, 2, 16, 16), (0, 3), (3, 0)]:
        x = rand(rng, s, key)
        w = wide(x)
        rows, columns = w.sum(-1)/max(s[-1], 1), w.sum(-2)/max(s[-2], 1)
        total = rows.sum(-1)/max(s[-2], 1)
        y = w - rows[..., None] - columns[..., None, :] + total[..., None, None]
        yield dict(op='double_centre', key=key, inputs=[x], want=[y, rows, columns, total], tol=tol(ulp=1, acc=60, mid=6, mag=2.0))


def edges(rng, key):
    for m, n, h, d in [(1, 1, 1, 1), (20, 5, 2, 3), (40, 33, 1, 17), (0, 3, 2, 2)]:
        e, v = rand(rng, (m, h), key), rand(rng, (n, h, d), key)
        to, start = rng.integers(0, n, m), rng.integers(0, n, m)
        a, y, mag = np.zeros((m, h)), np.zeros((n, h, d)), np.zeros((n, h, d))
        for t in range(n):
            if (to == t).any():
                p = np.exp(wide(e)[to == t] - wide(e)[to == t].max(0))
                a[to == t] = p/p.sum(0)
        for k in range(m):
            y[to[k]] += a[k][:, None]*wide(v)[start[k]]
            mag[to[k]] += abs(a[k][:, None]*wide(v)[start[k]])
        yield dict(op='edge_softmax', key=key, inputs=[e, to.astype(np.int32), start.astype(np.int32), v], attrs={'nodes': n}, want=[a, y],
                   tol=[tol(ulp=2, acc=40, mid=8, mag=1.0), tol(ulp=2, acc=60, mid=20, mag=mag + 1e-3)])


def neighbours(rng, key):
    """The output has a dimension in front of dimensions that inputs stretch to."""
    for x, z, m in [((6, 3, 5), (5,), 2), ((6, 1, 5), (3, 1), 3), ((4, 7), (2, 3, 7), 2), ((2,), (3, 2), 1), ((0, 3), (2, 1), 2), ((3, 4), (4,), 0), ((5, 2, 1, 3, 1, 2), (1, 4, 1, 5, 2), 2)]:
        a, b = rand(rng, x, key), rand(rng, z, key)
        y, mag = wide(a).sum(0) + wide(b), abs(wide(a)).sum(0) + abs(wide(b))
        y, mag = (np.broadcast_to(v, (m, *v.shape)) for v in (y, mag))
        exact = key[0] in 'iu'
        yield dict(op='summed_beside', key=key, inputs=[a, b], attrs={'count': m}, want=[y.astype(a.dtype) if exact else y], tol=EXACT if exact else tol(ulp=1, acc=x[0] + 2, mag=mag))


def weighted(rng, key):
    """A size is in an input that is always there and stretches, and in one that may be absent."""
    for a, w, p in [((7, 12), None, (7,)), ((7, 12), (12,), (7,)), ((3, 1, 5), None, (4,)), ((2, 0), (0,), (1,)), ((4,), None, (3,))]:
        x = [None if s is None else rand(rng, s, key) for s in (a, w, p)]
        terms = wide(x[0])*(1 if w is None else wide(x[1]))
        y, mag = terms.sum(-1) + wide(x[2]), abs(terms).sum(-1) + abs(wide(x[2]))
        exact = key[0] in 'iu'
        yield dict(op='scaled_sum', key=key, inputs=x, want=[y.astype(x[0].dtype) if exact else y], tol=EXACT if exact else tol(ulp=1, acc=a[-1] + 2, mag=mag))


def along(rng, key):
    """An axis between dimensions that inputs stretch to: where it is follows from the rank of the input that has it."""
    for x, w, axis in [((2, 4, 3), (2, 3), 1), ((2, 4, 3), (1, 3), -2), ((4, 3), (5, 3), -2), ((4, 1), (5, 3), -2), ((6, 4), (6,), -1), ((1, 4), (6,), -1),
                       ((3, 4, 2, 5), (3, 1, 5), 1), ((4,), (2,), -1), ((2, 0, 3), (2, 3), 1)]:
        a, b = rand(rng, x, key), rand(rng, w, key)
        behind = len(x) - 1 - axis % len(x)
        y = wide(a)*np.expand_dims(wide(b), len(w) - behind)
        yield dict(op='scaled_along', key=key, inputs=[a, b], attrs={'axis': axis}, want=[y.astype(a.dtype) if key[0] in 'iu' else y],
                   tol=EXACT if key[0] in 'iu' else tol(ulp=1, acc=2 if key[0] == 'c' else 0, mag=abs(y)*2))


def totals(rng, key):
    """Factors that are repeated or absent: dimensions merge as far as all of them allow."""
    for x, w, v in [((3, 17), None, None), ((3, 17), (17,), None), ((4, 3, 5), (3, 1), (5,)), ((2, 3, 4, 5), (4, 5), (2, 1, 1, 1)), ((70, 2), None, (1,)), ((), (), None),
                    ((1, 33, 1), (33, 1), ()), ((2, 1, 3, 1, 2), None, (3, 1, 1)), ((0, 3), (3,), None), ((2, 3, 2, 2, 3), (1, 3, 1, 2, 1), (2, 1, 2, 1, 3))]:
        a = [None if s is None else rand(rng, s, key) for s in (x, w, v)]
        some = wide(a[0])*(1 if w is None else wide(a[1]))
        terms = some*(1 if v is None else wide(a[2]))
        yield dict(op='weighted_total', key=key, inputs=a, want=[np.asarray(terms.sum()/max(terms.size, 1)), np.asarray(some.max(initial=-np.inf))],
                   tol=[tol(ulp=1, acc=terms.size + 8, mid=3, mag=float(abs(terms).max(initial=0))), tol(ulp=2)])


def codes(rng, key):
    for x, s, z in [((40,), (), None), ((40,), (), ()), ((3, 37), (3, 1), (3, 1)), ((3, 37), (37,), None), ((2, 3, 16), (), (3, 1)), ((3, 20), (3, 20), (3, 20))]:
        a, b = rand(rng, x, 'u8'), rand(rng, s, key)
        c = None if z is None else rand(rng, z, 'u8')
        y = (a.astype(np.int32) - (0 if c is None else c.astype(np.int32)))*wide(b)
        yield dict(op='shifted_codes', key=key, inputs=[a, b, c], want=[y], tol=tol(ulp=1))


def of_all_rows(rng, key):
    """Intermediates of each row that have the same value for all rows."""
    for s in [(1, 3), (16, 5), (37, 8), (40, 13), (9, 100), (0, 4), (5, 1)]:
        x = rand(rng, s, key)
        w, f = wide(x), np.exp(wide(np.array(.5)))
        high = (w - f).max(-1)*f if s[0] else np.zeros(0)
        yield dict(op='factor_of_all_rows', key=key, inputs=[x], want=[(w*f).sum(-1), high, (w + 1).sum(-1)],
                   tol=[tol(ulp=4, acc=s[1] + 4, mid=4, mag=(abs(w)*f).sum(-1)), tol(ulp=4, mid=8, mag=(abs(w).max(-1, initial=0) + f)*f),
                        tol(ulp=2, acc=s[1] + 4, mid=2, mag=(abs(w) + 1).sum(-1))])


def cases(rng):
    for key in (*available(*F), 'i8', 'u32', 'c64'):
        yield from products(rng, key)
        yield from thin(rng, key)
        yield from neighbours(rng, key)
        yield from weighted(rng, key)
        yield from along(rng, key)
    for key in ('f32', 'f16'):
        yield from codes(rng, key)
    for key in available(*F):
        yield from totals(rng, key)
        yield from of_all_rows(rng, key)
        yield from centred(rng, key)
        yield from edges(rng, key)
        for s in [(5,), (3, 17), (2, 3, 4), (0, 3)]:
            x, b = rand(rng, s, key), rand(rng, (2*s[-1],), key)
            yield dict(op='paired', key=key, inputs=[x, b], want=[np.repeat(wide(x), 2, -1)*wide(b)], tol=tol(ulp=1))
    for key, dtype in (('u8', 'u1'), ('i32', 'i4'), ('f64', 'f8')):
        for s, c, a, b, d in (((8, 3), (3,), (1, 3), (8, 3), (3,)), ((5, 7), (7,), (5, 7), (7,), (5, 7)), ((4, 3, 3), (3,), (1, 3), (4, 3, 3), ()),
                              ((6, 5), (6, 5), (5,), (5,), (6, 1))):
            c, d = rng.random(c) < 0.5, rng.integers(0, 9, d)
            a, b = (rng.integers(0, 50, x).astype(dtype) for x in (a, b))
            yield dict(op='chosen_along', key=key, inputs=[c, a, b, d], want=[np.broadcast_to(np.where(c, a, b) + d, s).astype(dtype)], tol=EXACT)
