// Runs the network with a pool of two threads, from C++.
#include <net_threads.h>

#include <cstdio>

alignas(64) static unsigned char arena[NET_ARENA_BYTES + 64];

int main() {
  const float x[2] = {1, 2};
  float y[2] = {0, 0};
  net_inputs in = {};
  in.x = x;
  net_outputs out = {};
  out.y = y;
  net_context context = {};
  if (net_start_threads(&context, 2) != 0 || net_run(&in, &out, arena, &context) != 0) return 1;
  net_stop_threads(&context);
  std::printf("%g %g\n", y[0], y[1]);
  return 0;
}
