# Several processes that train together: each a part of every batch, the losses of one.
# shellcheck shell=sh
if command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
  graph=$checkout/examples/train_digits/train.yaml
  data="--data x=$work/train_x.npy --data t=$work/train_t.npy"
  held="--validate x=$work/held_x.npy --validate t=$work/held_t.npy"
  # More processes than processors take turns.
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
  check 'a program for processes' "$tenon" model "$graph" -q --isa portable --max-threads 2 --train --main --mpi -o "$work/mpi"
  for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    # shellcheck disable=SC2086,SC2046
    check "$cc takes all but what calls MPI as strictly as ever" sh -c "cd '$work/mpi' && $cc -O0 $strict -Wno-psabi -Iinclude -fsyntax-only \
      -I\$(mpicc --showme:incdirs | sed 's/ .*//') \$(grep -v _mpi.c sources.txt)"
  done
  check 'make builds it' make -s -C "$work/mpi" CFLAGS=-O1
  # Installed, the processes are a library of their own, which a program of the user's links.
  cat >"$work/alone.c" <<'END'
#include <net_train_mpi.h>
#include <stdio.h>
int main(void)
{
    net_train_processes all = {0, 0, NULL, NULL};
    net_train_context context = {0};
    int status = net_train_start_processes(&all, &context);
    printf("%d of %d\n", all.rank + 1, all.size);
    net_train_stop_processes(&all, status, 1);
    return status;
}
END
  mkdir "$work/mpi_user" && printf '%s\n' 'cmake_minimum_required(VERSION 3.16)' 'project(user C)' 'find_package(net_train REQUIRED)' \
    'add_executable(alone ../alone.c)' 'target_link_libraries(alone PRIVATE net_train::net_train_mpi)' >"$work/mpi_user/CMakeLists.txt"
  check 'make installs it' make -s -C "$work/mpi" CFLAGS=-O1 install PREFIX="$work/mpi_made"
  linked_by_pkg_config() {
    flags=$(PKG_CONFIG_PATH="$work/mpi_made/lib/pkgconfig" pkg-config --cflags --libs net_train_mpi) || return 1
    # shellcheck disable=SC2086
    mpicc -o "$work/mpi_alone" "$work/alone.c" $flags && [ "$("$work/mpi_alone")" = '1 of 1' ]
  }
  check 'a program links its processes by pkg-config' linked_by_pkg_config
  check 'CMake installs it' sh -c 'cmake -S "$0/mpi" -B "$0/mpi_build" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_C_FLAGS_RELEASE=-O0 && cmake --build "$0/mpi_build" && cmake --install "$0/mpi_build" --prefix "$0/mpi_installed"' "$work"
  check 'a program links its processes by CMake' sh -c 'cmake -S "$0/mpi_user" -B "$0/mpi_user/build" -DCMAKE_PREFIX_PATH="$0/mpi_installed" && cmake --build "$0/mpi_user/build" && [ "$("$0/mpi_user/build/alone")" = "1 of 1" ]' "$work"

  # together N NAME FLAGS...: the program in N processes.
  together() {
    n=$1 name=$2
    shift 2
    # shellcheck disable=SC2086
    mpirun -n "$n" "$work/mpi/net_train" $data --log "$work/$name.log" -o "$work/$name.npz" "$@"
  }
  # near A B: two logs whose losses agree to 1e-6.
  near() {
    paste "$1" "$2" | awk 'NR > 1 { d = ($2 - $4)/$2; n++; if (d > 1e-6 || d < -1e-6) bad = 1 } END { exit bad || n == 0 }'
  }
  # shellcheck disable=SC2086
  check 'trains alone' "$work/mpi/net_train" $data $held --epochs 1 --log "$work/m1.log" -o "$work/m1.npz"
  grep '^epoch' "$work/log" >"$work/m1.said"
  # shellcheck disable=SC2086
  check 'four train together' together 4 m4 $held --epochs 1
  grep '^epoch' "$work/log" >"$work/m4.said"
  check 'to the losses of one' near "$work/m1.log" "$work/m4.log"
  check 'and its validation' cmp "$work/m1.said" "$work/m4.said"
  check 'three, half of it' together 3 m3 --steps 12 --checkpoint "$work/m3.c"
  check 'and on' together 3 m3 --epochs 1 --resume "$work/m3.c"
  check 'three at once' together 3 m3b --epochs 1 --threads 2
  check 'as if nothing had been' sh -c "cmp '$work/m3.log' '$work/m3b.log' && cmp '$work/m3.npz' '$work/m3b.npz'"
  check 'a batch that one would not take' ends 0 'batches of 192' together 3 m192 --batch 192 --steps 1
  check 'one that three would not' ends 2 'takes 1 to 192 examples a step' together 3 m193 --batch 193
  check 'two examples for three' ends 1 'cannot be shared by 3 processes, of which each takes 1 to 64' together 3 m2 --batch 2
  check 'a wrong flag is said once' sh -c "mpirun -n 3 '$work/mpi/net_train' --fast 3 2>&1 | grep -c 'no such option' | grep -qx 1"

  # One that is killed ends all, and mpirun says which.
  # shellcheck disable=SC2086
  mpirun -n 3 "$work/mpi/net_train" $data --epochs 400000 --log "$work/mk.log" >"$work/mk.said" 2>&1 &
  process=$!
  for _ in $(seq 60); do [ -s "$work/mk.log" ] || sleep 1; done
  kill -KILL "$(cut -d ' ' -f 1 "/proc/$process/task/$process/children")"
  wait $process
  status=$?
  check 'a killed process ends all' [ $status -ne 0 ]
  check 'and mpirun says so' grep -q 'exited on signal 9' "$work/mk.said"

  # Statistics of a part are not those of the batch; a sum over the examples is no mean. Both are said.
  sed 's/^  loss: .*/  loss: sum(sq(log_softmax(y, axis=1)))/' "$graph" >"$work/sum.yaml"
  check 'a loss that is a sum' "$tenon" model "$work/sum.yaml" -q --isa portable --train --main --mpi -o "$work/mpi_sum"
  check 'is built' make -s -C "$work/mpi_sum" CFLAGS=-O0
  # shellcheck disable=SC2086
  check 'and is said' ends 0 'note: the loss of the first batch is [0-9.]* in one process and [0-9.]* as the mean over 2' \
    mpirun -n 2 "$work/mpi_sum/net_train" $data --steps 1
  # Random numbers, statistics and parameters in two bytes: the states of all processes stay the same.
  sed -e '/^  w: /s/f32/bf16/' -e 's/matmul(dropout/cast(matmul(cast(dropout/' -e 's/ratio=0.25), w)/ratio=0.25), dtype=bf16), w), dtype=f32)/' \
    "$work/forms.yaml" >"$work/mpi_forms.yaml"
  check 'masks and statistics' "$tenon" model "$work/mpi_forms.yaml" -q --isa portable --train --main --mpi -o "$work/mpi"
  check 'are built' make -s -C "$work/mpi" CFLAGS=-O0
  check 'train together' together 2 mf --epochs 1
  check 'half of it' together 2 mg --steps 12 --checkpoint "$work/mg.c"
  check 'and on' together 2 mg --epochs 1 --resume "$work/mg.c"
  check 'have the same' sh -c "cmp '$work/mf.log' '$work/mg.log' && cmp '$work/mf.npz' '$work/mg.npz'"
else
  echo 'SKIP processes: no mpicc or mpirun (openmpi-bin, libopenmpi-dev)'
  skipped=$((skipped + 1))
fi
check 'nothing of MPI without --mpi' refuses grep -rqi 'mpi\b\|all_reduce' "$work/train"
check '--mpi asks for --train' says_of_line 'add --train' "$tenon" model "$checkout/examples/digits/digits.yaml" --mpi -q -o "$work/none"
