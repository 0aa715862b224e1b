// Checks the keys of a map.
#include "frontend/yaml/check_key_rows.h"

#include <fmt/format.h>

#include "support/joined.h"

namespace tenon {
namespace {

void check_entry(const YamlEntry& e, std::span<const KeyRow> rows, const std::string& what, Code code,
                 Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const KeyRow& k : rows) {
    known.emplace_back(k.name);
    if (e.key.text != k.name) continue;
    const bool empty = e.value.is_null() && k.kind == YamlKind::map;
    if (e.value.kind != k.kind && !empty)
      diagnostics.error(Code::E0202, e.value.is_null() ? e.key.span : e.value.span,
                        fmt::format("'{}' takes {}, not {}", k.name, kind_name(k.kind), kind_name(e.value.kind)),
                        {fmt::format("as in `{}`", k.example)});
    return;
  }
  diagnostics.error(code, e.key.span, fmt::format("unknown key '{}' in {}", e.key.text, what),
                    {did_you_mean(e.key.text, known, "the keys are " + joined(known, ", "))});
}

}  // namespace

const char* kind_name(YamlKind kind) {
  switch (kind) {
    case YamlKind::map: return "a map";
    case YamlKind::sequence: return "a list";
    case YamlKind::scalar: return "a text";
    case YamlKind::null: return "nothing";
  }
  return "";
}

void check_key_rows(const YamlNode& map, std::span<const KeyRow> rows, const std::string& what, Code code,
                    Diagnostics& diagnostics) {
  for (const YamlEntry& e : map.entries) check_entry(e, rows, what, code, diagnostics);
  for (const KeyRow& k : rows)
    if (k.needed && !map.find(k.name))
      diagnostics.error(code, map.span, fmt::format("the key '{}' is missing", k.name),
                        {fmt::format("add it, as in `{}`", k.example)});
}

}  // namespace tenon
