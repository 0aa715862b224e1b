// Files of math entries into a library; an entry is read when the first call asks for it.
#include "opdef/read/read_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "opdef/notation/math_parser.h"
#include "opdef/read/yaml_shape.h"
#include "support/parse_number.h"

namespace tenon {
namespace {

/// An entry as YAML has it.
struct RawEntry {
  const YamlNode* name = nullptr;
  const YamlNode* doc = nullptr;
  const YamlNode* map = nullptr;
};

class MathReader {
 public:
  explicit MathReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// `replace`: entries take the place of those of the same name and type that were collected before.
  void collect(const YamlNode& document, bool replace) {
    replace_ = replace;
    if (document.is_null() || !want_map(document, "a file of math entries", "math:", diagnostics_)) return;
    refuse_unknown_keys(document, {"math"}, "a file of math entries", diagnostics_);
    const YamlNode* math = document.find("math");
    if (math == nullptr || !want_map(*math, "math", "exp: {f32: {args: [x], result: …}}", diagnostics_)) return;
    for (const YamlEntry& entry : math->entries) collect_entry(entry);
  }

  MathLibrary read_all() {
    for (const auto& [name, dtypes] : raw_)
      for (const auto& [dtype, raw] : dtypes) find(name, dtype, raw.name->span);
    return std::move(library_);
  }

 private:
  void collect_entry(const YamlEntry& entry) {
    if (!want_name(entry.key, entry.key.text, "a math entry", diagnostics_)) return;
    if (!want_map(entry.value, "a math entry", "f32: {args: [x], result: …}", diagnostics_)) return;
    const YamlNode* doc = entry.value.find("doc");
    for (const YamlEntry& variant : entry.value.entries) {
      if (variant.key.text == "doc") continue;
      std::vector<DType> dtypes;
      if (variant.key.text == "float") dtypes = {DType::F32, DType::F64};
      for (const DType d : {DType::F32, DType::F64})
        if (name_of(d) == variant.key.text) dtypes = {d};
      if (dtypes.empty())
        diagnostics_.error(Code::E0224, variant.key.span,
                           fmt::format("'{}' is not a type of math entries", variant.key.text),
                           {"write f32, f64, or float for both"});
      for (const DType d : dtypes) add(entry.key, d, {&entry.key, doc, &variant.value});
    }
  }

  void add(const YamlNode& key, DType dtype, RawEntry raw) {
    if (!want_map(*raw.map, "a math entry", "{args: [x], result: …}", diagnostics_)) return;
    refuse_unknown_keys(
        *raw.map, {"args", "ulp", "relative", "absolute", "steps", "result", "results", "by_fma", "by_lookup", "c"},
        "a math entry", diagnostics_);
    const bool known = raw_[key.text].count(dtype) != 0;
    raw_[key.text].insert_or_assign(dtype, raw);
    if (known && !replace_)
      diagnostics_.error(Code::E0205, key.span, fmt::format("'{}' of {} is defined twice", key.text, name_of(dtype)),
                         {"remove one of the two"});
  }

  const MathFunction* find(const std::string& name, DType dtype, const SourceSpan& place) {
    if (const MathFunction* known = library_.find(name, dtype))
      return broken_.count({name, dtype}) != 0 ? nullptr : known;
    const auto entry = raw_.find(name);
    if (entry == raw_.end() || entry->second.count(dtype) == 0) {
      diagnostics_.error(Code::E0402, place, fmt::format("there is no function '{}' of {}", name, name_of(dtype)),
                         {"functions are those of the notation, and other math entries of the same type"});
      return nullptr;
    }
    if (!open_.insert({name, dtype}).second) {
      diagnostics_.error(Code::E0427, place, fmt::format("'{}' calls itself", name),
                         {"calls are put in place of the call, so none may lead back"});
      return nullptr;
    }
    MathFunction f = read(name, dtype, entry->second.at(dtype));
    open_.erase({name, dtype});
    const MathFunction* kept = &library_.functions[name].emplace(dtype, std::move(f)).first->second;
    return broken_.count({name, dtype}) != 0 ? nullptr : kept;
  }

  MathFunction read(const std::string& name, DType dtype, const RawEntry& raw) {
    MathFunction f;
    f.name = name;
    f.dtype = dtype;
    if (raw.doc != nullptr && want_text(*raw.doc, "doc", "doc: one line", diagnostics_)) f.doc = raw.doc->text;
    MathScope scope{
        dtype, {}, [&](const std::string& callee, const SourceSpan& at) { return find(callee, dtype, at); }};
    const size_t before = diagnostics_.size();
    parameters(*raw.map, f, scope);
    bounds(*raw.map, f);
    const YamlNode* c = raw.map->find("c");
    if (c != nullptr) {
      if (want_name(*c, c->text, "a function of <math.h>", diagnostics_))
        f.c_function = c->text + (dtype == DType::F32 ? "f" : "");
      f.results.emplace_back().node = MathName{f.c_function};  // one float, for those that call it
      return f;
    }
    f.by_fma = other(raw, "by_fma", f);
    f.by_lookup = other(raw, "by_lookup", f);
    const YamlNode* steps = raw.map->find("steps");
    if (steps == nullptr || (want_text(*steps, "steps", "name = expression", diagnostics_) &&
                             parse_math_steps(placed_text(*steps), scope, f.steps, diagnostics_)))
      results(raw, f, scope);
    if (diagnostics_.size() != before) broken_.insert({name, dtype});
    return f;
  }

  void parameters(const YamlNode& map, MathFunction& f, MathScope& scope) {
    const YamlNode* args = map.find("args");
    if (args == nullptr || !want_list(*args, "args", "args: [x]", diagnostics_)) {
      if (args == nullptr) diagnostics_.error(Code::E0203, map.span, "a math entry needs `args`", {"write args: [x]"});
      return;
    }
    for (const YamlNode& item : args->items) {
      std::string text = item.text;
      const bool is_int = text.starts_with("int ");
      if (is_int) text.erase(0, 4);
      if (!want_name(item, text, "an argument", diagnostics_)) continue;
      f.parameters.push_back({text, is_int ? MathType::Int : MathType::Float});
      scope.names.emplace(text, f.parameters.back().type);
    }
  }

  void bounds(const YamlNode& map, MathFunction& f) {
    if (const YamlNode* ulp = map.find("ulp")) f.ulp = number(*ulp);
    const YamlNode* relative = map.find("relative");
    const YamlNode* absolute = map.find("absolute");
    if (relative != nullptr || absolute != nullptr)
      f.error = {relative != nullptr ? number(*relative).value_or(0) : 0,
                 absolute != nullptr ? number(*absolute).value_or(0) : 0};
  }

  /// The entry that takes the place of `f` on some levels, by the name behind `key`.
  std::string other(const RawEntry& raw, const char* key, const MathFunction& f) {
    const YamlNode* node = raw.map->find(key);
    const MathFunction* by = node == nullptr ? nullptr : find(node->text, f.dtype, node->span);
    if (by == nullptr) return "";
    const auto same = [](const MathParameter& a, const MathParameter& b) { return a.type == b.type; };
    if (!std::equal(f.parameters.begin(), f.parameters.end(), by->parameters.begin(), by->parameters.end(), same))
      diagnostics_.error(Code::E0403, node->span, fmt::format("{} has other arguments than {}", by->name, f.name),
                         {"it takes the place of this entry on some levels"});
    return by->name;
  }

  void results(const RawEntry& raw, MathFunction& f, MathScope& scope) {
    const YamlNode* one = raw.map->find("result");
    const YamlNode* many = raw.map->find("results");
    if ((one == nullptr) == (many == nullptr)) {
      diagnostics_.error(Code::E0203, raw.name->span, "a math entry has one `result`, or a list of `results`",
                         {"write result: y"});
      return;
    }
    const auto add = [&](const YamlNode& node) {
      MathExpr e;
      if (want_text(node, "a result", "result: y", diagnostics_) &&
          parse_math_expression(placed_text(node), scope, e, diagnostics_))
        f.results.push_back(std::move(e));
    };
    if (one != nullptr) add(*one);
    if (many != nullptr && want_list(*many, "results", "results: [a, b]", diagnostics_))
      for (const YamlNode& node : many->items) add(node);
  }

  std::optional<double> number(const YamlNode& node) {
    if (const auto value = parse_number<double>(node.text); value && *value >= 0) return value;
    diagnostics_.error(Code::E0214, node.span, "a bound of the error is a number from 0 on",
                       {"write ulp: 1.5, or relative: 1e-5 and absolute: 1e-38"});
    return std::nullopt;
  }

  Diagnostics& diagnostics_;
  std::map<std::string, std::map<DType, RawEntry>> raw_;
  std::set<std::pair<std::string, DType>> open_, broken_;
  MathLibrary library_;
  bool replace_ = false;
};

/// The documents of the files, without those that cannot be read.
std::vector<std::vector<YamlNode>> documents_of(const std::vector<SourceFileRef>& files, Diagnostics& diagnostics) {
  std::vector<std::vector<YamlNode>> documents;
  for (Result<std::vector<YamlNode>>& read : read_yaml(files)) {
    diagnostics.append(read.diagnostics());
    if (read) documents.push_back(std::move(read.value()));
  }
  return documents;
}

}  // namespace

Result<MathLibrary> read_math(const std::vector<SourceFileRef>& files, const std::vector<SourceFileRef>& instead) {
  Diagnostics diagnostics;
  const auto documents = documents_of(files, diagnostics), replacing = documents_of(instead, diagnostics);
  MathReader reader(diagnostics);
  for (const std::vector<YamlNode>& file : documents)
    for (const YamlNode& document : file) reader.collect(document, false);
  for (const std::vector<YamlNode>& file : replacing)
    for (const YamlNode& document : file) reader.collect(document, true);
  MathLibrary library = reader.read_all();
  if (diagnostics.has_errors()) return diagnostics;
  return {std::move(library), std::move(diagnostics)};
}

}  // namespace tenon
