// The same element under two shapes, with extents that only run time knows.
#include "schedule/index_map.h"

#include "catch.h"

namespace index_map_test {

using namespace tenon;

namespace {

Tensor of(std::vector<Expr> dims) { return {"t", Role::Input, DType::F32, dims, contiguous_strides(dims)}; }
Expr n(int64_t value) { return constant_int(value); }
const Expr N = size_ref("N"), H = size_ref("H");

/// The places in `to` of the variables i0, i1, … of `from`, as text; "-" where there are none.
std::string mapped(const std::vector<Expr>& from, const std::vector<Expr>& to) {
  std::vector<Expr> index;
  for (size_t k = 0; k < from.size(); ++k) index.push_back(var_ref("i" + std::to_string(k)));
  const auto at = reindex(of(from), index, of(to));
  if (!at) return "-";
  std::string out;
  for (const Expr& e : *at) out += (out.empty() ? "" : ", ") + to_text(e);
  return out;
}

}  // namespace

TEST_CASE("fixed shapes nest by quotients and remainders") {
  CHECK(mapped({n(2), n(12)}, {n(2), n(3), n(4)}) == "i0, (i1 // 4), (i1 % 4)");
  CHECK(mapped({n(2), n(3), n(4)}, {n(2), n(12)}) == "i0, (i2 + (i1 * 4))");
  CHECK(mapped({n(4), n(6)}, {n(3), n(8)}) == "-");
}

TEST_CASE("an open extent stands for itself next to others of 1 and fixed ones that nest") {
  CHECK(mapped({N, n(8), n(9)}, {N, n(1), n(8), n(9)}) == "i0, 0, i1, i2");
  CHECK(mapped({N, n(8), n(9)}, {N, n(72)}) == "i0, (i2 + (i1 * 9))");
  CHECK(mapped({N, n(8), H}, {N, n(1), n(8), H}) == "i0, 0, i1, i2");
  CHECK(mapped({N, n(8), n(6)}, {N, n(6), n(8)}) == "-");
}

TEST_CASE("open and fixed extents that become one, and one that is taken apart by a number") {
  CHECK(mapped({N, n(8), n(9)}, {N * n(8), n(9)}) == "(i1 + (i0 * 8)), i2");
  CHECK(mapped({N * n(8), n(9)}, {N, n(8), n(9)}) == "(i0 // 8), (i0 % 8), i1");
  CHECK(mapped({N, H, n(9)}, {N * H, n(9)}) == "(i1 + (i0 * H)), i2");
}

TEST_CASE("nothing is divided by what run time knows") {
  CHECK(mapped({N * H, n(9)}, {N, H, n(9)}) == "-");
  CHECK(mapped({N, H}, {H, N}) == "-");
}

}  // namespace index_map_test
