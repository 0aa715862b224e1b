// Builds nodes with locations from the events of a YAML reader, in order and within limits.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/yaml_document.h"

namespace tenon {

/// Thrown through the reader when a limit is passed, after its diagnostic.
struct YamlLimitPassed {};

/// Keeps a stack of open collections. Places are bytes of the file; anchors and tags are empty where there are none.
class YamlTree {
 public:
  using Anchor = std::string;

  YamlTree(SourceFileRef file, Diagnostics& diagnostics) : file_(std::move(file)), diagnostics_(diagnostics) {}

  std::vector<YamlNode> documents;

  void start_document() { anchors_.clear(); }
  void null(std::size_t at, const Anchor& anchor);
  void alias(std::size_t at, const Anchor& anchor);
  /// `quoted`: text in quotes or block style.
  void scalar(std::size_t at, std::string_view tag, const Anchor& anchor, bool quoted, const std::string& value);
  void open(std::size_t at, std::string_view tag, const Anchor& anchor, YamlKind kind);
  void close();

 private:
  struct Open {
    YamlNode node;
    Anchor anchor;
    std::vector<YamlNode> pending_key;             ///< a map's key that waits for its value
    std::set<std::string, std::less<>> keys = {};  ///< of a map of many entries
  };

  YamlNode make(std::size_t at, YamlKind kind) const;
  void count(std::size_t nodes, std::size_t text, std::size_t at);
  void refuse_tag(const SourceSpan& span, std::string_view tag);
  void place(YamlNode node, const Anchor& anchor);
  void add_entry(Open& map, YamlNode key, YamlNode value);
  std::size_t after_properties(std::size_t at) const;
  bool is_spelled(const YamlNode& null) const;

  SourceFileRef file_;
  Diagnostics& diagnostics_;
  std::vector<Open> stack_;
  std::map<Anchor, YamlNode> anchors_;
  std::size_t nodes_ = 0;
  std::size_t text_ = 0;
};

}  // namespace tenon
