# A library's Makefile: its headers are compiled once, and the objects are those of a compiler that reads them for each file.
# shellcheck shell=sh
library() { "$tenon" lib --ops add,softmax --dtypes f32 --ranks 1-2 -q -o "$work/library"; }
# -H names what a file includes, and in what form. Libraries precompile headers of their own.
made() { env -u TENON_PRECOMPILED make -C "$work/library" -j2 "$@" CFLAGS='-O1 -H' >"$work/made" 2>&1 || { tail -5 "$work/made"; return 1; }; }
compiled_once() { made CC=gcc && [ "$(grep -c '^! src/tn_internal.h.gch' "$work/made")" -eq "$(wc -l <"$work/library/sources.txt")" ]; }
nothing_left() { [ -z "$(find "$work/library" -name '*.gch')" ]; }
same_object() { (unset TENON_PRECOMPILED; cd "$work/library" && gcc -O1 -std=c99 -Wno-psabi -Iinclude -c "src/$1.c" -o "$work/alone.o" && cmp "$work/alone.o" "src/$1.o"); }
# A compiler that fails where it has to compile a header.
without() {
  printf '#!/bin/sh\ncase $* in *c-header*) exit 1 ;; esac\nexec gcc "$@"\n' >"$work/plain_cc" && chmod +x "$work/plain_cc" && make -s -C "$work/library" clean && made CC="$work/plain_cc" && ! grep -q gch "$work/made"
}

check 'generates a library' library
if command -v gcc >/dev/null; then
  check 'every file takes the headers that were compiled once' compiled_once
  check 'the compiled headers do not stay' nothing_left
  for file in tn_run tn_op_softmax_portable tn_op_softmax_x86_64_v3 tn_op_arithmetic_x86_64_v4; do
    [ "$(uname -m)" = x86_64 ] && check "$file is the same with the headers read" same_object $file
  done
  check 'a compiler without compiled headers makes the library too' without
else
  echo 'SKIP library: no gcc'
  skipped=$((skipped + 1))
fi

# Elements of each size in lanes of which some are masked.
masked() {
  "$tenon" lib --ops argmax,cumsum,where --dtypes f32,i64 --isa portable,native --amalgamate -q -o "$work/masked" &&
    (cd "$work/masked" && for cc in gcc clang; do command -v $cc || continue; $cc $strict -O1 -Iinclude -fsyntax-only src/tn.c || exit 1; done)
}
check 'compiles masked accesses without a warning' masked

# What a level lacks of its own is that of the level below: each has to be alone, too.
# Levels with products of bytes differ from those below in these alone. The test `warnings` has portable, v3 and v4 alone.
alone() {
  case $1 in *-vnni | *-dotprod) dtypes=i8,u8 ;; *) dtypes=f32,bf16,i8,c64 ;; esac
  "$tenon" lib --isa "$1" --dtypes $dtypes -q --dry-run -o "$work/level"
}
for level in $("$tenon" list isas | awk '$1 !~ /^(portable|x86-64-v[34])$/ { print $1 }'); do check "all ops for $level alone" alone "$level"; done
# Gradients at portable are compiled by tests/warnings; here on vectors with masks and without.
gradients() { "$tenon" lib --grad --dtypes f32 --isa x86-64-v4,neon -q --dry-run -o "$work/level"; }
check 'all gradients on vectors' gradients

# Calls with workers: the bytes of one thread, by the pool itself.
threads() { "$tenon" lib --threads --ops gemm,conv2d,conv_transpose2d,softmax,sum,relu,add,transpose,maxpool2d --dtypes f32 --isa portable,native -q -o "$work/threads"; }
check 'generates a library for workers' threads
# shellcheck disable=SC2046
check 'compiles it with its pool' sh -c 'cd "$0" && ${CC:-cc} -O1 -pthread -DTN_GRAIN_BYTES=64 -Iinclude -o same_calls "$1" $(cat sources.txt) runtime/tn_threads.c' "$work/threads" "$checkout/tests/programs/same_calls.c"
check 'the same bytes on 1, 2, 3 and 8 threads' "$work/threads/same_calls"
without_threads() { "$tenon" lib --ops relu --dtypes f32 -q -o "$work/alone" && ! grep -rq 'tn_context\|tn_share' "$work/alone"; }
check 'a library without --threads knows no context' without_threads

# Bodies for known sizes: what the library without them gives, where they match and where not.
fixed_ops='--ops gemm,matmul,conv2d,softmax,layernorm,relu,leaky_relu,add,maxpool2d --dtypes f32'
fixed='gemm: M=64 N=64 K=64; gemm: M=64 N=64 K=64 transB=true; gemm: M=8 N=64 K=64; gemm: M=1; gemm: alpha=1 beta=0;
matmul: M=16 N=16 K=16; leaky_relu: alpha=0; leaky_relu: alpha=0.25; conv2d: kernel=3 stride=1; conv2d: H=8 W=8 kernel=1x1 stride=1 pads=0 dilation=1; softmax: D=10 Q=1;
layernorm: Q=96; relu: S=64x64; add: S=64; maxpool2d: kernel=2 stride=2x2'
with_fixed() { "$tenon" lib $fixed_ops --isa portable,native --prefix fx --fix "$fixed" -q -o "$work/fixed"; }
without_fixed() { "$tenon" lib $fixed_ops --isa portable,native -q -o "$work/open"; }
check 'generates a library with fixed bodies' with_fixed
check 'generates the same without them' without_fixed
check 'finds nothing to do in a second run' "$tenon" lib $fixed_ops --isa portable,native --prefix fx --fix "$fixed" -q --check -o "$work/fixed"
check 'finds other sizes stale' refuses "$tenon" lib $fixed_ops --isa portable,native --prefix fx --fix 'relu: S=8' -q --check -o "$work/fixed"
check 'lists them in the manifest' grep -q '"fixed": \["M=64 N=64 K=64", "M=64' "$work/fixed/MANIFEST.json"
# shellcheck disable=SC2086,SC2046
check 'compiles it without a warning' sh -c 'cd "$0" && for f in $(cat sources.txt); do ${CC:-cc} -O0 '"$strict"' -Iinclude -c -o one.o $f || exit 1; done' "$work/fixed"
compile_fixed() {
  # shellcheck disable=SC2046
  (cd "$work" && $clang -O0 "$@" -Ifixed/include -Iopen/include -o compare_fixed "$checkout/tests/programs/fixed.c" \
    $(sed 's|^|fixed/|' fixed/sources.txt) $(sed 's|^|open/|' open/sources.txt) -lm)
}
check 'compiles both' compile_fixed -fsanitize=address,undefined -fno-sanitize-recover=all
for isa in $("$tenon" list isas | awk '$NF == "host" && $1 !~ /-(vnni|dotprod)$/ { print $1 }'); do
  grep -q "\"$isa\"" "$work/fixed/MANIFEST.json" && check "$isa: fixed bodies compute the same" "$work/compare_fixed" "$isa"
done
fixed_gradients() { "$tenon" lib --ops gemm,softmax --dtypes f32 --isa portable,native --grad --threads --fix 'gemm: M=8; gemm_grad: M=8 N=8 K=8; softmax_grad: D=10 Q=1' -q -o "$work/fixed_gradients"; }
check 'fixes gradients, and calls with workers' fixed_gradients
# shellcheck disable=SC2046
check 'compiles them' sh -c 'cd "$0" && ${CC:-cc} -O0 -pthread -Iinclude -shared -fPIC -o all.so $(cat sources.txt)' "$work/fixed_gradients"
