// Traverses two kernels in parallel: they may differ in one signed type and its unsigned counterpart if only bits
// matter.

#include "library/expand_symbolic.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class SideBySide {
 public:
  SideBySide(const Kernel& a, const Kernel& b, DType of_a, DType of_b) : a_(a), b_(b), of_a_(of_a), of_b_(of_b) {}

  bool alike() const {
    if (is_opaque(a_) || is_opaque(b_) || !same(a_.facts, b_.facts)) return false;
    const auto pairwise = [&](const auto& a, const auto& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                        [&](const auto& x, const auto& y) { return alike(x, y); });
    };
    return pairwise(a_.tensors, b_.tensors) && pairwise(a_.sizes, b_.sizes) && pairwise(a_.attrs, b_.attrs) &&
           pairwise(a_.checks, b_.checks) && pairwise(a_.body, b_.body);
  }

 private:
  bool types(DType a, DType b) const { return a == b || (a == of_a_ && b == of_b_); }

  static bool equal_loops(const std::vector<LoopVar>& a, const std::vector<LoopVar>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const LoopVar& x, const LoopVar& y) {
      return x.name == y.name && x.direction == y.direction && same(x.extent, y.extent);
    });
  }

  bool alike(const Tensor& a, const Tensor& b) const {
    const bool equal_bytes = !a.data || !b.data ? a.data == b.data : a.data->bytes == b.data->bytes;
    return a.name == b.name && a.role == b.role && types(a.dtype, b.dtype) && same(a.dims, b.dims) &&
           same(a.strides, b.strides) && equal_bytes && a.list == b.list;
  }

  bool alike(const Size& a, const Size& b) const { return a.name == b.name && a.lo == b.lo && a.hi == b.hi; }
  bool alike(const Attr& a, const Attr& b) const {
    return a.name == b.name && types(a.dtype, b.dtype) && a.count == b.count;
  }
  bool alike(const Check& a, const Check& b) const {
    return a.status == b.status && equal_loops(a.loops, b.loops) && alike(a.holds, b.holds);
  }

  bool alike(const KernelStatement& a, const KernelStatement& b) const {
    const bool of_order = a.update == Update::Max || a.update == Update::Min;
    if (of_order && a.value->type != b.value->type) return false;
    return a.target == b.target && a.update == b.update && a.joined == b.joined && equal_loops(a.loops, b.loops) &&
           same(a.index, b.index) && alike(a.where, b.where) && alike(a.value, b.value);
  }

  bool alike(const Few<Expr>& a, const Few<Expr>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const Expr& x, const Expr& y) { return alike(x, y); });
  }

  bool alike(const Expr& a, const Expr& b) const {
    if (!a || !b) return !a && !b;
    if (same(a, b)) return true;
    if (!types(a->type, b->type) || a->node.index() != b->node.index()) return false;
    return std::visit(
        [&](const auto& n) { return nodes(n, std::get<std::decay_t<decltype(n)>>(b->node), a->type != b->type); },
        a->node);
  }

  /// `differ`: the types of the nodes do.
  bool nodes(const Constant& a, const Constant& b, bool) const { return a.i == b.i && a.f == b.f; }
  bool nodes(const VarRef& a, const VarRef& b, bool) const { return a.name == b.name; }
  bool nodes(const SizeRef& a, const SizeRef& b, bool) const { return a.name == b.name; }
  bool nodes(const AttrRef& a, const AttrRef& b, bool) const { return a.name == b.name && a.element == b.element; }
  bool nodes(const Read& a, const Read& b, bool) const {
    return a.tensor == b.tensor && same(a.index, b.index) && alike(a.fill, b.fill);
  }
  bool nodes(const Select& a, const Select& b, bool) const {
    return alike(a.cond, b.cond) && alike(a.yes, b.yes) && alike(a.no, b.no);
  }
  bool nodes(const Reduce& a, const Reduce& b, bool differ) const {
    const bool of_order = a.op != Reducer::Sum && a.op != Reducer::Prod;
    if (a.op != b.op || (of_order && (differ || a.value->type != b.value->type))) return false;
    return equal_loops(a.vars, b.vars) && alike(a.where, b.where) && alike(a.value, b.value) && alike(a.start, b.start);
  }
  bool nodes(const Apply& a, const Apply& b, bool differ) const {
    if (a.op != b.op || !alike(a.args, b.args)) return false;
    const bool args_differ = !std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(),
                                         [](const Expr& x, const Expr& y) { return x->type == y->type; });
    // widening preserves the sign, and a conversion from a float saturates
    if (a.op == ScalarOp::Cast) return !args_differ && (!differ || is_integral(a.args[0]->type));
    return (!differ && !args_differ) || scalar_op_row(a.op).has('E');
  }

  const Kernel& a_;
  const Kernel& b_;
  const DType of_a_, of_b_;
};

/// The kernel that differs from `k` only in the type of this variable, which is the signed counterpart.
const LibraryKernel* twin_of(const LibraryOp& op, const LibraryKernel& k, const std::string& variable) {
  std::map<std::string, DType> types = k.types;
  DType& type = types[variable];
  if (is_unsigned_int(type)) type = signed_of(dtype_row(type).bits);
  if (types == k.types) return nullptr;
  return find_pointer(op.kernels, [&](const LibraryKernel& o) { return o.types == types && o.present == k.present; });
}

}  // namespace

void share_signs(LibraryOp& op) {
  for (const TypeVar& v : op.def->types)
    for (LibraryKernel& k : op.kernels) {
      const LibraryKernel* twin = twin_of(op, k, v.name);
      if (!twin || !SideBySide(twin->kernel, k.kernel, twin->types.at(v.name), k.types.at(v.name)).alike()) continue;
      k.kernel = twin->kernel;
      k.types = twin->types;
    }
}

}  // namespace tenon
