// Chooses a row for an ONNX node, binds the names of its recipe, and runs it.
#include "frontend/onnx/onnx_node.h"

#include <fmt/format.h>

#include <set>

#include "frontend/onnx/onnx_tensor.h"
#include "frontend/onnx/onnx_trees.h"
#include "frontend/recipe/recipe_call.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using tenon_onnx::AttributeProto;
using tenon_onnx::NodeProto;

class NodeMapping {
 public:
  NodeMapping(OnnxNodeContext& context, const NodeProto& node, const std::vector<ValueId>& inputs)
      : context_(context), node_(node), inputs_(inputs) {
    opset_ = context_.opsets.count(domain()) ? context_.opsets.at(domain()) : opset_not_imported();
  }

  std::vector<ValueId> run() {
    const bool gives = gives_texts();
    std::vector<ValueId> results = mapped();
    for (const ValueId id : results)
      if (id >= 0 && gives) context_.builder.texts().mark(id);
    return results;
  }

 private:
  /// Whether the results are indices of strings, from the inputs or the node's own table: only moves and lookups apply
  /// to them.
  bool gives_texts() const {
    for (const AttributeProto& a : node_.attribute())
      if ((a.name() == "value" || a.name() == "values_tensor") && is_onnx_texts(a.t())) return true;
    if (none_of(inputs_, [&](ValueId v) { return context_.builder.texts().holds_texts(v); })) return false;
    if (!looks_up_texts(node_.op_type()) && !moves_texts(node_.op_type()))
      throw OnnxError{Code::E0805, "an input holds texts, which a program can only move and look up"};
    return !looks_up_texts(node_.op_type());
  }

  std::vector<ValueId> mapped() {
    if (opset_ == 0)
      throw OnnxError{Code::E0803,
                      fmt::format("the model imports no opset of the domain '{}'", domain()),
                      {"its opset_import lacks the domain; an operator outside of ONNX also needs a row: "
                       "docs/add-an-onnx-operator.md"}};
    bool known = false;
    const std::vector<const OnnxRow*> rows = onnx_rows(context_.table, node_.op_type(), domain(), opset_, known);
    if (rows.empty()) no_row(known);
    for (const OnnxRow* row : rows) {
      bool runs = false;
      try {
        bind(*row);
        RecipeContext recipe{context_.builder, context_.table.functions};
        recipe.form = context_.form;
        recipe.call_graph = [this](const std::string& callee, const RecipeList& args) {
          return call_graph(callee, args);
        };
        recipe.warn = [this](const std::string& message) { context_.warn(Code::E0807, message, {}); };
        recipe.tree_tables = [this](DType dtype, int64_t targets, double otherwise) {
          return tables_of_trees({dtype == DType::F64 ? DType::F64 : DType::F32, targets, otherwise});
        };
        if (row->when && !holds(recipe, *row->when)) continue;
        if (misfit_) throw *misfit_;
        runs = true;
        return results(recipe, *row);
      } catch (const RecipeError& e) {
        throw OnnxError{Code::E0807, e.what(), {runs ? note(*row, e.offset) : note(*row)}};
      }
    }
    throw OnnxError{Code::E0807,
                    fmt::format("no row of the table takes a node with these attributes and inputs{}", input_types()),
                    {note(*rows.back())}};
  }

  std::string input_types() const {
    std::string all;
    for (const ValueId id : inputs_)
      if (id >= 0) all += (all.empty() ? ": " : ", ") + to_text(context_.builder.type(id));
    return all;
  }

  /// Whether the row names all attributes that the node has.
  bool names_attributes(const OnnxRow& row) const {
    return all_of(node_.attribute(), [&](const AttributeProto& a) {
      return any_of(row.attrs, [&](const OnnxAttribute& known) { return known.name == a.name(); });
    });
  }

  // Files of other tools leave the import out; the first version is what such operators have unless they, or an
  // attribute of theirs, came later.
  int opset_not_imported() {
    if (domain().empty()) return 0;
    constexpr int kNewest = 1000;
    for (const int version : {1, kNewest}) {
      bool known = false;
      const std::vector<const OnnxRow*> rows = onnx_rows(context_.table, node_.op_type(), domain(), version, known);
      if (none_of(rows, [&](const OnnxRow* row) { return version == kNewest || names_attributes(*row); })) continue;
      context_.warn(Code::E0803,
                    fmt::format("the model imports no opset of the domain '{}'; {} is taken as {}", domain(),
                                node_.op_type(), version == 1 ? "of version 1" : "of the newest version"),
                    {"an entry in its opset_import says which version is meant"});
      return version;
    }
    return 0;
  }

  std::string domain() const { return node_.domain() == "ai.onnx" ? "" : node_.domain(); }

  static std::string note(const OnnxRow& row) {
    return fmt::format("the row that maps it: {}:{}", row.span.file ? row.span.file->name() : "", row.span.line());
  }

  /// The same with the place in its recipe.
  static std::string note(const OnnxRow& row, size_t offset) {
    const size_t at = std::min(offset, row.recipe_text.text.size());
    const SourceSpan place = row.recipe_text.file ? row.recipe_text.span(at, at) : SourceSpan{};
    return place.known()
               ? fmt::format("the row that maps it: {}:{}:{}", place.file->name(), place.line(), place.column())
               : note(row);
  }

  /// The mismatch between the row and the node. It is an error only if the row is selected: a row with a condition may
  /// be for other inputs and attributes.
  void misfit(Code code, std::string message, std::vector<std::string> notes) {
    if (!misfit_) misfit_ = OnnxError{code, std::move(message), std::move(notes)};
  }

  /// What to do about an operator without a row.
  std::string way_out() const {
    const std::string& op = node_.op_type();
    if (domain() == "com.microsoft.nchwc" || domain() == "com.ms.internal.nhwc" || op == "EPContext")
      return "ONNX Runtime made it for one machine when it optimised the model; take the model as it was before";
    if (domain() == "com.microsoft" && (op.find("Search") != std::string::npos || op == "Sampling"))
      return "it calls a decoder as often as the data say; generate the decoder alone, whose cache --state keeps from "
             "call to call, and write this loop around it";
    return "a row in opdefs/onnx maps an operator to definitions; docs/add-an-onnx-operator.md says how";
  }

  [[noreturn]] void no_row(bool known) const {
    if (known)
      throw OnnxError{
          Code::E0802,
          fmt::format("{} of opset {} has no row in the table, only later ones have", node_.op_type(), opset_),
          {"onnx.version_converter brings the model to a later opset"}};
    const std::string name = domain().empty() ? node_.op_type() : domain() + "." + node_.op_type();
    const std::string near = nearest_operator(context_.table, node_.op_type());
    throw OnnxError{Code::E0802,
                    fmt::format("the operator {} is not supported{}", name,
                                near.empty() ? "" : fmt::format("; did the exporter mean '{}'?", near)),
                    {way_out()}};
  }

  bool holds(RecipeContext& recipe, const RecipeExpr& when) {
    RecipeScope scope = scope_;
    const RecipeValue v = evaluate_recipe(recipe, when, scope);
    if (!v.get<bool>()) throw RecipeError(when.offset, "`when` is a condition");
    return *v.get<bool>();
  }

  void bind(const OnnxRow& row) {
    scope_.clear(), given_.clear(), misfit_.reset();
    scope_["outputs"] = SizeExpr(node_.output_size());
    scope_["opset"] = SizeExpr(opset_);
    scope_["stated"] = stated_shapes();
    scope_["position"] = SizeExpr(context_.position);
    if (!row.op_argument.empty()) scope_["op"] = row.op_argument;
    if (row.same.empty()) bind_inputs(row);
    for (const OnnxAttribute& a : row.attrs) scope_[a.name] = a.fallback;
    for (const AttributeProto& a : node_.attribute()) bind_attribute(row, a);
    for (const OnnxAttribute& a : row.attrs)
      if (a.required && !given_.count(a.name))
        misfit(Code::E0806, fmt::format("the attribute '{}' is missing", a.name), {});
  }

  // Per output the shape that the file states, or none.
  RecipeList stated_shapes() const {
    RecipeList shapes;
    for (const std::string& name : node_.output()) {
      const auto it = context_.stated.find(name);
      shapes.push_back(it == context_.stated.end() ? RecipeValue()
                                                   : RecipeValue(RecipeList(it->second.begin(), it->second.end())));
    }
    return shapes;
  }

  void bind_inputs(const OnnxRow& row) {
    size_t next = 0;
    for (const OnnxInput& in : row.inputs) {
      if (in.variadic) {
        RecipeList list;
        for (; next < inputs_.size(); ++next) list.push_back(reference(next));
        scope_[in.name] = std::move(list);
        continue;
      }
      scope_[in.name] = next < inputs_.size() ? reference(next) : RecipeValue();
      if (scope_[in.name].is_none() && !in.optional)
        misfit(Code::E0806, fmt::format("input {} '{}' is missing", next, in.name), {});
      ++next;
    }
    for (; next < inputs_.size(); ++next)
      if (inputs_[next] != kNoValue)
        misfit(Code::E0806,
               fmt::format("input {} is given, but in opset {} it has {} inputs", next, opset_, row.inputs.size()),
               {note(row)});
  }

  RecipeValue reference(size_t i) const {
    if (inputs_[i] == kNoValue || inputs_[i] == kEmptyOptional) return {};
    if (is_list(inputs_[i])) return context_.lists[static_cast<size_t>(kFirstList - inputs_[i])];
    return TensorRef{inputs_[i]};
  }

  void bind_attribute(const OnnxRow& row, const AttributeProto& a) {
    // A hint about memory of the first opsets, without effect on any value.
    if (a.name() == "consumed_inputs" && opset_ < 6) return;
    for (const OnnxAttribute& known : row.attrs) {
      if (known.name != a.name()) continue;
      given_.insert(a.name());
      if (known.table) return;
      scope_[a.name()] = known.dtype ? element_type(a) : attribute_value(a);
      return;
    }
    misfit(Code::E0806,
           fmt::format("the attribute '{}' has no meaning in opset {}, or is not supported", a.name(), opset_),
           {note(row)});
  }

  RecipeValue attribute_value(const AttributeProto& a) {
    RecipeList list;
    switch (type_of(a)) {
      case AttributeProto::FLOAT: return static_cast<double>(a.f());
      case AttributeProto::INT: return SizeExpr(a.i());
      case AttributeProto::STRING: return a.s();
      case AttributeProto::FLOATS:
        for (float f : a.floats()) list.push_back(static_cast<double>(f));
        return list;
      case AttributeProto::INTS:
        for (int64_t i : a.ints()) list.push_back(SizeExpr(i));
        return list;
      case AttributeProto::STRINGS: append(list, a.strings()); return list;
      case AttributeProto::TENSOR:
        return constant(a, is_onnx_texts(a.t()) ? read_onnx_texts(a.t(), context_.builder.texts(), "")
                                                : read_onnx_tensor(a.t(), context_.folder, ""));
      case AttributeProto::SPARSE_TENSOR:
        return constant(a, read_onnx_sparse_tensor(a.sparse_tensor(), context_.folder, ""));
      case AttributeProto::GRAPH: return kGraphCallee + a.name();
      case AttributeProto::TYPE_PROTO: return {};  // of an optional that is empty: nothing is left of it
      default:
        throw OnnxError{Code::E0806, fmt::format("the attribute '{}' is of a kind that cannot be read", a.name())};
    }
  }

  // A number, or a name in the first opsets.
  static RecipeValue element_type(const AttributeProto& a) {
    if (type_of(a) == AttributeProto::STRING) {
      for (int type = 1; type < 32; ++type)
        if (const auto dtype = onnx_dtype(type); dtype && onnx_dtype_name(type) == a.s()) return *dtype;
      throw OnnxError{Code::E0805, fmt::format("{}: tensors of type {} cannot be read", a.name(), a.s())};
    }
    const std::optional<DType> dtype = onnx_dtype(static_cast<int>(std::clamp<int64_t>(a.i(), 0, 1000)));
    if (!dtype)
      throw OnnxError{Code::E0805, fmt::format("{}: tensors of type {} cannot be read", a.name(),
                                               onnx_dtype_name(static_cast<int>(a.i())))};
    return *dtype;
  }

  // Files of the first IR versions leave the type out: then it is the field that is filled.
  static AttributeProto::AttributeType type_of(const AttributeProto& a) {
    if (a.type() != AttributeProto::UNDEFINED) return a.type();
    if (a.has_f()) return AttributeProto::FLOAT;
    if (a.has_i()) return AttributeProto::INT;
    if (a.has_s()) return AttributeProto::STRING;
    if (a.has_t()) return AttributeProto::TENSOR;
    if (a.floats_size()) return AttributeProto::FLOATS;
    if (a.strings_size()) return AttributeProto::STRINGS;
    return AttributeProto::INTS;
  }

  RecipeValue constant(const AttributeProto& a, Result<TensorData> data) {
    if (!data.ok()) {
      const Diagnostic first = data.diagnostics().sorted().front();
      throw OnnxError{first.code, fmt::format("attribute '{}': {}", a.name(), first.message), first.notes};
    }
    if (const auto file = external_file(a.t(), context_.folder)) context_.builder.add_file(*file);
    for (const std::string& file : external_files(a.sparse_tensor(), context_.folder)) context_.builder.add_file(file);
    return TensorRef{context_.builder.add_constant("", std::move(data).value())};
  }

  RecipeList tables_of_trees(const TreeTableOptions& options) {
    TreeTables t = tree_tables(node_, context_.folder, options);
    RecipeList list;
    for (TensorData* data : {&t.roots, &t.features, &t.modes, &t.splits, &t.missing, &t.yes, &t.no, &t.votes})
      list.push_back(TensorRef{context_.builder.add_constant("", std::move(*data))});
    for (std::optional<TensorData>* data : {&t.targets, &t.members, &t.voted})
      list.push_back(*data ? RecipeValue(TensorRef{context_.builder.add_constant("", std::move(**data))})
                           : RecipeValue());
    list.push_back(t.only ? RecipeValue(SizeExpr(*t.only)) : RecipeValue());
    list.push_back(t.positive);
    list.push_back(SizeExpr(t.depth));
    return list;
  }

  RecipeList call_graph(const std::string& callee, const RecipeList& args) {
    std::vector<ValueId> inputs;
    for (const RecipeValue& v : args) {
      if (!v.get<TensorRef>()) throw OnnxError{Code::E0806, callee + ": its inputs are tensors, not " + kind_of(v)};
      inputs.push_back(v.get<TensorRef>()->id);
    }
    RecipeList results;
    for (const AttributeProto& a : node_.attribute()) {
      if (callee != kGraphCallee + a.name() || !context_.read_body) continue;
      for (const ValueId id : context_.read_body(a.g(), inputs)) {
        if (id < 0) throw OnnxError{Code::E0806, callee + ": its outputs have to be tensors"};
        results.push_back(TensorRef{id});
      }
    }
    return results;
  }

  std::vector<ValueId> results(RecipeContext& recipe, const OnnxRow& row) {
    size_t wanted = static_cast<size_t>(node_.output_size());
    while (wanted > 0 && node_.output(static_cast<int>(wanted) - 1).empty()) --wanted;
    RecipeList values;
    if (!row.same.empty()) {
      RecipeCall call{row.same, {}, {}, wanted, 0};
      for (size_t i = 0; i < inputs_.size(); ++i) call.args.push_back(reference(i));
      take(values, call_op(recipe, call));
    } else {
      const RecipeValue last = run_recipe(recipe, row.recipe, scope_, row.outputs.empty() ? wanted : 1);
      if (row.outputs.empty()) take(values, last);
      for (const std::string& name : row.outputs)
        values.push_back(scope_.count(name) ? scope_.at(name) : RecipeValue());
    }
    std::vector<ValueId> ids;
    for (size_t i = 0; i < wanted; ++i) ids.push_back(is_none(row, i) ? kEmptyOptional : result(values, i));
    ids.resize(static_cast<size_t>(node_.output_size()), kNoValue);
    return ids;
  }

  bool is_none(const OnnxRow& row, size_t output) const {
    const auto it = output < row.outputs.size() ? scope_.find(row.outputs[output]) : scope_.end();
    return it != scope_.end() && it->second.is_none();
  }

  static void take(RecipeList& values, const RecipeValue& v) {
    if (const RecipeList* list = v.get<RecipeList>()) values = *list;
    else values.push_back(v);
  }

  ValueId result(const RecipeList& values, size_t i) {
    if (node_.output(static_cast<int>(i)).empty()) return kNoValue;
    if (const RecipeList* list = i < values.size() ? values[i].get<RecipeList>() : nullptr) {
      context_.lists.push_back(*list);
      return kFirstList - static_cast<ValueId>(context_.lists.size() - 1);
    }
    const TensorRef* t = i < values.size() ? values[i].get<TensorRef>() : nullptr;
    return t ? t->id : kNotGiven;
  }

  OnnxNodeContext& context_;
  const NodeProto& node_;
  const std::vector<ValueId>& inputs_;
  int opset_ = 0;
  RecipeScope scope_;
  std::set<std::string> given_;
  std::optional<OnnxError> misfit_;  // of the row that is bound
};

}  // namespace

std::vector<ValueId> map_onnx_node(OnnxNodeContext& context, const NodeProto& node,
                                   const std::vector<ValueId>& inputs) {
  return NodeMapping(context, node, inputs).run();
}

}  // namespace tenon
