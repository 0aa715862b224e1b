"""Folds that start with what their loops make, recurrences within recurrences, checks of outputs, indices that are counts."""
import numpy as np

from casekit import EXACT, available, np_dtype, rand, tol, wide

OPS = r'''
ops:
  - op: started_by_neighbours
    doc: folds that start with elements that the loops around and of the fold define
    types: {T: [u8, i32, u64]}
    in: {X: "T[M, N]"}
    require: [N >= 1]
    out: {Y: "T[M]", W: "T[M, N]", V: "T[M]", U: "T[M]"}
    body: |
      z[m] = sum[n](X[m,n])
      Y[m] = fold[n](a = z[M - 1 - m], 5*a + X[m,n])
      W[m,n] = X[m,n]*3
      V[m] = fold[n](a = W[m,0] + W[m,N - 1], 5*a + W[m,n])
      U[m] = fold[n](a = V[m], 3*a + W[m,n]) + fold[n](a = W[M - 1 - m,0], 7*a + X[m,n])

  - op: stages_of_steps
    doc: stages within steps, from the last on, each with counted sweeps of its own
    types: {T: [f32, f64]}
    attrs: {steps: int = 2, stages: int = 3, sweeps: int = 2}
    require: [steps >= 1, stages >= 1, sweeps >= 1]
    index: {t: steps, s: stages, k: sweeps}
    in: {X: "T[N]", A: "T[N, N]"}
    out: {Y: "T[N]", Log: "T[N]"}
    body: |
      was[t,i] = padded(y[t - 1,i], X[i])
      p[t,s,i] = 0.5*was[t,i] + 0.25*padded(d[t,s + 1,i], 0)
      q[t,s,k,i] = p[t,s,i] + 0.1*sum[j](A[i,j]*padded(r[t,s,k - 1,j], 1))
      r[t,s,k,i] = q[t,s,k,i] - 0.125*padded(r[t,s,k - 1,i], 0)
      d[t,s,i] = r[t,s,sweeps - 1,i] + p[t,s,i]
      e[t,i] = d[t,0,i] + 0.0625*was[t,i]
      l[t,i] = 0.5*padded(l[t,i - 1], 0) + e[t,i]
      y[t,i] = 0.5*l[t,i] + 0.25*d[t,stages - 1,i]
      Y[i] = y[steps - 1,i]
      Log[i] = l[steps - 1,i]

  - op: doors
    doc: keys of the day, tried in turns at doors that the day before left shut
    types: {I: index}
    in: {Key: "I[L, S]", D0: "I[N]"}
    require: [L >= 1, S >= 1]
    out: {Open: "i64[N]", Tries: "i64[L, S]"}
    body: |
      n[t,i] = padded(o[t - 1,i], 0)
      Tries[t,s] = padded(Tries[t,s - 1], 0) + n[t,wrap(Key[t,s], N)] + padded(c[t,s - 1,wrap(Key[t,s], N)], 0)
      c[t,s,i] = padded(c[t,s - 1,i], 0) + select(i == wrap(Key[t,s], N), 1, 0)
      o[t,i] = n[t,i] + c[t,S - 1,i]*(t + 1) + D0[i]
      Open[i] = o[L - 1,i]

  - op: counted_by_code
    doc: targets that are outputs, checked before anything is stored
    types: {T: real, I: index}
    in: {X: "T[M, N]", P: "I[N]"}
    attrs: {most: int = 4}
    let: {K: most}
    require: [most >= 1]
    out: {Code: "u8[M, N]", Half: "f16[N]", Count: "i32[K]", Where: "i64[K]", Sum: "i64[K]"}
    body: |
      Code[m,n] = select(X[m,n] > 0, 1, 0) + select(X[m,n] > 1, 2, 0)
      Half[n] = cast(P[n], f16)/2
      Count[wrap(Code[m,n], K)] += 1
      Where[wrap(cast(floor(2*Half[n]), i64), K)] last= n
      before[n] = sum[k : k < n](P[k] > 0)
      at[n] = clamp(before[n], 0, K - 1)
      Sum[at[n]] += n

  - op: taken_at_counts
    types: {T: any, I: index}
    in: {X: "T[N]", L: "I[M]"}
    require: [N >= 1]
    out: {Y: "T[M]", Z: "T[M]"}
    body: |
      c[m] = clamp(sum[k](L[k] < L[m]), 0, N - 1)
      d[m] = min(max(max[k : L[k] == L[m]](k), 0), N - 1)
      Y[m] = X[c[m]]
      Z[m] = X[d[m]]
'''

VECTOR = '''ops:
  - op: wrong
    types: {T: float}
    index: {s: 3}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: |
'''
BAD = [
    dict(why='the inner recurrence reads the step that it belongs to', text=VECTOR + '''      a[t] = X[t] + padded(Y[t - 1], 0)
      p[t,s] = a[t] + padded(d[t,s - 1], 0) + padded(«d[t,s + 1]», 0)
      d[t,s] = 2*p[t,s]
      Y[t] = d[t,2]
'''),
    dict(why='stages that share no variable but the step', text=VECTOR + '''      p[t,s] = X[t] + padded(Y[t - 1], 0) + padded(«d[t,s - 1]», 0)
      d[t,j] = 2*p[t,1]*X[j]
      Y[t] = padded(d[t,2], 0)
'''),
    dict(why='a stage that reads the result of all', text=VECTOR + '''      p[t,s] = X[t] + padded(d[t,s - 1], 0) + «Y[t]»
      d[t,s] = 2*p[t,s]
      Y[t] = d[t,2]
'''),
]


def cases(rng):
    for key in ('u8', 'i32', 'u64'):
        t = np_dtype(key)
        for m, n in ((1, 1), (3, 4), (5, 17), (16, 33), (0, 3)):
            x = rng.integers(0, 9, (m, n)).astype(t)

            def fold(start, rows, by):
                a = start.copy()
                for k in range(n): a = (a*np.array(by, t) + rows[:, k]).astype(t)
                return a
            w = (x*np.array(3, t)).astype(t)
            v = fold((w[:, 0] + w[:, -1]).astype(t), w, 5)
            u = (fold(v, w, 3) + fold(w[::-1, 0], x, 7)).astype(t)
            yield dict(op='started_by_neighbours', key=key, inputs=[x], want=[fold(x.sum(1, dtype=t)[::-1], x, 5), w, v, u], tol=EXACT)
    for key in ('f32', 'f64'):
        for n in (1, 5, 17, 33):
            x, a = rand(rng, (n,), key), rand(rng, (n, n), key, -.5, .5)
            for steps, stages, sweeps in ((1, 1, 1), (2, 3, 2), (3, 1, 4), (2, 4, 1)):
                y = wide(x)
                for _ in range(steps):
                    was, d, ds = y, np.zeros(n), {}
                    for s in reversed(range(stages)):
                        p = .5*was + .25*d
                        r, before = np.ones(n), np.zeros(n)
                        for _ in range(sweeps):
                            r = p + .1*wide(a) @ r - .125*before
                            before = r
                        d = ds[s] = r + p
                    e, l = ds[0] + .0625*was, np.zeros(n)
                    for i in range(n): l[i] = .5*(l[i - 1] if i else 0) + e[i]
                    y = .5*l + .25*ds[stages - 1]
                yield dict(op='stages_of_steps', key=key, inputs=[x, a], attrs={'steps': steps, 'stages': stages, 'sweeps': sweeps}, want=[y, l], tol=tol(ulp=4, acc=64*n*steps, mag=8.0*(1 + .1*n)**(steps*sweeps)))
    for it in (np.int32, np.int64):
        for l, s, n in ((1, 1, 1), (3, 5, 4), (7, 2, 17), (4, 9, 33)):
            k, d0 = rng.integers(-n, n, (l, s)).astype(it), rng.integers(0, 5, n).astype(it)
            o, tries = np.zeros(n, np.int64), np.zeros((l, s), np.int64)
            for t in range(l):
                c, run = np.zeros(n, np.int64), 0
                for j in range(s):
                    run += o[k[t, j]] + c[k[t, j]]
                    tries[t, j] = run
                    c[k[t, j]] += 1
                o = o + c*(t + 1) + d0
            yield dict(op='doors', key='i32' if it is np.int32 else 'i64', inputs=[k, d0], want=[o, tries], dtypes=['i64', 'i64'], tol=EXACT)
            if n == 17:
                k = k.copy(); k[2, 1] = n
                yield dict(op='doors', key='i32' if it is np.int32 else 'i64', inputs=[k, d0], error='a key of no door', out=[('i64', (n,)), ('i64', (l, s))])
    for key in available('f32', 'i8', 'f64', 'f16', 'u16'):
        for it in (np.int32, np.int64):
            for m, n, most in ((1, 1, 4), (3, 17, 5), (0, 3, 4), (2, 33, 4), (2, 9, 3)):
                x, p = rand(rng, (m, n), key, -1, 3), rng.integers(0, min(most, 4), n).astype(it)
                code = (wide(x) > 0).astype(np.uint8) + 2*(wide(x) > 1).astype(np.uint8)
                outs = [('u8', (m, n)), ('f16', (n,)), ('i32', (most,)), ('i64', (most,)), ('i64', (most,))]
                if most == 3:
                    if code.max() < 3: continue
                    yield dict(op='counted_by_code', key=key, inputs=[x, p], attrs={'most': most}, error='a code beyond', out=outs)
                    continue
                where, total = np.zeros(most, np.int64), np.zeros(most, np.int64)
                for i in range(n):
                    where[p[i]] = i
                    total[min((p[:i] > 0).sum(), most - 1)] += i
                yield dict(op='counted_by_code', key=key, inputs=[x, p], attrs={'most': most}, want=[code, p/2, np.bincount(code.ravel(), minlength=most), where, total], dtypes=[d for d, _ in outs], tol=EXACT)
    for key in available('f32', 'i8', 'bool', 'c64'):
        for it in (np.int32, np.int64):
            for n, m in ((1, 1), (5, 17), (33, 9), (2, 0)):
                x, l = rand(rng, (n,), key), rng.integers(0, 9, m).astype(it)
                c = np.minimum((l[None] < l[:, None]).sum(1), n - 1) if m else np.zeros(0, int)
                d = np.array([min(max(k for k in range(m) if l[k] == l[i]), n - 1) for i in range(m)], int)
                yield dict(op='taken_at_counts', key=key, inputs=[x, l], want=[x[c], x[d]], dtypes=[key, key], tol=EXACT)
