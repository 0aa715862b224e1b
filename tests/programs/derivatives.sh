# Gradients in graphs whose plans show tensors through views or have nothing to compute.
# shellcheck shell=sh
npy "$work/pair.npy" 2
no_wrong_derivative() { "$tenon" run "$checkout/tests/programs/derivatives.yaml" "$work/pair.npy" --cc "${CC:-cc} -O1" >"$work/wrong" 2>&1 && grep -q '^wrong: f32\[\] 0$' "$work/wrong"; }
check 'gradients of scatters with constant indices and of products over no axes' no_wrong_derivative
# Many terms are added up in parts: the same as sums of the gradients of halves, which are too short for that.
cat >"$work/deep.yaml" <<'YAML'
graph: deep
inputs: {p: "f32[2, 64]"}
modules:
  weighed(a, f, g): sum(gemm(a, f)*g)
  upper(a, n): slice(a, begin=[0, 0], size=[65536, n])
  lower(a, n): slice(a, begin=[65536, 0], size=[65536, n])
main: |
  m = mean(p)
  rows = reshape(arange(stop=131072, dtype=f32), shape=[131072, 1])
  columns = arange(stop=17, dtype=f32)
  x = sin(rows*(0.37 + 0.11*columns) + m)
  f = cos(reshape(arange(stop=323, dtype=f32), shape=[17, 19]) + m)
  g = cos(matmul(x, f)) + 0.1
  all = grad(weighed(x, f, g), f)
  parts = grad(weighed(upper(x, 17), f, upper(g, 19)), f) + grad(weighed(lower(x, 17), f, lower(g, 19)), f)
  size = max(abs(all))
  wrong = max(abs(all - parts))/size
outputs: [size, wrong]
YAML
sums_in_parts() {
  # Nothing of it multiplies bytes: it has no kernel for a level that adds only their products.
  levels=$("$tenon" list isas | awk '$NF == "host" && $1 !~ /-(vnni|dotprod)$/ { print $1 }')
  "$tenon" model "$work/deep.yaml" --isa "$(echo $levels | tr ' ' ,)" --main -q -o "$work/deep" || return 1
  grep -q part_depth "$work"/deep/src/net_portable.c || return 1
  # shellcheck disable=SC2046
  (cd "$work/deep" && "${CC:-cc}" -O1 -Iinclude -o net $(cat sources.txt)) || return 1
  for isa in $levels; do
    "$work/deep/net" "$work/pair.npy" --isa "$isa" >"$work/deep.txt" || return 1
    awk -v isa="$isa" '{ v[$1] = $NF } END { if (v["size:"] > 1 && v["wrong:"] < 1e-4) exit; print isa, v["wrong:"]; exit 1 }' "$work/deep.txt" || return 1
  done
}
check 'sums of many terms in parts' sums_in_parts
# An output of no elements: tiles of no rows.
cat >"$work/no_rows.yaml" <<'YAML'
graph: no_rows
inputs:
  x: "f32[8, 3, 17, 5, 1]"
  f: "f32[3, 4, 1, 1, 3]"
main: |
  y = conv_transpose3d(x, f, output_pads=[1, 2, 0], pads=[0, 0, 2, 0, 0, 1], stride=[3, 1, 1])
outputs: [y]
YAML
check 'generates a convolution without results' "$tenon" model "$work/no_rows.yaml" -q -o "$work/no_rows"
# A gradient without elements takes the workspace that is asked for: none.
cat >"$work/empty_grad.c" <<'C'
#include "tn.h"
int main(void) {
  static const int64_t axis = 0;
  const tn_prod_grad_dims dims = {.K = {.rank = 1, .dim = {1}}, .Q = {.rank = 1, .dim = {0}}, .R = {.rank = 1, .dim = {5}}};
  const tn_prod_grad_attrs attrs = {.keepdims = 1, .axes = {.count = 1, .values = &axis}};
  float dy[1] = {0}, x[1] = {0}, dx[1] = {0};
  return tn_prod_grad_f32_workspace(&dims, &attrs) != 0 || tn_prod_grad_f32(&dims, &attrs, dy, x, dx, NULL, 0) != 0;
}
C
empty_gradient() {
  "$tenon" lib --ops prod --grad --dtypes f32 --isa portable -q -o "$work/empty_grad" || return 1
  # shellcheck disable=SC2046
  (cd "$work/empty_grad" && "${CC:-cc}" -O1 -Iinclude -o empty "$work/empty_grad.c" $(cat sources.txt)) && "$work/empty_grad/empty"
}
check 'a gradient without elements' empty_gradient
