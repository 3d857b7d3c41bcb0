// Internal to src/bench: plots on logarithmic axes as SVG text, coloured by the page's style sheet, so that they turn dark with it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace halfbyte {

struct PlotRange {
  double low = 0, high = 0;  // positive

  // Takes the value in; values that are not positive are left out.
  void include(double value);
  bool valid() const { return low > 0 && high >= low; }
  // A little wider on both sides.
  PlotRange padded(double factor) const { return {low / factor, high * factor}; }
};

class LogPlot {
 public:
  // Titles name the axes; `label` says in one sentence what is shown (for screen readers). Preconditions: valid ranges.
  LogPlot(PlotRange x, PlotRange y, std::string x_title, std::string y_title, std::string label);

  // Values to mark on the x axis; without, decades and their 2 and 5 as room allows.
  void set_x_ticks(std::vector<double> ticks) { x_ticks_ = std::move(ticks); }

  struct Point {
    double x = 0, y = 0;
    std::string tip;  // shown when pointed at
  };
  // `style`: CSS classes. What is added later is drawn on top, texts above all.
  void add_line(const std::vector<Point>& points, const std::string& style, bool markers);
  void add_points(const std::vector<Point>& points, const std::string& style);
  // A text at a point in the plot, its baseline `down` units below; anchor "start", "middle" or "end".
  void add_text(double x, double y, const std::string& text, const std::string& anchor, double down = -4);

  std::string svg() const;

 private:
  double at_x(double x) const;
  double at_y(double y) const;

  PlotRange x_, y_;
  std::string x_title_, y_title_, label_, body_, notes_;
  std::vector<double> x_ticks_;
};

std::string html_escape(std::string_view text);

}  // namespace halfbyte
