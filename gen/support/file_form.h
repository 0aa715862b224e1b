// Recognizes the files that commands write under names that the user gave, by their first bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace tenon {

enum class FileForm : uint8_t { npy, npz, onnx, svg, json, schedules, log, depfile };

/// What a file of that form is, such as "an array in .npy".
std::string_view name_of(FileForm form);

/// The element of a picture by which a later run knows it as one of Tenon's.
inline constexpr std::string_view kSvgMark = "<desc>made by Tenon</desc>";

/// Whether a file may be written to this path: it does not exist, is empty, has the form, or is a pipe, a device or a
/// folder, which are not replaced.
bool may_replace(const std::filesystem::path& place, FileForm form);

/// Whether two names are those of one regular file, there or not yet there.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace tenon
