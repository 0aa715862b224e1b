// OpLibrary × selection → Library.
#include "library/expand_library.h"

#include <fmt/format.h>

#include <cmath>

#include "ir/kernel/statement_parts.h"
#include "ir/op/type_function.h"
#include "library/expand_symbolic.h"
#include "library/pack_plan.h"
#include "library/unroll_variadic.h"
#include "support/check.h"
#include "support/joined.h"
#include "support/parallel.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using Types = std::map<std::string, DType>;

/// All assignments of dtypes to the type variables, the key's first in the order of dtype.def.
void assign_types(const OpDef& def, size_t i, const std::vector<DType>& keys, Types& types, std::vector<Types>& out) {
  if (i == def.types.size()) {
    out.push_back(types);
    return;
  }
  const TypeVar& v = def.types[i];
  if (v.derived) {
    const auto follows = dtype_of_word(v.name, types);
    TENON_CHECK(follows, "{}: no type {}", def.name, v.name);
    types[v.name] = *follows;
    assign_types(def, i + 1, keys, types, out);
    types.erase(v.name);
    return;
  }
  const bool small = any_of(keys, is_small);  // small types are generated only when named
  for (const DType d : dtypes_of(v)) {
    if (is_small(d) && !small) continue;
    if (i == 0 && !keys.empty() && !contains(keys, d)) continue;
    types[v.name] = d;
    assign_types(def, i + 1, keys, types, out);
  }
  types.erase(v.name);
}

std::vector<std::vector<bool>> presences(const OpDef& def) {
  std::vector<std::vector<bool>> out = {{}};
  for (const TensorDef& t : def.inputs) {
    std::vector<std::vector<bool>> next;
    for (std::vector<bool> p : out) {
      p.push_back(true);
      next.push_back(p);
      if (!t.optional) continue;
      p.back() = false;
      next.push_back(p);
    }
    out = std::move(next);
  }
  return out;
}

/// Zero is a bit pattern like any moved value: the same in every type of a size.
bool is_zero(const Constant& c) { return c.i == 0 && c.f == 0 && !std::signbit(c.f); }

/// Stands for a type variable whose values may only be moved: no other type of such ops is u16 by itself, so that every
/// u16 node comes from the variable.
constexpr DType kMoved = DType::U16;

bool computes_with_moved(const Expr& e) {
  return any_node(e, [](const Expr& n) {
    const auto* a = std::get_if<Apply>(&n->node);
    const auto* constant = std::get_if<Constant>(&n->node);
    if (a && (n->type == kMoved || any_of(a->args, [](const Expr& x) { return x->type == kMoved; }))) return true;
    return n->type == kMoved && ((constant && !is_zero(*constant)) || std::holds_alternative<AttrRef>(n->node) ||
                                 std::holds_alternative<Reduce>(n->node));
  });
}

/// Whether a template depends on the type of a tensor beyond its size.
bool computes_with(const Frame& frame, const std::string& tensor) {
  return any_of(frame_holes(), [&](const FrameHole& h) {
    return h.numeric && frame.text.find("@" + frame_hole_name(tensor, h) + "@") != std::string::npos;
  });
}

/// The same of all tensors of this variable's type.
bool frame_computes(const Frame& frame, const OpDef& def, const TypeVar& v) {
  return any_of(frame.parameters, [&](const FrameParameter& p) {
    const TensorDef* t = p.kind == FrameParameterKind::input ? def.input(p.name) : def.output(p.name);
    return p.is_tensor() && t && t->dtype == v.name && computes_with(frame, p.name);
  });
}

/// Whether a part calls such a template with tensors of the variable's type.
bool computes_in_call(const Kernel& part) {
  if (!part.call) return false;
  const Frame& frame = *part.call->frame;
  for (size_t i = 0; i < frame.parameters.size(); ++i) {
    const int t = part.call->tensors[i];
    if (t >= 0 && part.tensor(t).dtype == kMoved && computes_with(frame, frame.parameters[i].name)) return true;
  }
  return false;
}

/// A type variable whose values are only moved: bodies are shared by element size.
bool only_moves(const OpLibrary& defs, const OpDef& def, const TypeVar& v, const Types& sample,
                const std::map<std::string, PackPlan>& packs) {
  if (none_of(v.classes, [](const Word& w) { return w.text == "any"; })) return false;
  if (any_of(def.tables, [&](const TableDef& t) { return variable_of_type(t.tensor.dtype) == v.name; }))
    return false;  // the bits of a constant differ between types
  if (const auto frame = defs.frame_of(def)) return !frame_computes(*frame, def, v);
  Types types = sample;
  types[v.name] = kMoved;
  Diagnostics ignored;
  const auto k = expand_symbolic(defs, def, {types, std::vector<bool>(def.inputs.size(), true), packs}, ignored);
  if (!k) return false;
  const auto checks_moved = [](const Kernel& part) {
    return any_of(part.checks, [](const Check& c) { return computes_with_moved(c.holds); });
  };
  bool moves =
      !checks_moved(k->kernel) && none_of(k->kernel.parts, computes_in_call) && none_of(k->kernel.parts, checks_moved);
  for_each_statement(k->kernel, [&](const KernelStatement& s) {
    moves = moves && (s.update == Update::Assign || s.update == Update::Last) &&
            !any_expression(s, [](const Expr& e) { return computes_with_moved(e); });
  });
  return moves;
}

std::string kernel_name(const OpDef& def, const Types& types, const std::vector<bool>& present) {
  std::string name = def.name;
  for (const TypeVar& v : def.types)
    if (!v.derived) name += fmt::format("_{}", name_of(types.at(v.name)));
  for (size_t i = 0; i < present.size(); ++i)
    if (!present[i]) name += "_no" + def.inputs[i].name;
  return name;
}

/// The inputs of the kernel for this call: those given, and those that have stand-ins.
std::vector<bool> read_by_kernel(const LibraryOp& op, bool operands, std::vector<bool> present) {
  for (size_t i = 0; i < present.size(); ++i) present[i] = present[i] || operands || !op.stand_ins[i].empty();
  return present;
}

/// Operands are given from the first on: one, two, ….
std::vector<std::vector<bool>> prefixes(size_t operands) {
  std::vector<std::vector<bool>> out;
  for (size_t n = 1; n <= operands; ++n) {
    out.emplace_back(operands, false);
    std::fill_n(out.back().begin(), n, true);
  }
  return out;
}

bool has_floating(const std::vector<TensorDef>& tensors, const Types& types) {
  return any_of(tensors, [&](const TensorDef& t) {
    const auto v = types.find(t.dtype);
    const auto d = v == types.end() ? dtype_from_name(t.dtype) : std::optional(v->second);
    return d && is_float(*d);
  });
}

/// Which calls have a gradient, and how packs reach kernels that have one: a sum over repeated elements needs all of
/// their dimensions.
void plan_gradients(const OpDef& def, LibraryOp& op, std::vector<Types>& calls) {
  std::erase_if(calls, [&](const Types& t) { return !has_floating(def.inputs, t) || !has_floating(def.outputs, t); });
  for (const TensorDef& t : def.inputs)
    for (const Dim& d : t.dims)
      if (d.kind == DimKind::pack && d.broadcast) op.packs[d.name] = PackPlan::Fixed;
}

struct OpExpansion {
  const OpLibrary& defs;
  const std::vector<DType>& keys;
  bool for_gradients = false;
};

bool expand_op(const OpExpansion& how, const OpDef& given, Library& library, Diagnostics& diagnostics) {
  const OpLibrary& defs = how.defs;
  const std::vector<DType>& keys = how.keys;
  LibraryOp op;
  const bool operands = is_variadic(given);
  if (operands || has_variadic_output(given)) {
    op.unrolled = std::make_shared<const OpDef>(unroll_optional(given, kMaxOperands));
    if (counts_operands(given)) op.counted = given.inputs.back().name;
  }
  op.def = op.unrolled ? op.unrolled.get() : &given;
  const auto view = permuted_view(given);
  const OpDef& def = view ? view->def : *op.def;
  op.key_type = def.types.empty() ? "" : def.types[0].name;
  op.packs = plan_packs(def, defs.frame_of(def).get());
  for (auto& [name, plan] : op.packs)
    if (how.for_gradients && plan == PackPlan::Plane) plan = PackPlan::Odometer;
  if (view) {
    op.permuted = view->let;
    op.packs[view->let] = PackPlan::Plane;
  }
  std::vector<Types> all;
  Types types;
  assign_types(def, 0, keys, types, all);
  if (how.for_gradients) plan_gradients(def, op, all);
  if (def.types.empty() && !keys.empty() && !def.inputs.empty()) {
    const auto d = dtype_from_name(def.inputs[0].dtype);
    if (d && !contains(keys, *d)) return false;
  }
  if (all.empty()) return false;
  std::vector<std::string> moved;
  const bool derives = any_of(def.types, [](const TypeVar& v) { return v.derived; });
  for (const TypeVar& v : def.types)
    if (!how.for_gradients && !derives && only_moves(defs, def, v, all[0], op.packs)) moved.push_back(v.name);
  for (const TensorDef& t : def.inputs) op.stand_ins.push_back(stand_in(def, t));
  std::map<std::string, std::shared_ptr<LibraryKernel>> made;
  for (const Types& call : all)
    for (const std::vector<bool>& present : operands ? prefixes(def.inputs.size()) : presences(def)) {
      Types body = call;
      for (const std::string& v : moved) body[v] = movement_dtype(call.at(v));
      const std::vector<bool> taken = read_by_kernel(op, operands, present);
      const std::string name = kernel_name(def, body, taken);
      auto& shared = made[name];
      if (!shared) {
        auto k = expand_symbolic(defs, def, {body, taken, op.packs, how.for_gradients}, diagnostics);
        if (!k) return true;  // every dtype would report the same locations
        k->kernel.name = name;
        shared = std::make_shared<LibraryKernel>(std::move(*k));
      }
      op.kernels.push_back(*shared);
      op.kernels.back().name = kernel_name(def, call, taken);
      op.kernels.back().call_types = call;
      op.kernels.back().present = present;
    }
  if (!how.for_gradients) share_signs(op);
  library.ops.push_back(std::move(op));
  return true;
}

}  // namespace

bool needs_graph(const OpDef& def) {
  const auto permutes = [](const LetDef& l) { return l.pack && l.value.calls(Builtin::permute); };
  if (permuted_view(def)) return false;
  return (is_variadic(def) && !may_lack_tensors(def)) || any_of(def.lets, permutes);
}

namespace {

std::string dtypes_text(const OpDef& def) {
  std::vector<std::string_view> names;
  if (!def.types.empty())
    for (const DType d : dtypes_of(def.types[0])) names.push_back(name_of(d));
  else if (!def.inputs.empty()) names.push_back(def.inputs[0].dtype);
  return joined(names, ", ");
}

/// Why a selection has no kernels: for a single op, the types that it takes and, if it is the user's, its location.
Diagnostic nothing_selected(const OpLibrary& defs, const std::vector<std::string>& names) {
  const auto graph_only = find_if(names, [&](const std::string& n) { return defs.op(n) && needs_graph(*defs.op(n)); });
  const OpDef* one = graph_only != names.end() ? defs.op(*graph_only) : names.size() == 1 ? defs.op(names[0]) : nullptr;
  Diagnostic d{Code::E0607, Severity::error, {}, "tenon", "none of the ops chosen takes any of the dtypes chosen", {}};
  if (names.empty())
    d.message = "the files given define no op",
    d.notes.emplace_back("choose shipped ones with --ops; `tenon list ops` prints them");
  if (!one) return d;
  if (!one->shipped) d.span = one->span;
  if (graph_only != names.end()) {
    d.message = fmt::format(
        "'{}' can be used in graphs only: a library has no kernels that take any number of inputs or permute what they "
        "compute",
        one->name);
    d.notes.emplace_back("choose other ops with --ops; `tenon model` reads graphs");
  } else {
    d.message = fmt::format("'{}' takes none of the dtypes chosen", one->name);
    d.notes.push_back(
        fmt::format("it takes {}: name one with --dtypes (`all` leaves out the small types)", dtypes_text(*one)));
  }
  return d;
}

}  // namespace

namespace {

std::vector<std::string> sorted_names(const LibrarySelection& selection) {
  std::vector<std::string> names = selection.ops;
  sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Library expand_ops(const OpExpansion& how, const std::vector<std::string>& names, Diagnostics& diagnostics) {
  struct Expanded {
    Library part;
    Diagnostics diagnostics;
  };
  std::vector<Expanded> ops(names.size());  // they cannot refer to each other
  for_each_index(names.size(), [&](size_t i) {
    if (const OpDef* def = how.defs.op(names[i]); def && !needs_graph(*def))
      expand_op(how, *def, ops[i].part, ops[i].diagnostics);
  });
  Library library;
  for (Expanded& e : ops) {
    diagnostics.append(e.diagnostics);
    append(library.ops, std::move(e.part.ops));
  }
  return library;
}

}  // namespace

Library expand_for_gradients(const OpLibrary& defs, const LibrarySelection& selection) {
  Diagnostics diagnostics;
  Library library = expand_ops({defs, selection.dtypes, true}, sorted_names(selection), diagnostics);
  TENON_CHECK(!diagnostics.has_errors(), "{}", diagnostics.sorted().front().message);
  return library;
}

Result<Library> expand_library(const OpLibrary& defs, const LibrarySelection& selection) {
  Diagnostics diagnostics;
  const std::vector<std::string> names = sorted_names(selection);
  Library library = expand_ops({defs, selection.dtypes}, names, diagnostics);
  if (diagnostics.has_errors()) return diagnostics;
  if (library.ops.empty()) {
    diagnostics.add(nothing_selected(defs, names));
    return diagnostics;
  }
  return Result<Library>(std::move(library), std::move(diagnostics));
}

}  // namespace tenon
