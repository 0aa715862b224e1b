# Weights as C, taken in by the assembler, and as a file: the same answers from each.
# shellcheck shell=sh
npy "$work/in.npy" 3
for form in c incbin bin; do
  levels=$here
  [ $form = c ] && levels=
  # shellcheck disable=SC2086
  check "generates --weights $form" model $form --weights $form $levels
  for cc in gcc clang; do
    command -v $cc >/dev/null || { echo "SKIP weights $form: no $cc"; skipped=$((skipped + 1)); continue; }
    check "$cc compiles --weights $form" compiled $form $cc
    check "$form runs after $cc" "$work/$form/net" "$work/in.npy" -o "$work/$form.npy"
    check "$form has the answers of c" cmp "$work/c.npy" "$work/$form.npy"
  done
done
# With link-time optimisation, by the files that are written with the model.
if command -v gcc-ar >/dev/null; then
  for form in c incbin; do
    check "make with -flto, --weights $form" make -s -C "$work/$form" CC=gcc AR=gcc-ar CFLAGS='-O1 -flto'
    check "runs after make with -flto, --weights $form" "$work/$form/net" "$work/in.npy" -o "$work/$form.npy"
    check "has the answers of c after -flto, --weights $form" cmp "$work/bin.npy" "$work/$form.npy"
  done
else
  echo 'SKIP weights with -flto: no gcc-ar'
  skipped=$((skipped + 1))
fi
mv "$work/bin/net_weights.bin" "$work/elsewhere.bin"
check 'a missing file of weights' says 'net_weights.bin: No such file' "$work/bin/net" "$work/in.npy"
check 'weights from a named file' "$work/bin/net" "$work/in.npy" --weights "$work/elsewhere.bin"
head -c 64 "$work/elsewhere.bin" >"$work/short.bin"
check 'weights cut short' says 'not the size' "$work/bin/net" "$work/in.npy" --weights "$work/short.bin"
{ printf x; tail -c +2 "$work/elsewhere.bin"; } >"$work/other.bin"
check 'weights of another model' says 'checksum' "$work/bin/net" "$work/in.npy" --weights "$work/other.bin"
check '--weights without a file to load' refuses "$work/c/net" "$work/in.npy" --weights "$work/elsewhere.bin"
check 'a model without weights, as a file' "$tenon" model "$checkout/tests/programs/counts.yaml" --main -q $here --weights bin -o "$work/weightless"
check 'compiles without weights' compiled weightless "${CC:-cc}"
{ printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }" && head -c 24 /dev/zero; } >"$work/three.npy"
check 'runs with a file of no bytes' "$work/weightless/net" "$work/three.npy"
