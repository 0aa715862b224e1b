// Planning vector loops, outermost first.
#include "lower/plan_vectors.h"

#include <algorithm>

#include "lower/kernel_ranges.h"
#include "lower/lane_survey.h"

namespace tenon {
namespace {

class VectorPlanner {
 public:
  VectorPlanner(const Kernel& k, const Isa& isa, const Blueprints& blueprints, LoopTree& tree)
      : k_(k), isa_(isa), blueprints_(blueprints), tree_(tree), ranges_(size_ranges(k)) {}

  void plan(Tree& t) {
    for (TreeNode& n : t) {
      auto* l = std::get_if<TreeLoop>(&n.node);
      if (!l) continue;
      ranges_.extents[l->var.name] = l->var.extent;
      if (!mark(*l)) plan(l->body);
      ranges_.extents.erase(l->var.name);
    }
  }

 private:
  static bool carries(const TreeLoop& l) {
    return l.ordered && std::any_of(l.body.begin(), l.body.end(), [](const TreeNode& n) { return !std::holds_alternative<TreeDefine>(n.node); });
  }

  bool mark(TreeLoop& l) {
    constexpr int kSixteenBytes = 16;
    const auto n = constant_value(l.var.extent);
    if (carries(l) || (n && *n < 2)) return false;
    l.shape = {2, 1};
    const LaneSurvey survey(k_, tree_, l, ranges_);
    l.shape = {};
    if (!survey.possible() || survey.neighbours() == 0) return false;
    int lanes = isa_.vector_bits == 0 ? 1 : isa_.vector_bits / (8 * survey.widest());
    while (n && lanes * survey.widest() > kSixteenBytes && lanes / 2 >= *n) lanes /= 2;
    int parts = parts_of(survey, lanes);
    while (n && parts > 1 && *n < int64_t{lanes} * parts) parts /= 2;
    if (lanes * parts < 2 || (isa_.vector_bits > 0 && lanes < 2)) return false;
    l.shape = {lanes, parts};
    for (const int a : survey.reduced()) tree_.accumulators[static_cast<size_t>(a)].split = l.shape;
    return true;
  }

  int parts_of(const LaneSurvey& survey, int lanes) const {
    const bool reduction = !survey.reduced().empty();
    if (lanes == 1) return several_pay(survey) ? 4 : 1;
    const DType widest = survey.widest() == 8 ? DType::F64 : DType::F32;
    const Blueprint* b = blueprints_.find(reduction ? "reduction" : "map", isa_.name, widest);
    const int wanted = b ? (reduction && b->accumulators > 0 ? b->accumulators : std::max(1, b->unroll)) : 4;
    // A function's polynomial needs registers of its own.
    return survey.costly() > 0 ? std::max(1, wanted / 2) : wanted;
  }

  /// On scalars, several accumulators hide the latency of float additions.
  bool several_pay(const LaneSurvey& survey) const {
    return !survey.has_loops() && !survey.reduced().empty() && std::all_of(survey.reduced().begin(), survey.reduced().end(), [&](int a) {
      const Accumulator& acc = tree_.accumulators[static_cast<size_t>(a)];
      return acc.op == Reducer::Sum && is_float(acc.type);
    });
  }

  const Kernel& k_;
  const Isa& isa_;
  const Blueprints& blueprints_;
  LoopTree& tree_;
  Ranges ranges_;
};

}  // namespace

void plan_vectors(const Kernel& k, const Isa& isa, const Blueprints& blueprints, LoopTree& tree) { VectorPlanner(k, isa, blueprints, tree).plan(tree.body); }

}  // namespace tenon
