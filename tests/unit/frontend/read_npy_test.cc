// .npy, .npz and .safetensors: what NumPy and others write is read, what is damaged is refused with a reason.
#include <cstring>

#include "catch.h"
#include "frontend/tensors/tensor_files.h"

namespace read_npy_test {

using namespace tenon;

namespace {

std::vector<uint8_t> npy(const std::string& header, const std::vector<uint8_t>& data) {
  std::vector<uint8_t> bytes = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<uint8_t>(header.size()), 0};
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

std::string why(const std::vector<uint8_t>& bytes) {
  const Result<TensorData> r = read_npy(bytes, "x.npy");
  return r.ok() ? "" : r.diagnostics().sorted().front().message;
}

std::vector<uint8_t> from_hex(const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

}  // namespace

TEST_CASE("frontend: .npy in either order of bytes and dimensions") {
  const auto c = read_npy(
      npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }\n", {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0}), "x");
  REQUIRE(c.ok());
  CHECK(c->dtype == DType::I16);
  CHECK(c->dims == std::vector<int64_t>{2, 3});
  CHECK(int_element(*c, 5) == 6);
  const auto f = read_npy(
      npy("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3)}", {0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6}), "x");
  REQUIRE(f.ok());
  CHECK(f->bytes == c->bytes);
  const auto scalar = read_npy(npy("{'descr': '|b1', 'fortran_order': False, 'shape': ()}", {7}), "x");
  REQUIRE(scalar.ok());
  CHECK(scalar->bytes == std::vector<uint8_t>{1});
  CHECK(read_npy(npy("{'descr': '|V2', 'fortran_order': False, 'shape': (1,)}", {0, 63}), "x")->dtype == DType::BF16);
}

TEST_CASE("frontend: damaged .npy files are refused") {
  CHECK(why({1, 2, 3}) == "this is not a .npy file");
  CHECK(why(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", {0, 0, 0, 0})) ==
        "the shape takes 2 elements of 4 bytes, but 4 bytes follow the header");
  CHECK(why(npy("{'descr': '<U4', 'fortran_order': False, 'shape': (2,)}", {})) == "dtype '<U4' cannot be read");
  CHECK(why(npy("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}", {})) ==
        "fortran_order is neither True nor False");
  CHECK(why(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 4)}", {})) ==
        "the number of elements overflows");
  CHECK(why(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} x\n", {0})) ==
        "the header goes on after its dict, at byte 56");
  CHECK(why(npy("{'descr': '<f4'}", {})) == "the header lacks one of descr, fortran_order and shape");
}

// np.savez_compressed(a=arange(3, dtype=uint8), b=[[1.5f]])
const char* const kDeflated =
    "504b03042d00000008000000210048ea66ecffffffffffffffff05001400612e6e707901001000830000000000000047000000000000009bec"
    "17ea1b"
    "10c9c850c650ad9e925a9c5ca46ea5a05e536aa8aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91ac63a9a3a0a"
    "b50a14"
    "002e06462600504b03042d000000080000002100f93c6c13ffffffffffffffff05001400622e6e70790100100084000000000000004a000000"
    "000000"
    "009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f9"
    "1a863a"
    "0a869a3a0ab50a64032e068603f600504b01022d032d00000008000000210048ea66ec47000000830000000500000000000000000000008001"
    "000000"
    "00612e6e7079504b01022d032d000000080000002100f93c6c134a0000008400000005000000000000000000000080017e000000622e6e7079"
    "504b05"
    "06000000000200020066000000ff0000000000";

TEST_CASE("frontend: .npz members are found, inflated and checked") {
  std::vector<uint8_t> zip = from_hex(kDeflated);
  const auto a = read_npz(zip, "a", "x.npz");
  REQUIRE(a.ok());
  CHECK(a->bytes == std::vector<uint8_t>{0, 1, 2});
  const auto b = read_npz(zip, "b.npy", "x.npz");
  REQUIRE(b.ok());
  CHECK(b->dims == std::vector<int64_t>{1, 1});
  CHECK(real_element(*b, 0) == 1.5);
  CHECK(read_npz(zip, "c", "x").diagnostics().sorted().front().message ==
        "the archive has no array 'c', but a.npy, b.npy");
  CHECK(read_npz(std::vector<uint8_t>(30), "a", "x").diagnostics().sorted().front().message ==
        "this is not a .npz file");
  for (size_t cut = 0; cut < zip.size(); cut += 7) CHECK_FALSE(read_npz(std::span(zip).first(cut), "a", "x").ok());
  zip[60] ^= 1;
  CHECK_FALSE(read_npz(zip, "a", "x").ok());
}

TEST_CASE("frontend: .safetensors") {
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[2],"data_offsets":[4,12]},"b":{"dtype":"I8","shape":[4],"data_offsets":[0,4]}})";
  std::vector<uint8_t> bytes(8);
  bytes[0] = static_cast<uint8_t>(header.size());
  bytes.insert(bytes.end(), header.begin(), header.end());
  const float w[] = {1.5f, -2};
  bytes.insert(bytes.end(), {1, 2, 3, 255});
  bytes.insert(bytes.end(), reinterpret_cast<const uint8_t*>(w), reinterpret_cast<const uint8_t*>(w) + 8);
  const auto tensor = read_safetensors(bytes, "w", "x.safetensors");
  REQUIRE(tensor.ok());
  CHECK(real_element(*tensor, 1) == -2);
  CHECK(int_element(*read_safetensors(bytes, "b", "x"), 3) == -1);
  CHECK(read_safetensors(bytes, "v", "x").diagnostics().sorted().front().message == "there is no tensor 'v', but w, b");
  bytes.resize(bytes.size() - 1);
  CHECK(read_safetensors(bytes, "w", "x").diagnostics().sorted().front().message ==
        "a tensor's data_offsets are outside of the file");
  const std::string small = R"({"s":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}})";
  bytes = {static_cast<uint8_t>(small.size()), 0, 0, 0, 0, 0, 0, 0};
  bytes.insert(bytes.end(), small.begin(), small.end());
  bytes.insert(bytes.end(), {0x38, 0xb8});
  const auto codes = read_safetensors(bytes, "s", "x");
  REQUIRE(codes.ok());
  CHECK(codes->dtype == DType::F8E4M3FN);
  CHECK(codes->bytes == std::vector<uint8_t>{0x38, 0xb8});
}

}  // namespace read_npy_test
