"""Kernels that people write by hand: sparse formats, segments, hashes, codes, pictures, transforms."""
import numpy as np

from casekit import EXACT, available, np_dtype, rand, tol, wide

OPS = [r'''
ops:
  - op: ell_rows
    doc: rows padded with -1
    types: {T: [f32, f16], I: index}
    in: {Col: "I[M, W]", V: "T[M, W]", X: "T[K, N]"}
    out: {Y: "T[M, N]"}
    require: [K >= 1]
    body: |
      Y[m,n] = sum[w : Col[m,w] >= 0](V[m,w]*X[clamp(Col[m,w], 0, K - 1),n])
''', r'''
ops:
  - op: coo_product
    types: {T: [f32, f64, i32], I: index}
    attrs: {rows: int}
    in: {Row: "I[E]", Col: "I[E]", V: "T[E]", X: "T[K, N]"}
    let: {M: rows}
    require: [rows >= 0]
    out: {Y: "T[M, N]"}
    body: |
      Y[wrap(Row[e], M),n] += V[e]*X[wrap(Col[e], K),n]
''', r'''
ops:
  - op: csr_softmax
    types: {T: [f32, f16], I: index}
    in: {Ptr: "I[P]", V: "T[E]"}
    let: {M: P - 1}
    require: [P >= 1]
    index: {m: M}
    out: {Y: "T[E]"}
    body: |
      hi[m] = max[e in Ptr[m] .. Ptr[m + 1]](V[e])
      s[m] = sum[e in Ptr[m] .. Ptr[m + 1]](exp(V[e] - hi[m]))
      Y[e] += exp(V[e] - hi[m])/s[m] where e in Ptr[m] .. Ptr[m + 1]
''', r'''
ops:
  - op: csr_lower_solve
    doc: a sparse lower triangle whose diagonal stands last in each row
    types: {T: [f32, f64], I: index}
    in: {Ptr: "I[P]", Col: "I[E]", V: "T[E]", B: "T[M]"}
    require: [P == M + 1]
    out: {X: "T[M]"}
    body: |
      d[m] = sum[e in Ptr[m] .. Ptr[m + 1] : Col[e] == m](V[e])
      s[m] = sum[e in Ptr[m] .. Ptr[m + 1] : Col[e] < m](V[e]*X[clamp(Col[e], 0, M - 1)])
      X[m] = (B[m] - s[m])/d[m]
''', r'''
ops:
  - op: segment_stats
    types: {T: [f32, f64, i32], I: index}
    attrs: {segments: int}
    in: {X: "T[N, D]", Id: "I[N]"}
    let: {S: segments}
    require: [segments >= 0]
    out: {Hi: "T[S, D]", Lo: "T[S, D]", Sum: "T[S, D]", Count: "i64[S]"}
    body: |
      Hi[wrap(Id[n], S),d] max= X[n,d]
      Lo[wrap(Id[n], S),d] min= X[n,d]
      Sum[wrap(Id[n], S),d] += X[n,d]
      Count[wrap(Id[n], S)] += 1
''', r'''
ops:
  - op: histogram_between
    types: {T: [f32, f64]}
    attrs: {bins: int = 10, lo: float = 0, hi: float = 1}
    in: {X: "T[*S]", W: "T[*S]"}
    let: {B: bins}
    require: [bins >= 1, hi > lo]
    out: {H: "T[B]"}
    body: |
      at[*s] = min(floor((X[*s] - lo)*bins/(hi - lo)), bins - 1)
      H[clamp(cast(at[*s], i64), 0, B - 1)] += W[*s] where X[*s] >= lo and X[*s] <= hi
''', r'''
ops:
  - op: bincount_rows
    types: {I: [u8, i32, i64]}
    attrs: {least: int = 4}
    in: {X: "I[M, N]"}
    let: {K: least}
    require: [least >= 0]
    out: {C: "i32[M, K]"}
    body: C[m,wrap(X[m,n], K)] += 1 where X[m,n] >= 0 and X[m,n] < least
''', r'''
fn:
  rotl32(x, r): bit_or(shl(x, r), shr(x, 32 - r))
  mix32(k): rotl32(k*cast(0xcc9e2d51, u32), 15)*cast(0x1b873593, u32)
ops:
  - op: murmur3_rows
    types: {I: [u32]}
    attrs: {seed: int = 0}
    in: {X: "I[M, N]"}
    out: {H: "u32[M]"}
    body: |
      h[m] = fold[n](a = cast(seed, u32), rotl32(bit_xor(a, mix32(X[m,n])), 13)*5 + cast(0xe6546b64, u32))
      l[m] = bit_xor(h[m], cast(4*N, u32))
      f[m] = bit_xor(l[m], shr(l[m], 16))*cast(0x85ebca6b, u32)
      b[m] = bit_xor(f[m], shr(f[m], 13))*cast(0xc2b2ae35, u32)
      H[m] = bit_xor(b[m], shr(b[m], 16))
''', r'''
ops:
  - op: rolling_hashes
    doc: hashes of all windows modulo a prime, each from the one before
    types: {I: [u8]}
    attrs: {width: int = 3, base: int = 257}
    in: {X: "I[N]"}
    let: {O: N - width + 1}
    require: [width >= 1, width <= N, base >= 1, base <= 1000]
    index: {k: width}
    out: {H: "i64[O]"}
    body: |
      top[] = fold[k](a = cast(1, i64), select(k == 0, 1, a*base % 1000003))
      first[] = fold[k](a = cast(0, i64), (a*base + cast(X[k], i64)) % 1000003)
      H[o] = select(o == 0, first[], ((padded(H[o - 1], 0) - padded(X[o - 1], 0)*top[])*base + X[o + width - 1]) % 1000003)
''', r'''
ops:
  - op: crc_of_rows
    types: {I: [u8]}
    index: {b: 8}
    tables:
      C8: {type: "u8[256]", of: [k], values: "fold[b](a = cast(k, u8), select(bit_and(a, 128) == 128, bit_xor(shl(a, 1), 7), shl(a, 1)))"}
      C64: {type: "u64[256]", of: [k], values: "fold[b](a = cast(k, u64), select(bit_and(a, 1) == 1, bit_xor(shr(a, 1), bit_or(shl(cast(0xC96C5795, u64), 32), cast(0xD7870F42, u64))), shr(a, 1)))"}
    in: {X: "I[M, N]"}
    out: {A: "u8[M]", B: "u64[M]"}
    body: |
      A[m] = fold[n](a = cast(0, u8), C8[bit_xor(a, X[m,n])])
      c[m] = fold[n](a = bit_not(cast(0, u64)), bit_xor(C64[bit_and(bit_xor(a, cast(X[m,n], u64)), 255)], shr(a, 8)))
      B[m] = bit_not(c[m])
''', r'''
ops:
  - op: siphash_like
    doc: rounds of add, rotate and xor over four words
    types: {I: [u64]}
    attrs: {rounds: int = 4}
    in: {V: "I[B, 4]"}
    index: {r: rounds}
    require: [rounds >= 1]
    out: {Y: "I[B]"}
    body: |
      a1[b,r] = padded(a[b,r - 1], V[b,0]) + padded(p[b,r - 1], V[b,1])
      p1[b,r] = bit_xor(bit_or(shl(padded(p[b,r - 1], V[b,1]), 13), shr(padded(p[b,r - 1], V[b,1]), 51)), a1[b,r])
      a2[b,r] = bit_or(shl(a1[b,r], 32), shr(a1[b,r], 32))
      c1[b,r] = padded(c[b,r - 1], V[b,2]) + padded(d[b,r - 1], V[b,3])
      d1[b,r] = bit_xor(bit_or(shl(padded(d[b,r - 1], V[b,3]), 16), shr(padded(d[b,r - 1], V[b,3]), 48)), c1[b,r])
      a[b,r] = a2[b,r] + d1[b,r]
      d[b,r] = bit_xor(bit_or(shl(d1[b,r], 21), shr(d1[b,r], 43)), a[b,r])
      c2[b,r] = c1[b,r] + p1[b,r]
      p[b,r] = bit_xor(bit_or(shl(p1[b,r], 17), shr(p1[b,r], 47)), c2[b,r])
      c[b,r] = bit_or(shl(c2[b,r], 32), shr(c2[b,r], 32))
      Y[b] = bit_xor(bit_xor(a[b,rounds - 1], p[b,rounds - 1]), bit_xor(c[b,rounds - 1], d[b,rounds - 1]))
''', r'''
ops:
  - op: packed_fields
    doc: fields of a width, one after the other, in words of 32 bits, and read back
    types: {I: [u32]}
    attrs: {width: int = 5}
    in: {X: "I[N]"}
    let: {O: "ceildiv(N*width, 32)"}
    require: [width >= 1, width <= 32, N >= 1]
    out: {P: "u32[O]", Y: "u32[N]"}
    body: |
      field[n] = cast(bit_and(cast(X[n], u64), shl(cast(1, u64), width) - 1), u64)
      P[clamp(n*width//32, 0, O - 1)] bit_or= cast(shl(field[n], n*width % 32), u32)
      P[clamp(n*width//32 + 1, 0, O - 1)] bit_or= cast(shr(shl(field[n], n*width % 32), 32), u32) where n*width % 32 + width > 32
      both[n] = bit_or(cast(P[clamp(n*width//32, 0, O - 1)], u64), shl(cast(padded(P[n*width//32 + 1], 0), u64), 32))
      Y[n] = cast(bit_and(shr(both[n], n*width % 32), shl(cast(1, u64), width) - 1), u32)
''', r'''
ops:
  - op: runs_decoded
    types: {T: [f32, u8, i64], I: index}
    attrs: {most: int = 64}
    in: {V: "T[N]", C: "I[N]"}
    let: {L: upto(most)}
    require: [most >= 0, N >= 1]
    index: {i: N}
    out: {Y: "T[L]"}
    body: |
      end[i] = sum[j : j <= i](max(cast(C[j], i64), 0))
      L = max(end[N - 1], 0)
      which[t] = sum[i](select(end[i] <= t, 1, 0))
      Y[t] = V[clamp(which[t], 0, N - 1)]
''', r'''
ops:
  - op: rows_compacted
    doc: the kept elements of each row first, then a filler
    types: {T: real}
    attrs: {fill: "T = 0"}
    in: {X: "T[M, N]", Keep: "bool[M, N]"}
    out: {Y: "T[M, N]", C: "i32[M]"}
    body: |
      at[m,n] = sum[k : k < n](select(Keep[m,k], 1, 0))
      C[m] = sum[n](select(Keep[m,n], 1, 0))
      y[m,n] = select(n < C[m], 0, fill)
      y[m,clamp(at[m,n], 0, N - 1)] last= X[m,n] where Keep[m,n]
      Y[m,n] = y[m,n]
''', r'''
ops:
  - op: move_to_front
    types: {I: [u8]}
    in: {X: "I[N]"}
    index: {s: 16}
    out: {Y: "u8[N]"}
    body: |
      p[n,s] = padded(q[n - 1,s], s)
      Y[n] = cast(argmax[s](p[n,s] == X[n] % 16), u8)
      q[n,s] = select(s == 0, X[n] % 16, select(s <= Y[n], padded(p[n,s - 1], 0), p[n,s]))
''', r'''
ops:
  - op: labels_spread
    doc: the least number among the equal neighbours, again and again
    types: {I: [u8, i32]}
    attrs: {steps: int = 12}
    in: {X: "I[H, W]"}
    index: {t: steps}
    require: [steps >= 1, H >= 1, W >= 1]
    out: {L: "i32[H, W]"}
    body: |
      n[t,y,x] = select(padded(X[y - 1,x], 0) == X[y,x] and y > 0, padded(l[t - 1,clamp(y - 1, 0, H - 1),x], (y - 1)*W + x), 1000000)
      s[t,y,x] = select(padded(X[y + 1,x], 0) == X[y,x] and y < H - 1, padded(l[t - 1,clamp(y + 1, 0, H - 1),x], (y + 1)*W + x), 1000000)
      w[t,y,x] = select(padded(X[y,x - 1], 0) == X[y,x] and x > 0, padded(l[t - 1,y,clamp(x - 1, 0, W - 1)], y*W + x - 1), 1000000)
      e[t,y,x] = select(padded(X[y,x + 1], 0) == X[y,x] and x < W - 1, padded(l[t - 1,y,clamp(x + 1, 0, W - 1)], y*W + x + 1), 1000000)
      l[t,y,x] = min(padded(l[t - 1,y,x], y*W + x), n[t,y,x], s[t,y,x], w[t,y,x], e[t,y,x])
      L[y,x] = l[steps - 1,y,x]
''', r'''
ops:
  - op: opened
    doc: erosion, then dilation, by a cross of a table
    types: {T: [u8, f32]}
    tables: {B: {type: "bool[3, 3]", values: [[0, 1, 0], [1, 1, 1], [0, 1, 0]]}}
    in: {X: "T[H, W]"}
    require: [H >= 1, W >= 1]
    out: {Y: "T[H, W]"}
    body: |
      e[y,x] = min[r,s : B[r,s]](X[mirror(y + r - 1, H),mirror(x + s - 1, W)])
      Y[y,x] = max[r,s : B[2 - r,2 - s]](e[mirror(y + r - 1, H),mirror(x + s - 1, W)])
''', r'''
ops:
  - op: local_variance
    doc: by integral images of the values and of their squares
    types: {T: [f64]}
    attrs: {r: int = 2}
    in: {X: "T[H, W]"}
    let: {P: H + 1, Q: W + 1}
    require: [r >= 0]
    out: {V: "T[H, W]"}
    body: |
      a[i,j] = sum[y,x : y < i and x < j](X[y,x])
      b[i,j] = sum[y,x : y < i and x < j](sq(X[y,x]))
      n[y,x] = (min(y + r + 1, H) - max(y - r, 0))*(min(x + r + 1, W) - max(x - r, 0))
      m[y,x] = (a[min(y + r + 1, H),min(x + r + 1, W)] - a[max(y - r, 0),min(x + r + 1, W)] - a[min(y + r + 1, H),max(x - r, 0)] + a[max(y - r, 0),max(x - r, 0)])/n[y,x]
      V[y,x] = (b[min(y + r + 1, H),min(x + r + 1, W)] - b[max(y - r, 0),min(x + r + 1, W)] - b[min(y + r + 1, H),max(x - r, 0)] + b[max(y - r, 0),max(x - r, 0)])/n[y,x] - sq(m[y,x])
    index: {i: P, j: Q}
''', r'''
fn:
  mid(a, b, c): max(min(a, b), min(max(a, b), c))
ops:
  - op: median_of_nine
    types: {T: real}
    in: {X: "T[H, W]"}
    require: [H >= 1, W >= 1]
    out: {Y: "T[H, W]"}
    body: |
      lo[y,x] = min(X[y,mirror(x - 1, W)], X[y,x], X[y,mirror(x + 1, W)])
      me[y,x] = mid(X[y,mirror(x - 1, W)], X[y,x], X[y,mirror(x + 1, W)])
      hi[y,x] = max(X[y,mirror(x - 1, W)], X[y,x], X[y,mirror(x + 1, W)])
      a[y,x] = max(lo[mirror(y - 1, H),x], lo[y,x], lo[mirror(y + 1, H),x])
      b[y,x] = mid(me[mirror(y - 1, H),x], me[y,x], me[mirror(y + 1, H),x])
      c[y,x] = min(hi[mirror(y - 1, H),x], hi[y,x], hi[mirror(y + 1, H),x])
      Y[y,x] = mid(a[y,x], b[y,x], c[y,x])
''', r'''
ops:
  - op: joint_bilateral
    types: {T: [f32, f16]}
    attrs: {sr: float = 0.5}
    tables: {G: {type: "f32[3, 3]", of: [a, b], values: "exp(-cast(sq(a - 1) + sq(b - 1), f32)/2)"}}
    in: {X: "T[N, H, W]", Guide: "T[N, H, W]"}
    require: [H >= 2, W >= 2]
    out: {Y: "T[N, H, W]"}
    body: |
      w[n,y,x,r,s] = cast(G[r,s], T)*exp(-sq((Guide[n,reflect(y + r - 1, H),reflect(x + s - 1, W)] - Guide[n,y,x])/sr)/2)
      Y[n,y,x] = sum[r,s](w[n,y,x,r,s]*X[n,reflect(y + r - 1, H),reflect(x + s - 1, W)])/sum[r,s](w[n,y,x,r,s])
''', r'''
ops:
  - op: laplace_3d
    types: {T: [f32, f16]}
    in: {X: "T[D, H, W]"}
    require: [D >= 1, H >= 1, W >= 1]
    out: {Y: "T[D, H, W]"}
    body: |
      Y[d,y,x] = X[mirror(d - 1, D),y,x] + X[mirror(d + 1, D),y,x] + X[d,mirror(y - 1, H),x] + X[d,mirror(y + 1, H),x] + X[d,y,(x - 1) % W] + X[d,y,(x + 1) % W] - 6*X[d,y,x]
''', r'''
ops:
  - op: fft16
    doc: sixteen points, four stages, twiddles and the order of the inputs from tables
    types: {C: [c64, c128]}
    tables:
      Rev: {type: "i64[16]", values: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15]}
      Tw: {type: "C[8]", of: [k], values: "complex(cos(6.283185307179586*k/16), -sin(6.283185307179586*k/16))"}
    in: {X: "C[B, 16]"}
    index: {s: 4, n: 16}
    out: {Y: "C[B, 16]"}
    body: |
      y[b,s,n] = padded(y[b,s - 1,n - bit_and(n, shl(1, s))], X[b,Rev[clamp(n - bit_and(n, shl(1, s)), 0, 15)]]) + select(bit_and(n, shl(1, s)) == 0, 1, -1)*Tw[clamp(bit_and(n, shl(1, s) - 1)*shl(1, 3 - s), 0, 7)]*padded(y[b,s - 1,bit_or(n, shl(1, s))], X[b,Rev[clamp(bit_or(n, shl(1, s)), 0, 15)]])
      Y[b,n] = y[b,3,n]
''', r'''
ops:
  - op: quaternion_chain
    doc: the product of all rotations so far
    types: {T: [f32, f64]}
    tables:
      Sign: {type: "T[4, 4]", values: [[1, -1, -1, -1], [1, 1, 1, -1], [1, -1, 1, 1], [1, 1, -1, 1]]}
      With: {type: "i64[4, 4]", values: [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]]}
    in: {Q: "T[B, N, 4]"}
    out: {P: "T[B, N, 4]"}
    body: |
      P[b,t,c] = sum[k](Sign[c,k]*padded(P[b,t - 1,k], select(k == 0, 1, 0))*Q[b,t,With[c,k]])
''', r'''
ops:
  - op: complex_resonators
    types: {C: [c64, c128]}
    in: {X: "C[B, N]", Pole: "C[K]"}
    out: {Y: "C[B, K, N]", P: "real(C)[B, K]"}
    body: |
      Y[b,k,n] = X[b,n] + Pole[k]*padded(Y[b,k,n - 1], 0)
      P[b,k] = sum[n](sq(real(Y[b,k,n])) + sq(imag(Y[b,k,n])))
''', r'''
ops:
  - op: scaled_by_scalars
    doc: y <- alpha x + beta y with scalars in tensors of rank 0, optional
    types: {T: [f32, f16, i32, c64]}
    in:
      X: T[*S]
      Y0?: T[*S]
      Alpha: T[]
      Beta?: T[]
    out: {Y: "T[*S]"}
    body: |
      Y[*s] = Alpha[]*X[*s] + opt(Beta[], 1)*opt(Y0[*s], 0)
''', r'''
ops:
  - op: sieve
    types: {I: [i32]}
    in: {Z: "I[N]"}
    out: {P: "bool[N]"}
    body: |
      P[n] = n >= 2 and not any[d : d >= 2 and d < n](P[d] and n % max(d, 1) == 0) and Z[n] == 0
''', r'''
ops:
  - op: yuv420_to_rgb
    types: {I: [u8]}
    in: {Y: "I[(H 2), (W 2)]", U: "I[H, W]", V: "I[H, W]"}
    out: {R: "u8[(H 2), (W 2), 3]"}
    body: |
      R[(h i),(w j),c] = cast(clamp(round(1.164383*(cast(Y[(h i),(w j)], f32) - 16) + select(c == 0, 1.596027*(cast(V[h,w], f32) - 128), select(c == 1, -0.391762*(cast(U[h,w], f32) - 128) - 0.812968*(cast(V[h,w], f32) - 128), 2.017232*(cast(U[h,w], f32) - 128)))), 0, 255), u8)
''', r'''
ops:
  - op: harris
    types: {T: [f32, f64]}
    attrs: {k: float = 0.04}
    in: {X: "T[H, W]"}
    require: [H >= 1, W >= 1]
    index: {r: 3, s: 3}
    out: {R: "T[H, W]"}
    body: |
      gx[y,x] = (X[y,clamp(x + 1, 0, W - 1)] - X[y,clamp(x - 1, 0, W - 1)])/2
      gy[y,x] = (X[clamp(y + 1, 0, H - 1),x] - X[clamp(y - 1, 0, H - 1),x])/2
      a[y,x] = sum[r,s](sq(padded(gx[y + r - 1,x + s - 1], 0)))
      b[y,x] = sum[r,s](padded(gx[y + r - 1,x + s - 1], 0)*padded(gy[y + r - 1,x + s - 1], 0))
      c[y,x] = sum[r,s](sq(padded(gy[y + r - 1,x + s - 1], 0)))
      R[y,x] = a[y,x]*c[y,x] - sq(b[y,x]) - k*sq(a[y,x] + c[y,x])
''', r'''
ops:
  - op: bayer_to_rgb
    types: {I: [u8, u16, f32]}
    in: {X: "I[H, W]"}
    index: {c: 3, i: 3, j: 3}
    require: [H >= 2, W >= 2]
    out: {R: "I[H, W, 3]"}
    body: |
      same[y,x,c] = select(c == 1, (y + x) % 2 == 1, y % 2 == c//2 and x % 2 == c//2)
      n[y,x,c] = sum[i,j](select(same[reflect(y + i - 1, H),reflect(x + j - 1, W),c], 1, 0))
      s[y,x,c] = sum[i,j](select(same[reflect(y + i - 1, H),reflect(x + j - 1, W),c], cast(X[reflect(y + i - 1, H),reflect(x + j - 1, W)], f32), 0))
      R[y,x,c] = select(same[y,x,c], X[y,x], cast(s[y,x,c]/n[y,x,c], I))
''', r'''
ops:
  - op: mel_energies
    types: {T: [f32, f64]}
    attrs: {bands: int = 6, rate: float = 16000.0}
    in: {P: "T[L, F]"}
    let: {B: bands}
    require: [bands >= 1, F >= 2]
    index: {b: B, q: bands + 2}
    out: {M: "T[L, B]"}
    body: |
      edge[q] = 700*(exp(cast(q, T)*log(1 + rate/2/700)/(bands + 1)) - 1)*2*(F - 1)/rate
      w[b,f] = max(0, min((f - edge[b])/(edge[b + 1] - edge[b]), (edge[b + 2] - f)/(edge[b + 2] - edge[b + 1])))
      M[t,b] = log(max(sum[f](w[b,f]*P[t,f]), 1e-6))
''', r'''
ops:
  - op: kmeans_round
    types: {T: [f32, f64]}
    in: {X: "T[N, D]", C: "T[K, D]"}
    require: [K >= 1, D >= 1]
    out: {C1: "T[K, D]", A: "i64[N]", Cost: "T[]"}
    body: |
      d[n,k] = sum[j](sq(X[n,j] - C[k,j]))
      best[n], A[n] = min_at[k](d[n,k])
      Cost[] = sum[n](best[n])
      s[k,j] = 0*C[k,j]
      s[A[n],j] += X[n,j]
      c[k] = 0*C[k,0]
      c[A[n]] += 1
      C1[k,j] = select(c[k] > 0, s[k,j]/max(c[k], 1), C[k,j])
''', r'''
ops:
  - op: systematic_resample
    types: {T: [f32, f64]}
    in: {W: "T[B, N]", U: "T[B]"}
    require: [N >= 1]
    out: {I: "i64[B, N]"}
    body: |
      c[b,n] = padded(c[b,n - 1], 0) + W[b,n]
      I[b,n] = min(sum[k](select(c[b,k]/c[b,N - 1] <= (n + U[b])/N, 1, 0)), N - 1)
''', r'''
ops:
  - op: dilated_causal
    types: {T: [f32, f16]}
    attrs: {dilation: int = 2, groups: int = 1}
    in:
      X: T[B, (G C), L]
      W: T[(G O), C, R]
      Bias?: T[(G O)]
    require: [dilation >= 1]
    let: {G: groups}
    out: {Y: "T[B, (G O), L]"}
    body: |
      Y[b,(g o),t] = sum[c,r](padded(X[b,(g c),t - (R - 1 - r)*dilation], 0)*W[(g o),c,r]) + opt(Bias[(g o)], 0)
''', r'''
ops:
  - op: adam_rows
    doc: a step of Adam for the rows that a batch touched
    types: {T: [f32, f64], I: index}
    attrs: {lr: float = 0.01, step: int = 1}
    in: {W: "T[V, D]", M: "T[V, D]", S: "T[V, D]", Ix: "I[N]", G: "T[N, D]"}
    require: [step >= 1]
    out: {W1: "T[V, D]", M1: "T[V, D]", S1: "T[V, D]"}
    body: |
      g[v,d] = 0*W[v,d]
      g[wrap(Ix[n], V),d] += G[n,d]
      seen[v] = select(v < 0, 1, 0)
      seen[wrap(Ix[n], V)] max= 1
      M1[v,d] = select(seen[v] == 1, 0.9*M[v,d] + 0.1*g[v,d], M[v,d])
      S1[v,d] = select(seen[v] == 1, 0.999*S[v,d] + 0.001*sq(g[v,d]), S[v,d])
      W1[v,d] = W[v,d] - select(seen[v] == 1, lr*(M1[v,d]/(1 - pow(0.9, step)))/(sqrt(S1[v,d]/(1 - pow(0.999, step))) + 1e-8), 0)
''']


def rows_of(rng, m, e):
    """Ends of m rows of e elements in all."""
    return np.concatenate([[0], np.sort(rng.integers(0, e + 1, m - 1)), [e]]) if m else np.zeros(1, np.int64)


def sparse_cases(rng):
    for key in available('f32', 'f16'):
        for m, w, k, n in [(1, 1, 1, 1), (5, 3, 7, 17), (17, 8, 16, 16), (3, 0, 2, 2), (0, 2, 2, 3)]:
            col = rng.integers(-1, k, (m, w)).astype(np.int32)
            v, x = rand(rng, (m, w), key), rand(rng, (k, n), key)
            want = np.einsum('mw,mwn->mn', np.where(col >= 0, wide(v), 0), wide(x)[np.maximum(col, 0)])
            yield dict(op='ell_rows', key=key, inputs=[col, v, x], want=[want], tol=tol(ulp=4, acc=4*w + 4, mag=4.0*w + 1))
        for m, e in [(1, 1), (5, 33), (17, 100), (3, 0)]:
            ptr, v = rows_of(rng, m, e), rand(rng, (e,), key)
            y = np.zeros(e)
            for i in range(m):
                row = wide(v)[ptr[i]:ptr[i + 1]]
                if len(row):
                    y[ptr[i]:ptr[i + 1]] = np.exp(row - row.max())/np.exp(row - row.max()).sum()
            yield dict(op='csr_softmax', key=key, inputs=[ptr.astype(np.int64), v], want=[y], tol=tol(ulp=4, acc=2*e + 16, mag=1.0))
        for b, g, c, o, r, l, d in [(1, 1, 1, 1, 1, 1, 1), (2, 2, 3, 4, 3, 17, 2), (1, 3, 2, 1, 4, 33, 3), (2, 1, 16, 8, 2, 0, 1)]:
            x, w = rand(rng, (b, g*c, l), key), rand(rng, (g*o, c, r), key)
            for bias in (None, rand(rng, (g*o,), key)):
                y = np.zeros((b, g, o, l)) + (0 if bias is None else wide(bias).reshape(g, o, 1))
                xx, ww = wide(x).reshape(b, g, c, l), wide(w).reshape(g, o, c, r)
                for q in range(r):
                    at = (r - 1 - q)*d
                    if at < l:
                        y[..., at:] += np.einsum('bgct,goc->bgot', xx[..., :l - at], ww[..., q])
                yield dict(op='dilated_causal', key=key, inputs=[x, w, bias], attrs={'dilation': d, 'groups': g}, want=[y.reshape(b, g*o, l)], tol=tol(ulp=4, acc=8*c*r, mag=4.0*c*r + 2))
    for key in ('f32', 'f64', 'i32'):
        rule = EXACT if key == 'i32' else tol(ulp=4, acc=200, mag=40.0)
        for e, rows, k, n in [(1, 1, 1, 1), (33, 5, 7, 17), (100, 17, 3, 16), (0, 3, 2, 2)]:
            row, col, v, x = rng.integers(0, rows, e), rng.integers(0, k, e), rand(rng, (e,), key), rand(rng, (k, n), key)
            y = np.zeros((rows, n), wide(v).dtype)
            np.add.at(y, row, wide(v)[:, None]*wide(x)[col])
            yield dict(op='coo_product', key=key, inputs=[row, col, v, x], attrs={'rows': rows}, want=[y], tol=rule)
        for n, d, s in [(1, 1, 1), (33, 17, 5), (100, 3, 4)]:
            ix = np.concatenate([np.arange(s), rng.integers(0, s, n)])
            x = rand(rng, (len(ix), d), key)
            groups = [wide(x)[ix == i] for i in range(s)]
            yield dict(op='segment_stats', key=key, inputs=[x, ix], attrs={'segments': s}, dtypes=[key]*3 + ['i64'],
                       want=[np.stack([g.max(0) for g in groups]), np.stack([g.min(0) for g in groups]), np.stack([g.sum(0) for g in groups]), np.bincount(ix, minlength=s)], tol=[EXACT, EXACT, rule, EXACT])
    for key in ('f32', 'f64'):
        for m in (1, 5, 17, 33):
            dense = np.tril(rng.uniform(-1, 1, (m, m))*(rng.integers(0, 3, (m, m)) == 0), -1) + np.diag(rng.uniform(2, 3, m))
            at = [np.flatnonzero(r) for r in dense]
            ptr, col = np.cumsum([0] + [len(a) for a in at]), np.concatenate(at)
            v = np.concatenate([dense[i, a] for i, a in enumerate(at)]).astype(np_dtype(key))
            full = np.zeros((m, m))
            full[np.repeat(np.arange(m), np.diff(ptr)), col] = wide(v)
            b = rand(rng, (m,), key)
            yield dict(op='csr_lower_solve', key=key, inputs=[ptr.astype(np.int64), col.astype(np.int64), v, b], want=[np.linalg.solve(full, wide(b))], tol=tol(ulp=4, acc=64*m, mag=8.0))
        for v, d, n in [(1, 1, 1), (17, 5, 9), (5, 16, 33), (3, 2, 0)]:
            w, m, g = rand(rng, (v, d), key), rand(rng, (v, d), key), rand(rng, (n, d), key)
            s, ix = rand(rng, (v, d), key, 0, 1), rng.integers(0, v, n)
            sums = np.zeros((v, d))
            np.add.at(sums, ix, wide(g))
            seen = np.isin(np.arange(v), ix)[:, None]
            m1, s1 = np.where(seen, .9*wide(m) + .1*sums, wide(m)), np.where(seen, .999*wide(s) + .001*sums**2, wide(s))
            w1 = wide(w) - np.where(seen, .01*(m1/(1 - .9**3))/(np.sqrt(s1/(1 - .999**3)) + 1e-8), 0)
            yield dict(op='adam_rows', key=key, inputs=[w, m, s, ix, g], attrs={'lr': .01, 'step': 3}, want=[w1, m1, s1], tol=tol(ulp=4, acc=3000, mag=4.0))
        for n, d, k in [(1, 1, 1), (33, 5, 4), (17, 16, 40)]:
            x, c = rand(rng, (n, d), key), rand(rng, (k, d), key)
            dist = ((wide(x)[:, None] - wide(c))**2).sum(-1)
            a = dist.argmin(1)
            c1 = np.stack([wide(x)[a == i].mean(0) if (a == i).any() else wide(c)[i] for i in range(k)])
            yield dict(op='kmeans_round', key=key, inputs=[x, c], want=[c1, a, dist.min(1).sum()], dtypes=[key, 'i64', key], tol=[tol(ulp=4, acc=4*n, mag=2.0), EXACT, tol(ulp=4, acc=8*(n + d))])
        for b, n in [(1, 1), (3, 17), (17, 5)]:
            w, u = rng.integers(1, 9, (b, n)).astype(np_dtype(key)), np.full(b, .5, np_dtype(key))
            c = np.cumsum(wide(w), 1)
            want = np.stack([[min((c[i]*n <= (j + .5)*c[i, -1]).sum(), n - 1) for j in range(n)] for i in range(b)])
            exact = np.stack([[(np.abs(c[i]*n - (j + .5)*c[i, -1]) < 1e-3).any() for j in range(n)] for i in range(b)])
            if not exact.any():
                yield dict(op='systematic_resample', key=key, inputs=[w, u], want=[want], dtypes=['i64'], tol=EXACT)
        for shape in [(1,), (33,), (3, 17), (2, 0)]:
            x, w = rng.integers(-8, 40, shape).astype(np_dtype(key))/32, rand(rng, shape, key, 0, 2)
            h = np.zeros(8)
            ok = (x >= 0) & (x <= 1)
            np.add.at(h, np.minimum(np.floor(wide(x)*8), 7).astype(int)[ok], wide(w)[ok])
            yield dict(op='histogram_between', key=key, inputs=[x, w], attrs={'bins': 8, 'lo': 0., 'hi': 1.}, want=[h], tol=tol(ulp=4, acc=64, mag=40.0))
        for l, f in [(1, 2), (5, 33), (3, 129)]:
            p = rand(rng, (l, f), key, 0, 2)
            edge = 700*(np.exp(np.arange(8)*np.log(1 + 8000/700)/7) - 1)*2*(f - 1)/16000
            up = (np.arange(f) - edge[:-2, None])/(edge[1:-1] - edge[:-2])[:, None]
            down = (edge[2:, None] - np.arange(f))/(edge[2:] - edge[1:-1])[:, None]
            bank = np.maximum(0, np.minimum(up, down))
            yield dict(op='mel_energies', key=key, inputs=[p], attrs={'bands': 6, 'rate': 16000.}, want=[np.log(np.maximum(wide(p)@bank.T, 1e-6))], tol=tol(ulp=16, acc=2000*f, mag=1.0))


def bit_cases(rng):
    for key in ('u8', 'i32', 'i64'):
        for m, n in [(1, 1), (3, 17), (5, 0), (17, 33)]:
            x = rand(rng, (m, n), key, -2, 6)
            yield dict(op='bincount_rows', key=key, inputs=[x], attrs={'least': 5}, want=[np.stack([[(r == k).sum() for k in range(5)] for r in x])], dtypes=['i32'], tol=EXACT)
    mask = 0xffffffff
    rotl = lambda x, r: (x << r | x >> 32 - r) & mask
    for m, n in [(1, 1), (3, 5), (17, 0), (2, 33)]:
        x = rng.integers(0, 1 << 32, (m, n), dtype=np.uint64).astype(np.uint32)
        out = []
        for row in x:
            h = 42
            for k in row:
                h = (rotl(h ^ rotl(int(k)*0xcc9e2d51 & mask, 15)*0x1b873593 & mask, 13)*5 + 0xe6546b64) & mask
            h ^= 4*n
            h = (h ^ h >> 16)*0x85ebca6b & mask
            h = (h ^ h >> 13)*0xc2b2ae35 & mask
            out.append(h ^ h >> 16)
        yield dict(op='murmur3_rows', key='u32', inputs=[x], attrs={'seed': 42}, want=[np.array(out, np.uint32)], tol=EXACT)
        b = rng.integers(0, 256, (m, n)).astype(np.uint8)
        crc8, crc64 = [], []
        for row in b:
            c, d = 0, (1 << 64) - 1
            for v in row:
                c ^= int(v)
                d ^= int(v)
                for _ in range(8):
                    c = (c << 1 ^ (7 if c & 128 else 0)) & 255
                    d = d >> 1 ^ (0xC96C5795D7870F42 if d & 1 else 0)
            crc8.append(c)
            crc64.append(d ^ (1 << 64) - 1)
        yield dict(op='crc_of_rows', key='u8', inputs=[b], want=[np.array(crc8, np.uint8), np.array(crc64, np.uint64)], dtypes=['u8', 'u64'], tol=EXACT)
    for n, width in [(3, 3), (17, 1), (33, 5)]:
        x = rng.integers(0, 256, n).astype(np.uint8)
        want = [int(sum(int(v)*pow(257, width - 1 - i) for i, v in enumerate(x[o:o + width])) % 1000003) for o in range(n - width + 1)]
        yield dict(op='rolling_hashes', key='u8', inputs=[x], attrs={'width': width, 'base': 257}, want=[np.array(want)], dtypes=['i64'], tol=EXACT)
    m64 = (1 << 64) - 1
    r64 = lambda x, r: (x << r | x >> 64 - r) & m64
    for b in (1, 5, 17, 0):
        v = rng.integers(0, 1 << 63, (b, 4), dtype=np.uint64)*np.uint64(2) + np.uint64(1)
        out = []
        for row in v:
            a, p, c, d = (int(q) for q in row)
            for _ in range(4):
                a = a + p & m64
                p = r64(p, 13) ^ a
                a = r64(a, 32)
                c = c + d & m64
                d = r64(d, 16) ^ c
                a = a + d & m64
                d = r64(d, 21) ^ a
                c = c + p & m64
                p = r64(p, 17) ^ c
                c = r64(c, 32)
            out.append(a ^ p ^ c ^ d)
        yield dict(op='siphash_like', key='u64', inputs=[v], attrs={'rounds': 4}, want=[np.array(out, np.uint64)], tol=EXACT)
    for n in (1, 7, 33, 100):
        for width in (1, 5, 12, 31, 32):
            x = rng.integers(0, 1 << 32, n, dtype=np.uint64).astype(np.uint32)
            kept = [int(v) & (1 << width) - 1 for v in x]
            big = sum(v << i*width for i, v in enumerate(kept))
            words = np.array([big >> 32*i & mask for i in range(-(-n*width//32))], np.uint32)
            yield dict(op='packed_fields', key='u32', inputs=[x], attrs={'width': width}, want=[words, np.array(kept, np.uint32)], tol=EXACT)
    for n, size in [(1, 16), (33, 16), (100, 16), (0, 16)]:
        x = rng.integers(0, 40, n).astype(np.uint8)
        q, out = list(range(16)), []
        for v in x % 16:
            out.append(q.index(v))
            q.insert(0, q.pop(out[-1]))
        yield dict(op='move_to_front', key='u8', inputs=[x], want=[np.array(out, np.uint8)], tol=EXACT)
    for key in ('f32', 'u8', 'i64'):
        for n in (1, 5, 17):
            v, c = rand(rng, (n,), key, 0, 9), rng.integers(0, 4, n)
            yield dict(op='runs_decoded', key=key, inputs=[v, c], attrs={'most': 64}, want=[np.repeat(v, c)], room=[(64,)], tol=EXACT)
    for key in ('f32', 'i32', 'u8', 'f64'):
        for m, n in [(1, 1), (3, 17), (17, 33), (2, 0)]:
            x, keep = rand(rng, (m, n), key, 0, 9), rng.integers(0, 2, (m, n)) == 1
            y = np.full((m, n), 3.)
            for i in range(m):
                y[i, :keep[i].sum()] = wide(x)[i][keep[i]]
            yield dict(op='rows_compacted', key=key, inputs=[x, keep], attrs={'fill': 3.0 if key[0] == 'f' else 3}, want=[y, keep.sum(1)], dtypes=[key, 'i32'], tol=EXACT)
    for n in (1, 2, 3, 33, 200):
        p = np.array([k >= 2 and all(k % d for d in range(2, k)) for k in range(n)])
        yield dict(op='sieve', key='i32', inputs=[np.zeros(n, np.int32)], want=[p], dtypes=['bool'], tol=EXACT)


def mirrored(x, r, mode='symmetric', axes=(-2, -1)):
    pad = [(0, 0)]*x.ndim
    for a in axes:
        pad[a % x.ndim] = (r, r)
    return np.pad(x, pad, mode)


def picture_cases(rng):
    for key in ('u8', 'i32'):
        for h, w in [(1, 1), (5, 7), (17, 33)]:
            x = rand(rng, (h, w), key, 0, 1)
            l = np.arange(h*w).reshape(h, w)
            for _ in range(12):
                n = l.copy()
                for dy, dx in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                    ys, xs = slice(max(dy, 0), h + min(dy, 0)), slice(max(dx, 0), w + min(dx, 0))
                    yo, xo = slice(max(-dy, 0), h + min(-dy, 0)), slice(max(-dx, 0), w + min(-dx, 0))
                    n[ys, xs] = np.where(x[ys, xs] == x[yo, xo], np.minimum(n[ys, xs], l[yo, xo]), n[ys, xs])
                l = n
            yield dict(op='labels_spread', key=key, inputs=[x], attrs={'steps': 12}, want=[l], dtypes=['i32'], tol=EXACT)
    for key in ('u8', 'f32'):
        for h, w in [(1, 1), (5, 7), (17, 33), (2, 1)]:
            x = rand(rng, (h, w), key, 0, 200)
            cross = lambda p, f: f(np.stack([p[1:-1, 1:-1], p[:-2, 1:-1], p[2:, 1:-1], p[1:-1, :-2], p[1:-1, 2:]]), axis=0)
            e = cross(mirrored(x, 1), np.min)
            yield dict(op='opened', key=key, inputs=[x], want=[cross(mirrored(e, 1), np.max)], tol=EXACT)
    for h, w, r in [(1, 1, 0), (5, 7, 1), (17, 33, 2), (0, 3, 1)]:
        x = rand(rng, (h, w), 'f64')
        v = np.array([[x[max(y - r, 0):y + r + 1, max(c - r, 0):c + r + 1].var() for c in range(w)] for y in range(h)]).reshape(h, w)
        yield dict(op='local_variance', key='f64', inputs=[x], attrs={'r': r}, want=[v], tol=tol(ulp=4, acc=64, mag=4.0*(h*w + 1)))
    for key in ('f32', 'u8', 'i16', 'f64'):
        for h, w in [(1, 1), (5, 7), (17, 33), (1, 9)]:
            x = rand(rng, (h, w), key, 0, 100)
            p = mirrored(x, 1)
            want = np.median(np.stack([p[i:h + i, j:w + j] for i in range(3) for j in range(3)]), 0)
            yield dict(op='median_of_nine', key=key, inputs=[x], want=[want.astype(np_dtype(key))], tol=EXACT)
    for key in available('f32', 'f16'):
        for n, h, w in [(1, 2, 2), (2, 5, 7), (1, 17, 33)]:
            x, g = rand(rng, (n, h, w), key), rand(rng, (n, h, w), key, 0, 1)
            px, pg = mirrored(wide(x), 1, 'reflect'), mirrored(wide(g), 1, 'reflect')
            num = den = 0
            for i in range(3):
                for j in range(3):
                    k = np.exp(-((i - 1)**2 + (j - 1)**2)/2)*np.exp(-((pg[:, i:h + i, j:w + j] - wide(g))/.5)**2/2)
                    num, den = num + k*px[:, i:h + i, j:w + j], den + k
            yield dict(op='joint_bilateral', key=key, inputs=[x, g], attrs={'sr': .5}, want=[num/den], tol=tol(ulp=4, acc=64, mid=8, mag=2.0))
            p = mirrored(mirrored(wide(x), 1, axes=(0, 1)), 1, 'wrap', (2,))
            want = p[:-2, 1:-1, 1:-1] + p[2:, 1:-1, 1:-1] + p[1:-1, :-2, 1:-1] + p[1:-1, 2:, 1:-1] + p[1:-1, 1:-1, :-2] + p[1:-1, 1:-1, 2:] - 6*wide(x)
            yield dict(op='laplace_3d', key=key, inputs=[x], want=[want], tol=tol(ulp=2, acc=16, mag=24.0))
    for h, w in [(1, 1), (3, 5), (8, 17)]:
        y, u, v = (rng.integers(0, 256, s).astype(np.uint8) for s in ((2*h, 2*w), (h, w), (h, w)))
        f = np.float32
        yy, uu, vv = y.astype(f) - f(16), u.repeat(2, 0).repeat(2, 1).astype(f) - f(128), v.repeat(2, 0).repeat(2, 1).astype(f) - f(128)
        rgb = np.stack([1.164383*yy.astype(float) + 1.596027*vv, 1.164383*yy.astype(float) - .391762*uu - .812968*vv, 1.164383*yy.astype(float) + 2.017232*uu], -1)
        yield dict(op='yuv420_to_rgb', key='u8', inputs=[y, u, v], want=[np.clip(np.round(rgb), 0, 255).astype(np.uint8)], tol=EXACT)
    for key in ('f32', 'f64'):
        for h, w in [(1, 1), (5, 7), (17, 33)]:
            x = rand(rng, (h, w), key)
            e = np.pad(wide(x), 1, 'edge')
            gx, gy = (e[1:-1, 2:] - e[1:-1, :-2])/2, (e[2:, 1:-1] - e[:-2, 1:-1])/2
            box = lambda a: sum(np.pad(a, 1)[i:h + i, j:w + j] for i in range(3) for j in range(3))
            a, b, c = box(gx*gx), box(gx*gy), box(gy*gy)
            yield dict(op='harris', key=key, inputs=[x], attrs={'k': .04}, want=[a*c - b*b - .04*(a + c)**2], tol=tol(ulp=4, acc=64, mag=2000.0))
    for key in ('u8', 'u16', 'f32'):
        for h, w in [(2, 2), (5, 7), (17, 33)]:
            x = (rng.integers(0, 60, (h, w))*4).astype(np_dtype(key))
            yy, xx = np.mgrid[:h, :w]
            same = np.stack([(yy % 2 == 0) & (xx % 2 == 0), (yy + xx) % 2 == 1, (yy % 2 == 1) & (xx % 2 == 1)], -1)
            ps, px = np.pad(same, ((1, 1), (1, 1), (0, 0)), 'reflect'), np.pad(wide(x), 1, 'reflect')[..., None]
            n = sum(ps[i:h + i, j:w + j].astype(float) for i in range(3) for j in range(3))
            s = sum(ps[i:h + i, j:w + j]*px[i:h + i, j:w + j] for i in range(3) for j in range(3))
            yield dict(op='bayer_to_rgb', key=key, inputs=[x], want=[np.where(same, wide(x)[..., None], s/n if key == 'f32' else np.floor(s/n))], tol=EXACT if key != 'f32' else tol(ulp=4))


def transform_cases(rng):
    for key in ('c64', 'c128'):
        for b in (1, 3, 17, 0):
            x = rand(rng, (b, 16), key)
            yield dict(op='fft16', key=key, inputs=[x], want=[np.fft.fft(wide(x)) if b else wide(x)], tol=tol(ulp=4, acc=64, mag=64.0))
        for b, n, k in [(1, 1, 1), (3, 17, 2), (2, 33, 5), (2, 0, 3)]:
            x, p = rand(rng, (b, n), key), (rand(rng, (k,), key)/4).astype(np_dtype(key))
            y = np.zeros((b, k, n), complex)
            for t in range(n):
                y[..., t] = wide(x)[:, None, t] + wide(p)*(y[..., t - 1] if t else 0)
            real = 'f32' if key == 'c64' else 'f64'
            yield dict(op='complex_resonators', key=key, inputs=[x, p], want=[y, (np.abs(y)**2).sum(-1)], dtypes=[key, real], tol=tol(ulp=4, acc=64*(n + 1), mag=16.0*(n + 1)))
    for key in ('f32', 'f64'):
        for b, n in [(1, 1), (3, 17), (17, 5), (2, 0)]:
            q = rng.standard_normal((b, n, 4))
            q = (q/np.linalg.norm(q, axis=-1, keepdims=True)).astype(np_dtype(key))
            p, out = np.tile([1., 0, 0, 0], (b, 1)), np.zeros((b, n, 4))
            for t in range(n):
                (aw, ax, ay, az), (bw, bx, by, bz) = p.T, wide(q)[:, t].T
                p = np.stack([aw*bw - ax*bx - ay*by - az*bz, aw*bx + ax*bw + ay*bz - az*by, aw*by - ax*bz + ay*bw + az*bx, aw*bz + ax*by - ay*bx + az*bw], 1)
                out[:, t] = p
            yield dict(op='quaternion_chain', key=key, inputs=[q], want=[out], tol=tol(ulp=4, acc=64*(n + 1), mag=2.0))
    for key in available('f32', 'f16', 'i32', 'c64'):
        for shape in [(), (17,), (3, 5), (0,), (2, 3, 16)]:
            x, y, a, b = rand(rng, shape, key), rand(rng, shape, key), rand(rng, (), key), rand(rng, (), key)
            for y0, beta in ((y, b), (None, b), (y, None), (None, None)):
                want = wide(a)*wide(x) + (1 if beta is None else wide(b))*(0 if y0 is None else wide(y))
                yield dict(op='scaled_by_scalars', key=key, inputs=[x, y0, a, beta], want=[want], tol=EXACT if key[0] == 'i' else tol(ulp=2, acc=8, mag=16.0))


def cases(rng):
    yield from sparse_cases(rng)
    yield from bit_cases(rng)
    yield from picture_cases(rng)
    yield from transform_cases(rng)
