# What the examples around models share, for `. examples/gallery.sh` in the checkout with `example` and `needs` (a model's folder) set.
# Sets `here`, `out`, `folder`, `model`; ends with a visible SKIP where something is missing.
# shellcheck shell=sh
here=$PWD/examples/$example
build=${BUILD:-build}
out=$build/gallery/$example
folder=${TENON_MODELS:-../shared/testdata/models}/$needs
model=$folder/model.onnx

# Nothing failed, but nothing was shown either; the second line is for the sum of all tests.
skip() {
  echo "SKIP $example: $*"
  echo '0 passed, 0 failed, 1 skipped'
  exit 0
}

[ -f "$model" ] || skip "no $model; TENON_MODELS names the folder that has $needs/model.onnx"
command -v python3 >/dev/null || skip 'python3 is not here; it takes stored tensors out of their files'
tests/install_packages build
[ -f "$build/CMakeCache.txt" ] || cmake -S . -B "$build" -DTENON_BUILD_TESTS=OFF >/dev/null
cmake --build "$build" --target tenon >"$build/gallery.log" || { cat "$build/gallery.log"; exit 1; }
mkdir -p "$out"

# generate NAME FLAGS...: the model as C in $out/NAME, for this machine.
generate() {
  name=$1
  shift
  "$build/tenon" model "$model" --name "$name" --isa native -q "$@" -o "$out/$name"
}

# program NAME: makes the program of a model that has one.
program() { make -s -C "$out/$1" "$1"; }

# own PROGRAM MODEL... -- CC FLAGS: $here/PROGRAM.c with the models' C, but for their own command lines.
own() {
  target=$1
  shift
  list= flags=
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    flags="$flags -I$out/$1/include -I$out/$1/src"
    list="$list $(grep -v '_main\.c$' "$out/$1/sources.txt" | sed "s#^#$out/$1/#" | tr '\n' ' ')"
    shift
  done
  [ $# -gt 0 ] && shift
  # shellcheck disable=SC2086
  ${CC:-cc} -std=c99 -O2 $flags "$@" -o "$out/$target" "$here/$target.c" $list -lm
}

stored() { python3 examples/stored_tensors.py "$@"; }
