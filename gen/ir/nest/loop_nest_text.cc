// Text form of loop nests.
#include <fmt/format.h>

#include "ir/nest/loop_nest.h"
#include "support/joined.h"

namespace tenon {
namespace {

std::string type_text(const OperandType& t) {
  std::string s(name_of(t.dtype));
  if (t.lanes > 1) s += fmt::format("x{}", t.lanes);
  if (t.mask_bits > 0) s += fmt::format("/{}", t.mask_bits);
  return s;
}

std::string opt_text(const Operand& v, std::string_view before) {
  return v ? fmt::format("{}{}", before, to_text(v)) : std::string();
}

struct OperandText {
  const OperandType& type;

  std::string operator()(const VConst& n) const {
    std::string s = holds_reals(type.dtype) ? fmt::format("{}", n.f) : fmt::format("{}", n.i);
    return type == OperandType{} ? s : s + ':' + type_text(type);
  }
  std::string operator()(const VVar& n) const { return n.name; }
  std::string operator()(const VSize& n) const { return n.name; }
  std::string operator()(const VAttr& n) const { return fmt::format("{}.{}", n.name, n.element); }
  std::string operator()(const VLoad& n) const {
    return fmt::format("load{}:{}(b{}, {}{})", n.once ? "_once" : "", type_text(type), n.buffer, to_text(n.offset),
                       opt_text(n.active, ", active "));
  }
  std::string operator()(const VGather& n) const {
    return fmt::format("gather:{}(b{}, {}, step {}{})", type_text(type), n.buffer, to_text(n.offset), to_text(n.stride),
                       opt_text(n.active, ", active "));
  }
  std::string operator()(const VApply& n) const {
    std::string s(scalar_op_row(n.op).name);
    if (scalar_op_row(n.op).result == ResultRule::Explicit) s += ':' + type_text(type);
    s += '(';
    for (size_t i = 0; i < n.args.size(); ++i) s += (i ? ", " : "") + to_text(n.args[i]);
    return s + ')';
  }
  std::string operator()(const VSelect& n) const {
    return fmt::format("select({}, {}, {})", to_text(n.cond), to_text(n.yes), to_text(n.no));
  }
  std::string operator()(const VSplat& n) const { return fmt::format("splat:{}({})", type.lanes, to_text(n.scalar)); }
  std::string operator()(const VRamp& n) const { return fmt::format("ramp:{}({})", type_text(type), to_text(n.base)); }
  std::string operator()(const VFold& n) const { return fmt::format("fold_{}({})", name_of(n.op), to_text(n.vector)); }
  std::string operator()(const VLane& n) const { return fmt::format("lane({}, {})", to_text(n.vector), n.lane); }
  std::string operator()(const VShuffle& n) const {
    return fmt::format("shuffle({}, {}; {})", to_text(n.a), to_text(n.b), fmt::join(n.pick, " "));
  }
  std::string operator()(const VLookup& n) const {
    return fmt::format("lookup({}; {})", to_text(n.index), fmt::join(n.table, " "));
  }
};

class BlockText {
 public:
  std::string out;

  void block(const Block& b, int depth) {
    for (const Stmt& s : b) std::visit([&](const auto& n) { print(n, depth); }, s.node);
  }

 private:
  template <class... Args>
  void line(int depth, fmt::format_string<Args...> format, Args&&... args) {
    out.append(static_cast<size_t>(depth) * 2, ' ');
    out += fmt::format(format, std::forward<Args>(args)...);
    out += '\n';
  }
  void print(const SLet& n, int d) {
    line(d, "let {}: {} = {}", n.name, n.place ? "place" : n.any ? "any" : type_text(n.value->type), to_text(n.value));
  }
  void print(const SVar& n, int d) { line(d, "var {}: {} = {}", n.name, type_text(n.init->type), to_text(n.init)); }
  void print(const SAssign& n, int d) { line(d, "{} = {}", n.name, to_text(n.value)); }
  void print(const SStore& n, int d) {
    line(d, "b{}[{}{}] = {}", n.buffer, to_text(n.offset), opt_text(n.active, ", active "), to_text(n.value));
  }
  void print(const SFor& n, int d) {
    constexpr std::string_view kinds[] = {"for", "parallel for", "unrolled for", "paired for"};
    std::string own;
    for (const int b : n.own) own += fmt::format("{}b{}", own.empty() ? ", own " : " ", b);
    line(d, "{} {} = {} .. {} step {}{}", kinds[static_cast<size_t>(n.kind)], n.var, to_text(n.begin), to_text(n.end),
         n.step, own);
    block(*n.body, d + 1);
  }
  void print(const SIf& n, int d) {
    line(d, "if {}", to_text(n.cond));
    block(*n.then, d + 1);
    if (!n.otherwise) return;
    line(d, "else");
    block(*n.otherwise, d + 1);
  }
  void print(const SPrefetch& n, int d) { line(d, "prefetch b{}[{}] {}", n.buffer, to_text(n.offset), n.locality); }
  void print(const SFail& n, int d) { line(d, "fail {}", name_of(n.status)); }
  void print(const SLeave&, int d) { line(d, "leave"); }
  void print(const SComment& n, int d) { line(d, "# {}", n.text); }
  void print(const SCall& n, int d) {
    std::vector<std::string> args;
    for (const BufferArgument& b : n.buffers) args.push_back(fmt::format("b{}+{}", b.buffer, to_text(b.offset)));
    for (const Operand& a : n.args) args.push_back(to_text(a));
    line(d, "call f{}({})", n.function, joined(args, ", "));
  }
};

}  // namespace

std::string to_text(const Operand& v) { return v ? std::visit(OperandText{v->type}, v->node) : "?"; }

std::string to_text(const LoopNest& nest) {
  BlockText t;
  t.out = fmt::format("nest {} on {} by {}\n", nest.name, nest.isa,
                      nest.blueprint.empty() ? "plain loops" : nest.blueprint);
  constexpr std::string_view where[] = {"tensor", "workspace", "stack"};
  for (size_t i = 0; i < nest.buffers.size(); ++i) {
    const Buffer& b = nest.buffers[i];
    t.out += fmt::format("  b{} {}: {} {}{}{}\n", i, b.name, where[static_cast<size_t>(b.storage)], name_of(b.dtype),
                         opt_text(b.elements, " x "), b.writable ? " writable" : "");
  }
  for (size_t i = 0; i < nest.functions.size(); ++i) {
    const InnerFunction& f = nest.functions[i];
    t.out += fmt::format("  function f{} {}({})\n", i, f.name, joined(f.params, ", "));
    for (size_t k = 0; k < f.buffers.size(); ++k)
      t.out += fmt::format("    b{} {}: {}{}\n", k, f.buffers[k].name, name_of(f.buffers[k].dtype),
                           f.buffers[k].writable ? " writable" : "");
    t.block(f.body, 2);
  }
  t.block(nest.body, 1);
  return std::move(t.out);
}

}  // namespace tenon
