// A definition with a variadic input → the definition for a given number of operands.
#include "library/unroll_variadic.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace tenon {
namespace {

Syntax named(const std::string& text, const SourceSpan& span) {
  Syntax s;
  s.kind = SyntaxKind::name;
  s.text = text;
  s.span = span;
  return s;
}

Syntax number(int64_t v, const SourceSpan& span) {
  Syntax s;
  s.integer = v;
  s.span = span;
  return s;
}

Syntax plus(Syntax a, Syntax b) {
  Syntax s;
  s.kind = SyntaxKind::binary;
  s.text = "+";
  s.span = b.span;
  s.children = {std::move(a), std::move(b)};
  return s;
}

Syntax call(const std::string& function, std::vector<Syntax> arguments) {
  Syntax s;
  s.kind = SyntaxKind::call;
  s.text = function;
  s.children = std::move(arguments);
  return s;
}

bool mentions_call(const Syntax& s, const std::string& function) {
  return (s.is(SyntaxKind::call) && s.text == function) || std::any_of(s.children.begin(), s.children.end(), [&](const Syntax& c) { return mentions_call(c, function); });
}

bool reads(const Syntax& s, const std::string& tensor) {
  if (s.kind == SyntaxKind::subscript && s.text == tensor) return true;
  return std::any_of(s.children.begin(), s.children.end(), [&](const Syntax& c) { return reads(c, tensor); });
}

bool has_own_extent(const TensorDef& t) {
  return std::any_of(t.dims.begin(), t.dims.end(), [](const Dim& d) { return d.per_operand; });
}

class Unroller {
 public:
  Unroller(const OpDef& def, int operands, bool may_lack)
      : def_(def), variadic_(def.inputs.back().name), operands_(operands), may_lack_(may_lack), steps_(may_lack && !has_own_extent(def.inputs.back())) {
    for (const Dim& d : def.inputs.back().dims)
      if (d.per_operand) own_.push_back(d.name);
    for (const Statement& s : def.body) find_variables(s.value);
  }

  OpDef run() const {
    OpDef out = def_;
    const TensorDef operand = out.inputs.back();
    out.inputs.pop_back();
    for (int k = 0; k < operands_; ++k) {
      TensorDef t = operand;
      t.name = of(variadic_, k);
      t.variadic = false;
      t.optional = may_lack_ && k > 0;
      for (Dim& d : t.dims) {
        if (d.per_operand) d.name = of(d.name, k);
        d.per_operand = false;
      }
      out.inputs.push_back(std::move(t));
    }
    for (LetDef& l : out.lets) l.value = rewritten(l.value, -1);
    for (Syntax& r : out.requires_) r = rewritten(r, -1);
    if (may_lack_ && counts_operands(def_)) tell_given(out);
    out.body.clear();
    for (const Statement& s : def_.body) {
      const bool each = reads(s.value, variadic_);
      for (int k = 0; k < (each ? operands_ : 1); ++k) {
        Statement copy = s;
        for (Syntax& sub : copy.subs) sub = rewritten(sub, each ? k : -1, steps_ && each);
        copy.value = rewritten(copy.value, each ? k : -1);
        out.body.push_back(std::move(copy));
      }
    }
    return out;
  }

 private:
  static std::string of(const std::string& name, int k) { return fmt::format("{}{}", name, k); }
  bool is_own(const std::string& name) const { return std::find(own_.begin(), own_.end(), name) != own_.end(); }

  std::string given(int k) const { return of(variadic_, k) + "_given"; }
  std::string step(int k) const { return "at_" + of(variadic_, k); }

  /// Whether operand k is there, as the number 1 or 0: that many times its statements are carried out.
  void tell_given(OpDef& out) const {
    std::vector<LetDef> lets;
    for (int k = 1; k < operands_; ++k) {
      const SourceSpan& span = def_.inputs.back().span;
      lets.push_back({given(k), call("select", {call("given", {named(of(variadic_, k), span)}), number(1, span), number(0, span)}), false, false, span});
      if (steps_) out.index.push_back({step(k), false, named(given(k), span), span});
    }
    out.lets.insert(out.lets.begin(), lets.begin(), lets.end());
  }

  /// Variables over a dim that differs between the operands range over another extent in each statement, so each has names of its own.
  void find_variables(const Syntax& s) {
    const std::vector<Dim>& dims = def_.inputs.back().dims;
    if (s.kind == SyntaxKind::subscript && s.text == variadic_)
      for (size_t i = 0; i < std::min(dims.size(), s.children.size()); ++i)
        if (dims[i].per_operand && s.children[i].kind == SyntaxKind::name) own_.push_back(s.children[i].text);
    for (const Syntax& c : s.children) find_variables(c);
  }

  Syntax sum(const std::string& name, int count, const SourceSpan& span) const {
    Syntax out = number(0, span);
    for (int k = 0; k < count; ++k) out = k == 0 ? named(of(name, k), span) : plus(out, named(of(name, k), span));
    return out;
  }

  Syntax count(const SourceSpan& span) const {
    if (!may_lack_) return number(operands_, span);
    Syntax out = number(1, span);
    for (int k = 1; k < operands_; ++k) out = plus(out, named(given(k), span));
    return out;
  }

  /// `steps`: the operand's number is where a loop stands that runs as often as there is this operand.
  Syntax rewritten(const Syntax& s, int k, bool steps = false) const {
    if (s.kind == SyntaxKind::call && s.children.size() == 1) {
      const std::string& arg = s.children[0].text;
      if (s.text == "sum_of") return sum(arg, operands_, s.span);
      if (s.text == "offset" && is_own(arg)) return sum(arg, std::max(k, 0), s.span);
      if (s.text == "operand") return steps && k > 0 ? plus(number(k, s.span), named(step(k), s.span)) : number(k, s.span);
      if (s.text == "count") return count(s.span);
    }
    Syntax out = s;
    if (k >= 0 && s.kind == SyntaxKind::subscript && s.text == variadic_) out.text = of(variadic_, k);
    if (k >= 0 && s.kind == SyntaxKind::name && is_own(s.text)) out.text = of(s.text, k);
    for (Syntax& c : out.children) c = rewritten(c, k, steps);
    return out;
  }

  const OpDef& def_;
  std::string variadic_;
  int operands_;
  bool may_lack_;
  bool steps_;   ///< statements of operands that are not there are carried out no times by a loop of their own
  std::vector<std::string> own_;
};

}  // namespace

bool is_variadic(const OpDef& def) { return !def.inputs.empty() && def.inputs.back().variadic; }

bool counts_operands(const OpDef& def) {
  if (!is_variadic(def)) return false;
  const auto counts = [](const Syntax& s) { return mentions_call(s, "count"); };
  return !has_own_extent(def.inputs.back()) || std::any_of(def.lets.begin(), def.lets.end(), [&](const LetDef& l) { return counts(l.value); }) ||
         std::any_of(def.requires_.begin(), def.requires_.end(), counts) ||
         std::any_of(def.body.begin(), def.body.end(), [&](const Statement& s) { return counts(s.value) || std::any_of(s.subs.begin(), s.subs.end(), counts); });
}

bool may_lack_operands(const OpDef& def) {
  if (!is_variadic(def) || def.inputs.size() != 1) return false;
  const auto placed = [&](const Statement& s) {
    return !reads(s.value, def.inputs[0].name) || std::any_of(s.subs.begin(), s.subs.end(), [](const Syntax& sub) { return mentions_call(sub, "operand"); });
  };
  return has_own_extent(def.inputs[0]) || std::all_of(def.body.begin(), def.body.end(), placed);
}

OpDef unroll_variadic(const OpDef& def, int operands) { return Unroller(def, operands, false).run(); }
OpDef unroll_optional(const OpDef& def, int operands) { return Unroller(def, operands, true).run(); }

}  // namespace tenon
