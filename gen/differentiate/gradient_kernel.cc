// The gradient of a kernel: statements in reverse.
#include "differentiate/gradient_kernel.h"

#include <set>

#include "algebra/simplify.h"
#include "differentiate/active_tensors.h"
#include "differentiate/fresh_loops.h"
#include "differentiate/gather_form.h"
#include "differentiate/gradient_steps.h"
#include "ir/kernel/stated_derivative.h"
#include "ir/kernel/statement_parts.h"
#include "support/check.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class Differentiator {
 public:
  Differentiator(const Kernel& forward, const GradientRequest& request, const DerivativeTable& rows)
      : k_(forward), active_(k_), request_(request), rows_(rows), names_(forward) {}

  GradientKernel run() {
    if (k_.call) return {std::nullopt, "it is written as a C template"};
    steps_ = join_parts(k_);
    names_ = FreshNames(k_);
    for (const FoundSize& f : steps_.found) names_(f.name);
    make_outputs_temps();
    find_active();
    split_updates(
        k_, steps_, [&](const KernelStatement& s) { return combines_otherwise(s) || overwrites(s); }, names_);
    find_active();
    refuse_overwritten();
    refuse_template_values();
    divide_first(
        k_, [this](const Expr& e) { return depends(e); }, names_);
    if (why_.empty() && !name_reductions(
                            k_, [&](const KernelStatement& s) { return reads_active(s); }, names_))
      why_ = "the size of one of its reductions depends on where it is";
    find_active();
    const std::vector<KernelStatement> forward = k_.body;
    left_out_ = left_out(forward);
    for (size_t end = forward.size(); end > 0 && why_.empty();) {
      size_t begin = end - 1;
      while (begin > 0 && forward[begin].joined > 0) --begin;
      if (is_in_recurrence(forward[end - 1])) reverse_recurrence({forward.begin() + begin, forward.begin() + end});
      else reverse(forward[begin], begin > 0 ? &forward[begin - 1] : nullptr);
      end = begin;
    }
    for (const WantedGradient& w : request_.wanted)
      if (why_.empty()) finish(w.wrt);
    if (!why_.empty()) return {std::nullopt, why_};
    if (!request_.keeps_marks)
      for (KernelStatement& s : k_.body) s.value = without_marks(s.value);
    share_reductions(k_, names_);
    keep_needed(k_, mapped(request_.wanted, &WantedGradient::result), steps_);
    place_steps(k_, steps_);
    cut_into_parts(steps_, k_);
    return {std::move(k_), ""};
  }

 private:
  void make_outputs_temps() {
    for (size_t t = 0; t < k_.tensors.size(); ++t) {
      if (k_.tensors[t].role != Role::Output || is_result(static_cast<int>(t))) continue;
      k_.tensors[t].role = Role::Temp;
      k_.tensors[t].extent.clear();
    }
  }

  bool is_result(int tensor) const {
    return any_of(request_.wanted, [&](const WantedGradient& w) { return w.result == tensor; });
  }

  /// Null for tensors whose gradients are not results.
  const WantedGradient* wanted_for(int tensor) const {
    const auto at = find_if(request_.wanted, [&](const WantedGradient& w) { return w.wrt == tensor; });
    return at == request_.wanted.end() ? nullptr : &*at;
  }

  bool is_active(int tensor) const { return active_.has(tensor); }
  bool depends(const Expr& e) const { return active_.depends(e); }
  bool reads_active(const KernelStatement& s) const { return active_.depends(s.value); }
  void find_active() { active_.find(mapped(request_.wanted, &WantedGradient::wrt)); }

  bool combines_otherwise(const KernelStatement& s) const {
    return is_active(s.target) && s.update != Update::Add && s.update != Update::Last;
  }

  /// A tensor that is overwritten after it was read has two values: gradients of both, if it is active, and otherwise
  /// the earlier one for the gradients of what read it.
  bool overwrites(const KernelStatement& update) const {
    for (const KernelStatement& s : k_.body) {
      if (&s == &update) return false;
      if (reads_tensor(s, update.target)) return true;
    }
    return false;
  }

  /// Statements after a template's call express what it computes from active values; without them there is no gradient.
  void refuse_template_values() {
    for (const BodySteps::Call& c : steps_.calls) {
      const std::set<int> in = read_by(c.call), out = written_by(c.call);
      if (none_of(in, [&](int t) { return is_active(t); })) continue;
      for (const int t : out)
        if (has_derivative(k_.tensor(t).dtype) && (cotangent_of(t) >= 0 || is_read(t)))
          why_ = fmt::format("templates/c/{}.c.in does not say which elements its values are", c.call.frame->name);
    }
  }

  bool is_read(int tensor) const {
    return any_of(k_.body, [&](const KernelStatement& s) { return reads_tensor(s.value, tensor); });
  }

  void refuse_overwritten() {
    for (const KernelStatement& s : k_.body)
      if (!is_in_recurrence(s) && is_active(s.target) && (overwrites(s) || reads_tensor(s, s.target)))
        why_ = "it reads what it writes";
  }

  void reverse(const KernelStatement& s, const KernelStatement* copy) {
    const bool replaces = s.update != Update::Assign && s.update != Update::Add;
    if (!is_active(s.target) || (!reads_active(s) && !replaces)) return;
    const Adjoint* adjoint = adjoint_of(s.target);
    if (adjoint && replaces) reverse_update(s, *adjoint, copy);
    else if (adjoint) hand_on(s, *adjoint);
  }

  /// From here on, going backwards, the target has the value before the update.
  void reverse_update(const KernelStatement& s, Adjoint adjoint, const KernelStatement* copy) {
    UpdateAdjoint known{loops_of(s.target), [&](const std::vector<Expr>& at) { return adjoint.at(at); }};
    Expr before;
    if (s.update != Update::Last) {
      const auto& read = std::get<Read>(copy->value->node);
      before = read_of(read.tensor, copy->value->type, var_refs(known.element));
    }
    const UpdateGradient made = update_gradient(k_, s, before, known, names_);
    if (reads_active(s)) hand_on(s, made.combined);
    adjoints_[s.target] = {names_of(known.element), made.before};
  }

  /// The gradient of what a choice leaves out is 0. Once that is stored the choice is no longer visible, and the value
  /// 0 itself must cancel a derivative that may be infinite.
  void hand_on(const KernelStatement& s, const Adjoint& adjoint) {
    const Expr given = adjoint.at(s.index);
    if (const auto inside = inside_read(given, s.where, k_.tensors); inside && !has_poles(s.value)) {
      KernelStatement everywhere = s;
      everywhere.where = inside->where;
      return hand_on(everywhere, inside->value);
    }
    const bool is_stored = std::holds_alternative<Read>(given->node) && left_out_.contains(s.target);
    if (!is_stored || !has_poles(s.value)) return hand_on(s, given);
    const Expr zero = constant_float(0, given->type);
    hand_on(s, select(apply(ScalarOp::Ne, {given, zero}), given, zero));
  }
  void hand_on(const KernelStatement& s, const Expr& adjoint) {
    BackPropagation back(
        k_, rows_, [this](int t) { return is_active(t); }, names_);
    back.keeps_variables = is_in_recurrence(s);
    back.run(s.value, adjoint, undirected(s.loops), s.where);
    why_ = back.why;
    append(k_.body, std::move(back.positions));
    elements_.merge(back.elements);
    for (Contribution& c : back.contributions) {
      if (is_kept(s)) c.value = with_stored(c.value, s.value, read_of(s.target, s.value->type, s.index));
      if (!request_.keeps_marks) c.value = without_marks(c.value);
      contributions_[c.tensor].push_back(with_condition(std::move(c)));
    }
  }

  /// Whether the target has the value of the statement at the end.
  bool is_kept(const KernelStatement& s) const {
    return s.update == Update::Assign && !s.where && k_.tensor(s.target).dtype == s.value->type &&
           count_if(k_.body, [&](const KernelStatement& o) { return o.target == s.target; }) == 1;
  }

  /// Null where no gradient that is asked for depends on the tensor.
  const Adjoint* adjoint_of(int tensor) {
    if (const auto* known = find_value(adjoints_, tensor)) return known;
    finish(tensor);
    return find_value(adjoints_, tensor);
  }

  int cotangent_of(int tensor) const {
    for (const auto& [output, cotangent] : request_.cotangents)
      if (output == tensor) return cotangent;
    return -1;
  }

  /// The state of a gradient: a value, null for 0, and terms still to be added.
  struct Collected {
    Expr value;
    std::vector<Contribution> scattered;
  };

  /// The statements of a recurrence, one alone or joined ones. Their gradient is a recurrence that runs the other way,
  /// from the last statement to the first: an element reads gradients of elements that were made from it.
  void reverse_recurrence(std::vector<KernelStatement> group) {
    for (size_t i = group.size(); i-- > 0;)
      if (!is_active(group[i].target)) erase_statement(group, i);
    std::map<int, GatherTarget> targets;
    std::map<int, Expr> outside;  // gradients from after the recurrence
    FreshLoops fresh(names_);
    bool used = false;
    for (const KernelStatement& s : group) {
      const GatherTarget target{fresh.of_dims(s), std::vector<Expr>(s.index.size()), k_.tensor(s.target).dims};
      if (target.loops.size() != s.loops.size()) why_ = "a recurrence of it is not over all dims of its result";
      Collected known = collect(s.target, target);
      used = used || known.value || !known.scattered.empty();
      outside[s.target] = outside_of(s.target, target, known);
      targets[s.target] = target;
    }
    if (!why_.empty() || !used) return;
    for (const KernelStatement& s : group) adjoints_[s.target] = new_adjoint(s.target, targets.at(s.target));
    for (size_t i = group.size(); i-- > 0 && why_.empty();)
      if (reads_active(group[i])) hand_on(group[i], adjoints_.at(group[i].target));
    for (size_t i = group.size(); i-- > 0 && why_.empty();) {
      const KernelStatement& s = group[i];
      Expr value = outside.at(s.target);
      for (Contribution& c : contributions_[s.target]) {
        // An index without an inverse is searched for among all values, because an update has no place in the
        // recurrence.
        GatherFacts known = facts();
        known.searches = true;
        const auto sum = gather_form(c, targets.at(s.target), known, names_);
        TENON_CHECK(sum, "{}: a search ends", k_.name);
        value = value ? apply(ScalarOp::Add, {value, *sum}) : *sum;
      }
      add_recurrent(s, fresh.reversed(s.loops), value, i + 1 < group.size() ? group[i + 1].joined : 0);
    }
  }

  Expr outside_of(int tensor, const GatherTarget& target, const Collected& known) {
    if (known.scattered.empty()) return known.value;
    Adjoint stored{names_of(target), known.value ? known.value : constant_float(0, compute_type(tensor))};
    store(tensor, target, known.scattered, stored);
    contributions_[tensor].clear();
    return stored.value;
  }

  Adjoint new_adjoint(int tensor, const GatherTarget& target) {
    Adjoint out{names_of(target), nullptr};
    const int made = new_temp(tensor, target);
    out.value = read_of(made, k_.tensor(made).dtype, var_refs(target.loops));
    contributions_[tensor].clear();
    return out;
  }

  void add_recurrent(const KernelStatement& s, std::vector<LoopVar> loops, const Expr& value, size_t joined) {
    if (!why_.empty()) return;
    const auto& made = std::get<Read>(adjoints_.at(s.target).value->node);
    add_statement(made.tensor, made.index, Update::Assign, value ? value : constant_float(0, compute_type(s.target)),
                  loops);
    k_.body.back().joined = joined;
  }

  DType compute_type(int tensor) const { return compute_of(k_.tensor(tensor).dtype); }

  static std::vector<std::string> names_of(const GatherTarget& target) { return names_of(target.loops); }
  static std::vector<std::string> names_of(const std::vector<LoopVar>& loops) { return mapped(loops, &LoopVar::name); }

  Collected collect(int tensor, const GatherTarget& target) {
    Collected out;
    if (const int c = cotangent_of(tensor); c >= 0)
      out.value = cast_to(read_of(c, k_.tensor(c).dtype, var_refs(target.loops)), compute_type(tensor));
    for (Contribution& c : contributions_[tensor]) {
      const auto sum = gather_form(c, target, facts(), names_);
      if (sum) out.value = out.value ? apply(ScalarOp::Add, {out.value, *sum}) : *sum;
      else out.scattered.push_back(std::move(c));
    }
    contributions_[tensor].clear();
    return out;
  }

  /// All readers of the tensor have been processed: its gradient becomes a value, or statements.
  void finish(int tensor) {
    const Tensor t = k_.tensor(tensor);
    const WantedGradient* const wanted = wanted_for(tensor);
    GatherTarget target{loops_of(tensor, wanted), std::vector<Expr>(t.dims.size()), t.dims};
    if (wanted) target.repeats = wanted->repeats;
    Collected known = collect(tensor, target);
    if (!known.value && known.scattered.empty() && !wanted) return;
    Adjoint out{names_of(target), known.value ? known.value : constant_float(0, compute_of(t.dtype))};
    if (wanted || !known.scattered.empty()) store(tensor, target, known.scattered, out);
    else if (!is_cheap(out.value)) store_chosen(tensor, target, out);
    adjoints_[tensor] = std::move(out);
  }

  /// If a call omits a value, everything computed from it is omitted too.
  void store_chosen(int tensor, const GatherTarget& target, Adjoint& out) {
    const auto chosen = chosen_by_call(out.value);
    if (chosen) out.value = chosen->value;
    store(tensor, target, {}, out);
    if (chosen) out.value = select(chosen->where, out.value, constant_float(0, out.value->type));
  }

  /// Of the tensor's gradient; one of a result has its own dims.
  std::vector<LoopVar> loops_of(int tensor, const WantedGradient* wanted = nullptr) {
    const std::vector<Expr>& dims = k_.tensor(wanted ? wanted->result : tensor).dims;
    std::vector<LoopVar> out;
    for (size_t d = 0; d < dims.size(); ++d) out.push_back({names_(name_of_dim(tensor, d)), dims[d]});
    return out;
  }

  /// The definition's name for the index of a dim.
  std::string name_of_dim(int tensor, size_t d) const {
    for (const Contribution& c :
         contributions_.contains(tensor) ? contributions_.at(tensor) : std::vector<Contribution>())
      if (const auto* v = std::get_if<VarRef>(&c.index[d]->node)) return v->name;
    return fmt::format("u{}", d);
  }

  GatherFacts facts() const {
    GatherFacts out;
    for (const Size& s : k_.sizes) {
      out.ranges.size_lo[s.name] = s.lo;
      out.ranges.size_hi[s.name] = s.hi;
    }
    for (const FoundSize& f : steps_.found) out.ranges.size_lo[f.name] = 0;
    out.ranges.elements = elements_;
    out.facts = k_.facts;
    out.tensors = &k_.tensors;
    return out;
  }

  /// The gradient becomes a tensor of its own; sums that are scattered need the compute type for as long as they grow.
  void store(int tensor, const GatherTarget& target, const std::vector<Contribution>& scattered, Adjoint& adjoint) {
    const Tensor& t = k_.tensor(tensor);
    const WantedGradient* const wanted = wanted_for(tensor);
    const DType compute = compute_of(t.dtype);
    const bool is_kept = wanted && (scattered.empty() || compute == t.dtype);
    const int to = is_kept ? wanted->result : new_temp(tensor, target);
    const std::vector<Expr> index = var_refs(target.loops);
    add_statement(to, index, Update::Assign, adjoint.value, target.loops);
    for (const Contribution& c : scattered) scatter(to, c, wanted);
    adjoint.value = cast_to(read_of(to, k_.tensor(to).dtype, index), compute);
    if (wanted && !is_kept) add_statement(wanted->result, index, Update::Assign, adjoint.value, target.loops);
  }

  /// A tensor of the gradient of another one.
  int new_temp(int tensor, const GatherTarget& target) {
    return k_.add_temp(names_("d" + k_.tensor(tensor).name), compute_type(tensor),
                       mapped(target.loops, &LoopVar::extent));
  }

  void add_statement(int to, const std::vector<Expr>& index, Update update, const Expr& value,
                     const std::vector<LoopVar>& loops) {
    const Tensor& t = k_.tensor(to);
    KernelStatement s{to, index, update, cast_to(simplified(value, loops), t.dtype), loops, ""};
    s.masks_by_zero = true;
    const auto text = [&](const Expr& e) { return to_text(e, tensor_names(k_)); };
    s.formula = fmt::format("{}[{}] {} {}", t.name, joined(index, ", ", text), update == Update::Add ? "+=" : "=",
                            text(s.value));
    k_.body.push_back(std::move(s));
  }

  Ranges ranges_with(const std::vector<LoopVar>& loops) const { return ranges_of(loops, facts().ranges); }
  Expr simplified(const Expr& e, const std::vector<LoopVar>& loops) const { return simplify(e, ranges_with(loops)); }

  /// dX[g(v)] += e(v), in the order of the statement's loops, where there is a contribution.
  void scatter(int to, const Contribution& c, const WantedGradient* wanted) {
    const std::vector<Expr>& own = k_.tensor(to).dims;
    const Expr where = where_inside(c, k_.tensor(c.tensor).dims, ranges_with(c.vars));
    std::vector<Expr> index = c.index;
    for (size_t d = 0; d < index.size(); ++d)
      if (wanted && wanted->repeats[d]) index[d] = apply(ScalarOp::Min, {index[d], own[d] - constant_int(1)});
    add_statement(to, index, Update::Add, c.value, c.vars);
    if (!where) return;
    KernelStatement& added = k_.body.back();
    added.where = simplified(where, c.vars);
    added.formula += " where " + to_text(added.where, tensor_names(k_));
  }

  Kernel k_;
  ActiveTensors active_;
  BodySteps steps_;
  const GradientRequest& request_;
  const DerivativeTable& rows_;
  FreshNames names_;
  std::set<int> left_out_;
  std::map<int, std::vector<Contribution>> contributions_;
  std::map<int, Adjoint> adjoints_;
  std::map<int, Interval> elements_;  // of indices of maxima
  std::string why_;
};

}  // namespace

GradientKernel gradient_kernel(const Kernel& forward, const GradientRequest& request, const DerivativeTable& rows) {
  return Differentiator(forward, request, rows).run();
}

}  // namespace tenon
