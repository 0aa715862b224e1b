// Examines the bare uses of each variable, statement by statement.
#include <fmt/format.h>

#include "opdef/check/statement_checks.h"
#include "support/ranges.h"

namespace tenon {

namespace {

/// How one statement uses an index variable.
struct Use {
  bool whole = false;              ///< along a dim of just its range, or in a way that no larger range would allow
  const Syntax* larger = nullptr;  ///< the first bare index of a larger dim
  std::string tensor;
  Syntax extent;
};

class PartialRanges {
 public:
  PartialRanges(const OpDef& op, BodyScope& scope, Diagnostics& diagnostics)
      : op_(op), scope_(scope), diagnostics_(diagnostics) {}

  void run() {
    for (const IndexRange& range : op_.index)
      if (!range.of_family) warn_if_unused(range);
    for (const Statement& s : op_.body) {
      if (s.is_call || s.is_extent) continue;
      uses_.clear();
      const BodyValue* target = scope_.value(s.targets[0].text);
      // The shape of an intermediate follows from its left side and says nothing.
      if (target != nullptr && target->output != nullptr) indices(s.targets[0].text, s.subs, *target);
      each_expression(s, [&](const Syntax& e) { reads(e); });
      for (const auto& [name, use] : uses_)
        if (use.larger != nullptr && !use.whole) warn(name, use);
    }
  }

 private:
  void reads(const Syntax& s) {
    each_within(s, [&](const Syntax& n) {
      if (n.is(SyntaxKind::subscript))
        if (const BodyValue* value = scope_.value(n.text)) indices(n.text, n.children, *value);
    });
  }

  void indices(const std::string& tensor, const std::vector<Syntax>& subs, const BodyValue& value) {
    for (std::size_t i = 0; i < subs.size(); ++i) {
      const bool known = value.slots && subs.size() == value.slots->size() && !(*value.slots)[i].pack;
      if (known && !(*value.slots)[i].split() && subs[i].is(SyntaxKind::name)) {
        bare(tensor, subs[i], (*value.slots)[i].extents[0]);
      } else if (known && (*value.slots)[i].split() && subs[i].is(SyntaxKind::group)) {
        for (std::size_t k = 0; k < std::min(subs[i].children.size(), (*value.slots)[i].extents.size()); ++k)
          bare(tensor, subs[i].children[k], (*value.slots)[i].extents[k]);
      } else {
        within(subs[i]);
      }
    }
  }

  /// X[i + 1]: the proofs have shown that no larger range is possible.
  void within(const Syntax& s) {
    if (s.is(SyntaxKind::name)) uses_[s.text].whole = true;
    if (s.is(SyntaxKind::subscript)) return;  // the indices of a read within an index are looked at as such
    for (const Syntax& child : s.children) within(child);
  }

  void bare(const std::string& tensor, const Syntax& sub, const Syntax& extent) {
    const IndexVariable* v = scope_.variable(sub.text);
    if (!sub.is(SyntaxKind::name)) return within(sub);
    if (v == nullptr || v->declared || !v->extent) return;
    Use& use = uses_[sub.text];
    if (use.whole || same(*v->extent, extent) || scope_.bounds().equal(*v->extent, extent)) use.whole = true;
    else if (use.larger == nullptr) use.larger = &sub, use.tensor = tensor, use.extent = extent;
  }

  void warn_if_unused(const IndexRange& range) {
    const auto names = [&](const Syntax& n) { return n.text == range.name; };
    if (any_of(op_.body, [&](const Statement& s) { return any_within(s, names); }) ||
        any_of(op_.tables, [&](const TableDef& t) { return any_within(t.values, names); }))
      return;
    diagnostics_.warning(Code::E0440, range.span, fmt::format("no statement has an index '{}'", range.name),
                         {"remove the entry, or correct its name"});
  }

  void warn(const std::string& name, const Use& use) {
    const std::string range = print(*scope_.variable(name)->extent), dim = print(use.extent);
    diagnostics_.warning(
        Code::E0411, use.larger->span,
        fmt::format("'{}' runs over {} here, a part of the dim {} of '{}'", name, range, dim, use.tensor),
        {fmt::format(
            "other statements give it this range: use another variable for all of {}, or write index: {{{}: {}}} "
            "if the part is meant",
            dim, name, range)});
  }

  const OpDef& op_;
  BodyScope& scope_;
  Diagnostics& diagnostics_;
  std::map<std::string, Use> uses_;
};

}  // namespace

void warn_of_partial_ranges(const OpDef& op, BodyScope& scope, Diagnostics& diagnostics) {
  PartialRanges(op, scope, diagnostics).run();
}

}  // namespace tenon
