# A library's stack and split in C: operands and parts that are not there, shapes, and what is refused.
# shellcheck shell=sh
parts() { "$tenon" lib --ops stack,split,shares "$checkout/tests/programs/parts.yaml" --dtypes f32 --isa portable,native --grad -q -o "$work/parts"; }
# compiled_parts CC FLAGS...: without a warning.
compiled_parts() {
  cc=$1
  shift
  # shellcheck disable=SC2086,SC2046
  (cd "$work/parts" && "$cc" -O0 $strict "$@" -Iinclude -o parts "$checkout/tests/programs/parts.c" $(cat sources.txt))
}

check 'generates stack and split' parts
for cc in $compilers; do
  command -v $cc >/dev/null || continue
  check "$cc compiles calls of stack and split" compiled_parts $cc
  check "$cc: stack and split answer" "$work/parts/parts"
done
if command -v gcc >/dev/null; then
  check 'gcc compiles calls of stack and split with its sanitizers' compiled_parts gcc -fsanitize=address,undefined -fno-sanitize-recover
  check 'stack and split answer under sanitizers' "$work/parts/parts"
fi
