// The text form of expressions: index notation with types where a reader cannot infer them.
#include <fmt/format.h>

#include <span>

#include "ir/kernel/expr.h"
#include "support/joined.h"

namespace tenon {
namespace {

using Names = std::vector<std::string>;

std::string list(std::span<const Expr> v, const Names& names) {
  return joined(v, ", ", [&](const Expr& e) { return to_text(e, names); });
}

struct ExprPrinter {
  DType type;
  const Names& names;

  std::string operator()(const Constant& c) const {
    if (holds_reals(type)) return fmt::format("{}", c.f);
    if (type == DType::U64) return fmt::format("{}", static_cast<uint64_t>(c.i));
    return fmt::format("{}", c.i);
  }
  std::string operator()(const VarRef& v) const { return v.name; }
  std::string operator()(const SizeRef& v) const { return v.name; }
  std::string operator()(const AttrRef& a) const {
    return a.element ? fmt::format("{}[{}]", a.name, a.element) : a.name;
  }
  std::string operator()(const Read& r) const {
    const size_t t = static_cast<size_t>(r.tensor);
    std::string out = (t < names.size() ? names[t] : fmt::format("t{}", r.tensor)) + "[" + list(r.index, names) + "]";
    return r.fill ? fmt::format("padded({}, {})", out, to_text(r.fill, names)) : out;
  }
  std::string operator()(const Apply& a) const {
    const std::string_view op = scalar_op_row(a.op).sign;
    if (!op.empty()) return fmt::format("({} {} {})", to_text(a.args[0], names), op, to_text(a.args[1], names));
    if (a.op == ScalarOp::Cast) return fmt::format("{}({})", name_of(type), to_text(a.args[0], names));
    return fmt::format("{}({})", scalar_op_row(a.op).name, list(a.args, names));
  }
  std::string operator()(const Reduce& r) const {
    const auto text = [&](const LoopVar& v) { return fmt::format("{} < {}", v.name, to_text(v.extent, names)); };
    std::string vars = joined(r.vars, ", ", text);
    if (r.where) vars += " : " + to_text(r.where, names);
    const std::string start = r.start ? fmt::format("{} = {}, ", r.running, to_text(r.start, names)) : "";
    return fmt::format("{}[{}]({}{})", name_of(r.op), vars, start, to_text(r.value, names));
  }
  std::string operator()(const Select& s) const {
    return fmt::format("select({}, {}, {})", to_text(s.cond, names), to_text(s.yes, names), to_text(s.no, names));
  }
};

}  // namespace

std::string to_text(const Expr& e, const Names& names) { return std::visit(ExprPrinter{e->type, names}, e->node); }

}  // namespace tenon
