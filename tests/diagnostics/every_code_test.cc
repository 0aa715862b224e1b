// One bad definition file a code of the language: tests/diagnostics/E0201.yaml must give exactly the text of E0201.txt.
// With TENON_UPDATE_EXPECTED set, the texts are written. Files that a row of commands.txt names are read as that row
// says.
#include <cstdlib>
#include <set>

#include "catch.h"
#include "diagnostics/cases.h"
#include "frame_files.h"
#include "opdef/read_ops.h"

namespace every_code_test {

namespace fs = std::filesystem;
using namespace diagnostics_test;

namespace {

/// The shipped C templates, and a bad one beside the file.
std::vector<tenon::SourceFileRef> templates_for(const fs::path& path) {
  auto files = tenon_test::frame_files(kFolder.parent_path().parent_path());
  fs::path bad = path;
  bad.replace_extension(".c.in");
  if (fs::exists(bad))
    files.push_back(std::make_shared<const tenon::SourceFile>(bad.filename().string(), text_of(bad)));
  return files;
}

std::string diagnose(const fs::path& path) {
  const auto file = std::make_shared<const tenon::SourceFile>(path.filename().string(), text_of(path));
  return tenon::read_ops({}, {file}, templates_for(path)).diagnostics().text();
}

std::set<fs::path> bad_files() {
  const auto rows = commands();
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".yaml" && rows.count(entry.path().stem().string()) == 0)
      files.insert(entry.path());
  }
  return files;
}

}  // namespace

TEST_CASE("diagnostics: every bad file gives exactly its text") {
  const bool update = std::getenv("TENON_UPDATE_EXPECTED") != nullptr;
  for (const fs::path& file : bad_files()) {
    fs::path expected = file;
    expected.replace_extension(".txt");
    const std::string text = diagnose(file);
    const std::string stem = file.stem().string(),
                      code = stem.substr(0, stem.find('_'));  // E0437_size is one more case
    INFO(code << ":\n" << text);
    CHECK(text.find("[" + code + "]") != std::string::npos);
    if (update) std::ofstream(expected, std::ios::binary) << text;
    CHECK(text == text_of(expected));
  }
}

TEST_CASE("diagnostics: every finding has a place, a caret and advice") {
  for (const fs::path& file : bad_files()) {
    const auto source = std::make_shared<const tenon::SourceFile>(file.filename().string(), text_of(file));
    const auto result = tenon::read_ops({}, {source}, templates_for(file));
    for (const tenon::Diagnostic& d : result.diagnostics().sorted()) {
      INFO(tenon::format(d));
      CHECK(d.span.known());
      CHECK_FALSE(d.notes.empty());
    }
  }
}

TEST_CASE("diagnostics: every code has its bad input") {
  const auto rows = commands();
  for (const tenon::CodeInfo& info : tenon::all_codes()) {
    const std::string id(info.id);
    INFO(id);
    CHECK((rows.count(id) != 0 || fs::exists(kFolder / (id + ".yaml"))));
  }
}

}  // namespace every_code_test
