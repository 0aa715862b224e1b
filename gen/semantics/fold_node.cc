// Values of ops on constants.
#include "semantics/fold_node.h"

#include "oracle/run_kernel.h"
#include "support/check.h"

namespace tenon {

ConstantOperands::ConstantOperands(const std::vector<const TensorData*>& inputs) {
  for (const TensorData* t : inputs) {
    GivenTensor g;
    if (t) {
      g.present = true;
      g.dtype = t->dtype;
      for (const int64_t d : t->dims) g.dims.push_back(constant_int(d));
      call.tensors.push_back(*t);
    }
    given.push_back(std::move(g));
  }
}

std::vector<TensorData> results_of(const BoundCall& op, OracleCall& run) {
  std::vector<TensorData> results;
  for (size_t i = 0; i < op.kernel.tensors.size(); ++i) {
    if (op.kernel.tensors[i].role != Role::Output || !op.kernel.tensors[i].extent.empty()) continue;
    TensorData t = std::move(run.tensors[i]);
    t.dims.clear();
    for (const Expr& e : op.output_dims[results.size()]) t.dims.push_back(evaluate_size(e, run));
    t.bytes.resize(static_cast<size_t>(element_count(t.dims)) * static_cast<size_t>(bytes_of(t.dtype)));
    results.push_back(std::move(t));
  }
  return results;
}

constexpr int64_t kMostFoldedBytes = int64_t{1} << 32;  // limit for computing constants of a program

ComputedTensors fold_node(const OpLibrary& defs, const std::string& op, const std::vector<const TensorData*>& inputs,
                          const Attributes& attrs) {
  ComputedTensors out;
  auto [given, call] = ConstantOperands(inputs);
  Diagnostics diagnostics;
  const auto node = expand_node({defs, *defs.op(op), given, attrs}, {}, diagnostics);
  if (!node) {
    const auto all = diagnostics.sorted();
    out.error = all.empty() ? "it cannot be expanded" : all[0].message;
    return out;
  }
  for (const WrittenExtent& e : node->extents) call.sizes[e.size] = constant_value(e.bound).value_or(0);
  if (bytes_made(node->kernel, call).value_or(kMostFoldedBytes + 1) > kMostFoldedBytes) {
    out.error = "its result takes more than 4 GiB, too much for a constant";
    return out;
  }
  const OracleStatus status = run_kernel(node->kernel, call);
  if (status == OracleStatus::Unknown) return out;
  if (status != OracleStatus::Done) {
    out.error = status == OracleStatus::Range ? "an index or divisor is out of range" : "a dimension is empty";
    return out;
  }
  out.outputs = results_of(*node, call);
  return out;
}

}  // namespace tenon
