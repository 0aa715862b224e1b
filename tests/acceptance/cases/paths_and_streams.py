"""Ways through graphs and trellises, streams of bytes and bits, blocks of states: recurrences that index by what they compute."""
import base64

import numpy as np

from casekit import EXACT, available, np_dtype, rand, tol, wide

OPS = [r'''
ops:
  - op: tree_mask
    doc: which of a tree's tokens each one may look at, from the parents' numbers
    types: {I: index}
    in: {Parent: "I[N]"}
    out: {Y: "bool[N, N]"}
    body: Y[i,j] = i == j or (Parent[i] >= 0 and Parent[i] < i and padded(Y[min(Parent[i], i - 1),j], false))
''', r'''
ops:
  - op: travelling
    doc: the shortest way through all places (Held and Karp)
    types: {T: [f32, i32]}
    in: {C: "T[N, N]"}
    require: [N >= 1, N <= 12]
    let: {S: "shl(1, N)"}
    index: {m: S}
    out: {Y: "T[]"}
    body: |
      d[m,j] = select(bit_and(shr(m, j), 1) == 0, highest(T), select(m == shl(1, j), C[0,j], min[i](select(bit_and(shr(m, i), 1) == 1 and i != j, padded(d[m - shl(1, j),i], 0) + C[i,j], highest(T)))))
      Y[] = min[j](d[S - 1,j] + C[j,0])
''', r'''
ops:
  - op: shortest_paths
    doc: Dijkstra over a dense matrix of distances
    types: {T: [f32, i32]}
    attrs: {start: int = 0}
    in: {W: "T[N, N]"}
    require: [N >= 1, 0 <= start, start < N]
    index: {t: N}
    out: {D: "T[N]"}
    body: |
      at[t] = argmin[j](select(padded(done[t - 1,j], 0) == 1, highest(T), padded(d[t - 1,j], select(j == start, 0, highest(T)//2))))
      done[t,j] = select(j == at[t], 1, padded(done[t - 1,j], 0))
      d[t,j] = min(padded(d[t - 1,j], select(j == start, 0, highest(T)//2)), padded(d[t - 1,at[t]], select(at[t] == start, 0, highest(T)//2)) + W[at[t],j])
      D[j] = d[N - 1,j]
''', r'''
ops:
  - op: spanning_tree
    doc: Prim's tree, the parent of each node and the weight of all
    types: {T: [f32, f64]}
    in: {W: "T[N, N]"}
    require: [N >= 1]
    index: {t: N}
    out: {Parent: "i64[N]", Total: "T[]"}
    body: |
      at[t] = argmin[j](select(padded(in_[t - 1,j], 0) == 1, inf, padded(key[t - 1,j], select(j == 0, -1, 1e30))))
      in_[t,j] = select(j == at[t], 1, padded(in_[t - 1,j], 0))
      nearer[t,j] = select(in_[t,j] == 0 and W[at[t],j] < padded(key[t - 1,j], 1e30), 1, 0)
      key[t,j] = select(nearer[t,j] == 1, W[at[t],j], padded(key[t - 1,j], select(j == 0, -1, 1e30)))
      p[t,j] = select(nearer[t,j] == 1, at[t], padded(p[t - 1,j], -1))
      Parent[j] = p[N - 1,j]
      Total[] = sum[j : j >= 1](key[N - 1,j])
''', r'''
ops:
  - op: rc4_stream
    doc: the permutation of a key, and bytes from it
    attrs: {bytes: int = 5}
    in: {Key: "u8[B, K]"}
    require: [K >= 1, bytes >= 1]
    let: {N: bytes}
    index: {t: 256, n: bytes, i: 256}
    out: {Y: "u8[B, N]"}
    body: |
      j[b,t] = (padded(j[b,t - 1], 0) + cast(padded(s[b,t - 1,t], t), i64) + cast(Key[b,t % K], i64)) % 256
      s[b,t,i] = select(i == t, padded(s[b,t - 1,j[b,t]], j[b,t]), select(i == j[b,t], padded(s[b,t - 1,t], t), padded(s[b,t - 1,i], i)))
      k[b,n] = (padded(k[b,n - 1], 0) + cast(padded(r[b,n - 1,(n + 1) % 256], s[b,255,(n + 1) % 256]), i64)) % 256
      r[b,n,i] = select(i == (n + 1) % 256, padded(r[b,n - 1,k[b,n]], s[b,255,k[b,n]]), select(i == k[b,n], padded(r[b,n - 1,(n + 1) % 256], s[b,255,(n + 1) % 256]), padded(r[b,n - 1,i], s[b,255,i])))
      Y[b,n] = cast(r[b,n,(cast(r[b,n,(n + 1) % 256], i64) + cast(r[b,n,k[b,n]], i64)) % 256], u8)
''', r'''
ops:
  - op: longest_path_at
    doc: where the best step into each node comes from, and the way back from the best end
    types: {T: [f32, f64, i32]}
    in: {S: "T[L, N]", W: "T[N, N]"}
    require: [N >= 1, L >= 1]
    out: {D: "T[L, N]", Way: "i64[L]"}
    body: |
      best[t,j], from[t,j] = max_at[i](padded(d[t - 1,i], 0) + W[i,j])
      d[t,j] = S[t,j] + best[t,j]
      last[] = argmax[j](d[L - 1,j])
      way[t] = select(t == L - 1, last[], from[min(t + 1, L - 1),padded(way[t + 1], last[])])
      D[t,j] = d[t,j]
      Way[t] = way[t]
''', r'''
ops:
  - op: base64_bytes
    doc: the bytes that rows of letters stand for
    index: {b: 3}
    tables:
      Of: {type: "u8[256]", of: [k], values: "select(k >= 65 and k <= 90, k - 65, select(k >= 97 and k <= 122, k - 71, select(k >= 48 and k <= 57, k + 4, select(k == 43, 62, select(k == 47, 63, 255)))))"}
    in: {X: "u8[M, (G 4)]"}
    out: {Y: "u8[M, (G 3)]", Ok: "bool[M]"}
    body: |
      word[m,g] = fold[k](a = cast(0, u32), bit_or(shl(a, 6), cast(bit_and(Of[X[m,(g k)]], 63), u32)))
      Y[m,(g b)] = cast(bit_and(shr(word[m,g], 16 - 8*b), 255), u8)
      Ok[m] = all[g,k](Of[X[m,(g k)]] != 255)
''', r'''
fn:
  rol(x, k): bit_or(shl(x, k), shr(x, 32 - k))
ops:
  - op: xxh32_rows
    attrs: {seed: int = 0}
    in: {X: "u8[M, (S 16)]"}
    index: {s: S, l: 4, b: 4}
    tables: {Start: {type: "u32[4]", values: [606290984, 2246822519, 0, 1640531535]}}
    out: {H: "u32[M]"}
    body: |
      lane[m,s,l] = sum[b](shl(cast(X[m,16*s + 4*l + b], u32), 8*b))
      acc[m,l] = fold[s](a = Start[l] + cast(seed, u32), rol((a + lane[m,s,l]*2246822519), 13)*cast(2654435761, u32))
      h[m] = rol(acc[m,0], 1) + rol(acc[m,1], 7) + rol(acc[m,2], 12) + rol(acc[m,3], 18) + cast(16*S, u32)
      i[m] = bit_xor(h[m], shr(h[m], 15))*cast(2246822519, u32)
      j[m] = bit_xor(i[m], shr(i[m], 13))*cast(3266489917, u32)
      H[m] = bit_xor(j[m], shr(j[m], 16))
''', r'''
ops:
  - op: minimizers
    doc: the least hash of every window of k-mers, each position once
    attrs: {k: int = 3, w: int = 4}
    in: {X: "u8[N]"}
    require: [k >= 1, k <= 31, w >= 1, N >= k + w - 1]
    let: {K: N - k + 1, W: N - k - w + 2, M: upto(N - k - w + 2)}
    index: {b: k, j: w, i: K, p: W}
    out: {At: "i64[M]", Hash: "u64[M]"}
    body: |
      word[i] = fold[b](a = cast(0, u64), bit_or(shl(a, 2), cast(bit_and(X[i + b], 3), u64)))
      hash[i] = bit_xor(word[i], shr(word[i], 7))*0x9E3779B97F4A7C15
      best[p] = argmin[j](hash[p + j]) + p
      new[p] = p == 0 or best[p] != padded(best[p - 1], -1)
      at[p] = sum[q : q < p](new[q])
      M = sum[p](new[p])
      At[wrap(at[p], M)] last= best[p] where new[p]
      Hash[wrap(at[p], M)] last= hash[best[p]] where new[p]
''', r'''
ops:
  - op: huffman_decoded
    doc: symbols of a canonical code, a bit after the other
    in: {Bits: "u8[N]", Count: "i32[16]", Symbols: "i32[S]"}
    require: [S >= 1]
    let: {M: upto(N)}
    index: {l: 16}
    out: {Y: "i32[M]"}
    body: |
      first[l] = (padded(first[l - 1], 0) + padded(Count[l - 1], 0))*2
      at[l] = sum[j : j < l](Count[j])
      code[n] = select(padded(done[n - 1], 1) == 1, 0, padded(code[n - 1], 0)*2) + cast(Bits[n], i32) % 2
      len[n] = select(padded(done[n - 1], 1) == 1, 0, padded(len[n - 1], 0) + 1) % 16
      off[n] = code[n] - first[len[n]]
      done[n] = select(off[n] < Count[len[n]] and off[n] >= 0, 1, 0)
      out[n] = sum[k : k < n](done[k])
      M = sum[n](done[n])
      Y[wrap(out[n], M)] last= Symbols[clamp(at[len[n]] + off[n], 0, S - 1)] where done[n] == 1
''', r'''
ops:
  - op: ssd_chunks
    doc: a state space block by chunks, the states between them by a recurrence
    types: {T: float}
    in: {X: "T[B, (C L), H, P]", A: "T[B, (C L), H]", K: "T[B, (C L), G, N]", Q: "T[B, (C L), G, N]"}
    require: [G >= 1, len >= 1, "H % G == 0"]
    let: {R: "H//G", L: len}
    attrs: {len: int = 4}
    out: {Y: "T[B, (C L), H, P]"}
    body: |
      a[b,c,l,h] = sum[m : m <= l](A[b,(c m),h])
      end[b,c,h] = sum[m](A[b,(c m),h])
      s[b,c,h,n,p] = sum[l](exp(end[b,c,h] - a[b,c,l,h])*K[b,(c l),h//R,n]*X[b,(c l),h,p])
      state[b,c,h,n,p] = exp(end[b,c,h])*padded(state[b,c - 1,h,n,p], 0) + s[b,c,h,n,p]
      qk[b,c,g,l,m] = sum[n](Q[b,(c l),g,n]*K[b,(c m),g,n])
      inner[b,c,l,h,p] = sum[m : m <= l](qk[b,c,h//R,l,m]*exp(a[b,c,l,h] - a[b,c,m,h])*X[b,(c m),h,p])
      Y[b,(c l),h,p] = inner[b,c,l,h,p] + exp(a[b,c,l,h])*sum[n](Q[b,(c l),h//R,n]*padded(state[b,c - 1,h,n,p], 0))
''', r'''
ops:
  - op: router
    doc: gates of the best k experts, with a bias for the choice alone, and how many tokens each expert gets
    types: {T: float}
    attrs: {k: int = 2}
    in: {X: "T[N, D]", W: "T[E, D]", Bias: "T[E]"}
    require: [k >= 1, k <= E]
    let: {K: k}
    out: {Gate: "T[N, K]", Expert: "i64[N, K]", Load: "i64[E]", Slot: "i64[N, K]"}
    body: |
      s[n,e] = 1/(1 + exp(-sum[d](X[n,d]*W[e,d])))
      b[n,e] = s[n,e] + Bias[e]
      v, i = topk(b, k=k)
      g[n,j] = s[n,wrap(i[n,j], E)]
      Gate[n,j] = g[n,j]/sum[r](g[n,r])
      Expert[n,j] = i[n,j]
      hot[e,n,j] = select(i[n,j] == e, 1, 0)
      Load[e] = sum[n,j](hot[e,n,j])
      before[e,n] = sum[m : m < n](sum[j](hot[e,m,j]))
      Slot[n,j] = before[wrap(i[n,j], E),n]
''', r'''
ops:
  - op: any_axis_filter
    doc: one pole, along any axis, forwards and back
    types: {T: float}
    attrs: {axis: int = -1, keep: float = 0.5}
    in: {X: "T[*P, D@axis, *Q]"}
    out: {Y: "T[*P, D, *Q]"}
    body: |
      f[*p,d,*q] = keep*padded(f[*p,d - 1,*q], 0) + (1 - keep)*X[*p,d,*q]
      g[*p,d,*q] = keep*padded(g[*p,d + 1,*q], 0) + (1 - keep)*f[*p,d,*q]
      Y[*p,d,*q] = g[*p,d,*q]
''', r'''
ops:
  - op: complex_poles
    types: {T: [c64, c128]}
    in: {X: "T[*P, N]", A: "T[2]"}
    out: {Y: "T[*P, N]"}
    body: Y[*p,n] = X[*p,n] + A[0]*padded(Y[*p,n - 1], 0) + A[1]*padded(Y[*p,n - 2], 0)
''', r'''
ops:
  - op: crf_decode
    types: {T: [f32, f64]}
    in: {E: "T[B, L, K]", A: "T[K, K]", Len: "i32[B]"}
    require: [K >= 1]
    out: {Score: "T[B]", Path: "i32[B, L]"}
    body: |
      n[b] = clamp(Len[b], 1, L)
      v[b,t,j] = E[b,t,j] + select(t == 0, 0, max[i](padded(v[b,t - 1,i], 0) + A[i,j]))
      p[b,t,j] = argmax[i](padded(v[b,t - 1,i], 0) + A[i,j])
      e[b,j] = v[b,clamp(n[b] - 1, 0, L - 1),j]
      Score[b] = max[j](e[b,j])
      end[b] = argmax[j](e[b,j])
      z[b,t] = select(t >= n[b] - 1, end[b], p[b,min(t + 1, L - 1),padded(z[b,t + 1], 0)])
      Path[b,t] = select(t < n[b], z[b,t], -1)
''', r'''
ops:
  - op: kept_box
    doc: the rows and columns that hold anything
    types: {T: number}
    in: {X: "T[H, W]"}
    let: {R: upto(H), C: upto(W)}
    out: {Y: "T[R, C]"}
    body: |
      row[h] = any[w](X[h,w] != 0)
      col[w] = any[h](X[h,w] != 0)
      ra[h] = sum[k : k < h](row[k])
      ca[w] = sum[j : j < w](col[j])
      R = sum[h](row[h])
      C = sum[w](col[w])
      Y[wrap(ra[h], R),wrap(ca[w], C)] last= X[h,w] where row[h] and col[w]
''', r'''
ops:
  - op: sort_by_network
    doc: eight elements of each row by exchanges, three stages of several steps
    types: {T: real}
    tables: {Step: {type: "i64[6]", values: [1, 2, 1, 4, 2, 1]}, Stage: {type: "i64[6]", values: [2, 4, 4, 8, 8, 8]}}
    index: {t: 6}
    in: {X: "T[*P, 8]"}
    out: {Y: "T[*P, 8]"}
    body: |
      s[t,*p,i] = select((bit_and(i, Step[t]) == 0) == (bit_and(i, Stage[t]) == 0),
        min(padded(s[t - 1,*p,i], X[*p,i]), padded(s[t - 1,*p,bit_xor(i, Step[t]) % 8], X[*p,bit_xor(i, Step[t]) % 8])),
        max(padded(s[t - 1,*p,i], X[*p,i]), padded(s[t - 1,*p,bit_xor(i, Step[t]) % 8], X[*p,bit_xor(i, Step[t]) % 8])))
      Y[*p,i] = s[5,*p,i]
''', r'''
ops:
  - op: sparse_24
    doc: the two largest of every four weights, and where they are
    types: {T: [f32, i8]}
    in: {W: "T[M, (G 4)]"}
    out: {V: "T[M, (G 2)]", I: "u8[M, (G 2)]"}
    body: |
      first[m,g] = argmax[k](abs(W[m,(g k)]))
      second[m,g] = argmax[k : k != first[m,g]](abs(W[m,(g k)]))
      at[m,g,j] = select(j == 0, min(first[m,g], second[m,g]), max(first[m,g], second[m,g]))
      V[m,(g j)] = W[m,4*g + at[m,g,j]]
      I[m,(g j)] = at[m,g,j]
    index: {j: 2}
''', r'''
ops:
  - op: ldpc_checks
    doc: one round of the least magnitudes over a parity check matrix in ranges
    types: {T: float, I: index}
    in: {Ptr: "I[P]", Var: "I[E]", L: "T[N]", R: "T[E]"}
    require: [P >= 1]
    let: {C: P - 1}
    out: {Q: "T[E]", Parity: "u8[C]"}
    body: |
      q[e] = L[wrap(Var[e], N)] - R[e]
      least[c], at[c] = min_at[e in Ptr[c] .. Ptr[c + 1]](abs(q[e]))
      second[c] = min[e in Ptr[c] .. Ptr[c + 1] : e != at[c]](abs(q[e]))
      sign_[c] = prod[e in Ptr[c] .. Ptr[c + 1]](select(q[e] < 0, -1, 1))
      Q[e] += select(q[e] < 0, -1, 1)*sign_[c]*select(e == at[c], second[c], least[c]) where e in Ptr[c] .. Ptr[c + 1]
      Parity[c] = bit_xor[e in Ptr[c] .. Ptr[c + 1]](select(L[wrap(Var[e], N)] < 0, cast(1, u8), cast(0, u8)))
''', r'''
ops:
  - op: ctc_greedy
    doc: the best label of each frame, without repeats and blanks
    types: {T: [f32, f64]}
    in: {X: "T[L, C]"}
    require: [C >= 1]
    let: {M: upto(L)}
    out: {Y: "i32[M]", At: "i32[M]"}
    body: |
      best[t] = argmax[c](X[t,c])
      kept[t] = best[t] != 0 and best[t] != padded(best[t - 1], 0)
      at[t] = sum[k : k < t](kept[k])
      M = sum[t](kept[t])
      Y[wrap(at[t], M)] last= best[t] where kept[t]
      At[wrap(at[t], M)] last= t where kept[t]
''', r'''
ops:
  - op: bits_of_neighbours
    doc: sixty-four cells a word, by full adders
    in: {X: "u64[H, V]"}
    out: {Y: "u64[H, V]"}
    body: |
      l[y,x] = bit_or(shl(X[y,x], 1), shr(X[y,(x - 1) % V], 63))
      r[y,x] = bit_or(shr(X[y,x], 1), shl(X[y,(x + 1) % V], 63))
      s2[y,x] = bit_xor(l[y,x], r[y,x])
      c2[y,x] = bit_and(l[y,x], r[y,x])
      s3[y,x] = bit_xor(s2[y,x], X[y,x])
      c3[y,x] = bit_or(c2[y,x], bit_and(s2[y,x], X[y,x]))
      p[y,x] = bit_xor(s3[(y - 1) % H,x], s3[(y + 1) % H,x])
      q[y,x] = bit_and(s3[(y - 1) % H,x], s3[(y + 1) % H,x])
      u[y,x] = bit_xor(p[y,x], s2[y,x])
      v[y,x] = bit_or(q[y,x], bit_and(p[y,x], s2[y,x]))
      a[y,x] = bit_xor(c3[(y - 1) % H,x], c3[(y + 1) % H,x])
      b[y,x] = bit_and(c3[(y - 1) % H,x], c3[(y + 1) % H,x])
      d[y,x] = bit_xor(a[y,x], bit_xor(c2[y,x], v[y,x]))
      e[y,x] = bit_or(b[y,x], bit_or(bit_and(a[y,x], bit_or(c2[y,x], v[y,x])), bit_and(c2[y,x], v[y,x])))
      Y[y,x] = bit_and(bit_and(d[y,x], bit_not(e[y,x])), bit_or(u[y,x], X[y,x]))
''', r'''
ops:
  - op: swapped_halves_of_groups
    types: {T: any}
    in: {X: "T[*P, (G 2 C)]"}
    out: {Y: "T[*P, (G 2 C)]"}
    attrs: {size: int = 3}
    let: {C: size}
    require: [size >= 1]
    body: Y[*p,(g h c)] = X[*p,2*C*g + C*(1 - h) + c]
''', r'''
ops:
  - op: hashed_places
    doc: places from data of any size, in arithmetic that wraps
    types: {T: [f32, i8]}
    in: {X: "T[N]", I: "i64[M]"}
    require: [N >= 1]
    out: {Y: "T[M, 4]"}
    body: |
      a[m] = X[(I[m]*31 + 7) % N]
      b[m] = X[(-I[m]) % N]
      c[m] = X[clamp(I[m]*I[m], 0, N - 1)]
      d[m] = X[bit_and(I[m]*3 - 5, 7) % N]
      Y[m,k] = select(k == 0, a[m], select(k == 1, b[m], select(k == 2, c[m], d[m])))
''']

BAD = [
    dict(why='a place in one dim is none in another', text='''ops:
  - op: wrong
    types: {T: float}
    in: {W: "T[N, N]", V: "T[M]"}
    require: [N >= 1]
    index: {t: N}
    out: {Y: "T[N]"}
    body: |
      at[t] = argmin[j](padded(d[t - 1,j], 0))
      d[t,j] = padded(d[t - 1,j], 0) + W[at[t],j] + V[«at[t]»]
      Y[j] = d[N - 1,j]
'''),
    dict(why='a sum of what came before has no bounds', text='''ops:
  - op: wrong
    in: {X: "u8[N]", L: "u8[256]"}
    out: {Y: "u8[N]"}
    body: |
      k[n] = padded(k[n - 1], 0) % 256 + cast(X[n], i64)
      Y[n] = L[«k[n]»]
'''),
    dict(why='a shift of a number may be nothing', text='''ops:
  - op: wrong
    in: {X: "f32[N]", K: "i64[M]"}
    out: {Y: "f32[N]"}
    body: Y[n] = X[n] + sum[m](padded(«Y[n - shl(1, K[m])]», 0))
'''),
    dict(why='a variable without a range is one mistake', every=True, text='''ops:
  - op: wrong
    attrs: {k: int = 3}
    in: {X: "f32[N]"}
    require: [k >= 1]
    index: {j: k}
    out: {Y: "f32[N]"}
    body: |
      w[«i»] = sum[j](X[i + j])
      v[m,n] = w[n + m]*X[n]
      Y[n] = sum[q : q < 3](w[q]) + v[0,n]
'''),
    dict(why='types that do not go together are no missing condition', every=True, text='''ops:
  - op: wrong
    in: {X: "f32[N]", Z: "f64[N]"}
    out: {Y: "f32[N]"}
    body: Y[n] = select(«X[n] < Z[n]», X[n], 0)
'''),
    dict(why='two ranges of one variable', every=True, text='''ops:
  - op: wrong
    in: {X: "f32[M, N]"}
    out: {Y: "f32[M]", Z: "f32[N]"}
    body: |
      Y[m] = sum[k](X[m,k])
      Z[n] = sum[k](X[«k»,n])
'''),
]


def held_karp(c, big):
    n = len(c)
    best = {(1 << j, j): c[0, j] for j in range(n)}
    for m in range(1, 1 << n):
        for j in range(n):
            if m >> j & 1 and m != 1 << j:
                best[m, j] = min(best[m ^ 1 << j, i] + c[i, j] for i in range(n) if m >> i & 1 and i != j)
    return min(best[(1 << n) - 1, j] + c[j, 0] for j in range(n))


def dijkstra(w, start, big):
    d = np.full(len(w), big, w.dtype)
    d[start] = 0
    done = np.zeros(len(w), bool)
    for _ in range(len(w)):
        at = int(np.argmin(np.where(done, np.finfo(w.dtype).max if w.dtype.kind == 'f' else np.iinfo(w.dtype).max, d)))
        done[at] = True
        d = np.minimum(d, d[at] + w[at])
    return d


def prim(w):
    n = len(w)
    key, parent, taken = np.full(n, 1e30), np.full(n, -1), np.zeros(n, bool)
    key[0] = -1
    for _ in range(n):
        at = int(np.argmin(np.where(taken, np.inf, key)))
        taken[at] = True
        near = ~taken & (w[at] < key)
        key, parent = np.where(near, w[at], key), np.where(near, at, parent)
    return parent, key[1:].sum()


def rc4(key, count):
    s, j, out = list(range(256)), 0, []
    for t in range(256):
        j = (j + s[t] + int(key[t % len(key)])) % 256
        s[t], s[j] = s[j], s[t]
    i = j = 0
    for _ in range(count):
        i = (i + 1) % 256
        j = (j + s[i]) % 256
        s[i], s[j] = s[j], s[i]
        out.append(s[(s[i] + s[j]) % 256])
    return out


def xxh32(data):
    p1, p2, p3, m = 2654435761, 2246822519, 3266489917, 2**32 - 1
    rol = lambda x, k: (x << k | x >> (32 - k)) & m
    acc = [606290984, p2, 0, 1640531535]
    for s in range(0, len(data), 16):
        for l in range(4):
            lane = int.from_bytes(data[s + 4*l:s + 4*l + 4], 'little')
            acc[l] = rol((acc[l] + lane*p2) & m, 13)*p1 & m
    h = (rol(acc[0], 1) + rol(acc[1], 7) + rol(acc[2], 12) + rol(acc[3], 18) + len(data)) & m
    h = (h ^ h >> 15)*p2 & m
    h = (h ^ h >> 13)*p3 & m
    return h ^ h >> 16


def graphs(rng):
    for n in (1, 2, 7, 33):
        parent = np.array([rng.integers(-1, max(i, 1)) if i else -1 for i in range(n)])
        seen = np.eye(n, dtype=bool)
        for i in range(n):
            if 0 <= parent[i] < i:
                seen[i] |= seen[parent[i]]
        for key, t in (('i32', np.int32), ('i64', np.int64)):
            yield dict(op='tree_mask', key=key, inputs=[parent.astype(t)], want=[seen], dtypes=['bool'], tol=EXACT)
    for key in ('f32', 'i32'):
        for n in (1, 2, 5):
            c = rand(rng, (n, n), key, 1, 50)
            yield dict(op='travelling', key=key, inputs=[c], want=[np.array(held_karp(wide(c), 0))], tol=EXACT if key == 'i32' else tol(ulp=n))
    for key in ('f32', 'i32'):
        for n, start in [(1, 0), (4, 3), (17, 5)]:
            w = rand(rng, (n, n), key, 1, 50)
            big = np.finfo(w.dtype).max/2 if key == 'f32' else np.iinfo(w.dtype).max//2
            if key == 'f32':
                w = np.round(w)
            yield dict(op='shortest_paths', key=key, inputs=[w], attrs={'start': start}, want=[dijkstra(w, start, big)], tol=EXACT)
    for key in ('f32', 'f64'):
        for n in (1, 3, 16):
            w = rng.permutation(n*n).reshape(n, n).astype(np_dtype(key))
            w = np.minimum(w, w.T)
            parent, total = prim(w)
            yield dict(op='spanning_tree', key=key, inputs=[w], want=[parent, np.array(total)], dtypes=['i64', key], tol=EXACT)
    for key in ('f32', 'f64', 'i32'):
        for length, n in [(1, 1), (5, 3), (16, 17), (3, 1)]:
            s, w = (np.round(rand(rng, shape, key, -9, 9)) for shape in ((length, n), (n, n)))
            d, came, before = np.zeros((length, n)), np.zeros((length, n), int), np.zeros(n)
            for t in range(length):
                step = before[:, None] + wide(w)
                d[t], came[t] = wide(s)[t] + step.max(0), step.argmax(0)
                before = d[t]
            way = [int(d[-1].argmax())]
            for t in range(length - 1, 0, -1):
                way.append(came[t, way[-1]])
            yield dict(op='longest_path_at', key=key, inputs=[s.astype(np_dtype(key)), w.astype(np_dtype(key))],
                       want=[d, np.array(way[::-1])], dtypes=[key, 'i64'], tol=EXACT)
    for key in ('f32', 'f64'):
        for b, length, k in [(1, 1, 1), (3, 6, 4), (2, 17, 3)]:
            e, a, lens = rand(rng, (b, length, k), key), rand(rng, (k, k), key), rng.integers(0, length + 3, b).astype(np.int32)
            score, path = np.zeros(b), np.full((b, length), -1, np.int32)
            for r in range(b):
                n = min(max(int(lens[r]), 1), length)
                v, came = wide(e)[r, 0], []
                for t in range(1, n):
                    step = v[:, None] + wide(a)
                    came.append(step.argmax(0))
                    v = wide(e)[r, t] + step.max(0)
                score[r], at = v.max(), int(v.argmax())
                for t in range(n - 1, -1, -1):
                    path[r, t] = at
                    at = came[t - 1][at] if t else at
            yield dict(op='crf_decode', key=key, inputs=[e, a, lens], want=[score, path], dtypes=[key, 'i32'], tol=[tol(ulp=length, mag=2.0*length), EXACT])


def streams(rng):
    for b, k, count in [(1, 1, 1), (3, 5, 17), (0, 3, 2), (2, 16, 40)]:
        keys = rng.integers(0, 256, (b, k)).astype(np.uint8)
        y = np.array([rc4(key, count) for key in keys], np.uint8).reshape(b, count)
        yield dict(op='rc4_stream', key='u8', inputs=[keys], attrs={'bytes': count}, want=[y], tol=EXACT)
    for m, g in [(1, 1), (3, 5), (2, 17), (2, 0)]:
        data = rng.integers(0, 256, (m, 3*g)).astype(np.uint8)
        text = np.array([list(base64.b64encode(row.tobytes())) for row in data], np.uint8).reshape(m, 4*g)
        ok = np.ones(m, bool)
        if g > 1:
            text[0, 1], ok[0] = ord('!'), False
            known = text[0, :1].tobytes() + b'/' + text[0, 2:4].tobytes()  # what is no letter counts as sixty-three
            data[0, :3] = list(base64.b64decode(known))
        yield dict(op='base64_bytes', key='u8', inputs=[text], want=[data, ok], dtypes=['u8', 'bool'], tol=EXACT)
    for m, s in [(1, 1), (3, 4), (2, 0)]:
        data = rng.integers(0, 256, (m, 16*s)).astype(np.uint8)
        if s:
            yield dict(op='xxh32_rows', key='u8', inputs=[data], want=[np.array([xxh32(row.tobytes()) for row in data], np.uint32)], dtypes=['u32'], tol=EXACT)
    for n, k, w in [(6, 3, 4), (40, 3, 4), (33, 5, 1), (17, 1, 8)]:
        x = rng.integers(0, 4, n).astype(np.uint8)
        words = [int(''.join(map(str, x[i:i + k])), 4) for i in range(n - k + 1)]
        hashes = [(v ^ v >> 7)*0x9E3779B97F4A7C15 % 2**64 for v in words]
        at = []
        for p in range(n - k - w + 2):
            best = p + int(np.argmin(np.array(hashes[p:p + w], np.uint64)))
            if not at or at[-1] != best:
                at.append(best)
        yield dict(op='minimizers', key='u8', inputs=[x], attrs={'k': k, 'w': w}, want=[np.array(at), np.array([hashes[i] for i in at], np.uint64)],
                   room=[(n - k - w + 2,)]*2, dtypes=['i64', 'u64'], tol=EXACT)
    count, symbols = np.array([1, 1, 2] + [0]*13, np.int32), np.array([7, 8, 9, 10], np.int32)
    codes = {7: '0', 8: '10', 9: '110', 10: '111'}
    for n in (0, 1, 5, 40):
        text = rng.choice(symbols, n)
        bits = np.array([int(c) for s in text for c in codes[int(s)]], np.uint8)
        yield dict(op='huffman_decoded', key='u8', inputs=[bits, count, symbols], want=[text.astype(np.int32)], room=[(len(bits),)], dtypes=['i32'], tol=EXACT)
    for h, v in [(1, 1), (3, 1), (5, 3), (16, 2)]:
        x = rng.integers(0, 2**64, (h, v), dtype=np.uint64)
        cells = np.unpackbits(x.view(np.uint8).reshape(h, v*8), axis=1, bitorder='little')
        near = sum(np.roll(cells.astype(int), (a, b), (0, 1)) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0))
        now = (near == 3) | ((near == 2) & (cells == 1))
        y = np.packbits(now, axis=1, bitorder='little').view(np.uint64).reshape(h, v)
        yield dict(op='bits_of_neighbours', key='u64', inputs=[x], want=[y], tol=EXACT)


def places(rng):
    for key in ('f32', 'i8'):
        for n, m in [(1, 3), (7, 17), (33, 64), (5, 0)]:
            x, i = rand(rng, (n,), key, -50, 50), rng.integers(-2**63, 2**63 - 1, m, endpoint=True)
            i[:2] = [-2**63, 2**63 - 1][:len(i)]
            with np.errstate(over='ignore'):
                at = [(i*31 + 7) % n, (-i) % n, np.clip(i*i, 0, n - 1), ((i*3 - 5) & 7) % n]
            yield dict(op='hashed_places', key=key, inputs=[x, i], want=[np.stack([x[k] for k in at], -1)], tol=EXACT)


def blocks(rng):
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for b, c, length, h, p, g, n in [(1, 1, 1, 1, 1, 1, 1), (2, 3, 4, 4, 3, 2, 5), (1, 2, 8, 2, 17, 1, 16), (1, 0, 4, 2, 3, 1, 2)]:
            total = c*length
            x, k, q = (rand(rng, s, key, -1, 1) for s in ((b, total, h, p), (b, total, g, n), (b, total, g, n)))
            a = rand(rng, (b, total, h), key, -1, 0)
            y, state = np.zeros((b, total, h, p)), np.zeros((b, h, n, p))
            for t in range(total):
                kt, qt = (np.repeat(wide(z)[:, t], h//g, 1) for z in (k, q))
                state = np.exp(wide(a)[:, t])[..., None, None]*state + kt[..., None]*wide(x)[:, t, :, None]
                y[:, t] = (qt[..., None]*state).sum(2)
            yield dict(op='ssd_chunks', key=key, inputs=[x, a, k, q], attrs={'len': length}, want=[y], tol=tol(ulp=2, acc=8*total + n, mag=float(total*n)))
        for shape in [(5,), (0,), (3, 1), (2, 17), (2, 3, 5), (1, 2, 3, 4), (2, 1, 2, 3, 2), (1, 2, 1, 2, 3, 2)]:
            for axis in {0, -1, len(shape)//2}:
                x = rand(rng, shape, key)
                v = np.moveaxis(wide(x), axis, 0).copy()
                s = np.zeros_like(v[:1])
                for order in (range(len(v)), range(len(v) - 1, -1, -1)):
                    s = np.zeros(v.shape[1:])
                    for t in order:
                        s = v[t] = 0.5*s + 0.5*v[t]
                yield dict(op='any_axis_filter', key=key, inputs=[x], attrs={'axis': int(axis)}, want=[np.moveaxis(v, 0, axis)], tol=tol(ulp=2, acc=8, mag=4.0))
    for key in ('c64', 'c128'):
        for shape in [(1,), (17,), (3, 5), (2, 3, 16), (2, 0)]:
            x, a = rand(rng, shape, key), np.array([0.5 + 0.25j, -0.125j]).astype(np_dtype(key))
            y = np.zeros(shape, np.complex128)
            for t in range(shape[-1]):
                y[..., t] = x[..., t] + (a[0]*y[..., t - 1] if t else 0) + (a[1]*y[..., t - 2] if t > 1 else 0)
            yield dict(op='complex_poles', key=key, inputs=[x, a], want=[y], tol=tol(ulp=4, acc=16, mag=8.0))
    for key in ('f32', 'f64'):
        for n, d, e, k in [(1, 1, 1, 1), (9, 5, 7, 2), (17, 3, 8, 3), (0, 2, 4, 2)]:
            x, w, bias = rand(rng, (n, d), key), rand(rng, (e, d), key), rand(rng, (e,), key, -1, 1)
            s = 1/(1 + np.exp(-wide(x) @ wide(w).T))
            i = np.argsort(-(s + wide(bias)), axis=1, kind='stable')[:, :k]
            g = np.take_along_axis(s, i, 1)
            hot = np.zeros((n, e), int)
            np.put_along_axis(hot, i, 1, 1)
            slot = np.take_along_axis(np.cumsum(hot, 0) - hot, i, 1)
            yield dict(op='router', key=key, inputs=[x, w, bias], attrs={'k': k}, want=[g/g.sum(1, keepdims=True), i, hot.sum(0), slot],
                       dtypes=[key, 'i64', 'i64', 'i64'], tol=[tol(ulp=16, acc=4*d, mag=1.0), EXACT, EXACT, EXACT])
    for key in ('f32', 'i8', 'u16', 'c64'):
        for h, w in [(1, 1), (5, 7), (16, 33), (0, 3), (3, 0)]:
            x = rand(rng, (h, w), key, 0, 9)*(rng.random((h, 1)) < 0.5).astype(int)*(rng.random(w) < 0.5)
            x = x.astype(np_dtype(key))
            yield dict(op='kept_box', key=key, inputs=[x], want=[x[np.ix_((x != 0).any(1), (x != 0).any(0))]], room=[(h, w)], tol=EXACT)
    for key in ('i8', 'u8', 'f32', 'i64', 'f16'):
        for shape in [(8,), (3, 8), (2, 5, 8), (0, 8), (1, 2, 1, 2, 2, 8)]:
            x = rand(rng, shape, key, -50, 50)
            yield dict(op='sort_by_network', key=key, inputs=[x], want=[np.sort(x, -1)], tol=EXACT)
    for key in ('f32', 'i8'):
        for m, g in [(1, 1), (3, 5), (17, 4), (2, 0)]:
            w = rand(rng, (m, 4*g), key, -9, 9)
            v = np.abs(wide(w)).reshape(m, g, 4)
            i = np.sort(np.argsort(-v, 2, kind='stable')[..., :2], 2)
            yield dict(op='sparse_24', key=key, inputs=[w], want=[np.take_along_axis(w.reshape(m, g, 4), i, 2).reshape(m, 2*g), i.reshape(m, 2*g).astype(np.uint8)],
                       dtypes=[key, 'u8'], tol=EXACT)
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for sizes in [(1,), (3, 0, 4, 1), (17, 2)]:
            ptr = np.concatenate([[0], np.cumsum(sizes)])
            e, n = int(ptr[-1]), 6
            var, magnitude = rng.integers(0, n, e), rng.permutation(4*e)[:e] + 1
            r = (magnitude*rng.choice([-1, 1], e)/4).astype(np_dtype(key))
            big = rand(rng, (n,), key, -1, 1)
            q = wide((big[var].astype(np.float32) - r.astype(np.float32)) if key in ('f16', 'bf16') else big[var] - r)
            out, parity = np.zeros(e), np.zeros(len(sizes), np.uint8)
            for c, (a, b) in enumerate(zip(ptr[:-1], ptr[1:])):
                for k in range(a, b):
                    rest = np.delete(np.abs(q[a:b]), int(np.argmin(np.abs(q[a:b])))) if k == a + int(np.argmin(np.abs(q[a:b]))) else np.abs(q[a:b])
                    out[k] = (-1 if q[k] < 0 else 1)*np.prod(np.where(q[a:b] < 0, -1, 1))*(rest.min() if len(rest) else np.inf)
                parity[c] = np.count_nonzero(wide(big)[var[a:b]] < 0) % 2
            if 0 not in sizes:
                yield dict(op='ldpc_checks', key=key, inputs=[ptr, var, big, r], want=[out, parity], dtypes=[key, 'u8'], tol=[tol(ulp=2), EXACT])
            else:
                yield dict(op='ldpc_checks', key=key, inputs=[ptr, var, big, r], out=[(key, (e,)), ('u8', (len(sizes),))], dtypes=[key, 'u8'], error='an empty range has no place of a least value')
    for key in ('f32', 'f64'):
        for length, c in [(1, 1), (17, 4), (40, 3), (0, 2)]:
            x = rand(rng, (length, c), key)
            best = x.argmax(1) if length else np.zeros(0, int)
            kept = (best != 0) & (best != np.concatenate([[0], best[:-1]])) if length else np.zeros(0, bool)
            yield dict(op='ctc_greedy', key=key, inputs=[x], want=[best[kept].astype(np.int32), np.flatnonzero(kept).astype(np.int32)],
                       room=[(length,)]*2, dtypes=['i32', 'i32'], tol=EXACT)
    for key in ('i8', 'f16', 'c64', 'bool', 'f64'):
        for lead, g, size in [((), 1, 1), ((3,), 2, 3), ((2, 2), 3, 5), ((1, 2, 1, 2, 2), 1, 4), ((2,), 0, 3)]:
            x = rand(rng, (*lead, 2*g*size), key)
            y = x.reshape(*lead, g, 2, size)[..., ::-1, :].reshape(x.shape)
            yield dict(op='swapped_halves_of_groups', key=key, inputs=[x], attrs={'size': size}, want=[y], tol=EXACT)


def cases(rng):
    yield from graphs(rng)
    yield from streams(rng)
    yield from places(rng)
    yield from blocks(rng)
