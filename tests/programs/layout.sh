# The layout of generated C: braces around what every if, else and loop governs (MISRA C 15.6), heads and braces of functions on one line,
# directives in the first column, no two blank lines in a row, lines of at most 120 characters but for texts and directives.
# shellcheck shell=sh
layout() { "$tenon" lib --ops gemm,softmax,sort,unique,topk,searchsorted,nonzero,compress,non_max_suppression,gather,dropout,conv2d,pow,div --dtypes f32,f16,i8,c64 --grad --threads --isa portable -q -o "$work/layout/lib"; }
layout_of_program() { "$tenon" model "$checkout/examples/digits/digits.yaml" --main --selftest --images --weights bin --max-threads 2 --isa portable -q -o "$work/layout/net"; }
layout_of_loop() { "$tenon" model "$checkout/tests/programs/loops.yaml" --main --arena fast=1K,slow --isa portable -q -o "$work/layout/loop"; }
layout_of_training() { "$tenon" model "$checkout/examples/train_digits/train.yaml" --train --main --mpi --isa portable -q -o "$work/layout/train"; }
one_layout() {
  find "$work/layout" -name '*.[ch]' -exec awk '
    FNR == 1 { blank = 0 }
    function open(text) { return gsub(/\(/, "", text) > gsub(/\)/, "", text) }  # the line goes on
    /^ *(} )?(else|(else )?(if|for|while) \(.*\)( [^{]*;)?)$/ && !open($0) { print FILENAME ":" FNR ": no braces: " $0; bad = 1 }
    /^\{$/ { print FILENAME ":" FNR ": a brace alone"; bad = 1 }
    /^ +#/ { print FILENAME ":" FNR ": a directive that is indented"; bad = 1 }
    length($0) > 120 && !/^ *#|"/ { print FILENAME ":" FNR ": wider than 120: " $0; bad = 1 }
    /^$/ && blank { print FILENAME ":" FNR ": two blank lines"; bad = 1 }
    { blank = /^$/ }
    END { exit bad }' {} +
}
check 'generates a library for its layout' layout
check 'generates a program for its layout' layout_of_program
check 'generates loops for their layout' layout_of_loop
check 'generates a training program for its layout' layout_of_training
check 'all C has one layout' one_layout
in_two_folders() {
  mkdir -p "$work/layout/folder" && cp "$checkout"/examples/digits/digits.yaml "$checkout"/examples/digits/weights.safetensors "$work/layout/folder/" &&
    "$tenon" model "$work/layout/folder/digits.yaml" --main --isa portable -q -o "$work/layout/copy" &&
    "$tenon" model "$checkout/examples/digits/digits.yaml" --main --isa portable -q -o "$work/layout/original" &&
    diff -r "$work/layout/copy" "$work/layout/original"
}
check 'output does not depend on the folder of a graph' in_two_folders
