// Gradients that are derived from definitions next to differences of the definitions themselves: the oracle runs both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <set>

#include "catch.h"
#include "differentiate/node_gradient.h"
#include "library/bind_node.h"
#include "oracle/run_kernel.h"
#include "shipped_library.h"

namespace gradient_test {

using namespace tenon;

struct Case {
  std::string op;
  std::vector<std::vector<int64_t>> shapes;
  Attributes attrs = {};
  std::vector<std::vector<int64_t>> indices = {};  ///< of i64 inputs, in the order of the inputs from the back
  double lo = -2, hi = 2;
};

inline TensorData floats(const std::vector<int64_t>& dims, const Case& c, std::mt19937& random) {
  TensorData t{DType::F64, dims, {}};
  std::uniform_real_distribution<double> next(c.lo, c.hi);
  for (int64_t i = 0; i < element_count(dims); ++i) {
    const double v = next(random);
    const auto* b = reinterpret_cast<const uint8_t*>(&v);
    t.bytes.insert(t.bytes.end(), b, b + 8);
  }
  return t;
}

inline double* elements(TensorData& t) { return reinterpret_cast<double*>(t.bytes.data()); }

class Differences {
 public:
  Differences(const OpLibrary& defs, const Case& c) : defs_(defs), case_(c), random_(7) {
    for (size_t i = 0; i < c.shapes.size(); ++i) {
      const size_t behind = c.shapes.size() - i;
      inputs_.push_back(behind <= c.indices.size() ? i64_tensor(c.shapes[i], c.indices[c.indices.size() - behind])
                                                   : floats(c.shapes[i], c, random_));
      GivenTensor g{true, inputs_.back().dtype, {}};
      for (const int64_t d : c.shapes[i]) g.dims.push_back(constant_int(d));
      given_.push_back(std::move(g));
    }
    Diagnostics diagnostics;
    auto call = expand_node({defs, *defs.op(c.op), given_, c.attrs}, {}, diagnostics, true);
    INFO(diagnostics.text());
    REQUIRE(call);
    forward_ = std::move(call->kernel);
    plain_ = std::move(expand_node({defs, *defs.op(c.op), given_, c.attrs}, {}, diagnostics)->kernel);
  }

  void check_all() {
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i].dtype == DType::F64) check(i);
  }

 private:
  /// Outputs by the order of the kernel's.
  std::vector<TensorData> values(const std::vector<TensorData>& inputs) const {
    OracleCall call;
    call.tensors = inputs;
    REQUIRE(run_kernel(plain_, call) == OracleStatus::Done);
    std::vector<TensorData> out;
    for (size_t t = 0; t < plain_.tensors.size(); ++t)
      if (plain_.tensors[t].role == Role::Output) out.push_back(call.tensors[t]);
    return out;
  }

  double score(const std::vector<TensorData>& inputs) {
    double sum = 0;
    std::vector<TensorData> ys = values(inputs);
    for (size_t y = 0; y < ys.size(); ++y)
      for (int64_t k = 0; ys[y].dtype == DType::F64 && k < element_count(ys[y].dims); ++k)
        sum += elements(ys[y])[k] * elements(weights_[y])[k];
    return sum;
  }

  void check(size_t i) {
    weights_.clear();
    for (const TensorData& y : values(inputs_)) weights_.push_back(floats(y.dims, case_, random_));
    std::set<std::string> cotangents;
    for (const Tensor& t : forward_.tensors)
      if (t.role == Role::Output && t.dtype == DType::F64) cotangents.insert(t.name);
    const std::string& input = forward_.tensors[i].name;
    const GradientKernel made = node_gradient(forward_, input, cotangents, DerivativeTable(defs_));
    INFO(case_.op << " d" << input << ": " << made.why);
    REQUIRE(made.kernel);
    INFO(to_text(*made.kernel));
    REQUIRE(verify(*made.kernel) == std::vector<std::string>{});
    compare(i, gradient(*made.kernel));
  }

  TensorData gradient(const Kernel& k) {
    OracleCall call;
    size_t result = 0;
    for (size_t t = 0; t < k.tensors.size(); ++t) {
      call.tensors.push_back(value_of(k.tensors[t]));
      if (k.tensors[t].role == Role::Output) result = t;
    }
    REQUIRE(run_kernel(k, call) == OracleStatus::Done);
    return call.tensors[result];
  }

  TensorData value_of(const Tensor& t) {
    size_t output = 0;
    for (size_t i = 0; i < forward_.tensors.size(); ++i) {
      const Tensor& own = forward_.tensors[i];
      if (own.role == Role::Input && own.name == t.name) return inputs_[i];
      if (own.role == Role::Output && "d" + own.name == t.name && t.role == Role::Input) return weights_[output];
      if (own.role == Role::Output) ++output;
    }
    return {};
  }

  void compare(size_t i, TensorData gradient) {
    for (int round = 0; round < 3; ++round) {
      TensorData way = floats(inputs_[i].dims, case_, random_);
      const int64_t n = element_count(way.dims);
      double mine = 0, most = 0;
      for (int64_t k = 0; k < n; ++k) {
        mine += elements(gradient)[k] * elements(way)[k];
        most += std::abs(elements(gradient)[k] * elements(way)[k]);
      }
      const auto at = [&](double h) {
        std::vector<TensorData> moved = inputs_;
        for (int64_t k = 0; k < n; ++k) elements(moved[i])[k] += h * elements(way)[k];
        return score(moved);
      };
      const double h = 1e-5, want = (at(h) - at(-h)) / (2 * h);
      INFO("difference " << want);
      CHECK(std::abs(mine - want) <= 1e-6 * (most + std::abs(want) + 1));
    }
  }

  const OpLibrary& defs_;
  const Case& case_;
  std::mt19937 random_;
  std::vector<TensorData> inputs_, weights_;
  std::vector<GivenTensor> given_;
  Kernel forward_, plain_;
};

using Ints = std::vector<int64_t>;

/// The shipped definitions and those of `text`.
inline OpLibrary library_of(const char* text) {
  return tenon_test::wholly_read(read_ops(tenon_test::yaml_files("opdefs"),
                                          {std::make_shared<SourceFile>("own.yaml", text)},
                                          tenon_test::frame_files(TENON_CHECKOUT)));
}

inline void check_differences(const OpLibrary& defs, const std::vector<Case>& cases) {
  for (const Case& c : cases) Differences(defs, c).check_all();
}

}  // namespace gradient_test
