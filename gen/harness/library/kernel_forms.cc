// How the arguments of kernels are built from a call.
#include "harness/library/kernel_forms.h"

#include <fmt/format.h>

#include <set>

#include "algebra/contraction.h"
#include "harness/common_text.h"
#include "harness/library/runtime_calls.h"
#include "harness/library_names.h"
#include "ir/text/print_c99.h"
#include "support/check.h"
#include "support/ranges.h"

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

/// Dimensions in which the kernel takes the stride that the call has. If the strides of a tensor are not in the order
/// of its dims, the kernel itself knows the stored order.
unsigned any_stride(const LibraryKernel& k, int tensor) {
  const Tensor& t = k.kernel.tensor(tensor);
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

/// Whether the kernel assumes that one of the last two dimensions is dense.
bool needs_dense_dim(const Kernel& k, int tensor) {
  const Tensor& t = k.tensor(tensor);
  return t.strides.size() >= 2 &&
         any_of(k.facts, [&, needed = has_dense_dim(t)](const Expr& f) { return same(f, needed); });
}

CExpr source_row(const LibraryKernel& k, const SizeSource& source, const BindSignature& signature) {
  struct Visitor {
    const LibraryKernel& k;
    const BindSignature& signature;
    ptrdiff_t argument(int tensor) const {
      const std::vector<int> arguments = arguments_of(k.kernel);
      const auto at = std::find(arguments.begin(), arguments.end(), tensor);
      TENON_CHECK(at != arguments.end(), "{}: tensor {} is not an argument", k.kernel.name, tensor);
      return at - arguments.begin();
    }
    static CExpr row(const char* from, ptrdiff_t a, CExpr b = c_number(0)) {
      return c_list({c_text(from), c_number(a), std::move(b)});
    }
    static CExpr row(const char* from, ptrdiff_t a, int b) { return row(from, a, c_number(b)); }
    CExpr operator()(const FromSymbol& s) const { return row("TN_FROM_SYMBOL", position(signature.symbols, s.name)); }
    CExpr operator()(const FromPack& s) const {
      const CExpr dim = s.dim == kOuterDim ? c_text("TN_OUTER") : s.dim < 0 ? c_text("TN_WHOLE") : c_number(s.dim);
      return row("TN_FROM_PACK", position(signature.packs, s.pack), dim);
    }
    CExpr operator()(const FromStride& s) const { return row("TN_FROM_STRIDE", argument(s.tensor), s.dim); }
    CExpr operator()(const FromPackAttr& s) const {
      return row("TN_FROM_PACK_ATTR", position(signature.lists, s.attr), s.dim);
    }
    CExpr operator()(const FromPackRank& s) const {
      return row("TN_FROM_PACK_RANK", position(signature.packs, s.pack));
    }
    CExpr operator()(const FromExtent& s) const { return row("TN_FROM_EXTENT", argument(s.tensor), s.dim); }
    CExpr operator()(const FromRepeats& s) const { return row("TN_FROM_REPEATS", argument(s.tensor), s.dim); }
    CExpr operator()(const FromGiven& s) const { return row("TN_FROM_GIVEN", argument(s.tensor)); }
    CExpr operator()(const FromPackBase& s) const {
      return row("TN_FROM_PACK_BASE", position(signature.packs, s.pack));
    }
  };
  return std::visit(Visitor{k, signature}, source);
}

bool has_stand_in(const LibraryOp& op, int operand) {
  return operand < static_cast<int>(op.stand_ins.size()) && !op.stand_ins[static_cast<size_t>(operand)].empty();
}

bool is_zeros(const std::vector<int64_t>& values) {
  return all_of(values, [](int64_t v) { return v == 0; });
}

/// The table that a kernel reads instead of an absent input; `type`: that of the kernel's tensor.
std::string stand_in_text(const LibraryOp& op, int operand, DType type) {
  const TensorDef& input = op.def->inputs[static_cast<size_t>(operand)];
  const std::string name = fmt::format("{}_without_{}", op.def->name, input.name);
  const bool of_type = !is_zeros(op.stand_ins[static_cast<size_t>(operand)]) && !dtype_from_name(input.dtype);
  return of_type ? fmt::format("{}_{}", name, name_of(type)) : name;
}

/// 0 or 1 of a half type as its bits, or any number of another type.
std::string element_text(int64_t value, DType type) {
  using Bytes = std::vector<uint8_t>;
  if (!is_half(type) || value != 1) return fmt::format("{}", value);
  return number_text({type, {1}, type == DType::F16 ? Bytes{0x00, 0x3c} : Bytes{0x80, 0x3f}}, 0);
}

constexpr size_t kMostSizes = 255;  // tn_argument counts them in a byte

/// The tensor that determines a size; -1: none.
int told_by(const SizeSource& source) {
  return std::visit(
      [](const auto& from) {
        if constexpr (requires { from.tensor; }) return from.tensor;
        else return -1;
      },
      source);
}

/// The range of the kernel's sizes that an argument determines.
std::pair<size_t, size_t> sizes_of_argument(const LibraryKernel& k, int tensor) {
  size_t first = 0, end = 0;
  for (size_t i = 0; i < k.size_sources.size(); ++i) {
    if (told_by(k.size_sources[i]) != tensor) continue;
    if (end == 0) first = i;
    end = i + 1;
  }
  TENON_CHECK(end <= kMostSizes, "{}: sizes of an argument", k.kernel.name);
  return {first, end};
}

/// The members of a tn_argument that are not 0 or NULL.
std::vector<CInit> argument_row(const LibraryOp& op, const LibraryKernel& k, int t, const BindSignature& signature,
                                const ConstantTables& tables) {
  const Tensor& tensor = k.kernel.tensor(t);
  if (tensor.data) return {{c_text("TN_TABLE"), "operand"}, {c_text(tables.name_of(*tensor.data)), "without"}};
  if (!tensor.list.empty())
    return {{c_text(fmt::format("TN_VALUES + {}", position(signature.values, tensor.list))), "operand"}};
  const int operand = operand_of(*op.def, tensor);
  TENON_CHECK(!tensor.extent.empty() || static_cast<int>(tensor.dims.size()) ==
                                            kernel_dims(op, *tensors_of(*op.def)[static_cast<size_t>(operand)]),
              "{}: dims of {}", k.kernel.name, tensor.name);
  std::vector<CInit> row = {{c_number(operand), "operand"}};
  if (const auto [first, end] = sizes_of_argument(k, t); end > 0) {
    row.push_back({c_count(first), "first_size"});
    row.push_back({c_count(end), "end_size"});
  }
  const std::string dense = needs_dense_dim(k.kernel, t) ? "TN_DENSE_MATRIX | " : "";
  if (const unsigned mask = any_stride(k, t); mask != 0 || !dense.empty())
    row.push_back({c_text(dense + print_c99(c_mask(mask))), "any_stride"});
  if (has_stand_in(op, operand)) row.push_back({c_text(stand_in_text(op, operand, tensor.dtype)), "without"});
  return row;
}

}  // namespace

std::string KernelForm::text() const {
  return print_c99(c_initializer(arguments)) + print_c99(c_initializer(sizes)) + print_c99(c_list(scalars)) +
         print_c99(c_list(joins)) + print_c99(c_list(merges)) + (may_fail ? "fails" : "");
}

int kernel_dims(const LibraryOp& op, const TensorDef& t) {
  int n = 0;
  for (const Dim& d : t.dims) {
    const auto plan = op.packs.find(op.permuted.empty() ? d.name : op.permuted);  // the view of a permuted input
    if (d.kind == DimKind::split) n += static_cast<int>(d.parts.size());
    else n += d.kind == DimKind::pack && plan != op.packs.end() ? kernel_dims(plan->second) : 1;
  }
  return n;
}

void add_stand_ins(const LibraryOp& op, std::vector<CItem>& out) {
  std::set<std::string> written;
  for (const LibraryKernel& k : op.kernels)
    for (const int t : arguments_of(k.kernel)) {
      const Tensor& tensor = k.kernel.tensor(t);
      const int operand = tensor.data || !tensor.list.empty() ? -1 : operand_of(*op.def, tensor);
      if (operand < 0 || !has_stand_in(op, operand)) continue;
      const std::vector<int64_t>& values = op.stand_ins[static_cast<size_t>(operand)];
      const std::string name = stand_in_text(op, operand, tensor.dtype);
      if (!written.insert(name).second) continue;
      if (is_zeros(values)) {  // of any type
        out.push_back(
            CObject{fmt::format("static const uint64_t {}[{}]", name, 2 * values.size()), c_list({c_text("0")})});
        continue;
      }
      std::vector<CExpr> elements;
      for (const int64_t v : values) elements.push_back(c_text(element_text(v, tensor.dtype)));
      out.push_back(CObject{fmt::format("static const {} {}[]", dtype_row(tensor.dtype).c_type, name),
                            c_list(std::move(elements))});
    }
}

KernelForm form_of(const LibraryOp& op, const LibraryKernel& k, const BindSignature& signature,
                   const ConstantTables& tables) {
  KernelForm out;
  for (const int t : arguments_of(k.kernel))
    out.arguments.push_back(
        {c_initializer(argument_row(op, k, t, signature, tables)), "", verbatim(k.kernel.tensor(t).name)});
  for (size_t i = 0; i < k.kernel.sizes.size(); ++i)
    out.sizes.push_back({source_row(k, k.size_sources[i], signature), "", verbatim(k.kernel.sizes[i].name)});
  for (const Attr& a : k.kernel.attrs)
    for (int e = 0; e < a.count; ++e)
      for (int part = 0; part < (is_complex(a.dtype) ? 2 : 1); ++part) {
        const int at = position(signature.scalars, ScalarSlot{a.name, e, part});
        out.scalars_in_order = out.scalars_in_order && at == static_cast<int>(out.scalars.size());
        out.scalars.push_back(c_number(at));
      }
  for (const int first : joined_dims(k)) out.joins.push_back(c_number(first));
  for (const int size : merged_rows(op, k)) out.merges.push_back(c_number(size));
  out.may_fail = may_fail(k.kernel);
  return out;
}

}  // namespace tenon
