// Elements of constant tensors as C.
#pragma once

#include <string>

#include "ir/number/tensor_data.h"

namespace tenon {

/// Whether every element can be written as a number of C: no infinity and no NaN.
bool has_number_texts(const TensorData& t);
/// Element `at` as an initializer of its storage type: bits of f16 and bf16, codes of small types, {re, im} of complex
/// numbers. Floats must be finite.
std::string number_text(const TensorData& t, int64_t at);
/// The bits of element `at` of an f32, f64 or complex tensor, as an initializer of unsigned integers.
std::string bits_text(const TensorData& t, int64_t at);

}  // namespace tenon
