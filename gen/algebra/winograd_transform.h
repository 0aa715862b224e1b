// The three matrices of a short convolution with few multiplications (Toom and Cook; Winograd): F(outputs, taps).
//
//   y = result · ((filter · w) ∘ (data · x)),   y[k] = Σ_t x[stride·k + t]·w[t]
#pragma once

#include <vector>

namespace tenon {

using Matrix = std::vector<std::vector<double>>;

/// `outputs` neighbouring sums of `taps` products from as many multiplications as there are neighbours that they read.
/// In two dimensions each matrix is applied along both axes.
struct WinogradTransform {
  int outputs = 0, taps = 0, stride = 1;
  Matrix data;    ///< points × points, integers
  Matrix filter;  ///< points × taps
  Matrix result;  ///< outputs × points, integers

  int points() const { return stride * (outputs - 1) + taps; }
};

/// The matrices for polynomials that are evaluated at 0, 1, -1, 2, -2, … and infinity: as many points as there are
/// multiplications. Up to six, so that no entry is large. A stride divides neighbours and taps by their remainders:
/// each part is a convolution of stride 1, and their sums are the outputs.
WinogradTransform winograd_transform(int outputs, int taps, int stride = 1);

}  // namespace tenon
