// One definition → one library kernel.
#include "library/expand_symbolic.h"

#include <fmt/format.h>

#include <set>

#include "algebra/contraction.h"
#include "algebra/linear.h"
#include "ir/kernel/library.h"
#include "ir/op/type_function.h"
#include "ir/op/undeclared_name.h"
#include "library/bind_steps.h"
#include "library/expand_body.h"
#include "library/expr_builder.h"
#include "library/pack_plan.h"
#include "library/storage_order.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class SymbolicExpander {
 public:
  SymbolicExpander(const OpLibrary& defs, const OpDef& def, const SymbolicCase& what, Diagnostics& diagnostics)
      : defs_(defs), def_(def), what_(what), diagnostics_(diagnostics) {}

  std::optional<LibraryKernel> run() {
    out_.types = out_.call_types = what_.types;
    out_.present = what_.present;
    kernel().op = def_.name;
    kernel().doc = def_.doc;
    kernel().reassociate = def_.numerics.reassociate_all.value_or(true);
    scope_.def = &def_;
    scope_.keeps_stops = what_.for_gradients;
    scope_.binding.types = what_.types;
    bind_attrs();
    for (const TensorDef& t : def_.inputs) bind_dims(t);
    bind_lets();
    for (const TensorDef& t : def_.outputs) bind_dims(t);
    for (size_t i = 0; i < def_.inputs.size(); ++i) add_tensor(def_.inputs[i], Role::Input, what_.present[i]);
    for (const TensorDef& t : def_.outputs) add_tensor(t, Role::Output, true);
    if (diagnostics_.has_errors()) return std::nullopt;
    add_facts();
    expand_body(defs_, scope_, kernel(), diagnostics_);
    if (diagnostics_.has_errors()) return std::nullopt;
    add_dense_matrices();
    keep_used(out_);
    return std::move(out_);
  }

 private:
  Kernel& kernel() { return out_.kernel; }

  Expr size(const std::string& name, SizeSource source, int64_t lo = 0) {
    if (known_.insert(name).second) {
      kernel().sizes.push_back({name, lo, INT64_MAX});
      out_.size_sources.push_back(std::move(source));
    }
    return size_ref(name);
  }

  static const std::string& name_of_size(const Expr& e) { return std::get<SizeRef>(e->node).name; }

  /// A size that the definition does not name, such as a stride: called `wish`, or like nothing else.
  Expr own_size(const std::string& wish, SizeSource source, int64_t lo = 0) {
    std::string name = undeclared_name(def_, wish);
    while (known_.contains(name)) name = undeclared_name(def_, name + "_");
    return size(name, std::move(source), lo);
  }

  /// A size, possibly plus a constant: proofs see through such lets.
  static bool is_near_a_size(const Expr& e) {
    if (e->type != DType::I64) return false;
    const LinearForm form = linear_form(e);
    return form.terms.size() == 1 && form.terms[0].second == 1 &&
           std::holds_alternative<SizeRef>(form.terms[0].first->node);
  }

  DType attr_dtype(const AttrDef& a) const {
    if (a.kind == AttrKind::boolean) return DType::Bool;
    if (a.kind == AttrKind::u64) return DType::U64;
    if (a.kind == AttrKind::dtype) return dtype_row(*dtype_from_name(a.type)).compute;
    if (a.kind == AttrKind::type_variable) return dtype_row(what_.types.at(a.type)).compute;
    if (a.kind == AttrKind::real) return real_dtype();
    return DType::I64;
  }

  /// Real attributes are passed as doubles; bodies that compute in f32 take them as f32 at once.
  DType real_dtype() const {
    bool narrow = false;
    for (const auto& [name, d] : what_.types) {
      const DType c = real_of(dtype_row(d).compute);
      if (c == DType::F64) return DType::F64;
      narrow = narrow || c == DType::F32;
    }
    return narrow ? DType::F32 : DType::F64;
  }

  /// How the struct of attributes holds a list.
  HeldList held_list(const AttrDef& a, bool flexible) const {
    HeldList out;
    out.attr = a.name;
    out.type = attr_dtype(a);
    out.flexible = flexible;
    if (a.kind == AttrKind::u64) out.held = DType::U64;
    else if (is_complex(out.type)) out.held = DType::C128;
    else if (is_float(out.type)) out.held = DType::F64;
    if (a.kind == AttrKind::type_variable && !is_complex(out.type)) out.stride = 2;  // tn_value
    return out;
  }

  void bind_attrs() {
    for (const AttrDef& a : def_.attrs) {
      BoundAttr b;
      b.list = a.count != AttrCount::one;
      const bool flexible = a.kind == AttrKind::integer || a.kind == AttrKind::real ||
                            a.kind == AttrKind::enumeration || a.kind == AttrKind::boolean;
      if (a.count == AttrCount::per_dim) {
        for (int k = 0; k < kMaxRank; ++k) {
          const Expr e = own_size(fmt::format("{}_{}", a.name, k), FromPackAttr{a.name, k}, INT64_MIN);
          const bool number = a.kind != AttrKind::boolean;
          b.elements.push_back({number ? e : apply(ScalarOp::Ne, {e, constant_int(0)}), number});
        }
      } else if (a.count == AttrCount::one && a.kind == AttrKind::integer) {
        b.elements.push_back({size(a.name, FromSymbol{a.name}, INT64_MIN), true});
      } else if (a.count == AttrCount::any) {
        b.held = held_list(a, flexible);
        b.held.count = own_size(a.name + "_count", FromSymbol{count_of(a.name)});
      } else {
        const int n = a.count == AttrCount::fixed ? a.length : 1;
        const DType d = attr_dtype(a);
        kernel().attrs.push_back({a.name, d, n, a.kind == AttrKind::integer});
        for (int k = 0; k < n; ++k) b.elements.push_back({attr_ref(a.name, d, k), flexible});
        if (b.list) {
          b.held = held_list(a, flexible);
          b.held.count = constant_int(n);
        }
      }
      scope_.binding.attrs[a.name] = std::move(b);
    }
  }

  std::vector<Expr> pack_extents(const std::string& pack) {
    const auto known = scope_.binding.packs.find(pack);
    if (known != scope_.binding.packs.end()) return known->second;
    const auto plan = what_.packs.find(pack);
    std::vector<Expr> extents;
    const bool fixed = plan != what_.packs.end() && tenon::kernel_dims(plan->second) == kMaxRank;
    if (fixed)
      for (int k = 0; k < kMaxRank; ++k) extents.push_back(own_size(fmt::format("{}_{}", pack, k), FromPack{pack, k}));
    else {
      if (plan != what_.packs.end() && plan->second == PackPlan::Plane)
        extents.push_back(own_size(pack + "_outer", FromPack{pack, kOuterDim}));
      extents.push_back(size(pack, FromPack{pack, -1}));
    }
    std::string rank;
    if (fixed || asks_for_rank(def_, pack)) {
      rank = name_of_size(own_size(pack + "_rank", FromPackRank{pack}));
      extent_of(rank).hi = kMaxRank;
      scope_.binding.pack_ranks[pack] = rank;
    }
    if (plan != what_.packs.end() && plan->second == PackPlan::Odometer)
      scope_.binding.pack_bases[pack] = name_of_size(own_size(pack + "_base", FromPackBase{pack}));
    for (const Expr& e : extents) scope_.any_rank[name_of_size(e)] = {pack, rank};
    return scope_.binding.packs[pack] = extents;
  }

  void bind_dim(const Dim& d) {
    if (d.kind == DimKind::pack) pack_extents(d.name);
    else if (d.kind == DimKind::split)
      for (const Dim& part : d.parts) bind_dim(part);
    else if (d.kind == DimKind::size && !scope_.binding.attrs.count(d.name) && !def_.let(d.name))
      scope_.binding.sizes.emplace(d.name, Typed{size(d.name, FromSymbol{d.name}), true});
  }

  void bind_dims(const TensorDef& t) {
    for (const Dim& d : t.dims) bind_dim(d);
  }

  void bind_lets() {
    ExprBuilder expr(defs_, scope_, kernel(), diagnostics_);
    for (const LetDef& l : def_.lets) {
      if (l.pack) {
        const auto plan = what_.packs.find(l.name);
        const bool ones = l.value.calls(Builtin::keep);  // whatever their number
        if (ones && (plan == what_.packs.end() || plan->second == PackPlan::Collapsed))
          scope_.binding.packs[l.name] = {constant_int(1)};
        else pack_extents(l.name);
        continue;
      }
      if (l.written && (what_.for_gradients || !defs_.frame_of(def_))) {
        scope_.binding.sizes[l.name] = {size_ref(l.name), true};
        continue;
      }
      const size_t checks = kernel().checks.size();
      const Typed t = expr.value(l.value);
      kernel().checks.resize(checks);  // the caller computes lets, with checks of its own
      if (is_float(t.e->type) && !is_extent(def_, l.name)) {
        kernel().attrs.push_back({l.name, real_dtype(), 1});
        scope_.binding.sizes[l.name] = {attr_ref(l.name, real_dtype()), true};
      } else {
        const Expr made = size(l.name, FromSymbol{l.name}, INT64_MIN);
        scope_.binding.sizes[l.name] = {made, true};
        out_.lets.emplace_back(made, t.e);
        if (is_near_a_size(t.e)) kernel().facts.push_back(apply(ScalarOp::Eq, {made, t.e}));
      }
    }
  }

  std::vector<Expr> entry_of(const Dim& d) {
    if (d.kind == DimKind::pack) return pack_extents(d.name);
    if (d.kind == DimKind::integer) return {constant_int(d.value)};
    std::vector<Expr> out;
    if (d.kind == DimKind::split) {
      for (const Dim& part : d.parts) append(out, entry_of(part));
      return out;
    }
    if (const auto s = scope_.binding.sizes.find(d.name); s != scope_.binding.sizes.end()) return {s->second.e};
    return {scope_.binding.attrs.at(d.name).elements[0].e};
  }

  static bool is_matrix_read(const Syntax& s) {
    return s.is(SyntaxKind::subscript) && s.children.size() > 1 &&
           all_of(s.children, [](const Syntax& i) { return i.is(SyntaxKind::name); });
  }

  /// A matrix in a sum of products of tensors. These have bodies for either memory order; a copy would take longer than
  /// a product with a vector.
  bool is_matrix_factor(const TensorDef& t) const {
    const auto is_size = [](const Dim& d) { return d.kind == DimKind::size; };
    const auto is_sum = [&](const Syntax& s) {
      if (!s.is(SyntaxKind::reduce) || s.text != "sum" || !s.reduced().is(SyntaxKind::binary)) return false;
      bool found = false;
      const Syntax* e = &s.reduced();
      for (; e->is(SyntaxKind::binary) && e->text == "*"; e = &e->children[0]) {
        if (!e->children[1].is(SyntaxKind::subscript)) return false;
        found = found || (is_matrix_read(e->children[1]) && e->children[1].text == t.name);
      }
      return e->is(SyntaxKind::subscript) && (found || (is_matrix_read(*e) && e->text == t.name));
    };
    return all_of(t.dims, is_size) &&
           any_of(def_.body, [&](const Statement& s) { return !s.is_call && any_within(s.value, is_sum); });
  }

  /// A C template reads contiguous memory; what has another layout is copied for it.
  bool passes_strides(const TensorDef& t) const {
    if (defs_.frame_of(def_)) return false;
    if (!t.storage.empty() || is_matrix_factor(t)) return true;
    return any_of(t.dims, [&](const Dim& d) {
      if (d.broadcast) return true;
      const auto p = what_.packs.find(d.name);
      return d.kind == DimKind::pack && p != what_.packs.end() && p->second != PackPlan::Collapsed;
    });
  }

  bool is_plane(const TensorDef& t) const {
    const auto p = t.dims.size() == 1 ? what_.packs.find(t.dims[0].name) : what_.packs.end();
    return p != what_.packs.end() && p->second == PackPlan::Plane;
  }

  DType dtype_of(const TensorDef& t) const { return *dtype_of_word(t.dtype, what_.types); }

  void add_tensor(const TensorDef& def, Role role, bool present) {
    BoundTensor& b = scope_.tensors[def.name];
    Tensor t{def.name, role, dtype_of(def), {}, {}};
    for (const Dim& d : def.dims) {
      b.entries.push_back(entry_of(d));
      append(t.dims, b.entries.back());
    }
    for (const Expr& e : t.dims)
      if (const auto* z = std::get_if<SizeRef>(&e->node); z && known_.count(z->name)) extent_of(z->name).lo = 0;
    if (!present) return;
    b.tensor = static_cast<int>(kernel().tensors.size());
    if (role == Role::Input && passes_strides(def))
      for (size_t k = 0; k < t.dims.size(); ++k)
        t.strides.push_back(
            own_size(fmt::format("{}_s{}", def.name, k), FromStride{b.tensor, static_cast<int>(k)}, INT64_MIN));
    else if (role == Role::Input && repeats_stand_in(def_, def)) t.strides = steps_of_channels(def, t.dims, b.tensor);
    else if (role == Role::Output && is_plane(def))
      t.strides = {own_size(def.name + "_s0", FromStride{b.tensor, 0}, INT64_MIN), constant_int(1)};
    else t.strides = role == Role::Output && !def.storage.empty() ? stored_strides(def, b) : contiguous_strides(t.dims);
    t.repeats = any_of(def.dims, [](const Dim& d) { return d.broadcast; });
    kernel().tensors.push_back(std::move(t));
  }

  /// One dimension that is split: a step from one channel to the next, 0 where one number is there for all of them.
  std::vector<Expr> steps_of_channels(const TensorDef& def, const std::vector<Expr>& dims, int tensor) {
    const int last = static_cast<int>(dims.size()) - 1;
    const Expr step = own_size(fmt::format("{}_s{}", def.name, last), FromStride{tensor, last}, INT64_MIN);
    std::vector<Expr> strides = contiguous_strides(dims);
    for (Expr& s : strides) s = s * step;
    return strides;
  }

  Size& extent_of(const std::string& name) {
    return *find_if(kernel().sizes, [&](const Size& z) { return z.name == name; });
  }

  /// An output's stored order is known only without a condition.
  std::vector<Expr> stored_strides(const TensorDef& def, const BoundTensor& b) const {
    const std::vector<int> order = def.storage[0].condition ? std::vector<int>{} : order_of(def, def.storage[0]);
    if (order.empty()) return contiguous_strides(kernel_dims(b));
    std::vector<Expr> stored;
    for (int i : order) append(stored, b.entries[static_cast<size_t>(i)]);
    const std::vector<Expr> s = contiguous_strides(stored);
    std::vector<std::vector<Expr>> by_entry(b.entries.size());
    size_t at = 0;
    for (int i : order)
      for (size_t k = 0; k < b.entries[static_cast<size_t>(i)].size(); ++k)
        by_entry[static_cast<size_t>(i)].push_back(s[at++]);
    std::vector<Expr> out;
    for (auto& e : by_entry) append(out, e);
    return out;
  }

  static std::vector<Expr> kernel_dims(const BoundTensor& b) {
    std::vector<Expr> out;
    for (const auto& e : b.entries) append(out, e);
    return out;
  }

  void add_facts() {
    ExprBuilder expr(defs_, scope_, kernel(), diagnostics_);
    const size_t checks = kernel().checks.size();
    for (const Syntax& r : def_.requires_)
      for (Expr& fact : expr.conditions(r)) kernel().facts.push_back(std::move(fact));
    kernel().checks.resize(checks);
  }

  /// The matrices of a product are read in place if one of their dims is dense. Others are copied, because every vector
  /// would have to be gathered element by element.
  void add_dense_matrices() {
    const auto c = find_contraction(kernel());
    if (!c) return;
    for (const Expr& side : {c->left, c->right}) {
      const Read* r = plain_read(side);
      const Tensor* t = r ? &kernel().tensor(r->tensor) : nullptr;
      if (!t || t->role != Role::Input || t->dims.size() < 2) continue;
      if (std::all_of(t->strides.end() - 2, t->strides.end(), [&](const Expr& s) { return is_stride(s); }))
        kernel().facts.push_back(has_dense_dim(*t));
    }
  }

  bool is_stride(const Expr& e) const {
    const auto* s = std::get_if<SizeRef>(&e->node);
    const std::vector<Size>& sizes = out_.kernel.sizes;
    for (size_t i = 0; s && i < sizes.size(); ++i)
      if (sizes[i].name == s->name) return std::holds_alternative<FromStride>(out_.size_sources[i]);
    return false;
  }

  const OpLibrary& defs_;
  const OpDef& def_;
  const SymbolicCase& what_;
  Diagnostics& diagnostics_;
  LibraryKernel out_;
  Scope scope_;
  std::set<std::string> known_;
};

}  // namespace

std::optional<LibraryKernel> expand_symbolic(const OpLibrary& defs, const OpDef& def, const SymbolicCase& what,
                                             Diagnostics& diagnostics) {
  return SymbolicExpander(defs, def, what, diagnostics).run();
}

}  // namespace tenon
