// The search of `tenon tune`: programs with other blueprints, compiled and timed in turns; what wins beyond noise
// becomes a file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command/timed_program.h"
#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "pipeline/run.h"

namespace tenon {

/// A kernel that a search is about.
struct TunedKernel {
  std::string name;       ///< in the programs' times
  std::string owner;      ///< the kernel whose function it shares; itself
  std::string blueprint;  ///< that it follows without a search, or "loops"
  const Isa* isa = nullptr;
};

/// Where the programs of a search come from: a model, or a library of ops with calls of them.
class TuneSource {
 public:
  virtual ~TuneSource() = default;

  /// Used in the first line of the file.
  virtual std::string name() const = 0;
  virtual const Blueprints& shipped() const = 0;
  virtual std::vector<TunedKernel> kernels() const = 0;
  /// A program by these blueprints, whose sources are in `folder`, not yet compiled.
  virtual std::unique_ptr<TimedProgram> program(const Blueprints& blueprints, const std::string& folder) = 0;
  /// A hint on why a program may fail.
  virtual std::string why_it_fails() const = 0;

 protected:
  /// The folder of the first program, whose objects the others take; empty for itself.
  std::string built(const std::string& folder) {
    if (!first_.empty()) return first_;
    first_ = folder;
    return "";
  }

 private:
  std::string first_;
};

/// Searches, and writes the file of TuneOptions::output: the exit status.
int tune(Run& run, const TuneOptions& o, TuneSource& source, const std::string& folder);
/// The same for ops.
int tune_ops(Run& run, const TuneOptions& o, const std::string& folder);

}  // namespace tenon
