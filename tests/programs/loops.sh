# Loops in the generated C: right for every length, clean under both compilers.
# shellcheck shell=sh
loops() { "$tenon" model "$checkout/tests/programs/loops.yaml" --main -q "$@" -o "$work/loops"; }

# counts_nothing ROWS: the program finds no element that differs.
counts_nothing() {
  npy "$work/rows.npy" "$1"
  "$work/loops/net" "$work/rows.npy" | tee "$work/counted" && grep -q '^wrong: f32\[\] 0$' "$work/counted"
}

for isa in portable portable,x86-64-v3,x86-64-v4; do
  check "generates loops for $isa" loops --isa $isa
  for cc in $compilers; do
    command -v $cc >/dev/null || { echo "SKIP loops: no $cc"; skipped=$((skipped + 1)); continue; }
    check "$cc compiles loops for $isa" compiled loops $cc
    for rows in 1 2 5 16; do check "loops of $rows steps for $isa after $cc" counts_nothing $rows; done
  done
done
