// Finds the attributes and lets that are parts of indices, through the names that kernels have for them.
#include "harness/library/library_bind.h"

namespace tenon {
namespace {

class PartFinder {
 public:
  PartFinder(const LibraryKernel& k, IndexParts& found) : found_(found) {
    for (size_t s = 0; s < k.kernel.sizes.size(); ++s) {
      const Size& size = k.kernel.sizes[s];
      if (const auto* list = std::get_if<FromPackAttr>(&k.size_sources[s])) sizes_[size.name] = list->attr;
      const auto* symbol = std::get_if<FromSymbol>(&k.size_sources[s]);
      if (symbol != nullptr && size.lo < 0) sizes_[size.name] = symbol->name;
    }
    for_each_part(k.kernel, [&](const Expr& e, IndexPart part) {
      if (const auto* a = std::get_if<AttrRef>(&e->node)) return note(a->name, a->element, part);
      const auto name = sizes_.find(std::get<SizeRef>(e->node).name);
      if (name != sizes_.end()) note(name->second, 0, part);
    });
  }

 private:
  void note(const std::string& name, int element, IndexPart part) {
    if (part < IndexPart::Term) return;
    IndexPart& known = found_.try_emplace({name, element}, part).first->second;
    known = std::max(known, part);
  }

  std::map<std::string, std::string> sizes_;  ///< the kernel's name → the attribute or let
  IndexParts& found_;
};

}  // namespace

IndexParts index_parts(const LibraryOp& op) {
  IndexParts found;
  for (const LibraryKernel& k : op.kernels) PartFinder(k, found);
  return found;
}

CExpr limit_of(IndexPart part) {
  return part == IndexPart::Factor ? c_text("INT32_MAX") : c_binary(c_text("INT64_C(1)"), "<<", c_number(61));
}

}  // namespace tenon
