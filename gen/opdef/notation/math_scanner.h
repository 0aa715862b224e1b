// Words of the notation of math entries: it has bit operators, which the notation of ops has not.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/diagnostics.h"
#include "support/yaml_document.h"

namespace tenon {

enum class MathTokenKind { name, integer, real, sign, line_end, end };

struct MathToken {
  MathTokenKind kind = MathTokenKind::end;
  std::string_view text;
  std::size_t begin = 0;
  std::size_t end = 0;
  uint64_t integer = 0;
  double real = 0;
};

/// Cuts text into tokens; line ends inside parentheses are blanks. False after a report.
bool scan_math(const PlacedText& text, std::vector<MathToken>& out, Diagnostics& diagnostics);

}  // namespace tenon
