"""Pictures, particles, sparse rows, statistics and compactions: packs and axes in recurrences, updates of every kind, ranges of ranges."""
import numpy as np

from casekit import EXACT, available, np_dtype, packs, rand, tol, wide

OPS = [r'''
ops:
  - op: aligned_boxes
    doc: means of bilinear samples in the cells of boxes
    types: {T: [f32, f64], I: index}
    attrs: {out: "int[2]", samples: int = 2, scale: float = 0.5}
    require: [out >= 1, samples >= 1, H >= 1, W >= 1]
    let: {P: "out[0]", Q: "out[1]", G: samples}
    index: {p: P, q: Q, s: G, t: G, a: 2, b: 2}
    in: {X: "T[N, C, H, W]", Box: "T[R, 4]", At: "I[R]"}
    out: {Y: "T[R, C, P, Q]"}
    body: |
      o[r,e] = scale*Box[r,e] - 0.5
      y[r,p,s] = o[r,1] + (o[r,3] - o[r,1])*(p + (s + 0.5)/samples)/P
      x[r,q,t] = o[r,0] + (o[r,2] - o[r,0])*(q + (t + 0.5)/samples)/Q
      iy[r,p,s] = cast(floor(clamp(y[r,p,s], 0, H - 1)), i64)
      ix[r,q,t] = cast(floor(clamp(x[r,q,t], 0, W - 1)), i64)
      fy[r,p,s] = clamp(y[r,p,s], 0, H - 1) - iy[r,p,s]
      fx[r,q,t] = clamp(x[r,q,t], 0, W - 1) - ix[r,q,t]
      in[r,p,s,q,t] = y[r,p,s] > -1 and y[r,p,s] < H and x[r,q,t] > -1 and x[r,q,t] < W
      v[r,c,p,s,q,t] = sum[a,b](select(a == 0, 1 - fy[r,p,s], fy[r,p,s])*select(b == 0, 1 - fx[r,q,t], fx[r,q,t])*X[wrap(At[r], N),c,clamp(iy[r,p,s] + a, 0, H - 1),clamp(ix[r,q,t] + b, 0, W - 1)])
      Y[r,c,p,q] = sum[s,t](select(in[r,p,s,q,t], v[r,c,p,s,q,t], 0))/(samples*samples)
'''.replace('in[r,', 'inside[r,'), r'''
ops:
  - op: soft_suppressed
    doc: boxes by falling score, each taking score from what it overlaps
    types: {T: [f32, f64]}
    attrs: {sigma: float = 0.5}
    in: {Box: "T[N, 4]", S: "T[N]"}
    out: {At: "i64[N]", Score: "T[N]"}
    body: |
      area[n] = (Box[n,2] - Box[n,0])*(Box[n,3] - Box[n,1])
      w[n,m] = max(min(Box[n,2], Box[m,2]) - max(Box[n,0], Box[m,0]), 0)*max(min(Box[n,3], Box[m,3]) - max(Box[n,1], Box[m,1]), 0)
      iou[n,m] = w[n,m]/(area[n] + area[m] - w[n,m])
      was[t,n] = padded(s[t - 1,n], S[n])
      Score[t], At[t] = max_at[n](was[t,n])
      s[t,n] = select(n == At[t] or was[t,n] < 0, -1, was[t,n]*exp(-sq(iou[At[t],n])/sigma))
''', r'''
ops:
  - op: thinned
    doc: a figure worn down to lines, two half steps a round (Zhang and Suen)
    attrs: {rounds: int = 3}
    require: [rounds >= 1]
    let: {S: 2*rounds}
    index: {t: S, k: 8}
    tables: {Dy: {type: "i32[8]", values: [-1, -1, 0, 1, 1, 1, 0, -1]}, Dx: {type: "i32[8]", values: [0, 1, 1, 1, 0, -1, -1, -1]}}
    in: {X: "bool[H, W]"}
    out: {Y: "bool[H, W]", Left: "i64[S]"}
    body: |
      g[t,y,x] = padded(v[t - 1,y,x], X[y,x])
      p[t,y,x,k] = padded(g[t,y + Dy[k],x + Dx[k]], false)
      b[t,y,x] = sum[k](p[t,y,x,k])
      a[t,y,x] = sum[k](not p[t,y,x,k] and p[t,y,x,(k + 1) % 8])
      e[t,y,x] = select(t % 2 == 0, not (p[t,y,x,0] and p[t,y,x,2] and p[t,y,x,4]) and not (p[t,y,x,2] and p[t,y,x,4] and p[t,y,x,6]), not (p[t,y,x,0] and p[t,y,x,2] and p[t,y,x,6]) and not (p[t,y,x,0] and p[t,y,x,4] and p[t,y,x,6]))
      v[t,y,x] = g[t,y,x] and not (b[t,y,x] >= 2 and b[t,y,x] <= 6 and a[t,y,x] == 1 and e[t,y,x])
      Y[y,x] = v[S - 1,y,x]
      Left[t] = sum[y,x](v[t,y,x])
''', r'''
ops:
  - op: rendered_rays
    doc: colours along rays, each sample dimmed by what lies before it; depth and what is left
    types: {T: float}
    in: {Sigma: "T[*R, N]", Rgb: "T[*R, N, C]", T0: "T[*R, N]"}
    require: [N >= 1]
    out: {Y: "T[*R, C]", Depth: "T[*R]", Left: "T[*R]"}
    body: |
      d[*r,n] = select(n == N - 1, 1, padded(T0[*r,n + 1], 0) - T0[*r,n])
      a[*r,n] = 1 - exp(-max(Sigma[*r,n], 0)*d[*r,n])
      t[*r,n] = prod[k : k < n](1 - a[*r,k])
      Y[*r,c] = sum[n](t[*r,n]*a[*r,n]*Rgb[*r,n,c])
      Depth[*r] = sum[n](t[*r,n]*a[*r,n]*T0[*r,n])
      Left[*r] = prod[n](1 - a[*r,n])
''', r'''
ops:
  - op: paths_matched
    doc: costs of stereo summed along four directions of paths, with penalties of steps and jumps
    types: {T: [i32, f32]}
    attrs: {p1: T = 1, p2: T = 4}
    in: {C: "T[H, W, D]"}
    require: [D >= 1]
    out: {Best: "i64[H, W]", S: "T[H, W, D]"}
    body: |
      ml[y,x] = min[d](padded(l[y,x - 1,d], 0))
      l[y,x,d] = C[y,x,d] + min(padded(l[y,x - 1,d], 0), padded(l[y,x - 1,d - 1], 99999) + p1, padded(l[y,x - 1,d + 1], 99999) + p1, ml[y,x] + p2) - ml[y,x]
      mr[y,x] = min[d](padded(r[y,x + 1,d], 0))
      r[y,x,d] = C[y,x,d] + min(padded(r[y,x + 1,d], 0), padded(r[y,x + 1,d - 1], 99999) + p1, padded(r[y,x + 1,d + 1], 99999) + p1, mr[y,x] + p2) - mr[y,x]
      mt[y,x] = min[d](padded(t[y - 1,x,d], 0))
      t[y,x,d] = C[y,x,d] + min(padded(t[y - 1,x,d], 0), padded(t[y - 1,x,d - 1], 99999) + p1, padded(t[y - 1,x,d + 1], 99999) + p1, mt[y,x] + p2) - mt[y,x]
      md[y,x] = min[d](padded(u[y - 1,x + 1,d], 0))
      u[y,x,d] = C[y,x,d] + min(padded(u[y - 1,x + 1,d], 0), padded(u[y - 1,x + 1,d - 1], 99999) + p1, padded(u[y - 1,x + 1,d + 1], 99999) + p1, md[y,x] + p2) - md[y,x]
      S[y,x,d] = l[y,x,d] + r[y,x,d] + t[y,x,d] + u[y,x,d]
      Best[y,x] = argmin[d](S[y,x,d])
''', r'''
ops:
  - op: toppled
    doc: a pile of sand that topples wherever there are four grains or more, a round at a time; grains that fall off are counted
    types: {T: [u8, i32, i64]}
    attrs: {rounds: int = 5}
    require: [rounds >= 1]
    index: {t: rounds}
    in: {X: "T[H, W]"}
    out: {Y: "T[H, W]", Lost: "i64[]"}
    body: |
      g[t,y,x] = padded(v[t - 1,y,x], cast(X[y,x], i32))
      f[t,y,x] = shr(g[t,y,x], 2)
      v[t,y,x] = g[t,y,x] % 4 + padded(f[t,y - 1,x], 0) + padded(f[t,y + 1,x], 0) + padded(f[t,y,x - 1], 0) + padded(f[t,y,x + 1], 0)
      Y[y,x] = cast(v[rounds - 1,y,x], T)
      Lost[] = sum[y,x](cast(X[y,x], i64)) - sum[y,x](cast(v[rounds - 1,y,x], i64))
''', r'''
ops:
  - op: oscillators
    doc: coupled phases by steps of the fourth order; how far they agree, as a complex number
    types: {T: [f32, f64]}
    attrs: {steps: int = 4, h: float = 0.1, k: float = 1.5}
    require: [steps >= 1]
    index: {t: steps, s: 4}
    in: {Th: "T[N]", W: "T[N]"}
    out: {Y: "T[N]", R: "complex(T)[]"}
    body: |
      was[t,i] = padded(y[t - 1,i], Th[i])
      p[t,s,i] = was[t,i] + select(s == 0, 0, select(s == 3, 1, 0.5))*h*padded(d[t,s - 1,i], 0)
      d[t,s,i] = W[i] + k/N*sum[j](sin(p[t,s,j] - p[t,s,i]))
      y[t,i] = was[t,i] + h/6*(d[t,0,i] + 2*d[t,1,i] + 2*d[t,2,i] + d[t,3,i])
      Y[i] = y[steps - 1,i]
      R[] = sum[i](complex(cos(Y[i]), sin(Y[i])))/N
''', r'''
ops:
  - op: cell_pairs
    doc: forces between particles in cells of a ring, from ranges of sorted particles; pairs of neighbouring cells only
    types: {T: [f32, f64], I: index}
    in: {Pos: "T[N, 2]", Cell: "I[N]", Ptr: "I[Q]"}
    let: {C: Q - 1}
    require: [Q >= 2]
    out: {F: "T[N, 2]", Count: "i64[N]"}
    body: |
      k[n] = wrap(Cell[n], C)
      lo[n] = Ptr[k[n]]
      hi[n] = Ptr[k[n] + 1]
      ln[n] = Ptr[(k[n] + C - 1) % C]
      hn[n] = Ptr[(k[n] + C - 1) % C + 1]
      F[n,d] = sum[m in lo[n] .. hi[n] : m != n]((Pos[n,d] - Pos[m,d])/(0.01 + sq(Pos[n,0] - Pos[m,0]) + sq(Pos[n,1] - Pos[m,1]))) + sum[m in ln[n] .. hn[n] : C > 1]((Pos[n,d] - Pos[m,d])/(0.01 + sq(Pos[n,0] - Pos[m,0]) + sq(Pos[n,1] - Pos[m,1])))
      Count[n] = hi[n] - lo[n] + select(C > 1, hn[n] - ln[n], 0)
''', r'''
ops:
  - op: sparse_squared
    doc: a sparse matrix times another, rows dense in between; how many entries each row has, and those above a bound packed
    types: {T: [f32, f64, i32], I: index}
    attrs: {bound: T = 1}
    in: {Ptr: "I[P]", Col: "I[E]", V: "T[E]", Ptr2: "I[P2]", Col2: "I[E2]", V2: "T[E2]", Like: "T[N]"}
    let: {M: P - 1, K: P2 - 1, R: M*N, S: upto(R)}
    require: [P >= 1, P2 >= 2]
    out: {Count: "i64[M]", At: "i64[S]", Out: "T[S]"}
    body: |
      d[m,n] = sum[e in Ptr[m] .. Ptr[m + 1]](V[e]*sum[f in Ptr2[wrap(Col[e], K)] .. Ptr2[wrap(Col[e], K) + 1] : Col2[f] == n](V2[f])) + 0*Like[n]
      keep[m,n] = abs(d[m,n]) > bound
      Count[m] = sum[n](keep[m,n])
      before[m] = sum[o : o < m](Count[o])
      at[m,n] = before[m] + sum[k : k < n](keep[m,k])
      S = sum[m](Count[m])
      At[wrap(at[m,n], S)] last= n where keep[m,n]
      Out[wrap(at[m,n], S)] last= d[m,n] where keep[m,n]
''', r'''
ops:
  - op: intervals_joined
    doc: sorted intervals joined where they touch, and how many each holds
    types: {T: [i32, i64, f64]}
    in: {A: "T[N]", B: "T[N]"}
    let: {M: upto(N)}
    out: {From: "T[M]", To: "T[M]", Count: "i32[M]"}
    body: |
      end[n] = max(padded(end[n - 1], B[n]), B[n])
      new[n] = n == 0 or A[n] > padded(end[n - 1], 0)
      at[n] = sum[k : k <= n](new[k]) - 1
      M = sum[n](new[n])
      From[wrap(at[n], M)] last= A[n] where new[n]
      To[wrap(at[n], M)] max= B[n]
      Count[wrap(at[n], M)] += 1
''', r'''
ops:
  - op: top_of_groups
    doc: the largest values of each group, by a sort and counts; groups that lack some are padded
    types: {T: [f32, i32], I: index}
    attrs: {k: int = 2, groups: int}
    require: [k >= 1, groups >= 1]
    let: {K: k, G: groups}
    in: {X: "T[N]", Id: "I[N]"}
    out: {Y: "T[G, K]", At: "i64[G, K]", Bits: "u32[G]"}
    body: |
      s, p = sort(X, axis=-1, descending=true)
      g[n] = wrap(Id[clamp(p[n], 0, N - 1)], G)
      r[n] = sum[m : m < n](g[m] == g[n])
      Y[i,j] = cast(lowest(T), T)
      At[i,j] = -1
      Y[wrap(g[n], G),wrap(r[n], K)] last= s[n] where r[n] < k
      At[wrap(g[n], G),wrap(r[n], K)] last= p[n] where r[n] < k
      Bits[wrap(g[n], G)] bit_or= shl(cast(1, u32), cast(p[n] % 32, u32))
''', r'''
ops:
  - op: areas_under
    doc: the area under a curve of hits and false alarms, ties halved; gains by rank
    types: {T: [f32, f64, f16], I: index}
    in: {S: "T[Q, N]", L: "I[Q, N]"}
    out: {Auc: "f64[Q]", Ndcg: "f64[Q]"}
    body: |
      wins[q] = sum[i,j : L[q,i] > 0 and L[q,j] == 0](select(S[q,i] > S[q,j], 1.0, select(S[q,i] == S[q,j], 0.5, 0.0)))
      p[q] = sum[i](L[q,i] > 0)
      z[q] = sum[i](L[q,i] == 0)
      Auc[q] = wins[q]/max(cast(p[q]*z[q], f64), 1)
      r[q,i] = sum[j](S[q,j] > S[q,i] or (S[q,j] == S[q,i] and j < i))
      b[q,i] = sum[j](L[q,j] > L[q,i] or (L[q,j] == L[q,i] and j < i))
      best[q] = sum[i](cast(L[q,i], f64)/log2(cast(b[q,i] + 2, f64)))
      Ndcg[q] = sum[i](cast(L[q,i], f64)/log2(cast(r[q,i] + 2, f64)))/select(best[q] > 0, best[q], 1)
''', r'''
ops:
  - op: single_linkage
    doc: clusters joined by their nearest members, one pair a step; the distances at which they join
    types: {T: [f32, f64]}
    in: {D: "T[N, N]"}
    require: [N >= 1]
    let: {S: N - 1}
    index: {t: S}
    out: {Label: "i64[N]", H: "T[S]"}
    body: |
      lab[t,i] = padded(l[t - 1,i], i)
      H[t] = min[i,j : lab[t,i] != lab[t,j]](D[i,j])
      a[t] = min[i : any[j](lab[t,i] != lab[t,j] and D[i,j] == H[t])](lab[t,i])
      b[t] = max[j : lab[t,j] != a[t] and any[i](lab[t,i] == a[t] and D[i,j] == H[t])](lab[t,j])
      l[t,i] = select(lab[t,i] == b[t] or lab[t,i] == a[t], min(a[t], b[t]), lab[t,i])
      Label[i] = padded(l[S - 1,i], i)
''', r'''
ops:
  - op: logistic_steps
    doc: counted steps of Newton for two weights, by closed solutions; batched over any dims
    types: {T: [f32, f64]}
    attrs: {steps: int = 4, ridge: float = 0.1}
    require: [steps >= 1]
    index: {t: steps, a: 2, b: 2}
    in: {X: "T[*P, N, 2]", Y: "bool[*P, N]"}
    out: {W: "T[*P, 2]", Loss: "T[*P]"}
    body: |
      z[t,*p,n] = sum[a](X[*p,n,a]*padded(w[t - 1,*p,a], 0))
      m[t,*p,n] = 1/(1 + exp(-z[t,*p,n]))
      g[t,*p,a] = sum[n](X[*p,n,a]*(m[t,*p,n] - select(Y[*p,n], 1, 0))) + ridge*padded(w[t - 1,*p,a], 0)
      h[t,*p,a,b] = sum[n](X[*p,n,a]*X[*p,n,b]*m[t,*p,n]*(1 - m[t,*p,n])) + select(a == b, ridge, 0)
      det[t,*p] = h[t,*p,0,0]*h[t,*p,1,1] - h[t,*p,0,1]*h[t,*p,1,0]
      w[t,*p,a] = padded(w[t - 1,*p,a], 0) - (h[t,*p,1 - a,1 - a]*g[t,*p,a] - h[t,*p,a,1 - a]*g[t,*p,1 - a])/det[t,*p]
      W[*p,a] = w[steps - 1,*p,a]
      Loss[*p] = sum[n](log1p(exp(select(Y[*p,n], -1, 1)*sum[a](X[*p,n,a]*W[*p,a]))))
''', r'''
ops:
  - op: recursive_blur
    doc: an exponential blur both ways along a chosen axis, and back along the same
    types: {T: float}
    attrs: {axis: int = -1, keep: float = 0.6}
    in: {X: "T[*P, D@axis, *Q]"}
    out: {Y: "T[*P, D, *Q]"}
    body: |
      u[*p,d,*q] = keep*padded(u[*p,d - 1,*q], X[*p,d,*q]) + (1 - keep)*X[*p,d,*q]
      Y[*p,d,*q] = keep*padded(Y[*p,d + 1,*q], u[*p,d,*q]) + (1 - keep)*u[*p,d,*q]
''', r'''
ops:
  - op: walked_by_numbers
    doc: walks on a graph by numbers from counters, and how often each node is met
    types: {I: index}
    attrs: {seed: u64 = 7, steps: int = 8, walks: int = 5}
    require: [steps >= 1, walks >= 0, N >= 2]
    let: {W: walks, S: steps, M: N - 1}
    index: {w: W, s: S}
    in: {Ptr: "I[N]", To: "I[E]"}
    out: {At: "i64[W, S]", Met: "i64[M]"}
    body: |
      pick[w,s] = cast(shr(philox(seed, w, s), 1), i64)
      was[w,s] = padded(At[w,s - 1], w % M)
      deg[w,s] = Ptr[wrap(was[w,s], M) + 1] - Ptr[wrap(was[w,s], M)]
      At[w,s] = select(deg[w,s] > 0, cast(padded(To[clamp(Ptr[wrap(was[w,s], M)] + pick[w,s] % max(cast(deg[w,s], i64), 1), -1, E)], 0), i64), was[w,s])
      Met[wrap(At[w,s], M)] += 1
''', r'''
ops:
  - op: contours
    doc: where a level crosses the edges of a grid, cells by their four corners
    types: {T: [f32, f64]}
    attrs: {level: T = 0}
    let: {P: H - 1, Q: W - 1}
    require: [H >= 1, W >= 1]
    in: {X: "T[H, W]"}
    out: {Code: "u8[P, Q]", Across: "T[H, Q]", Down: "T[P, W]", Kinds: "i32[16]"}
    body: |
      a[v,u] = X[v,u] > level
      Code[y,x] = cast(a[y,x], u8) + 2*cast(a[y,x + 1], u8) + 4*cast(a[y + 1,x], u8) + 8*cast(a[y + 1,x + 1], u8)
      Across[v,x] = select(a[v,x] == a[v,x + 1], -1, (level - X[v,x])/(X[v,x + 1] - X[v,x]))
      Down[y,u] = select(a[y,u] == a[y + 1,u], -1, (level - X[y,u])/(X[y + 1,u] - X[y,u]))
      Kinds[wrap(Code[y,x], 16)] += 1
''', r'''
ops:
  - op: ragged_reversed
    doc: rows of any length that lie one after the other, each backwards, with its running total from behind
    types: {T: [i32, f32, c64], I: index}
    in: {Ptr: "I[P]", X: "T[E]"}
    require: [P >= 2]
    let: {M: P - 1}
    index: {q: M}
    out: {Y: "T[E]", S: "T[E]", Longest: "i64[]"}
    body: |
      row[e] = sum[m : m >= 1](Ptr[m] <= e) 
      r[e] = clamp(row[e], 0, P - 2)
      Y[e] = padded(X[Ptr[r[e] + 1] - 1 - (e - Ptr[r[e]])], 0)
      last[e] = e == E - 1 or padded(row[e + 1], 0) != row[e]
      S[e] = X[e] + select(last[e], 0, padded(S[e + 1], 0))
      Longest[] = max(cast(max[q](Ptr[q + 1] - Ptr[q]), i64), 0)
''']

HEAD = '''ops:
  - op: wrong
    types: {T: float, I: index}
    in: {X: "T[M, N]", P: "I[Q]", C: "u8[N]"}
    out: {Y: "T[M, N]"}
    body: |
'''
BAD = [
    dict(why='an end without its extent', text=HEAD + '      Y[i,j] = sum[e in P[i] .. P[«i + 1»]](X[i,e])\n'),
    dict(why='a range whose variable indexes nothing', text=HEAD + '      Y[i,j] = X[i,j] + sum[«e» in 0 .. C[j]](1)\n'),
    dict(why='no such reducer', text=HEAD + '      Y[i,j] = «mean[k](X[i,k])»\n'),
    dict(why='a condition that is a number', text=HEAD + '      Y[i,j] = sum[k : «X[i,k]»](X[i,k])\n'),
    dict(why='a bit of a real number', text=HEAD + '      Y[i,j] = «bit_and(X[i,j], 1)»\n'),
    dict(why='too few indices', text=HEAD + '      Y[i,j] = «X[i]»\n'),
    dict(why='too many indices', text=HEAD + '      Y[i,j] = «X[i,j,i]»\n'),
    dict(why='a name that nothing has', text=HEAD + '      Y[i,j] = X[i,j]*«gamma»\n'),
    dict(why='a variable of no range', text=HEAD + '      Y[i,j] = X[i,j]*sum[«k»](k)\n'),
    dict(why='an update beyond its tensor', text=HEAD + '      Y[i,j] = 0\n      Y[«i + 1»,j] += X[i,j]\n'),
    dict(why='a real number in a clamp is no index later', text=HEAD + '      k[j] = clamp(X[0,j], 0, N - 1)\n      Y[i,j] = X[i,«k[j]»]\n'.replace('X[0,j]', 'sum[i](X[i,j])')),
    dict(why='an output that nothing defines', text=HEAD.replace('out: {Y: "T[M, N]"}', 'out: {Y: "T[M, N]", «Z»: "T[M]"}') + '      Y[i,j] = X[i,j]\n'),
    dict(why='the left side misses a dim', text=HEAD + '      «Y[i]» = X[i,0]\n'),
    dict(why='one variable twice on the left', text=HEAD + '      «Y[i,i]» = X[i,i]\n'),
    dict(why='an index from a real input', text=HEAD + '      Y[i,j] = X[i,wrap(«X[i,j]», N)]\n'.replace('wrap(«X[i,j]», N)', '«X[i,j]»')),
    dict(why='a sum before any statement of it', text=HEAD + '      Y[i,j] = X[i,j]*«s[i]»\n      s[i] = sum[k](X[i,k])\n'),
    dict(why='the size comes from nothing', text=HEAD.replace('out: {Y: "T[M, N]"}', 'out: {Y: "T[M, «L»]"}') + '      Y[i,j] = X[i,0]\n'),
    dict(why='mixed kinds of updates', text=HEAD + '      Y[i,j] = X[i,j]\n      Y[wrap(P[q], M),j] += X[0,«j + 1»]\n'),
]


def cases(rng):
    for key in ('f32', 'f64'):
        for n, c, h, w, r, out, s in ((1, 1, 1, 1, 1, (1, 1), 1), (2, 3, 7, 9, 4, (2, 3), 2), (1, 2, 16, 17, 3, (3, 3), 1), (1, 1, 4, 5, 0, (2, 2), 2)):
            x, at = rand(rng, (n, c, h, w), key), rng.integers(-n, n, r)
            box = np.sort(rng.integers(-4, 4*max(h, w), (r, 2, 2)), 1).reshape(r, 4).astype(np_dtype(key))/2
            y = np.zeros((r, c, *out))
            for i in range(r):
                o = .5*wide(box)[i] - .5
                for p in range(out[0]):
                    for q in range(out[1]):
                        for a in range(s):
                            for b in range(s):
                                yy = o[1] + (o[3] - o[1])*(p + (a + .5)/s)/out[0]; xx = o[0] + (o[2] - o[0])*(q + (b + .5)/s)/out[1]
                                if not (-1 < yy < h and -1 < xx < w): continue
                                yy, xx = min(max(yy, 0), h - 1), min(max(xx, 0), w - 1)
                                y0, x0 = int(yy), int(xx); y1, x1 = min(y0 + 1, h - 1), min(x0 + 1, w - 1); fy, fx = yy - y0, xx - x0
                                im = wide(x)[at[i]]
                                y[i, :, p, q] += (im[:, y0, x0]*(1 - fy)*(1 - fx) + im[:, y0, x1]*(1 - fy)*fx + im[:, y1, x0]*fy*(1 - fx) + im[:, y1, x1]*fy*fx)/s/s
            yield dict(op='aligned_boxes', key=key, inputs=[x, box.astype(np_dtype(key)), at], attrs={'out': list(out), 'samples': s}, want=[y], tol=tol(ulp=4, acc=256*(h + w), mag=2.0))
        for n in (1, 4, 12):
            a = rng.integers(0, 20, (n, 2)); box = np.concatenate([a, a + rng.integers(3, 12, (n, 2))], 1).astype(np_dtype(key))
            sc = (rng.permutation(n) + 1).astype(np_dtype(key))/np_dtype('f64')(1) if False else ((rng.permutation(n) + 1)/16).astype(np_dtype(key))
            bb = wide(box); area = (bb[:, 2] - bb[:, 0])*(bb[:, 3] - bb[:, 1])
            inter = np.maximum(np.minimum(bb[:, None, 2], bb[:, 2]) - np.maximum(bb[:, None, 0], bb[:, 0]), 0)*np.maximum(np.minimum(bb[:, None, 3], bb[:, 3]) - np.maximum(bb[:, None, 1], bb[:, 1]), 0)
            iou = inter/(area[:, None] + area - inter)
            s, at, out = wide(sc).copy(), [], []
            for _ in range(n):
                k = int(s.argmax()); at.append(k); out.append(s[k])
                s = np.where(s < 0, -1, s*np.exp(-iou[k]**2/.5)); s[k] = -1
            yield dict(op='soft_suppressed', key=key, inputs=[box, sc], want=[np.array(at), np.array(out)], dtypes=['i64', key], tol=[EXACT, tol(ulp=4, acc=64*n)])
        for n, steps in ((1, 1), (5, 4), (33, 3)):
            th, w = rand(rng, (n,), key, -3, 3), rand(rng, (n,), key)
            y, d = wide(th), lambda p: wide(w) + 1.5/n*np.sin(p[None] - p[:, None]).sum(1)
            for _ in range(steps):
                k1 = d(y); k2 = d(y + .05*k1); k3 = d(y + .05*k2); k4 = d(y + .1*k3)
                y = y + .1/6*(k1 + 2*k2 + 2*k3 + k4)
            yield dict(op='oscillators', key=key, inputs=[th, w], attrs={'steps': steps}, want=[y, np.asarray(np.exp(1j*y).mean())], dtypes=[key, {'f32': 'c64', 'f64': 'c128'}[key]], tol=tol(ulp=4, acc=64*(n + steps), mag=4.0))
        for it in (np.int32, np.int64):
            for n, c in ((1, 1), (9, 3), (30, 5)):
                pos, cell = rand(rng, (n, 2), key), np.sort(rng.integers(0, c, n))
                ptr = np.searchsorted(cell, np.arange(c + 1))
                f, cnt = np.zeros((n, 2)), np.zeros(n, np.int64)
                for i in range(n):
                    js = [j for j in range(ptr[cell[i]], ptr[cell[i] + 1])]
                    ks = list(range(ptr[(cell[i] - 1) % c], ptr[(cell[i] - 1) % c + 1])) if c > 1 else []
                    cnt[i] = len(js) + len(ks)
                    for j in [j for j in js if j != i] + ks:
                        dd = wide(pos)[i] - wide(pos)[j]; f[i] += dd/(.01 + dd @ dd)
                yield dict(op='cell_pairs', key=key, inputs=[pos, cell.astype(it), ptr.astype(it)], want=[f, cnt], dtypes=[key, 'i64'], tol=[tol(ulp=4, acc=64*n, mag=10.0*n), EXACT])
        for n in (1, 2, 5, 12):
            d = np.zeros((n, n)); iu = np.triu_indices(n, 1); d[iu] = rng.permutation(len(iu[0])) + 1; d = d + d.T
            lab, h = np.arange(n), []
            for _ in range(n - 1):
                m = np.where(lab[:, None] != lab, d, np.inf)
                h.append(m.min()); i, j = np.argwhere(m == m.min())[0]
                a, b = lab[i], lab[j]; lab = np.where((lab == a) | (lab == b), min(a, b), lab)
            yield dict(op='single_linkage', key=key, inputs=[d.astype(np_dtype(key))], want=[lab, np.array(h)], dtypes=['i64', key], tol=EXACT)
        for p, n in (((), 5), ((3,), 17), ((2, 2), 33), ((0,), 4)):
            x, y = rand(rng, (*p, n, 2), key), rng.integers(0, 2, (*p, n)).astype(bool)
            w = np.zeros((*p, 2))
            for _ in range(4):
                m = 1/(1 + np.exp(-(wide(x) @ w[..., None])[..., 0]))
                g = np.einsum('...na,...n->...a', wide(x), m - y) + .1*w
                h = np.einsum('...na,...nb,...n->...ab', wide(x), wide(x), m*(1 - m)) + .1*np.eye(2)
                w = w - np.linalg.solve(h, g[..., None])[..., 0]
            loss = np.log1p(np.exp(np.where(y, -1, 1)*(wide(x) @ w[..., None])[..., 0])).sum(-1)
            yield dict(op='logistic_steps', key=key, inputs=[x, y], want=[w, loss], dtypes=[key, key], tol=tol(ulp=4, acc=2048*n, mag=4.0 + n))
        for h, w in ((1, 1), (2, 2), (7, 9), (16, 33), (1, 5)):
            x = rand(rng, (h, w), key)
            a = (wide(x) > .25).astype(int)
            code = a[:-1, :-1] + 2*a[:-1, 1:] + 4*a[1:, :-1] + 8*a[1:, 1:]
            xx = wide(x)
            with np.errstate(all='ignore'):
                ac = np.where(a[:, :-1] == a[:, 1:], -1, (.25 - xx[:, :-1])/(xx[:, 1:] - xx[:, :-1])); dn = np.where(a[:-1] == a[1:], -1, (.25 - xx[:-1])/(xx[1:] - xx[:-1]))
            yield dict(op='contours', key=key, inputs=[x], attrs={'level': .25}, want=[code, ac, dn, np.bincount(code.ravel(), minlength=16)], dtypes=['u8', key, key, 'i32'], tol=[EXACT, tol(ulp=8, mag=1e3 if key == 'f32' else 1e3, acc=1), tol(ulp=8, acc=1, mag=1e3), EXACT])
    for h, w in ((1, 1), (5, 7), (12, 17), (0, 3)):
        x = rng.random((h, w)) < .75
        for rounds in (1, 3):
            v, left = x.copy(), []
            for t in range(2*rounds):
                q = np.pad(v, 1)
                p = [q[1 + dy:1 + dy + h, 1 + dx:1 + dx + w] for dy, dx in ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))]
                b, a = sum(k.astype(int) for k in p), sum((~p[k] & p[(k + 1) % 8]).astype(int) for k in range(8))
                e = ~(p[0] & p[2] & p[4]) & ~(p[2] & p[4] & p[6]) if t % 2 == 0 else ~(p[0] & p[2] & p[6]) & ~(p[0] & p[4] & p[6])
                v = v & ~((b >= 2) & (b <= 6) & (a == 1) & e); left.append(v.sum())
            yield dict(op='thinned', key='bool', inputs=[x], attrs={'rounds': rounds}, want=[v, np.array(left)], dtypes=['bool', 'i64'], tol=EXACT)
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for r, n, c in (((), 1, 3), ((5,), 17, 3), ((2, 3), 33, 1), ((0,), 4, 3), ((4,), 8, 0)):
            sg, rgb = rand(rng, (*r, n), key, -1, 2), rand(rng, (*r, n, c), key, 0, 1)
            t0 = np.cumsum(rng.integers(1, 4, (*r, n))/16, -1).astype(np_dtype(key))
            d = np.concatenate([np.diff(wide(t0), axis=-1), np.ones((*r, 1))], -1)
            a = 1 - np.exp(-np.maximum(wide(sg), 0)*d)
            t = np.cumprod(np.concatenate([np.ones((*r, 1)), 1 - a[..., :-1]], -1), -1)
            yield dict(op='rendered_rays', key=key, inputs=[sg, rgb, t0], want=[np.einsum('...n,...nc->...c', t*a, wide(rgb)), (t*a*wide(t0)).sum(-1), (1 - a).prod(-1)], dtypes=[key]*3, tol=tol(ulp=4, acc=16*n, mag=4.0))
        for shape, axis in (((1,), 0), ((17,), -1), ((5, 33), 0), ((33, 5), 1), ((2, 3, 17), 1), ((0,), 0), ((2, 0, 3), 2)):
            x = rand(rng, shape, key)
            v = np.moveaxis(wide(x), axis, 0); u, y = np.zeros(v.shape), np.zeros(v.shape)
            for i in range(len(v)): u[i] = .6*(u[i - 1] if i else v[i]) + .4*v[i]
            for i in reversed(range(len(v))): y[i] = .6*(y[i + 1] if i + 1 < len(v) else u[i]) + .4*u[i]
            yield dict(op='recursive_blur', key=key, inputs=[x], attrs={'axis': axis}, want=[np.moveaxis(y, 0, axis)], tol=tol(ulp=4, acc=64, mid=8, mag=2.0))
    for key in ('i32', 'f32'):
        for h, w, d in ((1, 1, 1), (5, 7, 4), (3, 17, 8), (0, 3, 2), (4, 1, 3)):
            c = rng.integers(0, 20, (h, w, d)).astype(np_dtype(key))
            def path(dy, dx):
                l = np.zeros((h, w, d))
                ys = range(h) if dy >= 0 else reversed(range(h))
                for y in ys:
                    for x in (range(w) if dx >= 0 else reversed(range(w))):
                        py, px = y - dy, x - dx
                        inside = 0 <= py < h and 0 <= px < w
                        p = l[py, px] if inside else np.zeros(d)
                        m = p.min()
                        lo = np.concatenate([[99999], p[:-1]]) if inside else np.full(d, 99999.)
                        hi = np.concatenate([p[1:], [99999]]) if inside else np.full(d, 99999.)
                        l[y, x] = c[y, x] + np.minimum.reduce([p, lo + 1, hi + 1, np.full(d, m + 4.)]) - m
                return l
            s = path(0, 1) + path(0, -1) + path(1, 0) + path(1, -1)
            yield dict(op='paths_matched', key=key, inputs=[c], attrs={'p1': 1.0, 'p2': 4.0} if key == 'f32' else {'p1': 1, 'p2': 4}, want=[s.argmin(-1) if d else None, s], dtypes=['i64', key], tol=EXACT)
    for key in ('u8', 'i32', 'i64'):
        for h, w in ((1, 1), (5, 7), (17, 33), (0, 2)):
            x = rng.integers(0, 30, (h, w)).astype(np_dtype(key))
            for rounds in (1, 6):
                v = wide(x).copy()
                for _ in range(rounds):
                    f = np.pad(v // 4, 1); v = v % 4 + f[:-2, 1:-1] + f[2:, 1:-1] + f[1:-1, :-2] + f[1:-1, 2:]
                yield dict(op='toppled', key=key, inputs=[x], attrs={'rounds': rounds}, want=[v, np.asarray(wide(x).sum() - v.sum())], dtypes=[key, 'i64'], tol=EXACT)
    for key in ('f32', 'f64', 'i32'):
        for it in (np.int32, np.int64):
            for m, k, n in ((1, 1, 1), (5, 4, 7), (9, 17, 5), (0, 3, 2)):
                a, b = rng.integers(-2, 3, (m, k))*(rng.random((m, k)) < .4), rng.integers(-2, 3, (k, n))*(rng.random((k, n)) < .4)
                csr = lambda z: (np.concatenate([[0], np.cumsum((z != 0).sum(1))]).astype(it), np.nonzero(z)[1].astype(it), z[z != 0].astype(np_dtype(key)))
                p = a @ b; keep = abs(p) > 1
                yield dict(op='sparse_squared', key=key, inputs=[*csr(a), *csr(b), np.ones(n, np_dtype(key))], attrs={'bound': 1 if key == 'i32' else 1.0}, want=[keep.sum(1), np.nonzero(keep)[1], p[keep]], room=[(m,), (m*n,), (m*n,)],
                           dtypes=['i64', 'i64', key], tol=EXACT)
    for key in ('i32', 'i64', 'f64'):
        for n in (0, 1, 9, 40):
            a = np.sort(rng.integers(0, 3*n + 1, n)); b = a + rng.integers(0, 6, n)
            out = []
            for p, q in zip(a, b):
                if out and p <= out[-1][1]: out[-1][1] = max(out[-1][1], q); out[-1][2] += 1
                else: out.append([p, q, 1])
            o = np.array(out, float).reshape(-1, 3)
            yield dict(op='intervals_joined', key=key, inputs=[a.astype(np_dtype(key)), b.astype(np_dtype(key))], want=[o[:, 0], o[:, 1], o[:, 2].astype(np.int32)], room=[(n,)]*3, dtypes=[key, key, 'i32'], tol=EXACT)
    for key in ('f32', 'i32'):
        for it in (np.int32, np.int64):
            for n, g, k in ((0, 2, 1), (1, 1, 3), (20, 4, 2), (40, 3, 5)):
                x, ids = rng.permutation(n).astype(np_dtype(key)), rng.integers(0, g, n).astype(it)
                y = np.full((g, k), np.finfo(np.float32).min if key == 'f32' else np.iinfo(np.int32).min, np.float64); at = np.full((g, k), -1)
                bits = np.zeros(g, np.uint32)
                for q in range(g):
                    own = [i for i in np.argsort(-wide(x), kind='stable') if ids[i] == q]
                    for j, i in enumerate(own[:k]): y[q, j], at[q, j] = x[i], i
                    for i in own: bits[q] |= np.uint32(1 << (i % 32))
                yield dict(op='top_of_groups', key=key, inputs=[x, ids], attrs={'k': k, 'groups': g}, want=[y, at, bits], dtypes=[key, 'i64', 'u32'], tol=EXACT)
    for key in available('f32', 'f64', 'f16'):
        for it in (np.int32, np.int64):
            for q, n in ((1, 1), (3, 9), (2, 33), (0, 4), (2, 0)):
                s, l = rng.integers(0, 8, (q, n)).astype(np_dtype(key)), rng.integers(0, 3, (q, n)).astype(it)
                auc, nd = np.zeros(q), np.zeros(q)
                for i in range(q):
                    pos, neg = wide(s)[i][l[i] > 0], wide(s)[i][l[i] == 0]
                    auc[i] = ((pos[:, None] > neg).sum() + .5*(pos[:, None] == neg).sum())/max(len(pos)*len(neg), 1)
                    gain = lambda o: (l[i][o]/np.log2(np.arange(n) + 2)).sum()
                    best = gain(np.argsort(-l[i], kind='stable')); nd[i] = gain(np.argsort(-wide(s)[i], kind='stable'))/(best if best > 0 else 1)
                yield dict(op='areas_under', key=key, inputs=[s, l], want=[auc, nd], dtypes=['f64', 'f64'], tol=tol(ulp=4, acc=8*n, mag=1.0))
    for key in ('i32', 'f32', 'c64'):
        for it in (np.int32, np.int64):
            for lens in ((), (1,), (3, 1, 5), (17, 2, 33)):
                ptr = np.concatenate([[0], np.cumsum(lens)]).astype(it); e = int(ptr[-1])
                x = rng.integers(-9, 10, e).astype(np_dtype(key))
                y = np.concatenate([x[a:b][::-1] for a, b in zip(ptr, ptr[1:])]) if e else x
                s = np.concatenate([wide(x)[a:b][::-1].cumsum()[::-1] for a, b in zip(ptr, ptr[1:])]) if e else wide(x)
                if len(lens): yield dict(op='ragged_reversed', key=key, inputs=[ptr, x], want=[y, s, np.asarray(max(lens))], dtypes=[key, key, 'i64'], tol=EXACT)
