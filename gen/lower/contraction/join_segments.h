// Bodies of kernels that are segments of another, put into one nest: buffers by name, temps with space for what any
// segment needs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algebra/contraction_value.h"
#include "ir/nest/loop_nest.h"
#include "lower/generate/nest_target.h"
#include "lower/nest/rename_nest.h"
#include "support/function_ref.h"

namespace tenon {

/// The buffer of a temp, with space for so many elements.
int keep_temp(const Tensor& temp, const Operand& elements, NestTarget target);

/// Numbers of a segment's buffers and functions in the nest; missing ones are added. `sizes`: upper bounds of the
/// segments' sizes.
NestRenaming adopt_segment(const Kernel& segment, const std::vector<Buffer>& buffers,
                           const std::vector<InnerFunction>& functions, const std::map<std::string, Operand>& sizes,
                           NestTarget target);

/// The buffers that the loops of a kernel begin with: one a tensor.
std::vector<Buffer> tensor_buffers(const Kernel& kernel);

/// `name`, or that with `_2` after it, which nothing in `taken` is called; it is taken then.
std::string take_fresh(std::set<std::string>& taken, std::string name);

/// The body with sizes of segments as variables of the nest around it.
Block with_variables(const Block& body, const std::map<std::string, Operand>& sizes, NestTarget target);

/// A body over the panels of products, put together from segments.
struct PanelledBody {
  std::string blueprint;
  Operand pays;  ///< whether there are rows enough to pay for the panels; a constant where sizes are known
  Block body;
};

/// Lowers the statements that are not products; declares none of the names.
using LowerStatements =
    std::function<Block(const Kernel&, std::vector<Buffer>&, const std::vector<std::string>& taken)>;

/// Extents as values of the nest, for those who put segments together.
struct SegmentValues {
  ValueScope scope;
  bool possible = true;  ///< false once an extent was none

  Operand value(const Expr& e);
  Operand elements(const Tensor& t);
};

/// The result of `build`; if that is nothing, the target is restored.
std::optional<PanelledBody> or_as_before(NestTarget target, FunctionRef<std::optional<PanelledBody>()> build);

}  // namespace tenon
