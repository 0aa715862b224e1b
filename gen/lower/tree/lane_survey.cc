// Surveys a loop: every value that differs between iterations must have a vector form.
#include "lower/tree/lane_survey.h"

#include <algorithm>

#include "algebra/simplify.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/tree/random_run.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Distances between lanes that shuffles or a few loads still bridge.
constexpr int64_t kNearStride = 4;

/// Division of integers by a constant power of two is a shift.
bool by_power_of_two(const Apply& a) {
  const auto divisor = constant_value(a.args[1]);
  return divisor && *divisor > 0 && (*divisor & (*divisor - 1)) == 0;
}

/// Operations that do not gain from vectors, or have no vector form.
bool stays_scalar(const Apply& a, DType type) {
  switch (a.op) {
    case ScalarOp::Complex:
    case ScalarOp::Arg:
    case ScalarOp::Nextafter: return true;
    case ScalarOp::FloorDiv: return !is_int(type) || !by_power_of_two(a);
    case ScalarOp::Mod: return !is_float(type) && !by_power_of_two(a);
    case ScalarOp::Pow: return !is_float(type);
    default: return false;
  }
}

/// A product of integers of 64 bits, for which few levels have an instruction.
bool is_wide_product(const Apply& a, DType type) {
  return a.op == ScalarOp::Mul && bytes_of(type) == 8 && is_int(type);
}

}  // namespace

LaneSurvey::LaneSurvey(const SurveyedKernel& of, const TreeLoop& loop, const std::vector<TempPlace>& places)
    : k_(of.kernel),
      isa_(of.isa),
      tree_(of.tree),
      var_(loop.var.name),
      interior_(loop.interior),
      scalars_(loop.shape.lanes == 1),
      from_zero_(!loop.begin),
      ranges_(of.ranges),
      places_(places) {
  ranges_.extents[var_] = loop.var.extent;
  this->tree(loop.body);
}

void LaneSurvey::tree(const Tree& t) {
  for (const TreeNode& n : t) {
    if (!possible_) return;
    if (const auto* l = std::get_if<TreeLoop>(&n.node)) {
      has_loops_ = true;
      if (varies(l->var.extent) || varies(l->begin) || varies(l->end)) refuse();
      ranges_.extents[l->var.name] = l->var.extent;
      tree(l->body);
    } else if (const auto* d = std::get_if<TreeDefine>(&n.node)) {
      define(*d);
    } else if (const auto* b = std::get_if<TreeBegin>(&n.node)) {
      if (b->start) value(b->start);
      begun_.insert(b->accumulator);
      varying_accumulators_.insert(accumulator_name(b->accumulator));
    } else if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) {
      accumulate(*a);
    }
  }
}

bool LaneSurvey::varies(const Expr& e) {
  if (!e) return false;
  if (const auto* v = std::get_if<VarRef>(&e->node))
    return v->name == var_ || varying_accumulators_.count(v->name) != 0;
  if (is_leaf(e)) return false;
  if (const auto* known = varies_.find(e.get())) return known->second;
  const auto* r = std::get_if<Read>(&e->node);
  bool result = r && varying_temps_.count(r->tensor) != 0 && !places_[static_cast<size_t>(r->tensor)].stored;
  each_child(e, [&](const Expr& c) { result = result || varies(c); });
  varies_[e.get()] = {e, result};
  return result;
}

std::optional<Expr> LaneSurvey::stride(int tensor, const std::vector<Expr>& index) {
  Expr total = constant_int(0);
  for (size_t d = 0; d < index.size(); ++d) {
    if (!varies(index[d])) continue;
    const auto a = affine_in(index[d], var_);
    if (!a || varies(a->rest) || varies(a->coefficient)) return std::nullopt;
    total = total + a->coefficient * places_[static_cast<size_t>(tensor)].strides[d];
  }
  return simplify(total, ranges_);
}

void LaneSurvey::define(const TreeDefine& d) {
  if (d.where) return refuse();
  value(d.value);
  const TempPlace& place = places_[static_cast<size_t>(d.tensor)];
  if (!place.stored) {
    varying_temps_.insert(d.tensor);
    varies_.clear();
    return;
  }
  const auto s = stride(d.tensor, d.index);
  if ((!s || !is_one(*s)) && !scalars_) return refuse();
  if (d.update == Update::Last) return refuse();
  neighbours_ += 1;
  const DType storage = k_.tensor(d.tensor).dtype;
  widest_ = std::max(widest_, bytes_of(storage));
  if (is_integral(storage)) narrowest_ = std::min(narrowest_, bytes_of(storage));
  if (is_complex(k_.tensor(d.tensor).dtype)) {
    complex_ = true;
    if (scalars_ || d.update != Update::Assign) refuse();
  }
  if (d.update == Update::Assign) varying_temps_.insert(d.tensor);
}

void LaneSurvey::accumulate(const TreeAccumulate& a) {
  const Accumulator& acc = tree_.accumulators[static_cast<size_t>(a.accumulator)];
  const bool argument = is_positional(acc.op);
  const DType type = argument ? acc.compared : acc.type;
  if (is_complex(type)) {
    complex_ = true;
    if (scalars_ || acc.op != Reducer::Sum) return refuse();
  }
  if (a.where) value(a.where);
  // What is the same in all lanes is read where the condition holds in one of them.
  const auto differs = [&](const Expr& x) { return varies(x); };
  if (a.where && varies(a.where) && !defined_by_facts(k_, a.value, ranges_, differs)) return refuse();
  value(a.value);
  if (type != DType::Bool) widest_ = std::max(widest_, bytes_of(type));
  if (argument) widest_ = std::max(widest_, 4);
  if (begun_.count(a.accumulator)) return;
  reduced_.insert(a.accumulator);
  if (acc.op == Reducer::Fold) return refuse();  // strictly in order
  const bool ordered = acc.op == Reducer::Sum || acc.op == Reducer::Prod;
  if (ordered && (is_float(type) || is_complex(type)) && !k_.reassociate) refuse();
  if (!argument) return;
  const auto step = affine_in(a.position, var_);
  if (!step || !is_one(simplify(step->coefficient, ranges_))) refuse();
}

void LaneSurvey::value(const Expr& e) {
  if (!possible_ || !varies(e) || std::exchange(seen_[e.get()], true)) return;
  computes_complex_ = computes_complex_ || (is_complex(e->type) && std::holds_alternative<Apply>(e->node));
  if (is_complex(e->type) && !has_complex_form(e)) return refuse();
  if (e->type != DType::Bool) widest_ = std::max(widest_, bytes_of(e->type));
  if (const auto* r = std::get_if<Read>(&e->node)) return read(e, *r);
  if (const auto* a = std::get_if<Apply>(&e->node)) return apply(e, *a);
  if (const auto* s = std::get_if<Select>(&e->node)) return select(*s);
  if (std::holds_alternative<Reduce>(e->node)) refuse();
}

/// Vectors of complex numbers are interleaved: operations that need no other order have a vector form.
bool LaneSurvey::has_complex_form(const Expr& e) {
  if (scalars_) return false;
  if (std::holds_alternative<VarRef>(e->node)) return true;  // an accumulator
  if (const auto* r = std::get_if<Read>(&e->node)) {
    const auto s = r->fill ? std::nullopt : stride(r->tensor, r->index);
    return s && constant_value(*s).value_or(1) == 1;
  }
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a || any_of(a->args, [&](const Expr& x) { return x->type != e->type; })) return false;
  switch (a->op) {
    case ScalarOp::Add:
    case ScalarOp::Sub:
    case ScalarOp::Mul:
    case ScalarOp::Sq:
    case ScalarOp::Neg:
    case ScalarOp::Conj: return true;
    default: return false;
  }
}

void LaneSurvey::read(const Expr& e, const Read& r) {
  if (!places_[static_cast<size_t>(r.tensor)].stored) return;
  const IndexInLoop in_loop{r.index, places_[static_cast<size_t>(r.tensor)].strides, var_};
  const auto differs = [&](const Expr& x) { return varies(x); };
  if (!r.fill && from_zero_ && !scalars_) {
    const auto turns = takes_turns(in_loop, differs, ranges_);
    if (turns) turns_ = std::max(turns_, turns->count);
    if (turns || repeats(in_loop, differs, ranges_)) {
      ++strided_;
      return;
    }
  }
  const auto s = stride(r.tensor, r.index);
  const auto c = s ? constant_value(*s) : std::nullopt;
  if (!s && !scalars_) return refuse();
  const bool near = c && *c >= -1 && *c <= kNearStride;
  far_ = far_ || (!near && !scalars_);
  if (c != 0) (c == 1 || c == -1 ? neighbours_ : strided_) += 1;
  if (!r.fill) return;
  value(r.fill);
  for (size_t d = 0; d < r.index.size(); ++d) {
    const bool inside = proves_not_negative(linear_form(r.index[d]), ranges_) &&
                        proves_lt(r.index[d], k_.tensor(r.tensor).dims[d], ranges_);
    if (varies(r.index[d]) && !inside && !interior_) return refuse();
  }
  (void)e;
}

/// Whether it is a product of elements, for which the level has an instruction, or of random bits, which come in
/// vectors. Products of indices and sizes are few and stay scalar.
bool LaneSurvey::has_wide_products(const Expr& e) const {
  const auto draws = [](const Expr& n) {
    const auto* a = std::get_if<Apply>(&n->node);
    return a && a->op == ScalarOp::Philox;
  };
  if (any_node(e, draws)) return true;
  return has_node<Read>(e) && isa_.row(scalar_op_row(ScalarOp::Mul).name, e->type, isa_.lanes(e->type));
}

void LaneSurvey::apply(const Expr& e, const Apply& a) {
  const auto differs = [&](const Expr& x) { return varies(x); };
  const bool decides = a.op == ScalarOp::And || a.op == ScalarOp::Or;  // whether the second operand is evaluated
  if (decides && varies(a.args[0]) && !defined_by_facts(k_, a.args[1], ranges_)) return refuse();
  if (a.op == ScalarOp::Philox && find_random_run(a, var_, differs)) {
    ++operations_, ++costly_, ++draws_;
    return;
  }
  if (find_compared_number(a, var_, differs)) {
    ++operations_;
    return;
  }
  // halves of complex numbers are strided
  if (!is_complex(e->type) && any_of(a.args, [](const Expr& x) { return is_complex(x->type); })) return refuse();
  const bool alone = stays_scalar(a, e->type) || (is_wide_product(a, e->type) && !has_wide_products(e));
  if (alone && !scalars_) return refuse();
  operations_ += a.op == ScalarOp::Cast ? 0 : 1;
  if (scalar_op_row(a.op).has('M') || a.op == ScalarOp::Philox || (a.op == ScalarOp::Mod && is_float(e->type)))
    ++costly_;
  for (const Expr& x : a.args) value(x);
}

void LaneSurvey::select(const Select& s) {
  ++operations_;
  value(s.cond);
  if (varies(s.cond) && !(always_defined(k_, s.yes, ranges_) && always_defined(k_, s.no, ranges_))) return refuse();
  value(s.yes);
  value(s.no);
}

namespace {

/// The power of two above 1 by which an index divides the variable, with the operation.
std::optional<int64_t> divisor_of(const Expr& index, ScalarOp op, const std::string& variable) {
  const auto* a = std::get_if<Apply>(&index->node);
  if (!a || a->op != op || !is_variable(a->args[0], variable)) return std::nullopt;
  const auto by = constant_value(a->args[1]);
  return by && *by > 1 && (*by & (*by - 1)) == 0 ? by : std::nullopt;
}

}  // namespace

std::optional<int64_t> repeats(const IndexInLoop& read, FunctionRef<bool(const Expr&)> varies, const Ranges& ranges) {
  std::optional<int64_t> found;
  for (size_t d = 0; d < read.index.size(); ++d) {
    if (!varies(read.index[d])) continue;
    const auto by = found ? std::nullopt : divisor_of(read.index[d], ScalarOp::FloorDiv, read.var);
    if (!by || !is_one(simplify(read.strides[d], ranges))) return std::nullopt;
    found = by;
  }
  return found;
}

std::optional<Turns> takes_turns(const IndexInLoop& read, FunctionRef<bool(const Expr&)> varies, const Ranges& ranges) {
  std::optional<int64_t> runs, within;
  Expr step;
  for (size_t d = 0; d < read.index.size(); ++d) {
    if (!varies(read.index[d])) continue;
    if (const auto by = divisor_of(read.index[d], ScalarOp::Mod, read.var); by && !runs) {
      runs = by, step = read.strides[d];
    } else {
      within = within ? std::nullopt : divisor_of(read.index[d], ScalarOp::FloorDiv, read.var);
      if (!within || !is_one(simplify(read.strides[d], ranges))) return std::nullopt;
    }
  }
  return runs && runs == within ? std::optional(Turns{*runs, step}) : std::nullopt;
}

}  // namespace tenon
