// Every math entry compiles without a warning at every level, and gives vectors the bits that it gives
// scalars; without FMA all levels agree.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "catch.h"
#include "compile/shipped_math.h"
#include "emit/emitter.h"
#include "emit/math_body.h"
#include "ir/text/print_c99.h"
#include "isa/all_isas.h"
#include "scratch_dir.h"

namespace math_functions_test {

using namespace tenon;

namespace {

/// One function of the program: a row of one level for one type.
struct Map {
  const Isa& isa;
  const ScalarOpRow& row;
  OperandType type;
  std::string name() const {
    return fmt::format("{}_{}_{}_{}{}", row.name, name_of(type.dtype), type.lanes, isa.suffix,
                       isa.unfused ? "_unfused" : "");
  }
};

/// `void NAME(const T *x, const T *w, T *y)` over 64 elements, and what it calls. All arguments but the first are w.
std::string map_function(const Map& map, const EmitOptions& options, EmitNeeds& needs) {
  emit::Emitter e(map.isa, options, needs, nullptr);
  Few<Operand> args;
  std::string loads;
  const std::string c_type = e.c_type(map.type), element = e.c_type(OperandType{map.type.dtype, 1, 0});
  for (int k = 0; k < map.row.arity; ++k) {
    const std::string name(1, "abc"[k]);
    e.declare(name, emit::Binding{"", map.type, false, false, std::nullopt});
    args.push_back(v_var(name, map.type));
    loads +=
        fmt::format("    {} {};\n    memcpy(&{}, {} + i, sizeof {});\n", c_type, name, name, k == 0 ? "x" : "w", name);
  }
  const std::string call = print_c99(e.operand(v_apply(map.row.op, args)));
  const std::string target = map.isa.target.empty() ? "" : emit::target_macro(map.isa, options) + " ";
  return fmt::format(
      "{}static void {}(const {} *x, const {} *w, {} *y) {{\n  (void)w;\n  for (int i = 0; i < 64; i += {}) {{\n{}    "
      "const {} r "
      "= {};\n"
      "    memcpy(y + i, &r, sizeof r);\n  }}\n}}\n",
      target, map.name(), element, element, element, map.type.lanes, loads, c_type, call);
}

/// C that moves the arguments into the domain of a function that has one.
std::string into_domain(const Map& map) {
  const bool is_float = map.type.dtype == DType::F32, down = map.row.op == ScalarOp::Scale2DownSum;
  const std::string_view suffix = is_float ? "f" : "";
  if (map.row.op == ScalarOp::ExpBounded) return fmt::format("x[i] = x[i] > 40 ? 40.0{} : x[i];", suffix);
  if (map.row.op != ScalarOp::Scale2Sum && !down) return "";
  const int least = is_float ? -150 : -1080, most = down ? 0 : is_float ? 127 : 1023;
  const std::string_view moved = is_float ? down ? "12583103.0f" : "12583166.0f"
                                 : down   ? "6755399441056895.0"
                                          : "6755399441057790.0";
  return fmt::format(
      "x[i] = x[i] > -0.5{0} && x[i] < 0.5{0} ? x[i] : 0.25{0}, w[i] = {1} + ({2})({3} + (int)(state % {4}));", suffix,
      moved, is_float ? "float" : "double", least, most - least + 1);
}

/// Compares two functions over many arguments; NaNs may differ in their payload.
std::string compare(const Map& one, const Map& other) {
  return fmt::format(
      "  for (int k = 0; k < 300; ++k) {{\n    static {0} x[64], w[64], y[64], z[64];\n"
      "    for (int i = 0; i < 64; ++i) {{\n      x[i] = argument_{1}(k), w[i] = argument_{1}(k + 1);\n      {4}\n    "
      "}}\n"
      "    {2}(x, w, y);\n    {3}(x, w, z);\n    for (int i = 0; i < 64; ++i)\n"
      "      if (memcmp(y + i, z + i, sizeof y[0]) != 0 && !(y[i] != y[i] && z[i] != z[i])) {{\n"
      "        printf(\"{3} of %.17g %.17g: %.17g %.17g\\n\", (double)x[i], (double)w[i], (double)y[i], "
      "(double)z[i]);\n"
      "        return 1;\n      }}\n  }}\n",
      one.type.dtype == DType::F32 ? "float" : "double", name_of(one.type.dtype), one.name(), other.name(),
      into_domain(one));
}

constexpr std::string_view kArguments = R"(
#include <stdio.h>
static uint64_t state = 1;
static double argument_f64(int kind) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  double d;
  memcpy(&d, &state, sizeof d);
  if (kind % 3 == 0) return d;
  return (double)(int64_t)state * (kind % 3 == 1 ? 1.7347234759768071e-18 : 1.0842021724855044e-19);
}
static float argument_f32(int kind) {
  const double d = argument_f64(kind);
  float f;
  const uint32_t u = (uint32_t)(state >> 32);
  memcpy(&f, &u, sizeof f);
  return kind % 3 == 0 ? f : (float)d;
}
)";

/// Functions that random ops are made of.
bool draws(ScalarOp op) {
  return op == ScalarOp::Log || op == ScalarOp::Cospi || op == ScalarOp::Sinpi || op == ScalarOp::Exp ||
         op == ScalarOp::Tan || op == ScalarOp::Pow;
}

std::string program(const Isa& isa, const MathLibrary& library) {
  EmitOptions options;
  options.math = [&](ScalarOp op, const OperandType& t, const Isa& i) { return math_body(library, op, t, i); };
  options.scalars = &tenon_test::shipped_scalar_functions();
  EmitNeeds needs;
  std::string maps, body;
  const auto pair = [&](const Map& one, const Map& other) {
    maps += map_function(one, options, needs);
    if (other.name() != one.name()) maps += map_function(other, options, needs);
    body += compare(one, other);
  };
  const Isa& portable = all_isas().front();
  const Isa unfused = isa.without_fma();
  for (const ScalarOpRow& row : all_scalar_ops()) {
    if (!row.has('M')) continue;
    for (const DType d : {DType::F32, DType::F64}) {
      pair({isa, row, {d, 1, 0}}, {isa, row, {d, isa.lanes(d), 0}});
      if (isa.fma && draws(row.op)) pair({portable, row, {d, 1, 0}}, {unfused, row, {d, isa.lanes(d), 0}});
    }
  }
  CFile file;
  for (CItem& item : needed_items(needs)) file.items.push_back(std::move(item));
  return level_begin(isa, options) + print_c99(file) + std::string(kArguments) + maps + "int main(void) {\n" + body +
         "  return 0;\n}\n" + level_end(isa, options);
}

/// Compiles and runs the program of each level that one of these compilers is for.
void check_levels(const std::vector<std::string>& compilers) {
  const MathLibrary library = tenon_test::shipped_math();
  const std::string strict =
      "-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wdouble-promotion -Werror -O1";
  for (const Isa& isa : all_isas()) {
    if (!isa.base.empty()) continue;  // the functions of the level that it extends
    const tenon_test::ScratchDir dir;
    const std::string file = (dir / "math.c").string(), binary = (dir / "math").string();
    std::ofstream(file) << program(isa, library);
    for (const std::string& cc : compilers) {
      if ((isa.architecture == "aarch64") != (cc == "aarch64-linux-gnu-gcc")) continue;
      if (std::system(fmt::format("command -v {} > /dev/null", cc).c_str()) != 0) continue;
      INFO(isa.name << " " << cc);
      REQUIRE(std::system(fmt::format("{} {} {} -o {}", cc, strict, file, binary).c_str()) == 0);
      if (runs_on_host(isa)) CHECK(std::system(binary.c_str()) == 0);
    }
  }
}

}  // namespace

TEST_CASE("math functions: no warnings, and the same bits for vectors and scalars") {
  check_levels({"gcc", "aarch64-linux-gnu-gcc"});
}

TEST_CASE("math functions by clang: no warnings, and the same bits for vectors and scalars", "[deep]") {
  check_levels({"clang"});
}

}  // namespace math_functions_test
