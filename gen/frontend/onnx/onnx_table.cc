// Reads the rows that map ONNX operators.
#include "frontend/onnx/onnx_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "support/parse_number.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class TableReader {
 public:
  Result<OnnxTable> read(const std::vector<SourceFileRef>& files) {
    for (const Result<std::vector<YamlNode>>& documents : read_yaml(files)) {
      diagnostics_.append(documents.diagnostics());
      if (!documents.ok()) continue;
      for (const YamlNode& document : documents.value()) read_document(document);
    }
    if (diagnostics_.has_errors()) return diagnostics_;
    return std::move(table_);
  }

 private:
  void error(Code code, const SourceSpan& span, std::string message) {
    diagnostics_.error(code, span, std::move(message));
  }

  void read_document(const YamlNode& document) {
    if (!document.is_map())
      return error(Code::E0202, document.span, "a table of operators is a map of same, by_element, functions and rows");
    for (const YamlEntry& e : document.entries) {
      if (e.key.text == "same") read_same(e.value);
      else if (e.key.text == "functions") read_functions(e.value);
      else if (e.key.text == "rows") read_rows(e.value);
      else if (e.key.text == "by_element") read_by_element(e.value);
      else error(Code::E0201, e.key.span, "a table of operators has the keys same, by_element, functions and rows");
    }
  }

  // `Add` has operands without number, of `CastLike/1` the first one alone decides the shape.
  void read_by_element(const YamlNode& value) {
    for (const std::string& word : words_of(value.text)) {
      const size_t slash = word.find('/');
      table_.by_element[word.substr(0, slash)] =
          slash == std::string::npos ? std::numeric_limits<int>::max() : version(value, word.substr(slash + 1));
    }
  }

  void read_same(const YamlNode& map) {
    for (const YamlEntry& e : map.entries) {
      OnnxRow row;
      // `Add since 7: add` leaves the opsets before to a row.
      const std::vector<std::string> head = words_of(e.key.text);
      const bool since = head.size() == 3 && head[1] == "since";
      if (head.size() != 1 && !since)
        error(Code::E0203, e.key.span, "an operator is expected here, or an operator, `since` and an opset");
      row.op = head.empty() ? "" : head[0];
      if (since) row.since = version(e.key, head[2]);
      row.same = e.value.text;
      row.span = e.key.span;
      table_.rows.push_back(std::move(row));
    }
  }

  template <class Parse>
  auto parse(const YamlNode& node, const Parse& parser) -> decltype(parser(std::string_view())) {
    const PlacedText text = placed_text(node);
    try {
      return parser(text.text);
    } catch (const RecipeError& e) {
      const size_t at = std::min(e.offset, text.text.size());
      error(Code::E0701, text.span(at, std::min(at + 1, text.text.size())), e.what());
      return {};
    }
  }

  void read_functions(const YamlNode& map) {
    for (const YamlEntry& e : map.entries) {
      const auto head = parse_recipe_head(e.key.text);
      if (!head) {
        error(Code::E0701, e.key.span, "a function is written name(a, b): recipe");
        continue;
      }
      RecipeFunction f{head->parameters, parse(e.value, [](std::string_view t) { return parse_recipe(t); })};
      if (!table_.functions.emplace(head->name, std::move(f)).second)
        error(Code::E0701, e.key.span,
              fmt::format("a function '{}' is there already; functions of all files share their names: rename this one",
                          head->name));
    }
  }

  void read_rows(const YamlNode& list) {
    for (const YamlNode& item : list.items) {
      OnnxRow row;
      row.span = item.span;
      for (const YamlEntry& e : item.entries) read_key(row, e.key, e.value);
      if ((row.op.empty() && !many(item)) || row.recipe.empty())
        error(Code::E0203, item.span, "a row needs onnx and do");
      if (many(item)) add_each(row, *many(item));
      else table_.rows.push_back(std::move(row));
    }
  }

  // `onnx: {ReduceSum: sum, ReduceMax: max}` is a row an operator, alike but for what the recipe finds under `op`.
  static const YamlNode* many(const YamlNode& item) {
    for (const YamlEntry& e : item.entries)
      if (e.key.text == "onnx" && e.value.is_map()) return &e.value;
    return nullptr;
  }

  void add_each(const OnnxRow& row, const YamlNode& operators) {
    for (const YamlEntry& e : operators.entries) {
      table_.rows.push_back(row);
      table_.rows.back().op = e.key.text;
      table_.rows.back().op_argument = e.value.text;
    }
  }

  void read_key(OnnxRow& row, const YamlNode& key, const YamlNode& value) {
    const std::string& k = key.text;
    if (k == "onnx") row.op = value.is_map() ? "" : value.text;
    else if (k == "domain") row.domain = value.text;
    else if (k == "since") row.since = version(value, value.text);
    else if (k == "in") read_inputs(row, value);
    else if (k == "attrs") read_attrs(row, value);
    else if (k == "when") row.when = parse(value, [](std::string_view t) { return parse_recipe_expr(t); });
    else if (k == "do")
      row.recipe = parse(value, [](std::string_view t) { return parse_recipe(t); }),
      row.recipe_text = placed_text(value);
    else if (k == "out") row.outputs = words_of(value.text);
    else error(Code::E0201, key.span, "a row has the keys onnx, domain, since, in, attrs, when, do and out");
  }

  int version(const YamlNode& value, const std::string& text) {
    const auto v = parse_number<int>(text);
    if (!v) error(Code::E0214, value.span, "an opset is an integer");
    return v.value_or(0);
  }

  static void read_inputs(OnnxRow& row, const YamlNode& value) {
    for (std::string word : words_of(value.text)) {
      OnnxInput in;
      if (word.size() > 3 && word.ends_with("...")) in.variadic = true, word.resize(word.size() - 3);
      else if (word.ends_with("?")) in.optional = true, word.pop_back();
      in.name = std::move(word);
      row.inputs.push_back(std::move(in));
    }
  }

  void read_attrs(OnnxRow& row, const YamlNode& map) {
    for (const YamlEntry& e : map.entries) {
      OnnxAttribute a;
      a.name = e.key.text;
      a.dtype = e.value.text == "dtype" || e.value.text == "dtype?";
      a.required = e.value.text == "dtype" || e.value.text == "!";
      a.table = e.value.text == "table";
      if (!a.required && !a.dtype && !a.table && !e.value.is_null()) a.fallback = default_value(e.value);
      row.attrs.push_back(std::move(a));
    }
  }

  // A number or a list of numbers, or a word: `NOTSET`.
  RecipeValue default_value(const YamlNode& node) {
    if (node.is_sequence()) {
      RecipeList list;
      for (const YamlNode& item : node.items) list.push_back(default_value(item));
      return list;
    }
    if (const auto whole = parse_number<int64_t>(node.text)) return SizeExpr(*whole);
    if (const auto real = parse_number<double>(node.text)) return *real;
    return node.text;
  }

  OnnxTable table_;
  Diagnostics diagnostics_;
};

}  // namespace

Result<OnnxTable> read_onnx_table(const std::vector<SourceFileRef>& files) { return TableReader().read(files); }

std::vector<const OnnxRow*> onnx_rows(const OnnxTable& table, const std::string& op, const std::string& domain,
                                      int opset, bool& known) {
  std::vector<const OnnxRow*> found;
  known = false;
  for (const OnnxRow& row : table.rows) {
    if (row.op != op || row.domain != domain) continue;
    known = true;
    if (row.since > opset || (!found.empty() && row.since < found[0]->since)) continue;
    if (!found.empty() && row.since > found[0]->since) found.clear();
    found.push_back(&row);
  }
  return found;
}

std::string nearest_operator(const OnnxTable& table, const std::string& op) {
  const std::vector<std::string> names = mapped(table.rows, &OnnxRow::op);
  // Names of operators are made of words: one that differs in a word is another operator, not a misspelling.
  constexpr size_t kShortest = 5, kShare = 5;
  return op.size() < kShortest ? "" : nearest_name(op, names, kShare);
}

}  // namespace tenon
