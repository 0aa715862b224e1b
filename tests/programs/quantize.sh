# A float model in integers: what is printed and written, and that the result runs.
# shellcheck shell=sh
dense=$checkout/tests/fuzz/corpus/onnx/dense.onnx
mkdir -p "$work/examples" "$work/no_examples" "$work/wrong_examples"
# rows of 4 numbers: 1, 0.5 and 2 in turns, and a 100
eight() { printf '\0\0\200\77\0\0\0\77\0\0\0\100\0\0\200\77\0\0\0\77\0\0\0\100\0\0\200\77\0\0\0\77'; }
far() { printf '\0\0\200\77\0\0\0\77\0\0\310\102\0\0\200\77\0\0\0\77\0\0\0\100\0\0\200\77\0\0\0\77'; }
{ printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (6, 4), }" && eight && eight && far; } >"$work/examples/x.npy"
{ printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 3), }" && eight && eight && eight; } >"$work/wrong_examples/x.npy"
quantizes() { "$tenon" quantize "$dense" --size N=1..2 --isa portable --cc "${CC:-cc} -O0" "$@"; }
check 'quantises a model' sh -c "'$tenon' quantize '$dense' --size N=1..2 --isa portable --cc '${CC:-cc} -O0' --data '$work/examples' -o '$work/dense_int8.onnx' >'$work/quantized'"
check 'all its products' grep -q '^\([0-9]*\) of \1 convolutions and products' "$work/quantized"
check 'six rows in calls of two' grep -q '; 3 calls on examples' "$work/quantized"
check 'the classes stay' grep -q '; 6 of 6 rows have the same largest element' "$work/quantized"
cp "$work/dense_int8.onnx" "$work/first.onnx"
check 'by most of the elements' quantizes -q --data "$work/examples" --calibration percentile=90 -o "$work/dense_int8.onnx"
check 'other steps' refuses cmp -s "$work/first.onnx" "$work/dense_int8.onnx"
check 'as at first' quantizes -q --data "$work/examples" -o "$work/dense_int8.onnx"
check 'the same bytes' cmp "$work/first.onnx" "$work/dense_int8.onnx"
check 'the result has products of integers' sh -c "'$tenon' explain '$work/dense_int8.onnx' --size N=1..2 --isa portable | grep -q i32"
check 'the file is what it would write' quantizes -q --data "$work/examples" --check -o "$work/dense_int8.onnx"
check 'and is not with other steps' says 'differs from what would be generated' quantizes -q --data "$work/examples" --calibration percentile=90 --check -o "$work/dense_int8.onnx"
check 'everything but writing' quantizes -q --data "$work/examples" --dry-run -o "$work/no.onnx"
check 'no examples' says 'has no .npy file for the input' quantizes --data "$work/no_examples" -o "$work/no.onnx"
check 'no folder' says 'is no folder' quantizes --data "$work/nowhere" -o "$work/no.onnx"
check 'examples of other extents' says 'no stack of examples' quantizes --data "$work/wrong_examples" -o "$work/no.onnx"
check 'a node that is not there' says_of_line "has no node 'nobody'" quantizes --data "$work/examples" --keep nobody -o "$work/no.onnx"
check 'a model in YAML' says 'models in ONNX are quantised' "$tenon" quantize "$checkout/examples/digits/digits.yaml" --data "$work/examples" -o "$work/no.onnx"
check 'a calibration that there is not' says_of_line "'entropy' is not minmax" quantizes --data "$work/examples" --calibration entropy -o "$work/no.onnx"
