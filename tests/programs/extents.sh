# Extents that the data decide, in bodies: tried on every level here, in graphs, and beyond their bounds.
# shellcheck shell=sh
cat >"$work/extents.yaml" <<'YAML'
ops:
  - op: kept
    types: {T: real}
    attrs: {bound: float = 0}
    in: {X: "T[N]"}
    let: {M: upto(N)}
    out: {Y: "T[M]", I: "i64[M]"}
    body: |
      keep[n] = select(X[n] > bound, 1, 0)
      at[n] = sum[k : k < n](keep[k])
      M = sum[n](keep[n])
      Y[wrap(at[n], M)] last= X[n] where keep[n] == 1
      I[wrap(at[n], M)] last= n where keep[n] == 1
    tests:
      - {in: {X: [3, -1, 0, 5]}, out: {Y: [3, 5], I: [0, 3]}}
      - {attrs: {bound: 9}, in: {X: [3, -1, 0, 5]}, out: {Y: [], I: []}}
      - N=100
      - {N: 33, dtypes: {T: i8}}
  - op: kept_twice
    types: {T: real}
    in: {X: "T[N]"}
    let: {A: upto(N), B: upto(A)}
    out: {Y: "T[A]", Z: "T[B]", J: "i64[B]"}
    body: |
      h[i] = X[i] + 1
      Y, at = kept(h)
      Z, J = kept(Y, bound=2)
    tests:
      - {in: {X: [3, -1, 0, 5]}, out: {Y: [4, 1, 6], Z: [4, 6], J: [0, 2]}}
  - op: middle
    types: {T: [f32, f64, i32]}
    attrs: {k: int}
    in: {X: "T[*P, N]"}
    require: [k >= 1, k <= N]
    out: {Y: "T[*P]", S: "T[*P, N]"}
    body: |
      a[*p,n] = 2*X[*p,n]
      v, i = topk(a, k=k)
      Y[*p] = v[*p,k - 1] + 1
      S, at = sort(a, axis=-1)
    tests:
      - {attrs: {k: 2}, shapes: {X: [3, 5, 7]}}
      - {attrs: {k: 1}, in: {X: [1, 3, 2]}, dtypes: {T: i32}, out: {Y: [7], S: [2, 4, 6]}}
  - op: axis_median
    types: {T: [f32, i32]}
    attrs: {axis: int = -1}
    in: {X: "T[*P, D@axis, *Q]"}
    require: [D >= 1]
    out: {Y: "T[*P, *Q]"}
    body: |
      s, at = sort(X, axis=axis)
      Y[*p,*q] = s[*p,(D - 1)//2,*q]
    tests:
      - {attrs: {axis: 1}, shapes: {X: [3, 5, 2]}}
      - {in: {X: [3, 1, 2]}, out: {Y: 2}}
  - op: numbers
    in: {X: "i64[N]"}
    let: {M: upto(10)}
    out: {Y: "i64[M]", Z: "i64[N]"}
    body: |
      Z[i] = 2*X[i]
      M = max(max[i](X[i]), 0)
      Y[m] = M - m
YAML
tried() { "$tenon" try "$work/extents.yaml" --op "$1" --cc "$quick -O0" -q >"$work/said" 2>&1 || { cat "$work/said"; return 1; }; }
for op in kept kept_twice middle axis_median; do check "an op that finds extents or calls a C template: $op" tried "$op"; done

printf 'graph: g\ninputs: {x: "i64[2]"}\nmain: |\n  h = neg(neg(x))\n  y, z = numbers(h)\n  s = add(y, y)\noutputs: [s, z]\n' >"$work/extents_graph.yaml"
array "$work/three.npy" '<i8' '2,' False '\1\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0'
array "$work/twenty.npy" '<i8' '2,' False '\1\0\0\0\0\0\0\0\24\0\0\0\0\0\0\0'
found() { "$tenon" run "$work/extents_graph.yaml" "$1" --defs "$work/extents.yaml" --isa portable >"$work/said" 2>&1; }
within() { found "$work/three.npy" && grep -qx 's: i64\[3\] 6 4 2' "$work/said" || { cat "$work/said"; return 1; }; }
check 'an extent that an op of a graph finds' within
beyond() { ! found "$work/twenty.npy" && ! grep -q '^s:' "$work/said" || { cat "$work/said"; return 1; }; }
check 'an extent beyond its bound' beyond
