// Reads members of .npz archives: zip files whose members are stored or deflated.
#include <fmt/format.h>
#include <zlib.h>

#include "frontend/tensors/tensor_files.h"

namespace tenon {
namespace {

constexpr uint32_t kEndSignature = 0x06054b50, kEntrySignature = 0x02014b50, kLocalSignature = 0x04034b50;
constexpr size_t kEndSize = 22, kEntrySize = 46, kLocalSize = 30, kMaxComment = 65535;
// Deflate makes at most about a thousand bytes of one.
constexpr uint64_t kMaxRatio = 1100;

struct ZipError {
  std::string message;
};

struct ZipMember {
  std::string name;
  uint32_t method = 0, crc = 0;
  uint64_t packed = 0, size = 0, local = 0;
};

uint32_t little(std::span<const uint8_t> b, size_t at, int width) {
  if (at > b.size() || b.size() - at < static_cast<size_t>(width)) throw ZipError{"the archive is cut off"};
  uint32_t v = 0;
  for (int i = 0; i < width; ++i) v |= static_cast<uint32_t>(b[at + static_cast<size_t>(i)]) << (8 * i);
  return v;
}

size_t end_of_directory(std::span<const uint8_t> b) {
  if (b.size() < kEndSize) throw ZipError{"this is not a .npz file"};
  const size_t lowest = b.size() > kEndSize + kMaxComment ? b.size() - kEndSize - kMaxComment : 0;
  for (size_t at = b.size() - kEndSize + 1; at-- > lowest;)
    if (little(b, at, 4) == kEndSignature) return at;
  throw ZipError{"this is not a .npz file"};
}

std::vector<ZipMember> directory(std::span<const uint8_t> b) {
  const size_t end = end_of_directory(b);
  const uint32_t count = little(b, end + 10, 2);
  size_t at = little(b, end + 16, 4);
  std::vector<ZipMember> members;
  for (uint32_t i = 0; i < count; ++i) {
    if (little(b, at, 4) != kEntrySignature) throw ZipError{"the archive's directory is damaged"};
    ZipMember m;
    m.method = little(b, at + 10, 2);
    m.crc = little(b, at + 16, 4);
    m.packed = little(b, at + 20, 4);
    m.size = little(b, at + 24, 4);
    m.local = little(b, at + 42, 4);
    const size_t name = little(b, at + 28, 2), rest = little(b, at + 30, 2) + little(b, at + 32, 2);
    if (at + kEntrySize + name > b.size()) throw ZipError{"the archive is cut off"};
    m.name.assign(reinterpret_cast<const char*>(b.data()) + at + kEntrySize, name);
    at += kEntrySize + name + rest;
    members.push_back(std::move(m));
  }
  return members;
}

std::vector<uint8_t> inflate_member(std::span<const uint8_t> packed, uint64_t size) {
  if (size > packed.size() * kMaxRatio + 64) throw ZipError{"a member's stated size cannot be true"};
  std::vector<uint8_t> out(size + 1);
  z_stream z{};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) throw ZipError{"the decompressor does not start"};
  z.next_in = const_cast<uint8_t*>(packed.data());
  z.avail_in = static_cast<uInt>(packed.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  const int status = inflate(&z, Z_FINISH);
  const uint64_t made = z.total_out;
  inflateEnd(&z);
  if (status != Z_STREAM_END || made != size) throw ZipError{"a member's compressed bytes are damaged"};
  out.resize(size);
  return out;
}

std::vector<uint8_t> unpack(std::span<const uint8_t> b, const ZipMember& m) {
  if (m.size == 0xffffffffu || m.packed == 0xffffffffu) throw ZipError{"members of 4 GiB and more cannot be read"};
  if (little(b, m.local, 4) != kLocalSignature) throw ZipError{"the archive's directory is damaged"};
  const uint64_t start = m.local + kLocalSize + little(b, m.local + 26, 2) + little(b, m.local + 28, 2);
  if (start > b.size() || m.packed > b.size() - start) throw ZipError{"the archive is cut off"};
  const std::span<const uint8_t> packed = b.subspan(start, m.packed);
  std::vector<uint8_t> bytes;
  if (m.method == 0) bytes.assign(packed.begin(), packed.end());
  else if (m.method == 8) bytes = inflate_member(packed, m.size);
  else throw ZipError{fmt::format("compression method {} cannot be read", m.method)};
  if (crc32(0, bytes.data(), static_cast<uInt>(bytes.size())) != m.crc)
    throw ZipError{"a member's checksum does not fit"};
  return bytes;
}

const ZipMember& choose(const std::vector<ZipMember>& members, const std::string& name) {
  if (name.empty() && members.size() == 1) return members[0];
  std::string names;
  for (const ZipMember& m : members) {
    if (!name.empty() && (m.name == name || m.name == name + ".npy")) return m;
    if (names.size() < 200) names += (names.empty() ? "" : ", ") + m.name;
  }
  throw ZipError{fmt::format("the archive has no array '{}', but {}", name, names.empty() ? "none at all" : names)};
}

Diagnostics unreadable(const ZipError& error, const std::string& where) {
  Diagnostics d;
  d.error_at(Code::E0922, where, error.message);
  return d;
}

}  // namespace

Result<TensorData> read_npz(std::span<const uint8_t> bytes, const std::string& member, const std::string& where) {
  try {
    const std::vector<ZipMember> members = directory(bytes);
    return read_npy(unpack(bytes, choose(members, member)), where);
  } catch (const ZipError& error) {
    return unreadable(error, where);
  }
}

Result<std::vector<std::string>> npz_names(std::span<const uint8_t> bytes, const std::string& where) {
  constexpr std::string_view ending = ".npy";
  std::vector<std::string> names;
  try {
    for (const ZipMember& m : directory(bytes))
      names.push_back(m.name.ends_with(ending) ? m.name.substr(0, m.name.size() - ending.size()) : m.name);
  } catch (const ZipError& error) {
    return unreadable(error, where);
  }
  return names;
}

}  // namespace tenon
