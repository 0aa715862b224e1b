"""Calls whose arguments are functions of tensors, or of other types than their neighbours; parts of their results; clamps."""
import numpy as np

from casekit import EXACT, available, np_dtype, rand, softmax, tol, wide

OPS = [r'''
ops:
  - op: softmax_of_functions
    types: {T: float}
    in: {X: "T[M, N]", Z: "T[M, N]"}
    out: {Y: "T[M, N]"}
    body: |
      p = softmax(max(X, Z, 0), axis=-1)
      q = softmax(abs(Z) + cast(M, T), axis=-1)
      Y[m,n] = p[m,n] - q[m,n]

  - op: normed_residual
    types: {T: float}
    in: {X: "T[*P, N]", R: "T[*P, N]", G: "T[N]", B: "T[N]"}
    out: {Y: "T[*P, N]"}
    body: Y = layernorm(X + R, G, B)

  - op: two_layers_of_one_type
    types: {T: float}
    in: {X: "T[M, K]", W: "T[K, N]", V: "T[N, K]"}
    out: {Y: "T[M, K]"}
    body: |
      x[m,k] = 2*X[m,k] - 1
      h = matmul(x, W)
      Y = matmul(h, V)
''', r'''
ops:
  - op: clamped_in_its_type
    types: {T: [i8, u8, i32, u32, i64, u64]}
    in: {X: "T[N]"}
    out: {Y: "T[N]", Z: "T[N]"}
    body: |
      Y[i] = clamp(X[i], 5, 10)
      Z[i] = cast(clamp(cast(X[i], wide(T))*2, cast(lowest(T), wide(T)), cast(highest(T), wide(T))), T)

  - op: rows_and_columns_chosen
    types: {T: any}
    in: {X: "T[N, D]", R: "bool[N]", C: "bool[D]"}
    let: {M: upto(N), K: upto(D)}
    out: {Y: "T[M, D]", Z: "T[N, K]"}
    body: |
      Y = compress(X, R)
      Z = compress(X, C, axis=-1)
''', r'''
ops:
  - op: first_of_sorted
    doc: a part of what a call gives
    types: {T: [f32, i16, u8]}
    attrs: {k: int = 2}
    require: [k >= 1, k <= N]
    in: {X: "T[B, N]"}
    out: {Y: "T[B, k]", V: "T[B, k]"}
    body: |
      s, at = sort(X, axis=-1)
      Y[b,j] = s[b,j] + 0*X[b,wrap(at[b,j], N)]
      v, i = topk(X, k=N)
      V[b,j] = v[b,j]

  - op: clamped_steps
    doc: windows at steps of the call whose index may be below 0
    types: {T: [f32, i32]}
    attrs: {step: int = 1}
    in: {X: "T[N]", F: "T[R]"}
    require: [step > 0, N >= 1]
    let: {L: N*step}
    index: {u: L}
    out: {Y: "T[L]", Z: "T[L]"}
    body: |
      Y[u] = sum[r : (u - r) % step == 0 and (u - r)//step < N](X[clamp((u - r)//step, 0, N - 1)]*F[r])
      Z[u] = sum[r : (u - r) % step == 0 and (u - r)//step < N](cast((u - r)//step, T)*F[r])

  - op: places_of_values
    doc: indices that are converted from values of which some are the same in all iterations
    types: {T: [f32, f64, i32]}
    in: {A: "T[N, M]", B: "T[N, M]", D: "T[M]"}
    require: [N >= 1, M >= 1]
    out: {Y: "T[N]", Z: "T[N, M]"}
    body: |
      Y[j] = sum[c](A[clamp(cast(B[(2*j + 1) % N,0] + D[c], i64), 0, N - 1),c])
      Z[j,c] = sum[i : A[i,c] > 0](D[c]*A[clamp(cast(B[(2*j + 1) % N,c] + A[i,c], i64), 0, N - 1),c])

  - op: rows_of_others
    doc: for each column the sparse rows, once for each other column
    types: {T: [f32, i32], I: index}
    in: {A: "T[N, M]", C: "T[M]", V: "T[E]", Ptr: "I[P]", Col: "I[E]"}
    require: [P == N + 1]
    index: {l: M}
    out: {Y: "T[N, M]"}
    body: "Y[i,j] = sum[l : l != j](A[i,l]*sum[e in Ptr[i] .. Ptr[i + 1]](V[e]*C[wrap(Col[e], M)]))"
''']


def cases(rng):
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for m, n in [(1, 1), (3, 17), (2, 33), (0, 4)]:
            x, z = rand(rng, (m, n), key), rand(rng, (m, n), key)
            want = softmax(np.maximum(np.maximum(wide(x), wide(z)), 0)) - softmax(np.abs(wide(z)))
            yield dict(op='softmax_of_functions', key=key, inputs=[x, z], want=[want], tol=tol(ulp=2, acc=24, mag=1.0))
        for s in [(1,), (17,), (3, 33), (2, 3, 5), (0, 4)]:
            x, r, g, b = rand(rng, s, key), rand(rng, s, key), rand(rng, s[-1:], key), rand(rng, s[-1:], key)
            v = wide(x) + wide(r)
            d = v - v.mean(-1, keepdims=True)
            want = d/np.sqrt((d*d).mean(-1, keepdims=True) + 1e-5)*wide(g) + wide(b)
            yield dict(op='normed_residual', key=key, inputs=[x, r, g, b], want=[want], tol=tol(ulp=2, acc=400, mag=4.0))
        for m, k, n in [(1, 1, 1), (3, 5, 7), (16, 33, 17), (0, 2, 3), (2, 3, 0)]:
            x, w, v = rand(rng, (m, k), key), rand(rng, (k, n), key), rand(rng, (n, k), key)
            a = 2*wide(x) - 1
            yield dict(op='two_layers_of_one_type', key=key, inputs=[x, w, v], want=[a @ wide(w) @ wide(v)],
                       tol=tol(ulp=2, acc=2*(k + n + 4), mag=np.abs(a) @ np.abs(wide(w)) @ np.abs(wide(v))))
    for key in available('f32', 'i8', 'bool', 'c64'):
        for n, d in [(1, 1), (5, 3), (17, 33), (0, 2), (3, 0)]:
            x, r, c = rand(rng, (n, d), key), rand(rng, (n,), 'bool'), rand(rng, (d,), 'bool')
            yield dict(op='rows_and_columns_chosen', key=key, inputs=[x, r, c], want=[x[r], x[:, c]], dtypes=[key, key],
                       room=[(n, d), (n, d)], tol=EXACT)
    for key in ('f32', 'i16', 'u8'):
        for b, n, k in [(1, 1, 1), (3, 17, 2), (2, 5, 5), (0, 3, 2)]:
            x = rand(rng, (b, n), key, -9, 9)
            s = np.sort(x, -1)
            yield dict(op='first_of_sorted', key=key, inputs=[x], attrs={'k': k}, want=[s[:, :k], s[:, ::-1][:, :k]], tol=EXACT)
        yield dict(op='first_of_sorted', key=key, inputs=[rand(rng, (2, 3), key)], attrs={'k': 4}, error='k', out=[(key, (2, 4))]*2)
    for key in ('f32', 'i32'):
        for n, r, step in [(5, 4, 2), (3, 7, 3), (4, 3, 1), (1, 5, 2)]:
            x, f = (rand(rng, (k,), 'i32', -3, 3).astype(np_dtype(key)) for k in (n, r))
            y, z = np.zeros(n*step, x.dtype), np.zeros(n*step, x.dtype)
            for u in range(n*step):
                for k in (k for k in range(r) if (u - k) % step == 0):
                    y[u] += x[max((u - k)//step, 0)]*f[k]; z[u] += (u - k)//step*f[k]
            yield dict(op='clamped_steps', key=key, inputs=[x, f], attrs={'step': step}, want=[y, z], tol=EXACT)
    for key in ('f32', 'f64', 'i32'):
        for n, m in [(1, 1), (5, 3), (2, 17), (9, 33)]:
            a, b, d = (rand(rng, s, 'i32', -3, 9).astype(np_dtype(key)) for s in ((n, m), (n, m), m))
            y, z = np.zeros(n, a.dtype), np.zeros((n, m), a.dtype)
            for j in range(n):
                for c in range(m):
                    at = lambda v: np.clip(int(v), 0, n - 1)
                    y[j] += a[at(b[(2*j + 1) % n, 0] + d[c]), c]
                    z[j, c] = sum(d[c]*a[at(b[(2*j + 1) % n, c] + a[i, c]), c] for i in range(n) if a[i, c] > 0)
            yield dict(op='places_of_values', key=key, inputs=[a, b, d], want=[y, z], tol=EXACT)
    for key in ('f32', 'i32'):
        for t in (np.int32, np.int64):
            for n, m in [(1, 1), (5, 3), (2, 17), (0, 2)]:
                ptr = np.cumsum([0, *rng.integers(0, 4, n)]).astype(t)
                a, c, v = (rand(rng, s, 'i32', -3, 3).astype(np_dtype(key)) for s in ((n, m), m, ptr[-1]))
                col = rng.integers(-m, m, ptr[-1]).astype(t)
                row = np.array([(v*c[col])[ptr[i]:ptr[i + 1]].sum() for i in range(n)]).reshape(n, 1)
                yield dict(op='rows_of_others', key=key, inputs=[a, c, v, ptr, col], want=[(a.sum(1, keepdims=True) - a)*row], tol=EXACT)
                if m > 1 and len(col):
                    far = np.append(col[:-1], m).astype(t)
                    yield dict(op='rows_of_others', key=key, inputs=[a, c, v, ptr, far], error='range', out=[(key, (n, m))])
    for key in ('i8', 'u8', 'i32', 'u32', 'i64', 'u64'):
        info = np.iinfo(rand(rng, (1,), key).dtype)
        x = np.array([info.min, info.max, 0, 7, 11, 100, info.max//2 + 1, info.max - 7], info.dtype)
        if info.bits == 64:                                       # the widest: products wrap
            twice = x*info.dtype.type(2)
        else:
            twice = np.clip(x.astype(np.int64)*2, info.min, info.max)
        yield dict(op='clamped_in_its_type', key=key, inputs=[x], want=[np.clip(x, 5, 10), twice], dtypes=[key, key], tol=EXACT)
