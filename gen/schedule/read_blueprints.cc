// Reading blueprints: a table says which parameters each kind of kernel has; a key without effect is an error at its
// location.
#include "schedule/read_blueprints.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "isa/all_isas.h"
#include "support/joined.h"
#include "support/ranges.h"
#include "support/read_source.h"
#include "support/yaml_document.h"

namespace tenon {
namespace {

const std::vector<DType> kSums = {DType::I32, DType::I64, DType::U32,
                                  DType::U64, DType::F32, DType::F64};  // what contractions sum in
const std::vector<DType> kWidths = {DType::F32,
                                    DType::F64};  // elements of 8 bytes are asked for as f64, all others as f32

const BlueprintParameter kRows{"tile_rows", &Blueprint::tile_rows, true},
    kVectors{"tile_vectors", &Blueprint::tile_vectors, true};
const BlueprintParameter kLeftover{"leftover_rows", &Blueprint::leftover_rows},
    kKnownRows{"known_rows", &Blueprint::known_rows, false, false, false, true},
    kCacheM{"cache_m", &Blueprint::cache_m, true}, kCacheN{"cache_n", &Blueprint::cache_n, true};
const BlueprintParameter kPrefetch{"prefetch_bytes", &Blueprint::prefetch_bytes};
const BlueprintParameter kTransposed{"tile_rows", &Blueprint::tile_rows, true,
                                     true};  // transposed columns of a tile are vectors

const std::vector<BlueprintKind> kKinds = {
    {"contraction", {kRows, kVectors, kLeftover, kKnownRows, kCacheM, kCacheN}, kSums},
    {"contraction_transposed",
     {kTransposed,
      kVectors,
      kLeftover,
      {"known_rows", &Blueprint::known_rows, false, true, false, true},
      kCacheM,
      kCacheN},
     kSums},
    {"contraction_transposed_narrow", {kTransposed, kVectors, kLeftover, kCacheM, kCacheN}, kSums},
    {"filter_lines", {kRows, kVectors}, {}, false},
    {"stencil",
     {kRows,
      {"rows_in_registers", &Blueprint::rows_in_registers, false, false, false},
      {"strip_pixels", &Blueprint::strip_pixels, false, false, false}},
     kSums},
    {"winograd", {kRows, kVectors, kCacheM}, {}},
    {"row_chain",
     {{"least_rows", &Blueprint::least_rows, true}, {"row_multiple", &Blueprint::row_multiple, true}, kCacheM},
     {}},
    {"map", {{"unroll", &Blueprint::unroll}, kPrefetch}, kWidths, false, false},
    {"reduction", {{"accumulators", &Blueprint::accumulators}, kPrefetch}, kWidths, true, false},
};

std::vector<std::string> meant(const std::string& wrong, const std::vector<std::string>& known) {
  return {did_you_mean(wrong, known, "one of: " + joined(known, ", "))};
}

template <class Range>
std::vector<std::string> names(const Range& rows) {
  return mapped(rows, [&](const auto& r) { return std::string(r.name); });
}

const YamlEntry* entry_of(const YamlNode& row, std::string_view key) {
  return find_pointer(row.entries, [&](const YamlEntry& e) { return e.key.text == key; });
}

const BlueprintKind* kind_of(const YamlNode& row, Diagnostics& errors) {
  const YamlEntry* kind = entry_of(row, "kind");
  if (!kind)
    return errors.error(Code::E0203, row.span, "a blueprint without `kind`",
                        {"one of: " + joined(names(kKinds), ", ")}),
           nullptr;
  const auto at = find_if(kKinds, [&](const BlueprintKind& k) { return k.name == kind->value.text; });
  if (at != kKinds.end()) return &*at;
  return errors.error(Code::E0228, kind->value.span, "no kernel is scheduled by '" + kind->value.text + "'",
                      meant(kind->value.text, names(kKinds))),
         nullptr;
}

void read_number(const YamlNode& value, bool transposed, int& out, Diagnostics& errors) {
  const std::string& text = value.text;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (status != std::errc() || end != text.data() + text.size() || out < 0 || out > kLargestParameter)
    errors.error(Code::E0214, value.span, "not a number", {"integers from 0 to 1048576"});
  else if (transposed && (out & (out - 1)) != 0 && out % 4 != 0)
    errors.error(Code::E0214, value.span, "neither a power of two nor a multiple of 4",
                 {"so many rows, or as many as a power of two divides them by, are one vector"});
}

bool follows(const Isa& level, const BlueprintKind& kind) { return kind.scalars || level.vector_bits > 0; }

void check_dtype(const YamlNode& value, const BlueprintKind& kind, Diagnostics& errors) {
  const auto type = dtype_from_name(value.text);
  if (!type)
    return errors.error(Code::E0224, value.span, "no dtype is called '" + value.text + "'",
                        {"`*` stands for all of them"});
  if (contains(kind.types, *type)) return;
  std::vector<std::string> all;
  for (const DType t : kind.types) all.emplace_back(name_of(t));
  errors.error(Code::E0201, value.span,
               fmt::format("{} has no effect on a blueprint of kind {}", value.text, kind.name),
               {all.empty() ? "one row is for all dtypes: `*`" : "`*`, or one of: " + joined(all, ", ")});
}

void read_field(const YamlEntry& entry, const BlueprintKind& kind, Blueprint& row, Diagnostics& errors) {
  const std::string& key = entry.key.text;
  const std::string& text = entry.value.text;
  if (!entry.value.is_scalar())
    return errors.error(Code::E0202, entry.value.span, "a word or a number is expected here");
  const auto p = find_if(kind.parameters, [&](const BlueprintParameter& q) { return q.name == key; });
  if (p != kind.parameters.end()) return read_number(entry.value, p->transposed, row.*p->field, errors);
  if (key == "kind") row.kind = text;
  else if (key == "name" && kind.named) row.name = text;
  else if (key == "kernel") row.kernel = text;
  else if (key == "isa") row.isa = text;
  else if (key == "dtype") row.dtype = text;
  else
    errors.error(Code::E0201, entry.key.span,
                 fmt::format("`{}` has no effect on a blueprint of kind {}", key, kind.name),
                 meant(key, names(kind.parameters)));
  if (text == "*") return;
  const Isa* level = key == "isa" ? isa_from_name(text) : nullptr;
  if (key == "isa" && !level)
    errors.error(Code::E0202, entry.value.span, "no level is called '" + text + "'", meant(text, names(all_isas())));
  else if (level && !follows(*level, kind))
    errors.error(Code::E0201, entry.value.span,
                 fmt::format("a blueprint of kind {} has no effect on {}, which has no vectors", kind.name, text));
  if (key == "dtype") check_dtype(entry.value, kind, errors);
}

/// Rows as they are read, with their places.
struct Reading {
  Blueprints all;
  std::vector<SourceSpan> places;
  Diagnostics errors;
};

void read_row(const YamlNode& node, Reading& r) {
  if (!node.is_map()) return r.errors.error(Code::E0202, node.span, "a blueprint is a map of its parameters");
  const BlueprintKind* kind = kind_of(node, r.errors);
  if (!kind) return;
  Blueprint row;
  for (const YamlEntry& e : node.entries) read_field(e, *kind, row, r.errors);
  for (const BlueprintParameter& p : kind->parameters)
    if (p.needed && row.*p.field == 0)
      r.errors.error(Code::E0203, node.span,
                     fmt::format("a blueprint of kind {} needs `{}`, from 1", kind->name, p.name));
  const Isa* level = isa_from_name(row.isa);
  for (const BlueprintParameter& p : kind->parameters)
    if (const YamlEntry* e = entry_of(node, p.name); e && level && !p.has_effect(*level))
      r.errors.error(Code::E0201, e->key.span,
                     fmt::format("`{}` has no effect on {}, which {}", p.name, row.isa,
                                 level->vector_bits > 0 ? "stores no parts of vectors with a mask" : "has no vectors"));
  if (row.name.empty()) row.name = row.isa != "*" ? row.kind + "/" + row.isa : row.kind;
  r.all.rows.push_back(std::move(row));
  r.places.push_back(node.span);
}

void read_file(const SourceFileRef& file, Reading& r) {
  const Result<std::vector<YamlNode>> documents = read_yaml(file);
  if (!documents) return r.errors.append(documents.diagnostics());
  for (const YamlNode& document : *documents) {
    if (!document.is_map()) continue;
    for (const YamlEntry& e : document.entries) {
      if (e.key.text != "blueprints")
        r.errors.error(Code::E0201, e.key.span, "unknown key '" + e.key.text + "'",
                       {"a file of blueprints holds `blueprints` alone"});
      else if (!e.value.is_sequence()) r.errors.error(Code::E0202, e.value.span, "`blueprints` is a list");
      else
        for (const YamlNode& row : e.value.items) read_row(row, r);
    }
  }
}

/// The kernels that a row applies to.
std::string key_of(const Blueprint& b) { return fmt::format("{} {} {} {}", b.kernel, b.kind, b.isa, b.dtype); }

/// Rows that some lookup finds for a kernel whose name is that of a pattern, or another one.
std::set<std::string> taken(const Blueprints& all) {
  std::set<std::string> kernels = {""}, found;
  for (const Blueprint& b : all.rows) kernels.insert(b.kernel.substr(0, b.kernel.find('*')));
  for (const std::string& kernel : kernels) {
    const Blueprints rows = all.of_kernel(kernel);
    for (const BlueprintKind& kind : kKinds)
      for (const Isa& level : all_isas())
        for (const DType type : kind.types.empty() ? std::vector{DType::F32} : kind.types)
          if (const Blueprint* b = follows(level, kind) ? rows.find(kind.name, level.name, type) : nullptr)
            found.insert(key_of(*b));
  }
  return found;
}

Result<Blueprints> finished(Reading r) {
  if (r.errors.has_errors()) return std::move(r.errors);
  const std::set<std::string> found = taken(r.all);
  std::set<std::string> before;
  for (size_t i = 0; i < r.all.rows.size(); ++i)
    if (!before.insert(key_of(r.all.rows[i])).second || !found.count(key_of(r.all.rows[i])))
      r.errors.error(Code::E0201, r.places[i],
                     "this blueprint has no effect: rows in front of it fit all kernels that it fits",
                     {"the first row that fits is taken; special rows are before general ones"});
  if (r.errors.has_errors()) return std::move(r.errors);
  return std::move(r.all);
}

/// Kernels that rows name and that do not exist.
void refuse_unknown_kernels(Reading& r, const std::vector<std::string>& kernels) {
  for (size_t i = 0; i < r.all.rows.size(); ++i) {
    const std::string& pattern = r.all.rows[i].kernel;
    const bool known = any_of(kernels, [&](const std::string& name) { return fits_kernel(pattern, name); });
    if (known) continue;
    r.errors.error(Code::E0228, r.places[i], fmt::format("no kernel is called '{}'", pattern),
                   {did_you_mean(pattern, kernels, "`tenon explain` lists the kernels of a model")});
  }
}

}  // namespace

Result<Blueprints> read_own_blueprints(const SourceFileRef& file, const Blueprints& shipped,
                                       const std::vector<std::string>& kernels) {
  Reading r;
  read_file(file, r);
  if (!kernels.empty()) refuse_unknown_kernels(r, kernels);
  Result<Blueprints> own = finished(std::move(r));
  if (own.ok()) own.value().rows.insert(own.value().rows.end(), shipped.rows.begin(), shipped.rows.end());
  return own;
}

std::string print_blueprints(const Blueprints& all, const std::vector<std::string>& remarks) {
  if (all.rows.empty()) return "blueprints: []\n";
  std::string out = "blueprints:\n";
  for (size_t i = 0; i < all.rows.size(); ++i) {
    const Blueprint& b = all.rows[i];
    if (!remarks[i].empty()) out += fmt::format("  # {}\n", remarks[i]);
    const auto word = [](const std::string& s) { return s.find('*') == std::string::npos ? s : "\"" + s + "\""; };
    out += fmt::format("  - {{kernel: {}, kind: {}, isa: {}, dtype: {}", word(b.kernel), b.kind, word(b.isa),
                       word(b.dtype));
    for (const BlueprintKind& kind : kKinds)
      for (const BlueprintParameter& p : kind.parameters)
        if (kind.name == b.kind && b.*p.field != 0) out += fmt::format(", {}: {}", p.name, b.*p.field);
    out += "}\n";
  }
  return out;
}

std::span<const BlueprintKind> blueprint_kinds() { return kKinds; }

Result<Blueprints> read_blueprints(const SourceFileRef& file) {
  Reading r;
  read_file(file, r);
  return finished(std::move(r));
}

Result<Blueprints> read_blueprint_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  sort(files);
  Reading r;
  if (failed) r.errors.error_at(Code::E0108, folder.string(), "the folder of blueprints cannot be read");
  for (const std::filesystem::path& path : files) {
    const Result<SourceFileRef> source = read_source(path.string());
    if (source) read_file(*source, r);
    else r.errors.append(source.diagnostics());
  }
  return finished(std::move(r));
}

}  // namespace tenon
