// Finds sums and differences that several rows of a matrix share, and writes the rest as multiply-adds.
#include <fmt/format.h>

#include <algorithm>

#include "lower/contraction/winograd_strip.h"

namespace tenon {
namespace {

/// Applies a matrix to named vectors; statements are added to a block.
class MatrixProduct {
 public:
  MatrixProduct(Matrix m, std::vector<Operand> x, Block& out) : m_(std::move(m)), x_(std::move(x)), out_(out) {}

  std::vector<Operand> run() {
    pair_columns();
    std::vector<Operand> y(m_.size());
    for (size_t i = 0; i < m_.size(); ++i) {
      if (y[i]) continue;
      const size_t partner = partner_of(i, y);
      if (partner == m_.size()) {
        y[i] = named("y", sum(m_[i]));
        continue;
      }
      std::vector<double> even(x_.size(), 0), odd(x_.size(), 0);
      for (size_t q = 0; q < x_.size(); ++q) (m_[i][q] == m_[partner][q] ? even : odd)[q] = m_[i][q];
      const Operand e = named("even", sum(even)), o = named("odd", sum(odd));
      y[i] = named("y", e + o);
      y[partner] = named("y", e - o);
    }
    return y;
  }

 private:
  /// Columns whose entries differ in sign at most: their sum and difference take their places.
  void pair_columns() {
    for (size_t q = 0; q < x_.size(); ++q)
      for (size_t r = q + 1; r < x_.size(); ++r) {
        size_t equal = 0, opposite = 0, other = 0;
        for (const std::vector<double>& row : m_) {
          if (row[q] == 0 && row[r] == 0) continue;
          ++(row[q] == row[r] ? equal : row[q] == -row[r] ? opposite : other);
        }
        if (other > 0 || equal == 0 || opposite == 0) continue;
        const Operand a = x_[q], b = x_[r];
        x_[q] = named("sum", a + b);
        x_[r] = named("difference", a - b);
        for (std::vector<double>& row : m_) {
          const double by = row[q];
          if (row[q] == row[r]) row[r] = 0;
          else row[q] = 0, row[r] = by;
        }
        break;
      }
  }

  /// A later row with the same entries but for signs, some equal and some opposite; the number of rows if there is
  /// none.
  size_t partner_of(size_t i, const std::vector<Operand>& done) const {
    for (size_t k = i + 1; k < m_.size(); ++k) {
      size_t equal = 0, opposite = 0, other = 0;
      for (size_t q = 0; q < x_.size(); ++q) {
        if (m_[i][q] == 0 && m_[k][q] == 0) continue;
        ++(m_[i][q] == m_[k][q] ? equal : m_[i][q] == -m_[k][q] ? opposite : other);
      }
      if (!done[k] && other == 0 && equal > 0 && opposite > 0 && equal + opposite > 2) return k;
    }
    return m_.size();
  }

  Operand sum(const std::vector<double>& row) {
    std::vector<size_t> order;
    for (size_t q = 0; q < row.size(); ++q)
      if (row[q] != 0) order.push_back(q);
    std::stable_partition(order.begin(), order.end(), [&](size_t q) { return row[q] == 1; });
    Operand s;
    for (const size_t q : order) {
      const Operand by = v_const(row[q], x_[q]->type);
      if (!s) s = row[q] == 1 ? x_[q] : x_[q] * by;
      else if (row[q] == 1) s = s + x_[q];
      else if (row[q] == -1) s = s - x_[q];
      else s = v_apply(ScalarOp::Fma, {by, x_[q], s});
    }
    return s;
  }

  Operand named(const std::string& word, const Operand& v) {
    const std::string name = fmt::format("{}{}", word, count_++);
    out_.push_back(s_let(name, v));
    return v_var(name, v->type);
  }

  Matrix m_;
  std::vector<Operand> x_;
  Block& out_;
  int count_ = 0;
};

}  // namespace

InnerFunction matrix_function(const Matrix& matrix, const std::string& name, const std::string& comment,
                              const OperandType& type) {
  InnerFunction f;
  f.name = name;
  f.comment = comment;
  f.common = true;
  f.buffers.push_back({"from", type.dtype, Storage::Workspace, -1, nullptr, false});
  f.buffers.push_back({"to", type.dtype, Storage::Workspace, -1, nullptr, true});
  f.params = {"from_step", "from_next", "to_step", "to_next", "count"};
  Block body;
  std::vector<Operand> x;
  const Operand n = v_var("n");
  for (size_t q = 0; q < matrix[0].size(); ++q) {
    const std::string at = fmt::format("x{}", q);
    const Operand offset = n * v_var("from_next") + v_int(static_cast<int64_t>(q)) * v_var("from_step");
    body.push_back(s_let(at, v_load(0, type.dtype, offset, type.lanes)));
    x.push_back(v_var(at, type));
  }
  const std::vector<Operand> y = MatrixProduct(matrix, std::move(x), body).run();
  for (size_t i = 0; i < y.size(); ++i)
    body.push_back(s_store(1, n * v_var("to_next") + v_int(static_cast<int64_t>(i)) * v_var("to_step"), y[i]));
  f.body.push_back(s_for("n", v_int(0), v_var("count"), 1, std::move(body)));
  return f;
}

}  // namespace tenon
