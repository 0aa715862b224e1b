"""Outputs that decide what comes next: divisors, ends of ranges, conditions, extents; folds of every type; updates one after the other; boxes and scans."""
import numpy as np

from casekit import EXACT, available, np_dtype, rand, tol, wide

OPS = [r'''
ops:
  - op: rest_by_output
    doc: a divisor that is an output, checked before anything is stored
    types: {T: int}
    in: {X: "T[*S]", D: "T[*S]"}
    out: {Q: "T[*S]", R: "i64[*S]", E: "T[*S]"}
    body: |
      E[*s] = bit_and(D[*s], 3)
      R[*s] = cast(X[*s], i64) % cast(E[*s], i64)
      Q[*s] = X[*s]//E[*s]
''', r'''
ops:
  - op: shares_of_ranges
    doc: ranges whose ends are outputs, made from lengths
    types: {T: [f32, i32, c64], I: index}
    in: {Len: "I[M]", X: "T[E]"}
    out: {At: "i64[M]", S: "T[M]", Top: "bool[M]", N: "i64[M]"}
    body: |
      At[m] = sum[k : k < m](Len[k])
      S[m] = sum[e in At[m] .. At[m] + Len[m]](X[e])
      Top[m] = any[e in At[m] .. At[m] + Len[m] : e % 3 == 0](X[e] != 0)
      N[m] = sum[e in At[m] .. At[m] + Len[m] : X[e] != 0](1)
''', r'''
ops:
  - op: drawn_lots
    doc: an extent counted from an output, places by another
    types: {T: real}
    attrs: {from: T = 1}
    in: {X: "T[N]"}
    let: {M: upto(N)}
    out: {Keep: "bool[N]", At: "i32[N]", Y: "T[M]", Back: "i64[M]"}
    body: |
      Keep[n] = X[n] >= from
      At[n] = cast(sum[k : k <= n](Keep[k]) - 1, i32)
      M = sum[n](Keep[n])
      Y[wrap(At[n], M)] last= X[n] where Keep[n]
      Back[wrap(At[n], M)] max= n where Keep[n]
''', r'''
ops:
  - op: updates_in_turn
    doc: four updates of one value, each over what the ones before left
    types: {T: [i8, i32, u16, f64], I: index}
    in: {X: "T[N]", P: "I[N]", Q: "I[K]", D: "T[K]"}
    out: {Y: "T[K]", Z: "T[K]"}
    body: |
      Y[k] = D[k]
      Y[wrap(P[n], K)] += X[n]
      Y[wrap(Q[k], K)] *= 2
      Y[wrap(P[n], K)] max= X[n] where n % 2 == 0
      Y[wrap(P[n], K)] min= 5 where X[n] > 1
      Z[k] = Y[k] - D[k]
      Z[wrap(Q[k], K)] last= Y[k] where Y[k] > D[k]
''', r'''
ops:
  - op: folded_types
    doc: folds of truth, of complex numbers and of bytes, over packs and under conditions
    types: {T: [f32, f64]}
    in: {X: "T[*P, N]", B: "u8[N]"}
    out: {Odd: "bool[*P]", Z: "complex(T)[*P]", C: "u8[]", L: "i64[*P]"}
    body: |
      Odd[*p] = fold[n](a = false, (a and not (X[*p,n] > 0)) or (not a and X[*p,n] > 0))
      Z[*p] = fold[n : B[n] > 9](z = complex(X[*p,n], 0*X[*p,n]), z)*0 + fold[n : B[n] > 9](z = complex(cast(1, T), cast(0, T)), complex(cast(0, T), cast(0.5, T))*z + X[*p,n])
      C[] = fold[n](c = cast(7, u8), bit_xor(shl(c, 1), B[n]) + cast(n, u8))
      L[*p] = fold[n : n > 0](a = 1, select(X[*p,n] > 0, 2*a, a + 3) % 1009)
'''.replace("fold[n : B[n] > 9](z = complex(X[*p,n], 0*X[*p,n]), z)*0 + ", ""), r'''
ops:
  - op: nested_folds
    doc: a fold in a fold, whose start is the one outside
    types: {T: [i32, u64]}
    in: {X: "T[M, N]", W: "T[N, K]"}
    out: {Y: "T[M]"}
    body: |
      Y[m] = fold[n](a = cast(1, T), fold[k : k <= n](b = a + X[m,n], 3*b + W[n,k])*5 + a)
''', r'''
ops:
  - op: walks_on_a_line
    doc: accumulators that become negative and index what is clamped, and that decide what a checked index reads
    types: {T: [i8, i32, i64]}
    in: {S: "T[N]", X: "i64[K]", I: "i32[K]"}
    require: [N >= 1]
    index: {b: 9}
    out: {Y: "i64[K]", Z: "i64[K]", W: "i64[K]", V: "i64[K]", U: "T[K]"}
    body: |
      Y[k] = fold[b](a = X[k], a + S[clamp(a, 0, N - 1)])
      Z[k] = fold[b](a = 0, select(a < 4, a + S[clamp(a - 1, 0, N - 1)], a - b))
      W[k] = fold[b](a = 0, select(a % 2 == 0, a + S[wrap(I[k], N)], a - 3))
      V[k] = fold[b](a = X[k], 2*S[S[clamp(a, 0, N - 1)] % N] - a)
      U[k] = fold[b](a = cast(k % 7, T), a + S[a % N] - S[(a - 1) % N] - 1)
''', r'''
ops:
  - op: boxes_by_distance
    doc: sums and extremes over boxes around each place, of a radius by the call
    types: {T: [f32, i32, f16]}
    attrs: {r: int = 1}
    require: [r >= 0]
    in: {X: "T[*P, H, W]"}
    out: {S: "T[*P, H, W]", M: "T[*P, H, W]", C: "i32[H, W]", D: "T[*P, H, W]"}
    body: |
      S[*p,y,x] = sum[i,j : abs(i - y) <= r and abs(j - x) <= r](X[*p,i,j])
      M[*p,y,x] = max[i,j : y - r <= i <= y + r and x <= j <= x + r](X[*p,i,j])
      C[y,x] = cast(sum[i,j : abs(i - y) + abs(j - x) <= r](1*(i + 1 > 0)), i32)
      D[*p,y,x] = sum[i,j : i <= y and j >= x](X[*p,i,j])
'''.replace("(1*(i + 1 > 0))", "(X0[i,j])").replace('in: {X: "T[*P, H, W]"}', 'in: {X: "T[*P, H, W]", X0: "i32[H, W]"}'), r'''
ops:
  - op: scans_of_all_kinds
    doc: prefixes and suffixes along an axis by the call
    types: {T: [i32, u8, f32]}
    attrs: {axis: int = 0}
    in: {X: "T[*P, D@axis, *Q]"}
    out: {A: "T[*P, D, *Q]", B: "T[*P, D, *Q]", C: "bool[*P, D, *Q]", E: "i64[*P, D, *Q]", F: "T[*P, D, *Q]"}
    body: |
      A[*p,d,*q] = prod[k : k < d](X[*p,k,*q])
      B[*p,d,*q] = max[k : k >= d](X[*p,k,*q])
      C[*p,d,*q] = all[k : k <= d](X[*p,k,*q] > 0) and any[k : k > d](X[*p,k,*q] == 1)
      E[*p,d,*q] = argmin[k : k <= d](X[*p,k,*q])
      F[*p,d,*q] = sum[k : k > d](A[*p,k,*q]) + min[k : k <= d](B[*p,k,*q])
''', r'''
ops:
  - op: narrow_between
    doc: outputs of narrow types, read back as they are stored
    types: {T: [f16, bf16]}
    in: {X: "T[N]"}
    out: {Y: "T[N]", Z: "f32[N]", I: "i8[N]", J: "i32[N]", S: "T[]"}
    body: |
      Y[n] = X[n]/3
      Z[n] = 3*cast(Y[n], f32) - cast(X[n], f32)
      I[n] = cast(100*Y[n], i8)
      J[n] = 3*cast(I[n], i32)
      S[] = sum[n](cast(Y[n], f32))
'''.replace("sum[n](cast(Y[n], f32))", "sum[n](Y[n])"), r'''
ops:
  - op: whole_and_negative
    doc: quotients, rests and shifts of numbers of either sign, each type by itself
    types: {T: [int, uint]}
    in: {A: "T[*S]", B: "T[*S]"}
    out: {Q: "T[*S]", R: "T[*S]", L: "T[*S]", H: "T[*S]", M: "T[*S]", P: "i32[*S]", Z: "i32[*S]", N: "T[*S]"}
    body: |
      b[*s] = bit_or(B[*s], 1)
      Q[*s] = A[*s]//b[*s]
      R[*s] = A[*s] % b[*s]
      L[*s] = shl(A[*s], bit_and(B[*s], 7))
      H[*s] = shr(A[*s], bit_and(B[*s], 7))
      M[*s] = A[*s]*B[*s] - A[*s]
      P[*s] = cast(popcount(A[*s]), i32)
      Z[*s] = cast(clz(A[*s]), i32)
      N[*s] = bit_not(A[*s]) + min(A[*s], B[*s], b[*s]) - max(B[*s], A[*s])
''', r'''
ops:
  - op: sorted_places
    doc: outputs of templates as indices, conditions and arguments of others
    types: {T: [f32, i64]}
    attrs: {k: int = 2}
    require: [k >= 1, k <= N]
    let: {K: k}
    in: {X: "T[M, N]", W: "T[N]"}
    out: {S: "T[M, N]", At: "i64[M, N]", Y: "T[M, N]", V: "T[M, K]", Rank: "i64[M, N]"}
    body: |
      S, At = sort(X, axis=-1)
      Y[m,n] = W[wrap(At[m,n], N)]
      V, i = topk(Y, k=k)
      Rank[m,n] = -1
      Rank[m,wrap(At[m,n], N)] last= n where Y[m,n] >= V[m,k - 1]
''', r'''
ops:
  - op: paths_of_choices
    doc: the best path through a field, where it went, and how often each column was met
    types: {T: [f32, i32]}
    in: {C: "T[L, W]"}
    require: [L >= 1, W >= 1]
    out: {Best: "T[]", Path: "i64[L]", Met: "i32[W]", D: "T[L, W]"}
    body: |
      b[t,x] = min(padded(D[t - 1,x - 1], 32000), padded(D[t - 1,x], 32000), padded(D[t - 1,x + 1], 32000))
      D[t,x] = C[t,x] + select(t == 0, 0, b[t,x])
      from[t,x] = x + select(padded(D[t - 1,x - 1], 32000) == b[t,x], -1, select(padded(D[t - 1,x], 32000) == b[t,x], 0, 1))
      Best[], end[] = min_at[x](D[L - 1,x])
      Path[t] = select(t == L - 1, end[], padded(from[t + 1,clamp(padded(Path[t + 1], 0), 0, W - 1)], 0))
      Met[wrap(Path[t], W)] += 1
''', r'''
ops:
  - op: masked_extremes
    doc: extremes and their places where few or none are kept, in every type
    types: {T: real}
    in: {X: "T[M, N]", K: "bool[M, N]", L: "i32[M]"}
    require: [N >= 1]
    out: {Hi: "T[M]", Lo: "T[M]", A: "i64[M]", P: "T[M]", O: "u8[M]"}
    body: |
      Hi[m] = max[n : K[m,n] and n < L[m]](X[m,n])
      Lo[m] = min[n : n >= L[m]](X[m,n])
      A[m] = argmax[n : n == 0 or K[m,n]](X[m,n])
      P[m] = prod[n : K[m,n]](select(X[m,n] > 1, 2, 1))
      O[m] = bit_or[n : K[m,n]](cast(n % 256, u8))
''', r'''
ops:
  - op: gathered_by_two
    doc: elements by two indices from data at once, and added back where they came from
    types: {T: number, I: index}
    in: {X: "T[H, W, C]", Iy: "I[*P]", Ix: "I[*P]"}
    out: {Y: "T[*P, C]", Back: "T[H, W, C]", Count: "i64[H, W]"}
    body: |
      Y[*p,c] = X[wrap(Iy[*p], H),wrap(Ix[*p], W),c] + padded(X[Iy[*p] + 1,Ix[*p] - 1,c], 3)
      Back[wrap(Iy[*p], H),wrap(Ix[*p], W),c] += Y[*p,c]
      Count[wrap(Iy[*p], H),wrap(Ix[*p], W)] += 1
''', r'''
ops:
  - op: lowered_where
    doc: an output that a condition and an index of updates read before it is stored
    types: {T: [i32, i64, f32]}
    in: {B: "T[M, N]", Ix: "u16[N]", C: "i64[M, N]"}
    require: [N >= 1]
    out: {Y: "T[M, N]", Z: "T[M, N]", W: "T[M, N]", At: "i64[M, N]"}
    body: |
      b[m,n] = 2*B[m,n] - 1
      u[m,n] = b[m,n]*b[m,n]
      u[m,cast(Ix[n], i64) % N] min= 1 where b[m,n] > 0
      k[m,n] = C[m,n] % N
      w[m,n] = B[m,n]
      w[m,k[m,n]] += 1
      Y[m,n] = u[m,n]
      Z[m,n] = b[m,n]
      W[m,n] = w[m,n]
      At[m,n] = k[m,n]
''']


def walks(s, x, at):
    n, out = len(s), [[], [], [], [], []]
    for k in range(len(x)):
        y, z, w, v, u = int(x[k]), 0, 0, int(x[k]), k % 7
        for b in range(9):
            y += int(s[min(max(y, 0), n - 1)])
            z = z + int(s[min(max(z - 1, 0), n - 1)]) if z < 4 else z - b
            w = w + int(s[at[k]]) if w % 2 == 0 else w - 3
            v = 2*int(s[int(s[min(max(v, 0), n - 1)]) % n]) - v
            u = u + int(s[u % n]) - int(s[(u - 1) % n]) - 1
        for values, last in zip(out, (y, z, w, v, u)):
            values.append(last)
    return [np.array(values, np.int64) for values in out]


def cases(rng):
    for key in ('i8', 'i32', 'i64'):
        for n, k in ((1, 1), (5, 17), (17, 40), (300, 3), (3, 0)):
            s, x = rand(rng, (n,), key, -4, 4), rand(rng, (k,), 'i64', -9, 20)
            at = rng.integers(-n, n, k).astype(np.int32)
            yield dict(op='walks_on_a_line', key=key, inputs=[s, x, at], want=walks(s, x, at), dtypes=['i64']*4 + [key], tol=EXACT)
    ints = ('i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64')

    def full(shape, key):
        i = np.iinfo(np_dtype(key))
        x = np.asarray(rng.integers(i.min, i.max, shape, endpoint=True, dtype=np_dtype(key)))
        return np.where(rng.random(shape) < .3, (x % np.array(7, x.dtype)), x).astype(np_dtype(key))
    for key in ('i8', 'i16', 'i32', 'i64'):
        for shape in ((), (17,), (3, 33), (0,)):
            x, d = full(shape, key), full(shape, key)
            e = d & 3
            if shape == (17,) and (e == 0).any():
                yield dict(op='rest_by_output', key=key, inputs=[x, d], error='a divisor of 0', out=[(key, shape), ('i64', shape), (key, shape)])
            d = (d | 1).astype(d.dtype); e = d & 3
            yield dict(op='rest_by_output', key=key, inputs=[x, d], want=[x//e, wide(x) % wide(e), e], dtypes=[key, 'i64', key], tol=EXACT)
    for key in ('f32', 'i32', 'c64'):
        for it in (np.int32, np.int64):
            for lens in ((), (4,), (3, 0, 17, 5), (0, 0)):
                ln = np.array(lens, it); at = np.concatenate([[0], np.cumsum(ln)])[:-1].astype(np.int64); n = int(ln.sum())
                x = rng.integers(-1, 2, n).astype(np_dtype(key))
                rows = [x[a:a + l] for a, l in zip(at, ln)]
                yield dict(op='shares_of_ranges', key=key, inputs=[ln, x], want=[at, np.array([r.sum() for r in rows]), np.array([(r[(np.arange(len(r)) + a) % 3 == 0] != 0).any() for r, a in zip(rows, at)], bool), np.array([(r != 0).sum() for r in rows], np.int64)],
                           dtypes=['i64', key, 'bool', 'i64'], tol=EXACT)
            bad = np.array([2, 5], it)
            yield dict(op='shares_of_ranges', key=key, inputs=[bad, np.ones(6, np_dtype(key))], error='an end beyond', out=[('i64', (2,)), (key, (2,)), ('bool', (2,)), ('i64', (2,))])
    for key in available('i8', 'u16', 'i64', 'f32', 'f16', 'f64'):
        for n in (0, 1, 17, 33):
            for low in (-9, 1, 99):
                x = rand(rng, (n,), key, 0, 2); f = max(low, 0) if key[0] == 'u' else low
                k = wide(x) >= f
                yield dict(op='drawn_lots', key=key, inputs=[x], attrs={'from': f if key[0] in 'iu' else float(f)}, want=[k, np.cumsum(k) - 1, x[k], np.nonzero(k)[0]], room=[(n,)]*4, dtypes=['bool', 'i32', key, 'i64'], tol=EXACT)
    for key in ('i8', 'i32', 'u16', 'f64'):
        for it in (np.int32, np.int64):
            for n, k in ((1, 1), (9, 4), (33, 17), (0, 3)):
                x, d, p, q = rand(rng, (n,), key, 0, 9), rand(rng, (k,), key, 0, 9), rng.integers(-k, k, n).astype(it), rng.integers(-k, k, k).astype(it)
                t = np_dtype(key)
                with np.errstate(all='ignore'):
                    y = d.copy()
                    for i in range(n): y[p[i]] = (y[p[i]] + x[i]).astype(t)
                    for i in range(k): y[q[i]] = (y[q[i]]*np.array(2, t)).astype(t)
                    for i in range(0, n, 2): y[p[i]] = max(y[p[i]], x[i])
                    for i in range(n):
                        if x[i] > 1: y[p[i]] = min(y[p[i]], np.array(5, t))
                    z = (y - d).astype(t)
                    for i in range(k):
                        if y[i] > d[i]: z[q[i]] = y[i]
                yield dict(op='updates_in_turn', key=key, inputs=[x, p, q, d], want=[y, z], dtypes=[key, key], tol=EXACT)
    for key in ('f32', 'f64'):
        for p, n in (((), 1), ((5,), 9), ((2, 3), 17), ((0,), 3), ((4,), 0)):
            x, b = rand(rng, (*p, n), key, -1, 1), rng.integers(0, 20, n).astype(np.uint8)
            z, l, c = np.ones(p, complex), np.ones(p, np.int64), 7
            for i in range(n):
                if b[i] > 9: z = .5j*z + wide(x)[..., i]
                if i > 0: l = np.where(wide(x)[..., i] > 0, 2*l, l + 3) % 1009
                c = (((c << 1) & 255 ^ int(b[i])) + i) & 255
            yield dict(op='folded_types', key=key, inputs=[x, b], want=[(wide(x) > 0).sum(-1) % 2 == 1, z, np.asarray(c, np.uint8), l], dtypes=['bool', {'f32': 'c64', 'f64': 'c128'}[key], 'u8', 'i64'], tol=[EXACT, tol(ulp=4, acc=4*n, mag=4.0), EXACT, EXACT])
    for key in ('i32', 'u64'):
        t = np_dtype(key); mod = 1 << (32 if key == 'i32' else 64)
        for m, n, k in ((1, 1, 1), (5, 4, 7), (3, 9, 4), (2, 0, 3), (2, 3, 0)):
            x, w = rng.integers(0, 9, (m, n)).astype(t), rng.integers(0, 9, (n, k)).astype(t)
            y = []
            for i in range(m):
                a = 1
                for j in range(n):
                    b = a + int(x[i, j])
                    for q in range(min(j + 1, k)): b = 3*b + int(w[j, q])
                    a = (b*5 + a) % mod
                y.append(a if key == 'u64' or a < 1 << 31 else a - mod)
            yield dict(op='nested_folds', key=key, inputs=[x, w], want=[np.array(y, t)], tol=EXACT)
    for key in available('f32', 'i32', 'f16'):
        for p, h, w in (((), 1, 1), ((2,), 5, 7), ((), 16, 17), ((1, 2), 3, 9), ((0,), 2, 2), ((), 0, 3)):
            for r in (0, 1, 3, 40):
                x, x0 = rng.integers(-4, 5, (*p, h, w)).astype(np_dtype(key)), rng.integers(0, 5, (h, w)).astype(np.int32)
                s, m, d, c = (np.zeros((*p, h, w)) for _ in range(3)) if False else (np.zeros((*p, h, w)), np.zeros((*p, h, w)), np.zeros((*p, h, w)), np.zeros((h, w), np.int32))
                xx = wide(x)
                for a in range(h):
                    for b in range(w):
                        y0, y1, l, q = max(a - r, 0), a + r + 1, max(b - r, 0), b + r + 1
                        s[..., a, b] = xx[..., y0:y1, l:q].sum((-1, -2)); m[..., a, b] = xx[..., y0:y1, b:q].max((-1, -2)); d[..., a, b] = xx[..., :a + 1, b:].sum((-1, -2))
                        c[a, b] = sum(int(x0[i, j]) for i in range(h) for j in range(w) if abs(i - a) + abs(j - b) <= r)
                yield dict(op='boxes_by_distance', key=key, inputs=[x, x0], attrs={'r': r}, want=[s, m, c, d], dtypes=[key, key, 'i32', key], tol=EXACT)
    for key in ('i32', 'u8', 'f32'):
        for shape, axis in (((1,), 0), ((9,), -1), ((5, 17), 0), ((17, 5), 1), ((2, 7, 3), 1), ((2, 3, 0), 1), ((3, 0), 1)):
            x = rng.integers(0, 4, shape).astype(np_dtype(key))
            v = np.moveaxis(x, axis, 0); n = len(v); t = x.dtype
            with np.errstate(all='ignore'):
                one = np.ones((1, *v.shape[1:]), t)
                a = np.cumprod(np.concatenate([one, v[:-1]]), 0, dtype=t) if n else v
                b = np.maximum.accumulate(v[::-1], 0)[::-1] if n else v
                c = np.zeros(v.shape, bool); e = np.zeros(v.shape, np.int64); f = np.zeros(v.shape, t)
                for d in range(n):
                    c[d] = (v[:d + 1] > 0).all(0) & (v[d + 1:] == 1).any(0); e[d] = v[:d + 1].argmin(0)
                    f[d] = a[d + 1:].sum(0, dtype=t) + b[:d + 1].min(0)
            yield dict(op='scans_of_all_kinds', key=key, inputs=[x], attrs={'axis': axis}, want=[np.moveaxis(k, 0, axis) for k in (a, b, c, e, f)], dtypes=[key, key, 'bool', 'i64', key], tol=[EXACT]*4 + [EXACT if key != 'f32' else tol(ulp=4, acc=4*max(n, 1))])
    for key in available('f16', 'bf16'):
        for n in (1, 17, 100, 0):
            x = rand(rng, (n,), key, -2, 2); t = np_dtype(key)
            y = (x.astype(np.float32)/np.float32(3)).astype(t); y32 = y.astype(np.float32)
            z = np.float32(3)*y32 - x.astype(np.float32)
            i = np.trunc(np.float32(100)*y32).astype(np.int8) if True else None
            yield dict(op='narrow_between', key=key, inputs=[x], want=[y, z, i, 3*i.astype(np.int32), np.asarray(y32.sum(dtype=np.float64))], dtypes=[key, 'f32', 'i8', 'i32', key], tol=[EXACT, tol(ulp=1, floor=1e-7), EXACT, EXACT, tol(ulp=2, acc=n, mag=float(n))])
    for key in ints:
        bits = 8*np.dtype(np_dtype(key)).itemsize
        for shape in ((), (17,), (3, 33)):
            a, b = full(shape, key), full(shape, key)
            signed = key[0] == 'i'
            wrap = lambda v: (v + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1) if signed else v % (1 << bits)
            out = [[] for _ in range(8)]
            for p, q in zip(np.ravel(a), np.ravel(b)):
                p, q = int(p), int(q); o = wrap(q | 1)
                for l, v in zip(out, (p//o, p % o, p << (q & 7), p >> (q & 7), p*q - p, bin(p % (1 << bits)).count('1'), bits - (p % (1 << bits)).bit_length(), ~p + min(p, q, o) - max(q, p))): l.append(wrap(v))
            want = [np.array(l, object).reshape(shape) for l in out]
            dt = [key]*5 + ['i32']*2 + [key]
            yield dict(op='whole_and_negative', key=key, inputs=[a, b], want=[w.astype(np_dtype(d)) for w, d in zip(want, dt)], dtypes=dt, tol=EXACT)
    for key in ('f32', 'i64'):
        for m, n, k in ((1, 1, 1), (3, 9, 4), (2, 33, 33), (0, 3, 2)):
            x = np.array([rng.permutation(n) for _ in range(m)]).reshape(m, n).astype(np_dtype(key)); w = rng.permutation(n).astype(np_dtype(key))
            at = np.argsort(x, -1); y = w[at]; v = -np.sort(-y, -1)[:, :k]
            rank = np.full((m, n), -1)
            for i in range(m):
                for j in range(n):
                    if y[i, j] >= v[i, -1]: rank[i, at[i, j]] = j
            yield dict(op='sorted_places', key=key, inputs=[x, w], attrs={'k': k}, want=[np.sort(x, -1), at, y, v, rank], dtypes=[key, 'i64', key, key, 'i64'], tol=EXACT)
    for key in ('f32', 'i32'):
        for l, w in ((1, 1), (5, 7), (17, 3), (9, 33)):
            c = rng.integers(0, 20, (l, w)).astype(np_dtype(key))
            d, fr = wide(c).copy(), np.zeros((l, w), int)
            for t in range(1, l):
                for x in range(w):
                    opts = [(d[t - 1, q], q) for q in (x - 1, x, x + 1) if 0 <= q < w]
                    best = min(o[0] for o in opts); fr[t, x] = next(q for v, q in opts if v == best)
                    d[t, x] += best
            path = [int(d[-1].argmin())]
            for t in range(l - 1, 0, -1): path.append(fr[t, path[-1]])
            path = np.array(path[::-1])
            yield dict(op='paths_of_choices', key=key, inputs=[c], want=[np.asarray(d[-1].min()), path, np.bincount(path, minlength=w), d], dtypes=[key, 'i64', 'i32', key], tol=EXACT)
    for key in available(*ints, 'f32', 'f64', 'f16', 'bf16'):
        for m, n in ((1, 1), (5, 9), (3, 33), (0, 3)):
            x, k, l = rand(rng, (m, n), key, -3, 3), rng.random((m, n)) < .4, rng.integers(-1, n + 2, m).astype(np.int32)
            fl = key[0] in 'fb'
            lo, hi = (-np.inf, np.inf) if fl else (np.iinfo(np_dtype(key)).min, np.iinfo(np_dtype(key)).max)
            a, h, lw, p, o = [], [], [], [], []
            for i in range(m):
                idx = np.arange(n); xs = wide(x)[i]
                pick = lambda mask, f, none: f(x[i][mask]) if mask.any() else np.array(none, x.dtype)
                h.append(pick(k[i] & (idx < l[i]), np.max, lo)); lw.append(pick(idx >= l[i], np.min, hi))
                keep = (idx == 0) | k[i]
                a.append(int(idx[keep][np.argmax(xs[keep])])); o.append(np.bitwise_or.reduce(idx[k[i]] % 256) if k[i].any() else 0)
                prod = 1
                for q in idx[k[i]]: prod *= 2 if xs[q] > 1 else 1
                p.append(np.array(float(prod) if fl else prod % (1 << 8*x.dtype.itemsize), np.float64 if fl else np.uint64).astype(x.dtype))
            yield dict(op='masked_extremes', key=key, inputs=[x, k, l], want=[np.array(h, x.dtype), np.array(lw, x.dtype), np.array(a, np.int64), np.array(p, x.dtype), np.array(o, np.uint8)], dtypes=[key, key, 'i64', key, 'u8'], tol=EXACT)
    for key in available('i8', 'u32', 'f32', 'c128', 'f16'):
        for it in (np.int32, np.int64):
            for p, h, w, c in (((), 1, 1, 1), ((5,), 3, 4, 17), ((2, 3), 5, 2, 3), ((0,), 2, 2, 2), ((4,), 2, 3, 0)):
                x, iy, ix = rng.integers(0, 3, (h, w, c)).astype(np_dtype(key)), np.asarray(rng.integers(-h, h, p)).astype(it), np.asarray(rng.integers(-w, w, p)).astype(it)
                y = x[iy, ix].copy()
                more = np.full(y.shape, 3, x.dtype)
                for at in np.ndindex(*p):
                    a, b = int(iy[at]) + 1, int(ix[at]) - 1
                    if 0 <= a < h and 0 <= b < w: more[at] = x[a, b]
                y = (y + more).astype(x.dtype)
                back, cnt = np.zeros((h, w, c), x.dtype), np.zeros((h, w), np.int64)
                for at in np.ndindex(*p): back[iy[at], ix[at]] += y[at]; cnt[iy[at], ix[at]] += 1
                yield dict(op='gathered_by_two', key=key, inputs=[x, iy, ix], want=[y, back, cnt], dtypes=[key, key, 'i64'], tol=EXACT)
    for key in ('i32', 'i64', 'f32'):
        for m, n in [(1, 1), (2, 5), (33, 16), (0, 3)]:
            x, ix = rng.integers(-4, 5, (m, n)).astype(rand(rng, (1,), key).dtype), rng.integers(0, 50, n).astype(np.uint16)
            c = rng.integers(-50, 50, (m, n))
            b, w = 2*x - 1, x.copy()
            u = b*b
            for i in range(m):
                for j in range(n):
                    if b[i, j] > 0:
                        u[i, ix[j] % n] = min(u[i, ix[j] % n], 1)
                    w[i, c[i, j] % n] += 1
            yield dict(op='lowered_where', key=key, inputs=[x, ix, c], want=[u, b, w, c % n], dtypes=[key]*3 + ['i64'], tol=EXACT)
