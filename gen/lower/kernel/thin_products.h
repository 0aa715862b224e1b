// Products with few rows or few columns, for which register tiles do not pay: bodies that a call chooses by its sizes.
#pragma once

#include <vector>

#include "algebra/contraction.h"

namespace tenon {

/// Where `holds` is true at run time, plain loops over `kernel` are the better body of the contraction.
struct ThinProduct {
  Expr holds;  ///< over sizes; null: always, or wherever none of the cases before does
  Kernel kernel;
  bool streams_rows = false;  ///< of use only where it goes over blocks of rows
  bool joins_rows = false;    ///< of use only where it takes several sums together
};

/// The thin cases of a matrix product of floats whose extents are known at the call, in the order in which they are
/// tested. Vectors go along the depth where both sides are dense there, else along the columns (or rows) of the only
/// row (or column).
std::vector<ThinProduct> thin_products(const Kernel& kernel, const Contraction& c);

}  // namespace tenon
