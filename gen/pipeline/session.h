// What one run of the conductor carries from stage to stage: control flags, data folders, and the stop between any two
// stages.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline.h"
#include "support/data_dirs.h"
#include "support/diagnostics.h"
#include "support/output_tree.h"

namespace tenon {

/// What a stage's noun is made of.
enum class StageOf : uint8_t { definitions, models, both };

/// A stage's name and what its noun is: the rows of `tenon list stages`.
struct StageName {
  std::string_view name;
  std::string_view noun;
  StageOf of;
};
const std::vector<StageName>& all_stages();
bool is_stage(std::string_view name);
StageOf stage_of(std::string_view name);

/// The text of the stage files: bytes and name of each.
std::string sizes_of(const OutputTree& tree);

class Session {
 public:
  explicit Session(const RunControl& control) : control_(control) {}

  const RunControl& control() const { return control_; }
  const DataDirs& dirs() const { return dirs_; }
  /// Finds opdefs and templates; false with a message on stderr when there are none.
  bool find_data();
  /// After a stage: aborts on a noun that its verifier refuses, prints its text when --dump-after asks for it, and the
  /// time under --verbose.
  void after(std::string_view stage, const std::vector<std::string>& faults, const std::function<std::string()>& text);
  bool wants_dump(std::string_view stage) const;
  /// Print the text of one stage and write nothing.
  void dump_only(std::string stage) { only_ = std::move(stage); }
  /// Prints diagnostics on stderr; true if there are errors.
  bool report(const Diagnostics& diagnostics) const;
  /// Remembers a file that the output depends on.
  void depends_on(std::string path) { read_.push_back(std::move(path)); }
  /// Writes, lists, checks or counts the files, as the flags say; returns the exit status. In a temporary folder there
  /// is nothing to list.
  int deliver(const OutputTree& tree, const std::string& directory, bool temporary = false) const;
  /// The same for one file that the user named, which may be a pipe or a device.
  int deliver_file(const std::string& bytes, const std::string& path) const;
  /// Whether the flags ask for something else than files.
  bool only_looks() const { return control_.list_outputs || control_.check || control_.dry_run; }

 private:
  /// The text for --depfile; false after a message where a name has no spelling there or an input would be overwritten.
  bool dependencies_text(const std::string& directory, std::string& text) const;
  /// --check: the exit status.
  int compare(const OutputTree& tree, const std::string& directory) const;

  const RunControl& control_;
  DataDirs dirs_;
  std::vector<std::string> read_;
  std::string only_;
  int64_t last_ns_ = 0;
};

}  // namespace tenon
