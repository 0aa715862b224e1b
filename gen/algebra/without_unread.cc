// Names of a nest that nothing reads.
#include <algorithm>

#include "algebra/nest_survey.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Without what is assigned to a variable, and without conditions around nothing.
Block without_assignments(const Block& block, const std::string& name) {
  Block kept;
  for (Stmt s : block) {
    const auto* assign = std::get_if<SAssign>(&s.node);
    if (assign && assign->name == name) continue;
    map_blocks(s, [&](const Block& inside) { return without_assignments(inside, name); });
    const auto* fork = std::get_if<SIf>(&s.node);
    if (fork && fork->then->empty() && (!fork->otherwise || fork->otherwise->empty())) continue;
    kept.push_back(std::move(s));
  }
  return kept;
}

/// Without variables that get values which nothing reads.
Block without_unread_variables(Block block) {
  for (size_t i = block.size(); i-- > 0;) {
    const auto* var = std::get_if<SVar>(&block[i].node);
    if (!var) continue;
    const std::string name = var->name;
    Block after = without_assignments(Block(block.begin() + static_cast<std::ptrdiff_t>(i) + 1, block.end()), name);
    NestSurvey later;
    later.add(after);
    if (later.vars.count(name) != 0) continue;
    block.resize(i);
    append(block, after);
  }
  return block;
}

}  // namespace

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
  const auto is_variable = [](const Stmt& s) { return std::holds_alternative<SVar>(s.node); };
  return any_of(kept, is_variable) ? without_unread_variables(std::move(kept)) : kept;
}

}  // namespace tenon
