// Two ops of a library that need one C name or one file.
#include "harness/library/equal_names.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "harness/library/typed_prototypes.h"
#include "harness/library_names.h"

namespace tenon {
namespace {

/// The names in the header of what belongs to an op, structs and functions.
std::vector<std::string> public_names(const LibraryOp& op, bool threads) {
  const TypedPrototypes prototypes(op, threads);
  std::vector<std::string> out = {prototypes.shape().name};
  for (const char* word : {"dims", "attrs", "defaults"}) out.push_back(fmt::format("tn_{}_{}", op.def->name, word));
  for (const LibraryKernel* k : prototypes.variants())
    for (const bool context : prototypes.contexts()) {
      out.push_back(prototypes.call(*k, context).name);
      out.push_back(prototypes.workspace(*k, context).name);
    }
  return out;
}

std::vector<std::string> files_of(const std::string& family, const LibraryTexts& texts) {
  std::vector<std::string> out = {family + ".c"};
  for (const LevelTexts& l : texts.levels) out.push_back(fmt::format("{}_{}.c", family, l.isa->suffix));
  return out;
}

class EqualNames {
 public:
  void add(const OpDef& def, const std::string& owner, const std::string& what, const std::string& name) {
    const auto [at, fresh] = owners_.try_emplace(name, owner);
    if (fresh || at->second == owner || !refused_.insert(owner).second) return;
    diagnostics_.error(
        Code::E0205, def.span, fmt::format("'{}' and '{}' both need the {} '{}'", at->second, owner, what, name),
        {"rename one of them, or generate two libraries: --ops chooses ops, --prefix names the library"});
  }
  Diagnostics take() { return std::move(diagnostics_); }

 private:
  std::map<std::string, std::string> owners_;
  std::set<std::string> refused_;
  Diagnostics diagnostics_;
};

}  // namespace

Diagnostics equal_names(const Library& library, const LibraryTexts& texts, bool threads) {
  EqualNames names;
  for (const LibraryOp& op : library.ops) {
    for (const std::string& n : public_names(op, threads)) names.add(*op.def, op.def->name, "C name", n);
    for (const std::string& n : files_of(family_of(*op.def), texts)) names.add(*op.def, family_of(*op.def), "file", n);
  }
  return names.take();
}

}  // namespace tenon
