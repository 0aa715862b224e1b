// A place in a text of lines, for the reader of plain YAML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon {

/// Thrown through the reader, and caught in read_plain_yaml: the YAML library has to look at this text.
struct NotPlain {};

/// Behind the end of the text come line ends for ever.
class PlainCursor {
 protected:
  /// `text` ends with a line end, so that a look at the next character is safe before the last one.
  explicit PlainCursor(const std::string& text) : text_(text) {}

  static bool is_blank(char c) { return c == ' ' || c == '\n'; }
  static bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

  char here() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  char after() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\n'; }
  int column() const { return static_cast<int>(at_ - line_); }
  void require(bool fits) const {
    if (!fits) throw NotPlain();
  }
  void skip_spaces() {
    while (here() == ' ') ++at_;
  }
  void new_line() { line_ = ++at_; }
  void skip_line() {
    at_ = text_.find('\n', at_);
    new_line();
  }

  /// From the beginning of a line to the next one with content, whose column it returns; -1 at the end of the text.
  int next_line() {
    while (at_ < text_.size()) {
      skip_spaces();
      if (here() != '\n' && here() != '#') return column();
      skip_line();
    }
    return -1;
  }

  /// Whether nothing follows in this line but a comment, which has a blank in front.
  bool is_line_done() {
    const std::size_t end = at_;
    skip_spaces();
    return here() == '\n' || (here() == '#' && at_ > end);
  }

  int finish_line() {
    require(is_line_done());
    skip_line();
    return next_line();
  }

  bool begins_plain(std::string_view with_text) const {
    return !is_blank(here()) && !is_one_of(here(), ",[]{}#&*!|>'\"%@`") &&
           !(is_one_of(here(), with_text) && is_blank(after()));
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;  ///< where the line of `at_` begins
};

}  // namespace tenon
