// Sorts the names and writes the one rule.
#include "support/depfile.h"

#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Make reads `name=value` after the colon as a target-specific variable, unless another name precedes it.
bool has_equals_sign(const std::string& name) { return name.find('=') != std::string::npos; }

}  // namespace

DepfileText depfile_text(const std::string& target, std::vector<std::string> dependencies) {
  sort(dependencies);
  dependencies.erase(std::unique(dependencies.begin(), dependencies.end()), dependencies.end());
  std::stable_partition(dependencies.begin(), dependencies.end(), [](const auto& n) { return !has_equals_sign(n); });
  const auto spelled = depfile_word(target);
  if (!spelled || has_equals_sign(target) || target.find('%') != std::string::npos) return {"", target};
  std::string text = *spelled + ":";
  for (const std::string& name : dependencies) {
    const auto word = depfile_word(name);
    if (!word || has_equals_sign(dependencies.front())) return {"", name};
    text += " \\\n  " + *word;
  }
  return {text + "\n", ""};
}

}  // namespace tenon
