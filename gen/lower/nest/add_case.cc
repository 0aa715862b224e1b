// Joins two nests of a kernel: one branch, the buffers and functions of both.
#include <fmt/format.h>

#include <algorithm>

#include "lower/nest/rename_nest.h"

namespace tenon {
namespace {

class CaseAdder {
 public:
  CaseAdder(const Expr& holds, CaseWorkspace workspace, LoopNest& nest)
      : holds_(size_number(holds)), by_call_(workspace == CaseWorkspace::by_call), nest_(nest) {}

  void add(const LoopNest& one) {
    NestRenaming by;
    for (size_t b = 0; b < one.buffers.size(); ++b) by.buffers.push_back(place(one.buffers[b], b));
    by.functions = merge_functions(one.functions, nest_.functions);
    nest_.body = {s_if(holds_, renamed(one.body, by), std::move(nest_.body))};
  }

 private:
  /// A buffer of a case where the nest has its own: that one, grown to what either needs.
  int place(Buffer b, size_t number) {
    if (b.storage == Storage::Tensor) return static_cast<int>(number);
    for (size_t i = 0; i < nest_.buffers.size(); ++i) {
      Buffer& known = nest_.buffers[i];
      if (known.name != b.name || known.dtype != b.dtype || known.storage != b.storage) continue;
      known.elements = of_both(b, known.elements);
      return static_cast<int>(i);
    }
    if (by_call_) {
      b.name = fresh_name(b.name);
      b.elements = of_both(b, v_int(0));
    }
    nest_.buffers.push_back(std::move(b));
    return static_cast<int>(nest_.buffers.size()) - 1;
  }

  Operand of_both(const Buffer& b, const Operand& otherwise) const {
    if (!by_call_ || b.storage != Storage::Workspace) return v_apply(ScalarOp::Max, {otherwise, b.elements});
    return constant_value(b.elements) == 0 ? otherwise : v_select(holds_, b.elements, otherwise);
  }

  std::string fresh_name(const std::string& name) const {
    const auto taken = [&](const std::string& n) {
      return std::any_of(nest_.buffers.begin(), nest_.buffers.end(), [&](const Buffer& b) { return b.name == n; });
    };
    std::string fresh = name;
    for (int n = 2; taken(fresh); ++n) fresh = fmt::format("{}_{}", name, n);
    return fresh;
  }

  const Operand holds_;
  const bool by_call_;
  LoopNest& nest_;
};

}  // namespace

void add_case(const Expr& holds, const LoopNest& one, CaseWorkspace workspace, LoopNest& nest) {
  CaseAdder(holds, workspace, nest).add(one);
}

}  // namespace tenon
