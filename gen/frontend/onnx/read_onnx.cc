// Reads an ONNX model: checks what the file declares, then maps its nodes in order.
#include "frontend/onnx/read_onnx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "frontend/graph/name_graph.h"
#include "frontend/graph/solve_extents.h"
#include "frontend/onnx/onnx_continue.h"
#include "frontend/onnx/onnx_control.h"
#include "frontend/onnx/onnx_declared.h"
#include "frontend/onnx/onnx_function.h"
#include "frontend/onnx/onnx_node.h"
#include "frontend/onnx/onnx_order.h"
#include "frontend/onnx/onnx_parse.h"
#include "frontend/onnx/onnx_sizes.h"
#include "frontend/onnx/onnx_sparse.h"
#include "frontend/onnx/onnx_stated.h"
#include "frontend/onnx/onnx_tensor.h"
#include "frontend/onnx/onnx_told.h"

namespace tenon {
namespace {

using namespace tenon_onnx;

constexpr int kMaxDepth = 32;
constexpr int64_t kMaxNodes = 1000000;
constexpr int kMaxContinued = 3;

class OnnxReader {
 public:
  OnnxReader(const OnnxSource& source, const OnnxTable& table, const OpSemantics& semantics, const SizeRanges& sizes)
      : source_(source), table_(table), semantics_(semantics), sizes_(sizes, source.program) {}

  /// These numbers are taken to be those of the inputs.
  void take_inputs(ToldInputs told) { told_ = std::move(told); }
  /// These shapes are taken to be stated by the file.
  void take_shapes(StatedShapes shapes) { stated_ = std::move(shapes); }

  Result<Graph> read() {
    const std::vector<std::pair<std::string, ValueId>> outputs = read_model();
    if (diagnostics_.has_errors()) return diagnostics_;
    return finish(outputs);
  }

  /// The inputs whose elements may be extents, with a name for each element.
  ToldInputs unknown_inputs() const {
    ToldInputs unknown;
    for (const ValueId id : candidates_) unknown[builder_->value(id).original] = element_names(builder_->value(id));
    return unknown;
  }

  /// What follows from the stated extents where the inputs' numbers are unknown sizes: the numbers that these leave no
  /// choice about, and shapes of values inside whose extents are stated elsewhere, such as a sum of all numbers.
  struct Implied {
    ToldInputs inputs;
    StatedShapes shapes;
  };
  Implied implied() {
    read_model();
    if (diagnostics_.has_errors()) return {};
    std::vector<ExtentEquation> equations;
    for (const auto& [name, dims] : stated_) {
      const auto it = values_.find(name);
      if (it == values_.end() || it->second < 0 || builder_->value(it->second).dims.size() != dims.size()) continue;
      for (size_t i = 0; i < dims.size(); ++i)
        if (dims[i].is_constant()) equations.push_back({builder_->value(it->second).dims[i], dims[i].value});
    }
    const SizeValues solved = solve_extents(equations, unknowns_);
    Implied found{solved.empty() ? ToldInputs{} : told_, {}};
    for (auto& [name, elements] : found.inputs)
      for (SizeExpr& e : elements) e = substitute(e, solved);
    for (const auto& [name, id] : values_)
      if (const auto dims = id < 0 ? std::nullopt : stated_dims(builder_->value(id).dims, equations))
        found.shapes[name] = *dims;
    return found;
  }

 private:
  // Values by their names in one graph or function. kNoValue: the node is in error, so that what reads it is left out
  // silently.
  using Names = std::map<std::string, ValueId>;

  std::vector<std::pair<std::string, ValueId>> read_model() {
    if (!parse_onnx_model(source_, model_, diagnostics_)) return {};
    builder_.emplace(semantics_, CNames().fresh(model_.graph().name()), source_.program);
    OnnxNodeContext context{*builder_, table_, std::filesystem::path(source_.path).parent_path(), {}, {}};
    context.opsets = imported_opsets(source_, model_, diagnostics_);
    context.warn = [this](Code code, const std::string& message, const std::vector<std::string>& notes) {
      diagnostics_.warning_at(code, source_.path + ": " + where_, message, notes);
    };
    add_declared_types(model_.graph(), declared_);
    if (diagnostics_.has_errors()) return {};
    read_tensors(context, model_.graph(), values_, "");
    keep_asked();
    read_inputs();
    check_sizes();
    for (const ValueInfoProto& v : model_.graph().value_info()) read_stated(context, v);
    for (const ValueInfoProto& v : model_.graph().output()) read_stated(context, v);
    carry_stated_shapes(model_.graph(), table_, context.stated);
    for (const auto& [name, dims] : stated_) context.stated.emplace(name, dims);
    stated_ = context.stated;
    if (diagnostics_.has_errors()) return {};
    for (const auto& [name, elements] : told_) tell(name, elements);
    try {
      read_nodes(context, model_.graph().node(), model_.graph().output(), values_, "");
    } catch (const GraphError& e) {
      error(Code::E0809, "", e.what());
    }
    return read_outputs();
  }

  /// A shape with extents that depend on unknown sizes, where each of these is one that the file states.
  std::optional<std::vector<SizeExpr>> stated_dims(std::vector<SizeExpr> dims,
                                                   const std::vector<ExtentEquation>& equations) const {
    bool any = false;
    for (SizeExpr& d : dims) {
      const std::vector<std::string> names = names_in(d);
      if (std::none_of(names.begin(), names.end(), [&](const std::string& n) { return unknowns_.count(n) > 0; }))
        continue;
      const auto equal =
          std::find_if(equations.begin(), equations.end(), [&](const ExtentEquation& e) { return e.extent == d; });
      if (equal == equations.end()) return std::nullopt;
      d = equal->stated;
      any = true;
    }
    return any ? std::optional(std::move(dims)) : std::nullopt;
  }

  /// From here on the input stands for these numbers.
  void tell(const std::string& name, const std::vector<SizeExpr>& elements) {
    const ValueId id = values_.at(name);
    for (const SizeExpr& e : elements)
      if (!e.is_constant() && unknowns_.insert(e.name).second) builder_->add_size({e.name, 1, kMaximumTold});
    told_values_[name] = id;
    values_[name] = builder_->add_numbers(builder_->value(id).dtype, builder_->value(id).dims, elements);
  }

  void error(Code code, const std::string& where, const std::string& message, std::vector<std::string> notes = {}) {
    diagnostics_.error_at(code, where.empty() ? source_.path : source_.path + ": " + where, message, std::move(notes));
  }

  void define(Names& names, const std::string& name, ValueId id, const std::string& where) {
    if (!names.emplace(name, id).second) error(Code::E0809, where, fmt::format("the name '{}' is defined twice", name));
    if (id < 0 || builder_->texts().holds_texts(id)) return;
    const auto wrong = contradiction(declared_, name, builder_->type(id), builder_->sizes());
    if (wrong && wrong->in_shape_only) stale_.add(where, name, wrong->text);
    else if (wrong) error(Code::E0810, where, wrong->text, {kRenewDeclarations});
  }

  void read_tensors(const OnnxNodeContext& context, const GraphProto& graph, Names& names, const std::string& outer) {
    for (const TensorProto& t : graph.initializer()) {
      const std::string where = fmt::format("{}initializer '{}'", outer, t.name());
      Result<TensorData> data = read_onnx_tensor(t, context.folder, source_.path + ": " + where);
      diagnostics_.append(data.diagnostics());
      if (const auto file = external_file(t, context.folder)) builder_->add_file(*file);
      define(names, t.name(), data.ok() ? builder_->add_constant(t.name(), std::move(data).value()) : kNoValue, where);
    }
    for (const SparseTensorProto& t : graph.sparse_initializer()) {
      const std::string where = fmt::format("{}sparse initializer '{}'", outer, t.values().name());
      Result<TensorData> data = read_onnx_sparse_tensor(t, context.folder, source_.path + ": " + where);
      diagnostics_.append(data.diagnostics());
      for (const std::string& file : external_files(t, context.folder)) builder_->add_file(file);
      define(names, t.values().name(),
             data.ok() ? builder_->add_constant(t.values().name(), std::move(data).value()) : kNoValue, where);
    }
  }

  /// What a gradient is asked for stays as it is.
  void keep_asked() {
    std::vector<std::string> asked = source_.kept;
    for (const NodeProto& node : model_.graph().node())
      for (const AttributeProto& a : node.attribute())
        if (is_onnx_gradient(node) && a.name() == "xs")
          asked.insert(asked.end(), a.strings().begin(), a.strings().end());
    for (const std::string& name : asked)
      if (const auto it = values_.find(name); it != values_.end() && it->second >= 0) builder_->keep(it->second);
  }

  // Inputs with initializers are constants: files before IR version 4 list all weights as inputs.
  void read_inputs() {
    std::set<std::string> seen;
    for (const ValueInfoProto& v : model_.graph().input()) {
      const std::string where = fmt::format("input '{}'", v.name());
      if (!seen.insert(v.name()).second)
        error(Code::E0809, where, fmt::format("the name '{}' is defined twice", v.name()));
      if (values_.count(v.name())) continue;
      const TypeProto::Tensor& t = v.type().tensor_type();
      const std::optional<DType> dtype = onnx_dtype(t.elem_type());
      if (v.type().value_case() != TypeProto::kTensorType)
        error(Code::E0805, where, "only tensors can be inputs of the program");
      else if (!dtype)
        error(Code::E0805, where, fmt::format("tensors of type {} cannot be read", onnx_dtype_name(t.elem_type())));
      else if (!t.has_shape())
        error(Code::E0808, where,
              "the file does not say how many dimensions it has; give it a shape in the file, with names for the "
              "extents that are open, which --size bounds",
              {"onnx.shape_inference or the exporter can state it"});
      if (!dtype || !t.has_shape()) continue;
      std::vector<SizeExpr> dims;
      for (int axis = 0; axis < t.shape().dim_size(); ++axis)
        dims.push_back(extent(t.shape().dim(axis), v.name(), axis, where));
      const ValueId id = builder_->add_input(v.name(), *dtype, dims);
      define(values_, v.name(), id, where);
      if (may_say_extents(*dtype, dims)) candidates_.push_back(id);
    }
  }

  SizeExpr extent(const TensorShapeProto::Dimension& dim, const std::string& input, int axis,
                  const std::string& where) {
    if (dim.has_dim_value() && dim.dim_value() >= 0) return dim.dim_value();
    std::string name;
    const std::optional<SizeExpr> open = sizes_.extent(dim, input, axis, *builder_, name);
    const auto plain = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
    };
    const char* quote = std::all_of(name.begin(), name.end(), plain) ? ""
                        : name.find('\'') == std::string::npos       ? "'"
                                                                     : "\"";
    if (!open && reported_.insert(name).second)
      error(Code::E0808, where, fmt::format("extent {} is the open size '{}'", axis, name),
            {fmt::format("add --size {1}{0}=4{1} to fix it, or --size {1}{0}=1..64{1} to bound it", name, quote)});
    return open.value_or(1);
  }

  // A shape that the file states helps where what decides it is computed at run time.
  void read_stated(OnnxNodeContext& context, const ValueInfoProto& v) const {
    const TypeProto::Tensor& t = v.type().tensor_type();
    if (v.type().value_case() != TypeProto::kTensorType || !t.has_shape()) return;
    if (std::optional<std::vector<SizeExpr>> dims = sizes_.stated(t.shape()))
      context.stated[v.name()] = std::move(*dims);
  }

  void check_sizes() {
    for (const std::string& name : sizes_.unused())
      diagnostics_.error_at(Code::E0808, "--size " + name, fmt::format("{} has no such open size", source_.path),
                            {"`tenon model` without --size names those that it has"});
  }

  /// Nodes that are read one after the other, and what is read of their results afterwards.
  struct NodeList {
    OnnxNodes nodes;
    std::set<std::string> needed;
    std::map<const NodeProto*, std::string> where;
  };

  template <class Nodes, class Strings>
  void read_nodes(OnnxNodeContext& context, const Nodes& nodes, const Strings& needed, Names& names,
                  const std::string& outer) {
    NodeList list;
    for (int i : onnx_node_order(nodes)) {
      const NodeProto& node = nodes.Get(i);
      if (!gives_something(node)) continue;
      list.nodes.push_back(&node);
      const std::string name = node.name().empty() ? "" : fmt::format(" '{}'", node.name());
      list.where[&node] = fmt::format("{}node {}{} ({})", outer, i, name, node.op_type());
    }
    for (const auto& n : needed) list.needed.insert(name_of_output(n));
    read_nodes(context, list, names);
  }
  static const std::string& name_of_output(const std::string& name) { return name; }
  static const std::string& name_of_output(const ValueInfoProto& v) { return v.name(); }

  void read_nodes(OnnxNodeContext& context, const NodeList& list, Names& names) {
    for (size_t i = 0; i < list.nodes.size(); ++i) {
      const NodeProto& node = *list.nodes[i];
      const std::string& where = list.where.at(&node);
      // How often what follows is read for two branches is limited: each time it is doubled.
      may_continue_ = node.op_type() == "If" && continued_ < kMaxContinued;
      Diagnostics before = may_continue_ ? diagnostics_ : Diagnostics();
      try {
        read_node(context, node, names, where);
      } catch (const BranchesDiffer&) {
        diagnostics_ = std::move(before);
        return read_in_branches(context, list, i, names);
      }
    }
  }

  /// The nodes from an If on whose branches differ: what does not need its results, then the If with as many of the
  /// others in its branches as it takes to make the same of both.
  void read_in_branches(OnnxNodeContext& context, const NodeList& list, size_t at, Names& names) {
    const NodeProto& node = *list.nodes[at];
    const NodesAfter after =
        nodes_after(node, {list.nodes.begin() + static_cast<std::ptrdiff_t>(at) + 1, list.nodes.end()});
    read_nodes(context, {after.other, list.needed, list.where}, names);
    ++continued_;
    const OnnxNodes& rest = after.dependent;
    for (size_t count = 1;; count *= 2) {
      count = std::min(count, rest.size());
      may_continue_ = count < rest.size();
      const NodeProto whole = continued_if(node, rest, count, list.needed);
      const Diagnostics before = diagnostics_;
      try {
        read_node(context, count == 0 ? node : whole, names, list.where.at(&node));
      } catch (const BranchesDiffer&) {
        diagnostics_ = before;
        continue;
      }
      --continued_;
      const OnnxNodes left(rest.begin() + static_cast<std::ptrdiff_t>(count), rest.end());
      return read_nodes(context, {left, list.needed, list.where}, names);
    }
  }

  // A print or a check that an exporter left in gives nothing, and means nothing to the values.
  static bool gives_something(const NodeProto& node) {
    return std::any_of(node.output().begin(), node.output().end(), [](const std::string& o) { return !o.empty(); });
  }

  void read_node(OnnxNodeContext& context, const NodeProto& node, Names& names, const std::string& where) {
    if (++nodes_ > kMaxNodes) throw GraphError("functions and branches unfold to more than a million nodes");
    context.position = nodes_;
    std::vector<ValueId> inputs;
    bool sound = true;
    for (const std::string& name : node.input()) {
      const auto it = names.find(name);
      if (!name.empty() && it == names.end())
        error(Code::E0809, where,
              fmt::format("its input '{}' is made by no node, or by one that needs this one", name));
      inputs.push_back(name.empty() || it == names.end() ? kNoValue : it->second);
      if (inputs.back() == kNotGiven) {
        error(Code::E0807, where, fmt::format("its input '{}' is an output that is not supported", name));
        inputs.back() = kNoValue;
      }
      sound = sound && (name.empty() || inputs.back() != kNoValue);
    }
    std::vector<ValueId> outputs(static_cast<size_t>(node.output_size()), kNoValue);
    if (sound) outputs = results(context, node, inputs, names, where);
    for (int i = 0; i < node.output_size(); ++i) {
      if (node.output(i).empty()) continue;
      const ValueId id = outputs[static_cast<size_t>(i)];
      if (id >= 0) builder_->name_value(id, node.output(i));
      define(names, node.output(i), id, where);
    }
  }

  std::vector<ValueId> results(OnnxNodeContext& context, const NodeProto& node, const std::vector<ValueId>& inputs,
                               const Names& names, const std::string& where) {
    std::vector<ValueId> none(static_cast<size_t>(node.output_size()), kNoValue);
    builder_->set_origin(where);
    where_ = where;
    try {
      if (const FunctionProto* f = find_onnx_function(model_, node))
        return call_function(context, *f, node, inputs, where);
      if (is_onnx_control(node)) return map_control(context, node, inputs, names, where);
      may_continue_ = false;
      context.read_body = [&](const GraphProto& body, const std::vector<ValueId>& given) {
        return read_body(context, body, given, names, where);
      };
      return map_onnx_node(context, node, inputs);
    } catch (const OnnxError& e) {
      std::vector<std::string> notes = e.notes;
      if (e.code == Code::E0806 && !notes.empty())
        notes.emplace_back("onnx.checker compares the model with the standard; docs/onnx.md lists what cannot be read");
      error(e.code, where, e.message, notes);
    } catch (const GraphError& e) {
      error(Code::E0807, where, e.what());
    }
    return none;
  }

  // A function of the model is its nodes, in a space of names of its own.
  std::vector<ValueId> call_function(OnnxNodeContext& context, const FunctionProto& f, const NodeProto& node,
                                     const std::vector<ValueId>& inputs, const std::string& where) {
    enter();
    OnnxNodeContext inner{context.builder, context.table, context.folder, context.opsets, {}};
    for (int i = 0; i < std::min(f.output_size(), node.output_size()); ++i)
      if (const auto it = context.stated.find(node.output(i)); it != context.stated.end())
        inner.stated[f.output(i)] = it->second;
    inner.lists = context.lists;
    inner.warn = context.warn;
    for (const OperatorSetIdProto& o : f.opset_import())
      inner.opsets[o.domain() == "ai.onnx" ? "" : o.domain()] =
          static_cast<int>(std::clamp<int64_t>(o.version(), 1, 1000));
    DeclaredTypes around = std::exchange(declared_, {});
    Names names;
    for (int i = 0; i < f.input_size(); ++i)
      names[f.input(i)] = static_cast<size_t>(i) < inputs.size() ? inputs[static_cast<size_t>(i)] : kNoValue;
    const auto nodes = onnx_function_nodes(f, node, inputs);
    read_nodes(inner, nodes, f.output(), names, where + ": ");
    context.lists = std::move(inner.lists);
    declared_ = std::move(around);
    --depth_;
    return outputs_of(names, f.output(), node);
  }

  std::vector<ValueId> map_control(OnnxNodeContext& context, const NodeProto& node, const std::vector<ValueId>& inputs,
                                   const Names& names, const std::string& where) {
    OnnxBodyReader reader;
    reader.may_continue = std::exchange(may_continue_, false);
    reader.read = [&](const GraphProto& body, const std::vector<ValueId>& given) {
      return read_body(context, body, given, names, where);
    };
    reader.try_read = [&](const GraphProto& body, std::string& why) {
      return try_body(context, body, names, where, why);
    };
    reader.warn = [this, where](const std::string& message) {
      diagnostics_.warning_at(Code::E0807, source_.path + ": " + where, message);
    };
    reader.declared_extent = [&](const std::string& name) { return declared_extent(context, name); };
    reader.find = [&](const std::string& name) { return names.count(name) ? names.at(name) : kNoValue; };
    return map_onnx_control(context, node, inputs, reader);
  }

  using MadeBody = std::optional<std::vector<ValueId>>;
  MadeBody try_body(OnnxNodeContext& context, const GraphProto& body, const Names& names, const std::string& where,
                    std::string& why) {
    Diagnostics before = std::exchange(diagnostics_, {});
    std::vector<ValueId> made;
    try {
      made = read_body(context, body, {}, names, where);
    } catch (...) {
      std::swap(diagnostics_, before);
      diagnostics_.append(before);
      throw;
    }
    const Diagnostics found = std::exchange(diagnostics_, std::move(before));
    if (std::count(made.begin(), made.end(), kNoValue) > 0) why = only_about_extents(found);
    if (!why.empty()) return std::nullopt;
    diagnostics_.append(found);
    return made;
  }

  /// The first error, where all of them are about operators that do not go with extents.
  static std::string only_about_extents(const Diagnostics& found) {
    std::string why;
    for (const Diagnostic& d : found.sorted()) {
      if (d.severity == Severity::error && d.code != Code::E0807) return "";
      if (d.severity == Severity::error && why.empty()) why = d.message;
    }
    return why;
  }

  // A graph inside of a node sees the names around it.
  std::vector<ValueId> read_body(OnnxNodeContext& context, const GraphProto& body, const std::vector<ValueId>& given,
                                 const Names& names, const std::string& where) {
    if (given.size() != static_cast<size_t>(body.input_size()))
      throw OnnxError{Code::E0806, fmt::format("its body has {} inputs, not {}", body.input_size(), given.size()), {}};
    enter();
    DeclaredTypes around = declared_;
    add_declared_types(body, declared_);
    Names inner = names;
    for (int i = 0; i < body.input_size(); ++i) inner[body.input(i).name()] = given[static_cast<size_t>(i)];
    read_tensors(context, body, inner, where + ": ");
    read_nodes(context, body.node(), body.output(), inner, where + ": ");
    declared_ = std::move(around);
    --depth_;
    builder_->set_origin(where);
    std::vector<ValueId> made;
    for (const ValueInfoProto& v : body.output()) {
      const auto it = inner.find(v.name());
      if (it == inner.end())
        error(Code::E0809, where, fmt::format("no node makes the output '{}' of its body", v.name()));
      else if (it->second == kNotGiven || it->second == kEmptyOptional)
        error(Code::E0805, where,
              fmt::format("the output '{}' of its body is an empty optional, or one that is not supported", v.name()));
      made.push_back(it == inner.end() || it->second == kNotGiven || it->second == kEmptyOptional ? kNoValue
                                                                                                  : it->second);
    }
    return made;
  }

  /// The first extent that the file states for a value, or that follows from what it states for others; 0 where it is
  /// none of these.
  int64_t declared_extent(const OnnxNodeContext& context, const std::string& name) const {
    if (const auto it = context.stated.find(name);
        it != context.stated.end() && !it->second.empty() && it->second[0].is_constant())
      return it->second[0].value;
    for (const auto* list : {&model_.graph().output(), &model_.graph().value_info()})
      for (const ValueInfoProto& v : *list)
        if (v.name() == name && v.type().tensor_type().shape().dim_size() > 0)
          return v.type().tensor_type().shape().dim(0).dim_value();
    return 0;
  }

  void enter() {
    if (++depth_ > kMaxDepth)
      throw OnnxError{Code::E0809, "functions and branches are nested too deeply, or call themselves", {}};
  }

  template <class Strings>
  static std::vector<ValueId> outputs_of(const Names& names, const Strings& made, const NodeProto& node) {
    std::vector<ValueId> ids;
    for (const std::string& name : made) {
      const auto it = names.find(name);
      ids.push_back(it == names.end() ? kNoValue : it->second);
    }
    if (ids.size() < static_cast<size_t>(node.output_size()))
      throw OnnxError{Code::E0806, fmt::format("it has {} outputs, not {}", ids.size(), node.output_size()), {}};
    ids.resize(static_cast<size_t>(node.output_size()), kNoValue);
    return ids;
  }

  std::vector<std::pair<std::string, ValueId>> read_outputs() {
    std::vector<std::pair<std::string, ValueId>> outputs;
    for (const ValueInfoProto& v : model_.graph().output()) {
      const auto it = values_.find(v.name());
      const std::string where = fmt::format("output '{}'", v.name());
      if (it == values_.end()) error(Code::E0809, where, "no node makes it");
      else if (it->second == kNotGiven) error(Code::E0807, where, "it is an output of a node that is not supported");
      else if (is_list(it->second) || it->second == kEmptyOptional)
        error(Code::E0805, where, "only tensors can be outputs of the program, not sequences and optionals");
      else outputs.emplace_back(v.name(), it->second);
      if (it != values_.end() && builder_->texts().holds_texts(it->second))
        diagnostics_.warning_at(
            Code::E0805, source_.path + ": " + where,
            "it holds texts: the program gives their numbers in the table at the top of its header");
    }
    if (outputs.empty()) error(Code::E0809, "", "the graph has no outputs");
    return outputs;
  }

  Result<Graph> finish(std::vector<std::pair<std::string, ValueId>> outputs) {
    try {
      for (const auto& [name, elements] : told_)
        outputs[0].second = only_if_told(*builder_, table_, told_values_.at(name), elements, outputs[0].second);
      Graph graph = builder_->finish(outputs);
      const std::string texts = builder_->texts().to_sentence();
      graph.doc = model_.graph().doc_string();
      if (!texts.empty()) graph.doc += (graph.doc.empty() ? graph.name + ". " : " ") + texts;
      drop_sizes(graph, unknowns_);
      if (verify(graph).empty() || unknowns_.empty()) {
        stale_.report(source_.path, diagnostics_);
        return {std::move(graph), diagnostics_};
      }
      error(Code::E0807, "", "numbers that run time tells decide extents, and no stated extent says what they are");
    } catch (const GraphError& e) {
      error(Code::E0807, "", e.what());
    }
    return diagnostics_;
  }

  const OnnxSource& source_;
  const OnnxTable& table_;
  const OpSemantics& semantics_;
  OpenSizes sizes_;
  ToldInputs told_;
  std::map<std::string, ValueId> told_values_;  // the inputs themselves
  std::vector<ValueId> candidates_;             // inputs that may say extents
  std::set<std::string> unknowns_;              // names that stand for such extents
  StatedShapes stated_;
  ModelProto model_;
  std::optional<GraphBuilder> builder_;
  Names values_;
  StaleDeclarations stale_;
  DeclaredTypes declared_;  // of the graph that is read and those around it
  std::string where_;       // the node that is read
  int depth_ = 0;
  int continued_ = 0;          // Ifs that are being read with what follows them
  bool may_continue_ = false;  // whether the If that is read may throw BranchesDiffer
  int64_t nodes_ = 0;
  std::set<std::string> reported_;  // open sizes without bounds
  Diagnostics diagnostics_;
};

}  // namespace

Result<Graph> read_onnx(const OnnxSource& source, const OnnxTable& table, const OpSemantics& semantics,
                        const SizeRanges& sizes) {
  OnnxReader plain(source, table, semantics, sizes);
  Result<Graph> graph = plain.read();
  if (graph.ok()) return graph;
  // Where extents follow from numbers that run time tells, the extents that the file states may tell the numbers
  // before: then these are taken to be known, and the program checks that they are. Or they tell the extents of what
  // depends on several such numbers.
  const ToldInputs unknown = plain.unknown_inputs();
  if (unknown.empty()) return graph;
  OnnxReader symbolic(source, table, semantics, sizes);
  symbolic.take_inputs(unknown);
  const OnnxReader::Implied implied = symbolic.implied();
  if (!implied.inputs.empty()) {
    OnnxReader told(source, table, semantics, sizes);
    told.take_inputs(implied.inputs);
    if (Result<Graph> again = told.read(); again.ok()) return again;
  }
  if (!implied.shapes.empty()) {
    OnnxReader stated(source, table, semantics, sizes);
    stated.take_shapes(implied.shapes);
    if (Result<Graph> again = stated.read(); again.ok()) return again;
  }
  return graph;
}

}  // namespace tenon
