// Collecting, sorting and printing diagnostics.
#include "support/diagnostics.h"

#include <fmt/format.h>

#include <cctype>
#include <set>
#include <utility>

#include "support/ranges.h"

namespace tenon {

const std::vector<CodeInfo>& all_codes() {
  static const std::vector<CodeInfo> codes = {
#define TENON_CODE(code, slug, meaning, explanation) {Code::code, #code, slug, meaning, explanation},
#include "support/diagnostic_codes.def"
#undef TENON_CODE
  };
  return codes;
}

const CodeInfo& code_info(Code code) { return all_codes()[static_cast<std::size_t>(code)]; }

const CodeInfo* find_code(std::string_view id_or_slug) {
  const auto matches = [&](std::string_view text) {
    return text.size() == id_or_slug.size() &&
           std::equal(text.begin(), text.end(), id_or_slug.begin(), [](char a, char b) {
             return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
           });
  };
  for (const CodeInfo& info : all_codes()) {
    if (matches(info.id) || matches(info.slug)) return &info;
  }
  return nullptr;
}

void Diagnostics::error(Code code, SourceSpan span, std::string message, std::vector<std::string> notes) {
  all_.push_back({code, Severity::error, std::move(span), "", std::move(message), std::move(notes)});
}

void Diagnostics::error_at(Code code, std::string where, std::string message, std::vector<std::string> notes) {
  all_.push_back({code, Severity::error, {}, std::move(where), std::move(message), std::move(notes)});
}

void Diagnostics::warning(Code code, SourceSpan span, std::string message, std::vector<std::string> notes) {
  all_.push_back({code, Severity::warning, std::move(span), "", std::move(message), std::move(notes)});
}

void Diagnostics::warning_at(Code code, std::string where, std::string message, std::vector<std::string> notes) {
  all_.push_back({code, Severity::warning, {}, std::move(where), std::move(message), std::move(notes)});
}

void Diagnostics::add(Diagnostic diagnostic) { all_.push_back(std::move(diagnostic)); }

void Diagnostics::append(const Diagnostics& other) { all_.insert(all_.end(), other.all_.begin(), other.all_.end()); }

bool Diagnostics::has_errors() const {
  return any_of(all_, [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<const SourceFile*> files;
  const auto rank = [&](const Diagnostic& d) {
    return std::find(files.begin(), files.end(), d.span.file.get()) - files.begin();
  };
  for (const Diagnostic& d : all_) {
    if (rank(d) == static_cast<std::ptrdiff_t>(files.size())) files.push_back(d.span.file.get());
  }
  std::vector<Diagnostic> result = all_;
  stable_sort(result, [&](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(rank(a), a.span.begin) < std::pair(rank(b), b.span.begin);
  });
  const auto equal = [](const Diagnostic& a, const Diagnostic& b) {
    return a.code == b.code && a.span.file == b.span.file && a.span.begin == b.span.begin && a.where == b.where &&
           a.message == b.message;
  };
  result.erase(std::unique(result.begin(), result.end(), equal), result.end());
  return result;
}

std::string Diagnostics::text() const {
  std::string out;
  std::set<Code> advised;
  for (Diagnostic& d : sorted()) {
    if (d.notes.empty() && advised.insert(d.code).second) d.notes.emplace_back(code_info(d.code).explanation);
    out += format(d);
  }
  return out;
}

namespace {

/// Text of a file or of the command line, safe for a terminal: control characters except tabs and newlines become
/// codes.
std::string visible(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t' && c != '\n') || byte == 0x7f) out += fmt::format("\\x{:02x}", byte);
    else out += c;
  }
  return out;
}

constexpr std::size_t kLongestLine =
    200;  // longer lines are cut to the part around the location, longer words to their beginning
constexpr std::size_t kWindow = 60;

std::size_t to_code_point(std::string_view line, std::size_t at) {
  while (at > 0 && at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0u) == 0x80u) --at;
  return at;
}

/// The message with overlong words, such as a name of one megabyte, cut off with "…".
std::string shortened(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t word = std::min(text.find_first_of(" \n"), text.size());
    if (word <= kLongestLine) out += text.substr(0, word);
    else out.append(text.substr(0, to_code_point(text, kWindow))).append(text[word - 1] == '\'' ? "…'" : "…");
    const std::size_t next = std::min(text.find_first_not_of(" \n", word), text.size());
    out += text.substr(word, next - word);
    text.remove_prefix(next);
  }
  return out;
}

/// The source line with a caret under the span; tabs are kept so that the caret is aligned.
std::string excerpt(const SourceSpan& span) {
  std::string_view line = span.file->line(span.line());
  std::string under;
  std::size_t lead = std::min(span.begin - span.file->line_start(span.line()), line.size());
  if (line.size() > kLongestLine) {
    const std::size_t from = to_code_point(line, lead > kWindow ? lead - kWindow : 0);
    const std::size_t to = to_code_point(line, std::min(line.size(), lead + kWindow));
    line = line.substr(from, to - from);
    lead = std::min(lead > from ? lead - from : 0, line.size());  // invalid UTF-8 may move the window past it
  }
  for (std::size_t i = 0; i < lead; ++i) {
    if ((static_cast<unsigned char>(line[i]) & 0xC0u) != 0x80u) under += line[i] == '\t' ? '\t' : ' ';
  }
  const int rest = std::max(1, count_code_points(line.substr(lead)));
  under += '^' + std::string(static_cast<std::size_t>(std::min(span.length(), rest) - 1), '~');
  std::string shown(line);  // a control character takes one place
  for (char& c : shown)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) c = '?';
  return fmt::format("  {}\n  {}\n", shown, under);
}

}  // namespace

std::string format(const Diagnostic& d) {
  const std::string_view severity = d.severity == Severity::error ? "error" : "warning";
  std::string out;
  if (d.span.known()) {
    out += fmt::format("{}:{}:{}: ", d.span.file->name(), d.span.line(), d.span.column());
  } else if (!d.where.empty()) {
    out += visible(d.where) + ": ";
  }
  out += fmt::format("{}: {} [{}]\n", severity, visible(shortened(d.message)), code_info(d.code).id);
  if (d.span.known()) out += excerpt(d.span);
  for (const std::string& note : d.notes) out += fmt::format("  note: {}\n", visible(shortened(note)));
  return out;
}

std::string nearest_name(std::string_view wrong, const std::vector<std::string>& known, std::size_t share) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, wrong.size() / share) + 1;
  for (const std::string& name : known) {
    if (name.size() > wrong.size() + best_distance || name.size() > 64 || wrong.size() > 64) continue;
    std::vector<std::size_t> row(name.size() + 1), above, two_above;
    for (std::size_t j = 0; j <= name.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= wrong.size(); ++i) {
      two_above = std::exchange(above, row);
      row[0] = i;
      for (std::size_t j = 1; j <= name.size(); ++j) {
        const std::size_t change = above[j - 1] + (wrong[i - 1] == name[j - 1] ? 0 : 1);
        row[j] = std::min({change, above[j] + 1, row[j - 1] + 1});
        if (i > 1 && j > 1 && wrong[i - 1] == name[j - 2] && wrong[i - 2] == name[j - 1])  // two letters swapped
          row[j] = std::min(row[j], two_above[j - 2] + 1);
      }
    }
    const bool all_changed = row[name.size()] >= std::max(name.size(), wrong.size());
    if (row[name.size()] < best_distance && !all_changed) best_distance = row[name.size()], best = name;
  }
  return best;
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known, std::string otherwise) {
  const std::string near = nearest_name(wrong, known);
  return near.empty() ? otherwise : fmt::format("did you mean '{}'?", near);
}

std::string or_did_you_mean(std::string_view wrong, const std::vector<std::string>& known, std::string otherwise) {
  const std::string meant = did_you_mean(wrong, known);
  return meant.empty() ? otherwise : "; " + meant;
}

}  // namespace tenon
