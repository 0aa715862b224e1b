// Filling a family's template with its members.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "opdef/read/read_op.h"
#include "opdef/read/yaml_shape.h"
#include "support/c_names.h"
#include "support/ranges.h"

namespace tenon {

namespace {

/// Keys whose text is mathematics: what fills a hole there keeps together as one operand.
bool is_mathematics(std::string_view key) {
  return key == "body" || key == "let" || key == "require" || key == "index" || key == "grad";
}
/// Keys that are maps of entries, where a member adds to the family's entries.
bool merges(std::string_view key) {
  return key == "types" || key == "attrs" || key == "let" || key == "index" || key == "tables" || key == "storage" ||
         key == "numerics" || key == "expand";
}

/// A name or number, or the sign of a statement (`+=`, `max=`): parentheses around it would mean nothing.
bool is_atom(std::string_view text) { return text.ends_with('=') || all_of(text, is_word); }

class Filler {
 public:
  Filler(const YamlNode& member, Diagnostics& diagnostics) : member_(member), diagnostics_(diagnostics) {}

  std::set<std::string, std::less<>> used;

  YamlNode fill(const YamlNode& node, bool mathematics) {
    YamlNode result = node;
    if (node.is_scalar() && node.text.find('$') != std::string::npos) fill_text(node, mathematics, result);
    for (YamlNode& item : result.items) item = fill(item, mathematics);
    for (YamlEntry& entry : result.entries) entry.value = fill(entry.value, mathematics);
    return result;
  }

 private:
  void fill_text(const YamlNode& node, bool mathematics, YamlNode& out) {
    const PlacedText from = placed_text(node);
    out.text.clear();
    out.offsets.clear();
    std::size_t at = 0;
    while (at < from.text.size()) {
      std::size_t end = at + 1;
      while (end < from.text.size() && is_word(from.text[end])) ++end;
      if (from.text[at] == '$' && end > at + 1) {
        hole(from, at, end, mathematics, out);
        at = end;
      } else {
        append(out, from.text[at], from.offsets[at]);
        ++at;
      }
    }
    out.offsets.push_back(from.offsets.back());
  }

  void hole(const PlacedText& from, std::size_t at, std::size_t end, bool mathematics, YamlNode& out) {
    const std::string name = from.text.substr(at + 1, end - at - 1);
    const YamlNode* value = member_.find(name);
    if (value == nullptr || !value->is_scalar()) {
      diagnostics_.error(Code::E0215, from.span(at, end), fmt::format("a member does not fill the hole '${}'", name),
                         {fmt::format("the member at line {} needs `{}: text`", member_.span.line(), name)});
      return append(out, '0', from.offsets[at]);  // keeps the template complete, so that no further error follows
    }
    used.insert(name);
    const PlacedText filling = placed_text(*value);
    const bool brackets = mathematics && !is_atom(filling.text) && filling.text.find('\n') == std::string::npos;
    if (brackets) append(out, '(', filling.offsets.front());
    for (std::size_t i = 0; i < filling.text.size(); ++i) append(out, filling.text[i], filling.offsets[i]);
    if (brackets) append(out, ')', filling.offsets.back());
  }

  static void append(YamlNode& out, char c, std::uint32_t offset) {
    out.text += c;
    out.offsets.push_back(offset);
  }

  const YamlNode& member_;
  Diagnostics& diagnostics_;
};

YamlNode* entry_of(YamlNode& map, std::string_view key) {
  for (YamlEntry& entry : map.entries) {
    if (entry.key.text == key) return &entry.value;
  }
  return nullptr;
}

/// Puts the member's own entry over the family's.
void lay_over(YamlNode& op, const YamlEntry& own) {
  YamlNode* under = entry_of(op, own.key.text);
  if (under == nullptr) {
    op.entries.push_back(own);
  } else if (merges(own.key.text) && under->is_map() && own.value.is_map()) {
    for (const YamlEntry& entry : own.value.entries) {
      if (YamlNode* same = entry_of(*under, entry.key.text)) *same = entry.value;
      else under->entries.push_back(entry);
    }
  } else {
    *under = own.value;
  }
}

YamlNode filled_template(const YamlNode& family, const YamlNode& member, Diagnostics& diagnostics) {
  Filler filler(member, diagnostics);
  YamlNode op;
  op.kind = YamlKind::map;
  op.span = member.span;
  for (const YamlEntry& entry : family.entries) {
    const std::string& key = entry.key.text;
    const bool replaced = member.find(key) != nullptr && !merges(key);
    if (key == "family" || key == "ops" || replaced || !contains(op_keys(), key)) continue;
    op.entries.push_back({entry.key, filler.fill(entry.value, is_mathematics(key))});
  }
  for (const YamlEntry& own : member.entries) {
    const std::string& key = own.key.text;
    if (contains(op_keys(), key)) {
      lay_over(op, {own.key, filler.fill(own.value, is_mathematics(key))});
    } else if (filler.used.count(key) == 0) {
      std::vector<std::string> known = op_keys();
      known.insert(known.end(), filler.used.begin(), filler.used.end());
      diagnostics.error(Code::E0201, own.key.span,
                        fmt::format("'{}' is neither a key of an op nor a hole of the family", key),
                        {meant_note(key, known)});
    }
  }
  return op;
}

/// `relu: "max(X[*s], 0)"` is short for `relu: {e: "max(X[*s], 0)"}`.
YamlNode member_map(const YamlEntry& entry) {
  if (!entry.value.is_scalar()) return entry.value;
  YamlNode map;
  map.kind = YamlKind::map;
  map.span = entry.value.span;
  YamlNode key = entry.key;
  key.text = "e";
  map.entries.push_back({std::move(key), entry.value});
  return map;
}

}  // namespace

YamlNode expand_member(const YamlNode& family, const YamlEntry& member, Diagnostics& diagnostics) {
  return filled_template(family, member_map(member), diagnostics);
}

std::vector<const YamlEntry*> family_members(const YamlNode& family, Diagnostics& diagnostics) {
  std::vector<const YamlEntry*> members;
  std::vector<std::string> known = op_keys();
  known.insert(known.end(), {"family", "ops"});
  std::erase(known, "op");
  if (!need_map(family, "a family", "- family: unary", diagnostics)) return members;
  refuse_unknown_keys(family, known, "a family", diagnostics);
  const YamlNode* ops = family.find("ops");
  if (family.find("family") == nullptr || ops == nullptr) {
    SourceSpan place = family.span;
    place.end = place.begin + 1;
    diagnostics.error(Code::E0203, place, "a family needs the keys `family` and `ops`",
                      {"write - family: unary, and under `ops` one member a line"});
    return members;
  }
  want_text(*family.find("family"), "family", "the family's name", diagnostics);
  if (!need_map(*ops, "ops of a family", "relu: {e: \"max(X[*s], 0)\"}", diagnostics)) return members;
  for (const YamlEntry& entry : ops->entries)
    if (entry.value.is_scalar() || need_map(entry.value, "a member", "relu: {e: \"max(X[*s], 0)\"}", diagnostics))
      members.push_back(&entry);
  return members;
}

}  // namespace tenon
