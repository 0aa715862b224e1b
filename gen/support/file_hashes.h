// The table of files in MANIFEST.json: what a run wrote, so that a later run knows its own files from those of the
// user.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tenon {

/// Which output a folder holds, such as "model net", and the hash of each of its files but the manifest itself.
struct FileHashes {
  std::string output;
  std::map<std::string, std::string> hashes;

  /// Whether the file has these bytes since a run wrote it.
  bool wrote(const std::string& path, const std::string& bytes) const;
};

/// The manifest, an object of JSON, with the keys `output` and `files` added at its end, and the hash of all that
/// is before.
std::string with_file_hashes(std::string manifest, const FileHashes& table);

/// The table of a manifest's text; an empty one if there is none, or where it was edited.
FileHashes read_file_hashes(const std::string& manifest);

/// 64 bits as 16 hexadecimal digits, the same on every machine. It detects edits, not attacks.
std::string hash_of(std::string_view text);

}  // namespace tenon
