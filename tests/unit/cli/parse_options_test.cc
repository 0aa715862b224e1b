// argv → Options: every command, its flags, and the statuses of wrong command lines.
#include "cli/parse_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "catch.h"

namespace parse_options_test {

using namespace tenon;

namespace {

template <class Command>
Command parsed(const std::vector<std::string>& arguments) {
  const auto result = parse_options(arguments);
  INFO(result.message);
  REQUIRE(result.options);
  REQUIRE(std::holds_alternative<Command>(result.options->command));
  return std::get<Command>(result.options->command);
}

}  // namespace

TEST_CASE("lib takes definitions and a selection") {
  const auto lib =
      parsed<LibOptions>({"lib", "a.yaml", "--ops", "relu,gemm", "b.yaml", "--dtypes", "f32", "--ranks", "0-2", "--isa",
                          "portable,neon", "--prefix", "aa", "--no-registry", "--amalgamate", "-o", "out"});
  CHECK(lib.definitions == std::vector<std::string>{"a.yaml", "b.yaml"});
  CHECK(lib.selection.ops == std::vector<std::string>{"relu", "gemm"});
  CHECK(lib.selection.dtypes == std::vector<std::string>{"f32"});
  CHECK(lib.selection.ranks == std::vector<int>{0, 1, 2});
  CHECK(lib.selection.isas == std::vector<std::string>{"portable", "neon"});
  CHECK((lib.prefix == "aa" && !lib.registry && lib.amalgamate && lib.output_dir == "out"));
}

TEST_CASE("lib has the defaults of the contract") {
  const auto lib = parsed<LibOptions>({"lib", "-o", "out"});
  CHECK_FALSE(lib.selection.ops);
  CHECK(lib.selection.dtypes == std::vector<std::string>{"all"});
  CHECK(lib.selection.ranks.size() == 9);
  CHECK((lib.selection.isas.empty() && lib.prefix == "tn" && lib.registry && !lib.amalgamate));
}

TEST_CASE("model takes sizes one at a time") {
  const auto model =
      parsed<ModelOptions>({"model", "--size", "N=1..64", "net.onnx", "--size", "M=4", "--weights", "bin",
                            "--max-threads", "2", "--main", "--selftest", "--name", "digits", "-o", "d"});
  CHECK(model.graph == "net.onnx");
  REQUIRE(model.sizes.size() == 2);
  CHECK((model.sizes[0].high == 64 && model.sizes[1].low == 4));
  CHECK((model.weights == WeightsForm::bin && model.max_threads == 2 && model.main_program && model.selftest));
}

TEST_CASE("an arena has regions with budgets") {
  const auto arena = parsed<ModelOptions>({"model", "n.onnx", "--arena", "tcm=64K,sram=2M,psram", "-o", "d"}).arena;
  REQUIRE(arena.size() == 3);
  CHECK((arena[0].name == "tcm" && arena[0].budget == 65536 && arena[1].budget == 2097152 && !arena[2].budget));
  CHECK(parsed<ModelOptions>({"model", "n.onnx", "--arena", "ram=1000", "-o", "d"}).arena[0].budget == 1000);
  CHECK(parsed<ModelOptions>({"model", "n.onnx", "-o", "d"}).arena.empty());
  CHECK(parsed<ExplainOptions>({"explain", "n.onnx", "--memory", "--arena", "fast=1K,slow"}).arena.size() == 2);
  CHECK(parsed<DumpOptions>({"dump", "memory", "n.onnx", "--arena", "fast=1K,slow"}).arena.size() == 2);
}

TEST_CASE("each fault of an arena has its message") {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "'' is not NAME=BYTES,... such as fast=64K,slow=2M: a name is missing"},
      {"=64K", "'=64K' is not NAME=BYTES,... such as fast=64K,slow=2M: a name is missing"},
      {"fast=64K,", "'fast=64K,' is not NAME=BYTES,... such as fast=64K,slow=2M: a name is missing"},
      {"fast ram=64K", "'fast ram' is not a C name"},
      {"int=64K", "'int' is not a C name"},
      {"1st=64K", "'1st' is not a C name"},
      {"fast=64K,FAST=1M", "'FAST' is there twice; capitals make no difference"},
      {"fast,slow", "fast has no budget: only the last region may take all that is needed"},
      {"fast=", "fast: '' is not a number of bytes such as 65536, 64K, 2M or 1G"},
      {"fast=64k", "fast: '64k' is not a number of bytes such as 65536, 64K, 2M or 1G"},
      {"fast=-1", "fast: '-1' is not a number of bytes such as 65536, 64K, 2M or 1G"},
      {"fast=1.5M", "fast: '1.5M' is not a number of bytes such as 65536, 64K, 2M or 1G"},
      {"fast=9999999999G", "fast: '9999999999G' is not a number of bytes such as 65536, 64K, 2M or 1G"},
      {"fast=0", "fast: 0 bytes hold nothing, values begin at multiples of 64; leave it out"},
      {"fast=63,slow", "fast: 63 bytes hold nothing, values begin at multiples of 64; leave it out"}};
  for (const auto& [value, message] : wrong) {
    const auto result = parse_options({"model", "n.onnx", "--arena", value, "-o", "d"});
    CHECK(result.status == exit_bad_command_line);
    CHECK(result.message.find(fmt::format("tenon model: error: --arena: {}\n", message)) != std::string::npos);
  }
  CHECK(parse_options({"explain", "relu_f32", "--arena", "fast=1K"}).status == exit_bad_command_line);
}

TEST_CASE("elementary functions may be cheaper ones or those of the C library") {
  CHECK(parsed<LibOptions>({"lib", "--math=libm", "-o", "out"}).math.libm);
  CHECK_FALSE(parsed<LibOptions>({"lib", "--math", "own", "-o", "out"}).math.libm);
  const auto model = parsed<ModelOptions>({"model", "--fast-math", "net.onnx", "-o", "out"});
  CHECK((model.graph == "net.onnx" && !model.math.fast.empty() && !model.math.libm));
  CHECK_FALSE(parsed<ModelOptions>({"model", "--fast-math=functions", "net.onnx", "-o", "out"}).math.fast.empty());
  CHECK(parsed<ModelOptions>({"model", "net.onnx", "-o", "out"}).math.fast.empty());
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"model", "net.onnx", "--fast-math=bf8", "-o", "out"},
        {"model", "net.onnx", "--fast-math", "--math=libm", "-o", "out"},
        {"lib", "--math=libm", "--freestanding", "-o", "out"},
        {"lib", "--math=glibc", "-o", "out"}})
    CHECK(parse_options(wrong).status == exit_bad_command_line);
}

TEST_CASE("bench takes models, a selection and files to write") {
  const auto bench = parsed<BenchOptions>({"bench", "net.onnx", "--ops", "relu", "--dtypes", "f32,i8", "--threads", "2",
                                           "--cases", "c.yaml", "--size", "N=4", "--json", "t.json", "--svg", "r.svg"});
  CHECK(bench.graphs == std::vector<std::string>{"net.onnx"});
  CHECK(bench.selection.ops == std::vector<std::string>{"relu"});
  CHECK(bench.selection.dtypes == std::vector<std::string>{"f32", "i8"});
  CHECK((bench.threads == 2 && bench.cases == "c.yaml" && bench.sizes.size() == 1));
  CHECK((bench.json == "t.json" && bench.svg == "r.svg"));
  const auto plain = parsed<BenchOptions>({"bench"});
  CHECK((plain.graphs.empty() && !plain.selection.ops && plain.selection.dtypes.empty() && plain.threads == 1));
  CHECK(plain.selection.isas == std::vector<std::string>{"native"});
}

TEST_CASE("bench refuses flags that would have no effect") {
  const auto refused = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "bench");
    return parse_options(arguments).status == exit_bad_command_line;
  };
  CHECK(refused({"--size", "N=4"}));
  CHECK(refused({"net.onnx", "--cases", "c.yaml"}));
  CHECK(refused({"net.onnx", "--dtypes", "f32"}));
  CHECK(refused({"--threads", "0"}));
  CHECK(refused({"--json", ""}));
  CHECK(refused({"--svg", "folder/"}));
}

TEST_CASE("run takes inputs and outputs in graph order") {
  const auto run = parsed<RunOptions>({"run", "net.onnx", "a.npy", "-o", "y.npy", "b.npy", "-o", "z.npy"});
  CHECK(run.inputs == std::vector<std::string>{"a.npy", "b.npy"});
  CHECK(run.outputs == std::vector<std::string>{"y.npy", "z.npy"});
}

TEST_CASE("try reads a file, standard input, a body or an op's name") {
  CHECK(parsed<TryOptions>({"try", "-"}).definitions == std::vector<std::string>{"-"});
  CHECK(parsed<TryOptions>({"try", "--body", "Y[i] = X[i]"}).body == "Y[i] = X[i]");
  const auto attempt = parsed<TryOptions>(
      {"try", "--op", "relu", "--test", "M=3,axis=1", "--test", "M=1", "--cc", "clang", "--runner", "qemu-aarch64"});
  CHECK(attempt.tests == std::vector<std::string>{"M=3,axis=1", "M=1"});
  CHECK((attempt.compiler == "clang" && attempt.runner == "qemu-aarch64"));
  CHECK(parse_options({"try"}).status == exit_bad_command_line);
}

TEST_CASE("dump, explain and list name what they look at") {
  CHECK(parsed<DumpOptions>({"dump", "lower", "net.yaml", "--isa", "portable"}).stage == "lower");
  CHECK(parsed<ExplainOptions>({"explain", "E0101"}).subject == "E0101");
  CHECK(parsed<ListOptions>({"list", "isas"}).subject == ListSubject::isas);
}

TEST_CASE("run passes options of the program on") {
  const auto run = parsed<RunOptions>({"run", "n.yaml", "x.npy", "--top", "2", "--profile", "--defs", "a.yaml"});
  CHECK(run.of_program == std::vector<std::string>{"--top", "2", "--profile"});
  CHECK_FALSE(run.threads);
  CHECK(parsed<RunOptions>({"run", "net.onnx", "--threads", "3"}).threads == 3);
  CHECK(run.definitions == std::vector<std::string>{"a.yaml"});
  CHECK(parsed<ModelOptions>({"model", "n.yaml", "-o", "d", "--selftest-limit", "1e9"}).selftest_limit == 1e9);
}

TEST_CASE("every command takes the flags of all") {
  const auto result = parse_options({"list", "ops", "--opdefs", "d", "--dump-after", "a,b", "--list-outputs",
                                     "--depfile", "f", "--check", "--force", "--dry-run", "--verbose"});
  REQUIRE(result.options);
  const RunControl& control = result.options->control;
  CHECK((control.opdefs == "d" && control.dump_after.size() == 2 && control.list_outputs && control.depfile == "f"));
  CHECK(control.force);
  CHECK((control.check && control.dry_run && control.verbose && !control.quiet));
}

TEST_CASE("a wrong command line is status 2 and says what is wrong") {
  const std::vector<std::vector<std::string>> wrong = {{},
                                                       {"no_such_command"},
                                                       {"lib"},
                                                       {"lib", "-o", "d", "--no-such-flag"},
                                                       {"lib", "-o", "d", "--ranks", "0-99"},
                                                       {"lib", "-o", "d", "--prefix", "1-x"},
                                                       {"lib", "-o", "d", "--ops", "a,,b"},
                                                       {"lib", "-o"},
                                                       {"model", "-o", "d"},
                                                       {"model", "n.onnx", "-o", "d", "--size", "N"},
                                                       {"model", "n.onnx", "-o", "d", "--weights", "zip"},
                                                       {"model", "n.onnx", "-o", "d", "--max-threads", "0"},
                                                       {"model", "n.onnx", "-o", "d", "--selftest-limit", "some"},
                                                       {"run", "n.onnx", "--top", "0"},
                                                       {"model", "n.onnx", "-o", "d", "--max-threads", "1..2"},
                                                       {"model", "a.onnx", "b.onnx", "-o", "d"},
                                                       {"list"},
                                                       {"list", "ops", "more"},
                                                       {"list", "colours"},
                                                       {"list", "ops", "-q", "--verbose"},
                                                       {"dump"},
                                                       {"explain"},
                                                       {"lib", "-o", "d", "-o", "e"}};
  for (const auto& arguments : wrong) {
    const auto result = parse_options(arguments);
    INFO(fmt::format("{}", fmt::join(arguments, " ")));
    CHECK_FALSE(result.options);
    CHECK(result.status == exit_bad_command_line);
    CHECK(result.message.find("error: ") != std::string::npos);
  }
}

TEST_CASE("help of each command fits a screen and has an example") {
  for (const char* command : {"lib", "model", "run", "try", "dump", "explain", "list"}) {
    const auto result = parse_options({command, "--help"});
    CHECK(result.status == exit_done);
    CHECK(result.message.find("example: tenon " + std::string(command)) != std::string::npos);
    CHECK(std::count(result.message.begin(), result.message.end(), '\n') <= 50);
  }
  CHECK(parse_options({"--help"}).status == exit_done);
}

TEST_CASE("what nothing takes is named before what is missing") {
  const auto says = [](const std::vector<std::string>& arguments, const std::string& what) {
    const auto result = parse_options(arguments);
    INFO(result.message);
    CHECK(result.status == exit_bad_command_line);
    CHECK(result.message.find(what) != std::string::npos);
  };
  says({"library"}, "there is no command 'library'");
  says({"model", "net.onnx", "--size", "N=1", "--size", "N=2", "-o", "out"}, "--size: 'N' is given twice");
  says({"lib", "--bogus"}, "unknown argument '--bogus' for `tenon lib`");
  says({"lib", "--bogus", "-o", "out"}, "unknown argument '--bogus' for `tenon lib`");
  says({"--bogus"}, "'--bogus' is before any command");
  says({}, "A subcommand is required");
  says({"lib", "--ops", "relu"}, "-o is required");
  says({"model", "net.onnx", "-o", "a", "-o", "b"}, "-o is given more than once");
  says({"model", "net.onnx", "-o", "a", "--name"}, "--name takes a value");
  says({"lib", "-o", ""}, "-o: the name of a folder is expected, not ''");
  for (const char* name : {"", "deps/", ".", "deps/.."})
    says({"lib", "-o", "out", "--depfile", name},
         fmt::format("--depfile: the name of a file is expected, not '{}'", name));
  says({"try", "--op", "relu", "--grad", "--dtypes", "f64,f32"}, "--grad compares in f64 alone, not in f32");
  says({"explain", "softmax_f32", "--size", "N=4"}, "--size is about a graph");
  says({"explain", "softmax_f32", "--memory", "net.onnx"}, "--memory is about a graph");
  says({"explain", "softmax_f32", "--arena", "fast=4K,slow"}, "--arena is about a graph");
  says({"explain", "net.onnx", "--dtypes", "f32"}, "--dtypes is about kernels of the library, and net.onnx is a graph");
  says({"explain", "net.onnx", "--ranks", "2"}, "--ranks is about kernels of the library");
  for (const char* command : {"run", "train", "tune", "bench"})
    says({command, "net.onnx", "--cc", " "}, "--cc: ' ' is not a command");
  says({"run", "net.onnx", "--threads", "2000"}, "--threads: '2000' is not a number from 1 to 1024");
  says({"tune", "net.onnx", "--isa", "all", "-o", "t.yaml"}, "--isa: a search is at one level");
  says({"tune", "net.onnx", "--isa", "portable,native", "-o", "t.yaml"}, "--isa: a search is at one level");
  says({"tune", "gemm", "in.npy", "-o", "t.yaml"}, "IN.npy and --size are for models");
  says({"tune", "gemm,relu", "--size", "N=4", "-o", "t.yaml"}, "IN.npy and --size are for models");
  says({"tune", "net.onnx", "--dtypes", "f32", "-o", "t.yaml"}, "--dtypes and --cases are for ops");
  says({"tune", "./net", "--cases", "c.yaml", "-o", "t.yaml"}, "--dtypes and --cases are for ops");
  says({"train", "net.yaml", "--epochs", "2", "--steps", "9"}, "--epochs and --steps exclude each other");
  says({"train", "net.yaml", "--every", "2"}, "--every says how often --checkpoint FILE is written");
  says({"train", "net.yaml", "--patience", "2"}, "--patience looks at the loss of --validate NAME=FILE");
  says({"explain", "net.onnx", "--svg", "pictures/"}, "--svg: the name of a file is expected, not 'pictures/'");
}

}  // namespace parse_options_test
