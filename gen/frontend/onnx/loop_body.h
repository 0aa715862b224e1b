// Facts about an ONNX Loop, taken from its body before its nodes are added: values that no iteration changes,
// counters, and how often it runs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/graph/size_arithmetic.h"
#include "frontend/onnx/onnx.pb.h"

namespace tenon {

/// An integer of iteration k: start + step * k.
struct Counter {
  SizeExpr start;
  int64_t step = 0;
};

/// Loops from TensorFlow run while a counter is below an extent, and carry weights from one iteration to the next.
class LoopBody {
 public:
  /// The integer value of a name outside the loop, if it is known before run time.
  using NumberOf = std::function<std::optional<SizeExpr>(const std::string& name)>;

  /// `initial` has the numbers that the carried values of i32 and i64 begin with, `sizes` the ranges of values in
  /// them. The graph has to outlive this.
  LoopBody(const tenon_onnx::GraphProto& body, NumberOf outside, std::vector<std::optional<SizeExpr>> initial,
           std::vector<GraphSize> sizes);

  /// Whether each iteration passes it on unchanged.
  bool keeps(size_t carried) const;
  /// Whether each iteration only appends one element to the carried sequence.
  bool grows(size_t carried) const;
  /// The carried value in iteration k, where each iteration adds the same number to it.
  std::optional<Counter> counter(size_t carried) const;
  /// The number of iterations until the body's condition ends the loop; nothing if that depends on data or never
  /// happens. `starts`: the first iteration runs; otherwise the same condition, one iteration earlier, decides.
  std::optional<SizeExpr> iterations(bool starts) const;

 private:
  /// The number of iterations, from the first, for which a condition holds: none if it is negative.
  struct Holds {
    bool always = false;
    SizeExpr times = 0;
  };
  const tenon_onnx::NodeProto* maker(const std::string& name) const;
  const std::string& source(const std::string& name) const;
  std::optional<size_t> carried_named(const std::string& name) const;
  std::optional<SizeExpr> constant(const std::string& name) const;
  std::optional<Counter> term(const std::string& name) const;
  std::optional<Holds> holds(const std::string& name, bool negated) const;
  std::optional<Holds> below(const tenon_onnx::NodeProto& node, bool swapped, bool or_equal) const;

  const tenon_onnx::GraphProto& body_;
  NumberOf outside_;
  std::vector<std::optional<SizeExpr>> initial_;
  std::vector<GraphSize> sizes_;
  std::map<std::string, const tenon_onnx::NodeProto*> makers_;
  mutable int steps_ = 0;  // visited names: nested sums of the same values would be visited exponentially often
};

}  // namespace tenon
