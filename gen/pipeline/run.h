// One run of the program: its flags and data folders, and what happens between any two stages.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline.h"
#include "support/data_dirs.h"
#include "support/diagnostics.h"
#include "support/output_tree.h"
#include "support/result.h"

namespace tenon {

/// The kind of a stage's result.
enum class StageOf : uint8_t { definitions, models, both };

/// A stage's name and its result: the rows of `tenon list stages`.
struct StageName {
  std::string_view name;
  std::string_view result;
  StageOf of;
};
const std::vector<StageName>& all_stages();
/// A stage, or a pass of lowering as `lower/NAME`.
bool is_stage(std::string_view name);
StageOf stage_of(std::string_view name);

/// Ends a run; run_pipeline returns the status. Whoever throws it has reported why.
struct Stop {
  int status = exit_bad_input;
};

/// The faults that a value's verifier finds; none if it has no verifier.
template <class Value>
std::vector<std::string> faults_of(const Value& value) {
  if constexpr (requires { verify(value); }) return verify(value);
  else return {};
}

class Run {
 public:
  /// Finds opdefs and templates, or stops.
  explicit Run(const RunControl& control);

  const RunControl& control() const { return control_; }
  const DataDirs& dirs() const { return dirs_; }

  /// Runs between two stages: aborts on a value that its verifier rejects, prints its text when --dump-after asks
  /// for it, and the time under --verbose. Returns the value.
  template <class Value>
  Value stage(std::string_view name, Value value) {
    finish_stage(name, faults_of(value), [&] { return to_text(value); });
    return value;
  }
  /// The same for a value of which the dump shows a part.
  template <class Value>
  Value stage(std::string_view name, Value value, const std::function<std::string(const Value&)>& text) {
    finish_stage(name, faults_of(value), [&] { return text(value); });
    return value;
  }
  /// The same for an intermediate result of a stage, a pass of lowering: `all` does not include it.
  void pass(std::string_view name, const std::function<std::string()>& text) const;
  /// The value that a reader returns; prints its diagnostics. Stops with `status` if there are errors.
  template <class T>
  T open(Result<T> result, int status = exit_bad_input) const {
    if (report(result.diagnostics())) throw Stop{status};
    return std::move(result).value();
  }
  /// Prints diagnostics on stderr; true if there are errors.
  bool report(const Diagnostics& diagnostics) const;

  /// Print the text of one stage and write nothing.
  void dump_only(std::string stage) { only_ = std::move(stage); }
  /// Remembers a file that the output depends on.
  void depends_on(std::string path) { read_.push_back(std::move(path)); }
  const std::vector<std::string>& files_read() const { return read_; }
  /// Warns of a flag about written files on a command line that writes none; `what` is its beginning.
  void writes_nothing(std::string_view what) const;
  /// Writes, lists, checks or counts the files, as the flags say; returns the exit status. In a temporary folder there
  /// is nothing to list.
  int deliver(const OutputTree& tree, const std::string& directory, bool temporary = false) const;
  /// The same for one file that the user named, which may be a pipe or a device.
  int deliver_file(const std::string& bytes, const std::string& path) const;
  /// Writes --depfile, if it was given, for a file that another program has made from the files read.
  int deliver_depfile(const std::string& target) const;
  /// Whether the flags request something other than files.
  bool only_looks() const { return control_.list_outputs || control_.check || control_.dry_run; }

 private:
  void finish_stage(std::string_view name, const std::vector<std::string>& faults,
                    const std::function<std::string()>& text);
  bool wants_dump(std::string_view stage) const;
  void print_dump(std::string_view stage, const std::function<std::string()>& text) const;
  /// The text for --depfile; false after a message where a name has no spelling there or an input would be overwritten.
  bool dependencies_text(const std::string& target, std::string& text) const;
  /// --check: the exit status.
  int compare(const OutputTree& tree, const std::string& directory) const;

  const RunControl& control_;
  DataDirs dirs_;
  std::vector<std::string> read_;
  std::string only_;
  int64_t last_ns_ = 0;
};

/// Prints `tenon: error: …` and ends the run: with exit_bad_command_line where a flag is wrong.
[[noreturn]] void stop_run(int status, const std::string& message);

}  // namespace tenon
