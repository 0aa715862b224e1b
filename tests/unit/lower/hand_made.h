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

}  // namespace tenon_test
