// Reads the statements, gathers their names, and writes the definition around them.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "opdef/notation/parse_body.h"
#include "opdef/read/definition_text.h"
#include "support/c_names.h"

namespace tenon {
namespace {

/// What does not say a shape, and why.
struct Unclear {
  SourceSpan span;
  std::string message;
};

PlacedText placed(const std::string& body) {
  PlacedText out;
  out.text = body;
  out.file = std::make_shared<const SourceFile>("--body", body);
  for (size_t i = 0; i <= body.size(); ++i) out.offsets.push_back(static_cast<uint32_t>(i));
  return out;
}

/// The names of a body by what they stand for.
class BodyNames {
 public:
  explicit BodyNames(const std::vector<Statement>& body) {
    for (const Statement& s : body) {
      if (s.is_call) throw Unclear{s.value.span, "a call says no shapes: write the whole definition"};
      for (const Syntax& sub : s.subs) add_index(sub);
      defined_.insert(s.targets[0].text);
    }
    for (const Statement& s : body) {
      set_dims(s.targets[0].text, s.targets[0].span, s.subs);
      walk(s.value);
    }
    last_ = body.back().targets[0].span;
  }

  std::string text(const std::string& body, std::string_view types) const {
    std::string in, out, attrs, lines;
    for (const std::string& name : order_) {
      std::string& list = !defined_.count(name) ? in : out;
      if (defined_.count(name) && read_.count(name)) continue;
      list += fmt::format("{}{}: \"T{}\"", list.empty() ? "" : ", ", name, dims_.at(name));
    }
    if (out.empty()) throw Unclear{last_, "every value is read again, so that there is no output"};
    for (const std::string& name : scalars_)
      if (!sizes_.count(name)) attrs += fmt::format("{}{}: float = 1", attrs.empty() ? "" : ", ", name);
    for (size_t at = 0; at < body.size();) {
      const size_t end = std::min(body.find('\n', at), body.size());
      lines += "      " + body.substr(at, end - at) + "\n";
      at = end + 1;
    }
    return fmt::format("ops:\n  - op: body\n    types: {{T: {}}}\n{}    in: {{{}}}\n    out: {{{}}}\n    body: |\n{}",
                       types, attrs.empty() ? "" : fmt::format("    attrs: {{{}}}\n", attrs), in, out, lines);
  }

 private:
  void add_index(const Syntax& s) {
    if (!s.is(SyntaxKind::name) && !s.is(SyntaxKind::pack)) return;
    indices_.insert(s.text);
    sizes_.insert(upper_case(s.text));
  }

  void set_dims(const std::string& tensor, const SourceSpan& at, const std::vector<Syntax>& subs) {
    std::string dims;
    for (const Syntax& s : subs) {
      const bool plain = (s.is(SyntaxKind::name) || s.is(SyntaxKind::pack)) && indices_.count(s.text);
      if (!plain)
        throw Unclear{s.span,
                      fmt::format("the axis of '{}' that is read at '{}' has no length: write the whole definition",
                                  tensor, print(s))};
      dims += fmt::format("{}{}{}", dims.empty() ? "" : ", ", s.is(SyntaxKind::pack) ? "*" : "", upper_case(s.text));
    }
    const auto [known, added] = dims_.emplace(tensor, "[" + dims + "]");
    if (added) order_.push_back(tensor);
    else if (known->second != "[" + dims + "]")
      throw Unclear{at, fmt::format("'{}' has the shape {} and {}: write the whole definition", tensor, known->second,
                                    "[" + dims + "]")};
  }

  void walk(const Syntax& s) {
    if (s.is(SyntaxKind::reduce))
      for (const Syntax& v : s.variables()) add_index(v);
    if (s.is(SyntaxKind::subscript)) {
      set_dims(s.text, s.span, s.children);
      read_.insert(s.text);
      return;
    }
    if (s.is(SyntaxKind::name) && !indices_.count(s.text) && !s.is_name("nan") && !s.is_name("pi"))
      scalars_.insert(s.text);
    if (s.is(SyntaxKind::keyword)) return walk(s.children[0]);
    for (size_t i = s.is(SyntaxKind::reduce) ? 1 : 0; i < s.children.size(); ++i) walk(s.children[i]);
  }

  std::set<std::string> indices_, sizes_, scalars_, defined_, read_;
  std::vector<std::string> order_;
  std::map<std::string, std::string> dims_;
  SourceSpan last_;
};

}  // namespace

Result<std::string> body_definition(const std::string& body, std::string_view types) {
  Diagnostics diagnostics;
  const std::vector<Statement> statements = parse_body(placed(body), diagnostics);
  if (diagnostics.has_errors()) return diagnostics;
  try {
    return BodyNames(statements).text(body, types);
  } catch (const Unclear& unclear) {
    diagnostics.error(Code::E0301, unclear.span, unclear.message,
                      {"a body is written as 'Y[i] = 2*X[i] + alpha': docs/opdef-language.md"});
    return diagnostics;
  }
}

}  // namespace tenon
