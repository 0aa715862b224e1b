// Rewrite rules: a pattern in a graph, and its replacement.
//
//   RuleSet   := rules in order, functions that their recipes call, ops whose two operands may change places
//   Rule      := pattern nodes (the last one is the root), a condition, a recipe whose value replaces the root's
//   outputs pattern   := op(value, …, attribute=variable or literal, **rest)
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/graph/op_signature.h"
#include "support/recipe_syntax.h"
#include "support/source_span.h"

namespace tenon {

/// A tensor of a pattern.
struct PatternValue {
  std::string name;              // "" for one that only another call of the pattern reads, and for a number
  int maker = -1;                // pattern node that makes it; -1: any value
  size_t output = 0;             // which of the maker's
  std::optional<double> number;  // a constant, all of whose elements are this number to within its type's rounding
  bool optional = false;         // an input that may be absent
  bool shared = false;           // others may read it too, although a node of the pattern makes it
};

/// An attribute of a pattern's node: equal to `literal`, or whatever it is, called `variable`.
struct PatternAttr {
  std::string name;
  std::string variable;
  AttrValue literal;
};

struct PatternNode {
  std::string op;
  bool commutative = false;  // its two inputs are tried both ways round
  std::vector<int> inputs;   // positions in Rule::values; further ones are absent
  std::string list;          // name of all its inputs, for an op of any number of them
  std::vector<PatternAttr> attrs;
  std::string rest;  // name of the attributes that `attrs` does not name; "": there are no others
  std::vector<int> outputs;
};

struct Rule {
  std::string name;
  std::string doc;
  std::vector<PatternValue> values;
  std::vector<PatternNode> nodes;  // in order, each after those that it reads; the root is last
  std::optional<RecipeExpr> where;
  std::vector<RecipeStatement> replace;
  SourceSpan span;

  const PatternNode& root() const { return nodes.back(); }
};

struct RuleSet {
  std::vector<Rule> rules;
  RecipeFunctions functions;
  std::set<std::string> commutative;
};

/// The bindings of a rule's names at a match. Absent inputs are kNoValue.
struct RuleBindings {
  std::map<std::string, ValueId> values;
  std::map<std::string, std::vector<ValueId>> lists;
  std::map<std::string, AttrValue> attrs;
};

/// The result of a rule's recipe for its bindings.
struct Replacement {
  bool applies = false;         // the condition holds
  std::string refusal;          // why the recipe failed although it holds
  Graph graph;                  // its outputs are those of the pattern's root
  std::vector<ValueId> inputs;  // what its inputs are in the graph that is rewritten
};

/// The library and its recipes as this module queries them; the driver supplies it.
struct RuleLibrary {
  /// nullptr where there is no such op. The pointer stays valid.
  std::function<const OpSignature*(const std::string& op)> find;
  /// All that recipes may call, for suggestions after misspelt names.
  std::function<std::vector<std::string>()> names;
  /// Whether recipes may call this next to ops.
  std::function<bool(const std::string& name)> is_function;
  /// Tries the condition and carries out `recipe`, the rule's own with its `**rest` spelled out. `outputs` is how many
  /// the root has.
  std::function<Replacement(const Graph& graph, const Rule& rule, const std::vector<RecipeStatement>& recipe,
                            const RuleBindings& bindings, size_t outputs)>
      carry_out;
  /// Results of `op` on constants (nullptr = absent); none where they cannot be computed.
  std::function<std::vector<TensorData>(const std::string& op, const std::vector<const TensorData*>& inputs,
                                        const Attributes& attrs)>
      evaluate;
};

}  // namespace tenon
