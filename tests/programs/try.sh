# One op tried: attributes and sizes of the command line, tests of definitions, and what is said where they do not fit.
# shellcheck shell=sh
cat >"$work/ops.yaml" <<'YAML'
ops:
  - op: windows
    types: {T: real}
    attrs: {size: int, mode: "enum(sum, last) = sum"}
    in:
      X: T[N]
      B?: T[N]
    let: {M: N - size + 1}
    require: [size >= 1, size <= N]
    index: {r: size}
    out: {Y: "T[M]"}
    body: |
      Y[i] = select(mode == sum, sum[r](X[i + r]), X[i + size - 1]) + opt(B[0], 0)
    tests:
      - size=3, N=9
      - {size: 2, mode: last, in: {X: [1, 2, 4]}, absent: [B], out: {Y: [2, 4]}}
      - {size: 2, shapes: {X: [5], B: [5]}, dtypes: {T: i32}}
  - op: flipped
    types: {T: any}
    attrs: {flags: "bool[*S] = true"}
    in: {X: "T[*S]"}
    out: {Y: "T[*S]"}
    body: Y[*s] = X[*(select(flags, S - 1 - s, s))]
    tests:
      - {attrs: {flags: [true, false]}, in: {X: [[1, 2, 3], [4, 5, 6]]}, out: {Y: [[4, 5, 6], [1, 2, 3]]}}
      - {in: {X: [[1, 2, 3], [4, 5, 6]]}, out: {Y: [[6, 5, 4], [3, 2, 1]]}}
  - op: wrong
    types: {T: real}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[i] = 2*X[i]
    tests:
      - {in: {X: [1, 2]}, out: {Y: [2, 5]}}
YAML

attempt() { "$tenon" try "$work/ops.yaml" --isa portable --cc "$quick -O0" -q "$@"; }

# rights COUNT ARGUMENTS: that many rows, all right.
rights() {
  count=$1
  shift
  attempt "$@" >"$work/rows" 2>&1 || { cat "$work/rows"; return 1; }
  [ "$(grep -c ' right$' "$work/rows")" -eq "$count" ] || { cat "$work/rows"; return 1; }
}

# mistaken STATUS TEXT ARGUMENTS: what is said on stderr, to the letter.
mistaken() {
  status=$1 wanted=$2
  shift 2
  attempt --op windows "$@" >"$work/out" 2>"$work/said"
  [ $? -eq "$status" ] && [ "$(cat "$work/said")" = "$wanted" ] || { cat "$work/said"; return 1; }
}

check 'tests of a definition, and the dtype that one of them names' rights 5 --op windows
check 'a list of flags chooses indices, also by its default' rights 2 --op flipped --dtypes f32
check 'tests at the keys asked for' rights 2 --op windows --dtypes f64
check 'sizes and attributes from the command line' rights 1 --op windows --test 'size=4, N=20, mode=last'
quiet() { "$tenon" try --op global_lppool --isa portable --cc "$quick -O0" -q >"$work/out" 2>&1 && ! grep warning "$work/out"; }
check 'an infinite attribute' quiet
check 'a test as YAML' rights 1 --op windows --test '{size: 4, shapes: {X: [20]}, absent: [B]}'
check 'an input as long as one whose values are given' rights 1 --op windows --test '{size: 2, in: {X: [1, 2, 4]}}'
small() { "$tenon" try --op pad --isa portable --cc "$quick -O0" -q "$@" >"$work/rows" 2>&1 && [ "$(grep -c ' right$' "$work/rows")" -eq 3 ] || { cat "$work/rows"; return 1; }; }
powers() {
  for out in '' ', out: {Y: [3, 1, 0]}'; do
    "$tenon" try --op pow --isa portable --cc "$quick -O0" -q --test "{in: {A: [3, 5, 2], B: [9223372036854775809, 9223372036854775808, 9223372036854775811]}, dtypes: {T: u64}$out}" || return 1
  done
}
check 'an attribute of a small float is its number' small --dtypes f8e4m3fn,f8e5m2,f4e2m1 --test '{before: [1], after: [1], value: 1.5, in: {X: [1, 2]}, out: {Y: [1.5, 1, 2, 1.5]}}'
check 'a power by more than a signed number holds, told and computed' powers
check 'an answer that is not that of the definition' refuses attempt --op wrong
# prints TEXT COMMAND…: a line of what a failing command prints.
prints() { text=$1; shift; ! "$@" >"$work/said" 2>&1 && grep -Fqx -- "$text" "$work/said" || { cat "$work/said"; return 1; }; }
check 'which element is wrong' prints '  Y[1] is 4, 5 is wanted' attempt --op wrong
check 'which test is meant' prints "$work/ops.yaml:17:" attempt
check 'every definition of a file' prints '  Y[1] is 4, 5 is wanted' attempt
check 'a test without its op' prints 'tenon: error: --test is about one op; choose it with --op: flipped, windows, wrong' attempt --test N=3
check 'an op that there is not' prints "tenon: error: --op: there is no op 'windos'; did you mean 'windows'?" attempt --op windos
check 'an attribute that there is not' mistaken 2 "--test:1:8: error: 'sise' names nothing of the op 'windows' here [E0226]
  size=3,sise=2
         ^~~~
  note: did you mean 'size'?" --test 'size=3,sise=2'
check 'an attribute of another type' mistaken 2 "--test:1:6: error: '2.5' does not fit 'size' [E0227]
  size=2.5
       ^~~
  note: write a value of type int" --test 'size=2.5'
check 'a word that there is not' mistaken 2 "--test:1:13: error: 'most' does not fit 'mode' [E0227]
  size=2,mode=most
              ^~~~
  note: write one of its words: sum, last" --test 'size=2,mode=most'
check 'an attribute out of range' mistaken 2 "--test:1:1: error: windows: requires size <= N [E0604]
  size=30,N=20
  ^~~~~~~~~~~~
  note: give other attributes or shapes, or change \`require\` at $work/ops.yaml:9:26" --test 'size=30,N=20'
check 'values that do not fill a shape' mistaken 2 "--test:1:37: error: 3 values do not fill the 4 elements of 'X' [E0227]
  {size: 2, shapes: {X: [4]}, in: {X: [1, 2, 3]}}
                                      ^~~~~~~~
  note: write one value an element, row by row" --test '{size: 2, shapes: {X: [4]}, in: {X: [1, 2, 3]}}'
check 'a required attribute left out' mistaken 2 "--test:1:1: error: windows: attribute 'size' has no default and is not given [E0425]
  N=20
  ^~~~
  note: give it by --test \"size=…\", or by \`tests:\` of the definition" --test 'N=20'
check 'a dtype that there is not' mistaken 2 "tenon: error: --dtypes: there is no dtype 'f23'; \`tenon list dtypes\` prints them" --dtypes f23

silent_compiler() {
  "$tenon" try "$work/ops.yaml" --op windows -q --cc false >"$work/out" 2>"$work/said"
  [ $? -eq 3 ] && grep -q '^tenon: error: `false .*` ended with status 1$' "$work/said" || { cat "$work/said"; return 1; }
}
check 'a compiler that says nothing' silent_compiler
other=neon
[ "$(uname -m)" != aarch64 ] || other=x86-64-v4
says_so() { "$tenon" try "$work/ops.yaml" --op windows -q --isa "$other" --cc "$quick -O0" | grep -q "$other .* SKIP: it does not run here or has no kernel of its own$"; }
check 'a level that does not run here' says_so

# NaN of 16 bits with either sign, types of 4 bits, and levels of which each wants a workspace of its own size.
right() { "$tenon" try -q --isa portable,native "$@" >"$work/said" 2>&1 && grep -q ' right$' "$work/said" || { cat "$work/said"; return 1; }; }
check 'NaN as half' right --op acosh --dtypes f16,bf16
check 'elements of 4 bits' right --op concat --dtypes u4,i4
check 'workspaces of several levels' right --op gemm --dtypes i8
check 'an input as wide as one whose shape is given' right --op add --test '{shapes: {A: [2, 3]}}'
check 'a small type that a test alone names' right --op cast --test '{in: {X: [0.3, -2.6, 1e9]}, dtypes: {T: f32, U: f8e5m2}}'
about() { ! "$tenon" try -q --op cast --dtypes f16 --test '{dtypes: {T: f32}}' >"$work/said" 2>&1 && [ "$(cat "$work/said")" = 'tenon: error: --dtypes: no test of cast is about these' ]; }
check 'dtypes that no test is about' about

cat >"$work/blocks.yaml" <<'YAML'
ops:
  - op: blocks
    types: {T: float}
    attrs: {block: int = 4}
    in: {X: "T[(G B)]"}
    let: {B: block*2}
    out: {Y: "T[G]"}
    body: Y[g] = sum[b](X[(g b)])
    tests:
      - {shapes: {X: [24]}}
YAML
cat >"$work/blocks.c" <<'C'
#include "tn.h"
int main(void)
{
    const float x[24] = {1};
    float y[3] = {0};
    const tn_blocks_dims right = {3, 8}, other = {6, 4};   /* 6 blocks of 4 are as many elements, but blocks have 8 */
    if (tn_blocks_f32(&right, NULL, x, y, NULL, 0) != 0)
        return 1;
    return tn_blocks_f32(&other, NULL, x, y, NULL, 0) == TN_E_SHAPE ? 0 : 2;
}
C
blocks_in_c() {
  # shellcheck disable=SC2046
  "$tenon" lib "$work/blocks.yaml" --ops blocks --dtypes f32 --isa portable -q -o "$work/blocks" &&
    (cd "$work/blocks" && ${CC:-cc} -O1 -Iinclude -o blocks ../blocks.c $(cat sources.txt) && ./blocks)
}
check 'a let as a part of a split dim' right "$work/blocks.yaml" --op blocks
check 'extents of a typed call that contradict a let' blocks_in_c

# A body alone, and an op with a C template of the user's.
tries() { "$tenon" try --isa portable --cc "$quick -O0" -q "$@" >"$work/rows" 2>&1 && grep -q ' right$' "$work/rows" || { cat "$work/rows"; return 1; }; }
check 'a body alone' tries --body 'Y[i] = 2*X[i] + alpha'
check 'a body of integers' tries --body 'Y[i] = 2*X[i] + 1' --dtypes i32
check 'a body with sizes' tries --body 'Y[i,j] = sum[k](A[i,k]*B[k,j])' --test 'I=3, J=4, K=5'
# The error that f32 explains, in results of f64: that of the sum, and no more where nothing is rounded to f32.
cat >"$work/sums.yaml" <<'YAML'
ops:
  - op: summed
    types: {T: [f32]}
    in: {X: "T[N]"}
    out: {Y: "f64[]"}
    body: |
      s[] = sum[n](X[n])
      Y[] = cast(s[], f64)
    tests:
      - {N: 100000}
YAML
check 'a sum of f32 as f64' tries "$work/sums.yaml"
coarse() { sed -i 's/sum\[n\](X/sum[n](cast(X/; s/\[n\])$/[n], f64))/; s/N: 100000/in: {X: [1, 2]}, out: {Y: 3.0000002}/' "$work/sums.yaml"; ! tries "$work/sums.yaml" >/dev/null && grep -q WRONG "$work/rows"; }
check 'a sum of f64 that is off by less' coarse
mkdir -p "$work/own/templates/c"
cp -r "$checkout/opdefs" "$work/own/" && cp -r "$checkout/templates/." "$work/own/templates/"
cp "$work/own/templates/c/compress.c.in" "$work/own/templates/c/kept_rows.c.in"
cat >"$work/own/opdefs/kept_rows.yaml" <<'YAML'
ops:
  - op: kept_rows
    types: {T: any}
    attrs: {axis: int = 0}
    in: {X: "T[*P, D@axis, *Q]", C: "bool[M]"}
    let: {N: "upto(min(D, M))"}
    out: {Y: "T[*P, N, *Q]"}
    impl: templates/c/kept_rows.c.in
    tests:
      - {attrs: {axis: 0}, dtypes: {T: f32}, in: {X: [1, 2, 3], C: [1, 0, 1]}, out: {Y: [1, 3]}}
YAML
check "an op with the user's C template, by its known answer" tries --opdefs "$work/own/opdefs" --op kept_rows --dtypes f32
unknown() {
  "$tenon" try --opdefs "$work/own/opdefs" --op kept_rows --isa portable -q --test '{in: {X: [1, 2], C: [1, 0]}}' >"$work/said" 2>&1
  [ $? -eq 2 ] && grep -q "the test has to state 'Y'" "$work/said" || { cat "$work/said"; return 1; }
}
check 'the same without a known answer is refused' unknown

# `explain` of one kernel of a graph, and `dump` of each nest once.
printf 'graph: g\ninputs: {x: "f32[4, 3]"}\nmain: |\n  y = softmax(relu(x))\noutputs: [y]\n' >"$work/two.yaml"
check 'a kernel of a graph is explained' sh -c '"$0" explain relu_softmax "$1" --isa portable | grep -q "at portable: blueprint"' "$tenon" "$work/two.yaml"
check 'a kernel that the graph does not have' sh -c '"$0" explain relu_softmaks "$1" 2>&1 | grep -q "did you mean .relu_softmax."' "$tenon" "$work/two.yaml"
check 'each nest is dumped once' sh -c '[ -z "$("$0" dump lower "$1" --isa portable,x86-64-v2 | grep "^nest" | sort | uniq -d)" ]' "$tenon" "$work/two.yaml"

# A value inside a graph; a profile with the graph's operators.
printf 'graph: g\ninputs: {x: "f32[2]"}\nmain: |\n  h = relu(x)\n  y = add(softmax(h), h)\noutputs: [y]\n' >"$work/inner.yaml"
array "$work/inner.npy" '<f4' '2,' False '\0\0\200\277\0\0\0\100'
inner() { "$tenon" run "$work/inner.yaml" "$work/inner.npy" --isa portable --until "$1" >"$work/said" 2>&1 && grep -qx "$2" "$work/said" || { cat "$work/said"; return 1; }; }
check 'run until a value' inner h 'h: f32\[2\] 0 2'
check 'run until the output' inner y 'y: f32\[2\] 0.1192029 2.880797'
check 'run until a value that is not there' sh -c '"$0" run "$1" "$2" --until hh 2>&1 | grep -q "the graph has no value .hh.; did you mean .h.?"' "$tenon" "$work/inner.yaml" "$work/inner.npy"
check 'model until a value' sh -c '"$0" model "$1" --until h --isa portable -q -o "$2" && grep -q "float \*h;" "$2/include/net.h"' "$tenon" "$work/inner.yaml" "$work/inner"
check 'model with a gradient' sh -c '"$0" model "$1" --grad-of y --wrt x,h --isa portable -q -o "$2" && grep -q "float \*grad_x;" "$2/include/net.h" && grep -q "float \*grad_h;" "$2/include/net.h"' "$tenon" "$work/inner.yaml" "$work/inner"
check 'a gradient of nothing' sh -c '"$0" model "$1" --wrt x -q -o "$2" 2>&1 | grep -q "give both"' "$tenon" "$work/inner.yaml" "$work/inner"
"$tenon" model "$work/inner.yaml" --main --isa portable -q -o "$work/profiled" && compiled profiled "${CC:-cc}"
check 'a profile names the operators' sh -c '"$0" "$1" --profile | grep -q "inner.yaml:4:7"' "$work/profiled/net" "$work/inner.npy"
if command -v python3 >/dev/null; then
  check 'a profile as JSON' sh -c '"$0" "$1" --profile=json --repeat 3 | sed /^time/d | python3 -c "import json, sys; p = json.load(sys.stdin); assert p[\"runs\"] == 3 and p[\"kernels\"][0][\"gflops\"] is not None, p"' "$work/profiled/net" "$work/inner.npy"
fi

cat >"$work/gradients.yaml" <<'YAML'
ops:
  - op: scaled
    types: {T: float}
    attrs: {axes: "int[]", by: float = 2}
    in:
      X: T[*P, *R@axes, *Q]
      B?: T[*P, *R@axes, *Q]
    let: {K: "keep(R, false)"}
    out: {Y: "T[*P, *K@axes, *Q]"}
    body: Y[*p,*k,*q] = sum[*r](sq(X[*p,*r,*q])*by + exp(opt(B[*p,*r,*q], 0)))
    tests:
      - {attrs: {axes: [2, 0]}, shapes: {X: [3, 4, 5], B: [3, 4, 5]}}
      - {attrs: {axes: [0]}, shapes: {X: [3, 4]}, absent: [B]}
  - op: halves
    types: {T: [f16, f32]}
    in: {X: "T[N]"}
    out: {Y: "T[N]"}
    body: Y[i] = X[i]*X[i]
  - op: fixed
    in: {J: "i64[M]", X: "f64[N]"}
    require: [N >= 1]
    out: {Y: "f64[M]"}
    body: Y[m] = sq(X[wrap(J[m], N)])
    tests: [{M: 5, N: 3}]
  - op: by_place
    types: {I: index, T: float}
    in: {J: "I[M]", X: "T[N]"}
    require: [N >= 1]
    out: {Y: "T[M]"}
    body: Y[m] = sq(X[wrap(J[m], N)])
    tests: [{M: 5, N: 3}]
YAML
of_own() { "$tenon" try "$work/gradients.yaml" --grad --op "$1" --isa portable --cc "$quick -O0" -q >"$work/rows" 2>&1 && [ "$(grep -c ' right$' "$work/rows")" -eq "$2" ] || { cat "$work/rows"; return 1; }; }
refused() { "$tenon" try "$work/gradients.yaml" --grad --op "$1" >"$work/out" 2>"$work/said"; [ $? -eq 2 ] && grep -q "$2" "$work/said" || { cat "$work/said"; return 1; }; }
shipped() { "$tenon" try --grad --op "$1" --isa portable --cc "$quick -O0" -q >"$work/rows" 2>&1 && [ "$(grep -c ' right$' "$work/rows")" -eq "$2" ] || { cat "$work/rows"; return 1; }; }
check 'gradients next to differences, of the inputs that are given' of_own scaled 3
check 'gradients of fixed types' of_own fixed 1
check 'gradients of an op found by the type of its indices' of_own by_place 1
check 'gradients of a variadic input' shipped concat 4
check 'no gradient: the reason' refused argmax 'grad: none'
check 'gradients are compared in f64' refused halves 'does not take f64'

cat >"$work/numbers.yaml" <<'YAML'
ops:
  - op: of_numbers
    attrs: {a: int, b: int = 1}
    in: {X: "i64[N]"}
    out: {Y: "i64[N]", Z: "i64[N]", V: "i64[N]", W: "i64[N]"}
    body: |
      Y[n] = X[n] + a//3
      Z[n] = X[n] + a % 7
      V[n] = X[n] + a*b*b*77
      W[n] = padded(X[n + a//3], 9)
    tests:
      - {a: -4, in: {X: [0, 1, 2]}, out: {Y: [-2, -1, 0], Z: [3, 4, 5], V: [-308, -307, -306], W: [9, 9, 0]}}
      - {a: 6, b: 6000000000, in: {X: [0, 1, 2]}, out: {Y: [2, 3, 4], Z: [6, 7, 8], V: [-6963154486015557632, -6963154486015557631, -6963154486015557630], W: [2, 9, 9]}}
YAML
numbers() { "$tenon" try "$work/numbers.yaml" --isa portable --cc "$clang -O0 -fsanitize=undefined -fno-sanitize-recover" -q >"$work/rows" 2>&1 && [ "$(grep -c ' right$' "$work/rows")" -eq 2 ] || { cat "$work/rows"; return 1; }; }
check 'attributes are negative or large numbers in values' numbers

cat >"$work/stored.yaml" <<'YAML'
ops:
  - op: stored_last
    types: {T: float}
    attrs: {t: bool = false}
    in: {A: "T[B, M, K]", C: "T[B, K, N]"}
    out: {Y: "T[B, M, N]"}
    storage: {A: {if: t, as: [K, M, B]}}
    body: |
      Y[b, m, n] = sum[k](A[b, m, k]*C[b, k, n])
    tests:
      - {t: true, in: {A: [[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 1], [2, 3]]], C: [[[1, 2], [4, 5], [3, 1]], [[1, 0], [2, 1], [5, 2]]]}}
YAML
stored() { "$tenon" try "$work/stored.yaml" --grad --isa portable --cc "$quick -O0" -q >"$work/rows" 2>&1 && [ "$(grep -c ' right$' "$work/rows")" -eq 2 ] || { cat "$work/rows"; return 1; }; }
check 'gradients whose elements are adjacent along the first dimension' stored
