// Lowers each segment of a chain on its own and puts them together: panels once, then every block of rows from the
// first to the last.
#include <algorithm>

#include "lower/contraction/contraction_builder.h"
#include "lower/contraction/row_chain.h"

namespace tenon {
namespace {

class ChainBuilder : SegmentValues {
 public:
  ChainBuilder(const ChainedKernel& of, const Isa& isa, const Blueprints& blueprints, const LowerStatements& loops,
               NestTarget target)
      : k_(of.kernel),
        chain_(of.chain),
        isa_(isa),
        blueprints_(blueprints),
        blueprint_(blueprints.find("row_chain", isa, DType::F32)),
        loops_(loops),
        target_(target) {
    scope.kernel = &k_;
  }

  std::optional<PanelledBody> build() {
    if (!blueprint_) return std::nullopt;
    rows_ = extent(chain_.row);
    at_once_ = rows_at_once();
    for (const int t : chain_.between) keep_temp(k_.tensor(t), block_elements(t), target_);
    for (const int t : chain_.sums)
      if (k_.tensor(t).role == Role::Temp) keep_temp(k_.tensor(t), elements(k_.tensor(t)), target_);
    for (const ChainSegment& s : chain_.segments)
      if (!add(s)) return std::nullopt;
    Block body = with_variables(nest(), variables(), target_);
    if (!possible) return std::nullopt;
    return PanelledBody{blueprint_->name, pays(), std::move(body)};
  }

 private:
  /// The minimum number of rows per matrix: with fewer, its panels cost more than they save.
  Operand pays() {
    if (!chain_.sums.empty()) return v_constant({1, 0}, {DType::Bool, 1, 0});  // all rows at once would not fit
    Operand rows = rows_;
    for (const LoopVar& v : chain_.outer) rows = rows * extent(v);
    if (const auto n = constant_value(rows)) return v_constant({*n >= blueprint_->least_rows, 0}, {DType::Bool, 1, 0});
    return v_apply(ScalarOp::Ge, {rows, v_int(blueprint_->least_rows)});
  }

  Operand extent(const LoopVar& v) { return value(v.extent); }

  /// Elements of one row of a temp of the chain: the row's stride.
  Operand row_elements(int tensor) {
    for (const ChainSegment& s : chain_.segments) {
      const Tensor& t = s.kernel.tensor(tensor);
      for (size_t d = 0; d < t.dims.size(); ++d)
        if (const auto* n = std::get_if<SizeRef>(&t.dims[d]->node); n && n->name == chain_.count)
          return value(t.strides[d]);
    }
    return v_int(1);
  }
  Operand block_elements(int tensor) { return smaller(at_once_, larger(rows_, v_int(1))) * row_elements(tensor); }

  /// As many rows as keep a block in the caches, a multiple of what the widest tile takes.
  Operand rows_at_once() {
    Operand row = v_int(0);
    for (const int t : chain_.between) row = row + row_elements(t);
    constexpr int kSummed = 48;  // each block reads and writes the whole sums
    const int tall = std::max(1, blueprint_->row_multiple);
    const int least = chain_.sums.empty() ? 1 : std::max(1, std::min(kSummed, blueprint_->cache_m) / tall);
    return larger(floor_div(v_int(blueprint_->cache_m / tall), larger(row, v_int(1))), v_int(least)) * v_int(tall);
  }

  NestRenaming adopt(const Kernel& segment, const std::vector<Buffer>& buffers,
                     const std::vector<InnerFunction>& functions) {
    std::map<std::string, Operand> most = {{chain_.count, at_once_}, {chain_.first, rows_}};
    if (!chain_.limit.empty()) most[chain_.limit] = value(chain_.limit_all);
    return adopt_segment(segment, buffers, functions, most, target_);
  }

  bool add(const ChainSegment& s) {
    using Place = ChainSegment::Place;
    switch (s.place) {
      case Place::Before: return loops(s.kernel, before_);
      case Place::Between: return loops(s.kernel, each_);
      case Place::After: return loops(s.kernel, after_);
      case Place::Product:
      case Place::Sum: return contraction(s);
    }
    return false;
  }

  bool contraction(const ChainSegment& s) {
    const Kernel& k = s.kernel;
    const bool sums_rows = s.place == ChainSegment::Place::Sum;
    const auto c = find_contraction(k);
    const Blueprint* blueprint = c ? blueprints_.find("contraction", isa_.name, c->accumulator) : nullptr;
    if (!blueprint || c->transposed || !c->outer_left.empty() || !c->outer_right.empty()) return false;
    if (!sums_rows && mentions(c->right, chain_.row.name)) return false;  // panels are made once, for all blocks
    ContractionBuilder b = start_contraction(k, isa_, *blueprint, *c);
    b.taken.insert(taken_.begin(), taken_.end());
    const Operand limit = v_size(chain_.limit), panel = v_int(b.panel_columns());
    if (s.limits_columns) b.most_columns = smaller(ceil_div(limit, b.panel_columns()) * panel, b.extent_of(c->columns));
    if (s.limits_depth) b.most_depth = limit;
    if (s.limits_rows) b.most_rows = limit;
    const ContractionParts parts = contraction_parts(b);
    taken_ = b.taken;
    if (!b.possible) return false;
    const NestRenaming by = adopt(k, b.buffers, b.functions);
    append(sums_rows ? each_ : once_, renamed(parts.once, by));
    append(each_, renamed(parts.each, by));
    return true;
  }

  bool loops(const Kernel& k, Block& to) {
    std::vector<Buffer> buffers = tensor_buffers(k);
    const Block body = loops_(k, buffers, {});
    append(to, renamed(body, adopt(k, buffers, {})));
    return true;
  }

  std::map<std::string, Operand> variables() const {
    std::map<std::string, Operand> out;
    for (const auto* names : {&chain_.shared_names, &chain_.outer_names})
      for (const std::string& n : *names) out[n] = v_var(n);
    out[chain_.first] = v_var(chain_.first);
    out[chain_.count] = v_var(chain_.count);
    if (!chain_.limit.empty()) out[chain_.limit] = v_var(chain_.limit);
    return out;
  }

  Block around(const std::vector<LoopVar>& vars, const std::vector<std::string>& names, LoopKind kind, Block body) {
    for (size_t i = vars.size(); i-- > 0;) {
      Block loop{with_kind(kind, s_for(names[i], v_int(0), extent(vars[i]), 1, std::move(body)))};
      body = std::move(loop);
    }
    return body;
  }

  Block nest() {
    const std::string block = take_fresh(taken_, chain_.row.name + "_block"),
                      at_once = take_fresh(taken_, "rows_at_once");
    Block body{s_let(chain_.first, v_var(block) * v_var(at_once)),
               s_count(chain_.count, smaller(v_var(at_once), rows_ - v_var(chain_.first)))};
    if (!chain_.limit.empty()) body.push_back(s_count(chain_.limit, value(chain_.limit_value)));
    append(body, std::move(each_));
    // Blocks that add to the same sum run in order.
    const LoopKind kind = chain_.sums.empty() ? LoopKind::Parallel : LoopKind::Serial;
    Block all{with_kind(kind, s_for(block, v_int(0), ceil_div(rows_, v_var(at_once)), 1, std::move(body)))};
    Block inner = concat(std::move(before_), std::move(once_));
    append(inner, around(chain_.outer, chain_.outer_names, kind, std::move(all)));
    append(inner, std::move(after_));
    Block out{s_let(at_once, at_once_)};
    append(out, around(chain_.shared, chain_.shared_names, LoopKind::Parallel, std::move(inner)));
    return out;
  }

  const Kernel& k_;
  const RowChain& chain_;
  const Isa& isa_;
  const Blueprints& blueprints_;
  const Blueprint* blueprint_;  ///< null: none fits
  const LowerStatements& loops_;
  NestTarget target_;
  Operand rows_, at_once_;
  Block before_, once_, each_, after_;
  std::set<std::string> taken_;
};

}  // namespace

std::optional<PanelledBody> lower_row_chain(const ChainedKernel& chained, const Isa& isa, const Blueprints& blueprints,
                                            const LowerStatements& loops, NestTarget target) {
  return or_as_before(target, [&] { return ChainBuilder(chained, isa, blueprints, loops, target).build(); });
}

}  // namespace tenon
