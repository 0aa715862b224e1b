// Building the loop tree: each statement is placed in the loops that exist already, from the outside inwards, as far as
// it fits.
#include "lower/tree/build_loops.h"

#include <fmt/format.h>

#include <algorithm>

#include "algebra/simplify.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/loop_bounds.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The accesses of a part of the tree to one tensor: the indices of its reads and writes.
struct Touched {
  bool written = false;
  std::vector<std::vector<Expr>> indices;
};
using Touches = std::map<int, Touched>;

void touch_reads(const Expr& e, Touches& out) {
  if (e) each_read(e, [&](const Read& r) { out[r.tensor].indices.push_back(r.index); });
}

void touch(const TreeNode& node, Touches& out) {
  if (const auto* l = std::get_if<TreeLoop>(&node.node)) {
    touch_reads(l->begin, out);
    touch_reads(l->end, out);
    for (const TreeNode& n : l->body) touch(n, out);
  }
  if (const auto* d = std::get_if<TreeDefine>(&node.node)) {
    out[d->tensor].written = true;
    out[d->tensor].indices.push_back(d->index);
    for (const Expr& e : d->index) touch_reads(e, out);
    touch_reads(d->value, out);
    touch_reads(d->where, out);
  }
  if (const auto* b = std::get_if<TreeBegin>(&node.node)) touch_reads(b->start, out);
  if (const auto* a = std::get_if<TreeAccumulate>(&node.node)) {
    touch_reads(a->where, out);
    touch_reads(a->value, out);
  }
}

bool reduces(const Tree& tree) {
  return any_of(tree, [](const TreeNode& n) {
    const auto* l = std::get_if<TreeLoop>(&n.node);
    return std::holds_alternative<TreeBegin>(n.node) || (l && reduces(l->body));
  });
}

/// A statement being inserted into the tree.
struct Pending {
  TreeDefine define;
  std::vector<LoopVar> loops;    ///< still to be placed, outermost first
  std::vector<LoopVar> reduced;  ///< the same for the reduction
  const Reduce* reduction = nullptr;
  int accumulator = -1;
  Expr where = nullptr;  ///< of the reduction: what no loop's bounds say
  std::optional<Scan> scan;
  bool in_order = false;  ///< scatter: loops of its own, as written
};

class LoopBuilder {
 public:
  explicit LoopBuilder(const Kernel& k) : k_(k), ranges_(size_ranges(k)) {}

  LoopTree run() {
    const Ranges sizes = size_ranges(k_);
    for (size_t n = 0; n < k_.body.size(); ++n) {
      const KernelStatement& s = k_.body[n];
      Pending p;
      names_.clear();
      joined_ = {k_.body.begin() + static_cast<std::ptrdiff_t>(n + 1), k_.body.end()};
      joined_.erase(find_if(joined_, [](auto& o) { return o.joined == 0; }), joined_.end());
      p.define = {s.target, s.index, s.update, s.value, s.formula, s.where};
      p.loops = s.loops;
      // an operand that may be absent, as the innermost loop: all of its elements in one loop, whose stores are apart
      if (s.update == Update::Assign && p.loops.size() > 1 && is_presence(k_, p.loops.back().extent))
        std::rotate(p.loops.begin(), p.loops.end() - 1, p.loops.end());
      p.scan = recognise_scan(s, sizes);
      p.reduction = std::get_if<Reduce>(&s.value->node);
      if (p.scan) note_scan(s, *p.scan);
      p.in_order = s.update != Update::Assign;
      if (p.reduction) begin_reduction(p, s);
      if (is_in_recurrence(s) || !joined_.empty()) place_in_order(p, s.joined);
      else place(tree_.body, p);
    }
    return std::move(tree_);
  }

 private:
  void note_scan(const KernelStatement& s, const Scan& scan) {
    tree_.notes.push_back(fmt::format("{}: {} of each {} in one pass over {}", k_.tensor(s.target).name,
                                      name_of(std::get<Reduce>(s.value->node).op), scan.backwards ? "suffix" : "prefix",
                                      s.loops[scan.loop].name));
  }

  void begin_reduction(Pending& p, const KernelStatement& s) {
    const Reduce& r = *p.reduction;
    p.reduced = r.vars;
    p.where = r.where;
    p.accumulator = static_cast<int>(tree_.accumulators.size());
    const std::string name = k_.tensor(s.target).name;
    tree_.accumulators.push_back({r.op, s.value->type, r.value->type, name, {}, r.where != nullptr});
    tree_.accumulators.back().backwards = p.scan && p.scan->backwards;
    if (r.start) names_[r.running] = running_ref(accumulator_name(p.accumulator), s.value->type);
    p.define.value = std::make_shared<const ExprNode>(ExprNode{s.value->type, VarRef{accumulator_name(p.accumulator)}});
  }

  Expr rename(const Expr& e) const { return e ? substitute(e, names_) : e; }

  TreeDefine define_of(const Pending& p) const {
    TreeDefine d = p.define;
    for (Expr& e : d.index) e = rename(e);
    d.value = rename(d.value);
    // A temporary is read only where its condition holds. The part of the condition that is not a loop bound does not
    // pay for a test.
    const bool is_temp = k_.tensor(d.tensor).role == Role::Temp && d.update == Update::Assign;
    d.where = is_temp ? nullptr : rename(d.where);
    return d;
  }
  TreeAccumulate accumulate_of(const Pending& p) const {
    const Reduce& r = *p.reduction;
    Expr position;
    if (is_positional(r.op)) {
      position = constant_int(0);
      for (const LoopVar& v : r.vars) position = position * v.extent + var_ref(v.name);
    }
    return {p.accumulator, p.scan ? nullptr : rename(p.where), rename(r.value), rename(position)};
  }

  /// The accesses of the statement, as far as its variables have names in the tree.
  Touches touches_of(const Pending& p, bool whole) const {
    Touches out;
    if (p.reduction) touch({accumulate_of(p)}, out);
    if (p.reduction) touch_reads(rename(p.reduction->start), out);  // evaluated before the loops
    if (whole) touch({define_of(p)}, out);
    if (whole) touch_reads(rename(p.define.where), out);  // of a temp: the bounds of its loops
    return out;
  }

  /// The same, with what the statements touch that come after it into the loop at a depth: those that share no more
  /// than the loops around it, and what comes behind one of these, find loops of their own.
  Touches touches_of_group(const Pending& p, size_t depth) const {
    Touches out = touches_of(p, true);
    for (const KernelStatement& s : joined_) {
      if (s.joined <= depth) break;
      TreeDefine d{s.target, s.index, s.update, rename(s.value), s.formula, rename(s.where)};
      for (Expr& e : d.index) e = rename(e);
      touch({std::move(d)}, out);
    }
    return out;
  }

  /// Whether `mine` may be placed in `loop`, its variable `v` becoming the loop's.
  static bool fits(const TreeLoop& loop, const Touches& there, const Touches& mine, const std::string& v) {
    bool related = false;
    for (const auto& [tensor, m] : mine) {
      const auto it = there.find(tensor);
      if (it == there.end()) continue;
      related = true;
      if (!m.written && !it->second.written) continue;
      bool aligned = false;
      const size_t rank = m.indices.front().size();
      for (size_t d = 0; d < rank && !aligned; ++d)
        aligned = all_of(m.indices, [&](const auto& i) { return is_variable(i[d], v); }) &&
                  all_of(it->second.indices, [&](const auto& i) { return is_variable(i[d], loop.var.name); });
      if (!aligned) return false;
    }
    return related;
  }

  static bool conflict(const Touches& a, const Touches& b) {
    for (const auto& [tensor, t] : a) {
      const auto it = b.find(tensor);
      if (it != b.end() && (t.written || it->second.written)) return true;
    }
    return false;
  }

  struct Place {
    size_t node;
    size_t var;
  };

  /// The nearest loop (searching backwards past nodes that do not matter) that one of `vars` can share.
  std::optional<Place> find_place(const Tree& body, const std::vector<LoopVar>& vars, const Touches& mine,
                                  bool reducing) const {
    for (size_t i = body.size(); i-- > 0;) {
      Touches there;
      touch(body[i], there);
      const auto* loop = std::get_if<TreeLoop>(&body[i].node);
      const bool whole = loop && !loop->begin && !loop->end;  // bounds are those of one reduction alone
      if (whole && !loop->ordered)
        for (size_t v = 0; v < vars.size(); ++v)
          if (same(vars[v].extent, loop->var.extent) && (reducing || v == 0 || reduces(loop->body)) &&
              fits(*loop, there, mine, vars[v].name))
            return Place{i, v};
      if (conflict(there, mine)) return std::nullopt;
    }
    return std::nullopt;
  }

  TreeLoop& new_loop(Tree& body, const LoopVar& v, bool ordered = false) {
    TreeLoop loop;
    loop.var = {fmt::format("{}.{}", v.name, ++loops_), rename(v.extent)};
    loop.ordered = ordered;
    names_[v.name] = var_ref(loop.var.name);
    ranges_.extents[loop.var.name] = loop.var.extent;
    body.push_back({std::move(loop)});
    return std::get<TreeLoop>(body.back().node);
  }

  void place(Tree& body, Pending& p) {
    if (p.loops.empty() || (p.scan && p.loops.size() == 1)) {
      if (p.scan) return place_scan(body, p);
      if (p.reduction) return place_reduction(body, p);
      body.push_back({define_of(p)});
      return;
    }
    std::vector<LoopVar> vars = p.loops;
    if (p.scan) vars.erase(vars.begin() + static_cast<std::ptrdiff_t>(scan_loop(p)));
    auto at = p.in_order || body.empty() ? std::nullopt : find_place(body, vars, touches_of(p, true), false);
    LoopVar v = vars[at ? at->var : 0];
    const LoopBounds bounds = bounds_of(p.define.where, p.loops, v);
    if (bounds.begin || bounds.end) at = std::nullopt;
    TreeLoop& loop = at ? std::get<TreeLoop>(body[at->node].node) : new_loop(body, v, p.in_order);
    loop.begin = bounds.begin ? bounds.begin : loop.begin;
    loop.end = bounds.end ? bounds.end : loop.end;
    names_[v.name] = var_ref(loop.var.name);
    remove(p, v.name);
    place(loop.body, p);
  }

  /// A statement of a recurrence: in the loops that it shares with the one before, then in those of its own.
  void place_in_order(Pending& p, size_t joined) {
    Tree* body = &tree_.body;
    path_.resize(joined);
    for (const size_t node : path_) body = &enter(std::get<TreeLoop>((*body)[node].node), p).body;
    while (!p.loops.empty()) {
      const LoopVar v = p.loops.front();
      const bool carried = v.direction != Direction::Any;
      const auto at =
          carried || body->empty() ? std::nullopt : find_place(*body, {v}, touches_of_group(p, path_.size()), false);
      if (!at) new_loop(*body, v, carried).carried = carried;
      path_.push_back(at ? at->node : body->size() - 1);
      body = &enter(std::get<TreeLoop>((*body)[path_.back()].node), p).body;
    }
    place(*body, p);
  }

  /// The outermost variable of a statement becomes the loop's.
  TreeLoop& enter(TreeLoop& loop, Pending& p) {
    const LoopVar v = p.loops.front();
    const Expr here = var_ref(loop.var.name);
    names_[v.name] = v.direction == Direction::Down ? loop.var.extent - constant_int(1) - here : here;
    p.loops.erase(p.loops.begin());
    return loop;
  }

  static size_t scan_loop(const Pending& p) { return p.scan->loop; }
  static void remove(Pending& p, const std::string& name) {
    for (size_t i = 0; i < p.loops.size(); ++i) {
      if (p.loops[i].name != name) continue;
      p.loops.erase(p.loops.begin() + static_cast<std::ptrdiff_t>(i));
      if (p.scan && p.scan->loop > i) --p.scan->loop;
      return;
    }
  }

  void place_reduction(Tree& body, Pending& p) {
    const auto at = body.empty() ? std::nullopt : find_place(body, p.reduced, touches_of(p, false), true);
    const TreeNode begin{TreeBegin{p.accumulator, rename(p.reduction->start)}};
    if (at) {
      body.insert(body.begin() + static_cast<std::ptrdiff_t>(at->node), begin);
      const LoopVar v = p.reduced[at->var];
      TreeLoop& loop = std::get<TreeLoop>(body[at->node + 1].node);
      names_[v.name] = var_ref(loop.var.name);
      p.reduced.erase(p.reduced.begin() + static_cast<std::ptrdiff_t>(at->var));
      place_accumulation(loop.body, p);
    } else {
      body.push_back(begin);
      place_accumulation(body, p, false);
    }
    body.push_back({TreeEnd{p.accumulator}});
    body.push_back({define_of(p)});
  }

  void place_accumulation(Tree& body, Pending& p, bool may_share = true) {
    if (p.reduced.empty()) {
      body.push_back({accumulate_of(p)});
      return;
    }
    const auto at = may_share ? find_place(body, p.reduced, touches_of(p, false), true) : std::nullopt;
    const LoopVar v = p.reduced[at ? at->var : 0];
    p.reduced.erase(p.reduced.begin() + static_cast<std::ptrdiff_t>(at ? at->var : 0));
    const LoopBounds bounds = at ? LoopBounds{} : take_bounds(p, v);
    TreeLoop& loop = at ? std::get<TreeLoop>(body[at->node].node) : new_loop(body, v);
    loop.begin = bounds.begin ? bounds.begin : loop.begin;
    loop.end = bounds.end ? bounds.end : loop.end;
    names_[v.name] = var_ref(loop.var.name);
    place_accumulation(loop.body, p, at.has_value());
  }

  struct LoopBounds {
    Expr begin, end;
  };

  /// Conditions of a reduction that bound one of its variables become the bounds of its loop, kept to the extent.
  LoopBounds take_bounds(Pending& p, const LoopVar& v) {
    return p.scan ? LoopBounds{} : bounds_of(p.where, p.reduction->vars, v);
  }

  /// Takes the bounds of `v` out of a condition, as far as no variable decides them that has no loop yet.
  LoopBounds bounds_of(Expr& where, const std::vector<LoopVar>& vars, const LoopVar& v) {
    LoopBounds out;
    if (!where) return out;
    std::vector<Expr> rest;
    for (const Expr& c : conjuncts(where)) {
      const auto b = bound_of(c, v.name);
      const bool open =
          b && any_of(vars, [&](const LoopVar& o) { return mentions(b->limit, o.name) && !names_.contains(o.name); });
      if (!b || open) {
        rest.push_back(c);
        continue;
      }
      Expr& bound = b->from ? out.begin : out.end;
      bound = bound ? apply(b->from ? ScalarOp::Max : ScalarOp::Min, {bound, b->limit}) : b->limit;
    }
    where = conjunction(rest);
    // A range that ends before it begins is empty; vector loops count from the end.
    const Expr end = out.end ? apply(ScalarOp::Min, {out.end, v.extent}) : v.extent;
    if (out.begin) out.begin = simplify(rename(apply(ScalarOp::Max, {out.begin, constant_int(0)})), ranges_);
    if (out.begin) out.end = simplify(apply(ScalarOp::Max, {rename(end), out.begin}), ranges_);
    else if (out.end) out.end = simplify(rename(apply(ScalarOp::Max, {end, constant_int(0)})), ranges_);
    return out;
  }

  void place_scan(Tree& body, Pending& p) {
    const LoopVar i = p.loops[0];
    body.push_back({TreeBegin{p.accumulator}});
    TreeLoop& loop = new_loop(body, i, true);
    const Expr here =
        p.scan->backwards ? loop.var.extent - constant_int(1) - var_ref(loop.var.name) : var_ref(loop.var.name);
    names_[i.name] = here;
    names_[p.reduced[0].name] = here;
    TreeNode add{accumulate_of(p)}, define{define_of(p)};
    loop.body.push_back(p.scan->exclusive ? define : add);
    loop.body.push_back(p.scan->exclusive ? add : define);
  }

  const Kernel& k_;
  Ranges ranges_;
  LoopTree tree_;
  std::map<std::string, Expr> names_;    ///< variables of the statement at hand → of the tree
  std::vector<KernelStatement> joined_;  ///< those that follow into loops of the statement at hand
  std::vector<size_t> path_;             ///< the loops of the last statement of a recurrence, from the root
  int loops_ = 0;
};

}  // namespace

LoopTree build_loops(const Kernel& k) { return LoopBuilder(k).run(); }

}  // namespace tenon
