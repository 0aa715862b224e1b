// Reading scalar functions; those that are shipped convert every small type to numbers of its kind and back.
#include "scalar_functions.h"

#include <string>

#include "catch.h"
#include "ir/number/small_number.h"

namespace scalar_functions_test {

using namespace tenon;

TEST_CASE("a scalar function is found by its name and the kind of its type") {
  const ScalarFunctions read({"// Two.\n\n//= su\n$T twice($T a, int n) {\n  return a;\n}\n",
                              "//= fd\n$T twice($T a) {\n  if (a > 0) {\n    return a;\n  }\n  return 2 * a;\n}\n"});
  const ScalarFunction& integers = *read.find("twice", DType::I8);
  CHECK(integers.result == "$T");
  CHECK(integers.params == std::vector<std::string>{"$T a", "int n"});
  CHECK(integers.body == "  return a;\n");
  CHECK(read.find("twice", DType::F64)->body == "  if (a > 0) {\n    return a;\n  }\n  return 2 * a;\n");
  CHECK(read.find("twice", DType::C64) == nullptr);
  CHECK(read.find("thrice", DType::F64) == nullptr);
}

TEST_CASE("every small type is converted in C") {
  for (const DTypeRow& row : all_dtypes()) {
    if (!is_small(row.dtype)) continue;
    const std::string name(row.name), compute(name_of(row.compute));
    INFO(name);
    CHECK(tenon_test::shipped_scalar_functions().find(compute + "_of_" + name, DType::U8) != nullptr);
    CHECK(tenon_test::shipped_scalar_functions().find(name + "_of_" + compute, row.compute) != nullptr);
  }
}

TEST_CASE("small types that compute in a float have numbers that are not whole") {
  for (const DTypeRow& row : all_dtypes()) {
    if (!is_small(row.dtype) || row.compute != DType::F32) continue;
    INFO(row.name);
    CHECK(small_value(row.dtype, 1) < 1);
  }
}

}  // namespace scalar_functions_test
