// The constant tables of an op.
#include "harness/library/library_tables.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "harness/library/kernel_forms.h"
#include "harness/library/library_attributes.h"
#include "harness/library/runtime_calls.h"
#include "harness/library_names.h"
#include "ir/nest/c_ast.h"
#include "ir/text/print_c99.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// An initialiser of members that are not 0 or NULL, one to a line where there are many.
class Members {
 public:
  Members& set(const char* member, CExpr value) {
    items_.push_back({std::move(value), member});
    return *this;
  }
  Members& set(const char* member, const std::string& name) { return set(member, c_text(name)); }
  Members& set_count(const char* member, size_t n) { return n == 0 ? *this : set(member, c_count(n)); }
  CExpr made(bool rows = false) { return c_initializer(std::move(items_), rows); }

 private:
  std::vector<CInit> items_;
};

void add_forms(const std::string& op, const std::vector<KernelForm>& forms, std::vector<CItem>& out) {
  std::vector<CInit> rows;
  for (size_t i = 0; i < forms.size(); ++i) {
    const KernelForm& f = forms[i];
    Members row;
    const auto add = [&](const char* type, const char* member, CExpr table) {
      const std::string name = fmt::format("{}_{}_{}", op, member, i);
      out.push_back(CObject{fmt::format("static const {} {}[]", type, name), std::move(table)});
      row.set(member, name);
    };
    if (!f.arguments.empty()) add("tn_argument", "arguments", c_initializer(f.arguments, true));
    if (!f.sizes.empty()) add("tn_source", "sizes", c_initializer(f.sizes, true));
    if (!f.joins.empty()) add("uint8_t", "joins", c_list(f.joins));
    if (!f.merges.empty()) add("uint8_t", "merges", c_list(f.merges));
    if (!f.scalars_in_order) add("uint8_t", "scalars", c_list(f.scalars));
    row.set_count("n_arguments", f.arguments.size()).set_count("n_sizes", f.sizes.size());
    row.set_count("n_scalars", f.scalars.size()).set_count("may_fail", f.may_fail ? 1 : 0);
    rows.push_back({row.made()});
  }
  out.push_back(CObject{fmt::format("static const tn_form {}_forms[]", op), c_initializer(std::move(rows), true)});
}

unsigned optional_mask(const OpDef& def) {
  unsigned mask = 0;
  for (size_t i = 0; i < def.inputs.size(); ++i)
    if (def.inputs[i].optional) mask |= 1u << i;
  for (size_t i = 0; i < def.outputs.size(); ++i)
    if (def.outputs[i].optional) mask |= 1u << (def.inputs.size() + i);
  return mask;
}

CObject entries(const LibraryOp& op, const std::vector<size_t>& form_of_kernel) {
  const std::vector<int> bodies = body_of_kernels(op);
  std::vector<CInit> rows;
  for (size_t i = 0; i < op.kernels.size(); ++i) {
    const LibraryKernel& k = op.kernels[i];
    std::vector<CExpr> types;
    for (const TypeVar& v : op.def->types) types.push_back(c_text(dtype_constant(k.call_types.at(v.name))));
    if (types.empty()) types.push_back(c_number(0));
    unsigned present = 0;
    for (size_t t = 0; t < k.present.size(); ++t)
      if (op.def->inputs[t].optional && k.present[t]) present |= 1u << t;
    for (const int o : k.computes) present |= 1u << (op.def->inputs.size() + static_cast<size_t>(o));
    Members row;
    row.set("type", c_list(std::move(types))).set("core", c_number(bodies[i])).set("form", c_count(form_of_kernel[i]));
    if (present != 0) row.set("present", c_mask(present));
    row.set_count("in_steps", reduces_in_steps(k) ? 1 : 0);
    rows.push_back({row.made(), "", k.kernel.name});
  }
  return {fmt::format("static const tn_entry {}_entries[]", op.def->name), c_initializer(std::move(rows), true)};
}

void add_levels(const LibraryOp& op, const LibraryTexts& texts, std::vector<CItem>& out) {
  std::vector<CInit> rows;
  for (const LevelTexts& l : texts.levels) {
    const std::string table = core_table(op, *l.isa);
    const bool made = has_kernels(op, l), always = l.isa->guard.empty();
    if (made) out.push_back(CObject{fmt::format("extern const tn_core {}[]", table), nullptr});
    rows.push_back(
        {c_text(made ? table : "NULL"), "", "", made && !always ? "TN_HAS_" + upper_case(l.isa->suffix) : ""});
  }
  out.push_back(CObject{fmt::format("static const tn_core *const {}_levels[TN_LEVELS]", op.def->name),
                        c_initializer(std::move(rows), true)});
}

/// A copy, whose kernels iterate over tiles themselves.
bool is_copy(const LibraryOp& op) {
  return all_of(op.kernels, [](const LibraryKernel& k) {
    return k.kernel.body.size() == 1 && std::holds_alternative<Read>(k.kernel.body[0].value->node);
  });
}

std::string plan_constant(const LibraryOp& op, PackPlan p, PackFreedom freedom) {
  switch (p) {
    case PackPlan::Collapsed: break;
    case PackPlan::Odometer: return "TN_ODOMETER";
    case PackPlan::Plane: return is_copy(op) ? "TN_COPIED" : "TN_PLANE";
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

template <class Named>
std::vector<CExpr> quoted_names(const std::vector<Named>& all) {
  return mapped(all, [&](const Named& n) { return c_text("\"" + verbatim(n.name) + "\""); });
}

std::vector<CExpr> pack_kinds(const LibraryOp& op, const BindSignature& signature) {
  std::vector<CExpr> out;
  for (const std::string& p : signature.packs) {
    const auto plan = op.packs.find(p);
    out.push_back(c_text(plan == op.packs.end() ? "TN_COLLAPSED" : plan_constant(op, plan->second, freedom_of(op, p))));
  }
  return out;
}

void add_descriptor(const LibraryOp& op, const BindSignature& signature, std::vector<CItem>& out) {
  const OpDef& def = *op.def;
  const auto table = [&](Members& of, const char* type, const char* member, std::vector<CExpr> elements) {
    if (elements.empty()) return;
    const std::string name = fmt::format("{}_{}", def.name, member);
    out.push_back(CObject{fmt::format("static const {}{}[]", type, name), c_list(std::move(elements))});
    of.set(member, name);
  };
  Members info, made;
  const char* names = "char *const ";
  info.set("op", fmt::format("\"{}\"", verbatim(def.name)));
  info.set_count("n_in", def.inputs.size()).set_count("n_out", def.outputs.size());
  info.set_count("n_attrs", def.attrs.size());
  table(info, names, "in", quoted_names(def.inputs));
  table(info, names, "out", quoted_names(def.outputs));
  table(info, names, "attrs", quoted_names(def.attrs));
  if (const unsigned optional = optional_mask(def)) info.set("optional", c_mask(optional));
  made.set("info", info.made());
  for (const char* member : {"bind", "with_arrays"}) made.set(member, fmt::format("{}_{}", def.name, member));
  if (!def.inputs.empty()) made.set("shape", def.name + "_shapes");
  for (const char* member : {"levels", "entries", "forms"}) made.set(member, fmt::format("{}_{}", def.name, member));
  table(made, "uint8_t ", "pack_kinds", pack_kinds(op, signature));
  const FrameArrays arrays = frame_arrays(op, signature);
  made.set_count("n_entries", op.kernels.size()).set_count("n_types", def.types.size());
  made.set_count("n_packs", signature.packs.size()).set_count("n_extents", written_extents(def).size());
  made.set_count("n_symbols", signature.symbols.size()).set_count("n_lists", signature.lists.size());
  made.set_count("n_scalars", signature.scalars.size()).set_count("n_loops", static_cast<size_t>(arrays.loops));
  made.set_count("n_words", static_cast<size_t>(arrays.words));
  out.push_back(CObject{fmt::format("const tn_op tn_rt_op_{}", def.name), made.made(true)});
}

}  // namespace

void widen(LibraryLimits& limits, const LibraryOp& op, const BindSignature& signature) {
  const auto atleast = [](int& limit, size_t n) { limit = std::max(limit, static_cast<int>(n)); };
  atleast(limits.extents, written_extents(*op.def).size());
  if (!written_extents(*op.def).empty()) atleast(limits.extent_outputs, op.def->outputs.size());
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
  limits.joins = limits.joins || any_of(op.kernels, [](const LibraryKernel& k) { return !joined_dims(k).empty(); });
  limits.merges =
      limits.merges || any_of(op.kernels, [&](const LibraryKernel& k) { return !merged_rows(op, k).empty(); });
  limits.steps = limits.steps || any_of(op.kernels, reduces_in_steps);
}

void add_op_tables(const LibraryOp& op, const BindSignature& signature, const LibraryTexts& texts,
                   std::vector<CItem>& out) {
  std::vector<KernelForm> forms;
  std::map<std::string, size_t> numbers;
  std::vector<size_t> form_of_kernel;
  const ConstantTables tables(op);
  for (const LibraryKernel& k : op.kernels) {
    KernelForm form = form_of(op, k, signature, tables);
    const auto [at, added] = numbers.emplace(form.text(), forms.size());
    form_of_kernel.push_back(at->second);
    if (added) forms.push_back(std::move(form));
  }
  add_stand_ins(op, out);
  tables.add(out);
  add_forms(op.def->name, forms, out);
  out.push_back(entries(op, form_of_kernel));
  add_levels(op, texts, out);
  add_descriptor(op, signature, out);
}

std::string core_table(const LibraryOp& op, const Isa& isa) {
  return fmt::format("tn_cores_{}_{}", op.def->name, isa.suffix);
}
std::string level_constant(const Isa& isa) { return "TN_LEVEL_" + upper_case(isa.suffix); }

bool has_kernels(const LibraryOp& op, const LevelTexts& level) {
  return any_of(op.kernels, [&](const LibraryKernel& k) { return level.kernels.count(k.kernel.name) != 0; });
}

std::string core_table_text(const LibraryOp& op, const LevelTexts& level) {
  if (!has_kernels(op, level)) return {};
  const std::string declarator = fmt::format("const tn_core {}[]", core_table(op, *level.isa));
  std::vector<CInit> rows;
  std::set<std::string> written;
  for (const LibraryKernel& k : op.kernels) {
    if (!written.insert(k.kernel.name).second) continue;
    const auto text = level.kernels.find(k.kernel.name);
    const bool made = text != level.kernels.end();
    const std::string run = made ? text->second.run : "", workspace = made ? text->second.workspace : "";
    Members row;
    row.set("run", run.empty() ? "NULL" : run);
    if (!workspace.empty()) row.set("workspace", workspace);
    rows.push_back({row.made()});
  }
  return print_c99(
      CFile{{CObject{"extern " + declarator, nullptr}, CObject{declarator, c_initializer(std::move(rows), true)}}});
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
    const bool wanted = contains(chosen, r) && (def.expand.ranks.empty() || contains(def.expand.ranks, r));
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
    if (!contains(out, *d)) out.push_back(*d);
  }
  sort(out, [](DType a, DType b) { return dtype_row(a).key < dtype_row(b).key; });
  return out;
}

}  // namespace tenon
