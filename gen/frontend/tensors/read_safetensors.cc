// Reads .safetensors: the header is JSON, which is read as the YAML that it also is.
#include <fmt/format.h>

#include <memory>

#include "frontend/tensors/tensor_files.h"
#include "support/parse_number.h"
#include "support/yaml_document.h"

namespace tenon {
namespace {

// A header larger than this describes no network that fits a file of this format.
constexpr uint64_t kMaxHeader = uint64_t{100} << 20;

struct SafetensorsError {
  std::string message;
};

struct FormatRow {
  std::string_view name;
  DType dtype;
};
constexpr FormatRow kFormats[] = {{"BOOL", DType::Bool},
                                  {"U8", DType::U8},
                                  {"I8", DType::I8},
                                  {"U16", DType::U16},
                                  {"I16", DType::I16},
                                  {"F16", DType::F16},
                                  {"BF16", DType::BF16},
                                  {"U32", DType::U32},
                                  {"I32", DType::I32},
                                  {"F32", DType::F32},
                                  {"U64", DType::U64},
                                  {"I64", DType::I64},
                                  {"F64", DType::F64},
                                  {"C64", DType::C64},
                                  {"F8_E4M3", DType::F8E4M3FN},
                                  {"F8_E4M3FNUZ", DType::F8E4M3FNUZ},
                                  {"F8_E5M2", DType::F8E5M2},
                                  {"F8_E5M2FNUZ", DType::F8E5M2FNUZ},
                                  {"F8_E8M0", DType::F8E8M0}};

std::vector<int64_t> integers(const YamlNode* node, std::string_view key) {
  if (!node || !node->is_sequence()) throw SafetensorsError{fmt::format("a tensor's {} is not a list", key)};
  std::vector<int64_t> values;
  for (const YamlNode& item : node->items) {
    const auto v = item.is_scalar() ? parse_number<int64_t>(item.text) : std::nullopt;
    if (!v || *v < 0) throw SafetensorsError{fmt::format("a tensor's {} holds '{}'", key, item.text)};
    values.push_back(*v);
  }
  return values;
}

DType format(const YamlNode* node) {
  const std::string name = node ? node->text : "";
  for (const FormatRow& row : kFormats)
    if (row.name == name) return row.dtype;
  throw SafetensorsError{fmt::format("dtype '{}' cannot be read", name)};
}

TensorData tensor_at(const YamlNode& entry, std::span<const uint8_t> data) {
  TensorData t{format(entry.find("dtype")), integers(entry.find("shape"), "shape"), {}};
  const std::vector<int64_t> offsets = integers(entry.find("data_offsets"), "data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1] || static_cast<uint64_t>(offsets[1]) > data.size())
    throw SafetensorsError{"a tensor's data_offsets are outside of the file"};
  const int64_t count = element_count(t.dims), length = offsets[1] - offsets[0], width = bytes_of(t.dtype);
  if (count < 0) throw SafetensorsError{"a tensor's number of elements overflows"};
  if (length % width != 0 || length / width != count)
    throw SafetensorsError{fmt::format("a tensor of {} elements of {} bytes has {} bytes", count, width, length)};
  t.bytes.assign(data.begin() + offsets[0], data.begin() + offsets[1]);
  return t;
}

}  // namespace

Result<TensorData> read_safetensors(std::span<const uint8_t> bytes, const std::string& name, const std::string& where) {
  try {
    uint64_t length = 0;
    for (size_t i = 0; i < 8 && i < bytes.size(); ++i) length |= static_cast<uint64_t>(bytes[i]) << (8 * i);
    if (bytes.size() < 8 || length > bytes.size() - 8 || length > kMaxHeader)
      throw SafetensorsError{"this is not a .safetensors file, or it is cut off"};
    const std::string header(reinterpret_cast<const char*>(bytes.data()) + 8, length);
    const Result<std::vector<YamlNode>> json = read_yaml(std::make_shared<SourceFile>(where, header));
    if (!json.ok() || json.value().size() != 1 || !json.value()[0].is_map())
      throw SafetensorsError{"the header is not a JSON object"};
    const YamlNode* entry = json.value()[0].find(name);
    if (entry && entry->is_map()) return tensor_at(*entry, bytes.subspan(8 + length));
    std::string names;
    for (const YamlEntry& e : json.value()[0].entries)
      if (names.size() < 200 && e.key.text != "__metadata__") names += (names.empty() ? "" : ", ") + e.key.text;
    throw SafetensorsError{fmt::format("there is no tensor '{}', but {}", name, names.empty() ? "none at all" : names)};
  } catch (const SafetensorsError& error) {
    Diagnostics d;
    d.error_at(Code::E0923, where, error.message);
    return d;
  }
}

}  // namespace tenon
