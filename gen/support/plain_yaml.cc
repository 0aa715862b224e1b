// Events of LibYAML, as calls of a YamlTree.
#include "support/plain_yaml.h"

#include <yaml.h>

#include <string_view>

namespace tenon {

namespace {

bool is_null_word(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

/// Whether the text has characters or lines that YAML 1.1, which LibYAML reads, and YAML 1.2 treat differently.
bool depends_on_version(const std::string& text) {
  if (text.empty() || text.back() != '\n' || text.compare(0, 3, "\xEF\xBB\xBF") == 0) return true;
  for (const char* sign : {"\t", "\r", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9", "\n%", "\n---", "\n..."})
    if (text.find(sign) != std::string::npos) return true;
  return text[0] == '%' || text.compare(0, 3, "---") == 0 || text.compare(0, 3, "...") == 0;
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

class PlainYaml {
 public:
  PlainYaml(const std::string& text, YamlTree& tree) : tree_(tree), offsets_(text) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  ~PlainYaml() { yaml_parser_delete(&parser_); }
  PlainYaml(const PlainYaml&) = delete;
  PlainYaml& operator=(const PlainYaml&) = delete;

  bool read() {
    for (;;) {
      yaml_event_t event;
      if (yaml_parser_parse(&parser_, &event) == 0) return false;
      const Owner owner{event};
      if (event.type == YAML_STREAM_END_EVENT) return documents_ == 1;
      if (!take(event)) return false;
    }
  }

 private:
  struct Owner {
    yaml_event_t& event;
    ~Owner() { yaml_event_delete(&event); }
  };

  bool take(const yaml_event_t& event) {
    const std::size_t at = offsets_.of(event.start_mark);
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT: tree_.start_document(at); return event.data.document_start.implicit != 0;
      case YAML_DOCUMENT_END_EVENT: ++documents_; return true;
      case YAML_SEQUENCE_START_EVENT: {
        const auto& start = event.data.sequence_start;
        tree_.open(at, "?", 0, YamlKind::sequence);
        return start.anchor == nullptr && start.tag == nullptr;
      }
      case YAML_MAPPING_START_EVENT: {
        const auto& start = event.data.mapping_start;
        tree_.open(at, "?", 0, YamlKind::map);
        return start.anchor == nullptr && start.tag == nullptr;
      }
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: tree_.close(); return true;
      case YAML_SCALAR_EVENT: return scalar(at, event.data.scalar);
      case YAML_STREAM_START_EVENT: return true;
      default: return false;
    }
  }

  template <typename Scalar>
  bool scalar(std::size_t at, const Scalar& s) {
    if (s.anchor != nullptr || s.tag != nullptr) return false;
    const std::string value(reinterpret_cast<const char*>(s.value), s.length);
    const bool plain = s.style == YAML_PLAIN_SCALAR_STYLE;
    if (plain && is_null_word(value)) tree_.null(at, 0);
    else tree_.scalar(at, plain ? "?" : "!", 0, value);
    return true;
  }

  YamlTree& tree_;
  ByteOffsets offsets_;
  yaml_parser_t parser_;
  int documents_ = 0;
};

}  // namespace

bool read_plain_yaml(const std::string& text, YamlTree& tree) {
  return !depends_on_version(text) && PlainYaml(text, tree).read();
}

}  // namespace tenon
