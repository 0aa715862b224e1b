# The arena in memory regions: at budgets drawn at random the bytes of the single arena, and diagnostics of those that are too small.
# shellcheck shell=sh
drawn=28
# draw BOUND: a number from 1 to BOUND, in $drawn_below.
draw() {
  drawn=$(((drawn * 1103515245 + 12345) % 2147483648))
  drawn_below=$((drawn / 65536 % $1 + 1))
}

# arena_of HEADER PREFIX: the bytes of the single arena.
arena_of() { awk -v name="$2_ARENA_BYTES" '$1 == "#define" && $2 == name { print $3 }' "$1"; }

# in_regions NAME KIND MAIN-OPTIONS...: the model of $graph with one arena beside three regions, compiled with $cflags and run.
in_regions() {
  what=$1 suffix=$2
  shift 2
  check "$what: generates with one arena" "$tenon" model "$graph" -q --name one --max-threads 3 "$@" -o "$work/one"
  upper=ONE$(echo "$suffix" | tr a-z A-Z)
  total=$(arena_of "$work/one/include/one$suffix.h" "$upper")
  check "$what: has an arena" test "${total:-0}" -gt 0
  sed "s/\\(one\\|parts\\)_/\\1${suffix}_/g; s/\\(ONE\\|PARTS\\)_/\\1$(echo "$suffix" | tr a-z A-Z)_/g; s/\"\\(one\\|parts\\)\\.h/\"\\1$suffix.h/" \
    "$checkout/tests/programs/arena.c" >"$work/arena.c"
  # shellcheck disable=SC2046
  check "$what: compiles it" sh -c 'cd "$0" && ${CC:-cc} -O1 -Iinclude -c $(grep -v ^runtime sources.txt) runtime/*_threads.c && ar rc libone.a *.o' "$work/one"
  for _ in 1 2; do
    draw $((total / 64))
    budgets="a=$((64 * drawn_below))"
    draw $((total / 128 + 1))
    budgets="$budgets,b=$((64 * drawn_below)),c"
    check "$what in $budgets: generates" "$tenon" model "$graph" -q --name parts --max-threads 3 --arena "$budgets" "$@" -o "$work/divided"
    # shellcheck disable=SC2086
    check "$what in $budgets: compiles" sh -c 'cd "$0/divided" && ${CC:-cc} -O1 $1 -Iinclude -I../one/include -o ../regions ../arena.c $(grep -v ^runtime sources.txt) runtime/*_threads.c ../one/libone.a -lpthread' \
      "$work" "-DRUN_ONE=one$suffix$entry -DRUN_PARTS=parts$suffix$entry $cflags"
    check "$what in $budgets: the bytes of one arena" "$work/regions"
  done
  rm -rf "$work/one" "$work/divided"
}

entry=_run
graph=$checkout/tests/programs/mixed.yaml
cflags="-DINPUTS={'f',259200},{'f',23040} -DOUTPUTS=270848,48000 -DSIZES=60,"
in_regions 'convolutions' '' --isa native
graph=$checkout/tests/programs/images.yaml
cflags="-DINPUTS={'f',8064} -DOUTPUTS=9600,22400,35840,26880 -DSIZES="
in_regions 'several images' '' --isa native
graph=$checkout/tests/programs/bytes.yaml
cflags="-DINPUTS={'b',594},{'b',350},{'b',294} -DOUTPUTS=1760,660,4928,8800,1920 -DSIZES="
in_regions 'bytes' '' --isa portable
graph=$checkout/tests/programs/loops.yaml
cflags="-DINPUTS={'f',3328} -DOUTPUTS=4 -DSIZES=13,"
in_regions 'loops' '' --isa portable
graph=$checkout/tests/programs/state.yaml
cflags="-DINPUTS={'f',480},{'i',8} -DOUTPUTS=160,480 -DSIZES= -DSTATE_BYTES=ONE_STATE_BYTES"
in_regions 'state' '' --isa portable --defs "$checkout/tests/programs/state_ops.yaml" \
  --state h=h2 --state k=k2 --state c=c2 --state cache=cache2 --state g=g2 --state v=v2 --state w=w2
graph=$checkout/examples/train_digits/train.yaml entry=_step
cflags="-DINPUTS={'b',2112},{'i',264} -DOUTPUTS=4,8192,128,1280,40 -DSIZES=33, -DSTATE_BYTES=ONE_TRAIN_STATE_BYTES"
in_regions 'a step of training' _train --isa native --train

# A region that is as large as the arena takes it; less is refused with what it would take.
graph=$checkout/tests/programs/loops.yaml
check 'one arena' "$tenon" model "$graph" -q --isa portable -o "$work/whole"
total=$(arena_of "$work/whole/include/net.h" NET)
check 'a region of exactly the arena' "$tenon" model "$graph" -q --isa portable --arena "ram=$total" -o "$work/exactly"
check 'has its bytes' grep -q "#define NET_ARENA_RAM_BYTES $total " "$work/exactly/include/net.h"
check 'a byte less' says "no room for .* ram would need $total bytes and has $((total - 1))" \
  "$tenon" model "$graph" -q --isa portable --arena "ram=$((total - 1))" -o "$work/no_room"
check 'two that are too small' says "no room for .* slow would need .* one region alone would need $total" \
  "$tenon" model "$graph" -q --isa portable --arena fast=8K,slow=8K -o "$work/no_room"
check 'writes nothing then' test ! -e "$work/no_room"
check 'says where each value is' sh -c '"$0" explain "$1" --memory --isa portable --arena fast=8K,slow >"$2" && grep -q "arena fast" "$2" && grep -q "^arena fast .* of 8192; .* live at once" "$2" && grep -q "^arena slow [0-9]* bytes; " "$2"' \
  "$tenon" "$graph" "$work/table"
check 'dumps it' sh -c '"$0" dump memory "$1" --isa portable --arena fast=8K,slow | grep -q "^  memory fast [0-9]* bytes of 8192"' "$tenon" "$graph"
check 'twice the same' sh -c '"$0" model "$1" -q --arena fast=8K,slow -o "$2/a" && "$0" model "$1" -q --arena fast=8K,slow -o "$2/b" && diff -r "$2/a" "$2/b"' "$tenon" "$graph" "$work/divided"
rm -rf "$work/one" "$work/divided"

# Programs: their arrays are in sections that -D names.
npy "$work/in.npy" 5
check 'a program' model whole --isa native --selftest
check 'a program with regions' model divided --isa native --selftest --arena fast=16K,slow
for folder in whole divided; do
  check "compiles the $folder one" compiled $folder "${CC:-cc}"
  check "its self-test, $folder" "$work/$folder/net" --selftest
  check "runs, $folder" "$work/$folder/net" "$work/in.npy" --threads 3 -o "$work/$folder.npy"
done
check 'gives the same bytes' cmp "$work/whole.npy" "$work/divided.npy"
check 'a section for a region' sh -c 'cd "$0" && ${CC:-cc} -O0 -Iinclude "-DNET_ARENA_FAST_SECTION=__attribute__((section(\".bss.tcm\")))" -c src/net_main.c -o main.o && objdump -t main.o | grep "memory_fast" | grep -q "bss.tcm"' "$work/divided"
# On Linux a linker script may add to the usual one.
echo 'SECTIONS { .tcm (NOLOAD) : ALIGN(64) { *(.bss.tcm) } } INSERT BEFORE .bss;' >"$work/tcm.ld"
check 'a linker script with this section' sh -c 'cd "$0" && ${CC:-cc} -O0 -Iinclude "-DNET_ARENA_FAST_SECTION=__attribute__((section(\".bss.tcm\")))" -Wl,-T,../tcm.ld -o tcm $(cat sources.txt) -lpthread && objdump -t tcm | grep "memory_fast" | grep -q " \.tcm"' "$work/divided"
check 'runs there' "$work/divided/tcm" "$work/in.npy" -o "$work/tcm.npy"
check 'gives the same bytes there' cmp "$work/whole.npy" "$work/tcm.npy"
check 'data to train with' sh -c "${CC:-cc} -o '$work/split' '$checkout/examples/train_digits/split.c' && '$work/split' '$checkout/examples/train_digits/images.txt' '$work'"
for flag in '' '--arena fast=8K,slow'; do
  # shellcheck disable=SC2086
  check "a program that trains $flag" "$tenon" model "$checkout/examples/train_digits/train.yaml" --train --main -q --isa native --max-threads 2 $flag -o "$work/learn"
  check "compiles it $flag" sh -c 'cd "$0" && ${CC:-cc} -O0 $1 -Iinclude -o learn $(cat sources.txt) -lm -lpthread' "$work/learn" "$strict"
  check "trains $flag" "$work/learn/learn" --data "x=$work/train_x.npy" --data "t=$work/train_t.npy" --validate "x=$work/held_x.npy" --validate "t=$work/held_t.npy" --epochs 1 --log "$work/log$flag" -o "$work/learned${flag:+_regions}.npz"
done
check 'learns the same parameters' cmp "$work/learned.npz" "$work/learned_regions.npz"
check 'regions without a C library' "$tenon" model "$graph" -q --freestanding --isa portable --arena fast=16K,slow -o "$work/bare"
check 'compiles these' sh -c 'cd "$0" && ${CC:-cc} -ffreestanding $1 -Iinclude -c $(cat sources.txt)' "$work/bare" "$strict"

# A program whose arena is beyond 2 GiB links, and says so where there is no memory for it.
printf 'graph: far\ninputs: {x: "f32[28000, 28000]"}\nmain: |\n  y = sort(cumsum(x, axis=0), axis=1)\noutputs: [y]\n' >"$work/far.yaml"
check 'an arena beyond 2 GiB: generates' "$tenon" model "$work/far.yaml" -q --main --isa portable -o "$work/far"
check 'an arena beyond 2 GiB: is one' test "$(arena_of "$work/far/include/net.h" NET)" -gt 2147483648
check 'an arena beyond 2 GiB: compiles and links' sh -c 'cd "$0" && ${CC:-cc} -Iinclude $(cat sources.txt) -pthread -o far' "$work/far"
check 'an arena beyond 2 GiB: without memory for it' says 'net: the arena: not enough memory for [0-9]* bytes' \
  sh -c 'ulimit -v 2000000 && "$0/far" /dev/null' "$work/far"
