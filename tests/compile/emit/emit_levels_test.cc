// Every scalar operation, conversion and select on every level: compiles without a warning, and gives the bits that
// portable code gives.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "catch.h"
#include "compile/shipped_math.h"
#include "emit/kernel_to_c.h"
#include "emit/math_body.h"
#include "ir/text/print_c99.h"
#include "isa/all_isas.h"
#include "scratch_dir.h"
#include "support/ranges.h"
#include "unit/emit/map_cases.h"

namespace emit_levels_test {

using namespace tenon;
using namespace tenon_test;

namespace {

constexpr std::string_view kStrict =
    "-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wdouble-promotion -Wmissing-prototypes -Werror";

std::vector<MapCase> all_cases() {
  std::vector<MapCase> cases = operation_cases();
  for (MapCase& c : division_cases()) cases.push_back(std::move(c));
  for (MapCase& c : cast_cases()) cases.push_back(std::move(c));
  for (MapCase& c : select_cases()) cases.push_back(std::move(c));
  return cases;
}

/// Y = 0 < A ? B : 0 with B as wide as A.
std::vector<MapCase> widened_cases() {
  std::vector<MapCase> cases;
  for (const DType wide : {DType::I32, DType::I64})
    for (const DType narrow : {DType::I8, DType::U8, DType::I16, DType::U16, DType::I32, DType::U32})
      if (bytes_of(narrow) < bytes_of(wide))
        cases.push_back({fmt::format("widened_{}_{}", name_of(narrow), name_of(wide)),
                         {wide, narrow},
                         wide,
                         [wide](const Few<Operand>& v) {
                           const Operand zero = v_const(0, v[0]->type);
                           return v_select(v_apply(ScalarOp::Gt, {v[0], zero}), v_cast(v[1], wide), zero);
                         }});
  return cases;
}

/// Of complex numbers, these have vectors.
int lanes_for(const Isa& isa, const MapCase& c) {
  const bool complex = is_complex(c.output) || any_of(c.inputs, [](DType d) { return is_complex(d); });
  const auto is = [&](const char* op) { return c.name.starts_with(op); };
  const bool vectors = any_of(std::array{"add_", "sub_", "mul_", "sq_", "neg_", "conj_", "where_"}, is);
  return complex && !vectors ? 1 : lanes_of(isa, c);
}

/// The file of a level with all cases in it.
std::string level_file(const Isa& isa, const std::vector<MapCase>& cases) {
  EmitOptions options;
  options.exported = true;
  options.scalars = &tenon_test::shipped_scalar_functions();
  options.math = [](ScalarOp op, const OperandType& t, const Isa& i) { return math_body(shipped_math(), op, t, i); };
  EmitNeeds needs;
  std::vector<CItem> kernels;
  std::string prototypes;
  for (const MapCase& c : cases) {
    const LoopNest nest = map_nest(isa, c, lanes_for(isa, c));
    REQUIRE(verify(nest).empty());
    CFunction f = emit_kernel(nest, isa, options, needs);
    prototypes += print_prototype(f);
    kernels.emplace_back(std::move(f));
  }
  CFile file;
  file.items.emplace_back(CLines{level_begin(isa, options) + "#include \"types.h\"\n"});
  for (CItem& item : needed_items(needs)) file.items.push_back(std::move(item));
  file.items.emplace_back(CLines{prototypes});
  for (CItem& item : kernels) file.items.push_back(std::move(item));
  file.items.emplace_back(CLines{level_end(isa, options) + "typedef int this_file_is_not_empty;\n"});
  return print_c99(file);
}

char letter_of(DType d) {
  switch (d) {
    case DType::F32: return 'f';
    case DType::F64: return 'd';
    case DType::C64: return 'c';
    case DType::C128: return 'z';
    case DType::F16: return 'h';
    case DType::BF16: return 'H';
    case DType::Bool: return 'b';
    default: return static_cast<char>('0' + bytes_of(d));
  }
}

/// Operations whose bits differ between levels by design.
bool level_dependent(const Isa& isa, const MapCase& c) {
  if (isa.fma && c.name.starts_with("fma_") && is_float(c.output)) return true;
  return isa.architecture == "aarch64" && (c.name.starts_with("max_f") || c.name.starts_with("min_f"));
}

std::string main_file(const Isa& isa, const std::vector<MapCase>& cases) {
  std::string declarations, rows;
  for (const MapCase& c : cases) {
    if (level_dependent(isa, c)) continue;
    std::string inputs;
    for (const DType d : c.inputs) inputs += letter_of(d);
    declarations += fmt::format("function tn_{0}_portable, tn_{0}_{1};\n", c.name, isa.suffix);
    rows += fmt::format("  {{\"{0}\", tn_{0}_portable, tn_{0}_{1}, '{2}', \"{3}\"}},\n", c.name, isa.suffix,
                        letter_of(c.output), inputs);
  }
  return fmt::format(
      "#include <stdint.h>\n#include <string.h>\n#include \"types.h\"\n#define NAN_VALUE __builtin_nan(\"\")\n"
      "#define INFINITE_VALUE __builtin_inf()\n"
      "typedef int function(const int64_t *, const tn_scalar *, const void *const *, void *const *, void *);\n{}"
      "static const struct test_case {{ const char *name; function *portable, *level; char result; char inputs[4]; }} "
      "cases[] = {{\n{}}};\n"
      "#include \"{}/compile/emit/compare_levels.c\"\n",
      declarations, rows, TENON_TESTS_DIR);
}

void write(const ScratchDir& dir, const std::string& name, const std::string& text) {
  std::ofstream(dir / name) << text;
}

/// Runs a command in the directory; its output is what the test shows.
int run(const ScratchDir& dir, const std::string& command) {
  INFO(command);
  const int status = std::system(("cd " + dir.path().string() + " && " + command + " >log 2>&1").c_str());
  std::ifstream log(dir / "log");
  const std::string text((std::istreambuf_iterator<char>(log)), {});
  UNSCOPED_INFO(command << "\n" << text.substr(0, 4000));
  return status;
}

bool have(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

struct Tools {
  std::string compiler;
  std::string run;
};

/// Compilers for a level, and how its programs are run.
std::vector<Tools> tools_for(const Isa& isa) {
  if (isa.architecture == "aarch64" && isa.architecture != host_architecture())
    return have("aarch64-linux-gnu-gcc") && have("qemu-aarch64")
               ? std::vector<Tools>{{"aarch64-linux-gnu-gcc -static", "qemu-aarch64"}}
               : std::vector<Tools>{};
  if (!runs_on_host(isa)) return {};
  std::vector<Tools> tools;
  for (const char* cc : {"gcc", "clang"})
    if (have(cc)) tools.push_back({cc, ""});
  return tools;
}

/// The object of portable code by one compiler, which all levels are compared with.
std::string portable_object(const ScratchDir& dir, const std::string& compiler, const std::string& flag) {
  std::string object = "portable_" + compiler + flag + ".o";
  std::replace(object.begin(), object.end(), ' ', '_');
  if (!std::filesystem::exists(dir / object))
    REQUIRE(run(dir, fmt::format("{} {} {} -c portable.c -o {}", compiler, kStrict, flag, object)) == 0);
  return object;
}

/// Flags of optimisation that a compiler is called with, one after the other.
using FlagsOf = std::vector<std::string> (*)(const std::string& compiler);

void compare_with_portable(const std::vector<MapCase>& cases, FlagsOf flags_of) {
  const ScratchDir dir;
  write(dir, "types.h",
        "#ifndef TYPES_H\n#define TYPES_H\ntypedef union { int64_t i; double f; } tn_scalar;\ntypedef struct { float "
        "re, im; } tn_c64;\n"
        "typedef struct { double re, im; } tn_c128;\n#endif\n");
  write(dir, "portable.c", level_file(*isa_from_name("portable"), cases));
  for (const Isa& isa : all_isas()) {
    if (isa.vector_bits == 0 || !isa.base.empty()) continue;  // what extends a level has its vectors
    INFO(isa.name);
    write(dir, "level.c", level_file(isa, cases));
    write(dir, "main.c", main_file(isa, cases));
    for (const Tools& t : tools_for(isa))
      for (const std::string& flag : flags_of(t.compiler)) {
        const std::string portable = portable_object(dir, t.compiler, flag);
        REQUIRE(run(dir, fmt::format("{} {} {} -c level.c -o level.o", t.compiler, kStrict, flag)) == 0);
        REQUIRE(run(dir, fmt::format("{} -w main.c {} level.o -o main", t.compiler, portable)) == 0);
        REQUIRE(run(dir, t.run + " ./main") == 0);
      }
  }
}

}  // namespace

// By clang alone, which takes half as long as gcc; optimisation takes three times as long.
TEST_CASE("each level gives the bits of portable code") {
  compare_with_portable(all_cases(), [](const std::string& compiler) {
    return compiler == "gcc" && have("clang") ? std::vector<std::string>{} : std::vector<std::string>{"-O0"};
  });
}

TEST_CASE("each level gives the bits of portable code where clang optimises, and where gcc compiles", "[deep]") {
  compare_with_portable(all_cases(), [](const std::string& compiler) {
    return std::vector<std::string>{compiler == "clang" ? "-O1" : "-O0"};
  });
}

// gcc 12 ends with "internal compiler error: could not split insn" where it makes a widening load under a mask of eight
// bytes that went through a 64-bit number at AVX-512.
TEST_CASE("numbers that are widened and selected compile with optimisation") {
  compare_with_portable(widened_cases(), [](const std::string& compiler) {
    return compiler == "clang" ? std::vector<std::string>{} : std::vector<std::string>{"-O1", "-O2", "-O3"};
  });
}

TEST_CASE("numbers that are widened and selected compile with optimisation by clang", "[deep]") {
  compare_with_portable(widened_cases(), [](const std::string& compiler) {
    return compiler == "clang" ? std::vector<std::string>{"-O1", "-O2", "-O3"} : std::vector<std::string>{};
  });
}

}  // namespace emit_levels_test
