"""Searches in indices, hulls, trees from codes, joins of sorted keys, curves of rates, streams of bits, coders of numbers."""
import numpy as np

from casekit import EXACT, rand, tol, wide

OPS = [r'''
ops:
  - op: backward_search
    doc: the rows of a suffix array that a pattern begins, one symbol of it at a time, the last one first
    in: {Bwt: "u8[N]", P: "u8[Q, L]"}
    tables: {Wide: {type: "i64[4]", values: [0, 1, 2, 3]}}
    index: {s: 4, i: N1}
    let: {N1: N + 1}
    out: {Lo: "i64[Q]", Hi: "i64[Q]"}
    body: |
      count[s] = sum[n](select(Bwt[n] % 4 == s, 1, 0))
      first[s] = sum[r : r < s](count[r])
      occ[s,i] = sum[n : n < i](select(Bwt[n] % 4 == s, 1, 0))
      lo[q,l] = first[Wide[P[q,l] % 4]] + occ[Wide[P[q,l] % 4],clamp(padded(lo[q,l + 1], 0), 0, N)]
      hi[q,l] = first[Wide[P[q,l] % 4]] + occ[Wide[P[q,l] % 4],clamp(padded(hi[q,l + 1], N), 0, N)]
      Lo[q] = padded(lo[q,0], 0)
      Hi[q] = padded(hi[q,0], N)
''', r'''
ops:
  - op: gift_wrapping
    doc: the corners of a convex hull in order, the first one again where the hull is closed
    types: {T: [f32, f64, i32]}
    attrs: {corners: int}
    in: {P: "T[N, 2]"}
    require: [N >= 1, corners >= 1]
    index: {h: corners}
    let: {H: corners}
    out: {At: "i64[H]"}
    body: |
      start[] = argmin[n](P[n,0])
      At[h] = select(h == 0, start[], fold[n](a = 0, select(
        (P[clamp(a, 0, N - 1),0] - P[clamp(padded(At[h - 1], 0), 0, N - 1),0])*(P[n,1] - P[clamp(padded(At[h - 1], 0), 0, N - 1),1]) <
        (P[clamp(a, 0, N - 1),1] - P[clamp(padded(At[h - 1], 0), 0, N - 1),1])*(P[n,0] - P[clamp(padded(At[h - 1], 0), 0, N - 1),0])
        or a == padded(At[h - 1], 0), n, a)))
''', r'''
ops:
  - op: pruefer_tree
    doc: the edges of a labelled tree from its code
    in: {C: "i32[L]"}
    let: {N: L + 2, M: L + 1}
    out: {E: "i64[M, 2]"}
    body: |
      code[k] = clamp(C[k], 0, N - 1)
      first[v] = 1 + sum[k](code[k] == v)
      leaf[t] = argmin[v](select(padded(left[t - 1,v], first[v]) == 1, v, N + v))
      left[t,v] = padded(left[t - 1,v], first[v]) - select(v == leaf[t] or v == padded(code[t], N - 1), 1, 0)
      E[t,j] = select(j == 0, leaf[t], padded(code[t], N - 1))
    index: {t: M, v: N}
''', r'''
ops:
  - op: merge_join
    doc: all pairs of rows with equal keys of two sorted columns
    types: {T: [i32, i64, u8]}
    attrs: {most: int}
    in: {A: "T[N]", B: "T[M]"}
    let: {R: upto(most)}
    require: [most >= 0]
    out: {L: "i64[R]", Q: "i64[R]"}
    body: |
      lo[n] = sum[m](B[m] < A[n])
      same[n] = sum[m](B[m] == A[n])
      before[n] = sum[k : k < n](same[k])
      R = sum[n](same[n])
      of[r] = sum[n](select(before[n] + same[n] <= r, 1, 0))
      L[r] = of[r]
      Q[r] = lo[clamp(of[r], 0, N - 1)] + r - before[clamp(of[r], 0, N - 1)]
''', r'''
ops:
  - op: as_of_join
    doc: of each time the last quote that is not later, and whether there is one
    types: {T: [i64, f64]}
    in: {At: "i64[N]", Quote: "T[M]", When: "i64[M]"}
    out: {Y: "T[N]", Ok: "bool[N]"}
    body: |
      k[n] = max(-1, max[m : When[m] <= At[n]](m))
      Ok[n] = k[n] >= 0
      Y[n] = padded(Quote[k[n]], 0)
''', r'''
ops:
  - op: discount_curve
    doc: discount factors from par swap rates, each with those before
    types: {T: [f32, f64]}
    in: {Rate: "T[C, N]", Year: "T[N]"}
    out: {D: "T[C, N]"}
    body: |
      D[c,n] = (1 - Rate[c,n]*sum[k : k < n](Year[k]*D[c,k]))/(1 + Rate[c,n]*Year[n])
''', r'''
ops:
  - op: predicted_frames
    doc: speech from an excitation, each frame with a filter and a lag of its own
    types: {T: [f32, f64]}
    in: {E: "T[F, S]", A: "T[F, K]", Lag: "i32[F]", G: "T[F]"}
    let: {N: F*S}
    out: {Y: "T[N]"}
    body: |
      e[n] = E[n//S,n % S] + G[n//S]*padded(e[n - clamp(Lag[n//S], 1, 40)], 0)
      Y[n] = e[n] + sum[k](A[n//S,k]*padded(Y[n - 1 - k], 0))
    index: {n: N}
''', r'''
ops:
  - op: berlekamp_massey
    doc: the shortest shift register of a sequence of bits
    in: {S: "u8[N]"}
    let: {W: N + 1}
    out: {C: "u8[W]", L: "i64[]"}
    index: {t: N, i: W}
    body: |
      d[t] = bit_xor[i : i <= padded(len[t - 1], 0) and i <= t](bit_and(padded(c[t - 1,i], select(i == 0, 1, 0)), bit_and(padded(S[t - i], 0), 1)))
      grow[t] = d[t] == 1 and 2*padded(len[t - 1], 0) <= t
      c[t,i] = bit_xor(padded(c[t - 1,i], select(i == 0, 1, 0)), select(d[t] == 1, padded(b[t - 1,i - max(padded(m[t - 1], 1), 0)], select(t == 0 and i == 1, 1, 0)), 0))
      b[t,i] = select(grow[t], padded(c[t - 1,i], select(i == 0, 1, 0)), padded(b[t - 1,i], select(i == 0, 1, 0)))
      m[t] = select(grow[t], 1, padded(m[t - 1], 1) + 1)
      len[t] = select(grow[t], t + 1 - padded(len[t - 1], 0), padded(len[t - 1], 0))
      C[i] = padded(c[N - 1,i], select(i == 0, 1, 0))
      L[] = padded(len[N - 1], 0)
''', r'''
ops:
  - op: polar_encoded
    attrs: {stages: int}
    in: {U: "u8[B, N]"}
    require: [stages >= 0, stages <= 16, "N == shl(1, stages)"]
    let: {S1: stages + 1}
    index: {s: S1}
    out: {X: "u8[B, N]"}
    body: |
      w[s,b,i] = select(s == 0, bit_and(U[b,i], 1), bit_xor(padded(w[s - 1,b,i], 0),
        select(bit_and(shr(i, max(s - 1, 0)), 1) == 0, padded(w[s - 1,b,(i + shl(1, max(s - 1, 0))) % N], 0), 0)))
      X[b,i] = w[stages,b,i]
''', r'''
ops:
  - op: min_sum_checks
    doc: messages of parity checks; each edge is told the sign and the least of the others
    types: {T: [f32, f64]}
    attrs: {scale: float = 0.75}
    in: {Ptr: "i32[P]", M: "T[E]"}
    let: {C: P - 1}
    require: [P >= 2]
    out: {Y: "T[E]"}
    index: {c: C}
    body: |
      low[c] = min[e in Ptr[c] .. Ptr[c + 1]](abs(M[e]))
      odd[c] = sum[e in Ptr[c] .. Ptr[c + 1]](cast(M[e] < 0, i64)) % 2
      lows[c] = sum[e in Ptr[c] .. Ptr[c + 1]](cast(abs(M[e]) == low[c], i64))
      next[c] = min[e in Ptr[c] .. Ptr[c + 1] : abs(M[e]) > low[c]](abs(M[e]))
      of[f] = clamp(sum[d : d > 0](select(Ptr[d] <= f, 1, 0)), 0, C - 1)
      Y[f] = scale*select((odd[of[f]] == 1) == (M[f] < 0), 1, -1)*select(abs(M[f]) == low[of[f]] and lows[of[f]] == 1, next[of[f]], low[of[f]])
''', r'''
ops:
  - op: bcjr
    doc: log likelihood ratios of bits by the two passes over a trellis of four states, in the max-log form
    types: {T: [f32, f64]}
    in: {X: "T[B, L, 2]"}
    tables:
      Next: {type: "i64[4, 2]", values: [[0, 2], [2, 0], [3, 1], [1, 3]]}
      Par: {type: "T[4, 2]", values: [[-1, 1], [-1, 1], [1, -1], [1, -1]]}
    out: {Llr: "T[B, L]"}
    index: {r: 4}
    body: |
      g[b,t,s,u] = 0.5*(X[b,t,0]*select(u == 1, 1, -1) + X[b,t,1]*Par[s,u])
      alpha[b,t,r] = max[s,u : Next[s,u] == r](padded(alpha[b,t - 1,s], select(s == 0, 0, -1000)) + g[b,t,s,u])
      beta[b,t,s] = max[u](padded(beta[b,t + 1,Next[s,u]], 0) + g[b,t,s,u])
      score[b,t,u] = max[s](padded(alpha[b,t - 1,s], select(s == 0, 0, -1000)) + g[b,t,s,u] + padded(beta[b,t + 1,Next[s,u]], 0))
      Llr[b,t] = score[b,t,1] - score[b,t,0]
''', r'''
ops:
  - op: dijkstra_dense
    types: {T: [f32, f64, i64]}
    in: {W: "T[N, N]"}
    attrs: {source: int = 0}
    require: [N >= 1, source >= 0, source < N]
    index: {t: N}
    out: {D: "T[N]", Order: "i64[N]"}
    body: |
      u[t] = argmin[v](select(padded(done[t - 1,v], false), 1000000 + v, padded(d[t - 1,v], select(v == source, 0, 100000))))
      done[t,v] = padded(done[t - 1,v], false) or v == u[t]
      d[t,v] = select(padded(done[t - 1,v], false), padded(d[t - 1,v], 0), min(padded(d[t - 1,v], select(v == source, 0, 100000)), padded(d[t - 1,u[t]], select(u[t] == source, 0, 100000)) + W[u[t],v]))
      D[v] = d[N - 1,v]
      Order[t] = u[t]
''', r'''
ops:
  - op: sessions
    doc: the number of each user's visit, a new one after a gap
    types: {I: index}
    attrs: {gap: int = 10}
    in: {User: "I[N]", At: "i64[N]"}
    out: {S: "i64[N]", Last: "bool[N]"}
    body: |
      begins[n] = n == 0 or User[n] != padded(User[n - 1], 0) or At[n] - padded(At[n - 1], 0) > gap
      S[n] = sum[k : k <= n](begins[k]) - 1
      Last[n] = padded(begins[n + 1], true)
''', r'''
ops:
  - op: dictionary_encoded
    doc: each value once, in the order of first appearance, and its number for every row
    types: {T: [i32, u8, f32]}
    in: {X: "T[N]"}
    let: {M: upto(N)}
    out: {V: "T[M]", Code: "i32[N]"}
    body: |
      origin[n] = argmax[k](X[k] == X[n])
      code[n] = sum[k : k < n](origin[k] == k)
      M = sum[n](origin[n] == n)
      V[wrap(code[n], M)] last= X[n] where origin[n] == n
      Code[n] = cast(code[origin[n]], i32)
''', r'''
ops:
  - op: probed_table
    doc: keys put into a table of open addresses one after the other
    attrs: {slots: int = 8}
    in: {K: "u32[N]"}
    require: [slots >= 1]
    let: {C: slots}
    out: {Place: "i64[N]"}
    body: |
      from[n] = cast(shr(K[n]*2654435769, 16), i64) % C
      key[n] = cast(K[n], i64) + 1
      Place[n] = argmax[p](select(padded(slot[n - 1,(from[n] + p) % C], 0) == 0 or padded(slot[n - 1,(from[n] + p) % C], 0) == key[n], 1, 0))
      slot[n,c] = select((from[n] + Place[n]) % C == c and (padded(slot[n - 1,c], 0) == 0 or padded(slot[n - 1,c], 0) == key[n]), key[n], padded(slot[n - 1,c], 0))
    index: {p: C, c: C}
''', r'''
ops:
  - op: strings_of_json
    doc: which bytes are inside of quotes, and the depth of brackets outside of them
    in: {X: "u8[B, N]"}
    out: {In: "bool[B, N]", Depth: "i32[B, N]", Ok: "bool[B]"}
    body: |
      slash[b,n] = X[b,n] == 92 and not padded(slash[b,n - 1], false)
      quote[b,n] = X[b,n] == 34 and not padded(slash[b,n - 1], false)
      In[b,n] = bit_xor[k : k <= n](cast(quote[b,k], u8)) == 1
      step[b,n] = select(In[b,n], 0, select(X[b,n] == 123 or X[b,n] == 91, 1, select(X[b,n] == 125 or X[b,n] == 93, -1, 0)))
      Depth[b,n] = cast(sum[k : k <= n](step[b,k]), i32)
      low[b] = min[n](Depth[b,n])
      Ok[b] = low[b] >= 0 and sum[n](step[b,n]) == 0
''', r'''
ops:
  - op: states_composed
    doc: where an automaton is after each symbol, from any state that it begins in
    types: {S: index}
    in: {D: "S[A, Q]", X: "u8[N]"}
    require: [A >= 1, Q >= 1]
    out: {F: "S[N, Q]"}
    body: F[n,q] = D[cast(X[n], i64) % A,wrap(padded(F[n - 1,q], cast(q, S)), Q)]
''', r'''
ops:
  - op: shift_and_any
    doc: where a pattern of at most 64 letters ends, one bit a letter
    in: {P: "u8[M]", X: "u8[B, N]"}
    require: [M >= 1, M <= 64]
    index: {c: 256}
    out: {Hit: "bool[B, N]"}
    body: |
      mask[c] = bit_or[m](select(cast(P[m], i64) == c, shl(cast(1, u64), m), 0))
      state[b,n] = bit_and(bit_or(shl(padded(state[b,n - 1], 0), 1), 1), mask[cast(X[b,n], i64)])
      Hit[b,n] = bit_and(shr(state[b,n], M - 1), 1) == 1
''', r'''
ops:
  - op: rans_decoded
    doc: symbols of a range coder with words of 16 bits, the state and the place in the stream together
    in: {Freq: "u16[A]", X: "u16[W]", Start: "u32[]"}
    attrs: {count: int}
    require: [A >= 1, W >= 1, count >= 0]
    let: {N: count}
    index: {n: N, a: A, slot: 4096}
    out: {Y: "u8[N]", End: "u32[]"}
    body: |
      first[a] = sum[c : c < a](cast(Freq[c], i64))
      symbol[slot] = clamp(sum[a](first[a] <= slot) - 1, 0, A - 1)
      s[n] = symbol[cast(padded(x[n - 1], Start[]), i64) % 4096]
      z[n] = cast(Freq[s[n]], u32)*shr(padded(x[n - 1], Start[]), 12) + cast(cast(padded(x[n - 1], Start[]), i64) % 4096 - first[s[n]], u32)
      x[n] = select(z[n] < 65536, bit_or(shl(z[n], 16), cast(X[clamp(padded(at[n - 1], 0), 0, W - 1)], u32)), z[n])
      at[n] = padded(at[n - 1], 0) + select(z[n] < 65536, 1, 0)
      Y[n] = cast(s[n], u8)
      End[] = padded(x[N - 1], Start[])
''', r'''
ops:
  - op: merged_pairs
    doc: the letters of a word joined by a table of ranks, the best pair first
    in: {X: "i32[N]", Rank: "i32[V, V]", New: "i32[V, V]"}
    require: [V >= 1, steps >= 0]
    attrs: {steps: int = 4}
    index: {t: steps}
    let: {M: upto(N)}
    out: {Y: "i32[M]"}
    body: |
      s0[n] = clamp(X[n], 0, V - 1)
      rank[t,n] = select(n + 1 < padded(len[t - 1], N), Rank[clamp(padded(s[t - 1,n], s0[n]), 0, V - 1),clamp(padded(s[t - 1,n + 1], padded(s0[n + 1], 0)), 0, V - 1)], 1000000)
      least[t] = min(1000000, min[n](rank[t,n]))
      at[t] = min(N, min[n : rank[t,n] == least[t]](n))
      joined[t] = least[t] < 1000000
      s[t,n] = select(not joined[t] or n < at[t], padded(s[t - 1,n], s0[n]), select(n == at[t],
        New[clamp(padded(s[t - 1,n], s0[n]), 0, V - 1),clamp(padded(s[t - 1,n + 1], padded(s0[n + 1], 0)), 0, V - 1)], padded(s[t - 1,n + 1], padded(s0[n + 1], 0))))
      len[t] = padded(len[t - 1], N) - select(joined[t], 1, 0)
      M = padded(len[steps - 1], N)
      Y[m] = padded(s[steps - 1,m], s0[m])
''']

HEAD = '''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[N]", Ix: "i32[N]"}
    out: {Y: "T[N]"}
    body: |
'''
BAD = []


def bad(why, body, **more):
    BAD.append(dict(why=why, text=HEAD + ''.join(f'      {line}\n' for line in body.split('\n')), **more))


bad('an index from data that may be the element itself', 'Y[n] = X[n] + padded(«Y[n - clamp(Ix[n], 0, 3)]», 0)')
bad('a fold without a start', 'Y[n] = fold[k](«a», a + X[k])')
bad('an accumulator read as a tensor', 'Y[n] = fold[k](a = 0.0, «a[k]» + X[k])')
bad('an update under a name that is not there', 'Y[n] = X[n]\n«Z[wrap(Ix[n], N)]» += X[n]')
bad('where without an update', 'Y[n] = X[n] «where X[n] > 0»')
bad('a range from data that indexes nothing', 'Y[n] = sum[«e» in 0 .. Ix[n]](X[n])')
bad('a bool among floats', 'Y[n] = «X[n] + (X[n] > 0)»')
bad('a value that is not there yet in a recurrence', 'Y[n] = X[n] + padded(«r[n + 1]», 0)\nr[n] = X[n] + padded(Y[n - 1], 0)')
bad('two values of one name', 'r[n] = X[n]\n«r[n]» = 2*X[n]\nY[n] = r[n]')
bad('a value that is read before its statement', 'Y[n] = «r[n]» + 1\nr[n] = X[n]')
bad('a variable of no range', 'Y[n] = X[n] + sum[«k»](2)')
bad('too few subscripts', 'r[n,m] = X[n]*X[m]\nY[n] = «r[n]»')
bad('a real index without clamp', 'Y[n] = X[«X[n]»]')
bad('a clamp that ends beyond the dim', 'Y[n] = «X[clamp(Ix[n], 0, N)]»')
bad('an extent from data that is not declared', 'Y[n] = X[n] + «M»')
bad('a place pair of three', 'Y[n], Z[n]«,» W[n] = max_at[k](X[k])')


def cases(rng):
    for n, q, l in [(1, 1, 1), (9, 4, 2), (33, 17, 3), (16, 3, 5), (7, 0, 2), (5, 3, 0)]:
        bwt, p = rng.integers(0, 4, n).astype(np.uint8), rng.integers(0, 4, (q, l)).astype(np.uint8)
        lo, hi = np.zeros(q, np.int64), np.full(q, n, np.int64)
        first = [int((bwt < s).sum()) for s in range(4)]
        for a in range(q):
            for c in p[a][::-1]:
                lo[a], hi[a] = first[c] + (bwt[:lo[a]] == c).sum(), first[c] + (bwt[:hi[a]] == c).sum()
        yield dict(op='backward_search', key='u8', inputs=[bwt, p], want=[lo, hi], dtypes=['i64', 'i64'], tol=EXACT)
    for key, t in (('f32', np.float32), ('f64', np.float64), ('i32', np.int32)):
        for n, h in [(1, 1), (3, 5), (17, 9), (33, 6)]:
            p = np.stack([rng.permutation(64)[:n], rng.integers(-30, 30, n)], 1)
            cur = int(np.argmin(p[:, 0]))
            want = [cur]
            for _ in range(h - 1):
                a = 0
                for k in range(n):
                    u, v = p[a] - p[cur], p[k] - p[cur]
                    if u[0] * v[1] < u[1] * v[0] or a == cur:
                        a = k
                cur = a
                want.append(cur)
            yield dict(op='gift_wrapping', key=key, inputs=[p.astype(t)], attrs={'corners': h}, want=[np.array(want, np.int64)], dtypes=['i64'], tol=EXACT)
    for l in (0, 1, 3, 17):
        c = rng.integers(0, l + 2, l).astype(np.int32)
        deg = [1 + int((c == v).sum()) for v in range(l + 2)]
        edges = []
        for t in range(l + 1):
            leaf = deg.index(1)
            other = int(c[t]) if t < l else l + 1
            edges.append((leaf, other))
            deg[leaf] -= 1
            if other != leaf:
                deg[other] -= 1
        yield dict(op='pruefer_tree', key='i32', inputs=[c], want=[np.array(edges, np.int64)], dtypes=['i64'], tol=EXACT)
    for key, t in (('i32', np.int32), ('i64', np.int64), ('u8', np.uint8)):
        for n, m, top in [(1, 1, 2), (5, 7, 4), (17, 9, 12), (0, 3, 3), (3, 0, 3), (16, 33, 40)]:
            a, b = np.sort(rng.integers(0, top, n)).astype(t), np.sort(rng.integers(0, top, m)).astype(t)
            pairs = np.array([(i, j) for i in range(n) for j in range(m) if a[i] == b[j]], np.int64).reshape(-1, 2)
            most = len(pairs) + 3
            yield dict(op='merge_join', key=key, inputs=[a, b], attrs={'most': most}, want=[pairs[:, 0], pairs[:, 1]], room=[(most,)]*2, dtypes=['i64', 'i64'], tol=EXACT)
            if len(pairs):
                yield dict(op='merge_join', key=key, inputs=[a, b], attrs={'most': len(pairs) - 1}, error='too many pairs', out=[('i64', (len(pairs) - 1,))]*2)
    for key, t in (('i64', np.int64), ('f64', np.float64)):
        for n, m in [(1, 1), (5, 7), (33, 17), (4, 0), (0, 4)]:
            at, when, quote = rng.integers(0, 50, n), np.sort(rng.integers(0, 50, m)), rng.integers(1, 100, m).astype(t)
            k = np.searchsorted(when, at, side='right') - 1
            yield dict(op='as_of_join', key=key, inputs=[at, quote, when], want=[np.array([quote[i] if i >= 0 else 0 for i in k], t), k >= 0], dtypes=[key, 'bool'], tol=EXACT)
    for key in ('f32', 'f64'):
        for c, n in [(1, 1), (3, 7), (17, 33), (2, 0), (0, 3)]:
            r, y = rand(rng, (c, n), key, 0.01, 0.05), rand(rng, (n,), key, 0.5, 1)
            d = np.zeros((c, n))
            for i in range(n):
                d[:, i] = (1 - wide(r)[:, i] * (d[:, :i] @ wide(y)[:i])) / (1 + wide(r)[:, i] * wide(y)[i])
            yield dict(op='discount_curve', key=key, inputs=[r, y], want=[d], tol=tol(ulp=8, acc=8 * (n + 1), mag=1))
        for f, s, k in [(1, 1, 1), (3, 16, 2), (2, 33, 10), (0, 4, 3), (4, 5, 7)]:
            e, a, g = rand(rng, (f, s), key), rand(rng, (f, k), key, -0.3 / k, 0.3 / k), rand(rng, (f,), key, 0, 0.5)
            lag = rng.integers(-3, 50, f).astype(np.int32)
            ex, y = np.zeros(f * s), np.zeros(f * s)
            for i in range(f * s):
                b = i - min(max(int(lag[i // s]), 1), 40)
                ex[i] = wide(e).ravel()[i] + wide(g)[i // s] * (ex[b] if b >= 0 else 0)
                y[i] = ex[i] + sum(wide(a)[i // s, j] * y[i - 1 - j] for j in range(k) if i - 1 - j >= 0)
            yield dict(op='predicted_frames', key=key, inputs=[e, a, lag, g], want=[y], tol=tol(ulp=8, acc=64, mid=16, mag=4))
    for n in (0, 1, 2, 7, 16, 33):
        s = rng.integers(0, 2, n).astype(np.uint8)
        c, b, ln, m = [1] + [0] * n, [1] + [0] * n, 0, 1
        for t in range(n):
            d = 0
            for i in range(ln + 1):
                d ^= c[i] & int(s[t - i])
            if d == 0:
                m += 1
            else:
                old = list(c)
                for i in range(n + 1 - m):
                    c[i + m] ^= b[i]
                if 2 * ln <= t:
                    ln, b, m = t + 1 - ln, old, 1
                else:
                    m += 1
        yield dict(op='berlekamp_massey', key='u8', inputs=[s], want=[np.array(c, np.uint8), np.array(ln)], dtypes=['u8', 'i64'], tol=EXACT)
    for b, k in [(1, 0), (3, 1), (2, 4), (5, 6), (0, 3)]:
        u = rng.integers(0, 2, (b, 2**k)).astype(np.uint8)
        g = np.ones((1, 1), int)
        for _ in range(k):
            g = np.kron(np.array([[1, 0], [1, 1]]), g)
        yield dict(op='polar_encoded', key='u8', inputs=[u], attrs={'stages': k}, want=[(u @ g % 2).astype(np.uint8)], tol=EXACT)
    for key in ('f32', 'f64'):
        for counts in ([1], [3, 2, 7], [0, 4, 0, 16], [17, 33]):
            ptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
            m = rand(rng, (int(ptr[-1]),), key)
            m[::5] = 1.5
            want = np.zeros(m.size)
            for c in range(len(counts)):
                for e in range(ptr[c], ptr[c + 1]):
                    rest = np.delete(wide(m)[ptr[c]:ptr[c + 1]], e - ptr[c])
                    want[e] = 0.75 * np.prod(np.where(rest < 0, -1, 1)) * np.min(np.abs(rest), initial=np.inf)
            yield dict(op='min_sum_checks', key=key, inputs=[ptr, m], want=[want], tol=tol())
        nxt, par = np.array([[0, 2], [2, 0], [3, 1], [1, 3]]), np.array([[-1, 1], [-1, 1], [1, -1], [1, -1]])
        for b, l in [(1, 1), (3, 17), (2, 5), (2, 0)]:
            x = rand(rng, (b, l, 2), key)
            want = np.zeros((b, l))
            for i in range(b):
                g = np.array([[[0.5 * (wide(x)[i, t, 0] * (2 * u - 1) + wide(x)[i, t, 1] * par[s, u]) for u in (0, 1)] for s in range(4)] for t in range(l)])
                al, be = np.full((l + 1, 4), -np.inf), np.zeros((l + 1, 4))
                al[0] = [0, -1000, -1000, -1000]
                for t in range(l):
                    for s in range(4):
                        for u in (0, 1):
                            al[t + 1, nxt[s, u]] = max(al[t + 1, nxt[s, u]], al[t, s] + g[t, s, u])
                for t in reversed(range(l)):
                    be[t] = [max(be[t + 1, nxt[s, u]] + g[t, s, u] for u in (0, 1)) for s in range(4)]
                for t in range(l):
                    score = [max(al[t, s] + g[t, s, u] + be[t + 1, nxt[s, u]] for s in range(4)) for u in (0, 1)]
                    want[i, t] = score[1] - score[0]
            yield dict(op='bcjr', key=key, inputs=[x], want=[want], tol=tol(ulp=8, acc=4, mid=4 * (l + 1), mag=1000 if l < 3 else 40))
    for key, t in (('f32', np.float32), ('f64', np.float64), ('i64', np.int64)):
        for n, source in [(1, 0), (5, 2), (17, 16), (8, 0)]:
            w = rng.integers(1, 30, (n, n))
            w[rng.random((n, n)) < 0.5] = 20000
            dist, done, order = np.full(n, 100000), np.zeros(n, bool), []
            dist[source] = 0
            for _ in range(n):
                u = min((v for v in range(n) if not done[v]), key=lambda v: (dist[v], v))
                order.append(u)
                for v in range(n):
                    if not done[v]:
                        dist[v] = min(dist[v], dist[u] + w[u, v])
                done[u] = True
            yield dict(op='dijkstra_dense', key=key, inputs=[w.astype(t)], attrs={'source': source}, want=[dist, np.array(order)], dtypes=[key, 'i64'], tol=EXACT)
    for key, t in (('i32', np.int32), ('i64', np.int64)):
        for n in (0, 1, 7, 33):
            user, at = np.sort(rng.integers(0, 4, n)).astype(t), np.sort(rng.integers(0, 200, n))
            begins = np.array([i == 0 or user[i] != user[i - 1] or at[i] - at[i - 1] > 10 for i in range(n)], bool)
            yield dict(op='sessions', key=key, inputs=[user, at], want=[np.cumsum(begins) - 1, np.append(begins[1:], True)[:n]], dtypes=['i64', 'bool'], tol=EXACT)
    for key, t in (('i32', np.int32), ('u8', np.uint8), ('f32', np.float32)):
        for n in (0, 1, 7, 33):
            x = rng.integers(0, 9, n).astype(t)
            seen = list(dict.fromkeys(x.tolist()))
            yield dict(op='dictionary_encoded', key=key, inputs=[x], want=[np.array(seen, t), np.array([seen.index(v) for v in x.tolist()], np.int32)], room=[(n,), (n,)], dtypes=[key, 'i32'], tol=EXACT)
    for n, slots in [(0, 4), (1, 1), (5, 8), (16, 33)]:
        k = rng.integers(0, 2**32, n, dtype=np.uint32)
        if n > 8:
            k[5], k[9] = k[2], k[3]
        table, want = [None] * slots, []
        for v in k.tolist():
            at = (((v * 2654435769) % 2**32) >> 16) % slots
            p = next((p for p in range(slots) if table[(at + p) % slots] in (None, v)), 0)
            want.append(p)
            if table[(at + p) % slots] is None:
                table[(at + p) % slots] = v
        yield dict(op='probed_table', key='u32', inputs=[k], attrs={'slots': slots}, want=[np.array(want, np.int64)], dtypes=['i64'], tol=EXACT)
    for b, n in [(1, 1), (3, 17), (2, 64), (1, 0)]:
        x = rng.choice(np.frombuffer(b'{}[]""\\\\ab', np.uint8), (b, n))
        inside, depth, ok = np.zeros((b, n), bool), np.zeros((b, n), np.int32), np.zeros(b, bool)
        for i in range(b):
            quoted, escaped, level, low = False, False, 0, 0
            for j in range(n):
                c = chr(x[i, j])
                was = escaped
                escaped = c == '\\' and not was
                if c == '"' and not was:
                    quoted = not quoted
                inside[i, j] = quoted
                level += 0 if quoted else {'{': 1, '[': 1, '}': -1, ']': -1}.get(c, 0)
                low, depth[i, j] = min(low, level), level
            ok[i] = low >= 0 and level == 0
        yield dict(op='strings_of_json', key='u8', inputs=[x], want=[inside, depth, ok], dtypes=['bool', 'i32', 'bool'], tol=EXACT)
    for key, t in (('i32', np.int32), ('i64', np.int64)):
        for a, q, n in [(1, 1, 1), (3, 5, 17), (2, 16, 33), (4, 3, 0)]:
            d, x = rng.integers(0, q, (a, q)).astype(t), rng.integers(0, 256, n).astype(np.uint8)
            f, rows = np.arange(q), []
            for c in x:
                f = d[int(c) % a][f]
                rows.append(f)
            yield dict(op='states_composed', key=key, inputs=[d, x], want=[np.array(rows, t).reshape(n, q)], tol=EXACT)
            if n > 1 and q > 1:
                outside = np.full_like(d, q)
                yield dict(op='states_composed', key=key, inputs=[outside, x], error='no such state', out=[(key, (n, q))])
    for m, b, n in [(1, 1, 5), (3, 2, 33), (64, 2, 200), (2, 3, 0)]:
        p, x = rng.integers(0, 2, m).astype(np.uint8), rng.integers(0, 2, (b, n)).astype(np.uint8)
        if n > 2 * m:
            x[0, 3:3 + m] = p
        want = np.array([[j + 1 >= m and (x[i, j + 1 - m:j + 1] == p).all() for j in range(n)] for i in range(b)], bool).reshape(b, n)
        yield dict(op='shift_and_any', key='u8', inputs=[p, x], want=[want], dtypes=['bool'], tol=EXACT)
    for a, n in [(1, 1), (3, 17), (16, 100), (5, 0)]:
        freq = rng.multinomial(4096 - a, np.ones(a) / a) + 1
        first = np.cumsum(freq) - freq
        y = rng.integers(0, a, n)
        x, words = 65536, []
        for s in y[::-1].tolist():
            if x >= int(freq[s]) << 20:
                words.append(x & 0xFFFF)
                x >>= 16
            x = (x // int(freq[s]) << 12) + x % int(freq[s]) + int(first[s])
        yield dict(op='rans_decoded', key='u16', inputs=[freq.astype(np.uint16), np.array(words[::-1] + [0], np.uint16), np.array(x, np.uint32)], attrs={'count': n},
                   want=[y.astype(np.uint8), np.array(65536)], dtypes=['u8', 'u32'], tol=EXACT)
    for n, v, steps in [(0, 3, 2), (1, 1, 1), (9, 4, 0), (9, 4, 5), (33, 6, 12)]:
        x, new = rng.integers(0, v, n).astype(np.int32), rng.integers(0, v, (v, v)).astype(np.int32)
        rank = np.where(rng.random((v, v)) < 0.5, 1000000, rng.permutation(v * v).reshape(v, v)).astype(np.int32)
        word = x.tolist()
        for _ in range(steps):
            ranks = [int(rank[p, q]) for p, q in zip(word, word[1:])]
            if not ranks or min(ranks) >= 1000000:
                break
            k = ranks.index(min(ranks))
            word[k:k + 2] = [int(new[word[k], word[k + 1]])]
        yield dict(op='merged_pairs', key='i32', inputs=[x, rank, new], attrs={'steps': steps}, want=[np.array(word, np.int32)], room=[(n,)], tol=EXACT)
