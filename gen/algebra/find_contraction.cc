// Recognises contractions: the axes of each factor decide which loops are rows, columns or outer loops.
#include <map>

#include "algebra/contraction.h"
#include "algebra/contraction_value.h"
#include "algebra/normal_fills.h"
#include "support/ranges.h"

namespace tenon {
namespace {

ValueScope scope_with(const Kernel& kernel, const std::vector<LoopVar>& vars) {
  ValueScope scope;
  scope.kernel = &kernel;
  for (const LoopVar& v : vars) scope.vars[v.name] = v_var(v.name);
  return scope;
}

/// The one sum of a value; an epilogue may use it several times.
const ExprNode* only_sum(const Expr& value) {
  Expr found;
  bool alone = true;
  walk(value, [&](const Expr& e) {
    if (!std::holds_alternative<Reduce>(e->node)) return alone;
    alone = alone && (!found || same(found, e)) && !has_node<Reduce>(std::get<Reduce>(e->node).value);
    found = e;
    return false;
  });
  if (!found || !alone) return nullptr;
  const auto& r = std::get<Reduce>(found->node);
  return r.op == Reducer::Sum && !r.where ? found.get() : nullptr;
}

Expr product_of(const std::vector<Expr>& factors) {
  Expr p = factors[0];
  for (size_t i = 1; i < factors.size(); ++i) p = p * factors[i];
  return p;
}

/// One index of a read slides: it depends on `var` and on the depth, as in a convolution.
bool slides(const Expr& e, const std::string& var, const std::vector<LoopVar>& depth) {
  return any_read(e, [&](const Read& r) {
    return any_of(r.index, [&](const Expr& i) { return mentions(i, var) && mentions_any(i, depth); });
  });
}

/// The reads of the epilogue and the target, each as tensor and index.
std::vector<std::pair<int, std::vector<Expr>>> outer_accesses(const Contraction& c) {
  std::vector<std::pair<int, std::vector<Expr>>> out{{c.statement->target, c.statement->index}};
  walk(c.statement->value, [&](const Expr& e) {
    if (std::holds_alternative<Reduce>(e->node)) return false;
    if (const auto* r = std::get_if<Read>(&e->node)) out.emplace_back(r->tensor, r->index);
    return true;
  });
  return out;
}

/// A variable that the epilogue uses other than in the index of a read.
bool used_bare(const Contraction& c, const std::string& var) {
  bool found = false;
  walk(c.statement->value, [&](const Expr& e) {
    if (std::holds_alternative<Reduce>(e->node) || std::holds_alternative<Read>(e->node)) return false;
    if (const auto* v = std::get_if<VarRef>(&e->node)) found = found || v->name == var;
    return !found;
  });
  return found;
}

/// The longest run of `like` ending in its last variable that is one flat index; the others become outer loops.
std::vector<LoopVar> flat_suffix(const Kernel& kernel, const Contraction& c, const std::vector<LoopVar>& like,
                                 const Expr* side) {
  const ValueScope scope = scope_with(kernel, c.statement->loops);
  for (size_t from = 0; from + 1 < like.size(); ++from) {
    const std::vector<LoopVar> vars(like.begin() + static_cast<std::ptrdiff_t>(from), like.end());
    bool flat = flat_outside(kernel, c, vars);
    if (flat && side) {
      const Read* read = plain_read(*side);
      const ValueScope inside = scope_with(kernel, concat(c.statement->loops, c.depth));
      const auto form = read ? offset_form(read->tensor, read->index, concat(vars, c.depth), inside) : std::nullopt;
      flat = form && collapses(*form, vars, inside);
    }
    if (flat) return vars;
  }
  return like.empty() ? like : std::vector<LoopVar>{like.back()};
}

/// The output's variable at unit stride; "" if there is none.
std::string unit_variable(const Kernel& kernel, const KernelStatement& s) {
  const auto form = offset_form(s.target, s.index, s.loops, scope_with(kernel, s.loops));
  if (!form) return "";
  for (const LoopVar& v : s.loops)
    if (constant_value(form->coefficient(v.name)) == 1) return v.name;
  return "";
}

/// Loops of one side alone, the one at unit stride last; loops of one turn do not count.
std::vector<LoopVar> loops_of(const Contraction& c, const Expr& side, const Expr& other, const std::string& unit) {
  std::vector<LoopVar> out;
  for (const LoopVar& v : c.statement->loops)
    if (!is_one(v.extent) && mentions(side, v.name) && !mentions(other, v.name)) out.push_back(v);
  std::stable_partition(out.begin(), out.end(), [&](const LoopVar& v) { return v.name != unit; });
  return out;
}

/// Turns of all loops; 0 where only run time knows.
int64_t turns(const std::vector<LoopVar>& loops) {
  int64_t n = 1;
  for (const LoopVar& v : loops) n *= constant_value(v.extent).value_or(0);
  return n;
}

bool is_byte(const Kernel& kernel, const Read& read) {
  const DType d = kernel.tensor(read.tensor).dtype;
  return d == DType::I8 || d == DType::U8;
}

/// With few adjacent pixels and many constant filters, panels of filters waste less than panels of pixels. Filters of
/// bytes are packed into words at generation time; pixels would have to be packed in every call.
bool better_transposed(const Kernel& kernel, const Contraction& c, const Expr& unit_side, const Expr& other,
                       const std::string& unit) {
  constexpr int64_t panel = 32;
  const Read* weights = plain_read(other);
  if (!weights || kernel.tensor(weights->tensor).role != Role::Constant) return false;
  const int64_t pixels = turns(flat_suffix(kernel, c, loops_of(c, unit_side, other, unit), &unit_side)),
                filters = turns(loops_of(c, other, unit_side, unit));
  const int64_t padded = (pixels + panel - 1) / panel * panel;
  if (is_byte(kernel, *weights) && filters >= panel / 2 && pixels > 1) return true;
  return pixels > 1 && filters >= panel && padded * 10 > pixels * 11;
}

/// Splits the factors into the two sides; false where they do not separate.
bool split_sides(const Kernel& kernel, const std::vector<Expr>& factors, Contraction& c) {
  const std::string unit = unit_variable(kernel, *c.statement);
  if (unit.empty()) return false;
  // Factors that depend on neither rows nor columns, such as the scale of a quantised matrix, go into the panels, where
  // each element is computed once.
  std::vector<Expr> with, without, free;
  for (const Expr& f : factors)
    (mentions(f, unit) ? with : mentions_any(f, c.statement->loops) || has_fill(f) ? without : free).push_back(f);
  if (without.empty()) std::swap(without, free);
  if (with.empty() || without.empty()) return false;
  const Expr unit_side = product_of(with), other = product_of(without);
  c.transposed =
      has_fill(unit_side) || slides(unit_side, unit, c.depth) || better_transposed(kernel, c, unit_side, other, unit);
  c.left = c.transposed ? unit_side : other;
  c.right = c.transposed ? other : unit_side;
  for (const Expr& f : free) c.right = c.right * f;
  return !has_fill(c.right);
}

/// Whether neighbours along `unit` read elements one or two apart, and there are enough of them for vectors.
bool has_dense_lines(const Contraction& c, const std::string& unit) {
  constexpr int64_t kLine = 12;
  const Read* read = plain_read(c.left);
  const auto near = [&](const Expr& index) {
    const auto a = affine_in(index, unit);
    const auto step = a ? constant_value(a->coefficient) : std::nullopt;
    return step && *step >= 0 && *step <= 2;
  };
  return read && all_of(read->index, near) && any_of(c.statement->loops, [&](const LoopVar& v) {
           return v.name == unit && constant_value(v.extent).value_or(0) >= kLine;
         });
}

/// Whether filters fill only a small part of a panel, because they are few or their number is known only at run time.
/// Windows then slide for one filter after another.
bool are_few_filters(const Kernel& kernel, const Contraction& c, const std::vector<LoopVar>& filters,
                     const std::string& unit) {
  if (!c.transposed || filters.size() != 1) return false;
  if (const auto count = constant_value(filters[0].extent))
    return kernel.vectors && *count <= kFewFilters && is_float(c.result) && has_dense_lines(c, unit);
  const auto* n = std::get_if<SizeRef>(&filters[0].extent->node);
  return n &&
         any_of(kernel.sizes, [&](const Size& s) { return s.name == n->name && s.lo < s.hi && s.hi <= kFewFilters; });
}

void assign_axes(const Kernel& kernel, Contraction& c) {
  const std::string unit = unit_variable(kernel, *c.statement);
  const std::vector<LoopVar> row_like = loops_of(c, c.left, c.right, unit);
  std::vector<LoopVar> column_like = loops_of(c, c.right, c.left, unit);
  if (are_few_filters(kernel, c, column_like, unit)) column_like.clear();
  c.rows = c.transposed ? flat_suffix(kernel, c, row_like, nullptr) : row_like;
  if (column_like.empty()) {
    c.rows.clear();
    for (const LoopVar& v : row_like)
      if (v.name == unit || slides(c.left, v.name, c.depth)) c.rows.push_back(v);
  }
  c.columns = flat_suffix(kernel, c, column_like, &c.right);
  for (const LoopVar& v : c.statement->loops) {
    if (has_loop(c.rows, v.name) || has_loop(c.columns, v.name)) continue;
    (mentions(c.right, v.name) ? c.outer_right : c.outer_left).push_back(v);
  }
}

DType accumulator_of(DType result) {
  if (is_signed_int(result)) return bytes_of(result) < 4 ? DType::I32 : result;
  if (is_unsigned_int(result)) return bytes_of(result) < 4 ? DType::U32 : result;
  return result;
}

}  // namespace

Expr has_dense_dim(const Tensor& matrix) {
  const size_t rank = matrix.strides.size();
  const auto is_dense = [&](size_t d) { return apply(ScalarOp::Eq, {matrix.strides[d], constant_int(1)}); };
  return apply(ScalarOp::Or, {is_dense(rank - 1), is_dense(rank - 2)});
}

const Read* plain_read(const Expr& side) {
  if (const auto* r = std::get_if<Read>(&side->node)) return r;
  const auto* a = std::get_if<Apply>(&side->node);
  return a && a->op == ScalarOp::Cast ? std::get_if<Read>(&a->args[0]->node) : nullptr;
}

bool collapses(const AffineForm& form, const std::vector<LoopVar>& vars, const ValueScope& scope) {
  for (size_t i = 0; i + 1 < vars.size(); ++i) {
    const auto extent = lower_value(vars[i + 1].extent, scope);
    if (!extent) return false;
    const Operand stepped = *extent * form.coefficient(vars[i + 1].name);
    if (canonical(stepped) != canonical(form.coefficient(vars[i].name))) return false;
  }
  return true;
}

bool flat_outside(const Kernel& kernel, const Contraction& c, const std::vector<LoopVar>& vars) {
  const std::vector<LoopVar>& loops = c.statement->loops;
  const ValueScope scope = scope_with(kernel, loops);
  for (const auto& [tensor, index] : outer_accesses(c)) {
    const auto form = offset_form(tensor, index, loops, scope);
    if (!form || !collapses(*form, vars, scope)) return false;
  }
  return vars.size() == 1 || none_of(vars, [&](const LoopVar& v) { return used_bare(c, v.name); });
}

std::optional<Contraction> find_contraction(const Kernel& kernel) {
  if (kernel.body.size() != 1 || !kernel.checks.empty()) return std::nullopt;
  Contraction c;
  c.statement = &kernel.body[0];
  if (c.statement->update != Update::Assign || c.statement->loops.empty() || is_in_recurrence(*c.statement))
    return std::nullopt;
  c.sum = only_sum(c.statement->value);
  if (!c.sum || (!is_int(c.sum->type) && c.sum->type != DType::F32 && c.sum->type != DType::F64)) return std::nullopt;
  const auto& r = std::get<Reduce>(c.sum->node);
  c.result = c.sum->type;
  c.accumulator = accumulator_of(c.result);
  std::map<std::string, Expr> single;  // depth indices that can only be 0
  for (const LoopVar& v : r.vars) {
    if (is_one(v.extent)) single[v.name] = constant_int(0);
    else c.depth.push_back(v);
  }
  std::vector<LoopVar> vars = concat(c.statement->loops, c.depth);
  std::vector<Expr> factors;
  collect_factors(r.value, factors);
  for (Expr& f : factors) f = normal_fills(kernel, substitute(f, single), vars);
  if (!split_sides(kernel, factors, c)) return std::nullopt;
  assign_axes(kernel, c);
  if (c.columns.empty() ? !c.transposed || c.rows.empty() : c.transposed && c.rows.empty()) return std::nullopt;
  return c;
}

}  // namespace tenon
