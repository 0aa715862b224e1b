// Small passes over loop nests: large arrays into the workspace, names that nothing reads.
#include "lower/nest/nest_passes.h"

#include <algorithm>
#include <optional>

#include "algebra/nest_survey.h"

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

Block without_unread(const Block& block) {
  Block kept;
  NestSurvey later;
  for (size_t i = block.size(); i-- > 0;) {
    Stmt s = block[i];
    const auto* let = std::get_if<SLet>(&s.node);
    if (let && later.vars.count(let->name) == 0) continue;
    map_blocks(s, [](const Block& inside) { return without_unread(inside); });
    later.add(s);
    kept.push_back(std::move(s));
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

}  // namespace tenon
