// Names of generated libraries.
#include "harness/library_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tenon {
namespace {

/// Keywords of C and C++ and the names that generated functions use themselves, in order.
constexpr std::string_view kTaken[] = {"NULL",     "a",         "alignas",   "alignof",
                                       "and",      "asm",       "auto",      "bool",
                                       "break",    "c",         "case",      "catch",
                                       "char",     "class",     "compl",     "const",
                                       "continue", "d",         "data",      "decltype",
                                       "default",  "delete",    "do",        "double",
                                       "else",     "enum",      "explicit",  "export",
                                       "extern",   "f",         "false",     "float",
                                       "for",      "friend",    "given",     "goto",
                                       "if",       "inline",    "int",       "int16_t",
                                       "int32_t",  "int64_t",   "int8_t",    "k",
                                       "long",     "main",      "mutable",   "namespace",
                                       "new",      "noexcept",  "not",       "nullptr",
                                       "operator", "or",        "out",       "parts",
                                       "private",  "protected", "public",    "register",
                                       "restrict", "return",    "short",     "signed",
                                       "size_t",   "sizeof",    "static",    "struct",
                                       "switch",   "t",         "template",  "this",
                                       "throw",    "true",      "try",       "type",
                                       "typedef",  "typeid",    "typename",  "uint16_t",
                                       "uint32_t", "uint64_t",  "uint8_t",   "union",
                                       "unsigned", "using",     "virtual",   "void",
                                       "volatile", "while",     "workspace", "workspace_bytes",
                                       "xor"};
static_assert(std::is_sorted(std::begin(kTaken), std::end(kTaken)));

}  // namespace

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::string c_identifier(std::string_view name) {
  std::string out;
  for (const char c : name) out += is_word(c) ? c : '_';
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out.insert(0, "_");
  if (std::binary_search(std::begin(kTaken), std::end(kTaken), out)) out += '_';
  return out;
}

std::string upper_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string dtype_constant(DType d) { return "TN_" + upper_case(name_of(d)); }

std::string with_prefix(std::string given, const std::string& prefix) {
  if (prefix == "tn") return given;
  const std::string_view text = given;
  const std::string upper = upper_case(prefix);
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (size_t i = 0; i < text.size(); ++i) {
    const bool starts = i == 0 || !is_word(text[i - 1]);
    if (starts && text.substr(i, 3) == "tn_") {
      out += prefix;
      i += 1;
    } else if (starts && text.substr(i, 3) == "TN_") {
      out += upper;
      i += 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string family_of(const OpDef& def) { return c_identifier(def.family.empty() ? def.name : def.family); }

int type_variable(const OpDef& def, std::string_view name) {
  for (size_t i = 0; i < def.types.size(); ++i)
    if (def.types[i].name == name) return static_cast<int>(i);
  return -1;
}

std::vector<int> body_of_kernels(const LibraryOp& op) {
  std::map<std::string, int> known;
  std::vector<int> out;
  for (const LibraryKernel& k : op.kernels)
    out.push_back(known.emplace(k.kernel.name, static_cast<int>(known.size())).first->second);
  return out;
}

}  // namespace tenon
