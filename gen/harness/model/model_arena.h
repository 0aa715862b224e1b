// The arena of a model in C: one piece of memory, or a pointer for each of its memory regions.
#pragma once

#include <string>
#include <vector>

#include "ir/nest/c_ast.h"
#include "ir/plan/execution_plan.h"

namespace tenon {

/// Texts about the arena of a model. `name` is the model's prefix.
class ModelArena {
 public:
  ModelArena(const ExecutionPlan& plan, std::string name);

  /// Whether it has memory regions.
  bool divided() const { return !plan_.memories.empty(); }

  // Of the header.
  std::string constants() const;  ///< NET_ARENA_BYTES, or NET_ARENA_FAST_BYTES of each region
  std::string type() const;       ///< net_arena: a pointer for each region
  std::string parameter() const;  ///< "void *arena"
  std::string info() const;       ///< what NET_info says of it

  // Of the sources.
  std::string const_parameter() const;
  CBlock checks() const;                              ///< of the parameter
  std::string call_field() const;                     ///< of a call, as bytes
  CBlock set_call() const;                            ///< from the parameter
  CExpr address(int memory, CExpr offset) const;      ///< `arena + NET_AT_x`
  std::string offset_of(const PlanBuffer& b) const;   ///< NET_AT_x: where the buffer begins
  std::string workspace_of(const PlanStep& s) const;  ///< NET_WORKSPACE_conv2d: where the step's workspace begins
  std::string offsets() const;                        ///< the macros of these names

  // Of programs.
  std::string field(const std::string& variable) const;  ///< of a structure
  std::string of(const std::string& field) const;        ///< the field as an argument of NET_run
  std::string total() const;                             ///< all of its bytes, as an expression
  std::string bytes(const MemoryRegion& region) const;   ///< NET_ARENA_FAST_BYTES
  const std::vector<MemoryRegion>& regions() const { return plan_.memories; }
  const std::string& upper() const { return upper_; }

 private:
  const ExecutionPlan& plan_;
  std::string name_, upper_;
};

/// At file scope: one array per region, which these models share in turn, in a section that -D chooses.
std::string arena_arrays(const std::vector<ModelArena>& arenas);
/// Statements that make the field the arena in these arrays.
std::string set_arena(const std::vector<ModelArena>& arenas, const std::string& field);

}  // namespace tenon
