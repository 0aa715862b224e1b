# What --selftest writes: it passes on every level, and finds a number that is wrong.
# shellcheck shell=sh
self() {
  self_model=$checkout/$1 self_folder=$work/self_$2
  shift 2
  "$tenon" model "$self_model" --selftest -q "$@" -o "$self_folder"
}

# passes FOLDER LEVELS: the program's self-test says so, once a level.
passes() { "$work/self_$1/net" --selftest >"$work/said" && [ "$(grep -c '^selftest [^ ]*: passed' "$work/said")" -ge "$2" ] || { cat "$work/said"; return 1; }; }

for kind in tests/programs/types.yaml:types tests/programs/bytes.yaml:bytes tests/programs/empty.yaml:empty tests/programs/loops.yaml:loops examples/digits/digits.yaml:digits; do
  part=${kind#*:}
  check "generates the self-test of $part" self "${kind%%:*}" "$part" --main
  for cc in $compilers; do
    command -v $cc >/dev/null || { echo "SKIP selftest: no $cc"; skipped=$((skipped + 1)); continue; }
    check "$cc compiles the self-test of $part" compiled "self_$part" $cc
    check "the self-test of $part after $cc" passes "$part" 2
  done
done
check 'weights as a file' self examples/digits/digits.yaml bin --main --weights bin
check 'compiles with weights as a file' compiled self_bin "${CC:-cc}"
check 'its self-test' passes bin 2

# finds FOLDER SED FILE: after that change of a file the self-test fails, and says which output it was.
finds() {
  sed -i "$2" "$work/$1/src/$3" && compiled "$1" "${CC:-cc}" || return 1
  "$work/$1/net" --selftest >"$work/said"
  [ $? -eq 1 ] && grep -q "^selftest portable: output '$4' differs$" "$work/said" || { cat "$work/said"; return 1; }
}
check 'an answer that differs by a thousandth' finds self_digits 's/^  \(0\.[0-9]*\),/    \1 * 1.001,/' net_selftest.c y
check 'an answer that is not finite' finds self_types 's/IS_NAN,/IS_INFINITE,/' net_selftest.c d_out
self tests/programs/types.yaml types --main --force
check 'a kernel that is wrong' finds self_types 's/(uint16_t)(A\[s_1\] +/(uint16_t)(A[s_1] -/' net_portable.c u_out

# As a function alone, for programs of one's own and for machines without files.
check 'a self-test without a program' self examples/digits/digits.yaml alone --isa portable
printf '#include <net.h>\nint main(void) { double worst = 9; return net_selftest(0, &worst) != 0 || worst > 1; }\n' >"$work/self_alone/own.c"
check 'called by another program' sh -c 'cd "$0" && ${CC:-cc} -O1 -std=c99 -Iinclude -o own own.c $(cat sources.txt) && ./own' "$work/self_alone"
check 'reads no header of the system but string.h' sh -c '! grep -h "^#include <" "$0/src/net_selftest.c"' "$work/self_alone"

check 'the same bytes again' sh -c '"$0" model "$1" --selftest -q --isa portable --check -o "$2"' "$tenon" "$checkout/examples/digits/digits.yaml" "$work/self_alone"
check 'more work than the interpreter takes on' says '^tenon: error: .*mixed.yaml: --selftest: the interpreter would compute [0-9.e+]* numbers for the expected outputs, and 2e+07 are allowed; --selftest-limit [0-9.e+]* allows them$' \
  self tests/programs/mixed.yaml mixed
check 'a type that is stored only' says "error: .*small.yaml: --selftest: input 'x': numbers of type f8e4m3fn are neither drawn nor compared" self tests/programs/small.yaml small
check 'a program without a self-test' refuses "$work/bin/net" --selftest
