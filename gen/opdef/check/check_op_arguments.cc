// Arguments of ops that statements call: tensors in order, attributes by name.
#include <fmt/format.h>

#include <set>

#include "opdef/check/expression_checker.h"
#include "opdef/notation/call_table.h"
#include "opdef/read/yaml_shape.h"
#include "support/ranges.h"

namespace tenon {

namespace {

class ArgumentChecker {
 public:
  explicit ArgumentChecker(ExpressionChecker& expressions)
      : expressions_(expressions), scope_(expressions.scope()), diagnostics_(expressions.diagnostics()) {}

  void run(const Syntax& call, const OpDef& callee) {
    std::set<std::string> given;
    std::size_t place = 0;
    for (const Syntax& argument : call.children) {
      if (argument.is(SyntaxKind::keyword)) {
        given.insert(argument.text);
        check_keyword(argument, callee);
        continue;
      }
      if (place >= callee.inputs.size() && !(!callee.inputs.empty() && callee.inputs.back().variadic)) {
        diagnostics_.error(Code::E0425, argument.span,
                           fmt::format("'{}' has {} input{} only", callee.name, callee.inputs.size(),
                                       callee.inputs.size() == 1 ? "" : "s"),
                           {"attributes are given by name: axis=-1"});
        return;
      }
      if (place < callee.inputs.size()) given.insert(callee.inputs[place].name);
      ++place;
      check_tensor_argument(argument);
    }
    for (const TensorDef& input : callee.inputs) {
      if (!input.optional && given.count(input.name) == 0)
        diagnostics_.error(Code::E0425, call.span,
                           fmt::format("the input '{}' of '{}' is missing", input.name, callee.name),
                           {"give the inputs in order"});
    }
    for (const AttrDef& attr : callee.attrs) {
      if (attr.required() && given.count(attr.name) == 0)
        diagnostics_.error(Code::E0425, call.span,
                           fmt::format("the attribute '{}' of '{}' is missing", attr.name, callee.name),
                           {fmt::format("it has no default: add {}=…", attr.name)});
    }
  }

 private:
  void check_keyword(const Syntax& argument, const OpDef& callee) {
    if (callee.input(argument.text) != nullptr) return check_tensor_argument(argument.children[0]);
    const AttrDef* attr = callee.attr(argument.text);
    if (attr == nullptr) {
      std::vector<std::string> known = mapped(callee.attrs, &AttrDef::name);
      for (const TensorDef& t : callee.inputs) known.push_back(t.name);
      diagnostics_.error(Code::E0425, argument.span,
                         fmt::format("'{}' has no attribute '{}'", callee.name, argument.text),
                         {meant_note(argument.text, known)});
      return;
    }
    expressions_.check_attr_value(argument.children[0], *attr, kSizesOnly);
  }

  /// An argument that is computed element by element: tensors by their names, numbers and functions.
  void check_computed_argument(const Syntax& argument) {
    if (argument.is(SyntaxKind::name)) {
      if (scope_.value(argument.text) != nullptr && !scope_.is_given(argument.text)) check_tensor_argument(argument);
      else expressions_.check(argument, {});
      return;
    }
    const bool whole = argument.is(SyntaxKind::subscript) || argument.is(SyntaxKind::reduce);
    const bool unknown = argument.is(SyntaxKind::call) && !expression_function(argument.text, scope_.library());
    if (whole || unknown) {
      diagnostics_.error(Code::E0425, argument.span,
                         fmt::format("'{}' is not a function of whole tensors", print(argument)),
                         {unknown && scope_.library().declared(argument.text) != nullptr
                              ? "call inner ops in statements of their own"
                              : "ops take whole tensors by their names, without indices"});
      return;
    }
    const bool typed = argument.calls(Builtin::cast, Builtin::bits);  // their last child is a type
    const bool limit = argument.calls(Builtin::lowest, Builtin::highest, Builtin::epsilon);
    if (typed || limit) expressions_.check_type(argument.children.back());
    for (std::size_t i = 0; i + (typed || limit ? 1 : 0) < argument.children.size(); ++i)
      check_computed_argument(argument.children[i]);
  }

  void check_tensor_argument(const Syntax& argument) {
    const bool computed = argument.is(SyntaxKind::unary) || argument.is(SyntaxKind::binary) ||
                          (argument.is(SyntaxKind::call) && expression_function(argument.text, scope_.library()));
    if (computed && !scope_.first_tensor(argument).empty()) return check_computed_argument(argument);
    const BodyValue* value = argument.is(SyntaxKind::name) ? scope_.value(argument.text) : nullptr;
    if (value == nullptr) {
      const bool call = argument.is(SyntaxKind::call);
      diagnostics_.error(Code::E0425, argument.span, fmt::format("'{}' is not a tensor", print(argument)),
                         {call ? "call inner ops in statements of their own"
                               : "ops take whole tensors by their names, without indices"});
    } else if (value->input == nullptr && expressions_.defined.count(argument.text) == 0) {
      diagnostics_.error(Code::E0409, argument.span, fmt::format("'{}' is read before it is defined", argument.text),
                         {expressions_.order_note(argument)});
    }
  }

  ExpressionChecker& expressions_;
  BodyScope& scope_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_op_arguments(const Syntax& call, const OpDef& callee, ExpressionChecker& expressions) {
  ArgumentChecker(expressions).run(call, callee);
}

}  // namespace tenon
