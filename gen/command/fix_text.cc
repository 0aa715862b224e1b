// Reads the text of --fix from left to right; an entry with an error is skipped.
#include "command/fix_text.h"

#include <fmt/format.h>

#include <cctype>

#include "support/joined.h"

namespace tenon {
namespace {

const char* const kForm = "an entry is an op, a colon and what is fixed: gemm: M=64 N=64 K=64";

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class FixReader {
 public:
  explicit FixReader(SourceFileRef file) : file_(std::move(file)), text_(file_->text()) {}

  Result<std::vector<FixEntry>> run() {
    for (skip_space(); at_ < text_.size(); skip_space()) {
      if (text_[at_] == ';') ++at_;
      else if (auto entry = read_entry()) entries_.push_back(*std::move(entry));
      else
        while (at_ < text_.size() && text_[at_] != ';') ++at_;
    }
    if (entries_.empty() && !diagnostics_.has_errors())
      diagnostics_.error(Code::E0901, span(0, text_.size()), "--fix says nothing", {kForm});
    if (diagnostics_.has_errors()) return diagnostics_;
    return std::move(entries_);
  }

 private:
  std::optional<FixEntry> read_entry() {
    FixEntry out;
    if (!read_name(out.op, "the name of an op")) return std::nullopt;
    skip_space();
    if (!take(':', fmt::format("a colon after the op '{}'", out.op.text))) return std::nullopt;
    for (skip_space(); at_ < text_.size() && text_[at_] != ';'; skip_space()) {
      FixBinding one;
      if (!read_binding(one)) return std::nullopt;
      out.bindings.push_back(std::move(one));
    }
    if (!out.bindings.empty()) return out;
    diagnostics_.error(Code::E0901, out.op.span, fmt::format("the entry of '{}' fixes nothing", out.op.text), {kForm});
    return std::nullopt;
  }

  bool read_binding(FixBinding& out) {
    if (!read_name(out.name, "a size or an attribute")) return false;
    skip_space();
    if (!take('=', fmt::format("= and a value after '{}'", out.name.text))) return false;
    do {
      skip_space();
      Word item;
      if (!read_item(item)) return false;
      out.items.push_back(std::move(item));
    } while (at_ < text_.size() && text_[at_] == 'x' && ++at_);
    const bool ends = at_ == text_.size() || text_[at_] == ';' || text_[at_] == ',' || is_space(text_[at_]);
    return ends || expected("a space after the value");
  }

  bool read_name(Word& out, const std::string& what) {
    const size_t begin = at_;
    if (at_ == text_.size() || !is_letter(text_[at_])) return expected(what);
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    out = word(begin);
    return true;
  }

  /// A number, which an x may follow, or a word.
  bool read_item(Word& out) {
    const size_t begin = at_;
    if (at_ < text_.size() && is_letter(text_[at_])) return read_name(out, "a value");
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
    const size_t digits = at_;
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.' || is_exponent())) ++at_;
    if (at_ == digits) return expected("a value");
    out = word(begin);
    return true;
  }

  /// The exponent of 1e-6, and its sign.
  bool is_exponent() const {
    const auto has_exponent_mark = [&](size_t i) { return text_[i] == 'e' || text_[i] == 'E'; };
    if (has_exponent_mark(at_)) return true;
    return (text_[at_] == '-' || text_[at_] == '+') && has_exponent_mark(at_ - 1);
  }

  bool take(char c, const std::string& what) {
    if (at_ == text_.size() || text_[at_] != c) return expected(what);
    ++at_;
    return true;
  }

  bool expected(const std::string& what) {
    const bool ends = at_ == text_.size();
    diagnostics_.error(Code::E0901, span(at_, at_ + (ends ? 0 : 1)),
                       fmt::format("{} is expected{}", what, ends ? " where the text ends" : ""), {kForm});
    return false;
  }

  static bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
  void skip_space() {
    while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == ',')) ++at_;
  }
  SourceSpan span(size_t begin, size_t end) const { return {file_, begin, end}; }
  Word word(size_t begin) const { return {text_.substr(begin, at_ - begin), span(begin, at_)}; }

  SourceFileRef file_;
  const std::string& text_;
  size_t at_ = 0;
  std::vector<FixEntry> entries_;
  Diagnostics diagnostics_;
};

}  // namespace

Result<std::vector<FixEntry>> parse_fix(const SourceFileRef& text) { return FixReader(text).run(); }

std::string to_text(const FixBinding& binding) {
  return binding.name.text + "=" + joined(binding.items, "x", &Word::text);
}

std::string to_text(const FixEntry& entry) {
  return joined(entry.bindings, " ", [](const FixBinding& b) { return to_text(b); });
}

}  // namespace tenon
