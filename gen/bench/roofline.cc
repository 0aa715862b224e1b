// The roofline diagram of a report.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/measurement.h"
#include "support/file_form.h"
#include "support/quoted.h"

namespace tenon {
namespace {

constexpr double kLeft = 60, kTop = 30, kWidth = 620, kHeight = 470, kLegend = 700, kLineHeight = 14;
constexpr double kRadius = 7;
constexpr double kRoofGap = 0.7;  // of two roofs closer than this one is drawn

/// Operations a byte, or nothing for kernels that are not in the diagram.
std::optional<double> intensity(const Timing& t) {
  if (!t.gflops() || !t.load || t.load->bytes() <= 0 || !is_float(real_of(dtype_row(t.load->dtype).compute)))
    return std::nullopt;
  return t.load->operations / t.load->bytes();
}

/// A logarithmic axis: whole decades around the points.
class Axis {
 public:
  Axis(double first, double last, double at, double length) : at_(at), length_(length) {
    low_ = std::floor(std::log10(first));
    high_ = std::max(low_ + 1, std::ceil(std::log10(last)));
  }
  double place(double v) const { return at_ + (std::log10(v) - low_) / (high_ - low_) * length_; }
  double low() const { return std::pow(10, low_); }
  double high() const { return std::pow(10, high_); }
  int decades() const { return static_cast<int>(high_ - low_); }

 private:
  double low_ = 0, high_ = 1, at_ = 0, length_ = 1;
};

std::string decade_text(double v) { return v >= 1 ? fmt::format("{:.0f}", v) : fmt::format("{:g}", v); }

const char* color_of(double share) { return share >= 0.7 ? "#2a8f4f" : share >= 0.4 ? "#d98c1f" : "#c43c35"; }

class Roofline {
 public:
  explicit Roofline(const BenchReport& report) : report_(report) {
    for (const Timing& t : report.timings)
      if (intensity(t)) shown_.push_back(&t);
    double least_x = 0.1, most_x = 100, least_y = 1, most_y = std::max(1.0, report.ceilings.gflops_f32);
    for (const Timing* t : shown_) {
      least_x = std::min(least_x, *intensity(*t));
      most_x = std::max(most_x, *intensity(*t));
      least_y = std::min(least_y, *t->gflops());
      most_y = std::max(most_y, *t->gflops());
    }
    x_ = Axis(least_x, most_x, kLeft, kWidth);
    y_ = Axis(least_y, most_y, kTop + kHeight, -kHeight);
  }

  std::string draw() {
    draw_grid();
    draw_roofs();
    for (size_t i = 0; i < shown_.size(); ++i) draw_point(*shown_[i], i);
    const double below = std::max(kTop + kHeight + 60, kTop + 40 + static_cast<double>(shown_.size()) * kLineHeight);
    const BenchMachine& m = report_.machine;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" font-family=\"sans-serif\" "
        "font-size=\"10\">\n{}\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        "<text x=\"{}\" y=\"18\" font-size=\"12\">{}</text>\n{}</svg>\n",
        kLegend + 470, below, kSvgMark, kLeft,
        xml_text(fmt::format("{}, {}, {} {}", m.processor, m.isa, m.threads, m.threads == 1 ? "thread" : "threads")),
        out_);
  }

 private:
  void line(double x1, double y1, double x2, double y2, const char* style) {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
  }
  void text(double x, double y, const std::string& words, const char* style) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, style, xml_text(words));
  }

  void draw_grid() {
    const double right = kLeft + kWidth, bottom = kTop + kHeight;
    for (int k = 0; k <= x_.decades(); ++k) {
      const double v = x_.low() * std::pow(10, k), x = x_.place(v);
      line(x, kTop, x, bottom, "stroke=\"#ddd\"");
      text(x, bottom + 14, decade_text(v), "text-anchor=\"middle\"");
    }
    for (int k = 0; k <= y_.decades(); ++k) {
      const double v = y_.low() * std::pow(10, k), y = y_.place(v);
      line(kLeft, y, right, y, "stroke=\"#ddd\"");
      text(kLeft - 4, y + 3, decade_text(v), "text-anchor=\"end\"");
    }
    text(kLegend + 6, 18, "rate, and share of the ceiling: from 70% green, from 40% amber", "fill=\"#666\"");
    text(kLeft + kWidth / 2, bottom + 32, "operations a byte", "text-anchor=\"middle\" font-size=\"12\"");
    out_ += fmt::format(
        "<text transform=\"translate(16 {:.0f}) rotate(-90)\" text-anchor=\"middle\" font-size=\"12\">GFLOP/s</text>\n",
        kTop + kHeight / 2);
  }

  /// From the left edge, or the point where it enters from below, to the ceiling of f32 arithmetic.
  void draw_slope(double gigabytes, const std::string& name) {
    const double begin = std::max(x_.low(), y_.low() / gigabytes);
    const double end = std::min(x_.high(), report_.ceilings.gflops_f32 / gigabytes);
    if (begin >= end) return;
    line(x_.place(begin), y_.place(begin * gigabytes), x_.place(end), y_.place(end * gigabytes),
         "stroke=\"#4a6fa5\" stroke-width=\"1.5\"");
    const double x = x_.place(begin) + 6, y = y_.place(begin * gigabytes);
    const double turn = -std::atan2(kHeight / y_.decades(), kWidth / x_.decades()) * 180 / std::acos(-1.0);
    out_ += fmt::format(
        "<text transform=\"translate({:.1f} {:.1f}) rotate({:.1f})\" dy=\"-3\" fill=\"#4a6fa5\">{}</text>\n", x, y - 6,
        turn, xml_text(name));
  }

  void draw_roofs() {
    double before = 0;
    for (const MemoryRates& m : report_.ceilings.memory) {
      if (before > 0 && m.read > before * kRoofGap) continue;
      before = m.read;
      const double kib = m.bytes / 1024;
      draw_slope(m.read, fmt::format("{:.0f} GB/s from {:.0f} {}", m.read, kib < 1024 ? kib : kib / 1024,
                                     kib < 1024 ? "KiB" : "MiB"));
    }
    for (const auto& [name, gflops] :
         {std::pair("f32", report_.ceilings.gflops_f32), std::pair("f64", report_.ceilings.gflops_f64)}) {
      if (gflops <= y_.low() || gflops > y_.high()) continue;
      const double steepest = before > 0 ? report_.ceilings.memory.front().read : gflops / x_.low();
      line(x_.place(std::clamp(gflops / steepest, x_.low(), x_.high())), y_.place(gflops), kLeft + kWidth,
           y_.place(gflops), "stroke=\"#4a6fa5\" stroke-width=\"1.5\"");
      text(kLeft + kWidth - 4, y_.place(gflops) - 4, fmt::format("{:.1f} GFLOP/s in {}", gflops, name),
           "text-anchor=\"end\" fill=\"#4a6fa5\"");
    }
  }

  /// A numbered point, and its line of the legend.
  void draw_point(const Timing& t, size_t i) {
    const double x = x_.place(*intensity(t)), y = y_.place(*t.gflops());
    const double share = t.share().value_or(0);
    const std::string words = fmt::format("{} {}: {:.2f} GFLOP/s, {:.0f}%", t.name, t.what, *t.gflops(), share * 100);
    out_ += fmt::format(
        "<g><title>{}</title><circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" fill-opacity=\"0.8\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"white\" font-size=\"8\" text-anchor=\"middle\">{}</text></g>\n",
        xml_text(words), x, y, kRadius, color_of(share), x, y + 3, i + 1);
    const double at = kTop + 10 + static_cast<double>(i) * kLineHeight;
    text(kLegend + 16, at, fmt::format("{}", i + 1), "text-anchor=\"end\"");
    text(kLegend + 22, at, words, fmt::format("fill=\"{}\"", color_of(share)).c_str());
  }

  const BenchReport& report_;
  std::vector<const Timing*> shown_;
  Axis x_{1, 10, 0, 1}, y_{1, 10, 0, 1};
  std::string out_;
};

}  // namespace

std::string roofline_svg(const BenchReport& report) { return Roofline(report).draw(); }

}  // namespace tenon
