// Builds placed nodes from the events of the YAML library, within limits, and turns its exceptions into diagnostics.
#include "support/yaml_document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "support/parallel.h"
#include "support/utf8.h"

namespace tenon {

namespace {

constexpr std::size_t kDeepest = 100;
constexpr std::size_t kMostNodes = 1'000'000;
constexpr std::size_t kMostText = std::size_t{64} << 20;

/// Thrown through the YAML library, and caught in read_yaml, when a limit is passed.
struct LimitPassed {};

std::size_t nodes_in(const YamlNode& node, std::size_t& text) {
  std::size_t count = 1;
  text += node.text.size();
  for (const YamlNode& item : node.items) count += nodes_in(item, text);
  for (const YamlEntry& entry : node.entries) count += nodes_in(entry.key, text) + nodes_in(entry.value, text);
  return count;
}

/// Whether a key begins in the middle of a call: f(a, b) in a map {…} without quotes.
bool cut_by_comma(const std::string& key) {
  return std::count(key.begin(), key.end(), ')') > std::count(key.begin(), key.end(), '(');
}

/// Whether text in quotes ends before the file does, which the YAML library lets pass.
bool is_closed(const std::string& text, std::size_t at) {
  const char quote = at < text.size() ? text[at] : '\0';
  if (quote != '"' && quote != '\'') return true;
  for (++at; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') ++at;
    else if (text[at] == quote && (quote == '"' || at + 1 >= text.size() || text[at + 1] != quote)) return true;
    else if (text[at] == quote) ++at;
  }
  return false;
}

/// Receives the events of one file and keeps a stack of open collections.
class Builder : public YAML::EventHandler {
 public:
  Builder(SourceFileRef file, std::size_t skipped, Diagnostics& diagnostics)
      : file_(std::move(file)), skipped_(skipped), diagnostics_(diagnostics) {}

  std::vector<YamlNode> documents;

  // A document takes a byte at least; from some malformed texts, such as ", *", yaml-cpp 0.7 reads empty ones for ever.
  void OnDocumentStart(const YAML::Mark& mark) override {
    anchors_.clear();
    if (documents.size() <= file_->text().size()) return;
    diagnostics_.error(Code::E0101, make(mark, YamlKind::null).span, "this is not YAML",
                       {"check indentation, quotes and brackets"});
    throw LimitPassed();
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    count(1, 0, mark);
    place(make(mark, YamlKind::null), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) return place(make(mark, YamlKind::null), 0);
    std::size_t text = 0;
    count(nodes_in(found->second, text), text, mark);
    place(YamlNode(found->second), 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    count(1, value.size(), mark);
    YamlNode node = make(mark, YamlKind::scalar);
    node.text = value;
    node.quoted = tag == "!";
    if (tag != "!" && tag != "?") refuse_tag(node.span, tag);
    node.span.begin = after_properties(node.span.begin);
    if (node.quoted && !is_closed(file_->text(), node.span.begin))
      diagnostics_.error(Code::E0101, {file_, node.span.begin, node.span.begin + 1},
                         "this is not YAML: the quote that is opened here is not closed",
                         {"close it at the end of the text"});
    node.span.end = placed_text_end(node);
    place(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlKind::sequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlKind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    std::vector<YamlNode> pending_key;  ///< a map's key that waits for its value
    std::set<std::string, std::less<>> keys;
  };

  YamlNode make(const YAML::Mark& mark, YamlKind kind) const {
    YamlNode node;
    node.kind = kind;
    const std::size_t at = std::min(static_cast<std::size_t>(std::max(mark.pos, 0)) + skipped_, file_->text().size());
    node.span = {file_, at, at};
    return node;
  }

  void count(std::size_t nodes, std::size_t text, const YAML::Mark& mark) {
    nodes_ += nodes;
    text_ += text;
    if (nodes_ <= kMostNodes && text_ <= kMostText) return;
    diagnostics_.error(Code::E0105, make(mark, YamlKind::null).span, "the file expands to more than a million values",
                       {"aliases of aliases multiply: write the parts out"});
    throw LimitPassed();
  }

  void refuse_tag(const SourceSpan& span, const std::string& tag) {
    if (tag.empty() || tag == "!") return;
    diagnostics_.error(Code::E0110, span, fmt::format("the tag {} has no meaning here", tag), {"remove it"});
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlKind kind) {
    count(1, 0, mark);
    Open opened;
    opened.node = make(mark, kind);
    opened.anchor = anchor;
    if (tag != "?") refuse_tag(opened.node.span, tag);
    if (stack_.size() >= kDeepest) {
      diagnostics_.error(Code::E0104, opened.node.span,
                         fmt::format("collections are nested more than {} deep", kDeepest),
                         {"no definition needs that many"});
      throw LimitPassed();
    }
    stack_.push_back(std::move(opened));
  }

  void close() {
    Open closed = std::move(stack_.back());
    stack_.pop_back();
    place(std::move(closed.node), closed.anchor);
  }

  void place(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
    if (stack_.empty()) return documents.push_back(std::move(node));
    Open& top = stack_.back();
    top.node.span.end = std::max(top.node.span.end, node.span.end);
    if (top.node.is_sequence()) return top.node.items.push_back(std::move(node));
    if (top.pending_key.empty()) return top.pending_key.push_back(std::move(node));
    YamlNode key = std::move(top.pending_key.back());
    top.pending_key.clear();
    add_entry(top, std::move(key), std::move(node));
  }

  void add_entry(Open& map, YamlNode key, YamlNode value) {
    if (!key.is_scalar()) {
      diagnostics_.error(
          Code::E0106, key.span, "a key must be plain text",
          {"an optional input `C?:` needs block style, one key a line: in {…} YAML reads the `?` otherwise"});
    } else if (!map.keys.insert(key.text).second) {
      diagnostics_.error(
          Code::E0103, key.span, fmt::format("the key '{}' occurs twice in this map", key.text),
          {cut_by_comma(key.text) ? "in a map of YAML a comma ends the entry: put the text around it in quotes"
                                  : "remove or rename one of the two"});
    } else {
      if (value.is_null() && !is_spelled(value))
        value.span = key.span;  // the library's place is behind it, often in the next line
      map.node.entries.push_back({std::move(key), std::move(value)});
    }
  }

  /// Skips `&anchor` and `!tag` in front of a scalar.
  std::size_t after_properties(std::size_t at) const {
    const std::string& text = file_->text();
    while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
      while (at < text.size() && !is_blank(text[at])) ++at;
      while (at < text.size() && is_blank(text[at])) ++at;
    }
    return at;
  }

  /// Whether the null is there as a word.
  bool is_spelled(const YamlNode& null) const {
    const std::string& text = file_->text();
    const std::size_t at = after_properties(null.span.begin);
    return at < text.size() && (text[at] == '~' || text.compare(at, 4, "null") == 0 ||
                                text.compare(at, 4, "Null") == 0 || text.compare(at, 4, "NULL") == 0);
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  static std::size_t placed_text_end(const YamlNode& node) {
    const PlacedText placed = placed_text(node);
    return placed.offsets.back();
  }

  SourceFileRef file_;
  std::size_t skipped_;
  Diagnostics& diagnostics_;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t nodes_ = 0;
  std::size_t text_ = 0;
};

/// Refuses text that is not UTF-8, and control characters (one of which the YAML library takes for the end of the
/// file).
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
  const auto control = std::find_if(file->text().begin(), file->text().end(), is_control);
  if (control == file->text().end()) return true;
  const auto at = static_cast<std::size_t>(control - file->text().begin());
  diagnostics.error(Code::E0111, {file, at, at + 1},
                    fmt::format("the control character 0x{:02x}", static_cast<unsigned>(*control)), {"remove it"});
  return false;
}

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
  const bool marked = file->text().compare(0, 3, "\xEF\xBB\xBF") == 0;  // a byte order mark
  const std::size_t skipped = marked ? 3 : 0;
  Builder builder(file, skipped, diagnostics);
  try {
    std::istringstream stream(file->text().substr(skipped));
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const LimitPassed&) {
  } catch (const YAML::Exception& fault) {
    const std::size_t at =
        std::min(static_cast<std::size_t>(std::max(fault.mark.pos, 0)) + skipped, file->text().size());
    const bool alias = fault.msg.find("anchor is not defined") != std::string::npos;
    const bool question = at > 0 && file->text()[at - 1] == '?';
    const std::size_t line = file->text().rfind('\n', at == 0 ? 0 : at - 1) + 1,
                      text = file->text().find_first_not_of(" \t", line);
    const bool tab = text >= at && file->text().substr(line, text - line).find('\t') != std::string::npos;
    diagnostics.error(
        alias ? Code::E0107 : Code::E0101, {file, at, at + 1},
        alias ? "no anchor has this alias' name" : fmt::format("this is not YAML: {}", fault.msg),
        {alias      ? "text that begins with '*' needs quotes"
         : question ? "an optional input `C?:` needs block style, one key a line: in {…} YAML reads the `?` otherwise"
         : tab      ? "YAML is indented with spaces, not with tabs"
         : fault.msg.find("flow") != std::string::npos
             ? "inside {…} and […], text that holds brackets, commas or ': ' needs quotes"
         : fault.msg.find("illegal map value") != std::string::npos
             ? "text that holds ': ' needs quotes, and a map in one line has braces, {key: value}"
             : "check indentation, quotes and brackets around this place"});
  }
  if (diagnostics.has_errors()) return diagnostics;
  return std::move(builder.documents);
}

std::vector<Result<std::vector<YamlNode>>> read_yaml(const std::vector<SourceFileRef>& files) {
  std::vector<Result<std::vector<YamlNode>>> out(files.size(), Diagnostics());
  for_each_index(files.size(), [&](std::size_t i) { out[i] = read_yaml(files[i]); });
  return out;
}

}  // namespace tenon
