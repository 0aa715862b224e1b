# Elementary functions of --math=libm and --fast-math: what is called and linked, and how far results are from the usual ones.
# shellcheck shell=sh
math_library() { "$tenon" lib --ops exp,tanh,softmax --dtypes f32 --isa portable,x86-64-v3 --no-registry -q -o "$work/$1" "$2"; }
math_objects() {
  # shellcheck disable=SC2086,SC2046
  (cd "$work/$1" && for s in $(cat sources.txt); do "$2" -O0 $strict -Wno-psabi -Iinclude -c "$s" -o "$s.o" || exit 1; done)
}
calls() { nm -u "$work"/"$1"/src/*.o | grep -qw "$2"; }
# near BOUND A B: the numbers of two .npy files of 10 classes differ by at most BOUND.
near() {
  for file in "$2" "$3"; do tail -c 40 "$file" | od -An -v -tf4 -w4 >"$file.txt"; done
  paste "$2.txt" "$3.txt" | awk -v bound="$1" '{ d = $1 - $2; if (d < 0) d = -d; if (d > bound) bad = 1; n++ } END { exit bad || n != 10 }'
}
npy "$work/math_x.npy" 1

check 'a library with functions of the C library' math_library libm --math=libm
check 'a library with cheaper functions' math_library fast --fast-math
for cc in gcc clang; do
  command -v $cc >/dev/null || continue
  check "$cc compiles functions of the C library" math_objects libm $cc
  for f in expf tanhf; do check "$cc: $f is called" calls libm $f; done
done
check 'compiles cheaper functions' math_objects fast "${CC:-cc}"
check 'they call no library' refuses calls fast 'expf\|tanhf'
check 'the CMake file links it' grep -q 'target_link_libraries(tn PUBLIC m)' "$work/libm/CMakeLists.txt"
check 'so does the file for pkg-config' grep -q 'Libs: .* -lm$' "$work/libm/tn.pc.in"
check 'no math.h without the flag' refuses grep -rq 'math\.h' "$work/fast"
check 'functions of the C library take its exp' grep -q 'return expf(x);' "$work/libm/src/tn_op_softmax_portable.c"

check 'the usual program' model usual --isa portable
check 'a program with functions of the C library' model with_libm --isa portable --math=libm
check 'a program with cheaper functions' model cheaper --isa portable --fast-math
for kind in usual with_libm cheaper; do
  check "make: $kind" make -s -C "$work/$kind" CFLAGS=-O0
  check "runs: $kind" "$work/$kind/net" "$work/math_x.npy" -o "$work/$kind.npy"
done
contracting() {
  make -s -C "$work/usual" clean &&
    make -s -C "$work/usual" CC=clang CFLAGS="-O2 -march=haswell -ffp-contract=$1" &&
    "$work/usual/net" "$work/math_x.npy" -o "$work/contract_$1.npy"
}
if command -v clang >/dev/null && grep -qw fma /proc/cpuinfo; then
  for mode in off fast; do check "clang -ffp-contract=$mode" contracting $mode; done
  check 'with the same bytes' cmp "$work/contract_off.npy" "$work/contract_fast.npy"
  check 'as those of the usual program' cmp "$work/contract_off.npy" "$work/usual.npy"
fi
check 'close to the usual results: the C library' near 2e-6 "$work/usual.npy" "$work/with_libm.npy"
check 'close to the usual results: cheaper functions' near 2e-5 "$work/usual.npy" "$work/cheaper.npy"
check 'but not the same bytes' refuses cmp -s "$work/usual.npy" "$work/cheaper.npy"
check 'tenon run takes both' "$tenon" run "$checkout/examples/digits/digits.yaml" "$work/math_x.npy" --isa portable --math=libm -q -o "$work/run.npy"
check 'with the same bytes as the program' cmp "$work/run.npy" "$work/with_libm.npy"
says_bound() { "$tenon" explain softmax_f32 --isa portable "$@" | grep -q "exp of f32: $bound"; }
bound='error below 1e-05 of the value'
check 'explain states the bound' says_bound --fast-math
bound='of <math.h>'
check 'explain says where functions come from' says_bound --math=libm
idle() { "$tenon" lib --ops add --dtypes f32 --isa portable --fast-math -o "$work/idle" 2>&1 | grep -q 'changes nothing here'; }
check 'a library without such functions is told so' idle
check '--fast-math of what it does not take' says_of_line "'bf8' is not functions" "$tenon" lib --fast-math=bf8 -o "$work/no"
check '--math of what it does not take' says_of_line "'glibc' is not own or libm" "$tenon" lib --math=glibc -o "$work/no"
check '--fast-math beside --math=libm' says_of_line 'exclude each other' "$tenon" lib --fast-math --math=libm -o "$work/no"
check '--math=libm without a C library' says_of_line 'needs a C library' "$tenon" lib --freestanding --math=libm -o "$work/no"
