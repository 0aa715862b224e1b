# Models in ONNX that are trained, data that is no .npy, early ends, learning curves.
# shellcheck shell=sh
model=$checkout/tests/fuzz/corpus/onnx/dense.onnx
awk 'BEGIN { print "a,b,c,d,class"; for (i = 0; i < 60; ++i) { k = i % 3; printf "%g, %g, %g, %g, %d\n", (k == 0) + i % 7 / 20, (k == 1) + i % 5 / 20, (k == 2) + i % 4 / 20, 0.5, k } }' >"$work/rows.csv"
cat >"$work/with.yaml" <<'YAML'
sizes: {N: 1..20}
train:
  targets: {t: "i64[N]"}
  loss: nll_loss_mean(log(y + 1e-6), t)
  optimizer: adam(lr=0.05)
YAML
rows="--data x=$work/rows.csv:a-d --data t=$work/rows.csv:5"
# shellcheck disable=SC2086
onnx_trains() { "$tenon" train "$model" -q --train-with "$work/with.yaml" --isa portable $rows "$@"; }
check 'an ONNX model is trained' ends 0 '^step time' onnx_trains --epochs 60 --log "$work/o.log" -o "$work/o.npz" --export-onnx "$work/o.onnx"
check 'its loss falls' awk 'NR == 2 { first = $2 } END { exit !($2 < first / 2) }' "$work/o.log"
check 'the export is a model' "$tenon" dump graph "$work/o.onnx" --size N=1
# The producer and its version are two strings of a few bytes.
same_but_producer() { more=$(($(wc -c <"$work/o.onnx") - $(wc -c <"$model"))); [ $more -ge 0 ] && [ $more -le 24 ] && head -c 24 "$work/o.onnx" | grep -q tenon; }
check 'of the same size but for the name of the producer' same_but_producer
check 'whose weights are others' refuses cmp -s "$work/o.onnx" "$model"
check 'it begins where training ended' sh -c "'$tenon' train '$work/o.onnx' -q --train-with '$work/with.yaml' --isa portable $rows --steps 1 --log '$work/p.log' && awk 'END { exit !(\$2 < 0.6) }' '$work/p.log'"
check 'the step explained' sh -c "'$tenon' explain '$model' --train --train-with '$work/with.yaml' --isa portable | grep -q gemm"
check 'its program' "$tenon" model "$model" -q --train --train-with "$work/with.yaml" --isa portable --main -o "$work/onnx_train"
check '--train-with is about ONNX' ends 2 'is about a model in ONNX' "$tenon" train "$graph" -q --train-with "$work/with.yaml" --data x=none.npy
check '--train-with needs --train' ends 2 'add --train' "$tenon" model "$model" --train-with "$work/with.yaml" -o "$work/none"
check 'ONNX without it' ends 1 'with --train-with FILE' "$tenon" train "$model" -q --size N=4 --data x="$work/rows.csv"
check 'no room for the export' ends 1 'full' onnx_trains --steps 1 --export-onnx /dev/full
# Data.
train=$work/onnx_train/net_train
# Arrays are kept to the end of the program, those of a checkpoint too.
export ASAN_OPTIONS=detect_leaks=0
check 'the program of an ONNX model, under sanitizers' make -s -C "$work/onnx_train" CFLAGS='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all'
table() { "$train" --data x="$1" --data t="$2" --steps 2; }
check 'no such column' ends 1 "it has no column '9' among its 5" table "$work/rows.csv:1-3,9" "$work/rows.csv:class"
check 'too few columns' ends 1 "3 of its columns are read; examples of input 'x' have 4 numbers" table "$work/rows.csv:1-3" "$work/rows.csv:class"
mkfifo "$work/piped.csv"
# shellcheck disable=SC2016
check 'a table from a pipe' ends 1 'piped.csv: a pipe cannot be read twice' sh -c 'cat "$1/rows.csv" >"$1/piped.csv" & timeout 20 "$0" --data x="$1/piped.csv:1-4" --data t="$1/rows.csv:class" --steps 2' "$train" "$work"
sed '7s/, 0.5/, half/' "$work/rows.csv" >"$work/word.csv"
check 'a word among numbers' ends 1 "word.csv: line 7, column 4: 'half' is not a number" table "$work/word.csv:1-4" "$work/rows.csv:class"
sed '7s/$/,1/' "$work/rows.csv" >"$work/long.csv"
check 'a line that is longer' ends 1 'line 7 has 6 columns; the first one has 5' table "$work/long.csv:1-4" "$work/rows.csv:class"
check 'a label that is no integer' ends 1 "line 3, column 1 is 0.05, which input 't' of i64 does not have" table "$work/rows.csv:1-4" "$work/rows.csv:1"
tr ',' ';' <"$work/rows.csv" >"$work/other.tsv"
check 'other separators' ends 0 '^step time' table "$work/other.tsv:1-4" "$work/other.tsv:class"
tail -n +2 "$work/rows.csv" | cut -d, -f5 >"$work/labels.csv"
check 'no head' ends 0 '^60 examples' table "$work/rows.csv:1-4" "$work/labels.csv"
: >"$work/empty.csv"
check 'an empty table' ends 1 'it is empty' table "$work/empty.csv" "$work/labels.csv"
# IDX: 60 labels 0, 1, 2; four floats an example.
{ printf '\0\0\10\1\0\0\0\74' && awk 'BEGIN { for (i = 0; i < 60; ++i) printf "\\%d", i % 3 }' | xargs -0 printf; } >"$work/labels.idx"
check 'memory is printed' ends 0 '^memory: parameters and optimizer [0-9.]* MiB, step [0-9.]* MiB, examples [0-9.]* MiB' table "$work/rows.csv:1-4" "$work/rows.csv:5"
check 'labels in IDX' ends 0 '^60 examples' table "$work/rows.csv:1-4" "$work/labels.idx"
head -c 40 "$work/labels.idx" >"$work/cut.idx"
check 'IDX cut short' ends 1 'it ends after 32 of its 60 elements' table "$work/rows.csv:1-4" "$work/cut.idx"
check 'IDX of another shape' ends 1 "its examples have 1 numbers; those of input 'x' have 4" table "$work/labels.idx" "$work/labels.csv"
head -c 240 /dev/zero | tr '\0' '\1' >"$work/bytes.txt"
check 'bytes' ends 0 '^60 examples' table "$work/bytes.txt" "$work/labels.idx"
# Early ends: what is checked is other data, whose loss rises in the end.
awk -F, 'NR == 1 { print } NR > 1 { $5 = ($5 + 1) % 3; print $1 "," $2 "," $3 "," $4 "," $5 }' "$work/rows.csv" >"$work/wrong.csv"
early() { "$train" --data x="$work/rows.csv:1-4" --data t="$work/rows.csv:5" --validate x="$work/rows.csv:1-4" --validate t="$work/wrong.csv:5" --patience 3 "$@"; }
check 'patience' ends 0 'no lower validation loss in 3 epochs: the parameters are those of epoch' early --epochs 40 --log "$work/e.log" -o "$work/e.npz"
check 'a curve next to the log' sh -c "grep -q '</svg>' '$work/e.svg' && grep -q 'class=\"validation\"' '$work/e.svg'"
check 'half of it' early --steps 7 --checkpoint "$work/e.c"
check 'goes on to the same end' early --epochs 40 --resume "$work/e.c" --log "$work/f.log" -o "$work/f.npz"
check 'with the same bytes' sh -c "cmp '$work/e.log' '$work/f.log' && cmp '$work/e.npz' '$work/f.npz' && cmp '$work/e.svg' '$work/f.svg'"
check 'patience needs validation' ends 2 'it looks at the loss of --validate' "$train" --data x="$work/bytes.txt" --data t="$work/labels.idx" --patience 2
