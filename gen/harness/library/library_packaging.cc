// The manifest and the build files of a library.
#include <fmt/format.h>

#include <set>

#include "harness/library/library_header.h"
#include "ir/kernel/kernel_cost.h"
#include "support/file_hashes.h"
#include "support/joined.h"
#include "support/parallel.h"
#include "support/quoted.h"

namespace tenon {
namespace {

/// Shipped definitions by their path below opdefs, others by the file's name alone: no path of this machine.
std::string file_of(const OpDef& def) {
  if (!def.span.known()) return "";
  const std::string& path = def.span.file->name();
  if (const auto at = path.rfind("opdefs/"); def.shipped && at != std::string::npos) return path.substr(at);
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string cost_text(const Kernel& k) {
  const CostFormula cost = cost_formula(k);
  return fmt::format(", \"flops\": {}, \"bytes\": {}", json_string(cost.operations), json_string(cost.bytes));
}

/// The fixed values for which the kernel has separate bodies; nothing without any.
std::string fixed_text(const LibraryKernel& k) {
  std::string out;
  for (const FixedValues& f : k.fixed) out += (out.empty() ? "" : ", ") + json_string(f.text);
  return out.empty() ? out : fmt::format(", \"fixed\": [{}]", out);
}

std::string bodies_text(const LibraryOp& op, const LibraryTexts& texts) {
  std::string out;
  std::set<std::string> written;
  for (const LibraryKernel& k : op.kernels) {
    if (!written.insert(k.kernel.name).second) continue;
    const std::string cost = cost_text(k.kernel) + fixed_text(k);
    for (const LevelTexts& l : texts.levels) {
      const auto text = l.kernels.find(k.kernel.name);
      if (text == l.kernels.end()) continue;
      out += fmt::format("{}        {{\"symbol\": {}, \"isa\": {}, \"blueprint\": {}{}, \"hash\": {}}}",
                         out.empty() ? "" : ",\n", json_string(text->second.run), json_string(l.isa->name),
                         json_string(text->second.blueprint), cost, json_string(hash_of(to_text(text->second))));
    }
  }
  return out;
}

/// "f32", or "f32,i64" for several type variables.
std::string calls_text(const LibraryOp& op) {
  std::string out;
  std::set<std::string> written;
  for (const LibraryKernel& k : op.kernels) {
    std::string types;
    for (const TypeVar& v : op.def->types)
      if (!v.derived) types += fmt::format("{}{}", types.empty() ? "" : ",", name_of(k.call_types.at(v.name)));
    if (written.insert(types).second) out += fmt::format("{}{}", out.empty() ? "" : ", ", json_string(types));
  }
  return out;
}

std::string op_text(const LibraryOp& op, const LibraryTexts& texts) {
  return fmt::format(
      "    {{\n      \"op\": {}, \"defined\": {}, \"doc\": {},\n      \"dtypes\": [{}],\n      \"kernels\": [\n{}\n    "
      "  ]\n    }}",
      json_string(op.def->name), json_string(fmt::format("{}:{}", file_of(*op.def), op.def->span.line())),
      json_string(op.def->doc), calls_text(op), bodies_text(op, texts));
}

std::string install_text(const LibraryOptions& options, const std::string& path) {
  return fill_template(options, path, {{"package", options.prefix}});
}

}  // namespace

std::string library_manifest(const Library& library, const LibraryTexts& texts, const LibraryOptions& options) {
  std::string isas, ops;
  for (const LevelTexts& l : texts.levels)
    isas += fmt::format("{}{}", isas.empty() ? "" : ", ", json_string(l.isa->name));
  std::vector<std::string> rows(library.ops.size());
  for_each_index(rows.size(), [&](size_t i) { rows[i] = op_text(library.ops[i], texts); });
  for (const std::string& row : rows) ops += (ops.empty() ? "" : ",\n") + row;
  return fmt::format("{{\n  \"generator\": {},\n  \"prefix\": {},\n  \"isas\": [{}],\n  \"ops\": [\n{}\n  ]\n}}\n",
                     json_string("tenon " + options.version), json_string(options.prefix), isas, ops);
}

std::string library_cmake(const std::vector<std::string>& sources, const LibraryOptions& options) {
  return fill_template(options, "c/library_CMakeLists.txt.in",
                       {{"library", options.prefix},
                        {"version", options.version},
                        {"sources", joined(sources, "\n")},
                        {"install", install_text(options, "c/package_CMakeLists.txt.in")}});
}

std::string library_makefile(const LibraryTexts& texts, const LibraryOptions& options) {
  std::string intrinsics;
  for (size_t i = 0; i < texts.levels.size(); ++i) {
    const std::string_view header = texts.levels[i].isa->header;
    if (!header.empty() && (i == 0 || texts.levels[i - 1].isa->header != header))
      intrinsics += fmt::format("-include {} ", header);
  }
  return fill_template(options, "c/library_Makefile.in",
                       {{"library", options.prefix},
                        {"intrinsics", intrinsics},
                        {"install", install_text(options, "c/package_Makefile.in")}});
}

}  // namespace tenon
