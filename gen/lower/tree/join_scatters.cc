// Joins neighbouring loops of one extent, from the root inwards.
#include <map>

#include "lower/kernel/kernel_ranges.h"
#include "lower/tree/build_loops.h"
#include "lower/tree/loop_tree.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Where the loops of a body touch a tensor, with the variable of the loop that does.
struct Access {
  std::string loop;
  std::vector<Expr> index;
};
struct Accesses {
  bool written = false;
  std::vector<Access> all;
};

class Joiner {
 public:
  explicit Joiner(const Kernel& k) : ranges_(size_ranges(k)) {}

  void join(Tree& body) {
    Tree joined;
    for (size_t i = 0; i < body.size();) {
      const size_t end = end_of_run(body, i);
      joined.push_back(std::move(body[i]));
      if (end > i + 1) {
        TreeLoop& first = std::get<TreeLoop>(joined.back().node);
        first.ordered = false;
        ranges_.extents[first.var.name] = first.var.extent;
        for (size_t k = i + 1; k < end; ++k) append_renamed(first, std::get<TreeLoop>(body[k].node));
        join(first.body);
      }
      i = end;
    }
    body = std::move(joined);
  }

 private:
  void append_renamed(TreeLoop& to, const TreeLoop& from) {
    const std::map<std::string, Expr> names{{from.var.name, var_ref(to.var.name)}};
    Tree renamed = changed_tree(from.body, ranges_, [&](const Expr& e, const Ranges&) { return substitute(e, names); });
    std::move(renamed.begin(), renamed.end(), std::back_inserter(to.body));
  }

  /// The end of the loops from number `at` on that are joined: they go over one extent, around other loops, with
  /// elements of their own in every iteration, and some of them update.
  static size_t end_of_run(const Tree& body, size_t at) {
    const auto* first = std::get_if<TreeLoop>(&body[at].node);
    std::map<int, Accesses> touched;
    size_t end = at;
    for (; first && end < body.size(); ++end) {
      const auto* l = std::get_if<TreeLoop>(&body[end].node);
      if (!l || l->begin || l->end || l->carried || !same(l->var.extent, first->var.extent) || !is_around(*l)) break;
      collect(l->body, l->var.name, touched);
      if (!all_of(touched, [](const auto& t) { return is_apart(t.second); })) break;
    }
    const auto updates = [](const TreeNode& n) { return has_update(n); };
    return std::any_of(body.begin() + at, body.begin() + end, updates) ? end : at + 1;
  }

  /// A line is left to vectors.
  static bool is_around(const TreeLoop& l) {
    return any_of(l.body, [](const TreeNode& n) { return std::holds_alternative<TreeLoop>(n.node); });
  }

  static bool has_update(const TreeNode& n) {
    const auto* d = std::get_if<TreeDefine>(&n.node);
    const auto* l = std::get_if<TreeLoop>(&n.node);
    return (d && d->update != Update::Assign) || (l && any_of(l->body, has_update));
  }

  static bool is_apart(const Accesses& tensor) {
    if (!tensor.written) return true;
    for (size_t d = 0; d < tensor.all[0].index.size(); ++d)
      if (all_of(tensor.all, [&](const Access& a) { return is_variable(a.index[d], a.loop); })) return true;
    return false;
  }

  static void collect(const Tree& tree, const std::string& loop, std::map<int, Accesses>& out) {
    each_value(tree, [&](const Expr& e) {
      each_read(e, [&](const Read& r) { out[r.tensor].all.push_back({loop, r.index}); });
    });
    collect_written(tree, loop, out);
  }

  static void collect_written(const Tree& tree, const std::string& loop, std::map<int, Accesses>& out) {
    for (const TreeNode& n : tree) {
      if (const auto* l = std::get_if<TreeLoop>(&n.node)) collect_written(l->body, loop, out);
      const auto* d = std::get_if<TreeDefine>(&n.node);
      if (!d) continue;
      out[d->tensor].written = true;
      out[d->tensor].all.push_back({loop, d->index});
    }
  }

  Ranges ranges_;
};

}  // namespace

void join_scatters(const Kernel& k, LoopTree& tree) {
  const auto makes_temp = [&](const KernelStatement& s) { return k.tensor(s.target).role == Role::Temp; };
  const auto updates = [](const KernelStatement& s) { return s.update != Update::Assign; };
  if (any_of(k.body, updates) && any_of(k.body, makes_temp) && !has_recurrence(k)) Joiner(k).join(tree.body);
}

}  // namespace tenon
