"""Gradients of windows at steps: other orders of dims, dims stored in another order, steps above the window, dilation, groups,
unequal padding, values that read the result's own element, one step for two dims."""
import numpy as np

from casekit import rand

OPS = r'''
ops:
  - op: windows_last
    types: {T: float}
    attrs: {step: "int[2] = 1", pads: "int[4] = 0"}
    in: {X: "T[N, H, W, C]", F: "T[R, S, C, M]"}
    require: ["step[0] > 0", "step[1] > 0"]
    let: {Ho: "(H + pads[0] + pads[2] - R)//step[0] + 1", Wo: "(W + pads[1] + pads[3] - S)//step[1] + 1"}
    out: {Y: "T[N, Ho, Wo, M]"}
    body: |
      Y[n,y,x,m] = sum[r,s,c](padded(X[n, y*step[0] + r - pads[0], x*step[1] + s - pads[1], c], 0)*F[r,s,c,m])

  - op: windows_stored
    types: {T: float}
    attrs: {step: int = 1, apart: int = 1, groups: int = 1, turned: bool = false}
    in: {X: "T[N, (groups Cg), H]", F: "T[M, Cg, R]"}
    require: [step > 0, apart > 0, groups > 0, M % groups == 0]
    let: {Mg: M//groups, Ho: (H - (R - 1)*apart - 1)//step + 1}
    storage: {F: {if: turned, as: [R, M, Cg]}}
    index: {g: groups, m: Mg}
    out: {Y: "T[Ho, N, groups, Mg]"}
    body: Y[y,n,g,m] = sum[c,r](X[n,(g c),y*step + r*apart]*F[g*Mg + m,c,r])

  - op: windows_first
    types: {T: float}
    attrs: {step: int = 2, before: int = 0, after: int = 0}
    in: {X: "T[W, N, H, C]", F: "T[C, S, R]"}
    require: [step > 0]
    let: {Ho: (H + before + after - R)//step + 1, Wo: (W + before + after - S)//step + 1}
    out: {Y: "T[C, Wo, Ho, N]"}
    body: Y[c,x,y,n] = sum[s,r](padded(X[x*step + s - before, n, y*step + r - before, c], 0)*F[c,s,r])

  - op: squared_windows
    types: {T: float}
    attrs: {step: int = 1, apart: int = 1, pad: int = 0}
    in: {X: "T[*P, H]", F: "T[R]"}
    require: [step > 0, apart > 0]
    let: {Ho: (H + 2*pad - (R - 1)*apart - 1)//step + 1}
    out: {Y: "T[*P, Ho]"}
    body: |
      q[*p,y] = sum[r](sq(padded(X[*p, y*step + r*apart - pad], 0))*F[r])
      Y[*p,y] = q[*p,y]/(1 + sq(q[*p,y]))

  - op: squared_channels
    types: {T: float}
    attrs: {step: int = 1, pad: int = 0}
    in: {X: "T[N, C, H]", F: "T[M, C, R]"}
    require: [step > 0]
    let: {Ho: (H + 2*pad - R)//step + 1}
    out: {Y: "T[N, M, Ho]"}
    body: Y[n,m,y] = sum[c,r](sq(padded(X[n,c,y*step + r - pad], 0))*F[m,c,r])

  - op: unfolded
    types: {T: float}
    attrs: {size: int, step: int = 1, apart: int = 1}
    in: {X: "T[N, L]"}
    require: [size > 0, step > 0, apart > 0]
    let: {K: size, O: (L - (size - 1)*apart - 1)//step + 1}
    index: {k: K, o: O}
    out: {Y: "T[K, N, O]", Z: "T[O, K, N]"}
    body: |
      Y[k,n,o] = X[n, o*step + k*apart]
      Z[o,k,n] = sin(X[n, o*step + k*apart])

  - op: windows_on_diagonal
    types: {T: float}
    attrs: {step: int = 1, pad: int = 0}
    in: {X: "T[N, H, H]", F: "T[R, R]"}
    require: [step > 0]
    let: {Ho: (H + 2*pad - R)//step + 1}
    out: {Y: "T[N, Ho]"}
    body: Y[n,y] = sum[r,s](padded(X[n, y*step + r - pad, y*step + s - pad], 0)*F[r,s])

  - op: masked_windows
    types: {T: float}
    attrs: {step: int = 1, limit: int = 2}
    in: {X: "T[N, C, H]", F: "T[C, R]", Mask: "bool[C]"}
    require: [step > 0]
    let: {Ho: (H - R)//step + 1}
    out: {Y: "T[N, Ho]"}
    body: |
      Y[n,y] = sum[c,r : Mask[c] and r <= limit](X[n,c,y*step + r]*F[c,r])

  - op: gathered_windows
    types: {T: float}
    attrs: {step: int = 1}
    in: {X: "T[N, C, H]", F: "T[M, C, R]"}
    require: [step > 0]
    let: {L: (H - 1)*step + R}
    out: {Y: "T[N, M, L]"}
    index: {u: L}
    body: |
      Y[n,m,u] = sum[c,r : (u - r) % step == 0](padded(X[n,c,(u - r)//step], 0)*F[m,c,r])
'''


def cases(rng):
    def r(*shape):
        return rand(rng, shape, 'f64', -1, 1)

    def case(op, inputs, **attrs):
        return dict(op=op, key='f64', inputs=inputs, attrs=attrs, want=[np.ones(1)] * (1 + (op == 'unfolded')))

    for n, h, w, c, m, k, s, step, pads in ((2, 7, 9, 3, 4, 3, 2, [2, 1], [1, 0, 2, 1]), (1, 8, 33, 2, 1, 2, 2, [3, 3], [0, 0, 0, 0]), (1, 5, 6, 1, 3, 1, 1, [2, 4], [0, 1, 0, 0]),
                                            (1, 20, 17, 5, 17, 3, 3, [1, 1], [1, 1, 1, 1])):
        yield case('windows_last', [r(n, h, w, c), r(k, s, c, m)], step=step, pads=pads)
    for n, c, h, m, k, step, apart, groups in ((2, 3, 9, 4, 3, 2, 1, 1), (1, 4, 16, 6, 2, 3, 2, 2), (2, 3, 12, 3, 3, 1, 2, 3), (1, 1, 7, 1, 1, 3, 1, 1), (3, 2, 11, 2, 4, 4, 1, 2)):
        for turned in (False, True):
            f = r(m, c // groups, k)
            yield case('windows_stored', [r(n, c, h), np.ascontiguousarray(f.transpose(2, 0, 1)) if turned else f], step=step, apart=apart, groups=groups, turned=turned)
    for w, n, h, c, s, k, step, before, after in ((9, 2, 7, 3, 3, 2, 2, 1, 0), (5, 1, 5, 1, 1, 1, 3, 0, 2), (6, 3, 8, 2, 4, 4, 1, 2, 1)):
        yield case('windows_first', [r(w, n, h, c), r(c, s, k)], step=step, before=before, after=after)
    for shape, k, step, apart, pad in (((2, 3, 17), 3, 2, 1, 1), ((16,), 2, 3, 2, 0), ((4, 9), 4, 1, 1, 3), ((2, 5), 1, 2, 1, 0)):
        yield case('squared_windows', [r(*shape), r(k)], step=step, apart=apart, pad=pad)
    for n, c, h, m, k, step, pad in ((2, 3, 17, 4, 3, 2, 1), (1, 1, 5, 2, 2, 3, 2), (1, 2, 9, 3, 3, 1, 0)):
        yield case('squared_channels', [r(n, c, h), r(m, c, k)], step=step, pad=pad)
    for n, length, size, step, apart in ((2, 17, 3, 2, 1), (3, 16, 4, 1, 2), (1, 9, 1, 3, 1), (2, 12, 2, 5, 3), (1, 40, 20, 1, 1)):
        yield case('unfolded', [r(n, length)], size=size, step=step, apart=apart)
    for n, h, k, step, pad in ((2, 7, 3, 2, 1), (1, 6, 2, 3, 0), (2, 5, 1, 1, 0)):
        yield case('windows_on_diagonal', [r(n, h, h), r(k, k)], step=step, pad=pad)
    for n, c, h, k, step in ((2, 3, 9, 4, 2), (1, 5, 33, 3, 1)):
        yield case('masked_windows', [r(n, c, h), r(c, k), rand(rng, (c,), 'bool')], step=step, limit=1)
    for n, c, h, m, k, step in ((2, 3, 5, 4, 3, 2), (1, 2, 6, 1, 2, 3), (1, 1, 4, 2, 5, 1)):
        yield case('gathered_windows', [r(n, c, h), r(m, c, k)], step=step)
