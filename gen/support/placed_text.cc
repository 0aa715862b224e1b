// Finds where each byte of a scalar's value is in the raw text: through indentation, folding, quotes and escapes.
#include <algorithm>
#include <numeric>

#include "support/yaml_document.h"

namespace tenon {

namespace {

/// Walks the raw text of one scalar along its value.
class Aligner {
 public:
  Aligner(const std::string& raw, std::size_t at, const std::string& value) : raw_(raw), at_(at), value_(value) {}

  std::vector<std::uint32_t> run() {
    offsets_.reserve(value_.size() + 1);
    const char first = at_ < raw_.size() ? raw_[at_] : '\0';
    quote_ = first == '"' || first == '\'' ? first : '\0';
    if (quote_ != '\0') ++at_;
    if (first == '|' || first == '>') skip_header();
    while (offsets_.size() < value_.size()) step();
    offsets_.push_back(static_cast<std::uint32_t>(std::min(at_ + (quote_ != '\0' ? 1 : 0), raw_.size())));
    return std::move(offsets_);
  }

 private:
  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  void place(std::size_t bytes) {
    for (std::size_t i = 0; i < bytes && offsets_.size() < value_.size(); ++i)
      offsets_.push_back(static_cast<std::uint32_t>(std::min(at_, raw_.size())));
  }

  /// `|-  # comment` up to the first line of the text.
  void skip_header() { at_ = std::min(raw_.find('\n', at_), raw_.size() - 1) + 1; }

  void step() {
    const char wanted = value_[offsets_.size()];
    if (at_ >= raw_.size()) return place(value_.size() - offsets_.size());
    const char here = raw_[at_];
    if (quote_ == '"' && here == '\\') return escape();
    if (quote_ == '\'' && here == '\'') {  // '' is an escaped quote
      place(1);
      at_ += 2;
      return;
    }
    if (here == wanted) {
      place(1);
      ++at_;
    } else if (blank(wanted)) {
      place(1);  // a folded line end: the value has one blank for a run of them
      if (here == '\n') ++at_;
      else if (here == '\r') at_ += 2;
    } else {
      ++at_;  // indentation, or text removed by folding
    }
  }

  /// Bytes that `\x`, `\xNN`, `\uNNNN`, `\UNNNNNNNN` put into the value.
  void escape() {
    const char kind = at_ + 1 < raw_.size() ? raw_[at_ + 1] : '\0';
    const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    if (kind == '\n' || kind == '\r') {  // an escaped line break is removed
      at_ += kind == '\r' ? 3 : 2;
      while (at_ < raw_.size() && (raw_[at_] == ' ' || raw_[at_] == '\t')) ++at_;
      return;
    }
    place(digits == 0 && kind != 'N' && kind != '_' && kind != 'L' && kind != 'P' ? 1 : value_length());
    at_ += 2 + digits;
  }

  /// Bytes of the value's code point here.
  std::size_t value_length() const {
    const auto first = static_cast<unsigned char>(value_[offsets_.size()]);
    return first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  }

  const std::string& raw_;
  std::size_t at_;
  const std::string& value_;
  char quote_ = '\0';
  std::vector<std::uint32_t> offsets_;
};

}  // namespace

SourceSpan PlacedText::span(std::size_t begin, std::size_t end) const {
  if (!file || offsets.empty()) return {};
  const std::size_t last = offsets.size() - 1;
  const std::size_t from = offsets[std::min(begin, last)];
  if (end <= begin) return {file, from, from};
  return {file, from, std::max<std::size_t>(from, offsets[std::min(end - 1, last)] + 1u)};
}

/// Whether the value is in the file byte for byte. Such a value never begins with `|` or a quote.
static bool is_as_written(const YamlNode& scalar) {
  const std::string& raw = scalar.span.file->text();
  return !scalar.quoted && raw.compare(scalar.span.begin, scalar.text.size(), scalar.text) == 0;
}

std::size_t end_of_scalar(const YamlNode& scalar) {
  if (is_as_written(scalar)) return scalar.span.begin + scalar.text.size();
  return Aligner(scalar.span.file->text(), scalar.span.begin, scalar.text).run().back();
}

PlacedText placed_text(const YamlNode& scalar) {
  PlacedText placed{scalar.text, scalar.offsets, scalar.span.file};
  if (!placed.offsets.empty()) return placed;
  if (!placed.file) {
    placed.offsets.assign(placed.text.size() + 1, 0);
    return placed;
  }
  if (is_as_written(scalar)) {
    placed.offsets.resize(placed.text.size() + 1);
    std::iota(placed.offsets.begin(), placed.offsets.end(), static_cast<std::uint32_t>(scalar.span.begin));
  } else {
    placed.offsets = Aligner(placed.file->text(), scalar.span.begin, placed.text).run();
  }
  return placed;
}

}  // namespace tenon
