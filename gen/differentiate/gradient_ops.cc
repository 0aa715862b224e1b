// Ops of a library → the ops that compute their gradients.
#include "differentiate/gradient_ops.h"

#include <fmt/format.h>

#include <set>

#include "algebra/fresh_names.h"
#include "differentiate/gradient_kernel.h"
#include "ir/kernel/library.h"
#include "ir/op/undeclared_name.h"
#include "support/check.h"
#include "support/parallel.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Whether tensors of the declaration can be floating.
bool may_float(const OpDef& def, const TensorDef& t) {
  const TypeVar* v = def.type(t.dtype);
  if (!v) {
    const auto d = dtype_from_name(t.dtype);
    return d && is_float(*d);
  }
  return any_of(all_dtypes(), [&](const DTypeRow& r) {
    return is_float(r.dtype) &&
           any_of(v->classes, [&](const Word& c) { return in_type_class(r.dtype, c.text) || c.text == r.name; });
  });
}

/// Whether the outputs are those of a variadic one.
bool is_variadic(const OpDef& def) {
  return any_of(def.outputs, [](const TensorDef& t) { return t.optional; });
}

/// The gradient of an output. Its extents that depend on data are outputs of its own.
TensorDef cotangent_def(const OpDef& f, const TensorDef& output) {
  TensorDef t = output;
  t.name = "d" + output.name;
  t.follows = true;
  for (Dim& d : t.dims)
    if (const LetDef* l = f.let(d.name); l && l->written) d.name += "_of_" + t.name;
  return t;
}

/// The definition of f_grad. It has no body: its kernels are derived.
std::shared_ptr<OpDef> gradient_def(const OpDef& f) {
  auto def = std::make_shared<OpDef>(f);
  def->name = gradient_name(f.name);
  def->doc = fmt::format("gradient of {} with respect to its inputs", f.name);
  def->inputs.clear();
  def->outputs.clear();
  def->body.clear();
  def->tests.clear();
  def->impl.clear();
  std::erase_if(def->lets, [](const LetDef& l) { return l.written; });
  for (const TensorDef& t : f.outputs)
    if (may_float(f, t)) def->inputs.push_back(cotangent_def(f, t));
  def->inputs.insert(is_variadic(f) ? def->inputs.begin() : def->inputs.end(), f.inputs.begin(), f.inputs.end());
  for (const TensorDef& t : f.inputs) {
    if (!may_float(f, t)) continue;
    def->outputs.push_back(t);
    def->outputs.back().name = "d" + t.name;
    def->outputs.back().like = t.name;
    def->outputs.back().optional = true;
  }
  return def;
}

/// One kernel of f → those of f_grad.
class KernelDeriver {
 public:
  KernelDeriver(const LibraryOp& f, const OpDef& gradient, const DerivativeTable& rows)
      : f_(f), gradient_(gradient), rows_(rows) {}

  std::string why;

  /// The kernel that computes these outputs. Nothing, and `why`, where it cannot be derived.
  std::optional<LibraryKernel> run(const LibraryKernel& forward, const std::vector<int>& outputs) {
    out_ = forward;
    kernel().op = gradient_.name;
    kernel().doc = gradient_.doc;
    kernel().name = gradient_kernel_name(forward.kernel, outputs);
    request_ = {};
    for (const TensorDef& t : gradient_.inputs)
      if (t.follows) add_cotangent(t);
    for (const int o : outputs) add_result(gradient_.outputs[static_cast<size_t>(o)]);
    GradientKernel derived = gradient_kernel(kernel(), request_, rows_);
    why = derived.why;
    if (!derived.kernel) return std::nullopt;
    const std::vector<Tensor> before = std::move(kernel().tensors);
    kernel() = std::move(*derived.kernel);
    keep_used(out_);
    renumber_sources(before);
    if (outputs.size() > 1) add_given();
    out_.computes = outputs;
    out_.present.clear();
    return std::move(out_);
  }

  std::string gradient_kernel_name(const Kernel& forward, const std::vector<int>& outputs) const {
    std::string out = gradient_.name + forward.name.substr(f_.def->name.size());
    for (const int o : outputs) out += "_" + gradient_.outputs[static_cast<size_t>(o)].name;
    return out;
  }

 private:
  Kernel& kernel() { return out_.kernel; }

  int position(const std::string& tensor) const {
    const auto& all = out_.kernel.tensors;
    const auto at = find_if(all, [&](const Tensor& t) { return t.name == tensor && t.role != Role::Temp; });
    TENON_CHECK(at != all.end(), "{} has no {}", out_.kernel.name, tensor);
    return static_cast<int>(at - all.begin());
  }

  Expr size(const std::string& name, const SizeSource& source, int64_t lo) {
    kernel().sizes.push_back({name, lo, INT64_MAX});
    out_.size_sources.push_back(source);
    return size_ref(name);
  }

  /// A size that the definition does not name: like nothing else is.
  Expr own_size(const std::string& wish, const SizeSource& source, int64_t lo) {
    return size(FreshNames(kernel())(undeclared_name(gradient_, wish)), source, lo);
  }

  /// For each dimension of the tensor as kernels see it: the dim that declares it.
  std::vector<const Dim*> dims_of(const TensorDef& t) const {
    std::vector<const Dim*> out;
    for (const Dim& d : t.dims) {
      const auto plan = f_.packs.find(f_.permuted.empty() ? d.name : f_.permuted);
      const int of_pack = d.kind == DimKind::pack && plan != f_.packs.end() ? kernel_dims(plan->second) : 1;
      const size_t n = d.kind == DimKind::split ? d.parts.size() : static_cast<size_t>(of_pack);
      out.insert(out.end(), n, &d);
    }
    return out;
  }

  bool takes_strides(const TensorDef& t) const {
    return !t.storage.empty() || any_of(t.dims, [&](const Dim& d) {
      const auto p = f_.packs.find(d.name);
      return d.kind == DimKind::pack && p != f_.packs.end() && p->second != PackPlan::Collapsed;
    });
  }

  std::vector<Expr> strides(const Tensor& t, int tensor) {
    std::vector<Expr> out;
    for (size_t d = 0; d < t.dims.size(); ++d)
      out.push_back(own_size(fmt::format("{}_s{}", t.name, d), FromStride{tensor, static_cast<int>(d)}, INT64_MIN));
    return out;
  }

  void add(Tensor t) {  // a value of the body that has its name gets another one
    for (Tensor& own : kernel().tensors)
      if (own.name == t.name) own.name = FreshNames(kernel())(t.name);
    kernel().tensors.push_back(std::move(t));
  }

  void add_cotangent(const TensorDef& def) {
    const int output = position(def.name.substr(1)), at = static_cast<int>(kernel().tensors.size());
    Tensor t = kernel().tensor(output);
    t.name = def.name;
    t.role = Role::Input;
    t.extent.clear();
    found_extents(def, t);
    t.strides = takes_strides(def) ? strides(t, at) : contiguous_strides(t.dims);
    add(std::move(t));
    request_.cotangents.emplace_back(output, at);
  }

  /// A gradient may have as much space as its output: elements beyond the extent that the kernel finds are not read.
  void found_extents(const TensorDef& def, Tensor& t) {
    for (Expr& e : t.dims)
      for (const FoundSize& f : out_.kernel.found) {
        if (!same(e, size_ref(f.name))) continue;
        const std::string own = fmt::format("{}_of_{}", f.name, def.name);
        const bool known = any_of(kernel().sizes, [&](const Size& z) { return z.name == own; });
        const Expr given = known ? size_ref(own) : size(own, FromSymbol{own}, 0);
        if (!known)
          kernel().checks.push_back(
              {{}, apply(ScalarOp::Le, {e, given}), CheckStatus::Shape, fmt::format("{} <= {}", f.name, own)});
        e = given;
        break;
      }
  }

  void add_result(const TensorDef& def) {
    const int at = static_cast<int>(kernel().tensors.size());
    WantedGradient wanted{position(def.like), at, {}};
    Tensor t = kernel().tensor(wanted.wrt);
    t.name = def.name;
    t.role = Role::Output;
    wanted.repeats.assign(t.dims.size(), nullptr);
    const std::vector<const Dim*> dims = dims_of(def);
    TENON_CHECK(dims.size() == t.dims.size(), "{}: dims of {}", kernel().name, def.name);
    for (size_t d = 0; d < dims.size(); ++d) {
      if (!dims[d]->broadcast) continue;
      const int k = static_cast<int>(d);
      t.dims[d] = own_size(fmt::format("{}_n{}", def.name, d), FromExtent{at, k}, 0);
      wanted.repeats[d] = own_size(fmt::format("{}_r{}", def.name, d), FromRepeats{at, k}, 0);
      const auto is_one = [](const Expr& e) { return apply(ScalarOp::Eq, {e, constant_int(1)}); };
      kernel().facts.push_back(apply(ScalarOp::Or, {is_one(t.dims[d]), is_one(wanted.repeats[d])}));
    }
    t.strides = def.storage.empty() && f_.permuted.empty() ? contiguous_strides(t.dims) : strides(t, at);
    request_.wanted.push_back(std::move(wanted));
    add(std::move(t));
  }

  /// For each output, whether the call asks for it.
  void add_given() {
    for (size_t t = 0; t < kernel().tensors.size(); ++t) {
      Tensor& output = kernel().tensors[t];
      if (output.role != Role::Output) continue;
      output.given = std::get<SizeRef>(own_size(output.name + "_given", FromGiven{static_cast<int>(t)}, 0)->node).name;
      kernel().sizes.back().hi = 1;
    }
  }

  void renumber_sources(const std::vector<Tensor>& before) {
    for (SizeSource& s : out_.size_sources)
      std::visit(
          [&](auto& from) {
            if constexpr (requires { from.tensor; })
              from.tensor = position(before[static_cast<size_t>(from.tensor)].name);
          },
          s);
  }

  const LibraryOp& f_;
  const OpDef& gradient_;
  const DerivativeTable& rows_;
  LibraryKernel out_;
  GradientRequest request_;
};

DType dtype_in(const LibraryKernel& k, const TensorDef& t) {
  const auto v = k.call_types.find(t.dtype);
  return v != k.call_types.end() ? v->second : *dtype_from_name(t.dtype);
}

/// Whether the gradient is floating-point in this call and its tensor is given.
bool is_computed(const LibraryKernel& k, const OpDef& f, const OpDef& gradient, size_t output) {
  for (const TensorDef& t : gradient.inputs)
    if (t.follows && !is_float(dtype_in(k, t))) return false;
  const std::string& input = gradient.outputs[output].like;
  for (size_t i = 0; i < f.inputs.size(); ++i)
    if (f.inputs[i].name == input) return k.present[i] && is_float(dtype_in(k, f.inputs[i]));
  return false;
}

/// Which inputs of the gradient are given, where those of `f` are that `present` says: all gradients of outputs, or the
/// first ones of a variadic output.
std::vector<std::vector<bool>> presences(const OpDef& gradient, const std::vector<bool>& present) {
  const auto is_gradient = [](const TensorDef& t) { return t.follows; };
  const auto all = static_cast<size_t>(count_if(gradient.inputs, is_gradient));
  const bool last = is_gradient(gradient.inputs.back());
  std::vector<std::vector<bool>> out;
  for (size_t n = last ? 1 : all; n <= all; ++n) {
    std::vector<bool> given(all, false);
    std::fill_n(given.begin(), n, true);
    given.insert(last ? given.begin() : given.end(), present.begin(), present.end());
    out.push_back(std::move(given));
  }
  return out;
}

/// Gradients of an op's kernels, each derived once.
class KernelGradients {
 public:
  KernelGradients(const LibraryOp& f, const OpDef& gradient, const DerivativeTable& rows)
      : gradient_(gradient), deriver_(f, gradient, rows) {}

  std::string why() const { return deriver_.why; }

  /// Nothing, and `why`, where it cannot be derived.
  const LibraryKernel* of(const LibraryKernel& forward, const std::vector<int>& outputs) {
    const std::string name = deriver_.gradient_kernel_name(forward.kernel, outputs);
    if (const LibraryKernel* known = find_value(made_, name)) return known;
    auto derived = deriver_.run(forward, outputs);
    return derived ? &made_.emplace(name, std::move(*derived)).first->second : nullptr;
  }

  /// Outputs that one kernel computes, for each such kernel.
  std::vector<std::vector<int>> groups(const LibraryKernel& forward, const std::vector<int>& outputs) {
    std::vector<std::vector<int>> out;
    for (const int o : outputs) {
      std::vector<int> group{o};
      for (size_t g = out.size(); g-- > 0;)
        if (any_of(out[g], [&](int other) { return shares(forward, other, o); })) {
          group.insert(group.begin(), out[g].begin(), out[g].end());
          out.erase(out.begin() + static_cast<std::ptrdiff_t>(g));
        }
      sort(group);
      out.push_back(std::move(group));
    }
    return out;
  }

 private:
  static int reductions(const LibraryKernel& k) {
    int n = 0;
    const auto count = [&](const Kernel& part) {
      for (const KernelStatement& s : part.body) {
        each_node<Reduce>(s.value, [&](const Reduce&) { ++n; });
        n += s.update != Update::Assign || is_in_recurrence(s);
      }
    };
    count(k.kernel);
    for (const Kernel& part : k.kernel.parts) count(part);
    return n;
  }

  /// Whether one kernel for both saves at least half of the reductions of one of them. Bodies for repeated operands are
  /// not multiplied by those of other outputs.
  bool shares(const LibraryKernel& forward, int a, int b) {
    if (may_repeat(a) || may_repeat(b)) return false;
    const LibraryKernel *first = of(forward, {a}), *second = of(forward, {b}), *both = of(forward, {a, b});
    if (!first || !second || !both) return false;
    const int one = reductions(*first), other = reductions(*second);
    const int shared = one + other - reductions(*both);
    return shared > 0 && 2 * shared >= std::min(one, other);
  }

  bool may_repeat(int output) const {
    return any_of(gradient_.outputs[static_cast<size_t>(output)].dims, [](const Dim& d) { return d.broadcast; });
  }

  const OpDef& gradient_;
  KernelDeriver deriver_;
  std::map<std::string, LibraryKernel> made_;
};

std::string derive(const LibraryOp& f, const DerivativeTable& rows, LibraryOp& out) {
  const auto def = gradient_def(*f.def);
  out = f;
  out.kernels.clear();
  out.unrolled = def;
  out.def = def.get();
  out.stand_ins.insert(is_variadic(*f.def) ? out.stand_ins.end() : out.stand_ins.begin(),
                       def->inputs.size() - f.def->inputs.size(), {});
  KernelGradients gradients(f, *def, rows);
  for (const LibraryKernel& k : f.kernels) {
    std::vector<int> outputs;
    for (size_t o = 0; o < def->outputs.size(); ++o)
      if (is_computed(k, *f.def, *def, o)) outputs.push_back(static_cast<int>(o));
    for (const std::vector<int>& group : gradients.groups(k, outputs)) {
      const LibraryKernel* derived = gradients.of(k, group);
      if (!derived) return gradients.why();
      for (std::vector<bool>& given : presences(*def, k.present)) {
        LibraryKernel mine = *derived;
        mine.name = mine.kernel.name;
        mine.call_types = k.call_types;
        mine.present = std::move(given);
        out.kernels.push_back(std::move(mine));
      }
    }
  }
  return out.kernels.empty() ? "none of the types chosen is floating" : "";
}

}  // namespace

std::string gradient_name(const std::string& op) { return op + "_grad"; }

std::string without_gradient(const OpDef& def) {
  const auto floats = [&](const TensorDef& t) { return may_float(def, t); };
  if (def.grad == GradKind::none) return "its definition says 'grad: none'";
  if (none_of(def.outputs, floats)) return "it has no floating output";
  if (none_of(def.inputs, floats)) return "it has no floating input";
  return "";
}

std::string no_gradient(const OpDef& def) {
  if (const std::string why = without_gradient(def); !why.empty()) return why;
  if (!def.impl.empty() && def.body.empty()) return "it is written as a C template";
  std::set<std::string> names;
  for (const TensorDef& t : def.inputs) names.insert(t.name);
  for (const TensorDef& t : def.outputs)
    if (names.contains("d" + t.name)) return fmt::format("it has an input 'd{}' already", t.name);
  return "";
}

GradientOps gradient_ops(const Library& forward, const OpLibrary& defs) {
  const DerivativeTable rows(defs);
  struct Derived {
    LibraryOp op;
    std::string why;
  };
  std::vector<Derived> derived(forward.ops.size());
  for_each_index(forward.ops.size(), [&](size_t i) {
    const LibraryOp& f = forward.ops[i];
    derived[i].why = no_gradient(*f.def);
    if (derived[i].why.empty()) derived[i].why = derive(f, rows, derived[i].op);
  });
  GradientOps out;
  for (size_t i = 0; i < derived.size(); ++i)
    if (derived[i].why.empty()) out.library.ops.push_back(std::move(derived[i].op));
    else out.why[forward.ops[i].def->name] = derived[i].why;
  sort(out.library.ops, [](const LibraryOp& a, const LibraryOp& b) { return a.def->name < b.def->name; });
  return out;
}

}  // namespace tenon
