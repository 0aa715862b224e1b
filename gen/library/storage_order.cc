// Stored order, separate from logical order.
#include "library/storage_order.h"

#include <fmt/format.h>

#include "library/expr_builder.h"
#include "library/table_data.h"

namespace tenon {

std::vector<int> order_of(const TensorDef& t, const StorageRule& rule) {
  std::vector<int> order;
  for (const Dim& d : rule.dims)
    for (size_t i = 0; i < t.dims.size(); ++i)
      if (print(t.dims[i]) == print(d)) order.push_back(static_cast<int>(i));
  return order;
}

std::vector<int> storage_order(const TensorDef& t, ExprBuilder& expr) {
  for (const StorageRule& rule : t.storage) {
    if (rule.condition) {
      const auto holds = constant_value(expr.condition(*rule.condition));
      if (holds && !*holds) continue;
    }
    return order_of(t, rule);
  }
  return {};
}

int view_of(Kernel& kernel, int tensor, const TensorLayout& layout) {
  const Tensor source = kernel.tensor(tensor);
  bool plain = layout.from.size() == source.dims.size();
  for (size_t k = 0; plain && k < layout.from.size(); ++k) plain = layout.from[k] == static_cast<int>(k);
  if (plain) return tensor;
  std::vector<Expr> dims;
  for (const auto& e : layout.entries) dims.insert(dims.end(), e.begin(), e.end());
  KernelStatement s;
  std::vector<Expr> at(source.dims.size());
  for (size_t k = 0; k < dims.size(); ++k) {
    s.loops.push_back({fmt::format("v{}", k), dims[k]});
    s.index.push_back(var_ref(s.loops.back().name));
    if (layout.from[k] < 0) continue;
    Expr& e = at[static_cast<size_t>(layout.from[k])];
    e = e ? e * dims[k] + s.index.back() : s.index.back();  // parts of a split follow each other, outermost first
  }
  for (Expr& e : at)
    if (!e) e = constant_int(0);
  s.value = read_of(tensor, source.dtype, at);
  s.formula = fmt::format("{} in another order", source.name);
  s.target = kernel.add_temp(unused_tensor_name(kernel, source.name + "_view"), source.dtype, std::move(dims));
  kernel.body.push_back(std::move(s));
  return kernel.body.back().target;
}

}  // namespace tenon
