// Bad input of every kind, as a user gives it: each row of commands.txt must end with its status and say exactly the
// text of CASE.txt. With TENON_UPDATE_EXPECTED set, the texts are written.
#include <sys/wait.h>

#include <cstdlib>
#include <regex>
#include <set>

#include "catch.h"
#include "diagnostics/cases.h"
#include "diagnostics/onnx_text.h"
#include "scratch_dir.h"

namespace commands_test {

namespace fs = std::filesystem;
using namespace diagnostics_test;

namespace {

/// The files of a case: CASE.yaml, CASE.npy, …; CASE.onnx from CASE.onnx.textproto.
void lay_out(const std::string& name, const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(name + ".") || file == name + ".txt") continue;
    if (entry.path().extension() == ".textproto")
      std::ofstream(folder / entry.path().stem(), std::ios::binary)
          << tenon_test::OnnxText(text_of(entry.path())).bytes();
    else fs::copy_file(entry.path(), folder / file);
  }
}

/// What the program says on stderr. Shipped files have the names that they have in the checkout, and lose their lines,
/// which move.
std::string said_by(const std::string& name, const Command& command, int& status) {
  const tenon_test::ScratchDir scratch;
  const fs::path folder = scratch / "here", said = scratch / "said";
  fs::create_directory(folder);
  lay_out(name, folder);
  const int ended = std::system(("cd '" + folder.string() + "' && '" + TENON_PROGRAM + "' " + command.arguments +
                                 " >/dev/null 2>'" + said.string() + "'")
                                    .c_str());
  status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128;
  const std::string text = std::regex_replace(text_of(said), std::regex(TENON_CHECKOUT "/"), "");
  return std::regex_replace(text, std::regex("(opdefs/[a-z0-9_/]+\\.yaml)(:[0-9]+)+"), "$1");
}

/// Whether every finding has a place in front of it, and a note: its own, or that of an earlier one of its code.
bool helps(const std::string& text) {
  const std::regex finding("[^ ][^\n]*: (?:error|warning): [^\n]*\\[(E[0-9]{4})\\]\n((?: [^\n]*\n)*)");
  std::set<std::string> advised;
  std::smatch match;
  std::string rest = text;
  while (std::regex_search(rest, match, finding, std::regex_constants::match_continuous)) {
    if (match[2].str().find("  note: ") != std::string::npos) advised.insert(match[1]);
    if (advised.count(match[1]) == 0) return false;
    rest = match.suffix();
  }
  return rest.empty() && !text.empty();
}

}  // namespace

TEST_CASE("diagnostics: every bad command says exactly its text") {
  const bool update = std::getenv("TENON_UPDATE_EXPECTED") != nullptr;
  for (const auto& [name, command] : commands()) {
    int status = 0;
    const std::string text = said_by(name, command, status);
    INFO(name << ": tenon " << command.arguments << "\n" << text);
    CHECK(status == command.status);
    CHECK(text.find("[" + name.substr(0, 5) + "]") != std::string::npos);
    CHECK(helps(text));
    if (update) std::ofstream(kFolder / (name + ".txt"), std::ios::binary) << text;
    CHECK(text == text_of(kFolder / (name + ".txt")));
  }
}

}  // namespace commands_test
