#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bench/report.hpp"
#include "bench/report_style.hpp"
#include "bench/svg_plot.hpp"

namespace halfbyte {
namespace {

constexpr int kColours = 10;

std::string e(std::string_view text) { return html_escape(text); }

std::string style_of(int index) {
  return std::format("k{}{}", index % kColours, index / kColours % 2 == 1 ? " second" : "");
}

std::string colour_rules() {
  std::string css;
  for (int i = 0; i < kColours; ++i)
    css += std::format(".line.k{0}{{stroke:var(--c{0})}}.dot.k{0}{{fill:var(--c{0})}}", i);
  return css;
}

std::string percent(double share) { return std::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0); }

std::string rate_text(double flops) {
  return flops >= 1e12 ? std::format("{:.{}f}", flops * 1e-12, flops >= 1e14 ? 0 : 1)
                       : std::format("{:.3f}", flops * 1e-12);
}

struct KeyEntry {
  std::string style, text;
  bool marker = true;
};

std::string key_list(const std::vector<KeyEntry>& entries) {
  std::string out = "<ul class=\"key\">";
  for (const KeyEntry& entry : entries) {
    out += std::format(
        "<li><svg viewBox=\"0 0 24 10\" aria-hidden=\"true\"><line class=\"line {}\" x1=\"1\" x2=\"23\" y1=\"5\" "
        "y2=\"5\"/>",
        entry.style);
    if (entry.marker) out += std::format("<circle class=\"dot {}\" cx=\"12\" cy=\"5\" r=\"3\"/>", entry.style);
    out += "</svg>" + e(entry.text) + "</li>";
  }
  return out + "</ul>";
}

std::string sizes(const BenchRow& row) { return std::format("K={:.0f} N={:.0f}", row.work.K, row.work.N); }

std::string group_title(const BenchRow& row) {
  std::string title = row.model;
  if (!row.layer.empty()) title += (title.empty() ? "" : " ") + row.layer;
  return (title.empty() ? "" : title + ", ") + sizes(row) + ", " + row.dtype;
}

std::string tip(const BenchRow& row) {
  std::string text = std::format("{} {}: {}, {} TFLOPS", row.id, row.variant, time_text(row.seconds.median),
                                 rate_text(row.flops_per_second()));
  if (const auto share = row.share()) text += std::format(", {} of the {} limit", percent(*share), row.limit->kind);
  return text;
}

const Peak* best_of(const DeviceRecord& record, PeakKind kind, std::string_view component) {
  const Peak* best = nullptr;
  for (const Peak& peak : record.peaks) {
    if (peak.kind != kind || peak.value <= 0 || (!component.empty() && peak.component != component)) continue;
    if (best == nullptr || peak.value > best->value) best = &peak;
  }
  return best;
}

std::string tiles(const BenchReport& report) {
  const std::pair<const Peak*, const char*> shown[] = {
      {best_of(report.device, PeakKind::matrix, "f16"), "subgroup matrices, f16"},
      {best_of(report.device, PeakKind::fma, "f16"), "multiply-add, f16"},
      {best_of(report.device, PeakKind::fma, "f32"), "multiply-add, f32"},
      {best_of(report.device, PeakKind::dot, ""), "8-bit dot"},
      {best_of(report.device, PeakKind::read, ""), "reading memory"},
      {best_of(report.device, PeakKind::dispatch, ""), "a dependent dispatch"}};
  std::string out = "<div class=\"tiles\">";
  for (const auto& [peak, what] : shown) {
    if (peak != nullptr)
      out += std::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>", e(value_text(*peak)), what);
  }
  return out + "</div>";
}

std::string model_table(const BenchReport& report) {
  const std::vector<ModelSum> sums = model_sums(report);
  if (sums.empty()) return "";
  const bool others = std::ranges::any_of(sums, [](const ModelSum& s) { return s.other_seconds > 0; });
  const bool dtypes = std::ranges::any_of(sums, [&](const ModelSum& s) { return s.dtype != sums.front().dtype; });
  std::string out =
      "<h2>Whole models</h2><p>Time of all linear layers together, and the tokens per second they would allow by "
      "themselves.</p>"
      "<div class=\"scroll\"><table><tr><th class=\"n\">tokens at once</th><th class=\"n\">time</th><th "
      "class=\"n\">tokens/s</th>"
      "<th class=\"n\">of the limit</th>";
  if (others)
    out +=
        std::format("<th class=\"n\">{} takes</th>", e(report.other_runtime.substr(0, report.other_runtime.find(','))));
  out += "</tr>";
  bool last_only = false;
  std::string model;
  for (const ModelSum& s : sums) {
    last_only = last_only || s.last_token_only;
    if (const std::string title = s.model + (dtypes ? " " + s.dtype : ""); title != model) {
      out += std::format("<tr class=\"sub\"><th colspan=\"{}\">{}, {:.0f} MB of weights</th></tr>", others ? 5 : 4,
                         e(title), s.weight_bytes * 1e-6);
      model = title;
    }
    out += std::format("<tr><td class=\"n\">{:.0f}{}</td><td class=\"n\">{}</td><td class=\"n\">{:.0f}</td>", s.M,
                       s.last_token_only ? "*" : "", time_text(s.seconds), s.tokens_per_second());
    const double share = s.limit_seconds > 0 ? s.limit_seconds / s.seconds : 0;
    out += share > 0 ? std::format("<td class=\"n bar\" style=\"--s:{:.1f}%\">{}</td>", 100 * std::min(share, 1.0),
                                   percent(share))
                     : "<td class=\"n\">-</td>";
    if (others)
      out += s.other_seconds > 0 ? std::format("<td class=\"n\">{:.2f} x</td>", s.other_seconds / s.seconds)
                                 : "<td class=\"n\">-</td>";
    out += "</tr>";
  }
  out += "</table></div>";
  if (last_only) out += "<p class=\"soft\">* the output head for the last token only, as a prompt needs it</p>";
  return out;
}

// A number for each distinct text, in order of first appearance.
class Numbers {
 public:
  int of(const std::string& text) {
    const auto at = std::ranges::find(names_, text);
    if (at != names_.end()) return static_cast<int>(at - names_.begin());
    names_.push_back(text);
    return static_cast<int>(names_.size()) - 1;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

void add_roofs(const BenchReport& report, LogPlot& plot, const PlotRange& x, std::span<const Peak* const> ceilings) {
  const Peak* read = report.device.find("read");
  const double bandwidth = read != nullptr ? read->value * 1e-12 : 0;  // in the plot's units: TFLOP for one FLOP/byte
  double most = 0;
  std::string label;
  for (size_t i = 0; i < ceilings.size(); ++i) {
    const Peak* peak = ceilings[i];
    const double value = peak->value * 1e-12;
    most = std::max(most, value);
    const double from = bandwidth > 0 ? std::clamp(value / bandwidth, x.low, x.high) : x.low;
    plot.add_line({{from, value, ""}, {x.high, value, ""}}, "roof", false);
    const std::string unit = peak->kind == PeakKind::matrix ? "matrix " : "fma ";
    label += std::format("{}{} {}", label.empty() ? unit : ", ", peak->component, value_text(*peak));
    // Lines that nearly coincide have one text, below the lowest of them.
    if (i + 1 < ceilings.size() && ceilings[i + 1]->value * 1.5 > peak->value) continue;
    plot.add_text(x.high, value, label, "end", i == 0 ? -4 : 13);
    label.clear();
  }
  if (bandwidth <= 0) return;
  const double to = std::min(x.high, most > 0 ? most / bandwidth : x.high);
  if (to <= x.low) return;
  plot.add_line({{x.low, bandwidth * x.low, ""}, {to, bandwidth * to, ""}}, "roof", false);
  // Left of the line's upper half, where no point can be.
  const double middle = x.low * std::pow(to / x.low, 0.62);
  plot.add_text(middle / 1.25, bandwidth * middle, "memory " + value_text(*read), "end");
}

std::string roofline(const BenchReport& report) {
  PlotRange x, y;
  Numbers models;
  std::map<int, std::vector<LogPlot::Point>> points;
  for (const BenchRow& row : report.rows) {
    if (!row.chosen || !row.measured()) continue;
    x.include(row.work.intensity());
    y.include(row.flops_per_second() * 1e-12);
    points[models.of(row.model.empty() ? "cases" : row.model)].push_back(
        {row.work.intensity(), row.flops_per_second() * 1e-12, tip(row)});
  }
  if (!x.valid()) return "";
  std::vector<const Peak*> ceilings;
  for (const Peak* peak :
       {best_of(report.device, PeakKind::matrix, "f16"), best_of(report.device, PeakKind::fma, "f16"),
        best_of(report.device, PeakKind::fma, "f32")}) {
    if (peak == nullptr) continue;
    ceilings.push_back(peak);
    y.include(peak->value * 1e-12);
  }
  x = x.padded(1.6);
  y = y.padded(1.7);
  LogPlot plot(x, y, "FLOP per byte that must be moved", "TFLOPS",
               "roofline: speed reached over arithmetic intensity, below the measured limits");
  if (const Peak* read = report.device.find("read")) {
    // The diagonal starts where it enters the plot from below.
    y.include(read->value * 1e-12 * x.low);
    plot = LogPlot(x, y, "FLOP per byte that must be moved", "TFLOPS",
                   "roofline: speed reached over arithmetic intensity, below the measured limits");
  }
  add_roofs(report, plot, x, ceilings);
  std::vector<KeyEntry> key;
  for (const auto& [model, list] : points) {
    plot.add_points(list, style_of(model));
    key.push_back({style_of(model), models.names()[static_cast<size_t>(model)]});
  }
  return "<h2>Roofline</h2><p>Each point is one layer at one number of tokens, run by the variant that would be "
         "chosen. The higher the better; the lines are "
         "what this device did in the same run when it did nothing else.</p><figure class=\"wide\">" +
         plot.svg() + key_list(key) + "</figure>";
}

struct Group {
  std::vector<const BenchRow*> rows;
};

std::vector<Group> groups_of(const BenchReport& report) {
  std::vector<Group> groups;
  std::map<std::string, size_t> at;
  for (const BenchRow& row : report.rows) {
    const auto [it, added] = at.try_emplace(row.model + "\n" + row.group + "\n" + row.layer, groups.size());
    if (added) groups.emplace_back();
    groups[it->second].rows.push_back(&row);
  }
  return groups;
}

std::vector<LogPlot::Point> by_m(std::vector<LogPlot::Point> points) {
  std::ranges::stable_sort(points, {}, &LogPlot::Point::x);
  return points;
}

std::string time_plot(const BenchReport& report, const Group& group, Numbers& variants) {
  PlotRange x, y;
  std::map<int, std::vector<LogPlot::Point>> lines;
  std::vector<LogPlot::Point> runs, limit, other;
  std::set<double> ms;
  for (const BenchRow* row : group.rows) {
    if (!row->measured() || !row->why.empty()) continue;
    const double us = row->seconds.median * 1e6;
    ms.insert(row->work.M);
    x.include(row->work.M);
    y.include(us);
    lines[variants.of(row->variant)].push_back({row->work.M, us, tip(*row)});
    if (!row->chosen) continue;
    runs.push_back({row->work.M, us, ""});
    if (row->limit) limit.push_back({row->work.M, row->limit->seconds * 1e6, ""});
    if (row->other)
      other.push_back({row->work.M, row->other->seconds * 1e6,
                       std::format("{}: {}", report.other_runtime, time_text(row->other->seconds))});
  }
  if (ms.size() < 2) return "";
  for (const auto* more : {&limit, &other}) {
    for (const LogPlot::Point& p : *more) y.include(p.y);
  }
  LogPlot plot(x.padded(1.15), y.padded(1.25), "tokens at once (M)", "microseconds",
               "time over M for " + group_title(*group.rows.front()));
  plot.set_x_ticks({ms.begin(), ms.end()});
  plot.add_line(by_m(runs), "runs", false);
  plot.add_line(by_m(limit), "limit", false);
  plot.add_line(by_m(other), "other", true);
  std::vector<KeyEntry> key;
  for (const auto& [variant, points] : lines) {
    plot.add_line(by_m(points), style_of(variant), true);
    key.push_back({style_of(variant), variants.names()[static_cast<size_t>(variant)]});
  }
  if (lines.size() > 1) key.push_back({"runs", "chosen", false});
  if (!limit.empty()) key.push_back({"limit", "limit", false});
  if (!other.empty()) key.push_back({"other", report.other_runtime});
  return std::format("<figure><h3>{}</h3>{}{}</figure>", e(group_title(*group.rows.front())), plot.svg(),
                     key_list(key));
}

std::string time_plots(const BenchReport& report, const std::vector<Group>& groups) {
  Numbers variants;  // the same colour for a variant in every plot
  std::string plots;
  for (const Group& group : groups) plots += time_plot(report, group, variants);
  if (plots.empty()) return "";
  return "<h2>Time over the number of tokens</h2><p>Lower is better, both axes are logarithmic. The broad band is what "
         "is chosen, the dashed line the "
         "larger of the times that this device needs for the arithmetic, for the bytes, and for a dispatch.</p><div "
         "class=\"plots\">" +
         plots + "</div>";
}

std::string result_row(const BenchRow& row, bool others) {
  std::string out = std::format(
      "<tr{}><td>{}</td><td class=\"n\">{:.0f}</td><td class=\"n\">{:.0f}</td><td "
      "class=\"n\">{:.0f}</td><td>{}</td><td>{}</td>",
      row.chosen ? " class=\"chosen\"" : "", e(row.layer.empty() ? row.id : row.layer), row.work.M, row.work.K,
      row.work.N, e(row.dtype), e(row.variant + (row.tuned ? " (tuned)" : "")));
  if (!row.measured() || !row.why.empty())
    return out + std::format("<td class=\"bad\" colspan=\"{}\">{}</td></tr>", others ? 7 : 6, e(row.why));
  out += std::format("<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{:.0f}</td>",
                     time_text(row.seconds.median), percent(row.seconds.spread()), rate_text(row.flops_per_second()),
                     row.weight_bytes_per_second() * 1e-9);
  const auto share = row.share();
  out += row.limit ? std::format("<td>{}</td>", e(row.limit->kind)) : "<td>-</td>";
  out += share ? std::format("<td class=\"n bar\" style=\"--s:{:.1f}%\">{}</td>", 100 * std::clamp(*share, 0.0, 1.0),
                             percent(*share))
               : "<td class=\"n\">-</td>";
  if (others)
    out += row.other ? std::format("<td class=\"n\">{:.2f} x</td>", row.other->seconds / row.seconds.median)
                     : "<td class=\"n\">-</td>";
  return out + "</tr>";
}

std::string result_tables(const BenchReport& report) {
  const bool others = std::ranges::any_of(report.rows, [](const BenchRow& row) { return row.other.has_value(); });
  std::map<std::string, std::string> tables;
  Numbers models;
  for (const BenchRow& row : report.rows) {
    const std::string model = row.model.empty() ? "All cases" : row.model;
    models.of(model);
    tables[model] += result_row(row, others);
  }
  std::string out =
      "<h2>Every figure</h2><p class=\"soft\">Time is the median of a call's GPU time, spread the middle half of the "
      "samples; GB/s counts the weights alone. "
      "A line at the left marks what would be chosen.</p>";
  for (const std::string& model : models.names()) {
    out += "<details open><summary>" + e(model) +
           "</summary><div class=\"scroll\"><table><tr><th>layer</th><th class=\"n\">M</th><th class=\"n\">K</th><th "
           "class=\"n\">N</th>"
           "<th>dtype</th><th>variant</th><th class=\"n\">time</th><th class=\"n\">spread</th><th "
           "class=\"n\">TFLOPS</th><th class=\"n\">GB/s</th><th>limit</th><th class=\"n\">share</th>";
    if (others) out += "<th class=\"n\">other takes</th>";
    out += "</tr>" + tables[model] + "</table></div></details>";
  }
  return out;
}

std::string peak_table(const BenchReport& report) {
  if (report.device.peaks.empty()) return "";
  std::string out =
      "<h2>What this device can do</h2><div class=\"scroll\"><table><tr><th>peak</th><th class=\"n\">measured</th><th "
      "class=\"n\">spread</th><th></th></tr>";
  for (const Peak& peak : report.device.peaks) {
    out +=
        peak.value > 0
            ? std::format("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>", e(peak.id),
                          value_text(peak), percent(peak.spread), peak.checked ? "every result checked" : "")
            : std::format("<tr><td>{}</td><td class=\"bad\" colspan=\"3\">{}</td></tr>", e(peak.id), e(peak.why));
  }
  return out + "</table></div>";
}

std::string conditions(const BenchReport& report) {
  const DeviceKey& key = report.device.key;
  std::string out = "<h2>How it was measured</h2><p>";
  out += std::format("GPU time by {}, clocks warm, many dependent calls in one compute pass, all writing one output. ",
                     e(report.clock));
  out += report.cached ? "One set of weights was used over and over, so they come from the cache where they fit. "
                       : std::format("Each call read another copy of its weights, {:.0f} MB in turn. ",
                                     static_cast<double>(report.rotate_bytes) * 1e-6);
  out +=
      "Rewriting weights ahead (prepacking) happens once and is not in the times. A sample of every result was "
      "compared with a reference in double. ";
  out += std::format("Seed {}.</p>", report.seed);
  out += std::format("<p class=\"soft\">{} ({}, {}, {}). WebGPU: {}. Kernel package {} {}.</p>", e(key.adapter),
                     e(key.vendor), e(key.backend), e(key.driver), e(key.webgpu), e(report.package),
                     report.package_hash.hex().substr(0, 12));
  if (!report.other_runtime.empty()) {
    std::set<std::string> notes;
    for (const BenchRow& row : report.rows) {
      if (row.other && !row.other->note.empty()) notes.insert(row.other->note);
    }
    out += std::format("<p class=\"soft\">Compared with {}", e(report.other_runtime));
    for (const std::string& note : notes) out += "; " + e(note);
    out += ".</p>";
  }
  return out;
}

}  // namespace

std::string to_html(const BenchReport& report) {
  const std::vector<Group> groups = groups_of(report);
  const std::string title = std::format("{} on {}", report.package,
                                        report.device.key.adapter.empty() ? "a device" : report.device.key.adapter);
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>" +
      e(title) + "</title><style>" + kReportStyle + colour_rules() + "</style></head><body>\n";
  out += "<h1>" + e(title) + "</h1>";
  out += std::format("<p class=\"soft\">{}{}{}{}{}</p>", e(report.device.key.backend),
                     report.device.key.driver.empty() ? "" : ", ", e(report.device.key.driver),
                     report.measured_at.empty() ? "" : ", ", e(report.measured_at));
  for (const std::string& remark : report.remarks) out += "<p>" + e(remark) + "</p>";
  out += tiles(report) + "\n" + model_table(report) + "\n" + roofline(report) + "\n" + time_plots(report, groups) +
         "\n" + result_tables(report) + "\n" + peak_table(report) + "\n" + conditions(report);
  return out + "\n</body></html>\n";
}

}  // namespace halfbyte
