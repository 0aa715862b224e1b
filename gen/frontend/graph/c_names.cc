// Names of everything in a graph.
#include "frontend/graph/c_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tenon {
namespace {

constexpr const char* kReserved[] = {
    "asm",       "auto",     "bool",     "break",    "case",   "catch", "char",      "class",    "const",    "continue",
    "default",   "delete",   "do",       "double",   "else",   "enum",  "extern",    "false",    "float",    "for",
    "friend",    "goto",     "if",       "inline",   "int",    "long",  "namespace", "new",      "operator", "private",
    "protected", "public",   "register", "restrict", "return", "short", "signed",    "sizeof",   "static",   "struct",
    "switch",    "template", "this",     "throw",    "true",   "try",   "typedef",   "typename", "union",    "unsigned",
    "using",     "virtual",  "void",     "volatile", "while",  "linux", "unix",      "NULL",     "main"};

std::string identifier(const std::string& original) {
  std::string name;
  for (char c : original) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (word) name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  // Compilers need only tell names of 63 characters apart, and long ones are no help to a reader.
  if (name.size() > 48) name = name.substr(name.size() - 48);
  if (name.empty()) return "t";
  return name[0] >= '0' && name[0] <= '9' ? "t" + name : name;
}

}  // namespace

std::string CNames::fresh(const std::string& original) {
  const std::string base = identifier(original);
  const bool reserved =
      std::any_of(std::begin(kReserved), std::end(kReserved), [&](const char* w) { return base == w; });
  std::string name = reserved ? base + "_" : base;
  if (taken_.insert(name).second) return name;
  int& last = last_.try_emplace(base, 1).first->second;
  do name = fmt::format("{}_{}", base, ++last);
  while (!taken_.insert(name).second);
  return name;
}

Graph name_graph(Graph graph) {
  CNames values, nodes;
  for (const GraphSize& s : all_sizes(graph)) values.take(s.name);
  const auto name = [&](ValueId id) {
    Value& v = graph.values[static_cast<size_t>(id)];
    if (v.name.empty()) v.name = values.fresh(v.original);
  };
  for (ValueId id : graph.inputs) name(id);
  for (ValueId id : graph.outputs) {
    name(id);
    values.take(graph.values[static_cast<size_t>(id)].name + "_shape");  // the field next to it
  }
  for (size_t i = 0; i < graph.values.size(); ++i) name(static_cast<ValueId>(i));
  for (Node& n : graph.nodes) n.name = nodes.fresh(n.op);
  return graph;
}

}  // namespace tenon
