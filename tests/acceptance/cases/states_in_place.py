"""States of which a step changes few elements: decks, boards, tables of seen colours, automata."""
import numpy as np

from casekit import EXACT, np_dtype, rand, wide

OPS = r'''
ops:
  - op: swapped_counted
    doc: a permutation by swaps, how often each letter came so far, and which did
    types: {I: index}
    in: {A: "I[B, L]", C: "I[B, L]"}
    attrs: {places: int}
    let: {N: places}
    require: [places >= 1]
    index: {i: N}
    out: {P: "i64[B, N]", So: "i64[B, L]", Seen: "bool[B, N]"}
    body: |
      a[b,t] = padded(p[b,t - 1,wrap(A[b,t], N)], wrap(A[b,t], N))
      c[b,t] = padded(p[b,t - 1,wrap(C[b,t], N)], wrap(C[b,t], N))
      p[b,t,i] = select(i == wrap(A[b,t], N), c[b,t], select(i == wrap(C[b,t], N), a[b,t], padded(p[b,t - 1,i], i)))
      P[b,i] = select(L == 0, i, padded(p[b,L - 1,i], 0))
      n[b,t,i] = padded(n[b,t - 1,i], 0) + select(i == wrap(A[b,t], N), 1, 0)
      So[b,t] = n[b,t,wrap(A[b,t], N)]
      s[b,t,i] = padded(s[b,t - 1,i], false) or i == wrap(A[b,t], N)
      Seen[b,i] = padded(s[b,L - 1,i], false)

  - op: rest_of_the_deck
    doc: cards laid from the last on, by rows of a board that each card may clear
    types: {T: [f32, i16, f16]}
    in: {X: "T[L]", Row: "i32[L]", Col: "i32[L]", Clear: "bool[L]"}
    attrs: {rows: int, columns: int}
    let: {R: rows, C: columns}
    require: [rows >= 1, columns >= 1, L >= 1]
    index: {r: R, c: C}
    out: {Y: "T[R, C]", Top: "T[L]"}
    body: |
      g[t,r,c] = select(r == clamp(Row[t], 0, R - 1) and c == Col[t], X[t], select(Clear[t] and r == t % R, 0, padded(g[t + 1,r,c], 1)))
      Top[t] = padded(g[t,clamp(Row[t], 0, R - 1),Col[t]], 9)
      Y[r,c] = g[0,r,c]

  - op: taken_once
    doc: a place is taken by the first choice of a step if it is free, and else by the second
    types: {I: index}
    in: {A: "I[L]", B: "I[L]"}
    attrs: {places: int}
    let: {N: places}
    require: [places >= 1, L >= 1]
    index: {i: N}
    out: {Y: "i64[N]"}
    body: |
      g[t,i] = select(i == A[t] and padded(g[t - 1,i], 0) == 0, 1, select(i == B[t], 2, padded(g[t - 1,i], 0)))
      Y[i] = g[L - 1,i]

  - op: langtons_ant
    doc: a walker that turns by the colour of its cell, and flips it
    in: {G0: "bool[H, W]"}
    attrs: {steps: int = 10}
    require: [steps >= 1, H >= 1, W >= 1]
    index: {t: steps}
    let: {S: steps}
    out: {G: "bool[H, W]", Path: "i64[S, 2]"}
    body: |
      y[t] = (padded(y[t - 1], H//2) + select(t == 0, 0, select(padded(d[t - 1], 0) == 0, -1, select(padded(d[t - 1], 0) == 2, 1, 0)))) % H
      x[t] = (padded(x[t - 1], W//2) + select(t == 0, 0, select(padded(d[t - 1], 0) == 1, 1, select(padded(d[t - 1], 0) == 3, -1, 0)))) % W
      here[t] = padded(g[t - 1,y[t],x[t]], G0[y[t],x[t]])
      d[t] = (padded(d[t - 1], 0) + select(here[t], 3, 1)) % 4
      g[t,i,j] = select(i == y[t] and j == x[t], not here[t], padded(g[t - 1,i,j], G0[i,j]))
      G[i,j] = g[steps - 1,i,j]
      Path[t,c] = select(c == 0, y[t], x[t])

  - op: qoi_decode
    doc: pixels of chunks in the quite OK image format; the table of seen colours is carried along
    attrs: {pixels: int}
    in: {B: "u8[N]"}
    let: {P: pixels}
    index: {j: 64, c: 4}
    require: [pixels >= 1, N >= 5]
    out: {Y: "u8[P, 4]"}
    body: |
      at[p] = padded(at[p - 1], 0) + padded(len[p - 1], 0)
      tag[p] = cast(B[clamp(at[p], 0, N - 5)], i32)
      old[p] = padded(run[p - 1], 0)
      run[p] = select(old[p] > 0, old[p] - 1, select(tag[p] >= 192 and tag[p] < 254, tag[p] - 192, 0))
      len[p] = select(old[p] > 0, 0, select(tag[p] == 254, 4, select(tag[p] == 255, 5, select(tag[p] >= 128 and tag[p] < 192, 2, 1))))
      b[p] = cast(B[clamp(at[p], 0, N - 5) + 1], i32)
      g[p] = tag[p] % 64 - 32
      d[p,c] = select(c == 3, 0, select(tag[p] < 128, shr(tag[p], select(c == 0, 4, select(c == 1, 2, 0))) % 4 - 2, g[p] + select(c == 0, b[p]//16 - 8, select(c == 2, b[p] % 16 - 8, 0))))
      was[p,c] = padded(Y[p - 1,c], select(c == 3, 255, 0))
      Y[p,c] = select(old[p] > 0 or (tag[p] >= 192 and tag[p] < 254), was[p,c], select(tag[p] == 254, select(c == 3, was[p,c], B[clamp(at[p], 0, N - 5) + min(c + 1, 4)]), select(tag[p] == 255, B[clamp(at[p], 0, N - 5) + c + 1], select(tag[p] < 64, padded(seen[p - 1,tag[p] % 64,c], 0), was[p,c] + cast(d[p,c], u8)))))
      h[p] = (cast(Y[p,0], i32)*3 + cast(Y[p,1], i32)*5 + cast(Y[p,2], i32)*7 + cast(Y[p,3], i32)*11) % 64
      seen[p,j,c] = select(j == h[p], Y[p,c], padded(seen[p - 1,j,c], 0))

  - op: aho_corasick
    doc: an automaton of words, states in order of their depth; failures and hits of a text
    types: {I: index}
    in: {Goto: "I[S, 4]", Parent: "I[S]", Letter: "u8[S]", Word: "bool[S]", X: "u8[N]"}
    require: [S >= 1]
    index: {c: 4}
    out: {At: "i64[N]", Hits: "i64[N]"}
    body: |
      fail[s] = select(s == 0 or Parent[s] == 0, 0, padded(next[clamp(padded(fail[clamp(min(Parent[s], s - 1), -1, S)], 0), -1, s - 1),Letter[s] % 4], 0))
      next[s,c] = select(Goto[s,c] >= 0, Goto[s,c], select(s == 0, 0, padded(next[clamp(fail[s], -1, s - 1),c], 0)))
      hits[s] = select(Word[s], 1, 0) + select(s == 0, 0, padded(hits[clamp(fail[s], -1, s - 1)], 0))
      At[n] = next[clamp(padded(At[n - 1], 0), 0, S - 1),X[n] % 4]
      Hits[n] = hits[clamp(At[n], 0, S - 1)]
'''


def qoi_encode(px):
    out = bytearray(); seen = [(0, 0, 0, 0)]*64; prev = (0, 0, 0, 255); run = 0; kinds = set()
    for i, p in enumerate(px):
        if p == prev:
            run += 1
            if run == 62 or i == len(px) - 1:
                out.append(0xc0 | (run - 1)); run = 0
            kinds.add('run'); continue
        if run:
            out.append(0xc0 | (run - 1)); run = 0
        h = (p[0]*3 + p[1]*5 + p[2]*7 + p[3]*11) % 64
        s8 = lambda v: (v + 128) % 256 - 128
        if seen[h] == p:
            out.append(h); kinds.add('index')
        elif p[3] == prev[3]:
            dr, dg, db = (s8(p[k] - prev[k]) for k in range(3))
            if all(-2 <= v <= 1 for v in (dr, dg, db)):
                out.append(0x40 | (dr + 2) << 4 | (dg + 2) << 2 | (db + 2)); kinds.add('diff')
            elif -32 <= dg <= 31 and -8 <= dr - dg <= 7 and -8 <= db - dg <= 7:
                out.append(0x80 | dg + 32); out.append((dr - dg + 8) << 4 | (db - dg + 8)); kinds.add('luma')
            else:
                out += bytes([0xfe, *p[:3]]); kinds.add('rgb')
        else:
            out += bytes([0xff, *p]); kinds.add('rgba')
        seen[h] = p; prev = p
    return bytes(out) + bytes(7) + b'\1', kinds


def ant(g0, steps):
    g = g0.copy(); H, W = g.shape; y, x, d = H//2, W//2, 0; path = []
    for t in range(steps):
        if t:
            y = (y + (-1, 0, 1, 0)[d]) % H; x = (x + (0, 1, 0, -1)[d]) % W
        path.append((y, x))
        d = (d + (3 if g[y, x] else 1)) % 4
        g[y, x] = not g[y, x]
    return g, np.array(path, np.int64).reshape(steps, 2)


def cases(rng):
    for key in ('i32', 'i64'):
        for B, L, N in ((2, 9, 5), (1, 1, 1), (3, 40, 17), (0, 3, 4), (2, 0, 3), (2, 17, 33)):
            A, C = (rng.integers(-N, N, (B, L)).astype(np_dtype(key)) for _ in range(2))
            P, So, New = np.tile(np.arange(N), (B, 1)), np.zeros((B, L), np.int64), np.zeros((B, N), bool)
            for b in range(B):
                n = [0]*N
                for t in range(L):
                    i, j = int(A[b, t]) % N, int(C[b, t]) % N
                    P[b, i], P[b, j] = P[b, j], P[b, i]
                    New[b, i] = True; n[i] += 1; So[b, t] = n[i]
            yield dict(op='swapped_counted', key=key, inputs=[A, C], attrs=dict(places=N), want=[P, So, New], dtypes=['i64', 'i64', 'bool'], tol=EXACT)
    for L, N in ((1, 1), (7, 3), (9, 17), (3, 4)):
        A, B = (rng.integers(-1, N + 1, L).astype(np.int32) for _ in range(2))
        B[::3] = A[::3]
        Y = np.zeros(N, np.int64)
        for a, b in zip(A, B):
            free = 0 <= a < N and Y[a] == 0
            if 0 <= b < N and not (free and a == b): Y[b] = 2
            if free: Y[a] = 1
        yield dict(op='taken_once', key='i32', inputs=[A, B], attrs=dict(places=N), want=[Y], dtypes=['i64'], tol=EXACT)
    for key in ('f32', 'i16', 'f16'):
        for L, R, C in ((9, 3, 5), (1, 1, 1), (40, 4, 17), (17, 5, 33)):
            X = rand(rng, (L,), key, 2, 9); row = rng.integers(-1, R + 1, L).astype(np.int32); col = rng.integers(-1, C + 1, L).astype(np.int32); clear = rng.uniform(size=L) < .3
            g, top = np.ones((R, C)), np.zeros(L)
            for t in range(L - 1, -1, -1):
                if clear[t]: g[t % R] = 0
                r = min(max(row[t], 0), R - 1)
                if 0 <= col[t] < C: g[r, col[t]] = wide(X)[t]
                top[t] = g[r, col[t]] if 0 <= col[t] < C else 9
            yield dict(op='rest_of_the_deck', key=key, inputs=[X, row, col, clear], attrs=dict(rows=R, columns=C), want=[g, top], dtypes=[key, key], tol=EXACT)
    for H, W, s in ((5, 7, 30), (1, 1, 3), (16, 17, 200)):
        g = rng.integers(0, 2, (H, W)).astype(bool)
        yield dict(op='langtons_ant', key='bool', inputs=[g], attrs=dict(steps=s), want=list(ant(g, s)), dtypes=['bool', 'i64'], tol=EXACT)
    for P in (1, 5, 70, 300):
        px = []; p = [10, 20, 30, 255]
        for i in range(P):
            k = rng.integers(0, 7)
            if k == 0: p = list(rng.integers(0, 256, 4))
            elif k == 1: p = [int(v) for v in rng.integers(0, 256, 3)] + [p[3]]
            elif k == 2: p = [int(v + d) % 256 for v, d in zip(p[:3], rng.integers(-2, 2, 3))] + [p[3]]
            elif k == 3:
                g = int(rng.integers(-32, 32)); p = [(p[0] + g + int(rng.integers(-8, 8))) % 256, (p[1] + g) % 256, (p[2] + g + int(rng.integers(-8, 8))) % 256, p[3]]
            elif k == 4 and px: p = list(px[rng.integers(0, len(px))])
            p = [int(v) for v in p]; px.append(tuple(p))
            if rng.integers(0, 12) == 0: px += [px[-1]]*70
        px = px[:P]
        code, kinds = qoi_encode(px)
        assert P < 300 or kinds == {'run', 'index', 'diff', 'luma', 'rgb', 'rgba'}
        yield dict(op='qoi_decode', key='u8', inputs=[np.frombuffer(code, np.uint8).copy()], attrs=dict(pixels=P), want=[np.array(px, np.uint8).reshape(P, 4)], dtypes=['u8'], tol=EXACT)
    for n in (0, 1, 17, 120):
        words = [bytes(rng.integers(0, 4, rng.integers(1, 5))) for _ in range(7)]
        go, dep, par, let, end = [[-1]*4], [0], [0], [0], [False]
        frontier = {b'': 0}
        for d in range(1, 5):
            for w in sorted({w[:d] for w in words if len(w) >= d}):
                s = len(go); go.append([-1]*4); par.append(frontier[w[:-1]]); let.append(w[-1]); end.append(w in words); frontier[w] = s; go[par[-1]][w[-1]] = s
        X = rng.integers(0, 4, n).astype(np.uint8); at, hits = [], []
        for i in range(n):
            for k in range(4, -1, -1):
                suf = bytes(X[max(0, i + 1 - k):i + 1])
                if suf in frontier: break
            at.append(frontier[suf]); hits.append(sum(bytes(X[:i + 1]).endswith(w) for w in set(words)))
        yield dict(op='aho_corasick', key='i32', inputs=[np.array(go, np_dtype('i32')), np.array(par, np_dtype('i32')), np.array(let, np.uint8), np.array(end), X], attrs={}, want=[np.array(at, np.int64).reshape(n), np.array(hits, np.int64).reshape(n)], dtypes=['i64', 'i64'], tol=EXACT)
