// Finding the interior: each padded index a·x + rest must be in [0, extent) for the worst values of the variables
// inside the loop.
#include "lower/tree/split_border.h"

#include "algebra/simplify.h"
#include "lower/kernel/kernel_ranges.h"

namespace tenon {
namespace {

class InteriorFinder {
 public:
  InteriorFinder(const Kernel& k, const TreeLoop& loop, const Ranges& ranges) : k_(k), loop_(loop), ranges_(ranges) {
    collect(loop.body);
  }

  std::optional<Interior> run() {
    for (const Read& r : reads_)
      for (size_t d = 0; d < r.index.size(); ++d)
        if (mentions(r.index[d], loop_.var.name) &&
            !bound(r.index[d], k_.tensors[static_cast<size_t>(r.tensor)].dims[d]))
          return std::nullopt;
    if (!begin_) return std::nullopt;
    const Expr &n = loop_.var.extent, zero = constant_int(0);
    const Expr begin = simplify(apply(ScalarOp::Min, {apply(ScalarOp::Max, {begin_, zero}), n}), ranges_);
    const Expr end = simplify(apply(ScalarOp::Max, {apply(ScalarOp::Min, {end_, n}), begin}), ranges_);
    return Interior{begin, end};
  }

 private:
  void collect(const Tree& tree) {
    for (const TreeNode& n : tree) {
      if (const auto* l = std::get_if<TreeLoop>(&n.node)) {
        inner_.push_back(l->var);
        ranges_.extents[l->var.name] = l->var.extent;
        collect(l->body);
      }
      const auto add = [&](const Expr& e) {
        if (e)
          each_read(e, [&](const Read& r) {
            if (r.fill) reads_.push_back(r);
          });
      };
      if (const auto* d = std::get_if<TreeDefine>(&n.node)) add(d->value);
      if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) add(a->value);
      if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) add(a->where);
    }
  }

  /// The least and the maximum value of `rest` over the inner variables.
  bool ends(const Expr& rest, Expr& least, Expr& maximum) const {
    least = maximum = rest;
    for (const LoopVar& v : inner_) {
      const auto low = affine_in(least, v.name), high = affine_in(maximum, v.name);
      if (!low || !high) return false;
      const Expr last = v.extent - constant_int(1);
      const bool rises = proves_not_negative(linear_form(low->coefficient), ranges_);
      if (!rises && !proves_le(low->coefficient, constant_int(0), ranges_)) return false;
      least = rises ? low->rest : low->rest + low->coefficient * last;
      maximum = rises ? high->rest + high->coefficient * last : high->rest;
    }
    return true;
  }

  bool bound(const Expr& index, const Expr& extent) {
    const auto a = affine_in(index, loop_.var.name);
    const auto step = a ? constant_value(simplify(a->coefficient, ranges_)) : std::nullopt;
    Expr least, maximum;
    if (!step || *step < 1 || !ends(a->rest, least, maximum)) return false;
    const Expr c = constant_int(*step);
    const Expr first = apply(ScalarOp::FloorDiv, {constant_int(*step - 1) - least, c});
    const Expr past = apply(ScalarOp::FloorDiv, {extent - constant_int(1) - maximum, c}) + constant_int(1);
    begin_ = begin_ ? apply(ScalarOp::Max, {begin_, first}) : first;
    end_ = end_ ? apply(ScalarOp::Min, {end_, past}) : past;
    return true;
  }

  const Kernel& k_;
  const TreeLoop& loop_;
  Ranges ranges_;
  std::vector<LoopVar> inner_;
  std::vector<Read> reads_;
  Expr begin_, end_;
};

}  // namespace

std::optional<Interior> find_interior(const Kernel& k, const TreeLoop& loop, const Ranges& ranges) {
  return InteriorFinder(k, loop, ranges).run();
}

}  // namespace tenon
