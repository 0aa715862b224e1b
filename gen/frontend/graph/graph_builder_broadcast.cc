// Broadcasting of extents that may or may not be 1 at run time.
#include <map>

#include "frontend/graph/graph_builder.h"
#include "ir/graph/size_bounds.h"
#include "support/ranges.h"

namespace tenon {
namespace {

bool is_in(const SizeExpr& part, const SizeExpr& whole) {
  return part == whole || any_of(whole.args, [&](const SizeExpr& a) { return is_in(part, a); });
}

bool share_a_name(const SizeExpr& a, const SizeExpr& b) {
  const std::vector<std::string> x = names_in(a), y = names_in(b);
  return any_of(x, [&](const std::string& n) { return contains(y, n); });
}

void add_parts(const SizeExpr& e, std::map<std::string, SizeExpr>& parts) {
  if (e.op == ScalarOp::Max)
    for (const SizeExpr& a : e.args) add_parts(a, parts);
  else parts.emplace(to_text(e), e);
}

/// The maximum of all terms of both maxima, in a fixed order, so that equal sets of extents give the same expression.
SizeExpr joint_maximum(const SizeExpr& a, const SizeExpr& b) {
  std::map<std::string, SizeExpr> parts;
  add_parts(a, parts);
  add_parts(b, parts);
  SizeExpr maximum = parts.begin()->second;
  for (const auto& [text, part] : parts) maximum = size_max(maximum, part);
  return maximum;
}

}  // namespace

std::optional<SizeExpr> GraphBuilder::joint_extent(const SizeExpr& a, const SizeExpr& b) {
  if (!joins_ || a == b || a.is_constant() || b.is_constant()) return std::nullopt;
  const auto is_joint = [&](const SizeExpr& e) {
    return any_of(joints_, [&](const SizeExpr& j) { return is_in(j, e); });
  };
  // Extents of the same sizes, such as N and 2*((N + 1)//2), are equal as a rule, unless one comes from a broadcast.
  if (share_a_name(a, b) && !is_joint(a) && !is_joint(b)) return std::nullopt;
  const auto same = [&](const EqualExtents& e) { return (e.a == a && e.b == b) || (e.a == b && e.b == a); };
  if (any_of(graph_.equal, same)) return std::nullopt;
  const auto is_written = [&](const SizeExpr& e) {
    return any_of(graph_.sizes, [&](const GraphSize& s) { return s.written && is_in(size_name(s.name), e); });
  };
  if (is_written(a) || is_written(b) || !known_at_run(a) || !known_at_run(b)) return std::nullopt;
  const Interval x = bounds_of(a, graph_.sizes), y = bounds_of(b, graph_.sizes);
  if (x.lo > 1 && y.lo > 1) return std::nullopt;
  SizeExpr joint = x.lo > 1 ? a : y.lo > 1 ? b : joint_maximum(a, b);
  // An extent of 0 and an extent of 1 broadcast to 0.
  if (x.lo < 1 || y.lo < 1) joint = joint * size_min(size_min(a, b), 1);
  if (joint != a && joint != b) joints_.push_back(joint);
  joined_ = true;
  return joint;
}

}  // namespace tenon
