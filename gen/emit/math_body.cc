// Math entries to statements: one let per step, with calls inlined.
#include "emit/math_body.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

bool orders(MathOp op) { return op == MathOp::Lt || op == MathOp::Le || op == MathOp::Gt || op == MathOp::Ge; }

void collect_names(const std::vector<MathExpr>& all, std::set<std::string>& out) {
  for (const MathExpr& e : all) {
    if (const auto* n = std::get_if<MathName>(&e.node)) out.insert(n->name);
    if (const auto* n = std::get_if<MathApply>(&e.node)) collect_names(n->args, out);
    if (const auto* n = std::get_if<MathCall>(&e.node)) collect_names(n->args, out);
  }
}

/// The names that a function reads: some of several results may be unused.
std::set<std::string> names_read(const MathFunction& f) {
  std::set<std::string> out;
  for (const MathStep& s : f.steps) {
    if (const auto* x = std::get_if<MathLet>(&s)) collect_names({x->value}, out);
    if (const auto* x = std::get_if<MathUnpack>(&s)) collect_names(x->call.args, out);
    if (const auto* x = std::get_if<MathRare>(&s)) collect_names({x->when, x->unlikely, x->usual}, out);
  }
  collect_names(f.results, out);
  return out;
}

class Inliner {
 public:
  Inliner(const MathLibrary& library, const Isa& isa, DType dtype, int lanes)
      : library_(library), isa_(isa), dtype_(dtype), lanes_(lanes) {
    const bool wide = bytes_of(dtype) == 8;
    unsigned_ = {wide ? DType::U64 : DType::U32, lanes, 0};
    signed_ = {wide ? DType::I64 : DType::I32, lanes, 0};
  }

  using Names = std::map<std::string, Operand>;

  /// Appends the steps of the function to `out`; returns its results.
  std::vector<Operand> splice(const MathFunction& f, std::vector<Operand> args, Block& out) {
    Names names;
    const std::set<std::string> outer = std::exchange(wanted_, names_read(f));
    for (size_t i = 0; i < args.size(); ++i)
      names[f.parameters[i].name] = keep(f.parameters[i].name, std::move(args[i]), out);
    for (const MathStep& s : f.steps) std::visit([&](const auto& step) { run(step, names, out); }, s);
    std::vector<Operand> results = mapped(f.results, [&](const MathExpr& e) { return value(e, names, out); });
    wanted_ = outer;
    return results;
  }

  void reserve(const std::string& name) { used_.insert(name); }

  const MathFunction& function(const std::string& name) const {
    const MathFunction* f = library_.find(name, dtype_);
    TENON_CHECK(f != nullptr, "no math entry {} of {}", name, name_of(dtype_));
    if (!f->by_lookup.empty() && has_instruction("lookup")) return function(f->by_lookup);
    return f->by_fma.empty() || !isa_.fma ? *f : function(f->by_fma);
  }

 private:
  /// The operand itself if repeating it is free, otherwise a let of it.
  Operand keep(const std::string& name, Operand v, Block& out) {
    const bool free = std::holds_alternative<VVar>(v->node) || std::holds_alternative<VConst>(v->node);
    return free ? v : let(name, std::move(v), out);
  }

  Operand let(const std::string& name, Operand v, Block& out) {
    const std::string fresh = fresh_name(name);
    Operand var = v_var(fresh, v->type);
    out.push_back(s_let(fresh, std::move(v)));
    return var;
  }

  std::string fresh_name(const std::string& name) {
    std::string fresh = name;
    for (int k = 2; !used_.insert(fresh).second; ++k) fresh = fmt::format("{}_{}", name, k);
    return fresh;
  }

  void run(const MathLet& s, Names& names, Block& out) {
    Operand v = value(s.value, names, out);
    names[s.name] = stays_in_mask_register(v) ? v : let(s.name, std::move(v), out);
  }

  /// A condition that a select takes from a mask register is not named, because that would turn it into a vector.
  bool stays_in_mask_register(const Operand& v) const {
    return lanes_ > 1 && v->type.dtype == DType::Bool && isa_.row("mask_lt", dtype_, lanes_) != nullptr;
  }

  void run(const MathUnpack& s, Names& names, Block& out) {
    std::vector<Operand> results =
        splice(function(s.call.function), values<std::vector<Operand>>(s.call.args, names, out), out);
    for (size_t i = 0; i < results.size(); ++i)
      if (wanted_.count(s.names[i]) != 0) names[s.names[i]] = keep(s.names[i], std::move(results[i]), out);
  }

  /// A branch: taken for all lanes if one needs it, kept for those.
  void run(const MathRare& s, Names& names, Block& out) {
    Operand when = value(s.when, names, out);
    if (!stays_in_mask_register(when)) when = let(s.name + "_rare", std::move(when), out);
    const std::string name = fresh_name(s.name);
    Operand usual = value(s.usual, names, out);
    const Operand var = v_var(name, usual->type);
    out.push_back(s_var(name, std::move(usual)));
    Block block;
    const Operand unlikely = value(s.unlikely, names, block);
    block.push_back(s_assign(name, lanes_ == 1 ? unlikely : v_select(when, unlikely, var)));
    out.push_back(s_if(lanes_ == 1 ? when : v_fold(Reducer::Any, when), std::move(block)));
    names[s.name] = var;
  }

  template <class List>
  List values(const std::vector<MathExpr>& args, const Names& names, Block& out) {
    List r;
    for (const MathExpr& a : args) r.push_back(value(a, names, out));
    return r;
  }

  Operand value(const MathExpr& e, const Names& names, Block& out) {
    if (const auto* n = std::get_if<MathNumber>(&e.node)) return v_const(n->value, {dtype_, lanes_, 0});
    if (const auto* n = std::get_if<MathInteger>(&e.node)) return integer(n->bits, unsigned_);
    if (const auto* n = std::get_if<MathName>(&e.node)) return names.at(n->name);
    if (const auto* n = std::get_if<MathCall>(&e.node)) return call(*n, names, out);
    const auto& n = std::get<MathApply>(e.node);
    if (n.op == MathOp::Lookup) return lookup(n, value(n.args[0], names, out));
    return apply(n, values<Few<Operand>>(n.args, names, out));
  }

  static Operand integer(uint64_t bits, const OperandType& type) {
    return Operand::made(type, VConst{static_cast<int64_t>(bits), static_cast<double>(bits)});
  }

  Operand call(const MathCall& n, const Names& names, Block& out) {
    if (n.function == "mul_tail" && isa_.fma) {
      Few<Operand> args = values<Few<Operand>>(n.args, names, out);
      const Operand a = keep("a", std::move(args[0]), out), b = keep("b", std::move(args[1]), out);
      return v_apply(ScalarOp::Fma, {a, b, v_apply(ScalarOp::Neg, {a * b})});
    }
    if (n.function == "mul_residual" && isa_.fma) {
      Few<Operand> args = values<Few<Operand>>(n.args, names, out);
      return v_apply(ScalarOp::Fma, {v_apply(ScalarOp::Neg, {args[1]}), args[2], args[0]});
    }
    const auto op = scalar_op_from_name(n.function);
    if (op && scalar_op_row(*op).has('M') && (!scalar_op_row(*op).has('P') || has_instruction(n.function)))
      return v_apply(*op, values<Few<Operand>>(n.args, names, out));
    return splice(function(n.function), values<std::vector<Operand>>(n.args, names, out), out)[0];
  }

  bool has_instruction(const std::string& function) const { return isa_.row(function, dtype_, lanes_) != nullptr; }

  Operand lookup(const MathApply& n, Operand index) const {
    std::vector<double> table;
    for (size_t i = 1; i < n.args.size(); ++i) table.push_back(std::get<MathNumber>(n.args[i].node).value);
    return v_lookup(std::move(index), std::move(table), {dtype_, lanes_, 0});
  }

  Operand apply(const MathApply& n, Few<Operand> a) {
    const DType d = a[0]->type.dtype;
    if (n.op == MathOp::Select) return v_select(a[0], a[1], a[2]);
    if (n.op == MathOp::Bits) return v_apply_as(ScalarOp::Bits, std::move(a), unsigned_);
    if (n.op == MathOp::FloatBits) return v_apply_as(ScalarOp::Bits, std::move(a), {dtype_, lanes_, 0});
    if (n.op == MathOp::FloatOf) return v_cast(as(a[0], signed_), dtype_);
    if (n.op == MathOp::Sar) return as(v_apply(ScalarOp::Shr, {as(a[0], signed_), as(a[1], signed_)}), unsigned_);
    if (orders(n.op) && is_int(d))
      return v_apply(math_op_row(n.op).scalar.value(), {as(a[0], signed_), as(a[1], signed_)});
    return v_apply(math_op_row(n.op).scalar.value(), std::move(a));
  }

  /// The same bits as another type; constants become constants of that type.
  static Operand as(const Operand& v, const OperandType& type) {
    if (const auto* c = std::get_if<VConst>(&v->node)) {
      const int64_t narrow = static_cast<int32_t>(c->i);
      return integer(static_cast<uint64_t>(type.dtype == DType::I32 ? narrow : c->i), type);
    }
    return v_apply_as(ScalarOp::Bits, {v}, type);
  }

  const MathLibrary& library_;
  const Isa& isa_;
  DType dtype_;
  int lanes_;
  OperandType unsigned_, signed_;
  std::set<std::string> used_;    ///< names in the statements made so far
  std::set<std::string> wanted_;  ///< names that the function being inlined reads
};

}  // namespace

MathBody math_body(const MathLibrary& library, ScalarOp op, const OperandType& type, const Isa& isa) {
  const std::string name(scalar_op_row(op).name);
  Inliner inliner(library, isa, type.dtype, type.lanes);
  const MathFunction* f = &inliner.function(name);
  MathBody body;
  body.type = type;
  body.comment = f->doc.empty() ? name : fmt::format("{}: {}", name, f->doc);
  body.comment += "; " + bound_text(*f);
  body.c_function = f->c_function;
  std::vector<Operand> args;
  for (const MathParameter& p : f->parameters) {
    inliner.reserve(p.name);
    body.params.push_back(p.name);
    args.push_back(v_var(p.name, type));
  }
  if (!body.c_function.empty()) return body;
  body.result = inliner.splice(*f, std::move(args), body.body)[0];
  return body;
}

}  // namespace tenon
