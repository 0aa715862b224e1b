# The gallery of definitions: every op of examples/definitions, on its own tests.
# shellcheck shell=sh
for file in "$checkout"/examples/definitions/*.yaml; do
  for op in $(sed -n 's/^  - op: //p' "$file"); do
    check "examples/definitions/$(basename "$file"): $op" \
      "$tenon" try "$file" --op "$op" --isa portable --cc "${CC:-cc} -O0" -q
  done
done
