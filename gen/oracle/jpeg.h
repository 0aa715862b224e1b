// JPEG files to pixels, naively: the reference for the template decode_jpeg.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "oracle/run_frame.h"

namespace tenon {

struct Picture {
  int64_t height = 0, width = 0;
  std::vector<uint8_t> rgb;
};

/// None for a file that is damaged, of a kind that is not supported, or larger than that.
std::optional<Picture> read_jpeg(const std::vector<uint8_t>& file, int64_t height, int64_t width);

void oracle_decode_jpeg(const FrameData&);

}  // namespace tenon
