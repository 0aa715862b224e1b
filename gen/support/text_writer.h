// TextWriter: builds indented text in one string; what every printer writes into.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace tenon {

/// Appends text, putting the current indentation in front of every line that is not empty.
class TextWriter {
 public:
  /// `indent_width`: spaces a level.
  explicit TextWriter(int indent_width = 2) : indent_width_(indent_width) {}

  /// Appends `text`; it may hold any number of lines.
  TextWriter& write(std::string_view text);

  /// Appends formatted text.
  template <class... Args>
  TextWriter& print(fmt::format_string<Args...> format, Args&&... args) {
    return write_formatted(format, fmt::make_format_args(args...));
  }

  /// Appends `text` and ends the line.
  TextWriter& line(std::string_view text = {});

  /// Appends formatted text and ends the line.
  template <class... Args>
  TextWriter& print_line(fmt::format_string<Args...> format, Args&&... args) {
    return print(format, std::forward<Args>(args)...).line();
  }

  /// Appends bytes as they are: no indentation is put in front.
  TextWriter& write_verbatim(std::string_view text);

  void indent() { depth_ += indent_width_; }
  void dedent();

  /// One more level for as long as the value lives.
  class [[nodiscard]] Indented {
   public:
    explicit Indented(TextWriter& writer) : writer_(writer) { writer_.indent(); }
    ~Indented() { writer_.dedent(); }
    Indented(const Indented&) = delete;
    Indented& operator=(const Indented&) = delete;

   private:
    TextWriter& writer_;
  };
  Indented indented() { return Indented(*this); }

  /// Column of the next character on the current line, from 0, counted in bytes.
  size_t column() const;
  const std::string& text() const { return text_; }
  /// Hands the text over and leaves the writer empty, at level 0.
  std::string take();

 private:
  TextWriter& write_formatted(fmt::string_view format, fmt::format_args args);
  void write_line_part(std::string_view part);

  std::string text_;
  fmt::memory_buffer scratch_;
  int indent_width_;
  int depth_ = 0;
};

}  // namespace tenon
