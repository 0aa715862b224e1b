// The values that the bind function passes to kernels.

#include "harness/library/library_attributes.h"
#include "harness/library/library_bind.h"
#include "harness/library_names.h"

namespace tenon {
namespace {

CExpr symbol_value(const OpDef& def, const std::string& name) {
  for (const AttrDef& list : def.attrs)
    if (name == count_of(list.name)) return c_member(attribute_field(list.name), "count");
  return def.attr(name) != nullptr ? attribute_field(name) : c_name(name);
}

bool is_real_in_kernels(const LibraryOp& op, const std::string& let) {
  for (const LibraryKernel& k : op.kernels)
    for (const Attr& a : k.kernel.attrs)
      if (a.name == let) return is_float(a.dtype);
  return false;
}

/// A slot gets a value as one of its members, or as a whole.
void write_scalar(BindState& s, const ScalarSlot& slot, const CExpr& to) {
  const AttrDef* a = s.def().attr(slot.name);
  const CExpr as_integer = c_member(to, "i"), as_real = c_member(to, "f");
  if (a == nullptr) {
    const CExpr let = c_name(slot.name);
    if (s.scope.real_lets.count(slot.name)) return s.assign(as_real, let);
    const bool real = is_real_in_kernels(*s.op, slot.name);
    return s.assign(real ? as_real : as_integer, real ? c_cast("double", let) : let);
  }
  CExpr field = attribute_field(a->name);
  if (a->count == AttrCount::fixed) field = c_index(field, c_number(slot.element));
  const auto of_type = [&](CExpr type) {
    s.assign(to, runtime_value("scalar", {std::move(type), address_of(field), c_number(slot.part)}));
  };
  if (a->kind == AttrKind::type_variable)
    return of_type(c_index(frame_field("type"), c_number(type_variable(s.def(), a->type))));
  if (a->kind == AttrKind::real) return s.assign(as_real, field);
  if (a->kind != AttrKind::dtype) return s.assign(as_integer, field);
  const DType d = *dtype_from_name(a->type);
  if (is_complex(d)) return of_type(c_text(dtype_constant(d)));
  s.assign(is_float(d) ? as_real : as_integer, field);
}

/// Lists whose memory kernels read; a list inside the struct is copied, because the struct's lifetime ends with the
/// bind function.
void write_values(BindState& s) {
  int kept = 0;
  const std::vector<std::string>& values = s.signature->values;
  for (size_t k = 0; k < values.size(); ++k) {
    const AttrDef& list = *s.def().attr(values[k]);
    const CExpr field = attribute_field(list.name);
    const CExpr to = c_index(frame_field("values"), c_count(k));
    if (list.count == AttrCount::any) {
      s.assign(to, c_member(field, "values"));
      continue;
    }
    const CExpr copy = c_binary(frame_field("kept"), "+", c_number(kept));
    s.add(c_evaluate(c_call("memcpy", {copy, field, c_unary("sizeof ", field)})));
    s.assign(to, copy);
    kept += kept_scalars(list);
  }
}

}  // namespace

void write_handover(BindState& s, const IndexParts& parts) {
  const BindSignature& given = *s.signature;
  if (given.symbols.empty() && given.scalars.empty() && given.lists.empty() && given.values.empty()) return;
  s.add(c_paragraph("what the kernels take"));
  const auto slot = [](const char* field, size_t k) { return c_index(frame_field(field), c_count(k)); };
  for (size_t k = 0; k < given.symbols.size(); ++k) {
    const std::string& name = given.symbols[k];
    s.assign(slot("symbol", k), symbol_value(s.def(), name));
    if (const IndexPart* part = s.def().let(name) ? find_value(parts, std::pair(name, 0)) : nullptr)
      s.call("within", {address_of(slot("symbol", k)), c_number(1), limit_of(*part)});
  }
  for (size_t k = 0; k < given.scalars.size(); ++k) write_scalar(s, given.scalars[k], slot("scalar", k));
  write_values(s);
  for (size_t k = 0; k < given.lists.size(); ++k)
    s.call("give_list", {c_count(k), address_of(c_name(given.lists[k])), c_number(given.neutral.at(given.lists[k]))});
}

}  // namespace tenon
