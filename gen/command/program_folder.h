// The folder of a generated program, with its inputs; compiled there.
#pragma once

#include <string>
#include <vector>

namespace tenon {

/// Stops at a file that cannot be read, before any work starts.
void refuse_unreadable(const std::vector<std::string>& paths);

/// The compiler of a command line, which may say how to optimise itself; -O2 where it does not.
std::string with_optimization(const std::string& compiler);
/// The line of the shell that compiles the folder's sources to `program` in it; `libraries` is "" or " -lm".
std::string compile_line(const std::string& compiler, const std::string& program, const std::string& libraries = "");
/// Compiles them: the status. A compiler that fails is named, because it may be silent.
int compile_folder(const std::string& folder, const std::string& compiler, const std::string& program,
                   const std::string& libraries = "");

}  // namespace tenon
