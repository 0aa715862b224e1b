# Generation grows with the model: ten times the operators take at most fourteen times the processor time.
# shellcheck shell=sh
long_graph() {
  awk -v n="$1" 'BEGIN {
    print "graph: long\ninputs: {x: \"f32[4, 8]\"}\nparameters:\n  w: {type: \"f32[8, 8]\", from: randn(std=0.1)}"
    print "  b: {type: \"f32[8]\", from: randn(std=0.1)}\nmain: |\n  v0 = relu(x)"
    for (i = 1; i < n; ++i) printf "  v%d = relu(add(gemm(v%d, w), b))\n", i, i - 1
    printf "outputs: [v%d]\n", n - 1
  }' >"$work/long$1.yaml"
}
# The user time of the program, in hundredths of a second.
hundredths() {
  (
    "$tenon" model "$work/long$1.yaml" --isa portable -q -o "$work/long$1" || exit 1
    times
  ) | awk 'NR == 2 { split($1, t, /[ms.]/); print t[1]*6000 + t[2]*100 + substr(t[3], 1, 2) }'
}
grows() { long_graph 800 && long_graph 8000 && small=$(hundredths 800) && large=$(hundredths 8000) && echo "$small $large" && [ "$large" -le $((14 * small)) ]; }
check 'ten times the operators, not a hundred times the time' grows
