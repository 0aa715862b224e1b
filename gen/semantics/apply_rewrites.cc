// Answers the queries of the module `rewrite`: ops and their defaults from the definitions, recipes by the frontends'
// evaluator.
#include "semantics/apply_rewrites.h"

#include <memory>

#include "frontend/recipe/run_recipe.h"
#include "rewrite/read_rules.h"
#include "semantics/fold_node.h"
#include "semantics/library_semantics.h"
#include "support/ranges.h"

namespace tenon {
namespace {

// Weights of the largest layers in use; a graph that asks for more than this keeps its nodes.
constexpr int64_t kFoldedElements = int64_t{1} << 26;

struct AttributeAsValue {
  RecipeValue operator()(bool b) const { return b; }
  RecipeValue operator()(int64_t n) const { return SizeExpr(n); }
  RecipeValue operator()(double d) const { return d; }
  RecipeValue operator()(const std::string& s) const { return s; }
  RecipeValue operator()(DType d) const { return d; }
  RecipeValue operator()(const SizeExpr& e) const { return e; }
  template <class T>
  RecipeValue operator()(const std::vector<T>& list) const {
    RecipeList out;
    for (const T& x : list) out.push_back((*this)(x));
    return out;
  }
};

/// A separate graph for a rule's recipe, whose inputs are the tensors that the rule binds.
class Fragment {
 public:
  Fragment(const OpSemantics& semantics, const RecipeFunctions& functions, const Graph& graph)
      : graph_(graph), builder_(semantics, graph.name), functions_(functions) {
    builder_.compute_up_to(kFoldedElements);
    for (const GraphSize& s : all_sizes(graph)) builder_.add_size(s);
    sizes_ = builder_.sizes().size();
  }

  Replacement carry_out(const Rule& rule, const std::vector<RecipeStatement>& recipe, const RuleBindings& bindings,
                        size_t outputs) {
    for (const auto& [name, id] : bindings.values) scope_[name] = tensor(id);
    for (const auto& [name, ids] : bindings.lists) {
      RecipeList list;
      for (const ValueId id : ids) list.push_back(tensor(id));
      scope_[name] = std::move(list);
    }
    for (const auto& [name, value] : bindings.attrs) scope_[name] = std::visit(AttributeAsValue{}, value);
    RecipeContext context{builder_, functions_};
    Replacement r;
    try {
      if (rule.where) {
        const RecipeValue holds = evaluate_recipe(context, *rule.where, scope_);
        const bool* b = holds.get<bool>();
        if (!b) throw RecipeError(0, "the condition is " + to_text(holds));
        if (!*b) return r;
      }
      r.applies = true;
      const RecipeValue made = run_recipe(context, recipe, scope_, outputs);
      const RecipeList list = outputs == 1 ? RecipeList{made} : *made.get<RecipeList>();
      r.refusal = finish(list, r);
    } catch (const RecipeError& e) {
      r.applies = true;
      r.refusal = e.what();
    } catch (const GraphError& e) {
      r.refusal = e.what();
    }
    return r;
  }

 private:
  RecipeValue tensor(ValueId id) {
    if (id == kNoValue) return {};
    const auto [at, added] = taken_.emplace(id, kNoValue);
    if (!added) return TensorRef{at->second};
    const Value& v = graph_.value(id);
    if (v.constant && !v.trainable) return TensorRef{at->second = builder_.add_constant(v.original, v.constant)};
    inputs_.push_back(id);
    return TensorRef{at->second = builder_.add_input(v.original, v.dtype, v.dims)};
  }

  std::string finish(const RecipeList& results, Replacement& r) {
    std::vector<std::pair<std::string, ValueId>> outputs;
    for (const RecipeValue& v : results) {
      if (!v.get<TensorRef>()) return "its value is " + to_text(v) + ", which is not a tensor";
      outputs.emplace_back("y", v.get<TensorRef>()->id);
    }
    if (builder_.sizes().size() != sizes_) return "its extents depend on data";
    r.graph = builder_.finish(outputs);
    r.inputs = inputs_;
    return "";
  }

  const Graph& graph_;
  GraphBuilder builder_;
  const RecipeFunctions& functions_;
  RecipeScope scope_;
  std::map<ValueId, ValueId> taken_;
  std::vector<ValueId> inputs_;
  size_t sizes_ = 0;
};

/// The gradient of an op with one result, F_grad_dX as graphs name it: it takes the gradient of the result, then what F
/// takes, of which it may read little.
std::optional<OpSignature> gradient_op(const OpSemantics& semantics, const std::string& name) {
  const size_t end = name.rfind("_grad_d");
  const OpSignature* of = end == std::string::npos ? nullptr : semantics.find(name.substr(0, end));
  if (!of || of->outputs.size() != 1) return std::nullopt;
  const std::string wrt = name.substr(end + std::string_view("_grad_d").size());
  if (none_of(of->inputs, [&](const auto& input) { return input.name == wrt; })) return std::nullopt;
  OpSignature op = *of;
  op.inputs.insert(op.inputs.begin(), {"d" + of->outputs[0]});
  return op;
}

/// The queries of the module about `defs`, which must outlive it.
RuleLibrary rule_library(const OpLibrary& defs, const RecipeFunctions& functions) {
  const auto semantics = std::make_shared<OpSemantics>(folding_semantics(defs));
  const auto gradients = std::make_shared<std::map<std::string, std::optional<OpSignature>>>();
  const auto hosts = std::make_shared<std::vector<std::string>>(host_functions());
  RuleLibrary library;
  library.find = [semantics, gradients](const std::string& op) -> const OpSignature* {
    if (const OpSignature* s = semantics->find(op)) return s;
    const auto [at, added] = gradients->try_emplace(op);
    if (added) at->second = gradient_op(*semantics, op);
    return at->second ? &*at->second : nullptr;
  };
  library.names = [&defs, hosts] {
    std::vector<std::string> names = *hosts;
    const std::vector<std::string> ops = defs.names();
    append(names, ops);
    return names;
  };
  library.is_function = [hosts](const std::string& name) { return contains(*hosts, name); };
  library.carry_out = [semantics, &functions](const Graph& graph, const Rule& rule,
                                              const std::vector<RecipeStatement>& recipe, const RuleBindings& bindings,
                                              size_t outputs) {
    return Fragment(*semantics, functions, graph).carry_out(rule, recipe, bindings, outputs);
  };
  library.evaluate = [&defs](const std::string& op, const std::vector<const TensorData*>& inputs,
                             const Attributes& attrs) { return fold_node(defs, op, inputs, attrs).outputs; };
  return library;
}

}  // namespace

Result<RuleSet> read_rewrites(const OpLibrary& defs, const std::vector<SourceFileRef>& files) {
  return read_rules(files, rule_library(defs, {}));
}

RewriteOutcome apply_rewrites(const OpLibrary& defs, const RuleSet& rules, Graph graph) {
  return rewrite_graph(std::move(graph), rules, rule_library(defs, rules.functions));
}

}  // namespace tenon
