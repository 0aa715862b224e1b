// Statements of a definition's body become statements of a kernel, one after the other.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algebra/body_steps.h"
#include "ir/kernel/statement_parts.h"
#include "library/expand_recurrence.h"
#include "library/expr_builder.h"
#include "library/stored_view.h"
#include "library/table_data.h"
#include "library/type_rules.h"
#include "library/variable_ranges.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {

/// Expands one body; those of ops that it calls are expanded by others of this kind, into the same kernel and steps.
class BodyExpander {
 public:
  BodyExpander(const OpLibrary& library, Scope& scope, Kernel& kernel, BodySteps& steps, Diagnostics& diagnostics)
      : library_(library),
        def_(*scope.def),
        scope_(scope),
        kernel_(kernel),
        steps_(steps),
        diagnostics_(diagnostics),
        expr_(library, scope, kernel, diagnostics),
        ranges_(def_, scope, expr_) {}

  void run() {
    declare_tables(library_, scope_, kernel_, diagnostics_);
    if (diagnostics_.has_errors()) return;
    ranges_.declare();
    for (size_t i = 0; i < def_.body.size(); ++i) {
      const Statement& s = def_.body[i];
      ranges_.find(s);
      if (diagnostics_.has_errors()) continue;
      if (s.order && s.order->joined == 0) declare_group(i);
      if (s.is_call) call(s);
      else if (s.is_extent) extent(s);
      else assignment(s);
      if (s.order && !diagnostics_.has_errors() && next_step() == behind_group_)
        read_computed_only(kernel_, kernel_.body.size() - recurrent_.size());
    }
  }

  /// The C template of the op that `inner` binds. On the way to a gradient the op's body says after the call which
  /// elements its values are.
  void call_frame(const std::shared_ptr<const Frame>& frame, Scope& inner);

 private:
  DType real_of_statement(const BoundTensor* target) const {
    if (target && target->tensor >= 0) {
      const DType d = dtype_row(kernel_.tensor(target->tensor).dtype).compute;
      if (is_float(d) || is_complex(d)) return real_of(d);
    }
    for (const TypeVar& t : def_.types)
      if (const auto b = scope_.binding.types.find(t.name);
          b != scope_.binding.types.end() && (is_float(b->second) || is_complex(b->second)))
        return real_of(dtype_row(b->second).compute);
    return DType::F64;
  }

  const BoundTensor* target_of(const Statement& s) const { return find_value(scope_.tensors, s.targets[0].text); }

  /// The context in which the statement is built. A target without a declared type does not influence it.
  ExprBuilder::Statement facts_of(const Statement& s) {
    const BoundTensor* target = target_of(s);
    if (target && target->flexible && s.order) target = nullptr;
    ExprBuilder::Statement facts;
    facts.real = real_of_statement(target);
    DType least = DType::I8;
    if (target && is_int(kernel_.tensor(target->tensor).dtype)) least = kernel_.tensor(target->tensor).dtype;
    facts.widest = expr_.widest_integer(s.value, least);
    std::vector<std::string> bound;
    // The variables that a range's ends use are outside the range.
    for (const Syntax& r : s.ranges)
      for (const Syntax& end : r.children) ranges_.add_free(end, bound, facts.loops);
    for (const Syntax& sub : s.subs) ranges_.add_free(sub, bound, facts.loops);
    if (s.update != Update::Assign) ranges_.add_free(s.value, bound, facts.loops);
    for (const Syntax& r : s.ranges) ranges_.add_free(r, bound, facts.loops);
    if (s.where) ranges_.add_free(*s.where, bound, facts.loops);
    return facts;
  }

  void assignment(const Statement& s) {
    const std::string& name = s.targets[0].text;
    const BoundTensor* target = target_of(s);
    ExprBuilder::Statement facts = facts_of(s);
    const std::vector<LoopVar> loops = facts.loops;
    const size_t checks = kernel_.checks.size();
    expr_.begin(std::move(facts));
    expr_.integers().begin(target ? target->tensor : -1);
    const Expr where = expr_.update_condition(s);
    if (where) expr_.enter_condition(where);
    Typed v = expr_.value(s.value);
    if (diagnostics_.has_errors()) return;
    if (!target) target = &make_temp(name, s, v);
    else if (s.update != Update::Assign) adopt_type(scope_.tensors[name], v, s.value);
    const Tensor& t = kernel_.tensor(target->tensor);
    if (const auto why = assignable(v, t.dtype))
      expr_.error(Code::E0602, s.value, *why, {fmt::format("write cast(…, {})", name_of(t.dtype))});
    KernelStatement out;
    out.target = target->tensor;
    out.index = expr_.place(s.subs, *target);
    out.where = where;
    if (where) expr_.leave_condition();
    out.update = s.update;
    if (const auto r = reducer_of(out.update))
      expr_.has_function(s.value, step_of(*r), dtype_row(t.dtype).compute, symbol_of(out.update));
    out.value = stored(v, t.dtype);
    out.loops = loops;
    out.formula = formula_of(s);
    if (s.order) run_in_order(s, scope_, expr_, out);
    note_checks(s, checks);
    if (out.update != Update::Assign) identity_first(*target, out.update);
    expr_.integers().define(out);
    kernel_.body.push_back(std::move(out));
    defined_.push_back(target->tensor);
  }

  /// The number of the next statement or call.
  size_t next_step() const { return kernel_.body.size() + steps_.calls.size(); }

  /// Assigns the pending checks to the next statement or call.
  void note_checks() { steps_.check_makers.resize(kernel_.checks.size(), next_step()); }

  /// The same, except that checks from number `first` on that read results of the statement's own recurrence are placed
  /// after it.
  void note_checks(const Statement& s, size_t first) {
    note_checks();
    for (size_t i = first; s.order && i < kernel_.checks.size(); ++i)
      if (any_of(recurrent_, [&](int t) { return asks_for(kernel_.checks[i], t); }))
        steps_.check_makers[i] = behind_group_;
  }

  /// `M = e`: an i64 that is an extent from here on.
  void extent(const Statement& s) {
    const std::string& name = s.targets[0].text;
    ExprBuilder::Statement facts;
    facts.real = real_of_statement(nullptr);
    facts.widest = expr_.widest_integer(s.value, DType::I64);
    expr_.begin(std::move(facts));
    const Typed v = expr_.value(s.value);
    if (const auto why = assignable(v, DType::I64)) expr_.error(Code::E0602, s.value, *why, {"write cast(…, i64)"});
    if (diagnostics_.has_errors()) return;
    KernelStatement out;
    out.target = static_cast<int>(kernel_.tensors.size());
    out.value = stored(v, DType::I64);
    out.formula = formula_of(s);
    note_checks();
    kernel_.tensors.push_back({unused_name(name + "_extent"), Role::Temp, DType::I64, {}, {}});
    find(*def_.let(name), out.target, next_step());
    kernel_.body.push_back(std::move(out));
  }

  /// Step `at` leaves the extent in the tensor.
  void find(const LetDef& let, int tensor, size_t at) {
    const Expr bound = expr_.value(let.value).e;
    steps_.found.push_back({std::get<SizeRef>(scope_.binding.sizes.at(let.name).e->node).name, tensor, at, bound});
  }

  /// The definition's own text on one line; a family's, with its parameters put in, and one with comments are printed.
  static std::string formula_of(const Statement& s) {
    const std::string_view text = s.span.known() ? s.span.text() : std::string_view();
    return text.empty() || text.find_first_of("$#") != std::string_view::npos ? print(s) : one_line(text);
  }

  static Expr stored(const Typed& v, DType storage) {
    const DType compute = dtype_row(storage).compute;
    return cast_to(convert(v, compute), storage);
  }

  /// An intermediate whose initial value is an untyped constant takes the type of the first value combined into it.
  void adopt_type(BoundTensor& target, const Typed& v, const Syntax& place) {
    Tensor& t = kernel_.tensor(target.tensor);
    if (!target.flexible || v.flexible || t.role != Role::Temp || t.dtype == v.e->type ||
        !(is_float(v.e->type) || is_complex(v.e->type)))
      return;
    if (any_of(kernel_.body, [&](const KernelStatement& s) { return reads_tensor(s, target.tensor); }))
      return expr_.error(
          Code::E0602, place,
          fmt::format("'{}' is read as {} before {} is combined into it", t.name, name_of(t.dtype), name_of(v.e->type)),
          {fmt::format("define it as cast(…, {})", name_of(v.e->type))});
    t.dtype = v.e->type;
    for (KernelStatement& s : kernel_.body)
      if (s.target == target.tensor) s.value = stored({s.value, true}, t.dtype);
    target.flexible = false;
  }

  /// An update without an earlier definition combines into the identity.
  void identity_first(const BoundTensor& target, Update update) {
    if (contains(defined_, target.tensor)) return;
    const Tensor& t = kernel_.tensor(target.tensor);
    KernelStatement s;
    s.target = target.tensor;
    for (size_t k = 0; k < t.dims.size(); ++k) {
      s.loops.push_back({fmt::format("z{}", k), t.dims[k]});
      s.index.push_back(var_ref(s.loops.back().name));
    }
    s.value = identity_of(reducer_of(update).value_or(Reducer::Sum), t.dtype);
    s.formula = t.name + " = identity";
    kernel_.body.push_back(std::move(s));
  }

  /// `name`, or a name like it that no tensor of the kernel has.
  std::string unused_name(const std::string& name) const { return unused_tensor_name(kernel_, name); }

  size_t end_of_group(size_t first) const {
    size_t end = first + 1;
    while (end < def_.body.size() && def_.body[end].order && def_.body[end].order->joined > 0) ++end;
    return end;
  }

  /// Statements that read what they define: their intermediates are known before they are defined, with the types that
  /// follow from the other operand.
  void declare_group(size_t first) {
    const size_t end = end_of_group(first);
    std::vector<const Statement*> open;
    recurrent_.clear();
    for (size_t i = first; i < end; ++i) {
      ranges_.find(def_.body[i]);
      if (target_of(def_.body[i])) continue;
      open.push_back(&def_.body[i]);
      make_temp(def_.body[i].targets[0].text, def_.body[i], {constant_int(0), true});
    }
    for (size_t i = first; i < end; ++i) {
      ranges_.find(def_.body[i]);
      recurrent_.push_back(target_of(def_.body[i])->tensor);
    }
    behind_group_ = next_step() + (end - first);
    expr_.compute_later({recurrent_.begin(), recurrent_.end()});
    infer_types(open, {library_, scope_, kernel_, [this](const Statement& s) { return facts_of(s); }});
  }

  const BoundTensor& make_temp(const std::string& name, const Statement& s, const Typed& v) {
    BoundTensor b;
    b.flexible = v.flexible;
    std::vector<Expr> dims;
    for (size_t i = 0; i < s.subs.size(); ++i) {
      const Syntax& sub = s.subs[i];
      std::vector<Expr> entry;
      if (i < s.extents.size() && s.extents[i]) {
        dims.push_back(cast_to(expr_.value(*s.extents[i]).e, DType::I64));
        b.entries.push_back({dims.back()});
        continue;
      }
      const auto& parts = sub.kind == SyntaxKind::group ? sub.children : std::vector<Syntax>{sub};
      for (const Syntax& p : parts) {
        b.open = b.open || scope_.open_ranges.count(p.text) != 0;
        for (const LoopVar& lv : expr_.loop_vars(p)) entry.push_back(lv.extent);
      }
      append(dims, entry);
      b.entries.push_back(std::move(entry));
    }
    b.tensor = kernel_.add_temp(unused_name(name), v.e->type, std::move(dims));
    return scope_.tensors[name] = std::move(b);
  }

  /// How the caller subscripts what a call returns: like the first input when it has as many dimensions, else dimension
  /// by dimension.
  static std::vector<std::vector<Expr>> entries_for_caller(const BoundTensor& made,
                                                           const std::vector<BoundTensor>& inputs) {
    std::vector<Expr> dims;
    for (const auto& e : made.entries) append(dims, e);
    std::vector<std::vector<Expr>> out;
    size_t at = 0;
    if (!inputs.empty())
      for (const auto& e : inputs[0].entries) {
        if (at + e.size() > dims.size()) break;
        out.emplace_back(dims.begin() + static_cast<ptrdiff_t>(at),
                         dims.begin() + static_cast<ptrdiff_t>(at + e.size()));
        at += e.size();
      }
    if (!inputs.empty() && at == dims.size() && out.size() == inputs[0].entries.size()) return out;
    out.clear();
    for (const Expr& d : dims) out.push_back({d});
    return out;
  }

  /// The extent of this op that an output has where a result with the callee's extent `name` is given to it, or "".
  std::string extent_given_to(const Statement& s, const OpDef& callee, const std::string& name) const {
    for (size_t k = 0; k < std::min(s.targets.size(), callee.outputs.size()); ++k)
      if (const TensorDef* output = def_.output(s.targets[k].text))
        if (const std::string own = extent_told(def_, *output, {callee, s.value, k}, name); !own.empty()) return own;
    return "";
  }

  static Syntax element_name(size_t k) { return name_node(fmt::format("a{}_", k)); }
  std::optional<BoundTensor> computed_argument(const Syntax& arg);
  void unify_types(const OpDef& callee, std::vector<BoundTensor>& inputs);
  BoundTensor argument_tensor(const std::string& name, const BoundTensor& t);
  StoredDims dims_in_calls(const std::string& name, const BoundTensor& t) const;
  bool is_copied(const std::string& given, const BoundTensor& made) const;
  bool has_any_rank(const BoundTensor& t) const;
  void note_arguments(const Statement& s, const OpDef& callee, Diagnostic& d) const;
  bool fits_output(const Statement& s, const OpDef& callee, const Word& given, const BoundTensor& made);
  std::string shape_of(const std::string& name) const;
  void no_argument(const Syntax& arg);
  void name_result(const std::string& given, BoundTensor& made, const std::vector<BoundTensor>& inputs);
  void know_parts(const Statement& s);
  void copy_results(const Statement& s, const OpDef& callee, const Scope& inner);
  std::vector<Typed> places_of_axes(const std::string& attr, const std::vector<BoundTensor>& inputs) const;
  void place_axes(const Statement& s, const std::vector<BoundTensor>& inputs,
                  std::map<std::string, BoundAttr>& attrs) const;
  BoundAttr passed_attribute(const AttrDef& a, const Syntax& given);
  bool call_arguments(const Statement& s, const OpDef& callee, std::vector<BoundTensor>& inputs,
                      std::map<std::string, BoundAttr>& attrs);
  void call(const Statement& s);
  void take_types_of_outputs(const Statement& s, Scope& inner) const;
  void require_ranges(Scope& inner);
  void expand_callee(Scope& inner);
  void name_chosen(const Frame& frame);
  const Syntax* read_of_name(const std::string& name) const;
  void replace_values(const Frame& frame, Scope& called);
  void name_extents(const Statement& s, const OpDef& callee, std::map<std::string, BoundAttr>& attrs) const;
  bool is_contiguous(const Tensor& t) const;
  bool too_long(const Statement& s);
  bool outputs_are_named(const Statement& s, const OpDef& callee);

  const OpLibrary& library_;
  const OpDef& def_;
  Scope& scope_;
  Kernel& kernel_;
  BodySteps& steps_;
  Diagnostics& diagnostics_;
  ExprBuilder expr_;
  VariableRanges ranges_;
  std::vector<int> defined_;
  std::vector<int> recurrent_;  ///< what the recurrence that is expanded makes
  size_t behind_group_ = 0;     ///< the number of what comes after it
};

}  // namespace tenon
