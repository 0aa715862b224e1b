// Breaks long lines of C.
#include "support/long_lines.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace tenon {
namespace {

/// Whether a text begins or ends here; the character constant '"' is none.
bool is_quote(std::string_view line, size_t i) {
  if (line[i] != '"' || (i > 0 && line[i - 1] == '\\')) return false;
  return i == 0 || line[i - 1] != '\'' || !line.substr(i + 1).starts_with('\'');
}

/// The blank between `from` and `to` with the least nesting, preferring one after a comma, then the last; npos if there
/// is none.
size_t blank_between(std::string_view line, size_t from, size_t to) {
  size_t best = std::string_view::npos;
  int depth = 0, best_cost = 1 << 20;
  bool quoted = false;
  for (size_t i = 0; i < line.size() && i < to; ++i) {
    const char c = line[i];
    if (is_quote(line, i)) quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c != ' ' || i < from || i == 0) continue;
    const int cost = 2 * depth + (line[i - 1] == ',' || line[i - 1] == ';' ? 0 : 1);
    if (cost <= best_cost) best = i, best_cost = cost;
  }
  return best;
}

/// The first blank from `from` on that is not within a text; npos for none.
size_t blank_beyond(std::string_view line, size_t from) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (is_quote(line, i)) quoted = !quoted;
    if (line[i] == ' ' && !quoted && i >= from) return i;
  }
  return std::string_view::npos;
}

/// Whether the parenthesis of a call or of a function opens here.
bool is_call(std::string_view line, size_t i) {
  return i > 0 && line[i] == '(' && std::isalnum(static_cast<unsigned char>(line[i - 1])) != 0;
}

/// Behind the last call's parenthesis between `from` and `to`; npos for none.
size_t call_between(std::string_view line, size_t from, size_t to) {
  size_t last = std::string_view::npos;
  bool quoted = false;
  for (size_t i = 0; i < line.size() && i + 1 < to; ++i) {
    if (is_quote(line, i)) quoted = !quoted;
    if (is_call(line, i) && !quoted && i + 1 >= from && line.substr(i + 1, 1) != ")") last = i + 1;
  }
  return last;
}

/// Behind the parenthesis of the call or of the function whose arguments the blank at `place` parts, unless a comma is
/// in front of the blank; npos for none.
size_t call_around(std::string_view line, size_t place) {
  if (line[place - 1] == ',' || line[place - 1] == ';') return std::string_view::npos;
  int depth = 0;
  for (size_t i = place; i-- > 1;) {
    if (line[i] == '"') return std::string_view::npos;
    if (line[i] == ')' || line[i] == ']' || line[i] == '}') ++depth;
    const bool opens = line[i] == '(' || line[i] == '[' || line[i] == '{';
    if (opens && depth-- == 0) return is_call(line, i) ? i + 1 : std::string_view::npos;
    if (line[i] == ',' && depth == 0) return std::string_view::npos;
  }
  return std::string_view::npos;
}

/// Where a line that is too long breaks, and where it goes on.
struct Break {
  size_t end, next;
};

/// At a blank in its second half, otherwise in its first, otherwise after the parenthesis of a call, otherwise at the
/// first blank beyond the margin. The first argument of a call is moved to the next line rather than split.
std::optional<Break> break_of(std::string_view line, size_t indent) {
  const auto at_blank = [&](size_t i) {
    const size_t call = call_around(line, i);
    return call != std::string_view::npos && call >= kCodeColumns / 2 ? Break{call, call} : Break{i, i + 1};
  };
  const size_t late = blank_between(line, kCodeColumns / 2, kCodeColumns);
  if (late != std::string_view::npos) return at_blank(late);
  const size_t early = blank_between(line, indent + 8, kCodeColumns / 2);
  if (early != std::string_view::npos && line.substr(0, early).find_first_not_of(' ') + 4 < early)
    return Break{early, early + 1};
  const size_t call = call_between(line, indent + 16, kCodeColumns);
  if (call != std::string_view::npos) return Break{call, call};
  const size_t beyond = blank_beyond(line, kCodeColumns);
  return beyond == std::string_view::npos ? std::nullopt : std::optional(Break{beyond, beyond + 1});
}

/// Whether a comment is open, place after place: the text is looked at once.
class CommentsOf {
 public:
  explicit CommentsOf(std::string_view text) : text_(text) {}

  bool open_at(size_t place) {
    for (size_t next; (next = text_.substr(0, place).find(open_ ? "*/" : "/*", seen_)) != std::string_view::npos;
         seen_ = next + 2)
      open_ = !open_;
    seen_ = std::max(seen_, place);
    return open_;
  }

 private:
  std::string_view text_;
  size_t seen_ = 0;
  bool open_ = false;
};

/// The prefix of a continued comment line: its leading blanks and star.
std::string comment_margin(std::string_view line) {
  const size_t text = std::min(line.find_first_not_of(" *"), line.size());
  if (line.substr(text).starts_with("/**")) return std::string(text, ' ') + " * ";
  if (line.substr(text).starts_with("/*")) return std::string(text, ' ') + "   ";
  return std::string(line.substr(0, text));
}

void append_comment_line(std::string& out, std::string line) {
  const std::string margin = comment_margin(line);
  while (line.size() > kCodeColumns) {
    const size_t at = line.rfind(' ', kCodeColumns);
    if (at == std::string::npos || at <= margin.size()) break;
    out.append(line, 0, at);
    out += '\n';
    line.replace(0, at + 1, margin);
  }
  out += line;
  out += '\n';
}

}  // namespace

void append_broken_line(std::string& out, std::string line, size_t indent) {
  while (line.size() > kCodeColumns) {
    const std::optional<Break> at = break_of(line, indent);
    if (!at) break;
    out.append(line, 0, at->end);
    out += '\n';
    std::string rest(indent + 4, ' ');
    rest.append(line, at->next);
    if (rest.size() >= line.size()) {
      line = std::move(rest);
      break;
    }
    line = std::move(rest);
  }
  out += line;
  out += '\n';
}

std::string with_broken_lines(std::string text) {
  std::string out;
  size_t done = 0;  // of `text`, in `out`
  CommentsOf comments(text);
  for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    if (end - begin <= kCodeColumns) continue;
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    const size_t indent = line.find_first_not_of(' ');
    const bool continued = begin >= 2 && text[begin - 2] == '\\';
    if (line.substr(indent).starts_with('#') || line.ends_with('\\') || continued) continue;
    out.append(text, done, begin - done);
    if (line.substr(indent).starts_with("/*") || comments.open_at(begin)) append_comment_line(out, std::string(line));
    else append_broken_line(out, std::string(line), indent);
    done = end + 1;
  }
  if (done == 0) return text;
  if (done < text.size()) out.append(text, done);
  return out;
}

std::string broken_if_code(const std::string& name, std::string text) {
  return name.ends_with(".c.in") || name.ends_with(".h.in") ? with_broken_lines(std::move(text)) : text;
}

}  // namespace tenon
