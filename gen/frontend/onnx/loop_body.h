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

/// Loops of TensorFlow run `while` a counter is below an extent, and hand weights from one iteration to the next.
class LoopBody {
 public:
  /// The integer that a name stands for outside of the loop, where it is one that is known before run time.
  using NumberOf = std::function<std::optional<SizeExpr>(const std::string& name)>;

  /// `initial` has the numbers that the carried values of i32 and i64 begin with, `sizes` the ranges of values in
  /// them. The graph has to outlive this.
  LoopBody(const tenon_onnx::GraphProto& body, NumberOf outside, std::vector<std::optional<SizeExpr>> initial,
           std::vector<GraphSize> sizes);

  /// Whether each iteration hands on what it was given.
  bool keeps(size_t carried) const;
  /// Whether a carried sequence does nothing but get an element at its end in each iteration.
  bool grows(size_t carried) const;
  /// The carried value in iteration k, where each iteration adds the same number to it.
  std::optional<Counter> counter(size_t carried) const;
  /// How many iterations run until the body's condition ends the loop; nothing where that depends on data, or where it
  /// never does. `starts`: the first one runs. Otherwise what decides on it is taken to be the same condition one
  /// iteration earlier.
  std::optional<SizeExpr> iterations(bool starts) const;

 private:
  /// For how many iterations from the first on a condition holds: never where that is negative.
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
  mutable int steps_ = 0;  // names looked at: sums of sums of the same values would double them
};

}  // namespace tenon
