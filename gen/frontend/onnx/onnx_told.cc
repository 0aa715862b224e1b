// Which inputs may hold extents, and the run-time check of their assumed values.
#include "frontend/onnx/onnx_told.h"

#include <fmt/format.h>

#include <set>

#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int64_t kMaxTold = 16;

}  // namespace

bool may_say_extents(DType dtype, const std::vector<SizeExpr>& dims) {
  if (dtype != DType::I64 && dtype != DType::I32) return false;
  return dims.empty() || (dims.size() == 1 && dims[0].is_constant() && dims[0].value > 0 && dims[0].value <= kMaxTold);
}

std::vector<SizeExpr> element_names(const Value& input) {
  std::vector<SizeExpr> names;
  for (int64_t i = 0, n = input.dims.empty() ? 1 : input.dims[0].value; i < n; ++i)
    names.push_back(size_name(fmt::format("{}[{}]", input.original, i)));
  return names;
}

ValueId only_if(const OnnxNodeContext& context, ValueId output, ValueId condition) {
  RecipeContext recipe{context.builder, context.table.functions};
  const ValueId flat = context.builder.add_node("reshape", {condition}, {{"shape", std::vector<int64_t>{}}}, 1)[0];
  const RecipeFunction& function = context.table.functions.at("only_if");  // opdefs/onnx/deferred.yaml
  RecipeScope scope{{function.parameters[0], TensorRef{output}}, {function.parameters[1], TensorRef{flat}}};
  return run_recipe(recipe, function.body, scope).get<TensorRef>()->id;
}

std::vector<ValueId> cut_to_count(const OnnxNodeContext& context, const std::vector<ValueId>& tensors, ValueId count) {
  RecipeContext recipe{context.builder, context.table.functions};
  const RecipeFunction& function = context.table.functions.at("all_cut_to");  // opdefs/onnx/deferred.yaml
  RecipeList list;
  for (const ValueId t : tensors) list.emplace_back(TensorRef{t});
  RecipeScope scope{{function.parameters[0], std::move(list)}, {function.parameters[1], TensorRef{count}}};
  std::vector<ValueId> cut;
  const RecipeValue results = run_recipe(recipe, function.body, scope);
  for (const RecipeValue& v : *results.get<RecipeList>()) cut.push_back(v.get<TensorRef>()->id);
  return cut;
}

ValueId only_if_told(GraphBuilder& builder, const OnnxTable& table, ValueId given,
                     const std::vector<SizeExpr>& elements, ValueId output) {
  std::vector<int64_t> places;
  RecipeList numbers;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i].is_constant()) continue;
    places.push_back(static_cast<int64_t>(i));
    numbers.push_back(elements[i]);
  }
  if (places.empty()) return output;
  const std::vector<int64_t> all{static_cast<int64_t>(elements.size())}, known{static_cast<int64_t>(places.size())};
  const ValueId flat = builder.add_node("reshape", {given}, {{"shape", all}}, 1)[0];
  const ValueId told = builder.add_node("gather", {flat, builder.add_constant("", i64_tensor(known, places))},
                                        {{"axis", int64_t{0}}}, 1)[0];
  RecipeContext recipe{builder, table.functions};
  const RecipeFunction& agreed = table.functions.at("agreed");  // opdefs/onnx/deferred.yaml
  RecipeScope scope{{agreed.parameters[0], TensorRef{output}},
                    {agreed.parameters[1], TensorRef{told}},
                    {agreed.parameters[2], std::move(numbers)}};
  return run_recipe(recipe, agreed.body, scope).get<TensorRef>()->id;
}

namespace {

using namespace tenon_onnx;

bool by_element(const OnnxTable& table, const NodeProto& node) {
  return node.domain().empty() && node.output_size() == 1 && table.by_element.count(node.op_type()) > 0;
}

// Names of values without dims.
std::set<std::string> scalars_of(const GraphProto& graph, const OnnxTable& table) {
  std::set<std::string> scalars;
  for (const TensorProto& t : graph.initializer())
    if (t.dims_size() == 0) scalars.insert(t.name());
  for (const ValueInfoProto& v : graph.input())
    if (v.type().tensor_type().has_shape() && v.type().tensor_type().shape().dim_size() == 0) scalars.insert(v.name());
  for (const NodeProto& node : graph.node()) {
    const bool made =
        by_element(table, node) && all_of(node.input(), [&](const std::string& i) { return scalars.count(i) > 0; });
    const bool constant =
        node.op_type() == "Constant" && any_of(node.attribute(), [](const AttributeProto& a) {
          return a.name() == "value_int" || a.name() == "value_float" || (a.has_t() && a.t().dims_size() == 0);
        });
    if (made || constant) scalars.insert(node.output(0));
  }
  return scalars;
}

}  // namespace

void carry_stated_shapes(const GraphProto& graph, const OnnxTable& table,
                         std::map<std::string, std::vector<SizeExpr>>& stated) {
  const std::set<std::string> scalars = scalars_of(graph, table);
  for (int i = graph.node_size() - 1; i >= 0; --i) {
    const NodeProto& node = graph.node(i);
    if (!by_element(table, node)) continue;
    const auto result = stated.find(node.output(0));
    if (result == stated.end()) continue;
    std::set<std::string> wide;
    for (int k = 0; k < std::min(node.input_size(), table.by_element.at(node.op_type())); ++k)
      if (!scalars.count(node.input(k))) wide.insert(node.input(k));
    // Each of several operands is assumed to be as wide as the result; this is checked again at run time.
    for (const std::string& operand : wide) stated.emplace(operand, result->second);
  }
}

}  // namespace tenon
