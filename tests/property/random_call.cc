// Draws calls of kernels.
#include "random_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "oracle/number.h"

using namespace tenon;

namespace {

constexpr int64_t kMostElements = 1000;  // of a tensor: the interpreters are slow
constexpr int kTries = 300;              // of sizes, until the facts hold
constexpr int kDraws = 30;               // of calls, until one keeps within its tensors

class Drawing {
 public:
  Drawing(const Kernel& kernel, std::mt19937& random) : kernel_(kernel), random_(random) {
    for (const Tensor& t : kernel.tensors)
      for (const Expr& e : t.strides)
        if (const auto* s = std::get_if<SizeRef>(&e->node)) strides_.insert(s->name);
    for (const Tensor& t : kernel.tensors)  // extents that the strides of a dense tensor name
      for (const Expr& e : t.dims)
        if (const auto* s = std::get_if<SizeRef>(&e->node)) strides_.erase(s->name);
  }

  std::optional<OracleCall> draw() {
    for (int t = 0; t < kTries; ++t) {
      call_ = {};
      attributes();
      sizes();
      if (!facts_solved() || !small() || !in_range()) continue;
      strides();
      if (!facts_solved() || !in_range()) continue;
      inputs();
      return std::move(call_);
    }
    return std::nullopt;
  }

 private:
  int64_t one_of(std::initializer_list<int64_t> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(random_() % values.size()));
  }

  void attributes() {
    for (const Attr& a : kernel_.attrs)
      for (int k = 0; k < a.count; ++k) {
        Number n{a.dtype == DType::Bool ? static_cast<int64_t>(random_() % 2) : one_of({0, 1, 1, 2, 3, -1})};
        n.f = 0.25L * static_cast<long double>(1 + random_() % 8);
        call_.attrs[a.name].push_back(n);
      }
  }

  void sizes() {
    for (const Size& s : kernel_.sizes)
      call_.sizes[s.name] =
          std::clamp(strides_.count(s.name) ? 1 : one_of({1, 2, 3, 4, 5, 7, 9, 17, 19, 37}), s.lo, s.hi);
  }

  /// Where a fact says what one size is, the size is set.
  bool facts_solved() {
    for (int round = 0; round < 3; ++round)
      for (const Expr& f : kernel_.facts) {
        const auto* a = std::get_if<Apply>(&f->node);
        if (!a || a->op != ScalarOp::Eq || evaluate_size(f, call_)) continue;
        for (const auto& [size, other] : {std::pair{a->args[0], a->args[1]}, {a->args[1], a->args[0]}})
          if (const auto* s = std::get_if<SizeRef>(&size->node)) {
            call_.sizes[s->name] = evaluate_size(other, call_);
            break;
          }
      }
    return std::all_of(kernel_.facts.begin(), kernel_.facts.end(),
                       [&](const Expr& f) { return evaluate_size(f, call_) != 0; });
  }

  bool in_range() const {
    return std::all_of(kernel_.sizes.begin(), kernel_.sizes.end(), [&](const Size& s) {
      const int64_t v = call_.sizes.at(s.name);
      return s.lo <= v && v <= s.hi;
    });
  }

  bool small() const {
    return std::all_of(kernel_.tensors.begin(), kernel_.tensors.end(), [&](const Tensor& t) {
      std::vector<int64_t> dims;
      for (const Expr& e : t.dims) dims.push_back(evaluate_size(e, call_));
      const int64_t n = element_count(dims);
      return n >= 0 && n <= kMostElements;
    });
  }

  /// Row-major, sometimes with a gap behind each row or element; an input may have one element for a whole dimension.
  void strides() {
    for (const Tensor& t : kernel_.tensors) {
      int64_t next = one_of({1, 1, 1, 2});
      for (size_t k = t.dims.size(); k-- > 0;) {
        const auto* s = std::get_if<SizeRef>(&t.strides[k]->node);
        const int64_t extent = evaluate_size(t.dims[k], call_);
        if (s) {
          const bool repeated = t.role == Role::Input && random_() % 8 == 0;
          if (strides_.count(s->name)) call_.sizes[s->name] = repeated ? 0 : next;
          if (!repeated) next *= std::max<int64_t>(extent, 1);
          next += one_of({0, 0, 3});
        } else {
          next = std::max(next, extent * evaluate_size(t.strides[k], call_));
        }
      }
    }
  }

  void inputs() {
    call_.tensors.resize(kernel_.tensors.size());
    for (size_t i = 0; i < kernel_.tensors.size(); ++i) {
      const Tensor& t = kernel_.tensors[i];
      if (!t.list.empty()) list(t);
      if (t.role != Role::Input || !t.list.empty()) continue;
      TensorData& data = call_.tensors[i];
      data.dtype = t.dtype;
      int64_t last = 0;
      for (size_t k = 0; k < t.dims.size(); ++k) {
        data.dims.push_back(evaluate_size(t.dims[k], call_));
        last += std::max<int64_t>(data.dims[k] - 1, 0) * evaluate_size(t.strides[k], call_);
      }
      const int64_t n = element_count(data.dims) == 0 ? 0 : last + 1;
      data.bytes.resize(static_cast<size_t>(n * bytes_of(t.dtype)));
      for (int64_t k = 0; k < n; ++k) store_number(data, k, number(t.dtype));
    }
  }

  /// The elements of a list attribute that the kernel reads as a tensor.
  void list(const Tensor& t) {
    std::vector<Number>& values = call_.attrs[t.list];
    values.clear();
    for (int64_t k = evaluate_size(t.dims[0], call_); k > 0; --k) values.push_back(number(t.dtype));
  }

  /// Multiples of a quarter, so that short sums are exact; integers that are indices of small tensors.
  Number number(DType d) {
    Number n{static_cast<int64_t>(random_() % 3)};
    if (is_signed_int(d) && random_() % 8 == 0) n.i = -n.i;
    n.f = 0.25L * static_cast<long double>(static_cast<int>(random_() % 17) - 8);
    n.im = 0.25L * static_cast<long double>(static_cast<int>(random_() % 17) - 8);
    return n;
  }

  const Kernel& kernel_;
  std::mt19937& random_;
  std::set<std::string> strides_;
  OracleCall call_;
};

/// Sixty-four roundings, each half a unit of the largest value of the output.
long double tolerance(DType d) {
  switch (d) {
    case DType::F16: return 0x1p-5L;
    case DType::BF16: return 0x1p-2L;
    case DType::F32:
    case DType::C64: return 0x1p-18L;
    default: return 0x1p-47L;
  }
}

bool equal(long double a, long double b, long double within) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= within;
}

}  // namespace

std::optional<tenon_test::DrawnCall> tenon_test::random_call(const Kernel& kernel, std::mt19937& random) {
  for (int k = 0; k < kDraws; ++k) {
    auto given = Drawing(kernel, random).draw();
    if (!given) return std::nullopt;
    DrawnCall out{*given, *given, OracleStatus::Done};
    out.want.any_sizes = true;
    out.status = run_kernel(kernel, out.want);
    if (out.status == OracleStatus::Outside) continue;
    for (size_t t = 0; t < kernel.tensors.size(); ++t)
      if (!kernel.tensors[t].list.empty()) out.given.tensors[t] = out.want.tensors[t];
    return out;
  }
  return std::nullopt;
}

std::string tenon_test::difference(const Kernel& kernel, const OracleCall& want, const OracleCall& got) {
  for (size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& tensor = kernel.tensors[t];
    if (tensor.role != Role::Output) continue;
    std::vector<int64_t> dims, strides;
    for (const Expr& e : tensor.dims) dims.push_back(evaluate_size(e, want));
    for (const Expr& e : tensor.strides) strides.push_back(evaluate_size(e, want));
    std::vector<int64_t> at;
    for (int64_t k = 0, n = element_count(dims); k < n; ++k) {
      int64_t offset = 0, rest = k;
      for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) offset += rest % dims[d] * strides[d];
      at.push_back(offset);
    }
    long double most = 1;
    const auto wanted = [&](int64_t o) { return load_number(want.tensors[t], o); };
    for (const int64_t o : at)
      if (std::isfinite(wanted(o).f)) most = std::max({most, std::fabs(wanted(o).f), std::fabs(wanted(o).im)});
    const long double within = most * tolerance(tensor.dtype);
    for (size_t k = 0; k < at.size(); ++k) {
      const Number a = wanted(at[k]), b = load_number(got.tensors[t], at[k]);
      if (a.i != b.i || !equal(a.f, b.f, within) || !equal(a.im, b.im, within))
        return fmt::format("{} element {}: {} {} is {} {}", tensor.name, k, a.i, static_cast<double>(a.f), b.i,
                           static_cast<double>(b.f));
    }
  }
  return "";
}
