// Lowers each segment of a recurrence on its own and puts them together around the loops over the steps.
#include <set>

#include "algebra/contraction.h"
#include "algebra/nest_survey.h"
#include "lower/contraction/contraction_builder.h"
#include "lower/contraction/recurrence_steps.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class RecurrenceBuilder : SegmentValues {
 public:
  RecurrenceBuilder(const SteppedKernel& of, const Isa& isa, const Blueprints& blueprints, const LowerStatements& loops,
                    NestTarget target)
      : of_(of.steps), isa_(isa), blueprints_(blueprints), loops_(loops), target_(target) {
    scope.kernel = &of.kernel;
    taken_.insert(of_.lead_names.begin(), of_.lead_names.end());
    for (const Size& s : of.kernel.sizes) taken_.insert(s.name);
    for (const Tensor& t : of.kernel.tensors) taken_.insert(t.name);
  }

  std::optional<PanelledBody> build() {
    for (const Tensor& t : of_.shared) keep_temp(t, elements(t), target_);
    Block all, once, each;
    if (!add(of_.before, all, all) || !add(of_.steps, once, each)) return std::nullopt;
    append(all, std::move(once));
    append(all, over_steps(std::move(each)));
    if (!add(of_.after, all, all) || !possible) return std::nullopt;
    return PanelledBody{blueprint_->name, pays(), std::move(all)};
  }

 private:
  /// Panels pay off for several rows, and for tiles that are not mostly empty.
  Operand pays() {
    Operand rows = value(of_.rows), together = rows;
    for (const LoopVar& v : of_.lead) together = together * value(v.extent);
    const auto least = [](const Operand& n, int64_t bound) {
      const auto known = constant_value(n);
      return known ? v_constant({*known >= bound, 0}, {DType::Bool, 1, 0}) : v_apply(ScalarOp::Ge, {n, v_int(bound)});
    };
    Operand out = least(rows, 2);
    for (const Operand& more : {least(together, blueprint_->tile_rows), least(value(of_.columns), lanes_)}) {
      if (constant_value(out) == 0 || constant_value(more) == 1) continue;
      out = constant_value(more) == 0 || constant_value(out) == 1 ? more : v_apply(ScalarOp::And, {out, more});
    }
    return out;
  }

  bool add(const std::vector<StepSegment>& segments, Block& once, Block& each) {
    const bool steps = &once != &each;
    return all_of(segments, [&](const StepSegment& s) {
      return s.contracts ? contraction(s.kernel, steps, once, each) : statements(s.kernel, steps, each);
    });
  }

  bool contraction(const Kernel& k, bool step, Block& once, Block& each) {
    const auto c = find_contraction(k);
    const Blueprint* blueprint = c ? blueprints_.find("contraction", isa_, c->accumulator) : nullptr;
    if (!blueprint) return false;
    if (!blueprint_) blueprint_ = blueprint, lanes_ = isa_.lanes(c->accumulator);
    ContractionBuilder b = start_contraction(k, isa_, *blueprint, *c);
    b.taken.insert(taken_.begin(), taken_.end());
    b.repeats = step;
    ContractionParts parts;
    if (step) parts = contraction_parts(b);
    else parts.each = contraction_body(b);
    taken_ = b.taken;
    if (!b.possible) return false;
    const NestRenaming by = adopt_segment(k, b.buffers, b.functions, {}, target_);
    append(once, in_steps(renamed(parts.once, by), false));
    append(each, in_steps(renamed(parts.each, by), step));
    return true;
  }

  bool statements(const Kernel& k, bool step, Block& each) {
    std::vector<Buffer> buffers = tensor_buffers(k);
    const Block body = loops_(k, buffers, {taken_.begin(), taken_.end()});
    for (std::string& name : declared_names(body)) taken_.insert(std::move(name));
    append(each, in_steps(renamed(body, adopt_segment(k, buffers, {}, {}, target_)), step));
    return true;
  }

  /// The number of the step is a variable of the loops around its statements.
  Block in_steps(Block body, bool step) const {
    if (!step) return body;
    std::map<std::string, Operand> variables;
    for (const std::string& name : of_.lead_names) variables[name] = v_var(name);
    return with_variables(body, variables, target_);
  }

  Block over_steps(Block body) {
    for (size_t i = of_.lead.size(); i-- > 0;) {
      const LoopVar& v = of_.lead[i];
      std::string name = of_.lead_names[i];
      const Operand extent = value(v.extent);
      if (v.direction == Direction::Down) {
        const std::string step = take_fresh(taken_, name + "_step");
        body.insert(body.begin(), s_let(name, extent - v_int(1) - v_var(step)));
        name = step;
      }
      Block loop{s_for(name, v_int(0), extent, 1, std::move(body))};
      body = std::move(loop);
    }
    return body;
  }

  const RecurrenceSteps& of_;
  const Isa& isa_;
  const Blueprints& blueprints_;
  const LowerStatements& loops_;
  NestTarget target_;
  const Blueprint* blueprint_ = nullptr;  ///< of the first product
  int lanes_ = 1;
  std::set<std::string> taken_;
};

}  // namespace

std::optional<PanelledBody> lower_recurrence(const SteppedKernel& recurrence, const Isa& isa,
                                             const Blueprints& blueprints, const LowerStatements& loops,
                                             NestTarget target) {
  return or_as_before(target, [&] { return RecurrenceBuilder(recurrence, isa, blueprints, loops, target).build(); });
}

}  // namespace tenon
