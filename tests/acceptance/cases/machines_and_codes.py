"""Machines that step, codes that are decoded, transforms in stages, packs and types that calls pass on."""
import numpy as np

from casekit import EXACT, available, np_dtype, rand, tol, wide

OPS = [r'''
ops:
  - op: lz_decoded
    doc: each element is a literal, or that of some elements before
    types: {T: [u8, i32]}
    in: {Lit: "T[N]", Back: "i32[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = select(Back[n] <= 0, Lit[n], padded(Y[n - max(Back[n], 1)], 0))
''', r'''
ops:
  - op: burrows_wheeler_inverse
    in: {L: "u8[N]"}
    require: [N >= 1]
    index: {c: 256}
    out: {Y: "u8[N]"}
    body: |
      count[c] = sum[k](select(cast(L[k], i64) == c, 1, 0))
      less[c] = sum[b : b < c](count[b])
      step[i] = less[cast(L[i], i64)] + sum[k : k < i](select(L[k] == L[i], 1, 0))
      row[t] = select(t == 0, 0, step[clamp(padded(row[t - 1], 0), 0, N - 1)])
      Y[t] = L[clamp(row[N - 1 - t], 0, N - 1)]
''', r'''
ops:
  - op: walsh_hadamard
    types: {T: [f32, f64, i32]}
    attrs: {stages: int}
    in: {X: "T[M, N]"}
    index: {s: stages}
    require: [stages >= 1, stages <= 20, "N == shl(1, stages)"]
    out: {Y: "T[M, N]"}
    body: |
      w[s,m,i] = padded(w[s - 1,m,bit_xor(i, shl(1, s)) % N], X[m,bit_xor(i, shl(1, s)) % N]) + select(bit_and(shr(i, s), 1) == 0, 1, -1)*padded(w[s - 1,m,i], X[m,i])
      Y[m,i] = w[stages - 1,m,i]
''', r'''
ops:
  - op: number_transform
    doc: the discrete transform modulo a prime
    attrs: {root: int = 3}
    in: {X: "u32[N]"}
    index: {t: N}
    out: {Y: "u32[N]"}
    body: |
      w[t] = select(t == 0, 1, padded(w[t - 1], 1)*root % 257)
      Y[k] = cast(sum[n](cast(X[n], i64) % 257*w[k*n % N]) % 257, u32)
''', r'''
ops:
  - op: spiking
    doc: a neuron that leaks, fires above one and starts again from zero
    types: {T: [f32, f64]}
    attrs: {leak: float = 0.5}
    in: {X: "T[L, C]"}
    out: {S: "u8[L, C]", V: "T[L, C]"}
    body: |
      v[t,c] = leak*padded(r[t - 1,c], 0) + X[t,c]
      r[t,c] = select(v[t,c] >= 1, 0, v[t,c])
      S[t,c] = select(v[t,c] >= 1, 1, 0)
      V[t,c] = r[t,c]
''', r'''
ops:
  - op: sound_compressor
    types: {T: [f32, f64]}
    attrs: {attack: float = 0.5, release: float = 0.125}
    in: {X: "T[B, N]"}
    out: {E: "T[B, N]"}
    body: |
      E[b,n] = padded(E[b,n - 1], 0) + select(abs(X[b,n]) > padded(E[b,n - 1], 0), attack, release)*(abs(X[b,n]) - padded(E[b,n - 1], 0))
''', r'''
ops:
  - op: plucked_string
    types: {T: [f32, f64]}
    attrs: {length: int = 5}
    in: {X: "T[N]"}
    require: [length >= 1]
    out: {Y: "T[N]"}
    body: Y[n] = X[n] + 0.5*(padded(Y[n - length], 0) + padded(Y[n - length - 1], 0))
''', r'''
ops:
  - op: epidemic
    types: {T: [f32, f64]}
    attrs: {beta: float = 0.5, gamma: float = 0.25, steps: int = 6}
    in: {S0: "T[R]", I0: "T[R]"}
    index: {t: steps}
    require: [steps >= 1]
    out: {S: "T[R]", I: "T[R]", Peak: "T[R]", When: "i64[R]"}
    body: |
      s[t,r] = select(t == 0, S0[r], padded(s[t - 1,r], 0)*(1 - beta*padded(i[t - 1,r], 0)))
      i[t,r] = select(t == 0, I0[r], padded(i[t - 1,r], 0)*(1 - gamma) + beta*padded(i[t - 1,r], 0)*padded(s[t - 1,r], 0))
      S[r] = s[steps - 1,r]
      I[r] = i[steps - 1,r]
      Peak[r], When[r] = max_at[t](i[t,r])
''', r'''
ops:
  - op: riccati
    types: {T: [f64]}
    attrs: {steps: int = 4}
    in: {A: "T[N, N]", Q: "T[N, N]", B: "T[N]"}
    index: {t: steps}
    require: [steps >= 1]
    out: {P: "T[N, N]"}
    body: |
      pb[t,i] = sum[j](padded(p[t - 1,i,j], Q[i,j])*B[j])
      g[t] = 1 + sum[i](B[i]*pb[t,i])
      m[t,i,j] = padded(p[t - 1,i,j], Q[i,j]) - pb[t,i]*pb[t,j]/g[t]
      h[t,i,j] = sum[k](m[t,i,k]*A[k,j])
      p[t,i,j] = Q[i,j] + sum[k](A[k,i]*h[t,k,j])
      P[i,j] = p[steps - 1,i,j]
''', r'''
ops:
  - op: luhn_check
    types: {T: [u8, i32, i64]}
    in: {D: "T[M, N]"}
    out: {Ok: "bool[M]"}
    body: |
      d[m,n] = cast(D[m,n], i64) % 10
      e[m,n] = select((N - 1 - n) % 2 == 1, 2*d[m,n] - select(d[m,n] > 4, 9, 0), d[m,n])
      Ok[m] = sum[n](e[m,n]) % 10 == 0
''', r'''
ops:
  - op: stable_counting_sort
    types: {T: any}
    attrs: {keys: int = 8}
    in: {K: "u8[N]", X: "T[N]"}
    require: [keys >= 1]
    out: {Y: "T[N]", At: "i64[N]"}
    body: |
      key[n] = min(cast(K[n], i64), keys - 1)
      at[n] = sum[k](select(key[k] < key[n], 1, 0)) + sum[k : k < n](select(key[k] == key[n], 1, 0))
      Y[wrap(at[n], N)] last= X[n]
      At[n] = at[n]
''', r'''
ops:
  - op: pareto_front
    types: {T: [f32, f64, i32]}
    in: {X: "T[N, D]"}
    let: {M: upto(N)}
    out: {I: "i64[M]"}
    body: |
      beaten[n] = any[k](all[d](X[k,d] <= X[n,d]) and any[d](X[k,d] < X[n,d]))
      at[n] = sum[k : k < n](select(beaten[k], 0, 1))
      M = sum[n](select(beaten[n], 0, 1))
      I[wrap(at[n], M)] last= n where not beaten[n]
''', r'''
ops:
  - op: levels_of_graph
    doc: the longest path to each node along edges that come from nodes before
    types: {I: index}
    in: {Ptr: "I[P]", From: "I[E]"}
    let: {N: P - 1}
    require: [P >= 1]
    out: {Level: "i32[N]"}
    body: |
      Level[n] = max(0, max[e in Ptr[n] .. Ptr[n + 1] : From[e] >= 0 and From[e] < n](Level[clamp(From[e], 0, N - 1)] + 1))
''', r'''
ops:
  - op: tanimoto
    types: {T: [u32, u64]}
    in: {A: "T[M, W]", B: "T[N, W]"}
    out: {Y: "f32[M, N]"}
    body: |
      both[m,n] = sum[w](cast(popcount(bit_and(A[m,w], B[n,w])), i32))
      some[m,n] = sum[w](cast(popcount(bit_or(A[m,w], B[n,w])), i32))
      Y[m,n] = select(some[m,n] == 0, 0, cast(both[m,n], f32)/cast(max(some[m,n], 1), f32))
''', r'''
ops:
  - op: substituted
    doc: bytes through a table that is computed, rows shifted
    index: {b: 8}
    tables:
      S: {type: "u8[256]", of: [k], values: "fold[b](a = cast(k, u8), bit_xor(bit_or(shl(a, 1), shr(a, 7)), cast(99, u8)))"}
    in: {X: "u8[B, 4, 4]"}
    out: {Y: "u8[B, 4, 4]"}
    body: Y[n,r,c] = S[cast(X[n,r,(c + r) % 4], i64)]
''', r'''
ops:
  - op: compensated_sum
    types: {T: [f32, f64]}
    in: {X: "T[M, N]"}
    out: {S: "T[M, N]"}
    body: |
      y[n,m] = X[m,n] - padded(c[n - 1,m], 0)
      s[n,m] = padded(s[n - 1,m], 0) + y[n,m]
      c[n,m] = (s[n,m] - padded(s[n - 1,m], 0)) - y[n,m]
      S[m,n] = s[n,m]
''', r'''
ops:
  - op: great_circles
    types: {T: [f32, f64]}
    in: {A: "T[M, 2]", B: "T[N, 2]"}
    out: {D: "T[M, N]", Near: "i64[M]"}
    body: |
      h[m,n] = sq(sin(0.5*(A[m,0] - B[n,0]))) + cos(A[m,0])*cos(B[n,0])*sq(sin(0.5*(A[m,1] - B[n,1])))
      D[m,n] = 2*asin(sqrt(min(h[m,n], 1)))
      Near[m] = argmin[n](h[m,n])
    require: [N >= 1]
''', r'''
ops:
  - op: rank_and_select
    types: {T: [u32]}
    in: {W: "T[N]", Q: "i64[K]"}
    index: {n: N}
    out: {R: "i64[K]"}
    body: |
      before[n] = sum[m : m < n](cast(popcount(W[m]), i64))
      word[k] = clamp(Q[k], 0, 32*N - 1)
      R[k] = before[clamp(word[k]//32, 0, N - 1)] + cast(popcount(bit_and(W[clamp(word[k]//32, 0, N - 1)], cast(shl(cast(1, i64), word[k] % 32) - 1, u32))), i64)
    require: [N >= 1]
''', r'''
ops:
  - op: parsed_brackets
    doc: the depth of each bracket, and whether all are closed
    in: {X: "i8[M, N]"}
    out: {Depth: "i32[M, N]", Ok: "bool[M]"}
    body: |
      Depth[m,n] = padded(Depth[m,n - 1], 0) + cast(X[m,n], i32)
      low[m] = min(0, min[n](Depth[m,n]))
      end[m] = sum[n](cast(X[m,n], i32))
      Ok[m] = low[m] >= 0 and end[m] == 0
''', r'''
ops:
  - op: collatz_steps
    attrs: {most: int = 40}
    in: {X: "i64[N]"}
    index: {t: most}
    require: [most >= 1]
    out: {Y: "i32[N]"}
    body: |
      v[t,n] = select(t == 0, max(X[n], 1), select(padded(v[t - 1,n], 1) == 1, 1, select(padded(v[t - 1,n], 1) % 2 == 0, padded(v[t - 1,n], 1)//2, 3*padded(v[t - 1,n], 1) + 1)))
      Y[n] = sum[t](select(v[t,n] != 1, 1, 0))
''', r'''
ops:
  - op: analytic_rows
    doc: a complex value of each real one, in the complex type that goes with it
    types: {T: float}
    in: {X: "T[*P, N]", A: "T[N]"}
    out: {Y: "complex(T)[*P, N]", E: "wide(T)[*P]"}
    body: |
      Y[*p,n] = complex(X[*p,n], A[n])*complex(0, 1) + X[*p,n]
      E[*p] = sum[n](cast(real(Y[*p,n]), wide(T)))
''', r'''
ops:
  - op: demodulated
    types: {T: float}
    in: {X: "complex(T)[N]", G: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = cast(real(X[n])*cast(G[n], real(complex(T))) + imag(X[n]), T)
''', r'''
ops:
  - op: shifted_any_rank
    types: {T: any}
    attrs: {by: "int[*S] = 1"}
    in: {X: "T[*S]"}
    out: {Y: "T[*S]"}
    body: Y[*s] = padded(X[*(s - by)], 3)

  - op: shifted_twice
    types: {T: any}
    attrs: {by: "int[*S] = 1"}
    in: {X: "T[*S]"}
    out: {Y: "T[*S]"}
    body: |
      a = shifted_any_rank(X, by=by)
      Y = shifted_any_rank(a)
''', r'''
ops:
  - op: normed_rows
    types: {T: [f32, f64]}
    attrs: {axis: int = -1}
    in: {X: "T[*P, D@axis, *Q]", Z: "T[*P, D, *Q]"}
    out: {Y: "T[*P, D, *Q]"}
    body: |
      s = softmax(X + 2*Z, axis=axis)
      c = cumsum(s, axis=axis)
      Y = add(c, Z)
''', r'''
ops:
  - op: summed_last
    types: {T: [f32, i32]}
    in: {X: "T[*P, M, K]"}
    out: {Y: "T[*P, M]", Z: "T[*P, M, K]"}
    body: |
      Y = sum(X, axes=[-1], keepdims=false)
      r = relu(X)
      Z = cumsum(r, axis=-2)
''']

BAD = [
    dict(why='a pack for single dims', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[*P, K]", W: "T[K, N]"}
    out: {Y: "T[*P, N]"}
    body: Y = gemm(«X», W)
'''),
    dict(why='an axis that is counted over a pack', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[*P, K]"}
    out: {Y: "T[*P, K]"}
    body: Y = cumsum(«X», axis=0)
'''),
    dict(why='the dims of a pack in an order', text='''ops:
  - op: wrong
    types: {T: any}
    in: {X: "T[*P, K]"}
    out: {Y: "T[K, *P]"}
    body: Y = transpose(«X», perm=[1, 0])
'''),
    dict(why='a step that needs a later one', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[L]"}
    out: {Y: "T[L]"}
    body: Y[t] = X[t] + padded(«Y[t - 1]», 0) + padded(«Y[t + 1]», 0)
'''),
]


def stepped(x, f, first):
    """f(state before, element) along the first axis, from `first`."""
    out, state = np.zeros_like(x), first
    for t in range(len(x)):
        state = f(state, x[t])
        out[t] = state
    return out


def padded_shift(x, by):
    out = np.full_like(x, 3)
    for at in np.ndindex(*x.shape):
        src = tuple(a - b for a, b in zip(at, by))
        if all(0 <= s < n for s, n in zip(src, x.shape)):
            out[at] = x[src]
    return out


def codes(rng):
    for key in ('u8', 'i32'):
        for n in (0, 1, 17, 40):
            lit, back = rand(rng, (n,), key, 0, 9), rng.integers(-4, 6, n).astype(np.int32)
            y = np.zeros(n, lit.dtype)
            for k in range(n):
                y[k] = lit[k] if back[k] <= 0 else (y[k - back[k]] if k >= back[k] else 0)
            yield dict(op='lz_decoded', key=key, inputs=[lit, back], want=[y], tol=EXACT)
    for n in (1, 5, 16):
        text = np.append(rng.integers(1, 5, n - 1), 0).astype(np.uint8)
        order = sorted(range(n), key=lambda k: tuple(np.roll(text, -k)))
        last = np.array([text[k - 1] for k in order], np.uint8)
        yield dict(op='burrows_wheeler_inverse', key='u8', inputs=[last], want=[np.roll(text, 1)[::1] if n == 1 else np.append(text[-1:], text[:-1])], tol=EXACT)
    for key in ('f32', 'f64', 'i32'):
        for m, stages in [(1, 1), (3, 3), (2, 5), (0, 2)]:
            x, h = rand(rng, (m, 2**stages), key, -3, 3), np.ones((1, 1))
            for _ in range(stages):
                h = np.kron([[1, 1], [1, -1]], h)
            yield dict(op='walsh_hadamard', key=key, inputs=[x], attrs={'stages': stages}, want=[wide(x) @ h], tol=EXACT if key == 'i32' else tol(ulp=2, acc=2**stages, mag=3*2**stages))
    for n in (1, 7, 16):
        x = rng.integers(0, 1000, n).astype(np.uint32)
        w = np.array([pow(3, int(t), 257) for t in range(n)])
        y = [sum(int(x[i]) % 257*int(w[k*i % n]) for i in range(n)) % 257 for k in range(n)]
        yield dict(op='number_transform', key='u32', inputs=[x], want=[np.array(y, np.uint32)], tol=EXACT)
    for key in ('u8', 'i32', 'i64'):
        for m, n in [(1, 1), (5, 16), (3, 7), (2, 0)]:
            d = rand(rng, (m, n), key, 0, 9)
            e = np.where((n - 1 - np.arange(n)) % 2 == 1, 2*wide(d) - np.where(wide(d) > 4, 9, 0), wide(d))
            yield dict(op='luhn_check', key=key, inputs=[d], want=[e.sum(1) % 10 == 0], dtypes=['bool'], tol=EXACT)
    for key, t in (('u32', np.uint32), ('u64', np.uint64)):
        for m, n, w in [(1, 1, 1), (3, 5, 4), (2, 3, 0), (0, 2, 2)]:
            a, b = (rng.integers(0, np.iinfo(t).max, (k, w), dtype=t) for k in (m, n))
            count = lambda x: np.array([[sum(bin(int(v)).count('1') for v in row) for row in rows] for rows in x]).reshape(m, n)
            both, some = count(a[:, None] & b[None]), count(a[:, None] | b[None])
            yield dict(op='tanimoto', key=key, inputs=[a, b], want=[np.where(some == 0, 0, both/np.maximum(some, 1))], dtypes=['f32'], tol=tol(ulp=1))
    table = []
    for k in range(256):
        for _ in range(8):
            k = (((k << 1) | (k >> 7)) & 255) ^ 99
        table.append(k)
    for n in (0, 1, 3):
        x = rng.integers(0, 256, (n, 4, 4)).astype(np.uint8)
        y = np.array(table, np.uint8)[np.stack([np.roll(x[:, r], -r, 1) for r in range(4)], 1)]
        yield dict(op='substituted', key='u8', inputs=[x], want=[y], tol=EXACT)
    for n, k in [(1, 5), (4, 17), (3, 0)]:
        w, q = rng.integers(0, 2**32, n, dtype=np.uint32), rng.integers(0, 32*n, k)
        bits = np.array([int(v) >> b & 1 for v in w for b in range(32)])
        yield dict(op='rank_and_select', key='u32', inputs=[w, q], want=[np.array([bits[:j].sum() for j in q], np.int64)], dtypes=['i64'], tol=EXACT)


def machines(rng):
    for key in ('f32', 'f64'):
        for length, c in [(1, 1), (17, 5), (9, 33), (0, 3)]:
            x = (rng.integers(0, 8, (length, c))/8).astype(np_dtype(key))
            v, spikes, kept = np.zeros(c), np.zeros((length, c), np.uint8), np.zeros((length, c))
            for t in range(length):
                v = 0.5*v + x[t]
                spikes[t] = v >= 1
                v = np.where(v >= 1, 0, v)
                kept[t] = v
            yield dict(op='spiking', key=key, inputs=[x], want=[spikes, kept], dtypes=['u8', key], tol=EXACT)
        for b, n in [(1, 1), (3, 40), (9, 7), (2, 0)]:
            x = (rng.integers(-16, 17, (b, n))/16).astype(np_dtype(key))
            e = stepped(np.abs(wide(x)).T, lambda s, a: s + np.where(a > s, 0.5, 0.125)*(a - s), np.zeros(b)).T
            yield dict(op='sound_compressor', key=key, inputs=[x], want=[e], tol=tol(ulp=2, acc=40, mag=1.0))
        for n, length in [(1, 1), (33, 5), (20, 1), (0, 2)]:
            x, y = rand(rng, (n,), key), np.zeros(n)
            for k in range(n):
                y[k] = wide(x)[k] + 0.5*((y[k - length] if k >= length else 0) + (y[k - length - 1] if k >= length + 1 else 0))
            yield dict(op='plucked_string', key=key, inputs=[x], attrs={'length': length}, want=[y], tol=tol(ulp=2, acc=2*n + 4, mag=4.0*n + 4))
        for r, steps in [(1, 1), (5, 6), (17, 12), (0, 3)]:
            s0, i0 = rand(rng, (r,), key, 0.5, 0.9), rand(rng, (r,), key, 0.01, 0.1)
            s, i, all_i = wide(s0), wide(i0), [wide(i0)]
            for _ in range(steps - 1):
                s, i = s*(1 - 0.5*i), i*0.75 + 0.5*i*s
                all_i.append(i)
            # the places are compared where no neighbour is near the best
            yield dict(op='epidemic', key=key, inputs=[s0, i0], attrs={'steps': steps}, want=[s, i, np.max(all_i, 0), np.argmax(all_i, 0)],
                       dtypes=[key, key, key, 'i64'], tol=[tol(ulp=2, acc=8*steps, mag=1.0)]*3 + [EXACT])
        for m, n in [(1, 1), (3, 33), (9, 5), (2, 0)]:
            x = (rng.integers(-8, 9, (m, n))/8).astype(np_dtype(key))
            yield dict(op='compensated_sum', key=key, inputs=[x], want=[np.cumsum(wide(x), 1)], tol=EXACT)
        for m, n in [(1, 1), (5, 17), (33, 2), (0, 3)]:
            a, b = rand(rng, (m, 2), key, -1, 1), rand(rng, (n, 2), key, -1, 1)
            x, y = wide(a)[:, None], wide(b)[None]
            h = np.sin((x[..., 0] - y[..., 0])/2)**2 + np.cos(x[..., 0])*np.cos(y[..., 0])*np.sin((x[..., 1] - y[..., 1])/2)**2
            yield dict(op='great_circles', key=key, inputs=[a, b], want=[2*np.arcsin(np.sqrt(h)), np.argmin(h, 1)], dtypes=[key, 'i64'], tol=[tol(ulp=16, acc=64, mag=1.0), EXACT])
    for n, steps in [(1, 1), (3, 4), (7, 3)]:
        a, b, root = rand(rng, (n, n), 'f64', -1, 1), rand(rng, (n,), 'f64', -1, 1), rand(rng, (n, n), 'f64', -1, 1)
        q = root @ root.T
        p = q
        for _ in range(steps):
            p = q + a.T @ (p - np.outer(p @ b, p @ b)/(1 + b @ p @ b)) @ a
        yield dict(op='riccati', key='f64', inputs=[a, q, b], attrs={'steps': steps}, want=[p], tol=tol(ulp=64, acc=2000, mag=np.abs(p).max()))
    for n in (1, 9, 40):
        x, y = rng.integers(1, 60, n), []
        for v in x:
            count = 0
            for t in range(40):
                count += v != 1
                v = 1 if v == 1 else v//2 if v % 2 == 0 else 3*v + 1
            y.append(count)
        yield dict(op='collatz_steps', key='i64', inputs=[x], want=[np.array(y, np.int32)], dtypes=['i32'], tol=EXACT)
    for m, n in [(1, 1), (4, 16), (3, 33), (2, 0)]:
        x = rng.integers(-1, 2, (m, n)).astype(np.int8)
        depth = np.cumsum(x.astype(np.int32), 1, dtype=np.int32)
        ok = (depth.min(1, initial=0) >= 0) & (x.sum(1) == 0)
        yield dict(op='parsed_brackets', key='i8', inputs=[x], want=[depth, ok], dtypes=['i32', 'bool'], tol=EXACT)


def places(rng):
    for key in available('f32', 'u8', 'i64', 'bf16'):
        for n in (0, 1, 17, 40):
            k, x = rng.integers(0, 10, n).astype(np.uint8), rand(rng, (n,), key)
            order = np.argsort(np.minimum(k, 7), kind='stable')
            at = np.empty(n, np.int64)
            at[order] = np.arange(n)
            yield dict(op='stable_counting_sort', key=key, inputs=[k, x], want=[x[order], at], dtypes=[key, 'i64'], tol=EXACT)
    for key in ('f32', 'f64', 'i32'):
        for n, d in [(1, 1), (17, 2), (9, 3), (0, 2)]:
            x = rand(rng, (n, d), key, 0, 5)
            front = [i for i in range(n) if not any((x[k] <= x[i]).all() and (x[k] < x[i]).any() for k in range(n))]
            yield dict(op='pareto_front', key=key, inputs=[x], want=[np.array(front, np.int64)], room=[(n,)], dtypes=['i64'], tol=EXACT)
    for key, t in (('i32', np.int32), ('i64', np.int64)):
        for n in (0, 1, 17):
            counts = rng.integers(0, 4, n)
            ptr, come = np.append(0, np.cumsum(counts)).astype(t), rng.integers(-1, max(n, 1), counts.sum()).astype(t)
            level = np.zeros(n, np.int32)
            for i in range(n):
                level[i] = max([0] + [level[e] + 1 for e in come[ptr[i]:ptr[i + 1]] if 0 <= e < i])
            yield dict(op='levels_of_graph', key=key, inputs=[ptr, come], want=[level], dtypes=['i32'], tol=EXACT)


def types_and_packs(rng):
    for key in available('f32', 'f64', 'f16', 'bf16'):
        made, wider = ('c128', 'f64') if key == 'f64' else ('c64', 'f64' if key == 'f32' else 'f32')
        for s in [(1,), (17,), (3, 5), (2, 3, 4), (0, 3)]:
            x, a = rand(rng, s, key), rand(rng, s[-1:], key)
            y = wide(x)*1j - wide(a) + wide(x)
            yield dict(op='analytic_rows', key=key, inputs=[x, a], want=[y, y.real.sum(-1)], dtypes=[made, wider], tol=[tol(ulp=2, acc=4, mag=6.0), tol(ulp=2, acc=s[-1] + 4, mag=4.0*s[-1], floor=s[-1]*2.0**-21)])
        for n in (0, 1, 17):
            x, g = rand(rng, (n,), made), rand(rng, (n,), key)
            yield dict(op='demodulated', key=key, inputs=[x, g], want=[wide(x).real*wide(g) + wide(x).imag], tol=tol(ulp=2, acc=4, mag=8.0))
    for key in available('f32', 'u8', 'f16'):
        for s in [(), (1,), (17,), (4, 5), (3, 2, 4), (2, 3, 1, 4)]:
            x, by = rand(rng, s, key), [int(b) for b in rng.integers(-1, 3, len(s))]
            yield dict(op='shifted_any_rank', key=key, inputs=[x], attrs={'by': by}, want=[padded_shift(x, by)], tol=EXACT)
            yield dict(op='shifted_twice', key=key, inputs=[x], attrs={'by': by}, want=[padded_shift(padded_shift(x, by), [1]*len(s))], tol=EXACT)
    for key in ('f32', 'f64'):
        for s, axis in [((5,), 0), ((3, 17), 1), ((3, 17), 0), ((2, 5, 3), 1), ((2, 5, 3), -3), ((0, 4), 1)]:
            x, z = rand(rng, s, key), rand(rng, s, key)
            u = wide(x) + 2*wide(z)
            e = np.exp(u - np.max(u, axis, keepdims=True, initial=-np.inf))
            yield dict(op='normed_rows', key=key, inputs=[x, z], attrs={'axis': axis}, want=[np.cumsum(e/e.sum(axis, keepdims=True), axis) + wide(z)], tol=tol(ulp=8, acc=40, mag=4.0))
    for key in ('f32', 'i32'):
        for s in [(1, 1), (3, 17), (2, 3, 5), (2, 1, 3, 4), (2, 0, 3), (3, 0)]:
            x = (rng.integers(-8, 9, s)).astype(np_dtype(key))
            yield dict(op='summed_last', key=key, inputs=[x], want=[x.sum(-1), np.cumsum(np.maximum(x, 0), -2)], tol=EXACT)


def cases(rng):
    for group in (codes, machines, places, types_and_packs):
        yield from group(rng)
