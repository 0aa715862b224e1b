"""Pictures by tiles and directions, losses and optimizers, quantized blocks, tables of data."""
import numpy as np

from casekit import EXACT, np_dtype, tol, wide

OPS = r'''
ops:
  - op: tile_equalized
    doc: equalization of histograms by tiles, bilinear between their tables, with a limit of contrast
    attrs: {tile: int = 8, limit: int = 4}
    in: {X: "u8[H, W]"}
    require: [tile >= 1, limit >= 1, H >= tile, W >= tile, H % tile == 0, W % tile == 0]
    let: {P: H//tile, Q: W//tile}
    index: {p: P, q: Q, v: 256}
    out: {Y: "u8[H, W]"}
    body: |
      h[p,q,v] = 0
      h[y//tile,x//tile,X[y,x]] += 1
      over[p,q] = sum[v](max(h[p,q,v] - limit, 0))
      c[p,q,v] = sum[u : u <= v](min(h[p,q,u], limit)) + (v + 1)*over[p,q]//256
      lut[p,q,v] = min(255, c[p,q,v]*255//(tile*tile))
      fy[y] = clamp((2*y + 1 - tile)/(2.0*tile), 0, P - 1)
      fx[x] = clamp((2*x + 1 - tile)/(2.0*tile), 0, Q - 1)
      py[y] = clamp(cast(floor(fy[y]), i64), 0, P - 1)
      px[x] = clamp(cast(floor(fx[x]), i64), 0, Q - 1)
      a[y] = fy[y] - py[y]
      b[x] = fx[x] - px[x]
      top[y,x] = (1 - b[x])*lut[py[y],px[x],X[y,x]] + b[x]*lut[py[y],min(px[x] + 1, Q - 1),X[y,x]]
      low[y,x] = (1 - b[x])*lut[min(py[y] + 1, P - 1),px[x],X[y,x]] + b[x]*lut[min(py[y] + 1, P - 1),min(px[x] + 1, Q - 1),X[y,x]]
      Y[y,x] = cast(round((1 - a[y])*top[y,x] + a[y]*low[y,x]), u8)

  - op: semi_global
    doc: costs of disparities gathered along four directions, and the best of each pixel
    attrs: {p1: int = 3, p2: int = 20}
    in: {C: "u8[H, W, D]"}
    require: [D >= 1]
    out: {S: "i32[H, W, D]", Best: "i64[H, W]"}
    body: |
      c[y,x,d] = cast(C[y,x,d], i32)
      ml[y,x] = min[d](padded(l[y,x - 1,d], 0))
      l[y,x,d] = c[y,x,d] - ml[y,x] + min(padded(l[y,x - 1,d], 0), padded(l[y,x - 1,d - 1], select(x == 0, 0, 100000)) + p1, padded(l[y,x - 1,d + 1], select(x == 0, 0, 100000)) + p1, ml[y,x] + p2)
      mr[y,x] = min[d](padded(r[y,x + 1,d], 0))
      r[y,x,d] = c[y,x,d] - mr[y,x] + min(padded(r[y,x + 1,d], 0), padded(r[y,x + 1,d - 1], select(x == W - 1, 0, 100000)) + p1, padded(r[y,x + 1,d + 1], select(x == W - 1, 0, 100000)) + p1, mr[y,x] + p2)
      mt[y,x] = min[d](padded(t[y - 1,x,d], 0))
      t[y,x,d] = c[y,x,d] - mt[y,x] + min(padded(t[y - 1,x,d], 0), padded(t[y - 1,x,d - 1], select(y == 0, 0, 100000)) + p1, padded(t[y - 1,x,d + 1], select(y == 0, 0, 100000)) + p1, mt[y,x] + p2)
      mb[y,x] = min[d](padded(b[y + 1,x,d], 0))
      b[y,x,d] = c[y,x,d] - mb[y,x] + min(padded(b[y + 1,x,d], 0), padded(b[y + 1,x,d - 1], select(y == H - 1, 0, 100000)) + p1, padded(b[y + 1,x,d + 1], select(y == H - 1, 0, 100000)) + p1, mb[y,x] + p2)
      S[y,x,d] = l[y,x,d] + r[y,x,d] + t[y,x,d] + b[y,x,d]
      Best[y,x] = argmin[d](S[y,x,d])

  - op: non_local_means
    types: {T: [f32, f64]}
    attrs: {h: float = 0.5, patch: int = 1, search: int = 2}
    in: {X: "T[H, W]"}
    require: [patch >= 0, search >= 0, patch <= 8, search <= 8]
    let: {R: 2*search + 1, Q: 2*patch + 1}
    index: {i: R, j: R, u: Q, v: Q}
    out: {Y: "T[H, W]"}
    body: |
      d[y,x,i,j] = sum[u,v](sq(X[clamp(y + u - patch, 0, H - 1),clamp(x + v - patch, 0, W - 1)] - X[clamp(y + u - patch + i - search, 0, H - 1),clamp(x + v - patch + j - search, 0, W - 1)]))
      w[y,x,i,j] = exp(-d[y,x,i,j]/(h*h*Q*Q))
      Y[y,x] = sum[i,j](w[y,x,i,j]*X[clamp(y + i - search, 0, H - 1),clamp(x + j - search, 0, W - 1)])/sum[i,j](w[y,x,i,j])

  - op: kuwahara
    doc: the mean of the quarter around each pixel that varies least
    types: {T: [f32, f64]}
    attrs: {r: int = 2}
    in: {X: "T[H, W]"}
    require: [r >= 0, r <= 8]
    let: {R: r + 1}
    index: {q: 4, i: R, j: R}
    out: {Y: "T[H, W]"}
    body: |
      m[y,x,q] = sum[i,j](X[clamp(y + i - select(q >= 2, 0, r), 0, H - 1),clamp(x + j - select(q % 2 == 1, 0, r), 0, W - 1)])/(R*R)
      v[y,x,q] = sum[i,j](sq(X[clamp(y + i - select(q >= 2, 0, r), 0, H - 1),clamp(x + j - select(q % 2 == 1, 0, r), 0, W - 1)] - m[y,x,q]))
      k[y,x] = argmin[q](v[y,x,q])
      Y[y,x] = m[y,x,k[y,x]]

  - op: scale2x
    doc: pictures of few colours twice as large, with corners kept
    types: {T: [u8, i32]}
    in: {X: "T[H, W]"}
    let: {P: 2*H, Q: 2*W}
    out: {Y: "T[P, Q]"}
    body: |
      b[y,x] = X[max(y - 1, 0),x]
      h[y,x] = X[min(y + 1, H - 1),x]
      d[y,x] = X[y,max(x - 1, 0)]
      f[y,x] = X[y,min(x + 1, W - 1)]
      plain[y,x] = b[y,x] == h[y,x] or d[y,x] == f[y,x]
      Y[p,q] = select(plain[p//2,q//2], X[p//2,q//2], select(select(p % 2 == 0, b[p//2,q//2], h[p//2,q//2]) == select(q % 2 == 0, d[p//2,q//2], f[p//2,q//2]), select(q % 2 == 0, d[p//2,q//2], f[p//2,q//2]), X[p//2,q//2]))

  - op: half_pel
    doc: luma between pixels with six taps, as in H.264, in the middle in both directions
    tables: {F: {type: "i32[6]", values: [1, -5, 20, 20, -5, 1]}}
    in: {X: "u8[H, W]"}
    out: {Y: "u8[3, H, W]"}
    index: {k: 3}
    body: |
      a[y,x] = sum[i](F[i]*cast(X[y,clamp(x + i - 2, 0, W - 1)], i32))
      b[y,x] = sum[i](F[i]*cast(X[clamp(y + i - 2, 0, H - 1),x], i32))
      c[y,x] = sum[i](F[i]*a[clamp(y + i - 2, 0, H - 1),x])
      Y[k,y,x] = cast(clamp(select(k == 0, shr(a[y,x] + 16, 5), select(k == 1, shr(b[y,x] + 16, 5), shr(c[y,x] + 512, 10))), 0, 255), u8)

  - op: radon
    doc: sums along the lines of each angle, bilinear
    types: {T: [f32, f64]}
    in: {X: "T[N, N]", A: "T[K]"}
    out: {Y: "T[K, N]"}
    body: |
      cy[k,s,t] = (N - 1)/2.0 + (s - (N - 1)/2.0)*sin(A[k]) + (t - (N - 1)/2.0)*cos(A[k])
      cx[k,s,t] = (N - 1)/2.0 + (s - (N - 1)/2.0)*cos(A[k]) - (t - (N - 1)/2.0)*sin(A[k])
      y0[k,s,t] = floor(cy[k,s,t])
      x0[k,s,t] = floor(cx[k,s,t])
      fy[k,s,t] = cy[k,s,t] - y0[k,s,t]
      fx[k,s,t] = cx[k,s,t] - x0[k,s,t]
      Y[k,s] = sum[t]((1 - fy[k,s,t])*((1 - fx[k,s,t])*padded(X[cast(y0[k,s,t], i64),cast(x0[k,s,t], i64)], 0) + fx[k,s,t]*padded(X[cast(y0[k,s,t], i64),cast(x0[k,s,t], i64) + 1], 0)) + fy[k,s,t]*((1 - fx[k,s,t])*padded(X[cast(y0[k,s,t], i64) + 1,cast(x0[k,s,t], i64)], 0) + fx[k,s,t]*padded(X[cast(y0[k,s,t], i64) + 1,cast(x0[k,s,t], i64) + 1], 0)))
    index: {s: N, t: N}

  - op: horn_schunck
    doc: movement between two pictures by iteration
    types: {T: [f32, f64]}
    attrs: {alpha: float = 1, steps: int = 3}
    in: {A: "T[H, W]", B: "T[H, W]"}
    require: [steps >= 1]
    index: {t: steps}
    out: {U: "T[H, W]", V: "T[H, W]"}
    body: |
      gx[y,x] = 0.5*(A[y,min(x + 1, W - 1)] - A[y,max(x - 1, 0)])
      gy[y,x] = 0.5*(A[min(y + 1, H - 1),x] - A[max(y - 1, 0),x])
      gt[y,x] = B[y,x] - A[y,x]
      mu[t,y,x] = 0.25*(padded(u[t - 1,max(y - 1, 0),x], 0) + padded(u[t - 1,min(y + 1, H - 1),x], 0) + padded(u[t - 1,y,max(x - 1, 0)], 0) + padded(u[t - 1,y,min(x + 1, W - 1)], 0))
      mv[t,y,x] = 0.25*(padded(v[t - 1,max(y - 1, 0),x], 0) + padded(v[t - 1,min(y + 1, H - 1),x], 0) + padded(v[t - 1,y,max(x - 1, 0)], 0) + padded(v[t - 1,y,min(x + 1, W - 1)], 0))
      e[t,y,x] = (gx[y,x]*mu[t,y,x] + gy[y,x]*mv[t,y,x] + gt[y,x])/(alpha*alpha + sq(gx[y,x]) + sq(gy[y,x]))
      u[t,y,x] = mu[t,y,x] - gx[y,x]*e[t,y,x]
      v[t,y,x] = mv[t,y,x] - gy[y,x]*e[t,y,x]
      U[y,x] = u[steps - 1,y,x]
      V[y,x] = v[steps - 1,y,x]

  - op: opened_closed
    doc: erosion, then dilation, by an element of any form
    types: {T: [u8, f32]}
    attrs: {form: "int[9] = 1"}
    in: {X: "T[H, W]"}
    index: {k: 9}
    out: {Y: "T[H, W]"}
    body: |
      e[y,x] = min[k : form[k] != 0](padded(X[y + k//3 - 1,x + k % 3 - 1], highest(T)))
      Y[y,x] = max[k : form[k] != 0](padded(e[y + 1 - k//3,x + 1 - k % 3], lowest(T)))

  - op: correlation_volume
    doc: products of features with those around a flow, bilinear, as in RAFT
    types: {T: [f32, f64]}
    attrs: {r: int = 1}
    in: {A: "T[C, H, W]", B: "T[C, H, W]", F: "T[2, H, W]"}
    require: [r >= 0, r <= 8]
    let: {D: 2*r + 1}
    index: {i: D, j: D}
    out: {Y: "T[D, D, H, W]"}
    body: |
      by[i,y,x] = y + F[1,y,x] + i - r
      bx[j,y,x] = x + F[0,y,x] + j - r
      iy[i,y,x] = cast(floor(by[i,y,x]), i64)
      ix[j,y,x] = cast(floor(bx[j,y,x]), i64)
      fy[i,y,x] = by[i,y,x] - iy[i,y,x]
      fx[j,y,x] = bx[j,y,x] - ix[j,y,x]
      Y[i,j,y,x] = sum[c](A[c,y,x]*((1 - fy[i,y,x])*((1 - fx[j,y,x])*padded(B[c,iy[i,y,x],ix[j,y,x]], 0) + fx[j,y,x]*padded(B[c,iy[i,y,x],ix[j,y,x] + 1], 0)) + fy[i,y,x]*((1 - fx[j,y,x])*padded(B[c,iy[i,y,x] + 1,ix[j,y,x]], 0) + fx[j,y,x]*padded(B[c,iy[i,y,x] + 1,ix[j,y,x] + 1], 0))))*rsqrt(C)

  - op: contrastive_loss
    doc: each row against its partner and all others, both ways
    types: {T: float}
    attrs: {temperature: float = 0.5}
    in: {A: "T[N, D]", B: "T[N, D]"}
    out: {Loss: "T[]"}
    require: [N >= 1]
    body: |
      na[n] = rsqrt(sum[d](sq(A[n,d])) + 1e-6)
      nb[n] = rsqrt(sum[d](sq(B[n,d])) + 1e-6)
      s[n,m] = na[n]*nb[m]*sum[d](A[n,d]*B[m,d])/temperature
      r[n] = max[m](s[n,m]) + log(sum[m](exp(s[n,m] - max[k](s[n,k]))))
      c[m] = max[n](s[n,m]) + log(sum[n](exp(s[n,m] - max[k](s[k,m]))))
      Loss[] = sum[n](0.5*(r[n] + c[n]) - s[n,n])/N

  - op: angular_margin
    doc: logits of cosines, with a margin of the angle for the label
    types: {T: [f32, f64], I: index}
    attrs: {margin: float = 0.5, scale: float = 16}
    in: {X: "T[N, D]", W: "T[C, D]", L: "I[N]"}
    out: {Y: "T[N, C]"}
    body: |
      c[n,k] = sum[d](X[n,d]*W[k,d])*rsqrt(sum[d](sq(X[n,d])))*rsqrt(sum[d](sq(W[k,d])))
      a[n,k] = acos(clamp(c[n,k], -1, 1))
      Y[n,k] = scale*select(L[n] == k, cos(min(a[n,k] + margin, 3.14159265358979)), c[n,k])

  - op: lovasz_hinge
    doc: a loss for the overlap of a binary mask, by sorted errors
    types: {T: [f32, f64]}
    in: {X: "T[B, N]", Y: "u8[B, N]"}
    out: {Loss: "T[B]"}
    body: |
      e[b,n] = 1 - X[b,n]*select(Y[b,n] == 1, 1, -1)
      s, at = sort(e, axis=-1, descending=true)
      g[b,n] = cast(Y[b,clamp(at[b,n], 0, N - 1)], T)
      total[b] = sum[n](g[b,n])
      hit[b,n] = sum[k : k <= n](g[b,k])
      miss[b,n] = sum[k : k <= n](1 - g[b,k])
      j[b,n] = 1 - (total[b] - hit[b,n])/(total[b] + miss[b,n])
      Loss[b] = sum[n](max(s[b,n], 0)*(j[b,n] - padded(j[b,n - 1], 0)))

  - op: complete_iou
    types: {T: [f32, f64]}
    in: {A: "T[N, 4]", B: "T[N, 4]"}
    out: {Y: "T[N]"}
    body: |
      w[n] = max(min(A[n,2], B[n,2]) - max(A[n,0], B[n,0]), 0)
      h[n] = max(min(A[n,3], B[n,3]) - max(A[n,1], B[n,1]), 0)
      i[n] = w[n]*h[n]
      u[n] = (A[n,2] - A[n,0])*(A[n,3] - A[n,1]) + (B[n,2] - B[n,0])*(B[n,3] - B[n,1]) - i[n]
      iou[n] = i[n]/u[n]
      c[n] = sq(max(A[n,2], B[n,2]) - min(A[n,0], B[n,0])) + sq(max(A[n,3], B[n,3]) - min(A[n,1], B[n,1]))
      d[n] = 0.25*(sq(A[n,0] + A[n,2] - B[n,0] - B[n,2]) + sq(A[n,1] + A[n,3] - B[n,1] - B[n,3]))
      v[n] = 0.4052847345693511*sq(atan((B[n,2] - B[n,0])/(B[n,3] - B[n,1])) - atan((A[n,2] - A[n,0])/(A[n,3] - A[n,1])))
      Y[n] = iou[n] - d[n]/c[n] - v[n]*v[n]/(1 - iou[n] + v[n] + 1e-7)

  - op: newton_schulz
    doc: the nearest orthogonal matrix by the iteration of Muon
    types: {T: [f32, f64]}
    attrs: {steps: int = 5}
    in: {G: "T[M, N]"}
    require: [steps >= 1]
    index: {t: steps, m: M, l: M}
    out: {Y: "T[M, N]"}
    body: |
      f[] = rsqrt(sum[m,n](sq(G[m,n])) + 1e-7)
      x[t,m,n] = padded(z[t - 1,m,n], G[m,n]*f[])
      a[t,m,l] = sum[n](x[t,m,n]*x[t,l,n])
      b[t,m,l] = -4.775*a[t,m,l] + 2.0315*sum[k](a[t,m,k]*a[t,k,l])
      z[t,m,n] = 3.4445*x[t,m,n] + sum[k](b[t,m,k]*x[t,k,n])
      Y[m,n] = z[steps - 1,m,n]

  - op: adafactor
    doc: a step with the second moments of rows and columns
    types: {T: [f32, f64]}
    attrs: {rate: float = 0.01, decay: float = 0.9}
    in: {W: "T[M, N]", G: "T[M, N]", R: "T[M]", C: "T[N]"}
    require: [M >= 1, N >= 1]
    out: {W1: "T[M, N]", R1: "T[M]", C1: "T[N]"}
    body: |
      R1[m] = decay*R[m] + (1 - decay)*sum[n](sq(G[m,n]) + 1e-30)/N
      C1[n] = decay*C[n] + (1 - decay)*sum[m](sq(G[m,n]) + 1e-30)/M
      mean[] = sum[m](R1[m])/M
      u[m,n] = G[m,n]*rsqrt(R1[m]*C1[n]/mean[])
      rms[] = sqrt(sum[m,n](sq(u[m,n]))/(M*N))
      W1[m,n] = W[m,n] - rate*u[m,n]/max(1, rms[])

  - op: q4k_values
    doc: blocks of 256 weights of four bits with scales of six bits, as GGUF's Q4_K stores them
    in: {D: "f16[B]", Min: "f16[B]", S: "u8[B, 12]", Q: "u8[B, 128]"}
    out: {Y: "f32[B, 256]"}
    index: {w: 256, g: 8}
    body: |
      sc[b,g] = select(g < 4, bit_and(S[b,g], 63), bit_or(bit_and(S[b,min(g + 4, 11)], 15), shl(shr(S[b,max(g - 4, 0)], 6), 4)))
      mn[b,g] = select(g < 4, bit_and(S[b,g + 4], 63), bit_or(shr(S[b,min(g + 4, 11)], 4), shl(shr(S[b,g], 6), 4)))
      q[b,w] = select(w//32 % 2 == 0, bit_and(Q[b,w//64*32 + w % 32], 15), shr(Q[b,w//64*32 + w % 32], 4))
      Y[b,w] = cast(D[b], f32)*cast(sc[b,w//32], f32)*cast(q[b,w], f32) - cast(Min[b], f32)*cast(mn[b,w//32], f32)

  - op: split_attention_joined
    doc: attention computed by parts of the keys, put together
    types: {T: [f16, bf16, f32]}
    in: {O: "T[P, H, D]", Lse: "f32[P, H]"}
    out: {Y: "T[H, D]", L: "f32[H]"}
    body: |
      m[h] = max[p](Lse[p,h])
      w[p,h] = select(m[h] == -inf, 0, exp(Lse[p,h] - m[h]))
      s[h] = sum[p](w[p,h])
      Y[h,d] = cast(select(s[h] == 0, 0, sum[p](w[p,h]*cast(O[p,h,d], f32))/s[h]), T)
      L[h] = m[h] + log(s[h])

  - op: chosen_blocks_attention
    doc: each query looks at the blocks of keys whose means suit it best
    types: {T: [f32, f64]}
    attrs: {block: int = 4, count: int = 2}
    in: {Q: "T[M, D]", K: "T[N, D]", V: "T[N, D]"}
    require: [block >= 1, N % block == 0, count >= 1, N//block >= count]
    let: {B: N//block, C: count, S: block}
    index: {b: B, s: S}
    out: {Y: "T[M, D]"}
    body: |
      mean[b,d] = sum[s](K[b*S + s,d])/S
      score[m,b] = sum[d](Q[m,d]*mean[b,d])
      top, at = topk(score, k=count)
      l[m,c,s] = sum[d](Q[m,d]*K[clamp(at[m,c], 0, B - 1)*S + s,d])*rsqrt(D)
      z[m] = max[c,s](l[m,c,s])
      e[m,c,s] = exp(l[m,c,s] - z[m])
      Y[m,d] = sum[c,s](e[m,c,s]*V[clamp(at[m,c], 0, B - 1)*S + s,d])/sum[c,s](e[m,c,s])

  - op: min_gru
    doc: gates that do not look at the state, in the form for logarithms
    types: {T: [f32, f64]}
    in: {K: "T[B, L, C]", V: "T[B, L, C]"}
    out: {H: "T[B, L, C]"}
    body: |
      z[b,t,c] = 1/(1 + exp(-K[b,t,c]))
      g[b,t,c] = select(V[b,t,c] >= 0, V[b,t,c] + 0.5, 1/(1 + exp(-V[b,t,c])))
      H[b,t,c] = padded(H[b,t - 1,c], 0)*(1 - z[b,t,c]) + z[b,t,c]*g[b,t,c]

  - op: clockwork
    doc: states in groups, each of which changes at its own pace
    types: {T: [f32, f64]}
    in: {X: "T[L, D]", W: "T[D, G, U]", R: "T[G, U, G, U]"}
    out: {Y: "T[L, G, U]"}
    body: |
      n[t,g,u] = tanh(sum[d](X[t,d]*W[d,g,u]) + sum[h,v : h >= g](padded(Y[t - 1,h,v], 0)*R[h,v,g,u]))
      Y[t,g,u] = select(t % shl(1, g) == 0, n[t,g,u], padded(Y[t - 1,g,u], 0))

  - op: parabolic_stop
    doc: stop and reverse of prices, by highs and lows
    types: {T: [f32, f64]}
    attrs: {step: float = 0.02, most: float = 0.2}
    in: {Hi: "T[N]", Lo: "T[N]"}
    require: [N >= 1]
    out: {S: "T[N]", Up: "bool[N]"}
    body: |
      want[n] = padded(S[n - 1], Lo[0]) + padded(af[n - 1], step)*(padded(ep[n - 1], Hi[0]) - padded(S[n - 1], Lo[0]))
      up0[n] = padded(dir[n - 1], 1)
      kept[n] = select(up0[n] == 1, min(want[n], Lo[max(n - 1, 0)], Lo[max(n - 2, 0)]), max(want[n], Hi[max(n - 1, 0)], Hi[max(n - 2, 0)]))
      flip[n] = n > 0 and (up0[n] == 1 and Lo[n] < kept[n] or up0[n] == 0 and Hi[n] > kept[n])
      dir[n] = select(flip[n], 1 - up0[n], up0[n])
      S[n] = select(n == 0, Lo[0], select(flip[n], padded(ep[n - 1], 0), kept[n]))
      new[n] = select(dir[n] == 1, Hi[n], Lo[n])
      better[n] = select(dir[n] == 1, new[n] > padded(ep[n - 1], Hi[0]), new[n] < padded(ep[n - 1], Hi[0]))
      ep[n] = select(flip[n] or better[n] or n == 0, new[n], padded(ep[n - 1], 0))
      af[n] = select(flip[n] or n == 0, step, select(better[n], min(padded(af[n - 1], 0) + step, most), padded(af[n - 1], 0)))
      Up[n] = dir[n] == 1

  - op: filled_forward
    doc: the last number before a gap, at most so many places away
    types: {T: float}
    attrs: {most: int = 3}
    in: {X: "T[N, C]"}
    out: {Y: "T[N, C]"}
    body: |
      age[n,c] = select(isnan(X[n,c]), padded(age[n - 1,c], most) + 1, 0)
      v[n,c] = select(isnan(X[n,c]), padded(v[n - 1,c], 0), X[n,c])
      Y[n,c] = select(age[n,c] <= most, v[n,c], X[n,c])

  - op: dense_ranks
    types: {T: [f32, i32, u8]}
    in: {X: "T[B, N]"}
    out: {R: "i64[B, N]"}
    body: |
      s, at = sort(X, axis=-1)
      new[b,n] = select(n == 0, 0, select(s[b,n] != s[b,max(n - 1, 0)], 1, 0))
      r[b,n] = sum[k : k <= n](new[b,k])
      R[b,n] = 0
      R[b,wrap(at[b,n], N)] last= r[b,n]

  - op: bars_of_ticks
    doc: first, highest, lowest and last price and the volume of each span of time
    types: {T: [f32, f64]}
    attrs: {span: int, bars: int}
    in: {Time: "i64[N]", P: "T[N]", V: "T[N]"}
    require: [span >= 1, bars >= 1]
    let: {M: bars}
    out: {Open: "T[M]", High: "T[M]", Low: "T[M]", Close: "T[M]", Vol: "T[M]"}
    body: |
      b[n] = clamp(Time[n]//span, 0, M - 1)
      count[m] = 0
      count[b[n]] += 1
      high[m] = -inf
      high[b[n]] max= P[n]
      low[m] = inf
      low[b[n]] min= P[n]
      close[m] = 0
      close[b[n]] last= P[n]
      open[m] = 0
      open[b[N - 1 - n]] last= P[N - 1 - n]
      Vol[m] = 0
      Vol[b[n]] += V[n]
      High[m] = select(count[m] == 0, 0, high[m])
      Low[m] = select(count[m] == 0, 0, low[m])
      Open[m] = open[m]
      Close[m] = close[m]

  - op: streams_of_bytes
    doc: floats whose bytes were stored by their significance
    in: {X: "u8[4, N]"}
    index: {k: 4}
    out: {Y: "f32[N]"}
    body: |
      w[n] = bit_or[k](shl(cast(X[k,n], u32), 8*k))
      Y[n] = bits(w[n], f32)

  - op: runs_and_packed
    doc: values in runs and in packed groups of eight, the hybrid of Parquet with a width below nine bits
    attrs: {width: int, count: int}
    in: {B: "u8[N]"}
    let: {L: count}
    require: [width >= 1, width <= 8, count >= 1, N >= 1]
    out: {Y: "u8[L]"}
    body: |
      new[t] = padded(left[t - 1], 0) == 0
      head[t] = select(new[t], cast(padded(B[padded(next[t - 1], 0)], 0), i64) % 128 + select(padded(B[padded(next[t - 1], 0)], 0) >= 128, 128*cast(padded(B[padded(next[t - 1], 0) + 1], 0), i64), 0), padded(head[t - 1], 0))
      from[t] = select(new[t], padded(next[t - 1], 0) + select(padded(B[padded(next[t - 1], 0)], 0) >= 128, 2, 1), padded(from[t - 1], 0))
      size[t] = select(head[t] % 2 == 1, head[t]//2*8, head[t]//2)
      done[t] = select(new[t], 0, padded(done[t - 1], 0) + 1)
      left[t] = max(size[t] - done[t] - 1, 0)
      next[t] = from[t] + select(head[t] % 2 == 1, head[t]//2*width, 1)
      bit[t] = done[t]*width
      two[t] = cast(padded(B[from[t] + bit[t]//8], 0), u32) + 256*cast(padded(B[from[t] + bit[t]//8 + 1], 0), u32)
      Y[t] = select(head[t] % 2 == 1, cast(bit_and(shr(two[t], bit[t] % 8), shl(1, width) - 1), u8), padded(B[from[t]], 0))

  - op: fields_of_lines
    doc: where each field of comma separated text begins and ends; quotes hide commas
    in: {X: "u8[N]"}
    let: {M: upto(N + 1)}
    out: {From: "i64[M]", To: "i64[M]"}
    body: |
      quote[n] = X[n] == 34
      inside[n] = sum[k : k <= n](quote[k]) % 2
      cut[n] = inside[n] == 0 and (X[n] == 44 or X[n] == 10)
      at[n] = sum[k : k < n](cut[k])
      M = sum[n](cut[n]) + 1
      From[wrap(at[n] + 1, M)] last= n + 1 where cut[n]
      To[wrap(M - 1, M)] last= N
      To[wrap(at[n], M)] last= n where cut[n]
'''


def clahe(X, tile, limit):
    H, W = X.shape; P, Q = H//tile, W//tile; lut = np.zeros((P, Q, 256), int)
    for p in range(P):
        for q in range(Q):
            h = np.bincount(X[p*tile:(p + 1)*tile, q*tile:(q + 1)*tile].ravel(), minlength=256); over = np.maximum(h - limit, 0).sum()
            lut[p, q] = np.minimum(255, (np.cumsum(np.minimum(h, limit)) + np.arange(1, 257)*over//256)*255//tile**2)
    fy = np.clip((2*np.arange(H) + 1 - tile)/(2*tile), 0, P - 1); fx = np.clip((2*np.arange(W) + 1 - tile)/(2*tile), 0, Q - 1)
    py, px = np.floor(fy).astype(int), np.floor(fx).astype(int); a, b = (fy - py)[:, None], fx - px; qy, qx = np.minimum(py + 1, P - 1), np.minimum(px + 1, Q - 1)
    g = lambda y, x: lut[y[:, None], x[None], X]
    return np.round((1 - a)*((1 - b)*g(py, px) + b*g(py, qx)) + a*((1 - b)*g(qy, px) + b*g(qy, qx))).astype(np.uint8)


def sgm(C, p1, p2):
    H, W, D = C.shape; S = np.zeros((H, W, D), np.int64)
    for dy, dx in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        L = np.zeros((H, W, D), np.int64)
        for y in (range(H) if dy >= 0 else range(H - 1, -1, -1)):
            for x in (range(W) if dx >= 0 else range(W - 1, -1, -1)):
                yy, xx = y - dy, x - dx
                if not (0 <= yy < H and 0 <= xx < W): L[y, x] = C[y, x]; continue
                p = L[yy, xx]; m = p.min(); up = np.concatenate([[10**6], p[:-1]]) + p1; dn = np.concatenate([p[1:], [10**6]]) + p1
                L[y, x] = C[y, x] - m + np.minimum(np.minimum(p, up), np.minimum(dn, m + p2))
        S += L
    return S


def bilinear(X, y, x):
    H, W = X.shape[-2:]; y0, x0 = np.floor(y).astype(int), np.floor(x).astype(int); fy, fx = y - y0, x - x0; out = 0
    for i, wy in ((0, 1 - fy), (1, fy)):
        for j, wx in ((0, 1 - fx), (1, fx)):
            ok = (y0 + i >= 0) & (y0 + i < H) & (x0 + j >= 0) & (x0 + j < W); out = out + wy*wx*np.where(ok, X[..., np.clip(y0 + i, 0, H - 1), np.clip(x0 + j, 0, W - 1)], 0)
    return out


def sar(hi, lo, step, most):
    n = len(hi); S, U = np.zeros(n), np.zeros(n, bool); up, ep, af = True, hi[0], step
    S[0] = lo[0]; U[0] = True
    for i in range(1, n):
        s = S[i - 1] + af*(ep - S[i - 1])
        s = min(s, lo[i - 1], lo[max(i - 2, 0)]) if up else max(s, hi[i - 1], hi[max(i - 2, 0)])
        if (up and lo[i] < s) or (not up and hi[i] > s): s, up = ep, not up; ep = hi[i] if up else lo[i]; af = step
        elif up and hi[i] > ep: ep = hi[i]; af = min(af + step, most)
        elif not up and lo[i] < ep: ep = lo[i]; af = min(af + step, most)
        S[i], U[i] = s, up
    return S, U


def cases(rng):
    def case(op, key, inputs, want, dtypes, tolerance=EXACT, room=None, **attrs):
        return dict(op=op, key=key, inputs=inputs, attrs=attrs, want=want, dtypes=dtypes, tol=tolerance, **(dict(room=room) if room else {}))
    u8 = lambda *s: rng.integers(0, 256, s).astype(np.uint8)
    for h, w, t, l in ((8, 8, 8, 4), (16, 24, 8, 3), (12, 4, 4, 1)):
        X = rng.integers(60, 120, (h, w)).astype(np.uint8)
        yield case('tile_equalized', 'u8', [X], [clahe(X, t, l)], ['u8'], tile=t, limit=l)
    for h, w, d in ((1, 1, 1), (5, 7, 4), (3, 17, 16), (4, 4, 33)):
        C = rng.integers(0, 60, (h, w, d)).astype(np.uint8); S = sgm(C.astype(np.int64), 3, 20)
        yield case('semi_global', 'u8', [C], [S.astype(np.int32), S.argmin(-1)], ['i32', 'i64'], p1=3, p2=20)
    for h, w in ((1, 1), (5, 17), (16, 33), (0, 3)):
        X = u8(h, w); x = np.pad(X.astype(int), 10, mode='edge') if h else None; F = [1, -5, 20, 20, -5, 1]
        if h:
            hor = lambda z: sum(F[i]*np.roll(z, 2 - i, 1) for i in range(6)); ver = lambda z: sum(F[i]*np.roll(z, 2 - i, 0) for i in range(6)); cut = lambda z: z[10:-10, 10:-10]
            a = hor(x); c = ver(np.pad(cut(a), 10, mode='edge')); want = np.stack([np.clip(cut(a) + 16 >> 5, 0, 255), np.clip(cut(ver(x)) + 16 >> 5, 0, 255), np.clip(cut(c) + 512 >> 10, 0, 255)])
        else: want = np.zeros((3, h, w))
        yield case('half_pel', 'u8', [X], [want.astype(np.uint8)], ['u8'])
    for key in ('u8', 'i32'):
        for h, w in ((1, 1), (5, 17), (4, 4)):
            X = rng.integers(0, 3, (h, w)).astype(np.dtype(np_dtype(key))); x = np.pad(X, 1, mode='edge'); Y = np.zeros((2*h, 2*w), X.dtype)
            for i in range(h):
                for j in range(w):
                    b, hh, d, f, e = x[i, j + 1], x[i + 2, j + 1], x[i + 1, j], x[i + 1, j + 2], x[i + 1, j + 1]; q = [e]*4
                    if b != hh and d != f: q = [d if d == b else e, f if b == f else e, d if d == hh else e, f if hh == f else e]
                    Y[2*i, 2*j], Y[2*i, 2*j + 1], Y[2*i + 1, 2*j], Y[2*i + 1, 2*j + 1] = q
            yield case('scale2x', key, [X], [Y], [key])
    for key in ('u8', 'f32'):
        for h, w, form in ((1, 1, [1]*9), (5, 17, [0, 1, 0, 1, 1, 1, 0, 1, 0]), (16, 33, [1, 0, 0, 0, 1, 0, 0, 0, 0]), (3, 4, [0, 0, 0, 0, 1, 1, 0, 0, 0])):
            X = rng.integers(0, 256, (h, w)).astype(np_dtype(key)); big = 255 if key == 'u8' else 3e38; low = 0 if key == 'u8' else -3e38
            e = np.min([np.pad(X.astype(float), 1, constant_values=big)[k//3:k//3 + h, k % 3:k % 3 + w] for k in range(9) if form[k]], 0)
            yield case('opened_closed', key, [X], [np.max([np.pad(e, 1, constant_values=low)[2 - k//3:2 - k//3 + h, 2 - k % 3:2 - k % 3 + w] for k in range(9) if form[k]], 0)], [key], form=form)
    for key in ('f32', 'f64'):
        t = np_dtype(key)
        for h, w, p, s in ((1, 1, 1, 1), (5, 9, 1, 2), (3, 17, 0, 3), (4, 4, 2, 1)):
            X = rng.uniform(0, 1, (h, w)).astype(t); x = wide(X); P = lambda y, z: x[np.clip(y, 0, h - 1), np.clip(z, 0, w - 1)]; Y = np.zeros((h, w))
            yy, xx = np.mgrid[:h, :w]; num = den = 0
            for i in range(-s, s + 1):
                for j in range(-s, s + 1):
                    d = sum((P(yy + u, xx + v) - P(yy + u + i, xx + v + j))**2 for u in range(-p, p + 1) for v in range(-p, p + 1)); k = np.exp(-d/(.25*(2*p + 1)**2)); num, den = num + k*P(yy + i, xx + j), den + k
            yield case('non_local_means', key, [X], [num/den], [key], tol(ulp=20, acc=100), h=.5, patch=p, search=s)
            v, m = [], []
            for q in range(4):
                b = np.stack([P(yy + i - (0 if q >= 2 else s), xx + j - (0 if q % 2 else s)) for i in range(s + 1) for j in range(s + 1)]); m.append(b.mean(0)); v.append(b.var(0))
            yield case('kuwahara', key, [X], [np.take_along_axis(np.array(m), np.argmin(v, 0)[None], 0)[0]], [key], tol(ulp=20, acc=100), r=s)
        for n, k in ((1, 1), (9, 5), (17, 3)):
            X = rng.uniform(0, 1, (n, n)).astype(t); A = rng.uniform(0, 3, k).astype(t); s = np.arange(n)[:, None] - (n - 1)/2; r = np.arange(n)[None] - (n - 1)/2
            yield case('radon', key, [X, A], [np.stack([bilinear(wide(X), (n - 1)/2 + s*np.sin(a) + r*np.cos(a), (n - 1)/2 + s*np.cos(a) - r*np.sin(a)).sum(1) for a in wide(A)])], [key], tol(ulp=20, acc=200, mag=n*n))
        for h, w, steps in ((1, 1, 1), (5, 17, 3), (16, 9, 6)):
            A, B = rng.uniform(0, 1, (h, w)).astype(t), rng.uniform(0, 1, (h, w)).astype(t); a = np.pad(wide(A), 1, mode='edge'); gx, gy = .5*(a[1:-1, 2:] - a[1:-1, :-2]), .5*(a[2:, 1:-1] - a[:-2, 1:-1]); gt = wide(B) - wide(A); u = v = np.zeros((h, w))
            avg = lambda z: (lambda p: .25*(p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]))(np.pad(z, 1, mode='edge'))
            for _ in range(steps): mu, mv = avg(u), avg(v); e = (gx*mu + gy*mv + gt)/(1 + gx**2 + gy**2); u, v = mu - gx*e, mv - gy*e
            yield case('horn_schunck', key, [A, B], [u, v], [key]*2, [tol(ulp=20, acc=100, mag=1)]*2, alpha=1.0, steps=steps)
        for c, h, w, r in ((1, 1, 1, 0), (3, 5, 7, 1), (2, 3, 17, 2)):
            A, B, F = rng.uniform(-1, 1, (c, h, w)).astype(t), rng.uniform(-1, 1, (c, h, w)).astype(t), (rng.integers(-40, 40, (2, h, w))/16).astype(t); yy, xx = np.mgrid[:h, :w]
            yield case('correlation_volume', key, [A, B, F], [np.stack([np.stack([(wide(A)*bilinear(wide(B), yy + wide(F)[1] + i - r, xx + wide(F)[0] + j - r)).sum(0)/np.sqrt(c) for j in range(2*r + 1)]) for i in range(2*r + 1)])], [key], tol(ulp=20, acc=200, mag=c), r=r)
        for n, d, c in ((1, 1, 1), (5, 17, 3), (17, 8, 33)):
            for it in ('i32', 'i64'):
                X, W, L = rng.normal(0, 1, (n, d)).astype(t), rng.normal(0, 1, (c, d)).astype(t), rng.integers(0, c, n).astype(np_dtype(it)); x, ww = wide(X), wide(W)
                cs = (x @ ww.T)/np.linalg.norm(x, axis=1)[:, None]/np.linalg.norm(ww, axis=1); a = np.arccos(np.clip(cs, -1, 1))
                yield case('angular_margin', key, [X, W, L], [16*np.where(L[:, None] == np.arange(c), np.cos(np.minimum(a + .5, np.pi)), cs)], [key], tol(ulp=20, acc=20000 if d == 1 else 400, mag=16), margin=.5, scale=16.0)
        for b, n in ((1, 1), (3, 17), (2, 33)):
            X = rng.uniform(-2, 2, (b, n)).astype(t); Y = rng.integers(0, 2, (b, n)).astype(np.uint8); e = 1 - wide(X)*np.where(Y == 1, 1, -1); o = np.argsort(-e, axis=1, kind='stable'); s, g = np.take_along_axis(e, o, 1), np.take_along_axis(Y, o, 1).astype(float)
            G = g.sum(1, keepdims=True); j = 1 - (G - np.cumsum(g, 1))/(G + np.cumsum(1 - g, 1)); dj = np.diff(np.concatenate([np.zeros((b, 1)), j], 1))
            yield case('lovasz_hinge', key, [X, Y], [(np.maximum(s, 0)*dj).sum(1)], [key], tol(ulp=20, acc=100, mag=3))
        for n in (1, 17, 0):
            q = rng.uniform(0, 1, (2, n, 4)); A, B = (np.concatenate([z[:, :2], z[:, :2] + .2 + z[:, 2:]], 1).astype(t) for z in q); a, b = wide(A), wide(B)
            w, h = np.maximum(np.minimum(a[:, 2:], b[:, 2:]) - np.maximum(a[:, :2], b[:, :2]), 0).T; i = w*h; area = lambda z: (z[:, 2] - z[:, 0])*(z[:, 3] - z[:, 1]); iou = i/(area(a) + area(b) - i)
            c = ((np.maximum(a[:, 2:], b[:, 2:]) - np.minimum(a[:, :2], b[:, :2]))**2).sum(1); d = (((a[:, :2] + a[:, 2:] - b[:, :2] - b[:, 2:])/2)**2).sum(1); asp = lambda z: np.arctan((z[:, 2] - z[:, 0])/(z[:, 3] - z[:, 1])); v = 4/np.pi**2*(asp(b) - asp(a))**2
            yield case('complete_iou', key, [A, B], [iou - d/c - v*v/(1 - iou + v + 1e-7)], [key], tol(ulp=40, acc=200, mag=1))
        for m, n, steps in ((1, 1, 1), (5, 17, 3), (17, 5, 2), (16, 16, 5)):
            G = rng.normal(0, 1, (m, n)).astype(t); x = wide(G)/np.sqrt((wide(G)**2).sum() + 1e-7)
            for _ in range(steps): A = x @ x.T; x = 3.4445*x + (-4.775*A + 2.0315*A @ A) @ x
            yield case('newton_schulz', key, [G], [x], [key], tol(ulp=40, acc=2000, mag=1), steps=steps)
        for m, n in ((1, 1), (5, 17), (16, 33)):
            W, G, R, C = (rng.uniform(.1, 1, s).astype(t) for s in ((m, n), (m, n), (m,), (n,))); w, g, r, c = map(wide, (W, G, R, C)); r1, c1 = .9*r + .1*(g*g).mean(1), .9*c + .1*(g*g).mean(0); u = g/np.sqrt(np.outer(r1, c1)/r1.mean()); rms = np.sqrt((u*u).mean())
            yield case('adafactor', key, [W, G, R, C], [w - .01*u/max(1, rms), r1, c1], [key]*3, [tol(ulp=20, acc=60)]*3, rate=.01, decay=.9)
        for m, n, d, bl, k in ((1, 4, 1, 4, 1), (5, 12, 7, 4, 2), (3, 6, 17, 2, 3)):
            Q, K, V = (rng.normal(0, 1, s).astype(t) for s in ((m, d), (n, d), (n, d))); q, kk, v = wide(Q), wide(K), wide(V); mean = kk.reshape(n//bl, bl, d).mean(1); at = np.argsort(-(q @ mean.T), axis=1, kind='stable')[:, :k]; Y = np.zeros((m, d))
            for i in range(m):
                idx = np.concatenate([np.arange(b*bl, b*bl + bl) for b in at[i]]); e = np.exp((kk[idx] @ q[i])/np.sqrt(d)); Y[i] = e @ v[idx]/e.sum()
            yield case('chosen_blocks_attention', key, [Q, K, V], [Y], [key], tol(ulp=40, acc=200, mag=2), block=bl, count=k)
        for b, l, c in ((1, 1, 1), (2, 9, 17), (3, 17, 5), (2, 0, 3)):
            K, V = rng.normal(0, 1, (b, l, c)).astype(t), rng.normal(0, 1, (b, l, c)).astype(t); z = 1/(1 + np.exp(-wide(K))); v = wide(V); g = np.where(v >= 0, v + .5, 1/(1 + np.exp(-v))); h = np.zeros((b, c)); H = np.zeros((b, l, c))
            for i in range(l): h = h*(1 - z[:, i]) + z[:, i]*g[:, i]; H[:, i] = h
            yield case('min_gru', key, [K, V], [H], [key], tol(ulp=40, acc=60, mag=2))
        for l, d, g, u in ((1, 1, 1, 1), (9, 5, 3, 4), (17, 3, 2, 17)):
            X, W, R = rng.normal(0, 1, (l, d)).astype(t), rng.normal(0, .5, (d, g, u)).astype(t), rng.normal(0, .3, (g, u, g, u)).astype(t); y = np.zeros((g, u)); Y = []
            for i in range(l):
                n = np.array([np.tanh(np.einsum('d,du->u', wide(X)[i], wide(W)[:, j]) + np.einsum('hv,hvu->u', y[j:], wide(R)[j:, :, j])) for j in range(g)]); y = np.where((i % 2**np.arange(g) == 0)[:, None], n, y); Y.append(y)
            yield case('clockwork', key, [X, W, R], [np.array(Y)], [key], tol(ulp=80, acc=2000, mag=1))
        for n in (1, 2, 17, 60):
            m = np.cumsum(rng.integers(-3, 4, n)) + 100; Hi, Lo = (m + rng.integers(0, 4, n)).astype(t), (m - rng.integers(0, 4, n)).astype(t); S, U = sar(wide(Hi), wide(Lo), .0625, .25)
            yield case('parabolic_stop', key, [Hi, Lo], [S, U], [key, 'bool'], [tol(ulp=20, acc=200), EXACT], step=.0625, most=.25)
        for n, m in ((1, 1), (33, 5), (17, 9)):
            T = np.sort(rng.integers(0, 10*m, n)); P = rng.integers(1, 100, n).astype(t); V = rng.integers(1, 9, n).astype(t); b = np.minimum(T//8, m - 1); out = np.zeros((5, m))
            for j in range(m):
                p = wide(P)[b == j]
                if len(p): out[:, j] = p[0], p.max(), p.min(), p[-1], wide(V)[b == j].sum()
            yield case('bars_of_ticks', key, [T, P, V], [*out], [key]*5, span=8, bars=m)
    for key in ('f32', 'f64', 'f16', 'bf16'):
        t = np_dtype(key)
        if t is None: continue
        for n, d in ((1, 1), (5, 17), (17, 3)):
            A, B = rng.normal(0, 1, (n, d)).astype(t), rng.normal(0, 1, (n, d)).astype(t); a, b = wide(A), wide(B); s = (a/np.sqrt((a*a).sum(1, keepdims=True) + 1e-6)) @ (b/np.sqrt((b*b).sum(1, keepdims=True) + 1e-6)).T/.5; l = lambda z, ax: np.log(np.exp(z).sum(ax))
            yield case('contrastive_loss', key, [A, B], [np.array((.5*(l(s, 1) + l(s, 0)) - np.diag(s)).mean())], [key], tol(ulp=20, acc=200, mag=4), temperature=.5)
        for p, h, d in ((1, 1, 1), (3, 5, 17), (4, 2, 33)) if key != 'f64' else ():
            O, L = rng.normal(0, 1, (p, h, d)).astype(t), rng.normal(0, 2, (p, h)).astype(np.float32); L[0, 0] = -np.inf; l = wide(L); mx = l.max(0)
            with np.errstate(all='ignore'): w = np.where(mx == -np.inf, 0, np.exp(l - mx)); s = w.sum(0); Y = np.where(s[:, None] == 0, 0, np.einsum('ph,phd->hd', w, wide(O))/s[:, None]); lse = mx + np.log(s)
            yield case('split_attention_joined', key, [O, L], [Y, lse], [key, 'f32'], [tol(ulp=8, acc=40, mag=3), tol(ulp=8, acc=20, mag=3)])
        for n, c in ((1, 1), (17, 5), (33, 17), (0, 3)):
            X = rng.normal(0, 1, (n, c)).astype(t); X[rng.random((n, c)) < .6] = np.nan; Y = X.copy(); age = np.full(c, 2); v = np.zeros(c, t)
            for i in range(n):
                nan = np.isnan(X[i]); age = np.where(nan, age + 1, 0); v = np.where(nan, v, X[i]); Y[i] = np.where(age <= 2, v, X[i])
            yield case('filled_forward', key, [X], [Y], [key], most=2)
    for key in ('f32', 'i32', 'u8'):
        for b, n in ((1, 1), (3, 17), (2, 33), (2, 0)):
            X = rng.integers(0, 9, (b, n)).astype(np_dtype(key))
            yield case('dense_ranks', key, [X], [np.stack([np.unique(x, return_inverse=True)[1] for x in X]).reshape(b, n)], ['i64'])
    for b in (0, 1, 3):
        D, M = rng.uniform(0, 1, b).astype(np.float16), rng.uniform(0, 1, b).astype(np.float16); S, Q = u8(b, 12), u8(b, 128); Y = np.zeros((b, 256))
        for i in range(b):
            for g in range(8):
                s, m = (S[i, g] & 63, S[i, g + 4] & 63) if g < 4 else ((S[i, g + 4] & 15) | (S[i, g - 4] >> 6) << 4, (S[i, g + 4] >> 4) | (S[i, g] >> 6) << 4)
                q = Q[i, g//2*32:g//2*32 + 32]; q = q & 15 if g % 2 == 0 else q >> 4; Y[i, 32*g:32*g + 32] = float(D[i])*int(s)*q.astype(float) - float(M[i])*int(m)
        yield case('q4k_values', 'f16', [D, M, S, Q], [Y], ['f32'], tol(ulp=2, acc=4, mag=1000))
    for n in (0, 1, 33):
        X = rng.normal(0, 1, n).astype(np.float32)
        yield case('streams_of_bytes', 'u8', [X.view(np.uint8).reshape(n, 4).T.copy()], [X], ['f32'])
    for width in (1, 3, 8):
        v, B = [], bytearray()
        for kind in (0, 1, 0, 1, 1):
            if kind == 0: k = int(rng.integers(1, 200)); x = int(rng.integers(0, 2**width)); v += [x]*k; head = k << 1
            else: k = int(rng.integers(1, 3)); x = [int(y) for y in rng.integers(0, 2**width, 8*k)]; v += x; head = k << 1 | 1
            B += bytes([head & 127 | 128, head >> 7]) if head >= 128 else bytes([head])
            B += bytes([x]) if kind == 0 else sum(y << width*i for i, y in enumerate(x)).to_bytes(k*width, 'little')
        yield case('runs_and_packed', 'u8', [np.frombuffer(bytes(B), np.uint8).copy()], [np.array(v, np.uint8)], ['u8'], width=width, count=len(v))
    for text in (b'', b'a,b\nc', b'"x,y",z\n,,"\n"', b',', b'one'):
        f, t, q, start = [], [], False, 0
        for i, c in enumerate(text):
            if c == 34: q = not q
            if not q and c in b',\n': f.append(start); t.append(i); start = i + 1
        f.append(start); t.append(len(text))
        yield case('fields_of_lines', 'u8', [np.frombuffer(text, np.uint8).copy()], [np.array(f), np.array(t)], ['i64', 'i64'], room=[(len(text) + 1,)]*2)
