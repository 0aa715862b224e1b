// OutputTree: writes what changed, all or nothing.
#include "support/output_tree.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "aborts.h"
#include "catch.h"
#include "scratch_dir.h"

namespace output_tree_test {

namespace fs = std::filesystem;
using tenon::OutputTree;
using tenon::read_whole_file;
using tenon_test::aborts;
using tenon_test::ScratchDir;

namespace {

OutputTree two_files() {
  OutputTree tree;
  tree.add("src/b.c", "int b;\n");
  tree.add("a.txt", std::string("\0x\n", 3));
  return tree;
}

size_t entries_in(const fs::path& directory) {
  return static_cast<size_t>(
      std::distance(fs::recursive_directory_iterator(directory), fs::recursive_directory_iterator()));
}

}  // namespace

TEST_CASE("output tree lists sorted and writes bytes as they are") {
  ScratchDir scratch;
  const auto outcome = two_files().write(scratch / "x/y");
  CHECK_FALSE(outcome.error);
  CHECK(outcome.written == std::vector<std::string>{"a.txt", "src/b.c"});
  CHECK(read_whole_file(scratch / "x/y/a.txt") == std::string("\0x\n", 3));
  CHECK(entries_in(scratch / "x/y") == 3);
}

TEST_CASE("output tree rewrites only what changed") {
  ScratchDir scratch;
  two_files().write(scratch.path());
  const auto before = fs::last_write_time(scratch / "a.txt");
  std::ofstream(scratch / "src/b.c") << "int c;\n";
  const auto outcome = two_files().write(scratch.path());
  CHECK(outcome.written == std::vector<std::string>{"src/b.c"});
  CHECK(outcome.unchanged == 1);
  CHECK(fs::last_write_time(scratch / "a.txt") == before);
}

TEST_CASE("output tree check tells missing from stale") {
  ScratchDir scratch;
  CHECK(two_files().check(scratch.path()).missing.size() == 2);
  two_files().write(scratch.path());
  CHECK(two_files().check(scratch.path()).up_to_date());
  std::ofstream(scratch / "src/b.c") << "int c;\n";
  CHECK(two_files().check(scratch.path()).stale == std::vector<std::string>{"src/b.c"});
}

TEST_CASE("output tree leaves nothing behind when a file cannot be written") {
  ScratchDir scratch;
  OutputTree tree = two_files();
  tree.add("z/file", "1");
  std::ofstream(scratch / "z") << "in the way";
  const auto outcome = tree.write(scratch.path());
  CHECK(outcome.error);
  CHECK(outcome.written.empty());
  CHECK(entries_in(scratch.path()) == 1);
}

TEST_CASE("output tree refuses a place that is a directory or below a file") {
  ScratchDir scratch;
  fs::create_directories(scratch / "a.txt");
  CHECK(two_files().write(scratch.path()).error);
  CHECK(two_files().write("/dev/null/below").error);
  CHECK(two_files().write("/proc/nowhere").error);
}

TEST_CASE("output tree takes away what a killed run has left, and nothing else") {
  ScratchDir scratch;
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  two_files().write(scratch.path());
  const std::string dead = "." + std::to_string(gone) + ".tmp";
  for (const std::string& name : {"a.txt" + dead, "src/b.c" + dead, "a.txt." + std::to_string(getpid()) + ".tmp",
                                  "other" + dead, std::string("a.txt.x.tmp"), std::string("a.txt.tmp")})
    std::ofstream(scratch / name) << "half";
  two_files().write(scratch.path());
  CHECK_FALSE(fs::exists(scratch / ("a.txt" + dead)));
  CHECK_FALSE(fs::exists(scratch / ("src/b.c" + dead)));
  CHECK(fs::exists(scratch / ("a.txt." + std::to_string(getpid()) + ".tmp")));
  for (const std::string& name : {"other" + dead, std::string("a.txt.x.tmp"), std::string("a.txt.tmp")})
    CHECK(fs::exists(scratch / name));
}

namespace {

/// A sealed tree with one file besides the manifest, and `more` with any text.
OutputTree sealed(const std::string& text, const std::string& more = "", const std::string& output = "model net") {
  OutputTree tree;
  tree.add("MANIFEST.json", "{\n  \"model\": \"net\"\n}\n");
  tree.add("Makefile", text);
  if (!more.empty()) tree.add(more, "more\n");
  tree.seal("MANIFEST.json", output);
  return tree;
}

void write_text(const fs::path& place, const std::string& text) { std::ofstream(place) << text; }

}  // namespace

TEST_CASE("a sealed tree replaces its own files and no others") {
  ScratchDir scratch;
  write_text(scratch / "Makefile", "all: mine\n");
  const auto refused = sealed("one\n").write(scratch.path());
  CHECK(refused.error);
  CHECK(refused.error->find("Makefile would be overwritten") != std::string::npos);
  CHECK(read_whole_file(scratch / "Makefile") == "all: mine\n");
  CHECK(entries_in(scratch.path()) == 1);
  CHECK_FALSE(sealed("one\n").write(scratch.path(), true).error);
  CHECK_FALSE(sealed("two\n").write(scratch.path()).error);
  CHECK(read_whole_file(scratch / "Makefile") == "two\n");
  write_text(scratch / "Makefile", "two, edited\n");
  CHECK(sealed("three\n").write(scratch.path()).error);
  CHECK(sealed("three\n").obstacle(scratch.path()));
  CHECK_FALSE(sealed("three\n").obstacle(scratch.path(), true));
  CHECK(read_whole_file(scratch / "Makefile") == "two, edited\n");
}

TEST_CASE("a sealed tree does not take a manifest that was edited for its own") {
  ScratchDir scratch;
  sealed("one\n").write(scratch.path());
  std::string text = *read_whole_file(scratch / "MANIFEST.json");
  write_text(scratch / "MANIFEST.json", text.replace(text.find("net"), 3, "ten"));
  CHECK(sealed("two\n").write(scratch.path()).error);
}

TEST_CASE("a sealed tree removes what an earlier run of the same output left") {
  ScratchDir scratch;
  sealed("one\n", "runtime/more.c").write(scratch.path());
  CHECK(sealed("one\n").check(scratch.path()).left_over == std::vector<std::string>{"runtime/more.c"});
  CHECK(sealed("one\n").write(scratch.path()).removed == std::vector<std::string>{"runtime/more.c"});
  CHECK_FALSE(fs::exists(scratch / "runtime"));
  CHECK(sealed("one\n").check(scratch.path()).up_to_date());
}

TEST_CASE("a sealed tree keeps what was edited") {
  ScratchDir scratch;
  sealed("one\n", "more.c").write(scratch.path());
  write_text(scratch / "more.c", "mine\n");
  CHECK(sealed("one\n").write(scratch.path()).left_over == std::vector<std::string>{"more.c"});
  CHECK(fs::exists(scratch / "more.c"));
}

TEST_CASE("a sealed tree takes the place of another output only where it is told to") {
  ScratchDir scratch;
  sealed("one\n", "src/more.c", "library tn").write(scratch.path());
  const OutputTree model = sealed("two\n");
  const auto refused = model.write(scratch.path());
  REQUIRE(refused.error);
  CHECK(refused.error->find("holds the library tn, and the model net would take its place") != std::string::npos);
  CHECK(model.obstacle(scratch.path()) == refused.error);
  CHECK_FALSE(model.obstacle(scratch.path(), true));
  CHECK(read_whole_file(scratch / "Makefile") == "one\n");
  CHECK(model.check(scratch.path()).left_over == std::vector<std::string>{"src/more.c"});
  // Where all files agree but the manifest, the folder is another output's still.
  CHECK(sealed("one\n", "src/more.c").write(scratch.path()).error);
  CHECK(model.write(scratch.path(), true).removed == std::vector<std::string>{"src/more.c"});
  CHECK_FALSE(fs::exists(scratch / "src"));
  CHECK(model.check(scratch.path()).up_to_date());
  CHECK_FALSE(model.write(scratch.path()).error);
}

TEST_CASE("output tree writes through links and refuses what is not a file") {
  ScratchDir scratch;
  write_text(scratch / "target", "old\n");
  fs::create_symlink("target", scratch / "a.txt");
  CHECK_FALSE(two_files().write(scratch.path()).error);
  CHECK(fs::is_symlink(scratch / "a.txt"));
  CHECK(read_whole_file(scratch / "target") == std::string("\0x\n", 3));
  fs::remove(scratch / "src/b.c");
  CHECK(mkfifo((scratch / "src/b.c").c_str(), 0600) == 0);
  CHECK(two_files().write(scratch.path()).error);
}

TEST_CASE("output tree aborts on paths that leave it or come twice") {
  CHECK(aborts([] { OutputTree().add("/etc/x", ""); }));
  CHECK(aborts([] { OutputTree().add("../x", ""); }));
  CHECK(aborts([] { OutputTree().add("a/../x", ""); }));
  CHECK(aborts([] { OutputTree().add("", ""); }));
  CHECK(aborts([] { two_files().add("a.txt", ""); }));
}

}  // namespace output_tree_test
