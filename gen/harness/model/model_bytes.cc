// Bytes as string literals in rows that every C99 compiler takes, and their checksum.

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "harness/model/model_weights.h"
#include "support/parallel.h"

namespace tenon {
namespace {

constexpr size_t kRow = 4032;                      ///< a string literal of C99 has at most 4095 characters
constexpr size_t kPiece = 126;                     ///< bytes a line
constexpr size_t kBlock = 64 * 1024, kBatch = 32;  ///< bytes that one worker spells at once; so many blocks in turn,
                                                   ///< whose text stays in the cache until it is appended

/// How a byte is spelled inside a literal.
struct Spelling {
  char text[4] = {};
  uint8_t length = 0;
};

Spelling octal(unsigned c, bool full) {
  Spelling s;
  const auto put = [&s](unsigned v) { s.text[s.length++] = static_cast<char>(v); };
  put('\\');
  if (full || c >= 64) put('0' + (c >> 6));
  if (full || c >= 8) put('0' + (c >> 3 & 7u));
  put('0' + (c & 7u));
  return s;
}

/// Question marks are spelled in octal: two of them begin a trigraph.
Spelling spelling(unsigned c, bool before_digit) {
  if (c < 32 || c > 126 || c == '?') return octal(c, before_digit);
  Spelling s;
  if (c == '"' || c == '\\') s.text[s.length++] = '\\';
  s.text[s.length++] = static_cast<char>(c);
  return s;
}

std::array<std::array<Spelling, 256>, 2> spellings() {
  std::array<std::array<Spelling, 256>, 2> out;
  for (unsigned c = 0; c < 256; ++c) {
    out[0][c] = spelling(c, false);
    out[1][c] = spelling(c, true);
  }
  return out;
}

/// A literal of at most kRow bytes, in lines; a comma after it unless it is the last.
void append_row(const uint8_t* data, size_t bytes, bool last, std::string& out) {
  static const auto table = spellings();
  std::array<char, 4 * kPiece> line;
  for (size_t at = 0; at < bytes; at += kPiece) {
    const size_t stop = std::min(bytes, at + kPiece);
    size_t n = 0;
    for (size_t i = at; i < stop; ++i) {
      const bool before_digit = i + 1 < stop && data[i + 1] >= '0' && data[i + 1] <= '7';
      const Spelling& s = table[before_digit ? 1 : 0][data[i]];
      std::memcpy(&line[n], s.text, sizeof s.text);
      n += s.length;
    }
    out.append(at == 0 ? "\"" : "\n\"").append(line.data(), n) += '"';
  }
  out += last ? "\n" : ",\n";
}

}  // namespace

uint64_t checksum(const std::string& blob, ByteOrder order) {
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t at = 0; at + 8 <= blob.size(); at += 8) {
    uint64_t word = 0;
    for (size_t b = 0; b < 8; ++b) {
      const size_t place = order == ByteOrder::big ? 7 - b : b;
      word |= static_cast<uint64_t>(static_cast<unsigned char>(blob[at + b])) << (8 * place);
    }
    h = (h ^ word) * 0x100000001b3u;
  }
  return h;
}

ByteRows byte_rows(size_t bytes) {
  const size_t n = std::max<size_t>(bytes, 1), rows = (n + kRow - 1) / kRow;
  return {static_cast<int64_t>(rows), static_cast<int64_t>((n + rows - 1) / rows)};
}

void append_byte_rows(const uint8_t* data, size_t bytes, std::string& out) {
  const auto row = static_cast<size_t>(byte_rows(bytes).width);
  const size_t block = std::max<size_t>(1, kBlock / row) * row;
  std::vector<std::string> texts(std::min(kBatch, (bytes + block - 1) / block));
  for (size_t begin = 0; begin < bytes; begin += texts.size() * block) {
    const size_t count = std::min(texts.size(), (bytes - begin + block - 1) / block);
    for_each_index(count, [&](size_t i) {
      texts[i].clear();
      texts[i].reserve(4 * block);
      const size_t from = begin + i * block, to = std::min(bytes, from + block);
      for (size_t at = from; at < to; at += row)
        append_row(data + at, std::min(row, to - at), at + row >= bytes, texts[i]);
    });
    for (size_t i = 0; i < count; ++i) out += texts[i];
  }
}

}  // namespace tenon
