// Products of square matrices by the generated library, every type next to its peer: f32 and f64 next to OpenBLAS,
// narrow types next to our f32. One process, one thread, repetitions in random order; results are compared before times
// are taken.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tn.h"

extern "C" char* openblas_get_corename(void);

namespace {

constexpr int64_t kSizes[] = {64, 100, 256, 512, 1024};

// ---- numbers of sixteen bits
uint32_t bits_of(float v) {
  uint32_t b;
  std::memcpy(&b, &v, sizeof b);
  return b;
}
float from_bits(uint32_t b) {
  float v;
  std::memcpy(&v, &b, sizeof v);
  return v;
}
uint16_t to_bf16(float v) { return static_cast<uint16_t>((bits_of(v) + 0x8000) >> 16); }
float from_bf16(uint16_t h) { return from_bits(static_cast<uint32_t>(h) << 16); }
/// For normal numbers, which is what the matrices hold; the last bit is cut off.
uint16_t to_f16(float v) {
  const uint32_t b = bits_of(v);
  return static_cast<uint16_t>((b >> 16 & 0x8000) | (((b >> 13) - (112 << 10)) & 0x7fff));
}
float from_f16(uint16_t h) {
  return std::ldexp(static_cast<float>((h & 0x3ff) + ((h >> 10 & 31) ? 0x400 : 0)), std::max(h >> 10 & 31, 1) - 25) *
         (h >> 15 ? -1.0f : 1.0f);
}

/// Multiples of 1/16 in -2 .. 2 without 0: exact in every type here but i8, which takes sixteen times as much.
float element(int64_t i) {
  const auto n = static_cast<int>((i * 7919 + 13) % 64) - 32;
  return static_cast<float>(n >= 0 ? n + 1 : n) / 16;
}

// ---- what is timed
template <class T>
struct Matrices {
  std::vector<T> a, b;
  Matrices(int64_t n, const std::function<T(float)>& convert) {
    for (int64_t i = 0; i < n * n; ++i) a.push_back(convert(element(i))), b.push_back(convert(element(i + 5)));
  }
};

using Gemm = std::function<void()>;

template <class T, class Call, class Workspace>
Gemm gemm(int64_t n, const Matrices<T>& m, std::vector<T>& y, Call call, Workspace workspace) {
  tn_gemm_dims dims{};
  dims.M = dims.K = dims.N = n;
  y.resize(m.a.size());
  auto room = std::make_shared<std::vector<char>>(workspace(&dims, nullptr));
  return [=, &m, &y] {
    if (call(&dims, nullptr, m.a.data(), m.b.data(), nullptr, y.data(), room->data(), room->size()) < 0) std::exit(1);
  };
}

Gemm product_i32(int64_t n, const Matrices<int8_t>& m, std::vector<int32_t>& y) {
  tn_product_i32_dims dims{};
  dims.M = dims.K = dims.N = n;
  y.resize(m.a.size());
  auto room = std::make_shared<std::vector<char>>(tn_product_i32_workspace(&dims));
  return [=, &m, &y] {
    if (tn_product_i32(&dims, m.a.data(), m.b.data(), y.data(), room->data(), room->size()) < 0) std::exit(1);
  };
}

/// One size: every type's matrices, results and calls.
struct Size {
  explicit Size(int64_t extent) : n(extent) {}

  int64_t n;
  Matrices<float> f32{n, [](float v) { return v; }};
  Matrices<double> f64{n, [](float v) { return static_cast<double>(v); }};
  Matrices<uint16_t> f16{n, to_f16}, bf16{n, to_bf16};
  Matrices<int8_t> i8{n, [](float v) { return static_cast<int8_t>(v * 16); }};
  std::vector<float> y32, blas32;
  std::vector<double> y64, blas64;
  std::vector<uint16_t> y16, ybf16;
  std::vector<int32_t> y8;

  std::map<std::string, Gemm> calls() {
    blas32.resize(static_cast<size_t>(n * n)), blas64.resize(static_cast<size_t>(n * n));
    const auto k = static_cast<int>(n);
    return {{"f32", gemm(n, f32, y32, tn_gemm_f32, tn_gemm_f32_workspace)},
            {"f64", gemm(n, f64, y64, tn_gemm_f64, tn_gemm_f64_workspace)},
            {"f16", gemm(n, f16, y16, tn_gemm_f16, tn_gemm_f16_workspace)},
            {"bf16", gemm(n, bf16, ybf16, tn_gemm_bf16, tn_gemm_bf16_workspace)},
            {"i8->i32", product_i32(n, i8, y8)},
            {"OpenBLAS f32",
             [=, this] {
               cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, k, k, k, 1, f32.a.data(), k, f32.b.data(), k, 0,
                           blas32.data(), k);
             }},
            {"OpenBLAS f64", [=, this] {
               cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, k, k, k, 1, f64.a.data(), k, f64.b.data(), k, 0,
                           blas64.data(), k);
             }}};
  }

  /// The products are whole multiples of 1/256: exact but for the rounding of the narrow results.
  bool agree() const {
    for (size_t i = 0; i < y64.size(); ++i) {
      const double want = blas64[i], loose = std::fabs(want) / 100 + 0.02;
      if (y64[i] != want || y32[i] != static_cast<float>(want) || blas32[i] != y32[i] ||
          y8[i] != static_cast<int32_t>(want * 256))
        return false;
      if (std::fabs(from_f16(y16[i]) - want) > loose || std::fabs(from_bf16(ybf16[i]) - want) > loose) return false;
    }
    return true;
  }
};

// ---- the table
/// Keeps the time of each repetition and prints medians and ratios at the end.
class Table : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& r : runs)
      if (r.run_type == Run::RT_Iteration) times_[r.run_name.function_name].push_back(r.GetAdjustedRealTime());
  }
  void Finalize() override {
    std::printf("%-18s %10s %10s %10s %7s  %s\n", "product", "us", "GFLOP/s", "peer us", "ratio", "peer");
    for (const int64_t n : kSizes)
      for (const char* type : {"f32", "f64", "f16", "bf16", "i8->i32"}) {
        const std::string name = type, peer = name == "f32" || name == "f64" ? "OpenBLAS " + name : "f32";
        const double ours = median(name, n), theirs = median(peer, n);
        if (ours > 0 && theirs > 0)
          std::printf("%-8s %4lld^3 %10.2f %10.1f %10.2f %7.2f  %s\n", type, static_cast<long long>(n), ours,
                      2e-3 * static_cast<double>(n * n * n) / ours, theirs, theirs / ours,
                      peer == "f32" ? "our f32" : peer.c_str());
      }
  }

 private:
  double median(const std::string& name, int64_t n) {
    std::vector<double>& t = times_[name + " " + std::to_string(n)];
    if (t.empty()) return 0;
    std::sort(t.begin(), t.end());
    return t[t.size() / 2];
  }
  std::map<std::string, std::vector<double>> times_;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> flags{argv[0], "--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=9",
                                 "--benchmark_min_time=0.05"};
  flags.insert(flags.end(), argv + 1, argv + argc);
  std::vector<char*> pointers;
  for (std::string& f : flags) pointers.push_back(f.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  std::printf("%s, OpenBLAS for %s, one thread, medians of repetitions in turns; ratio above 1: we are faster\n",
              tn_active_isa(), openblas_get_corename());
  static std::vector<std::unique_ptr<Size>> sizes;
  for (const int64_t n : kSizes) {
    sizes.push_back(std::make_unique<Size>(n));
    for (const auto& [name, call] : sizes.back()->calls()) {
      call();
      benchmark::RegisterBenchmark((name + " " + std::to_string(n)).c_str(), [call = call](benchmark::State& state) {
        for (auto _ : state) call();
      })->Unit(benchmark::kMicrosecond);
    }
    if (!sizes.back()->agree())
      return std::fprintf(stderr, "gemm: results of %lld^3 differ\n", static_cast<long long>(n)), 1;
  }
  Table table;
  benchmark::RunSpecifiedBenchmarks(&table);
  return 0;
}
