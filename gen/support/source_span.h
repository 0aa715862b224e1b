// Places in the text that a person wrote: a file, a span of bytes in it, and how to name them (line, column in code
// points).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// A text as it was read, with an index of its lines. Immutable once made; shared by the spans that point into it.
class SourceFile {
 public:
  /// `name` is what diagnostics print (a path, or `<stdin>`).
  SourceFile(std::string name, std::string text);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  /// Number of lines; an empty file has one.
  int lines() const { return static_cast<int>(line_starts_.size()); }
  /// Text of line `line` (from 1) without its line end.
  std::string_view line(int line) const;
  /// Line (from 1) that holds byte `offset`.
  int line_of(std::size_t offset) const;
  /// Byte at which line `line` (from 1) begins.
  std::size_t line_start(int line) const { return line_starts_[static_cast<std::size_t>(line - 1)]; }

 private:
  std::string name_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
};

using SourceFileRef = std::shared_ptr<const SourceFile>;

/// Bytes [begin, end) of a file. A span without a file is "nowhere" (made by the program itself).
struct SourceSpan {
  SourceFileRef file;
  std::size_t begin = 0;
  std::size_t end = 0;

  bool known() const { return file != nullptr; }
  /// Line from 1; 0 when nowhere.
  int line() const;
  /// Column from 1, in Unicode code points; 0 when nowhere.
  int column() const;
  /// Length in code points of the part that is on the first line, at least 1.
  int length() const;
  /// The text between begin and end.
  std::string_view text() const;
};

/// From the beginning of `first` to the end of `last` (of the same file; otherwise `first`).
SourceSpan join(const SourceSpan& first, const SourceSpan& last);

/// Number of Unicode code points in UTF-8 text (a byte that continues none counts as one).
int count_code_points(std::string_view utf8);

}  // namespace tenon
