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

class Unroller {
 public:
  Unroller(const OpDef& def, int operands) : def_(def), variadic_(def.inputs.back().name), operands_(operands) {
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
      for (Dim& d : t.dims) {
        if (d.per_operand) d.name = of(d.name, k);
        d.per_operand = false;
      }
      out.inputs.push_back(std::move(t));
    }
    for (LetDef& l : out.lets) l.value = rewritten(l.value, -1);
    for (Syntax& r : out.requires_) r = rewritten(r, -1);
    out.body.clear();
    for (const Statement& s : def_.body) {
      const bool each = reads_operand(s.value);
      for (int k = 0; k < (each ? operands_ : 1); ++k) {
        Statement copy = s;
        for (Syntax& sub : copy.subs) sub = rewritten(sub, each ? k : -1);
        copy.value = rewritten(copy.value, each ? k : -1);
        out.body.push_back(std::move(copy));
      }
    }
    return out;
  }

 private:
  static std::string of(const std::string& name, int k) { return fmt::format("{}{}", name, k); }
  bool is_own(const std::string& name) const { return std::find(own_.begin(), own_.end(), name) != own_.end(); }

  bool reads_operand(const Syntax& s) const {
    if (s.kind == SyntaxKind::subscript && s.text == variadic_) return true;
    return std::any_of(s.children.begin(), s.children.end(), [&](const Syntax& c) { return reads_operand(c); });
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
    for (int k = 0; k < count; ++k) {
      Syntax plus;
      plus.kind = SyntaxKind::binary;
      plus.text = "+";
      plus.span = span;
      plus.children = {out, named(of(name, k), span)};
      out = k == 0 ? named(of(name, k), span) : plus;
    }
    return out;
  }

  Syntax rewritten(const Syntax& s, int k) const {
    if (s.kind == SyntaxKind::call && s.children.size() == 1) {
      const std::string& arg = s.children[0].text;
      if (s.text == "sum_of") return sum(arg, operands_, s.span);
      if (s.text == "offset" && is_own(arg)) return sum(arg, std::max(k, 0), s.span);
      if (s.text == "operand") return number(k, s.span);
      if (s.text == "count") return number(operands_, s.span);
    }
    Syntax out = s;
    if (k >= 0 && s.kind == SyntaxKind::subscript && s.text == variadic_) out.text = of(variadic_, k);
    if (k >= 0 && s.kind == SyntaxKind::name && is_own(s.text)) out.text = of(s.text, k);
    for (Syntax& c : out.children) c = rewritten(c, k);
    return out;
  }

  const OpDef& def_;
  std::string variadic_;
  int operands_;
  std::vector<std::string> own_;
};

}  // namespace

bool is_variadic(const OpDef& def) { return !def.inputs.empty() && def.inputs.back().variadic; }

OpDef unroll_variadic(const OpDef& def, int operands) { return Unroller(def, operands).run(); }

}  // namespace tenon
