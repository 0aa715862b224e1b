// Runs another program to its end; signals that stop this one are passed on to it.
#pragma once

#include <string>

namespace tenon {

/// Runs a line of the shell and returns its status; 128 and the signal where one ended it.
int run_shell_line(const std::string& line);

/// Whether such a status says that a user or the system ended it.
bool is_interruption(int status);

}  // namespace tenon
