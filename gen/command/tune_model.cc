// `tenon tune` for a model: its programs with other blueprints.
#include <fmt/format.h>

#include <filesystem>

#include "command/commands.h"
#include "command/drawn_inputs.h"
#include "command/select.h"
#include "command/tuner.h"
#include "command/written_files.h"
#include "pipeline/make.h"

namespace tenon {
namespace {

class TunedModel : public TuneSource {
 public:
  TunedModel(Run& run, const TuneOptions& o, const std::string& folder)
      : run_(run), o_(o), defs_(all_definitions(run, o.definitions)), model_(o) {
    model_.schedules.reset();  // kernels are grouped by the shipped blueprints
    model_.weights = WeightsForm::incbin;
    model_.main_program = true;
    if (!o.inputs.empty()) model_.given = o.inputs;
    placed_ = place_model(run, defs_, model_);
    shipped_ = read_schedules(run, o.schedules, kernel_names(placed_.plan));
    if (run.only_looks()) return;
    model_.isas = {std::string(level().isa->name)};
    how_ = {o.compiler, o.inputs.empty() ? drawn_inputs(placed_.source.graph, folder) : o.inputs,
            placed_.plan.outputs.size()};
  }

  std::string name() const override {
    return fmt::format("{} at {}", std::filesystem::path(o_.graph).filename().string(), level().isa->name);
  }
  const Blueprints& shipped() const override { return shipped_; }
  std::string why_it_fails() const override {
    return "the program failed on these inputs; name files with others: IN.npy";
  }

  std::vector<TunedKernel> kernels() const override {
    std::vector<TunedKernel> out;
    for (size_t i = 0; i < placed_.plan.steps.size(); ++i) {
      const PlanStep& step = placed_.plan.steps[i];
      const size_t owner = step.twin >= 0 ? static_cast<size_t>(step.twin) : i;
      out.push_back(
          {step.kernel.name, placed_.plan.steps[owner].kernel.name, level().steps[owner].nest.blueprint, level().isa});
    }
    return out;
  }

  std::unique_ptr<TimedProgram> program(const Blueprints& blueprints, const std::string& folder) override {
    model_.blueprints = std::make_shared<Blueprints>(blueprints);
    if (const int status = run_.deliver(make_model(run_, defs_, model_), folder, true); status != exit_done)
      throw Stop{status};
    return std::make_unique<TimedModel>(folder, how_, built(folder));
  }

 private:
  const LoweredLevel& level() const { return placed_.lowered.levels.back(); }

  Run& run_;
  const TuneOptions& o_;
  const Definitions defs_;
  ModelOptions model_;
  PlacedModel placed_;
  Blueprints shipped_;
  ProgramRun how_;
};

}  // namespace

int run_command(Run& run, const TuneOptions& o) {
  std::vector<std::string> read = o.inputs;
  if (!o.tunes_ops()) read.push_back(o.graph);
  if (o.cases) read.push_back(*o.cases);
  read.insert(read.end(), o.definitions.begin(), o.definitions.end());
  refuse_overwriting(run, {{"-o", o.output, FileForm::schedules}}, read);
  if (!run.only_looks()) refuse_unreadable(o.inputs);
  const TemporaryFolder folder("tenon_tune");
  if (o.tunes_ops()) return tune_ops(run, o, folder.path());
  TunedModel model(run, o, folder.path());
  return run.only_looks() ? exit_done : tune(run, o, model, folder.path());
}

}  // namespace tenon
