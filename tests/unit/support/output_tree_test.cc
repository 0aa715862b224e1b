// OutputTree: writes what changed, all or nothing.
#include "support/output_tree.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "aborts.h"
#include "catch.h"
#include "scratch_dir.h"

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

TEST_CASE("output tree aborts on paths that leave it or come twice") {
  CHECK(aborts([] { OutputTree().add("/etc/x", ""); }));
  CHECK(aborts([] { OutputTree().add("../x", ""); }));
  CHECK(aborts([] { OutputTree().add("a/../x", ""); }));
  CHECK(aborts([] { OutputTree().add("", ""); }));
  CHECK(aborts([] { two_files().add("a.txt", ""); }));
}
