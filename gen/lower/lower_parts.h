// The nests of a kernel's parts → the nest of the kernel.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/kernel/kernel.h"
#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

/// One nest a part, in order, as one function. Results for later parts are in the workspace; an extent found by a part
/// is a variable from there on, and space for its bound is reserved. The parts are for one element of `repeated`,
/// extents that some tensors have, and are done for each: loops go over them, outermost first.
LoopNest join_parts(const std::shared_ptr<const Kernel>& kernel, const std::vector<LoopNest>& parts, const Isa& isa,
                    const std::vector<std::string>& repeated = {});

/// Whether checks read data: they have to hold for all parts and images before the first is touched.
bool checks_data(const Kernel&);

/// Parts that run for one image after another, and for one group of channels.
struct PartsPerImage {
  Kernel kernel;                      ///< with two parts, both of one group; its temps have room for one
  std::vector<std::string> repeated;  ///< the sizes that say how many there are, outermost first
};

/// t[n,g,…] = sum[c](…) and statements that scatter t, each of whose elements belongs to one n and one g: the products
/// of a group by tiles, then the rest for that group. Nothing where the kernel is something else.
std::optional<PartsPerImage> scattered_products(const Kernel&);

/// The other way round: t[n,…] = values that are looked up by data, and products of t, one image after the other.
std::optional<PartsPerImage> gathered_products(const Kernel&);

/// The same of temps that are made by any values.
std::optional<PartsPerImage> products_of_temps(const Kernel&);

/// Sums of products of complex numbers in three parts: the halves of both operands, one product of matrices of real
/// numbers, which has tiles, and the results.
struct ComplexProduct {
  Kernel kernel;
  Expr thin;  ///< over sizes: where it holds, loops over the numbers as they are take less time
  /// The loops where elements along which vectors may run are neighbours: for a single column and for few rows.
  struct Neighbours {
    Expr holds;
    Kernel kernel;
    const char* what;
  };
  std::vector<Neighbours> neighbours;
};

/// Nothing where the kernel is something else.
std::optional<ComplexProduct> complex_products(const Kernel&);

}  // namespace tenon
