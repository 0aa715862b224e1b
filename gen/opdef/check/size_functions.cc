// The list of functions of sizes, which gen/harness/library/library_arithmetic.cc writes as C.
#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "opdef/check/expression_checker.h"
#include "opdef/notation/call_table.h"

namespace tenon {
namespace {

constexpr std::array<std::string_view, 30> kNumeric = {
    "neg",  "abs",   "sign",  "sq",   "min",     "max",    "clamp",   "select",  "ceildiv",  "floor",
    "ceil", "round", "trunc", "sqrt", "rsqrt",   "cbrt",   "pow",     "exp",     "exp2",     "log",
    "log2", "log10", "shl",   "shr",  "bit_and", "bit_or", "bit_xor", "bit_not", "popcount", "clz"};
/// Functions that are checked on their own, where their errors are reported.
constexpr std::array<std::string_view, 11> kOfShapes = {"size",    "rank",     "upto",    "sum_of", "offset", "count",
                                                        "element", "elements", "operand", "padded", "opt"};

template <std::size_t n>
bool has(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Search {
 public:
  explicit Search(const OpLibrary& library) : library_(library) {}

  std::string in(const Syntax& s) {
    if (s.is(SyntaxKind::call)) {
      if (std::string found = call(s.text); !found.empty()) return found;
    }
    for (const Syntax& child : s.children)
      if (std::string found = in(child); !found.empty()) return found;
    return "";
  }

  std::string call(const std::string& name) {
    if (has(kNumeric, name) || has(kOfShapes, name) || pack_function(name) || !seen_.insert(name).second) return "";
    if (const auto f = library_.fns.find(name); f != library_.fns.end()) return in(f->second.value);
    if (const auto r = library_.scalars.find(name); r != library_.scalars.end() && r->second.as)
      return in(*r->second.as);
    return name;
  }

 private:
  const OpLibrary& library_;
  std::set<std::string> seen_;
};

}  // namespace

std::string not_of_sizes(const Syntax& call, const OpLibrary& library) { return Search(library).call(call.text); }

std::string size_function_names() {
  std::string names;
  for (const std::string_view name : kNumeric) names += (names.empty() ? "" : " ") + std::string(name);
  return names;
}

}  // namespace tenon
