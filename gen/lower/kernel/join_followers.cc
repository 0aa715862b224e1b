// join-followers: computes readers of a recurrence's newest element in the recurrence's loops: for h[t,n] = …; y[t] =
// sum[n](h[t,n]*c[n]) earlier steps of h are then not needed, and only a small part is kept.
#include <set>

#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Statements of a recurrence: those from `first` up to `end`, and where in their targets the shared variables are.
struct StatementGroup {
  size_t first = 0, end = 0;
  std::vector<LoopVar> lead;                        ///< the loops that a follower joins
  std::map<int, std::vector<size_t>> dims_of_lead;  ///< per target the dim of each
};

void each_part(const KernelStatement& s, FunctionRef<void(const Expr&)> f) {
  f(s.value);
  for (const Expr& e : s.index) f(e);
  if (s.where) f(s.where);
}

class FollowerJoiner {
 public:
  explicit FollowerJoiner(const Kernel& k) : k_(k) {}

  Kernel run() {
    for (size_t first = 0, end = 0; first < k_.body.size(); first = end) {
      end = end_of_joined(k_.body, first);
      if (!is_in_recurrence(k_.body[first])) continue;
      for (size_t depth = deepest(first, end); depth > 0; depth = directed_above(first, depth)) {
        const auto group = group_of(first, end, depth);
        if (group) end = join_all(*group);
      }
    }
    return std::move(k_);
  }

 private:
  /// How many loops all statements of a group share, down to the last directed one.
  size_t deepest(size_t first, size_t end) const {
    size_t n = k_.body[first].loops.size();
    for (size_t i = first + 1; i < end; ++i) n = std::min(n, k_.body[i].joined);
    return directed_above(first, n + 1);
  }

  /// The loops above position `depth` of a statement, down to the last directed one.
  size_t directed_above(size_t first, size_t depth) const {
    size_t n = std::min(depth - 1, k_.body[first].loops.size());
    while (n > 0 && k_.body[first].loops[n - 1].direction == Direction::Any) --n;
    return n;
  }

  std::optional<StatementGroup> group_of(size_t first, size_t end, size_t depth) const {
    StatementGroup g{first, end, {}, {}};
    const auto& loops = k_.body[first].loops;
    g.lead.assign(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(depth));
    for (size_t i = first; i < end; ++i) {
      const KernelStatement& s = k_.body[i];
      std::vector<size_t>& dims = g.dims_of_lead[s.target];
      if (s.update != Update::Assign || !dims.empty()) return std::nullopt;
      for (const LoopVar& v : g.lead) {
        const auto at = find_if(s.index, [&](auto& e) { return is_variable(e, v.name); });
        if (at == s.index.end()) return std::nullopt;
        dims.push_back(static_cast<size_t>(at - s.index.begin()));
      }
    }
    return g;
  }

  /// Moves what follows into the group; gives the group's end.
  size_t join_all(StatementGroup g) {
    std::set<int> between;  // what statements after the group make that do not join it
    for (size_t i = g.end; i < k_.body.size(); ++i) {
      const KernelStatement& s = k_.body[i];
      const bool stays = is_in_recurrence(s) || between.count(s.target) != 0;
      auto joined = stays ? std::nullopt : follower(g, s, between);
      if (!joined) {
        between.insert(s.target);
        continue;
      }
      std::vector<size_t>& dims = g.dims_of_lead[s.target];
      for (const LoopVar& v : g.lead)
        for (size_t d = 0; d < joined->index.size(); ++d)
          if (is_variable(joined->index[d], v.name)) dims.push_back(d);
      k_.body.erase(k_.body.begin() + static_cast<std::ptrdiff_t>(i));
      k_.body.insert(k_.body.begin() + static_cast<std::ptrdiff_t>(g.end++), std::move(*joined));
    }
    return g.end;
  }

  /// The statement in the loops of the group; nothing where it does not follow it, or would lose by that.
  std::optional<KernelStatement> follower(const StatementGroup& g, const KernelStatement& s,
                                          const std::set<int>& between) const {
    if (s.update != Update::Assign || s.where || k_.tensor(s.target).shared) return std::nullopt;
    if (made_twice(s.target)) return std::nullopt;
    std::map<std::string, std::string> variables;  // of the statement → of the group
    bool possible = true, follows = false;
    each_part(s, [&](const Expr& e) {
      each_read(e, [&](const Read& r) {
        const auto dims = g.dims_of_lead.find(r.tensor);
        possible = possible && between.count(r.tensor) == 0;
        if (dims == g.dims_of_lead.end()) return;
        follows = true;
        for (size_t k = 0; k < g.lead.size() && possible; ++k)
          possible = pairs(r.index[dims->second[k]], g.lead[k], s, variables);
      });
    });
    if (!possible || !follows || variables.size() != g.lead.size()) return std::nullopt;
    KernelStatement out = in_loops_of(g, s, variables);
    const bool named_twice = any_of(out.loops, [&](const LoopVar& a) {
      return count_if(out.loops, [&](auto& b) { return a.name == b.name; }) > 1;
    });
    return named_twice || loses(g, out) ? std::nullopt : std::optional(std::move(out));
  }

  bool made_twice(int target) const {
    return count_if(k_.body, [&](auto& s) { return s.target == target; }) > 1;
  }

  /// Whether an index is a loop variable of the statement that can run as the group's does.
  static bool pairs(const Expr& index, const LoopVar& lead, const KernelStatement& s,
                    std::map<std::string, std::string>& variables) {
    const auto* v = std::get_if<VarRef>(&index->node);
    if (!v) return false;
    const auto loop = find_if(s.loops, [&](const LoopVar& l) { return l.name == v->name; });
    if (loop == s.loops.end() || !same(loop->extent, lead.extent)) return false;
    const auto [at, fresh] = variables.emplace(v->name, lead.name);
    if (at->second != lead.name) return false;
    const auto taken = [&](const auto& pair) { return pair.second == lead.name && pair.first != v->name; };
    return !fresh || none_of(variables, taken);
  }

  static KernelStatement in_loops_of(const StatementGroup& g, const KernelStatement& s,
                                     const std::map<std::string, std::string>& variables) {
    std::map<std::string, Expr> names;
    for (const auto& [mine, lead] : variables) names.emplace(mine, var_ref(lead));
    KernelStatement out = s;
    out.value = substitute(s.value, names);
    for (Expr& e : out.index) e = substitute(e, names);
    out.loops = g.lead;
    for (const LoopVar& v : s.loops)
      if (!variables.count(v.name)) out.loops.push_back(v);
    out.joined = g.lead.size();
    return out;
  }

  /// The innermost loop of a recurrence is scalar: expensive functions are better left outside.
  static bool loses(const StatementGroup& g, const KernelStatement& s) {
    if (s.loops.size() > g.lead.size()) return false;
    return any_node(s.value, [](const Expr& e) { return is_costly(e); }) && !has_node<Reduce>(s.value);
  }

  Kernel k_;
};

}  // namespace

Kernel join_followers(const Kernel& k) { return FollowerJoiner(k).run(); }

}  // namespace tenon
