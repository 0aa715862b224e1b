// The results of C templates, computed naively: the reference for them, and what folds constants.
#pragma once

#include "oracle/run_kernel.h"

namespace tenon {

/// The arguments of a call, by the names of the template's parameters. Outputs have space for the bounds of their
/// extents.
class FrameData {
 public:
  FrameData(const Kernel& kernel, OracleCall& call) : kernel_(kernel), call_(call) {}

  bool has(const std::string& name) const { return index_of(name) >= 0; }
  TensorData& tensor(const std::string& name) const { return call_.tensors[static_cast<size_t>(index_of(name))]; }
  Number at(const std::string& name, int64_t i) const { return load_number(tensor(name), i); }
  /// Does nothing for an output that the definition does not have.
  void put(const std::string& name, int64_t i, const Number& v) const;
  int64_t size(const std::string& name) const;
  std::vector<int64_t> pack(const std::string& name) const;
  void set_extent(const std::string& name, int64_t value) const;
  /// Whether a is before b: as numbers, NaN after all of them.
  bool before(const std::string& name, const Number& a, const Number& b) const;

 private:
  size_t parameter(const std::string& name) const;
  int index_of(const std::string& name) const { return kernel_.call->tensors[parameter(name)]; }

  const Kernel& kernel_;
  OracleCall& call_;
};

/// Runs the template that `kernel` calls; extents that it writes become values of `call.sizes`. False for a template
/// that the oracle does not know, such as one of the user.
bool run_frame(const Kernel& kernel, OracleCall& call);

/// Names of the templates that the oracle knows.
std::vector<std::string> oracle_frames();

}  // namespace tenon
