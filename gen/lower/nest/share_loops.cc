// Walks a nest from the outside in, and proves of each loop that its iterations do not depend on each other.

#include <map>
#include <optional>
#include <set>

#include "algebra/nest_survey.h"
#include "algebra/separate_iterations.h"
#include "lower/nest/nest_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int kDeepest = 4;  ///< loops inside each other that may be shared: one of them will have enough iterations

/// A loop or a branch on the way to a statement, and the names declared in front of it.
struct Around {
  Block declared;
  Stmt of;
  bool then = false;  ///< of a branch: the way leads through it where its condition holds
};

/// Facts that hold at a statement.
struct Facts {
  std::vector<Around> around;                ///< from the outside in
  Block declared;                            ///< names, in front of the statement
  std::map<std::string, OperandType> types;  ///< of all names
  std::set<int> others;                      ///< buffers that other statements on the way to it use
  int depth = 0;                             ///< shared loops around it
  bool repeated = false;                     ///< inside of a loop that is not shared
};

/// A name whose value is passed to the function of a loop.
bool may_travel(const OperandType& type) {
  return type.lanes == 1 && (is_integral(type.dtype) || type.dtype == DType::F32 || type.dtype == DType::F64);
}

bool has_loops(const Block& block) {
  return any_of(block, [](const Stmt& s) {
    bool found = std::holds_alternative<SFor>(s.node) || std::holds_alternative<SCall>(s.node);
    each_block(s, [&](const Block& inside) { found = found || has_loops(inside); });
    return found;
  });
}

Block serial(const Block& block) {
  Block out = block;
  for (Stmt& s : out) {
    if (auto* loop = std::get_if<SFor>(&s.node); loop && loop->kind == LoopKind::Parallel)
      loop->kind = LoopKind::Serial;
    map_blocks(s, [](const Block& inside) { return serial(inside); });
  }
  return out;
}

/// The same loop from 0 in steps of 1.
SFor counted(const SFor& loop) {
  if (constant_value(loop.begin) == 0 && loop.step == 1) return loop;
  const Operand span = loop.end - loop.begin,
                turns = loop.step == 1 ? span
                                       : v_apply(ScalarOp::FloorDiv, {span + v_int(loop.step - 1), v_int(loop.step)});
  const std::string unit = loop.var + "_unit";
  Block body{s_let(loop.var, loop.begin + v_var(unit) * v_int(loop.step))};
  append(body, *loop.body);
  SFor out{unit, v_int(0), turns, 1, loop.kind, std::make_shared<const Block>(std::move(body))};
  return out;
}

/// The buffers that each statement uses.
std::vector<std::set<int>> buffers_of(const Block& block) {
  std::vector<std::set<int>> out;
  for (const Stmt& s : block) {
    NestSurvey used;
    used.add(s);
    out.push_back(std::move(used.buffers));
  }
  return out;
}

/// Whether an extent is this size, or a product with it.
bool is_multiple_of(const Expr& extent, const std::string& name) {
  const auto* size = std::get_if<SizeRef>(&extent->node);
  const auto* product = std::get_if<Apply>(&extent->node);
  return (size && size->name == name) ||
         (product && product->op == ScalarOp::Mul &&
          any_of(product->args, [&](const Expr& e) { return is_multiple_of(e, name); }));
}

/// A call whose outputs have no elements runs no kernel: their extents are at least 1 where they do not depend on data.
Kernel with_elements(Kernel kernel) {
  for (Size& size : kernel.sizes)
    if (all_of(kernel.tensors, [&](const Tensor& t) {
          return t.role != Role::Output ||
                 any_of(t.dims, [&](const Expr& dim) { return is_multiple_of(dim, size.name); });
        }))
      size.lo = std::max<int64_t>(size.lo, 1);
  return kernel;
}

class LoopSharing {
 public:
  explicit LoopSharing(LoopNest nest) : nest_(std::move(nest)), trial_(nest_) {
    trial_.kernel = std::make_shared<const Kernel>(with_elements(*nest_.kernel));
  }

  LoopNest run() {
    nest_.body = block(nest_.body, {});
    for (InnerFunction& f : nest_.functions) f.body = serial(f.body);
    return std::move(nest_);
  }

 private:
  LoopNest nest_;
  LoopNest trial_;  ///< one loop, for its proof

  Block block(const Block& from, Facts at) {
    const std::vector<std::set<int>> used = buffers_of(from);
    const std::set<int> others = at.others;
    Block out;
    for (size_t i = 0; i < from.size(); ++i) {
      at.others = others;
      for (size_t j = 0; j < from.size(); ++j)
        if (j != i) at.others.insert(used[j].begin(), used[j].end());
      out.push_back(statement(from[i], at));
      note(from[i], at);
    }
    return out;
  }

  static void note(const Stmt& s, Facts& at) {
    if (const auto* let = std::get_if<SLet>(&s.node)) {
      at.declared.push_back(s);
      at.types[let->name] = let->value->type;
    }
    if (const auto* var = std::get_if<SVar>(&s.node)) at.types[var->name] = var->init->type;
  }

  Stmt statement(const Stmt& s, const Facts& at) {
    if (const auto* branch = std::get_if<SIf>(&s.node)) {
      SIf out{branch->cond, std::make_shared<const Block>(block(*branch->then, within(at, s, true))), nullptr};
      if (branch->otherwise)
        out.otherwise = std::make_shared<const Block>(block(*branch->otherwise, within(at, s, false)));
      return {std::move(out)};
    }
    const auto* loop = std::get_if<SFor>(&s.node);
    return loop && loop->kind != LoopKind::Unrolled ? Stmt{this->loop(*loop, at)} : s;
  }

  static Facts within(const Facts& at, Stmt of, bool then) {
    Facts inside = at;
    inside.around.push_back({at.declared, std::move(of), then});
    inside.declared.clear();
    return inside;
  }

  SFor loop(const SFor& from, const Facts& at) {
    auto shared = as_shared(from, at);
    SFor out = shared ? *std::move(shared) : from;
    const bool is_shared = out.kind == LoopKind::Parallel && shared.has_value();
    if (!is_shared) out.kind = LoopKind::Serial;
    Facts inside = within(at, {out}, false);
    inside.types[out.var] = {};
    if (is_shared) ++inside.depth;
    else inside.repeated = true;
    out.body = std::make_shared<const Block>(block(*out.body, std::move(inside)));
    return out;
  }

  /// The loop as one that workers share, where they may.
  std::optional<SFor> as_shared(const SFor& from, const Facts& at) {
    const bool marked = from.kind == LoopKind::Parallel;
    if (from.step <= 0 || at.depth >= kDeepest || (!marked && at.repeated)) return std::nullopt;
    if (at.depth > 0 && !has_loops(*from.body)) return std::nullopt;
    SFor loop = counted(from);
    loop.kind = LoopKind::Parallel;
    if (constant_value(loop.end).value_or(2) < 2) return std::nullopt;
    NestSurvey used;
    used.add_loop(loop);
    if (may_fail(*loop.body, nest_.functions) || used.buffers.empty() || !used.assigned.empty()) return std::nullopt;
    for (const std::string& name : used.vars)
      if (!may_travel(at.types.at(name))) return std::nullopt;
    for (const int b : used.buffers) {
      const Storage storage = nest_.buffers[static_cast<size_t>(b)].storage;
      const bool alone = !at.others.count(b);
      // the next iteration of an unmarked loop may read what the loop left in memory
      if ((storage == Storage::Stack && !alone) || (storage != Storage::Tensor && !marked)) return std::nullopt;
      if (storage == Storage::Workspace && alone) loop.own.push_back(b);
    }
    if (!is_proved(loop, at)) return std::nullopt;
    for (const int b : loop.own) nest_.buffers[static_cast<size_t>(b)].per_worker = true;
    return loop;
  }

  /// The declarations that a statement needs, and the statement.
  static Block with_declared(const Block& declared, Stmt s) {
    NestSurvey used;
    used.add(s);
    Block out{std::move(s)};
    for (size_t i = declared.size(); i-- > 0;) {
      const auto& let = std::get<SLet>(declared[i].node);
      if (!used.vars.erase(let.name)) continue;
      used.add(let.value);
      out.push_back(declared[i]);
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  /// A loop or branch on the way that has nothing else in it.
  static Stmt around(const Around& a, Block inside) {
    auto body = std::make_shared<const Block>(std::move(inside));
    if (const auto* branch = std::get_if<SIf>(&a.of.node)) {
      const auto nothing = std::make_shared<const Block>();
      return {a.then ? SIf{branch->cond, body, nullptr} : SIf{branch->cond, nothing, body}};
    }
    SFor loop = std::get<SFor>(a.of.node);
    loop.kind = LoopKind::Serial;
    loop.body = std::move(body);
    return {std::move(loop)};
  }

  bool is_proved(const SFor& loop, const Facts& at) {
    Block body = with_declared(at.declared, {loop});
    for (size_t i = at.around.size(); i-- > 0;)
      body = with_declared(at.around[i].declared, around(at.around[i], std::move(body)));
    trial_.body = std::move(body);
    for (size_t b = 0; b < trial_.buffers.size(); ++b)
      trial_.buffers[b].per_worker = contains(loop.own, static_cast<int>(b));
    return find_shared_writes(trial_, {}).empty();
  }
};

}  // namespace

LoopNest share_loops(LoopNest nest) { return LoopSharing(std::move(nest)).run(); }

}  // namespace tenon
