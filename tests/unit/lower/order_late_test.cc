// Reductions over every second element put their lanes in order at the end.
#include <cmath>

#include "catch.h"
#include "isa/all_isas.h"
#include "nest/run_nest.h"
#include "oracle/run_kernel.h"
#include "unit/lower/hand_made.h"

namespace order_late_test {

using namespace tenon;
using namespace tenon_test;

namespace {

/// Y[c, x] = the reduction over s of X[c, 2x + s]
Kernel pool(Reducer op, int64_t windows, DType type) {
  const Expr c = constant_int(3), n = constant_int(windows), s = constant_int(3), width = constant_int(2 * windows + 1);
  Kernel k;
  k.name = "pool";
  k.tensors = {{"X", Role::Input, type, {c, width}, contiguous_strides({c, width})},
               {"Y", Role::Output, type, {c, n}, contiguous_strides({c, n})}};
  const Expr read = read_of(0, type, {v("c"), v("x") * constant_int(2) + v("s")});
  k.body = {
      {1, {v("c"), v("x")}, Update::Assign, reduce(op, {{"s", s}}, nullptr, read, type), {{"c", c}, {"x", n}}, ""}};
  return k;
}

OracleCall call_of(const Kernel& k) {
  OracleCall call;
  for (const Tensor& t : k.tensors) {
    TensorData data;
    if (t.role == Role::Input) {
      data.dtype = t.dtype;
      int64_t elements = 1;
      for (const Expr& e : t.dims) data.dims.push_back(*constant_value(e)), elements *= data.dims.back();
      data.bytes.resize(static_cast<size_t>(elements * bytes_of(t.dtype)));
      for (int64_t i = 0; i < elements; ++i)
        store_number(data, i, Number{i * 37 % 101 - 50, static_cast<long double>(i * 37 % 101 - 50)});
    }
    call.tensors.push_back(std::move(data));
  }
  return call;
}

}  // namespace

TEST_CASE("reductions over every second element are put in order at the end") {
  for (const Reducer op : {Reducer::Max, Reducer::Min, Reducer::Sum})
    for (const DType type : {DType::F32, DType::F64, DType::I32})
      for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
        for (const int64_t windows : {8, 37, 64}) {
          CAPTURE(level, name_of(type), windows);
          const Kernel k = pool(op, windows, type);
          const LoopNest nest = lowered(k, level);
          const std::string text = to_text(nest);
          const bool four = bytes_of(type) == 4;
          if (std::string(level) == "x86-64-v3") {
            CHECK(count(text, four ? "; 0 2 4 6 9 11 13 15)" : "; 0 2 5 7)") == 0);
            CHECK(count(text, four ? "; 0 1 4 5 2 3 6 7)" : "; 0 2 1 3)") > 0);
          }
          OracleCall want = call_of(k), got = call_of(k);
          REQUIRE(run_kernel(k, want) == OracleStatus::Done);
          const NestRun run = run_nest(nest, got);
          CHECK(run.fault == "");
          REQUIRE(run.status == OracleStatus::Done);
          CHECK(want.tensors[1].bytes == got.tensors[1].bytes);
        }
}

}  // namespace order_late_test
