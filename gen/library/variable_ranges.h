// Ranges of a body's index variables, from the dims that they index alone.
#pragma once

#include <string>
#include <vector>

#include "ir/op/op_def.h"
#include "library/expr_builder.h"
#include "library/scope.h"

namespace tenon {

class VariableRanges {
 public:
  VariableRanges(const OpDef& def, Scope& scope, ExprBuilder& expr) : def_(def), scope_(scope), expr_(expr) {}

  /// Those that the definition states, then those of all statements as far as their tensors have shapes.
  void declare();
  /// Those of variables that index alone in the statement, and have no range yet.
  void find(const Statement& s);
  /// Adds the variables of `s` that no reduction inside it binds, in order of appearance.
  void add_free(const Syntax& s, std::vector<std::string>& bound, std::vector<LoopVar>& out);

 private:
  void bare_uses(const std::string& tensor, const std::vector<Syntax>& subs);
  void bare_name(const Syntax& s, const Expr& extent, bool open);

  const OpDef& def_;
  Scope& scope_;
  ExprBuilder& expr_;
};

}  // namespace tenon
