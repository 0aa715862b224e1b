// Reading a text file or standard input whole.
#include "support/read_source.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace tenon {

namespace {

constexpr std::size_t kLargestText = std::size_t{64} << 20;

Diagnostics refusal(const std::string& path, const std::string& why, std::vector<std::string> notes = {}) {
  Diagnostics diagnostics;
  diagnostics.error_at(Code::E0108, path, why, std::move(notes));
  return diagnostics;
}

}  // namespace

Result<SourceFileRef> read_source(const std::string& path) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "<stdin>" : path.empty() ? "''" : path;
  std::error_code error;
  if (!standard_input && std::filesystem::is_directory(path, error))
    return refusal(name, "this is a folder, not a file", {"name a file in it"});
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(nullptr, &std::fclose);
  if (!standard_input) opened.reset(std::fopen(path.c_str(), "rb"));
  std::FILE* file = standard_input ? stdin : opened.get();
  if (file == nullptr) return refusal(name, fmt::format("cannot open the file: {}", std::strerror(errno)));
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file)) {
    text.append(buffer, got);
    if (text.size() > kLargestText) return refusal(name, "the file is larger than 64 MiB");
  }
  if (std::ferror(file) != 0) return refusal(name, fmt::format("cannot read the file: {}", std::strerror(errno)));
  return SourceFileRef(std::make_shared<const SourceFile>(name, std::move(text)));
}

}  // namespace tenon
