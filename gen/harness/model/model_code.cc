// Construction of what the files of a model share.
#include "harness/model/model_code.h"

#include <fmt/format.h>

#include "harness/model/model_steps.h"
#include "support/c_names.h"
#include "support/long_lines.h"
#include "support/ranges.h"
#include "support/version.h"

namespace tenon {
namespace {

bool has_vectors(const std::vector<ModelLevel>& levels) {
  return any_of(levels, [](const ModelLevel& l) { return l.isa->vector_bits > 0; });
}

}  // namespace

ModelCode model_code(const ExecutionPlan& plan, const std::vector<ModelLevel>& levels, const ModelFrame& frame) {
  ModelCode code = {plan, levels, frame, frame.name, upper_case(frame.name), ModelArena(plan, frame.name),
                    {},   {},     {},    {}};
  code.weights = model_weights(plan, frame.name, {frame.weights, frame.byte_order, has_vectors(levels)});
  code.counters = shared_counters(plan, levels);
  for (const GraphSize& s : plan.sizes) (s.written ? code.written : code.given).push_back(s);
  return code;
}

std::string fill_template(const ExecutionPlan& plan, const ModelFrame& frame, const std::string& path,
                          std::vector<HoleValue> values, const std::vector<Feature>& more) {
  const TextTemplate text(path, frame.templates.at(path));
  const std::vector<std::string> names = text.hole_names();
  for (HoleValue common : {HoleValue{"name", frame.name}, HoleValue{"upper", upper_case(frame.name)},
                           HoleValue{"run", entry_of(frame)}, HoleValue{"version", std::string(kVersion)}})
    if (contains(names, common.name)) values.push_back(std::move(common));
  std::vector<Feature> features = {{"images", frame.images},
                                   {"sounds", frame.sounds},
                                   {"workers", frame.workers > 1},
                                   {"pool", has_pool(frame)},
                                   {"selftest", frame.selftest != nullptr},
                                   {"mpi", frame.mpi},
                                   {"adapters", has_pool(frame) || frame.mpi},
                                   {"state", !plan.state.empty()},
                                   {"regions", !plan.memories.empty()},
                                   {"weights_file", frame.weights == WeightsForm::bin},
                                   {"weights_included", frame.weights == WeightsForm::incbin},
                                   {"libm", frame.libm},
                                   {"freestanding", frame.freestanding}};
  append(features, more);
  return broken_if_code(path, text.fill(values, features));
}

std::string ModelCode::fill(const std::string& path, std::vector<HoleValue> values) const {
  return fill_template(plan, frame, path, std::move(values));
}

std::string in_short(const std::string& name) {
  constexpr size_t most = 200;
  return name.size() <= most ? name : name.substr(0, most) + "...";
}

std::string type_text(const PlanBuffer& b) { return fmt::format("{}[{}]", name_of(b.dtype), to_text(b.dims)); }

bool has_open_extents(const PlanBuffer& b) {
  return any_of(b.dims, [](const SizeExpr& d) { return !d.is_constant(); });
}

}  // namespace tenon
