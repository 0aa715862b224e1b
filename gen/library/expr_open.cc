// Indices along extents that the checks of a definition do not know: those that the data decide, and those of results
// of calls.
#include <fmt/format.h>

#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "library/bind_steps.h"
#include "library/expr_builder.h"
#include "support/ranges.h"

namespace tenon {

/// An extent that the data decide: of this op, or of one that it calls.
bool ExprBuilder::is_found(const Expr& extent) const {
  const auto* size = std::get_if<SizeRef>(&extent->node);
  if (!size) return false;
  for (const LetDef& l : scope_.def->lets)
    if (const auto own = scope_.binding.sizes.find(l.name); l.written && own != scope_.binding.sizes.end())
      if (same(own->second.e, extent)) return true;
  return none_of(kernel_.sizes, [&](const Size& s) { return s.name == size->name; });
}

/// A variable along an extent that a called op finds runs over exactly that extent, or over an extent of this op that
/// is compared with it at run time.
void ExprBuilder::match_found(const Syntax& sub, const Expr& extent) {
  const auto range = scope_.ranges.find(sub.text);
  if (sub.kind != SyntaxKind::name || range == scope_.ranges.end() || same(range->second, extent)) return;
  for (const auto& [name, own] : scope_.binding.sizes)
    if (same(own.e, extent)) return;  // the checks of the definition have seen it
  if (!is_found(extent)) return;
  if (is_found(range->second))
    return require_data(apply(ScalarOp::Le, {range->second, extent}), CheckStatus::Range, sub);
  error(Code::E0411, sub,
        fmt::format("'{}' ranges over {} elsewhere, here over an extent that the called op finds in the data", sub.text,
                    to_text(range->second)),
        {"use another variable"});
}

/// The ranges of the variables that an index is, dim by dim; nothing for other indices.
std::vector<Expr> ExprBuilder::bare_ranges(const Syntax& sub) const {
  if (const auto pack = scope_.pack_ranges.find(sub.text); pack != scope_.pack_ranges.end())
    return sub.kind == SyntaxKind::pack ? pack->second : std::vector<Expr>();
  std::vector<Expr> all;
  for (const Syntax& part : sub.kind == SyntaxKind::group ? sub.children : std::vector<Syntax>{sub}) {
    const auto range = scope_.ranges.find(part.text);
    if (part.kind != SyntaxKind::name || range == scope_.ranges.end()) return {};
    all.push_back(range->second);
  }
  return all;
}

/// Whether the definition says under `index` what a variable ranges over: it may be a part of a dim.
bool ExprBuilder::is_stated(const Syntax& sub) const {
  return any_of(scope_.def->index, [&](const IndexRange& r) { return r.name == sub.text; });
}

/// Bare indices of a value whose extents the checks of the definition may not know run over the whole of its dims, or
/// over a part if that is proved; if it is known only in a call, the call checks it.
void ExprBuilder::match_open(const Syntax& sub, const std::vector<Expr>& entry) {
  std::vector<Expr> ranges = bare_ranges(sub), extents = entry;
  if (ranges.size() == 1 && extents.size() > 1) {  // a split dim by one index
    for (size_t k = 1; k < extents.size(); ++k) extents[0] = extents[0] * extents[k];
    extents.resize(1);
  }
  for (size_t k = 0; k < ranges.size() && ranges.size() == extents.size(); ++k) {
    const Expr range = simplify(ranges[k]), extent = simplify(extents[k]);
    if (same(range, extent) || proves_le(range, extent, {}) || is_found(extent)) continue;
    if (constant_value(range) && constant_value(extent))
      error(Code::E0411, sub,
            fmt::format("'{}' ranges over {} elsewhere, here over {}", print(sub), to_text(range), to_text(extent)),
            {"use two variables, or make the two extents one"});
    else
      require_sizes(kernel_, apply(is_stated(sub) ? ScalarOp::Le : ScalarOp::Eq, {range, extent}),
                    "the range of " + print(sub));
  }
}

/// The extents that an index of several parts has along one dim of a call's result: those that the checks know, or else
/// the ranges of its variables and what the dim leaves for one other. Empty where nothing says it.
std::vector<Expr> ExprBuilder::extents_of_parts(const Syntax& group, const BoundTensor& t, size_t entry) const {
  const size_t n = group.children.size();
  if (entry < t.parts.size() && t.parts[entry].size() == n) return t.parts[entry];
  std::vector<Expr> all;
  Expr known = constant_int(1);
  size_t open = n;
  for (size_t k = 0; k < n; ++k) {
    const std::vector<Expr> range = bare_ranges(group.children[k]);
    all.push_back(range.size() == 1 ? range[0] : nullptr);
    if (all[k]) known = known * all[k];
    else if (open != n) return {};
    else open = k;
  }
  if (open != n) all[open] = apply(ScalarOp::FloorDiv, {t.entries[entry][0], known});
  return all;
}

/// `(h d)` on one dim of a call's result. What the checks do not know is compared when the code is generated, or by the
/// call.
Expr ExprBuilder::joined_parts(const Syntax& group, const BoundTensor& t, size_t entry) {
  const std::vector<Expr> extents = extents_of_parts(group, t, entry);
  if (extents.empty()) {
    error(Code::E0429, group, fmt::format("nothing determines the extents of the parts of '{}'", print(group)),
          {"give all variables of it but one a range under `index`"});
    return constant_int(0);
  }
  const bool known = entry < t.parts.size() && t.parts[entry].size() == extents.size();
  Expr at = index(group.children[0]), all = extents[0];
  for (size_t k = 1; k < extents.size(); ++k) {
    at = at * extents[k] + index(group.children[k]);
    all = all * extents[k];
  }
  if (known) return at;
  const Expr whole = simplify(all), dim = simplify(t.entries[entry][0]);
  if (!same(whole, dim)) require_sizes(kernel_, apply(ScalarOp::Eq, {whole, dim}), "the parts of " + print(group));
  for (size_t k = 0; k < extents.size(); ++k) {
    const Syntax& part = group.children[k];
    if (part.kind == SyntaxKind::integer)
      require_sizes(kernel_, apply(ScalarOp::Lt, {constant_int(part.integer), extents[k]}),
                    "the part " + print(part) + " of " + print(group));
  }
  return at;
}

}  // namespace tenon
