// Attributes of ensembles of trees, and what their readers share.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "frontend/onnx/onnx_node.h"
#include "frontend/onnx/onnx_tensor.h"
#include "frontend/onnx/onnx_trees.h"
#include "support/ranges.h"

namespace tenon {

using Integers = google::protobuf::RepeatedField<int64_t>;

template <class T>
TensorData tree_table(DType dtype, std::vector<int64_t> dims, const std::vector<T>& elements) {
  TensorData t{dtype, std::move(dims), std::vector<uint8_t>(elements.size() * sizeof(T))};
  if (!elements.empty()) std::memcpy(t.bytes.data(), elements.data(), t.bytes.size());
  return t;
}

[[noreturn]] inline void fail_trees(const std::string& message) { throw OnnxError{Code::E0806, message}; }

class TreeAttributes {
 public:
  TreeAttributes(const tenon_onnx::NodeProto& node, const std::filesystem::path& folder) : folder_(folder) {
    for (const tenon_onnx::AttributeProto& a : node.attribute()) attributes_[a.name()] = &a;
  }

 protected:
  const tenon_onnx::AttributeProto* attribute(const std::string& name) const {
    return value_or(attributes_, name, nullptr);
  }

  const Integers* integers(const std::string& name, int count = -1) const {
    const tenon_onnx::AttributeProto* a = attribute(name);
    if (!a) fail_trees(fmt::format("the attribute '{}' is missing", name));
    expect(name, static_cast<size_t>(a->ints_size()), count);
    return &a->ints();
  }

  /// A list of floats, or a tensor under the same name, with `_as_tensor` after it or without.
  std::vector<double> numbers(const std::string& name, int count = -1) const {
    const tenon_onnx::AttributeProto* a = attribute(name);
    if (const tenon_onnx::AttributeProto* tensor = attribute(name + "_as_tensor"); tensor && tensor->has_t())
      a = tensor;
    if (!a) fail_trees(fmt::format("the attribute '{}' is missing", name));
    std::vector<double> list(a->floats().begin(), a->floats().end());
    if (a->has_t()) {
      const Result<TensorData> data = read_onnx_tensor(a->t(), folder_, "");
      if (!data.ok()) fail_trees(fmt::format("attribute '{}': {}", name, data.diagnostics().sorted().front().message));
      list.clear();
      for (int64_t i = 0; i < element_count(data->dims); ++i) list.push_back(real_element(*data, i));
    }
    expect(name, list.size(), count);
    return list;
  }

  const Integers* missing_tracks_true(int count) const {
    const tenon_onnx::AttributeProto* a = attribute("nodes_missing_value_tracks_true");
    return a && a->ints_size() > 0 ? integers("nodes_missing_value_tracks_true", count) : nullptr;
  }

  static int32_t feature_of(int64_t f) {
    if (f < 0 || f > INT32_MAX) fail_trees(fmt::format("a node compares feature {}", f));
    return static_cast<int32_t>(f);
  }

 private:
  static void expect(const std::string& name, size_t size, int count) {
    if (count >= 0 && size != static_cast<size_t>(count))
      fail_trees(fmt::format("the attribute '{}' has {} elements instead of {}", name, size, count));
  }

  const std::filesystem::path& folder_;
  std::map<std::string, const tenon_onnx::AttributeProto*> attributes_;
};

/// The number of nodes on the longest path down from a node. Positions of missing children are negative.
class Heights {
 public:
  explicit Heights(const std::vector<int> (&child)[2]) : child_(child), height_(child[0].size(), kUnknown) {}

  /// Visits everything below a root without recursion, because chains may be as long as the list. False if the branches
  /// form a cycle.
  bool measure(int root) {
    std::vector<int> path{root};
    while (!path.empty()) {
      const size_t at = static_cast<size_t>(path.back());
      bool waits = false;
      if (height_[at] < 0) {
        height_[at] = kOpen;
        for (const auto& side : child_) {
          const int below = of(side[at]);
          if (below == kOpen) return false;  // it is above
          if (below == kUnknown) path.push_back(side[at]), waits = true;
        }
        if (!waits) height_[at] = 1 + std::max(of(child_[0][at]), of(child_[1][at]));
      }
      if (!waits) path.pop_back();
    }
    return true;
  }

  int of(int at) const { return at < 0 ? 0 : height_[static_cast<size_t>(at)]; }
  /// A node that is below no root, or the number of nodes.
  int unmeasured() const {
    return static_cast<int>(std::find(height_.begin(), height_.end(), kUnknown) - height_.begin());
  }

 private:
  static constexpr int kUnknown = -1, kOpen = -2;

  const std::vector<int> (&child_)[2];
  std::vector<int> height_;
};

inline TensorData splits_table(DType dtype, const std::vector<int64_t>& dims, const std::vector<double>& numbers) {
  if (dtype == DType::F64) return tree_table(dtype, dims, numbers);
  return tree_table(DType::F32, dims, std::vector<float>(numbers.begin(), numbers.end()));
}

}  // namespace tenon
