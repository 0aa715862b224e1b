// Reads an ONNX model: checks what the file declares, then maps its nodes in order.
#include "frontend/onnx/read_onnx.h"

#include <fmt/format.h>

#include "frontend/onnx/onnx_parse.h"
#include "frontend/onnx/onnx_reader.h"
#include "frontend/onnx/onnx_told.h"
#include "support/ranges.h"

namespace tenon {

using namespace tenon_onnx;

Result<Graph> OnnxReader::read() {
  const std::vector<std::pair<std::string, ValueId>> outputs = read_model();
  if (diagnostics_.has_errors()) return diagnostics_;
  return finish(outputs);
}

ToldInputs OnnxReader::unknown_inputs() const {
  ToldInputs unknown;
  for (const ValueId id : candidates_) unknown[builder_->value(id).original] = element_names(builder_->value(id));
  return unknown;
}

OnnxReader::Implied OnnxReader::implied() {
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

std::vector<std::pair<std::string, ValueId>> OnnxReader::read_model() {
  if (!parse_onnx_model(source_, model_, diagnostics_)) return {};
  draft_.emplace(semantics_, CNames().fresh(model_.graph().name()), source_.program, source_.mode);
  builder_ = &draft_->builder;
  if (source_.extension) source_.extension->begin(*draft_, *model_.mutable_graph());
  if (joins_) builder_->join_open_extents();
  OnnxNodeContext context{*builder_, table_, std::filesystem::path(source_.path).parent_path(), {}, {}};
  context.opsets = imported_opsets(source_, model_, diagnostics_);
  context.warn = [this](Code code, const std::string& message, const std::vector<std::string>& notes) {
    diagnostics_.warning_at(code, source_.path + ": " + where_, message, notes);
  };
  context.form = [this](RecipeContext& c, const RecipeCall& call) { return draft_->forms.call(c, call); };
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
    read_graph_nodes(context, model_.graph(), values_, "");
  } catch (const GraphError& e) {
    error(Code::E0809, "", e.what());
  }
  NamedOutputs outputs = read_outputs();
  if (source_.extension) {
    if (!diagnostics_.has_errors()) source_.extension->finish(values_, sizes_.known(), outputs);
    diagnostics_.append(source_.extension->diagnostics());
  }
  return outputs;
}

std::optional<std::vector<SizeExpr>> OnnxReader::stated_dims(std::vector<SizeExpr> dims,
                                                             const std::vector<ExtentEquation>& equations) const {
  bool any = false;
  for (SizeExpr& d : dims) {
    const std::vector<std::string> names = names_in(d);
    if (none_of(names, [&](const std::string& n) { return unknowns_.count(n) > 0; })) continue;
    const auto equal = find_if(equations, [&](const ExtentEquation& e) { return e.extent == d; });
    if (equal == equations.end()) return std::nullopt;
    d = equal->stated;
    any = true;
  }
  return any ? std::optional(std::move(dims)) : std::nullopt;
}

void OnnxReader::tell(const std::string& name, const std::vector<SizeExpr>& elements) {
  const ValueId id = values_.at(name);
  for (const SizeExpr& e : elements)
    if (!e.is_constant() && unknowns_.insert(e.name).second) builder_->add_size({e.name, 1, kMaximumTold});
  told_values_[name] = id;
  values_[name] = builder_->add_numbers(builder_->value(id).dtype, builder_->value(id).dims, elements);
}

void OnnxReader::error(Code code, const std::string& where, const std::string& message,
                       std::vector<std::string> notes) {
  diagnostics_.error_at(code, where.empty() ? source_.path : source_.path + ": " + where, message, std::move(notes));
}

void OnnxReader::define(Names& names, const std::string& name, ValueId id, const std::string& where) {
  const auto [before, added] = names.emplace(name, id);
  // Exporters write constants twice, and ONNX Runtime reads such files: one of two that are equal is enough.
  const auto constant = [&](ValueId v) { return v < 0 ? nullptr : builder_->value(v).constant; };
  const auto first = added ? nullptr : constant(before->second), second = constant(id);
  if (!added && !(first && second && *first == *second))
    error(Code::E0809, where, fmt::format("the name '{}' is defined twice", name));
  if (id < 0 || builder_->texts().holds_texts(id)) return;
  const auto wrong = contradiction(declared_, name, builder_->type(id), builder_->sizes());
  if (wrong && wrong->in_shape_only) stale_.add(where, name, wrong->text);
  else if (wrong) error(Code::E0810, where, wrong->text, {kRenewDeclarations});
}

std::vector<std::pair<std::string, ValueId>> OnnxReader::read_outputs() {
  std::vector<std::pair<std::string, ValueId>> outputs;
  for (const ValueInfoProto& v : model_.graph().output()) {
    const auto it = values_.find(v.name());
    const std::string where = fmt::format("output '{}'", v.name());
    if (it == values_.end()) error(Code::E0809, where, "no node makes it");
    else if (it->second == kNotGiven) error(Code::E0807, where, "it is an output of a node that is not supported");
    else if (is_list(it->second) || it->second == kEmptyOptional)
      error(Code::E0805, where, "only tensors can be outputs of the program, not sequences and optionals",
            {"make outputs of its elements, by SequenceAt, ConcatFromSequence or OptionalGetElement"});
    else outputs.emplace_back(v.name(), it->second);
    if (it != values_.end() && builder_->texts().holds_texts(it->second))
      diagnostics_.warning_at(Code::E0805, source_.path + ": " + where,
                              "it holds texts: the program gives their numbers in the table at the top of its header",
                              {"docs/onnx.md says which operators of texts are read"});
  }
  if (model_.graph().output().empty()) error(Code::E0809, "", "the graph has no outputs");
  return outputs;
}

Result<Graph> OnnxReader::finish(std::vector<std::pair<std::string, ValueId>> outputs) {
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

Result<Graph> read_onnx(const OnnxSource& source, const OnnxTable& table, const OpSemantics& semantics,
                        const SizeRanges& sizes) {
  OnnxReader plain(source, table, semantics, sizes);
  Result<Graph> graph = plain.read();
  if (graph.ok()) return graph;
  // Extents that broadcast give new ones, which may not be valid in every place, such as the next iteration.
  if (plain.has_joined()) {
    OnnxReader equal(source, table, semantics, sizes);
    equal.take_as_equal();
    if (Result<Graph> again = equal.read(); again.ok()) return again;
  }
  // Where extents follow from numbers known only at run time, the extents that the file states may determine the
  // numbers before: then these are taken to be known, and the program checks that they are. Or they determine the
  // extents of what depends on several such numbers.
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
