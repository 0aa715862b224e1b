// Reads the .npy format: magic, version, a Python dict as header, the elements.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>

#include "frontend/tensors/tensor_files.h"
#include "support/joined.h"

namespace tenon {
namespace {

// More than any real array of NumPy has, and far from overflowing arithmetic on extents.
constexpr size_t kMaxRank = 32;

struct NpyError {
  std::string message;
};

struct NpyHeader {
  DType dtype = DType::F32;
  bool big_endian = false;
  bool fortran = false;
  std::vector<int64_t> dims;
};

struct DescrRow {
  std::string_view code;  // after the byte order
  DType dtype;
};
constexpr DescrRow kDescr[] = {
    {"b1", DType::Bool}, {"i1", DType::I8},    {"i2", DType::I16},  {"i4", DType::I32},
    {"i8", DType::I64},  {"u1", DType::U8},    {"u2", DType::U16},  {"u4", DType::U32},
    {"u8", DType::U64},  {"f2", DType::F16},   {"f4", DType::F32},  {"f8", DType::F64},
    {"c8", DType::C64},  {"c16", DType::C128}, {"V2", DType::BF16}, {"V1", DType::U8},
};

// The header is {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }: keys in any order, no nesting except the
// tuple.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  NpyHeader read() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !descr) read_descr(header), descr = true;
      else if (key == "fortran_order" && !order) header.fortran = boolean(), order = true;
      else if (key == "shape" && !shape) header.dims = tuple(), shape = true;
      else throw NpyError{fmt::format("the header has the key '{}' where it should not", key)};
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    if (!descr || !order || !shape) throw NpyError{"the header lacks one of descr, fortran_order and shape"};
    skip();
    if (at_ != text_.size()) throw NpyError{fmt::format("the header goes on after its dict, at byte {}", at_)};
    return header;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) throw NpyError{fmt::format("the header has no '{}' at byte {}", c, at_)};
  }
  std::string quoted() {
    skip();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"')
      throw NpyError{"the header is not a dict of quoted keys (structured dtypes cannot be read)"};
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) throw NpyError{"a quote of the header is not closed"};
    std::string s(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return s;
  }
  void read_descr(NpyHeader& header) {
    const std::string descr = quoted();
    const char order = descr.empty() ? '\0' : descr[0];
    const std::string_view code = std::string_view(descr).substr(std::min<size_t>(1, descr.size()));
    for (const DescrRow& row : kDescr)
      if (row.code == code && (order == '<' || order == '>' || order == '|' || order == '=')) {
        header.dtype = row.dtype;
        header.big_endian = order == '>' && row.dtype != DType::BF16;
        return;
      }
    throw NpyError{fmt::format("dtype '{}' cannot be read", descr)};
  }
  bool boolean() {
    skip();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    throw NpyError{"fortran_order is neither True nor False"};
  }
  std::vector<int64_t> tuple() {
    std::vector<int64_t> dims;
    expect('(');
    while (!take(')')) {
      skip();
      int64_t extent = 0;
      const auto r = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (r.ec != std::errc() || extent < 0 || dims.size() >= kMaxRank)
        throw NpyError{"shape is not a tuple of extents"};
      at_ = static_cast<size_t>(r.ptr - text_.data());
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;
      dims.push_back(extent);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return dims;
  }

  std::string_view text_;
  size_t at_ = 0;
};

void swap_bytes(TensorData& t) {
  const size_t width = static_cast<size_t>(bytes_of(real_of(t.dtype)));
  for (size_t i = 0; i + width <= t.bytes.size(); i += width)
    std::reverse(t.bytes.begin() + static_cast<ptrdiff_t>(i), t.bytes.begin() + static_cast<ptrdiff_t>(i + width));
}

std::vector<uint8_t> row_major(const TensorData& t) {
  const size_t width = static_cast<size_t>(bytes_of(t.dtype)), rank = t.dims.size(), count = t.bytes.size() / width;
  std::vector<int64_t> at(rank, 0), stride(rank, 1);
  for (size_t d = 1; d < rank; ++d) stride[d] = stride[d - 1] * t.dims[d - 1];
  std::vector<uint8_t> result(t.bytes.size());
  for (size_t i = 0; i < count; ++i) {
    int64_t from = 0;
    for (size_t d = 0; d < rank; ++d) from += at[d] * stride[d];
    std::memcpy(result.data() + i * width, t.bytes.data() + static_cast<size_t>(from) * width, width);
    for (size_t d = rank; d-- > 0;) {
      if (++at[d] < t.dims[d]) break;
      at[d] = 0;
    }
  }
  return result;
}

/// The header, and where the elements begin.
std::pair<NpyHeader, size_t> parse_header(std::span<const uint8_t> bytes) {
  static constexpr uint8_t magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
  if (bytes.size() < 10 || !std::equal(std::begin(magic), std::end(magic), bytes.begin()))
    throw NpyError{"this is not a .npy file"};
  const size_t length_bytes = bytes[6] == 1 ? 2 : 4, start = 8 + length_bytes;
  if (bytes[6] < 1 || bytes[6] > 3 || bytes.size() < start)
    throw NpyError{fmt::format(".npy format {} cannot be read", bytes[6])};
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) length |= static_cast<size_t>(bytes[8 + i]) << (8 * i);
  if (length > bytes.size() - start) throw NpyError{"the header is cut off"};
  return {HeaderReader({reinterpret_cast<const char*>(bytes.data()) + start, length}).read(), start + length};
}

TensorData parse_npy(std::span<const uint8_t> bytes) {
  const auto [h, begin] = parse_header(bytes);
  const int64_t count = element_count(h.dims), width = bytes_of(h.dtype);
  const std::span<const uint8_t> data = bytes.subspan(begin);
  if (count < 0) throw NpyError{"the number of elements overflows"};
  if (static_cast<uint64_t>(count) > data.size() / static_cast<uint64_t>(width) ||
      static_cast<uint64_t>(count * width) != data.size())
    throw NpyError{fmt::format("the shape takes {} elements of {} bytes, but {} bytes follow the header", count, width,
                               data.size())};
  TensorData t{h.dtype, h.dims, {data.begin(), data.end()}};
  if (h.big_endian) swap_bytes(t);
  if (h.fortran) t.bytes = row_major(t);
  if (t.dtype == DType::Bool)
    for (uint8_t& b : t.bytes) b = b != 0;
  return t;
}

}  // namespace

Result<TensorData> read_npy(std::span<const uint8_t> bytes, const std::string& where) {
  try {
    return parse_npy(bytes);
  } catch (const NpyError& error) {
    Diagnostics d;
    d.error_at(Code::E0921, where, error.message);
    return d;
  }
}

std::string shape_text(const std::vector<int64_t>& dims) {
  return "(" + joined(dims, ", ", [](int64_t n) { return std::to_string(n); }) + ")";
}

std::optional<NpyType> npy_type(const std::string& path) {
  std::vector<char> bytes(1 << 16);
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  try {
    const size_t count = static_cast<size_t>(file.gcount());
    NpyHeader h = parse_header({reinterpret_cast<const uint8_t*>(bytes.data()), count}).first;
    return NpyType{h.dtype, std::move(h.dims)};
  } catch (const NpyError&) {
    return std::nullopt;
  }
}

}  // namespace tenon
