// Reads the parts that all graphs in YAML have in common.
#include "frontend/yaml/graph_sections.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "frontend/yaml/add_training.h"
#include "frontend/yaml/check_key_rows.h"
#include "support/c_names.h"
#include "support/ranges.h"

namespace tenon {
namespace {

bool is_name(const std::string& s) {
  return !s.empty() && s.size() <= 64 && all_of(s, is_word) && !(s[0] >= '0' && s[0] <= '9') && s[0] != '_';
}

}  // namespace

bool GraphSections::check_name(const YamlNode& key) {
  if (!is_name(key.text)) {
    error(Code::E0707, key.span, fmt::format("'{}' is not a name that a tensor or a size can have", key.text));
    return false;
  }
  if (scope_.count(key.text) || modules_.count(key.text) || poisoned_.count(key.text)) {
    error(Code::E0707, key.span, fmt::format("the name '{}' is taken", key.text));
    return false;
  }
  return true;
}

std::optional<SizeRange> GraphSections::range_of(const std::string& text) {
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

std::optional<TensorType> GraphSections::read_type(const YamlNode& node) {
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
    RecipeContext context{builder(), modules_};
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

void GraphSections::read_inputs(const YamlNode& map) {
  for (const YamlEntry& e : map.entries) {
    if (!check_name(e.key)) continue;
    const std::optional<TensorType> type = read_type(e.value);
    if (type) scope_[e.key.text] = TensorRef{builder().add_input(e.key.text, type->dtype, type->dims)};
    else poisoned_.insert(e.key.text);
  }
}

void GraphSections::recipe_error(Code code, const PlacedText& outermost, const RecipeError& e) {
  const PlacedText& text = e.inlined.empty() ? outermost : *e.inlined.front().body;
  size_t at = std::min(e.offset, text.text.size());
  // A missing part at the end is reported after the last line, not in the next one.
  const bool missing = at == text.text.size();
  while (missing && at > 0 && text.text[at - 1] == '\n') --at;
  size_t end = at;
  while (end < text.text.size() && is_word(text.text[end])) ++end;
  const std::string word = text.text.substr(at, end - at);
  std::vector<std::string> notes = advice(word);
  const auto module = e.inlined.empty() ? modules_.end() : modules_.find(e.inlined.front().function);
  if (module != modules_.end() && scope_.count(word) && !contains(module->second.parameters, word))
    notes.push_back(fmt::format("a module sees its parameters and the sizes only: make '{}' a parameter of '{}'", word,
                                module->first));
  for (size_t i = 0; i < e.inlined.size(); ++i) {
    const PlacedText& caller = i + 1 < e.inlined.size() ? *e.inlined[i + 1].body : outermost;
    const std::string note = fmt::format("'{}' is called at {}", e.inlined[i].function,
                                         place_of(caller.span(e.inlined[i].called_at, e.inlined[i].called_at)));
    if (!contains(notes, note)) notes.push_back(note);  // what calls itself once
  }
  error(code, text.span(at, std::max(end, std::min(at + 1, text.text.size()))), e.what(), notes);
}

std::string GraphSections::place_of(const SourceSpan& s) const {
  return fmt::format("{}:{}:{}", file_->name(), s.line(), s.column());
}

/// How an op is called, if the unknown word is an op.
std::vector<std::string> GraphSections::advice(const std::string& word) const {
  const OpSignature* op = modules_.count(word) ? nullptr : semantics_.find(word);
  return op ? std::vector<std::string>{"its call: " + call_text(word, *op)} : std::vector<std::string>{};
}

std::optional<std::vector<RecipeStatement>> GraphSections::parse(const YamlNode& node) {
  const PlacedText text = placed_text(node);
  try {
    return parse_recipe(text.text);
  } catch (const RecipeError& e) {
    const std::string_view written =
        std::string_view(file_->text()).substr(node.span.begin, node.span.end - node.span.begin);
    if (written.find('\n') != written.npos && text.text.find('\n') == std::string::npos) {
      error(Code::E0701, node.span, "lines of a text without `|` are one line, and this is not a statement",
            {"write `|` after the key, and the statements below it"});
      return std::nullopt;
    }
    recipe_error(Code::E0701, text, e);
    return std::nullopt;
  }
}

void GraphSections::read_modules(const YamlNode& map) {
  for (const YamlEntry& e : map.entries) {
    const auto head = parse_recipe_head(e.key.text);
    if (!head || !all_of(head->parameters, [](const std::string& name) { return is_name(name); })) {
      error(Code::E0701, e.key.span, "a module is written name(x, W): recipe");
      continue;
    }
    RecipeFunction f;
    f.parameters = head->parameters;
    if (auto body = parse(e.value)) f.body = std::move(*body);
    f.text = std::make_shared<PlacedText>(placed_text(e.value));
    modules_[head->name] = std::move(f);
  }
}

void GraphSections::read_main(const YamlNode& node, bool is_loss) {
  const PlacedText text = placed_text(node);
  std::optional<std::vector<RecipeStatement>> statements = parse(node);
  if (!statements) {
    unreadable_ = true;
    return;
  }
  if (is_loss && statements->size() == 1 && statements->front().targets.empty()) statements->front().targets = {"loss"};
  // without its folder, because the output must not depend on it
  const std::string name = std::filesystem::path(file_->name()).filename().string();
  RecipeContext context{builder(), modules_, &size_values_, [&](size_t offset) {
                          const SourceSpan s = text.span(offset, offset);
                          return fmt::format("{}:{}:{}", name, s.line(), s.column());
                        }};
  context.names_values = true;
  context.form = [this](RecipeContext& c, const RecipeCall& call) { return forms().call(c, call); };
  for (const RecipeStatement& s : *statements) run(context, text, s);
}

void GraphSections::read_training(const YamlNode& train, NamedOutputs& outputs) {
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

void GraphSections::read_step(const YamlNode& train, const YamlNode& loss, ValueId value, NamedOutputs& outputs) {
  StepParameters parameters{trained_, {}};
  for (const auto& [p, span] : running_) {
    parameters.running.push_back(p);
    parameters.running.back().next = forms().latest(p.value);
    if (forms().latest(p.value) == p.value)
      error(Code::E0710, span, fmt::format("nothing replaces the running parameter '{}'", p.name),
            {"an op with an input S and an output S_next does, as batch_norm with its M and V in a step of training"});
  }
  const Optimizer chosen = read_train_section(train, trained_, semantics_, diagnostics_);
  const bool narrow = builder().makes(DType::F16) ||
                      any_of(trained_, [&](const auto& p) { return builder().value(p.value).dtype == DType::F16; });
  if (chosen.loss_scale && !narrow)
    error(Code::E0710, train.find("loss_scale")->span, "loss_scale has no effect: no value of the step is f16",
          {"gradients of other types do not become 0 where those of the loss are small; leave it out"});
  if (diagnostics_.has_errors()) return;
  try {
    add_training(builder(), counters(), {value, parameters, chosen}, outputs);
  } catch (const GraphError& e) {
    const Value& v = builder().value(value);
    const bool is_loss = is_float(v.dtype) && v.dims.empty();
    error(Code::E0710, is_loss ? train.find("optimizer")->span : loss.span, e.what());
  }
}

// After an error the statement's names are known to be missing, so that only new mistakes are reported.
void GraphSections::run(RecipeContext& context, const PlacedText& text, const RecipeStatement& s) {
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

bool GraphSections::reads_poisoned(const RecipeExpr& e) const {
  if (e.kind == RecipeExpr::Kind::name && poisoned_.count(e.text)) return true;
  return any_of(e.args, [&](const RecipeExpr& a) { return reads_poisoned(a); });
}

}  // namespace tenon
