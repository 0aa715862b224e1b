// argv → Options. An error in a command line is reported in one line, with a reference to the help.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline.h"

namespace tenon {

/// Options, or (for --help and for a wrong command line) what to print and the status to end with.
struct ParsedCommandLine {
  std::optional<Options> options;
  std::string message;
  int status = exit_done;
};

/// Reads the arguments after the program's name.
ParsedCommandLine parse_options(const std::vector<std::string>& arguments);

}  // namespace tenon
