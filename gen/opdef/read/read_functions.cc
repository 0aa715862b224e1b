// Reading `exp: {args: [X], d: [Y]}` and `gelu(x): expression`.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/number/scalar_op.h"
#include "opdef/notation/parse_body.h"
#include "opdef/read/read_op.h"
#include "opdef/read/yaml_shape.h"
#include "support/tokens.h"

namespace tenon {

namespace {

void read_row(const YamlEntry& entry, ScalarRow& row, Diagnostics& diagnostics) {
  refuse_unknown_keys(entry.value, {"args", "d", "as"}, "a scalar row", diagnostics);
  const YamlNode* args = entry.value.find("args");
  if (args == nullptr) {
    diagnostics.error(Code::E0203, row.span, fmt::format("the row '{}' lacks the key `args`", row.name),
                      {"write args: [X]"});
    return;
  }
  for (const Word& word : words(*args, "args", diagnostics)) {
    if (!is_name(word.text))
      diagnostics.error(Code::E0204, word.span, fmt::format("'{}' cannot be the name of an argument", word.text),
                        {"write args: [A, B]"});
    row.args.push_back(word.text);
  }
  if (const YamlNode* as = entry.value.find("as");
      as != nullptr && want_text(*as, "as", "as: X*sigmoid(X)", diagnostics)) {
    row.as.emplace();
    parse_expression(placed_text(*as), *row.as, diagnostics);
  }
  const YamlNode* derivatives = entry.value.find("d");
  if (derivatives == nullptr || !want_list(*derivatives, "d", "d: [1 - Y*Y]", diagnostics)) return;
  for (const YamlNode& item : derivatives->items) {
    if (want_text(item, "a derivative", "d: [1 - Y*Y]", diagnostics))
      parse_expression(placed_text(item), row.derivatives.emplace_back(), diagnostics);
  }
  if (derivatives->items.size() != row.args.size()) {
    diagnostics.error(
        Code::E0218, derivatives->span,
        fmt::format("'{}' has {} arguments and {} derivatives", row.name, row.args.size(), derivatives->items.size()),
        {"give one per argument, in their order"});
  }
}

void check_builtin(const ScalarRow& row, Diagnostics& diagnostics) {
  const auto op = scalar_op_from_name(row.name);
  if (!op) {
    std::vector<std::string> known;
    for (const ScalarOpRow& r : all_scalar_ops()) known.emplace_back(r.name);
    const std::string near = nearest_name(row.name, known);
    diagnostics.error(
        Code::E0217, row.span, fmt::format("the generator has no function '{}'", row.name),
        {near.empty() ? "add `as: expression` to define it"
                      : fmt::format("did you mean '{}'? Otherwise add `as: expression` to define it", near)});
  } else if (const int arity = scalar_op_row(*op).arity; static_cast<std::size_t>(arity) != row.args.size()) {
    diagnostics.error(
        Code::E0219, row.span,
        fmt::format("'{}' takes {} argument{}, not {}", row.name, arity, arity == 1 ? "" : "s", row.args.size()),
        {"name each one under `args`"});
  }
}

/// `name(a, b)`
bool read_header(const YamlNode& key, ScalarFn& out, Diagnostics& diagnostics) {
  Diagnostics quiet;
  const PlacedText text = placed_text(key);
  const std::vector<Token> tokens = tokenize(text, quiet);
  bool good = quiet.empty() && tokens.size() >= 4 && is_name(tokens[0].text) && tokens[1].is("(") &&
              tokens[tokens.size() - 2].is(")");
  for (std::size_t i = 2; good && i + 2 < tokens.size(); ++i) {
    const bool name_here = i % 2 == 0;
    good = name_here ? is_name(tokens[i].text) : tokens[i].is(",");
    if (good && name_here) out.params.emplace_back(tokens[i].text);
  }
  for (std::size_t i = 0; good && i < out.params.size(); ++i)
    good = std::find(out.params.begin() + static_cast<std::ptrdiff_t>(i) + 1, out.params.end(), out.params[i]) ==
           out.params.end();
  if (good) {
    out.name = tokens[0].text;
    out.span = text.span(tokens[0].begin, tokens[0].end);
    return true;
  }
  diagnostics.error(Code::E0216, key.span, fmt::format("'{}' is not a function's header", key.text),
                    {"write name(a, b): expression, each parameter once"});
  return false;
}

}  // namespace

std::vector<ScalarRow> read_scalar_rows(const YamlNode& node, Diagnostics& diagnostics) {
  std::vector<ScalarRow> rows;
  if (!need_map(node, "scalar", "scalar: {exp: {args: [X], d: [Y]}}", diagnostics)) return rows;
  for (const YamlEntry& entry : node.entries) {
    ScalarRow row;
    row.name = entry.key.text;
    row.span = entry.key.span;
    if (!want_name(entry.key, row.name, "a function", diagnostics)) continue;
    if (!need_map(entry.value, "a scalar row", "exp: {args: [X], d: [Y]}", diagnostics)) continue;
    read_row(entry, row, diagnostics);
    if (!row.as) check_builtin(row, diagnostics);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<ScalarFn> read_functions(const YamlNode& node, Diagnostics& diagnostics) {
  std::vector<ScalarFn> functions;
  if (!need_map(node, "fn", "fn: {\"sigmoid(x)\": 1/(1 + exp(-x))}", diagnostics)) return functions;
  for (const YamlEntry& entry : node.entries) {
    ScalarFn function;
    if (!read_header(entry.key, function, diagnostics)) continue;
    if (!want_text(entry.value, "a function", "sigmoid(x): 1/(1 + exp(-x))", diagnostics)) continue;
    if (parse_expression(placed_text(entry.value), function.value, diagnostics))
      functions.push_back(std::move(function));
  }
  return functions;
}

}  // namespace tenon
