// Steps of the three tensors along each loop, then rows in plain float arithmetic.
#include "oracle/fold_binary.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tenon {
namespace {

using Steps = std::vector<int64_t>;  // elements from one turn of each loop to the next

struct Loops {
  std::vector<std::string> names;
  std::vector<int64_t> extents;
};

/// Nothing where an index is not a variable and not 0, or may be outside.
std::optional<Steps> steps_of(const Tensor& tensor, const std::vector<Expr>& index, const Loops& loops,
                              const OracleCall& call) {
  Steps steps(loops.names.size(), 0);
  for (size_t d = 0; d < index.size(); ++d) {
    if (constant_value(index[d]) == 0 && evaluate_size(tensor.dims[d], call) > 0) continue;
    const auto* v = std::get_if<VarRef>(&index[d]->node);
    const auto at = v ? std::find(loops.names.begin(), loops.names.end(), v->name) : loops.names.end();
    if (at == loops.names.end()) return std::nullopt;
    const auto k = static_cast<size_t>(at - loops.names.begin());
    if (loops.extents[k] > evaluate_size(tensor.dims[d], call)) return std::nullopt;
    steps[k] += evaluate_size(tensor.strides[d], call);
  }
  return steps;
}

/// Elements of three tensors, whose bytes need not be aligned.
struct RowOperands {
  const unsigned char *a, *b;
  unsigned char* y;
  int64_t a_step, b_step, y_step, count;  // steps in bytes

  template <class F>
  void each(const F& f) const {
    for (int64_t i = 0; i < count; ++i) {
      float x, z;
      std::memcpy(&x, a + i * a_step, sizeof x);
      std::memcpy(&z, b + i * b_step, sizeof z);
      const float r = f(x, z);
      std::memcpy(y + i * y_step, &r, sizeof r);
    }
  }
  void run(ScalarOp op) const {
    if (op == ScalarOp::Add) each([](float x, float z) { return x + z; });
    else if (op == ScalarOp::Sub) each([](float x, float z) { return x - z; });
    else if (op == ScalarOp::Mul) each([](float x, float z) { return x * z; });
    else each([](float x, float z) { return x / z; });
  }
};

/// The loops, and tensor and steps of the target and of both operands.
struct Plan {
  Loops loops;
  std::vector<size_t> tensors;
  std::vector<Steps> steps;
};

bool is_plain(ScalarOp op) {
  return op == ScalarOp::Add || op == ScalarOp::Sub || op == ScalarOp::Mul || op == ScalarOp::Div;
}

std::optional<Plan> plan_of(const Kernel& kernel, const OracleCall& call) {
  if (kernel.call || !kernel.checks.empty() || kernel.body.size() != 1 || kernel.body[0].update != Update::Assign ||
      is_in_recurrence(kernel.body[0]))
    return std::nullopt;
  const KernelStatement& s = kernel.body[0];
  const auto* apply = std::get_if<Apply>(&s.value->node);
  if (!apply || s.value->type != DType::F32 || s.loops.empty() || !is_plain(apply->op)) return std::nullopt;
  Plan p;
  for (const LoopVar& v : s.loops) {
    p.loops.names.push_back(v.name);
    p.loops.extents.push_back(evaluate_size(v.extent, call));
    if (p.loops.extents.back() < 1) return std::nullopt;
  }
  const auto add = [&](int tensor, const std::vector<Expr>& index) {
    const Tensor& t = kernel.tensors[static_cast<size_t>(tensor)];
    const auto steps = t.dtype == DType::F32 ? steps_of(t, index, p.loops, call) : std::nullopt;
    if (!steps) return false;
    p.tensors.push_back(static_cast<size_t>(tensor));
    p.steps.push_back(*steps);
    return true;
  };
  if (!add(s.target, s.index)) return std::nullopt;
  for (const Expr& e : apply->args) {
    const auto* r = std::get_if<Read>(&e->node);
    if (!r || r->fill || kernel.tensors[static_cast<size_t>(r->tensor)].role != Role::Input ||
        !add(r->tensor, r->index))
      return std::nullopt;
  }
  return p;
}

/// Loops that all tensors walk as one become one: rows of a weight of 3 x 3 taps are long then.
void merge_loops(Plan& p) {
  for (size_t k = p.loops.extents.size(); k-- > 1;) {
    const int64_t inner = p.loops.extents[k];
    const auto continues = [&](const Steps& s) { return s[k - 1] == s[k] * inner; };
    if (!std::all_of(p.steps.begin(), p.steps.end(), continues)) continue;
    const auto at = static_cast<std::ptrdiff_t>(k);
    p.loops.extents[k - 1] *= inner;
    p.loops.extents.erase(p.loops.extents.begin() + at);
    for (Steps& s : p.steps) s.erase(s.begin() + at - 1);
  }
}

/// Rows of the innermost loop, for all turns of the others.
void run_rows(const Plan& p, ScalarOp op, const OracleCall& call, unsigned char* y) {
  constexpr int64_t kBytes = sizeof(float);
  const std::vector<int64_t>& extents = p.loops.extents;
  const size_t inner = extents.size() - 1;
  std::vector<int64_t> turn(inner, 0);
  for (bool more = true; more;) {
    int64_t at[3] = {0, 0, 0};
    for (size_t t = 0; t < 3; ++t)
      for (size_t k = 0; k < inner; ++k) at[t] += turn[k] * p.steps[t][k] * kBytes;
    const RowOperands row{call.tensors[p.tensors[1]].bytes.data() + at[1],
                          call.tensors[p.tensors[2]].bytes.data() + at[2],
                          y + at[0],
                          p.steps[1][inner] * kBytes,
                          p.steps[2][inner] * kBytes,
                          p.steps[0][inner] * kBytes,
                          extents[inner]};
    row.run(op);
    size_t k = inner;
    while (k > 0 && ++turn[k - 1] == extents[k - 1]) turn[--k] = 0;
    more = k > 0;
  }
}

}  // namespace

bool fold_binary(const Kernel& kernel, OracleCall& call) {
  auto p = plan_of(kernel, call);
  if (!p) return false;
  merge_loops(*p);
  const std::vector<int64_t>& extents = p->loops.extents;
  int64_t last = 0;  // the target's maximum offset
  for (size_t k = 0; k < extents.size(); ++k) last += p->steps[0][k] * (extents[k] - 1);
  std::vector<unsigned char> y(static_cast<size_t>(last + 1) * sizeof(float));
  run_rows(*p, std::get<Apply>(kernel.body[0].value->node).op, call, y.data());
  call.tensors.resize(kernel.tensors.size());
  TensorData& out = call.tensors[p->tensors[0]];
  out.dtype = DType::F32;
  out.bytes = std::move(y);
  return true;
}

}  // namespace tenon
