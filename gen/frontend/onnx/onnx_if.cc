// If: the branch that is known or that the maximum sizes take, or a region for each of the two.
#include <fmt/format.h>

#include "frontend/graph/joined_results.h"
#include "frontend/onnx/onnx_control.h"
#include "frontend/onnx/onnx_nodes.h"
#include "frontend/onnx/onnx_told.h"

namespace tenon {
namespace {

using namespace tenon_onnx;

class IfNode : public ControlNode {
 public:
  using ControlNode::ControlNode;

  std::vector<ValueId> run() {
    if (inputs_.size() != 1) throw OnnxError{Code::E0806, "it has one input"};
    tensors_only(inputs_);
    const std::optional<SizeExpr> known = number(inputs_[0]);
    if (known && known->is_constant()) return reader_.read(branch(!known->is(0)), {});
    const bool told_by_sizes = known && builder_.known_at_run(*known);
    if (const auto results = both_branches(told_by_sizes)) return *results;
    return branch_of_maximum_sizes(*known);
  }

 private:
  const GraphProto& branch(bool holds) const { return graph(holds ? "then_branch" : "else_branch"); }

  /// The results of one branch; a range error where the other one is taken.
  std::vector<ValueId> branch_by_data(bool holds, const std::string& why) {
    reader_.warn(fmt::format("its {} does not go with the extents, so the program refuses to take it: {}",
                             holds ? "else_branch" : "then_branch", why));
    std::vector<ValueId> results = reader_.read(branch(holds), {});
    const ValueId condition = builder_.at_run(inputs_[0]);
    const ValueId taken = holds ? condition : negated(condition);
    bool checked = results.empty();
    for (ValueId& r : results) {
      RecipeList list = is_list(r) ? list_of(r) : RecipeList();
      for (RecipeValue& e : list)
        if (const TensorRef* t = e.get<TensorRef>()) e = TensorRef{only_if(context_, t->id, taken)}, checked = true;
      if (is_list(r)) r = add_list(std::move(list));
      if (r >= 0) r = only_if(context_, r, taken), checked = true;
    }
    // Without a tensor, a call that takes the other branch could not be refused.
    if (!checked && complete(results)) throw OnnxError{Code::E0807, why};
    return results;
  }

  ValueId negated(ValueId condition) { return builder_.add_node("logical_not", {condition}, {}, 1)[0]; }

  /// Nothing if the two have no common result type; one of them then has to serve for both.
  std::optional<std::vector<ValueId>> both_branches(bool one_may_do) {
    const ValueId condition = builder_.at_run(inputs_[0]);
    Branch then = read_branch(condition, true);
    Guard guard{builder_, then.region};
    builder_.set_aside(then.region);
    // A branch that does not accept these extents may be meant for other ones, and never be taken.
    if (!then.refused.empty()) {
      guard.done = true;
      builder_.abandon(then.region);
      return branch_by_data(false, then.refused);
    }
    if (!then.complete) return std::vector<ValueId>{};
    Branch otherwise = read_branch(condition, false);
    if (!otherwise.refused.empty()) {
      guard.done = true;
      builder_.abandon(then.region);
      return branch_by_data(true, otherwise.refused);
    }
    if (!otherwise.complete) return std::vector<ValueId>{};
    if (then.lengths.size() != otherwise.lengths.size())
      throw OnnxError{Code::E0806, "its branches have different numbers of outputs"};
    builder_.set_aside(otherwise.region);
    const bool same_form = then.lengths == otherwise.lengths;
    if (!same_form || !may_join(builder_, then, otherwise)) {
      if (reader_.may_continue || reader_.may_move) throw BranchesDiffer{};
      if (one_may_do) return std::nullopt;
    }
    if (!same_form)
      throw OnnxError{Code::E0807, "its branches give sequences of different lengths, or one an empty optional"};
    const std::vector<JoinedResult> joined = joined_results(builder_, then, otherwise);
    std::vector<ValueId> results;
    for (const Branch* b : {&then, &otherwise}) {
      builder_.take_up(b->region);
      results = builder_.end_branch(b->region, widened(builder_, b->made, joined), results);
    }
    guard.done = true;
    return gathered(cut_to_size(builder_, results, joined), then.lengths);
  }

  /// The branch that is taken for the maximum sizes; a call whose sizes select the other one is refused.
  std::vector<ValueId> branch_of_maximum_sizes(const SizeExpr& condition) {
    SizeValues maximum;
    for (const GraphSize& s : builder_.sizes()) maximum[s.name] = s.hi;
    const bool holds = evaluate(condition, maximum).value_or(0) != 0;
    builder_.require_equal(condition, int64_t{holds});
    return reader_.read(branch(holds), {});
  }

  // In `lengths`, which else has the elements of a sequence.
  static constexpr size_t kTensor = static_cast<size_t>(-1), kEmpty = static_cast<size_t>(-2);
  /// Sequences replaced by their elements.
  std::vector<ValueId> scattered(const std::vector<ValueId>& ids, std::vector<size_t>& lengths) const {
    std::vector<ValueId> tensors;
    for (const ValueId v : ids) {
      lengths.push_back(is_list(v) ? list_of(v).size() : v == kEmptyOptional ? kEmpty : kTensor);
      if (lengths.back() == kTensor) tensors.push_back(v);
      else if (lengths.back() != kEmpty)
        for (const RecipeValue& e : list_of(v)) {
          if (!e.get<TensorRef>())
            throw OnnxError{Code::E0805, "one of its branches gives an optional or a sequence of sequences"};
          tensors.push_back(e.get<TensorRef>()->id);
        }
    }
    return tensors;
  }

  std::vector<ValueId> gathered(const std::vector<ValueId>& tensors, const std::vector<size_t>& lengths) {
    std::vector<ValueId> ids;
    size_t next = 0;
    for (const size_t length : lengths) {
      if (length == kTensor || length == kEmpty) {
        ids.push_back(length == kTensor ? tensors[next++] : kEmptyOptional);
        continue;
      }
      RecipeList list;
      for (size_t i = 0; i < length; ++i) list.emplace_back(TensorRef{tensors[next++]});
      ids.push_back(add_list(std::move(list)));
    }
    return ids;
  }

  /// A branch that is still open, with sequences as their elements.
  struct Branch : OpenBranch {
    std::vector<size_t> lengths;
    bool complete = false;
    std::string refused;  // why it does not go with the extents
  };
  Branch read_branch(ValueId condition, bool holds) {
    Branch b;
    b.region = builder_.begin_branch(condition, holds);
    Guard guard{builder_, b.region};
    const std::optional<std::vector<ValueId>> ids = reader_.try_read(branch(holds), b.refused);
    b.complete = ids && complete(*ids);
    if (b.complete) b.made = scattered(*ids, b.lengths);
    guard.done = true;
    return b;
  }
};

}  // namespace

std::vector<ValueId> map_onnx_if(OnnxNodeContext& context, const NodeProto& node, const std::vector<ValueId>& inputs,
                                 const OnnxBodyReader& reader) {
  return IfNode(context, node, inputs, reader).run();
}

}  // namespace tenon
