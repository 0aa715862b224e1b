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
for cc in $compilers; do
  command -v $cc >/dev/null || continue
  check "$cc compiles the pool" compiled mixed $cc
done
# Levels for products of bytes are not in programs without such products.
for isa in $("$tenon" list isas | awk '$NF == "host" && $1 !~ /-(vnni|dotprod)$/ { print $1 }'); do
  check "$isa on one thread" "$work/mixed/net" "$work/x.npy" "$work/t.npy" --isa "$isa" -o "$work/y1.npy" -o "$work/z1.npy"
  for n in 2 3 8; do
    check "$isa on $n threads" "$work/mixed/net" "$work/x.npy" "$work/t.npy" --isa "$isa" --threads $n -o "$work/y.npy" -o "$work/z.npy"
    check "$isa: the same bytes on $n threads" cmp "$work/y1.npy" "$work/y.npy"
    check "$isa: the same rows on $n threads" cmp "$work/z1.npy" "$work/z.npy"
  done
  check "$isa without rows on 8 threads" "$work/mixed/net" "$work/x.npy" "$work/none.npy" --isa "$isa" --threads 8
done
check 'more threads than there is room for' says 'max-threads' "$work/mixed/net" "$work/x.npy" "$work/t.npy" --threads 9
sed 's/f32.2, 16/f32[B, 16/; s/0..300}/0..300, B: 1..3}/' "$checkout/tests/programs/mixed.yaml" >"$work/batch.yaml"
check 'generates for an open batch' "$tenon" model "$work/batch.yaml" --main -q -o "$work/batch"
check 'compiles for an open batch' compiled batch "${CC:-cc}"
for n in 1 2 3 8; do
  check "an open batch on $n threads" "$work/batch/net" "$work/x.npy" "$work/t.npy" --threads $n -o "$work/batch$n.npy" -o "$work/z$n.npy"
  check "an open batch: the same bytes on $n threads" cmp "$work/batch$n.npy" "$work/batch1.npy"
done
head -c 128 "$work/x.npy" | sed 's/(2, 16/(1, 16/' >"$work/one.npy" && tail -c +129 "$work/x.npy" | head -c 129600 >>"$work/one.npy"
for n in 1 2 8; do
  check "one image on $n threads" "$work/batch/net" "$work/one.npy" "$work/t.npy" --threads $n -o "$work/one$n.npy" -o "$work/z$n.npy"
  check "one image: the same bytes on $n threads" cmp "$work/one$n.npy" "$work/one1.npy"
done
# What each worker copies of an image is its own: four images on any number of threads, again and again.
check 'generates strided convolutions of several images' "$tenon" model "$checkout/tests/programs/images.yaml" -q -o "$work/images"
# shellcheck disable=SC2086,SC2046
check 'compiles what compares them' sh -c 'cd "$0" && ${CC:-cc} -O1 -pthread -Iinclude -o same_bytes "$1" $(cat sources.txt)' "$work/images" "$checkout/tests/programs/same_bytes.c"
for isa in $("$tenon" list isas | awk '$NF == "host" && $1 !~ /-(vnni|dotprod)$/ { print $1 }'); do
  check "$isa: the same bytes of four images on 2, 3, 4 and 8 threads" "$work/images/same_bytes" 200 "$isa"
done
# Kernels in loops, which read parts by the counters of the loops.
check 'generates loops whose kernels are shared' "$tenon" model "$checkout/tests/programs/recurrent.yaml" --main -q -o "$work/recurrent"
check 'compiles loops whose kernels are shared' compiled recurrent "${CC:-cc}"
floats "$work/steps.npy" '5, 3, 24, 96' 34560
shared_in_loops() { grep -q 'step = call->counters' "$work"/recurrent/src/net_*.c && grep -q 'step_2 = call->counters' "$work"/recurrent/src/net_*.c; }
check 'functions for the pool read the counters of both loops' shared_in_loops
for isa in $("$tenon" list isas | awk '$NF == "host" && $1 !~ /-(vnni|dotprod)$/ { print $1 }'); do
  for n in 1 2 3 8; do
    check "$isa: loops on $n threads" "$work/recurrent/net" "$work/steps.npy" --isa "$isa" --threads $n -o "$work/last$n.npy" -o "$work/all$n.npy" -o "$work/dU$n.npy" -o "$work/dV$n.npy"
    for v in last all dU dV; do check "$isa: loops give the same $v on $n threads" cmp "$work/$v$n.npy" "$work/${v}1.npy"; done
  done
done
# all_shared GRAPH: no step stays with one thread for want of a proof that its iterations write apart.
all_shared() { "$tenon" dump lower "$1" >"$work/nests" && ! grep 'one thread: .*_phase[0-9]*:' "$work/nests"; }
for graph in images mixed loops types; do
  check "every long step of $graph is shared" all_shared "$checkout/tests/programs/$graph.yaml"
done
floats "$work/p.npy" '1, 4000, 2' 8000
floats "$work/q.npy" '1, 900, 2' 1800
floats "$work/pixels.npy" '1, 8, 30, 40' 9600
check 'generates steps that are shared from end to end' "$tenon" model "$checkout/tests/programs/shared.yaml" --main -q $here -o "$work/shared"
check 'compiles them' compiled shared "${CC:-cc}"
for n in 1 2 8; do
  check "shared steps on $n threads" "$work/shared/net" "$work/p.npy" "$work/q.npy" "$work/pixels.npy" --threads $n -o "$work/r$n.npy" -o "$work/c$n.npy"
  check "shared steps: the same bytes on $n threads" sh -c 'cmp "$0/r$1.npy" "$0/r1.npy" && cmp "$0/c$1.npy" "$0/c1.npy"' "$work" $n
done
for isa in x86-64-v3 x86-64-v4 neon; do
  reasons() { "$tenon" explain "$checkout/tests/programs/shared.yaml" --isa $isa | sed -n 's/^ *one thread: //p' >"$work/reasons"; }
  check "why steps at $isa are not shared" reasons
  check "$isa: one step is not shared, since it is short" sh -c '[ "$(wc -l <"$0")" -eq 1 ] && grep -q "^it takes about 1.3 us, and waking workers pays from 1.5 us on$" "$0"' "$work/reasons"
done
check 'generates a program of portable C' mixed --isa portable
check 'compiles a program of portable C' compiled mixed "${CC:-cc}"
check 'a program of portable C has room for workers' "$work/mixed/net" "$work/x.npy" "$work/t.npy" --threads 8
portable_c() { "$tenon" model "$checkout/tests/programs/mixed.yaml" -q --isa portable -o "$work/plain" && [ ! -e "$work/plain/runtime" ]; }
check 'portable C alone has no workers' portable_c
ran() { "$tenon" run "$checkout/tests/programs/mixed.yaml" "$work/x.npy" "$work/t.npy" -q --isa portable --cc "$clang -O0" "$@"; }
check 'run makes room for the threads that it is given' ran --threads 9
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
