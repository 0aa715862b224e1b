# What the generator does where the system refuses: streams that are closed or full, folders that may not be entered, no place for temporary files.
# shellcheck shell=sh
# ends STATUS TEXT COMMAND...: that status, and the text on stderr (nothing there where the text is empty).
ends() {
  expected=$1 text=$2
  shift 2
  "$@" >"$work/out" 2>"$work/said"
  status=$?
  [ $status -eq "$expected" ] && { [ -n "$text" ] && grep -qF -e "$text" "$work/said" || [ -z "$text$(cat "$work/said")" ]; } && return
  echo "status $status: $(cat "$work/said")"
  return 1
}
relu() { "$tenon" lib --ops relu --dtypes f32 --isa portable "$@"; }

if [ -w /dev/full ]; then
  for command in 'list ops' 'list isas' 'explain E0202' 'explain softmax_f32' 'dump library --ops relu' 'lib --ops relu --dtypes f32 --list-outputs -o none' '--version' 'lib --help'; do
    # shellcheck disable=SC2016
    check "a full disk behind the output of: $command" ends 1 'tenon: error: cannot write to standard output' sh -c '"$0" $1 >/dev/full' "$tenon" "$command"
  done
  # shellcheck disable=SC2016
  check 'a full disk behind the diagnostics' ends 2 '' sh -c '"$0" lib --ops nope -o none 2>/dev/full' "$tenon"
fi
# shellcheck disable=SC2016
check 'a closed output' ends 1 'tenon: error: cannot write to standard output' sh -c '"$0" list ops >&-' "$tenon"
# shellcheck disable=SC2016
check 'a closed input' ends 1 '<stdin>: error: cannot read the file: Bad file descriptor [E0108]' sh -c '"$0" try - <&-' "$tenon"
# shellcheck disable=SC2016
check 'a reader that leaves' sh -c '"$0" list ops | head -n 1 | grep -q .' "$tenon"
check 'an empty input' ends 1 '<stdin>:1:1: error: this file defines nothing [E0109]' sh -c 'exec "$0" try - </dev/null' "$tenon"
check 'no place for temporary files' ends 1 'no temporary folder can be made' env TMPDIR="$work/none" "$tenon" try --op relu
check 'a name longer than the system takes' ends 1 'File name too long' relu --prefix "$(printf '%0300d' 0 | tr 0 a)" -o "$work/long"
check 'nothing of it is left' test ! -e "$work/long"
check 'dependencies in a folder that is not there yet: made, as the one of -o is' relu --quiet --depfile "$work/not/yet/deps" -o "$work/depends"
check 'they are there' grep -q "^$work/depends/sources.txt:" "$work/not/yet/deps"
: >"$work/file"
check 'a file where the folder should be' ends 1 "$work/file is not a directory" relu -o "$work/file"
check 'a file on the way to the folder' ends 1 "cannot make the directory $work/file/below: Not a directory" relu -o "$work/file/below"
mkdir -p "$work/taken/MANIFEST.json"
check 'a folder where a file should be' ends 1 "$work/taken/MANIFEST.json is a directory" relu -o "$work/taken"
check 'nothing next to it' sh -c '[ "$(find "$1" | wc -l)" = 2 ]' - "$work/taken"

# graph NAME INPUT CALL: a graph of one operator.
graph() { printf 'graph: g\ninputs: {x: "%s"}\nmain: |\n  y = %s\noutputs: [y]\n' "$2" "$3" >"$work/$1.yaml"; }
graph twice 'f32[2, 3]' 'transpose(x, perm=[0, 0])'
check 'a permutation that names a dimension twice' ends 1 'the permutation names dimension 0 twice' "$tenon" model "$work/twice.yaml" -o "$work/none"
graph ninth 'f32[1, 1, 1, 1, 1, 1, 1, 1, 2]' 'relu(x)'
check 'a tensor of nine dimensions' ends 1 "ninth.yaml: error: input 'x' has 9 dimensions; a model takes and gives tensors of at most 8" "$tenon" model "$work/ninth.yaml" -o "$work/none"
printf 'graph: g\nsizes: {N: 1..4611686018427387904}\ninputs: {x: "f32[N, 3]"}\nmain: |\n  y = softmax(x)\noutputs: [y]\n' >"$work/bound.yaml"
check 'a bound whose tensors nothing holds' ends 1 'the tensor '"'x'"' of type f32[N, 3] has more than 2^40 elements at the maximum run-time sizes; give them smaller bounds' \
  "$tenon" model "$work/bound.yaml" -o "$work/none"
graph ok 'f32[2, 3]' 'relu(x)'
check 'run without its input: the command line is wrong' ends 2 "ok.yaml has 1 input, and 0 files are given: x f32[2, 3]" "$tenon" run "$work/ok.yaml" --isa portable
check 'run on a file that is not there: the input is wrong' ends 1 'No such file or directory' "$tenon" run "$work/ok.yaml" "$work/nowhere.npy" --isa portable
check 'run on files too many: the command line is wrong' ends 2 'ok.yaml has 1 input, and 2 files are given' "$tenon" run "$work/ok.yaml" "$work/file" "$work/file" --isa portable
cp "$checkout/tests/fuzz/corpus/onnx/dense.onnx" "$work/open.onnx"
array "$work/open.npy" '<f4' '3, 4' False "$(printf '%48s')"
check 'run takes an open size from the file' sh -c '"$0" run "$1/open.onnx" "$1/open.npy" --isa portable | grep -q "^y: f32\[3, 3\]"' "$tenon" "$work"
check 'run with a size that the file does not have' ends 1 "its shape is (3, 4); input 'x' takes f32[2, 4]" "$tenon" run "$work/open.onnx" "$work/open.npy" --size N=2 --isa portable
array "$work/deep.npy" '<f4' '3, 4, 1' False "$(printf '%48s')"
array "$work/wide.npy" '<f8' '3, 4' False "$(printf '%96s')"
check 'run takes no open size from a file of another rank' ends 1 "input 'x': error: it has 2 dimensions, and the array for it has 3: (3, 4, 1)" "$tenon" run "$work/open.onnx" "$work/deep.npy" --isa portable
check 'run compiles nothing for a file of another shape' ends 1 "deep.npy: its shape is (3, 4, 1); input 'x' takes f32[2, 3]" "$tenon" run "$work/ok.yaml" "$work/deep.npy" --isa portable --cc false
check 'run compiles nothing for a file of another type' ends 1 "wide.npy: its dtype is f64; input 'x' takes f32[N=1..4, 4]" "$tenon" run "$work/open.onnx" "$work/wide.npy" --size N=1..4 --isa portable --cc false
check 'run with another file than an array' ends 1 "extent 0 is the open size 'N'" "$tenon" run "$work/open.onnx" "$work/ok.yaml" --isa portable
check 'run with a number that is none' ends 2 "--repeat: 'many' is not a number above 0" "$tenon" run "$work/ok.yaml" "$work/file" --repeat many
check 'run with a compiler that fails' ends 3 'tenon: error: `false ' "$tenon" run "$work/ok.yaml" "$work/file" --isa portable --cc false
check 'run that only looks compiles nothing' ends 0 '' "$tenon" run "$work/ok.yaml" "$work/nowhere.npy" --isa portable --cc false --dry-run
check 'try that only looks compiles nothing' ends 0 '' "$tenon" try --op relu --isa portable --cc false --check
check 'tune that only looks compiles nothing' ends 0 '' "$tenon" tune "$work/ok.yaml" --isa portable --cc false --dry-run -o "$work/none.yaml"
check 'bench of a file that is not there measures nothing' ends 1 'nowhere.yaml: No such file or directory' "$tenon" bench "$work/nowhere.yaml" --cc false
check 'an op named that the dtypes leave out' ends 0 "tenon: warning: --ops: 'softmax' is left out: it takes none of the dtypes chosen" "$tenon" lib --ops relu,softmax --dtypes i8 --isa portable --list-outputs -o "$work/none"
printf 'ops:\n  - op: thrice\n    types: {T: [f32]}\n    in: {X: "T[N]"}\n    out: {Y: "T[N]"}\n    body: Y[i] = 3*X[i]\n' >"$work/thrice.yaml"
check 'a file of definitions of which --ops names nothing' ends 0 "tenon: warning: --ops: it names no op of the files given; add 'thrice' to generate it" "$tenon" lib "$work/thrice.yaml" --ops relu --dtypes f32 --isa portable --list-outputs -o "$work/none"
check 'a file of definitions of which --ops names an op' ends 0 '' "$tenon" lib "$work/thrice.yaml" --ops relu,thrice --dtypes f32 --isa portable --dry-run -o "$work/none"
check 'a size of definitions' ends 2 '--size is about a graph: name one' "$tenon" dump lower "$work/thrice.yaml" --size N=4
check 'a size of a kernel' ends 2 '--train, --recompute and --size are about a graph: name one' "$tenon" explain thrice_f32 "$work/thrice.yaml" --size N=4
check 'dtypes of a graph' ends 2 "--dtypes is about definitions, and $work/ok.yaml is a graph" "$tenon" dump lower "$work/ok.yaml" --dtypes f32
check 'a file with a diagnostic code' ends 2 "E0501 is a diagnostic code, which is in no file: leave out $work/ok.yaml" "$tenon" explain E0501 "$work/ok.yaml"
check 'an op is explained by its kernel of f32' sh -c '"$0" explain conv2d --isa portable | grep -qx "kernel conv2d_f32" && "$0" explain matmul_i32 --isa portable | grep -qx "  op matmul"' "$tenon"
beside() { "$tenon" explain "$1" --isa portable | grep -q "^$2  *$3\$"; }
check 'a gradient is explained next to its op' beside softmax_grad softmax_f32 softmax_grad_f32_dX
check 'and one of its kernels' beside gemm_grad_f64_dB gemm_f64 gemm_grad_f64_dB
check 'one of types that share kernels' beside concat_grad concat_u32 concat_grad_f32_dX0
check 'of another type, none' ends 2 "did you mean 'softmax_grad'?" "$tenon" explain softmax_grad_i8
check 'what has no gradient says so' ends 2 "'argmax' has no gradient: its definition says" "$tenon" explain argmax_grad
check 'stages of gradients' sh -c '"$0" dump lower --grad --ops relu_grad --dtypes f32 --isa portable | grep -q "^nest relu_grad_f32_dX_portable "' "$tenon"
check 'gradients of a graph are in the graph' ends 2 "--grad is about definitions, and $work/ok.yaml is a graph" "$tenon" dump lower "$work/ok.yaml" --grad
check 'the nearest op' ends 2 "did you mean 'softmax'?" "$tenon" explain softmx
check 'scalar loops of definitions are theirs alone' sh -c '[ -z "$("$0" explain scalar-loops "$1")" ]' "$tenon" "$work/thrice.yaml"
# Files that a command writes under names of the user: never its inputs, nor two at one place, nor (without --force)
# what does not look like one of Tenon's.
{ printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" && head -c 24 /dev/zero; } >"$work/in.npy"
ln -s in.npy "$work/link.npy"
printf 'mine\n' >"$work/mine"
cp "$work/ok.yaml" "$work/ok.kept" && cp "$work/in.npy" "$work/in.kept"
check 'run onto its input' ends 1 "-o: '$work/in.npy' is an input of this command: name another file" "$tenon" run "$work/ok.yaml" "$work/in.npy" -o "$work/in.npy"
check 'run onto a link to its input' ends 1 "link.npy' is an input of this command" "$tenon" run "$work/ok.yaml" "$work/in.npy" -o "$work/link.npy" --force
check 'run onto its graph' ends 1 "ok.yaml' is an input of this command" "$tenon" run "$work/ok.yaml" "$work/in.npy" -o "$work/ok.yaml"
check 'run onto its labels' ends 1 "mine' is an input of this command" "$tenon" run "$work/ok.yaml" "$work/in.npy" --labels "$work/mine" -o "$work/mine"
check 'run onto nothing' ends 2 "-o: the name of a file is expected, not ''" "$tenon" run "$work/ok.yaml" "$work/in.npy" -o ''
mkdir "$work/folder"
check 'run onto a folder' ends 1 "-o: '$work/folder' is a folder: name a file" "$tenon" run "$work/ok.yaml" "$work/in.npy" -o "$work/folder" --force
check 'more files than outputs' ends 2 'ok.yaml has 1 output, and -o is given 2 times' "$tenon" run "$work/ok.yaml" "$work/in.npy" -o "$work/one.npy" -o "$work/two.npy"
check 'definitions in a folder without a name' ends 2 "--opdefs: the name of a folder is expected, not ''" "$tenon" list ops --opdefs ''
check 'run into a missing folder' ends 1 "there is no folder '$work/none'" "$tenon" run "$work/ok.yaml" "$work/in.npy" -o "$work/none/out.npy"
check 'train into a missing folder' ends 1 "there is no folder '$work/none'" "$tenon" train "$work/ok.yaml" --data "x=$work/in.npy" -o "$work/none/out.npz"
check 'run on a folder' ends 1 "$work/folder: this is a folder, not a file" "$tenon" run "$work/ok.yaml" "$work/folder"
check 'run on nothing' ends 1 "'': No such file or directory" "$tenon" run "$work/ok.yaml" ''
mkfifo "$work/pipe.npy"
if [ -c /dev/full ]; then
  # shellcheck disable=SC2016
  check 'a full disk behind what a program prints' ends 1 'standard output: it cannot be written: No space left' sh -c '"$0" run "$1/ok.yaml" "$1/in.npy" --isa portable >/dev/full' "$tenon" "$work"
fi
# shellcheck disable=SC2016
check 'run on a pipe' sh -c 'cat "$1/in.npy" >"$1/pipe.npy" & timeout 60 "$0" run "$1/ok.yaml" "$1/pipe.npy" --isa portable || { kill $!; exit 1; }' "$tenon" "$work"
check 'run onto another file' ends 1 "-o: '$work/mine' would be overwritten, but it is not an array in .npy" "$tenon" run "$work/ok.yaml" "$work/in.npy" -o "$work/mine"
check 'explain onto its graph' ends 1 "ok.yaml' is an input of this command" "$tenon" explain "$work/ok.yaml" --svg "$work/ok.yaml" --force
check 'explain onto another file' ends 1 "--svg: '$work/mine' would be overwritten, but it is not an SVG that Tenon wrote" "$tenon" explain "$work/ok.yaml" --svg "$work/mine"
check 'tune onto its graph' ends 1 "ok.yaml' is an input of this command" "$tenon" tune "$work/ok.yaml" -o "$work/ok.yaml"
check 'tune onto another file' ends 1 "-o: '$work/mine' would be overwritten, but it is not a file of" "$tenon" tune "$work/ok.yaml" -o "$work/mine"
check 'bench onto another file' ends 1 "--json: '$work/mine' would be overwritten, but it is not a report of" "$tenon" bench "$work/ok.yaml" --json "$work/mine"
check 'bench with one file for two' ends 2 "--json and --svg name the same file, '$work/./both'" "$tenon" bench "$work/ok.yaml" --json "$work/both" --svg "$work/./both"
check 'train onto its data' ends 1 "in.npy' is an input of this command" "$tenon" train "$work/ok.yaml" --data "x=$work/in.npy" -o "$work/in.npy"
check 'train with one file for two' ends 2 '--grads and -o name the same file' "$tenon" train "$work/ok.yaml" --data "x=$work/in.npy" -o "$work/p.npz" --grads "$work/p.npz"
check 'a log onto another file' ends 1 "--log: '$work/mine' would be overwritten, but it is not a log of" "$tenon" train "$work/ok.yaml" --data "x=$work/in.npy" --log "$work/mine"
cp "$work/mine" "$work/curve.svg"
check 'a curve onto another file' ends 1 "--log: '$work/curve.svg' would be overwritten" "$tenon" train "$work/ok.yaml" --data "x=$work/in.npy" --log "$work/curve.tsv"
check 'dependencies onto another file' ends 1 "--depfile: '$work/mine' would be overwritten, but it is not a depfile" relu --depfile "$work/mine" -o "$work/one"
check 'all of them are as they were' sh -c '[ "$(cat "$0/mine" "$0/curve.svg" | sort -u)" = mine ] && cmp "$0/ok.yaml" "$0/ok.kept" && cmp "$0/in.npy" "$0/in.kept"' "$work"
check 'a picture over a picture' sh -c '"$0" explain "$1/ok.yaml" --svg "$1/m.svg" && "$0" explain "$1/ok.yaml" --svg "$1/m.svg" --depfile "$1/m.d" && grep -q "^$1/m.svg:.*" "$1/m.d" && grep -q ok.yaml "$1/m.d"' "$tenon" "$work"
check 'with --force over another file' sh -c '"$0" explain "$1/ok.yaml" --svg "$1/mine" --force && grep -q "^<svg" "$1/mine"' "$tenon" "$work"
check 'dependencies over dependencies' sh -c '"$0" explain "$1/ok.yaml" --svg "$1/m.svg" --depfile "$1/m.d"' "$tenon" "$work"
for flag in --check --list-outputs --force; do
  for command in 'list ops' 'explain relu_f32' 'dump opdefs --ops relu'; do
    # shellcheck disable=SC2086
    check "$command $flag" ends 0 "tenon: warning: $flag has no effect: \`tenon ${command%% *}\` writes no files" "$tenon" $command $flag
  done
done
"$tenon" model "$work/ok.yaml" --main --isa portable -q -o "$work/ok_net" && make -s -C "$work/ok_net" >/dev/null
check 'the program onto its input' ends 2 'link.npy: this is an input; -o takes another file' "$work/ok_net/net" "$work/in.npy" -o "$work/link.npy"
check 'the program with its output elsewhere' ends 0 '' "$work/ok_net/net" "$work/in.npy" -o "$work/out.npy"

# A folder holds one output: another one takes its place with --force alone, and then leaves nothing of it.
"$tenon" lib --ops relu --dtypes f32 --isa portable -q -o "$work/held"
cp -r "$work/held" "$work/held_before"
for command in "model $work/ok.yaml --isa portable" "model $work/ok.yaml --isa portable --dry-run" 'lib --ops relu --dtypes f32 --isa portable --prefix other'; do
  # shellcheck disable=SC2086
  check "tenon ${command%% *} into another's folder" ends 1 "held holds the library tn, and the " "$tenon" $command -o "$work/held"
done
check 'it is as it was' diff -r "$work/held" "$work/held_before"
check '--check there' ends 1 'held/include/tn.h: error: an earlier run wrote it, and this one would not' "$tenon" model "$work/ok.yaml" --isa portable --check -o "$work/held"
check 'with --force' sh -c '"$0" model "$1/ok.yaml" --isa portable --force -q -o "$1/held" && [ -z "$(find "$1/held" -name "tn*")" ] && "$0" model "$1/ok.yaml" --isa portable --check -o "$1/held"' "$tenon" "$work"
check "tenon lib into a model's folder" ends 1 'held holds the model net, and the library tn would take its place' "$tenon" lib --ops relu --dtypes f32 --isa portable -o "$work/held"

check 'no refusal left files' test ! -e "$work/none"

# Root may do everything: as nobody then.
as_nobody() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi; }
if as_nobody test -x "$tenon" 2>/dev/null; then
  doors=$(mktemp -d)
  chmod 777 "$doors"
  mkdir -p "$doors/closed" "$doors/half/src"
  chmod 777 "$doors/half"
  chmod 000 "$doors/closed" "$doors/half/src"
  : >"$doors/unread.yaml"
  chmod 000 "$doors/unread.yaml"
  check 'a folder that may not be entered' ends 1 "cannot make the directory $doors/closed/include: Permission denied" as_nobody "$tenon" lib --ops relu --dtypes f32 -o "$doors/closed"
  check 'a folder below that may not be entered' ends 1 "cannot write $doors/half/src/tn_attributes.c: Permission denied" as_nobody "$tenon" lib --ops relu --dtypes f32 -o "$doors/half"
  check 'nothing is left above it' sh -c '[ "$(find "$1" | wc -l)" = 2 ]' - "$doors/half"
  check 'a file that may not be read' ends 1 "$doors/unread.yaml: error: cannot open the file: Permission denied [E0108]" as_nobody "$tenon" lib "$doors/unread.yaml" -o "$doors/none"
  check 'dependencies that may not be written' ends 1 "cannot write $doors/closed/deps: Permission denied" as_nobody "$tenon" lib --ops relu --dtypes f32 --depfile "$doors/closed/deps" -o "$doors/one"
  chmod 777 "$doors/closed" "$doors/half/src"
  rm -rf "$doors"
else
  echo 'SKIP doors: this checkout is closed to other users'
  skipped=$((skipped + 1))
fi
