// Errors in the user's text: collected, sorted by position, printed with line, caret and advice.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/source_span.h"

namespace tenon {

/// Every code of diagnostic_codes.def: Code::E0201 …
enum class Code {
#define TENON_CODE(code, slug, meaning, explanation) code,
#include "support/diagnostic_codes.def"
#undef TENON_CODE
};

/// A row of diagnostic_codes.def: `id` is "E0201", `slug` a few words with hyphens, `explanation` what `tenon explain`
/// prints.
struct CodeInfo {
  Code code;
  std::string_view id;
  std::string_view slug;
  std::string_view meaning;
  std::string_view explanation;
};

/// All rows, in order.
const std::vector<CodeInfo>& all_codes();
const CodeInfo& code_info(Code code);
/// Row with this id ("E0201", any case) or slug; nullptr if there is none.
const CodeInfo* find_code(std::string_view id_or_slug);

enum class Severity { error, warning };

/// One finding. `span` says where in a text; `where` replaces it for things without text (an ONNX node: "net.onnx: node
/// 3 'a' (Conv)").
struct Diagnostic {
  Code code;
  Severity severity = Severity::error;
  SourceSpan span;
  std::string where;
  std::string message;
  std::vector<std::string> notes;
};

/// The diagnostics about one or more inputs, in the order in which they were found.
class Diagnostics {
 public:
  /// Reports an error at a place in a text. Notes say what to do about it.
  void error(Code code, SourceSpan span, std::string message, std::vector<std::string> notes = {});
  /// Reports an error about something that has no text, e.g. where = "net.onnx: node 3 'a' (Conv)" or a file that
  /// cannot be opened.
  void error_at(Code code, std::string where, std::string message, std::vector<std::string> notes = {});
  void warning(Code code, SourceSpan span, std::string message, std::vector<std::string> notes = {});
  void warning_at(Code code, std::string where, std::string message, std::vector<std::string> notes = {});
  void add(Diagnostic diagnostic);
  void append(const Diagnostics& other);

  bool has_errors() const;
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  /// Sorted by file (in order of first report), then place; duplicates removed.
  std::vector<Diagnostic> sorted() const;
  /// The text for stderr: of each finding `FILE:LINE:COL: error: message [E0201]`, the line, a caret under the place,
  /// and notes. Where a finding has none, the first of its code ends in the code's explanation.
  std::string text() const;

 private:
  std::vector<Diagnostic> all_;
};

/// Text of one finding, ending in a newline.
std::string format(const Diagnostic& diagnostic);

/// The most similar name to `wrong` among `known` ("" if none is near): for notes that ask "did you
/// mean". One character in `share` may be wrong.
std::string nearest_name(std::string_view wrong, const std::vector<std::string>& known, std::size_t share = 3);
/// "did you mean 'x'?", `otherwise` where none is near; or_did_you_mean: the same at the end of a message, after a
/// semicolon.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known, std::string otherwise = "");
std::string or_did_you_mean(std::string_view wrong, const std::vector<std::string>& known, std::string otherwise = "");

}  // namespace tenon
