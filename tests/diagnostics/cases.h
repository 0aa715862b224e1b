// The bad inputs beside this file: which there are, and those that need a command line of their own.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace diagnostics_test {

inline const std::filesystem::path kFolder = std::filesystem::path(TENON_TESTS_DIR) / "diagnostics";

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

/// A row of commands.txt.
struct Command {
  int status = 0;
  std::string arguments;
};

/// The rows by the names of their cases.
inline std::map<std::string, Command> commands() {
  std::map<std::string, Command> rows;
  std::istringstream lines(text_of(kFolder / "commands.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name;
    Command row;
    words >> name >> row.status >> std::ws;
    std::getline(words, row.arguments);
    rows[name] = row;
  }
  return rows;
}

}  // namespace diagnostics_test
