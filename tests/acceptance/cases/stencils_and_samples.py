"""Stencils of physics, places and shapes, samples and tests of statistics, pictures with borders of all kinds."""
import numpy as np
from casekit import EXACT, available, np_dtype, rand, tol, wide

OPS = [r'''
ops:
  - op: fast_sweeping
    doc: distances through a medium of given slowness, swept from four corners in turn
    types: {T: [f32, f64]}
    attrs: {sweeps: int = 4}
    in: {F: "T[H, W]", Source: "bool[H, W]"}
    require: [sweeps >= 1, H >= 1, W >= 1]
    index: {s: sweeps, y: H, x: W}
    out: {D: "T[H, W]"}
    body: |
      p[s,y,x] = padded(u[s - 1,H - 1 - y,x], select(Source[y,x], 0, 1e6))
      a[s,y,x] = min(padded(u[s,y - 1,x], 1e6), padded(p[s,y + 1,x], 1e6))
      b[s,y,x] = min(padded(u[s,y,x - 1], 1e6), padded(p[s,y,x + 1], 1e6))
      f[s,y,x] = F[select(s % 2 == 1, H - 1 - y, y),x]
      c[s,y,x] = select(abs(a[s,y,x] - b[s,y,x]) >= f[s,y,x], min(a[s,y,x], b[s,y,x]) + f[s,y,x], 0.5*(a[s,y,x] + b[s,y,x] + sqrt(max(2*sq(f[s,y,x]) - sq(a[s,y,x] - b[s,y,x]), 0))))
      u[s,y,x] = min(p[s,y,x], c[s,y,x])
      D[y,x] = u[sweeps - 1,select(sweeps % 2 == 0, H - 1 - y, y),x]
''', r'''
ops:
  - op: superbee_steps
    doc: advection with a limiter, periodic
    types: {T: [f32, f64]}
    attrs: {steps: int = 5, c: float = 0.5}
    require: [steps >= 1]
    in: {U: "T[B, N]"}
    index: {t: steps}
    out: {Y: "T[B, N]"}
    body: |
      p[b,t,i] = padded(u[b,t - 1,i], U[b,i])
      d[b,t,i] = p[b,t,(i + 1) % N] - p[b,t,i]
      r[b,t,i] = select(abs(d[b,t,i]) > 1e-3, d[b,t,(i - 1) % N]/select(abs(d[b,t,i]) > 1e-3, d[b,t,i], 1), 0)
      l[b,t,i] = max(0, min(2*r[b,t,i], 1), min(r[b,t,i], 2))
      f[b,t,i] = p[b,t,i] + 0.5*(1 - c)*l[b,t,i]*d[b,t,i]
      u[b,t,i] = p[b,t,i] - c*(f[b,t,i] - f[b,t,(i - 1) % N])
      Y[b,i] = u[b,steps - 1,i]
''', r'''
ops:
  - op: elastic_wave
    doc: velocities and stresses on staggered points with a damping layer, sources at given points and times
    types: {T: [f32, f64]}
    attrs: {dt: float = 0.3, pad: int = 2}
    require: [pad >= 0]
    in: {Source: "T[L]", At: "i64[2]", Rho: "T[H, W]", Rec: "i64[R, 2]"}
    out: {Y: "T[R, L]", Energy: "T[L]"}
    index: {t: L, y: H, x: W}
    body: |
      g[y,x] = exp(-0.1*cast(sq(max(pad - min(y, x, H - 1 - y, W - 1 - x), 0)), T))
      vx[t,y,x] = g[y,x]*(padded(vx[t - 1,y,x], 0) + dt/Rho[y,x]*(padded(s[t - 1,y,x + 1], 0) - padded(s[t - 1,y,x], 0)))
      vy[t,y,x] = g[y,x]*(padded(vy[t - 1,y,x], 0) + dt/Rho[y,x]*(padded(s[t - 1,y + 1,x], 0) - padded(s[t - 1,y,x], 0)))
      s[t,y,x] = g[y,x]*(padded(s[t - 1,y,x], 0) + dt*(vx[t,y,x] - padded(vx[t,y,x - 1], 0) + vy[t,y,x] - padded(vy[t,y - 1,x], 0))) + select(y == At[0] and x == At[1], Source[t], 0)
      Y[r,t] = s[t,wrap(Rec[r,0], H),wrap(Rec[r,1], W)]
      Energy[t] = sum[y,x](Rho[y,x]*(sq(vx[t,y,x]) + sq(vy[t,y,x])))
''', r'''
ops:
  - op: lennard_jones
    doc: forces within a cut-off, over lists of neighbours that are as long as needed, in a periodic box
    types: {T: [f32, f64], I: index}
    attrs: {box: float = 4.0, cut: float = 1.5}
    in: {X: "T[N, 3]", Ptr: "I[P]", Nb: "I[E]"}
    require: [P == N + 1, N >= 1]
    out: {F: "T[N, 3]", E0: "T[]", Count: "i32[N]"}
    body: |
      d[e,n,k] = X[n,k] - X[clamp(Nb[e], 0, N - 1),k] - box*round((X[n,k] - X[clamp(Nb[e], 0, N - 1),k])/box)
      q[e,n] = max(sum[k](sq(d[e,n,k])), 0.25)
      w[e,n] = select(q[e,n] < cut*cut, 1/(q[e,n]*q[e,n]*q[e,n]), 0)
      F[n,k] = sum[e in Ptr[n] .. Ptr[n + 1]](24*(2*sq(w[e,n]) - w[e,n])/q[e,n]*d[e,n,k])
      v[n] = sum[e in Ptr[n] .. Ptr[n + 1]](4*(sq(w[e,n]) - w[e,n]))
      E0[] = 0.5*sum[n](v[n])
      Count[n] = cast(sum[e in Ptr[n] .. Ptr[n + 1]](w[e,n] > 0), i32)
''', r'''
ops:
  - op: segments_crossing
    doc: all pairs of segments that cross, as a list, and where
    types: {T: [f32, f64]}
    in: {S: "T[N, 2, 2]"}
    let: {Q: N*N, M: upto(Q)}
    out: {Pair: "i32[M, 2]", At: "T[M, 2]"}
    body: |
      d[n,c] = S[n,1,c] - S[n,0,c]
      k[i,j] = d[i,0]*d[j,1] - d[i,1]*d[j,0]
      a[i,j] = ((S[j,0,0] - S[i,0,0])*d[j,1] - (S[j,0,1] - S[i,0,1])*d[j,0])/select(k[i,j] == 0, 1, k[i,j])
      b[i,j] = ((S[j,0,0] - S[i,0,0])*d[i,1] - (S[j,0,1] - S[i,0,1])*d[i,0])/select(k[i,j] == 0, 1, k[i,j])
      hit[i,j] = i < j and k[i,j] != 0 and 0 <= a[i,j] and a[i,j] <= 1 and 0 <= b[i,j] and b[i,j] <= 1
      flat[q] = hit[q//N,q % N]
      at[q] = sum[r : r < q](flat[r])
      M = sum[q](flat[q])
      Pair[wrap(at[q], M),c] last= cast(select(c == 0, q//N, q % N), i32) where flat[q]
      At[wrap(at[q], M),c] last= S[q//N,0,c] + a[q//N,q % N]*d[q//N,c] where flat[q]
    index: {q: Q, c: 2, i: N, j: N}
''', r'''
ops:
  - op: geohash
    doc: positions as letters of five bits, longitude and latitude in turn
    types: {T: [f64]}
    attrs: {letters: int = 6}
    require: [letters >= 1, letters <= 12]
    tables:
      A: {type: "u8[32]", values: [48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 98, 99, 100, 101, 102, 103, 104, 106, 107, 109, 110, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122]}
    in: {P: "T[N, 2]"}
    index: {b: 5}
    out: {Y: "u8[N, letters]"}
    body: |
      u[n,c] = clamp(cast((P[n,c] + select(c == 0, 90, 180))/select(c == 0, 180, 360)*1073741824, i64), 0, 1073741823)
      v[n,l] = fold[b](a = cast(0, i64), 2*a + bit_and(shr(u[n,1 - (5*l + b) % 2], 29 - (5*l + b)//2), 1))
      Y[n,l] = A[bit_and(v[n,l], 31)]
''', r'''
ops:
  - op: kabsch_flat
    doc: the rotation and shift between two sets of points in the plane, weights optional
    types: {T: float}
    in:
      A: T[B, N, 2]
      C: T[B, N, 2]
      W?: T[B, N]
    require: [N >= 1]
    out: {Angle: "T[B]", Shift: "T[B, 2]"}
    body: |
      z[b] = sum[n](opt(W[b,n], 1))
      ma[b,k] = sum[n](opt(W[b,n], 1)*A[b,n,k])/z[b]
      mc[b,k] = sum[n](opt(W[b,n], 1)*C[b,n,k])/z[b]
      x[b] = sum[n,k](opt(W[b,n], 1)*(A[b,n,k] - ma[b,k])*(C[b,n,k] - mc[b,k]))
      y[b] = sum[n](opt(W[b,n], 1)*((A[b,n,0] - ma[b,0])*(C[b,n,1] - mc[b,1]) - (A[b,n,1] - ma[b,1])*(C[b,n,0] - mc[b,0])))
      Angle[b] = atan2(y[b], x[b])
      Shift[b,k] = mc[b,k] - cos(Angle[b])*ma[b,k] + select(k == 0, 1, -1)*sin(Angle[b])*ma[b,1 - k]
''', r'''
ops:
  - op: mann_whitney
    doc: the statistic of two samples by ranks with ties in the middle, and the sum over groups of ties
    types: {T: [f32, f64, i32, u8]}
    in: {X: "T[R, N]", Y: "T[R, M]"}
    let: {S: N + M}
    index: {s: S, u: S}
    out: {Stat: "f64[R]", Ties: "i64[R]"}
    body: |
      v[r,s] = select(s < N, padded(X[r,s], 0), padded(Y[r,s - N], 0))
      less[r,s] = sum[u](v[r,u] < v[r,s])
      same[r,s] = sum[u](v[r,u] == v[r,s])
      k[r] = sum[s : s < N](2*less[r,s] + same[r,s] + 1)
      Stat[r] = 0.5*cast(k[r], f64) - 0.5*cast(N*(N + 1), f64)
      Ties[r] = sum[s](sq(same[r,s]) - 1)
''', r'''
ops:
  - op: alias_tables
    doc: tables from which weighted draws take one number and one comparison, by Vose's pairs
    types: {T: [f64]}
    in: {W: "T[N]", U: "T[D]"}
    require: [N >= 1]
    out: {P: "T[N]", Alias: "i64[N]", Draw: "i64[D]"}
    index: {t: N, n: N}
    body: |
      z[] = sum[n](W[n])
      p[t,n] = padded(q[t - 1,n], W[n]*N/z[])
      open[t,n] = padded(left[t - 1,n], true)
      lo[t] = min[n : open[t,n] and p[t,n] < 1](n)
      hi[t] = min[n : open[t,n] and p[t,n] >= 1](n)
      ok[t] = lo[t] < N and hi[t] < N
      q[t,n] = select(ok[t] and n == hi[t], p[t,n] + p[t,clamp(lo[t], 0, N - 1)] - 1, p[t,n])
      left[t,n] = open[t,n] and not (ok[t] and n == lo[t])
      P[n] = select(left[N - 1,n], 1, q[N - 1,n])
      Alias[n] = n
      Alias[clamp(lo[t], 0, N - 1)] last= hi[t] where ok[t]
      i[d] = clamp(cast(floor(U[d]*N), i64), 0, N - 1)
      Draw[d] = select(U[d]*N - cast(i[d], f64) < P[i[d]], i[d], Alias[i[d]])
''', r'''
ops:
  - op: jackknife
    doc: a correlation without each point in turn, and the spread of these
    types: {T: [f64, f32]}
    in: {X: "T[*P, N]", Y: "T[*P, N]"}
    require: [N >= 4]
    out: {R: "T[*P]", Se: "T[*P]"}
    body: |
      sx[*p] = sum[n](X[*p,n])
      sy[*p] = sum[n](Y[*p,n])
      xx[*p] = sum[n](sq(X[*p,n]))
      yy[*p] = sum[n](sq(Y[*p,n]))
      xy[*p] = sum[n](X[*p,n]*Y[*p,n])
      c[*p,i] = (N - 1)*(xy[*p] - X[*p,i]*Y[*p,i]) - (sx[*p] - X[*p,i])*(sy[*p] - Y[*p,i])
      v[*p,i] = ((N - 1)*(xx[*p] - sq(X[*p,i])) - sq(sx[*p] - X[*p,i]))*((N - 1)*(yy[*p] - sq(Y[*p,i])) - sq(sy[*p] - Y[*p,i]))
      r[*p,i] = c[*p,i]*rsqrt(v[*p,i])
      m[*p] = sum[i](r[*p,i])/N
      R[*p] = (N*xy[*p] - sx[*p]*sy[*p])*rsqrt((N*xx[*p] - sq(sx[*p]))*(N*yy[*p] - sq(sy[*p])))
      Se[*p] = sqrt(cast(N - 1, T)/N*sum[i](sq(r[*p,i] - m[*p])))
''', r'''
ops:
  - op: stencil_of_any_rank
    doc: each element against its neighbours a given step away in each dim, the border reflected
    types: {T: real}
    attrs: {far: "int[*S] = 1"}
    require: [far >= 0]
    in: {X: "T[*S]"}
    out: {Up: "T[*S]", Down: "T[*S]", Peak: "bool[*S]"}
    body: |
      Up[*s] = X[*reflect(s + far, S)]
      Down[*s] = X[*mirror(s - far, S)]
      Peak[*s] = X[*s] > max(Up[*s], Down[*s])
''', r'''
ops:
  - op: deblocked
    doc: edges of blocks of eight pixels smoothed where the step is small, in bytes
    attrs: {alpha: int = 20, beta: int = 6}
    in: {X: "u8[H, (B 8)]"}
    out: {Y: "u8[H, (B 8)]"}
    body: |
      p[h,b,k] = cast(X[h,(b k)], i32)
      l0[h,b] = cast(padded(X[h,8*b - 1], 0), i32)
      l1[h,b] = cast(padded(X[h,8*b - 2], 0), i32)
      on[h,b] = b > 0 and abs(l0[h,b] - p[h,b,0]) < alpha and abs(l1[h,b] - l0[h,b]) < beta and abs(p[h,b,1] - p[h,b,0]) < beta
      d[h,b] = clamp((4*(p[h,b,0] - l0[h,b]) + l1[h,b] - p[h,b,1] + 4)//8, -4, 4)
      e[h,b] = select(on[h,b], d[h,b], 0)
      Y[h,(b k)] = cast(clamp(p[h,b,k] - select(k == 0 and on[h,b], d[h,b], 0) + select(k == 7, padded(e[h,b + 1], 0), 0), 0, 255), u8)
''', r'''
ops:
  - op: worley_noise
    doc: distances to the nearest and second nearest of points that a hash puts into cells
    types: {T: [f32, f64]}
    in: {P: "T[N, 2]"}
    out: {F1: "T[N]", F2: "T[N]", Cell: "i64[N]"}
    body: |
      q[n,c] = cast(floor(P[n,c]), i64)
      h[n,i,j] = cast(bit_and((q[n,0] + i - 1)*374761393 + (q[n,1] + j - 1)*668265263, 0xffffffff), u32)
      g[n,i,j] = bit_xor(h[n,i,j], shr(h[n,i,j], 13))*1274126177
      d[n,i,j] = sq(cast(q[n,0] + i - 1, T) + cast(bit_and(g[n,i,j], 255), T)/256 - P[n,0]) + sq(cast(q[n,1] + j - 1, T) + cast(bit_and(shr(g[n,i,j], 8), 255), T)/256 - P[n,1])
      f[n,k] = d[n,k//3,k % 3]
      a[n], Cell[n] = min_at[k](f[n,k])
      F1[n] = sqrt(a[n])
      F2[n] = sqrt(min[k : k != Cell[n]](f[n,k]))
    index: {i: 3, j: 3, k: 9}
''', r'''
ops:
  - op: label_moments
    doc: counts, centres, second moments and boxes of labelled regions
    types: {L: [u8, i32]}
    attrs: {labels: int = 4}
    require: [labels >= 1]
    in: {X: "L[H, W]"}
    out: {N: "i64[labels]", Centre: "f64[labels, 2]", Cov: "f64[labels]", Box: "i64[labels, 4]"}
    index: {l: labels, c: 2, k: 4}
    body: |
      N[l] = 0
      N[X[y,x] % labels] += 1 where X[y,x] < labels
      sy[l] = sum[y,x : X[y,x] == l](y)
      sx[l] = sum[y,x : X[y,x] == l](x)
      sxy[l] = sum[y,x : X[y,x] == l](x*y)
      Centre[l,c] = select(N[l] > 0, cast(select(c == 0, sy[l], sx[l]), f64)/cast(max(N[l], 1), f64), -1)
      Cov[l] = select(N[l] > 0, cast(sxy[l], f64)/cast(max(N[l], 1), f64) - Centre[l,0]*Centre[l,1], 0)
      y0[l] = min[y,x : X[y,x] == l](y)
      x0[l] = min[y,x : X[y,x] == l](x)
      y1[l] = max[y,x : X[y,x] == l](y)
      x1[l] = max[y,x : X[y,x] == l](x)
      Box[l,k] = select(N[l] == 0, 0, select(k == 0, y0[l], select(k == 1, x0[l], select(k == 2, y1[l], x1[l]))))
''']


def cases(rng):
    for key in ('f32', 'f64'):
        for h, w, sweeps in [(1, 1, 1), (5, 7, 4), (3, 17, 2), (9, 4, 3)]:
            f, s = rand(rng, (h, w), key, .5, 2), rng.random((h, w)) < .15
            u = np.where(s, 0, 1e6)
            ff = wide(f)
            for k in range(sweeps):
                fk = ff[::-1] if k % 2 else ff
                u = u[::-1].copy() if k else u.copy()
                for y in range(h):
                    for x in range(w):
                        g = lambda i, j: u[i, j] if 0 <= i < h and 0 <= j < w else 1e6
                        a, b = min(g(y - 1, x), g(y + 1, x)), min(g(y, x - 1), g(y, x + 1))
                        c = min(a, b) + fk[y, x] if abs(a - b) >= fk[y, x] else .5*(a + b + np.sqrt(max(2*fk[y, x]**2 - (a - b)**2, 0)))
                        u[y, x] = min(u[y, x], c)
            d = u[::-1] if sweeps % 2 == 0 else u
            yield dict(op='fast_sweeping', key=key, inputs=[f, s], attrs={'sweeps': sweeps}, want=[d], tol=tol(ulp=8, acc=200, mag=8. + np.where(d > 1e5, 1e6, 0)))
        for b, n, steps in [(1, 1, 1), (2, 9, 5), (1, 33, 3), (0, 4, 2)]:
            u0 = (rng.integers(-8, 8, (b, n))/2).astype(np_dtype(key))
            p = wide(u0)
            for _ in range(steps):
                d = np.roll(p, -1, 1) - p
                big = np.abs(d) > 1e-3
                r = np.where(big, np.roll(d, 1, 1)/np.where(big, d, 1), 0)
                l = np.maximum(0, np.maximum(np.minimum(2*r, 1), np.minimum(r, 2)))
                f = p + .25*l*d
                p = p - .5*(f - np.roll(f, 1, 1))
            if steps == 1 or key == 'f64':
                yield dict(op='superbee_steps', key=key, inputs=[u0], attrs={'steps': steps}, want=[p], tol=tol(ulp=8, acc=2000, mag=8.))
        for l, h, w, r in [(1, 1, 1, 1), (9, 5, 7, 2), (12, 8, 17, 3), (0, 3, 3, 1)]:
            src, rho = rand(rng, (l,), key), rand(rng, (h, w), key, 1, 2)
            at, rec = np.array([h//2, w//2]), np.stack([rng.integers(-h, h, r), rng.integers(-w, w, r)], 1)
            yy, xx = np.mgrid[:h, :w]
            g = np.exp(-.1*np.maximum(2 - np.minimum(np.minimum(yy, xx), np.minimum(h - 1 - yy, w - 1 - xx)), 0)**2)
            vx = vy = s = np.zeros((h, w))
            Y, E = np.zeros((r, l)), np.zeros(l)
            for t in range(l):
                q = np.pad(s, ((0, 1), (0, 1)))
                vx, vy = g*(vx + .3/wide(rho)*(q[:h, 1:] - s)), g*(vy + .3/wide(rho)*(q[1:, :w] - s))
                s = g*(s + .3*(vx - np.pad(vx, ((0, 0), (1, 0)))[:, :w] + vy - np.pad(vy, ((1, 0), (0, 0)))[:h]))
                s[at[0], at[1]] += wide(src)[t]
                Y[:, t], E[t] = s[rec[:, 0], rec[:, 1]], (wide(rho)*(vx**2 + vy**2)).sum()
            yield dict(op='elastic_wave', key=key, inputs=[src, at, rho, rec], want=[Y, E], tol=tol(ulp=8, acc=200, mag=4.))
        for it in (np.int32, np.int64):
            for n, e in [(1, 0), (5, 9), (17, 60)]:
                x, ptr = rand(rng, (n, 3), key, 0, 4), np.concatenate([[0], np.sort(rng.integers(0, e + 1, n - 1)), [e]]).astype(it)
                nb = rng.integers(0, n, e).astype(it)
                F, v, cnt = np.zeros((n, 3)), 0., np.zeros(n, np.int32)
                for i in range(n):
                    for q in range(ptr[i], ptr[i + 1]):
                        d = wide(x)[i] - wide(x)[nb[q]]
                        d -= 4*np.round(d/4)
                        r = max(d @ d, .25)
                        w = 1/r**3 if r < 2.25 else 0
                        F[i] += 24*(2*w*w - w)/r*d
                        v += 2*(w*w - w)
                        cnt[i] += w > 0
                yield dict(op='lennard_jones', key=key, inputs=[x, ptr, nb], want=[F, np.array(v), cnt], dtypes=[key, key, 'i32'], tol=[tol(ulp=8, acc=2000, mag=1e4), tol(ulp=8, acc=2000, mag=1e4), EXACT])
        for n in (0, 1, 5, 17):
            s = (rng.integers(-8, 9, (n, 2, 2))/1.).astype(np_dtype(key))
            w, pairs, at = wide(s), [], []
            for i in range(n):
                for j in range(i + 1, n):
                    d, f = w[i, 1] - w[i, 0], w[j, 1] - w[j, 0]
                    k = d[0]*f[1] - d[1]*f[0]
                    if k == 0:
                        continue
                    o = w[j, 0] - w[i, 0]
                    a, b = (o[0]*f[1] - o[1]*f[0])/k, (o[0]*d[1] - o[1]*d[0])/k
                    if 0 <= a <= 1 and 0 <= b <= 1:
                        pairs.append((i, j))
                        at.append(w[i, 0] + a*d)
            yield dict(op='segments_crossing', key=key, inputs=[s], want=[np.array(pairs, np.int32).reshape(-1, 2), np.array(at).reshape(-1, 2)], dtypes=['i32', key], room=[(n*n, 2), (n*n, 2)], tol=[EXACT, tol(ulp=4, acc=16, mag=32.)])
        for n in (0, 1, 9, 33):
            p = (rng.integers(-4000, 4000, (n, 2))/256).astype(np_dtype(key))
            q = np.floor(wide(p)).astype(np.int64)
            f1, f2, cell = np.zeros(n), np.zeros(n), np.zeros(n, np.int64)
            for k in range(n):
                d = []
                for i in range(3):
                    for j in range(3):
                        a, b = int(q[k, 0]) + i - 1, int(q[k, 1]) + j - 1
                        g = (a*374761393 + b*668265263) % 2**32
                        g = (g ^ g >> 13)*1274126177 % 2**32
                        d.append((a + (g & 255)/256 - wide(p)[k, 0])**2 + (b + (g >> 8 & 255)/256 - wide(p)[k, 1])**2)
                cell[k] = int(np.argmin(d))
                f1[k], f2[k] = np.sqrt(min(d)), np.sqrt(min(d[:cell[k]] + d[cell[k] + 1:]))
            yield dict(op='worley_noise', key=key, inputs=[p], want=[f1, f2, cell], dtypes=[key, key, 'i64'], tol=[tol(ulp=4), tol(ulp=4), EXACT])
        for lead, n in [((), 4), ((3,), 17), ((2, 1), 9), ((0,), 5)]:
            x = rand(rng, lead + (n,), key, -1, 1)
            y = (wide(x)*.5 + rng.uniform(-1, 1, lead + (n,))).astype(np_dtype(key))
            def corr(a, b):
                a, b = a - a.mean(-1, keepdims=True), b - b.mean(-1, keepdims=True)
                return (a*b).sum(-1)/np.sqrt((a*a).sum(-1)*(b*b).sum(-1))
            r = np.stack([corr(np.delete(wide(x), i, -1), np.delete(wide(y), i, -1)) for i in range(n)], -1)
            yield dict(op='jackknife', key=key, inputs=[x, y], want=[corr(wide(x), wide(y)), np.sqrt((n - 1)/n*((r - r.mean(-1, keepdims=True))**2).sum(-1))], tol=tol(ulp=8, acc=1000*n, mag=4.))
    for n, letters in [(0, 6), (1, 1), (9, 6), (17, 12)]:
        p = np.stack([rng.uniform(-90, 90, n), rng.uniform(-180, 180, n)], 1)
        al, y = b'0123456789bcdefghjkmnpqrstuvwxyz', np.zeros((n, letters), np.uint8)
        for i in range(n):
            u = [min(int((p[i, 0] + 90)/180*2**30), 2**30 - 1), min(int((p[i, 1] + 180)/360*2**30), 2**30 - 1)]
            for l in range(letters):
                v = 0
                for b in range(5):
                    k = 5*l + b
                    v = 2*v + (u[1 - k % 2] >> 29 - k//2 & 1)
                y[i, l] = al[v]
        yield dict(op='geohash', key='f64', inputs=[p], attrs={'letters': letters}, want=[y], dtypes=['u8'], tol=EXACT)
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for b, n in [(1, 2), (3, 17), (0, 3)]:
            ang, sh = rng.uniform(-2, 2, b), rng.uniform(-1, 1, (b, 2))
            a = rand(rng, (b, n, 2), key)
            rot = np.stack([np.stack([np.cos(ang), -np.sin(ang)], -1), np.stack([np.sin(ang), np.cos(ang)], -1)], -2)
            c = (np.einsum('bij,bnj->bni', rot, wide(a)) + sh[:, None]).astype(np_dtype(key))
            for w in (None, rand(rng, (b, n), key, .5, 2)):
                ww = np.ones((b, n)) if w is None else wide(w)
                A, C = wide(a), wide(c)
                z = ww.sum(1)[:, None]
                ma, mc = (ww[..., None]*A).sum(1)/z, (ww[..., None]*C).sum(1)/z
                da, dc = A - ma[:, None], C - mc[:, None]
                th = np.arctan2((ww*(da[..., 0]*dc[..., 1] - da[..., 1]*dc[..., 0])).sum(1), (ww[..., None]*da*dc).sum((1, 2)))
                s = np.stack([mc[:, 0] - np.cos(th)*ma[:, 0] + np.sin(th)*ma[:, 1], mc[:, 1] - np.cos(th)*ma[:, 1] - np.sin(th)*ma[:, 0]], 1)
                yield dict(op='kabsch_flat', key=key, inputs=[a, c, w], want=[th, s], tol=tol(ulp=4, acc=400, mid=4, mag=4.))
    for key in ('f32', 'f64', 'i32', 'u8'):
        for r, n, m in [(1, 1, 1), (3, 5, 9), (2, 17, 4), (1, 0, 3)]:
            x, y = rand(rng, (r, n), key, 0, 9), rand(rng, (r, m), key, 0, 9)
            if key[0] == 'f':
                x, y = np.round(x), np.round(y)
            st, ti = np.zeros(r), np.zeros(r, np.int64)
            for i in range(r):
                st[i] = sum((wide(x)[i, :, None] > wide(y)[i]).ravel()) + .5*sum((wide(x)[i, :, None] == wide(y)[i]).ravel())
                c = np.unique(np.concatenate([x[i], y[i]]), return_counts=True)[1]
                ti[i] = (c**3 - c).sum()
            yield dict(op='mann_whitney', key=key, inputs=[x, y], want=[st, ti], dtypes=['f64', 'i64'], tol=EXACT)
    for n, d in [(1, 3), (5, 17), (17, 33)]:
        w, u = rng.integers(1, 9, n).astype(float), rng.uniform(0, 1, d)
        p, al, open_ = w*n/w.sum(), np.arange(n), np.ones(n, bool)
        for _ in range(n):
            lo = [i for i in range(n) if open_[i] and p[i] < 1]
            hi = [i for i in range(n) if open_[i] and p[i] >= 1]
            if lo and hi:
                p[hi[0]] += p[lo[0]] - 1
                open_[lo[0]], al[lo[0]] = False, hi[0]
        p[open_] = 1
        i = np.floor(u*n).astype(int)
        yield dict(op='alias_tables', key='f64', inputs=[w, u], want=[p, al, np.where(u*n - i < p[i], i, al[i])], dtypes=['f64', 'i64', 'i64'], tol=[tol(ulp=4, acc=50, mag=9.), EXACT, EXACT])
    for key in available('f32', 'i8', 'u16', 'i64', 'f16', 'f64'):
        for shape in [(1,), (5,), (3, 17), (2, 3, 33), (4, 1, 2, 5)]:
            x = rand(rng, shape, key, -50, 50)
            for far in ([1]*len(shape), [0] + [2]*(len(shape) - 1)):
                if any(f >= max(s, 2) for f, s in zip(far, shape)):
                    continue
                up, dn = x, x
                for k, (f, s) in enumerate(zip(far, shape)):
                    i = np.arange(s) + f
                    i = np.where(i < s, i, 2*(s - 1) - i) if s > 1 else 0*i
                    j = np.arange(s) - f
                    j = np.where(j < 0, -1 - j, j)
                    if s == 1:
                        j = 0*j
                    up, dn = np.take(up, i, k), np.take(dn, j, k)
                yield dict(op='stencil_of_any_rank', key=key, inputs=[x], attrs={'far': far}, want=[up, dn, x > np.maximum(up, dn)], dtypes=[key, key, 'bool'], tol=EXACT)
    for h, b in [(1, 1), (3, 2), (2, 5), (0, 3), (4, 0)]:
        x = np.clip(rng.integers(90, 110, (h, b, 1)) + rng.integers(-3, 4, (h, b, 8)), 0, 255).reshape(h, 8*b).astype(np.uint8)
        p, y = x.astype(int), x.astype(int)
        for i in range(h):
            for q in range(8, 8*b, 8):
                l1, l0, r0, r1 = p[i, q - 2:q + 2]
                if abs(l0 - r0) < 20 and abs(l1 - l0) < 6 and abs(r1 - r0) < 6:
                    d = int(np.clip((4*(r0 - l0) + l1 - r1 + 4)//8, -4, 4))
                    y[i, q - 1] += d
                    y[i, q] -= d
        yield dict(op='deblocked', key='u8', inputs=[x], want=[np.clip(y, 0, 255).astype(np.uint8)], tol=EXACT)
    for key in ('u8', 'i32'):
        for h, w in [(1, 1), (5, 9), (16, 33), (0, 3)]:
            x = rng.integers(0, 6, (h, w)).astype(np_dtype(key))
            n, c, v, box = np.zeros(4, np.int64), np.full((4, 2), -1.), np.zeros(4), np.zeros((4, 4), np.int64)
            for l in range(4):
                yy, xx = np.nonzero(x == l)
                n[l] = len(yy)
                if len(yy):
                    c[l] = yy.mean(), xx.mean()
                    v[l] = (xx*yy).mean() - c[l, 0]*c[l, 1]
                    box[l] = yy.min(), xx.min(), yy.max(), xx.max()
            yield dict(op='label_moments', key=key, inputs=[x], want=[n, c, v, box], dtypes=['i64', 'f64', 'f64', 'i64'], tol=[EXACT, tol(ulp=2), tol(ulp=4, acc=16, mag=600.), EXACT])

BAD = [
    dict(why='a window that is longer than what is left', text='''ops:
  - op: wrong
    types: {T: float}
    attrs: {w: int = 3}
    require: [w >= 1]
    in: {X: "T[N]"}
    let: {O: N - w + 2}
    out: {Y: "T[O]"}
    index: {k: w}
    body: Y[o] = sum[k](X[«o + k»])
'''),
    dict(why='a recurrence that reads the element of another row at the same time', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[N, C]", P: "i32[C]"}
    out: {Y: "T[N, C]"}
    body: Y[n,c] = X[n,c] + padded(«Y[n,P[c]]», 0)
'''),
    dict(why='two recurrences that need each other, with a call between', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[N, C]"}
    out: {Y: "T[N, C]"}
    body: |
      a[n,c] = X[n,c] + padded(«b»[n - 1,c], 0)
      s = softmax(X, axis=-1)
      b[n,c] = a[n,c]*s[n,c]
      Y[n,c] = b[n,c]
'''),
    dict(why='a real number as an index', text='''ops:
  - op: wrong
    types: {T: [f32, f64]}
    in: {X: "T[N]", P: "T[M]"}
    require: [N >= 1]
    out: {Y: "T[M]"}
    body: Y[m] = X[«P[m] % 4»]
'''),
    dict(why='a sum of a truth value and a float', text='''ops:
  - op: wrong
    types: {T: [f32, f64]}
    in: {X: "T[N]", M: "bool[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = «X[n] + M[n]»
'''),
    dict(why='f32 beside f64', text='''ops:
  - op: wrong
    in: {X: "f32[N]", Z: "f64[N]"}
    out: {Y: "f64[N]"}
    body: Y[n] = «X[n]*Z[n]»
'''),
    dict(why='an output that a statement leaves half undefined', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[N, M]"}
    out: {Y: "T[N, M]"}
    body: Y[n,«n»] = X[n,n]
'''),
    dict(why='an output that is defined twice', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: |
      Y[n] = X[n]
      «Y»[n] = 2*X[n]
'''),
    dict(why='an update of what nothing defined, that reads itself', text='''ops:
  - op: wrong
    types: {T: float, I: index}
    in: {X: "T[N]", Ix: "I[N]"}
    let: {K: 4}
    out: {Y: "T[K]"}
    body: Y[wrap(Ix[n], K)] += X[n]*«Y[n % 4]»
'''),
    dict(why='an extent that two statements define', text='''ops:
  - op: wrong
    types: {T: real}
    in: {X: "T[N]"}
    let: {M: upto(N)}
    out: {Y: "T[M]"}
    body: |
      M = sum[n](X[n] > 0)
      «M» = sum[n](X[n] > 1)
      Y[m] = X[m]
'''),
    dict(why='an extent of data that is used before it is known', text='''ops:
  - op: wrong
    types: {T: real}
    in: {X: "T[N]"}
    let: {M: upto(N)}
    out: {Y: "T[M]"}
    body: |
      Y[«m»] = X[m]
      M = sum[n](X[n] > 0)
'''),
    dict(why='a range from data over what nothing indexes', text='''ops:
  - op: wrong
    types: {T: real, I: index}
    in: {X: "T[N]", Ptr: "I[P]"}
    require: [P >= 1]
    let: {M: P - 1}
    out: {Y: "T[M]"}
    body: Y[m] = sum[«e» in Ptr[m] .. Ptr[m + 1]](X[0])
'''),
    dict(why='the complex type of an integer', text='''ops:
  - op: wrong
    types: {T: [i32, f32]}
    in: {X: "T[N]"}
    out: {Y: «"complex(T)[N]"»}
    body: Y[n] = X[n]
'''),
    dict(why='a type variable of no tensor', text='''ops:
  - op: wrong
    types: {T: float, «U»: int}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = X[n]
'''),
    dict(why='a list that is longer than its declared length', text='''ops:
  - op: wrong
    types: {T: float}
    attrs: {taps: "float[3]"}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = X[n]*taps[«3»]
'''),
    dict(why='a fold whose accumulator is a tensor', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[N, K]", A: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = fold[k](«A = 0», A + X[n,k]) + A[n]
'''),
    dict(why='a call of an op with an attribute it has not', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[N, M]"}
    out: {Y: "T[N, M]"}
    body: Y = softmax(X, «axes»=1)
'''),
    dict(why='a call with an argument too many', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[N, M]"}
    out: {Y: "T[N, M]"}
    body: Y = «softmax(X, X)»
'''),
    dict(why='a call of nothing known', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[N, M]"}
    out: {Y: "T[N, M]"}
    body: Y = «softmaxx»(X)
'''),
    dict(why='an element of a result that has fewer dims', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[N, M]"}
    out: {Y: "T[N, M]"}
    body: |
      s, at = topk(X, k=3, axis=-1)
      Y[n,m] = X[n,m] + «s[n]»
'''),
    dict(why='a require of data', text='''ops:
  - op: wrong
    types: {T: real}
    in: {X: "T[N]"}
    require: ["«X[0]» > 0"]
    out: {Y: "T[N]"}
    body: Y[n] = X[n]
'''),
    dict(why='a division of sizes by what may be zero', text='''ops:
  - op: wrong
    types: {T: real}
    in: {X: "T[N]", Z: "T[M]"}
    out: {Y: "T[N]"}
    body: Y[n] = X[n] + Z[«n*M//N»]
'''),
    dict(why='an optional input without its substitute', text='''ops:
  - op: wrong
    types: {T: real}
    in:
      X: T[N]
      B?: T[N]
    out:
      Y: T[N]
    body: Y[n] = X[n] + «B[n]»
'''),
    dict(why='an update with a condition that reads a variable of nothing', text='''ops:
  - op: wrong
    types: {T: real}
    in: {X: "T[N]"}
    let: {K: 3}
    out: {Y: "T[K]"}
    body: Y[n % 3] += X[n] where «z» > 2
'''),
    dict(why='bits of a type of another width', text='''ops:
  - op: wrong
    in: {X: "f32[N]"}
    out: {Y: "u64[N]"}
    body: Y[n] = «bits(X[n], u64)»
'''),
    dict(why='max_at with one name', text='''ops:
  - op: wrong
    types: {T: real}
    in: {X: "T[N, K]"}
    out: {Y: "T[N]"}
    body: Y[n] = «max_at[k](X[n,k])»
'''),
    dict(why='a table that is read too early', text='''ops:
  - op: wrong
    tables:
      A: {type: "i32[4]", of: [k], values: "«B[k]» + 1"}
      B: {type: "i32[4]", values: [1, 2, 3, 4]}
    in: {X: "i32[4]"}
    out: {Y: "i32[4]"}
    body: Y[n] = X[n] + A[n]
'''),
    dict(why='a value of a table that its type has not', text='''ops:
  - op: wrong
    tables:
      A: {type: "u8[4]", values: [1, 2, «300», 4]}
    in: {X: "i32[4]"}
    out: {Y: "i32[4]"}
    body: Y[n] = X[n] + A[n]
'''),
    dict(why='a pack beside a single index', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[*P, N]"}
    out: {Y: "T[*P, N]"}
    body: Y[*p,n] = X[*p,n] + X[«n»,*p]
'''),
    dict(why='parts in the wrong number', text='''ops:
  - op: wrong
    types: {T: float}
    attrs: {g: int = 2}
    require: [g >= 1]
    in: {X: "T[(g C), N]"}
    out: {Y: "T[(g C), N]"}
    body: Y[(a c),n] = X[«(a c n)»,n]
'''),
    dict(why='a shift of a float', text='''ops:
  - op: wrong
    types: {T: [f32]}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = «shl(X[n], 2)»
'''),
    dict(why='a name with a letter wrong', text='''ops:
  - op: wrong
    types: {T: float}
    attrs: {alpha: float = 1}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = «alhpa»*X[n]
'''),
    dict(why='the same name for an input and a let', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[N]"}
    let: {«X»: N + 1}
    out: {Y: "T[N]"}
    body: Y[n] = X[n]
'''),
    dict(why='lets that need each other', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[N]"}
    let: {A: «B» + 1, B: A + 1}
    out: {Y: "T[A]"}
    body: Y[a] = X[0]
'''),
    dict(why='an order in which no element is first', text='''ops:
  - op: wrong
    types: {T: float}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[n] = X[n] + padded(Y[n - 1], 0) + padded(«Y[n + 1]», 0)
'''),
]
