// Files that commands write under names that the user gave, identified by their first bytes.
#include "support/file_form.h"

#include <cstdio>
#include <string>

namespace tenon {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

/// The first bytes of a file; empty where it cannot be read.
std::string first_bytes(const fs::path& path) {
  std::string bytes(size_t{1} << 14, '\0');
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return {};
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  std::fclose(file);
  return bytes;
}

bool has(std::string_view bytes, std::string_view part) { return bytes.find(part) != std::string_view::npos; }

/// An archive whose first member is an array.
bool is_npz(std::string_view bytes) {
  constexpr size_t length_at = 26, name_at = 30;
  if (!bytes.starts_with("PK\3\4"sv) || bytes.size() < name_at) return false;
  const size_t length =
      static_cast<unsigned char>(bytes[length_at]) + (size_t{static_cast<unsigned char>(bytes[length_at + 1])} << 8);
  return bytes.substr(name_at, length).ends_with(".npy");
}

/// The format version and the producer come first in a model.
bool is_model_of_tenon(std::string_view bytes) {
  constexpr size_t head = 24;
  return has(bytes.substr(0, head), "\x12\x05tenon"sv);
}

/// One rule of Make that goes on in the next line.
bool is_rule(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  return line.ends_with(": \\") || (line.ends_with(":") && bytes.size() <= line.size() + 1);
}

bool has_form(std::string_view bytes, FileForm form) {
  switch (form) {
    case FileForm::npy: return bytes.starts_with("\x93NUMPY"sv);
    case FileForm::npz: return is_npz(bytes);
    case FileForm::onnx: return is_model_of_tenon(bytes);
    case FileForm::svg: return bytes.starts_with("<svg") && has(bytes, kSvgMark);
    case FileForm::json: return bytes.starts_with("{\n  \"tenon\":");
    case FileForm::schedules: return bytes.starts_with("# Found by `tenon tune`");
    case FileForm::log: return bytes.starts_with("step\tloss\n");
    case FileForm::depfile: return is_rule(bytes);
  }
  return false;
}

}  // namespace

std::string_view name_of(FileForm form) {
  switch (form) {
    case FileForm::npy: return "an array in .npy";
    case FileForm::npz: return "an archive of arrays, .npz";
    case FileForm::onnx: return "a model that Tenon wrote";
    case FileForm::svg: return "an SVG that Tenon wrote";
    case FileForm::json: return "a report of `tenon bench`";
    case FileForm::schedules: return "a file of `tenon tune`";
    case FileForm::log: return "a log of `tenon train`";
    case FileForm::depfile: return "a depfile that Tenon wrote";
  }
  return "";
}

bool may_replace(const fs::path& place, FileForm form) {
  std::error_code error;
  if (!fs::is_regular_file(place, error) || fs::file_size(place, error) == 0) return true;
  return has_form(first_bytes(place), form);
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  const fs::file_status status = fs::status(a, error);
  if (fs::exists(status)) return fs::is_regular_file(status) && fs::equivalent(a, b, error);
  const fs::path left = fs::weakly_canonical(a, error), right = fs::weakly_canonical(b, error);
  return !error && left == right;
}

}  // namespace tenon
