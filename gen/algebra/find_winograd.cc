// Recognises the statements that winograd_kernel makes.

#include "algebra/linear.h"
#include "algebra/winograd_kernel.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr size_t kStatements = 3;
constexpr size_t kTileLoops = 5;  ///< i, j, ty, tx, and channels or filters

const Reduce* sum_of(const Expr& e, size_t vars) {
  const auto* r = std::get_if<Reduce>(&e->node);
  return r && r->op == Reducer::Sum && !r->where && r->vars.size() == vars ? r : nullptr;
}

/// The factors of a product, left to right.
void factors_of(const Expr& e, std::vector<const Read*>& out) {
  const auto* a = std::get_if<Apply>(&e->node);
  if (a && a->op == ScalarOp::Mul)
    for (const Expr& x : a->args) factors_of(x, out);
  else out.push_back(std::get_if<Read>(&e->node));
}

/// The reads that a product consists of; empty if it has other factors or a different number of factors.
std::optional<std::vector<const Read*>> reads_of(const Expr& e, size_t count) {
  std::vector<const Read*> out;
  factors_of(e, out);
  const bool all = out.size() == count && !contains(out, nullptr);
  return all ? std::optional(out) : std::nullopt;
}

/// The one reduction of a value.
const ExprNode* only_reduction(const Expr& value) {
  std::vector<const ExprNode*> found;
  walk(value, [&](const Expr& e) {
    if (!std::holds_alternative<Reduce>(e->node)) return true;
    found.push_back(e.get());
    return false;
  });
  const bool one = !found.empty() && all_of(found, [&](const ExprNode* e) { return e == found[0]; });
  return one ? found[0] : nullptr;
}

bool has_table(const Kernel& k, const Read& read, const Matrix& m) {
  const auto& data = k.tensor(read.tensor).data;
  const auto rows = static_cast<int64_t>(m.size()), columns = static_cast<int64_t>(m[0].size());
  if (!data || data->dtype != DType::F32 || data->dims != std::vector<int64_t>{rows, columns}) return false;
  for (int64_t i = 0; i < rows * columns; ++i)
    if (real_element(*data, i) != m[static_cast<size_t>(i / columns)][static_cast<size_t>(i % columns)]) return false;
  return true;
}

/// The last extent of a table: its points, or its neighbours.
int64_t columns_of(const Kernel& k, const Read& table) {
  const Tensor& t = k.tensor(table.tensor);
  return t.dims.size() == 2 ? constant_value(t.dims[1]).value_or(0) : 0;
}

/// An index tile·step + tap + a number.
struct TileWalk {
  int64_t step = 0, first = 0;
};

std::optional<TileWalk> walk_of(const Expr& index, const std::string& tile, const std::string& tap) {
  const LinearForm form = linear_form(index);
  TileWalk out{0, form.constant};
  if (form.terms.size() != 2) return std::nullopt;
  for (const auto& [atom, by] : form.terms) {
    const auto* v = std::get_if<VarRef>(&atom->node);
    if (v && v->name == tile) out.step = by;
    else if (!v || v->name != tap || by != 1) return std::nullopt;
  }
  return out;
}

bool find_loops(WinogradParts& w) {
  const std::vector<LoopVar>& loops = w.data->loops;
  if (loops.size() < kTileLoops || w.product->loops.size() != loops.size()) return false;
  const size_t n = loops.size() - kTileLoops;
  w.outer.assign(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(n));
  const auto points = constant_value(loops[n].extent), y = constant_value(loops[n + 2].extent),
             x = constant_value(loops[n + 3].extent), channels = constant_value(loops[n + 4].extent),
             filters = constant_value(w.product->loops[n + 4].extent);
  if (!points || !y || !x || !channels || !filters) return false;
  w.points = static_cast<int>(*points);
  w.tiles_y = *y, w.tiles_x = *x, w.channels = *channels, w.filters = *filters;
  return true;
}

bool find_source(WinogradParts& w) {
  const auto& sum = std::get<Reduce>(w.data->value->node);
  const size_t n = w.outer.size();
  int64_t step_y = 0, step_x = 0;
  for (size_t d = 0; d < w.source->index.size(); ++d) {
    const Expr& e = w.source->index[d];
    const auto y = walk_of(e, w.data->loops[n + 2].name, sum.vars[0].name),
               x = walk_of(e, w.data->loops[n + 3].name, sum.vars[1].name);
    if (y) step_y = y->step, w.y_dim = d, w.y_first = y->first;
    if (x) step_x = x->step, w.x_dim = d, w.x_first = x->first;
  }
  w.stride = static_cast<int>(step_y / w.outputs);
  return step_y > 0 && step_y == step_x && step_y % w.outputs == 0 && w.source->fill;
}

/// The loops of the result: outer ones, pixels and filters, by how W is read.
bool find_result(const Read& read, WinogradParts& w) {
  const size_t n = w.outer.size();
  if (read.index.size() != n + kTileLoops) return false;
  const auto pixel = [&](const Expr& e) {
    const auto* a = std::get_if<Apply>(&e->node);
    const auto* v = a && a->op == ScalarOp::FloorDiv ? std::get_if<VarRef>(&a->args[0]->node) : nullptr;
    return v ? v->name : std::string();
  };
  const auto* filter = std::get_if<VarRef>(&read.index[n + 4]->node);
  w.y = pixel(read.index[n + 2]), w.x = pixel(read.index[n + 3]), w.filter = filter ? filter->name : "";
  for (size_t i = 0; i < n; ++i)
    for (const LoopVar& v : w.result->loops)
      if (const auto* o = std::get_if<VarRef>(&read.index[i]->node); o && o->name == v.name)
        w.result_outer.push_back(v);
  for (const LoopVar& v : w.result->loops) {
    if (v.name == w.y) w.height = constant_value(v.extent).value_or(0);
    if (v.name == w.x) w.width = constant_value(v.extent).value_or(0);
  }
  return w.result_outer.size() == n && w.height > 0 && w.width > 0 && !w.filter.empty();
}

}  // namespace

std::optional<WinogradParts> find_winograd(const Kernel& kernel) {
  if (kernel.body.size() != kStatements || !kernel.checks.empty()) return std::nullopt;
  WinogradParts w;
  w.data = &kernel.body[0], w.product = &kernel.body[1], w.result = &kernel.body[2];
  const Reduce *data = sum_of(w.data->value, 2), *product = sum_of(w.product->value, 1);
  w.sum = only_reduction(w.result->value);
  const auto* result = w.sum ? std::get_if<Reduce>(&w.sum->node) : nullptr;
  if (!data || !product || !result || result->vars.size() != 2) return std::nullopt;
  const auto x = reads_of(data->value, 3), u = reads_of(product->value, 2), y = reads_of(result->value, 3);
  if (!x || !u || !y || (*u)[0]->tensor != w.data->target || (*y)[2]->tensor != w.product->target) return std::nullopt;
  w.source = (*x)[2], w.weights = (*u)[1];
  const Tensor& table = kernel.tensor((*y)[0]->tensor);
  w.outputs = table.dims.size() == 2 ? static_cast<int>(constant_value(table.dims[0]).value_or(0)) : 0;
  if (!find_loops(w) || w.outputs < 1 || w.points <= w.outputs || columns_of(kernel, *(*y)[0]) != w.points)
    return std::nullopt;
  w.neighbours = static_cast<int>(columns_of(kernel, *(*x)[0]));
  if (!find_source(w) || w.taps() < w.stride || !find_result(*(*y)[2], w)) return std::nullopt;
  const WinogradTransform t = winograd_transform(w.outputs, w.taps(), w.stride);
  if (!has_table(kernel, *(*x)[0], t.data) || !has_table(kernel, *(*y)[0], t.result)) return std::nullopt;
  return w;
}

}  // namespace tenon
