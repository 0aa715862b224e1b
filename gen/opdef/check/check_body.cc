// Checks statements in order: what each defines, over which variables, and that every output is fully defined.
#include <fmt/format.h>

#include <map>

#include "opdef/check/check_op.h"
#include "opdef/check/expression_checker.h"
#include "opdef/check/statement_checks.h"
#include "opdef/notation/call_table.h"
#include "support/ranges.h"

namespace tenon {

namespace {

class BodyChecker {
 public:
  BodyChecker(const OpDef& op, const OpLibrary& library, Diagnostics& diagnostics)
      : op_(op),
        library_(library),
        diagnostics_(diagnostics),
        before_(diagnostics.size()),
        scope_(op, library, diagnostics),
        expressions_(scope_, diagnostics) {}

  /// Ranges that are not those of the first use of their variables.
  std::vector<IndexRange> narrowed() const {
    std::vector<IndexRange> all;
    for (const auto& [name, v] : scope_.variables())
      if (v.narrowed) all.push_back({name, v.pack, *v.extent, v.first});
    return all;
  }

  /// How the results of a call may be read by parts.
  std::vector<std::vector<std::vector<Syntax>>> parts(const Statement& call) const {
    std::vector<std::vector<std::vector<Syntax>>> all;
    for (const Word& target : call.targets) {
      all.emplace_back();
      const BodyValue* value = scope_.value(target.text);
      if (value == nullptr || !value->slots) continue;
      for (const Slot& slot : *value->slots) all.back().push_back(slot.split() ? slot.extents : std::vector<Syntax>());
    }
    return all;
  }

  /// The orders of its recurrences, a statement each.
  std::map<std::size_t, RunOrder> run() {
    check_sizes();
    const std::vector<RecurrentGroup> groups = recurrent_groups(op_, diagnostics_);
    for (std::size_t i = 0; i < op_.body.size(); ++i) {
      const Statement& statement = op_.body[i];
      for (const RecurrentGroup& group : groups)
        if (group.first == i) know_group(group);
      expressions_.bound.clear();
      if (statement.is_call) check_call(statement);
      else if (statement.is_extent) check_extent(statement);
      else check_assignment(statement);
      for (const Word& target : statement.targets) expressions_.defined.insert(target.text);
    }
    if (op_.impl.empty()) check_extents(op_, scope_, diagnostics_);
    check_outputs();
    check_ranges();
    check_grads();
    if (diagnostics_.size() != before_) return {};
    warn_of_partial_ranges(op_, scope_, diagnostics_);
    return orders_of(groups);
  }

 private:
  /// Statements of a group may read each other. One over a variadic input stands for several, and is none.
  void know_group(const RecurrentGroup& group) {
    for (std::size_t i = group.first; i <= group.last; ++i)
      if (is_variadic(op_.body[i])) return;
    for (std::size_t i = group.first; i <= group.last; ++i) expressions_.defined.insert(op_.body[i].targets[0].text);
  }

  std::map<std::size_t, RunOrder> orders_of(const std::vector<RecurrentGroup>& groups) {
    std::map<std::size_t, RunOrder> all;
    for (const RecurrentGroup& group : groups) {
      const std::vector<RunOrder> orders = order_of(group, scope_, diagnostics_);
      for (std::size_t k = 0; k < orders.size(); ++k) all[group.first + k] = orders[k];
    }
    return all;
  }

  void check_sizes() {
    std::set<std::string> lets;
    expressions_.lets = &lets;
    for (const LetDef& let : op_.lets) {
      expressions_.check(let.written && let.value.children.size() == 1 ? let.value.children[0] : let.value, kSizesOnly);
      check_numberless(let.value);
      lets.insert(let.name);
    }
    expressions_.lets = nullptr;
    for (const Syntax& condition : op_.requires_)
      check_numberless(condition), expressions_.check_condition(condition, kSizesOnly);
    for (const IndexRange& range : op_.index) expressions_.check(range.extent, kSizesOnly);
    if (const auto wrong = scope_.bounds().contradiction(); wrong && *wrong < op_.requires_.size()) {
      diagnostics_.error(Code::E0507, op_.requires_[*wrong].span, "this can never hold", {"no call could succeed"});
    }
  }

  bool assignable(const Word& target) {
    const bool input = op_.input(target.text) != nullptr, table = op_.table(target.text) != nullptr;
    if (!input && !table && !(op_.attr(target.text) != nullptr || op_.let(target.text) != nullptr)) return true;
    diagnostics_.error(Code::E0408, target.span,
                       fmt::format("'{}' is {} and cannot be assigned to", target.text,
                                   input   ? "an input"
                                   : table ? "a table"
                                           : "an attribute or let"),
                       {"choose another name for the value"});
    return false;
  }

  /// A definition comes first and once; updates may follow.
  bool define(const Word& target, Update update) {
    const bool first = update == Update::Assign;
    if (first && updated_.count(target.text) != 0) {
      diagnostics_.error(Code::E0407, target.span, fmt::format("'{}' is defined after updates of it", target.text),
                         {"put the definition before the updates"});
    } else if (first && !complete_.insert(target.text).second) {
      diagnostics_.error(Code::E0406, target.span, fmt::format("'{}' is defined twice", target.text),
                         {"combine into it with +=, *=, max=, min= or last=, or use another name"});
    } else {
      if (!first) updated_.insert(target.text);
      return true;
    }
    return false;
  }

  /// A sub of a defining left side: a distinct variable.
  void check_target_sub(const Syntax& sub) {
    const std::size_t before = diagnostics_.size();
    check_target_variable(sub);
    if (diagnostics_.size() != before) bind_all(sub);
  }

  void check_target_variable(const Syntax& sub) {
    if (sub.is(SyntaxKind::group)) {
      for (const Syntax& part : sub.children) check_target_sub(part);
      return;
    }
    const bool permuted = sub.is(SyntaxKind::each) && sub.children[0].calls(Builtin::permute);
    const Syntax& variable = permuted ? sub.children[0].children[0] : sub;
    const bool bare = variable.is(SyntaxKind::name) || variable.is(SyntaxKind::pack);
    if (bare && scope_.variable(variable.text) == nullptr && !scope_.is_given(variable.text)) {
      // Only *permute's argument is not declared as a variable by its use here.
      diagnostics_.error(Code::E0401, variable.span, fmt::format("nothing is called '{}' here", variable.text),
                         {"the right side must index something by it"});
    } else if (!bare || scope_.variable(variable.text) == nullptr) {
      diagnostics_.error(
          Code::E0413, sub.span,
          fmt::format("'{}' is not an index variable, so the statement does not define the value in full", print(sub)),
          {any_within(sub, [](const Syntax& n) { return n.calls(Builtin::operand, Builtin::offset); })
               ? "tensors are put along a dim by offset(D) + d, where d runs over all of D, or by operand(X)"
               : "a definition has one variable per dim; for scattered writes use +=, max=, min= or last="});
    } else if (!expressions_.bound.insert(variable.text).second) {
      diagnostics_.error(Code::E0413, sub.span,
                         fmt::format("the index variable '{}' occurs twice on the left", variable.text),
                         {"use a variable of its own for each dim"});
    }
  }

  /// A dim along which the tensors of a variadic input are put one after the other: without gaps, if the variable runs
  /// over all of a tensor's own extent.
  bool is_collected(const Syntax& sub) {
    const Syntax* along = nullptr;
    const auto extent = collected_extent(sub, &along);
    if (!extent) return false;
    if (along == nullptr) return true;
    const IndexVariable* v = scope_.variable(along->text);
    if (v == nullptr || !v->extent || !same(*v->extent, extent->children[0])) return false;
    expressions_.bound.insert(along->text);
    return true;
  }

  /// Every variable in the indices of an update is bound by it, but for those that a reduction there runs over.
  void bind_all(const Syntax& s) {
    if (s.is(SyntaxKind::reduce)) {
      const std::set<std::string> outside = expressions_.bound;
      for (const Syntax& child : s.children) bind_all(child);
      for (const Syntax& v : s.variables())
        if (outside.count(v.text) == 0) expressions_.bound.erase(v.text);
      return;
    }
    if ((s.is(SyntaxKind::name) || s.is(SyntaxKind::pack)) && scope_.variable(s.text) != nullptr)
      expressions_.bound.insert(s.text);
    for (const Syntax& child : s.children) bind_all(child);
  }

  bool is_variadic(const Statement& s) const {
    return any_within(s, [&](const Syntax& n) {
      const TensorDef* input = n.is(SyntaxKind::subscript) ? op_.input(n.text) : nullptr;
      return input != nullptr && input->variadic;
    });
  }

  /// `M = e`, once, before anything is along M.
  void check_extent(const Statement& statement) {
    define(statement.targets[0], Update::Assign);
    check_numberless(statement.value);
    expressions_.check(statement.value, {});
  }

  void check_assignment(const Statement& statement) {
    const Word& target = statement.targets[0];
    if (!assignable(target) || !define(target, statement.update)) return;
    // A statement over a variadic input stands for one per operand; together they define the value.
    const bool per_operand = is_variadic(statement);
    const TensorDef* output = op_.output(target.text);
    if (!per_operand && (output == nullptr || !output->variadic))
      each_expression(statement, [&](const Syntax& e) { check_numberless(e); });
    if (statement.update == Update::Assign) {
      const std::size_t before = diagnostics_.size();
      for (const Syntax& sub : statement.subs)
        if (!per_operand || !is_collected(sub)) check_target_sub(sub);
      if (diagnostics_.size() == before) check_target(statement);
    } else {
      for (const Syntax& sub : statement.subs) bind_all(sub);
      // An update is done for all values of what its condition names, too.
      for (const Syntax& range : statement.ranges) bind_all(range);
      if (statement.where) bind_all(*statement.where);
      for (const Syntax& range : statement.ranges) expressions_.check_range(range, {});
      check_scatter(statement);
    }
    if (statement.where) expressions_.check_condition(*statement.where, {});
    expressions_.check(statement.value, {});
  }

  /// operand(X) and offset(D) refer to one of several tensors.
  void check_numberless(const Syntax& s) {
    each_within(s, [&](const Syntax& n) {
      if (n.calls(Builtin::operand, Builtin::offset))
        diagnostics_.error(
            Code::E0434, n.span,
            fmt::format("'{}' is about one tensor of a variadic input or output, and none is named here", print(n)),
            {"it is in a statement that reads the input, or defines the output"});
    });
  }

  Syntax target_access(const Statement& statement) {
    Syntax access;
    access.kind = SyntaxKind::subscript;
    access.text = statement.targets[0].text;
    access.children = statement.subs;
    access.span = statement.targets[0].span;
    if (!statement.subs.empty()) access.span = join(access.span, statement.subs.back().span);
    return access;
  }

  void check_scatter(const Statement& statement) {
    const BodyValue* value = scope_.value(statement.targets[0].text);
    if (value == nullptr || (value->output == nullptr && expressions_.defined.count(statement.targets[0].text) == 0)) {
      diagnostics_.error(
          Code::E0409, statement.targets[0].span,
          fmt::format("'{}' is updated before it is defined, so that its shape is unknown", statement.targets[0].text),
          {fmt::format("define it first, {}[…] = 0, or update an output", statement.targets[0].text)});
      return;
    }
    expressions_.defined.erase(statement.targets[0].text);  // no update reads what it is making, on either side
    expressions_.check_subs(target_access(statement), statement.subs, *value, {});
  }

  /// The left side of a definition of an output against its shape.
  void check_target(const Statement& statement) {
    const BodyValue* value = scope_.value(statement.targets[0].text);
    if (value == nullptr || value->output == nullptr || !value->slots) return;
    const Syntax access = target_access(statement);
    const std::size_t before = diagnostics_.size();
    for (std::size_t i = 0; i < std::min(statement.subs.size(), value->slots->size()); ++i) {
      const Slot& slot = (*value->slots)[i];
      const Syntax& sub = statement.subs[i];
      for (std::size_t k = 0; k < slot.extents.size(); ++k) {
        if (slot.split() && k >= sub.children.size()) break;
        check_full(slot.split() ? sub.children[k] : sub, slot.extents[k]);
      }
    }
    if (diagnostics_.size() == before) expressions_.check_subs(access, statement.subs, *value, {});
  }

  void check_full(const Syntax& sub, const Syntax& extent) {
    const IndexVariable* v = scope_.variable(sub.text);
    if (v == nullptr || !v->declared || !v->extent || scope_.bounds().equal(*v->extent, extent)) return;
    diagnostics_.error(Code::E0414, sub.span,
                       fmt::format("'{}' runs over {}, the dim has {}", sub.text, print(*v->extent), print(extent)),
                       {"a definition covers its output in full: make the two one size"});
  }

  void check_outputs() {
    if (!op_.impl.empty() || op_.body.empty()) return;  // a text without statements is reported as such
    for (const TensorDef& output : op_.outputs) {
      if (expressions_.defined.count(output.name) != 0) continue;
      diagnostics_.error(Code::E0405, output.span, fmt::format("no statement defines the output '{}'", output.name),
                         {fmt::format("write {}[…] = … in the body", output.name)});
    }
  }

  /// Whether a variable indexes a value that has no shape because a variable on its left side has no range.
  bool follows_open_value(const Statement& s, const std::string& name) const {
    return any_within(s, [&](const Syntax& n) {
      const BodyValue* value = n.is(SyntaxKind::subscript) ? scope_.value(n.text) : nullptr;
      return value != nullptr && !value->slots && !value->open &&
             any_of(n.children, [&](const Syntax& sub) { return sub.is_name(name); });
    });
  }

  /// Whether the range of a variable would follow from those that are reported.
  bool is_consequence(const std::string& name) const {
    const auto named = [&](const Syntax& sub) { return sub.is_name(name) || sub.is(SyntaxKind::pack); };
    const auto defines = [&](const Statement& s) { return any_of(s.subs, named); };
    return none_of(op_.body, defines) &&
           any_of(op_.body, [&](const Statement& s) { return follows_open_value(s, name); });
  }

  void check_ranges() {
    if (any_of(op_.body, is_unread)) return;  // it may tell them
    for (const auto& [name, v] : scope_.variables()) {
      if (v.extent || v.elsewhere || is_consequence(name)) continue;
      diagnostics_.error(Code::E0410, v.first,
                         fmt::format("the range of '{}{}' cannot be determined", v.pack ? "*" : "", name),
                         {fmt::format("use it bare as an index of a tensor, or state it: index: {{{}: extent}}",
                                      v.pack ? "\"*" + name + "\"" : name)});
    }
  }

  void check_grads() {
    ExpressionPlace place;
    place.any_variable = true;
    for (const TensorDef& output : op_.outputs) expressions_.defined.insert("d" + output.name);
    for (const auto& [name, v] : scope_.variables()) expressions_.bound.insert(name);
    for (const ClosedGrad& grad : op_.closed_grads) check_grad(grad, place);
  }

  void check_grad(const ClosedGrad& grad, const ExpressionPlace& place) {
    std::set<std::string> reduced;
    each_within(grad.value, [&](const Syntax& s) {
      if (s.is(SyntaxKind::reduce))
        for (const Syntax& v : s.variables()) reduced.insert(v.text);
    });
    for (const std::string& name : reduced) expressions_.bound.erase(name);
    ExpressionPlace optional = place;
    optional.optional = true;
    expressions_.check(grad.value, optional);
    expressions_.bound.insert(reduced.begin(), reduced.end());
  }

  std::string unknown_op_note(const Statement& statement) const {
    const std::string& name = statement.value.text;
    if (!expression_function(name, library_))
      return did_you_mean(name, library_.names(), "`tenon list ops` prints those that there are");
    return fmt::format("'{}' is a function of numbers: give '{}' indices, or [] for one number", name,
                       statement.targets[0].text);
  }

  void check_call(const Statement& statement) {
    const OpDef* callee = library_.declared(statement.value.text);
    if (is_unread(statement)) {
      for (const Word& target : statement.targets) complete_.insert(target.text);
      return;
    }
    for (const Word& target : statement.targets) {
      if (assignable(target)) define(target, Update::Assign);
      if (const TensorDef* output = op_.output(target.text); output != nullptr && output->variadic)
        diagnostics_.error(Code::E0434, target.span,
                           fmt::format("a call does not define the variadic output '{}'", target.text),
                           {fmt::format("give its result another name, and write {}[…] = …", target.text)});
    }
    if (callee == nullptr) {
      diagnostics_.error(Code::E0424, statement.value.span, fmt::format("there is no op '{}'", statement.value.text),
                         {unknown_op_note(statement)});
      return;
    }
    const bool any_number =
        !callee->outputs.empty() && callee->outputs.back().variadic;  // counted when the call is expanded
    if (!any_number && statement.targets.size() != callee->outputs.size()) {
      diagnostics_.error(Code::E0426, statement.targets[0].span,
                         fmt::format("'{}' has {} output{}, not {}", callee->name, callee->outputs.size(),
                                     callee->outputs.size() == 1 ? "" : "s", statement.targets.size()),
                         {"give each output a name: a, b = op(x)"});
    }
    check_op_arguments(statement.value, *callee, expressions_);
  }

  const OpDef& op_;
  const OpLibrary& library_;
  Diagnostics& diagnostics_;
  std::size_t before_;  ///< diagnostics that are not of this body
  BodyScope scope_;
  ExpressionChecker expressions_;
  std::set<std::string> complete_, updated_;
};

}  // namespace

void check_body(OpDef& op, const OpLibrary& library, Diagnostics& diagnostics) {
  gather_groups(op);
  BodyChecker checker(op, library, diagnostics);
  for (auto& [statement, order] : checker.run()) op.body[statement].order = std::move(order);
  append(op.index, checker.narrowed());
  for (Statement& statement : op.body)
    if (statement.is_call) statement.parts = checker.parts(statement);
}

}  // namespace tenon
