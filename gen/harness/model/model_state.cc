// The C around the state of a model.
#include "harness/model/model_state.h"

#include <fmt/format.h>

#include "harness/library_names.h"
#include "support/quoted.h"

namespace tenon {
namespace {

/// "f32[1, 64]": states have fixed extents.
std::string type_text(const PlanBuffer& b) {
  std::string out;
  for (const SizeExpr& d : b.dims) out += (out.empty() ? "" : ", ") + to_text(d);
  return fmt::format("{}[{}]", name_of(b.dtype), out);
}

bool has_contents(const ExecutionPlan& plan) {
  for (const PlanState& s : plan.state)
    if (s.initial >= 0) return true;
  return false;
}

/// Where the constants are, for the expressions that read them.
std::string weights_pointer(const ExecutionPlan& plan, const ModelFrame& frame) {
  if (!has_contents(plan) || frame.weights == WeightsForm::c) return {};
  if (frame.weights == WeightsForm::incbin)
    return fmt::format("  const unsigned char *const weights = {}_weights_bytes;\n", frame.name);
  return "  const unsigned char *const weights = context != NULL ? (const unsigned char *)context->weights : NULL;\n";
}

}  // namespace

std::string state_text(const ExecutionPlan& plan, std::string text) {
  return plan.state.empty() ? std::string() : std::move(text);
}

std::string state_constants(const ExecutionPlan& plan, const ModelFrame& frame) {
  if (plan.state.empty()) return {};
  const std::string upper = upper_case(frame.name);
  std::string out = fmt::format(
      "\n/* Bytes that `state` has, aligned to 64 bytes by the caller, who keeps it from one call to the next: each "
      "call "
      "reads and\n   replaces it. After a negative status its contents are unspecified. Behind: where each tensor is "
      "in "
      "it. */\n#define {}_STATE_BYTES {}\n",
      upper, plan.state_bytes);
  for (const PlanState& s : plan.state) {
    const PlanBuffer& held = buffer(plan, s.held);
    out += fmt::format("#define {}_STATE_OFFSET_{} {} /* {}{}{} */\n", upper, held.name, held.offset, type_text(held),
                       held.original.empty() || held.original == held.name ? "" : " ",
                       held.original == held.name ? "" : comment_inside(held.original));
  }
  return out;
}

std::string state_api(const ExecutionPlan& plan, const ModelFrame& frame) {
  if (plan.state.empty()) return {};
  return fmt::format(
      "/* Writes what the state holds before the first call: 0, or {1}_E_NULL or {1}_E_ALIGN. `context` is read only "
      "where the weights are\n   a file. */\n"
      "int {0}_state_init(void *state, const {0}_context *context);\n\n",
      frame.name, upper_case(frame.name));
}

std::string state_init_function(const ExecutionPlan& plan, const ModelFrame& frame, const ModelWeights& weights) {
  if (plan.state.empty()) return {};
  const std::string upper = upper_case(frame.name);
  const std::string from = weights_pointer(plan, frame);
  const bool file = !from.empty() && frame.weights == WeightsForm::bin;
  std::string out = fmt::format(
      "\nint {0}_state_init(void *state, const {0}_context *context) {{\n"
      "  unsigned char *const bytes = (unsigned char *)state;\n{2}  (void)context;\n"
      "  if (state == NULL{3}) {{\n    return {1}_E_NULL;\n  }}\n  if ((uintptr_t)state % 64 != 0) {{\n"
      "    return {1}_E_ALIGN;\n  }}\n  memset(bytes, 0, {1}_STATE_BYTES);\n",
      frame.name, upper, from, file ? " || weights == NULL" : "");
  for (const PlanState& s : plan.state)
    if (s.initial >= 0)
      out += fmt::format("  memcpy(bytes + {}_STATE_OFFSET_{}, {}, {});\n", upper, buffer(plan, s.held).name,
                         weights.names.at(s.initial), buffer(plan, s.held).bytes);
  return out + "  return 0;\n}\n";
}

std::string state_checks(const ExecutionPlan& plan, const std::string& upper) {
  if (plan.state.empty()) return {};
  return fmt::format(
      "if (state == NULL) {{\n  return {0}_E_NULL;\n}}\nif ((uintptr_t)state % 64 != 0) {{\n"
      "  return {0}_E_ALIGN;\n}}\n",
      upper);
}

std::string state_copies(const ExecutionPlan& plan, const BufferSpelling& pointer) {
  std::string out;
  for (const PlanState& s : plan.state)
    if (!is_in_place(plan, s) && buffer(plan, s.held).bytes > 0)
      out += fmt::format("  memcpy({}, {}, {}); /* for the next call */\n", pointer(s.held, true),
                         pointer(s.next, false), buffer(plan, s.held).bytes);
  return out;
}

}  // namespace tenon
