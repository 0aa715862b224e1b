# The command lines in the blocks of README and docs: each is taken, with files of the names that it has. docs/pipeline.md has
# a test of its own, and docs/add-a-dtype.md is about a type that does not exist.
# shellcheck shell=sh
mkdir -p "$work/pages/examples" "$work/pages/flowers/daisy" && before=$PWD && cd "$work/pages" || exit 1
awk '/^```yaml/ { inside = ++n == 1; next } /^```/ { inside = 0 } inside' "$checkout/docs/training.md" >net.yaml
awk '/^```yaml/ { inside = 1; next } /^```/ { inside = 0 } inside' "$checkout/docs/tuning.md" >both.yaml
sed '/^blueprints:/,$d' both.yaml >shapes.yaml && printf 'blueprints: []\n' >tuned.yaml && rm both.yaml
printf 'graph: g\nsizes: {N: 1..64}\ninputs: {x: "f32[N, 3, 8, 8]"}\nparameters: {W: {type: "f32[192, 2]", from: randn(std=0.1), grad: true}}\nmain: y = gemm(reshape(x, shape=[N, 192]), W)\noutputs: [y]\ntrain: {targets: {t: "i64[N]"}, loss: "cross_entropy(y, t)", optimizer: sgd(lr=0.1)}\n' >pictures.yaml
cp "$checkout/tests/programs/stream.onnx" . && cp "$checkout/tests/programs/four.png" flowers/daisy
array init_w1.npy '<f4' '64, 32' False "$(printf '%8192s')"
array images.npy '<f4' '2, 64' False "$(printf '%512s')"
array labels.npy '<i8' '2,' False '\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0'
array examples/one.npy '<f4' '1, 1, 4, 4' False "$(printf '%64s')"
cp images.npy held_x.npy && cp labels.npy held_t.npy
# lines PAGE: its command lines, continued ones as one, without comments and what follows the command.
lines() {
  awk '/^```/ { inside = !inside; next } inside && (more || /^tenon /) { more = /\\$/; sub(/ *\\$/, ""); printf "%s%s", $0, more ? "" : "\n" }' "$1" | sed 's/ *#.*//; s/ && .*//'
}
count=0
for page in "$checkout/README.md" "$checkout"/docs/*.md; do
  case $page in */commands.md | */pipeline.md | */add-a-dtype.md) continue ;; esac
  lines "$page" >"$work/page_lines"
  while IFS= read -r line; do
    # A network whose sizes are fixed, unless the line has some.
    case $line in
      *--size*) cp "$checkout/tests/fuzz/corpus/onnx/dense.onnx" net.onnx ;;
      *) cp "$checkout/tests/fuzz/corpus/onnx/conv.onnx" net.onnx ;;
    esac
    cp net.onnx net_int8.onnx && cp net.onnx squeezenet.onnx
    case $line in *--images*train* | *train*--images*) line=$(printf '%s\n' "$line" | sed 's/net\.yaml/pictures.yaml/') ;; esac
    count=$((count + 1))
    check "$(basename "$page"): $line" sh -c "$(printf '%s\n' "$line" | sed "s|^tenon|'$tenon'|") --dry-run --force"
  done <"$work/page_lines"
done
check 'the pages have command lines' test $count -ge 15
check 'docs/topi.md counts the ops' grep -q "The shipped library has $("$tenon" list ops | wc -l) ops" "$checkout/docs/topi.md"
cd "$before" || exit 1
