// Loops that are skipped: what they would add up is read only where a condition holds, or is decided already.
#include <functional>

#include "hand_made.h"
#include "library/expand_library.h"
#include "nest/run_nest.h"
#include "schedule/read_blueprints.h"
#include "shipped_library.h"

namespace skip_loops_test {

using namespace tenon;
using tenon_test::at, tenon_test::count, tenon_test::lowered, tenon_test::tensor, tenon_test::v;

namespace {

/// The nest of an op's kernel at a level.
LoopNest nest_of(const std::string& op, std::string_view level, DType type) {
  const auto library = expand_library(tenon_test::shipped_ops(), {{op}, {type}});
  REQUIRE(library);
  const Isa& isa = *isa_from_name(level);
  return *lower_levels(library->ops[0].kernels[0].kernel, tenon_test::shipped_blueprints(), {&isa})[0];
}

struct Reduced {
  std::vector<long double> values;
  int64_t loads = 0;
};

/// Reduces X[P, R, Q], whose elements `element` gives by their number, along R.
Reduced reduced(const LoopNest& nest, DType type, const std::vector<int64_t>& dims,
                const std::function<long double(int64_t)>& element) {
  OracleCall call;
  call.sizes = {{"P", dims[0]}, {"R", dims[1]}, {"Q", dims[2]}};
  call.tensors.resize(2);
  const int64_t elements = dims[0] * dims[1] * dims[2];
  call.tensors[0] = {type, dims, std::vector<uint8_t>(static_cast<size_t>(elements * bytes_of(type)))};
  for (int64_t i = 0; i < elements; ++i) {
    const long double x = element(i);
    store_number(call.tensors[0], i, {type == DType::Bool ? static_cast<int64_t>(x) : 0, x, 0});
  }
  NestWork work;
  const NestRun run = run_nest(nest, call, &work);
  REQUIRE(run.status == OracleStatus::Done);
  REQUIRE(run.fault == "");
  Reduced out;
  for (int64_t i = 0; i < dims[0] * dims[2]; ++i) {
    const Number n = load_number(call.tensors[1], i);
    out.values.push_back(type == DType::Bool ? static_cast<long double>(n.i) : n.f);
  }
  out.loads = work.loads;
  return out;
}

/// Y[m] = value of M[m] = max over n of X[m, n] and of S[m] = sum over n of X[m, n]
Kernel chosen(const Expr& value) {
  Kernel k;
  k.name = "chosen_f32";
  k.sizes = {{"M"}, {"N"}};
  const Expr m = size_ref("M"), n = size_ref("N");
  k.tensors = {tensor("X", Role::Input, {m, n}), tensor("Y", Role::Output, {m}), tensor("top", Role::Temp, {m}),
               tensor("total", Role::Temp, {m})};
  const auto along = [&](Reducer op, const Expr& x) { return reduce(op, {{"n", n}}, nullptr, x, DType::F32); };
  const Expr x = at(0, {v("m"), v("n")});
  k.body = {{2, {v("m")}, Update::Assign, along(Reducer::Max, x), {{"m", m}}, ""},
            {3, {v("m")}, Update::Assign, along(Reducer::Sum, x * at(2, {v("m")})), {{"m", m}}, ""},
            {1, {v("m")}, Update::Assign, value, {{"m", m}}, ""}};
  return k;
}

int tests_in(const Kernel& k, std::string_view level) { return count(to_text(lowered(k, level)), "if lt(0"); }

}  // namespace

TEST_CASE("skip_loops: a sum for one arm of a selection is skipped where its condition fails") {
  const Expr top = at(2, {v("m")}), total = at(3, {v("m")}), zero = constant_float(0, DType::F32);
  const Expr positive = apply(ScalarOp::Lt, {zero, top});
  for (const char* level : {"portable", "x86-64-v3"}) {
    CHECK(tests_in(chosen(select(positive, total, zero)), level) > 0);
    CHECK(tests_in(chosen(select(positive, total, total + total)), level) == 0);
    CHECK(tests_in(chosen(select(positive, zero, zero) + total), level) == 0);
    // its own result decides
    CHECK(tests_in(chosen(select(apply(ScalarOp::Lt, {zero, total}), total, zero)), level) == 0);
  }
}

TEST_CASE("skip_loops: norms of ordinary numbers are not scaled, others are") {
  for (const char* level : {"portable", "x86-64-v3", "x86-64-v4"}) {
    const LoopNest nest = nest_of("norm_l2", level, DType::F32);
    for (const int64_t r : {5, 100, 700}) {
      INFO(level << " " << r);
      const auto like = [&](long double scale) {
        return reduced(nest, DType::F32, {1, r, 1}, [&](int64_t i) { return i == r / 2 ? -3 * scale : 0; });
      };
      const Reduced plain = like(1), tiny = like(0x1p-100L), large = like(0x1p100L);
      CHECK(plain.values[0] == 3);
      CHECK(tiny.values[0] == 3 * 0x1p-100L);
      CHECK(large.values[0] == 3 * 0x1p100L);
      CHECK(tiny.loads == plain.loads + r);
      CHECK(large.loads == plain.loads + r);
    }
    // rows together: one of them needs its scale, the others do not
    const Reduced rows = reduced(nest, DType::F32, {33, 7, 1}, [](int64_t i) {
      return i % 7 != 3 ? 0 : i / 7 == 20 ? 0x1p-90L : static_cast<long double>(i / 7);
    });
    for (size_t p = 0; p < rows.values.size(); ++p) CHECK(rows.values[p] == (p == 20 ? 0x1p-90L : p));
  }
}

TEST_CASE("skip_loops: the element that decides may be anywhere, and those far behind it are not read", "[slow]") {
  for (const char* level : {"portable", "x86-64-v3", "x86-64-v4"})
    for (const bool any : {true, false}) {
      const LoopNest nest = nest_of(any ? "any" : "all", level, DType::Bool);
      for (const int64_t r : {int64_t{1}, int64_t{70}, int64_t{5000}, int64_t{140000}})
        for (const int64_t deciding : {int64_t{0}, r / 2, r - 1, r}) {
          INFO(level << " " << any << " " << r << " " << deciding);
          const Reduced out = reduced(nest, DType::Bool, {1, r, 1}, [&](int64_t i) { return (i == deciding) == any; });
          CHECK(out.values[0] == ((deciding < r) == any ? 1 : 0));
          CHECK(out.loads <= (r < 140000 ? r : deciding + 70000));
        }
      const Reduced columns = reduced(nest, DType::Bool, {2, 5000, 3}, [&](int64_t i) { return (i == 7000) == any; });
      for (int64_t c = 0; c < 6; ++c) CHECK(columns.values[static_cast<size_t>(c)] == ((c == 1) == any ? 1 : 0));
    }
}

}  // namespace skip_loops_test
