// The reverse sweep: from the last operator to the first, the gradients of all uses of a value summed.
#include "differentiate/backward_graph.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>

#include "differentiate/backward_parts.h"
#include "differentiate/gradient_nodes.h"
#include "ir/graph/graph_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class Sweep : GradientNodes {
 public:
  Sweep(Graph& graph, const OutlineGradient& outline, size_t at)
      : GradientNodes(graph, graph.nodes[at]), outline_(outline), at_(at) {}

  void run() {
    const std::vector<ValueId> wrt(asks_.inputs.begin() + 1, asks_.inputs.end());
    active_ = active_values(graph_, wrt, at_);
    GradientBlock block;
    const ValueId of = asks_.inputs[0];
    if (is_active(of)) block.adjoints[of] = {filled(block, of, 1)};
    const std::vector<Node> forward(graph_.nodes.begin(), graph_.nodes.begin() + static_cast<std::ptrdiff_t>(at_));
    sweep(block, forward, kTopLevel);
    for (size_t i = 0; i < wrt.size(); ++i) {
      const ValueId made = adjoint(block, wrt[i]);
      add_node(block, "identity", {made == kNoValue ? filled(block, wrt[i], 0) : made}, {asks_.outputs[i]});
    }
    const auto place = graph_.nodes.begin() + static_cast<std::ptrdiff_t>(at_);
    graph_.nodes.insert(graph_.nodes.erase(place), block.nodes.begin(), block.nodes.end());
    for (auto& [loop, count] : counts_) {
      for (Node& n : count.in_front) n.name = node_names_.fresh(n.op);
      count.inside.name = node_names_.fresh(count.inside.op);
      place_count(graph_, loop, count);
    }
  }

 private:
  bool is_active(ValueId v) const {
    return v != kNoValue && static_cast<size_t>(v) < active_.size() && active_[static_cast<size_t>(v)];
  }
  [[noreturn]] static void fail(const std::string& where, const std::string& why) { throw NoGradient{where, why}; }

  /// Nodes of the forward region, the last one first.
  void sweep(GradientBlock& block, const std::vector<Node>& nodes, RegionId forward) {
    for (size_t i = nodes.size(); i > 0;) {
      if (nodes[i - 1].region == forward) {
        node(block, nodes[--i]);
        continue;
      }
      const RegionPart last = take_part(graph_, nodes, i, forward);
      if (region(last.region).kind == Region::Kind::loop) loop(block, last.nodes, last.region);
      else branch(block, {take_part(graph_, nodes, i, forward), last}, forward);
    }
  }

  void node(GradientBlock& block, const Node& n) {
    if (none_of(n.inputs, [&](ValueId v) { return is_active(v); })) return;
    OperatorGradients all;
    for (size_t i = 0; i < n.outputs.size(); ++i)
      if (const ValueId d = adjoint(block, n.outputs[i]); d != kNoValue) {
        all.gradient.cotangents.push_back(i);
        all.cotangents.push_back(d);
      }
    if (all.cotangents.empty()) return;
    all.gradient.of = counted_back(n);
    all.gradient.of.inputs.clear();
    all.gradient.of.outputs.clear();
    for (const ValueId v : n.inputs)
      all.gradient.inputs.push_back(v == kNoValue ? std::nullopt
                                                  : std::optional(GradientOf::Input{value(v).dtype, value(v).dims}));
    all.operands = n.inputs;
    all.results = n.outputs;
    all.forward = n.region;
    for (size_t i = 0; i < all.operands.size(); ++i)
      if (is_active(all.operands[i])) operand(block, all, i);
  }

  /// What the gradients of an operator with respect to its operands have in common.
  struct OperatorGradients {
    GradientOf gradient;
    std::vector<ValueId> cotangents, operands, results;
    RegionId forward = kTopLevel;
  };

  /// The gradient with respect to operand `i`.
  void operand(GradientBlock& block, const OperatorGradients& all, size_t i) {
    GradientOf gradient = all.gradient;
    gradient.wrt = i;
    const std::vector<ValueId>& operands = all.operands;
    std::vector<ValueId> inputs = all.cotangents;
    Node made;
    made.attrs = gradient.of.attrs;
    made.origin = gradient.of.origin;
    const size_t cotangents = inputs.size();
    made.gradient = std::make_shared<const GradientOf>(gradient);
    const GradientOutline outline = outline_(graph_, made);
    if (!outline.why.empty())
      fail(made.origin, fmt::format("{} has no gradient here: {}", gradient.of.op, outline.why));
    if (outline.of_one_row && leaves_loop(block, all, made, outline)) return;
    for (size_t k = 0; k < cotangents; ++k)
      if (!outline.reads[k]) inputs[k] = kNoValue;
    for (size_t k = 0; k < operands.size(); ++k) {
      const ValueId read = outline.result_will_do ? all.results[0] : operands[k];
      inputs.push_back(outline.reads[cotangents + k] ? saved(read, all.forward) : kNoValue);
    }
    made.op = outline.op;
    made.inputs = std::move(inputs);
    made.outputs = {like(adjoint_name(operands[i]), operands[i], block.region)};
    block.adjoints[operands[i]].push_back(add_node(block, std::move(made)));
  }

  /// A gradient that is computed behind a loop of gradients: with respect to `of`, from what all iterations made.
  struct BehindLoop {
    ValueId of = kNoValue;
    Node node;
    std::vector<bool> by_row;
  };

  /// Whether a gradient with respect to a value from outside of the loop is one sum over the rows of all iterations,
  /// which is added behind the loop.
  bool leaves_loop(GradientBlock& block, const OperatorGradients& all, const Node& part,
                   const GradientOutline& outline) {
    const RegionId loop = all.forward;
    const ValueId of = all.operands[part.gradient->wrt];
    if (value_or(backward_, loop, kTopLevel) != block.region || block.region == kTopLevel) return false;
    if (region(loop).ends_early() || lies_in(graph_.regions, home_of(of), loop)) return false;
    std::vector<bool> inside;  // per operand
    std::optional<bool> order;
    for (size_t k = 0; k < all.operands.size(); ++k) {
      const ValueId v = all.operands[k];
      inside.push_back(v != kNoValue && lies_in(graph_.regions, home_of(v), loop));
      if (!inside[k] || !outline.by_row[all.cotangents.size() + k]) continue;
      const bool own = known_order(v, loop).value_or(false);
      if (order.value_or(own) != own) return false;
      order = own;
    }
    const auto node = of_all_iterations(graph_, part, {block.region, inside, outline}, outline_);
    if (!node) return false;
    BehindLoop late{of, *node, outline.by_row};
    for (size_t k = 0; k < outline.reads.size(); ++k) {
      const bool cotangent = k < all.cotangents.size();
      ValueId v = cotangent ? all.cotangents[k] : all.operands[k - all.cotangents.size()];
      if (cotangent && outline.reads[k]) v = in_all_iterations(v, block.region, !order.value_or(false)).whole;
      else if (outline.by_row[k]) v = in_all_iterations(v, loop, *order).whole;
      late.node.inputs.push_back(outline.reads[k] ? v : kNoValue);
    }
    behind_[block.region].push_back(std::move(late));
    return true;
  }

  /// Computes what left the loop of gradients `backward`, of the region `forward`.
  void behind_loop(GradientBlock& block, RegionId backward, RegionId forward) {
    for (BehindLoop& late : behind_[backward]) {
      for (size_t k = 0; k < late.node.inputs.size(); ++k) {
        ValueId& v = late.node.inputs[k];
        if (v == kNoValue) continue;
        if (home_of(v) != block.region) v = saved(v, region(forward).parent);
        if (late.by_row[k]) v = rows_of_all(block, v);
      }
      late.node.outputs = {like(adjoint_name(late.of), late.of, block.region)};
      block.adjoints[late.of].push_back(add_node(block, std::move(late.node)));
    }
  }

  /// The operator with the numbers of iterations as the loops of the gradient count them, which begin at the last one.
  Node counted_back(Node n) {
    for (const auto& [forward, backward] : backward_) {
      if (!lies_in(graph_.regions, n.region, forward)) continue;
      refuse_extents_of(graph_, n, region(forward).counter);
      count_back(n, region(forward), region(forward).trip - 1 - size_name(region(backward).counter));
    }
    return n;
  }

  /// What an operator of the gradient of the region `forward` reads where the operators of `forward` read `v`.
  ValueId saved(ValueId v, RegionId forward) {
    // A copy is placed where its gradient is computed, because its operands are available there.
    if (v == kNoValue || forward == kTopLevel || copies_.contains(forward) || value(v).constant) return v;
    const auto [known, added] = saved_.emplace(std::pair(v, forward), kNoValue);
    if (!added) return known->second;
    const RegionId home = home_of(v), backward = backward_.at(forward), outside = region(forward).parent;
    if (!lies_in(graph_.regions, home, forward)) return known->second = saved(v, outside);
    const Slice all = in_all_iterations(v, forward, known_order(v, forward).value_or(false));
    const ValueId part = like(value(v).name + "_again", v, backward);
    region(backward).reads.push_back({saved(all.whole, outside), part, !all.reversed});
    return saved_[{v, forward}] = part;
  }

  /// The gradient of a loop: a loop that carries the gradients of what it carried, from its end to its beginning.
  void loop(GradientBlock& block, const std::vector<Node>& nodes, RegionId forward) {
    std::vector<ValueId> results = results_of(region(forward));
    if (none_of(results, [&](ValueId v) { return block.adjoints.contains(v); })) return;
    GradientBlock inner{open_backward(forward, block.region)};
    const std::vector<Carried> carried = region(forward).carried;
    const std::vector<Slice> reads = region(forward).reads, writes = region(forward).writes;
    for (const Carried& c : carried) begin_carried(block, inner, c);
    for (const Slice& w : writes) {
      const ValueId whole = adjoint(block, w.whole);
      if (whole == kNoValue) continue;
      const ValueId part = like(adjoint_name(w.part), w.part, inner.region);
      region(inner.region).reads.push_back({whole, part, !w.reversed});
      inner.adjoints[w.part].push_back(part);
    }
    sweep(inner, nodes, forward);
    end_carried(block, inner, carried);
    for (const Slice& r : reads) {
      const ValueId part = adjoint(inner, r.part);
      if (part == kNoValue) continue;
      if (counts_.contains(forward) && !is_partial(graph_, r.whole))
        fail(region(forward).origin, "a loop whose end depends on data reads a part of each iteration");
      const ValueId whole = like(adjoint_name(r.whole), r.whole, block.region);
      region(inner.region).writes.push_back({whole, part, !r.reversed});
      block.adjoints[r.whole].push_back(whole);
    }
    sum_over_iterations(block, inner, forward);
    append(block.nodes, inner.nodes);
    behind_loop(block, inner.region, forward);
  }

  /// The gradient of two branches: two branches under the same condition. Only results leave a branch, so each branch
  /// recomputes what its gradient reads.
  void branch(GradientBlock& block, const std::array<RegionPart, 2>& parts, RegionId forward) {
    const std::vector<BranchResult> results = region(parts[0].region).results;
    const auto is_asked = [&](const BranchResult& r) { return block.adjoints.contains(r.result); };
    if (none_of(results, is_asked)) return;
    std::array<GradientBlock, 2> arms;
    std::array<std::map<ValueId, ValueId>, 2> made;  // gradients of values from outside
    std::set<ValueId> outside;
    for (size_t k = 0; k < 2; ++k) {
      arms[k] = arm(block, parts[k], forward);
      std::vector<ValueId> all;
      for (const auto& [v, sum] : arms[k].adjoints)
        if (!lies_in(graph_.regions, home_of(v), arms[k].region)) all.push_back(v);
      for (const ValueId v : all) {
        made[k][original_of(v)] = adjoint(arms[k], v);
        outside.insert(original_of(v));
      }
    }
    for (const ValueId v : outside) {
      const ValueId result = like(adjoint_name(v), v, block.region);
      for (size_t k = 0; k < 2; ++k) region(arms[k].region).results.push_back({inside_of(arms[k], made[k], v), result});
      block.adjoints[v].push_back(result);
    }
    for (GradientBlock& arm : arms) append(block.nodes, arm.nodes);
  }

  GradientBlock arm(GradientBlock& block, RegionPart part, RegionId forward) {
    for (Node& n : part.nodes) {
      refuse_in_branch(graph_, n, part.region);
      n = counted_back(std::move(n));
    }
    const RegionCopySource source{[&](ValueId of, RegionId home) {
                                    const ValueId v = like(value(of).name + "_again", of, home);
                                    return follow(v, of), v;
                                  },
                                  [&](ValueId v) {
                                    const ValueId here = saved(v, forward);
                                    if (here != v) follow(here, v), originals_[here] = original_of(v);
                                    return here;
                                  },
                                  [&](const Node& n) { return node_names_.fresh(n.op); },
                                  [&](const std::string& counter) { return value_names_.fresh(counter + "_again"); }};
    RegionCopy copy = copy_region(graph_, part.nodes, part.region, block.region, source);
    copies_.insert(copy.region);
    GradientBlock inner{copy.region, copy.nodes};
    for (const BranchResult& r : region(part.region).results) {
      const auto own = copy.values.find(r.inside);
      const ValueId inside = own != copy.values.end() ? own->second : source.outside(r.inside);
      if (const ValueId d = adjoint(block, r.result); d != kNoValue && is_active(inside))
        inner.adjoints[inside].push_back(d);
    }
    sweep(inner, copy.nodes, copy.region);
    return inner;
  }

  /// The gradient of `v` in a branch, made there.
  ValueId inside_of(GradientBlock& arm, const std::map<ValueId, ValueId>& made, ValueId v) {
    const auto known = made.find(v);
    if (known == made.end() || known->second == kNoValue) return filled(arm, v, 0);
    if (home_of(known->second) == arm.region) return known->second;
    return add_node(arm, "identity", {known->second}, {like(adjoint_name(v), v, arm.region)});
  }

  /// `v` depends on what `of` depends on.
  void follow(ValueId v, ValueId of) {
    active_.resize(graph_.values.size(), false);
    active_[static_cast<size_t>(v)] = is_active(of);
  }
  ValueId original_of(ValueId v) const { return value_or(originals_, v, v); }

  RegionId open_backward(RegionId forward, RegionId parent) {
    const ValueId ran = is_cut_short(region(forward)) ? iterations_of(forward) : kNoValue;
    Region r;
    r.parent = parent;
    r.origin = region(forward).origin;
    r.equal = region(forward).equal;
    r.trip = region(forward).trip;
    r.counter = value_names_.fresh(region(forward).counter + "_back");
    if (ran != kNoValue) {
      r.count = saved(ran, region(forward).parent);
      r.partial = true;
    }
    graph_.regions.push_back(std::move(r));
    return backward_[forward] = static_cast<RegionId>(graph_.regions.size() - 1);
  }

  ValueId iterations_of(RegionId loop) {
    const auto [known, added] = counts_.emplace(loop, IterationCount{});
    if (added)
      known->second = count_iterations(
          graph_, loop, [&](const std::string& name, RegionId home) { return new_value(name, DType::I64, {}, home); });
    return known->second.iterations;
  }

  void begin_carried(GradientBlock& block, GradientBlock& inner, const Carried& c) {
    if (!is_active(c.inside)) return;
    const ValueId known = c.result == kNoValue ? kNoValue : adjoint(block, c.result);
    const ValueId initial = known == kNoValue ? filled(block, c.inside, 0) : known;
    inner.adjoints[c.next].push_back(carry(inner, initial, c.inside));
  }
  ValueId carry(GradientBlock& inner, ValueId initial, ValueId of) {
    const ValueId inside = like(adjoint_name(of), of, inner.region);
    region(inner.region).carried.push_back({initial, inside, kNoValue, kNoValue});
    return inside;
  }
  ValueId hand_on(GradientBlock& inner, size_t carried, ValueId next, ValueId of, RegionId outside) {
    const ValueId result = like(adjoint_name(of), of, outside);
    region(inner.region).carried[carried].next = next;
    region(inner.region).carried[carried].result = result;
    return result;
  }

  void end_carried(GradientBlock& block, GradientBlock& inner, const std::vector<Carried>& carried) {
    size_t n = 0;
    for (const Carried& c : carried) {
      if (!is_active(c.inside)) continue;
      const ValueId made = adjoint(inner, c.inside), next = made == kNoValue ? filled(inner, c.inside, 0) : made;
      const ValueId result = hand_on(inner, n++, next, c.inside, block.region);
      if (is_active(c.initial)) block.adjoints[c.initial].push_back(result);
    }
  }

  /// Gradients of values from outside, weights mostly.
  void sum_over_iterations(GradientBlock& block, GradientBlock& inner, RegionId forward) {
    std::vector<ValueId> outside;
    for (const auto& [v, parts] : inner.adjoints)
      if (!lies_in(graph_.regions, home_of(v), forward)) outside.push_back(v);
    for (const ValueId v : outside) {
      const ValueId part = adjoint(inner, v);
      const size_t n = region(inner.region).carried.size();
      const ValueId sum = carry(inner, filled(block, v, 0), v);
      const ValueId next = add_node(inner, "add", {sum, part}, {like(adjoint_name(v), v, inner.region)});
      block.adjoints[v].push_back(hand_on(inner, n, next, v, block.region));
    }
  }

  const OutlineGradient& outline_;
  size_t at_;
  std::vector<bool> active_;
  std::map<RegionId, RegionId> backward_;  // region → that of its gradient
  std::map<std::pair<ValueId, RegionId>, ValueId> saved_;
  std::map<RegionId, std::vector<BehindLoop>> behind_;  // region of a gradient → what is computed after it
  std::map<RegionId, IterationCount> counts_;
  std::set<RegionId> copies_;             // branches that are computed again, next to their gradients
  std::map<ValueId, ValueId> originals_;  // saved value → what it is of
};

}  // namespace

Result<Graph> backward_graph(Graph graph, const OutlineGradient& outline) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].op != kGradientOp) continue;
    const std::string asked = graph.nodes[i].origin;
    try {
      Sweep(graph, outline, i).run();
      --i;
    } catch (const NoGradient& missing) {
      Diagnostics d;
      d.error_at(Code::E0709, missing.where, missing.why, {"the gradient is asked for at " + asked});
      return d;
    }
  }
  return graph;
}

}  // namespace tenon
