// Reads the graph files of people.
#include "frontend/yaml/read_graph_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "frontend/recipe/run_recipe.h"
#include "frontend/yaml/add_training.h"
#include "frontend/yaml/check_key_rows.h"
#include "frontend/yaml/read_parameter.h"
#include "frontend/yaml/read_train_section.h"
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
bool is_name(const std::string& s) {
  const auto word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !s.empty() && s.size() <= 64 && std::all_of(s.begin(), s.end(), word) && !(s[0] >= '0' && s[0] <= '9') &&
         s[0] != '_';
}

class GraphReader {
 public:
  GraphReader(const SourceFileRef& file, const OpSemantics& semantics, const GraphRequest& request)
      : file_(file),
        semantics_(semantics),
        ranges_(request.sizes),
        program_(request.program),
        mode_(request.mode),
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
    builder_.emplace(semantics_, name ? name->text : "graph", program_);
    counters_.emplace(*builder_);
    forms_.emplace(mode_, *counters_);
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
  void error(Code code, const SourceSpan& span, const std::string& message, std::vector<std::string> notes = {}) {
    diagnostics_.error(code, span, message, std::move(notes));
  }

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

  bool check_name(const YamlNode& key) {
    if (!is_name(key.text) || dtype_from_name(key.text)) {
      error(Code::E0707, key.span, fmt::format("'{}' is not a name that a tensor or a size can have", key.text));
      return false;
    }
    if (scope_.count(key.text) || modules_.count(key.text) || poisoned_.count(key.text)) {
      error(Code::E0707, key.span, fmt::format("the name '{}' is taken", key.text));
      return false;
    }
    return true;
  }

  std::optional<SizeRange> range_of(const std::string& text) {
    SizeRange r;
    const char *begin = text.data(), *end = begin + text.size();
    auto at = std::from_chars(begin, end, r.lo);
    if (at.ec != std::errc() || r.lo < 0) return std::nullopt;
    r.hi = r.lo;
    if (at.ptr == end) return r;
    if (end - at.ptr < 3 || at.ptr[0] != '.' || at.ptr[1] != '.') return std::nullopt;
    at = std::from_chars(at.ptr + 2, end, r.hi);
    return at.ec == std::errc() && at.ptr == end && r.hi >= r.lo ? std::optional(r) : std::nullopt;
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
      if (range->lo != range->hi) builder_->add_size({c_name, range->lo, range->hi});
      scope_[e.key.text] = range->lo == range->hi ? SizeExpr(range->lo) : size_name(c_name);
    }
  }

  void check_ranges() {
    for (const auto& [name, range] : ranges_)
      if (!sizes_.count(name))
        diagnostics_.error_at(Code::E0705, "--size " + name, fmt::format("{} has no such size", file_->name()),
                              {sizes_.empty() ? "all its extents are numbers; `sizes: {N: 1..64}` gives it a size"
                                              : fmt::format("its sizes are: {}", joined(sizes_, ", "))});
  }

  std::optional<TensorType> read_type(const YamlNode& node) {
    const PlacedText text = placed_text(node);
    const size_t open = text.text.find('[');
    const std::string dtype_name = text.text.substr(0, open);
    const std::optional<DType> dtype = dtype_from_name(dtype_name);
    TensorType type;
    try {
      if (!node.is_scalar())
        throw RecipeError(0, fmt::format("a tensor's type is expected here, not {}", kind_name(node.kind)));
      if (!dtype) throw RecipeError(0, fmt::format("'{}' is not a dtype", dtype_name));
      if (open == std::string::npos) throw RecipeError(0, "a type is written f32[N, 64]");
      RecipeContext context{*builder_, modules_};
      RecipeScope scope = scope_;
      if (!to_sizes(evaluate_recipe(context, parse_recipe_expr(std::string(open, ' ') + text.text.substr(open)), scope),
                    type.dims))
        throw RecipeError(open, "extents are numbers or sizes");
      for (const SizeExpr& d : type.dims)
        if (d.is_constant() && (d.value < 0 || d.value > (int64_t{1} << 40)))
          throw RecipeError(open, "an extent is negative or too large");
    } catch (const RecipeError& e) {
      const size_t at = std::min(e.offset, text.text.size());
      error(Code::E0704, text.span(at, std::min(at + 1, text.text.size())), e.what());
      return std::nullopt;
    }
    type.dtype = *dtype;
    return type;
  }

  void read_inputs(const YamlNode& map) {
    for (const YamlEntry& e : map.entries) {
      if (!check_name(e.key)) continue;
      const std::optional<TensorType> type = read_type(e.value);
      if (type) scope_[e.key.text] = TensorRef{builder_->add_input(e.key.text, type->dtype, type->dims)};
      else poisoned_.insert(e.key.text);
    }
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

  void read_parameter_key(ParameterSource& source, const YamlEntry& k) {
    if (k.key.text == "type") source.type = read_type(k.value);
    else if (k.key.text == "from") source.from = k.value.text;
    else if (k.key.text == "name") source.name = k.value.text;
    else if (k.key.text != "grad" && k.key.text != "running")
      error(Code::E0706, k.key.span, "a parameter has the keys type, from, name, grad and running");
    else if (k.value.text != "true" && k.value.text != "false")
      error(Code::E0706, k.value.span, fmt::format("{} is true or false", k.key.text));
  }

  void add_parameter(const YamlEntry& e, const ParameterSource& source, const YamlNode& from) {
    try {
      const auto contents = std::make_shared<const TensorData>(read_parameter(source, semantics_));
      if (const auto file = parameter_file(source)) builder_->add_file(*file);
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
          training_ && (trainable || runs) ? changed(e, contents, runs) : builder_->add_constant(e.key.text, contents);
      if (trainable && !training_) builder_->set_trainable(id);
      if (asks_for_gradients_ && is_float(contents->dtype)) builder_->keep(id);
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
    const ValueId id = builder_->add_input(name, contents->dtype, {contents->dims.begin(), contents->dims.end()});
    if (running) {
      running_.push_back({{name, id, id, contents}, e.key.span});
      forms_->add_running(id);
    } else {
      trained_.push_back({name, id, contents});
    }
    return id;
  }

  void recipe_error(Code code, const PlacedText& outermost, const RecipeError& e) {
    const PlacedText& text = e.inlined.empty() ? outermost : *e.inlined.front().body;
    size_t at = std::min(e.offset, text.text.size());
    // What is missing at the end belongs behind the last line, not in the one below.
    const bool missing = at == text.text.size();
    while (missing && at > 0 && text.text[at - 1] == '\n') --at;
    size_t end = at;
    while (end < text.text.size() &&
           (std::isalnum(static_cast<unsigned char>(text.text[end])) || text.text[end] == '_'))
      ++end;
    std::vector<std::string> notes = advice(text.text.substr(at, end - at));
    for (size_t i = 0; i < e.inlined.size(); ++i) {
      const PlacedText& caller = i + 1 < e.inlined.size() ? *e.inlined[i + 1].body : outermost;
      const std::string note = fmt::format("'{}' is called at {}", e.inlined[i].function,
                                           place_of(caller.span(e.inlined[i].called_at, e.inlined[i].called_at)));
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);  // what calls itself once
    }
    error(code, text.span(at, std::max(end, std::min(at + 1, text.text.size()))), e.what(), notes);
  }

  std::string place_of(const SourceSpan& s) const {
    return fmt::format("{}:{}:{}", file_->name(), s.line(), s.column());
  }

  /// How an op is called, where the word in error is one.
  std::vector<std::string> advice(const std::string& word) const {
    const OpSignature* op = modules_.count(word) ? nullptr : semantics_.find(word);
    return op ? std::vector<std::string>{"its call: " + call_text(word, *op)} : std::vector<std::string>{};
  }

  std::optional<std::vector<RecipeStatement>> parse(const YamlNode& node) {
    const PlacedText text = placed_text(node);
    try {
      return parse_recipe(text.text);
    } catch (const RecipeError& e) {
      const std::string_view written =
          std::string_view(file_->text()).substr(node.span.begin, node.span.end - node.span.begin);
      if (written.find('\n') != written.npos && text.text.find('\n') == std::string::npos) {
        error(Code::E0701, node.span, "lines of a text without `|` are one line, and this is not a statement",
              {"write `|` behind the key, and the statements below it"});
        return std::nullopt;
      }
      recipe_error(Code::E0701, text, e);
      return std::nullopt;
    }
  }

  void read_modules(const YamlNode& map) {
    for (const YamlEntry& e : map.entries) {
      const std::string& head = e.key.text;
      RecipeExpr call;
      try {
        call = parse_recipe_expr(head);
      } catch (const RecipeError&) {
      }
      const auto named = [](const RecipeExpr& a) { return a.kind == RecipeExpr::Kind::name && is_name(a.text); };
      if (call.kind != RecipeExpr::Kind::call || !std::all_of(call.args.begin(), call.args.end(), named)) {
        error(Code::E0701, e.key.span, "a module is written name(x, W): recipe");
        continue;
      }
      RecipeFunction f;
      for (const RecipeExpr& a : call.args) f.parameters.push_back(a.text);
      if (auto body = parse(e.value)) f.body = std::move(*body);
      f.text = std::make_shared<PlacedText>(placed_text(e.value));
      modules_[call.text] = std::move(f);
    }
  }

  /// `is_loss`: a bare expression is the loss.
  void read_main(const YamlNode& node, bool is_loss = false) {
    const PlacedText text = placed_text(node);
    std::optional<std::vector<RecipeStatement>> statements = parse(node);
    if (!statements) {
      unreadable_ = true;
      return;
    }
    if (is_loss && statements->size() == 1 && statements->front().targets.empty())
      statements->front().targets = {"loss"};
    RecipeContext context{*builder_, modules_, [&](size_t offset) { return place_of(text.span(offset, offset)); }};
    context.names_values = true;
    context.form = [this](RecipeContext& c, const RecipeCall& call) { return forms_->call(c, call); };
    for (const RecipeStatement& s : *statements) run(context, text, s);
  }

  void read_training(const YamlNode& train, NamedOutputs& outputs) {
    const YamlNode& loss = *train.find("loss");
    read_main(loss, true);
    if (trained_.empty() && !diagnostics_.has_errors())
      error(Code::E0710, train.span, "no parameter has `grad: true`: there is nothing to train");
    const auto value = scope_.find("loss");
    const TensorRef* t = value == scope_.end() ? nullptr : value->second.get<TensorRef>();
    if (!t && !diagnostics_.has_errors())
      error(Code::E0710, loss.span, "the statements compute no tensor named loss", {"the last one is `loss = …`"});
    if (diagnostics_.has_errors()) return;
    if (mode_ == GraphMode::step) read_step(train, loss, t->id, outputs);
    else outputs.insert(outputs.begin(), {"loss", t->id});
  }

  void read_step(const YamlNode& train, const YamlNode& loss, ValueId value, NamedOutputs& outputs) {
    StepParameters parameters{trained_, {}};
    for (const auto& [p, span] : running_) {
      parameters.running.push_back(p);
      parameters.running.back().next = forms_->latest(p.value);
      if (forms_->latest(p.value) == p.value)
        error(
            Code::E0710, span, fmt::format("nothing replaces the running parameter '{}'", p.name),
            {"an op with an input S and an output S_next does, as batch_norm with its M and V in a step of training"});
    }
    const Optimizer chosen = read_train_section(train, trained_, semantics_, diagnostics_);
    if (diagnostics_.has_errors()) return;
    try {
      add_training(*builder_, *counters_, value, parameters, chosen, outputs);
    } catch (const GraphError& e) {
      error(Code::E0710, loss.span, e.what());
    }
  }

  // After an error the statement's names are known to be missing, so that only new mistakes are reported.
  void run(RecipeContext& context, const PlacedText& text, const RecipeStatement& s) {
    if (reads_poisoned(s.value)) {
      poisoned_.insert(s.targets.begin(), s.targets.end());
      return;
    }
    try {
      for (const std::string& t : s.targets)
        if (sizes_.count(t) || modules_.count(t))
          throw RecipeError(s.offset, fmt::format("'{}' is the name of a size or a module", t));
      if (s.targets.empty())
        throw RecipeError(s.offset, "a statement of main gives its result a name, as in y = relu(x)");
      context.depth = 0;
      run_recipe(context, {s}, scope_);
      for (const std::string& t : s.targets) poisoned_.erase(t);
    } catch (const RecipeError& e) {
      recipe_error(Code::E0702, text, e);
      poisoned_.insert(s.targets.begin(), s.targets.end());
    }
  }

  bool reads_poisoned(const RecipeExpr& e) const {
    if (e.kind == RecipeExpr::Kind::name && poisoned_.count(e.text)) return true;
    return std::any_of(e.args.begin(), e.args.end(), [&](const RecipeExpr& a) { return reads_poisoned(a); });
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
      else if (t) error(Code::E0708, item.span, fmt::format("the output '{}' stands twice", item.text));
      else if (!poisoned_.count(item.text))
        error(Code::E0708, item.span, fmt::format("main computes no tensor '{}'", item.text));
    }
    return outputs;
  }

  Result<Graph> finish(const NamedOutputs& outputs, const YamlNode& root) {
    try {
      Graph graph = builder_->finish(outputs);
      if (const YamlNode* doc = root.find("doc")) graph.doc = doc->text;
      return graph;
    } catch (const GraphError& e) {
      diagnostics_.error_at(Code::E0702, file_->name(), e.what());
      return diagnostics_;
    }
  }

  const SourceFileRef& file_;
  const OpSemantics& semantics_;
  const SizeRanges& ranges_;
  const std::string& program_;
  std::optional<GraphBuilder> builder_;
  RecipeScope scope_;
  RecipeFunctions modules_;
  std::set<std::string> sizes_, poisoned_;
  std::optional<RunCounters> counters_;
  std::optional<TrainingForms> forms_;
  std::vector<TrainedParameter> trained_;
  std::vector<std::pair<RunningParameter, SourceSpan>> running_;
  uint64_t parameters_ = 0;
  GraphMode mode_;
  bool training_ = false;  // the section `train` is read
  bool asks_for_gradients_ = false;
  bool unreadable_ = false;
  Diagnostics diagnostics_;
};

}  // namespace

Result<Graph> read_graph_yaml(const SourceFileRef& file, const OpSemantics& semantics, const GraphRequest& request) {
  return GraphReader(file, semantics, request).read();
}

}  // namespace tenon
