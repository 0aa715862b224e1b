// The line logic of TextWriter.
#include "support/text_writer.h"

#include <iterator>

#include "support/check.h"

namespace tenon {

void TextWriter::write_line_part(std::string_view part) {
  if (part.empty()) return;
  if (text_.empty() || text_.back() == '\n') text_.append(static_cast<size_t>(depth_), ' ');
  text_.append(part);
}

TextWriter& TextWriter::write(std::string_view text) {
  while (true) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    write_line_part(text.substr(0, end));
    text_.push_back('\n');
    text.remove_prefix(end + 1);
  }
  write_line_part(text);
  return *this;
}

// Here and not in the header: each file that writes into a buffer of fmt's compiles all of its formatting.
TextWriter& TextWriter::write_formatted(fmt::string_view format, fmt::format_args args) {
  scratch_.clear();
  fmt::vformat_to(std::back_inserter(scratch_), format, args);
  return write(std::string_view(scratch_.data(), scratch_.size()));
}

TextWriter& TextWriter::line(std::string_view text) {
  write(text);
  text_.push_back('\n');
  return *this;
}

TextWriter& TextWriter::write_verbatim(std::string_view text) {
  text_.append(text);
  return *this;
}

void TextWriter::dedent() {
  depth_ -= indent_width_;
  TENON_CHECK(depth_ >= 0, "dedent without indent");
}

size_t TextWriter::column() const {
  const size_t newline = text_.rfind('\n');
  const size_t length = newline == std::string::npos ? text_.size() : text_.size() - newline - 1;
  return length == 0 ? static_cast<size_t>(depth_) : length;
}

std::string TextWriter::take() {
  depth_ = 0;
  return std::exchange(text_, {});
}

}  // namespace tenon
