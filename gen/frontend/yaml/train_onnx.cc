// Reads how an ONNX model is trained: its weights become parameters, and the section `train` sees its values.
#include "frontend/yaml/train_onnx.h"

#include <fmt/format.h>

#include "frontend/onnx/onnx.pb.h"
#include "frontend/onnx/onnx_tensor.h"
#include "frontend/onnx/onnx_weights.h"
#include "frontend/yaml/add_training.h"
#include "frontend/yaml/check_key_rows.h"
#include "frontend/yaml/graph_sections.h"
#include "support/c_names.h"
#include "support/joined.h"
#include "support/parse_number.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using namespace tenon_onnx;

constexpr KeyRow kOnnxTrainingKeys[] = {
    {"sizes", YamlKind::map, false, "sizes: {N: 1..64}"},
    {"inputs", YamlKind::map, false, "inputs: {x: \"f32[N, 1, 28, 28]\"}"},
    {"values", YamlKind::map, false, "values: {scores: \"output/fc:0\"}"},
    {"parameters", YamlKind::sequence, false, "parameters: [\"fc*\"]"},
    {"last", YamlKind::scalar, false, "last: 2"},
    {"running", YamlKind::sequence, false, "running: [\"*\"]"},
    {"modules", YamlKind::map, false, "modules: {\"dense(x, W)\": \"relu(gemm(x, W))\"}"},
    {"train", YamlKind::map, true, "train: {loss: mean(sq(y - t)), optimizer: sgd(lr=0.1)}"},
};

class OnnxTraining : public OnnxExtension, private GraphSections {
 public:
  OnnxTraining(const SourceFileRef& file, const OpSemantics& semantics, GraphMode mode)
      : GraphSections(file, semantics, mode) {}

  /// Checks that do not need the model.
  bool open(SizeRanges& sizes) {
    const Result<std::vector<YamlNode>> documents = read_yaml(file_);
    diagnostics_.append(documents.diagnostics());
    if (!documents.ok()) return false;
    if (documents->size() != 1 || !documents->front().is_map()) {
      error(Code::E0710, {file_, 0, 1}, "how a model is trained is one map of keys: parameters, train …",
            {"docs/training.md shows one"});
      return false;
    }
    root_ = documents->front();
    check_key_rows(root_, kOnnxTrainingKeys, "a file for --train-with", Code::E0710, diagnostics_);
    if (const YamlNode* train = root_.find("train"); train && train->is_map()) check_train_keys(*train, diagnostics_);
    if (!diagnostics_.has_errors()) add_ranges(sizes);
    return !diagnostics_.has_errors();
  }

  const Diagnostics& diagnostics() const override { return diagnostics_; }
  bool has_size(const std::string& name) const override { return own_.count(name) > 0; }

  void begin(GraphDraft& draft, GraphProto& graph) override {
    GraphSections::begin(draft);
    diagnostics_ = {};
    scope_.clear();
    modules_.clear();
    poisoned_.clear();
    trained_.clear();
    running_.clear();
    changed_.clear();
    replaced_.clear();
    if (const YamlNode* n = root_.find("inputs"))
      for (const YamlEntry& e : n->entries) change_input(e, graph);
    choose(find_onnx_weights(graph), graph);
  }

  ValueId weight(const std::string& name, const std::shared_ptr<const TensorData>& contents) override {
    const auto runs = replaced_.find(name);
    if (runs == replaced_.end() && !changed_.count(name)) return kNoValue;
    const ValueId id = builder().add_input(name, contents->dtype, {contents->dims.begin(), contents->dims.end()});
    if (runs == replaced_.end()) {
      trained_.push_back({name, id, contents});
    } else {
      running_.push_back({{name, id, id, contents}, runs->second});
      forms().add_running(id);
    }
    return id;
  }

  void finish(const std::map<std::string, ValueId>& values, const std::map<std::string, SizeExpr>& sizes,
              NamedOutputs& outputs) override {
    for (const auto& [name, size] : sizes) scope_[name] = size;
    for (const auto& [name, span] : own_)
      if (!sizes.count(name))
        error(Code::E0705, span, fmt::format("no input of the model has the open size '{}'", name),
              {"`inputs` gives one other extents: inputs: {x: \"f32[N, 64]\"}"});
    name_values(values);
    const YamlNode& train = *root_.find("train");
    if (const YamlNode* n = train.find("targets")) read_inputs(*n);
    if (const YamlNode* n = root_.find("modules")) read_modules(*n);
    if (!diagnostics_.has_errors()) read_training(train, outputs);
  }

 private:
  void add_ranges(SizeRanges& sizes) {
    const YamlNode* map = root_.find("sizes");
    for (const YamlEntry& e : map ? map->entries : std::vector<YamlEntry>{}) {
      const std::optional<SizeRange> range = range_of(e.value.text);
      if (!range) error(Code::E0705, e.value.span, "a size is a range such as 1..64, or a number");
      else if (sizes.emplace(e.key.text, *range).second) own_.emplace(e.key.text, e.key.span);
    }
  }

  /// Gives an input of the file these extents. The file's shapes of later values may no longer be right.
  void change_input(const YamlEntry& e, GraphProto& graph) {
    const auto at = find_if(graph.input(), [&](const auto& v) { return v.name() == e.key.text; });
    if (at == graph.input().end()) {
      return error(Code::E0710, e.key.span,
                   fmt::format("the model has no input '{}'; it has {}", e.key.text,
                               joined(graph.input(), ", ", [](const auto& v) { return v.name(); })));
    }
    TypeProto::Tensor& type =
        *graph.mutable_input(static_cast<int>(at - graph.input().begin()))->mutable_type()->mutable_tensor_type();
    const std::optional<std::vector<std::string>> extents = extents_of(e.value, type.elem_type());
    if (!extents) return;
    type.mutable_shape()->Clear();
    for (const std::string& extent : *extents) {
      const auto number = parse_number<int64_t>(extent);
      if (number) type.mutable_shape()->add_dim()->set_dim_value(*number);
      else type.mutable_shape()->add_dim()->set_dim_param(extent);
    }
    graph.clear_value_info();
    for (ValueInfoProto& v : *graph.mutable_output()) v.mutable_type()->mutable_tensor_type()->clear_shape();
  }

  /// Numbers and names between the brackets of a type; nothing after an error.
  std::optional<std::vector<std::string>> extents_of(const YamlNode& node, int element_type) {
    const size_t open = node.text.find('[');
    const std::optional<DType> dtype = onnx_dtype(element_type);
    std::vector<std::string> extents;
    if (!dtype || node.text.substr(0, open) != name_of(*dtype)) {
      error(Code::E0704, node.span,
            fmt::format("the input stays {}; `inputs` gives other extents", dtype ? name_of(*dtype) : "what it is"));
      return std::nullopt;
    }
    bool good = open != std::string::npos && node.text.back() == ']';
    std::string word;
    for (const char c : good ? node.text.substr(open + 1) : "") {
      if (c == ' ') continue;
      if (c != ',' && c != ']') {
        word += c;
        good = good && is_word(c);
      } else if (!word.empty()) {
        extents.push_back(std::move(word));
        word.clear();
      }
    }
    if (good) return extents;
    error(Code::E0704, node.span, "extents are numbers and names of sizes, as in f32[N, 1, 28, 28]");
    return std::nullopt;
  }

  /// Which weights are trained, and which statistics follow the batches.
  void choose(const OnnxWeights& weights, const GraphProto& graph) {
    std::vector<std::string> among = weights.all();
    if (const YamlNode* last = root_.find("last")) among = last_layers(*last, weights);
    const YamlNode* parameters = root_.find("parameters");
    if (!parameters) changed_.insert(among.begin(), among.end());
    for (const YamlNode& p : parameters ? parameters->items : std::vector<YamlNode>{}) {
      // An exact name selects the tensor regardless of which operators read it.
      const bool by_name = p.text.find_first_of("*?") == std::string::npos && !root_.find("last");
      for (const std::string& name : matching(p, by_name ? floating(graph) : among, "is trained"))
        changed_.insert(name);
    }
    if (const YamlNode* running = root_.find("running"))
      for (const YamlNode& p : running->items)
        for (const std::string& name : matching(p, weights.statistics, "is a statistic of batch norm"))
          replaced_.emplace(name, p.span);
    for (const auto& [name, span] : replaced_)
      if (changed_.count(name))
        error(Code::E0710, span, fmt::format("'{}' is either trained or replaced by what the network computes", name));
  }

  std::vector<std::string> last_layers(const YamlNode& last, const OnnxWeights& weights) {
    const size_t count = parse_number<size_t>(last.text).value_or(0);
    if (count == 0 || count > weights.layers.size()) {
      error(Code::E0710, last.span,
            fmt::format("`last` is a number of layers; the model has {} with weights", weights.layers.size()));
      return {};
    }
    OnnxWeights chosen;
    chosen.layers.assign(weights.layers.end() - static_cast<std::ptrdiff_t>(count), weights.layers.end());
    return chosen.all();
  }

  static std::vector<std::string> floating(const GraphProto& graph) {
    std::vector<std::string> names;
    for (const TensorProto& t : graph.initializer())
      if (const auto dtype = onnx_dtype(t.data_type()); dtype && is_float(*dtype)) names.push_back(t.name());
    return names;
  }

  std::vector<std::string> matching(const YamlNode& pattern, const std::vector<std::string>& names, const char* what) {
    std::vector<std::string> found;
    for (const std::string& name : names)
      if (matches_pattern(name, pattern.text)) found.push_back(name);
    constexpr size_t shown = 12;
    if (!found.empty()) return found;
    const std::vector<std::string> some(names.begin(),
                                        names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), shown)));
    error(Code::E0710, pattern.span, fmt::format("nothing called '{}' {} in this model", pattern.text, what),
          {did_you_mean(pattern.text, names,
                        names.empty() ? "it has nothing of this kind"
                                      : "it has " + joined(some, ", ") + (names.size() > shown ? ", …" : ""))});
    return found;
  }

  /// Values whose names in the file are names of recipes, and those that `values` gives one.
  void name_values(const std::map<std::string, ValueId>& values) {
    std::vector<std::string> names;
    for (const auto& [name, id] : values) {
      names.push_back(name);
      const bool plain = !name.empty() && all_of(name, is_word) && !std::isdigit(static_cast<unsigned char>(name[0]));
      if (plain && id >= 0 && !scope_.count(name)) scope_[name] = TensorRef{id};
    }
    const YamlNode* map = root_.find("values");
    for (const YamlEntry& e : map ? map->entries : std::vector<YamlEntry>{}) {
      const auto it = values.find(e.value.text);
      const std::string meant = did_you_mean(e.value.text, names);
      if (it != values.end() && it->second >= 0) scope_[e.key.text] = TensorRef{it->second};
      else
        error(Code::E0710, e.value.span, fmt::format("the model has no value '{}'", e.value.text),
              meant.empty() ? std::vector<std::string>{} : std::vector{meant});
    }
  }

  YamlNode root_;
  std::map<std::string, SourceSpan> own_;       // sizes whose ranges this file gives
  std::set<std::string> changed_;               // weights that are trained
  std::map<std::string, SourceSpan> replaced_;  // statistics, with the pattern that chose them
};

}  // namespace

Result<std::unique_ptr<OnnxExtension>> read_onnx_training(const SourceFileRef& file, const OpSemantics& semantics,
                                                          GraphMode mode, SizeRanges& sizes) {
  auto training = std::make_unique<OnnxTraining>(file, semantics, mode);
  if (!training->open(sizes)) return training->diagnostics();
  return std::unique_ptr<OnnxExtension>(std::move(training));
}

}  // namespace tenon
