// Reads rewrite rules and checks that their names and calls mean something.
#include "rewrite/read_rules.h"

#include <fmt/format.h>

#include "rewrite/rule_parts.h"
#include "support/joined.h"
#include "support/ranges.h"
#include "support/yaml_document.h"

namespace tenon {
namespace {

using Kind = RecipeExpr::Kind;

std::set<std::string> word_set(const YamlNode* node) {
  if (!node) return {};
  const std::vector<std::string> list = words_of(node->text);
  return {list.begin(), list.end()};
}

/// `e` with other names in its calls.
void rename_calls(RecipeExpr& e, const std::map<std::string, std::string>& names) {
  if (const auto n = names.find(e.text); e.kind == Kind::call && n != names.end()) e.text = n->second;
  for (RecipeExpr& a : e.args) rename_calls(a, names);
}

class RuleReader {
 public:
  explicit RuleReader(const RuleLibrary& library) : library_(library) {}

  Result<RuleSet> read(const std::vector<SourceFileRef>& files) {
    std::vector<YamlNode> documents;
    for (Result<std::vector<YamlNode>>& read : read_yaml(files)) {
      diagnostics_.append(read.diagnostics());
      if (!read.ok()) continue;
      append(documents, read.value());
    }
    // Rules may call functions of any file and know all ops that commute.
    for (const YamlNode& d : documents) read_shared(d);
    for (const YamlNode& d : documents) read_list(d);
    if (diagnostics_.has_errors()) return diagnostics_;
    return std::move(set_);
  }

 private:
  void error(Code code, const SourceSpan& span, std::string message, std::string note) {
    diagnostics_.error(code, span, std::move(message), {std::move(note)});
  }

  void read_shared(const YamlNode& document) {
    if (!document.is_map())
      return error(Code::E0202, document.span, "a file of rules is a map", "write `rules:` and a list below it");
    for (const YamlEntry& e : document.entries) {
      if (e.key.text == "commutative") read_commutative(e.value);
      else if (e.key.text == "functions") read_functions(e.value);
      else if (e.key.text != "rules")
        error(Code::E0201, e.key.span, fmt::format("a file of rules has no key '{}'", e.key.text),
              "its keys are commutative, functions and rules");
    }
  }

  void read_list(const YamlNode& document) {
    const YamlNode* rules = document.find("rules");
    if (!rules) return;
    if (!rules->is_sequence())
      return error(Code::E0202, rules->span, "rules are a list", "write `- rule: name`, a line a rule");
    for (const YamlNode& item : rules->items) read_rule(item);
  }

  void read_commutative(const YamlNode& value) {
    for (const std::string& op : words_of(value.text)) {
      const OpSignature* found = library_.find(op);
      if (!found || found->inputs.size() != 2)
        error(Code::E0702, value.span, fmt::format("'{}' is not an op of two operands", op),
              "`tenon list ops` names all ops");
      set_.commutative.insert(op);
    }
  }

  template <class Parse>
  auto parse(const YamlNode& node, const Parse& parser) -> decltype(parser(std::string_view())) {
    const PlacedText text = placed_text(node);
    try {
      return parser(text.text);
    } catch (const RecipeError& e) {
      misread(node, Code::E0701, e);
      return {};
    }
  }

  void misread(const YamlNode& node, Code code, const RecipeError& e) {
    const PlacedText text = placed_text(node);
    const size_t at = std::min(e.offset, text.text.size());
    error(code, text.span(at, std::min(at + 1, text.text.size())), e.what(),
          "docs/add-a-rewrite.md says what rules consist of");
  }

  void read_functions(const YamlNode& map) {
    if (!map.is_map())
      return error(Code::E0202, map.span, "functions are a map", "write `name(a, b): recipe`, a line a function");
    for (const YamlEntry& e : map.entries) {
      const auto head = parse_recipe_head(e.key.text);
      if (!head) {
        error(Code::E0701, e.key.span, "this is not a head of a function", "a function is written name(a, b): recipe");
        continue;
      }
      RecipeFunction f{head->parameters, parse(e.value, [](std::string_view t) { return parse_recipe(t); })};
      if (!set_.functions.emplace(head->name, std::move(f)).second)
        error(Code::E0702, e.key.span, fmt::format("a function '{}' is there already", head->name),
              "functions of all files share their names");
    }
  }

  void read_rule(const YamlNode& item) {
    static const std::set<std::string> keys = {"rule",     "doc",    "each",  "match",
                                               "optional", "shared", "where", "replace"};
    if (!item.is_map()) return error(Code::E0202, item.span, "a rule is a map", "write `- rule: name`");
    for (const YamlEntry& e : item.entries)
      if (!keys.count(e.key.text))
        error(Code::E0201, e.key.span, fmt::format("a rule has no key '{}'", e.key.text),
              fmt::format("its keys are {}", joined(keys, ", ")));
    for (const char* key : {"rule", "doc", "match", "replace"})
      if (!item.find(key))
        return error(Code::E0203, item.span, fmt::format("a rule needs the key {}", key),
                     "docs/add-a-rewrite.md says what rules consist of");
    for (const char* key : {"optional", "shared"})
      if (const YamlNode* names = item.find(key); names && !names->is_scalar())
        return error(Code::E0202, names->span, fmt::format("`{}` is a text of names", key),
                     "write the names with a blank between two");
    std::vector<std::map<std::string, std::string>> variants(1);
    if (const YamlNode* each = item.find("each")) {
      const bool of_lists =
          each->is_map() && all_of(each->entries, [](const YamlEntry& e) { return e.value.is_sequence(); });
      if (!of_lists)
        return error(Code::E0202, each->span, "`each` is a map of lists", "write `each: {f: [relu, tanh]}`");
      for (const YamlEntry& e : each->entries) variants = times(variants, e);
    }
    for (const auto& v : variants) read_variant(item, v);
  }

  static std::vector<std::map<std::string, std::string>> times(
      const std::vector<std::map<std::string, std::string>>& variants, const YamlEntry& each) {
    std::vector<std::map<std::string, std::string>> out;
    for (const auto& v : variants)
      for (const YamlNode& op : each.value.items) {
        out.push_back(v);
        out.back()[each.key.text] = op.text;
      }
    return out;
  }

  void read_variant(const YamlNode& item, const std::map<std::string, std::string>& ops) {
    Rule rule;
    rule.name = item.find("rule")->text;
    for (const auto& [variable, op] : ops) rule.name += "_" + op;
    rule.doc = item.find("doc")->text;
    rule.span = item.find("rule")->span;
    const size_t before = diagnostics_.size();
    std::vector<RecipeStatement> match = parse(*item.find("match"), [](std::string_view t) { return parse_recipe(t); });
    rule.replace = parse(*item.find("replace"), [](std::string_view t) { return parse_recipe(t); });
    if (const YamlNode* where = item.find("where"))
      rule.where = parse(*where, [](std::string_view t) { return parse_recipe_expr(t); });
    if (diagnostics_.size() != before) return;
    for (RecipeStatement& s : match) rename_calls(s.value, ops);
    for (RecipeStatement& s : rule.replace) rename_calls(s.value, ops);
    if (rule.where) rename_calls(*rule.where, ops);
    if (meaning(*item.find("match"), [&] {
          parse_pattern(match, {word_set(item.find("optional")), word_set(item.find("shared"))}, set_, library_, rule);
        }))
      return;
    const auto twin = find_if(set_.rules, [&](const Rule& r) { return r.name == rule.name; });
    if (twin != set_.rules.end())
      return error(Code::E0702, rule.span, fmt::format("a rule '{}' is there already", rule.name),
                   "rules of all files share their names");
    if (rule.where && meaning(*item.find("where"), [&] { check_condition(rule, set_, library_); })) return;
    if (meaning(*item.find("replace"), [&] { check_replacement(rule, set_, library_); })) return;
    set_.rules.push_back(std::move(rule));
  }

  template <class Check>
  bool meaning(const YamlNode& node, const Check& check) {
    try {
      check();
      return false;
    } catch (const RecipeError& e) {
      misread(node, Code::E0702, e);
      return true;
    }
  }

  const RuleLibrary& library_;
  RuleSet set_;
  Diagnostics diagnostics_;
};

}  // namespace

Result<RuleSet> read_rules(const std::vector<SourceFileRef>& files, const RuleLibrary& library) {
  return RuleReader(library).read(files);
}

}  // namespace tenon
