# The gallery of definitions: every op of examples/definitions, on its own tests.
# shellcheck shell=sh
for file in "$checkout"/examples/definitions/*.yaml; do
  for op in $(sed -n 's/^  - op: //p' "$file"); do
    check "examples/definitions/$(basename "$file"): $op" \
      "$tenon" try "$file" --op "$op" --isa portable --cc "$quick -O0" -q
  done
done

# What tensors of a variadic input make together, and calls whose shapes are known in part.
for op in running_mean below_best pooled_means scaled_pooled_means; do
  check "$op" "$tenon" try "$checkout/tests/programs/collected.yaml" --op $op --isa portable,native --cc "$quick -O0" -q
done
cat >"$work/joined.yaml" <<'YAML'
graph: joined
inputs: {}
parameters:
  a: {type: "f32[2, 1]", from: full(value=2)}
  b: {type: "f32[1, 1]", from: full(value=6)}
  c: {type: "f32[2, 1]", from: full(value=10)}
main: |
  y = running_mean(a, b, c)
  z = below_best(a, c, axis=1)
outputs: [y, z]
YAML
joined() { "$tenon" run "$work/joined.yaml" --defs "$checkout/tests/programs/collected.yaml" >"$work/joined.txt"; }
check 'a graph of collected tensors' joined
check 'tensors are put one after the other' grep -qx 'y: f32\[5, 1\] 1 2 4 8 10' "$work/joined.txt"
check 'tensors are put side by side' grep -qx 'z: f32\[2, 2, 1\] 8 0 8 0' "$work/joined.txt"

# zero TYPE: zero.npy has one element, which keeps what it is added to from being computed before.
zero() {
  case $1 in
    f32) array "$work/zero.npy" '<f4' 1, False '\0\0\0\0' ;;
    *) array "$work/zero.npy" '<i8' 1, False '\0\0\0\0\0\0\0\0' ;;
  esac
}

# A copy is no view of its source where the source is read after the copy was changed, or as an index.
for type in f32 i64; do
  zero $type
  cat >"$work/copied.yaml" <<YAML
graph: copied
inputs: {zero: "$type[1]"}
parameters:
  x: {type: "$type[4]", from: full(value=1)}
  v: {type: "$type[3]", from: full(value=5)}
  at: {type: "i64[3]", from: full(value=1)}
main: |
  y = x + zero
  a = cumsum(y, axis=0)
  b = cumsum(y, axis=0, reverse=true)
  c = cumsum(2*y, axis=0)
  changed, tripled = changed_copy(a, at, v)
  largest, counted = counted_copy(b, at, v)
  copied, placed = indexed_copy(c, at, v)
outputs: [changed, tripled, largest, counted, copied, placed]
YAML
  copied() { "$tenon" run "$work/copied.yaml" "$work/zero.npy" --defs "$checkout/tests/programs/copied.yaml" --isa portable,native >"$work/copied.txt"; }
  check "a graph of $type copies that are changed" copied
  for value in 'changed: .* 1 17 3 4' 'tripled: .* 3 6 9 12' 'largest: .* 4 5 2 1' 'counted: .* 0 0' 'copied: .* 2 4 6 8' 'placed: .* 0 0 0 15'; do
    check "$type copies, $value" grep -q "^$value\$" "$work/copied.txt"
  done
done

# An update of the second of two ops that share a product reads its own operand in the condition.
zero f32
cat >"$work/product.yaml" <<'YAML'
graph: product
inputs: {zero: "f32[1]"}
parameters:
  ones: {type: "f32[2, 3]", from: full(value=1)}
  w: {type: "f32[3, 4]", from: full(value=2)}
  twos: {type: "f32[2, 4]", from: full(value=2)}
main: |
  x = cumsum(ones + zero, axis=0)
  g = cumsum(twos + zero, axis=1)
  a = total_of_rows(x, w)
  b = kept_of_columns(g, x, w)
outputs: [a, b]
YAML
product() { "$tenon" run "$work/product.yaml" "$work/zero.npy" --defs "$checkout/tests/programs/shared_product.yaml" --isa portable,native >"$work/product.txt"; }
check 'a graph of two ops that share a product' product
check 'they are one kernel' sh -c '"$0" explain "$1" "$2" | grep -q "both need the same products"' "$tenon" "$work/product.yaml" "$checkout/tests/programs/shared_product.yaml"
check 'the results of the first' grep -qx 'a: f32\[2\] 10 16' "$work/product.txt"
check 'the results of the second' grep -qx 'b: f32\[4\] 0 0 -18 -18' "$work/product.txt"
