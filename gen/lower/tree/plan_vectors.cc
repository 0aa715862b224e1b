// Plans vector loops, outermost first.
#include <fmt/format.h>

#include <set>

#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/variants.h"
#include "lower/tree/lane_survey.h"
#include "lower/tree/split_border.h"
#include "lower/tree/tree_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class VectorPlanner {
 public:
  VectorPlanner(const Kernel& k, const Isa& isa, const Blueprints& blueprints, LoopTree& tree)
      : k_(k),
        isa_(isa),
        blueprints_(blueprints),
        tree_(tree),
        ranges_(size_ranges(k)),
        few_columns_(has_few_columns(k)) {}

  void plan(Tree& t) {
    for (size_t i = 0; i < t.size(); ++i) {
      auto* l = std::get_if<TreeLoop>(&t[i].node);
      if (!l) continue;
      const std::string var = l->var.name;
      ranges_.extents[var] = l->var.extent;
      if (!uses_) uses_ = uses_of_temps(k_, tree_), placed_for_.reset();
      if (mark(*l, is_only_loop(t))) note_vectors(*l);
      else if (split_periods(t, i, true) || split(t, i) || split_periods(t, i, false)) uses_.reset();
      else if (side_by_side(*l)) note_vectors(*l);
      else {
        plan(l->body);
        if (goes_over_lines(*l) && split_rows(t, i)) uses_.reset();
      }
      ranges_.extents.erase(var);
    }
  }

 private:
  static bool carries(const TreeLoop& l) {
    return l.carried ||
           (l.ordered && any_of(l.body, [](const TreeNode& n) { return !std::holds_alternative<TreeDefine>(n.node); }));
  }

  /// Makes loop `i` a vector loop over its interior between two plain ones; `i` moves to the last of the three.
  bool split(Tree& t, size_t& i) {
    TreeLoop& whole = std::get<TreeLoop>(t[i].node);
    if (carries(whole) || whole.begin || whole.end || (isa_.vector_bits == 0 && stores_inside(whole))) return false;
    auto interior = find_interior(k_, whole, ranges_);
    if (!interior) return false;
    TreeLoop left = whole, middle = whole;
    middle.interior = true;
    middle.body = std::move(interior->body);
    TreeLoop right = left;
    if (!mark(middle, is_only_loop(t))) {
      // Without vectors, avoiding a division per read still pays for separate loops.
      if (isa_.vector_bits > 0 || !interior->divides) return false;
      apart_ = true;
      for (TreeLoop* part : {&left, &middle, &right}) plan(part->body);
      apart_ = false;
    }
    if (!interior->outside.empty()) left.body = right.body = interior->outside;
    left.end = middle.begin = interior->begin;
    right.begin = middle.end = interior->end;
    tree_.notes.push_back(fmt::format("the border of {} is split off", letter_of(middle.var.name)));
    t[i].node = std::move(left);
    t.insert(t.begin() + static_cast<std::ptrdiff_t>(i) + 1, {TreeNode{std::move(middle)}, TreeNode{std::move(right)}});
    i += 2;
    return true;
  }

  /// Puts a loop over periods around loop `i`, which divides its variable by one. `vectors`: only if that makes it a
  /// vector loop; else no division an element is worth it.
  bool split_periods(Tree& t, size_t i, bool vectors) {
    TreeLoop inner = std::get<TreeLoop>(t[i].node);
    auto periods = carries(inner) || inner.begin || inner.end ? std::nullopt : find_periods(inner, ranges_);
    if (!periods) return false;
    inner.begin = periods->begin;
    inner.end = periods->end;
    inner.body = std::move(periods->body);
    ranges_.extents[periods->period.name] = periods->period.extent;
    apart_ = true;
    const bool marked = mark(inner, is_only_loop(t));
    apart_ = false;
    ranges_.extents.erase(periods->period.name);
    if (vectors && !marked) return false;
    t[i].node = periods_of(std::move(periods->period), std::move(inner));
    return true;
  }

  /// Whether a loop's body is a line of vectors, as a whole or by periods.
  static bool goes_over_lines(const TreeLoop& l) {
    const auto* line = l.body.size() == 1 ? std::get_if<TreeLoop>(&l.body[0].node) : nullptr;
    return line && (line->shape.lanes > 1 || (line->periods && goes_over_lines(*line)));
  }

  /// Puts a loop over periods around loop `i`, which divides its variable for each line.
  bool split_rows(Tree& t, size_t i) {
    TreeLoop rows = std::get<TreeLoop>(t[i].node);
    auto periods = rows.ordered || rows.begin || rows.end ? std::nullopt : find_periods(rows, ranges_, true);
    if (!periods || constant_value(periods->period.extent)) return false;
    rows.begin = periods->begin;
    rows.end = periods->end;
    rows.body = std::move(periods->body);
    t[i].node = periods_of(std::move(periods->period), std::move(rows));
    return true;
  }

  TreeLoop periods_of(LoopVar period, TreeLoop inner) {
    tree_.notes.push_back(fmt::format("{} goes from period to period", letter_of(inner.var.name)));
    TreeLoop outer;
    outer.var = std::move(period);
    outer.periods = true;
    outer.body = {TreeNode{std::move(inner)}};
    return outer;
  }

  /// Treats the loop in the tree as a vector loop.
  LaneSurvey survey_of(const TreeLoop& l) {
    std::set<std::string> vectors = uses_->vectors;
    if (in_tree(l) && uses_->walked(l.var.name)) vectors.insert(l.var.name);
    if (uses_->carried) places_ = place_temps(k_, tree_);
    else if (placed_for_ != vectors) places_ = place_temps(*uses_, vectors), placed_for_ = std::move(vectors);
    return {{k_, isa_, tree_, ranges_}, l, places_};
  }
  /// Parts of a loop that is split join the tree when they are planned.
  bool in_tree(const TreeLoop& l) const { return !l.interior && !apart_; }
  void note_vectors(const TreeLoop& l) {
    if (in_tree(l) && uses_->walked(l.var.name)) uses_->vectors.insert(l.var.name);
  }

  /// Whether a loop inside has results of its own.
  static bool stores_inside(const TreeLoop& l) {
    return any_of(l.body, [](const TreeNode& n) {
      const auto* inner = std::get_if<TreeLoop>(&n.node);
      return inner && (stores_inside(*inner) ||
                       any_of(inner->body, [](auto& x) { return std::holds_alternative<TreeDefine>(x.node); }));
    });
  }

  static bool is_only_loop(const Tree& t) {
    return count_if(t, [](const TreeNode& n) { return std::holds_alternative<TreeLoop>(n.node); }) == 1;
  }

  bool mark(TreeLoop& l, bool alone) {
    constexpr int kSixteenBytes = 16;
    const auto n = constant_value(l.var.extent);
    if (carries(l) || (n && *n < 2) || is_presence(k_, l.var.extent)) return false;
    l.shape = {2, 1};
    const LaneSurvey survey = survey_of(l);
    l.shape = {};
    if (!survey.possible() || survey.neighbours() == 0 || (l.interior && !survey.reduced().empty())) return draws(l);
    if (isa_.vector_bits == 0 && draws(l)) return true;
    int lanes = isa_.vector_bits == 0 ? 1 : isa_.vector_bits / (8 * survey.widest());
    while (n && lanes * survey.widest() > kSixteenBytes && lanes / 2 >= *n) lanes /= 2;
    if (lanes < 2 * survey.turns()) return draws(l);
    int parts = l.in_strip && !survey.has_loops() ? 1 : parts_of(l, survey, lanes);
    while (n && parts > 1 && *n < int64_t{lanes} * parts) parts /= 2;
    if (lanes * parts < 2 || (isa_.vector_bits > 0 && lanes < 2)) return false;
    // The processor prefetches plain streams by itself; prefetch instructions for them only cost time.
    const bool streams = l.in_strip || (alone && survey.costly() == 0 && survey.reduced().empty());
    l.shape = {lanes, parts, survey.has_loops() || streams ? 0 : prefetch_bytes(survey)};
    for (const int a : survey.reduced()) tree_.accumulators[static_cast<size_t>(a)].split = l.shape;
    return true;
  }

  /// A few iterations at a time where those share a block of random words and have no vectors.
  bool draws(TreeLoop& l) {
    constexpr int kTogether = 4;
    const auto n = constant_value(l.var.extent);
    if (l.interior || (n && *n < kTogether)) return false;
    l.shape = {1, kTogether};
    const LaneSurvey survey = survey_of(l);
    if (survey.possible() && survey.draws() > 0 && !survey.has_loops() && survey.reduced().empty()) return true;
    l.shape = {};
    return false;
  }

  /// The loop of a recurrence along a line, or of a running reduction, which begins before it. (One addition per step
  /// is not worth several rows of code at a level without vectors, which is chosen for its size.)
  const TreeLoop* chain_in(const TreeLoop& l) const {
    const auto* inner = l.body.empty() ? nullptr : std::get_if<TreeLoop>(&l.body.back().node);
    if (!inner) return nullptr;
    const bool running = isa_.vector_bits > 0 && l.body.size() == 2 && inner->ordered && !inner->carried &&
                         std::holds_alternative<TreeBegin>(l.body[0].node);
    return running || (l.body.size() == 1 && inner->apart != 0) ? inner : nullptr;
  }

  /// Rows of recurrences and running reductions that go along a line each: each step depends on the one before, so
  /// several rows at a time take hardly longer than one.
  bool side_by_side(TreeLoop& l) {
    constexpr int kFew = 4;
    const TreeLoop* inner = chain_in(l);
    if (carries(l) || l.begin || l.end || !inner) return false;
    const auto loops = [](const TreeNode& n) { return std::holds_alternative<TreeLoop>(n.node); };
    const auto n = constant_value(l.var.extent);
    if (any_of(inner->body, loops) || (n && *n < 2)) return false;
    l.shape = {1, 2};
    const LaneSurvey survey = survey_of(l);
    l.shape = {};
    if (!survey.possible()) return false;
    // A running reduction reads and stores at each step: more rows than four, a power of two apart, would push each
    // other out of the first cache.
    int rows = inner->carried && survey.operations() <= kFew ? 8 : 4;
    while (n && rows > *n) rows /= 2;
    l.shape = {1, rows};
    return true;
  }

  /// Stores one constant: a vector at a time is as fast as several.
  static bool fills(const TreeLoop& l) {
    return all_of(l.body, [](const TreeNode& n) {
      const auto* d = std::get_if<TreeDefine>(&n.node);
      return d && as_constant(d->value);
    });
  }

  /// Registers per parallel vector for the accumulators that an inner loop updates in each iteration: a position takes
  /// another register in addition to its value.
  static int sums_together(const Tree& t) {
    int most = 0;
    for (const TreeNode& n : t) {
      const auto* l = std::get_if<TreeLoop>(&n.node);
      if (!l) continue;
      int here = 0;
      for (const TreeNode& x : l->body)
        if (const auto* a = std::get_if<TreeAccumulate>(&x.node)) here += a->position ? 2 : 1;
      most = std::max({most, here, sums_together(l->body)});
    }
    return most;
  }

  /// Values from outside that an inner loop updates or reads: one register each per parallel vector.
  int held_together(const Tree& t) const {
    int most = 0;
    for (const TreeNode& n : t) {
      const auto* l = std::get_if<TreeLoop>(&n.node);
      if (!l) continue;
      std::set<int> temps;
      int sums = 0;
      for (const TreeNode& x : l->body) {
        const auto* a = std::get_if<TreeAccumulate>(&x.node);
        const auto* d = std::get_if<TreeDefine>(&x.node);
        sums += a != nullptr;
        if (a || d)
          each_read(a ? a->value : d->value, [&](const Read& r) {
            if (k_.tensor(r.tensor).role == Role::Temp) temps.insert(r.tensor);
          });
      }
      most = std::max({most, sums + static_cast<int>(temps.size()), held_together(l->body)});
    }
    return most;
  }

  /// The number of parallel vectors that leaves a quarter of the registers for operands.
  int parts_of(const TreeLoop& l, const LaneSurvey& survey, int lanes) const {
    int parts = wanted_parts(l, survey, lanes);
    const int sums = isa_.vector_bits > 0 ? sums_together(l.body) : 0;
    while (parts > 1 && sums > 1 && 4 * parts * sums > 3 * isa_.vector_registers) parts /= 2;
    return parts;
  }

  /// Whether an attribute says how long an inner loop is: there are few rows, and a line of them is short.
  static bool goes_over_windows(const TreeLoop& l) {
    return any_of(l.body, [](const TreeNode& n) {
      const auto* inner = std::get_if<TreeLoop>(&n.node);
      return inner && (std::holds_alternative<AttrRef>(inner->var.extent->node) || goes_over_windows(*inner));
    });
  }

  int wanted_parts(const TreeLoop& l, const LaneSurvey& survey, int lanes) const {
    const bool reduction = !survey.reduced().empty();
    if (lanes == 1 && !several_pay(survey)) return 1;
    const DType widest = survey.widest() == 8 ? DType::F64 : DType::F32;
    const Blueprint* b = blueprints_.find(reduction ? "reduction" : "map", isa_.name, widest);
    const int wanted = b ? std::max(1, reduction ? b->accumulators : b->unroll) : 4;
    if (lanes == 1) return wanted;
    if (fills(l)) return 1;
    if (few_columns_ && !reduction && survey.has_loops()) return std::min(2, wanted);
    // A function's polynomial needs registers too: with few of them, fewer vectors are processed in parallel.
    constexpr int kMany = 32;
    // Rows read one after the other come in longer pieces, of more lines that are fetched ahead.
    constexpr int kPlain = 8;
    if (!reduction && survey.has_loops() && !goes_over_windows(l) && survey.costly() == 0 &&
        survey.operations() <= kPlain && survey.neighbours() <= 2 &&
        (isa_.vector_registers >= kMany || held_together(l.body) <= 1))
      return 2 * wanted;
    const bool costly = survey.costly() > 1 || (survey.costly() > 0 && isa_.vector_registers < kMany);
    if (reduction || (survey.has_loops() && !goes_over_windows(l))) return costly ? std::max(1, wanted / 2) : wanted;
    return wanted_of_map(survey, wanted, costly);
  }

  /// The processor overlaps iterations by itself: several parallel vectors of a formula only reduce loop overhead, and
  /// leave more elements to the remainder. Short vectors have more iterations and more overhead.
  int wanted_of_map(const LaneSurvey& survey, int wanted, bool costly) const {
    constexpr int kLong = 12;
    constexpr int kWide = 256;
    if (survey.strided() > 0) return 1;  // an element each has an address of its own, more than there are registers for
    const int operations = survey.has_loops() ? 0 : survey.operations();
    if (operations > 2 * kLong) return std::max(1, wanted / 4);
    const bool shared = survey.draws() > 0;  // vectors share random blocks
    const bool packs = isa_.row("pack", DType::I32, isa_.lanes(DType::I32));
    if (packs && operations <= kLong && survey.narrowest_stored() < survey.widest() / 2)
      return std::max(wanted, survey.widest() / survey.narrowest_stored());
    const bool two = shared ? costly : isa_.vector_bits >= kWide || survey.has_loops() || survey.costly() > 0;
    return two || operations > kLong ? std::max(1, wanted / 2) : wanted;
  }

  int prefetch_bytes(const LaneSurvey& survey) const {
    const Blueprint* b = blueprints_.find(survey.reduced().empty() ? "map" : "reduction", isa_.name,
                                          survey.widest() == 8 ? DType::F64 : DType::F32);
    return b ? b->prefetch_bytes : 0;
  }

  /// On scalars, several accumulators hide the latency of float additions.
  bool several_pay(const LaneSurvey& survey) const {
    return !survey.has_loops() && !survey.reduced().empty() && all_of(survey.reduced(), [&](int a) {
      const Accumulator& acc = tree_.accumulators[static_cast<size_t>(a)];
      return acc.op == Reducer::Sum && is_float(acc.type);
    });
  }

  const Kernel& k_;
  const Isa& isa_;
  const Blueprints& blueprints_;
  LoopTree& tree_;
  Ranges ranges_;
  std::optional<TempUses> uses_;                     ///< of the tree as it is
  std::vector<TempPlace> places_;                    ///< for the survey at hand
  std::optional<std::set<std::string>> placed_for_;  ///< the vector loops with which these are so
  bool apart_ = false;                               ///< what is planned is a part of a loop that is split
  const bool few_columns_;  ///< short reductions: code for many vectors side by side does not pay
};

}  // namespace

void plan_vectors(const Kernel& k, const Isa& isa, const Blueprints& blueprints, LoopTree& tree) {
  VectorPlanner(k, isa, blueprints, tree).plan(tree.body);
}

}  // namespace tenon
