# Schedules: a search that compiles and times, and files of rows for kernels by name.
# shellcheck shell=sh
graph=$checkout/examples/digits/digits.yaml
npy "$work/digits.npy" 4
cat >"$work/rows.yaml" <<'EOF'
blueprints:
  - {kernel: "gemm*", kind: contraction, isa: "*", dtype: "*", tile_rows: 2, tile_vectors: 1, cache_m: 4096, cache_n: 4096}
EOF
check 'a search within its budget' "$tenon" tune "$graph" --size N=4..4 --budget 6s -q -o "$work/tuned.yaml"
check 'what it found is taken' "$tenon" model "$graph" --size N=4..4 --isa native -q --schedules "$work/tuned.yaml" --main -o "$work/tuned"
check 'compiles it' make -C "$work/tuned"
check 'generates without it' "$tenon" model "$graph" --size N=4..4 --isa native -q --main -o "$work/untuned"
check 'compiles that' make -C "$work/untuned"
check 'both run' sh -c "'$work/tuned/net' '$work/digits.npy' >'$work/tuned.txt' && '$work/untuned/net' '$work/digits.npy' >'$work/untuned.txt'"
check 'the same numbers' sh -c "[ -s '$work/untuned.txt' ] && cut -c1-12 '$work/tuned.txt' >'$work/a' && cut -c1-12 '$work/untuned.txt' | cmp - '$work/a'"
check 'rows of a user change the kernels they name' sh -c "
  '$tenon' model '$graph' --isa portable -q --schedules '$work/rows.yaml' -o '$work/with_rows' && '$tenon' model '$graph' --isa portable -q -o '$work/without_rows' &&
  ! cmp -s '$work/with_rows/src/net_portable.c' '$work/without_rows/src/net_portable.c'"
check 'and no others' sh -c "
  '$tenon' lib --ops relu,gemm --dtypes f32 --isa x86-64-v3 -q --schedules '$work/rows.yaml' -o '$work/lib_with_rows' &&
  '$tenon' lib --ops relu,gemm --dtypes f32 --isa x86-64-v3 -q -o '$work/lib_without_rows' &&
  ! diff -rq '$work/lib_with_rows/src' '$work/lib_without_rows/src' >'$work/differ' ; grep -q gemm '$work/differ' && ! grep -q relu '$work/differ'"
check 'rows for a kernel that is not there' says "no kernel is called 'gemm\\*'" "$tenon" lib --ops relu --dtypes f32 --schedules "$work/rows.yaml" -o "$work/none"
check 'a search without a compiler' refuses "$tenon" tune "$graph" --cc no-such-compiler -o "$work/none.yaml"
check 'writes nothing' refuses [ -e "$work/none.yaml" ]
check 'a file that is a folder' refuses "$tenon" tune "$graph" -o ..
