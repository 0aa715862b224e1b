// The extents that an ONNX model leaves open and the bounds that --size gives them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/graph/graph_builder.h"
#include "frontend/onnx/onnx.pb.h"
#include "frontend/onnx/read_onnx.h"

namespace tenon {

/// Whether an extent is stated as a number.
bool is_number(const tenon_onnx::TensorShapeProto::Dimension& dim);

class OpenSizes {
 public:
  OpenSizes(const SizeRanges& ranges, const std::string& program)
      : ranges_(ranges), c_names_(NamesOf::model, program) {}

  /// What stands for an open extent: a number if it is fixed, otherwise a size that `builder` gets with its bounds.
  /// Nothing where no bounds were given; `name` is what they have to be given for.
  std::optional<SizeExpr> extent(const tenon_onnx::TensorShapeProto::Dimension& dim, const std::string& input, int axis,
                                 GraphBuilder& builder, std::string& name);

  /// Open extents of an input that have no bounds are those of an array. False if it has another rank.
  bool take(const tenon_onnx::TensorShapeProto& shape, const std::string& input, const std::vector<int64_t>& extents);

  /// The extents of a shape that the file states; nothing where one of them is none that inputs have.
  std::optional<std::vector<SizeExpr>> stated(const tenon_onnx::TensorShapeProto& shape) const;

  /// What stands for the sizes of the inputs, by their names in the file.
  std::map<std::string, SizeExpr> known() const;

  /// The names that bounds were given for and that no input has.
  std::vector<std::string> unused() const;

 private:
  /// The bounds of an open extent, if it has some; `name` is what they are for.
  SizeRanges::const_iterator find(const tenon_onnx::TensorShapeProto::Dimension& dim, const std::string& input,
                                  int axis, std::string& name) const;

  SizeRanges ranges_;
  std::map<std::string, std::string> names_;  // in the file → in C
  std::set<std::string> used_;
  CNames c_names_;
};

}  // namespace tenon
