// Recurrences: the order that the checks find, the loops that a kernel gets of it, and what the oracle makes of them.
#include <cstring>

#include "catch.h"
#include "library/expand_library.h"
#include "opdef/read_ops.h"
#include "oracle/run_kernel.h"

namespace recurrences_test {

using namespace tenon;

namespace {

/// The kernel of one op with float inputs of two dims.
Kernel kernel_of(const std::string& body, DType type = DType::F32) {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", R"(
ops:
  - op: f
    types: {T: number}
    in: {X: "T[M, N]"}
    out: {Y: "T[M, N]"}
    body: |
)" + body)});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  const auto library = expand_library(*defs, {{"f"}, {type}});
  REQUIRE(library);
  const Kernel kernel = library->ops[0].kernels[0].kernel;
  CHECK(verify(kernel) == std::vector<std::string>{});
  return kernel;
}

/// "i up, j down, k; 1 joined" of each statement.
std::vector<std::string> orders(const Kernel& k) {
  std::vector<std::string> out;
  for (const KernelStatement& s : k.body) {
    std::string text;
    for (const LoopVar& v : s.loops)
      text += (text.empty() ? "" : ", ") + v.name +
              (v.direction == Direction::Any  ? ""
               : v.direction == Direction::Up ? " up"
                                              : " down");
    out.push_back(text + (s.joined ? "; " + std::to_string(s.joined) + " joined" : ""));
  }
  return out;
}

using Orders = std::vector<std::string>;

/// Runs the oracle on X = 1, 2, 3, …
OracleStatus run(const Kernel& k, int64_t rows, int64_t columns, OracleCall& call) {
  for (const Size& s : k.sizes) call.sizes[s.name] = s.name == "M" ? rows : columns;
  call.tensors.resize(k.tensors.size());
  call.tensors[0].dims = {rows, columns};
  call.tensors[0].bytes.resize(static_cast<size_t>(rows * columns) * sizeof(float));
  for (size_t i = 0; i < static_cast<size_t>(rows * columns); ++i) {
    const auto value = static_cast<float>(i + 1);
    std::memcpy(call.tensors[0].bytes.data() + i * sizeof value, &value, sizeof value);
  }
  return run_kernel(k, call);
}

OracleStatus status(const Kernel& k, int64_t rows, int64_t columns) {
  OracleCall call;
  return run(k, rows, columns, call);
}

std::vector<double> values(const Kernel& k, int64_t rows, int64_t columns) {
  OracleCall call;
  REQUIRE(run(k, rows, columns, call) == OracleStatus::Done);
  std::vector<double> y;
  for (int64_t i = 0; i < rows * columns; ++i) y.push_back(real_element(call.tensors[1], i));
  return y;
}

}  // namespace

TEST_CASE("check_op: variables run as the reads ask for, in the order of the left side where that will do") {
  CHECK(orders(kernel_of("      Y[i,j] = X[i,j] + padded(Y[i,j - 1], 0)\n")) == Orders{"i, j up"});
  CHECK(orders(kernel_of("      Y[i,j] = X[i,j] + padded(Y[i + 2,j], 0)\n")) == Orders{"i down, j"});
  CHECK(orders(kernel_of("      Y[i,j] = X[i,j] + padded(Y[i,j - 1], 0) + padded(Y[i - 1,j + 1], 0)\n")) ==
        Orders{"i up, j up"});
  CHECK(orders(kernel_of("      Y[i,j] = X[i,j] + padded(Y[i + 1,j - 1], 0) + padded(Y[i - 1,j - 1], 0)\n")) ==
        Orders{"j up, i"});
  CHECK(orders(kernel_of("      Y[i,j] = X[i,j] + sum[k : k < i](Y[k,j])\n")) == Orders{"i up, j"});
  CHECK(orders(kernel_of("      Y[i,j] = X[i,j] + sum[k : k >= i + 2](Y[k,j])\n")) == Orders{"i down, j"});
  CHECK(orders(kernel_of("      Y[i,j] = X[i,j] + sum[k](padded(Y[i - 1,k], 0))\n")) == Orders{"i up, j"});
}

TEST_CASE("check_op: a group shares as few variables as will do") {
  CHECK(orders(kernel_of("      a[i,j] = X[i,j] + padded(Y[i - 1,j], 0)\n      Y[i,j] = sum[k](a[i,k])\n")) ==
        Orders{"i up, j", "i up, j; 1 joined"});
  CHECK(orders(kernel_of("      a[i,j] = X[i,j] + padded(Y[i,j - 1], 0)\n      Y[i,j] = 2*a[i,j]\n")) ==
        Orders{"i, j up", "i, j up; 2 joined"});
  CHECK(orders(kernel_of("      m[i] = sum[k](padded(Y[i - 1,k], 0))\n"
                         "      Y[i,j] = X[i,j] - m[i] + padded(Y[i,j + 1], 0)\n")) ==
        Orders{"i up", "i up, j down; 1 joined"});
}

TEST_CASE("expand_library: intermediates of a recurrence have the type of what is next to them") {
  const auto type_of = [](const std::string& body, DType type) {
    for (const Tensor& t : kernel_of(body, type).tensors)
      if (t.name == "a") return t.dtype;
    return DType::Bool;
  };
  const std::string sum = "      a[i,j] = padded(a[i,j - 1], 0) + X[i,j]\n      Y[i,j] = a[i,j]\n";
  CHECK(type_of(sum, DType::F16) == DType::F32);
  CHECK(type_of(sum, DType::F64) == DType::F64);
  CHECK(type_of(sum, DType::I32) == DType::I32);
  CHECK(type_of("      a[i,j] = padded(b[i,j - 1], 1)\n      b[i,j] = a[i,j]*X[i,j]\n      Y[i,j] = b[i,j]\n",
                DType::F32) == DType::F32);
}

TEST_CASE("expand_library: an intermediate that is chosen from conditions and its own elements is a condition") {
  const auto type_of = [](const std::string& value) {
    for (const Tensor& t :
         kernel_of("      a[i,j] = " + value + "\n      Y[i,j] = select(a[i,j] == a[i,j], X[i,j], 0)\n").tensors)
      if (t.name == "a") return t.dtype;
    return DType::F64;
  };
  CHECK(type_of("select(X[i,j] > 2, true, padded(a[i,j - 1], false))") == DType::Bool);
  CHECK(type_of("select(X[i,j] > 2, X[i,j] > 4, padded(a[i,j - 1], true))") == DType::Bool);
  CHECK(type_of("select(X[i,j] > 4, true, select(X[i,j] < 2, false, padded(a[i,j - 1], false)))") == DType::Bool);
  CHECK(type_of("padded(a[i,j - 1], false)") == DType::Bool);
  CHECK(type_of("select(X[i,j] > 2, 1, padded(a[i,j - 1], 0))") == DType::I64);
  CHECK(type_of("padded(a[i,j - 1], 5)") == DType::I64);
  CHECK(type_of("select(X[i,j] > 2, true, padded(a[i,j - 1], 0))") == DType::I64);
}

TEST_CASE("run_kernel: elements of a recurrence are computed one after the other") {
  CHECK(values(kernel_of("      Y[i,j] = X[i,j] + padded(Y[i,j - 1], 0)\n"), 2, 3) ==
        std::vector<double>{1, 3, 6, 4, 9, 15});
  CHECK(values(kernel_of("      Y[i,j] = X[i,j] + padded(Y[i,j + 1], 10)\n"), 2, 3) ==
        std::vector<double>{16, 15, 13, 25, 21, 16});
  CHECK(values(kernel_of("      a[i,j] = X[i,j] + padded(Y[i - 1,j], 0)\n      Y[i,j] = sum[k](a[i,k])\n"), 2, 2) ==
        std::vector<double>{3, 3, 13, 13});
}

TEST_CASE("run_kernel: an index that a recurrence makes is checked behind it") {
  const Kernel k = kernel_of(
      "      a[i] = padded(a[i - 1], 0) + cast(X[i,wrap(padded(a[i - 1], 0), N)], i64)\n"
      "      Y[i,j] = cast(a[i], f32) + 0*X[i,j]\n");
  CHECK(k.parts.size() == 2);
  CHECK(values(k, 1, 3) == std::vector<double>{1, 1, 1});
  CHECK(values(k, 2, 2) == std::vector<double>{1, 1, 5, 5});
  CHECK(status(k, 3, 2) == OracleStatus::Range);
}

TEST_CASE("run_kernel: what updates make is checked behind them") {
  const Kernel k = kernel_of(
      "      a[i] = 0\n"
      "      a[i] += sum[j](cast(X[i,j], i64))\n"
      "      Y[i,j] = X[wrap(a[i] - 1, M),j]\n");
  CHECK(k.parts.size() == 2);
  CHECK(values(k, 1, 1) == std::vector<double>{1});
  CHECK(status(k, 2, 1) == OracleStatus::Done);
  CHECK(status(k, 2, 2) == OracleStatus::Range);
}

TEST_CASE("expand_library: what stands for elements outside tells the type of what a recurrence makes") {
  // a is a quotient of floats, not of the integers that a number of unknown type would make of it.
  const Kernel k = kernel_of(
      "      s[i,j] = padded(g[i - 1,j], X[0,j])\n"
      "      a[i] = sum[j](s[i,j]*cast(j, i64))/2\n"
      "      g[i,j] = s[i,j] + 0.5*a[i]\n"
      "      Y[i,j] = g[i,j]\n");
  CHECK(values(k, 2, 2) == std::vector<double>{1.5, 2.5, 2.125, 3.125});
}

TEST_CASE("expand_library: a number that a tensor of integers cannot hold stands for its elements as it is") {
  const Kernel k = kernel_of("      k[i] = i + 1\n      Y[i,j] = padded(k[i - 1], X[i,j]/2)\n");
  CHECK(values(k, 2, 2) == std::vector<double>{0.5, 1, 1, 1});
}

TEST_CASE("expand_library: a let that is a size and a number is a fact of the kernel") {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", R"(
ops:
  - op: f
    types: {T: number}
    in: {X: "T[N]"}
    let: {P: N + 1}
    out: {Y: "T[P]"}
    body: |
      Y[i] = padded(Y[i - 1], 0) + padded(X[i - 1], 0)
)")});
  REQUIRE(defs);
  const auto library = expand_library(*defs, {{"f"}, {DType::F32}});
  REQUIRE(library);
  const Kernel& kernel = library->ops[0].kernels[0].kernel;
  CHECK(to_text(kernel).find("fact (P == (N + 1))") != std::string::npos);
}

TEST_CASE("check_op: an index from data is before where the condition of its sum says so") {
  const auto accepted = [](const std::string& condition) {
    return !read_ops({}, {std::make_shared<SourceFile>("ops.yaml", R"(
ops:
  - op: f
    types: {T: number, I: index}
    in: {Col: "I[E]", V: "T[E]", B: "T[M]"}
    out: {X: "T[M]"}
    body: |
      X[m] = B[m] - sum[e : )" + condition + R"(](V[e]*X[clamp(Col[e], 0, M - 1)])
)")})
                .diagnostics()
                .has_errors();
  };
  CHECK(accepted("Col[e] < m"));
  CHECK(accepted("Col[e] >= 0 and m > Col[e]"));
  CHECK(accepted("Col[e] <= m - 1"));
  CHECK_FALSE(accepted("Col[e] <= m"));
  CHECK_FALSE(accepted("V[e] < m"));
}

}  // namespace recurrences_test
