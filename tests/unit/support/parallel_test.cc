// Independent work: each index once, and what a body throws reaches the caller.
#include "support/parallel.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "catch.h"

namespace parallel_test {

using tenon::for_each_index;

TEST_CASE("parallel: each index once") {
  std::vector<std::atomic<int>> seen(1000);
  for_each_index(seen.size(), [&](size_t i) { ++seen[i]; });
  for (const auto& s : seen) CHECK(s == 1);
  for_each_index(0, [](size_t) { FAIL("no index is below 0"); });
}

TEST_CASE("parallel: what the lowest index throws reaches the caller, whoever is first") {
  for (int round = 0; round < 20; ++round) {
    std::string said;
    try {
      for_each_index(64, [](size_t i) {
        if (i < 7) return;
        // The lowest of those that fail is the last to do so.
        if (i == 7) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        throw std::runtime_error("index " + std::to_string(i));
      });
    } catch (const std::runtime_error& e) {
      said = e.what();
    }
    CHECK(said == "index 7");
  }
}

}  // namespace parallel_test
