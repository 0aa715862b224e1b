// Skips what only outputs need that a call leaves out. What the other outputs need runs as it would without them, so
// that their bits are the same.
#include <map>

#include "algebra/nest_survey.h"
#include "lower/nest/nest_passes.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using Outputs = uint32_t;  ///< a bit for each output that a call may leave out
constexpr Outputs kAll = ~Outputs{0};

/// Which outputs need a buffer or a variable.
class OutputNeeds {
 public:
  explicit OutputNeeds(const LoopNest& nest) : nest_(nest) {
    for (size_t b = 0; b < nest.buffers.size(); ++b) {
      const Buffer& buffer = nest.buffers[b];
      if (buffer.storage != Storage::Tensor || !buffer.writable) continue;
      const std::string& given = nest.kernel->tensor(buffer.tensor).given;
      Outputs bit = kAll;
      if (!given.empty()) {
        bit = Outputs{1} << given_.size();
        given_.push_back(given);
        outputs_[static_cast<int>(b)] = bit;
      }
      buffers_[static_cast<int>(b)] = bit;
    }
    while (changed_) {
      changed_ = false;
      note(nest.body);
    }
  }

  Outputs all() const { return (Outputs{1} << given_.size()) - 1; }

  /// The outputs that need the statement; 0 for comments and the like.
  Outputs of(const Stmt& s) const {
    if (const auto* n = std::get_if<SStore>(&s.node)) return value_or(buffers_, n->buffer, 0);
    if (const auto* n = std::get_if<SPrefetch>(&s.node)) return value_or(outputs_, n->buffer, 0);
    if (declared(s)) return value_or(vars_, &s, 0);
    if (std::holds_alternative<SAssign>(s.node)) return value_or(vars_, value_or(assigned_, &s, nullptr), 0);
    if (const auto* n = std::get_if<SCall>(&s.node)) return of_call(*n);
    if (std::holds_alternative<SFail>(s.node) || std::holds_alternative<SLeave>(s.node)) return kAll;
    Outputs out = 0;
    each_block(s, [&](const Block& inside) {
      for (const Stmt& i : inside) out |= of(i);
    });
    return out;
  }

  /// Outputs that the statement itself touches, not those inside of it.
  Outputs touched(const Stmt& s) const {
    Outputs out = 0;
    if (const auto* store = std::get_if<SStore>(&s.node)) out |= value_or(outputs_, store->buffer, 0);
    if (const auto* fetch = std::get_if<SPrefetch>(&s.node)) out |= value_or(outputs_, fetch->buffer, 0);
    if (const auto* call = std::get_if<SCall>(&s.node))
      for (const BufferArgument& b : call->buffers) out |= value_or(outputs_, b.buffer, 0);
    each_operand(s, [&](const Operand& value) { out |= touched(value); });
    return out;
  }

  /// 1 where the call asks for one of the outputs.
  Operand asked(Outputs outputs) const {
    Operand sum;
    for (size_t o = 0; o < given_.size(); ++o)
      if (outputs >> o & 1) sum = sum ? sum + v_size(given_[o]) : v_size(given_[o]);
    return v_apply(ScalarOp::Gt, {sum, v_int(0)});
  }

 private:
  Outputs of_call(const SCall& call) const {
    const InnerFunction& f = nest_.functions[static_cast<size_t>(call.function)];
    if (may_fail(f.body, nest_.functions)) return kAll;
    Outputs out = 0;
    for (size_t b = 0; b < call.buffers.size(); ++b)
      if (f.frame || f.buffers[b].writable) out |= value_or(buffers_, call.buffers[b].buffer, 0);
    return out;
  }

  Outputs touched(const Operand& value) const {
    if (!value) return 0;
    Outputs out = 0;
    if (const auto* load = std::get_if<VLoad>(&value->node)) out |= value_or(outputs_, load->buffer, 0);
    if (const auto* gather = std::get_if<VGather>(&value->node)) out |= value_or(outputs_, gather->buffer, 0);
    each_child(value, [&](const Operand& child) { out |= touched(child); });
    return out;
  }

  void add(Outputs& to, Outputs outputs) {
    changed_ = changed_ || (to | outputs) != to;
    to |= outputs;
  }

  /// The name that a statement declares, or null.
  static const std::string* declared(const Stmt& s) {
    if (const auto* let = std::get_if<SLet>(&s.node)) return &let->name;
    const auto* var = std::get_if<SVar>(&s.node);
    return var ? &var->name : nullptr;
  }

  /// Blocks next to each other may declare the same name.
  void note(const Block& block) {
    for (const Stmt& s : block)
      if (const std::string* name = declared(s)) scope_[*name].push_back(&s);
    for (size_t i = block.size(); i-- > 0;) note(block[i]);
    for (const Stmt& s : block)
      if (const std::string* name = declared(s)) scope_[*name].pop_back();
  }

  /// The declaration of a name that is not a loop's, or null.
  const Stmt* declaration(const std::string& name) const {
    const auto found = scope_.find(name);
    return found == scope_.end() || found->second.empty() ? nullptr : found->second.back();
  }

  void note(const Stmt& s) {
    each_block(s, [&](const Block& inside) { note(inside); });
    if (const auto* assign = std::get_if<SAssign>(&s.node)) assigned_[&s] = declaration(assign->name);
    const Outputs outputs = of(s);
    if (outputs == 0) return;
    if (const auto* call = std::get_if<SCall>(&s.node))
      for (const BufferArgument& b : call->buffers)
        if (b.buffer >= 0) add(buffers_[b.buffer], outputs);
    each_operand(s, [&](const Operand& value) { note(value, outputs); });
  }

  void note(const Operand& value, Outputs outputs) {
    if (!value) return;
    const auto* var = std::get_if<VVar>(&value->node);
    if (const Stmt* s = var ? declaration(var->name) : nullptr) add(vars_[s], outputs);
    if (const auto* load = std::get_if<VLoad>(&value->node)) add(buffers_[load->buffer], outputs);
    if (const auto* gather = std::get_if<VGather>(&value->node)) add(buffers_[gather->buffer], outputs);
    each_child(value, [&](const Operand& child) { note(child, outputs); });
  }

  const LoopNest& nest_;
  std::vector<std::string> given_;
  std::map<int, Outputs> outputs_, buffers_;
  std::map<const Stmt*, Outputs> vars_;          ///< by the declaration
  std::map<const Stmt*, const Stmt*> assigned_;  ///< the declarations of what statements assign
  std::map<std::string, std::vector<const Stmt*>> scope_;
  bool changed_ = true;
};

class OutputSkipper {
 public:
  OutputSkipper(const LoopNest& nest, const OutputNeeds& needs) : nest_(nest), needs_(needs) {}

  /// The block where the call asks for one of the outputs `in`.
  Block run(const Block& block, Outputs in) {
    Block out;
    Outputs open = 0;  // of the last statement, which is a condition around those that need these outputs alone
    for (const Stmt& s : block) {
      const Outputs needed = needs_.of(s) & needs_.all();
      check(s, needed);
      const bool apart = needed != 0 && (needed & in) != in && is_skipped(s);
      Block front, inner = apart ? skipped(s, needed, front) : Block{inside(s, in)};
      const bool joins = apart && open == needed;
      out.insert(out.end() - (joins ? 1 : 0), front.begin(), front.end());
      if (!apart) append(out, std::move(inner));
      else if (joins) append_to(out.back(), std::move(inner));
      else out.push_back(s_if(needs_.asked(needed), std::move(inner)));
      open = apart ? needed : 0;
    }
    return out;
  }

 private:
  /// Loops, calls and what touches an output; what else is computed next to others stays without conditions.
  bool is_skipped(const Stmt& s) const {
    return std::holds_alternative<SFor>(s.node) || std::holds_alternative<SIf>(s.node) ||
           std::holds_alternative<SCall>(s.node) || needs_.touched(s) != 0;
  }

  /// What goes into the condition; a name is declared in front of it.
  Block skipped(const Stmt& s, Outputs needed, Block& front) {
    const auto declared = [&](const std::string& name, const Operand& value) {
      front.push_back(s_var(name, v_const(0, value->type)));
      return Block{s_assign(name, value)};
    };
    if (const auto* let = std::get_if<SLet>(&s.node)) return declared(let->name, let->value);
    if (const auto* var = std::get_if<SVar>(&s.node)) return declared(var->name, var->init);
    return {inside(s, needed)};
  }

  Stmt inside(Stmt s, Outputs in) {
    map_blocks(s, [&](const Block& block) { return run(block, in); });
    return s;
  }

  static void append_to(Stmt& condition, Block more) {
    auto& branch = std::get<SIf>(condition.node);
    Block then = *branch.then;
    append(then, std::move(more));
    branch.then = std::make_shared<const Block>(std::move(then));
  }

  void check(const Stmt& s, Outputs needed) const {
    const Outputs touched = needs_.touched(s);
    TENON_CHECK(touched == 0 || touched == needed, "{}: an output that a call may leave out is part of another one",
                nest_.name);
  }

  const LoopNest& nest_;
  const OutputNeeds& needs_;
};

}  // namespace

LoopNest skip_outputs(LoopNest nest) {
  if (none_of(nest.kernel->tensors, [](const Tensor& t) { return !t.given.empty(); })) return nest;
  const OutputNeeds needs(nest);
  nest.body = OutputSkipper(nest, needs).run(nest.body, needs.all());
  return nest;
}

}  // namespace tenon
