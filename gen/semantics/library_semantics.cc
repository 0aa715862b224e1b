// Answers the frontends' questions from the definitions.
#include "semantics/library_semantics.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include "algebra/simplify.h"
#include "library/bind_node.h"
#include "semantics/fold_node.h"

namespace tenon {
namespace {

AttrSignature::Kind kind_of(const AttrDef& a) {
  switch (a.kind) {
    case AttrKind::boolean: return AttrSignature::Kind::boolean;
    case AttrKind::integer:
    case AttrKind::u64: return AttrSignature::Kind::integer;
    case AttrKind::real: return AttrSignature::Kind::real;
    case AttrKind::dtype:
    case AttrKind::type_variable: return AttrSignature::Kind::element;
    case AttrKind::enumeration: return AttrSignature::Kind::word;
  }
  return AttrSignature::Kind::integer;
}

std::optional<AttrValue> literal(const Syntax& s) {
  switch (s.kind) {
    case SyntaxKind::integer: return s.integer;
    case SyntaxKind::real: return s.real;
    case SyntaxKind::infinity: return std::numeric_limits<double>::infinity();
    case SyntaxKind::boolean: return s.integer != 0;
    case SyntaxKind::name: return s.text;
    case SyntaxKind::unary: {
      const auto x = literal(s.children[0]);
      if (x && std::holds_alternative<int64_t>(*x)) return -std::get<int64_t>(*x);
      if (x && std::holds_alternative<double>(*x)) return -std::get<double>(*x);
      return std::nullopt;
    }
    default: return std::nullopt;
  }
}

/// The default of an attribute as it would appear on a node; empty if there is none, or if its length depends on the
/// operand.
std::optional<AttrValue> default_of(const AttrDef& a) {
  if (!a.value || a.count == AttrCount::per_dim) return std::nullopt;
  if (a.count == AttrCount::one) return literal(*a.value);
  const bool many = a.value->kind == SyntaxKind::list;
  std::vector<int64_t> elements;
  for (const Syntax& e : many ? a.value->children : std::vector<Syntax>{*a.value}) {
    const auto x = literal(e);
    if (!x || !std::holds_alternative<int64_t>(*x)) return std::nullopt;
    elements.push_back(std::get<int64_t>(*x));
  }
  if (!many && a.count == AttrCount::fixed) elements.assign(static_cast<size_t>(a.length), elements[0]);
  return elements;
}

OpSignature signature_of(const OpDef& def) {
  OpSignature s;
  for (const TensorDef& t : def.inputs) {
    s.inputs.push_back({t.name, t.optional, t.variadic});
    const bool leads = !t.dims.empty() && t.dims[0].broadcast && t.dims[0].kind == DimKind::pack;
    if (leads) s.inputs.back().broadcast = t.dims[0].name;
    if (leads) s.inputs.back().dims_after = t.dims.size() - 1;
  }
  for (const TensorDef& t : def.outputs) s.outputs.push_back(t.name);
  for (const AttrDef& a : def.attrs)
    s.attrs.push_back({a.name, kind_of(a), a.count != AttrCount::one, a.required(), a.words, default_of(a)});
  if (!free_type(def).empty() && !def.attr("dtype"))
    s.attrs.push_back({"dtype", AttrSignature::Kind::dtype, false, false, {}, DType::F32});
  return s;
}

/// The signatures that have been asked for.
class Signatures {
 public:
  const OpSignature* find(const OpLibrary& library, const std::string& op) {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(op); known != known_.end()) return &known->second;
    const OpDef* def = library.declared(op);
    return def ? &known_.emplace(op, signature_of(*def)).first->second : nullptr;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, OpSignature> known_;
};

std::string message_of(const Diagnostics& diagnostics, const std::string& op) {
  if (diagnostics.empty()) return "the arguments do not fit";
  std::string message = diagnostics.sorted().front().message;
  if (message.starts_with(op + ": ")) message = message.substr(op.size() + 2);
  return message;
}

std::vector<GivenTensor> given_tensors(const std::vector<std::optional<TensorType>>& types) {
  std::vector<GivenTensor> given;
  for (const std::optional<TensorType>& t : types) {
    GivenTensor g;
    g.present = t.has_value();
    if (t) g.dtype = t->dtype;
    for (const SizeExpr& d : t ? t->dims : std::vector<SizeExpr>{}) g.dims.push_back(to_expr(d));
    given.push_back(std::move(g));
  }
  return given;
}

InferredTypes infer(const OpLibrary& library, const OpDef& def, const std::vector<std::optional<TensorType>>& inputs,
                    const Attributes& attrs) {
  Diagnostics diagnostics;
  const std::optional<BoundCall> bound = bind_node({library, def, given_tensors(inputs), attrs}, diagnostics);
  if (!bound) return {{}, message_of(diagnostics, def.name)};
  InferredTypes result;
  for (size_t i = 0; i < bound->output_dims.size(); ++i) {
    TensorType t{bound->output_types[i], {}};
    for (const Expr& e : bound->output_dims[i]) {
      const std::optional<SizeExpr> size = to_size(e);
      if (!size) return {{}, "an extent of the result cannot be determined before run time: " + to_text(e)};
      t.dims.push_back(*size);
    }
    result.outputs.push_back(std::move(t));
  }
  for (const auto& [a, b] : bound->taken_as_equal) {
    const std::optional<SizeExpr> x = to_size(a), y = to_size(b);
    if (!x || !y)
      return {{},
              fmt::format("what sizes have to be cannot be determined before run time: {} and {} have to be equal",
                          to_text(a), to_text(b))};
    if (*x != *y) result.equal.emplace_back(*x, *y);
  }
  for (const WrittenExtent& e : bound->extents) {
    const std::optional<SizeExpr> most = to_size(e.bound);
    if (!most) return {{}, "nothing bounds the extent of the result: " + to_text(e.bound)};
    result.extents.push_back({e.size, *most});
  }
  return result;
}

std::vector<bool> reads(const OpLibrary& library, const OpDef& def,
                        const std::vector<std::optional<TensorType>>& inputs, const Attributes& attrs) {
  Diagnostics diagnostics;
  const auto call = expand_node({library, def, given_tensors(inputs), attrs}, {}, diagnostics);
  std::vector<bool> out(inputs.size(), !call);  // an op that cannot be expanded is refused later
  if (!call) return out;
  const auto note = [&](const Expr& e) {
    if (!e) return;
    each_node<Read>(simplify(e, {}), [&](const Read& r) {
      if (static_cast<size_t>(r.tensor) < out.size()) out[static_cast<size_t>(r.tensor)] = true;
    });
  };
  for (const KernelStatement& s : call->kernel.body) {
    note(s.value);
    note(s.where);
    for (const Expr& e : s.index) note(e);
    for (const LoopVar& v : s.loops) note(v.extent);
  }
  return out;
}

}  // namespace

OpSemantics library_semantics(const OpLibrary& library) {
  const auto signatures = std::make_shared<Signatures>();
  OpSemantics s;
  s.find = [signatures, &library](const std::string& op) { return signatures->find(library, op); };
  s.infer = [&library](const std::string& op, const std::vector<std::optional<TensorType>>& inputs,
                       const Attributes& attrs, size_t) { return infer(library, *library.op(op), inputs, attrs); };
  s.reads = [&library](const std::string& op, const std::vector<std::optional<TensorType>>& inputs,
                       const Attributes& attrs) { return reads(library, *library.op(op), inputs, attrs); };
  s.names = [&library] { return library.names(); };
  return s;
}

OpSemantics folding_semantics(const OpLibrary& library) {
  OpSemantics s = library_semantics(library);
  s.evaluate = [&library](const std::string& op, const std::vector<const TensorData*>& inputs, const Attributes& attrs,
                          size_t) { return fold_node(library, op, inputs, attrs); };
  return s;
}

}  // namespace tenon
