// One bad file a code: tests/diagnostics/E0201.yaml must give exactly the text of E0201.txt. With TENON_UPDATE_EXPECTED set, the
// texts are written.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "catch.h"
#include "frame_files.h"
#include "opdef/read_ops.h"

namespace fs = std::filesystem;

namespace {

const fs::path kFolder = fs::path(TENON_TESTS_DIR) / "diagnostics";

std::string text_of(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

/// The shipped C templates, and a bad one beside the file.
std::vector<tenon::SourceFileRef> templates_for(const fs::path &path) {
  auto files = tenon_test::frame_files(kFolder.parent_path().parent_path());
  fs::path bad = path;
  bad.replace_extension(".c.in");
  if (fs::exists(bad)) files.push_back(std::make_shared<const tenon::SourceFile>(bad.filename().string(), text_of(bad)));
  return files;
}

std::string diagnose(const fs::path &path) {
  const auto file = std::make_shared<const tenon::SourceFile>(path.filename().string(), text_of(path));
  return tenon::read_ops({}, {file}, templates_for(path)).diagnostics().text();
}

std::set<fs::path> bad_files() {
  std::set<fs::path> files;
  for (const auto &entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".yaml") files.insert(entry.path());
  }
  return files;
}

}  // namespace

TEST_CASE("diagnostics: every bad file gives exactly its text") {
  const bool update = std::getenv("TENON_UPDATE_EXPECTED") != nullptr;
  for (const fs::path &file : bad_files()) {
    fs::path expected = file;
    expected.replace_extension(".txt");
    const std::string text = diagnose(file);
    const std::string code = file.stem().string();
    INFO(code << ":\n" << text);
    CHECK(text.find("[" + code + "]") != std::string::npos);
    if (update) std::ofstream(expected, std::ios::binary) << text;
    CHECK(text == text_of(expected));
  }
}

TEST_CASE("diagnostics: every finding has a place, a caret and advice") {
  for (const fs::path &file : bad_files()) {
    const auto source = std::make_shared<const tenon::SourceFile>(file.filename().string(), text_of(file));
    const auto result = tenon::read_ops({}, {source}, templates_for(file));
    for (const tenon::Diagnostic &d : result.diagnostics().sorted()) {
      INFO(tenon::format(d));
      CHECK(d.span.known());
      CHECK_FALSE(d.notes.empty());
    }
  }
}

TEST_CASE("diagnostics: every code of the language has its bad file") {
  // A file that cannot be opened has no text: unit/support/read_source_test.cc has that code.
  const std::set<std::string> elsewhere = {"E0108"};
  for (const tenon::CodeInfo &info : tenon::all_codes()) {
    const std::string id(info.id);
    if (id[1] != '0' || id[2] > '5' || id[2] < '1' || elsewhere.count(id) != 0) continue;
    INFO(id);
    CHECK(fs::exists(kFolder / (id + ".yaml")));
  }
}
