// The small syntaxes of flag values: lists, rank ranges, size bounds, identifiers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline.h"

namespace tenon {

/// "a,b" → {a, b}; nothing if a part is empty.
std::optional<std::vector<std::string>> parse_name_list(std::string_view text);

/// "0-8", "2", "0-2,4" → the ranks, ascending; nothing if malformed or outside 0..8.
std::optional<std::vector<int>> parse_ranks(std::string_view text);

/// "N=4" or "N=1..64" with 0 ≤ low ≤ high.
std::optional<SizeBound> parse_size_bound(std::string_view text);

/// "fast=64K,slow=2M" → memory regions with their budgets in `regions`; the last may have none: "fast=64K,slow". Empty,
/// or an error.
std::string parse_arena(std::string_view text, std::vector<MemoryRegion>& regions);

/// Whether a C compiler takes `text` as an identifier that is neither a keyword nor reserved (a leading underscore).
bool is_c_name(std::string_view text);

}  // namespace tenon
