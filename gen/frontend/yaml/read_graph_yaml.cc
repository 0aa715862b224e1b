// Reads graphs that users write in YAML.
#include "frontend/yaml/read_graph_yaml.h"

#include <fmt/format.h>

#include <filesystem>

#include "frontend/yaml/add_training.h"
#include "frontend/yaml/check_key_rows.h"
#include "frontend/yaml/graph_sections.h"
#include "frontend/yaml/read_parameter.h"
#include "support/joined.h"

namespace tenon {
namespace {

constexpr KeyRow kKeys[] = {
    {"graph", YamlKind::scalar, true, "graph: digits"},
    {"doc", YamlKind::scalar, false, "doc: two dense layers"},
    {"sizes", YamlKind::map, false, "sizes: {N: 1..64}"},
    {"inputs", YamlKind::map, false, "inputs: {x: \"f32[N, 64]\"}"},
    {"parameters", YamlKind::map, false, "parameters: {W: {type: \"f32[64, 32]\", from: W.npy}}"},
    {"modules", YamlKind::map, false, "modules: {\"dense(x, W)\": \"relu(gemm(x, W))\"}"},
    {"main", YamlKind::scalar, true, "main: y = relu(x)"},
    {"outputs", YamlKind::sequence, true, "outputs: [y]"},
    {"train", YamlKind::map, false, "train: {loss: mean(sq(y - t)), optimizer: sgd(lr=0.1)}"},
};
class GraphReader : private GraphSections {
 public:
  GraphReader(const SourceFileRef& file, const OpSemantics& semantics, const GraphRequest& request)
      : GraphSections(file, semantics, request.mode),
        ranges_(request.sizes),
        program_(request.program),
        training_(request.mode != GraphMode::network),
        asks_for_gradients_(request.keeps_weights) {}

  Result<Graph> read() {
    const Result<std::vector<YamlNode>> documents = read_yaml(file_);
    if (!documents.ok()) return documents.diagnostics();
    if (documents.value().size() != 1 || !documents.value()[0].is_map()) {
      const std::vector<YamlNode>& all = documents.value();
      const std::size_t at =
          all.empty() || all[0].span.begin >= file_->text().size() ? 0 : all[all.size() > 1 ? 1 : 0].span.begin;
      diagnostics_.error(Code::E0703, {file_, at, at + 1}, "a graph is one map of keys: graph, inputs, main, outputs …",
                         {"docs/graphs.md shows one"});
      return diagnostics_;
    }
    const YamlNode& root = documents.value()[0];
    if (!check_keys(root)) return diagnostics_;
    const YamlNode* name = root.find("graph");
    draft_.emplace(semantics_, name ? name->text : "graph", program_, mode_);
    begin(*draft_);
    if (const YamlNode* n = root.find("sizes")) read_sizes(*n);
    if (const YamlNode* n = root.find("inputs")) read_inputs(*n);
    const YamlNode* train = training_ ? root.find("train") : nullptr;
    if (train && train->find("targets")) read_inputs(*train->find("targets"));
    asks_for_gradients_ = asks_for_gradients_ || file_->text().find("grad(") != std::string::npos;
    if (const YamlNode* n = root.find("parameters")) read_parameters(*n);
    if (const YamlNode* n = root.find("modules")) read_modules(*n);
    check_ranges();
    if (const YamlNode* n = root.find("main")) read_main(*n);
    auto outputs = read_outputs(root.find("outputs"));
    if (train) read_training(*train, outputs);
    if (diagnostics_.has_errors()) return diagnostics_;
    return finish(outputs, root);
  }

 private:
  /// False where the rest cannot be read: not all that it needs is there, or of the right kind.
  bool check_keys(const YamlNode& root) {
    if (const YamlNode* ops = root.find("ops"); ops && !root.find("graph")) {
      error(Code::E0703, root.span, "this file has definitions of ops, and no graph",
            {"`tenon lib` and `tenon try` read definitions; docs/graphs.md shows a graph"});
      return false;
    }
    check_key_rows(root, kKeys, "a graph", Code::E0703, diagnostics_);
    const YamlNode* train = root.find("train");
    if (training_ && !train)
      error(Code::E0710, root.span, "the graph has no `train` section",
            {"docs/training.md shows one: targets, loss and optimizer"});
    if (train && train->is_map()) check_train_keys(*train, diagnostics_);
    return !diagnostics_.has_errors();
  }

  void read_sizes(const YamlNode& map) {
    for (const YamlEntry& e : map.entries) {
      if (!check_name(e.key)) continue;
      std::optional<SizeRange> range = range_of(e.value.text);
      if (!range) {
        error(Code::E0705, e.value.span, "a size is a range such as 1..64, or a number");
        range = SizeRange{1, 1};
      }
      sizes_.insert(e.key.text);
      if (const auto it = ranges_.find(e.key.text); it != ranges_.end()) range = it->second;
      const std::string c_name = unreserved(e.key.text, NamesOf::model, program_);
      if (range->lo != range->hi) builder().add_size({c_name, range->lo, range->hi});
      const SizeExpr value = range->lo == range->hi ? SizeExpr(range->lo) : size_name(c_name);
      scope_[e.key.text] = size_values_[e.key.text] = value;
    }
  }

  void check_ranges() {
    for (const auto& [name, range] : ranges_)
      if (!sizes_.count(name))
        diagnostics_.error_at(Code::E0705, "--size " + name, fmt::format("{} has no such size", file_->name()),
                              {sizes_.empty() ? "all its extents are numbers; `sizes: {N: 1..64}` gives it a size"
                                              : fmt::format("its sizes are: {}", joined(sizes_, ", "))});
  }

  void read_parameters(const YamlNode& map) {
    for (const YamlEntry& e : map.entries) {
      if (!check_name(e.key)) continue;
      poisoned_.insert(e.key.text);
      ParameterSource source{"", e.key.text, std::filesystem::path(file_->name()).parent_path().string(), std::nullopt,
                             ++parameters_};
      const YamlNode* from = e.value.find("from");
      const std::size_t errors = diagnostics_.size();
      for (const YamlEntry& k : e.value.entries) read_parameter_key(source, k);
      if (!e.value.is_map())
        error(Code::E0706, e.value.span,
              fmt::format("the parameter '{}' takes a map of keys, as in {{type: \"f32[64]\", from: randn(std=0.1)}}",
                          e.key.text));
      else if (!from) error(Code::E0706, e.key.span, fmt::format("the parameter '{}' needs `from`", e.key.text));
      if (from && diagnostics_.size() == errors) add_parameter(e, source, *from);
    }
  }

  static std::vector<std::string> notes_of_unknown_key(const ParameterSource& source) {
    const bool cut = source.from.find('(') != source.from.npos && source.from.find(')') == source.from.npos;
    if (!cut) return {};
    return {"a call with several arguments is quoted, as in from: \"rand(lo=-1, hi=1)\""};
  }

  void read_parameter_key(ParameterSource& source, const YamlEntry& k) {
    if (k.key.text == "type") source.type = read_type(k.value);
    else if (k.key.text == "from") source.from = k.value.text;
    else if (k.key.text == "name") source.name = k.value.text;
    else if (k.key.text != "grad" && k.key.text != "running")
      error(Code::E0706, k.key.span, "a parameter has the keys type, from, name, grad and running",
            notes_of_unknown_key(source));
    else if (k.value.text != "true" && k.value.text != "false")
      error(Code::E0706, k.value.span, fmt::format("{} is true or false", k.key.text));
  }

  void add_parameter(const YamlEntry& e, const ParameterSource& source, const YamlNode& from) {
    try {
      const auto contents = std::make_shared<const TensorData>(read_parameter(source, semantics_));
      if (const auto file = parameter_file(source)) builder().add_file(*file);
      const YamlNode *grad = e.value.find("grad"), *running = e.value.find("running");
      const bool trainable = grad && grad->text == "true", runs = running && running->text == "true";
      if (trainable && runs)
        return error(Code::E0706, running->span,
                     "a parameter is either trained or replaced by what the network computes");
      if (trainable && training_ && !is_float(contents->dtype))
        return error(
            Code::E0706, grad->span,
            fmt::format("{} is {}, and only floating parameters are trained", e.key.text, name_of(contents->dtype)));
      const ValueId id =
          training_ && (trainable || runs) ? changed(e, contents, runs) : builder().add_constant(e.key.text, contents);
      if (trainable && !training_) builder().set_trainable(id);
      if (asks_for_gradients_ && is_float(contents->dtype)) builder().keep(id);
      scope_[e.key.text] = TensorRef{id};
      poisoned_.erase(e.key.text);
    } catch (const ParameterFileError& problem) {
      error(problem.code, from.span, problem.what(), problem.notes);
    } catch (const RecipeError& problem) {
      recipe_error(Code::E0706, placed_text(from), problem);
    }
  }

  ValueId changed(const YamlEntry& e, const std::shared_ptr<const TensorData>& contents, bool running) {
    const std::string& name = e.key.text;
    const ValueId id = builder().add_input(name, contents->dtype, {contents->dims.begin(), contents->dims.end()});
    if (running) {
      running_.push_back({{name, id, id, contents}, e.key.span});
      forms().add_running(id);
    } else {
      trained_.push_back({name, id, contents});
    }
    return id;
  }

  NamedOutputs read_outputs(const YamlNode* list) {
    NamedOutputs outputs;
    if (!list || unreadable_) return outputs;
    if (!list->is_sequence() || list->items.empty())
      error(Code::E0708, list->span, "outputs is a list of names, at least one");
    std::set<std::string> seen;
    for (const YamlNode& item : list->items) {
      const auto it = scope_.find(item.text);
      const TensorRef* t = it == scope_.end() ? nullptr : it->second.get<TensorRef>();
      if (t && seen.insert(item.text).second) outputs.emplace_back(item.text, t->id);
      else if (t) error(Code::E0708, item.span, fmt::format("the output '{}' occurs twice", item.text));
      else if (!poisoned_.count(item.text))
        error(Code::E0708, item.span, fmt::format("main computes no tensor '{}'", item.text));
    }
    return outputs;
  }

  Result<Graph> finish(const NamedOutputs& outputs, const YamlNode& root) {
    try {
      Graph graph = builder().finish(outputs);
      if (const YamlNode* doc = root.find("doc")) graph.doc = doc->text;
      return graph;
    } catch (const GraphError& e) {
      diagnostics_.error_at(Code::E0702, file_->name(), e.what());
      return diagnostics_;
    }
  }

  const SizeRanges& ranges_;
  const std::string& program_;
  std::optional<GraphDraft> draft_;
  uint64_t parameters_ = 0;
  bool training_ = false;  // the section `train` is read
  bool asks_for_gradients_ = false;
};

}  // namespace

Result<Graph> read_graph_yaml(const SourceFileRef& file, const OpSemantics& semantics, const GraphRequest& request) {
  return GraphReader(file, semantics, request).read();
}

}  // namespace tenon
