// Holes of frames, and the text that fills them.
#include "ir/op/frame.h"

#include <fmt/format.h>

#include <utility>

#include "support/ranges.h"
#include "support/text_template.h"

namespace tenon {
namespace {

std::string type_text(DType d) { return std::string(dtype_row(d).c_type); }

std::string key_text(DType d) {
  const auto key = key_dtype(d);
  return key ? std::string(dtype_row(*key).c_type) : "no key";
}

std::string bits_text(DType d) { return fmt::format("{}", dtype_row(d).bits); }

std::string hexadecimal(uint64_t v) { return v >> 32 ? fmt::format("UINT64_C(0x{:x})", v) : fmt::format("0x{:x}u", v); }

std::string sign_text(DType d) {
  return hexadecimal(is_float(d) || is_signed_int(d) ? uint64_t{1} << (dtype_row(d).bits - 1) : 0);
}

std::string infinity_text(DType d) {
  switch (d) {
    case DType::F16: return hexadecimal(0x7c00);
    case DType::BF16: return hexadecimal(0x7f80);
    case DType::F32: return hexadecimal(0x7f800000);
    case DType::F64: return hexadecimal(uint64_t{0x7ff} << 52);
    default: return hexadecimal(0);
  }
}

}  // namespace

const FrameParameter* Frame::parameter(std::string_view wanted) const {
  return find_pointer(parameters, [&](const FrameParameter& p) { return p.name == wanted; });
}

const std::vector<FrameHole>& frame_holes() {
  static const std::vector<FrameHole> rows = {{"type", false, type_text},
                                              {"bits", false, bits_text},
                                              {"key", false, key_text},
                                              {"sign", true, sign_text},
                                              {"infinity", true, infinity_text}};
  return rows;
}

std::string frame_hole_name(const std::string& tensor, const FrameHole& hole) {
  std::string name = tensor;
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return name + "_" + std::string(hole.suffix);
}

std::optional<DType> key_dtype(DType dtype) {
  switch (dtype_row(dtype).bits) {
    case 8: return DType::U8;
    case 16: return DType::U16;
    case 32: return DType::U32;
    case 64: return DType::U64;
    default: return std::nullopt;
  }
}

std::optional<VectorHole> vector_hole(std::string_view hole) {
  static constexpr std::pair<std::string_view, VectorHoleKind> kinds[] = {
      {"vector", VectorHoleKind::vector},     {"memory", VectorHoleKind::memory}, {"lanes", VectorHoleKind::lanes},
      {"min", VectorHoleKind::min},           {"max", VectorHoleKind::max},       {"zip_low", VectorHoleKind::zip_low},
      {"zip_high", VectorHoleKind::zip_high}, {"even", VectorHoleKind::even},     {"odd", VectorHoleKind::odd},
      {"any_less", VectorHoleKind::any_less}};
  const std::size_t bar = hole.find('_');
  if (bar == std::string_view::npos) return std::nullopt;
  const auto dtype = dtype_from_name(hole.substr(0, bar));
  const auto* kind = find_if(kinds, [&](const auto& k) { return k.first == hole.substr(bar + 1); });
  if (!dtype || kind == std::end(kinds)) return std::nullopt;
  return VectorHole{*dtype, kind->second};
}

bool has_vectors(const Frame& frame) {
  const auto holes = TextTemplate(frame.name, frame.text).hole_names();
  return contains(holes, kTargetHole);
}

}  // namespace tenon
