// The stack usage of a call of an op.
#include <fmt/format.h>

#include "harness/library/kernel_forms.h"
#include "harness/library/library_tables.h"
#include "ir/op/op_def.h"
#include "support/ranges.h"

namespace tenon {
namespace {

// The runtime's layout: templates/runtime/library_run.c.in.
constexpr size_t kPackWords = 5, kLoopWords = 4, kStoredWords = 2 * kMaxRank, kAnyLoops = 16;

/// Leading dimensions that the tensor lacks are counted too.
size_t view_rank(const TensorDef& t) {
  size_t ones = 0, stored = 0, packs = 0;
  bool broadcast = false;
  for (const Dim& d : t.dims) {
    const bool pack = d.kind == DimKind::pack;
    packs += pack ? 1 : 0;
    stored += pack ? 0 : 1;
    ones += pack ? 0 : d.kind == DimKind::split ? d.parts.size() : 1;
    broadcast = broadcast || (pack && d.broadcast);
  }
  return ones + (packs == 0 ? 0 : broadcast ? packs * kMaxRank : kMaxRank - std::min<size_t>(stored, kMaxRank));
}

/// A word for each dimension or pack, plus the extent and stride of a dimension, or the strides of a pack.
size_t view_words(const TensorDef& t) {
  size_t words = view_rank(t);
  for (const Dim& d : t.dims)
    words += d.kind == DimKind::pack ? 1 : 2 * (d.kind == DimKind::split ? d.parts.size() : 1);
  return words;
}

/// One pack has all dimensions but the innermost, and a part of that, as loops, or all of them where a call divides
/// views.
size_t loops_of(const LibraryOp& op, const BindSignature& signature, bool divides) {
  size_t walked = 0;
  for (const std::string& p : signature.packs)
    if (const auto plan = op.packs.find(p); plan != op.packs.end())
      walked += plan->second == PackPlan::Odometer || plan->second == PackPlan::Plane ? 1 : 0;
  return walked > 1 ? kAnyLoops : walked == 1 || divides ? kMaxRank : 0;
}

/// Attributes that a kernel takes in another order than the op has them are copied.
size_t copied_scalars(const Kernel& k, const BindSignature& signature) {
  size_t n = 0;
  bool in_order = true;
  for (const Attr& a : k.attrs)
    for (int e = 0; e < a.count; ++e)
      for (int part = 0; part < (is_complex(a.dtype) ? 2 : 1); ++part)
        in_order = position(signature.scalars, ScalarSlot{a.name, e, part}) == static_cast<int>(n++) && in_order;
  return in_order ? 0 : n;
}

}  // namespace

size_t largest_view(const LibraryOp& op) {
  size_t most = 0;
  for (const TensorDef* t : tensors_of(*op.def)) most = std::max(most, view_rank(*t));
  return most;
}

FrameArrays frame_arrays(const LibraryOp& op, const BindSignature& signature) {
  FrameArrays lengths;
  size_t views = 0, sizes = 0;
  const std::vector<const TensorDef*> tensors = tensors_of(*op.def);
  for (const TensorDef* t : tensors) views += view_words(*t);
  lengths.operands = tensors.size() + written_extents(*op.def).size();
  lengths.packs = signature.packs.size();
  const bool divides =
      any_of(signature.packs, [&](const std::string& p) { return freedom_of(op, p) == PackFreedom::moved; });
  lengths.loops = loops_of(op, signature, divides);
  for (const LibraryKernel& k : op.kernels) {
    size_t in = 0, out = 0;
    for (const Tensor& t : k.kernel.tensors) {
      in += t.role == Role::Input || t.role == Role::Constant ? 1 : 0;
      out += t.role == Role::Output ? 1 : 0;
    }
    lengths.kernel_in = std::max(lengths.kernel_in, in);
    lengths.kernel_out = std::max(lengths.kernel_out, out);
    lengths.scalars = std::max(lengths.scalars, copied_scalars(k.kernel, signature));
    sizes = std::max(sizes, k.kernel.sizes.size());
  }
  lengths.scalars += signature.scalars.size();
  lengths.words = signature.symbols.size() + kMaxRank * signature.lists.size() + views +
                  std::max(kStoredWords, sizes + kPackWords * lengths.packs + kLoopWords * lengths.loops +
                                             (divides ? lengths.operands : 0));
  return lengths;
}

CFunction frame_arrays_function(const LibraryOp& op, const BindSignature& signature) {
  struct Array {
    const char *type, *name;
    size_t length;
  };
  const FrameArrays lengths = frame_arrays(op, signature);
  const Array arrays[] = {{"tn_operand", "operand", lengths.operands},
                          {"tn_dims", "pack", lengths.packs},
                          {"int64_t", "word", lengths.words},
                          {"tn_scalar", "scalar", lengths.scalars},
                          {"const void *", "kernel_in", lengths.kernel_in},
                          {"void *", "kernel_out", lengths.kernel_out}};
  CBlock declarations, assignments;
  for (const Array& a : arrays) {
    if (a.length == 0) continue;
    declarations.push_back(c_declare_array(a.type, a.name, fmt::format("[{}]", a.length)));
    assignments.push_back(c_assign(c_arrow(c_text("f"), a.name), c_text(a.name)));
  }
  CBlock body = std::move(declarations);
  std::move(assignments.begin(), assignments.end(), std::back_inserter(body));
  body.push_back(c_return(c_call("step", {c_text("f")})));
  return {"", "static", "int64_t", op.def->name + "_with_arrays", {"tn_frame *f", "tn_step *step"}, std::move(body),
          ""};
}

}  // namespace tenon
