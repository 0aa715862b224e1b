// Escapes names and writes the one rule.
#include "support/depfile.h"

#include <algorithm>

namespace tenon {
namespace {

std::string escaped(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (c == ' ' || c == '#') out.push_back('\\');
    if (c == '$') out.push_back('$');
    out.push_back(c);
  }
  return out;
}

}  // namespace

std::string depfile_text(const std::string& target, std::vector<std::string> dependencies) {
  std::sort(dependencies.begin(), dependencies.end());
  dependencies.erase(std::unique(dependencies.begin(), dependencies.end()), dependencies.end());
  std::string text = escaped(target) + ":";
  for (const std::string& name : dependencies) text += " \\\n  " + escaped(name);
  return text + "\n";
}

}  // namespace tenon
