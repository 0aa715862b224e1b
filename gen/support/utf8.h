// UTF-8: is it valid.
#pragma once

#include <cstddef>
#include <string_view>

namespace tenon {

/// Offset of the first byte that is not part of a valid UTF-8 sequence (overlong forms and surrogates are invalid);
/// size if all is valid.
std::size_t first_invalid_utf8(std::string_view text);

}  // namespace tenon
