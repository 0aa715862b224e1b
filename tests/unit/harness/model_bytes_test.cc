// Bytes as string literals: read back, whatever is in them and however many there are.
#include <memory>
#include <string>
#include <vector>

#include "catch.h"
#include "harness/model/model_weights.h"

namespace tenon::model_bytes_test {
namespace {

std::string text_of(const std::vector<uint8_t>& bytes) {
  std::string out;
  append_byte_rows(bytes.data(), bytes.size(), out);
  return out;
}

bool is_octal(char c) { return c >= '0' && c <= '7'; }

/// What a compiler makes of the literals; `rows` gets how many there are.
std::vector<uint8_t> read_back(const std::string& text, size_t& rows) {
  std::vector<uint8_t> out;
  rows = 1;
  bool inside = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') inside = !inside;
    else if (!inside) rows += c == ',' ? 1 : 0;
    else if (c != '\\') out.push_back(static_cast<uint8_t>(c));
    else if (!is_octal(text[i + 1])) out.push_back(static_cast<uint8_t>(text[++i]));
    else {
      unsigned value = 0;
      for (int digit = 0; digit < 3 && is_octal(text[i + 1]); ++digit)
        value = value * 8 + static_cast<unsigned>(text[++i] - '0');
      out.push_back(static_cast<uint8_t>(value));
    }
  }
  return out;
}

std::vector<uint8_t> mixed(size_t count) {
  std::vector<uint8_t> out(count);
  uint32_t state = 1;
  for (uint8_t& b : out) b = static_cast<uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
  return out;
}

TEST_CASE("bytes of weights as literals: read back, in rows, a comma between two") {
  for (const size_t count : {1u, 126u, 127u, 4032u, 4033u, 300'000u, 17'000'001u}) {
    const std::vector<uint8_t> bytes = mixed(count);
    size_t rows = 0;
    const std::string text = text_of(bytes);
    CHECK(read_back(text, rows) == bytes);
    CHECK(static_cast<int64_t>(rows) == byte_rows(count).rows);
    CHECK(text.substr(text.size() - 2) == "\"\n");
  }
  CHECK(text_of({0, '7', 0, '8', '?', '"', '\\', 'a'}) == "\"\\0007\\08\\77\\\"\\\\a\"\n");
}

TEST_CASE("definitions of weights: as long as their texts need, behind what is there") {
  const auto data = std::make_shared<const TensorData>(TensorData{DType::U8, {2000}, mixed(2000)});
  std::string text = "begin\n";
  append_definitions({{"net_w0", data}, {"net_w1", data}}, text);
  CHECK(text.starts_with("begin\nconst union net_w0 net_w0 = {{\n\""));
  CHECK(text.find("const union net_w1 net_w1") != std::string::npos);
}

}  // namespace
}  // namespace tenon::model_bytes_test
