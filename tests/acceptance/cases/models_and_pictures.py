"""Language models, quantisers, vision, statistics."""
import numpy as np

from casekit import EXACT, available, rand, softmax, tol, wide

OPS = [r'''
ops:
  - op: paged_attention
    types: {T: [f32, f64]}
    in: {Q: "T[B, H, D]", K: "T[Pages, S, G, D]", V: "T[Pages, S, G, D]", Table: "i32[B, W]", Len: "i64[B]"}
    let: {J: "W*S"}
    require: [H % G == 0, S >= 1, G >= 1, W >= 1]
    index: {j: J}
    out: {Y: "T[B, H, D]"}
    body: |
      s[b,h,j] = sum[d](Q[b,h,d]*K[wrap(Table[b,j//S], Pages),j % S,h*G//H,d])*rsqrt(cast(D, T))
      m[b,h] = max[j : j < Len[b]](s[b,h,j])
      z[b,h] = sum[j : j < Len[b]](exp(s[b,h,j] - m[b,h]))
      Y[b,h,d] = sum[j : j < Len[b]](exp(s[b,h,j] - m[b,h])*V[wrap(Table[b,j//S], Pages),j % S,h*G//H,d])/z[b,h]
''', r'''
ops:
  - op: window_attention
    types: {T: float}
    attrs: {window: int = 3}
    in: {Q: "T[B, L, D]", K: "T[B, L, D]", V: "T[B, L, E]"}
    require: [window >= 1]
    out: {Y: "T[B, L, E]"}
    body: |
      s[b,i,j] = sum[d](Q[b,i,d]*K[b,j,d])
      m[b,i] = max[j : i - window < j and j <= i](s[b,i,j])
      z[b,i] = sum[j : i - window < j and j <= i](exp(s[b,i,j] - m[b,i]))
      Y[b,i,e] = sum[j : i - window < j and j <= i](exp(s[b,i,j] - m[b,i])*V[b,j,e])/z[b,i]
''', r'''
ops:
  - op: cache_append
    types: {T: any, I: index}
    in: {Cache: "T[B, S, D]", New: "T[B, D]", Pos: "I[B]"}
    out: {Y: "T[B, S, D]"}
    body: |
      Y[b,s,d] = Cache[b,s,d]
      Y[b,wrap(Pos[b], S),d] last= New[b,d] where Pos[b] >= 0
''', r'''
ops:
  - op: beam_step
    types: {T: [f32, f64]}
    attrs: {k: int = 3}
    in: {Score: "T[B, W]", Logp: "T[B, W, V]"}
    require: [k >= 1, k <= V, W >= 1, V >= 1]
    let: {K: k, N: W*V}
    out: {S: "T[B, K]", Beam: "i64[B, K]", Token: "i64[B, K]"}
    index: {n: N}
    body: |
      flat[b,n] = Score[b,n//V] + Logp[b,n//V,n % V]
      v, at = topk(flat, k=k)
      S[b,i] = v[b,i]
      Beam[b,i] = at[b,i]//V
      Token[b,i] = at[b,i] % V
''', r'''
ops:
  - op: nucleus
    types: {T: [f32, f64]}
    attrs: {p: float = 0.75}
    in: {P: "T[B, V]"}
    out: {Y: "T[B, V]"}
    body: |
      s, at = sort(P, axis=-1, descending=true)
      before[b,k] = sum[j : j < k](s[b,j])
      keep[b,v] = 0
      keep[b,wrap(at[b,k], V)] max= select(before[b,k] < p, 1, 0)
      z[b] = sum[v](select(keep[b,v] == 1, P[b,v], 0))
      Y[b,v] = select(keep[b,v] == 1, P[b,v], 0)/z[b]
''', r'''
ops:
  - op: repetition_penalty
    types: {T: float, I: index}
    attrs: {alpha: float = 2}
    in: {X: "T[B, V]", Seen: "I[B, L]"}
    out: {Y: "T[B, V]"}
    body: |
      n[b,v] = 0
      n[b,wrap(Seen[b,l], V)] += 1 where Seen[b,l] >= 0
      Y[b,v] = select(n[b,v] > 0, select(X[b,v] > 0, X[b,v]/alpha, X[b,v]*alpha), X[b,v])
''', r'''
ops:
  - op: bigram_counts
    types: {I: index}
    attrs: {vocabulary: int = 4}
    in: {X: "I[*P, N]"}
    let: {V: vocabulary}
    require: [vocabulary >= 1]
    index: {a: V, b: V}
    out: {C: "i32[V, V]"}
    body: |
      C[a,b] = sum[*p,n : n > 0](select(X[*p,n] == b and padded(X[*p,n - 1], 0) == a, 1, 0))
''', r'''
ops:
  - op: accepted_length
    types: {I: index}
    in: {Draft: "I[B, K]", Target: "I[B, K]"}
    out: {N: "i64[B]", M: "i64[B]"}
    body: |
      ok[b,k] = all[j : j <= k](Draft[b,j] == Target[b,j])
      N[b] = sum[k](cast(ok[b,k], i64))
      run[b,k] = select(Draft[b,k] == Target[b,k], padded(run[b,k - 1], 1), 0)
      M[b] = sum[k](run[b,k])
''', r'''
ops:
  - op: expert_mix
    types: {T: [f32, f64]}
    attrs: {k: int = 2}
    in: {X: "T[N, D]", G: "T[N, E]", W: "T[E, D, F]"}
    require: [k >= 1, k <= E]
    out: {Y: "T[N, F]"}
    body: |
      v, at = topk(G, k=k)
      m[n] = max[i](v[n,i])
      z[n] = sum[i](exp(v[n,i] - m[n]))
      Y[n,f] = sum[i](exp(v[n,i] - m[n])/z[n]*sum[d](X[n,d]*W[wrap(at[n,i], E),d,f]))
''', r'''
ops:
  - op: nf4_product
    types: {T: [f32]}
    tables: {Code: {type: "T[16]", values: [-1, -0.6961928, -0.5250731, -0.3949175, -0.2844414, -0.1847734, -0.0910500, 0, 0.0795803, 0.1609302, 0.2461123, 0.3379152, 0.4407098, 0.5626170, 0.7229568, 1]}}
    in: {Q: "u8[N, (G Half)]", Scale: "T[N, G]", X: "T[M, (G Half 2)]"}
    index: {h: 2}
    out: {Y: "T[M, N]"}
    body: |
      Y[m,n] = sum[g,k,h](X[m,(g k h)]*Code[bit_and(shr(Q[n,(g k)], 4*(1 - h)), 15)]*Scale[n,g])
''', r'''
ops:
  - op: product_codes
    types: {T: [f32, f64]}
    in: {X: "T[N, (S D)]", C: "T[S, K, D]"}
    require: [K >= 1]
    out: {I: "i32[N, S]", E: "T[N, S]"}
    body: |
      d[n,s,k] = sum[j](sq(X[n,(s j)] - C[s,k,j]))
      E[n,s], at[n,s] = min_at[k](d[n,s,k])
      I[n,s] = cast(at[n,s], i32)
''', r'''
ops:
  - op: fake_quant
    types: {T: float}
    attrs: {bits: int = 4, axis: int = 0}
    in: {X: "T[*P, C@axis, *Q]"}
    require: [bits >= 2, bits <= 8]
    out: {Y: "T[*P, C, *Q]", S: "T[C]"}
    body: |
      a[c] = max[*p,*q](abs(X[*p,c,*q]))
      s[c] = max(a[c], 1e-6)/cast(shl(1, bits - 1) - 1, T)
      S[c] = s[c]
      Y[*p,c,*q] = clamp(round(X[*p,c,*q]/s[c]), -cast(shl(1, bits - 1), T), cast(shl(1, bits - 1) - 1, T))*s[c]
''', r'''
ops:
  - op: stochastic_round
    types: {T: [f32, f64]}
    attrs: {seed: u64 = 7}
    in: {X: "T[*S]"}
    out: {Y: "i32[*S]"}
    body: Y[*s] = cast(floor(X[*s] + u01(philox(seed, lin(*s), 0))), i32)
''', r'''
ops:
  - op: hough
    types: {B: [bool]}
    attrs: {angles: int = 8}
    in: {X: "B[H, W]"}
    let: {R: 2*(H + W) + 1, A: angles}
    require: [angles >= 1]
    index: {a: A, r: R}
    out: {Acc: "i32[A, R]"}
    body: |
      Acc[a,r] = 0
      Acc[a,wrap(cast(round(cast(x, f64)*cos(3.141592653589793*a/A) + cast(y, f64)*sin(3.141592653589793*a/A)), i64) + H + W, R)] += 1 where X[y,x]
''', r'''
ops:
  - op: canny_thin
    types: {T: [f32, f64]}
    in: {X: "T[H, W]"}
    out: {Y: "T[H, W]"}
    body: |
      gx[y,x] = padded(X[y,x + 1], 0) - padded(X[y,x - 1], 0)
      gy[y,x] = padded(X[y + 1,x], 0) - padded(X[y - 1,x], 0)
      m[y,x] = sqrt(sq(gx[y,x]) + sq(gy[y,x]))
      d[y,x] = select(abs(gx[y,x]) >= abs(gy[y,x]), 1, 0)
      Y[y,x] = select(m[y,x] >= select(d[y,x] == 1, padded(m[y,x - 1], 0), padded(m[y - 1,x], 0)) and m[y,x] > select(d[y,x] == 1, padded(m[y,x + 1], 0), padded(m[y + 1,x], 0)), m[y,x], 0)
''', r'''
ops:
  - op: block_match
    types: {I: [u8, i32]}
    attrs: {most: int = 4, r: int = 1}
    in: {L: "I[H, W]", R: "I[H, W]"}
    require: [most >= 1, r >= 0]
    let: {D: most, K: 2*r + 1}
    index: {d: D, i: K, j: K}
    out: {Disp: "i32[H, W]", Cost: "i32[H, W]"}
    body: |
      a[d,y,x] = abs(cast(L[y,x], i32) - cast(padded(R[y,x - d], 0), i32))
      c[d,y,x] = sum[i,j](padded(a[d,y + i - r,x + j - r], 0))
      Cost[y,x], at[y,x] = min_at[d](c[d,y,x])
      Disp[y,x] = cast(at[y,x], i32)
''', r'''
ops:
  - op: equalised
    types: {I: [u8]}
    in: {X: "I[H, W]"}
    require: [H >= 1, W >= 1]
    index: {g: 256}
    out: {Y: "I[H, W]"}
    body: |
      h[g] = 0
      h[X[y,x]] += 1
      c[g] = sum[j : j <= g](h[j])
      low[] = min[g : h[g] > 0](c[g])
      Y[y,x] = cast(round(255*cast(c[X[y,x]] - low[], f32)/cast(max(H*W - low[], 1), f32)), u8)
''', r'''
ops:
  - op: otsu
    types: {I: [u8]}
    in: {X: "I[*S]"}
    index: {g: 256}
    out: {T0: "i64[]"}
    body: |
      h[g] = cast(0, f64)
      h[X[*s]] += 1.0
      w[g] = sum[j : j <= g](h[j])
      m[g] = sum[j : j <= g](h[j]*cast(j, f64))
      v[g] = select(w[g] == 0 or w[g] == w[255], -1.0, sq(m[255]*w[g] - m[g]*w[255])/max(w[g]*(w[255] - w[g]), 1.0))
      T0[] = argmax[g](v[g])
''', r'''
ops:
  - op: binary_pattern
    types: {I: [u8, i32]}
    tables: {Dy: {type: "i64[8]", values: [-1, -1, -1, 0, 1, 1, 1, 0]}, Dx: {type: "i64[8]", values: [-1, 0, 1, 1, 1, 0, -1, -1]}}
    in: {X: "I[H, W]"}
    index: {k: 8}
    out: {Y: "u8[H, W]"}
    body: Y[y,x] = cast(bit_or[k](shl(select(padded(X[y + Dy[k],x + Dx[k]], 0) >= X[y,x], 1, 0), k)), u8)
''', r'''
ops:
  - op: guided_filter
    types: {T: [f64]}
    attrs: {r: int = 2, eps: float = 0.01}
    in: {G: "T[H, W]", P: "T[H, W]"}
    require: [r >= 0]
    out: {Q: "T[H, W]"}
    body: |
      n[y,x] = sum[i,j : y - r <= i and i <= y + r and x - r <= j and j <= x + r](1.0 + 0*G[i,j])
      mg[y,x] = sum[i,j : y - r <= i and i <= y + r and x - r <= j and j <= x + r](G[i,j])/n[y,x]
      mp[y,x] = sum[i,j : y - r <= i and i <= y + r and x - r <= j and j <= x + r](P[i,j])/n[y,x]
      gp[y,x] = sum[i,j : y - r <= i and i <= y + r and x - r <= j and j <= x + r](G[i,j]*P[i,j])/n[y,x]
      gg[y,x] = sum[i,j : y - r <= i and i <= y + r and x - r <= j and j <= x + r](sq(G[i,j]))/n[y,x]
      a[y,x] = (gp[y,x] - mg[y,x]*mp[y,x])/(gg[y,x] - sq(mg[y,x]) + eps)
      b[y,x] = mp[y,x] - a[y,x]*mg[y,x]
      Q[y,x] = sum[i,j : y - r <= i and i <= y + r and x - r <= j and j <= x + r](a[i,j])/n[y,x]*G[y,x] + sum[i,j : y - r <= i and i <= y + r and x - r <= j and j <= x + r](b[i,j])/n[y,x]
''', r'''
ops:
  - op: mandelbrot
    types: {C: [c64, c128]}
    attrs: {steps: int = 20}
    in: {Z0: "C[*S]"}
    index: {t: steps}
    require: [steps >= 1]
    out: {N: "i32[*S]"}
    body: |
      z[t,*s] = select(real(padded(z[t - 1,*s], 0)*conj(padded(z[t - 1,*s], 0))) > 4, padded(z[t - 1,*s], 0), sq(padded(z[t - 1,*s], 0)) + Z0[*s])
      N[*s] = sum[t](select(real(z[t,*s]*conj(z[t,*s])) <= 4, 1, 0))
''', r'''
fn:
  fade(t): t*t*t*(t*(6*t - 15) + 10)
  lerp(a, b, t): a + t*(b - a)
  hash(x, y): bit_xor(cast(x, u32)*374761393, cast(y, u32)*668265263)*1274126177
  grad(h, x, y): select(bit_and(shr(h, 16), 3) == 0, x + y, select(bit_and(shr(h, 16), 3) == 1, x - y, select(bit_and(shr(h, 16), 3) == 2, y - x, -x - y)))
ops:
  - op: gradient_noise
    types: {T: [f32, f64]}
    in: {P: "T[N, 2]"}
    out: {Y: "T[N]"}
    body: |
      i[n] = cast(floor(P[n,0]), i32)
      j[n] = cast(floor(P[n,1]), i32)
      u[n] = P[n,0] - floor(P[n,0])
      v[n] = P[n,1] - floor(P[n,1])
      Y[n] = lerp(lerp(grad(hash(i[n], j[n]), u[n], v[n]), grad(hash(i[n] + 1, j[n]), u[n] - 1, v[n]), fade(u[n])), lerp(grad(hash(i[n], j[n] + 1), u[n], v[n] - 1), grad(hash(i[n] + 1, j[n] + 1), u[n] - 1, v[n] - 1), fade(u[n])), fade(v[n]))
''', r'''
ops:
  - op: welford
    types: {T: [f32, f64]}
    in: {X: "T[*P, N]"}
    out: {M: "T[*P, N]", V: "T[*P, N]"}
    body: |
      M[*p,n] = padded(M[*p,n - 1], 0) + (X[*p,n] - padded(M[*p,n - 1], 0))/(n + 1)
      V[*p,n] = padded(V[*p,n - 1], 0) + (X[*p,n] - padded(M[*p,n - 1], 0))*(X[*p,n] - M[*p,n])
''', r'''
ops:
  - op: ranks
    types: {T: [f32, i32, u8]}
    in: {X: "T[M, N]"}
    out: {R: "f64[M, N]", Tau: "i64[M, M]"}
    body: |
      R[m,n] = 0.5 + sum[k](select(X[m,k] < X[m,n], 1.0, select(X[m,k] == X[m,n], 0.5, 0.0)))
      Tau[a,b] = sum[i,j : i < j](cast(select(X[a,i] < X[a,j], 1, select(X[a,i] > X[a,j], -1, 0)), i64)*cast(select(X[b,i] < X[b,j], 1, select(X[b,i] > X[b,j], -1, 0)), i64))
    index: {a: M, b: M}
''', r'''
ops:
  - op: kmeans_step
    types: {T: [f32, f64]}
    in: {X: "T[N, D]", C: "T[K, D]"}
    require: [K >= 1]
    out: {Y: "T[K, D]", A: "i64[N]"}
    body: |
      A[n] = argmin[k](sum[d](sq(X[n,d] - C[k,d])))
      s[k,d] = cast(0, T)
      s[A[n],d] += X[n,d]
      c[k] = 0
      c[A[n]] += 1
      Y[k,d] = select(c[k] > 0, s[k,d]/cast(max(c[k], 1), T), C[k,d])
''', r'''
ops:
  - op: mixture_step
    types: {T: [f64]}
    in: {X: "T[N, D]", Mu: "T[K, D]", Var: "T[K, D]", Pi: "T[K]"}
    out: {R: "T[N, K]", NewMu: "T[K, D]"}
    body: |
      l[n,k] = log(Pi[k]) - 0.5*sum[d](sq(X[n,d] - Mu[k,d])/Var[k,d] + log(6.283185307179586*Var[k,d]))
      m[n] = max[k](l[n,k])
      z[n] = sum[k](exp(l[n,k] - m[n]))
      R[n,k] = exp(l[n,k] - m[n])/z[n]
      w[k] = sum[n](R[n,k])
      NewMu[k,d] = sum[n](R[n,k]*X[n,d])/w[k]
''', r'''
ops:
  - op: bootstrap_means
    types: {T: [f32, f64]}
    attrs: {seed: u64 = 3, draws: int = 5}
    in: {X: "T[N]"}
    require: [N >= 1, draws >= 0]
    let: {R: draws}
    index: {r: R}
    out: {M: "T[R]"}
    body: M[r] = sum[n](X[clamp(cast(floor(u01(philox(seed, r*N + n, 0))*N), i64), 0, N - 1)] + 0*X[n])/N
''', r'''
ops:
  - op: row_quantiles
    types: {T: [f32, f64]}
    attrs: {q: "float[]"}
    in: {X: "T[M, N]"}
    let: {K: count(q)}
    require: [N >= 1]
    out: {Y: "T[K, M]"}
    body: |
      s, o = sort(X, axis=-1)
      Y[k,m] = s[m,clamp(cast(floor(q[k]*(N - 1)), i64), 0, N - 1)]
''', r'''
ops:
  - op: joint_histogram
    types: {I: [u8]}
    in: {A: "I[*S]", B: "I[*S]"}
    index: {a: 16, b: 16}
    out: {H: "u32[16, 16]", Mi: "f64[]"}
    body: |
      H[a,b] = 0
      H[shr(A[*s], 4),shr(B[*s], 4)] += 1
      n[] = cast(size(S), f64)
      pa[a] = sum[b](cast(H[a,b], f64))/n[]
      pb[b] = sum[a](cast(H[a,b], f64))/n[]
      Mi[] = sum[a,b](select(H[a,b] == 0, 0.0, cast(H[a,b], f64)/n[]*log(cast(max(H[a,b], 1), f64)/n[]/max(pa[a]*pb[b], 1e-300))))
''']


def np_t(key):
    return rand(np.random.default_rng(0), (1,), key).dtype


def cases(rng):
    for key in ('f32', 'f64'):
        for b, h, g, d, pages, s, w in [(1, 1, 1, 1, 1, 1, 1), (2, 4, 2, 5, 7, 3, 4), (3, 3, 1, 16, 9, 4, 3), (0, 2, 2, 3, 2, 2, 2)]:
            q, k, v = rand(rng, (b, h, d), key), rand(rng, (pages, s, g, d), key), rand(rng, (pages, s, g, d), key)
            t, n = rng.integers(0, pages, (b, w)).astype(np.int32), rng.integers(1, w*s + 1, b)
            y = np.zeros((b, h, d))
            for i in range(b):
                kk, vv = wide(k)[t[i]].reshape(w*s, g, d)[:n[i]], wide(v)[t[i]].reshape(w*s, g, d)[:n[i]]
                for j in range(h):
                    p = softmax(kk[:, j*g//h]@wide(q)[i, j]/np.sqrt(d)); y[i, j] = p@vv[:, j*g//h]
            yield dict(op='paged_attention', key=key, inputs=[q, k, v, t, n], want=[y], tol=tol(ulp=8, acc=16*(d + w*s), mag=4.0))
        for b, w, v, k in [(1, 1, 3, 3), (2, 3, 17, 3), (3, 4, 33, 5), (0, 2, 5, 2)]:
            sc, lp = rand(rng, (b, w), key), rand(rng, (b, w, v), key)
            f = (sc[:, :, None] + lp).reshape(b, w*v)
            at = np.argsort(-f, axis=1, kind='stable')[:, :k]
            yield dict(op='beam_step', key=key, inputs=[sc, lp], attrs={'k': k}, want=[np.take_along_axis(f, at, 1), at//v, at % v], dtypes=[key, 'i64', 'i64'], tol=EXACT)
        for b, v in [(1, 1), (3, 17), (2, 33), (0, 4)]:
            p = rng.integers(1, 64, (b, v))/64; p = (p/1).astype(np_t(key))
            y = np.zeros((b, v))
            for i in range(b):
                o = np.argsort(-wide(p)[i], kind='stable'); c = np.cumsum(wide(p)[i][o]) - wide(p)[i][o]; keep = o[c < 0.75]; y[i, keep] = wide(p)[i, keep]; y[i] /= y[i].sum()
            yield dict(op='nucleus', key=key, inputs=[p], want=[y], tol=tol(ulp=4, acc=v + 4))
        for n, d, e, f, k in [(1, 1, 1, 1, 1), (5, 7, 4, 17, 2), (16, 9, 5, 3, 5), (0, 2, 3, 4, 1)]:
            x, g, w = rand(rng, (n, d), key), rand(rng, (n, e), key), rand(rng, (e, d, f), key)
            y = np.zeros((n, f))
            for i in range(n):
                o = np.argsort(-wide(g)[i], kind='stable')[:k]; p = softmax(wide(g)[i][o])
                y[i] = sum(p[q]*(wide(x)[i]@wide(w)[o[q]]) for q in range(k))
            yield dict(op='expert_mix', key=key, inputs=[x, g, w], attrs={'k': k}, want=[y], tol=tol(ulp=4, acc=16*(d + k), mag=4.0*d))
        for n, s, d, k in [(1, 1, 1, 1), (17, 3, 4, 9), (5, 2, 16, 33), (0, 2, 2, 2)]:
            x, c = rng.integers(-9, 9, (n, s*d)).astype(np_t(key)), rng.integers(-9, 9, (s, k, d)).astype(np_t(key))
            dd = ((wide(x).reshape(n, s, 1, d) - wide(c)[None])**2).sum(-1)
            yield dict(op='product_codes', key=key, inputs=[x, c], want=[dd.argmin(-1).astype(np.int32), dd.min(-1)], dtypes=['i32', key], tol=EXACT)
        for h, w in [(1, 1), (5, 7), (17, 33), (0, 3)]:
            x = rng.integers(-9, 9, (h, w)).astype(np_t(key))
            p = np.pad(wide(x), 1); gx, gy = p[1:-1, 2:] - p[1:-1, :-2], p[2:, 1:-1] - p[:-2, 1:-1]
            m = np.sqrt((gx**2 + gy**2).astype(np_t(key))).astype(float)
            pm = np.pad(m, 1); hor = np.abs(gx) >= np.abs(gy)
            a, c = np.where(hor, pm[1:-1, :-2], pm[:-2, 1:-1]), np.where(hor, pm[1:-1, 2:], pm[2:, 1:-1])
            yield dict(op='canny_thin', key=key, inputs=[x], want=[np.where((m >= a) & (m > c), m, 0)], tol=tol(ulp=1))
        for shape in [(1,), (17,), (3, 33), (2, 0), (2, 3, 5)]:
            x = rand(rng, shape, key)
            n = np.arange(1, shape[-1] + 1)
            m = np.cumsum(wide(x), -1)/n
            v = np.cumsum(wide(x)**2, -1) - n*m**2
            yield dict(op='welford', key=key, inputs=[x], want=[m, v], tol=tol(ulp=8, acc=16*shape[-1] + 16, mag=8.0*shape[-1] + 8))
            yield dict(op='stochastic_round', key=key, inputs=[np.trunc(x)], want=[np.trunc(x).astype(np.int32)], dtypes=['i32'], tol=EXACT)
        for n, d, k in [(1, 1, 1), (17, 3, 4), (33, 5, 1), (0, 2, 3), (100, 16, 7)]:
            x, c = rng.integers(-9, 9, (n, d)).astype(np_t(key)), rng.integers(-9, 9, (k, d)).astype(np_t(key))
            a = ((wide(x)[:, None] - wide(c)[None])**2).sum(-1).argmin(1) if n else np.zeros(0, np.int64)
            y = np.array([wide(x)[a == i].mean(0) if (a == i).any() else wide(c)[i] for i in range(k)]).reshape(k, d)
            yield dict(op='kmeans_step', key=key, inputs=[x, c], want=[y, a.astype(np.int64)], dtypes=[key, 'i64'], tol=[tol(ulp=4, acc=n + 4, mag=10.0), EXACT])
        for n in (1, 17):
            x = np.full(n, 1.5, np_t(key))
            yield dict(op='bootstrap_means', key=key, inputs=[x], want=[np.full(5, 1.5)], tol=tol(ulp=4, acc=n))
        for m, n in [(1, 1), (3, 17), (5, 33), (0, 3)]:
            x = rand(rng, (m, n), key)
            q = [0.0, 0.25, 0.5, 1.0]
            yield dict(op='row_quantiles', key=key, inputs=[x], attrs={'q': q}, want=[np.array([np.sort(x, 1)[:, int(np.floor(t*(n - 1)))] for t in q]).reshape(4, m)], tol=EXACT)
        for n in (1, 17, 33, 0):
            p = rand(rng, (n, 2), key, -20, 20)
            def noise(p):
                i, u = np.floor(p).astype(int), p - np.floor(p)
                h = lambda a, b: (((a*374761393 & 0xffffffff) ^ (b*668265263 & 0xffffffff))*1274126177 & 0xffffffff)
                def gr(h, x, y): return (x + y, x - y, y - x, -x - y)[h >> 16 & 3]
                f = lambda t: t*t*t*(t*(6*t - 15) + 10)
                l = lambda a, b, t: a + t*(b - a)
                (a, b), (x, y) = map(int, i), map(float, u)
                return l(l(gr(h(a, b), x, y), gr(h(a + 1, b), x - 1, y), f(x)), l(gr(h(a, b + 1), x, y - 1), gr(h(a + 1, b + 1), x - 1, y - 1), f(x)), f(y))
            yield dict(op='gradient_noise', key=key, inputs=[p], want=[np.array([noise(q) for q in wide(p)])], tol=tol(ulp=8, acc=400, mag=2.0))
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for b, l, d, e in [(1, 1, 1, 1), (2, 17, 5, 9), (1, 33, 16, 16), (0, 3, 2, 2), (2, 0, 3, 3)]:
            q, k, v = rand(rng, (b, l, d), key, -1, 1), rand(rng, (b, l, d), key, -1, 1), rand(rng, (b, l, e), key)
            for win in (1, 3, 100):
                s = wide(q)@wide(k).transpose(0, 2, 1)
                i, j = np.ogrid[:l, :l]
                s = np.where((j <= i) & (j > i - win), s, -np.inf)
                yield dict(op='window_attention', key=key, inputs=[q, k, v], attrs={'window': win}, want=[softmax(s)@wide(v) if l else np.zeros((b, 0, e))], tol=tol(ulp=4, acc=32*(d + l) + 64, mid=2, mag=2.0))
        for s, axis in [((1,), 0), ((17, 5), 0), ((5, 33), 1), ((2, 7, 3), 1), ((0, 4), 1)]:
            x = rand(rng, s, key)
            other = tuple(i for i in range(len(s)) if i != axis)
            a = np.abs(wide(x)).max(other, initial=0) if other else np.abs(wide(x))
            if key == 'f64':
                sc = np.maximum(a, 1e-6)/7
                sh = [1]*len(s); sh[axis] = -1
                yield dict(op='fake_quant', key=key, inputs=[x], attrs={'axis': axis}, want=[np.clip(np.round(wide(x)/sc.reshape(sh)), -8, 7)*sc.reshape(sh), sc], tol=tol(ulp=8))
        for b, v, l in [(1, 1, 1), (3, 17, 9), (2, 5, 0)]:
            x = rand(rng, (b, v), key)
            for t in (np.int32, np.int64):
                seen = rng.integers(-1, v, (b, l)).astype(t)
                y = wide(x).copy()
                for i in range(b):
                    for c in set(seen[i].tolist()) - {-1}:
                        y[i, c] = y[i, c]/2 if y[i, c] > 0 else y[i, c]*2
                yield dict(op='repetition_penalty', key=key, inputs=[x, seen], want=[y], tol=tol(ulp=1))
    for key in ('f32', 'u8', 'bool', 'i64', *available('bf16')):
        for b, s, d in [(1, 1, 1), (3, 5, 17), (2, 4, 0)]:
            c, n, p = rand(rng, (b, s, d), key), rand(rng, (b, d), key), rng.integers(-1, s, b)
            y = c.copy()
            for i in range(b):
                if p[i] >= 0: y[i, p[i]] = n[i]
            yield dict(op='cache_append', key=key, inputs=[c, n, p], want=[y], tol=EXACT)
    for t, key in ((np.int32, 'i32'), (np.int64, 'i64')):
        for shape in [(1,), (33,), (3, 17), (2, 0), (2, 3, 5)]:
            x = rng.integers(0, 4, shape).astype(t)
            c = np.zeros((4, 4), np.int32)
            if x.size: np.add.at(c, (x[..., :-1].ravel(), x[..., 1:].ravel()), 1)
            yield dict(op='bigram_counts', key=key, inputs=[x], want=[c], dtypes=['i32'], tol=EXACT)
        for b, k in [(1, 1), (17, 5), (3, 0), (9, 33)]:
            d = rng.integers(0, 2, (b, k)).astype(t); g = np.where(rng.random((b, k)) < .8, d, 1 - d).astype(t)
            n = np.cumprod(d == g, 1).sum(1)
            yield dict(op='accepted_length', key=key, inputs=[d, g], want=[n, n], dtypes=['i64', 'i64'], tol=EXACT)
    code = np.array([-1, -0.6961928, -0.5250731, -0.3949175, -0.2844414, -0.1847734, -0.0910500, 0, 0.0795803, 0.1609302, 0.2461123, 0.3379152, 0.4407098, 0.5626170, 0.7229568, 1])
    for m, n, g, half in [(1, 1, 1, 1), (3, 17, 2, 8), (16, 5, 3, 16), (2, 3, 3, 0)]:
        q, sc, x = rng.integers(0, 256, (n, g*half)).astype(np.uint8), rand(rng, (n, g), 'f32'), rand(rng, (m, g*half*2), 'f32')
        w = np.stack([code[q >> 4], code[q & 15]], -1).reshape(n, g, half*2)*wide(sc)[:, :, None]
        yield dict(op='nf4_product', key='f32', inputs=[q, sc, x], want=[wide(x)@w.reshape(n, -1).T], tol=tol(ulp=2, acc=4*g*half + 8, mag=np.abs(wide(x))@np.abs(w.reshape(n, -1)).T))
    for h, w in [(1, 1), (5, 7), (9, 17), (0, 3)]:
        x = rng.random((h, w)) < .3
        acc = np.zeros((8, 2*(h + w) + 1), np.int32)
        for y, c in np.argwhere(x):
            for a in range(8):
                acc[a, int(np.rint(c*np.cos(np.pi*a/8) + y*np.sin(np.pi*a/8))) + h + w] += 1
        yield dict(op='hough', key='bool', inputs=[x], want=[acc], dtypes=['i32'], tol=EXACT)
    for key in ('u8', 'i32'):
        for h, w in [(1, 1), (5, 7), (9, 33), (0, 3)]:
            l, r = rng.integers(0, 99, (h, w)).astype(np_t(key)), rng.integers(0, 99, (h, w)).astype(np_t(key))
            cost = np.zeros((4, h, w), np.int64)
            for d in range(4):
                sh = np.zeros((h, w), np.int64); sh[:, d:] = r[:, :max(w - d, 0)] if d < w else 0
                a = np.pad(np.abs(l.astype(np.int64) - sh), 1)
                cost[d] = sum(a[i:i + h, j:j + w] for i in range(3) for j in range(3))
            yield dict(op='block_match', key=key, inputs=[l, r], want=[cost.argmin(0).astype(np.int32), cost.min(0).astype(np.int32)], dtypes=['i32', 'i32'], tol=EXACT)
            x = rng.integers(0, 9, (h, w)).astype(np_t(key))
            p = np.pad(x.astype(int), 1)
            y = np.zeros((h, w), int)
            for k, (dy, dx) in enumerate([(-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1)]):
                y |= (p[1 + dy:1 + dy + h, 1 + dx:1 + dx + w] >= x).astype(int) << k
            yield dict(op='binary_pattern', key=key, inputs=[x], want=[y.astype(np.uint8)], dtypes=['u8'], tol=EXACT)
    for h, w in [(1, 1), (5, 7), (33, 17)]:
        x = np.clip(rng.normal(100, 30, (h, w)), 0, 255).astype(np.uint8)
        c = np.cumsum(np.bincount(x.ravel(), minlength=256)); low = c[c > 0].min()
        yield dict(op='equalised', key='u8', inputs=[x], want=[np.rint(255*((c[x] - low).astype(np.float32))/np.float32(max(h*w - low, 1))).astype(np.uint8)], tol=EXACT)
        hh = np.bincount(x.ravel(), minlength=256).astype(float); ww, mm = np.cumsum(hh), np.cumsum(hh*np.arange(256))
        with np.errstate(all='ignore'):
            v = np.where((ww == 0) | (ww == ww[-1]), -1, (mm[-1]*ww - mm*ww[-1])**2/np.maximum(ww*(ww[-1] - ww), 1))
        yield dict(op='otsu', key='u8', inputs=[x], want=[np.int64(v.argmax())], dtypes=['i64'], tol=EXACT)
        g, p = rng.random((h, w)), rng.random((h, w))
        def box(a):
            return np.array([[a[max(y - 2, 0):y + 3, max(q - 2, 0):q + 3].mean() for q in range(w)] for y in range(h)])
        mg, mp = box(g), box(p); a = (box(g*p) - mg*mp)/(box(g*g) - mg**2 + 0.01)
        yield dict(op='guided_filter', key='f64', inputs=[g, p], want=[box(a)*g + box(mp - a*mg)], tol=tol(ulp=8, acc=4000, mag=4.0))
        a2, b2 = rng.integers(0, 256, (h, w)).astype(np.uint8), x
        j = np.zeros((16, 16)); np.add.at(j, (a2 >> 4, b2 >> 4), 1); q = j/(h*w)
        with np.errstate(all='ignore'):
            mi = np.nansum(np.where(q > 0, q*np.log(q/np.maximum(q.sum(1)[:, None]*q.sum(0)[None], 1e-300)), 0))
        yield dict(op='joint_histogram', key='u8', inputs=[a2, b2], want=[j.astype(np.uint32), mi], dtypes=['u32', 'f64'], tol=[EXACT, tol(ulp=8, acc=1000, mag=4.0)])
    for key in ('c64', 'c128'):
        for s in [(), (17,), (3, 33)]:
            c = rand(rng, s, key)
            z, n = np.zeros(s, wide(c).dtype), np.zeros(s, np.int32)
            z, cc = np.zeros(s, c.dtype), np.asarray(c)
            for _ in range(20):
                out = (z*z.conj()).real > 4; z = np.where(out, z, z*z + cc); n = n + ((z*z.conj()).real <= 4)
            yield dict(op='mandelbrot', key=key, inputs=[c], want=[n.astype(np.int32)], dtypes=['i32'], tol=EXACT)
    for key in ('f32', 'i32', 'u8'):
        for m, n in [(1, 1), (3, 17), (2, 0), (5, 9)]:
            x = rand(rng, (m, n), key, 0, 9) if key != 'f32' else rng.integers(0, 9, (m, n)).astype(np.float32)
            from scipy.stats import rankdata
            sg = np.sign(wide(x)[:, :, None] - wide(x)[:, None])
            yield dict(op='ranks', key=key, inputs=[x], want=[rankdata(x, axis=1) if n else np.zeros((m, 0)), np.einsum('aij,bij->ab', sg, sg).astype(np.int64)//2], dtypes=['f64', 'i64'], tol=EXACT)
    for n, d, k in [(1, 1, 1), (17, 3, 2), (33, 5, 4)]:
        x, mu, var, pi = rng.normal(size=(n, d)), rng.normal(size=(k, d)), rng.uniform(.5, 2, (k, d)), rng.dirichlet(np.ones(k))
        l = np.log(pi) - .5*((x[:, None] - mu)**2/var + np.log(2*np.pi*var)).sum(-1)
        r = softmax(l)
        yield dict(op='mixture_step', key='f64', inputs=[x, mu, var, pi], want=[r, (r.T@x)/r.sum(0)[:, None]], tol=tol(ulp=8, acc=1000, mag=4.0))
