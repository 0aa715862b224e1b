// The three matrices of a short convolution with few multiplications (Toom and Cook; Winograd): F(outputs, taps).
//
//   y = result · ((filter · w) ∘ (data · x)),   y[k] = Σ_t x[k + t]·w[t]
#pragma once

#include <vector>

namespace tenon {

using Matrix = std::vector<std::vector<double>>;

/// `outputs` neighbouring sums of `taps` products from outputs + taps - 1 multiplications. In two dimensions each
/// matrix is applied along both axes.
struct WinogradTransform {
  int outputs = 0, taps = 0;
  Matrix data;    ///< points × points, integers
  Matrix filter;  ///< points × taps
  Matrix result;  ///< outputs × points, integers

  int points() const { return outputs + taps - 1; }
};

/// The matrices for polynomials that are evaluated at 0, 1, -1, 2, -2, … and infinity: as many points as there are
/// multiplications. Up to six, so that no entry is large.
WinogradTransform winograd_transform(int outputs, int taps);

}  // namespace tenon
