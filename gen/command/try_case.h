// A test of one op with its data: inputs made from the definition's signature, and the answers of the oracle.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/kernel/kernel.h"
#include "ir/number/tensor_data.h"
#include "ir/op/op_def.h"
#include "support/diagnostics.h"

namespace tenon {

/// An attribute as the uniform entry takes it: `f` where it is real, else `i`.
struct TryAttr {
  std::string name;
  bool real = false;
  std::vector<int64_t> i;
  std::vector<double> f;
};

/// The work of one call: scalar operations as kernel_cost.h counts them, bytes of operands and results.
struct TimedWork {
  double operations = 0, read = 0, written = 0;
};

/// Inputs and answers of one test.
struct TryCase {
  std::vector<std::optional<TensorData>>
      inputs;  ///< in the definition's order, two operands of a variadic one; nothing where absent
  std::vector<TensorData> outputs;
  std::vector<TryAttr> attrs;     ///< those that the test names
  std::vector<double> limits;     ///< the permitted error of each output
  std::optional<TimedWork> work;  ///< of a test that is timed; nothing where an extent depends on data
};

/// A test of an op at some types, by type variable.
struct TypedTest {
  const OpLibrary& defs;
  const OpDef& def;
  const std::map<std::string, DType>& types;
  const TestCase& test;
};

/// Makes inputs of the test's types, of its shapes and values or else of random ones from a fixed seed, and computes
/// the answers; known answers of the test replace those of the oracle. Sizes that the test leaves open get extents that
/// are not multiples of a vector length. Reports errors at the test's location and returns nothing if the test does not
/// fit the op.
std::optional<TryCase> make_try_case(const TypedTest& test, Diagnostics& diagnostics);

/// The same without answers, for timing: fractions are between 0 and 1, where all functions are defined, and tensors
/// may be larger.
std::optional<TryCase> make_timed_case(const TypedTest& test, Diagnostics& diagnostics);

/// What a kernel of constant extents reads, writes and computes; nothing where an extent is open.
std::optional<TimedWork> work_of(const Kernel& kernel);

/// The error that rounding explains for each output, relative to its largest element; 0 for exact outputs.
std::vector<double> error_limits(const Kernel&);

/// Keys with these names; without names, f32 if the op takes it, otherwise the first that it takes, and those that its
/// tests name. None for an op without type variables. Stops where the op takes none of those named.
std::vector<DType> chosen_keys(const OpDef& def, const std::vector<std::string>& names,
                               const std::vector<TestCase>& tests);

/// The keys, and other type variables as the tests give them: small types are used only when named.
std::vector<DType> dtypes_to_make(const OpDef& def, std::vector<DType> keys, const std::vector<TestCase>& tests);

/// Types of a test at one key; nothing if the test is for another key.
std::optional<std::map<std::string, DType>> types_of(const OpDef& def, const TestCase& test, std::optional<DType> key);
/// Whether a tensor of integers is given numbers in the test that are none: NaN, infinity, fractions.
bool has_other_numbers(const OpDef& def, const TestCase& test, const std::map<std::string, DType>& types);

/// The tensor whose rank, and dtype without type variables, the uniform entry finds a kernel by.
const TensorData& first_tensor(const TryCase& c);

}  // namespace tenon
