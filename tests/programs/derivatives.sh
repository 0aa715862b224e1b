# Gradients in graphs whose plans show tensors through views or have nothing to compute.
# shellcheck shell=sh
npy "$work/pair.npy" 2
no_wrong_derivative() { "$tenon" run "$checkout/tests/programs/derivatives.yaml" "$work/pair.npy" --cc "${CC:-cc} -O1" >"$work/wrong" 2>&1 && grep -q '^wrong: f32\[\] 0$' "$work/wrong"; }
check 'gradients of scatters with constant indices and of products over no axes' no_wrong_derivative
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
