// Text from outside inside other languages: one quoting function a language.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tenon {

/// A string of JSON with its quotes. Bytes that are no UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

/// The inside of a C string literal, in ASCII: other bytes are octal escapes, and no two question marks begin a
/// trigraph.
std::string c_string_inside(std::string_view text);

/// The inside of a C comment on one line: no end or beginning of a comment, no control character, and no character that
/// turns the direction of writing.
std::string comment_inside(std::string_view text);

/// Text inside an element or an attribute of XML.
std::string xml_text(std::string_view text);

/// One word of a POSIX shell.
std::string shell_word(std::string_view text);

/// A name of a file in a dependency file, written so that both Make and Ninja read it. Nothing where they have no
/// common spelling.
std::optional<std::string> depfile_word(std::string_view name);

/// Offset of the first byte that is not part of a valid UTF-8 sequence (overlong forms and surrogates are invalid);
/// size if all is valid.
std::size_t first_invalid_utf8(std::string_view text);

/// The text with each line break and the blanks around it as one blank; as none after an opening bracket.
std::string one_line(std::string_view text);

}  // namespace tenon
