# Workers: any number of them gives the same bytes as one thread, on every level.
# shellcheck shell=sh
mixed() {
  "$tenon" model "$checkout/tests/programs/mixed.yaml" --main -q -o "$work/mixed" "$@"
}

# floats FILE SHAPE COUNT: a float array of that many numbers, the digits' weights over and over.
floats() {
  printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': ($2), }" >"$1"
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27; do tail -c 9600 "$checkout/examples/digits/weights.safetensors"; done |
    tr '\200-\377' '\0-\177' | tr '\100-\177' '\76\77' | head -c $(($3 * 4)) >>"$1"
}

floats "$work/x.npy" '2, 16, 45, 45' 64800
floats "$work/t.npy" '131, 96' 12576
floats "$work/none.npy" '0, 96' 0
check 'generates for 8 workers' mixed
for cc in gcc clang; do
  command -v $cc >/dev/null || continue
  check "$cc compiles the pool" compiled mixed $cc
done
for isa in $("$tenon" list isas | awk '$NF == "host" { print $1 }'); do
  check "$isa on one thread" "$work/mixed/net" "$work/x.npy" "$work/t.npy" --isa "$isa" -o "$work/y1.npy" -o "$work/z1.npy"
  for n in 2 3 8; do
    check "$isa on $n threads" "$work/mixed/net" "$work/x.npy" "$work/t.npy" --isa "$isa" --threads $n -o "$work/y.npy" -o "$work/z.npy"
    check "$isa: the same bytes on $n threads" cmp "$work/y1.npy" "$work/y.npy"
    check "$isa: the same rows on $n threads" cmp "$work/z1.npy" "$work/z.npy"
  done
  check "$isa without rows on 8 threads" "$work/mixed/net" "$work/x.npy" "$work/none.npy" --isa "$isa" --threads 8
done
check 'more threads than there is room for' says 'max-threads' "$work/mixed/net" "$work/x.npy" "$work/t.npy" --threads 9
check 'generates for one worker' mixed --max-threads 1
check 'compiles for one worker' compiled mixed "${CC:-cc}"
check 'threads for a model of one worker' says 'max-threads' "$work/mixed/net" "$work/x.npy" "$work/t.npy" --threads 2
check 'kernels do not change with the pool' sh -c '"$0" "$1" "$2" -o "$3" && cmp "$3" "$4"' "$work/mixed/net" "$work/x.npy" "$work/t.npy" "$work/y.npy" "$work/y1.npy"
if echo 'int main(void) { return 0; }' | "${CC:-cc}" -fopenmp -x c -o "$work/openmp" - 2>/dev/null; then
  mixed --max-threads 4
  # shellcheck disable=SC2046
  check 'the pool over OpenMP' sh -c 'cd "$0" && ${CC:-cc} -O1 -fopenmp -Iinclude -o net $(grep -v ^runtime sources.txt) runtime/net_threads_openmp.c' "$work/mixed"
  check 'runs over OpenMP' "$work/mixed/net" "$work/x.npy" "$work/t.npy" --threads 3 -o "$work/y.npy"
  check 'the same bytes over OpenMP' cmp "$work/y1.npy" "$work/y.npy"
else
  echo "SKIP threads: ${CC:-cc} has no -fopenmp"
  skipped=$((skipped + 1))
fi
