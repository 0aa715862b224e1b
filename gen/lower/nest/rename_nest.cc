// Nests inserted into nests: renaming, and bodies for calls that satisfy a condition.
#include "lower/nest/rename_nest.h"

#include <fmt/format.h>

#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

struct RenameStatement {
  const NestRenaming& by;

  Operand in(const Operand& v) const { return v ? renamed(v, by) : v; }
  std::shared_ptr<const Block> in(const std::shared_ptr<const Block>& b) const {
    return b ? std::make_shared<const Block>(renamed(*b, by)) : b;
  }
  int buffer(int b) const { return b < 0 ? b : by.buffers[static_cast<size_t>(b)]; }
  std::string name(const std::string& n) const { return value_or(by.variables, n, n); }

  /// A renamed place in an old buffer.
  Operand moved(int of, const Operand& v) const {
    const auto shift = by.shifts.find(of);
    if (shift == by.shifts.end()) return v;
    return v ? shift->second + v : shift->second;
  }

  Stmt operator()(auto n) const {
    using Node = decltype(n);
    constexpr bool declares = std::is_same_v<Node, SLet> || std::is_same_v<Node, SVar> || std::is_same_v<Node, SAssign>;
    if constexpr (declares) n.name = name(n.name);
    if constexpr (requires { n.var; }) n.var = name(n.var);
    for_operands(n, [&](Operand& v) { v = in(v); });
    if constexpr (requires { n.buffers; })
      for (BufferArgument& b : n.buffers) b.offset = moved(b.buffer, b.offset), b.buffer = buffer(b.buffer);
    if constexpr (requires { n.buffer; }) n.offset = moved(n.buffer, n.offset), n.buffer = buffer(n.buffer);
    if constexpr (requires { n.function; }) n.function = by.functions[static_cast<size_t>(n.function)];
    if constexpr (requires { n.body; }) n.body = in(n.body);
    if constexpr (requires { n.then; }) n.then = in(n.then), n.otherwise = in(n.otherwise);
    return {std::move(n)};
  }
};

/// The text of a function without its name.
std::string text_of(InnerFunction f) {
  f.name.clear();
  LoopNest shell;
  shell.kernel = std::make_shared<const Kernel>();
  shell.functions.push_back(std::move(f));
  return to_text(shell);
}

}  // namespace

Operand renamed(const Operand& v, const NestRenaming& by) {
  if (const auto* s = std::get_if<VSize>(&v->node))
    if (const auto* at = find_value(by.sizes, s->name)) return *at;
  if (const auto* x = std::get_if<VVar>(&v->node))
    if (const auto at = by.variables.find(x->name); at != by.variables.end()) return v_var(at->second, v->type);
  const Operand out = map_children(v, [&](const Operand& c) { return renamed(c, by); });
  const auto* l = std::get_if<VLoad>(&out->node);
  const auto* g = std::get_if<VGather>(&out->node);
  const int buffer = l ? l->buffer : g ? g->buffer : -1;
  if (buffer < 0) return out;
  const auto shift = by.shifts.find(buffer);
  const int number = by.buffers[static_cast<size_t>(buffer)];
  if (number == buffer && shift == by.shifts.end()) return out;
  auto node = out->node;
  const auto move = [&](auto& n) {
    n.buffer = number;
    if (shift != by.shifts.end()) n.offset = shift->second + n.offset;
  };
  if (l) move(std::get<VLoad>(node));
  else move(std::get<VGather>(node));
  return Operand::made(out->type, std::move(node));
}

Block renamed(const Block& block, const NestRenaming& by) {
  Block out;
  for (const Stmt& s : block) out.push_back(std::visit(RenameStatement{by}, s.node));
  return out;
}

std::vector<int> merge_functions(const std::vector<InnerFunction>& more, std::vector<InnerFunction>& all) {
  std::vector<int> numbers;
  for (InnerFunction f : more) {
    const std::string name = f.name;
    const auto called = [&](const InnerFunction& g) { return g.name == f.name; };
    auto at = find_if(all, called);
    for (int n = 2; at != all.end() && text_of(*at) != text_of(f); ++n) {
      f.name = fmt::format("{}_{}", name, n);
      at = find_if(all, called);
    }
    numbers.push_back(static_cast<int>(at - all.begin()));
    if (at == all.end()) all.push_back(std::move(f));
  }
  return numbers;
}

Operand size_number(const Expr& e) {
  if (const auto* c = std::get_if<Constant>(&e->node)) return v_constant(*c, {e->type, 1, 0});
  if (const auto* s = std::get_if<SizeRef>(&e->node)) return v_size(s->name);
  if (const auto* a = std::get_if<AttrRef>(&e->node)) return v_attr(a->name, e->type, a->element);
  if (const auto* s = std::get_if<Select>(&e->node))
    return v_select(size_number(s->cond), size_number(s->yes), size_number(s->no));
  const auto* a = std::get_if<Apply>(&e->node);
  TENON_CHECK(a, "no number: {}", to_text(e));
  Few<Operand> args;
  for (const Expr& x : a->args) args.push_back(size_number(x));
  return v_apply_as(a->op, std::move(args), {e->type, 1, 0});
}

namespace {

class CaseAdder {
 public:
  CaseAdder(const Expr& holds, CaseWorkspace workspace, LoopNest& nest)
      : holds_(size_number(holds)), by_call_(workspace == CaseWorkspace::by_call), nest_(nest) {}

  void add(const LoopNest& one) {
    NestRenaming by;
    for (size_t b = 0; b < one.buffers.size(); ++b) by.buffers.push_back(place(one.buffers[b], b));
    by.functions = merge_functions(one.functions, nest_.functions);
    nest_.body = {s_if(holds_, renamed(one.body, by), std::move(nest_.body))};
  }

 private:
  /// A buffer of a case where the nest has its own: that one, grown to what either needs.
  int place(Buffer b, size_t number) {
    if (b.storage == Storage::Tensor) return static_cast<int>(number);
    for (size_t i = 0; i < nest_.buffers.size(); ++i) {
      Buffer& known = nest_.buffers[i];
      if (known.name != b.name || known.dtype != b.dtype || known.storage != b.storage) continue;
      known.elements = of_both(b, known.elements);
      return static_cast<int>(i);
    }
    if (by_call_) {
      b.name = fresh_name(b.name);
      b.elements = of_both(b, v_int(0));
    }
    nest_.buffers.push_back(std::move(b));
    return static_cast<int>(nest_.buffers.size()) - 1;
  }

  Operand of_both(const Buffer& b, const Operand& otherwise) const {
    if (!by_call_ || b.storage != Storage::Workspace) return v_apply(ScalarOp::Max, {otherwise, b.elements});
    return constant_value(b.elements) == 0 ? otherwise : v_select(holds_, b.elements, otherwise);
  }

  std::string fresh_name(const std::string& name) const {
    const auto taken = [&](const std::string& n) {
      return any_of(nest_.buffers, [&](const Buffer& b) { return b.name == n; });
    };
    std::string fresh = name;
    for (int n = 2; taken(fresh); ++n) fresh = fmt::format("{}_{}", name, n);
    return fresh;
  }

  const Operand holds_;
  const bool by_call_;
  LoopNest& nest_;
};

}  // namespace

void add_case(const Expr& holds, const LoopNest& one, CaseWorkspace workspace, LoopNest& nest) {
  CaseAdder(holds, workspace, nest).add(one);
}

}  // namespace tenon
