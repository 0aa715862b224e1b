# State that a model keeps from one call to the next: as the same model with the state fed back by hand.
# shellcheck shell=sh
graph=$checkout/tests/programs/state.yaml
keep='--state h=h2 --state k=k2 --state c=c2 --state cache=cache2 --state g=g2 --state v=v2 --state w=w2'
defs=$checkout/tests/programs/state_ops.yaml
for isa in native portable; do
  # shellcheck disable=SC2086
  check "generates a model with state, $isa" "$tenon" model "$graph" --defs "$defs" -q --name kept --isa $isa $keep -o "$work/kept"
  check "generates the plain model, $isa" "$tenon" model "$graph" --defs "$defs" -q --name plain --isa $isa -o "$work/plain_model"
  for folder in kept plain_model; do
    # shellcheck disable=SC2086
    check "make for the $folder model, $isa" make -C "$work/$folder" CFLAGS="-O1 $(echo "$strict" | sed s/-std=c99//)"
  done
  check "compiles both, $isa" "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I"$work/kept/include" -I"$work/plain_model/include" -o "$work/state" \
    "$checkout/tests/programs/state.c" "$work/kept/libkept.a" "$work/plain_model/libplain.a" -lpthread
  check "the state is what the plain model returns, $isa" "$work/state"
done
# Three of these states are read by nothing after they are replaced.
check 'a recurrence is in place' sh -c "sed -n '/The state of the next call/,\$p' '$work/kept/src/kept_portable.c' | grep -c memcpy | grep -qx 4"
# shellcheck disable=SC2086
check 'a program with state and a self-test' "$tenon" model "$graph" --defs "$defs" -q --isa portable $keep --main --selftest -o "$work/stated"
check 'compiles it' compiled stated "${CC:-cc}"
check 'its self-test' "$work/stated/net" --selftest
printf 'graph: all\ninputs: {h: "f32[3]"}\nmain: |\n  n = exp(h)\noutputs: [n]\n' >"$work/all.yaml"
check 'a model of which nothing but state is left' "$tenon" model "$work/all.yaml" -q --isa portable --state h=n --main -o "$work/all"
check 'compiles it' compiled all "${CC:-cc}"
check 'compiles it with all its warnings' sh -c "cd '$work/all' && env -u TENON_UNOPTIMIZED ${CC:-cc} -O2 $strict -Iinclude -c src/net_main.c -o main.o"
check 'nothing is left to check' says 'selftest: every output is a state' "$tenon" model "$work/all.yaml" -q --isa portable --state h=n --selftest -o "$work/none"
check 'state from what is no input' refuses "$tenon" model "$graph" --defs "$defs" -q --state none=h2 -o "$work/none"
check 'state of two types' refuses "$tenon" model "$graph" --defs "$defs" -q --state h=c2 -o "$work/none"
check 'state twice' refuses "$tenon" model "$graph" --defs "$defs" -q --state h=h2 --state h=h2 -o "$work/none"
