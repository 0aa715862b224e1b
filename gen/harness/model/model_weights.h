// The storage of a model's constants: as C, as a file that the assembler includes, or as a file that the caller loads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/nest/c_ast.h"
#include "ir/plan/execution_plan.h"

namespace tenon {

/// Where the bytes of the constants are.
///   c:      C text, compiled with the rest
///   incbin: one file that the assembler takes in, `.incbin` in a source of its own
///   bin:    one file that the caller loads and hands over in the context
enum class WeightsForm : uint8_t { c, incbin, bin };

/// Of the machine that the C is for.
enum class ByteOrder : uint8_t { little, big };

/// How constants are stored.
struct WeightsStorage {
  WeightsForm form = WeightsForm::c;
  ByteOrder order = ByteOrder::little;  ///< of numbers that are written as bytes
  bool aligned = false;                 ///< large constants begin at multiples of 64 (C text; a blob always does)
};

/// A constant as C; the text can be longer than everything else of a run, so it is written in place.
struct WeightDefinition {
  std::string name;
  std::shared_ptr<const TensorData> data;
  bool readable = false;  ///< as numbers, not as bytes
};

/// All constants; equal contents are stored once.
struct ModelWeights {
  std::string declarations;                   ///< c: for the internal header
  std::vector<WeightDefinition> definitions;  ///< c: for the source
  std::string blob;                           ///< incbin, bin: every constant at a multiple of 64
  std::map<int, CExpr> values;  ///< buffer → expression that reads it; of incbin and bin relative to `weights`
  int64_t bytes = 0;            ///< c: of the tensors; incbin, bin: of the blob
  bool ordered = false;         ///< whether numbers of several bytes are stored as bytes, in one order
};

ModelWeights model_weights(const ExecutionPlan& plan, const std::string& prefix, const WeightsStorage& storage);

/// The C of all of them, appended.
void append_definitions(const std::vector<WeightDefinition>& definitions, std::string& out);

/// FNV-1a over the 64-bit words of a text whose length is a multiple of 8.
uint64_t checksum(const std::string& blob, ByteOrder order);

/// C of a union's initialiser: rows of string literals, the fastest text for compilers. `rows` and `width` are the
/// array's extents.
struct ByteRows {
  int64_t rows = 1, width = 1;
};
ByteRows byte_rows(size_t bytes);
void append_byte_rows(const uint8_t* data, size_t bytes, std::string& out);

}  // namespace tenon
