"""Gradients of losses, norms, attention and recurrences of unusual structure: several carried values, alignments, parents and
labels from data, windows with dilation and clamped places, split dims, sparse projections, straight-through choices."""
import numpy as np

from casekit import rand

OPS = r'''
ops:
  - op: ctc_like
    doc: the log likelihood of labels with blanks between them, over all alignments
    types: {T: float, I: index}
    in: {X: "T[L, C]", G: "I[S]"}
    require: [S >= 1, L >= 1, C >= 2]
    let: {Q: "2*S + 1"}
    index: {q: Q}
    out: {Y: "T[]"}
    body: |
      z[t] = max[c](X[t,c]) + log(sum[c](exp(X[t,c] - max[k](X[t,k]))))
      sym[q] = select(q % 2 == 1, wrap(cast(G[clamp((q - 1)//2, 0, S - 1)], i64), C), 0)
      two[q] = select(q % 2 == 1 and q >= 3, select(sym[q] != sym[clamp(q - 2, 0, Q - 1)], 1, 0), 0)
      a[t,q] = padded(f[t - 1,q], select(q == 0, 0, -1000))
      b[t,q] = padded(f[t - 1,q - 1], select(q == 1 and t == 0, 0, -1000))
      d[t,q] = select(two[q] == 1, padded(f[t - 1,q - 2], -1000), -1000)
      h[t,q] = max(a[t,q], b[t,q], d[t,q])
      f[t,q] = h[t,q] + log(exp(a[t,q] - h[t,q]) + exp(b[t,q] - h[t,q]) + exp(d[t,q] - h[t,q])) + X[t,clamp(sym[q], 0, C - 1)] - z[t]
      Y[] = -f[L - 1,Q - 1] - log(1 + exp(f[L - 1,Q - 2] - f[L - 1,Q - 1]))

  - op: crf_nll
    doc: minus the log likelihood of a path of tags under a chain, with lengths
    types: {T: float, I: index}
    in: {E: "T[B, L, K]", A: "T[K, K]", G: "I[B, L]", N: "I[B]"}
    require: [L >= 1, K >= 1]
    out: {Y: "T[B]"}
    body: |
      hi[b,t,j] = max[i](padded(f[b,t - 1,i], 0) + A[i,j])
      s[b,t,j] = sum[i](exp(padded(f[b,t - 1,i], 0) + A[i,j] - hi[b,t,j]))
      f[b,t,j] = select(t == 0, E[b,t,j], select(t < N[b], hi[b,t,j] + log(s[b,t,j]) + E[b,t,j], padded(f[b,t - 1,j], 0)))
      m[b] = max[j](f[b,L - 1,j])
      z[b] = m[b] + log(sum[j](exp(f[b,L - 1,j] - m[b])))
      own[b] = sum[t : t < N[b]](E[b,t,wrap(G[b,t], K)])
      step[b] = sum[t : t >= 1 and t < N[b]](A[wrap(G[b,clamp(t - 1, 0, L - 1)], K),wrap(G[b,t], K)])
      Y[b] = z[b] - own[b] - step[b]

  - op: posteriors
    doc: a chain forwards and backwards, and what both say of each state
    types: {T: float}
    in: {E: "T[L, K]", A: "T[K, K]"}
    require: [L >= 1]
    out: {P: "T[L, K]"}
    body: |
      f[t,j] = sq(E[t,j])*(1 + sum[i](padded(f[t - 1,i], 1)*sq(A[i,j])))
      g[t,i] = 1 + sum[j](sq(A[i,j])*padded(E[t + 1,j], 0)*padded(g[t + 1,j], 1))
      P[t,j] = f[t,j]*g[t,j]/(1 + sum[k](f[t,k]*sq(g[t,k])))

  - op: sinkhorn
    doc: a transport plan; two scalings that need each other
    types: {T: float}
    attrs: {steps: int = 4}
    in: {C: "T[M, N]", A: "T[M]", B: "T[N]"}
    require: [steps >= 1, M >= 1, N >= 1]
    let: {R: steps}
    index: {k: R}
    out: {P: "T[M, N]"}
    body: |
      g[m,n] = exp(-C[m,n])
      u[k,m] = (0.5 + sq(A[m]))/sum[n](g[m,n]*padded(v[k - 1,n], 1))
      v[k,n] = (0.5 + sq(B[n]))/sum[m](g[m,n]*u[k,m])
      P[m,n] = u[R - 1,m]*g[m,n]*v[R - 1,n]

  - op: affine_gaps
    doc: three tables of an alignment
    types: {T: float}
    attrs: {open: float = 1.3, extend: float = 0.4}
    in: {S: "T[N, M]"}
    require: [N >= 1, M >= 1]
    out: {Y: "T[]"}
    body: |
      x[i,j] = max(padded(m[i - 1,j], 0) - open, padded(x[i - 1,j], -3) - extend)
      y[i,j] = max(padded(m[i,j - 1], 0) - open, padded(y[i,j - 1], -3) - extend)
      m[i,j] = S[i,j] + max(padded(m[i - 1,j - 1], 0), padded(x[i - 1,j - 1], -2), padded(y[i - 1,j - 1], -2.5))
      Y[] = max(m[N - 1,M - 1], x[N - 1,M - 1], y[N - 1,M - 1])

  - op: tracked
    doc: a mean and its variance from one measurement to the next
    types: {T: float}
    in: {Z: "T[L, B]", Q: "T[B]", R: "T[B]", M0: "T[B]"}
    out: {M: "T[L, B]", V: "T[L, B]"}
    body: |
      p[t,b] = padded(V[t - 1,b], 1) + sq(Q[b])
      g[t,b] = p[t,b]/(p[t,b] + sq(R[b]) + 0.1)
      M[t,b] = padded(M[t - 1,b], M0[b]) + g[t,b]*(Z[t,b] - padded(M[t - 1,b], M0[b]))
      V[t,b] = (1 - g[t,b])*p[t,b]

  - op: learned_steps
    doc: steps of adam on gradients that a call gives, and where they lead
    types: {T: float}
    in: {W: "T[N]", G: "T[L, N]", Lr: "T[]"}
    out: {X: "T[L, N]"}
    body: |
      m[t,n] = 0.8*padded(m[t - 1,n], 0) + 0.2*G[t,n]*padded(X[t - 1,n], W[n])
      v[t,n] = 0.9*padded(v[t - 1,n], 0) + 0.1*sq(G[t,n]*padded(X[t - 1,n], W[n]))
      X[t,n] = padded(X[t - 1,n], W[n]) - Lr[]*m[t,n]/(1 - 0.8**(t + 1))/(sqrt(v[t,n]/(1 - 0.9**(t + 1))) + 0.1)

  - op: selective
    doc: a state space whose steps the data choose
    types: {T: float}
    in:
      X: "T[B, L, D]"
      Dt: "T[B, L, D]"
      A: "T[D, N]"
      U: "T[B, L, N]"
      V: "T[B, L, N]"
      S?: "T[D]"
    out: {Y: "T[B, L, D]"}
    body: |
      dt[b,t,d] = log1p(exp(Dt[b,t,d]))
      h[b,t,d,n] = exp(-dt[b,t,d]*sq(A[d,n]))*padded(h[b,t - 1,d,n], 0) + dt[b,t,d]*U[b,t,n]*X[b,t,d]
      Y[b,t,d] = sum[n](h[b,t,d,n]*V[b,t,n]) + opt(S[d], 0)*X[b,t,d]

  - op: retention
    types: {T: float}
    in: {Q: "T[L, (H D)]", K: "T[L, (H D)]", V: "T[L, (H E)]", G: "T[H]"}
    out: {Y: "T[L, (H E)]"}
    body: |
      s[h,i,j] = sum[d](Q[i,(h d)]*K[j,(h d)])*exp(-abs(G[h])*(i - j))
      n[h,i] = max(abs(sum[j : j <= i](s[h,i,j])), 1)
      Y[i,(h e)] = sum[j : j <= i](s[h,i,j]*V[j,(h e)])/n[h,i]

  - op: local_attention
    doc: each query attends to a dilated window around it; a slope for each head
    types: {T: float}
    attrs: {dil: int = 2}
    in: {Q: "T[L, (H D)]", K: "T[L, (H D)]", V: "T[L, (H D)]", S: "T[H]", M: "bool[L]"}
    require: [L >= 1, dil > 0, H >= 1]
    index: {r: 5}
    out: {Y: "T[L, (H D)]"}
    body: |
      s[h,i,r] = select(M[clamp(i + (r - 2)*dil, 0, L - 1)], sum[d](Q[i,(h d)]*K[clamp(i + (r - 2)*dil, 0, L - 1),(h d)]) - S[h]*abs(r - 2), -50)
      m[h,i] = max[r](s[h,i,r])
      z[h,i] = sum[r](exp(s[h,i,r] - m[h,i]))
      Y[i,(h d)] = sum[r](exp(s[h,i,r] - m[h,i])*V[clamp(i + (r - 2)*dil, 0, L - 1),(h d)])/z[h,i]

  - op: shared_keys
    doc: groups of heads share keys and values; logits are bounded by a tanh, and a sink takes part of the weight
    types: {T: float}
    attrs: {G: int}
    in: {Q: "T[I, (G H D)]", K: "T[J, (G D)]", V: "T[J, (G D)]", Sink: "T[(G H)]"}
    require: [J >= 1, G >= 1]
    out: {Y: "T[I, (G H D)]"}
    body: |
      s[g,h,i,j] = 5*tanh(sum[d](Q[i,(g h d)]*K[j,(g d)])/5)
      m[g,h,i] = max(max[j](s[g,h,i,j]), Sink[(g h)])
      z[g,h,i] = sum[j](exp(s[g,h,i,j] - m[g,h,i])) + exp(Sink[(g h)] - m[g,h,i])
      Y[i,(g h d)] = sum[j](exp(s[g,h,i,j] - m[g,h,i])/z[g,h,i]*V[j,(g d)])

  - op: grouped_clamped
    doc: windows with dilation whose border repeats, in groups
    types: {T: float}
    attrs: {stride: int = 1, dil: int = 1, G: int = 2}
    in: {X: "T[N, (G C), H, W]", F: "T[(G K), C, R, S]"}
    require: [stride > 0, dil > 0, G >= 1, H >= 1, W >= 1]
    let: {A: "(H - 1)//stride + 1", B: "(W - 1)//stride + 1"}
    out: {Y: "T[N, (G K), A, B]"}
    body: |
      Y[n,(g k),a,b] = sum[c,r,s](F[(g k),c,r,s]*X[n,(g c),clamp(a*stride + r*dil - dil*(R//2), 0, H - 1),clamp(b*stride + s*dil - dil*(S//2), 0, W - 1)])

  - op: deformed
    doc: taps at places that the data choose, between elements
    types: {T: float}
    in: {X: "T[C, L]", Off: "T[L, K]", F: "T[C, K]"}
    require: [L >= 2]
    out: {Y: "T[L]"}
    body: |
      u[l,k] = clamp(l + k - K//2 + 2*Off[l,k], 0, L - 1)
      i[l,k] = clamp(cast(floor(u[l,k]), i64), 0, L - 2)
      w[l,k] = u[l,k] - i[l,k]
      Y[l] = sum[c,k](F[c,k]*((1 - w[l,k])*X[c,i[l,k]] + w[l,k]*X[c,i[l,k] + 1]))

  - op: spline_through
    doc: a piecewise linear function whose knots and values are data
    types: {T: float}
    in: {X: "T[*S]", K: "T[N]", V: "T[N]"}
    require: [N >= 2]
    index: {n: N}
    out: {Y: "T[*S]"}
    body: |
      at[n] = sum[m : m <= n](0.1 + abs(K[m]))
      i[*s] = clamp(sum[n](select(at[n] <= X[*s], 1, 0)) - 1, 0, N - 2)
      w[*s] = (X[*s] - at[i[*s]])/(at[i[*s] + 1] - at[i[*s]])
      Y[*s] = V[i[*s]]*(1 - w[*s]) + V[i[*s] + 1]*w[*s]

  - op: focal
    types: {T: float, I: index}
    attrs: {gamma: float = 2, ignore: int = -1}
    in: {X: "T[N, C, *S]", G: "I[N, *S]", W: "T[C]"}
    require: [C >= 1]
    out: {Y: "T[]"}
    body: |
      m[n,*s] = max[c](X[n,c,*s])
      z[n,*s] = sum[c](exp(X[n,c,*s] - m[n,*s]))
      k[n,*s] = select(G[n,*s] == ignore, 0, wrap(cast(G[n,*s], i64), C))
      l[n,*s] = X[n,clamp(k[n,*s], 0, C - 1),*s] - m[n,*s] - log(z[n,*s])
      w[n,*s] = select(G[n,*s] == ignore, 0, W[clamp(k[n,*s], 0, C - 1)])
      Y[] = -sum[n,*s](w[n,*s]*(1 - exp(l[n,*s]))**gamma*l[n,*s])/sum[n,*s](abs(w[n,*s]))

  - op: lovasz
    doc: the extension of the Jaccard index to errors, sorted
    types: {T: [f32, f64]}
    in: {X: "T[N]", G: "bool[N]"}
    require: [N >= 1]
    out: {Y: "T[]"}
    body: |
      e[n] = 1 - select(G[n], X[n], -X[n])
      ne[n] = -e[n]
      s, at = sort(ne, axis=0)
      fg[n] = select(G[clamp(at[n], 0, N - 1)], 1.0, 0.0)
      a[n] = sum[k : k <= n](fg[k])
      b[n] = sum[k : k <= n](1 - fg[k])
      j[n] = 1 - (a[N - 1] - a[n])/(a[N - 1] + b[n])
      Y[] = sum[n](max(-s[n], 0)*(j[n] - padded(j[n - 1], 0)))

  - op: sparse_projection
    doc: the nearest point of the simplex
    types: {T: [f32, f64]}
    in: {X: "T[M, N]"}
    require: [N >= 1]
    out: {Y: "T[M, N]"}
    body: |
      h[m,n] = -X[m,n]
      s, at = sort(h, axis=-1)
      c[m,n] = sum[k : k <= n](-s[m,k])
      k[m] = sum[n](select(1 - (n + 1)*s[m,n] > c[m,n], 1, 0))
      t[m] = (c[m,clamp(k[m] - 1, 0, N - 1)] - 1)/k[m]
      Y[m,n] = max(X[m,n] - t[m], 0)

  - op: both_ways
    doc: pairs of texts and pictures, cross entropy along both axes
    types: {T: float}
    in: {A: "T[N, D]", B: "T[N, D]", S: "T[]"}
    require: [N >= 1]
    out: {Y: "T[]"}
    body: |
      a[n,d] = A[n,d]*rsqrt(sum[e](sq(A[n,e])) + 1e-3)
      b[n,d] = B[n,d]*rsqrt(sum[e](sq(B[n,e])) + 1e-3)
      s[i,j] = exp(S[])*sum[d](a[i,d]*b[j,d])
      r[i] = log(sum[j](exp(s[i,j])))
      c[j] = log(sum[i](exp(s[i,j])))
      Y[] = sum[n](0.5*r[n] + 0.5*c[n] - s[n,n])/N

  - op: arc_margin
    types: {T: float, I: index}
    in: {X: "T[N, D]", W: "T[C, D]", G: "I[N]"}
    require: [C >= 1]
    out: {Y: "T[N]"}
    body: |
      c[n,k] = sum[d](X[n,d]*W[k,d])*rsqrt(sum[d](sq(X[n,d])))*rsqrt(sum[d](sq(W[k,d])))
      l[n,k] = 4*select(k == G[n], cos(acos(clamp(c[n,k], -0.99, 0.99)) + 0.3), c[n,k])
      Y[n] = log(sum[k](exp(l[n,k]))) - l[n,wrap(G[n], C)]

  - op: joined_scaled
    types: {T: float}
    attrs: {axis: int = 0}
    in: {X...: "T[*P, D@axis..., *Q]"}
    let: {E: sum_of(D)}
    out: {Y: "T[*P, E, *Q]"}
    body: Y[*p, offset(D) + d, *q] = sq(X[*p, d, *q])*(1 + operand(X)) + sin(X[*p, D - 1 - d, *q])

  - op: group_norm_of_parts
    types: {T: float}
    in: {X: "T[N, (G C), *S]", W: "T[(G C)]", B: "T[G]"}
    require: [C >= 1, size(S) >= 1]
    out: {Y: "T[N, (G C), *S]"}
    body: |
      m[n,g] = sum[c,*s](X[n,(g c),*s])/(C*size(S))
      v[n,g] = sum[c,*s](abs(X[n,(g c),*s] - m[n,g])**3)/(C*size(S))
      Y[n,(g c),*s] = (X[n,(g c),*s] - m[n,g])/cbrt(v[n,g] + 0.01)*W[(g c)] + B[g]*m[n,g]

  - op: power_norm
    doc: a matrix divided by its largest singular value, found by iteration
    types: {T: float}
    attrs: {steps: int = 3}
    in: {W: "T[M, N]", U: "T[M]"}
    require: [steps >= 1]
    let: {R: steps}
    index: {k: R}
    out: {Y: "T[M, N]"}
    body: |
      a[k,n] = sum[m](W[m,n]*padded(u[k - 1,m], U[m]))
      v[k,n] = a[k,n]*rsqrt(sum[j](sq(a[k,j])) + 1e-2)
      b[k,m] = sum[n](W[m,n]*v[k,n])
      u[k,m] = b[k,m]*rsqrt(sum[i](sq(b[k,i])) + 1e-2)
      s[] = sum[m,n](u[R - 1,m]*W[m,n]*v[R - 1,n])
      Y[m,n] = W[m,n]/(abs(s[]) + 0.5)

  - op: segment_softmax
    types: {T: float, I: index}
    attrs: {groups: int}
    in: {X: "T[E, H]", Ix: "I[E]", V: "T[E, H, D]"}
    require: [groups >= 0, E >= 1]
    let: {N: groups}
    out: {Y: "T[N, H, D]"}
    index: {n: N}
    body: |
      m[n,h] = -5*sq(X[0,h])
      m[wrap(Ix[e], N),h] max= X[e,h]
      w[e,h] = exp(X[e,h] - m[wrap(Ix[e], N),h])
      z[n,h] = 0
      z[wrap(Ix[e], N),h] += w[e,h]
      Y[wrap(Ix[e], N),h,d] += w[e,h]*V[e,h,d]/z[wrap(Ix[e], N),h]

  - op: tree_cell
    doc: each node reads the state of a parent that comes before it
    types: {T: float, I: index}
    in: {X: "T[N, D]", P: "I[N]", U: "T[D, D]"}
    out: {H: "T[N, D]", S: "T[D]"}
    body: |
      H[i,d] = tanh(X[i,d] + sum[k](U[k,d]*padded(H[clamp(P[i], -1, i - 1),k], 0.1)))
      S[d] = sum[i](H[i,d]*H[clamp(i//2, 0, N - 1),d])

  - op: eliminated
    doc: a system solved by elimination, step by step, and the logarithm of the determinant
    types: {T: [f32, f64]}
    in: {A: "T[N, N]", B: "T[N]"}
    require: [N >= 1]
    index: {k: N}
    out: {X: "T[N]", D: "T[]"}
    body: |
      u[k,i,j] = select(k == 0, A[i,j] + select(i == j, 9.0, 0.0), padded(u[k - 1,i,j], 0) - select(i >= k, padded(u[k - 1,i,clamp(k - 1, 0, N - 1)], 0)*padded(u[k - 1,clamp(k - 1, 0, N - 1),j], 0)/padded(u[k - 1,clamp(k - 1, 0, N - 1),clamp(k - 1, 0, N - 1)], 1), 0))
      y[i] = B[i] - sum[k : k < i](u[k,i,k]/u[k,k,k]*y[k])
      X[i] = (y[i] - sum[j : j > i](u[i,i,j]*X[j]))/u[i,i,i]
      D[] = sum[i](log(abs(u[i,i,i])))

  - op: two_bodies
    doc: places and speeds, a step of the middle
    types: {T: float}
    attrs: {h: float = 0.1}
    in: {P0: "T[N, 2]", V0: "T[N, 2]", K: "T[N]", F: "T[L]"}
    out: {P: "T[L, N, 2]", E: "T[L]"}
    body: |
      r[t,n] = sum[c](sq(padded(P[t - 1,n,c], P0[n,c]))) + 1
      v[t,n,c] = padded(v[t - 1,n,c], V0[n,c]) - h*K[n]*padded(P[t - 1,n,c], P0[n,c])*rsqrt(r[t,n])/r[t,n] + h*F[t]
      P[t,n,c] = padded(P[t - 1,n,c], P0[n,c]) + h*v[t,n,c]
      E[t] = sum[n](0.5*sum[c](sq(v[t,n,c])) - K[n]*rsqrt(r[t,n]))

  - op: bilateral
    types: {T: float}
    attrs: {s: float = 0.5}
    in: {X: "T[H, W]", G: "T[3, 3]"}
    require: [H >= 1, W >= 1]
    out: {Y: "T[H, W]"}
    body: |
      w[y,x,i,j] = exp(G[i,j] - sq(X[reflect(y + i - 1, H),reflect(x + j - 1, W)] - X[y,x])/s)
      Y[y,x] = sum[i,j](w[y,x,i,j]*X[reflect(y + i - 1, H),reflect(x + j - 1, W)])/sum[i,j](w[y,x,i,j])

  - op: rotated_pairs
    types: {T: float}
    in: {X: "T[*P, L, (D 2)]", A: "T[D]"}
    out: {Y: "T[*P, L, (D 2)]"}
    body: |
      Y[*p,l,(d c)] = X[*p,l,(d c)]*cos(l*A[d]) + select(c == 0, -1, 1)*X[*p,l,(d (1 - c))]*sin(l*A[d])

  - op: straight_through
    types: {T: float}
    in: {X: "T[M, N]", W: "T[N]"}
    require: [N >= 1]
    out: {Y: "T[M]"}
    body: |
      e[m,n] = exp(X[m,n] - stop(max[k](X[m,k])))
      p[m,n] = e[m,n]/sum[k](e[m,k])
      hard[m,n] = select(n == argmax[k](X[m,k]), 1, 0)
      Y[m] = sum[n](W[n]*(hard[m,n] - stop(p[m,n]) + p[m,n])) - sum[n](W[n]*(hard[m,n] - stop(p[m,n])))

  - op: best_of_experts
    doc: each token goes to one expert, if it has room, by its number there
    types: {T: float}
    attrs: {room: int = 2}
    in: {X: "T[N, D]", R: "T[D, E]", W: "T[E, D, F]"}
    require: [E >= 1, D >= 1, room >= 0]
    out: {Y: "T[N, F]"}
    body: |
      g[n,e] = sum[d](X[n,d]*R[d,e])
      k[n] = argmax[e](g[n,e])
      p[n] = 1/sum[e](exp(g[n,e] - g[n,k[n]]))
      no[n] = sum[j : j < n](select(k[j] == k[n], 1, 0))
      Y[n,f] = select(no[n] < room, p[n]*sum[d](X[n,d]*W[k[n],d,f]), X[n,0])

  - op: nearest_few
    types: {T: [f32, f64]}
    attrs: {k: int = 2}
    in: {Q: "T[M, D]", X: "T[N, D]", V: "T[N]"}
    require: [k >= 1, k <= N]
    out: {Y: "T[M]"}
    body: |
      d[m,n] = -sum[e](sq(Q[m,e] - X[n,e]))
      v, at = topk(d, k=k, axis=-1)
      Y[m] = sum[j](exp(v[m,j])*V[clamp(at[m,j], 0, N - 1)])/sum[j](exp(v[m,j]))

  - op: running_products
    doc: a gate that falls, and the share that each step takes
    types: {T: float}
    in: {P: "T[B, N]", V: "T[B, N]"}
    out: {Y: "T[B]", W: "T[B, N]"}
    body: |
      s[b,n] = 1/(1 + exp(-P[b,n]))
      W[b,n] = s[b,n]*prod[k : k < n](1 - s[b,k])
      Y[b] = sum[n](W[b,n]*V[b,n]) + prod[n](V[b,n])

  - op: wave_equation
    doc: two steps back in time, neighbours, a border that mirrors
    types: {T: float}
    in: {U0: "T[N]", C: "T[N]", S: "T[L]"}
    require: [N >= 1]
    out: {U: "T[L, N]"}
    body: |
      lap[t,n] = padded(U[t - 1,reflect(n - 1, N)], 0) + padded(U[t - 1,reflect(n + 1, N)], 0) - 2*padded(U[t - 1,n], 0)
      U[t,n] = select(t == 0, U0[n], 1.5*padded(U[t - 1,n], 0) - 0.6*padded(U[t - 2,n], 0) + 0.3*sq(C[n])*lap[t,n] + S[t]*select(n == N//2, 1, 0))
'''
OPS = ['ops:\n  - op: ' + text for text in OPS.split('  - op: ')[1:]]  # a library each


def case(op, key, inputs, *shapes, **attrs):
    # What the ops compute is not looked at here: gradients are compared with their differences.
    return dict(op=op, key=key, inputs=inputs, attrs=attrs, want=[np.zeros(s) for s in shapes])


def cases(rng):
    for key in ('f64', 'f32'):
        def r(*shape, lo=-2, hi=2):
            return rand(rng, shape, key, lo, hi)

        def below(n, *shape):
            return rng.integers(0, n, shape).astype(np.int64)

        def bits(*shape):
            return rng.integers(0, 2, shape).astype(bool)

        def c(op, inputs, *shapes, **attrs):
            return case(op, key, inputs, *shapes, **attrs)

        yield c('ctc_like', [r(7, 4), np.array([1, 1, 3])], ())
        yield c('ctc_like', [r(3, 3), np.array([2])], ())
        yield c('crf_nll', [r(3, 5, 4), r(4, 4), below(4, 3, 5), np.array([5, 3, 1])], (3,))
        yield c('posteriors', [r(5, 3), r(3, 3)], (5, 3))
        yield c('sinkhorn', [r(4, 3, lo=0), r(4), r(3)], (4, 3))
        yield c('affine_gaps', [r(4, 5)], ())
        yield c('tracked', [r(5, 3), r(3), r(3), r(3)], (5, 3), (5, 3))
        yield c('learned_steps', [r(4), r(3, 4), r(lo=.1, hi=.3)], (3, 4))
        yield c('selective', [r(2, 4, 3), r(2, 4, 3), r(3, 2), r(2, 4, 2), r(2, 4, 2), r(3)], (2, 4, 3))
        yield c('selective', [r(1, 3, 2), r(1, 3, 2), r(2, 2), r(1, 3, 2), r(1, 3, 2), None], (1, 3, 2))
        yield c('retention', [r(5, 6), r(5, 6), r(5, 4), r(2)], (5, 4))
        yield c('local_attention', [r(6, 6), r(6, 6), r(6, 6), r(2), np.array([1, 1, 0, 1, 1, 1], bool)], (6, 6))
        yield c('local_attention', [r(3, 4), r(3, 4), r(3, 4), r(2), np.ones(3, bool)], (3, 4), dil=1)
        yield c('shared_keys', [r(3, 12), r(4, 6), r(4, 6), r(4)], (3, 12), G=2)
        for s, d in ((1, 1), (2, 3), (3, 1)):
            yield c('grouped_clamped', [r(2, 4, 7, 5), r(6, 2, 3, 2)], (2, 6, 6 // s + 1, 4 // s + 1), stride=s, dil=d)
        yield c('deformed', [r(2, 7), r(7, 3, lo=-.4, hi=.4), r(2, 3)], (7,))
        yield c('spline_through', [r(3, 4, lo=-1, hi=4), r(5), r(5)], (3, 4))
        yield c('focal', [r(3, 4, 5), below(4, 3, 5) - (below(3, 3, 5) == 0) * below(4, 3, 5), r(4, lo=.2)], ())
        yield c('focal', [r(3, 4), np.array([0, -1, 3]), r(4, lo=.2)], (), gamma=1.5)
        yield c('lovasz', [r(7), np.array([1, 0, 1, 1, 0, 0, 1], bool)], ())
        yield c('sparse_projection', [r(4, 5)], (4, 5))
        yield c('both_ways', [r(4, 3), r(4, 3), r()], ())
        yield c('arc_margin', [r(4, 3), r(5, 3), below(5, 4)], (4,))
        yield c('joined_scaled', [r(2, 3), r(4, 3)] + [None] * 6, (6, 3))
        yield c('joined_scaled', [r(2, 3), r(2, 1), r(2, 2)] + [None] * 5, (2, 6), axis=-1)
        yield c('joined_scaled', [r(n, 2) for n in (1, 2, 1, 3, 1, 1, 2, 1)], (12, 2))
        yield c('group_norm_of_parts', [r(2, 6, 3), r(6), r(2)], (2, 6, 3))
        yield c('group_norm_of_parts', [r(2, 4), r(4), r(2)], (2, 4))
        yield c('power_norm', [r(4, 3), r(4)], (4, 3))
        yield c('segment_softmax', [r(7, 2), below(3, 7), r(7, 2, 3)], (3, 2, 3), groups=3)
        yield c('tree_cell', [r(6, 3), np.array([-1, 0, 0, 2, 9, 1]), r(3, 3)], (6, 3), (3,))
        yield c('eliminated', [r(4, 4), r(4)], (4,), ())
        yield c('two_bodies', [r(3, 2), r(3, 2), r(3), r(4)], (4, 3, 2), (4,))
        yield c('bilateral', [r(4, 5), r(3, 3)], (4, 5))
        yield c('rotated_pairs', [r(2, 3, 6), r(3)], (2, 3, 6))
        yield c('rotated_pairs', [r(3, 4), r(2)], (3, 4))
        yield c('straight_through', [r(4, 5), r(5)], (4,))
        yield c('best_of_experts', [r(5, 3), r(3, 3), r(3, 3, 2)], (5, 2))
        yield c('nearest_few', [r(3, 2), r(5, 2), r(5)], (3,))
        yield c('running_products', [r(2, 5), r(2, 5)], (2,), (2, 5))
        yield c('wave_equation', [r(5), r(5), r(6)], (6, 5))
