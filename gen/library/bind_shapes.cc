// Shapes, types and attributes that are known at generation → the binding of a definition.
#include "library/bind_shapes.h"

#include <fmt/format.h>

#include "algebra/overflow.h"
#include "algebra/simplify.h"
#include "ir/kernel/library.h"
#include "ir/op/type_function.h"
#include "library/bind_steps.h"
#include "library/expr_builder.h"
#include "library/shape_binder.h"
#include "library/storage_order.h"
#include "library/table_data.h"
#include "library/type_rules.h"
#include "library/unroll_variadic.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Binds everything except the body: the steps that graphs and composites share.
class CallBinder {
 public:
  /// Used for calls of the op of `scope`.
  CallBinder(const OpLibrary& library, Scope& scope, Kernel& kernel, Diagnostics& diagnostics, const SourceSpan& place)
      : def_(*scope.def),
        library_(library),
        scope_(scope),
        kernel_(kernel),
        diagnostics_(diagnostics),
        place_(place),
        expr_(library, scope, kernel, diagnostics),
        shapes_(*scope.def, scope.binding, [this](const std::string& name) { return let_before_inputs(name); }) {}

  /// Inputs that are not given have to be optional.
  bool bind(const std::vector<GivenTensor>& inputs, const std::map<std::string, BoundAttr>& attrs) {
    return take_inputs(inputs) && bind_shapes(attrs);
  }

  const std::vector<WrittenExtent>& extents() const { return extents_; }
  const std::vector<std::pair<Expr, Expr>>& taken_as_equal() const { return shapes_.taken_as_equal(); }
  /// Requirements of numbers that only a call of the kernel knows, and that sizes cannot be brought together for.
  const std::vector<std::pair<const Syntax*, Expr>>& left_to_calls() const { return left_to_calls_; }
  bool has_input(size_t i) const { return dims_[i].has_value(); }
  TensorLayout input_layout(size_t i) const { return shapes_.layout(def_.inputs[i], *dims_[i], orders_[i]); }
  std::vector<Expr> output_dims(size_t i) const { return shapes_.stored_dims(def_.outputs[i], out_orders_[i]); }
  TensorLayout output_layout(size_t i, const std::vector<Expr>& dims) const {
    return shapes_.layout(def_.outputs[i], dims, out_orders_[i]);
  }

  std::optional<DType> output_type(size_t i) {
    const TensorDef& t = def_.outputs[i];
    const auto type = dtype_of_word(t.dtype, scope_.binding.types);
    if (!type) fail(Code::E0606, fmt::format("nothing determines the type {} of {}", t.dtype, t.name));
    return type;
  }

  /// The product of two negative extents would be a positive stored extent.
  bool parts_exist(const TensorDef& t, const TensorLayout& l) {
    for (size_t d = 0; d < t.dims.size(); ++d)
      for (const Expr& part : l.entries[d])
        if (t.dims[d].kind == DimKind::split && constant_value(part).value_or(0) < 0)
          return fail(Code::E0603, fmt::format("a part of dimension {} of {} would have the extent {}", d, t.name,
                                               *constant_value(part)));
    return true;
  }

  bool fail(Code code, std::string message, std::vector<std::string> notes = {}) {
    diagnostics_.error(code, place_, fmt::format("{}: {}", def_.name, message), std::move(notes));
    return false;
  }

 private:
  bool take_inputs(const std::vector<GivenTensor>& given) {
    std::vector<std::optional<DType>> dtypes(def_.inputs.size());
    dims_.resize(def_.inputs.size());
    for (size_t i = 0; i < def_.inputs.size(); ++i) {
      const bool present = i < given.size() && given[i].present;
      if (!present && !def_.inputs[i].optional)
        return fail(Code::E0605, fmt::format("input {} is missing", def_.inputs[i].name));
      if (!present) continue;
      dtypes[i] = given[i].dtype;
      dims_[i] = given[i].dims;
    }
    const auto why = bind_types(def_, dtypes, scope_.binding);
    return !why || fail(Code::E0606, *why);
  }

  bool bind_shapes(const std::map<std::string, BoundAttr>& attrs) {
    if (!bind_attrs(attrs)) return false;
    for (const TensorDef& t : def_.inputs) orders_.push_back(storage_order(t, expr_));
    for (const TensorDef& t : def_.outputs) out_orders_.push_back(storage_order(t, expr_));
    if (const auto why = shapes_.bind_inputs(dims_, orders_)) return fail(Code::E0603, *why);
    follow_ranks();
    if (const auto wrong = misfit_of_packs(library_, scope_, dims_, shapes_.taken_as_equal()))
      return fail(Code::E0429, wrong->why,
                  wrong->advice.empty() ? std::vector<std::string>() : std::vector{wrong->advice});
    if (!one_per_dim(attrs)) return false;
    bind_lets();
    if (diagnostics_.has_errors()) return false;
    if (const auto why = shapes_.check_inputs(dims_, orders_)) return fail(Code::E0603, *why);
    return requirements();
  }

  bool bind_attrs(const std::map<std::string, BoundAttr>& given) {
    for (const auto& [name, value] : given)
      if (def_.let(name) && def_.let(name)->written) named_[name] = value.elements[0].e;
      else if (!def_.attr(name)) return fail(Code::E0425, fmt::format("there is no attribute '{}'", name));
    for (const AttrDef& a : def_.attrs) {
      const auto g = given.find(a.name);
      if (g == given.end() && a.required())
        return fail(Code::E0425, fmt::format("attribute '{}' has no default and is not given", a.name));
      BoundAttr b = g != given.end() ? g->second : default_of(a);
      if (a.count == AttrCount::fixed && b.elements.size() == 1)
        b.elements.assign(static_cast<size_t>(a.length), b.elements[0]);
      if (a.count == AttrCount::fixed && b.elements.size() != static_cast<size_t>(a.length))
        return fail(Code::E0425,
                    fmt::format("'{}' takes {} values, {} are given", a.name, a.length, b.elements.size()));
      b.list = a.count != AttrCount::one;
      for (Typed& t : b.elements) t = typed(a, t);
      if (!b.held.attr.empty()) {  // a list of the op that calls this one
        const Typed one = typed(a, {var_ref(a.name), true});
        b.held.type = a.kind == AttrKind::real ? b.held.type : one.e->type;
        b.held.flexible = one.flexible;
      }
      scope_.binding.attrs[a.name] = std::move(b);
    }
    return true;
  }

  /// A pack that is a whole one of the library's op, dimension by dimension, has its rank.
  void follow_ranks() {
    for (const auto& [name, extents] : scope_.binding.packs) {
      OpenPack from;
      const auto of_one = [&](const Expr& e) {
        const auto* size = std::get_if<SizeRef>(&e->node);
        const auto open = size ? scope_.any_rank.find(size->name) : scope_.any_rank.end();
        if (open != scope_.any_rank.end() && from.pack.empty()) from = open->second;
        return open != scope_.any_rank.end() && open->second.pack == from.pack;
      };
      if (extents.size() == static_cast<size_t>(kMaxRank) && all_of(extents, of_one))
        scope_.binding.pack_ranks[name] = from.rank;
    }
  }

  /// Lists of one value per dimension: a scalar default is repeated.
  bool one_per_dim(const std::map<std::string, BoundAttr>& given) {
    for (const AttrDef& a : def_.attrs) {
      const auto pack = scope_.binding.packs.find(a.pack);
      if (a.count != AttrCount::per_dim || pack == scope_.binding.packs.end()) continue;
      std::vector<Typed>& elements = scope_.binding.attrs[a.name].elements;
      if (!given.count(a.name) && elements.size() == 1) elements.assign(pack->second.size(), Typed(elements[0]));
      if (elements.size() != pack->second.size())
        return fail(Code::E0425, fmt::format("'{}' takes a value for each dimension of {}, {}, not {}", a.name, a.pack,
                                             pack->second.size(), elements.size()));
    }
    return true;
  }

  BoundAttr default_of(const AttrDef& a) {
    BoundAttr b;
    if (a.value->kind == SyntaxKind::list)
      for (const Syntax& e : a.value->children) b.elements.push_back(expr_.value(e));
    else b.elements.push_back(expr_.value(*a.value));
    return b;
  }

  /// T attributes have the compute type of T; int, float and enum ones stay flexible.
  Typed typed(const AttrDef& a, const Typed& t) const {
    switch (a.kind) {
      case AttrKind::boolean: return {convert(t, DType::Bool), true};
      case AttrKind::u64: return {convert(t, DType::U64), false};
      case AttrKind::real:  // that of the op that makes the call is computed with as there
        return {std::holds_alternative<AttrRef>(t.e->node) && is_float(t.e->type) ? t.e : convert(t, DType::F64), true};
      case AttrKind::integer:
      case AttrKind::enumeration: return {convert(t, DType::I64), true};
      case AttrKind::dtype: {
        const auto d = dtype_from_name(a.type);
        return {convert(t, dtype_row(*d).compute), false};
      }
      case AttrKind::type_variable: {
        const auto d = scope_.binding.types.find(a.type);
        return d == scope_.binding.types.end() ? t : Typed{convert(t, dtype_row(d->second).compute), false};
      }
    }
    return t;
  }

  /// Whether this is a size or pack of the inputs that is not yet bound.
  bool is_open(const std::string& name) const {
    if (scope_.binding.attrs.count(name) || scope_.binding.sizes.count(name) || scope_.binding.packs.count(name))
      return false;
    const auto named = [&](const Dim& d) { return d.name == name; };
    const auto has = [&](const Dim& d) { return any_of(d.parts, named) || (named(d) && d.kind != DimKind::split); };
    return any_of(def_.inputs, [&](const TensorDef& t) { return any_of(t.dims, has); });
  }

  bool is_bound(const Syntax& s) {
    if (s.is(SyntaxKind::name) && def_.let(s.text) ? !let_before_inputs(s.text) : is_open(s.text)) return false;
    return all_of(s.children, [&](const Syntax& child) { return is_bound(child); });
  }

  /// A let that a split dim is divided by, as far as it is known while the inputs are being bound; bind_lets()
  /// computes it again.
  std::optional<Expr> let_before_inputs(const std::string& name) {
    const LetDef* l = def_.let(name);
    if (!l || l->pack || l->written || !is_bound(l->value)) return std::nullopt;
    const Typed t = of_let(*l);
    scope_.binding.sizes[name] = {fitting(*l, t.e), t.flexible};
    return scope_.binding.sizes[name].e;
  }

  Typed of_let(const LetDef& l) {
    Typed t = expr_.value(l.value);
    if (is_float(t.e->type) && is_extent(def_, l.name)) t.e = cast_to(t.e, DType::I64);
    return t;
  }

  void bind_lets() {
    for (const LetDef& l : def_.lets) {
      if (l.pack) {
        std::vector<Expr>& extents = scope_.binding.packs[l.name] = expr_.list(l.value, 1);
        for (Expr& e : extents) e = fitting(l, e);
        if (const std::string along = expr_.elementwise_pack(l.value); !along.empty())
          scope_.binding.pack_ranks[l.name] = std::string(scope_.binding.pack_ranks.at(along));
      } else if (l.written) {
        const Expr size = value_or(named_, l.name, size_ref(l.name));
        extents_.push_back({l.name, std::get<SizeRef>(size->node).name, fitting(l, expr_.value(l.value).e)});
        scope_.binding.sizes[l.name] = {size, true};
      } else {
        const Typed t = of_let(l);
        scope_.binding.sizes[l.name] = {fitting(l, t.e), t.flexible};
      }
    }
  }

  /// The simplified value, whose arithmetic has to stay within its type.
  Expr fitting(const LetDef& l, const Expr& e) {
    if (overflows(e))
      fail(Code::E0603, fmt::format("{} = {} leaves the range of {}", l.name, print(l.value), name_of(e->type)));
    return simplify(e);
  }

  static std::vector<std::string> advice(const Syntax& requirement) {
    const SourceSpan& s = requirement.span;
    std::vector<std::string> notes = {"give other attributes or shapes, or change `require`"};
    if (s.known()) notes[0] += fmt::format(" at {}:{}:{}", s.file->name(), s.line(), s.column());
    return notes;
  }

  bool requirements() {
    for (const Syntax& r : def_.requires_) {
      for (const Expr& e : expr_.conditions(r)) {
        if (overflows(e))
          return fail(Code::E0604, fmt::format("requires {}, in which a number leaves its range", print(r)), advice(r));
        const Expr decided = simplify(e);
        const auto v = constant_value(decided);
        if (v && !*v) return fail(Code::E0604, fmt::format("requires {}", print(r)), advice(r));
        if (!v && !is_required(decided) && !take_as_true(decided, shapes_)) left_to_calls_.emplace_back(&r, decided);
      }
    }
    return !diagnostics_.has_errors();
  }

  /// Whether the op that makes the call has the same condition.
  bool is_required(const Expr& condition) const {
    return any_of(kernel_.facts, [&](const Expr& fact) { return same(simplify(fact), condition); });
  }

  const OpDef& def_;
  const OpLibrary& library_;
  Scope& scope_;
  const Kernel& kernel_;
  Diagnostics& diagnostics_;
  const SourceSpan& place_;
  ExprBuilder expr_;
  ShapeBinder shapes_;
  std::vector<std::optional<std::vector<Expr>>> dims_;  ///< of the inputs that are given
  std::vector<std::vector<int>> orders_, out_orders_;
  std::map<std::string, Expr> named_;
  std::vector<WrittenExtent> extents_;
  std::vector<std::pair<const Syntax*, Expr>> left_to_calls_;
};

std::vector<Expr> flat(const std::vector<std::vector<Expr>>& entries) {
  std::vector<Expr> out;
  for (const auto& e : entries) append(out, e);
  return out;
}

}  // namespace

std::optional<BoundCall> bind_call(const OpCall& call, Diagnostics& diagnostics) {
  BoundCall out;
  const std::vector<GivenTensor>& inputs = call.inputs;
  const auto unrolled = unroll_call(call.def, inputs.size(), call.attrs, call.place, diagnostics);
  if (!unrolled) return std::nullopt;
  out.unrolled = *unrolled;
  const OpDef& def = out.unrolled ? *out.unrolled : call.def;
  out.scope.def = &def;
  out.scope.binding.types = call.types;
  out.kernel.op = out.kernel.name = def.name;
  out.kernel.doc = def.doc;
  CallBinder binder(call.library, out.scope, out.kernel, diagnostics, call.place);
  if (!binder.bind(inputs, call.attrs)) return std::nullopt;
  for (const auto& [requirement, condition] : binder.left_to_calls()) {
    binder.fail(Code::E0604, fmt::format("requires {}, which the sizes of a call decide", print(*requirement)),
                {"fix sizes that are in it, as in `--size N=4`"});
    return std::nullopt;
  }
  for (size_t i = 0; i < def.inputs.size(); ++i) {
    BoundTensor& b = out.scope.tensors[def.inputs[i].name];
    if (!binder.has_input(i)) continue;
    const TensorLayout l = binder.input_layout(i);
    b.entries = l.entries;
    b.tensor = out.kernel.add({def.inputs[i].name, Role::Input, inputs[i].dtype, flat(l.entries), l.strides});
  }
  for (size_t i = 0; i < def.outputs.size(); ++i) {
    const auto type = binder.output_type(i);
    if (!type) return std::nullopt;
    const std::vector<Expr> stored = binder.output_dims(i);
    const TensorLayout l = binder.output_layout(i, stored);
    if (!binder.parts_exist(def.outputs[i], l)) return std::nullopt;
    BoundTensor& b = out.scope.tensors[def.outputs[i].name];
    b.entries = l.entries;
    b.tensor = out.kernel.add({def.outputs[i].name, Role::Output, *type, flat(l.entries), l.strides});
    out.output_dims.push_back(stored);
    out.output_types.push_back(*type);
  }
  out.extents = binder.extents();
  out.taken_as_equal = binder.taken_as_equal();
  return out;
}

namespace {

/// Assumptions of a callee about extents that are known only in a call of the kernel are checked at every call.
void require_equal(const std::vector<std::pair<Expr, Expr>>& pairs, const OpDef& callee, Kernel& kernel) {
  for (const auto& [a, b] : pairs)
    require_sizes(kernel, apply(ScalarOp::Eq, {a, b}), "what " + callee.name + " requires");
}

}  // namespace

bool bind_composite(const BodyCall& call, Kernel& kernel, Scope& scope, Diagnostics& diagnostics) {
  const OpDef& def = call.def;
  const std::vector<BoundTensor>& inputs = call.inputs;
  scope.def = &def;
  CallBinder binder(call.library, scope, kernel, diagnostics, call.place);
  std::vector<GivenTensor> given(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    given[i].present = inputs[i].tensor >= 0;
    if (!given[i].present) continue;
    const Tensor& t = kernel.tensor(inputs[i].tensor);
    given[i].dtype = t.dtype;
    given[i].dims = t.dims;
  }
  if (!binder.bind(given, call.attrs)) return false;
  require_equal(binder.taken_as_equal(), def, kernel);
  for (const auto& [requirement, condition] : binder.left_to_calls())
    require_sizes(kernel, condition, def.name + " requires " + print(*requirement), CheckStatus::Attribute);
  for (size_t i = 0; i < def.inputs.size(); ++i) {
    BoundTensor& b = scope.tensors[def.inputs[i].name];
    if (!binder.has_input(i)) continue;
    const TensorLayout l = binder.input_layout(i);
    b.entries = l.entries;
    b.tensor = view_of(kernel, inputs[i].tensor, l);
    b.flexible = inputs[i].flexible;
  }
  for (size_t i = 0; i < def.outputs.size(); ++i) {
    const auto type = binder.output_type(i);
    if (!type) return false;
    const TensorLayout l = binder.output_layout(i, binder.output_dims(i));
    if (!binder.parts_exist(def.outputs[i], l)) return false;
    BoundTensor& b = scope.tensors[def.outputs[i].name];
    b.entries = l.entries;
    b.stored = l.from;
    b.tensor = kernel.add_temp(unused_tensor_name(kernel, def.outputs[i].name), *type, flat(l.entries));
  }
  return true;
}

}  // namespace tenon
