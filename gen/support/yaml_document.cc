// The events of yaml-cpp as a tree of nodes; its exceptions become diagnostics.
#include "support/yaml_document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <optional>
#include <sstream>
#include <utility>

#include "support/parallel.h"
#include "support/plain_yaml.h"
#include "support/quoted.h"
#include "support/ranges.h"
#include "support/yaml_tree.h"

namespace tenon {

namespace {

/// The events of the YAML library for one file, whose text it has without the first `skipped` bytes.
class Events : public YAML::EventHandler {
 public:
  Events(YamlTree& tree, std::size_t skipped) : tree_(tree), skipped_(skipped) {}

  // A document takes a byte at least; from some malformed texts, such as ", *", yaml-cpp 0.7 reads empty ones for ever.
  void OnDocumentStart(const YAML::Mark& mark) override { tree_.start_document(at(mark)); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { tree_.null(at(mark), anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override { tree_.alias(at(mark), anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    tree_.scalar(at(mark), tag, anchor, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    tree_.open(at(mark), tag, anchor, YamlKind::sequence);
  }
  void OnSequenceEnd() override { tree_.close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    tree_.open(at(mark), tag, anchor, YamlKind::map);
  }
  void OnMapEnd() override { tree_.close(); }

 private:
  std::size_t at(const YAML::Mark& mark) const { return static_cast<std::size_t>(std::max(mark.pos, 0)) + skipped_; }

  YamlTree& tree_;
  std::size_t skipped_;
};

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

/// The documents of a text that LibYAML can read and that has no fault.
std::optional<std::vector<YamlNode>> plain_documents(const SourceFileRef& file) {
  Diagnostics diagnostics;
  YamlTree tree(file, diagnostics);
  try {
    if (!read_plain_yaml(file->text(), tree) || !diagnostics.empty()) return std::nullopt;
  } catch (const YamlLimitPassed&) {
    return std::nullopt;
  }
  return std::move(tree.documents);
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
  YamlTree tree(file, diagnostics);
  Events events(tree, skipped);
  try {
    std::istringstream stream(file->text().substr(skipped));
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
  } catch (const YamlLimitPassed&) {
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
  return std::move(tree.documents);
}

std::vector<Result<std::vector<YamlNode>>> read_yaml(const std::vector<SourceFileRef>& files) {
  std::vector<Result<std::vector<YamlNode>>> out(files.size(), Diagnostics());
  for_each_index(files.size(), [&](std::size_t i) { out[i] = read_yaml(files[i]); });
  return out;
}

std::vector<Result<std::vector<YamlNode>>> read_shipped_yaml(const std::vector<SourceFileRef>& files) {
  std::vector<Result<std::vector<YamlNode>>> out(files.size(), Diagnostics());
  for_each_index(files.size(), [&](std::size_t i) {
    if (auto plain = plain_documents(files[i])) out[i] = std::move(*plain);
    else out[i] = read_yaml(files[i]);
  });
  return out;
}

}  // namespace tenon
