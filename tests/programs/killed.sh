# What a run leaves that is killed at any step of its writing: whole files under their names, and nothing that the next run does not repair.
# shellcheck shell=sh
# old FOLDER WHOLE: the files of WHOLE, each with another last line.
old() {
  rm -rf "$1" && cp -R "$2" "$1"
  find "$1" -type f -exec sh -c 'for f; do echo "/* old */" >>"$f"; done' - {} +
}

# each_whole FOLDER WHOLE OLD: every file that is not a temporary one is as in one of the two.
each_whole() {
  (cd "$1" && find . -type f ! -name '*.tmp') | while read -r name; do
    cmp -s "$1/$name" "$2/$name" || cmp -s "$1/$name" "$3/$name" || { echo "half a file: $name"; return 1; }
  done
}

# killed_at STEP COMMAND...: COMMAND, killed at that step of its writing. Where it is built with AddressSanitizer, that minds what is loaded before it.
killed_at() {
  at_step=$1
  shift
  ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" KILL_AT=$at_step LD_PRELOAD=$work/kill_at.so "$@"
}

# killed EVERY WHOLE START COMMAND...: COMMAND -o FOLDER, killed at every EVERYth step of its writing until it comes through. It begins in a folder
# like START, or in none. Then it runs once more, and the folder is like WHOLE.
killed() {
  every=$1 whole=$2 start=$3
  shift 3
  at=0 came_through=no
  while [ $came_through = no ]; do
    at=$((at + every))
    rm -rf "$work/hit"
    [ "$start" = none ] || cp -R "$start" "$work/hit"
    [ $at -lt 5000 ] || { echo "it does not come through with $at steps"; return 1; }
    if killed_at $at "$@" -o "$work/hit"; then came_through=yes; fi
    if [ -d "$work/hit" ]; then each_whole "$work/hit" "$whole" "$start" || { echo "killed at step $at"; return 1; }; fi
    "$@" -o "$work/hit" && diff -r "$work/hit" "$whole" || { echo "not repaired after step $at"; return 1; }
  done
  [ $at -gt 20 ] || { echo "it has $((at - 1)) steps only"; return 1; }
}

if ${CC:-cc} -shared -fPIC -O1 -o "$work/kill_at.so" "$checkout/tests/programs/kill_at.c" -ldl 2>"$work/log" &&
  ! killed_at 1 "$tenon" lib --ops relu --dtypes f32 --isa portable -q -o "$work/none_yet" 2>/dev/null && [ ! -e "$work/none_yet" ]; then
  "$tenon" lib --ops relu --dtypes f32 --isa portable -q -o "$work/whole_lib"
  "$tenon" model "$checkout/tests/programs/small.yaml" --isa portable --main -q -o "$work/whole_model"
  old "$work/old_lib" "$work/whole_lib"
  old "$work/old_model" "$work/whole_model"
  check 'a library killed while it is written' killed 7 "$work/whole_lib" none "$tenon" lib --ops relu --dtypes f32 --isa portable -q
  check 'a library killed while it is written over another' killed 3 "$work/whole_lib" "$work/old_lib" "$tenon" lib --ops relu --dtypes f32 --isa portable --force -q
  check 'a model killed while it is written over another' killed 11 "$work/whole_model" "$work/old_model" "$tenon" model "$checkout/tests/programs/small.yaml" --isa portable --main --force -q
else
  echo 'SKIP killed: nothing can be loaded before the program here'
  skipped=$((skipped + 1))
fi
