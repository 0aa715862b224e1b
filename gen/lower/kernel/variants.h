// Run-time cases of a kernel with specialised code: strides of 1 and 0, a last dimension of 1, flags.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algebra/contraction.h"
#include "ir/kernel/kernel.h"
#include "ir/nest/isa.h"

namespace tenon {

/// What is to be done with the two cases of a fork.
struct ForkTraits {
  bool otherwise_scalar = false;  ///< vectors would not pay in `otherwise`
  bool for_speed = false;         ///< `otherwise` is right where the condition holds as well
  bool joins_rows = false;        ///< `then` is of use only where it takes rows together
  bool near_windows = false;      ///< the same where it finds windows at every element of a line by long vectors
  std::string_view what = {};     ///< what `then` is, for who reads the C; "" where the condition says it
};

/// Where `holds` is true at run time `then` does the same as the kernel, else `otherwise` does.
struct Fork : ForkTraits {
  Expr holds;  ///< over sizes and attributes
  Kernel then;
  Kernel otherwise;
  bool streams_rows = false;  ///< `then` is of use only where it goes over blocks of rows
};

/// Rows of this length take longer than folding one vector: they are processed one by one.
inline constexpr int64_t kLongRow = 512;

/// Reductions that one element may decide, and the length from which on they stop at the block that has it.
inline bool is_question(Reducer r) { return r == Reducer::Any || r == Reducer::All; }
inline constexpr int64_t kLongQuestion = 4096;

/// Element types whose rows are processed together: floats with free order, and integers of at least that width.
inline bool has_joined_rows(DType t) { return is_float(t) || (is_int(t) && bytes_of(t) >= 4); }

/// Columns and rows from which on a reduction along another axis than the last goes over blocks of rows.
inline constexpr int64_t kManyColumns = 64, kManyRows = 32;

bool mentions_size(const Expr&, const std::string& size);

/// Whether a statement adds to elements of a temp, or replaces them, in an order that data or attributes give.
bool scatters_into_temps(const Kernel&);

/// Whether its reductions are next to columns of which there are few, or which are short: the other side of a fork.
bool has_few_columns(const Kernel&);

/// The kernel where these sizes are these numbers.
Kernel with_sizes(const Kernel& k, const std::map<std::string, int64_t>& sizes);

/// The next fork that pays for this kernel on this level; nothing when there is none left.
std::optional<Fork> next_fork(const Kernel&, const Isa&);

/// Where the kernel sums over repetitions of what a call broadcasts: nothing is repeated.
std::optional<Fork> fork_repeated(const Kernel&);
/// A product whose result a call stores by rows or by columns, as `storage` says: by rows, or by columns.
std::optional<Fork> fork_stored(const Kernel&);
/// Reads at s + r, r the number of a repetition of element s, by a dimension for each of both.
Kernel split_repeats(const Kernel&);

/// Where `holds` is true at run time, plain loops over `kernel` are the better body of the contraction.
struct ThinProduct {
  Expr holds;  ///< over sizes; null: always
  Kernel kernel;
  bool streams_rows = false;  ///< of use only where it goes over blocks of rows
  bool joins_rows = false;    ///< of use only where it takes several sums together
  std::string what = {};      ///< for who reads the C
  bool along_depth = false;   ///< a dot product for each of few rows or columns: tiles of them are faster
};

/// The thin cases of a matrix product of floats or 32-bit integers whose extents are known at the call, in the order in
/// which they are tested. Vectors go along the depth where both sides are dense there, else along the columns (or rows)
/// of the only row (or column).
std::vector<ThinProduct> thin_products(const Kernel& kernel, const Contraction& c);

/// Where `holds` is true at run time, `kernel` is the same as another one with what that says put in.
struct WindowCase {
  Expr holds;  ///< over sizes and attributes
  Kernel kernel;
  std::string_view what = {};  ///< for who reads the C
};

/// The cases of a convolution or a product of bytes whose extents and attributes are known at the call, in the order in
/// which they are tested.
std::vector<WindowCase> window_cases(const Kernel& kernel, const Contraction& c);

/// The case of a convolution whose windows have one element each, 2 apart: a copy of these elements, and the product of
/// it. Nothing where the kernel is something else.
std::optional<WindowCase> copied_elements(const Kernel& kernel);

/// Y[u] = sum[r,k : (u - r) % s == 0](X[(u - r)//s,k]*F[r,k]), s an attribute. Nothing where the kernel is something
/// else.
struct SteppedSums {
  std::optional<Kernel> otherwise;  ///< t[x,r] = sum[k](X[x,k]*F[r,k]) and Y[x*s + r] += t[x,r]
  std::vector<WindowCase> cases;    ///< no sum over k, and steps of 1, in the opposite order to that of the tests
};
SteppedSums stepped_sums(const Kernel& k);

/// F[r] = sum[n,x](D[n,x]*padded(X[n,x*a + r*b - p], 0)), the gradient of the taps of windows, for one filter a group
/// and steps of 1 and 2 along lines: in two parts, lines of sums for each tap and the sums of these. Empty where the
/// kernel is something else.
std::vector<WindowCase> tap_sums(const Kernel& k);

}  // namespace tenon
