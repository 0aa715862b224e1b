// One function a level: each is a file of rows. all_isas puts them in order.
#pragma once

#include <string_view>
#include <vector>

#include "ir/nest/isa.h"

namespace tenon {

Isa portable_isa();
Isa x86_64_v2_isa();
Isa x86_64_v3_isa();
Isa x86_64_v4_isa();
Isa neon_isa();
// Levels for products of 8-bit integers alone.
Isa x86_64_v3_vnni_isa();
Isa x86_64_v4_vnni_isa();
Isa neon_dotprod_isa();

/// The rows of both, sorted for Isa::row; where both have one, the second's.
std::vector<IsaRow> extend_rows(std::vector<IsaRow> base, std::vector<IsaRow> own);

/// `feature`: a field of `features` in templates/runtime/library_level.c.in, such as "avx2". Ends the program for a
/// name that no row of host_features.cc knows.
bool host_has(std::string_view feature);

}  // namespace tenon
