// A recursive descent over lines and columns, which gives up at the first thing that it is not sure of.
#include "support/plain_yaml.h"

#include <algorithm>
#include <string_view>

#include "support/plain_cursor.h"

namespace tenon {

namespace {

constexpr std::size_t kLongestKey = 1000;  ///< the library does not look further for the ':'

bool is_null_word(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

class PlainReader : PlainCursor {
 public:
  PlainReader(const std::string& text, YamlTree& tree) : PlainCursor(text), tree_(tree) {}

  void read() {
    if (next_line() < 0) throw NotPlain();  // nothing but comments
    tree_.start_document(at_);
    block_node(-1);
    if (at_ < text_.size()) throw NotPlain();
  }

 private:
  /// The node at this place; `parent` is the column of the collection around it.
  void block_node(int parent) {
    const int own = column();
    if (here() == '-' && is_blank(after())) {
      sequence(own);
    } else if (key_length() > 0) {
      map(own);
    } else {
      value(parent);
    }
  }

  void map(int own) {
    tree_.open(at_, "?", 0, YamlKind::map);
    for (int next = own; next == own;) {
      key();
      if (!is_line_done()) {
        require(key_length() == 0);
        next = value(own);
      } else {
        skip_line();
        const int below = next_line();
        require(below > own || (below == own && here() == '-' && is_blank(after())));
        block_node(own);
        next = at_ < text_.size() ? column() : -1;
      }
      require(next <= own && (next < own || key_length() > 0));
    }
    tree_.close();
  }

  void sequence(int own) {
    tree_.open(at_, "?", 0, YamlKind::sequence);
    for (int next = own; next == own && here() == '-' && is_blank(after());) {
      ++at_;
      if (is_line_done()) {
        skip_line();
        require(next_line() > own);
      }
      block_node(own);
      next = at_ < text_.size() ? column() : -1;
      require(next <= own);
    }
    tree_.close();
  }

  /// The length of a key of one line with a colon and a blank behind it; 0 where there is none.
  std::size_t key_length() const {
    const char quote = here() == '"' || here() == '\'' ? here() : '\0';
    std::size_t end = at_ + 1;
    if (quote) {
      while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
      if (end >= text_.size() || text_[end] != quote) return 0;
      const std::size_t colon = text_.find_first_not_of(' ', end + 1);
      return text_[colon] == ':' && is_blank(text_[colon + 1]) ? end + 1 - at_ : 0;
    }
    if (here() == '[' || here() == '{') return 0;
    for (end = at_; text_[end] != '\n'; ++end) {
      if (text_[end] == '#' && end > at_ && text_[end - 1] == ' ') return 0;
      if (text_[end] != ':' || !is_blank(text_[end + 1])) continue;
      while (end > at_ && text_[end - 1] == ' ') --end;
      return end - at_;
    }
    return 0;
  }

  /// A key and the colon behind it.
  void key() {
    const std::size_t length = key_length(), begin = at_;
    require(length > 0 && length <= kLongestKey);
    if (here() == '"' || here() == '\'') {
      quoted();
      require(at_ == begin + length);
    } else {
      require(begins_plain("-?:"));
      const std::string text = text_.substr(at_, length);
      require(!is_null_word(text));
      tree_.scalar(begin, "?", 0, text);
      at_ += length;
    }
    skip_spaces();
    ++at_;
  }

  /// What begins in the middle of a line, up to the next line with content, whose column it returns.
  int value(int parent) {
    const char first = here();
    if (first == '|' || first == '>') return block_scalar(parent);
    if (first == '"' || first == '\'') quoted();
    else if (first == '{') flow_map();
    else if (first == '[') flow_sequence();
    else return plain_lines(parent);
    return finish_line();
  }

  void scalar_or_null(std::size_t begin, const std::string& text) {
    if (is_null_word(text)) tree_.null(begin, 0);
    else tree_.scalar(begin, "?", 0, text);
  }

  /// The end of plain text in this line, without blanks and a comment behind it.
  std::size_t end_of_plain_line() {
    std::size_t end = at_;
    for (; text_[end] != '\n'; ++end) {
      require(text_[end] != ':' || !is_blank(text_[end + 1]));
      if (text_[end] == '#' && text_[end - 1] == ' ') break;
    }
    while (text_[end - 1] == ' ') --end;
    return end;
  }

  /// Plain text, with lines that are further in than the collection around it. A comment ends it.
  int plain_lines(int parent) {
    require(begins_plain("-?:"));
    const std::size_t begin = at_;
    std::string out;
    for (bool more = true; more;) {
      const std::size_t end = end_of_plain_line();
      out.append(text_, at_, end - at_);
      at_ = text_.find_first_not_of(' ', end);
      more = here() == '\n' && goes_on(parent);
      if (more) out += ' ';
    }
    if (here() == '#') skip_line();
    const int next = next_line();
    require(next <= parent);
    scalar_or_null(begin, out);
    return next;
  }

  /// Whether the next line belongs to the plain text of this one. The library takes comments that are further in than
  /// `parent` for text.
  bool goes_on(int parent) {
    new_line();
    skip_spaces();
    if (at_ == text_.size() || column() <= parent) return false;
    if (here() != '\n' && here() != '#') return true;
    for (std::size_t line = line_; line < text_.size(); line = text_.find('\n', line) + 1) {
      const std::size_t first = text_.find_first_not_of(' ', line);
      if (first == std::string::npos || text_[first] == '\n') continue;
      require(static_cast<int>(first - line) <= parent);
      if (text_[first] != '#') break;
    }
    return false;
  }

  /// `|`, `|-`, `>` or `>-` and the lines below it.
  int block_scalar(int parent) {
    const std::size_t begin = at_;
    const bool folded = here() == '>';
    ++at_;
    const bool strip = here() == '-';
    if (strip) ++at_;
    skip_spaces();
    require(here() == '\n' || (here() == '#' && text_[at_ - 1] == ' '));
    skip_line();
    skip_spaces();
    const int own = column();
    require(at_ < text_.size() && here() != '\n' && own > std::max(parent, 0));
    std::string out;
    std::size_t empty = 0;  // lines since the last one with text
    while (at_ < text_.size()) {
      while (here() == ' ' && column() < own) ++at_;
      if (here() == '\n') {
        ++empty;
        new_line();
        continue;
      }
      if (column() < own) break;
      require(!folded || (here() != ' ' && empty == 0));
      if (!out.empty()) out.append(folded ? 1 : empty + 1, folded ? ' ' : '\n');
      empty = 0;
      const std::size_t end = text_.find('\n', at_);
      require(!folded || text_[end - 1] != ' ');
      require(text_.find_first_not_of(' ', at_) < end);  // blanks only
      out.append(text_, at_, end - at_);
      at_ = end;
      new_line();
    }
    at_ = line_;
    if (!strip) out += '\n';
    tree_.scalar(begin, "!", 0, out);
    return next_line();
  }

  /// Text in quotes; where it goes on in the next line, the line end and the blanks there are one blank.
  void quoted() {
    const std::size_t begin = at_;
    const char quote = here();
    std::string out;
    for (++at_; here() != quote || (quote == '\'' && after() == quote); ++at_) {
      require(at_ < text_.size());
      if (here() == '\'' && quote == '\'') ++at_;
      if (here() == '\\' && quote == '"') {
        ++at_;
        require(here() == '"' || here() == '\\' || here() == 'n');
        out += here() == 'n' ? '\n' : here();
      } else if (here() == '\n') {
        fold_line(out);
        require(at_ < text_.size() && here() != quote);
        --at_;
      } else {
        out += here();
      }
    }
    ++at_;
    tree_.scalar(begin, "!", 0, out);
  }

  /// From a line end to the text of the next line.
  void fold_line(std::string& out) {
    require(!out.empty() && !is_blank(text_[at_ - 1]));
    new_line();
    skip_spaces();
    require(here() != '\n' && column() > 0);
    out += ' ';
  }

  /// Between the parts of a flow collection.
  void skip_flow() {
    for (;;) {
      skip_spaces();
      if (here() == '#') {
        require(is_blank(text_[at_ - 1]));
        at_ = text_.find('\n', at_);
      }
      if (here() != '\n') return;
      require(at_ < text_.size());
      new_line();
      require(here() == ' ');
    }
  }

  void flow_map() {
    tree_.open(at_, "?", 0, YamlKind::map);
    ++at_;
    skip_flow();
    while (here() != '}') {
      flow_key();
      skip_flow();
      if (here() == ',' || here() == '}') tree_.null(at_, 0);  // left out
      else flow_value();
      next_part('}');
    }
    ++at_;
    tree_.close();
  }

  void flow_sequence() {
    tree_.open(at_, "?", 0, YamlKind::sequence);
    ++at_;
    skip_flow();
    while (here() != ']') {
      flow_value();
      next_part(']');
    }
    ++at_;
    tree_.close();
  }

  /// A comma with something behind it, or the end.
  void next_part(char end) {
    skip_flow();
    require(here() == ',' || here() == end);
    if (here() == end) return;
    ++at_;
    skip_flow();
    require(here() != end);
  }

  void flow_key() {
    const std::size_t begin = at_;
    if (here() == '"' || here() == '\'') {
      quoted();
      require(line_ <= begin);
    } else {
      require(begins_plain("-?:"));
      while (!ends_flow_text()) ++at_;
      std::size_t end = at_;
      while (end > begin && text_[end - 1] == ' ') --end;
      const std::string text = text_.substr(begin, end - begin);
      require(!is_null_word(text));
      tree_.scalar(begin, "?", 0, text);
    }
    require(at_ - begin <= kLongestKey);
    skip_spaces();
    require(here() == ':' && is_blank(after()));
    ++at_;
  }

  void flow_value() {
    const char first = here();
    if (first == '"' || first == '\'') quoted();
    else if (first == '{') flow_map();
    else if (first == '[') flow_sequence();
    else flow_text();
  }

  bool ends_flow_text() const {
    require(here() != '#' || text_[at_ - 1] != ' ');
    return is_one_of(here(), ",?[]{}\n") || (here() == ':' && (is_blank(after()) || is_one_of(after(), ",]}")));
  }

  void flow_text() {
    require(begins_plain("-?:"));
    const std::size_t begin = at_;
    std::string out;
    for (;;) {
      const std::size_t from = at_;
      while (!ends_flow_text()) ++at_;
      std::size_t end = at_;
      while (end > from && text_[end - 1] == ' ') --end;
      out.append(text_, from, end - from);
      if (here() != '\n') break;
      new_line();
      skip_spaces();
      require(at_ < text_.size() && column() > 0 && here() != '\n' && here() != '#');
      if (is_one_of(here(), ",]}")) break;
      out += ' ';
    }
    require(is_one_of(here(), ",]}"));
    scalar_or_null(begin, out);
  }

  YamlTree& tree_;
};

/// Several documents, directives, tabs and line ends of two characters are for the library.
bool may_be_plain(const std::string& text) {
  return !text.empty() && text.back() == '\n' && text.find('\t') == std::string::npos &&
         text.find('\r') == std::string::npos && text.find("\n---") == std::string::npos &&
         text.find("\n...") == std::string::npos && !text.starts_with("---") && !text.starts_with("...") &&
         !text.starts_with("\xEF\xBB\xBF");
}

}  // namespace

bool read_plain_yaml(const std::string& text, YamlTree& tree) {
  if (!may_be_plain(text)) return false;
  try {
    PlainReader(text, tree).read();
  } catch (const NotPlain&) {
    return false;
  }
  return true;
}

}  // namespace tenon
