# `tenon bench`: ceilings, kernels, models, and the files that it writes.
# shellcheck shell=sh
cat >"$work/bench_cases.yaml" <<'EOF'
bench:
  gemm:
    - {shapes: {A: [9, 7], B: [7, 5]}, absent: [C]}
    - {dtypes: {T: f64}, shapes: {A: [3, 4], B: [4, 5]}, absent: [C]}
  unique:
    - {shapes: {X: [40]}}
  concat:
    - {attrs: {axis: 1}, shapes: {X: [3, 4]}}
  gather:
    - {attrs: {axis: 0}, shapes: {X: [5, 3], Ix: [4]}}
  cast:
    - {dtypes: {T: f32, U: i8}, shapes: {X: [6]}}
EOF
printf 'ops:\n  - op: twice\n    types: {T: float}\n    in: {X: "T[*S]"}\n    out: {Y: "T[*S]"}\n    body: Y[*s] = 2*X[*s]\n    tests:\n      - {shapes: {X: [6]}}\n' >"$work/twice.yaml"
benched() { "$tenon" bench --isa portable --cc "${CC:-cc} -O1" "$@" >"$work/bench.txt" 2>"$work/bench.err" || { cat "$work/bench.txt" "$work/bench.err"; return 1; }; }
row() { grep -Eq "$1" "$work/bench.txt" || { cat "$work/bench.txt"; return 1; }; }
check 'kernels of a file are timed' benched --cases "$work/bench_cases.yaml" --threads 2 --json "$work/bench.json" --svg "$work/bench.svg"
check 'the ceilings' row '^arithmetic +[0-9.]+ GFLOP/s in f32, [0-9.]+ in f64$'
check 'memory of a size' row '^64 KiB +[0-9.]+ GB/s read, [0-9.]+ copied, [0-9.]+ written$'
check 'a product' row '^gemm_f32 +9x7 7x5 +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+%  (memory|arithmetic)$'
check 'the dtype that a test names' row '^gemm_f64 +3x4 4x5 '
check 'extents that depend on data' row '^unique_f32 +40 +[0-9.]+ +[0-9.]+ +- +- +-  -$'
check 'a variadic input' row '^concat_f32 +3x4 3x4 axis=1 +[0-9.]+ +[0-9.]+ +- '
check 'a type that only the output has' row '^cast_f32 +6 '
check 'indices' row '^gather_f32 +5x3 4 axis=0 '
check 'a picture with a roof and two points' sh -c '[ "$(grep -c "<circle" "$0")" = 2 ] && grep -q "GFLOP/s in f32" "$0"' "$work/bench.svg"
check 'a model' benched "$checkout/examples/digits/digits.yaml" --size N=4
check 'the row of the model, and no kernel' sh -c 'tail -n 1 "$0" | grep -Eq "^digits.yaml +N=4 +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+%" && ! grep -q gemm "$0"' "$work/bench.txt"
check 'a model with an open size, and an op of the user at the tests of its definition' \
  benched "$checkout/examples/digits/digits.yaml" --defs "$work/twice.yaml" --ops twice --threads 2
check 'the row of the op' row '^twice_f32 +6 '
check 'has no rate' row '^digits.yaml +[0-9.]+ +[0-9.]+ +- +- +-  -$'
if command -v python3 >/dev/null; then
  check 'all figures as JSON' python3 -c "
import json, sys
r = json.load(open(sys.argv[1]))
gemm = r['timings'][0]
assert r['machine']['threads'] == 2 and r['machine']['isa'] == 'portable' and len(r['ceilings']['memory']) == 7, r
assert gemm['calls_at_once'] == 2 and gemm['bytes_written'] == 180 and gemm['bytes_read'] == 392, gemm
assert abs(gemm['gflops'] - 2 * gemm['operations'] / gemm['us'] / 1e3) <= 1e-3 * gemm['gflops'], gemm
assert r['timings'][2]['gflops'] is None, r" "$work/bench.json"
fi
check 'an op that there is not' says_of_line "there is no op 'gem'; did you mean 'gemm'?" "$tenon" bench --ops gem
check 'a dtype that the op does not take' says_of_line 'softmax takes none of these' "$tenon" bench --ops softmax --dtypes i8
check 'a level that does not run here' says_of_line 'this machine runs none of these' "$tenon" bench --isa "$([ "$(uname -m)" = aarch64 ] && echo x86-64-v3 || echo neon)"
check 'a wrong shape' says "bench_wrong.yaml:1:29: error: " sh -c 'printf "bench: {softmax: [{shapes: {Z: [3]}}]}\n" >"$1/bench_wrong.yaml"; "$0" bench --cases "$1/bench_wrong.yaml"' "$tenon" "$work"
failing_compiler() { "$tenon" bench --ops relu --isa portable -q --cc false >"$work/out" 2>"$work/said"; [ $? -eq 3 ] && grep -q 'ended with status 1' "$work/said"; }
check 'a compiler that fails' failing_compiler
check 'nothing is timed in a dry run' sh -c '"$0" bench --ops relu --isa portable --dry-run --json "$1/none.json" && [ ! -e "$1/none.json" ]' "$tenon" "$work"
