// Goes through blocks from their ends, inner ones first.
#include <algorithm>

#include "algebra/nest_survey.h"
#include "lower/nest/nest_passes.h"

namespace tenon {
namespace {

std::shared_ptr<const Block> without_unread(const std::shared_ptr<const Block>& block) {
  return block ? std::make_shared<const Block>(without_unread(*block)) : nullptr;
}

}  // namespace

Block without_unread(const Block& block) {
  Block kept;
  NestSurvey later;
  for (size_t i = block.size(); i-- > 0;) {
    Stmt s = block[i];
    const auto* let = std::get_if<SLet>(&s.node);
    if (let && later.vars.count(let->name) == 0) continue;
    if (auto* loop = std::get_if<SFor>(&s.node)) loop->body = without_unread(loop->body);
    if (auto* fork = std::get_if<SIf>(&s.node)) {
      fork->then = without_unread(fork->then);
      fork->otherwise = without_unread(fork->otherwise);
    }
    later.add(s);
    kept.push_back(std::move(s));
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

}  // namespace tenon
