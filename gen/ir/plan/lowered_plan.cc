// Text and verifier of a lowered plan.
#include "ir/plan/lowered_plan.h"

namespace tenon {

std::string to_text(const LoweredPlan& plan) {
  std::string out;
  for (const LoweredLevel& level : plan.levels)
    for (const LoweredStep& step : level.steps)
      if (!step.nest.name.empty()) {
        out += to_text(step.nest);
        for (const std::string& reason : step.one_thread) out += "  one thread: " + reason + "\n";
      }
  return out;
}

std::vector<std::string> verify(const LoweredPlan& plan) {
  std::vector<std::string> faults;
  for (const LoweredLevel& level : plan.levels)
    for (const LoweredStep& step : level.steps)
      if (!step.nest.name.empty())
        for (const std::string& fault : verify(step.nest)) faults.push_back(step.nest.name + ": " + fault);
  return faults;
}

}  // namespace tenon
