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
cat >"$work/shapes.yaml" <<'END'
bench:
  gemm:
    - {shapes: {A: [96, 96], B: [96, 96]}, absent: [C]}
END
cat >"$work/own_op.yaml" <<'END'
ops:
  - op: twice_summed
    types: {T: float}
    in:  {X: "T[M,N]"}
    out: {Y: "T[M]", Z: "i64[M]"}
    body: |
      Y[m] = sum[n](2*X[m,n])
      Z[m] = argmax[n](X[m,n])
    tests:
      - {M: 20, N: 300}
END
check 'a search for an op' "$tenon" tune gemm --dtypes f32 --cases "$work/shapes.yaml" --schedules "$work/rows.yaml" --budget 10s -q -o "$work/tuned_gemm.yaml"
check 'finds larger tiles than those it began with' grep -q 'kernel: gemm_f32_noC' "$work/tuned_gemm.yaml"
check 'a library takes them' "$tenon" lib --ops gemm --dtypes f32 --isa native -q --schedules "$work/tuned_gemm.yaml" -o "$work/lib_tuned"
check 'and others have other code' sh -c "
  '$tenon' lib --ops gemm --dtypes f32 --isa native -q --schedules '$work/rows.yaml' -o '$work/lib_small' && ! diff -rq '$work/lib_tuned/src' '$work/lib_small/src' >'$work/differ' && grep -q gemm '$work/differ'"
check 'an op of a user, whose tests say the shapes' "$tenon" tune twice_summed --defs "$work/own_op.yaml" --budget 2s -q -o "$work/tuned_own.yaml"
check 'its schedules are taken' "$tenon" lib "$work/own_op.yaml" --isa native -q --schedules "$work/tuned_own.yaml" -o "$work/lib_own"
check 'an op that there is not' says_of_line "there is no op 'gemmm'; did you mean 'gemm'" "$tenon" tune gemmm -o "$work/none.yaml"
check 'types that it does not take' refuses "$tenon" tune gemm --dtypes bool -o "$work/none.yaml"
