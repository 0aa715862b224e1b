# Programs for big-endian machines: the same answers, from the same files. Needs cross compilers and qemu-user.
# shellcheck shell=sh
ordered='--isa portable --max-threads 1'
npy "$work/in.npy" 3
# shellcheck disable=SC2086
check 'generates for this machine' model little $ordered
check 'compiles for this machine' compiled little "${CC:-cc}"
check 'runs on this machine' "$work/little/net" "$work/in.npy" -o "$work/little.npy"
for form in c incbin bin; do
  # shellcheck disable=SC2086
  check "generates --byte-order big --weights $form" model big_$form $ordered --byte-order big --weights $form
done
check 'a third byte order' says_of_line 'byte-order: .middle. is not little or big' "$tenon" model "$checkout/examples/digits/digits.yaml" --byte-order middle -o "$work/none"
check 'this machine is of the other order' says 'byte-order little for this machine' compiled big_c "${CC:-cc}"
# Numbers that C spells have no byte order.
check 'weights that are few numbers' "$tenon" model "$checkout/tests/programs/small.yaml" --main -q $here --byte-order big -o "$work/spelled"
check 'compile on any machine' compiled spelled "${CC:-cc}"

# The same array with the most significant bytes first.
if command -v objcopy >/dev/null; then
  tail -c +129 "$work/in.npy" >"$work/elements"
  check 'reverses bytes' objcopy -I binary -O binary --reverse-bytes=4 "$work/elements"
  { printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '>f4', 'fortran_order': False, 'shape': (3, 64), }" && cat "$work/elements"; } >"$work/swapped.npy"
  check 'an array of the other order' "$work/little/net" "$work/swapped.npy" -o "$work/swapped_out.npy"
  check 'gives the same answers' cmp "$work/little.npy" "$work/swapped_out.npy"
  sed '1s/>f4/>f8/' "$work/swapped.npy" >"$work/wide.npy"
  check 'of another type' says "its dtype is '>f8'" "$work/little/net" "$work/wide.npy"
else
  echo 'SKIP byte_order: no objcopy'
  skipped=$((skipped + 1))
fi

# on MACHINE FOLDER PROGRAM: compiles the folder's program for the machine, statically. By C99 alone, s390x has floats in double.
on() {
  # shellcheck disable=SC2086,SC2046
  (cd "$work/$2" && "$1-linux-gnu-gcc" -static -O0 $strict -fexcess-precision=fast -Iinclude -o "$3" $(cat sources.txt))
}

# shellcheck disable=SC2086
check 'types for this machine' "$tenon" model "$checkout/tests/programs/types.yaml" --main -q $ordered --selftest -o "$work/types_little"
check 'compile here' compiled types_little "${CC:-cc}"
# shellcheck disable=SC2086
check 'types for the other order' "$tenon" model "$checkout/tests/programs/types.yaml" --main -q $ordered --selftest --byte-order big -o "$work/types_big"
for order in little big; do
  # shellcheck disable=SC2086
  check "a program that trains, $order" "$tenon" model "$checkout/examples/train_digits/train.yaml" -q $ordered --train --main --byte-order $order -o "$work/train_$order"
done
check 'compiles the one that trains here' sh -c "cd '$work/train_little' && ${CC:-cc} -O0 -w -Iinclude -o net_train \$(cat sources.txt)"
check 'data to train with' sh -c "${CC:-cc} -o '$work/split' '$checkout/examples/train_digits/split.c' && '$work/split' '$checkout/examples/train_digits/images.txt' '$work'"
data="--data x=$work/train_x.npy --data t=$work/train_t.npy --steps 3"
# shellcheck disable=SC2086
check 'trains here' "$work/train_little/net_train" $data --log "$work/little.log" -o "$work/little.npz"
for machine in s390x mips; do
  if ! command -v $machine-linux-gnu-gcc >/dev/null || ! command -v qemu-$machine >/dev/null; then
    echo "SKIP byte_order $machine: no $machine-linux-gnu-gcc or no qemu-$machine"
    skipped=$((skipped + 1))
    continue
  fi
  check "$machine is not little-endian" says 'byte-order big for this machine' on $machine little net_$machine
  for form in c incbin bin; do
    check "$machine compiles --weights $form" on $machine big_$form net_$machine
    check "$machine runs --weights $form" qemu-$machine "$work/big_$form/net_$machine" "$work/in.npy" -o "$work/big.npy"
    check "$machine has the same answers with --weights $form" cmp "$work/little.npy" "$work/big.npy"
  done
  check "$machine compiles all types" on $machine types_big net_$machine
  check "$machine passes its self-test" qemu-$machine "$work/types_big/net_$machine" --selftest
  check "$machine compiles a program that trains" on $machine train_big net_$machine
  # shellcheck disable=SC2086
  check "$machine trains" qemu-$machine "$work/train_big/net_$machine" $data --log "$work/big.log" -o "$work/big.npz"
  check "$machine learns the same" sh -c "cmp '$work/little.log' '$work/big.log' && cmp '$work/little.npz' '$work/big.npz'"
  for op in cumsum:f64,i16,bf16 add:c64,u8 gather:f16; do
    check "$machine: tenon try ${op%:*}" "$tenon" try -q --op "${op%:*}" --dtypes "${op#*:}" --isa portable \
      --cc "$machine-linux-gnu-gcc -O1 -static -fexcess-precision=fast" --runner qemu-$machine
  done
done
