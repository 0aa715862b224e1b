// One value of the oracle: wide enough to represent every stored type exactly.
#pragma once

#include <cstdint>

#include "ir/number/dtype.h"
#include "ir/number/scalar_op.h"
#include "ir/number/tensor_data.h"

namespace tenon {

/// Integers and bool use `i` (u64 as its bits); floats `f`; complex numbers `f` and `im`.
struct Number {
  int64_t i = 0;
  long double f = 0;
  long double im = 0;
};

/// Element of a tensor.
Number load_number(const TensorData& t, int64_t at);
/// Rounds to the tensor's type and stores.
void store_number(TensorData& t, int64_t at, const Number& v);
/// Wraps an integer to the width of `type`.
int64_t wrapped(int64_t v, DType type);
/// A row of the scalar table on numbers of type `in`, giving type `out`. Division of integers by zero gives 0: callers
/// check before.
Number apply_number(ScalarOp op, const Number* args, DType in, DType out);
/// Conversion as the language says: floats truncate and saturate, NaN gives 0, integers wrap.
Number convert_number(const Number& v, DType from, DType to);
bool less(const Number& a, const Number& b, DType type);
bool is_nan(const Number& v, DType type);

}  // namespace tenon
