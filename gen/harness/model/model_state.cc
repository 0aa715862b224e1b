// The C around the state of a model.
#include "harness/model/model_state.h"

#include <fmt/format.h>

#include "harness/model/call_checks.h"
#include "harness/model/model_code.h"
#include "support/c_names.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {
namespace {

bool has_contents(const ExecutionPlan& plan) {
  return any_of(plan.state, [&](const PlanState& s) { return s.initial >= 0; });
}

/// Where the constants are, for the expressions that read them; null for C text.
CExpr weights_pointer(const ModelFrame& frame) {
  if (frame.weights == WeightsForm::c) return nullptr;
  if (frame.weights == WeightsForm::incbin) return c_text(frame.name + "_weights_bytes");
  const CExpr context = c_text("context");
  return c_conditional(c_binary(context, "!=", c_text("NULL")),
                       c_cast("const unsigned char *", c_arrow(context, "weights")), c_text("NULL"));
}

}  // namespace

std::string state_text(const ExecutionPlan& plan, std::string text) {
  return plan.state.empty() ? std::string() : std::move(text);
}

std::string state_offset(const PlanBuffer& held, const std::string& upper) {
  return fmt::format("{}_STATE_OFFSET_{}", upper, held.name);
}

std::string state_offsets(const ExecutionPlan& plan, const std::string& upper) {
  std::string out;
  for (const PlanState& s : plan.state) {
    const PlanBuffer& held = plan.buffer(s.held);
    out += fmt::format("#define {} {} /* {}{}{} */\n", state_offset(held, upper), held.offset, type_text(held),
                       held.original.empty() || held.original == held.name ? "" : " ",
                       held.original == held.name ? "" : comment_inside(held.original));
  }
  return out;
}

CFunction state_init_function(const ExecutionPlan& plan, const ModelFrame& frame, const ModelWeights& weights) {
  const std::string upper = upper_case(frame.name);
  const CExpr state = c_text("state"), bytes = c_text("bytes");
  const CExpr from = has_contents(plan) ? weights_pointer(frame) : nullptr;
  CBlock body = {c_declare("unsigned char *const", "bytes", c_cast("unsigned char *", state))};
  if (from) body.push_back(c_declare("const unsigned char *const", "weights", from));
  body.push_back(c_evaluate(c_cast("void", c_text("context"))));
  const bool file = from && frame.weights == WeightsForm::bin;
  body.push_back(
      refuse_if(file ? c_or(is_null(state), is_null(c_text("weights"))) : is_null(state), upper + "_E_NULL"));
  body.push_back(refuse_if(is_unaligned(state), upper + "_E_ALIGN"));
  body.push_back(c_evaluate(c_call("memset", {bytes, c_number(0), c_text(upper + "_STATE_BYTES")})));
  for (const PlanState& s : plan.state) {
    if (s.initial < 0) continue;
    const PlanBuffer& held = plan.buffer(s.held);
    const CExpr to = c_binary(bytes, "+", c_text(state_offset(held, upper)));
    body.push_back(c_evaluate(c_call("memcpy", {to, weights.values.at(s.initial), c_number(held.bytes)})));
  }
  body.push_back(c_return(c_number(0)));
  const std::vector<std::string> params = {"void *state", fmt::format("const {}_context *context", frame.name)};
  return {"", "", "int", frame.name + "_state_init", params, std::move(body), ""};
}

CBlock state_checks(const ExecutionPlan& plan, const std::string& upper) {
  if (plan.state.empty()) return {};
  const CExpr state = c_text("state");
  return {refuse_if(is_null(state), upper + "_E_NULL"), refuse_if(is_unaligned(state), upper + "_E_ALIGN")};
}

CBlock state_copies(const ExecutionPlan& plan, const ModelBuffers& buffers) {
  CBlock out;
  for (const PlanState& s : plan.state) {
    const int64_t bytes = plan.buffer(s.held).bytes;
    if (!is_in_place(plan, s) && bytes > 0)
      out.push_back(c_evaluate(
          c_call("memcpy", {buffers.pointer(s.held, true), buffers.pointer(s.next, false), c_number(bytes)})));
  }
  if (!out.empty()) out.insert(out.begin(), c_comment("The state of the next call."));
  return out;
}

}  // namespace tenon
