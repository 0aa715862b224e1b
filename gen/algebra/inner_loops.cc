// The widths of the innermost loops of a nest, and the reasons for scalar ones.
#include <map>
#include <optional>
#include <set>

#include "algebra/nest_survey.h"
#include "support/function_ref.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// A value and everything below it.
void each_value(const Operand& v, FunctionRef<void(const Operand&)> f) {
  f(v);
  each_child(v, [&](const Operand& c) { each_value(c, f); });
}

void each_stmt(const Block& block, FunctionRef<void(const Stmt&)> f) {
  for (const Stmt& s : block) {
    f(s);
    each_block(s, [&](const Block& inside) { each_stmt(inside, f); });
  }
}

bool has_loop(const Block& block) {
  bool found = false;
  each_stmt(block, [&](const Stmt& s) { found = found || std::holds_alternative<SFor>(s.node); });
  return found;
}

/// One innermost loop: what its statements say.
class Body {
 public:
  explicit Body(const SFor& loop) : loop_(loop) {
    each_stmt(*loop.body, [&](const Stmt& s) {
      if (const auto* l = std::get_if<SLet>(&s.node)) lets_[l->name] = l->value;
      if (const auto* v = std::get_if<SVar>(&s.node)) own_.insert(v->name);
    });
  }

  InnerLoop describe() {
    InnerLoop out{loop_.var, 1, false, false, {}};
    each_stmt(*loop_.body, [&](const Stmt& s) { look(s, out); });
    out.contiguous = out.contiguous && !strided_;
    if (out.lanes == 1) out.why = reason();
    return out;
  }

 private:
  void look(const Stmt& s, InnerLoop& out) {
    if (const auto* t = std::get_if<SStore>(&s.node)) {
      access(t->offset, out);
      scatters_ = scatters_ || from_data(t->offset);
    }
    if (const auto* a = std::get_if<SAssign>(&s.node); a && own_.count(a->name) == 0) {
      carries_ = true;
      last_carried_ = a->name;
    }
    calls_ = calls_ || std::holds_alternative<SCall>(s.node);
    fails_ = fails_ || std::holds_alternative<SFail>(s.node);
    branches_ = branches_ || std::holds_alternative<SIf>(s.node);
    if (std::holds_alternative<SPrefetch>(s.node)) return;
    const auto look_at = [&](const Operand& v) {
      out.lanes = std::max(out.lanes, v->type.lanes);
      if (const auto* l = std::get_if<VLoad>(&v->node)) {
        access(l->offset, out);
        gathers_ = gathers_ || from_data(l->offset);
      }
      if (const auto* a = std::get_if<VApply>(&v->node)) divides_ = divides_ || divides(*a, v->type.dtype);
    };
    each_operand(s, [&](const Operand& v) { each_value(v, look_at); });
  }

  static bool divides(const VApply& a, DType d) {
    const bool division = a.op == ScalarOp::Div || a.op == ScalarOp::FloorDiv || a.op == ScalarOp::Mod;
    return division && !is_float(d);
  }

  void access(const Operand& offset, InnerLoop& out) {
    const std::optional<int64_t> step = slope(offset);
    const bool dense = step && (*step == 1 || *step == -1);
    out.contiguous = out.contiguous || dense;
    strided_ = strided_ || (step ? *step != 0 && !dense : !from_data(offset));
  }

  /// Does the value depend on what a load reads?
  bool from_data(const Operand& offset) {
    bool found = false;
    each_value(offset, [&](const Operand& v) {
      if (std::holds_alternative<VLoad>(v->node)) found = true;
      if (const auto* name = std::get_if<VVar>(&v->node))
        if (const auto let = lets_.find(name->name); let != lets_.end()) found = found || from_data(let->second);
    });
    return found;
  }

  /// The change of `v` from one iteration to the next; empty if it is not a constant.
  std::optional<int64_t> slope(const Operand& v) {
    if (const auto* name = std::get_if<VVar>(&v->node)) {
      if (name->name == loop_.var) return loop_.step;
      const auto let = lets_.find(name->name);
      if (let != lets_.end()) return slope(let->second);
      return own_.count(name->name) ? std::nullopt : std::optional<int64_t>(0);
    }
    if (std::holds_alternative<VConst>(v->node) || std::holds_alternative<VSize>(v->node) ||
        std::holds_alternative<VAttr>(v->node))
      return 0;
    const auto* apply = std::get_if<VApply>(&v->node);
    if (!apply) return std::nullopt;
    return slope_of(*apply);
  }

  std::optional<int64_t> slope_of(const VApply& a) {
    const std::vector<std::optional<int64_t>> slopes = mapped(a.args, [&](const Operand& x) { return slope(x); });
    if (any_of(slopes, [](const auto& s) { return !s; })) return std::nullopt;
    if (all_of(slopes, [](const auto& s) { return *s == 0; })) return 0;
    if (slopes.size() != 2) return std::nullopt;
    if (a.op == ScalarOp::Add) return *slopes[0] + *slopes[1];
    if (a.op == ScalarOp::Sub) return *slopes[0] - *slopes[1];
    if (a.op != ScalarOp::Mul) return std::nullopt;
    const int moving = *slopes[0] != 0 ? 0 : 1;
    const auto factor = constant_value(*(a.args.begin() + (1 - moving)));
    return factor && *slopes[1 - static_cast<size_t>(moving)] == 0
               ? std::optional(*factor * *slopes[static_cast<size_t>(moving)])
               : std::nullopt;
  }

  std::string reason() const {
    if (strided_) return "its elements are not contiguous";
    if (calls_) return "it calls a function for each element";
    if (scatters_) return "the addresses of its writes depend on the data";
    if (carries_) return "each iteration needs '" + last_carried_ + "' of the previous one";
    if (fails_) return "it ends at data that are rejected";
    if (gathers_) return "the addresses of its reads depend on the data";
    if (divides_) return "it divides integers, which vectors cannot";
    if (branches_) return "what it does differs from element to element";
    return "it has no vector form";
  }

  const SFor& loop_;
  std::map<std::string, Operand> lets_;
  std::set<std::string> own_;
  std::string last_carried_;
  bool strided_ = false, scatters_ = false, gathers_ = false, carries_ = false, calls_ = false, fails_ = false,
       divides_ = false, branches_ = false;
};

/// A loop over vectors in front of this one in the same block: this one takes the remainder.
bool vectors_before(const Block& block, size_t at) {
  for (size_t i = 0; i < at; ++i)
    if (const auto* l = std::get_if<SFor>(&block[i].node); l && l->step > 1) return true;
  return false;
}

void collect_loops(const Block& block, std::vector<InnerLoop>& out) {
  for (size_t i = 0; i < block.size(); ++i) {
    const auto* l = std::get_if<SFor>(&block[i].node);
    if (!l || has_loop(*l->body)) {
      each_block(block[i], [&](const Block& inside) { collect_loops(inside, out); });
      continue;
    }
    InnerLoop loop = Body(*l).describe();
    loop.rest = loop.lanes == 1 && !constant_value(l->begin) && vectors_before(block, i);
    out.push_back(std::move(loop));
  }
}

}  // namespace

std::vector<InnerLoop> inner_loops(const LoopNest& nest) {
  std::vector<InnerLoop> out;
  collect_loops(nest.body, out);
  for (const InnerFunction& f : nest.functions)
    if (f.frame) out.push_back({f.name, 1, true, false, "it is a C template"});
    else collect_loops(f.body, out);
  return out;
}

}  // namespace tenon
