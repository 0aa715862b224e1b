// Joins from the root inwards, as long as a body consists only of loops of one extent.
#include <map>

#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/variants.h"
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
    if (!may_join(body)) return;
    TreeLoop joined = std::get<TreeLoop>(body[0].node);
    joined.ordered = false;
    ranges_.extents[joined.var.name] = joined.var.extent;
    for (size_t i = 1; i < body.size(); ++i) {
      const TreeLoop& next = std::get<TreeLoop>(body[i].node);
      const std::map<std::string, Expr> names{{next.var.name, var_ref(joined.var.name)}};
      Tree renamed =
          changed_tree(next.body, ranges_, [&](const Expr& e, const Ranges&) { return substitute(e, names); });
      std::move(renamed.begin(), renamed.end(), std::back_inserter(joined.body));
    }
    join(joined.body);
    body.clear();
    body.push_back({std::move(joined)});
  }

 private:
  static bool may_join(const Tree& body) {
    const auto* first = body.size() < 2 ? nullptr : std::get_if<TreeLoop>(&body[0].node);
    const auto alike = [&](const TreeNode& n) {
      const auto* l = std::get_if<TreeLoop>(&n.node);
      return l && !l->begin && !l->end && !l->carried && same(l->var.extent, first->var.extent);
    };
    return first && all_of(body, alike) && apart(body);
  }

  /// Whether every iteration has elements of its own of all that is written.
  static bool apart(const Tree& body) {
    std::map<int, Accesses> touched;
    for (const TreeNode& n : body) {
      const auto& loop = std::get<TreeLoop>(n.node);
      collect(loop.body, loop.var.name, touched);
    }
    return all_of(touched, [](const auto& t) { return is_apart(t.second); });
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
  if (scatters_into_temps(k) && !has_recurrence(k)) Joiner(k).join(tree.body);
}

}  // namespace tenon
