// A definition with a variadic input or output → the definition for a given number of tensors, each an input or output
// of its own.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "ir/op/op_def.h"
#include "library/scope.h"
#include "support/diagnostics.h"

namespace tenon {

/// Operand k of `X...` becomes the input Xk, its own sizes `D...` become Dk, and a statement that reads X one statement
/// per operand; where another tensor, size or attribute is called so, X_k or D_k. Values of the body give way.
/// sum_of(D) is the sum of all Dk, offset(D) of those before this operand's, operand(X) its number and count(X) their
/// number. The same for an output `Y...`: Dk is a let, element k of the list D, and a statement that defines Y becomes
/// one per output.
OpDef unroll_variadic(const OpDef& def, int tensors);
/// The same where tensors after the first may be absent at run time: nothing is done for those, and count(X) is the
/// number of the others. An operand's own extents are 0 then; if there are none, its number in the target's indices
/// comes from a loop over the let Xk_given, 1 or 0.
OpDef unroll_optional(const OpDef& def, int tensors);
/// Whether unroll_optional() can say so: the statements of an operand have an extent of its own, or name its number on
/// the left.
bool may_lack_tensors(const OpDef& def);
/// Whether the definition depends on the number of operands other than through their extents.
bool counts_operands(const OpDef& def);
/// The last input takes any number of tensors.
bool is_variadic(const OpDef& def);
/// The last output is any number of tensors.
bool has_variadic_output(const OpDef& def);
/// The list attribute that has an extent for each tensor of a variadic output; nullptr for other definitions.
const std::string* extents_of_outputs(const OpDef& def);

/// For a variadic definition: the definition for the number of tensors in a call with `inputs` inputs; null for other
/// definitions. Nothing after an error.
std::optional<std::shared_ptr<const OpDef>> unroll_call(const OpDef& def, size_t inputs,
                                                        const std::map<std::string, BoundAttr>& attrs,
                                                        const SourceSpan& place, Diagnostics& diagnostics);

}  // namespace tenon
