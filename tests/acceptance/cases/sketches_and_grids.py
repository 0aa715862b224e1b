"""Hashes and sketches, orders of elements, states of small types, grids, as people write them, against plain NumPy loops."""
import numpy as np

from casekit import EXACT, rand, tol, wide

OPS = r'''
ops:
  - op: minhash_rows
    doc: the least of each of several hashes over the elements of a row that are there
    types: {I: [i32, u16, u8]}
    tables: {A: {type: "u64[4]", values: [6364136223846793005, 3935559000370003845, 2862933555777941757, 1181783497276652981]}}
    in: {X: "I[R, N]", Len: "i32[R]"}
    out: {H: "u64[R, 4]", At: "i64[R, 4]"}
    body: |
      h[r,n,k] = shr(cast(cast(X[r,n], i64), u64)*A[k] + shl(cast(k + 1, u64), 17), 20)
      H[r,k] = min[n : n < Len[r]](h[r,n,k])
      At[r,k] = sum[n : n < Len[r] and h[r,n,k] == H[r,k]](1)

  - op: sketched_counts
    doc: a count-min sketch, filled and asked
    types: {I: [i32, i64, u32]}
    attrs: {width: int}
    tables: {S: {type: "u32[3]", values: [2654435769, 2246822519, 3266489917]}}
    in: {X: "I[N]", Q: "I[M]"}
    require: [width >= 1, width <= 65536]
    let: {W: width}
    out: {C: "i32[3, W]", Y: "i32[M]"}
    body: |
      a[n,k] = shr(cast(X[n], u32)*S[k], 7)
      b[m,k] = shr(cast(Q[m], u32)*S[k], 7)
      C[k,a[n,k] % W] += 1
      Y[m] = min[k](C[k,b[m,k] % W])

  - op: distinct_estimate
    doc: registers of a HyperLogLog sketch
    in: {X: "u32[*P, N]"}
    out: {R: "u8[*P, 16]", Z: "f64[*P]"}
    body: |
      h[*p,n] = X[*p,n]*2654435761
      w[*p,n] = bit_xor(h[*p,n], shr(h[*p,n], 15))*2246822519
      R[*p,shr(w[*p,n], 28)] max= clz(bit_or(shl(w[*p,n], 4), 8)) + 1
      Z[*p] = 1/sum[k](exp2(-cast(R[*p,k], f64)))

  - op: range_minima
    doc: the least element between two places, from a table of powers of two
    types: {T: real, I: index}
    in: {X: "T[N]", A: "I[Q]", B: "I[Q]"}
    require: [N >= 1]
    let: {V: log2(N) + 1}
    index: {v: V}
    out: {Y: "T[Q]"}
    body: |
      m[v,i] = min(padded(m[v - 1,i], X[i]), padded(m[v - 1,min(i + shl(1, max(v - 1, 0)), N - 1)], X[i]))
      lo[q] = clamp(cast(min(A[q], B[q]), i64), 0, N - 1)
      hi[q] = clamp(cast(max(A[q], B[q]), i64), 0, N - 1)
      k[q] = min(63 - clz(hi[q] - lo[q] + 1), V - 1)
      Y[q] = min(m[clamp(k[q], 0, V - 1),lo[q]], m[clamp(k[q], 0, V - 1),clamp(hi[q] - shl(1, k[q]) + 1, 0, N - 1)])

  - op: modes
    doc: the most frequent element of each row, the least of those that are
    types: {T: [f32, i32, u8]}
    in: {X: "T[R, N]"}
    require: [N >= 1]
    out: {Y: "T[R]", C: "i64[R]"}
    body: |
      s, at = sort(X, axis=-1)
      v[r,i] = s[r,i]
      run[r,i] = select(i > 0 and v[r,max(i - 1, 0)] == v[r,i], padded(run[r,i - 1], 0), 0) + 1
      b[r] = argmax[i](run[r,i])
      Y[r] = v[r,b[r]]
      C[r] = run[r,b[r]]

  - op: clipped_by_quantiles
    types: {T: [f32, f64]}
    attrs: {q: "float[2]"}
    in: {X: "T[N, C]"}
    require: [N >= 1]
    out: {Y: "T[N, C]"}
    body: |
      s, at = sort(X, axis=0)
      lo[c] = s[clamp(cast(floor(q[0]*(N - 1)), i64), 0, N - 1),c]
      hi[c] = s[clamp(cast(ceil(q[1]*(N - 1)), i64), 0, N - 1),c]
      Y[n,c] = clamp(X[n,c], lo[c], hi[c])

  - op: deformed_conv
    types: {T: float}
    in: {X: "T[C, H, W]", Off: "T[2, R, S, H, W]", F: "T[O, C, R, S]"}
    require: [H >= 1, W >= 1]
    out: {Y: "T[O, H, W]"}
    body: |
      fy[r,s,y,x] = cast(Off[0,r,s,y,x], f32) + y + r - 1
      fx[r,s,y,x] = cast(Off[1,r,s,y,x], f32) + x + s - 1
      iy[r,s,y,x] = cast(floor(fy[r,s,y,x]), i64)
      ix[r,s,y,x] = cast(floor(fx[r,s,y,x]), i64)
      ay[r,s,y,x] = fy[r,s,y,x] - floor(fy[r,s,y,x])
      ax[r,s,y,x] = fx[r,s,y,x] - floor(fx[r,s,y,x])
      v[c,r,s,y,x] = (1 - ay[r,s,y,x])*((1 - ax[r,s,y,x])*cast(padded(X[c,iy[r,s,y,x],ix[r,s,y,x]], 0), f32) + ax[r,s,y,x]*cast(padded(X[c,iy[r,s,y,x],ix[r,s,y,x] + 1], 0), f32)) + ay[r,s,y,x]*((1 - ax[r,s,y,x])*cast(padded(X[c,iy[r,s,y,x] + 1,ix[r,s,y,x]], 0), f32) + ax[r,s,y,x]*cast(padded(X[c,iy[r,s,y,x] + 1,ix[r,s,y,x] + 1], 0), f32))
      Y[o,y,x] = cast(sum[c,r,s](v[c,r,s,y,x]*cast(F[o,c,r,s], f32)), T)

  - op: matrices_in_order
    doc: all products of the first matrices, complex ones
    types: {T: [f32, f64]}
    in: {X: "complex(T)[L, D, D]"}
    out: {Y: "complex(T)[L, D, D]"}
    body: Y[t,i,j] = sum[k](padded(Y[t - 1,i,k], select(i == k, 1, 0))*X[t,k,j])

  - op: saturating_states
    doc: spiking cells in bytes
    in: {X: "i8[L, C]"}
    attrs: {leak: int = 2, limit: int = 100}
    out: {V: "i8[L, C]", S: "bool[L, C]"}
    body: |
      u[t,c] = clamp(cast(X[t,c], i16) + cast(padded(V[t - 1,c], 0), i16) - sign(cast(padded(V[t - 1,c], 0), i16))*leak, -128, 127)
      V[t,c] = cast(select(u[t,c] >= limit, 0, u[t,c]), i8)
      S[t,c] = u[t,c] >= limit

  - op: xoshiro_rows
    in: {Seed: "u32[R, 4]"}
    attrs: {n: int}
    require: [n >= 0]
    let: {N: n}
    index: {t: N}
    out: {Y: "u32[R, N]"}
    body: |
      a[r,t] = bit_xor(padded(a[r,t - 1], Seed[r,0]), padded(d[r,t - 1], Seed[r,3]))
      c[r,t] = bit_xor(padded(c[r,t - 1], Seed[r,2]), a[r,t])
      b[r,t] = bit_xor(padded(b[r,t - 1], Seed[r,1]), c[r,t])
      d[r,t] = bit_or(shl(bit_xor(padded(d[r,t - 1], Seed[r,3]), padded(b[r,t - 1], Seed[r,1])), 11), shr(bit_xor(padded(d[r,t - 1], Seed[r,3]), padded(b[r,t - 1], Seed[r,1])), 21))
      Y[r,t] = padded(a[r,t - 1], Seed[r,0]) + padded(d[r,t - 1], Seed[r,3])

  - op: positions_hashed
    doc: a fold over two variables, the second inside of the first
    in: {X: "u8[B, H, W]"}
    out: {Z: "u64[B]", M: "i32[B]"}
    body: |
      Z[b] = fold[y,x : X[b,y,x] != 0](h = cast(14695981039346656037, u64), bit_xor(h, cast(X[b,y,x], u64) + 256*(W*y + x))*1099511628211)
      M[b] = fold[y](a = cast(7, i32), a*31 + fold[x](c = cast(1, i32), c*3 + cast(X[b,y,x], i32)))

  - op: viterbi_pairs
    types: {T: [f32, f64, f16]}
    in: {E: "T[L, S]", A: "T[S, S]"}
    require: [L >= 1, S >= 1]
    out: {Path: "i64[L]", Best: "T[]"}
    body: |
      v[t,j], from[t,j] = max_at[i](padded(v[t - 1,i], 0) + select(t == 0, 0, A[i,j]) + E[t,j])
      last[] = argmax[j](v[L - 1,j])
      Path[t] = padded(from[t + 1,clamp(padded(Path[t + 1], 0), 0, S - 1)], last[])
      Best[] = v[L - 1,last[]]

  - op: both_extents
    doc: the rows of a matrix cut to their lengths, in one line, and the row that each element is from
    types: {T: any, I: index}
    in: {X: "T[B, L]", Len: "I[B]"}
    let: {Z: B*L, M: upto(Z)}
    out: {Y: "T[M]", Row: "I[M]"}
    body: |
      n[b] = clamp(cast(Len[b], i64), 0, L)
      at[b] = sum[c : c < b](n[c])
      M = sum[b](n[b])
      Y[wrap(at[b] + l, M)] last= X[b,l] where l < n[b]
      Row[wrap(at[b] + l, M)] last= b where l < n[b]

  - op: greedy_labels
    doc: connectionist labels, repeated ones once, without blanks
    types: {T: float}
    in: {X: "T[L, V]"}
    require: [V >= 1]
    let: {M: upto(L)}
    out: {Y: "i32[M]", When: "i32[M]"}
    body: |
      b[t] = argmax[v](X[t,v])
      kept[t] = b[t] != 0 and (t == 0 or b[t] != b[max(t - 1, 0)])
      at[t] = sum[u : u < t](kept[u])
      M = sum[t](kept[t])
      Y[wrap(at[t], M)] last= b[t] where kept[t]
      When[wrap(at[t], M)] last= t where kept[t]

  - op: bilateral_grid
    doc: a picture splatted into a coarse grid with a third dim for brightness, and sliced from it
    types: {T: [f32, f64]}
    attrs: {cell: int, bins: int}
    in: {X: "T[H, W]"}
    require: [cell >= 1, bins >= 2]
    let: {P: "ceildiv(H, cell)", Q: "ceildiv(W, cell)", Z: bins}
    out: {Y: "T[H, W]"}
    body: |
      z[y,x] = clamp(cast(floor(X[y,x]*Z), i64), 0, Z - 1)
      g[p,q,k] = 0.0*cast(p + q + k, T)
      g[y//cell,x//cell,z[y,x]] += X[y,x]
      n[p,q,k] = 0.0*cast(p + q + k, T)
      n[y//cell,x//cell,z[y,x]] += 1
      Y[y,x] = g[y//cell,x//cell,z[y,x]]/n[y//cell,x//cell,z[y,x]]
    index: {p: P, q: Q, k: Z}

  - op: clipped
    doc: real numbers in a range stay real
    types: {T: float}
    attrs: {most: float = 1}
    in: {X: "T[N]", L: "T[N]"}
    out: {Y: "T[N]", Z: "T[N]", W: "T[N]"}
    body: |
      Y[i] = clamp(X[i], -1.5, most)
      Z[i] = clamp(X[i], 0, 1)
      W[i] = clamp(X[i], -L[i], L[i])

  - op: doubled_steps
    doc: a let computed from reals that is an extent is an integer
    types: {T: [f32, f64]}
    in: {X: "T[N]"}
    require: [N >= 1, V >= 1]
    let: {V: log2(N) + 1, U: 0.75*N + 1}
    index: {v: V}
    out: {Y: "T[N]", Z: "T[U]"}
    body: |
      m[v,i] = X[i] + padded(m[v - 1,i], 0)
      Y[i] = m[V - 1,i]*V
      Z[u] = X[min(u, N - 1)]*U
'''


def like(rng, key, values):
    return np.asarray(values).astype(rand(rng, 1, key).dtype)


def hashes(rng):
    a = [6364136223846793005, 3935559000370003845, 2862933555777941757, 1181783497276652981]
    for key in ('i32', 'u16', 'u8'):
        for r, n in [(1, 1), (3, 17), (17, 5), (2, 40), (0, 3)]:
            x, length = like(rng, key, rng.integers(0, 200, (r, n))), rng.integers(1, n + 1, r).astype(np.int32)
            if key == 'i32':
                x = -x
            h = np.array([[[((int(v) % 2**64*m + ((k + 1) << 17)) % 2**64) >> 20 for k, m in enumerate(a)] for v in row] for row in x], np.uint64).reshape(r, n, 4)
            want = np.array([h[i, :length[i]].min(0) for i in range(r)], np.uint64).reshape(r, 4)
            count = np.array([(h[i, :length[i]] == want[i]).sum(0) for i in range(r)], np.int64).reshape(r, 4)
            yield dict(op='minhash_rows', key=key, inputs=[x, length], want=[want, count], dtypes=['u64', 'i64'], tol=EXACT)
    s = np.array([2654435769, 2246822519, 3266489917], np.uint32)
    for key in ('i32', 'i64', 'u32'):
        for n, m, w in [(1, 1, 1), (40, 17, 7), (100, 3, 33), (0, 3, 2), (17, 0, 5)]:
            x, q = like(rng, key, rng.integers(0, 50, n)), like(rng, key, rng.integers(0, 50, m))
            at = lambda v: ((v.astype(np.uint32)[:, None]*s) >> 7) % w
            c = np.zeros((3, w), np.int32)
            for k in range(3):
                np.add.at(c[k], at(x)[:, k], 1)
            y = np.min([c[k][at(q)[:, k]] for k in range(3)], axis=0)
            yield dict(op='sketched_counts', key=key, attrs={'width': w}, inputs=[x, q], want=[c, y], dtypes=['i32', 'i32'], tol=EXACT)
    for shape in [(1,), (17,), (3, 33), (2, 3, 100), (2, 0)]:
        x = rng.integers(0, 2**32, shape, np.uint32)
        h = x*np.uint32(2654435761)
        w = (h ^ (h >> 15))*np.uint32(2246822519)
        first = ((w << 4) | 8).astype(np.uint64)
        rank = (32 - np.floor(np.log2(first)).astype(int) - 1 + 1)
        r = np.zeros(shape[:-1] + (16,), np.uint8)
        for i in np.ndindex(shape):
            b = i[:-1] + (int(w[i] >> 28),)
            r[b] = max(r[b], rank[i])
        yield dict(op='distinct_estimate', key='u32', inputs=[x], want=[r, 1/np.exp2(-r.astype(float)).sum(-1)], dtypes=['u8', 'f64'], tol=[EXACT, tol(8)])
    for b, h, w in [(1, 1, 1), (3, 5, 7), (2, 0, 3), (5, 17, 2), (0, 2, 2)]:
        x = (rng.integers(0, 256, (b, h, w))*(rng.random((b, h, w)) < 0.7)).astype(np.uint8)
        z, m = [], []
        for page in x.tolist():
            v, s = 14695981039346656037, 7
            for y, row in enumerate(page):
                c = 1
                for i, e in enumerate(row):
                    v = (v ^ (e + 256*(w*y + i)))*1099511628211 % 2**64 if e else v
                    c = c*3 + e
                s = s*31 + c
            z.append(v)
            m.append((s + 2**31) % 2**32 - 2**31)
        yield dict(op='positions_hashed', key='u8', inputs=[x], want=[np.array(z, np.uint64), np.array(m, np.int32)], dtypes=['u64', 'i32'], tol=EXACT)
    for r, n in [(1, 1), (5, 17), (33, 9), (3, 0), (0, 4)]:
        seed = rng.integers(0, 2**32, (r, 4), np.uint32)
        y = np.zeros((r, n), np.uint32)
        s = [seed[:, k].copy() for k in range(4)]
        for t in range(n):
            y[:, t] = s[0] + s[3]
            a = s[0] ^ s[3]
            c = s[2] ^ a
            b = s[1] ^ c
            d = s[3] ^ s[1]
            s = [a, b, c, (d << np.uint32(11)) | (d >> np.uint32(21))]
        yield dict(op='xoshiro_rows', key='u32', attrs={'n': n}, inputs=[seed], want=[y], tol=EXACT)


def orders(rng):
    for key in ('f32', 'f64', 'i32', 'u8', 'i8', 'f16'):
        for n, q in [(1, 1), (17, 9), (64, 33), (100, 40), (5, 0)]:
            x, a, b = rand(rng, n, key, -9, 9), rng.integers(0, n, q), rng.integers(0, n, q)
            want = np.array([x[min(i, j):max(i, j) + 1].min() for i, j in zip(a, b)], x.dtype)
            t = rng.choice([np.int32, np.int64])
            yield dict(op='range_minima', key=key, inputs=[x, a.astype(t), b.astype(t)], want=[want], tol=EXACT)
    for key in ('f32', 'i32', 'u8'):
        for r, n in [(1, 1), (3, 17), (17, 33), (2, 5), (0, 3)]:
            x = rand(rng, (r, n), key, -2, 2).round().astype(rand(rng, 1, key).dtype)
            y, c = np.zeros(r, x.dtype), np.zeros(r, np.int64)
            for i in range(r):
                values, counts = np.unique(x[i], return_counts=True)
                y[i], c[i] = values[counts.argmax()], counts.max()
            yield dict(op='modes', key=key, inputs=[x], want=[y, c], dtypes=[key, 'i64'], tol=EXACT)
    for key in ('f32', 'f64'):
        for n, c in [(1, 1), (17, 5), (33, 16), (5, 0), (100, 3)]:
            x = rand(rng, (n, c), key)
            s = np.sort(x, 0)
            lo, hi = s[int(np.floor(0.25*(n - 1)))], s[int(np.ceil(0.75*(n - 1)))]
            yield dict(op='clipped_by_quantiles', key=key, attrs={'q': [0.25, 0.75]}, inputs=[x], want=[np.clip(x, lo, hi)], tol=EXACT)
    for key, t in [('f32', 'i32'), ('u8', 'i64'), ('f16', 'i64'), ('bool', 'i32'), ('c64', 'i64')]:
        for b, n in [(1, 1), (5, 7), (17, 33), (0, 3), (3, 0)]:
            x, length = rand(rng, (b, n), key), rng.integers(-1, n + 2, b)
            keep = np.arange(n) < length[:, None]
            yield dict(op='both_extents', key=key, inputs=[x, length.astype(np.dtype(t.replace('i', 'int')))], want=[x[keep], np.nonzero(keep)[0]],
                       room=[(b*n,), (b*n,)], dtypes=[key, t], tol=EXACT)
    for key in ('f32', 'f64', 'f16', 'bf16'):
        for n, v in [(1, 1), (17, 3), (40, 5), (0, 2), (33, 2)]:
            x = rand(rng, (n, v), key)
            b = wide(x).argmax(1)
            kept = (b != 0) & np.array([t == 0 or b[t] != b[t - 1] for t in range(n)], bool)
            yield dict(op='greedy_labels', key=key, inputs=[x], want=[b[kept], np.nonzero(kept)[0]], room=[(n,), (n,)], dtypes=['i32', 'i32'], tol=EXACT)


def steps(rng):
    for key in ('f32', 'f64', 'f16', 'bf16'):
        for n in (1, 5, 17, 33, 0):
            x, low = rand(rng, n, key), rand(rng, n, key, 0, 1)
            x[:1] = np.nan
            yield dict(op='clipped', key=key, inputs=[x, low], attrs={'most': 0.75},
                       want=[np.clip(wide(x), -1.5, 0.75), np.clip(wide(x), 0, 1), np.clip(wide(x), -wide(low), wide(low))], tol=[tol(0, acc=1), EXACT, EXACT])
    for key in ('f32', 'f64'):
        for n in (1, 5, 17, 37):
            x = like(rng, key, rng.integers(-8, 9, n)/4)
            v, u = n.bit_length(), int(0.75*n + 1)
            yield dict(op='doubled_steps', key=key, inputs=[x], want=[x*v*v, x[np.minimum(np.arange(u), n - 1)]*u], tol=EXACT)
    for key in ('f32', 'f64', 'f16'):
        for n, s in [(1, 1), (9, 5), (33, 17), (17, 3)]:
            e, a = (like(rng, key, rng.integers(-8, 9, shape)/4) for shape in ((n, s), (s, s)))
            v, back = wide(e)[0], []
            for t in range(1, n):
                m = v[:, None] + wide(a) + wide(e)[t]
                back.append(m.argmax(0))
                v = m.max(0)
            last = int(v.argmax())
            path = [last]
            for b in reversed(back):
                path.append(int(b[path[-1]]))
            yield dict(op='viterbi_pairs', key=key, inputs=[e, a], want=[np.array(path[::-1], np.int64), v[last]], dtypes=['i64', key], tol=EXACT)
    for key, kind in (('f32', 'c64'), ('f64', 'c128')):
        for n, d in [(1, 1), (9, 2), (5, 17), (17, 3), (0, 2)]:
            x = (rand(rng, (n, d, d), kind)/d).astype(rand(rng, 1, kind).dtype)
            y, p = np.zeros((n, d, d), complex), np.eye(d)
            for t in range(n):
                p = p @ wide(x)[t]
                y[t] = p
            yield dict(op='matrices_in_order', key=key, inputs=[x], want=[y], dtypes=[kind], tol=tol(8, 8*d*max(n, 1), mag=4.0))
    for n, c in [(1, 1), (9, 5), (33, 40), (17, 64), (0, 2)]:
        x = rng.integers(-30, 60, (n, c)).astype(np.int8)
        v, vs, ss = np.zeros(c, int), np.zeros((n, c), np.int8), np.zeros((n, c), bool)
        for t in range(n):
            u = np.clip(x[t] + v - 2*np.sign(v), -128, 127)
            ss[t] = u >= 100
            v = np.where(ss[t], 0, u)
            vs[t] = v
        yield dict(op='saturating_states', key='i8', inputs=[x], want=[vs, ss], dtypes=['i8', 'bool'], tol=EXACT)


def pictures(rng):
    for key in ('f32', 'f16', 'bf16'):
        for c, o, h, w, r, s in [(1, 1, 1, 1, 1, 1), (2, 3, 5, 7, 3, 3), (3, 17, 4, 16, 1, 3), (1, 2, 9, 33, 3, 1)]:
            x, f = rand(rng, (c, h, w), key), rand(rng, (o, c, r, s), key)
            off = like(rng, key, rng.integers(-12, 13, (2, r, s, h, w))/8)
            p = np.zeros((c, h + 20, w + 20))
            p[:, 10:10 + h, 10:10 + w] = wide(x)
            fy = wide(off)[0] + np.arange(h)[:, None] + np.arange(r)[:, None, None, None] - 1 + 10
            fx = wide(off)[1] + np.arange(w) + np.arange(s)[:, None, None] - 1 + 10
            iy, ix = np.floor(fy).astype(int), np.floor(fx).astype(int)
            ay, ax = fy - iy, fx - ix
            v = (1 - ay)*((1 - ax)*p[:, iy, ix] + ax*p[:, iy, ix + 1]) + ay*((1 - ax)*p[:, iy + 1, ix] + ax*p[:, iy + 1, ix + 1])
            yield dict(op='deformed_conv', key=key, inputs=[x, off, f], want=[np.einsum('crsyx,ocrs->oyx', v, wide(f))], tol=tol(3, 8*c*r*s + 8, mag=4.0*c*r*s))
    for key in ('f32', 'f64'):
        for h, w, cell, bins in [(1, 1, 1, 2), (5, 7, 3, 4), (17, 33, 8, 5), (9, 16, 20, 2), (0, 3, 2, 2)]:
            x = rand(rng, (h, w), key, 0, 0.999)
            z = np.clip(np.floor(x*x.dtype.type(bins)).astype(int), 0, bins - 1)
            g, n = (np.zeros((h//cell + 1, w//cell + 1, bins)) for _ in range(2))
            for i in np.ndindex(h, w):
                at = (i[0]//cell, i[1]//cell, z[i])
                g[at] += wide(x)[i]
                n[at] += 1
            y = np.array([g[i[0]//cell, i[1]//cell, z[i]]/n[i[0]//cell, i[1]//cell, z[i]] for i in np.ndindex(h, w)]).reshape(h, w)
            yield dict(op='bilateral_grid', key=key, attrs=dict(cell=cell, bins=bins), inputs=[x], want=[y], tol=tol(4, 2*cell*cell + 4, mag=2.0))


def cases(rng):
    yield from hashes(rng)
    yield from orders(rng)
    yield from steps(rng)
    yield from pictures(rng)
