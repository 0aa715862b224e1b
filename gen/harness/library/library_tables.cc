// The constant tables of an op.
#include "harness/library/library_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/constant_text.h"
#include "harness/library/constant_tables.h"
#include "harness/library/library_attributes.h"
#include "harness/library/library_room.h"
#include "harness/library/pack_freedom.h"
#include "harness/library_names.h"
#include "support/check.h"
#include "support/joined.h"

namespace tenon {
namespace {

/// Input and output tensors of a kernel in the order of its arguments: positions in Kernel::tensors.
std::vector<int> arguments_of(const Kernel& k) {
  std::vector<int> out;
  for (const bool output : {false, true})
    for (size_t i = 0; i < k.tensors.size(); ++i)
      if (const Role r = k.tensors[i].role; output ? r == Role::Output : r == Role::Input || r == Role::Constant)
        out.push_back(static_cast<int>(i));
  return out;
}

int operand_of(const OpDef& def, const Tensor& t) {
  const auto all = tensors_of(def);
  if (!t.extent.empty()) return static_cast<int>(all.size()) + position(written_extents(def), t.extent);
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i]->name == t.name && (i >= def.inputs.size()) == (t.role == Role::Output)) return static_cast<int>(i);
  TENON_UNREACHABLE("{}: tensor {} is none of the definition's", def.name, t.name);
}

/// Dimensions of an operand as kernels see it.
int kernel_dims(const LibraryOp& op, const TensorDef& t) {
  int n = 0;
  for (const Dim& d : t.dims) {
    const auto plan = op.packs.find(op.permuted.empty() ? d.name : op.permuted);  // the view of a permuted input
    if (d.kind == DimKind::split) n += static_cast<int>(d.parts.size());
    else n += d.kind == DimKind::pack && plan != op.packs.end() ? kernel_dims(plan->second) : 1;
  }
  return n;
}

/// Dimensions in which the kernel takes the stride that the call has. A tensor whose strides are not those of its dims
/// in order is one whose stored order the kernel knows itself.
unsigned any_stride(const LibraryKernel& k, int tensor) {
  const Tensor& t = k.kernel.tensors[static_cast<size_t>(tensor)];
  unsigned mask = 0;
  for (size_t d = 0; d < t.strides.size(); ++d) {
    const auto* s = std::get_if<SizeRef>(&t.strides[d]->node);
    if (s == nullptr) continue;
    for (size_t i = 0; i < k.kernel.sizes.size(); ++i)
      if (k.kernel.sizes[i].name == s->name && std::holds_alternative<FromStride>(k.size_sources[i])) mask |= 1u << d;
  }
  const std::vector<Expr> in_order = contiguous_strides(t.dims);
  const bool ordered = std::equal(t.strides.begin(), t.strides.end(), in_order.begin(), in_order.end(),
                                  [](const Expr& a, const Expr& b) { return same(a, b); });
  if (mask == 0 && !ordered) mask = t.strides.empty() ? 0 : (1u << t.strides.size()) - 1;
  return mask;
}

struct FormText {
  std::string arguments, sizes, scalars;
  size_t n_arguments = 0, n_sizes = 0, n_scalars = 0;
  bool may_fail = false, scalars_in_order = true;
  bool operator==(const FormText&) const = default;
};

std::string source_text(const LibraryKernel& k, const SizeSource& source, const BindSignature& signature) {
  struct Visitor {
    const LibraryKernel& k;
    const BindSignature& signature;
    ptrdiff_t argument(int tensor) const {
      const std::vector<int> arguments = arguments_of(k.kernel);
      const auto at = std::find(arguments.begin(), arguments.end(), tensor);
      TENON_CHECK(at != arguments.end(), "{}: tensor {} is not an argument", k.kernel.name, tensor);
      return at - arguments.begin();
    }
    std::string operator()(const FromSymbol& s) const {
      return fmt::format("{{TN_FROM_SYMBOL, {}, 0}}", position(signature.symbols, s.name));
    }
    std::string operator()(const FromPack& s) const {
      return fmt::format("{{TN_FROM_PACK, {}, {}}}", position(signature.packs, s.pack),
                         s.dim == kOuterDim ? "TN_OUTER"
                         : s.dim < 0        ? "TN_WHOLE"
                                            : fmt::format("{}", s.dim));
    }
    std::string operator()(const FromStride& s) const {
      return fmt::format("{{TN_FROM_STRIDE, {}, {}}}", argument(s.tensor), s.dim);
    }
    std::string operator()(const FromPackAttr& s) const {
      return fmt::format("{{TN_FROM_PACK_ATTR, {}, {}}}", position(signature.lists, s.attr), s.dim);
    }
    std::string operator()(const FromPackRank& s) const {
      return fmt::format("{{TN_FROM_PACK_RANK, {}, 0}}", position(signature.packs, s.pack));
    }
    std::string operator()(const FromExtent& s) const {
      return fmt::format("{{TN_FROM_EXTENT, {}, {}}}", argument(s.tensor), s.dim);
    }
    std::string operator()(const FromRepeats& s) const {
      return fmt::format("{{TN_FROM_REPEATS, {}, {}}}", argument(s.tensor), s.dim);
    }
    std::string operator()(const FromPackBase& s) const {
      return fmt::format("{{TN_FROM_PACK_BASE, {}, 0}}", position(signature.packs, s.pack));
    }
  };
  return std::visit(Visitor{k, signature}, source);
}

bool has_stand_in(const LibraryOp& op, int operand) {
  return operand < static_cast<int>(op.stand_ins.size()) && !op.stand_ins[static_cast<size_t>(operand)].empty();
}

bool is_zeros(const std::vector<int64_t>& values) {
  return std::all_of(values.begin(), values.end(), [](int64_t v) { return v == 0; });
}

/// The table that a kernel reads in the place of an input that is not given; `type`: that of the kernel's tensor.
std::string stand_in_text(const LibraryOp& op, int operand, DType type) {
  if (!has_stand_in(op, operand)) return "NULL";
  const TensorDef& input = op.def->inputs[static_cast<size_t>(operand)];
  const std::string name = fmt::format("{}_without_{}", op.def->name, input.name);
  const bool of_type = !is_zeros(op.stand_ins[static_cast<size_t>(operand)]) && !dtype_from_name(input.dtype);
  return of_type ? fmt::format("{}_{}", name, name_of(type)) : name;
}

/// 0 or 1 of a half type as its bits, any number of another type.
std::string element_text(int64_t value, DType type) {
  using Bytes = std::vector<uint8_t>;
  const bool is_half = type == DType::F16 || type == DType::BF16;
  if (!is_half || value != 1) return fmt::format("{}", value);
  return number_text({type, {1}, type == DType::F16 ? Bytes{0x00, 0x3c} : Bytes{0x80, 0x3f}}, 0);
}

/// Each table once, for the types that kernels have.
void write_stand_ins(const LibraryOp& op, TextWriter& out) {
  std::set<std::string> written;
  for (const LibraryKernel& k : op.kernels)
    for (const int t : arguments_of(k.kernel)) {
      const Tensor& tensor = k.kernel.tensors[static_cast<size_t>(t)];
      const int operand = tensor.data || !tensor.list.empty() ? -1 : operand_of(*op.def, tensor);
      if (operand < 0 || !has_stand_in(op, operand)) continue;
      const std::vector<int64_t>& values = op.stand_ins[static_cast<size_t>(operand)];
      const std::string name = stand_in_text(op, operand, tensor.dtype);
      if (!written.insert(name).second) continue;
      if (is_zeros(values)) {
        out.print_line("static const uint64_t {}[{}] = {{0}}; /* zeros of any type */", name, 2 * values.size());
        continue;
      }
      std::vector<std::string> texts;
      for (const int64_t v : values) texts.push_back(element_text(v, tensor.dtype));
      out.print_line("static const {} {}[] = {{{}}};", dtype_row(tensor.dtype).c_type, name, joined(texts, ", "));
    }
}

constexpr size_t kMostSizes = 255;  // tn_argument counts them in a byte

/// First and behind the last of the kernel's sizes that an argument tells.
std::pair<size_t, size_t> sizes_of_argument(const LibraryKernel& k, int tensor) {
  size_t first = 0, behind = 0;
  for (size_t i = 0; i < k.size_sources.size(); ++i) {
    const SizeSource& source = k.size_sources[i];
    const auto* stride = std::get_if<FromStride>(&source);
    const auto* extent = std::get_if<FromExtent>(&source);
    const auto* repeats = std::get_if<FromRepeats>(&source);
    const int told_by = stride ? stride->tensor : extent ? extent->tensor : repeats ? repeats->tensor : -1;
    if (told_by != tensor) continue;
    if (behind == 0) first = i;
    behind = i + 1;
  }
  TENON_CHECK(behind <= kMostSizes, "{}: sizes of an argument", k.kernel.name);
  return {first, behind};
}

FormText form_of(const LibraryOp& op, const LibraryKernel& k, const BindSignature& signature,
                 const ConstantTables& tables) {
  FormText out;
  for (const int t : arguments_of(k.kernel)) {
    const Tensor& tensor = k.kernel.tensors[static_cast<size_t>(t)];
    if (tensor.data || !tensor.list.empty()) {
      const std::string from =
          tensor.data ? "TN_TABLE" : fmt::format("TN_VALUES + {}", position(signature.values, tensor.list));
      out.arguments += fmt::format("{}{{{}, 0, 0, 0x0, {}}} /* {} */", out.n_arguments ? ", " : "", from,
                                   tensor.data ? tables.name_of(*tensor.data) : "NULL", verbatim(tensor.name));
      ++out.n_arguments;
      continue;
    }
    const int operand = operand_of(*op.def, tensor);
    TENON_CHECK(!tensor.extent.empty() || static_cast<int>(tensor.dims.size()) ==
                                              kernel_dims(op, *tensors_of(*op.def)[static_cast<size_t>(operand)]),
                "{}: dims of {}", k.kernel.name, tensor.name);
    const auto [first, behind] = sizes_of_argument(k, t);
    out.arguments +=
        fmt::format("{}{{{}, {}, {}, 0x{:x}, {}}} /* {} */", out.n_arguments ? ", " : "", operand, first, behind,
                    any_stride(k, t), stand_in_text(op, operand, tensor.dtype), verbatim(tensor.name));
    ++out.n_arguments;
  }
  for (size_t i = 0; i < k.kernel.sizes.size(); ++i) {
    out.sizes += fmt::format("    {}, /* {} */\n", source_text(k, k.size_sources[i], signature),
                             verbatim(k.kernel.sizes[i].name));
    ++out.n_sizes;
  }
  for (const Attr& a : k.kernel.attrs)
    for (int e = 0; e < a.count; ++e)
      for (int part = 0; part < (is_complex(a.dtype) ? 2 : 1); ++part) {
        const int at = position(signature.scalars, ScalarSlot{a.name, e, part});
        out.scalars += fmt::format("{}{}", out.n_scalars ? ", " : "", at);
        out.scalars_in_order = out.scalars_in_order && at == static_cast<int>(out.n_scalars);
        ++out.n_scalars;
      }
  out.may_fail = may_fail(k.kernel);
  return out;
}

void write_form(const std::string& op, size_t number, const FormText& form, TextWriter& out) {
  out.print_line("static const tn_argument {}_arguments_{}[] = {{{}}};", op, number, form.arguments);
  if (form.n_sizes > 0)
    out.print_line("static const tn_source {}_sizes_{}[] = {{", op, number).write(form.sizes).line("};");
  if (!form.scalars_in_order)
    out.print_line("static const uint8_t {}_scalars_{}[] = {{{}}};", op, number, form.scalars);
}

void write_forms(const std::string& op, const std::vector<FormText>& forms, TextWriter& out) {
  for (size_t i = 0; i < forms.size(); ++i) write_form(op, i, forms[i], out);
  out.print_line("static const tn_form {}_forms[] = {{", op);
  for (size_t i = 0; i < forms.size(); ++i) {
    const FormText& f = forms[i];
    const auto table = [&](const char* what, size_t n) {
      return n > 0 ? fmt::format("{}_{}_{}", op, what, i) : "NULL";
    };
    out.print_line("    {{{}, {}, {}, {}, {}, {}, {}}},", table("arguments", f.n_arguments), table("sizes", f.n_sizes),
                   table("scalars", f.scalars_in_order ? 0 : f.n_scalars), f.n_arguments, f.n_sizes, f.n_scalars,
                   f.may_fail ? 1 : 0);
  }
  out.line("};");
}

unsigned optional_mask(const OpDef& def) {
  unsigned mask = 0;
  for (size_t i = 0; i < def.inputs.size(); ++i)
    if (def.inputs[i].optional) mask |= 1u << i;
  for (size_t i = 0; i < def.outputs.size(); ++i)
    if (def.outputs[i].optional) mask |= 1u << (def.inputs.size() + i);
  return mask;
}

void write_entries(const LibraryOp& op, const std::vector<size_t>& form_of_kernel, TextWriter& out) {
  const std::vector<int> bodies = body_of_kernels(op);
  out.print_line("static const tn_entry {}_entries[] = {{", op.def->name);
  for (size_t i = 0; i < op.kernels.size(); ++i) {
    const LibraryKernel& k = op.kernels[i];
    std::vector<std::string> types;
    for (const TypeVar& v : op.def->types) types.push_back(dtype_constant(k.call_types.at(v.name)));
    if (types.empty()) types.push_back("0");
    unsigned present = 0;
    for (size_t t = 0; t < k.present.size(); ++t)
      if (op.def->inputs[t].optional && k.present[t]) present |= 1u << t;
    if (k.computes >= 0) present |= 1u << (op.def->inputs.size() + static_cast<size_t>(k.computes));
    out.print_line("    {{{{{}}}, {}, {}, 0x{:x}}}, /* {} */", joined(types, ", "), bodies[i], form_of_kernel[i],
                   present, k.kernel.name);
  }
  out.line("};");
}

void write_levels(const LibraryOp& op, const LibraryTexts& texts, TextWriter& out) {
  for (const LevelTexts& l : texts.levels)
    if (has_kernels(op, l)) out.print_line("extern const tn_core {}[];", core_table(op, *l.isa));
  out.print_line("static const tn_core *const {}_levels[TN_LEVELS] = {{", op.def->name);
  for (const LevelTexts& l : texts.levels) {
    if (!has_kernels(op, l)) {
      out.line("    NULL,");
    } else if (l.isa->guard.empty()) {
      out.print_line("    {},", core_table(op, *l.isa));
    } else {
      out.print_line("#if TN_HAS_{}", upper_case(l.isa->suffix))
          .print_line("    {},", core_table(op, *l.isa))
          .line("#else")
          .line("    NULL,")
          .line("#endif");
    }
  }
  out.line("};");
}

void write_names(const std::string& table, const std::vector<std::string>& names, TextWriter& out) {
  if (names.empty()) return;
  std::vector<std::string> quoted;
  for (const std::string& n : names) quoted.push_back("\"" + verbatim(n) + "\"");
  out.print_line("static const char *const {}[] = {{{}}};", table, joined(quoted, ", "));
}

std::string plan_constant(PackPlan p, PackFreedom freedom) {
  switch (p) {
    case PackPlan::Collapsed: break;
    case PackPlan::Odometer: return "TN_ODOMETER";
    case PackPlan::Plane: return "TN_PLANE";
    case PackPlan::Fixed: return "TN_FIXED";
    case PackPlan::Merged: return "TN_MERGED";
  }
  switch (freedom) {
    case PackFreedom::none: return "TN_COLLAPSED";
    case PackFreedom::permuted: return "TN_PERMUTED";
    case PackFreedom::moved: return "TN_MOVED";
  }
  TENON_UNREACHABLE("pack plan");
}

void write_descriptor(const LibraryOp& op, const BindSignature& signature, TextWriter& out) {
  const OpDef& def = *op.def;
  std::vector<std::string> in, outs, attrs, kinds;
  for (const TensorDef& t : def.inputs) in.push_back(t.name);
  for (const TensorDef& t : def.outputs) outs.push_back(t.name);
  for (const AttrDef& a : def.attrs) attrs.push_back(a.name);
  for (const std::string& p : signature.packs)
    kinds.push_back(op.packs.count(p) ? plan_constant(op.packs.at(p), freedom_of(op, p)) : "TN_COLLAPSED");
  write_names(def.name + "_inputs", in, out);
  write_names(def.name + "_outputs", outs, out);
  write_names(def.name + "_attributes", attrs, out);
  if (!kinds.empty()) out.print_line("static const uint8_t {}_packs[] = {{{}}};", def.name, joined(kinds, ", "));
  const auto table = [&](const char* what, bool exists) {
    return exists ? fmt::format("{}_{}", def.name, what) : "NULL";
  };
  out.print_line("const tn_op tn_rt_op_{} = {{", def.name);
  out.print_line("    {{\"{}\", {}, {}, {}, {}, {}, {}, 0x{:x}}},", verbatim(def.name), in.size(), outs.size(),
                 attrs.size(), table("inputs", !in.empty()), table("outputs", !outs.empty()),
                 table("attributes", !attrs.empty()), optional_mask(def));
  out.print_line("    {0}_bind, {0}_with_room, {1}, {0}_levels, {0}_entries, {0}_forms, {2},", def.name,
                 table("shapes", !in.empty()), table("packs", !kinds.empty()));
  const CallRoom room = room_of(op, signature);
  out.print_line("    {}, {}, {}, {}, {}, {}, {}, {}, {}", op.kernels.size(), def.types.size(), kinds.size(),
                 written_extents(def).size(), signature.symbols.size(), signature.lists.size(),
                 signature.scalars.size(), room.loops, room.words);
  out.line("};");
}

}  // namespace

void widen(LibraryLimits& limits, const LibraryOp& op, const BindSignature& signature) {
  const auto atleast = [](int& limit, size_t n) { limit = std::max(limit, static_cast<int>(n)); };
  atleast(limits.extents, written_extents(*op.def).size());
  if (!written_extents(*op.def).empty()) atleast(limits.told, op.def->outputs.size());
  atleast(limits.types, op.def->types.size());
  atleast(limits.view, largest_view(op));
  for (const TensorDef* t : tensors_of(*op.def)) atleast(limits.kernel_dims, static_cast<size_t>(kernel_dims(op, *t)));
  TENON_CHECK(limits.kernel_dims <= 32, "{}: a tensor with {} dimensions", op.def->name, limits.kernel_dims);
  atleast(limits.values, signature.values.size());
  size_t kept = 0;
  for (const std::string& name : signature.values)
    if (const AttrDef& list = *op.def->attr(name); list.count == AttrCount::fixed)
      kept += static_cast<size_t>(kept_scalars(list));
  atleast(limits.kept, kept);
  limits.gradients = limits.gradients || op.is_gradient();
}

void write_op_tables(const LibraryOp& op, const BindSignature& signature, const LibraryTexts& texts, TextWriter& out) {
  std::vector<FormText> forms;
  std::vector<size_t> form_of_kernel;
  const ConstantTables tables(op);
  for (const LibraryKernel& k : op.kernels) {
    const FormText form = form_of(op, k, signature, tables);
    const auto at = std::find(forms.begin(), forms.end(), form);
    form_of_kernel.push_back(static_cast<size_t>(at - forms.begin()));
    if (at == forms.end()) forms.push_back(form);
  }
  write_stand_ins(op, out);
  tables.write(out);
  write_forms(op.def->name, forms, out);
  write_entries(op, form_of_kernel, out);
  write_levels(op, texts, out);
  write_descriptor(op, signature, out);
}

std::string core_table(const LibraryOp& op, const Isa& isa) {
  return fmt::format("tn_cores_{}_{}", op.def->name, isa.suffix);
}
std::string level_constant(const Isa& isa) { return "TN_LEVEL_" + upper_case(isa.suffix); }

bool has_kernels(const LibraryOp& op, const LevelTexts& level) {
  return std::any_of(op.kernels.begin(), op.kernels.end(),
                     [&](const LibraryKernel& k) { return level.kernels.count(k.kernel.name) != 0; });
}

void write_core_table(const LibraryOp& op, const LevelTexts& level, TextWriter& out) {
  if (!has_kernels(op, level)) return;
  const std::string table = core_table(op, *level.isa);
  out.print_line("extern const tn_core {}[];", table);
  out.print_line("const tn_core {}[] = {{", table);
  std::set<std::string> written;
  for (const LibraryKernel& k : op.kernels) {
    if (!written.insert(k.kernel.name).second) continue;
    const auto text = level.kernels.find(k.kernel.name);
    if (text == level.kernels.end()) out.line("    {NULL, NULL},");
    else
      out.print_line("    {{{}, {}}},", text->second.run,
                     text->second.workspace.empty() ? "NULL" : text->second.workspace);
  }
  out.line("};");
}

std::vector<int> ranks_of(const LibraryOp& op, const std::vector<int>& chosen) {
  const OpDef& def = *op.def;
  const TensorDef& first = def.inputs.empty() ? def.outputs.at(0) : def.inputs[0];
  int low = 0, high = 0, lead = 0;
  bool leading = true;
  for (const Dim& d : first.dims) {
    leading = leading && d.broadcast && d.kind != DimKind::pack;
    lead += leading ? 1 : 0;
    if (d.kind == DimKind::pack) high = kMaxRank;
    else ++low;
  }
  const bool any = high > 0 || (first.optional && !def.outputs.empty());
  if (first.optional) low = 0;
  std::vector<int> out;
  for (int r = any ? low : low - lead; r <= (any ? kMaxRank : low); ++r) {
    const bool wanted = std::find(chosen.begin(), chosen.end(), r) != chosen.end() &&
                        (def.expand.ranks.empty() ||
                         std::find(def.expand.ranks.begin(), def.expand.ranks.end(), r) != def.expand.ranks.end());
    if (!any || wanted) out.push_back(r);
  }
  return out;
}

std::vector<DType> keys_of(const LibraryOp& op) {
  std::vector<DType> out;
  const TensorDef& first = op.def->inputs.empty() ? op.def->outputs.at(0) : op.def->inputs[0];
  for (const LibraryKernel& k : op.kernels) {
    const auto d = op.key_type.empty() ? dtype_from_name(first.dtype) : std::optional(k.call_types.at(op.key_type));
    TENON_CHECK(d, "{}: no key", op.def->name);
    if (std::find(out.begin(), out.end(), *d) == out.end()) out.push_back(*d);
  }
  std::sort(out.begin(), out.end(), [](DType a, DType b) { return dtype_row(a).key < dtype_row(b).key; });
  return out;
}

}  // namespace tenon
