// Transposed tiles: rounds of shuffles that turn rows of registers to columns, and the functions that have them.
#include <cstdint>

#include "catch.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "lower/generate/generate.h"
#include "lower/lower_kernel.h"
#include "shipped_library.h"

namespace transposed_tiles_test {

using namespace tenon;

namespace {

constexpr int kGroupBytes = 16;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Which byte of which row the bytes of a value are: variable rN has those from N * 64 on.
std::vector<int> bytes_of_value(const Operand& v) {
  const int bytes = bytes_of(v->type.dtype), n = v->type.lanes;
  std::vector<int> out;
  if (const auto* row = std::get_if<VVar>(&v->node)) {
    for (int b = 0; b < n * bytes; ++b) out.push_back(std::stoi(row->name.substr(1)) * 64 + b);
    return out;
  }
  if (const auto* seen = std::get_if<VApply>(&v->node)) {
    REQUIRE(seen->op == ScalarOp::Bits);
    return bytes_of_value(seen->args[0]);
  }
  const auto& shuffle = std::get<VShuffle>(v->node);
  std::vector<int> from = bytes_of_value(shuffle.a);
  for (const int b : bytes_of_value(shuffle.b)) from.push_back(b);
  for (const int lane : shuffle.pick)
    for (int b = 0; b < bytes; ++b) out.push_back(from[static_cast<size_t>(lane * bytes + b)]);
  return out;
}

/// One instruction with an immediate operand does it: both vectors in turns inside of groups of 16 bytes, or whole
/// groups, two of each vector or one.
bool is_plain(const VShuffle& s, OperandType t) {
  const int group = std::min(t.lanes, kGroupBytes / bytes_of(t.dtype));
  bool in_turns = true, groups = group < t.lanes;
  for (int l = 0; l < t.lanes; ++l) {
    const int p = s.pick[static_cast<size_t>(l)], in = l % group;
    in_turns &= p % t.lanes / group == l / group && p / t.lanes == in % 2 &&
                p % group / (group / 2) == s.pick[0] % group / (group / 2);
    groups &= p % group == in && p / t.lanes == l / (t.lanes / 2);
  }
  return in_turns || groups;
}

std::string nest_of(const std::string& op, DType type, const char* level) {
  const auto library = expand_library(tenon_test::shipped_ops(), {{op}, {type}});
  REQUIRE(library);
  return to_text(
      *lower_levels(library->ops[0].kernels[0].kernel, tenon_test::shipped_blueprints(), {isa_from_name(level)})[0]);
}

}  // namespace

TEST_CASE("transposed tiles: columns become rows by shuffles of one instruction each") {
  for (const DType type : {DType::U8, DType::U16, DType::F32, DType::F64})
    for (int n = 4; n * bytes_of(type) <= 64 && n <= 16; n *= 2) {
      INFO(name_of(type) << " " << n);
      std::vector<Operand> rows;
      for (int r = 0; r < n; ++r) rows.push_back(v_var("r" + std::to_string(r), {type, n, 0}));
      int shuffles = 0;
      rows = transpose_vectors(std::move(rows), [&](const Operand& v) {
        CHECK(is_plain(std::get<VShuffle>(v->node), v->type));
        ++shuffles;
        return v;
      });
      int rounds = 0;
      while (1 << rounds < n) ++rounds;
      CHECK(shuffles == n * rounds);
      for (int c = 0; c < n; ++c) {
        const std::vector<int> column = bytes_of_value(rows[static_cast<size_t>(c)]);
        CHECK(rows[static_cast<size_t>(c)]->type == OperandType{type, n, 0});
        for (int b = 0; b < n * bytes_of(type); ++b)
          CHECK(column[static_cast<size_t>(b)] == b / bytes_of(type) * 64 + c * bytes_of(type) + b % bytes_of(type));
      }
    }
}

TEST_CASE("transposed tiles: planes are put together to pixels and pixels taken apart by shuffles") {
  const auto same = [](const Operand& v) { return v; };
  for (const DType type : {DType::U8, DType::U16, DType::F32})
    for (int n = 2; n <= 4; ++n) {
      const int bytes = bytes_of(type), lanes = 16 / bytes;
      INFO(name_of(type) << " " << n);
      std::vector<Operand> rows;
      for (int r = 0; r < n; ++r) rows.push_back(v_var("r" + std::to_string(r), {type, lanes, 0}));
      std::vector<int> joined, parted;
      for (const Operand& v : join_planes(rows, same))
        for (const int b : bytes_of_value(v)) joined.push_back(b);
      for (const Operand& v : part_pixels(rows, same))
        for (const int b : bytes_of_value(v)) parted.push_back(b);
      for (int i = 0; i < n * lanes * bytes; ++i) {
        const int lane = i / bytes, in_joined = lane / n * bytes + i % bytes, pixel = lane % lanes * n + lane / lanes;
        CHECK(joined[static_cast<size_t>(i)] == lane % n * 64 + in_joined);
        CHECK(parted[static_cast<size_t>(i)] == pixel / lanes * 64 + pixel % lanes * bytes + i % bytes);
      }
    }
}

TEST_CASE("transposed tiles: with sizes of the call the last tiles overlap, and few planes have loops of their own") {
  for (const char* level : {"x86-64-v2", "x86-64-v4"}) {
    const std::string nest = nest_of("transpose", DType::F32, level);
    INFO(nest);
    CHECK(contains(nest, "let s_1_at: i64 = min(s_1, sub(O, "));
    for (const char* planes : {"eq(O, 3), eq(Y_s0, 3)", "eq(O_outer, 2), eq(X_s1, 2)"}) CHECK(contains(nest, planes));
    CHECK_FALSE(contains(nest, "tiles"));
  }
}

TEST_CASE("transposed tiles: with strides of the call, large ones are functions, which all loops share") {
  for (const auto& [type, edge] : {std::pair(DType::F32, 16), {DType::F64, 8}, {DType::I8, 16}, {DType::F16, 16}}) {
    const std::string nest = nest_of("transpose", type, "x86-64-v4");
    INFO(nest);
    const std::string name = "transpose_tile_" + std::to_string(edge) + "_u" + std::to_string(8 * bytes_of(type));
    CHECK(contains(nest, "function f0 " + name + "(from_step, to_step)"));
    CHECK(contains(nest, "call f0"));
  }
  CHECK_FALSE(contains(nest_of("transpose", DType::F32, "x86-64-v2"), "function"));
}

}  // namespace transposed_tiles_test
