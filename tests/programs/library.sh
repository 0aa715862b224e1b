# A library's Makefile: its headers are compiled once, and the objects are those of a compiler that reads them for each file.
unset TENON_PRECOMPILED  # libraries precompile headers of their own
# shellcheck shell=sh
library() { "$tenon" lib --ops add,softmax --dtypes f32 --ranks 1-2 -q -o "$work/library"; }
# -H names what a file includes, and in what form.
made() { make -C "$work/library" -j2 "$@" CFLAGS='-O1 -H' >"$work/made" 2>&1 || { tail -5 "$work/made"; return 1; }; }
compiled_once() { made CC=gcc && [ "$(grep -c '^! src/tn_internal.h.gch' "$work/made")" -eq "$(wc -l <"$work/library/sources.txt")" ]; }
nothing_left() { [ -z "$(find "$work/library" -name '*.gch')" ]; }
same_object() { (cd "$work/library" && gcc -O1 -std=c99 -Wno-psabi -Iinclude -c "src/$1.c" -o "$work/alone.o" && cmp "$work/alone.o" "src/$1.o"); }
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

# What a level lacks of its own is that of the level below: each has to be alone, too.
alone() { rm -rf "$work/level" && "$tenon" lib --isa "$1" --dtypes f32,bf16,i8,c64 -q -o "$work/level"; }
for level in $("$tenon" list isas | awk '{ print $1 }'); do check "all ops for $level alone" alone "$level"; done
gradients() { rm -rf "$work/level" && "$tenon" lib --grad --dtypes f32 -q -o "$work/level"; }
check 'all gradients at every level' gradients

# Calls with workers: the bytes of one thread, by the pool itself.
threads() { "$tenon" lib --threads --ops gemm,conv2d,softmax,sum,relu,add,transpose --dtypes f32 --isa portable,native -q -o "$work/threads"; }
check 'generates a library for workers' threads
# shellcheck disable=SC2046
check 'compiles it with its pool' sh -c 'cd "$0" && ${CC:-cc} -O1 -pthread -DTN_GRAIN_BYTES=64 -Iinclude -o same_calls "$1" $(cat sources.txt) runtime/tn_threads.c' "$work/threads" "$checkout/tests/programs/same_calls.c"
check 'the same bytes on 1, 2, 3 and 8 threads' "$work/threads/same_calls"
without_threads() { "$tenon" lib --ops relu --dtypes f32 -q -o "$work/alone" && ! grep -rq 'tn_context\|tn_share' "$work/alone"; }
check 'a library without --threads knows no context' without_threads
