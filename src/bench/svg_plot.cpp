#include "bench/svg_plot.hpp"

#include <cmath>
#include <format>

namespace halfbyte {
namespace {

// Sized for a phone's width, so that text keeps its size there; on wider screens the page shows several beside one another.
constexpr double kWidth = 400, kHeight = 300;
constexpr double kLeft = 56, kRight = 14, kTop = 12, kBottom = 44;

double share(double value, const PlotRange& range) {
  const double length = std::log(range.high) - std::log(range.low);
  return length > 0 ? (std::log(value) - std::log(range.low)) / length : 0.5;
}

// Decades; their 2 and 5 too when the range is short.
std::vector<double> ticks(const PlotRange& range) {
  const double decades = std::log10(range.high / range.low);
  std::vector<double> out;
  for (int exponent = static_cast<int>(std::floor(std::log10(range.low))); std::pow(10, exponent) <= range.high;
       ++exponent) {
    for (const double step : {1.0, 2.0, 5.0}) {
      if (step != 1 && decades > 2.5) continue;
      const double value = step * std::pow(10, exponent);
      if (value >= range.low * 0.999 && value <= range.high * 1.001) out.push_back(value);
    }
  }
  return out;
}

std::string tick_text(double value) {
  if (value >= 1e6) return std::format("{:g}M", value / 1e6);
  if (value >= 1e4) return std::format("{:g}k", value / 1e3);
  return std::format("{:g}", value);
}

}  // namespace

void PlotRange::include(double value) {
  if (!(value > 0) || !std::isfinite(value)) return;
  if (low == 0 || value < low) low = value;
  if (value > high) high = value;
}

LogPlot::LogPlot(PlotRange x, PlotRange y, std::string x_title, std::string y_title, std::string label)
    : x_(x), y_(y), x_title_(std::move(x_title)), y_title_(std::move(y_title)), label_(std::move(label)) {}

double LogPlot::at_x(double x) const { return kLeft + share(x, x_) * (kWidth - kLeft - kRight); }
double LogPlot::at_y(double y) const { return kHeight - kBottom - share(y, y_) * (kHeight - kTop - kBottom); }

void LogPlot::add_line(const std::vector<Point>& points, const std::string& style, bool markers) {
  if (points.size() > 1) {
    body_ += std::format("<polyline class=\"line {}\" points=\"", style);
    for (const Point& p : points) body_ += std::format("{:.1f},{:.1f} ", at_x(p.x), at_y(p.y));
    body_ += "\"/>";
  }
  if (markers) add_points(points, style);
}

void LogPlot::add_points(const std::vector<Point>& points, const std::string& style) {
  for (const Point& p : points) {
    body_ += std::format("<circle class=\"dot {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\">", style, at_x(p.x), at_y(p.y));
    if (!p.tip.empty()) body_ += "<title>" + html_escape(p.tip) + "</title>";
    body_ += "</circle>";
  }
}

void LogPlot::add_text(double x, double y, const std::string& text, const std::string& anchor, double down) {
  notes_ += std::format("<text class=\"note\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", at_x(x),
                        at_y(y) + down, anchor, html_escape(text));
}

std::string LogPlot::svg() const {
  std::string out =
      std::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">", kWidth, kHeight, html_escape(label_));
  double last = -100;
  for (const double value : x_ticks_.empty() ? ticks(x_) : x_ticks_) {
    const double x = at_x(value);
    out += std::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>", x, kTop,
                       kHeight - kBottom);
    // Labels keep apart.
    if (x - last < 27) continue;
    last = x;
    out += std::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x,
                       kHeight - kBottom + 15, tick_text(value));
  }
  for (const double value : ticks(y_)) {
    const double y = at_y(value);
    out += std::format("<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>", kLeft,
                       kWidth - kRight, y);
    out += std::format("<text class=\"tick\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", kLeft - 6, y + 4,
                       tick_text(value));
  }
  out += std::format("<text class=\"axis\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                     (kLeft + kWidth - kRight) / 2, kHeight - 8, html_escape(x_title_));
  out += std::format("<text class=\"axis\" transform=\"translate(13 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
                     (kTop + kHeight - kBottom) / 2, html_escape(y_title_));
  return out + body_ + notes_ + "</svg>";
}

std::string html_escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace halfbyte
