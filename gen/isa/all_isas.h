// The instruction-set levels that code is generated for, and which of them this machine runs.
#pragma once

#include <span>
#include <string_view>

#include "ir/nest/isa.h"

namespace tenon {

/// Every level: portable first, then each architecture's levels from the lowest to the highest, each followed by those
/// that extend it for products of 8-bit integers (Isa::base).
std::span<const Isa> all_isas();
/// The level named so on the command line ("x86-64-v3") or in symbols ("x86_64_v3"); null if there is none.
const Isa* isa_from_name(std::string_view name);
/// The architecture that the generator itself was compiled for: "x86-64", "aarch64", or "" for any other.
std::string_view host_architecture();
/// Does this machine run code of the level? Always true for portable.
bool runs_on_host(const Isa&);
/// The highest level that this machine runs: the word `native`.
const Isa& native_isa();

}  // namespace tenon
