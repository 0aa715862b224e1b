// Convolutions computed tile by tile in a transformed space (Winograd), as statements:
//
//   V[…, i, j, ty, tx, c] = Σ_pq data[i, p]·data[j, q]·X[…, c, ty·m·s + p, tx·m·s + q]
//   W[…, i, j, ty, tx, o] = Σ_c  V[…, i, j, ty, tx, c]·U[i, j, o, c]
//   Y[…, o, y, x]         = … Σ_ij result[y % m, i]·result[x % m, j]·W[…, i, j, y / m, x / m, o] …
//
// m outputs per tile and axis, s the stride. U, the weights in the transformed space, is made when the program is
// generated, in panels of columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algebra/contraction.h"

namespace tenon {

using Matrix = std::vector<std::vector<double>>;

/// The matrices of a short convolution with few multiplications (Toom and Cook; Winograd), F(outputs, taps):
///   y = result · ((filter · w) ∘ (data · x)),   y[k] = Σ_t x[stride·k + t]·w[t]
/// `outputs` sums of `taps` products of neighbours by a multiplication a point. In two dimensions each matrix is
/// applied along both axes.
struct WinogradTransform {
  static constexpr int kMostPoints = 6;  ///< of a part: with more, entries are large and digits get lost

  int outputs = 0, taps = 0, stride = 1;
  Matrix data;    ///< points × neighbours, integers
  Matrix filter;  ///< points × taps
  Matrix result;  ///< outputs × points, integers

  int points() const { return static_cast<int>(data.size()); }
  int neighbours() const { return stride * (outputs - 1) + taps; }
};

/// The matrices for polynomials that are evaluated at 0, 1, -1, 2, -2, … and infinity. A stride divides neighbours and
/// taps by their remainders, and many taps are divided into neighbouring ones: each part is a convolution of stride 1
/// with as many points as it reads neighbours, and their sums are the outputs.
WinogradTransform winograd_transform(int outputs, int taps, int stride = 1);

/// A convolution in two dimensions with dilation 1, one stride and square filters of constant weights.
struct TiledConvolution {
  std::vector<LoopVar> outer;  ///< loops that are neither pixels nor filters: batch, groups
  LoopVar y, x, filter;        ///< loops of the output
  LoopVar channel, r, s;       ///< variables of the sum
  const Read* source = nullptr;
  size_t y_dim = 0, x_dim = 0;       ///< dimensions of the source that the pixels walk
  int64_t y_first = 0, x_first = 0;  ///< index of the first tap of pixel 0 there: minus the padding
  const Read* weights = nullptr;
  int taps = 0, stride = 1;
  int64_t height = 0, width = 0, channels = 0, filters = 0;  ///< extents of y, x, channel, filter
};

/// The convolution that a contraction computes; nothing if it is not one.
std::optional<TiledConvolution> tiled_convolution(const Kernel& kernel, const Contraction& c);

/// `kernel` with its one statement in the transformed space of `t`. The tensor of the weights becomes U, [outer·i·j]
/// [filter / width][channel][filter % width]; `outer` are the extents of those outer loops that the weights depend on.
/// The last two tensors are the temps V and W; the two before are the tables.
Kernel winograd_kernel(const Kernel& kernel, const Contraction& c, const TiledConvolution& conv,
                       const WinogradTransform& t, int64_t panel_width);

/// The components of a kernel that winograd_kernel made.
struct WinogradParts {
  const KernelStatement *data = nullptr, *product = nullptr, *result = nullptr;
  const Read* source = nullptr;       ///< X in `data`
  const Read* weights = nullptr;      ///< U in `product`
  const ExprNode* sum = nullptr;      ///< the reduction in `result`
  std::vector<LoopVar> outer;         ///< of `data`; `product` has as many, in the same order
  std::vector<LoopVar> result_outer;  ///< the same loops of `result`
  std::string y, x, filter;           ///< the others of `result`
  int64_t height = 0, width = 0;      ///< their extents
  int outputs = 0, points = 0, neighbours = 0, stride = 1;
  int64_t tiles_y = 0, tiles_x = 0, channels = 0, filters = 0;
  int64_t y_first = 0, x_first = 0;
  size_t y_dim = 0, x_dim = 0;

  int taps() const { return neighbours - stride * (outputs - 1); }
  int step() const { return stride * outputs; }  ///< from one tile to the next, in pixels of X
};

/// Nothing if the kernel is a different one.
std::optional<WinogradParts> find_winograd(const Kernel& kernel);

}  // namespace tenon
