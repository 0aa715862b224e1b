// The values that a bind function passes to kernels, numbered.
#include "harness/library/library_signature.h"

#include <optional>

#include "ir/op/integer_value.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

template <class T>
void note(std::vector<T>& list, const T& value) {
  if (!contains(list, value)) list.push_back(value);
}

/// Values of the lists for which every computed pack has an extent of 1 wherever its source has: dimensions prepended
/// to a tensor stay 1.
KnownIntegers neutral_values(const OpDef& def) {
  KnownIntegers values;
  std::vector<std::string> open;
  for (const TensorDef* t : tensors_of(def))
    for (const Dim& d : t->dims)
      if (d.kind == DimKind::pack) values[d.name] = 1;
  for (const AttrDef& a : def.attrs) {
    if (a.count != AttrCount::per_dim) continue;
    const bool given = a.value && (a.value->is(SyntaxKind::integer) || a.value->is(SyntaxKind::boolean));
    values[a.name] = given ? a.value->integer : 0;
    if (!given) open.push_back(a.name);
  }
  const auto fits = [&] {
    return all_of(def.lets, [&](const LetDef& l) {
      const auto v = l.pack ? integer_value(l.value, values) : std::nullopt;
      return !v || *v == 1;
    });
  };
  for (unsigned choice = 0; choice < 1u << std::min<size_t>(open.size(), 8); ++choice) {
    for (size_t k = 0; k < open.size(); ++k) values[open[k]] = choice >> k & 1;
    if (fits()) break;
  }
  return values;
}

}  // namespace

std::vector<const TensorDef*> tensors_of(const OpDef& def) {
  std::vector<const TensorDef*> out = mapped(def.inputs, [&](const TensorDef& t) { return &t; });
  for (const TensorDef& t : def.outputs) out.push_back(&t);
  return out;
}

std::vector<std::string> written_extents(const OpDef& def) {
  std::vector<std::string> out;
  for (const LetDef& l : def.lets)
    if (l.written) out.push_back(l.name);
  return out;
}

bool is_let_part(const OpDef& def, const TensorDef& t, const Dim& part) {
  return !has_broadcast(t) && def.let(part.name) != nullptr;
}

bool has_broadcast(const TensorDef& t) {
  return any_of(t.dims, [](const Dim& d) { return d.broadcast; });
}

BindSignature signature_of(const LibraryOp& op) {
  BindSignature out;
  for (const TensorDef* t : tensors_of(*op.def))
    for (const Dim& d : t->dims)
      if (d.kind == DimKind::pack) note(out.packs, d.name);
  for (const LetDef& l : op.def->lets)
    if (l.pack) note(out.packs, l.name);
  for (const LibraryKernel& k : op.kernels) {
    for (const SizeSource& s : k.size_sources) {
      if (const auto* symbol = std::get_if<FromSymbol>(&s)) note(out.symbols, symbol->name);
      if (const auto* list = std::get_if<FromPackAttr>(&s)) note(out.lists, list->attr);
    }
    for (const Tensor& t : k.kernel.tensors)
      if (!t.list.empty()) note(out.values, t.list);
    for (const Attr& a : k.kernel.attrs)
      for (int e = 0; e < a.count; ++e) {
        note(out.scalars, ScalarSlot{a.name, e, 0});
        if (is_complex(a.dtype)) note(out.scalars, ScalarSlot{a.name, e, 1});
      }
  }
  const KnownIntegers values = neutral_values(*op.def);
  for (const AttrDef& a : op.def->attrs)
    if (a.count == AttrCount::per_dim) out.neutral[a.name] = values.at(a.name);
  return out;
}

int position(const std::vector<std::string>& names, const std::string& name) {
  const auto at = std::find(names.begin(), names.end(), name);
  TENON_CHECK(at != names.end(), "{} is not handed over", name);
  return static_cast<int>(at - names.begin());
}

int position(const std::vector<ScalarSlot>& slots, const ScalarSlot& slot) {
  const auto at = std::find(slots.begin(), slots.end(), slot);
  TENON_CHECK(at != slots.end(), "{}[{}] is not handed over", slot.name, slot.element);
  return static_cast<int>(at - slots.begin());
}

}  // namespace tenon
