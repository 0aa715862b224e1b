// Turns a TensorProto into bytes.
#include "frontend/onnx/onnx_tensor.h"

#include <fmt/format.h>

#include <cstring>

#include "frontend/tensors/tensor_files.h"
#include "ir/number/small_number.h"
#include "support/parse_number.h"
#include "support/ranges.h"

namespace tenon {
namespace {

namespace fs = std::filesystem;
using tenon_onnx::TensorProto;

enum class Field { none, float_data, int32_data, int64_data, double_data, uint64_data };

struct TypeRow {
  int code;
  const char* name;
  std::optional<DType> dtype;
  Field field;  // holds the elements if they are not raw; half types are stored as the bits of an int32
};
const TypeRow kTypes[] = {
    {1, "FLOAT", DType::F32, Field::float_data},
    {2, "UINT8", DType::U8, Field::int32_data},
    {3, "INT8", DType::I8, Field::int32_data},
    {4, "UINT16", DType::U16, Field::int32_data},
    {5, "INT16", DType::I16, Field::int32_data},
    {6, "INT32", DType::I32, Field::int32_data},
    {7, "INT64", DType::I64, Field::int64_data},
    {8, "STRING", std::nullopt, Field::none},
    {9, "BOOL", DType::Bool, Field::int32_data},
    {10, "FLOAT16", DType::F16, Field::int32_data},
    {11, "DOUBLE", DType::F64, Field::double_data},
    {12, "UINT32", DType::U32, Field::uint64_data},
    {13, "UINT64", DType::U64, Field::uint64_data},
    {14, "COMPLEX64", DType::C64, Field::float_data},
    {15, "COMPLEX128", DType::C128, Field::double_data},
    {16, "BFLOAT16", DType::BF16, Field::int32_data},
    {17, "FLOAT8E4M3FN", DType::F8E4M3FN, Field::int32_data},
    {18, "FLOAT8E4M3FNUZ", DType::F8E4M3FNUZ, Field::int32_data},
    {19, "FLOAT8E5M2", DType::F8E5M2, Field::int32_data},
    {20, "FLOAT8E5M2FNUZ", DType::F8E5M2FNUZ, Field::int32_data},
    {21, "UINT4", DType::U4, Field::int32_data},
    {22, "INT4", DType::I4, Field::int32_data},
    {23, "FLOAT4E2M1", DType::F4E2M1, Field::int32_data},
    {24, "FLOAT8E8M0", DType::F8E8M0, Field::int32_data},
    {25, "UINT2", DType::U2, Field::int32_data},
    {26, "INT2", DType::I2, Field::int32_data},
};

struct TensorError {
  Diagnostics diagnostics;
};

[[noreturn]] void fail(Code code, const std::string& where, const std::string& message,
                       std::vector<std::string> notes = {}) {
  TensorError e;
  e.diagnostics.error_at(code, where, message, std::move(notes));
  throw e;
}

const TypeRow* type_row(int code) {
  return find_pointer(kTypes, [&](const TypeRow& row) { return row.code == code; });
}

// Keeps the low bytes of each number: the element.
template <class Numbers>
std::vector<uint8_t> narrowed(const Numbers& numbers, size_t width) {
  std::vector<uint8_t> bytes;
  bytes.reserve(static_cast<size_t>(numbers.size()) * width);
  for (const auto n : numbers)
    for (size_t k = 0; k < width; ++k) bytes.push_back(static_cast<uint8_t>(static_cast<uint64_t>(n) >> (8 * k)));
  return bytes;
}

template <class Numbers>
std::vector<uint8_t> copied(const Numbers& numbers) {
  std::vector<uint8_t> bytes(static_cast<size_t>(numbers.size()) * sizeof(*numbers.data()));
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::vector<uint8_t> typed_bytes(const TensorProto& t, const TypeRow& row) {
  const size_t width = static_cast<size_t>(bytes_of(*row.dtype));
  switch (row.field) {
    case Field::float_data: return copied(t.float_data());
    case Field::double_data: return copied(t.double_data());
    case Field::int32_data: return narrowed(t.int32_data(), width);
    case Field::int64_data: return narrowed(t.int64_data(), width);
    case Field::uint64_data: return narrowed(t.uint64_data(), width);
    case Field::none: return {};
  }
  return {};
}

int64_t whole_number(const std::string& text, const std::string& key, const std::string& where) {
  const auto v = parse_number<int64_t>(text);
  if (!v || *v < 0) fail(Code::E0805, where, fmt::format("external data has {} '{}'", key, text));
  return *v;
}

// A model must not reach files outside of its own folder: neither by its paths nor by links.
fs::path inside(const fs::path& folder, const std::string& location, const std::string& where) {
  const fs::path relative = fs::path(location).lexically_normal();
  const bool leaves = location.empty() || relative.is_absolute() || relative.begin()->string() == ".." ||
                      location.find('\0') != std::string::npos;
  std::error_code ec;
  const fs::path base = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, ec);
  const fs::path full = fs::weakly_canonical(base / relative, ec);
  const fs::path back = full.lexically_relative(base);
  if (leaves || back.empty() || back.begin()->string() == "..")
    fail(Code::E0804, where, fmt::format("external data '{}' is outside of the model's folder", location),
         {"put the file next to the model"});
  return full;
}

std::vector<uint8_t> external_bytes(const TensorProto& t, const fs::path& folder, int64_t expected,
                                    const std::string& where) {
  std::string location;
  int64_t offset = 0, length = expected;
  for (const auto& entry : t.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = whole_number(entry.value(), "offset", where);
    if (entry.key() == "length") length = whole_number(entry.value(), "length", where);
  }
  const fs::path path = inside(folder, location, where);
  Result<std::vector<uint8_t>> bytes = read_bytes(path.string(), where, offset, length);
  if (!bytes.ok()) throw TensorError{bytes.diagnostics()};
  return std::move(bytes).value();
}

/// One bulk copy: a copy between char iterators is done byte by byte.
std::vector<uint8_t> raw_bytes(const TensorProto& t) {
  const auto* first = reinterpret_cast<const uint8_t*>(t.raw_data().data());
  return {first, first + t.raw_data().size()};
}

/// How many elements one byte of the file holds.
int64_t packed_in_byte(DType d) { return is_small(d) ? 8 / code_bits(d) : 1; }

/// One element a byte, from bytes that hold several, the first in the low bits.
std::vector<uint8_t> unpacked(const std::vector<uint8_t>& bytes, DType d, int64_t count) {
  const int bits = code_bits(d), each = 8 / bits;
  std::vector<uint8_t> out(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<uint8_t>(bytes[i / static_cast<size_t>(each)] >>
                                      (bits * static_cast<int>(i % static_cast<size_t>(each))) &
                                  ((1 << bits) - 1));
  return out;
}

TensorData read_tensor(const TensorProto& t, const fs::path& folder, const std::string& where) {
  const TypeRow* row = type_row(t.data_type());
  if (!row || !row->dtype)
    fail(Code::E0805, where, fmt::format("tensors of type {} cannot be read", onnx_dtype_name(t.data_type())));
  if (t.has_segment()) fail(Code::E0805, where, "a tensor in segments cannot be read");
  TensorData data{*row->dtype, {t.dims().begin(), t.dims().end()}, {}};
  const int64_t count = element_count(data.dims), width = bytes_of(*row->dtype), packed = packed_in_byte(data.dtype);
  if (count < 0 || count > (int64_t{1} << 40)) fail(Code::E0805, where, "the extents are negative or too large");
  const int64_t size = (count + packed - 1) / packed * width;
  if (t.data_location() == TensorProto::EXTERNAL) data.bytes = external_bytes(t, folder, size, where);
  // Some writers set the raw field to nothing next to typed elements.
  else if (t.has_raw_data() && (count == 0 || !t.raw_data().empty())) data.bytes = raw_bytes(t);
  else data.bytes = typed_bytes(t, *row);
  if (data.bytes.size() != static_cast<uint64_t>(size))
    fail(Code::E0805, where,
         packed == 1 ? fmt::format("the extents take {} elements of {} bytes, but there are {} bytes", count, width,
                                   data.bytes.size())
                     : fmt::format("the extents take {} elements, {} a byte, but there are {} bytes", count, packed,
                                   data.bytes.size()));
  if (packed > 1) data.bytes = unpacked(data.bytes, data.dtype, count);
  if (data.dtype == DType::Bool)
    for (uint8_t& b : data.bytes) b = b != 0;
  return data;
}

}  // namespace

std::optional<DType> onnx_dtype(int element_type) {
  const TypeRow* row = type_row(element_type);
  return row ? row->dtype : std::nullopt;
}

int onnx_type_of(DType dtype) {
  for (const TypeRow& row : kTypes)
    if (row.dtype == dtype) return row.code;
  return 0;
}

std::string onnx_dtype_name(int element_type) {
  const TypeRow* row = type_row(element_type);
  return row ? row->name : fmt::format("number {}", element_type);
}

Result<TensorData> read_onnx_tensor(const TensorProto& tensor, const fs::path& folder, const std::string& where) {
  try {
    return read_tensor(tensor, folder, where);
  } catch (const TensorError& error) {
    return error.diagnostics;
  }
}

void fill_onnx_tensor(TensorProto& tensor, const std::string& name, const TensorData& data) {
  tensor.Clear();
  tensor.set_name(name);
  tensor.set_data_type(onnx_type_of(data.dtype));
  for (const int64_t d : data.dims) tensor.add_dims(d);
  tensor.set_raw_data(data.bytes.data(), data.bytes.size());
}

std::optional<std::string> external_file(const TensorProto& tensor, const fs::path& folder) {
  if (tensor.data_location() != TensorProto::EXTERNAL) return std::nullopt;
  for (const auto& entry : tensor.external_data())
    if (entry.key() == "location") return (folder / entry.value()).string();
  return std::nullopt;
}

}  // namespace tenon
