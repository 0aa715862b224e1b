// Every small type has the C functions between its codes and the type that it computes in, and numbers of that type's
// kind.
#include <algorithm>
#include <string>

#include "catch.h"
#include "emit/scalar_piece_rows.h"
#include "ir/number/dtype.h"
#include "ir/number/small_number.h"

namespace small_pieces_test {

using namespace tenon;

namespace {
bool has_piece(const std::string& name) {
  return std::ranges::any_of(emit::small_piece_rows(), [&](const emit::ScalarPieceRow& r) { return r.op == name; });
}
}  // namespace

TEST_CASE("every small type is converted in C") {
  for (const DTypeRow& row : all_dtypes()) {
    if (!is_small(row.dtype)) continue;
    const std::string name(row.name), compute(name_of(row.compute));
    INFO(name);
    CHECK(has_piece(compute + "_of_" + name));
    CHECK(has_piece(name + "_of_" + compute));
  }
}

TEST_CASE("small types that compute in a float have numbers that are not whole") {
  for (const DTypeRow& row : all_dtypes()) {
    if (!is_small(row.dtype) || row.compute != DType::F32) continue;
    INFO(row.name);
    CHECK(small_value(row.dtype, 1) < 1);
  }
}

}  // namespace small_pieces_test
