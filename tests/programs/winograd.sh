# Winograd convolutions: on every level, for any batch and number of threads, as close to the sums of products as docs/accuracy.md says.
# shellcheck shell=sh
winograd() {
  "$tenon" model "$checkout/tests/programs/winograd.yaml" --main -q -o "$work/winograd" "$@"
}
# close FILE...: the numbers in the files are at most 1e-5.
close() {
  for file in "$@"; do
    tail -c 4 "$file" | od -An -tf4 | awk '{ print; if (!($1 >= 0 && $1 <= 1e-5)) bad = 1 } END { exit bad }' || return 1
  done
}
floats "$work/one_x.npy" '1, 24, 18, 45' 19440
floats "$work/one_r.npy" '1, 40, 18, 45' 32400
floats "$work/two_x.npy" '2, 24, 18, 45' 38880
floats "$work/two_r.npy" '2, 40, 18, 45' 64800
{ printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }" && head -c 4 /dev/zero; } >"$work/zero.npy"
check 'generates Winograd convolutions' winograd
check 'they are five of its kernels' sh -c '[ "$("$0" explain "$1" | grep -c "algorithm: Winograd")" = 5 ]' "$tenon" "$checkout/tests/programs/winograd.yaml"
check 'their long steps are shared' all_shared "$checkout/tests/programs/winograd.yaml"
for cc in $compilers; do
  command -v $cc >/dev/null || continue
  check "$cc compiles Winograd convolutions" compiled winograd $cc
done
# Levels for products of bytes are not in programs without such products.
for isa in $("$tenon" list isas | awk '$NF == "host" && $1 !~ /-(vnni|dotprod)$/ { print $1 }'); do
  for batch in one two; do
    for n in 1 2 3 8; do
      out="-o $work/a.npy -o $work/b.npy -o $work/c.npy -o $work/d.npy -o $work/e.npy -o $work/a$n.npy -o $work/b$n.npy -o $work/c$n.npy -o $work/d$n.npy -o $work/e$n.npy"
      # shellcheck disable=SC2086
      check "$isa: Winograd, batch $batch, $n threads" "$work/winograd/net" "$work/${batch}_x.npy" "$work/${batch}_r.npy" "$work/zero.npy" --isa "$isa" --threads $n $out
      check "$isa: close to the sums of products, batch $batch" close "$work/a.npy" "$work/b.npy" "$work/c.npy" "$work/d.npy" "$work/e.npy"
      for name in a b c d e; do
        check "$isa: Winograd, the same bytes on $n threads" cmp "$work/${name}1.npy" "$work/$name$n.npy"
      done
    done
  done
done
check 'generates without Winograd' winograd --no-winograd --force
check 'no kernel is one' refuses grep -rq 'blueprint winograd' "$work/winograd/src"
check '--no-winograd on a level without vectors' says_of_line 'changes nothing' winograd --no-winograd --isa portable
check '--no-winograd on a model without such a convolution' says_of_line 'changes nothing' model plain --no-winograd
