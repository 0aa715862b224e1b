// Lines and columns of positions in text.
#include "support/source_span.h"

#include <utility>

#include "support/ranges.h"

namespace tenon {

SourceFile::SourceFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

std::string_view SourceFile::line(int line) const {
  const std::size_t begin = line_start(line);
  std::size_t end = line < lines() ? line_starts_[static_cast<std::size_t>(line)] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

int SourceFile::line_of(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<int>(after - line_starts_.begin());
}

int count_code_points(std::string_view utf8) {
  return static_cast<int>(count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

int SourceSpan::line() const { return file ? file->line_of(std::min(begin, file->text().size())) : 0; }

int SourceSpan::column() const {
  if (!file) return 0;
  const std::size_t start = file->line_start(line());
  return count_code_points(std::string_view(file->text()).substr(start, begin - start)) + 1;
}

int SourceSpan::length() const {
  if (!file) return 0;
  const std::string_view covered = text();
  const std::size_t line_end = std::min(covered.find('\n'), covered.size());
  return std::max(1, count_code_points(covered.substr(0, line_end)));
}

std::string_view SourceSpan::text() const {
  if (!file || begin >= file->text().size()) return {};
  return std::string_view(file->text()).substr(begin, end > begin ? end - begin : 0);
}

SourceSpan join(const SourceSpan& first, const SourceSpan& last) {
  if (!first.known()) return last;
  if (first.file != last.file || last.end < first.end || last.begin < first.begin) return first;
  return {first.file, first.begin, last.end};
}

}  // namespace tenon
