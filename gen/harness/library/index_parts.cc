// Finds the attributes that are parts of indices, through the names that kernels have for them.
#include "harness/library/library_bind.h"

namespace tenon {
namespace {

class PartFinder {
 public:
  PartFinder(const OpDef& def, const LibraryKernel& k, IndexParts& found) : found_(found) {
    for (size_t s = 0; s < k.kernel.sizes.size(); ++s) {
      if (const auto* list = std::get_if<FromPackAttr>(&k.size_sources[s])) sizes_[k.kernel.sizes[s].name] = list->attr;
      const auto* symbol = std::get_if<FromSymbol>(&k.size_sources[s]);
      if (symbol != nullptr && def.attr(symbol->name)) sizes_[k.kernel.sizes[s].name] = symbol->name;
    }
    for_each_statement(k.kernel, [&](const KernelStatement& s) {
      for (const Expr& e : s.index) look(e);
      look_below(s.value);
      if (s.where) look_below(s.where);
    });
  }

 private:
  /// Indices of reads in an expression over values.
  void look_below(const Expr& value) {
    each_node<Read>(value, [&](const Read& read) {
      for (const Expr& index : read.index) look(index);
    });
  }

  /// Terms of a sum; those inside of a clamp or a remainder are not multiplied by strides.
  void look(const Expr& index, IndexPart part = IndexPart::Term) {
    if (const auto* a = std::get_if<AttrRef>(&index->node)) note(a->name, a->element, part);
    if (const auto* s = std::get_if<SizeRef>(&index->node))
      if (const auto name = sizes_.find(s->name); name != sizes_.end()) note(name->second, 0, part);
    const auto* e = std::get_if<Apply>(&index->node);
    if (e == nullptr) return;
    const bool sum = e->op == ScalarOp::Add || e->op == ScalarOp::Sub || e->op == ScalarOp::Neg;
    for (const Expr& x : e->args)
      if (sum || e->op == ScalarOp::Mul) look(x, sum ? part : IndexPart::Factor);
  }

  void note(const std::string& attr, int element, IndexPart part) {
    IndexPart& known = found_.try_emplace({attr, element}, part).first->second;
    if (part == IndexPart::Factor) known = part;
  }

  std::map<std::string, std::string> sizes_;  ///< the kernel's name → the attribute
  IndexParts& found_;
};

}  // namespace

IndexParts index_parts(const LibraryOp& op) {
  IndexParts found;
  for (const LibraryKernel& k : op.kernels) PartFinder(*op.def, k, found);
  return found;
}

CExpr most_of(IndexPart part) {
  return part == IndexPart::Factor ? c_text("INT32_MAX") : c_binary(c_text("INT64_C(1)"), "<<", c_number(61));
}

}  // namespace tenon
