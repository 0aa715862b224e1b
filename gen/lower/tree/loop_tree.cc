// Names and text form of loop trees.
#include "lower/tree/loop_tree.h"

#include <fmt/format.h>

#include "algebra/simplify.h"

namespace tenon {
namespace {

std::string list(const std::vector<Expr>& v, const std::vector<std::string>& names) {
  std::string out;
  for (const Expr& e : v) out += (out.empty() ? "" : ", ") + to_text(e, names);
  return out;
}

struct Writer {
  const std::vector<std::string>& names;
  std::string out;
  int depth = 1;

  void line(const std::string& s) { out += std::string(static_cast<size_t>(depth) * 2, ' ') + s + "\n"; }
  void write(const Tree& tree) {
    for (const TreeNode& n : tree) std::visit(*this, n.node);
  }
  void operator()(const TreeLoop& l) {
    const std::string shape =
        l.shape.lanes * l.shape.parts > 1 ? fmt::format("  by {} x {}", l.shape.parts, l.shape.lanes) : "";
    const std::string apart = l.apart > 0 ? fmt::format("  from {} on by themselves", l.apart) : "";
    const std::string rows = l.rows > 1 ? fmt::format("  {} rows together", l.rows) : "";
    const std::string needed = l.needed ? "  if " + to_text(l.needed, names) : "";
    line(fmt::format("for {} < {}{}{}{}{}{}{}", l.var.name, to_text(l.var.extent, names), shape,
                     l.ordered ? "  in order" : "", apart, rows, l.parallel ? "  shared" : "", needed));
    ++depth;
    if (!l.next_row.empty()) line("fetch " + list(l.next_row, names));
    write(l.body);
    --depth;
  }
  void operator()(const TreeDefine& d) {
    constexpr std::string_view signs[] = {"=", "+=", "*=", "max=", "min=", "last="};
    line(fmt::format("{}[{}] {} {}", names[static_cast<size_t>(d.tensor)], list(d.index, names),
                     signs[static_cast<size_t>(d.update)], to_text(d.value, names)));
  }
  void operator()(const TreeBegin& b) { line(fmt::format("begin {}", accumulator_name(b.accumulator))); }
  void operator()(const TreeAccumulate& a) {
    line(fmt::format("accumulate {} with {}{}", accumulator_name(a.accumulator), to_text(a.value, names),
                     a.where ? " where " + to_text(a.where, names) : ""));
  }
  void operator()(const TreeTranspose& t) {
    line(fmt::format("transpose {} < {}, {} < {} by {}", t.down.name, to_text(t.down.extent, names), t.across.name,
                     to_text(t.across.extent, names), t.edge));
    ++depth;
    (*this)(t.copy);
    --depth;
  }
  void operator()(const TreeEnd& e) { line(fmt::format("end {}", accumulator_name(e.accumulator))); }
};

}  // namespace

std::string accumulator_name(int number) { return accumulator_named(std::to_string(number)); }
std::string letter_of(const std::string& variable) { return variable.substr(0, variable.find('.')); }

std::optional<int64_t> piece_of(const TreeLoop& l) {
  const auto* end = l.begin && l.end ? std::get_if<Apply>(&l.end->node) : nullptr;
  if (!end || end->op != ScalarOp::Min) return std::nullopt;
  return constant_value(simplify(end->args[0] - l.begin));
}

std::string to_text(const LoopTree& tree, const std::vector<std::string>& tensor_names) {
  Writer w{tensor_names, ""};
  for (size_t i = 0; i < tree.accumulators.size(); ++i) {
    const Accumulator& a = tree.accumulators[i];
    w.line(fmt::format("{}: {} of {}", accumulator_name(static_cast<int>(i)), name_of(a.op), name_of(a.type)));
  }
  w.write(tree.body);
  return w.out;
}

Tree changed_tree(const Tree& tree, Ranges ranges, FunctionRef<Expr(const Expr&, const Ranges&)> change) {
  const auto in = [&](const Expr& e) { return e ? change(e, ranges) : e; };
  Tree out = tree;
  for (TreeNode& n : out) {
    if (auto* l = std::get_if<TreeLoop>(&n.node)) {
      l->var.extent = in(l->var.extent);
      l->begin = in(l->begin);
      l->end = in(l->end);
      Ranges inner = ranges;
      inner.extents[l->var.name] = l->var.extent;
      l->body = changed_tree(l->body, inner, change);
    } else if (auto* d = std::get_if<TreeDefine>(&n.node)) {
      for (Expr& e : d->index) e = in(e);
      d->value = in(d->value);
      d->where = in(d->where);
    } else if (auto* b = std::get_if<TreeBegin>(&n.node)) {
      b->start = in(b->start);
    } else if (auto* a = std::get_if<TreeAccumulate>(&n.node)) {
      a->where = in(a->where);
      a->value = in(a->value);
      a->position = in(a->position);
    }
  }
  return out;
}

void each_value(const Tree& tree, FunctionRef<void(const Expr&)> f) {
  for (const TreeNode& n : tree) {
    const auto see = [&](const Expr& e) {
      if (e) f(e);
    };
    if (const auto* l = std::get_if<TreeLoop>(&n.node)) {
      see(l->begin);
      see(l->end);
      see(l->needed);
      each_value(l->body, f);
    } else if (const auto* d = std::get_if<TreeDefine>(&n.node)) {
      for (const Expr& e : d->index) f(e);
      f(d->value);
      see(d->where);
    } else if (const auto* b = std::get_if<TreeBegin>(&n.node)) {
      see(b->start);
    } else if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) {
      see(a->where);
      f(a->value);
    } else if (const auto* t = std::get_if<TreeTranspose>(&n.node)) {
      for (const Expr& e : t->copy.index) f(e);
      f(t->copy.value);
    }
  }
}

}  // namespace tenon
