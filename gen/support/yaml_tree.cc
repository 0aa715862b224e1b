// Locations, limits, and errors in any YAML: duplicate keys, tags, unclosed quotes.
#include "support/yaml_tree.h"

#include <fmt/format.h>

#include <utility>

#include "support/ranges.h"

namespace tenon {

namespace {

constexpr std::size_t kDeepest = 100;
constexpr std::size_t kMostNodes = 1'000'000;
constexpr std::size_t kMostText = std::size_t{64} << 20;
constexpr std::size_t kFewKeys = 16;  ///< up to here looking at each is faster than a set

std::size_t nodes_in(const YamlNode& node, std::size_t& text) {
  std::size_t count = 1;
  text += node.text.size();
  for (const YamlNode& item : node.items) count += nodes_in(item, text);
  for (const YamlEntry& entry : node.entries) count += nodes_in(entry.key, text) + nodes_in(entry.value, text);
  return count;
}

/// Whether a key begins in the middle of a call: f(a, b) in a map {…} without quotes.
bool cut_by_comma(const std::string& key) { return count_of(key, ')') > count_of(key, '('); }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Whether the map has the key already; remembers it where there are many.
template <typename Open>
bool has_key(Open& map, const std::string& key) {
  if (map.node.entries.size() < kFewKeys) return map.node.find(key) != nullptr;
  if (map.keys.empty())
    for (const YamlEntry& entry : map.node.entries) map.keys.insert(entry.key.text);
  return !map.keys.insert(key).second;
}

}  // namespace

void YamlTree::null(std::size_t at, const Anchor& anchor) {
  count(1, 0, at);
  place(make(at, YamlKind::null), anchor);
}

void YamlTree::alias(std::size_t at, const Anchor& anchor) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) {
    diagnostics_.error(Code::E0107, {file_, at, at + 1}, "no anchor has this alias' name",
                       {"text that begins with '*' needs quotes"});
    return place(make(at, YamlKind::null), "");
  }
  std::size_t text = 0;
  const std::size_t nodes = nodes_in(found->second, text);
  count(nodes, text, at);
  place(YamlNode(found->second), "");
}

void YamlTree::scalar(std::size_t at, std::string_view tag, const Anchor& anchor, bool quoted,
                      const std::string& value) {
  count(1, value.size(), at);
  YamlNode node = make(at, YamlKind::scalar);
  node.text = value;
  node.quoted = quoted || tag == "!";
  refuse_tag(node.span, tag);
  node.span.begin = after_properties(node.span.begin);
  node.span.end = end_of_scalar(node);
  place(std::move(node), anchor);
}

void YamlTree::open(std::size_t at, std::string_view tag, const Anchor& anchor, YamlKind kind) {
  count(1, 0, at);
  Open opened{make(at, kind), anchor, {}};
  refuse_tag(opened.node.span, tag);
  if (stack_.size() >= kDeepest) {
    diagnostics_.error(Code::E0104, opened.node.span, fmt::format("collections are nested more than {} deep", kDeepest),
                       {"no definition needs that many"});
    throw YamlLimitPassed();
  }
  stack_.push_back(std::move(opened));
}

void YamlTree::close() {
  Open closed = std::move(stack_.back());
  stack_.pop_back();
  place(std::move(closed.node), closed.anchor);
}

YamlNode YamlTree::make(std::size_t at, YamlKind kind) const {
  YamlNode node;
  node.kind = kind;
  at = std::min(at, file_->text().size());
  node.span = {file_, at, at};
  return node;
}

void YamlTree::count(std::size_t nodes, std::size_t text, std::size_t at) {
  nodes_ += nodes;
  text_ += text;
  if (nodes_ <= kMostNodes && text_ <= kMostText) return;
  diagnostics_.error(Code::E0105, make(at, YamlKind::null).span, "the file expands to more than a million values",
                     {"aliases of aliases multiply: write the parts out"});
  throw YamlLimitPassed();
}

void YamlTree::refuse_tag(const SourceSpan& span, std::string_view tag) {
  if (tag.empty() || tag == "!") return;
  diagnostics_.error(Code::E0110, span, fmt::format("the tag {} has no meaning here", tag), {"remove it"});
}

void YamlTree::place(YamlNode node, const Anchor& anchor) {
  if (!anchor.empty()) anchors_[anchor] = node;
  if (stack_.empty()) return documents.push_back(std::move(node));
  Open& top = stack_.back();
  top.node.span.end = std::max(top.node.span.end, node.span.end);
  if (top.node.is_sequence()) return top.node.items.push_back(std::move(node));
  if (top.pending_key.empty()) return top.pending_key.push_back(std::move(node));
  YamlNode key = std::move(top.pending_key.back());
  top.pending_key.clear();
  add_entry(top, std::move(key), std::move(node));
}

void YamlTree::add_entry(Open& map, YamlNode key, YamlNode value) {
  if (!key.is_scalar()) {
    diagnostics_.error(Code::E0106, key.span, "a key must be plain text",
                       {"lists and maps are no keys; text that begins with '[', '{' or '? ' needs quotes"});
  } else if (has_key(map, key.text)) {
    diagnostics_.error(
        Code::E0103, key.span, fmt::format("the key '{}' occurs twice in this map", key.text),
        {cut_by_comma(key.text) ? "in a map of YAML a comma ends the entry: put the text around it in quotes"
                                : "remove or rename one of the two"});
  } else {
    if (value.is_null() && !is_spelled(value))
      value.span = key.span;  // the library's position is after it, often in the next line
    map.node.entries.push_back({std::move(key), std::move(value)});
  }
}

/// Skips `&anchor` and `!tag` in front of a scalar.
std::size_t YamlTree::after_properties(std::size_t at) const {
  const std::string& text = file_->text();
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    while (at < text.size() && !is_blank(text[at])) ++at;
    while (at < text.size() && is_blank(text[at])) ++at;
  }
  return at;
}

/// Whether the null is there as a word.
bool YamlTree::is_spelled(const YamlNode& null) const {
  const std::string& text = file_->text();
  const std::size_t at = after_properties(null.span.begin);
  return at < text.size() && (text[at] == '~' || text.compare(at, 4, "null") == 0 || text.compare(at, 4, "Null") == 0 ||
                              text.compare(at, 4, "NULL") == 0);
}

}  // namespace tenon
