// Independent work on all processors.
#pragma once

#include <cstddef>
#include <functional>

namespace tenon {

/// body(i) for all i below n, in any order and several at once; returns when all are done. If bodies throw, no further
/// ones are started, and the exception of the lowest index is rethrown.
void for_each_index(size_t n, const std::function<void(size_t)>& body);

}  // namespace tenon
