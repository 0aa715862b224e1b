// C text that libraries and models share: first lines, constants, the choice of a level.
#pragma once

#include <string>
#include <vector>

#include "ir/nest/isa.h"
#include "ir/number/tensor_data.h"
#include "support/text_template.h"

namespace tenon {

/// One comment and a line break; `source` says what the file was made from.
std::string provenance_line(const std::string& source);

/// For runtime/library_level.c.in: a function per level that says whether the processor runs it, and the rows of the
/// table of levels.
std::vector<HoleValue> level_choice_holes(const std::vector<const Isa*>& levels);

/// The pkg-config file of an installed library or model.
struct PackageConfig {
  std::string name;
  std::string contents;  ///< "kernels"
  bool libm;
  bool pool;         ///< of threads, installed as NAME_threads
  bool mpi = false;  ///< processes over MPI, installed as NAME_mpi
};
/// The holes of c/package.pc.in, that of the name first: for the package, its pool and its processes.
std::vector<std::vector<HoleValue>> package_holes(const PackageConfig& package);

/// Whether every element can be written as a number of C: no infinity and no NaN.
bool has_number_texts(const TensorData& t);
/// Element `at` as an initializer of its storage type: bits of f16 and bf16, codes of small types, {re, im} of complex
/// numbers. Floats must be finite.
std::string number_text(const TensorData& t, int64_t at);
/// The bits of element `at` of an f32, f64 or complex tensor, as an initializer of unsigned integers.
std::string bits_text(const TensorData& t, int64_t at);

}  // namespace tenon
