// Codes of small types: known values of each format, rounding, what lies out of range, and the way back of every code.
#include "ir/number/small_number.h"

#include <cmath>
#include <limits>

#include "catch.h"

namespace small_number_test {

using namespace tenon;

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
}

TEST_CASE("maximum and least numbers of the small floats are those of their definitions") {
  CHECK(small_value(DType::F8E4M3FN, 0x7e) == 448);
  CHECK(small_value(DType::F8E4M3FN, 0x01) == 0x1p-9);
  CHECK(small_value(DType::F8E4M3FNUZ, 0x7f) == 240);
  CHECK(small_value(DType::F8E4M3FNUZ, 0x01) == 0x1p-10);
  CHECK(small_value(DType::F8E5M2, 0x7b) == 57344);
  CHECK(small_value(DType::F8E5M2, 0x01) == 0x1p-16);
  CHECK(small_value(DType::F8E5M2, 0xfc) == -kInf);
  CHECK(small_value(DType::F8E5M2FNUZ, 0x7f) == 57344);
  CHECK(small_value(DType::F8E5M2FNUZ, 0x01) == 0x1p-17);
  CHECK(small_value(DType::F8E8M0, 0xfe) == 0x1p127);
  CHECK(small_value(DType::F4E2M1, 0x5) == 3);
  CHECK(small_value(DType::F4E2M1, 0xf) == -6);
}

TEST_CASE("numbers round half to even and leave the range as each format says") {
  CHECK(small_code(DType::F8E4M3FN, 464) == 0x7e);
  CHECK(small_code(DType::F8E4M3FN, 464.001) == 0x7f);
  CHECK(small_code(DType::F8E4M3FN, -kInf) == 0xff);
  CHECK(small_code(DType::F8E4M3FNUZ, 248) == 0x80);
  CHECK(small_code(DType::F8E4M3FNUZ, -0.0) == 0);
  CHECK(small_code(DType::F8E5M2, 61440) == 0x7c);
  CHECK(small_code(DType::F8E5M2, 61439) == 0x7b);
  CHECK(small_code(DType::F8E5M2, -0.0) == 0x80);
  CHECK(small_code(DType::F4E2M1, 2.5) == 0x4);
  CHECK(small_code(DType::F4E2M1, 3.5) == 0x6);
  CHECK(small_code(DType::F4E2M1, -kInf) == 0xf);
  CHECK(small_code(DType::F8E8M0, 1.1) == 128);
  CHECK(small_code(DType::F8E8M0, 0) == 0);
}

TEST_CASE("whole small types wrap") {
  CHECK(small_value(DType::I4, 0x8) == -8);
  CHECK(small_value(DType::U4, 0xf8) == 8);
  CHECK(small_value(DType::I2, 0x3) == -1);
  CHECK(small_code(DType::I4, -9) == 0x7);
  CHECK(small_code(DType::U2, 5) == 0x1);
}

TEST_CASE("every code comes back from its number") {
  for (const DTypeRow& row : all_dtypes()) {
    if (!is_small(row.dtype)) continue;
    for (int code = 0; code < 1 << code_bits(row.dtype); ++code) {
      const double v = small_value(row.dtype, static_cast<uint8_t>(code));
      INFO(row.name << " " << code);
      if (std::isnan(v)) CHECK(std::isnan(small_value(row.dtype, small_code(row.dtype, v))));
      else CHECK(small_code(row.dtype, v) == code);
    }
  }
}

}  // namespace small_number_test
