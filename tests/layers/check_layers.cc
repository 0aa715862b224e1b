// Checks the rules of the house that a program can check: layers, purpose lines, sizes of files and functions,
// parameters, names, words.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr size_t max_file_lines = 600;
constexpr size_t long_file_lines = 400;
constexpr size_t max_line_width = 120;
constexpr size_t max_function_lines = 60;
constexpr size_t max_parameters = 5;
constexpr size_t shortest_purpose = 15;

struct Layers {
  std::map<std::string, std::set<std::string>> allowed;

  // A rule names a folder, or a whole module; the files of a module itself, next to its folders, may include these.
  bool may_include(const std::string& from, const std::string& to) const {
    if (from == to || top(to) == from) return true;
    const auto it = allowed.find(from);
    return it != allowed.end() && (it->second.count("*") || it->second.count(to) || it->second.count(top(to)));
  }
  static std::string top(const std::string& folder) { return folder.substr(0, folder.find('/')); }
};

struct Source {
  fs::path path;
  std::string name;  // relative to the checkout
  std::vector<std::string> lines;
};

class Report {
 public:
  void breach(const Source& source, size_t line, const std::string& what) {
    std::printf("%s:%zu: %s\n", source.name.c_str(), line, what.c_str());
    ++breaches_;
  }
  int breaches() const { return breaches_; }

 private:
  int breaches_ = 0;
};

std::vector<std::string> read_lines(const fs::path& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Layers read_layers(const fs::path& path) {
  Layers layers;
  for (const std::string& line : read_lines(path)) {
    const size_t colon = line.find(':');
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    std::istringstream folders(line.substr(colon + 1));
    auto& allowed = layers.allowed[line.substr(0, colon)];
    allowed.insert(std::istream_iterator<std::string>(folders), {});
  }
  return layers;
}

// gen/ir/graph/graph.h is in the folder `ir/graph`; a file of gen/ itself is a module of its own name.
std::string folder_of(const fs::path& below_gen) {
  return below_gen.has_parent_path() ? below_gen.parent_path().generic_string() : below_gen.stem().string();
}

// ARCHITECTURE.md names every module.
void check_plan(const fs::path& root, const Layers& layers, Report& report) {
  const Source plan{root / "ARCHITECTURE.md", "ARCHITECTURE.md", read_lines(root / "ARCHITECTURE.md")};
  for (const auto& [folder, allowed] : layers.allowed) {
    if (folder.find('/') != std::string::npos) continue;
    const bool exists = fs::exists(root / "gen" / folder) || fs::exists(root / "gen" / (folder + ".cc"));
    const bool named = std::any_of(plan.lines.begin(), plan.lines.end(), [&name = folder](const std::string& line) {
      return line.find("`gen/" + name + "/`") != std::string::npos ||
             line.find("`gen/" + name + ".*`") != std::string::npos;
    });
    if (exists && !named) report.breach(plan, 1, "the folder '" + folder + "' is not in the table of modules");
  }
}

std::string included_file(const std::string& line) {
  if (line.rfind("#include \"", 0) != 0) return {};
  const size_t end = line.find('"', 10);
  return end == std::string::npos ? std::string() : line.substr(10, end - 10);
}

/// Which folders of the same module each folder includes.
using Arrows = std::map<std::string, std::set<std::string>>;

void check_includes(const Source& source, const fs::path& gen, const Layers& layers, Arrows& arrows, Report& report) {
  const std::string folder = folder_of(fs::relative(source.path, gen));
  if (!layers.allowed.count(folder)) report.breach(source, 1, "the folder '" + folder + "' is not in gen/layers.txt");
  for (size_t i = 0; i < source.lines.size(); ++i) {
    const std::string file = included_file(source.lines[i]);
    if (file.empty()) continue;
    if (!fs::exists(gen / file)) {
      if (file.find(".pb.h") == std::string::npos)
        report.breach(source, i + 1, "\"" + file + "\" is not a file below gen/");
      continue;
    }
    const std::string other = folder_of(file);
    if (other != folder && Layers::top(other) == Layers::top(folder)) arrows[folder].insert(other);
    if (!layers.may_include(folder, other))
      report.breach(source, i + 1, "folder '" + folder + "' may not include folder '" + other + "'");
  }
}

bool reaches(const Arrows& arrows, const std::string& from, const std::string& to, std::set<std::string>& seen) {
  const auto at = arrows.find(from);
  if (at == arrows.end() || !seen.insert(from).second) return false;
  return std::any_of(at->second.begin(), at->second.end(),
                     [&](const std::string& next) { return next == to || reaches(arrows, next, to, seen); });
}

void check_circles(const fs::path& root, const Arrows& arrows, Report& report) {
  const Source layers{root / "gen" / "layers.txt", "gen/layers.txt", {}};
  for (const auto& [folder, others] : arrows)
    if (std::set<std::string> seen; reaches(arrows, folder, folder, seen))
      report.breach(layers, 1, "'" + folder + "' includes itself in a circle of folders");
}

// The type, alias or constant that a line at column 0 defines.
std::string defined_name(const std::string& line) {
  static const std::regex type("(?:class|struct|enum(?: class)?) (\\w+)\\b.*\\{.*");
  static const std::regex alias("using (\\w+) = .*");
  static const std::regex constant("constexpr [^=]*\\b(k\\w+)\\b.* = .*");
  std::smatch found;
  for (const std::regex* form : {&type, &alias, &constant})
    if (std::regex_match(line, found, *form)) return found[1];
  return {};
}

// A build without tests compiles a module with its folders as one file, so that unnamed namespaces of two files define
// one name differently nowhere. That functions differ in their parameters is left to the compiler.
void check_unnamed(const std::vector<Source>& sources, Report& report) {
  std::map<std::string, std::pair<std::string, std::string>> known;  // what line defines it, and the file
  for (const Source& source : sources) {
    if (source.path.extension() != ".cc") continue;
    const std::string module = Layers::top(folder_of(fs::path(source.name).lexically_relative("gen")));
    bool unnamed = false;
    for (size_t i = 0; i < source.lines.size(); ++i) {
      const std::string& line = source.lines[i];
      if (line == "namespace {" || line == "}  // namespace") unnamed = line[0] == 'n';
      const std::string name = unnamed ? defined_name(line) : std::string();
      if (name.empty()) continue;
      const auto& [text, file] = known.try_emplace(module + " " + name, line, source.name).first->second;
      if (file != source.name && (text != line || line.rfind("using ", 0) != 0))
        report.breach(source, i + 1, "'" + name + "' is defined in " + file + ", too");
    }
  }
}

void check_purpose(const Source& source, Report& report) {
  const std::string first = source.lines.empty() ? std::string() : source.lines[0];
  const bool comment = first.rfind("//", 0) == 0 || first.rfind("/*", 0) == 0;
  if (!comment || first.size() < shortest_purpose)
    report.breach(source, 1, "the first line does not say what the file is for");
}

// A `case` label with or without its result, or one row of a table of initialisers.
bool is_table_row(const std::string& line) {
  const size_t begin = line.find_first_not_of(' ');
  if (line.compare(begin, 5, "case ") == 0) return line.back() == ';' || line.back() == ':';
  const bool closed =
      line.size() > 2 && (line.compare(line.size() - 2, 2, "),") == 0 || line.compare(line.size() - 2, 2, "},") == 0);
  return closed && (line[begin] == '{' || (line[begin] >= 'A' && line[begin] <= 'Z'));
}

// Columns are code points: bytes that do not continue one.
size_t width_of(const std::string& line) {
  return static_cast<size_t>(
      std::count_if(line.begin(), line.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

// A string literal alone on its line: breaking it would make it harder to search for.
bool is_one_literal(const std::string& line) {
  const size_t begin = line.find_first_not_of(' ');
  return begin != std::string::npos && line[begin] == '"';
}

// Follows raw strings through a file: whether a part of the line is the text of one.
class RawStrings {
 public:
  bool touch(const std::string& line) {
    static const std::regex opening("R\"([a-z]*)\\(");
    bool touched = open_;
    for (size_t at = 0;;) {
      if (open_) {
        const size_t end = line.find(")" + delimiter_ + "\"", at);
        if (end == std::string::npos || (delimiter_.empty() && end + 2 < line.size() && line[end + 2] == '}'))
          return true;
        at = end + 1;
        open_ = false;
      }
      std::smatch found;
      const std::string rest = line.substr(at);
      if (!std::regex_search(rest, found, opening)) return touched;
      delimiter_ = found[1];
      at += static_cast<size_t>(found.position() + found.length());
      open_ = touched = true;
    }
  }

 private:
  bool open_ = false;
  std::string delimiter_;
};

// A row of a .def table is one line, and the text of a raw string is not ours to break.
void check_widths(const Source& source, Report& report) {
  if (source.path.extension() == ".def") return;
  RawStrings raw_strings;
  for (size_t i = 0; i < source.lines.size(); ++i) {
    const std::string& line = source.lines[i];
    const bool raw = raw_strings.touch(line);
    if (!raw && width_of(line) > max_line_width && !is_one_literal(line))
      report.breach(source, i + 1, "wider than " + std::to_string(max_line_width) + " columns");
  }
}

// A function body is what is between a line at column 0 that ends with '{' and the '}' at column 0 after it. A
// `case` with its result on one line is a row of a table and does not count.
void check_sizes(const Source& source, Report& report) {
  static const char* const not_functions[] = {"namespace", "struct", "class", "enum", "union",
                                              "extern",    "//",     "#",     "}"};
  if (source.lines.size() > max_file_lines)
    report.breach(source, source.lines.size(), "more than " + std::to_string(max_file_lines) + " lines");
  else if (source.lines.size() > long_file_lines)
    std::printf("%s: warning: %zu lines\n", source.name.c_str(), source.lines.size());
  size_t opened = 0, rows = 0;
  for (size_t i = 0; i < source.lines.size(); ++i) {
    const std::string& line = source.lines[i];
    if (!line.empty() && is_table_row(line)) ++rows;
    if (line.empty() || line[0] == ' ') continue;
    if (line[0] == '}' && opened) {
      if (const size_t length = i + 2 - opened - rows; length > max_function_lines)
        report.breach(source, opened, "a function of " + std::to_string(length) + " lines");
      opened = 0;
    } else if (line.back() == '{') {
      const bool function = line.find('(') != std::string::npos &&
                            std::none_of(std::begin(not_functions), std::end(not_functions),
                                         [&](const char* word) { return line.rfind(word, 0) == 0; });
      opened = function ? i + 1 : 0;
      rows = 0;
    }
  }
}

// The code of a file in one string: without comments and the contents of literals, which may have any brackets.
std::string bare_code(const Source& source) {
  std::string out;
  RawStrings raw_strings;
  for (const std::string& line : source.lines) {
    const bool raw = raw_strings.touch(line);
    char literal = 0;
    for (size_t i = 0; i < line.size() && !raw; ++i) {
      if (!literal && line.compare(i, 2, "//") == 0) break;
      const bool separates_digits = line[i] == '\'' && i > 0 && std::isdigit(static_cast<unsigned char>(line[i - 1]));
      if (literal && line[i] == '\\') ++i;
      else if (literal == line[i]) literal = 0;
      else if (!literal && !separates_digits && (line[i] == '"' || line[i] == '\'')) literal = line[i];
      else if (!literal) out += line[i];
    }
    out += '\n';
  }
  return out;
}

// The arguments or parameters between the bracket before `at` and its partner, behind which `at` is left. `<` opens a
// bracket where it follows a name at once: comparisons have blanks around them.
std::vector<std::string> separated(const std::string& code, size_t& at) {
  std::vector<std::string> parts(1);
  for (int depth = 1; at < code.size(); ++at) {
    const char c = code[at];
    if (c == '(' || c == '[' || c == '{' || (c == '<' && code[at - 1] != ' ')) ++depth;
    if (c == ')' || c == ']' || c == '}' || (c == '>' && code[at - 1] != ' ' && code[at - 1] != '-')) --depth;
    if (depth == 0) return ++at, parts;
    if (c == ',' && depth == 1) parts.emplace_back();
    else parts.back() += c;
  }
  return {};
}

// Functions are told from calls by what is between their brackets: each parameter is a type and a name.
void check_parameters(const Source& source, Report& report) {
  static const std::regex parameter(R"(\s*(const\s+)?(unsigned\s+)?[\w:]+(<[^;]*>)?[\s&*]*[\s&*]\w+(\s*=[^;]*)?\s*)");
  const std::string code = bare_code(source);
  for (size_t open = code.find('('); open != std::string::npos; open = code.find('(', open + 1)) {
    const bool named = open > 0 && (std::isalnum(static_cast<unsigned char>(code[open - 1])) || code[open - 1] == '_');
    size_t at = open + 1;
    const std::vector<std::string> parts = named ? separated(code, at) : std::vector<std::string>{};
    if (parts.size() > max_parameters &&
        std::all_of(parts.begin(), parts.end(), [](const std::string& p) { return std::regex_match(p, parameter); }))
      report.breach(source,
                    1 + static_cast<size_t>(std::count(code.begin(), code.begin() + static_cast<long>(open), '\n')),
                    "a function of " + std::to_string(parts.size()) + " parameters");
  }
}

// Paragraphs of a page are broken; rows of tables, indented or fenced code, and a line that begins with code are not.
void check_page_widths(const Source& source, Report& report) {
  if (source.path.extension() != ".md") return;
  bool fenced = false;
  for (size_t i = 0; i < source.lines.size(); ++i) {
    const std::string& line = source.lines[i];
    const size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos) continue;
    if (line.compare(indent, 3, "```") == 0) fenced = !fenced;
    if (!fenced && indent < 4 && line[indent] != '|' && line[indent] != '`' && width_of(line) > max_line_width)
      report.breach(source, i + 1, "wider than " + std::to_string(max_line_width) + " columns");
  }
}

// Definitions and templates of C.
void check_line_widths(const Source& source, Report& report) {
  const std::string name = source.path.filename().string();
  if (!name.ends_with(".yaml") && !name.ends_with(".c.in") && !name.ends_with(".h.in")) return;
  for (size_t i = 0; i < source.lines.size(); ++i)
    if (width_of(source.lines[i]) > max_line_width)
      report.breach(source, i + 1, "wider than " + std::to_string(max_line_width) + " columns");
}

// The marks are put together here so that this file does not hold them.
void check_words(const Source& source, Report& report) {
  static const std::string marks[] = {std::string("TO") + "DO", std::string("FIX") + "ME"};
  static const std::set<std::string> empty_names = {"util", "utils", "helper", "helpers", "manager", "common", "misc"};
  if (empty_names.count(source.path.stem().string())) report.breach(source, 1, "a name that says nothing");
  for (size_t i = 0; i < source.lines.size(); ++i)
    for (const std::string& mark : marks)
      if (source.lines[i].find(mark) != std::string::npos)
        report.breach(source, i + 1, "'" + mark + "' marks unfinished work");
}

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; }

// Whether the line has this word, other than in front of one of `allowed`.
bool has_word(const std::string& line, const std::string& word, const std::vector<std::string>& allowed) {
  for (size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at > 0 && is_word_char(line[at - 1])) || (end < line.size() && is_word_char(line[end]))) continue;
    if (std::none_of(allowed.begin(), allowed.end(),
                     [&](const auto& a) { return line.compare(end, a.size(), a) == 0; }))
      return true;
  }
  return false;
}

// Wordings that the project once had too many of; each was put together here so that this file does not hold it.
void check_wording(const Source& source, Report& report) {
  static const std::string wordings[] = {std::string("whole ") + "number",   std::string("great") + "est",
                                         std::string("cannot be ") + "told", std::string("is no ") + "key",
                                         std::string("nothing ") + "that",   std::string("nothing ") + "tells"};
  for (size_t i = 0; i < source.lines.size(); ++i)
    for (const std::string& wording : wordings)
      if (source.lines[i].find(wording) != std::string::npos)
        report.breach(source, i + 1, "write plainer than '" + wording + "': CONTRIBUTING.md, Style");
  static const std::string standing = std::string("sta") + "nd", next_to = std::string("be") + "side";
  for (size_t i = 0; i < source.lines.size(); ++i)
    for (const std::string& word : {standing, standing + "s", next_to})
      if (has_word(source.lines[i], word, {" for", " in for"}))
        report.breach(source, i + 1, "write plainer than '" + word + "': CONTRIBUTING.md, Style");
}

// Everything that a person reads and the generator prints from: sources, templates, definitions, pages.
std::vector<Source> texts_below(const fs::path& root) {
  static const std::set<std::string> kinds = {".cc", ".h", ".def", ".md", ".yaml", ".in"};
  std::vector<Source> found;
  for (const char* folder : {"gen", "templates", "opdefs", "docs", "cmake", "examples"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file() && kinds.count(entry.path().extension().string()))
        found.push_back({entry.path(), fs::relative(entry.path(), root).generic_string(), read_lines(entry.path())});
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.is_regular_file() && entry.path().extension() == ".md")
      found.push_back({entry.path(), entry.path().filename().string(), read_lines(entry.path())});
  std::sort(found.begin(), found.end(), [](const Source& a, const Source& b) { return a.name < b.name; });
  return found;
}

std::vector<Source> sources_below(const fs::path& root, const char* folder) {
  std::vector<Source> found;
  if (!fs::is_directory(root / folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const std::string extension = entry.path().extension().string();
    if (entry.is_regular_file() && (extension == ".h" || extension == ".cc" || extension == ".def"))
      found.push_back({entry.path(), fs::relative(entry.path(), root).generic_string(), read_lines(entry.path())});
  }
  std::sort(found.begin(), found.end(), [](const Source& a, const Source& b) { return a.name < b.name; });
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: check_layers CHECKOUT\n");
    return 2;
  }
  const fs::path root = argv[1];
  const Layers layers = read_layers(root / "gen" / "layers.txt");
  Report report;
  check_plan(root, layers, report);
  const std::vector<Source> generator = sources_below(root, "gen");
  const std::vector<Source> tests = sources_below(root, "tests");
  Arrows arrows;
  for (const Source& source : generator) check_includes(source, root / "gen", layers, arrows, report);
  check_circles(root, arrows, report);
  check_unnamed(generator, report);
  for (const Source& text : texts_below(root)) {
    check_wording(text, report);
    check_page_widths(text, report);
    check_line_widths(text, report);
  }
  for (const auto* group : {&generator, &tests})
    for (const Source& source : *group) {
      check_purpose(source, report);
      check_sizes(source, report);
      check_parameters(source, report);
      check_widths(source, report);
      check_words(source, report);
    }
  std::printf("%zu files, %d breaches\n", generator.size() + tests.size(), report.breaches());
  return report.breaches() == 0 && !generator.empty() ? 0 : 1;
}
