// Kernels that scatter products: a contraction apart from what adds up its results, image by image.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/kernel/kernel.h"

namespace tenon {

/// Parts that are done for one image after the other, and for one group of channels.
struct PartsPerImage {
  Kernel kernel;                      ///< with two parts, both of one group; its temps have room for one
  std::vector<std::string> repeated;  ///< the sizes that say how many there are, outermost first
};

/// t[n,g,…] = sum[c](…) and statements that scatter t, each of whose elements belongs to one n and one g: the products
/// of a group by tiles, then the rest for that group. Nothing where the kernel is something else.
std::optional<PartsPerImage> scattered_products(const Kernel&);

}  // namespace tenon
