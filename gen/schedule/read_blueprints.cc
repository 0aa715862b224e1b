// Reading blueprints: a table says which parameters each kind of kernel has; what would have no effect is an error at its place.
#include "schedule/read_blueprints.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "isa/all_isas.h"
#include "support/joined.h"
#include "support/read_source.h"
#include "support/yaml_document.h"

namespace tenon {
namespace {

/// A parameter of a kind; one that is needed is not 0.
struct Parameter {
  std::string_view name;
  int Blueprint::*field;
  bool needed = false;
};
struct Kind {
  std::string_view name;
  std::vector<Parameter> parameters;
};

const std::vector<Parameter> kTiles = {{"tile_rows", &Blueprint::tile_rows, true}, {"tile_vectors", &Blueprint::tile_vectors, true}, {"unroll", &Blueprint::unroll},
                                       {"cache_m", &Blueprint::cache_m, true}, {"cache_n", &Blueprint::cache_n, true}};
const std::vector<Kind> kKinds = {
    {"contraction", kTiles},
    {"contraction_turned", kTiles},
    {"contraction_turned_narrow", kTiles},
    {"stencil", {{"tile_rows", &Blueprint::tile_rows, true}, {"tile_vectors", &Blueprint::tile_vectors, true}, {"cache_m", &Blueprint::cache_m}}},
    {"row_chain", {{"tile_rows", &Blueprint::tile_rows, true}, {"unroll", &Blueprint::unroll, true}, {"cache_m", &Blueprint::cache_m, true}}},
    {"map", {{"unroll", &Blueprint::unroll}, {"prefetch_bytes", &Blueprint::prefetch_bytes}}},
    {"reduction", {{"accumulators", &Blueprint::accumulators}, {"unroll", &Blueprint::unroll}, {"prefetch_bytes", &Blueprint::prefetch_bytes}}},
};

constexpr int kLargest = 1 << 20;

std::vector<std::string> meant(const std::string& wrong, const std::vector<std::string>& known) {
  const std::string near = nearest_name(wrong, known);
  return {near.empty() ? "one of: " + joined(known, ", ") : "did you mean '" + near + "'?"};
}

template <class Range>
std::vector<std::string> names(const Range& rows) {
  std::vector<std::string> out;
  for (const auto& r : rows) out.emplace_back(r.name);
  return out;
}

const YamlEntry* entry_of(const YamlNode& row, std::string_view key) {
  const auto at = std::find_if(row.entries.begin(), row.entries.end(), [&](const YamlEntry& e) { return e.key.text == key; });
  return at == row.entries.end() ? nullptr : &*at;
}

const Kind* kind_of(const YamlNode& row, Diagnostics& errors) {
  const YamlEntry* kind = entry_of(row, "kind");
  if (!kind) return errors.error(Code::E0203, row.span, "a blueprint without `kind`", {"one of: " + joined(names(kKinds), ", ")}), nullptr;
  const auto at = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& k) { return k.name == kind->value.text; });
  if (at != kKinds.end()) return &*at;
  return errors.error(Code::E0228, kind->value.span, "no kernel is scheduled by '" + kind->value.text + "'", meant(kind->value.text, names(kKinds))), nullptr;
}

void read_number(const YamlNode& value, int& out, Diagnostics& errors) {
  const std::string& text = value.text;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (status != std::errc() || end != text.data() + text.size() || out < 0 || out > kLargest)
    errors.error(Code::E0214, value.span, "not a number", {"whole numbers from 0 to 1048576"});
}

void read_field(const YamlEntry& entry, const Kind& kind, Blueprint& row, Diagnostics& errors) {
  const std::string& key = entry.key.text;
  const std::string& text = entry.value.text;
  if (!entry.value.is_scalar()) return errors.error(Code::E0202, entry.value.span, "a word or a number is expected here");
  const auto p = std::find_if(kind.parameters.begin(), kind.parameters.end(), [&](const Parameter& q) { return q.name == key; });
  if (p != kind.parameters.end()) return read_number(entry.value, row.*p->field, errors);
  if (key == "kind") row.kind = text;
  else if (key == "name") row.name = text;
  else if (key == "isa") row.isa = text;
  else if (key == "dtype") row.dtype = text;
  else errors.error(Code::E0201, entry.key.span, fmt::format("`{}` has no effect on a blueprint of kind {}", key, kind.name), meant(key, names(kind.parameters)));
  if (key == "isa" && text != "*" && !isa_from_name(text)) errors.error(Code::E0202, entry.value.span, "no level is called '" + text + "'", meant(text, names(all_isas())));
  if (key == "dtype" && text != "*" && !dtype_from_name(text)) errors.error(Code::E0224, entry.value.span, "no dtype is called '" + text + "'", {"`*` stands for all of them"});
}

void read_row(const YamlNode& node, Blueprints& out, Diagnostics& errors) {
  if (!node.is_map()) return errors.error(Code::E0202, node.span, "a blueprint is a map of its parameters");
  const Kind* kind = kind_of(node, errors);
  if (!kind) return;
  Blueprint row;
  for (const YamlEntry& e : node.entries) read_field(e, *kind, row, errors);
  for (const Parameter& p : kind->parameters)
    if (p.needed && row.*p.field == 0) errors.error(Code::E0203, node.span, fmt::format("a blueprint of kind {} needs `{}`, from 1", kind->name, p.name));
  if (row.name.empty()) row.name = row.isa != "*" ? row.kind + "/" + row.isa : row.kind;
  out.rows.push_back(std::move(row));
}

}  // namespace

Result<Blueprints> read_blueprints(const SourceFileRef& file) {
  Result<std::vector<YamlNode>> documents = read_yaml(file);
  if (!documents) return documents.diagnostics();
  Blueprints out;
  Diagnostics errors;
  for (const YamlNode& document : *documents) {
    if (!document.is_map()) continue;
    for (const YamlEntry& e : document.entries) {
      if (e.key.text != "blueprints") errors.error(Code::E0201, e.key.span, "unknown key '" + e.key.text + "'", {"a file of blueprints holds `blueprints` alone"});
      else if (!e.value.is_sequence()) errors.error(Code::E0202, e.value.span, "`blueprints` is a list");
      else for (const YamlNode& row : e.value.items) read_row(row, out, errors);
    }
  }
  if (errors.has_errors()) return errors;
  return out;
}

Result<Blueprints> read_blueprint_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  Diagnostics errors;
  if (failed) errors.error_at(Code::E0108, folder.string(), "the folder of blueprints cannot be read");
  Blueprints all;
  for (const std::filesystem::path& path : files) {
    const Result<SourceFileRef> source = read_source(path.string());
    if (!source) { errors.append(source.diagnostics()); continue; }
    const Result<Blueprints> rows = read_blueprints(*source);
    if (rows) all.rows.insert(all.rows.end(), rows->rows.begin(), rows->rows.end());
    else errors.append(rows.diagnostics());
  }
  if (errors.has_errors()) return errors;
  return all;
}

}  // namespace tenon
