"""Signals, state spaces and linear algebra in steps."""
import numpy as np

from casekit import EXACT, available, rand, tol, wide

OPS = [r'''
ops:
  - op: lu_by_columns
    types: {T: [f32, f64]}
    in: {A: "T[N, N]"}
    out: {L: "T[N, N]", U: "T[N, N]"}
    require: [N >= 1]
    body: |
      f[k,i] = select(i > k, padded(p[k - 1,i,k], A[i,k])/padded(p[k - 1,k,k], A[k,k]), 0)
      p[k,i,j] = padded(p[k - 1,i,j], A[i,j]) - f[k,i]*padded(p[k - 1,k,j], A[k,j])
      L[i,k] = select(i == k, 1, f[k,i])
      U[i,j] = select(j < i, 0, p[N - 1,i,j])
''', r'''
ops:
  - op: gram_schmidt
    types: {T: [f32, f64]}
    in: {A: "T[M, N]"}
    out: {Q: "T[M, N]", R: "T[N, N]"}
    body: |
      v[k,i] = A[i,k] - sum[j : j < k](q[j,i]*sum[l](q[j,l]*A[l,k]))
      n[k] = sqrt(sum[i](sq(v[k,i])))
      q[k,i] = v[k,i]/n[k]
      Q[i,k] = q[k,i]
      R[j,k] = select(j > k, 0, sum[i](q[j,i]*A[i,k]))
''', r'''
ops:
  - op: gauss_seidel
    types: {T: [f32, f64]}
    attrs: {sweeps: int = 4}
    in: {A: "T[N, N]", B: "T[N]"}
    index: {s: sweeps}
    require: [sweeps >= 1]
    out: {X: "T[N]"}
    body: |
      x[s,i] = (B[i] - sum[j : j < i](A[i,j]*x[s,j]) - sum[j : j > i](A[i,j]*padded(x[s - 1,j], 0)))/A[i,i]
      X[i] = x[sweeps - 1,i]
''', r'''
ops:
  - op: conjugate_gradient
    types: {T: [f64]}
    attrs: {steps: int = 5}
    in: {A: "T[N, N]", B: "T[N]"}
    index: {t: steps}
    require: [steps >= 1]
    out: {X: "T[N]"}
    body: |
      q[t,i] = sum[j](A[i,j]*padded(p[t - 1,j], B[j]))
      rr[t] = sum[i](sq(padded(r[t - 1,i], B[i])))
      al[t] = rr[t]/sum[i](padded(p[t - 1,i], B[i])*q[t,i])
      r[t,i] = padded(r[t - 1,i], B[i]) - al[t]*q[t,i]
      be[t] = sum[i](sq(r[t,i]))/rr[t]
      p[t,i] = r[t,i] + be[t]*padded(p[t - 1,i], B[i])
      x[t,i] = padded(x[t - 1,i], 0) + al[t]*padded(p[t - 1,i], B[i])
      X[i] = x[steps - 1,i]
''', r'''
ops:
  - op: power_iteration
    types: {T: [f32, f64]}
    attrs: {steps: int = 20}
    in: {A: "T[N, N]"}
    index: {t: steps}
    require: [steps >= 1, N >= 1]
    out: {V: "T[N]", E: "T[]"}
    body: |
      w[t,i] = sum[j](A[i,j]*padded(v[t - 1,j], 1))
      n[t] = max[i](abs(w[t,i]))
      v[t,i] = w[t,i]/n[t]
      V[i] = v[steps - 1,i]
      E[] = n[steps - 1]
''', r'''
ops:
  - op: lms_filter
    types: {T: [f32, f64]}
    attrs: {mu: float = 0.05, taps: int = 4}
    in: {X: "T[L]", D: "T[L]"}
    index: {k: taps}
    require: [taps >= 1]
    out: {Y: "T[L]", E: "T[L]"}
    body: |
      y[t] = sum[k](padded(w[t - 1,k], 0)*padded(X[t - k], 0))
      e[t] = D[t] - y[t]
      w[t,k] = padded(w[t - 1,k], 0) + mu*e[t]*padded(X[t - k], 0)
      Y[t] = y[t]
      E[t] = e[t]
''', r'''
ops:
  - op: delta_rule
    types: {T: [f32, f64]}
    in: {Q: "T[B, L, K]", Key: "T[B, L, K]", V: "T[B, L, D]", Beta: "T[B, L]"}
    out: {Y: "T[B, L, D]"}
    body: |
      u[b,t,d] = V[b,t,d] - sum[k](padded(s[b,t - 1,k,d], 0)*Key[b,t,k])
      s[b,t,k,d] = padded(s[b,t - 1,k,d], 0) + Beta[b,t]*Key[b,t,k]*u[b,t,d]
      Y[b,t,d] = sum[k](Q[b,t,k]*s[b,t,k,d])
''', r'''
ops:
  - op: rwkv_wkv
    types: {T: [f32, f64]}
    in: {W: "T[C]", U: "T[C]", K: "T[B, L, C]", V: "T[B, L, C]"}
    out: {Y: "T[B, L, C]"}
    body: |
      o[b,t,c] = max(padded(o[b,t - 1,c], -1000) + W[c], K[b,t,c])
      p[b,t,c] = exp(padded(o[b,t - 1,c], -1000) + W[c] - o[b,t,c])*padded(p[b,t - 1,c], 0) + exp(K[b,t,c] - o[b,t,c])*V[b,t,c]
      q[b,t,c] = exp(padded(o[b,t - 1,c], -1000) + W[c] - o[b,t,c])*padded(q[b,t - 1,c], 0) + exp(K[b,t,c] - o[b,t,c])
      m[b,t,c] = max(padded(o[b,t - 1,c], -1000), U[c] + K[b,t,c])
      Y[b,t,c] = (exp(padded(o[b,t - 1,c], -1000) - m[b,t,c])*padded(p[b,t - 1,c], 0) + exp(U[c] + K[b,t,c] - m[b,t,c])*V[b,t,c])/(exp(padded(o[b,t - 1,c], -1000) - m[b,t,c])*padded(q[b,t - 1,c], 0) + exp(U[c] + K[b,t,c] - m[b,t,c]))
''', r'''
fn:
  sig(x): 1/(1 + exp(-x))
ops:
  - op: lstm_layer
    types: {T: float}
    in: {X: "T[L, B, D]", W: "T[(4 C), D]", R: "T[(4 C), C]", Bias: "T[(4 C)]", H0: "T[B, C]", C0: "T[B, C]"}
    index: {g: 4}
    out: {H: "T[L, B, C]", Cell: "T[B, C]"}
    require: [L >= 1]
    body: |
      z[t,b,g,c] = Bias[(g c)] + sum[d](X[t,b,d]*W[(g c),d]) + sum[k](padded(h[t - 1,b,k], H0[b,k])*R[(g c),k])
      c[t,b,c] = sig(z[t,b,1,c])*padded(c[t - 1,b,c], C0[b,c]) + sig(z[t,b,0,c])*tanh(z[t,b,2,c])
      h[t,b,c] = sig(z[t,b,3,c])*tanh(c[t,b,c])
      H[t,b,c] = h[t,b,c]
      Cell[b,c] = c[L - 1,b,c]
''', r'''
ops:
  - op: transposed_biquads
    types: {T: [f32, f64]}
    in: {X: "T[C, N]", Co: "T[S, 5]"}
    out: {Y: "T[S, C, N]"}
    body: |
      Y[s,c,n] = Co[s,0]*padded(Y[s - 1,c,n], X[c,n]) + padded(a[s,c,n - 1], 0)
      a[s,c,n] = Co[s,1]*padded(Y[s - 1,c,n], X[c,n]) - Co[s,3]*Y[s,c,n] + padded(b[s,c,n - 1], 0)
      b[s,c,n] = Co[s,2]*padded(Y[s - 1,c,n], X[c,n]) - Co[s,4]*Y[s,c,n]
''', r'''
ops:
  - op: follower
    types: {T: float}
    attrs: {attack: float = 0.5, release: float = 0.1}
    in: {X: "T[*P, N]"}
    out: {Y: "T[*P, N]"}
    body: |
      Y[*p,n] = padded(Y[*p,n - 1], 0) + select(abs(X[*p,n]) > padded(Y[*p,n - 1], 0), attack, release)*(abs(X[*p,n]) - padded(Y[*p,n - 1], 0))
''', r'''
ops:
  - op: kalman
    types: {T: [f32, f64]}
    attrs: {q: float = 0.1, r: float = 0.5}
    in: {Z: "T[*P, N]"}
    out: {X: "T[*P, N]", V: "T[*P, N]"}
    body: |
      g[*p,t] = (padded(V[*p,t - 1], 1) + q)/(padded(V[*p,t - 1], 1) + q + r)
      V[*p,t] = (1 - g[*p,t])*(padded(V[*p,t - 1], 1) + q)
      X[*p,t] = padded(X[*p,t - 1], 0) + g[*p,t]*(Z[*p,t] - padded(X[*p,t - 1], 0))
''', r'''
ops:
  - op: lorenz
    types: {T: [f64]}
    attrs: {steps: int = 50, dt: float = 0.01}
    in: {S: "T[B, 3]"}
    index: {t: steps}
    require: [steps >= 1]
    out: {P: "T[B, 3]"}
    body: |
      x[t,b] = padded(x[t - 1,b], S[b,0]) + dt*10*(padded(y[t - 1,b], S[b,1]) - padded(x[t - 1,b], S[b,0]))
      y[t,b] = padded(y[t - 1,b], S[b,1]) + dt*(padded(x[t - 1,b], S[b,0])*(28 - padded(z[t - 1,b], S[b,2])) - padded(y[t - 1,b], S[b,1]))
      z[t,b] = padded(z[t - 1,b], S[b,2]) + dt*(padded(x[t - 1,b], S[b,0])*padded(y[t - 1,b], S[b,1]) - 2.5*padded(z[t - 1,b], S[b,2]))
      P[b,k] = select(k == 0, x[steps - 1,b], select(k == 1, y[steps - 1,b], z[steps - 1,b]))
''', r'''
ops:
  - op: wave
    types: {T: [f32, f64]}
    attrs: {steps: int = 7, c: float = 0.25}
    in: {U: "T[H, W]"}
    index: {t: steps}
    require: [steps >= 1]
    out: {Y: "T[H, W]"}
    body: |
      u[t,y,x] = 2*padded(u[t - 1,y,x], U[y,x]) - select(t < 2, U[y,x], padded(u[t - 2,y,x], 0)) +
               c*(padded(u[t - 1,y - 1,x], select(t == 0, padded(U[y - 1,x], 0), 0)) + padded(u[t - 1,y + 1,x], select(t == 0, padded(U[y + 1,x], 0), 0)) +
                padded(u[t - 1,y,x - 1], select(t == 0, padded(U[y,x - 1], 0), 0)) + padded(u[t - 1,y,x + 1], select(t == 0, padded(U[y,x + 1], 0), 0)) - 4*padded(u[t - 1,y,x], U[y,x]))
      Y[y,x] = u[steps - 1,y,x]
''', r'''
ops:
  - op: life
    types: {I: [u8, i32]}
    attrs: {steps: int = 3}
    in: {X: "I[H, W]"}
    index: {t: steps, i: 3, j: 3}
    require: [steps >= 1, H >= 1, W >= 1]
    out: {Y: "I[H, W]"}
    body: |
      n[t,y,x] = sum[i,j](select(t == 0, X[(y + i - 1) % H,(x + j - 1) % W], padded(g[t - 1,(y + i - 1) % H,(x + j - 1) % W], 0)))
      g[t,y,x] = select(n[t,y,x] == 3, 1, select(n[t,y,x] == 4, padded(g[t - 1,y,x], X[y,x]), 0))
      Y[y,x] = g[steps - 1,y,x]
''', r'''
ops:
  - op: clenshaw
    types: {T: [f32, f64]}
    in: {C: "T[K]", X: "T[*S]"}
    require: [K >= 1]
    out: {Y: "T[*S]"}
    body: |
      b[k,*s] = C[k] + 2*X[*s]*padded(b[k + 1,*s], 0) - padded(b[k + 2,*s], 0)
      Y[*s] = b[0,*s] - X[*s]*select(K == 1, 0, padded(b[min(1, K - 1),*s], 0))
''', r'''
ops:
  - op: goertzel
    types: {T: [f32, f64]}
    attrs: {w: "float[]"}
    in: {X: "T[B, N]"}
    let: {K: count(w)}
    require: [N >= 2]
    out: {P: "T[B, K]"}
    body: |
      s[b,k,n] = X[b,n] + 2*cos(w[k])*padded(s[b,k,n - 1], 0) - padded(s[b,k,n - 2], 0)
      P[b,k] = sq(s[b,k,N - 1]) + sq(s[b,k,N - 2]) - 2*cos(w[k])*s[b,k,N - 1]*s[b,k,N - 2]
''', r'''
ops:
  - op: comb
    types: {T: float}
    attrs: {delay: int = 3, gain: float = 0.5}
    in: {X: "T[C, N]"}
    require: [delay >= 1]
    out: {Y: "T[C, N]"}
    body: |
      Y[c,n] = X[c,n] + gain*padded(Y[c,n - delay], 0)
''', r'''
ops:
  - op: levinson
    types: {T: [f64]}
    in: {R: "T[P]"}
    require: [P >= 2]
    let: {M: P - 1}
    out: {A: "T[M, P]", E: "T[M]"}
    body: |
      k[m] = -(R[m + 1] + sum[j : 1 <= j and j <= m](padded(A[m - 1,j], 0)*padded(R[m + 1 - j], 0)))/padded(E[m - 1], R[0])
      A[m,j] = select(j == 0, 1, padded(A[m - 1,j], 0) + k[m]*select(j <= m, padded(A[m - 1,m + 1 - j], 0), select(j == m + 1, 1, 0)))
      E[m] = padded(E[m - 1], R[0])*(1 - sq(k[m]))
''', r'''
ops:
  - op: fft_stages
    types: {C: [c64, c128]}
    attrs: {logn: int = 3}
    in: {X: "C[B, N]"}
    index: {s: logn}
    require: [logn >= 1, logn <= 20, "N == shl(1, logn)"]
    out: {Y: "C[B, N]"}
    body: |
      y[b,s,n] = select(bit_and(shr(n, s), 1) == 0, padded(y[b,s - 1,n], X[b,clamp(rev[n], 0, N - 1)]) + w[s,n]*padded(y[b,s - 1,clamp(n + shl(1, s), 0, N - 1)], X[b,clamp(rev[clamp(n + 1, 0, N - 1)], 0, N - 1)]),
                 padded(y[b,s - 1,clamp(n - shl(1, s), 0, N - 1)], X[b,clamp(rev[clamp(n - 1, 0, N - 1)], 0, N - 1)]) - w[s,n]*padded(y[b,s - 1,n], X[b,clamp(rev[n], 0, N - 1)]))
      Y[b,n] = y[b,logn - 1,n]
''', r'''
ops:
  - op: cordic
    types: {T: [f64]}
    attrs: {steps: int = 40}
    in: {A: "T[*S]"}
    index: {k: steps}
    require: [steps >= 1, steps <= 60]
    out: {C: "T[*S]", S1: "T[*S]"}
    body: |
      d[k,*s] = select(padded(z[k - 1,*s], A[*s]) < 0, -1.0, 1.0)
      z[k,*s] = padded(z[k - 1,*s], A[*s]) - d[k,*s]*atan(exp2(-cast(k, T)))
      x[k,*s] = padded(x[k - 1,*s], 0.6072529350088813) - d[k,*s]*padded(y[k - 1,*s], 0)*exp2(-cast(k, T))
      y[k,*s] = padded(y[k - 1,*s], 0) + d[k,*s]*padded(x[k - 1,*s], 0.6072529350088813)*exp2(-cast(k, T))
      C[*s] = x[steps - 1,*s]
      S1[*s] = y[steps - 1,*s]
''']
OPS[-2] = OPS[-2].replace("    body: |\n", "    body: |\n      rev[n] = sum[q](shl(bit_and(shr(n, q), 1), logn - 1 - q))\n      w[s,n] = cast(complex(cos(6.283185307179586*cast(bit_and(n, shl(1, s) - 1), f64)/cast(shl(2, s), f64)), -sin(6.283185307179586*cast(bit_and(n, shl(1, s) - 1), f64)/cast(shl(2, s), f64))), C)\n").replace("index: {s: logn}", "index: {s: logn, q: logn}")


def np_t(key):
    return rand(np.random.default_rng(0), (1,), key).dtype


def cases(rng):
    for key in ('f32', 'f64'):
        for n in (1, 5, 17, 33):
            a = rand(rng, (n, n), key, -1, 1) + (n*np.eye(n)).astype(np_t(key))
            u, l = wide(a).copy(), np.eye(n)
            for k in range(n):
                for i in range(k + 1, n):
                    l[i, k] = u[i, k]/u[k, k]
                    u[i] -= l[i, k]*u[k]
            yield dict(op='lu_by_columns', key=key, inputs=[a], want=[l, np.triu(u)], tol=tol(ulp=8, acc=16*n, mag=2.0*n))
            b = rand(rng, (n,), key)
            x = np.zeros(n)
            for _ in range(4):
                for i in range(n):
                    x[i] = (wide(b)[i] - wide(a)[i]@x + wide(a)[i, i]*x[i])/wide(a)[i, i]
            yield dict(op='gauss_seidel', key=key, inputs=[a, b], want=[x], tol=tol(ulp=8, acc=16*n, mag=2.0))
            sym = rand(rng, (n, n), key, 0, 1)
            v = np.ones(n)
            for _ in range(20):
                w = wide(sym)@v
                v = w/np.abs(w).max()
            yield dict(op='power_iteration', key=key, inputs=[sym], want=[v, np.abs(w).max()], tol=tol(ulp=8, acc=32*n, mag=1.0*n))
            if key == 'f64':
                m = wide(sym)@wide(sym).T + n*np.eye(n)
                x, r = np.zeros(n), b.copy(); p = b.copy()
                for _ in range(3):
                    q = m@p; al = r@r/(p@q); x = x + al*p; r2 = r - al*q; be = r2@r2/(r@r); p = r2 + be*p; r = r2
                if n >= 5:
                    yield dict(op='conjugate_gradient', key=key, inputs=[m, b], attrs={'steps': 3}, want=[x], tol=tol(ulp=8, acc=1000*n, mag=1.0))
        for m, n in [(1, 1), (5, 3), (17, 16), (33, 7)]:
            a = rand(rng, (m, n), key) + np.eye(m, n).astype(np_t(key))*4
            q, r = np.linalg.qr(wide(a))
            s = np.sign(np.diag(r)); s[s == 0] = 1
            yield dict(op='gram_schmidt', key=key, inputs=[a], want=[q*s, r*s[:, None]], tol=tol(ulp=8, acc=400*m, mag=8.0))
        for n, taps in [(1, 1), (17, 4), (33, 7), (0, 3), (40, 16)]:
            x, d = rand(rng, (n,), key), rand(rng, (n,), key)
            w, y, e = np.zeros(taps), np.zeros(n), np.zeros(n)
            for t in range(n):
                win = np.array([wide(x)[t - k] if t >= k else 0 for k in range(taps)])
                y[t] = w@win; e[t] = d[t] - y[t]; w = w + 0.05*e[t]*win
            yield dict(op='lms_filter', key=key, inputs=[x, d], attrs={'mu': 0.05, 'taps': taps}, want=[y, e], tol=tol(ulp=4, acc=16*(n + taps), mag=4.0))
        for b, l, k, d in [(1, 1, 1, 1), (2, 9, 5, 17), (1, 17, 16, 3), (0, 2, 2, 2), (2, 0, 3, 3)]:
            q, kk, v, be = rand(rng, (b, l, k), key, -.5, .5), rand(rng, (b, l, k), key, -.5, .5), rand(rng, (b, l, d), key), rand(rng, (b, l), key, 0, 1)
            y = np.zeros((b, l, d))
            for i in range(b):
                s = np.zeros((k, d))
                for t in range(l):
                    u = wide(v)[i, t] - wide(kk)[i, t]@s
                    s = s + wide(be)[i, t]*np.outer(wide(kk)[i, t], u)
                    y[i, t] = wide(q)[i, t]@s
            yield dict(op='delta_rule', key=key, inputs=[q, kk, v, be], want=[y], tol=tol(ulp=4, acc=32*(l*k + 1), mag=4.0))
            c = d
            w, u, k2, v2 = rand(rng, (c,), key, -1, 0), rand(rng, (c,), key), rand(rng, (b, l, c), key), rand(rng, (b, l, c), key)
            y = np.zeros((b, l, c))
            num = den = np.zeros((b, c))
            for t in range(l):
                ek, eu = np.exp(wide(k2)[:, t]), np.exp(wide(u) + wide(k2)[:, t])
                y[:, t] = (num + eu*wide(v2)[:, t])/(den + eu)
                num, den = num*np.exp(wide(w)) + ek*wide(v2)[:, t], den*np.exp(wide(w)) + ek
            yield dict(op='rwkv_wkv', key=key, inputs=[w, u, k2, v2], want=[y], tol=tol(ulp=8, acc=64*(l + 1), mag=4.0))
    sig = lambda x: 1/(1 + np.exp(-x))
    for key in available('f32', 'f64', 'f16', 'bf16'):
        for l, b, d, c in [(1, 1, 1, 1), (7, 3, 5, 17), (3, 2, 16, 16), (2, 1, 3, 33), (5, 0, 2, 3)]:
            x, w, r = rand(rng, (l, b, d), key), rand(rng, (4*c, d), key, -.5, .5), rand(rng, (4*c, c), key, -.2, .2)
            bias, h0, c0 = rand(rng, (4*c,), key), rand(rng, (b, c), key), rand(rng, (b, c), key)
            h, ce, out = wide(h0), wide(c0), np.zeros((l, b, c))
            for t in range(l):
                z = (wide(bias) + wide(x)[t]@wide(w).T + h@wide(r).T).reshape(b, 4, c)
                ce = sig(z[:, 1])*ce + sig(z[:, 0])*np.tanh(z[:, 2]); h = sig(z[:, 3])*np.tanh(ce); out[t] = h
            yield dict(op='lstm_layer', key=key, inputs=[x, w, r, bias, h0, c0], want=[out, ce], tol=tol(ulp=4, acc=64*(d + c)*l + 64, mag=1.0))
        for shape in [(1,), (33,), (3, 17), (2, 0), (2, 3, 16), (17, 5)]:
            x = rand(rng, shape, key)
            y, s = np.zeros(shape), np.zeros(shape[:-1])
            for t in range(shape[-1]):
                a = np.abs(wide(x)[..., t]); s = (s + np.where(a > s, 0.5, 0.125)*(a - s)); y[..., t] = s
            if key in ('f32', 'f64'):
                yield dict(op='follower', key=key, inputs=[x], attrs={'attack': 0.5, 'release': 0.125}, want=[y], tol=tol(ulp=4, acc=32, mag=2.0))
            for delay in (1, 3, 100):
                y = np.zeros(shape if len(shape) == 2 else (1, shape[-1]))
                if len(shape) <= 2:
                    xx = x.reshape(y.shape)
                    for t in range(shape[-1]):
                        y[:, t] = (wide(xx)[:, t] + 0.5*(y[:, t - delay] if t >= delay else 0)).astype(np_t(key)).astype(float)
                    yield dict(op='comb', key=key, inputs=[xx], attrs={'delay': delay, 'gain': 0.5}, want=[y], tol=tol(ulp=4, acc=8, mid=4, mag=4.0))
    for key in ('f32', 'f64'):
        for shape in [(1,), (33,), (3, 17), (2, 0), (2, 3, 16)]:
            z = rand(rng, shape, key)
            x, v, xs, vs = np.zeros(shape[:-1]), np.ones(shape[:-1]), np.zeros(shape), np.zeros(shape)
            for t in range(shape[-1]):
                p = v + 0.1; g = p/(p + 0.5); x = x + g*(wide(z)[..., t] - x); v = (1 - g)*p; xs[..., t], vs[..., t] = x, v
            yield dict(op='kalman', key=key, inputs=[z], want=[xs, vs], tol=tol(ulp=4, acc=64, mag=2.0))
        for c, n, s in [(1, 1, 1), (3, 33, 2), (17, 9, 3), (16, 0, 2), (2, 5, 0)]:
            x, co = rand(rng, (c, n), key), rand(rng, (s, 5), key, -.4, .4)
            y, v = np.zeros((s, c, n)), wide(x)
            for q in range(s):
                a = b = np.zeros(c)
                o, k = np.zeros((c, n)), wide(co)[q]
                for t in range(n):
                    o[:, t] = k[0]*v[:, t] + a
                    a, b = k[1]*v[:, t] - k[3]*o[:, t] + b, k[2]*v[:, t] - k[4]*o[:, t]
                y[q] = v = o
            yield dict(op='transposed_biquads', key=key, inputs=[x, co], want=[y], tol=tol(ulp=4, acc=200, mag=4.0))
        for h, w in [(1, 1), (5, 7), (17, 33), (0, 3)]:
            u = rand(rng, (h, w), key)
            p = q = wide(u)
            lap = lambda a: np.pad(a, 1)[:-2, 1:-1] + np.pad(a, 1)[2:, 1:-1] + np.pad(a, 1)[1:-1, :-2] + np.pad(a, 1)[1:-1, 2:] - 4*a
            for t in range(7):
                p, q = 2*p - (wide(u) if t < 2 else q) + 0.25*lap(p), p
            yield dict(op='wave', key=key, inputs=[u], want=[p], tol=tol(ulp=4, acc=400, mag=64.0))
        for k in (1, 2, 3, 9):
            for shape in [(), (17,), (3, 5), (0,)]:
                c, x = rand(rng, (k,), key), rand(rng, shape, key, -1, 1)
                yield dict(op='clenshaw', key=key, inputs=[c, x], want=[np.polynomial.chebyshev.chebval(wide(x), wide(c))], tol=tol(ulp=4, acc=200*k, mag=8.0*k))
        for b, n in [(1, 2), (3, 17), (17, 33)]:
            x = rand(rng, (b, n), key)
            w = [0.3, 1.0, 2.5]
            f = np.exp(-1j*np.outer(w, np.arange(n)))@wide(x).T
            yield dict(op='goertzel', key=key, inputs=[x], attrs={'w': w}, want=[np.abs(f.T)**2], tol=tol(ulp=8, acc=400*n, mag=64.0*n))
    for b in (0, 1, 5, 17):
        s = rng.uniform(-5, 5, (b, 3))
        p = s.copy()
        for _ in range(20):
            # the state is updated sequentially within a step: each reads the others before the step
            x, y, z = p.T
            p = np.stack([x + 0.01*10*(y - x), y + 0.01*(x*(28 - z) - y), z + 0.01*(x*y - 2.5*z)], 1)
        yield dict(op='lorenz', key='f64', inputs=[s], attrs={'steps': 20}, want=[p], tol=tol(ulp=8, acc=4000, mag=40.0))
    for key in ('u8', 'i32'):
        for h, w in [(1, 1), (5, 7), (17, 33), (2, 3)]:
            x = rng.integers(0, 2, (h, w)).astype(np_t(key))
            g = x.copy()
            for _ in range(3):
                n = sum(np.roll(g, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1))
                g = np.where(n == 3, 1, np.where(n == 4, g, 0)).astype(g.dtype)
            yield dict(op='life', key=key, inputs=[x], want=[g], tol=EXACT)
    for p in (2, 3, 9, 17):
        r = np.correlate(rng.standard_normal(200), rng.standard_normal(200), 'full')
        z = rng.standard_normal(300); r = np.array([z[:300 - k]@z[k:] for k in range(p)])
        from scipy.linalg import solve_toeplitz
        a, e = np.zeros((p - 1, p)), np.zeros(p - 1)
        for m in range(p - 1):
            q = solve_toeplitz(r[:m + 1], -r[1:m + 2]); a[m, 0] = 1; a[m, 1:m + 2] = q; e[m] = r[0] + q@r[1:m + 2]
        yield dict(op='levinson', key='f64', inputs=[r], want=[a, e], tol=tol(ulp=8, acc=1000, mag=400.0))
    for key in ('c64', 'c128'):
        for logn in (1, 2, 3, 6):
            for b in (1, 3):
                x = rand(rng, (b, 1 << logn), key)
                yield dict(op='fft_stages', key=key, inputs=[x], attrs={'logn': logn}, want=[np.fft.fft(wide(x))], tol=tol(ulp=4, acc=16*logn, mag=8.0*(1 << logn)))
    for shape in [(), (17,), (3, 5), (0,)]:
        a = rng.uniform(-1.5, 1.5, shape)
        yield dict(op='cordic', key='f64', inputs=[a], want=[np.cos(a), np.sin(a)], tol=tol(ulp=8, acc=100, mag=1.0, floor=1e-11))
