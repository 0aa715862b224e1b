// The reader of one ONNX model: its inputs and tensors (onnx_reader_inputs.cc), its nodes (onnx_reader_nodes.cc), and
// the graph that they make (read_onnx.cc).
#pragma once

#include <set>
#include <utility>

#include "frontend/graph/solve_extents.h"
#include "frontend/onnx/onnx_declared.h"
#include "frontend/onnx/onnx_extension.h"
#include "frontend/onnx/onnx_node.h"
#include "frontend/onnx/onnx_nodes.h"
#include "frontend/onnx/onnx_sizes.h"
#include "frontend/onnx/onnx_told.h"
#include "frontend/onnx/read_onnx.h"

namespace tenon {

/// Nodes in order, and the results of theirs that are read later.
struct OnnxNodeList {
  OnnxNodes nodes;
  std::set<std::string> needed;
  std::map<const tenon_onnx::NodeProto*, std::string> where;
};

class OnnxReader {
 public:
  OnnxReader(const OnnxSource& source, const OnnxTable& table, const OpSemantics& semantics, const SizeRanges& sizes)
      : source_(source), table_(table), semantics_(semantics), sizes_(sizes, source.program) {}

  /// These numbers are taken to be those of the inputs.
  void take_inputs(ToldInputs told) { told_ = std::move(told); }
  /// Open extents that meet in a broadcast are taken to be equal.
  void take_as_equal() { joins_ = false; }
  bool has_joined() const { return builder_ && builder_->has_joined(); }
  /// These shapes are taken to be stated by the file.
  void take_shapes(StatedShapes shapes) { stated_ = std::move(shapes); }

  Result<Graph> read();

  /// The inputs whose elements may be extents, with a name for each element.
  ToldInputs unknown_inputs() const;

  /// What follows from the stated extents where the inputs' numbers are unknown sizes: the numbers that these leave no
  /// choice about, and shapes of values inside whose extents are stated elsewhere, such as a sum of all numbers.
  struct Implied {
    ToldInputs inputs;
    StatedShapes shapes;
  };
  Implied implied();

 private:
  // Values by their names in one graph or function. kNoValue: the node is in error, so that what reads it is left out
  // silently.
  using Names = std::map<std::string, ValueId>;
  using MadeBody = std::optional<std::vector<ValueId>>;

  std::vector<std::pair<std::string, ValueId>> read_model();
  /// A shape with extents that depend on unknown sizes, where each of these is one that the file states.
  std::optional<std::vector<SizeExpr>> stated_dims(std::vector<SizeExpr> dims,
                                                   const std::vector<ExtentEquation>& equations) const;
  /// From here on the input stands for these numbers.
  void tell(const std::string& name, const std::vector<SizeExpr>& elements);
  void error(Code code, const std::string& where, const std::string& message, std::vector<std::string> notes = {});
  void define(Names& names, const std::string& name, ValueId id, const std::string& where);
  std::vector<std::pair<std::string, ValueId>> read_outputs();
  Result<Graph> finish(std::vector<std::pair<std::string, ValueId>> outputs);

  void read_tensors(const OnnxNodeContext& context, const tenon_onnx::GraphProto& graph, Names& names,
                    const std::string& outer);
  /// A tensor of texts as their numbers.
  ValueId texts(const tenon_onnx::TensorProto& t, const std::string& where);
  /// An initializer, which is an input where it is trained.
  ValueId weight(const std::string& name, TensorData data, bool of_model);
  /// What a gradient is asked for stays as it is.
  void keep_asked();
  /// Inputs with initializers are constants: files before IR version 4 list all weights as inputs.
  void read_inputs();
  SizeExpr extent(const tenon_onnx::TensorShapeProto::Dimension& dim, const std::string& input, int axis,
                  const std::string& where);
  /// A shape that the file states helps where what decides it is computed at run time.
  void read_stated(OnnxNodeContext& context, const tenon_onnx::ValueInfoProto& v) const;
  void check_sizes();

  void read_graph_nodes(OnnxNodeContext& context, const tenon_onnx::GraphProto& graph, Names& names,
                        const std::string& outer);
  void read_nodes(OnnxNodeContext& context, const OnnxNodeList& list, Names& names);
  /// The nodes from an If on whose branches differ: what does not need its results, then the If with as many of the
  /// others in its branches as it takes to make the same of both.
  void read_in_branches(OnnxNodeContext& context, const OnnxNodeList& list, size_t at, Names& names);
  void read_node(OnnxNodeContext& context, const tenon_onnx::NodeProto& node, Names& names, const std::string& where);
  std::vector<ValueId> results(OnnxNodeContext& context, const tenon_onnx::NodeProto& node,
                               const std::vector<ValueId>& inputs, const Names& names, const std::string& where);
  /// A function of the model is its nodes, in a space of names of its own.
  std::vector<ValueId> call_function(OnnxNodeContext& context, const tenon_onnx::FunctionProto& f,
                                     const tenon_onnx::NodeProto& node, const std::vector<ValueId>& inputs,
                                     const std::string& where);
  std::vector<ValueId> map_control(OnnxNodeContext& context, const tenon_onnx::NodeProto& node,
                                   const std::vector<ValueId>& inputs, const Names& names, const std::string& where);
  MadeBody try_body(OnnxNodeContext& context, const tenon_onnx::GraphProto& body, const Names& names,
                    const std::string& where, std::string& why);
  /// A graph inside of a node sees the names around it. It may give kEmptyOptional.
  std::vector<ValueId> read_body(OnnxNodeContext& context, const tenon_onnx::GraphProto& body,
                                 const std::vector<ValueId>& given, const Names& names, const std::string& where);
  /// Where only tensors and sequences may be: an error for an optional that is empty.
  std::vector<ValueId> without_optionals(std::vector<ValueId> made, const std::string& where);
  /// The first extent that the file states for a value, or that follows from what it states for others; 0 where it is
  /// none of these.
  int64_t declared_extent(const OnnxNodeContext& context, const std::string& name) const;
  void enter();

  const OnnxSource& source_;
  const OnnxTable& table_;
  const OpSemantics& semantics_;
  OpenSizes sizes_;
  ToldInputs told_;
  std::map<std::string, ValueId> told_values_;  // the inputs themselves
  std::vector<ValueId> candidates_;             // inputs that may say extents
  std::set<std::string> unknowns_;              // names that stand for such extents
  StatedShapes stated_;
  tenon_onnx::ModelProto model_;
  std::optional<GraphDraft> draft_;
  GraphBuilder* builder_ = nullptr;  // of the draft
  Names values_;
  StaleDeclarations stale_;
  DeclaredTypes declared_;  // of the graph that is read and those around it
  std::string where_;       // the node that is read
  bool joins_ = true;       // open extents of which one may be 1 broadcast
  int depth_ = 0;
  int continued_ = 0;          // Ifs that are being read with what follows them
  bool may_continue_ = false;  // whether the If that is read may throw BranchesDiffer
  bool may_move_ = false;      // whether an If around the graph that is read may take in what follows it
  int64_t nodes_ = 0;
  std::set<std::string> reported_;  // open sizes without bounds
  Diagnostics diagnostics_;
};

}  // namespace tenon
