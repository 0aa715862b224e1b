// One worker a processor; each takes the next index that nobody has taken.
#include "support/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tenon {

void for_each_index(size_t n, const std::function<void(size_t)>& body) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < n; i = next++) body(i);
  };
  const size_t useful = std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), n);
  std::vector<std::thread> workers;
  for (size_t w = 1; w < useful; ++w) workers.emplace_back(work);
  work();
  for (std::thread& w : workers) w.join();
}

}  // namespace tenon
