// Calls of ops that `tenon bench` and `tenon tune` time: which, and the files that the program bench_case reads.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/measurement.h"
#include "command/try_case.h"
#include "pipeline/make.h"
#include "support/text_template.h"

namespace tenon {

/// One test at one key.
struct BenchCase {
  const OpDef* def;
  const TestCase* test;
  DType key;
  std::map<std::string, DType> types;
};
struct BenchCases {
  TimedTests tests;  ///< that the cases point into
  std::vector<BenchCase> cases;
};

/// Which ops, none: those of the file; which dtypes, none: as in TryOptions; the file, none: those of opdefs/bench.
struct CaseChoice {
  std::optional<std::vector<std::string>> ops;
  std::vector<std::string> dtypes;
  std::optional<std::string> file;
  std::string flag = {};  ///< what messages begin with: what named the ops
};
/// The tests of the file, of the definition for ops that it does not name. Stops where there are none.
BenchCases find_cases(Run& run, const OpLibrary& defs, const CaseChoice& choice);
/// The kernels that they call.
Library library_of(Run& run, const OpLibrary& defs, const std::vector<BenchCase>& cases);
/// The data of a case; stops where it does not fit the op.
TryCase data_of(Run& run, const OpLibrary& defs, const BenchCase& c);
/// A file of templates/c, filled.
void write_frame(Run& run, const std::string& folder, const std::string& name, const std::vector<HoleValue>& values);
/// The program that times a case, next to a library.
void write_case_program(Run& run, const std::string& folder);
/// The compiler's arguments for it, except the library.
inline constexpr const char* kCaseProgram =
    "-D_POSIX_C_SOURCE=200112L -std=c99 -Wno-psabi -pthread -Iinclude -o bench_case bench_case.c";

/// Which kernel, its operands and attributes, then the data: templates/c/bench_case.c.in reads it.
std::string case_file(const std::string& op, DType key, const TryCase& c);

/// "1024x1024 1024x1024 axis=1": inputs that are given, then attributes.
std::string case_label(const TryCase& c);

/// What a call of such a kernel does: `key` says what it computes in.
std::optional<Load> load_of(DType key, const std::optional<TimedWork>& work);

}  // namespace tenon
