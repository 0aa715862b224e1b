// Loop nests built by hand for the tests of the emitter: maps with a masked tail, folds, gathers, buffers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"

namespace tenon_test {

/// Inputs A, B, C of the given types, output Y; size N; f of the loaded values (converted by f itself).
struct MapCase {
  std::string name;
  std::vector<tenon::DType> inputs;
  tenon::DType output;
  std::function<tenon::Operand(const tenon::Few<tenon::Operand>&)> f;
};

inline tenon::Kernel kernel_over_n(const std::string& name, const std::vector<tenon::DType>& inputs,
                                   tenon::DType output) {
  using namespace tenon;
  Kernel k;
  k.name = name;
  k.doc = name;
  k.sizes = {Size{"N"}};
  const Expr n = size_ref("N");
  for (size_t i = 0; i < inputs.size(); ++i)
    k.tensors.push_back(
        Tensor{std::string(1, static_cast<char>('A' + i)), Role::Input, inputs[i], {n}, {constant_int(1)}});
  k.tensors.push_back(Tensor{"Y", Role::Output, output, {n}, {constant_int(1)}});
  return k;
}

inline tenon::LoopNest nest_of(const tenon::Isa& isa, tenon::Kernel kernel) {
  using namespace tenon;
  LoopNest nest;
  nest.name = kernel.name + "_" + std::string(isa.suffix);
  nest.isa = std::string(isa.name);
  nest.blueprint = "sample";
  for (size_t i = 0; i < kernel.tensors.size(); ++i) {
    const Tensor& t = kernel.tensors[i];
    nest.buffers.push_back(
        Buffer{t.name, t.dtype, Storage::Tensor, static_cast<int>(i), nullptr, t.role == Role::Output});
  }
  nest.kernel = std::make_shared<const Kernel>(std::move(kernel));
  return nest;
}

/// Lanes that the widest type of the case has.
inline int lanes_of(const tenon::Isa& isa, const MapCase& c) {
  tenon::DType widest = c.output;
  for (const tenon::DType d : c.inputs)
    if (tenon::bytes_of(d) > tenon::bytes_of(widest)) widest = d;
  return isa.lanes(widest);
}

/// Y[i] = f(A[i], …): whole vectors, then one vector of which some lanes are active; or element by element for one
/// lane.
inline tenon::LoopNest map_nest(const tenon::Isa& isa, const MapCase& c, int lanes) {
  using namespace tenon;
  LoopNest nest = nest_of(isa, kernel_over_n(c.name, c.inputs, c.output));
  const int out = static_cast<int>(c.inputs.size());
  const auto step = [&](const Operand& at, int width, const Operand& active) {
    Few<Operand> loaded;
    for (int i = 0; i < out; ++i) loaded.push_back(v_load(i, c.inputs[static_cast<size_t>(i)], at, width, active));
    return s_store(out, at, c.f(loaded), active);
  };
  const Operand n = v_size("N"), i = v_var("i");
  if (lanes == 1) {
    nest.body = {with_kind(LoopKind::Parallel, s_for("i", v_int(0), n, 1, {step(i, 1, nullptr)}))};
    return nest;
  }
  const Operand whole = v_apply(ScalarOp::FloorDiv, {n, v_int(lanes)}) * v_int(lanes), rest = v_var("rest"),
                at = v_var("whole");
  nest.body = {s_let("whole", whole), s_for("i", v_int(0), at, lanes, {step(i, lanes, nullptr)}), s_let("rest", n - at),
               s_if(v_apply(ScalarOp::Gt, {rest, v_int(0)}), {step(at, lanes, rest)})};
  return nest;
}

/// Y[0] = fold of A: two accumulators of vectors, scalars for the rest.
inline tenon::LoopNest fold_nest(const tenon::Isa& isa, const std::string& name, tenon::DType d, tenon::Reducer r,
                                 tenon::ScalarOp op) {
  using namespace tenon;
  LoopNest nest = nest_of(isa, kernel_over_n(name, {d}, d));
  const int lanes = isa.lanes(d);
  const OperandType t{d, lanes, 0}, one{d, 1, 0};
  const Operand n = v_size("N"), i = v_var("i");
  const Constant identity = *as_constant(identity_of(r, d));
  nest.body.push_back(s_var("sum", v_constant(identity, one)));
  if (lanes > 1) {
    nest.body.push_back(s_let("whole", v_apply(ScalarOp::FloorDiv, {n, v_int(2 * lanes)}) * v_int(2 * lanes)));
    nest.body.push_back(s_var("sum_0", v_constant(identity, t)));
    nest.body.push_back(s_var("sum_1", v_constant(identity, t)));
    const auto add = [&](const char* acc, const Operand& at) {
      return s_assign(acc, v_apply(op, {v_var(acc, t), v_load(0, d, at, lanes)}));
    };
    nest.body.push_back(
        s_for("i", v_int(0), v_var("whole"), 2 * lanes, {add("sum_0", i), add("sum_1", i + v_int(lanes))}));
    nest.body.push_back(s_assign("sum", v_fold(r, v_apply(op, {v_var("sum_0", t), v_var("sum_1", t)}))));
  } else {
    nest.body.push_back(s_let("whole", v_int(0)));
  }
  nest.body.push_back(
      s_for("i", v_var("whole"), n, 1, {s_assign("sum", v_apply(op, {v_var("sum", one), v_load(0, d, i)}))}));
  nest.body.push_back(s_store(1, v_int(0), v_var("sum", one)));
  return nest;
}

}  // namespace tenon_test
