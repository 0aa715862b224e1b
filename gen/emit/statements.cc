// Statements of loop nests as statements of C.
#include <fmt/format.h>

#include <utility>

#include "emit/emitter.h"
#include "support/c_names.h"
#include "support/check.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon::emit {
namespace {

/// A name declared in it would be declared again in the next iteration.
bool declares(const CBlock& b) {
  return any_of(b, [](const CStmt& s) { return std::holds_alternative<CDeclaration>(s.node); });
}

/// Whether all that an iteration does is to move single elements. Compilers leave such loops as they are at -O2; most
/// of their time goes into counting.
bool moves_elements(const Block& b) {
  return !b.empty() && all_of(b, [](const Stmt& s) {
    const auto* store = std::get_if<SStore>(&s.node);
    return store && store->value->type.lanes == 1 && std::holds_alternative<VLoad>(store->value->node);
  });
}

/// Operations of a scalar that take about as long as counting an iteration; a large number if there are others.
int cheap_operations(const Operand& o) {
  constexpr int kMany = 1000;
  if (o->type.lanes != 1 || is_half(o->type.dtype) || is_complex(o->type.dtype)) return kMany;
  if (std::holds_alternative<VLoad>(o->node) || std::holds_alternative<VConst>(o->node)) return 0;
  const auto* a = std::get_if<VApply>(&o->node);
  if (!a || scalar_op_row(a->op).has('M') || a->op == ScalarOp::FloorDiv || a->op == ScalarOp::Mod) return kMany;
  int count = 1;
  for (const Operand& arg : a->args) count += cheap_operations(arg);
  return count;
}

/// Whether an iteration computes and stores one scalar in about the time that counting takes: along views whose
/// elements are apart. Loops over what vectors leave do not begin at 0 and are short.
bool computes_little(const SFor& n) {
  constexpr int kMostOperations = 2;
  const auto* begin = std::get_if<VConst>(&n.begin->node);
  if (!begin || begin->i != 0 || n.step != 1 || n.body->size() != 1) return false;
  const auto* store = std::get_if<SStore>(&n.body->front().node);
  return store && cheap_operations(store->value) <= kMostOperations;
}

class StatementToC {
 public:
  StatementToC(Emitter& emitter, CBlock& block) : e(emitter), out(block) {}

  void operator()(const SLet& n) {
    const auto c = n.value->type == OperandType{} ? e.known(n.value) : std::nullopt;
    if (c) e.declare(n.name, Binding{index_literal(*c), {}, true, *c >= 0, *c});
    else declare(n, true);
  }
  void operator()(const SVar& n) { declare({n.name, n.init}, false); }
  void operator()(const SAssign& n) { out.push_back(c_assign(c_text(e.lookup(n.name).c_name), e.operand(n.value))); }
  void operator()(const SStore& n) { out.push_back(store_value(e, n)); }
  void operator()(const SFor& n) {
    if (n.kind == LoopKind::Unrolled) return unrolled(n);
    if (n.kind == LoopKind::Parallel && e.share) return out.push_back(e.share(n));
    const bool split = n.kind == LoopKind::Parallel && e.split_parallel;
    if (!split && never_runs(n)) return;
    if (!split && runs_once(n)) return once(n);
    e.open_scope();
    // the end of a split loop with step 1 is the function's parameter
    const CExpr begin = e.index(n.begin), end = split && n.step == 1 ? nullptr : e.index(n.end);
    if (split) e.split_parallel = false;
    const std::string var = e.declare(n.var, Binding{"", {}, true, n.step > 0 && e.nonnegative(n.begin), std::nullopt});
    const std::string step = n.step == 1  ? "++" + var
                             : n.step < 0 ? fmt::format("{} -= {}", var, -n.step)
                                          : fmt::format("{} += {}", var, n.step);
    CFor loop{"int64_t", var, begin, end ? c_binary(c_text(var), n.step < 0 ? ">" : "<", end) : nullptr, step, {}};
    if (n.kind == LoopKind::Paired || (e.isa.vector_bits > 0 && moves_elements(*n.body))) loop.unroll = 2;
    else if (e.isa.vector_bits > 0 && computes_little(n)) loop.unroll = 4;
    if (split) split_range(n, loop, end);
    const bool outside = std::exchange(e.may_leave, !split);
    e.block(*n.body, loop.body);
    e.may_leave = outside;
    out.push_back({std::move(loop)});
    e.close_scope();
  }
  void operator()(const SLeave&) {
    if (e.may_leave) out.push_back({CBreak{}});
  }
  void operator()(const SIf& n) {
    const bool leaves = n.then && n.then->size() == 1 && std::holds_alternative<SLeave>(n.then->front().node);
    if (leaves && !e.may_leave) return;  // of a loop that is not a loop in C
    if (const auto holds = known_condition(n.cond)) {
      const auto& taken = *holds ? n.then : n.otherwise;
      e.open_scope();
      if (taken) e.block(*taken, out);
      e.close_spliced();
      return;
    }
    CIf branch{e.condition(n.cond), {}, {}};
    e.open_scope();
    e.block(*n.then, branch.then);
    e.close_scope();
    if (n.otherwise) {
      e.open_scope();
      e.block(*n.otherwise, branch.otherwise);
      e.close_scope();
    }
    out.push_back({std::move(branch)});
  }
  void operator()(const SPrefetch& n) {
    if (e.portable()) return;
    const CExpr at = c_unary("&", c_index(c_text(e.buffer_name(n.buffer)), e.index(n.offset)));
    out.push_back(c_evaluate(c_call("__builtin_prefetch", {at, c_text("0"), c_text(std::to_string(n.locality))})));
  }
  void operator()(const SFail& n) {
    out.push_back(c_return(c_text(upper_case(fmt::format("{}_e_{}", e.options.prefix, name_of(n.status))))));
  }
  void operator()(const SCall& n) { call_inner(e, n, out); }
  void operator()(const SComment& n) { out.push_back(c_comment(comment_inside(n.text))); }

 private:
  Emitter& e;
  CBlock& out;

  void declare(const SLet& let, bool constant) {
    const Operand& value = let.value;
    const bool of_attributes = constant && e.is_index(value, Attributes::all);
    const bool computed = of_attributes && (!let.any || e.is_index(value, Attributes::limited)) &&
                          !(let.operand && e.may_overflow(value));
    const bool nonnegative = computed && (let.count || e.nonnegative(value));
    CExpr init = computed ? e.index(value) : e.operand(value);
    const std::string type = e.c_type(value->type);
    const std::string c_name =
        e.declare(let.name, Binding{"", value->type, computed || let.place, nonnegative, std::nullopt, of_attributes,
                                    of_attributes && let.operand ? e.magnitude(value) : kUsualMemory});
    out.push_back(c_declare(constant ? "const " + type : type, c_name, std::move(init)));
  }

  bool never_runs(const SFor& n) const {
    const auto begin = e.known(n.begin), end = e.known(n.end);
    return begin && end && n.step > 0 && *begin >= *end;
  }

  bool runs_once(const SFor& n) const {
    const auto begin = e.known(n.begin), end = e.known(n.end);
    return begin && end && n.step > 0 && *begin < *end && *end - *begin <= n.step;
  }

  /// The value of a comparison of known indices.
  std::optional<bool> known_condition(const Operand& cond) const {
    if (const auto c = constant_value(cond)) return *c != 0;
    const auto* a = std::get_if<VApply>(&cond->node);
    if (!a || !is_comparison(a->op)) return std::nullopt;
    const auto x = e.known(a->args[0]), y = e.known(a->args[1]);
    if (!x || !y) return std::nullopt;
    const auto holds = constant_value(v_apply(a->op, {v_int(*x), v_int(*y)}));
    return holds ? std::optional(*holds != 0) : std::nullopt;
  }

  /// Splices the body into the enclosing statements.
  void once(const SFor& n) {
    const int64_t i = *e.known(n.begin);
    e.open_scope();
    e.declare(n.var, Binding{index_literal(i), {}, true, i >= 0, i});
    const bool outside = std::exchange(e.may_leave, false);
    e.block(*n.body, out);
    e.may_leave = outside;
    e.close_spliced();
  }

  /// The loop of a function that runs iterations `begin` to `end`.
  void split_range(const SFor& n, CFor& loop, const CExpr& end) {
    const std::string bound = e.declare(n.var + "_end", Binding{"", {}, true, false, std::nullopt});
    const auto at = [&](const char* iteration) {
      CExpr v = n.step == 1 ? c_text(iteration) : c_binary(c_text(iteration), "*", c_text(index_literal(n.step)));
      return constant_value(n.begin) == 0 ? v : c_binary(e.index(n.begin), "+", v);
    };
    loop.begin = at("begin");
    const CExpr last = at("end");
    if (n.step == 1) {
      loop.cond = c_binary(c_text(loop.var), "<", last);
      return;
    }
    out.push_back(c_declare("const int64_t", bound, c_conditional(c_binary(last, "<", end), last, end)));
    loop.cond = c_binary(c_text(loop.var), "<", c_text(bound));
  }

  void unrolled(const SFor& n) {
    const auto begin = e.known(n.begin), end = e.known(n.end);
    TENON_CHECK(begin && end && n.step > 0, "unrolled loop {} has no constant trip count", n.var);
    for (int64_t i = *begin; i < *end; i += n.step) {
      e.open_scope();
      e.declare(n.var, Binding{index_literal(i), {}, true, i >= 0, i});
      CScope scope;
      const bool outside = std::exchange(e.may_leave, false);
      e.block(*n.body, scope.body);
      e.may_leave = outside;
      if (declares(scope.body)) out.push_back({std::move(scope)});
      else std::move(scope.body.begin(), scope.body.end(), std::back_inserter(out));
      e.close_scope();
    }
  }
};

}  // namespace

CExpr Emitter::condition(const Operand& v) {
  const auto* a = std::get_if<VApply>(&v->node);
  const bool indices =
      a && !a->args.empty() && all_of(a->args, [&](const Operand& x) { return is_index(x, Attributes::all); });
  return indices ? index(v) : operand(v);
}

void Emitter::block(const Block& b, CBlock& out) {
  for (const Stmt& s : b) std::visit(StatementToC(*this, out), s.node);
}

}  // namespace tenon::emit
