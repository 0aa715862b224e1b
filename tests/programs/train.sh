# Programs that train: flags, checkpoints, what goes wrong.
# shellcheck shell=sh
graph=$checkout/examples/train_digits/train.yaml
data="--data x=$work/train_x.npy --data t=$work/train_t.npy"
check 'makes data' sh -c "${CC:-cc} -o '$work/split' '$checkout/examples/train_digits/split.c' && '$work/split' '$checkout/examples/train_digits/images.txt' '$work'"
check 'a program that trains' "$tenon" model "$graph" -q --isa portable,native --max-threads 2 --train --main -o "$work/train"
for cc in $compilers; do
  command -v $cc >/dev/null || { echo "SKIP training: no $cc"; skipped=$((skipped + 1)); continue; }
  check "$cc compiles it" compiled train $cc
done
check 'make builds it' make -s -C "$work/train"
train=$work/train/net_train

# trains NAME FLAGS...: the program on the data; log and parameters have this name.
trains() {
  name=$1
  shift
  # shellcheck disable=SC2086
  "$train" $data --log "$work/$name.log" -o "$work/$name.npz" "$@"
}

# ends STATUS TEXT COMMAND...: passes where the command ends with the status and says so.
ends() {
  wanted=$1 text=$2
  shift 2
  "$@" >"$work/said" 2>&1
  [ $? -eq "$wanted" ] && grep -q -- "$text" "$work/said" || { cat "$work/said"; return 1; }
}

check 'trains' ends 0 '^step time: min [0-9.]* us, median [0-9.]* us, 144 steps' trains whole --epochs 6 --grads "$work/g.npz"
check 'the loss falls' awk 'END { exit !($1 == 143 && $2 < 0.5) }' "$work/whole.log"
check 'trains half of it' trains half --steps 70 --checkpoint "$work/half.c"
check 'goes on' trains half --epochs 6 --resume "$work/half.c"
check 'as if it had not stopped' sh -c "cmp '$work/whole.log' '$work/half.log' && cmp '$work/whole.npz' '$work/half.npz'"
check 'trains on two threads' trains two --epochs 6 --threads 2
check 'two threads give the same' sh -c "cmp '$work/whole.log' '$work/two.log' && cmp '$work/whole.npz' '$work/two.npz'"
check 'another seed' trains other --epochs 6 --seed 7
check 'gives something else' refuses cmp -s "$work/whole.npz" "$work/other.npz"
# shellcheck disable=SC2086
check 'validates' ends 0 'epoch 1 of 1: loss [0-9.]*, validation loss [0-9.]*, accuracy [0-9.]* %' "$train" $data --validate x="$work/held_x.npy" --validate t="$work/held_t.npy"
check 'the batch is bounded' ends 2 '--batch 65: the graph takes 1 to 64' trains none --batch 65
check 'steps or epochs' ends 2 'not both' trains none --steps 3 --epochs 2
check 'every without a checkpoint' ends 2 'checkpoint' trains none --every 3
check 'a flag that there is not' ends 2 'no such option' trains none --fast 3
check 'data that is missing' ends 2 'for each input and target' "$train" --data x="$work/train_x.npy"
check 'data of another name' ends 2 'inputs\|input or target: x t' "$train" --data y="$work/train_x.npy"
check 'data of another type' ends 1 "its dtype is '<i8'" "$train" --data x="$work/train_t.npy" --data t="$work/train_t.npy"
check 'data of other lengths' ends 1 'its shape is (300)' "$train" --data x="$work/train_x.npy" --data t="$work/held_t.npy"
check 'an order of one axis' ends 1 'its shape is (1497)' trains none --order "$work/train_t.npy"
check 'a folder that is not there' ends 1 'No such file' trains none --checkpoint "$work/no/c"
check 'a checkpoint of another run' ends 1 'its run had --seed 0' trains none --epochs 6 --seed 1 --resume "$work/half.c"
head -c 900 "$work/half.c" >"$work/cut.c"
check 'a checkpoint cut short' ends 1 'damaged' trains none --epochs 6 --resume "$work/cut.c"
if [ -c /dev/full ]; then
  # shellcheck disable=SC2086
  # shellcheck disable=SC2086,SC2016
  check 'no room for what it prints' ends 1 'standard output: it cannot be written: No space left' sh -c '"$0" "$@" --log /dev/null >/dev/full' "$train" $data
  check 'no room for parameters' ends 1 'No space left' "$train" $data -o /dev/full
  # shellcheck disable=SC2086
  check 'no room for the log' ends 1 'No space left' "$train" $data --log /dev/full
fi
{ printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 64), }" && head -c 512 /dev/zero; } >"$work/order.npy"
check 'an order of one step' ends 0 ' 1 steps' trains one --order "$work/order.npy"
check 'more steps than the order has' ends 1 'it is for 1 steps; 2 are asked for' trains one --order "$work/order.npy" --steps 2

# Interrupted: a checkpoint, status 130, and the rest as if nothing had been.
# shellcheck disable=SC2086
"$train" $data --epochs 400000 --log "$work/stopped.log" --checkpoint "$work/stopped.c" >/dev/null 2>&1 &
process=$!
for _ in $(seq 60); do [ -s "$work/stopped.log" ] || sleep 1; done
kill -INT $process
wait $process
status=$?
check 'an interruption ends with 130' [ $status -eq 130 ]
check 'and leaves a checkpoint' ends 1 'it was written after' trains none --steps 1 --resume "$work/stopped.c"
# The same through tenon, which passes the signal on.
# shellcheck disable=SC2086
"$tenon" train "$graph" -q $data --epochs 400000 --log "$work/passed.log" --checkpoint "$work/passed.c" >/dev/null 2>&1 &
process=$!
for _ in $(seq 120); do [ -s "$work/passed.log" ] || sleep 1; done
kill -INT $process
wait $process
status=$?
check 'an interrupted tenon train ends with 130' [ $status -eq 130 ]
check 'and has written its checkpoint' [ -s "$work/passed.c" ]

check 'the step alone' "$tenon" model "$graph" -q --isa portable --train -o "$work/step"
check 'make for it' make -s -C "$work/step"
check 'a program of its own' "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I"$work/step/include" -o "$work/train_step" "$checkout/tests/programs/train_step.c" "$work/step/libnet_train.a"
check 'trains by itself' "$work/train_step"

# shellcheck disable=SC2086
check 'tenon train' ends 0 '^step time' "$tenon" train "$graph" -q $data --epochs 6 --isa portable,native --log "$work/t.log" -o "$work/t.npz"
check 'has the parameters of the program' sh -c "cmp '$work/whole.log' '$work/t.log' && cmp '$work/whole.npz' '$work/t.npz'"
check 'the parameters are a graph'"'"'s' sh -c "cp '$checkout/examples/train_digits/digits.yaml' '$work' && cp '$work/t.npz' '$work/params.npz' && '$tenon' dump graph '$work/digits.yaml'"
check 'tenon train asks for all data' ends 2 'data t=FILE is missing' "$tenon" train "$graph" -q --data x="$work/train_x.npy"
check 'tenon train knows the names' ends 2 'has no input or target of that name' "$tenon" train "$graph" -q --data q="$work/train_x.npy"
check 'tenon train knows names of validation' ends 2 'validate q=.*has no input or target' "$tenon" train "$graph" -q $data --validate q="$work/held_x.npy"
check 'tenon train refuses two files for one' ends 2 'two files' "$tenon" train "$graph" -q $data --data t="$work/train_t.npy"
check 'tenon train looks for files first' ends 1 'none.npy: No such file' "$tenon" train "$graph" -q --data x=none.npy
# shellcheck disable=SC2086
check 'tenon train names what is no number' ends 2 'is not a number' "$tenon" train "$graph" -q $data --steps many
# A network that is no classifier, with outputs that the loss does not read, and a fixed batch.
cat >"$work/line.yaml" <<'GRAPH'
graph: line
sizes: {N: 32}
inputs: {x: "u8[N, 64]"}
parameters:
  w: {type: "f64[64, 1]", from: full(value=0), grad: true}
main: |
  z = cast(x, dtype=f64)/16
  y = matmul(z, w)
outputs: [y, z]
train:
  targets: {t: "i64[N]"}
  loss: mean(sq(y - reshape(cast(t, dtype=f64), shape=[32, 1])))
  optimizer: adam(lr=0.01)
GRAPH
# shellcheck disable=SC2086
check 'a fixed batch leaves examples out' ends 0 '46 steps an epoch, 25 examples of each epoch are left out' "$tenon" train "$work/line.yaml" -q $data \
  --validate x="$work/held_x.npy" --validate t="$work/held_t.npy" --isa portable --log "$work/line.log"
check 'it has a validation loss' grep -q 'epoch 1 of 1: loss [0-9.]*, validation loss [0-9.]*$' "$work/said"
check 'an f64 loss has all its digits' awk 'END { exit !(length($2) >= 16) }' "$work/line.log"
check 'the graph of a step' sh -c "'$tenon' dump graph --train '$graph' | grep -q 'state W1 = W1_next, gradient'"
check 'the step explained' sh -c "'$tenon' explain '$graph' --train --memory --isa portable | grep -q '^W1 *state'"
check '--train without a graph' refuses "$tenon" dump lower --train --ops relu
check 'no training without a section' refuses "$tenon" train "$checkout/examples/digits/digits.yaml" -q --data x="$work/train_x.npy"
# What differs between training and inference: masks of dropout, statistics of batch norm.
cat >"$work/forms.yaml" <<'GRAPH'
graph: forms
sizes: {N: 1..64}
inputs: {x: "u8[N, 64]"}
parameters:
  step: {type: "f32[64, 24]", from: randn(std=0.1), grad: true}
  g: {type: "f32[24]", from: full(value=1), grad: true}
  b: {type: "f32[24]", from: full(value=0), grad: true}
  m: {type: "f32[24]", from: full(value=0), running: true}
  v: {type: "f32[24]", from: full(value=1), running: true}
  w: {type: "f32[24, 10]", from: randn(std=0.2), grad: true}
main: |
  h = batch_norm(matmul(cast(x, dtype=f32)/16, step), g, b, m, v)
  y = matmul(dropout(relu(h), ratio=0.25), w)
outputs: [y]
train:
  targets: {t: "i64[N]"}
  loss: cross_entropy(y, t)
  optimizer: adam(lr=0.01)
GRAPH
check 'forms for training' "$tenon" model "$work/forms.yaml" -q --isa portable,native --max-threads 2 --train --main -o "$work/forms"
check 'compile' make -s -C "$work/forms"
train=$work/forms/net_train
# shellcheck disable=SC2086
check 'train' ends 0 'accuracy 9[0-9.]* %' "$train" $data --validate x="$work/held_x.npy" --validate t="$work/held_t.npy" --epochs 4 --log "$work/f.log" -o "$work/f.npz"
check 'train half of it' trains g --steps 50 --checkpoint "$work/f.c"
check 'and go on' trains g --epochs 4 --resume "$work/f.c" --threads 2
check 'as if nothing had been' sh -c "cmp '$work/f.log' '$work/g.log' && cmp '$work/f.npz' '$work/g.npz'"
check 'another seed, same order' sh -c "'$train' $data --order '$work/order.npy' --log '$work/s0.log' && '$train' $data --order '$work/order.npy' --seed 1 --log '$work/s1.log'"
check 'has other masks' refuses cmp -s "$work/s0.log" "$work/s1.log"
sed 's/from: [a-z]*([^)]*)/from: f.npz/' "$work/forms.yaml" >"$work/trained.yaml"
check 'its step without a C library' "$tenon" model "$work/forms.yaml" -q --isa portable --max-threads 1 --train --freestanding -o "$work/bare_step"
check 'compiles' sh -c "cd '$work/bare_step' && '${CC:-cc}' -std=c99 -Os -ffreestanding -nostdlib -r -Iinclude \$(cat sources.txt) -o step.o"
check 'needs memcpy and its kin alone' sh -c "nm -u '$work/bare_step/step.o' | awk '\$2 !~ /^_?mem(cpy|move|set)\$/ { print; bad = 1 } END { exit bad }'"
check 'the parameters with the running ones are a network' sh -c "'$tenon' dump graph '$work/trained.yaml' | grep -q 'batch_norm('"

# A network whose memory is what its layers make: the same bytes whatever is computed again.
{
  printf 'graph: deep\nsizes: {N: 1..64}\ninputs: {x: "u8[N, 64]"}\nmodules:\n  low(v): cast(v, dtype=bf16)\nparameters:\n'
  for i in 0 1 2 3 4 5 6 7; do printf '  W%s: {type: "f32[64, 64]", from: randn(std=0.2), grad: true}\n' $i; done
  printf '  w: {type: "f32[64, 10]", from: randn(std=0.2), grad: true}\n  g: {type: "f32[64]", from: full(value=1), grad: true}\n'
  printf '  b: {type: "f32[64]", from: full(value=0), grad: true}\n  m: {type: "f32[64]", from: full(value=0), running: true}\n'
  printf '  v: {type: "f32[64]", from: full(value=1), running: true}\nmain: |\n  h = cast(x, dtype=f32)/16\n'
  for i in 0 1 2 3 4 5; do printf '  h = dropout(gelu(matmul(h, W%s)), ratio=0.1)\n' $i; done
  printf '  h = h + cast(relu(matmul(low(h), low(W6))), dtype=f32)\n  h = relu(batch_norm(matmul(h, W7), g, b, m, v))\n'
  printf '  y = matmul(h, w)\noutputs: [y]\ntrain:\n  targets: {t: "i64[N]"}\n  loss: cross_entropy(y, t)\n  optimizer: adam(lr=0.003)\n'
} >"$work/deep.yaml"
for mode in never auto always; do
  # shellcheck disable=SC2086
  check "trains, recompute $mode" "$tenon" train "$work/deep.yaml" -q $data --isa portable --cc "${CC:-cc} -O1" --recompute $mode --steps 12 --log "$work/$mode.log" --grads "$work/$mode.g.npz" -o "$work/$mode.npz"
  "$tenon" explain "$work/deep.yaml" --train --memory --recompute $mode >"$work/$mode.memory"
done
for mode in auto always; do
  check "$mode gives the same" sh -c "cmp '$work/never.log' '$work/$mode.log' && cmp '$work/never.g.npz' '$work/$mode.g.npz' && cmp '$work/never.npz' '$work/$mode.npz'"
  check "$mode needs less memory" sh -c "awk '/^arena/ { bytes[++n] = \$2 } END { exit !(bytes[2] < bytes[1]) }' '$work/never.memory' '$work/$mode.memory'"
  check "$mode says what it does" grep -q '^computed again: [1-9][0-9]* operators, so that values of [1-9]' "$work/$mode.memory"
done
check 'nothing to compute again' ends 2 'deep.yaml computes none without --train or --grad-of; leave it out' "$tenon" explain "$work/deep.yaml" --memory --recompute auto
check 'a mode that there is not' ends 2 'never, auto or always' "$tenon" explain "$work/deep.yaml" --train --recompute often

# Folders of pictures: the bytes of an IDX file with the same numbers, and labels that are the numbers of the folders.
cat >"$work/seen.yaml" <<'YAML'
graph: seen
sizes: {N: 1..4}
inputs: {x: "f32[N, 1, 2, 3]"}
parameters:
  w: {type: "f32[6, 3]", from: full(value=0), grad: true}
main: y = matmul(reshape(x, shape=[N, 6]), w)
outputs: [y]
train:
  targets: {t: "i64[N]"}
  loss: cross_entropy(y, t)
  optimizer: sgd(lr=0.01)
YAML
# bytes NUMBER...: as bytes.
bytes() {
  for number in "$@"; do
    # shellcheck disable=SC2059
    printf "\\$(printf %03o "$number")"
  done
}
make_pictures() {
  rm -rf "$work/seen"
  bytes 0 0 8 4 0 0 0 7 0 0 0 1 0 0 0 2 0 0 0 3 >"$work/seen.idx"
  bytes 0 0 8 1 0 0 0 7 0 0 1 1 1 2 2 >"$work/seen_t.idx"
  for class in a:1:2 b:3:5 c:6:7; do
    folder=$work/seen/${class%%:*}
    mkdir -p "$folder" || return 1
    k=${class#*:}
    last=${k#*:}
    k=${k%%:*}
    while [ "$k" -le "$last" ]; do
      { printf 'P5 3 2 255\n' && bytes $((k * 9)) $((255 - k)) 7 $((k * 31)) 0 255; } >"$folder/$k.pgm"
      tail -c 6 "$folder/$k.pgm" >>"$work/seen.idx"
      k=$((k + 1))
    done
  done
}
seen() { "$tenon" train "$work/seen.yaml" --cc "${CC:-cc} -O1" -q --epochs 5 "$@"; }
check 'makes pictures' make_pictures
check 'trains on numbers' seen --data x="$work/seen.idx" --data t="$work/seen_t.idx" --log "$work/numbers.log"
check 'trains on pictures' seen --images --data x="$work/seen" --data t="$work/seen" --log "$work/pictures.log"
check 'pictures are their numbers' cmp "$work/numbers.log" "$work/pictures.log"
if echo '#include <png.h>' | ${CC:-cc} -E - >/dev/null 2>&1; then
  mkdir -p "$work/png/only" && cp "$checkout/tests/programs/four.png" "$work/png/only"
  check 'a picture of another size, in colours, as .png' seen --images --data x="$work/png" --data t="$work/png" --scale 0.01 --mean 0.5
fi
check 'a folder without --images' ends 1 'this is a folder, not a file' seen --data x="$work/seen" --data t="$work/seen"
check 'labels of pictures in no folder' ends 1 'it is in no folder of a class' seen --images --data x="$work/seen/a" --data t="$work/seen/a"
mkdir -p "$work/none" && check 'a folder without pictures' ends 1 'there is no picture in this folder' seen --images --data x="$work/none" --data t="$work/seen"
echo words >"$work/none/words" && check 'a folder of other files' ends 1 'none/words: examples in a folder are pictures' seen --images --data x="$work/none" --data t="$work/seen"
check 'a value that has another form' ends 2 '--scale: its value is missing or has another form' seen --images --data x="$work/seen" --data t="$work/seen" --scale fast
check 'an example that is no picture' ends 2 'no input of this model can be a picture' "$tenon" train "$graph" --images $data -q
check 'a program that reads pictures' "$tenon" model "$work/seen.yaml" -q --isa portable --train --main --images -o "$work/seen_program"
for cc in $compilers; do
  command -v $cc >/dev/null && check "$cc compiles it" compiled seen_program $cc
done
