// Stores what lets of the root read, in front of the first parallel loop that may need it.
#include <algorithm>

#include "algebra/nest_survey.h"
#include "lower/nest/nest_passes.h"

namespace tenon {
namespace {

bool is_parallel(const Stmt& s) {
  const auto* loop = std::get_if<SFor>(&s.node);
  return loop && loop->kind == LoopKind::Parallel;
}

/// The let, where it reads one number from memory.
const SLet* read_by_let(const Stmt& s) {
  const auto* let = std::get_if<SLet>(&s.node);
  NestSurvey used;
  used.add(s);
  return let && used.loads && let->value->type.lanes == 1 ? let : nullptr;
}

}  // namespace

Block keep_lets(Block root, std::vector<Buffer>& buffers) {
  const auto last = std::find_if(root.rbegin(), root.rend(), is_parallel);
  if (last == root.rend()) return root;
  const auto end = static_cast<size_t>(root.rend() - last);
  Block out;
  for (size_t i = 0; i < root.size(); ++i) {
    const SLet* let = i < end ? read_by_let(root[i]) : nullptr;
    if (!let) {
      out.push_back(root[i]);
      continue;
    }
    const int kept = static_cast<int>(buffers.size());
    const DType type = let->value->type.dtype;
    buffers.push_back({let->name + "_kept", type, Storage::Workspace, -1, v_int(1), true});
    out.push_back(s_store(kept, v_int(0), let->value));
    out.push_back(s_let(let->name, v_load(kept, type, v_int(0))));
  }
  return out;
}

}  // namespace tenon
