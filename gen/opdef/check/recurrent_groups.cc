// Which statements of a body depend on each other.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "opdef/check/statement_checks.h"
#include "support/ranges.h"

namespace tenon {

namespace {

class GroupFinder {
 public:
  GroupFinder(const OpDef& op, Diagnostics& diagnostics) : op_(op), diagnostics_(diagnostics) {
    std::map<std::string, std::size_t> definitions;
    for (std::size_t i = 0; i < op.body.size(); ++i)
      if (defines(op.body[i])) definitions.emplace(op.body[i].targets[0].text, i);
    needs_.resize(op.body.size());
    for (std::size_t i = 0; i < op.body.size(); ++i) {
      if (!defines(op.body[i])) continue;
      std::set<std::string> reads;
      each_within(op.body[i].value, [&](const Syntax& s) {
        if (s.is(SyntaxKind::subscript)) reads.insert(s.text);
      });
      for (const std::string& name : reads)
        if (const auto at = definitions.find(name); at != definitions.end()) needs_[i].push_back(at->second);
    }
  }

  /// The first group with members of other groups between its own: the new order of the statements from its first to
  /// its last. Members that it depends on move before it, all others after it. Nothing if another statement is in
  /// between, or if there is no such group.
  std::optional<std::pair<std::size_t, std::vector<std::size_t>>> gathered() const {
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      const std::set<std::size_t> from = reached(i);
      if (from.count(i) == 0) continue;
      const std::vector<std::size_t> members = members_of(i, from);
      std::vector<std::size_t> before, behind;
      for (std::size_t j = members.front(); j <= members.back(); ++j) {
        if (reached(j).count(j) == 0) return std::nullopt;
        const bool member = contains(members, j);
        if (!member) (from.count(j) != 0 ? before : behind).push_back(j);
      }
      const std::size_t first = members.front();
      if (before.empty() && behind.empty()) continue;
      append(before, members);
      append(before, behind);
      return std::pair(first, std::move(before));
    }
    return std::nullopt;
  }

  std::vector<RecurrentGroup> run() {
    std::vector<RecurrentGroup> groups;
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      const std::set<std::size_t> from = reached(i);
      if (from.count(i) == 0) continue;
      const std::vector<std::size_t> members = members_of(i, from);
      groups.push_back({members.front(), members.back(), between(members)});
      i = members.back();
    }
    return groups;
  }

 private:
  static bool defines(const Statement& s) { return !s.is_call && s.update == Update::Assign; }

  /// Those of the statements `from`, which `i` needs, that need it in turn.
  std::vector<std::size_t> members_of(std::size_t i, const std::set<std::size_t>& from) const {
    std::vector<std::size_t> members;
    for (const std::size_t j : from)
      if (reached(j).count(i) != 0) members.push_back(j);
    return members;
  }

  /// All statements that one needs, directly or through others.
  std::set<std::size_t> reached(std::size_t from) const {
    std::set<std::size_t> all;
    std::vector<std::size_t> open = needs_[from];
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      if (all.insert(i).second) append(open, needs_[i]);
    }
    return all;
  }

  /// The two statements that `V[…], I[…] = max_at[k](e)` stands for are one in the text.
  bool twins(std::size_t a, std::size_t b) const { return op_.body[a].span.begin == op_.body[b].span.begin; }

  /// The first statement between members. That it is not what a member reads further down is for the order to find.
  const Statement* between(const std::vector<std::size_t>& members) {
    const Statement* first = nullptr;
    for (std::size_t k = 1; k < members.size(); ++k) {
      if (members[k] == members[k - 1] + 1 || twins(members[k] - 1, members[k - 1])) continue;
      const Statement& between = op_.body[members[k - 1] + 1];
      if (first == nullptr) first = &between;
      const std::string& later = op_.body[members[k]].targets[0].text;
      for (std::size_t j = 0; j < k; ++j) {
        const auto is_read = [&](const Syntax& s) { return s.is(SyntaxKind::subscript) && s.text == later; };
        const Syntax* read = first_within(op_.body[members[j]].value, is_read);
        if (read == nullptr) continue;
        report_between(*read, later, between, diagnostics_);
        return first;
      }
    }
    return first;
  }

  const OpDef& op_;
  Diagnostics& diagnostics_;
  std::vector<std::vector<std::size_t>> needs_;  ///< of each statement, those that define what it reads
};

}  // namespace

void report_between(const Syntax& read, const std::string& later, const Statement& between, Diagnostics& diagnostics) {
  diagnostics.error(Code::E0439, read.span,
                    fmt::format("'{}' is defined further down, and '{}' is between", later, between.targets[0].text),
                    {"statements that need each other are adjacent: put the one between before or after them"});
}

void gather_groups(OpDef& op) {
  Diagnostics reported_later;
  while (const auto order = GroupFinder(op, reported_later).gathered()) {
    std::vector<Statement> moved;
    for (const std::size_t j : order->second) moved.push_back(std::move(op.body[j]));
    std::move(moved.begin(), moved.end(), op.body.begin() + static_cast<std::ptrdiff_t>(order->first));
  }
}

std::vector<RecurrentGroup> recurrent_groups(const OpDef& op, Diagnostics& diagnostics) {
  return GroupFinder(op, diagnostics).run();
}

}  // namespace tenon
