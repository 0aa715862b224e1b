// Draws operators that fit values which there are.
#pragma once

#include <optional>
#include <random>
#include <set>

#include "ir/op/op_def.h"
#include "random_graphs/random_graph.h"

namespace tenon_test {

class NodeChooser {
 public:
  /// `smooth`: operators that have a gradient where they have a derivative, floats in f64 alone. Half of the operators
  /// are among `frequent`; if that is empty, among those that move elements, reduce them, or read windows.
  NodeChooser(const OpLibrary& defs, uint64_t seed, bool smooth = false, const std::set<std::string>& frequent = {});

  /// A graph of about `nodes` operators; outputs are what nobody reads, and some values that are read too.
  RandomGraph graph(int nodes);
  /// Operators that were part of a graph so far, how often each.
  const std::map<std::string, int>& used() const { return used_; }

 private:
  struct Call;
  bool add_node(RandomGraph& g);
  const OpDef& draw_op();
  bool draw_first(const RandomGraph& g, Call& call);
  void draw_types(Call& call);
  void draw_attrs(Call& call);
  AttrValue draw_attr(const AttrDef& a, const Call& call);
  std::vector<int64_t> draw_list(const AttrDef& a, const Call& call);
  bool bind_dims(const TensorDef& t, std::vector<int64_t> dims, Call& call);
  std::vector<int64_t> dims_of(const TensorDef& t, Call& call);
  int64_t extent(const std::string& name, Call& call);
  void draw_others(const RandomGraph& g, Call& call);
  int draw_value(const RandomGraph& g, Call& call, const TensorDef& t);
  TensorData draw_data(DType d, std::vector<int64_t> dims, int64_t below);
  RandomValue fresh(const RandomGraph& g, const Call& call, TensorData data);
  int64_t upto(int64_t n) { return static_cast<int64_t>(rng_() % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return upto(100) < percent; }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[static_cast<size_t>(upto(static_cast<int64_t>(list.size())))];
  }

  const OpLibrary& defs_;
  std::mt19937_64 rng_;
  bool smooth_;
  std::vector<const OpDef*> families_, frequent_, others_;
  std::map<std::string, int> used_;
};

}  // namespace tenon_test
