// Checks of names and calls in the recipes of rules; `**rest` spelled out.
#include <fmt/format.h>

#include "rewrite/rule_parts.h"
#include "support/diagnostics.h"

namespace tenon {
namespace {

using Kind = RecipeExpr::Kind;

class RecipeCheck {
 public:
  RecipeCheck(const Rule& rule, const RuleSet& set, const RuleLibrary& library) : set_(set), library_(library) {
    for (const PatternValue& v : rule.values)
      if (!v.name.empty()) known_.insert(v.name);
    for (const PatternNode& n : rule.nodes) {
      if (!n.rest.empty()) rests_.insert(n.rest);
      if (!n.list.empty()) known_.insert(n.list);
      for (const PatternAttr& a : n.attrs)
        if (!a.variable.empty()) known_.insert(a.variable);
    }
    for (const char* word : {"true", "false", "none", "inf", "nan"}) known_.insert(word);
  }

  void define(const std::vector<std::string>& names) { known_.insert(names.begin(), names.end()); }

  [[noreturn]] void not_callable(const RecipeExpr& e) const {
    std::vector<std::string> known = library_.names ? library_.names() : std::vector<std::string>{};
    for (const auto& [name, function] : set_.functions) known.push_back(name);
    const std::string near = nearest_name(e.text, known);
    throw RecipeError(e.offset, fmt::format("'{}' is neither an op nor a function{}", e.text,
                                            near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }

  void expr(const RecipeExpr& e) {
    if (e.kind == Kind::name && !known_.count(e.text) && !dtype_from_name(e.text)) {
      const std::string near = nearest_name(e.text, {known_.begin(), known_.end()});
      throw RecipeError(e.offset, fmt::format("nothing has the name '{}'{}", e.text,
                                              near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    }
    if (e.kind == Kind::call && e.text != "apply" && !library_.find(e.text) && !set_.functions.count(e.text) &&
        !library_.is_function(e.text))
      not_callable(e);
    if (e.kind == Kind::splat && e.text == "**") {
      if (!rests_.count(e.args[0].text))
        throw RecipeError(e.offset, fmt::format("the pattern has no **{}", e.args[0].text));
      return;
    }
    if (e.kind == Kind::comprehension) {
      expr(e.args[1]);
      const bool added = known_.insert(e.text).second;
      expr(e.args[0]);
      if (added) known_.erase(e.text);
      return;
    }
    for (const RecipeExpr& a : e.args) expr(a);
  }

 private:
  const RuleSet& set_;
  const RuleLibrary& library_;
  std::set<std::string> known_, rests_;
};

void spell_out(RecipeExpr& e, const std::map<std::string, std::vector<std::string>>& attrs) {
  std::vector<RecipeExpr> args;
  for (RecipeExpr& a : e.args) {
    if (a.kind != Kind::splat || a.text != "**") {
      spell_out(a, attrs);
      args.push_back(std::move(a));
      continue;
    }
    for (const std::string& name : attrs.at(a.args[0].text)) {
      RecipeExpr value;
      value.kind = Kind::name;
      value.text = a.args[0].text + "." + name;
      value.offset = a.offset;
      RecipeExpr keyword;
      keyword.kind = Kind::keyword;
      keyword.text = name;
      keyword.offset = a.offset;
      keyword.args = {std::move(value)};
      args.push_back(std::move(keyword));
    }
  }
  e.args = std::move(args);
}

}  // namespace

void check_condition(const Rule& rule, const RuleSet& set, const RuleLibrary& library) {
  RecipeCheck(rule, set, library).expr(*rule.where);
}

void check_replacement(const Rule& rule, const RuleSet& set, const RuleLibrary& library) {
  if (rule.replace.empty()) throw RecipeError(0, "a replacement is at least one expression");
  RecipeCheck check(rule, set, library);
  for (const RecipeStatement& s : rule.replace) {
    check.expr(s.value);
    check.define(s.targets);
  }
}

std::vector<RecipeStatement> with_rests(const std::vector<RecipeStatement>& recipe,
                                        const std::map<std::string, std::vector<std::string>>& attrs) {
  std::vector<RecipeStatement> out = recipe;
  for (RecipeStatement& s : out) spell_out(s.value, attrs);
  return out;
}

}  // namespace tenon
