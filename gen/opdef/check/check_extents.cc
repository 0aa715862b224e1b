// Extents: whether a call can have them, and whether those that the data decide have a value where they are used.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "opdef/check/statement_checks.h"

namespace tenon {

namespace {

class ExtentChecker {
 public:
  ExtentChecker(const OpDef& op, const BodyScope& scope, Diagnostics& diagnostics)
      : op_(op), scope_(scope), diagnostics_(diagnostics) {
    for (const LetDef& let : op.lets)
      if (let.written) open_.insert(let.name);
  }

  void run() {
    if (open_.empty()) return;
    for (const TensorDef& input : op_.inputs)
      for (const Dim& d : input.dims) refuse_dim(d, "an input has the extents that a call gives it");
    for (const TensorDef& output : op_.outputs)
      for (const Dim& d : output.dims)
        for (const Dim& part : d.parts) refuse_dim(part, "it is a dim by itself, and no part of one");
    check_lets();
    for (const Syntax& condition : op_.requires_)
      refuse_name(condition, "conditions are checked before anything is computed");
    for (const Statement& s : op_.body) {
      if (s.is_extent) told_.insert(s.targets[0].text);
      if (s.is_call)
        for (const std::string& extent : told_by(s)) told_.insert(extent);
    }
    for (const Statement& s : op_.body) statement(s);
    for (const LetDef& let : op_.lets)
      if (open_.count(let.name) != 0)
        diagnostics_.error(Code::E0438, let.value.span, fmt::format("nothing determines the extent '{}'", let.name),
                           {fmt::format("give it a value in the body: {} = sum[i](…)", let.name)});
  }

 private:
  void refuse(const SourceSpan& span, const std::string& name, const std::string& why) {
    diagnostics_.error(Code::E0438, span, fmt::format("'{}' is an extent that the data decide", name), {why});
  }

  void refuse_dim(const Dim& d, const std::string& why) {
    if (open_.count(d.name) != 0) refuse(d.span, d.name, why);
    for (const Dim& part : d.parts) refuse_dim(part, why);
  }

  void refuse_name(const Syntax& s, const std::string& why) {
    if (const Syntax* found = open_name(s)) refuse(found->span, found->text, why);
  }

  /// The bound of one may be another; other sizes are computed before the body is.
  void check_lets() {
    for (const LetDef& let : op_.lets)
      if (!let.written) refuse_name(let.value, "lets are computed before the body: write the expression in the body");
  }

  void statement(const Statement& s) {
    const Syntax* early = nullptr;
    each_expression(s, [&](const Syntax& part) {
      if (early == nullptr) early = open_use(part);
    });
    if (early != nullptr) before_value(early->span, extent_of(*early), early->text);
    else if (!s.is_call && !s.is_extent) target(s);
    if (s.is_extent) open_.erase(s.targets[0].text);
    if (s.is_call) tell(s);
  }

  /// `name`: the extent, a tensor's dimension, or a variable that runs over it. An undetermined one is reported as
  /// such.
  void before_value(const SourceSpan& span, const std::string& extent, const std::string& name) {
    if (told_.count(extent) == 0 || !reported_.insert(extent).second) return;
    const bool ranges = scope_.variable(name) != nullptr;
    diagnostics_.error(Code::E0409, span, fmt::format("the extent '{}' is needed before it has a value", extent),
                       {ranges ? fmt::format("'{}' ranges over {}: use another variable, or put {} = … further up",
                                             name, extent, extent)
                               : fmt::format("put {} = … in front of this statement", extent)});
  }

  /// Storing to an output needs all of its extents.
  void target(const Statement& s) {
    const TensorDef* output = op_.output(s.targets[0].text);
    if (output == nullptr) return;
    for (const Dim& d : output->dims)
      if (open_.count(d.name) != 0) return before_value(s.targets[0].span, d.name, d.name);
  }

  /// The extents of outputs that a call determines by assigning its results to them.
  std::vector<std::string> told_by(const Statement& s) const {
    std::vector<std::string> out;
    const OpDef* callee = scope_.library().op(s.value.text);
    for (std::size_t k = 0; callee != nullptr && k < std::min(s.targets.size(), callee->outputs.size()); ++k) {
      const TensorDef* output = op_.output(s.targets[k].text);
      if (output == nullptr) continue;
      for (const LetDef& let : callee->lets)
        if (let.written) out.push_back(extent_told(op_, *output, {*callee, s.value, k}, let.name));
    }
    return out;
  }

  void tell(const Statement& s) {
    for (const std::string& extent : told_by(s)) open_.erase(extent);
    for (std::size_t k = 0; k < s.targets.size(); ++k)
      if (const TensorDef* output = op_.output(s.targets[k].text))
        for (const Dim& d : output->dims)
          if (open_.count(d.name) != 0) before_value(s.targets[k].span, d.name, d.name);
  }

  const Syntax* open_name(const Syntax& s) const {
    return first_within(s, [&](const Syntax& n) { return n.is(SyntaxKind::name) && open_.count(n.text) != 0; });
  }

  /// The extent without a value that a name stands for or ranges over; "" for none.
  std::string extent_of(const Syntax& s) const {
    if (open_.count(s.text) != 0) return s.text;
    const IndexVariable* v = scope_.variable(s.text);
    const Syntax* open = v != nullptr && v->extent ? open_name(*v->extent) : nullptr;
    return open != nullptr ? open->text : "";
  }

  const Syntax* open_use(const Syntax& s) const {
    return first_within(s, [&](const Syntax& n) {
      return (n.is(SyntaxKind::name) || n.is(SyntaxKind::pack)) && !extent_of(n).empty();
    });
  }

  const OpDef& op_;
  const BodyScope& scope_;
  Diagnostics& diagnostics_;
  std::set<std::string> open_;  ///< without a value so far
  std::set<std::string> told_;  ///< those that some statement determines
  std::set<std::string> reported_;
};

/// Extents that no call could have: fractions, and what is always below 0.
void check_possible(const OpDef& op, BodyScope& scope, Diagnostics& diagnostics) {
  const auto check = [&](const Syntax& extent) {
    if (without_sign(extent).is(SyntaxKind::real))
      diagnostics.error(Code::E0601, extent.span, fmt::format("an extent is an integer, not {}", print(extent)),
                        {"write it without a decimal point"});
    else if (scope.bounds().always_negative(extent))
      diagnostics.error(Code::E0507, extent.span, "this extent is always negative", {"no call could succeed"});
  };
  for (const IndexRange& range : op.index) check(range.extent);
  for (const TensorDef& output : op.outputs)
    for (const Dim& d : output.dims)
      if (const LetDef* let = op.let(d.name); let != nullptr && !let->written) check(let->value);
}

}  // namespace

void check_extents(const OpDef& op, BodyScope& scope, Diagnostics& diagnostics) {
  check_possible(op, scope, diagnostics);
  ExtentChecker(op, scope, diagnostics).run();
}

}  // namespace tenon
