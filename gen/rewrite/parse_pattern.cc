// Turns calls of ops into pattern nodes, and checks them against the library.
#include <fmt/format.h>

#include "rewrite/rule_parts.h"
#include "support/diagnostics.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using Kind = RecipeExpr::Kind;

std::string meant(const std::string& wrong, const std::vector<std::string>& known) {
  const std::string near = nearest_name(wrong, known);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

class PatternParser {
 public:
  PatternParser(const PatternWords& words, const RuleSet& set, const RuleLibrary& library, Rule& rule)
      : words_(words), set_(set), library_(library), rule_(rule) {}

  void run(const std::vector<RecipeStatement>& match) {
    if (match.empty()) throw RecipeError(0, "a pattern is at least one call");
    for (const RecipeStatement& s : match) {
      if (s.value.kind != Kind::call) throw RecipeError(s.value.offset, "a pattern consists of calls of ops");
      const int node = call(s.value);
      if (s.targets.size() > library_.find(rule_.nodes[static_cast<size_t>(node)].op)->outputs.size() &&
          s.targets.size() > 1)
        throw RecipeError(s.offset,
                          fmt::format("{} has {} results", s.value.text,
                                      library_.find(rule_.nodes[static_cast<size_t>(node)].op)->outputs.size()));
      for (size_t i = 0; i < s.targets.size(); ++i) define(s, s.targets[i], node, i);
    }
    for (const std::set<std::string>* names : {&words_.optional, &words_.shared})
      for (const std::string& n : *names)
        if (!places_.count(n)) throw RecipeError(0, fmt::format("'{}' is not a value of the pattern", n));
    check_reached(match);
  }

 private:
  void define(const RecipeStatement& s, const std::string& name, int node, size_t output) {
    if (places_.count(name)) throw RecipeError(s.offset, fmt::format("'{}' is in the pattern already", name));
    const int place = output_of(node, output);
    rule_.values[static_cast<size_t>(place)].name = name;
    rule_.values[static_cast<size_t>(place)].shared = words_.shared.count(name) != 0;
    places_[name] = place;
  }

  int add(PatternValue value) {
    rule_.values.push_back(std::move(value));
    return static_cast<int>(rule_.values.size()) - 1;
  }

  int output_of(int node, size_t output) {
    PatternNode& n = rule_.nodes[static_cast<size_t>(node)];
    while (n.outputs.size() <= output) {
      PatternValue v;
      v.maker = node;
      v.output = n.outputs.size();
      n.outputs.push_back(add(std::move(v)));
    }
    return n.outputs[output];
  }

  int call(const RecipeExpr& e) {
    const OpSignature* op = library_.find(e.text);
    if (!op)
      throw RecipeError(e.offset,
                        fmt::format("the library has no op '{}'{}", e.text,
                                    meant(e.text, library_.names ? library_.names() : std::vector<std::string>{})));
    PatternNode node;
    node.op = e.text;
    for (const RecipeExpr& a : e.args) argument(e, a, *op, node);
    node.commutative = set_.commutative.count(node.op) != 0 && node.inputs.size() == 2;
    if (node.inputs.size() > op->inputs.size() && !op->is_variadic())
      throw RecipeError(e.offset, fmt::format("{} has {} inputs", e.text, op->inputs.size()));
    if (node.rest.empty())
      for (const AttrSignature& attr : op->attrs)
        if (none_of(node.attrs, [&](const PatternAttr& a) { return a.name == attr.name; }))
          throw RecipeError(
              e.offset, fmt::format("the pattern says nothing of {}'s attribute {}: name it, or write **rest", e.text,
                                    attr.name));
    rule_.nodes.push_back(std::move(node));
    const int place = static_cast<int>(rule_.nodes.size()) - 1;
    output_of(place, 0);
    return place;
  }

  void argument(const RecipeExpr& e, const RecipeExpr& a, const OpSignature& op, PatternNode& node) {
    if (a.kind == Kind::keyword) return attribute(e, a, op, node);
    if (a.kind == Kind::splat && a.text == "**") return bind_rest(a, node);
    if (a.kind == Kind::splat) return bind_list(e, a, op, node);
    if (!node.list.empty()) throw RecipeError(a.offset, "a list of all inputs is alone");
    node.inputs.push_back(input(a));
  }

  void bind_rest(const RecipeExpr& a, PatternNode& node) {
    node.rest = a.args[0].text;
    take(a.offset, node.rest);
  }

  void bind_list(const RecipeExpr& e, const RecipeExpr& a, const OpSignature& op, PatternNode& node) {
    if (!op.is_variadic() || !node.inputs.empty() || a.args[0].kind != Kind::name)
      throw RecipeError(a.offset, fmt::format("{} does not take a list here", e.text));
    node.list = a.args[0].text;
    take(a.offset, node.list);
  }

  void take(size_t offset, const std::string& name) {
    if (places_.count(name) || !variables_.insert(name).second)
      throw RecipeError(offset, fmt::format("'{}' is in the pattern already", name));
  }

  int input(const RecipeExpr& a) {
    switch (a.kind) {
      case Kind::name: return named(a);
      case Kind::call: {
        const int node = call(a);
        return rule_.nodes[static_cast<size_t>(node)].outputs[0];
      }
      case Kind::integer:
      case Kind::real:
      case Kind::unary: {
        PatternValue v;
        v.number = number(a);
        return add(std::move(v));
      }
      default: throw RecipeError(a.offset, "an operand of a pattern is a name, a number or a call");
    }
  }

  static double number(const RecipeExpr& a) {
    if (a.kind == Kind::unary && a.text == "-") return -number(a.args[0]);
    if (a.kind == Kind::integer) return static_cast<double>(a.integer);
    if (a.kind == Kind::real) return a.real;
    throw RecipeError(a.offset, "a number is expected here");
  }

  int named(const RecipeExpr& a) {
    if (variables_.count(a.text)) throw RecipeError(a.offset, fmt::format("'{}' is not a tensor", a.text));
    const auto found = places_.find(a.text);
    if (found != places_.end()) return found->second;
    PatternValue v;
    v.name = a.text;
    v.optional = words_.optional.count(a.text) != 0;
    return places_[a.text] = add(std::move(v));
  }

  void attribute(const RecipeExpr& e, const RecipeExpr& a, const OpSignature& op, PatternNode& node) {
    if (!op.attr(a.text)) {
      const std::vector<std::string> known = mapped(op.attrs, &AttrSignature::name);
      throw RecipeError(a.offset, fmt::format("{} has no attribute '{}'{}", e.text, a.text, meant(a.text, known)));
    }
    PatternAttr attr;
    attr.name = a.text;
    const RecipeExpr& v = a.args[0];
    if (v.kind == Kind::name && v.text != "true" && v.text != "false" && !dtype_from_name(v.text)) {
      attr.variable = v.text;
      if (places_.count(v.text)) throw RecipeError(v.offset, fmt::format("'{}' is a tensor", v.text));
      variables_.insert(v.text);
    } else {
      attr.literal = literal(v);
    }
    node.attrs.push_back(std::move(attr));
  }

  static AttrValue literal(const RecipeExpr& v) {
    if (v.kind == Kind::text) return v.text;
    if (v.kind == Kind::name && dtype_from_name(v.text)) return *dtype_from_name(v.text);
    if (v.kind == Kind::name) return v.text == "true";
    if (v.kind == Kind::integer) return v.integer;
    if (v.kind == Kind::list) {
      return mapped(v.args, [&](const RecipeExpr& x) { return static_cast<int64_t>(number(x)); });
    }
    if (v.kind == Kind::unary && v.args[0].kind == Kind::integer) return -v.args[0].integer;
    return number(v);
  }

  // Every call but the last one is read by a later one, so that the root leads to all of them.
  void check_reached(const std::vector<RecipeStatement>& match) const {
    std::set<int> read;
    for (const PatternNode& n : rule_.nodes)
      for (const int v : n.inputs)
        if (rule_.values[static_cast<size_t>(v)].maker >= 0) read.insert(rule_.values[static_cast<size_t>(v)].maker);
    for (size_t i = 0; i + 1 < rule_.nodes.size(); ++i)
      if (!read.count(static_cast<int>(i)))
        throw RecipeError(match.back().offset, fmt::format("the last call does not lead to {}", rule_.nodes[i].op));
  }

  const PatternWords& words_;
  const RuleSet& set_;
  const RuleLibrary& library_;
  Rule& rule_;
  std::map<std::string, int> places_;
  std::set<std::string> variables_;
};

}  // namespace

void parse_pattern(const std::vector<RecipeStatement>& match, const PatternWords& words, const RuleSet& set,
                   const RuleLibrary& library, Rule& rule) {
  PatternParser(words, set, library, rule).run(match);
}

}  // namespace tenon
