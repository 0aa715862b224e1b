// Names of generated libraries.
#include "harness/library_names.h"

#include <map>

#include "support/ranges.h"

namespace tenon {
namespace {

/// Markers around user text in which `tn_` must not be renamed; with_prefix removes them.
constexpr char kVerbatimBegin = '\x02', kVerbatimEnd = '\x03';

std::string as_identifier(std::string_view name) {
  std::string out;
  for (const char c : name) out += is_word(c) ? c : '_';
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out.insert(0, "_");
  return out;
}

bool has_prefix_word(std::string_view text) {
  for (size_t at = 0; (at = text.find_first_of("tT", at)) != std::string_view::npos; ++at)
    if ((at == 0 || !is_word(text[at - 1])) && (text.substr(at, 3) == "tn_" || text.substr(at, 3) == "TN_"))
      return true;
  return false;
}

}  // namespace

std::string verbatim(std::string text) {
  return has_prefix_word(text) ? kVerbatimBegin + std::move(text) + kVerbatimEnd : text;
}

std::string c_identifier(std::string_view name) { return verbatim(unreserved(as_identifier(name), NamesOf::library)); }

std::string element_type(DType d, const std::string& prefix) {
  return with_prefix(std::string(dtype_row(d).c_type), prefix);
}

std::string dtype_constant(DType d) { return "TN_" + upper_case(name_of(d)); }

std::string with_prefix(std::string given, const std::string& prefix) {
  const bool renames = prefix != "tn";
  if (!renames && given.find(kVerbatimBegin) == std::string::npos) return given;
  const std::string_view text = given;
  const std::string upper = upper_case(prefix);
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  int verbatim_depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool starts = renames && verbatim_depth == 0 && (i == 0 || !is_word(text[i - 1]));
    if (text[i] == kVerbatimBegin) {
      ++verbatim_depth;
    } else if (text[i] == kVerbatimEnd) {
      --verbatim_depth;
    } else if (starts && (text.substr(i, 3) == "tn_" || text.substr(i, 3) == "TN_")) {
      out += text[i] == 't' ? prefix : upper;
      i += 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string family_of(const OpDef& def) { return as_identifier(def.family.empty() ? def.name : def.family); }

int type_variable(const OpDef& def, std::string_view name) {
  for (size_t i = 0; i < def.types.size(); ++i)
    if (def.types[i].name == name) return static_cast<int>(i);
  return -1;
}

std::vector<int> body_of_kernels(const LibraryOp& op) {
  std::map<std::string, int> known;
  return mapped(op.kernels, [&](const LibraryKernel& k) {
    return known.emplace(k.kernel.name, static_cast<int>(known.size())).first->second;
  });
}

}  // namespace tenon
