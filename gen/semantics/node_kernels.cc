// Expands the definition of each operator for the types and extents that it has in the graph.
#include "semantics/node_kernels.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "differentiate/backward_graph.h"
#include "differentiate/node_gradient.h"
#include "differentiate/row_sum.h"
#include "ir/graph/graph_passes.h"
#include "library/bind_node.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Rewrites subexpressions over sizes into the form of the graph's extents, so that producers and readers of a value
/// spell its extents alike.
Expr in_graph_form(const Expr& e) {
  if (!e || is_leaf(e)) return e;
  if (const auto size = e->type == DType::I64 ? to_size(e) : std::nullopt) return to_expr(*size);
  return map_children(e, [](const Expr& c) { return in_graph_form(c); });
}

/// An error of a node with the node's location, alone or next to the location in its definition.
Diagnostics placed_at(const std::string& origin, const Diagnostics& diagnostics) {
  Diagnostics out;
  for (Diagnostic d : diagnostics.sorted()) {
    if (d.span.known()) d.notes.push_back("in " + origin);
    else d.where = origin;
    out.add(std::move(d));
  }
  return out;
}

/// The kernel of an operator, and the tensors that its inputs and outputs are; -1 for an input that it does not read.
struct OpKernel {
  Kernel kernel;
  std::vector<int> inputs, outputs;
};

class Expansion {
 public:
  Expansion(const OpLibrary& defs, const DerivativeTable& rows, std::vector<GraphSize> sizes)
      : defs_(defs), rows_(rows), sizes_(std::move(sizes)) {}

  Diagnostics diagnostics;  ///< why there was nothing

  std::optional<OpKernel> kernel_of(const Node& n, const std::vector<std::optional<GradientOf::Input>>& inputs,
                                    bool for_gradients = false) {
    if (n.gradient) return derived(*n.gradient, for_gradients);
    if (n.op == kAllReduceOp) return exchanged(*inputs[0]);
    std::vector<GivenTensor> given;
    OpKernel out;
    int tensors = 0;
    for (const auto& input : inputs) {
      GivenTensor g;
      g.present = input.has_value();
      if (input) {
        g.dtype = input->dtype;
        for (const SizeExpr& d : input->dims) g.dims.push_back(to_expr(d));
      }
      out.inputs.push_back(input ? tensors++ : -1);
      given.push_back(std::move(g));
    }
    auto call = expand_node({defs_, *defs_.op(n.op), given, n.attrs}, sizes_, diagnostics, for_gradients);
    if (!call) return std::nullopt;
    for (size_t i = 0; i < call->output_types.size(); ++i) out.outputs.push_back(tensors++);
    out.kernel = call->kernel.sizes.empty() ? std::move(call->kernel)
                                            : map_exprs(call->kernel, [](const Expr& e) { return in_graph_form(e); });
    return out;
  }

 private:
  /// A copy that is a part of its own, so that nothing is fused with it: what reads it reads what the context made of
  /// it.
  static OpKernel exchanged(const GradientOf::Input& of) {
    Kernel copy;
    copy.name = copy.op = kAllReduceOp;
    copy.name += fmt::format("_{}", name_of(of.dtype));
    KernelStatement s;
    std::vector<Expr> dims;
    for (const SizeExpr& d : of.dims) {
      const std::string variable = fmt::format("i{}", dims.size());
      dims.push_back(to_expr(d));
      s.loops.push_back({variable, dims.back()});
      s.index.push_back(var_ref(variable));
    }
    for (const auto& [name, role] : {std::pair{"X", Role::Input}, std::pair{"Y", Role::Output}})
      copy.tensors.push_back({name, role, of.dtype, dims, contiguous_strides(dims)});
    s.target = 1;
    s.value = read_of(0, of.dtype, s.index);
    s.formula = "Y = X, then the mean over the processes";
    Kernel whole = copy;
    copy.body.push_back(std::move(s));
    whole.parts.push_back(std::move(copy));
    return {std::move(whole), {0}, {1}};
  }

  std::optional<OpKernel> derived(const GradientOf& g, bool for_gradients) {
    const auto forward = kernel_of(g.of, g.inputs, true);
    if (!forward) return std::nullopt;
    const std::vector<Tensor>& tensors = forward->kernel.tensors;
    const auto name = [&](int t) { return tensors[static_cast<size_t>(t)].name; };
    std::vector<std::string> wanted;  // names of the node's inputs
    for (const size_t y : g.cotangents) wanted.push_back(gradient_of(forward->kernel, name(forward->outputs[y])));
    for (const int x : forward->inputs) wanted.push_back(x < 0 ? "" : name(x));
    std::set<std::string> cotangents;
    for (const size_t y : g.cotangents) cotangents.insert(name(forward->outputs[y]));
    GradientKernel made =
        node_gradient(forward->kernel, name(forward->inputs[g.wrt]), cotangents, rows_, for_gradients);
    if (!made.kernel) {
      diagnostics.error(Code::E0709, {}, made.why);
      return std::nullopt;
    }
    OpKernel out{std::move(*made.kernel), {}, {}};
    for (const std::string& w : wanted) out.inputs.push_back(position(out.kernel, Role::Input, w));
    for (size_t t = 0; t < out.kernel.tensors.size(); ++t)
      if (out.kernel.tensors[t].role == Role::Output) out.outputs.push_back(static_cast<int>(t));
    return out;
  }

  static int position(const Kernel& k, Role role, const std::string& name) {
    for (size_t t = 0; t < k.tensors.size(); ++t)
      if (k.tensors[t].role == role && k.tensors[t].name == name) return static_cast<int>(t);
    return -1;
  }

  const OpLibrary& defs_;
  const DerivativeTable& rows_;
  std::vector<GraphSize> sizes_;
};

/// Whether the kernel only limits the elements of its operand, as relu does: they stay, and have the derivative 1, or
/// become limits, which have the derivative 0. So do the elements of its result.
bool only_limits(const Kernel& k) {
  if (k.body.size() != 1 || k.tensors.size() != 2 || k.call || k.body[0].update != Update::Assign || k.body[0].where)
    return false;
  const KernelStatement& s = k.body[0];
  const auto stays = [&](const Read& r) {
    return !r.fill && k.tensor(r.tensor).dtype == k.tensor(s.target).dtype && same(r.index, s.index) &&
           same(k.tensor(r.tensor).dims, k.tensor(s.target).dims);
  };
  Expr e = s.value;
  while (const auto* a = std::get_if<Apply>(&e->node)) {
    if (a->op != ScalarOp::Max && a->op != ScalarOp::Min) return false;
    if (!as_constant(a->args[0]) && !as_constant(a->args[1])) return false;
    e = a->args[as_constant(a->args[0]) ? 1 : 0];
  }
  const auto* read = std::get_if<Read>(&e->node);
  return read && stays(*read);
}

std::vector<std::optional<GradientOf::Input>> types_of(const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<std::optional<GradientOf::Input>> out(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == kNoValue) continue;
    const Value& v = graph.value(values[i]);
    out[i] = {v.dtype, v.dims};
  }
  return out;
}

}  // namespace

Result<std::vector<NodeKernel>> node_kernels(const OpLibrary& defs, const Graph& graph, const std::string& file) {
  std::vector<NodeKernel> out;
  const DerivativeTable rows(defs);
  const std::vector<GraphSize> sizes = all_sizes(graph);
  for (const Node& n : graph.nodes) {
    Expansion expansion(defs, rows, sizes);
    auto made = expansion.kernel_of(n, types_of(graph, n.inputs));
    if (!made)
      return placed_at(n.origin.starts_with(file) ? n.origin : fmt::format("{}: {}", file, n.origin),
                       expansion.diagnostics);
    NodeKernel k{std::move(made->kernel), {}};
    k.values.assign(k.kernel.tensors.size(), kNoValue);
    for (size_t i = 0; i < n.inputs.size(); ++i)
      if (made->inputs[i] >= 0) k.values[static_cast<size_t>(made->inputs[i])] = n.inputs[i];
    for (size_t i = 0; i < n.outputs.size(); ++i) k.values[static_cast<size_t>(made->outputs[i])] = n.outputs[i];
    out.push_back(std::move(k));
  }
  return out;
}

GradientOutline outline_gradient(const OpLibrary& defs, const DerivativeTable& rows, const Graph& graph,
                                 const Node& node) {
  const GradientOf& g = *node.gradient;
  const OpDef* def = g.of.gradient ? nullptr : defs.op(g.of.op);
  if (def && def->grad == GradKind::none) return {"", {}, "its definition says 'grad: none'"};
  Expansion expansion(defs, rows, all_sizes(graph));
  const auto made = expansion.kernel_of(node, {});
  if (!made) return {"", {}, expansion.diagnostics.sorted().front().message};
  GradientOutline out;
  const auto forward = expansion.kernel_of(g.of, g.inputs);
  out.result_will_do = forward && only_limits(forward->kernel);
  for (const int t : made->inputs) out.reads.push_back(t >= 0);
  const auto cotangent = find_if(made->inputs, [](int t) { return t >= 0; });
  if (cotangent < made->inputs.begin() + static_cast<std::ptrdiff_t>(g.cotangents.size()))
    if (const auto sum = row_sum(made->kernel, *cotangent)) {
      out.of_one_row = sum->of_one_row;
      for (const int t : made->inputs) out.by_row.push_back(t >= 0 && sum->by_row[static_cast<size_t>(t)]);
    }
  const std::string& result = made->kernel.tensor(made->outputs[0]).name;
  out.op = g.of.op + "_grad_" + result;
  return out;
}

Result<Graph> backward_graph(const OpLibrary& defs, Graph graph) {
  const DerivativeTable rows(defs);
  return backward_graph(std::move(graph),
                        [&](const Graph& g, const Node& n) { return outline_gradient(defs, rows, g, n); });
}

}  // namespace tenon
