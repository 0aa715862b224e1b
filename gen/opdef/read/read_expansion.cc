// How an op is to be generated and tested: the keys numerics, expand and tests.
#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "ir/number/dtype.h"
#include "opdef/notation/parse_body.h"
#include "opdef/read/read_op.h"
#include "opdef/read/yaml_shape.h"
#include "support/parse_number.h"
#include "support/ranges.h"

namespace tenon {

namespace {

std::vector<std::string> dtype_names() {
  return mapped(all_dtypes(), [&](const DTypeRow& row) { return std::string(row.name); });
}

bool want_dtype(const Word& word, Diagnostics& diagnostics) {
  if (dtype_from_name(word.text)) return true;
  diagnostics.error(Code::E0224, word.span, fmt::format("there is no dtype '{}'", word.text),
                    {meant_note(word.text, dtype_names())});
  return false;
}

bool want_number(const YamlNode& node, double low, double high, double& out, Diagnostics& diagnostics) {
  const auto number = node.is_scalar() ? parse_number<double>(node.text) : std::nullopt;
  out = number.value_or(0);
  if (number && out >= low && out <= high) return true;
  diagnostics.error(Code::E0214, node.span, fmt::format("a number from {} to {} is expected here", low, high),
                    {"write it in digits"});
  return false;
}

void read_accumulate(const YamlNode& node, Numerics& out, Diagnostics& diagnostics) {
  if (!want_map(node, "accumulate", "accumulate: {f16: f32}", diagnostics)) return;
  for (const YamlEntry& entry : node.entries) {
    if (!want_text(entry.value, "an accumulator", "f16: f32", diagnostics)) continue;
    const Word key{entry.key.text, entry.key.span}, value{entry.value.text, entry.value.span};
    if (want_dtype(key, diagnostics) && want_dtype(value, diagnostics)) out.accumulate.emplace_back(key, value);
  }
}

void read_reassociate(const YamlNode& node, Numerics& out, Diagnostics& diagnostics) {
  if (node.is_map() || node.is_null()) {
    SourceSpan place = node.span;
    place.end = place.begin + 1;
    diagnostics.error(Code::E0213, place, "reassociate takes true, false or a list of values",
                      {"write reassociate: true, or reassociate: [m, Y]"});
    return;
  }
  if (node.is_scalar() && (node.text == "true" || node.text == "false")) {
    out.reassociate_all = node.text == "true";
  } else {
    out.reassociate = words(node, "reassociate", diagnostics);
  }
}

void read_tolerance(const YamlNode& node, Numerics& out, Diagnostics& diagnostics) {
  if (!want_map(node, "tolerance", "tolerance: {f32: 4}", diagnostics)) return;
  for (const YamlEntry& entry : node.entries) {
    double ulp = 0;
    const Word key{entry.key.text, entry.key.span};
    if (want_dtype(key, diagnostics) && want_number(entry.value, 0, 1e9, ulp, diagnostics))
      out.tolerance_ulp.emplace_back(key, ulp);
  }
}

std::vector<Word> dtype_list(const YamlNode& node, Diagnostics& diagnostics) {
  std::vector<Word> result;
  for (Word& word : words(node, "dtypes", diagnostics)) {
    if (want_dtype(word, diagnostics)) result.push_back(std::move(word));
  }
  return result;
}

void read_dtypes(const YamlNode& node, Expand& out, Diagnostics& diagnostics) {
  if (!node.is_map()) {
    out.dtypes.emplace_back(Word{"", node.span}, dtype_list(node, diagnostics));
    return;
  }
  for (const YamlEntry& entry : node.entries)
    out.dtypes.emplace_back(Word{entry.key.text, entry.key.span}, dtype_list(entry.value, diagnostics));
}

/// `0-8`, `2` or `[1, 2]`.
void read_ranks(const YamlNode& node, Expand& out, Diagnostics& diagnostics) {
  for (const Word& word : words(node, "ranks", diagnostics)) {
    int low = -1, high = -1;
    const char* end = word.text.data() + word.text.size();
    const auto [stop, error] = std::from_chars(word.text.data(), end, low);
    high = low;
    bool good = error == std::errc();
    if (good && stop != end) good = *stop == '-' && std::from_chars(stop + 1, end, high).ptr == end && stop + 1 != end;
    if (!good || low < 0 || high > 8 || low > high) {
      diagnostics.error(Code::E0225, word.span, fmt::format("'{}' is not a rank or range of ranks", word.text),
                        {"write ranks from 0 to 8: `0-8` or [1, 2]"});
      continue;
    }
    for (int rank = low; rank <= high; ++rank) out.ranks.push_back(rank);
  }
}

void read_variants(const YamlNode& node, Expand& out, Diagnostics& diagnostics) {
  if (!want_map(node, "attrs", "attrs: {transA: [false, true]}", diagnostics)) return;
  for (const YamlEntry& entry : node.entries) {
    Syntax values;
    if (!read_value(entry.value, values, diagnostics)) continue;
    std::vector<Syntax> list = values.is(SyntaxKind::list) ? std::move(values.children) : std::vector<Syntax>{values};
    out.attrs.emplace_back(Word{entry.key.text, entry.key.span}, std::move(list));
  }
}

using Bindings = std::vector<std::pair<Word, Syntax>>;

void read_bindings(const YamlNode& node, std::string_view what, Bindings& out, Diagnostics& diagnostics) {
  if (!want_map(node, what, fmt::format("{}: {{name: value}}", what), diagnostics)) return;
  for (const YamlEntry& entry : node.entries) {
    Syntax value;
    if (read_value(entry.value, value, diagnostics))
      out.emplace_back(Word{entry.key.text, entry.key.span}, std::move(value));
  }
}

/// A key of a test that is none of its sections names an attribute, a size or a pack.
void read_test_binding(const YamlEntry& entry, const OpDef& op, TestCase& out, Diagnostics& diagnostics) {
  Syntax value;
  if (!read_value(entry.value, value, diagnostics)) return;
  auto& list = op.attr(entry.key.text) != nullptr ? out.attrs : out.sizes;
  list.emplace_back(Word{entry.key.text, entry.key.span}, std::move(value));
}

void read_test_dtypes(const YamlNode& node, TestCase& out, Diagnostics& diagnostics) {
  if (!want_map(node, "dtypes", "dtypes: {T: f32}", diagnostics)) return;
  for (const YamlEntry& entry : node.entries) {
    if (!want_text(entry.value, "a dtype", "T: f32", diagnostics)) continue;
    const Word value{entry.value.text, entry.value.span};
    if (want_dtype(value, diagnostics)) out.dtypes.emplace_back(Word{entry.key.text, entry.key.span}, value);
  }
}

/// `M=100, N=37, transA=true`
void read_test_text(const YamlNode& node, OpDef& op, Diagnostics& diagnostics) {
  std::vector<Syntax> bindings;
  if (!parse_bindings(placed_text(node), bindings, diagnostics)) return;
  TestCase test;
  test.span = node.span;
  for (Syntax& binding : bindings) {
    auto& list = op.attr(binding.text) != nullptr ? test.attrs : test.sizes;
    list.emplace_back(Word{binding.text, binding.span}, std::move(binding.children[0]));
  }
  op.tests.push_back(std::move(test));
}

}  // namespace

void read_numerics(const YamlNode& node, Numerics& out, Diagnostics& diagnostics) {
  if (!want_map(node, "numerics", "numerics: {accumulate: {f16: f32}}", diagnostics)) return;
  refuse_unknown_keys(node, {"accumulate", "reassociate", "tolerance"}, "numerics", diagnostics);
  if (const YamlNode* value = node.find("accumulate")) read_accumulate(*value, out, diagnostics);
  if (const YamlNode* value = node.find("reassociate")) read_reassociate(*value, out, diagnostics);
  if (const YamlNode* value = node.find("tolerance")) read_tolerance(*value, out, diagnostics);
}

void read_expand(const YamlNode& node, OpDef& op, Diagnostics& diagnostics) {
  if (!want_map(node, "expand", "expand: {dtypes: [f32, f64]}", diagnostics)) return;
  std::vector<std::string> known = {"dtypes", "ranks", "attrs"};
  YamlNode direct;  // attributes may be next to the other keys
  direct.kind = YamlKind::map;
  for (const AttrDef& attr : op.attrs) {
    if (const YamlNode* values = node.find(attr.name);
        values != nullptr && known[0] != attr.name && known[1] != attr.name) {
      direct.entries.push_back({*values, *values});
      direct.entries.back().key.text = attr.name;
    }
    known.push_back(attr.name);
  }
  refuse_unknown_keys(node, known, "expand", diagnostics);
  if (const YamlNode* value = node.find("dtypes")) read_dtypes(*value, op.expand, diagnostics);
  if (const YamlNode* value = node.find("ranks")) read_ranks(*value, op.expand, diagnostics);
  if (const YamlNode* value = node.find("attrs")) read_variants(*value, op.expand, diagnostics);
  read_variants(direct, op.expand, diagnostics);
}

void read_test(const YamlNode& node, OpDef& op, Diagnostics& diagnostics) {
  if (node.is_scalar()) return read_test_text(node, op, diagnostics);
  TestCase test;
  test.span = node.span;
  if (!want_map(node, "a test", "- {M: 3, N: 5, transA: true}", diagnostics)) return;
  for (const YamlEntry& entry : node.entries) {
    const std::string& key = entry.key.text;
    if (key == "sizes") read_bindings(entry.value, key, test.sizes, diagnostics);
    else if (key == "attrs") read_bindings(entry.value, key, test.attrs, diagnostics);
    else if (key == "shapes") read_bindings(entry.value, key, test.shapes, diagnostics);
    else if (key == "in") read_bindings(entry.value, key, test.inputs, diagnostics);
    else if (key == "out") read_bindings(entry.value, key, test.outputs, diagnostics);
    else if (key == "dtypes") read_test_dtypes(entry.value, test, diagnostics);
    else if (key == "absent") test.absent = words(entry.value, key, diagnostics);
    else read_test_binding(entry, op, test, diagnostics);
  }
  op.tests.push_back(std::move(test));
}

void read_tests(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  if (node.is_null()) return;
  if (!want_list(node, "tests", "a list: - {M: 3, N: 5}", diagnostics)) return;
  for (const YamlNode& item : node.items) read_test(item, out, diagnostics);
}

}  // namespace tenon
