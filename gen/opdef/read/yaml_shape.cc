// Checks on the kind of YAML nodes, with their reports.
#include "opdef/read/yaml_shape.h"

#include <fmt/format.h>

#include <map>

#include "opdef/notation/parse_body.h"
#include "support/joined.h"
#include "support/ranges.h"
#include "support/tokens.h"

namespace tenon {

namespace {

std::string_view kind_name(const YamlNode& node) {
  switch (node.kind) {
    case YamlKind::null: return "nothing";
    case YamlKind::scalar: return "text";
    case YamlKind::sequence: return "a list";
    case YamlKind::map: return "a map";
  }
  return "";
}

bool wrong_kind(const YamlNode& node, std::string_view what, std::string_view wanted, std::string_view example,
                Diagnostics& diagnostics) {
  SourceSpan place = node.span;
  if (!node.is_scalar()) place.end = place.begin + 1;
  diagnostics.error(Code::E0202, place, fmt::format("{} takes {}, not {}", what, wanted, kind_name(node)),
                    {fmt::format("write {}", example)});
  return false;
}

}  // namespace

bool want_map(const YamlNode& node, std::string_view what, std::string_view example, Diagnostics& diagnostics) {
  return !node.is_null() && need_map(node, what, example, diagnostics);
}

bool need_map(const YamlNode& node, std::string_view what, std::string_view example, Diagnostics& diagnostics) {
  return node.is_map() || wrong_kind(node, what, "a map", example, diagnostics);
}

bool want_text(const YamlNode& node, std::string_view what, std::string_view example, Diagnostics& diagnostics) {
  return node.is_scalar() || wrong_kind(node, what, "text", example, diagnostics);
}

bool want_list(const YamlNode& node, std::string_view what, std::string_view example, Diagnostics& diagnostics) {
  return node.is_sequence() || wrong_kind(node, what, "a list", example, diagnostics);
}

bool want_name(const YamlNode& node, std::string_view text, std::string_view what, Diagnostics& diagnostics) {
  if (is_name(text)) return true;
  diagnostics.error(Code::E0204, node.span, fmt::format("'{}' cannot be the name of {}", text, what),
                    {"names begin with a letter, go on with letters, digits and _, and are no word of the notation"});
  return false;
}

std::string dtype_called(std::string_view word) {
  static const std::map<std::string_view, std::string_view> names = {
      {"half", "f16"},        {"float16", "f16"}, {"bfloat16", "bf16"}, {"float32", "f32"}, {"float64", "f64"},
      {"double", "f64"},      {"int8", "i8"},     {"int16", "i16"},     {"int32", "i32"},   {"int64", "i64"},
      {"uint8", "u8"},        {"uint16", "u16"},  {"uint32", "u32"},    {"uint64", "u64"},  {"complex64", "c64"},
      {"complex128", "c128"}, {"boolean", "bool"}};
  const auto name = names.find(word);
  return name == names.end() ? "" : std::string(name->second);
}

std::string meant_note(std::string_view wrong, const std::vector<std::string>& known) {
  if (const std::string name = dtype_called(wrong); contains(known, name))
    return fmt::format("did you mean '{}'?", name);
  std::vector<std::string> once;
  for (const std::string& name : known)
    if (!contains(once, name)) once.push_back(name);
  return did_you_mean(wrong, known, once.empty() ? "there are none" : "there are: " + joined(once, ", "));
}

namespace {

/// The key that other formats call `word`; empty if there is none.
std::string_view key_called(std::string_view word) {
  static const std::map<std::string_view, std::string_view> keys = {
      {"input", "in"},      {"inputs", "in"},        {"output", "out"},       {"outputs", "out"},
      {"name", "op"},       {"attributes", "attrs"}, {"parameters", "attrs"}, {"params", "attrs"},
      {"where", "require"}, {"description", "doc"}};
  const auto key = keys.find(word);
  return key == keys.end() ? "" : key->second;
}

std::string key_note(std::string_view wrong, const std::vector<std::string>& known) {
  if (wrong == "<<") return "maps are not merged: ops that share most of their keys are members of a family";
  const std::string key(key_called(wrong));
  return contains(known, key) ? fmt::format("did you mean '{}'?", key) : meant_note(wrong, known);
}

}  // namespace

void refuse_unknown_keys(const YamlNode& map, const std::vector<std::string>& known, std::string_view what,
                         Diagnostics& diagnostics) {
  for (const YamlEntry& entry : map.entries) {
    if (contains(known, entry.key.text)) continue;
    diagnostics.error(Code::E0201, entry.key.span, fmt::format("'{}' is not a key of {}", entry.key.text, what),
                      {key_note(entry.key.text, known)});
  }
}

std::vector<Word> words(const YamlNode& node, std::string_view what, Diagnostics& diagnostics) {
  std::vector<Word> result;
  if (node.is_scalar()) {
    result.push_back({node.text, node.span});
  } else if (want_list(node, what, "[first, second]", diagnostics)) {
    for (const YamlNode& item : node.items) {
      if (want_text(item, fmt::format("an entry of {}", what), "a word", diagnostics))
        result.push_back({item.text, item.span});
    }
  }
  return result;
}

bool read_value(const YamlNode& node, Syntax& out, Diagnostics& diagnostics) {
  if (node.is_scalar()) return parse_expression(placed_text(node), out, diagnostics);
  if (!want_list(node, "a value", "a number, a word or a list of them", diagnostics)) return false;
  out.kind = SyntaxKind::list;
  out.span = node.span;
  bool good = true;
  for (const YamlNode& item : node.items) good = read_value(item, out.children.emplace_back(), diagnostics) && good;
  return good;
}

}  // namespace tenon
