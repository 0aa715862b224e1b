// Names → sizes and attributes of a kernel; dense strides; lets and requirements under these values.
#include <fmt/format.h>

#include "algebra/known_values.h"
#include "algebra/simplify.h"
#include "command/fix_values.h"
#include "harness/library/library_signature.h"
#include "library/storage_order.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The value of an attribute's element in its compute type; null where the type does not have it.
Expr constant_in(const FixedNumber& n, DType type) {
  if (is_complex(type)) return nullptr;
  if (type == DType::F32) return constant_float(static_cast<float>(n.real), type);
  if (is_float(type)) return constant_float(n.real, type);
  if (!n.integer) return nullptr;
  const Expr exact = constant_int(*n.integer, type), nearest = constant_of(n.real, type);
  const bool wide = type == DType::I64 || type == DType::U64;
  return wide || as_constant(nearest)->i == *n.integer ? exact : nullptr;
}

/// The attribute that decides whether a rule of storage holds; null for a rule without or with another condition.
const AttrDef* storage_flag(const OpDef& def, const StorageRule& rule) {
  return rule.condition && rule.condition->is(SyntaxKind::name) ? def.attr(rule.condition->text) : nullptr;
}

class KernelFixer {
 public:
  KernelFixer(const LibraryOp& op, const LibraryKernel& k, const FixedNames& names) : op_(op), k_(k), names_(names) {}

  KernelValues run() {
    for (size_t i = 0; i < k_.kernel.sizes.size(); ++i)
      if (const auto v = size_value(k_.size_sources[i])) ask(size_ref(k_.kernel.sizes[i].name), constant_int(*v));
    for (const Attr& a : k_.kernel.attrs)
      if (!ask_attribute(a)) return {};
    if (out_.values.asked.empty() && !turns_storage()) return {};
    for (const TensorDef* t : tensors_of(*op_.def)) ask_dense(*t);
    compute_lets();
    check_facts();
    return std::move(out_);
  }

 private:
  void ask(const Expr& what, const Expr& value) { out_.values.asked.emplace_back(what, value); }

  Expr known(const Expr& e) const { return simplify(with_known(e, concat(out_.values.asked, out_.values.implied))); }

  const std::vector<FixedNumber>* given(const std::string& name) const {
    const auto at = names_.find(name);
    return at == names_.end() ? nullptr : &at->second.values;
  }

  /// Entry `dim` of a list that is padded in front to kMaxRank.
  static int64_t padded(const std::vector<FixedNumber>& list, int dim, int64_t in_front) {
    const int at = dim - (kMaxRank - static_cast<int>(list.size()));
    return at < 0 ? in_front : *list[static_cast<size_t>(at)].integer;
  }

  std::optional<int64_t> size_value(const SizeSource& source) const {
    if (const auto* symbol = std::get_if<FromSymbol>(&source))
      if (const auto* v = given(symbol->name)) return v->front().integer;
    if (const auto* list = std::get_if<FromPackAttr>(&source))
      if (const auto* v = given(list->attr)) return padded(*v, list->dim, signature_of(op_).neutral.at(list->attr));
    const auto* pack = std::get_if<FromPack>(&source);
    const auto* extents = pack ? given(pack->pack) : nullptr;
    if (!extents) return std::nullopt;
    if (pack->dim == kOuterDim) return 1;  // dense dimensions are merged into one
    if (pack->dim >= 0) return padded(*extents, pack->dim, 1);
    int64_t all = 1;
    for (const FixedNumber& n : *extents) all *= *n.integer;
    return all;
  }

  /// False where the kernel's type does not have a value.
  bool ask_attribute(const Attr& a) {
    const auto* values = given(a.name);
    if (!values || !op_.def->attr(a.name)) return true;
    for (int e = 0; e < a.count; ++e) {
      const Expr value = constant_in((*values)[static_cast<size_t>(e)], a.dtype);
      if (!value) return false;
      ask(attr_ref(a.name, a.dtype, e), value);
    }
    return true;
  }

  /// Whether a value given chooses the stored order of an input.
  bool turns_storage() const {
    const OpDef& def = *op_.def;
    return any_of(def.inputs, [&](const TensorDef& t) {
      return any_of(t.storage, [&](const StorageRule& rule) {
        const AttrDef* flag = storage_flag(def, rule);
        return flag && given(flag->name);
      });
    });
  }

  /// The order in which a tensor's dims are stored, outermost first; nothing where it is not known.
  std::optional<std::vector<int>> stored_order(const TensorDef& t) const {
    std::vector<int> order;
    for (size_t i = 0; i < t.dims.size(); ++i) order.push_back(static_cast<int>(i));
    for (const StorageRule& rule : t.storage) {
      if (!rule.condition) return order_of(t, rule);
      const AttrDef* flag = storage_flag(*op_.def, rule);
      if (!flag) return std::nullopt;
      const auto* v = given(flag->name);
      if (v ? v->front().real != 0 : flag->value && flag->value->integer != 0) return order_of(t, rule);
    }
    return order;
  }

  /// Dimensions of the kernel that an entry of a shape has.
  size_t kernel_dims_of(const Dim& d) const {
    const auto plan = op_.packs.find(d.name);
    if (d.kind == DimKind::pack && plan != op_.packs.end()) return static_cast<size_t>(kernel_dims(plan->second));
    return d.kind == DimKind::split ? d.parts.size() : 1;
  }

  bool is_plane(const Dim& d) const {
    const auto plan = op_.packs.find(d.name);
    return d.kind == DimKind::pack && plan != op_.packs.end() && plan->second == PackPlan::Plane;
  }

  /// Strides are dense, from the innermost dim out to one that calls may repeat. The stride of an extent of 1 does not
  /// matter.
  void ask_dense(const TensorDef& def) {
    const auto& tensors = k_.kernel.tensors;
    const auto t = find_if(tensors, [&](const Tensor& x) {
      return x.name == def.name && (x.role == Role::Input || x.role == Role::Output);
    });
    const auto order = stored_order(def);
    if (t == tensors.end() || !order || op_.permuted == def.name) return;
    std::vector<size_t> begin = {0};
    for (const Dim& d : def.dims) begin.push_back(begin.back() + kernel_dims_of(d));
    if (begin.back() != t->dims.size()) return;
    Expr step = constant_int(1);
    for (size_t i = order->size(); i-- > 0;) {
      const auto entry = static_cast<size_t>((*order)[i]);
      if (def.dims[entry].broadcast) return;
      for (size_t d = begin[entry + 1]; d-- > begin[entry];) {
        if (is_plane(def.dims[entry]) && d == begin[entry]) return;  // rows may start anywhere
        const Expr extent = known(t->dims[d]);
        if (is_told(t->strides[d]))
          (is_one(extent) ? out_.values.implied : out_.values.asked).emplace_back(t->strides[d], step);
        step = simplify(step * extent);
      }
    }
  }

  /// Whether each call gives the stride.
  bool is_told(const Expr& stride) const {
    const auto* s = std::get_if<SizeRef>(&stride->node);
    for (size_t i = 0; s && i < k_.kernel.sizes.size(); ++i)
      if (k_.kernel.sizes[i].name == s->name) return std::holds_alternative<FromStride>(k_.size_sources[i]);
    return false;
  }

  void compute_lets() {
    for (const auto& [let, computed] : k_.lets) {
      const auto value = constant_value(known(computed));
      if (!value) continue;
      const auto& asked = out_.values.asked;
      const auto same_size = [&, &let = let](const auto& a) { return same(a.first, let); };
      if (const auto at = find_if(asked, same_size); at == asked.end()) {
        out_.values.implied.emplace_back(let, constant_int(*value));
      } else if (constant_value(at->second) != value) {
        const std::string& name = std::get<SizeRef>(let->node).name;
        conflict(names_.at(name).binding, fmt::format("'{}' is {} where the other sizes are these", name, *value));
      }
    }
  }

  void check_facts() {
    for (const Expr& fact : k_.kernel.facts) {
      if (constant_value(known(fact)) != 0) continue;
      const FixBinding* at = nullptr;
      for (const auto& [name, fixed] : names_)
        walk(fact, [&, &name = name, &fixed = fixed](const Expr& e) {
          const auto* s = std::get_if<SizeRef>(&e->node);
          const auto* a = std::get_if<AttrRef>(&e->node);
          if ((s && s->name == name) || (a && a->name == name)) at = fixed.binding;
          return true;
        });
      conflict(at, fmt::format("'{}' requires {}", op_.def->name, to_text(fact)));
    }
  }

  void conflict(const FixBinding* at, std::string what) {
    if (!out_.conflict) out_.conflict = {at, std::move(what)};
  }

  const LibraryOp& op_;
  const LibraryKernel& k_;
  const FixedNames& names_;
  KernelValues out_;
};

}  // namespace

KernelValues kernel_values(const LibraryOp& op, const LibraryKernel& k, const FixedNames& names) {
  return KernelFixer(op, k, names).run();
}

bool depends_on(const LibraryOp& op, const LibraryKernel& k, const std::string& name) {
  const auto is_of = [&](const SizeSource& s) {
    const auto* symbol = std::get_if<FromSymbol>(&s);
    const auto* list = std::get_if<FromPackAttr>(&s);
    const auto* pack = std::get_if<FromPack>(&s);
    return (symbol && symbol->name == name) || (list && list->attr == name) || (pack && pack->pack == name);
  };
  const auto& attrs = k.kernel.attrs;
  return any_of(k.size_sources, is_of) || any_of(attrs, [&](const Attr& a) { return a.name == name; }) ||
         any_of(op.def->inputs, [&](const TensorDef& t) {
           return any_of(t.storage, [&](const StorageRule& rule) {
             const AttrDef* flag = storage_flag(*op.def, rule);
             return flag && flag->name == name;
           });
         });
}

}  // namespace tenon
