// One worker per processor; each takes the next free index.
#include "support/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace tenon {
namespace {

/// The exception of the lowest index. Indices are taken in ascending order, so all indices below one that threw have
/// been taken and are completed by their workers: the lowest one does not depend on timing.
class FirstFailure {
 public:
  void note(size_t index, std::exception_ptr what) {
    const std::lock_guard lock(mutex_);
    if (!what_ || index < index_) index_ = index, what_ = std::move(what);
    any_ = true;
  }
  bool any() const { return any_; }
  void rethrow() const {
    if (what_) std::rethrow_exception(what_);
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> any_ = false;
  size_t index_ = 0;
  std::exception_ptr what_;
};

}  // namespace

void for_each_index(size_t n, const std::function<void(size_t)>& body) {
  std::atomic<size_t> next = 0;
  FirstFailure failure;
  const auto work = [&] {
    // An index that was taken is processed even if another one has failed in the meantime.
    while (!failure.any()) {
      const size_t i = next++;
      if (i >= n) return;
      try {
        body(i);
      } catch (...) {
        failure.note(i, std::current_exception());
      }
    }
  };
  const size_t useful = std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), n);
  std::vector<std::thread> workers;
  try {
    for (size_t w = 1; w < useful; ++w) workers.emplace_back(work);
  } catch (const std::system_error&) {
    // No more threads can be created: the existing ones do all the work.
  }
  work();
  for (std::thread& w : workers) w.join();
  failure.rethrow();
}

}  // namespace tenon
