// The events of LibYAML as a tree of nodes; its errors become diagnostics.
#include "support/yaml_document.h"

#include <fmt/format.h>
#include <yaml.h>

#include <array>
#include <string_view>
#include <utility>

#include "support/parallel.h"
#include "support/quoted.h"
#include "support/ranges.h"
#include "support/yaml_tree.h"

namespace tenon {

namespace {

constexpr std::array<std::string_view, 4> kCurlyQuotes = {"\u201c", "\u201d", "\u2018", "\u2019"};

/// Rejects text that is not UTF-8, and control characters (the YAML library reads one of them as the end of file).
bool clean_text(const SourceFileRef& file, Diagnostics& diagnostics) {
  const std::size_t bad = first_invalid_utf8(file->text());
  if (bad < file->text().size()) {
    diagnostics.error(Code::E0102, {file, bad, bad + 1}, "this byte is not part of UTF-8 text",
                      {"save the file as UTF-8"});
    return false;
  }
  const auto is_control = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
  };
  const auto control = find_if(file->text(), is_control);
  if (control == file->text().end()) return true;
  const auto at = static_cast<std::size_t>(control - file->text().begin());
  diagnostics.error(Code::E0111, {file, at, at + 1},
                    fmt::format("the control character 0x{:02x}", static_cast<unsigned>(*control)), {"remove it"});
  return false;
}

/// Offsets of LibYAML's marks, which count characters, in bytes. Marks are asked for in the order of the text.
class ByteOffsets {
 public:
  explicit ByteOffsets(const std::string& text) : text_(text) {}

  std::size_t of(const yaml_mark_t& mark) {
    if (mark.index < character_) byte_ = character_ = 0;
    for (; character_ < mark.index && byte_ < text_.size(); ++character_) do
        ++byte_;
      while (byte_ < text_.size() && (text_[byte_] & 0xC0) == 0x80);
    return byte_;
  }

 private:
  const std::string& text_;
  std::size_t character_ = 0, byte_ = 0;
};

bool is_null_word(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

std::string text_of(const yaml_char_t* text) { return text ? reinterpret_cast<const char*>(text) : ""; }

class YamlReader {
 public:
  YamlReader(const SourceFileRef& file, YamlTree& tree, Diagnostics& diagnostics)
      : file_(file), text_(file->text()), tree_(tree), diagnostics_(diagnostics), offsets_(text_) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text_.data()), text_.size());
  }
  ~YamlReader() { yaml_parser_delete(&parser_); }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

  void read() {
    for (;;) {
      yaml_event_t event;
      if (yaml_parser_parse(&parser_, &event) == 0) return report();
      const Owner owner{event};
      if (event.type == YAML_STREAM_END_EVENT) return;
      take(event);
    }
  }

 private:
  struct Owner {
    yaml_event_t& event;
    ~Owner() { yaml_event_delete(&event); }
  };

  void take(const yaml_event_t& event) {
    const std::size_t at = offsets_.of(event.start_mark);
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT: return tree_.start_document();
      case YAML_ALIAS_EVENT: return tree_.alias(at, text_of(event.data.alias.anchor));
      case YAML_SEQUENCE_START_EVENT: return open(at, event.data.sequence_start, YamlKind::sequence);
      case YAML_MAPPING_START_EVENT: return open(at, event.data.mapping_start, YamlKind::map);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: return tree_.close();
      case YAML_SCALAR_EVENT: return scalar(at, event.data.scalar);
      default: return;
    }
  }

  template <typename Start>
  void open(std::size_t at, const Start& start, YamlKind kind) {
    tree_.open(at, text_of(start.tag), text_of(start.anchor), kind);
  }

  template <typename Scalar>
  void scalar(std::size_t at, const Scalar& s) {
    const std::string value(reinterpret_cast<const char*>(s.value), s.length);
    const bool plain = s.style == YAML_PLAIN_SCALAR_STYLE;
    if (plain && s.tag == nullptr && is_null_word(value)) tree_.null(at, text_of(s.anchor));
    else tree_.scalar(at, text_of(s.tag), text_of(s.anchor), !plain, value);
  }

  void report() {
    const std::string_view problem = parser_.problem ? parser_.problem : "",
                           context = parser_.context ? parser_.context : "";
    if (context == "while scanning a quoted scalar" && problem == "found unexpected end of stream") {
      const std::size_t quote = offsets_.of(parser_.context_mark);
      return diagnostics_.error(Code::E0101, {file_, quote, quote + 1},
                                "this is not YAML: the quote that is opened here is not closed",
                                {"close it at the end of the text"});
    }
    const bool unreadable = parser_.error == YAML_READER_ERROR;         // a character that YAML does not allow
    const bool lacks_colon = problem == "could not find expected ':'";  // after the key that the context is
    const std::size_t at = std::min(
        unreadable ? parser_.problem_offset : offsets_.of(lacks_colon ? parser_.context_mark : parser_.problem_mark),
        text_.size());
    const std::size_t line = text_.rfind('\n', at == 0 ? 0 : at - 1) + 1, first = text_.find_first_not_of(" \t", line);
    const bool tab = first >= at && text_.substr(line, first - line).find('\t') != std::string::npos;
    const std::string_view written = std::string_view(text_).substr(line, text_.find('\n', line) - line);
    const bool curly = any_of(kCurlyQuotes, [&](std::string_view q) { return written.find(q) != std::string::npos; });
    diagnostics_.error(Code::E0101, {file_, at, at + 1}, fmt::format("this is not YAML: {}", problem),
                       {curly ? "quotes are \" or ', not curly ones"
                        : tab ? "YAML is indented with spaces, not with tabs"
                        : context.find("flow") != std::string::npos
                            ? "inside {…} and […], text that holds brackets, commas or ': ' needs quotes"
                        : problem.find("mapping values") != std::string::npos
                            ? "text that holds ': ' needs quotes, and a map in one line has braces, {key: value}"
                            : "check indentation, quotes and brackets around this place"});
  }

  const SourceFileRef& file_;
  const std::string& text_;
  YamlTree& tree_;
  Diagnostics& diagnostics_;
  ByteOffsets offsets_;
  yaml_parser_t parser_;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const YamlEntry& entry : entries) {
    if (entry.key.text == key) return &entry.value;
  }
  return nullptr;
}

Result<std::vector<YamlNode>> read_yaml(const SourceFileRef& file) {
  Diagnostics diagnostics;
  if (!clean_text(file, diagnostics)) return diagnostics;
  YamlTree tree(file, diagnostics);
  try {
    YamlReader(file, tree, diagnostics).read();
  } catch (const YamlLimitPassed&) {
  }
  if (diagnostics.has_errors()) return diagnostics;
  return std::move(tree.documents);
}

std::vector<Result<std::vector<YamlNode>>> read_yaml(const std::vector<SourceFileRef>& files) {
  std::vector<Result<std::vector<YamlNode>>> out(files.size(), Diagnostics());
  for_each_index(files.size(), [&](std::size_t i) { out[i] = read_yaml(files[i]); });
  return out;
}

}  // namespace tenon
