// What tests of lowering make kernels of by hand, and how they look at what becomes of them.
#pragma once

#include "catch.h"
#include "isa/all_isas.h"
#include "lower/lower_kernel.h"

namespace tenon_test {

inline tenon::Expr v(const std::string& name) { return tenon::var_ref(name); }
/// Dense, of f32.
inline tenon::Tensor tensor(const std::string& name, tenon::Role role, std::vector<tenon::Expr> dims) {
  return {name, role, tenon::DType::F32, dims, tenon::contiguous_strides(dims)};
}
/// A read of the kernel's tensor number `t`.
inline tenon::Expr at(int t, std::vector<tenon::Expr> index) {
  return tenon::read_of(t, tenon::DType::F32, std::move(index));
}

/// The verified loop nest of a level.
inline tenon::LoopNest lowered(const tenon::Kernel& k, std::string_view level) {
  tenon::LoopNest nest = tenon::lower_kernel(k, tenon::Blueprints{}, *tenon::isa_from_name(level));
  REQUIRE(verify(nest) == std::vector<std::string>{});
  return nest;
}

/// How often a text has a part.
inline int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++n;
  return n;
}

/// Y[c, y, x] = Σ over r, s of X[c, y + r - taps/2, x + s - taps/2] W[c, r, s]: one filter a channel, 0 around the
/// plane
inline tenon::Kernel depthwise(int64_t height, int64_t width, int64_t taps, double around = 0) {
  using namespace tenon;
  const Expr c = constant_int(4), h = constant_int(height), w = constant_int(width), n = constant_int(taps),
             before = constant_int(taps / 2);
  Kernel k;
  k.name = "depthwise_f32";
  k.tensors = {tensor("X", Role::Input, {c, h, w}), tensor("W", Role::Input, {c, n, n}),
               tensor("Y", Role::Output, {c, h, w})};
  const Expr pixel = read_of(0, DType::F32, {v("c"), v("y") + v("r") - before, v("x") + v("s") - before},
                             constant_float(around, DType::F32));
  const Expr sum =
      reduce(Reducer::Sum, {{"r", n}, {"s", n}}, nullptr, pixel * at(1, {v("c"), v("r"), v("s")}), DType::F32);
  k.body = {{2, {v("c"), v("y"), v("x")}, Update::Assign, sum, {{"c", c}, {"y", h}, {"x", w}}, ""}};
  return k;
}
inline tenon::Kernel depthwise_3x3(int64_t height, int64_t width) { return depthwise(height, width, 3); }

}  // namespace tenon_test
