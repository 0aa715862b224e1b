// Small passes over loop nests: large arrays into the workspace.
#include "lower/nest/nest_passes.h"

#include <optional>

namespace tenon {
namespace {

/// Arrays beyond this are in the workspace: a call of a library has 2 KB of stack in all.
constexpr int64_t kMaxStackBytes = 256;

}  // namespace

void move_large_arrays(LoopNest& nest) {
  for (Buffer& b : nest.buffers) {
    if (b.storage != Storage::Stack) continue;
    const std::optional<int64_t> elements = constant_value(b.elements);
    if (elements && *elements * bytes_of(b.dtype) > kMaxStackBytes) b.storage = Storage::Workspace;
  }
}

}  // namespace tenon
