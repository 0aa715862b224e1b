// Finds the condition that masks columns, and follows the masked values through the statements after it.
#include "lower/contraction/chain_limit.h"

#include <map>

#include "algebra/linear.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Whether the expression is the same in every iteration, whatever the data.
bool is_fixed(const Expr& e) { return !has_node<VarRef>(e) && !has_node<Read>(e); }

bool is_lowest(const Expr& e) { return same(e, identity_of(Reducer::Max, e->type)); }

/// `guard and column > last`.
struct Mask {
  Expr guard, column, last;
};
std::optional<Mask> mask_of(const Expr& cond) {
  const auto* a = std::get_if<Apply>(&cond->node);
  if (!a) return std::nullopt;
  if (a->op == ScalarOp::Gt) return Mask{nullptr, a->args[0], a->args[1]};
  if (a->op == ScalarOp::Ge) return Mask{nullptr, a->args[0], a->args[1] - constant_int(1)};
  if (a->op != ScalarOp::And || !is_fixed(a->args[0])) return std::nullopt;
  auto inner = mask_of(a->args[1]);
  if (inner) inner->guard = both(a->args[0], inner->guard);
  return inner;
}

/// The value of a temporary's masked elements, and the dimension of the columns.
struct Masked {
  enum class Value : uint8_t { Lowest, Zero } value;
  size_t dim;
};

class Follower {
 public:
  Follower(const Kernel& k, const LoopVar& row) : k_(k), row_(row) { out_.vars.resize(k.body.size()); }

  std::optional<ChainLimit> run() {
    size_t first = 0;
    while (first < k_.body.size() && !begins(k_.body[first])) ++first;
    if (first == k_.body.size()) return std::nullopt;
    const KernelStatement& mask = k_.body[first];
    out_.vars[first].insert(std::get<VarRef>(mask.index[masked_.at(mask.target).dim]->node).name);
    for (size_t i = first + 1; i < k_.body.size(); ++i)
      if (!follow(i)) return std::nullopt;
    return hide_unread(first) ? std::optional(out_) : std::nullopt;
  }

 private:
  using Value = Masked::Value;

  bool is_temp(int tensor) const { return k_.tensor(tensor).role == Role::Temp; }

  static const LoopVar* find(const std::vector<LoopVar>& vars, const Expr& index) {
    return find_pointer(vars, [&](const LoopVar& v) { return is_variable(index, v.name); });
  }

  static std::optional<size_t> dim_of(const std::vector<Expr>& index, const std::string& var) {
    for (size_t d = 0; d < index.size(); ++d)
      if (is_variable(index[d], var)) return d;
    return std::nullopt;
  }

  /// Whether the statement is select(guard and j > i + n, -inf, …) for each j.
  bool begins(const KernelStatement& s) {
    const auto* choice = std::get_if<Select>(&s.value->node);
    const auto mask = choice && is_lowest(choice->yes) && is_temp(s.target) ? mask_of(choice->cond) : std::nullopt;
    const LoopVar* column = mask ? find(s.loops, mask->column) : nullptr;
    const auto last = column ? affine_in(mask->last, row_.name) : std::nullopt;
    const auto dim = column ? dim_of(s.index, column->name) : std::nullopt;
    if (!last || !dim || !is_fixed(last->rest) || constant_value(last->coefficient).value_or(-1) < 0) return false;
    out_.guard = mask->guard, out_.needed = mask->last + constant_int(1), out_.all = column->extent;
    masked_[s.target] = {Value::Lowest, *dim};
    return true;
  }

  /// Elements that are read only where their readers are limited need not be computed elsewhere: from the last
  /// statement to the first. Whether that saves a sum in front of statement number `first`, the mask.
  bool hide_unread(size_t first) {
    bool hidden = false;
    for (size_t i = k_.body.size(); i-- > 0;) {
      const KernelStatement& s = k_.body[i];
      const LoopVar* column = out_.vars[i].empty() && is_temp(s.target) ? column_of_readers(s) : nullptr;
      if (!column || s.update != Update::Assign) continue;
      out_.vars[i].insert(column->name);
      hidden = hidden || (i < first && std::holds_alternative<Reduce>(s.value->node));
    }
    return hidden;
  }

  /// The loop of `s` over the dimension that every reader of its target indexes with a limited variable; or null.
  const LoopVar* column_of_readers(const KernelStatement& s) const {
    std::optional<size_t> dim;
    bool all = true;
    for (size_t t = 0; t < k_.body.size(); ++t) {
      const auto look = [&](const Expr& e) {
        each_read(e, [&](const Read& r) {
          if (r.tensor != s.target) return;
          std::optional<size_t> at;
          for (const std::string& var : out_.vars[t])
            if (const auto d = dim_of(r.index, var)) at = d;
          all = all && at && at == dim.value_or(*at);
          dim = at;
        });
      };
      look(k_.body[t].value);
      for (const Expr& e : k_.body[t].index) look(e);
      all = all && (!k_.body[t].where || !reads_tensor(k_.body[t].where, s.target));
    }
    const LoopVar* column = all && dim ? find(s.loops, s.index[*dim]) : nullptr;
    return column && same(column->extent, out_.all) ? column : nullptr;
  }

  /// Whether the value is -inf where the columns are masked.
  bool is_low(const Expr& e) const {
    if (is_lowest(e) || is_masked(e, Value::Lowest)) return true;
    const auto* a = std::get_if<Apply>(&e->node);
    return a && a->op == ScalarOp::Sub && is_low(a->args[0]) && !reads_masked(a->args[1]);
  }
  /// Whether it is 0 there, for finite factors.
  bool vanishes(const Expr& e) const {
    if (const auto* c = as_constant(e)) return c->f == 0 && c->i == 0;
    if (is_masked(e, Value::Zero)) return true;
    if (const auto* choice = std::get_if<Select>(&e->node))
      return !reads_masked(choice->cond) && vanishes(choice->yes) && vanishes(choice->no);
    const auto* a = std::get_if<Apply>(&e->node);
    if (!a) return false;
    if (a->op == ScalarOp::Exp || a->op == ScalarOp::ExpBounded) return is_low(a->args[0]);
    if (a->op == ScalarOp::Neg) return vanishes(a->args[0]);
    if (a->op == ScalarOp::Div) return vanishes(a->args[0]) && !reads_masked(a->args[1]);
    return a->op == ScalarOp::Mul && any_of(a->args, [&](const Expr& x) { return vanishes(x); });
  }
  bool is_masked(const Expr& e, Value value) const {
    const auto* r = std::get_if<Read>(&e->node);
    const auto at = r ? masked_.find(r->tensor) : masked_.end();
    return at != masked_.end() && at->second.value == value && is_variable(r->index[at->second.dim], column_);
  }
  bool reads_masked(const Expr& e) const {
    return any_read(e, [&](const Read& r) { return masked_.count(r.tensor) != 0; });
  }

  /// The variable that walks the columns of the masked temps that `e` reads; empty where they do not agree.
  std::string column_of(const Expr& e) const {
    std::string name;
    bool agree = true;
    each_read(e, [&](const Read& r) {
      const auto at = masked_.find(r.tensor);
      const auto* v = at == masked_.end() ? nullptr : std::get_if<VarRef>(&r.index[at->second.dim]->node);
      agree = agree && (at == masked_.end() || (v && (name.empty() || name == v->name)));
      if (v) name = v->name;
    });
    return agree ? name : "";
  }

  bool follow(size_t i) {
    const KernelStatement& s = k_.body[i];
    if (!reads_masked(s.value)) return true;
    column_ = column_of(s.value);
    if (column_.empty() || s.update != Update::Assign) return false;
    out_.vars[i].insert(column_);
    if (const auto* r = std::get_if<Reduce>(&s.value->node)) {
      // Rows that are added to a result add 0 where the columns are masked.
      if (has_loop(r->vars, row_.name) && !has_loop(r->vars, column_)) {
        const LoopVar* column = s.index.empty() ? nullptr : find(s.loops, var_ref(column_));
        return column && same(column->extent, out_.all) && r->op == Reducer::Sum && !r->where && vanishes(r->value);
      }
      const bool one = r->vars.size() == 1 && r->vars[0].name == column_ && same(r->vars[0].extent, out_.all) &&
                       !r->where && r->running.empty();
      return one && ((r->op == Reducer::Max && is_low(r->value)) || (r->op == Reducer::Sum && vanishes(r->value)));
    }
    const auto dim = dim_of(s.index, column_);
    const LoopVar* column = dim ? find(s.loops, s.index[*dim]) : nullptr;
    if (!column || !same(column->extent, out_.all) || !is_temp(s.target) || !(vanishes(s.value) || is_low(s.value)))
      return false;
    masked_[s.target] = {vanishes(s.value) ? Value::Zero : Value::Lowest, *dim};
    return true;
  }

  const Kernel& k_;
  const LoopVar& row_;
  std::map<int, Masked> masked_;
  std::string column_;  ///< of the statement that is looked at
  ChainLimit out_;
};

}  // namespace

bool walks_limited(const std::vector<LoopVar>& vars, const ChainLimit& limit, size_t at) {
  return any_of(vars, [&](const LoopVar& v) { return limit.vars[at].count(v.name) != 0; });
}

KernelStatement limited_to(const Expr& columns, const ChainLimit& limit, size_t at, KernelStatement s) {
  const auto limited = [&](std::vector<LoopVar> vars) {
    for (LoopVar& v : vars)
      if (limit.vars[at].count(v.name)) v.extent = columns;
    return vars;
  };
  s.loops = limited(s.loops);
  if (const auto* r = std::get_if<Reduce>(&s.value->node))
    s.value = reduce_like(*r, limited(r->vars), r->where, r->value, s.value->type);
  return s;
}

std::optional<ChainLimit> find_chain_limit(const Kernel& kernel, const LoopVar& row) {
  return Follower(kernel, row).run();
}

}  // namespace tenon
