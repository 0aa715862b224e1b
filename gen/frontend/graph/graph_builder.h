// Builds a Graph node by node. Types are known immediately, so a reader can query shapes while it reads. Small results
// of known values are computed immediately, including extents as expressions over run-time sizes.
#pragma once

#include <optional>
#include <set>
#include <stdexcept>

#include "frontend/graph/op_semantics.h"
#include "frontend/graph/text_table.h"
#include "frontend/graph/value_range.h"
#include "support/c_names.h"

namespace tenon {

/// The reason why a node cannot be added. Never leaves the readers of this folder.
struct GraphError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class GraphBuilder {
 public:
  /// `program`: the name of the generated program; values must not have the names of its macros.
  GraphBuilder(const OpSemantics& semantics, std::string graph_name, std::string program = "");

  void add_size(GraphSize size);
  ValueId add_input(const std::string& name, DType dtype, std::vector<SizeExpr> dims);
  /// Remembers a file that a constant comes from.
  void add_file(std::string path) { graph_.files.push_back(std::move(path)); }
  ValueId add_constant(const std::string& name, std::shared_ptr<const TensorData> data);
  ValueId add_constant(const std::string& name, TensorData data);
  /// A tensor of integers that may depend on run-time sizes; or of floats, if all are integers that the type represents
  /// exactly.
  ValueId add_numbers(DType dtype, std::vector<SizeExpr> dims, std::vector<SizeExpr> elements);

  /// Adds `op` with the current origin. Throws GraphError.
  std::vector<ValueId> add_node(const std::string& op, std::vector<ValueId> inputs, const Attributes& attrs,
                                size_t outputs);

  /// The gradients of `of`, a floating value of rank 0, with respect to other floating values. Throws GraphError.
  std::vector<ValueId> add_gradients(ValueId of, const std::vector<ValueId>& wrt);

  /// Opens a loop of `trip` iterations, or of at most that many. Until it is closed, added nodes that depend on the
  /// iteration become its body; other nodes are added outside.
  RegionId begin_loop(const SizeExpr& trip);
  /// The iteration's number, 0 at first.
  SizeExpr counter(RegionId loop) const { return size_name(region(loop).counter); }
  /// A carried value as an iteration sees it.
  ValueId carry(RegionId loop, ValueId initial);
  /// The slice of `whole` at the iteration's index along axis 0, without that axis. The axis has `trip` elements.
  ValueId read_slice(RegionId loop, ValueId whole, bool reversed);
  /// Bounds known at run time: a count of iterations (i64), whether there is a first one (bool).
  void set_bounds(RegionId loop, ValueId count, ValueId starts);

  /// The results of the body: the next value of each carried one, in order; slices of results; whether to continue, or
  /// kNoValue.
  struct LoopEnd {
    std::vector<ValueId> next;
    std::vector<std::pair<ValueId, bool>> parts;  // and whether they are written from the end
    ValueId continues = kNoValue;
    bool partial = false;  // elements that a smaller number of iterations leaves unwritten are cut off afterwards
  };
  /// Closes the innermost region, which is `loop`. Returns the carried values after the last iteration, then a tensor
  /// [trip, …] for each part. Throws GraphError where a value does not keep its type.
  std::vector<ValueId> end_loop(RegionId loop, const LoopEnd& end);

  /// Opens the branch that is taken if `condition`, a bool of one element (at_run), equals `holds`. Nodes added until
  /// it is closed are part of it.
  RegionId begin_branch(ValueId condition, bool holds);
  /// Closes the innermost region, the branch that holds or the other one right after it. `results` is empty for the
  /// first, whose results are returned and are given to the second. Throws GraphError where the types differ.
  std::vector<ValueId> end_branch(RegionId branch, const std::vector<ValueId>& made,
                                  const std::vector<ValueId>& results);
  /// Suspends the innermost region and continues outside of it until it is resumed: its results may depend on another
  /// region.
  void set_aside(RegionId region);
  void take_up(RegionId region);
  /// An extent outside the region that is at least `extent` inside: operators of the region may write sizes that are
  /// unknown outside.
  SizeExpr bound_outside(RegionId region, const SizeExpr& extent) const;
  /// Discards the unfinished regions from `region` on, and the facts about sizes that they added.
  void abandon(RegionId region);

  /// The scope in which two extents are equal. In a region that may not be executed, nodes that rely on it have to stay
  /// there.
  enum class Equality { never, at_every_call, in_the_region };
  /// Extents whose equality the size ranges do not determine are compared at run time: at every call, or when the
  /// innermost region is executed.
  Equality require_equal(const SizeExpr& x, const SizeExpr& y);

  /// From here on, two open extents of which one may be 1 broadcast if the operator allows it; otherwise they have to
  /// be equal.
  void join_open_extents() { joins_ = true; }
  bool has_joined() const { return joined_; }
  /// The broadcast of two different extents if only run time determines which of them is 1; nothing if they have to be
  /// equal or are decided at generation time.
  std::optional<SizeExpr> joint_extent(const SizeExpr& a, const SizeExpr& b);

  /// Whether every name in the extent is a size of the inputs, or one that an operator writes.
  bool known_at_run(const SizeExpr& extent) const;
  /// The value, with numbers that depend on sizes as a tensor of the program.
  ValueId at_run(ValueId id);

  void set_origin(std::string origin) { origin_ = std::move(origin); }
  /// The maximum number of elements of a result of constants that is computed at once.
  void compute_up_to(int64_t elements) { computed_elements_ = elements; }
  /// Sets the value's name in the file; the first name is kept.
  void name_value(ValueId id, const std::string& original);
  /// Excludes the constant from constant folding, because gradients are computed with respect to it.
  void keep(ValueId id) { at(id).kept = true; }
  void set_trainable(ValueId id) { at(id).value.trainable = true; }

  const Value& value(ValueId id) const { return at(id).value; }
  TensorType type(ValueId id) const { return {value(id).dtype, value(id).dims}; }
  /// The run-time sizes and the counters of the loops with their ranges.
  std::vector<GraphSize> sizes() const { return all_sizes(graph_); }
  const OpSemantics& semantics() const { return *semantics_; }
  /// Elements of a tensor of integers where they are known before run time.
  std::optional<std::vector<SizeExpr>> numbers(ValueId id) const;
  /// The range of a tensor's elements, as far as constants and the operators that computed it determine it.
  std::optional<ValueRange> range(ValueId id) const;
  bool is_input(ValueId id) const;
  /// Whether a node makes a value of this type.
  bool makes(DType type) const;
  TextTable& texts() { return texts_; }
  /// Whether the value is known in a loop or branch only.
  bool is_inside(ValueId id) const { return at(id).region != kTopLevel; }

  /// An input that carries an output of this call to the next call; positions are those in the outputs of `finish`.
  struct State {
    ValueId input = kNoValue;
    std::shared_ptr<const TensorData> initial;  // null: zeros
    size_t next = 0;
    std::optional<size_t> gradient;
    bool parameter = false;
  };
  void add_state(State state) { states_.push_back(std::move(state)); }

  /// The graph with unique C identifiers, without nodes that no output needs. An output that is an input, a constant or
  /// another output gets a copy. Throws GraphError.
  Graph finish(const std::vector<std::pair<std::string, ValueId>>& outputs);

 private:
  struct Entry {
    Value value;
    std::optional<std::vector<SizeExpr>> numbers;  // elements that depend on sizes; such a value has no node
    bool computed = false;        // has a node although its contents are known; the graph does not store them
    bool kept = false;            // see keep()
    RegionId region = kTopLevel;  // outside of which it is not known
    std::optional<ValueRange> range = std::nullopt;
  };
  /// An open region and the nodes that are in it so far.
  struct Open {
    RegionId region = kTopLevel;
    std::vector<Node> nodes;
    std::vector<GraphSize> sizes = {};  // the known sizes when it was opened
    std::vector<EqualExtents> equal = {};
  };
  /// A size that an operator inside a region writes each time it runs.
  struct Written {
    RegionId region = kTopLevel;
    SizeExpr bound;
  };
  Region& region(RegionId id) { return graph_.region(id); }
  const Region& region(RegionId id) const { return graph_.region(id); }
  std::optional<ValueRange> range_of_node(const Node& node) const;
  bool is_written_in(RegionId id, const SizeExpr& extent) const;
  void check_known_outside(RegionId id, const TensorType& type) const;
  size_t place_of(const Node& node, const std::vector<TensorType>& types) const;
  std::vector<ValueId> append(Node node, const std::vector<TensorType>& types, size_t place);
  RegionId open(Region region);
  void close(RegionId id);
  ValueId made_in(RegionId id, ValueId value, std::set<ValueId>& taken);
  ValueId value_like(ValueId other, RegionId region);
  Entry& at(ValueId id) { return entries_[static_cast<size_t>(id)]; }
  const Entry& at(ValueId id) const { return entries_[static_cast<size_t>(id)]; }
  ValueId add(Entry entry);
  InferredTypes infer(const std::string& op, const std::vector<ValueId>& inputs, const Attributes& attrs,
                      size_t outputs) const;
  void check_extents(const std::string& op, const std::vector<TensorType>& types) const;
  std::optional<std::vector<ValueId>> compute_now(const std::string& op, const std::vector<ValueId>& inputs,
                                                  const Attributes& attrs, const std::vector<TensorType>& types);
  std::optional<std::vector<ValueId>> compute_sizes(const std::string& op, const std::vector<ValueId>& inputs,
                                                    const Attributes& attrs, const std::vector<TensorType>& types);
  std::optional<std::vector<ValueId>> compute_constants(const std::string& op, const std::vector<ValueId>& inputs,
                                                        const Attributes& attrs, const std::vector<TensorType>& types);
  void name_extents(Node& node, InferredTypes& inferred, RegionId place);
  std::string never_equal(const SizeExpr& x, const SizeExpr& y) const;
  bool fix_sizes(const std::string& op, const InferredTypes& inferred);
  void fix_for_every_call(const EqualExtents& e);
  bool runs_at_every_call() const;
  bool names_a_counter(const SizeExpr& extent) const;
  bool known_here(const SizeExpr& extent) const;
  bool stays_node(const Node& node, const std::vector<TensorType>& types) const;
  ValueId materialise(ValueId id);

  const OpSemantics* semantics_;
  Graph graph_;  // sizes, inputs and regions; values and nodes are kept below until the end
  std::vector<Entry> entries_;
  std::vector<Open> open_{Open{}};  // the innermost region is last
  std::vector<Open> aside_;         // open as well, but nothing is added to them
  std::map<std::string, Written> written_;
  std::vector<State> states_;
  bool joins_ = false, joined_ = false;
  std::vector<SizeExpr> joints_;  // broadcast results of extents
  CNames counters_;
  TextTable texts_;
  std::string origin_, program_;
  int64_t computed_elements_ = 4096;  // larger results may cost more memory than they save time
};

}  // namespace tenon
