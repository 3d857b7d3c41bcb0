#include "bench/report.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace halfbyte {
namespace {

using nlohmann::json;

std::string three_digits(double value) {
  if (value == 0 || !std::isfinite(value)) return "0";
  const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(std::fabs(value)))), 0, 6);
  return std::format("{:.{}f}", value, digits);
}

std::string scaled(double value, std::span<const std::pair<double, const char*>> units) {
  for (const auto& [size, unit] : units) {
    if (std::fabs(value) >= size) return three_digits(value / size) + " " + unit;
  }
  return three_digits(value / units.back().first) + " " + units.back().second;
}

// What one entry of another runtime's file must share with a row.
struct OtherKey {
  double M = 0, K = 0, N = 0, bits = 0, block_size = 0, accuracy_level = 0;
  std::string dtype;
  bool zero_points = false;
  auto operator<=>(const OtherKey&) const = default;
};

OtherKey key_of(const BenchRow& row) {
  return {row.work.M,    row.work.K,          row.work.N,
          row.work.bits, row.work.block_size, static_cast<double>(row.accuracy_level),
          row.dtype,     row.zero_points};
}

}  // namespace

void BenchRow::add_round(const Summary& round, int64_t round_repetitions, bool round_enough_steps) {
  const double slowest = std::max(round.median, measured() ? seconds.median * slowest_round : 0.0);
  if (!measured() || round.median < seconds.median) {
    seconds = round;
    repetitions = round_repetitions;
    enough_steps = round_enough_steps;
  }
  slowest_round = slowest / seconds.median;
}

std::optional<double> BenchRow::share() const {
  if (!limit || !measured()) return std::nullopt;
  return limit->seconds / seconds.median;
}

std::string time_text(double seconds) {
  constexpr std::pair<double, const char*> kUnits[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  return scaled(seconds, kUnits);
}

std::string value_text(const Peak& peak) {
  constexpr std::pair<double, const char*> kBytes[] = {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}};
  constexpr std::pair<double, const char*> kFlops[] = {{1e12, "TFLOPS"}, {1e9, "GFLOPS"}, {1e6, "MFLOPS"}};
  constexpr std::pair<double, const char*> kOps[] = {{1e12, "TOPS"}, {1e9, "GOPS"}, {1e6, "MOPS"}};
  if (peak.kind == PeakKind::dispatch) return time_text(peak.value);
  if (peak.kind == PeakKind::read || peak.kind == PeakKind::copy) return scaled(peak.value, kBytes);
  const bool integers = peak.component == "i8" || peak.component == "u8";
  return integers ? scaled(peak.value, kOps) : scaled(peak.value, kFlops);
}

Result<int> add_other_runtime(BenchReport& report, std::string_view json_text, const std::string& file) {
  std::map<OtherKey, OtherTime> times;
  try {
    const json in = json::parse(json_text);
    if (in.value("schema", "") != "halfbyte.other/1")
      return fail(ErrorCode::parse, "not another runtime's times: \"schema\" must be \"halfbyte.other/1\"", {file});
    report.other_runtime = in.at("runtime").get<std::string>();
    for (const json& item : in.at("results")) {
      const OtherKey key{item.at("M"),          item.at("K"),
                         item.at("N"),          item.at("bits"),
                         item.at("block_size"), item.value("accuracy_level", 0.0),
                         item.at("dtype"),      item.value("zero_points", false)};
      const double us = item.at("us");
      if (us > 0) times[key] = {us * 1e-6, item.value("note", "")};
    }
  } catch (const json::exception& error) {
    return fail(ErrorCode::parse, std::format("not another runtime's times: {}", error.what()), {file});
  }
  int found = 0;
  for (BenchRow& row : report.rows) {
    const auto at = times.find(key_of(row));
    if (at == times.end()) continue;
    row.other = at->second;
    ++found;
  }
  return found;
}

void find_ties(BenchReport& report, double floor) {
  std::map<std::string, std::vector<BenchRow*>> cases;
  for (BenchRow& row : report.rows) {
    if (row.measured() && row.why.empty()) cases[row.id].push_back(&row);
  }
  for (auto& [id, rows] : cases) {
    BenchRow* best = *std::ranges::min_element(rows, {}, [](const BenchRow* row) { return row->seconds.median; });
    best->ties.clear();
    for (const BenchRow* row : rows) {
      if (row != best && within_noise(row->seconds, best->seconds, floor)) best->ties.push_back(row->variant);
    }
  }
}

std::vector<ModelSum> model_sums(const BenchReport& report) {
  struct Key {
    std::string model, dtype;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, std::map<std::string, std::map<double, const BenchRow*>>> models;  // layer -> M -> row
  std::vector<Key> order;
  for (const BenchRow& row : report.rows) {
    if (row.model.empty() || !row.chosen) continue;
    const Key key{row.model, row.dtype};
    if (!models.contains(key)) order.push_back(key);
    auto& layer = models[key][row.group];
    if (row.measured() && row.why.empty()) layer[row.work.M] = &row;
  }
  std::vector<ModelSum> sums;
  for (const Key& key : order) {
    const auto& layers = models[key];
    std::set<double> all;
    for (const auto& [layer, by_m] : layers) {
      for (const auto& [M, row] : by_m) all.insert(M);
    }
    for (const double M : all) {
      ModelSum sum{key.model, key.dtype, M};
      bool whole = true, limits = true, others = true, some_at_m = false;
      for (const auto& [layer, by_m] : layers) {
        auto at = by_m.find(M);
        some_at_m = some_at_m || at != by_m.end();
        if (at == by_m.end()) {
          at = by_m.find(1.0);
          // Only a head is cut to one row.
          if (at == by_m.end() || at->second->count != 1) {
            whole = false;
            break;
          }
          sum.last_token_only = true;
        }
        const BenchRow& row = *at->second;
        sum.seconds += row.count * row.seconds.median;
        sum.weight_bytes += row.count * row.work.weight_bytes;
        sum.layers += static_cast<int>(row.count);
        limits = limits && row.limit;
        if (row.limit) sum.limit_seconds += row.count * row.limit->seconds;
        others = others && row.other;
        if (row.other) sum.other_seconds += row.count * row.other->seconds;
      }
      if (!limits) sum.limit_seconds = 0;
      if (!others) sum.other_seconds = 0;
      if (whole && some_at_m) sums.push_back(sum);
    }
  }
  return sums;
}

}  // namespace halfbyte
