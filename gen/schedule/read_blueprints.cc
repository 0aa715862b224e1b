// Reading blueprints: every key is a field of Blueprint; an unknown key or a value of the wrong kind is an error at its place.
#include "schedule/read_blueprints.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "support/read_source.h"
#include "support/yaml_document.h"

namespace tenon {
namespace {

const std::map<std::string_view, std::string Blueprint::*> kTexts = {
    {"name", &Blueprint::name}, {"kind", &Blueprint::kind}, {"isa", &Blueprint::isa}, {"dtype", &Blueprint::dtype}};
const std::map<std::string_view, int Blueprint::*> kNumbers = {
    {"tile_rows", &Blueprint::tile_rows}, {"tile_vectors", &Blueprint::tile_vectors}, {"cache_m", &Blueprint::cache_m},
    {"cache_n", &Blueprint::cache_n}, {"cache_k", &Blueprint::cache_k}, {"accumulators", &Blueprint::accumulators},
    {"unroll", &Blueprint::unroll}, {"prefetch_bytes", &Blueprint::prefetch_bytes}};

constexpr int kLargest = 1 << 20;

void read_field(const YamlEntry& entry, Blueprint& row, Diagnostics& errors) {
  const std::string& key = entry.key.text;
  const std::string& text = entry.value.text;
  if (!entry.value.is_scalar()) return errors.error(Code::E0202, entry.value.span, "a word or a number is expected here");
  if (const auto t = kTexts.find(key); t != kTexts.end()) {
    row.*t->second = text;
  } else if (const auto n = kNumbers.find(key); n != kNumbers.end()) {
    int v = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (status != std::errc() || end != text.data() + text.size() || v < 0 || v > kLargest)
      return errors.error(Code::E0214, entry.value.span, "not a number", {"whole numbers from 0 to 1048576"});
    row.*n->second = v;
  } else if (key == "pack") {
    if (text != "true" && text != "false") return errors.error(Code::E0213, entry.value.span, "true or false is expected");
    row.pack = text == "true";
  } else {
    errors.error(Code::E0201, entry.key.span, "unknown key '" + key + "' in a blueprint");
  }
}

void read_row(const YamlNode& node, Blueprints& out, Diagnostics& errors) {
  if (!node.is_map()) return errors.error(Code::E0202, node.span, "a blueprint is a map of its parameters");
  Blueprint row;
  for (const YamlEntry& e : node.entries) read_field(e, row, errors);
  if (row.kind.empty()) return errors.error(Code::E0203, node.span, "a blueprint without `kind`");
  if (row.isa != "*" && row.name.empty()) row.name = row.kind + "/" + row.isa;
  if (row.name.empty()) row.name = row.kind;
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
