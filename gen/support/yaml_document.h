// YAML text as a tree of nodes that know their exact places. Its reader is the only user of the YAML library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace tenon {

/// Text whose every byte knows where in a file it was written: the value of a scalar without quotes, escapes and
/// indentation.
struct PlacedText {
  std::string text;
  std::vector<std::uint32_t> offsets;  ///< file offset of each byte of `text`, and one past the end
  SourceFileRef file;

  /// Place of text[begin, end).
  SourceSpan span(std::size_t begin, std::size_t end) const;
};

enum class YamlKind { null, scalar, sequence, map };
struct YamlEntry;

/// A node; a plain value.
struct YamlNode {
  YamlKind kind = YamlKind::null;
  bool quoted = false;                 ///< scalar in quotes or in block style: never a number, null or bool by itself
  std::string text;                    ///< of a scalar
  std::vector<YamlNode> items;         ///< of a sequence
  std::vector<YamlEntry> entries;      ///< of a map, in the order of the file; keys are scalars and unique
  SourceSpan span;                     ///< of a scalar: as written; of a collection: its beginning
  std::vector<std::uint32_t> offsets;  ///< of a scalar put together from several places; empty = as written

  bool is_map() const { return kind == YamlKind::map; }
  bool is_sequence() const { return kind == YamlKind::sequence; }
  bool is_scalar() const { return kind == YamlKind::scalar; }
  bool is_null() const { return kind == YamlKind::null; }
  /// Value under `key` of a map, or nullptr.
  const YamlNode* find(std::string_view key) const;
};

struct YamlEntry {
  YamlNode key;
  YamlNode value;
};

/// The scalar's value with the places of its bytes.
PlacedText placed_text(const YamlNode& scalar);
/// Where the scalar ends in the file, quotes included.
std::size_t end_of_scalar(const YamlNode& scalar);

/// All YAML documents of a file. Malformed YAML, text that is not UTF-8, duplicate keys, keys that are not scalars,
/// nesting deeper than 100 and aliases that multiply beyond a million nodes are errors; nothing is thrown.
Result<std::vector<YamlNode>> read_yaml(const SourceFileRef& file);
/// `read_yaml` for each of several files, in their order; they are read in parallel.
std::vector<Result<std::vector<YamlNode>>> read_yaml(const std::vector<SourceFileRef>& files);

}  // namespace tenon
